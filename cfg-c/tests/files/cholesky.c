//@ log_det {"n":3,"a":[4.0,1.0,0.5,1.0,3.0,0.2,0.5,0.2,5.0]}
#include <math.h>
/* Logarithm of the determinant of a positive definite matrix, stored in rows. */
double log_det(int n, double *a)
{
    double sum = 0.0;
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < j; k++)
            a[j * n + j] -= a[j * n + k] * a[j * n + k];
        a[j * n + j] = sqrt(a[j * n + j]);
        for (int i = j + 1; i < n; i++) {
            double s = a[i * n + j];
            for (int k = 0; k < j; k++)
                s -= a[i * n + k] * a[j * n + k];
            a[i * n + j] = s / a[j * n + j];
        }
        sum += 2 * log(a[j * n + j]);
    }
    return sum;
}
