//! Annotations of a front end come out at the matching elements of both sweeps.

use cfg_core::entity::{RoutineId, VertexId};
use cfg_core::ir::{Annotations, Cfg, Control, Program, Routine, VertexKind};
use cfg_core::validate;
use cfg_reverse::{Blocks, Options, Order, Unstructured, reverse, tangent};
use cfg_testkit::flat;
use cfg_testkit::{general, generate, generate::Options as Generate, kernels};
use std::collections::{BTreeMap, BTreeSet};

const KEY: &str = "mark";

/// The elements of a routine that have an image in each sweep, in order, with their annotations.
fn visit(routine: &mut Routine, see: &mut impl FnMut(&str, &mut Annotations)) {
    see("routine", &mut routine.annotations);
    for variable in &mut routine.variables {
        see("variable", &mut variable.annotations);
    }
    let Some((mut vertices, mut edges)) = routine.body.take().map(Cfg::into_parts) else {
        return;
    };
    for vertex in &mut vertices {
        see("vertex", &mut vertex.annotations);
    }
    for edge in &mut edges {
        see("edge", &mut edge.annotations);
    }
    routine.body = Cfg::new(vertices, edges);
}

/// For each vertex and each edge, in order, whether EXIT can be reached from it; an element from which it cannot has
/// no adjoint.
fn ends(routine: &Routine) -> (Vec<bool>, Vec<bool>) {
    let Some(cfg) = &routine.body else {
        return Default::default();
    };
    let exits = cfg
        .vertices()
        .filter(|(_, v)| matches!(v.kind, VertexKind::Exit));
    let mut open: Vec<VertexId> = exits.map(|(v, _)| v).collect();
    let mut seen = vec![false; cfg.vertex_count()];
    while let Some(v) = open.pop() {
        if !std::mem::replace(&mut seen[v.index()], true) {
            open.extend(cfg.predecessors(v));
        }
    }
    let edges = cfg.edges().map(|(_, e)| seen[e.to.index()]).collect();
    (seen, edges)
}

/// Annotates each element with a number; returns the elements of the numbers, by routine.
fn mark(program: &mut Program) -> Vec<BTreeMap<u64, String>> {
    let mut next = 0;
    let mut all = Vec::new();
    for routine in &mut program.routines {
        let mut own = BTreeMap::new();
        let (vertices, edges) = ends(routine);
        let (mut vertices, mut edges) = (vertices.into_iter(), edges.into_iter());
        visit(routine, &mut |what, annotations| {
            next += 1;
            let map = annotations.get_or_insert_default();
            map.insert(KEY.to_owned(), next.into());
            let ends = match what {
                "vertex" => vertices.next(),
                "edge" => edges.next(),
                _ => Some(true),
            };
            let what = if ends == Some(true) { what } else { "endless" };
            own.insert(next, format!("{what} {}", own.len()));
        });
        all.push(own);
    }
    all
}

/// The numbers found in a routine.
fn found(routine: &Routine) -> BTreeSet<u64> {
    let mut all = BTreeSet::new();
    visit(&mut routine.clone(), &mut |_, annotations| {
        all.extend(annotations.as_ref().and_then(|map| map.get(KEY)?.as_u64()));
    });
    all
}

fn missing(marks: &BTreeMap<u64, String>, routine: &Routine, but: &[&str]) -> Vec<String> {
    let found = found(routine);
    let lost = |(number, what): &(&u64, &String)| {
        !found.contains(number) && !but.iter().any(|but| what.starts_with(but))
    };
    let lost = marks.iter().filter(lost);
    lost.map(|(_, what)| format!("{}: {what}", routine.name))
        .collect()
}

fn survive(name: &str, mut program: Program, main: RoutineId) {
    let marks = mark(&mut program);
    let valid = validate::validate(program).expect("the program is valid");
    for k in 0..16 {
        let options = Options {
            values: false,
            operands: false,
            prefer: cfg_reverse::Prefer::Time,
            tape_memory: None,
            restarts: false,
            order: Order::Program,
            control_only: false,
            results: cfg_reverse::Results::Keep,
            overlap: cfg_reverse::Overlap::Assume,
            work: 200,
            merge: k & 1 != 0,
            counters: k & 2 != 0,
            markers: k & 2 != 0,
            indices: k & 4 == 0,
            blocks: if k & 4 == 0 {
                Blocks::Statement
            } else {
                Blocks::Preaccumulate
            },
            search: cfg_reverse::Search::DEFAULT,
            strong: cfg_reverse::Strong::Needed,
            unstructured: if k & 8 == 0 {
                Unstructured::Structure
            } else {
                Unstructured::Trace
            },
            flow_limit: cfg_core::dataflow::FLOW_LIMIT,
            inside: [cfg_reverse::Inside::Pools, cfg_reverse::Inside::Arrays][k & 1],
        };
        let made = reverse(&flat(&valid), main, &options).expect("it can be reversed");
        for &(original, forward, backward) in &made.sweeps {
            let marks = &marks[original.index()];
            let sweeps = [forward, backward].map(|r| made.program.routine(r));
            let general = sweeps[0].control == Control::General;
            assert_eq!(
                missing(marks, sweeps[0], &[]),
                Vec::<String>::new(),
                "{name} {options:?}"
            );
            // The reverse sweep by trace goes from block to block by number: it has no edges to match. Loops and
            // branches without adjoints are left out, unless counters and markers are asked for.
            let but: &[&str] = match (general, k & 8 != 0, options.counters) {
                (true, true, _) => &["endless", "edge"],
                (false, false, false) => &["endless", "edge", "vertex"],
                (true, false, _) | (false, ..) => &["endless"],
            };
            assert_eq!(
                missing(marks, sweeps[1], but),
                Vec::<String>::new(),
                "{name} {options:?}"
            );
        }
    }
    let made = tangent(&flat(&valid), main).expect("it has a tangent");
    let tangent = made.program.routine(made.tangent);
    assert_eq!(
        missing(&marks[main.index()], tangent, &[]),
        Vec::<String>::new(),
        "{name}"
    );
}

#[test]
fn of_fixtures() {
    for kernel in kernels::all() {
        let case = kernel.case(kernel.size);
        survive(kernel.name, case.program, case.main);
    }
}

#[test]
fn of_random_programs() {
    for seed in 0..60 {
        let case = generate::generate(&Generate::SMALL, seed).expect("runs do not fail");
        survive(&format!("structured {seed}"), case.program, case.main);
        let case = general::generate(seed);
        survive(&format!("general {seed}"), case.program, case.main);
    }
}
