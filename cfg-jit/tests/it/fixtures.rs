//! Every program in the folder `fixtures`, and its gradient.

use std::fs;

use cfg_core::validate::validate;
use cfg_exec::RunOptions;
use cfg_format::json;
use cfg_testkit::fixtures::folder;

use crate::{engines, gradient, primal};

#[test]
fn fixtures_run_alike() {
    let mut names: Vec<String> = fs::read_dir(folder())
        .expect("the fixtures are there")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter_map(|name| name.strip_suffix(".expected.json").map(str::to_owned))
        .collect();
    names.sort();
    assert!(names.len() > 21, "{names:?}");
    for name in names {
        let text = fs::read(folder().join(format!("{name}.json"))).expect(&name);
        let program = json::read(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
        let program = validate(program).unwrap_or_else(|e| panic!("{name}: {e}"));
        let routine = program.main.or(program.find_routine("f")).expect(&name);
        let point = fs::read(folder().join(format!("{name}.point.json"))).expect(&name);
        let program = cfg_testkit::flat(&program);
        // Runs that end, and runs that are stopped by each of the limits.
        let limits = [(1 << 40, 1 << 30), (3000, 1 << 30), (1 << 40, 300)];
        for ((fuel, max_tape), steps) in limits.into_iter().zip([100, 1000, 7]) {
            let run = RunOptions {
                fuel,
                max_tape,
                ..RunOptions::default()
            };
            let [expected, found @ ..] = engines(&run, steps)
                .map(|options| primal(&program, routine, &options, &|p| p.read_point(&point).ok()));
            for found in found {
                assert_eq!(expected, found, "{name}: primal, {run:?}, {steps}");
            }
            let [expected, found @ ..] = engines(&run, steps).map(|options| {
                gradient(&program, routine, &options, &|a| a.read_point(&point).ok())
            });
            for found in found {
                assert_eq!(expected, found, "{name}: gradient, {run:?}, {steps}");
            }
        }
    }
}
