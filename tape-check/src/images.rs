//! The images of the original's vertices in a sweep, or in a tangent of a sweep.

use cfg_core::{
    entity::RoutineId,
    ir::{NameRole, OriginRole, Program, Routine},
};
use std::collections::{HashMap, HashSet};

/// For each vertex, the vertex of the original whose image it is: the adjoint in a reverse sweep, the copy in a
/// forward sweep. A tangent's vertices are copies of vertices of the differentiated routine, and are looked up there.
pub(crate) fn images(
    program: &Program,
    by_name: &HashMap<&str, RoutineId>,
    id: RoutineId,
    reverse: bool,
) -> Vec<Option<i64>> {
    // From a tangent over the routines that it was made from to the sweep. Origins come from files and might be
    // circular.
    let mut chain = vec![program.routine(id)];
    let mut seen = HashSet::from([id]);
    while let Some(base) = chain.last().and_then(|routine| {
        let origin = routine
            .origin
            .as_ref()
            .filter(|o| o.role == NameRole::Tangent)?;
        by_name.get(origin.of.as_str()).copied()
    }) {
        if !seen.insert(base) {
            break;
        }
        chain.push(program.routine(base));
    }
    let role = if reverse {
        OriginRole::Adjoint
    } else {
        OriginRole::Copy
    };
    let mut found = chain
        .last()
        .map_or_else(Vec::new, |sweep| origins(sweep, role));
    for pair in chain.windows(2).rev() {
        let [tangent, base] = pair else { break };
        let vertices = base.body.iter().flat_map(|cfg| cfg.vertices());
        let by_id: HashMap<i64, i64> = vertices
            .zip(found)
            .filter_map(|((_, vertex), image)| Some((vertex.id, image?)))
            .collect();
        let copies = origins(tangent, OriginRole::Copy).into_iter();
        found = copies.map(|id| by_id.get(&id?).copied()).collect();
    }
    found
}

/// The routines by their names.
pub(crate) fn by_name(program: &Program) -> HashMap<&str, RoutineId> {
    let routines = program.routines.iter().enumerate();
    routines
        .map(|(r, routine)| (routine.name.as_str(), RoutineId::new(r)))
        .collect()
}

fn origins(routine: &Routine, role: OriginRole) -> Vec<Option<i64>> {
    let vertices = routine.body.iter().flat_map(|cfg| cfg.vertices());
    vertices
        .map(|(_, v)| v.origin.filter(|o| o.role == role).map(|o| o.vertex))
        .collect()
}
