//! The comparison of sweeps with general graphs: a walk along every path of the forward sweep, backwards from EXIT,
//! with the reverse sweep going forwards from ENTRY along with it.
//!
//! A push on the walk becomes an item on its stack, and so do the visit of a block and the event of a clock
//! ([`crate::clock`]). The reverse sweep advances as long as the stacks have the items that it pops; popped values
//! decide its branches and loops, so it has one way at most. By induction over the edges of a path, it pops the same
//! items in a run.
//!
//! Where backward paths meet (at a vertex with several out-edges) all items must have been taken. The state is then
//! just the two places, and each pair of places is examined once. Constants that selectors need later (the exit by
//! which a loop was left, 0 after the first pass) are joined over all these places.

use cfg_core::{
    diagnostic::CodeInfo,
    entity::{EdgeId, VarId, VertexId},
    graph::dominance::Dominators,
    ir::{Cfg, Expr, LoopTest, Op, Selector, VertexKind},
};
use fixedbitset::FixedBitSet;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

mod head;
mod state;

use crate::{
    bodies::entered_when_ended,
    clock::{Clocks, Event, Forward},
    code::{At, Code, Key, Kind, NodeId, STACKS, Step, VISITS, Written},
    codes,
    marker::{self, Arms},
    reduce::constant,
    report,
    sides::{At2, PairCheck},
};
use state::{Item, Place, State, Value, Wait};

/// A variable of the forward sweep, and a variable of the reverse sweep that must have its value.
type Recorded = (VarId, VarId);

/// The walk ends because a problem has been reported.
struct Reported;

/// The walk over both sweeps at once.
pub(crate) struct Product<'p, 'a, 'w> {
    /// The check that has the two routines as its sides.
    check: &'w mut PairCheck<'p, 'a>,
    forward: &'w Forward<'p>,
    clocks: Clocks,
    cfg: &'p Cfg,
    steps: &'w [Vec<Step<'p>>],
    /// The LOOP that a FORLOOP says it mirrors, by vertex of the reverse sweep.
    mirrored: Vec<Option<VertexId>>,
    /// Scalars of the reverse sweep on which selectors and FORLOOPs depend.
    decides: Vec<bool>,
    dominators: Dominators,
    /// FORLOOPs whose bodies are entered by jumps after they have ended.
    entered_when_ended: FixedBitSet,
    /// The clock that each FORLOOP follows, and the other way round.
    clock_of: HashMap<VertexId, Key>,
    head_of: HashMap<Key, VertexId>,
    /// Results of checks of FORLOOPs and LOOPs, each made once.
    own: HashMap<(VertexId, usize), Result<Vec<Recorded>, String>>,
    unchanged: HashMap<VertexId, Result<(), String>>,
    /// Constants at the places where ways meet; `None` if there are several.
    settled: BTreeMap<VarId, Option<i64>>,
    /// The FORLOOP and the variable that decides, by BRANCH at the start of a reverse loop's body, behind blocks at
    /// most.
    first_in_body: HashMap<VertexId, (VertexId, VarId)>,
    /// The variable that decides first in the body, by FORLOOP.
    decided_first: HashMap<VertexId, VarId>,
    /// FORLOOPs that control enters from outside while that variable has no value, or an old one.
    unset: HashSet<VertexId>,
    /// The arms of each BRANCH that was decided, and their edges by label.
    ways: HashMap<VertexId, (Arms<'p>, HashMap<i64, EdgeId>)>,
    /// Branches that were decided by a settled constant.
    assumed: BTreeMap<VertexId, i64>,
    seen: HashSet<(VertexId, Place)>,
    met: HashSet<(NodeId, NodeId)>,
    branches: BTreeSet<VertexId>,
    /// FORLOOPs; the value is true if their count was on the tape.
    heads: BTreeMap<VertexId, bool>,
}

/// The LOOP that a FORLOOP mirrors, read from the origin of its ENDLOOP, by vertex of the reverse sweep. The origin
/// only chooses the pair to compare: the comparison itself does not trust it.
pub(crate) fn mirrored(
    forward: &Cfg,
    reverse: &Cfg,
    images: [&[Option<i64>]; 2],
) -> Vec<Option<VertexId>> {
    let is_loop = |kind: &VertexKind| matches!(kind, VertexKind::Loop { .. });
    let loops: HashMap<i64, VertexId> = (forward.vertices().zip(images[0]))
        .filter(|((_, vertex), _)| is_loop(&vertex.kind))
        .filter_map(|((v, _), image)| Some(((*image)?, v)))
        .collect();
    let is_end = |v: &VertexId| matches!(reverse.vertex(*v).kind, VertexKind::EndLoop);
    let mirror = |v: VertexId| {
        let mut ends = reverse.predecessors(v).filter(is_end);
        let found = ends.find_map(|end| loops.get(&(*images[1].get(end.index())?)?));
        found.copied()
    };
    (reverse.vertices())
        .map(|(v, vertex)| is_loop(&vertex.kind).then(|| mirror(v)).flatten())
        .collect()
}

/// BRANCHes to which the body edge of a FORLOOP leads, directly or through blocks, with the FORLOOP and the variable.
/// Writes in these blocks are found by the walk.
fn first_in_body(cfg: &Cfg) -> HashMap<VertexId, (VertexId, VarId)> {
    let edges = cfg.edges().filter(|(_, e)| {
        matches!(cfg.vertex(e.from).kind, VertexKind::Loop { .. }) && e.label == Some(1)
    });
    let branch = |head: VertexId, mut to: VertexId| {
        // With another in-edge, the vertex would not always come after the FORLOOP.
        while cfg.in_edges(to).len() == 1 {
            match (&cfg.vertex(to).kind, cfg.out_edges(to)) {
                (VertexKind::Branch(selector), _) => {
                    return Some((to, (head, marker::selector_variable(selector)?)));
                }
                (VertexKind::Block(_), &[e]) => to = cfg.edge(e).to,
                _ => return None,
            }
        }
        None
    };
    edges.filter_map(|(_, e)| branch(e.from, e.to)).collect()
}

/// Scalars on which selectors and the ranges of loops depend.
fn deciding(code: &Code<'_>, cfg: &Cfg) -> Vec<bool> {
    let mut decides = vec![false; code.routine.variables.len()];
    let mut on = |v: VarId| decides[v.index()] = code.is_local_scalar(v);
    for (_, vertex) in cfg.vertices() {
        match &vertex.kind {
            VertexKind::Branch(selector) => {
                if let Some(v) = marker::selector_variable(selector) {
                    on(v);
                }
            }
            VertexKind::Loop { test, .. } => {
                if let LoopTest::Counted {
                    first, last, step, ..
                } = &**test
                {
                    for e in [first, last, step] {
                        e.walk_places(&mut |p| on(p.var));
                    }
                }
            }
            VertexKind::Entry
            | VertexKind::Exit
            | VertexKind::Block(_)
            | VertexKind::EndLoop
            | VertexKind::EndBranch => {}
        }
    }
    decides
}

impl<'p, 'a, 'w> Product<'p, 'a, 'w> {
    pub(crate) fn new(
        check: &'w mut PairCheck<'p, 'a>,
        forward: &'w Forward<'p>,
        cfg: &'p Cfg,
        steps: &'w [Vec<Step<'p>>],
        mirrored: Vec<Option<VertexId>>,
    ) -> Self {
        let loops: Vec<VertexId> = mirrored.iter().flatten().copied().collect();
        let first_in_body = first_in_body(cfg);
        let dominators = Dominators::new(cfg, cfg.entry().map_or(0, VertexId::index));
        Self {
            clocks: Clocks::find(forward, check.code(0), &loops),
            decides: deciding(check.code(1), cfg),
            entered_when_ended: entered_when_ended(cfg, &dominators),
            dominators,
            check,
            forward,
            cfg,
            steps,
            mirrored,
            clock_of: HashMap::new(),
            head_of: HashMap::new(),
            own: HashMap::new(),
            unchanged: HashMap::new(),
            settled: BTreeMap::new(),
            decided_first: first_in_body.values().copied().collect(),
            first_in_body,
            unset: HashSet::new(),
            ways: HashMap::new(),
            assumed: BTreeMap::new(),
            seen: HashSet::new(),
            met: HashSet::new(),
            branches: BTreeSet::new(),
            heads: BTreeMap::new(),
        }
    }

    /// Walks both sweeps; stops at the first problem.
    pub(crate) fn run(mut self) {
        if self.walk().is_err() {
            return;
        }
        for (vertex, value) in std::mem::take(&mut self.assumed) {
            if let Some(&(head, v)) = self.first_in_body.get(&vertex)
                && (self.settled.get(&v) != Some(&Some(value)) || self.unset.contains(&head))
            {
                self.undecided(vertex, v);
                return;
            }
        }
        let summary = &mut self.check.summary;
        summary.branches += self.branches.len();
        for taped in self.heads.into_values() {
            let count = match taped {
                true => &mut summary.loops_counted,
                false => &mut summary.loops_recomputed,
            };
            *count += 1;
        }
        self.check.compare_values();
    }

    /// Reports a problem of a vertex.
    fn at(
        &mut self,
        side: usize,
        vertex: VertexId,
        info: &CodeInfo,
        message: String,
        help: &str,
    ) -> Reported {
        let at = At {
            vertex,
            statement: None,
        };
        let program = self.check.known.program;
        let problem = report::at(program, self.check.code(side), at, info, message, help);
        self.check.problems.push(problem);
        Reported
    }

    fn node(
        &mut self,
        side: usize,
        node: NodeId,
        info: &CodeInfo,
        message: &str,
        help: &str,
    ) -> Reported {
        let n = At2 { side, node };
        self.check.report(info, n, message.to_owned(), help);
        Reported
    }

    fn walk(&mut self) -> Result<(), Reported> {
        let (Some(exit), Some(entry)) = (self.forward.cfg.exit(), self.cfg.entry()) else {
            return Ok(());
        };
        let variables = [0, 1].map(|side| self.check.code(side).routine.variables.len());
        let mut state = State::new(entry, variables, self.clocks.limit());
        self.advance(&mut state)?;
        // A sweep that mirrors another one has few pairs of places: more of them show that it does not, and keep the
        // walk linear.
        let most = 4 * (self.forward.cfg.vertex_count() + self.cfg.vertex_count());
        let mut work = vec![(exit, state)];
        while let Some((v, mut state)) = work.pop() {
            if self.forward.cfg.out_edges(v).len() > 1 && !self.meet(v, &mut state)? {
                continue;
            }
            if self.seen.len() > most {
                let message = "the two sweeps go together in too many ways".to_owned();
                let help = "let each part of the forward sweep have one part that reverses it";
                return Err(self.at(1, state.at.vertex, &codes::GRAPH, message, help));
            }
            self.pass(v, &mut state);
            self.advance(&mut state)?;
            if matches!(self.forward.cfg.vertex(v).kind, VertexKind::Entry) {
                self.finish(&state)?;
            }
            let edges: Vec<EdgeId> = self.forward.in_edges(v).collect();
            let Some((&last, others)) = edges.split_last() else {
                continue;
            };
            let states = others.iter().map(|&e| (e, state.clone()));
            for (e, mut state) in states.collect::<Vec<_>>() {
                self.cross(e, &mut state);
                self.advance(&mut state)?;
                work.push((self.forward.cfg.edge(e).from, state));
            }
            self.cross(last, &mut state);
            self.advance(&mut state)?;
            work.push((self.forward.cfg.edge(last).from, state));
        }
        Ok(())
    }

    /// Passes a vertex of the forward sweep, last statement first.
    fn pass(&mut self, v: VertexId, state: &mut State<'p>) {
        for step in self.forward.steps[v.index()].iter().rev() {
            match *step {
                Step::Node(n) => match &self.check.code(0).nodes[n].kind {
                    Kind::Push { key, .. } => state.put(*key, Item::Node(n)),
                    Kind::Visit(_) => state.put(VISITS, Item::Node(n)),
                    Kind::Call { tapes, .. } => {
                        for key in stacks(tapes) {
                            state.put(key, Item::Node(n));
                        }
                    }
                    Kind::Pop { .. } | Kind::Loop { .. } | Kind::Branch { .. } => {}
                },
                Step::Write(u, what) => {
                    if let Some((key, event)) = self.clocks.event(u, what) {
                        state.put(key, Item::Event(event));
                    }
                    if let Some(theirs) = state.held.remove(u.index()) {
                        state.known.insert(theirs.index(), Value::Unknown);
                    }
                }
            }
        }
    }

    /// Passes an edge of the forward sweep.
    fn cross(&mut self, e: EdgeId, state: &mut State<'p>) {
        let edge = self.forward.cfg.edge(e);
        if let Some(key) = self.clocks.passes(edge.to) {
            let event = match self.forward.is_back(e) {
                true => Event::Pass,
                false => Event::Start,
            };
            state.put(key, Item::Event(event));
        }
        if let Some(key) = self.clocks.passes(edge.from)
            && edge.label != Some(1)
        {
            state.put(key, Item::Event(Event::Left));
        }
    }

    /// Joins constants where paths meet; true if this pair of places is new.
    fn meet(&mut self, v: VertexId, state: &mut State<'p>) -> Result<bool, Reported> {
        if !state.waiting.is_empty() {
            return Err(self.left(state));
        }
        state.known.show_new(|v, value| {
            let constant = match value {
                Value::Constant(c) => Some(c),
                Value::Clock(..) | Value::Trips(_) | Value::Of(_) | Value::Unknown => None,
            };
            let settled = self.settled.entry(VarId::new(v)).or_insert(constant);
            if *settled != constant {
                *settled = None;
            }
        });
        state.known.clear();
        state.held.clear();
        state.taken.clear();
        Ok(self.seen.insert((v, state.at)))
    }

    /// The forward sweep is at its beginning.
    fn finish(&mut self, state: &State<'p>) -> Result<(), Reported> {
        let v = state.at.vertex;
        let done = matches!(self.cfg.vertex(v).kind, VertexKind::Exit);
        match done && state.waiting.is_empty() {
            true => Ok(()),
            false => Err(self.left(state)),
        }
    }

    /// Reports items that wait while the reverse sweep wants others, or none.
    fn left(&mut self, state: &State<'p>) -> Reported {
        let v = state.at.vertex;
        let wanted = match self.steps[v.index()].get(state.at.step) {
            Some(Step::Node(n)) => Some(*n),
            _ => None,
        };
        let wants_visit =
            wanted.is_some_and(|n| matches!(self.check.code(1).nodes[n].kind, Kind::Visit(_)));
        // Waiting items are reported first, then missing ones.
        let mut items = state
            .waiting
            .iter()
            .filter_map(|(k, q)| Some((*k, q.front()?.1)));
        let pushed = items.find(|i| i.0 != VISITS || wanted.is_none() || wants_visit);
        let done = matches!(self.cfg.vertex(v).kind, VertexKind::Exit);
        match (pushed, wanted) {
            (Some((VISITS, Item::Node(n))), _) => {
                let message = "the mirrored part of the reverse sweep does not visit the adjoint of this block";
                let help = "visit the adjoints of all blocks in reverse order";
                self.node(0, n, &codes::PATH, message, help)
            }
            (Some((_, Item::Node(n))), _) => {
                let message = "the mirrored part of the reverse sweep does not pop this";
                self.node(
                    0,
                    n,
                    &codes::LEFT,
                    message,
                    "pop it there, or do not push it",
                )
            }
            (None, Some(n)) if wants_visit => {
                let message = "the mirrored part of the forward sweep does not visit the block that \
                               this is the adjoint of";
                let help = "visit the adjoints of all blocks in reverse order";
                self.node(1, n, &codes::PATH, message, help)
            }
            (None, Some(n)) => {
                let message =
                    "the mirrored part of the forward sweep has nothing on the stack here";
                let help = "push there what is popped here";
                self.node(1, n, &codes::EMPTY, message, help)
            }
            (Some((_, Item::Event(_))), _) | (None, None) if !done => {
                let message =
                    "here is not where the forward sweep is after as many passes".to_owned();
                let help = "count the iterations and push the count at the loop's exit";
                self.at(1, v, &codes::COUNT, message, help)
            }
            _ => {
                let message = "the reverse sweep ends before all passes are done".to_owned();
                self.at(
                    1,
                    v,
                    &codes::COUNT,
                    message,
                    "run the reverse loop as often as the loop",
                )
            }
        }
    }

    /// Advances the reverse sweep as far as the waiting items allow.
    fn advance(&mut self, state: &mut State<'p>) -> Result<(), Reported> {
        let mut idle = 0;
        loop {
            let v = state.at.vertex;
            while let Some(step) = self.steps[v.index()].get(state.at.step) {
                match *step {
                    Step::Node(n) => {
                        if !self.take(state, n)? {
                            return Ok(());
                        }
                        idle = 0;
                    }
                    Step::Write(u, what) => self.write(state, u, what),
                }
                state.at.step += 1;
            }
            let next = match &self.cfg.vertex(v).kind {
                VertexKind::Exit => None,
                VertexKind::Branch(selector) => Some(self.decide(state, v, selector)?),
                VertexKind::Loop { test, .. } => {
                    let next = self.head(state, v, test)?;
                    if next.is_none_or(|n| n.took) {
                        idle = 0;
                    }
                    next.map(|n| n.edge)
                }
                VertexKind::Entry
                | VertexKind::Block(_)
                | VertexKind::EndLoop
                | VertexKind::EndBranch => self.cfg.out_edges(v).first().copied(),
            };
            let Some(next) = next else { return Ok(()) };
            // After as many idle edges as there are vertices, some vertex came twice: the cycle may go on forever.
            idle += 1;
            if idle > self.cfg.vertex_count() {
                let message =
                    "the reverse sweep may run on from here without taking anything from \
                               the tape"
                        .to_owned();
                let help = "let every loop run as often as the loop that it mirrors";
                return Err(self.at(1, v, &codes::COUNT, message, help));
            }
            let vertex = self.cfg.edge(next).to;
            let is = |v: VertexId| &self.cfg.vertex(v).kind;
            let back = matches!(is(v), VertexKind::EndLoop)
                && matches!(is(vertex), VertexKind::Loop { .. });
            state.at = Place {
                vertex,
                step: 0,
                wait: if back { Wait::Pass } else { Wait::Steps },
            };
        }
    }

    /// Lets a pop, a call or a visit meet the waiting item; false if there is none yet.
    fn take(&mut self, state: &mut State<'p>, n: NodeId) -> Result<bool, Reported> {
        let (keys, target) = match &self.check.code(1).nodes[n].kind {
            Kind::Pop { key, target, .. } => (vec![*key], Some(*target)),
            Kind::Visit(_) => (vec![VISITS], None),
            Kind::Call { tapes, .. } => (stacks(tapes).collect(), None),
            Kind::Push { .. } | Kind::Loop { .. } | Kind::Branch { .. } => return Ok(true),
        };
        let mut met = None;
        for &key in &keys {
            let Some((time, Item::Node(f))) = state.first(key) else {
                return Ok(false);
            };
            let (_, other) = *met.get_or_insert((time, f));
            if other != f {
                let other = At2 { side: 0, node: f };
                self.check.other(At2 { side: 1, node: n }, key, Some(other));
                return Err(Reported);
            }
        }
        let Some((time, f)) = met else {
            return Ok(true);
        };
        if self.met.insert((f, n)) {
            let before = self.check.problems.len();
            let [f, n] = [(0, f), (1, n)].map(|(side, node)| At2 { side, node });
            self.check.compare(f, n);
            if self.check.problems.len() > before {
                return Err(Reported);
            }
        }
        for key in keys {
            state.drop_first(key);
        }
        if let Some(target) = target
            && self.decides[target.var.index()]
        {
            let value = self.pushed(state, f, time, n);
            if let Value::Of(ours) = value {
                // At most one variable is remembered for each variable of the forward sweep.
                if let Some(other) = state.held.insert(ours.index(), target.var) {
                    state.known.insert(other.index(), Value::Unknown);
                }
            }
            state.known.insert(target.var.index(), value);
        }
        Ok(true)
    }

    /// The value that was pushed.
    fn pushed(&self, state: &State<'p>, push: NodeId, time: u32, pop: NodeId) -> Value<'p> {
        let Kind::Push { value, .. } = &self.check.code(0).nodes[push].kind else {
            return Value::Unknown;
        };
        if let Some(c) = constant(value) {
            return Value::Constant(c);
        }
        let Some(v) =
            Code::whole_variable(value).filter(|&v| self.check.code(0).is_local_scalar(v))
        else {
            return Value::Unknown;
        };
        let Some(key) = self.clocks.value(v) else {
            return Value::Of(v);
        };
        // Events of the clock after the push must have been taken, or the pushed count is not the clock's present
        // value.
        match state.first(key) {
            Some((t, _)) if t < time => Value::Unknown,
            _ => Value::Clock(key, 0, [push, pop], state.taken(key)),
        }
    }

    fn write(&self, state: &mut State<'p>, v: VarId, what: Written<'p>) {
        if !self.decides[v.index()] {
            return;
        }
        let value = match what {
            // The value is known since the pop met its push.
            Written::Popped(_) => return,
            Written::Assigned(target, e) if target.subscripts.is_empty() => match e {
                Expr::Op(Op::Trips, operands) => Value::Trips(operands),
                Expr::Op(Op::Add, operands) => match &**operands {
                    [a, Expr::Int(k)] => match Code::whole_variable(a).and_then(|v| state.known(v))
                    {
                        Some(Value::Clock(key, more, nodes, taken)) => {
                            Value::Clock(key, more.saturating_add(*k), nodes, taken)
                        }
                        _ => Value::Unknown,
                    },
                    _ => Value::Unknown,
                },
                e => constant(e).map_or(Value::Unknown, Value::Constant),
            },
            Written::Assigned(..) | Written::Otherwise => Value::Unknown,
        };
        state.known.insert(v.index(), value);
    }

    /// The edge that a BRANCH of the reverse sweep takes.
    fn decide(
        &mut self,
        state: &State<'p>,
        v: VertexId,
        selector: &'p Selector,
    ) -> Result<EdgeId, Reported> {
        let help = "decide on one local variable that was popped from the push of a constant, or \
                    was assigned one";
        let Some(variable) = marker::selector_variable(selector) else {
            let message = "it does not decide on a popped value alone".to_owned();
            return Err(self.at(1, v, &codes::MARKER, message, help));
        };
        let value = match state.known(variable) {
            Some(Value::Constant(c)) => Some(c),
            Some(_) => None,
            // The variable was set where the loop around was entered, or later.
            None if self.first_in_body.contains_key(&v) => {
                let settled = self.settled.get(&variable).copied().flatten();
                if let Some(c) = settled {
                    self.assumed.insert(v, c);
                }
                settled
            }
            None => None,
        };
        let Some(value) = value else {
            return Err(self.undecided(v, variable));
        };
        let cfg = self.cfg;
        let (arms, edges) = self.ways.entry(v).or_insert_with(|| {
            let edges = cfg.out_edges(v).iter();
            let labels = edges.filter_map(|&e| cfg.edge(e).label.map(|label| (label, e)));
            (Arms::from_selector(selector), labels.collect())
        });
        match arms.label(value).and_then(|label| edges.get(&label)) {
            Some(&e) => {
                self.branches.insert(v);
                Ok(e)
            }
            None => {
                let message = format!("with {value}, it takes no arm");
                Err(self.at(1, v, &codes::MARKER, message, help))
            }
        }
    }

    fn undecided(&mut self, v: VertexId, variable: VarId) -> Reported {
        let name = &self.check.code(1).routine.variable(variable).name;
        let message = format!("which value `{name}` has here is not known, or there are several");
        let help = "decide on a value that was pushed as a constant on every way to here";
        self.at(1, v, &codes::MARKER, message, help)
    }
}

/// The stacks of the tapes that a call gets.
fn stacks(tapes: &[(u32, &str)]) -> impl Iterator<Item = Key> {
    tapes
        .iter()
        .flat_map(|(t, _)| (0..STACKS).map(move |s| t * STACKS + s))
}
