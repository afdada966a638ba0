//! The states of a loop that lie in a file: those that are written and read least.
//!
//! A schedule keeps its states at the positions 0, 1, ..., c - 1 of a stack. Its traffic at a position is the number of
//! states that are kept there, and of those that are taken from there. It rises with the position, and then falls: the
//! positions with the least traffic are the first ones, up to some `first`, and the last ones, from some `last` on.
//!
//! With s states and r repetitions, b(s, r) = C(s + r, s) steps keep C(r - 1 + k, k) states at position k ≥ 1, which is
//! the r-fold prefix sum of (1, 0, 0, ...). The first stretch of any schedule, a steps ([`super::advance`]), leaves on
//! one of its sides a number of steps of this form:
//!
//! - Where m ≥ b(s, r - 1) + b(s - 1, r - 1), the first a = b(s, r - 1) steps; the others begin one position higher.
//! - Otherwise the m - a = b(s - 1, r - 1) steps behind them.
//!
//! So a walk down to one step that adds up these prefix sums, those of most sums first, finds the traffic of all
//! positions.

use cfg_core::{
    builder::{RoutineBuilder, expr::*},
    diagnostic::Diagnostics,
    ir::{Dim, Expr, Extent, NameOrigin, NameRole, Routine, ScalarType, Variable},
};

/// The routine `(in l, in c, in m, out first, out last)`: of a loop of l steps that keeps c ≤ l states, those at
/// positions from `first` up to the one before `last`, at most m, lie in memory.
///
/// # Errors
/// The builder refuses the routine.
pub(crate) fn placement_routine(name: String) -> Result<Routine, Diagnostics> {
    use ScalarType::Integer;
    let mut f = RoutineBuilder::new(name);
    let steps = f.input("steps", Integer);
    let states = f.input("states", Integer);
    let memory = f.input("memory", Integer);
    let first = f.output("first", Integer);
    let last = f.output("last", Integer);
    let extent = Dim {
        lower: Expr::Int(0),
        extent: Extent::Fixed(states + 1),
    };
    let kept = Variable::new("kept", Integer, vec![extent], cfg_core::ir::Role::Local);
    let kept = f.variable(kept);
    let [open, free, position, repetitions, reach, fewer, k] = [
        "open",
        "free",
        "position",
        "repetitions",
        "reach",
        "fewer",
        "k",
    ]
    .map(|name| f.local(name, Integer));
    let higher = f.local("higher", ScalarType::Logical);
    let traffic = |at: Expr| {
        let taken = cond(eq(at.clone() + 1, position), 1, 0) + cond(eq(at.clone(), 0), 1, 0);
        Expr::from(kept.at(at.clone())) + kept.at(at + 1) + taken
    };
    // One prefix sum less is to come for all that is counted from here on.
    let sum_up = |f: &mut RoutineBuilder| {
        f.assign(repetitions, repetitions - 1);
        f.for_loop(k, 1, states, |f| {
            f.assign(kept.at(k), Expr::from(kept.at(k)) + kept.at(k - 1));
        });
    };
    f.assign(first, 0);
    f.assign(last, states);
    f.if_then(gt(states, memory), |f| {
        f.for_loop(k, 0, states, |f| f.assign(kept.at(k), 0));
        // b(s, r) up to the number of steps, and then b(s, r - 1).
        f.assign(repetitions, 1);
        f.assign(reach, states + 1);
        f.while_loop(lt(reach, steps), |f| {
            f.assign(repetitions, repetitions + 1);
            f.assign(reach, reach * (states + repetitions) / repetitions);
        });
        f.assign(reach, reach * repetitions / (states + repetitions));
        f.assign(open, steps);
        f.assign(free, states);
        f.assign(position, 0);
        f.while_loop(gt(open, 1), |f| {
            f.assign(fewer, reach * free / (free + repetitions - 1));
            f.assign(higher, ge(open, reach + fewer));
            f.if_else(
                higher,
                |f| {
                    f.assign(kept.at(position), Expr::from(kept.at(position)) + 1);
                    f.assign(open, open - reach);
                    f.assign(free, free - 1);
                    f.assign(position, position + 1);
                    f.assign(reach, fewer);
                },
                |f| {
                    let next = position + 1;
                    f.assign(kept.at(next.clone()), Expr::from(kept.at(next)) + 1);
                    f.assign(open, open - fewer);
                },
            );
            let is_reached = or(not(higher), le(open, reach));
            f.if_then(and(gt(repetitions, 1), is_reached), |f| {
                f.assign(reach, reach * (repetitions - 1) / (free + repetitions - 1));
                sum_up(f);
            });
        });
        f.while_loop(gt(repetitions, 1), |f| sum_up(f));
        f.while_loop(gt(last - first, memory), |f| {
            f.if_else(
                le(traffic(first.into()), traffic(last - 1)),
                |f| f.assign(first, first + 1),
                |f| f.assign(last, last - 1),
            );
        });
    });
    let mut routine = f.finish()?;
    routine.origin = Some(Box::new(NameOrigin::new(NameRole::Schedule, "")));
    Ok(routine)
}
