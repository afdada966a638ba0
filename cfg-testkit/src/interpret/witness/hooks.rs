//! Runs with a witness, and what the machine tells it.

use super::super::{Argument, Derivative, Fault, Frame, Limits, Machine, Outcome};
use super::{Report, Witness};
use cfg_core::entity::RoutineId;
use cfg_core::ir::{Expr, Intent, Place, Program, ScalarType, Stmt};
use std::collections::BTreeMap;

/// A routine with its arguments.
type Call<'a> = (RoutineId, &'a [Option<Argument<()>>]);

/// Runs a routine that calls forward and reverse sweeps, and compares each primal value that the reverse sweeps read
/// with the value that was there in the forward sweeps; see the head of `interpret/witness.rs`. The values that these
/// assign are compared with those of a `plain` run of the original. `sweeps` has the originals, each with its forward
/// and its reverse sweep, of a program without records and pointers. Arguments are
/// those of a run without a witness.
///
/// # Errors
/// The first fault.
pub fn interpret_with_witness(
    program: &Program,
    plain: (RoutineId, &[Option<Argument<()>>]),
    gradient: (RoutineId, &[Option<Argument<()>>]),
    sweeps: &[(RoutineId, RoutineId, RoutineId)],
    globals: &BTreeMap<usize, Argument<()>>,
    limits: Limits,
) -> Result<(Outcome<()>, Report), Fault> {
    let run = |(routine, arguments): Call<'_>| {
        let mut machine = Machine::new(program, routine, limits);
        machine.cells.witness = Some(Box::new(Witness::new(program, sweeps)));
        let outcome = machine.call(routine, arguments, globals)?;
        Ok((outcome, machine.cells.witness.take()))
    };
    let (_, plain) = run(plain)?;
    let (outcome, witness) = run(gradient)?;
    let plain = plain.map(|witness| witness.assigned).unwrap_or_default();
    let report = witness.map(|witness| witness.into_report(&plain));
    Ok((outcome, report.unwrap_or_default()))
}

impl<D: Derivative> Machine<'_, D> {
    /// Tells the witness of a statement of a block, or of the test of a vertex.
    pub(in super::super) fn begin(&mut self, frame: &Frame, statement: Option<(&[Stmt], usize)>) {
        if let Some(witness) = &mut self.cells.witness {
            witness.begin(frame.routine, frame.activation, statement);
        }
    }

    /// Tells the witness of the places that are passed to a routine which is no sweep and reads them. Reverse sweeps
    /// do not restore what such a routine may change.
    pub(in super::super) fn note_operands(
        &mut self,
        frame: &Frame,
        callee: RoutineId,
        arguments: &[Option<Expr>],
    ) {
        let witness = self.cells.witness.as_ref();
        let Some(witness) = witness.filter(|witness| !witness.is_sweep(callee)) else {
            return;
        };
        let comparing = witness.is_comparing();
        let formals = self.program.routine(callee);
        for (p, argument) in formals.parameter_ids().zip(arguments) {
            let is_read = match formals.variable(p).intent() {
                Some(Intent::In) => true,
                Some(Intent::InOut) => !comparing,
                Some(Intent::Out) | None => false,
            };
            if let Some(Expr::Place(place)) = argument
                && is_read
                && formals.variable(p).ty != ScalarType::Tape
                && frame.views[place.var.index()].allocated
            {
                // An element may stand for those from there on, too.
                let place = match comparing || formals.variable(p).shape.is_empty() {
                    true => place.clone(),
                    false => Place::whole(place.var),
                };
                // A place that does not exist is a fault of the call.
                let _ = self.scope(&frame.views).eval(&Expr::Place(place));
            }
        }
    }

    pub(in super::super) fn end(&mut self) {
        if let Some(witness) = &mut self.cells.witness {
            witness.end();
        }
    }
}
