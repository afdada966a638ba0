//! Loops that an adjoint of 0 makes idle: derivatives are the same with and without the tests that skip them.

use crate::run::{Named, filled, point, run, valid};
use cfg_core::{
    entity::RoutineId,
    ir::{Intent, NameRole, Program},
    validate::ValidProgram,
};
use cfg_reverse::{Options, reverse, skip_idle_loops, tangent};
use cfg_testkit::{
    case::{Case, Datum, Elements},
    generate::Options as Generate,
    property,
    rng::Rng,
};
use std::{
    fmt::Write,
    sync::atomic::{AtomicU64, Ordering},
};

/// The number of branches of all routines.
fn branches(program: &Program) -> u64 {
    let graphs = program.routines.iter().filter_map(|r| r.body.as_ref());
    let vertices = graphs.flat_map(|cfg| cfg.vertices());
    vertices
        .filter(|(_, v)| v.kind.selector().is_some())
        .count() as u64
}

/// The arguments of a derivative at a point: derivatives are small whole numbers.
pub(crate) fn arguments(
    case: &Case,
    program: &ValidProgram,
    r: RoutineId,
) -> Result<Named, String> {
    let mut given = point(case);
    let original = valid(case.program.clone())?;
    let results = run(&original, case.main, &given)?;
    let routine = program.routine(r);
    for (k, p) in routine.parameter_ids().enumerate() {
        let variable = routine.variable(p);
        let role = variable.origin.as_ref().map(|origin| &origin.role);
        if matches!(role, Some(NameRole::Adjoint | NameRole::Tangent)) {
            let base = variable.name.trim_end_matches("_t").trim_end_matches("_b");
            if let Some(like) = results.get(base) {
                let made = filled(like, |i| ((k * 5 + i * 3) % 4) as f64 - 1.0);
                given.insert(variable.name.clone(), made);
            }
        }
        if variable.intent() == Some(Intent::Out) {
            given.remove(&variable.name);
        }
    }
    Ok(given)
}

/// Fails if a routine has other results where idle loops are skipped; counts the tests.
fn same(case: &Case, program: Program, r: RoutineId, tests: &AtomicU64) -> Result<(), String> {
    let before = branches(&program);
    let skipping = skip_idle_loops(program.clone());
    let made = branches(&skipping) - before;
    if made == 0 {
        return Ok(());
    }
    let skipping = valid(skipping).map_err(|d| format!("invalid {d}"))?;
    // A loop that is skipped is not visited, so vertices are not compared.
    let mut unnamed = skipping.program().clone();
    let graphs = unnamed.routines.iter_mut().filter_map(|r| r.body.as_mut());
    for vertex in graphs.flat_map(|cfg| cfg.vertices_mut()) {
        vertex.origin = None;
    }
    let stacks = tape_check::check_program(&valid(unnamed)?).problems;
    if !stacks.is_empty() {
        return Err(format!("stacks {stacks}"));
    }
    let program = valid(program)?;
    let given = arguments(case, &program, r)?;
    let Ok(expected) = run(&program, r, &given) else {
        // Names of arguments may be other ones than those that the test gives.
        return Ok(());
    };
    let found = run(&skipping, r, &given).map_err(|e| format!("run {e}"))?;
    for (name, value) in &expected {
        let (Some(x), Some(y)) = (value.to_f64s(), found[name].to_f64s()) else {
            continue;
        };
        for (x, y) in x.iter().zip(&y) {
            if !x.is_nan() && x != y {
                return Err(format!("differs {name}: {x} without tests, {y} with them"));
            }
        }
    }
    tests.fetch_add(made, Ordering::Relaxed);
    Ok(())
}

/// The gradient, and its tangent.
fn both_orders(case: &Case, tests: &[AtomicU64; 2]) -> Result<(), String> {
    let flat = valid(case.program.clone())?;
    let Ok(first) = reverse(&flat, case.main, &Options::default()) else {
        return Ok(());
    };
    same(case, first.program.clone(), first.gradient, &tests[0])?;
    let Ok(second) = tangent(&valid(first.program)?, first.gradient) else {
        return Ok(());
    };
    same(case, second.program, second.tangent, &tests[1])
}

#[test]
fn random_programs_have_the_same_derivatives() {
    for (options, seeds) in [
        (Generate::EXACT, 88_000..89_000),
        (Generate::WIDE, 90_000..91_000),
    ] {
        let tests = [AtomicU64::new(0), AtomicU64::new(0)];
        property::check(&options, seeds, |case| both_orders(case, &tests));
        println!("tests: {tests:?}");
    }
}

const SCALARS: [&str; 5] = ["s", "t", "u", "best", "y"];
const INDICES: [&str; 4] = ["i", "j", "k", "l"];

/// A writer of functions in which sums of loops count in some branches only.
struct Writer {
    rng: Rng,
    text: String,
    /// The number of open loops.
    loops: usize,
}

impl Writer {
    fn any<'a>(&mut self, items: &[&'a str]) -> &'a str {
        items[self.rng.below(items.len())]
    }

    fn index(&mut self) -> &'static str {
        match self.loops {
            0 => "2",
            n => self.any(&INDICES[..n]),
        }
    }

    fn factor(&mut self) -> String {
        let (i, j) = (self.index(), self.index());
        match self.rng.below(7) {
            0 => format!("x[{i}]"),
            1 => format!("c[{i}, {j}]"),
            2 => format!("w[{i}]"),
            3 => format!("cos(x[{i}])"),
            4 => "0.5".to_owned(),
            _ => self.any(&SCALARS).to_owned(),
        }
    }

    fn value(&mut self) -> String {
        let (a, b) = (self.factor(), self.factor());
        match self.rng.below(4) {
            0 => a,
            1 => format!("0.5*{a} - 0.25*{b}"),
            _ => format!("0.5*{a}*{b}"),
        }
    }

    fn parts(&mut self, depth: usize) {
        for _ in 0..1 + self.rng.below(4) {
            self.part(depth);
        }
    }

    fn part(&mut self, depth: usize) {
        let (s, t) = (self.any(&SCALARS), self.any(&SCALARS));
        let (i, value) = (self.index(), self.value());
        let line = match self.rng.below(if depth < 4 { 10 } else { 6 }) {
            0 => format!("{s} := 0.0"),
            1 => format!("{s} := {value}"),
            2 | 3 => format!("{s} := {s} + {value}"),
            4 => format!("w[{i}] := {value}"),
            5 => format!("w[{i}] := w[{i}] + {value}"),
            6 | 7 => {
                let test = match self.rng.below(3) {
                    0 => format!("{s} < {t}"),
                    1 => format!("x[{i}] > 0.0"),
                    _ => format!("{i} < 3"),
                };
                let _ = writeln!(self.text, "if {test}");
                self.parts(depth + 1);
                if self.rng.percent(30) {
                    self.text.push_str("else\n");
                    self.parts(depth + 1);
                }
                "end".to_owned()
            }
            _ if self.loops < INDICES.len() => {
                let _ = writeln!(self.text, "{s} := 0.0");
                let _ = writeln!(self.text, "for {} = 1, n", INDICES[self.loops]);
                self.loops += 1;
                self.parts(depth + 1);
                self.loops -= 1;
                format!("end\nif {i} < 3\ny := y + {s}\nend")
            }
            _ => format!("y := y + {s}"),
        };
        let _ = writeln!(self.text, "{line}");
    }
}

/// A function with sums, at a point.
fn sums(seed: u64) -> Case {
    let mut writer = Writer {
        rng: Rng::new(seed),
        text: String::new(),
        loops: 0,
    };
    writer.parts(0);
    writer.parts(0);
    let text = format!(
        "function f(in integer n, in real x[n], in real c[n, n]) result real y
           local integer i
           local integer j
           local integer k
           local integer l
           local real s
           local real t
           local real u
           local real best
           local real w[n]
           independent x, c
           dependent y
           s := 0.5
           t := -0.5
           u := 0.25
           best := 1.0
           y := 0.0
           w := x
           {}
         end",
        writer.text
    );
    let parsed = cfg_format::text::parse(&text);
    let problems = parsed.problems;
    let program = parsed
        .program
        .unwrap_or_else(|| panic!("{text}\n{problems}"));
    let mut reals = |extents: &[usize]| Datum {
        extents: extents.to_vec(),
        elements: Elements::Real(
            (0..extents.iter().product())
                .map(|_| writer.rng.coarse())
                .collect(),
        ),
    };
    let values = [reals(&[4]), reals(&[4, 4])];
    let n = Datum {
        extents: Vec::new(),
        elements: Elements::Integer(vec![4]),
    };
    let parameters: Vec<_> = program.routines[0].parameter_ids().collect();
    Case {
        main: RoutineId::new(0),
        point: parameters
            .into_iter()
            .zip([n].into_iter().chain(values))
            .collect(),
        direction: Vec::new(),
        seed: Vec::new(),
        program,
    }
}

#[test]
fn sums_that_count_in_some_branches_have_the_same_derivatives() {
    let tests = [AtomicU64::new(0), AtomicU64::new(0)];
    let cases = property::cases(300);
    for seed in 0..cases {
        let case = sums(seed);
        both_orders(&case, &tests).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{}", case.program));
    }
    println!("tests: {tests:?}");
    let found = tests.map(AtomicU64::into_inner);
    assert!(found.iter().all(|&n| n > cases / 8), "{found:?}");
}
