//! Runs that a limit stops: the loop that does not end is named, and a check says what it could not run.

use crate::flat;
use crate::{finish, of_text, pointers, product_and_sum};
use cfg_core::builder::{ProgramBuilder, RoutineBuilder, expr::*};
use cfg_core::ir::ScalarType::Real;
use cfg_drive::{Adjoint, Options, Primal, Tangent, Tolerances, check, give_sizes};
use cfg_testkit::growth;

#[test]
fn loops_that_do_not_end_are_named_with_their_passes() {
    // Whether globals are given or not; the sweeps' loop has the id of the original.
    let mut p = ProgramBuilder::new();
    let g = p.global("g", Real);
    p.initialize(g, [2.0]);
    let mut f = RoutineBuilder::new("f");
    let (x, y) = (f.input("x", Real), f.output("y", Real));
    let g = f.global(p.program(), g);
    f.independents([x]).dependents([y]);
    f.assign(y, x);
    f.while_loop(gt(g, 0.0), |f| {
        f.assign(y, y * y);
        f.assign(g, g + 1.0);
    });
    let f = p.add(f);
    let program = p.finish().expect("it is valid");
    let mut options = Options::default();
    for (code, limit) in [("X208", "fuel"), ("X209", "tape")] {
        options.run = cfg_exec::RunOptions::default();
        match limit {
            "fuel" => options.run.fuel = 2000,
            _ => {
                options.run.max_tape = 2000;
                // The loop records values of y; no Jacobian of it is carried.
                options.reversal.markers = true;
            }
        }
        for text in [r#"{"x": 0.5}"#, r#"{"x": 0.5, "g": 7}"#] {
            let mut found = Vec::new();
            let mut adjoint =
                Adjoint::new(&flat(&program), f, &options).expect("it has an adjoint");
            let point = adjoint.read_point(text.as_bytes()).expect("a point");
            let seed = adjoint.default_seed(&point).expect("a seed");
            found.push(("f_fwd", adjoint.gradient(&point, &seed).err()));
            if limit == "fuel" {
                let mut primal = Primal::new(&flat(&program), f, &options).expect("it runs");
                let point = primal.read_point(text.as_bytes()).expect("a point");
                found.push(("f", primal.run(&point).err()));
                let mut tangent =
                    Tangent::new(&flat(&program), f, &options).expect("it has a tangent");
                let point = tangent.read_point(text.as_bytes()).expect("a point");
                let direction = tangent.read_direction(br#"{"x": 1}"#, &point).expect("one");
                found.push(("f_t", tangent.tangent(&point, &direction).err()));
            }
            for (routine, problems) in found {
                let problems = problems.expect("it does not end");
                let d = &problems.0[0];
                assert_eq!(d.code, code);
                let (_, rest) = d.message.split_once(", in LOOP ").expect("a loop");
                let start = format!(" of routine {routine} after ");
                let (id, passes) = rest.split_once(&*start).expect("passes");
                assert_eq!(id, "3", "{d}");
                let passes = passes.strip_suffix(" passes").expect("passes");
                assert!(passes.parse::<u32>().expect("a number") > 50, "{d}");
            }
        }
    }
}

#[test]
fn a_mesh_costs_what_it_runs() {
    // A run visits twice as many nodes as there are; code that is jumped over costs nothing.
    for n in [400, 1600, 8100] {
        let program = growth::mesh(n);
        let f = cfg_core::entity::RoutineId::new(0);
        let mut options = Options::default();
        options.run.fuel = 300 * n as u64;
        let mut adjoint = Adjoint::new(&flat(&program), f, &options).expect("it has an adjoint");
        let point = adjoint
            .read_point(br#"{"x": 0.5, "y": 0.25}"#)
            .expect("a point");
        let seed = adjoint.default_seed(&point).expect("a seed");
        if let Err(d) = adjoint.gradient(&point, &seed) {
            panic!("{n}: {d}");
        }
    }
}

#[test]
fn a_check_says_what_the_limits_did_not_let_it_run() {
    // The record of a long run takes more memory than the derivatives.
    let mut f = RoutineBuilder::new("f");
    let (x, y) = (f.input("x", Real), f.output("y", Real));
    let i = f.local("i", cfg_core::ir::ScalarType::Integer);
    f.independents([x]).dependents([y]);
    f.assign(y, x);
    f.for_loop(i, 1, 20_000, |f| f.assign(y, y + x));
    let (program, f) = finish(f);
    let checked = |limit: u64| {
        let mut options = Options::default();
        options.run.max_memory = limit;
        let read = |p: &Primal| p.read_point(br#"{"x": 0.5}"#);
        check(&flat(&program), f, &options, read, Tolerances::default()).expect("it can be checked")
    };
    let found = checked(1 << 30);
    assert_eq!(found.agrees(), Some(true));
    assert!(found.remarks.is_empty(), "{}", found.remarks);
    let found = checked(200_000);
    assert_eq!(found.agrees(), None);
    let said = found.remarks.to_string();
    for part in [
        "P435",
        "no difference was computed: [X210]",
        "in LOOP 3 of routine f",
        "--max-memory",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(!said.contains("P434"), "{said}");
}

#[test]
fn seeds_of_ones_count() {
    let (program, f) = product_and_sum();
    let options = Options::default();
    let adjoint = Adjoint::new(&flat(&program), f, &options).expect("it has an adjoint");
    let point = adjoint
        .read_point(br#"{"n": 2, "x": [1, 2]}"#)
        .expect("a point");
    let before = options.memory.used();
    let seed = adjoint.seed_of_ones(&point).expect("it has dependents");
    assert_eq!(options.memory.used() - before, 2 * 8);
    assert_eq!(seed[0].to_f64s(), Some(vec![1.0, 1.0]));
    // One more takes the place of the first.
    let _again = adjoint.seed_of_ones(&point).expect("it has dependents");
    assert_eq!(options.memory.used() - before, 2 * 8);
}

/// Up to 20 fields of a record are named where another is given, and up to 20 parameters with open extents.
#[test]
fn what_could_be_meant_is_named_up_to_a_number() {
    for (count, named) in [(19, 19), (20, 20), (21, 20)] {
        let fields: String = (1..=count).map(|k| format!("  real f{k}\n")).collect();
        let source = format!(
            "record Node\n{fields}end\nmain subroutine f(in ^record Node p, out real y)\n  y := p^.f1\nend\n"
        );
        let values: String = (1..=count).map(|k| format!(", \"f{k}\": 1")).collect();
        let point = format!("{{\"p\": {{\"other\": 1{values}}}}}");
        let problems = pointers::run(&source, &point).expect_err("there is no such field");
        let problem = &problems.0[0];
        assert_eq!(problem.code, "P412", "{problems}");
        assert_eq!(problem.help.split(", ").count(), named, "{problems}");

        let parameters: String = (1..=count).map(|k| format!("in real x{k}[:], ")).collect();
        let source = format!("main subroutine f({parameters}out real y)\n  y := x1[1]\nend\n");
        let (program, f) = of_text(&source);
        let problems = give_sizes(&mut program.into_program(), f, &["other=1".to_owned()]);
        let problems = problems.expect_err("there is no such parameter");
        let problem = &problems.0[0];
        assert_eq!(problem.help.split(", ").count(), named, "{problems}");
    }
}
