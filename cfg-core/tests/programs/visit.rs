//! The visitor that reads and the one that changes go the same ways.

use cfg_core::entity::VarId;
use cfg_core::ir::visit::{PlaceRole, Visit, VisitMut, walk_place, walk_place_mut};
use cfg_core::ir::{Place, Routine};
use cfg_testkit::generate::{Options, generate};

#[derive(Default)]
struct Read(Vec<(VarId, PlaceRole)>);

impl<'ir> Visit<'ir> for Read {
    fn visit_place(&mut self, place: &'ir Place, role: PlaceRole) {
        self.0.push((place.var, role));
        walk_place(self, place);
    }

    fn visit_variable(&mut self, v: &'ir VarId, role: PlaceRole) {
        self.0.push((*v, role));
    }
}

/// Counts the variables of a routine from the other end.
struct Reverse {
    variables: usize,
    roles: Vec<(VarId, PlaceRole)>,
}

impl Reverse {
    fn change(&mut self, v: &mut VarId, role: PlaceRole) {
        self.roles.push((*v, role));
        *v = VarId::new(self.variables - 1 - v.index());
    }
}

impl VisitMut for Reverse {
    fn visit_place(&mut self, place: &mut Place, role: PlaceRole) {
        self.change(&mut place.var, role);
        walk_place_mut(self, place);
    }

    fn visit_variable(&mut self, v: &mut VarId, role: PlaceRole) {
        self.change(v, role);
    }
}

fn reversed(routine: &Routine) -> (Routine, Vec<(VarId, PlaceRole)>) {
    let mut changed = routine.clone();
    let mut reverse = Reverse {
        variables: routine.variables.len(),
        roles: Vec::new(),
    };
    reverse.visit_routine(&mut changed);
    (changed, reverse.roles)
}

#[test]
fn what_is_changed_is_what_is_read() {
    for seed in 0..100 {
        let Ok(case) = generate(&Options::WIDE, seed) else {
            continue;
        };
        for routine in &case.program.routines {
            let mut read = Read::default();
            read.visit_routine(routine);
            let (changed, roles) = reversed(routine);
            assert_eq!(read.0, roles, "seed {seed}");
            // Every name was reversed once, so that another time gives back the routine.
            assert_eq!(reversed(&changed).0, *routine, "seed {seed}");
            let mut after = Read::default();
            after.visit_routine(&changed);
            let n = routine.variables.len();
            let back = |(v, role): &(VarId, PlaceRole)| (VarId::new(n - 1 - v.index()), *role);
            assert_eq!(
                after.0.iter().map(back).collect::<Vec<_>>(),
                roles,
                "seed {seed}"
            );
        }
    }
}
