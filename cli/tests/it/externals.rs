//! Functions of C that are defined elsewhere, and derivatives that are given or taken to be 0.

use crate::run_tool::cfgrev_in;
use cfg_testkit::needs;
use serde_json::Value;
use std::{fs, path::Path, process::Command};

/// What is declared here is defined in [`ELSEWHERE`].
const FILE: &str = "
double lookup(double);
double lookup_derivative(double);
double blend(int n, const double *w, double t);
void blend_b(int n, const double *w, double *w_b, double t, double *t_b, double value_b);
void blend_t(int n, const double *w, const double *w_t, double t, double t_t, double *value, double *value_t);
void scale(double *a, int n, float c);
void scale_b(double *a, double *a_b, int n, float c, float *c_b);
#pragma cfgrev external(lookup(s)) partial(s: lookup_derivative(s)) external(blend) adjoint(blend_b) tangent(blend_t)
#pragma cfgrev external(scale) adjoint(scale_b)
";

const BODY: &str = "
double f(int n, const double *w, double t, float c)
{
    double a[3] = {t, t * t, lookup(t * c)};
    scale(a, 3, c);
    return blend(n, w, t * 2) * a[0] + a[1] * a[2];
}
";

const ELSEWHERE: &str = "
double lookup(double t) { return t * t * (3 - t); }
double lookup_derivative(double t) { return t * (6 - 3 * t); }
double blend(int n, const double *w, double t)
{
    double s = 0, p = 1;
    for (int i = 0; i < n; i++) { s += w[i] * p; p *= t; }
    return s;
}
void scale(double *a, int n, float c) { for (int i = 0; i < n; i++) a[i] *= c; }
";

const DERIVATIVES: &str = "
void blend_b(int n, const double *w, double *w_b, double t, double *t_b, double v)
{
    double p = 1, q = 0;
    for (int i = 0; i < n; i++) { w_b[i] += p * v; *t_b += v * w[i] * i * q; q = p; p *= t; }
}
void blend_t(int n, const double *w, const double *w_t, double t, double t_t, double *v, double *v_t)
{
    double p = 1, q = 0;
    *v = 0;
    *v_t = 0;
    for (int i = 0; i < n; i++) {
        *v += w[i] * p;
        *v_t += w_t[i] * p + w[i] * i * q * t_t;
        q = p;
        p *= t;
    }
}
void scale_b(double *a, double *a_b, int n, float c, float *c_b)
{
    for (int i = 0; i < n; i++) { *c_b += a_b[i] * a[i]; a_b[i] *= c; }
}
";

const MAIN: &str = "
#include <stdio.h>
#include \"out.c\"
int main(void)
{
    double w[3] = {1, 2, 3}, w_b[3] = {0}, t_b = 0, v;
    float c_b = 0;
    int failed = f_grad(3, w, w_b, 0.75, &t_b, 1.5f, &c_b, &v, 1.0, NULL);
    printf(\"[%d,%.17g,%.17g,%.17g,%.17g,%.17g,%.9g]\\n\", failed, v, w_b[0], w_b[1], w_b[2], t_b, c_b);
    return 0;
}
";

const POINT: &str = "n=3,w=[1,2,3],t=0.75,c=1.5";

fn json(folder: &Path, args: &[&str]) -> Value {
    let ran = cfgrev_in(folder, args, b"");
    assert_eq!(ran.code, Some(0), "{args:?}: {}", ran.err);
    serde_json::from_str(&ran.out).expect("JSON")
}

fn reals(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(items) => items.iter().flat_map(reals).collect(),
        Value::Object(members) => members.values().flat_map(reals).collect(),
        other => vec![other.as_f64().expect("a number")],
    }
}

/// Emitted C that calls functions of another file has the derivatives that the executor has where the bodies are there.
#[test]
fn functions_of_another_file_are_linked() {
    let Some(compiler) = needs::tool("cc") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::write(path.join("f.c"), format!("{FILE}{BODY}")).unwrap();
    fs::write(
        path.join("whole.c"),
        format!(
            "{}{BODY}",
            ELSEWHERE.replace("double lookup_", "static double lookup_")
        ),
    )
    .unwrap();
    fs::write(path.join("lib.c"), format!("{ELSEWHERE}{DERIVATIVES}")).unwrap();
    fs::write(path.join("main.c"), MAIN).unwrap();
    let emitted = cfgrev_in(
        path,
        &["reverse", "f.c", "--size", "w=n", "--emit", "c"],
        b"",
    );
    assert_eq!(emitted.code, Some(0), "{}", emitted.err);
    fs::write(path.join("out.c"), &emitted.out).unwrap();
    let built = Command::new(compiler)
        .args([
            "-std=c99", "-Wall", "-Wextra", "-Werror", "-o", "run", "main.c", "lib.c", "-lm",
        ])
        .current_dir(path)
        .output()
        .unwrap();
    assert!(
        built.status.success(),
        "{}",
        String::from_utf8_lossy(&built.stderr)
    );
    let ran = Command::new(path.join("run")).output().unwrap();
    let ours: Value = serde_json::from_slice(&ran.stdout).expect("JSON");
    let ours = reals(&ours);
    let whole = json(
        path,
        &["gradient", "whole.c", "--routine", "f", "--at", POINT],
    );
    let mut theirs = vec![0.0];
    theirs.extend(reals(&whole["value"]));
    for name in ["w", "t", "c"] {
        theirs.extend(reals(&whole["gradient"][name]));
    }
    assert_eq!(ours.len(), theirs.len());
    for (a, b) in ours.iter().zip(&theirs) {
        assert!((a - b).abs() <= 1e-6 * b.abs(), "{ours:?} {theirs:?}");
    }
    // Without the file nothing can be run.
    for engine in ["executor", "cc"] {
        let ran = cfgrev_in(
            path,
            &["gradient", "f.c", "--at", POINT, "--engine", engine],
            b"",
        );
        assert_eq!(ran.code, Some(1), "{engine}");
        assert!(ran.err.contains("emit C"), "{}", ran.err);
    }
}

/// A value makes a function run; partials are taken in place of its derivative.
#[test]
fn values_are_expressions() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let text = "#include <math.h>\ndouble g(double a, double b);\ndouble f(double x, double y) { return x * g(x * y, y); }\n";
    fs::write(path.join("f.c"), text).unwrap();
    let gradient = |external: &str| {
        let args = [
            "gradient",
            "f.c",
            "--at",
            "x=2,y=0.5",
            "--external",
            external,
        ];
        reals(&json(path, &args)["gradient"])
    };
    let (x, y): (f64, f64) = (2.0, 0.5);
    let (s, c) = (y.sin(), y.cos());
    let exact = [2.0 * x * y * s, x * (x * s + x * y * c)];
    for external in [
        "g value(a * sin(b))",
        "g(u, v) value(u * sin(v)) partial(u: sin(v), v: u * cos(v))",
    ] {
        let found = gradient(external);
        for (a, b) in found.iter().zip(&exact) {
            assert!((a - b).abs() <= 1e-14 * b.abs(), "{found:?} {exact:?}");
        }
    }
    assert_eq!(
        gradient("g value(1.5) partial(a: 3)"),
        [1.5 + 3.0 * x * y, 3.0 * x * x]
    );
}

/// A parameter that is a function is left out, and computes what is said of it.
#[test]
fn parameters_that_are_functions_are_declared() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let text = "double integral(double (*g)(double, void *), void *data, double a, double b, int n)
{
    double h = (b - a) / n, s = 0;
    for (int i = 0; i < n; i++)
        s += h * g(a + (i + 0.5) * h, data);
    return s;
}
";
    fs::write(path.join("f.c"), text).unwrap();
    let args = ["gradient", "f.c", "--at", "a=0,b=1,n=1", "--external"];
    let found = json(
        path,
        &[&args[..], &["g(t, data) value(t * t * t)"]].concat(),
    );
    assert_eq!(reals(&found["value"]), [0.125]);
    assert_eq!(reals(&found["gradient"]), [0.25, 0.5]);
    // Another file's function would be given what `data` points to.
    let ran = cfgrev_in(
        path,
        &[&args[..], &["g(t, data) partial(t: 3 * t * t)"]].concat(),
        b"",
    );
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("C007"), "{}", ran.err);
}

/// Functions that the caller gives are those that an option names, or null: a function that fills the structure itself
/// has the same values.
#[test]
fn functions_of_callers_are_those_that_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let text = "#include <stdlib.h>
typedef double act(double);
typedef struct net_s { int n; double (*f)(int n, const double *x, void *data); void *data; act *last; double best; } net;
struct weight { double a; };
static double square(double x) { return x * x; }
static double cube(double x) { return x * x * x; }
static double weighted(int n, const double *x, void *data)
{
    const struct weight *w = data;
    double s = 0;
    for (int i = 0; i < n; i++) s += w->a * x[i] * x[i];
    return s;
}
static double run(net *p, const double *x)
{
    double v = (*p->f)(p->n, x, p->data) + p->f(1, x, p->data);
    double (*last)(double) = p->last;
    if (p->last != NULL) v = last(v) * (p->last == cube ? 2 : 3);
    return v + p->best * sizeof p->f;
}
double filled(const double *x, double a, double best)
{
    struct weight w = {a};
    net own = {2, weighted, &w, cube, best};
    return run(&own, x);
}
double without(const double *x, double a, double best)
{
    struct weight w = {a};
    net own = {2, weighted, &w, NULL, best};
    return run(&own, x);
}
double choose(act *g, double x) { return g == square ? 5 * x : g ? (*g)(x) + (**g)(2 * x) : x; }
double sum(double x) { return choose(cube, x); }
double effects(net *p, int *k, double x) { return p[(*k)++].last(x); }
double changed(net *p, double x) { p->last = square; return p->last(x); }
struct out { double *y; };
void apply(struct out *o, net *p) { o->y[0] = p->best * p->best; if (p->last != NULL) p->best = p->last(2.0); }
extern act *hook;
extern net elsewhere;
double hooked(double x) { return hook(x) + elsewhere.last(x); }
double cleared(double x) { net own = {2}; return own.last ? own.last(x) : x; }
double kept(double x) { static net own; return own.last ? own.last(x) : x; }
double allocated(double x) { net *own = calloc(1, sizeof *own); return own->last ? own->last(x) : x; }
double started(double x) { net own = {.last = square}; return own.last(x); }
";
    fs::write(path.join("f.c"), text).unwrap();
    let gradient = |routine: &str, at: &str, externals: &[&str]| {
        let mut args = vec!["gradient", "f.c", "--routine", routine, "--at", at];
        for external in externals {
            args.extend(["--external", *external]);
        }
        let found = json(path, &args);
        let mut all = reals(&found["value"]);
        all.extend(reals(&found["gradient"]));
        all
    };
    let given = r#"{"p":[{"n":2,"data":[{"a":3}],"best":0.5}],"x":[1,2]}"#;
    let own = r#"{"a":3,"best":0.5,"x":[1,2]}"#;
    let f = "net.f is(weighted)";
    for (routine, last) in [
        ("filled", "net_s.last is(cube)"),
        ("without", "net.last is(NULL)"),
    ] {
        let mut expected = gradient(routine, own, &[]);
        let mut found = gradient("run", given, &[f, last]);
        expected.sort_by(f64::total_cmp);
        found.sort_by(f64::total_cmp);
        assert_eq!(found, expected, "{routine}");
    }
    assert_eq!(
        gradient("choose", "x=2", &["g is(cube)"]),
        gradient("sum", "x=2", &[])
    );
    assert_eq!(gradient("choose", "x=2", &["g is(square)"]), [10.0, 5.0]);
    assert_eq!(gradient("choose", "x=2", &["g is(NULL)"]), [2.0, 1.0]);
    let both = ["hook is(cube)", "net.last is(square)"];
    assert_eq!(gradient("hooked", "x=2", &both), [12.0, 16.0]);
    // With a null function nothing writes o.y, which then is no result.
    let at = r#"{"o":[{"y":[0]}],"p":[{"best":3}]}"#;
    let found = gradient("apply", at, &["net.last is(NULL)"]);
    assert_eq!(found, [9.0, 0.0, 6.0]);
    for (routine, external, why) in [
        ("hooked", "", "hook is a function that another file gives"),
        (
            "hooked",
            "hook is(cube)",
            "elsewhere leads to net_s.last, a function that another file gives",
        ),
        (
            "run",
            "",
            "p leads to net_s.f, a function that the caller of run gives",
        ),
        ("choose", "", "--external 'g is(NAME)'"),
        ("choose", "g is(nothing)", "no function nothing is declared"),
        (
            "choose",
            "g is(weighted)",
            "g is no pointer to functions as weighted",
        ),
        (
            "choose",
            "net.data is(square)",
            "net.data is no pointer to functions",
        ),
        ("choose", "x is(square)", "x is no pointer to functions"),
        (
            "choose",
            "net.last value(1)",
            "last is a member of a structure",
        ),
        (
            "choose",
            "g is(square) value(1)",
            "say this of the function itself",
        ),
        (
            "changed",
            "net.last is(cube)",
            "net.last is said to be cube, and is given something here",
        ),
        ("cleared", "net.last is(cube)", "is given something here"),
        ("kept", "net.last is(cube)", "is given something here"),
        ("allocated", "net.last is(cube)", "is given something here"),
        ("started", "net.last is(cube)", "is given something here"),
        (
            "effects",
            "net.last is(cube)",
            "net.last is read by an expression that changes something",
        ),
    ] {
        let mut args = vec!["gradient", "f.c", "--at", "x=2", "--routine", routine];
        if !external.is_empty() {
            args.extend(["--external", external]);
        }
        let ran = cfgrev_in(path, &args, b"");
        assert_eq!(ran.code, Some(1), "{routine} {external}");
        assert!(ran.err.contains(why), "{routine} {external}: {}", ran.err);
    }
}

/// A pointer to a function that is called only where it was asked whether it is null is that of no function, unless something is
/// said. One that is called elsewhere is asked for.
#[test]
fn functions_that_callers_may_give_are_null() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let text = "#include <stddef.h>
struct options { int n; double (*g)(double); double (*h)(double, void *); void *data; int (*stop)(int, double); double w; };
static const struct options usual = {3, NULL, NULL, NULL, NULL, 0.5};
static double twice(double x) { return 2 * x; }
double solved(double x, const struct options *o)
{
    if (!o) o = &usual;
    for (int i = 0; i < o->n; i++) {
        x *= o->w;
        if (o->stop && o->stop(i, x)) break;
    }
    if (o->h != NULL && o->n > 1) x += o->h(x, o->data);
    else if (NULL == o->g) x += 1;
    else x += (*o->g)(x);
    return x;
}
double by_value(double x, struct options o) { double y = o.g ? o.g(x) : o.w * x; return !o.stop || o.stop(1, x) ? y : x; }
double cleared(double x, struct options *o) { struct options p = *o; p.g = NULL; o->stop = NULL; return by_value(x, p); }
double alone(double x, double (*g)(double)) { return g ? g(x) : x * x; }
double validated(double x, const struct options *o) { if (!o->g) return -1; return o->g(x); }
double kept(double x, const struct options *o) { double (*g)(double) = o->g; return g ? g(x) : x; }
double beside(double x, const struct options *o) { return o->h ? o->g(x) : x; }
double set(double x, struct options *o) { if (x > 1) o->g = twice; return o->g ? o->g(x) : x; }
double between(double x, const struct options *o, const struct options *p) { return o->g(x) + p->g(x); }
extern double (*hook)(double);
double hooked(double x) { return hook ? hook(x) : x; }
double again(double x, double (*g)(double)) { if (x > 3) return again(x / 2, twice); return g ? g(x) : x; }
static double halved(double x, double (*g)(double));
double in_turn(double x, double (*g)(double)) { return x > 3 ? halved(x, g) : g ? g(x) : x; }
static double halved(double x, double (*g)(double)) { return in_turn(x / 2, x > 4 ? twice : g); }
static double with(double (*f)(double, double (*)(double)), double x) { return f(x / 2, twice); }
double passed_on(double x, double (*g)(double)) { return x > 3 ? with(passed_on, x) : g ? g(x) : x; }
double same(double x, double (*g)(double)) { return x > 3 ? same(x / 2, NULL) + same(x / 4, NULL) : g ? g(x) : x; }
";
    fs::write(path.join("f.c"), text).unwrap();
    let run = |command: &str, routine: &str, at: &str, more: &[&str]| {
        let args = [command, "f.c", "--routine", routine, "--at", at];
        cfgrev_in(path, &[&args, more].concat(), b"")
    };
    let o = r#"{"n":2,"w":3,"g":null,"h":null,"stop":null,"data":null}"#;
    let given = format!(r#"{{"x":2,"o":{o}}}"#);
    for (routine, at, value, derivative) in [
        ("solved", &*given, 19.0, 9.0),
        ("solved", r#"{"x":2,"o":null}"#, 1.25, 0.125),
        ("solved", r#"{"x":2,"o":{"n":2,"w":3}}"#, 19.0, 9.0),
        ("by_value", &*given, 6.0, 3.0),
        ("cleared", &*given, 6.0, 3.0),
        ("alone", r#"{"x":2,"g":null}"#, 4.0, 4.0),
        ("alone", "x=2", 4.0, 4.0),
        ("same", "x=4", 3.0, 0.75),
    ] {
        let ran = run("check", routine, at, &[]);
        assert_eq!(ran.code, Some(0), "{routine} {at}: {}{}", ran.out, ran.err);
        assert!(ran.err.contains("is taken to be null"), "{}", ran.err);
        let ran = run("gradient", routine, at, &["--independent", "x"]);
        let found: Value = serde_json::from_str(&ran.out).unwrap();
        let found = [&found["value"]["return"], &found["gradient"]["x"]].map(Value::as_f64);
        assert_eq!(found, [Some(value), Some(derivative)], "{routine} {at}");
    }
    let ran = run("gradient", "alone", "x=2", &["--external", "g is(twice)"]);
    assert!(
        ran.err.is_empty() && ran.out.contains(r#""x":2.0"#),
        "{}{}",
        ran.out,
        ran.err
    );
    let null = ["--external", "g is(NULL)"];
    assert!(run("gradient", "alone", "x=2", &null).err.is_empty());
    for (routine, why) in [
        (
            "validated",
            "o leads to options.g, a function that the caller",
        ),
        ("kept", "o leads to options.g, a function that the caller"),
        ("beside", "o leads to options.g, a function that the caller"),
        ("set", "o leads to options.g, a function that the caller"),
        ("hooked", "hook is a function that another file gives"),
    ] {
        let ran = run("gradient", routine, &given, &[]);
        assert_eq!(ran.code, Some(1), "{routine}");
        assert!(ran.err.contains(why), "{routine}: {}", ran.err);
    }
    // Calls in the file give another one.
    for routine in ["again", "in_turn", "passed_on"] {
        for (more, words) in [
            (&[][..], "g is a function that the caller"),
            (
                &["--external", "g is(twice)"],
                "g is said to be twice, and is given something here",
            ),
        ] {
            let ran = run("gradient", routine, "x=5", more);
            assert_eq!(ran.code, Some(1), "{routine}: {}", ran.out);
            assert!(ran.err.contains(words), "{routine}: {}", ran.err);
        }
    }
    // A variable stands for its structure, if no other one leads to such.
    let ran = run("gradient", "kept", "x=2", &["--external", "o.g is(twice)"]);
    assert!(
        ran.out.contains(r#""value":{"return":4.0}"#),
        "{}{}",
        ran.out,
        ran.err
    );
    let ran = run(
        "gradient",
        "between",
        &given,
        &["--external", "o.g is(twice)"],
    );
    assert!(
        ran.err.contains("other variables lead to options, too"),
        "{}",
        ran.err
    );
}

/// A variable of a file that only functions outside of the program set can be given a function by an option, also if
/// it is reached through a function; the given function may be a static one of another file.
#[test]
fn functions_that_files_keep_are_those_that_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let main = "#include <stdlib.h>
struct state { void *(*take)(size_t); void (*end)(void *); double (*law)(double); int calls; };
static struct state state;
static int asked;
static struct state *get(void) { return &state; }
static struct state *counted(void) { asked++; return &state; }
void begin(void) { state.take = malloc; state.end = free; }
static void *taken(size_t n) { return (get()->take)(n); }
double f(int n, const double *x)
{
    double s = 0, *y = taken(n * sizeof *y);
    for (int i = 0; i < n; i++) y[i] = get()->law(x[i]);
    for (int i = 0; i < n; i++) s += y[i] * x[n - 1 - i];
    get()->end(y);
    return s;
}
double effects(double x) { return counted()->law(x); }
";
    fs::write(path.join("f.c"), main).unwrap();
    let other = "static double cube(double x) { return x * x * x; }\ndouble twice(double x) { return 2 * cube(x); }\n";
    fs::write(path.join("other.c"), other).unwrap();
    let third =
        "static double cube(double x) { return x; }\ndouble once(double x) { return cube(x); }\n";
    fs::write(path.join("third.c"), third).unwrap();
    let options = [
        "--external",
        "state.take is(malloc)",
        "--external",
        "state.end is(free)",
        "--external",
        "state.law is(cube)",
    ];
    let point = ["--at", "n=2,x=[2,3]"];
    let args = [
        &["gradient", "f.c", "other.c", "--routine", "f"],
        &options[..],
        &point,
    ]
    .concat();
    let found = json(path, &args);
    // 8 * 3 + 27 * 2
    assert_eq!(reals(&found["value"]), [78.0]);
    assert_eq!(reals(&found["gradient"]), [63.0, 62.0]);
    for (files, routine, why) in [
        (&["f.c"][..], "f", "no function cube is declared"),
        (
            &["f.c", "other.c", "third.c"],
            "f",
            "static functions cube are in line 1 of other.c and in line 1 of third.c",
        ),
        (
            &["f.c", "other.c"],
            "effects",
            "state.law is read by an expression that changes something",
        ),
    ] {
        let args = [
            &["gradient"],
            files,
            &["--routine", routine],
            &options[4..],
            &point,
        ]
        .concat();
        let ran = cfgrev_in(path, &args, b"");
        assert_eq!(ran.code, Some(1), "{routine} {files:?}");
        assert!(ran.err.contains(why), "{routine} {files:?}: {}", ran.err);
    }
}

/// Members `void *` that nothing assigns lead to the one type to which they are converted.
#[test]
fn data_in_structures_has_the_type_to_which_it_is_converted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let text = "struct w { double a; int n; };
struct box { void *data; const void *more; double scale; };
static double use(const void *p, double x) { const double *d = p; return d[0] * x + d[1]; }
double f(struct box *b, double x)
{
    void *again = b->data;
    struct w *w = again;
    return b->more ? w->a * x * w->n + use(b->more, b->scale) : ((struct w *)b->data)->a;
}
double both(const struct box *b, double x) { return ((struct w *)b->data)->a * x + *(double *)b->data; }
";
    fs::write(path.join("f.c"), text).unwrap();
    let gradient = |at: &str| {
        let args = ["gradient", "f.c", "--routine", "f", "--at", at];
        let found = json(path, &args);
        let b = &found["gradient"]["b"][0];
        let x = &found["gradient"]["x"];
        [
            &found["value"],
            &b["data"][0]["a"],
            &b["more"],
            &b["scale"],
            x,
        ]
        .map(Value::clone)
    };
    let found = gradient(r#"{"b":[{"data":[{"a":3,"n":2}],"more":[5,7],"scale":0.5}],"x":4}"#);
    let found: Vec<f64> = found.iter().flat_map(reals).collect();
    assert_eq!(found, [33.5, 8.0, 0.5, 1.0, 5.0, 6.0]);
    let found = gradient(r#"{"b":[{"data":[{"a":3,"n":2}],"more":null,"scale":0.5}],"x":4}"#);
    assert_eq!(reals(&found[0]), [3.0]);
    let ran = cfgrev_in(
        path,
        &["gradient", "f.c", "--at", "x=2", "--routine", "both"],
        b"",
    );
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("data"), "{}", ran.err);
}

/// A function whose derivative is taken to be 0 counts as a constant factor.
#[test]
fn derivatives_are_taken_to_be_0() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let text = "double kept;
static double weight(double x) { return 1 / x; }
static void halve(double *a, int n) { for (int i = 0; i < n; i++) a[i] /= 2; }
double f(double x, double y, const double *z)
{
    double w = weight(x), a[1] = {x};
    kept = x;
    w *= 2;
    halve(a, 1);
    return x * y * w + a[0] + kept * y + z[0] * y;
}
";
    fs::write(path.join("f.c"), text).unwrap();
    let gradient = |names: &str| {
        let args = [
            "gradient",
            "f.c",
            "--at",
            "x=2,y=3,z=[5]",
            "--no-diff",
            names,
        ];
        json(path, &args)["gradient"].clone()
    };
    let of = |found: &Value, name: &str| found[name].as_f64();
    // 2 y + x / 2 + x y + z y
    let all = gradient("w,z");
    assert_eq!((of(&all, "x"), of(&all, "y")), (Some(6.5), Some(9.0)));
    assert_eq!(all.get("z"), None);
    let all = gradient("kept");
    assert_eq!((of(&all, "x"), of(&all, "y")), (Some(0.5), Some(9.0)));
    let all = gradient("weight");
    assert_eq!(of(&all, "x"), Some(6.5));
    let all = gradient("halve");
    assert_eq!(of(&all, "x"), Some(3.0));
    let all = gradient("x");
    assert_eq!((all.get("x"), of(&all, "y")), (None, Some(9.0)));
    let pragma = text.replace("double f(", "#pragma cfgrev no-diff(w, halve)\ndouble f(");
    fs::write(path.join("f.c"), pragma).unwrap();
    let all = gradient("kept");
    assert_eq!((of(&all, "x"), of(&all, "y")), (Some(3.0), Some(9.0)));
}
