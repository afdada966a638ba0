//! Pictures of sweeps of graphs that do not nest: loops, and the records at each place.

use cfg_back::dot::{DotOptions, write_cfg};
use cfg_core::validate::validate;
use cfg_reverse::{Options, Unstructured, reverse};
use cfg_testkit::flat;
use cfg_testkit::{golden::golden, jumps::shapes};

#[test]
fn sweeps_show_loops_and_what_is_recorded() {
    let all = shapes();
    for (name, file, unstructured) in [
        (
            "early return from nest",
            "early_return",
            Unstructured::Structure,
        ),
        (
            "two-entry loop in a counted loop",
            "two_entries",
            Unstructured::Structure,
        ),
        ("two-entry loop", "enumerated", Unstructured::Trace),
    ] {
        let shape = all.iter().find(|s| s.name == name).expect(name);
        let valid = validate(shape.case.program.clone()).unwrap();
        let options = Options {
            unstructured,
            ..Options::default()
        };
        let reversal = reverse(&flat(&valid), shape.case.main, &options).unwrap();
        for (sweep, routine) in [("forward", reversal.forward), ("reverse", reversal.reverse)] {
            let options = DotOptions {
                clusters: true,
                ..DotOptions::default()
            };
            let mut text = String::new();
            write_cfg(&mut text, &reversal.program, routine, &options).unwrap();
            let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden");
            golden(format!("{folder}/{file}_{sweep}.dot"), &text);
        }
    }
}
