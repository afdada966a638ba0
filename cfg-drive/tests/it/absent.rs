//! Optional parameters that a point leaves out, and globals that lie over each other, among independents and
//! dependents, in every order and in every way of differentiating.
//!
//! The oracle is the program in which the absent parameters do not exist at all, and its Jacobian by columns,
//! for which no seeds are needed. All values are whole numbers, so there is no tolerance.

use crate::flat;
use crate::{finish, of_text, reals};
use cfg_core::builder::{ProgramBuilder, RoutineBuilder};
use cfg_core::entity::{GlobalId, RoutineId, VarId};
use cfg_core::ir::{
    Expr, Intent, Op, Overlay,
    ScalarType::{Real, Real32},
};
use cfg_core::validate::ValidProgram;
use cfg_drive::{
    Adjoint, Jacobian, Mode, Named, Options, Point, Primal, Tangent, Tolerances, check,
    compressed_jacobian, jacobian,
};
use cfg_exec::Value;
use cfg_testkit::rng::Rng;

/// Which of the parameters `o` and `w` there are, and how.
#[derive(Clone, Copy, Debug, PartialEq)]
enum There {
    /// Declared as optional.
    Optional,
    /// Declared as any other.
    Always,
    Never,
}

const INDEPENDENTS: [&str; 4] = ["o", "x", "ga", "v"];
const DEPENDENTS: [&str; 7] = ["w", "gb", "y", "ga", "o", "gc", "v"];

/// `f(x, inout o, inout v(2), out w(3), out y)` with the globals `ga(3)`, `gb(2)` over its end, `gc` over its
/// middle. Independents and dependents are named in this order.
fn program(
    o_is: There,
    w_is: There,
    independents: &[&str],
    dependents: &[&str],
) -> (ValidProgram, RoutineId) {
    let mut program = ProgramBuilder::new();
    let base = program.global("ga", Real.array([3]));
    program.initialize(base, [2.0, 3.0, 5.0]);
    let overlays = [("gb", 2), ("gc", 1)].map(|(name, size)| {
        let g = program.global(name, Real.array([size]));
        program.overlay(g, Overlay { base, offset: 1 });
        g
    });
    let mut f = RoutineBuilder::new("f");
    let parameter = |f: &mut RoutineBuilder, name: &str, ty, intent, there| match there {
        There::Optional => Some(f.optional(name, ty, intent)),
        There::Always if intent == Intent::Out => Some(f.output(name, ty)),
        There::Always => Some(f.inout(name, ty)),
        There::Never => None,
    };
    let x = f.input("x", Real);
    let o = parameter(&mut f, "o", Real.into(), Intent::InOut, o_is);
    let v = f.inout("v", Real.array([2]));
    let w = parameter(&mut f, "w", Real.array([3]), Intent::Out, w_is);
    let y = f.output("y", Real);
    let [ga, gb, gc] =
        [base, overlays[0], overlays[1]].map(|g: GlobalId| f.global(program.program(), g));
    let known: Vec<(&str, VarId)> = [
        ("x", Some(x)),
        ("o", o),
        ("v", Some(v)),
        ("w", w),
        ("y", Some(y)),
        ("ga", Some(ga)),
        ("gb", Some(gb)),
        ("gc", Some(gc)),
    ]
    .into_iter()
    .filter_map(|(name, v)| Some((name, v?)))
    .collect();
    let chosen = |names: &[&str]| -> Vec<VarId> {
        let find = |n: &&str| known.iter().find(|(name, _)| name == n).map(|k| k.1);
        names.iter().filter_map(find).collect()
    };
    f.independents(chosen(independents))
        .dependents(chosen(dependents));
    f.assign(y, x * v.at(1) + ga.at(1) * ga.at(3));
    let guarded = |f: &mut RoutineBuilder, v: VarId, there, block: &dyn Fn(&mut RoutineBuilder)| {
        if there == There::Optional {
            f.if_else(Expr::op(Op::Present, [Expr::var(v)]), block, |_| {});
        } else {
            block(f);
        }
    };
    if let Some(o) = o {
        guarded(&mut f, o, o_is, &|f| {
            f.assign(y, y + o * 3);
            f.assign(o, o * 5 + x * v.at(2));
        });
    }
    f.assign(v.at(1), v.at(1) * ga.at(2));
    if let Some(w) = w {
        guarded(&mut f, w, w_is, &|f| {
            f.assign(w.at(1), x * y);
            f.assign(w.at(2), v.at(2) * y);
            f.assign(w.at(3), gc.at(1) * 7);
        });
    }
    f.assign(gb.at(2), gb.at(2) * x);
    f.assign(ga.at(2), ga.at(2) * ga.at(1));
    let f = program.add(f);
    (program.finish().expect("the builder is used right"), f)
}

fn point_text(o: bool, w: bool) -> String {
    let o = if o { r#", "o": 3"# } else { "" };
    let w = if w { r#", "w": {"size": 3}"# } else { "" };
    format!(r#"{{"x": 2, "v": [4, -1]{o}{w}}}"#)
}

fn matrix(
    (program, f): &(ValidProgram, RoutineId),
    text: &str,
    mode: Option<Mode>,
    compress: bool,
) -> Jacobian {
    let options = Options::default();
    let read = |p: &Primal| p.read_point(text.as_bytes());
    let found = if compress {
        compressed_jacobian(&flat(program), *f, &options, read, mode)
    } else {
        jacobian(&flat(program), *f, &options, read, mode)
    };
    found.expect("it has a Jacobian")
}

fn numbers(values: &Named) -> Vec<f64> {
    let each = values.iter().map(|(_, v)| v.to_f64s().expect("a value"));
    each.collect::<Vec<_>>().concat()
}

/// Small whole numbers in the shapes of some values.
fn whole(rng: &mut Rng, like: &[(String, usize)], shapes: &[Value]) -> Vec<Value> {
    let mut all = shapes.to_vec();
    for (value, (_, count)) in all.iter_mut().zip(like) {
        assert_eq!(value.len(), *count);
        for i in 0..value.len() {
            value.set(
                i,
                cfg_core::elemental::Scalar::Real(rng.between(-4, 4) as f64),
            );
        }
    }
    all
}

#[test]
fn absent_parameters_shift_nothing_and_shared_cells_add_up() {
    let mut rng = Rng::new(1);
    for case in 0..24 {
        let (mut independents, mut dependents) = (INDEPENDENTS, DEPENDENTS);
        rng.shuffle(&mut independents);
        rng.shuffle(&mut dependents);
        let few = dependents.len() - case % 3;
        let dependents = &dependents[..few];
        for (o, w) in [(false, false), (false, true), (true, false), (true, true)] {
            let text = point_text(o, w);
            let there = |is| if is { There::Always } else { There::Never };
            let oracle = program(there(o), there(w), &independents, dependents);
            let expected = matrix(&oracle, &text, Some(Mode::Tangent), false);
            let tested = program(There::Optional, There::Optional, &independents, dependents);
            for mode in [Some(Mode::Adjoint), Some(Mode::Tangent), None] {
                for compress in [false, true] {
                    let found = matrix(&tested, &text, mode, compress);
                    let why = format!("{independents:?} {dependents:?} {text} {mode:?}");
                    assert_eq!(found.rows, expected.rows, "{why}");
                    assert_eq!(found.columns, expected.columns, "{why}");
                    assert_eq!(found.value, expected.value, "{why}");
                    assert_eq!(found.entries, expected.entries, "{why}");
                }
            }
            seeds_and_directions(&mut rng, &tested, &text, &expected);
        }
    }
}

/// Gradients and tangents against the matrix, with several seeds on one session.
fn seeds_and_directions(
    rng: &mut Rng,
    (program, f): &(ValidProgram, RoutineId),
    text: &str,
    expected: &Jacobian,
) {
    let options = Options::default();
    let mut adjoint = Adjoint::new(&flat(program), *f, &options).expect("it has an adjoint");
    let mut tangent = Tangent::new(&flat(program), *f, &options).expect("it has a tangent");
    let point = adjoint.read_point(text.as_bytes()).expect("a point");
    let width: usize = expected.columns.iter().map(|c| c.1).sum();
    let shapes = adjoint.seed_of_ones(&point).expect("it has dependents");
    for _ in 0..2 {
        let seed = whole(rng, &expected.rows, &shapes);
        let run = adjoint.gradient(&point, &seed).expect("it runs");
        assert_eq!(run.value, expected.value);
        let y_bar: Vec<f64> = seed.iter().flat_map(|v| v.to_f64s().unwrap()).collect();
        let product: Vec<f64> = (0..width)
            .map(|j| {
                let rows = y_bar.iter().enumerate();
                rows.map(|(i, y)| y * expected.entries[i * width + j]).sum()
            })
            .collect();
        assert_eq!(
            numbers(&run.gradient),
            product,
            "{text} {:?}",
            expected.rows
        );
        // The same through JSON.
        let members: Vec<String> = expected
            .rows
            .iter()
            .zip(&seed)
            .map(|((name, _), v)| {
                let json = serde_json::to_string(&cfg_drive::Nested(v)).expect("it can be written");
                format!("\"{name}\": {json}")
            })
            .collect();
        let read = adjoint.read_seeds(format!("{{{}}}", members.join(", ")).as_bytes(), &point);
        assert_eq!(read.expect("a seed").0, std::slice::from_ref(&seed));

        let directions: Vec<Value> = run.gradient.iter().map(|(_, v)| v.clone()).collect();
        let direction = whole(rng, &expected.columns, &directions);
        let run = tangent.tangent(&point, &direction).expect("it runs");
        let x_dot: Vec<f64> = direction
            .iter()
            .flat_map(|v| v.to_f64s().unwrap())
            .collect();
        let product: Vec<f64> = (0..y_bar.len())
            .map(|i| {
                let row = &expected.entries[i * width..][..width];
                row.iter().zip(&x_dot).map(|(a, b)| a * b).sum()
            })
            .collect();
        assert_eq!(numbers(&run.tangent), product, "{text}");
        // One too few, one too many, one of another shape or type.
        let mut wrong = vec![seed[1..].to_vec(), [&seed[..], &seed[..1]].concat()];
        wrong.push([&[Value::from_reals(&[1.0; 9])], &seed[1..]].concat());
        wrong.push([&[Value::real32(1.0)], &seed[1..]].concat());
        for seed in wrong {
            let refused = adjoint
                .gradient(&point, &seed)
                .expect_err("it does not fit");
            assert!(refused.to_string().contains("P422"), "{refused}");
        }
        let refused = tangent.tangent(&point, &[]).expect_err("it does not fit");
        assert!(refused.to_string().contains("P422"), "{refused}");
    }
    let found = check(
        &flat(program),
        *f,
        &options,
        |p| p.read_point(text.as_bytes()),
        Tolerances::default(),
    );
    let found = found.expect("it can be checked");
    assert_eq!(found.agrees(), Some(true), "{found:?}");
    assert_eq!(found.differences.compared, expected.entries.len() / width);
}

#[test]
fn absent_parameters_cannot_be_seeded() {
    let (program, f) = program(There::Optional, There::Optional, &INDEPENDENTS, &DEPENDENTS);
    let adjoint = Adjoint::new(&flat(&program), f, &Options::default()).expect("it has an adjoint");
    let tangent = Tangent::new(&flat(&program), f, &Options::default()).expect("it has a tangent");
    let point = adjoint.read_point(point_text(false, true).as_bytes());
    let point = point.expect("a point");
    for refused in [
        adjoint
            .read_seeds(br#"{"o": 1}"#, &point)
            .expect_err("absent"),
        tangent
            .read_direction(br#"{"o": 1}"#, &point)
            .expect_err("absent"),
    ] {
        let text = refused.to_string();
        assert!(
            text.contains("P412") && text.contains("leaves out"),
            "{text}"
        );
    }
}

/// The default seed needs exactly one dependent in the point; none is an error, and so is no independent.
#[test]
fn what_is_left_decides() {
    let make = |independents: &[&str], dependents: &[&str]| {
        program(There::Optional, There::Optional, independents, dependents)
    };
    let gradient = |(program, f): &(ValidProgram, RoutineId)| {
        let mut adjoint =
            Adjoint::new(&flat(program), *f, &Options::default()).expect("it has an adjoint");
        let point = adjoint
            .read_point(point_text(false, false).as_bytes())
            .expect("a point");
        let seed = adjoint.default_seed(&point)?;
        adjoint.gradient(&point, &seed)
    };
    let found = gradient(&make(&["o", "x"], &["w", "y", "o"])).expect("y is left");
    assert_eq!(reals(&found.gradient, "x"), [4.0]);
    for (independents, dependents, name) in [
        (["x", "v"], ["w", "o"], "w, o"),
        (["o", "o"], ["w", "y"], "o"),
    ] {
        let nothing = make(
            &independents[..if name == "o" { 1 } else { 2 }],
            &dependents,
        );
        let text = point_text(false, false);
        let read = |p: &Primal| p.read_point(text.as_bytes());
        let options = Options::default();
        let (program, f) = &nothing;
        let mut refused = vec![gradient(&nothing).expect_err("nothing is left")];
        for mode in [Some(Mode::Adjoint), Some(Mode::Tangent), None] {
            refused.push(jacobian(&flat(program), *f, &options, read, mode).expect_err("nothing"));
        }
        let tolerances = Tolerances::default();
        refused.push(check(&flat(program), *f, &options, read, tolerances).expect_err("nothing"));
        for refused in refused {
            let text = refused.to_string();
            let part = format!("POINT leaves out {name}");
            assert!(text.contains("P418") && text.contains(&part), "{text}");
        }
    }
}

/// An array of one element counts as a scalar, whatever its rank and type.
#[test]
fn one_element_needs_no_seed() {
    for (rank, ty) in [(0, Real), (1, Real), (2, Real), (3, Real32), (1, Real32)] {
        let mut f = RoutineBuilder::new("f");
        let x = f.input("x", ty);
        let y = f.output("y", ty.array(vec![1; rank]));
        f.independents([x]).dependents([y]);
        f.assign(y, x * x);
        let (program, f) = finish(f);
        let mut adjoint =
            Adjoint::new(&flat(&program), f, &Options::default()).expect("it has an adjoint");
        let point = adjoint.read_point(br#"{"x": 3}"#).expect("a point");
        let seed = adjoint.default_seed(&point).expect("one element");
        let found = adjoint.gradient(&point, &seed).expect("it runs");
        assert_eq!(reals(&found.gradient, "x"), [6.0], "{rank} {ty:?}");
    }
}

/// Cells that two independents share have no derivative of their own: derivatives are refused, runs are not.
#[test]
fn independents_that_share_cells_are_refused() {
    for (names, refused) in [
        (&["ga", "gb"][..], true),
        (&["gb", "x", "gc"], true),
        (&["x", "gc", "ga"], true),
        (&["gb", "x"], false),
        (&["ga", "v"], false),
    ] {
        let (program, f) = program(There::Never, There::Never, names, &["y", "ga", "gb"]);
        let options = Options::default();
        let text = point_text(false, false);
        let read = |p: &Primal| p.read_point(text.as_bytes());
        let mut primal = Primal::new(&flat(&program), f, &options).expect("it can be run");
        let point: Point = read(&primal).expect("a point");
        primal.run(&point).expect("it runs");
        let tolerances = Tolerances::default();
        let all = [
            Adjoint::new(&flat(&program), f, &options).err(),
            Tangent::new(&flat(&program), f, &options).err(),
            jacobian(&flat(&program), f, &options, read, None).err(),
            compressed_jacobian(&flat(&program), f, &options, read, None).err(),
            check(&flat(&program), f, &options, read, tolerances).err(),
        ];
        for found in all {
            let text = found.map_or(String::new(), |d| d.to_string());
            assert_eq!(text.contains("R311"), refused, "{names:?}: {text}");
            assert_eq!(text.is_empty(), !refused, "{names:?}: {text}");
        }
    }
}

/// A POINT cannot set derivatives of globals.
#[test]
fn generated_globals_cannot_be_given() {
    let (program, f) = program(There::Never, There::Never, &["x", "ga"], &["y", "gb"]);
    let adjoint = Adjoint::new(&flat(&program), f, &Options::default()).expect("it has an adjoint");
    let tangent = Tangent::new(&flat(&program), f, &Options::default()).expect("it has a tangent");
    for (name, found) in [
        (
            "ga_b",
            adjoint.read_point(br#"{"x": 2, "v": [4, -1], "ga_b": [1, 1, 1]}"#),
        ),
        (
            "gb_t",
            tangent.read_point(br#"{"x": 2, "v": [4, -1], "gb_t": [1, 1]}"#),
        ),
    ] {
        let refused = found.expect_err("it is generated").to_string();
        assert!(
            refused.contains("P412") && refused.contains(name),
            "{refused}"
        );
        let help = refused.split("help").nth(1).expect("a help");
        assert!(!help.contains(name), "{refused}");
    }
}

/// Arrays without elements, such as those of null pointers, do not count as dependents for the default seed; two with
/// elements need a seed.
#[test]
fn arrays_without_elements_need_no_seed() {
    let text = "main subroutine f(in real x, inout real u[:], out real y, inout real v[:])
  independent x
  dependent u, y, v
  y := x*x
  if size(u, 1) > 0
    u[1] := 3.0*x
  end
  if size(v, 1) > 0
    v[1] := 5.0*x
  end
end
";
    let (program, f) = of_text(text);
    let mut adjoint =
        Adjoint::new(&flat(&program), f, &Options::default()).expect("it has an adjoint");
    for (point, expected) in [
        (r#"{"x": 2, "u": [], "v": []}"#, Ok(4.0)),
        (r#"{"x": 2, "u": [1], "v": []}"#, Err("dependents u, y are")),
        (
            r#"{"x": 2, "u": [], "v": [1, 2]}"#,
            Err("dependents y, v are"),
        ),
    ] {
        let there = adjoint.read_point(point.as_bytes()).expect("a point");
        match (adjoint.default_seed(&there), expected) {
            (Ok(seed), Ok(derivative)) => {
                let found = adjoint.gradient(&there, &seed).expect("it runs");
                assert_eq!(reals(&found.gradient, "x"), [derivative], "{point}");
            }
            (Err(problems), Err(part)) => {
                let text = problems.to_string();
                let is_told = text.contains("P417") && text.contains(part);
                assert!(is_told && text.contains("--dependent NAME"), "{text}");
            }
            (found, _) => panic!("{point}: {found:?}"),
        }
    }
}
