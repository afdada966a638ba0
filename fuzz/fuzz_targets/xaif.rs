//! XAIF documents, changed element by element and attribute by attribute: the reader refuses with a place
//! or gives a valid program; that is written and read back as it is, reversed, checked, and run within
//! limits.
#![no_main]

use cfg_core::{
    diagnostic::Diagnostics,
    entity::RoutineId,
    ir::{Expr, Extent, Program},
    validate,
};
use cfg_exec::{Argument, CompileOptions, Compiled, RunOptions, Session, Tape, Value};
use cfg_front::xaif::{Options, read_xaif, to_string};
use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};

fuzz_target!(|data: &[u8]| {
    let (program, problems) = read_xaif(data, &Options::default());
    let Some(program) = program else {
        assert!(problems.has_errors());
        for d in problems.iter() {
            assert!(d.at.line.is_some() && d.at.column.is_some(), "{d}");
        }
        return;
    };
    let text = to_string(&program).expect("a valid program can be written");
    let (back, problems) = read_xaif(text.as_bytes(), &Options::default());
    assert!(back.as_ref() == Some(&program), "read, write, read: {problems}\n{text}");
    let valid = validate::validate(program).expect("what is read is valid");
    let Some(main) = valid.main else { return };
    run(&valid, main, false);
    let made = match cfg_reverse::reverse(&valid, main, &cfg_reverse::Options::default()) {
        Ok(made) => made,
        Err(problems) => return refused(&problems),
    };
    let adjoint = validate::validate(made.program.clone()).expect("the adjoint program is valid");
    let found = tape_check::check_program(&adjoint).problems;
    assert!(!found.has_errors(), "{found}");
    run(&adjoint, made.forward, true);
});

fn refused(problems: &Diagnostics) {
    assert!(problems.has_errors());
}

/// Runs a routine whose arguments have constant shapes, reals 1/2, integers 1, as far as the limits let.
fn run(program: &validate::ValidProgram, routine: RoutineId, tape: bool) {
    let limits = RunOptions {
        fuel: 200_000,
        max_tape: 1 << 22,
        max_memory: 1 << 25,
        max_depth: 100,
    };
    let Ok(compiled) = Compiled::new(program, &CompileOptions::default()) else { return };
    let Some(mut arguments) = arguments(program, routine) else { return };
    if tape {
        arguments.pop();
        arguments.push(Tape::default().into());
    }
    let mut session = Session::new(&compiled);
    let _ = session.run(routine, &mut arguments, &limits);
}

fn arguments(program: &Program, routine: RoutineId) -> Option<Vec<Argument>> {
    use cfg_core::{elemental::Scalar, ir::ScalarType};
    let r = program.routine(routine);
    r.parameter_ids()
        .map(|p| {
            let variable = r.variable(p);
            if variable.ty == ScalarType::Tape {
                return Some(Argument::Absent);
            }
            let mut extents = Vec::new();
            for d in &variable.shape {
                let Extent::Fixed(Expr::Int(n)) = d.extent else { return None };
                extents.push(usize::try_from(n).ok()?);
            }
            let count = extents.iter().try_fold(1usize, |n, &e| n.checked_mul(e))?;
            if count > 1 << 12 {
                return None;
            }
            let mut value = Value::uninitialised(variable.ty, &extents, variable.order)?;
            value.fill(match variable.ty {
                ScalarType::Real32 => Scalar::Real32(0.5),
                ScalarType::Integer => Scalar::Integer(1),
                ScalarType::Logical => Scalar::Logical(true),
                _ => Scalar::Real(0.5),
            });
            Some(value.into())
        })
        .collect()
}

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    let mut rng = Rng(u64::from(seed) | 1 << 40);
    let text = std::str::from_utf8(&data[..size]).ok().map(str::to_owned);
    // Now and then bytes, and always where there is no document.
    let Some(mut text) = text.filter(|t| t.contains('<')) else {
        return fuzzer_mutate(data, size, max_size);
    };
    if rng.below(16) == 0 {
        return fuzzer_mutate(data, size, max_size);
    }
    for _ in 0..=rng.below(4) {
        text = mutate(&text, &mut rng);
    }
    let mut n = text.len().min(max_size);
    while !text.is_char_boundary(n) {
        n -= 1;
    }
    data[..n].copy_from_slice(&text.as_bytes()[..n]);
    n
});

struct Rng(u64);

impl Rng {
    /// A number below `n`, 0 if there is none (xorshift64*).
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % n.max(1)
    }
}

/// Elements: from where to where, with their name.
fn elements(text: &str) -> Vec<(usize, usize, &str)> {
    let bytes = text.as_bytes();
    let (mut open, mut found, mut at) = (Vec::new(), Vec::new(), 0);
    while let Some(start) = text[at..].find('<').map(|i| i + at) {
        let Some(end) = text[start..].find('>').map(|i| i + start + 1) else { break };
        let name = text[start + 1..end - 1].split([' ', '/', '\n']).next().unwrap_or_default();
        match bytes.get(start + 1) {
            Some(b'?' | b'!') => {}
            Some(b'/') => {
                if let Some((begin, name)) = open.pop() {
                    found.push((begin, end, name));
                }
            }
            _ if bytes[end - 2] == b'/' => found.push((start, end, name)),
            _ => open.push((start, name)),
        }
        at = end;
    }
    found
}

/// Attributes: from where to where their values are, with their name.
fn attributes(text: &str) -> Vec<(usize, usize, &str)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(quote) = text[at..].find("=\"").map(|i| i + at) {
        let from = quote + 2;
        let Some(to) = text[from..].find('"').map(|i| i + from) else { break };
        let name = text[..quote].rsplit([' ', '<', '"', '\n']).next().unwrap_or_default();
        found.push((from, to, name));
        at = to + 1;
    }
    found
}

/// One change of the structure.
fn mutate(text: &str, rng: &mut Rng) -> String {
    let replaced = |from: usize, to: usize, by: &str| [&text[..from], by, &text[to..]].concat();
    if rng.below(2) == 0 {
        let list = elements(text);
        if list.is_empty() {
            return text.to_owned();
        }
        let (a, b, name) = list[rng.below(list.len())];
        // Mostly with its own kind, else anything is refused at once.
        let kin: Vec<_> = list.iter().filter(|e| e.2 == name).collect();
        let (c, d, _) = match rng.below(4) {
            0 => list[rng.below(list.len())],
            _ => *kin[rng.below(kin.len())],
        };
        return match rng.below(5) {
            0 => replaced(a, b, ""),
            1 => replaced(b, b, &text[a..b]),
            2 => replaced(c, c, &text[a..b]),
            3 => replaced(c, d, &text[a..b]),
            // Two elements change places.
            _ if b <= c => [&text[..a], &text[c..d], &text[b..c], &text[a..b], &text[d..]].concat(),
            _ if d <= a => [&text[..c], &text[a..b], &text[d..a], &text[c..d], &text[b..]].concat(),
            _ => replaced(c, d, &text[a..b]),
        };
    }
    let list = attributes(text);
    if list.is_empty() {
        return text.to_owned();
    }
    let (a, b, name) = list[rng.below(list.len())];
    let kin: Vec<_> = list.iter().filter(|e| e.2 == name).collect();
    const VALUES: [&str; 24] = [
        "", "0", "1", "2", "3", "-1", "9223372036854775807", "-9223372036854775808", "1e400", "0.5",
        "true", "real", "integer", "bool", "F4", "scalar", "vector", "matrix", "out", "explicit",
        "maxval", "mul_scal_scal", "cfgrev_if", "present",
    ];
    match rng.below(8) {
        0 => {
            let (c, d, _) = list[rng.below(list.len())];
            replaced(a, b, &text[c..d])
        }
        1 => replaced(a, b, VALUES[rng.below(VALUES.len())]),
        // The attribute goes.
        2 => {
            let from = text[..a].rfind(' ').unwrap_or(a);
            replaced(from, b + 1, "")
        }
        // All of one value become another: ids that stay consistent.
        3 => {
            let (c, d, _) = *kin[rng.below(kin.len())];
            let (old, new) = (format!("{name}=\"{}\"", &text[a..b]), format!("{name}=\"{}\"", &text[c..d]));
            text.replace(&old, &new)
        }
        4 => text.replacen("<xaif:ControlFlowGraph ", "<xaif:ControlFlowGraph structured=\"0\" ", 1),
        _ => {
            let (c, d, _) = *kin[rng.below(kin.len())];
            replaced(a, b, &text[c..d])
        }
    }
}
