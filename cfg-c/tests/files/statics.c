//@ counted {"n":3,"x":[1.5,2.5,0.5]}
//@ table {"k":1,"x":1.5}
//@ rows {"k":2,"x":1.5}
//@ shared {"n":2,"x":[1.5,2.5]}
static int calls = 2;
static double weights[3] = {0.5, [2] = 1.5};
double total[2][2];
static const double pi = 3.25 - 0.5 / 4;
enum { N = 3 };
static const int sizes[] = {1, N, N * N};
static double next(double x)
{
    static double last = 1, seen[2] = {0.25};
    double v = last * x + seen[0];
    seen[0] = seen[1];
    seen[1] = v;
    last = x;
    return v * ++calls;
}
double counted(int n, const double *x)
{
    double s = 0;
    for (int i = 0; i < n; i++) s += next(x[i]) * weights[i];
    return s * calls;
}
double table(int k, double x)
{
    double s = pi * x;
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) if (sizes[i] > k) s += x * x * sizes[i];
    return s;
}
typedef struct { double c[2]; int order; } Row;
static const Row rows_[] = {{{0.5, 1.5}, 1}, {.order = 2, .c = {[1] = 2.5}}, {{3}, 0}};
static Row first = {{1.25}, 4};
static double use(const Row *r, double x) { return r->c[0] + r->c[1] * x * r->order; }
double rows(int k, double x)
{
    static const struct { double scale; } s = {0.75};
    double t = 0;
    for (const Row *r = rows_; r < rows_ + sizeof rows_ / sizeof *rows_; r++) t += use(r, x) * s.scale;
    return t * use(&rows_[k % 3], t) + first.c[0] * x * first.order;
}
static void add(int i, int j, double v) { total[i][j] += v; weights[j] *= v; }
double shared(int n, const double *x)
{
    total[0][1] = 1;
    for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) add(i, j, x[i] * x[j]);
    return total[0][0] * total[0][1] + total[1][1] * weights[0] + weights[2];
}
