//! Sweeps of a loop whose iterations run again: binomial checkpointing.
//!
//! Steps have the numbers 0, 1, ..., l - 1. The tape has the kept states, each with the number of the step that it
//! precedes, in ascending order; behind them, if the trip count is known before the loop, the record of step l - 1; and
//! the numbers l and of the states.
//!
//! The forward sweep of a loop with a known trip count keeps states on its way, as [`super::advance`] plans. Other
//! loops keep the first state alone, or each. The first state is kept even if there is no step: callers rely on it.
//! States lie in memory, or, as [`super::placement`] finds, in a file; their numbers always lie in memory.
//! The reverse sweep reverses one step after the other: it takes the last state, runs steps from there, keeps states
//! on its way, and records the step in front of those that are reversed.

use cfg_core::{
    edit::Tail,
    entity::VarId,
    ir::{Expr, LoopTest, NameRole, Op, Stmt, StmtKind, TapeClass, VertexKind},
};

use super::writer::{LEVELS, Writer, add, set, sub};
use crate::code::expressions::as_place;

/// The numbers of a loop in a sweep.
struct Numbers {
    /// The number of steps.
    steps: VarId,
    /// The number of states on the tape.
    states: VarId,
    /// The number of the step in front of which the program stands.
    at: VarId,
    /// Steps until the next state is kept, and their index.
    stretch: VarId,
    k: VarId,
    /// The number of states kept at once, if it is not that of steps.
    most: Option<VarId>,
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
            in_memory,
            placed,
            steps: w.local("steps", NameRole::TripCount),
            states: w.local("states", NameRole::Counter),
            at: w.local("at", NameRole::Counter),
            stretch: w.local("stretch", NameRole::Temporary),
            k: w.local("k", NameRole::Temporary),
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
        bounds.chain([self.states, self.steps]).collect()
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

    /// Keeps the state in front of step `at`.
    fn keep(&self, w: &mut Writer<'_, '_, '_>) {
        self.at_level(w, Expr::var(self.states), LEVELS.map(|at| w.keep_state(at)));
        let one_more = set(self.states, add(Expr::var(self.states), Expr::Int(1)));
        w.block(vec![w.push(TapeClass::Integer, self.at), one_more]);
    }

    /// The position of the state that was kept last.
    fn top(&self) -> Expr {
        sub(Expr::var(self.states), Expr::Int(1))
    }

    /// Takes the last state off the tape.
    fn take(&self, w: &mut Writer<'_, '_, '_>) {
        w.block(vec![w.pop(TapeClass::Integer, self.at)]);
        self.at_level(w, self.top(), LEVELS.map(|at| w.take_state(at)));
    }

    /// Runs steps from `at` on, in front of which a state is kept, up to the one before `end`, and keeps states on the
    /// way.
    fn run_up_to(&self, w: &mut Writer<'_, '_, '_>, end: VarId) {
        let open = || sub(Expr::var(end), Expr::var(self.at));
        let is_far = || Expr::op(Op::Gt, [open(), Expr::Int(1)]);
        let header = w.graph.begin_loop(&mut w.tail, LoopTest::Pre(is_far()));
        let free = sub(
            Expr::var(self.most.unwrap_or(self.steps)),
            Expr::var(self.states),
        );
        let plan = w.advance(open(), add(free, Expr::Int(1)), self.stretch);
        w.block(vec![plan]);
        let inner = w.begin_passes(self.k, self.stretch);
        let step = self.with_index([w.plain.clone(), self.step_on()]);
        w.block(step);
        w.graph.end_loop(&mut w.tail, inner);
        w.choose(is_far(), |w| self.keep(w), |_| {});
        w.graph.end_loop(&mut w.tail, header);
    }
}

/// The forward sweep.
pub(super) fn forward<'a, 'b, 'p>(mut w: Writer<'a, 'b, 'p>) -> Writer<'a, 'b, 'p> {
    let n = Numbers::declare(&mut w);
    let is_some = |v: VarId| Expr::op(Op::Gt, [Expr::var(v), Expr::Int(0)]);
    let start = vec![set(n.states, Expr::Int(0)), set(n.at, Expr::Int(0))];
    let counted = w.counted().map(|(_, bounds)| bounds);
    match (n.index.clone(), counted) {
        (Some((_, [first, stride])), Some([from, last, by])) => {
            let mut known = start;
            known.extend(n.count_states(&w));
            let values = n.bounds().zip([from, by]);
            known.extend(values.filter_map(|(v, e)| Some(set(v?, e))));
            known.push(set(n.steps, Expr::op(Op::Trips, [first, last, stride])));
            known.extend(n.place(&w));
            w.block(known);
            n.keep(&mut w);
            n.run_up_to(&mut w, n.steps);
            let recording = w.recording.clone().filter(|_| w.records_last());
            let last = recording.unwrap_or_else(|| w.plain.clone());
            let last = n.with_index([last, n.step_on()]);
            w.block_if(is_some(n.steps), last);
            // The index has run past the last value.
            let end = n.with_index([]);
            w.block(end);
        }
        (_, _) => {
            w.block(start);
            n.keep(&mut w);
            copy_loop(&mut w, &n);
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
    start.extend(n.count_states(&w));
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
        w.block_if(is_some(n.steps), reversed);
    }
    let header = w.graph.begin_loop(&mut w.tail, LoopTest::Pre(is_some(end)));
    w.block(vec![w.pop(TapeClass::Integer, n.at)]);
    let is_behind = Expr::op(Op::Ge, [Expr::var(n.at), Expr::var(end)]);
    let wrong = Stmt::new(StmtKind::Stop {
        text: "a state that was kept belongs to a step that is reversed already".into(),
    });
    w.block_if(is_behind, vec![wrong]);
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
            w.block(vec![w.push(TapeClass::Integer, n.at)]);
        },
        |w| {
            n.at_level(w, n.top(), LEVELS.map(|at| w.take_state(at)));
            w.block(vec![set(n.states, n.top())]);
        },
    );
    n.run_up_to(&mut w, end);
    let turn = n.with_index([recording, reversing, set(end, Expr::var(n.at))]);
    w.block(turn);
    w.graph.end_loop(&mut w.tail, header);
    n.take(&mut w);
    w
}

/// Takes all states off the tape.
fn take_all(w: &mut Writer<'_, '_, '_>, n: &Numbers) {
    let header = w.begin_passes(n.k, n.states);
    n.take(w);
    w.block(vec![set(n.states, n.top())]);
    w.graph.end_loop(&mut w.tail, header);
}

/// The loop of the original, in which steps are counted, and each state is kept if it is to be.
fn copy_loop(w: &mut Writer<'_, '_, '_>, n: &Numbers) {
    let cfg = w.original();
    let mut place = vec![None; cfg.vertex_count()];
    let callee = w.callee();
    let is_later = Expr::op(Op::Gt, [Expr::var(n.at), Expr::Int(0)]);
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
                let mut all = statements.clone();
                all.push(n.step_on());
                match n.most.is_none() {
                    false => {
                        let block = w.graph.block(all);
                        Some((block, block))
                    }
                    true => {
                        let (first, before) = (w.graph.block(Vec::new()), w.tail);
                        w.tail = Tail(first, None);
                        w.choose(is_later.clone(), |w| n.keep(w), |_| {});
                        w.block(all);
                        let last = std::mem::replace(&mut w.tail, before);
                        Some((first, last.0))
                    }
                }
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
