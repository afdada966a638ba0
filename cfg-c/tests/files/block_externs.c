//@ through_a_block {"x":1.7}
//@ read_in_a_block {"x":0.6}
//@ past_a_local {"x":1.3}
//@ twice {"x":0.8}
/* Variables of the file that blocks declare again. */
double kept;

static void set(double v)
{
    extern double kept;
    kept = v * v;
}

double through_a_block(double x)
{
    kept = x;
    set(x);
    return kept * x;
}

double read_in_a_block(double x)
{
    extern double rate;
    extern const double table[3];
    double s = 0.0;
    for (int i = 0; i < 3; i++)
        s += table[i] * rate * x;
    return s;
}

double rate = 0.125;
const double table[3] = {1.0, 2.5, 4.0};

double past_a_local(double x)
{
    double rate = x, r = x;
    {
        extern double rate;
        r *= rate;
    }
    return r * rate;
}

static double count_up(void)
{
    extern double kept;
    {
        extern double kept;
        kept += 1.0;
    }
    return kept;
}

double twice(double x)
{
    kept = x;
    double a = count_up();
    return a * count_up();
}
