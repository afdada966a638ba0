double f(double x, unsigned long n, unsigned m)
{
    switch (m) { case -1: x = 2*x; }
    switch (n) { case 9223372036854775807: x = 3*x; }
    switch (n) { case -1: x = 4*x; }
    switch (n) { case 9223372036854775808u: x = 5*x; }
    switch (n) { case -3 ... -1: x = 6*x; }
    return x;
}
