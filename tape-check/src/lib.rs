//! The static stack checker: a proof that a reverse sweep pops from the tape exactly the values that its forward sweep
//! has pushed.
//!
//! Along every path of the forward graph and the mirrored path of the reverse graph, each pop meets the push that it
//! mirrors, of the same class, width and place, and no push is left. The checker works from the two graphs alone: it
//! shares no code with the reversal, so that a mistake there is not repeated here. Pairs that it cannot decide are
//! rejected, with a message that says where and why.
//!
//! ```
//! use cfg_core::builder::{ProgramBuilder, RoutineBuilder};
//! use cfg_core::flat::Flat;
//! use cfg_core::ir::{ControlWidth, Intent, ScalarType::{Integer, Real, Tape}, TapeClass};
//! use cfg_core::builder::expr::*;
//! use tape_check::Pair;
//!
//! let count = TapeClass::Control(ControlWidth::Count);
//! let mut program = ProgramBuilder::new();
//! // while (x < 100) { push x; x = x*x; } with a counter
//! let mut f = RoutineBuilder::new("square");
//! let x = f.inout("x", Real);
//! let tape = f.inout("tape", Tape);
//! let counter = f.local("counter", Integer);
//! f.assign(counter, 0);
//! f.while_loop(lt(x, 100.0), |f| {
//!     f.push(tape, TapeClass::Real, x);
//!     f.assign(x, x * x);
//!     f.assign(counter, counter + 1);
//! });
//! f.push(tape, count, counter);
//! let forward = program.add(f);
//! // x_b = 2*x*x_b, as often, with x restored
//! let mut b = RoutineBuilder::new("square_back");
//! let x = b.inout("x", Real);
//! let x_b = b.inout("x_b", Real);
//! let tape = b.inout("tape", Tape);
//! let (k, n) = (b.local("k", Integer), b.local("n", Integer));
//! b.pop(tape, count, n);
//! b.for_loop(k, 1, n, |b| {
//!     b.pop(tape, TapeClass::Real, x);
//!     b.assign(x_b, x_b * (x + x));
//! });
//! let reverse = program.add(b);
//! let program = Flat::check(program.finish()?)?;
//!
//! let pair = Pair { forward, reverse, original: None, runs_again: false };
//! let report = tape_check::inspect(&program, &[pair]);
//! assert!(report.problems.is_empty(), "{}", report.problems);
//! assert_eq!((report.summary.real, report.summary.loops_counted), (1, 1));
//!
//! // The other way round nothing fits.
//! let wrong = Pair { forward: reverse, reverse: forward, ..pair };
//! assert!(tape_check::check(&program, &[wrong]).has_errors());
//! # Ok::<(), cfg_core::diagnostic::Diagnostics>(())
//! ```
//!
//! # How it works
//!
//! 1. `code` writes each graph out as a nested sequence: pushes, pops, calls, loops, branches.
//! 2. `reduce` finds, inside first, the pops that each body and arm takes from outside and the pushes that it leaves;
//!    pushes that a routine pops itself disappear. A routine with local tapes must leave none.
//! 3. `meeting` lets the forward sweep's pushes meet the reverse sweep's pops, and likewise loops meet loops, branches
//!    meet branches, calls of forward sweeps meet calls of reverse sweeps, and their contents each other. The stacks
//!    of a tape are independent of each other, so the order in which different stacks are popped does not matter.
//! 4. `count` proves that loops that meet run equally often, `marker` that branches that meet take
//!    mirrored arms.
//!
//! Blocks whose vertices name the vertex of the original that they come from are visited in reverse order
//! too; they are compared like values on a stack of their own.
//!
//! Time and memory are linear in the size of the program (but for sorting, and for the number of tapes of
//! one routine), and nothing recurses on the nesting of loops, branches or calls.
//!
//! # General graphs
//!
//! A general graph has no nesting. `product` walks the forward sweep backwards along every path, and the reverse sweep
//! along with it. The walk puts items on stacks: pushes, visits of blocks, and the events of trip counts (`clock`: set
//! to 0, incremented), which the head of a reverse loop takes one by one. A popped marker decides a branch, so the
//! reverse sweep has one way at most, and each pair of places is examined once. The walk is linear in the size of the
//! two graphs.
//!
//! # What is not proven
//!
//! Bounds, subscripts, extents, selectors and arguments that the reverse sweep evaluates again have the same text as
//! in the forward sweep, and the loop or arm does not change the variables that they read. The check does not prove
//! that these variables have their values again, by pops or because they were never changed: a sweep that assigns
//! another value before is accepted. So is a routine that pushes and pops for itself, and uses a variable of its
//! places, or a marker, as the index or bound of a loop that pops. A run shows such faults: with a wrong number of
//! passes the tape ends too early, or values stay on it.

mod bodies;
mod clock;
mod code;
pub mod codes;
mod count;
mod globals;
mod images;
mod marker;
mod meeting;
mod pairs;
mod product;
mod reduce;
mod report;
mod same;
mod shared_map;
mod sides;
mod stacks;

use cfg_core::{
    diagnostic::Diagnostics,
    entity::RoutineId,
    flat::Flat,
    ir::{Cfg, Role, Routine, ScalarType, Vertex, VertexType},
    structure::Structure,
};
use std::collections::HashSet;

use clock::Forward;
use code::{Known, TapeNames};
use globals::GlobalWrites;
pub use pairs::{Pair, pairs};
use pairs::{Roles, uses_tape};
use product::Product;
use reduce::Effect;
pub use report::{Report, Summary};
use sides::{PairCheck, Side};

/// Checks the pairs, and every other routine that uses a tape. The result is empty if everything is proven.
pub fn check(program: &Flat, pairs: &[Pair]) -> Diagnostics {
    inspect(program, pairs).problems
}

/// Checks a program as [`inspect`] does, with the pairs that [`pairs()`] finds.
pub fn check_program(program: &Flat) -> Report {
    inspect(program, &pairs(program))
}

/// Checks the pairs as [`check`] does, and gives a summary.
pub fn inspect(program: &Flat, pairs: &[Pair]) -> Report {
    let mut found = Report::default();
    let (roles, twice) = Roles::new(program, pairs);
    let globals = GlobalWrites::summarise(program);
    let known = Known {
        program: program.program(),
        roles: &roles,
        globals: &globals,
        by_name: &images::by_name(program),
    };
    for r in twice {
        found.problems.push(report::of_routine(
            program,
            r,
            &codes::PAIR,
            "this routine is named as a sweep more than once",
            "name each routine in one pair, on one side",
        ));
    }
    for pair in pairs {
        inspect_pair(program, known, *pair, &mut found);
    }
    for (r, routine) in program.routines.iter().enumerate() {
        let id = RoutineId::new(r);
        if roles.role(id).is_none() && uses_tape(routine) {
            inspect_single(program, known, id, &mut found);
        }
    }
    found
}

/// True if the routine has a body; reports it if not.
fn has_body(program: &Flat, id: RoutineId, found: &mut Report) -> bool {
    let (message, known) = match program.routines.get(id.index()) {
        None => ("there is no such routine", false),
        Some(r) if r.body.is_none() => ("the routine has no body", true),
        Some(_) => return true,
    };
    let help = "give the routine a body";
    found.problems.push(if known {
        report::of_routine(program, id, &codes::GRAPH, message, help)
    } else {
        cfg_core::diagnostic::Diagnostic::error(&codes::GRAPH, message, help)
    });
    false
}

fn inspect_pair(program: &Flat, known: Known<'_, '_>, pair: Pair, found: &mut Report) {
    let ok = [pair.forward, pair.reverse].map(|r| has_body(program, r, found));
    if ok != [true, true] {
        return;
    }
    let (f, r) = (program.routine(pair.forward), program.routine(pair.reverse));
    let (ours, theirs) = (tape_parameters(f), tape_parameters(r));
    if ours != theirs {
        found.problems.push(report::of_routine(
            program,
            pair.reverse,
            &codes::PAIR,
            format!(
                "its tape parameters are {theirs:?}, those of the forward sweep {} are {ours:?}",
                f.name
            ),
            "give both sweeps tape parameters of the same names",
        ));
        return;
    }
    if pair.runs_again {
        return;
    }
    found.summary.pairs += 1;
    let (Some(forward), Some(reverse)) = (&f.body, &r.body) else {
        return;
    };
    let ids = [pair.forward, pair.reverse];
    let image = |r| images::images(program, known.by_name, ids[usize::from(r)], r);
    let images = [false, true].map(image);
    let mut names = TapeNames::default();
    if ids.iter().all(|&r| program.structure(r).is_some()) {
        let visits = common_images([forward, reverse], &images, &STRUCTURED);
        let forward = code::write(known, pair.forward, forward, &mut names, &visits[0]);
        let reverse = code::write(known, pair.reverse, reverse, &mut names, &visits[1]);
        let sides = vec![
            Side::new(forward, Effect::Push),
            Side::new(reverse, Effect::Pop),
        ];
        finish(PairCheck::new(known, names, sides), found);
        return;
    }
    let visits = common_images([forward, reverse], &images, &GENERAL);
    let (ours, steps) = code::flat(known, pair.forward, forward, &mut names, &visits[0]);
    let (theirs, back) = code::flat(known, pair.reverse, reverse, &mut names, &visits[1]);
    let mut check = PairCheck::new(known, names, vec![Side::flat(ours), Side::flat(theirs)]);
    for side in 0..2 {
        check.calls_inside(side);
        check.one_way(side);
    }
    if check.problems.is_empty() {
        let mirrored = product::mirrored(forward, reverse, [&images[0], &images[1]]);
        let forward = Forward::new(forward, steps, check.code(0));
        Product::new(&mut check, &forward, reverse, &back, mirrored).run();
    }
    found.problems.0.append(&mut check.problems);
    found.summary.add(&check.summary);
}

fn inspect_single(program: &Flat, known: Known<'_, '_>, id: RoutineId, found: &mut Report) {
    let routine = program.routine(id);
    if routine.restart_role().is_some() {
        // Its body does nothing; another one puts whole tapes back.
        return;
    }
    if let [name, ..] = &*tape_parameters(routine) {
        found.problems.push(report::of_routine(
            program,
            id,
            &codes::PAIR,
            format!("the tape `{name}` comes from outside, but the routine is no sweep of a pair"),
            "name its counterpart, or declare the tape as a local",
        ));
        return;
    }
    if !has_body(program, id, found) {
        return;
    }
    // A routine that calls the sweeps of a general routine is declared general too, although its own graph may nest.
    let structured = |cfg: &Cfg| program.structure(id).is_some() || Structure::compute(cfg).is_ok();
    if !routine.body.as_ref().is_some_and(structured) {
        let message =
            "the routine pushes and pops for itself, and its control flow is not structured";
        let help = "leave the tape to routines of its own, a forward and a reverse sweep";
        found.problems.push(report::of_routine(
            program,
            id,
            &codes::GRAPH,
            message,
            help,
        ));
        return;
    }
    let Some(cfg) = &routine.body else { return };
    let mut names = TapeNames::default();
    let code = code::write(known, id, cfg, &mut names, &[]);
    let sides = vec![Side::new(code, Effect::None)];
    finish(PairCheck::new(known, names, sides), found);
    found.summary.neutral += 1;
}

fn finish(mut pair: PairCheck<'_, '_>, found: &mut Report) {
    pair.run();
    found.problems.0.append(&mut pair.problems);
    found.summary.add(&pair.summary);
}

/// Names of the tapes that come from outside, sorted.
fn tape_parameters(routine: &Routine) -> Vec<&str> {
    let mut names: Vec<&str> = routine
        .variables
        .iter()
        .filter(|v| v.ty == ScalarType::Tape && v.role != Role::Local)
        .map(|v| v.name.as_str())
        .collect();
    names.sort_unstable();
    names
}

/// The types of vertices whose visits are compared; those of the reverse sweep are `None` for all.
struct Visited(&'static [VertexType], Option<&'static [VertexType]>);

/// A block, or a header on one side and its end on the other.
const STRUCTURED: Visited = Visited(
    &[VertexType::BasicBlock, VertexType::Loop, VertexType::Branch],
    Some(&[
        VertexType::BasicBlock,
        VertexType::EndLoop,
        VertexType::EndBranch,
    ]),
);

/// The types without LOOP and ENDLOOP, whose numbers of visits differ in a general graph.
const GENERAL: Visited = Visited(
    &[
        VertexType::BasicBlock,
        VertexType::Branch,
        VertexType::EndBranch,
    ],
    None,
);

/// The vertex of the original whose visits are compared, by vertex of either sweep, where both sweeps have
/// an image of it.
fn common_images(
    graphs: [&Cfg; 2],
    images: &[Vec<Option<i64>>; 2],
    visited: &Visited,
) -> [Vec<Option<i64>>; 2] {
    let types = [Some(visited.0), visited.1];
    let of = |side: usize| -> Vec<Option<i64>> {
        let image = |((_, v), image): ((_, &Vertex), &Option<i64>)| {
            let counts = types[side].is_none_or(|types| types.contains(&v.vertex_type()));
            image.filter(|_| counts)
        };
        graphs[side]
            .vertices()
            .zip(&images[side])
            .map(image)
            .collect()
    };
    let both = [of(0), of(1)];
    let sets = [0, 1].map(|side| both[side].iter().flatten().copied().collect());
    let [ours, theirs]: [HashSet<i64>; 2] = sets;
    both.map(|side| {
        (side.into_iter())
            .map(|image| image.filter(|id| ours.contains(id) && theirs.contains(id)))
            .collect()
    })
}
