//! Array contraction: a scalar that every loop over directions writes before it reads it, and that no other statement
//! names, needs one value at a time. It stays a scalar instead of getting a value for each direction.

use cfg_core::{
    edit::Editor,
    entity::VarId,
    ir::{Expr, Place, Routine, Vertex, VertexKind, visit, visit::VisitMut},
};
use std::collections::HashSet;

/// Contracts all variables that admit it; `bodies` are the blocks in the loops over directions.
pub(super) fn contract(
    routine: &mut Routine,
    original: &Routine,
    graph: &mut Editor,
    bodies: &[usize],
    index: VarId,
) {
    let mut able: Vec<bool> = (0..)
        .map(VarId::new)
        .zip(&routine.variables)
        .map(|(v, variable)| {
            let own = v.index() >= original.variables.len();
            let scalar = own && variable.rank() == 1
                || original
                    .variables
                    .get(v.index())
                    .is_some_and(|o| o.rank() == 0);
            scalar && variable.rank() == 1 && variable.role == cfg_core::ir::Role::Local
        })
        .collect();
    if let Some(result) = routine.result {
        able[result.index()] = false;
    }
    let inside: HashSet<usize> = bodies.iter().copied().collect();
    let one =
        |place: &Place| matches!(&*place.subscripts, [s] if s.index() == Some(&Expr::var(index)));
    for (k, vertex) in graph.vertices.iter().enumerate() {
        if inside.contains(&k) {
            in_body(vertex, &mut able, &one);
        } else {
            let mut found = Outside(&mut able);
            visit::Visit::visit_vertex(&mut found, cfg_core::entity::VertexId::new(k), vertex);
        }
    }
    for variable in &routine.variables {
        for dim in &variable.shape {
            let mut forbid = |e: &Expr| e.walk_places(&mut |p| able[p.var.index()] = false);
            forbid(&dim.lower);
            if let cfg_core::ir::Extent::Fixed(e) = &dim.extent {
                forbid(e);
            }
        }
    }
    for &k in bodies {
        if let VertexKind::Block(statements) = &mut graph.vertices[k].kind {
            let mut change = Scalars(&able);
            statements
                .iter_mut()
                .for_each(|s| change.visit_statement(s));
        }
    }
    for (variable, able) in routine.variables.iter_mut().zip(&able) {
        if *able {
            variable.shape.clear();
        }
    }
}

/// Clears `able` for each variable that a body reads before it writes it, or reads as a whole.
fn in_body(vertex: &Vertex, able: &mut [bool], one: &impl Fn(&Place) -> bool) {
    let mut written: HashSet<VarId> = HashSet::new();
    for statement in vertex.statements() {
        let mut seen = Inside {
            able,
            written: &mut written,
            one,
        };
        visit::Visit::visit_statement(&mut seen, statement);
    }
}

struct Inside<'a, F> {
    able: &'a mut [bool],
    written: &'a mut HashSet<VarId>,
    one: &'a F,
}

impl<'ir, F: Fn(&Place) -> bool> visit::Visit<'ir> for Inside<'_, F> {
    fn visit_place(&mut self, place: &'ir Place, role: visit::PlaceRole) {
        visit::walk_place(self, place);
        let v = place.var;
        let defines = matches!(role, visit::PlaceRole::Define { .. });
        let reads = role == visit::PlaceRole::Read && self.written.contains(&v);
        if (self.one)(place) && defines {
            self.written.insert(v);
        } else if !((self.one)(place) && reads) {
            self.able[v.index()] = false;
        }
    }

    fn visit_variable(&mut self, v: &'ir VarId, _: visit::PlaceRole) {
        self.able[v.index()] = false;
    }
}

struct Outside<'a>(&'a mut [bool]);

impl<'ir> visit::Visit<'ir> for Outside<'_> {
    fn visit_place(&mut self, place: &'ir Place, _: visit::PlaceRole) {
        visit::walk_place(self, place);
        self.0[place.var.index()] = false;
    }

    fn visit_variable(&mut self, v: &'ir VarId, _: visit::PlaceRole) {
        self.0[v.index()] = false;
    }
}

/// Removes the subscripts of contracted variables.
struct Scalars<'a>(&'a [bool]);

impl VisitMut for Scalars<'_> {
    fn visit_place(&mut self, place: &mut Place, _: visit::PlaceRole) {
        if self.0[place.var.index()] {
            place.subscripts = Box::default();
        } else {
            visit::walk_place_mut(self, place);
        }
    }
}
