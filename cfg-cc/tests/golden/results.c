/* Written by cfgrev. */

#include <math.h>
#include "cfgrev_tape.h"

void constant(const double *restrict x, double *restrict constant_value);
int computed(int64_t n, const double *restrict x, double *computed_value);
int chosen(int64_t x_extent1, const double *restrict x, double f_value_extent1,
        int64_t chosen_value_extent1, double *chosen_value);
int signs(int64_t n, const double *restrict x, bool *signs_value);
int recorded(int64_t n, const double *restrict x, struct cfgrev_tape *t, double *recorded_value);

static int recorded_body(int64_t n, const double *restrict x, struct cfgrev_tape *t,
        double **recorded_value, int64_t *recorded_value_extents, struct cfgrev_tape *memory)
{
    double *const r = cfgrev_allocate(&memory->work, n, sizeof *r);
    if (!r)
        return 1;
    int64_t extent = 0;
    (void)extent;
    if (cfgrev_room_real(&t->top, t, 1))
        return 1;
    cfgrev_push_real(&t->top, x[0]);
    extent = cfgrev_trips(n, 1, -1);
    for (int64_t k = 0; k < n; ++k)
        r[k] = x[n + k*-1 - 1];
    *recorded_value = r;
    recorded_value_extents[0] = n > 0 ? n : 0;
    return 0;
}

static int signs_body(int64_t n, const double *restrict x, bool **signs_value,
        int64_t *signs_value_extents, struct cfgrev_tape *memory)
{
    bool *const b = cfgrev_allocate(&memory->work, n, sizeof *b);
    if (!b)
        return 1;
    for (int64_t k = 0; k < n; ++k)
        b[k] = false;
    for (int64_t i = 2; i <= n; ++i)
        b[i - 1] = x[i - 1] > 0.0;
    *signs_value = b;
    signs_value_extents[0] = n > 0 ? n : 0;
    return 0;
}

static int chosen_body(int64_t x_extent1, const double *restrict x, double f_value_extent1,
        double **chosen_value, int64_t *chosen_value_extents, struct cfgrev_tape *memory)
{
    double *r = NULL;
    int64_t r_extent1 = 0, r_room = 0;
    const struct cfgrev_mark entry = cfgrev_mark_of(&memory->arrays);
    {
        const struct cfgrev_mark mark = cfgrev_mark_of(&memory->work);
        int64_t extent = (x_extent1 > 0 ? x_extent1 : 0) - 1;
        double *const w = cfgrev_allocate(&memory->work, extent, sizeof *w);
        if (!w)
            return 1;
        for (int64_t k = 0; k < extent; ++k)
            w[k] = 0.0;
        r_extent1 = extent > 0 ? extent : 0;
        if (!r || r_room < r_extent1) {
            r_room = r_extent1 > 2*r_room ? r_extent1 : 2*r_room;
            r = cfgrev_allocate(&memory->arrays, r_room, sizeof(double));
            if (!r)
                return 1;
        }
        for (int64_t k = 0; k < r_extent1; ++k)
            r[k] = w[k];
        cfgrev_release(&memory->work, mark);
    }
    int64_t last = x_extent1 > 0 ? x_extent1 : 0;
    int64_t i;
    for (i = 2; i < last; i += 2) {
        r[i - 2] = x[i - 1] - x[i - 2] + f_value_extent1;
        r[i - 1] = x[i] - x[i - 1] + f_value_extent1;
    }
    if (i <= last)
        r[i - 2] = x[i - 1] - x[i - 2] + f_value_extent1;
    *chosen_value = cfgrev_allocate(&memory->work, r_extent1, sizeof(double));
    if (!*chosen_value)
        return 1;
    for (int64_t k = 0; k < r_extent1; ++k)
        (*chosen_value)[k] = r[k];
    chosen_value_extents[0] = r_extent1;
    cfgrev_release(&memory->arrays, entry);
    return 0;
}

static int computed_body(int64_t n, const double *restrict x, double **computed_value,
        int64_t *computed_value_extents, struct cfgrev_tape *memory)
{
    double *const r = cfgrev_allocate(&memory->work, (n > 0 ? n : 0)*2, sizeof *r);
    if (!r)
        return 1;
    for (int64_t k = 0; k < n; ++k)
        r[k] = x[k];
    for (int64_t k = 0; k < n; ++k)
        r[n + k] = 2.0 * x[k];
    *computed_value = r;
    computed_value_extents[0] = n > 0 ? n : 0;
    computed_value_extents[1] = 2;
    return 0;
}

void constant(const double *restrict x, double *restrict constant_value)
{
    constant_value[0] = x[0] * x[0];
    constant_value[1] = x[1] * x[1];
    constant_value[2] = x[2] * x[2];
    constant_value[1] = x[0] * x[2];
}

int computed(int64_t n, const double *restrict x, double *computed_value)
{
    struct cfgrev_tape memory = {0};
    double *cells = NULL;
    int64_t extents[2] = {0};
    int status = computed_body(n, x, &cells, extents, &memory);
    for (int64_t k = 0; !status && k < extents[0]*extents[1]; ++k)
        computed_value[k] = cells[k];
    cfgrev_tape_free(&memory);
    return status;
}

int chosen(int64_t x_extent1, const double *restrict x, double f_value_extent1,
        int64_t chosen_value_extent1, double *chosen_value)
{
    struct cfgrev_tape memory = {0};
    double *cells = NULL;
    int64_t extents[1] = {0};
    int status = chosen_body(x_extent1, x, f_value_extent1, &cells, extents, &memory);
    if (!status && (extents[0] != chosen_value_extent1)) {
        status = 4;
    }
    for (int64_t k = 0; !status && k < extents[0]; ++k)
        chosen_value[k] = cells[k];
    cfgrev_tape_free(&memory);
    return status;
}

int signs(int64_t n, const double *restrict x, bool *signs_value)
{
    struct cfgrev_tape memory = {0};
    bool *cells = NULL;
    int64_t extents[1] = {0};
    int status = signs_body(n, x, &cells, extents, &memory);
    for (int64_t k = 0; !status && k < extents[0]; ++k)
        signs_value[k] = cells[k];
    cfgrev_tape_free(&memory);
    return status;
}

int recorded(int64_t n, const double *restrict x, struct cfgrev_tape *t, double *recorded_value)
{
    double *cells = NULL;
    int64_t extents[1] = {0};
    const struct cfgrev_mark mark = cfgrev_mark_of(&t->work);
    int status = recorded_body(n, x, t, &cells, extents, t);
    for (int64_t k = 0; !status && k < extents[0]; ++k)
        recorded_value[k] = cells[k];
    cfgrev_release(&t->work, mark);
    return status;
}

