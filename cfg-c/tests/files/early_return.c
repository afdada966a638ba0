//@ from_nest {"n":3,"limit":4.0,"x":[1.5,2.5,0.5]}
//@ from_nest {"n":3,"limit":400.0,"x":[1.5,2.5,0.5]}
//@ in_switch {"n":4,"x":[1.5,2.5,0.5,-1.0]}
//@ void_result {"n":3,"x":[1.5,-2.5,0.5]}
double from_nest(int n, double limit, const double *x)
{
    double s = 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            for (int k = 0; k <= j; k++) {
                s += x[i] * x[j] * x[k];
                if (s > limit) return s * (100 * i + 10 * j + k);
            }
            if (x[j] < 1) break;
        }
        if (i == 1) continue;
        s *= 0.5;
    }
    return s;
}
double in_switch(int n, const double *x)
{
    double s = 0;
    for (int i = 0; ; i++) {
        switch (i % 3) {
        case 0: s += x[i]; break;
        case 1: s *= x[i]; continue;
        case 2: if (i >= n - 1) return s; s -= x[i];
        }
        if (i == n - 1) return s * x[i];
    }
}
void void_result(int n, double *x)
{
    if (n < 1) return;
    for (int i = 0; i < n; i++) {
        if (x[i] < 0) { x[0] = x[i] * x[0]; return; }
        x[i] *= x[i];
    }
    x[n - 1] += 1;
}
