//! Pointers in both forms: written programs read back and keep the schema, and wrong ones are reported.

use cfg_core::{ir::Program, validate::validate};
use cfg_format::{json, text};

/// Pointers in all places.
const ALL: &str = include_str!("../../../cfg-testkit/tests/it/pointers.txt");

fn read(source: &str) -> Program {
    let parsed = text::parse(source);
    assert!(parsed.problems.is_empty(), "{}\n{source}", parsed.problems);
    parsed.program.unwrap()
}

#[test]
fn both_forms_survive() {
    let program = read(ALL);
    let mut written = Vec::new();
    json::write(&program, &mut written).unwrap();
    let again = json::read(&written).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(again, program);
    let printed = program.to_string();
    assert_eq!(read(&printed), program, "{printed}");
    validate(program).unwrap_or_else(|problems| panic!("{problems}"));
    let schema = jsonschema::draft202012::new(&json::schema()).unwrap();
    let value = serde_json::from_slice(&written).unwrap();
    let errors: Vec<String> = schema.iter_errors(&value).map(|e| e.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}");
}

/// An extent behind a pointer may have a first index behind it.
#[test]
fn extents_through_pointers_have_first_indices() {
    let source = "subroutine f(in ^integer n, inout real y)\n  local real a[n^ from 0]\n  local real b[2 from n^]\n  a := y\n  b := y\n  y := a[0] + b[n^]\nend\n";
    let program = read(source);
    assert_eq!(program.to_string(), source);
}

/// Names that begin statements and expressions about pointers are names as they were.
#[test]
fn variables_may_be_called_like_the_words() {
    let words = [
        "free", "allocate", "resize", "zeroed", "null", "addr", "shift", "distance", "deref",
    ];
    for word in words {
        let source = format!(
            "subroutine f(inout real {word}, inout real \"{word} a\"[2])\n  {word} := {word} + 1.0\n  if {word} > 1.0\n    {word} := 2.0\n  end\nend\n"
        );
        let program = read(&source);
        assert!(!program.has_pointers());
        let printed = program.to_string();
        assert_eq!(read(&printed), program, "{printed}");
    }
}

#[test]
fn what_is_wrong_in_json_is_told_where_it_stands() {
    for (ty, statement, code, message) in [
        (
            r#"{"pointer": "tape"}"#,
            r#"["=", "y", 1.0]"#,
            "J013",
            "a pointer points to a tape",
        ),
        (
            r#"{"pointer": {"record": "None"}}"#,
            r#"["=", "y", 1.0]"#,
            "",
            "unknown record \"None\"",
        ),
        (
            r#"{"pointer": "real", "record": "P"}"#,
            r#"["=", "y", 1.0]"#,
            "",
            "a type is a record and a pointer",
        ),
        ("{}", r#"["=", "y", 1.0]"#, "", "record"),
        (
            r#""real""#,
            r#"["=", "y", ["deref"]]"#,
            "",
            "`deref` takes a place and at most one number of elements, found 0",
        ),
        (
            r#""real""#,
            r#"["=", "y", ["deref", "p", 1, 2]]"#,
            "",
            "`deref` takes a place and at most one number of elements, found 3",
        ),
        (
            r#""real""#,
            r#"["=", "y", ["[]", ["deref", "p"], 1]]"#,
            "",
            "subscripts are applied to what a pointer points to",
        ),
        (
            r#""real""#,
            r#"["=", "y", ["addr"]]"#,
            "",
            "`addr` takes 1 place, found 0",
        ),
        (
            r#""real""#,
            r#"["=", "y", ["addr", 1.0]]"#,
            "",
            "cannot be assigned",
        ),
        (
            r#""real""#,
            r#"["=", "y", ["null"]]"#,
            "",
            "`null` takes the type of what the pointer points to, found 0",
        ),
        (
            r#""real""#,
            r#"["=", "y", ["null", {"record": "None"}]]"#,
            "",
            "unknown record \"None\"",
        ),
        (
            r#""real""#,
            r#"["allocate", "p"]"#,
            "",
            "the number of elements of `allocate` is missing",
        ),
        (
            r#""real""#,
            r#"["allocate", "p", 1, {"zero": true}]"#,
            "",
            "zero",
        ),
        (
            r#""real""#,
            r#"["free"]"#,
            "",
            "the pointer of `free` is missing",
        ),
        (
            r#""real""#,
            r#"["free", "q"]"#,
            "",
            "unknown variable \"q\"",
        ),
        (
            r#""real""#,
            r#"["resize", "p", 1, 2]"#,
            "",
            "`resize` has 1 element(s) too many",
        ),
    ] {
        let source = format!(
            r#"{{"format": "cfgrev/1", "routines": [{{"name": "f",
                "parameters": [{{"name": "y", "type": "real", "intent": "out"}}],
                "locals": [{{"name": "p", "type": {ty}}}],
                "vertices": [{{"id": 1, "type": "ENTRY"}}, {{"id": 2, "type": "BASICBLOCK", "statements": [{statement}]}}, {{"id": 3, "type": "EXIT"}}],
                "edges": [{{"from": 1, "to": 2}}, {{"from": 2, "to": 3}}]}}]}}"#
        );
        let problems = json::read(source.as_bytes()).unwrap_err().to_string();
        assert!(
            problems.contains(message) && problems.contains(code),
            "{message}\n{problems}"
        );
        let pointer = if ty == r#""real""# {
            "/statements/0"
        } else {
            "/locals/0/type"
        };
        assert!(problems.contains(pointer), "{problems}");
    }
}

#[test]
fn what_is_wrong_in_text_is_told() {
    for (body, message) in [
        ("  y := x^2\n", "powers are written `x**2`"),
        ("  y := x^x\n", "powers are written `x**2`"),
        ("  y := x^-1\n", "powers are written `x**2`"),
        ("  local ^tape t\n", "a pointer to a tape"),
        (
            "  local ^^^^^^^^^^^^^^^^^real t\n",
            "more than 16 pointers in a row",
        ),
        ("  local ^ponter t\n", "a type"),
        ("  y := null(x)\n", "a type"),
        ("  y := addr(1.0)\n", "the name of a variable"),
        ("  y := addr(x, x)\n", "`addr` has one place"),
        ("  allocate x\n", "write the number of elements"),
        ("  free 1\n", "a statement"),
    ] {
        let source = format!("subroutine f(in real x, out real y)\n{body}end\n");
        let problems = text::parse(&source).problems.to_string();
        assert!(problems.contains(message), "{body}{problems}");
    }
}
