//@ call_price {"spot":100,"strike":95,"rate":0.03,"vol":0.2,"expiry":1,"paths":50}
/* Black-Scholes by Monte Carlo, xorshift and Box-Muller. */
#include <math.h>
#include <stdint.h>

static uint64_t rng_state[2];

static uint64_t splitmix(uint64_t *x)
{
    uint64_t z = (*x += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}
static void seed(uint64_t s) { rng_state[0] = splitmix(&s); rng_state[1] = splitmix(&s); }
static uint64_t xorshift128plus(void)
{
    uint64_t x = rng_state[0];
    uint64_t const y = rng_state[1];
    rng_state[0] = y;
    x ^= x << 23;
    rng_state[1] = x ^ y ^ (x >> 17) ^ (y >> 26);
    return rng_state[1] + y;
}
static double uniform(void) { return (xorshift128plus() >> 11) * (1.0 / 9007199254740992.0); }
static double normal(void)
{
    static int have = 0;
    static double spare;
    if (have) { have = 0; return spare; }
    double u, v, s;
    do {
        u = 2 * uniform() - 1;
        v = 2 * uniform() - 1;
        s = u * u + v * v;
    } while (s >= 1 || s == 0);
    s = sqrt(-2 * log(s) / s);
    spare = v * s;
    have = 1;
    return u * s;
}
double call_price(double spot, double strike, double rate, double vol, double expiry, long paths)
{
    seed(12345u);
    double sum = 0;
    double drift = (rate - 0.5 * vol * vol) * expiry, sd = vol * sqrt(expiry);
    for (long i = 0; i < paths; i++) {
        double st = spot * exp(drift + sd * normal());
        sum += st > strike ? st - strike : 0;
    }
    return exp(-rate * expiry) * sum / paths;
}
