//! Integers that the reverse sweep assigns again: in front of a statement that overwrites t, t has the value of an
//! assignment t := e further up in the same block, and nothing writes what e reads. The reverse sweep then executes
//! t := e in place of a pop.
//!
//! L. Hascoët, V. Pascual, *The Tapenade AD tool*, INRIA RR-7957, section 4.9, calls this recomputation.

use cfg_core::{
    dataflow::Position,
    entity::VarId,
    flat::{FlatClass, FlatExpr},
    ir::{Expr, Place, Role},
    memory::access::Access,
};
use std::collections::{BTreeMap, HashMap};

use super::Search;

/// Most operators and operands of an expression that is evaluated again.
const MOST_NODES: usize = 7;

impl Search<'_, '_> {
    /// The values in front of assignments that overwrite local integers, as far as they can be computed again.
    pub(super) fn values_again(&self) -> BTreeMap<Position, Expr> {
        let mut found = BTreeMap::new();
        for (v, vertex) in self.draft.cfg.vertices() {
            let mut known: HashMap<VarId, &Expr> = HashMap::new();
            for (s, statement) in vertex.statements().iter().enumerate() {
                let assigned = statement.kind.assignment();
                let assigned = assigned.filter(|(target, _)| self.is_own_integer(target));
                if let Some(value) = assigned.and_then(|(target, _)| known.get(&target.var)) {
                    let at = Position {
                        vertex: v,
                        statement: s,
                    };
                    found.insert(at, (*value).clone());
                }
                self.accesses.each_access(statement, &mut |access| {
                    if let Access::Write(x) | Access::MayWrite(x) = access {
                        known.remove(&x);
                    }
                });
                if let Some((target, value)) = assigned
                    && self.lasts(value)
                {
                    known.insert(target.var, value);
                }
            }
        }
        found
    }

    fn is_own_integer(&self, target: &Place) -> bool {
        let variable = self.routine.variable(target.var);
        variable.role == Role::Local
            && variable.ty.is_integer()
            && variable.rank() == 0
            && self.routine.result != Some(target.var)
            && !self.draft.locations.is_shared(target.var)
    }

    /// True if an expression is cheap, and reads elements and scalars that nothing writes.
    fn lasts(&self, e: &Expr) -> bool {
        let (mut nodes, mut lasts) = (0, true);
        e.walk(&mut |e| {
            nodes += 1;
            lasts &= match FlatExpr::view(e) {
                FlatExpr::Constant(_) => true,
                FlatExpr::Place(place) => {
                    let rank = self.routine.variable(place.var).rank();
                    self.unwritten.contains(place.var.index())
                        && (place.is_element() || place.subscripts.is_empty() && rank == 0)
                }
                FlatExpr::Op(op, _) => matches!(FlatClass::view(op), FlatClass::Elemental),
            };
        });
        lasts && nodes <= MOST_NODES
    }
}
