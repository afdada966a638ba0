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
//! let program = outline_checkpoints(program)?;
//! assert_eq!(program.to_string().trim(), "
//! subroutine f(in integer n, inout real x)
//!   call f_steps(n, x)
//!   @6 exit
//! end
//!
//! subroutine f_steps(in integer n, inout real x)
//!   local integer i
//!   @2 for i = 1, n {checkpoint 5}
//!     call f_step(x)
//!   end
//!   @6 exit
//! end
//!
//! subroutine f_step(inout real x)
//!   @3
//!   x := sin(x)
//!   @6 exit
//! end
//! ".trim());
//! let steps = program.find_routine("f_steps").and_then(|r| Rerun::find(program.routine(r)));
//! assert_eq!(steps.map(|steps| steps.callee), program.find_routine("f_step"));
//! # Ok::<(), cfg_core::diagnostic::Diagnostics>(())
//! ```

use cfg_core::{
    diagnostic::{
        Diagnostic, Diagnostics,
        site::{Element, Site},
    },
    entity::{EdgeId, RoutineId, VertexId},
    ir::{Cfg, Checkpoint, Program, Routine, VertexKind},
    text,
    validate::{ValidProgram, validate},
};

use crate::{
    codes::NOT_CHECKPOINTED,
    names,
    outline::{Region, outline},
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
    /// The routine as one that only runs another one, if it is such a routine.
    pub fn find(routine: &Routine) -> Option<Self> {
        let cfg = routine.body.as_ref()?;
        let (vertex, checkpoint) = cfg.vertices().find_map(|(v, x)| Some((v, x.checkpoint?)))?;
        let is_loop = match &cfg.vertex(vertex).kind {
            VertexKind::Loop { .. } => true,
            VertexKind::Block(_) => false,
            VertexKind::Entry
            | VertexKind::Exit
            | VertexKind::EndLoop
            | VertexKind::Branch(_)
            | VertexKind::EndBranch => return None,
        };
        let mut called = None;
        for (v, other) in cfg.vertices() {
            match &other.kind {
                VertexKind::Block(statements) => {
                    for statement in statements {
                        let callee = statement.kind.callee()?;
                        if called.replace((v, callee)).is_some() {
                            return None;
                        }
                    }
                }
                VertexKind::Loop { .. } if v != vertex => return None,
                VertexKind::Branch(_) => return None,
                VertexKind::Entry
                | VertexKind::Exit
                | VertexKind::Loop { .. }
                | VertexKind::EndLoop
                | VertexKind::EndBranch => {}
            }
        }
        let (call, callee) = called?;
        let is_inside = match is_loop {
            true => body(cfg, vertex).is_some_and(|region| region.vertices().contains(&call)),
            false => call == vertex,
        };
        is_inside.then_some(Self {
            vertex,
            checkpoint,
            call,
            callee,
        })
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

/// The program in which each block and each loop with a checkpoint is a [`Rerun`]. A loop with an empty body loses its
/// checkpoint.
///
/// # Errors
/// M505: a loop is entered or left at several places, or its body is. M502: a variable cannot be passed.
pub fn outline_checkpoints(program: ValidProgram) -> Result<ValidProgram, Diagnostics> {
    let mut program = program;
    let mut r = 0;
    while let Some(routine) = program.routines.get(r) {
        match next_checkpoint(routine) {
            Some((v, checkpoint)) => {
                program = outline_checkpoint(program, RoutineId::new(r), v, checkpoint)?;
            }
            None => r += 1,
        }
    }
    Ok(program)
}

/// The first vertex with a checkpoint, unless the routine is a [`Rerun`].
fn next_checkpoint(routine: &Routine) -> Option<(VertexId, Checkpoint)> {
    let mut vertices = routine.body.iter().flat_map(Cfg::vertices);
    let found = vertices.find_map(|(v, vertex)| Some((v, vertex.checkpoint?)))?;
    Rerun::find(routine).is_none().then_some(found)
}

/// Takes the part at a vertex out of its routine: the part as a routine, and its body as another one.
fn outline_checkpoint(
    program: ValidProgram,
    r: RoutineId,
    v: VertexId,
    checkpoint: Checkpoint,
) -> Result<ValidProgram, Diagnostics> {
    let refused = |program: &Program, message: &str| {
        let site = Site::whole(r, Element::Vertex(v));
        let help = "take the jumps out, or the checkpoint: the part is recorded then";
        let problem = Diagnostic::error(&NOT_CHECKPOINTED, message, help);
        let words = text::site_text(program, &site);
        Diagnostics::from(problem.at_element(words).at_site_in(program, site))
    };
    let routine = program.routine(r);
    let Some(cfg) = &routine.body else {
        return Ok(program);
    };
    let is_loop = matches!(cfg.vertex(v).kind, VertexKind::Loop { .. });
    let (name, id) = (routine.name.clone(), cfg.vertex(v).id);
    let whole = match is_loop {
        true => Region::of_loop(cfg, v),
        false => Some(Region::new([v])),
    };
    let Some(whole) = whole else {
        return Err(refused(&program, "the loop is entered at several places"));
    };
    let mut edited = program.program().clone();
    set_checkpoint(&mut edited, r, id, None);
    if is_loop && is_empty(cfg, v) {
        return validate(edited);
    }
    if is_loop && body(cfg, v).is_none() {
        return Err(refused(&program, "the loop goes on from several places"));
    }
    let words = |problems: Diagnostics| {
        let mut problems = problems;
        if problems.0.iter().any(|p| p.code == "M501") {
            return refused(&program, "the part is entered or left at several places");
        }
        for problem in problems.0.iter_mut().filter(|p| p.code == "M502") {
            problem.help = "give the array its size in front of the part, on every path, and leave it; or take the \
                            checkpoint away: the part is recorded then"
                .into();
        }
        problems
    };
    let outer = RoutineId::new(edited.routines.len());
    let inner = RoutineId::new(edited.routines.len() + 1);
    let mut taken = edited.routines.iter().map(|r| r.name.clone()).collect();
    let [outer_name, inner_name] = match is_loop {
        true => ["steps", "step"],
        false => ["again", "part"],
    };
    let mut fresh_name = |of: &str| names::fresh_name(format!("{name}_{of}"), &mut taken);
    let names = [fresh_name(outer_name), fresh_name(inner_name)];
    let mut made = outline(&validate(edited)?, r, &whole).map_err(words)?;
    made.routines[outer.index()].name.clone_from(&names[0]);
    let region = made.routine(outer).body.as_ref().and_then(|cfg| {
        let (v, _) = cfg.vertices().find(|(_, vertex)| vertex.id == id)?;
        match is_loop {
            true => body(cfg, v),
            false => Some(Region::new([v])),
        }
    });
    let Some(region) = region else {
        return Err(refused(&made, "the loop goes on from several places"));
    };
    let mut made = outline(&validate(made)?, outer, &region).map_err(words)?;
    made.routines[inner.index()].name.clone_from(&names[1]);
    // Vertices keep their ids: that of the block is the id of the block with the call.
    set_checkpoint(&mut made, outer, id, Some(checkpoint));
    validate(made)
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
