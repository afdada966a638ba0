/* Calls that change what other operands use are warned of, those that do not are not. */
static double state = 0.5, scale = 2.0, other = 1.0, table[3];
static double next(void) { return state = 0.5 * state + 0.25; }
static double drawn(void) { return next() * scale; }
static double looked(void) { return state + scale; }
static double counted(double x) { static double n = 0.0; n += x; return n; }
static double set(double x) { double *p = &table[1]; *p = x; return x; }
static double at(int k) { return table[k]; }
static double with(double (*g)(void)) { return g() + 1.0; }
static double *place(void) { state += 1.0; return &table[1]; }
static double pure(double x) { return x * other; }
double f(double x)
{
    double none = pure(x) * looked() + other * at(2) + at(1) * looked() + pure(x) * pure(2.0 * x);
    double both = next() - next();
    double called = drawn() + looked() * x;
    double kept = counted(x) * counted(2.0 * x);
    double named = state - drawn();
    double behind = set(x) + at(1);
    double through = with(next) * looked();
    double assigned = (state = x) + looked();
    state += next();
    table[0] -= set(x);
    other += pure(next());
    double list[2] = {[1] = next() * x, [0] = next()}, other_list[2] = {pure(x), pure(next())};
    *place() += next();
    table[(int)state] = set(x);
    state = state++ + next();
    return none + both + called + kept + named + behind + through + assigned;
}
