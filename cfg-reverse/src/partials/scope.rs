//! Routines whose derivative code is being written.

use cfg_core::{
    entity::VarId,
    ir::{Expr, Place, Routine, ScalarType},
    memory::locations::Locations,
};
use fixedbitset::FixedBitSet;

use crate::{
    code::{
        names::Namer,
        temporaries::Temporaries,
        typing::{self, ExprType},
    },
    partials::linearize::{Nodes, Workspace},
};

/// A routine whose derivative code is being written.
pub(crate) struct Scope {
    /// Variables of the original, then derivative variables and temporaries.
    pub(crate) routine: Routine,
    pub(crate) namer: Namer,
    pub(crate) temporaries: Temporaries,
    pub(crate) workspace: Workspace,
    /// The derivative variable (adjoint or tangent) of each variable of the original that has one.
    pub(crate) derivative: Vec<Option<VarId>>,
    /// Variables of the original that are active; each has a derivative variable.
    pub(crate) active: FixedBitSet,
    /// The variables that may share cells, as locations.
    pub(crate) locations: Locations,
}

impl Scope {
    pub(super) fn is_active(&self, v: VarId) -> bool {
        self.active.contains(v.index())
    }

    /// The derivative of a place: the same subscripts on the derivative variable.
    pub(crate) fn derivative_place(&self, place: &Place) -> Option<Place> {
        let var = self.derivative.get(place.var.index()).copied().flatten()?;
        Some(Place {
            var,
            subscripts: place.subscripts.clone(),
        })
    }

    pub(super) fn nodes<'e>(&mut self, value: &'e Expr) -> Nodes<'e> {
        let workspace = std::mem::take(&mut self.workspace);
        Nodes::of(
            &self.routine.variables,
            value,
            &|v| self.is_active(v),
            workspace,
        )
    }

    pub(super) fn take(&mut self, base: &'static str, ty: ExprType) -> VarId {
        self.temporaries
            .take(&mut self.routine, &mut self.namer, base, ty)
    }

    /// Number of dimensions of an expression.
    pub(crate) fn rank(&self, expr: &Expr) -> usize {
        self.type_of(expr).rank
    }

    /// A scalar temporary.
    pub(crate) fn scalar_temporary(&mut self, ty: ScalarType) -> VarId {
        self.take("d", ExprType { ty, rank: 0 })
    }

    pub(super) fn type_of(&self, expr: &Expr) -> ExprType {
        typing::of(&self.routine.variables, expr)
    }
}

/// The forward routine, for the temporaries of linearized code: variables up to the tape as in the
/// reverse routine, then its own.
#[derive(Clone)]
pub(crate) struct ForwardScope {
    pub(crate) routine: Routine,
    pub(crate) temporaries: Temporaries,
}

/// A scalar temporary of the forward routine, with a name that the reverse routine does not have.
pub(crate) fn forward_temporary(
    scope: &mut Scope,
    forward: &mut ForwardScope,
    base: &'static str,
    ty: ScalarType,
) -> VarId {
    let ty = ExprType { ty, rank: 0 };
    forward
        .temporaries
        .take(&mut forward.routine, &mut scope.namer, base, ty)
}
