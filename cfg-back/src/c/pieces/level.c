/* The numbers of values on the stacks of a tape. */
struct cfgrev_level {
    size_t real, real32, integer, control;
    uint64_t bits;
    unsigned filled;
    uint64_t disk;
};

CFGREV_INLINE struct cfgrev_level cfgrev_level_of(const struct cfgrev_tape *tape)
{
    struct cfgrev_level level = {0, 0, 0, 0, 0, 0, 0};
    if (tape->top.real)
        level.real = (size_t)(tape->top.real - tape->real_begin);
    if (tape->top.real32)
        level.real32 = (size_t)(tape->top.real32 - tape->real32_begin);
    if (tape->top.integer)
        level.integer = (size_t)(tape->top.integer - tape->integer_begin);
    if (tape->top.control)
        level.control = (size_t)(tape->top.control - tape->control_begin);
    level.bits = tape->top.bits;
    level.filled = tape->top.filled;
    if (tape->disk)
        level.disk = tape->disk->used;
    return level;
}

CFGREV_INLINE void cfgrev_cut(struct cfgrev_tape *tape, struct cfgrev_level level)
{
    if (tape->top.real)
        tape->top.real = tape->real_begin + level.real;
    if (tape->top.real32)
        tape->top.real32 = tape->real32_begin + level.real32;
    if (tape->top.integer)
        tape->top.integer = tape->integer_begin + level.integer;
    if (tape->top.control)
        tape->top.control = tape->control_begin + level.control;
    tape->top.bits = level.bits;
    tape->top.filled = level.filled;
    if (tape->disk)
        tape->disk->used = level.disk;
}
