/* Cells of a file that are in memory at once. */
#define CFGREV_WINDOW 8192u

/* Gives up, for this reason. */
CFGREV_INLINE int cfgrev_disk_fail(struct cfgrev_disk *disk, int status, const char *message)
{
    if (!disk->status) {
        disk->status = status;
        disk->message = message;
    }
    return disk->status;
}

/* The status of a failure, whose message goes to another tape. */
CFGREV_INLINE int cfgrev_disk_status(struct cfgrev_tape *tape, struct cfgrev_tape *to)
{
    struct cfgrev_disk *const disk = tape->disk;
    to->told = disk ? disk->status : 4;
    to->message = disk ? disk->message : "nothing lies in a file";
    return to->told;
}

CFGREV_INLINE void cfgrev_disk_close(struct cfgrev_disk *disk)
{
    if (disk->file)
        fclose((FILE *)disk->file);
    free(disk->window);
    free(disk);
}

/* A file without a name, in the folder of the tape or in that for temporary files; null if there is none. */
CFGREV_INLINE FILE *cfgrev_disk_file(const struct cfgrev_tape *tape)
{
    const char *const system = getenv("TMPDIR");
    const char *const folder = tape->folder ? tape->folder : system && *system ? system : "/tmp";
    const size_t room = strlen(folder) + 80u;
    char *const name = malloc(room);
    FILE *file = NULL;
    int tries;
    if (!name)
        return NULL;
    for (tries = 0; !file && tries < 1000; ++tries) {
        /* Other tapes have other addresses or times, and those of other processes with both alike the first numbers. */
        snprintf(name, room, "%s/cfgrev-%lx-%lx-%d", folder, (unsigned long)time(NULL), (unsigned long)(size_t)tape,
                 tries);
        file = fopen(name, "w+bx");
    }
    if (file && remove(name)) {
        fclose(file);
        file = NULL;
    }
    free(name);
    if (file)
        /* The window is the buffer. */
        setvbuf(file, NULL, _IONBF, 0);
    return file;
}

CFGREV_INLINE int cfgrev_disk_seek(struct cfgrev_disk *disk)
{
    if (disk->start > (uint64_t)LONG_MAX / 8u)
        return cfgrev_disk_fail(disk, 1, "a file is too long");
    if (fseek((FILE *)disk->file, (long)(8u * disk->start), SEEK_SET))
        return cfgrev_disk_fail(disk, 1, "a file cannot be used");
    return 0;
}

/* Writes the window, if it differs from what is in the file. */
CFGREV_INLINE int cfgrev_disk_write(struct cfgrev_tape *tape)
{
    struct cfgrev_disk *const disk = tape->disk;
    const size_t count = (size_t)disk->filled;
    if (disk->status || !disk->changed)
        return disk->status;
    if (!disk->file)
        disk->file = cfgrev_disk_file(tape);
    if (!disk->file)
        return cfgrev_disk_fail(disk, 1, "no file can be made in the folder for tapes");
    if (cfgrev_disk_seek(disk))
        return disk->status;
    if (fwrite(disk->window, sizeof *disk->window, count, (FILE *)disk->file) != count || fflush((FILE *)disk->file))
        return cfgrev_disk_fail(disk, 1, "a file cannot be written: the disk may be full");
    disk->changed = 0;
    return 0;
}

/* The place in the window of a cell that is to be set. */
CFGREV_INLINE uint64_t *cfgrev_disk_place(struct cfgrev_tape *tape, uint64_t at)
{
    struct cfgrev_disk *const disk = tape->disk;
    const uint64_t k = at - disk->start;
    if (k > disk->filled || k >= CFGREV_WINDOW) {
        cfgrev_disk_write(tape);
        disk->start = at;
        disk->filled = 0;
    }
    disk->changed = 1;
    return disk->window + (size_t)(at - disk->start);
}

/* The place in the window of a cell that is read. */
CFGREV_INLINE const uint64_t *cfgrev_disk_found(struct cfgrev_tape *tape, uint64_t at)
{
    struct cfgrev_disk *const disk = tape->disk;
    uint64_t k = at - disk->start;
    if (k >= disk->filled) {
        uint64_t count = disk->used < CFGREV_WINDOW ? disk->used : CFGREV_WINDOW;
        cfgrev_disk_write(tape);
        /* Values in front of these are popped next, if there is room for them. */
        disk->start = at < disk->used - count ? at : disk->used - count;
        disk->filled = 0;
        k = at - disk->start;
        if (!disk->status && disk->file && !cfgrev_disk_seek(disk))
            disk->filled = fread(disk->window, sizeof *disk->window, (size_t)count, (FILE *)disk->file);
        if (k >= disk->filled) {
            cfgrev_disk_fail(disk, 4, "what lies in a file is not what was pushed");
            return disk->window;
        }
    }
    return disk->window + (size_t)k;
}

/* SplitMix64 (Steele, Lea, Flood 2014). */
CFGREV_INLINE uint64_t cfgrev_disk_mix(uint64_t word)
{
    word = (word ^ word >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    word = (word ^ word >> 27) * UINT64_C(0x94D049BB133111EB);
    return word ^ word >> 31;
}

/* The part of a cell in the checksum of its block. Every change of one cell changes it. */
CFGREV_INLINE uint64_t cfgrev_disk_part(uint64_t at, uint64_t cell)
{
    return cfgrev_disk_mix(cell ^ at * UINT64_C(0x9E3779B97F4A7C15));
}

/* A block of cells begins, whose checksum is also one of their type, their number, and their place. */
CFGREV_INLINE void cfgrev_disk_block(struct cfgrev_disk *disk, int type, int64_t count, uint64_t at)
{
    disk->next = at;
    disk->sum = cfgrev_disk_mix(cfgrev_disk_mix(cfgrev_disk_mix((uint64_t)type) ^ (uint64_t)count) ^ at);
}

/* Begins to push so many values of a type: not 0 if it fails. */
CFGREV_INLINE int cfgrev_disk_begin(struct cfgrev_tape *tape, int type, int64_t count)
{
    if (!tape->disk) {
        struct cfgrev_disk *const disk = calloc(1, sizeof *disk);
        if (!disk)
            return 1;
        disk->window = calloc(CFGREV_WINDOW, sizeof *disk->window);
        if (!disk->window) {
            free(disk);
            return 1;
        }
        disk->close = cfgrev_disk_close;
        tape->disk = disk;
    }
    tape->disk->status = 0;
    cfgrev_disk_block(tape->disk, type, count > 0 ? count : 0, tape->disk->used);
    return 0;
}

CFGREV_INLINE void cfgrev_disk_put(struct cfgrev_tape *tape, uint64_t cell)
{
    struct cfgrev_disk *const disk = tape->disk;
    *cfgrev_disk_place(tape, disk->next) = cell;
    disk->sum += cfgrev_disk_part(disk->next, cell);
    ++disk->next;
    if (disk->next - disk->start > disk->filled)
        disk->filled = disk->next - disk->start;
}

CFGREV_INLINE int cfgrev_disk_end(struct cfgrev_tape *tape)
{
    cfgrev_disk_put(tape, tape->disk->sum);
    tape->disk->used = tape->disk->next;
    return tape->disk->status;
}

/* Begins to pop so many values of a type: not 0 if there are fewer. */
CFGREV_INLINE int cfgrev_disk_open(struct cfgrev_tape *tape, int type, int64_t count)
{
    struct cfgrev_disk *const disk = tape->disk;
    const uint64_t cells = count > 0 ? (uint64_t)count : 0u;
    if (!disk)
        return 4;
    disk->status = 0;
    if (disk->used < 1u || disk->used - 1u < cells)
        return cfgrev_disk_fail(disk, 4, "what lies in a file is not what was pushed");
    cfgrev_disk_block(disk, type, (int64_t)cells, disk->used - 1u - cells);
    return 0;
}

CFGREV_INLINE uint64_t cfgrev_disk_get(struct cfgrev_tape *tape)
{
    struct cfgrev_disk *const disk = tape->disk;
    const uint64_t cell = *cfgrev_disk_found(tape, disk->next);
    disk->sum += cfgrev_disk_part(disk->next, cell);
    ++disk->next;
    return cell;
}

CFGREV_INLINE int cfgrev_disk_check(struct cfgrev_tape *tape, int64_t count)
{
    struct cfgrev_disk *const disk = tape->disk;
    const uint64_t sum = disk->sum;
    if (cfgrev_disk_get(tape) != sum)
        cfgrev_disk_fail(disk, 4, "what lies in a file is not what was pushed");
    disk->used -= (count > 0 ? (uint64_t)count : 0u) + 1u;
    return disk->status;
}

/* Pushes values that were popped last and are still there. */
CFGREV_INLINE void cfgrev_disk_keep(struct cfgrev_tape *tape, int64_t count)
{
    if (tape->disk)
        tape->disk->used += (count > 0 ? (uint64_t)count : 0u) + 1u;
}

union cfgrev_bits {
    double real;
    float real32;
    uint64_t cell;
    uint32_t half;
};

CFGREV_INLINE void cfgrev_disk_put_real(struct cfgrev_tape *tape, double value)
{
    union cfgrev_bits bits;
    bits.real = value;
    cfgrev_disk_put(tape, bits.cell);
}

CFGREV_INLINE double cfgrev_disk_get_real(struct cfgrev_tape *tape)
{
    union cfgrev_bits bits;
    bits.cell = cfgrev_disk_get(tape);
    return bits.real;
}

CFGREV_INLINE void cfgrev_disk_put_real32(struct cfgrev_tape *tape, float value)
{
    union cfgrev_bits bits;
    bits.real32 = value;
    cfgrev_disk_put(tape, bits.half);
}

CFGREV_INLINE float cfgrev_disk_get_real32(struct cfgrev_tape *tape)
{
    union cfgrev_bits bits;
    bits.half = (uint32_t)cfgrev_disk_get(tape);
    return bits.real32;
}

CFGREV_INLINE void cfgrev_disk_put_integer(struct cfgrev_tape *tape, int64_t value)
{
    cfgrev_disk_put(tape, (uint64_t)value);
}

CFGREV_INLINE int64_t cfgrev_disk_get_integer(struct cfgrev_tape *tape)
{
    return (int64_t)cfgrev_disk_get(tape);
}

/* Values that follow each other, a piece of the window at a time. */
CFGREV_INLINE void cfgrev_disk_put_reals(struct cfgrev_tape *tape, const double *value, int64_t count)
{
    struct cfgrev_disk *const disk = tape->disk;
    while (count > 0) {
        uint64_t *const cells = cfgrev_disk_place(tape, disk->next);
        const uint64_t at = disk->next - disk->start;
        const uint64_t room = CFGREV_WINDOW - at;
        const size_t now = (uint64_t)count < room ? (size_t)count : (size_t)room;
        uint64_t sum = disk->sum;
        size_t k;
        memcpy(cells, value, now * sizeof *value);
        for (k = 0; k < now; ++k)
            sum += cfgrev_disk_part(disk->next + k, cells[k]);
        disk->sum = sum;
        disk->next += now;
        if (at + now > disk->filled)
            disk->filled = at + now;
        value += now;
        count -= (int64_t)now;
    }
}

CFGREV_INLINE void cfgrev_disk_get_reals(struct cfgrev_tape *tape, double *value, int64_t count)
{
    struct cfgrev_disk *const disk = tape->disk;
    while (count > 0 && !disk->status) {
        const uint64_t *const cells = cfgrev_disk_found(tape, disk->next);
        const uint64_t there = disk->filled - (disk->next - disk->start);
        const size_t now = (uint64_t)count < there ? (size_t)count : (size_t)there;
        uint64_t sum = disk->sum;
        size_t k;
        if (disk->status)
            return;
        memcpy(value, cells, now * sizeof *value);
        for (k = 0; k < now; ++k)
            sum += cfgrev_disk_part(disk->next + k, cells[k]);
        disk->sum = sum;
        disk->next += now;
        value += now;
        count -= (int64_t)now;
    }
}
