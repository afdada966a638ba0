//! Optional arguments, present and absent, that are handed on to routines that write them, and that the reverse sweep
//! restores.

use super::given::{list, program};
use super::*;
use crate::flat;
use cfg_core::memory::effects::Effects;
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
                changed.routines[r] = cfg_core::recover::flatten(
                    &changed,
                    &Effects::summarise(&changed),
                    &changed.routines[r].clone(),
                );
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
                let read = |t: &Primal| t.read_point(point.as_bytes());
                let found = check(&flat(&program), f, options, read, Tolerances::default());
                let found = found.unwrap_or_else(|d| panic!("{seed}, {point}: {d}"));
                assert_ne!(found.agrees(), Some(false), "{seed}, {point}: {found:?}");
            }
        }
    }
}

/// A routine with a given adjoint and optional arguments, and one that hands its own on to it, uses them before and
/// after, and needs the values before again. Several only of intent `out`: each factor would be needed for the others.
fn handed_to_given(intent: &str, shape: &str, names: &[&str], general: bool) -> ValidProgram {
    let element = |name: &str| match shape {
        "" => format!(r#""{name}""#),
        _ => format!(r#"["[]","{name}",2]"#),
    };
    let of = |name: &str| match shape {
        "" => format!(r#""{name}""#),
        _ => format!(r#"["sum","{name}"]"#),
    };
    let (mut body, mut adjoint) = (Vec::new(), Vec::new());
    for name in names {
        let e = element(name);
        let (e_b, bar) = (element(&format!("{name}_b")), format!("{name}_b"));
        let times = format!(r#"["=","b",["*","b",{e}]]"#);
        let times_b =
            format!(r#"["=",{e_b},["+",{e_b},["*","b","b_b"]]],["=","b_b",["*",{e},"b_b"]]"#);
        body.push(match intent {
            "in" => times,
            "inout" => format!(r#"{times},["=","{name}",["*",3.0,"{name}"]]"#),
            _ => format!(r#"["=","{name}",["*",2.0,"b"]]"#),
        });
        adjoint.push(match intent {
            "in" => times_b,
            "inout" => format!(r#"["=","{bar}",["*",3.0,"{bar}"]],{times_b}"#),
            _ => format!(
                r#"["=","b_b",["+","b_b",["*",2.0,{}]]],["=","{bar}",0.0]"#,
                of(&bar)
            ),
        });
    }
    fn guarded<'t>(
        names: &[&'t str],
        list: &'t [String],
    ) -> Vec<Result<&'t str, (&'t str, &'t str)>> {
        names
            .iter()
            .zip(list)
            .map(|(n, s)| Err((*n, &**s)))
            .collect()
    }
    let formal = |intent: &str, name: &str| format!("{intent}? real {name}{shape}");
    let mut parameters = vec!["inout real b".to_owned()];
    parameters.extend(names.iter().map(|n| formal(intent, n)));
    let parameters: Vec<&str> = parameters.iter().map(String::as_str).collect();
    let mut list = guarded(names, &body);
    list.push(Ok(r#"["=","b",["*",1.5,"b"]]"#));
    let g = chain(
        "g",
        &parameters,
        &list,
        r#","derivatives":{"adjoint":"g_b"}"#,
    );
    let mut list = guarded(names, &adjoint);
    list.reverse();
    list.insert(0, Ok(r#"["=","b_b",["*",1.5,"b_b"]]"#));
    let mut parameters = vec!["in real b".to_owned()];
    parameters.extend(names.iter().map(|n| formal("in", n)));
    parameters.push("inout real b_b".to_owned());
    parameters.extend(names.iter().map(|n| formal("inout", &format!("{n}_b"))));
    let parameters: Vec<&str> = parameters.iter().map(String::as_str).collect();
    let g_b = chain("g_b", &parameters, &list, "");
    let mut parameters = vec!["in real x".to_owned()];
    parameters.extend(names.iter().map(|n| formal("inout", n)));
    parameters.push("out real y".to_owned());
    let parameters: Vec<&str> = parameters.iter().map(String::as_str).collect();
    let before: Vec<String> = names
        .iter()
        .map(|n| {
            format!(
                r#"["=","y",["*","y",{}]],["=","{n}",["*","{n}","{n}"]]"#,
                element(n)
            )
        })
        .collect();
    let after: Vec<String> = names
        .iter()
        .map(|n| format!(r#"["=","y",["*","y",{},{}]]"#, element(n), element(n)))
        .collect();
    let handed: Vec<String> = names.iter().map(|n| format!(r#","{n}""#)).collect();
    let call = format!(r#"["call","g",["y"{}]]"#, handed.concat());
    let twice = format!(r#"{call},["=","y",["*","y","y","x"]],{call},["=","y",["sin","y"]]"#);
    let mut list = guarded(names, &before);
    list.insert(0, Ok(r#"["=","y",["*","x","x"]]"#));
    list.push(Ok(&twice));
    list.extend(guarded(names, &after));
    let quoted: Vec<String> = names.iter().map(|n| format!(r#","{n}""#)).collect();
    let all = quoted.concat();
    let more = format!(r#","independents":["x"{all}],"dependents":["y"{all}]"#);
    let f = chain("f", &parameters, &list, &more);
    let program = program(&[], &[f, g, g_b]).unwrap_or_else(|d| panic!("{d}"));
    if !general {
        return program;
    }
    let mut flat = program.into_program();
    for r in 0..flat.routines.len() {
        flat.routines[r] = cfg_core::recover::flatten(
            &flat,
            &Effects::summarise(&flat),
            &flat.routines[r].clone(),
        );
    }
    validate(flat).unwrap_or_else(|d| panic!("{d}"))
}

#[test]
fn arguments_of_given_adjoints() {
    for intent in ["in", "inout", "out"] {
        for shape in ["", ":2"] {
            for general in [false, true] {
                let lists: &[&[&str]] = match intent {
                    "out" => &[&["o"], &["o", "p", "q"]],
                    _ => &[&["o"]],
                };
                for &names in lists {
                    let program = handed_to_given(intent, shape, names, general);
                    let f = program.program().main.expect("there is one");
                    for there in 0..1usize << names.len() {
                        let values = match shape {
                            "" => ["0.8", "1.3", "0.4"],
                            _ => ["[0.8, 0.9]", "[1.3, 0.7]", "[0.4, 1.1]"],
                        };
                        let given = names.iter().zip(values).enumerate();
                        let given = given.filter(|(k, _)| there >> k & 1 == 1);
                        let given: Vec<_> = given
                            .map(|(_, (n, v))| format!(r#", "{n}": {v}"#))
                            .collect();
                        let point = format!(r#"{{"x": 0.7{}}}"#, given.concat());
                        for options in merged_and_not() {
                            let read = |t: &Primal| t.read_point(point.as_bytes());
                            let found =
                                check(&flat(&program), f, &options, read, Tolerances::default());
                            let what = format!("{intent} {shape} {names:?} {general} {point}");
                            let found = found.unwrap_or_else(|d| panic!("{what}: {d}"));
                            assert_eq!(found.agrees(), Some(true), "{what}: {found:?}");
                        }
                    }
                }
            }
        }
    }
}
