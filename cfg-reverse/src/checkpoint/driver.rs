//! Sweeps of a loop whose iterations run again: binomial checkpointing.
//!
//! Steps have the numbers 0, 1, ..., l - 1. The tape has the kept states, each with the number of the step that it
//! precedes, in ascending order; behind them, if the trip count is known before the loop, the record of step l - 1; and
//! the numbers l and of the states.
//!
//! The forward sweep of a loop with a known trip count keeps states on its way, as [`super::advance`] plans. Other
//! loops keep them as [`super::online`] does, or each. The first state is kept even if there is no step: callers rely
//! on it. States lie in memory, or, as [`super::placement`] finds, in a file; their numbers always lie in memory.
//! The reverse sweep reverses one step after the other: it takes the last state, runs steps from there, keeps states
//! on its way, and records the step in front of those that are reversed.

use cfg_core::{
    entity::VarId,
    ir::{Expr, LoopTest, NameRole, Op, Stmt, TapeClass, VertexKind},
};

use super::{
    numbers::{Numbers, stop_if_full, stop_if_scarce},
    online,
    restart::Journal,
    writer::{LEVELS, Writer, set, sub},
};

/// The forward sweep.
pub(super) fn forward<'a, 'b, 'p>(mut w: Writer<'a, 'b, 'p>) -> Writer<'a, 'b, 'p> {
    let n = Numbers::declare(&mut w);
    let is_some = |v: VarId| Expr::op(Op::Gt, [Expr::var(v), Expr::Int(0)]);
    let zero = |v: VarId| set(v, Expr::Int(0));
    let start = [zero(n.states), zero(n.at)].into_iter();
    let measuring = w.measuring.clone();
    let known = n.count_states(&w).filter(|_| measuring.is_none());
    let start: Vec<Stmt> = start.chain(known).collect();
    let counted = w.counted().map(|(_, bounds)| bounds);
    match (n.index.clone(), counted) {
        (Some((_, [first, stride])), Some([from, last, by])) => {
            let mut known = start;
            known.push(zero(n.left));
            let values = n.bounds().zip([from, by]);
            known.extend(values.filter_map(|(v, e)| Some(set(v?, e))));
            known.push(set(n.steps, Expr::op(Op::Trips, [first, last, stride])));
            known.extend(n.place(&w));
            w.block(known);
            n.keep(&mut w, Some(online::FIRST));
            match measuring {
                Some(measuring) => n.run_first_step(&mut w, measuring),
                None => {
                    stop_if_full(&mut w, &n, n.steps, 1);
                    stop_if_scarce(&mut w, &n, n.steps);
                }
            }
            let mut numbers = n.of_forward_sweep();
            numbers.push(n.left);
            let journal = Journal::declare(&mut w, &numbers);
            journal.iter().for_each(|journal| journal.load(&mut w));
            n.run_up_to(&mut w, n.steps, journal.as_ref());
            journal
                .iter()
                .for_each(|journal| journal.save_at_end(&mut w));
            let recording = w.recording.clone().filter(|_| w.records_last());
            let last = recording.unwrap_or_else(|| w.plain.clone());
            let last = n.with_index([last, n.step_on()]);
            w.when(is_some(n.steps), |w| w.block(last));
            // The index has run past the last value.
            let end = n.with_index([]);
            w.block(end);
        }
        (_, _) => {
            w.block(start);
            n.keep(&mut w, Some(online::FIRST));
            if w.measuring.is_none() {
                stop_if_full(&mut w, &n, n.states, 0);
            }
            let numbers = n.of_forward_sweep();
            let journal = Journal::declare(&mut w, &numbers);
            journal.iter().for_each(|journal| journal.load(&mut w));
            let mut tests = (w.original().vertices()).filter_map(|(_, v)| v.kind.test());
            let test_at_end = tests.find_map(|test| match test {
                LoopTest::Post(goes_on) => Some(goes_on.clone()),
                LoopTest::Pre(_) | LoopTest::Counted { .. } => None,
            });
            match journal.as_ref().zip(test_at_end) {
                // Progress lies between a step and the test behind it, which the loop itself would pass over.
                Some((journal, goes_on)) => journal.unless_ended(&mut w, goes_on, |w| {
                    copy_loop(w, &n, Some(journal));
                }),
                None => copy_loop(&mut w, &n, journal.as_ref()),
            }
            journal
                .iter()
                .for_each(|journal| journal.save_at_end(&mut w));
            w.block(vec![set(n.steps, Expr::var(n.at))]);
        }
    }
    let pushes = n.recorded().into_iter();
    let pushes = pushes.map(|v| w.push(TapeClass::Integer, v)).collect();
    w.block(pushes);
    w
}

/// The reverse sweep.
pub(super) fn reverse<'a, 'b, 'p>(mut w: Writer<'a, 'b, 'p>) -> Writer<'a, 'b, 'p> {
    let n = Numbers::declare(&mut w);
    let end = w.local("open", NameRole::Counter);
    let is_some = |v: VarId| Expr::op(Op::Gt, [Expr::var(v), Expr::Int(0)]);
    let mut start = w.adjoints_of_locals();
    let pops = n.recorded().into_iter().rev();
    start.extend(pops.map(|v| w.pop(TapeClass::Integer, v)));
    start.extend(n.count_states(&w).filter(|_| !n.is_limited));
    start.extend(n.place(&w));
    start.push(set(end, Expr::var(n.steps)));
    w.block(start);
    let (Some(recording), Some(reversing)) = (w.recording.clone(), w.reversing.clone()) else {
        take_all(&mut w, &n);
        return w;
    };
    if w.records_last() {
        let last = sub(Expr::var(n.steps), Expr::Int(1));
        let mut reversed = vec![set(n.at, last)];
        reversed.extend(n.with_index([reversing.clone(), set(end, Expr::var(n.at))]));
        w.when(is_some(n.steps), |w| w.block(reversed));
    }
    let mut numbers = n.recorded();
    numbers.push(end);
    let journal = Journal::declare(&mut w, &numbers);
    journal.iter().for_each(|journal| journal.load(&mut w));
    let header = w.graph.begin_loop(&mut w.tail, LoopTest::Pre(is_some(end)));
    w.block(n.pop_numbers(&w));
    let is_behind = Expr::op(Op::Ge, [Expr::var(n.at), Expr::var(end)]);
    w.stop_if(
        is_behind,
        "a state that was kept belongs to a step that is reversed already",
    );
    // The first state is what the reverse sweep leaves behind.
    let is_first = Expr::op(Op::Eq, [Expr::var(n.at), Expr::Int(0)]);
    let before_last = sub(Expr::var(end), Expr::Int(1));
    let is_used_again = Expr::op(Op::Lt, [Expr::var(n.at), before_last]);
    let again = Expr::op(Op::Or, [is_first, is_used_again]);
    let read = LEVELS.map(|at| [w.take_state(at), w.keep_state(at)].concat());
    w.choose(
        again,
        |w| {
            n.at_level(w, n.top(), read);
            w.block(n.push_numbers(w));
        },
        |w| {
            n.take_state(w);
            w.block(vec![n.one_less()]);
        },
    );
    w.block(vec![set(n.left, Expr::Int(0))]);
    n.run_up_to(&mut w, end, None);
    let turn = n.with_index([recording, reversing, set(end, Expr::var(n.at))]);
    w.block(turn);
    if let Some(journal) = &journal {
        let all = Expr::var(n.steps);
        let reversed = sub(all.clone(), Expr::var(end));
        journal.save(&mut w, [all.clone(), reversed, all]);
    }
    w.graph.end_loop(&mut w.tail, header);
    journal
        .iter()
        .for_each(|journal| journal.save_at_end(&mut w));
    n.take(&mut w);
    w
}

/// Takes all states off the tape.
fn take_all(w: &mut Writer<'_, '_, '_>, n: &Numbers) {
    let k = w.local("k", NameRole::Temporary);
    let header = w.begin_passes(k, n.states);
    n.take(w);
    w.block(vec![n.one_less()]);
    w.graph.end_loop(&mut w.tail, header);
}

/// The loop of the original, in which steps are counted, and each state is kept if it is to be.
fn copy_loop(w: &mut Writer<'_, '_, '_>, n: &Numbers, journal: Option<&Journal>) {
    let cfg = w.original();
    let mut place = vec![None; cfg.vertex_count()];
    let callee = w.callee();
    let (mut first, mut last) = (None, None);
    // The ways into each vertex, and the way out of it.
    for (v, vertex) in cfg.vertices() {
        let is_call = |s: &Stmt| s.kind.callee() == Some(callee);
        place[v.index()] = match &vertex.kind {
            VertexKind::Entry => {
                first = Some(v);
                None
            }
            VertexKind::Exit => {
                last = Some(v);
                None
            }
            VertexKind::Block(statements) if statements.iter().any(is_call) => {
                let front = match (n.most, n.level) {
                    (Some(most), Some(level)) => online::keep_in_front(w, n, [level, most]),
                    (_, _) => keep_each(w, n),
                };
                let [first, last] = w.aside(|w| {
                    run_step(w, n, statements);
                    if let Some(journal) = journal {
                        journal.save(w, [Expr::var(n.at), Expr::Int(0), Expr::Int(0)]);
                    }
                });
                w.graph.add_edge(front[1], first, None);
                Some((front[0], last))
            }
            VertexKind::Block(_)
            | VertexKind::Loop { .. }
            | VertexKind::EndLoop
            | VertexKind::Branch(_)
            | VertexKind::EndBranch => {
                let copy = w.graph.add(vertex.kind.clone());
                Some((copy, copy))
            }
        };
    }
    // Edges without a label begin at a block.
    w.block(Vec::new());
    let (before, behind) = (w.tail.0, w.graph.block(Vec::new()));
    let ends = |v: usize| match v {
        v if first.is_some_and(|first| first.index() == v) => (before, before),
        v if last.is_some_and(|last| last.index() == v) => (behind, behind),
        v => place[v].unwrap_or((behind, behind)),
    };
    for (_, edge) in cfg.edges() {
        let (from, to) = (ends(edge.from.index()).1, ends(edge.to.index()).0);
        w.graph.add_edge(from, to, edge.label);
    }
    w.tail.0 = behind;
}

/// Runs a step of a loop whose trip count is known only at its end. Under a limit of memory the first step tells what
/// a step records.
fn run_step(w: &mut Writer<'_, '_, '_>, n: &Numbers, statements: &[Stmt]) {
    match w.measuring.clone() {
        Some((measuring, bits)) => {
            let mut first = vec![set(bits, Expr::Int(0)), measuring];
            first.extend(n.count_states(w));
            let is_first = Expr::op(Op::Eq, [Expr::var(n.at), Expr::Int(0)]);
            let is_later = Expr::op(Op::Gt, [Expr::var(n.at), Expr::Int(0)]);
            w.when(is_first, |w| {
                w.block(first);
                stop_if_full(w, n, n.states, 0);
            });
            w.when(is_later, |w| w.block(statements.to_vec()));
        }
        None => w.block(statements.to_vec()),
    }
    w.block(vec![n.step_on()]);
}

/// Keeps the state in front of each step but the first one, as [`online::keep_in_front`].
fn keep_each(w: &mut Writer<'_, '_, '_>, n: &Numbers) -> [usize; 2] {
    let is_later = Expr::op(Op::Gt, [Expr::var(n.at), Expr::Int(0)]);
    w.aside(|w| w.when(is_later, |w| n.keep(w, None)))
}
