enum { N = 5, M = 4 };
/* Implicit hydrodynamics. */
void hydro(double za[restrict N][M], const double zb[N][M], double zr)
{
    for (int j = 1; j < N - 1; j++)
        for (int k = 1; k < M - 1; k++) {
            double qa = za[j + 1][k] * zr + za[j - 1][k] * zb[j][k] + za[j][k + 1] * 0.5 + za[j][k - 1] * 0.25;
            za[j][k] += 0.175 * (qa - za[j][k]);
        }
}
