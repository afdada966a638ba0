/* The determinant of the rows from `row` on and of the columns not in `used`, expanded along its first row. */
static double expand(int n, const double *a, int row, unsigned used)
{
    double sum = 0.0;
    int place = 0;
    if (row == n)
        return 1.0;
    for (int j = 0; j < n; j++) {
        if (used >> j & 1u)
            continue;
        const double term = a[row * n + j] * expand(n, a, row + 1, used | 1u << j);
        if (place % 2 == 0)
            sum += term;
        else
            sum -= term;
        place++;
    }
    return sum;
}

/* The determinant of a square matrix, by minors. */
double det(int n, const double *a)
{
    return expand(n, a, 0, 0u);
}
