//! Whole programs of C into which emitted C is linked: in place of one function after the other, and beside all of them.

use crate::run_tool::{cfgrev_in, fixtures};
use cfg_testkit::{needs, strict};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// A function of a program, and the options with which it is differentiated.
struct Function {
    name: String,
    options: Vec<String>,
}

/// The functions that `#ifndef WITHOUT_name` takes out, with the options in a comment behind.
fn functions(text: &str) -> Vec<Function> {
    let mut lines = text.lines().peekable();
    let mut found = Vec::new();
    while let Some(line) = lines.next() {
        let Some(name) = line.strip_prefix("#ifndef WITHOUT_") else {
            continue;
        };
        let options = lines.peek().and_then(|l| l.strip_prefix("/* cfgrev: "));
        let options = options.map_or("", |l| l.trim_end_matches(" */"));
        found.push(Function {
            name: name.to_owned(),
            options: options.split_whitespace().map(str::to_owned).collect(),
        });
    }
    found
}

/// What the program of these files prints.
fn printed(cc: &Path, folder: &Path, arguments: &[String]) -> String {
    let compiled = Command::new(cc)
        .current_dir(folder)
        .args(["-std=c99", "-O1", "-o", "main"])
        .args(arguments)
        .arg("-lm")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&compiled.stderr).into_owned();
    assert!(compiled.status.success(), "{arguments:?}: {said}");
    let ran = Command::new(folder.join("main")).output().unwrap();
    assert!(ran.status.success(), "{arguments:?}: {:?}", ran.status);
    String::from_utf8(ran.stdout).unwrap()
}

/// The output of a program does not change when its functions are taken from files with `--replace`, nor when files of
/// derivatives are linked to it, which share its globals.
#[test]
fn programs_print_the_same_with_emitted_functions() {
    let Some(cc) = needs::tool("cc") else { return };
    let sources = fs::read_dir(fixtures().join("callers")).unwrap();
    let sources: Vec<PathBuf> = sources.map(|entry| entry.unwrap().path()).collect();
    let mut count = 0;
    for source in sources {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        fs::copy(&source, folder.join("program.c")).unwrap();
        let text = fs::read_to_string(&source).unwrap();
        let expected = printed(&cc, folder, &["program.c".to_owned()]);
        let [mut without, mut beside] = [(); 2].map(|()| vec!["program.c".to_owned()]);
        for Function { name, options } in functions(&text) {
            count += 1;
            for (mode, replaces) in [("reverse", true), ("tangent", true), ("reverse", false)] {
                let mut args = vec![mode, "program.c", "--emit", "c", "--routine", &name];
                args.extend(options.iter().map(String::as_str));
                args.extend(replaces.then_some("--replace"));
                let ran = cfgrev_in(folder, &args, b"");
                assert_eq!(ran.code, Some(0), "{args:?}: {}", ran.err);
                let file = format!("{name}_{mode}_{replaces}");
                fs::write(folder.join(format!("{file}.c")), ran.out).unwrap();
                let (from, to) = (format!("{file}.c"), format!("{file}.o"));
                let sanitized = ["-O1", "-fsanitize=undefined", "-fno-sanitize-recover", "-c"];
                strict::compile(
                    &name,
                    folder,
                    &cc,
                    &[&sanitized[..], &["-o", &to, &from]].concat(),
                );
                match (mode, replaces) {
                    ("reverse", true) => without.extend([format!("-DWITHOUT_{name}"), to]),
                    ("tangent", true) => {
                        let one = ["program.c".to_owned(), format!("-DWITHOUT_{name}"), to];
                        let sanitizer = ["-fsanitize=undefined".to_owned()];
                        let found = printed(&cc, folder, &[&one[..], &sanitizer].concat());
                        assert_eq!(found, expected, "{name}");
                    }
                    _ => beside.push(to),
                }
            }
        }
        for mut arguments in [without, beside] {
            arguments.push("-fsanitize=undefined".to_owned());
            let found = printed(&cc, folder, &arguments);
            assert_eq!(found, expected, "{}: {arguments:?}", source.display());
        }
    }
    assert!(count >= 30, "{count}");
}

/// Functions whose parameters may overlap.
const WANTED: &str = "
#include <math.h>
struct constants { double a, b[2]; int n; };
struct cell { double v; float w; };
static void subtract(int d, const double *x, const double *y, double *out)
{
    for (int i = 0; i < d; i++)
        out[i] = x[i] - y[i];
}
void product(int n, double p, const double *x, const double *w, double *y)
{
    double q = exp(p);
    for (int i = 0; i < n; i++) {
        double c = q * w[i];
        y[i] = c * x[i];
    }
}
void distance(int n, const double *w, const double *x, double *y)
{
    double s = 0;
    for (int i = 0; i < n; i++) {
        double c[1];
        subtract(1, w + i, x + i, c);
        s += c[0] * c[0];
    }
    subtract(1, &s, w, y);
}
void structures(int n, const struct constants *k, const struct cell cells[n], const double *x, double *y)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i] * k->a * k->b[1] + cells[i].v * x[i] * cells[i].w;
}
void kept(int n, const double *x, double work[(n + 1) / 2 * 2], double y[1])
{
    for (int i = 0; i < n; i++)
        work[i] = x[i] * x[i];
    y[0] = work[0];
    for (int i = 1; i < n; i++)
        y[0] *= work[i];
}
";

/// What stands before each `main`.
const CHECKED: &str = r#"
#include <math.h>
#include <stddef.h>
static int differs(int n, const double *a, const double *b)
{
    for (int i = 0; i < n; i++)
        if (!(fabs(a[i] - b[i]) <= 1e-14 * (1 + fabs(b[i]))))
            return 1;
    return 0;
}
const double x[3] = {1, -2, 3}, w[3] = {0.5, 4, 2};
"#;

/// Derivatives of parameters that are neither independent nor dependent may be null; if not, they are left unchanged.
#[test]
fn derivatives_that_nobody_wants_are_null() {
    let Some(cc) = needs::tool("cc") else { return };
    let product = r"
    double y[3], y_b[3] = {1, 2, 4}, x_b[3] = {0}, z[4], z_b[4] = {0, 1, 2, 4}, p_b = 7, e = exp(0.5);
    const double right[3] = {0.5 * e, 8 * e, 8 * e};
    if (product_grad(3, 0.5, NULL, x, x_b, w, NULL, y, y_b, NULL) || differs(3, x_b, right))
        return 1;
    /* What is written is what is read next: z[i + 1] is z[i] exp(0.5) x[i]. */
    z[0] = 2;
    for (int i = 0; i < 3; i++)
        x_b[i] = 0;
    if (product_grad(3, 0.5, &p_b, x, x_b, z, z_b, z + 1, z_b + 1, NULL) || p_b != 7)
        return 2;
    double z_right[4] = {0, 1, 2, 4}, chain[3];
    for (int i = 2; i >= 0; i--) {
        chain[i] = z_right[i + 1] * e * z[i];
        z_right[i] += z_right[i + 1] * e * x[i];
    }
    return differs(3, x_b, chain) ? 3 : differs(1, z_b, z_right) ? 4 : 0;
";
    let tangent = r"
    double y[3], y_t[3] = {NAN, NAN, NAN}, z[4] = {2}, z_t[4] = {0, NAN, NAN, NAN}, e = exp(0.5);
    const double x_t[3] = {1, 0.5, 2}, bad[3] = {NAN, NAN, NAN}, right[3] = {0.5 * e, 2 * e, 4 * e};
    if (product_t(3, 0.5, NAN, x, x_t, w, NULL, y, y_t, NULL) || differs(3, y_t, right))
        return 1;
    y_t[0] = NAN;
    if (product_t(3, 0.5, NAN, x, x_t, w, bad, y, y_t, NULL) || differs(3, y_t, right))
        return 2;
    if (product_t(3, 0.5, NAN, x, x_t, z, z_t, z + 1, z_t + 1, NULL))
        return 3;
    double t[4] = {0};
    for (int i = 0; i < 3; i++)
        t[i + 1] = e * (z[i] * x_t[i] + t[i] * x[i]);
    return differs(4, z_t, t) ? 4 : 0;
";
    let directions = r"
    double y[3], y_b[6] = {1, 1, 2, 0, 4, -1}, x_b[6] = {0}, e = exp(0.5);
    const double right[6] = {0.5 * e, 0.5 * e, 8 * e, 0, 8 * e, -2 * e};
    return product_grad_v(2, 3, 0.5, NULL, x, x_b, w, NULL, y, y_b, NULL) || differs(6, x_b, right);
";
    let distance = r"
    double y[3], y_b[3] = {2, 0, 0}, x_b[3] = {0}, right[3];
    for (int i = 0; i < 3; i++)
        right[i] = -4 * (w[i] - x[i]);
    return distance_grad(3, w, NULL, x, x_b, y, y_b, NULL) || differs(3, x_b, right);
";
    let structures = r"
    const struct constants k = {.a = 2, .b = {0, 3}};
    const struct cell cells[3] = {{1, 2}, {3, 4}, {5, 6}};
    double y[3], y_b[3] = {1, 2, 4}, x_b[3] = {0};
    const double right[3] = {6 + 2, 2 * (6 + 12), 4 * (6 + 30)};
    return structures_grad(3, &k, NULL, cells, NULL, x, x_b, y, y_b, NULL) || differs(3, x_b, right);
";
    let kept = r"
    double y[1], y_b[1] = {1}, work[4], x_b[3] = {0};
    const double right[3] = {2 * 36, 4 * -9, 6 * 4};
    return kept_grad(3, x, x_b, work, NULL, y, y_b, NULL) || differs(3, x_b, right);
";
    let sized: &[&str] = &["--size", "x=n", "--size", "w=n", "--size", "y=n"];
    let of = |names: &[&'static str]| -> Vec<&'static str> {
        let sized = sized.chunks(2);
        let wanted = sized.filter(|s| names.iter().any(|n| s[1].starts_with(n)));
        wanted.flatten().copied().collect()
    };
    let all = ["x", "w", "y"];
    for (routine, mode, main, sizes, more) in [
        ("product", "reverse", product, of(&all), ""),
        ("product", "reverse", product, of(&all), "--checks"),
        ("product", "tangent", tangent, of(&all), ""),
        ("product", "tangent", tangent, of(&all), "--checks"),
        ("product", "reverse", directions, of(&all), "--directions"),
        ("distance", "reverse", distance, of(&all), ""),
        ("structures", "reverse", structures, of(&["x", "y"]), ""),
        ("kept", "reverse", kept, of(&["x"]), ""),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        fs::write(folder.join("f.c"), WANTED).unwrap();
        let mut args = vec![mode, "f.c", "--routine", routine, "--emit", "c"];
        args.extend(["--independent", "x", "--dependent", "y"]);
        args.extend(sizes);
        args.extend((!more.is_empty()).then_some(more));
        let ran = cfgrev_in(folder, &args, b"");
        assert_eq!(ran.code, Some(0), "{args:?}: {}", ran.err);
        let main = format!("{CHECKED}int main(void)\n{{{main}}}\n");
        fs::write(folder.join("main.c"), format!("{}{main}", ran.out)).unwrap();
        let sanitizer = "-fsanitize=address,undefined";
        let arguments = ["-O1", sanitizer, "-o", "main", "main.c", "-lm"];
        strict::compile(routine, folder, &cc, &arguments);
        let ran = Command::new(folder.join("main")).status().unwrap();
        assert_eq!(ran.code(), Some(0), "{args:?}");
    }
}

/// Parameters that callers could not pass, and globals that the program could not share, are refused with the reason.
#[test]
fn what_callers_cannot_pass_is_refused() {
    let replace = &["--replace"][..];
    for (text, options, code, part) in [
        (
            "static double g(const double *x) { return x[0] * x[1]; }\ndouble f(const double *x) { return g(x) * g(x + 1); }",
            replace,
            "B808",
            "--size x=",
        ),
        (
            "double w;\nvoid f(int n, const double *x, double *y) { for (int i = 0; i < n; i++) y[i] = w * x[i]; }",
            replace,
            "B808",
            "--size y=",
        ),
        (
            "double f(long double x[2]) { return x[0] * x[1]; }",
            replace,
            "B808",
            "long double",
        ),
        (
            "struct s { double v; long double w; };\ndouble f(struct s x) { return x.v * x.v; }",
            replace,
            "B808",
            "long double",
        ),
        (
            "double f(int n, double **a) { return a[0][n] * a[1][n]; }",
            replace,
            "B808",
            "pointers",
        ),
        (
            "double f(double x, int k[2]) { k[0]++; return x * x * k[1]; }",
            &["--replace", "--checks"],
            "B808",
            "another type",
        ),
        (
            "double *f(double x) { static double y[2]; y[1] = x * x; return y; }",
            &["--replace", "--size", "return=2"],
            "B808",
            "new memory",
        ),
        (
            "#include <stdlib.h>\ndouble *f(int n, double x) { double *y = malloc(n * sizeof *y); if (n > 2) return NULL; y[0] = x * x; return y; }",
            replace,
            "B808",
            "new memory",
        ),
        (
            "static int units;\nvoid set_units(int u) { units = u; }\ndouble f(double x) { return units ? 1.8 * x + 32 : x; }",
            &["--replace", "--routine", "f"],
            "B808",
            "`set_units`",
        ),
        (
            "static double rates[2];\nvoid fill(double *p);\nvoid start(void) { fill(rates); }\ndouble f(double x) { return rates[1] * x; }",
            &["--replace", "--routine", "f"],
            "B808",
            "`rates`",
        ),
        (
            "static struct { double at[2]; } last;\nstatic double seen(void) { return last.at[1]; }\ndouble shown(void) { return seen(); }\nstatic void note(double x) { last.at[1] += x; }\ndouble f(double x) { note(x); return last.at[1] * x; }",
            &["--replace", "--routine", "f"],
            "B808",
            "`last` is static, and `seen`",
        ),
        (
            "#define INC(x) ((x)++)\nstatic int n;\nint used(void) { return n; }\ndouble f(double x) { INC(n); return x * n; }",
            &["--replace", "--routine", "f"],
            "B808",
            "`n` is static, and `used`",
        ),
        (
            "static double m[2][2];\nstatic void fill(double *p, double x) { p[0] += x; }\ndouble sum(void) { return m[0][0]; }\ndouble f(double x) { fill(m[1], x); return x * m[1][0]; }",
            &["--replace", "--routine", "f"],
            "B808",
            "`m` is static, and `sum`",
        ),
        (
            "typedef double vec[2];\nstatic vec v;\nstatic void fill(double *p) { p[0] += 1; }\ndouble sum(void) { return v[0]; }\ndouble f(double x) { fill(v); return x * v[0]; }",
            &["--replace", "--routine", "f"],
            "B808",
            "`v` is static, and `sum`",
        ),
        (
            "static double rate = 2;\nvoid set(double v) { __asm__ volatile(\"movsd %1, %0\" : \"=m\"(rate) : \"x\"(v)); }\ndouble f(double x) { return x * rate; }",
            &["--replace", "--routine", "f"],
            "B808",
            "`rate` is static, and `set`",
        ),
        (
            "struct s { char c; double v; } __attribute__((packed));\ndouble f(double x, const struct s *p) { return x * p->v * p->c; }",
            replace,
            "B808",
            "places of its members",
        ),
        (
            "struct s { unsigned a : 3, b : 5; double v; };\ndouble f(double x, const void *data) { const struct s *p = data; return x * p->v * p->b; }",
            &["--replace", "--size", "data=1"],
            "B808",
            "places of its members",
        ),
        (
            "float f(x) float x; { return x * 0.1; }",
            replace,
            "B808",
            "in the old style",
        ),
        (
            "static double kept[2];\nstatic double *const to = kept;\ndouble shown(void) { return kept[0]; }\ndouble f(double x) { to[0] += x; return x * to[0]; }",
            &["--replace", "--routine", "f"],
            "B808",
            "`kept` is static, and `shown`",
        ),
        (
            "static double seed;\nstatic double *where = &seed;\nvoid start(double s) { *where = s; }\ndouble f(double x) { return *where * x; }",
            &["--replace", "--routine", "f"],
            "B808",
            "`where`",
        ),
        (
            "static double step(double x) { static const double h = 0.5; static double n; n += 1; return x + h * n; }\ndouble other(double x) { return step(x); }\ndouble f(double x) { return step(x) * step(x); }",
            &["--replace", "--routine", "f"],
            "B808",
            "`n` is static in `step`",
        ),
        (
            "struct s { double v; } all[2];\ndouble f(double x) { return x * all[1].v; }",
            &[],
            "B806",
            "array of structures",
        ),
        (
            "long double w;\ndouble f(double x) { return x * w; }",
            &[],
            "B806",
            "long double",
        ),
        (
            "double *p;\ndouble f(double x) { return x * p[0]; }",
            &[],
            "B806",
            "pointer",
        ),
        (
            "double floor_;\ndouble y1;\ndouble f(double x) { return x * y1 * floor_; }",
            &[],
            "B806",
            "`y1`",
        ),
        (
            "int n = 2;\ndouble f(double x) { return x * n; }",
            &["--checks"],
            "B806",
            "with checks",
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("f.c"), text).unwrap();
        let args = [&["reverse", "f.c", "--emit", "c"], options].concat();
        let ran = cfgrev_in(folder.path(), &args, b"");
        assert_eq!((ran.code, &*ran.out), (Some(1), ""), "{text}: {}", ran.err);
        let found = ran.err.contains(&format!("error[{code}")) && ran.err.contains(part);
        assert!(found, "{text}: {}", ran.err);
    }
}

/// A cell cannot be a parameter and a global of the program at once, since each has its own derivative: that is
/// reported.
#[test]
fn parameters_that_are_globals_are_told() {
    let Some(cc) = needs::tool("cc") else { return };
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let text = "double scale = 2, table[3];\nvoid f(const double x[2], double y[2]) { y[0] = scale * x[0]; y[1] = scale * x[1] + table[1]; }\n";
    fs::write(folder.join("f.c"), text).unwrap();
    let ran = cfgrev_in(folder, &["reverse", "f.c", "--emit", "c"], b"");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let main = r"
#include <stddef.h>
double scale = 2, table[3] = {1, 5, 1};
int main(void)
{
    const double x[2] = {3, 4};
    double y[4], b[2] = {1, 1}, x_b[2] = {0};
    if (f_grad(x, x_b, y, b, NULL, NULL) || y[1] != 13 || x_b[1] != 2)
        return 1;
    if (f_grad(x, x_b, table + 1, b, NULL, NULL) != 4 || f_grad(x, x_b, &scale, b, NULL, NULL) != 4)
        return 2;
    return f_grad(table, x_b, y, b, NULL, NULL);
}
";
    fs::write(folder.join("main.c"), format!("{}{main}", ran.out)).unwrap();
    let arguments = ["-O1", "-o", "main", "main.c", "-lm"];
    strict::compile("globals", folder, &cc, &arguments);
    let ran = Command::new(folder.join("main")).status().unwrap();
    assert_eq!(ran.code(), Some(0));
}

/// Memory that a function returns has the declared size, or else the function ends with a status.
#[test]
fn memory_of_another_size_is_told() {
    let Some(cc) = needs::tool("cc") else { return };
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let text = "#include <stdlib.h>\ndouble *f(int n, int m, double x) { double *y = malloc(n * sizeof *y); n--; for (int i = 0; i <= n; i++) y[i] = i * x * x; return y + 1; }";
    fs::write(folder.join("f.c"), text).unwrap();
    for size in ["return=2", "return=m"] {
        let args = ["reverse", "f.c", "--emit", "c", "--size", size];
        let ran = cfgrev_in(folder, &args, b"");
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let main = "int main(void) { double v[2], b[2] = {1, 1}, xb = 0; printf(\"%d \", f_grad(3, 2, 2, &xb, v, b, NULL)); printf(\"%g %d %d\", xb, f_grad(2, 2, 2, &xb, v, b, NULL), f_grad(4, 2, 2, &xb, v, b, NULL)); }";
        let program = format!("#include <stdio.h>\n{}{main}\n", ran.out);
        fs::write(folder.join("program.c"), program).unwrap();
        assert_eq!(printed(&cc, folder, &["program.c".to_owned()]), "0 12 3 3");
    }
}
