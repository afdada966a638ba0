//! Calls as the analyses of activity see them.

use cfg_core::{
    entity::{RoutineId, VarId},
    ir::{Expr, Intent, Place, Routine, Stmt, StmtKind, Variable},
};

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
    /// True if all of the place has another value after the call, or the one that the formal brings out.
    pub(crate) replaced: bool,
}

impl<'a> Call<'a> {
    /// The call that a statement is.
    pub(crate) fn of(routines: &'a [Routine], statement: &'a Stmt) -> Option<Self> {
        match &statement.kind {
            StmtKind::Call {
                callee,
                arguments,
                result,
            } => Some(Self {
                callee: *callee,
                called: &routines[callee.index()],
                arguments,
                result: result.as_ref(),
            }),
            StmtKind::Assign { .. }
            | StmtKind::Push { .. }
            | StmtKind::Pop { .. }
            | StmtKind::Opaque { .. } => None,
        }
    }

    /// True if what the routine does is not only what its body says: it has none, or the user gives its derivatives,
    /// which may take from every input to every output.
    pub(crate) fn is_given(&self) -> bool {
        self.called.body.is_none() || self.called.derivatives.is_some()
    }

    /// The formals with the arguments that are present.
    fn bound(&self) -> impl Iterator<Item = (VarId, &'a Variable, &'a Expr)> {
        let formals = self.called.parameter_ids().zip(self.arguments);
        let called = self.called;
        formals.filter_map(move |(p, e)| Some((p, called.variable(p), e.as_ref()?)))
    }

    /// The arguments that bring something in.
    pub(crate) fn inputs(&self) -> impl Iterator<Item = (VarId, &'a Expr)> {
        let reads = |formal: &Variable| formal.intent() != Some(Intent::Out);
        (self.bound().filter(move |(_, formal, _)| reads(formal))).map(|(p, _, e)| (p, e))
    }

    /// The inputs from which something may come out if only what is known of a routine without a body counts: the
    /// parameters that have partials, or all.
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
            // An array formal may be smaller than the array that it is a view of.
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
