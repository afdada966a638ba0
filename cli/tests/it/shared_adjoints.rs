//! Adjoints of parameters that are only read, which share cells in every way: callers get the sums.

use crate::run_tool::cfgrev_in;
use cfg_testkit::{needs, strict};
use std::{fs, path::Path, process::Command};

const SOURCE: &str = "
struct point { double a; int n; double w[2][2]; };
static double dot(int n, const double *x, const double *y) { double s = 0; for (int i = 0; i < n; i++) s += x[i] * y[0]; return s * s; }
double two(int n, const double *x, const double *y) { return dot(n, x, y) + dot(n, y, x); }
double alone(int n, const double *restrict x, const double *restrict y, const double *restrict z) { double s = 0; for (int i = 0; i < n; i++) s += x[i] * y[i] * z[0]; return s; }
double values(double p, double q, double r) { double s = 0; for (int i = 0; i < 3; i++) s += p * q * (i + 1) + p * r; return s; }
double mixed(int n, const double *x, double p) { double s = 0; for (int i = 0; i < n; i++) s += x[i] * p; return s * s; }
void written(int n, const double *x, double p, double *y, double q) { for (int i = 0; i < n; i++) y[i] = y[i] * p * q + x[i] * p * p; }
double cells(const double *p, const double *q) { return *p * *q * *q; }
double points(const struct point *p, const struct point *q) { return p->a * q->w[1][0] + p->w[1][0] * q->a * q->a + p->w[0][1] * q->w[1][1]; }
double many(int n, const struct point *p, double t, const struct point *q) { double s = 0; for (int i = 0; i < n; i++) s += p[i].a * q[0].w[1][0] * t + p[0].w[0][1] * q[i].a; return s; }
double floats(int n, const double *x, const float *f, float g, float h) { double s = 0; for (int i = 0; i < n; i++) s += x[i] * f[0] * g * h; return s; }
";

/// Functions in the text form, whose second derivatives are written.
const TEXT: &str = "
function two(in integer n, in real x[n], in real y[n], in real p) result real r
  local integer i
  independent x, y, p
  dependent r
  r := 0.0
  for i = 1, n
    r := r + x[i]*y[1]*p
  end
  r := r*r
end
aliased subroutine written(in integer n, in real x[n], in real p, inout real y[n])
  local integer i
  independent x, y, p
  dependent y
  for i = 1, n
    y[i] := y[i]*p*p + x[i]*p*y[i]
  end
end
subroutine product(in real x[2], in real y[2], out real r)
  independent x, y
  dependent r
  r := x[1]*y[2]
end
";

/// Derivatives, for the calls of `CALLER`: what makes the file, if it is not `reverse`; its options; for each adjoint
/// that may share cells the first cell that it may begin at, the cells of written parameters being the first four; and
/// the call. `A(k)` are those adjoints, `w` is the derivative of what is written, `y` its value.
const CALLS: [(&str, &str, &[usize], &str); 29] = [
    (
        "two",
        "SIZED",
        &[4, 4],
        "two_grad(4, v, A(0), v + 1, A(1), out, 2, 0)",
    ),
    (
        "two",
        "SIZED --checks",
        &[4, 4],
        "two_grad(4, v, A(0), v + 1, A(1), out, 2, &tape)",
    ),
    (
        "two",
        "SIZED --overlap assume",
        &[4, 4],
        "two_grad(4, v, A(0), v, A(1), 0, 2, &tape)",
    ),
    (
        "two",
        "",
        &[4, 4],
        "two_grad(4, 4, v, A(0), 4, v + 1, A(1), out, 2, &tape)",
    ),
    (
        "two",
        "SIZED",
        &[4, 4],
        "two_fwd(4, v, v, out, &tape) || two_rev(4, v, A(0), v, A(1), 2, &tape)",
    ),
    (
        "two",
        "SIZED --directions",
        &[4, 4],
        "two_grad_v(2, 4, v, A(0), v + 1, A(1), out, v, &tape)",
    ),
    (
        "two",
        "SIZED --directions=3",
        &[4, 4],
        "two_grad_v(4, v, A(0), v + 1, A(1), out, v, &tape)",
    ),
    (
        "alone",
        "--size x=n --size y=n --size z=n",
        &[4, 4, 4],
        "alone_grad(4, v, A(0), v, A(1), v, A(2), out, 2, &tape)",
    ),
    (
        "values",
        "",
        &[4, 4, 4],
        "values_grad(2, A(0), 3, A(1), 5, A(2), out, 2, 0)",
    ),
    (
        "values",
        "",
        &[4, 4, 4],
        "values_fwd(2, 3, 5, out, &tape) || values_rev(2, A(0), 3, A(1), 5, A(2), 2, &tape)",
    ),
    (
        "values",
        "--directions",
        &[4, 4, 4],
        "values_grad_v(2, 2, A(0), 3, A(1), 5, A(2), out, v, &tape)",
    ),
    (
        "mixed",
        "--size x=n",
        &[4, 4],
        "mixed_grad(4, v, A(0), 3, A(1), out, 2, &tape)",
    ),
    (
        "written",
        "SIZED",
        &[4, 0, 0],
        "written_grad(4, v, A(0), 3, A(1), y, w, 2, A(2), &tape)",
    ),
    (
        "written",
        "SIZED --overlap assume",
        &[4, 0, 0],
        "written_grad(4, v, A(0), 3, A(1), y, w, 2, A(2), &tape)",
    ),
    (
        "written",
        "SIZED",
        &[0, 0],
        "written_grad(4, y, w, y[2], A(0), y, w, y[1], A(1), &tape)",
    ),
    (
        "written",
        "SIZED",
        &[0, 0],
        "written_fwd(4, y, y[2], y, y[1], &tape) || written_rev(4, y, w, v[2], A(0), y, w, v[1], A(1), &tape)",
    ),
    (
        "written",
        "SIZED --directions",
        &[0, 0],
        "written_grad_v(1, 4, y, w, y[2], A(0), y, w, y[1], A(1), &tape)",
    ),
    (
        "cells",
        "",
        &[4, 4],
        "cells_grad(v, A(0), v + 1, A(1), out, 2, &tape)",
    ),
    (
        "points",
        "",
        &[4, 4],
        "points_grad((struct point *)v, (struct point *)A(0), (struct point *)v, (struct point *)A(1), out, 2, &tape)",
    ),
    (
        "many",
        "--size p=n --size q=n",
        &[4, 4, 4],
        "many_grad(2, (struct point *)v, (struct point *)A(0), 3, A(1), (struct point *)v, (struct point *)A(2), out, 2, &tape)",
    ),
    (
        "many",
        "--size p=n --size q=n --directions",
        &[4, 4, 4],
        "many_grad_v(2, 2, (struct point *)v, (struct point *)A(0), 3, A(1), (struct point *)v, (struct point *)A(2), out, v, &tape)",
    ),
    (
        "floats",
        "--size x=n --size f=n",
        &[4],
        "floats_grad(4, v, A(0), f, f_b, 3, f_b + 1, 5, f_b + 1, out, 2, &tape) || f_b[1] != 16 * (v[0] + v[1] + v[2] + v[3]) * f[0]",
    ),
    (
        "two tangent",
        "",
        &[4, 4, 4, 4, 4, 4],
        "two_grad_t(4, v, v + 1, A(0), A(1), v + 2, v + 3, A(2), A(3), 3, 2, A(4), A(5), out, out + 1, 2, 1, &tape)",
    ),
    (
        "written tangent",
        "",
        &[4, 20, 0, 4],
        "written_grad_t(4, v, v + 1, A(0), A(1), 3, 2, A(2), A(3), y, w_t, w, f_own, &tape)",
    ),
    (
        "two adjoint",
        "",
        &[4, 4, 4, 4, 4, 4],
        "two_t_grad(4, v, A(0), v + 1, A(1), v + 2, A(2), v + 3, A(3), 3, A(4), 2, A(5), out, w, out + 1, w + 1, &tape)",
    ),
    (
        "product tangent",
        "",
        &[4, 4, 4, 4],
        "product_grad_t(v, v + 1, A(0), A(1), v + 2, v + 3, A(2), A(3), out, out + 1, w, w + 1, &tape)",
    ),
    (
        "two tangent",
        "--directions",
        &[4, 4, 4, 4],
        "two_grad_t_v(2, 4, v, v + 1, A(0), A(1), v + 2, v + 3, A(2), A(3), 3, v, f_own, f_own + 2, out, out + 1, 2, v, &tape)",
    ),
    (
        "product gradient",
        "",
        &[4, 4, 4, 4],
        "product_grad_grad(v, A(0), A(1), v2, v + 2, A(2), A(3), v2, out, w, y, w + 1, &tape)",
    ),
    (
        "product gradient",
        "",
        &[4, 4, 4, 4],
        "product_grad_fwd(v, A(1), v + 2, A(3), out, y, &tape) || product_grad_rev(v, A(0), A(1), v2, v + 2, A(2), A(3), v2, out, w, y, w + 1, &tape)",
    ),
];

/// A caller: the adjoints in memory of their own, added to what is in common before, are those in common.
const CALLER: &str = r#"
#include <stdio.h>
#include <string.h>
#define CELLS 60
#define UNTOUCHED 1e300
#define A(k) a[k]
static int below(int n)
{
    static unsigned long long state = 88172645463325252ULL;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (int)(state % (unsigned)n);
}
static double v[CELLS], v2[CELLS];
static int call(double **a, double *w, double *w_t, double *y, double *out)
{
    struct cfgrev_tape tape = {0};
    float f[4] = {2, 3, 1, 2}, f_b[6] = {0};
    double f_own[8] = {0};
    const int failed = CALL;
    cfgrev_tape_free(&tape);
    (void)f, (void)f_b, (void)f_own, (void)w, (void)w_t, (void)y, (void)out, (void)a;
    return failed;
}
int main(void)
{
    static const int lowest[] = {LOWEST};
    enum { COUNT = sizeof lowest / sizeof *lowest };
    int met = 0;
    for (int round = 0; round < 200; round++) {
        static double own[COUNT][CELLS], d[CELLS], e[CELLS], y[2][4], out[2][8], w_t[2][4];
        double *apart[COUNT], *shared[COUNT];
        for (int k = 0; k < COUNT; k++)
            for (int i = 0; i < CELLS; i++)
                own[k][i] = IS_LEFT ? UNTOUCHED : 0;
        memset(out, 0, sizeof out);
        for (int i = 0; i < CELLS; i++) {
            v[i] = 1 + below(5);
            v2[i] = 1 + below(5);
            d[i] = e[i] = 1 + below(9);
        }
        for (int i = 0; i < 4; i++) {
            y[0][i] = y[1][i] = v[i];
            w_t[0][i] = w_t[1][i] = v2[i];
        }
        for (int k = 0; k < COUNT; k++) {
            apart[k] = own[k];
            shared[k] = d + lowest[k] + below(8);
        }
        if (call(apart, e, w_t[0], y[0], out[0]))
            return 2;
        for (int k = 0; k < COUNT; k++)
            for (int i = 0; i < 28; i++)
                if (IS_LEFT && own[k][i] != UNTOUCHED)
                    e[shared[k] - d + i] = 0;
        for (int k = 0; k < COUNT; k++)
            for (int i = 0; i < 28 && own[k][i] != UNTOUCHED; i++) {
                e[shared[k] - d + i] += own[k][i];
                met += own[k][i] != 0;
            }
        if (call(shared, d, w_t[1], y[1], out[1]))
            return 3;
        if (memcmp(d, e, sizeof d) || memcmp(y[0], y[1], sizeof *y) || memcmp(out[0], out[1], sizeof *out)
            || memcmp(w_t[0], w_t[1], sizeof *w_t)) {
            for (int i = 0; i < CELLS; i++)
                if (d[i] != e[i])
                    printf("round %d cell %d: %g instead of %g\n", round, i, d[i], e[i]);
            return 4;
        }
    }
    return met ? 0 : 5;
}
"#;

/// The file of a derivative.
fn emitted(folder: &Path, name: &str, options: &str) -> String {
    let options = options.replace("SIZED", "--size x=n --size y=n");
    let options = options.split_whitespace();
    let (routine, order) = name.split_once(' ').unwrap_or((name, ""));
    let run = |args: &[&str]| {
        let ran = cfgrev_in(folder, args, b"");
        assert_eq!(ran.code, Some(0), "{args:?}: {}", ran.err);
        ran.out
    };
    let (first, second, suffix) = match order {
        "tangent" => ("reverse", "tangent", "grad"),
        "adjoint" => ("tangent", "reverse", "t"),
        "gradient" => ("reverse", "reverse", "grad"),
        _ => {
            let args = ["reverse", "f.c", "--routine", routine, "--emit", "c"];
            return run(&args.into_iter().chain(options).collect::<Vec<_>>());
        }
    };
    let mut args = vec![first, "f.cfgrev", "--routine", routine, "--emit", "text"];
    if order == "gradient" {
        // Without a tape, which the second reversal would refuse.
        args.extend(["--results", "drop"]);
    }
    let text = run(&args);
    fs::write(folder.join("first.cfgrev"), text).unwrap();
    let of = format!("{routine}_{suffix}");
    let args = [second, "first.cfgrev", "--routine", &of, "--emit", "c"];
    run(&args.into_iter().chain(options).collect::<Vec<_>>())
}

#[test]
fn adjoints_that_share_cells_are_sums() {
    let compilers: Vec<_> = ["cc", "clang"]
        .into_iter()
        .filter_map(needs::tool)
        .collect();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("f.c"), SOURCE).unwrap();
    fs::write(folder.join("f.cfgrev"), TEXT).unwrap();
    for (name, options, lowest, call) in CALLS {
        let lowest: Vec<String> = lowest.iter().map(ToString::to_string).collect();
        let caller = CALLER
            .replace("CALL", call)
            .replace("LOWEST", &lowest.join(", "))
            // Tangents of adjoints are not read.
            .replace(
                "IS_LEFT",
                if name.ends_with("tangent") {
                    "k % 2 == 1"
                } else {
                    "k < 0"
                },
            );
        let text = format!("{}\n{caller}", emitted(folder, name, options));
        fs::write(folder.join("main.c"), text).unwrap();
        let sanitized = (
            &compilers[..compilers.len().min(1)],
            "-O1 -fsanitize=address,undefined",
        );
        for (compilers, flags) in [sanitized, (&compilers[..], "-O2")] {
            let flags = format!("{flags} -ffp-contract=off -o main main.c -lm");
            for cc in compilers {
                strict::compile(name, folder, cc, &flags.split(' ').collect::<Vec<_>>());
                let ran = Command::new(folder.join("main")).output().unwrap();
                let said = String::from_utf8_lossy(&[ran.stdout, ran.stderr].concat()).into_owned();
                assert_eq!(
                    ran.status.code(),
                    Some(0),
                    "{name} {options} {flags}: {said}"
                );
            }
        }
    }
}

/// Parameters that nothing uses, nor a test at the entry, are no cause for a warning.
#[test]
fn extents_that_no_test_names_are_marked_as_unused() {
    let Some(cc) = needs::tool("cc") else { return };
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let source = "void f(int n, const int *k, const int *l, const double *x, double *y) { for (int i = 0; i < n; i++) y[i] += x[i]; }";
    fs::write(folder.join("f.c"), source).unwrap();
    for mode in ["reverse", "tangent"] {
        let ran = cfgrev_in(folder, &[mode, "f.c", "--emit", "c"], b"");
        assert!(
            ran.out.contains("have a version for each case"),
            "{}",
            ran.err
        );
        fs::write(folder.join("main.c"), ran.out).unwrap();
        strict::compile(mode, folder, &cc, &["-c", "main.c"]);
    }
}

/// Callers who promise that nothing overlaps pay for no comparison.
#[test]
fn promised_adjoints_are_not_compared() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("f.c"), SOURCE).unwrap();
    for (overlap, compares) in [("test", true), ("assume", true), ("none", false)] {
        let text = emitted(folder, "values", &format!("--overlap {overlap}"));
        assert_eq!(text.contains("cfgrev_shared("), compares, "{overlap}");
    }
    // Only cells of one type can be the same.
    fs::write(
        folder.join("f.c"),
        "double f(double p, float *x) { return p * x[0]; }",
    )
    .unwrap();
    assert!(!emitted(folder, "f", "").contains("cfgrev_shared("));
}
