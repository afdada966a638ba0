/* An argument as it is read from standard input: whether it is given, its deferred extents, its cells. */
struct cfgrev_argument {
    int64_t given, count, extents[15];
    void *cells;
};

static int cfgrev_read(void *cells, size_t bytes)
{
    return fread(cells, 1, bytes, stdin) != bytes;
}

static void cfgrev_write(const void *cells, size_t bytes)
{
    if (bytes > 0 && fwrite(cells, 1, bytes, stdout) != bytes)
        exit(3);
}

static int cfgrev_read_argument(struct cfgrev_argument *argument, size_t size)
{
    size_t bytes;
    if (cfgrev_read(argument, offsetof(struct cfgrev_argument, cells)))
        return 1;
    bytes = (size_t)argument->count * size;
    argument->cells = NULL;
    if (!argument->given)
        return 0;
    argument->cells = malloc(bytes ? bytes : 1);
    return !argument->cells || cfgrev_read(argument->cells, bytes);
}
