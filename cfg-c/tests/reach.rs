//! Only declarations that the function to differentiate reaches are read: all others may contain anything.

use cfg_c::{NoFiles, Options, SourceFile, read_c};

/// The program of a text in the text form, or its problems.
fn read(text: &str, routine: Option<&str>) -> Result<String, String> {
    let options = Options {
        routine: routine.map(str::to_owned),
        ..Options::default()
    };
    let file = SourceFile::new("t.c", text.as_bytes());
    let read = read_c(&[file], &options, &mut NoFiles);
    let program = read.program.ok_or_else(|| read.problems.to_string())?;
    Ok(without_places(&program.to_string()))
}

/// The text form of a program without the places in the sources.
fn without_places(program: &str) -> String {
    let mut parts = program.split(" @[");
    let mut text = parts.next().unwrap_or_default().to_owned();
    text.extend(parts.filter_map(|part| Some(part.split_once(']')?.1)));
    text
}

/// The function to differentiate, which names some of the names that the rest has, as its own.
const FUNCTION: &str = "double f(const double *x, int n)
{
    struct { double norm; int next; } local = { .norm = 1.0 };
    double hidden = x[0];
    for (int index = 0; index < n; index++) hidden += x[index];
    for (int twice = 0; twice < 2; twice++) { hidden *= local.norm; }
    goto done;
done:
    return hidden;
}
";

/// Declarations beside the function that must not matter.
const BESIDE: &[&str] = &[
    // Functions that do what is not supported, or not C99.
    "void a(void) { unknown(1); undeclared_t *t = other->member; feof(stdin); }",
    "int a(void) { return ({ int y = 1; y + __builtin_popcount(y); }); }",
    "void a(int n) { __asm__ volatile (\"cpuid\" : \"=a\"(n) : \"0\"(n) : \"ebx\"); asm(\"nop\"); }",
    "__int128 a(__int128 v) { return v * v; }",
    "int a(void) { int nested(int k) { return k + 1; } return nested(2); }",
    "int a(double v) { return _Generic(v, double: 1, default: 0); }",
    "void a(void *p) { void *table[] = { &&one, &&two }; goto *table[0]; one: two: return; }",
    "[[nodiscard]] constexpr int a(auto v) { return nullptr == v ? 0b10 : typeof(v){}; }",
    "int a(int n) { switch (n) { case 1 ... 5: return 1; } }",
    "double a(double _Complex z) { return __real__ z; }",
    "int a(x, n) double *x; struct nobody n; { return x[n.k]; }",
    "int (*a(int n))(void) { return unknown[n]; }",
    "int a(void) { this does not parse at all; + / [ ( ] }",
    "inline static __attribute__((always_inline, unknown(\"x\"))) void a(void) { hm(); }",
    "__declspec(dllexport) int a(void) ATTRIBUTE_NOBODY_KNOWS { return 1 }",
    "extern int a(void) __asm__(\"other\") __attribute__((pure));",
    // Declarations.
    "extern volatile sig_atomic_t interrupted; pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;",
    "extern unknown_t hidden, *norm, index[4], twice, next, x, n, local, done;",
    "unknown_t hidden(unknown_t norm) { return index + twice; } unknown_t done(void) { }",
    "struct local { unknown_t norm; union { int i; float f : 3; } u; __int128 wide; };",
    "typedef struct { pthread_t thread; } worker; worker workers[MANY];",
    "_Static_assert(sizeof(long) == 8, \"long\"); _Static_assert(sizeof(unknown_t) == 1);",
    "__asm__(\".globl nothing\"); asm(\".text\");",
    "int a = ({ 1; }), b[] = { [0 ... 3] = 1 }; double c = __builtin_nan(\"\");",
    "_Alignas(64) _Thread_local int a; _Atomic(int) b; _Float128 c; _Decimal64 d;",
    "enum { A = sizeof(unknown_t), B = some(thing) }; typedef __typeof__(A) same;",
    "extern \"C\" { namespace_like a; void b(unknown_t); }",
    ";; MODULE_LICENSE(\"GPL\"); EXPORT_SYMBOL(g);",
    "int (*table[])(unknown_t) = { a, b, c }; int (*(*fp)(int))[3] = nobody;",
];

#[test]
fn what_is_not_reached_may_be_anything() {
    let alone = read(FUNCTION, Some("f")).expect("it is read");
    for beside in BESIDE {
        for text in [
            format!("{beside}\n{FUNCTION}"),
            format!("{FUNCTION}{beside}\n"),
            format!("{beside}\nextern \"C\" {{ {FUNCTION} }}"),
        ] {
            assert_eq!(read(&text, Some("f")), Ok(alone.clone()), "{text}");
        }
    }
}

/// Reached declarations, for all ways in which names lead from one declaration to another.
const REACHED: &[(&str, &str)] = &[
    (
        "typedef double real; typedef real value; value f(value x) { return x; }",
        "real",
    ),
    (
        "enum { N = 2, M = N + 1 }; typedef double v3[M]; double f(v3 x) { return x[M - 1]; }",
        "x[2]",
    ),
    (
        "struct p { double x; }; struct q { struct p p; }; double f(struct q q) { return q.p.x; }",
        "q.p.x",
    ),
    (
        "static const double c[] = { 1, 2 }; static const double *const p = c; double f(int i) { return p[i]; }",
        "1.0, 2.0",
    ),
    (
        "double g(double x); double f(double x) { return g(x); } double g(double x) { return 2 * x; }",
        "2.0*x",
    ),
    (
        "double f(double x) { double g(double); return g(x); } double g(double x) { return 2 * x; }",
        "2.0*x",
    ),
    (
        "double f(x) double x; { extern double w; return w * x; } double w = 3;",
        "w*x",
    ),
    (
        "double g(x) double x; { return 3 * x; } double f(double x) { return g(x); }",
        "3.0*x",
    ),
    (
        "double (g)(double x) { return 3 * x; } double f(double x) { return (g)(x); }",
        "3.0*x",
    ),
    (
        "double g(double x) { return 3 * x; } double (*const t[])(double) = { g }; double f(double x) { return t[0](x); }",
        "3.0*x",
    ),
    (
        "double g(double x) { return 3 * x; } double f(double x) { { double g = 1; x *= g; } return g(x); }",
        "3.0*x",
    ),
    (
        "double i; double f(double x) { for (int i = 0; i < 2; i++) { x *= 2; } return x * i; }",
        "*i",
    ),
    (
        "double i; double f(double x) { for (int i = 0; i < 2; i++) x *= 2; return x * i; }",
        "*i",
    ),
    (
        "double i; double f(double x) { int k = sizeof(struct { int i; }); return x * i * k; }",
        "*i",
    ),
    (
        "double i; double f(double x, double (*g)(double i)) { return x * i; } double h(double x) { return x; } double k(double x) { return f(x, h); }",
        "*i",
    ),
    (
        "double s; double f(double x) { if (x > 0) { double s = x; x = s; } else x = s; return x; }",
        ":= s",
    ),
    (
        "struct s; typedef struct s s; struct s { double v; }; double f(s *p) { return p->v; }",
        "p[0].v",
    ),
    (
        "union u { int i; }; struct { double v; } g = { 2 }; double f(double x) { return g.v * x; }",
        "*x",
    ),
    (
        "extern \"C\" { enum e { A, B = 7 }; } extern \"C\" double g(double x) { return B * x; } double f(double x) { return g(x); }",
        "7.0*x",
    ),
];

#[test]
fn what_is_reached_is_read() {
    let mut wrong = String::new();
    for (text, wanted) in REACHED {
        let routine = Some("f").filter(|_| !text.contains("double k("));
        match read(text, routine) {
            Ok(program) if program.contains(wanted) => {}
            Ok(other) | Err(other) => wrong += &format!("{text}\n{wanted}\n{other}\n"),
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// The function that is chosen if none is named; `None` if there are several candidates.
const CHOSEN: &[(&str, Option<&str>)] = &[
    (
        "double a(double x) { return x; } double b(double x) { return a(x); }",
        Some("b"),
    ),
    ("double b(double x) { return b(x - 1); }", Some("b")),
    (
        "double a(double x) { return x; } double b(double x) { return x; }",
        None,
    ),
    (
        "static double a(double x) { return x; } double b(double x) { return x; }",
        Some("b"),
    ),
    (
        "static double a(double x); double a(double x) { return x; } double b(double x) { return x; }",
        Some("b"),
    ),
    (
        "double a(double x) { return x; } int main(void) { return a(1); } double b(double x) { return a(x); }",
        Some("b"),
    ),
    (
        "double a(double x) { return x; } int main(void) { return a(1); }",
        Some("a"),
    ),
    (
        "double a(double x) { return x; } double (*t[])(double) = { a }; double b(double x) { return t[0](x); }",
        Some("b"),
    ),
    (
        "double a(double x) { return x; } double (*t[])(double) = { a }; double b(double x) { return x; }",
        None,
    ),
    (
        "double a(double x) { return x; } double b(double x) { double a = x; return a; }",
        None,
    ),
    (
        "double a(double x); double b(double x) { return a(x); } double a(double x) { return x; }",
        Some("b"),
    ),
    (
        "double b(double x, double n); double a(double x, double n) { return x > n ? b(x, n) : x; } double b(double x, double n) { return a(x, n); }",
        None,
    ),
    (
        "double r(double x); double a(double x) { return r(x); } static double (*const p)(double) = a; double b(double x) { return p(x); } double r(double x) { return x; }",
        Some("b"),
    ),
    (
        "#pragma cfgrev external(g) value(h(t)) partial(t: a(t))\ndouble g(double t); double h(double t) { return t; } double a(double t) { return 1; } double b(double x) { return g(x); }",
        Some("b"),
    ),
];

#[test]
fn a_function_that_no_other_calls_is_chosen() {
    for (text, wanted) in CHOSEN {
        let file = SourceFile::new("t.c", text.as_bytes());
        let read = read_c(&[file], &Options::default(), &mut NoFiles);
        let chosen = read.program.as_ref().and_then(|p| {
            let main = p.main?;
            Some(&*p.routine(main).name)
        });
        assert_eq!(chosen, *wanted, "{text}\n{}", read.problems);
    }
}

/// A pragma is for the function that it stands in or before, which may be one that is not read.
#[test]
fn pragmas_of_others_are_left_alone() {
    let text = "#pragma cfgrev independent(z) no-diff(q)\ndouble other(unknown_t z) { return q; }\ndouble f(double x) { return x; }\n";
    assert_eq!(
        read(text, Some("f")),
        read("double f(double x) { return x; }", None)
    );
    let own = "#pragma cfgrev independent(z)\ndouble f(double x) { return x; }\n";
    let problems = read(own, Some("f")).expect_err("it has no z");
    assert!(problems.contains("z is no parameter"), "{problems}");
}

/// Braces are what tells declarations apart.
#[test]
fn braces_without_their_like_are_told() {
    for (text, place) in [
        (
            "double g(double x) { if (x) { }\ndouble f(double x) { return x; }",
            "t.c:1:20",
        ),
        ("double f(double x) { return x; }\n} double g;", "t.c:2:1"),
    ] {
        let problems = read(text, Some("f")).expect_err("a brace is missing");
        assert!(
            problems.contains(place) && problems.contains("C001"),
            "{problems}"
        );
    }
    // An unclosed parenthesis only concerns its own declaration.
    let text = "int g(double x { return x; }\ndouble f(double x) { return x; }";
    assert!(read(text, Some("f")).is_ok());
    assert!(read(text, Some("g")).is_err());
}
