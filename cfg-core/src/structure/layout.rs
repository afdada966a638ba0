//! A text for any graph of blocks and branches: nested loops and arms, breaks and continues over several levels, and
//! jumps for the rest.
//!
//! A vertex with one way in stands in the arm, or behind the vertex, that leads to it. A vertex with several ways in
//! stands behind the construct that its immediate dominator begins. A natural loop is a loop without a test, or with a
//! test before or behind its body. Of the vertices outside that the loop leads to, the one that dominates most stands
//! behind the loop; the others stay in the arms that lead to them. Loops that are entered elsewhere than at their
//! headers are written with jumps.
//!
//! Source: N. Ramsey, *Beyond Relooper: Recursive Translation of Unstructured Control Flow to Structured Control
//! Flow*, Proc. ACM Program. Lang. 6 (ICFP), 2022, section 4, with jumps to labels for irreducible parts, and a place
//! behind each loop for the vertex that follows it. No recursion; linear in vertices and edges but for the dominators
//! and the loop forest.
//!
//! ```
//! use cfg_core::{
//!     builder::{ProgramBuilder, RoutineBuilder, expr::*},
//!     ir::ScalarType::{Integer, Real},
//!     structure::layout::{Jump, Layout, Step},
//! };
//!
//! let mut f = RoutineBuilder::new("find");
//! let n = f.input("n", Integer);
//! let x = f.input("x", Real.array([n]));
//! let i = f.inout("i", Integer);
//! let (next, found) = (f.label(), f.label());
//! f.assign(i, 1);
//! f.place_label(next);
//! f.if_then(lt(i, n), |f| {
//!     f.if_then(gt(x.at(i), 0.0), |f| f.goto(found));
//!     f.assign(i, i + 1);
//!     f.goto(next);
//! });
//! f.place_label(found);
//! f.assign(i, 2 * i);
//! let mut program = ProgramBuilder::new();
//! program.add(f);
//! let program = program.finish()?;
//! let Some(cfg) = &program.routines[0].body else { return Ok(()) };
//! let steps = Layout::build(cfg).steps;
//! let jumps: Vec<Jump> = steps.iter().filter_map(|step| match step {
//!     Step::Jump(_, jump) => Some(*jump),
//!     _ => None,
//! }).collect();
//! assert!(steps.iter().any(|step| matches!(step, Step::Loop(_))));
//! assert!(!jumps.contains(&Jump::Goto), "{steps:?}");
//! # Ok::<(), cfg_core::diagnostic::Diagnostics>(())
//! ```

#[cfg(test)]
mod tests;

use crate::{
    entity::{EdgeId, VertexId},
    graph::{dominance::Dominators, loops::LoopForest, reverse_postorder},
    ir::{Cfg, Selector},
};

/// The greatest number of loops and arms around one another; deeper parts are written with jumps.
const DEEPEST: usize = 100;
/// The most loops, innermost first, that are considered for a place behind them.
const LEVELS: usize = DEEPEST;

/// The test of a loop: the branch that decides, and the answer with which the loop goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Test {
    /// No test; the loop is left by breaks and jumps.
    Endless,
    /// The header decides before each pass.
    Before(VertexId, bool),
    /// The last vertex of the body decides after each pass.
    Behind(VertexId, bool),
}

/// A change of the place at which execution goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Jump {
    /// To the vertex behind a loop: this many loops are left, at least one.
    Break(usize),
    /// To the next pass of a loop: one less than this many loops are left.
    Continue(usize),
    /// To the vertex, wherever it stands.
    Goto,
}

/// A part of the text of a routine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The place of a vertex: its statements stand here, and jumps lead here. A header
    /// with a test before each pass stands before its loop, others are the first vertex inside.
    Vertex(VertexId),
    /// A loop begins.
    Loop(Test),
    /// The innermost loop ends.
    EndLoop(Test),
    /// The condition of a branch is evaluated, and both arms go on at the same place.
    Decide(VertexId),
    /// An arm begins that is entered if the condition of the branch has this value.
    If(VertexId, bool),
    /// The other arm of the innermost branch begins.
    Else,
    /// The innermost branch ends.
    EndIf,
    /// A multi-way branch begins.
    Switch(VertexId),
    /// The next arm of the innermost multi-way branch begins: in the order of the arms, but the default stands last.
    Arm,
    /// The arm ends.
    EndArm,
    /// The innermost multi-way branch ends.
    EndSwitch(VertexId),
    /// Execution goes on elsewhere.
    Jump(VertexId, Jump),
}

/// The steps of a routine in the order of its text. Every vertex that is reached from ENTRY has its place once; EXIT,
/// if it is reached, is the last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// The steps.
    pub steps: Vec<Step>,
}

impl Layout {
    /// The steps of a graph without LOOP vertices; nothing if it has no ENTRY.
    pub fn build(cfg: &Cfg) -> Self {
        let Some(entry) = cfg.entry() else {
            return Self::default();
        };
        let mut writer = Writer::new(cfg, entry);
        let exit = cfg.exit().filter(|e| writer.places[e.index()] != NONE);
        writer.tasks.push(Task::Place(entry, exit));
        while let Some(task) = writer.tasks.pop() {
            writer.run(task);
        }
        writer.steps.extend(exit.map(Step::Vertex));
        Self {
            steps: writer.steps,
        }
    }
}

const NONE: u32 = u32::MAX;

/// A part that is still to be written.
#[derive(Clone, Copy)]
enum Task {
    /// A vertex and all vertices behind it; the second vertex is executed next.
    Place(VertexId, Option<VertexId>),
    /// A vertex without the loop that it heads.
    Body(VertexId, Option<VertexId>),
    /// The way along an edge.
    Way(EdgeId, Option<VertexId>),
    /// A step that opens or closes nothing.
    Write(Step),
    /// A step that ends a block.
    Close(Step),
}

/// A block that is open.
#[derive(Clone, Copy)]
enum Open {
    Loop {
        header: VertexId,
        behind: Option<VertexId>,
        /// The position of the step that begins it.
        step: usize,
        test: Test,
    },
    Arm,
}

/// The state of the layout of one graph.
struct Writer<'c> {
    cfg: &'c Cfg,
    forest: LoopForest,
    /// Positions in reverse postorder; [`NONE`] of unreachable vertices.
    places: Vec<u32>,
    /// The vertices that stand behind the construct that a vertex begins, in reverse postorder.
    merges: Vec<Vec<VertexId>>,
    /// True for a vertex that stands where its only way in leads.
    inline: Vec<bool>,
    /// The vertex behind the loop of a header.
    follower: Vec<Option<VertexId>>,
    /// Ways back to each header of a natural loop.
    backs: Vec<u32>,
    steps: Vec<Step>,
    tasks: Vec<Task>,
    open: Vec<Open>,
}

impl<'c> Writer<'c> {
    fn new(cfg: &'c Cfg, entry: VertexId) -> Self {
        let n = cfg.vertex_count();
        let dominators = Dominators::new(cfg, entry.index());
        let forest = LoopForest::new(cfg, entry.index());
        let order = reverse_postorder(cfg, entry.index());
        let mut places = vec![NONE; n];
        for (at, &v) in order.iter().enumerate() {
            places[v] = at as u32;
        }
        let mut sizes = vec![1_u32; n];
        for &v in order.iter().rev() {
            if let Some(d) = dominators.immediate(v) {
                sizes[d] += sizes[v];
            }
        }
        // Kept, since `Cfg::exit` is a search.
        let exit = cfg.exit();
        let follower = followers(exit, &dominators, &forest, &order, &sizes);
        let mut behind = vec![false; n];
        for v in follower.iter().flatten() {
            behind[v.index()] = true;
        }
        let (mut merges, mut inline) = (vec![Vec::new(); n], vec![false; n]);
        let mut backs = vec![0; n];
        for &v in &order {
            let natural = forest
                .headed_by(v)
                .is_some_and(|l| forest.get(l).is_reducible());
            let mut ways = 0;
            for from in cfg.predecessors(VertexId::new(v)) {
                if places[from.index()] == NONE {
                } else if natural && dominators.dominates(v, from.index()) {
                    backs[v] += 1;
                } else {
                    ways += 1;
                }
            }
            let at = VertexId::new(v);
            if let Some(d) = dominators.immediate(v)
                && !behind[v]
                && exit != Some(at)
            {
                inline[v] = ways == 1;
                if ways != 1 {
                    merges[d].push(at);
                }
            }
        }
        Self {
            cfg,
            forest,
            places,
            merges,
            inline,
            follower,
            backs,
            steps: Vec::with_capacity(3 * n),
            tasks: Vec::new(),
            open: Vec::new(),
        }
    }

    fn run(&mut self, task: Task) {
        match task {
            Task::Place(v, next) => self.place_vertex(v, next),
            Task::Body(v, next) => self.place_body(v, next),
            Task::Way(e, next) => self.place_way(e, next),
            Task::Write(step) => self.steps.push(step),
            Task::Close(step) => {
                let closed = self.open.pop();
                let step = match (step, closed) {
                    (Step::EndLoop(_), Some(Open::Loop { test, .. })) => Step::EndLoop(test),
                    _ => step,
                };
                self.steps.push(step);
            }
        }
    }

    /// Writes a vertex with the loop that it heads, and the vertex behind that loop.
    fn place_vertex(&mut self, v: VertexId, next: Option<VertexId>) {
        // The vertex has its place now: further ways to it are jumps back.
        self.inline[v.index()] = false;
        if self.backs[v.index()] == 0 {
            self.steps.push(Step::Vertex(v));
            return self.place_body(v, next);
        }
        let follower = self.follower[v.index()];
        let behind = follower.or(next);
        if let Some(follower) = follower {
            self.tasks.push(Task::Place(follower, next));
        }
        if !self.fits_in_block() {
            self.steps.push(Step::Vertex(v));
            return self.place_body(v, behind);
        }
        let test = self.test_before(v, behind);
        let is_tested = matches!(test, Test::Before(..));
        if is_tested {
            self.steps.push(Step::Vertex(v));
        }
        self.open.push(Open::Loop {
            header: v,
            behind,
            step: self.steps.len(),
            test,
        });
        self.steps.push(Step::Loop(test));
        if !is_tested {
            self.steps.push(Step::Vertex(v));
        }
        self.tasks.push(Task::Close(Step::EndLoop(test)));
        self.tasks.push(Task::Body(v, Some(v)));
    }

    /// The edges of a condition's arms: true, false.
    fn condition_arms(&self, v: VertexId) -> Option<[EdgeId; 2]> {
        let Some(Selector::Condition(_)) = self.cfg.vertex(v).kind.selector() else {
            return None;
        };
        let edge = |label: i64| {
            let mut edges = self.cfg.out_edges(v).iter();
            edges.find(|e| self.cfg.edge(**e).label == Some(label))
        };
        Some([*edge(1)?, *edge(0)?])
    }

    fn target(&self, e: EdgeId) -> VertexId {
        self.cfg.edge(e).to
    }

    /// The test of a loop whose header only decides whether to leave it.
    fn test_before(&self, v: VertexId, behind: Option<VertexId>) -> Test {
        let Some([yes, no]) = self.condition_arms(v) else {
            return Test::Endless;
        };
        let leaves =
            |e: EdgeId| Some(self.target(e)) == behind && !self.inline[self.target(e).index()];
        match (leaves(yes), leaves(no)) {
            (false, true) => Test::Before(v, true),
            (true, false) => Test::Before(v, false),
            _ => Test::Endless,
        }
    }

    /// Writes the ways out of a vertex, and the vertices that stand behind it.
    fn place_body(&mut self, v: VertexId, next: Option<VertexId>) {
        let merges = std::mem::take(&mut self.merges[v.index()]);
        let mut after = next;
        for &merge in merges.iter().rev() {
            self.tasks.push(Task::Place(merge, after));
            after = Some(merge);
        }
        if let Some([yes, no]) = self.condition_arms(v) {
            return self.place_branch(v, [yes, no], after, merges.is_empty());
        }
        match self.cfg.vertex(v).kind.selector() {
            Some(Selector::Cases { arms, .. }) => {
                let mut order: Vec<(bool, i64)> =
                    arms.iter().map(|arm| (arm.default, arm.label)).collect();
                order.sort_by_key(|(default, _)| *default);
                let labels: std::collections::HashMap<i64, EdgeId> = self
                    .cfg
                    .out_edges(v)
                    .iter()
                    .filter_map(|&e| Some((self.cfg.edge(e).label?, e)))
                    .collect();
                let edges = order.iter().filter_map(|(_, label)| labels.get(label));
                self.place_switch(v, edges.copied().collect(), after);
            }
            Some(Selector::Condition(_)) | None => {
                if let Some(&e) = self.cfg.out_edges(v).first() {
                    self.place_way(e, after);
                }
            }
        }
    }

    /// True if one more loop or arm may be opened.
    fn fits_in_block(&self) -> bool {
        self.open.len() < DEEPEST
    }

    fn place_branch(
        &mut self,
        v: VertexId,
        [yes, no]: [EdgeId; 2],
        next: Option<VertexId>,
        plain: bool,
    ) {
        let (a, b) = (self.target(yes), self.target(no));
        if let Some(&Open::Loop {
            header,
            behind,
            step,
            test,
        }) = self.open.last()
        {
            match test {
                // The loop's own test: the body goes on with the arm that stays in the loop.
                Test::Before(h, goes_on) if h == v => {
                    self.tasks
                        .push(Task::Way(if goes_on { yes } else { no }, next));
                    return;
                }
                // The only way back, at the end of the body, makes a loop tested behind.
                Test::Endless
                    if plain
                        && self.backs[header.index()] == 1
                        && next == Some(header)
                        && a != b
                        && [a, b].contains(&header)
                        && behind
                            .is_some_and(|to| [a, b].contains(&to) && !self.inline[to.index()]) =>
                {
                    let test = Test::Behind(v, a == header);
                    self.steps[step] = Step::Loop(test);
                    if let Some(Open::Loop { test: kept, .. }) = self.open.last_mut() {
                        *kept = test;
                    }
                    return;
                }
                Test::Endless | Test::Before(..) | Test::Behind(..) => {}
            }
        }
        if a == b {
            self.steps.push(Step::Decide(v));
            return self.tasks.push(Task::Way(yes, next));
        }
        let inline = |w: VertexId| self.inline[w.index()];
        let falls = |w: VertexId| !inline(w) && Some(w) == next;
        // The arm that is written first, and whether the other one is an `else` or stands behind.
        let (first, holds, other, is_else) = if falls(a) {
            (no, false, yes, true)
        } else if falls(b) || !inline(a) {
            (yes, true, no, falls(b))
        } else if !inline(b) || self.leaves_loop(v, b) && !self.leaves_loop(v, a) {
            (no, false, yes, false)
        } else {
            (yes, true, no, !self.leaves_loop(v, a))
        };
        let first_to = self.target(first);
        self.steps.push(Step::If(v, holds));
        if !self.fits_in_block() && inline(first_to) {
            // Too deep for an arm of its own: the vertex stands behind the other arm.
            self.steps.push(Step::Jump(first_to, Jump::Goto));
            self.steps.push(Step::EndIf);
            self.tasks.push(Task::Place(first_to, next));
            self.tasks.push(Task::Way(other, Some(first_to)));
            return;
        }
        self.open.push(Open::Arm);
        if is_else {
            if self.inline[self.target(other).index()] {
                self.tasks.push(Task::Close(Step::EndIf));
                self.tasks.push(Task::Way(other, next));
                self.tasks.push(Task::Write(Step::Else));
            } else {
                self.tasks.push(Task::Close(Step::EndIf));
            }
            self.tasks.push(Task::Way(first, next));
        } else {
            // Control does not pass the end of the first arm, so the other arm needs no `else`.
            self.tasks.push(Task::Way(other, next));
            self.tasks.push(Task::Close(Step::EndIf));
            self.tasks.push(Task::Way(first, Some(self.target(other))));
        }
    }

    /// True if `to` is outside of the innermost loop around `v`.
    fn leaves_loop(&self, v: VertexId, to: VertexId) -> bool {
        let innermost = self.forest.innermost(v.index());
        innermost.is_some_and(|l| !self.forest.contains(l, to.index()))
    }

    fn place_switch(&mut self, v: VertexId, edges: Vec<EdgeId>, next: Option<VertexId>) {
        self.steps.push(Step::Switch(v));
        self.open.push(Open::Arm);
        let fits = self.fits_in_block();
        if !fits {
            let inner: Vec<VertexId> = edges
                .iter()
                .map(|e| self.target(*e))
                .filter(|w| self.inline[w.index()])
                .collect();
            let mut after = next;
            for &w in inner.iter().rev() {
                self.tasks.push(Task::Place(w, after));
                after = Some(w);
            }
            let falls = after;
            self.tasks.push(Task::Close(Step::EndSwitch(v)));
            for &e in edges.iter().rev() {
                let to = self.target(e);
                self.tasks.push(Task::Write(Step::EndArm));
                if Some(to) != falls {
                    self.tasks.push(Task::Write(Step::Jump(to, Jump::Goto)));
                }
                self.tasks.push(Task::Write(Step::Arm));
            }
            return;
        }
        self.tasks.push(Task::Close(Step::EndSwitch(v)));
        for &e in edges.iter().rev() {
            self.tasks.push(Task::Write(Step::EndArm));
            self.tasks.push(Task::Way(e, next));
            self.tasks.push(Task::Write(Step::Arm));
        }
    }

    /// The way along an edge: the target itself if it stands here, nothing if it is executed next, else a jump.
    fn place_way(&mut self, e: EdgeId, next: Option<VertexId>) {
        let to = self.target(e);
        if self.inline[to.index()] {
            self.tasks.push(Task::Place(to, next));
        } else if Some(to) != next {
            let jump = self.jump_kind(to);
            self.steps.push(Step::Jump(to, jump));
        }
    }

    fn jump_kind(&self, to: VertexId) -> Jump {
        let loops = self.open.iter().rev().filter_map(|open| match open {
            Open::Loop {
                header,
                behind,
                test,
                ..
            } => Some((*header, *behind, *test)),
            Open::Arm => None,
        });
        for (level, (header, behind, test)) in (1..).zip(loops) {
            if behind == Some(to) {
                return Jump::Break(level);
            }
            if header == to && !matches!(test, Test::Behind(..)) {
                return Jump::Continue(level);
            }
        }
        Jump::Goto
    }
}

/// The vertex behind each natural loop, by its header: of the vertices outside whose immediate dominator is inside,
/// the one that dominates most. Outer loops choose first.
fn followers(
    exit: Option<VertexId>,
    dominators: &Dominators,
    forest: &LoopForest,
    order: &[usize],
    sizes: &[u32],
) -> Vec<Option<VertexId>> {
    let mut candidates = Vec::new();
    for (at, &v) in order.iter().enumerate() {
        let Some(d) = dominators.immediate(v) else {
            continue;
        };
        if exit == Some(VertexId::new(v)) {
            continue;
        }
        let left = forest
            .around(d)
            .take_while(|l| !forest.contains(*l, v))
            .take(LEVELS);
        for l in left.filter(|l| forest.get(*l).is_reducible()) {
            candidates.push((l, std::cmp::Reverse(sizes[v]), at, v));
        }
    }
    candidates.sort_unstable();
    let mut follower = vec![None; sizes.len()];
    let mut taken = vec![false; sizes.len()];
    for (l, _, _, v) in candidates {
        let header = forest.get(l).header;
        if follower[header].is_none() && !taken[v] {
            follower[header] = Some(VertexId::new(v));
            taken[v] = true;
        }
    }
    follower
}
