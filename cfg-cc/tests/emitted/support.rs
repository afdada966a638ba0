//! Programs with arguments, run by both engines.

use cfg_cc::{Answer, Compiler, Executable, storage_owners};
use cfg_core::flat::Flat;
use cfg_core::{
    elemental::{Math, Scalar},
    entity::{GlobalId, RoutineId, VarId},
    ir::{Order, ParameterRole, Program, Role, ScalarType, Signature},
    validate::{ValidProgram, validate},
};
use cfg_exec::{Argument, CompileOptions, Compiled, RunOptions, Session, TapeCounts, Value};
use cfg_reverse::Options;
use cfg_testkit::{
    case::{Case, Datum, Elements},
    rng::Rng,
    strict,
};
use cfg_transform::flatten;

/// A program without pointers as a flat one.
pub(crate) fn flat(program: &ValidProgram) -> Flat {
    let made = flatten(
        program.clone(),
        &[],
        &cfg_transform::flat::Options::default(),
    );
    made.unwrap_or_else(|problems| panic!("{problems}")).program
}

/// Strict flags, under which values are those of the executor and a warning counts as an error.
pub(crate) fn flags(sanitized: bool) -> Vec<String> {
    let mut flags = strict::FLAGS.to_vec();
    flags.extend(["-O0", "-fno-builtin", "-ffp-contract=off"]);
    if sanitized {
        flags.extend(["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]);
    }
    let more = std::env::var("CFGREV_CFLAGS").unwrap_or_default();
    let all = flags.into_iter().chain(more.split_whitespace());
    all.map(str::to_owned).collect()
}

/// A routine with arguments and globals, and what the executor makes of them.
pub(crate) struct Job {
    pub(crate) title: String,
    pub(crate) program: Flat,
    pub(crate) routine: RoutineId,
    pub(crate) arguments: Vec<Argument>,
    pub(crate) globals: Vec<Value>,
    pub(crate) expected: Answer,
}

pub(crate) fn value(datum: &Datum, order: Order) -> Value {
    let ty = match &datum.elements {
        Elements::Real(_) => ScalarType::Real,
        Elements::Real32(_) => ScalarType::Real32,
        Elements::Integer(_) => ScalarType::Integer,
        Elements::Sized(ty, _) => ScalarType::Sized(*ty),
        Elements::Logical(_) => ScalarType::Logical,
    };
    let mut value = Value::uninitialised(ty, &datum.extents, order).unwrap();
    for k in 0..datum.len() {
        let x = match &datum.elements {
            Elements::Real(x) => Scalar::Real(x[k]),
            Elements::Real32(x) => Scalar::Real32(x[k]),
            Elements::Integer(x) => Scalar::Integer(x[k]),
            Elements::Sized(ty, x) => Scalar::Sized(*ty, x[k]),
            Elements::Logical(x) => Scalar::Logical(x[k]),
        };
        assert!(value.set(k, x));
    }
    value
}

/// Random numbers in the shape of a value.
pub(crate) fn weights(like: &Value, rng: &mut Rng) -> Value {
    let mut made = Value::uninitialised(like.ty(), like.shape(), like.order()).unwrap();
    for k in 0..made.len() {
        let x = rng.between(-8, 8) as f64 / 4.0;
        made.set(
            k,
            match like.ty() {
                ScalarType::Real32 => Scalar::Real32(x as f32),
                _ => Scalar::Real(x),
            },
        );
    }
    made
}

/// The jobs of a case: the program itself, its gradient and its tangent.
pub(crate) fn jobs(name: &str, case: &Case, options: &Options, seed: u64) -> Vec<Job> {
    let program = validate(case.program.clone()).unwrap();
    let (arguments, set) = filled_point(case, &program);
    let compiled = compile(&program);
    let mut session = Session::new(&compiled);
    for (g, value) in &set {
        session.set_global(*g, value).unwrap();
    }
    let globals = all_globals(&session, &program);
    let title = format!("{name}, program");
    let Some(own) = job(title, program, case.main, arguments, globals) else {
        return Vec::new();
    };
    let mut rng = Rng::new(seed);
    let gradient = own.gradient(format!("{name}, gradient"), options, &mut rng);
    let tangent = own.tangent(format!("{name}, tangent"), &mut rng);
    let derived: Vec<Job> = gradient.into_iter().chain(tangent).collect();
    std::iter::once(own).chain(derived).collect()
}

impl Job {
    /// The gradient; `None` for programs that push and pop for themselves.
    pub(crate) fn gradient(&self, title: String, options: &Options, rng: &mut Rng) -> Option<Self> {
        let (title, program, r) = gradient_of(title, &self.program, self.routine, options)?;
        let (arguments, globals) = self.arguments_of(&program, r, rng);
        job(title, program, r, arguments, globals)
    }

    /// The tangent.
    pub(crate) fn tangent(&self, title: String, rng: &mut Rng) -> Option<Self> {
        let (title, program, r) = tangent_of(title, &self.program, self.routine)?;
        let (arguments, globals) = self.arguments_of(&program, r, rng);
        job(title, program, r, arguments, globals)
    }

    /// Arguments and globals of a derivative of the routine at the same point, with random adjoints or tangents. The
    /// derivative may be that of the program with something broken.
    pub(crate) fn arguments_of(
        &self,
        program: &ValidProgram,
        r: RoutineId,
        rng: &mut Rng,
    ) -> (Vec<Argument>, Vec<Value>) {
        let routine = self.program.routine(self.routine);
        let like = |v: VarId| {
            let k = routine.parameter_ids().position(|p| p == v);
            k.map(|k| self.arguments[k].clone())
        };
        let result = self
            .expected
            .result
            .as_ref()
            .filter(|_| routine.result.is_some());
        let mut arguments = Vec::new();
        for role in &Signature::from_origins(program, r).parameters {
            arguments.push(match role {
                ParameterRole::Primal(v) => like(*v).unwrap_or_default(),
                ParameterRole::Adjoint(v) | ParameterRole::Tangent(v) => match like(*v) {
                    Some(Argument::Value(value)) => weights(&value, rng).into(),
                    Some(Argument::Absent) => Argument::Absent,
                    Some(Argument::Tape(_)) | None => {
                        let result = result.filter(|_| routine.result == Some(*v));
                        let scalar = Value::uninitialised(routine.variable(*v).ty, &[], Order::Row);
                        weights(result.unwrap_or(&scalar.unwrap()), rng).into()
                    }
                },
                ParameterRole::Tape | ParameterRole::Own(_) => Argument::Absent,
            });
        }
        let compiled = compile(program);
        let mut session = Session::new(&compiled);
        for (g, value) in storage_owners(&self.program).into_iter().zip(&self.globals) {
            session.set_global(g, value).unwrap();
        }
        fill(&session, program, r, &mut arguments);
        // Adjoints and tangents of globals.
        let own = self.program.globals.len();
        for g in storage_owners(program)
            .into_iter()
            .filter(|g| g.index() >= own)
        {
            let value = weights(&session.global(g), rng);
            session.set_global(g, &value).unwrap();
        }
        let globals = all_globals(&session, program);
        (arguments, globals)
    }
}

/// The gradient of a program; `None` if the program pushes and pops for itself.
pub(crate) fn gradient_of(
    title: String,
    program: &ValidProgram,
    r: RoutineId,
    options: &Options,
) -> Option<(String, ValidProgram, RoutineId)> {
    let made = cfg_reverse::reverse(&flat(program), r, options).ok()?;
    Some(checked(title, program, made.program, made.gradient))
}

/// The routines of a reversed program, as the C back end names them.
pub(crate) fn routines(made: &cfg_reverse::Reversal) -> cfg_back::c::Adjoint {
    cfg_back::c::Adjoint {
        original: made.original,
        forward: made.forward,
        reverse: made.reverse,
        gradient: made.gradient,
    }
}

/// A routine in several directions, as the C back end names it.
pub(crate) fn several(made: &cfg_reverse::InDirections) -> cfg_back::c::Several {
    cfg_back::c::Several {
        routine: made.routine,
        count: match made.count {
            cfg_reverse::Count::Parameter(p) => cfg_back::c::Count::Parameter(p),
            cfg_reverse::Count::Fixed(n) => cfg_back::c::Count::Fixed(n.get()),
        },
        globals: made.globals.clone(),
    }
}

/// The tangent of a program.
pub(crate) fn tangent_of(
    title: String,
    program: &ValidProgram,
    r: RoutineId,
) -> Option<(String, ValidProgram, RoutineId)> {
    let made = cfg_reverse::tangent(&flat(program), r).ok()?;
    Some(checked(title, program, made.program, made.tangent))
}

/// A derivative of a program, which is valid.
fn checked(
    title: String,
    of: &ValidProgram,
    made: Program,
    r: RoutineId,
) -> (String, ValidProgram, RoutineId) {
    match validate(made) {
        Ok(derived) => (title, derived, r),
        Err(problems) => panic!("{title}: {problems}\n{}", of.program()),
    }
}

/// The values of the globals that own storage.
pub(crate) fn all_globals(session: &Session, program: &ValidProgram) -> Vec<Value> {
    let owners = storage_owners(program).into_iter();
    owners.map(|g| session.global(g)).collect()
}

/// The arguments of a case, with those that only come out, and its globals.
pub(crate) fn filled_point(
    case: &Case,
    program: &ValidProgram,
) -> (Vec<Argument>, Vec<(GlobalId, Value)>) {
    let routine = case.routine();
    let mut point = vec![Argument::Absent; routine.parameter_ids().len()];
    let mut globals = Vec::new();
    for (v, datum) in &case.point {
        let value = value(datum, routine.variable(*v).order);
        if let Role::Global(g) = routine.variable(*v).role {
            globals.push((g, value));
        } else if let Some(k) = routine.parameter_ids().position(|p| p == *v) {
            point[k] = value.into();
        }
    }
    let compiled = compile(program);
    let mut session = Session::new(&compiled);
    for (g, value) in &globals {
        session.set_global(*g, value).unwrap();
    }
    fill(&session, program, case.main, &mut point);
    (point, globals)
}

pub(crate) fn compile(program: &ValidProgram) -> Compiled {
    let options = CompileOptions {
        math: Math::Native,
        ..CompileOptions::default()
    };
    Compiled::new(&flat(program), &options).unwrap_or_else(|e| panic!("{e}"))
}

/// Arguments for parameters that only come out.
pub(crate) fn fill(
    session: &Session,
    program: &ValidProgram,
    r: RoutineId,
    arguments: &mut [Argument],
) {
    let routine = program.routine(r);
    for (k, v) in routine.parameter_ids().enumerate() {
        let optional = matches!(
            routine.variable(v).role,
            Role::Parameter { optional: true, .. }
        );
        if arguments[k] == Argument::Absent && !optional {
            arguments[k] = session
                .uninitialised_argument(r, v, arguments)
                .unwrap_or_else(|e| panic!("{e}"));
        }
    }
}

/// The job, with globals as a session has them that was set up.
pub(crate) fn finished(
    title: String,
    program: ValidProgram,
    routine: RoutineId,
    arguments: Vec<Argument>,
    set: &dyn Fn(&mut Session),
) -> Option<Job> {
    let compiled = compile(&program);
    let mut session = Session::new(&compiled);
    set(&mut session);
    let globals = all_globals(&session, &program);
    job(title, program, routine, arguments, globals)
}

/// The job, with the executor's results; `None` if the executor fails.
pub(crate) fn job(
    title: String,
    program: ValidProgram,
    routine: RoutineId,
    arguments: Vec<Argument>,
    globals: Vec<Value>,
) -> Option<Job> {
    let compiled = compile(&program);
    let mut session = Session::new(&compiled);
    for (g, value) in storage_owners(&program).into_iter().zip(&globals) {
        session.set_global(g, value).unwrap();
    }
    let mut left = arguments.clone();
    let report = session
        .run(routine, &mut left, &RunOptions::default())
        .ok()?;
    let expected = Answer {
        status: 0,
        message: String::new(),
        tape_bytes: 0,
        tape: Some(report.tape),
        result: report.result,
        arguments: left,
        globals: all_globals(&session, &program),
    };
    Some(Job {
        title,
        program: flat(&program),
        routine,
        arguments,
        globals,
        expected,
    })
}

/// The first difference of two values; where the first is uninitialised, the second may be anything.
fn difference(expected: &Value, found: &Value) -> Option<String> {
    let found = found.in_order(expected.order());
    (0..expected.len()).find_map(|k| {
        let same = match (expected.get(k)?, found.get(k)?) {
            (Scalar::Real(a), Scalar::Real(b)) => {
                a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
            }
            (Scalar::Real32(a), Scalar::Real32(b)) => {
                a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
            }
            (a, b) => a == b,
        };
        (!same).then(|| {
            format!(
                "element {k}: {:?} instead of {:?}",
                found.get(k),
                expected.get(k)
            )
        })
    })
}

impl Job {
    /// A problem with the statement that it is about.
    fn describe(&self, problems: &cfg_core::diagnostic::Diagnostics) -> String {
        use cfg_core::{diagnostic::site::Element, text::Printer};
        let mut text = format!("{}: ", self.title);
        for problem in problems.iter() {
            text += &problem.message;
            let Some(site) = &problem.at.site else {
                continue;
            };
            let Some(r) = site.routine else { continue };
            let routine = self.program.routine(r);
            if let (Element::Vertex(v), Some(cfg)) = (site.element, &routine.body) {
                text += &format!(", {}: {:?}", routine.name, cfg.vertex(v).kind);
            }
            if let (Element::Statement(v, k), Some(cfg)) = (site.element, &routine.body) {
                let statement = &cfg.vertex(v).statements()[k];
                text += &format!(
                    ", {}: {}",
                    routine.name,
                    Printer::new(&self.program, routine).display_stmt(statement)
                );
            }
        }
        text
    }

    /// What is wrong with an answer.
    pub(crate) fn judge(&self, answer: &Answer) -> Option<String> {
        if answer.status != 0 {
            return Some(format!("{}: status {}", self.title, answer.status));
        }
        if let (Some(a), Some(b)) = (&self.expected.tape, &answer.tape) {
            // Control bits are not compared: trip counts take other numbers of bits in C.
            let of = |c: &TapeCounts| {
                let in_memory = [c.pushes, c.pops, c.integers, c.reals, c.reals32];
                (
                    in_memory,
                    [c.disk, c.disk_written, c.disk_read, c.disk_peak],
                )
            };
            if (of(a), a.value_bytes) != (of(b), b.value_bytes) {
                return Some(format!("{}: counted {b:?} instead of {a:?}", self.title));
            }
        }
        let routine = self.program.routine(self.routine);
        let mut pairs: Vec<(String, &Value, &Value)> = Vec::new();
        if let (Some(a), Some(b)) = (&self.expected.result, &answer.result) {
            pairs.push(("the result".to_owned(), a, b));
        }
        for (p, (a, b)) in routine
            .parameter_ids()
            .zip(self.expected.arguments.iter().zip(&answer.arguments))
        {
            if let (Argument::Value(a), Argument::Value(b)) = (a, b) {
                pairs.push((routine.variable(p).name.clone(), a, b));
            }
        }
        for (g, (a, b)) in storage_owners(&self.program)
            .iter()
            .zip(self.expected.globals.iter().zip(&answer.globals))
        {
            pairs.push((self.program.global(*g).variable.name.clone(), a, b));
        }
        pairs.iter().find_map(|(name, a, b)| {
            let problem = difference(a, b)?;
            Some(format!("{}: {name}, {problem}", self.title))
        })
    }
}

/// Compiles all jobs as one file and runs them; returns the failures.
pub(crate) fn run_all(jobs: &[Job], compiler: &Compiler) -> Vec<String> {
    let programs: Vec<(&Flat, RoutineId)> =
        jobs.iter().map(|job| (&job.program, job.routine)).collect();
    let mut built = match Executable::build(&programs, compiler) {
        Ok(built) => built,
        Err(problem) => {
            // One of the jobs has no C: each is written alone to find it.
            let alone = |job: &Job| {
                cfg_back::c::server(
                    &[(&job.program, job.routine)],
                    cfg_back::c::Options::default(),
                    false,
                )
                .err()
            };
            let found = jobs.iter().filter_map(|job| Some((job, alone(job)?)));
            let mut all: Vec<String> = found.map(|(job, problem)| job.describe(&problem)).collect();
            all.push(problem.to_string());
            return all;
        }
    };
    let mut wrong = Vec::new();
    for (k, job) in jobs.iter().enumerate() {
        match built.run(k, &job.arguments, &job.globals) {
            Ok(answer) => wrong.extend(job.judge(&answer)),
            Err(problem) => {
                wrong.push(format!("{}: {problem}", job.title));
                break;
            }
        }
    }
    wrong
}
