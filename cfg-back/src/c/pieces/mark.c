/* Where the memory of work arrays ends. */
struct cfgrev_mark {
    struct cfgrev_block *last;
    size_t used;
};

CFGREV_INLINE struct cfgrev_mark cfgrev_mark_of(const struct cfgrev_arena *arena)
{
    struct cfgrev_mark mark;
    mark.last = arena->last;
    mark.used = arena->last ? arena->last->used : 0;
    return mark;
}

CFGREV_INLINE void cfgrev_release(struct cfgrev_arena *arena, struct cfgrev_mark mark)
{
    arena->last = mark.last;
    if (mark.last)
        mark.last->used = mark.used;
}
