//! The plan of the reversal of a general graph: which vertices are live, which in-edges need a marker, which loops
//! have a trip count and where it is recorded.
//!
//! Only vertices on a path from ENTRY to EXIT are reversed. Loops come from the loop forest
//! ([`cfg_core::graph::loops`]). Reducible loops, whose header is their only entry, are *counted*; in irreducible
//! ones every merge has a marker.

pub(crate) mod leaving;

use cfg_core::{
    entity::{EdgeId, VarId, VertexId},
    graph::{
        loops::{LoopForest, LoopId},
        reverse_postorder,
    },
    ir::{Cfg, LoopTest, Program, Routine, VertexKind},
    memory::locations::Locations,
};
use fixedbitset::FixedBitSet;
use std::borrow::Cow;

use crate::{
    memory::{loops, summary::Summary},
    plan::{
        counters::{self, LoopPlan, indices, named_indices},
        regions::leaving::Leaving,
    },
};

/// A loop with a trip count.
#[derive(Clone, Debug)]
pub(crate) struct Counted {
    pub(crate) header: VertexId,
    /// Edges into the header from outside, and from inside.
    pub(crate) entries: Vec<EdgeId>,
    pub(crate) backs: Vec<EdgeId>,
    /// The header is a LOOP vertex.
    pub(crate) is_loop: bool,
    /// The LOOP's exit edge.
    pub(crate) normal_exit: Option<EdgeId>,
    /// An exit edge pushes the trip count, so the forward sweep counts.
    pub(crate) counts: bool,
    /// The reverse sweep needs a variable for the number of passes.
    pub(crate) bound: bool,
    /// The points where the first pass of the reverse loop may begin, other than at the back edges.
    pub(crate) points: Vec<Point>,
    /// The ENDLOOP of the only back edge, whose adjoint is the FORLOOP.
    pub(crate) latch: Option<VertexId>,
}

impl Counted {
    /// The number of a point at which the first pass may begin.
    pub(crate) fn number(&self, point: Point) -> i64 {
        let found = self.points.binary_search(&point);
        found.map_or(0, |p| p as i64 + 1)
    }
}

/// A point in the body of a loop to which the reverse sweep comes from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Point {
    /// The adjoint of a vertex.
    Vertex(VertexId),
    /// The reverse loop of a loop inside.
    Loop(LoopId),
}

/// The plan of one general graph.
#[derive(Debug)]
pub(crate) struct Regions {
    /// All vertices, predecessors first where there is no cycle.
    pub(crate) order: Vec<VertexId>,
    pub(crate) live: FixedBitSet,
    pub(crate) forest: LoopForest,
    /// The counted loops, by loop; `None` for irreducible ones.
    pub(crate) loops: Vec<Option<Counted>>,
    /// The way in which the LOOP at each vertex is counted.
    pub(crate) plans: Vec<Option<LoopPlan>>,
    /// The innermost loop with a count around each loop, itself included.
    pub(crate) counted_around: Vec<Option<LoopId>>,
    /// The innermost loop with a count and an index around each loop, itself included.
    indexed_around: Vec<Option<LoopId>>,
    /// The shared ways by which edges leave several loops, if there are any.
    pub(crate) leaving: Option<Leaving>,
    /// The irreducible region of each loop: the outermost irreducible loop, the loop itself included, between it and
    /// the innermost counted loop around it.
    region: Vec<Option<LoopId>>,
}

impl Regions {
    pub(crate) fn plan(
        program: &Program,
        summary: &Summary,
        routine: &Routine,
        cfg: &Cfg,
        counters: bool,
    ) -> Self {
        let (live, forest) = loops::live_loops(cfg);
        let locations = Locations::divide(program, routine);
        let named = named_indices(program, routine, cfg, indices(cfg), &locations);
        let changing = counters::changing_bounds(program, summary, routine, cfg, &forest);
        let mut order: Vec<VertexId> = cfg
            .entry()
            .map(|entry| reverse_postorder(cfg, entry.index()))
            .unwrap_or_default()
            .into_iter()
            .map(VertexId::new)
            .collect();
        let mut position = vec![u32::MAX; cfg.vertex_count()];
        for (p, v) in order.iter().enumerate() {
            position[v.index()] = p as u32;
        }
        for (v, _) in cfg.vertices() {
            if position[v.index()] == u32::MAX {
                position[v.index()] = order.len() as u32;
                order.push(v);
            }
        }
        let plans = cfg.vertices().map(|(v, vertex)| {
            Some(match vertex.kind.test()? {
                LoopTest::Counted { index, .. } => {
                    let read = named.contains(index.index());
                    LoopPlan::counted(changing[v.index()], counters, read)
                }
                LoopTest::Pre(_) | LoopTest::Post(_) => LoopPlan::CONDITION,
            })
        });
        let mut general = Self {
            order,
            live,
            loops: vec![None; forest.len()],
            counted_around: vec![None; forest.len()],
            indexed_around: vec![None; forest.len()],
            region: vec![None; forest.len()],
            leaving: None,
            plans: plans.collect(),
            forest,
        };
        general.find_loops(cfg);
        general.find_exits(cfg);
        general
    }

    fn find_loops(&mut self, cfg: &Cfg) {
        for l in self.forest.loops() {
            let this = self.forest.get(l);
            let parent = this.parent;
            let header = VertexId::new(this.header);
            self.indexed_around[l.index()] =
                if this.is_reducible() && cfg.vertex(header).kind.index().is_some() {
                    Some(l)
                } else {
                    parent.and_then(|p| self.indexed_around[p.index()])
                };
            if !this.is_reducible() {
                let up = parent.map_or((None, None), |p| {
                    (
                        self.counted_around[p.index()],
                        if self.loops[p.index()].is_some() {
                            None
                        } else {
                            self.region[p.index()]
                        },
                    )
                });
                self.counted_around[l.index()] = up.0;
                self.region[l.index()] = up.1.or(Some(l));
                continue;
            }
            self.counted_around[l.index()] = Some(l);
            let (backs, entries): (Vec<EdgeId>, Vec<EdgeId>) = self
                .live_in(cfg, header)
                .partition(|&e| self.forest.contains(l, cfg.edge(e).from.index()));
            let is_loop = matches!(cfg.vertex(header).kind, VertexKind::Loop { .. });
            let mut out = cfg.out_edges(header).iter().copied();
            let normal_exit = out.find(|&e| is_loop && cfg.edge(e).label.is_none());
            let latch = match backs[..] {
                [e] if is_loop => Some(cfg.edge(e).from)
                    .filter(|&u| matches!(cfg.vertex(u).kind, VertexKind::EndLoop)),
                _ => None,
            };
            let counter = self.plans[header.index()].is_none_or(|p| p.counter);
            self.loops[l.index()] = Some(Counted {
                header,
                entries,
                backs,
                is_loop,
                normal_exit,
                counts: false,
                bound: counter,
                points: Vec::new(),
                latch,
            });
        }
    }

    fn find_exits(&mut self, cfg: &Cfg) {
        let leaving = Leaving::find(cfg, self);
        for (e, edge) in cfg.edges() {
            if !self.is_live(cfg, e) || leaving.as_ref().is_some_and(|l| l.is_shared(e)) {
                continue;
            }
            let left = self.left(cfg, e);
            let mut inside = Point::Vertex(edge.from);
            for &l in &left {
                let recorded = self.records(e, l, left.len());
                if let Some(this) = &mut self.loops[l.index()] {
                    this.counts |= recorded;
                    if this.normal_exit != Some(e) {
                        this.bound = true;
                        this.points.push(inside);
                    }
                }
                inside = Point::Loop(l);
            }
        }
        if let Some(leaving) = &leaving {
            for (l, this) in self.loops.iter_mut().enumerate() {
                let (Some(this), Some(way)) = (this, leaving.ways[l].as_ref()) else {
                    continue;
                };
                this.counts = true;
                this.bound = true;
                let edges = way.edges.iter().filter(|e| this.normal_exit != Some(**e));
                let vertices = edges.map(|&e| Point::Vertex(cfg.edge(e).from));
                let loops = way.inside.iter().map(|&c| Point::Loop(c));
                this.points.extend(vertices.chain(loops));
            }
        }
        self.leaving = leaving;
        for this in self.loops.iter_mut().flatten() {
            this.points.sort_unstable();
            this.points.dedup();
        }
    }

    /// The plan of a loop that has a count.
    pub(crate) fn counted(&self, l: LoopId) -> Option<&Counted> {
        self.loops[l.index()].as_ref()
    }

    /// The loop with a count whose header this is.
    pub(crate) fn headed_by(&self, v: VertexId) -> Option<(LoopId, &Counted)> {
        let l = self.forest.headed_by(v.index())?;
        Some((l, self.counted(l)?))
    }

    /// True of an edge on a path from ENTRY to EXIT.
    pub(crate) fn is_live(&self, cfg: &Cfg, e: EdgeId) -> bool {
        let edge = cfg.edge(e);
        self.live.contains(edge.from.index()) && self.live.contains(edge.to.index())
    }

    /// In-edges on paths from ENTRY to EXIT, in order.
    pub(crate) fn live_in<'a>(
        &'a self,
        cfg: &'a Cfg,
        v: VertexId,
    ) -> impl Iterator<Item = EdgeId> + 'a {
        let edges = cfg.in_edges(v).iter().copied();
        edges.filter(move |&e| self.is_live(cfg, e))
    }

    /// The groups of in-edges of a vertex that one marker tells apart: entry and back edges of a loop
    /// with a count, or all.
    pub(crate) fn groups<'a>(&'a self, cfg: &'a Cfg, v: VertexId) -> [Cow<'a, [EdgeId]>; 2] {
        match self.headed_by(v) {
            Some((_, this)) => [Cow::from(&this.entries), Cow::from(&this.backs)],
            None => [self.live_in(cfg, v).collect(), Cow::from(&[])],
        }
    }

    /// The loops with a count that a live edge leaves, inner ones first.
    pub(crate) fn left(&self, cfg: &Cfg, e: EdgeId) -> Vec<LoopId> {
        self.left_among(&self.counted_around, cfg, e).collect()
    }

    /// The loops that an edge leaves, inner ones first, among a subset of loops: `around` has, for each loop, the
    /// innermost loop of the subset that is or contains it.
    fn left_among<'a>(
        &'a self,
        around: &'a [Option<LoopId>],
        cfg: &Cfg,
        e: EdgeId,
    ) -> impl Iterator<Item = LoopId> + 'a {
        let edge = cfg.edge(e);
        let to = edge.to.index();
        let left = move |l: Option<LoopId>| {
            let l = around[l?.index()]?;
            (!self.forest.contains(l, to)).then_some(l)
        };
        let innermost = left(self.forest.innermost(edge.from.index()));
        std::iter::successors(innermost, move |&l| left(self.forest.get(l).parent))
    }

    /// Indices of the loops with a count that a live edge leaves, inner ones first. Loops without an index, of which
    /// an edge may leave many, are not visited.
    pub(crate) fn indices_left(&self, cfg: &Cfg, e: EdgeId) -> Vec<VarId> {
        let headers = (self.left_among(&self.indexed_around, cfg, e))
            .map(|l| VertexId::new(self.forest.get(l).header));
        headers.filter_map(|h| cfg.vertex(h).kind.index()).collect()
    }

    /// The innermost loop with a count around a vertex.
    pub(crate) fn innermost(&self, v: VertexId) -> Option<LoopId> {
        let l = self.forest.innermost(v.index())?;
        self.counted_around[l.index()]
    }

    /// True if the edge, which leaves `left` loops, pushes the trip count of loop `l`. A counted LOOP that is left at
    /// its header needs no push: the reverse sweep knows the bounds.
    pub(crate) fn records(&self, e: EdgeId, l: LoopId, left: usize) -> bool {
        let Some(this) = self.counted(l) else {
            return false;
        };
        let counter = self.plans[this.header.index()].is_none_or(|p| p.counter);
        counter || this.normal_exit != Some(e) || left > 1
    }

    /// The number by which the reverse sweep enters the k-th loop that an edge leaves: 0 at the back
    /// edges.
    pub(crate) fn point(&self, cfg: &Cfg, e: EdgeId, left: &[LoopId], k: usize) -> i64 {
        let Some(this) = self.counted(left[k]).filter(|t| t.normal_exit != Some(e)) else {
            return 0;
        };
        this.number(match k.checked_sub(1) {
            Some(inner) => Point::Loop(left[inner]),
            None => Point::Vertex(cfg.edge(e).from),
        })
    }

    /// The irreducible region that a point is directly in.
    pub(crate) fn region(&self, point: Point) -> Option<LoopId> {
        let l = match point {
            Point::Vertex(v) => self.forest.innermost(v.index())?,
            Point::Loop(l) => self.forest.get(l).parent?,
        };
        match self.counted(l) {
            Some(_) => None,
            None => self.region[l.index()],
        }
    }
}
