//! Running compiled routines from the host.

use cfg_core::{
    diagnostic::Diagnostic,
    elemental::{Event, Math, Scalar},
    entity::{GlobalId, RoutineId, VarId, VertexId},
    ir::{Extent, Intent, Op, Order, Role, ScalarType, Variable},
};

use crate::{
    cell,
    compile::{Compiled, Inner, Signature, element_name},
    descriptor::{self, Axis},
    evaluate::{Environment, integer},
    fault::{ARGUMENT, FUEL, Fault, MEMORY, TAPE},
    machine::{Incoming, Limits, Machine, execute},
    memory::{Lease, Memory},
    passes,
    tape::{Meter, Tape, TapeCounts},
    value::{Argument, Value},
};

/// Limits of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunOptions {
    /// Most steps. A step is an instruction of the executor's that is run, whatever code lies between it and the
    /// next: an operation of an expression is about one, a test or jump one, a call and an element of an array
    /// operation at least one each. So every pass of every loop costs something. Default 10^10, half a minute
    /// or so.
    pub fuel: u64,
    /// Most bytes of all tapes together. Default 4 GiB.
    pub max_tape: u64,
    /// Most bytes of everything together that is taken from the session's [`Memory`]: globals, arguments, variables,
    /// call frames, tapes, traces, also those of other sessions that share it. Default 4 GiB.
    pub max_memory: u64,
    /// Most calls that are nested, the first one included. Default 10000.
    pub max_depth: usize,
}

impl Default for RunOptions {
    fn default() -> Self {
        Self {
            fuel: 10_000_000_000,
            max_tape: 4 << 30,
            max_memory: 4 << 30,
            max_depth: 10_000,
        }
    }
}

/// A vertex that a run visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Visited {
    /// The routine.
    pub routine: RoutineId,
    /// Number of the activation of the routine: 0 is what the host called, then by time of the call.
    pub activation: u64,
    /// The vertex.
    pub vertex: VertexId,
    /// Its id.
    pub id: i64,
    /// Id of the vertex from which a transformation made it; its own if none did.
    pub origin: i64,
}

/// A kink, a singular point or the edge of a domain that a run met; reported once per place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Met {
    /// The operator.
    pub op: Op,
    /// What happened.
    pub event: Event,
    /// Where: routine, vertex, statement.
    pub element: String,
    /// How often.
    pub times: u64,
}

/// What a run did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunReport {
    /// The result of a function.
    pub result: Option<Value>,
    /// Steps taken, in the measure of [`RunOptions::fuel`].
    pub steps: u64,
    /// What the tapes were used for.
    pub tape: TapeCounts,
    /// The vertices visited, if the program was compiled for it.
    pub trace: Vec<Visited>,
    /// Kinks and singular points, if the program was compiled for it.
    pub events: Vec<Met>,
    /// A digest of the pieces on which operators with kinks or jumps (`abs`, `min`, `floor`, comparisons, ...)
    /// were evaluated, if the program was compiled for events: where it and the trace are equal, two runs
    /// differ smoothly. Reductions (`maxval`, ...) are not in it.
    pub pieces: u64,
    /// What pays for the trace, and for what the host adds.
    pub held: Lease,
}

/// Runs the routines of a compiled program. Memory and tapes are kept from run to run; globals keep
/// their values.
pub struct Session {
    compiled: Compiled,
    /// The globals are at the bottom of its memory.
    machine: Machine,
    /// The globals are there; if not, they have their initial values.
    ready: bool,
    /// Most bytes of memory outside of runs.
    limit: u64,
    /// What the last run has come to when it was stopped: steps, and the loops in its message.
    stopped: (u64, String),
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session")
            .field("compiled", &self.compiled)
            .finish_non_exhaustive()
    }
}

/// Host values as the variables of a routine.
struct Known<'s> {
    signature: &'s Signature,
    arguments: &'s [Argument],
    session: &'s Session,
    /// Bounds may ask about bounds; circles and repetitions end when these are used up: levels, and
    /// bounds in all.
    left: std::cell::Cell<(u32, u32)>,
}

impl Environment for Known<'_> {
    fn value(&self, v: VarId, subscripts: &[i64]) -> Option<Scalar> {
        let variable = self.signature.variables.get(v.index())?;
        let from_zero = |bounds: Vec<(i64, i64)>| -> Option<Vec<usize>> {
            subscripts
                .iter()
                .zip(bounds)
                .map(|(i, (lower, _))| usize::try_from(i.checked_sub(lower)?).ok())
                .collect()
        };
        match variable.role {
            Role::Parameter { .. } => {
                let value = self.arguments.get(v.index())?.value()?;
                let at = if subscripts.is_empty() {
                    0
                } else {
                    value.position(&from_zero(self.bounds(v)?)?)?
                };
                value.get(at)
            }
            Role::Global(g) => {
                let session = self.session;
                let axes = &session.compiled.inner.globals.axes[g.index()];
                let mut at = session.global_range(g).start;
                if !subscripts.is_empty() {
                    let of = from_zero(self.bounds(v)?)?;
                    for (k, axis) in of.iter().zip(axes) {
                        if *k as i64 >= axis.extent {
                            return None;
                        }
                        at += k * axis.stride as usize;
                    }
                }
                let cell = session.global_cells(at..at + 1);
                Value::from_cells(variable.ty, Vec::new(), Order::Row, cell).get(0)
            }
            Role::Local => None,
        }
    }

    fn bounds(&self, v: VarId) -> Option<Vec<(i64, i64)>> {
        let variable = self.signature.variables.get(v.index())?;
        if let Role::Global(g) = variable.role {
            let axes = &self.session.compiled.inner.globals.axes[g.index()];
            return Some(axes.iter().map(|a| (a.lower, a.extent)).collect());
        }
        let (levels, bounds) = self.left.get();
        self.left
            .set((levels.checked_sub(1)?, bounds.checked_sub(1)?));
        let value = self.arguments.get(v.index()).and_then(Argument::value);
        let bounds = variable
            .shape
            .iter()
            .enumerate()
            .map(|(k, dim)| {
                let lower = integer(&dim.lower, self)?;
                let extent = match (value, &dim.extent) {
                    (Some(value), _) => i64::try_from(*value.shape().get(k)?).ok()?,
                    (None, Extent::Fixed(e)) => integer(e, self)?.max(0),
                    (None, Extent::Deferred) => return None,
                };
                Some((lower, extent))
            })
            .collect();
        self.left.set((levels, self.left.get().1));
        bounds
    }

    fn present(&self, v: VarId) -> bool {
        !matches!(self.arguments.get(v.index()), None | Some(Argument::Absent))
    }

    fn math(&self) -> Math {
        self.session.compiled.inner.math
    }
}

fn problem(message: String, help: &str, signature: &Signature) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error(&ARGUMENT, message, help).at_element(element_name(
            &signature.name,
            None,
            None,
        )),
    )
}

impl Session {
    /// A session in which globals have their initial values.
    pub fn new(compiled: &Compiled) -> Self {
        Self::sharing(compiled, &Memory::default(), u64::MAX)
    }

    /// The same, with an account of memory that other sessions may share. Runs have limits of their own; globals
    /// that are set outside of them take no more than `limit` allows.
    pub fn sharing(compiled: &Compiled, memory: &Memory, limit: u64) -> Self {
        Self {
            compiled: compiled.clone(),
            machine: Machine {
                held: memory.empty(),
                ..Machine::default()
            },
            ready: false,
            limit,
            stopped: (0, String::new()),
        }
    }

    /// Another session with the same code and the same account, in which globals have their initial values.
    #[must_use]
    pub fn fresh(&self) -> Self {
        Self::sharing(&self.compiled, self.memory(), self.limit)
    }

    /// The account of what the session takes.
    pub fn memory(&self) -> &Memory {
        self.machine.held.memory()
    }

    /// Gives all globals their initial values again.
    pub fn reset_globals(&mut self) {
        self.ready = false;
    }

    /// Puts the globals into memory, if they are not there.
    fn place_globals(&mut self) -> Result<(), Fault> {
        let globals = &self.compiled.inner.globals;
        self.machine.reserve(globals.cells)?;
        if !self.ready {
            let cells = globals.cells as usize;
            globals.initialise(0, &mut self.machine.memory[..cells]);
            self.ready = true;
        }
        Ok(())
    }

    /// What cells of globals hold.
    fn global_cells(&self, range: std::ops::Range<usize>) -> Vec<u64> {
        if self.ready {
            return self.machine.memory[range].to_vec();
        }
        let mut cells = vec![0; range.len()];
        let globals = &self.compiled.inner.globals;
        globals.initialise(range.start as u64, &mut cells);
        cells
    }

    fn global_range(&self, g: GlobalId) -> std::ops::Range<usize> {
        let globals = &self.compiled.inner.globals;
        let at = globals.address(g) as usize;
        let n = descriptor::count(&globals.axes[g.index()]).unwrap_or(0) as usize;
        at..at + n
    }

    /// The value of a global.
    pub fn global(&self, g: GlobalId) -> Value {
        let variable = &self.compiled.inner.global_variables[g.index()];
        let shape = self.global_shape(g);
        let cells = self.global_cells(self.global_range(g));
        Value::from_cells(variable.ty, shape, variable.order, cells)
    }

    /// The extents of a global; empty for a scalar.
    pub fn global_shape(&self, g: GlobalId) -> Vec<usize> {
        let axes = &self.compiled.inner.globals.axes[g.index()];
        axes.iter().map(|a| a.extent as usize).collect()
    }

    /// Sets a global.
    ///
    /// # Errors
    /// If type or shape are not those declared, or the globals do not fit into memory.
    pub fn set_global(&mut self, g: GlobalId, value: &Value) -> Result<(), Box<Diagnostic>> {
        let compiled = self.compiled.clone();
        let variable = &compiled.inner.global_variables[g.index()];
        let shape = self.global_shape(g);
        if value.ty() != variable.ty || value.shape() != shape {
            return Err(Box::new(Diagnostic::error(
                &ARGUMENT,
                format!(
                    "the global '{}' is {} of shape {:?}, not {} of shape {:?}",
                    variable.name,
                    variable.ty.name(),
                    shape,
                    value.ty().name(),
                    value.shape()
                ),
                "give a value of the declared type and shape",
            )));
        }
        self.machine.limits = Some(Limits {
            fuel: 0,
            max_tape: 0,
            max_memory: self.limit,
            max_depth: 0,
        });
        self.place_globals().map_err(|fault| {
            let at = format!("global {}", variable.name);
            Box::new(fault.diagnostic(&|_| None).at_element(at))
        })?;
        let range = self.global_range(g);
        value.put(variable.order, &mut self.machine.memory[range]);
        Ok(())
    }

    /// The shape that an array parameter has with these arguments, of which unknown ones are absent.
    /// Empty for a scalar.
    ///
    /// # Errors
    /// If the declared extents cannot be computed from the arguments.
    pub fn shape_of_parameter(
        &self,
        routine: RoutineId,
        parameter: VarId,
        arguments: &[Argument],
    ) -> Result<Vec<usize>, Box<Diagnostic>> {
        let signature = &self.compiled.inner.signatures[routine.index()];
        let known = Known {
            signature,
            arguments,
            session: self,
            left: (16, 100_000).into(),
        };
        let variable = &signature.variables[parameter.index()];
        variable
            .shape
            .iter()
            .map(|dim| match &dim.extent {
                Extent::Fixed(e) => usize::try_from(integer(e, &known)?.max(0)).ok(),
                Extent::Deferred => None,
            })
            .collect::<Option<_>>()
            .ok_or_else(|| {
                problem(
                    format!(
                        "the shape of '{}' cannot be computed from the other arguments",
                        variable.name
                    ),
                    "give its value",
                    signature,
                )
            })
    }

    /// An uninitialised argument for an `out` parameter whose shape follows from the other arguments.
    ///
    /// # Errors
    /// If the shape does not follow from them, or is too large.
    pub fn uninitialised_argument(
        &self,
        routine: RoutineId,
        parameter: VarId,
        arguments: &[Argument],
    ) -> Result<Argument, Box<Diagnostic>> {
        let signature = &self.compiled.inner.signatures[routine.index()];
        let variable = &signature.variables[parameter.index()];
        if variable.ty == ScalarType::Tape {
            return Ok(Argument::Tape(Tape::default()));
        }
        let shape = self.shape_of_parameter(routine, parameter, arguments)?;
        Value::uninitialised(variable.ty, &shape, variable.order)
            .map(Argument::Value)
            .ok_or_else(|| {
                problem(
                    format!("'{}' of shape {shape:?} is too large", variable.name),
                    "use smaller extents",
                    signature,
                )
            })
    }

    /// Runs a routine. Arguments of `out` and `inout` parameters are replaced by what it leaves in them;
    /// tapes are used in place. After an error, arguments are as before, tapes and globals as the run
    /// has left them.
    ///
    /// If steps, tape or memory run out, the message names the innermost LOOP that was running. How often it had been
    /// passed is found by a second run, which is made if globals had their initial values and tapes were
    /// empty, and no callback is called; see [`Self::count_passes`] for other cases.
    ///
    /// # Errors
    /// Arguments that do not fit the parameters, and everything that can go wrong in a run; the
    /// place is routine, vertex and statement.
    pub fn run(
        &mut self,
        routine: RoutineId,
        arguments: &mut [Argument],
        options: &RunOptions,
    ) -> Result<RunReport, Box<Diagnostic>> {
        let (ready, globals) = (self.ready, self.compiled.inner.globals.cells);
        let empty = |a: &Argument| !matches!(a, Argument::Tape(tape) if !tape.size().is_empty());
        let repeatable = (!ready || globals == 0)
            && arguments.iter().all(empty)
            && self.compiled.inner.image.callbacks.is_empty();
        let stopped = match self.attempt(routine, arguments, options, false) {
            Ok(report) => return Ok(report),
            Err(problem) => problem,
        };
        if !repeatable || !at_a_limit(&stopped) {
            return Err(stopped);
        }
        self.ready = ready;
        for argument in arguments.iter_mut() {
            if let Argument::Tape(tape) = argument {
                tape.clear();
            }
        }
        Err(self.count_passes(routine, arguments, options, stopped))
    }

    /// What [`Self::run`] was stopped by, with the number of passes that the running loops had made, if it was a limit
    /// and the number is not there yet: the run is repeated, as far as it came, with counts. Before, the
    /// host gives globals and tapes the values that they had. A run with counts takes about as long as the one
    /// without.
    #[must_use]
    pub fn count_passes(
        &mut self,
        routine: RoutineId,
        arguments: &mut [Argument],
        options: &RunOptions,
        mut stopped: Box<Diagnostic>,
    ) -> Box<Diagnostic> {
        if !at_a_limit(&stopped) || self.machine.passes.on {
            return stopped;
        }
        let (steps, without) = std::mem::take(&mut self.stopped);
        let as_far = RunOptions {
            fuel: options.fuel.min(steps),
            ..*options
        };
        let repeated = self.attempt(routine, arguments, &as_far, true);
        if repeated.is_err_and(|problem| at_a_limit(&problem))
            && let Some(message) = stopped.message.strip_suffix(&without)
        {
            stopped.message = format!("{message}{}", self.stopped.1);
        }
        stopped
    }

    /// A run; with counts of jumps back, if wanted.
    fn attempt(
        &mut self,
        routine: RoutineId,
        arguments: &mut [Argument],
        options: &RunOptions,
        counts: bool,
    ) -> Result<RunReport, Box<Diagnostic>> {
        let compiled = self.compiled.clone();
        let inner = &*compiled.inner;
        let signature = &inner.signatures[routine.index()];
        self.check_arguments(routine, signature, arguments)?;

        let machine = &mut self.machine;
        machine.limits = Some(Limits {
            fuel: options.fuel,
            max_tape: options.max_tape,
            max_memory: options.max_memory,
            max_depth: options.max_depth,
        });
        // More than can be used up, and room for the length of the code.
        let fuel = options.fuel.min(1 << 62) as i64;
        machine.fuel = fuel;
        machine.passes.start(counts);
        machine.handlers.clear();
        machine.meter = Meter::new(options.max_tape, machine.held.memory(), options.max_memory);
        machine.frames.clear();
        machine.gathered.clear();
        machine.trace.clear();
        machine.met.clear();
        machine.met_at.clear();
        machine.pieces = 0;
        machine.activations = 0;
        machine.top = 0;
        machine.now = crate::machine::Activation::default();
        while let Some(mut tape) = machine.tapes.pop() {
            tape.clear();
            machine.spare_tapes.push(tape);
        }

        // What runs with other limits have left may be too much for this one.
        if machine.held.memory().used() > options.max_memory {
            let globals = if self.ready { inner.globals.cells } else { 0 };
            machine.give_back(globals as usize);
        }

        let mut incoming = Vec::with_capacity(arguments.len());
        let mut homes = Vec::with_capacity(arguments.len());
        let placed = self.place_globals();
        let machine = &mut self.machine;
        let outcome = placed
            .and_then(|()| {
                machine.top = inner.globals.cells as usize;
                load(machine, signature, arguments, &mut incoming, &mut homes)
            })
            .map_err(Box::new)
            .and_then(|()| {
                if options.max_depth == 0 {
                    return Err(Box::new(Fault::Depth(0)));
                }
                machine.enter(&inner.image, routine.index(), &incoming)?;
                execute(machine, &inner.image)
            });

        // Tapes go back to their owner, also after an error.
        let mut tapes = std::mem::take(&mut machine.tapes).into_iter();
        let mut leftovers = Vec::new();
        for argument in arguments.iter_mut() {
            if let Argument::Tape(tape) = argument
                && let Some(used) = tapes.next()
            {
                *tape = used;
                leftovers.push(tape.size());
            }
        }
        machine.spare_tapes.extend(tapes.map(|mut tape| {
            tape.clear();
            tape
        }));
        if let Err(fault) = outcome {
            let mut problem = locate(inner, machine, &fault);
            self.stopped = (steps(fuel, machine), String::new());
            if at_a_limit(&problem) {
                let loops = passes::describe(machine, &inner.image.routines, |routine, v| {
                    let signature = &inner.signatures[routine];
                    (signature.name.clone(), signature.vertex_ids[v.index()].0)
                });
                problem.message += &loops;
                self.stopped.1 = loops;
            }
            return Err(Box::new(problem));
        }
        for (k, argument) in arguments.iter_mut().enumerate() {
            let variable = &signature.variables[k];
            if let (Argument::Value(value), Some(at)) = (argument, homes[k])
                && variable.intent().is_some_and(Intent::writes)
            {
                let cells = &machine.memory[at..at + value.len()];
                value.get_back(variable.order, cells);
            }
        }
        let mut tape = machine.meter.finish();
        tape.leftovers.extend(leftovers);
        let at_the_end = |fault: Fault| {
            let at = element_name(&signature.name, None, None);
            Box::new(fault.diagnostic(&|_| None).at_element(at))
        };
        let result = match &signature.result {
            Some(variable) => Some(result(machine, variable).map_err(at_the_end)?),
            None => None,
        };
        let (trace, held) = trace(inner, machine).map_err(at_the_end)?;
        Ok(RunReport {
            result,
            steps: steps(fuel, machine),
            tape,
            trace,
            held,
            events: events(inner, machine),
            pieces: machine.pieces,
        })
    }

    fn check_arguments(
        &self,
        routine: RoutineId,
        signature: &Signature,
        arguments: &[Argument],
    ) -> Result<(), Box<Diagnostic>> {
        if arguments.len() != signature.parameters {
            return Err(problem(
                format!(
                    "'{}' takes {} arguments, not {}",
                    signature.name,
                    signature.parameters,
                    arguments.len()
                ),
                "give one argument per parameter",
                signature,
            ));
        }
        for (k, argument) in arguments.iter().enumerate() {
            let variable = &signature.variables[k];
            let name = &variable.name;
            let wrong = |what: String| {
                let help = "give a value of the declared type and shape";
                problem(format!("'{name}' {what}"), help, signature)
            };
            match argument {
                Argument::Absent => {
                    if !matches!(variable.role, Role::Parameter { optional: true, .. }) {
                        return Err(wrong("is missing".to_owned()));
                    }
                }
                Argument::Tape(_) => {
                    if variable.ty != ScalarType::Tape {
                        return Err(wrong("is not a tape".to_owned()));
                    }
                }
                Argument::Value(value) => {
                    if value.ty() != variable.ty {
                        return Err(wrong(format!(
                            "is {}, not {}",
                            variable.ty.name(),
                            value.ty().name()
                        )));
                    }
                    if value.shape().len() != variable.rank() {
                        return Err(wrong(format!(
                            "has rank {}, but a value of rank {} is given",
                            variable.rank(),
                            value.shape().len()
                        )));
                    }
                    let deferred = variable
                        .shape
                        .iter()
                        .any(|d| matches!(d.extent, Extent::Deferred));
                    if variable.rank() > 0 && !deferred {
                        let shape = self.shape_of_parameter(routine, VarId::new(k), arguments)?;
                        if shape != value.shape() {
                            return Err(wrong(format!(
                                "has shape {shape:?}, but a value of shape {:?} is given",
                                value.shape()
                            )));
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

/// True if more steps, tape or memory would have let the run go on.
fn at_a_limit(problem: &Diagnostic) -> bool {
    let limits = [FUEL, TAPE, MEMORY];
    limits.iter().any(|limit| limit.code == problem.code)
}

/// Steps that a run has taken.
fn steps(fuel: i64, machine: &Machine) -> u64 {
    (fuel - machine.fuel).unsigned_abs()
}

/// Puts arguments into memory.
fn load(
    machine: &mut Machine,
    signature: &Signature,
    arguments: &mut [Argument],
    incoming: &mut Vec<Incoming>,
    homes: &mut Vec<Option<usize>>,
) -> Result<(), Fault> {
    for (k, argument) in arguments.iter_mut().enumerate() {
        let variable = &signature.variables[k];
        let mut home = None;
        incoming.push(match argument {
            Argument::Absent => Incoming::Absent,
            Argument::Tape(tape) => {
                let adopted = machine.meter.adopt(tape);
                adopted.map_err(|_| machine.too_big())?;
                machine.tapes.push(std::mem::take(tape));
                Incoming::Cell(machine.tapes.len() as u64 - 1)
            }
            Argument::Value(value) => {
                let at = machine.top;
                let top = at as u64 + value.len() as u64;
                machine.reserve(top)?;
                machine.top = top as usize;
                home = Some(at);
                value.put(variable.order, &mut machine.memory[at..top as usize]);
                if variable.rank() > 0 {
                    let mut axes: Vec<Axis> = value
                        .shape()
                        .iter()
                        .map(|&extent| Axis {
                            lower: 1,
                            extent: extent as i64,
                            stride: 0,
                        })
                        .collect();
                    if descriptor::lay_out(&mut axes, variable.order).is_none() {
                        return Err(machine.too_big());
                    }
                    Incoming::Array {
                        base: at as u64,
                        axes,
                        order: variable.order,
                    }
                } else if signature.by_address[k] {
                    Incoming::Cell(at as u64)
                } else {
                    Incoming::Cell(value.cells[0])
                }
            }
        });
        homes.push(home);
    }
    Ok(())
}

/// The result of a function.
fn result(machine: &Machine, variable: &Variable) -> Result<Value, Fault> {
    if variable.rank() == 0 {
        let cell = machine.registers.first().copied();
        let cell = cell.unwrap_or(cell::poison(variable.ty));
        let cell = vec![cell];
        return Ok(Value::from_cells(variable.ty, Vec::new(), Order::Row, cell));
    }
    let axes = descriptor::axes(&machine.returned, variable.rank());
    let n = descriptor::count(&axes).unwrap_or(u64::MAX);
    // The host pays for what it keeps.
    let _room = machine.scratch(n)?;
    let mut cells = Vec::with_capacity(n as usize);
    descriptor::for_each_cell(machine.returned[0].base, &axes, variable.order, |at| {
        cells.push(machine.memory[at as usize]);
        Ok(())
    })?;
    let shape = axes.iter().map(|a| a.extent as usize).collect();
    Ok(Value::from_cells(variable.ty, shape, variable.order, cells))
}

/// Vertex and statement of an instruction; `pc` is the position after it.
fn place(inner: &Inner, routine: usize, pc: usize) -> (Option<i64>, Option<u32>) {
    let places = &inner.image.routines[routine].places;
    let at = places.partition_point(|&(from, ..)| (from as usize) < pc);
    let Some(&(_, vertex, statement)) = at.checked_sub(1).and_then(|k| places.get(k)) else {
        return (None, None);
    };
    let ids = &inner.signatures[routine].vertex_ids;
    (vertex.map(|v| ids[v.index()].0), statement)
}

fn locate(inner: &Inner, machine: &Machine, fault: &Fault) -> Diagnostic {
    let now = machine.now;
    let signature = &inner.signatures[now.routine];
    let names = &inner.image.routines[now.routine].array_names;
    let name = |arr: u16| {
        let (_, v) = names[..names.partition_point(|&(a, _)| a <= arr)].last()?;
        let declared = &signature.variables[v.index()];
        let end = usize::from(names.iter().find(|n| n.1 == *v)?.0)
            + descriptor::positions(declared.rank());
        (usize::from(arr) < end).then(|| declared.name.clone())
    };
    let (vertex, statement) = place(inner, now.routine, now.pc);
    fault
        .diagnostic(&name)
        .at_element(element_name(&signature.name, vertex, statement))
}

fn trace(inner: &Inner, machine: &Machine) -> Result<(Vec<Visited>, Lease), Fault> {
    if !inner.trace {
        return Ok((Vec::new(), machine.scratch(0)?));
    }
    let words = size_of::<Visited>().div_ceil(8) as u64;
    let held = machine.scratch(words.saturating_mul(machine.trace.len() as u64))?;
    let visits = machine
        .trace
        .iter()
        .map(|visit| {
            let (id, origin) =
                inner.signatures[visit.routine.index()].vertex_ids[visit.vertex as usize];
            Visited {
                routine: visit.routine,
                activation: visit.activation,
                vertex: VertexId::new(visit.vertex as usize),
                id,
                origin,
            }
        })
        .collect();
    Ok((visits, held))
}

fn events(inner: &Inner, machine: &Machine) -> Vec<Met> {
    machine
        .met
        .iter()
        .map(|met| {
            let (vertex, statement) = place(inner, met.routine, met.pc);
            let name = &inner.signatures[met.routine].name;
            Met {
                op: met.op,
                event: met.event,
                element: element_name(name, vertex, statement),
                times: met.times,
            }
        })
        .collect()
}
