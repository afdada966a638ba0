//! C files: what cfgrev runs is what the compiler of C makes of them, and gradients agree with the tangent, with
//! divided differences, and with the emitted C.

use crate::run_tool::command;
use cfg_testkit::needs;
use serde_json::Value;
use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
    process::Command,
};

/// File, function, and a point whose members are the arguments in order.
const CASES: &[(&str, &str, &str)] = &[
    (
        "rosenbrock",
        "rosenbrock",
        r#"{"n":4,"x":[-1.2,1.0,0.5,1.5]}"#,
    ),
    (
        "matrix_product",
        "product",
        r#"{"n":2,"m":3,"k":2,"a":[[1.5,2.0],[0.5,-1.0]],"b":[[1.0,2.0,3.0],[-0.5,0.25,4.0]],"c":[[0.0,0.0,0.0],[0.0,0.0,0.0]]}"#,
    ),
    (
        "cholesky",
        "log_det",
        r#"{"n":3,"a":[4.0,1.0,0.5,1.0,3.0,0.2,0.5,0.2,5.0]}"#,
    ),
    (
        "livermore2",
        "iccg",
        r#"{"n":16,"x":[1.1,0.9,0.8,1.2,1.3,0.7,0.6,1.4,1.5,0.5,0.4,1.6,1.7,0.3,0.2,1.8,1.1,0.9,0.8,1.2,1.3,0.7,0.6,1.4,1.5,0.5,0.4,1.6,1.7,0.3,0.2,1.8,1.1,0.9,0.8,1.2,1.3,0.7,0.6,1.4,1.5,0.5,0.4,1.6,1.7,0.3,0.2,1.8,1.1,0.9,0.8,1.2,1.3,0.7,0.6,1.4,1.5,0.5,0.4,1.6,1.7,0.3,0.2,1.8],"v":[0.1,0.2,0.3,0.4,0.5,0.1,0.2,0.3,0.1,0.2,0.3,0.4,0.5,0.1,0.2,0.3,0.1,0.2,0.3,0.4,0.5,0.1,0.2,0.3,0.1,0.2,0.3,0.4,0.5,0.1,0.2,0.3,0.1,0.2,0.3,0.4,0.5,0.1,0.2,0.3,0.1,0.2,0.3,0.4,0.5,0.1,0.2,0.3,0.1,0.2,0.3,0.4,0.5,0.1,0.2,0.3,0.1,0.2,0.3,0.4,0.5,0.1,0.2,0.3]}"#,
    ),
    (
        "livermore20",
        "transport",
        r#"{"n":4,"y":[1.5,2.5,3.5,1.25],"u":[0.5,0.25,0.75,0.5],"v":[1.0,1.5,0.5,1.25],"x":[1.0,2.0,3.0,4.0],"dk":0.75}"#,
    ),
    (
        "livermore23",
        "hydro",
        r#"{"za":[[1.0,2.0,3.0,4.0],[0.5,0.6,0.7,0.8],[1.1,1.2,1.3,1.4],[2.1,2.2,2.3,2.4],[0.1,0.2,0.3,0.4]],"zb":[[1.0,2.0,3.0,4.0],[0.5,0.6,0.7,0.8],[1.1,1.2,1.3,1.4],[2.1,2.2,2.3,2.4],[0.1,0.2,0.3,0.4]],"zr":0.3}"#,
    ),
    (
        "durbin",
        "durbin",
        r#"{"n":4,"r":[0.5,0.25,0.125,0.3],"y":[0.0,0.0,0.0,0.0]}"#,
    ),
    (
        "ludcmp",
        "ludcmp",
        r#"{"n":3,"a":[[4.0,1.0,0.5],[1.5,5.0,2.0],[0.25,1.0,6.0]],"b":[1.0,2.0,3.0]}"#,
    ),
    (
        "seidel",
        "seidel",
        r#"{"tsteps":2,"n":4,"a":[[1.0,2.0,3.0,4.0],[0.5,0.6,0.7,0.8],[1.1,1.2,1.3,1.4],[2.1,2.2,2.3,2.4]]}"#,
    ),
    (
        "gramschmidt",
        "gramschmidt",
        r#"{"m":3,"n":2,"a":[[1.0,2.0],[0.5,-1.0],[2.0,0.25]],"r":[[0.0,0.0],[0.0,0.0]],"q":[[0.0,0.0],[0.0,0.0],[0.0,0.0]]}"#,
    ),
    (
        "burgers",
        "burgers",
        r#"{"n":6,"u0":[1.0,0.5,-0.25,0.75,1.25,0.1],"c":0.3,"steps":20}"#,
    ),
    ("newton", "newton", r#"{"p":1.25}"#),
    (
        "insertion_sort",
        "sorted",
        r#"{"n":5,"x":[3.5,1.25,2.5,-0.5,2.0],"w":[1.0,2.0,3.0,4.0,5.0]}"#,
    ),
    (
        "brusselator",
        "brusselator",
        r#"{"a":1.0,"b":2.5,"y0":[1.2,0.8],"tend":1.0}"#,
    ),
    (
        "conjugate_gradient",
        "cg",
        r#"{"n":5,"c":3.5,"b":[1.0,2.0,-1.0,0.5,0.25]}"#,
    ),
    ("traps", "countdown", r#"{"n":4,"x":[1.5,2.5,0.5,0.25]}"#),
    ("traps", "while_step", r#"{"n":3,"x":[0.5,0.25,0.75]}"#),
    ("traps", "nested_return", r#"{"n":3,"x":[0.5,1.25,0.75]}"#),
    ("traps", "nested_return", r#"{"n":2,"x":[0.5,0.25]}"#),
    ("traps", "fall_through", r#"{"k":0,"x":[1.5,2.5,0.5]}"#),
    ("traps", "fall_through", r#"{"k":1,"x":[1.5,2.5,0.5]}"#),
    ("traps", "fall_through", r#"{"k":2,"x":[1.5,2.5,0.5]}"#),
    ("traps", "fall_through", r#"{"k":7,"x":[1.5,2.5,0.5]}"#),
    ("traps", "fall_through", r#"{"k":9,"x":[1.5,2.5,0.5]}"#),
    ("traps", "arms", r#"{"k":2,"x":[1.5,2.5,0.5]}"#),
    ("traps", "arms", r#"{"k":3,"x":[1.5,2.5,0.5]}"#),
    ("traps", "arms", r#"{"k":3,"x":[-1.5,2.5,0.5]}"#),
    ("traps", "arms", r#"{"k":-3,"x":[-1.5,2.5,0.5]}"#),
    ("traps", "goto_out", r#"{"n":3,"x":[1.5,0.25,0.5]}"#),
    ("traps", "goto_out", r#"{"n":3,"x":[0.5,0.25,0.5]}"#),
    ("traps", "two_entries", r#"{"n":3,"x":[0.5,0.25,0.75]}"#),
    ("traps", "two_entries", r#"{"n":3,"x":[-0.5,0.25,0.75]}"#),
    ("traps", "post_step", r#"{"n":3,"x":[0.5,0.25,0.75]}"#),
    ("traps", "real_bound", r#"{"end":2.5,"x":[0.5,0.25,0.75]}"#),
    (
        "traps",
        "changed_index",
        r#"{"n":4,"x":[0.5,-0.25,0.75,1.5]}"#,
    ),
    ("traps", "sizes", r#"{"n":5,"x":[0.5,-0.25,0.75,1.5,2.0]}"#),
    ("traps", "globals", r#"{"n":3,"x":[0.5,-0.25,0.75]}"#),
    ("traps", "pointers", r#"{"x":[0.5,-0.25,0.75]}"#),
    ("traps", "single", r#"{"a":0.5,"x":[0.25,0.75]}"#),
    (
        "traps",
        "random_weights",
        r#"{"seed":42,"n":3,"x":[0.5,-0.25,0.75]}"#,
    ),
    ("traps", "least", r#"{"n":3,"x":[0.5,0.625,0.75]}"#),
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../cfg-c/tests/files")
}

/// The numbers of a value, in order.
fn numbers(value: &Value, out: &mut Vec<f64>) {
    match value {
        Value::Array(items) => items.iter().for_each(|v| numbers(v, out)),
        Value::Object(members) => members.values().for_each(|v| numbers(v, out)),
        Value::Number(n) => out.push(n.as_f64().expect("a number")),
        Value::String(s) => out.push(s.parse().expect("a number that JSON does not have")),
        Value::Null | Value::Bool(_) => panic!("no number: {value}"),
    }
}

/// The members of a point in the order of the text, which is that of the function's parameters.
fn in_order(text: &str) -> Vec<(String, Value)> {
    let point: Value = serde_json::from_str(text).expect("JSON");
    let members = point.as_object().expect("an object");
    let mut members: Vec<_> = (members.iter())
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    members.sort_by_key(|(name, _)| text.find(&format!("\"{name}\":")));
    members
}

fn cfgrev(args: &[&str]) -> Value {
    let out = command(args).output().expect("it runs");
    let errors = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{args:?}: {errors}");
    serde_json::from_slice(&out.stdout).expect("JSON")
}

/// The result of the original, then all arrays, as the compiler of C has them.
fn original(
    cc: &Path,
    place: &Path,
    file: &str,
    function: &str,
    point: &[(String, Value)],
) -> Vec<f64> {
    let real = if function == "single" {
        "float"
    } else {
        "double"
    };
    let path = folder().join(format!("{file}.c"));
    let text = std::fs::read_to_string(&path).expect("the file is there");
    let void = text.contains(&format!("void {function}("));
    let mut body = String::new();
    let mut arguments = Vec::new();
    for (name, value) in point {
        if value.is_array() {
            let mut values = Vec::new();
            numbers(value, &mut values);
            let list: Vec<String> = values.iter().map(|v| format!("{v:?}")).collect();
            writeln!(body, "  static {real} {name}_[] = {{{}}};", list.join(", "))
                .expect("a string");
            arguments.push(format!("(void *){name}_"));
        } else {
            arguments.push(value.to_string());
        }
    }
    let call = format!("{function}({})", arguments.join(", "));
    if void {
        writeln!(body, "  {call};").expect("a string");
    } else {
        writeln!(body, "  printf(\"%.17g\\n\", (double){call});").expect("a string");
    }
    for (name, value) in point {
        if value.is_array() {
            writeln!(body, "  for (unsigned k = 0; k < sizeof {name}_ / sizeof *{name}_; k++) printf(\"%.17g\\n\", (double){name}_[k]);").expect("a string");
        }
    }
    let source = place.join("driver.c");
    let program = format!(
        "#include <stdio.h>\n#include \"{}\"\nint main(void) {{\n{body}  return 0;\n}}\n",
        path.display()
    );
    std::fs::write(&source, program).expect("it can be written");
    let binary = place.join("driver");
    let mut compile = Command::new(cc);
    compile.args(["-std=c99", "-O0", "-fno-builtin", "-ffp-contract=off", "-o"]);
    let out = compile
        .arg(&binary)
        .arg(&source)
        .arg("-lm")
        .output()
        .expect("it runs");
    assert!(
        out.status.success(),
        "{function}: {}",
        String::from_utf8_lossy(&out.stderr)
    );
    let out = Command::new(&binary).output().expect("it runs");
    let text = String::from_utf8(out.stdout).expect("text");
    text.lines()
        .map(|line| line.parse().expect("a number"))
        .collect()
}

/// The result, and the arrays that the point names.
fn ours(run: &Value, point: &[(String, Value)]) -> Vec<f64> {
    let mut values = Vec::new();
    if let Some(result) = run["value"].get("return") {
        numbers(result, &mut values);
    }
    for (name, given) in point {
        if given.is_array() {
            // What is only read is as it was.
            numbers(run["value"].get(name).unwrap_or(given), &mut values);
        }
    }
    values
}

#[test]
fn values_are_those_of_the_compiler() {
    let Some(cc) = needs::tool("cc") else { return };
    let place = tempfile::tempdir().expect("a folder");
    for (file, function, text) in CASES {
        let point = in_order(text);
        let path = folder().join(format!("{file}.c"));
        let path = path.to_str().expect("text");
        let run = cfgrev(&["run", path, "--routine", function, "--at", text]);
        let (ours, theirs) = (
            ours(&run, &point),
            original(&cc, place.path(), file, function, &point),
        );
        let bits = |values: &[f64]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        assert_eq!(
            bits(&ours),
            bits(&theirs),
            "{function}: {ours:?}, {theirs:?}"
        );
    }
}

/// Seeds of 1, 2, ... for all elements of the dependents.
fn seed(path: &str, function: &str, text: &str) -> String {
    let run = cfgrev(&[
        "tangent",
        path,
        "--routine",
        function,
        "--at",
        text,
        "--direction",
        "{}",
    ]);
    let mut count = 0.0;
    fn fill(value: &Value, count: &mut f64) -> Value {
        match value {
            Value::Array(items) => items.iter().map(|v| fill(v, count)).collect(),
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Object(_) => {
                *count += 1.0;
                Value::from(*count)
            }
        }
    }
    let tangent = run["tangent"].as_object().expect("an object");
    let seed: serde_json::Map<String, Value> = tangent
        .iter()
        .map(|(name, value)| (name.clone(), fill(value, &mut count)))
        .collect();
    Value::from(seed).to_string()
}

#[test]
fn gradients_agree_with_tangents_differences_and_emitted_c() {
    let cc = needs::tool("cc");
    for (file, function, text) in CASES {
        let path = folder().join(format!("{file}.c"));
        let path = path.to_str().expect("text");
        // Differences in single precision are of no use.
        let tolerance = if *function == "single" {
            "1e-2"
        } else {
            "1e-5"
        };
        let check = [
            "check",
            path,
            "--routine",
            function,
            "--at",
            text,
            "--fd-tolerance",
            tolerance,
            "--quiet",
        ];
        let precise = if *function == "single" {
            vec!["--tolerance", "1e-5"]
        } else {
            vec![]
        };
        // The time at which the loop ends decides how often it runs.
        let chosen = match *function {
            "brusselator" => vec!["--independent", "a,b,y0"],
            _ => vec![],
        };
        let options = precise.into_iter().chain(chosen);
        let all: Vec<&str> = check.iter().copied().chain(options).collect();
        let out = command(&all).output().expect("it runs");
        assert!(
            matches!(out.status.code(), Some(0)),
            "{function} {text}: {}{}",
            String::from_utf8_lossy(&out.stdout),
            String::from_utf8_lossy(&out.stderr)
        );
        if cc.is_none() {
            continue;
        }
        let seed = seed(path, function, text);
        let gradient = [
            "gradient",
            path,
            "--routine",
            function,
            "--at",
            text,
            "--seed",
            &seed,
        ];
        let interpreted = cfgrev(&gradient);
        let compiled: Vec<&str> = gradient.iter().copied().chain(["--engine", "cc"]).collect();
        let compiled = cfgrev(&compiled);
        let (mut a, mut b) = (Vec::new(), Vec::new());
        numbers(&interpreted["gradient"], &mut a);
        numbers(&compiled["gradient"], &mut b);
        assert_eq!(a.len(), b.len(), "{function}");
        for (a, b) in a.iter().zip(&b) {
            assert!(
                (a - b).abs() <= 1e-12 * (1.0 + a.abs()),
                "{function}: {a} {b}"
            );
        }
    }
}
