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

/* The cells in the file of a tape, as the values of one stack. */
CFGREV_INLINE void cfgrev_copy_disk(struct cfgrev_copy *copy, struct cfgrev_tape *tape)
{
    const uint64_t cells = tape->disk ? tape->disk->used : 0u, bytes = 8u * cells;
    copy->sum = cfgrev_sum(copy->sum, &bytes, sizeof bytes);
    if (copy->file && fwrite(&bytes, sizeof bytes, 1, copy->file) != 1)
        copy->failed = 1;
    for (uint64_t at = 0; at < cells && !copy->failed; ++at) {
        const uint64_t cell = *cfgrev_disk_found(tape, at);
        copy->sum = cfgrev_sum(copy->sum, &cell, sizeof cell);
        if (tape->disk->status || (copy->file && fwrite(&cell, sizeof cell, 1, copy->file) != 1))
            copy->failed = 1;
    }
}

CFGREV_INLINE void cfgrev_copy_tape(struct cfgrev_copy *copy, struct cfgrev_tape *tape)
{
    const struct cfgrev_level level = cfgrev_level_of(tape);
    cfgrev_copy_out(copy, tape->real_begin, level.real, sizeof(double));
    cfgrev_copy_out(copy, tape->real32_begin, level.real32, sizeof(float));
    cfgrev_copy_out(copy, tape->integer_begin, level.integer, sizeof(int64_t));
    cfgrev_copy_out(copy, tape->control_begin, level.control, sizeof(uint64_t));
    cfgrev_copy_out(copy, &level.bits, 1, sizeof level.bits);
    cfgrev_copy_out(copy, &level.filled, 1, sizeof level.filled);
    cfgrev_copy_disk(copy, tape);
}

/* The numbers of cells of the seven parts of a tape in a file. */
struct cfgrev_parts {
    uint64_t count[7];
};

/* Reads what the file has of a tape, without keeping it: sums, and the numbers of cells. `left` are the bytes that the
   file still has. */
CFGREV_INLINE void cfgrev_copy_check(struct cfgrev_copy *copy, struct cfgrev_parts *parts, uint64_t *left)
{
    static const size_t sizes[7] = {sizeof(double), sizeof(float), sizeof(int64_t), sizeof(uint64_t),
                                    sizeof(uint64_t), sizeof(unsigned), sizeof(uint64_t)};
    for (int k = 0; k < 7 && !copy->failed; ++k) {
        uint64_t cells[256], bytes = 0;
        if (*left < sizeof bytes || fread(&bytes, sizeof bytes, 1, copy->file) != 1
            || bytes > *left - sizeof bytes || bytes % sizes[k] || ((k == 4 || k == 5) && bytes != sizes[k])) {
            copy->failed = 1;
            return;
        }
        *left -= sizeof bytes + bytes;
        parts->count[k] = bytes / sizes[k];
        copy->sum = cfgrev_sum(copy->sum, &bytes, sizeof bytes);
        while (bytes && !copy->failed) {
            const size_t some = bytes < sizeof cells ? (size_t)bytes : sizeof cells;
            if (fread(cells, 1, some, copy->file) != some)
                copy->failed = 1;
            else
                copy->sum = cfgrev_sum(copy->sum, cells, some);
            bytes -= some;
        }
    }
}

/* Makes room for what the file has of a tape; 1 if there is no memory for it. */
CFGREV_INLINE int cfgrev_copy_room(struct cfgrev_tape *tape, const struct cfgrev_parts *parts)
{
    return cfgrev_room_real(&tape->top, tape, (int64_t)parts->count[0])
           || cfgrev_room_real32(&tape->top, tape, (int64_t)parts->count[1])
           || cfgrev_room_integer(&tape->top, tape, (int64_t)parts->count[2])
           || cfgrev_room_control(&tape->top, tape, (int64_t)parts->count[3]);
}

/* Reads the next part of a file that was checked. */
CFGREV_INLINE void cfgrev_copy_in(struct cfgrev_copy *copy, void *to, size_t size)
{
    uint64_t bytes = 0;
    if (copy->failed || fread(&bytes, sizeof bytes, 1, copy->file) != 1
        || (bytes && fread(to, size, (size_t)bytes / size, copy->file) != (size_t)bytes / size))
        copy->failed = 1;
}

/* Reads the cells that lay in the file of a tape into one. */
CFGREV_INLINE void cfgrev_copy_in_disk(struct cfgrev_copy *copy, struct cfgrev_tape *tape)
{
    uint64_t bytes = 0;
    if (copy->failed || fread(&bytes, sizeof bytes, 1, copy->file) != 1)
        copy->failed = 1;
    if (tape->disk)
        tape->disk->used = 0;
    if (copy->failed || !bytes)
        return;
    if (cfgrev_disk_begin(tape, 0, 0)) {
        copy->failed = 1;
        return;
    }
    for (; bytes && !copy->failed; bytes -= 8u) {
        uint64_t cell;
        if (fread(&cell, sizeof cell, 1, copy->file) != 1)
            copy->failed = 1;
        else
            cfgrev_disk_put(tape, cell);
        if (tape->disk->status)
            copy->failed = 1;
    }
    tape->disk->used = tape->disk->next;
}

/* Puts what the file has on a tape in the place of all that is there. */
CFGREV_INLINE void cfgrev_copy_back(struct cfgrev_copy *copy, struct cfgrev_tape *tape,
                                    const struct cfgrev_parts *parts)
{
    const struct cfgrev_level empty = {0, 0, 0, 0, 0, 0, 0};
    cfgrev_cut(tape, empty);
    cfgrev_copy_in(copy, tape->top.real, sizeof(double));
    cfgrev_copy_in(copy, tape->top.real32, sizeof(float));
    cfgrev_copy_in(copy, tape->top.integer, sizeof(int64_t));
    cfgrev_copy_in(copy, tape->top.control, sizeof(uint64_t));
    cfgrev_copy_in(copy, &tape->top.bits, sizeof tape->top.bits);
    cfgrev_copy_in(copy, &tape->top.filled, sizeof tape->top.filled);
    cfgrev_copy_in_disk(copy, tape);
    if (parts->count[0])
        tape->top.real += parts->count[0];
    if (parts->count[1])
        tape->top.real32 += parts->count[1];
    if (parts->count[2])
        tape->top.integer += parts->count[2];
    if (parts->count[3])
        tape->top.control += parts->count[3];
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
    const size_t room = strlen(restart->file) + 60;
    char *name = malloc(room);
    if (name)
        snprintf(name, room, "%s.%u.%u%s", restart->file, restart->calls, loop, end);
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

CFGREV_INLINE int cfgrev_restart_due(struct cfgrev_tape *tape, struct cfgrev_tape *journal, bool *answer,
                                     int64_t run, int64_t reversed, int64_t steps)
{
    struct cfgrev_restart *const restart = cfgrev_restart_of(tape);
    const double seconds = restart->seconds == 0.0 ? 600.0 : restart->seconds;
    (void)journal;
    if (restart->depth == 1 && restart->report)
        restart->report(restart->to, run, reversed, steps);
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
    struct cfgrev_parts parts, others;
    uint64_t head[3], found[3], sum = 0, left;
    char *name = cfgrev_restart_name(restart, restart->loops, "");
    int status = 0;
    long end;
    /* The program, and the values with which the loop begins. */
    cfgrev_copy_tape(&copy, tape);
    cfgrev_copy_tape(&copy, journal);
    restart->key = copy.sum;
    restart->last = (double)time(NULL);
    cfgrev_cut(journal, empty);
    *answer = false;
    if (!name)
        return 1;
    errno = 0;
    copy.file = fopen(name, "rb");
    free(name);
    if (!copy.file) {
#ifdef ENOENT
        if (errno != ENOENT)
            return cfgrev_restart_fail(tape, "the file of a loop's progress cannot be read");
#endif
        return 0;
    }
    cfgrev_restart_head(restart, head);
    copy.sum = 0;
    end = fseek(copy.file, 0, SEEK_END) ? -1 : ftell(copy.file);
    rewind(copy.file);
    if (fread(found, sizeof found, 1, copy.file) != 1 || memcmp(found, head, sizeof head)) {
        status = cfgrev_restart_fail(tape, "the file of a loop's progress is that of another run");
    } else {
        /* All is read twice, so that a damaged file changes nothing. */
        left = (uint64_t)end - sizeof found;
        cfgrev_copy_check(&copy, &parts, &left);
        cfgrev_copy_check(&copy, &others, &left);
        if (copy.failed || left != sizeof sum || fread(&sum, sizeof sum, 1, copy.file) != 1 || sum != copy.sum
            || fseek(copy.file, (long)sizeof found, SEEK_SET)) {
            status = cfgrev_restart_fail(tape, "the file of a loop's progress is damaged");
        } else if (cfgrev_copy_room(tape, &parts) || cfgrev_copy_room(journal, &others)) {
            status = 1;
        } else {
            cfgrev_copy_back(&copy, tape, &parts);
            cfgrev_copy_back(&copy, journal, &others);
            *answer = true;
            if (copy.failed)
                status = cfgrev_restart_fail(tape, "the file of a loop's progress cannot be read");
        }
    }
    fclose(copy.file);
    return status;
}
