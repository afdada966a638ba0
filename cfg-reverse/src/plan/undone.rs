//! Values that the reverse sweep computes from later ones: the steps that it undoes, and running indices behind loops.

use cfg_core::{
    dataflow::Position,
    entity::{VarId, VertexId},
    ir::Expr,
};
use std::collections::BTreeMap;

/// The steps of a routine that the reverse sweep undoes, and the values that it computes behind loops.
#[derive(Debug, Default)]
pub(crate) struct Steps {
    /// The value before a step by the value behind it, and the value before an assignment by what nothing overwrites.
    pub(super) inverses: BTreeMap<Position, Expr>,
    /// The values behind loops, by header.
    pub(super) computed: BTreeMap<VertexId, Vec<Computed>>,
}

/// A value that the reverse sweep computes behind a loop.
#[derive(Clone, Debug)]
pub(crate) struct Computed {
    pub(crate) variable: VarId,
    pub(crate) value: Expr,
    /// The amount that is added for each pass of the loop, modulo 2^64, if the count is recorded.
    pub(crate) per_pass: Option<Expr>,
}

impl Computed {
    /// The expressions that the reverse sweep evaluates.
    pub(crate) fn evaluated(&self) -> impl Iterator<Item = &Expr> {
        std::iter::once(&self.value).chain(&self.per_pass)
    }
}

impl Steps {
    /// Calls `visit` with the expressions that the reverse sweep evaluates, and the vertices of their steps or loops.
    pub(crate) fn each_evaluated<'a>(&'a self, visit: &mut impl FnMut(VertexId, &'a Expr)) {
        self.inverses.iter().for_each(|(at, e)| visit(at.vertex, e));
        for (&header, values) in &self.computed {
            values
                .iter()
                .flat_map(Computed::evaluated)
                .for_each(|e| visit(header, e));
        }
    }

    /// The value before the step at a position.
    pub(crate) fn inverse(&self, at: Position) -> Option<&Expr> {
        self.inverses.get(&at)
    }

    /// The values that are computed behind the loop with a header.
    pub(crate) fn computed_behind(&self, header: VertexId) -> &[Computed] {
        self.computed.get(&header).map_or(&[], |list| list)
    }
}
