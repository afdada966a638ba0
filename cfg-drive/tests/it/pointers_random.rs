//! Random programs with pointers: the lowered program against the interpreter, which has objects and a derivative for each
//! cell. `CFGREV_CASES` programs, 100 if that is not set, from `CFGREV_FIRST` on.

use crate::records::read;
use cfg_core::diagnostic::Diagnostics;
use cfg_drive::{Adjoint, Members, Options, Primal, Tangent};
use cfg_testkit::{
    interpret::{Argument, Limits, Value, interpret},
    pointers,
    rng::Rng,
};
use cfg_transform::pools;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;

/// Independent reals: `x` and `t`.
const INDEPENDENT: usize = 7;

fn reals(tree: &Json) -> Vec<f64> {
    match tree {
        Json::Array(items) => items.iter().flat_map(reals).collect(),
        other => vec![other.as_f64().unwrap_or(f64::NAN)],
    }
}

fn close(wanted: &[f64], found: &[f64]) -> bool {
    let scale = wanted.iter().fold(1.0, |m: f64, w| m.max(w.abs()));
    wanted.len() == found.len()
        && (wanted.iter().zip(found)).all(|(w, f)| (w - f).abs() <= 1e-9 * scale)
}

/// Values, tangent and gradient of one program at one point.
fn agrees(seed: u64) {
    let text = pointers::text(seed);
    let program = read(&text);
    let main = program.main.expect("one is marked");
    let mut rng = Rng::new(seed ^ 0x5eed);
    let mut numbers = |n: usize| -> Vec<f64> {
        (0..n)
            .map(|_| (rng.real(-1.5, 1.5) * 1024.0).round() / 1024.0)
            .collect()
    };
    let (x, c, t) = (numbers(6), numbers(4), numbers(1)[0]);
    let (direction, weights) = (numbers(INDEPENDENT), numbers(7));

    // By operator overloading, one direction for each independent.
    let unit = |k: usize| -> Vec<f64> {
        (0..INDEPENDENT)
            .map(|j| f64::from(u8::from(j == k)))
            .collect()
    };
    let array = |values: &[f64], unit: &dyn Fn(usize) -> Vec<f64>| Argument {
        extents: vec![values.len()],
        elements: values
            .iter()
            .enumerate()
            .map(|(k, &v)| Value::Real(v, unit(k)))
            .collect(),
    };
    let scalar = Argument {
        extents: vec![],
        elements: vec![Value::Real(t, unit(6))],
    };
    let arguments = [
        Some(array(&x, &unit)),
        Some(array(&c, &|_| Vec::new())),
        Some(scalar),
        None,
    ];
    let outcome = interpret(
        &program,
        main,
        &arguments,
        &BTreeMap::new(),
        Limits::default(),
    );
    let outcome = outcome.unwrap_or_else(|fault| panic!("seed {seed}: {fault:?}\n{text}"));
    let dependents = [&outcome.parameters[0], &outcome.parameters[3]];
    let dependents = dependents.into_iter().flat_map(|a| &a.elements);
    let (values, derivatives): (Vec<f64>, Vec<Vec<f64>>) = dependents
        .map(|value| match value {
            Value::Real(v, d) if d.is_empty() => (*v, vec![0.0; INDEPENDENT]),
            Value::Real(v, d) => (*v, d.clone()),
            other => panic!("{other:?}"),
        })
        .unzip();
    let along: Vec<f64> = derivatives
        .iter()
        .map(|row| row.iter().zip(&direction).map(|(d, v)| d * v).sum())
        .collect();
    let back: Vec<f64> = (0..INDEPENDENT)
        .map(|k| {
            derivatives
                .iter()
                .zip(&weights)
                .map(|(row, w)| w * row[k])
                .sum()
        })
        .collect();

    let fail = |e: Diagnostics| -> ! { panic!("seed {seed}: {e}\n{text}") };
    let name = &program.routine(main).name;
    let lowered = pools::lower(&program, &[main], 1000).unwrap_or_else(|e| fail(e));
    let main = lowered.find_routine(name).expect("it keeps its name");
    let point = json!({"x": x, "c": c, "t": t}).to_string();
    let options = Options::default();
    let members = |named| serde_json::to_value(Members::of(named, &lowered, main)).expect("values");
    let both = |tree: &Json, names: [&str; 2]| -> Vec<f64> {
        names.into_iter().flat_map(|n| reals(&tree[n])).collect()
    };

    let mut primal = Primal::new(&lowered, main, &options).unwrap_or_else(|e| fail(e));
    let at = primal.point(point.as_bytes()).unwrap_or_else(|e| fail(e));
    let run = primal.run(&at).unwrap_or_else(|e| fail(e));
    let found = both(&members(&run.value), ["x", "y"]);
    assert!(
        close(&values, &found),
        "seed {seed}: {values:?} {found:?}\n{text}"
    );

    let mut tangent = Tangent::new(&lowered, main, &options).unwrap_or_else(|e| fail(e));
    let at = tangent.point(point.as_bytes()).unwrap_or_else(|e| fail(e));
    let given = json!({"x": direction[..6], "t": direction[6]}).to_string();
    let given = tangent
        .direction(given.as_bytes(), &at)
        .unwrap_or_else(|e| fail(e));
    let result = tangent.tangent(&at, &given).unwrap_or_else(|e| fail(e));
    let found = both(&members(&result.tangent), ["x", "y"]);
    assert!(
        close(&along, &found),
        "seed {seed}: tangent {along:?} {found:?}\n{text}"
    );

    let mut adjoint = Adjoint::new(&lowered, main, &options).unwrap_or_else(|e| fail(e));
    let at = adjoint.point(point.as_bytes()).unwrap_or_else(|e| fail(e));
    let given = json!({"x": weights[..6], "y": weights[6]}).to_string();
    let (seeds, _) = adjoint
        .seeds(given.as_bytes(), &at)
        .unwrap_or_else(|e| fail(e));
    let result = adjoint.gradient(&at, &seeds[0]).unwrap_or_else(|e| fail(e));
    let found = both(&members(&result.gradient), ["x", "t"]);
    assert!(
        close(&back, &found),
        "seed {seed}: gradient {back:?} {found:?}\n{text}"
    );
}

#[test]
fn the_lowered_program_agrees_with_objects() {
    let number = |name| std::env::var(name).ok().and_then(|n| n.parse().ok());
    let first = number("CFGREV_FIRST").unwrap_or(0);
    for seed in first..first + number("CFGREV_CASES").unwrap_or(100) {
        agrees(seed);
    }
}
