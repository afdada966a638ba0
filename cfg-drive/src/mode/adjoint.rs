//! Gradients: the forward and the reverse sweep.

use super::derived::{Active, Derived, generated};
use super::{Named, Trace};
use crate::codes;
use crate::options::Options;
use crate::point::{Point, zeros_like};
use crate::slot::{Slot, active_slots};
use cfg_core::diagnostic::{Diagnostic, Diagnostics};
use cfg_core::elemental::Scalar;
use cfg_core::entity::RoutineId;
use cfg_core::flat::Flat;
use cfg_core::ir::Cfg;
use cfg_exec::{Lease, Met, RunReport, TapeCounts, Value};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::time::Duration;

/// The most dependents that a message names.
const MOST_NAMED: usize = 5;

/// A routine with its adjoint: gradients.
#[derive(Debug)]
pub struct Adjoint {
    derived: Derived,
    forward: RoutineId,
    reverse: RoutineId,
    /// Originals with their forward and reverse sweeps.
    sweeps: Vec<(RoutineId, RoutineId, RoutineId)>,
    warnings: Diagnostics,
}

/// Results of a forward and a reverse sweep.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Gradient {
    /// The dependents that the point has.
    pub value: Named,
    /// The adjoints of the independents that the point has.
    pub gradient: Named,
    /// Counts of the tape's use; only the executor counts.
    pub tape: Option<TapeCounts>,
    /// True if all tapes were empty at the end.
    pub tapes_are_empty: bool,
    /// The original vertices visited, if [`Options::trace`] is set.
    pub trace: Trace,
    /// True if the sweeps visited the vertices of every called routine in opposite orders, LOOP and ENDLOOP aside;
    /// known if [`Options::trace`] is set.
    pub mirrored: Option<bool>,
    /// Kinks and singular points, if [`Options::events`] is set.
    pub events: Vec<Met>,
    /// The lease that pays for these values.
    held: Lease,
}

impl Adjoint {
    /// Reverses the routine and compiles the result.
    ///
    /// # Errors
    /// The routine has something that cannot be reversed or run.
    pub fn new(program: &Flat, routine: RoutineId, options: &Options) -> Result<Self, Diagnostics> {
        active_slots(program.routine(routine))?;
        let given = Cow::Borrowed(program);
        let (limited, warnings) = cfg_reverse::keep_states(given, routine, &options.reversal)?;
        let reversal = cfg_reverse::reverse(&limited, routine, &options.reversal)?;
        let mut adjoint = Self {
            warnings,
            ..Self::compile(reversal, options)?
        };
        let routines = limited.routines.iter();
        let mut vertices = routines.flat_map(|r| r.body.iter().flat_map(Cfg::vertices));
        if vertices.any(|(_, vertex)| vertex.checkpoint.is_some()) {
            adjoint.derived.place_in(program.clone());
        }
        Ok(adjoint)
    }

    /// Warnings of loops that are recorded in spite of a limit of the tape's memory.
    pub fn warnings(&self) -> &Diagnostics {
        &self.warnings
    }

    /// Compiles a reversal.
    ///
    /// # Errors
    /// The program has something that cannot be run.
    pub fn compile(
        reversal: cfg_reverse::Reversal,
        options: &Options,
    ) -> Result<Self, Diagnostics> {
        let sweeps = reversal.sweeps.iter().flat_map(|s| [s.1, s.2]);
        let given = generated(&reversal.program, sweeps.chain([reversal.gradient]));
        Ok(Self {
            forward: reversal.forward,
            reverse: reversal.reverse,
            sweeps: reversal.sweeps,
            warnings: Diagnostics::default(),
            derived: Derived::new(
                reversal.program,
                (reversal.original, given),
                (reversal.gradient, &reversal.signature),
                reversal.adjoint_globals,
                options,
            )?,
        })
    }

    /// A copy of the adjoint for another thread, with tapes, memory and an account of memory of its own. The code is
    /// shared: nothing is reversed or compiled again, but by an engine in place of the executor.
    ///
    /// # Errors
    /// An engine in place of the executor cannot prepare the routine.
    pub fn for_thread(&self) -> Result<Self, Diagnostics> {
        Ok(Self {
            derived: self.derived.for_thread()?,
            forward: self.forward,
            reverse: self.reverse,
            sweeps: self.sweeps.clone(),
            warnings: self.warnings.clone(),
        })
    }

    /// The program with the generated routines.
    pub fn program(&self) -> &Flat {
        &self.derived.program
    }

    /// Reads a POINT.
    ///
    /// # Errors
    /// All problems found, with pointers into `text`.
    pub fn read_point(&self, text: &[u8]) -> Result<Point, Diagnostics> {
        self.derived.point(text)
    }

    /// Reads a SEED, or a list of them (then true): one value per dependent that the point has.
    ///
    /// # Errors
    /// All problems found, with pointers into `text`.
    pub fn read_seeds(
        &self,
        text: &[u8],
        point: &Point,
    ) -> Result<(Vec<Vec<Value>>, bool), Diagnostics> {
        let slots = &self.derived.dependents;
        self.derived.seeds(text, "SEED", slots, point)
    }

    /// The default seed: 1 for a single dependent with one element. Dependents that the point does not have do not
    /// count, nor do parameters and globals without elements, such as null pointers.
    ///
    /// # Errors
    /// There are several dependents, or one with several elements; or the point has none of them.
    pub fn default_seed(&self, point: &Point) -> Result<Vec<Value>, Diagnostics> {
        let (shapes, held) = self.derived.present(&self.derived.dependents, point)?;
        let has_elements = |(slot, value): &&(Slot, Value)| match slot {
            Slot::Parameter(_) | Slot::Global(_) => !value.is_empty(),
            // The extents of a result may not be known before the run.
            Slot::Result(_) => true,
        };
        let mut counted: Vec<&(Slot, Value)> = shapes.iter().filter(has_elements).collect();
        if let [(_, value)] = counted[..]
            && value.len() == 1
        {
            self.derived.keep(held);
            return Ok(ones(shapes));
        }
        if counted.is_empty() {
            counted.extend(&shapes);
        }
        let names: Vec<&str> = counted
            .iter()
            .map(|(slot, _)| slot.key(&self.derived.program, self.derived.declared()))
            .collect();
        let more = match names.len().saturating_sub(MOST_NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let first = &names[..names.len().min(MOST_NAMED)];
        Err(codes::general(
            &codes::SEED,
            format!(
                "the dependents {}{more} are not a single scalar",
                first.join(", ")
            ),
            "name one with --dependent NAME, or give the adjoints of the dependents with --seed",
        ))
    }

    /// A seed of ones: the gradient of the sum of all elements of all dependents. It counts against the limit on memory
    /// until another seed is made or read.
    ///
    /// # Errors
    /// The point has no dependent; more memory than allowed.
    pub fn seed_of_ones(&self, point: &Point) -> Result<Vec<Value>, Diagnostics> {
        let (shapes, held) = self.derived.present(&self.derived.dependents, point)?;
        self.derived.keep(held);
        Ok(ones(shapes))
    }

    /// Zeros in the shapes of the dependents that the point has.
    pub(crate) fn dependents_at(&self, point: &Point) -> Result<Vec<Value>, Diagnostics> {
        let (shapes, _held) = self.derived.present(&self.derived.dependents, point)?;
        Ok(shapes.iter().map(|(_, v)| zeros_like(v)).collect())
    }

    /// Runs the forward and the reverse sweep. The seed has one value for each dependent that the point has,
    /// in the order of the declarations; an absent optional parameter has none. Seeds of dependents that
    /// share cells (globals that lie over each other) are added.
    ///
    /// # Errors
    /// The seed does not fit; the run fails; a dependent has no value; the point has no dependents or no
    /// independents.
    pub fn gradient(&mut self, point: &Point, seed: &[Value]) -> Result<Gradient, Diagnostics> {
        let mut results = Gradient::default();
        let ran = self.gradient_into(point, seed, &mut results);
        self.derived.forget_arguments();
        ran.map(|()| results)
    }

    /// Runs both sweeps as [`Self::gradient`] does, with results that replace those of an earlier call. No memory is
    /// allocated where the executor runs, shapes are those of that call, and no globals are differentiated or given.
    ///
    /// # Errors
    /// The errors are those of [`Self::gradient`]. Results are then not to be used.
    pub fn gradient_into(
        &mut self,
        point: &Point,
        seed: &[Value],
        results: &mut Gradient,
    ) -> Result<(), Diagnostics> {
        if let Some(counts) = results.tape.take() {
            self.derived.recycle(counts);
        }
        // A value that is replaced counts no more.
        results.held = self.derived.room(0)?;
        let derived = &self.derived;
        if !(derived.independents.iter()).any(|slot| point.has(*slot)) {
            derived.slots_at(&derived.independents, point)?;
        }
        results.events = self.derived.events(point)?;
        let report = self.derived.execute(point, Active::Dependents, seed)?;
        let derived = &self.derived;
        let shown = [&*derived.dependents, &*derived.independents];
        let mut held = derived.room_for(&shown)?;
        let visits = report.trace.len() as u64;
        held.join(derived.room(visits)?);
        results.trace = Trace {
            forward: self.images(&report, self.forward),
            reverse: self.images(&report, self.reverse),
        };
        derived.named(&derived.dependents, &mut results.value)?;
        derived.named_derivatives(&derived.independents, &mut results.gradient)?;
        results.tapes_are_empty = report.tape.leftovers.iter().all(|l| l.is_empty());
        results.mirrored = derived
            .traces()
            .then(|| crate::visits::mirrored(&derived.program, &self.sweeps, &report.trace));
        results.tape = derived.counts().then_some(report.tape);
        results.held = held;
        Ok(())
    }

    /// The first operation at which a derivative becomes infinite or NaN, as a warning; `None` if no derivative does
    /// at a singular point. Needs [`Options::events`].
    ///
    /// # Errors
    /// The errors are those of [`Self::gradient`].
    pub(crate) fn singular(
        &mut self,
        point: &Point,
        seed: &[Value],
    ) -> Result<Option<Diagnostic>, Diagnostics> {
        let events = self.derived.events(point)?;
        let report = self.derived.execute(point, Active::Dependents, seed)?;
        self.derived.forget_arguments();
        Ok(self.derived.singular(&events, &report))
    }

    /// The time of `calls` runs of both sweeps, without that of copying values in. A first run is not counted.
    ///
    /// # Errors
    /// The errors are those of [`Self::gradient`].
    pub fn time(
        &mut self,
        point: &Point,
        seed: &[Value],
        calls: u64,
    ) -> Result<Duration, Diagnostics> {
        self.derived.time(point, Active::Dependents, seed, calls)
    }

    /// The use of the tape by both sweeps, also by an engine other than the executor, which is prepared once more
    /// with counting. Trip counts take as many bits as the engine writes; all other counts are the same for every
    /// engine.
    ///
    /// # Errors
    /// The errors are those of [`Self::gradient`].
    pub fn tape(
        &mut self,
        point: &Point,
        seed: &[Value],
    ) -> Result<Option<TapeCounts>, Diagnostics> {
        match self.derived.counted(point, Active::Dependents, seed)? {
            Some(counts) => Ok(Some(counts)),
            None => Ok(self.gradient(point, seed)?.tape),
        }
    }

    /// The originals of the vertices that the first activation of a sweep visited. Vertices that were added when
    /// loops were written as jumps have no original, and are left out.
    fn images(&self, report: &RunReport, sweep: RoutineId) -> Vec<i64> {
        if report.trace.is_empty() {
            return Vec::new();
        }
        let original = &self.derived.declared().body;
        let (Some(body), Some(original)) = (&self.derived.program.routine(sweep).body, original)
        else {
            return Vec::new();
        };
        let originals: BTreeSet<i64> = original.vertices().map(|(_, vertex)| vertex.id).collect();
        let mut visits = report
            .trace
            .iter()
            .filter(|v| v.routine == sweep)
            .peekable();
        let first = visits.peek().map(|v| v.activation);
        visits
            .filter(|v| Some(v.activation) == first)
            .filter_map(|v| body.vertex(v.vertex).origin)
            .filter(|origin| origin.role.is_image())
            .map(|origin| origin.vertex)
            .filter(|id| originals.contains(id))
            .collect()
    }
}

/// Ones in the shapes of the given values.
fn ones(shapes: Vec<(Slot, Value)>) -> Vec<Value> {
    let one = |(_, mut value): (Slot, Value)| {
        value.fill(Scalar::Real(1.0));
        value.fill(Scalar::Real32(1.0));
        value
    };
    shapes.into_iter().map(one).collect()
}
