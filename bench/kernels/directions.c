/* Times eight gradients one after the other against one in eight directions, beside C that is written for it:

       for k in burgers branchy cholesky rk4; do cfgrev reverse bench/kernels/$k/$k.cfgrev --emit c --directions > DIR/$k.c; done
       gcc -std=gnu99 -O2 -I DIR bench/kernels/directions.c -o DIR/directions -lm && DIR/directions
*/
#include "burgers.c"
#include "branchy.c"
#include "cholesky.c"
#include "rk4.c"
#include <stdio.h>
#include <time.h>
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + 1e-9*t.tv_nsec; }

enum { ND = 8 };
static double x[100000], xb[800000], l[100000], lb[800000], b[1000], bb[8000];
static struct cfgrev_tape tape;
#define TIME(NAME, PRIMAL, SINGLE, SEVERAL) do { double p = 1e9, one = 1e9, all = 1e9, t; int k, r; \
  for (r = 0; r < 30; ++r) { \
    t = now(); for (k = 0; k < ND; ++k) { SINGLE; } t = now() - t; if (t < one) one = t; \
    t = now(); { SEVERAL; } t = now() - t; if (t < all) all = t; \
    t = now(); { PRIMAL; } t = now() - t; if (t < p) p = t; } \
  printf("%-10s 8 single %8.1f us, several %8.1f us, ratio %.2f, forward sweep %.1f us\n", NAME, one*1e6, all*1e6, all/one, p*1e6); } while (0)
int main(void)
{
  double v, f, fb = 1, c_b[ND] = {0}, seed[ND]; int i;
  for (i = 0; i < ND; ++i) seed[i] = 1 + i;
  for (i = 0; i < 100000; ++i) x[i] = 0.5 + (i * 7919 % 1000) / 1000.0;
  TIME("burgers", (burgers_fwd(1000, 100, 0.05, x, &v, &tape), cfgrev_tape_free(&tape)), burgers_grad(1000, 100, 0.05, c_b, x, xb, &v, 1, &tape), burgers_grad_v(ND, 1000, 100, 0.05, c_b, x, xb, &v, seed, &tape));
  TIME("branchy", (branchy_fwd(20000, x, &v, &tape), cfgrev_tape_free(&tape)), branchy_grad(20000, x, xb, &v, 1, &tape), branchy_grad_v(ND, 20000, x, xb, &v, seed, &tape));
  TIME("rk4", (rk4_fwd(1000, 0.01, x, x+10, &v, &tape), cfgrev_tape_free(&tape)), rk4_grad(1000, 0.01, c_b, x, xb, x+10, xb+1000, &v, 1, &tape), rk4_grad_v(ND, 1000, 0.01, c_b, x, xb, x+10, xb+1000, &v, seed, &tape));
  { int n = 60, j; static double a[3600]; for (i = 0; i < n; ++i) for (j = 0; j < n; ++j) a[i*n+j] = (i == j ? 100 : 0) + 0.1*((i*j)%7); for (i = 0; i < n; ++i) b[i] = i;
  TIME("cholesky", (cholesky_fwd(n, a, b, l, &f, &tape), cfgrev_tape_free(&tape)), (fb = 1, cholesky_grad(n, a, xb, b, bb, l, lb, &f, &fb, &tape)), cholesky_grad_v(ND, n, a, xb, b, bb, l, lb, &f, seed, &tape)); }
  return 0;
}
