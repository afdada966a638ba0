//! The static stack checker: a proof that a reverse sweep takes from the tape exactly what its forward
//! sweep has put there.
//!
//! Along every path of the forward graph and the mirrored path of the reverse graph, each pop meets the
//! push that it mirrors, of the same class, width and place, and nothing is left. The checker works from
//! the two graphs alone: it shares no code with what builds them, so that a mistake there is not repeated
//! here. What it cannot decide it rejects, with a message that says where and why.
//!
//! ```
//! use cfg_core::builder::{ProgramBuilder, RoutineBuilder};
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
//! let program = program.finish()?;
//!
//! let pair = Pair { forward, reverse, original: None };
//! let report = tape_check::inspect(&program, &[pair]);
//! assert!(report.problems.is_empty(), "{}", report.problems);
//! assert_eq!((report.summary.real, report.summary.loops_counted), (1, 1));
//!
//! // The other way round nothing fits.
//! let wrong = Pair { forward: reverse, reverse: forward, original: None };
//! assert!(tape_check::check(&program, &[wrong]).has_errors());
//! # Ok::<(), cfg_core::diagnostic::Diagnostics>(())
//! ```
//!
//! # How it works
//!
//! 1. `code` writes each graph out as a nested sequence: pushes, pops, calls, loops, branches.
//! 2. `reduce` finds, inside first, what each body and arm takes from the stacks and what it leaves; what
//!    a routine pushes and pops itself disappears. A routine with local tapes must end with nothing.
//! 3. `check` lets what the forward sweep left meet what the reverse sweep takes: pushes meet pops, loops
//!    meet loops, branches meet branches, calls of forward sweeps meet calls of reverse sweeps, and what
//!    is inside likewise. The stacks of a tape are independent of each other, so the order in which
//!    different stacks are popped does not matter.
//! 4. `count` proves that loops that meet run equally often, `marker` that branches that meet take
//!    mirrored arms.
//!
//! Blocks whose vertices name the vertex of the original that they come from are visited in reverse order
//! too; they are compared like values on a stack of their own.
//!
//! Time and memory are linear in the size of the program (but for sorting, and for the number of tapes of
//! one routine), and nothing recurses on the nesting of loops, branches or calls.
//!
//! # Beyond structured graphs
//!
//! Everything after `code` works on regions: sequences of nodes with regions inside. For a general graph
//! `code` would have to form other regions (the dispatch loop over recorded block numbers that reverses an
//! unstructured part is one loop with one branch, whose marker is the block number); the steps after it
//! would stay. Until then general graphs are rejected.

mod check;
mod code;
pub mod codes;
mod count;
mod globals;
mod marker;
mod pairs;
mod reduce;
mod report;
mod same;
mod stacks;

use cfg_core::{
    diagnostic::Diagnostics,
    entity::RoutineId,
    ir::{OriginRole, Role, Routine, ScalarType, VertexType},
    validate::ValidProgram,
};
use std::collections::HashSet;

use check::{PairCheck, Side};
use code::{Known, TapeNames};
use globals::GlobalWrites;
pub use pairs::{Pair, pairs};
use pairs::{Roles, uses_tape};
use reduce::Effect;
pub use report::{Report, Summary};

/// Checks the pairs, and every other routine that uses a tape. Empty if all is proven.
pub fn check(program: &ValidProgram, pairs: &[Pair]) -> Diagnostics {
    inspect(program, pairs).problems
}

/// As [`inspect`], with the pairs that [`pairs()`] finds.
pub fn check_program(program: &ValidProgram) -> Report {
    inspect(program, &pairs(program))
}

/// As [`check`], with a summary.
pub fn inspect(program: &ValidProgram, pairs: &[Pair]) -> Report {
    let mut found = Report::default();
    let (roles, twice) = Roles::new(program, pairs);
    let globals = GlobalWrites::of(program);
    let known = Known {
        program: program.program(),
        roles: &roles,
        globals: &globals,
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
        if roles.of(id).is_none() && uses_tape(routine) {
            inspect_single(program, known, id, &mut found);
        }
    }
    found
}

/// True if the checker can follow the routine; reports it if not.
fn can_follow(program: &ValidProgram, id: RoutineId, found: &mut Report) -> bool {
    if id.index() < program.routines.len() && program.structure(id).is_some() {
        return true;
    }
    let (message, known) = match program.routines.get(id.index()) {
        None => ("there is no such routine", false),
        Some(r) if r.body.is_none() => ("the routine has no body", true),
        Some(_) => ("the control flow is not structured", true),
    };
    let help = "give the routine a body with structured control flow";
    found.problems.push(if known {
        report::of_routine(program, id, &codes::GRAPH, message, help)
    } else {
        cfg_core::diagnostic::Diagnostic::error(&codes::GRAPH, message, help)
    });
    false
}

fn inspect_pair(program: &ValidProgram, known: Known<'_, '_>, pair: Pair, found: &mut Report) {
    let ok = [pair.forward, pair.reverse].map(|r| can_follow(program, r, found));
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
    let visits = common_vertices(f, r);
    let mut names = TapeNames::default();
    let mut side = |id, role, visited| {
        let routine = program.routine(id);
        let cfg = routine.body.as_ref()?;
        let code = code::write(known, id, cfg, &mut names, &visits, role);
        Some(Side::new(code, visited))
    };
    let forward = side(pair.forward, OriginRole::Copy, Effect::Push);
    let reverse = side(pair.reverse, OriginRole::Adjoint, Effect::Pop);
    let sides = forward.into_iter().chain(reverse).collect();
    finish(PairCheck::new(known, names, sides), found);
    found.summary.pairs += 1;
}

fn inspect_single(program: &ValidProgram, known: Known<'_, '_>, id: RoutineId, found: &mut Report) {
    let routine = program.routine(id);
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
    if !can_follow(program, id, found) {
        return;
    }
    let Some(cfg) = &routine.body else { return };
    let mut names = TapeNames::default();
    let none = HashSet::new();
    let code = code::write(known, id, cfg, &mut names, &none, OriginRole::Copy);
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

/// Vertices of the original of which both sweeps have an image: a block, or a header on one side and its
/// end on the other.
fn common_vertices(forward: &Routine, reverse: &Routine) -> HashSet<i64> {
    use VertexType::{BasicBlock, Branch, EndBranch, EndLoop, Loop};
    let images = |routine: &Routine, role: OriginRole, types: [VertexType; 3]| -> HashSet<i64> {
        let vertices = routine.body.iter().flat_map(|cfg| cfg.vertices());
        vertices
            .filter(|(_, v)| types.contains(&v.vertex_type()))
            .filter_map(|(_, v)| v.origin.filter(|o| o.role == role))
            .map(|o| o.vertex)
            .collect()
    };
    let there = images(
        reverse,
        OriginRole::Adjoint,
        [BasicBlock, EndLoop, EndBranch],
    );
    images(forward, OriginRole::Copy, [BasicBlock, Loop, Branch])
        .into_iter()
        .filter(|v| there.contains(v))
        .collect()
}
