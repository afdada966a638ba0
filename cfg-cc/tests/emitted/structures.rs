//! Records as structures inside of a file: members in place, arguments, arrays of structures.

use crate::{interface::parse, support::flat};
use cfg_back::c;
use cfg_core::validate::{ValidProgram, validate};
use cfg_reverse::{Options, reverse_in_versions};
use cfg_testkit::{needs, strict::compile};
use std::{fs, process::Command};

/// A function of arrays of structures that may overlap, with structures that are passed by value and by address, and a
/// file of its adjoint.
const SOURCE: &str = "
struct state { double pos, speed; };
struct body { struct state at; double mass; double force[2][2]; int kind; struct state old[2]; };
static struct state rhs(struct state u, double k)
{
    struct state r;
    r.pos = u.speed;
    r.speed = -k * u.pos * u.pos;
    return r;
}
static void push(struct body *b, double h)
{
    b->old[1] = b->at;
    b->at.pos += h * b->at.speed;
    b->force[0][1] = b->mass * b->at.pos;
    if (b->kind > 0)
        b->force[1][0] += b->force[0][1] * b->force[0][1];
}
static double last(int n, const struct state *s) { return s[n - 1].pos * s[0].speed; }
double energy(int n, struct body p[3], const struct body q[3], double h)
{
    double e = 0.0;
    struct body first = p[0], pair[2];
    pair[0] = first;
    pair[1] = q[n - 1];
    pair[1].mass = p[1].mass;
    pair[1].kind = p[1].kind;
    push(&first, h);
    push(&pair[n - 2], h);
    for (int i = 0; i < n; i++) {
        push(&p[i], h);
        p[i].at = rhs(p[i].at, q[i].mass);
        e += p[i].at.pos * p[i].force[1][0] + q[i].at.speed * last(2, p[i].old);
    }
    return e + first.force[1][0] + pair[0].at.pos * pair[1].force[0][1];
}
";

/// The gradient is compared with differences of values.
const MAIN: &str = r#"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "energy.c"
#define state state_of_source
#define body body_of_source
#define energy original
#include "f.c"
#undef state
#undef body
#undef energy

#define N 3
#define REALS 11

static double *real(struct body *b, int k)
{
    double *all[REALS] = {&b->at.pos, &b->at.speed, &b->mass, &b->force[0][0], &b->force[0][1], &b->force[1][0],
        &b->force[1][1], &b->old[0].pos, &b->old[0].speed, &b->old[1].pos, &b->old[1].speed};
    return all[k];
}

static void fill(struct body *b, int n, double shift)
{
    memset(b, 0, (size_t)n * sizeof *b);
    for (int i = 0; i < n; ++i) {
        b[i].kind = i % 2;
        for (int k = 0; k < REALS; ++k)
            *real(&b[i], k) = sin(shift + 3 * i + k);
    }
}

static double value(const struct body *p, const struct body *q, double h)
{
    struct cfgrev_tape tape = {0};
    struct body here[N];
    double y;
    memcpy(here, p, sizeof here);
    int failed = energy_fwd(N, here, q == p ? here : q, h, &y, &tape);
    cfgrev_tape_free(&tape);
    return failed ? NAN : y;
}

static int differs(const char *what, struct body *of, struct body *p, const struct body *q, struct body *of_b)
{
    for (int i = 0; i < N; ++i)
        for (int k = 0; k < REALS; ++k) {
            double *x = real(&of[i], k), old = *x, d = 1e-5;
            *x = old + d;
            double more = value(p, q, 0.3);
            *x = old - d;
            double less = value(p, q, 0.3), found = *real(&of_b[i], k), wanted = (more - less) / (2 * d);
            *x = old;
            if (!(fabs(found - wanted) < 1e-6 * (1 + fabs(wanted)))) {
                printf("%s %d %d: %g for %g\n", what, i, k, found, wanted);
                return 1;
            }
        }
    return 0;
}

int main(void)
{
    struct body p[N], q[N], here[N], p_b[N], q_b[N];
    double y, h_b = 0.0;
    fill(p, N, 0.1);
    fill(q, N, 0.7);
    memcpy(here, p, sizeof p);
    memset(p_b, 0, sizeof p_b);
    memset(q_b, 0, sizeof q_b);
    if (energy_grad(N, here, p_b, q, q_b, 0.3, &h_b, &y, 1.0, NULL))
        return 1;
    if (differs("p", p, p, q, p_b) || differs("q", q, p, q, q_b))
        return 2;
    memcpy(here, p, sizeof p);
    if (!(fabs(original(N, (struct body_of_source *)here, (struct body_of_source *)q, 0.3) - y) < 1e-12))
        return 6;
    double wanted = (value(p, q, 0.3 + 1e-5) - value(p, q, 0.3 - 1e-5)) / 2e-5;
    if (!(fabs(h_b - wanted) < 1e-6))
        return 3;
    /* The arrays overlap, and so do their adjoints. */
    memcpy(here, p, sizeof p);
    memset(p_b, 0, sizeof p_b);
    if (energy_grad(N, here, p_b, here, p_b, 0.3, &h_b, &y, 1.0, NULL))
        return 4;
    return differs("both", p, p, p, p_b) ? 5 : 0;
}
"#;

/// The program of a source in C.
fn read(source: &str, name: &str) -> ValidProgram {
    let options = cfg_c::Options {
        routine: Some(name.to_owned()),
        ..cfg_c::Options::default()
    };
    let source = cfg_c::SourceFile::new("f.c", source.as_bytes());
    let read = cfg_c::read_c(&[source], &options, &mut cfg_c::NoFiles);
    validate(read.program.unwrap()).unwrap()
}

/// The adjoint file of a function.
fn adjoint(program: &ValidProgram, name: &str) -> String {
    let main = program.find_routine(name).unwrap();
    let made = reverse_in_versions(&flat(program), main, &Options::default()).unwrap();
    let apart = made.apart.map(|of| [of.forward, of.reverse, of.gradient]);
    let apart = apart.as_ref().map(|routines| c::Apart {
        routines,
        several: None,
    });
    let routines = c::Adjoint {
        original: made.original,
        forward: made.forward,
        reverse: made.reverse,
        gradient: made.gradient,
    };
    let program = flat(&validate(made.program).unwrap());
    c::adjoint_in_versions(&program, routines, None, apart, c::Options::default()).unwrap()
}

/// Structures are named by their members in place, also those of callers: nothing is copied to memory of its own.
#[test]
fn structures_of_callers_are_used_in_place() {
    let text = adjoint(&read(SOURCE, "energy"), "energy");
    let joined = text.replace("\n        ", " ");
    for wanted in [
        "pair[2] = {0}",
        "static int energy_fwd_body(const int32_t *n, struct body *p, const struct body *q,",
        "rhs_fwd(struct state u, double k, struct state *restrict result",
        "push_fwd(&p[i], *h, tape)",
        "2, &p[i].old[0], &",
        "first.force[1][0]",
        "pair[0] = first;",
        "r_b = *result_b;\n    *result_b = (struct state){0};",
    ] {
        assert!(joined.contains(wanted), "{wanted}\n{text}");
    }
    let functions = text.rsplit_once("int energy_fwd(").unwrap();
    assert!(!functions.1.contains("cfgrev_allocate"), "{text}");
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [("energy.c", &*text), ("f.c", SOURCE), ("main.c", MAIN)] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    for cc in ["cc", "clang"] {
        let Some(cc) = needs::tool(cc) else { continue };
        for flag in ["-O2", "-fsanitize=address,undefined"] {
            let arguments = ["-Wconversion", flag, "-o", "main", "main.c", "-lm"];
            compile("energy", folder.path(), &cc, &arguments);
            let ran = Command::new(folder.path().join("main")).output().unwrap();
            let said = String::from_utf8_lossy(&ran.stdout) + String::from_utf8_lossy(&ran.stderr);
            assert!(
                ran.status.success() && said.is_empty(),
                "{flag}: {} {said}",
                ran.status
            );
        }
    }
}

/// A member of several structures is an argument, so the fields of these are variables of their own.
const MEMBERS: &str = "
record Point
  real x
  real w
end

main subroutine f(inout record Point a[3], out real y)
  independent a
  dependent y
  call g(a.x, y)
  a[2].w := y*a[1].w
end

subroutine g(in real v[3], out real y)
  y := v[1]*v[2] + v[3]
end
";

const MEMBERS_MAIN: &str = r#"
#include "f.c"

int main(void)
{
    struct Point a[3] = {{2.0, 5.0}, {3.0, 6.0}, {4.0, 7.0}}, a_b[3] = {{0.0, 0.0}};
    double y, y_b = 1.0;
    if (f_grad(a, a_b, &y, &y_b, NULL) || y != 10.0 || a[1].w != 50.0)
        return 1;
    return !(a_b[0].x == 3.0 && a_b[1].x == 2.0 && a_b[2].x == 1.0 && a_b[0].w == 0.0);
}
"#;

#[test]
fn members_of_several_structures_are_no_arrays() {
    let text = adjoint(&parse(MEMBERS), "f");
    assert!(text.contains("double *restrict a_x"), "{text}");
    let Some(cc) = needs::tool("cc") else { return };
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("f.c"), &text).unwrap();
    fs::write(folder.path().join("main.c"), MEMBERS_MAIN).unwrap();
    compile(
        "members",
        folder.path(),
        &cc,
        &["-o", "main", "main.c", "-lm"],
    );
    assert!(
        Command::new(folder.path().join("main"))
            .status()
            .unwrap()
            .success()
    );
}

/// Members of a structure that is passed by address are copied whole: arrays of several dimensions, arrays of
/// structures.
const RETURNED: &str = "
struct vec { double x; };
struct all { double v[3][3]; struct vec m[2]; };
static struct all mul(struct all a, double p)
{
    struct all c;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            c.v[i][j] = a.v[j][i] * p;
    c.m[0] = a.m[1];
    c.m[1] = a.m[0];
    c.m[1].x *= p;
    return c;
}
double f(int n, const double *restrict x)
{
    struct all r = { { { 1.0, 0.5 } }, { { 2.0 }, { 3.0 } } };
    for (int i = 0; i < n; i++)
        r = mul(r, x[i]);
    return r.v[0][1] * r.m[0].x * r.m[1].x;
}
";

#[test]
fn members_of_structures_that_are_returned() {
    let program = read(RETURNED, "f");
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("f.c"), adjoint(&program, "f")).unwrap();
    for name in ["cc", "clang"] {
        let Some(compiler) = needs::tool(name) else {
            continue;
        };
        compile(
            "returned members",
            folder.path(),
            &compiler,
            &["-c", "-o", "f.o", "f.c"],
        );
    }
}
