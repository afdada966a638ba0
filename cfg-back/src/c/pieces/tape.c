#ifndef CFGREV_INLINE
#ifdef __GNUC__
/* Not every file calls every function, of which clang would warn. */
#define CFGREV_INLINE static inline __attribute__((unused))
#else
#define CFGREV_INLINE static inline
#endif
#endif

#if defined CFGREV_TAPE_VERSION && CFGREV_TAPE_VERSION != 2
#error "files of different releases of cfgrev are included together"
#endif

#ifndef CFGREV_TAPE_VERSION
#define CFGREV_TAPE_VERSION 2
/* Functions that call themselves are not entered more often than this at a time. */
#define CFGREV_DEEPEST 10000u

#ifdef __cplusplus
#define CFGREV_TAPE_EMPTY {}
extern "C" {
#else
#define CFGREV_TAPE_EMPTY {0}
#endif

struct cfgrev_block {
    struct cfgrev_block *next;
    size_t room, used, padding;
};

struct cfgrev_arena {
    struct cfgrev_block *last, *first;
};

/* Where the stacks of a tape end. Functions that push and pop in loops without calls have a copy while they run. */
struct cfgrev_top {
    double *real, *real_end;
    float *real32, *real32_end;
    int64_t *integer, *integer_end;
    uint64_t *control, *control_end;
    uint64_t bits;
    unsigned filled;
};

struct cfgrev_tape;

/* Where loops with checkpoints keep their progress, if they do: files that begin with this name, if it is not null,
   behind which stand the numbers of the call with this tape and of the loop. So many seconds pass between two copies; 0:
   600; negative: a copy after each step. The rest is no caller's. */
struct cfgrev_restart {
    const char *file;
    double seconds;
    double last;
    uint64_t key;
    unsigned calls, loops, depth;
    int parent;
    void (*forget)(const struct cfgrev_restart *);
    void (*report)(void *to, int64_t run, int64_t reversed, int64_t steps);
    void *to;
};

/* The stack of a tape that lies in a file, in cells of 8 bytes: a window of the file, with its first cell and the number
   of its cells, the cells on the stack, the next one of a block, and the checksum of those before it. */
struct cfgrev_disk {
    uint64_t *window;
    uint64_t start, filled, used, next, sum;
    void *file;
    const char *message;
    int changed, status;
    void (*close)(struct cfgrev_disk *disk);
};

/* What a forward sweep leaves for the reverse sweep, and memory for work arrays. Zero-initialised before its first use
   (struct cfgrev_tape tape = CFGREV_TAPE_EMPTY;), it keeps its memory from one call to the next, until cfgrev_tape_free.
   A folder may be named for values that lie in files. */
struct cfgrev_tape {
    struct cfgrev_top top;
    double *real_begin;
    float *real32_begin;
    int64_t *integer_begin;
    uint64_t *control_begin;
    struct cfgrev_arena work, arrays;
    struct cfgrev_tape *inner;
    const char *message;
    const char *folder;
    struct cfgrev_disk *disk;
    unsigned depth;
    struct cfgrev_restart restart;
    /* The tape of the caller, of an inner one. */
    struct cfgrev_tape *outer;
    /* The status whose message is there already. */
    int told;
    /* Not 0 of a tape of cfgrev_tape_new. */
    int made;
};

/* What callers use of a tape. Where CFGREV_TAPE_EXPORT is defined, the functions are seen by other languages. */
#ifndef CFGREV_TAPE_EXPORT
#define CFGREV_TAPE_CALL CFGREV_INLINE
#elif defined __GNUC__
#define CFGREV_TAPE_CALL __attribute__((weak))
#else
#define CFGREV_TAPE_CALL extern
#endif

CFGREV_TAPE_CALL struct cfgrev_tape *cfgrev_tape_new(void);
CFGREV_TAPE_CALL void cfgrev_tape_free(struct cfgrev_tape *tape);
CFGREV_TAPE_CALL const char *cfgrev_tape_message(const struct cfgrev_tape *tape);
CFGREV_TAPE_CALL uint64_t cfgrev_tape_disk_bytes(const struct cfgrev_tape *tape);
CFGREV_TAPE_CALL size_t cfgrev_tape_bytes(const struct cfgrev_tape *tape);

CFGREV_INLINE void cfgrev_free_arena(const struct cfgrev_arena *arena)
{
    struct cfgrev_block *block = arena->first;
    while (block) {
        struct cfgrev_block *next = block->next;
        free(block);
        block = next;
    }
}

/* A tape for callers that do not know its size, until cfgrev_tape_free; null if there is no memory. */
CFGREV_TAPE_CALL struct cfgrev_tape *cfgrev_tape_new(void)
{
    struct cfgrev_tape *const tape = (struct cfgrev_tape *)malloc(sizeof *tape);
    const struct cfgrev_tape empty = CFGREV_TAPE_EMPTY;
    if (tape) {
        *tape = empty;
        tape->made = 1;
    }
    return tape;
}

/* Gives the memory of a tape back. The tape can be used again, unless it is one of cfgrev_tape_new, which ends here. */
CFGREV_TAPE_CALL void cfgrev_tape_free(struct cfgrev_tape *tape)
{
    const struct cfgrev_tape empty = CFGREV_TAPE_EMPTY;
    struct cfgrev_tape *next, *outer = tape;
    const char *const folder = tape ? tape->folder : NULL;
    const char *const file = tape ? tape->restart.file : NULL;
    const double seconds = tape ? tape->restart.seconds : 0.0;
    while (tape) {
        cfgrev_free_arena(&tape->work);
        cfgrev_free_arena(&tape->arrays);
        free(tape->real_begin);
        free(tape->real32_begin);
        free(tape->integer_begin);
        free(tape->control_begin);
        if (tape->disk)
            tape->disk->close(tape->disk);
        next = tape->inner;
        if (tape == outer && !tape->made) {
            *tape = empty;
            tape->folder = folder;
            tape->restart.file = file;
            tape->restart.seconds = seconds;
        } else
            free(tape);
        tape = next;
    }
}

/* Says why a function that was given this tape did not return 0; "" if it did. */
CFGREV_TAPE_CALL const char *cfgrev_tape_message(const struct cfgrev_tape *tape)
{
    return tape && tape->message ? tape->message : "";
}

/* The bytes that the values on a tape take now in files. */
CFGREV_TAPE_CALL uint64_t cfgrev_tape_disk_bytes(const struct cfgrev_tape *tape)
{
    uint64_t bytes = 0;
    for (; tape; tape = tape->inner)
        if (tape->disk)
            bytes += 8u * tape->disk->used;
    return bytes;
}

/* The bytes that the values on a tape take now in memory. */
CFGREV_TAPE_CALL size_t cfgrev_tape_bytes(const struct cfgrev_tape *tape)
{
    size_t bytes = 0;
    for (; tape; tape = tape->inner) {
        if (tape->top.real)
            bytes += (size_t)(tape->top.real - tape->real_begin) * sizeof *tape->top.real;
        if (tape->top.real32)
            bytes += (size_t)(tape->top.real32 - tape->real32_begin) * sizeof *tape->top.real32;
        if (tape->top.integer)
            bytes += (size_t)(tape->top.integer - tape->integer_begin) * sizeof *tape->top.integer;
        if (tape->top.control)
            bytes += (size_t)(tape->top.control - tape->control_begin) * sizeof *tape->top.control;
        bytes += (tape->top.filled + 7u) / 8u;
    }
    return bytes;
}

#ifdef __cplusplus
}
#endif
#endif
