//@ work {"n":4,"law":[0,1,2,1],"strain":[0.1,0.2,0.3,0.4],"stress":[0,0,0,0]}
//! work {"n":4,"law":[0,1,3,1],"strain":[0.1,0.2,0.3,0.4],"stress":[0,0,0,0]} 24 abort()
//! work {"n":4,"law":[0,1,2,1],"strain":[0.1,0.2,0.3,4.0],"stress":[0,0,0,0]} 37 exit(3)
/* Laws of materials: one that is not known ends the program, in a branch of several ways inside of a loop. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum law { LINEAR, CUBIC, EXPONENTIAL };

static double stress_of(int law, double e)
{
    switch (law) {
    case LINEAR:
        return 2.0 * e;
    case CUBIC:
        e = e * e * e;
        break;
    case EXPONENTIAL:
        e = exp(e) - 1.0;
        break;
    default:
        fprintf(stderr, "no law %d\n", law);
        abort();
    }
    return e;
}

double work(int n, const int *law, const double *strain, double *stress)
{
    double total = 0.0;
    for (int k = 0; k < n; k++) {
        double e = strain[k];
        if (e > 1.0) {
            e = e * total;
            perror("work");
            exit(3);
        }
        stress[k] = stress_of(law[k], e);
        total += stress[k] * e;
        if (total > 100.0)
            break;
    }
    return total;
}
