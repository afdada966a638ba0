CFGREV_INLINE void cfgrev_push_bits(struct cfgrev_top *top, uint64_t value, unsigned width)
{
    const unsigned room = 64u - top->filled;
    if (width <= room) {
        top->bits = top->bits << width | value;
        top->filled += width;
    } else {
        const unsigned rest = width - room;
        *top->control++ = top->bits << room | value >> rest;
        top->bits = value & (((uint64_t)1 << rest) - 1u);
        top->filled = rest;
    }
}

CFGREV_INLINE uint64_t cfgrev_pop_bits(struct cfgrev_top *top, unsigned width)
{
    uint64_t value;
    if (top->filled >= width) {
        value = top->bits & (((uint64_t)1 << width) - 1u);
        top->bits >>= width;
        top->filled -= width;
    } else {
        const unsigned rest = width - top->filled;
        const uint64_t word = *--top->control;
        value = (word & (((uint64_t)1 << rest) - 1u)) << top->filled | top->bits;
        top->bits = word >> rest;
        top->filled = 64u - rest;
    }
    return value;
}

/* A count takes as many bits as it needs, and six that say how many. */
CFGREV_INLINE void cfgrev_push_count(struct cfgrev_top *top, int64_t count)
{
    const uint64_t value = (uint64_t)count;
    unsigned width = 0;
    while (width < 63u && value >> width)
        ++width;
    cfgrev_push_bits(top, value, width);
    cfgrev_push_bits(top, width, 6u);
}

CFGREV_INLINE int64_t cfgrev_pop_count(struct cfgrev_top *top)
{
    return (int64_t)cfgrev_pop_bits(top, (unsigned)cfgrev_pop_bits(top, 6u));
}
