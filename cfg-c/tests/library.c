/* Compares the functions that the front end has in C with those of the C library, bit for bit. */
#define _GNU_SOURCE
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#define rint own_rint
#define nearbyint own_nearbyint
#define lrint own_lrint
#define llrint own_llrint
#define rintf own_rintf
#define nearbyintf own_nearbyintf
#define lrintf own_lrintf
#define llrintf own_llrintf
#define modf own_modf
#define modff own_modff
#define remainder own_remainder
#define remainderf own_remainderf
#define remquo own_remquo
#define remquof own_remquof
#define drem own_drem
#define dremf own_dremf
#define ilogb own_ilogb
#define ilogbf own_ilogbf
#define logb own_logb
#define logbf own_logbf
#define ldexp own_ldexp
#define scalbn own_scalbn
#define scalbln own_scalbln
#define ldexpf own_ldexpf
#define scalbnf own_scalbnf
#define scalblnf own_scalblnf
#define frexp own_frexp
#define frexpf own_frexpf
#define sincos own_sincos
#define sincosf own_sincosf
#define __cfgrev_isnormal own_isnormal
#define __cfgrev_isnormalf own_isnormalf
#define __cfgrev_fpclassify own_fpclassify
#define __cfgrev_fpclassifyf own_fpclassifyf
/* Those of the compiler itself have no other names. */
#define __builtin_isnormal own_builtin_isnormal
#define __builtin_isgreater own_isgreater
#define __builtin_isgreaterequal own_isgreaterequal
#define __builtin_isless own_isless
#define __builtin_islessequal own_islessequal
#undef isdigit
#define isdigit own_isdigit
#undef islower
#define islower own_islower
#undef isupper
#define isupper own_isupper
#undef isalpha
#define isalpha own_isalpha
#undef isalnum
#define isalnum own_isalnum
#undef isxdigit
#define isxdigit own_isxdigit
#undef isblank
#define isblank own_isblank
#undef isspace
#define isspace own_isspace
#undef iscntrl
#define iscntrl own_iscntrl
#undef isgraph
#define isgraph own_isgraph
#undef isprint
#define isprint own_isprint
#undef ispunct
#define ispunct own_ispunct
#undef tolower
#define tolower own_tolower
#undef toupper
#define toupper own_toupper
#undef div
#define div own_div
#undef ldiv
#define ldiv own_ldiv
#undef lldiv
#define lldiv own_lldiv
#undef imaxdiv
#define imaxdiv own_imaxdiv
#undef difftime
#define difftime own_difftime
#define clock own_clock
#define time own_time
#define clock_gettime own_clock_gettime
#define timespec_get own_timespec_get
#define gettimeofday own_gettimeofday
#define omp_get_wtime own_omp_get_wtime
#define __builtin_powi own_powi
#define __builtin_powif own_powif
#include "../src/library/math.c"
#undef __builtin_powi
#undef __builtin_powif
#undef clock
#undef time
#undef clock_gettime
#undef timespec_get
#undef gettimeofday
#undef omp_get_wtime
#undef isdigit
#undef islower
#undef isupper
#undef isalpha
#undef isalnum
#undef isxdigit
#undef isblank
#undef isspace
#undef iscntrl
#undef isgraph
#undef isprint
#undef ispunct
#undef tolower
#undef toupper
#undef div
#undef ldiv
#undef lldiv
#undef imaxdiv
#undef difftime
#undef rint
#undef __builtin_isnormal
#undef __builtin_isgreater
#undef __builtin_isgreaterequal
#undef __builtin_isless
#undef __builtin_islessequal
#undef nearbyint
#undef lrint
#undef llrint
#undef rintf
#undef nearbyintf
#undef lrintf
#undef llrintf
#undef modf
#undef modff
#undef remainder
#undef remainderf
#undef remquo
#undef remquof
#undef drem
#undef dremf
#undef ilogb
#undef ilogbf
#undef logb
#undef logbf
#undef ldexp
#undef scalbn
#undef scalbln
#undef ldexpf
#undef scalbnf
#undef scalblnf
#undef frexp
#undef frexpf
#undef sincos
#undef sincosf

static int differ, compared;

static void real(const char *what, double x, double y, double own, double theirs)
{
    compared++;
    if (memcmp(&own, &theirs, sizeof own) != 0 && !(own != own && theirs != theirs)) {
        differ++;
        printf("%s(%a, %a): %a instead of %a\n", what, x, y, own, theirs);
    }
}

static void integers(void)
{
#define SAME(f) real(#f, c, 0, own_##f(c) != 0, f(c) != 0)
    for (int c = -1; c < 256; c++) {
        SAME(isdigit), SAME(islower), SAME(isupper), SAME(isalpha), SAME(isalnum), SAME(isxdigit), SAME(isblank);
        SAME(isspace), SAME(iscntrl), SAME(isgraph), SAME(isprint), SAME(ispunct);
        real("tolower", c, 0, own_tolower(c), tolower(c));
        real("toupper", c, 0, own_toupper(c), toupper(c));
        real("difftime", c, 0, own_difftime(c, 7), difftime(c, 7));
        for (int d = -9; d < 9; d += 2) {
            real("div", c, d, own_div(c, d).quot, div(c, d).quot);
            real("ldiv", c, d, own_ldiv(-c, d).rem, ldiv(-c, d).rem);
            real("lldiv", c, d, own_lldiv(-c, d).quot, lldiv(-c, d).quot);
            real("imaxdiv", c, d, own_imaxdiv(c, d).rem, imaxdiv(c, d).rem);
        }
    }
}

static void one(double x)
{
    double own, theirs;
    float single = (float)x, own_single, their_single;
    int n, m;
    real("rint", x, 0, own_rint(x), rint(x));
    real("nearbyint", x, 0, own_nearbyint(x), nearbyint(x));
    real("rintf", x, 0, own_rintf(single), rintf(single));
    if (fabs(x) < 1e15) {
        real("lrint", x, 0, (double)own_lrint(x), (double)lrint(x));
        real("llrintf", x, 0, (double)own_llrintf(single), (double)llrintf(single));
    }
    real("modf", x, 0, own_modf(x, &own), modf(x, &theirs));
    real("modf, whole", x, 0, own, theirs);
    real("modff", x, 0, own_modff(single, &own_single), modff(single, &their_single));
    real("modff, whole", x, 0, own_single, their_single);
    real("logb", x, 0, own_logb(x), logb(x));
    real("ilogb", x, 0, own_ilogb(x), ilogb(x));
    real("ilogbf", x, 0, own_ilogbf(single), ilogbf(single));
    real("frexp", x, 0, own_frexp(x, &n), frexp(x, &m));
    if (isfinite(x))
        real("frexp, exponent", x, 0, n, m);
    real("frexpf", x, 0, own_frexpf(single, &n), frexpf(single, &m));
    real("isnormal", x, 0, own_isnormal(x), isnormal(x) != 0);
    real("isnormal, float", x, 0, own_isnormalf(single), isnormal(single) != 0);
    real("fpclassify", x, 0, own_fpclassify(x), fpclassify(x));
    real("fpclassify, float", x, 0, own_fpclassifyf(single), fpclassify(single));
    for (volatile int k = -20; k < 20; k++) {
        real("powi", x, k, own_powi(x, k), __builtin_powi(x, k));
        real("powif", x, k, own_powif(single, k), __builtin_powif(single, k));
    }
    own_sincos(x, &own, &theirs);
    real("sincos", x, 0, own, sin(x));
    real("sincos", x, 0, theirs, cos(x));
    static const int exponents[] = {0,    1,    -1,   53,    -53,   1000,  -1000, 1023,  -1022, -1023,
                                    1024, 1074, -1074, -1075, -1076, -1130, 2046, -2098, 2098,  -2200,
                                    5000, -5000, 2147483647, -2147483647 - 1};
    for (int k = 0; k < (int)(sizeof exponents / sizeof *exponents); k++) {
        real("ldexp", x, exponents[k], own_ldexp(x, exponents[k]), ldexp(x, exponents[k]));
        real("scalbln", x, exponents[k], own_scalbln(x, exponents[k]), scalbln(x, exponents[k]));
        real("ldexpf", x, exponents[k], own_ldexpf(single, exponents[k]), ldexpf(single, exponents[k]));
    }
}

int main(void)
{
    static const double corners[] = {
        0.0, 0x1p-1074, 0x1.8p-1073, 0x1p-1023, 0x1.fffffffffffffp-1023, 0x1p-1022, 0x1.8p-1022, 0x1p-1021, 0x1.0000000000001p-1021,
        1e-300, 1e-10, 0.25, 0.5, 0x1.fffffffffffffp-2, 0.75, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 3.5, 4.5, 1e6, 1234567.5,
        0x1p52, 0x1.0000000000001p52, 0x1.8p51, 0x1.00000000000018p51, 0x1p53, 0x1p63, 0x1p64, 0x1.8p100, 1e300,
        0x1p1022, 0x1.8p1022, 0x1p1023, 0x1.fffffffffffffp1023, INFINITY, NAN};
    enum { CORNERS = sizeof corners / sizeof *corners, COUNT = 1500 };
    static double values[COUNT];
    uint64_t state = 88172645463325252u;
    int n = 0;
    for (int k = 0; k < CORNERS; k++) {
        values[n++] = corners[k];
        values[n++] = -corners[k];
    }
    while (n < COUNT) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        if (n % 2)
            memcpy(&values[n], &state, sizeof state);
        else
            values[n] = (double)(int64_t)state / 0x1p60;
        n++;
    }
    integers();
    for (int i = 0; i < COUNT; i++) {
        one(values[i]);
        for (int j = 0; j < COUNT; j++) {
            /* The library takes long for quotients of very different size. */
            if (i >= 2 * CORNERS && j >= 2 * CORNERS && fabs(log2(fabs(values[i] / values[j]))) > 200)
                continue;
            /* The C library's zeros have either sign here, not that of the first operand, as C99 has it. */
            int own, theirs;
            real("remquo", values[i], values[j], 0.0 + own_remquo(values[i], values[j], &own), 0.0 + remquo(values[i], values[j], &theirs));
            if (values[j] != 0.0 && isfinite(values[i]) && !isnan(values[j]))
                real("remquo, quotient", values[i], values[j], own, theirs);
            real("remainder", values[i], values[j], 0.0 + own_remainder(values[i], values[j]), 0.0 + remainder(values[i], values[j]));
        }
    }
    printf("%d compared, %d differ\n", compared, differ);
    return differ != 0;
}
