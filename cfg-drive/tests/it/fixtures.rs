//! Every program in the folder `fixtures`: value and gradient against the independent source, adjoint
//! against tangent, tangent against differences, the tape empty at the end.

use crate::flat;
use cfg_core::validate::validate;
use cfg_drive::{Adjoint, Named, Nested, Options, Tolerances, check};
use cfg_format::json;
use cfg_reverse::Blocks;
use cfg_testkit::fixtures::{expected, folder, largest_error, numbers};
use serde_json::{Map, Value as Json};
use std::fs;

/// The largest relative error of some named values.
fn error(expected: &Map<String, Json>, found: &Named) -> f64 {
    assert_eq!(expected.len(), found.len());
    let errors = expected.iter().map(|(name, wanted)| {
        let (_, value) = found.iter().find(|(n, _)| n == name).expect(name);
        let found = serde_json::to_value(Nested(value)).expect("values are JSON");
        largest_error(&numbers(wanted), &numbers(&found))
    });
    errors.fold(0.0, f64::max)
}

#[test]
fn fixtures_have_the_expected_gradients() {
    let mut files: Vec<_> = fs::read_dir(folder())
        .expect("the fixtures are there")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter_map(|name| name.strip_suffix(".expected.json").map(str::to_owned))
        .collect();
    files.sort();
    assert!(files.len() > 21, "{files:?}");
    let mut tape: Vec<(String, [u64; 3])> = Vec::new();
    for name in files {
        let text = fs::read(folder().join(format!("{name}.json"))).expect(&name);
        let program = json::read(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
        let program = validate(program).unwrap_or_else(|e| panic!("{name}: {e}"));
        let routine = program.main.or(program.find_routine("f")).expect(&name);
        let point = fs::read(folder().join(format!("{name}.point.json"))).expect(&name);
        let wanted = expected(&name);

        // However the blocks' adjoints are built, the gradient is the same.
        let mut recorded = [0; 3];
        let ways = [Blocks::Statement, Blocks::Preaccumulate, Blocks::Auto];
        for ((blocks, merge), bits) in ways
            .into_iter()
            .zip([false, true, false])
            .zip(&mut recorded)
        {
            let options = Options {
                reversal: cfg_reverse::Options {
                    blocks,
                    merge,
                    work: 500_000,
                    ..cfg_reverse::Options::default()
                },
                ..Options::default()
            };
            let what = format!("{name}, {blocks:?}");
            let mut adjoint = Adjoint::new(&flat(&program), routine, &options)
                .unwrap_or_else(|e| panic!("{what}: {e}"));
            let at = adjoint
                .read_point(&point)
                .unwrap_or_else(|e| panic!("{what}: {e}"));
            let seed = match &wanted.seed {
                None => adjoint.default_seed(&at),
                Some(seed) => adjoint
                    .read_seeds(seed.to_string().as_bytes(), &at)
                    .map(|(mut seeds, _)| seeds.remove(0)),
            };
            let seed = seed.unwrap_or_else(|e| panic!("{what}: {e}"));
            let result = adjoint
                .gradient(&at, &seed)
                .unwrap_or_else(|e| panic!("{what}: {e}"));
            let value = error(&wanted.value, &result.value);
            assert!(value < 1e-13, "{what}: the value differs by {value:e}");
            let gradient = error(&wanted.gradient, &result.gradient);
            assert!(
                gradient < 1e-12,
                "{what}: the gradient differs by {gradient:e}"
            );
            let counts = result.tape.expect("the executor counts");
            *bits = counts.control_bits + 8 * counts.value_bytes;
        }
        tape.push((name.clone(), recorded));

        let checked = check(
            &flat(&program),
            routine,
            &Options::default(),
            |tangent| tangent.read_point(&point),
            Tolerances::default(),
        )
        .unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(checked.agrees(), Some(true), "{name}: {}", checked.remarks);
    }
    // The choice by cost records no more than by statement in any run, and less in many.
    for (name, [statement, jacobian, chosen]) in &tape {
        println!("| {name} | {statement} | {jacobian} | {chosen} |");
    }
    let less = |[statement, _, chosen]: &[u64; 3]| chosen < statement;
    assert!(tape.iter().all(|(_, bits)| bits[2] <= bits[0]), "{tape:?}");
    assert!(tape.iter().filter(|(_, bits)| less(bits)).count() >= 4);
}
