//! The bodies of the LOOPs of a general graph, and the LOOPs whose bodies can be entered by a jump after the loop has
//! ended.
//!
//! The body of a LOOP has the vertices that lead to one of its ENDLOOPs without passing the LOOP: the natural loop of
//! these edges (A. Aho, R. Sethi, J. Ullman, *Compilers*, 1986, section 10.4). A jump back to the LOOP from elsewhere
//! enters the LOOP anew, and its source is no part of the body. A finished body is collapsed into one vertex, as in P.
//! Havlak, *Nesting of Reducible and Irreducible Loops*, TOPLAS 19(4), 1997, so all of them together take nearly
//! linear time.

use cfg_core::{
    entity::VertexId,
    graph::{dominance::Dominators, reverse_postorder},
    ir::{Cfg, VertexKind},
};
use fixedbitset::FixedBitSet;

/// The LOOPs whose exit edge leads into their own bodies without a new pass. Only LOOPs that dominate their ENDLOOPs
/// are examined.
pub(crate) fn entered_when_ended(cfg: &Cfg, dominators: &Dominators) -> FixedBitSet {
    let n = cfg.vertex_count();
    let mut found = FixedBitSet::with_capacity(n);
    let Some(entry) = cfg.entry() else {
        return found;
    };
    let mut bodies = Bodies::new(n);
    let order = reverse_postorder(cfg, entry.index());
    // A LOOP stands before its body and the LOOPs in it, so this goes through inner LOOPs first.
    for &header in order.iter().rev() {
        let v = VertexId::new(header);
        if !matches!(cfg.vertex(v).kind, VertexKind::Loop { .. }) {
            continue;
        }
        let ends = || {
            let ends = cfg.predecessors(v);
            ends.filter(|u| matches!(cfg.vertex(*u).kind, VertexKind::EndLoop))
                .filter(|u| dominators.is_reachable(u.index()))
        };
        if !ends().all(|u| dominators.dominates(v.index(), u.index())) {
            continue;
        }
        let mut work: Vec<usize> = ends().map(|u| bodies.outermost(u.index())).collect();
        while let Some(x) = work.pop() {
            if x == v.index() || bodies.outermost(x) == v.index() {
                continue;
            }
            bodies.join(x, v.index());
            let into = cfg.predecessors(VertexId::new(x)).map(VertexId::index);
            let into = into.filter(|&u| dominators.is_reachable(u));
            work.extend(into.map(|u| bodies.outermost(u)));
        }
        let ended = cfg.out_edges(v).iter().map(|&e| cfg.edge(e));
        let mut ended = ended.filter(|e| e.label != Some(1));
        if ended.any(|e| e.to != v && bodies.outermost(e.to.index()) == v.index()) {
            found.insert(v.index());
        }
    }
    found
}

/// For each vertex, the header of the outermost body found so far around it: a forest with path compression.
struct Bodies(Vec<usize>);

impl Bodies {
    fn new(n: usize) -> Self {
        Self((0..n).collect())
    }

    /// The header of the outermost body around a vertex, or the vertex itself.
    fn outermost(&mut self, mut v: usize) -> usize {
        while self.0[v] != v {
            self.0[v] = self.0[self.0[v]];
            v = self.0[v];
        }
        v
    }

    /// Puts a vertex that is in no body yet, and the body that it heads, into the body of a header.
    fn join(&mut self, v: usize, header: usize) {
        self.0[v] = header;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfg_core::ir::{Edge, Expr, LoopForm, LoopTest, Selector, Vertex};
    use cfg_testkit::rng::Rng;

    /// The oracle: a walk from the end of each LOOP.
    fn by_walking(cfg: &Cfg, dominators: &Dominators) -> FixedBitSet {
        let mut found = FixedBitSet::with_capacity(cfg.vertex_count());
        for (v, vertex) in cfg.vertices() {
            if !matches!(vertex.kind, VertexKind::Loop { .. })
                || !dominators.is_reachable(v.index())
            {
                continue;
            }
            let is_end = |u: &VertexId| {
                matches!(cfg.vertex(*u).kind, VertexKind::EndLoop)
                    && dominators.is_reachable(u.index())
            };
            let ends: Vec<VertexId> = cfg.predecessors(v).filter(is_end).collect();
            if !ends
                .iter()
                .all(|u| dominators.dominates(v.index(), u.index()))
            {
                continue;
            }
            let exits = cfg.out_edges(v).iter().map(|&e| cfg.edge(e));
            let exits = exits.filter(|e| e.label != Some(1));
            let mut work: Vec<VertexId> = exits.map(|e| e.to).collect();
            let mut seen = vec![false; cfg.vertex_count()];
            while let Some(u) = work.pop() {
                if u == v || std::mem::replace(&mut seen[u.index()], true) {
                    continue;
                }
                if ends.contains(&u) {
                    found.insert(v.index());
                }
                work.extend(cfg.successors(u));
            }
        }
        found
    }

    #[test]
    fn walks_from_the_ends_of_loops_find_the_same() {
        let mut counts = [0; 2];
        for seed in 0..3000 {
            let mut rng = Rng::new(seed);
            let n = 4 + rng.below(14);
            let mut vertices = vec![Vertex::new(1, VertexKind::Entry)];
            for v in 1..n - 1 {
                let kind = match rng.below(5) {
                    0 | 1 => VertexKind::Loop {
                        form: LoopForm::Loop,
                        test: Box::new(LoopTest::Pre(Expr::Logical(true))),
                    },
                    2 => VertexKind::EndLoop,
                    3 => VertexKind::Branch(Box::new(Selector::Condition(Expr::Logical(true)))),
                    _ => VertexKind::Block(Vec::new()),
                };
                vertices.push(Vertex::new(v as i64 + 1, kind));
            }
            vertices.push(Vertex::new(n as i64, VertexKind::Exit));
            let mut edges = vec![Edge::new(VertexId::new(0), VertexId::new(1), None)];
            for (v, vertex) in vertices.iter().enumerate().take(n - 1).skip(1) {
                let two = matches!(vertex.kind, VertexKind::Loop { .. } | VertexKind::Branch(_));
                for label in 0..1 + i64::from(two) {
                    // Often an edge to the next vertex, so that loops nest.
                    let to = match rng.below(3) {
                        0 => v + 1,
                        _ => 1 + rng.below(n - 1),
                    };
                    let label = two.then_some(1 - label).filter(|&l| l == 1);
                    edges.push(Edge::new(VertexId::new(v), VertexId::new(to), label));
                }
            }
            let Some(cfg) = Cfg::new(vertices, edges) else {
                continue;
            };
            let dominators = Dominators::new(&cfg, 0);
            let found = entered_when_ended(&cfg, &dominators);
            assert_eq!(found, by_walking(&cfg, &dominators), "seed {seed}: {cfg:?}");
            counts[0] += found.count_ones(..);
            counts[1] += usize::from(found.is_clear());
        }
        assert!(counts.iter().all(|&n| n > 100), "{counts:?}");
    }
}
