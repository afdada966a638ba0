//! Options of emitted C, from the command line to the compiler.

use crate::run_tool::cfgrev_in;
use cfg_testkit::{needs, strict};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// Arrays whose extents are open.
const OPEN: &str = "
global real scale = 2.0

function twice(in real x) result y
  local real y
  y := x + x
end

main function norm(in integer n, in real x[:], inout real m[n, :], in integer never, inout integer changed) result r
  local real r
  local real w[n]
  uses scale
  local integer i
  independent x, scale
  dependent r
  w := scale*x
  r := 0.0
  for i = 1, size(x, 1)
    r := r + w[i]*x[i] + m[1, 1]
  end
  r := call twice(r)
  changed := size(m, 2) + never
end
";

/// Compiles a file with sanitizers, and what it prints and returns.
fn ran_with_sanitizers(path: &Path, cc: PathBuf, file: &str) -> (String, Option<i32>) {
    // Clang takes a fifth of gcc's time.
    let quick = needs::first_of(&["clang"]).unwrap_or(cc);
    let compiled = Command::new(quick)
        .current_dir(path)
        .args(strict::FLAGS)
        .args(["-O1", "-fsanitize=address,undefined", "-o", "main"])
        .args([file, "-lm"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&compiled.stderr).into_owned();
    assert!(compiled.status.success(), "{said}");
    let ran = Command::new(path.join("main")).output().unwrap();
    let said = [ran.stdout, ran.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    (said.concat(), ran.status.code())
}

/// A file with `--replace` stands in for the program's own, and extents that `--size` gives are no parameters.
#[test]
fn a_file_that_replaces_with_sizes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::write(path.join("f.cfgrev"), OPEN).unwrap();
    let emit = |args: &[&str]| {
        let ran = cfgrev_in(path, args, b"");
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{args:?}");
        ran.out
    };
    let options = [
        "--emit",
        "c",
        "--replace",
        "--size",
        "x=n",
        "--size",
        "m = [:, 2*never]",
    ];
    let with = |first: &[&str], more: &[&str]| emit(&[first, &options, more].concat());
    let adjoint = with(&["reverse", "f.cfgrev"], &[]);
    assert!(
        !adjoint.contains("x_extent1") && !adjoint.contains("int64_t m_extent2,"),
        "{adjoint}"
    );
    let head = "int norm(int64_t n, const double *restrict x, double *restrict m, int64_t never, int64_t *restrict changed, double *norm_value)\n";
    let unfolded = |text: &str| text.replace("\n        ", " ");
    assert!(unfolded(&adjoint).contains(head), "{adjoint}");
    assert!(adjoint.contains(" norm_b_twice(double x"), "{adjoint}");
    let header = with(&["reverse", "f.cfgrev"], &["--header"]);
    let header_head = head.replace('\n', ";\n");
    assert!(unfolded(&header).contains(&header_head), "{header}");
    // Without the option the original is not there, and each open extent is a parameter.
    let plain = emit(&["reverse", "f.cfgrev", "--emit", "c"]);
    assert!(!plain.contains("int norm("), "{plain}");
    assert!(unfolded(&plain).contains(
        "int64_t x_extent1, const double *x, double *x_b, int64_t m_extent2, double *m,"
    ));

    let Some(cc) = needs::tool("cc") else { return };
    fs::write(path.join("norm.c"), &adjoint).unwrap();
    fs::write(path.join("norm.h"), &header).unwrap();
    fs::write(
        path.join("t.c"),
        with(&["tangent", "f.cfgrev"], &["--checks"]),
    )
    .unwrap();
    fs::write(
        path.join("main.c"),
        r#"#include <math.h>
#include <stddef.h>
#include "norm.h"
int main(void)
{
    const double x[2] = {3, 4};
    double m[12] = {1}, x_b[2] = {0}, m_b[12] = {0}, r, value = 0;
    int64_t changed = 0;
    struct norm_globals_b globals_b = {0};
    if (norm(2, x, m, 3, &changed, &value) || value != 104 || changed != 9)
        return 1;
    norm_globals()->scale = 1;
    if (norm(2, x, m, 3, &changed, &value) || value != 54)
        return 2;
    if (norm_grad(2, x, x_b, m, m_b, 3, &changed, &r, 1, &globals_b, NULL) || r != 54)
        return 3;
    return x_b[0] != 12 || x_b[1] != 16 || globals_b.scale_b != 50;
}
"#,
    )
    .unwrap();
    let sanitizer = "-fsanitize=address,undefined";
    strict::compile(
        "with --replace",
        path,
        &cc,
        &["-O1", sanitizer, "-o", "main", "main.c", "norm.c", "-lm"],
    );
    let ran = Command::new(path.join("main")).status().unwrap();
    assert_eq!(ran.code(), Some(0));
    strict::compile("with --replace", path, &cc, &["-O1", "-c", "t.c"]);
}

/// Extents over parameters of C's integer types are integers, whatever they are mixed with.
#[test]
fn sizes_of_several_integer_types() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let text = "double f(int n, long k, unsigned char c, const double *x) { double s = 0; for (int i = 0; i < 3 * n; i++) s += x[i] * x[i]; return s; }\n";
    fs::write(path.join("f.c"), text).unwrap();
    for (size, extent) in [
        ("x=3*n", "cfgrev_mul_integer(&check, 1, 3, n)"),
        ("x=int(n)*3", "cfgrev_mul_integer(&check, 1, n, 3)"),
        ("x=max(n*n + k, 3*c)", "cfgrev_mul_integer(&check, 3, 3, c)"),
    ] {
        let args = ["reverse", "f.c", "--emit", "c", "--checks", "--size", size];
        let ran = cfgrev_in(path, &args, b"");
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{size}");
        assert!(ran.out.contains(extent), "{size}: {}", ran.out);
    }
}

/// A size that breaks a rule in the program without its pointers is told at the routine as it was written.
#[test]
fn wrong_sizes_of_pointers_have_a_place() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let text = "main subroutine f(in ^real p, in logical flag, out real y)
  independent p
  dependent y
  y := p^*p^
end
";
    fs::write(path.join("f.cfgrev"), text).unwrap();
    let args = ["reverse", "f.cfgrev", "--emit", "c", "--size", "p=flag"];
    let ran = cfgrev_in(path, &args, b"");
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""));
    assert!(
        ran.err.contains("V126") && ran.err.contains("f.cfgrev:1:1"),
        "{}",
        ran.err
    );
    assert!(ran.err.contains("at: routine f\n"), "{}", ran.err);
}

/// Impossible sizes are refused before anything is written.
#[test]
fn sizes_that_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::write(path.join("f.cfgrev"), OPEN).unwrap();
    for (size, code, part) in [
        ("x", "P423", "gives no extent"),
        ("x=", "S0", "expected"),
        ("x=n)", "S0", ""),
        ("y=n", "P423", "`y` is no parameter"),
        ("w=n", "P423", "`w` is no parameter"),
        ("x=nowhere", "S0", "nowhere"),
        ("x=changed", "P423", "reads `changed`"),
        ("x=scale", "P423", "reads `scale`"),
        ("x=i", "P423", "reads `i`"),
        ("x=m[1,1]", "P423", "reads `m`"),
        ("x=1.5", "V1", "integer"),
        ("x=n > 2", "V1", "integer"),
        ("x=size(x,1)", "V1", ""),
        ("x=[n,n]", "P423", "has 1 dimensions, not 2"),
        ("x=:", "S0", ""),
        ("x=[:]", "P423", "nothing is given"),
        ("x=[n from 0]", "P423", "first index"),
        ("m=[n,n]", "P423", "is declared"),
        ("n=n", "P423", "has 0 dimensions"),
    ] {
        let args = ["reverse", "f.cfgrev", "--emit", "c", "--size", size];
        let ran = cfgrev_in(path, &args, b"");
        assert_eq!(
            (ran.code, ran.out.as_str()),
            (Some(1), ""),
            "{size}: {}",
            ran.err
        );
        let found = ran.err.contains(&format!("error[{code}")) && ran.err.contains(part);
        assert!(found, "{size}: {}", ran.err);
    }
    let twice = [
        "tangent", "f.cfgrev", "--emit", "c", "--size", "x=n", "--size", "x=2",
    ];
    let ran = cfgrev_in(path, &twice, b"");
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""));
    assert!(ran.err.contains("given twice"), "{}", ran.err);
    // A derivative has its function for callers elsewhere.
    let made = cfgrev_in(path, &["tangent", "f.cfgrev", "-o", "."], b"");
    assert_eq!(made.code, Some(0), "{}", made.err);
    let second = [
        "tangent",
        "norm.tangent.json",
        "--routine",
        "norm_t",
        "--independent",
        "x",
        "--dependent",
        "return_t",
        "--emit",
        "c",
        "--replace",
    ];
    let ran = cfgrev_in(path, &second, b"");
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""), "{}", ran.err);
}

/// A list in C: nodes are on the heap, and no caller passes one.
const LIST: &str = "
#include <stdlib.h>
struct node { double v; struct node *next; };
double sum(int n, const double *x)
{
    struct node *head = NULL;
    double s = 0;
    for (int i = 0; i < n; i++) {
        struct node *made = malloc(sizeof *made);
        made->v = x[i];
        made->next = head;
        head = made;
    }
    while (head) {
        struct node *next = head->next;
        s = s * 0.5 + head->v * head->v;
        free(head);
        head = next;
    }
    return s;
}
";

/// Calls of the list's derivatives, many times: `x` and `sum_b` are as in the weights 1 and 2 of two directions.
const CALLS: &str = "
#include <stdio.h>
#include <string.h>
#include \"adjoint.c\"
#include \"tangent.c\"
int main(void)
{
    const double x[3] = {1, 2, 3}, x_t[6] = {1, 0, 0, 1, 0, 0}, sum_b[2] = {1, 2};
    double sum = 0, sums_t[2] = {0};
    for (int k = 0; k < 60000; k++) {
        double x_b[3] = {0};
        if (sum_grad(3, 3, x, x_b, &sum, 1, NULL) || sum != 5.25 || x_b[0] != 2 || x_b[1] != 2 || x_b[2] != 1.5) {
            printf(\"gradient %d\\n\", k);
            return 1;
        }
    }
    for (int k = 0; k < 100; k++) {
        double x_b[6] = {0};
        if (sum_grad_v(2, 3, 3, x, x_b, &sum, sum_b, NULL) || x_b[0] != 2 || x_b[1] != 4 || x_b[4] != 1.5 || x_b[5] != 3) {
            printf(\"gradients %d\\n\", k);
            return 1;
        }
        if (sum_t_v(2, 3, 3, x, x_t, &sum, sums_t, NULL) || sum != 5.25 || sums_t[0] != 2 || sums_t[1] != 2) {
            printf(\"tangents %d\\n\", k);
            return 1;
        }
    }
    {
        /* Sweeps of two calls that are not one after the other. */
        struct cfgrev_tape one = {0}, two = {0};
        double x_b[3] = {0};
        if (sum_fwd(3, 3, x, &sum, &one) || sum_fwd(3, 3, x, &sum, &two) || sum_rev(3, 3, x, x_b, 1, &one) != 4
            || !strstr(cfgrev_tape_message(&one), \"X216\") || sum_rev(3, 3, x, x_b, 1, &two) || x_b[2] != 1.5) {
            printf(\"sweeps: %s\\n\", cfgrev_tape_message(&one));
            return 1;
        }
        if (sum_fwd(3, 3, x, &sum, &one) || sum_t(3, 3, x, x_t, &sum, sums_t, NULL) || sum_rev(3, 3, x, x_b, 1, &one) != 4) {
            printf(\"a tangent between\\n\");
            return 1;
        }
        cfgrev_tape_free(&one);
        cfgrev_tape_free(&two);
    }
    return 0;
}
";

/// A structure on the heap of which a member is not set if k is 0, so neither its value nor its derivative may be
/// used.
const UNSET: &str = "
#include <stdlib.h>
struct pair { double a, b; };
struct pair f(int k, double x)
{
    struct pair *p = malloc(sizeof *p), q;
    p->a = 2 * x;
    if (k)
        p->b = 3 * x;
    q = *p;
    free(p);
    return q;
}
";

/// Adjoints that a call leaves in cells of pools are not those of the next call.
#[test]
fn adjoints_of_what_was_never_set_end_with_the_call() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::write(path.join("f.c"), UNSET).unwrap();
    let args = ["reverse", "f.c", "--heap", "20", "--emit", "c"];
    let ran = cfgrev_in(path, &args, b"");
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    let calls = "
#include <stdio.h>
int main(void)
{
    for (int k = 0; k < 6; k++) {
        double x_b = 0;
        struct pair value = {0, 0}, value_b = {1, 1};
        int status = f_grad(k % 3 == 0, 1.5, &x_b, &value, &value_b, NULL);
        printf(\"%d %g \", status, x_b);
    }
    return 0;
}
";
    fs::write(path.join("main.c"), ran.out + calls).unwrap();
    let Some(cc) = needs::tool("cc") else {
        return;
    };
    let (said, _) = ran_with_sanitizers(path, cc, "main.c");
    assert_eq!(said, "0 5 0 2 0 2 0 5 0 2 0 2 ");
}

/// Objects, variables whose addresses are taken, and what is freed.
const ROOM: &str = "
#include <stdlib.h>
struct node { double v; struct node *next; };
static double total(const struct node *p)
{
    double s = 0;
    for (; p; p = p->next)
        s += p->v * p->v;
    return s;
}
static double chain(int n, double x, struct node *next)
{
    struct node here;
    here.v = x;
    here.next = next;
    return n > 0 ? chain(n - 1, x + 1, &here) : total(&here);
}
double variables(int n, double x) { return chain(n, x, NULL); }
double objects(int n, double x)
{
    struct node *first = NULL;
    for (int i = 0; i < n; i++) {
        struct node *made = malloc(sizeof *made);
        made->v = x + i;
        made->next = first;
        first = made;
    }
    return total(first);
}
double freed(int n, double x)
{
    struct node *two = malloc(2 * sizeof *two);
    two->v = x;
    two->next = NULL;
    x *= total(two);
    free(two + n);
    return x;
}
";

/// A full pool is noticed, also without checks, and so is a `free` of a pointer that is not the beginning of an
/// object.
#[test]
fn pools_without_room() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::write(path.join("f.c"), ROOM).unwrap();
    let Some(cc) = needs::tool("cc") else {
        return;
    };
    // The status with each number.
    for (function, expected) in [
        ("objects", [(10, 0), (11, 2), (10, 0), (1000, 2)]),
        ("variables", [(9, 0), (10, 2), (9, 0), (1000, 2)]),
        ("freed", [(0, 0), (1, 4), (0, 0), (0, 0)]),
    ] {
        for (command, last) in [("reverse", "grad"), ("tangent", "t")] {
            let args = [
                command,
                "f.c",
                "--routine",
                function,
                "--heap",
                "20",
                "--emit",
                "c",
            ];
            let ran = cfgrev_in(path, &args, b"");
            assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
            let derivatives = match command {
                "reverse" => "&x_b, &value, 1",
                _ => "1, &value, &x_b",
            };
            let calls = expected.map(|(n, status)| {
                format!(
                    "    wrong += {function}_{last}({n}, 1.5, {derivatives}, NULL) != {status};\n"
                )
            });
            let main = format!(
                "int main(void)\n{{\n    double x_b = 0, value;\n    int wrong = 0;\n{}    return wrong;\n}}\n",
                calls.concat()
            );
            fs::write(path.join("main.c"), ran.out + &main).unwrap();
            let (said, code) = ran_with_sanitizers(path, cc.clone(), "main.c");
            assert_eq!(code, Some(0), "{function} {command}: {said}");
        }
    }
}

/// Records inside a program are split for checks and for several directions, pools of what pointers lead to begin anew
/// with each call, and callers see nothing of their derivatives. A reverse sweep after another call's forward sweep is
/// an error.
#[test]
fn lists_with_checks_and_in_several_directions() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::write(path.join("list.c"), LIST).unwrap();
    fs::write(path.join("main.c"), CALLS).unwrap();
    for checks in [&[][..], &["--checks"]] {
        for (command, file) in [("reverse", "adjoint.c"), ("tangent", "tangent.c")] {
            let args = [&[command, "list.c", "--emit", "c", "--directions"], checks].concat();
            let ran = cfgrev_in(path, &args, b"");
            assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{args:?}");
            let open = ran.out.matches("struct sum_globals_b *").count();
            assert_eq!(open, 0, "{}", ran.out);
            fs::write(path.join(file), ran.out).unwrap();
        }
        let Some(cc) = needs::tool("cc") else {
            return;
        };
        let (said, code) = ran_with_sanitizers(path, cc, "main.c");
        assert_eq!(code, Some(0), "{said}{checks:?}");
    }
}

/// Structures that callers pass, with an array each and what has no derivative, and memory of the program's own.
const BODIES: &str = "
#include <stdlib.h>
typedef struct { double x, v[2]; int k; } body;
double bodies(int n, body *b, int m, const double *w, body one)
{
    double sum = 0, *s = malloc(m * sizeof *s);
    for (int i = 0; i < m; i++)
        s[i] = w[i] * one.x;
    for (int i = 0; i < n; i++) {
        b[i].v[1] -= b[i].x * s[i % m];
        b[i].x += b[i].v[0] * one.v[1];
        sum += b[i].x * b[i].v[1];
    }
    free(s);
    return sum;
}
";

/// The derivatives of `bodies` in several directions against those in one; `COUNT` is the first argument, if there is
/// one.
const BODIES_MAIN: &str = r#"
#include <stdio.h>
#include "adjoint.c"
#include "tangent.c"
enum { ND = 3, N = 2, M = 3 };
static int differs(const char *what, double a, double b)
{
    if (a != b)
        printf("%s: %.17g %.17g\n", what, a, b);
    return a != b;
}
static int bodies_differ(const char *what, struct body a, struct body b)
{
    return differs(what, a.x, b.x) + differs(what, a.v[0], b.v[0]) + differs(what, a.v[1], b.v[1]);
}
int main(void)
{
    const struct body first[N] = {{1, {0.5, 2}, 7}, {-1, {3, 0.25}, 8}}, one = {2, {1, -0.5}, 9};
    const double w[M] = {0.5, -1.5, 2};
    int bad = 0;
    for (int round = 0; round < 3; round++) {
        struct body b[N], b_d[N * ND], one_d[ND] = {{0}}, at[N], at_d[N], own_d;
        double w_d[M * ND], at_w[M], value, seeds[ND], value_t[ND], one_value, one_value_t;
        for (int mode = 0; mode < 3; mode++) {
            for (int k = 0; k < N * ND; k++)
                b_d[k] = (struct body){k + round, {1 - k, 0.5 * k}, 0};
            for (int d = 0; d < ND; d++) {
                seeds[d] = 1 + d;
                one_d[d] = (struct body){d, {d + 1, -d}, 0};
            }
            for (int k = 0; k < M * ND; k++)
                w_d[k] = k;
            for (int k = 0; k < N; k++)
                b[k] = first[k];
            struct cfgrev_tape tape = {0};
            if (mode == 0) {
                if (bodies_grad_v(COUNT N, b, b_d, M, w, w_d, &one, one_d, &value, seeds, NULL))
                    return 1;
            } else if (mode == 1) {
                if (bodies_fwd(N, b, M, w, &one, &value, &tape) || bodies_rev_v(COUNT N, b, b_d, M, w, w_d, &one, one_d, seeds, &tape))
                    return 2;
            } else if (bodies_t_v(COUNT N, b, b_d, M, w, w_d, &one, one_d, &value, value_t, NULL)) {
                return 3;
            }
            cfgrev_tape_free(&tape);
            for (int d = 0; d < ND; d++) {
                for (int k = 0; k < N; k++) {
                    at[k] = first[k];
                    at_d[k] = (struct body){k * ND + d + round, {1 - (k * ND + d), 0.5 * (k * ND + d)}, 0};
                }
                for (int k = 0; k < M; k++)
                    at_w[k] = k * ND + d;
                own_d = (struct body){d, {d + 1, -d}, 0};
                if (mode < 2 && bodies_grad(N, at, at_d, M, w, at_w, &one, &own_d, &one_value, 1 + d, NULL))
                    return 4;
                if (mode == 2 && bodies_t(N, at, at_d, M, w, at_w, &one, &own_d, &one_value, &one_value_t, NULL))
                    return 5;
                bad += differs("value", value, one_value) + (mode == 2 && differs("tangent", value_t[d], one_value_t));
                for (int k = 0; k < N; k++)
                    bad += bodies_differ("b", b_d[k * ND + d], at_d[k]) + (mode != 1 && bodies_differ("at", b[k], at[k]));
                for (int k = 0; k < M; k++)
                    bad += differs("w", w_d[k * ND + d], at_w[k]);
                bad += bodies_differ("one", one_d[d], own_d);
            }
        }
    }
    return bad != 0;
}
"#;

/// Structures have derivatives in several directions, and so has memory of the program's own, which is clear again for
/// the next call.
#[test]
fn structures_and_memory_in_several_directions() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::write(path.join("f.c"), BODIES).unwrap();
    let main = BODIES_MAIN.to_owned();
    // Derivatives that nobody wants.
    let some = main.replace("w_d, &one, one_d", "NULL, &one, NULL");
    let some = some.replace("at_w, &one, &own_d", "NULL, &one, NULL");
    for (directions, count, independent, main) in [
        ("--directions", "ND,", "b,w,one", &main),
        ("--directions=3", "", "b,w,one", &main),
        ("--directions", "ND,", "b", &some),
        ("--directions=3", "", "b", &some),
    ] {
        for (command, file) in [("reverse", "adjoint.c"), ("tangent", "tangent.c")] {
            let mut args = vec![command, "f.c", "--emit", "c", directions];
            args.extend(["--independent", independent, "--dependent", "return,b"]);
            args.extend(["--size", "b=n", "--size", "w=m"]);
            let ran = cfgrev_in(path, &args, b"");
            assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{args:?}");
            fs::write(path.join(file), ran.out).unwrap();
        }
        fs::write(path.join("main.c"), main.replace("COUNT ", count)).unwrap();
        let Some(cc) = needs::tool("cc") else {
            return;
        };
        let (said, code) = ran_with_sanitizers(path, cc, "main.c");
        assert_eq!(code, Some(0), "{said}{directions}");
    }
}

/// Bodies that are moved, with other arrays that may overlap.
const MOVED: &str = "
typedef struct { double x, v; } body;
void move(int n, body *b, const double *k, double *out, body *last)
{
    for (int i = 0; i < n; i++) {
        b[i].v -= k[i] * b[i].x;
        b[i].x += b[i].v;
        out[i] = b[i].x * b[i].x;
    }
    *last = b[n - 1];
}
";

/// Arrays of structures are used in place, so they may overlap with others.
#[test]
fn arrays_of_structures_that_overlap() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::write(path.join("f.c"), MOVED).unwrap();
    let mut text = String::new();
    for (command, file) in [("reverse", "adjoint.c"), ("tangent", "tangent.c")] {
        let ran = cfgrev_in(path, &[command, "f.c", "--emit", "c"], b"");
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
        fs::write(path.join(file), ran.out).unwrap();
        text += &format!("#include \"{file}\"\n");
    }
    let plain = cfgrev_in(path, &["convert", "f.c", "--to", "c"], b"");
    assert_eq!((plain.code, plain.err.as_str()), (Some(0), ""));
    fs::write(path.join("plain.c"), plain.out).unwrap();
    text += "
#include <math.h>
#include <string.h>
#define move plain_move
#include \"plain.c\"
#undef move
#define move original
#include \"f.c\"
static double dot(int n, const struct body *a, const struct body *b)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i)
        sum += a[i].x * b[i].x + a[i].v * b[i].v;
    return sum;
}
int main(void)
{
    struct body b[3] = {{1, 2}, {3, 4}, {0, 0}}, b_b[3] = {{0, 0}}, last, last_b = {0, 0};
    double k[3] = {0.5, 0.25, 0}, k_b[3] = {0}, out[2], out_b[2] = {1, 1};
    int wrong = move_grad(2, 2, b, b_b, 2, k, k_b, 2, out, out_b, &last, &last_b, NULL) != 0;
    wrong += out[0] != 2.5 * 2.5 || k_b[0] != -5 || b_b[0].x != 2.5;
    /* Fewer elements. */
    wrong += move_grad(1, 1, b, b_b, 1, k, k_b, 1, out, out_b, &last, &last_b, NULL) != 0;
    /* Numbers, and a structure, of the array: coefficients, results, the last body. */
    for (int way = 0; way < 4; ++way) {
        struct body all[3][4], w[4], t[4];
        for (int v = 0; v < 3; ++v)
            for (int i = 0; i < 4; ++i)
                all[v][i] = (struct body){1.0 + 0.5 * i, 2.0 - 0.25 * i};
        for (int i = 0; i < 4; ++i) {
            w[i] = (struct body){0.5 - i, 1.0 + i};
            t[i] = (struct body){1.0 + i * i, 0.25 - i};
        }
        struct body t_now[4], w_now[4];
        memcpy(t_now, t, sizeof t);
        memcpy(w_now, w, sizeof w);
        struct body *bodies[5] = {all[0], all[1], all[2], t_now, w_now};
        double *k_of[5], *out_of[5];
        struct body *last_of[5];
        for (int v = 0; v < 5; ++v) {
            k_of[v] = way == 1 ? &bodies[v][0].v : &bodies[v][2].x;
            out_of[v] = way == 2 ? &bodies[v][1].x : &bodies[v][3].x;
            last_of[v] = way == 3 ? &bodies[v][0] : &bodies[v][2];
        }
        original(2, (body *)bodies[0], k_of[0], out_of[0], (body *)last_of[0]);
        plain_move(2, 2, bodies[1], 2, k_of[1], 2, out_of[1], last_of[1]);
        wrong += memcmp(all[0], all[1], sizeof all[0]) != 0;
        memcpy(all[1], all[2], sizeof all[1]);
        wrong += move_t(2, 2, bodies[1], t_now, 2, k_of[1], k_of[3], 2, out_of[1], out_of[3], last_of[1], last_of[3], NULL) != 0;
        wrong += memcmp(all[0], all[1], sizeof all[0]) != 0;
        wrong += move_grad(2, 2, bodies[2], w_now, 2, k_of[2], k_of[4], 2, out_of[2], out_of[4], last_of[2], last_of[4], NULL) != 0;
        wrong += !(fabs(dot(4, w, t_now) - dot(4, w_now, t)) < 1e-9);
    }
    return wrong;
}
";
    fs::write(path.join("main.c"), text).unwrap();
    let Some(cc) = needs::tool("cc") else {
        return;
    };
    let (said, code) = ran_with_sanitizers(path, cc, "main.c");
    assert_eq!(code, Some(0), "{said}");
}

/// Files in one folder share the header of the tape.
#[test]
fn a_folder_has_one_tape() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let source = "double f(double x) { return x * x; }\ndouble g(double x) { return 1.0 / x; }\n";
    fs::write(path.join("f.c"), source).unwrap();
    let emit = |mode: &str, routine: &str, more: &[&str]| {
        let args = [
            mode,
            "f.c",
            "--routine",
            routine,
            "--emit",
            "c",
            "-o",
            "out",
        ];
        cfgrev_in(path, &[&args[..], more].concat(), b"")
    };
    let read = |name: &str| fs::read_to_string(path.join("out").join(name));
    for (mode, routine) in [("reverse", "f"), ("tangent", "f"), ("reverse", "g")] {
        let ran = emit(mode, routine, &[]);
        assert_eq!(
            (ran.code, ran.err.as_str()),
            (Some(0), ""),
            "{mode} {routine}"
        );
    }
    let tape = read("cfgrev_tape.h").unwrap();
    for name in ["f.adjoint.c", "f.tangent.c", "g.adjoint.c"] {
        let text = read(name).unwrap();
        assert!(text.contains("#include \"cfgrev_tape.h\"\n"), "{text}");
        assert!(!text.contains("struct cfgrev_tape {"), "{text}");
    }
    // Another file of that name is kept, and nothing is written.
    fs::write(path.join("out/cfgrev_tape.h"), "mine").unwrap();
    let ran = emit("tangent", "g", &[]);
    assert_eq!(ran.code, Some(1));
    assert!(
        ran.err.contains("P402") && ran.err.contains("cfgrev_tape.h"),
        "{}",
        ran.err
    );
    assert!(read("g.tangent.c").is_err());
    for runtime in ["none", "inline"] {
        let ran = emit("tangent", "g", &["--runtime", runtime, "--force"]);
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{runtime}");
        assert_eq!(read("cfgrev_tape.h").unwrap(), "mine");
        let has = read("g.tangent.c")
            .unwrap()
            .contains("struct cfgrev_tape {");
        assert_eq!(has, runtime == "inline");
    }
    assert_eq!(emit("tangent", "g", &["--force"]).code, Some(0));
    assert_eq!(read("cfgrev_tape.h").unwrap(), tape);
}

/// Two functions that call the same ones, of which one has derivatives.
const CALLING_ALIKE: &str = "\
static double flux(double u) { return u * u * u; }
static double scale(int k) { double s = 1.0; while (k-- > 0) s = s * 0.5 + 1.0; return s; }
double f(double x, int k) { return flux(x) * scale(k); }
double g(double x, int k) { return x * flux(x) + scale(k); }
";

/// Static functions have the names of the program's routines; with `--prefix` files can be included together.
#[test]
fn names_of_static_functions() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::write(path.join("f.c"), CALLING_ALIKE).unwrap();
    let emit = |mode: &str, routine: &str, more: &[&str]| {
        let args = [
            mode,
            "f.c",
            "--routine",
            routine,
            "--independent",
            "x",
            "--emit",
            "c",
        ];
        let ran = cfgrev_in(path, &[&args[..], more].concat(), b"");
        assert_eq!(
            (ran.code, ran.err.as_str()),
            (Some(0), ""),
            "{mode} {routine}"
        );
        ran.out
    };
    let plain = emit("reverse", "f", &[]);
    assert!(plain.contains(" flux_rev("), "{plain}");
    // The program has this one, and may include the file.
    assert!(
        plain.contains(" f_b_scale(") && !plain.contains(" scale("),
        "{plain}"
    );
    let Some(cc) = needs::tool("cc") else { return };
    let include = |files: &[&str]| {
        let lines = files.iter().map(|file| format!("#include \"{file}\"\n"));
        let main = "int main(void)\n{\n    double x_b = 0, y;\n    return f_grad(2, &x_b, 1, &y, 1, NULL) || x_b != 18;\n}\n";
        fs::write(path.join("main.c"), lines.collect::<String>() + main).unwrap();
        let flags = ["-Wno-unused-function", "-o", "main", "main.c", "-lm"];
        strict::compile("files together", path, &cc, &flags);
        let ran = Command::new(path.join("main")).status().unwrap();
        assert_eq!(ran.code(), Some(0), "{files:?}");
    };
    fs::write(path.join("plain.c"), &plain).unwrap();
    include(&["f.c", "plain.c"]);
    for (mode, routine) in [("reverse", "f"), ("reverse", "g"), ("tangent", "f")] {
        let text = emit(mode, routine, &["--prefix"]);
        fs::write(path.join(format!("{mode}_{routine}.c")), text).unwrap();
    }
    include(&["f.c", "reverse_f.c", "reverse_g.c", "tangent_f.c"]);
}

/// Of arrays in C callers give the extents alone that some function of the file uses; all functions have the same.
#[test]
fn extents_that_nothing_uses() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let emit = |mode: &str, text: &str| {
        fs::write(path.join("f.c"), text).unwrap();
        let ran = cfgrev_in(path, &[mode, "f.c", "--emit", "c"], b"");
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{text}");
        ran.out
    };
    let sum = "double f(int n, const double *x) { double s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }";
    for mode in ["reverse", "tangent"] {
        let made = emit(mode, sum);
        assert!(!made.contains("x_extent1"), "{made}");
    }
    // The reverse sweep overwrites y, which the gradient puts aside as a whole.
    let scaled =
        "void f(int n, double *restrict y) { for (int i = 0; i < n; i++) y[i] = y[i] * y[i]; }";
    let made = emit("reverse", scaled);
    for function in ["f_fwd", "f_rev", "f_grad"] {
        let head = format!("int {function}(int32_t n, int64_t y_extent1, double *y");
        assert!(made.contains(&head), "{made}");
    }
}
