//! Random objects of C with initial values and sizes, against the compiled program: every leaf, bit for bit.
//!
//! `CFGREV_C_OBJECTS=FIRST..LAST` chooses the seeds. A program that fails is written to the folder for temporary files.

use cfg_core::{diagnostic::Diagnostics, validate::ValidProgram};
use cfg_drive::{Options, Primal};
use cfg_testkit::{
    c_objects::{Objects, objects},
    c_oracle::{printed, seeds},
    needs,
};
use cfg_transform::flatten;
use std::path::Path;

/// The greatest number of functions in one file.
const BATCH: usize = 50;

/// The bits that each compiled function writes.
fn compiled(cc: &Path, place: &Path, all: &[Objects]) -> Vec<Vec<u64>> {
    let text = printed(cc, place, &Objects::driver(all), &[]);
    let bits = |line: &str| {
        let words = line.split_whitespace();
        let bits = words.map(|bits| u64::from_str_radix(bits, 16).expect("bits"));
        bits.collect()
    };
    text.lines().map(bits).collect()
}

fn read(f: &Objects) -> Result<ValidProgram, Diagnostics> {
    let options = cfg_c::Options {
        routine: Some(f.name.clone()),
        ..cfg_c::Options::default()
    };
    let file = cfg_c::SourceFile::new("f.c", f.text.as_bytes());
    let read = cfg_c::read_c(&[file], &options, &mut cfg_c::NoFiles);
    let Some(program) = read.program else {
        return Err(read.problems);
    };
    cfg_core::validate::validate(program)
}

/// The bits that the executor computes.
fn ours(f: &Objects, program: &ValidProgram) -> Result<Vec<u64>, Diagnostics> {
    let routine = |program: &ValidProgram| program.find_routine(&f.name).expect("it is there");
    let head = routine(program);
    let options = cfg_transform::flat::Options::default();
    let lowered = flatten(program.clone(), &[head], &options)?.program;
    let options = Options::default();
    let mut primal = Primal::new(&lowered, routine(&lowered), &options)?;
    let point = primal.read_point(f.point().as_bytes())?;
    let run = primal.run(&point)?;
    let out = run.value.iter().find(|(name, _)| name == "out");
    let out = out.and_then(|(_, out)| out.to_f64s()).unwrap_or_default();
    Ok(out.into_iter().map(f64::to_bits).collect())
}

#[test]
fn objects_have_the_leaves_that_the_compiler_gives_them() {
    let Some(cc) = needs::tool("cc") else { return };
    let place = tempfile::tempdir().expect("a folder");
    let all: Vec<Objects> = seeds("CFGREV_C_OBJECTS")
        .unwrap_or(0..150)
        .map(objects)
        .collect();
    let (mut wrong, mut refused) = (Vec::new(), Vec::new());
    for batch in all.chunks(BATCH) {
        let expected = compiled(&cc, place.path(), batch);
        assert_eq!(expected.len(), batch.len());
        for (f, expected) in batch.iter().zip(&expected) {
            let kept = std::env::temp_dir().join(format!("objects_{}.c", f.name));
            let keep = || std::fs::write(&kept, format!("// {}\n{}", f.point(), f.text));
            let program = match read(f) {
                Ok(program) => program,
                Err(problems) => {
                    keep().expect("it can be written");
                    refused.push(format!("{}: {problems}", kept.display()));
                    continue;
                }
            };
            let problem = match ours(f, &program) {
                Ok(found) if found == *expected => continue,
                Ok(found) => {
                    let both = found.iter().zip(expected).enumerate();
                    let differ = both.filter(|(_, (a, b))| a != b);
                    let differ = differ.map(|(k, (a, b))| {
                        format!(
                            "out[{k}] {:?}, not {:?}",
                            f64::from_bits(*a),
                            f64::from_bits(*b)
                        )
                    });
                    differ.collect::<Vec<_>>().join("; ")
                }
                Err(problems) => problems.to_string(),
            };
            keep().expect("it can be written");
            wrong.push(format!("{}: {problem}", kept.display()));
        }
    }
    let (bad, all) = (wrong.len(), all.len());
    assert!(wrong.is_empty(), "{bad} of {all}:\n{}", wrong.join("\n"));
    let (few, told) = (refused.len(), refused.join("\n"));
    assert!(few * 50 < all, "{few} of {all} are refused:\n{told}");
}

#[test]
fn what_is_drawn() {
    let text: String = (0..500).map(|seed| objects(seed).text).collect();
    for wanted in [
        "= {}",
        "{{}",
        "= {0}",
        ",}",
        "[0] = ",
        ".m1[1]",
        "[1][0] = ",
        ".m0.m",
        "[] = {",
        "[][",
        "static const ",
        "++, ",
        " += 2), ",
        "_make(v)",
        "v > 0 ? x",
        "{\"",
        "\\0",
        "\\x41",
        "= &(",
        "((double[",
        "((double[]",
        "_sum((",
        "(int)",
        "= {{",
        "  static ",
        "sizeof __func__",
        "sizeof(i++)",
        "sizeof((char[]){",
        "sizeof(c + c)",
        "sizeof \"ab\"",
        " *)0)->",
        "_make(v))",
        "offsetof(",
        "_Alignof(",
        "sizeof(double[n])",
        "_MAX_10_EXP",
        "DECIMAL_DIG",
        "(int)3.7",
        "double size_t",
        "_pair + 1",
        "_inner.at[1]",
        "_twice}",
        "= &(struct ",
        "_heads[]",
        "for (int i",
    ] {
        assert!(text.contains(wanted), "{wanted} is not drawn");
    }
}
