//! The graph of a gradient whose loops have both bodies.
//!
//! The forward sweep is cut into F0 L0 F1 L1 ... Fk at its loops, the reverse sweep into Rk L'k-1 ... L'0 R0, of which
//! Rk begins with zeros Z. The edge behind each part leads to the part that follows it in the new order; a part without
//! vertices is left out. ENDLOOP of L gets the edges into the ENDLOOP of L', whose body begins where that of L ends.
//! The forward sweep's EXIT, the reverse sweep's ENTRY and the vertices of its FORLOOPs go.

use cfg_core::{
    diagnostic::Diagnostics,
    edit::Editor,
    entity::VertexId,
    ir::{Cfg, Edge, FreshIds, Origin, OriginRole, Stmt, Vertex, VertexKind},
    structure::Structure,
};
use std::collections::HashSet;

use crate::{
    code::built,
    gradient::turn::independent::Parts,
    plan::{draft::Draft, shape::Shape},
};

/// The place in which both bodies of a loop run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// At the turn, behind the adjoint of what follows the loop.
    Before,
    /// At the turn, before what follows the loop, and its adjoint.
    Behind,
    /// In the place of the reverse loop, with a plain loop in the forward sweep.
    Again,
}

/// The parts of the gradient.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Forward(usize),
    Plain(usize),
    Zeros,
    Both(usize),
    Reverse(usize),
    Kept,
}

/// The parts in their order. `loops`: those of the forward sweep, in its order.
fn arranged(loops: &[(&Parts, Place)]) -> Vec<Part> {
    let k = loops.len();
    let turn = loops.iter().position(|(_, place)| *place != Place::Again);
    let mut row = Vec::new();
    let reverse = |row: &mut Vec<Part>, from: usize, to: usize| {
        for j in (to..from).rev() {
            row.extend((loops[j].1 == Place::Again).then_some(Part::Both(j)));
            row.push(Part::Reverse(j));
        }
    };
    for (j, (_, place)) in loops.iter().enumerate() {
        row.push(Part::Forward(j));
        match place {
            Place::Again => row.push(Part::Plain(j)),
            Place::Behind => row.extend([Part::Zeros, Part::Both(j)]),
            Place::Before => {
                row.extend([Part::Zeros, Part::Reverse(k)]);
                reverse(&mut row, k, j + 1);
                row.push(Part::Both(j));
            }
        }
    }
    row.extend([Part::Forward(k), Part::Kept]);
    let done = match turn.map(|turn| (turn, loops[turn].1)) {
        Some((turn, Place::Before)) => turn + 1,
        Some(_) => {
            row.push(Part::Reverse(k));
            k
        }
        None => {
            row.extend([Part::Zeros, Part::Reverse(k)]);
            k
        }
    };
    reverse(&mut row, done, 0);
    row
}

/// Where a loop and its reverse loop begin and end.
struct Ends {
    header: usize,
    end: usize,
    reverse_header: usize,
    reverse_end: usize,
    /// The first vertex of the plain copy.
    plain: Option<usize>,
}

/// Puts the graphs of both sweeps together. The statements of `kept` come behind the forward sweep, those of `restored`
/// before EXIT; `is_sum` says which statements are left out where a loop runs again.
pub(super) fn splice(
    draft: &Draft<'_>,
    [forward, reverse]: [Cfg; 2],
    [of_forward, of_reverse]: &[Structure; 2],
    loops: &[(&Parts, Place)],
    [kept, restored]: [Vec<Stmt>; 2],
    is_sum: impl Fn(usize, &Stmt) -> bool,
) -> Result<Cfg, Diagnostics> {
    let k = loops.len();
    let first = forward.vertex_count();
    let in_forward = |at: usize| of_forward.order[at].index();
    let in_reverse = |at: usize| first + of_reverse.order[at].index();
    let exit = in_forward(of_forward.order.len() - 1);
    let (entry, last) = (in_reverse(0), in_reverse(of_reverse.order.len() - 1));
    let zeros_end = loops
        .first()
        .map_or(entry, |(parts, _)| in_reverse(parts.zeros - 1));
    let mut ends: Vec<Ends> = (loops.iter())
        .map(|(parts, _)| Ends {
            header: in_forward(parts.forward.start),
            end: in_forward(parts.forward.end),
            reverse_header: in_reverse(parts.reverse.start),
            reverse_end: in_reverse(parts.reverse.end),
            plain: None,
        })
        .collect();
    // The vertex behind another one: in the body of a loop, or behind it.
    let behind = |v: usize, labelled: bool| {
        let (cfg, offset) = if v < first {
            (&forward, 0)
        } else {
            (&reverse, first)
        };
        let edges = cfg.out_edges(VertexId::new(v - offset)).iter();
        let mut edges = edges.map(|&e| cfg.edge(e));
        let edge = edges.find(|edge| edge.label.is_some() == labelled)?;
        Some(offset + edge.to.index())
    };
    let bodies: Vec<Option<usize>> = (ends.iter())
        .map(|of| behind(of.reverse_header, true).filter(|&v| v != of.reverse_end))
        .collect();
    let zeros = behind(entry, false).filter(|_| zeros_end != entry);
    let forward_start = |j: usize| {
        let start = behind(ends[j.checked_sub(1)?].header, false)?;
        let next = ends.get(j).map_or(exit, |of| of.header);
        (start != next).then_some(start)
    };
    let reverse_start = |j: usize| {
        let before = ends.get(j).map_or(zeros_end, |of| of.reverse_header);
        let start = behind(before, false)?;
        let next = j.checked_sub(1).map(|j| ends[j].reverse_header);
        (Some(start) != next).then_some(start)
    };
    let forward_starts: Vec<_> = (0..=k).map(forward_start).collect();
    let reverse_starts: Vec<_> = (0..=k).map(reverse_start).collect();
    let (mut vertices, mut edges) = forward.into_parts();
    let (more, reverse_edges) = reverse.into_parts();
    let known: HashSet<i64> = vertices.iter().map(|v| v.id).collect();
    let mut ids = FreshIds::beside(vertices.iter().chain(&more).map(|v| v.id));
    vertices.extend(more.into_iter().map(|mut vertex| {
        if known.contains(&vertex.id) {
            vertex.id = ids.next_id();
        }
        vertex
    }));
    edges.extend(reverse_edges.into_iter().map(|edge| Edge {
        from: VertexId::new(first + edge.from.index()),
        to: VertexId::new(first + edge.to.index()),
        ..edge
    }));
    for (j, (parts, place)) in loops.iter().enumerate() {
        if *place != Place::Again {
            continue;
        }
        for &v in &of_forward.order[parts.forward.start..=parts.forward.end] {
            if let VertexKind::Block(statements) = &mut vertices[v.index()].kind {
                statements.retain(|statement| !is_sum(j, statement));
            }
        }
        let id = vertices[ends[j].header].id;
        ends[j].plain = copy_loop(draft, id, (&mut vertices, &mut edges), &mut ids);
    }
    let mut graph = Editor::from_parts(vertices, edges);
    let keep = (!kept.is_empty()).then(|| graph.block(kept));
    let start = |part: &Part| match *part {
        Part::Forward(j) => forward_starts[j],
        Part::Plain(j) => ends[j].plain,
        Part::Zeros => zeros,
        Part::Both(j) => Some(ends[j].header),
        Part::Reverse(j) => reverse_starts[j],
        Part::Kept => keep,
    };
    let row = arranged(loops);
    let next = |part: Part| {
        let at = row.iter().position(|p| *p == part)?;
        row[at + 1..].iter().find_map(start)
    };
    let find =
        |of: fn(&Ends) -> Option<usize>, v: usize| ends.iter().position(|e| of(e) == Some(v));
    for e in 0..graph.edges.len() {
        graph.edges[e].id = None;
        let (from, to) = (graph.from(e), graph.to(e));
        let is_labelled = graph.edges[e].label.is_some();
        let at_header = find(|e| Some(e.header), from).filter(|_| !is_labelled);
        let at_plain = find(|e| e.plain, from).filter(|_| !is_labelled);
        let is_removed = from == entry
            || find(|e| Some(e.reverse_header), from).is_some()
            || find(|e| Some(e.reverse_end), from).is_some();
        let to = if is_removed {
            graph.remove_edge(e);
            None
        } else if let Some(j) = at_header {
            next(Part::Both(j))
        } else if let Some(j) = at_plain {
            next(Part::Plain(j))
        } else if from == zeros_end {
            next(Part::Zeros)
        } else if let Some(j) = find(|e| Some(e.header), to).filter(|&j| from != ends[j].end) {
            next(Part::Forward(j))
        } else if let Some(j) = find(|e| Some(e.reverse_header), to) {
            next(Part::Reverse(j + 1))
        } else if to == exit {
            next(Part::Forward(k))
        } else if let Some(j) = find(|e| Some(e.end), to) {
            bodies[j]
        } else {
            find(|e| Some(e.reverse_end), to).map(|j| ends[j].end)
        };
        if let Some(to) = to {
            graph.set_to(e, to);
        }
    }
    if let (Some(keep), Some(behind)) = (keep, next(Part::Kept)) {
        graph.add_edge(keep, behind, None);
    }
    graph.insert_before(last, restored);
    graph.remove(exit);
    graph.remove(entry);
    for of in &ends {
        graph.remove(of.reverse_header);
        graph.remove(of.reverse_end);
    }
    built::in_topological_order(graph.finish()).map(Editor::finish)
}

/// Adds a copy of the original's loop with this id; returns its header.
fn copy_loop(
    draft: &Draft<'_>,
    id: i64,
    (vertices, edges): (&mut Vec<Vertex>, &mut Vec<Edge>),
    ids: &mut FreshIds,
) -> Option<usize> {
    let Shape::Structured(structure) = draft.shape else {
        return None;
    };
    let (header, _) = draft.cfg.vertices().find(|(_, vertex)| vertex.id == id)?;
    let position = |v: VertexId| structure.position[v.index()] as usize;
    let positions = position(header)..=position(structure.partner(header)?);
    let offset = vertices.len();
    let place = |v: VertexId| {
        let at = Some(position(v)).filter(|at| positions.contains(at))?;
        Some(VertexId::new(offset + at - positions.start()))
    };
    for &v in &structure.order[positions.clone()] {
        let mut vertex = draft.cfg.vertex(v).clone();
        vertex.origin = Some(Origin {
            role: OriginRole::Copy,
            vertex: vertex.id,
        });
        vertex.id = ids.next_id();
        if let VertexKind::Block(statements) = &mut vertex.kind {
            for (s, statement) in statements.iter_mut().enumerate() {
                draft.mark(v, s).put(statement);
            }
        }
        vertices.push(vertex);
        for &e in draft.cfg.out_edges(v) {
            let edge = draft.cfg.edge(e);
            // The edge out of the loop leads to what is put behind it.
            let to = place(edge.to).or(place(header));
            edges.extend(place(v).zip(to).map(|(from, to)| Edge {
                from,
                to,
                label: edge.label,
                id: None,
                annotations: edge.annotations.clone(),
            }));
        }
    }
    place(header).map(VertexId::index)
}
