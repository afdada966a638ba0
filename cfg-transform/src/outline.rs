//! Regions of a routine as routines of their own.
//!
//! [`outline`] takes a [`Region`] of a routine's graph, with one way in and one way out, and puts it into a new
//! routine, the last of the program; a call takes its place. Variables that the region reads and writes become
//! parameters, with intents by liveness; locals whose values do not matter outside become locals of the new routine;
//! globals stay globals. The program computes the same, and so does its adjoint.
//!
//! ```
//! use cfg_core::{entity::{RoutineId, VertexId}, text, validate::validate};
//! use cfg_transform::outline::{Region, outline};
//!
//! let parsed = cfg_format::text::parse("
//! subroutine f(in integer n, in real x[n], out real y)
//!   local integer i
//!   y := 0.0
//!   for i = 1, n
//!     y := y + x[i]*x[i]
//!   end
//!   y := sqrt(y)
//! end
//! ");
//! let program = validate(parsed.program.ok_or(parsed.problems)?)?;
//! let f = RoutineId::new(0);
//! let Some(cfg) = &program.routine(f).body else { return Ok(()) };
//! let header = cfg.with_id(3).and_then(|v| Region::of_loop(cfg, v));
//! let outlined = outline(&program, f, &header.expect("vertex 3 is the loop"))?;
//! let outlined = validate(outlined)?; // it keeps all rules
//! assert_eq!(outlined.to_string().trim(), "
//! subroutine f(in integer n, in real x[n], out real y)
//!   y := 0.0
//!   @3
//!   call f_part(n, x, y)
//!   @6
//!   y := sqrt(y)
//! end
//!
//! subroutine f_part(in integer n, in real x[n], inout real y)
//!   local integer i
//!   @3 for i = 1, n
//!     y := y + x[i]*x[i]
//!   end
//!   @7 exit
//! end
//! ".trim());
//! # Ok::<(), cfg_core::diagnostic::Diagnostics>(())
//! ```

mod interface;
mod region;

pub use region::Region;

use cfg_core::{
    diagnostic::{
        Diagnostic, Diagnostics,
        site::{Element, Site},
    },
    edit::Editor,
    entity::{RoutineId, VarId, VertexId},
    ir::{
        Cfg, Edge, Program, Routine, Stmt, StmtKind, Vertex, VertexKind,
        visit::{PlaceRole, VisitMut},
    },
    text,
    validate::ValidProgram,
};
use fixedbitset::FixedBitSet;

use crate::{codes::NOT_A_REGION, names};
use interface::{Interface, Rename};
use region::Cut;

/// The program with a region of a routine as a routine of its own, the last one, and a call of it in its place.
///
/// The new routine has the name of the old one with `_part` behind it. Vertices keep their ids; the block with the
/// call gets the id of the vertex at which the region was entered. Tapes are passed like variables.
///
/// # Errors
/// M501 if the region is not entered over one edge and left over one; M502 if a variable can neither be passed nor
/// move.
pub fn outline(
    program: &ValidProgram,
    id: RoutineId,
    region: &Region,
) -> Result<Program, Diagnostics> {
    let mut made = program.program().clone();
    outline_within(&mut made, id, region)?;
    Ok(made)
}

/// [`outline`] in a program that is valid but for marks of vertices; it stays as it is if the region is refused.
///
/// # Errors
/// The errors are those of [`outline`].
pub(crate) fn outline_within(
    program: &mut Program,
    id: RoutineId,
    region: &Region,
) -> Result<(), Diagnostics> {
    let body = program.routines.get(id.index()).map(|r| (r, &r.body));
    let Some((routine, Some(cfg))) = body else {
        let site = Site::whole(id, Element::Routine);
        let message = "the routine has no graph, so there is no region in it";
        let problem = Diagnostic::error(&NOT_A_REGION, message, "choose a routine with a body")
            .at_element(text::site_text(program, &site))
            .at_site_in(program, site);
        return Err(problem.into());
    };
    let cut = region.cut(program, id, cfg)?;
    let interface = Interface::build(program, id, cfg, &cut)?;
    let new = RoutineId::new(program.routines.len());
    let call = Stmt::new(StmtKind::Call {
        callee: new,
        arguments: interface.arguments.iter().cloned().map(Some).collect(),
        result: None,
    });
    let Some((rest, part)) = split(cfg, &cut, call) else {
        let site = Site::whole(id, Element::Routine);
        let message = "the graph has no ENTRY or no EXIT";
        let problem = Diagnostic::error(&NOT_A_REGION, message, "validate the program");
        return Err(problem.at_site_in(program, site).into());
    };
    let mut taken = program.routines.iter().map(|r| r.name.clone()).collect();
    let mut part = Routine {
        name: names::fresh_name(format!("{}_part", routine.name), &mut taken),
        variables: interface.variables,
        parameters: interface.parameters,
        control: routine.control,
        body: Some(part),
        aliased: routine.aliased,
        ..Routine::default()
    };
    let mut rename = Rename(&interface.map);
    for vertex in part.body.iter_mut().flat_map(Cfg::vertices_mut) {
        // The renaming does not depend on the id of the vertex.
        rename.visit_vertex(VertexId::new(0), vertex);
    }
    let old = &mut program.routines[id.index()];
    old.body = Some(rest);
    remove(old, &interface.moved);
    program.routines.push(part);
    Ok(())
}

/// The graph with a call in place of the region, and the graph of the region; `None` if it has no ENTRY or EXIT.
fn split(cfg: &Cfg, cut: &Cut, call: Stmt) -> Option<(Cfg, Cfg)> {
    let (entry, exit) = (cfg.entry()?, cfg.exit()?);
    let first = cfg.edge(cut.entry).to;
    let inside = |v: VertexId| cut.inside.contains(v.index());
    let mut rest = Editor::take_apart(cfg.clone());
    let mut part = rest.clone();
    // The ids that ENTRY and EXIT have in the old routine are not taken in the new one.
    for v in [entry, exit] {
        let Vertex { id, kind, .. } = cfg.vertex(v);
        part.vertices[v.index()] = Vertex::new(*id, kind.clone());
    }
    let last = &mut part.edges[cut.exit.index()];
    *last = Edge::new(last.from, exit, last.label);
    part.edges.retain(|e| inside(e.from));
    part.edges.insert(0, Edge::new(entry, first, None));
    let within = cut.inside.ones().chain([exit.index()]);
    part.arrange([entry.index()].into_iter().chain(within));
    let within = cfg
        .edges()
        .filter(|(e, edge)| inside(edge.from) && *e != cut.exit);
    within.for_each(|(e, _)| rest.remove_edge(e.index()));
    let around = &mut rest.edges[cut.exit.index()];
    (around.from, around.label) = (first, None);
    let block = VertexKind::Block(vec![call]);
    rest.vertices[first.index()] = Vertex::new(cfg.vertex(first).id, block);
    let removed = cut.inside.ones().filter(|&v| v != first.index());
    removed.for_each(|v| rest.remove(v));
    Some((rest.finish(), part.finish()))
}

/// Removes the locals that moved to the new routine.
fn remove(routine: &mut Routine, moved: &FixedBitSet) {
    if moved.is_clear() {
        return;
    }
    let mut map = Vec::with_capacity(routine.variables.len());
    let mut kept = Vec::with_capacity(routine.variables.len());
    for (v, variable) in std::mem::take(&mut routine.variables)
        .into_iter()
        .enumerate()
    {
        let stays = !moved.contains(v);
        map.push(stays.then(|| VarId::new(kept.len())));
        kept.extend(stays.then_some(variable));
    }
    routine.variables = kept;
    let mut rename = Rename(&map);
    rename.visit_routine(routine);
    let lists = [
        &mut routine.parameters,
        &mut routine.independents,
        &mut routine.dependents,
    ];
    let listed = lists.into_iter().flatten().chain(&mut routine.result);
    for v in listed {
        rename.visit_variable(v, PlaceRole::Read);
    }
}
