//@ chain {"x": [1, 2, 3], "n": 3}
//@ ops {"a": 1.5, "b": 0.5, "k": 2}
//@ csr {"n": 3, "rp": [0, 2, 3, 5], "ci": [0, 2, 1, 0, 2], "v": [1, 2, 3, 4, 5], "x": [1, 0.5, 2]}
//@ perm {"x": [3, 1, 2, 5], "n": 4}
//@ lits {"x": 0.7}
//@ cols {"a": [[1,2,3],[4,5,6]], "n": 2}
//@ nexti {"x": [1, -2, 3, 0.5], "n": 4}
//@ two {"a": [1, 2, 3], "b": [4, 5, 6], "n": 3}
//@ pick {"k": 1, "x": 0.4}
//@ table_of_ops {"x": [1.5, 2.5], "ops": [0, 2, 1, 3], "n": 4}
//@ stat {"x": 0.5, "n": 3}
//@ ints {"x": 3.7, "u": 4000000000, "s": -5}
//@ window {"x": [1, 2, 3, 4, 5, 6], "n": 6, "w": 3}
//@ memo {"n": 6, "x": 0.9}
//@ dijkstra {"n": 4, "w": [[0, 1, 5, 9], [1, 0, 2, 9], [5, 2, 0, 1], [9, 9, 1, 0]]}
//@ clampi {"x": 2.3, "lo": 0, "hi": 5}
/* Idioms: chains of assignments, macros that make functions, permutations, literals, pointers to rows, jumps to the next pass, tables of functions, small interpreters. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <inttypes.h>
#include <stdbool.h>
#include <limits.h>
#include <float.h>
double chain(double *x, int n)
{
    double a, b, c;
    int i, j, k;
    a = b = c = 0.0;
    i = j = k = 0;
    for (i = 0, j = n - 1; i < n; i++, j--) a = x[i] = x[j] * (b += c = i - j);
    k = i++ + j--;
    if (k) ; else a = 1;
    (void)c;
    fprintf(stderr, "a" "b %" PRId64 " %d\n", (int64_t)k, j);
    return a + b * k + i - j + x[0];
}
#define DEFINE_OP(name, expr) static double name(double a, double b) { return (expr); }
DEFINE_OP(op_add, a + b)
DEFINE_OP(op_mul, a * b) DEFINE_OP(op_pow, pow(fabs(a), b))
#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define OP(n) CAT(op_, n)
double ops(double a, double b, int k)
{
    return k == 0 ? OP(add)(a, b) : k == 1 ? OP(mul)(a, b) : OP(pow)(a, b) + !!k * op_add(a, -b) + !(a > b);
}
double csr(int n, const int *rp, const int *ci, const double *v, const double *x)
{
    double s = 0;
    for (int i = 0; i < n; ++i) {
        double t = 0;
        for (int k = rp[i]; k < rp[i + 1]; ++k) t += v[k] * x[ci[k]];
        s += t * t;
    }
    return s;
}
double perm(const double *x, int n)
{
    int *p = malloc(n * sizeof(int)), i, j, t;
    for (i = 0; i < n; i++) p[i] = i;
    for (i = 1; i < n; i++)
        for (j = i; j > 0 && x[p[j - 1]] > x[p[j]]; j--) t = p[j], p[j] = p[j - 1], p[j - 1] = t;
    double s = 0;
    for (i = 0; i < n; i++) s += (i + 1) * x[p[i]] * x[p[i]];
    free(p);
    return s;
}
double lits(double x)
{
    return 0x1p-3 * x + 0x1.8p1 + 1e-3f * x + 010 * x + 0xFFu * x + 'A' * x + '\n' + .5 + 5. + 1.5L * x + 1e2 + INT_MAX * 1e-10 + DBL_EPSILON + 100ULL * x + \
        '\x41' /* continued // line */ * x; // end
}
double cols(double a[][3], int n)
{
    double s = 0, (*r)[3];
    for (r = a; r < a + n; ++r) {
        double *p = *r, *q = &(*r)[2];
        s += *p * *q - p[1];
        (*r)[1] = s;
    }
    return s + a[n - 1][1] * **a;
}
double nexti(const double *x, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            if (x[j] < 0) goto next;
            if (x[i] * x[j] > 5) { s -= 1; goto done; }
            s += x[i] * x[j];
        }
        s *= 2;
    next:
        s += 0.1 * x[i];
    }
done:;
    return s;
}
double two(const double *a, const double *b, int n)
{
    double s = 1;
    for (const double *p = a, *q = b + n; p < a + n && q > b; p++) { --q; s = s * *p / *q; }
    return s;
}
typedef double unary(double);
static unary *const fs[] = { sin, cos, &exp };
double pick(int k, double x)
{
    unary *f = fs[k], *g = k > 0 ? sqrt : fabs;
    double (*h)(double) = (k & 1) ? tanh : log;
    return f(x) * (*g)(x) - (**h)(x) + fs[2](x);
}
typedef enum { ADD, MUL, DUP, NEG } opcode;
double table_of_ops(const double *x, const int *ops, int n)
{
    double st[8];
    int sp = 0;
    st[sp++] = x[0]; st[sp++] = x[1]; st[sp++] = x[0] * x[1];
    for (int pc = 0; pc < n; pc++) switch ((opcode)ops[pc]) {
    case ADD: sp--; st[sp - 1] += st[sp]; break;
    case MUL: { double t = st[--sp]; st[sp - 1] *= t; } break;
    case DUP: st[sp] = st[sp - 1]; sp++; break;
    case NEG: st[sp - 1] = -st[sp - 1]; break;
    }
    return st[--sp];
}
static double *scratch(void) { static double buf[4]; return buf; }
double stat(double x, int n)
{
    static const char *const who = "stat";
    double *b = scratch();
    for (int i = 0; i < n; i++) b[i] = x * (i + 1);
    double *c = scratch();
    if (n < 0) fprintf(stderr, "%s\n", who);
    return b[0] + c[n - 1] * c[0];
}
double ints(double x, unsigned u, int s)
{
    int q = (int)x, r = s / 2, m = s % 3;
    unsigned v = u + u, w = -1;
    long l = u;
    signed char c = (signed char)(q * 100);
    unsigned short h = (unsigned short)s;
    return x * q + r + m + v * 1e-9 + (w == UINT_MAX) + l * 1e-9 * x + c + h * 1e-3 + (s < 0u ? 1 : 2) + (s >> 1) + (u >> 3 & 7) * x;
}
double window(const double *x, int n, int w)
{
    double best = -DBL_MAX, s = 0;
    for (int i = 0; i < n; i++) {
        s += x[i];
        if (i >= w) s -= x[i - w];
        if (i >= w - 1 && s > best) best = s;
    }
    return best / w;
}
double memo(int n, double x)
{
    double f[32] = { 1, [1] = x };
    bool done[32] = { true, true };
    for (int i = 2; i <= n; i++) if (!done[i]) { f[i] = x * f[i - 1] + sin(f[i - 2]); done[i] = true; }
    return f[n];
}
double dijkstra(int n, double w[4][4])
{
    double d[4];
    int seen[4];
    memset(seen, 0, sizeof seen);
    for (int i = 0; i < n; i++) d[i] = i ? HUGE_VAL : 0;
    for (int it = 0; it < n; it++) {
        int u = -1;
        for (int i = 0; i < n; i++) if (!seen[i] && (u < 0 || d[i] < d[u])) u = i;
        seen[u] = 1;
        for (int i = 0; i < n; i++) if (i != u && d[u] + w[u][i] < d[i]) d[i] = d[u] + w[u][i];
    }
    return d[n - 1] * d[1];
}
double clampi(double x, int lo, int hi)
{
    int i = floor(x);
    i = i < lo ? lo : i > hi ? hi : i;
    double f = x - i;
    return (1 - f) * i * i + f * (i + 1) * (i + 1);
}
