//! Derivatives of derivatives: functions with kinks over arrays and sections can be differentiated again.

use super::given::{program, routine};
use super::*;
use crate::flat;
use cfg_reverse::tangent;

const ORDERS: usize = 3;

fn operands(k: usize) -> [&'static str; 2] {
    const SECTION: &str = r#"["[]","x",[":",2,3]]"#;
    const BACKWARDS: &str = r#"["[]","x",[":",4,3,-1]]"#;
    const WHOLE: &str = r#""p""#;
    const CHOICE: &str = r#"["if",[">",["[]","x",1],0.1],["[]","x",[":",1,2]],0.2]"#;
    [
        [SECTION, r#"["[]","x",4]"#],
        [r#"["[]","x",4]"#, BACKWARDS],
        [SECTION, BACKWARDS],
        [WHOLE, SECTION],
        [SECTION, r#"["[]","x","k"]"#],
        [CHOICE, SECTION],
    ][k]
}

fn kinks([a, b]: [&str; 2]) -> Vec<String> {
    let mut all = vec![
        format!(r#"["+",["abs",{a}],["abs",{b}]]"#),
        format!(r#"["max",{a},{b},["*",{a},{b}]]"#),
        format!(r#"["strong*",{a},{b}]"#),
        format!(r#"["if",[">",{a},{b}],["*",{a},{a}],["sin",{b}]]"#),
        format!(r#"["if",[">",["max",{a},{b}],0.5],["max",{a},["*",{b},{b}]],["abs",{b}]]"#),
        format!(r#"["*",["maxval",["max",{a},{b}]],["min",{a},{b}]]"#),
        // Reductions that some elements need, or none.
        format!(r#"["min",{a},["minval",["[]","x",[":",1,3]]]]"#),
        format!(r#"["if",["<",{a},99.0],["*",{a},{b}],["product",["[]","x",[":",1,3]]]]"#),
        format!(
            r#"["if",["<",{a},99.0],["*",{a},{b}],
            ["*",{b},["maxval",["*",["[]","x",[":",1,3]],["[]","x",[":",2,4]]]]]]"#
        ),
    ];
    for op in [
        "min", "max", "dim", "sign", "mod", "modulo", "atan2", "hypot",
    ] {
        all.push(format!(r#"["{op}",{a},{b}]"#));
    }
    all
}

#[test]
fn tangents_of_kinks_have_tangents_and_adjoints() {
    for k in 0..6 {
        for kink in kinks(operands(k)) {
            let block = format!(
                r#"["=","p",["*",["[]","x",[":",1,2]],1.5]],
                ["=",["[]","x",[":",1,2]],{kink}],
                ["=","y",["sum",["*",["[]","x",[":",1,3]],["[]","x",[":",2,4]]]]]"#
            );
            let f = routine(
                "f",
                &["inout real x:4", "in integer k", "out real y"],
                &["real p:2"],
                &block,
                r#","independents":["x"],"dependents":["y"]"#,
            );
            let mut program = program(&[], &[f]).expect("it is valid");
            let mut f = program.program().main.expect("there is one");
            let mut point = r#""x": [0.51, 0.27, 1.13, 0.34], "k": 4"#.to_owned();
            for order in 1..=ORDERS {
                let at = format!("{{{point}}}");
                let read = |t: &Primal| t.read_point(at.as_bytes());
                let found = check(
                    &flat(&program),
                    f,
                    &Options::default(),
                    read,
                    Tolerances::default(),
                );
                let found = found.unwrap_or_else(|d| panic!("{kink}, {order}: {d}"));
                assert_ne!(found.agrees(), Some(false), "{kink}, {order}: {found:?}");
                let made = tangent(&flat(&program), f).expect("it has a tangent");
                f = made.tangent;
                let reals = &made.program.routine(f).variables;
                for (i, v) in reals.iter().enumerate() {
                    let new = !point.contains(&format!(r#""{}""#, v.name));
                    let parameter = v.intent().is_some_and(|intent| intent != Intent::Out);
                    if v.ty == Real && parameter && new {
                        let x: Vec<f64> = (0..4).map(|e| 0.3 + 0.11 * (i + e) as f64).collect();
                        point = format!(r#"{point}, "{}": {x:?}"#, v.name);
                    }
                }
                program = validate(made.program).expect("it is valid");
            }
        }
    }
}
