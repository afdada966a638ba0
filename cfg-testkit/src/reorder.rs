//! The variables of a program in another order.

use crate::case::Case;
use crate::rng::Rng;
use cfg_core::entity::VarId;
use cfg_core::ir::visit::{PlaceRole, VisitMut, walk_place_mut};
use cfg_core::ir::{Place, Program, Routine};

/// Puts the variables of a routine into an order, which has each once, and renames their uses.
pub fn reorder(routine: &mut Routine, order: &[VarId]) {
    let mut new = vec![VarId::new(0); routine.variables.len()];
    for (k, v) in order.iter().enumerate() {
        new[v.index()] = VarId::new(k);
    }
    let variables = order.iter().map(|&v| routine.variable(v).clone());
    routine.variables = variables.collect();
    let mut naming = Naming(&new);
    naming.visit_routine(routine);
    let lists = [
        &mut routine.parameters,
        &mut routine.independents,
        &mut routine.dependents,
    ];
    for v in lists.into_iter().flatten().chain(&mut routine.result) {
        naming.visit_variable(v, PlaceRole::Read);
    }
}

struct Naming<'a>(&'a [VarId]);

impl VisitMut for Naming<'_> {
    fn visit_place(&mut self, place: &mut Place, role: PlaceRole) {
        walk_place_mut(self, place);
        self.visit_variable(&mut place.var, role);
    }

    fn visit_variable(&mut self, v: &mut VarId, _: PlaceRole) {
        *v = self.0[v.index()];
    }
}

/// The program as it is read again after it was written: parameters come first.
pub fn as_declared(program: &Program) -> Program {
    let mut program = program.clone();
    for routine in &mut program.routines {
        let order: Vec<VarId> = routine.declaration_order().collect();
        reorder(routine, &order);
    }
    program
}

/// The case with parameters anywhere among the variables; these keep their order among themselves, and so do the others.
pub fn spread(case: &Case, rng: &mut Rng) -> Case {
    reordered(case, |routine| {
        let others = routine.non_parameter_ids();
        let mut is_parameter = vec![false; routine.variables.len()];
        is_parameter[others.len()..].fill(true);
        rng.shuffle(&mut is_parameter);
        let (mut parameters, mut others) = (routine.parameter_ids(), others.into_iter());
        let next = is_parameter.into_iter().map(|is| match is {
            true => parameters.next(),
            false => others.next(),
        });
        next.flatten().collect()
    })
}

/// The case with the variables of each routine in any order.
pub fn shuffled(case: &Case, rng: &mut Rng) -> Case {
    reordered(case, |routine| {
        let mut order: Vec<VarId> = (0..routine.variables.len()).map(VarId::new).collect();
        rng.shuffle(&mut order);
        order
    })
}

fn reordered(case: &Case, mut choose: impl FnMut(&Routine) -> Vec<VarId>) -> Case {
    let mut case = case.clone();
    for r in 0..case.program.routines.len() {
        let routine = &mut case.program.routines[r];
        let order = choose(routine);
        reorder(routine, &order);
        if r == case.main.index() {
            let mut new = vec![VarId::new(0); order.len()];
            for (k, v) in order.iter().enumerate() {
                new[v.index()] = VarId::new(k);
            }
            let point = case.point.iter_mut().map(|(v, _)| v);
            let weights = case.direction.iter_mut().chain(&mut case.seed);
            for v in point.chain(weights.map(|(v, _)| v)) {
                *v = new[v.index()];
            }
        }
    }
    case
}
