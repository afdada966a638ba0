//@ populations {"p":[1.1,0.4,0.1,0.4],"y":[10.0,5.0],"steps":20,"dt":0.01}
void populations(const double p[4], double y[2], int steps, double dt)
{
    while (steps --> 0) {
        double prey = y[0], hunters = y[1];
        y[0] += dt * (p[0] * prey - p[1] * prey * hunters);
        y[1] += dt * (p[2] * prey * hunters - p[3] * hunters);
        if (y[0] < 0) { y[0] = 0; break; }
    }
}
