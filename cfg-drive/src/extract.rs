//! Extracts one routine, with the routines and globals that it needs, as a program of its own.

use cfg_core::{
    entity::RoutineId,
    ir::{Program, Routine, StmtKind, VertexKind},
};

/// The routine `root`, marked as main, with everything that it calls and the derivative routines that these declare,
/// in the order of the program. All globals are kept.
pub fn extract(program: &Program, root: RoutineId) -> Program {
    let mut wanted = vec![false; program.routines.len()];
    let mut work = vec![root];
    while let Some(r) = work.pop() {
        let Some(seen) = wanted.get_mut(r.index()) else {
            continue;
        };
        if !std::mem::replace(seen, true) {
            needs(program.routine(r), &mut |callee| work.push(callee));
        }
    }
    let mut new_id = vec![None; program.routines.len()];
    let kept = (0..wanted.len()).filter(|&r| wanted[r]);
    for (new, old) in kept.enumerate() {
        new_id[old] = Some(RoutineId::new(new));
    }
    let moved = |r: RoutineId| new_id.get(r.index()).copied().flatten().unwrap_or(r);
    let routines = program
        .routines
        .iter()
        .zip(&wanted)
        .filter(|(_, wanted)| **wanted)
        .map(|(routine, _)| renumber(routine.clone(), &moved))
        .collect();
    Program {
        routines,
        globals: program.globals.clone(),
        records: program.records.clone(),
        main: Some(moved(root)),
        sources: program.sources.clone(),
        annotations: program.annotations.clone(),
    }
}

/// Every routine that a routine names.
fn needs(routine: &Routine, visit: &mut impl FnMut(RoutineId)) {
    if let Some(body) = &routine.body {
        for (_, vertex) in body.vertices() {
            for s in vertex.statements() {
                if let StmtKind::Call { callee, .. } = &s.kind {
                    visit(*callee);
                }
            }
        }
    }
    if let Some(derivatives) = &routine.derivatives {
        derivatives.tangent.into_iter().for_each(&mut *visit);
        derivatives.adjoint.into_iter().for_each(&mut *visit);
    }
}

fn renumber(mut routine: Routine, moved: &impl Fn(RoutineId) -> RoutineId) -> Routine {
    if let Some(body) = &mut routine.body {
        let vertices: Vec<_> = body.vertices().map(|(v, _)| v).collect();
        for v in vertices {
            if let VertexKind::Block(statements) = &mut body.vertex_mut(v).kind {
                for s in statements {
                    if let StmtKind::Call { callee, .. } = &mut s.kind {
                        *callee = moved(*callee);
                    }
                }
            }
        }
    }
    if let Some(derivatives) = &mut routine.derivatives {
        derivatives.tangent = derivatives.tangent.map(moved);
        derivatives.adjoint = derivatives.adjoint.map(moved);
    }
    routine
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfg_core::builder::{ProgramBuilder, RoutineBuilder};
    use cfg_core::ir::{Derivatives, Expr, ScalarType};

    #[test]
    fn only_what_is_needed_is_kept() {
        let mut program = ProgramBuilder::new();
        program.global("g", ScalarType::Real);
        program.add(RoutineBuilder::new("unused"));
        let leaf = program.add(RoutineBuilder::new("leaf"));
        let mut middle = RoutineBuilder::new("middle");
        middle.call(leaf, Vec::<Expr>::new());
        middle.derivatives(Derivatives {
            tangent: Some(RoutineId::new(4)),
            adjoint: None,
        });
        let middle = program.add(middle);
        let mut root = RoutineBuilder::new("root");
        root.call(middle, Vec::<Expr>::new());
        let root = program.add(root);
        program.add(RoutineBuilder::new("given"));
        let program = program.into_program().expect("the builder is used right");

        let small = extract(&program, root);
        let names: Vec<&str> = small.routines.iter().map(|r| &*r.name).collect();
        assert_eq!(names, ["leaf", "middle", "root", "given"]);
        assert_eq!(small.main, Some(RoutineId::new(2)));
        assert_eq!(small.globals.len(), 1);
        let text = small.to_string();
        assert!(
            text.contains("call middle()") && text.contains("call leaf()"),
            "{text}"
        );
        assert!(text.contains("tangent given"), "{text}");
    }
}
