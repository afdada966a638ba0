/* What the tapes of a call were used for, if that is counted: values pushed and popped, bits of markers and trip counts, values
   of each type, bits now and at most; and of those in files the values that are pushed, the bytes that are written and
   read, bytes now and at most. */
struct cfgrev_use {
    int64_t pushes, pops, control, integer, real, real32, now, most;
    int64_t disk, disk_written, disk_read, disk_now, disk_most;
};

static struct cfgrev_use cfgrev_use;

/* The number of calls. */
static unsigned cfgrev_calls;

/* An argument as it is read from standard input: whether it is given, how many cells it has, its cells. */
struct cfgrev_argument {
    int64_t given, count;
    void *cells;
};

/* What a call may change, and what it was before. */
struct cfgrev_kept {
    void *now, *before;
    size_t bytes;
};

CFGREV_INLINE int cfgrev_keep(struct cfgrev_kept *kept, void *cells, size_t bytes)
{
    kept->now = cells;
    kept->bytes = bytes;
    kept->before = malloc(bytes ? bytes : 1);
    if (!kept->before)
        return 1;
    if (bytes)
        memcpy(kept->before, cells, bytes);
    return 0;
}

CFGREV_INLINE void cfgrev_restore(const struct cfgrev_kept *kept, int count)
{
    for (; count > 0; --count, ++kept)
        if (kept->bytes)
            memcpy(kept->now, kept->before, kept->bytes);
}

/* Seconds from some time on; without a clock for it, seconds of the processor. */
CFGREV_INLINE double cfgrev_now(void)
{
#ifdef CLOCK_MONOTONIC
    struct timespec now;
    if (!clock_gettime(CLOCK_MONOTONIC, &now))
        return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
#endif
    return (double)clock() / (double)CLOCKS_PER_SEC;
}

/* Tells on standard error how far a loop is, once a second. */
CFGREV_INLINE void cfgrev_report(void *to, int64_t run, int64_t reversed, int64_t steps)
{
    static time_t last;
    const time_t now = time(NULL);
    (void)to;
    if (now == last)
        return;
    last = now;
    fprintf(stderr, "cfgrev-progress %lld %lld %lld\n", (long long)run, (long long)reversed, (long long)steps);
}

CFGREV_INLINE int cfgrev_read(void *cells, size_t bytes)
{
    return fread(cells, 1, bytes, stdin) != bytes;
}

CFGREV_INLINE void cfgrev_write(const void *cells, size_t bytes)
{
    if (bytes > 0 && fwrite(cells, 1, bytes, stdout) != bytes)
        exit(3);
}

CFGREV_INLINE int cfgrev_read_argument(struct cfgrev_argument *argument, size_t size, int64_t *extents, size_t rank)
{
    size_t bytes;
    if (cfgrev_read(argument, offsetof(struct cfgrev_argument, cells)) || cfgrev_read(extents, rank * sizeof *extents))
        return 1;
    bytes = (size_t)argument->count * size;
    argument->cells = NULL;
    if (!argument->given)
        return 0;
    argument->cells = malloc(bytes ? bytes : 1);
    return !argument->cells || cfgrev_read(argument->cells, bytes);
}
