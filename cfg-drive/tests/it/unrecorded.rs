//! Results and `out` arguments of calls with a given adjoint need not be recorded: the adjoint is handed something
//! else in their place, and nothing that is generated reads what has no value.

use super::given::{program, routine};
use super::*;
use crate::flat;
use cfg_core::validate::find_problems;

#[test]
fn nothing_that_is_generated_reads_what_has_no_value() {
    for (shape, weights) in [("", 1.0), (":3", 1.0 + 2.0 + 3.0)] {
        for result in [true, false] {
            for intent in ["in", "inout", "out"] {
                let out = format!("out real r{shape}");
                let extents = if shape.is_empty() {
                    ""
                } else {
                    r#","shape":[3]"#
                };
                let (more, formals, block) = match result {
                    true => (
                        format!(r#","result":{{"name":"r","type":"real"{extents}}}"#),
                        vec!["in real a"],
                        r#"["=","t",["call","g",["x"]]]"#,
                    ),
                    false => (
                        String::new(),
                        vec!["in real a", &*out],
                        r#"["call","g",["x","t"]]"#,
                    ),
                };
                let g = routine(
                    "g",
                    &formals,
                    &[],
                    r#"["=","r",["*","a","a"]]"#,
                    &format!(r#"{more},"derivatives":{{"adjoint":"g_b"}}"#),
                );
                let increment = match shape {
                    "" => r#""r_b""#,
                    _ => r#"["sum","r_b"]"#,
                };
                let [handed, adjoint] = [
                    format!("{intent} real r{shape}"),
                    format!("inout real r_b{shape}"),
                ];
                let scribble = match intent {
                    "in" => "",
                    _ => r#"["=","r",7.0],"#,
                };
                let g_b = routine(
                    "g_b",
                    &["in real a", &handed, "inout real a_b", &adjoint],
                    &[],
                    &format!(
                        r#"{scribble}["=","a_b",["+","a_b",["*",2.0,"a",{increment}]]],["=","r_b",0.0]"#
                    ),
                    "",
                );
                let local = format!("real t{shape}");
                let sum = match shape {
                    "" => r#"["*",1.0,"t"]"#.to_owned(),
                    _ => {
                        (1..=3).fold(r#"["+""#.to_owned(), |all, k| {
                            all + &format!(r#",["*",{k}.0,["[]","t",{k}]]"#)
                        }) + "]"
                    }
                };
                let main = routine(
                    "f",
                    &["in real x", "inout real y"],
                    &[&local],
                    &format!(r#"{block},["=","y",["+","y",{sum}]]"#),
                    r#","independents":["x"],"dependents":["y"]"#,
                );
                let what = format!("{shape} {result} {intent}");
                let program =
                    program(&[], &[main, g, g_b]).unwrap_or_else(|e| panic!("{what}: {e}"));
                let main = program.main.expect("it is marked");
                let reversal = cfg_reverse::reverse(&flat(&program), main, &Default::default())
                    .unwrap_or_else(|d| panic!("{what}: {d}"));
                let found = find_problems(&reversal.program).1;
                assert!(found.is_empty(), "{what}: {found}");
                let mut adjoint = Adjoint::new(&flat(&program), main, &Options::default()).unwrap();
                let point = adjoint.read_point(br#"{"x":3.0,"y":0.0}"#).unwrap();
                let seed = adjoint.default_seed(&point).unwrap();
                let gradient = adjoint.gradient(&point, &seed).unwrap().gradient;
                assert_eq!(gradient[0].1.to_f64s().unwrap(), [6.0 * weights], "{what}");
            }
        }
    }
}
