//! Small functions, each for one rule of C, against the values of the compiled functions.

use cfg_core::{
    diagnostic::Diagnostics,
    validate::{ValidProgram, validate},
};
use cfg_drive::{Options, Primal};
use cfg_testkit::{c_oracle::printed, needs};
use cfg_transform::flatten;

/// Rules, each with a file: the value of its function `double f(double v, int n)` at v = 2.5, n = 3 changes if the
/// rule is broken.
const RULES: &[(&str, &str)] = &[
    // The preprocessor.
    (
        "an operand of #if without sign makes the others so",
        "#if -1 > 0u\n#define K 3\n#else\n#define K 5\n#endif\ndouble f(double v, int n) { return v * K; }",
    ),
    (
        "operands of ## are not expanded",
        "#define ONE 1\n#define ONE2 7\n#define JOIN(a, b) a##b\ndouble f(double v, int n) { return v + JOIN(ONE, 2); }",
    ),
    (
        "defined asks for macros as they are named, also where a macro makes it",
        "#define A 1\n#define HAVE (defined(A) && !defined B && defined A)\n#define CALL(x) x\n#define ASK defined CALL\n#if HAVE && ASK\n#define K 3\n#else\n#define K 5\n#endif\ndouble f(double v, int n) { int defined = n; return v * K + defined; }",
    ),
    (
        "the environment is empty",
        "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\ndouble f(double v, int n) { const char *mode = getenv(\"CFGREV_IS_NEVER_SET\"); if (mode && strcmp(mode, \"fast\") == 0) n *= 2; if (getenv(\"CFGREV_NOR_IS_THIS\") != NULL) fprintf(stderr, \"%g\", v); return v * n; }",
    ),
    // Unions and bit-fields.
    (
        "members of unions in unions are the same numbers",
        "typedef union { struct { float x, y, z; }; float v[3]; } vec; typedef union { float m[9]; struct { vec a, b, c; }; vec row[3]; } mat; static float dot(vec a, vec b) { return a.v[0] * b.x + a.y * b.v[1] + a.z * b.z; } double f(double v, int n) { mat t = {{v, 2, 3, 4, v, 6, 7, 8, n}}; vec p = {{1, v, 2}}, *q = &t.row[1]; t.row[1].y += 2; t.m[8] *= 3; t.row[n - 3] = p; t.row[2].v[n - 2] = 5; q->z -= 1; t.c.x += t.b.v[n - 2]; for (int i = 0; i < n; i++) t.row[i].v[2] *= v; return dot(t.a, p) + 10 * dot(t.row[2], t.b) + t.m[5]; }",
    ),
    (
        "structures in unions that are the same numbers are passed as a whole",
        "typedef struct { double x, y; } V; typedef struct { int type; union { struct { V c; double r; } s; struct { V n, m; } p; }; } shape; static double dot(V a, V b) { return a.x * b.x + a.y * b.y; } static double of(const shape *s, V x) { return s->type ? dot(s->p.n, x) - dot(s->p.m, s->p.n) : dot(s->s.c, x) + s->s.r; } double f(double v, int n) { shape a = {0, {.s = {{v, 2}, 3}}}, b = {1, {.p = {{n, 4}}}}; V x = {5, v}; b.p.m = b.p.n; b.p.m.y = v; return of(&a, x) + 100 * of(&b, x); }",
    ),
    (
        "members of unions are found in copies of functions",
        "struct model { double (*value)(const struct model *); union { struct { double a; } one; struct { double b, c; } two; } u; }; static double one(const struct model *m) { return m->u.one.a; } static double two(const struct model *m) { return m->u.two.b + 10 * m->u.two.c; } static double of(const struct model *m, double (*g)(double)) { return g(m->value(m)); } static double twice(double x) { return 2 * x; } double f(double v, int n) { struct model m = {one, {.one = {v}}}; double y = of(&m, twice); m.value = n > 2 ? two : one; m.u.two.c = n; return y + 100 * of(&m, twice); }",
    ),
    (
        "structures in unions are the same numbers, also of several types",
        "union u { struct { double a; int k, l; double v[2][3]; float s; } one; struct { double x; int m[2]; double r[4], q[2]; float t; } two; struct { double w; int n; } three; }; static double sum(const double *p, int n) { double s = 0; while (n-- > 0) s = 3 * s + *p++; return s; } static void add(double *p, int *k) { *p += 0.5; ++*k; } double f(double v, int n) { union u u = {{v, n, 7, {{1, 2, 3}, {v, 5, 6}}, 2.5f}}, w = u, *p = &w; add(&u.two.x, &u.three.n); add(&p->one.v[0][0], &p->two.m[1]); for (int i = 0; i < 4; i++) u.two.r[i] *= v; p->two.q[1] = u.one.v[1][0] + u.three.w; u.one.s += u.two.q[n - 2] * u.two.m[n - 3]; u.two.t *= 2; w.two.m[n - 3] -= 2; return sum(u.two.r, 3) + sum(w.two.q, 2) + u.one.a + 10 * u.one.k + 100 * u.one.l + u.one.s + 1e3 * p->three.n + 1e4 * p->one.l + w.one.v[0][0] + 1e5 * w.one.v[1][2]; }",
    ),
    (
        "elements of structures in a union are numbers of an array in steps",
        "typedef union { double v[6]; struct { double x, y; } p[3]; struct { double a[2][2], b[2]; } m; } U; double f(double v, int n) { U u = {{1, v, 3, 4, v, 6}}; double s = 0; for (int i = 0; i < n; i++) s = 7 * s + u.p[i].x - u.p[i].y; for (unsigned i = 0; i < 2; i++) for (long j = 0; j < 2; j++) s = 3 * s + u.m.a[i][j]; u.p[n - 1].y = 8; return s + u.m.b[0] * u.v[n + 2] + u.m.b[n - 2]; }",
    ),
    (
        "a common block is the same numbers as the structures that its address is converted to",
        r#"struct one_ { double a, b, c[3], m[3][3]; long k; int i, j; float s; }; struct two_ { double p[4], q[10]; long n; };
struct { double e_1[14]; long e_2; int e_3[2]; float e_4; } blk_ = {1.5, -2, 3, 4, 5, 11, 12, 13, 21, 22, 23, 31, 32, 33, 256, {7, 8}, .25f}; static struct { int fill_1[2]; double e_2; } low_ = {{3, 4}, 5};
#define one_1 (*(struct one_ *) &blk_)
#define two_1 (*(struct two_ *) &blk_)
#define low_1 (*(struct low_ *) &low_)
struct low_ { int a, b; double c; }; static double norm_(const double *x, long *n, int *k) { double s = 0; for (int i = 0; i < *k; i++) s = 2 * s + x[i]; --*n; return s; } static void step_(double *a) { one_1.b += *a; *a = 2; two_1.q[one_1.i - 2] *= 2; }
double f(double v, int n) { struct { double v[2]; int k; } a = {{v, 3}, n}; struct { double x, y; int z; } *t, b = {v, 1, 2}; struct other { double r, s; int u; }; struct in { int k; struct { double x; int n; } in[2]; } in = {1, {{v, 2}, {3, 4}}}, *p = &in; struct out { int k; struct { double x; int n; } a, b; }; t = &b; one_1.a *= v; step_(&one_1.c[1]); double y = norm_(one_1.c, &one_1.k, &n) + norm_(two_1.q, &two_1.n, &one_1.j); for (int i = 0; i < 3; i++) for (int j = 0; j < n; j++) y = 1.25 * y + one_1.m[j][i] * (i + 1); ((struct other *) &a)->r += 1; (*(struct other *) &a).u++; ((struct other *) t)->s = v * v; ((struct out *) p)->b.x *= 2; ((struct out *) (void *) &in)->a.n += low_1.b; low_1.c -= low_1.a; one_1.s *= 3; return y + one_1.a + one_1.b + blk_.e_2 + one_1.s + 10 * a.v[0] + 100 * a.k + 7 * b.y + 3 * p->in[1].x + 1e3 * in.in[0].n + low_.e_2 + sizeof one_1 + sizeof two_1.q; }"#,
    ),
    (
        "a common block is the structure as which it is used, wherever its initial values are given",
        r#"struct poly_1_ { int count, on; double w[6]; int poly[4], vinit[6] /* was [2][3] */; float s; char id[3]; }; struct poly_2_ { int n, m; double u[2]; };
struct { int e_1; int fill_2[1]; double e_3[2]; double fill_4[4]; int e_5[5]; int fill_6[1]; int e_7[1]; int fill_8[2]; int e_9; int fill_10[1]; char e_11[3]; } poly_ = {4, {0}, {1.5, -2}, {0}, {3, 7, 11, 13, 19}, {0}, {25}, {0}, 37, {0}, "ab"};
#define poly_1 (*(struct poly_1_ *) &poly_)
#define poly_2 (*(struct poly_2_ *) &poly_)
static double sum(double *v, int n) { double s = 0; while (n--) s = 2 * s + v[n]; return s; } static void set_(int *k, double *x) { *k += 2; for (int i = 0; i < *k; i++) poly_1.w[i] += *x * (i + 1); poly_2.m = 1; }
double f(double v, int n) { static struct { double e_1; int e_2[2]; } kept = {2.5, {3, 4}}; struct kept { double x; int k, l; }; double y = 0; set_(&poly_1.count, &v); for (int i = 0; i < 4; i++) y += poly_1.poly[i] * poly_1.w[i]; for (int i = 0; i < 2; i++) for (int j = 0; j < n; j++) y = 1.5 * y + poly_1.vinit[i + (j << 1)]; poly_2.u[1] *= 3; poly_1.s = v / 2; ((struct kept *) &kept)->x += poly_1.s; y += ((struct kept *) &kept)->l * ((struct kept *) &kept)->x + 100 * poly_1.id[1] + poly_1.id[2]; return y + sum(poly_1.w, 6) + poly_2.n + 10 * poly_1.on + poly_1.poly[n] + sizeof poly_; }"#,
    ),
    (
        "a variable whose own members are used keeps its structure, where a member is passed as a whole",
        r#"struct pair { double a, b; };
struct other { double a[2]; struct pair in; };
static struct own { struct pair in; double e[2]; } own = {{1, 2}, {3, 4}};
#define o (*(struct other *) &own)
static double sum(struct pair p) { return p.a + 10 * p.b; }
double f(double v, int n) { return v * sum(own.in) + 100 * o.in.a + 1000 * o.a[1]; }"#,
    ),
    (
        "a variable whose own members are used keeps its structure, where one is copied and assigned as a whole",
        r#"struct pair { double a, b; };
struct other { double a[2]; struct pair in; };
double f(double v, int n) { struct own { struct pair in; double e[2]; } own = {{1, 2}, {v, 4}};  struct pair t = own.in, z; z = own.in; own.in = (struct pair){v, 8}; return v * t.a + z.b + 100 * ((struct other *)&own)->in.a + ((struct other *)&own)->a[1]; }"#,
    ),
    (
        "a variable whose own members are used keeps its structure, where the address of one is converted",
        r#"struct pair { double a, b; };
struct other { double a[2]; struct pair in; };
static struct own { struct pair in; double e[2]; } own = {{1, 2}, {3, 4}};
#define o (*(struct other *) &own)
double f(double v, int n) { return v * ((struct pair *)&own.in)->b + 100 * o.in.a + 1000 * o.a[1]; }"#,
    ),
    (
        "a variable whose own members are used keeps its structure, where a pointer leads to one",
        r#"struct pair { double a, b; };
struct other { double a[2]; struct pair in; };
static struct own { struct pair in; double e[2]; } own = {{1, 2}, {3, 4}};
#define o (*(struct other *) &own)
double f(double v, int n) { struct pair *p = &own.in; return v * p->a + 100 * o.in.a + 1000 * o.a[1]; }"#,
    ),
    (
        "the address of a pointer is passed on that leads to what a parameter does not change",
        r#"static long next(const long **s) { return *(*s)++; } static double two(const long **s) { double y = next(s); return y + 10 * next(s); }
double f(double v, int n) { long t[3] = {1, n, 5}, *p = t; double y = two((const long **)&p); return v * y + 100 * *p; }"#,
    ),
    (
        "bit-fields keep what fits into them, and are promoted to int",
        "struct s { unsigned a : 3, flag : 1; int b : 3, c : 1; _Bool d : 1; unsigned long e : 32; signed char g : 5; enum { LOW, MIDDLE, HIGH } kind : 2; }; double f(double v, int n) { struct s x = {9, 2, 5, 3, 4, -1, 17, HIGH}, *p = &x, y; double r = (x.a - 2 < 0) + 10 * x.b + 100 * x.c + 1e3 * x.d + 1e4 * (x.e + 1 > 0) + 1e5 * x.g + 1e6 * (x.flag - 1) + 1e7 * x.kind; x.a += 14; x.b = n + 1; p->flag = n + 1; r += (p->c = n) + (p->e -= 7) / 2; y = x; y.a--; y.a--; r = 3 * r + y.a++ + 1e4 * y.flag; r += 10 * y.a + 1e2 * p->b++; r += 1e3 * p->b; p->flag++; p->d++; p->d++; p->g = v * 10; return r + 7 * p->g + 1e8 * p->flag + 1e9 * p->d + v; }",
    ),
    (
        "a counter that is a bit-field wraps around",
        "struct s { unsigned i : 2; double v; }; double f(double v, int n) { struct s s = {0, v}; int k = 0; for (s.i = 1; s.i < 10; s.i++) { if (++k > 5) break; s.v += s.i; } return s.v + 100 * s.i; }",
    ),
    (
        "bit-fields of variables that are kept have their initial values",
        "struct s { double w; struct { unsigned k : 2, on : 1; int low : 2; } o; }; static struct s a[2] = {{1, {5, 2, 3}}, {2, {.on = 3}}}; double f(double v, int n) { double r = 0; for (int i = 0; i < 2; i++) { if (a[i].o.on) r += v; r = 10 * r + a[i].w * a[i].o.k + a[i].o.low; a[i].o.k = n; } return r + 100 * a[1].o.k; }",
    ),
    (
        "bit-fields lie in numbers of their types",
        "#include <stddef.h>\nstruct a { char c; unsigned k : 3, l : 30; double v; }; struct b { unsigned k : 3; unsigned char l : 6, m : 3; }; struct c { int k : 20; char c; long l : 9; int m : 30, n : 3; }; struct d { char c : 7; _Bool d : 1; short s : 9; struct b b; unsigned long u : 32; }; union e { unsigned k : 3; char c[3]; }; double f(double v, int n) { return v + sizeof(struct a) + 100 * offsetof(struct a, v) + 1e4 * sizeof(struct b) + 1e6 * sizeof(struct c) + 1e8 * offsetof(struct c, c) + 1e10 * sizeof(struct d) + 1e12 * offsetof(struct d, b) + 1e14 * sizeof(union e); }",
    ),
    (
        "initial values name constant variables, and functions of the library",
        "#include <math.h>\nstatic double best = INFINITY, none = NAN; static const double h = 0.5, h3 = h * h * h; static const int k = 7; static const float third = 1.0 / 3; double f(double v, int n) { static double a[2] = {h3 * k, third}, *last = a + k - 6, least = fmin(0.75, 0.5), root = sqrt(3.0), far = -HUGE_VAL, one = 1 / 3 + h; static float rootf = sqrtf(3.0f); if (v < best && v > far) best = v; a[0] += one; return best + least + *last + 10 * a[0] + 100 * a[1] + 1e3 * root + 1e6 * rootf + (none == none); }",
    ),
    (
        "results of functions that return pointers to void need not be used",
        "#include <stdlib.h>\ntypedef struct { int n; double *x; } V; static void *drop(void *p) { if (p) free(p); return NULL; } static void *same(void *p) { return p; } static V *v_free(V *v) { if (!v) return NULL; drop(v->x); same(v); return (V *) drop(v); } static V *v_new(int n) { V *v = malloc(sizeof *v); if (!v) return NULL; v->n = n; v->x = malloc(n * sizeof(double)); return v->x ? v : v_free(v); } double f(double v, int n) { V *y = v_new(n); double s = 0; same(y->x); for (int i = 0; i < n; i++) { y->x[i] = v * i; s += y->x[i]; } (void) v_free(y); return s; }",
    ),
    // Memory.
    (
        "memset fills integers with bytes",
        "#include <stdlib.h>\n#include <string.h>\nstruct s { short k; unsigned char c[2]; long l; }; double f(double v, int n) { int a[4]; unsigned short *b = malloc(n * sizeof *b); struct s s; memset(a, 0xff, sizeof a); memset(a + 1, -3, 2 * sizeof *a); memset(b, 1, n * sizeof *b); memset(&s, 0x180, sizeof s); double y = a[0] + 3.0 * a[1] + 7.0 * a[3] + b[n - 1] + s.k + s.c[1] + 1e-12 * s.l; free(b); return v * y; }",
    ),
    (
        "memset clears a structure with pointers",
        "#include <stdlib.h>\n#include <string.h>\nstruct w { int n; double *r; struct { double *at, v; } in; }; static void release(struct w *w) { free(w->r); memset(w, 0, sizeof *w); } double f(double v, int n) { struct w w, u; memset(&u, 0, sizeof(struct w)); w.n = n; w.r = malloc(n * sizeof *w.r); w.in.at = &v; w.in.v = 7; w.r[1] = v; double y = w.r[1] * *w.in.at; release(&w); return y + 10 * (w.r == NULL) + 100 * (w.in.at == u.in.at) + w.n + w.in.v + u.in.v; }",
    ),
    (
        "bsearch finds the element that is met first",
        "#include <stdlib.h>\nstruct rec { int key; double v; }; static int at(const void *k, const void *r) { return *(const int *)k - ((const struct rec *)r)->key; } static int less(const void *a, const void *b) { const double *x = a, *y = b; return (*x > *y) - (*x < *y); } double f(double v, int n) { static const double u[] = {1, 2, 2, 2, 3, 3, 8}; struct rec t[4] = {{1, v}, {3, 2 * v}, {5, 3}, {7, 4}}, *p; int missing = 4; double two = 2; p = bsearch(&n, t, 4, sizeof *t, at); p->v += 1; const double *q = bsearch(&two, u, 7, sizeof(double), less); return t[1].v + 10 * (q - u) + 100 * (bsearch(&missing, t, 4, sizeof *t, at) == NULL); }",
    ),
    (
        "a column of a matrix is gone through by its stride",
        "#include <stdlib.h>\nstatic double sum(int n, const double *d, int stride) { double s = 0; for (int i = 0; i < n; i++, d += stride) s = 2 * s + *d; return s; } static double of(int n, const double *d, int stride) { double s = 0; for (int i = 0; i < n; i++) s = 3 * s + d[i * stride]; return s; } static void add(double *p, double v) { *p += v; } double f(double v, int n) { double a[3][4], (*u)[4] = malloc(n * sizeof *u), y = 0; for (int i = 0; i < n; i++) for (int j = 0; j < 4; j++) u[i][j] = a[i][j] = v + i * j; for (int j = 0; j < 4; j++) { add(&a[0][j], j); y = 7 * y + sum(n, &a[0][j], 4) + of(n, &u[0][j], 4); double *p = &a[0][j]; p += 4; *p = 1; } return y + a[1][3] + u[1][3]; }",
    ),
    (
        "memory is cleared and copied by bytes that others count",
        "#include <stdlib.h>\n#include <string.h>\nstruct list { double x; struct list *next; }; static void *cleared(size_t n) { void *p = malloc(n); memset(p, 0, n); return p; } static void move(double *to, const double *from, size_t n) { memcpy(to, from, n); } double f(double v, int n) { struct list a = {v, 0}, b = {n, &a}; double *w = cleared(n * sizeof *w); size_t size = n; size *= 8; move(w + 1, &b.next->x, size / 3); double y = w[0] + 10 * w[1] + 100 * w[2]; free(w); return y; }",
    ),
    // Types and constants.
    (
        "an int that meets an unsigned loses its sign",
        "double f(double v, int n) { unsigned u = n; return v + (n - 4 < u); }",
    ),
    (
        "characters have a sign",
        "double f(double v, int n) { return v + '\\377'; }",
    ),
    (
        "half of the values that wrap around are negative",
        "enum { A = (signed char)128 }; double f(double v, int n) { return v + A; }",
    ),
    (
        "quotients of constants are cut off",
        "enum { A = -7 / 2, B = -7 % 3 }; double f(double v, int n) { return v + A * 10 + B; }",
    ),
    (
        "a float and an integer make a float, in constants too",
        "static double a = 0.1f * 3; double f(double v, int n) { return v * a; }",
    ),
    (
        "a float is rounded once",
        "double f(double v, int n) { return v * 1.00000017881393432617187499f; }",
    ),
    (
        "functions of float are those of float",
        "#include <math.h>\ndouble f(double v, int n) { float s = 0, x = 0.0004f * (float)v; for (int i = 0; i < 100 * n; i++) { float y = x < 1 ? x : 1 / x; s += tanhf(x) + logf(x) + expf(-x) * 3 + sinf(x) + cosf(x) * tanf(y) + asinf(y) + acosf(y) + atanf(x) + sinhf(y) + coshf(y) + asinhf(x) + acoshf(1 + x) + atanhf(y / 2) + erff(y) + erfcf(y) + tgammaf(1 + y) + lgammaf(x) + cbrtf(x) + expm1f(y) + log1pf(x) + log2f(x) + log10f(x) + powf(x, y) + atan2f(x, -y) + hypotf(x, y); x *= 1.03f; } return s; }",
    ),
    (
        "a real that is no 0 is a true _Bool",
        "double f(double v, int n) { _Bool b = v * 0.1; return v + b; }",
    ),
    (
        "the count of a shift does not make its type",
        "double f(double v, int n) { unsigned h = 0xf0000000u + n; long by = n; return v + (h << by) / 16u; }",
    ),
    (
        "integers without sign are shifted without one",
        "double f(double v, int n) { unsigned long h = -(unsigned long)n; return v + (h >> 60); }",
    ),
    (
        "both choices make the type",
        "double f(double v, int n) { return (n > 2 ? 1 : v) / 2 + (n > 5 ? 2 : v); }",
    ),
    (
        "a case has the type of its switch",
        "double f(double v, int n) { unsigned u = n - 4; switch (u) { case -1: return v; case 3: v = 1; } return 2 * v; }",
    ),
    (
        "structures are as long as arrays of them need",
        "struct s { double a; char b; }; double f(double v, int n) { return v + sizeof(struct s); }",
    ),
    (
        "old-style parameters come in the order of the list",
        "static double g(a, b) double b; int a; { return a / 2 - 2 * b; } double f(double v, int n) { return g(n, v); }",
    ),
    (
        "a structure without a name has a place of its own, and gaps around it",
        "#include <stddef.h>\nstruct s { double a; struct { double b; int c; }; int d; struct { char e; }; }; double f(double v, int n) { return v + sizeof(struct s) + 100 * offsetof(struct s, d) + 1e4 * offsetof(struct s, e); }",
    ),
    (
        "a constant union has the number of its bits",
        "static const union { unsigned long long bits; double value; } inf = {0x7FF0000000000000ULL}, half = {.bits = 0x3FE0000000000000}; static union { float value; unsigned bits; } const third = {.bits = 0x3eaaaaab}; double f(double v, int n) { return v < 0 ? inf.value : v * half.value + third.value + (inf.value > 1e308); }",
    ),
    (
        "bits of integers are counted",
        "double f(double v, int n) { unsigned u = n << 28; long k = -n; return v + __builtin_ctz(12u * n) + 10 * __builtin_clz(n) + 100 * __builtin_clzl(u) + 1000 * __builtin_popcount(k) + 10000 * __builtin_popcountll(k) + 1e6 * __builtin_ffsl(k * 16) + 1e8 * __builtin_parity(u) + 1e9 * __builtin_ffs(n - 3) + 1e10 * __builtin_ctzl(1ul << 40); }",
    ),
    // Initial values.
    (
        "members without a name are told apart, whatever is in them",
        "struct s { union { double a[3]; struct { double x, y, z; }; }; union { double b[2]; struct { double u, w; }; }; struct { struct { double d; }; }; struct { struct { double e; }; }; }; double f(double v, int n) { struct s p = {{{v, 2, 3}}, {{4, v}}, {{5}}, {{6}}}; return p.x + 10 * p.y + 1e2 * p.u + 1e3 * p.w + 1e4 * p.d + 1e5 * p.e + sizeof p; }",
    ),
    (
        "what is locked is evaluated",
        "#include <pthread.h>\nstatic pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static int k; static pthread_mutex_t *next(void) { k++; return &m; } double f(double v, int n) { pthread_mutex_lock(next()); pthread_mutex_unlock(&m); return v * (k + 1); }",
    ),
    (
        "a structure without a name has braces of its own, or none",
        "struct s { int a; struct { double b, c; struct { int d, e; }; }; double g; }; double f(double v, int n) { struct s x = {1, {v, 2, {3}}, 4}, y = {1, v, 3, 4, 5, 6}, z = {.c = v, {7, 8}, .g = 9}, *p = &z; return x.b + 10 * x.c + 1e2 * x.d + 1e3 * x.g + 1e4 * y.e + 1e5 * y.g + p->c + 1e6 * p->d + 1e7 * z.e + 1e8 * z.g + 1e9 * x.e; }",
    ),
    (
        "a list replaces what its part was given before",
        "struct s { int a[3], b; }; double f(double v, int n) { struct s x = {.a = {1, 2, 3}, .b = n, .a = {4}}; return v + x.a[0] + 10 * x.a[1] + 100 * x.a[2] + 1000 * x.b; }",
    ),
    // The order of what is done.
    (
        "an operand of && and || is evaluated where it decides",
        "double f(double v, int n) { int k = 0; if (v > 100 && k++ >= 0) v = 1; if (n || k++ < 0) v += 1; return v * 10 + k; }",
    ),
    (
        "a function of the library is called each time that its value is needed, and then alone",
        "#include <math.h>\n#include <ctype.h>\n#include <stdlib.h>\ndouble f(double v, int n) { int i, k = 0, p[5] = {50, 53, 42, 49, 0}; double s = 1, t = 0, a[3] = {1, 2, 3}; while (rint(s) < 3 && s < 100) s += 0.75; for (i = 0; isdigit(p[i]); i++) k++; for (i = 0; i < n + 2; i++) if (i < n && nearbyint(a[i]) > 1) t += a[i]; k += n - 3 != 0 && div(7, n - 3).quot > 2; k += n == 3 ? 5 : div(7, n - 3).rem; do t += logb(s); while (scalbn(t, 1) < 20); return v * s + t + 100 * k; }",
    ),
    (
        "texts that decide are those of C",
        "#include <string.h>\n#include <stddef.h>\nstruct m { const char *name; double k; }; static const struct m table[] = {{\"sin\", 2}, {\"\", 5}, {0, 0}};\ndouble f(double v, int n) { const struct m *p = table; int k = p->name[0] ?: 5; const char *a = \"a\", *b = v > 1 ? \"b\" : \"c\"; const char *t = a == b ? \"same\" : \"other\", *u = a == b ? \"same\" : NULL; return k * v + (strcmp(t, \"same\") == 0) + 10 * (u != NULL) + 100 * (strcmp(a, b) < 0u); }",
    ),
    (
        "statements in an expression come one after the other",
        "double f(double v, int n) { return ({ int k = n; k += 2; k *= 3; k * v; }); }",
    ),
    (
        "a condition is evaluated once",
        "double f(double v, int n) { int k = 2; v += k++ ?: 7; return 10 * v + k; }",
    ),
    (
        "a condition that a constant decides is evaluated",
        "double f(double v, int n) { int k = 0; if (k++ < 0 && 0) v = 100; return v + k; }",
    ),
    (
        "what is given to a parameter that nothing uses is evaluated",
        "union u { int k; char c; }; static int count; static union u *next(union u *p) { count++; return p; } static double g(double x, union u *p) { return 2 * x; } double f(double v, int n) { union u u; v = g(v, next(&u)); return v + 100 * count; }",
    ),
    (
        "a member that is assigned is no other member, wherever pointers lead",
        "#include <stdlib.h>\nstruct p { double v; int pinned, at[2]; }; struct c { int w, k; struct p *parts; struct c *next; }; double f(double v, int n) { struct c *c = calloc(1, sizeof *c), *d = calloc(1, sizeof *d); c->next = d; d->next = c; c->w = n; c->parts = calloc(n, sizeof(struct p)); d->parts = c->parts; (&c->parts[0 * c->w])->pinned = (&c->parts[c->w - 1])->pinned = 1; c->parts[c->w - 2].v = d->next->parts[c->next->next->w - 1].v = v; c->parts[c->k].at[c->w - 2] = c->next->parts[c->w - 1].at[c->k] = n + 4; int s = c->w * (d->next->k = 2) + (c->next->next->parts->at[0] += 5) * c->k++; double y = s + 10 * c->parts[0].pinned + 20 * c->parts[n - 1].pinned + c->parts[1].v * c->parts[2].v + 100 * c->parts[0].at[1] + 1000 * c->parts[2].at[0] + 1e4 * c->parts[0].at[0] + 1e5 * c->k; free(c->parts); free(c); free(d); return y; }",
    ),
    // Jumps and loops.
    (
        "a case may lead into what is never entered otherwise",
        "double f(double v, int n) { switch (n) { case 0: v = 1; if (0) { case 3: v *= 7; } v += 1; } return v; }",
    ),
    (
        "a counter keeps its value where goto leaves its loop",
        "double f(double v, int n) { int i = 7; for (i = 0; i < 10; i++) if (i * v > 4) goto out; v = 100; out: return v + i; }",
    ),
    (
        "the bound of a loop may change in it",
        "double f(double v, int n) { int m = n, k = 0; for (int i = 0; i < m; i++) { m--; k++; } return v + k; }",
    ),
    (
        "the bound of a loop may be an element that changes in it",
        "double f(double v, int n) { int c[2] = {n, 5}, k = 0; for (int i = 0; i < c[0]; i++) { c[0] -= 1; k++; } return v + k; }",
    ),
    (
        "a counter below 0 is large for a bound without sign",
        "double f(double v, int n) { unsigned m = n; int k = 0; for (int i = -1; i < m; i++) k++; return v + k; }",
    ),
    // Pointers.
    (
        "a pointer that is never assigned anything else is null",
        "#include <stddef.h>\ndouble f(double v, int n) { const double *p = NULL; if (n > 5) p = &v; return p ? 1 : v; }",
    ),
    (
        "what is behind a question whether a pointer that is always null leads anywhere is never reached",
        "typedef struct { double a[3]; struct { int k; double z; } in; } P; struct d { const double *lo, *up; const P *p; double (*m)[3]; double *g; int *k; };\nstatic double h(struct d *d, double x) { if (d->lo && d->up) x += d->lo[1] - *d->up; if (d->p) { P q = *d->p; x += q.a[1] + d->p[2].in.z; } if (d->m != 0) x -= d->m[1][2]; if (d->g) *d->g = x; return x * (d->k ? d->k[0] : 3); }\ndouble f(double v, int n) { struct d d; d.lo = d.up = 0; d.p = 0; d.m = 0; d.g = 0; d.k = 0; return h(&d, v) + n; }",
    ),
    (
        "a member is null in one structure and not in another",
        "struct d { const double *w; int n; }; static double h(const struct d *d, double x) { double s = x; const double *p = d->w; if (d->w) s += d->w[d->n]; if (p) while (p <= d->w + 1) s += *p++; return s * x; }\ndouble f(double v, int n) { double w[2] = {n, 5}; struct d a = {w, 1}, b = {0, 1}, c[2] = {{0, 0}, {w, 0}}; double s = h(&a, v) + 10 * h(&b, v); for (int i = 0; i < 2; i++) s += h(c + i, v); return s; }",
    ),
    (
        "null is passed to a parameter of each kind",
        "struct o { double scale; const double *w; }; static double sum(int n, const double *a, const struct o *o, double (*m)[3], int *k, double **r, void *data) { double *p = data, s = 0; for (int i = 0; i < n; i++) s += a[i] * (o ? o->scale : 2) + (o && o->w ? o->w[i] : 1); if (m) s += m[1][2]; if (k) s *= k[0]; if (r && r[0]) s += r[0][1]; if (p) s += p[1]; return s; }\ndouble f(double v, int n) { double a[3] = {v, 2, 3}; struct o o = {v, 0}; return sum(n, a, 0, 0, 0, 0, 0) + 10 * sum(n, a, &o, 0, 0, 0, 0) + 100 * sum(n, a, &o, 0, &n, 0, a); }",
    ),
    (
        "elements of arrays of pointers in structures are null",
        "struct d { const double *w[3]; int n; }; static double h(const struct d *d, double x) { for (int i = 0; i < 3; i++) if (d->w[i]) x += d->w[i][i]; return x * x; }\ndouble f(double v, int n) { double w[2] = {v, n}; struct d a = {{w, 0, 0}, 2}, b = {{0, 0, 0}, 1}; a.w[n - 2] = w; return h(&a, v) + 10 * h(&b, v); }",
    ),
    (
        "a pointer is null on each way on which it is assigned",
        "double f(double v, int n) { const double *p; double s = v; if (n > 5) { p = 0; if (p) s += p[0]; } else { p = 0; if (p) s *= p[1]; s += n; } goto next; use: return p ? *p : s; next: s *= 3; goto use; }",
    ),
    (
        "null pointers are equal",
        "#include <stddef.h>\nstatic double g(const double *w, double x) { const double *q = w; return q == w ? x : w ? *w : 2 * x; } double f(double v, int n) { return g(NULL, v) + 10 * g(&v, v); }",
    ),
    (
        "in one row the columns decide on the order",
        "double f(double v, int n) { double a[2][3] = {{0}}; int i = n - 2, j = n > 0; return v + (&a[i][2] <= &a[j][0]); }",
    ),
    (
        "the first function of a table is not null",
        "static double a(double x) { return 2 * x; } static double b(double x) { return 3 * x; } static double (*const t[])(double) = { a, 0, b, a }; double f(double v, int n) { double s = 0; for (int i = 0; i < 4; i++) if (t[i]) s = 10 * s + t[i](v); return s; }",
    ),
    (
        "a function that may be null is asked for it",
        "#include <stddef.h>\nstatic double h(double x) { return 3 * x; } static double g(double (*of)(double), double x) { return of ? of(x) : 9; } double f(double v, int n) { return v + g(n > 5 ? h : NULL, v); }",
    ),
    (
        "rows stay where they are when their block is moved on",
        "double f(double v, int n) { double u[10] = {1, 2, 3, v, 5, 6, 7, 8, 9, 10}, *w = u, *a[3]; for (int i = 0; i < 3; i++) a[i] = w + i * n; w++; return a[1][0] + 10 * *w; }",
    ),
    (
        "memory of each pass is other memory until it is freed",
        "#include <stdlib.h>\ndouble f(double v, int n) { double *old = NULL, s = 0; for (int i = 0; i < n; i++) { double *p = malloc(2 * sizeof *p); p[0] = i + v; if (old) { s = 3 * s + old[0]; free(old); } old = p; } free(old); return s; }",
    ),
    (
        "bits are counted down",
        "#include <stdint.h>\n#pragma cfgrev no-diff(bits)\ndouble f(double v, int n) { (*(uint64_t *)&v)--; return v; }",
    ),
    // Texts.
    (
        "names in a table are compared with a text",
        "#include <string.h>\n#include <stddef.h>\nstatic const struct species { const char *name; double a; } table[] = {{\"H2\", 1.5}, {\"O2\", 32}, {\"N2\", 28}};\nstatic const struct species *find(const char *name) { for (int i = 0; i < 3; i++) if (strcmp(table[i].name, name) == 0) return &table[i]; return NULL; }\ndouble f(double v, int n) { return find(\"O2\")->a * v + (find(\"CO\") == NULL) + find(\"H2\")->a; }",
    ),
    (
        "a text in a structure is as long as up to its end",
        "#include <string.h>\nstruct bond { char isin[13]; double coupon; };\ndouble f(double v, int n) { struct bond b = {\"DE0001102580\", v}; return strlen(b.isin) == 12 ? b.coupon * v : strlen(\"abc\"); }",
    ),
    (
        "keys are copied into structures, and cut off",
        "#include <string.h>\nstruct entry { char key[8]; double value; };\nstatic void put(struct entry *e, const char *k, double v) { strncpy(e->key, k, 7); e->key[7] = 0; e->value = v; }\nstatic double get(const struct entry *e, int n, const char *k) { for (; n--; e++) if (strcmp(e->key, k) == 0) return e->value; return -1; }\ndouble f(double v, int n) { struct entry t[2]; put(t, \"a\", v); put(t + 1, \"bcdefghijk\", 2 * v); return get(t, 2, \"bcdefgh\") * get(t, 2, \"a\") + get(t, 2, \"b\"); }",
    ),
    (
        "the characters of a text are walked through, with their signs",
        "static unsigned hash(const char *s) { unsigned h = 5381; while (*s) h = h * 33 + *s++; return h; }\ndouble f(double v, int n) { return v * (hash(\"kinetic\") % 97) + hash(\"\") % 7 + hash(\"\\303\\244\") % 11; }",
    ),
    (
        "functions are chosen by their names",
        "#include <string.h>\n#include <math.h>\nstatic double act(const char *name, double x) { if (!strcmp(name, \"tanh\")) return tanh(x); if (!strcmp(name, \"relu\")) return x > 0 ? x : 0; return x; }\ndouble f(double v, int n) { const char *kind = n > 2 ? \"tanh\" : \"relu\"; return act(kind, v) + act(\"relu\", v) * act(\"id\", v); }",
    ),
    (
        "texts are searched, measured, joined and compared as the library does",
        "#include <string.h>\ndouble f(double v, int n) {\n    const char *s = \"one, two; three\"; char b[32];\n    strcpy(b, \"ab\"); strcat(b, \"cd\"); strncat(b, \"efgh\", 2);\n    double y = strlen(b) + 10.0 * (strcmp(b, \"abcdef\") == 0);\n    y += 100.0 * (strchr(s, ',') - s) + 1e4 * (strrchr(s, 't') - s) + 1e6 * (strstr(s, \"two\") - s) + 1e8 * strspn(s, \"eno\") + 1e9 * strcspn(s, \";,\") + 1e10 * (strpbrk(s, \"; \") - s);\n    y += (strstr(s, \"four\") == NULL) + 2 * (strchr(s, 'z') == 0) + 4 * (strchr(s, 0) == s + 15);\n    y += 1e12 * (strcasecmp(\"ABc\", \"abC\") == 0) + 2e12 * (strncasecmp(\"ABx\", \"aby\", 2) == 0) + 4e12 * (strncmp(\"abx\", \"aby\", 2) == 0) + 8e12 * (strncmp(\"abx\", \"aby\", 3) < 0) + 1.6e13 * strnlen(s, 4);\n    return v + y + (strcmp(\"a\", \"\\377\") < 0) * 0.5;\n}",
    ),
    (
        "functions are registered with their names, and found by these",
        "#include <string.h>\n#include <math.h>\ntypedef double (*model)(double);\nstatic struct { const char *name; model fn; } registry[8]; static int count;\nstatic void add(const char *name, model fn) { registry[count].name = name; registry[count].fn = fn; count++; }\nstatic model find(const char *name) { for (int i = 0; i < count; i++) if (strcmp(registry[i].name, name) == 0) return registry[i].fn; return 0; }\nstatic double sq(double x) { return x * x; } static double cu(double x) { return x * x * x; }\ndouble f(double v, int n) { add(\"square\", sq); add(\"cube\", cu); add(\"sine\", sin); return find(\"cube\")(v) + find(\"sine\")(v) + (find(\"none\") == 0); }",
    ),
    (
        "a name that is printed is compared, too",
        "#include <string.h>\n#include <stdio.h>\nstruct p { const char *name; double v; };\nstatic double use(const struct p *p, const char *what) { fprintf(stderr, \"%s %g\\n\", p->name, p->v); return strcmp(p->name, what) == 0 ? p->v : 0; }\ndouble f(double v, int n) { struct p a = {\"first\", v}, b = {\"second\", 2 * v}; return use(&a, \"first\") + 3 * use(&b, \"second\") + use(&a, \"none\"); }",
    ),
    (
        "a table of texts ends with null",
        "#include <string.h>\nstatic const char *const names[] = {\"alpha\", \"beta\", \"gamma\", NULL}; static const double c[] = {1, 2, 3};\nstatic int index_of(const char *key) { for (int i = 0; names[i]; i++) if (!strcmp(names[i], key)) return i; return -1; }\ndouble f(double v, int n) { return v * c[index_of(\"beta\")] + c[index_of(\"gamma\")] * v * v + index_of(\"x\"); }",
    ),
    (
        "characters of a text are those that it is written with",
        "#include <string.h>\nstatic const char mode[] = \"fast\";\ndouble f(double v, int n) { const char *s = \"tab\\tq\\\"\\\\\" \"joined\"; switch (s[3]) { case '\\t': v *= 2; } if (!strcmp(mode, \"fast\")) v *= v; return v + s[7] + sizeof \"abc\" + \"xyz\"[n - 2] + \"0123456789abcdef\"[n * 4] + *\"k\"; }",
    ),
    (
        "arrays of characters are copied and cleared",
        "#include <string.h>\ndouble f(double v, int n) { char a[8] = \"abc\", b[8]; memcpy(b, a, sizeof a); memset(a, 0, sizeof a); memcpy(a, \"xy\", 3); return v * (strcmp(a, \"xy\") == 0) + 2 * v * v * (strcmp(b, \"abc\") == 0) + a[2]; }",
    ),
    (
        "what only an error writes for a handler that nothing sets is left out",
        "#include <stdarg.h>\n#include <stdio.h>\nstatic void (*handler)(const char *); static int errors;\nstatic void report(const char *format, ...) { char text[80]; va_list list; va_start(list, format); vsnprintf(text, sizeof text, format, list); va_end(list); errors++; if (handler) handler(text); }\ndouble f(double v, int n) { if (n > 2) report(\"%d is too large\", n); return v * errors; }",
    ),
    // Complex numbers.
    (
        "operators on complex numbers are those of the compiler",
        r#"#include <complex.h>
double f(double v, int n) { double complex z = v + n * I, w = 0.3 - 2 * I * v; double complex y = z * w / (z - w) + -z * 2 - w / 3 + 1 / z - (n - w) + ~z; y += z; y -= 2; y *= w; y /= z; y *= v; y /= n; y = +y + (z == w) + 10 * (z != w) + 100 * !y + 1000 * (y && n) + (n > 2 ? y : v); return creal(y) + 3 * cimag(y); }"#,
    ),
    (
        "parts of complex numbers that are 0 or differ much divide as in C",
        r#"#include <complex.h>
#define PAIR(x, y) __builtin_complex((double)(x), (double)(y))
#include <math.h>
double f(double v, int n) { double s = 0, t[] = {0, -0.0, v, -1e-320, 1e-300, 1e-17, 1e150, -1e308, 2}; for (int i = 0; i < 9; i++) for (int j = 0; j < 9; j++) for (int k = 2; k < 9; k++) { double complex z = PAIR(t[i], t[j]) / PAIR(t[k], t[(i + j) % 9]), w = PAIR(t[i], t[j]) * PAIR(1e-200, t[k]); double a = creal(z), b = cimag(z), c = creal(w), d = cimag(w); if (a - a == 0 && b - b == 0) s = s / 2 + a / (1 + fabs(a)) + 3 * b / (1 + fabs(b)); if (c - c == 0 && d - d == 0) s += c / (1 + fabs(c)) - d / (1 + fabs(d)); } return s; }"#,
    ),
    (
        "infinities come out of products and quotients that are no numbers by parts",
        r#"#include <complex.h>
#define PAIR(x, y) __builtin_complex((double)(x), (double)(y))
#include <math.h>
double f(double v, int n) { double complex a = PAIR(INFINITY, NAN) * PAIR(v, -1), b = PAIR(v, n) / 0.0, c = PAIR(v, n) / PAIR(INFINITY, v), d = PAIR(v, n) / PAIR(0, 0), e = PAIR(1e200, 1e200) * PAIR(1e200, -1e200), g = PAIR(INFINITY, 1) / PAIR(2, v); return isinf(creal(a)) + 2 * !!isinf(cimag(a)) + 4 * isinf(creal(b)) + 8 * (creal(c) == 0) + 16 * isinf(creal(d)) + 32 * isinf(creal(e)) + 64 * isnan(cimag(e)) + 128 * isinf(creal(g)) + 256 * signbit(cimag(g)); }"#,
    ),
    (
        "functions of complex numbers are those of the library",
        r#"#include <complex.h>
#define PAIR(x, y) __builtin_complex((double)(x), (double)(y))
double f(double v, int n) { double complex s = 0; for (int i = -n; i <= n; i++) for (int j = -n; j <= n; j++) { double complex z = PAIR(i * v / 7, j * 0.31), w = z + 0.4 - 0.7 * I; s += cexp(z) + clog(w) * csqrt(z) - cpow(w, z) + csin(z) / ccos(w) + ctan(z) * csinh(w) - ccosh(z) + ctanh(w) + conj(z) * cproj(w) + cabs(z) + I * carg(w); } return creal(s) + 7 * cimag(s) + creal(csqrt(-4)) + cimag(csqrt(PAIR(-v, -0.0))) + creal(cpow(v, n)) + creal(cpow(0, 2)); }"#,
    ),
    (
        "complex numbers of float are those of float",
        r#"#include <complex.h>
#define PAIRF(x, y) __builtin_complex((float)(x), (float)(y))
double f(double v, int n) { float complex s = 0, one = I; double complex d = one * v; for (int i = -n; i <= n; i++) { float complex z = PAIRF(i * (float)v, 0.3f * i), w = z + 0.4f - 0.7f * I; s += cexpf(z / 4) + clogf(w) * csqrtf(z) - cpowf(w, z / 3) + csinf(z / 4) / ccosf(w / 4) + ctanf(z) * csinhf(w / 4) - ccoshf(z / 4) + ctanhf(w) + conjf(z) * cprojf(w) + cabsf(z) + I * cargf(w); s *= 1.1; s /= 2; d += s * w; } return crealf(s) + 7 * cimagf(s) + creal(d) + cimag(d) + sizeof(s * 2) + 100 * sizeof(s * v) + 10000 * sizeof(I); }"#,
    ),
    (
        "complex numbers are elements, members, parameters and results",
        r#"#include <complex.h>
#include <stdlib.h>
typedef double complex cd; struct s { int k; cd z; float complex c[2]; double d; }; static const cd table[3] = {1, [2] = 0.5 - 2.5 * I}; static cd kept = -I; static struct s fixed = {1, 2 * I, {3, 4 + I}, 5};
static cd next(void) { kept *= 1 + I; return kept; } static void turn(cd *z, cd by) { *z *= by; } static struct s make(cd z) { struct s a = {7, z, {z, 2}, z}; return a; } static double real(double x) { return 2 * x; }
double f(double v, int n) { cd a[4] = {v, I, {2}, n - v * I}, *p = a, *h = calloc(n, sizeof *h), zero = {0}, m[2][2] = {{1, v}, {I}}; struct s b = {0}; turn(&a[1], v); turn(p + 3, I); b = make(a[3]); *++p += 2; p[1] -= next(); int i = 0; a[i++] *= 2; h[1] = table[2] * fixed.z; h[2] = kept; b.c[1] *= a[1]; b.z /= fixed.c[1]; m[1][1] = m[0][1] * m[1][0]; cd s = zero + (cd){v} + (cd)n + (float complex)v; for (int k = 0; k < 4; k++) s = s / 2 + a[k]; for (int k = 0; k < 3; k++) s = s / 3 + h[k] * table[k]; free(h); s += b.z + b.c[0] * b.c[1] + b.d + fixed.d + m[1][1] + i; double d = s; int t = b.z; _Bool yes = I, no = zero; if (s) d += 1; while (zero) d = 0; for (; zero;) d = 0; return d + 3 * cimag(s) + real(s) + 10 * t + 100 * yes + 1000 * no + sizeof a + sizeof(struct s); }"#,
    ),
    (
        "a transform of complex numbers is that of the compiler",
        r#"#include <complex.h>
#include <math.h>
static void fft(double complex *y, double complex *t, int n, int step) { if (step >= n) return; fft(t, y, n, 2 * step); fft(t + step, y + step, n, 2 * step); for (int i = 0; i < n; i += 2 * step) { double complex w = cexp(-I * acos(-1) * i / n) * t[i + step]; y[i / 2] = t[i] + w; y[(i + n) / 2] = t[i] - w; } }
double f(double v, int n) { double complex y[16], t[16]; for (int i = 0; i < 16; i++) t[i] = y[i] = v * i - sin(i) * I; fft(y, t, 16, 1); double s = 0; for (int i = 0; i < 16; i++) s += (i + 1) * creal(y[i] * conj(y[i])) + cabs(y[i]) * cabs(y[i]); return s; }"#,
    ),
    (
        "compilers have words and numbers of their own for parts",
        r#"double f(double v, int n) { __complex__ double z = 2.5i + 1.0f; __real__ z = v; __imag__ z += n; double _Complex w = __builtin_complex(v, 3.0) * 1.0iF; return __real__ (z * w) + 2 * __imag__ w + __real__ v + __imag__ v + __builtin_cabs(z) + sizeof(1.0iF); }"#,
    ),
    (
        "tgmath.h chooses functions of complex numbers",
        r#"#include <tgmath.h>
double f(double v, int n) { double complex z = v + n * I; float complex w = z / 8; double y = creal(exp(z) + sqrt(z) * pow(z, 2) + pow(v, w * 1.0) + log(w) + sin(w)) + fabs(z) + fabs(w) + cimag(conj(w)) + carg(w) + exp(v) + fabs(v) + creal(v); return y + sizeof(exp(w)); }"#,
    ),
    // Bits.
    (
        "a union gives the bits of a float",
        "#pragma cfgrev no-diff(bits)\n#include <stdint.h>\ndouble f(double v, int n) { union { float f; int32_t i; } b = {v}; b.i = 0x5f3759df - (b.i >> 1); return b.f * (1.5f - 0.5f * (float)v * b.f * b.f); }",
    ),
    (
        "a union gives the bits of a double, also those of its copies",
        "#pragma cfgrev no-diff(bits)\n#include <stdint.h>\ntypedef union { uint64_t bits; double value; struct { uint32_t low, high; } halves; } number;\ndouble f(double v, int n) { number a, b; a.value = -v - n; b.value = 1.0; b.bits |= a.bits & 0x000fffffffffffffu; a.bits &= ~(1ull << 63); return b.value * v + (a.value > 2.0 ? a.value : 1.0); }",
    ),
    (
        "an integer that is read or written as another one of its size is converted",
        r#"#include <ctype.h>
static int same(const char *a, char *b) { return *(unsigned char *)a == *(unsigned char *)b; } static unsigned hash(const char *s, int n) { unsigned h = 7; while (n--) h = 31 * h + *(const unsigned char *)s++; return h; }
double f(double v, int n) { char t[6] = "a9\351\200z", m[2][2] = {{1, -2}, {-3, 4}}, *p = t; int i = -n, *q = &i, w[2] = {-1, 5}; long long k = -9; unsigned u = *(unsigned *)&i / 2; double y = same("N", "T") + 10 * same("N", "N") + 100 * ((unsigned char *)t)[n - 1] + 7 * *((unsigned char *)t + 2) + *((signed char *)p + n - 1) + u; if (isdigit(*(unsigned char *)++p)) y += hash(t, 5); if (!isalpha(((unsigned char *)p)[n - 2] & 127)) y *= 3; ((unsigned char *)m[0])[n] = 253; *(unsigned *)q += 5; y += 1e3 * m[1][1] + ((unsigned char *)m[0])[2] + *(unsigned long *)&k / 3; y += (*(unsigned *)w)++ + 2.0 * --((unsigned *)w)[1]; *(unsigned char *)p = 300; y += (*(unsigned char *)t = 511) + w[0] + sizeof *(unsigned char *)p; *(unsigned char *)p++ = n; return v * y + i + 10 * t[1] + 2 * t[0]; }"#,
    ),
    (
        "a local pointer reads and writes integers as others of their size",
        r#"#include <string.h>
static int order(const char *a, const char *b) { const unsigned char *p = (const unsigned char *)a, *q = (const void *)b; while (*p && *p == *q) p++, q++; return *p - *q; }
static unsigned hash(const char *s) { unsigned h = 5381; for (const unsigned char *p = (const unsigned char *)s; *p; ++p) h = h * 33 + *p; return h; }
static int count(const char *s, int n) { const unsigned char *p = (const unsigned char *)s + 1, *end = p + n, *first = p; int k = 0; if (!p || p == NULL) return -1; while (p < end) if (*p++ > 127) k++; for (p = (const unsigned char *)s; p != end; p += 1) k += p[0] == 'a'; p = end; return 100 * k + 10 * (p - first) + (end - p) + strlen((char *)first); }
static int sum(const char *s) { int k = 0; while (*s) k += *s++; return k; }
static int copied(char *to, const char *from) { unsigned char *d = (unsigned char *)to; const unsigned char *s = (const unsigned char *)from; int k = 0; while ((*d++ = *s++)) k++; return (d[0] = 300) + 1000 * k + (d[-1] = d[-2] = 200); }
struct link { int *at; struct link *next; };
double f(double v, int n) { char t[8] = "a\300bc\200", *w = t; unsigned u[3] = {1, 4000000000u, 3}; int *i = (int *)u, *j = i + 1; unsigned char *c = (unsigned char *)w; *c++ = 290; *c += 5; (*c)++; c[1]--; *j /= 2; i[2] = -n; struct link a = {&n, 0}, b = {&n, &a}; unsigned *m = (unsigned *)b.next->at; *m += 4; m = (unsigned *)a.at; double y = *m + *j; int *const k = (int *)&u[0]; *k -= 3; if (c > (unsigned char *)w) y += c - (unsigned char *)t; y += sum((char *)c); y += 0.5 * copied(t, "ab\351"); return v * order("a\200", "a\100") + 3.0 * hash("ab\377") + count(t, 3) + sum(t) + t[4] + y + i[2] + u[1] + 2 * u[2] + u[0] + (b.next->next == 0); }"#,
    ),
    (
        "an assignment of bits has the bits as its value, and a step behind them those before",
        "#pragma cfgrev no-diff(bits)\n#include <stdint.h>\ndouble f(double v, int n) { union { float f; int32_t i; } b = {v}; int k = b.i++, m = --b.i, j = b.i += n; uint64_t u = *(uint64_t *)&v ^= 1ull << 51; for (int i = 0; i < n; b.i++) i++; return b.f + (k & 255) + 10 * (m & 255) + 100 * (j & 255) + (u >> 48); }",
    ),
    (
        "another function changes a number that is kept between calls",
        "static void set(double *p, double v) { *p = v; }\nstatic double last(double v) { static double l; double r = l; set(&l, v); return r; }\ndouble f(double v, int n) { last(3 * v); return last(n); }",
    ),
    (
        "another function changes an integer that is kept between calls, for a function whose calls change nothing else",
        "static void bump(int *p) { (*p)++; }\nstatic int calls(int ask) { static int n[2]; if (!ask) bump(n + 1); return n[1]; }\nstatic void tick(void) { calls(0); }\ndouble f(double v, int n) { tick(); tick(); return v * n * calls(1); }",
    ),
    (
        "an integer that is kept between calls decides on a change that the caller sees",
        "static void bump(int *p) { ++*p; }\nstatic void add(double *to, double v) { static int n; bump(&n); *to += n * v; }\ndouble f(double v, int n) { double sum = n; add(&sum, v); add(&sum, v); return sum; }",
    ),
    (
        "a parameter that is assigned through its address leads elsewhere",
        "static double w[1];\nstatic void set(double *p, double v) { double **q = &p; *q = w; *p = v; }\nstatic void tell(double v) { double a[1] = {0}; set(a, v); }\ndouble f(double v, int n) { tell(v); return n * w[0]; }",
    ),
];

/// The value that the executor has.
fn ours(text: &str) -> Result<Vec<f64>, Diagnostics> {
    let options = cfg_c::Options {
        routine: Some("f".to_owned()),
        ..cfg_c::Options::default()
    };
    let file = cfg_c::SourceFile::new("f.c", text.as_bytes());
    let read = cfg_c::read_c(&[file], &options, &mut cfg_c::NoFiles);
    let Some(program) = read.program else {
        return Err(read.problems);
    };
    let program = validate(program)?;
    let routine = |program: &ValidProgram| program.find_routine("f").expect("it is there");
    let head = routine(&program);
    let lowered = flatten(program, &[head], &cfg_transform::flat::Options::default())?.program;
    let options = Options::default();
    let mut primal = Primal::new(&lowered, routine(&lowered), &options)?;
    let point = primal.read_point(br#"{"v":2.5,"n":3}"#)?;
    let run = primal.run(&point)?;
    let value = run.value.iter().find(|(name, _)| name == "return");
    let value = value.and_then(|(_, value)| value.to_f64s());
    Ok(value.unwrap_or_default())
}

#[test]
fn rules_of_c_are_kept() {
    let Some(cc) = needs::tool("cc") else { return };
    let place = tempfile::tempdir().expect("a folder");
    let main = "#include <stdio.h>\nint main(void) { printf(\"%.17g\", f(2.5, 3)); return 0; }\n";
    let mut wrong = String::new();
    for (rule, text) in RULES {
        let expected = printed(&cc, place.path(), &format!("{text}\n{main}"), &[]);
        let expected: f64 = expected.parse().expect("a number");
        match ours(text) {
            Ok(value) if value == [expected] => {}
            Ok(value) => wrong += &format!("{rule}: {value:?}, not {expected:?}\n{text}\n\n"),
            Err(problems) => wrong += &format!("{rule}: {problems}\n{text}\n\n"),
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// A null pointer leads to no element where the run comes to it.
#[test]
fn null_leads_nowhere() {
    let texts = [
        (
            "X201",
            "double f(double v, int n) { const double *p = 0; return v + p[0]; }",
        ),
        (
            "X201",
            "double f(double v, int n) { double *p = 0; if (n > 2) p[0] = v; return v; }",
        ),
        (
            "X201",
            "struct d { const double *lo; }; static double h(struct d *d, double x, int k) { return x + d->lo[k]; }\ndouble f(double v, int n) { struct d d = {0}; return h(&d, v, 0); }",
        ),
        (
            "X201",
            "struct p { double a, b; }; struct d { struct p *lo; double (*m)[2]; }; static double h(struct d *d, int n) { if (n < 3) return d->m[0][1]; return d->lo->b; }\ndouble f(double v, int n) { struct d d = {0, 0}; return v * h(&d, n); }",
        ),
        (
            "X213",
            "static double h(const double *w, double x) { return w ? x : x + w[0]; }\ndouble f(double v, int n) { return h(0, v); }",
        ),
        (
            "X213",
            "static void last(const double *p, int n, double *to) { *to += p[n - 1]; }\nstruct d { const double *w; }; double f(double v, int n) { struct d d = {0}; last(d.w, n - 2, &v); return v; }",
        ),
        (
            "X224",
            "struct node { double v; struct node *next; }; double f(double v, int n) { struct node a = {v, 0}, b = {2, &a}; struct node *p = &b; for (int i = 0; i < n; i++) p = p->next; return p->v; }",
        ),
    ];
    for (code, text) in texts {
        let problems = ours(text).expect_err(text).to_string();
        let code = format!("error[{code}]");
        assert!(problems.contains(&code), "{text}\n{problems}");
    }
}
