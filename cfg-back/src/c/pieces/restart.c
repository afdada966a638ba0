#ifdef __unix__
int fileno(FILE *);
int fsync(int);
int getppid(void);
#endif

/* The bytes of a tape, and of the journal of a loop, in a file. */
struct cfgrev_copy {
    FILE *file;
    uint64_t sum;
    int failed;
};

/* Adds bytes to a sum (FNV-1a, 64 bits, by words). */
CFGREV_INLINE uint64_t cfgrev_sum(uint64_t sum, const void *from, size_t bytes)
{
    const unsigned char *at = from;
    uint64_t word;
    for (; bytes >= sizeof word; bytes -= sizeof word, at += sizeof word) {
        memcpy(&word, at, sizeof word);
        sum = (sum ^ word) * 1099511628211u;
        sum ^= sum >> 32;
    }
    for (; bytes; --bytes)
        sum = (sum ^ *at++) * 1099511628211u;
    return sum;
}

/* The values of one stack: summed, and written if there is a file. */
CFGREV_INLINE void cfgrev_copy_out(struct cfgrev_copy *copy, const void *from, size_t count, size_t size)
{
    const uint64_t bytes = (uint64_t)count * size;
    copy->sum = cfgrev_sum(cfgrev_sum(copy->sum, &bytes, sizeof bytes), from, (size_t)bytes);
    if (copy->file && (fwrite(&bytes, sizeof bytes, 1, copy->file) != 1
                       || (bytes && fwrite(from, size, count, copy->file) != count)))
        copy->failed = 1;
}

CFGREV_INLINE void cfgrev_copy_tape(struct cfgrev_copy *copy, const struct cfgrev_tape *tape)
{
    const struct cfgrev_level level = cfgrev_level_of(tape);
    cfgrev_copy_out(copy, tape->real_begin, level.real, sizeof(double));
    cfgrev_copy_out(copy, tape->real32_begin, level.real32, sizeof(float));
    cfgrev_copy_out(copy, tape->integer_begin, level.integer, sizeof(int64_t));
    cfgrev_copy_out(copy, tape->control_begin, level.control, sizeof(uint64_t));
    cfgrev_copy_out(copy, &level.bits, 1, sizeof level.bits);
    cfgrev_copy_out(copy, &level.filled, 1, sizeof level.filled);
}

/* Reads so many values of this size, as many as the file says. */
CFGREV_INLINE void cfgrev_copy_in(struct cfgrev_copy *copy, void *to, size_t count, size_t size)
{
    const uint64_t bytes = (uint64_t)count * size;
    if (!copy->failed && count && fread(to, size, count, copy->file) != count)
        copy->failed = 1;
    if (!copy->failed)
        copy->sum = cfgrev_sum(cfgrev_sum(copy->sum, &bytes, sizeof bytes), to, (size_t)bytes);
}

/* The number of values that come next in the file. */
CFGREV_INLINE size_t cfgrev_copy_count(struct cfgrev_copy *copy, size_t size)
{
    uint64_t bytes = 0;
    if (copy->failed || fread(&bytes, sizeof bytes, 1, copy->file) != 1 || bytes % size || bytes > (size_t)-1 / 4) {
        copy->failed = 1;
        return 0;
    }
    return (size_t)(bytes / size);
}

/* Puts what the file says on an empty tape; 1 if there is no memory for it. */
CFGREV_INLINE int cfgrev_copy_back(struct cfgrev_copy *copy, struct cfgrev_tape *tape)
{
    size_t count = cfgrev_copy_count(copy, sizeof(double));
    if (cfgrev_room_real(&tape->top, tape, (int64_t)count))
        return 1;
    cfgrev_copy_in(copy, tape->top.real, count, sizeof(double));
    tape->top.real += count;
    count = cfgrev_copy_count(copy, sizeof(float));
    if (cfgrev_room_real32(&tape->top, tape, (int64_t)count))
        return 1;
    cfgrev_copy_in(copy, tape->top.real32, count, sizeof(float));
    if (count)
        tape->top.real32 += count;
    count = cfgrev_copy_count(copy, sizeof(int64_t));
    if (cfgrev_room_integer(&tape->top, tape, (int64_t)count))
        return 1;
    cfgrev_copy_in(copy, tape->top.integer, count, sizeof(int64_t));
    if (count)
        tape->top.integer += count;
    count = cfgrev_copy_count(copy, sizeof(uint64_t));
    if (cfgrev_room_control(&tape->top, tape, (int64_t)count))
        return 1;
    cfgrev_copy_in(copy, tape->top.control, count, sizeof(uint64_t));
    if (count)
        tape->top.control += count;
    if (cfgrev_copy_count(copy, sizeof tape->top.bits) != 1)
        copy->failed = 1;
    cfgrev_copy_in(copy, &tape->top.bits, 1, sizeof tape->top.bits);
    if (cfgrev_copy_count(copy, sizeof tape->top.filled) != 1)
        copy->failed = 1;
    cfgrev_copy_in(copy, &tape->top.filled, 1, sizeof tape->top.filled);
    return 0;
}

/* The progress that a tape is part of. */
CFGREV_INLINE struct cfgrev_restart *cfgrev_restart_of(struct cfgrev_tape *tape)
{
    return tape->outer ? &tape->outer->restart : &tape->restart;
}

/* Leaves a message; the status that belongs to it. */
CFGREV_INLINE int cfgrev_restart_fail(struct cfgrev_tape *tape, const char *message)
{
    struct cfgrev_tape *const outer = tape->outer ? tape->outer : tape;
    outer->message = message;
    outer->told = 5;
    return 5;
}

/* The name of the file of a loop; null if there is no memory for it. */
CFGREV_INLINE char *cfgrev_restart_name(const struct cfgrev_restart *restart, unsigned loop, const char *end)
{
    const size_t room = strlen(restart->file) + 40;
    char *name = malloc(room);
    if (name)
        snprintf(name, room, "%s.%u%s", restart->file, loop, end);
    return name;
}

/* Removes the files of all loops. */
CFGREV_INLINE void cfgrev_restart_forget(const struct cfgrev_restart *restart)
{
    for (unsigned loop = 1; loop <= restart->loops; ++loop) {
        char *name = cfgrev_restart_name(restart, loop, "");
        if (name)
            remove(name);
        free(name);
    }
}

CFGREV_INLINE int cfgrev_restart_begin(struct cfgrev_tape *tape, struct cfgrev_tape *journal, bool *answer)
{
    struct cfgrev_restart *const restart = cfgrev_restart_of(tape);
    (void)journal;
    *answer = ++restart->depth == 1 && restart->file;
    if (*answer) {
        ++restart->loops;
#ifdef __unix__
        /* The program is a process of cfgrev's own, which would write to nobody without it. */
        if (getenv("CFGREV_RESTART"))
            restart->parent = getppid();
#endif
        restart->forget = cfgrev_restart_forget;
    }
    return 0;
}

CFGREV_INLINE int cfgrev_restart_due(struct cfgrev_tape *tape, struct cfgrev_tape *journal, bool *answer)
{
    struct cfgrev_restart *const restart = cfgrev_restart_of(tape);
    const double seconds = restart->seconds == 0.0 ? 600.0 : restart->seconds;
    (void)journal;
#ifdef __unix__
    if (restart->parent && getppid() != restart->parent)
        return cfgrev_restart_fail(tape, "nobody waits for the result");
#endif
    *answer = restart->depth == 1 && restart->file
              && (double)time(NULL) - restart->last >= seconds;
    return 0;
}

CFGREV_INLINE int cfgrev_restart_end(struct cfgrev_tape *tape, struct cfgrev_tape *journal, bool *answer)
{
    struct cfgrev_restart *const restart = cfgrev_restart_of(tape);
    (void)journal;
    *answer = restart->depth-- == 1 && restart->file;
    return 0;
}

/* The head of a file: the values with which the loop began, and its number. */
CFGREV_INLINE void cfgrev_restart_head(const struct cfgrev_restart *restart, uint64_t head[3])
{
    head[0] = 0x3152474643u;
    head[1] = restart->key;
    head[2] = restart->loops;
}

CFGREV_INLINE int cfgrev_restart_save(struct cfgrev_tape *tape, struct cfgrev_tape *journal)
{
    struct cfgrev_restart *const restart = cfgrev_restart_of(tape);
    const struct cfgrev_level empty = {0, 0, 0, 0, 0, 0, 0};
    char *name = cfgrev_restart_name(restart, restart->loops, "");
    char *written = cfgrev_restart_name(restart, restart->loops, ".new");
    struct cfgrev_copy copy = {NULL, 0, 0};
    uint64_t head[3];
    int failed = 1;
    if (name && written && (copy.file = fopen(written, "wb"))) {
        cfgrev_restart_head(restart, head);
        copy.failed = fwrite(head, sizeof head, 1, copy.file) != 1;
        cfgrev_copy_tape(&copy, tape);
        cfgrev_copy_tape(&copy, journal);
        failed = copy.failed || fwrite(&copy.sum, sizeof copy.sum, 1, copy.file) != 1 || fflush(copy.file);
#ifdef __unix__
        failed = failed || fsync(fileno(copy.file));
#endif
        failed = fclose(copy.file) || failed || rename(written, name);
        if (failed)
            remove(written);
    }
    free(name);
    free(written);
    cfgrev_cut(journal, empty);
    restart->last = (double)time(NULL);
    return failed ? cfgrev_restart_fail(tape, "the progress of a loop cannot be written") : 0;
}

CFGREV_INLINE int cfgrev_restart_load(struct cfgrev_tape *tape, struct cfgrev_tape *journal, bool *answer,
                                      uint64_t program)
{
    struct cfgrev_restart *const restart = cfgrev_restart_of(tape);
    const struct cfgrev_level empty = {0, 0, 0, 0, 0, 0, 0};
    struct cfgrev_copy copy = {NULL, program, 0};
    uint64_t head[3], found[3], sum;
    char *name = cfgrev_restart_name(restart, restart->loops, "");
    int status = 0;
    /* The program, and the values with which the loop begins. */
    cfgrev_copy_tape(&copy, tape);
    cfgrev_copy_tape(&copy, journal);
    restart->key = copy.sum;
    restart->last = (double)time(NULL);
    cfgrev_cut(journal, empty);
    if (!name)
        return 1;
    copy.file = fopen(name, "rb");
    free(name);
    *answer = copy.file != NULL;
    if (!copy.file)
        return 0;
    cfgrev_restart_head(restart, head);
    copy.sum = 0;
    if (fread(found, sizeof found, 1, copy.file) != 1 || memcmp(found, head, sizeof head)) {
        status = cfgrev_restart_fail(tape, "the file of a loop's progress is that of another run");
    } else {
        cfgrev_cut(tape, empty);
        status = cfgrev_copy_back(&copy, tape) || cfgrev_copy_back(&copy, journal);
        if (!status && (copy.failed || fread(&sum, sizeof sum, 1, copy.file) != 1 || sum != copy.sum)) {
            status = cfgrev_restart_fail(tape, "the file of a loop's progress is damaged");
        }
    }
    fclose(copy.file);
    return status;
}
