//! Programs with records as C: a caller passes structures, and gets the results of the executor, bit for bit.

use crate::flat;
use crate::record_derivatives::{Case, INTERFACE, type_of};
use cfg_back::c;
use cfg_core::{
    entity::RoutineId,
    ir::{Program, ScalarType},
    validate::{ValidProgram, validate},
};
use cfg_testkit::{needs, records, strict};
use serde_json::{Map, Value as Json};
use std::{fmt::Write as _, fs, path::Path, process::Command};

/// A value as the initializer of a variable.
fn initializer(program: &Program, ty: ScalarType, extents: &[usize], tree: &Json) -> String {
    let all: Vec<String> = match (extents, ty.record()) {
        ([n, below @ ..], _) => (0..*n)
            .map(|k| initializer(program, ty, below, &tree[k]))
            .collect(),
        ([], Some(r)) => {
            let fields = program.record(r).fields.iter();
            fields
                .map(|f| initializer(program, f.ty, &extents_of(f), &tree[&f.name]))
                .collect()
        }
        ([], None) => return tree.to_string(),
    };
    format!("{{{}}}", all.join(", "))
}

fn extents_of(field: &cfg_core::ir::Field) -> Vec<usize> {
    field
        .shape
        .iter()
        .map(|dim| dim.constant_extent().expect("constant"))
        .collect()
}

/// Statements that print all numbers of a variable.
fn print(program: &Program, ty: ScalarType, extents: &[usize], place: &str, out: &mut String) {
    if let [n, below @ ..] = extents {
        (0..*n).for_each(|k| print(program, ty, below, &format!("{place}[{k}]"), out));
    } else if let Some(r) = ty.record() {
        for f in &program.record(r).fields {
            print(
                program,
                f.ty,
                &extents_of(f),
                &format!("{place}.{}", f.name),
                out,
            );
        }
    } else if ty.is_real() {
        let _ = writeln!(out, "    printf(\"%.17g\\n\", {place});");
    } else {
        let _ = writeln!(out, "    printf(\"%d\\n\", (int){place});");
    }
}

/// A parameter that is a variable of the caller: its name, its type and extents, and where it begins.
struct Passed<'t> {
    name: String,
    ty: ScalarType,
    extents: &'t [usize],
    value: Json,
}

/// Calls the function with pointers to these variables, those of `order`, and returns what it leaves in all of them.
fn call(
    (cc, folder): (&Path, &Path),
    (text, program): (&str, &ValidProgram),
    variables: &[Passed<'_>],
    (before, calls): (&str, &[String]),
) -> Vec<f64> {
    let mut main = String::new();
    for Passed {
        name,
        ty,
        extents,
        value,
    } in variables
    {
        let c_type = match ty.record() {
            Some(r) => format!("struct {}", program.record(r).name),
            None => "double".to_owned(),
        };
        let shape: String = extents.iter().map(|n| format!("[{n}]")).collect();
        let value = initializer(program, *ty, extents, value);
        let _ = writeln!(main, "    {c_type} {name}{shape} = {value};");
    }
    main.push_str(before);
    for call in calls {
        let _ = writeln!(main, "    if ({call})\n        return 1;");
    }
    for Passed {
        name, ty, extents, ..
    } in variables
    {
        print(program, *ty, extents, name, &mut main);
    }
    let file = format!(
        "{text}\n#include <stdio.h>\n\nint main(void)\n{{\n    struct cfgrev_tape tape = {{0}};\n{main}    cfgrev_tape_free(&tape);\n    return 0;\n}}\n"
    );
    fs::write(folder.join("main.c"), &file).expect("written");
    let built = Command::new(cc)
        .current_dir(folder)
        .args(strict::FLAGS)
        .args(["-O0", "-fno-builtin", "-ffp-contract=off"])
        .args(["-fsanitize=address,undefined", "-fno-sanitize-recover=all"])
        .args(["-o", "main", "main.c", "-lm"])
        .output()
        .expect("it runs");
    assert!(
        built.status.success(),
        "{}\n{file}",
        String::from_utf8_lossy(&built.stderr)
    );
    let ran = Command::new(folder.join("main")).output().expect("it runs");
    assert!(
        ran.status.success(),
        "{}\n{file}",
        String::from_utf8_lossy(&ran.stderr)
    );
    let lines = String::from_utf8(ran.stdout).expect("numbers");
    lines
        .lines()
        .map(|line| line.parse().expect("a number"))
        .collect()
}

/// The numbers of a value in the order of the layout.
fn numbers(program: &Program, ty: ScalarType, extents: &[usize], tree: &Json) -> Vec<f64> {
    let cells = records::cells(program, ty, extents, Some(tree)).into_iter();
    let number = |cell: Option<Json>| match cell {
        Some(Json::Bool(b)) => f64::from(u8::from(b)),
        Some(other) => other.as_f64().unwrap_or(f64::NAN),
        None => f64::NAN,
    };
    cells.map(number).collect()
}

/// The variables that callers have: the parameters, each with its derivative, and `y`.
fn variables<'t>(
    case: &Case,
    suffix: Option<&str>,
    derivatives: &Map<String, Json>,
) -> Vec<Passed<'t>> {
    let mut all = Vec::new();
    for &(name, extents, _) in INTERFACE.iter().filter(|(name, ..)| *name != "kept") {
        let ty = type_of(&case.program, name);
        let mut add = |name: String, value: &Json| {
            all.push(Passed {
                name,
                ty,
                extents,
                value: value.clone(),
            });
        };
        add(name.to_owned(), &case.point[name]);
        if let Some(suffix) = suffix {
            add(format!("{name}_{suffix}"), &derivatives[name]);
        }
    }
    let mut real = |name: String, value: f64| {
        let ty = ScalarType::Real;
        all.push(Passed {
            name,
            ty,
            extents: &[],
            value: value.into(),
        });
    };
    real("y".to_owned(), 0.0);
    if let Some(suffix) = suffix {
        real(format!("y_{suffix}"), 0.5);
    }
    all
}

/// Statements that set the global of the program, and the call with pointers.
fn global(case: &Case) -> String {
    let kept = &case.point["kept"];
    format!(
        "    f_globals()->kept_x = {};\n    f_globals()->kept_k = {};\n    f_globals()->kept_v[0] = {};\n    f_globals()->kept_v[1] = {};\n",
        kept["x"], kept["k"], kept["v"][0], kept["v"][1]
    )
}

fn agrees(cc: &Path, folder: &Path, seed: u64, kind: &str) {
    let case = Case::random(seed);
    let main = case.program.main.expect("one");
    let options = c::Options::default();
    let suffix = match kind {
        "gradient" | "sweeps" => Some("b"),
        "tangent" => Some("t"),
        _ => None,
    };
    let derivatives = case.only(|written| written || kind == "tangent");
    let all = variables(&case, suffix, &derivatives);
    // Derivatives of globals begin as 0 in C and with the executor.
    let derived: (ValidProgram, RoutineId, String) = match kind {
        "program" => {
            let text = c::program(&flat(&case.program)).unwrap_or_else(|e| case.fail(e));
            (case.program.clone(), main, text)
        }
        "tangent" => {
            let made = crate::tangent_of(&case.program, main).unwrap_or_else(|e| case.fail(e));
            let program = validate(made.program).unwrap_or_else(|e| case.fail(e));
            let text = c::tangent_with(&flat(&program), main, made.tangent, options);
            let text = text.unwrap_or_else(|e| case.fail(e));
            (program, made.tangent, text)
        }
        _ => {
            let made = crate::reversed(&case.program, main, &Default::default());
            let made = made.unwrap_or_else(|e| case.fail(e));
            let program = validate(made.program).unwrap_or_else(|e| case.fail(e));
            let routines = c::Adjoint {
                original: main,
                forward: made.forward,
                reverse: made.reverse,
                gradient: made.gradient,
            };
            let text = c::adjoint_with(&flat(&program), routines, options);
            (
                program,
                made.gradient,
                text.unwrap_or_else(|e| case.fail(e)),
            )
        }
    };
    let (program, routine, text) = derived;
    let pointers = |only: &dyn Fn(&str) -> bool| -> String {
        let mut texts = Vec::new();
        for passed in all.iter().filter(|p| only(&p.name)) {
            let by_value = passed.name == "t" || passed.name == "t_t";
            let address = if by_value || !passed.extents.is_empty() {
                ""
            } else {
                "&"
            };
            texts.push(format!("{address}{}", passed.name));
        }
        texts.join(", ")
    };
    let every = pointers(&|_| true);
    let calls = match kind {
        "program" => vec![format!("f({every})")],
        "tangent" => vec![format!("f_t({every}, NULL, &tape)")],
        "gradient" => vec![format!("f_grad({every}, NULL, &tape)")],
        _ => {
            let primal = pointers(&|name| !name.ends_with("_b"));
            vec![
                format!("f_fwd({primal}, &tape)"),
                format!("f_rev({every}, NULL, &tape)"),
            ]
        }
    };
    let found = call(
        (cc, folder),
        (&text, &program),
        &all,
        (&global(&case), &calls),
    );
    let mut given = case.point.clone();
    for passed in all.iter().filter(|p| p.name != "y") {
        given.insert(passed.name.clone(), passed.value.clone());
    }
    let point = Json::Object(given).to_string();
    let wanted = case.run(&program, routine, point.as_bytes());
    let mut at = 0;
    for passed in &all {
        let tree = wanted.get(&passed.name);
        let numbers = match tree {
            Some(tree) => numbers(&program, passed.ty, passed.extents, tree),
            None => numbers(&program, passed.ty, passed.extents, &passed.value),
        };
        // The values of the original's variables after the reverse sweep are not specified.
        let compared = kind != "sweeps" || passed.name.ends_with("_b");
        for (k, number) in numbers.into_iter().enumerate() {
            let here = found[at];
            let same = here.to_bits() == number.to_bits() || here.is_nan() && number.is_nan();
            assert!(
                same || !compared,
                "{kind}, {}, number {k}: {here} instead of {number}\n{}",
                passed.name,
                case.text
            );
            at += 1;
        }
    }
    assert_eq!(at, found.len());
}

#[test]
fn callers_pass_structures() {
    let Some(cc) = needs::tool("cc") else { return };
    let folder = tempfile::tempdir().expect("a folder");
    for seed in 0..3 {
        for kind in ["program", "tangent", "gradient", "sweeps"] {
            agrees(&cc, folder.path(), 1000 + seed, kind);
        }
    }
}
