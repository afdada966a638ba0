//! Arrays that take a new shape from an expression over themselves: the adjoint has the shape that the array
//! had before.

use super::given::{program, routine};
use super::*;
use cfg_testkit::rng::Rng;

/// A scalar made of the whole array `d` or `m`.
fn reduction(rng: &mut Rng) -> String {
    let array = ["d", "m"][rng.below(2)];
    let op = ["sum", "sum", "product", "maxval", "minval"][rng.below(5)];
    match rng.below(4) {
        0 => format!(r#"["sum",["*","{array}","{array}"]]"#),
        1 => format!(r#"["sin",["{op}","{array}"]]"#),
        _ => format!(r#"["{op}","{array}"]"#),
    }
}

/// A statement after which `d` (of rank 1) or `m` (of rank 2) may have another shape.
fn statement(rng: &mut Rng) -> String {
    let (s, t) = (reduction(rng), reduction(rng));
    let (k, l) = (1 + rng.below(4), 1 + rng.below(3));
    let condition = format!(r#"[">",["[]","x",{}],0.8]"#, 1 + rng.below(3));
    match rng.below(11) {
        0 => format!(r#"["=","d",["*","x",{s}]]"#),
        1 => format!(r#"["=","d",["fill",{s},{k}]]"#),
        2 => format!(r#"["=","m",["fill",{s},{k},{l}]]"#),
        3 => format!(r#"["=","d",["+",["*","z",{s}],["sin",{t}]]]"#),
        4 => format!(r#"["=","d",["if",{condition},"d",["*","x",{s}]]]"#),
        5 => format!(r#"["=","d",["if",{condition},["*","z",{s}],["*","x",{t}]]]"#),
        6 => r#"["=","m",["transpose","m"]]"#.to_owned(),
        7 => format!(r#"["=","m",["*",["transpose","m"],["+",{s},1.0]]]"#),
        8 => format!(r#"["=","d",["+",["fill",{s},{k}],["*",["fill",{t},{k}],["[]","x",1]]]]"#),
        9 => format!(r#"["=","d",["*","d",{s}]]"#),
        _ => format!(r#"["=",["[]","d",1],["*",["[]","d",1],{s}]]"#),
    }
}

#[test]
fn reductions_of_what_gets_another_shape() {
    let cases = std::env::var("CFGREV_CASES").ok();
    let cases = cases.and_then(|n| n.parse().ok()).unwrap_or(400);
    let mut compared = 0;
    for seed in 0..cases {
        let mut rng = Rng::new(seed);
        let mut block = vec![
            r#"["=","d",["fill",["[]","x",1],2]]"#.to_owned(),
            r#"["=","m",["fill",["*",["[]","x",2],["[]","x",3]],2,3]]"#.to_owned(),
            r#"["=",["[]","m",2,1],["[]","x",1]]"#.to_owned(),
        ];
        for _ in 0..1 + rng.below(4) {
            block.push(statement(&mut rng));
            // Values stay moderate.
            block.push(r#"["=","d",["sin","d"]]"#.to_owned());
        }
        block.push(r#"["=","y",["+",["sum","d"],["sum",["sin","m"]]]]"#.to_owned());
        let parameters = ["in real x:3", "in real z:4", "out real y"];
        let locals = ["real d:null", "real m:null,null"];
        let declared = r#","independents":["x","z"],"dependents":["y"]"#;
        let f = routine("f", &parameters, &locals, &block.join(","), declared);
        let program = program(&[], &[f]).expect("it is valid");
        let f = program.program().main.expect("there is one");
        let point = r#"{"x": [0.7, 0.9, 1.1], "z": [0.5, 0.25, -0.75, 0.125]}"#;
        let found = checked(&program, f, point);
        assert_ne!(found.agrees(), Some(false), "{seed}: {found:?}\n{block:?}");
        compared += found.differences.compared;
    }
    assert!(compared > 0);
}
