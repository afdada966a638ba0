//! Limits of everything, set at random: a write that fails at any byte, memory that is refused from any byte on, and tapes,
//! steps and calls that run out at any place. Each stops with its own code, leaves nothing taken, and what is done again
//! without the limit has the same bits as if nothing had happened.

use super::{flattened::flattened, program_changes::program};
use cfg_core::elemental::Scalar;
use cfg_core::flat::Flat;
use cfg_core::{
    entity::RoutineId,
    ir::{Intent, Program, ScalarType},
    validate,
};
use cfg_exec::{Argument, CompileOptions, Compiled, RunOptions, Session, Tape, Value};
use cfg_format::json;
use cfg_testkit::case::{Case, Elements};
use cfg_testkit::flat;
use std::{fmt, io};

/// One input: a program, and what is left until something is refused.
pub(crate) fn run(data: &[u8]) {
    let Some((case, rest)) = program(data) else {
        return;
    };
    let Some(k) = rest.first_chunk::<2>() else {
        return;
    };
    let k = usize::from(u16::from_le_bytes(*k));
    writes(&case.program, k);
    let Ok(valid) = validate::validate(case.program.clone()) else {
        return;
    };
    let (valid, main) = flattened(valid, case.main)
        .expect("what is generated has no pointers that cannot be lowered");
    runs(&case, &valid, main, k);
    let options = cfg_reverse::Options {
        work: 20_000,
        ..cfg_reverse::Options::default()
    };
    let Ok(made) = cfg_reverse::reverse(&valid, main, &options) else {
        return;
    };
    if let Ok(adjoint) = validate::validate(made.program) {
        runs(&case, &flat(&adjoint), made.forward, k);
    }
}

/// Takes so many bytes, in pieces, and then nothing more.
struct Full {
    taken: Vec<u8>,
    left: usize,
}

impl io::Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.left == 0 {
            return Err(io::ErrorKind::StorageFull.into());
        }
        let n = bytes.len().min(self.left).min(4096);
        self.left -= n;
        self.taken.extend_from_slice(&bytes[..n]);
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl fmt::Write for Full {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if text.len() > self.left {
            return Err(fmt::Error);
        }
        self.left -= text.len();
        self.taken.extend_from_slice(text.as_bytes());
        Ok(())
    }
}

fn writes(program: &Program, k: usize) {
    let mut whole = Vec::new();
    json::write(program, &mut whole).expect("a program that was generated can be written");
    let printed = program.to_string();
    for left in [k % (whole.len() + 1), whole.len() - 1, whole.len()] {
        let mut full = Full {
            taken: Vec::new(),
            left,
        };
        let result = json::write(program, &mut full);
        match left == whole.len() {
            true => assert!(result.is_ok() && full.taken == whole),
            false => {
                let kind = result.expect_err("there was no room").kind();
                assert_eq!(kind, io::ErrorKind::StorageFull);
                assert!(whole.starts_with(&full.taken));
            }
        }
    }
    for left in [k % (printed.len() + 1), printed.len() - 1, printed.len()] {
        let mut full = Full {
            taken: Vec::new(),
            left,
        };
        let result = fmt::write(&mut full, format_args!("{program}"));
        assert_eq!(result.is_ok(), left == printed.len());
        assert!(printed.as_bytes().starts_with(&full.taken));
    }
}

/// Runs a routine without limits worth mention, then with each limit, then without again.
fn runs(case: &Case, program: &Flat, routine: RoutineId, k: usize) {
    let compiled = Compiled::new(program, &CompileOptions::default()).expect("it compiles");
    let mut session = Session::new(&compiled);
    let Some(given) = arguments(case, &session, routine, program) else {
        return;
    };
    let free = RunOptions {
        fuel: 300_000,
        max_tape: 1 << 24,
        max_memory: 1 << 26,
        max_depth: 200,
        ..RunOptions::default()
    };
    let mut first = given.clone();
    let outcome: Result<(), &str> = session
        .run(routine, &mut first, &free)
        .map(drop)
        .map_err(|d| d.code);
    let expected = whole(&first);
    let k = k as u64;
    for (limit, code) in [
        (
            RunOptions {
                fuel: k % 5000,
                ..free.clone()
            },
            "X208",
        ),
        (
            RunOptions {
                max_tape: k % 600,
                ..free.clone()
            },
            "X209",
        ),
        (
            RunOptions {
                max_memory: k,
                ..free.clone()
            },
            "X210",
        ),
        (
            RunOptions {
                max_depth: k as usize % 4,
                ..free.clone()
            },
            "X211",
        ),
    ] {
        session.reset_globals();
        let mut now = given.clone();
        match session.run(routine, &mut now, &limit) {
            Ok(_) => assert!(outcome.is_ok() && whole(&now) == expected, "{limit:?}"),
            Err(d) => {
                assert!(d.code == code || outcome == Err(d.code), "{limit:?}: {d}");
                assert!(values(&now) == values(&given), "{limit:?} leaves a part");
            }
        }
        drop(now);
        session.reset_globals();
        let mut again = given.clone();
        let result = session.run(routine, &mut again, &free).map_err(|d| d.code);
        assert_eq!(result.is_ok(), outcome.is_ok(), "after {limit:?}");
        if result.is_ok() {
            assert!(whole(&again) == expected, "after {limit:?}");
        }
    }
    // A session keeps its buffers for the next run, and nothing else keeps anything.
    let memory = session.memory().clone();
    drop((session, first, given));
    assert_eq!(memory.used(), 0, "memory that nobody has is not given back");
}

/// What is bound to parameters, without the tapes: these keep what was pushed until the run was stopped.
fn values(arguments: &[Argument]) -> String {
    let values: Vec<&Argument> = (arguments.iter()).filter(|a| a.tape().is_none()).collect();
    format!("{values:?}")
}

/// What is bound to parameters, and how much is on the tapes.
fn whole(arguments: &[Argument]) -> String {
    let tapes = arguments.iter().filter_map(|a| a.tape());
    let sizes: Vec<String> = tapes.map(|t| format!("{:?}", t.size())).collect();
    format!("{} {sizes:?}", values(arguments))
}

fn arguments(
    case: &Case,
    session: &Session,
    routine: RoutineId,
    program: &Program,
) -> Option<Vec<Argument>> {
    let original = case.routine();
    let called = program.routine(routine);
    let mut all: Vec<Argument> = Vec::new();
    for p in original.parameter_ids() {
        all.push(match case.value(p) {
            None => Argument::Absent,
            Some(datum) => {
                let variable = original.variable(p);
                let mut value = Value::uninitialised(variable.ty, &datum.extents, variable.order)?;
                for i in 0..datum.len() {
                    let x = match &datum.elements {
                        Elements::Real(x) => Scalar::Real(x[i]),
                        Elements::Real32(x) => Scalar::Real32(x[i]),
                        Elements::Integer(x) => Scalar::Integer(x[i]),
                        Elements::Sized(ty, x) => Scalar::Sized(*ty, x[i]),
                        Elements::Logical(x) => Scalar::Logical(x[i]),
                    };
                    value.set(i, x);
                }
                value.into()
            }
        });
    }
    all.resize(called.parameters.len(), Argument::Absent);
    for (p, v) in called.parameter_ids().enumerate() {
        let variable = called.variable(v);
        if variable.ty == ScalarType::Tape {
            all[p] = Tape::default().into();
        } else if all[p] == Argument::Absent && variable.intent() == Some(Intent::Out) {
            all[p] = session.uninitialised_argument(routine, v, &all).ok()?;
        }
    }
    Some(all)
}
