//@ hydro2d {"jn":3,"kn":3,"za":[[0,0,0],[0,0,0],[0,0,0]],"zb":[[0,0,0],[0,0,0],[0,0,0]],"zm":[[1.1,1.2,1.3],[1.4,1.5,1.6],[1.7,1.8,1.9]],"zp":[[0.5,0.7,0.9],[1.1,1.4,1.2],[0.8,0.6,1.5]],"zq":[[0.2,0.1,0.3],[0.25,0.35,0.15],[0.4,0.2,0.1]],"zr":[[1,2,3],[2.5,1.5,0.5],[1.25,2.25,3.25]],"zu":[[0,0.5,0.25],[0.1,0.2,0.3],[0.4,0.3,0.2]],"zv":[[0.3,0.2,0.1],[0.1,0.15,0.2],[0.25,0.05,0.1]],"zz":[[1,1.5,2],[2,2.5,1],[0.5,1,1.5]]}
/* Livermore loop 18: two-dimensional explicit hydrodynamics. */
void hydro2d(int jn, int kn, double za[kn][jn], double zb[kn][jn], const double zm[kn][jn], const double zp[kn][jn], const double zq[kn][jn], double zr[kn][jn], double zu[kn][jn], double zv[kn][jn], double zz[kn][jn])
{
    double t = 0.0037, s = 0.0041;
    for (int k = 1; k < kn - 1; k++)
        for (int j = 1; j < jn; j++) {
            za[k][j] = (zp[k + 1][j - 1] + zq[k + 1][j - 1] - zp[k][j - 1] - zq[k][j - 1]) * (zr[k][j] + zr[k][j - 1]) / (zm[k][j - 1] + zm[k + 1][j - 1]);
            zb[k][j] = (zp[k][j - 1] + zq[k][j - 1] - zp[k][j] - zq[k][j]) * (zr[k][j] + zr[k - 1][j]) / (zm[k][j] + zm[k][j - 1]);
        }
    for (int k = 1; k < kn - 1; k++)
        for (int j = 1; j < jn - 1; j++) {
            zu[k][j] += s * (za[k][j] * (zz[k][j] - zz[k][j + 1]) - za[k][j - 1] * (zz[k][j] - zz[k][j - 1]) - zb[k][j] * (zz[k][j] - zz[k - 1][j]) + zb[k + 1][j] * (zz[k][j] - zz[k + 1][j]));
            zv[k][j] += s * (za[k][j] * (zr[k][j] - zr[k][j + 1]) - za[k][j - 1] * (zr[k][j] - zr[k][j - 1]) - zb[k][j] * (zr[k][j] - zr[k - 1][j]) + zb[k + 1][j] * (zr[k][j] - zr[k + 1][j]));
        }
    for (int k = 1; k < kn - 1; k++)
        for (int j = 1; j < jn - 1; j++) {
            zr[k][j] = zr[k][j] + t * zu[k][j];
            zz[k][j] = zz[k][j] + t * zv[k][j];
        }
}
