#include <stdio.h>
#include <stdlib.h>
static double *read_data(const char *path, int *n)
{
    FILE *fp = fopen(path, "r");
    if (!fp) return NULL;
    fscanf(fp, "%d", n);
    double *d = malloc(*n * sizeof *d);
    for (int i = 0; i < *n; i++) fscanf(fp, "%lf", &d[i]);
    fclose(fp);
    return d;
}
double f(double a)
{
    int n;
    double *d = read_data("data.txt", &n), s = 0;
    for (int i = 0; i < n; i++) s += a * d[i];
    return s;
}
