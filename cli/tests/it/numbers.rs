//! `run`, `gradient`, `tangent --at`, `jacobian`, `check`.

use crate::run_tool::{cfgrev, cfgrev_in, cfgrev_with, fixtures, golden};
use serde_json::{Value, json};

const POINT: &str = r#"{"x": [0.5, 2]}"#;

/// f(n, a, x(n)) -> s = sum of a*x(i)**2 for positive x(i), a function; x may be 32-bit.
const SUM: &str = r#"{"format": "cfgrev/1", "routines": [{
  "name": "weighted",
  "parameters": [{"name": "n", "type": "integer", "intent": "in"},
                 {"name": "a", "type": "real", "intent": "in"},
                 {"name": "x", "type": "real", "shape": ["n"], "intent": "inout"}],
  "result": {"name": "s", "type": "real"},
  "locals": [{"name": "i", "type": "integer"}],
  "independents": ["a", "x"], "dependents": ["s"],
  "vertices": [
    {"id": 1, "type": "ENTRY"},
    {"id": 2, "type": "BASICBLOCK", "statements": [["=", "s", 0.0]]},
    {"id": 3, "type": "LOOP", "test": "counted", "index": "i", "first": 1, "last": "n"},
    {"id": 4, "type": "BRANCH", "condition": [">", ["[]", "x", "i"], 0.0]},
    {"id": 5, "type": "BASICBLOCK", "statements": [
      ["=", ["[]", "x", "i"], ["*", ["[]", "x", "i"], ["[]", "x", "i"]]],
      ["=", "s", ["+", "s", ["*", "a", ["[]", "x", "i"]]]]]},
    {"id": 6, "type": "ENDBRANCH"},
    {"id": 7, "type": "ENDLOOP"},
    {"id": 8, "type": "EXIT"}],
  "edges": [{"from": 1, "to": 2}, {"from": 2, "to": 3}, {"from": 3, "to": 4, "label": 1},
    {"from": 3, "to": 8}, {"from": 4, "to": 5, "label": 1}, {"from": 4, "to": 6, "label": 0},
    {"from": 5, "to": 6}, {"from": 6, "to": 7}, {"from": 7, "to": 3}]}]}
"#;

fn object(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|e| panic!("{e}: {text}"))
}

/// Runs on the program above.
fn sum(args: &[&str]) -> Value {
    let mut all = vec![args[0], "-"];
    all.extend(&args[1..]);
    let ran = cfgrev_with(&all, SUM.as_bytes());
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{args:?}");
    object(&ran.out)
}

#[test]
fn the_papers_example_is_run_and_differentiated() {
    let file = "paper_example.json";
    let cases: &[(&str, &[&str])] = &[
        ("run.json", &["run", file, "--at", POINT, "--trace"]),
        (
            "gradient.json",
            &[
                "gradient",
                file,
                "--at",
                POINT,
                "--seed",
                r#"{"y": [0, 0, 1]}"#,
                "--trace",
            ],
        ),
        (
            "gradients.json",
            &[
                "gradient",
                file,
                "--at",
                POINT,
                "--seed",
                r#"[{"y": [0, 0, 1]}, {"y": [1, 0, 0]}]"#,
            ],
        ),
        (
            "tangent.json",
            &[
                "tangent",
                file,
                "--at",
                POINT,
                "--direction",
                r#"{"x": [1, 0]}"#,
            ],
        ),
        ("jacobian.json", &["jacobian", file, "--at", POINT]),
    ];
    for (name, args) in cases {
        // The same bits everywhere.
        let mut args = args.to_vec();
        args.extend(["--math", "portable"]);
        let ran = cfgrev(&args);
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{args:?}");
        object(&ran.out);
        golden(name, &ran.out);
    }
    let check = cfgrev(&["check", file, "--at", POINT]);
    assert_eq!((check.code, check.err.as_str()), (Some(0), ""));
    let check = object(&check.out);
    assert_eq!(check["agrees"], true);
    assert_eq!(check["stack"]["pushes"], 3);
    assert_eq!(check["differences"]["compared"], 3);
}

#[test]
fn a_function_with_an_inout_array() {
    let point = r#"{"n": 3, "a": 2, "x": [3, -1, 0.5]}"#;
    let run = sum(&["run", "--at", point]);
    let expected = json!({"x": [9.0, -1.0, 0.25], "return": 18.5});
    assert_eq!(run, json!({"routine": "weighted", "value": expected}));
    let gradient = sum(&["gradient", "--at", point]);
    assert_eq!(gradient["value"], json!({"return": 18.5}));
    let expected = json!({"a": 9.25, "x": [12.0, 0.0, 2.0]});
    assert_eq!(gradient["gradient"], expected);
    // One bit for each of three branches; the values that are overwritten.
    assert_eq!(gradient["tape"]["control_bits"], 3);
    assert!(
        gradient["tape"]["value_bytes"].as_u64() >= Some(16),
        "{gradient}"
    );
    let half = sum(&["gradient", "--at", point, "--seed", r#"{"return": 0.5}"#]);
    assert_eq!(half["gradient"]["a"], 4.625);
    let only = sum(&["gradient", "--at", point, "--independent", "a"]);
    assert_eq!(only["gradient"], json!({"a": 9.25}));
    let both = sum(&["jacobian", "--at", point, "--dependent", "x,return"]);
    let expected = json!({
        "x": {"a": [[0.0], [0.0], [0.0]], "x": [[6.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]},
        "return": {"a": [[9.25]], "x": [[12.0, 0.0, 2.0]]}});
    assert_eq!(both["jacobian"], expected);
    for mode in ["adjoint", "tangent"] {
        let args = [
            "jacobian",
            "--at",
            point,
            "--dependent",
            "x,return",
            "--mode",
            mode,
        ];
        assert_eq!(sum(&args), both, "{mode}");
    }
    // No iteration at all.
    let empty = sum(&["gradient", "--at", r#"{"n": 0, "a": 2, "x": []}"#]);
    assert_eq!(empty["gradient"], json!({"a": 0.0, "x": []}));
    let counted = sum(&["gradient", "--at", point, "--counters", "always", "--merge"]);
    assert_eq!(counted["gradient"], gradient["gradient"]);
    assert!(
        counted["tape"]["control_bits"].as_u64() > Some(3),
        "{counted}"
    );
}

#[test]
fn not_finite_numbers_are_strings_both_ways() {
    let point = r#"{"n": 2, "a": "inf", "x": ["NaN", 1]}"#;
    let run = sum(&["run", "--at", point]);
    assert_eq!(run["value"], json!({"x": ["NaN", 1.0], "return": "inf"}));
}

#[test]
fn what_is_wrong_with_a_point_or_seed() {
    let cases: &[(&[&str], i32, &str)] = &[
        (&["gradient", "--at", "{}"], 1, "P414"),
        (
            &["gradient", "--at", r#"{"n": 1, "a": 1, "x": [1], "z": 1}"#],
            1,
            "P412",
        ),
        (
            &["gradient", "--at", r#"{"n": 1, "a": 1, "x": [1, 2]}"#],
            1,
            "P416",
        ),
        (
            &["gradient", "--at", r#"{"n": 1, "a": 1, "a": 1, "x": [1]}"#],
            1,
            "J011",
        ),
        (
            &["gradient", "--at", r#"{"n": 1.0, "a": 1, "x": [1]}"#],
            1,
            "P415",
        ),
        (&["gradient", "--at", r#"{"n": 1"#], 1, "J001"),
        (&["gradient", "--at", "no such file"], 1, "P401"),
        (&["gradient", "--at", "-"], 2, "only once"),
        (&["gradient"], 2, "--at"),
        (
            &[
                "gradient",
                "--at",
                r#"{"n": 1, "a": 1, "x": [1]}"#,
                "--seed",
                r#"{"a": 1}"#,
            ],
            1,
            "P412",
        ),
        (
            &[
                "gradient",
                "--at",
                r#"{"n": 2, "a": 1, "x": [1, 2]}"#,
                "--dependent",
                "x",
            ],
            1,
            "P417",
        ),
        (
            &[
                "gradient",
                "--at",
                r#"{"n": 1, "a": 1, "x": [1]}"#,
                "--independent",
                "n",
            ],
            1,
            "P420",
        ),
        (&["gradient", "--at", "-", "--seed", "-"], 2, "only once"),
        (&["tangent", "--at", "{}"], 2, "--direction"),
        (
            &["check", "--at", "{}", "--tolerance=-1"],
            2,
            "not negative",
        ),
        (
            &[
                "run",
                "--at",
                r#"{"n": 1000000000000000, "a": 1, "x": [1]}"#,
            ],
            1,
            "P419",
        ),
    ];
    for (args, code, part) in cases {
        let mut all = vec![args[0], "-"];
        all.extend(&args[1..]);
        let ran = cfgrev_with(&all, SUM.as_bytes());
        assert_eq!(
            (ran.code, ran.out.as_str()),
            (Some(*code), ""),
            "{args:?}: {}",
            ran.err
        );
        assert!(ran.err.contains(part), "{args:?}: {}", ran.err);
    }
}

#[test]
fn places_in_a_point_are_shown() {
    let ran = cfgrev(&[
        "run",
        "paper_example.json",
        "--at",
        "{\"x\": [0.5,\n  true]}",
    ]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""));
    golden("point.txt", &ran.err);
}

#[test]
fn limits_end_a_run_with_a_diagnostic() {
    let forever = SUM.replace(
        r#""test": "counted", "index": "i", "first": 1, "last": "n"}"#,
        r#""test": "pre", "condition": [">=", "n", 0]}"#,
    );
    let forever = forever.replace(r#"["=", "s", 0.0]"#, r#"["=", "s", 0.0], ["=", "i", 1]"#);
    let point = r#"{"n": 1, "a": 1, "x": [0.5]}"#;
    let cases: &[(&[&str], &str)] = &[
        (&["--fuel", "1000"], "--fuel"),
        (&["--max-tape", "1K"], "--max-tape"),
    ];
    for (limit, part) in cases {
        let mut args = vec!["gradient", "-", "--at", point];
        args.extend(*limit);
        let ran = cfgrev_with(&args, forever.as_bytes());
        assert_eq!(
            (ran.code, ran.out.as_str()),
            (Some(1), ""),
            "{limit:?}: {}",
            ran.err
        );
        assert!(
            ran.err.contains(part) && ran.err.contains("vertex"),
            "{}",
            ran.err
        );
    }
    let ran = cfgrev_with(
        &["gradient", "-", "--at", point, "--max-memory", "10"],
        SUM.as_bytes(),
    );
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""));
    assert!(ran.err.contains("--max-memory"), "{}", ran.err);
}

/// A kink or a branch that differences cross has a place in the file.
#[test]
fn what_differences_cross_has_a_place() {
    let text = "#include <math.h>
double f(double x)
{
    double y = x;
    if (x > 1)
        y *= 3;
    return y;
}
double g(double x)
{
    double y = 2 * x;
    return fabs(y);
}
";
    for (routine, at, place) in [("f", "x=1", "<stdin>:5:5"), ("g", "x=0", "<stdin>:12:5")] {
        let args = [
            "check",
            "-",
            "--lang",
            "c",
            "--routine",
            routine,
            "--at",
            at,
        ];
        let check = cfgrev_with(&args, text.as_bytes());
        assert_eq!(check.code, Some(3), "{}", check.out);
        let told = check.err.split("warning[P434]").next().unwrap_or_default();
        assert!(told.contains("warning[P430]"), "{}", check.err);
        assert!(told.contains(place), "{}", check.err);
    }
}

#[test]
fn kinks_are_reported_on_request() {
    let kinked = SUM.replace(
        r#"["*", ["[]", "x", "i"], ["[]", "x", "i"]]"#,
        r#"["abs", ["-", ["[]", "x", "i"], 1.0]]"#,
    );
    let point = r#"{"n": 2, "a": 1, "x": [1, 1]}"#;
    let silent = cfgrev_with(&["gradient", "-", "--at", point], kinked.as_bytes());
    assert_eq!((silent.code, silent.err.as_str()), (Some(0), ""));
    let told = cfgrev_with(
        &["gradient", "-", "--at", point, "--report-kinks"],
        kinked.as_bytes(),
    );
    assert_eq!(told.code, Some(0));
    assert_eq!(told.out, silent.out);
    assert!(
        told.err.contains("P431") && told.err.contains("abs"),
        "{}",
        told.err
    );
    // Only what stands in the program: not the comparisons and quotients of derivative code.
    let root = SUM.replace(
        r#"["*", ["[]", "x", "i"], ["[]", "x", "i"]]"#,
        r#"["+", ["sqrt", ["-", ["[]", "x", "i"], ["[]", "x", "i"]]], ["max", ["[]", "x", "i"], 1.0]]"#,
    );
    let at = r#"{"n": 2, "a": 1, "x": [1, 1]}"#;
    let events = |command: &[&str]| {
        let run = cfgrev_with(
            &[command, &["--at", at, "--report-kinks"]].concat(),
            root.as_bytes(),
        );
        assert_eq!(run.code, Some(0), "{}", run.err);
        run.err
    };
    let primal = events(&["run", "-"]);
    assert!(
        primal.contains("sqrt") && primal.contains("max"),
        "{primal}"
    );
    // The derivatives of the root at 0 are not finite, which is told besides.
    let gradient = events(&["gradient", "-"]);
    let infinite = gradient
        .strip_prefix(&primal)
        .unwrap_or_else(|| panic!("{gradient}"));
    assert!(infinite.contains("warning[P436]"), "{infinite}");
    assert!(!infinite.contains("P431"), "{infinite}");
    let direction = r#"{"x": [1, 1]}"#;
    assert_eq!(events(&["tangent", "-", "--direction", direction]), primal);
    let check = cfgrev_with(&["check", "-", "--at", point], kinked.as_bytes());
    assert_eq!(check.code, Some(3), "{}", check.out);
    assert_eq!(object(&check.out)["agrees"], Value::Null);
    assert!(check.err.contains("P434"), "{}", check.err);
    assert!(check.err.contains("P430"), "{}", check.err);
    assert!(check.err.contains("P430 names"), "{}", check.err);
    let zero = cfgrev_with(
        &[
            "check",
            "-",
            "--at",
            r#"{"n": 2, "a": 1.3, "x": [0.7, 0.3]}"#,
            "--tolerance",
            "0",
        ],
        SUM.as_bytes(),
    );
    let gap = object(&zero.out)["dot_product"]["gap"] == 0.0;
    assert_eq!(zero.code, Some(i32::from(!gap)), "{}", zero.out);
}

#[test]
fn compressed_jacobians_say_what_they_took() {
    let point = "burgers.point.json";
    let all = |extra: &[&str]| {
        let mut arguments = vec!["jacobian", "burgers.json", "--at", point];
        arguments.extend(extra);
        let ran = cfgrev(&arguments);
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{}", ran.out);
        let value: Value = serde_json::from_str(&ran.out).expect("it is JSON");
        value
    };
    for mode in ["adjoint", "tangent"] {
        let full = all(&["--mode", mode]);
        let few = all(&["--mode", mode, "--compress"]);
        assert_eq!(few["value"], full["value"]);
        assert!(full.get("compression").is_none());
        let took = &few["compression"];
        assert_eq!(took["mode"], mode);
        let (sweeps, dense) = (took["sweeps"].as_u64(), took["uncompressed"].as_u64());
        assert!(sweeps.is_some() && sweeps <= dense, "{took}");
        assert!(took["probes"].as_u64() <= dense, "{took}");
    }
}

/// One verdict of three answers: a failure counts more than what could not be compared.
#[test]
fn a_check_agrees_fails_or_does_not_know() {
    // y = e(x(1)) + 1e12: differences drown; the adjoint or the tangent may be wrong.
    let program = |partial: &str, adjoint: &str| {
        let parameters = r#"{"name":"a","type":"real","intent":"in"}"#;
        let body = |text: &str| {
            format!(
                r#""vertices":[{{"id":1,"type":"ENTRY"}},{{"id":2,"type":"BASICBLOCK","statements":[{text}]}},
                {{"id":3,"type":"EXIT"}}],"edges":[{{"from":1,"to":2}},{{"from":2,"to":3}}]"#
            )
        };
        format!(
            r#"{{"format":"cfgrev/1","main":"f","routines":[
            {{"name":"f","parameters":[{{"name":"x","type":"real","intent":"in"}},
              {{"name":"big","type":"real","intent":"in"}},{{"name":"y","type":"real","intent":"out"}}],
              "independents":["x"],"dependents":["y"],{}}},
            {{"name":"e","parameters":[{parameters},{{"name":"r","type":"real","intent":"out"}}],
              "derivatives":{{"adjoint":"e_b"}},{}}},
            {{"name":"e_b","parameters":[{parameters},{{"name":"r","type":"real","intent":"in"}},
              {{"name":"ab","type":"real","intent":"inout"}},{{"name":"rb","type":"real","intent":"inout"}}],{}}}]}}"#,
            body(r#"["call","e",["x","y"]],["=","y",["+","y","big"]]"#),
            body(&format!(r#"["=","r",["*",{partial},["sin","a"]]]"#)),
            body(&format!(
                r#"["=","ab",["+","ab",["*",{adjoint},["cos","a"],"rb"]]],["=","rb",0.0]"#
            )),
        )
    };
    for (partial, adjoint, big, code, agrees) in [
        ("1.5", "1.5", "1", 0, Value::Bool(true)),
        ("1.5", "1.5", "1e12", 3, Value::Null),
        ("1.5", "1.6", "1", 1, Value::Bool(false)),
        ("1.5", "1.6", "1e12", 1, Value::Bool(false)),
    ] {
        let text = program(partial, adjoint);
        let at = format!(r#"{{"x": 0.5, "big": {big}}}"#);
        let ran = cfgrev_with(&["check", "-", "--at", &at], text.as_bytes());
        assert_eq!(ran.code, Some(code), "{} {}", ran.out, ran.err);
        let found = object(&ran.out);
        assert_eq!(found["agrees"], agrees, "{found}");
        assert_eq!(
            found["differences"]["agrees"].is_null(),
            big == "1e12",
            "{found}"
        );
    }
}

#[test]
fn an_output_array_is_given_its_extent() {
    let program = r#"{"format": "cfgrev/1", "routines": [{"name": "f",
        "parameters": [{"name": "x", "type": "real", "intent": "in"},
        {"name": "y", "type": "real", "shape": [null], "intent": "out"}], "independents": ["x"],
        "dependents": ["y"], "vertices": [{"id": 1, "type": "ENTRY"},
        {"id": 2, "type": "BASICBLOCK", "statements": [["=", "y", ["*", "x", "x"]]]},
        {"id": 7, "type": "EXIT"}], "edges": [{"from": 1, "to": 2}, {"from": 2, "to": 7}]}]}"#;
    let at = r#"{"x": 3, "y": {"size": 2}}"#;
    let run = |args: &[&str]| {
        let ran = cfgrev_with(
            &[&[args[0], "-", "--at"], &args[1..]].concat(),
            program.as_bytes(),
        );
        (
            ran.code,
            if ran.out.is_empty() {
                Value::Null
            } else {
                object(&ran.out)
            },
            ran.err,
        )
    };
    assert_eq!(run(&["run", at]).1["value"], json!({"y": [9.0, 9.0]}));
    let seeded = run(&["gradient", at, "--seed", r#"{"y": [1, 2]}"#]).1;
    assert_eq!(seeded["gradient"], json!({"x": 18.0}));
    let one = run(&["gradient", r#"{"x": 3, "y": {"size": 1}}"#]).1;
    assert_eq!(one["gradient"], json!({"x": 6.0}));
    let moved = run(&["tangent", at, "--direction", r#"{"x": 1}"#]).1;
    assert_eq!(moved["tangent"], json!({"y": [6.0, 6.0]}));
    for mode in ["adjoint", "tangent"] {
        let matrix = run(&["jacobian", at, "--mode", mode]).1;
        assert_eq!(matrix["jacobian"], json!({"y": {"x": [[6.0], [6.0]]}}));
    }
    let missing = run(&["run", r#"{"x": 3}"#]);
    assert!(
        missing.0 == Some(1) && missing.2.contains(r#""y": {"size": 5}"#),
        "{}",
        missing.2
    );
}

#[test]
fn limits_are_not_negative() {
    for limit in ["--fuel", "--max-tape", "--max-memory", "--max-depth"] {
        let ran = cfgrev_with(&["run", "-", "--at", "{}", limit, "-1"], SUM.as_bytes());
        assert_eq!(ran.code, Some(2), "{}", ran.err);
        assert!(ran.err.contains("invalid value '-1'"), "{}", ran.err);
    }
}

#[test]
fn results_without_a_value_have_a_place() {
    let program = r#"{"format": "cfgrev/1", "routines": [{"name": "f",
        "parameters": [{"name": "x", "type": "real", "intent": "in"},
        {"name": "y", "type": "real", "intent": "out"}], "locals": [{"name": "t", "type": "real"}],
        "independents": ["x"], "dependents": ["y"], "vertices": [{"id": 1, "type": "ENTRY"},
        {"id": 2, "type": "BASICBLOCK", "statements": [
          ["opaque", "read t", {"writes": ["t"]}], ["=", "y", ["*", "t", "x"]]]},
        {"id": 7, "type": "EXIT"}], "edges": [{"from": 1, "to": 2}, {"from": 2, "to": 7}]}]}"#;
    for command in ["run", "gradient"] {
        let ran = cfgrev_with(&[command, "-", "--at", r#"{"x": 1}"#], program.as_bytes());
        assert_eq!(ran.code, Some(1));
        assert!(
            ran.err.contains("X202") && ran.err.contains("routine f, vertex 7"),
            "{}",
            ran.err
        );
    }
}

/// The short spelling of a point gives what the JSON gives, and a file of that name comes first.
#[test]
fn values_in_short_form() {
    let run = |args: &[&str]| {
        let ran = cfgrev(args);
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{args:?}");
        ran.out
    };
    let file = "paper_example.json";
    let json = run(&[
        "gradient",
        file,
        "--at",
        r#"{"x": [1, 2]}"#,
        "--seed",
        r#"{"y": [0, 0, 1]}"#,
    ]);
    for (at, seed) in [
        ("x=[1,2]", "y=[0,0,1]"),
        (" x = [1., +2] ", "y=[0, .0, 1e0],"),
    ] {
        assert_eq!(run(&["gradient", file, "--at", at, "--seed", seed]), json);
    }
    let tangent = ["tangent", file, "--at", "x=[1,2]", "--direction", "x=[1,0]"];
    assert!(run(&tangent).contains("\"tangent\""));
    for (at, code, part) in [
        ("x=1,2", "P408", "x=[1,2]"),
        ("x=[1,2],z=3", "P412", "z"),
        ("x=[1,2],x=[1,2]", "J011", "twice"),
        ("x=one", "P408", "`one`"),
        ("x=[1,2", "J001", "add `]`"),
        ("x", "P401", "n=2,a=[2,9]"),
        ("{x: [1, 2]}", "J001", "write \"x\""),
        ("{'x': [1, 2]}", "J001", "write \"x\""),
    ] {
        let ran = cfgrev(&["run", file, "--at", at]);
        assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""), "{at}");
        assert!(
            ran.err.contains(code) && ran.err.contains(part),
            "{at}: {}",
            ran.err
        );
    }
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("x=[5,6]"), r#"{"x": [1, 2]}"#).expect("it can be written");
    let program = fixtures().join(file);
    let program = program.to_str().expect("a plain name");
    let ran = cfgrev_in(
        folder.path(),
        &[
            "gradient",
            program,
            "--at",
            "x=[5,6]",
            "--seed",
            "y=[0,0,1]",
        ],
        b"",
    );
    assert_eq!((ran.code, ran.out), (Some(0), json));
}

/// Text and JSON name the loop that does not end.
#[test]
fn a_loop_that_does_not_end_is_named() {
    let program = r#"{"format": "cfgrev/1", "routines": [{"name": "f",
      "parameters": [{"name": "x", "type": "real", "intent": "in"}, {"name": "y", "type": "real", "intent": "out"}],
      "independents": ["x"], "dependents": ["y"],
      "vertices": [{"id": 1, "type": "ENTRY"},
        {"id": 2, "type": "BASICBLOCK", "statements": [["=", "y", "x"]]},
        {"id": 30, "type": "LOOP", "test": "pre", "condition": ["<", "y", 1.0]},
        {"id": 4, "type": "BASICBLOCK", "statements": [["=", "y", ["*", "y", 0.5]]]},
        {"id": 5, "type": "ENDLOOP"}, {"id": 6, "type": "EXIT"}],
      "edges": [{"from": 1, "to": 2}, {"from": 2, "to": 30}, {"from": 30, "to": 4, "label": 1},
        {"from": 4, "to": 5}, {"from": 5, "to": 30}, {"from": 30, "to": 6}]}]}"#;
    for (command, routine) in [("run", "f"), ("gradient", "f_fwd")] {
        let args = [command, "-", "--at", "x=0.5", "--fuel", "1000"];
        let text = cfgrev_with(&args, program.as_bytes());
        assert_eq!(text.code, Some(1), "{}", text.err);
        let said = format!("stopped after 1000 steps, in LOOP 30 of routine {routine} after ");
        assert!(text.err.contains(&said), "{}", text.err);
        let json = cfgrev_with(
            &[&args[..], &["--diagnostics", "json"]].concat(),
            program.as_bytes(),
        );
        let line = json.err.lines().next().unwrap_or_default();
        let found = object(line);
        assert_eq!(found["code"], "X208", "{line}");
        let message = found["message"].as_str().unwrap_or_default();
        assert!(
            message.contains(&said) && message.ends_with(" passes"),
            "{line}"
        );
    }
}

/// Of many dependents a message names the first ones.
#[test]
fn of_many_dependents_a_few_are_named() {
    let parameters: Vec<String> = (0..30).map(|k| format!("out real y{k}")).collect();
    let assigned: Vec<String> = (0..30).map(|k| format!("  y{k} := {k}*x\n")).collect();
    let text = format!(
        "subroutine f(in real x, {})\n  independent x\n  dependent {}\n{}end\n",
        parameters.join(", "),
        parameters.join(", ").replace("out real ", ""),
        assigned.concat()
    );
    let ran = cfgrev_with(
        &["gradient", "-", "--lang", "text", "--at", "{\"x\": 2}"],
        text.as_bytes(),
    );
    let named = "the dependents y0, y1, y2, y3, y4 and 25 more are not a single scalar";
    assert!(ran.err.contains(named), "{}", ran.err);
}

/// A derivative that a user has declared 0 and that is not is found where the terms of the derivative cancel, so that
/// the sum of their absolute values says nothing.
#[test]
fn wrong_derivatives_are_found_where_terms_cancel() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "#include <math.h>
double f(int n, double x, double g)
{
    double y = 0.0;
    for (int i = 0; i < n; i++) {
        double k = g * g;
        y += k * (x * sin(0.9 * i) - y);
    }
    return y;
}
";
    std::fs::write(folder.path().join("f.c"), text).expect("it can be written");
    for n in [10, 44, 50, 58, 66] {
        let point = json!({"n": n, "x": 2, "g": 0.5}).to_string();
        let check = |more: &[&str]| {
            let args = ["check", "f.c", "--at", &point, "--against", "none"];
            let ran = cfgrev_in(folder.path(), &[&args[..], more].concat(), b"");
            object(&ran.out)["differences"]["agrees"].clone()
        };
        assert_eq!(check(&["--no-diff", "k"]), json!(false), "{n}");
        assert_ne!(check(&[]), json!(false), "{n}");
    }
}

/// A pointer to a structure takes one object without brackets, and a logical takes 1 and 0, as C writes it.
#[test]
fn points_are_written_as_in_c() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "#include <stdbool.h>
struct s { int n; double a[2]; bool on; };
double f(const struct s *p, bool twice, int k) { return p && p[k].on ? p[k].a[1] * p[k].n * (twice ? 2 : 1) : 0; }
";
    std::fs::write(folder.path().join("f.c"), text).expect("it can be written");
    let one = r#"{"n": 3, "a": [1, 2], "on": 1}"#;
    for p in [one, &format!("[{one}]")] {
        let point = format!(r#"{{"p": {p}, "twice": 1, "k": 0}}"#);
        let ran = cfgrev_in(folder.path(), &["gradient", "f.c", "--at", &point], b"");
        let found = object(&ran.out);
        assert_eq!(found["value"]["return"], json!(12.0), "{}", ran.err);
        assert_eq!(found["gradient"]["p"], json!([{"a": [0.0, 6.0]}]));
    }
    let point = format!(r#"{{"p": {one}, "twice": 2, "k": 0}}"#);
    let ran = cfgrev_in(folder.path(), &["gradient", "f.c", "--at", &point], b"");
    assert!(ran.err.contains("P415"), "{}", ran.err);
}

/// POINT gives a global structure of which the address is taken; a global to which pointers that are values lead it
/// cannot give.
#[test]
fn globals_have_the_values_of_the_point_or_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "struct st { double gain; int n; double w[2]; };
struct st S = { 1, 2, { 3, 4 } };
double a = 5, b, t[2] = { 1, 2 };
static double use(const struct st *c, double x) { return c->gain * x + c->w[1]; }
double m(double x) { return use(&S, x); }
double f(double x)
{
    double *p[3] = { &a, &b, t }, **q = p, s = 0;
    for (int i = 0; i < 3; i++)
        s += *q[i] * x;
    return s;
}
";
    std::fs::write(folder.path().join("f.c"), text).expect("it can be written");
    let run = |args: &[&str], point: &str| {
        let all = [&["gradient", "f.c", "--at", point, "--routine"], args].concat();
        cfgrev_in(folder.path(), &all, b"")
    };
    let point = r#"{"x": 2, "S": {"gain": 10, "n": 1, "w": [1, 1]}}"#;
    let found = object(&run(&["m"], point).out);
    assert_eq!(found["value"]["return"], json!(21.0));
    assert_eq!(found["gradient"], json!({"x": 10.0}));
    let found = object(&run(&["m", "--independent", "S,x"], point).out);
    assert_eq!(
        found["gradient"],
        json!({"x": 10.0, "S": [{"gain": 2.0, "w": [0.0, 1.0]}]})
    );
    let found = object(&run(&["f"], "x=2").out);
    assert_eq!(found["value"]["return"], json!(12.0));
    for (args, point) in [
        (&["f"][..], r#"{"x": 2, "a": 1, "t": [7, 8]}"#),
        (&["f", "--independent", "a"], "x=2"),
    ] {
        let ran = run(args, point);
        assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""), "{}", ran.err);
    }
    let err = run(&["f"], r#"{"x": 2, "a": 1, "t": [7, 8]}"#).err;
    assert!(
        err.contains("P412") && err.contains("a has its initial value"),
        "{err}"
    );
    assert!(err.contains("t has its initial value"), "{err}");
}

/// A limit of the tape's memory changes neither values nor gradients: steps run again, as many as are told.
#[test]
fn steps_run_again_under_a_limit_of_memory() {
    let source = b"
subroutine f(in integer n, in real p, inout real x[4])
  local integer i, j
  independent p
  dependent x
  for i = 1, n
    for j = 1, 4
      x[j] := x[j] + 0.01*sin(x[j]*p)
    end
  end
end
";
    let gradient = |limit: &[&str]| {
        let point = r#"{"n": 1000, "p": 0.5, "x": [1, 2, 3, 4]}"#;
        let seed = r#"{"x": [1, 0, 0, 0]}"#;
        let words = [
            "gradient", "-", "--lang", "text", "--at", point, "--seed", seed,
        ];
        let ran = cfgrev_with(&[&words, limit].concat(), source);
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{limit:?}");
        object(&ran.out)
    };
    let recorded = gradient(&[]);
    assert_eq!(recorded["tape"].get("steps_again"), None, "{recorded}");
    // 32 bytes of the limit are the record of a step, and a state has 40: 50 states are kept.
    let limited = gradient(&["--tape-memory", "2032"]);
    for part in ["value", "gradient"] {
        assert_eq!(limited[part], recorded[part]);
    }
    assert_eq!(limited["tape"]["steps_again"], 1948, "{limited}");
    assert_eq!(limited["tape"]["snapshots"], 50, "{limited}");
}

/// Errors of parts with checkpoints, of nested ones, of callees, and behind them name the lines of errors without them.
#[test]
fn errors_of_parts_with_checkpoints_have_their_lines() {
    let text = "
main subroutine f(in integer n, in integer a[4], in real p, inout real x[4])
  local integer i, j
  independent p
  dependent x
  for i = 1, n {checkpoint 3}
    x[1] := x[1]*p
    for j = 1, 4 {checkpoint 2}
      x[j] := x[j] + 0.01*sin(x[j + a[1]])
    end
    call g(x, 1 + a[2])
  end
  {checkpoint}
  x[2] := x[1 + a[3]]*p
  @99
  x[3] := x[1 + a[4]]*p
end

subroutine g(inout real x[4], in integer k)
  x[1] := x[1]*x[k]
end
";
    let marks = ["{checkpoint 3}", "{checkpoint 2}", "  {checkpoint}\n"];
    let mut lines = Vec::new();
    for k in 0..4 {
        let mut beyond = [0; 4];
        beyond[k] = 7;
        // Without marks, with all, with one, under a limit.
        let variants =
            [(7, ""), (0, ""), (1, ""), (2, ""), (7, "100000")].map(|(left_out, limit)| {
                let mut source = text.to_owned();
                for (bit, mark) in marks.iter().enumerate() {
                    if (left_out >> bit) & 1 == 1 {
                        let blank = if mark.ends_with('\n') { "\n" } else { "" };
                        source = source.replace(mark, blank);
                    }
                }
                let point = format!(r#"{{"n": 3, "a": {beyond:?}, "p": 0.5, "x": [1, 2, 3, 4]}}"#);
                let seed = r#"{"x": [1, 0, 0, 0]}"#;
                let mut words = vec![
                    "gradient", "-", "--lang", "text", "--at", &point, "--seed", seed,
                ];
                if !limit.is_empty() {
                    words.extend(["--tape-memory", limit]);
                }
                let ran = cfgrev_with(&words, source.as_bytes());
                let line = ran
                    .err
                    .lines()
                    .find_map(|line| line.trim().strip_prefix("--> "));
                line.map(str::to_owned)
            });
        assert!(
            variants.iter().all(|line| *line == variants[0]),
            "{k}: {variants:?}"
        );
        lines.extend(variants[0].clone());
    }
    lines.dedup();
    assert_eq!(lines.len(), 4, "{lines:?}");
}
