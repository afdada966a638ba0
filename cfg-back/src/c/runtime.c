#ifndef CFGREV_INLINE
#ifdef __GNUC__
/* Not every file calls every function, of which clang would warn. */
#define CFGREV_INLINE static inline __attribute__((unused))
#else
#define CFGREV_INLINE static inline
#endif
#endif

#ifndef CFGREV_TAPE_VERSION
#define CFGREV_TAPE_VERSION 1
/* Functions that call themselves are not entered more often than this at a time. */
#define CFGREV_DEEPEST 10000u

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
   (struct cfgrev_tape tape = {0};), it keeps its memory from one call to the next, until cfgrev_tape_free. A
   folder may be named for values that lie in files. */
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
};

CFGREV_INLINE void cfgrev_free_arena(const struct cfgrev_arena *arena)
{
    struct cfgrev_block *block = arena->first;
    while (block) {
        struct cfgrev_block *next = block->next;
        free(block);
        block = next;
    }
}

/* Gives the memory of a tape back; the tape can be used again. */
CFGREV_INLINE void cfgrev_tape_free(struct cfgrev_tape *tape)
{
    const struct cfgrev_tape empty = {0};
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
        if (tape == outer) {
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
CFGREV_INLINE const char *cfgrev_tape_message(const struct cfgrev_tape *tape)
{
    return tape && tape->message ? tape->message : "";
}

/* The bytes that the values on a tape take now in files. */
CFGREV_INLINE uint64_t cfgrev_tape_disk_bytes(const struct cfgrev_tape *tape)
{
    uint64_t bytes = 0;
    for (; tape; tape = tape->inner)
        if (tape->disk)
            bytes += 8u * tape->disk->used;
    return bytes;
}

/* The bytes that the values on a tape take now in memory. */
CFGREV_INLINE size_t cfgrev_tape_bytes(const struct cfgrev_tape *tape)
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

@STACKS@
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

/* Memory for an array, until the mark before it is released; null if there is none. */
CFGREV_INLINE void *cfgrev_allocate(struct cfgrev_arena *arena, int64_t count, size_t size)
{
    struct cfgrev_block *block = arena->last, *next;
    size_t bytes, room;
    void *memory;
    if (count < 0)
        count = 0;
    if ((uint64_t)count > ((size_t)-1 / 4u) / size)
        return NULL;
    bytes = ((size_t)count * size + 15u) / 16u * 16u;
    if (!block || block->room - block->used < bytes) {
        next = block ? block->next : arena->first;
        if (!next || next->room < bytes) {
            /* Nothing lies in the blocks behind, which are too small: one that is larger takes their place. */
            struct cfgrev_arena behind;
            behind.last = NULL;
            behind.first = next;
            room = next ? 2u * next->room : block ? 2u * block->room : 4096u;
            if (room < bytes)
                room = bytes;
            if (block)
                block->next = NULL;
            else
                arena->first = NULL;
            cfgrev_free_arena(&behind);
            /* Not malloc: compilers would warn of arrays that are read where loops fill them. */
            block = calloc(1, sizeof *block + room);
            if (!block)
                return NULL;
            block->room = room;
            if (arena->last)
                arena->last->next = block;
            else
                arena->first = block;
            next = block;
        }
        next->used = 0;
        arena->last = block = next;
    }
    memory = (char *)(block + 1) + block->used;
    block->used += bytes;
    return memory;
}

/* Where the memory of work arrays ends. */
struct cfgrev_mark {
    struct cfgrev_block *last;
    size_t used;
};

CFGREV_INLINE struct cfgrev_mark cfgrev_mark_of(const struct cfgrev_arena *arena)
{
    struct cfgrev_mark mark;
    mark.last = arena->last;
    mark.used = arena->last ? arena->last->used : 0;
    return mark;
}

CFGREV_INLINE void cfgrev_release(struct cfgrev_arena *arena, struct cfgrev_mark mark)
{
    arena->last = mark.last;
    if (mark.last)
        mark.last->used = mark.used;
}

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

/* The state of a tape before a call, to go back to if the call fails. */
struct cfgrev_state {
    struct cfgrev_level level;
    struct cfgrev_mark work, arrays;
    unsigned depth;
};

CFGREV_INLINE struct cfgrev_state cfgrev_begin(struct cfgrev_tape *tape)
{
    struct cfgrev_state state;
    state.level = cfgrev_level_of(tape);
    state.work = cfgrev_mark_of(&tape->work);
    state.arrays = cfgrev_mark_of(&tape->arrays);
    state.depth = tape->depth;
    ++tape->restart.calls;
    tape->restart.loops = tape->restart.depth = 0;
    tape->restart.forget = NULL;
    return state;
}

CFGREV_INLINE int cfgrev_end(struct cfgrev_tape *tape, const struct cfgrev_state *state, int status)
{
    static const char *const messages[] = {
        "", "out of memory", "a limit was reached", "the program stopped", "a check failed"};
    /* A program that stops has left its own, and so have files. */
    if ((status != 3 || !tape->message) && (!status || status != tape->told))
        tape->message = messages[status >= 0 && status <= 4 ? status : 4];
    cfgrev_release(&tape->work, state->work);
    cfgrev_release(&tape->arrays, state->arrays);
    tape->told = 0;
    tape->depth = state->depth;
    if (!status && tape->restart.forget)
        tape->restart.forget(&tape->restart);
    if (status) {
        const struct cfgrev_level empty = {0, 0, 0, 0, 0, 0, 0};
        cfgrev_cut(tape, state->level);
        for (tape = tape->inner; tape; tape = tape->inner)
            cfgrev_cut(tape, empty);
    }
    return status;
}

/* The tape of this number among those that functions have for themselves; null if there is no memory for it. */
CFGREV_INLINE struct cfgrev_tape *cfgrev_inner(struct cfgrev_tape *tape, int number)
{
    const struct cfgrev_tape empty = {0};
    struct cfgrev_tape *const outer = tape->outer ? tape->outer : tape;
    for (; number > 0; --number) {
        if (!tape->inner) {
            tape->inner = malloc(sizeof *tape);
            if (!tape->inner)
                return NULL;
            *tape->inner = empty;
        }
        tape->inner->folder = tape->folder;
        tape = tape->inner;
        tape->outer = outer;
    }
    return tape;
}

#endif
