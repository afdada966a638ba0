//! Random functions of C against the compiled functions, and against the same functions compiled over dual numbers.
//!
//! `CFGREV_C_SEEDS=FIRST..LAST` chooses the seeds. A program that fails is written to the folder for temporary files.

use cfg_core::flat::Flat;
use cfg_core::{
    diagnostic::{Diagnostics, Severity},
    entity::RoutineId,
    validate::ValidProgram,
};
use cfg_drive::{Adjoint, Named, Options, Primal, Tangent, declare};
use cfg_testkit::{
    c_functions::{DIRECTIONS, Function, LENGTH, function},
    c_oracle::{printed, seeds},
    needs,
};
use cfg_transform::{flatten, pools::without_pointers};
use std::path::Path;

/// The codes of uses of pointers and of memory that the front end does not take everywhere.
const REFUSED: &[&str] = &["C006", "C008"];

/// The greatest number of functions in one file.
const BATCH: usize = 50;

/// The line of a function: value, `x`, whether a derivative is not unique, derivatives.
struct Expected {
    values: Vec<f64>,
    kink: bool,
    derivatives: Vec<f64>,
}

fn compiled(cc: &Path, place: &Path, all: &[Function]) -> Vec<Expected> {
    let text = printed(cc, place, &Function::driver(all), &["-fno-builtin"]);
    // Lines that the functions print begin with `#`.
    let lines = (text.lines())
        .filter(|line| !line.starts_with('#'))
        .map(|line| {
            let all: Vec<f64> = (line.split(' '))
                .map(|number| number.parse().expect("a number"))
                .collect();
            let (values, rest) = all.split_at(1 + LENGTH);
            assert_eq!(rest.len(), 1 + DIRECTIONS, "{line}");
            Expected {
                values: values.to_vec(),
                kink: rest[0] != 0.0,
                derivatives: rest[1..].to_vec(),
            }
        });
    lines.collect()
}

/// The results of the executor: value and `x`, the derivatives in all directions, and the derivative along one
/// direction by the tangent and by the gradient.
struct Ours {
    values: Vec<f64>,
    derivatives: Vec<f64>,
    along: [f64; 2],
}

/// A direction in which each independent has a weight of its own.
const DIRECTION: [f64; DIRECTIONS] = [1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 4.0, -4.0, 5.0, -5.0, 6.0];

fn ours(f: &Function) -> Result<Ours, Diagnostics> {
    let (program, r) = read(f)?;
    let options = Options::default();
    let mut primal = Primal::new(&flat(&program), r, &options)?;
    let point = primal.read_point(f.point().as_bytes())?;
    let run = primal.run(&point)?;
    let named = |all: &Named, names: &[&str]| {
        let mut found = Vec::new();
        for name in names {
            let value = all.iter().find(|(n, _)| n == name);
            found.extend(value.iter().filter_map(|(_, v)| v.to_f64s()).flatten());
        }
        found
    };
    let mut values = named(&run.value, &["return", "x"]);
    if values.len() == 1 {
        values.extend(f.x);
    }
    let mut adjoint = Adjoint::new(&flat(&program), r, &options)?;
    let point = adjoint.read_point(f.point().as_bytes())?;
    let seed = match written(&program, r) {
        true => "{\"return\":1,\"x\":[1,2,3,4,5]}",
        false => "{\"return\":1}",
    };
    let (seeds, _) = adjoint.read_seeds(seed.as_bytes(), &point)?;
    let gradient = adjoint.gradient(&point, &seeds[0])?;
    let mut derivatives = named(&gradient.gradient, &["x", "y", "a"]);
    if !written(&program, r) {
        for (k, d) in derivatives.iter_mut().take(LENGTH).enumerate() {
            *d += (k + 1) as f64;
        }
    }
    let mut tangent = Tangent::new(&flat(&program), r, &options)?;
    let point = tangent.read_point(f.point().as_bytes())?;
    let (x, rest) = DIRECTION.split_at(LENGTH);
    let (y, a) = rest.split_at(LENGTH);
    let direction = format!("{{\"x\":{x:?},\"y\":{y:?},\"a\":{}}}", a[0]);
    let direction = tangent.read_direction(direction.as_bytes(), &point)?;
    let found = named(
        &tangent.tangent(&point, &direction)?.tangent,
        &["return", "x"],
    );
    let left = if found.len() > 1 { &found[1..] } else { x };
    let by_tangent = found[0] + (1..).zip(left).map(|(k, d)| f64::from(k) * d).sum::<f64>();
    let by_gradient = derivatives.iter().zip(DIRECTION).map(|(d, w)| d * w).sum();
    Ok(Ours {
        values,
        derivatives,
        along: [by_tangent, by_gradient],
    })
}

/// True if the function writes to `x`.
fn written(program: &ValidProgram, r: RoutineId) -> bool {
    let routine = program.routine(r);
    routine.dependents.len() > 1
}

/// The program without the records that pointers become.
fn flat(program: &ValidProgram) -> Flat {
    let made = flatten(
        program.clone(),
        &[],
        &cfg_transform::flat::Options::default(),
    );
    made.unwrap_or_else(|problems| panic!("{problems}")).program
}

fn read(f: &Function) -> Result<(ValidProgram, RoutineId), Diagnostics> {
    let options = cfg_c::Options {
        routine: Some(f.name.clone()),
        ..cfg_c::Options::default()
    };
    let read = cfg_c::read_c(
        &[cfg_c::SourceFile::new("f.c", f.text.as_bytes())],
        &options,
        &mut cfg_c::NoFiles,
    );
    let Some(program) = read.program else {
        return Err(read.problems);
    };
    let program = cfg_core::validate::validate(program)?;
    let r = program
        .find_routine(&f.name)
        .expect("the function is there");
    let lowered = without_pointers(&program, &[r], 10_000)?;
    let mut program = lowered.into_owned().into_program();
    let r = program
        .find_routine(&f.name)
        .expect("the function is there");
    let names = |all: &[&str]| all.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>();
    let writes = (program.routine(r).parameter_ids())
        .map(|p| program.routine(r).variable(p))
        .any(|v| v.name == "x" && v.intent().is_some_and(cfg_core::ir::Intent::writes));
    let dependents = if writes {
        names(&["return", "x"])
    } else {
        names(&["return"])
    };
    declare(
        &mut program,
        r,
        Some(&names(&["x", "y", "a"])),
        Some(&dependents),
    )?;
    Ok((cfg_core::validate::validate(program)?, r))
}

fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

/// True if derivatives agree up to rounding; infinite ones and NaN are not compared.
fn near(all: &[f64], a: f64, b: f64, single: bool) -> bool {
    let scale = all.iter().fold(1.0, |m: f64, d| m.max(d.abs()));
    let tolerance = if single { 1e-4 } else { 1e-9 };
    !b.is_finite() || !scale.is_finite() || (a - b).abs() <= tolerance * scale
}

/// The problem of a function, if there is one.
fn judge(f: &Function, expected: &Expected) -> Option<String> {
    let ours = match ours(f) {
        Ok(ours) => ours,
        Err(problems) => return Some(problems.to_string()),
    };
    // C leaves open the sign of fmin and fmax of two zeros.
    let equal = |(a, b): (&f64, &f64)| same(*a, *b) || expected.kink && a == b;
    let (values, theirs) = (&ours.values, &expected.values);
    if values.len() != theirs.len() || !values.iter().zip(theirs).all(equal) {
        return Some(format!("{values:?} instead of {theirs:?}"));
    }
    if expected.kink {
        return None;
    }
    let (derivatives, theirs) = (&ours.derivatives, &expected.derivatives);
    let near = |(a, b): (&f64, &f64)| near(theirs, *a, *b, f.single);
    if derivatives.len() != DIRECTIONS || !derivatives.iter().zip(theirs).all(near) {
        return Some(format!("{derivatives:?} instead of {theirs:?}"));
    }
    let [tangent, gradient] = ours.along;
    if !near((&tangent, &gradient)) {
        return Some(format!(
            "{tangent} by the tangent, {gradient} by the gradient"
        ));
    }
    None
}

#[test]
fn random_functions_have_the_compilers_values_and_the_derivatives_of_dual_numbers() {
    let Some(cc) = needs::tool("cc") else { return };
    let place = tempfile::tempdir().expect("a folder");
    let all: Vec<Function> = seeds("CFGREV_C_SEEDS")
        .unwrap_or(0..300)
        .map(function)
        .collect();
    let (mut wrong, mut compared, mut refused) = (Vec::new(), 0, Vec::new());
    for batch in all.chunks(BATCH) {
        let expected = compiled(&cc, place.path(), batch);
        assert_eq!(expected.len(), batch.len());
        for (f, expected) in batch.iter().zip(&expected) {
            if let Err(problems) = read(f)
                && problems.has_errors()
                && (problems.0.iter())
                    .all(|p| REFUSED.contains(&p.code) || p.severity == Severity::Warning)
            {
                refused.push(format!("{}: {problems}", f.name));
                continue;
            }
            compared += usize::from(!expected.kink);
            if let Some(problem) = judge(f, expected) {
                let path = std::env::temp_dir().join(format!("{}.c", f.name));
                let text = format!("// {}\n{}", f.point(), f.text);
                std::fs::write(&path, text).expect("it can be written");
                wrong.push(format!("{}: {problem}", path.display()));
            }
        }
    }
    let (bad, all) = (wrong.len(), all.len());
    assert!(wrong.is_empty(), "{bad} of {all}:\n{}", wrong.join("\n"));
    let (few, told) = (refused.len(), refused.join("\n"));
    assert!(few * 10 < all, "{few} of {all} are refused:\n{told}");
    assert!(
        compared * 3 > all * 2,
        "{compared} of {all} have derivatives"
    );
}

#[test]
fn what_is_drawn() {
    let text: String = (0..300).map(|seed| function(seed).text).collect();
    for wanted in [
        "goto mid",
        "goto again",
        "goto out",
        "case 0: do {",
        "default:",
        "continue;",
        "do {",
        "while (w",
        "-- > 0; )",
        "(unsigned)n; i",
        "< 2.5;",
        "ji",
        "unsigned char i",
        "size_t i",
        "restrict",
        "float z",
        "malloc(",
        "calloc(",
        "memmove(",
        "[0][0])",
        "[0] + 0)",
        "memset(",
        "_norm(",
        "_move(&",
        "_make(",
        "_total",
        "_r(0.75 * a, d - 1)",
        "? x :",
        "x[++q",
        "&& ",
        "|| ",
        ">> 17",
        "int64_t",
        "_table[(unsigned)",
        "_apply(",
        "_sum(f",
        "_rest(vp",
        "_swap(&vp",
        "_need(&vp",
        "= malloc(sizeof *vp",
        "_push(&vp",
        "= realloc(vq",
        "assert(n > 0",
        "exit(EXIT_FAILURE)",
        "abort();",
        "_check(n > 0",
        "_at(x, ",
        "printf(\"# %d",
        "_debug > 1",
        "if (0)",
        "while (0)",
        "= cb(",
        "_again(cb",
        "_c(1, ",
        "_w(2, ",
        "_pour(&",
        "_next(",
        "_trade(&",
        "_here = ",
        "_bank[",
        "_bank + ",
        "_or(w, ",
        "_walked(1, op",
        "_pass(2, w, NULL)",
        " ? w : NULL",
        "if (!w && ",
        "w = NULL;",
    ] {
        assert!(text.contains(wanted), "{wanted} is not drawn");
    }
}
