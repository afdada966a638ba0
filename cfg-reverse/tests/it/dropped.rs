//! Gradients that do not restore results, and do not compute what no derivative needs, have the same derivatives.

use crate::{
    idle::arguments,
    run::{run, valid},
};
use cfg_core::ir::NameRole;
use cfg_reverse::{Options, Order, Prefer, Results, Reversal, reverse};
use cfg_testkit::{generate::Options as Generate, property};
use std::sync::atomic::{AtomicU64, Ordering};

#[test]
fn derivatives_are_those_of_gradients_that_keep_results() {
    let [others, sliced] = [const { AtomicU64::new(0) }; 2];
    property::check(&Generate::EXACT, 92_000..92_300, |case| {
        let flat = valid(case.program.clone())?;
        let drawn = case.program.to_string().len();
        let made = [Results::Keep, Results::Drop].map(|results| {
            let options = Options {
                results,
                values: drawn.is_multiple_of(5),
                prefer: [Prefer::Time, Prefer::Memory][drawn / 2 % 2],
                order: [Order::Program, Order::Reverse][drawn % 2],
                ..Options::default()
            };
            reverse(&flat, case.main, &options)
        });
        let [Ok(kept), Ok(dropped)] = made else {
            return Ok(());
        };
        let r = kept.gradient;
        let statements = [&kept, &dropped].map(|of| of.program.routine(r).statements().count());
        if statements[0] == statements[1] {
            return Ok(());
        }
        others.fetch_add(1, Ordering::Relaxed);
        let calls = |of: &Reversal| {
            let mut statements = of.program.routine(of.gradient).statements();
            statements.any(|s| s.kind.callee() == Some(of.forward))
        };
        sliced.fetch_add((calls(&kept) && !calls(&dropped)).into(), Ordering::Relaxed);
        let [kept, dropped] = [valid(kept.program)?, valid(dropped.program)?];
        let given = arguments(case, &kept, r)?;
        let [expected, found] = [run(&kept, r, &given)?, run(&dropped, r, &given)?];
        let routine = kept.routine(r);
        for p in routine.parameter_ids() {
            let variable = routine.variable(p);
            let origin = variable.origin.as_ref();
            if origin.is_some_and(|o| o.role == NameRole::Adjoint)
                && expected[&variable.name].to_f64s() != found[&variable.name].to_f64s()
            {
                return Err(format!("differs {}", variable.name));
            }
        }
        Ok(())
    });
    let [others, sliced] = [others, sliced].map(AtomicU64::into_inner);
    let cases = property::cases(200);
    println!("{others} differ, {sliced} are sliced");
    assert!(
        others > cases / 8 && sliced > cases / 16,
        "{others} {sliced}"
    );
}
