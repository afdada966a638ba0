//! Each limit of docs/limits.md, tested on both sides of its bound.

use cfg_core::{
    diagnostic::site::Element,
    entity::RoutineId,
    ir::Program,
    text,
    validate::{ValidProgram, validate},
};
use cfg_reverse::{Blocks, Options, explain::explain, reverse, tangent};
use cfg_testkit::flat;

/// The program of a text. External routines have only the properties that the text declares.
pub(crate) fn valid(source: &str) -> ValidProgram {
    let parsed = cfg_format::text::parse(source);
    let problems = parsed.problems;
    let program = parsed
        .program
        .unwrap_or_else(|| panic!("{problems}{source}"));
    validate(program).unwrap_or_else(|d| panic!("{d}{source}"))
}

/// The code of the problem for which a program has no adjoint, if it has none.
fn refusal(source: &str) -> Option<&'static str> {
    let program = valid(source);
    let main = program.main.unwrap_or(RoutineId::new(0));
    let problems = reverse(&flat(&program), main, &Options::default()).err()?;
    problems.iter().next().map(|d| d.code)
}

/// Conditional expressions of an array and a scalar that decide together which shape an expression has.
#[test]
fn choices_between_arrays_and_scalars() {
    for count in 1..9 {
        let choices = vec!["if(l, v, 2.0)"; count].join("*");
        for statement in [
            format!("y := sum({choices})"),
            format!("w := {choices}\n  y := sum(w)"),
            format!("d := {choices}\n  y := sum(d)"),
        ] {
            let source = format!(
                "main subroutine f(in logical l, in real v[3], out real y)
  independent v
  dependent y
  local real w[3], d[:]
  w := 0.0
  {statement}
end
"
            );
            let expected = (count > 6).then_some("R301");
            assert_eq!(refusals(&source), [expected; 2], "{count}: {statement}");
        }
    }
}

/// A call of a routine with a given adjoint is written with and without each optional argument that is handed on, as long as there
/// are not too many.
#[test]
fn optional_arguments_of_given_adjoints() {
    for count in [1, 2, 6, 7] {
        let names: Vec<String> = (0..count).map(|k| format!("z{k}")).collect();
        let each = |head: &str, tail: &str| {
            let all = names.iter().map(|z| format!(", {head} real {z}{tail}"));
            all.collect::<String>()
        };
        let source = format!(
            "external subroutine h(in real a{})
  adjoint h_b
end
subroutine h_b(in real a{}, inout real a_b{})
end
main subroutine f(in real x{}, out real y)
  independent x
  dependent y
  y := x
  call h(y, {})
  y := y*x
end
",
            each("optional inout", ""),
            each("optional in", ""),
            each("optional inout", "_b"),
            each("optional inout", ""),
            names.join(", ")
        );
        let shown = sweep(&source, "f_fwd");
        let calls = shown.matches("call h(").count();
        let expected = if count > 6 { 1 } else { 1 << count };
        assert_eq!(calls, expected, "{count}\n{shown}");
    }
}

/// Callers have to know the shape of a result before the call, so a routine that decides it itself is refused.
#[test]
fn results_whose_shape_the_routine_decides() {
    for (extent, expected) in [("3", None), ("n", None), (":", Some("R310"))] {
        let source = format!(
            "main function f(in integer n, in real x) result real r[{extent}]
  independent x
  dependent r
  r := fill(x, {})
end
",
            if extent == ":" { "n" } else { extent }
        );
        assert_eq!(refusal(&source), expected, "{extent}");
    }
}

/// An external function of which nothing is known is refused only where derivatives go through it.
#[test]
fn external_functions_without_derivatives() {
    for (argument, expected) in [("real(n)", None), ("1.5", None), ("x", Some("R303"))] {
        let source = format!(
            "external function h(in real a) result real r
end
main subroutine f(in integer n, in real x, out real y)
  independent x
  dependent y
  local real c
  c := call h({argument})
  y := x*c
end
"
        );
        assert_eq!(refusal(&source), expected, "{argument}");
    }
}

/// The search for readers of a value ends after a number of statements; the result then says that there may be
/// others.
#[test]
fn readers_that_are_far_away() {
    for (readers, between, is_given_up) in [
        (1, 1998, false),
        (1, 1999, true),
        (8, 1991, false),
        (8, 1992, true),
    ] {
        let lines = "  y := y + sin(x)*0.5\n".repeat(readers);
        let steps = "  c := c + 1\n".repeat(between - 1);
        let source = format!(
            "main subroutine f(in real p, inout real y)
  independent p
  dependent y
  local real x
  local integer c
  x := p*p
{lines}  c := 0
{steps}  x := y
  y := y*x
end
"
        );
        let program = cfg_format::text::parse(&source)
            .program
            .expect("it is a program");
        let program = validate(program).unwrap_or_else(|d| panic!("{d}"));
        let main = program.main.expect("it has one");
        let plan =
            explain(&flat(&program), main, &Options::default()).unwrap_or_else(|d| panic!("{d}"));
        let shown = plan.to_string();
        assert_eq!(shown.contains("and others"), is_given_up, "{between}");
    }
}

/// A limited number of readers is listed for a value, both for a recorded one and for one that is never overwritten.
#[test]
fn readers_that_are_listed() {
    for (readers, are_others) in [(8, false), (9, true)] {
        let lines = "  y := y + sin(x)*0.5\n".repeat(readers);
        let recorded = format!(
            "main subroutine f(in real p, inout real y)
  independent p
  dependent y
  local real x
  x := p*p
{lines}  x := y
  y := y*x
end
"
        );
        let present = format!(
            "main subroutine f(in real x, inout real y)
  independent x
  dependent y
{lines}end
"
        );
        for source in [recorded, present] {
            let program = valid(&source);
            let main = program.main.expect("it has one");
            let plan = explain(&flat(&program), main, &Options::default())
                .unwrap_or_else(|d| panic!("{d}"));
            let shown = plan.to_string();
            let listed = shown.matches("y := y + sin(x)*0.5").count();
            assert_eq!(listed, 8, "{readers}\n{shown}");
            assert_eq!(
                shown.contains("and others"),
                are_others,
                "{readers}\n{shown}"
            );
        }
    }
}

/// The text of a routine of a program.
pub(crate) fn shown(program: &Program, name: &str) -> String {
    let found = program.find_routine(name).expect("it is there");
    let mut shown = String::new();
    text::routine(&mut shown, program, program.routine(found)).expect("strings take everything");
    shown
}

/// The text of a routine of the adjoint of `f`.
pub(crate) fn sweep(source: &str, name: &str) -> String {
    let program = valid(source);
    let main = program.find_routine("f").expect("it is there");
    let made = reverse(&flat(&program), main, &Options::default())
        .unwrap_or_else(|d| panic!("{d}{source}"));
    shown(&made.program, name)
}

/// The tangent of a part of an expression is assigned to a temporary where it has more than six levels.
#[test]
fn levels_of_tangents() {
    for (levels, is_divided) in [(6, false), (7, true)] {
        // The tangent of the whole is a sign around one of so many levels.
        let value = (0..levels).fold("x".to_owned(), |e, _| format!("-({e})"));
        let source = format!(
            "main subroutine f(in real x, inout real y)
  independent x
  dependent y
  y := {value}
end
"
        );
        let program = valid(&source);
        let main = program.main.expect("it has one");
        let made = tangent(&flat(&program), main).unwrap_or_else(|d| panic!("{d}"));
        let shown = shown(&made.program, "f_t");
        assert_eq!(shown.contains("d1 := "), is_divided, "{levels}\n{shown}");
    }
}

/// A statement over arrays that reads an optional argument in one of its conditional expressions is written in each arm, as long as
/// there are not too many of these.
#[test]
fn conditional_expressions_of_statements_that_are_copied() {
    for count in [1, 2, 6, 7] {
        let others: String = (1..count)
            .map(|k| format!(" + if(x[1] > {k}.0, x, 0.0)"))
            .collect();
        let source = format!(
            "main subroutine f(in real x[3], optional in real w[3], out real y[3])
  independent x, w
  dependent y
  y := x + if(present(w), w, 0.0){others}
end
"
        );
        let expected = (count > 6).then_some("R301");
        assert_eq!(refusal(&source), expected, "{count}");
        if expected.is_none() {
            let shown = sweep(&source, "f_fwd");
            assert_eq!(
                shown.matches("if present(w)").count(),
                1,
                "{count}\n{shown}"
            );
        }
    }
}

/// Conditions under which an expression is evaluated are written one in the other, more of them as a conjunction.
#[test]
fn conditions_around_an_expression() {
    for count in [1, 2, 8, 9] {
        let inner = (1..=count).rev().fold("x*2.5".to_owned(), |inner, k| {
            format!("if(x < {k}.0, w, {inner})")
        });
        let source = format!(
            "main subroutine f(in real x, in real w, inout real y)
  independent x, w
  dependent y
  y := {inner}
end
"
        );
        let shown = sweep(&source, "f_rev");
        assert_eq!(shown.contains(" and "), count > 8, "{count}\n{shown}");
    }
}

/// The adjoint of an element with a constant subscript that an arm reads is incremented in place if the element
/// surely exists, or if no other element is read in its place.
#[test]
fn elements_that_an_arm_reads() {
    for (shape, element, is_guarded) in [
        ("n", 1, false),
        ("n", 2, true),
        (": from 0", 0, false),
        (": from 0", 1, true),
        ("3", 3, false),
        ("n from k", 1, true),
    ] {
        let source = format!(
            "main subroutine f(in integer n, in integer k, in real x[{shape}], in real w, inout real y)
  independent x, w
  dependent y
  y := y + if(n > 1, x[{element}]*w, w)
end
"
        );
        let shown = sweep(&source, "f_rev");
        let found = (shown.contains("x_b[if("), shown.contains("x_b["));
        assert_eq!(found, (is_guarded, true), "{shape}: {element}\n{shown}");
    }
}

/// Elements with variable subscripts are told apart one by one, so a block that reads many of one array is divided.
#[test]
fn elements_that_a_block_reads() {
    for (count, blocks) in [(62, 1), (63, 2)] {
        let subscripts: String = (1..=count).map(|k| format!("in integer k{k}, ")).collect();
        let products: String = (1..=count).map(|k| format!("  y := y*z[k{k}]\n")).collect();
        let source = format!(
            "main subroutine f({subscripts}in real z[99], inout real y)
  independent z, y
  dependent y
{products}end
"
        );
        let program = cfg_format::text::parse(&source)
            .program
            .expect("it is a program");
        let program = validate(program).unwrap_or_else(|d| panic!("{d}"));
        let main = program.main.expect("it has one");
        let options = Options {
            blocks: Blocks::Preaccumulate,
            work: 500,
            ..Options::default()
        };
        let plan = explain(&flat(&program), main, &options).unwrap_or_else(|d| panic!("{d}"));
        let shown = plan.to_string();
        let found = shown.matches("preaccumulated, stack").count();
        assert_eq!(found, blocks, "{count}\n{shown}");
    }
}

/// The codes of the problems for which a program has no adjoint and no tangent.
pub(crate) fn refusals(source: &str) -> [Option<&'static str>; 2] {
    let parsed = cfg_format::text::parse(source);
    let problems = parsed.problems;
    let program = parsed
        .program
        .unwrap_or_else(|| panic!("{problems}{source}"));
    let program = validate(program).unwrap_or_else(|d| panic!("{d}{source}"));
    let main = program.find_routine("f").expect("it is there");
    let problems = [
        reverse(&flat(&program), main, &Options::default()).err(),
        tangent(&flat(&program), main).err(),
    ];
    problems.map(|problems| problems?.iter().next().map(|d| d.code))
}

/// An adjoint needs independents and dependents, a tangent neither. Both need a body; programs with tapes of their
/// own have tangents only.
#[test]
fn routines_without_what_derivatives_need() {
    for (source, expected) in [
        (
            "subroutine f(in real x, out real y)\nindependent x\ndependent y\ny := x\nend",
            [None, None],
        ),
        (
            "subroutine f(in real x, out real y)\ndependent y\ny := x\nend",
            [Some("R307"), None],
        ),
        (
            "subroutine f(in real x, out real y)\nindependent x\ny := x\nend",
            [Some("R307"), None],
        ),
        (
            "external function f(in real x) result real r\nindependent x\ndependent r\nvalue x\nend",
            [Some("R308"), Some("R308")],
        ),
        (
            "subroutine f(in real x, out real y)\nindependent x\ndependent y\nlocal tape t\npush[real] x on t\ny := pop[real] from t\nend",
            [Some("R302"), None],
        ),
    ] {
        assert_eq!(refusals(source), expected, "{source}");
    }
}

/// A given derivative routine does not handle derivatives of globals. A global that shares cells with an active one
/// counts as active.
#[test]
fn globals_of_given_derivatives() {
    for (used, place, expected) in [
        ("g", "g", [Some("R309"); 2]),
        ("g", "h", [None; 2]),
        ("head", "head", [Some("R309"); 2]),
        ("head", "base[1]", [Some("R309"); 2]),
        ("head", "apart[1]", [None; 2]),
        // Adjoints tell storage apart, tangents cells: adjoints come out of all cells of a storage that is active.
        ("head", "tail", [Some("R309"), None]),
    ] {
        let source = format!(
            "global real g = 1.0
global real h = 1.0
global real base[2]
global real head overlays base at 0
global real tail overlays base at 1
global real apart[2]
subroutine p(in real a, inout real b)
  uses {used}
  adjoint p_b
  tangent p_t
  b := b*a*{used}
end
subroutine p_b(in real a, in real b, inout real a_b, inout real b_b)
  a_b := a_b + b*b_b
  b_b := a*b_b
end
subroutine p_t(in real a, inout real b, in real a_t, inout real b_t)
  b_t := b_t*a + a_t*b
  b := a*b
end
main subroutine f(in real x, inout real y)
  independent x
  dependent y
  uses g, h, base, head, tail, apart
  {place} := x
  call p(x, y)
  y := y*{place}
end
"
        );
        assert_eq!(refusals(&source), expected, "{used}, {place}");
    }
}

/// An argument that may be absent cannot be copied, so it is refused for a given adjoint that writes it.
#[test]
fn optional_arguments_that_given_adjoints_write() {
    for (intent, expected) in [("inout", Some("R309")), ("in", None)] {
        let source = format!(
            "subroutine p(in real a, inout real b)
  adjoint p_b
  b := b + a
end
subroutine p_b(in real a, {intent} real b, inout real a_b, inout real b_b)
  a_b := a_b + b_b
end
main subroutine f(in real x, optional inout real z, inout real y)
  independent x, z
  dependent y
  y := y + x
  if present(z)
    call p(x, z)
    y := y*z
  end
end
"
        );
        assert_eq!(refusals(&source), [expected, None], "{intent}");
    }
}

/// The shape of a result is known from values and sizes of arguments, not from their bounds and not from elements.
#[test]
fn results_whose_shape_callers_know() {
    for (extent, expected) in [
        ("n", None),
        ("2*n + 1", None),
        ("size(a)", None),
        ("size(a, 1) + 1", None),
        ("ubound(a, 1)", Some("R310")),
        ("lbound(a, 1)", Some("R310")),
        ("k[2]", Some("R310")),
    ] {
        let source = format!(
            "global integer k[2] = 1, 2
function p(in integer n, in real a[:]) result real r[{extent}]
  uses k
  r := a[1]*n
end
main subroutine f(in integer n, in real x[3], inout real y)
  independent x
  dependent y
  local real t[:]
  t := call p(n, x)
  y := y*sum(t)
end
"
        );
        assert_eq!(refusals(&source), [expected; 2], "{extent}");
    }
}

/// A problem is reported at the statement of the program, also behind statements that become several or branches.
#[test]
fn problems_of_statements_that_have_moved() {
    let choices: String = (0..6)
        .map(|k| format!(" + if(x > {k}.0, v, 1.0)"))
        .collect();
    let wrong = format!("z := v + if(present(w), w, 0.0){choices}");
    for (before, position) in [
        ("", 0),
        ("  y := y*x\n", 1),
        ("  call p(x*3.0, y)\n", 1),
        (
            "  y := y*x\n  call p(x*3.0, y)\n  y := y*if(present(w), w[1], x)\n",
            3,
        ),
    ] {
        let source = format!(
            "main subroutine f(in real x, optional in real w[3], in real v[3], inout real y, inout real z[3])
  independent x, w, v
  dependent y, z
  if x > 1.0
    call p(x*2.0, y)
  end
{before}  {wrong}
end
subroutine p(in real a, inout real b)
  b := b + a
end
"
        );
        let program = cfg_format::text::parse(&source)
            .program
            .expect("it is a program");
        let program = validate(program).unwrap_or_else(|d| panic!("{d}"));
        let main = program.main.expect("it has one");
        let problems = reverse(&flat(&program), main, &Options::default());
        let problems = problems.map(|_| ()).expect_err(&source);
        let found: Vec<Element> = problems
            .iter()
            .filter_map(|d| d.at.site.as_ref().map(|site| site.element))
            .collect();
        let cfg = program.routine(main).body.as_ref().expect("it has a graph");
        let expected = (cfg.vertices())
            .filter(|(_, vertex)| vertex.statements().len() == position + 1)
            .map(|(v, _)| Element::Statement(v, position));
        let expected: Vec<Element> = expected.collect();
        assert!(
            found.len() == 1 && expected.contains(&found[0]),
            "{found:?}\n{source}"
        );
        let Element::Statement(v, s) = found[0] else {
            panic!("{found:?}");
        };
        let statement = &cfg.vertex(v).statements()[s];
        let shown = text::stmt_text(program.routine(main), &program, statement);
        assert_eq!(shown, wrong);
    }
}

/// A routine without reals has sweeps only if it leads to one that uses an active global.
#[test]
fn routines_without_reals_have_sweeps_if_they_lead_to_active_globals() {
    for (statement, swept) in [
        ("k := k + 1", vec!["f"]),
        ("uses w\n  w := w*w", vec!["h", "g", "f"]),
    ] {
        let source = format!(
            "global real w = 1.0
subroutine h(inout integer k)
  {statement}
end
subroutine g(inout integer k)
  call h(k)
end
main subroutine f(in integer n, in real x, out real y)
  independent x
  dependent y
  uses w
  local integer k
  k := n
  w := x
  call g(k)
  y := w*real(k)
end
"
        );
        let program = valid(&source);
        let main = program.find_routine("f").expect("it is there");
        let made =
            reverse(&flat(&program), main, &Options::default()).unwrap_or_else(|d| panic!("{d}"));
        let names = made.program.routines.iter().map(|r| r.name.as_str());
        let found: Vec<&str> = names.filter_map(|name| name.strip_suffix("_rev")).collect();
        assert_eq!(found, swept, "{statement}");
    }
}

/// A derivative that is the same for all elements is taken as often as the array has elements, whichever operand the array is.
#[test]
fn sums_of_a_scalar_and_an_array() {
    for sum in ["sum(x + a)", "sum(a + x)"] {
        let source = format!(
            "main subroutine f(in real x, in real a[7], out real y)
  independent x
  dependent y
  y := {sum}
end
"
        );
        let program = valid(&source);
        let main = program.find_routine("f").expect("it is there");
        let tangent = tangent(&flat(&program), main).unwrap_or_else(|d| panic!("{d}"));
        let mut shown = String::new();
        text::program(&mut shown, &tangent.program).expect("strings take everything");
        for shown in [shown, sweep(&source, "f_rev")] {
            assert!(shown.contains("size(a)"), "{sum}: {shown}");
        }
    }
}
