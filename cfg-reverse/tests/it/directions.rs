//! Derivatives in several directions against those in one direction at a time: the same bits.

use crate::run::{Named, filled, point, run, valid};
use cfg_core::{
    entity::{GlobalId, RoutineId},
    ir::{Intent, Order, ParameterRole, Program, Signature},
    validate::ValidProgram,
};
use cfg_exec::Value;
use cfg_format::text;
use cfg_reverse::{Blocks, Count, Directions, Options, directions, reverse, tangent};
use cfg_testkit::flat;
use cfg_testkit::{case::Case, general, generate::Options as Generate, property, rng::Rng};
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The number of directions: not 4, the usual extent in generated programs, so that a mix-up of dimensions shows.
const COUNT: usize = 3;

const FIXED: Directions = Directions::Fixed(NonZeroU32::new(COUNT as u32).unwrap());

/// A derivative in all directions: those of an element lie next to each other.
fn all(each: &[Value]) -> Value {
    let [first, ..] = each else {
        panic!("there are directions")
    };
    let order = match first.shape().len() {
        0 | 1 => Order::Row,
        _ => first.order(),
    };
    let mut shape = first.shape().to_vec();
    match order {
        Order::Row => shape.push(each.len()),
        Order::Column => shape.insert(0, each.len()),
    }
    let mut made = Value::uninitialised(first.ty(), &shape, order).expect("it is small");
    for i in 0..first.len() {
        for (d, value) in each.iter().enumerate() {
            if let Some(x) = value.get(i) {
                assert!(made.set(i * each.len() + d, x));
            }
        }
    }
    made
}

/// Compares a derivative routine in several directions with the same in one; `shapes` has values of the shapes of the
/// primal parameters. Returns the arguments before and after the run in the first direction; `None` if the program is
/// refused or stops.
fn compare(
    program: &Program,
    routine: RoutineId,
    globals: &[GlobalId],
    primal: &Named,
    shapes: &Named,
    rng: &mut Rng,
) -> Result<Option<[Named; 2]>, String> {
    let single = valid(program.clone())?;
    let original = single.routine(routine);
    let name = |p| original.variable(p).name.clone();
    // The derivatives that are given, by direction.
    let mut given = vec![Named::new(); COUNT];
    let mut derivatives = Vec::new();
    let signature = Signature::from_origins(&single, routine);
    let base = signature.original.ok_or("made of nothing")?;
    for (p, role) in original.parameter_ids().zip(signature.parameters) {
        let (ParameterRole::Adjoint(of) | ParameterRole::Tangent(of)) = role else {
            continue;
        };
        derivatives.push(name(p));
        let Some(like) = shapes.get(&single.routine(base).variable(of).name) else {
            continue;
        };
        if original
            .variable(p)
            .intent()
            .is_some_and(|i| i != Intent::Out)
        {
            for direction in &mut given {
                let (a, b) = (rng.between(-2, 2), rng.between(1, 3));
                let value = filled(like, |i| (a + b * i as i64) as f64);
                direction.insert(name(p), value);
            }
        }
    }
    let mut found = Vec::new();
    for direction in &given {
        let mut arguments = primal.clone();
        arguments.extend(direction.clone());
        match run(&single, routine, &arguments) {
            Ok(values) => found.push(values),
            Err(_) => return Ok(None),
        }
    }
    for count in [Directions::Given, FIXED] {
        let (made, several) = match directions(program.clone(), &[routine], globals, count) {
            Ok(made) => made,
            Err(problems) if problems.iter().all(|d| d.code == "R313") => return Ok(None),
            Err(problems) => return Err(problems.to_string()),
        };
        let made = valid(made).map_err(|e| format!("in several directions: {e}"))?;
        let [several] = &*several else {
            return Err("one routine in several directions".to_owned());
        };
        let vector = made.routine(several.routine);
        let mut arguments = primal.clone();
        if let Count::Parameter(count) = several.count {
            let count = vector.variable(count).name.clone();
            arguments.insert(count, Value::integer(COUNT as i64));
        }
        for key in given[0].keys() {
            let each: Vec<Value> = given.iter().map(|d| d[key].clone()).collect();
            arguments.insert(key.clone(), all(&each));
        }
        for &(p, g) in &several.globals {
            let variable = &made.global(g).variable;
            let like = Value::uninitialised(variable.ty, &extents(&made, g)?, variable.order);
            let zero = filled(&like.ok_or("too large")?, |_| 0.0);
            arguments.insert(vector.variable(p).name.clone(), all(&vec![zero; COUNT]));
        }
        let together = run(&made, several.routine, &arguments)
            .map_err(|e| format!("in several directions: {e}\n{}", made.program()))?;
        for (key, first) in &found[0] {
            let expected = match derivatives.contains(key) {
                true => all(&found.iter().map(|d| d[key].clone()).collect::<Vec<_>>()),
                false => first.clone(),
            };
            let there = together.get(key).ok_or_else(|| format!("no {key}"))?;
            let (shown, wanted) = (format!("{there:?}"), format!("{expected:?}"));
            if shown != wanted {
                let text = made.program();
                return Err(format!("{key}: {shown} instead of {wanted}\n{text}"));
            }
        }
    }
    let mut arguments = primal.clone();
    arguments.extend(given.swap_remove(0));
    Ok(Some([arguments, found.swap_remove(0)]))
}

/// The extents of a global, which are constant.
fn extents(program: &ValidProgram, g: GlobalId) -> Result<Vec<usize>, String> {
    let shape = &program.global(g).variable.shape;
    let extent = |d: &cfg_core::ir::Dim| match &d.extent {
        cfg_core::ir::Extent::Fixed(cfg_core::ir::Expr::Int(n)) => usize::try_from(*n).ok(),
        _ => None,
    };
    let all: Option<Vec<usize>> = shape.iter().map(extent).collect();
    all.ok_or_else(|| "a global without constant extents".to_owned())
}

fn globals(derivatives: &[(GlobalId, GlobalId)]) -> Vec<GlobalId> {
    derivatives.iter().map(|&(_, g)| g).collect()
}

/// Tangent, adjoint and tangent of the adjoint of a case; how many of them were compared.
fn agrees(case: &Case, options: &Options, rng: &mut Rng) -> Result<usize, String> {
    let program = valid(case.program.clone())?;
    let primal = point(case);
    let Ok(shapes) = run(&program, case.main, &primal) else {
        return Ok(0);
    };
    let mut compared = 0;
    if let Ok(made) = tangent(&flat(&program), case.main) {
        let found = compare(
            &made.program,
            made.tangent,
            &globals(&made.tangent_globals),
            &primal,
            &shapes,
            rng,
        )?;
        compared += usize::from(found.is_some());
    }
    if let Ok(made) = reverse(&flat(&program), case.main, options)
        && let Some([primal, shapes]) = compare(
            &made.program,
            made.gradient,
            &globals(&made.adjoint_globals),
            &primal,
            &shapes,
            rng,
        )?
    {
        compared += 1;
        if let Ok(second) = tangent(&valid(made.program)?, made.gradient) {
            let found = compare(
                &second.program,
                second.tangent,
                &globals(&second.tangent_globals),
                &primal,
                &shapes,
                rng,
            )?;
            compared += usize::from(found.is_some());
        }
    }
    Ok(compared)
}

/// Globals that lie over each other become parameters that do, which callers of the executor cannot pass.
fn property(options: &Generate, seeds: std::ops::Range<u64>, least: usize) {
    let options = &Generate {
        overlays: 0,
        integer_overlays: 0,
        ..*options
    };
    let compared = AtomicUsize::new(0);
    let all = 3 * (seeds.end - seeds.start) as usize;
    property::check_numbered(options, seeds, |seed, case| {
        let made = Options {
            blocks: [Blocks::Statement, Blocks::Preaccumulate][seed as usize % 2],
            work: 500,
            ..Options::default()
        };
        let n = agrees(case, &made, &mut Rng::new(seed))?;
        compared.fetch_add(n, Relaxed);
        Ok(())
    });
    let compared = compared.into_inner();
    assert!(compared * 100 >= all * least, "{compared} of {all}");
}

#[test]
fn exact_programs() {
    property(&Generate::EXACT, 0..40, 80);
}

#[test]
fn smooth_programs() {
    property(&Generate::SMOOTH, 0..30, 80);
}

#[test]
fn wide_programs() {
    property(&Generate::WIDE, 0..60, 30);
}

#[test]
fn general_graphs() {
    let compared: usize = (0..20)
        .map(|seed| {
            let case = general::generate(seed);
            let found = agrees(&case, &Options::default(), &mut Rng::new(seed));
            found.unwrap_or_else(|e| panic!("seed {seed}: {e}"))
        })
        .sum();
    assert!(compared > 50, "{compared}");
}

/// Routines that tangents by hand may call.
const OTHERS: &str = "function one(in integer n) result real r
  r := 1.5*n
end
function pure(in real p) result real r
  r := 2.0*p
end
function first(in real p[2]) result real r
  r := p[1]
end
function more(in real p, inout real q) result real r
  q := q + 1.0
  r := p*q
end
function sets(in real p) result real r
  uses g
  g := p
  r := p
end
subroutine rows(in real m[:, :], inout real r)
  r := r + m[1, 1]*m[2, 3]
end
subroutine cells(in real m[2, 3], inout real r)
  r := r + m[1, 1] - m[1, 2]*m[2, 1]
end
subroutine tail(in real p[2], inout real r)
  r := r + p[1]*2.0 - p[2]
end
";

/// A program with a tangent of these lines.
fn by_hand(lines: &str) -> Program {
    let text = format!(
        "global real g = 1.0
         subroutine f(in integer n, in real x, in real v[2], inout real y)
           y := x
         end
         subroutine f_t(in integer n, in real x, in real v[2], inout real y, in real x_t {{tangent of x}}, in real v_t[2] {{tangent of v}}, inout real y_t {{tangent of y}}) {{tangent of f}}
           local real a, b, c[2], d[2, 3] column, e[2, 3]
           local integer k
           local logical l
           local tape t, u
           {lines}
         end
         {OTHERS}"
    );
    let parsed = text::parse(&text);
    let problems = parsed.problems;
    parsed.program.unwrap_or_else(|| panic!("{problems}{text}"))
}

/// Compares a tangent of these lines in several directions with itself in one.
fn agrees_by_hand(lines: &str) {
    let values = Named::from([
        ("n".to_owned(), Value::integer(2)),
        ("x".to_owned(), Value::real(1.5)),
        ("v".to_owned(), Value::from_reals(&[3.0, -1.0])),
        ("y".to_owned(), Value::real(0.5)),
    ]);
    let program = by_hand(lines);
    let routine = RoutineId::new(1);
    let found = compare(&program, routine, &[], &values, &values, &mut Rng::new(1));
    let found = found.unwrap_or_else(|e| panic!("{lines}: {e}"));
    assert!(found.is_some(), "{lines}");
}

#[test]
fn tapes_hold_what_depends_on_the_direction_and_what_does_not() {
    for lines in [
        "y_t := y_t + 2.0*x_t",
        "push[real] x_t on t\npush[real] y_t on t\ny_t := pop[real] from t\na := pop[real] from t\ny_t := y_t - a",
        // The value of an expression, which has no place yet.
        "push[real] 2.0*x_t + y_t on t\ny_t := pop[real] from t",
        "push[real] 2.0*v_t on t\nc := pop[real] from t\ny_t := c[1]*c[2]",
        "push[real] v_t on t\nc := pop[real] from t\ny_t := sum(c)",
        "push[real] v_t[2] on t\nc[1] := pop[real] from t\ny_t := c[1]",
        "c := v_t\npush[real] c[n:] on t\nc[:1] := pop[real] from t\ny_t := c[1] - 3.0*c[2]",
        "d := 1.0\nd[2, 3] := x_t\npush[real] d on t\nd := pop[real] from t\ny_t := d[2, 3] + sum(d)",
        // One tape has derivatives, the other has none.
        "push[real] x on u\npush[real] x_t on t\na := pop[real] from u\nb := pop[real] from t\ny_t := a*b",
        "push[real] 2.0*x on u\na := pop[real] from u\ny_t := a*x_t",
        "a := x_t\npush[real] x on u\na := pop[real] from u\ny_t := a*x_t",
        "c := v_t\npush[real] v on u\nc := pop[real] from u\ny_t := c[1]*x_t + c[2]",
        "d := x_t\nc := v\npush[real] c on u\nd[:, 2] := pop[real] from u\ny_t := sum(d)",
        // Values that are the same in all directions go with those that are not.
        "a := x\npush[real] a on t\npush[real] x_t on t\nb := pop[real] from t\na := pop[real] from t\ny_t := a*b",
        "push[integer] n + 1 on t\npush[real] x_t on t\na := pop[real] from t\nk := pop[integer] from t\ny_t := real(k)*a",
        "push[control 1] 1 on t\npush[real] x_t on t\na := pop[real] from t\nk := pop[control 1] from t\ny_t := real(k)*a",
    ] {
        agrees_by_hand(lines);
    }
}

/// A routine that gets derivatives is called once for all directions, a function that computes a derivative once per
/// direction, and a routine without derivatives as before. Arrays, and elements that stand for the cells behind them,
/// keep their own order.
#[test]
fn calls_with_and_without_derivatives() {
    for lines in [
        "a := call one(n)\ny_t := a*x_t",
        "y_t := call pure(x_t)",
        "y_t := call pure(v_t[2])",
        "y_t := call first(v_t)",
        "c := v_t\nc[1] := x_t\ny_t := call first(c)",
        "call tail(v, y_t)",
        "call tail(v_t, y_t)",
        "call tail(v_t[1], y_t)",
        "call tail(v_t*x, y_t)",
        "e := x_t\ne[1, 2] := v_t[2]\ncall tail(e[1, 2], y_t)",
        "d := x_t\nd[2, 2] := v_t[2]\ncall tail(d[1, 2], y_t)",
        "d := x_t\nd[1, 2] := v_t[1]\ncall cells(d, y_t)",
        "e := x_t\ne[2, 3] := v_t[1]\ncall rows(e, y_t)",
    ] {
        agrees_by_hand(lines);
    }
}

#[test]
fn calls_that_cannot_have_several_directions() {
    for (lines, words) in [
        (
            "y_t := call one(n)",
            "a derivative is the result of a call without one",
        ),
        (
            "a := 1.0\ny_t := call more(x_t, a)",
            "`more` does more than compute one derivative",
        ),
        (
            "y_t := call sets(x_t)",
            "`sets` does more than compute one derivative",
        ),
        (
            "c := v_t\ny_t := call first(c[1])",
            "`first` does more than compute one derivative",
        ),
        (
            "d := x_t\ncall rows(d, y_t)",
            "`d` is stored in another order than the parameter that takes its extents",
        ),
    ] {
        is_refused(lines, words);
    }
}

/// The tangent of these lines is refused in several directions with these words.
fn is_refused(lines: &str, words: &str) {
    let program = by_hand(lines);
    let made = directions(program, &[RoutineId::new(1)], &[], FIXED);
    let problems = made.map(|_| ()).expect_err(lines);
    let found = problems
        .iter()
        .any(|d| d.code == "R313" && d.message.contains(words));
    assert!(found, "{lines}: {problems}");
}

/// Programs with pointers or records are refused before any routine is read.
#[test]
fn only_flat_programs_are_taken() {
    let [pointer, record] = [
        "subroutine f_t(in ^real p, in real x_t {tangent of x}) {tangent of f}\n  free p\nend\n",
        "record R\n  real a\nend\nsubroutine f_t(inout record R r)\n  r.a := 1.0\nend\n",
    ]
    .map(|source| text::parse(source).program.expect(source));
    for (program, expected) in [(pointer, "V164"), (record, "V161")] {
        let problems = directions(program, &[RoutineId::new(0)], &[], FIXED).expect_err(expected);
        let codes: Vec<&str> = problems.iter().map(|d| d.code).collect();
        assert_eq!(codes, [expected], "{problems}");
    }
}

/// Derivatives in globals become parameters. A parameter may be written if the routine or a callee writes the global
/// under any name, and parameters may overlap if their globals do.
#[test]
fn derivatives_in_globals_are_parameters() {
    for (lines, over, expected) in [
        ("y := y*a[1]*x", "", vec![("a_t", Intent::In)]),
        (
            "a[1] := a[2]*x\ny := y*a[1]",
            "",
            vec![("a_t", Intent::InOut)],
        ),
        ("call set(x)\ny := y*a[1]", "", vec![("a_t", Intent::InOut)]),
        (
            "over[1] := x\ny := y*a[2]",
            "a, over",
            vec![("a_t", Intent::InOut), ("over_t", Intent::InOut)],
        ),
        (
            "y := y*a[2]*over[1]",
            "a, over",
            vec![("a_t", Intent::In), ("over_t", Intent::In)],
        ),
    ] {
        let used = if over.is_empty() { "a" } else { over };
        let text = format!(
            "global real a[2] = 2.0
global real over[1] overlays a at 1
subroutine set(in real p)
  uses a
  a[1] := p
end
main subroutine f(in real x, inout real y)
  independent x, a
  dependent y
  uses {used}
  {lines}
end
"
        );
        let parsed = text::parse(&text);
        let problems = parsed.problems;
        let program = parsed.program.unwrap_or_else(|| panic!("{problems}{text}"));
        let program = valid(program).unwrap_or_else(|e| panic!("{e}{text}"));
        let main = program.find_routine("f").expect("it is there");
        let made = tangent(&flat(&program), main).unwrap_or_else(|d| panic!("{d}{text}"));
        let derivatives = globals(&made.tangent_globals);
        let (program, several) = directions(made.program, &[made.tangent], &derivatives, FIXED)
            .unwrap_or_else(|d| panic!("{d}{text}"));
        let [several] = &*several else {
            panic!("one routine in several directions: {text}")
        };
        let routine = program.routine(several.routine);
        let parameters = several.globals.iter().map(|&(p, _)| routine.variable(p));
        let found: Vec<(&str, Option<Intent>)> = parameters
            .map(|variable| (variable.name.as_str(), variable.intent()))
            .collect();
        let wanted = expected.iter().map(|&(name, intent)| (name, Some(intent)));
        assert_eq!(found, Vec::from_iter(wanted), "{text}");
        assert_eq!(routine.aliased, expected.len() > 1, "{text}");
    }
}

#[test]
fn what_decides_does_not_depend_on_the_direction() {
    for (lines, words) in [
        (
            "if x_t > 0.0\ny_t := 1.0\nend",
            "a decision depends on a derivative",
        ),
        (
            "while y_t > 0.0\ny_t := y_t - 1.0\nend",
            "a decision depends on a derivative",
        ),
        (
            "for k = 1, int(x_t)\ny_t := y_t - 1.0\nend",
            "a decision depends on a derivative",
        ),
        (
            "select int(x_t)\ncase 1\ny_t := 1.0\ncase default\ny_t := 2.0\nend",
            "a decision depends on a derivative",
        ),
        (
            "push[integer] int(x_t) on t\nk := pop[integer] from t\ny_t := real(k)",
            "what is no real and is pushed depends on a derivative",
        ),
        (
            "y_t := v[int(x_t)]",
            "a subscript depends on the derivative `x_t`",
        ),
        (
            "c := 0.0\nc[int(y_t)] := x\ny_t := c[1]",
            "a subscript depends on the derivative `y_t`",
        ),
    ] {
        is_refused(lines, words);
    }
}
