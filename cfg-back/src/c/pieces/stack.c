CFGREV_INLINE int cfgrev_grow_@NAME@(struct cfgrev_tape *tape, int64_t count)
{
    struct cfgrev_top *const top = &tape->top;
    const size_t used = top->@NAME@ ? (size_t)(top->@NAME@ - tape->@NAME@_begin) : 0;
    const size_t room = top->@NAME@ ? (size_t)(top->@NAME@_end - tape->@NAME@_begin) : 512;
    const size_t most = ((size_t)-1 / 4) / sizeof *top->@NAME@;
    const size_t want = 2 * room > used + (size_t)count ? 2 * room : used + (size_t)count;
    @TYPE@ *cells;
    if ((uint64_t)count > most - used)
        return 1;
    cells = realloc(tape->@NAME@_begin, want * sizeof *cells);
    if (!cells)
        return 1;
    tape->@NAME@_begin = cells;
    top->@NAME@ = cells + used;
    top->@NAME@_end = cells + want;
    return 0;
}

/* 0 if so many values more can be pushed. */
CFGREV_INLINE int cfgrev_room_@NAME@(struct cfgrev_top *top, struct cfgrev_tape *tape, int64_t count)
{
    int failed;
    if (top->@NAME@_end - top->@NAME@ >= count)
        return 0;
    tape->top = *top;
    failed = cfgrev_grow_@NAME@(tape, count);
    *top = tape->top;
    return failed;
}
