#include <string.h>
struct option { const char *name; double value; };
static const struct option all[] = {{"a", 1}, {"b", 2}};
double f(double x) { return all[0].name[0] == 'a' ? x * all[1].value : x; }
