/* Derivatives of heron, written by cfgrev. */

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

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

#ifndef CFGREV_STACK_IS_DEFINED
#define CFGREV_STACK_IS_DEFINED
CFGREV_INLINE int cfgrev_grow_real(struct cfgrev_tape *tape, int64_t count)
{
    struct cfgrev_top *const top = &tape->top;
    const size_t used = top->real ? (size_t)(top->real - tape->real_begin) : 0;
    const size_t room = top->real ? (size_t)(top->real_end - tape->real_begin) : 512;
    const size_t most = ((size_t)-1 / 4) / sizeof *top->real;
    const size_t want = 2 * room > used + (size_t)count ? 2 * room : used + (size_t)count;
    double *cells;
    if ((uint64_t)count > most - used)
        return 1;
    cells = realloc(tape->real_begin, want * sizeof *cells);
    if (!cells)
        return 1;
    tape->real_begin = cells;
    top->real = cells + used;
    top->real_end = cells + want;
    return 0;
}

/* 0 if so many values more can be pushed. */
CFGREV_INLINE int cfgrev_room_real(struct cfgrev_top *top, struct cfgrev_tape *tape, int64_t count)
{
    int failed;
    if (top->real_end - top->real >= count)
        return 0;
    tape->top = *top;
    failed = cfgrev_grow_real(tape, count);
    *top = tape->top;
    return failed;
}

CFGREV_INLINE void cfgrev_push_real(struct cfgrev_top *top, double value)
{
    *top->real++ = value;
}

CFGREV_INLINE double cfgrev_pop_real(struct cfgrev_top *top)
{
    return *--top->real;
}
#endif

#ifndef CFGREV_BITS_IS_DEFINED
#define CFGREV_BITS_IS_DEFINED
CFGREV_INLINE int cfgrev_grow_control(struct cfgrev_tape *tape, int64_t count)
{
    struct cfgrev_top *const top = &tape->top;
    const size_t used = top->control ? (size_t)(top->control - tape->control_begin) : 0;
    const size_t room = top->control ? (size_t)(top->control_end - tape->control_begin) : 512;
    const size_t most = ((size_t)-1 / 4) / sizeof *top->control;
    const size_t want = 2 * room > used + (size_t)count ? 2 * room : used + (size_t)count;
    uint64_t *cells;
    if ((uint64_t)count > most - used)
        return 1;
    cells = realloc(tape->control_begin, want * sizeof *cells);
    if (!cells)
        return 1;
    tape->control_begin = cells;
    top->control = cells + used;
    top->control_end = cells + want;
    return 0;
}

/* 0 if so many values more can be pushed. */
CFGREV_INLINE int cfgrev_room_control(struct cfgrev_top *top, struct cfgrev_tape *tape, int64_t count)
{
    int failed;
    if (top->control_end - top->control >= count)
        return 0;
    tape->top = *top;
    failed = cfgrev_grow_control(tape, count);
    *top = tape->top;
    return failed;
}

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
#endif

#ifndef CFGREV_ARENA_IS_DEFINED
#define CFGREV_ARENA_IS_DEFINED
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
#endif

#ifndef CFGREV_MARK_IS_DEFINED
#define CFGREV_MARK_IS_DEFINED
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
#endif

#ifndef CFGREV_LEVEL_IS_DEFINED
#define CFGREV_LEVEL_IS_DEFINED
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
#endif

#ifndef CFGREV_SESSION_IS_DEFINED
#define CFGREV_SESSION_IS_DEFINED
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
#endif

#ifndef CFGREV_STRONG_IS_DEFINED
#define CFGREV_STRONG_IS_DEFINED
/* Strong product: 0 if the derivative is, whatever the partial is. */
CFGREV_INLINE double cfgrev_strong(double derivative, double partial) {
    double product = derivative * partial;
    return derivative == 0.0 ? 0.0 : product;
}
#endif

/* The forward sweep of heron. Writes s. */
int heron_fwd(int64_t n, const double *a, double *s, struct cfgrev_tape *tape);
/* The reverse sweep of heron, for the last forward sweep on the tape. Adds to a_b. Turns adjoints
   at exit into those at entry: s_b. */
int heron_rev(int64_t n, const double *a, double *a_b, double *s, double *s_b,
        struct cfgrev_tape *tape);
/* heron and its gradient. Adds to a_b. Turns adjoints at exit into those at entry: s_b. Writes s.
   May be null: tape. */
int heron_grad(int64_t n, const double *a, double *a_b, double *s, double *s_b,
        struct cfgrev_tape *tape);

/* gradient of heron */
static int heron_grad_body(int64_t n, const double *restrict a, double *restrict s,
        double *restrict a_b, double *restrict s_b, struct cfgrev_tape *memory)
{
    double s_here = 0.0;
    struct cfgrev_tape *const tape = memory;
    const struct cfgrev_level level = cfgrev_level_of(tape);
    struct cfgrev_top top = tape->top;
    const struct cfgrev_mark entry = cfgrev_mark_of(&memory->work);
    double *const w = cfgrev_allocate(&memory->work, n, sizeof *w);
    if (!w)
        return 1;
    double *const w_b = cfgrev_allocate(&memory->work, n, sizeof *w_b);
    if (!w_b)
        return 1;
    s_here = 0.0;
    for (int64_t k = 0; k < n; ++k)
        w[k] = 2.0 * a[k];
    for (int64_t k = 0; k < n; ++k)
        w_b[k] = 0.0;
    double x = 0.0;
    for (int64_t i = 1; i <= n; ++i) {
        if (a[i - 1] > 0.0) {
            x = a[i - 1];
            int64_t rBound_6 = 0;
            while (fabs(x * x - a[i - 1]) > 1e-12) {
                if (cfgrev_room_real(&top, tape, 1))
                    return 1;
                cfgrev_push_real(&top, x);
                x = (x + a[i - 1] / x) / 2.0;
                rBound_6 = rBound_6 + 1;
            }
            if (cfgrev_room_control(&top, tape, 2))
                return 1;
            cfgrev_push_count(&top, rBound_6);
            s_here += x * w[i - 1];
        }
        if (a[i - 1] > 0.0) {
            double x_b = *s_b * w[i - 1];
            w_b[i - 1] += *s_b * x;
            int64_t rBound_6 = cfgrev_pop_count(&top);
            for (int64_t rCtr_6 = 1; rCtr_6 <= rBound_6; ++rCtr_6) {
                x = cfgrev_pop_real(&top);
                double b1 = x_b * (1.0 / 2.0);
                a_b[i - 1] += cfgrev_strong(b1, 1.0 / x);
                x_b = cfgrev_strong(b1, -(a[i - 1] / x / x)) + b1;
            }
            a_b[i - 1] += x_b;
        }
    }
    for (int64_t k = 0; k < n; ++k)
        a_b[k] += w_b[k] * 2.0;
    for (int64_t k = 0; k < n; ++k)
        w_b[k] = 0.0;
    *s_b = 0.0;
    *s = s_here;
    cfgrev_release(&memory->work, entry);
    tape->top = top;
    cfgrev_cut(tape, level);
    return 0;
}

/* reverse of heron */
static int heron_rev_body(int64_t n, const double *restrict a, double *restrict a_b,
        double *restrict s_b, struct cfgrev_tape *tape, struct cfgrev_tape *memory)
{
    struct cfgrev_top top = tape->top;
    const struct cfgrev_mark entry = cfgrev_mark_of(&memory->work);
    double *const w = cfgrev_allocate(&memory->work, n, sizeof *w);
    if (!w)
        return 1;
    double *const w_b = cfgrev_allocate(&memory->work, n, sizeof *w_b);
    if (!w_b)
        return 1;
    for (int64_t k = n - 1; k >= 0; --k)
        w[k] = cfgrev_pop_real(&top);
    double x = cfgrev_pop_real(&top);
    for (int64_t k = 0; k < n; ++k)
        w_b[k] = 0.0;
    for (int64_t i = n; i >= 1; --i) {
        if (a[i - 1] > 0.0) {
            double x_b = *s_b * w[i - 1];
            w_b[i - 1] += *s_b * x;
            int64_t rBound_6 = cfgrev_pop_count(&top);
            for (int64_t rCtr_6 = 1; rCtr_6 <= rBound_6; ++rCtr_6) {
                x = cfgrev_pop_real(&top);
                double b1 = x_b * (1.0 / 2.0);
                a_b[i - 1] += cfgrev_strong(b1, 1.0 / x);
                x_b = cfgrev_strong(b1, -(a[i - 1] / x / x)) + b1;
            }
            x = cfgrev_pop_real(&top);
            a_b[i - 1] += x_b;
        }
    }
    for (int64_t k = 0; k < n; ++k)
        a_b[k] += w_b[k] * 2.0;
    for (int64_t k = 0; k < n; ++k)
        w_b[k] = 0.0;
    *s_b = 0.0;
    cfgrev_release(&memory->work, entry);
    tape->top = top;
    return 0;
}

/* forward of heron */
static int heron_fwd_body(int64_t n, const double *restrict a, double *restrict s,
        struct cfgrev_tape *tape, struct cfgrev_tape *memory)
{
    double s_here = 0.0;
    struct cfgrev_top top = tape->top;
    const struct cfgrev_mark entry = cfgrev_mark_of(&memory->work);
    double *const w = cfgrev_allocate(&memory->work, n, sizeof *w);
    if (!w)
        return 1;
    s_here = 0.0;
    for (int64_t k = 0; k < n; ++k)
        w[k] = 2.0 * a[k];
    double x = 0.0;
    for (int64_t i = 1; i <= n; ++i) {
        if (a[i - 1] > 0.0) {
            if (cfgrev_room_real(&top, tape, 1))
                return 1;
            cfgrev_push_real(&top, x);
            x = a[i - 1];
            int64_t ctr_6 = 0;
            while (fabs(x * x - a[i - 1]) > 1e-12) {
                if (cfgrev_room_real(&top, tape, 1))
                    return 1;
                cfgrev_push_real(&top, x);
                x = (x + a[i - 1] / x) / 2.0;
                ctr_6 = ctr_6 + 1;
            }
            if (cfgrev_room_control(&top, tape, 2))
                return 1;
            cfgrev_push_count(&top, ctr_6);
            s_here += x * w[i - 1];
        }
    }
    if (cfgrev_room_real(&top, tape, 1))
        return 1;
    cfgrev_push_real(&top, x);
    if (cfgrev_room_real(&top, tape, n))
        return 1;
    for (int64_t k = 0; k < n; ++k)
        cfgrev_push_real(&top, w[k]);
    *s = s_here;
    cfgrev_release(&memory->work, entry);
    tape->top = top;
    return 0;
}

int heron_fwd(int64_t n, const double *a, double *s, struct cfgrev_tape *tape)
{
    const struct cfgrev_state state = cfgrev_begin(tape);
    int status = 0;
    status = heron_fwd_body(n, a, s, tape, tape);
    return cfgrev_end(tape, &state, status);
}

int heron_rev(int64_t n, const double *a, double *a_b, double *s, double *s_b,
        struct cfgrev_tape *tape)
{
    const struct cfgrev_state state = cfgrev_begin(tape);
    int status = 0;
    (void)s;
    status = heron_rev_body(n, a, a_b, s_b, tape, tape);
    return cfgrev_end(tape, &state, status);
}

int heron_grad(int64_t n, const double *a, double *a_b, double *s, double *s_b,
        struct cfgrev_tape *tape)
{
    struct cfgrev_tape own;
    if (!tape)
        own = (struct cfgrev_tape){0};
    struct cfgrev_tape *const used = tape ? tape : &own;
    const struct cfgrev_state state = cfgrev_begin(used);
    int status = 0;
    status = heron_grad_body(n, a, s, a_b, s_b, used);
    status = cfgrev_end(used, &state, status);
    if (!tape)
        cfgrev_tape_free(&own);
    return status;
}

