//! Every program in the folder `fixtures`: value and gradient against the independent source, adjoint
//! against tangent, tangent against differences, the tape empty at the end.

use cfg_core::{json, validate::validate};
use cfg_drive::{Adjoint, Named, Nested, Options, Tolerances, check};
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
    for name in files {
        let text = fs::read(folder().join(format!("{name}.json"))).expect(&name);
        let program = json::read(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
        let program = validate(program).unwrap_or_else(|e| panic!("{name}: {e}"));
        let routine = program.main.or(program.find_routine("f")).expect(&name);
        let point = fs::read(folder().join(format!("{name}.point.json"))).expect(&name);
        let wanted = expected(&name);

        let mut adjoint = Adjoint::new(&program, routine, &Options::default())
            .unwrap_or_else(|e| panic!("{name}: {e}"));
        let at = adjoint
            .point(&point)
            .unwrap_or_else(|e| panic!("{name}: {e}"));
        let seed = match &wanted.seed {
            None => adjoint.default_seed(&at),
            Some(seed) => adjoint
                .seeds(seed.to_string().as_bytes(), &at)
                .map(|(mut seeds, _)| seeds.remove(0)),
        };
        let seed = seed.unwrap_or_else(|e| panic!("{name}: {e}"));
        let result = adjoint
            .gradient(&at, &seed)
            .unwrap_or_else(|e| panic!("{name}: {e}"));
        let value = error(&wanted.value, &result.value);
        assert!(value < 1e-13, "{name}: the value differs by {value:e}");
        let gradient = error(&wanted.gradient, &result.gradient);
        assert!(
            gradient < 1e-12,
            "{name}: the gradient differs by {gradient:e}"
        );

        let checked = check(
            &program,
            routine,
            &Options::default(),
            |tangent| tangent.point(&point),
            Tolerances::default(),
        )
        .unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(checked.agrees(), "{name}: {}", checked.remarks);
    }
}
