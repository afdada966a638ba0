//! Globals that only callees name: derivatives are right for every shape of the call graph, and the sweeps of a
//! routine name as few globals as possible.

use crate::adjoint::agrees_smoothly;
use cfg_core::{
    builder::{ProgramBuilder, RoutineBuilder, expr::*},
    entity::{GlobalId, RoutineId, VarId},
    ir::{
        Expr, Overlay, Place, Program, Role, Routine,
        ScalarType::{Integer, Real},
        StmtKind,
    },
    validate,
};
use cfg_format::json;
use cfg_reverse::{Blocks, Inside, Options, reverse, tangent};
use cfg_testkit::flat;
use cfg_testkit::{
    case::{Case, Datum, Elements},
    growth::{FAMILIES, Family},
    rng::Rng,
};
use std::collections::BTreeSet;

/// How globals and calls are spread over the routines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spread {
    /// Each routine names a third of the globals and calls any routine, itself included. Mutual callers use the same
    /// globals, so most routines use nearly all.
    Anyhow,
    /// Some routines name one or two globals and call nothing; others name hardly any and call those that come before
    /// them. Two callees have different names for the same cells, and their caller has neither name.
    Layers,
}

struct Generator {
    spread: Spread,
    rng: Rng,
    program: ProgramBuilder,
    globals: Vec<GlobalId>,
    routines: Vec<RoutineId>,
    /// Number of routines, the first ones, that call nothing.
    leaves: usize,
    /// Routines that may overlap their arguments, and globals.
    aliased: Vec<RoutineId>,
    /// The routines that the present one may call.
    callable: Vec<RoutineId>,
    /// The present routine; none is the main one.
    own: Option<RoutineId>,
    /// Arrays of the present routine that are assigned as a whole.
    wholes: Vec<VarId>,
}

/// Globals, numbers and arrays, two of which are parts of a third.
fn globals(spread: Spread, program: &mut ProgramBuilder, rng: &mut Rng) -> Vec<GlobalId> {
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
    if spread == Spread::Layers {
        // These overlap in part.
        let base = program.global("four", Real.array([4]));
        program.initialize(base, [0.2, 0.5, 0.6, 0.4]);
        all.push(base);
        for n in 1..4 {
            let name = ["one", "two", "three"][n - 1];
            let g = match n {
                1 => program.global(name, Real),
                _ => program.global(name, Real.array([n as i64])),
            };
            let offset = rng.below(5 - n) as i64;
            program.overlay(g, Overlay { base, offset });
            all.push(g);
        }
    }
    all
}

impl Generator {
    /// `r(in integer n, inout real x)`, or the main routine, which has no number.
    fn routine(&mut self, name: &str, number: Option<usize>) -> RoutineBuilder {
        let main = number.is_none();
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
        let callable = match (self.spread, number) {
            (Spread::Anyhow, _) | (Spread::Layers, None) => self.routines.len(),
            (Spread::Layers, Some(k)) if k < self.leaves => 0,
            (Spread::Layers, Some(k)) => k + 1,
        };
        self.callable = self.routines[..callable].to_vec();
        self.own = number.map(|k| self.routines[k]);
        self.wholes.clear();
        let mut places: Vec<Place> = vec![x.into()];
        if self.rng.below(3) == 0 {
            // Hides a global.
            let v = f.local("g0", Real);
            f.assign(v, 0.5 * x);
            places.push(v.into());
        }
        let hides = places.len() > 1;
        for k in self.named(callable == 0) {
            if !(k == 0 && hides) {
                let g = f.global(self.program.program(), self.globals[k]);
                let size = self.program.program().global(self.globals[k]);
                let size = size.variable.constant_size().unwrap_or(1);
                places.push(match f.get(g).map(|v| v.rank()) {
                    Some(1) => {
                        self.wholes.push(g);
                        g.at(self.rng.between(1, size))
                    }
                    _ => g.into(),
                });
            }
        }
        if let Some(k) = number
            && self.rng.below(6) == 0
        {
            f.aliased();
            self.aliased.push(self.routines[k]);
        }
        let i = f.local("i", Integer);
        if self.spread == Spread::Layers && callable > 0 {
            self.call(&mut f, (n, x), &places);
            self.call(&mut f, (n, x), &places);
        }
        self.statements(&mut f, (n, x, i), &places, 2);
        f
    }

    /// Positions of the globals that a routine names, in ascending order.
    fn named(&mut self, is_leaf: bool) -> Vec<usize> {
        let count = self.globals.len();
        match self.spread {
            Spread::Anyhow => (0..count).filter(|_| self.rng.below(3) == 0).collect(),
            Spread::Layers if is_leaf => {
                // Seven of them share cells, and are the last.
                let any = |rng: &mut Rng| match rng.below(4) {
                    0 => rng.below(count),
                    _ => count - 1 - rng.below(7),
                };
                let number = 1 + self.rng.below(2);
                let named: BTreeSet<usize> = (0..number).map(|_| any(&mut self.rng)).collect();
                named.into_iter().collect()
            }
            Spread::Layers => (0..count).filter(|_| self.rng.below(16) == 0).collect(),
        }
    }

    /// A call of a routine that ends: one that comes before, or any as long as the number is positive.
    fn call(&mut self, f: &mut RoutineBuilder, (n, x): (VarId, VarId), places: &[Place]) {
        let callee = self.callable[self.rng.below(self.callable.len())];
        let mut argument: Place = x.into();
        if self.spread == Spread::Layers
            && self.aliased.contains(&callee)
            && self.routines[..self.leaves].contains(&callee)
        {
            argument = places[self.rng.below(places.len())].clone();
        }
        let guarded = self.spread == Spread::Anyhow || self.own == Some(callee);
        if guarded {
            f.begin_if(gt(n, 0));
        }
        f.call::<Expr>(callee, [n - 1, Expr::Place(argument)]);
        if guarded {
            f.end_if();
        }
    }

    fn statements(
        &mut self,
        f: &mut RoutineBuilder,
        (n, x, i): (VarId, VarId, VarId),
        places: &[Place],
        depth: usize,
    ) {
        for _ in 0..2 + self.rng.below(3) {
            let calls = !self.callable.is_empty();
            match self.rng.below(8) {
                0 | 1 if calls => self.call(f, (n, x), places),
                6 | 7 if calls && self.spread == Spread::Layers => self.call(f, (n, x), places),
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
                4 if self.spread == Spread::Layers && !self.wholes.is_empty() => {
                    let whole = self.wholes[self.rng.below(self.wholes.len())];
                    f.assign(whole, 0.5 * sin(x));
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

fn case(spread: Spread, seed: u64) -> Case {
    let mut rng = Rng::new(seed);
    let mut program = ProgramBuilder::new();
    let globals = globals(spread, &mut program, &mut rng);
    let (leaves, others) = match spread {
        Spread::Anyhow => (0, 2 + rng.below(4)),
        Spread::Layers => (3 + rng.below(2), 1 + rng.below(3)),
    };
    let routines: Vec<RoutineId> = (0..leaves + others)
        .map(|k| program.declare(format!("r{k}")))
        .collect();
    let mut all = Generator {
        spread,
        rng,
        program,
        globals,
        routines: routines.clone(),
        leaves,
        aliased: Vec::new(),
        callable: Vec::new(),
        own: None,
        wholes: Vec::new(),
    };
    for (k, &r) in routines.iter().enumerate() {
        let f = all.routine(&format!("r{k}"), Some(k));
        all.program.define(r, f);
    }
    let f = all.routine("f", None);
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

fn globals_of(routine: &Routine) -> BTreeSet<GlobalId> {
    let named = routine.variables.iter().filter_map(|v| match v.role {
        Role::Global(g) => Some(g),
        _ => None,
    });
    named.collect()
}

/// True if some routine calls two others that use the same cells, each by a name that only it, or what it calls, has.
fn has_names_of_callees_only(program: &Program) -> bool {
    let own: Vec<BTreeSet<GlobalId>> = program.routines.iter().map(globals_of).collect();
    let callees: Vec<BTreeSet<RoutineId>> = (program.routines.iter())
        .map(|r| r.statements().filter_map(|s| s.kind.callee()).collect())
        .collect();
    let mut used = own.clone();
    for _ in 0..used.len() {
        for (k, callees) in callees.iter().enumerate() {
            for callee in callees {
                let more = used[callee.index()].clone();
                used[k].extend(more);
            }
        }
    }
    let meet = |a: GlobalId, b: GlobalId| match (program.cells(a), program.cells(b)) {
        (Some((a, these)), Some((b, those))) => {
            a == b && these.start < those.end && those.start < these.end
        }
        _ => false,
    };
    let only = |own: &BTreeSet<GlobalId>, a: RoutineId, b: RoutineId| -> Vec<GlobalId> {
        let (these, those) = (&used[a.index()], &used[b.index()]);
        let mut found: Vec<GlobalId> = these.difference(those).copied().collect();
        found.retain(|g| !own.contains(g));
        found
    };
    let differ = |own: &BTreeSet<GlobalId>, a: RoutineId, b: RoutineId| {
        let (ours, theirs) = (only(own, a, b), only(own, b, a));
        (ours.iter()).any(|&g| theirs.iter().any(|&h| meet(g, h)))
    };
    (own.iter().zip(&callees))
        .any(|(own, callees)| (callees.iter()).any(|&a| callees.iter().any(|&b| differ(own, a, b))))
}

/// Compares derivatives; the number of globals that sweeps name and their routines do not, and of programs with cells that callees have by
/// names of their own.
fn compare(spread: Spread, cases: u64) -> [u64; 2] {
    let mut found = [0; 2];
    for seed in 0..cases {
        let case = case(spread, seed);
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
            panic!("{spread:?}, seed {seed}: {problem}\n{}", case.program);
        }
        found[1] += u64::from(has_names_of_callees_only(&case.program));
        let valid = validate::validate(case.program).expect("it is valid");
        let made = reverse(&flat(&valid), case.main, &options).expect("it can be reversed");
        found[0] += named_by_sweeps_only(&made.program, &made.sweeps) as u64;
    }
    found
}

fn cases() -> u64 {
    let cases = std::env::var("CFGREV_CASES").ok();
    cases.and_then(|n| n.parse().ok()).unwrap_or(400)
}

#[test]
fn derivatives_are_right() {
    let [named, _] = compare(Spread::Anyhow, cases());
    assert!(named > cases() / 4, "{named}: too few are saved by callers");
}

/// Derivatives are right where one callee needs a global by one name, another one overwrites it by another, and their caller names neither.
#[test]
fn derivatives_are_right_where_callees_have_names_of_their_own() {
    let [named, different] = compare(Spread::Layers, cases());
    assert!(
        named > cases() / 4 && different > cases() / 2,
        "{named} are saved by callers, {different} have names of their own"
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
        let made = reverse(&flat(&valid), case.main, &options).expect("it can be reversed");
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
    let adjoint = reverse(&flat(&program), main, &options).expect("it can be reversed");
    let tangent = tangent(&flat(&program), main).expect("it has a tangent");
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

/// No needed value is overwritten, so no sweep names a global that only other routines use.
#[test]
fn routines_of_a_chain_name_one_global_each() {
    let chain = (FAMILIES.iter()).find(|f| f.name.starts_with("chain of"));
    let program = (chain.expect("it is there").program)(20);
    let main = program.find_routine("f").expect("it is there");
    let made = reverse(&flat(&program), main, &Options::default()).expect("it can be reversed");
    assert_eq!(made.sweeps.len(), 21);
    assert_eq!(named_by_sweeps_only(&made.program, &made.sweeps), 0);
}
