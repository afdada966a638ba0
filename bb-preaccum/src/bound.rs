//! A lower bound on the multiplications of every vertex, edge and face elimination sequence.
//!
//! Take a vertex v, paths from independents to v that share no vertex but v, and paths from v to dependents that share
//! no vertex but v. Each pair of a prefix and a suffix needs a product of its own with v in the middle: the two
//! factors are labels of edges into and out of v, each made of paths that start (end) at one vertex, so that disjoint
//! paths never share a factor. Hence at least Σ_v κ_in(v)·κ_out(v) products. If units are free, only paths whose edge
//! at v is no unit count (a label that contains such a path is no unit); if constants are folded, one of the two edges
//! at v must be variable.

use std::collections::VecDeque;

use crate::cost::CostModel;
use crate::lcg::{Kind, Lcg, Role};

const NONE: u32 = u32::MAX;

/// The disjoint paths through one vertex that prove its part of the bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paths {
    /// The vertex.
    pub vertex: u32,
    /// The paths from independents to the vertex.
    pub prefixes: Vec<Vec<u32>>,
    /// The paths from the vertex to dependents.
    pub suffixes: Vec<Vec<u32>>,
    /// The products that the paths prove to be needed.
    pub products: u64,
}

/// The bound. After `work` elementary operations, each remaining vertex counts with the products that are certain
/// without flows (one in the plain model).
pub fn bound(lcg: &Lcg, model: CostModel, work: u64) -> u64 {
    by_vertex(lcg, model, work).0.iter().sum()
}

/// The bound's part of each vertex, by vertex number, and the work done; past `most` steps, only the products that are
/// certain without flows.
pub(crate) fn by_vertex(lcg: &Lcg, model: CostModel, most: u64) -> (Vec<u64>, u64) {
    let mut flow = Flow::new(lcg);
    let part = |v| {
        if !flow.is_middle(v) {
            0
        } else if flow.work > most {
            u64::from(model == CostModel::Plain)
        } else {
            flow.at(v, model)
        }
    };
    let parts = (0..lcg.vertex_count() as u32).map(part).collect();
    (parts, flow.work)
}

/// The paths that prove the bound. Together they may be as long as the square of the graph's size.
pub fn paths(lcg: &Lcg, model: CostModel) -> Vec<Paths> {
    first_paths(lcg, model, usize::MAX, u64::MAX)
}

/// The paths that prove the bound, for at most `vertices` vertices, and for none that comes up after `work` elementary
/// operations.
pub fn first_paths(lcg: &Lcg, model: CostModel, vertices: usize, work: u64) -> Vec<Paths> {
    let mut flow = Flow::new(lcg);
    let mut list = Vec::new();
    for vertex in 0..lcg.vertex_count() as u32 {
        if list.len() >= vertices || flow.work > work {
            break;
        }
        if !flow.is_middle(vertex) {
            continue;
        }
        let products = flow.at(vertex, model);
        if products > 0 {
            // In the plain and unit-free models all pairs of these paths count; with constants folded, only pairs with
            // a variable edge do.
            let least = if model == CostModel::Plain {
                Kind::Unit
            } else {
                Kind::Constant
            };
            let mut prefixes = flow.family(vertex, false, least);
            prefixes.iter_mut().for_each(|path| path.reverse());
            let suffixes = flow.family(vertex, true, least);
            list.push(Paths {
                vertex,
                prefixes,
                suffixes,
                products,
            });
        }
    }
    list
}

/// Vertex-disjoint paths by augmentation. Each vertex w is split in an arc from state `2w` (entered) to
/// state `2w + 1` (to be left) of capacity 1; the middle is the source.
struct Flow<'a> {
    lcg: &'a Lcg,
    live: Vec<bool>,
    /// The neighbours on the path through a vertex, toward and away from the middle.
    toward: Vec<u32>,
    away: Vec<u32>,
    parent: Vec<u32>,
    stamp: Vec<u32>,
    now: u32,
    queue: VecDeque<u32>,
    used: Vec<u32>,
    work: u64,
}

/// The mark of a path's end.
const END: u32 = u32::MAX - 1;

impl<'a> Flow<'a> {
    fn new(lcg: &'a Lcg) -> Self {
        let n = lcg.vertex_count();
        let mut before = vec![false; n];
        let mut live = vec![false; n];
        for v in 0..n as u32 {
            let source = |edge: &u32| before[lcg.edges()[*edge as usize].source as usize];
            before[v as usize] =
                lcg.role(v) == Role::Independent || lcg.in_edges(v).iter().any(source);
        }
        for v in (0..n as u32).rev() {
            let target = |edge: &u32| live[lcg.edges()[*edge as usize].target as usize];
            live[v as usize] =
                lcg.role(v) == Role::Dependent || lcg.out_edges(v).iter().any(target);
        }
        for v in 0..n {
            live[v] &= before[v];
        }
        Self {
            lcg,
            live,
            toward: vec![NONE; n],
            away: vec![NONE; n],
            parent: vec![NONE; 2 * n],
            stamp: vec![0; 2 * n],
            now: 0,
            queue: VecDeque::new(),
            used: Vec::new(),
            work: 0,
        }
    }

    /// True if products with `v` in the middle are needed at all.
    fn is_middle(&self, v: u32) -> bool {
        let lcg = self.lcg;
        let live = |edge: &u32| self.live[lcg.edges()[*edge as usize].target as usize];
        self.live[v as usize]
            && lcg.role(v) != Role::Independent
            && (lcg.role(v) == Role::Intermediate || lcg.out_edges(v).iter().any(live))
    }

    fn at(&mut self, v: u32, model: CostModel) -> u64 {
        let mut count = |forward, least| self.family_size(v, forward, least);
        match model {
            CostModel::Plain => count(false, Kind::Unit) * count(true, Kind::Unit),
            CostModel::UnitFree => count(false, Kind::Constant) * count(true, Kind::Constant),
            CostModel::ConstantAware => {
                // Families of most paths can be chosen with most variable ones among them: sets of edges
                // at v that disjoint paths reach are the independent sets of a matroid.
                let (all_in, all_out) = (count(false, Kind::Constant), count(true, Kind::Constant));
                let (var_in, var_out) = (count(false, Kind::Variable), count(true, Kind::Variable));
                all_in * all_out - (all_in - var_in) * (all_out - var_out)
            }
        }
    }

    fn family_size(&mut self, v: u32, forward: bool, least: Kind) -> u64 {
        let mut size = 0;
        while self.augment(v, forward, least) {
            size += 1;
        }
        self.reset();
        size
    }

    fn family(&mut self, v: u32, forward: bool, least: Kind) -> Vec<Vec<u32>> {
        while self.augment(v, forward, least) {}
        let mut list = Vec::new();
        for &edge in self.edges_at(v, forward) {
            let first = self.far_end(edge, forward);
            if self.toward[first as usize] == v {
                let mut path = vec![v, first];
                let mut at = first;
                while self.away[at as usize] < END {
                    at = self.away[at as usize];
                    path.push(at);
                }
                list.push(path);
            }
        }
        self.reset();
        list
    }

    fn reset(&mut self) {
        for v in self.used.drain(..) {
            self.toward[v as usize] = NONE;
            self.away[v as usize] = NONE;
        }
    }

    fn edges_at(&self, v: u32, forward: bool) -> &'a [u32] {
        if forward {
            self.lcg.out_edges(v)
        } else {
            self.lcg.in_edges(v)
        }
    }

    fn far_end(&self, edge: u32, forward: bool) -> u32 {
        let edge = self.lcg.edges()[edge as usize];
        if forward { edge.target } else { edge.source }
    }

    fn see(&mut self, state: u32, from: u32) {
        if self.stamp[state as usize] != self.now {
            self.stamp[state as usize] = self.now;
            self.parent[state as usize] = from;
            self.queue.push_back(state);
        }
    }

    /// Adds one path to the family, if there is one more.
    fn augment(&mut self, v: u32, forward: bool, least: Kind) -> bool {
        let end_role = if forward {
            Role::Dependent
        } else {
            Role::Independent
        };
        self.now += 1;
        self.queue.clear();
        for &edge in self.edges_at(v, forward) {
            self.work += 1;
            let first = self.far_end(edge, forward);
            if self.lcg.edges()[edge as usize].kind >= least
                && self.live[first as usize]
                && self.toward[first as usize] != v
            {
                self.see(2 * first, NONE);
            }
        }
        while let Some(state) = self.queue.pop_front() {
            let w = state / 2;
            let toward = self.toward[w as usize];
            if state.is_multiple_of(2) {
                if toward == NONE {
                    self.see(state + 1, state);
                } else if toward != v {
                    // Another path passes this vertex: try to lead that path another way from the vertex before.
                    self.see(2 * toward + 1, state);
                }
                continue;
            }
            if self.lcg.role(w) == end_role && self.away[w as usize] != END {
                self.link(state, v);
                return true;
            }
            for &edge in self.edges_at(w, forward) {
                self.work += 1;
                let next = self.far_end(edge, forward);
                if self.live[next as usize] && self.away[w as usize] != next {
                    self.see(2 * next, state);
                }
            }
            if toward != NONE {
                self.see(state - 1, state);
            }
        }
        false
    }

    /// Makes the path found part of the family.
    fn link(&mut self, last: u32, v: u32) {
        let mut states = vec![last];
        let mut at = last;
        while self.parent[at as usize] != NONE {
            at = self.parent[at as usize];
            states.push(at);
        }
        states.reverse();
        // A step from "entered" to "to be left" of another vertex removes a link of the old family.
        for pair in states.windows(2) {
            let (a, b) = (pair[0] / 2, pair[1] / 2);
            if a != b && pair[0].is_multiple_of(2) {
                self.away[b as usize] = NONE;
                self.toward[a as usize] = NONE;
            }
        }
        let first = states[0] / 2;
        self.toward[first as usize] = v;
        self.used.push(first);
        for pair in states.windows(2) {
            let (a, b) = (pair[0] / 2, pair[1] / 2);
            if a != b && pair[1].is_multiple_of(2) {
                self.away[a as usize] = b;
                self.toward[b as usize] = a;
                self.used.push(b);
            }
        }
        self.away[last as usize / 2] = END;
    }
}
