//! The numbers of a loop whose iterations run again: steps and states, in both sweeps.

use cfg_core::{
    entity::VarId,
    ir::{Expr, LoopTest, NameRole, Op, Stmt, TapeClass},
};

use super::{
    restart::Journal,
    writer::{LEVELS, Writer, add, set, sub},
};
use crate::code::expressions::as_place;

/// The numbers of a loop in a sweep.
pub(super) struct Numbers {
    /// The number of steps.
    pub(super) steps: VarId,
    /// The number of states on the tape.
    pub(super) states: VarId,
    /// The number of the step in front of which the program stands.
    pub(super) at: VarId,
    /// The level of a state, on the tape between the state and its number, if the trip count is known only at the end.
    pub(super) level: Option<VarId>,
    /// Steps until the next state is kept; 0: not known yet.
    pub(super) left: VarId,
    /// The number of states kept at once, if it is not that of steps.
    pub(super) most: Option<VarId>,
    /// True if that follows from a limit of memory.
    pub(super) is_limited: bool,
    /// The first position of states in memory, and the first behind them, if others lie in a file.
    pub(super) in_memory: Option<[Expr; 2]>,
    /// The locals that they are, if the trip count is known before the loop.
    pub(super) placed: Option<[VarId; 2]>,
    /// The index of a counted loop, and its first value and its step: constants, or locals.
    pub(super) index: Option<(VarId, [Expr; 2])>,
    /// True if the step or the caller reads the index.
    pub(super) sets_index: bool,
}

impl Numbers {
    pub(super) fn declare(w: &mut Writer<'_, '_, '_>) -> Self {
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
            at: w.local("at", NameRole::SnapshotStep),
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
    pub(super) fn bounds(&self) -> impl Iterator<Item = Option<VarId>> {
        let bounds = self.index.iter().flat_map(|(_, bounds)| bounds);
        bounds.map(|e| as_place(e).map(|place| place.var))
    }

    /// The numbers that the reverse sweep needs, in the order of their pushes.
    pub(super) fn recorded(&self) -> Vec<VarId> {
        let bounds = self.bounds().flatten();
        let most = self.most.filter(|_| self.is_limited);
        bounds
            .chain(most)
            .chain([self.states, self.steps])
            .collect()
    }

    /// The numbers that the forward sweep needs to go on.
    pub(super) fn of_forward_sweep(&self) -> Vec<VarId> {
        let mut numbers = self.recorded();
        numbers.extend(std::iter::once(self.at).chain(self.most));
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }

    /// Finds the number of states kept at once.
    pub(super) fn count_states(&self, w: &Writer<'_, '_, '_>) -> Option<Stmt> {
        Some(set(self.most?, w.states()?))
    }

    /// Sets the index of the loop to its value in step `at`, and then executes the statements.
    pub(super) fn with_index(&self, statements: impl IntoIterator<Item = Stmt>) -> Vec<Stmt> {
        let read = self.index.as_ref().filter(|_| self.sets_index);
        let index =
            read.map(|(index, [first, stride])| set(*index, index_value(first, stride, self.at)));
        index.into_iter().chain(statements).collect()
    }

    pub(super) fn step_on(&self) -> Stmt {
        set(self.at, add(Expr::var(self.at), Expr::Int(1)))
    }

    /// Finds the positions of states in memory.
    pub(super) fn place(&self, w: &Writer<'_, '_, '_>) -> Option<Stmt> {
        w.place(self.steps, self.placed?)
    }

    /// Writes what is done with the state at a position, for each level, of [`LEVELS`].
    pub(super) fn at_level(
        &self,
        w: &mut Writer<'_, '_, '_>,
        position: Expr,
        [memory, disk]: [Vec<Stmt>; 2],
    ) {
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
    pub(super) fn push_numbers(&self, w: &Writer<'_, '_, '_>) -> Vec<Stmt> {
        let numbers = [self.level, Some(self.at)].into_iter().flatten();
        numbers.map(|v| w.push(TapeClass::Integer, v)).collect()
    }

    pub(super) fn pop_numbers(&self, w: &Writer<'_, '_, '_>) -> Vec<Stmt> {
        let numbers = [Some(self.at), self.level].into_iter().flatten();
        numbers.map(|v| w.pop(TapeClass::Integer, v)).collect()
    }

    /// The position of the state that was kept last.
    pub(super) fn top(&self) -> Expr {
        sub(Expr::var(self.states), Expr::Int(1))
    }

    /// Takes the last state off the tape, and its numbers.
    pub(super) fn take(&self, w: &mut Writer<'_, '_, '_>) {
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
    pub(super) fn plan(&self, w: &mut Writer<'_, '_, '_>, end: VarId) {
        let most = Expr::var(self.most.unwrap_or(self.steps));
        let free = add(sub(most, Expr::var(self.states)), Expr::Int(1));
        let plan = w.advance(sub(Expr::var(end), Expr::var(self.at)), free, self.left);
        w.when(self.is_due(), |w| w.block(vec![plan]));
    }

    /// True where a state is kept next, or planned.
    pub(super) fn is_due(&self) -> Expr {
        Expr::op(Op::Eq, [Expr::var(self.left), Expr::Int(0)])
    }

    /// True if more than one step is left.
    pub(super) fn is_far(&self, end: VarId) -> Expr {
        let open = sub(Expr::var(end), Expr::var(self.at));
        Expr::op(Op::Gt, [open, Expr::Int(1)])
    }

    /// Counts a step that ran without being recorded, and keeps the state if that is due and more than one step is
    /// left.
    pub(super) fn count_step(&self, w: &mut Writer<'_, '_, '_>, end: VarId) {
        let less = set(self.left, sub(Expr::var(self.left), Expr::Int(1)));
        w.block(vec![self.step_on(), less]);
        let is_due = Expr::op(Op::And, [self.is_due(), self.is_far(end)]);
        w.when(is_due, |w| self.keep(w, Some(Expr::Int(0))));
    }

    /// Runs steps from `at` on, in front of which a state is kept, up to the one before `end`, and keeps states on the
    /// way.
    pub(super) fn run_up_to(
        &self,
        w: &mut Writer<'_, '_, '_>,
        end: VarId,
        journal: Option<&Journal>,
    ) {
        let is_far = LoopTest::Pre(self.is_far(end));
        let header = w.graph.begin_loop(&mut w.tail, is_far);
        self.plan(w, end);
        let step = self.with_index([w.plain.clone()]);
        w.block(step);
        self.count_step(w, end);
        if let Some(journal) = journal {
            let numbers = [Expr::var(self.at), Expr::Int(0), Expr::var(self.steps)];
            journal.save(w, numbers);
        }
        w.graph.end_loop(&mut w.tail, header);
    }

    /// Runs the first step of a loop under a limit of memory, which tells what a step records.
    pub(super) fn run_first_step(
        &self,
        w: &mut Writer<'_, '_, '_>,
        (measuring, bits): (Stmt, VarId),
    ) {
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

/// Stops if no state fits into the limit of the tape's memory beside the record of a step, of more than so many.
pub(super) fn stop_if_full(w: &mut Writer<'_, '_, '_>, n: &Numbers, passes: VarId, more_than: i64) {
    if let Some(most) = n.most.filter(|_| n.is_limited && w.recording.is_some()) {
        let is_full = Expr::op(Op::Lt, [Expr::var(most), Expr::Int(1)]);
        let is_run = Expr::op(Op::Gt, [Expr::var(passes), Expr::Int(more_than)]);
        let is_full = Expr::op(Op::And, [is_run, is_full]);
        w.stop_if(
            is_full,
            "a state of this loop and the record of one of its steps take more than the limit of the tape's memory: raise it, --tape-memory BYTES",
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
            "the limit of the tape's memory holds so few states of this loop that steps would run more than 100 times: raise it, --tape-memory BYTES",
        );
    }
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
