//! Clocks: the numbers of passes of the loops of a forward sweep.
//!
//! A *clock* is a number that is only set to 0 and incremented: a counter that is pushed as a count, or the number of
//! completed passes of a counted LOOP, which control enters from outside or from an ENDLOOP. Read backwards, the
//! events of a clock decide how often a reverse loop runs: once more if the last event was an increment, no more if it
//! was the start. So events are items on a stack of their own, which the head of the reverse loop takes one by one.

use cfg_core::{
    entity::{EdgeId, VarId, VertexId},
    graph::{dominance::Dominators, loops::LoopForest, reachable},
    ir::{Cfg, ControlWidth, Expr, LoopTest, TapeClass, VertexKind},
};
use fixedbitset::FixedBitSet;
use std::collections::{HashMap, HashSet};

use crate::{
    bodies::entered_when_ended,
    code::{Code, Key, Kind, Step, Written, is_increment},
    same::are_identical,
};

/// The first key of a clock; tapes have smaller keys.
const CLOCKS: Key = 1 << 31;

/// An event of a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// The clock was set to 0.
    Start,
    /// The clock was incremented.
    Pass,
    /// The counted LOOP was left at its header.
    Left,
}

/// A forward sweep, vertex by vertex.
pub(crate) struct Forward<'p> {
    pub(crate) cfg: &'p Cfg,
    pub(crate) steps: Vec<Vec<Step<'p>>>,
    /// Vertices that can be reached from ENTRY.
    reached: FixedBitSet,
    forest: LoopForest,
    /// LOOPs whose bodies are entered by jumps after they have ended.
    entered_when_ended: FixedBitSet,
    /// The places of the vertices that write each variable among those in loops, in ascending order.
    written: Vec<Vec<usize>>,
}

/// The clocks of a forward sweep.
pub(crate) struct Clocks {
    /// The clock with the value of each variable that is a counter.
    value: Vec<Option<Key>>,
    /// The clock of the passes of the counted LOOP at each vertex, if a reverse loop mirrors it.
    passes: Vec<Option<Key>>,
}

impl Clocks {
    /// `mirrored`: the LOOPs that a FORLOOP of the reverse sweep names.
    pub(crate) fn find(forward: &Forward<'_>, code: &Code<'_>, mirrored: &[VertexId]) -> Self {
        let variables = code.routine.variables.len();
        let mut clocks = Self {
            value: vec![None; variables],
            passes: vec![None; forward.cfg.vertex_count()],
        };
        for node in &code.nodes {
            if let Kind::Push { class, value, .. } = &node.kind
                && *class == TapeClass::Control(ControlWidth::Count)
                && let Some(v) = Code::whole_variable(value)
                && code.is_local_scalar(v)
                && (code.writes_of(v).iter()).all(|w| event(v, w.what).is_some())
            {
                clocks.value[v.index()] = Some(CLOCKS + v.index() as Key);
            }
        }
        for &header in mirrored {
            if forward.is_counted_loop(header) {
                let key = CLOCKS + (variables + header.index()) as Key;
                clocks.passes[header.index()] = Some(key);
                for v in forward.counters_of(code, header, &clocks) {
                    clocks.value[v.index()] = Some(key);
                }
            }
        }
        clocks
    }

    /// The clock with a variable's value.
    pub(crate) fn value(&self, v: VarId) -> Option<Key> {
        self.value.get(v.index()).copied().flatten()
    }

    /// The bound: every clock has a smaller number.
    pub(crate) fn limit(&self) -> usize {
        self.value.len() + self.passes.len()
    }

    /// The number of a clock.
    pub(crate) fn number(key: Key) -> usize {
        (key - CLOCKS) as usize
    }

    /// The clock of a LOOP's passes.
    pub(crate) fn passes(&self, header: VertexId) -> Option<Key> {
        self.passes.get(header.index()).copied().flatten()
    }

    /// The clock to which a write is an event.
    pub(crate) fn event(&self, v: VarId, what: Written<'_>) -> Option<(Key, Event)> {
        let key = self.value(v).filter(|&k| k == CLOCKS + v.index() as Key)?;
        Some((key, event(v, what)?))
    }
}

/// The event of the clock at a write to a counter.
fn event(v: VarId, what: Written<'_>) -> Option<Event> {
    match what {
        Written::Assigned(target, value) if target.subscripts.is_empty() => match value {
            Expr::Int(0) => Some(Event::Start),
            e if is_increment(v, e) => Some(Event::Pass),
            _ => None,
        },
        _ => None,
    }
}

impl<'p> Forward<'p> {
    pub(crate) fn new(cfg: &'p Cfg, steps: Vec<Vec<Step<'p>>>, code: &Code<'_>) -> Self {
        let entry = cfg.entry().map_or(0, VertexId::index);
        let forest = LoopForest::new(cfg, entry);
        let variables = (0..code.routine.variables.len()).map(VarId::new);
        // The region of a write is its vertex here. Variables that share cells have one list, that of the first of
        // them.
        let written = variables.map(|v| {
            let writes = code.writes_of(v).iter();
            let writes = writes.filter(|_| code.first(v) == v);
            let mut places: Vec<usize> = writes.filter_map(|w| forest.position(w.region)).collect();
            places.sort_unstable();
            places
        });
        let dominators = Dominators::new(cfg, entry);
        Self {
            cfg,
            steps,
            entered_when_ended: entered_when_ended(cfg, &dominators),
            reached: reachable(cfg, entry),
            written: written.collect(),
            forest,
        }
    }

    /// In-edges that a run can take, as far as the graph tells.
    pub(crate) fn in_edges(&self, v: VertexId) -> impl Iterator<Item = EdgeId> + '_ {
        let edges = self.cfg.in_edges(v).iter().copied();
        edges.filter(|&e| self.reached.contains(self.cfg.edge(e).from.index()))
    }

    fn is_end_loop(&self, v: VertexId) -> bool {
        matches!(self.cfg.vertex(v).kind, VertexKind::EndLoop)
    }

    /// True for an edge by which control comes to a LOOP for the next pass.
    pub(crate) fn is_back(&self, e: EdgeId) -> bool {
        self.is_end_loop(self.cfg.edge(e).from)
    }

    /// True for a counted LOOP that is the only entry of its loop, even after the loop has ended, and to which control
    /// comes only from outside and from its own ENDLOOPs.
    fn is_counted_loop(&self, header: VertexId) -> bool {
        let VertexKind::Loop { test, .. } = &self.cfg.vertex(header).kind else {
            return false;
        };
        let Some(l) = self.forest.headed_by(header.index()) else {
            return false;
        };
        matches!(**test, LoopTest::Counted { .. })
            && self.forest.get(l).is_reducible()
            && !self.entered_when_ended.contains(header.index())
            && self.in_edges(header).all(|e| {
                let from = self.cfg.edge(e).from;
                self.is_end_loop(from) == self.forest.contains(l, from.index())
            })
    }

    /// The steps of the straight code that leads into an edge, last first, with the vertex of each.
    fn before(&self, e: EdgeId) -> impl Iterator<Item = Step<'p>> + '_ {
        let mut at = Some(self.cfg.edge(e).from);
        let vertices = std::iter::from_fn(move || {
            let v = at.filter(|&v| self.cfg.out_edges(v).len() == 1)?;
            let mut into = self.in_edges(v);
            at = match (into.next(), into.next()) {
                (Some(e), None) => Some(self.cfg.edge(e).from),
                _ => None,
            };
            Some(v)
        });
        // The walk ends: a chain that came back to its start would have no way in, and would not be reached.
        vertices.flat_map(|v| self.steps[v.index()].iter().rev().copied())
    }

    /// Counters that are set to 0 on every edge into the LOOP, incremented on every edge back to it, and
    /// written nowhere else.
    fn counters_of(&self, code: &Code<'_>, header: VertexId, clocks: &Clocks) -> Vec<VarId> {
        let mut arrivals = 0;
        // For each counter, the number of edges whose last event is the right one; and counters that break another
        // condition.
        let mut good: HashMap<VarId, usize> = HashMap::new();
        let mut bad: HashSet<VarId> = HashSet::new();
        for e in self.in_edges(header) {
            arrivals += 1;
            let mut written: HashSet<VarId> = HashSet::new();
            let wanted = if self.is_back(e) {
                Event::Pass
            } else {
                Event::Start
            };
            for step in self.before(e) {
                match step {
                    Step::Write(v, what) if clocks.event(v, what).is_some() => {
                        // Going backwards, the last event of an edge is met first. Only this one counts: with two
                        // writes on one edge, the total below shows that another edge lacks one.
                        if written.insert(v) && event(v, what) == Some(wanted) {
                            *good.entry(v).or_default() += 1;
                        }
                    }
                    // A push between the write and the LOOP sees a count that is one event ahead.
                    Step::Node(n) => {
                        if let Kind::Push { value, .. } = code.nodes[n].kind
                            && let Some(v) = Code::whole_variable(value)
                            && !written.contains(&v)
                        {
                            bad.insert(v);
                        }
                    }
                    Step::Write(..) => {}
                }
            }
        }
        let right = |&(v, n): &(VarId, usize)| {
            n == arrivals && code.writes_of(v).len() == arrivals && !bad.contains(&v)
        };
        let mut found: Vec<VarId> = good.into_iter().filter(right).map(|g| g.0).collect();
        found.sort_unstable();
        found
    }

    /// The variables of the expression keep their values while the LOOP runs.
    pub(crate) fn unchanged(
        &self,
        code: &Code<'_>,
        header: VertexId,
        e: &Expr,
    ) -> Result<(), String> {
        let Some(l) = self.forest.headed_by(header.index()) else {
            return Err("the loop is not entered at its header".to_owned());
        };
        code.unwritten(e, |v| {
            let written = &self.written[code.first(v).index()];
            !self.forest.among(l, written).is_empty()
        })
    }

    /// True if a variable is assigned the expression right before the LOOP is entered, and nothing else.
    pub(crate) fn recorded(
        &self,
        code: &Code<'_>,
        header: VertexId,
        v: VarId,
        original: &Expr,
    ) -> bool {
        let mut entries = 0;
        let assigned = self
            .in_edges(header)
            .filter(|&e| !self.is_back(e))
            .all(|e| {
                entries += 1;
                for step in self.before(e) {
                    let Step::Write(w, what) = step else { continue };
                    if w == v {
                        return matches!(what, Written::Assigned(target, value)
                        if target.subscripts.is_empty() && are_identical(value, original));
                    }
                    let mut changed = false;
                    original.walk_places(&mut |p| changed |= code.may_share(p.var, w));
                    if changed {
                        return false;
                    }
                }
                false
            });
        assigned && code.is_local_scalar(v) && code.writes_of(v).len() == entries
    }
}

#[cfg(test)]
mod tests;
