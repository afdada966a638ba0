//! Parts that run again in the reverse sweep, as routines of their own.
//!
//! [`outline_checkpoints`] takes each block and each loop with a [`Checkpoint`] out of its routine, and writes it as a
//! [`Rerun`]: a routine that does nothing but call another one, once or in a loop. Nested checkpoints become nested
//! routines. The program computes the same.
//!
//! ```
//! use cfg_core::validate::validate;
//! use cfg_transform::checkpoint::{Rerun, outline_checkpoints};
//!
//! let parsed = cfg_format::text::parse("
//! subroutine f(in integer n, inout real x)
//!   local integer i
//!   for i = 1, n {checkpoint 5}
//!     x := sin(x)
//!   end
//! end
//! ");
//! let program = validate(parsed.program.ok_or(parsed.problems)?)?;
//! let f = program.find_routine("f").expect("there is an f");
//! let program = outline_checkpoints(program, f)?;
//! assert_eq!(program.to_string().trim(), "
//! subroutine f(in integer n, inout real x)
//!   call f_steps(n, x)
//!   @5 exit
//! end
//!
//! subroutine f_steps(in integer n, inout real x)
//!   local integer i
//!   for i = 1, n {checkpoint 5}
//!     call f_step(x)
//!   end
//! end
//!
//! subroutine f_step(inout real x)
//!   @3
//!   x := sin(x)
//!   @5 exit
//! end
//! ".trim());
//! let steps = program.find_routine("f_steps").and_then(|r| Rerun::find(&program, r));
//! assert_eq!(steps.map(|steps| steps.callee), program.find_routine("f_step"));
//! # Ok::<(), cfg_core::diagnostic::Diagnostics>(())
//! ```

use cfg_core::{
    dataflow::Reached,
    diagnostic::{
        Diagnostic, Diagnostics,
        site::{Element, Site},
    },
    entity::{EdgeId, RoutineId, VarId, VertexId},
    ir::{
        Cfg, Checkpoint, Control, Expr, Intent, Op, Program, Role, Routine, Stmt, StmtKind, Vertex,
        VertexKind,
    },
    memory::callgraph::CallGraph,
    text,
    validate::{ValidProgram, validate},
};
use fixedbitset::FixedBitSet;
use std::collections::HashSet;

use crate::{
    codes::NOT_CHECKPOINTED,
    names,
    outline::{Region, outline_within},
};

/// A routine that does nothing but call another one, at a vertex with a checkpoint: in a block, or in the body of a
/// loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rerun {
    /// The vertex with the checkpoint.
    pub vertex: VertexId,
    /// The states that are kept.
    pub checkpoint: Checkpoint,
    /// The block with the call.
    pub call: VertexId,
    /// The routine that is called.
    pub callee: RoutineId,
}

impl Rerun {
    /// A routine as one that only runs another one, if it is as [`outline_checkpoints`] makes it: the other routine
    /// has a body of its own to be run again, and gets variables as a whole, which it writes if and only if they are
    /// no `in` parameters here.
    pub fn find(program: &Program, r: RoutineId) -> Option<Self> {
        let routine = program.routine(r);
        let cfg = routine.body.as_ref()?;
        let (vertex, checkpoint) = cfg.vertices().find_map(|(v, x)| Some((v, x.checkpoint?)))?;
        let test = cfg.vertex(vertex).kind.test();
        let mut called = None;
        for (v, other) in cfg.vertices() {
            match &other.kind {
                VertexKind::Block(statements) => {
                    for statement in statements {
                        let found = (v, whole_call(statement)?);
                        if called.replace(found).is_some() {
                            return None;
                        }
                    }
                }
                VertexKind::Loop { .. } if v == vertex => {}
                VertexKind::Branch(_) | VertexKind::Loop { .. } => return None,
                VertexKind::Entry
                | VertexKind::Exit
                | VertexKind::EndLoop
                | VertexKind::EndBranch => {}
            }
        }
        let (call, (callee, arguments)) = called?;
        let is_inside = match test {
            Some(_) => body(cfg, vertex).is_some_and(|region| region.vertices().contains(&call)),
            None => call == vertex,
        };
        let step = program.routine(callee);
        let index = cfg.vertex(vertex).kind.index();
        // In a general graph the body of a loop may change the index, also in a callee.
        let is_global = |v: VarId| matches!(routine.variable(v).role, Role::Global(_));
        if routine.control == Control::General && index.is_some_and(is_global) {
            return None;
        }
        let mut seen = FixedBitSet::with_capacity(routine.variables.len());
        let fits = |(p, argument): (VarId, &Option<Expr>)| {
            let is_read = step.variable(p).intent() == Some(Intent::In);
            match argument {
                Some(Expr::Place(place)) => {
                    let actual = routine.variable(place.var);
                    let is_kept = match actual.role {
                        Role::Parameter { intent, .. } => (intent == Intent::In) == is_read,
                        Role::Local => !is_read,
                        Role::Global(_) => false,
                    };
                    place.subscripts.is_empty()
                        && (is_read || index != Some(place.var))
                        && !seen.put(place.var.index())
                        && (is_kept || is_read && index == Some(place.var))
                }
                // The lower bound of an array.
                Some(Expr::Op(Op::LBound, _)) => is_read,
                _ => false,
            }
        };
        let is_own = step.body.is_some() && step.derivatives.is_none() && step.result.is_none();
        let all_fit = step.parameter_ids().zip(arguments).all(fits);
        (is_inside && is_own && all_fit).then_some(Self {
            vertex,
            checkpoint,
            call,
            callee,
        })
    }
}

/// The callee and the arguments of a call without result.
fn whole_call(statement: &Stmt) -> Option<(RoutineId, &[Option<Expr>])> {
    match &statement.kind {
        StmtKind::Call {
            callee,
            arguments,
            result: None,
        } => Some((*callee, arguments)),
        StmtKind::Call { .. }
        | StmtKind::Assign { .. }
        | StmtKind::Push { .. }
        | StmtKind::Pop { .. }
        | StmtKind::Opaque { .. }
        | StmtKind::Stop { .. }
        | StmtKind::Allocate { .. }
        | StmtKind::Free { .. }
        | StmtKind::Resize { .. } => None,
    }
}

/// The region of the body of a loop; `None` if the vertex is no LOOP with one edge into its body and one out of it.
fn body(cfg: &Cfg, header: VertexId) -> Option<Region> {
    let is_back = |e: &EdgeId| matches!(cfg.vertex(cfg.edge(*e).from).kind, VertexKind::EndLoop);
    let mut back = cfg.in_edges(header).iter().copied().filter(is_back);
    let end = cfg.edge(back.next()?).from;
    let mut into = cfg.out_edges(header).iter().copied();
    let entry = into.find(|&e| cfg.edge(e).label == Some(1))?;
    let &[exit] = cfg.in_edges(end) else {
        return None;
    };
    (back.next().is_none() && entry != exit).then(|| Region::between(cfg, entry, exit))
}

/// The program in which each block and each loop with a checkpoint, of the routines that one routine reaches, is a
/// [`Rerun`]. A loop with an empty body loses its checkpoint.
///
/// # Errors
/// M505: a loop is entered or left at several places, or its body is; an opaque statement of a part assigns a variable.
/// M502: a variable cannot be passed.
pub fn outline_checkpoints(
    program: ValidProgram,
    main: RoutineId,
) -> Result<ValidProgram, Diagnostics> {
    let reached = CallGraph::build(&program).reachable(main);
    let reached: HashSet<RoutineId> = reached.into_iter().collect();
    let (made, refused) = outline_marked(program, |r| reached.contains(&r))?;
    match refused.is_empty() {
        true => Ok(made),
        false => Err(refused),
    }
}

/// [`outline_checkpoints`] of all routines, where it is possible, and the problems of other parts.
///
/// # Errors
/// The result breaks a rule.
pub fn outline_possible_checkpoints(
    program: ValidProgram,
) -> Result<(ValidProgram, Diagnostics), Diagnostics> {
    outline_marked(program, |_| true)
}

/// The program in which checkpoints of wanted routines are outlined, and the problems of those that cannot be.
fn outline_marked(
    program: ValidProgram,
    is_wanted: impl Fn(RoutineId) -> bool,
) -> Result<(ValidProgram, Diagnostics), Diagnostics> {
    let is_marked = |r: &Routine| find_checkpoint(r, |_| true).is_some();
    if !program.routines.iter().any(is_marked) {
        return Ok((program, Diagnostics::default()));
    }
    let given = program.routines.len();
    let mut made = program.into_program();
    for cfg in made.routines.iter_mut().filter_map(|r| r.body.as_mut()) {
        unmark_unreached(cfg);
    }
    let (mut problems, mut refused) = (Diagnostics::default(), HashSet::new());
    let informed = informed_routines(&made);
    let mut r = 0;
    while r < made.routines.len() {
        let id = RoutineId::new(r);
        let next = find_checkpoint(made.routine(id), |number| !refused.contains(&(r, number)));
        let Some((v, number)) = next.filter(|_| r >= given || is_wanted(id)) else {
            r += 1;
            continue;
        };
        if !informed.is_clear() && is_informed(made.routine(id), v, &informed) {
            let message =
                "an opaque statement of the part assigns variables, and would do so again";
            let help =
                "take the statement out of the part, or the checkpoint: the part is recorded then";
            problems.0.push(refuse(&made, (id, v), message, help));
            set_checkpoint(&mut made, id, number, None);
            continue;
        }
        if Rerun::find(&made, id).is_some() {
            r += 1;
            continue;
        }
        let before = (made.routines[r].clone(), made.routines.len());
        match outline_checkpoint(&mut made, id, v) {
            Ok(()) => {}
            Err(found) => {
                made.routines.truncate(before.1);
                made.routines[r] = before.0;
                refused.insert((r, number));
                problems.0.extend(found.0);
            }
        }
    }
    Ok((validate(made)?, problems))
}

/// Takes the checkpoints of parts away to which control does not come, since the program stops in front of them: as
/// routines of their own they would read variables that nothing has assigned.
fn unmark_unreached(cfg: &mut Cfg) {
    let Some(reached) = Reached::from_entry(cfg) else {
        return;
    };
    let marked: Vec<VertexId> = (cfg.vertices())
        .filter(|(v, vertex)| vertex.checkpoint.is_some() && !reached.enters(*v))
        .map(|(v, _)| v)
        .collect();
    for v in marked {
        cfg.vertex_mut(v).checkpoint = None;
    }
}

/// The first vertex with a checkpoint and a wanted id.
fn find_checkpoint(routine: &Routine, is_wanted: impl Fn(i64) -> bool) -> Option<(VertexId, i64)> {
    let mut vertices = routine.body.iter().flat_map(Cfg::vertices);
    vertices.find_map(|(v, vertex)| {
        (vertex.checkpoint.is_some() && is_wanted(vertex.id)).then_some((v, vertex.id))
    })
}

/// True of an opaque statement that assigns variables: their values come from outside of the program.
fn takes_from_outside(statement: &Stmt) -> bool {
    matches!(&statement.kind, StmtKind::Opaque { writes, .. } if !writes.is_empty())
}

/// The routines that take values from outside, in callees also.
fn informed_routines(program: &Program) -> FixedBitSet {
    let mut informed = FixedBitSet::with_capacity(program.routines.len());
    let all: Vec<RoutineId> = (0..program.routines.len()).map(RoutineId::new).collect();
    let mut open: Vec<RoutineId> = (all.iter().copied())
        .filter(|&r| program.routine(r).statements().any(takes_from_outside))
        .collect();
    if open.is_empty() {
        return informed;
    }
    let callers = CallGraph::build(program).callers(&all);
    while let Some(r) = open.pop() {
        if !informed.put(r.index()) {
            open.extend(&callers[r.index()]);
        }
    }
    informed
}

/// True if the part at a vertex takes values from outside, itself or in callees.
fn is_informed(routine: &Routine, v: VertexId, informed: &FixedBitSet) -> bool {
    let Some(cfg) = &routine.body else {
        return false;
    };
    let part = match cfg.vertex(v).kind.test() {
        Some(_) => Region::of_loop(cfg, v),
        None => Some(Region::new([v])),
    };
    let vertices = part.iter().flat_map(Region::vertices);
    let mut statements = vertices.flat_map(|&v| cfg.vertex(v).statements());
    statements.any(|statement| {
        let callee = statement.kind.callee();
        takes_from_outside(statement) || callee.is_some_and(|r| informed.contains(r.index()))
    })
}

fn refuse(
    program: &Program,
    (r, v): (RoutineId, VertexId),
    message: &str,
    help: &'static str,
) -> Diagnostic {
    let site = Site::whole(r, Element::Vertex(v));
    let problem = Diagnostic::error(&NOT_CHECKPOINTED, message, help);
    let words = text::site_text(program, &site);
    problem.at_element(words).at_site_in(program, site)
}

/// Takes the part at a vertex out of its routine: the part as a routine, and its body as another one.
fn outline_checkpoint(program: &mut Program, r: RoutineId, v: VertexId) -> Result<(), Diagnostics> {
    let refused = |program: &Program, message: &str| {
        let help = "take the jumps out, or the checkpoint: the part is recorded then";
        Diagnostics::from(refuse(program, (r, v), message, help))
    };
    let routine = program.routine(r);
    let Some(cfg) = &routine.body else {
        return Ok(());
    };
    let Vertex { id, checkpoint, .. } = *cfg.vertex(v);
    let is_loop = cfg.vertex(v).kind.test().is_some();
    let name = routine.name.clone();
    let whole = match is_loop {
        true => Region::of_loop(cfg, v),
        false => Some(Region::new([v])),
    };
    let Some(whole) = whole else {
        return Err(refused(program, "the loop is entered at several places"));
    };
    if is_loop && !is_empty(cfg, v) && body(cfg, v).is_none() {
        return Err(refused(program, "the loop goes on from several places"));
    }
    let words = |program: &Program, mut problems: Diagnostics| {
        if problems.0.iter().any(|p| p.code == "M501") {
            return refused(program, "the part is entered or left at several places");
        }
        for problem in problems.0.iter_mut().filter(|p| p.code == "M502") {
            problem.help = "give the array its size in front of the part, on every path, and leave it; or take the \
                            checkpoint away: the part is recorded then"
                .into();
        }
        problems
    };
    let is_empty = is_loop && is_empty(cfg, v);
    set_checkpoint(program, r, id, None);
    if is_empty {
        return Ok(());
    }
    let outer = RoutineId::new(program.routines.len());
    let inner = RoutineId::new(program.routines.len() + 1);
    let mut taken = program.routines.iter().map(|r| r.name.clone()).collect();
    let suffixes = match is_loop {
        true => ["steps", "step"],
        false => ["again", "part"],
    };
    let names = suffixes.map(|of| names::fresh_name(format!("{name}_{of}"), &mut taken));
    outline_within(program, r, &whole).map_err(|found| words(program, found))?;
    program.routines[outer.index()].name.clone_from(&names[0]);
    let region = program.routine(outer).body.as_ref().and_then(|cfg| {
        let (v, _) = cfg.vertices().find(|(_, vertex)| vertex.id == id)?;
        match is_loop {
            true => body(cfg, v),
            false => Some(Region::new([v])),
        }
    });
    let Some(region) = region else {
        return Err(refused(program, "the loop goes on from several places"));
    };
    outline_within(program, outer, &region).map_err(|found| words(program, found))?;
    program.routines[inner.index()].name.clone_from(&names[1]);
    // Vertices keep their ids: that of the block is the id of the block with the call.
    set_checkpoint(program, outer, id, checkpoint);
    match Rerun::find(program, outer) {
        Some(_) => Ok(()),
        None => Err(refused(
            program,
            "the part changes the index of its loop, or reads a variable that nothing sets",
        )),
    }
}

fn is_empty(cfg: &Cfg, header: VertexId) -> bool {
    let mut into = cfg.out_edges(header).iter();
    into.any(|&e| {
        let edge = cfg.edge(e);
        edge.label == Some(1) && matches!(cfg.vertex(edge.to).kind, VertexKind::EndLoop)
    })
}

fn set_checkpoint(program: &mut Program, r: RoutineId, id: i64, to: Option<Checkpoint>) {
    let body = program.routines[r.index()].body.iter_mut();
    let mut vertices = body.flat_map(Cfg::vertices_mut);
    if let Some(vertex) = vertices.find(|vertex| vertex.id == id) {
        vertex.checkpoint = to;
    }
}
