//@ casual {"ng":4,"nz":5,"vy":[[0,0,0,0],[0,0,0,0],[0,0,0,0],[0,0,0,0],[0,0,0,0]],"vs":[[0,0,0,0],[0,0,0,0],[0,0,0,0],[0,0,0,0],[0,0,0,0]],"vh":[[1,2,3,4],[1.5,2.5,1.25,4.5],[3,1,2,0.5],[2,3.5,1,1.75],[1,1.1,1.2,1.3]],"vf":[[1,0.5,0.25,1.5],[0.75,1.25,2,0.3],[1.1,0.9,0.8,0.7],[0.6,0.5,1.4,1.3],[1.2,1.1,1,0.9]],"vg":[[0.5,1.5,2.5,0.25],[1.25,0.75,0.6,0.7],[0.8,0.9,1.9,1.1],[1.3,1.7,0.2,0.4],[0.45,0.55,0.65,0.85]]}
/* Livermore loop 15: casual Fortran, with its jumps. */
#include <math.h>
void casual(int ng, int nz, double vy[nz][ng], double vs[nz][ng], const double vh[nz][ng], const double vf[nz][ng], const double vg[nz][ng])
{
    double r, s, t, ar = 0.053, br = 0.073;
    for (int j = 1; j < ng; j++) {
        for (int k = 1; k < nz; k++) {
            if (j + 1 >= ng) { vy[k][j] = 0.0; continue; }
            if (vh[k][j + 1] > vh[k][j]) t = ar; else t = br;
            if (vf[k][j] < vf[k - 1][j]) {
                if (vh[k - 1][j] > vh[k - 1][j + 1]) r = vh[k - 1][j]; else r = vh[k - 1][j + 1];
                s = vf[k - 1][j];
            } else {
                if (vh[k][j] > vh[k][j + 1]) r = vh[k][j]; else r = vh[k][j + 1];
                s = vf[k][j];
            }
            vy[k][j] = sqrt(vg[k][j] * vg[k][j] + r * r) * t / s;
            if (k + 1 >= nz) { vs[k][j] = 0.0; continue; }
            if (vf[k][j] < vf[k][j - 1]) {
                if (vg[k][j - 1] > vg[k + 1][j - 1]) r = vg[k][j - 1]; else r = vg[k + 1][j - 1];
                s = vf[k][j - 1];
                t = br;
            } else {
                if (vg[k][j] > vg[k + 1][j]) r = vg[k][j]; else r = vg[k + 1][j];
                s = vf[k][j];
                t = ar;
            }
            vs[k][j] = sqrt(vh[k][j] * vh[k][j] + r * r) * t / s;
        }
    }
}
