//! Mistakes of people who write their first program: each gets one message, and following its help makes the program
//! valid.

use cfg_core::diagnostic::Diagnostics;
use cfg_format::json;
use cfg_testkit::golden::golden;
use std::fmt::Write as _;

/// The sum of the positive elements of an array.
const PROGRAM: &str = r#"{"format": "cfgrev/1", "routines": [
  {"name": "f",
   "parameters": [
    {"name": "n", "type": "integer", "intent": "in"},
    {"name": "p", "type": "logical", "intent": "in"},
    {"name": "a", "type": "real", "shape": ["n"], "intent": "in"},
    {"name": "s", "type": "real", "intent": "out"}],
   "locals": [{"name": "i", "type": "integer"}, {"name": "x", "type": "real"}, {"name": "y", "type": "real"}],
   "independents": ["a"], "dependents": ["s"],
   "vertices": [
    {"id": 1, "type": "ENTRY"},
    {"id": 2, "type": "BASICBLOCK", "statements": [["=", "s", 0.0]]},
    {"id": 3, "type": "LOOP", "test": "counted", "index": "i", "first": 1, "last": "n"},
    {"id": 4, "type": "BASICBLOCK", "statements": [["=", "x", ["[]", "a", "i"]], ["call", "g", ["x", "y"]]]},
    {"id": 5, "type": "BRANCH", "condition": [">", "x", 0.0]},
    {"id": 6, "type": "BASICBLOCK", "statements": [["=", "s", ["+", "s", "x"]]]},
    {"id": 7, "type": "ENDBRANCH"},
    {"id": 8, "type": "ENDLOOP"},
    {"id": 9, "type": "EXIT"}],
   "edges": [
    {"from": 1, "to": 2}, {"from": 2, "to": 3},
    {"from": 3, "to": 4, "label": 1}, {"from": 3, "to": 9},
    {"from": 4, "to": 5}, {"from": 5, "to": 6, "label": 1}, {"from": 5, "to": 7, "label": 0},
    {"from": 6, "to": 7}, {"from": 7, "to": 8}, {"from": 8, "to": 3}]},
  {"name": "g",
   "parameters": [
    {"name": "x", "type": "real", "intent": "in"},
    {"name": "y", "type": "real", "intent": "out"}],
   "vertices": [{"id": 1, "type": "ENTRY"}, {"id": 2, "type": "BASICBLOCK", "statements": [["=", "y", "x"]]},
    {"id": 3, "type": "EXIT"}],
   "edges": [{"from": 1, "to": 2}, {"from": 2, "to": 3}]}]}
"#;

const SUM: &str = r#"["=", "s", ["+", "s", "x"]]"#;
const ELEMENT: &str = r#"["=", "x", ["[]", "a", "i"]]"#;
const LAST: &str = r#""last": "n""#;
const TEST: &str = r#"[">", "x", 0.0]"#;
const CALL: &str = r#"["call", "g", ["x", "y"]]"#;

/// The text of the program, the wrong text in its place, and the text that the help proposes.
const SPELLING: &[(&str, &str, &str)] = &[
    // Expressions as text.
    (r#"["[]", "a", "i"]"#, r#""a(i)""#, r#"["[]", "a", "i"]"#),
    (r#"["[]", "a", "i"]"#, r#""a[i]""#, r#"["[]", "a", "i"]"#),
    (
        r#"["[]", "a", "i"]"#,
        r#""a(n - i + 1)""#,
        r#"["[]", "a", ["+", ["-", "n", "i"], 1]]"#,
    ),
    (r#"["+", "s", "x"]"#, r#""s + x""#, r#"["+", "s", "x"]"#),
    (
        r#"["+", "s", "x"]"#,
        r#""s+2*a(i)**2""#,
        r#"["+", "s", ["*", 2, ["**", ["[]", "a", "i"], 2]]]"#,
    ),
    (r#"["+", "s", "x"]"#, r#""sin(x)""#, r#"["sin", "x"]"#),
    (r#"["+", "s", "x"]"#, r#"["+", "s", "-x"]"#, r#"["-", "x"]"#),
    (r#"["+", "s", "x"]"#, r#"["+", "s", "1.5"]"#, "1.5"),
    (LAST, r#""last": "n-1""#, r#"["-", "n", 1]"#),
    (LAST, r#""last": "-n""#, r#"["-", "n"]"#),
    (
        r#""shape": ["n"]"#,
        r#""shape": ["n+1"]"#,
        r#"["+", "n", 1]"#,
    ),
    (TEST, r#""x > 0.0""#, TEST),
    (
        TEST,
        r#""x > 0.0 && !p""#,
        r#"["and", [">", "x", 0.0], ["not", "p"]]"#,
    ),
    (TEST, r#""p == true""#, r#"["==", "p", true]"#),
    // Arrays that are no expressions.
    (
        r#"["[]", "a", "i"]"#,
        r#"["a", "i"]"#,
        r#"["[]", "a", "i"]"#,
    ),
    (
        r#"["+", "s", "x"]"#,
        r#"["s", "+", "x"]"#,
        r#"["+", "s", "x"]"#,
    ),
    (
        r#"["+", "s", "x"]"#,
        r#"["s", "+", "x", "*", 2.0]"#,
        r#"["+", "s", ["*", "x", 2.0]]"#,
    ),
    (
        r#"["+", "s", "x"]"#,
        r#"["^", "x", 2]"#,
        r#"["**", "x", 2]"#,
    ),
    (TEST, r#"["x", ">", 0.0]"#, TEST),
    // Statements.
    (SUM, r#""s = s + x""#, SUM),
    (SUM, r#""s += x""#, SUM),
    (SUM, r#"["s = s + x"]"#, SUM),
    (SUM, r#"["s", "=", "s", "+", "x"]"#, SUM),
    (SUM, r#"["s", "=", ["+", "s", "x"]]"#, SUM),
    (SUM, r#"["s", ["+", "s", "x"]]"#, SUM),
    (SUM, r#"["=", "s", "s", "+", "x"]"#, SUM),
    (SUM, r#"["=", "s", "+", "s", "x"]"#, SUM),
    (SUM, r#"[":=", "s", ["+", "s", "x"]]"#, SUM),
    (SUM, r#"["+=", "s", "x"]"#, SUM),
    (ELEMENT, r#"["=", "x", "a", "i"]"#, "= has"),
    (CALL, r#"["call", "g", "x", "y"]"#, CALL),
    (CALL, r#"["call", "g(x, y)"]"#, "call"),
    (CALL, r#"["g", "x", "y"]"#, CALL),
    (CALL, r#""call g(x, y)""#, CALL),
    (CALL, r#""g(x, y)""#, CALL),
    (
        r#"[["=", "s", 0.0]]"#,
        r#"["=", "s", 0.0]"#,
        r#"[["=", "s", 0.0]]"#,
    ),
    (
        r#"[["=", "s", 0.0]]"#,
        r#""s = 0.0""#,
        r#"[["=", "s", 0.0]]"#,
    ),
    (SUM, r#"["=", ["s", 1.5]]"#, r#"["=", "s", 1.5]"#),
    (SUM, r#"["s", "=", "1.5"]"#, r#"["=", "s", 1.5]"#),
    (
        r#"["+", "s", "x"]"#,
        r#"["add", "s", "x"]"#,
        r#"["+", "s", "x"]"#,
    ),
    // Lists, numbers, words.
    (r#""parameters": ["#, r#""params": ["#, "parameters"),
    (
        r#"{"name": "x", "type": "real"}, {"#,
        r#""x", {"#,
        "a local",
    ),
    (
        r#""id": 4, "type": "B"#,
        r#""id": "four", "type": "B"#,
        "write an integer",
    ),
    (
        r#"{"from": 6, "to": 7}"#,
        r#""6 -> 7""#,
        r#"write {"from": 1, "to": 2}"#,
    ),
    (r#"["n"]"#, r#""n""#, r#"["n"]"#),
    (r#""dependents": ["s"]"#, r#""dependents": "s""#, r#"["s"]"#),
    (
        r#""id": 2, "type": "BASICBLOCK", "statements": [["=", "s""#,
        r#""id": "2", "type": "BASICBLOCK", "statements": [["=", "s""#,
        "2 without quotes",
    ),
    (
        r#"{"from": 6, "to": 7}"#,
        r#"{"from": "6", "to": 7}"#,
        "6 without quotes",
    ),
    (
        r#"{"from": 6, "to": 7}"#,
        "[6, 7]",
        r#"{"from": 6, "to": 7}"#,
    ),
    (r#""label": 0"#, r#""label": false"#, "write 0"),
    (
        r#""to": 4, "label": 1"#,
        r#""to": 4, "label": true"#,
        "write 1",
    ),
    (
        r#""to": 4, "label": 1"#,
        r#""to": 4, "label": "body""#,
        "write an integer",
    ),
    (
        r#""name": "n", "type": "integer""#,
        r#""name": "n", "type": "int""#,
        "integer",
    ),
    (
        r#""name": "x", "type": "real"}, {"#,
        r#""name": "x", "type": "double"}, {"#,
        "real",
    ),
    (r#""type": "BRANCH""#, r#""type": "IF""#, "BRANCH"),
    (r#""type": "LOOP""#, r#""type": "FOR""#, "LOOP"),
    (r#""type": "LOOP""#, r#""type": "WHILE""#, "LOOP"),
    (r#""type": "LOOP""#, r#""type": "loop""#, "LOOP"),
    (r#""type": "ENDBRANCH""#, r#""type": "ENDIF""#, "ENDBRANCH"),
    (r#""test": "counted""#, r#""test": "for""#, "counted"),
    (r#""intent": "out"}],"#, r#""intent": "output"}],"#, "out"),
    (r#""condition": ["#, r#""conditon": ["#, "condition"),
    (r#""condition": ["#, r#""cond": ["#, "condition"),
    (
        r#""vertices": [
    {"id": 1"#,
        r#""nodes": [
    {"id": 1"#,
        "vertices",
    ),
    (
        r#", "intent": "out"}],"#,
        r#"}],"#,
        r#""intent": "in", or "out""#,
    ),
];

fn problems(text: &str) -> Diagnostics {
    match json::read_valid(text.as_bytes()) {
        Ok(_) => Diagnostics::default(),
        Err(problems) => problems,
    }
}

#[test]
fn spelling() {
    let mut shown = String::new();
    assert_eq!(problems(PROGRAM), Diagnostics::default());
    for (right, wrong, cure) in SPELLING {
        assert!(PROGRAM.contains(right), "{right}");
        let found = problems(&PROGRAM.replacen(right, wrong, 1));
        let _ = writeln!(shown, "## {wrong}\n\n{found}\n");
        let [problem] = &found.0[..] else {
            panic!("{wrong}: not one problem\n{found}");
        };
        let said = format!("{} {}", problem.message, problem.help).replace('`', "");
        assert!(said.contains(cure), "{wrong}: {problem}");
        // If the help proposes a value, the value is replaced.
        let value = wrong.rsplit_once("\": ").map_or(*wrong, |w| w.1);
        if cure.starts_with(['[', '{']) && right.starts_with(['[', '{']) && value == *wrong {
            let inner = match &problem.at.pointer {
                Some(pointer) if pointer.ends_with("/2/2") => wrong.replace("\"-x\"", cure),
                _ => (*cure).to_owned(),
            };
            let mended = PROGRAM.replacen(right, &inner, 1);
            assert_eq!(problems(&mended), Diagnostics::default(), "{mended}");
        }
    }
    golden(
        concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/spelling.txt"),
        &shown,
    );
}

/// Texts that people take for JSON, and the cure.
const NOT_JSON: &[(&str, &str, &str)] = &[
    (
        r#"{"id": 5,"#,
        "// the test\n{\"id\": 5,",
        "remove `// the test`",
    ),
    (
        r#"{"id": 5,"#,
        "/* the test */ {\"id\": 5,",
        "remove `/* the test */`",
    ),
    (
        r#"{"id": 5,"#,
        "# the test\n{\"id\": 5,",
        "remove `# the test`",
    ),
    (r#""id": 5,"#, "'id': 5,", r#"write "id" in double quotes"#),
    (r#""id": 5,"#, "id: 5,", r#"write "id""#),
    (r#""id": 5,"#, r#""id" = 5,"#, "`:` in place of `=`"),
    (r#""id": 5,"#, r#""id": 5;"#, "`,` in place of `;`"),
    (
        r#""id": 5, "#,
        r#""id": 5 "#,
        r#"write `,` before `"type"`"#,
    ),
    (
        r#"{"id": 9, "type": "EXIT"}],"#,
        r#"{"id": 9, "type": "EXIT"},],"#,
        "remove this comma",
    ),
    (
        r#"{"id": 9, "type": "EXIT"}],"#,
        r#"{"id": 9, "type": "EXIT"}],,"#,
        "remove this comma",
    ),
    (
        r#"{"id": 8, "type": "ENDLOOP"}"#,
        r#"{"id": 8, "type": "ENDLOOP""#,
        "add `}`",
    ),
    (r#"["=", "s", 0.0]"#, r#"["=", "s", 0.0}"#, "add `]`"),
    (r#"["=", "s", 0.0]"#, r#"["=", "s", 0.]"#, "write 0.0"),
    (r#"["=", "s", 0.0]"#, r#"["=", "s", .5]"#, "write 0.5"),
    (r#"["=", "s", 0.0]"#, r#"["=", s, 0.0]"#, r#"write "s""#),
    (
        r#"["=", "s", 0.0]"#,
        r#"("=", "s", 0.0)"#,
        "square brackets",
    ),
    (r#"["=", "s", 0.0]"#, r#"["=", "s, 0.0]"#, "close the quote"),
    (r#"[">", "x", 0.0]"#, "True", "write true"),
];

#[test]
fn texts_that_are_not_json() {
    let mut shown = String::new();
    for (right, wrong, cure) in NOT_JSON {
        assert!(PROGRAM.contains(right), "{right}");
        let found = problems(&PROGRAM.replacen(right, wrong, 1));
        let _ = writeln!(shown, "## {wrong}\n\n{found}\n");
        let [problem] = &found.0[..] else {
            panic!("{wrong}: not one problem\n{found}");
        };
        assert!(problem.help.contains(cure), "{wrong}: {problem}");
    }
    golden(
        concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/not_json.txt"),
        &shown,
    );
}

/// A vertex or edge that is missing or superfluous; the code and the help; and the changes that the help asks for.
type Drawing<'a> = (
    &'a str,
    &'a [(&'a str, &'a str)],
    &'a str,
    &'a str,
    &'a [(&'a str, &'a str)],
);

const GENERAL: (&str, &str) = (r#"{"name": "f","#, r#"{"name": "f", "control": "general","#);

const DRAWINGS: &[Drawing<'_>] = &[
    (
        "no ENDBRANCH",
        &[
            (r#"    {"id": 7, "type": "ENDBRANCH"},"#, ""),
            (
                r#"{"from": 6, "to": 7}, {"from": 7, "to": 8}"#,
                r#"{"from": 6, "to": 8}"#,
            ),
            (r#"{"from": 5, "to": 7, "#, r#"{"from": 5, "to": 8, "#),
        ],
        "V103",
        r#"{"id": 10, "type": "ENDBRANCH"}"#,
        &[
            (
                r#"    {"id": 9, "type": "EXIT"}]"#,
                r#"{"id": 10, "type": "ENDBRANCH"}, {"id": 9, "type": "EXIT"}]"#,
            ),
            (
                r#"{"from": 6, "to": 8}"#,
                r#"{"from": 6, "to": 10}, {"from": 10, "to": 8}"#,
            ),
            (r#"{"from": 5, "to": 8, "#, r#"{"from": 5, "to": 10, "#),
        ],
    ),
    (
        "no ENDLOOP",
        &[
            (r#"    {"id": 8, "type": "ENDLOOP"},"#, ""),
            (
                r#"{"from": 7, "to": 8}, {"from": 8, "to": 3}"#,
                r#"{"from": 7, "to": 3}"#,
            ),
        ],
        "V115",
        r#"in place of the edge 7 -> 3 write {"from": 7, "to": 10} and {"from": 10, "to": 3}"#,
        &[
            (
                r#"    {"id": 9, "type": "EXIT"}]"#,
                r#"{"id": 10, "type": "ENDLOOP"}, {"id": 9, "type": "EXIT"}]"#,
            ),
            (
                r#"{"from": 7, "to": 3}"#,
                r#"{"from": 7, "to": 10}, {"from": 10, "to": 3}"#,
            ),
        ],
    ),
    (
        "break",
        &[(r#"{"from": 6, "to": 7}"#, r#"{"from": 6, "to": 9}"#)],
        "V103",
        r#"the edge 5 -> 6 leaves the loop of LOOP 3 elsewhere than at its test; for jumps (break, continue, return, goto) add "control": "general" to the routine"#,
        &[GENERAL],
    ),
    (
        "continue",
        &[(r#"{"from": 6, "to": 7}"#, r#"{"from": 6, "to": 8}"#)],
        "V103",
        r#"one of the edges 6 -> 8 and 7 -> 8 is a jump (continue, return, goto): add "control": "general" to the routine"#,
        &[GENERAL],
    ),
    (
        "early return",
        &[
            (
                r#"{"from": 1, "to": 2}"#,
                r#"{"from": 1, "to": 10}, {"from": 10, "to": 2, "label": 1}, {"from": 10, "to": 9, "label": 0}"#,
            ),
            (
                r#"    {"id": 9, "type": "EXIT"}]"#,
                r#"{"id": 10, "type": "BRANCH", "condition": "p"}, {"id": 9, "type": "EXIT"}]"#,
            ),
            (
                r#""name": "s", "type": "real", "intent": "out""#,
                r#""name": "s", "type": "real", "intent": "inout""#,
            ),
        ],
        "V103",
        r#"add "control": "general" to the routine"#,
        &[GENERAL],
    ),
    (
        "an edge that is missing",
        &[(r#", {"from": 8, "to": 3}"#, "")],
        "V103",
        r#"add the edge back to it, {"from": 8, "to": 3}"#,
        &[(
            r#"{"from": 7, "to": 8}"#,
            r#"{"from": 7, "to": 8}, {"from": 8, "to": 3}"#,
        )],
    ),
    (
        "a branch with one edge",
        &[(r#", {"from": 5, "to": 7, "label": 0}"#, "")],
        "V103",
        r#"{"from": 5, "to": ..., "label": 0}"#,
        &[(
            r#"{"from": 6, "to": 7}"#,
            r#"{"from": 5, "to": 7, "label": 0}, {"from": 6, "to": 7}"#,
        )],
    ),
    (
        "a block that decides",
        &[(
            r#"{"id": 5, "type": "BRANCH", "condition": [">", "x", 0.0]}"#,
            r#"{"id": 5, "type": "BASICBLOCK"}"#,
        )],
        "V103",
        r#"{"type": "BRANCH", "condition": ...}"#,
        &[(
            r#"{"id": 5, "type": "BASICBLOCK"}"#,
            r#"{"id": 5, "type": "BRANCH", "condition": [">", "x", 0.0]}"#,
        )],
    ),
    (
        "a vertex without edges",
        &[(
            r#"    {"id": 9, "type": "EXIT"}]"#,
            r#"{"id": 10, "type": "BASICBLOCK"}, {"id": 9, "type": "EXIT"}]"#,
        )],
        "V104",
        r#"{"from": ..., "to": 10}, or delete what is never executed"#,
        &[(r#"{"id": 10, "type": "BASICBLOCK"}, "#, "")],
    ),
    (
        "no label into the body",
        &[(
            r#"{"from": 3, "to": 4, "label": 1}"#,
            r#"{"from": 3, "to": 4}"#,
        )],
        "V106",
        r#"{"from": 3, "to": 4, "label": 1}"#,
        &[(
            r#"{"from": 3, "to": 4}"#,
            r#"{"from": 3, "to": 4, "label": 1}"#,
        )],
    ),
    (
        "branches that share their ENDBRANCH",
        &[
            (
                r#"{"from": 5, "to": 7, "label": 0}"#,
                r#"{"from": 5, "to": 10, "label": 0}, {"from": 10, "to": 7, "label": 0}, {"from": 10, "to": 11, "label": 1}, {"from": 11, "to": 7}"#,
            ),
            (
                r#"    {"id": 9, "type": "EXIT"}]"#,
                r#"{"id": 10, "type": "BRANCH", "condition": "p"}, {"id": 11, "type": "BASICBLOCK"}, {"id": 9, "type": "EXIT"}]"#,
            ),
        ],
        "V112",
        r#"give BRANCH 10 an ENDBRANCH of its own, {"id": 12, "type": "ENDBRANCH"}: lead the edges 10 -> 7 and 11 -> 7 to it and add {"from": 12, "to": 7}"#,
        &[
            (
                r#"{"from": 10, "to": 7, "label": 0}"#,
                r#"{"from": 10, "to": 12, "label": 0}, {"from": 12, "to": 7}"#,
            ),
            (r#"{"from": 11, "to": 7}"#, r#"{"from": 11, "to": 12}"#),
            (
                r#"    {"id": 9, "type": "EXIT"}]"#,
                r#"{"id": 12, "type": "ENDBRANCH"}, {"id": 9, "type": "EXIT"}]"#,
            ),
            (
                r#"{"id": 11, "type": "BASICBLOCK"}, {"#,
                r#"{"id": 11, "type": "BASICBLOCK"}, {"id": 12, "type": "ENDBRANCH"}, {"#,
            ),
        ],
    ),
];

#[test]
fn drawings() {
    let mut shown = String::new();
    for (what, changes, code, cure, mends) in DRAWINGS {
        let change = |text: String, changes: &[(&str, &str)]| {
            changes
                .iter()
                .fold(text, |text, (old, new)| text.replacen(old, new, 1))
        };
        let wrong = change(PROGRAM.to_owned(), changes);
        let found = problems(&wrong);
        let _ = writeln!(shown, "## {what}\n\n{found}\n");
        let told = found
            .iter()
            .find(|d| d.code == *code && d.help.contains(cure));
        assert!(told.is_some(), "{what}: {found}");
        let mended = problems(&change(wrong, mends));
        assert_eq!(mended, Diagnostics::default(), "{what}");
    }
    golden(
        concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/drawings.txt"),
        &shown,
    );
}
