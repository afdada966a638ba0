//! The reduction of every region of one routine to the pops that it takes from outside and the pushes that it leaves.
//!
//! Inner regions come first. A push and a pop that meet inside a region are matched and disappear. A routine whose
//! body has no pushes and pops left is neutral.

use cfg_core::{
    flat::{Constant, FlatExpr},
    ir::{Expr, Selector},
};
use std::collections::BTreeMap;

use crate::{
    code::{Code, Key, Kind, NodeId, RegionId, STACKS, VISITS},
    codes,
    stacks::{Met, Stacks, Touched},
};

/// The effect of a node on the stacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    Push,
    Pop,
    None,
}

/// The nodes of a routine after the reduction: their effects on the stacks, and the pairs that have met.
#[derive(Default)]
pub(crate) struct Reduced {
    pub(crate) effect: Vec<Effect>,
    pub(crate) touched: Vec<Touched>,
    /// The pop whose value decides a popping branch, by node.
    pub(crate) marker: Vec<Option<NodeId>>,
    /// The nodes by which each region pops from outside, in order.
    pub(crate) pops: Vec<Vec<NodeId>>,
    /// The nodes that each region leaves, in order.
    pub(crate) pushes: Vec<Vec<NodeId>>,
    /// Pushing and popping nodes that meet inside the routine.
    pub(crate) matched: Vec<(NodeId, NodeId)>,
    /// The problems: code, node, message, the other node.
    pub(crate) problems: Vec<Problem>,
}

pub(crate) struct Problem {
    pub(crate) info: &'static cfg_core::diagnostic::CodeInfo,
    pub(crate) node: NodeId,
    pub(crate) other: Option<NodeId>,
    pub(crate) message: String,
}

/// Reduces a routine. `visits` is the effect of visiting a block: a push in a forward sweep, a pop in a reverse sweep.
pub(crate) fn reduce(code: &Code<'_>, visits: Effect) -> Reduced {
    let n = code.nodes.len();
    let mut reduced = Reduced {
        effect: vec![Effect::None; n],
        touched: vec![Touched::default(); n],
        marker: vec![None; n],
        pops: vec![Vec::new(); code.regions.len()],
        pushes: vec![Vec::new(); code.regions.len()],
        matched: Vec::new(),
        problems: Vec::new(),
    };
    // Inner regions have larger numbers.
    for region in (0..code.regions.len()).rev() {
        reduced.classify(code, region, visits);
        reduced.run(code, region);
    }
    reduced
}

impl Reduced {
    /// Finds the effects of a region's nodes, and the pops that are markers of branches.
    fn classify(&mut self, code: &Code<'_>, region: RegionId, visits: Effect) {
        // Last node that touches each stack.
        let mut last: BTreeMap<Key, NodeId> = BTreeMap::new();
        for &node in &code.regions[region].nodes {
            match &code.nodes[node].kind {
                Kind::Push { key, .. } => self.set(node, Effect::Push, vec![*key]),
                Kind::Pop { key, .. } => self.set(node, Effect::Pop, vec![*key]),
                Kind::Visit(_) => self.set(node, visits, vec![VISITS]),
                Kind::Call { forward, tapes, .. } => {
                    let stacks = tapes
                        .iter()
                        .flat_map(|(t, _)| (0..STACKS).map(move |s| t * STACKS + s));
                    let effect = if *forward { Effect::Push } else { Effect::Pop };
                    self.set(node, effect, stacks.collect());
                }
                Kind::Loop { body, visited, .. } => {
                    let visits = if *visited { visits } else { Effect::None };
                    self.inside(node, std::iter::once(*body), visits);
                }
                Kind::Branch {
                    arms,
                    selector,
                    visited,
                } => {
                    let visits = if *visited { visits } else { Effect::None };
                    self.inside(node, arms.iter().map(|a| a.1), visits);
                    if self.effect[node] != Effect::Push
                        && let Some(pop) = marker(code, node, selector)
                        && let Kind::Pop { key, .. } = code.nodes[pop].kind
                        && last.get(&key) == Some(&pop)
                    {
                        self.marker[node] = Some(pop);
                        self.effect[pop] = Effect::None;
                        let mut keys = self.touched[node].to_vec();
                        keys.push(key);
                        self.set(node, Effect::Pop, keys);
                    }
                }
            }
            for &key in &self.touched[node] {
                last.insert(key, node);
            }
        }
    }

    fn set(&mut self, node: NodeId, effect: Effect, mut keys: Vec<Key>) {
        keys.sort_unstable();
        keys.dedup();
        self.effect[node] = effect;
        self.touched[node] = keys.into();
    }

    /// Gives a loop or branch the effect of its regions.
    fn inside(&mut self, node: NodeId, regions: impl Iterator<Item = RegionId>, visits: Effect) {
        let mut keys = Vec::new();
        let (mut pop, mut push) = (None, None);
        for r in regions {
            for &inner in self.pops[r].iter().chain(&self.pushes[r]) {
                keys.extend_from_slice(&self.touched[inner]);
            }
            keys.sort_unstable();
            keys.dedup();
            pop = pop.or(self.pops[r].first().copied());
            push = push.or(self.pushes[r].first().copied());
        }
        let effect = match (pop, push) {
            (None, None) => visits,
            (None, Some(_)) => Effect::Push,
            (Some(_), None) => Effect::Pop,
            (Some(pop), Some(push)) => {
                self.problems.push(Problem {
                    info: &codes::MIXED,
                    node: push,
                    other: Some(pop),
                    message:
                        "a loop body or a branch leaves this on the tape, and takes something \
                              from outside as well"
                            .to_owned(),
                });
                Effect::None
            }
        };
        if effect == Effect::None {
            keys.clear();
        } else if effect == visits {
            keys.push(VISITS);
        }
        self.set(node, effect, keys);
    }

    /// Matches the pushes and pops of a region.
    fn run(&mut self, code: &Code<'_>, region: RegionId) {
        let mut stacks = Stacks::default();
        let mut pops = Vec::new();
        let mut pushes = Vec::new();
        let mut gone = 0;
        for &node in &code.regions[region].nodes {
            match self.effect[node] {
                Effect::None => {}
                Effect::Push => {
                    stacks.push(node, &self.touched[node]);
                    pushes.push(node);
                }
                Effect::Pop => match stacks.pop(&self.touched[node], |n| &self.touched[n]) {
                    Met::Node(push) => {
                        self.matched.push((push, node));
                        self.effect[push] = Effect::None;
                        gone += 1;
                    }
                    Met::Nothing => pops.push(node),
                    Met::Other(_, other) => {
                        self.problems.push(Problem {
                            info: &codes::ORDER,
                            node,
                            other,
                            message: "what lies on the tape here is not the mirror image of this"
                                .to_owned(),
                        });
                        // Further meetings in this region would be reported for the same reason.
                        return;
                    }
                },
            }
        }
        if gone > 0 {
            pushes.retain(|&n| self.effect[n] == Effect::Push);
        }
        self.pops[region] = pops;
        self.pushes[region] = pushes;
    }
}

/// The pop of the value that decides a branch: a control value, popped into a local scalar in the branch's own region.
fn marker(code: &Code<'_>, branch: NodeId, selector: &Selector) -> Option<NodeId> {
    let v = crate::marker::selector_variable(selector)?;
    if !code.is_local_scalar(v) {
        return None;
    }
    let node = &code.nodes[branch];
    let pop = code.popped(v, node.region, node.begin)?;
    match code.nodes[pop].kind {
        Kind::Pop { key, target, .. } if key % STACKS == 0 && key != VISITS => {
            target.subscripts.is_empty().then_some(pop)
        }
        _ => None,
    }
}

/// The value of a constant that stands for an arm.
pub(crate) fn constant(e: &Expr) -> Option<i64> {
    match FlatExpr::view(e) {
        FlatExpr::Constant(Constant::Int(i)) => Some(i),
        FlatExpr::Constant(Constant::Logical(b)) => Some(i64::from(b)),
        FlatExpr::Constant(Constant::Real(_) | Constant::Real32(_))
        | FlatExpr::Place(_)
        | FlatExpr::Op(..) => None,
    }
}
