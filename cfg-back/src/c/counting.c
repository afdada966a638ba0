/* Pushes and pops that are counted. What goes around them is an own function, so that arguments are evaluated once. */
CFGREV_INLINE void cfgrev_hold(int64_t bits)
{
    cfgrev_use.now += bits;
    if (cfgrev_use.now > cfgrev_use.most)
        cfgrev_use.most = cfgrev_use.now;
}

CFGREV_INLINE void cfgrev_hold_on_disk(int64_t bytes)
{
    cfgrev_use.disk_now += bytes;
    if (cfgrev_use.disk_now > cfgrev_use.disk_most)
        cfgrev_use.disk_most = cfgrev_use.disk_now;
}

@VALUES@CFGREV_INLINE void cfgrev_counted_push_bits(struct cfgrev_top *top, uint64_t value, unsigned width)
{
    cfgrev_push_bits(top, value, width);
    ++cfgrev_use.pushes;
    cfgrev_use.control += width;
    cfgrev_hold(width);
}

CFGREV_INLINE uint64_t cfgrev_counted_pop_bits(struct cfgrev_top *top, unsigned width)
{
    ++cfgrev_use.pops;
    cfgrev_hold(-(int64_t)width);
    return cfgrev_pop_bits(top, width);
}

/* Bits of the control stack behind those that it had before. */
CFGREV_INLINE int64_t cfgrev_more_bits(const struct cfgrev_top *top, const struct cfgrev_top *before)
{
    return 64 * (int64_t)(top->control - before->control) + (int64_t)top->filled - (int64_t)before->filled;
}

CFGREV_INLINE void cfgrev_counted_push_count(struct cfgrev_top *top, int64_t count)
{
    const struct cfgrev_top before = *top;
    cfgrev_push_count(top, count);
    ++cfgrev_use.pushes;
    cfgrev_use.control += cfgrev_more_bits(top, &before);
    cfgrev_hold(cfgrev_more_bits(top, &before));
}

CFGREV_INLINE int64_t cfgrev_counted_pop_count(struct cfgrev_top *top)
{
    const struct cfgrev_top before = *top;
    const int64_t count = cfgrev_pop_count(top);
    ++cfgrev_use.pops;
    cfgrev_hold(cfgrev_more_bits(top, &before));
    return count;
}

CFGREV_INLINE int64_t cfgrev_bits_of(struct cfgrev_level level)
{
    return 64 * (int64_t)(level.real + level.integer + level.control) + 32 * (int64_t)level.real32 + (int64_t)level.filled;
}

CFGREV_INLINE void cfgrev_counted_cut(struct cfgrev_tape *tape, struct cfgrev_level level)
{
    cfgrev_hold(cfgrev_bits_of(level) - cfgrev_bits_of(cfgrev_level_of(tape)));
    cfgrev_hold_on_disk(8 * ((int64_t)level.disk - (int64_t)cfgrev_level_of(tape).disk));
    cfgrev_cut(tape, level);
}

#define cfgrev_push_bits cfgrev_counted_push_bits
#define cfgrev_pop_bits cfgrev_counted_pop_bits
#define cfgrev_push_count cfgrev_counted_push_count
#define cfgrev_pop_count cfgrev_counted_pop_count
#define cfgrev_cut cfgrev_counted_cut
