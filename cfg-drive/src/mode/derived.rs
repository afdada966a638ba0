//! Running a routine with derivative arguments.

use super::{
    Named, check_initialised,
    original_place::{at_original, in_original},
    set_globals,
};
use crate::codes;
use crate::machine::Machine;
use crate::options::{Options, word_count};
use crate::point::{Point, set_to_zero, tuple, zeros_like};
use crate::seeds::parse_seeds;
use crate::slot::{Slot, active_slots};
use cfg_core::diagnostic::{Diagnostic, Diagnostics, site::Site};
use cfg_core::elemental::{Event, Scalar};
use cfg_core::entity::{GlobalId, RoutineId, VarId};
use cfg_core::ir::{Expr, Extent, Op, Program, Routine, Signature};
use cfg_core::{flat::Flat, validate::validate};
use cfg_exec::{Argument, Lease, Met, RunReport, Session, Tape, TapeCounts, Value};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A routine with derivative arguments: NAME_grad or NAME_t.
#[derive(Debug)]
pub(super) struct Derived {
    pub(super) program: Arc<Flat>,
    machine: Machine,
    original: RoutineId,
    /// The number of the user's routines; those behind them are generated.
    given: usize,
    /// The program in which parts with checkpoints are no routines of their own, if there are such parts.
    whole: Option<Arc<Flat>>,
    /// Each global with its derivative.
    globals: BTreeMap<GlobalId, GlobalId>,
    /// The argument that holds the derivative of each parameter, then that of the result.
    derivative: Vec<Option<usize>>,
    /// The position of each variable of the original among its parameters.
    positions: Vec<Option<usize>>,
    pub(super) independents: Vec<Slot>,
    pub(super) dependents: Vec<Slot>,
    options: Options,
    /// The lease that pays for the seeds that were read or made last.
    read: Mutex<Lease>,
    /// The arguments of the last run. A run pays for them again.
    arguments: Vec<Argument>,
    /// The buffer for the targets of a run.
    targets: Vec<(Target, usize)>,
}

/// The variables whose derivatives a run begins with.
#[derive(Clone, Copy, Debug)]
pub(super) enum Active {
    Independents,
    Dependents,
}

/// True if a place is the other one, or a statement in the vertex that is the other one.
fn is_within(place: &Site, other: &Site) -> bool {
    let (own, wanted) = (place.element, other.element);
    let is_there = match (wanted.statement(), wanted.vertex()) {
        (Some(statement), _) => own.statement() == Some(statement),
        (None, Some(vertex)) => own.vertex() == Some(vertex),
        (None, None) => true,
    };
    place.routine == other.routine && is_there
}

impl Derived {
    /// True if the executor makes the runs: it alone counts.
    pub(super) fn counts(&self) -> bool {
        self.machine.counts()
    }

    /// True if the vertices visited are recorded.
    pub(super) fn traces(&self) -> bool {
        self.options.trace
    }

    pub(super) fn new(
        program: Program,
        (original, given): (RoutineId, usize),
        (routine, signature): (RoutineId, &Signature),
        globals: Vec<(GlobalId, GlobalId)>,
        options: &Options,
    ) -> Result<Self, Diagnostics> {
        let flat = validate(program).and_then(Flat::check);
        let program = flat.map_err(of_generated)?;
        let machine =
            Machine::new(&program, routine, options).map_err(|found| match options.engine {
                Some(_) => at_originals((&program, given, None), found),
                None => found,
            })?;
        let declared = program.routine(original);
        let (independents, dependents) = active_slots(declared)?;
        let derivatives = signature.derivatives();
        let interface = declared.parameter_ids().chain(declared.result);
        let derivative = interface.map(|v| derivatives.get(&v).copied()).collect();
        Ok(Self {
            machine,
            original,
            given,
            whole: None,
            globals: globals.into_iter().collect(),
            derivative,
            positions: declared.parameter_positions(),
            independents,
            dependents,
            options: options.clone(),
            read: Mutex::default(),
            program: Arc::new(program),
            arguments: Vec::new(),
            targets: Vec::new(),
        })
    }

    /// Names problems by their places in a program whose checkpoints were made routines.
    pub(super) fn place_in(&mut self, whole: Flat) {
        self.whole = Some(Arc::new(whole));
    }

    /// The programs by which [`at_original`] finds places.
    fn places(&self) -> (&Program, usize, Option<&Program>) {
        (
            &self.program,
            self.given,
            self.whole.as_ref().map(|whole| whole.program()),
        )
    }

    /// A copy for another thread.
    pub(super) fn for_thread(&self) -> Result<Self, Diagnostics> {
        let options = self.options.for_thread();
        let machine = (self.machine.for_thread(&self.program, &options))
            .map_err(|found| at_originals(self.places(), found))?;
        Ok(Self {
            program: Arc::clone(&self.program),
            machine,
            whole: self.whole.clone(),
            original: self.original,
            given: self.given,
            globals: self.globals.clone(),
            derivative: self.derivative.clone(),
            positions: self.positions.clone(),
            independents: self.independents.clone(),
            dependents: self.dependents.clone(),
            options,
            read: Mutex::default(),
            arguments: Vec::new(),
            targets: Vec::new(),
        })
    }

    /// Lets go of the arguments of the last run.
    pub(super) fn forget_arguments(&mut self) {
        self.arguments = Vec::new();
    }

    /// Takes the counts of an earlier run back, for their buffer.
    pub(super) fn recycle(&mut self, counts: TapeCounts) {
        self.machine.session.recycle(counts);
    }

    fn slots(&self, active: Active) -> &[Slot] {
        match active {
            Active::Independents => &self.independents,
            Active::Dependents => &self.dependents,
        }
    }

    pub(super) fn declared(&self) -> &Routine {
        self.program.routine(self.original)
    }

    /// The value of a slot after the last run.
    fn value(&self, slot: Slot) -> Option<Cow<'_, Value>> {
        match slot {
            Slot::Global(g) => Some(Cow::Owned(self.machine.session.global(g))),
            Slot::Parameter(_) | Slot::Result(_) => {
                let argument = self.arguments.get(self.position(slot)?)?;
                argument.value().map(Cow::Borrowed)
            }
        }
    }

    fn derivative_value(&self, slot: Slot) -> Option<Cow<'_, Value>> {
        match slot {
            Slot::Global(g) => {
                let derivative = self.derivative_global(g)?;
                Some(Cow::Owned(self.machine.session.global(derivative)))
            }
            Slot::Parameter(_) | Slot::Result(_) => {
                let at = self.derivative.get(self.position(slot)?).copied()??;
                self.arguments.get(at)?.value().map(Cow::Borrowed)
            }
        }
    }

    fn position(&self, slot: Slot) -> Option<usize> {
        match slot {
            Slot::Parameter(v) => self.positions.get(v.index()).copied().flatten(),
            Slot::Result(_) => Some(self.declared().parameters.len()),
            Slot::Global(_) => None,
        }
    }

    fn derivative_global(&self, g: GlobalId) -> Option<GlobalId> {
        self.globals.get(&g).copied()
    }

    /// The slots that a point has: an optional parameter may be absent.
    ///
    /// # Errors
    /// The point has none of them.
    pub(super) fn slots_at(&self, slots: &[Slot], point: &Point) -> Result<Vec<Slot>, Diagnostics> {
        point.present(slots, &self.program, self.declared())
    }

    /// The slots that a point has, each with a value of its shape, and the lease for these.
    ///
    /// # Errors
    /// The point has none of them; the result of the function has no shape; the values take more memory than allowed.
    pub(super) fn present(
        &self,
        slots: &[Slot],
        point: &Point,
    ) -> Result<(Vec<(Slot, Value)>, Lease), Diagnostics> {
        let slots = self.slots_at(slots, point)?;
        let sizes = slots.iter().map(|&slot| self.words_of(slot, point));
        let held = self.room(sizes.fold(0, u64::saturating_add))?;
        let mut found = Vec::with_capacity(slots.len());
        for slot in slots {
            let value = match slot {
                Slot::Parameter(v) => point.value(v).cloned(),
                Slot::Global(g) => Some(self.machine.session.global(g)),
                Slot::Result(v) => Some(self.result_storage(v)?),
            };
            found.extend(value.map(|value| (slot, value)));
        }
        Ok((found, held))
    }

    /// Words that the value of a slot takes at a point.
    fn words_of(&self, slot: Slot, point: &Point) -> u64 {
        match slot {
            Slot::Parameter(v) => word_count(point.argument(v)),
            Slot::Global(g) => self
                .machine
                .session
                .global_shape(g)
                .iter()
                .product::<usize>() as u64,
            // The extents of a result are constants, whose product may be too large.
            Slot::Result(v) => {
                let shape = &self.declared().variable(v).shape;
                let extents = shape.iter().map(|d| match &d.extent {
                    Extent::Fixed(Expr::Int(n)) => u64::try_from(*n).unwrap_or(0),
                    Extent::Fixed(_) | Extent::Deferred => 0,
                });
                extents.fold(1, u64::saturating_mul)
            }
        }
    }

    /// Storage for a function's result; only scalars and arrays of constant shape have a shape before
    /// the call.
    fn result_storage(&self, v: VarId) -> Result<Value, Diagnostics> {
        let variable = self.declared().variable(v);
        let shape: Option<Vec<usize>> = variable
            .shape
            .iter()
            .map(|d| match &d.extent {
                Extent::Fixed(Expr::Int(n)) => Some(usize::try_from(*n).unwrap_or(0)),
                Extent::Fixed(_) | Extent::Deferred => None,
            })
            .collect();
        let storage = shape.and_then(|s| Value::uninitialised(variable.ty, &s, variable.order));
        storage.ok_or_else(|| {
            codes::general(
                &codes::VARIABLE,
                format!(
                    "the shape of the function's result {} is not constant",
                    variable.name
                ),
                "return the array through an out parameter",
            )
        })
    }

    /// Kinks and singular points that a run of the original meets, if they are wanted. The original is run, since
    /// derivative code has kinks and singular points of its own, which mean nothing to the user.
    pub(super) fn events(&mut self, point: &Point) -> Result<Vec<Met>, Diagnostics> {
        if !self.options.events {
            return Ok(Vec::new());
        }
        let words = word_count(&point.arguments);
        let _held = self.options.lease(words, self.declared())?;
        let mut arguments = point.arguments.clone();
        let options = &self.options.run;
        let start = |session: &mut Session, _: &mut [Argument]| set_globals(session, point);
        let run = (self.machine.session).run_from(self.original, &mut arguments, options, start);
        let report = run.map_err(|found| in_original(&self.program, found))?;
        Ok(report.events)
    }

    /// The statement of the original at which a run with derivatives first turned a finite derivative into one that
    /// is infinite or NaN, with the operation that a run of the original has met at a singular point there.
    pub(super) fn singular(&self, events: &[Met], report: &RunReport) -> Option<Diagnostic> {
        let is_generated = |met: &&Met| (met.site.routine).is_some_and(|r| r.index() >= self.given);
        let mut products = report.events.iter().filter(|met| met.op == Op::StrongMul);
        let first = products.find(is_generated)?;
        let help = "guard the operation, as in x > 0 ? sqrt(x) : 0: of the arm that is not taken no derivative comes; or choose another point";
        let place = Diagnostic::error(&codes::NOT_DIFFERENTIABLE, String::new(), help)
            .warning()
            .at_site_in(&self.program, first.site.clone());
        let mut found = at_original(&self.program, self.given, None, place.clone());
        let site = found.at.site.as_deref();
        let here = events.iter().find(|met| {
            met.event != Event::Kink && site.is_some_and(|site| is_within(&met.site, site))
        });
        let why = match here {
            Some(met) => format!("{} is {}", met.op.name(), met.event.describe()),
            None => "a partial derivative is not finite".to_owned(),
        };
        let (program, given, whole) = self.places();
        found = at_original(program, given, whole, place);
        found.message = format!("the derivative is infinite or NaN, and the value is not: {why}");
        Some(found)
    }

    /// Runs with these derivatives, one for each slot that the point has; all others are zero.
    pub(super) fn execute(
        &mut self,
        point: &Point,
        active: Active,
        derivatives: &[Value],
    ) -> Result<RunReport, Diagnostics> {
        let targets = self.targets(point, active, derivatives)?;
        let held = self.lay_out(point)?;
        let (options, declared) = (&self.options, self.program.routine(self.original));
        let within = |words| options.lease(words, declared);
        let start = |session: &mut Session, arguments: &mut [Argument]| {
            set_globals(session, point)?;
            set_derivatives(session, arguments, (&targets, derivatives), within)
        };
        let arguments = &mut self.arguments;
        let run = (self.machine).run(&self.program, arguments, options, start);
        self.targets = targets;
        let mut report = run.map_err(|found| at_originals(self.places(), found))?;
        report.held.join(held);
        Ok(report)
    }

    /// The time of `calls` runs as [`Self::execute`] makes them.
    pub(super) fn time(
        &mut self,
        point: &Point,
        active: Active,
        derivatives: &[Value],
        calls: u64,
    ) -> Result<Duration, Diagnostics> {
        let targets = self.targets(point, active, derivatives)?;
        let mut held = self.lay_out(point)?;
        held.join(self.room(word_count(&self.arguments))?);
        let (options, declared) = (&self.options, self.program.routine(self.original));
        let within = |words| options.lease(words, declared);
        let start = |session: &mut Session, arguments: &mut [Argument]| {
            set_globals(session, point)?;
            set_derivatives(session, arguments, (&targets, derivatives), within)
        };
        let timed = (self.machine).time(&self.arguments, &options.run, start, calls);
        self.forget_arguments();
        timed.map_err(|found| at_originals(self.places(), found))
    }

    /// The use of tapes in a run as [`Self::execute`] makes it, counted by the engine; `None` without an engine.
    pub(super) fn counted(
        &mut self,
        point: &Point,
        active: Active,
        derivatives: &[Value],
    ) -> Result<Option<TapeCounts>, Diagnostics> {
        let targets = self.targets(point, active, derivatives)?;
        let _held = self.lay_out(point)?;
        let (options, declared) = (&self.options, self.program.routine(self.original));
        let within = |words| options.lease(words, declared);
        let start = |session: &mut Session, arguments: &mut [Argument]| {
            set_globals(session, point)?;
            set_derivatives(session, arguments, (&targets, derivatives), within)
        };
        let arguments = &mut self.arguments;
        let counted = (self.machine).counted(&self.program, arguments, options, start);
        self.forget_arguments();
        counted.map_err(|found| at_originals(self.places(), found))
    }

    /// Makes the arguments at a point, with derivatives zero; returns the lease for them.
    fn lay_out(&mut self, point: &Point) -> Result<Lease, Diagnostics> {
        // Each argument and its derivative.
        let words = 2 * word_count(&point.arguments);
        let mut held = self.room(words)?;
        let result = self.declared().result;
        if let Some(v) = result {
            // The limit is checked before memory is taken.
            let words = self.words_of(Slot::Result(v), point);
            held.join(self.room(words.saturating_mul(2))?);
        }
        let mut arguments = std::mem::take(&mut self.arguments);
        let shared = point.arguments.len() + usize::from(result.is_some());
        let derivatives = self.derivative.iter().take(shared).flatten().count();
        arguments.resize_with(shared + derivatives, Argument::default);
        for (own, given) in arguments.iter_mut().zip(&point.arguments) {
            own.clone_from(given);
        }
        if let Some(v) = result {
            let own = &mut arguments[shared - 1];
            let is_kept = own.value().is_some_and(|value| self.is_storage(v, value));
            if let (true, Argument::Value(value)) = (is_kept, &mut *own) {
                value.clear();
            } else {
                *own = Argument::Value(self.result_storage(v)?);
            }
        }
        let (originals, rest) = arguments.split_at_mut(shared);
        let active = self.derivative.iter().zip(originals);
        let active = active.filter(|(derivative, _)| derivative.is_some());
        for ((_, original), own) in active.zip(rest) {
            match original {
                Argument::Value(_) => {
                    own.clone_from(original);
                    if let Argument::Value(value) = own {
                        set_to_zero(value);
                    }
                }
                Argument::Absent => *own = Argument::Absent,
                Argument::Tape(_) => *own = Argument::Tape(Tape::default()),
            }
        }
        self.arguments = arguments;
        Ok(held)
    }

    /// True of a value that can hold the function's result.
    fn is_storage(&self, v: VarId, value: &Value) -> bool {
        let variable = self.declared().variable(v);
        let extents = variable.shape.iter().map(|d| match &d.extent {
            Extent::Fixed(Expr::Int(n)) => usize::try_from(*n).ok(),
            Extent::Fixed(_) | Extent::Deferred => None,
        });
        (value.ty(), value.order()) == (variable.ty, variable.order)
            && extents.eq(value.shape().iter().map(|&n| Some(n)))
    }

    /// The targets of these derivatives, one for each slot that the point has, and their positions.
    fn targets(
        &mut self,
        point: &Point,
        active: Active,
        derivatives: &[Value],
    ) -> Result<Vec<(Target, usize)>, Diagnostics> {
        let mut targets = std::mem::take(&mut self.targets);
        targets.clear();
        let slots = self.slots(active);
        if !self.fit(slots, point, derivatives) {
            let (shapes, _held) = self.present(slots, point)?;
            self.check_derivatives(&shapes, derivatives)?;
        }
        let present = slots.iter().filter(|slot| point.has(**slot));
        let present = present.zip(0..derivatives.len());
        targets.extend(present.filter_map(|(slot, k)| Some((self.target(*slot)?, k))));
        Ok(targets)
    }

    /// A quick test, which may be false, whether there is one derivative of the right shape for each slot that the
    /// point has.
    fn fit(&self, slots: &[Slot], point: &Point, derivatives: &[Value]) -> bool {
        let mut present = slots.iter().filter(|slot| point.has(**slot));
        let all = derivatives.iter().all(|value| match present.next() {
            Some(Slot::Parameter(v)) => point
                .value(*v)
                .is_some_and(|own| (own.ty(), own.shape()) == (value.ty(), value.shape())),
            Some(Slot::Result(v)) => self.is_storage(*v, value),
            Some(Slot::Global(_)) | None => false,
        });
        all && !derivatives.is_empty() && present.next().is_none()
    }

    /// The place of the derivative of a slot; `None` if it has none.
    fn target(&self, slot: Slot) -> Option<Target> {
        match slot {
            Slot::Global(g) => self.derivative_global(g).map(Target::Global),
            Slot::Parameter(_) | Slot::Result(_) => {
                let at = self.derivative.get(self.position(slot)?).copied()??;
                Some(Target::Argument(at))
            }
        }
    }

    /// Checks that a seed or direction has one value of the right shape for each slot.
    fn check_derivatives(
        &self,
        present: &[(Slot, Value)],
        derivatives: &[Value],
    ) -> Result<(), Diagnostics> {
        let key = |slot: Slot| slot.key(&self.program, self.declared());
        let wrong = |message: String| {
            let names: Vec<&str> = present.iter().map(|(slot, _)| key(*slot)).collect();
            let help = format!("give one value each for {}", names.join(", "));
            Err(codes::general(&codes::DERIVATIVES, message, help))
        };
        if present.len() != derivatives.len() {
            return wrong(format!(
                "{} derivatives are given for {} variables",
                derivatives.len(),
                present.len()
            ));
        }
        for ((slot, shape), value) in present.iter().zip(derivatives) {
            if (shape.ty(), shape.shape()) != (value.ty(), value.shape()) {
                return wrong(format!(
                    "{} is {} of shape {}, but its derivative is {} of shape {}",
                    key(*slot),
                    shape.ty().name(),
                    tuple(shape.shape()),
                    value.ty().name(),
                    tuple(value.shape())
                ));
            }
        }
        Ok(())
    }

    /// Takes memory for so many words.
    pub(super) fn room(&self, words: u64) -> Result<Lease, Diagnostics> {
        self.options.lease(words, self.declared())
    }

    /// Takes memory for results: two values of each slot.
    pub(super) fn room_for(&self, slots: &[&[Slot]]) -> Result<Lease, Diagnostics> {
        let sizes = slots.iter().copied().flatten().map(|&slot| match slot {
            Slot::Global(g) => self
                .machine
                .session
                .global_shape(g)
                .iter()
                .product::<usize>() as u64,
            Slot::Parameter(_) | Slot::Result(_) => {
                word_count(self.position(slot).and_then(|at| self.arguments.get(at)))
            }
        });
        self.options.lease(2 * sizes.sum::<u64>(), self.declared())
    }

    /// The values of the slots that the last run had, by name; each must have a value. They replace what was there.
    pub(super) fn named(&self, slots: &[Slot], named: &mut Named) -> Result<(), Diagnostics> {
        self.collect(slots, named, |slot| self.value(slot))
    }

    pub(super) fn named_derivatives(
        &self,
        slots: &[Slot],
        named: &mut Named,
    ) -> Result<(), Diagnostics> {
        self.collect(slots, named, |slot| {
            // A slot that no path leads to has no derivative variable: its derivative is 0.
            self.derivative_value(slot)
                .or_else(|| Some(Cow::Owned(zeros_like(&*self.value(slot)?))))
        })
    }

    fn collect<'v>(
        &self,
        slots: &[Slot],
        named: &mut Named,
        value: impl Fn(Slot) -> Option<Cow<'v, Value>>,
    ) -> Result<(), Diagnostics> {
        let mut used = 0;
        for &slot in slots {
            let Some(value) = value(slot) else {
                continue;
            };
            let key = slot.key(&self.program, self.declared());
            check_initialised(&value, key, self.declared())?;
            match named.get_mut(used) {
                Some((name, own)) => {
                    key.clone_into(name);
                    own.clone_from(&value);
                }
                None => named.push((key.to_owned(), value.into_owned())),
            }
            used += 1;
        }
        named.truncate(used);
        Ok(())
    }

    pub(super) fn point(&self, text: &[u8]) -> Result<Point, Diagnostics> {
        let generated: Vec<GlobalId> = self.globals.values().copied().collect();
        Point::without(
            text,
            &self.program,
            self.original,
            &self.machine.session,
            &self.options,
            &generated,
        )
    }

    pub(super) fn seeds(
        &self,
        text: &[u8],
        what: &str,
        slots: &[Slot],
        point: &Point,
    ) -> Result<(Vec<Vec<Value>>, bool), Diagnostics> {
        let (shapes, _held) = self.present(slots, point)?;
        let within = |words| self.options.lease(words, self.declared());
        let (program, routine) = (&self.program, self.declared());
        let (seeds, list, held) = parse_seeds(
            text,
            what,
            program,
            routine,
            (&shapes, slots),
            point.sizes(),
            within,
        )?;
        self.keep(held);
        Ok((seeds, list))
    }

    /// Pays for the seeds that were made last.
    pub(super) fn keep(&self, held: Lease) {
        *self.read.lock().unwrap_or_else(PoisonError::into_inner) = held;
    }
}

/// The place at which a derivative is given to a run.
#[derive(Clone, Copy, Debug)]
enum Target {
    Global(GlobalId),
    Argument(usize),
}

/// Moves the problems of a run to the original.
fn at_originals(
    (program, given, whole): (&Program, usize, Option<&Program>),
    problems: Diagnostics,
) -> Diagnostics {
    let problems = problems.0.into_iter();
    Diagnostics(
        problems
            .map(|d| at_original(program, given, whole, d))
            .collect(),
    )
}

/// Sets the derivatives that a run begins with.
fn set_derivatives(
    session: &mut Session,
    arguments: &mut [Argument],
    (targets, derivatives): (&[(Target, usize)], &[Value]),
    within: impl Fn(u64) -> Result<Lease, Diagnostics>,
) -> Result<(), Diagnostics> {
    for &(target, k) in targets {
        let value = &derivatives[k];
        match target {
            Target::Global(d) => {
                // Dependents may share cells, so seeds are added, which takes two temporary copies.
                let _room = within(2 * value.len() as u64)?;
                let sum = plus(session.global(d), value);
                session.set_global(d, &sum)?;
            }
            Target::Argument(at) => match arguments.get_mut(at) {
                Some(Argument::Value(own)) => own.clone_from(value),
                Some(own) => *own = Argument::Value(value.clone()),
                None => {}
            },
        }
    }
    Ok(())
}

/// The sum of two values of one type and shape; zeros add nothing, so that signs of zero are kept.
fn plus(mut sum: Value, other: &Value) -> Value {
    let other = other.in_order(sum.order());
    for i in 0..sum.len() {
        let x = match (sum.get(i), other.get(i)) {
            (Some(Scalar::Real(a)), Some(Scalar::Real(b))) if a != 0.0 => Scalar::Real(a + b),
            (Some(Scalar::Real32(a)), Some(Scalar::Real32(b))) if a != 0.0 => Scalar::Real32(a + b),
            (_, Some(b)) => b,
            (_, None) => continue,
        };
        sum.set(i, x);
    }
    sum
}

/// Removes places from problems of a generated program: they are none of the original.
pub(crate) fn of_generated(mut problems: Diagnostics) -> Diagnostics {
    for d in &mut problems.0 {
        (d.at.site, d.at.pointer) = (None, None);
        let element = d.at.element.take().unwrap_or_default();
        d.at.element = Some(format!("generated program, {element}"));
    }
    problems
}

/// The position of the first of these routines, which a transformation has added behind those of its input.
pub(super) fn generated(program: &Program, added: impl Iterator<Item = RoutineId>) -> usize {
    let first = added.map(RoutineId::index).min();
    first.unwrap_or(program.routines.len())
}
