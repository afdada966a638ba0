//@ kept {"x":1.5}
/* Structures that are 0 at first, as C has it: one of the file, one that is kept between calls, an array of them. */
struct sum { double value, part[2]; int count; };
struct sum total;
static struct sum each[3];
static double add(double x)
{
    static struct sum own;
    own.value += x * x;
    own.part[own.count % 2] += x;
    own.count++;
    total.value += own.value * x + own.part[1];
    each[own.count % 3].part[0] += own.part[0] * x;
    return own.value;
}
double kept(double x)
{
    double s = 0;
    for (int k = 0; k < 4; k++)
        s += add(x + 0.5 * k) * total.value + each[k % 3].part[0] + each[2].value;
    return s;
}
