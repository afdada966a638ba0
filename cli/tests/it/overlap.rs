//! Derivatives of functions whose arguments may overlap: emitted C chooses a version at the entry.

use crate::run_tool::cfgrev_in;
use cfg_testkit::{needs, strict};
use std::{fs, path::Path, process::Command};

/// Functions with the same parameters, which write through some and read through others, in calls that pass on what
/// they get, parts of it, and locals.
const FUNCTIONS: [(&str, &str); 5] = [
    (
        "elements",
        "static void one(const double *a, double *b) { double t = *a * *a; *b = sin(t) + *b * t; }
void elements(int n, const double *x, double *y, const double *w, double *z)
{
    for (int i = 0; i < n; i++) {
        one(&x[i], &y[i]);
        one(&w[n - 1 - i], &z[i]);
    }
}
",
    ),
    (
        "sweeps",
        "void sweeps(int n, const double *x, double *y, const double *w, double *z)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i] * w[i] + y[i] * y[i];
    for (int i = 1; i < n; i++)
        z[i] += z[i - 1] * y[i] * exp(0.1 * w[i]);
}
",
    ),
    (
        "locals",
        "static void scale(int n, double *a, const double *b) { for (int i = 0; i < n; i++) a[i] *= b[i] * b[i]; }
static void twice(int n, double *a, const double *b) { scale(n, a, b); scale(n, a, b); }
void locals(int n, const double *x, double *y, const double *w, double *z)
{
    double t[4] = {1, 2, 3, 4}, s[4] = {1, 0.5, 0.25, 2};
    twice(n, t, x);
    twice(n, s, t);
    twice(n, y, s);
    for (int i = 0; i < n; i++)
        z[i] += y[i] * w[i] * t[i];
}
",
    ),
    (
        "branches",
        "static double part(const double *a, double *b) { *b += *a; return *a * *b; }
void branches(int n, const double *x, double *y, const double *w, double *z)
{
    for (int i = 0; i < n; i++)
        if (w[i] > 1)
            y[i] = part(&x[i], &z[i]);
        else
            z[i] = part(&w[i], y) * x[i];
}
",
    ),
    (
        "statics",
        "static double kept[2] = {0.5, 2};
void statics(int n, const double *x, double *y, const double *w, double *z)
{
    for (int i = 0; i < n; i++) {
        y[i] += x[i] * kept[i & 1];
        kept[0] = 0.5 * y[i] * w[i];
        z[i] *= kept[0];
    }
}
",
    ),
];

/// A caller that lays the arguments over each other in many ways, and prints what the functions leave, bit by bit.
const CALLER: &str = r"
#include <stdio.h>
static unsigned long long state = 88172645463325252ULL;
static int below(int n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (int)(state % (unsigned)n);
}
static void show(const char *what, const double *a, int n)
{
    fputs(what, stdout);
    for (int i = 0; i < n; i++)
        printf(' %a', a[i]);
    putchar(10);
}
#define CELLS 40
int main(void)
{
    struct cfgrev_tape tape = {0};
    double v[CELLS], d[CELLS], v2[CELLS], d2[CELLS];
    for (int round = 0; round < 300; round++) {
        const int n = below(5), far = round % 3 == 0;
        int at[4];
        for (int k = 0; k < 4; k++)
            at[k] = far ? 10 * k + below(5) : below(8);
        for (int i = 0; i < CELLS; i++) {
            v[i] = v2[i] = 0.25 * (1 + below(9));
            d[i] = d2[i] = 0.125 * (1 + below(9));
        }
        CALL
        show('v', v, CELLS);
        show('d', d, CELLS);
        SECOND
    }
    cfgrev_tape_free(&tape);
    return 0;
}
";

/// The output of the caller with the functions of one routine, written with these options.
fn printed(cc: &Path, folder: &Path, (mode, routine): (&str, &str), overlap: &str) -> String {
    let mut args = vec![
        mode,
        "f.c",
        "--routine",
        routine,
        "--emit",
        "c",
        "--overlap",
        overlap,
    ];
    for size in ["x=n", "y=n", "w=n", "z=n"] {
        args.extend(["--size", size]);
    }
    let ran = cfgrev_in(folder, &args, b"");
    assert_eq!(ran.code, Some(0), "{args:?}: {}", ran.err);
    let versions = ran.out.contains("have a version for each case");
    assert_eq!(versions, overlap == "test", "{args:?}");
    let pairs = |v: &str, d: &str, s: &str| {
        let one = |k: usize| format!("{v} + at[{k}], {d} + at[{k}]");
        let of: Vec<String> = (0..4).map(one).collect();
        // The derivatives of static variables.
        let globals = if routine == "statics" { "NULL, " } else { "" };
        format!("{routine}_{s}(n, {}, {globals}&tape)", of.join(", "))
    };
    let (call, second) = match mode {
        "reverse" => {
            let primal: Vec<String> = (0..4).map(|k| format!("v2 + at[{k}]")).collect();
            let forward = format!("{routine}_fwd(n, {}, &tape)", primal.join(", "));
            let first = format!("if ({}) return 1;", pairs("v", "d", "grad"));
            let second = format!(
                "if ({forward} || {}) return 2;\nshow(\"b\", d2, CELLS);\nif (cfgrev_tape_bytes(&tape)) return 3;",
                pairs("v2", "d2", "rev")
            );
            (first, second)
        }
        _ => (
            format!("if ({}) return 1;", pairs("v", "d", "t")),
            String::new(),
        ),
    };
    let caller = CALLER.replace('\'', "\"").replace("CALL", &call);
    let caller = caller.replace("SECOND", &second);
    let text = format!("{}\n{caller}", ran.out);
    fs::write(folder.join("main.c"), text).unwrap();
    let flags = "-O1 -ffp-contract=off -fsanitize=address,undefined -o main main.c -lm";
    strict::compile(routine, folder, cc, &flags.split(' ').collect::<Vec<_>>());
    let ran = Command::new(folder.join("main")).output().unwrap();
    assert_eq!(ran.status.code(), Some(0), "{args:?}");
    String::from_utf8(ran.stdout).unwrap()
}

/// Whatever overlaps, functions that choose at the entry leave the bits of the version that is right under overlap.
#[test]
fn versions_agree_under_every_overlap() {
    let Some(cc) = needs::tool("cc") else { return };
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (routine, text) in FUNCTIONS {
        fs::write(folder.join("f.c"), format!("#include <math.h>\n{text}")).unwrap();
        for mode in ["reverse", "tangent"] {
            let [test, assume] =
                ["test", "assume"].map(|how| printed(&cc, folder, (mode, routine), how));
            assert!(test == assume, "{routine} {mode}");
        }
    }
}

/// The status of a main function behind the functions of a file.
fn returned(cc: &Path, folder: &Path, args: &[&str], main: &str) -> Option<i32> {
    let ran = cfgrev_in(folder, args, b"");
    assert_eq!(ran.code, Some(0), "{args:?}: {}", ran.err);
    let text = format!(
        "{}\n#include <string.h>\nint main(void)\n{{{main}}}\n",
        ran.out
    );
    fs::write(folder.join("main.c"), text).unwrap();
    let flags = "-O1 -fsanitize=address,undefined -o main main.c -lm";
    strict::compile("main", folder, cc, &flags.split(' ').collect::<Vec<_>>());
    Command::new(folder.join("main")).status().unwrap().code()
}

/// A null derivative promises that its argument overlaps with nothing that is written; adjoints that overlap alone are
/// told to the gradient, and refused by a reverse sweep.
#[test]
fn promises_that_are_broken_give_status_4() {
    let Some(cc) = needs::tool("cc") else { return };
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let text = "void f(int n, const double *x, const double *w, double *y)
{
    for (int i = 0; i < n; i++)
        y[i] = w[i] * x[i] * x[i];
}
";
    fs::write(folder.join("f.c"), text).unwrap();
    let sized = "--size x=n --size w=n --size y=n --independent x --dependent y --emit c";
    let sized: Vec<&str> = sized.split(' ').collect();
    let reverse = r#"
    const double x[2] = {1, 2};
    double w[2] = {3, 4}, y[3] = {5, 6, 7}, x_b[2] = {0}, y_b[3] = {1, 1, 1};
    struct cfgrev_tape tape = {0};
    int failed = 0;
    failed |= f_grad(2, x, x_b, w, NULL, y, y_b, &tape) != 0;
    failed |= x_b[0] != 6 || x_b[1] != 16;
    failed |= (f_grad(2, x, x_b, y + 1, NULL, y, y_b, &tape) != 4) * 2;
    failed |= !strstr(cfgrev_tape_message(&tape), "null") * 2;
    failed |= (f_grad(2, x, x_b, y + 1, NULL, y, y_b, NULL) != 4) * 2;
    /* Next to each other is not overlap, and what is read may have two names. */
    failed |= (f_grad(1, x, x_b, y + 1, NULL, y, y_b, &tape) != 0) * 4;
    x_b[0] = x_b[1] = 0;
    y_b[0] = y_b[1] = 1;
    failed |= (f_grad(2, x, x_b, x, NULL, y, y_b, &tape) != 0) * 4;
    failed |= (x_b[0] != 2 || x_b[1] != 8) * 4;
    /* The adjoints of both are one. */
    x_b[0] = x_b[1] = 0;
    y_b[0] = y_b[1] = 1;
    failed |= (f_grad(2, x, x_b, x, x_b, y, y_b, &tape) != 0) * 8;
    failed |= (x_b[0] != 3 || x_b[1] != 12) * 8;
    y_b[0] = y_b[1] = 1;
    failed |= (f_fwd(2, x, w, y, &tape) || f_rev(2, x, x_b, w, x_b, y, y_b, &tape) != 4) * 16;
    failed |= (f_fwd(2, x, x, y, &tape) || f_rev(2, x, x_b, x, x_b, y, y_b, &tape)) * 32;
    failed |= (f_fwd(2, x, y + 1, y, &tape) || f_rev(2, x, x_b, y + 1, NULL, y, y_b, &tape) != 4) * 64;
    cfgrev_tape_free(&tape);
    return failed;
"#;
    let tangent = r#"
    const double x[2] = {1, 2}, x_t[2] = {1, 1};
    double w[2] = {3, 4}, y[3] = {5, 6, 7}, y_t[3] = {0}, z_t[2] = {0};
    struct cfgrev_tape tape = {0};
    int failed = 0;
    failed |= f_t(2, x, x_t, w, NULL, y, y_t, &tape) != 0;
    failed |= y_t[0] != 6 || y_t[1] != 16;
    failed |= (f_t(2, x, x_t, y + 1, NULL, y, y_t, &tape) != 4) * 2;
    failed |= (f_t(2, x, x_t, y + 1, z_t, y, y_t, &tape) != 0) * 4;
    cfgrev_tape_free(&tape);
    return failed;
"#;
    for (mode, main) in [("reverse", reverse), ("tangent", tangent)] {
        for more in [&[][..], &["--checks"]] {
            let args = [&[mode, "f.c"], &sized[..], more].concat();
            assert_eq!(returned(&cc, folder, &args, main), Some(0), "{args:?}");
        }
    }
}

/// A function has one version where a test cannot tell, and the file says so; other forms have always one.
#[test]
fn one_version_where_no_test_can_tell() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let emit = |text: &str, more: &[&str]| {
        fs::write(folder.join("f.c"), text).unwrap();
        let ran = cfgrev_in(folder, &[&["reverse", "f.c"], more].concat(), b"");
        assert_eq!(ran.code, Some(0), "{more:?}: {}", ran.err);
        ran.out
    };
    let plain = "void f(int n, const double *x, double *y) { for (int i = 0; i < n; i++) y[i] = x[i] * x[i]; }";
    let [two, one] = [
        "have a version for each case.",
        "There is one version, for arguments that may overlap.",
    ];
    let c = ["--emit", "c"];
    assert!(emit(plain, &c).contains(two));
    assert!(emit(plain, &["--emit", "c", "--overlap", "assume"]).contains(one));
    let none = emit(plain, &["--emit", "c", "--overlap", "none"]);
    assert!(!none.contains(one) && !none.contains(two) && none.contains("restrict"));
    let text = emit(plain, &["--emit", "text"]);
    assert!(
        text.contains("aliased subroutine f_fwd") && !text.contains("_apart"),
        "{text}"
    );
    let apart = plain.replace("double *y", "double *restrict y");
    assert!(
        ![one, two]
            .iter()
            .any(|note| emit(&apart, &c).contains(note))
    );
    // Pointers that are values.
    let pointers = "void f(double **x, double *y) { *x = y; y[0] = **x * **x; }";
    assert!(!emit(pointers, &c).contains(two));
    // Too many statements.
    let many = "y[0] += x[0] * x[1]; y[1] = y[0] * x[2];".repeat(3_000);
    let long = format!("void f(const double x[3], double y[2]) {{ {many} }}");
    assert!(emit(&long, &c).contains(one));
}
