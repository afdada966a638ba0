//! The initial values of globals in C are those of the executor; with checks, a global without one is uninitialised.

use crate::support::flat;
use crate::{
    interface::{compile, files_with, parse},
    support,
};
use cfg_back::c;
use cfg_core::{
    elemental::Scalar,
    entity::RoutineId,
    ir::{Expr, Op, Program, ScalarType},
    validate::{ValidProgram, validate},
};
use cfg_exec::Session;
use cfg_format::json;
use cfg_testkit::{needs, rng::Rng};
use serde_json::{Value, json};
use std::{fmt::Write as _, fs, path::Path, process::Command};

const TYPES: [(&str, ScalarType); 4] = [
    ("integer", ScalarType::Integer),
    ("real", ScalarType::Real),
    ("real32", ScalarType::Real32),
    ("logical", ScalarType::Logical),
];

/// A constant of a type.
fn constant(ty: ScalarType, rng: &mut Rng) -> Value {
    match ty {
        ScalarType::Logical => json!(rng.below(2) == 0),
        ScalarType::Integer => json!(rng.between(-9, 1 << 40)),
        ScalarType::Real32 => json!(["real32", rng.between(-9, 99) as f64 / 8.0]),
        _ => json!(rng.between(-99, 99) as f64 / 10.0),
    }
}

/// Replaces every other number by the negation of a constant, as front ends may write it; returns how many.
fn negate(program: &mut Program, rng: &mut Rng) -> usize {
    let mut count = 0;
    let values = program
        .globals
        .iter_mut()
        .filter_map(|g| g.initial.as_mut());
    for e in values.flatten() {
        if !matches!(e, Expr::Logical(_)) && rng.below(2) == 0 {
            *e = Expr::op(Op::Neg, [e.clone()]);
            count += 1;
        }
    }
    count
}

/// Globals of all types, with and without values, alone and in the cells of others.
fn drawn(rng: &mut Rng) -> Value {
    let mut globals: Vec<Value> = Vec::new();
    for k in 0..24 {
        let (name, ty) = TYPES[rng.below(TYPES.len())];
        let size = rng.below(7);
        let mut global = json!({"name": format!("g{k}"), "type": name});
        if rng.below(3) > 0 {
            global["shape"] = json!([size]);
        }
        let room = if global.get("shape").is_some() {
            size
        } else {
            1
        };
        let initial = |global: &mut Value, size: usize, rng: &mut Rng| match rng.below(3) {
            0 => global["initial"] = constant(ty, rng),
            1 if size > 0 => {
                let values: Vec<Value> = (0..size).map(|_| constant(ty, rng)).collect();
                global["initial"] = values.into();
            }
            _ => {}
        };
        initial(&mut global, room, rng);
        let has_values = global.get("initial").is_some();
        globals.push(global);
        for part in 0..rng.below(4) {
            let offset = rng.below(room + 1);
            let size = rng.below(room - offset + 1);
            let base = format!("g{k}");
            let mut global = json!({"name": format!("g{k}_{part}"), "type": name, "shape": [size],
                "overlay": {"global": base, "offset": offset}});
            if !has_values {
                initial(&mut global, size, rng);
            }
            globals.push(global);
        }
    }
    let used: Vec<Value> = globals
        .iter()
        .map(|g| json!({"global": g["name"]}))
        .collect();
    json!({"format": "cfgrev/1", "globals": globals, "routines": [{"name": "f",
        "parameters": [{"name": "x", "type": "real", "intent": "out"}], "locals": used,
        "vertices": [{"id": 1, "type": "ENTRY"}, {"id": 2, "type": "BASICBLOCK", "statements": [["=", "x", 1.0]]},
            {"id": 3, "type": "EXIT"}],
        "edges": [{"from": 1, "to": 2}, {"from": 2, "to": 3}]}]})
}

/// The text of a program in C that writes the cells of each global which owns storage.
fn printer(program: &Program, tag: &str) -> String {
    let mut text = format!(
        "#include <inttypes.h>\n#include <stdio.h>\n#include <string.h>\n#include \"f.h\"\nint main(void)\n{{\n    struct {tag} *const all = {tag}();\n"
    );
    for global in program.globals.iter().filter(|g| g.overlay.is_none()) {
        let size = global.variable.constant_size().unwrap();
        let bits = match global.variable.ty {
            ScalarType::Integer | ScalarType::Real => "uint64_t",
            ScalarType::Real32 => "uint32_t",
            _ => "unsigned char",
        };
        let _ = writeln!(
            text,
            "    for (int k = 0; k < {size}; ++k) {{\n        {bits} cell;\n        memcpy(&cell, (char *)&all->{} + k * (int)sizeof cell, sizeof cell);\n        printf(\"%\" PRIx64 \" \", (uint64_t)cell);\n    }}",
            global.variable.name
        );
    }
    text + "    return 0;\n}\n"
}

/// The initial cells of the executor; a cell without a value is 0 or, with checks, the mark of an uninitialised one.
fn expected(program: &ValidProgram, checks: bool) -> Vec<u64> {
    let compiled = support::compile(program);
    let session = Session::new(&compiled);
    let mut cells = Vec::new();
    for value in support::all_globals(&session, program) {
        cells.extend((0..value.len()).map(|k| match (value.get(k), value.ty()) {
            (Some(Scalar::Integer(n)), _) => n as u64,
            (Some(Scalar::Real(x)), _) => x.to_bits(),
            (Some(Scalar::Real32(x)), _) => x.to_bits().into(),
            (Some(Scalar::Logical(b)), _) => b.into(),
            (Some(Scalar::Sized(..)), _) => panic!("no global is one"),
            (None, _) if !checks => 0,
            (None, ScalarType::Real) => 0x7FF8_756E_696E_6974,
            (None, ScalarType::Real32) => 0x7FC0_756E,
            (None, ScalarType::Logical) => 2,
            (None, _) => -6_674_804_268_309_651_741_i64 as u64,
        }));
    }
    cells
}

fn run(folder: &Path, program: &str) -> (Option<i32>, String) {
    let ran = Command::new(folder.join(program)).output().unwrap();
    let said = String::from_utf8_lossy(&ran.stdout).into_owned();
    (ran.status.code(), said)
}

#[test]
fn globals_begin_as_in_the_executor() {
    let Some(cc) = needs::tool("cc") else { return };
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    let mut unset = 0;
    for seed in 0..3 {
        let mut rng = Rng::new(seed);
        let drawn = drawn(&mut rng).to_string();
        let mut program = json::read(drawn.as_bytes()).unwrap_or_else(|e| panic!("{e}: {drawn}"));
        assert!(negate(&mut program, &mut rng) > 5, "{drawn}");
        let program = validate(program).unwrap_or_else(|e| panic!("{e}: {drawn}"));
        for checks in [false, true] {
            for header in [false, true] {
                let options = c::Options {
                    checks,
                    header,
                    ..c::Options::default()
                };
                let text = c::program_with(&flat(&program), options).unwrap();
                write(if header { "f.h" } else { "f.c" }, &text);
            }
            write("main.c", &printer(&program, "program_globals"));
            compile(folder.path(), &cc, &["-o", "main", "main.c", "f.c", "-lm"]);
            let (code, said) = run(folder.path(), "main");
            let cells = said.split_whitespace();
            let cells: Vec<u64> = cells.map(|n| u64::from_str_radix(n, 16).unwrap()).collect();
            assert_eq!(code, Some(0));
            assert_eq!(
                cells,
                expected(&program, checks),
                "{seed} {checks}: {drawn}"
            );
            unset += cells
                .iter()
                .filter(|n| **n == 0x7FF8_756E_696E_6974)
                .count();
        }
    }
    assert!(unset > 10, "{unset}");
}

const HALF: &str = "
global real scale
global integer calls = -5
global real table[4]
global real part[2] = -1.5 overlays table at 1
global logical ready

function f(in real x) result r
  local real r
  uses scale, calls, table, part, ready
  independent x, scale
  dependent r
  calls := calls + 1
  r := x*part[1]
  if ready
    r := r*scale + table[4]
  end
  if r > 0.0
    r := r*r
  end
end
";

const CALLS: &str = r#"
#include <stddef.h>
#include <stdio.h>
#include "f_b.h"
#include "f_t.h"
#include "f.h"
int main(void)
{
    struct cfgrev_tape tape = {0};
    double x_b = 0, value, value_t;
    printf("%d ", f_grad(-2, &x_b, &value, 1, NULL, &tape));
    printf("%.4s ", cfgrev_tape_message(&tape));
    printf("%d ", f_t(-2, 1, &value, &value_t, NULL, &tape));
    printf("%d ", f(-2, &value, &tape));
    GLOBALS()->ready = 1;
    GLOBALS()->scale = 2;
    printf("%d ", f(-2, &value, &tape));
    printf("%.4s ", cfgrev_tape_message(&tape));
    GLOBALS()->table[3] = 1;
    printf("%d ", f(-2, &value, &tape));
    printf("%g %d ", value, (int)GLOBALS()->calls);
    cfgrev_tape_free(&tape);
    return 0;
}
"#;

/// The files of a program are one here, and share its globals.
#[test]
fn globals_that_were_never_set_are_found() {
    let Some(cc) = needs::tool("cc") else { return };
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    let options = c::Options {
        checks: true,
        ..c::Options::default()
    };
    let [adjoint, tangent] = files_with(HALF, options);
    write("f_b.h", &adjoint);
    write("f_t.h", &tangent);
    let mut program = parse(HALF).program().clone();
    program.main = Some(RoutineId::new(0));
    let program = validate(program).unwrap();
    write("f.h", &c::program_with(&flat(&program), options).unwrap());
    write("main.c", CALLS);
    let flags = [
        "-DGLOBALS=f_globals",
        "-fsanitize=undefined",
        "-o",
        "main",
        "main.c",
        "-lm",
    ];
    compile(folder.path(), &cc, &flags);
    // Each call counts, also one that fails behind it; the last one gives (-2 * -1.5 * 2 + 1)^2.
    let (code, said) = run(folder.path(), "main");
    assert_eq!((code, &*said), (Some(0), "4 X202 4 4 4 X202 0 49 0 "));
    // Without checks such globals are static data of value 0, which needs no call at the beginning.
    let [adjoint, _] = files_with(HALF, c::Options::default());
    assert!(!adjoint.contains("globals_begin"));
    assert!(adjoint.contains("{0.0, -1.5, -1.5}"), "{adjoint}");
}
