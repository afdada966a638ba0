//! Rare features: globals in one storage that only callees name, given derivatives of the main routine, options that
//! are seldom used, and problems in graphs that are changed.

use crate::bounds::{refusals, sweep, valid};
use cfg_core::{diagnostic::site::Element, text};
use cfg_reverse::{Inside, Options, Strong, Unstructured, explain::explain, reverse, tangent};
use cfg_testkit::flat;

/// One callee's reverse sweep reads a global under one name, another callee overwrites it under another name: the
/// value is pushed between the calls, under the overwritten name, and only the shared cells are.
#[test]
fn globals_in_one_storage_that_only_callees_name() {
    for (read, written, pushed) in [
        ("head", "head", Some("head")),
        ("head", "base", Some("base")),
        ("base", "head", Some("head")),
        ("head", "mid", Some("mid")),
        ("mid", "head", Some("head")),
        ("tail", "mid", Some("mid")),
        ("head", "tail", None),
        ("tail", "head", None),
        ("mid", "apart", None),
        // One name is enough: the one by which it is needed.
        ("head", "head, base", Some("head")),
        ("mid", "head, mid, base", Some("mid")),
    ] {
        let changes: String = (written.split(", "))
            .map(|g| format!("  {g}[1] := 5.0\n"))
            .collect();
        let source = format!(
            "global real base[4]
global real head[2] overlays base at 0
global real mid[2] overlays base at 1
global real tail[2] overlays base at 2
global real other[4]
global real apart[2] overlays other at 1
subroutine p(inout real x)
  uses {read}
  x := x*{read}[1]
end
subroutine change()
  uses {written}
{changes}end
subroutine outer(inout real x)
  call p(x)
  call change()
end
main subroutine f(in real x, out real y)
  independent x
  dependent y
  y := x
  call outer(y)
end
"
        );
        let shown = sweep(&source, "outer_fwd");
        let lines = shown.lines().map(str::trim);
        let found: Vec<&str> = lines
            .filter_map(|line| line.strip_prefix("push[real] "))
            .collect();
        assert_eq!(found, Vec::from_iter(pushed), "{read}, {written}\n{shown}");
        let popped = sweep(&source, "outer_rev");
        assert_eq!(
            popped.matches(":= pop[real]").count(),
            found.len(),
            "{read}, {written}\n{popped}"
        );
    }
}

/// Products with partials that may be infinite or NaN at finite values are strong, products with constants are not,
/// and the others are on request.
#[test]
fn strong_products() {
    for (value, counts) in [
        ("x + w", [0, 0]),
        ("x*2.0", [0, 0]),
        ("x*w", [0, 2]),
        ("sin(x)*2.0", [0, 1]),
        ("log(x)*w", [1, 3]),
        ("x/w", [2, 2]),
        ("sqrt(x)", [1, 1]),
        ("x**w", [2, 2]),
        ("exp(x)", [1, 1]),
    ] {
        for (strong, count) in [Strong::Needed, Strong::Always].into_iter().zip(counts) {
            let program = valid(&format!(
                "main subroutine f(in real x, in real w, out real y)
  independent x, w
  dependent y
  y := {value}
end
"
            ));
            let main = program.find_routine("f").expect("it is there");
            let options = Options {
                strong,
                ..Options::default()
            };
            let made = reverse(&flat(&program), main, &options).unwrap_or_else(|d| panic!("{d}"));
            let mut shown = String::new();
            let sweep = made.program.routine(made.reverse);
            text::routine(&mut shown, &made.program, sweep).expect("strings take everything");
            assert_eq!(shown.matches("*!").count(), count, "{value}: {shown}");
        }
    }
}

/// By the numbers of blocks nothing is recorded of loops and merges; blocks are numbered in structured routines, too.
#[test]
fn plans_by_trace_have_no_loops_and_merges() {
    for (control, body) in [
        ("", "for i = 1, n\n    y := y*x\n  end"),
        ("", "if n > 1\n    y := y*x\n  end"),
        (
            "general ",
            "label again\n  y := y*x\n  if y < 9.0\n    goto again\n  end",
        ),
    ] {
        let program = valid(&format!(
            "{control}main subroutine f(in integer n, in real x, inout real y)
  independent x
  dependent y
  local integer i
  {body}
end
"
        ));
        let main = program.find_routine("f").expect("it is there");
        for (unstructured, is_planned) in [
            (Unstructured::Structure, true),
            (Unstructured::Trace, false),
        ] {
            let options = Options {
                unstructured,
                ..Options::default()
            };
            let plan = explain(&flat(&program), main, &options).unwrap_or_else(|d| panic!("{d}"));
            let [routine] = &*plan.routines else {
                panic!("one routine: {body}")
            };
            let found = !routine.loops.is_empty() || !routine.merges.is_empty();
            assert_eq!(found, is_planned, "{body}");
        }
    }
}

/// The routine that is differentiated gets derivatives of its own, whatever derivatives are given for it.
#[test]
fn given_derivatives_of_the_main_routine() {
    let program = valid(
        "main subroutine f(in real x, inout real y)
  independent x
  dependent y
  adjoint f_b
  tangent f_t
  y := y*x
end
subroutine f_b(in real x, in real y, inout real x_b, inout real y_b)
  x_b := x_b + y*y_b
  y_b := x*y_b
end
subroutine f_t(in real x, inout real y, in real x_t, inout real y_t)
  y_t := y_t*x + x_t*y
  y := y*x
end
",
    );
    let main = program.find_routine("f").expect("it is there");
    let made =
        reverse(&flat(&program), main, &Options::default()).unwrap_or_else(|d| panic!("{d}"));
    let names = made.program.routines.iter().map(|r| r.name.as_str());
    assert_eq!(
        Vec::from_iter(names),
        ["f", "f_b", "f_t", "f_fwd", "f_rev", "f_grad"]
    );
    let made = tangent(&flat(&program), main).unwrap_or_else(|d| panic!("{d}"));
    let names = made.program.routines.iter().map(|r| r.name.as_str());
    assert_eq!(Vec::from_iter(names), ["f", "f_b", "f_t", "f_t_"]);
}

/// Real globals have derivatives if the routine or a callee names them, or a global that lies over them; the names of
/// the derivatives are new in the program.
#[test]
fn globals_that_have_derivatives() {
    let program = valid(
        "global real used = 1.0
global real unused = 1.0
global real32 s = 1.0f
global integer n = 1
global real base[3] = 1.0
global real over[2] overlays base at 1
global real used_b[2] = 1.0
global real only_callee = 1.0
global real unused_over overlays base at 0
subroutine p(inout real y)
  uses only_callee
  y := y*only_callee
end
subroutine idle(inout real y)
  uses unused
  y := y*unused
end
main subroutine f(in real x, inout real y)
  independent x
  dependent y
  uses used, s, n, over
  local real over_b
  over_b := x
  y := y*x*used*real(s)*n*over[1]*over_b
  call p(y)
end
",
    );
    let main = program.find_routine("f").expect("it is there");
    let reversed =
        reverse(&flat(&program), main, &Options::default()).unwrap_or_else(|d| panic!("{d}"));
    let tangent = tangent(&flat(&program), main).unwrap_or_else(|d| panic!("{d}"));
    for (made, expected) in [
        (
            &reversed.program,
            [
                "global real used_b_ {adjoint of used} = 0.0",
                "global real32 s_b {adjoint of s} = 0.0f",
                "global real base_b[3] {adjoint of base} = 0.0",
                "global real over_b_[2] {adjoint of over} overlays base_b at 1",
                "global real only_callee_b {adjoint of only_callee} = 0.0",
            ],
        ),
        (
            &tangent.program,
            [
                "global real used_t {tangent of used} = 0.0",
                "global real32 s_t {tangent of s} = 0.0f",
                "global real base_t[3] {tangent of base} = 0.0",
                "global real over_t[2] {tangent of over} overlays base_t at 1",
                "global real only_callee_t {tangent of only_callee} = 0.0",
            ],
        ),
    ] {
        let mut shown = String::new();
        text::program(&mut shown, made).expect("strings take everything");
        let globals = shown.lines().filter(|line| line.starts_with("global"));
        assert_eq!(Vec::from_iter(globals.skip(9)), expected, "{shown}");
    }
}

/// An expression without a derivative rule, or a read of an argument that may be absent, is refused unless it is a
/// statement of its own.
#[test]
fn expressions_without_derivatives() {
    for (statement, expected) in [
        ("y := if(l, w[k]*x, x)", [Some("R301"), None]),
        ("y := if(k > 1, w[k]*x, x)", [None; 2]),
        ("y := if(l, w*x, x)", [None; 2]),
        ("y := product_partial(x)", [None; 2]),
        ("y[1] := call h(x)", [None; 2]),
        ("y[1] := call e(x)", [None; 2]),
    ] {
        let source = format!(
            "external function h(in real a[3]) result real r
  value sum(product_partial(a))
end
external function e(in real a[3]) result real r
  value sum(a*a)
end
main subroutine f(in real x[3], in logical l[3], optional in real w[3], in integer k, inout real y[3])
  independent x, w
  dependent y
  {statement}
end
"
        );
        assert_eq!(refusals(&source), expected, "{statement}");
    }
}

/// A problem is reported at the statement of the program, also if the graph was changed because loops are entered by
/// jumps.
#[test]
fn problems_of_statements_in_general_graphs() {
    let wrong = "y := if(l, w[k]*x, x)";
    let source = format!(
        "general main subroutine f(in real x[3], in logical l[3], optional in real w[3], in integer k, inout real y[3])
  independent x, w
  dependent y
  if k > 3
    goto inside
  end
  while y[1] < 10.0
    y := y*x
    label inside
    y := y + x
    {wrong}
  end
end
"
    );
    let program = valid(&source);
    let main = program.find_routine("f").expect("it is there");
    let problems = reverse(&flat(&program), main, &Options::default());
    let problems = problems.map(|_| ()).expect_err(&source);
    let sites = problems.iter().filter_map(|d| d.at.site.as_ref());
    let found: Vec<Element> = sites.map(|site| site.element).collect();
    let [Element::Statement(v, s)] = found[..] else {
        panic!("{found:?}")
    };
    let routine = program.routine(main);
    let cfg = routine.body.as_ref().expect("it has a graph");
    let statement = &cfg.vertex(v).statements()[s];
    assert_eq!(text::stmt_text(routine, &program, statement), wrong);
}

/// Pools of objects behind pointers are recorded by the routines that write them, other global arrays on request, and
/// none if the option excludes it.
#[test]
fn global_arrays_that_are_recorded_inside() {
    let program = valid(
        "global real cells[4] {cells} = 1.0
global real plain[4] = 1.0
subroutine set(in integer i, in real x)
  uses cells, plain
  cells[i] := x*cells[i]
  plain[i] := x*plain[i]
end
main subroutine f(in integer n, in real x, inout real y)
  independent x, y
  dependent y
  uses cells, plain
  y := y*cells[1]*plain[1]
  call set(n, y)
  y := y*cells[2]*plain[2]
  call set(n, x)
  y := y*y
end
",
    );
    let main = program.find_routine("f").expect("it is there");
    for (inside, expected) in [
        (Inside::Pools, [0, 2]),
        (Inside::Arrays, [0, 0]),
        (Inside::Nothing, [2, 2]),
    ] {
        let options = Options {
            inside,
            ..Options::default()
        };
        let made = reverse(&flat(&program), main, &options).unwrap_or_else(|d| panic!("{d}"));
        let mut shown = String::new();
        let sweep = made.program.routine(made.forward);
        text::routine(&mut shown, &made.program, sweep).expect("strings take everything");
        let pushed = |name: &str| {
            let push = format!("push[real] {name}");
            shown.lines().filter(|line| line.trim() == push).count()
        };
        assert_eq!(
            ["cells", "plain"].map(pushed),
            expected,
            "{inside:?}: {shown}"
        );
    }
}
