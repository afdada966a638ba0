/* The extent of an array is one expression, which nests at most 50 deep. */
#define T - 1 - 1 - 1 - 1 - 1 - 1 - 1 - 1 - 1 - 1
#define S T T T T T T
double f(int n, const double a[][n S], int i) { return a[0][i]; }
