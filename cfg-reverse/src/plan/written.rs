//! The positions in the order of a structured graph at which locations may be written. A loop or a branch is an
//! interval of that order, so that "may its body write this?" takes one binary search.

use cfg_core::{
    entity::{RoutineId, VarId},
    ir::{Cfg, Expr},
    memory::{locations::Locations, named::Named},
    structure::Structure,
};
use fixedbitset::FixedBitSet;
use std::ops::RangeInclusive;

use crate::prepare::context::Context;

/// The positions at which the locations of some variables may be written.
pub(crate) struct Written<'a> {
    locations: &'a Locations,
    /// The variables whose locations are followed, by location.
    followed: FixedBitSet,
    /// Ascending positions, by location.
    positions: Vec<Vec<u32>>,
}

impl<'a> Written<'a> {
    /// Follows none of `variables` variables yet.
    pub(crate) fn new(locations: &'a Locations, variables: usize) -> Self {
        Self {
            locations,
            followed: FixedBitSet::with_capacity(variables),
            positions: vec![Vec::new(); variables],
        }
    }

    /// Follows a variable.
    pub(crate) fn follow(&mut self, v: VarId) {
        self.followed.insert(self.locations.of_variable(v).index());
    }

    /// Finds the positions; a counted loop writes its index. `changed`: the statements differ from those that the
    /// summary describes.
    pub(crate) fn find(
        &mut self,
        context: &Context,
        id: RoutineId,
        cfg: &Cfg,
        structure: &Structure,
        changed: bool,
    ) {
        if self.followed.is_clear() {
            return;
        }
        let (program, summary) = (&context.program, &context.summary);
        let location = |v: VarId| self.locations.of_variable(v).index();
        let mut assigned = summary.assigned[id.index()].ones();
        let assigns = changed
            || !summary.callees(id).is_empty()
            || assigned.any(|v| self.followed.contains(location(VarId::new(v))));
        let globals = Named::collect(program.routine(id));
        for (position, &v) in structure.order.iter().enumerate() {
            let mut at = |u: VarId| {
                let list = &mut self.positions[location(u)];
                if self.followed.contains(location(u)) && list.last() != Some(&(position as u32)) {
                    list.push(position as u32);
                }
            };
            let vertex = cfg.vertex(v);
            vertex.kind.index().into_iter().for_each(&mut at);
            let statements = vertex.statements().iter().filter(|_| assigns);
            for statement in statements {
                summary.each_written(program, &globals, statement, &mut at);
            }
        }
    }

    /// True if a variable may be written in a range of positions. Assumes that the variable is followed.
    pub(crate) fn is_written_in(&self, v: VarId, range: &RangeInclusive<u32>) -> bool {
        let list = &self.positions[self.locations.of_variable(v).index()];
        let first = list.partition_point(|x| x < range.start());
        list.get(first).is_some_and(|x| range.contains(x))
    }

    /// True if a variable that an expression names may be written in a range of positions.
    pub(crate) fn changes(&self, e: &Expr, range: &RangeInclusive<u32>) -> bool {
        let mut found = false;
        e.walk_places(&mut |p| found |= self.is_written_in(p.var, range));
        found
    }
}
