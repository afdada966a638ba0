//@ molar_mass {"n":3,"amount":[2.0,1.0,0.5]}
//@ members {"x":1.4}
//@ compound {"x":0.7}
/* Texts as initial values of arrays of characters that are members and elements. */
#include <stdio.h>
#include <string.h>

static const struct {
    char symbol[4];
    int number;
    double mass;
} elements[] = {{"H", 1, 1.008}, {"He", 2, 4.0026}, {.symbol = "Li", 3, 6.94}, [3] = {{'B', 'e'}, .mass = 9.0122}};

double molar_mass(int n, const double *amount)
{
    double mass = 0.0;
    for (int i = 0; i < n; i++) {
        int heavy = elements[i].symbol[1] != 0;
        mass += amount[i] * amount[i] * elements[i].mass * (heavy ? 2.0 : 1.0);
        fprintf(stderr, "%s\n", elements[i].symbol);
    }
    return mass + elements[3].mass * amount[0];
}

typedef struct {
    char name[8];
    double v[2];
    unsigned char tag[2];
} record;

double members(double x)
{
    record r = {"abc", {x, 2.0 * x}, "ok"};
    record q = {.v = {1.0, x}, .name = "z"};
    char words[2][4] = {"one", "two"};
    double s = r.v[0] * r.v[1];
    if (r.name[2] == 'c' && r.name[3] == 0 && r.tag[1] == 'k')
        s *= q.v[1];
    return s + (words[1][0] == 't') * x + q.name[1];
}

static double weight(record r) { return r.name[0] == 'w' ? r.v[0] * r.v[1] : 0.0; }

double compound(double x) { return weight((record){"w", {x, x}}) + weight((record){.name = "v"}); }
