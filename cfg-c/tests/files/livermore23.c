//@ hydro {"za":[[1.0,2.0,3.0,4.0],[0.5,0.6,0.7,0.8],[1.1,1.2,1.3,1.4],[2.1,2.2,2.3,2.4],[0.1,0.2,0.3,0.4]],"zb":[[1.0,2.0,3.0,4.0],[0.5,0.6,0.7,0.8],[1.1,1.2,1.3,1.4],[2.1,2.2,2.3,2.4],[0.1,0.2,0.3,0.4]],"zr":0.3}
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
