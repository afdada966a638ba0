//! Functions in C, compiled and run.

use crate::c::operators::Pieces;
use crate::values::{of_word, word};
use cfg_core::elemental::Scalar;
use cfg_core::ir::{IntType, ScalarType};
use cfg_testkit::{needs, strict};
use std::fmt::Write as _;
use std::fs::{self, File};
use std::path::Path;
use std::process::Command;

/// A function of scalars `a`, `b`, `c` in C, and what it is to give.
pub(crate) struct Function {
    pub(crate) label: String,
    pub(crate) parameters: Vec<ScalarType>,
    pub(crate) result: ScalarType,
    pub(crate) text: String,
    /// Arguments with results.
    pub(crate) rows: Vec<(Vec<Scalar>, Scalar)>,
}

/// Names of parameters.
pub(crate) const NAMES: [&str; 4] = ["a", "b", "c", "d"];

/// The arithmetic of the source.
const PLAIN: &[&str] = &["-O0", "-fno-builtin", "-ffp-contract=off"];
/// Undefined behaviour ends the program.
const SANITIZED: &[&str] = &[
    "-O1",
    "-fno-builtin",
    "-ffp-contract=off",
    "-fsanitize=undefined,address",
    "-fno-sanitize-recover=all",
];
/// Other warnings than without optimization.
const OPTIMIZED: &[&str] = &["-O2", "-S"];

const START: &str = r"#include <stdio.h>
#include <string.h>
#include <stdbool.h>
#include <stdint.h>

static double as_real(uint64_t word) {
    double x;
    memcpy(&x, &word, 8);
    return x;
}
static float as_real32(uint64_t word) {
    uint32_t half = (uint32_t)word;
    float x;
    memcpy(&x, &half, 4);
    return x;
}
static int64_t as_integer(uint64_t word) {
    return (int64_t)word;
}
static bool as_logical(uint64_t word) {
    return word != 0;
}
static uint64_t of_real(double x) {
    uint64_t word;
    memcpy(&word, &x, 8);
    return word;
}
static uint64_t of_real32(float x) {
    uint32_t word;
    memcpy(&word, &x, 4);
    return word;
}
static uint64_t of_integer(int64_t n) {
    return (uint64_t)n;
}
static uint64_t of_logical(int n) {
    return (uint64_t)n;
}
";

const END: &str = r"
int main(void) {
    uint64_t row[5];
    (void)as_real, (void)as_real32, (void)as_integer, (void)as_logical;
    (void)of_real, (void)of_real32, (void)of_integer, (void)of_logical;
    while (fread(row, 8, 5, stdin) == 5) {
        uint64_t word = functions[row[0]](row + 1);
        fwrite(&word, 8, 1, stdout);
    }
    return 0;
}
";

/// The name of a type in C.
fn c_type(ty: ScalarType) -> &'static str {
    match ty {
        ScalarType::Real => "double",
        ScalarType::Real32 => "float",
        ScalarType::Integer => "int64_t",
        ScalarType::Logical => "bool",
        ScalarType::Sized(ty) => match ty {
            IntType::Int8 => "int8_t",
            IntType::Int16 => "int16_t",
            IntType::Int32 => "int32_t",
            IntType::Uint8 => "uint8_t",
            IntType::Uint16 => "uint16_t",
            IntType::Uint32 => "uint32_t",
            IntType::Uint64 => "uint64_t",
        },
        ScalarType::Tape | ScalarType::Record(_) | ScalarType::Pointer(_) => {
            panic!("a tape is no scalar")
        }
    }
}

fn program(functions: &[Function], pieces: &Pieces) -> String {
    let mut text = String::new();
    for header in pieces.headers() {
        writeln!(text, "#include <{header}>").expect("a String");
    }
    writeln!(text, "{START}").expect("a String");
    for ty in IntType::ALL {
        let (c, name) = (c_type(ScalarType::Sized(ty)), ty.name());
        writeln!(
            text,
            "static inline {c} as_{name}(uint64_t word) {{\n    return ({c})word;\n}}\nstatic inline uint64_t of_{name}({c} n) {{\n    return (uint64_t)n;\n}}"
        )
        .expect("a String");
    }
    let called: String = functions.iter().map(|f| format!("{};\n", f.text)).collect();
    let helpers = pieces.text(&called, false);
    let helpers = helpers.replace("CFGREV_INLINE ", "static inline ");
    writeln!(text, "{helpers}").expect("a String");
    for (k, f) in functions.iter().enumerate() {
        writeln!(
            text,
            "static uint64_t function_{k}(const uint64_t *word) {{"
        )
        .expect("a String");
        for (k, (&ty, name)) in f.parameters.iter().zip(NAMES).enumerate() {
            let (c, read) = (c_type(ty), ty.name());
            writeln!(text, "    {c} {name} = as_{read}(word[{k}]);").expect("a String");
        }
        for name in &NAMES[..f.parameters.len()] {
            writeln!(text, "    (void){name};").expect("a String");
        }
        let result = f.result.name();
        writeln!(
            text,
            "    (void)word;\n    return of_{result}({});\n}}",
            f.text
        )
        .expect("a String");
    }
    text.push_str("static uint64_t (*const functions[])(const uint64_t *) = {\n");
    for k in 0..functions.len() {
        writeln!(text, "    function_{k},").expect("a String");
    }
    text.push_str("};\n");
    // Not every test needs all of them.
    let each = IntType::ALL.map(|ty| format!("    (void)as_{0}, (void)of_{0};\n", ty.name()));
    text + &END.replacen("    while", &format!("{}    while", each.concat()), 1)
}

/// Compiles; all that the compiler says is a failure.
fn compile(compiler: &Path, flags: &[&str], source: &Path, output: &Path) {
    let done = Command::new(compiler)
        .args(strict::FLAGS)
        .args(flags)
        .arg(source)
        .arg("-o")
        .arg(output)
        .args((!flags.contains(&"-S")).then_some("-lm"))
        .output()
        .expect("the compiler runs");
    let said: String = String::from_utf8_lossy(&done.stderr)
        .lines()
        .take(40)
        .collect::<Vec<_>>()
        .join("\n");
    assert!(
        done.status.success() && said.is_empty(),
        "{flags:?}\n{said}"
    );
}

/// Compiles the functions with every compiler that is there, runs them, and compares; if so wanted, with optimization
/// and, with the first, sanitizers too: clang may be there without their libraries.
pub(crate) fn check(functions: &[Function], pieces: &Pieces, thorough: bool) {
    let compilers: Vec<_> = ["cc", "clang"]
        .into_iter()
        .filter_map(needs::tool)
        .collect();
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let source = path("operators.c");
    fs::write(&source, program(functions, pieces)).expect("a file");
    let rows = functions.iter().enumerate();
    let rows = rows.flat_map(|(k, f)| f.rows.iter().map(move |row| (k, row)));
    let mut words = Vec::new();
    for (k, (arguments, _)) in rows.clone() {
        let mut row = [k as u64, 0, 0, 0, 0];
        for (to, &x) in row[1..].iter_mut().zip(arguments) {
            *to = word(x);
        }
        words.extend(row.into_iter().flat_map(u64::to_ne_bytes));
    }
    fs::write(path("rows"), words).expect("a file");
    for (k, compiler) in compilers.into_iter().enumerate() {
        let sanitized = thorough && k == 0;
        if thorough {
            compile(&compiler, OPTIMIZED, &source, &path("operators.s"));
        }
        for flags in [PLAIN, SANITIZED]
            .into_iter()
            .take(1 + usize::from(sanitized))
        {
            compile(&compiler, flags, &source, &path("operators"));
            let done = Command::new(path("operators"))
                .stdin(File::open(path("rows")).expect("a file"))
                .output()
                .expect("the program runs");
            let said = String::from_utf8_lossy(&done.stderr);
            assert!(done.status.success(), "{flags:?}\n{said}");
            let (results, rest) = done.stdout.as_chunks::<8>();
            assert_eq!((results.len(), rest.len()), (rows.clone().count(), 0));
            let wrong: Vec<String> = rows
                .clone()
                .zip(results)
                .filter_map(|((k, row), &word)| {
                    difference(&functions[k], row, u64::from_ne_bytes(word))
                })
                .collect();
            let mut shown = wrong.clone();
            shown.dedup_by_key(|line| line.split(':').next().map(str::to_owned));
            shown.truncate(30);
            assert!(
                wrong.is_empty(),
                "{} {flags:?}: {} of {} differ\n{}",
                compiler.display(),
                wrong.len(),
                results.len(),
                shown.join("\n")
            );
        }
    }
}

/// In words, how the word that C gave differs.
fn difference(f: &Function, row: &(Vec<Scalar>, Scalar), got: u64) -> Option<String> {
    let (arguments, expected) = row;
    let value = of_word(f.result, got);
    let same = value.is_some_and(|value| {
        word(value) == word(*expected) || (value.to_f64().is_nan() && expected.to_f64().is_nan())
    });
    (!same).then(|| {
        format!(
            "{}: {} at {arguments:?} is {value:?} ({got:x}), not {expected:?}",
            f.label, f.text
        )
    })
}
