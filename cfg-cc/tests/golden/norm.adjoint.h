

#ifndef CFGREV_norm_globals_IS_DECLARED
#define CFGREV_norm_globals_IS_DECLARED
struct norm_globals {
    double scale;
};
#endif

struct norm_globals *norm_globals(void);

#ifndef CFGREV_norm_globals_b_IS_DECLARED
#define CFGREV_norm_globals_b_IS_DECLARED
struct norm_globals_b {
    double scale_b;
};
#endif

int norm_fwd(int64_t n, const double *x, double *y, double *norm_value, struct cfgrev_tape *tape);
int norm_rev(int64_t n, const double *x, double *x_b, double *y, double *y_b, double norm_b, struct norm_globals_b *norm_globals_b_2, struct cfgrev_tape *tape);
int norm_grad(int64_t n, const double *x, double *x_b, double *y, double *y_b, double *norm_value, double norm_b, struct norm_globals_b *norm_globals_b_2, struct cfgrev_tape *tape);
