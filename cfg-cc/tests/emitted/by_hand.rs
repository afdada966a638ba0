//! Programs that were written to be hard: each file in `programs` begins with a line like `// n = 3, k = -2`, the values
//! of the main routine's integers; all other values are random.

use crate::support::flat;
use crate::{
    random::check,
    support::{Job, flags, jobs},
};
use cfg_cc::{Compiler, Executable};
use cfg_core::flat::Flat;
use cfg_core::{
    ir::{Extent, Order, ScalarType, Variable},
    validate::validate,
};
use cfg_exec::{Argument, CompileOptions, Compiled, RunOptions, Session, Value};
use cfg_format::text;
use cfg_reverse::{Blocks, Options};
use cfg_testkit::{
    case::{Case, Datum, Elements},
    needs,
    rng::Rng,
};
use cfg_transform::{pools, records};
use std::collections::BTreeMap;

/// The integers that the first line of a file gives.
fn integers(text: &str) -> BTreeMap<&str, i64> {
    let line = text.lines().next().unwrap().trim_start_matches('/');
    let pairs = line.split(',').map(|pair| pair.split_once('=').unwrap());
    pairs
        .map(|(name, n)| (name.trim(), n.trim().parse().unwrap()))
        .collect()
}

/// Random elements of a parameter.
fn elements(variable: &Variable, count: usize, given: Option<i64>, rng: &mut Rng) -> Elements {
    let mut real = || rng.between(1, 16) as f64 / 8.0;
    match variable.ty {
        ScalarType::Real => Elements::Real((0..count).map(|_| real()).collect()),
        ScalarType::Real32 => Elements::Real32((0..count).map(|_| real() as f32).collect()),
        ScalarType::Integer => {
            let all = (0..count).map(|k| given.unwrap_or(k as i64 % 4 + 1));
            Elements::Integer(all.collect())
        }
        ScalarType::Sized(ty) => {
            let all =
                (0..count).map(|k| ty.wrap(rng.between(-300, 300).into()) + i64::from(k == 0));
            Elements::Sized(ty, all.map(|n| ty.wrap(n.into())).collect())
        }
        ScalarType::Logical => Elements::Logical((0..count).map(|k| k % 2 == 0).collect()),
        ScalarType::Tape | ScalarType::Record(_) | ScalarType::Pointer(_) => {
            panic!("a tape has no value")
        }
    }
}

/// The program of a text, without its pointers, at a random point.
pub(crate) fn case(name: &str, text: &str) -> Case {
    let parsed = text::parse(text);
    let Some(program) = parsed.program else {
        panic!("{name}: {:?}", parsed.problems)
    };
    let main = program.main.unwrap();
    let valid = validate(program).unwrap_or_else(|e| panic!("{name}: {e}"));
    let valid = match valid.has_pointers() {
        true => records::split(&pools::lower(&valid, &[main], 100).unwrap()).unwrap(),
        false => valid,
    };
    let program = (*valid).clone();
    let compiled = Compiled::new(&flat(&valid), &CompileOptions::default()).unwrap();
    let session = Session::new(&compiled);
    let routine = valid.routine(main);
    let integers = integers(text);
    let mut rng = Rng::new(7);
    let mut point = Vec::new();
    let mut arguments = vec![Argument::Absent; routine.parameter_ids().len()];
    // Scalars first: extents name them.
    for arrays in [false, true] {
        for (k, v) in routine.parameter_ids().enumerate() {
            let variable = routine.variable(v);
            if (variable.rank() > 0) != arrays {
                continue;
            }
            let deferred = |dim: &cfg_core::ir::Dim| dim.extent == Extent::Deferred;
            assert!(!variable.shape.iter().any(deferred), "{name}");
            let extents = if arrays {
                let made = session.uninitialised_argument(main, v, &arguments);
                let Ok(Argument::Value(value)) = made else {
                    panic!("{name}: {made:?}")
                };
                value.shape().to_vec()
            } else {
                Vec::new()
            };
            let given = integers.get(&*variable.name).copied();
            let count = extents.iter().product();
            let elements = elements(variable, count, given, &mut rng);
            if let (Elements::Integer(n), false) = (&elements, arrays) {
                arguments[k] = n[0].into();
            }
            point.push((v, Datum { extents, elements }));
        }
    }
    Case {
        program,
        main,
        point,
        direction: Vec::new(),
        seed: Vec::new(),
    }
}

/// The jobs of all files.
pub(crate) fn all() -> Vec<Job> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/emitted/programs");
    let mut all: Vec<Job> = Vec::new();
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    let mut short = Vec::new();
    for file in files {
        let name = file.file_stem().unwrap().to_str().unwrap();
        let text = std::fs::read_to_string(&file).unwrap();
        let case = case(name, &text);
        for blocks in [Blocks::Statement, Blocks::Preaccumulate] {
            let options = Options {
                blocks,
                ..Options::default()
            };
            let made = jobs(name, &case, &options, 5);
            // There is no reversal where an extent names what the routine changes, nor of a tape.
            let least = if ["extents", "disk_sections"].contains(&name) {
                2
            } else {
                3
            };
            if made.len() < least {
                short.push(format!("{name}: {} of {least} jobs", made.len()));
            }
            all.extend(made);
        }
    }
    assert!(short.is_empty(), "{short:?}");
    all
}

#[test]
fn programs_by_hand() {
    check(&all());
}

/// Loops and branches nest deeper than compilers allow, operands are more than they take.
#[test]
fn deep_nests_and_long_lists() {
    let deep = 300;
    let mut text = String::from(
        "// n = 1\nmain subroutine f(in integer n, in real x, out real y)\n  local integer i\n",
    );
    text += "  independent x\n  dependent y\n  y := x\n";
    for k in 0..deep {
        text += if k % 2 == 0 {
            "  for i = 1, n\n"
        } else {
            "  if x > 0.0\n"
        };
    }
    text += "  y := y*x\n";
    text += &"  end\n".repeat(deep);
    let operands = vec!["x*y"; 300].join(", ");
    text += &format!("  y := y + max({operands}, 2.0) + min(x, {operands})\n");
    text += "  select n + 1\n";
    for k in 0..300 {
        text += &format!("  case {}\n    y := y + {k}.0*x\n", 3 * k + 2);
    }
    text += "  case default\n  end\nend\n";
    // Each loop of the nest needs an index of its own.
    for k in 0..deep / 2 {
        text = text.replacen("for i = ", &format!("for i{k} = "), 1);
    }
    let names: Vec<String> = (0..deep / 2).map(|k| format!("i{k}")).collect();
    text = text.replace(
        "local integer i\n",
        &format!("local integer {}\n", names.join(", ")),
    );
    let case = case("deep", &text);
    check(&jobs("deep", &case, &Options::default(), 1));
}

/// The main routines of programs, compiled and started together. `None` without a compiler.
fn started(texts: &[String]) -> Option<(Vec<Flat>, Executable)> {
    let command = needs::tool("cc")?;
    let read = |text: &String| flat(&validate(text::parse(text).program.unwrap()).unwrap());
    let programs: Vec<Flat> = texts.iter().map(read).collect();
    let mains: Vec<_> = programs.iter().map(|p| (p, p.main.unwrap())).collect();
    let compiler = Compiler {
        command,
        flags: flags(false),
        ..Compiler::default()
    };
    let built = Executable::build(&mains, &compiler).unwrap_or_else(|e| panic!("{e}"));
    Some((programs, built))
}

/// An argument comes with an extent for each dimension, however many it has.
#[test]
fn arguments_have_any_number_of_dimensions() {
    let ranks = [1, 2, 15, 16, 17, 40];
    let programs = ranks.map(|rank| {
        let [open, ones] = [":", "1"].map(|each| vec![each; rank].join(", "));
        format!(
            "main subroutine f(in real x[{open}], in real z[:], out real y)\n  \
             y := x[{ones}] + 10.0*real(size(x, {rank})) + z[size(z)]\nend\n"
        )
    });
    let Some((_, mut built)) = started(&programs) else {
        return;
    };
    for (position, rank) in ranks.into_iter().enumerate() {
        let mut shape = vec![1; rank];
        shape[rank - 1] = 3;
        let x = Value::real_array(&shape, Order::Row, &[0.5, 0.0, 0.0]).unwrap();
        let z = Value::from_reals(&[1.0, 2.0, 3.0, 4.0]);
        let arguments = [x.into(), z.into(), Argument::from(0.0)];
        let answer = built.run(position, &arguments, &[]).unwrap();
        assert_eq!(answer.status, 0, "{rank}");
        let y = answer.arguments[2].value().and_then(|y| y.get_f64(0));
        assert_eq!(y, Some(34.5), "{rank}");
    }
}

/// Routines may have any name that the program around them uses for itself.
#[test]
fn names_of_routines_are_free() {
    let names = [
        "a",
        "begin",
        "calls",
        "cells",
        "done",
        "extents",
        "failed",
        "k",
        "kept",
        "left",
        "length",
        "main",
        "mark",
        "message",
        "nanosleep",
        "clock_gettime",
        "gmtime_r",
        "timer_create",
        "tzname",
        "CLOCK_REALTIME",
        "TIMER_ABSTIME",
        "CLK_TCK",
        "L_cuserid",
        "now",
        "rank",
        "request",
        "seconds",
        "serve",
        "sizes",
        "status",
        "tape",
        "value",
    ];
    let programs = names.map(|name| {
        format!(
            "main function {name}(inout real x[:]) result real r\n  x[1] := 2.0*x[1]\n  r := x[1] + real(size(x))\nend\n"
        )
    });
    let Some((_, mut built)) = started(&programs) else {
        return;
    };
    for (position, name) in names.into_iter().enumerate() {
        let arguments = [Value::from_reals(&[1.5, 0.0]).into()];
        let answer = built.run(position, &arguments, &[]).unwrap();
        let result = answer.result.and_then(|r| r.get_f64(0));
        assert_eq!((answer.status, result), (0, Some(5.0)), "{name}");
        let (time, status) = built.time(position, &arguments, &[], 3).unwrap();
        assert!(status == 0 && time.as_secs_f64() >= 0.0, "{name}");
    }
}

/// The program around a routine does not declare external routines that nothing calls, so their names are free.
#[test]
fn external_routines_that_are_not_called_have_any_name() {
    let names = ["a", "value", "tape", "main", "nanosleep"];
    let programs = names.map(|name| {
        format!(
            "external function {name}(in real x) result real r\nend\n\
             main subroutine f(in real x, out real y)\n  y := 3.0*x\nend\n"
        )
    });
    let Some((_, mut built)) = started(&programs) else {
        return;
    };
    for (position, name) in names.into_iter().enumerate() {
        let arguments = [Argument::from(2.0), Argument::from(0.0)];
        let answer = built.run(position, &arguments, &[]).unwrap();
        let y = answer.arguments[1].value().and_then(|y| y.get_f64(0));
        assert_eq!((answer.status, y), (0, Some(6.0)), "{name}");
    }
}

/// Recursion ends where the executor ends it, and the process goes on.
#[test]
fn recursion_has_a_limit() {
    let text = "main function f(in integer n) result real r\n  local real w[300]\n  w := 1.0\n  \
                r := 0.0\n  if n > 1\n    r := call f(n - 1)\n  end\n  r := r + w[7]\nend\n";
    let Some((programs, mut built)) = started(&[text.to_owned()]) else {
        return;
    };
    let main = programs[0].main.unwrap();
    let compiled = Compiled::new(&flat(&programs[0]), &CompileOptions::default()).unwrap();
    for n in [9_000, 11_000, 100] {
        let mut arguments = [Argument::from(n)];
        let ran = Session::new(&compiled).run(main, &mut arguments, &RunOptions::default());
        let answer = built.run(0, &arguments, &[]).unwrap();
        match ran {
            Ok(report) => assert_eq!((answer.status, answer.result), (0, report.result)),
            Err(_) => assert_eq!(answer.status, 2, "{n}"),
        }
        assert_eq!(answer.status == 2, n > 10_000);
    }
}
