//! Small texts with the expected programs and problems: ambiguities of C, the preprocessor, refusals.

use cfg_c::{Files, NoFiles, Options, Read, SourceFile, read_c};

fn read(text: &str) -> Read {
    read_c(
        &[SourceFile::new("t.c", text.as_bytes())],
        &Options::default(),
        &mut NoFiles,
    )
}

/// The program in the text form, validated.
fn program(text: &str) -> String {
    let read = read(text);
    let Some(program) = read.program else {
        return read.problems.to_string();
    };
    let shown = program.to_string();
    match cfg_core::validate::validate(program) {
        Ok(_) => shown,
        Err(problems) => problems.to_string(),
    }
}

/// Each text, and a line of the program that it becomes.
const DECIDED: &[(&str, &str)] = &[
    // A cast of a dereferenced pointer, and a product.
    (
        "typedef float T; double f(double *p) { return (T)*p; }",
        "result := real(real32(p[0]))",
    ),
    (
        "double f(double T, double *p) { return (T)*p[0]; }",
        "result := T*p[0]",
    ),
    (
        "typedef int T; double f(double b) { T a = 1; T * b2 = &a; { double T = 2, c = T * b; return c * *b2; } }",
        "c := T*b",
    ),
    (
        "typedef double T; double f(double b) { T T = b; return T * T; }",
        "result := T*T",
    ),
    (
        "typedef double T; T f(T x) { { int T = 3; x = x * T; } T y = x; return y; }",
        "y := x_local",
    ),
    // A cast of a negative number, and a difference.
    (
        "typedef float T; double f(double x) { return (T)-x; }",
        "result := real(real32(-x))",
    ),
    (
        "double f(double T, double x) { return (T)-x; }",
        "result := T - x",
    ),
    (
        "typedef float T; double f(double x) { return (T)+x; }",
        "result := real(real32(x))",
    ),
    (
        "typedef float T; double f(const double *x) { return (T)(x[0]); }",
        "result := real(real32(x[0]))",
    ),
    // A call of a function in parentheses.
    (
        "static double g(double x) { return x; } double f(double x) { return (g)(x); }",
        "t1 := call g(x)",
    ),
    (
        "typedef float T; double f(double x) { return (double)(T)(x); }",
        "result := real(real32(x))",
    ),
    // sizeof of types and of expressions.
    (
        "typedef float T; long f(double x) { return sizeof (T); }",
        "result := 4",
    ),
    (
        "typedef float T; long f(double x) { return sizeof (T) * 2; }",
        "result := 8",
    ),
    ("long f(void) { char T; return sizeof (T); }", "result := 1"),
    (
        "long f(void) { double a[3][5]; return sizeof a / sizeof a[0] + sizeof(a[0]) / sizeof a[0][0]; }",
        "result := 8",
    ),
    (
        "long f(double x) { return sizeof(int) * 2 + sizeof(int *); }",
        "result := 16",
    ),
    // The else of the nearest if.
    (
        "double f(int a, int b) { if (a) if (b) return 1; else return 2; return 3; }",
        "result := 2.0",
    ),
    // Enumerators and typedef names hide each other.
    (
        "typedef int A; double f(double x) { enum { A = 7 }; return A * x; }",
        "result := 7.0*x",
    ),
    (
        "enum { A = 2, B = A << 3, C }; double f(double x) { return x + C; }",
        "result := x + 17.0",
    ),
    // Declarators.
    (
        "double f(double (*a)[3]) { return a[1][2]; }",
        "result := a[1, 2]",
    ),
    ("double f(double *(a)) { return *a; }", "result := a[0]"),
    (
        "double f(double a[][3]) { return (*(a + 1))[2]; }",
        "result := a[1, 2]",
    ),
    ("double (f)(double (x)) { return x; }", "result := x"),
    (
        "int unsigned long f(long unsigned x) { return x; }",
        "result := x",
    ),
    (
        "double const *const unused; double f(double const x) { return x; }",
        "result := x",
    ),
    (
        "static inline double f(register double x) { return x; }",
        "result := x",
    ),
    (
        "double f(double x) { double a, b = x, c = b; return a = b = c; }",
        "a := b",
    ),
    // Operators.
    (
        "double f(double x, double y) { return x-- - --y; }",
        "result := t1 - y_local",
    ),
    (
        "double f(double x, double y) { return x---y; }",
        "result := t1 - y",
    ),
    (
        "double f(int a, double x) { return a ? x : a ? -x : 0; }",
        "result := if(a != int32(0), x, if(a != int32(0), -x, 0.0))",
    ),
    (
        "double f(double a, double b) { return (a, b); }",
        "result := b",
    ),
    (
        "double f(const double *x) { return 1[x] + *(x + 2) + 3[x]; }",
        "result := (x[1] + x[2]) + x[3]",
    ),
    ("double f(double x) { x += x *= 2; return x; }", "C010"),
    (
        "double f(const double *x) { return *&x[1] + (&x[2])[-1]; }",
        "result := x[1] + x[1]",
    ),
    // Labels beside typedef names.
    (
        "typedef int T; double f(double x) { goto T; T: return x; }",
        "result := x",
    ),
    // Constants.
    (
        "double f(void) { return 0x10 + 010 + 'a' + 0x1p-1 + 1e1 + 1.f; }",
        "result := ((121.0 + 0.5) + 10.0) + 1.0",
    ),
    (
        "double f(void) { return 1'000'000 + 0b1'01 + 0x1p-3f + 0x1.921fb54442d18469898cc5p1; }",
        "result := real(1000005.0f + 0.125f) + 3.141592653589793",
    ),
    (
        "long f(void) { return L'a' + u'\\x3e9' + U'\\n' + sizeof(L'a') + sizeof u8'a'; }",
        "result := 1113",
    ),
    (
        "double f(double x) { int k = __LINE__; return x * k; }",
        "k := int32(1)",
    ),
    (
        "double f(double x) { float y = x; return _Generic(y, double: 1, float: 2 * x, default: z); }",
        "result := 2.0*x",
    ),
    (
        "double f(double x) { return _Generic(\"a\" + 1, int: 1, char *: sizeof(char[7])) * x; }",
        "result := 7.0*x",
    ),
    (
        "double f(double x, double y) { return __builtin_expect(x > y, 1) ? x ?: y : y; }",
        "result := if(x > y, if(x != 0.0, x, y), y)",
    ),
    (
        "long f(void) { return _Alignof(double) + __alignof__(struct { char c; short s; }) + __builtin_types_compatible_p(long, unsigned long); }",
        "result := 10",
    ),
    (
        "double f(double x) { __typeof__(x + 1) y = x; return __extension__ (y * 2); }",
        "result := y*2.0",
    ),
    (
        "unsigned f(void) { return 0xffffffff; }",
        "result := uint32(4294967295)",
    ),
    (
        "long f(void) { return -2147483648 - 1; }",
        "result := -2147483649",
    ),
    (
        "int f(unsigned u, int i) { return u > -1; }",
        "result := int32(u > uint32(4294967295))",
    ),
    (
        "int f(unsigned char c) { return c + 1 << 2; }",
        "result := int32(c) + int32(1) << int32(2)",
    ),
    (
        "unsigned f(unsigned a, int b) { return a * b; }",
        "result := a *% wrap_uint32(b)",
    ),
    // A number whose address is taken stays one, with an array over it.
    (
        "double g; static void b(double *p) { *p += 1; } double f(double x) { b(&g); return g * x; }",
        "global real g",
    ),
    (
        "static void b(int *p) { *p += 1; } double f(double x) { static int k = 3; b(&k); return k * x; }",
        "global int32 f_k",
    ),
    // Memory holds as many elements as there are in its bytes.
    (
        "#include <stdlib.h>\ndouble f(int n, double x) { double *w = malloc(n * 4); w[0] = x; return w[0]; }",
        "local real w_memory[int(n)*4/8 from 0]",
    ),
    // A pointer to void leads to what it is converted to.
    (
        "double f(void *p) { double *a = p; return a[0]; }",
        "result := p[0]",
    ),
    // A pointer that its caller has is not returned.
    (
        "double *f(int n, double *x) { for (int i = 0; i < n; i++) x[i] *= 2; return x + n; }",
        "x[i] := x[i]*2.0",
    ),
    ("double *f(double *x) { x[0] *= 2; return x; }", "C019"),
    // Functions that run before main are not read.
    (
        "static double w = 2; __attribute__((constructor)) static void init(void) { w = 7; } double f(double x) { return x * w; }",
        "C019",
    ),
];

#[test]
fn ambiguities_are_decided() {
    let mut wrong = String::new();
    for (text, line) in DECIDED {
        if line.starts_with('C') {
            let problems = read(text).problems;
            assert!(
                problems.iter().any(|d| d.code == *line),
                "{text}: {problems}"
            );
            continue;
        }
        let shown = program(text);
        if !shown
            .lines()
            .any(|l| l.split(" @[").next().unwrap_or(l).trim() == *line)
        {
            wrong += &format!("{text}\n{line}\n{shown}\n\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Each text, the codes of its problems, and the line and column of the first.
const REFUSED: &[(&str, &[&str], (usize, usize))] = &[
    (
        "union U { int i; double c; };\ndouble f(union U *u) { return u->i + u->c; }",
        &["C005"],
        (2, 19),
    ),
    // Bits of integers have no addresses, and their assignments no values.
    (
        "union U { int i; char c[4]; };\ndouble f(union U *u) { char *p = u->c; return u->i + p[1]; }",
        &["C005"],
        (2, 19),
    ),
    (
        "union U { int i; char c[4]; };\ndouble f(union U *u) { int k = u->c[1] = 2; return u->i + k; }",
        &["C005"],
        (2, 19),
    ),
    (
        "struct B { long a : 40; };\ndouble f(struct B b) { return b.a; }",
        &["C005"],
        (2, 19),
    ),
    (
        "double f(long double _Complex z) { return z; }",
        &["C005"],
        (1, 31),
    ),
    ("double f(int n, ...) { return 0; }", &["C005"], (1, 8)),
    (
        "double f(double *p) {\n  p = 3;\n  return *p; }",
        &["C006"],
        (2, 7),
    ),
    (
        "double f(double x, double (*g)(double)) { return g(x); }",
        &["C007"],
        (1, 29),
    ),
    (
        "#include <string.h>\nvoid f(int n, double *w, const double *x) { memcpy(w, x, 7 * n); }",
        &["C008"],
        (2, 45),
    ),
    (
        "double g(double);\ndouble f(double x) { return g(x); }",
        &["C007"],
        (2, 29),
    ),
    (
        "#include <math.h>\ndouble f(double x) { return j1(x) + j0(x); }",
        &["C008", "C008"],
        (2, 29),
    ),
    ("double f(double x) { return y; }", &["C004"], (1, 29)),
    ("double f(double x) { return sin(x); }", &["C004"], (1, 29)),
    (
        "double f(double x) { int i = 0; i = i++; return i; }",
        &["C010"],
        (1, 38),
    ),
    (
        "double f(const double *x) { int i = 0; return x[i] + x[i++]; }",
        &["C010"],
        (1, 55),
    ),
    (
        "double f(double *x) { int i = 0; x[i] = i++; return i; }",
        &["C010"],
        (1, 42),
    ),
    // One member of two structures that may be one, also by way of a union, an element, or the structure as a whole.
    (
        "struct s { int k, m; struct s *next; }; double f(double x) { struct s a = {1, 2, 0}, *p = &a; a.next = p; return x * p->next->k * (p->k = 3); }",
        &["C010"],
        (1, 137),
    ),
    (
        "struct s { int k; struct s *next; }; struct t { int n; struct s *of; }; double f(double x) { struct s a = {1, 0}; struct t t = {2, &a}, *p = &t; a.next = &a; return x * p->of->next->k * (p->of->k = 3); }",
        &["C010"],
        (1, 197),
    ),
    (
        "struct s { int k[2]; struct s *next; }; double f(double x, int n) { struct s a = {{1, 2}, 0}, *p = &a; a.next = p; return x * p->next->k[n] * (p->k[0] = 3); }",
        &["C010"],
        (1, 152),
    ),
    (
        "struct s { union { struct { int k, m; }; int v[2]; }; struct s *next; }; double f(double x) { struct s a = {{{1, 2}}, 0}, *p = &a; a.next = p; return x * p->next->k * (p->v[0] = 3); }",
        &["C010"],
        (1, 177),
    ),
    (
        "struct s { int k, m; struct s *next; }; double f(double x) { struct s a = {1, 2, 0}, b = a, *p = &a; a.next = p; return x * p->next->k * (*p = b).m; }",
        &["C010"],
        (1, 147),
    ),
    (
        "double f(int n) { n = 3; struct { double x; } a[n]; a[0].x = 1; return a[0].x; }",
        &["C015"],
        (1, 49),
    ),
    (
        "double f(double x) { goto nowhere; return x; }",
        &["C009"],
        (1, 22),
    ),
    (
        "double f(double x) { break; return x; }",
        &["C009"],
        (1, 22),
    ),
    ("double f(double x) { return x % 2; }", &["C013"], (1, 31)),
    (
        "double f(const double *x) { x[0] = 1; return x[0]; }",
        &["C013"],
        (1, 30),
    ),
    (
        "double f(double x) { double x = 1; double x; return x; }",
        &["C017", "C017"],
        (1, 29),
    ),
    ("double f(double x) { return x", &["C001"], (1, 20)),
    (
        "double f(double x) { return x + ; }\ndouble g(double x) { return * ; }",
        &["C001", "C001"],
        (1, 33),
    ),
    ("#if 1\ndouble f(double x) { return x; }", &["C002"], (1, 1)),
    (
        "#define M(a, b) a\ndouble f(double x) { return M(x); }",
        &["C002"],
        (2, 29),
    ),
    (
        "double f(double x) { static double a = x; return a; }",
        &["C016"],
        (1, 40),
    ),
    (
        "double f(double x) { switch (x) { case 1: return 1; } return 0; }",
        &["C013"],
        (1, 30),
    ),
    (
        "double f(int k, double x) { switch (k) { case k: return 1; } return 0; }",
        &["C018"],
        (1, 47),
    ),
    (
        "double f(double x, unsigned long u) { switch (u) { case 18446744073709551615u: x = 2*x; } return x; }",
        &["C018"],
        (1, 57),
    ),
    (
        "struct s { double *p; struct s x[2]; }; double f(double a) { struct s v; v.p = &a; return *v.p; }",
        &["C005"],
        (1, 32),
    ),
    // Only what never changes is a constant.
    (
        "static const volatile double h = 2; double f(double x) { static double k = h; return k * x; }",
        &["C016"],
        (1, 76),
    ),
    (
        "static double h = 2; static double k = h; double f(double x) { return k * x; }",
        &["C016"],
        (1, 40),
    ),
    (
        "#include <math.h>\nstatic double k = sqrt(-1.0); double f(double x) { return k * x; }",
        &["C016"],
        (2, 23),
    ),
    // A function whose body is not read is none that could be given a derivative.
    (
        "double g(double x) { ( }\n#pragma cfgrev no-diff(g)\ndouble f(double x) { return g(x); }",
        &["C001"],
        (1, 24),
    ),
    // Elements without parts take no value, however many there are.
    (
        "struct none { }; double f(double x) { struct none a[] = {1.0}; return x; }",
        &["C016"],
        (1, 57),
    ),
    (
        "double f(double x) { double a[1000000000][0] = {1.0, 2.0}; return x; }",
        &["C016"],
        (1, 48),
    ),
];

/// The address of a pointer is not passed as one of a pointer to numbers that are read as others.
#[test]
fn pointers_that_are_passed_lead_to_numbers_of_their_types() {
    for (before, pointer, passed) in [
        (
            "return *(*s)++;",
            "const unsigned char *p = (const unsigned char *)t;",
            "&p",
        ),
        (
            "int k = **s; ++*s; return k;",
            "const unsigned char *p = (const unsigned char *)t;",
            "&p",
        ),
        (
            "return s[0][0];",
            "const char *p = t;",
            "(const unsigned char **)&p",
        ),
        (
            "return s[1][0];",
            "const char *p[2] = {t, t + 1};",
            "(const unsigned char **)p",
        ),
        (
            "return **s;",
            "signed char k[2] = {-1, 2}, *p = k;",
            "(const unsigned char **)&p",
        ),
        (
            "return **s;",
            "int k[2] = {-1, 2}, *p = k;",
            "(const unsigned char **)&p",
        ),
    ] {
        let text = format!(
            "static int next(const unsigned char **s) {{ {before} }} static int twice(const unsigned char **s) {{ return 2 * next(s); }}
double f(double x) {{ char t[3] = {{-1, 2, 3}}; {pointer} return x * {{call}}({passed}); }}"
        );
        for call in ["next", "twice"] {
            let text = text.replace("{call}", call);
            let read = read(&text);
            assert!(read.program.is_none(), "{text}");
        }
    }
    let text = "static int next(const char **s) { return *(*s)++; } double f(double x) { char t[3] = {-1, 2, 3}, *p = t; return x * next((const char **)&p); }";
    assert!(read(text).program.is_some());
}

#[test]
fn what_is_not_supported_is_refused_at_its_place() {
    let mut wrong = String::new();
    for (text, codes, place) in REFUSED {
        let read = read(text);
        assert!(read.program.is_none(), "{text}");
        let found: Vec<&str> = read.problems.iter().map(|d| d.code).collect();
        let at = read.problems.0.first().map(|d| (d.at.line, d.at.column));
        if found != *codes || at != Some((Some(place.0), Some(place.1))) {
            wrong += &format!("{text}\n{codes:?} {place:?}\n{}\n\n", read.problems);
        }
        assert!(
            read.problems
                .iter()
                .all(|d| !d.help.is_empty() && !d.rule.is_empty())
        );
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Files by name.
struct Memory(&'static [(&'static str, &'static str)]);

impl Files for Memory {
    fn read(&mut self, path: &str) -> Option<Vec<u8>> {
        let (_, text) = self.0.iter().find(|(name, _)| *name == path)?;
        Some(text.as_bytes().to_vec())
    }
}

#[test]
fn directives_are_followed() {
    let text = r#"
#include "a.h"
#include "a.h"
#include "once.h"
#include "once.h"
#define SQUARE(x) ((x) * (x))
#define CAT(a, b) a##b
#define NAME(n) CAT(va, n)
#define EMPTY
#define CALL(f, ...) f(__VA_ARGS__)
#define REC REC + 1
#if defined(SIZE) && SIZE * 2 == 6 && !defined NOTHING
#elif 1 / 0
#error not here
#else
#error nor here
#endif
#ifdef __cplusplus
extern "C" {
#endif
extern "C" {
double f(double NAME(lue)) {
    double REC_ = 1 EMPTY;
#if 0
    'unbalanced
#endif
    return CALL(g, SQUARE(value + 1), SI\
ZE) + REC_;
}
}
"#;
    let files = &[
        (
            "folder/a.h",
            "#ifndef A_H\n#define A_H\n#define SIZE 3\nstatic double g(double x, int k) { return x * k; }\n#endif\n",
        ),
        ("folder/once.h", "#pragma once\nenum { ONE = 1 };\n"),
    ];
    let read = read_c(
        &[SourceFile::new("folder/main.c", text.as_bytes())],
        &Options::default(),
        &mut Memory(files),
    );
    let program = read.program.unwrap_or_else(|| panic!("{}", read.problems));
    let shown = program.to_string();
    assert!(
        shown.contains("call g((value + 1.0)*(value + 1.0), int32(3))"),
        "{shown}"
    );
    assert!(program.sources.iter().any(|s| s == "folder/a.h"));
}

/// The functions of math.h of C99 for reals, which have versions for `float` and `long double`, and the types of their
/// arguments.
const MATH: &[(&str, &str)] = &[
    (
        "acos asin atan cos sin tan acosh asinh atanh cosh sinh tanh",
        "r",
    ),
    (
        "exp exp2 expm1 ilogb log log10 log1p log2 logb cbrt fabs sqrt",
        "r",
    ),
    (
        "erf erfc lgamma tgamma ceil floor nearbyint rint lrint llrint",
        "r",
    ),
    ("round lround llround trunc", "r"),
    (
        "atan2 hypot pow fmod remainder copysign nextafter nexttoward fdim fmax fmin",
        "rr",
    ),
    ("fma", "rrr"),
    ("ldexp scalbn scalbln", "ri"),
    ("frexp", "ri*"),
    ("modf", "rr*"),
    ("remquo", "rri*"),
    ("nan", "s"),
];

/// The macros of math.h of C99 that look like functions.
const MACROS: &[(&str, &str)] = &[
    ("fpclassify isfinite isinf isnan isnormal signbit", "r"),
    (
        "isgreater isgreaterequal isless islessequal islessgreater isunordered",
        "rr",
    ),
];

#[test]
fn every_function_of_math_h_is_read_or_refused_by_its_name() {
    let arguments = |kinds: &str| {
        let list = match kinds {
            "r" => "x",
            "rr" => "x, y",
            "rrr" => "x, y, x",
            "ri" => "x, 2",
            "ri*" => "x, &k",
            "rr*" => "x, &z",
            "rri*" => "x, y, &k",
            _ => "\"\"",
        };
        list.to_owned()
    };
    let mut seen = 0;
    for (names, kinds) in MATH.iter().chain(MACROS) {
        for name in names.split(' ') {
            let suffixes: &[&str] = match MATH.iter().any(|(all, _)| all == names) {
                true => &["", "f", "l"],
                false => &[""],
            };
            for suffix in suffixes {
                let ty = ["double", "float", "long double"]
                    [["", "f", "l"].iter().position(|s| s == suffix).unwrap_or(0)];
                let call = format!("{name}{suffix}({})", arguments(kinds));
                let text = format!(
                    "#include <math.h>\ndouble f({ty} x, {ty} y) {{ {ty} z = 0; int k = 0; return {call} + z + k; }}"
                );
                seen += 1;
                let found = read(&text);
                if found.program.is_some() {
                    continue;
                }
                let refused = (found.problems.iter())
                    .find(|p| p.code == "C008" && p.message.contains(name))
                    .is_some_and(|p| !p.help.is_empty());
                assert!(refused, "{call}: {}", found.problems);
            }
        }
    }
    assert_eq!(seen, 3 * 57 + 12);
}

/// A call of each function of [`MATH`] with its prototype.
fn calls_with_prototypes() -> Vec<(String, String, String)> {
    let mut all = Vec::new();
    for (names, kinds) in MATH {
        for name in names.split(' ') {
            for (suffix, ty) in [("", "double"), ("f", "float"), ("l", "long double")] {
                let result = match name {
                    "ilogb" => "int",
                    "lrint" | "lround" => "long",
                    "llrint" | "llround" => "long long",
                    _ => ty,
                };
                let second = match name {
                    "nexttoward" => "long double".to_owned(),
                    "scalbln" => "long".to_owned(),
                    _ if kinds.ends_with("r*") => format!("{ty} *whole"),
                    _ if kinds.starts_with("rr") => ty.to_owned(),
                    _ => "int".to_owned(),
                };
                let parameters = match *kinds {
                    "s" => "const char *".to_owned(),
                    "r" => ty.to_owned(),
                    "rrr" => format!("{ty}, {ty} y, const {ty}"),
                    "rri*" => format!("{ty}, {ty}, int *"),
                    "ri*" => format!("{ty} x, int *exponent"),
                    _ => format!("{ty}, {second}"),
                };
                let arguments = match *kinds {
                    "s" => "\"\"",
                    "r" => "x",
                    "rr" => "x, y",
                    "rrr" => "x, y, x",
                    "ri" => "x, 2",
                    "ri*" => "x, &k",
                    "rr*" => "x, &z",
                    _ => "x, y, &k",
                };
                let name = format!("{name}{suffix}");
                let body = format!(
                    "double f({ty} x, {ty} y) {{ {ty} z = 0; int k = 0; return CALL({arguments}) + z + k; }}"
                );
                all.push((
                    name.clone(),
                    format!("{result} {name}({parameters});"),
                    body,
                ));
            }
        }
    }
    all
}

/// The program and the problems of a file, as a text without names of headers and without places.
fn read_as(text: &str) -> String {
    let read = read(text);
    let problems = (read.problems.iter()).map(|p| format!("{} {}\n", p.code, p.message));
    let problems: String = problems.filter(|p| !p.contains("long double")).collect();
    match read.program {
        Some(program) => {
            let shown = program.to_string();
            let lines = shown.lines().filter(|line| !line.starts_with("source"));
            let lines = lines.map(|line| {
                let mut parts = line.split(" @[");
                let first = parts.next().unwrap_or_default().to_owned();
                let rest = parts.filter_map(|part| part.split_once(']').map(|(_, rest)| rest));
                rest.fold(first, |line, part| line + part) + "\n"
            });
            lines.collect::<String>() + &problems
        }
        None => problems,
    }
}

#[test]
fn functions_of_the_library_are_the_same_with_and_without_their_header() {
    let calls = calls_with_prototypes();
    assert_eq!(calls.len(), 3 * 57);
    for (name, prototype, body) in calls {
        let body = body.replace("CALL", &name);
        let expected = read_as(&format!("#include <math.h>\n{body}"));
        let open = prototype.split('(').next().unwrap_or_default();
        for declared in [
            prototype.clone(),
            format!("extern {prototype} {prototype}"),
            match body.contains("float x") || name.starts_with("scalbln") {
                // These need conversions.
                true => prototype.clone(),
                false => format!("{open}();"),
            },
            format!("#include <math.h>\n{prototype}"),
            format!("{prototype}\n#include <math.h>"),
        ] {
            let text = format!("{declared}\n{body}");
            assert_eq!(read_as(&text), expected, "{text}");
        }
        let inside = body.replacen('{', &format!("{{ {prototype} "), 1);
        assert_eq!(read_as(&inside), expected, "{inside}");
        // The compiler's name of it is read as well.
        let built_in = body.replace(&format!("{name}("), &format!("__builtin_{name}("));
        let written = expected.contains("function ") && expected.contains(&format!("call {name}("));
        let own = read_as(&built_in).replace(&format!("__builtin_{name}"), &name);
        assert!(written || own == expected, "{built_in}: {own}\n{expected}");
        assert!(
            own.contains("function f(") == expected.contains("function f("),
            "{own}"
        );
    }
}

/// Declarations that are not those of the library, and functions that the file defines itself.
#[test]
fn a_function_with_a_name_of_the_library_may_be_the_file_s() {
    for declared in [
        "double sqrt(int);",
        "float sqrt(double);",
        "double sqrt(double, ...);",
        "int sqrt();",
        "#include <math.h>\nfloat sqrt(double);",
        "static double sqrt(double);",
    ] {
        let problems = read(&format!(
            "{declared} double f(double x) {{ return sqrt(x); }}"
        ))
        .problems;
        let told = problems
            .iter()
            .any(|p| p.code == "C007" && p.message.contains("sqrt"));
        assert!(told, "{declared}: {problems}");
    }
    // Calls before the definition have its effects.
    for head in [
        "#include <math.h>\n",
        "double sqrt(double);",
        "double sqrt();",
        "",
    ] {
        let text = format!(
            "{head} static int n; double sqrt(double x); double f(double x) {{ return sqrt(x) + 1; }} double sqrt(double x) {{ n++; return x * n; }}"
        );
        let shown = program(&text);
        assert!(shown.contains("call sqrt(x)"), "{text}\n{shown}");
    }
    // The library's own text does not use the file's functions.
    let shown = program(
        "#include <math.h>\nstatic double trunc(double x) { return 5 * x; } double f(double x) { return rint(x) + trunc(x); }",
    );
    assert!(
        shown.contains("5.0*x") && shown.contains("t := trunc(x)"),
        "{shown}"
    );
    // An option about a function replaces the built-in knowledge of it.
    let options = Options {
        externals: vec!["gamma(x) value(x * x)".to_owned()],
        ..Options::default()
    };
    let text = b"double gamma(double); double f(double x) { return gamma(x); }";
    let read = read_c(&[SourceFile::new("t.c", text)], &options, &mut NoFiles);
    assert!(read.program.is_some(), "{}", read.problems);
}

/// Attributes of both forms, wherever compilers take them.
#[test]
fn attributes_are_passed_over_in_all_places() {
    const PLACES: &[&str] = &[
        "@ double f(double x) { return x; }",
        "static @ inline @ double g(double x) { return x; } double f(double x) { return g(x); }",
        "double g(double) @; double f(double x) { return g(x); } double g(double x) { return x; }",
        "double f(@ double x) { return x; }",
        "double f(double x @) { return x; }",
        "double f(double x) { @ double y = x; return y; }",
        "double f(double x) { double y @ = x, z @; z = y; return z; }",
        "double f(double x) { double *@ p = &x; return *p; }",
        "double f(double x) { @; return x; }",
        "double f(double x) { if (x > 0) @ { x = -x; } return x; }",
        "double f(double x) { goto out; out: @; return x; }",
        "double f(int k, double x) { switch (k) { case 1: x = 2; @; default: x *= 2; } return x; }",
        "struct @ s { @ double a @; double b; } @; double f(double x) { struct s y = {x}; return y.a; }",
        "enum @ e { A @ = 1, B } @; double f(double x) { return x * B; }",
        "typedef double real @; real f(real x) { return x; }",
        "typedef @ double real; real f(real x) { return x; }",
    ];
    for place in PLACES {
        let plain = place.replace('@', "");
        let expected = read(&plain);
        assert!(expected.program.is_some(), "{plain}: {}", expected.problems);
        for attribute in [
            "__attribute__((unused))",
            "__attribute((__aligned__(16), unused))",
            "__attribute__(())",
            "[[maybe_unused]]",
            "[[gnu::aligned(16)]] [[maybe_unused]]",
        ] {
            let text = place.replace('@', attribute);
            let found = read(&text);
            assert!(found.program.is_some(), "{text}: {}", found.problems);
        }
    }
    // These pragmas affect the results.
    for text in [
        "typedef double v __attribute__((vector_size(16))); double f(double x) { v y = {x, x}; return y[0]; }",
        "double f(double x) { double y __attribute__((mode(SF))) = x; return y; }",
        "void g(double *x); double f(double x) { double y __attribute__((cleanup(g))) = x; return y; }",
        "struct __attribute__((packed)) s { char c; double d; }; double f(double x) { return x * sizeof(struct s); }",
    ] {
        assert!(read(text).problems.has_errors(), "{text}");
    }
}

/// A semicolon that is missing is told once, behind what it belongs to.
#[test]
fn a_missing_semicolon_is_one_error() {
    for (text, line, column) in [
        (
            "double f(double x)\n{\n    double y = x\n    return y;\n}",
            3,
            17,
        ),
        (
            "double f(double x)\n{\n    x *= 2\n    x += 1;\n    return x;\n}",
            3,
            11,
        ),
        ("double f(double x)\n{\n    return x\n}", 3, 13),
        ("double f(double x)\n{\n    x = 2 * x return x;\n}", 3, 14),
        (
            "struct s {\n    double a\n    double b;\n};\ndouble f(struct s x) { return x.b; }",
            2,
            13,
        ),
        ("extern double w\ndouble f(double x) { return x; }", 1, 16),
        (
            "double f(double x)\n{\n    do x *= 2; while (x < 3)\n    return x;\n}",
            3,
            29,
        ),
    ] {
        let problems = read(text).problems;
        let [only] = &problems.0[..] else {
            panic!("{text}: {problems}");
        };
        let at = (only.at.line, only.at.column);
        assert_eq!(at, (Some(line), Some(column)), "{text}: {problems}");
        assert!(only.message.starts_with("expected `;`"), "{problems}");
    }
}

/// Functions of other files that can change nothing are left out; others are told, with the option to type.
#[test]
fn handlers_of_other_files_are_left_out() {
    let left_out = [
        ("void g(const char *why, int line);", "g(\"no\", 3)"),
        ("void g(char why[]);", "g(\"no\")"),
        ("void g(const char *, ...);", "g(\"%g %s\", x, \"no\")"),
        ("void g(double, const double *);", "g(x, &x)"),
        ("void g(void);", "g()"),
        (
            "#include <stdio.h>\nvoid g(const char *);",
            "fprintf(stderr, \"no\"), g(\"no\")",
        ),
    ];
    for (declared, call) in left_out {
        let text = format!("{declared} double f(double x) {{ if (x < 0) {call}; return x; }}");
        let found = read(&text);
        assert!(found.program.is_some(), "{text}: {}", found.problems);
        assert!(found.problems.iter().any(|p| p.code == "C019"), "{text}");
        let stops = program(&text.replace("void g(", "_Noreturn void g("));
        assert!(stops.contains("stop"), "{stops}");
    }
    // A function that does not return changes nothing, whatever it takes.
    for declared in [
        "void g(double *) __attribute__((noreturn));",
        "__attribute__((__noreturn__)) void g(double *);",
        "void __attribute__((noreturn)) g(double *);",
    ] {
        let stops = program(&format!(
            "double w[3]; {declared} double f(double x) {{ if (x < 0) g(w); return x * w[1]; }}"
        ));
        assert!(stops.contains("stop"), "{stops}");
    }
    let told = [
        (
            "void g(double *);",
            "g(&x)",
            "--external 'g(a1) adjoint(g_b) tangent(g_t)'",
        ),
        (
            "void g(char *);",
            "char c[3]; g(c)",
            "--external 'g(a1) adjoint(g_b) tangent(g_t)'",
        ),
        (
            "double g(double a, int k);",
            "x = g(x, 2)",
            "--external 'g(a, k) partial(a: ...)'",
        ),
        ("int g(int k);", "g(2)", "--external 'g(k) value(...)'"),
        (
            "void g(int); extern double w;",
            "g(3); x *= w",
            "--no-diff g",
        ),
        ("void g(void); void (*p)(void) = g;", "p(); g()", ""),
    ];
    for (declared, call, option) in told {
        let text = format!("{declared} double f(double x) {{ {call}; return x; }}");
        let problems = read(&text).problems;
        let error = problems.iter().find(|p| p.code == "C007");
        assert!(
            error.is_some_and(|p| p.help.contains(option)),
            "{text}: {problems}"
        );
    }
}

/// `long double` is read as `double`, and has its own size wherever it is asked for.
#[test]
fn sizes_of_long_double_are_its_own() {
    for (text, size) in [
        ("sizeof(long double)", 16),
        ("sizeof 1.0L + sizeof(1.0) + sizeof 1.0f", 28),
        (
            "sizeof(x * 1.0L) + sizeof(x * 1.0) + sizeof(1.0L > x) + sizeof -1.0L",
            44,
        ),
        (
            "sizeof(struct { char c; long double w; }) + sizeof(long double[3])",
            80,
        ),
        (
            "sizeof w + sizeof w[1] + sizeof *w + sizeof(w[0] + x) + sizeof(x ? w[0] : x)",
            112,
        ),
        (
            "sizeof sqrtl(2) + sizeof sqrt(2) + sizeof((long double)x)",
            40,
        ),
        (
            "_Alignof(long double) + _Generic(w[0], double: 1, long double: 2)",
            18,
        ),
    ] {
        let text =
            format!("#include <math.h>\nlong f(double x) {{ long double w[3]; return {text}; }}");
        let shown = program(&text);
        assert!(
            shown.contains(&format!("result := {size} ")),
            "{text}\n{shown}"
        );
    }
    // Memory is measured by the size of `long double`.
    let shown = program(
        "#include <stdlib.h>\ndouble f(int n, double x) { long double *p = malloc(n * sizeof(long double)), *q = malloc(48); p[n - 1] = x; q[2] = x; return p[n - 1] * q[2]; }",
    );
    assert!(shown.contains("p_memory[int(n) from 0]"), "{shown}");
    assert!(shown.contains("q_memory[3 from 0]"), "{shown}");
}

/// A use of `errno` is warned of: functions of the library do not set it.
#[test]
fn errno_that_is_used_is_warned_of() {
    for (body, told) in [
        ("double y = log(x); if (errno) y = 0; return y;", true),
        ("int before = errno; return x + before;", true),
        ("errno = 0; return x;", false),
        ("if (x < 0) errno = EDOM; return x;", false),
        ("errno += 1; return x;", true),
        ("return x;", false),
    ] {
        let text = format!(
            "#include <errno.h>\n#include <math.h>\ndouble g(void) {{ return errno; }}\ndouble f(double x) {{ {body} }}"
        );
        let options = Options {
            routine: Some("f".to_owned()),
            ..Options::default()
        };
        let read = read_c(
            &[SourceFile::new("t.c", text.as_bytes())],
            &options,
            &mut NoFiles,
        );
        assert!(read.program.is_some(), "{text}\n{}", read.problems);
        let found = read.problems.iter().filter(|p| p.code == "C008").count();
        assert_eq!(found, usize::from(told), "{text}\n{}", read.problems);
    }
}

/// Pragmas of other tools are passed over, those for several threads with a warning where they concern what is read.
#[test]
fn pragmas_for_threads_are_warned_of_where_they_are_reached() {
    let count = |text: &str| {
        let found = read_c(
            &[SourceFile::new("t.c", text.as_bytes())],
            &Options {
                routine: Some("f".to_owned()),
                ..Options::default()
            },
            &mut NoFiles,
        );
        assert!(found.program.is_some(), "{text}: {}", found.problems);
        found.problems.iter().filter(|p| p.code == "C019").count()
    };
    let pragma = "\n#pragma omp parallel for\n";
    let sum = "for (int i = 0; i < 3; i++) x *= x;";
    assert_eq!(
        count(&format!(
            "double f(double x) {{ {pragma} {sum} return x; }}"
        )),
        1
    );
    assert_eq!(
        count(&format!(
            "double f(double x) {{ _Pragma(\"omp parallel for\") {sum} return x; }}"
        )),
        1
    );
    assert_eq!(
        count(&format!(
            "double g(double x) {{ {pragma} {sum} return x; }}\ndouble f(double x) {{ return x; }}"
        )),
        0
    );
    assert_eq!(
        count(
            "#pragma GCC optimize(\"O3\")\n#pragma STDC FP_CONTRACT OFF\ndouble f(double x)\n{\n#pragma GCC ivdep\nreturn x; }"
        ),
        0
    );
    assert_eq!(
        count(
            "#pragma AD checkpoint\n#pragma AD checkpoint\n#pragma enzyme x\ndouble f(double x) { return x; }"
        ),
        2
    );
    assert_eq!(
        count("#pragma pack(1)\ndouble f(double x) { return x; }"),
        1
    );
    let shown = program(
        "double f(double x, double y) { _Pragma(\"cfgrev independent(y)\") return x * y; }",
    );
    assert!(
        shown.contains("independent y") || shown.contains("y"),
        "{shown}"
    );
}

#[test]
fn line_markers_name_the_original() {
    let text = "# 7 \"real.c\"\ndouble f(double x) { return\n y; }\n";
    let problems = read(text).problems;
    let at = &problems.0[0].at;
    assert_eq!(
        (at.file.as_deref(), at.line, at.column),
        (Some("real.c"), Some(8), Some(2))
    );
}

/// Among functions that no other calls, the one that is not static is chosen. The others are not read, so they may
/// contain anything.
#[test]
fn the_only_function_that_others_can_call() {
    let unused = "struct n { double v; struct n *next; }; static double unused(struct n *p) { union { int a; } u; return p->next->v; }";
    let f = "static double g(double x) { return x; } double f(double x) { return g(x) * x; }";
    let shown = program(&format!("{unused} {f}"));
    assert!(shown.contains("main function f("), "{shown}");
    let both = read(&format!("{unused} {f} double h(double x) {{ return x; }}"));
    assert!(both.program.is_none_or(|p| p.main.is_none()));
    // Where all are static, none is meant more than others.
    let none =
        read("static double f(double x) { return x; } static double g(double x) { return x; }");
    assert!(none.program.is_some_and(|p| p.main.is_none()));
}

#[test]
fn nothing_recurses_without_limit() {
    let deep = |open: &str, middle: &str, close: &str, n: usize| {
        let text = format!(
            "double f(double x) {{ return {}{middle}{}; }}",
            open.repeat(n),
            close.repeat(n)
        );
        read(&text)
    };
    for (open, close) in [
        ("(", ")"),
        ("-", ""),
        ("x + (", ")"),
        ("x ? x : ", ""),
        ("!", ""),
        ("sizeof ", ""),
        ("(double)", ""),
    ] {
        let read = deep(open, "x", close, 100_000);
        assert!(
            read.problems.iter().any(|d| d.code == "C011"),
            "{open}: {:?}",
            read.problems.0.len()
        );
    }
    for text in [
        format!("double f(double x) {{ {} }}", "{".repeat(100_000)),
        format!("double f(double x) {{ {} x; }}", "if (x) ".repeat(100_000)),
        format!(
            "double f(double x) {{ {} x; }}",
            "while (x) ".repeat(100_000)
        ),
        format!("double {}x;", "(".repeat(100_000)),
        format!("double {}x;", "*".repeat(100_000)),
        format!("#if {}1\n#endif", "(".repeat(100_000)),
        format!(
            "#define F(x) x\ndouble f(void) {{ return {}1{}; }}",
            "F(".repeat(100_000),
            ")".repeat(100_000)
        ),
        format!("int a[] = {};", "{".repeat(100_000)),
    ] {
        assert!(read(&text).problems.has_errors());
    }
    // Types of functions lead to one another, and to two of each.
    let chain = |parameters: fn(usize) -> String, n: usize| {
        let types = (1..n).map(|k| format!("typedef void t{k}({}); ", parameters(k - 1)));
        let types: String = types.collect();
        format!(
            "typedef void t0(void); {types}double f(double x) {{ typedef t{0} *last; typedef t{0} *last; return x; }}",
            n - 1
        )
    };
    for text in [
        chain(|k| format!("t{k} *"), 20_000),
        chain(|k| format!("t{k} *, t{k} *"), 60),
    ] {
        let read = read(&text);
        assert!(read.program.is_some(), "{}", read.problems);
    }
    // There is no limit on constructs that do not nest.
    let sum = read(&format!(
        "double f(double x) {{ return x{}; }}",
        " + x * 2".repeat(20_000)
    ));
    assert!(sum.program.is_some(), "{}", sum.problems);
    let chain = format!(
        "double f(int k) {{ {} return 0; }}",
        "if (k == 1) return 1; else ".repeat(3_000)
    );
    assert!(read(&chain).program.is_some());
    let and = read(&format!(
        "double f(int k) {{ return k{}; }}",
        " && k > 1".repeat(5_000)
    ));
    assert!(and.program.is_some(), "{}", and.problems);
}

/// Forty lines, each of which uses the previous one twice, are not expanded 2^40 times: they are read, or have too
/// many parts.
#[test]
fn nothing_doubles_line_by_line() {
    let lines = |first: &str, line: &dyn Fn(usize, usize) -> String| -> String {
        let rest = (1..40).map(|i| line(i - 1, i));
        std::iter::once(first.to_owned()).chain(rest).collect()
    };
    let structures = lines("struct s0 { double a; };", &|k, i| {
        format!("struct s{i} {{ struct s{k} p, q; }};\n")
    });
    let pointing = lines("struct s0 { double a; };", &|k, i| {
        format!("struct s{i} {{ struct s{k} *p, *q; }};\n")
    });
    let extents = |first: &str| {
        let all = lines(&format!("const int a0 = {first};"), &|k, i| {
            format!("const int a{i} = a{k} + a{k};\n")
        });
        format!("double f(int n, double x) {{ {all} double y[a39 + 1]; y[0] = x; return y[0]; }}")
    };
    let sizes = lines("typedef char T0[1];", &|k, i| {
        format!("typedef char T{i}[sizeof(T{k}) + 1 - sizeof(T{k})];\n")
    });
    let functions = lines("static double f0(double x) { return x; }", &|k, i| {
        format!("static double f{i}(double x) {{ return f{k}(x) + f{k}(x); }}\n")
    });
    let pointers = lines("static double *f0(double *x) { return x; }", &|k, i| {
        format!("static double *f{i}(double *x) {{ return *x > 0 ? f{k}(x) : f{k}(x); }}\n")
    });
    let called = |all: &str| format!("{all} double f(double *x) {{ return *f39(x); }}");
    for (text, code) in [
        (extents("n"), None),
        (extents("0"), None),
        (
            format!("{structures} double f(double x) {{ return x * sizeof(struct s39); }}"),
            Some("C011"),
        ),
        (
            format!("{structures} double f(double x) {{ struct s39 z = {{1, 2}}; return x; }}"),
            Some("C011"),
        ),
        (
            format!("{structures} double f(struct s39 z) {{ return 0; }}"),
            Some("C011"),
        ),
        (
            format!(
                "#include <stdlib.h>\n{pointing} double f(double x) {{ struct s39 *z = calloc(1, sizeof *z); x = z->p ? x : 2 * x; free(z); return x; }}"
            ),
            None,
        ),
        (
            format!("{sizes} double f(double x) {{ return x * sizeof(T39); }}"),
            None,
        ),
        (
            format!("{functions} double f(double x) {{ return f39(x); }}"),
            None,
        ),
        (called(&pointers), None),
    ] {
        let read = read(&text);
        match code {
            None => assert!(read.program.is_some(), "{text}\n{}", read.problems),
            Some(code) => assert!(
                read.problems.iter().any(|d| d.code == code),
                "{text}\n{}",
                read.problems
            ),
        }
    }
}

/// If an extent is too long for one expression, parameters and memory become pointers as values, and local arrays get
/// their extents where they are declared.
#[test]
fn long_extents_are_read_another_way() {
    let product = "n * ".repeat(200);
    let sum = " + n".repeat(2_000);
    for text in [
        format!("double f(int n, const double a[{product} 1]) {{ return a[0]; }}"),
        format!("double f(int n, double x) {{ double a[{product} 1]; a[0] = x; return a[0]; }}"),
        format!("double f(int n, double x) {{ double a[1{sum}]; a[0] = x; return a[0]; }}"),
        format!(
            "#include <stdlib.h>\ndouble f(int n, double x) {{ double *a = malloc({product} sizeof *a); a[0] = x; x = a[0]; free(a); return x; }}"
        ),
    ] {
        let shown = program(&text);
        assert!(shown.contains("function f("), "{text}\n{shown}");
    }
}

/// A function of the library that the file declares as something else is asked for once, not for ever.
#[test]
fn functions_of_the_library_are_read_once() {
    for declared in [
        "double rint(void);",
        "double rint(double *x);",
        "typedef double rint;",
        "int (*rint)(double);",
        "double rint[3];",
        "static double rint(double x) {",
        "static double rint \u{fffd}(double x) { return x; }",
    ] {
        let f = "double f(double x) { return rint(x); }";
        // The file declares it before it is called, or behind.
        for text in [format!("{declared}\n{f}"), format!("{f}\n{declared}")] {
            let read = read(&format!("#include <math.h>\n{text}"));
            assert!(
                read.program.is_some() || read.problems.has_errors(),
                "{text}"
            );
        }
    }
}

/// The program of a file of the tests, changed.
fn of_file(name: &str, change: impl Fn(&str) -> String) -> String {
    let path = format!("{}/tests/files/{name}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("it can be read");
    let shown = program(&change(&text));
    // Without the places in the sources.
    let mut parts = shown.split(" @[");
    let mut text = parts.next().unwrap_or_default().to_owned();
    text.extend(parts.filter_map(|part| Some(part.split_once(']')?.1)));
    text
}

const CHANGED: &[&str] = &[
    "idioms.c",
    "old_style.c",
    "printed.c",
    "switches.c",
    "unreached.c",
];

/// A line may go on in the next one anywhere, in a word and in an operator too.
#[test]
fn lines_are_joined_before_tokens_are_made() {
    for name in CHANGED {
        let plain = of_file(name, str::to_owned);
        assert!(plain.contains("real"), "{plain}");
        for splice in ["\\\n", "\\\r\n", "\\ \t\n", "??/\n", "\\\n\\\n"] {
            for start in 0..3 {
                let split = of_file(name, |text| {
                    let mut made = String::new();
                    for (k, c) in text.chars().enumerate() {
                        // A backslash at the end of a line joins once.
                        if k % 3 == start && !made.ends_with('\\') {
                            made.push_str(splice);
                        }
                        made.push(c);
                    }
                    made
                });
                assert_eq!(split, plain, "{name} {splice:?} {start}");
            }
        }
    }
}

#[test]
fn trigraphs_are_replaced_first() {
    for name in CHANGED {
        let plain = of_file(name, str::to_owned);
        let written = of_file(name, |text| {
            let pairs = [
                ("#", "??="),
                ("[", "??("),
                ("]", "??)"),
                ("{", "??<"),
                ("}", "??>"),
                ("|", "??!"),
                ("^", "??'"),
                ("~", "??-"),
                ("\\", "??/"),
            ];
            pairs.iter().fold(text.to_owned(), |text, (one, three)| {
                text.replace(one, three)
            })
        });
        assert_eq!(written, plain, "{name}");
    }
}

/// Problems have the places of the text as it is written.
#[test]
fn places_are_those_of_the_text() {
    let text =
        "dou\\\nble f(const double *x)\n??< // goes on ??/\nhere\n  return x??(0??) + y;\n??>\n";
    let problems = read(text).problems;
    let at = &problems.0[0].at;
    assert_eq!((at.line, at.column), (Some(5), Some(21)), "{problems}");
}

/// The text before each one of `PARAMETERS`.
const DECLARED: &str = "#include <stdio.h>\n#include <stddef.h>\n
    union u { double d; long bits; }; struct item { int kind; union { double number; const char *text; }; };
    struct node { struct node *next; double v; }; typedef struct elsewhere elsewhere;
    struct ops { double (*eval)(double, void *); void *user; int n; }; struct setting { double a, b; };
    struct flags { unsigned on : 1, off : 1; };\n";

/// Functions, and the names of the parameters that are read of `f`.
const PARAMETERS: &[(&str, &str)] = &[
    // A parameter without uses may have any type.
    ("double f(double x, void *context) { (void) context; return x; }", "x"),
    (
        "double f(const union u *a, double x, union u b, struct item *c, struct flags d) { (void) c; return x; }",
        "x",
    ),
    (
        "double f(struct node *list, elsewhere *e, double x, struct ops ops, const struct ops *more) { return x; }",
        "x",
    ),
    ("double f(double x, double (*g)(double), int (*const table[2])(void)) { return x; }", "x"),
    ("double f(const char *name, double x, const char **names) { return x; }", "x"),
    // Parameters that are only printed, or handed on to such parameters, are not read, either.
    ("double f(FILE *log, double x) { fprintf(log, \"%g\", x); return x; }", "x"),
    (
        "static double g(double x, void *p, FILE *log) { (void) p; fputs(\"g\", log); return x * x; }
         double f(double x, void *p, FILE *log) { return g(x, p, log) + g(x, &x, stderr); }",
        "x",
    ),
    (
        "double f(int n, double x, elsewhere *e) { return n > 0 ? x * f(n - 1, x, e) : 1; }",
        "n x",
    ),
    // Parameters of supported types are all read.
    (
        "double f(int n, double x, double y, const double *z, struct setting s) { return x; }",
        "n x y z s",
    ),
    // The data behind a pointer to void have the type to which it is converted.
    (
        "double f(double x, void *data) { const struct setting *s = data; return x * s->a; }",
        "x data",
    ),
    (
        "double f(double x, const void *data) { return x * ((const struct setting *) data)->a; }",
        "x data",
    ),
    ("double f(double x, void *data) { double *p = data; return x * p[1]; }", "x data"),
    ("double f(double x, void *data) { double *p; p = (double *) data; return x * *p++; }", "x data"),
    (
        "static double g(double x, void *of) { struct setting *s; s = of; return x * s->b; }
         static double h(const double *x, double y) { return x[0] * y; }
         double f(double x, void *data, void *more) { return g(x, data) + h(more, x); }",
        "x data more",
    ),
    (
        "double f(double x, void *data) { void *again = data; struct setting *s = again; return s ? x * s->a : x; }",
        "x data",
    ),
];

#[test]
fn parameters_are_those_that_are_used_and_have_the_type_that_they_are_used_as() {
    let mut wrong = String::new();
    for (text, names) in PARAMETERS {
        let options = Options {
            routine: Some("f".to_owned()),
            ..Options::default()
        };
        let text = format!("{DECLARED}{text}");
        let read = read_c(
            &[SourceFile::new("t.c", text.as_bytes())],
            &options,
            &mut NoFiles,
        );
        let Some(program) = read.program else {
            wrong.push_str(&format!("{text}\n{}\n", read.problems));
            continue;
        };
        let routine = &program.routines[program.main.expect("one is chosen").index()];
        let all = routine.parameter_ids().map(|v| &*routine.variable(v).name);
        let all: Vec<&str> = all.collect();
        if all.join(" ") != *names {
            wrong.push_str(&format!("{all:?}, not {names}\n{text}\n"));
        }
        if let Err(problems) = cfg_core::validate::validate(program) {
            wrong.push_str(&problems.to_string());
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// The text before each of `MEMBERS`.
const STRUCTURES: &str = "#include <stdio.h>\n#include <string.h>\nstruct ops { double (*eval)(double); void *user; };
    struct node { struct node *next; double v, w; const char *name; union { long bits; float part; } u; };
    struct around { int n; struct node first; struct ops ops; double *v; struct elsewhere *e; FILE *log; unsigned on : 1; };\n";

/// Functions, and the members that are left of each structure that they use.
const MEMBERS: &[(&str, &[(&str, &str)])] = &[
    (
        "double f(const struct node *p) { return p->v; }",
        &[("node", "v")],
    ),
    (
        "double f(struct around *p) { return p->first.w * p->n; }",
        &[("node", "w"), ("around_used", "n first")],
    ),
    (
        "double f(struct around *p, int k) { return p->v[k]; }",
        &[("around_used", "v")],
    ),
    // Members that are only printed, measured or initialised are not used.
    (
        "double f(struct node *p) { printf(\"%s\", p->name); return p->v * sizeof p->u * sizeof p->next->w; }",
        &[("node", "v")],
    ),
    (
        "double f(double x) { struct node n = {0, x, 2, \"n\"}; return n.w; }",
        &[("node", "w")],
    ),
    (
        "static double g(double x) { return x; } double f(double x) { struct node n = {.w = g(x), .v = x}; return n.v; }",
        &[("node", "v w")],
    ),
    // Functions that are not reached use nothing.
    (
        "double g(struct node *p) { return p->next->w; } double f(struct node *p) { return p->v; }",
        &[("node", "v")],
    ),
    // A structure that is copied as a whole keeps all members that can be read.
    (
        "double f(struct node *p) { struct node n = *p; p[1] = n; return p->v; }",
        &[("node", "v w u")],
    ),
    (
        "double f(struct node *p) { memcpy(p + 1, p, sizeof *p); return p->v; }",
        &[("node", "v w u")],
    ),
    (
        "struct node f(struct node *p) { p->u.bits = 1; return *p; }",
        &[("node", "v w u")],
    ),
    (
        "double f(struct node p) { return p.v; }",
        &[("node", "v w u")],
    ),
    // A member that is only assigned is not used.
    (
        "static double id(double x) { return x; } double f(struct around *p, struct node *q) { p->ops.eval = id; p->log = stdout; q->name = \"q\"; p->n = 2; return q->v; }",
        &[("node", "v"), ("around_used", "n")],
    ),
    // The array at the end of a structure has any length.
    (
        "struct tail { int n; char c; double v[]; }; double f(const struct tail *p, int k) { return p->n < k ? 0 : p->v[k] * sizeof *p; }",
        &[("tail_used", "n v")],
    ),
];

#[test]
fn members_are_those_that_are_used() {
    let mut wrong = String::new();
    for (text, expected) in MEMBERS {
        let options = Options {
            routine: Some("f".to_owned()),
            ..Options::default()
        };
        let text = format!("{STRUCTURES}{text}");
        let source = SourceFile::new("t.c", text.as_bytes());
        let read = read_c(&[source], &options, &mut NoFiles);
        let Some(program) = read.program else {
            wrong.push_str(&format!("{text}\n{}\n", read.problems));
            continue;
        };
        for (name, members) in *expected {
            let mut records = program.records.iter();
            let record = records.find(|r| r.name == *name);
            let fields = record.map_or(&[][..], |r| &r.fields);
            let fields: Vec<&str> = fields.iter().map(|f| &*f.name).collect();
            if fields.join(" ") != *members {
                wrong.push_str(&format!("{name}: {fields:?}, not {members}\n{text}\n"));
            }
        }
        if let Err(problems) = cfg_core::validate::validate(program) {
            wrong.push_str(&problems.to_string());
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Assignments to members that nothing reads are left out with a warning where the caller has the structure.
#[test]
fn assignments_that_are_left_out_are_told() {
    for (text, told) in [
        (
            "void f(struct around *p, double x) { p->ops.eval = fabs; p->ops.eval = sin; *p->v = x; }",
            1,
        ),
        (
            "double f(double x) { struct ops own; own.user = &x; own.eval = sin; return x; }",
            0,
        ),
        (
            "void g(struct around *p) { p->log = stdout; } double f(double x) { return x; }",
            0,
        ),
        (
            "double f(struct ops *p, double x) { p->eval = p->user ? sin : cos; return x; }",
            1,
        ),
    ] {
        let options = Options {
            routine: Some("f".to_owned()),
            ..Options::default()
        };
        let text = format!("#include <math.h>\n{STRUCTURES}{text}");
        let source = SourceFile::new("t.c", text.as_bytes());
        let read = read_c(&[source], &options, &mut NoFiles);
        assert!(read.program.is_some(), "{text}: {}", read.problems);
        let all = read.problems.iter();
        let all = all.filter(|p| p.message.contains("assigned and not read"));
        assert_eq!(all.count(), told, "{text}: {}", read.problems);
    }
}

/// A parameter `void *` has the type that it is said to have; one that is no such parameter, or no type of a pointer,
/// is told.
#[test]
fn parameters_have_the_types_that_are_said() {
    let text = "struct setting { double a; void *more; }; static double g(double x, void *of) { return x * *(double *) of; }
        double f(double x, void *data, void *other) { return g(x, data) + (other ? x : 0.0); }";
    let read = |given: &str| {
        let options = Options {
            routine: Some("f".to_owned()),
            types: vec![given.to_owned()],
            ..Options::default()
        };
        read_c(
            &[SourceFile::new("t.c", text.as_bytes())],
            &options,
            &mut NoFiles,
        )
    };
    let said = read("other = const struct setting *");
    let shown = said.program.expect("it is read").to_string();
    assert!(shown.contains("record setting"), "{shown}");
    for (given, code, words) in [
        ("x=double *", "C004", "no parameter x that is void *"),
        ("data=double", "C005", "no type of a pointer"),
        ("data=struct setting * *[3]", "C005", "no type of a pointer"),
        ("data=setting *", "C004", "the type setting is not known"),
        ("data", "C002", "a type are expected"),
    ] {
        let problems = read(given).problems.to_string();
        assert!(
            problems.contains(code) && problems.contains(words),
            "{given}: {problems}"
        );
    }
}

/// The type of a member may be one that a file declares which is not there, if nothing uses it.
#[test]
fn types_of_members_that_are_missing() {
    let text = |used: &str| {
        format!(
            "#include <nowhere.h>\nstruct s {{ double x; image_t image, *all; const lock_t *lock; struct clock at; }}; double f(const struct s *p) {{ return p->x{used}; }}"
        )
    };
    let known = read(&text(""));
    assert!(known.program.is_some(), "{}", known.problems);
    for used in [" + p->image", " + p->at.t"] {
        let problems = read(&text(used)).problems.to_string();
        assert!(problems.contains("error[C0"), "{problems}");
    }
    let without = text("").replace("#include <nowhere.h>", "");
    assert!(read(&without).program.is_none());
}

/// Arguments that are only printed may call functions that only tell something. Such functions are not called at all,
/// but their arguments may have effects.
#[test]
fn what_only_tells_is_not_called() {
    let head = |end: &str| {
        format!(
            "#include <stdio.h>\n#include <stdarg.h>\n#include <stdlib.h>\nstruct time {{ long t; double s; }}; static int count;
        static void say(const char *what, ...) {{ va_list all; va_start(all, what); vprintf(what, all); va_end(all); {end} }}
        static const char *name(int k) {{ switch (k) {{ case 0: return \"none\"; default: return \"some\"; }} }}
        static void split(double s, double *parts) {{ for (int i = 0; i < 2; i++) *parts++ = s * i; }}
        static void put(struct time t, char *s) {{ double p[2]; split(t.s, p); t.s += p[1]; if (t.s > 1) t.t++; sprintf(s, \"%ld\", t.t); }}
        static char *text(struct time t) {{ static char s[64]; put(t, s); return s; }}
        static int counted(void) {{ return ++count; }}
        static double moved(double *p) {{ return *p += 1; }}\n"
        )
    };
    for (argument, kept) in [
        ("name(x > 1)", None),
        ("text(t)", None),
        ("name(counted())", Some("call counted")),
        ("moved(&x)", Some("call moved")),
        ("x++", Some("x_local := x_local + 1.0")),
    ] {
        let body = format!(
            "double f(double x) {{ struct time t = {{ 1, x }}; say(\"%s\", {argument}); return x * count + t.s; }}"
        );
        let stops = read(&(head("if (count > 9) exit(1);") + &body));
        assert_eq!(
            stops.program.is_some(),
            kept.is_none(),
            "{argument}: {}",
            stops.problems
        );
        let tells = program(&(head("") + &body));
        assert!(kept.is_none_or(|kept| tells.contains(kept)), "{tells}");
        assert!(!tells.contains("say"), "{tells}");
    }
}

/// Functions that trace the call stack use memory of the library that nothing else leads to.
#[test]
fn a_trace_of_calls_only_tells() {
    let text = |more: &str| {
        format!(
            "#include <execinfo.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\nchar **kept;
            static void trace(void) {{ void *all[50]; size_t n = backtrace(all, 50); char **names = backtrace_symbols(all, n), *first = strdup(names[0]);
              for (size_t i = n - 2; i > 0; i--) fprintf(stderr, \"%s\\n\", names[i]); {more} free(first); free(names); }}
            double f(double x) {{ if (x < 0) {{ trace(); exit(1); }} return x * x; }}"
        )
    };
    assert!(!program(&text("puts(first);")).contains("trace"));
    assert!(read(&text("kept = names;")).program.is_none());
}

/// A function that changes more than its own variables, or may not come back, is called.
#[test]
fn what_does_more_than_tell_is_called() {
    let quiet = [
        "double a[3] = {0}, *p = a; p += 1; *p = x; printf(\"%g\", a[1]);",
        "static int n; if (n++ < 3) printf(\"%g\", x);",
        "struct s s = {&x}, t = s; t.p = 0; char c[9]; snprintf(c, 9, \"%g\", *s.p); puts(c);",
        "double a[2], *r[2]; r[0] = a; printf(\"%p\", (void *)r[0]);",
        "double *p = malloc(sizeof *p); *p = x; printf(\"%g\", *p); free(p);",
        "while (1) { for (int i = 0; i < 3; i++) puts(\"\"); if (x > 1) break; } for (;;) { x += 1; if (x > 9) return; }",
    ];
    let others = [
        "static double n; n += x;",
        "w[0] = x;",
        "double a[3] = {0}, *p = a; p = w; *p = x;",
        "double *p = x > 1 ? w : 0; p[1] = x;",
        "struct s s; s.p = w; s.p[0] = x;",
        "double *r[2]; r[0] = w; r[0][1] = x;",
        "double *p, **q = &p, a[1]; p = a; *q = w; *p = x;",
        "last = x > 1;",
        "if (x > 9) exit(1);",
        "h(w, x);",
        "double a[2]; h(x > 1 ? a : w, x);",
        "memcpy(w, &x, sizeof x);",
        "release(held);",
        "for (;;) ;",
        "if (x > 1) while (1 || x > 1) { switch (last) { case 0: break; } for (;;) break; }",
        "do puts(\"\"); while (1.5);",
        "again: goto again;",
        "die();",
    ];
    let all = quiet.map(|body| (body, true)).into_iter();
    for (body, is_quiet) in all.chain(others.map(|body| (body, false))) {
        let text = format!(
            "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\nstruct s {{ double *p; }}; static double w[2], *held; static int last;
             static void h(double *p, double x) {{ *p = x; }} static void release(double *p) {{ free(p); }}
             _Noreturn static void die(void) {{ puts(\"\"); }}
             static void g(double x) {{ {body} }}
             double f(double x) {{ g(x); return x * w[0] + w[1] + last; }}"
        );
        let read = read(&text);
        let is_told = (read.problems.iter()).any(|p| p.message.starts_with("g is left out"));
        assert_eq!(is_told, is_quiet, "{body}: {}", read.problems);
    }
}

/// Unions of integers are refused where members lie elsewhere than their types say, and where the value of an
/// assignment may change what stands beside its place.
#[test]
fn unions_of_integers_that_are_laid_out_in_another_way() {
    let of = |before: &str, members: &str, body: &str| {
        format!(
            "typedef unsigned short word; {before} union both {{ unsigned long all; struct {{ {members} }} f; }};
             static unsigned changed(union both *u) {{ u->f.b = 3; return 2; }}
             double f(double x, unsigned n) {{ union both u; u.all = n; {body} return x * u.all; }}"
        )
    };
    let usual = "unsigned char a; word b;";
    let accepted = read(&of("", usual, "u.f.b = 7; u.f.a += 2;"));
    assert!(accepted.program.is_some(), "{}", accepted.problems);
    for (before, members, body) in [
        ("", "unsigned char a; _Alignas(4) word b;", "u.f.b = 7;"),
        (
            "",
            "unsigned char a; word b __attribute__((aligned(4)));",
            "u.f.b = 7;",
        ),
        (
            "typedef word wide __attribute__((aligned(4)));",
            "unsigned char a; wide b;",
            "u.f.b = 7;",
        ),
        ("\n#pragma pack(1)\n", usual, "u.f.b = 7;"),
        ("", usual, "u.f.a = changed(&u);"),
        ("", usual, "u.f.a += changed(&u);"),
    ] {
        let text = of(before, members, body);
        let read = read(&text);
        assert!(read.program.is_none(), "{text}");
        let is_told = read.problems.iter().any(|p| p.code == "C005");
        assert!(is_told, "{text}{}", read.problems);
    }
}

/// A name where a type stands may be one that a header declares which is not there; else it is an `int`.
#[test]
fn names_without_a_type_may_be_types_of_missing_headers() {
    let of = |header: &str| {
        let read = read(&format!(
            "{header}static double g(const real); double f(double x) {{ return g(x); }} static double g(const real) {{ return real; }}"
        ));
        (read.program.is_some(), read.problems.to_string())
    };
    assert!(of("").0, "{}", of("").1);
    let (is_read, problems) = of("#include \"missing.h\"\n");
    assert!(!is_read && problems.contains("real"), "{problems}");
}

/// Unions of which members are used that are not the same numbers, or that are named as a whole as two types, are
/// refused with the reason.
#[test]
fn unions_that_are_more_than_one_view() {
    for (members, body, words) in [
        (
            "double d; long bits;",
            "u.d = x; return u.bits;",
            "--no-diff bits",
        ),
        (
            "float f; unsigned char b[4];",
            "u.f = x; return u.b[0];",
            "both f (float) and b (array of unsigned char)",
        ),
        (
            "double v[2]; struct { double x, y; } p;",
            "u.v[0] = x; struct pair q = u.q; double *w = u.v; return q.a + w[1];",
            "of which several members are used",
        ),
        (
            "double v[2]; struct { double x; float y; } p;",
            "u.v[0] = x; return u.p.x;",
            "both v (array of double) and p",
        ),
        (
            "struct { double a[2], b[2]; } s; struct { double p[4]; } r;",
            "u.s.b[0] = x; return u.r.p[(int) x];",
            "of which several members are used",
        ),
        (
            "struct { double a[2], b[2]; float c; } s; struct { double p[4]; float c; } r;",
            "u.s.b[0] = x; struct pair *q = (struct pair *) &u.s; return u.r.p[(int) x] + q->a;",
            "of which several members are used",
        ),
        (
            "struct { double v; int k; long m; } p; struct { double v; int k, l; long m; } r;",
            "u.p.v = x; return u.r.v * u.p.m;",
            "both p (structure) and r",
        ),
        (
            "struct { struct { double v; int k; } in; int m; } p; struct { double v; int k, m; } r;",
            "u.p.in.v = x; return u.r.v * u.p.m;",
            "both p (structure) and r",
        ),
    ] {
        let text = format!(
            "struct pair {{ double a, b; }}; double f(double x) {{ union {{ {members} struct pair q; }} u; {body} }}"
        );
        let read = read(&text);
        assert!(read.program.is_none(), "{text}");
        let problems = read.problems.to_string();
        assert!(
            problems.contains("C005") && problems.contains(words),
            "{text}\n{problems}"
        );
    }
}

/// A structure is read as another one where both are the same numbers, each by itself.
#[test]
fn structures_that_are_other_numbers_are_not_converted() {
    for (own, init, other, body, is_read) in [
        (
            "double e[2]; long n;",
            "",
            "double a, b; long k;",
            "*x * o.b * o.k",
            true,
        ),
        ("double e[2]; long n;", "", "double a, b;", "*x * o.b", true),
        (
            "double e[2]; long n;",
            "",
            "double a, b; int k;",
            "*x * o.b * o.k",
            true,
        ),
        (
            "double e[2]; long n;",
            "= {{1, 2}, 3}",
            "double a, b; int k;",
            "*x * o.b * o.k",
            false,
        ),
        (
            "double e[2]; long n;",
            "= {{1, 2}, 0}",
            "double a, b; int k;",
            "*x * o.b * o.k",
            true,
        ),
        (
            "double e[2]; long n;",
            "",
            "double a, b; int k;",
            "own.n * o.b * o.k",
            false,
        ),
        (
            "double e[2]; long n;",
            "",
            "double a, b; int k;",
            "x[sizeof own] * o.k",
            true,
        ),
        ("double e[2];", "", "double a, b, c;", "*x * o.b", false),
        (
            "double e[2]; int n;",
            "",
            "double a; float b, c; int k;",
            "*x * o.a",
            true,
        ),
        (
            "double e[2]; int n;",
            "= {{1}, 2}",
            "double a; float b, c; int k;",
            "*x * o.a",
            true,
        ),
        (
            "double e[2]; int n;",
            "= {{0, 1}, 2}",
            "double a; float b, c; int k;",
            "*x * o.a",
            false,
        ),
        (
            "double e[2]; int n;",
            "= {{0, -0.0}, 2}",
            "double a; float b, c; int k;",
            "*x * o.a",
            false,
        ),
        (
            "struct { double a; int k; } in; int n;",
            "",
            "double a; int k, l;",
            "*x * o.l",
            false,
        ),
        (
            "struct { double a; int k; } in; long n;",
            "",
            "double a; int k; long l;",
            "*x * o.l",
            true,
        ),
        (
            "double e[2], g[2];",
            "",
            "double a[4];",
            "*x * o.a[3]",
            true,
        ),
        (
            "double e[2], g[2];",
            "= {{1}, {2}}",
            "double a[4];",
            "*x * o.a[(int) *x]",
            true,
        ),
        (
            "double e[2], g[2];",
            "",
            "double a[4];",
            "own.e[0] * o.a[(int) *x]",
            false,
        ),
        (
            "double e[2], g[2];",
            "",
            "double a[4];",
            "sum(own.e) * o.a[(int) *x]",
            false,
        ),
        (
            "double e[2], g[2];",
            "",
            "double a[4];",
            "own_of(&own) * o.a[(int) *x]",
            false,
        ),
        (
            "double e[2], g[2];",
            "",
            "double a[4];",
            "(of(own).e[1]) * o.a[(int) *x]",
            false,
        ),
        (
            "double e[4];",
            "",
            "double a[2], b[2];",
            "own.e[1] * o.a[(int) *x]",
            true,
        ),
        (
            "double e[4];",
            "",
            "double a[2], b[2];",
            "own.e[(int) *x] * o.a[(int) *x]",
            true,
        ),
        ("double e[4];", "", "double a[2], b[2];", "sum(o.b)", true),
        ("double e[4];", "", "double a[2][2];", "of_rows(o.a)", true),
        ("double e[2];", "", "double a, b;", "whole(o)", false),
        ("double e[2];", "", "double a, b;", "behind(&o)", false),
        (
            "double e[2];",
            "",
            "double a, b;",
            "(own.e[0] = *x) * o.a",
            false,
        ),
        (
            "struct { double a, b; } in; double e[2];",
            "",
            "double a[2]; struct { double a, b; } in;",
            "own.in.a * o.a[1] * o.in.b",
            true,
        ),
        (
            "struct { double a, b; } q[2]; double e[2];",
            "",
            "double a, b; struct { double a, b; } q[2];",
            "own.q[1].a * o.q[1].b",
            true,
        ),
        (
            "struct { double a, b; } q[2]; double e[2];",
            "",
            "double a, b; struct { double a, b; } q[2];",
            "own.q[1].a * o.q[(int) *x].b",
            false,
        ),
        (
            "struct { double a, b; } q[2]; double e[2];",
            "",
            "double a, b; struct { double a, b; } q[2];",
            "o.q[(int) *x].b",
            true,
        ),
        (
            "double *e; double g;",
            "",
            "double *a; double b;",
            "*x * o.b",
            false,
        ),
        (
            "unsigned e : 3; double g;",
            "",
            "unsigned a : 3; double b;",
            "*x * o.b",
            false,
        ),
    ] {
        let text = format!(
            "struct other {{ {other} }}; static struct own {{ {own} }} own {init}; #define o (*(struct other *) &own)
static double sum(double *v) {{ return v[0] + v[1]; }} static double of_rows(double (*v)[2]) {{ return v[1][1]; }}
static double own_of(struct own *p) {{ return p->e[0]; }} static struct own of(struct own p) {{ return p; }} static double whole(struct other t) {{ return t.a; }} static double behind(struct other *t) {{ return t->a; }}
double f(double *x) {{ return {body}; }}"
        )
        .replace("#define", "\n#define");
        let read = read(&text);
        assert_eq!(read.program.is_some(), is_read, "{text}\n{}", read.problems);
    }
}

/// A variable that becomes another structure is one with the members of that which are used.
#[test]
fn common_blocks_have_the_members_that_are_used() {
    let shown = program(
        "struct one_ { double w[4]; int on; int k; }; struct { double e_1[2]; double fill_2[2]; int e_3; int e_4; } block_ = {{1, 2}, {0}, 3, 4};
#define block_1 (*(struct one_ *) &block_)
double f(double x, int n) { return x * block_1.w[n] * block_1.k; }",
    );
    for part in [
        "record one_\n  real w[4 from 0]\n  int32 k\nend",
        "= 1.0, 2.0, 0.0, 0.0, int32(4)",
    ] {
        assert!(shown.contains(part), "{shown}");
    }
}

/// A pointer that is only handed on may lead to any number of elements; one that is dereferenced alone leads to one.
#[test]
fn extents_of_pointers_that_are_handed_on() {
    for (body, extent) in [
        ("n > 0 ? f(n - 1, w) : 0", "w[: from 0]"),
        ("n > 0 ? f(n - 1, w) : *w", "w[1 from 0]"),
    ] {
        let text = format!("double f(int n, const double *w) {{ return {body}; }}");
        let shown = program(&text);
        assert!(shown.contains(&format!("in real {extent}")), "{shown}");
    }
}

/// Functions that print to a stream of the library change nothing that another operand uses.
#[test]
fn streams_are_changed_by_nobody() {
    let text = "#include <stdio.h>
static double sq(double x) { if (x > 100) fprintf(stderr, \"large: %g\\n\", x); return x * x; }
double f(double x, double y) { return sq(x) + sq(y); }";
    let read = read(text);
    assert!(read.program.is_some(), "{}", read.problems);
    let codes: Vec<&str> = read.problems.iter().map(|d| d.code).collect();
    assert_eq!(codes, ["C019"], "{}", read.problems);
}

/// Comments beside code are those of the program: behind it, or in the lines above it.
#[test]
fn comments_beside_code() {
    let text = "/* not beside code */

// above
/* of two
   lines */ double f(double x) /* behind */
{
    const char *s = \"/* no comment */\"; (void)s;
    /* $AD II-LOOP */
    return x /* within */ * x; // end\\
      of it
    /* nothing follows */
}
";
    let program = read(text).program.unwrap();
    let comments = program.annotations.unwrap().get("comments").cloned();
    let expected = serde_json::json!([
        [0, 3, 3, false, "above"],
        [0, 4, 5, false, "of two\n   lines"],
        [0, 5, 5, true, "behind"],
        [0, 9, 9, true, "within"],
        [0, 9, 10, true, "end      of it"],
        [0, 11, 11, false, "nothing follows"],
    ]);
    assert_eq!(comments, Some(expected));
}
