#include "seidel.h"

/* One sweep reversed in place: g is the adjoint of the grid after it, then before it.
 *
 * The adjoint of a new element j is s[j] = (g[j] + s[j + 1]) / 9, which waits for the one to its right: a row is
 * solved from the right, four elements at a time, so that what waits is one multiplication and one addition for the
 * four. All that s gives to the neighbours is gathered in registers, and each element of the three rows is written
 * once for each row. */
static void back(int n, double *restrict g)
{
    const double c = 1.0 / 9.0, c2 = c * c, c3 = c2 * c, c4 = c2 * c2;
    for (int i = n - 2; i > 0; i--) {
        double *restrict row = g + i * n, *restrict above = row - n, *restrict below = row + n;
        const double edge = row[n - 1];
        double s1 = 0.0, s2 = 0.0; /* of j + 1 and j + 2 */
        int j = n - 2;
        for (; j > 3; j -= 4) {
            const double p0 = c * row[j], p1 = c * row[j - 1] + c2 * row[j];
            const double p2 = c * row[j - 2] + c * p1, p3 = c * row[j - 3] + c * p2;
            const double r0 = p0 + c * s1, r1 = p1 + c2 * s1, r2 = p2 + c3 * s1, r3 = p3 + c4 * s1;
            const double t0 = r0 + s1, t1 = r1 + r0, t2 = r2 + r1, t3 = r3 + r2;
            row[j + 1] = t0;
            row[j] = t1;
            row[j - 1] = t2;
            row[j - 2] = t3;
            above[j + 1] += t0 + s2;
            above[j] += t1 + s1;
            above[j - 1] += t2 + r0;
            above[j - 2] += t3 + r1;
            below[j + 1] += t0 + s2;
            below[j] += t1 + s1;
            below[j - 1] += t2 + r0;
            below[j - 2] += t3 + r1;
            s2 = r2;
            s1 = r3;
        }
        for (; j > 0; j--) {
            const double s = c * row[j] + c * s1, t = s + s1;
            row[j + 1] = t;
            above[j + 1] += t + s2;
            below[j + 1] += t + s2;
            s2 = s1;
            s1 = s;
        }
        row[n - 1] += edge;
        row[1] = s1;
        above[1] += s1 + s2;
        below[1] += s1 + s2;
        row[0] += s1;
        above[0] += s1;
        below[0] += s1;
    }
}

void seidel_grad(int n, int sweeps, const double *restrict u0, double *restrict u0_b, double *restrict u,
                 double *restrict u_b, double *restrict f)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            u[i * n + j] = u0[i * n + j];
    for (int t = 0; t < sweeps; t++)
        for (int i = 1; i < n - 1; i++) {
            double *row = u + i * n, *above = row - n, *below = row + n;
            for (int j = 1; j < n - 1; j++)
                row[j] = (above[j - 1] + above[j] + above[j + 1] + row[j - 1] + row[j] + row[j + 1] + below[j - 1]
                          + below[j] + below[j + 1]) / 9.0;
        }
    double value = 0.0;
    for (int i = 0; i < n * n; i++) {
        value += 0.5 * u[i] * u[i];
        u_b[i] = u[i];
    }
    *f = value;
    if (n > 2)
        for (int t = 0; t < sweeps; t++)
            back(n, u_b);
    for (int i = 0; i < n * n; i++)
        u0_b[i] += u_b[i];
}
