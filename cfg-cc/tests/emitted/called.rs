//! The functions for callers, of random programs: a caller in C is written by the rules of `docs/c-out.md` alone,
//! passes what the executor gets, and compares what comes out bit by bit.

use crate::support::flat;
use crate::{
    families::{self, ALL},
    support::{Job, flags, jobs, routines},
};
use cfg_back::c;
use cfg_core::{
    elemental::Scalar,
    entity::{RoutineId, VarId},
    ir::{Extent, Intent, NameRole, ParameterRole, Program, Role, Routine, ScalarType, Signature},
    validate::{ValidProgram, validate},
};
use cfg_exec::{Argument, Value};
use cfg_reverse::Options;
use cfg_testkit::needs;
use std::{collections::HashMap, fmt::Write as _, fs, path::Path, process::Command};

/// The beginning of a file of callers.
const HEAD: &str = r#"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static int failures;
static const char *title;

/* Values are given as their bits. */
static void load(void *to, size_t size, const uint64_t *bits, int count)
{
    char *next = to;
    for (int k = 0; k < count; ++k, next += size) {
        const uint32_t word = (uint32_t)bits[k];
        const uint16_t half = (uint16_t)bits[k];
        const unsigned char byte = (unsigned char)bits[k];
        memcpy(next, size == 8 ? (const void *)&bits[k] : size == 4 ? (const void *)&word :
               size == 2 ? (const void *)&half : (const void *)&byte, size);
    }
}

/* What is not known may be anything, and a NaN is as good as another. */
static void same(const char *what, const void *found, size_t size, const uint64_t *bits, const char *known, int count)
{
    const char *next = found;
    for (int k = 0; k < count; ++k, next += size) {
        uint64_t word = 0;
        uint32_t half;
        uint16_t quarter;
        double wide;
        float narrow;
        int is_nan = 0;
        if (size == 8) {
            memcpy(&word, next, 8);
            memcpy(&wide, next, 8);
            is_nan = known[k] == 'n' && wide != wide;
        } else if (size == 4) {
            memcpy(&half, next, 4);
            memcpy(&narrow, next, 4);
            word = half;
            is_nan = known[k] == 'n' && narrow != narrow;
        } else if (size == 2) {
            memcpy(&quarter, next, 2);
            word = quarter;
        } else {
            word = *(const unsigned char *)next;
        }
        if (known[k] != '.' && !is_nan && word != bits[k]) {
            printf("%s: %s, element %d: %llx instead of %llx\n", title, what, k, (unsigned long long)word,
                   (unsigned long long)bits[k]);
            ++failures;
            return;
        }
    }
}

struct cfgrev_tape;
static const char *message_of(const struct cfgrev_tape *tape);

static void done(const char *what, int status, const struct cfgrev_tape *tape)
{
    if (status) {
        printf("%s: %s gives %d (%s)\n", title, what, status, message_of(tape));
        ++failures;
    }
}
"#;

/// The end of a file of callers: only files with checks have messages.
fn message_of(text: &str) -> String {
    let message = match text.contains("cfgrev_tape_message") {
        true => "cfgrev_tape_message(tape)",
        false => "(void)tape, \"no message\"",
    };
    format!(
        "\nstatic const char *message_of(const struct cfgrev_tape *tape)\n{{\n    return {message};\n}}\n\n"
    )
}

/// Compiles the programs' files and their callers as one, with sanitizers for one family, and runs these calls: nothing
/// may be said.
pub(crate) fn run_callers(cc: &Path, folder: &Path, family: &str, text: &str, calls: &str) {
    let main = format!("int main(void)\n{{\n{calls}    return failures > 0;\n}}\n");
    // The tape is declared by the programs' files, its message is asked for behind them.
    let file = format!("{HEAD}{text}{}{main}", message_of(text));
    fs::write(folder.join("main.c"), file).unwrap();
    let built = Command::new(cc)
        .current_dir(folder)
        .args(flags(family == "dense"))
        .args(["-o", "main", "main.c", "-lm"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&built.stderr);
    assert!(
        built.status.success(),
        "{family}: {}",
        &said[..said.len().min(3000)]
    );
    let ran = Command::new(folder.join("main")).output().unwrap();
    let said = String::from_utf8_lossy(&ran.stdout) + String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success() && said.is_empty(), "{family}: {said}");
}

fn c_type(ty: ScalarType) -> String {
    match ty {
        ScalarType::Real => "double".to_owned(),
        ScalarType::Real32 => "float".to_owned(),
        ScalarType::Logical => "bool".to_owned(),
        ScalarType::Sized(ty) => format!("{}_t", ty.name()),
        ScalarType::Integer | ScalarType::Tape | ScalarType::Record(_) | ScalarType::Pointer(_) => {
            "int64_t".to_owned()
        }
    }
}

/// The bits of an element, and whether it has a value (`=`), is a NaN (`n`), or is unset (`.`).
fn bits(value: &Value, k: usize) -> (u64, char) {
    match value.get(k) {
        Some(Scalar::Real(x)) => (x.to_bits(), if x.is_nan() { 'n' } else { '=' }),
        Some(Scalar::Real32(x)) => (x.to_bits().into(), if x.is_nan() { 'n' } else { '=' }),
        Some(Scalar::Integer(n)) => (n as u64, '='),
        Some(Scalar::Sized(ty, cell)) => (cell as u64 & (u64::MAX >> (64 - ty.bits())), '='),
        Some(Scalar::Logical(b)) => (b.into(), '='),
        None => (0, '.'),
    }
}

/// The variables of one caller, as text.
#[derive(Default)]
pub(crate) struct Caller {
    pub(crate) declared: String,
    /// Gives all variables the values that they have before a call.
    pub(crate) load: String,
    /// Tells its expected values from those of others in one function.
    pub(crate) tag: String,
}

impl Caller {
    /// Declares an array with the elements of a value; returns its name.
    pub(crate) fn array(&mut self, name: &str, value: &Value) -> String {
        let n = value.len();
        let list: Vec<String> = (0..n)
            .map(|k| format!("{:#x}u", bits(value, k).0))
            .collect();
        let ty = c_type(value.ty());
        let list = if n == 0 {
            "0".to_owned()
        } else {
            list.join(", ")
        };
        writeln!(
            self.declared,
            "    static const uint64_t {name}_0[] = {{{list}}};"
        )
        .unwrap();
        writeln!(self.declared, "    static {ty} {name}[{}];", n.max(1)).unwrap();
        writeln!(
            self.load,
            "    load({name}, sizeof *{name}, {name}_0, {n});"
        )
        .unwrap();
        name.to_owned()
    }

    /// The statement that compares an array with a value.
    pub(crate) fn compared(&mut self, what: &str, found: &str, value: &Value) -> String {
        let n = value.len();
        let what: String = what.chars().filter(char::is_ascii_alphanumeric).collect();
        let all: Vec<(u64, char)> = (0..n).map(|k| bits(value, k)).collect();
        let list: Vec<String> = all.iter().map(|(b, _)| format!("{b:#x}u")).collect();
        let list = if n == 0 {
            "0".to_owned()
        } else {
            list.join(", ")
        };
        let known: String = all.iter().map(|(_, known)| known).collect();
        let name = format!("expected_{}{}", self.tag, self.declared.len());
        writeln!(
            self.declared,
            "    static const uint64_t {name}[] = {{{list}}};"
        )
        .unwrap();
        format!(
            "    same(\"{what}\", {found}, sizeof({}), {name}, \"{known}\", {n});\n",
            c_type(value.ty())
        )
    }
}

/// A function and the kind of its derivatives.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Gradient,
    Forward,
    Reverse,
    Tangent,
}

/// Arguments and results of a derivative's run, by their part in the original.
struct Side<'j> {
    job: &'j Job,
    primal: HashMap<VarId, usize>,
    derivative: HashMap<VarId, usize>,
}

impl<'j> Side<'j> {
    fn sort_roles(job: &'j Job) -> Self {
        let (mut primal, mut derivative) = (HashMap::new(), HashMap::new());
        for (k, role) in Signature::from_origins(&job.program, job.routine)
            .parameters
            .iter()
            .enumerate()
        {
            match role {
                ParameterRole::Primal(v) => primal.insert(*v, k),
                ParameterRole::Adjoint(v) | ParameterRole::Tangent(v) => derivative.insert(*v, k),
                ParameterRole::Tape | ParameterRole::Own(_) => None,
            };
        }
        Self {
            job,
            primal,
            derivative,
        }
    }

    fn value(&self, k: Option<&usize>, after: bool) -> Option<&'j Value> {
        let all = if after {
            &self.job.expected.arguments
        } else {
            &self.job.arguments
        };
        match &all[*k?] {
            Argument::Value(value) => Some(value),
            _ => None,
        }
    }
}

/// The arguments of a call, and the comparisons behind it.
#[derive(Default)]
struct Call {
    arguments: Vec<String>,
    compare: String,
}

pub(crate) fn is_by_value(routine: &Routine, v: VarId) -> bool {
    let variable = routine.variable(v);
    let optional = matches!(variable.role, Role::Parameter { optional: true, .. });
    variable.intent() == Some(Intent::In) && variable.rank() == 0 && !optional
}

/// The call of one of the functions, by the table of docs/c-out.md. `prefix` tells apart the variables of two calls at
/// once.
fn call(caller: &mut Caller, own: &Job, side: &Side<'_>, kind: Kind, prefix: &str) -> Call {
    let routine = own.program.routine(own.routine);
    let mut made = Call::default();
    let suffix = if kind == Kind::Tangent { "t" } else { "b" };
    let derived = kind != Kind::Forward;
    for (k, v) in routine.parameter_ids().enumerate() {
        let variable = routine.variable(v);
        let given = match &own.arguments[k] {
            Argument::Value(value) => Some(value),
            _ => None,
        };
        for (d, dim) in variable.shape.iter().enumerate() {
            if dim.extent == Extent::Deferred {
                let extent = given.map_or(0, |value| value.shape()[d]);
                made.arguments.push(extent.to_string());
            }
        }
        let by_value = is_by_value(routine, v);
        let star = if by_value { "*" } else { "" };
        match given {
            None => made.arguments.push("NULL".to_owned()),
            Some(value) => {
                let name = caller.array(&format!("{prefix}v{k}"), value);
                made.arguments.push(format!("{star}{name}"));
                let written = variable.intent().is_some_and(Intent::writes);
                // The value after a reverse sweep is unspecified.
                if written && kind != Kind::Reverse {
                    let after = side.value(side.primal.get(&v), true).expect("it was given");
                    made.compare += &caller.compared(&variable.name, &name, after);
                }
            }
        }
        if !variable.ty.is_real() || !derived {
            continue;
        }
        let tangent_by_value = by_value && kind == Kind::Tangent;
        let at = side.derivative.get(&v);
        match side.value(at, false).filter(|_| given.is_some()) {
            None if tangent_by_value => made.arguments.push("0".to_owned()),
            None => made.arguments.push("NULL".to_owned()),
            Some(value) => {
                let name = caller.array(&format!("{prefix}v{k}_{suffix}"), value);
                let star = if tangent_by_value { "*" } else { "" };
                made.arguments.push(format!("{star}{name}"));
                let after = side.value(at, true).expect("it was given");
                made.compare +=
                    &caller.compared(&format!("{}_{suffix}", variable.name), &name, after);
            }
        }
    }
    if let Some(result) = routine.result {
        let ty = routine.variable(result).ty;
        let array = routine.variable(result).rank() > 0;
        let value = own
            .expected
            .result
            .as_ref()
            .expect("a function has a value");
        let name = format!("{prefix}value");
        let declared = format!("    static {} {name}[{}];", c_type(ty), value.len().max(1));
        if kind == Kind::Reverse && array {
            // The array of the result keeps the value that the forward sweep has left.
            writeln!(caller.declared, "{declared}").unwrap();
            made.arguments.push(name);
        } else if kind != Kind::Reverse {
            writeln!(caller.declared, "{declared}").unwrap();
            made.arguments.push(name.clone());
            let after = side
                .job
                .expected
                .result
                .as_ref()
                .or(own.expected.result.as_ref());
            made.compare +=
                &caller.compared("value", &name, after.expect("a function has a value"));
        }
        if ty.is_real() && derived {
            let at = side.derivative.get(&result);
            match (side.value(at, false), kind) {
                (Some(value), Kind::Tangent) => {
                    let name = caller.array(&format!("{prefix}value_t"), value);
                    made.arguments.push(name.clone());
                    let after = side.value(at, true).expect("it was given");
                    made.compare += &caller.compared("value_t", &name, after);
                }
                (None, Kind::Tangent) => made.arguments.push("NULL".to_owned()),
                (Some(value), _) if array => {
                    let name = caller.array(&format!("{prefix}value_b"), value);
                    made.arguments.push(name.clone());
                    let after = side.value(at, true).expect("it was given");
                    made.compare += &caller.compared("value_b", &name, after);
                }
                (None, _) if array => made.arguments.push("NULL".to_owned()),
                (Some(value), _) => {
                    let name = caller.array(&format!("{prefix}value_b"), value);
                    made.arguments.push(format!("*{name}"));
                }
                (None, _) => made.arguments.push("0".to_owned()),
            }
        }
    }
    made
}

/// The statements that give globals their values, those that compare them (the program's own only where `primal` is
/// set), and the structure of derivatives.
fn globals(
    caller: &mut Caller,
    own: &Job,
    side: &Side<'_>,
    text: &str,
    suffix: &str,
    primal: bool,
) -> [String; 3] {
    let name = &own.program.routine(own.routine).name;
    let tag = format!("{name}_globals_{suffix}");
    let [mut set, mut compare, mut structure] = [const { String::new() }; 3];
    if text.contains(&format!("struct {tag} {{")) {
        structure = format!("g_{suffix}");
        writeln!(caller.declared, "    static struct {tag} {structure};").unwrap();
        writeln!(set, "    memset(&{structure}, 0, sizeof {structure});").unwrap();
    }
    let owners = cfg_cc::storage_owners(&side.job.program);
    for (i, g) in owners.into_iter().enumerate() {
        let global = side.job.program.global(g);
        let origin = global.variable.origin.as_deref();
        let derivative =
            origin.is_some_and(|o| matches!(o.role, NameRole::Adjoint | NameRole::Tangent));
        let place = match derivative {
            true => format!("&{structure}.{}", global.variable.name),
            false => format!("&{name}_globals()->{}", global.variable.name),
        };
        let (before, after) = (&side.job.globals[i], &side.job.expected.globals[i]);
        let array = caller.array(&format!("g{i}_{suffix}"), before);
        writeln!(
            set,
            "    memcpy({place}, {array}, {} * sizeof *{array});",
            before.len()
        )
        .unwrap();
        if derivative || primal {
            compare += &caller.compared(&global.variable.name, &place, after);
        }
    }
    [std::mem::take(&mut caller.load) + &set, compare, structure]
}

/// The files of a program's derivatives, and the function that calls them and compares.
fn caller(
    own: &Job,
    gradient: &Job,
    tangent: &Job,
    options: &Options,
    seed: u64,
) -> Option<String> {
    let name = own.program.routine(own.routine).name.clone();
    let made = cfg_reverse::reverse(&own.program, own.routine, options).ok()?;
    let routines = routines(&made);
    let of_tangent = cfg_reverse::tangent(&own.program, own.routine).ok()?;
    let none = c::Options {
        // All files are included in one.
        prefix: true,
        ..c::Options::default()
    };
    // The command line writes no unused parameters.
    let reduced = |program: Program, generated: Vec<RoutineId>, heads: &[RoutineId]| {
        let first = generated.into_iter().min().filter(|_| seed % 4 != 1);
        match first {
            Some(first) => cfg_reverse::without_unused_parameters(program, first, heads, &[]),
            None => program,
        }
    };
    let sweeps = made.sweeps.iter().flat_map(|&(_, f, r)| [f, r]);
    let heads = [made.forward, made.reverse, made.gradient];
    let generated = sweeps.chain([made.gradient]).collect();
    let program = reduced(made.program, generated, &heads);
    let adjoint = c::adjoint_with(&flat(&validate(program).unwrap()), routines, none).ok()?;
    let generated = of_tangent.pairs.iter().map(|&(_, t)| t).collect();
    let program = reduced(of_tangent.program, generated, &[of_tangent.tangent]);
    let valid = validate(program).unwrap();
    let tangents =
        c::tangent_with(&flat(&valid), of_tangent.original, of_tangent.tangent, none).ok()?;
    let mut text = format!("{adjoint}{tangents}\n");
    let of = |kinds: &[(Kind, &str)], job: &Job, part: &str| {
        let side = Side::sort_roles(job);
        let mut caller = Caller::default();
        // The reverse sweep may leave anything in what is no derivative.
        let sweeps = kinds[0].0 == Kind::Forward;
        let last = kinds[kinds.len() - 1].0;
        let (suffix, file) = match last {
            Kind::Tangent => ("t", &tangents),
            _ => ("b", &adjoint),
        };
        let [set, compare, structure] = globals(&mut caller, own, &side, file, suffix, !sweeps);
        let has_globals = !own.program.globals.is_empty();
        let mut body = String::new();
        // Two sweeps on one tape, last in, first out; globals are there only once.
        let twice = kinds.len() == 2 && !has_globals;
        let prefixes: &[&str] = if twice { &["a_", "b_"] } else { &["a_"] };
        let mut behind = String::new();
        for (which, prefix) in prefixes.iter().enumerate() {
            for (kind, function) in kinds {
                let mut loaded = Caller {
                    tag: format!("{prefix}{}_", function.trim_start_matches('_')),
                    ..Caller::default()
                };
                // The reverse sweep has the variables of the forward sweep; only what is new is declared.
                let made = call(&mut loaded, own, &side, *kind, prefix);
                for line in loaded.declared.lines() {
                    if !caller.declared.lines().any(|l| l == line) {
                        writeln!(caller.declared, "{line}").unwrap();
                    }
                }
                let mut arguments = made.arguments;
                if *kind != Kind::Forward && !structure.is_empty() {
                    arguments.push(format!("&{structure}"));
                }
                let alone = kinds.len() == 1 && seed.is_multiple_of(3);
                arguments.push(if alone { "NULL" } else { "&tape" }.to_owned());
                let mut lines = String::new();
                let known = caller.load.clone();
                for line in loaded
                    .load
                    .lines()
                    .filter(|l| !known.lines().any(|k| k == *l))
                {
                    writeln!(lines, "{line}").unwrap();
                    writeln!(caller.load, "{line}").unwrap();
                }
                if *kind != Kind::Reverse && which == 0 {
                    lines += &set;
                }
                let what = format!("{name}{function}");
                writeln!(
                    lines,
                    "    done(\"{what}\", {what}({}), &tape);\n{}",
                    arguments.join(", "),
                    made.compare
                )
                .unwrap();
                if *kind == Kind::Reverse {
                    behind = lines + &behind;
                } else {
                    body += &lines;
                }
            }
        }
        body += &behind;
        body += &compare;
        format!(
            "static void {part}_{name}(void)\n{{\n    struct cfgrev_tape tape = {{0}};\n{}    title = \"{}\";\n{body}    \
             if (cfgrev_tape_bytes(&tape)) {{\n        printf(\"%s: something is left\\n\", title);\n        ++failures;\n    }}\n    \
             cfgrev_tape_free(&tape);\n}}\n\n",
            caller.declared, own.title
        )
    };
    text += &of(&[(Kind::Gradient, "_grad")], gradient, "grad");
    text += &of(
        &[(Kind::Forward, "_fwd"), (Kind::Reverse, "_rev")],
        gradient,
        "sweeps",
    );
    text += &of(&[(Kind::Tangent, "_t")], tangent, "tangent");
    Some(text)
}

/// True of a program whose callers are written here: no tape of its own, globals with values.
pub(crate) fn suits(program: &ValidProgram, own: &Job) -> bool {
    let routine = program.routine(own.routine);
    let tape = routine
        .parameter_ids()
        .any(|v| routine.variable(v).ty.is_tape());
    let known = own
        .globals
        .iter()
        .all(|g| (0..g.len()).all(|k| g.get(k).is_some()));
    // Members have the names of globals that are short identifiers.
    let is_identifier = |name: &str| {
        let first = name.chars().next().is_some_and(|c| c.is_ascii_alphabetic());
        first && name.len() < 30 && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let named = program
        .globals
        .iter()
        .all(|g| is_identifier(&g.variable.name));
    !tape && known && named
}

#[test]
fn callers_of_random_programs() {
    let Some(cc) = needs::tool("cc") else { return };
    let folder = tempfile::tempdir().unwrap();
    let names = ["small", "dense", "wide smooth", "general", "shuffled"];
    let [mut called, mut with_globals, mut functions, mut arrays] = [0; 4];
    for wanted in names {
        let (_, family) = ALL
            .iter()
            .find(|(name, _)| *name == wanted)
            .expect("a family");
        let mut text = String::new();
        let mut calls = String::new();
        // Few programs return an array, so these are added.
        let returns_array = |seed: &u64| {
            let case = family(*seed);
            let routine = case.routine();
            routine
                .result
                .is_some_and(|r| routine.variable(r).rank() > 0)
        };
        let more = (12..300).filter(returns_array).take(2);
        for seed in (0..12).chain(more) {
            let mut case = family(seed);
            let name = format!("p{seed}");
            case.program.routines[case.main.index()].name = name.as_str().into();
            let options = families::options(seed);
            let made = jobs(&format!("{wanted} {seed}"), &case, &options, seed);
            let [own, gradient, tangent] = made.as_slice() else {
                continue;
            };
            if !suits(&own.program, own) {
                continue;
            }
            let Some(one) = caller(own, gradient, tangent, &options, seed) else {
                continue;
            };
            text += &one;
            for part in ["grad", "sweeps", "tangent"] {
                writeln!(calls, "    {part}_{name}();").unwrap();
            }
            called += 1;
            with_globals += usize::from(!own.program.globals.is_empty());
            functions += usize::from(case.routine().result.is_some());
            let result = case
                .routine()
                .result
                .map(|r| case.routine().variable(r).rank());
            arrays += usize::from(result.is_some_and(|rank| rank > 0));
        }
        run_callers(&cc, folder.path(), wanted, &text, &calls);
    }
    assert!(
        called >= 20 && with_globals >= 5 && functions >= 3 && arrays >= 3,
        "{called} {with_globals} {functions} {arrays}"
    );
}
