//@ duff {"n":7,"to":[0,0,0,0,0,0,0],"from":[1.5,2.5,0.5,0.25,3.0,1.0,2.0]}
//@ duff {"n":4,"to":[0,0,0,0],"from":[1.5,2.5,0.5,0.25]}
//@ coroutine {"state":0,"n":3,"x":[1.5,2.5,0.5]}
//@ coroutine {"state":1,"n":3,"x":[1.5,2.5,0.5]}
//@ coroutine {"state":5,"n":3,"x":[1.5,2.5,0.5]}
void duff(int n, double *to, const double *from)
{
    int k = 0, m = (n + 3) / 4;
    switch (n % 4) {
    case 0: do { to[k] = from[k] * from[k]; k++;
    case 3:      to[k] = from[k] * 3; k++;
    case 2:      to[k] = from[k] * 2; k++;
    case 1:      to[k] = from[k] * 1; k++;
            } while (--m > 0);
    }
}
double coroutine(int state, int n, const double *x)
{
    double s = 1;
    int i = 1;
    switch (state) {
        for (; i < n; i++) {
    case 0:
            s *= x[i];
            if (s > 10) break;
    case 1:
            s += x[i - 1];
        }
        s *= 2;
        break;
    default:
        s = x[0];
    }
    return s * i;
}
