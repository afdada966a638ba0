//@ torsion {"nx":3,"ny":2,"x":[0.1,0.2,0.15,0.3,0.25,0.05],"c":5.0}
/* MINPACK-2: elastic-plastic torsion. */
double torsion(int nx, int ny, const double *x, double c)
{
    double hx = 1.0 / (nx + 1), hy = 1.0 / (ny + 1), area = 0.5 * hx * hy, quad = 0, lin = 0;
    for (int j = -1; j < ny; j++)
        for (int i = -1; i < nx; i++) {
            int k = nx * j + i;
            double v = 0, vr = 0, vt = 0;
            if (i >= 0 && j >= 0) v = x[k];
            if (i < nx - 1 && j > -1) vr = x[k + 1];
            if (i > -1 && j < ny - 1) vt = x[k + nx];
            double dx = (vr - v) / hx, dy = (vt - v) / hy;
            quad += dx * dx + dy * dy;
            lin -= v + vr + vt;
        }
    for (int j = 0; j <= ny; j++)
        for (int i = 0; i <= nx; i++) {
            int k = nx * j + i;
            double vb = 0, vl = 0, v = 0;
            if (i < nx && j > 0) vb = x[k - nx];
            if (i > 0 && j < ny) vl = x[k - 1];
            if (i < nx && j < ny) v = x[k];
            double dx = (v - vl) / hx, dy = (v - vb) / hy;
            quad += dx * dx + dy * dy;
            lin -= vb + vl + v;
        }
    return area * (0.5 * quad + c * lin / 3.0);
}
