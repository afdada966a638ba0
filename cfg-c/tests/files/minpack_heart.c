//@ heart {"x":[0.3,0.6,-0.1,0.2,0.5,-0.4,0.7,0.25],"y":[0.5,-0.2,0.3,0.1,0.4,-0.6,0.2,0.15],"f":[0,0,0,0,0,0,0,0]}
/* MINPACK-2: human heart dipole. */
static double square(double x) { return x * x; }
void heart(const double x[8], const double y[8], double f[8])
{
    double a = x[0], b = x[1], c = x[2], d = x[3], t = x[4], u = x[5], v = x[6], w = x[7];
    double tv = t * t - v * v, uw = u * u - w * w;
    f[0] = a + b - y[0];
    f[1] = c + d - y[1];
    f[2] = t * a + u * b - v * c - w * d - y[2];
    f[3] = v * a + w * b + t * c + u * d - y[3];
    f[4] = a * tv - 2 * c * t * v + b * uw - 2 * d * u * w - y[4];
    f[5] = c * tv + 2 * a * t * v + d * uw + 2 * b * u * w - y[5];
    f[6] = a * t * (square(t) - 3 * square(v)) + c * v * (square(v) - 3 * square(t)) + b * u * (square(u) - 3 * square(w)) + d * w * (square(w) - 3 * square(u)) - y[6];
    f[7] = c * t * (square(t) - 3 * square(v)) - a * v * (square(v) - 3 * square(t)) + d * u * (square(u) - 3 * square(w)) - b * w * (square(w) - 3 * square(u)) - y[7];
}
