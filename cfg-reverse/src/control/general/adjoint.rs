//! The adjoint graph of a general graph.

use cfg_core::{
    diagnostic::Diagnostics,
    entity::{EdgeId, VertexId},
    graph::loops::LoopId,
    ir::{Cfg, FreshIds, LoopForm, OriginRole, VertexKind},
};
use std::collections::BTreeMap;

use crate::{
    control::{
        draw::{Draw, End, arrange, branch_on_integer},
        general::{
            AdjointCode,
            nest::{in_order, with_ends},
            ways::ways_in,
        },
    },
    plan::regions::{Point, Regions},
};

/// An edge to a point of the adjoint graph. It is drawn last, when it is known which regions need a dispatch.
struct Arrival {
    end: End,
    point: Point,
    /// True if the edge comes from outside the point's irreducible region.
    outside: bool,
}

/// A loop with a count in the adjoint graph.
#[derive(Clone, Copy, Default)]
struct ReverseLoop {
    head: usize,
    end: usize,
}

struct Adjoint<'a, C> {
    cfg: &'a Cfg,
    general: &'a Regions,
    code: &'a mut C,
    draw: Draw,
    /// First and last vertex of each vertex's image. The latch of a loop has no image of its own: its adjoint is the
    /// FORLOOP.
    image: Vec<Option<(usize, usize)>>,
    loops: Vec<ReverseLoop>,
    /// The first vertex of the way into each loop that some edge leaves together with others.
    ways_in: Vec<Option<usize>>,
    arrivals: Vec<Arrival>,
}

/// The adjoint graph; true if it nests.
pub(crate) fn adjoint_graph(
    cfg: &Cfg,
    general: &Regions,
    code: &mut impl AdjointCode,
) -> Result<(Cfg, bool), Diagnostics> {
    let mut adjoint = Adjoint {
        cfg,
        general,
        code,
        draw: Draw::default(),
        image: vec![None; cfg.vertex_count()],
        loops: vec![ReverseLoop::default(); general.loops.len()],
        ways_in: Vec::new(),
        arrivals: Vec::new(),
    };
    adjoint.heads();
    adjoint.images();
    adjoint.ways_in();
    for &v in general.order.iter().rev() {
        if general.live.contains(v.index()) {
            adjoint.after(v);
        }
    }
    adjoint.arrive();
    let graph = arrange(adjoint.draw, FreshIds::of_vertices(cfg));
    Ok(match with_ends(&graph)? {
        Some(nested) => (in_order(nested, FreshIds::of_vertices(cfg))?, true),
        None => (graph, false),
    })
}

impl<C: AdjointCode> Adjoint<'_, C> {
    fn id(&self, v: VertexId) -> i64 {
        self.cfg.vertex(v).id
    }

    /// The FORLOOP and ENDLOOP of each loop with a count.
    fn heads(&mut self) {
        for l in self.general.forest.loops() {
            let Some(this) = self.general.counted(l) else {
                continue;
            };
            let test = self
                .code
                .for_loop(this.header, this.bound, i64::from(this.is_loop));
            let kind = VertexKind::Loop {
                form: LoopForm::ForLoop,
                test: Box::new(test),
            };
            let header = self.id(this.header);
            let head = match this.latch {
                Some(latch) => self.original(latch, kind),
                None => self.draw.vertex(0, kind, OriginRole::CountedLoop, header),
            };
            let end = match this.is_loop {
                true => self.original(this.header, VertexKind::EndLoop),
                false => {
                    (self.draw).vertex(0, VertexKind::EndLoop, OriginRole::CountedLoop, header)
                }
            };
            let mut back = End::new(end, None);
            if let Some(e) = this.latch.and_then(|v| self.cfg.out_edges(v).first()) {
                back = End::at_source(end, self.cfg.edge(*e));
            }
            back.draw_edge(&mut self.draw, head);
            self.loops[l.index()] = ReverseLoop { head, end };
        }
    }

    /// Adds the adjoint of a vertex.
    fn original(&mut self, v: VertexId, kind: VertexKind) -> usize {
        let vertex = self.cfg.vertex(v);
        let image = (self.draw).vertex(-vertex.id, kind, OriginRole::Adjoint, vertex.id);
        self.draw.annotate(image, vertex);
        image
    }

    /// The adjoint of each vertex.
    fn images(&mut self) {
        let general = self.general;
        for &v in general.order.iter().rev() {
            if !general.live.contains(v.index()) {
                continue;
            }
            let kind = match &self.cfg.vertex(v).kind {
                VertexKind::Entry => VertexKind::Exit,
                VertexKind::Exit => VertexKind::Entry,
                VertexKind::Block(_) => VertexKind::Block(self.code.block(v)),
                VertexKind::Branch(_) => VertexKind::EndBranch,
                VertexKind::Loop { .. } => {
                    // `heads` has added the ENDLOOP.
                    if let Some((l, _)) = general.headed_by(v) {
                        let end = self.loops[l.index()].end;
                        self.image[v.index()] = Some((end, end));
                    }
                    continue;
                }
                VertexKind::EndLoop => {
                    let head = self.cfg.successors(v).next();
                    let head = head.and_then(|h| general.headed_by(h));
                    if head.is_some_and(|(_, this)| this.latch == Some(v)) {
                        continue;
                    }
                    VertexKind::Block(Vec::new())
                }
                VertexKind::EndBranch => {
                    let ways = general.live_in(self.cfg, v).count();
                    if ways > 1 && general.headed_by(v).is_none() {
                        self.merge_of_arms(v, ways);
                        continue;
                    }
                    VertexKind::Block(Vec::new())
                }
            };
            let image = self.original(v, kind);
            let mut last = End::new(image, None);
            if matches!(self.cfg.vertex(v).kind, VertexKind::Exit) {
                let restores = self.code.routine_exit();
                let id = self.id(v);
                last.insert(&mut self.draw, OriginRole::ReturnSave, id, restores);
            }
            self.image[v.index()] = Some((image, last.at));
        }
    }

    /// An ENDBRANCH's adjoint is the BRANCH itself.
    fn merge_of_arms(&mut self, v: VertexId, ways: usize) {
        let id = self.id(v);
        let pop = VertexKind::Block(self.code.pop_marker(ways));
        let pop = self.draw.vertex(0, pop, OriginRole::MarkerPop, id);
        let marker = self.code.marker();
        let branch = self.original(v, branch_on_integer(marker, ways));
        self.draw.graph.add_edge(pop, branch, None);
        self.image[v.index()] = Some((pop, branch));
    }

    /// The ways into loops that edges leave together with others.
    fn ways_in(&mut self) {
        let general = self.general;
        let Some(leaving) = &general.leaving else {
            return;
        };
        let arrivals = &mut self.arrivals;
        let mut arrive = |end: End, l: LoopId| {
            let point = Point::Loop(l);
            let outside = general.region(point).is_some();
            arrivals.push(Arrival {
                end,
                point,
                outside,
            });
        };
        let (cfg, draw) = (self.cfg, &mut self.draw);
        self.ways_in = ways_in(cfg, general, leaving, draw, self.code, &mut arrive);
    }

    /// Everything after the image of a vertex, up to the points where its in-edges lead.
    fn after(&mut self, v: VertexId) {
        let general = self.general;
        let [first, second] = general.groups(self.cfg, v);
        let Some((l, this)) = general.headed_by(v) else {
            // A vertex without an image is the latch of a loop, where the FORLOOP continues.
            if let Some((_, last)) = self.image[v.index()] {
                if matches!(self.draw.graph.vertices[last].kind, VertexKind::Branch(_)) {
                    for (ordinal, &e) in first.iter().enumerate() {
                        self.chain(End::new(last, Some(ordinal as i64)), e);
                    }
                } else {
                    self.choose(End::new(last, None), v, &first);
                }
            }
            return;
        };
        let ReverseLoop { head, end } = self.loops[l.index()];
        if let Some((_, last)) = self.image[v.index()].filter(|i| i.1 != end) {
            self.draw.graph.add_edge(last, end, None);
        }
        self.choose(End::new(head, None), v, &first);
        let mut body = End::new(head, Some(1));
        let block = self.code.loop_body(this.header, this.bound);
        let id = self.id(this.header);
        body.insert(&mut self.draw, OriginRole::ValueSave, id, block);
        if !this.points.is_empty() {
            body = self.first_pass(l, v, &this.points, body);
        }
        match this.latch {
            Some(latch) => {
                let [edges, _] = general.groups(self.cfg, latch);
                self.choose(body, latch, &edges);
            }
            None => self.choose(body, v, &second),
        }
    }

    /// The BRANCH at the start of a reverse loop's body; returns the way to the back edges.
    fn first_pass(&mut self, l: LoopId, v: VertexId, points: &[Point], mut body: End) -> End {
        let id = self.id(v);
        let kind = branch_on_integer(self.code.point(v), points.len() + 1);
        let branch = (self.draw).vertex(0, kind, OriginRole::ExitBranch, id);
        body.draw_edge(&mut self.draw, branch);
        for (k, &point) in points.iter().enumerate() {
            let mut end = End::new(branch, Some(k as i64 + 1));
            let reset = self.code.set_point(v, 0);
            end.insert(&mut self.draw, OriginRole::ExitSet, id, reset);
            if let Point::Loop(inner) = point
                && let Some(&Some(way)) = self.ways_in.get(inner.index())
            {
                end.draw_edge(&mut self.draw, way);
                continue;
            }
            let region = self.general.region(point);
            let outside = region.is_some_and(|r| {
                let header = self.general.forest.get(l).header;
                !self.general.forest.contains(r, header)
            });
            self.arrivals.push(Arrival {
                end,
                point,
                outside,
            });
        }
        End::new(branch, Some(0))
    }

    /// Leads from the end of a chain to the adjoints of edges: to the only one, or to that which the popped marker
    /// names.
    fn choose(&mut self, mut end: End, v: VertexId, edges: &[EdgeId]) {
        match edges {
            [] => {}
            [e] => self.chain(end, *e),
            several => {
                let id = self.id(v);
                let pop = self.code.pop_marker(several.len());
                end.insert(&mut self.draw, OriginRole::MarkerPop, id, pop);
                let kind = branch_on_integer(self.code.marker(), several.len());
                let branch = (self.draw).vertex(0, kind, OriginRole::MarkerBranch, id);
                end.draw_edge(&mut self.draw, branch);
                for (ordinal, &e) in several.iter().enumerate() {
                    self.chain(End::new(branch, Some(ordinal as i64)), e);
                }
            }
        }
    }

    /// The adjoint of an edge.
    fn chain(&mut self, mut end: End, e: EdgeId) {
        let general = self.general;
        let edge = self.cfg.edge(e);
        let (i, j) = (edge.from, edge.to);
        end.annotations.clone_from(&edge.annotations);
        if let Some((l, _)) = general.headed_by(j)
            && !general.forest.contains(l, i.index())
        {
            let block = self.code.save_index(j, e);
            let id = self.id(j);
            end.insert(&mut self.draw, OriginRole::ValueSave, id, block);
        }
        if let Some(last) = general.leaving.as_ref().and_then(|l| l.last(e))
            && let Some(&Some(way)) = self.ways_in.get(last.index())
        {
            end.draw_edge(&mut self.draw, way);
            return;
        }
        let left = general.left(self.cfg, e);
        for (k, &l) in left.iter().enumerate().rev() {
            let Some(this) = general.counted(l) else {
                continue;
            };
            let record = general.records(e, l, left.len());
            let more = this.is_loop && this.normal_exit != Some(e);
            let mut block = self.code.leave(this.header, this.bound, record, more);
            if !this.points.is_empty() {
                let point = general.point(self.cfg, e, &left, k);
                block.extend(self.code.set_point(this.header, point));
            }
            let id = self.id(this.header);
            end.insert(&mut self.draw, OriginRole::BoundPop, id, block);
        }
        let point = left.last().map_or(Point::Vertex(i), |&l| Point::Loop(l));
        let region = general.region(point);
        let outside = region.is_some_and(|r| !general.forest.contains(r, j.index()));
        self.arrivals.push(Arrival {
            end,
            point,
            outside,
        });
    }

    fn image_index(&self, point: Point) -> Option<usize> {
        match point {
            Point::Vertex(v) => self.image[v.index()].map(|i| i.0),
            Point::Loop(l) => Some(self.loops[l.index()].head),
        }
    }

    /// Draws the edges to points. If edges enter a region, or merge in it, at several points, all edges to these
    /// points go through the region's dispatch.
    fn arrive(&mut self) {
        let mut count: BTreeMap<(LoopId, Point), usize> = BTreeMap::new();
        for arrival in &self.arrivals {
            if let Some(region) = self.general.region(arrival.point) {
                let ways = if arrival.outside { 2 } else { 1 };
                *count.entry((region, arrival.point)).or_default() += ways;
            }
        }
        let mut several: BTreeMap<LoopId, Vec<Point>> = BTreeMap::new();
        for ((region, point), ways) in count {
            if ways > 1 {
                several.entry(region).or_default().push(point);
            }
        }
        several.retain(|_, points| points.len() > 1);
        let mut dispatch = BTreeMap::new();
        for (&region, points) in &several {
            let header = VertexId::new(self.general.forest.get(region).header);
            let kind = branch_on_integer(self.code.state(header), points.len());
            let id = self.id(header);
            let branch = self.draw.vertex(0, kind, OriginRole::Dispatch, id);
            for (k, &point) in points.iter().enumerate() {
                if let Some(place) = self.image_index(point) {
                    self.draw.graph.add_edge(branch, place, Some(k as i64));
                }
            }
            dispatch.insert(region, (branch, header));
        }
        for Arrival { mut end, point, .. } in std::mem::take(&mut self.arrivals) {
            let region = self.general.region(point);
            let through = region.and_then(|r| {
                let state = several.get(&r)?.binary_search(&point).ok()?;
                Some((dispatch.get(&r)?, state))
            });
            if let Some((&(branch, header), state)) = through {
                let set = self.code.set_state(header, state as i64);
                let id = self.id(header);
                end.insert(&mut self.draw, OriginRole::Dispatch, id, set);
                end.draw_edge(&mut self.draw, branch);
            } else if let Some(place) = self.image_index(point) {
                end.draw_edge(&mut self.draw, place);
            }
        }
    }
}
