#define square(x) _Generic((x), float: square_of_float, default: square_of_double)(x)
static double square_of_double(double x) { return x*x; }
static float square_of_float(float x) { return x*x; }
double f(double x) { return square(x) + _Generic(x, float: 1.0f, double: 2.0); }
