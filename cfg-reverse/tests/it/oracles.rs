//! The analyses, as the reversal combines them, against brute-force oracles on small programs.

use cfg_core::{
    entity::{GlobalId, VertexId},
    ir::{Cfg, Expr, Program, Routine, StmtKind, TapeClass, VertexKind},
    memory::effects::Effects,
    text,
    validate::validate,
};
use cfg_reverse::{Options, explain::explain, reverse};
use cfg_testkit::flat;
use cfg_testkit::{
    case::{Case, Datum, Elements},
    general,
    generate::{self, generate},
    interpret::Limits,
    rng::Rng,
};
use std::fmt::Write as _;

const NAMES: [&str; 4] = ["a", "b", "c", "d"];

/// An assignment to a scalar, by the numbers of the variables.
#[derive(Clone, Copy, Debug)]
enum Code {
    Product(usize, usize),
    Sum(usize, usize),
    Sine(usize),
    Copy(usize),
    Constant,
}

impl Code {
    fn operands(self) -> Vec<usize> {
        match self {
            Self::Product(x, y) | Self::Sum(x, y) => vec![x, y],
            Self::Sine(x) | Self::Copy(x) => vec![x],
            Self::Constant => Vec::new(),
        }
    }

    /// The operands whose values the adjoint reads, if these are varied.
    fn reads(self, varied: [bool; 4]) -> Vec<usize> {
        match self {
            Self::Product(x, y) => {
                let (by_x, by_y) = (varied[x].then_some(y), varied[y].then_some(x));
                by_x.into_iter().chain(by_y).collect()
            }
            Self::Sine(x) => varied[x].then_some(x).into_iter().collect(),
            Self::Sum(..) | Self::Copy(_) | Self::Constant => Vec::new(),
        }
    }

    fn text(self) -> String {
        match self {
            Self::Product(x, y) => format!("{}*{}", NAMES[x], NAMES[y]),
            Self::Sum(x, y) => format!("{} + {}", NAMES[x], NAMES[y]),
            Self::Sine(x) => format!("sin({})", NAMES[x]),
            Self::Copy(x) => NAMES[x].to_owned(),
            Self::Constant => "2.0".to_owned(),
        }
    }
}

type Line = (usize, Code);

fn random(rng: &mut Rng) -> Vec<Line> {
    let length = 1 + rng.below(10);
    let mut line = || {
        let [x, y] = [rng.below(4), rng.below(4)];
        let code = match rng.below(6) {
            0 | 1 => Code::Product(x, y),
            2 => Code::Sum(x, y),
            3 => Code::Sine(x),
            4 => Code::Copy(x),
            _ => Code::Constant,
        };
        (rng.below(4), code)
    };
    (0..length).map(|_| line()).collect()
}

/// Variables from which (to which, if turned round) values go through assignments anywhere.
fn reached(lines: &[Line], from: usize, backward: bool) -> [bool; 4] {
    let mut found = [false; 4];
    found[from] = true;
    for _ in 0..4 {
        for &(target, code) in lines {
            for operand in code.operands() {
                let (a, b) = if backward {
                    (target, operand)
                } else {
                    (operand, target)
                };
                found[b] |= found[a];
            }
        }
    }
    found
}

/// The variables that are recorded, in order: a value that is overwritten is, if the adjoint of a statement up to there that
/// has a derivative reads this very value.
fn recorded(lines: &[Line]) -> Vec<usize> {
    let (varied, useful) = (reached(lines, 0, false), reached(lines, 1, true));
    let active: [bool; 4] = std::array::from_fn(|v| varied[v] && useful[v]);
    // Callers of the sweeps pass and receive derivatives of all active parameters.
    let mut varied = vec![active];
    for &(target, code) in lines {
        let mut next = *varied.last().unwrap();
        next[target] = code.operands().iter().any(|&x| next[x]);
        varied.push(next);
    }
    let mut useful = vec![active];
    for &(target, code) in lines.iter().rev() {
        let mut next = *useful.last().unwrap();
        let was = std::mem::replace(&mut next[target], false);
        code.operands().into_iter().for_each(|x| next[x] |= was);
        useful.push(next);
    }
    useful.reverse();
    let mut found = Vec::new();
    for (s, &(overwritten, _)) in lines.iter().enumerate() {
        let is_present = |k: usize| lines[k..s].iter().all(|&(target, _)| target != overwritten);
        let needed = (0..=s).any(|k| {
            let (target, code) = lines[k];
            is_present(k) && useful[k + 1][target] && code.reads(varied[k]).contains(&overwritten)
        });
        if needed {
            found.push(overwritten);
        }
    }
    found
}

/// The variables whose values the forward sweep pushes, in order.
fn pushes(program: Program) -> Vec<usize> {
    let valid = validate(program).unwrap();
    let main = valid.main.unwrap();
    let made = reverse(&flat(&valid), main, &Options::default()).unwrap();
    let forward = made.program.routine(made.forward);
    let pushed = forward.statements().filter_map(|s| match &s.kind {
        StmtKind::Push {
            class: TapeClass::Real,
            value,
            ..
        } => {
            let name = text::expr(forward, value);
            Some(
                NAMES
                    .iter()
                    .position(|n| *n == name)
                    .expect("a variable of the program"),
            )
        }
        _ => None,
    });
    pushed.collect()
}

#[test]
fn straight_lines_record_what_some_adjoint_reads() {
    let mut rng = Rng::new(18);
    let mut counts = [0; 3];
    for _ in 0..3000 {
        let lines = random(&mut rng);
        let mut text = "main subroutine f(inout real a, inout real b, inout real c, inout real d)\n  independent a\n  dependent b\n".to_owned();
        for (target, code) in &lines {
            writeln!(text, "  {} := {}", NAMES[*target], code.text()).unwrap();
        }
        text += "end\n";
        let parsed = cfg_format::text::parse(&text);
        let program = parsed
            .program
            .unwrap_or_else(|| panic!("{}\n{text}", parsed.problems));
        let expected = recorded(&lines);
        assert_eq!(pushes(program), expected, "{text}");
        counts[expected.len().min(2)] += 1;
    }
    assert!(counts.iter().all(|&n| n > 200), "{counts:?}");
}

/// A program of which the main routine does nothing.
fn idle(case: &Case) -> Case {
    let mut case = case.clone();
    let body = case.program.routines[case.main.index()].body.take();
    let (mut vertices, mut edges) = body.expect("it has a body").into_parts();
    vertices.retain(|v| matches!(v.kind, VertexKind::Entry | VertexKind::Exit));
    edges.truncate(1);
    edges[0].from = VertexId::new(0);
    edges[0].to = VertexId::new(1);
    edges[0].label = None;
    case.program.routines[case.main.index()].body = Cfg::new(vertices, edges);
    case
}

/// The analysis of effects is sound: each variable that a run changes is reported as written, and the value of a
/// variable not reported as read makes no difference to any other.
#[test]
fn effects_are_those_of_runs() {
    let [mut changed, mut ignored, mut replaced] = [0; 3];
    for seed in 0..400 {
        let Ok(case) = generate(&generate::Options::EXACT, seed) else {
            continue;
        };
        let effects = Effects::summarise(&case.program);
        let main = case.main;
        let formals = effects.formals(main);
        let after = case.run(Limits::default()).expect("generated programs run");
        let before = idle(&case).run(Limits::default()).expect("it does nothing");
        for k in 0..after.parameters.len() {
            let same =
                format!("{:?}", after.parameters[k]) == format!("{:?}", before.parameters[k]);
            assert!(
                same || formals.written.contains(k),
                "seed {seed}, parameter {k}"
            );
            changed += usize::from(!same);
        }
        for g in 0..case.program.globals.len() {
            let id = GlobalId::new(g);
            let same = format!("{:?}", after.globals[g]) == format!("{:?}", before.globals[g]);
            assert!(
                same || effects.may_write(main, id),
                "seed {seed}, global {g}"
            );
            changed += usize::from(!same);
            let global = &case.program.globals[g];
            let overlaid = case.program.globals.iter().any(|g| g.overlay.is_some());
            if overlaid || effects.may_read(main, id) || global.initial.is_none() {
                continue;
            }
            let mut other = case.clone();
            for e in other.program.globals[g].initial.iter_mut().flatten() {
                if let Expr::Real(x) = e {
                    *x += 1.0;
                }
            }
            let found = other
                .run(Limits::default())
                .expect("nothing has changed for it");
            assert_eq!(
                format!("{:?}", found.parameters),
                format!("{:?}", after.parameters)
            );
            for h in 0..case.program.globals.len() {
                let same = format!("{:?}", found.globals[h]) == format!("{:?}", after.globals[h]);
                assert!(
                    same || h == g && !effects.surely_written(main).contains(id),
                    "seed {seed}"
                );
            }
            ignored += 1;
        }
        for (k, p) in case.routine().parameter_ids().enumerate() {
            let mut other = case.clone();
            let datum = other.point.iter_mut().find(|(v, _)| *v == p);
            let Some((
                _,
                Datum {
                    elements: Elements::Real(x),
                    ..
                },
            )) = datum
            else {
                continue;
            };
            if formals.read.contains(k) || effects.has(main) && case.routine().aliased {
                continue;
            }
            x.iter_mut().for_each(|x| *x += 1.0);
            let found = other
                .run(Limits::default())
                .expect("nothing has changed for it");
            for j in 0..found.parameters.len() {
                let same =
                    format!("{:?}", found.parameters[j]) == format!("{:?}", after.parameters[j]);
                assert!(
                    same || j == k && !formals.surely_written.contains(k),
                    "seed {seed}, parameters {k} and {j}"
                );
                replaced += usize::from(j == k && same);
            }
            assert_eq!(
                format!("{:?}", found.globals),
                format!("{:?}", after.globals),
                "seed {seed}"
            );
            ignored += 1;
        }
    }
    println!("{changed} written, {ignored} not read, {replaced} replaced");
    assert!(
        changed > 300 && ignored > 20,
        "{changed} {ignored} {replaced}"
    );
}

/// The first violation of the normal form: a subscript, of a target or of an argument that a call may write, that
/// reads a variable which the statement changes.
fn disturbs_itself(program: &Program, routine: &Routine) -> Option<String> {
    let reads = |place: &cfg_core::ir::Place, v| {
        let mut found = false;
        for e in place.subscript_exprs() {
            e.walk_places(&mut |p| found |= p.var == v);
        }
        found
    };
    let bad = |kind: &StmtKind| match kind {
        StmtKind::Assign { target, .. } => reads(target, target.var),
        StmtKind::Call {
            callee,
            arguments,
            result,
        } => {
            let called = program.routine(*callee);
            let places = arguments.iter().zip(called.parameter_ids());
            let places = places.filter_map(|(e, p)| match e {
                Some(Expr::Place(place)) => Some((place, called.variable(p).intent())),
                _ => None,
            });
            let places: Vec<_> = places.collect();
            let written = places.iter();
            let written = written.filter(|(_, intent)| intent.is_some_and(|i| i.writes()));
            let mut written = written
                .map(|(place, _)| place.var)
                .chain(result.iter().map(|r| r.var));
            written.any(|v| {
                places.iter().any(|(place, _)| reads(place, v))
                    || result.iter().any(|r| reads(r, v))
            })
        }
        _ => false,
    };
    let mut statements = routine.statements();
    let found = statements.find(|s| bad(&s.kind))?;
    Some(format!("{:?}", found.kind))
}

/// A name, and the program of a seed.
type Family<'f> = (&'f str, &'f dyn Fn(u64) -> Option<Case>);

/// The normal form of a program is a valid program that does what the original does, bit for bit, and no statement of it
/// changes where its own subscripts point to.
#[test]
fn the_normal_form_runs_as_the_original() {
    let small = |seed| generate(&generate::Options::SMALL, seed).ok();
    let wide = |seed| generate(&generate::Options::WIDE, seed).ok();
    let jumps = |seed| Some(general::generate(seed));
    let families: [Family<'_>; 3] = [("small", &small), ("wide", &wide), ("general", &jumps)];
    let [mut changed, mut same] = [0; 2];
    for (name, family) in families {
        for seed in 0..250 {
            let Some(case) = family(seed) else { continue };
            let valid = validate(case.program.clone()).expect("generated programs are valid");
            // Programs without a derivative are covered by another test.
            let Ok(plan) = explain(&flat(&valid), case.main, &Options::default()) else {
                continue;
            };
            let normal = Case {
                program: plan.program,
                ..case.clone()
            };
            for planned in &plan.routines {
                let routine = normal.program.routine(planned.routine);
                let bad = disturbs_itself(&normal.program, routine);
                assert_eq!(bad, None, "{name} {seed}, {}", routine.name);
            }
            let checked = validate(normal.program.clone());
            assert!(checked.is_ok(), "{name} {seed}: {:?}", checked.err());
            let [before, after] =
                [&case, &normal].map(|c| c.run(Limits::default()).map_err(|f| format!("{f:?}")));
            let (before, after) = match (before, after) {
                (Ok(before), Ok(after)) => (before, after),
                // A fault in both counts as agreement: its statement has another number, since statements were added.
                (Err(_), Err(_)) => continue,
                (before, after) => {
                    panic!(
                        "{name} {seed}: one ends in an error: {:?} {:?}",
                        before.err(),
                        after.err()
                    )
                }
            };
            // Behind the globals of the original stand their derivatives.
            let own = case.program.globals.len();
            let shown = |o: &cfg_testkit::interpret::Outcome<()>| {
                format!("{:?} {:?} {:?}", o.parameters, o.result, &o.globals[..own])
            };
            assert_eq!(shown(&after), shown(&before), "{name} {seed}");
            let count =
                |p: &Program| -> usize { p.routines.iter().map(|r| r.statements().count()).sum() };
            if count(&normal.program) > count(&case.program) {
                changed += 1;
            } else {
                same += 1;
            }
        }
    }
    println!("{changed} with statements added, {same} without");
    assert!(changed > 100 && same > 20, "{changed} {same}");
}
