//! Points, seeds, runs and results of several sessions count against one limit.

use crate::flat;
use crate::product_and_sum;
use cfg_core::diagnostic::Diagnostics;
use cfg_drive::{
    Adjoint, Mode, Options, Primal, Tangent, Tolerances, check, compressed_jacobian, jacobian,
};

/// Options with a limit, and an account of their own.
fn within(limit: u64) -> Options {
    let mut options = Options::default();
    options.run.max_memory = limit;
    options
}

/// `{"n": N, "x": [1, ...], "g": 4}`.
fn point(n: usize) -> String {
    format!(r#"{{"n": {n}, "x": {:?}, "g": 4}}"#, vec![1.0; n])
}

/// A use of the library with a point and options.
type Work = fn(&str, &Options) -> Result<(), Diagnostics>;

fn run(point: &str, options: &Options) -> Result<(), Diagnostics> {
    let (program, f) = product_and_sum();
    let mut primal = Primal::new(&flat(&program), f, options)?;
    let point = primal.read_point(point.as_bytes())?;
    primal.run(&point).map(|_| ())
}

fn gradient(point: &str, options: &Options) -> Result<(), Diagnostics> {
    let (program, f) = product_and_sum();
    let mut adjoint = Adjoint::new(&flat(&program), f, options)?;
    let point = adjoint.read_point(point.as_bytes())?;
    let (seeds, _) = adjoint.read_seeds(br#"[{"y": [1, 0]}, {"y": [0, 1]}]"#, &point)?;
    let all: Result<Vec<_>, _> = seeds.iter().map(|s| adjoint.gradient(&point, s)).collect();
    all.map(|_| ())
}

fn tangent(point: &str, options: &Options) -> Result<(), Diagnostics> {
    let (program, f) = product_and_sum();
    let mut tangent = Tangent::new(&flat(&program), f, options)?;
    let point = tangent.read_point(point.as_bytes())?;
    let direction = tangent.read_direction(b"{}", &point)?;
    tangent.tangent(&point, &direction).map(|_| ())
}

fn checked(point: &str, options: &Options) -> Result<(), Diagnostics> {
    let (program, f) = product_and_sum();
    let read = |p: &Primal| p.read_point(point.as_bytes());
    check(&flat(&program), f, options, read, Tolerances::default()).map(|_| ())
}

fn rows(point: &str, options: &Options) -> Result<(), Diagnostics> {
    let (program, f) = product_and_sum();
    let read = |p: &Primal| p.read_point(point.as_bytes());
    jacobian(&flat(&program), f, options, read, Some(Mode::Adjoint)).map(|_| ())
}

fn few_rows(point: &str, options: &Options) -> Result<(), Diagnostics> {
    let (program, f) = product_and_sum();
    let read = |p: &Primal| p.read_point(point.as_bytes());
    compressed_jacobian(&flat(&program), f, options, read, Some(Mode::Adjoint)).map(|_| ())
}

/// The smallest limit, to a thousandth, with which it ends well.
fn needed(name: &str, work: Work, n: usize) -> u64 {
    let point = point(n);
    let (mut low, mut high) = (0u64, 1 << 30);
    while high - low > high / 1000 {
        let middle = low + (high - low) / 2;
        let options = within(middle);
        match work(&point, &options) {
            Ok(()) => high = middle,
            Err(problems) => {
                let known = |code| ["X210", "P419"].contains(&code);
                assert!(problems.iter().all(|d| known(d.code)), "{name}: {problems}");
                low = middle;
            }
        }
        assert_eq!(options.memory.used(), 0, "{name}: all is given back");
    }
    high
}

#[test]
fn whatever_is_done_stays_within_the_limit() {
    let kinds: [(&str, Work, u64); 6] = [
        // Text, values, arguments, and the machine's copy of them.
        ("run", run, 4 * 8),
        // And derivatives.
        ("gradient", gradient, 7 * 8),
        ("tangent", tangent, 6 * 8),
        ("check", checked, 12 * 8),
        ("jacobian", rows, 8 * 8),
        ("compressed jacobian", few_rows, 8 * 8),
    ];
    for (name, work, each) in kinds {
        let (few, many) = (needed(name, work, 1000), needed(name, work, 4000));
        let more = many - few;
        assert!(
            more >= 3000 * each,
            "{name}: {few} and {many} bytes for 1000 and 4000"
        );
    }
}

#[test]
fn values_that_are_kept_count() {
    let (program, f) = product_and_sum();
    let options = within(1 << 30);
    let mut adjoint = Adjoint::new(&flat(&program), f, &options).expect("it has an adjoint");
    let point = adjoint.read_point(point(1000).as_bytes()).expect("a point");
    let seed = adjoint.seed_of_ones(&point).expect("it has dependents");
    let first = adjoint.gradient(&point, &seed).expect("it runs");
    let one = options.memory.used();
    let second = adjoint.gradient(&point, &seed).expect("it runs");
    let two = options.memory.used();
    assert!(two - one >= 8000, "{one} and {two}");
    drop((first, second));
    assert!(options.memory.used() < one);
    drop((adjoint, point));
    assert_eq!(options.memory.used(), 0);
}
