typedef struct { int n; double *w; double b; } layer;
double f(const double *p, double x)
{
    layer ls[2];
    double buffer[6], h = x;
    for (int i = 0; i < 6; i++) buffer[i] = p[i];
    for (int k = 0; k < 2; k++) { ls[k].n = 3; ls[k].w = buffer + 3 * k; ls[k].b = p[6 + k]; }
    for (int k = 0; k < 2; k++) {
        double s = ls[k].b;
        for (int i = 0; i < ls[k].n; i++) s += ls[k].w[i] * h;
        h = s / (1 + s * s);
    }
    return h;
}
