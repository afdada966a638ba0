//! The scalar that a function returns goes to all elements of the array or section that it is assigned to.

use super::given::{program, routine};
use super::*;
use crate::flat;

#[test]
fn adjoints_are_added_up_from_all_elements() {
    let external = |known: &str| {
        format!(
            r#"{{"name":"g","parameters":[{{"name":"u","type":"real","intent":"in"}}],
            "result":{{"name":"r","type":"real"}},"external":{{"value":["*","u","u"]{known}}}}}"#
        )
    };
    let functions = [
        external(""),
        external(r#","partials":{"u":["*",2.0,"u"]}"#),
        routine(
            "g",
            &["in real u"],
            &[],
            r#"["=","r",["*","u","u"]]"#,
            r#","result":{"name":"r","type":"real"}"#,
        ),
        routine(
            "g",
            &["in real u"],
            &[],
            r#"["=","r",["*","u","u"]]"#,
            r#","result":{"name":"r","type":"real"},"derivatives":{"adjoint":"g_b"}"#,
        ) + ","
            + &routine(
                "g_b",
                &[
                    "in real u",
                    "inout real r",
                    "inout real u_b",
                    "inout real r_b",
                ],
                &[],
                r#"["=","u_b",["+","u_b",["*",2.0,"u","r_b"]]],["=","r_b",0.0]"#,
                "",
            ),
    ];
    // Row by row, with cells 1 to 6; the weights of a are 1, 10, 100, ...
    let targets = [
        (r#""a""#, 0b11_1111),
        (r#"["[]","a",2,[":",2,3]]"#, 0b11_0000),
        (r#"["[]","a",[":",2,1,-1],2]"#, 0b01_0010),
        (r#"["[]","a",1,3]"#, 0b00_0100),
    ];
    let weights = [1.0, 10.0, 100.0, 1e3, 1e4, 1e5];
    for function in &functions {
        for (target, cells) in targets {
            let block = format!(r#"["=",{target},["call","g",["x"]]]"#);
            let main = routine(
                "f",
                &["in real x", "inout real a:2,3"],
                &[],
                &block,
                r#","independents":["x","a"],"dependents":["a"]"#,
            );
            let program = program(&[], &[main, function.clone()]).expect("a valid program");
            let mut adjoint =
                Adjoint::new(&flat(&program), program.main.unwrap(), &Options::default())
                    .unwrap_or_else(|d| panic!("{target}: {d}"));
            let point = br#"{"x":3.0,"a":[[1.0,1.0,1.0],[1.0,1.0,1.0]]}"#;
            let point = adjoint.read_point(point).expect("a point");
            let seed = br#"{"a":[[1.0,10.0,100.0],[1e3,1e4,1e5]]}"#;
            let seed = adjoint
                .read_seeds(seed, &point)
                .expect("a seed")
                .0
                .remove(0);
            let found = adjoint.gradient(&point, &seed).expect("a gradient");
            let is_written = |k: &usize| cells >> k & 1 == 1;
            let sum: f64 = (0..6).filter(is_written).map(|k| weights[k]).sum();
            let rest = (0..6).map(|k| if is_written(&k) { 0.0 } else { weights[k] });
            let wanted: Vec<f64> = std::iter::once(6.0 * sum).chain(rest).collect();
            let gradient = found.gradient.iter();
            let gradient = gradient.flat_map(|(_, value)| value.to_f64s().unwrap());
            assert_eq!(
                gradient.collect::<Vec<f64>>(),
                wanted,
                "{target} {function}"
            );
        }
    }
}
