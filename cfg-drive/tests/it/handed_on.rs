//! Optional arguments, present and absent, that are handed on to what writes them, and that the reverse sweep
//! restores.

use super::given::{list, program};
use super::*;
use cfg_reverse::{Blocks, Unstructured};
use cfg_testkit::{renumber::renumber, rng::Rng};

/// A routine of blocks in a row, of which some need an argument: `Ok` statements, `Err` the argument and its
/// statements.
fn chain(
    name: &str,
    parameters: &[&str],
    blocks: &[Result<&str, (&str, &str)>],
    more: &str,
) -> String {
    let mut vertices = vec![r#"{"id":1,"type":"ENTRY"}"#.to_owned()];
    let mut edges = Vec::new();
    let mut last = 1;
    for block in blocks {
        let id = vertices.len() + 1;
        edges.push(format!(r#"{{"from":{last},"to":{id}}}"#));
        match block {
            Ok(statements) => vertices.push(format!(
                r#"{{"id":{id},"type":"BASICBLOCK","statements":[{statements}]}}"#
            )),
            Err((argument, statements)) => {
                let (arm, end) = (id + 1, id + 2);
                vertices.push(format!(
                    r#"{{"id":{id},"type":"BRANCH","condition":["present","{argument}"]}}"#
                ));
                vertices.push(format!(
                    r#"{{"id":{arm},"type":"BASICBLOCK","statements":[{statements}]}}"#
                ));
                vertices.push(format!(r#"{{"id":{end},"type":"ENDBRANCH"}}"#));
                edges.push(format!(r#"{{"from":{id},"to":{arm},"label":1}}"#));
                edges.push(format!(r#"{{"from":{id},"to":{end},"label":0}}"#));
                edges.push(format!(r#"{{"from":{arm},"to":{end}}}"#));
            }
        }
        last = vertices.len();
    }
    let id = vertices.len() + 1;
    edges.push(format!(r#"{{"from":{last},"to":{id}}}"#));
    vertices.push(format!(r#"{{"id":{id},"type":"EXIT"}}"#));
    format!(
        r#"{{"name":"{name}","parameters":[{}],"vertices":[{}],"edges":[{}]{more}}}"#,
        list(parameters),
        vertices.join(","),
        edges.join(",")
    )
}

/// `f` with two optional arguments hands them on to `g`, twice, and `g` one of them to `h`.
fn handed_on(aliased: bool) -> String {
    let aliased = if aliased { r#","aliased":true"# } else { "" };
    let h = chain(
        "h",
        &["inout real b", "inout? real o"],
        &[
            Err(("o", r#"["=","b",["*","b","o"]],["=","o",["*","o","b"]]"#)),
            Ok(r#"["=","b",["sin","b"]]"#),
        ],
        aliased,
    );
    let g = chain(
        "g",
        &["inout real b", "inout? real o", "inout? real v:2"],
        &[
            Err(("o", r#"["=","b",["*","b","o","o"]]"#)),
            Err((
                "v",
                r#"["=","b",["+","b",["sum",["*","v","v"]]]],["=","v",["*","v","b"]]"#,
            )),
            Ok(r#"["call","h",["b","o"]],["=","b",["*","b","b"]],["call","h",["b","o"]]"#),
            Err(("o", r#"["=","b",["+","b",["*","o","o"]]]"#)),
        ],
        aliased,
    );
    let f = chain(
        "f",
        &[
            "in real x",
            "inout? real w",
            "inout? real u:2",
            "out real y",
        ],
        &[
            Ok(r#"["=","y",["*","x","x"]]"#),
            Err((
                "w",
                r#"["=","w",["*","w","x"]],["=","y",["*","y","w"]],["=","w",["*","w","w"]]"#,
            )),
            Ok(r#"["call","g",["y","w","u"]],["=","y",["*","y","x"]],["call","g",["y","w","u"]]"#),
            Err(("u", r#"["=","y",["*","y",["sum",["*","u","u"]]]]"#)),
        ],
        r#","independents":["x","w","u"],"dependents":["y","w","u"]"#,
    );
    [f, g, h].join(",")
}

#[test]
fn present_and_absent() {
    let mut options = vec![Options::default()];
    for (merge, blocks, unstructured) in [
        (true, Blocks::Statement, Unstructured::Structure),
        (false, Blocks::Preaccumulate, Unstructured::Structure),
        (false, Blocks::Statement, Unstructured::Trace),
    ] {
        let mut with = Options::default();
        with.reversal.merge = merge;
        with.reversal.blocks = blocks;
        with.reversal.unstructured = unstructured;
        options.push(with);
    }
    for seed in 0..12 {
        let text = handed_on(seed % 2 == 1);
        let mut changed = program(&[], &[text])
            .expect("it is valid")
            .program()
            .clone();
        renumber(&mut changed, &mut Rng::new(seed));
        if seed % 3 == 2 {
            for r in 0..changed.routines.len() {
                changed.routines[r] =
                    cfg_core::recover::flatten(&changed, &changed.routines[r].clone());
            }
        }
        let program = validate(changed).expect("it is valid");
        let f = program.program().main.expect("there is one");
        for point in [
            r#"{"x": 0.7}"#,
            r#"{"x": 0.7, "w": 0.6}"#,
            r#"{"x": 0.7, "w": 0.6, "u": [0.4, 0.9]}"#,
        ] {
            for options in &options {
                let read = |t: &Primal| t.point(point.as_bytes());
                let found = check(&program, f, options, read, Tolerances::default());
                let found = found.unwrap_or_else(|d| panic!("{seed}, {point}: {d}"));
                assert_ne!(found.agrees(), Some(false), "{seed}, {point}: {found:?}");
            }
        }
    }
}
