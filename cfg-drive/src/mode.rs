//! The three ways of running a routine: itself, its adjoint, its tangent. Each is compiled once and keeps
//! its memory and tapes from run to run.

mod adjoint;
mod derived;
mod original_place;
mod tangent;
mod unassigned;

pub use adjoint::{Adjoint, Gradient};
pub(crate) use derived::of_generated;
pub use tangent::{Directional, Tangent};

use crate::codes;
use crate::machine::Machine;
pub use crate::named::Named;
use crate::options::{Options, word_count};
use crate::point::Point;
use crate::slot::{Slot, active_slots};
use cfg_core::diagnostic::{Diagnostic, Diagnostics};
use cfg_core::entity::{GlobalId, RoutineId, VarId};
use cfg_core::flat::Flat;
use cfg_core::ir::{Intent, Program, Routine, ScalarType, VertexKind};
use cfg_core::text;
use cfg_exec::{Argument, Lease, Met, RunReport, Session, TapeCounts, Value};
use original_place::in_original;
use std::{collections::HashMap, sync::Arc, time::Duration};

/// The original vertices that a run visited, by id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// The vertices visited going forward.
    pub forward: Vec<i64>,
    /// The vertices visited in the reverse sweep; empty if there was none.
    pub reverse: Vec<i64>,
}

/// A routine that is run as it is, without derivatives.
#[derive(Debug)]
pub struct Primal {
    program: Arc<Flat>,
    routine: RoutineId,
    machine: Machine,
    options: Options,
}

/// Results of a run of the routine itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// All `out` and `inout` parameters, and the result of a function as `return`.
    pub value: Named,
    /// The vertices visited, if [`Options::trace`] is set.
    pub trace: Trace,
    /// Kinks and singular points, if [`Options::events`] is set.
    pub events: Vec<Met>,
    /// The numbers of pushes and pops; only the executor counts.
    pub tape: Option<TapeCounts>,
    /// The executor's report.
    pub(crate) report: RunReport,
}

impl Primal {
    /// Compiles the program.
    ///
    /// # Errors
    /// The program has something that the executor cannot run.
    pub fn new(program: &Flat, routine: RoutineId, options: &Options) -> Result<Self, Diagnostics> {
        Ok(Self {
            program: Arc::new(program.clone()),
            routine,
            machine: Machine::new(program, routine, options)?,
            options: options.clone(),
        })
    }

    /// A copy of the routine for another thread, with memory and an account of memory of its own. The code is shared.
    ///
    /// # Errors
    /// An engine in place of the executor cannot prepare the routine.
    pub fn for_thread(&self) -> Result<Self, Diagnostics> {
        let options = self.options.for_thread();
        Ok(Self {
            program: Arc::clone(&self.program),
            routine: self.routine,
            machine: self.machine.for_thread(&self.program, &options)?,
            options,
        })
    }

    /// Reads a POINT.
    ///
    /// # Errors
    /// All problems found, with pointers into `text`.
    pub fn read_point(&self, text: &[u8]) -> Result<Point, Diagnostics> {
        Point::parse(
            text,
            &self.program,
            self.routine,
            &self.machine.session,
            &self.options,
        )
    }

    fn routine(&self) -> &Routine {
        self.program.routine(self.routine)
    }

    /// Runs the routine.
    ///
    /// # Errors
    /// The run fails, or a dependent has no value after it.
    pub fn run(&mut self, point: &Point) -> Result<Run, Diagnostics> {
        let (arguments, mut report) = self.execute(point)?;
        let routine = self.program.routine(self.routine);
        let mut value = Named::new();
        for (argument, p) in arguments.into_iter().zip(routine.parameter_ids()) {
            let variable = routine.variable(p);
            if let (Argument::Value(v), Some(true)) =
                (argument, variable.intent().map(Intent::writes))
            {
                value.push((variable.name.clone(), v));
            }
        }
        if let (Some(result), Some(v)) = (&report.result, routine.result) {
            let words = 2 * result.len() as u64;
            report.held.join(self.options.lease(words, routine)?);
            let key = Slot::Result(v).key(&self.program, routine);
            value.push((key.to_owned(), result.clone()));
        }
        let visits = report.trace.len() as u64;
        report.held.join(self.options.lease(visits, routine)?);
        let by_name: HashMap<&str, &Value> = value.iter().map(|(n, v)| (n.as_str(), v)).collect();
        for v in &routine.dependents {
            let key = Slot::from_variable(routine, *v).map(|s| s.key(&self.program, routine));
            if let Some((name, v)) = key.and_then(|key| by_name.get_key_value(key)) {
                check_initialised(v, name, routine)?;
            }
        }
        let body = routine.body.as_ref();
        let visits = report.trace.iter().filter(|v| v.activation == 0);
        let forward = visits
            .filter_map(|v| Some(body?.vertex(v.vertex).id))
            .collect();
        Ok(Run {
            value,
            trace: Trace {
                forward,
                reverse: Vec::new(),
            },
            events: report.events.clone(),
            tape: self.machine.counts().then(|| report.tape.clone()),
            report,
        })
    }

    /// The values of globals after the last run.
    ///
    /// # Errors
    /// The values take more memory than a run may.
    pub(crate) fn globals(&self) -> Result<(Named, Lease), Diagnostics> {
        let session = &self.machine.session;
        let all = (0..self.program.globals.len()).map(GlobalId::new);
        let all = all.filter(|g| self.program.global(*g).variable.ty != ScalarType::Tape);
        let words = all.clone();
        let words = words.map(|g| session.global_shape(g).iter().product::<usize>() as u64);
        let held = self.options.lease(words.sum(), self.routine())?;
        let name = |g| self.program.global(g).variable.name.clone();
        let values = all.map(|g| (name(g), session.global(g)));
        Ok((values.collect(), held))
    }

    /// The time of `calls` runs of the routine from a point, without that of copying values in. A first run is not
    /// counted.
    ///
    /// # Errors
    /// A fault of a run.
    pub fn time(&mut self, point: &Point, calls: u64) -> Result<Duration, Diagnostics> {
        let words = word_count(&point.arguments);
        let _held = self.options.lease(2 * words, self.routine())?;
        let start = |session: &mut Session, _: &mut [Argument]| set_globals(session, point);
        let run = &self.options.run;
        let timed = (self.machine).time(&point.arguments, run, start, calls);
        timed.map_err(|found| in_original(&self.program, found))
    }

    /// The independents that a point has, with their values there, and the lease for these.
    ///
    /// # Errors
    /// The routine has no independents or no dependents; the point has none of them.
    pub(crate) fn independents_at(
        &mut self,
        point: &Point,
    ) -> Result<(Vec<(Slot, Value)>, Lease), Diagnostics> {
        let (independents, _) = active_slots(self.routine())?;
        let slots = point.present(&independents, &self.program, self.routine())?;
        self.reset(point)?;
        let sizes = slots.iter().map(|&slot| match slot {
            Slot::Parameter(v) => word_count(point.argument(v)),
            Slot::Global(g) => self
                .machine
                .session
                .global_shape(g)
                .iter()
                .product::<usize>() as u64,
            Slot::Result(_) => 0,
        });
        let held = self.options.lease(sizes.sum(), self.routine())?;
        let value = |slot: Slot| match slot {
            Slot::Parameter(v) => point.value(v).cloned(),
            Slot::Global(g) => Some(self.machine.session.global(g)),
            Slot::Result(_) => None,
        };
        let values = slots.into_iter().filter_map(|s| Some((s, value(s)?)));
        Ok((values.collect(), held))
    }

    /// The dependents that a point has.
    ///
    /// # Errors
    /// The errors are those of [`Self::independents_at`].
    pub(crate) fn dependents_at(&self, point: &Point) -> Result<Vec<Slot>, Diagnostics> {
        let (_, dependents) = active_slots(self.routine())?;
        point.present(&dependents, &self.program, self.routine())
    }

    /// The name of a slot in results.
    pub(crate) fn key(&self, slot: Slot) -> &str {
        slot.key(&self.program, self.routine())
    }

    /// Runs the routine and returns the values of these slots afterwards.
    pub(crate) fn values(
        &mut self,
        point: &Point,
        slots: &[Slot],
    ) -> Result<(Named, RunReport), Diagnostics> {
        let (arguments, mut report) = self.execute(point)?;
        let of = |v: VarId| arguments.get(point.position(v)?);
        let sizes = slots.iter().map(|&slot| match slot {
            Slot::Parameter(v) => word_count(of(v)),
            Slot::Global(g) => self
                .machine
                .session
                .global_shape(g)
                .iter()
                .product::<usize>() as u64,
            Slot::Result(_) => report.result.as_ref().map_or(0, Value::len) as u64,
        });
        // A copy of each value, and all elements.
        let room = 2 * sizes.sum::<u64>();
        let room = self.options.lease(room, self.routine())?;
        report.held.join(room);
        let mut values = Named::with_capacity(slots.len());
        for &slot in slots {
            let value = match slot {
                Slot::Parameter(v) => of(v).and_then(Argument::value).cloned(),
                Slot::Global(g) => Some(self.machine.session.global(g)),
                Slot::Result(_) => report.result.clone(),
            };
            if let Some(value) = value {
                let key = self.key(slot);
                check_initialised(&value, key, self.routine())?;
                values.push((key.to_owned(), value));
            }
        }
        Ok((values, report))
    }

    /// Resets the globals to their values at the start of a run.
    fn reset(&mut self, point: &Point) -> Result<(), Diagnostics> {
        set_globals(&mut self.machine.session, point)
    }

    fn execute(&mut self, point: &Point) -> Result<(Vec<Argument>, RunReport), Diagnostics> {
        let words = word_count(&point.arguments);
        let held = self.options.lease(words, self.routine())?;
        let mut arguments = point.arguments.clone();
        let start = |session: &mut Session, _: &mut [Argument]| set_globals(session, point);
        let run = self
            .machine
            .run(&self.program, &mut arguments, &self.options, start);
        let mut report = run.map_err(|found| in_original(&self.program, found))?;
        report.held.join(held);
        Ok((arguments, report))
    }
}

/// Sets the globals to their values at the start of a run at a point.
fn set_globals(session: &mut Session, point: &Point) -> Result<(), Diagnostics> {
    session.reset_globals();
    for (g, value) in &point.globals {
        session.set_global(*g, value)?;
    }
    Ok(())
}

/// Reports a result without a value, at the end of the routine.
fn check_initialised(value: &Value, name: &str, routine: &Routine) -> Result<(), Diagnostics> {
    value.check_initialised(name).map_err(|d| {
        let exit = routine.body.as_ref().and_then(|cfg| {
            cfg.vertices()
                .find(|(_, v)| matches!(v.kind, VertexKind::Exit))
        });
        let place = match exit {
            Some((_, v)) => format!("routine {}, vertex {}", routine.name, v.id),
            None => format!("routine {}", routine.name),
        };
        Diagnostics(vec![d.at_element(place)])
    })
}

/// Kinks and singular points as warnings, each place once. `program` is the one that was run.
pub fn kink_warnings(program: &Program, events: &[Met]) -> Diagnostics {
    let mut found: Vec<(&Met, usize)> = Vec::new();
    let mut seen = HashMap::new();
    for met in events {
        let next = found.len();
        let at = *seen
            .entry((&met.site, met.op, met.event.describe()))
            .or_insert(next);
        match found.get_mut(at) {
            Some((_, count)) => *count += 1,
            None => found.push((met, 1)),
        }
    }
    let warning = |(met, count): (&Met, usize)| {
        let times = match count {
            1 => String::new(),
            n => format!(", {n} times"),
        };
        let message = format!("{} was {}{times}", met.op.name(), met.event.describe());
        let help = "the derivative there is that of the branch taken; `cfgrev explain elementals` says more";
        Diagnostic::error(&codes::KINK, message, help)
            .warning()
            .at_element(text::site_text(program, &met.site))
            .at_site_in(program, met.site.clone())
    };
    Diagnostics(found.into_iter().map(warning).collect())
}
