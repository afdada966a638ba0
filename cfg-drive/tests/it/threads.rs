//! Gradients at many points: memory that is kept, and threads.

use cfg_core::{flat::Flat, validate::validate};
use cfg_drive::{Adjoint, Gradient, Options, Point, Primal, Tangent, batch};
use cfg_format::text;
use std::ops::ControlFlow;

/// Records values, a count and a branch; has an array, a call, and the result of a function.
const PROGRAM: &str = "
subroutine step(in real a, inout real y)
  if a < 0.3
    y := sin(y*a)
  else
    y := y*cos(y) + a
  end
end

function f(in integer n, in real x[n]) result real y
  independent x
  dependent y
  local integer i
  local logical more
  y := 1.0
  i := 1
  more := i <= n
  while more
    call step(x[i], y)
    y := y*y
    i := i + 1
    more := i <= n
  end
end
";

/// Parts that threads share, and parts that each has for itself.
const fn of_threads<T: Send + Sync>() {}
const _: () = {
    of_threads::<Adjoint>();
    of_threads::<Primal>();
    of_threads::<Tangent>();
    of_threads::<cfg_exec::Compiled>();
    of_threads::<Point>();
};

fn flat() -> (Flat, cfg_core::entity::RoutineId) {
    let parsed = text::parse(PROGRAM);
    let program = parsed.program.ok_or(parsed.problems).expect("it is read");
    let program = validate(program).expect("it is valid");
    let main = program.find_routine("f").expect("it is there");
    (Flat::check(program).expect("it is flat"), main)
}

fn adjoint(options: &Options) -> Adjoint {
    let (program, routine) = flat();
    Adjoint::new(&program, routine, options).expect("it can be reversed")
}

fn text_at(k: usize) -> String {
    let x = (0..4).map(|i| ((k * 7 + i * 3) % 11) as f64 / 10.0 - 0.2);
    let x: Vec<String> = x.map(|x| format!("{x:?}")).collect();
    format!("{{\"n\": 4, \"x\": [{}]}}", x.join(","))
}

fn point(adjoint: &Adjoint, k: usize) -> Point {
    let read = adjoint.read_point(text_at(k).as_bytes());
    read.expect("it fits")
}

/// The cells of a gradient: equal cells are equal bits.
fn cells(gradient: &Gradient) -> (cfg_drive::Named, cfg_drive::Named) {
    (gradient.value.clone(), gradient.gradient.clone())
}

/// After the first of many gradients, no more memory is taken: neither from the system, nor from the account.
#[test]
fn gradients_in_a_row_take_no_memory() {
    let options = Options::default();
    let mut adjoint = adjoint(&options);
    let points: Vec<Point> = (0..11).map(|k| point(&adjoint, k)).collect();
    let seed = adjoint.default_seed(&points[0]).expect("one dependent");
    let mut results = Gradient::default();
    for point in &points {
        adjoint
            .gradient_into(point, &seed, &mut results)
            .expect("it runs");
    }
    let tape = results.tape.as_ref().expect("the executor counts");
    assert!(tape.reals > 0 && tape.control_bits > 0, "{tape:?}");
    let used = options.memory.used();
    let taken = allocation_counter::measure(|| {
        for point in points.iter().cycle().take(1100) {
            adjoint
                .gradient_into(point, &seed, &mut results)
                .expect("it runs");
        }
    });
    assert_eq!((taken.count_total, taken.bytes_total), (0, 0));
    assert_eq!(options.memory.used(), used);
}

/// Results that replace others are those of a call of its own, also after a point with other shapes.
#[test]
fn results_are_replaced() {
    let mut adjoint = adjoint(&Options::default());
    let mut results = Gradient::default();
    for text in [
        r#"{"n": 3, "x": [0.1, 0.5, 0.2]}"#,
        r#"{"n": 1, "x": [0.4]}"#,
        r#"{"n": 0, "x": []}"#,
        r#"{"n": 5, "x": [0.4, 0.3, 0.2, 0.1, 0.9]}"#,
    ] {
        let point = adjoint.read_point(text.as_bytes()).expect("it fits");
        let seed = adjoint.default_seed(&point).expect("one dependent");
        let single = adjoint.gradient(&point, &seed).expect("it runs");
        adjoint
            .gradient_into(&point, &seed, &mut results)
            .expect("it runs");
        assert_eq!(results, single, "{text}");
    }
}

/// Threads share the code, and each has memory of its own: gradients are those of one thread, bit by bit.
#[test]
fn threads_give_the_same_bits() {
    const POINTS: usize = 300;
    let mut first = adjoint(&Options::default());
    let single: Vec<_> = (0..POINTS)
        .map(|k| {
            let point = point(&first, k);
            let seed = first.default_seed(&point).expect("one dependent");
            cells(&first.gradient(&point, &seed).expect("it runs"))
        })
        .collect();
    for threads in [1, 2, 5] {
        let workers = (0..threads).map(|_| first.for_thread().expect("the executor can"));
        let mut workers: Vec<Adjoint> = workers.collect();
        let work = |adjoint: &mut Adjoint, k| {
            let point = point(adjoint, k);
            let seed = adjoint.default_seed(&point).expect("one dependent");
            cells(&adjoint.gradient(&point, &seed).expect("it runs"))
        };
        let mut found = Vec::new();
        let take = |_, result| {
            found.push(result);
            ControlFlow::Continue(())
        };
        batch(&mut workers, POINTS, work, take).expect("there are threads");
        assert_eq!(found, single, "{threads}");
    }
}

/// Each thread has an account of memory of its own, with the limits of the options.
#[test]
fn threads_have_accounts_of_their_own() {
    let mut options = Options::default();
    options.run.max_memory = 1 << 20;
    let (program, routine) = flat();
    let primal = Primal::new(&program, routine, &options).expect("it is compiled");
    let adjoint = adjoint(&options);
    let _taken = options.memory.lease(1 << 20, 1 << 20).expect("all of it");
    assert!(adjoint.read_point(text_at(0).as_bytes()).is_err());
    let other = adjoint.for_thread().expect("the executor can");
    assert!(other.read_point(text_at(0).as_bytes()).is_ok());
    let mut other = primal.for_thread().expect("the executor can");
    let point = other
        .read_point(text_at(0).as_bytes())
        .expect("there is room");
    assert!(other.run(&point).is_ok() && primal.read_point(b"{}").is_err());
}
