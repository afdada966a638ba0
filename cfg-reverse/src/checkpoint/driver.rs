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
    online,
    restart::Journal,
    writer::{LEVELS, Writer, add, set, sub},
};
use crate::code::expressions::as_place;

/// The numbers of a loop in a sweep.
pub(super) struct Numbers {
    /// The number of steps.
    steps: VarId,
    /// The number of states on the tape.
    pub(super) states: VarId,
    /// The number of the step in front of which the program stands.
    pub(super) at: VarId,
    /// The level of a state, on the tape between the state and its number, if the trip count is known only at the end.
    level: Option<VarId>,
    /// Steps until the next state is kept; 0: not known yet.
    left: VarId,
    /// The number of states kept at once, if it is not that of steps.
    most: Option<VarId>,
    /// True if that follows from a limit of memory.
    is_limited: bool,
    /// The first position of states in memory, and the first behind them, if others lie in a file.
    in_memory: Option<[Expr; 2]>,
    /// The locals that they are, if the trip count is known before the loop.
    placed: Option<[VarId; 2]>,
    /// The index of a counted loop, and its first value and its step: constants, or locals.
    index: Option<(VarId, [Expr; 2])>,
    /// True if the step or the caller reads the index.
    sets_index: bool,
}

impl Numbers {
    fn declare(w: &mut Writer<'_, '_, '_>) -> Self {
        let counted = w.counted();
        let most = w.states().map(|_| w.local("most", NameRole::Temporary));
        let memory = w.memory();
        // Where the trip count is not known yet, the first state has to lie somewhere.
        let placed = (memory.as_ref().filter(|_| counted.is_some()))
            .map(|_| ["first", "last"].map(|name| w.local(name, NameRole::Temporary)));
        let in_memory = memory.map(|memory| match placed {
            Some(placed) => placed.map(Expr::var),
            None => [Expr::Int(0), memory],
        });
        let sets_index = counted
            .as_ref()
            .is_some_and(|(index, _)| w.reads_index(*index));
        Self {
            sets_index,
            most,
            is_limited: w.is_limited(),
            level: (counted.is_none() && most.is_some())
                .then(|| w.local("level", NameRole::Temporary)),
            in_memory,
            placed,
            steps: w.local("steps", NameRole::TripCount),
            states: w.local("states", NameRole::Counter),
            at: w.local("at", NameRole::Counter),
            left: w.local("left", NameRole::Temporary),
            index: counted.map(|(index, [first, _, step])| {
                let mut bound = |e: Expr, name: &str| match e.constant() {
                    Some(_) => e,
                    None => Expr::var(w.local(name, NameRole::LoopBound)),
                };
                (index, [bound(first, "first"), bound(step, "stride")])
            }),
        }
    }

    /// The first value and the step of a counted loop, if they are locals.
    fn bounds(&self) -> impl Iterator<Item = Option<VarId>> {
        let bounds = self.index.iter().flat_map(|(_, bounds)| bounds);
        bounds.map(|e| as_place(e).map(|place| place.var))
    }

    /// The numbers that the reverse sweep needs, in the order of their pushes.
    fn recorded(&self) -> Vec<VarId> {
        let bounds = self.bounds().flatten();
        let most = self.most.filter(|_| self.is_limited);
        bounds
            .chain(most)
            .chain([self.states, self.steps])
            .collect()
    }

    /// The numbers that the forward sweep needs to go on.
    fn of_forward_sweep(&self) -> Vec<VarId> {
        let mut numbers = self.recorded();
        numbers.extend(std::iter::once(self.at).chain(self.most));
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }

    /// Finds the number of states kept at once.
    fn count_states(&self, w: &Writer<'_, '_, '_>) -> Option<Stmt> {
        Some(set(self.most?, w.states()?))
    }

    /// Sets the index of the loop to its value in step `at`, and then executes the statements.
    fn with_index(&self, statements: impl IntoIterator<Item = Stmt>) -> Vec<Stmt> {
        let read = self.index.as_ref().filter(|_| self.sets_index);
        let index =
            read.map(|(index, [first, stride])| set(*index, index_value(first, stride, self.at)));
        index.into_iter().chain(statements).collect()
    }

    fn step_on(&self) -> Stmt {
        set(self.at, add(Expr::var(self.at), Expr::Int(1)))
    }

    /// Finds the positions of states in memory.
    fn place(&self, w: &Writer<'_, '_, '_>) -> Option<Stmt> {
        w.place(self.steps, self.placed?)
    }

    /// Writes what is done with the state at a position, for each level, of [`LEVELS`].
    fn at_level(&self, w: &mut Writer<'_, '_, '_>, position: Expr, [memory, disk]: [Vec<Stmt>; 2]) {
        let Some([first, last]) = self.in_memory.clone() else {
            return w.block(memory);
        };
        let is_behind = Expr::op(Op::Ge, [position.clone(), last]);
        let is_on_disk = match first.constant() {
            Some(0) => is_behind,
            _ => Expr::op(Op::Or, [Expr::op(Op::Lt, [position, first]), is_behind]),
        };
        w.choose(is_on_disk, |w| w.block(disk), |w| w.block(memory));
    }

    /// Keeps the state in front of step `at`, with a new level if states have levels.
    pub(super) fn keep(&self, w: &mut Writer<'_, '_, '_>, level: Option<Expr>) {
        self.at_level(w, Expr::var(self.states), LEVELS.map(|at| w.keep_state(at)));
        let level = self.level.zip(level).map(|(v, level)| set(v, level));
        let mut statements: Vec<Stmt> = level.into_iter().collect();
        statements.extend(self.push_numbers(w));
        statements.push(set(self.states, add(Expr::var(self.states), Expr::Int(1))));
        w.block(statements);
    }

    /// The pushes of the level, if states have levels, and of the number of the step.
    fn push_numbers(&self, w: &Writer<'_, '_, '_>) -> Vec<Stmt> {
        let numbers = [self.level, Some(self.at)].into_iter().flatten();
        numbers.map(|v| w.push(TapeClass::Integer, v)).collect()
    }

    fn pop_numbers(&self, w: &Writer<'_, '_, '_>) -> Vec<Stmt> {
        let numbers = [Some(self.at), self.level].into_iter().flatten();
        numbers.map(|v| w.pop(TapeClass::Integer, v)).collect()
    }

    /// The position of the state that was kept last.
    fn top(&self) -> Expr {
        sub(Expr::var(self.states), Expr::Int(1))
    }

    /// Takes the last state off the tape, and its numbers.
    fn take(&self, w: &mut Writer<'_, '_, '_>) {
        w.block(self.pop_numbers(w));
        self.take_state(w);
    }

    /// Takes the last state off the tape, whose numbers have been taken.
    pub(super) fn take_state(&self, w: &mut Writer<'_, '_, '_>) {
        self.at_level(w, self.top(), LEVELS.map(|at| w.take_state(at)));
    }

    /// One state less on the tape.
    pub(super) fn one_less(&self) -> Stmt {
        set(self.states, sub(Expr::var(self.states), Expr::Int(1)))
    }

    /// Plans when the next state is kept on the way to step `end`, if that is not known.
    fn plan(&self, w: &mut Writer<'_, '_, '_>, end: VarId) {
        let most = Expr::var(self.most.unwrap_or(self.steps));
        let free = add(sub(most, Expr::var(self.states)), Expr::Int(1));
        let plan = w.advance(sub(Expr::var(end), Expr::var(self.at)), free, self.left);
        w.when(self.is_due(), |w| w.block(vec![plan]));
    }

    /// True where a state is kept next, or planned.
    fn is_due(&self) -> Expr {
        Expr::op(Op::Eq, [Expr::var(self.left), Expr::Int(0)])
    }

    /// True if more than one step is left.
    fn is_far(&self, end: VarId) -> Expr {
        let open = sub(Expr::var(end), Expr::var(self.at));
        Expr::op(Op::Gt, [open, Expr::Int(1)])
    }

    /// Counts a step that ran without being recorded, and keeps the state if that is due and more than one step is
    /// left.
    fn count_step(&self, w: &mut Writer<'_, '_, '_>, end: VarId) {
        let less = set(self.left, sub(Expr::var(self.left), Expr::Int(1)));
        w.block(vec![self.step_on(), less]);
        let is_due = Expr::op(Op::And, [self.is_due(), self.is_far(end)]);
        w.when(is_due, |w| self.keep(w, Some(Expr::Int(0))));
    }

    /// Runs steps from `at` on, in front of which a state is kept, up to the one before `end`, and keeps states on the
    /// way.
    fn run_up_to(&self, w: &mut Writer<'_, '_, '_>, end: VarId, journal: Option<&Journal>) {
        let is_far = LoopTest::Pre(self.is_far(end));
        let header = w.graph.begin_loop(&mut w.tail, is_far);
        self.plan(w, end);
        let step = self.with_index([w.plain.clone()]);
        w.block(step);
        self.count_step(w, end);
        if let Some(journal) = journal {
            journal.save(w, false);
        }
        w.graph.end_loop(&mut w.tail, header);
    }

    /// Runs the first step of a loop under a limit of memory, which tells what a step records.
    fn run_first_step(&self, w: &mut Writer<'_, '_, '_>, (measuring, bits): (Stmt, VarId)) {
        w.block(vec![set(bits, Expr::Int(0))]);
        let measuring = self.with_index([measuring]);
        w.when(self.is_far(self.steps), |w| w.block(measuring));
        let count = self.count_states(w);
        w.block(count.into_iter().collect());
        stop_if_full(w, self, self.steps, 1);
        stop_if_scarce(w, self, self.steps);
        w.when(self.is_far(self.steps), |w| {
            self.plan(w, self.steps);
            self.count_step(w, self.steps);
        });
    }
}

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
                .for_each(|journal| journal.save(&mut w, true));
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
            // Of a loop that is tested at its end, the test would be missed by a run that goes on.
            let is_tested_first = (w.original().vertices())
                .any(|(_, v)| matches!(v.kind.test(), Some(LoopTest::Pre(_))));
            let numbers = n.of_forward_sweep();
            let journal = is_tested_first.then(|| Journal::declare(&mut w, &numbers));
            let journal = journal.flatten();
            journal.iter().for_each(|journal| journal.load(&mut w));
            copy_loop(&mut w, &n, journal.as_ref());
            journal
                .iter()
                .for_each(|journal| journal.save(&mut w, true));
            w.block(vec![set(n.steps, Expr::var(n.at))]);
        }
    }
    let pushes = n.recorded().into_iter();
    let pushes = pushes.map(|v| w.push(TapeClass::Integer, v)).collect();
    w.block(pushes);
    w
}

/// Stops if no state fits into the limit of the tape's memory beside the record of a step, of more than so many.
fn stop_if_full(w: &mut Writer<'_, '_, '_>, n: &Numbers, passes: VarId, more_than: i64) {
    if let Some(most) = n.most.filter(|_| n.is_limited && w.recording.is_some()) {
        let is_full = Expr::op(Op::Lt, [Expr::var(most), Expr::Int(1)]);
        let is_run = Expr::op(Op::Gt, [Expr::var(passes), Expr::Int(more_than)]);
        let is_full = Expr::op(Op::And, [is_run, is_full]);
        w.stop_if(
            is_full,
            "a state of this loop and the record of one of its steps take more than the limit of the tape's memory",
        );
    }
}

/// Stops if so few states fit into the limit of the tape's memory that steps would run more than 100 times: C(c + 100,
/// c) steps are more than those of any loop for c > 5.
pub(super) fn stop_if_scarce(w: &mut Writer<'_, '_, '_>, n: &Numbers, steps: VarId) {
    let Some(most) = n.most.filter(|_| n.is_limited) else {
        return;
    };
    let mut reach = 1;
    let beyond = (1..=5).map(|states| {
        reach = reach * (100 + states) / states;
        let is_few = Expr::op(Op::Eq, [Expr::var(most), Expr::Int(states)]);
        let is_far = Expr::op(Op::Gt, [Expr::var(steps), Expr::Int(reach)]);
        Expr::op(Op::And, [is_few, is_far])
    });
    if let Some(is_scarce) = beyond.reduce(|a, b| Expr::op(Op::Or, [a, b])) {
        w.stop_if(
            is_scarce,
            "the limit of the tape's memory holds so few states of this loop that steps would run more than 100 times",
        );
    }
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
        journal.save(&mut w, false);
    }
    w.graph.end_loop(&mut w.tail, header);
    journal
        .iter()
        .for_each(|journal| journal.save(&mut w, true));
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
                        journal.save(w, false);
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

/// The value of the index in front of step `at`. Between the first and the last value nothing overflows, but the
/// distance from the first one may.
fn index_value(first: &Expr, stride: &Expr, at: VarId) -> Expr {
    let at = Expr::var(at);
    match (first.constant(), stride.constant()) {
        (Some(0), Some(1)) => at,
        (_, Some(1)) => add(first.clone(), at),
        (_, Some(-1)) => sub(first.clone(), at),
        (_, _) => {
            let distance = Expr::op(Op::WrapMul, [at, stride.clone()]);
            Expr::op(Op::WrapAdd, [first.clone(), distance])
        }
    }
}
