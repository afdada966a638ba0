//! Second derivatives: the parameters are those of the first derivative's function in C, each followed by its own; and
//! globals that another file defines.

use crate::support::flat;
use crate::{
    interface::{compile, parse},
    support::routines,
};
use cfg_back::c;
use cfg_core::{
    entity::VarId,
    ir::Program,
    validate::{ValidProgram, validate},
};
use cfg_exec::{Argument, RunOptions, Session};
use cfg_testkit::needs;
use std::{fs, process::Command};

const Q: &str = "
function q(in integer n, in real c, in real x[:], inout real y[2], in real32 u) result r
  local real r
  local integer i
  independent x, y
  dependent r
  r := c
  for i = 1, n
    r := r + sin(x[i])*y[1]*x[i]*r
  end
  y[2] := y[2]*r*r
end
";

/// The same point for the executor and for C: x, its direction, y, its direction.
const X: [f64; 3] = [0.5, -1.25, 0.75];
const DX: [f64; 3] = [1.0, 0.5, -2.0];
const Y: [f64; 2] = [1.5, 2.0];
const DY: [f64; 2] = [0.25, -1.0];

const MAIN: &str = r#"
#include <stdint.h>
#include <stdio.h>
#include "grad_t.h"
#include "t_grad.h"
enum { ND = 2 };
int main(void)
{
    const double x[3] = {0.5, -1.25, 0.75}, x_t[3] = {1, 0.5, -2};
    double x_b[3] = {0}, x_b_t[3] = {0}, y[2] = {1.5, 2}, y_t[2] = {0.25, -1}, y_b[2] = {0}, y_b_t[2] = {0};
    double dot;
    struct cfgrev_tape tape = {0};
    int i, d;
    /* What is passive may be null, and nobody has to want the value. */
    if (q_grad_t(3, 0.5, 0, NULL, NULL, 3, x, x_t, x_b, x_b_t, y, y_t, y_b, y_b_t, 1, 0, NULL, NULL, NULL, &dot, 1, 0, &tape))
        return 1;
    for (i = 0; i < 3; ++i)
        printf("%.17g ", x_b_t[i]);
    for (i = 0; i < 2; ++i)
        printf("%.17g ", y_b_t[i]);
    {
        double a_b[3] = {0}, a_t_b[3] = {0}, y2[2] = {1.5, 2}, y2_t[2] = {0.25, -1}, y2_b[2] = {0}, y2_t_b[2] = {0};
        double value, value_b = 0, value_t, value_t_b = 1;
        if (q_t_grad(3, 0.5, NULL, 0, NULL, 3, x, a_b, x_t, a_t_b, y2, y2_b, y2_t, y2_t_b, 1, NULL, 0, NULL, &value, &value_b, &value_t, &value_t_b, &tape))
            return 2;
        for (i = 0; i < 3; ++i)
            printf("%.17g ", a_b[i]);
        for (i = 0; i < 2; ++i)
            printf("%.17g ", y2_b[i]);
    }
    {
        double xv_t[3][ND], xv_b[3] = {0}, xv_b_t[3][ND] = {{0}}, yv[2] = {1.5, 2}, yv_t[2][ND], yv_b[2] = {0}, yv_b_t[2][ND] = {{0}};
        const double zeros[ND] = {0};
        const float float_zeros[ND] = {0};
        double dots[ND];
        for (d = 0; d < ND; ++d) {
            for (i = 0; i < 3; ++i)
                xv_t[i][d] = d ? -x_t[i] : x_t[i];
            yv_t[0][d] = d ? -0.25 : 0.25;
            yv_t[1][d] = d ? 1 : -1;
        }
        if (q_grad_t_v(ND, 3, 0.5, zeros, NULL, NULL, 3, x, &xv_t[0][0], xv_b, &xv_b_t[0][0], yv, &yv_t[0][0], yv_b, &yv_b_t[0][0], 1, float_zeros, NULL, NULL, NULL, dots, 1, zeros, &tape))
            return 3;
        for (i = 0; i < 3; ++i)
            if (xv_b_t[i][0] != x_b_t[i] || xv_b_t[i][1] != -x_b_t[i] || zeros[1] != 0)
                return 4;
    }
    cfgrev_tape_free(&tape);
    return 0;
}
"#;

fn choose(
    mut program: Program,
    name: &str,
    independents: &[&str],
    dependents: &[&str],
) -> ValidProgram {
    let r = program.find_routine(name).unwrap();
    let routine = &mut program.routines[r.index()];
    let find = |names: &[&str]| -> Vec<VarId> {
        names
            .iter()
            .map(|n| routine.find_variable(n).unwrap())
            .collect()
    };
    let (independents, dependents) = (find(independents), find(dependents));
    routine.independents = independents;
    routine.dependents = dependents;
    program.main = Some(r);
    validate(program).unwrap_or_else(|e| panic!("{e}"))
}

fn reals(argument: &Argument) -> Vec<f64> {
    argument.value().unwrap().to_f64s().unwrap()
}

#[test]
fn hessian_times_vector() {
    let Some(cc) = needs::tool("cc") else { return };
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    let q = parse(Q);
    let first = cfg_reverse::reverse(
        &flat(&q),
        q.main.unwrap_or(cfg_core::entity::RoutineId::new(0)),
        &cfg_reverse::Options::default(),
    )
    .unwrap();
    let gradient = choose(first.program, "q_grad", &["x", "y"], &["x_b", "y_b"]);
    let made = cfg_reverse::tangent(&flat(&gradient), gradient.main.unwrap()).unwrap();
    let given = cfg_reverse::Directions::Given;
    let (program, made_v) =
        cfg_reverse::directions(made.program.clone(), &[made.tangent], &[], given).unwrap();
    let program = validate(program).unwrap_or_else(|e| panic!("{e}"));
    let several = crate::support::several(&made_v[0]);
    for header in [false, true] {
        let options = c::Options {
            header,
            ..c::Options::default()
        };
        let text = c::tangent_in_directions(
            &flat(&program),
            made.original,
            made.tangent,
            Some(&several),
            options,
        );
        write(if header { "grad_t.h" } else { "grad_t.c" }, &text.unwrap());
    }
    // The executor: parameters of the program's own order, found by name.
    let derived = validate(made.program).unwrap();
    let routine = derived.routine(made.tangent);
    let given = |name: &str| -> Argument {
        let zero = |n: usize| Argument::from(&vec![0.0; n][..]);
        match name {
            "n" => 3_i64.into(),
            "c" => 0.5.into(),
            "x" => (&X[..]).into(),
            "x_t" => (&DX[..]).into(),
            "y" => (&Y[..]).into(),
            "y_t" => (&DY[..]).into(),
            "x_b" | "x_b_t" => zero(3),
            "y_b" | "y_b_t" => zero(2),
            "r_b" => 1.0.into(),
            "u" => cfg_exec::Value::real32(1.0).into(),
            "u_t" | "u_b" | "u_b_t" => cfg_exec::Value::real32(0.0).into(),
            _ => 0.0.into(),
        }
    };
    let names: Vec<&str> = routine
        .parameter_ids()
        .map(|p| &*routine.variable(p).name)
        .collect();
    let mut arguments: Vec<Argument> = names.iter().map(|n| given(n)).collect();
    let compiled = crate::support::compile(&derived);
    let mut session = Session::new(&compiled);
    session
        .run(made.tangent, &mut arguments, &RunOptions::default())
        .unwrap_or_else(|e| panic!("{e}"));
    let of = |name: &str| reals(&arguments[names.iter().position(|n| *n == name).unwrap()]);
    let expected: Vec<f64> = [of("x_b_t"), of("y_b_t")].concat();
    let tangent = cfg_reverse::tangent(&flat(&q), first.original).unwrap();
    let tangent = choose(tangent.program, "q_t", &["x", "y"], &["r_t"]);
    let made = cfg_reverse::reverse(
        &flat(&tangent),
        tangent.main.unwrap(),
        &cfg_reverse::Options::default(),
    )
    .unwrap();
    let routines = routines(&made);
    let program = validate(made.program).unwrap();
    for header in [false, true] {
        let options = c::Options {
            header,
            ..c::Options::default()
        };
        let text = c::adjoint_with(&flat(&program), routines, options).unwrap();
        write(if header { "t_grad.h" } else { "t_grad.c" }, &text);
    }
    write("main.c", MAIN);
    let arguments = [
        "-O0",
        "-fno-builtin",
        "-ffp-contract=off",
        "-fsanitize=address,undefined",
        "-o",
        "main",
        "main.c",
        "grad_t.c",
        "t_grad.c",
        "-lm",
    ];
    compile(folder.path(), &cc, &arguments);
    let ran = Command::new(folder.path().join("main")).output().unwrap();
    let said = String::from_utf8_lossy(&ran.stdout).into_owned();
    let errors = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{} {said} {errors}", ran.status);
    let found: Vec<f64> = said
        .split_whitespace()
        .map(|n| n.parse().unwrap())
        .collect();
    assert_eq!(found[..5], expected[..], "tangent of the gradient");
    for (a, b) in found[5..].iter().zip(&expected) {
        assert!(
            (a - b).abs() <= 1e-12 * b.abs().max(1.0),
            "gradient of the tangent: {a} {b}"
        );
    }
    assert!(expected[..4].iter().all(|x| *x != 0.0));
}

const SHARED: &str = "
global real scale = 2.0
global integer calls = 7
global real table[2]

function f(in real x) result r
  local real r
  uses scale, calls, table
  independent x, scale
  dependent r
  calls := calls + 1
  r := x*scale*x + table[2]*x
end
";

#[test]
fn globals_of_another_file() {
    let Some(cc) = needs::tool("cc") else { return };
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    let f = parse(SHARED);
    let main = cfg_core::entity::RoutineId::new(0);
    let options = c::Options {
        extern_globals: true,
        ..c::Options::default()
    };
    let made = cfg_reverse::reverse(&flat(&f), main, &cfg_reverse::Options::default()).unwrap();
    let routines = routines(&made);
    let program = validate(made.program).unwrap();
    let header = c::Options {
        header: true,
        ..options
    };
    write(
        "f_b.c",
        &c::adjoint_with(&flat(&program), routines, options).unwrap(),
    );
    write(
        "f_b.h",
        &c::adjoint_with(&flat(&program), routines, header).unwrap(),
    );
    let made = cfg_reverse::tangent(&flat(&f), main).unwrap();
    let program = validate(made.program).unwrap();
    write(
        "f_t.c",
        &c::tangent_with(&flat(&program), made.original, made.tangent, options).unwrap(),
    );
    write(
        "f_t.h",
        &c::tangent_with(&flat(&program), made.original, made.tangent, header).unwrap(),
    );
    write("f.c", &c::program_with(&flat(&f), options).unwrap());
    write(
        "main.c",
        r#"#include <stddef.h>
#include "f_b.h"
#include "f_t.h"
double f(double x);
double scale = 3, table[2] = {0, 5};
int64_t calls;
int main(void)
{
    double x_b = 0, value, value_t;
    struct f_globals_b b = {0};
    struct f_globals_t t = {0};
    t.scale_t = 1;
    if (f(2) != 22 || calls != 1)
        return 1;
    if (f_grad(2, &x_b, &value, 1, &b, NULL) || value != 22 || x_b != 17 || b.scale_b != 4 || calls != 2)
        return 2;
    scale = 4;
    if (f_t(2, 0, &value, &value_t, &t, NULL) || value != 26 || value_t != 4 || calls != 3)
        return 3;
    return 0;
}
"#,
    );
    // Both files are linked into one program: neither defines the globals.
    let arguments = ["-o", "main", "main.c", "f.c", "f_b.c", "f_t.c", "-lm"];
    compile(folder.path(), &cc, &arguments);
    let ran = Command::new(folder.path().join("main")).status().unwrap();
    assert_eq!(ran.code(), Some(0));
    for name in ["a b", "double", "malloc", "f_own", "f", "_x"] {
        let mut program = f.program().clone();
        let name = if name == "f_own" { "sin" } else { name };
        program.globals[0].variable.name = name.to_owned();
        program.routines[0].variables.iter_mut().for_each(|v| {
            if v.name == "scale" {
                v.name = name.to_owned();
            }
        });
        if let Ok(program) = validate(program) {
            let problem = c::program_with(&flat(&program), options)
                .unwrap_err()
                .to_string();
            assert!(problem.contains("B806"), "{name}: {problem}");
        }
    }
}

/// The adjoint of the value of a function is a value in C: no cell of another file can be one of its own.
#[test]
fn second_derivatives_with_globals_of_another_file() {
    let Some(cc) = needs::tool("cc") else { return };
    let folder = tempfile::tempdir().unwrap();
    let f = parse(SHARED);
    let main = cfg_core::entity::RoutineId::new(0);
    let made = cfg_reverse::reverse(&flat(&f), main, &cfg_reverse::Options::default()).unwrap();
    let gradient = choose(made.program, "f_grad", &["x"], &["x_b"]);
    let made = cfg_reverse::tangent(&flat(&gradient), gradient.main.unwrap()).unwrap();
    let options = c::Options {
        extern_globals: true,
        ..c::Options::default()
    };
    let program = validate(made.program).unwrap();
    let text = c::tangent_with(&flat(&program), made.original, made.tangent, options).unwrap();
    fs::write(folder.path().join("f.c"), text).unwrap();
    compile(folder.path(), &cc, &["-c", "f.c"]);
}
