//! Routines with given adjoints and tangents: the same derivatives as without them, whatever these
//! routines do to the primal values that they are handed.

use super::*;
use crate::flat;
use cfg_format::json;

/// A parameter or local: `intent type name`, with the shape behind a colon, `,column` for the order.
fn declaration(text: &str) -> String {
    let (words, shape) = text.split_once(':').unwrap_or((text, ""));
    let (shape, order) = match shape.strip_suffix(",column") {
        Some(shape) => (shape, r#","order":"column""#),
        None => (shape, ""),
    };
    let words: Vec<&str> = words.split(' ').collect();
    let (intent, ty, name) = match *words {
        [ty, name] => (String::new(), ty, name),
        [intent, ty, name] => (format!(r#","intent":"{intent}""#), ty, name),
        _ => panic!("{text}"),
    };
    let (intent, optional) = match intent.strip_suffix("?\"") {
        Some(intent) => (format!("{intent}\""), r#","optional":true"#),
        None => (intent, ""),
    };
    let shape = match shape {
        "" => String::new(),
        shape => format!(r#","shape":[{shape}]{order}"#),
    };
    format!(r#"{{"name":"{name}","type":"{ty}"{intent}{optional}{shape}}}"#)
}

pub(crate) fn list(texts: &[&str]) -> String {
    let texts: Vec<String> = texts.iter().map(|t| declaration(t)).collect();
    texts.join(",")
}

/// A routine of one block; `more`: further members.
pub(crate) fn routine(
    name: &str,
    parameters: &[&str],
    locals: &[&str],
    block: &str,
    more: &str,
) -> String {
    format!(
        r#"{{"name":"{name}","parameters":[{}],"locals":[{}],"vertices":[{{"id":1,"type":"ENTRY"}},
        {{"id":2,"type":"BASICBLOCK","statements":[{block}]}},{{"id":3,"type":"EXIT"}}],
        "edges":[{{"from":1,"to":2}},{{"from":2,"to":3}}]{more}}}"#,
        list(parameters),
        list(locals),
    )
}

/// y = sum of what the block does for i = 1, 2, 3.
fn in_a_loop(
    parameters: &[&str],
    locals: &[&str],
    before: &str,
    block: &str,
    after: &str,
) -> String {
    format!(
        r#"{{"name":"f","parameters":[{}],"locals":[{}],"vertices":[{{"id":1,"type":"ENTRY"}},
        {{"id":2,"type":"BASICBLOCK","statements":[{before}]}},
        {{"id":3,"type":"LOOP","test":"counted","index":"i","first":1,"last":3}},
        {{"id":4,"type":"BASICBLOCK","statements":[{block}]}},{{"id":5,"type":"ENDLOOP"}},
        {{"id":6,"type":"BASICBLOCK","statements":[{after}]}},{{"id":7,"type":"EXIT"}}],
        "edges":[{{"from":1,"to":2}},{{"from":2,"to":3}},{{"from":3,"to":4,"label":1}},{{"from":4,"to":5}},
        {{"from":5,"to":3}},{{"from":3,"to":6}},{{"from":6,"to":7}}]{DECLARED}}}"#,
        list(parameters),
        list(locals),
    )
}

const DECLARED: &str = r#","independents":["x","p"],"dependents":["y"]"#;
const PARAMETERS: &[&str] = &["in real x", "in real p:4", "out real y"];

fn main(locals: &[&str], block: &str) -> String {
    routine("f", PARAMETERS, locals, block, DECLARED)
}

pub(crate) fn program(globals: &[&str], routines: &[String]) -> Result<ValidProgram, String> {
    let text = format!(
        r#"{{"format":"cfgrev/1","main":"f","globals":[{}],"routines":[{}]}}"#,
        list(globals),
        routines.join(",")
    );
    let program = json::read(text.as_bytes()).map_err(|d| format!("{d}\n{text}"))?;
    validate(program).map_err(|d| d.to_string())
}

/// c = a^2 b(n), b = a b, with derivative routines that write over all primal values, and, for the
/// adjoint, an `out` parameter that is declared as `c`.
fn g(c: &str) -> Vec<String> {
    let scribble = r#",["=","n",77],["=","a",99.0],["=","b",98.0]"#;
    let more = if c == "in" { "" } else { r#",["=","c",97.0]"# };
    let c = format!("{c} real c");
    let formals = ["in integer n", "in real a", "inout real b:2", "out real c"];
    let body = r#"["=","c",["*","a","a",["[]","b","n"]]],["=","b",["*","b","a"]]"#;
    let adjoint = r#"
        ["=","a_b",["+","a_b",["sum",["*","b","b_b"]],["*",2.0,"a",["[]","b","n"],"c_b"]]],
        ["=","b_b",["*","b_b","a"]],
        ["=",["[]","b_b","n"],["+",["[]","b_b","n"],["*","a","a","c_b"]]],["=","c_b",0.0]"#;
    let tangent = r#"
        ["=","c_t",["+",["*",2.0,"a","a_t",["[]","b","n"]],["*","a","a",["[]","b_t","n"]]]],
        ["=","b_t",["+",["*","b_t","a"],["*","b","a_t"]]]"#;
    vec![
        routine(
            "g",
            &formals,
            &[],
            body,
            r#","derivatives":{"adjoint":"g_b","tangent":"g_t"}"#,
        ),
        routine(
            "g_b",
            &[
                "inout integer n",
                "inout real a",
                "inout real b:2",
                &c,
                "inout real a_b",
                "inout real b_b:2",
                "inout real c_b",
            ],
            &[],
            &format!("{adjoint}{scribble}{more}"),
            "",
        ),
        routine(
            "g_t",
            &[
                "inout integer n",
                "inout real a",
                "inout real b:2",
                "out real c",
                "inout real a_t",
                "inout real b_t:2",
                "out real c_t",
            ],
            &[],
            &format!(r#"{tangent},{body},["=","n",77],["=","a",99.0],["=","a_t",96.0]"#),
            "",
        ),
    ]
}

/// The function u v^2 + k u, with k an integer.
fn h() -> Vec<String> {
    let member = r#","result":{"name":"r","type":"real"},"derivatives":{"adjoint":"h_b"}"#;
    vec![
        routine(
            "h",
            &["in real u", "in real v", "in integer k"],
            &[],
            r#"["=","r",["+",["*","u","v","v"],["*","k","u"]]]"#,
            member,
        ),
        routine(
            "h_b",
            &[
                "inout real u",
                "in real v",
                "inout integer k",
                "out real r",
                "inout real u_b",
                "inout real v_b",
                "inout real r_b",
            ],
            &[],
            r#"["=","v_b",["+","v_b",["*",2.0,"u","v","r_b"]]],
               ["=","u_b",["+","u_b",["*",["+","k",["*","v","v"]],"r_b"]]],
               ["=","r_b",0.0],["=","u",95.0],["=","k",-5],["=","r",94.0]"#,
            "",
        ),
    ]
}

fn without_given(program: &ValidProgram) -> ValidProgram {
    let mut program = program.program().clone();
    for routine in &mut program.routines {
        routine.derivatives = None;
    }
    validate(program).expect("it is valid without them")
}

const POINT: &[u8] = br#"{"x": 0.7, "p": [1.25, -0.5, 2, 0.75]}"#;

/// Value and gradient, value and tangent.
fn derivatives(program: &ValidProgram, options: &Options) -> Vec<f64> {
    let f = RoutineId::new(0);
    let mut adjoint = Adjoint::new(&flat(program), f, options).expect("it has an adjoint");
    let point = adjoint.read_point(POINT).expect("a point");
    let seed = adjoint.default_seed(&point).expect("one scalar");
    let mut found = Vec::new();
    // Two runs agree: the first leaves nothing behind.
    for _ in 0..2 {
        let run = adjoint.gradient(&point, &seed).expect("the adjoint runs");
        for (name, values) in [
            ("y", &run.value),
            ("x", &run.gradient),
            ("p", &run.gradient),
        ] {
            found.extend(reals(values, name));
        }
    }
    let mut tangent = Tangent::new(&flat(program), f, options).expect("it has a tangent");
    for direction in [r#"{"x": 1}"#, r#"{"p": [0.5, 0.25, -1, 2], "x": 0.125}"#] {
        let direction = tangent.read_direction(direction.as_bytes(), &point);
        let run = tangent.tangent(&point, &direction.expect("a direction"));
        let run = run.expect("the tangent runs");
        found.extend(reals(&run.value, "y"));
        found.extend(reals(&run.tangent, "y"));
    }
    found
}

/// With given derivative routines and without, in every way of reversing.
fn same(what: &str, globals: &[&str], routines: &[String]) {
    let given = program(globals, routines).unwrap_or_else(|e| panic!("{what}: {e}"));
    let f = RoutineId::new(0);
    let mut primal = Primal::new(&flat(&given), f, &Options::default()).expect("it can be run");
    let point = primal.read_point(POINT).expect("a point");
    let y = reals(&primal.run(&point).expect("it runs").value, "y");
    let expected = derivatives(&without_given(&given), &Options::default());
    assert_eq!(expected[..1], y, "{what}");
    assert!(expected.iter().any(|&d| d != 0.0), "{what}");
    for blocks in [
        cfg_reverse::Blocks::Statement,
        cfg_reverse::Blocks::Preaccumulate,
    ] {
        for merge in [false, true] {
            let mut options = Options::default();
            options.reversal.blocks = blocks;
            options.reversal.merge = merge;
            let found = derivatives(&given, &options);
            for (a, b) in found.iter().zip(&expected) {
                let near = (a - b).abs() <= 1e-13 * (1.0 + b.abs());
                assert!(near, "{what}: {found:?}\n{expected:?}");
            }
        }
    }
    let found = checked(&given, f, std::str::from_utf8(POINT).expect("a text"));
    assert_eq!(found.agrees(), Some(true), "{what}: {found:?}");
    let reversed = cfg_reverse::reverse(&flat(&given), f, &cfg_reverse::Options::default());
    validate(reversed.expect("it has an adjoint").program).expect("the adjoint is valid");
}

fn with(main: String, given: Vec<String>) -> Vec<String> {
    std::iter::once(main).chain(given).collect()
}

#[test]
fn scalars_and_whole_arrays() {
    let locals = &["real t", "real s", "real w:2", "integer k"];
    for c in ["in", "out", "inout"] {
        // Overwritten values are used before the call, read values after it.
        let twice = r#"["=","t",["sin","x"]],["=","s",["*","t","x"]],["=","w",["*",["[]","p",[":",1,2]],"t"]],
            ["=","k",2],["call","g",["k","t","w","s"]],["=","t",["+",["*","t","s"],["[]","w","k"]]],
            ["call","g",[1,"t","w","s"]],["=","k",1],
            ["=","y",["+",["*","s","s"],["*",["[]","w","k"],["[]","w",2]],["exp","t"]]]"#;
        same("twice", &[], &with(main(locals, twice), g(c)));
        // Dependents and parameters of the routine itself.
        let own = r#"["=","y",["cos","x"]],["=","w",["*",["[]","p",[":",3,4]],["*","y","y"]]],
            ["call","g",[1,"x","w","y"]],["call","g",[2,"y","w","t"]],
            ["=","s",["*","y",["[]","w",1]]],["=","y",["+",["*","t","s"],["[]","w",2],["*","y","y"]]]"#;
        same("own", &[], &with(main(locals, own), g(c)));
        let last = r#"["=","w",["[]","p",[":",2,3]]],["=","y",["*","x","x"]],["call","g",[1,"y","w","t"]],
            ["=","y",["*","t",["[]","w",1]]],["call","g",[2,"x","w","y"]]"#;
        same("last", &[], &with(main(locals, last), g(c)));
    }
}

#[test]
fn elements_and_sections_in_loops() {
    for c in ["in", "out", "inout"] {
        let locals = &[
            "integer i",
            "integer n",
            r#"real v:{"lower":0,"extent":5}"#,
            "real m:3,2,column",
            r#"real q:{"lower":-1,"extent":2},{"lower":2,"extent":3},column"#,
            "real s",
        ];
        let before = r#"["=","v","x"],["=",["[]","v",[":",1,4]],["*","p","x"]],["=","m",["*","x","x"]],
            ["=",["[]","m",2,1],["[]","p",2]],["=","q",["exp","x"]],["=",["[]","q",0,3],["[]","p",4]],
            ["=","n",1],["=","y",0.0],["=","s",0.5]"#;
        let after = r#"["=","y",["+","y",["sum",["*","v","v"]],["sum",["*","m","m"]],["*",["sum","q"],["sum","q"]]]]"#;
        for (what, call) in [
            (
                "element, row",
                r#"["n",["[]","v","i"],["[]","m","i",[":"]],"s"]"#,
            ),
            (
                "element out",
                r#"["n","s",["[]","m","i",[":"]],["[]","v",["+","i",1]]]"#,
            ),
            (
                "stride",
                r#"["n",["[]","v",["-","i",1]],["[]","v",[":",4,3,-1]],"s"]"#,
            ),
            (
                "cells of a vector",
                r#"["n",["[]","v",0],["[]","v","i"],"s"]"#,
            ),
            (
                "cells of a matrix",
                r#"["n",["[]","m","i",1],["[]","q",-1,["+","i",1]],"s"]"#,
            ),
            (
                "cells over two columns",
                r#"[2,"x",["[]","q",0,["if",["<","i",2],3,2]],"s"]"#,
            ),
        ] {
            let block = format!(
                r#"["=","s",["*","s",["[]","v","i"]]],["call","g",{call}],
                ["=","y",["+",["*","y","s"],["*",["[]","m","i",2],["[]","v","i"]]]],["=","n",["-",3,"n"]]"#
            );
            let f = in_a_loop(PARAMETERS, locals, before, &block, after);
            same(what, &[], &with(f, g(c)));
        }
    }
}

#[test]
fn functions_and_arguments_that_overlap() {
    let locals = &["real t", "real v:3", "integer k"];
    let start = r#"["=","k",2],["=","t",["sin","x"]],["=","v",["*","t",["[]","p",[":",2,4]]]]"#;
    for (what, call) in [
        ("two", r#"["x","t","k"]"#),
        ("one twice", r#"["t","t","k"]"#),
        (
            "an expression",
            r#"[["*","t",2.0],["cos","t"],["+","k",1]]"#,
        ),
        ("an element twice", r#"[["[]","v",2],["[]","v","k"],3]"#),
        (
            "two elements",
            r#"[["[]","v",1],["[]","v","k"],["int","t"]]"#,
        ),
    ] {
        for target in [r#""t""#, r#"["[]","v","k"]"#, r#"["[]","v",["+","k",1]]"#] {
            let block = format!(
                r#"{start},["=",{target},["call","h",{call}]],["=","y",["*","t",["[]","v","k"]]],
                ["=","k",1],["=",{target},["call","h",{call}]],
                ["=","y",["+","y",["*","t","t"],["*",["[]","v",1],["[]","v",2]]]]"#
            );
            same(what, &[], &with(main(locals, &block), h()));
        }
    }
}

/// Globals that a given adjoint reads have their values from before the call; its writes are undone.
#[test]
fn globals() {
    let more = r#","derivatives":{"adjoint":"e_b"}"#;
    let e = routine(
        "e",
        &["in real a", "out real c"],
        &[],
        r#"["=","c",["*","K","a","a"]]"#,
        more,
    );
    let formals = ["in real a", "in real c", "inout real a_b", "inout real c_b"];
    let body = r#"["=","a_b",["+","a_b",["*",2.0,"K","a","c_b"]]],["=","c_b",0.0],["=","K",9],["=","L",8]"#;
    let e_b = routine("e_b", &formals, &[], body, "");
    let given = [e, e_b];
    let block = r#"["=","K",3],["=","L",1],["call","e",["x","s"]],["=","K",["+","K",2]],
        ["=","s",["*","s",["[]","p","L"]]],["call","e",["s","y"]],["=","y",["*","y",["[]","p","K"]]]"#;
    let block = block.replace(r#"["[]","p","K"]"#, r#"["[]","p",["-","K",3]]"#);
    let f = routine("f", PARAMETERS, &["real s"], &block, DECLARED);
    let globals = ["integer K", "integer L"];
    same("globals", &globals, &with(f, given.to_vec()));
    // A local has the name of a global that only the given adjoint touches.
    let block =
        r#"["=","L",["*","x","x"]],["=","K",2],["call","e",["L","y"]],["=","y",["*","y","L"]]"#;
    let f = routine("f", PARAMETERS, &["real L"], block, DECLARED);
    same("hidden", &globals, &with(f, given.to_vec()));
}

#[test]
fn what_cannot_be_protected_is_refused() {
    let refused = |globals: &[&str], routines: &[String]| {
        let program = program(globals, routines).expect("it is valid");
        Adjoint::new(&flat(&program), RoutineId::new(0), &Options::default())
            .map(|_| ())
            .expect_err("it is refused")
            .to_string()
    };
    // An adjoint through a global.
    let more = r#","derivatives":{"adjoint":"e_b"}"#;
    let e = routine(
        "e",
        &["in real a", "out real c"],
        &[],
        r#"["=","c",["*","K","a"]]"#,
        more,
    );
    let formals = ["in real a", "in real c", "inout real a_b", "inout real c_b"];
    let body = r#"["=","a_b",["+","a_b",["*","K","c_b"]]],["=","c_b",0.0]"#;
    let e_b = routine("e_b", &formals, &[], body, "");
    let f = main(&[], r#"["=","K",["[]","p",1]],["call","e",["x","y"]]"#);
    let message = refused(&["real K"], &[f, e, e_b]);
    assert!(
        message.contains("R309") && message.contains("`K`"),
        "{message}"
    );
    // A tangent through a global; one that nobody writes is a constant.
    let more = r#","derivatives":{"tangent":"e_t"}"#;
    let formals = ["in real a", "out real c", "in real a_t", "out real c_t"];
    let body = r#"["=","c",["*","K","a"]],["=","c_t",["*","K","a_t"]]"#;
    let tangent_of = |block: &str| {
        let head = ["in real a", "out real c"];
        let e = routine("e", &head, &[], r#"["=","c",["*","K","a"]]"#, more);
        let routines = [main(&[], block), e, routine("e_t", &formals, &[], body, "")];
        let program = program(&["real K"], &routines).expect("it is valid");
        cfg_reverse::tangent(&flat(&program), RoutineId::new(0)).map(|_| ())
    };
    let message = tangent_of(r#"["=","K",["[]","p",1]],["call","e",["x","y"]]"#);
    let message = message.expect_err("it is refused").to_string();
    assert!(
        message.contains("R309") && message.contains("`K`"),
        "{message}"
    );
    assert!(tangent_of(r#"["call","e",["x","y"]]"#).is_ok());
    // A copy of an argument that may be absent.
    let f = routine(
        "f",
        &["in? real x", "in real p:4", "out real y"],
        &["real w:2"],
        r#"["=","w",["[]","p",[":",1,2]]],["call","g",[1,"x","w","y"]]"#,
        DECLARED,
    );
    let message = refused(&[], &with(f, g("out")));
    assert!(
        message.contains("R309") && message.contains("`x`"),
        "{message}"
    );
}

/// A tangent routine is called in place of the original, so it computes what that computes.
#[test]
fn a_tangent_routine_writes_what_the_original_writes() {
    let f = main(&[], r#"["call","e",["x","y"]]"#);
    let more = r#","derivatives":{"tangent":"e_t"}"#;
    let e = routine(
        "e",
        &["in real a", "out real c"],
        &[],
        r#"["=","c","a"]"#,
        more,
    );
    let formals = ["in real a", "in real c", "in real a_t", "out real c_t"];
    let e_t = routine("e_t", &formals, &[], r#"["=","c_t","a_t"]"#, "");
    let message = program(&[], &[f, e, e_t]).expect_err("c is not written");
    assert!(message.contains("V153"), "{message}");
}

/// `partials` that are given and empty are all 0; without them the value is differentiated.
#[test]
fn partials_that_are_not_given_are_zero() {
    let text = |partials: &str| {
        let f = main(&[], r#"["=","y",["call","e",["x",["[]","p",1]]]]"#);
        let e = format!(
            r#"{{"name":"e","parameters":[{}],"result":{{"name":"r","type":"real"}},
            "external":{{"value":["*",["sin","a"],"b"]{partials}}}}}"#,
            list(&["in real a", "in real b"])
        );
        program(&[], &[f, e]).expect("it is valid")
    };
    let found = |partials: &str| {
        let program = text(partials);
        let mut written = Vec::new();
        json::write(&program, &mut written).expect("it can be written");
        let again = json::read(&written).expect("it can be read");
        assert_eq!(&again, program.program());
        derivatives(&program, &Options::default())
    };
    let (x, b) = (0.7_f64, 1.25);
    let [all, a, none] = [
        "",
        r#","partials":{"a":["*",["cos","a"],"b"]}"#,
        r#","partials":{}"#,
    ];
    let gradient = |partials| found(partials)[1..3].to_vec();
    assert_eq!(gradient(all), [x.cos() * b, x.sin()]);
    assert_eq!(gradient(a), [x.cos() * b, 0.0]);
    assert_eq!(gradient(none), [0.0, 0.0]);
    let none = found(none);
    // Value and tangent in two directions.
    assert_eq!(none[12..], [x.sin() * b, 0.0, x.sin() * b, 0.0]);
    assert_ne!(found(all)[13], 0.0);
}

/// A Jacobian needs the derivative program of its mode only, and takes the one that there is.
#[test]
fn one_given_derivative_that_cannot_be_used_does_not_stand_in_the_other_ones_way() {
    let adjoint = routine(
        "gb",
        &["in real a", "in real b", "inout real ab", "inout real bb"],
        &[],
        r#"["=","bb",["+","bb",["*","ab","a","k"]]],["=","ab",["*","ab","b","k"]]"#,
        "",
    );
    let tangent = routine(
        "gt",
        &["inout real a", "in real b", "inout real at", "in real bt"],
        &[],
        r#"["=","at",["*","k",["+",["*","at","b"],["*","a","bt"]]]],["=","a",["*","a","b","k"]]"#,
        "",
    );
    // The given tangent reaches no tangent of a global that is assigned; the given adjoint none of one that is
    // active.
    let both = r#","derivatives":{"adjoint":"gb","tangent":"gt"}"#;
    let one = r#","derivatives":{"adjoint":"gb"}"#;
    for (derivatives, before, after, possible, expected) in [
        (both, "", r#",["=","k",["+","k",1.0]]"#, Mode::Adjoint, 12.0),
        (one, r#"["=","k",["*","k","x"]],"#, "", Mode::Tangent, 36.0),
    ] {
        let block = format!(r#"{before}["=","y","x"],["call","g",["y","x"]]{after}"#);
        let active = r#","independents":["x"],"dependents":["y"]"#;
        let text = format!(
            r#"{{"format":"cfgrev/1","main":"f","globals":[{{"name":"k","type":"real","initial":3.0}}],
            "routines":[{},{},{adjoint},{tangent}]}}"#,
            routine("f", &["in real x", "out real y"], &[], &block, active),
            routine(
                "g",
                &["inout real a", "in real b"],
                &[],
                r#"["=","a",["*","a","b","k"]]"#,
                derivatives
            ),
        );
        let program = validate(json::read(text.as_bytes()).expect("a program")).expect("valid");
        let f = RoutineId::new(0);
        let options = Options::default();
        let read = |p: &Primal| p.read_point(br#"{"x": 2}"#);
        for mode in [None, Some(Mode::Adjoint), Some(Mode::Tangent)] {
            for found in [
                jacobian(&flat(&program), f, &options, read, mode),
                compressed_jacobian(&flat(&program), f, &options, read, mode),
            ] {
                match found {
                    Ok(found) => {
                        assert_eq!((found.mode, found.entries), (possible, vec![expected]));
                        assert_ne!(mode, Some(other(possible)));
                    }
                    Err(refused) => {
                        assert!(refused.to_string().contains("R309"), "{refused}");
                        assert_eq!(mode, Some(other(possible)));
                    }
                }
            }
        }
    }
}

fn other(mode: Mode) -> Mode {
    match mode {
        Mode::Adjoint => Mode::Tangent,
        Mode::Tangent => Mode::Adjoint,
    }
}

/// Arguments of an aliased routine that overlap, in every order of its parameters: `c = a*b + c`, `b = a*a`
/// reads all of them before it writes.
#[test]
fn overlapping_arguments_in_every_order() {
    let orders = [
        [0, 1, 2],
        [0, 2, 1],
        [1, 0, 2],
        [1, 2, 0],
        [2, 0, 1],
        [2, 1, 0],
    ];
    let formals = ["in real a", "in real d", "inout real c"];
    let adjoints = ["inout real a_b", "inout real d_b", "inout real c_b"];
    for order in orders {
        for overlap in 0..8 {
            let pick = |list: [&'static str; 3]| order.map(|k| list[k]);
            let adjoint: Vec<&str> = pick(formals).into_iter().chain(pick(adjoints)).collect();
            let g = routine(
                "g",
                &pick(formals),
                &[],
                r#"["=","c",["+",["*","a","d"],["*",3.0,"c"]]]"#,
                r#","aliased":true,"derivatives":{"adjoint":"g_b"}"#,
            );
            let g_b = routine(
                "g_b",
                &adjoint,
                &[],
                r#"["=","a_b",["+","a_b",["*","d","c_b"]]],["=","d_b",["+","d_b",["*","a","c_b"]]],
                ["=","c_b",["*",3.0,"c_b"]]"#,
                r#","aliased":true"#,
            );
            // Each argument is an element of its own, or the first.
            let at = |k: usize| if overlap >> k & 1 == 1 { 1 } else { k + 2 };
            let actual = |k: usize| format!(r#"["[]","q",{}]"#, at(k));
            let call = order.map(actual).join(",");
            let block = format!(
                r#"["=","q",["*","p","x"]],["call","g",[{call}]],["=","q",["*","q","q"]],["call","g",[{call}]],
                ["=","y",["sum",["*","q","p"]]]"#
            );
            let program = program(&[], &[main(&["real q:4"], &block), g, g_b]);
            let program = program.expect("it is valid");
            let f = program.program().main.expect("there is one");
            let found = checked(&program, f, r#"{"x": 0.7, "p": [0.5, 1.5, -0.25, 2.0]}"#);
            assert_ne!(
                found.agrees(),
                Some(false),
                "{order:?}, {overlap}: {found:?}"
            );
        }
    }
}

/// Actual arguments that are only read may be a global and its overlay, whole and in part: their adjoints share
/// cells as they do, and are handed over apart.
#[test]
fn globals_that_share_cells_are_read_twice() {
    let g = routine(
        "g",
        &["in real a:2", "in real d", "in real e:2"],
        &[],
        r#"["=","r",["+",["*",["sum",["*","a","e"]],"d"],["*","d","d"]]]"#,
        r#","result":{"name":"r","type":"real"},"derivatives":{"adjoint":"g_b"}"#,
    );
    let g_b = routine(
        "g_b",
        &[
            "in real a:2",
            "in real d",
            "in real e:2",
            "inout real r",
            "inout real a_b:2",
            "inout real d_b",
            "inout real e_b:2",
            "inout real r_b",
        ],
        &[],
        r#"["=","a_b",["+","a_b",["*","e","d","r_b"]]],["=","e_b",["+","e_b",["*","a","d","r_b"]]],
        ["=","d_b",["+","d_b",["*",["+",["sum",["*","a","e"]],["*",2.0,"d"]],"r_b"]]],["=","r_b",0.0]"#,
        "",
    );
    let uses = r#"{"global":"u"},{"global":"o"}"#;
    let pairs = ["u", "o"];
    for (k, a) in [
        r#"["[]","u",[":",2,3]]"#,
        r#""o""#,
        r#"["[]","u",[":",1,2]]"#,
    ]
    .iter()
    .enumerate()
    {
        for d in pairs.map(|v| format!(r#"["[]","{v}",2]"#)) {
            for e in [r#""o""#, r#"["[]","u",[":",3,4]]"#] {
                for into in [r#""y""#, r#"["[]","o",1]"#, r#"["[]","u",4]"#] {
                    let call = format!(r#"["=",{into},["call","g",[{a},{d},{e}]]]"#);
                    let block = format!(
                        r#"["=","u",["*","p","x"]],["=","y",0.0],{call},
                        ["=","y",["+","y",["sum",["*","u","p"]],{into}]]"#
                    );
                    let main = main(&[], &block)
                        .replace(r#""locals":[]"#, &format!(r#""locals":[{uses}]"#));
                    let text = format!(
                        r#"{{"format":"cfgrev/1","main":"f","globals":[{{"name":"u","type":"real","shape":[4]}},
                        {{"name":"o","type":"real","shape":[2],"overlay":{{"global":"u","offset":1}}}}],
                        "routines":[{main},{g},{g_b}]}}"#
                    );
                    let program =
                        json::read(text.as_bytes()).unwrap_or_else(|e| panic!("{e}\n{text}"));
                    let program = validate(program).unwrap_or_else(|e| panic!("{e}\n{text}"));
                    let f = RoutineId::new(0);
                    let point = r#"{"x": 0.7, "p": [0.5, 1.5, -0.25, 2.0]}"#;
                    let found = checked(&program, f, point);
                    assert_eq!(found.agrees(), Some(true), "{k} {d} {e} {into}: {found:?}");
                }
            }
        }
    }
}

/// The check has no bound on rounding where tangents are given; it measures what terms that cancel leave.
#[test]
fn terms_that_cancel_beside_a_given_tangent() {
    for (slope, agrees) in [("2.0", true), ("2.001", false)] {
        let g = |tangent: &str| {
            let member = format!(r#","derivatives":{{"tangent":"{tangent}"}}"#);
            routine(
                "g",
                &["in real u", "out real v"],
                &[],
                r#"["=","v",["*","u","u"]]"#,
                &member,
            )
        };
        let g_t = routine(
            "g_t",
            &["in real u", "out real v", "in real u_t", "out real v_t"],
            &[],
            &format!(r#"["=","v_t",["*",{slope},"u","u_t"]],["=","v",["*","u","u"]]"#),
            "",
        );
        // The terms are a thousand million times as large as the result.
        let block = r#"["call","g",["x","w"]],["=","s",["*","x",1.1e9]],["=","t",["+","s",["*","w",3.3]]],
            ["=","t",["-","t",["*","x",["*",1.1e9,["sin",["*",3.0,["[]","p",1]]]]]]],
            ["=","y",["-","t",["*","s",["-",1.0,["sin",["*",3.0,["[]","p",1]]]]]]]"#;
        let program = program(
            &[],
            &[main(&["real w", "real s", "real t"], block), g("g_t"), g_t],
        );
        let program = program.expect("it is valid");
        let found = checked(
            &program,
            RoutineId::new(0),
            r#"{"x": 0.7, "p": [0.3, 1, 1, 1]}"#,
        );
        assert_eq!(found.dot_product.agrees, Some(agrees), "{slope}: {found:?}");
    }
}

/// Two arguments that are written and share cells: so do their adjoints, if the given adjoint is marked for it; if it
/// is not, the run is refused.
#[test]
fn overlapping_arguments_that_are_written() {
    let at = |i: usize| format!(r#"["[]","q",{i}]"#);
    let section = |i: usize| format!(r#"["[]","q",[":",{i},{}]]"#, i + 1);
    for (shape, place, places) in [
        ("", &at as &dyn Fn(usize) -> String, [(1, 1), (1, 2)]),
        (":2", &section, [(1, 2), (1, 3)]),
        (":2", &section, [(2, 2), (3, 1)]),
    ] {
        for ((first, second), marked) in places.into_iter().flat_map(|p| [(p, false), (p, true)]) {
            let aliased = if marked { r#","aliased":true"# } else { "" };
            let formal = |name: &str| format!("inout real {name}{shape}");
            let [a, b, a_b, b_b] = ["a", "b", "a_b", "b_b"].map(formal);
            let g = routine(
                "g",
                &[&a, &b],
                &[],
                r#"["=","a",["*",3.0,"a"]],["=","b",["+",["*",2.0,"b"],"a"]]"#,
                r#","aliased":true,"derivatives":{"adjoint":"g_b"}"#,
            );
            let read = ["a", "b"].map(|n| format!("in real {n}{shape}"));
            // Each statement reads the target's adjoint and zeroes it before it increments any.
            let g_b = routine(
                "g_b",
                &[&read[0], &read[1], &a_b, &b_b],
                &[&format!("real t{shape}")],
                r#"["=","t","b_b"],["=","b_b",0.0],["=","b_b",["+","b_b",["*",2.0,"t"]]],
                ["=","a_b",["+","a_b","t"]],["=","a_b",["*",3.0,"a_b"]]"#,
                aliased,
            );
            let call = format!(r#"["call","g",[{},{}]]"#, place(first), place(second));
            let block = format!(
                r#"["=","q",["*","p","x"]],{call},["=","q",["*","q","q"]],{call},["=","y",["sum",["*","q","p"]]]"#
            );
            let program =
                program(&[], &[main(&["real q:4"], &block), g, g_b]).expect("it is valid");
            let f = program.program().main.expect("there is one");
            let length = usize::from(!shape.is_empty());
            let overlap = first.abs_diff(second) <= length;
            let found = check(
                &flat(&program),
                f,
                &Options::default(),
                |t| t.read_point(br#"{"x": 0.7, "p": [0.5, 1.5, -0.25, 2.0]}"#),
                Tolerances::default(),
            );
            let what = format!("{shape} {first} {second} {marked}");
            match found {
                Ok(found) => {
                    assert!(marked || !overlap, "{what}");
                    assert_eq!(found.agrees(), Some(true), "{what}: {found:?}");
                }
                Err(refused) => {
                    assert!(overlap && !marked, "{what}: {refused}");
                    // Overlaps that are known without a run are found by validation.
                    let codes = ["X214", "V150"];
                    assert!(codes.contains(&refused.0[0].code), "{what}: {refused}");
                }
            }
        }
    }
}
