//! Derivatives in a direction: the tangent program.

use super::Named;
use super::derived::{Active, Derived, generated};
use crate::codes;
use crate::options::Options;
use crate::point::Point;
use crate::slot::active_slots;
use cfg_core::diagnostic::Diagnostics;
use cfg_core::entity::RoutineId;
use cfg_core::flat::Flat;
use cfg_exec::{Lease, Met, Value};

/// A routine with its tangent.
#[derive(Debug)]
pub struct Tangent {
    derived: Derived,
}

/// Results of a run of the tangent program.
#[derive(Clone, Debug, PartialEq)]
pub struct Directional {
    /// The dependents that the point has.
    pub value: Named,
    /// The derivatives of the dependents in the direction.
    pub tangent: Named,
    /// Kinks and singular points, if [`Options::events`] is set.
    pub events: Vec<Met>,
    /// The lease that pays for these values.
    held: Lease,
}

impl Tangent {
    /// Differentiates the routine in forward mode and compiles the result.
    ///
    /// # Errors
    /// The routine has something that cannot be differentiated or run.
    pub fn new(program: &Flat, routine: RoutineId, options: &Options) -> Result<Self, Diagnostics> {
        active_slots(program.routine(routine))?;
        let tangent = cfg_reverse::tangent_with(program, routine, (&options.reversal).into())?;
        Self::compile(tangent, options)
    }

    /// Compiles a tangent program.
    ///
    /// # Errors
    /// The program has something that cannot be run.
    pub fn compile(tangent: cfg_reverse::Tangent, options: &Options) -> Result<Self, Diagnostics> {
        let given = generated(&tangent.program, tangent.pairs.iter().map(|p| p.1));
        Ok(Self {
            derived: Derived::new(
                tangent.program,
                (tangent.original, given),
                (tangent.tangent, &tangent.signature),
                tangent.tangent_globals,
                options,
            )?,
        })
    }

    /// Reads a POINT.
    ///
    /// # Errors
    /// All problems found, with pointers into `text`.
    pub fn read_point(&self, text: &[u8]) -> Result<Point, Diagnostics> {
        self.derived.point(text)
    }

    /// Reads a direction: one value per independent that the point has.
    ///
    /// # Errors
    /// All problems found, with pointers into `text`.
    pub fn read_direction(&self, text: &[u8], point: &Point) -> Result<Vec<Value>, Diagnostics> {
        let slots = &self.derived.independents;
        let (directions, _) = self.derived.seeds(text, "the direction", slots, point)?;
        match <[Vec<Value>; 1]>::try_from(directions) {
            Ok([direction]) => Ok(direction),
            Err(_) => Err(codes::general(
                &codes::SHAPE,
                "one direction is needed",
                "give an object, not an array",
            )),
        }
    }

    /// Runs the tangent program. The direction has one value for each independent that the point has, in
    /// the order of the declarations; an absent optional parameter has none.
    ///
    /// # Errors
    /// The direction does not fit; the run fails; a dependent has no value; the point has no independents or no
    /// dependents.
    pub fn tangent(
        &mut self,
        point: &Point,
        direction: &[Value],
    ) -> Result<Directional, Diagnostics> {
        self.derived.slots_at(&self.derived.dependents, point)?;
        let events = self.derived.events(point)?;
        let _report = self
            .derived
            .execute(point, Active::Independents, direction)?;
        let derived = &self.derived;
        let held = derived.room_for(&[&*derived.dependents])?;
        let (mut value, mut tangent) = (Named::new(), Named::new());
        derived.named(&derived.dependents, &mut value)?;
        derived.named_derivatives(&derived.dependents, &mut tangent)?;
        self.derived.forget_arguments();
        Ok(Directional {
            value,
            tangent,
            events,
            held,
        })
    }
}
