//! The order of visits: in every activation of every routine the reverse sweep visits those of the original's vertices
//! that it has, LOOP and ENDLOOP aside, in exactly reverse order, and the calls come in reverse order too.
//!
//! In both sweeps a block with calls is visited before the vertices of its callees, so the whole trace is not
//! reversed. Therefore activations are compared: the reverse sweeps begin in the reverse of the order in which the
//! forward sweeps end.

use cfg_core::{
    entity::RoutineId,
    ir::{Program, Vertex, VertexType},
};
use cfg_exec::Visited;
use std::collections::{BTreeMap, BTreeSet};

/// An activation of a sweep: the original, and the visited vertices of the original.
type Path = (RoutineId, Vec<i64>);

fn of_loop(vertex: &Vertex) -> bool {
    use VertexType::{EndLoop, ForLoop, Loop};
    matches!(vertex.vertex_type(), Loop | ForLoop | EndLoop)
}

/// The activations of some sweeps, each with the first and the last visit's position in the trace.
fn activations(
    program: &Program,
    trace: &[Visited],
    sweeps: impl Iterator<Item = (RoutineId, RoutineId)>,
    loops: &BTreeSet<(RoutineId, i64)>,
) -> Vec<(usize, usize, Path)> {
    let original: BTreeMap<RoutineId, RoutineId> = sweeps.collect();
    let mut found: BTreeMap<u64, (usize, usize, Path)> = BTreeMap::new();
    for (at, visited) in trace.iter().enumerate() {
        let Some(&original) = original.get(&visited.routine) else {
            continue;
        };
        let Some(body) = &program.routine(visited.routine).body else {
            continue;
        };
        let activation = found
            .entry(visited.activation)
            .or_insert_with(|| (at, at, (original, Vec::new())));
        activation.1 = at;
        if let Some(origin) = body.vertex(visited.vertex).origin
            && origin.role.is_image()
            && !loops.contains(&(original, origin.vertex))
        {
            activation.2.1.push(origin.vertex);
        }
    }
    found.into_values().collect()
}

/// True if a run of both sweeps kept the order; `sweeps` are originals with their forward and reverse
/// sweeps.
pub(crate) fn mirrored(
    program: &Program,
    sweeps: &[(RoutineId, RoutineId, RoutineId)],
    trace: &[Visited],
) -> bool {
    // In general control flow, structure recovery makes loops of branches: both graphs are asked.
    let mut loops = BTreeSet::new();
    for &(original, forward, _) in sweeps {
        for id in [original, forward] {
            for (_, v) in program.routine(id).body.iter().flat_map(|g| g.vertices()) {
                if of_loop(v) {
                    let of = v.origin.filter(|_| id == forward);
                    loops.insert((original, of.map_or(v.id, |o| o.vertex)));
                }
            }
        }
    }
    // The reverse sweep leaves loops and branches out in which it does nothing.
    for &(original, forward, reverse) in sweeps {
        let of = |id| {
            let vertices = program.routine(id).body.iter().flat_map(|g| g.vertices());
            let origins = vertices.filter_map(|(_, v)| v.origin.filter(|o| o.role.is_image()));
            origins
                .map(|origin| origin.vertex)
                .collect::<BTreeSet<i64>>()
        };
        let missing = &of(forward) - &of(reverse);
        loops.extend(missing.into_iter().map(|vertex| (original, vertex)));
    }
    let forward = sweeps.iter().map(|s| (s.1, s.0));
    let mut forward = activations(program, trace, forward, &loops);
    let reverse = sweeps.iter().map(|s| (s.2, s.0));
    let mut reverse = activations(program, trace, reverse, &loops);
    forward.sort_by_key(|a| std::cmp::Reverse(a.1));
    reverse.sort_by_key(|a| a.0);
    forward.len() == reverse.len()
        && forward
            .iter()
            .zip(&reverse)
            .all(|((_, _, f), (_, _, r))| f.0 == r.0 && f.1.iter().rev().eq(&r.1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfg_core::entity::VertexId;
    use cfg_format::json;

    /// `f` calls `g` twice from one block; what one run of both sweeps would visit.
    fn visits(program: &Program, list: &[(usize, u64, usize)]) -> Vec<Visited> {
        list.iter()
            .map(|&(routine, activation, vertex)| {
                let body = program.routines[routine].body.as_ref().unwrap();
                let v = body.vertex(VertexId::new(vertex));
                Visited {
                    routine: RoutineId::new(routine),
                    activation,
                    vertex: VertexId::new(vertex),
                    id: v.id,
                    origin: v.origin.map_or(v.id, |o| o.vertex),
                }
            })
            .collect()
    }

    #[test]
    fn activations_are_compared_in_order() {
        // Straight line routines: ENTRY, two blocks, EXIT; the sweeps are their own images.
        let routine = |name: &str, origin: &str| {
            let at = |id: usize, of: usize, ty: &str| {
                let origin = match origin {
                    "" => String::new(),
                    role => format!(
                        ", \"annotations\": {{\"cfgrev\": {{\"vertex\": {of}, \"role\": \"{role}\"}}}}"
                    ),
                };
                format!("{{\"id\": {id}, \"type\": \"{ty}\"{origin}}}")
            };
            let reverse = origin == "adjoint";
            let of = |i: usize| if reverse { 5 - i } else { i };
            format!(
                "{{\"name\": \"{name}\", \"vertices\": [{}, {}, {}, {}], \"edges\": [{{\"from\": 1, \"to\": 2}}, {{\"from\": 2, \"to\": 3}}, {{\"from\": 3, \"to\": 4}}]}}",
                at(1, of(1), "ENTRY"),
                at(2, of(2), "BASICBLOCK"),
                at(3, of(3), "BASICBLOCK"),
                at(4, of(4), "EXIT")
            )
        };
        let text = format!(
            "{{\"format\": \"cfgrev/1\", \"routines\": [{}, {}, {}, {}, {}, {}]}}",
            routine("f", ""),
            routine("g", ""),
            routine("f_fwd", "copy"),
            routine("g_fwd", "copy"),
            routine("f_rev", "adjoint"),
            routine("g_rev", "adjoint")
        );
        let program = json::read(text.as_bytes()).unwrap();
        let id = RoutineId::new;
        let sweeps = [(id(0), id(2), id(4)), (id(1), id(3), id(5))];
        let call = |r: usize, a: u64| [(r, a, 0), (r, a, 1), (r, a, 2), (r, a, 3)];
        let mut run = vec![(2, 0, 0), (2, 0, 1)];
        run.extend(call(3, 1));
        run.extend(call(3, 2));
        run.extend([(2, 0, 2), (2, 0, 3), (4, 3, 0), (4, 3, 1), (4, 3, 2)]);
        run.extend(call(5, 4));
        run.extend(call(5, 5));
        run.push((4, 3, 3));
        assert!(mirrored(&program, &sweeps, &visits(&program, &run)));
        // A call too few, a vertex of a callee too few, two vertices of a callee exchanged.
        let at = run.iter().position(|v| v.1 == 4).unwrap();
        let mut fewer = run.clone();
        fewer.drain(at..at + 4);
        assert!(!mirrored(&program, &sweeps, &visits(&program, &fewer)));
        let mut shorter = run.clone();
        shorter.remove(at + 1);
        assert!(!mirrored(&program, &sweeps, &visits(&program, &shorter)));
        let mut swapped = run.clone();
        swapped.swap(at + 1, at + 2);
        assert!(!mirrored(&program, &sweeps, &visits(&program, &swapped)));
    }
}
