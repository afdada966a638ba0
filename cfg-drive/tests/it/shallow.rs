//! Subscripts, conditions and bounds that are as deep as expressions may be, and names that are as long as
//! names may be: the derivative programs keep these limits.

use super::given::{list, program, routine};
use super::*;
use crate::flat;
use cfg_format::json;
use cfg_reverse::{reverse, tangent};

/// `e` in so many levels of an operator.
fn deep(op: &str, e: &str, levels: usize) -> String {
    let open = format!(r#"["{op}","#);
    format!("{}{e}{}", open.repeat(levels), "]".repeat(levels))
}

/// An integer of so many levels that is 2.
fn two(levels: usize) -> String {
    deep("max", r#""k""#, levels - 1)
}

/// A condition of so many levels.
fn condition(levels: usize) -> String {
    let x = deep("sin", r#"["[]","x",1]"#, levels - 3);
    format!(r#"[">",{x},0.0]"#)
}

#[test]
fn deep_subscripts_conditions_and_bounds() {
    for d in [60, 80, 90, 94, 95, 96, 97, 98] {
        let (c, inner, k, shallow) = (condition(d), condition(d - 1), two(d), two(3));
        let statements = [
            format!(r#"["=","y",["if",{c},["[]","x",1],["[]","x",2]]]"#),
            format!(
                r#"["=","y",["if",["<",["[]","x",1],0.0],["[]","x",1],["if",{inner},["[]","x",3],["[]","x",2]]]]"#
            ),
            format!(r#"["=","y",["[]","x",{k}]]"#),
            format!(r#"["=",["[]","a",{k}],["*",["[]","x",1],["[]","a",1]]]"#),
            format!(r#"["=",["[]","a",{k}],["*",["[]","x",1],["[]","a",{shallow}]]]"#),
            format!(r#"["=",["[]","a",[":",1,{k}]],["*",["[]","x",[":",{k},3]],["[]","a",1]]]"#),
            // The subscript is out of bounds where it is not evaluated.
            format!(
                r#"["=","y",["if",["<",["[]","x",1],0.0],["[]","x",["*","k",{inner_k}]],["[]","x",2]]]"#,
                inner_k = two(d - 3)
            ),
            format!(
                r#"["=","a",["if",[">","x",0.4],["*","x",["[]","x",{k}]],"a"]]"#,
                k = two(d - 3)
            ),
            format!(
                r#"["=","a",["if",{},["*","x",["[]","x",1]],"a"]]"#,
                condition(d).replace(r#"["[]","x",1]"#, r#""x""#)
            ),
        ];
        for statement in statements {
            let block = format!(
                r#"["=","a",["*","x","x"]],["=","y",0.0],{statement},
                ["=","y",["+",["*","y","y"],["sum",["*","a","a"]]]]"#
            );
            let f = routine(
                "f",
                &["in real x:3", "in integer k", "out real y"],
                &["real a:3"],
                &block,
                r#","independents":["x"],"dependents":["y"]"#,
            );
            let program = program(&[], &[f]).expect("it is valid");
            let f = program.program().main.expect("there is one");
            let found = checked(&program, f, r#"{"x": [0.51, 0.27, 1.13], "k": 2}"#);
            assert_ne!(found.agrees(), Some(false), "{d}, {statement}: {found:?}");
        }
    }
}

#[test]
fn deep_bounds_of_loops() {
    for d in [60, 95, 99, 100] {
        for which in 0..3 {
            let mut range = ["1", "3", "1"].map(str::to_owned);
            range[which] = two(d);
            let [first, last, step] = &range;
            for general in [false, true] {
                let control = if general {
                    r#""control":"general","#
                } else {
                    ""
                };
                let text = format!(
                    r#"{{"format":"cfgrev/1","main":"f","routines":[{{"name":"f",{control}"parameters":[{}],
                    "locals":[{}],"vertices":[{{"id":1,"type":"ENTRY"}},
                    {{"id":2,"type":"BASICBLOCK","statements":[["=","y",1.0]]}},
                    {{"id":3,"type":"LOOP","test":"counted","index":"i","first":{first},"last":{last},"step":{step}}},
                    {{"id":4,"type":"BASICBLOCK","statements":[["=","y",["*","y",["[]","x","i"],["sin","y"]]]]}},
                    {{"id":5,"type":"ENDLOOP"}},{{"id":7,"type":"EXIT"}}],
                    "edges":[{{"from":1,"to":2}},{{"from":2,"to":3}},{{"from":3,"to":4,"label":1}},
                    {{"from":4,"to":5}},{{"from":5,"to":3}},{{"from":3,"to":7}}],
                    "independents":["x"],"dependents":["y"]}}]}}"#,
                    list(&["in real x:3", "in integer k", "out real y"]),
                    list(&["integer i"]),
                );
                let program = json::read(text.as_bytes()).expect("it can be read");
                let program = validate(program).expect("it is valid");
                let f = program.program().main.expect("there is one");
                let found = checked(&program, f, r#"{"x": [0.51, 0.27, 1.13], "k": 2}"#);
                assert_ne!(found.agrees(), Some(false), "{d}, {which}: {found:?}");
            }
        }
    }
}

#[test]
fn long_names() {
    for letter in ["q", "\u{e9}", "\u{1f600}"] {
        for bytes in [980, 996, 998, 1000] {
            let long = letter.repeat(bytes / letter.len());
            let name = |k: usize| format!("{}{k}", &long[letter.len()..]);
            let mut p = ProgramBuilder::new();
            let g = p.global(name(1), Real);
            p.initialize(g, [2.0]);
            let mut h = RoutineBuilder::new(name(2));
            let (a, b) = (h.input(name(1), Real), h.inout(name(2), Real));
            let i = h.local(name(3), Integer);
            h.for_loop(i, 1, 3, |h| h.assign(b, b * a));
            let h = p.add(h);
            let mut f = RoutineBuilder::new(name(3));
            let (x, y) = (f.input(name(2), Real), f.output(name(3), Real));
            let g = f.global(p.program(), g);
            f.independents([x, g]).dependents([y]);
            f.assign(y, x * g);
            f.call(h, [x, y]);
            f.call(h, [x, y]);
            let f = p.add(f);
            let program = p.finish().expect("the builder is used right");
            let valid = |made| {
                validate(made)
                    .map(drop)
                    .unwrap_or_else(|d| panic!("{bytes}: {d}"));
            };
            let reversal =
                reverse(&flat(&program), f, &Default::default()).expect("it has an adjoint");
            valid(reversal.program);
            let first = tangent(&flat(&program), f).expect("it has a tangent");
            let second = validate(first.program).expect("it is valid");
            valid(
                tangent(&flat(&second), first.tangent)
                    .expect("it has one too")
                    .program,
            );
            let point = format!(r#"{{"{}": 0.7}}"#, name(2));
            let found = checked(&program, f, &point);
            assert_ne!(found.agrees(), Some(false), "{bytes}: {found:?}");
        }
    }
}
