//! States of a loop whose trip count is known only at its end.
//!
//! Each state has a level. One of level 0 is kept in front of each step while fewer than c are kept. Then the level of
//! the last one is k, say: all states of level k and less at the end of the tape are dropped, and the state at hand is
//! kept with level k + 1. So levels never rise towards the end of the tape, where the first state has a level above
//! all others. With C(c + r, c) ≥ l no step of l runs again more than r times.
//!
//! Q. Wang, P. Moin, G. Iaccarino, *Minimal repetition dynamic checkpointing algorithm for unsteady adjoint
//! calculation*, 2009, drop such states one after the other, each when there is no room for another one. On a tape they
//! are dropped at once, since they lie at its end.

use cfg_core::{
    entity::VarId,
    ir::{Expr, LoopTest, NameRole, Op, TapeClass},
};

use super::{
    numbers::{Numbers, stop_if_scarce},
    writer::{Writer, add, set},
};

/// The level of the first state.
pub(super) const FIRST: Expr = Expr::Int(i64::MAX);

/// Keeps the state in front of each step but the first one, at most so many at once. The first and the last vertex of
/// the piece of the graph that does so.
pub(super) fn keep_in_front(
    w: &mut Writer<'_, '_, '_>,
    n: &Numbers,
    [level, most]: [VarId; 2],
) -> [usize; 2] {
    let is_more = |v: VarId, than: i64| Expr::op(Op::Gt, [Expr::var(v), Expr::Int(than)]);
    let is_later = is_more(n.at, 0);
    let is_full = Expr::op(Op::Ge, [Expr::var(n.states), Expr::var(most)]);
    w.aside(|w| {
        w.when(is_later, |w| {
            stop_if_scarce(w, n, n.at);
            w.when(is_more(most, 1), |w| {
                w.block(vec![set(level, Expr::Int(0))]);
                w.when(is_full, |w| drop_states(w, n, level));
                n.keep(w, None);
            });
        });
    })
}

/// Drops the states at the end of the tape whose levels are at most that of the last one, and sets the level of the
/// next one. The state at hand stays: pops go through its variables.
fn drop_states(w: &mut Writer<'_, '_, '_>, n: &Numbers, level: VarId) {
    let number = w.local("number", NameRole::SnapshotStep);
    let below = w.local("below", NameRole::Temporary);
    let [set_aside, bring_back] = w.copies_of_state();
    let mut start = set_aside;
    start.push(w.pop(TapeClass::Integer, number));
    start.push(w.pop(TapeClass::Integer, level));
    start.push(set(below, Expr::var(level)));
    w.block(start);
    let is_dropped = Expr::op(Op::Le, [Expr::var(below), Expr::var(level)]);
    let header = w.graph.begin_loop(&mut w.tail, LoopTest::Pre(is_dropped));
    n.take_state(w);
    w.block(vec![
        n.one_less(),
        w.pop(TapeClass::Integer, number),
        w.pop(TapeClass::Integer, below),
    ]);
    w.graph.end_loop(&mut w.tail, header);
    let mut end = vec![
        w.push(TapeClass::Integer, below),
        w.push(TapeClass::Integer, number),
    ];
    end.extend(bring_back);
    end.push(set(level, add(Expr::var(level), Expr::Int(1))));
    w.block(end);
}
