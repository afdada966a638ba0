//! Random functions of C with random changes: the front end reads them or says why not, and a function that it reads
//! has the values of the compiled one.
//!
//! By default none is compiled; `CFGREV_C_CHANGED=FIRST..LAST` compiles those of these seeds with the sanitizers and
//! compares the values of those that run without a complaint.

use cfg_core::{
    diagnostic::{Diagnostics, Severity},
    ir::Program,
    validate::validate,
};
use cfg_drive::{Options, Primal};
use cfg_testkit::{
    c_functions::{Function, LENGTH, function},
    c_oracle::seeds,
    needs,
    rng::Rng,
};
use std::{collections::BTreeMap, fmt::Write as _, io::Write as _, path::Path, process::Command};

/// The tokens of a text, with what stands between them.
fn tokens(text: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let kind = |c: char| match c {
        _ if c.is_ascii_alphanumeric() || c == '_' || c == '.' => 1,
        _ if c.is_whitespace() => 2,
        '(' | ')' | '{' | '}' | '[' | ']' | ';' | ',' => 3,
        _ => 4,
    };
    let mut last = 0;
    for c in text.chars() {
        let now = kind(c);
        match all.last_mut() {
            Some(token) if now == last && now != 3 => token.push(c),
            _ => all.push(c.to_string()),
        }
        last = now;
    }
    all
}

/// The text with one or two changes behind the lines of the preprocessor.
fn changed(text: &str, rng: &mut Rng) -> String {
    let mut all = tokens(text);
    let first = all
        .iter()
        .position(|t| t == "static" || t == "double" || t == "typedef")
        .unwrap_or(0);
    let operators = [
        "+", "-", "*", "/", "%", "<", ">", "<=", ">=", "==", "!=", "&&", "||", "&", "|", "^", "<<",
        ">>", "=", "+=", "-=", "*=", "/=", "++", "--", "!", "~", ",", "?", ":",
    ];
    let words = [
        "int",
        "unsigned",
        "double",
        "float",
        "char",
        "long",
        "const",
        "static",
        "if",
        "while",
        "return",
        "break",
        "continue",
        "0",
        "1",
        "2",
        "255",
        "0x7fffffff",
        "1u",
        "2.5",
        "1e300",
        "-1",
        "n",
        "x",
        "y",
        "a",
        "s",
        "h",
        "k",
        "sizeof",
        "fabs",
        "fmin",
        "(int)",
        "(unsigned char)",
        "(double)",
        "(float)",
        "x[0]",
        "*x",
        "&a",
        "{",
        "}",
        ";",
        "(",
        ")",
    ];
    for _ in 0..1 + rng.below(3) / 2 {
        let k = first + rng.below(all.len() - first);
        let other = first + rng.below(all.len() - first);
        match rng.below(6) {
            0 => all[k] = (*rng.pick(&operators).unwrap_or(&"+")).to_owned(),
            1 => all[k] = (*rng.pick(&words).unwrap_or(&"n")).to_owned(),
            2 => all[k] = all[other].clone(),
            3 => all[k].clear(),
            4 => {
                let token = all[other].clone();
                all[k].push_str(&token);
            }
            _ => {
                // A token of the same kind in the place of another one is mostly still C.
                let kind = |t: &String| {
                    t.chars()
                        .next()
                        .map(|c| (c.is_ascii_digit(), c.is_alphabetic()))
                };
                if kind(&all[k]) == kind(&all[other]) {
                    all.swap(k, other);
                }
            }
        }
    }
    all.concat()
}

fn read(f: &Function, text: &str) -> Result<Program, Diagnostics> {
    let options = cfg_c::Options {
        routine: Some(f.name.clone()),
        ..cfg_c::Options::default()
    };
    let read = cfg_c::read_c(
        &[cfg_c::SourceFile::new("f.c", text.as_bytes())],
        &options,
        &mut cfg_c::NoFiles,
    );
    read.program.ok_or_else(|| {
        let reason = read.problems.has_errors();
        assert!(reason, "no program and no reason:\n{text}");
        read.problems
    })
}

#[test]
fn changed_functions_are_read_or_refused() {
    let mut read_ones = 0;
    for seed in 0..1200 {
        let f = function(seed % 200);
        let text = changed(&f.text, &mut Rng::new(seed));
        let Ok(program) = read(&f, &text) else {
            continue;
        };
        read_ones += 1;
        if let Err(problems) = validate(program) {
            for problem in &problems.0 {
                // Use of a value that was never set (V152) is undefined in C. The front end must find every other
                // problem itself.
                let allowed = problem.severity == Severity::Warning || problem.code == "V152";
                assert!(allowed, "seed {seed}: {problem}\n{text}");
            }
        }
    }
    assert!((100..1100).contains(&read_ones), "{read_ones}");
}

/// The value of a function and `x` after it, if the text compiles, ends in time and passes the sanitizers.
fn compiled(cc: &Path, place: &Path, f: &Function, text: &str) -> Option<Vec<f64>> {
    let (source, binary) = (place.join("one.c"), place.join("one"));
    let (name, a, h, k) = (&f.name, f.a, f.h, f.k.map(|k| k.to_string()).join(", "));
    let list = |values: &[f64]| {
        values
            .iter()
            .map(|v| format!("{v:?}"))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let mut all = text.to_owned();
    write!(
        all,
        "\n#include <stdio.h>\nint main(void)\n{{\n    double x[] = {{{}}}, y[] = {{{}}}, value;\n    int k[] = {{{k}}};\n    \
         value = {name}({LENGTH}, x, y, {a:?}, {h}u, k);\n    printf(\"%.17g\", value);\n    for (int i = 0; i < {LENGTH}; i++)\n        \
         printf(\" %.17g\", x[i]);\n    return 0;\n}}\n",
        list(&f.x),
        list(&f.y)
    )
    .ok()?;
    std::fs::write(&source, all).expect("it can be written");
    let flags = [
        "-std=c99",
        "-O0",
        "-fno-builtin",
        "-ffp-contract=off",
        "-w",
        "-pedantic-errors",
        "-Werror=uninitialized",
        "-Werror=incompatible-pointer-types",
        "-Werror=int-conversion",
        "-Werror=implicit-function-declaration",
        "-Werror=sequence-point",
        "-fsanitize=address,undefined,float-cast-overflow",
        "-fno-sanitize-recover=all",
        "-o",
    ];
    let out = Command::new(cc)
        .args(flags)
        .arg(&binary)
        .arg(&source)
        .arg("-lm")
        .output();
    if !out.expect("it runs").status.success() {
        return None;
    }
    let out = Command::new("timeout")
        .args(["2"])
        .arg(&binary)
        .env("ASAN_OPTIONS", "detect_leaks=0")
        .output()
        .expect("it runs");
    if !out.status.success() {
        return None;
    }
    let text = String::from_utf8(out.stdout).ok()?;
    Some(
        text.split(' ')
            .map(|n| n.parse().expect("a number"))
            .collect(),
    )
}

#[test]
fn changed_functions_have_the_compilers_values() {
    let Some(range) = seeds("CFGREV_C_CHANGED") else {
        return;
    };
    let Some(cc) = needs::tool("cc") else { return };
    let place = tempfile::tempdir().expect("a folder");
    let (mut compared, mut wrong) = (0, Vec::new());
    let mut refused: BTreeMap<String, usize> = BTreeMap::new();
    for seed in range {
        let f = function(seed);
        let text = changed(&f.text, &mut Rng::new(seed));
        let program = read(&f, &text);
        let Some(expected) = compiled(&cc, place.path(), &f, &text) else {
            continue;
        };
        let program = match program {
            Ok(program) => program,
            Err(problems) => {
                let error = problems.0.iter().find(|p| p.severity == Severity::Error);
                let reason =
                    error.map_or_else(String::new, |p| format!("{} {}", p.code, p.message));
                *refused.entry(reason).or_insert(0) += 1;
                continue;
            }
        };
        let found = run(&f, program);
        let same = |(a, b): (&f64, &f64)| a == b || a.is_nan() && b.is_nan();
        let agrees = match &found {
            Ok(found) => found.len() == expected.len() && found.iter().zip(&expected).all(same),
            // The run is undefined in C in a way that no sanitizer finds.
            Err(problem) => problem.contains("X202") || problem.contains("X208"),
        };
        compared += usize::from(found.is_ok());
        if !agrees {
            let path = std::env::temp_dir().join(format!("changed{seed}.c"));
            std::fs::write(&path, format!("// {}\n{text}", f.point())).expect("it can be written");
            wrong.push(format!(
                "{}: {found:?} instead of {expected:?}",
                path.display()
            ));
        }
    }
    writeln!(
        std::io::stdout(),
        "{compared} compared, refused: {refused:#?}"
    )
    .expect("it can be printed");
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

fn run(f: &Function, program: Program) -> Result<Vec<f64>, String> {
    let r = program
        .find_routine(&f.name)
        .expect("the function is there");
    let program = validate(program).map_err(|e| e.to_string())?;
    let made = cfg_transform::flatten(program, &[r], &cfg_transform::flat::Options::default());
    let made = made.map_err(|e| e.to_string())?;
    let mut options = Options::default();
    options.run.fuel = 10_000_000;
    let primal = Primal::new(&made.program, made.heads[0], &options);
    let mut primal = primal.map_err(|e| e.to_string())?;
    let point = primal
        .read_point(f.point().as_bytes())
        .map_err(|e| e.to_string())?;
    let run = primal.run(&point).map_err(|e| e.to_string())?;
    let mut values = Vec::new();
    for name in ["return", "x"] {
        let value = run.value.iter().find(|(n, _)| n == name);
        values.extend(value.iter().filter_map(|(_, v)| v.to_f64s()).flatten());
    }
    if values.len() == 1 {
        values.extend(f.x);
    }
    Ok(values)
}
