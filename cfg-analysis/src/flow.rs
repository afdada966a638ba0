//! The ways by which derivatives flow through statements, from the operands of a value to the place that is written.

use cfg_core::{
    entity::{RoutineId, VarId},
    ir::{Expr, Intent, Place, Routine, Stmt, StmtKind, Variable},
};

/// The flow of derivatives through a statement.
pub(crate) enum Flow<'a> {
    /// No value flows: places that are written, if any, may be written in part, and depend on no variable.
    None,
    /// Control does not pass the statement.
    End,
    /// The flow from a value to the place or tape that gets it.
    One(End<'a>, End<'a>),
    /// The flows from arguments to arguments and the result of a call.
    Call(Call<'a>),
}

/// An end of a flow.
#[derive(Clone, Copy)]
pub(crate) enum End<'a> {
    /// An expression that is evaluated.
    Value(&'a Expr),
    /// A place that is written.
    Place(&'a Place),
    /// A tape that is pushed on or popped from.
    Tape(VarId),
}

impl<'a> Flow<'a> {
    pub(crate) fn through_statement(routines: &'a [Routine], statement: &'a Stmt) -> Self {
        match &statement.kind {
            StmtKind::Assign { target, value } => Self::One(End::Value(value), End::Place(target)),
            StmtKind::Call {
                callee,
                arguments,
                result,
            } => Self::Call(Call {
                callee: *callee,
                called: &routines[callee.index()],
                arguments,
                result: result.as_ref(),
            }),
            StmtKind::Push { tape, value, .. } => Self::One(End::Value(value), End::Tape(*tape)),
            StmtKind::Pop { tape, target, .. } => Self::One(End::Tape(*tape), End::Place(target)),
            StmtKind::Opaque { .. }
            // Flat programs have no heap statements.
            | StmtKind::Allocate { .. } | StmtKind::Free { .. } | StmtKind::Resize { .. } => Self::None,
            StmtKind::Stop { .. } => Self::End,
        }
    }
}

/// A call statement.
#[derive(Clone, Copy)]
pub(crate) struct Call<'a> {
    pub(crate) callee: RoutineId,
    pub(crate) called: &'a Routine,
    arguments: &'a [Option<Expr>],
    result: Option<&'a Place>,
}

/// A place that a call may write.
#[derive(Clone, Copy)]
pub(crate) struct Output<'a> {
    pub(crate) formal: VarId,
    pub(crate) place: &'a Place,
    /// True if the call replaces the value of the whole place by the formal's value at EXIT.
    pub(crate) replaced: bool,
}

impl<'a> Call<'a> {
    /// True if the body does not determine the flow: there is none, or the user gives the derivatives, which may lead
    /// from every input to every output.
    pub(crate) fn is_given(&self) -> bool {
        self.called.body.is_none() || self.called.derivatives.is_some()
    }

    /// The formals with the arguments that are present.
    fn bound(&self) -> impl Iterator<Item = (VarId, &'a Variable, &'a Expr)> {
        let formals = self.called.parameter_ids().zip(self.arguments);
        let called = self.called;
        formals.filter_map(move |(p, e)| Some((p, called.variable(p), e.as_ref()?)))
    }

    /// All arguments that are present.
    pub(crate) fn arguments(&self) -> impl Iterator<Item = &'a Expr> {
        self.arguments.iter().flatten()
    }

    /// The tapes among the arguments.
    pub(crate) fn tapes(&self) -> impl Iterator<Item = (VarId, VarId)> {
        let tapes = self.bound().filter(|(_, formal, _)| formal.ty.is_tape());
        tapes.filter_map(|(p, _, e)| match e {
            Expr::Place(place) => Some((p, place.var)),
            Expr::Int(_)
            | Expr::Real(_)
            | Expr::Real32(_)
            | Expr::Logical(_)
            | Expr::Op(..)
            | Expr::Null(_)
            | Expr::Addr(_) => None,
        })
    }

    /// The arguments whose values the routine may read.
    pub(crate) fn inputs(&self) -> impl Iterator<Item = (VarId, &'a Expr)> {
        let reads = |formal: &Variable| formal.intent() != Some(Intent::Out);
        (self.bound().filter(move |(_, formal, _)| reads(formal))).map(|(p, _, e)| (p, e))
    }

    /// The inputs that may contribute to an output by the declaration alone: those with partials, or all if no
    /// partials are given.
    pub(crate) fn given_inputs(&self) -> impl Iterator<Item = (VarId, &'a Expr)> {
        let partials = match (&self.called.external, &self.called.derivatives) {
            (Some(external), None) => external.partials.as_ref(),
            (None, _) | (Some(_), Some(_)) => None,
        };
        (self.inputs()).filter(move |(p, _)| {
            partials.is_none_or(|partials| partials.iter().any(|d| d.parameter == *p))
        })
    }

    /// The places that the call may write, of its arguments and its result.
    pub(crate) fn outputs(&self) -> impl Iterator<Item = Output<'a>> {
        let has_body = self.called.body.is_some();
        let arguments = self.bound().filter_map(move |(formal, variable, e)| {
            let intent = variable.intent().filter(|i| i.writes())?;
            let Expr::Place(place) = e else { return None };
            // An array formal may be a view of a part of the array only.
            let replaced = variable.rank() == 0 && (intent == Intent::Out || has_body);
            Some(Output {
                formal,
                place,
                replaced,
            })
        });
        let result = self.result.zip(self.called.result);
        arguments.chain(result.map(|(place, formal)| Output {
            formal,
            place,
            replaced: true,
        }))
    }
}
