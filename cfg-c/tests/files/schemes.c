//@ burgers {"u": [1, 0.8, 0.5, 0.3, 0.1], "n": 5, "dt": 0.1, "steps": 3}
//@ minmod3 {"a": 1.0, "b": 0.5, "c": 2.0}
//@ weno {"v": [1, 1.1, 1.3, 1.2, 0.9]}
//@ logsumexp {"x": [1, 2, 3], "n": 3}
//@ softplus {"x": 0.3}
//@ quat {"q": [1, 0.2, 0.3, 0.1], "v": [1, 2, 3]}
//@ hypergeo {"a": 0.5, "b": 1.5, "c": 2.5, "z": 0.3}
//@ clamp {"x": [0.1, 2.5, -3, 0.7], "n": 4, "lo": -1, "hi": 1}
//@ linterp {"xs": [0, 1, 2, 4], "ys": [1, 3, 2, 5], "n": 4, "x": 2.7}
//@ romberg {"a": 0, "b": 1.5, "p": 0.7}
//@ polyroot {"c": [-6, 11, -6, 1], "n": 3}
//@ bits {"x": 0.7, "n": 13}
//@ heap {"x": [5, 3, 8, 1, 9, 2], "n": 6}
//@ conv {"x": [1, 2, 3, 4], "n": 4, "h": [1, -1, 0.5], "m": 3, "y": [0, 0, 0, 0, 0, 0]}
//@ tableau {"y0": [1, 0.5], "h": 0.1}
//@ fl {"x": 0.3, "k": 3}
/* Numerical schemes with small helper functions. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <stdbool.h>
#define NMAX 64
#define FOR(i, n) for (int i = 0; i < (n); ++i)
typedef double real;
static inline real sq(real x) { return x * x; }
static inline real sgn(real x) { return (x > 0) - (x < 0); }
real burgers(real *u, int n, real dt, int steps)
{
    real f[NMAX + 1], *un = malloc(sizeof(real[n]));
    do {
        for (int i = 0; i <= n; i++) {
            real ul = u[(i + n - 1) % n], ur = u[i % n];
            f[i] = ul > ur ? (0.5 * (ul + ur) > 0 ? 0.5 * ul * ul : 0.5 * ur * ur) : ul > 0 ? 0.5 * ul * ul : ur < 0 ? 0.5 * ur * ur : 0;
        }
        for (int i = 0; i < n; i++) un[i] = u[i] - dt * (f[i + 1] - f[i]);
        memcpy(u, un, n * sizeof(real));
    } while (--steps);
    free(un);
    real tv = 0;
    for (int i = 1; i < n; i++) tv += fabs(u[i] - u[i - 1]);
    return tv;
}
real minmod3(real a, real b, real c)
{
    return sgn(a) == sgn(b) && sgn(b) == sgn(c) ? sgn(a) * fmin(fabs(a), fmin(fabs(b), fabs(c))) : 0.0;
}
real weno(const real v[5])
{
    static const real d[3] = {0.1, 0.6, 0.3};
    const real eps = 1e-6;
    real q[3], beta[3], w[3], s = 0, r = 0;
    q[0] = (2 * v[0] - 7 * v[1] + 11 * v[2]) / 6;
    q[1] = (-v[1] + 5 * v[2] + 2 * v[3]) / 6;
    q[2] = (2 * v[2] + 5 * v[3] - v[4]) / 6;
    beta[0] = 13. / 12 * sq(v[0] - 2 * v[1] + v[2]) + .25 * sq(v[0] - 4 * v[1] + 3 * v[2]);
    beta[1] = 13. / 12 * sq(v[1] - 2 * v[2] + v[3]) + .25 * sq(v[1] - v[3]);
    beta[2] = 13. / 12 * sq(v[2] - 2 * v[3] + v[4]) + .25 * sq(3 * v[2] - 4 * v[3] + v[4]);
    FOR(k, 3) s += w[k] = d[k] / sq(eps + beta[k]);
    FOR(k, 3) r += w[k] / s * q[k];
    return r;
}
real logsumexp(const real *x, int n)
{
    real m = -INFINITY, s = 0;
    FOR(i, n) if (x[i] > m) m = x[i];
    if (isinf(m)) return m;
    FOR(i, n) s += exp(x[i] - m);
    return m + log(s);
}
real softplus(real x) { return x > 30 ? x : x < -30 ? exp(x) : log1p(exp(x)); }
typedef struct { real w; struct { real x, y, z; } v; } quat_t;
static quat_t qmul(quat_t a, quat_t b)
{
    quat_t r = { .w = a.w * b.w - a.v.x * b.v.x - a.v.y * b.v.y - a.v.z * b.v.z };
    r.v.x = a.w * b.v.x + b.w * a.v.x + a.v.y * b.v.z - a.v.z * b.v.y;
    r.v.y = a.w * b.v.y + b.w * a.v.y + a.v.z * b.v.x - a.v.x * b.v.z;
    r.v.z = a.w * b.v.z + b.w * a.v.z + a.v.x * b.v.y - a.v.y * b.v.x;
    return r;
}
static quat_t qconj(quat_t a) { a.v.x = -a.v.x, a.v.y = -a.v.y, a.v.z = -a.v.z; return a; }
real quat(const real q[4], const real v[3])
{
    quat_t a = {q[0], {q[1], q[2], q[3]}}, p = {0, {v[0], v[1], v[2]}};
    quat_t r = qmul(qmul(a, p), qconj(a));
    return r.v.x + 2 * r.v.y - r.v.z * r.w;
}
real hypergeo(real a, real b, real c, real z)
{
    real term = 1, sum = 1;
    for (int n = 0; fabs(term) > 1e-15 * fabs(sum) && n < 500; n++)
        sum += term *= (a + n) * (b + n) / ((c + n) * (1 + n)) * z;
    return sum;
}
void clamp(real *x, size_t n, real lo, real hi)
{
    for (size_t i = 0; i < n; ++i) {
        if (x[i] < lo) { x[i] = lo; continue; }
        if (x[i] > hi) x[i] = hi;
        else x[i] *= x[i];
    }
}
real linterp(const real *xs, const real *ys, int n, real x)
{
    int lo = 0, hi = n - 1;
    while (hi - lo > 1) { int mid = (lo + hi) >> 1; if (xs[mid] > x) hi = mid; else lo = mid; }
    return ys[lo] + (ys[hi] - ys[lo]) * (x - xs[lo]) / (xs[hi] - xs[lo]);
}
real romberg(real a, real b, real p)
{
    real R[6][6] = {{0}}, h = b - a;
    R[0][0] = h / 2 * (pow(a + 1, p) + pow(b + 1, p));
    for (int i = 1; i < 6; i++) {
        real s = 0;
        h /= 2;
        for (int k = 1; k < 1 << i; k += 2) s += pow(a + k * h + 1, p);
        R[i][0] = R[i - 1][0] / 2 + h * s;
        long f = 1;
        for (int j = 1; j <= i; j++) { f *= 4; R[i][j] = R[i][j - 1] + (R[i][j - 1] - R[i - 1][j - 1]) / (f - 1); }
        if (i > 2 && fabs(R[i][i] - R[i - 1][i - 1]) < 1e-9) return R[i][i];
    }
    return R[5][5];
}
real polyroot(const real *c, int n)
{
    real x = 0.3;
    for (int it = 0; it < 40; ++it) {
        real p = c[n], dp = 0;
        for (int k = n - 1; k >= 0; --k) dp = dp * x + p, p = p * x + c[k];
        if (fabs(p) < 1e-13) break;
        x -= p / dp;
    }
    return x;
}
real bits(real x, unsigned n)
{
    real r = 1, b = x;
    for (; n; n >>= 1, b *= b) if (n & 1u) r *= b;
    return r;
}
static void sift(real *a, int start, int end)
{
    int root = start;
    while (root * 2 + 1 <= end) {
        int child = root * 2 + 1;
        if (child + 1 <= end && a[child] < a[child + 1]) child++;
        if (a[root] < a[child]) { real t = a[root]; a[root] = a[child]; a[child] = t; root = child; }
        else return;
    }
}
real heap(real *x, int n)
{
    for (int s = (n - 2) / 2; s >= 0; s--) sift(x, s, n - 1);
    for (int e = n - 1; e > 0; ) { real t = x[e]; x[e] = x[0]; x[0] = t; sift(x, 0, --e); }
    real r = 0;
    FOR(i, n) r += i * x[i] * x[i];
    return r;
}
void conv(const real *restrict x, int n, const real *restrict h, int m, real *restrict y)
{
    memset(y, 0, (n + m - 1) * sizeof *y);
    for (const real *p = x; p < x + n; p++)
        for (int k = 0; k < m; k++) y[(p - x) + k] += *p * h[k];
}
static const struct { int s; real c[4]; real a[4][4]; real b[4]; } rk = {
    4, {0, .5, .5, 1}, {{0}, {.5}, {0, .5}, {0, 0, 1}}, {1. / 6, 1. / 3, 1. / 3, 1. / 6}
};
real tableau(const real y0[2], real h)
{
    real k[4][2], y[2];
    for (int i = 0; i < rk.s; i++) {
        y[0] = y0[0]; y[1] = y0[1];
        for (int j = 0; j < i; j++) for (int d = 0; d < 2; d++) y[d] += h * rk.a[i][j] * k[j][d];
        k[i][0] = y[1] * (1 + rk.c[i] * h);
        k[i][1] = -sin(y[0]);
    }
    y[0] = y0[0]; y[1] = y0[1];
    FOR(i, rk.s) FOR(d, 2) y[d] += h * rk.b[i] * k[i][d];
    return y[0] * y[1];
}
real fl(real x, int k)
{
    float f = x; int i = x * 10; unsigned char c = 250 + k; short s = (short)(k * 30000);
    long double ld = x; bool b = x;
    f += 0.1; i /= 2; c += 7; s >>= 1;
    return f + i * x + c * 0.001 * x + s * 1e-6 * x + (real)ld * b + 5 / 2 * x + (k / 2.0f) * x + 'a' * x + (k > 2 ? 1 : 2.5) * x;
}
