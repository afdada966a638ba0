CFGREV_INLINE void cfgrev_push_@NAME@(struct cfgrev_top *top, @TYPE@ value)
{
    *top->@NAME@++ = value;
}

CFGREV_INLINE @TYPE@ cfgrev_pop_@NAME@(struct cfgrev_top *top)
{
    return *--top->@NAME@;
}
