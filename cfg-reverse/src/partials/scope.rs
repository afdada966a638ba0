//! Routines whose derivative code is being written.

use cfg_analysis::exceptions::Exceptions;
use cfg_core::{
    dataflow::Position,
    elemental::Strong,
    entity::{VarId, VertexId},
    ir::{Expr, Place, Routine, ScalarType},
    memory::locations::Locations,
};
use fixedbitset::FixedBitSet;
use std::sync::Arc;

use crate::{
    code::{
        names::Namer,
        routines::is_deferred,
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
    /// Variables of the original that are varied at some point: their derivatives contribute where they are read.
    /// Each has a derivative variable.
    pub(crate) active: FixedBitSet,
    /// Variables of the original whose derivatives are wanted where they are written. For adjoints, those that are
    /// active at some point; for tangents, those that are useful at some point.
    pub(crate) wanted: FixedBitSet,
    /// The statements at which fewer variables are varied or wanted than the sets above have.
    pub(crate) exceptions: Arc<Exceptions>,
    /// The statement whose derivative is being written.
    pub(crate) here: Position,
    /// The variables that may share cells, as locations.
    pub(crate) locations: Locations,
    /// The products of derivatives and partials that are strong.
    pub(crate) strong: Strong,
}

impl Scope {
    /// The routine with its own variables; none has a derivative yet.
    pub(crate) fn new(
        routine: Routine,
        namer: Namer,
        locations: Locations,
        exceptions: Arc<Exceptions>,
        strong: Strong,
    ) -> Self {
        let n = routine.variables.len();
        Self {
            routine,
            namer,
            temporaries: Temporaries::default(),
            workspace: Workspace::default(),
            derivative: vec![None; n],
            active: FixedBitSet::with_capacity(n),
            wanted: FixedBitSet::with_capacity(n),
            exceptions,
            here: Position {
                vertex: VertexId::new(0),
                statement: 0,
            },
            locations,
            strong,
        }
    }

    /// True if the derivative of a variable contributes where the present statement reads it.
    pub(crate) fn contributes(&self, v: VarId) -> bool {
        self.contributes_at(self.here, v)
    }

    /// True if the derivative of a variable contributes where a statement reads it.
    pub(crate) fn contributes_at(&self, at: Position, v: VarId) -> bool {
        self.active.contains(v.index()) && !self.exceptions.is_constant(at, v)
    }

    /// True if the present statement writes a variable whose derivative is wanted there.
    pub(crate) fn is_target(&self, v: VarId) -> bool {
        self.is_target_at(self.here, v)
    }

    /// True if the statement at `at` writes a variable whose derivative is wanted there.
    pub(crate) fn is_target_at(&self, at: Position, v: VarId) -> bool {
        self.wanted.contains(v.index()) && !self.exceptions.is_useless(at)
    }

    /// True if assigning to the place gives a variable of deferred extents its shape.
    pub(crate) fn gives_shape(&self, place: &Place) -> bool {
        place.subscripts.is_empty() && is_deferred(self.routine.variable(place.var))
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
        Nodes::split(
            &self.routine.variables,
            value,
            &|v| self.contributes(v),
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
        typing::expr_type(&self.routine.variables, expr)
    }
}

/// The forward routine, as far as linearized code needs it for temporaries: up to the tape the variables of the
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
