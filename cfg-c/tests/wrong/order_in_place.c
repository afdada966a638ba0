/* Calls of functions that take or return pointers stand before the expression: nothing to the left may read what they change.
   The list keeps pointers from being values. */
struct vec { int n; double *d; }; struct link { double v; struct link *next; };
static double pop(struct vec *v) { return v->d[--v->n]; }
static double *moved(double **p, double *w) { *w *= 2; return (*p)++; }
static double *at(double *r, int k, double t) { r[k] += t; return r + k; }
static double member(int n, double *x) { struct vec v = {n, x}; return v.n * pop(&v); }
static double behind(double *x) { double w = x[1]; double *p = x; return w * *moved(&p, &w); }
static double argument(double *x, int i) { return *at(x, i, i++ ? 1 : 2); }
static double operand(double *x, int i) { return *at(x, i++, 1.0) * i; }
double f(int n, double *x, const struct link *list) { return list->v * (member(n, x) + behind(x) + argument(x, 1) + operand(x, 1)); }
