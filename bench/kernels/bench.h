/* What the driver and the kernels share: points, and a description of one kernel. */
#ifndef BENCH_H
#define BENCH_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A parameter of a point: its values in storage order; a scalar has one. */
struct entry {
    char name[32];
    double *values;
    size_t size;
};

struct point {
    struct entry entries[16];
    int size;
};

/* The values of a parameter; ends the process if the point has none of this name. */
double *point_array(const struct point *point, const char *name);

/* The same for scalars. */
double point_real(const struct point *point, const char *name);
int point_integer(const struct point *point, const char *name);

/* An independent and where its gradient is added to. */
struct result {
    const char *name;
    size_t size;
    double *gradient;
};

/* One kernel, bound to a point: `bind` is called once, then `primal`, `gradient` and `emitted` as often as wanted. All
 * return the value; gradients are added to the arrays of `results`. */
struct kernel {
    const char *name;
    void (*bind)(const struct point *point);
    double (*primal)(void);
    double (*gradient)(void);
    /* The gradient of the program that cfgrev emits, or null. */
    double (*emitted)(void);
    struct result results[6];
};

extern struct kernel kernel;

/* Makes room for the gradient of the next independent, all zero, and returns it. */
double *add_result(const char *name, size_t size);

/* Memory of `size` doubles, or the end of the process. */
double *allocate(size_t size);

#ifdef __cplusplus
}
#endif

#endif
