//! Globals that routines leave to the routines that they call: derivatives stay right, whatever calls
//! whatever, and each routine names only what it must.

use crate::adjoint::agrees_smoothly;
use cfg_core::{
    builder::{ProgramBuilder, RoutineBuilder, expr::*},
    entity::{GlobalId, RoutineId, VarId},
    ir::{
        Expr, Overlay, Program, Role,
        ScalarType::{Integer, Real},
        StmtKind,
    },
    json, validate,
};
use cfg_reverse::{Blocks, Inside, Options, reverse, tangent};
use cfg_testkit::{
    case::{Case, Datum, Elements},
    growth::{FAMILIES, Family},
    rng::Rng,
};

struct Generator {
    rng: Rng,
    program: ProgramBuilder,
    globals: Vec<GlobalId>,
    routines: Vec<RoutineId>,
}

/// Globals, numbers and arrays, two of which are parts of a third.
fn globals(program: &mut ProgramBuilder, rng: &mut Rng) -> Vec<GlobalId> {
    let mut all = Vec::new();
    for k in 0..2 + rng.below(4) {
        let name = format!("g{k}");
        let g = if rng.below(2) == 0 {
            let g = program.global(name, Real);
            program.initialize(g, [0.3 + 0.1 * k as f64]);
            g
        } else {
            let g = program.global(name, Real.array([2]));
            program.initialize(g, [0.3 + 0.1 * k as f64, 0.9 - 0.1 * k as f64]);
            g
        };
        all.push(g);
    }
    let base = program.global("both", Real.array([2]));
    program.initialize(base, [0.7, 0.8]);
    all.push(base);
    for offset in 0..2 {
        let g = program.global(format!("part{offset}"), Real);
        program.overlay(g, Overlay { base, offset });
        all.push(g);
    }
    all
}

impl Generator {
    /// `r(in integer n, inout real x)`, or the main routine.
    fn routine(&mut self, name: &str, main: bool) -> RoutineBuilder {
        let mut f = RoutineBuilder::new(name);
        let n = f.input("n", Integer);
        let x = match main {
            false => f.inout("x", Real),
            true => {
                let x = f.input("x", Real);
                let y = f.inout("y", Real);
                f.independents([x, y]).dependents([y]);
                f.assign(y, y + x);
                y
            }
        };
        let mut places: Vec<cfg_core::ir::Place> = vec![x.into()];
        if self.rng.below(3) == 0 {
            // Hides a global.
            let v = f.local("g0", Real);
            f.assign(v, 0.5 * x);
            places.push(v.into());
        }
        for k in 0..self.globals.len() {
            if self.rng.below(3) == 0 && !(k == 0 && places.len() > 1) {
                let g = f.global(self.program.program(), self.globals[k]);
                places.push(match f.get(g).map(|v| v.rank()) {
                    Some(1) => g.at(1 + self.rng.below(2) as i64),
                    _ => g.into(),
                });
            }
        }
        if !main && self.rng.below(6) == 0 {
            f.aliased();
        }
        let i = f.local("i", Integer);
        self.statements(&mut f, (n, x, i), &places, 2);
        f
    }

    fn statements(
        &mut self,
        f: &mut RoutineBuilder,
        (n, x, i): (VarId, VarId, VarId),
        places: &[cfg_core::ir::Place],
        depth: usize,
    ) {
        for _ in 0..2 + self.rng.below(3) {
            match self.rng.below(8) {
                0 | 1 => {
                    let callee = self.routines[self.rng.below(self.routines.len())];
                    f.begin_if(gt(n, 0));
                    f.call::<Expr>(callee, [n - 1, x.into()]);
                    f.end_if();
                }
                2 if depth == 2 => {
                    f.begin_for(i, 1, 2, 1);
                    self.statements(f, (n, x, i), places, 1);
                    f.end_loop();
                }
                3 if depth > 0 => {
                    f.begin_if(lt(x, 0.9));
                    self.statements(f, (n, x, i), places, 0);
                    f.begin_else();
                    self.statements(f, (n, x, i), places, 0);
                    f.end_if();
                }
                _ => {
                    let mut any = || places[self.rng.below(places.len())].clone();
                    let (target, a, b) = (any(), any(), any());
                    f.assign(target, sin(a * b.clone()) + 0.5 * b);
                }
            }
        }
    }
}

fn case(seed: u64) -> Case {
    let mut rng = Rng::new(seed);
    let mut program = ProgramBuilder::new();
    let globals = globals(&mut program, &mut rng);
    let routines: Vec<RoutineId> = (0..2 + rng.below(4))
        .map(|k| program.declare(format!("r{k}")))
        .collect();
    let mut all = Generator {
        rng,
        program,
        globals,
        routines: routines.clone(),
    };
    for (k, &r) in routines.iter().enumerate() {
        let f = all.routine(&format!("r{k}"), false);
        all.program.define(r, f);
    }
    let f = all.routine("f", true);
    let main = all.program.add(f);
    let program = all.program.finish().expect("the generator is right");
    let scalar = |elements| Datum {
        extents: Vec::new(),
        elements,
    };
    let v = VarId::new;
    Case {
        program: program.into_program(),
        main,
        point: vec![
            (v(0), scalar(Elements::Integer(vec![3]))),
            (v(1), scalar(Elements::Real(vec![0.6]))),
            (v(2), scalar(Elements::Real(vec![0.4]))),
        ],
        direction: vec![(v(1), vec![1.0]), (v(2), vec![-0.5])],
        seed: vec![(v(2), vec![1.0])],
    }
}

/// Globals that the sweeps of a routine name and it does not.
fn named_by_sweeps_only(program: &Program, of: &[(RoutineId, RoutineId, RoutineId)]) -> usize {
    let globals = |r: RoutineId| {
        let all = program.routine(r).variables.iter();
        all.filter_map(|v| match v.role {
            Role::Global(g) => Some(g),
            _ => None,
        })
        .collect::<Vec<_>>()
    };
    let only = |&(original, forward, _): &(RoutineId, RoutineId, RoutineId)| {
        let own = globals(original);
        let theirs = globals(forward).into_iter();
        theirs.filter(|g| !own.contains(g)).count()
    };
    of.iter().map(only).sum()
}

#[test]
fn derivatives_are_right() {
    let cases = std::env::var("CFGREV_CASES").ok();
    let cases = cases.and_then(|n| n.parse().ok()).unwrap_or(400);
    let mut named = 0;
    for seed in 0..cases {
        let case = case(seed);
        let blocks = [Blocks::Statement, Blocks::Preaccumulate, Blocks::Auto];
        let options = Options {
            counters: seed % 2 == 0,
            merge: seed % 5 == 0,
            blocks: blocks[seed as usize % 3],
            work: 1000,
            inside: [Inside::Nothing, Inside::Arrays][seed as usize / 2 % 2],
            ..Options::default()
        };
        if let Err(problem) = agrees_smoothly(&case, &options) {
            panic!("seed {seed}: {problem}\n{}", case.program);
        }
        let valid = validate::validate(case.program).expect("it is valid");
        let made = reverse(&valid, case.main, &options).expect("it can be reversed");
        named += named_by_sweeps_only(&made.program, &made.sweeps);
    }
    assert!(
        named as u64 > cases / 4,
        "{named}: too few are saved by callers"
    );
}

/// `f` needs a global array behind a call of `middle`, which does not name it; `inner` writes it, and so does `reset`, whose results nobody
/// wants.
fn handed_on() -> Case {
    let mut program = ProgramBuilder::new();
    let g = program.global("g", Real.array([3]));
    program.initialize(g, [0.3, 0.4, 0.5]);
    let mut f = RoutineBuilder::new("inner");
    let x = f.input("x", Real);
    let v = f.global(program.program(), g);
    f.assign(v.at(1), sin(x) + v.at(2));
    let inner = program.add(f);
    let mut f = RoutineBuilder::new("middle");
    let x = f.input("x", Real);
    f.call::<Expr>(inner, [x.into()]);
    let middle = program.add(f);
    let mut f = RoutineBuilder::new("reset");
    let v = f.global(program.program(), g);
    f.assign(v.at(1), 0.0);
    f.assign(v.at(2), 0.0);
    let reset = program.add(f);
    let mut f = RoutineBuilder::new("f");
    let x = f.input("x", Real);
    let y = f.inout("y", Real);
    let v = f.global(program.program(), g);
    f.independents([x, y]).dependents([y]);
    f.assign(v.at(1), x * x);
    f.assign(v.at(2), y * x);
    f.assign(y, y * v.at(1) * v.at(1));
    f.call::<Expr>(middle, [x.into()]);
    f.assign(y, y + v.at(1) * v.at(2) * v.at(2));
    f.call::<Expr>(reset, []);
    f.assign(v, 0.25);
    let main = program.add(f);
    let program = program.finish().expect("it is right").into_program();
    let scalar = |value| Datum {
        extents: Vec::new(),
        elements: Elements::Real(vec![value]),
    };
    let v = VarId::new;
    Case {
        program,
        main,
        point: vec![(v(0), scalar(0.6)), (v(1), scalar(0.4))],
        direction: vec![(v(0), vec![1.0]), (v(1), vec![-0.5])],
        seed: vec![(v(1), vec![1.0])],
    }
}

#[test]
fn callees_record_what_their_callers_need() {
    let case = handed_on();
    // Two calls push the whole array, or four assignments what they overwrite.
    for (inside, pushes) in [(Inside::Nothing, [2, 0]), (Inside::Arrays, [1, 3])] {
        let options = Options {
            inside,
            ..Options::default()
        };
        agrees_smoothly(&case, &options).expect("it is right");
        let valid = validate::validate(case.program.clone()).expect("it is valid");
        let made = reverse(&valid, case.main, &options).expect("it can be reversed");
        let mut found = [0; 2];
        for &(_, forward, _) in &made.sweeps {
            let routine = made.program.routine(forward);
            let graph = routine.body.iter().flat_map(|cfg| cfg.vertices());
            for statement in graph.flat_map(|(_, v)| v.statements()) {
                if let StmtKind::Push {
                    value: Expr::Place(place),
                    ..
                } = &statement.kind
                    && routine.variable(place.var).rank() > 0
                {
                    found[usize::from(!place.subscripts.is_empty())] += 1;
                }
            }
        }
        assert_eq!(found, pushes, "{inside:?}");
    }
}

/// Bytes of the adjoint and of the tangent program.
fn sizes(family: &Family, n: usize) -> [usize; 2] {
    let program = (family.program)(n);
    let main = program.find_routine("f").expect("it is there");
    let options = Options {
        blocks: if family.auto {
            Blocks::Auto
        } else {
            Blocks::Statement
        },
        work: 1000,
        ..Options::default()
    };
    let adjoint = reverse(&program, main, &options).expect("it can be reversed");
    let tangent = tangent(&program, main).expect("it has a tangent");
    [adjoint.program, tangent.program].map(|program| {
        let mut text = Vec::new();
        json::write(&program, &mut text).expect("memory takes everything");
        text.len()
    })
}

#[test]
fn programs_of_twice_the_size_give_twice_the_output() {
    for family in &FAMILIES {
        let (one, two) = (sizes(family, 128), sizes(family, 256));
        for (one, two) in one.into_iter().zip(two) {
            let name = family.name;
            assert!(10 * two < 22 * one, "{name}: {two} bytes after {one}");
        }
    }
}

/// Nothing is overwritten that is needed, so nobody names what only the others use.
#[test]
fn routines_of_a_chain_name_one_global_each() {
    let chain = (FAMILIES.iter()).find(|f| f.name.starts_with("chain of"));
    let program = (chain.expect("it is there").program)(20);
    let main = program.find_routine("f").expect("it is there");
    let made = reverse(&program, main, &Options::default()).expect("it can be reversed");
    assert_eq!(made.sweeps.len(), 21);
    assert_eq!(named_by_sweeps_only(&made.program, &made.sweeps), 0);
}
