//! The augmented forward graph and the adjoint graph of a general graph, as one rule per edge.
//!
//! ```text
//! forward    i , leave(e)... , enter(e)... , j
//!   leave    for each loop with a count that e leaves, inner first      push(ctr), where needed
//!   enter    j heads a loop with a count, e comes from outside          values that a loop's index
//!                                                                       overwrites; marker; ctr := 0
//!            j heads one, e comes from inside                           marker; ctr := ctr + 1
//!            else                                                       marker
//!            (a marker where the vertex has several in-edges of that kind)
//!
//! adjoint    the other way round: what e pushed is popped on it. After the adjoint of a vertex with
//!            several in-edges the popped marker chooses one. A loop with a count is a FORLOOP, whose
//!            ENDLOOP comes after the adjoint of the header; at its body's start a BRANCH leads the first
//!            pass to the point at which the loop was left, the others to the back edges. An edge that
//!            leaves loops enters the outermost one's FORLOOP.
//! ```
//!
//! Where the adjoint of an irreducible region is entered at, or joins in, several points, its edges to
//! these points go through one BRANCH on a variable: the dispatch of that region. Everything is linear
//! in the graph: where edges leave so many loops that their blocks would be more than the graph, they share
//! them ([`crate::leaving`]).

use cfg_core::{
    diagnostic::Diagnostics,
    entity::{EdgeId, VertexId},
    graph::{Adjacency, loops::LoopId, reverse_postorder},
    ir::{
        Annotations, Arm, CaseRange, Cfg, Edge, Expr, FreshIds, LoopForm, LoopTest, Op, Origin,
        OriginRole, Selector, Stmt, Vertex, VertexKind,
    },
};
use std::collections::BTreeMap;

use crate::{
    built,
    general::{General, Point},
    leaving,
    structured::{in_order, with_ends},
};

/// What stands in the vertices and inserted blocks of the forward graph.
pub(crate) trait ForwardCode {
    /// The image of a vertex.
    fn copy(&mut self, v: VertexId) -> VertexKind;
    /// Statements where the edge leaves the loop; `record`: with its trip count.
    fn leave(&mut self, header: VertexId, record: bool) -> Vec<Stmt>;
    /// Values that the loop's index overwrites.
    fn save_index(&mut self, header: VertexId, e: EdgeId) -> Vec<Stmt>;
    /// Statements right before the entry of a loop.
    fn loop_entry(&mut self, header: VertexId, counts: bool) -> Vec<Stmt>;
    /// Statements on a back edge of a loop that counts.
    fn loop_back(&mut self, header: VertexId) -> Vec<Stmt>;
    /// Records one of so many ways.
    fn marker(&mut self, ordinal: usize, ways: usize) -> Vec<Stmt>;
    /// Says which edge that leaves several loops is taken.
    fn set_way(&mut self, number: i64) -> Vec<Stmt>;
    /// Which it is.
    fn way(&mut self) -> Expr;
    /// Statements before EXIT.
    fn routine_exit(&mut self) -> Vec<Stmt>;
}

/// What stands in the vertices and inserted blocks of the adjoint graph.
pub(crate) trait AdjointCode {
    /// The adjoint of a block.
    fn block(&mut self, v: VertexId) -> Vec<Stmt>;
    /// The head of the reverse loop; passes are counted from `from` where there is no index.
    fn for_loop(&mut self, header: VertexId, bound: bool, from: i64) -> LoopTest;
    /// The number of passes of the reverse loop, if it has a variable: popped if it was recorded; `more`:
    /// and one for the pass that was not completed. Then what else was saved there.
    fn leave(&mut self, header: VertexId, bound: bool, record: bool, more: bool) -> Vec<Stmt>;
    /// Statements at the start of its body.
    fn loop_body(&mut self, header: VertexId, bound: bool) -> Vec<Stmt>;
    /// One pass more, which was not completed.
    fn add_pass(&mut self, header: VertexId) -> Vec<Stmt>;
    /// Sets the variable that tells where the first pass begins.
    fn set_point(&mut self, header: VertexId, point: i64) -> Vec<Stmt>;
    /// That variable.
    fn point(&mut self, header: VertexId) -> Expr;
    /// Statements after the reverse loop.
    fn save_index(&mut self, header: VertexId, e: EdgeId) -> Vec<Stmt>;
    /// Takes the marker of one of so many ways.
    fn pop_marker(&mut self, ways: usize) -> Vec<Stmt>;
    /// What was taken.
    fn marker(&mut self) -> Expr;
    /// The variable of a region's dispatch.
    fn state(&mut self, region: VertexId) -> Expr;
    /// Sets it.
    fn set_state(&mut self, region: VertexId, state: i64) -> Vec<Stmt>;
    /// Statements after ENTRY.
    fn routine_exit(&mut self) -> Vec<Stmt>;
}

/// A graph under construction.
#[derive(Default)]
pub(crate) struct Draw {
    vertices: Vec<Vertex>,
    edges: Vec<Edge>,
}

impl Draw {
    /// A vertex; without an id it gets one at the end.
    pub(crate) fn vertex(&mut self, id: i64, kind: VertexKind, role: OriginRole, of: i64) -> usize {
        self.vertices.push(Vertex {
            id,
            kind,
            origin: Some(Origin { role, vertex: of }),
            annotations: None,
        });
        self.vertices.len() - 1
    }

    /// Gives a vertex the annotations of the one that it comes from.
    pub(crate) fn annotate(&mut self, vertex: usize, of: &Vertex) {
        (self.vertices[vertex].annotations).clone_from(&of.annotations);
    }

    /// The graph as it is, vertices without id numbered.
    pub(crate) fn finish(mut self, ids: FreshIds) -> Result<Cfg, Diagnostics> {
        number(&mut self.vertices, ids);
        built::graph(self.vertices, self.edges)
    }

    pub(crate) fn edge(&mut self, from: usize, to: usize, label: Option<i64>) {
        let (from, to) = (VertexId::new(from), VertexId::new(to));
        self.edges.push(Edge::new(from, to, label));
    }
}

/// The end of a chain of blocks: an edge from there, with this label, is still to be drawn.
pub(crate) struct End {
    at: usize,
    label: Option<i64>,
    annotations: Annotations,
}

impl End {
    pub(crate) fn new(at: usize, label: Option<i64>) -> Self {
        Self {
            at,
            label,
            annotations: None,
        }
    }

    /// Where an edge starts.
    pub(crate) fn of(at: usize, edge: &Edge) -> Self {
        Self {
            at,
            label: edge.label,
            annotations: edge.annotations.clone(),
        }
    }

    /// Goes on through a block, unless that is empty.
    pub(crate) fn insert(&mut self, draw: &mut Draw, role: OriginRole, of: i64, block: Vec<Stmt>) {
        if !block.is_empty() {
            let next = draw.vertex(0, VertexKind::Block(block), role, of);
            self.go(draw, next);
            self.at = next;
        }
    }

    /// Draws the edge.
    pub(crate) fn go(&mut self, draw: &mut Draw, to: usize) {
        draw.edge(self.at, to, self.label.take());
        if let Some(last) = draw.edges.last_mut() {
            last.annotations = self.annotations.take();
        }
    }
}

/// The augmented forward graph; true if it nests.
pub(crate) fn forward_graph(
    cfg: &Cfg,
    general: &General,
    code: &mut impl ForwardCode,
) -> Result<(Cfg, bool), Diagnostics> {
    let mut draw = Draw::default();
    for (v, vertex) in cfg.vertices() {
        let image = draw.vertex(vertex.id, code.copy(v), OriginRole::Copy, vertex.id);
        draw.annotate(image, vertex);
    }
    let markers = markers(cfg, general);
    let id = |v: VertexId| cfg.vertex(v).id;
    // Where edges to a vertex lead: what is saved before EXIT stands there once, and only an ENDLOOP
    // leads back to a LOOP, so what belongs to its edge comes before it.
    let mut first: Vec<usize> = (0..cfg.vertex_count()).collect();
    for (v, vertex) in cfg.vertices() {
        let mut end = End::new(usize::MAX, None);
        let mut blocks: Vec<(OriginRole, VertexId, Vec<Stmt>)> = Vec::new();
        match &vertex.kind {
            VertexKind::Exit => blocks.push((OriginRole::ReturnSave, v, code.routine_exit())),
            VertexKind::EndLoop => {
                for &e in cfg.out_edges(v) {
                    enter(cfg, general, &markers, code, e, &mut blocks);
                }
            }
            _ => {}
        }
        for (role, of, block) in blocks {
            if end.at != usize::MAX {
                end.insert(&mut draw, role, id(of), block);
            } else if !block.is_empty() {
                end.at = draw.vertex(0, VertexKind::Block(block), role, id(of));
                first[v.index()] = end.at;
            }
        }
        if end.at != usize::MAX {
            end.go(&mut draw, v.index());
        }
    }
    let (out, mut on) = match &general.leaving {
        Some(leaving) => leaving::ways_out(cfg, general, leaving, &mut draw, code),
        None => Default::default(),
    };
    for &i in &general.order {
        for &e in cfg.out_edges(i) {
            let edge = cfg.edge(e);
            let j = edge.to;
            let mut end = End::of(i.index(), edge);
            if general.is_live(cfg, e) {
                if let Some(leaving) = general.leaving.as_ref().filter(|l| l.is_shared(e))
                    && let Some(after) = on.get_mut(e.index()).and_then(Option::take)
                {
                    let before = std::mem::replace(&mut end, after);
                    let of = (e, i);
                    let ways = (&out[..], id(i));
                    leaving::to_way_out(general, leaving, &mut draw, code, before, of, ways);
                } else {
                    let left = general.left(cfg, e);
                    for &l in &left {
                        if let Some(this) = general.counted(l) {
                            let record = general.records(e, l, left.len());
                            let block = code.leave(this.header, record);
                            end.insert(&mut draw, OriginRole::CounterPush, id(this.header), block);
                        }
                    }
                }
                if !matches!(cfg.vertex(i).kind, VertexKind::EndLoop) {
                    let mut blocks = Vec::new();
                    enter(cfg, general, &markers, code, e, &mut blocks);
                    for (role, of, block) in blocks {
                        end.insert(&mut draw, role, id(of), block);
                    }
                }
            }
            end.go(&mut draw, first[j.index()]);
        }
    }
    let graph = draw.finish(FreshIds::of_vertices(cfg))?;
    Ok(match with_ends(&graph)? {
        Some(nested) => (nested, true),
        None => (graph, false),
    })
}

/// What a live edge records where it arrives.
fn enter(
    cfg: &Cfg,
    general: &General,
    markers: &[Option<(u32, u32)>],
    code: &mut impl ForwardCode,
    e: EdgeId,
    blocks: &mut Vec<(OriginRole, VertexId, Vec<Stmt>)>,
) {
    if !general.is_live(cfg, e) {
        return;
    }
    let edge = cfg.edge(e);
    let j = edge.to;
    let head = general.headed_by(j);
    let back = head.is_some_and(|(l, _)| general.forest.contains(l, edge.from.index()));
    if head.is_some() && !back {
        blocks.push((OriginRole::ValueSave, j, code.save_index(j, e)));
    }
    if let Some((ordinal, ways)) = markers[e.index()] {
        let block = code.marker(ordinal as usize, ways as usize);
        blocks.push((OriginRole::MarkerPush, j, block));
    }
    if let Some((_, this)) = head {
        if !back {
            blocks.push((OriginRole::CounterInit, j, code.loop_entry(j, this.counts)));
        } else if this.counts {
            blocks.push((OriginRole::CounterIncrement, j, code.loop_back(j)));
        }
    }
}

/// By edge: which of how many in-edges it is, where a marker tells.
fn markers(cfg: &Cfg, general: &General) -> Vec<Option<(u32, u32)>> {
    let mut markers = vec![None; cfg.edge_count()];
    for (v, _) in cfg.vertices() {
        for group in general.groups(cfg, v) {
            if group.len() > 1 {
                for (ordinal, e) in group.iter().enumerate() {
                    markers[e.index()] = Some((ordinal as u32, group.len() as u32));
                }
            }
        }
    }
    markers
}

/// Gives ids to vertices that have none.
pub(crate) fn number(vertices: &mut [Vertex], mut ids: FreshIds) {
    for vertex in vertices.iter_mut().filter(|v| v.id == 0) {
        vertex.id = ids.next_id();
    }
}

/// An edge to a point of the adjoint graph, to be drawn when it is known which regions need a dispatch.
struct Arrival {
    end: End,
    point: Point,
    /// It comes from outside the point's irreducible region.
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
    general: &'a General,
    code: &'a mut C,
    draw: Draw,
    /// First and last vertex of each image; the latch of a loop is its FORLOOP and has none.
    image: Vec<Option<(usize, usize)>>,
    loops: Vec<ReverseLoop>,
    /// By loop that is left with others: where its way in begins.
    ways_in: Vec<Option<usize>>,
    arrivals: Vec<Arrival>,
}

/// The adjoint graph; true if it nests.
pub(crate) fn adjoint_graph(
    cfg: &Cfg,
    general: &General,
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
    let graph = arrange(adjoint.draw, FreshIds::of_vertices(cfg))?;
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
                back = End::of(end, self.cfg.edge(*e));
            }
            back.go(&mut self.draw, head);
            self.loops[l.index()] = ReverseLoop { head, end };
        }
    }

    /// A vertex that is the adjoint of one of the original.
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
                    // The ENDLOOP is there already.
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
        let branch = self.original(v, choice(marker, ways));
        self.draw.edge(pop, branch, None);
        self.image[v.index()] = Some((pop, branch));
    }

    /// The ways into loops that are left with others.
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
        self.ways_in = leaving::ways_in(cfg, general, leaving, draw, self.code, &mut arrive);
    }

    /// Everything after the image of a vertex, up to the points where its in-edges lead.
    fn after(&mut self, v: VertexId) {
        let general = self.general;
        let [first, second] = general.groups(self.cfg, v);
        let Some((l, this)) = general.headed_by(v) else {
            // No image: the latch of a loop, its FORLOOP goes on there.
            if let Some((_, last)) = self.image[v.index()] {
                if matches!(self.draw.vertices[last].kind, VertexKind::Branch(_)) {
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
            self.draw.edge(last, end, None);
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
        let kind = choice(self.code.point(v), points.len() + 1);
        let branch = (self.draw).vertex(0, kind, OriginRole::ExitBranch, id);
        body.go(&mut self.draw, branch);
        for (k, &point) in points.iter().enumerate() {
            let mut end = End::new(branch, Some(k as i64 + 1));
            let reset = self.code.set_point(v, 0);
            end.insert(&mut self.draw, OriginRole::ExitSet, id, reset);
            if let Point::Loop(inner) = point
                && let Some(&Some(way)) = self.ways_in.get(inner.index())
            {
                end.go(&mut self.draw, way);
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

    /// From the end of a chain to the edge that the marker tells, if there are several.
    fn choose(&mut self, mut end: End, v: VertexId, edges: &[EdgeId]) {
        match edges {
            [] => {}
            [e] => self.chain(end, *e),
            several => {
                let id = self.id(v);
                let pop = self.code.pop_marker(several.len());
                end.insert(&mut self.draw, OriginRole::MarkerPop, id, pop);
                let kind = choice(self.code.marker(), several.len());
                let branch = (self.draw).vertex(0, kind, OriginRole::MarkerBranch, id);
                end.go(&mut self.draw, branch);
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
            end.go(&mut self.draw, way);
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

    fn place(&self, point: Point) -> Option<usize> {
        match point {
            Point::Vertex(v) => self.image[v.index()].map(|i| i.0),
            Point::Loop(l) => Some(self.loops[l.index()].head),
        }
    }

    /// Draws the edges to points. Where a region is entered at, or has merges in, several points, all
    /// edges to these go through its dispatch.
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
            let kind = choice(self.code.state(header), points.len());
            let id = self.id(header);
            let branch = self.draw.vertex(0, kind, OriginRole::Dispatch, id);
            for (k, &point) in points.iter().enumerate() {
                if let Some(place) = self.place(point) {
                    self.draw.edge(branch, place, Some(k as i64));
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
                end.go(&mut self.draw, branch);
            } else if let Some(place) = self.place(point) {
                end.go(&mut self.draw, place);
            }
        }
    }
}

/// A BRANCH on an integer `0 .. ways`; its labels are these numbers.
pub(crate) fn choice(value: Expr, ways: usize) -> VertexKind {
    if ways != 2 {
        return cases(value, 0..ways as i64);
    }
    let second = Expr::op(Op::Eq, [value, Expr::Int(1)]);
    VertexKind::Branch(Box::new(Selector::Condition(second)))
}

/// A BRANCH on some integers, which are its labels.
pub(crate) fn cases(value: Expr, numbers: impl Iterator<Item = i64>) -> VertexKind {
    let arms = numbers.map(|k| Arm {
        label: k,
        cases: Box::new([CaseRange {
            lower: Some(k),
            upper: Some(k),
        }]),
        default: false,
    });
    VertexKind::Branch(Box::new(Selector::Cases {
        value,
        arms: arms.collect(),
    }))
}

/// The graph with its vertices in reverse postorder, inserted ones numbered in this order.
pub(crate) fn arrange(draw: Draw, ids: FreshIds) -> Result<Cfg, Diagnostics> {
    let mut vertices = draw.vertices.iter();
    let entry = vertices
        .position(|v| matches!(v.kind, VertexKind::Entry))
        .unwrap_or(0);
    // The successor that is found last comes first.
    let edges = draw.edges.iter().rev();
    let edges = edges.map(|e| (e.from.index(), e.to.index()));
    let order = reverse_postorder(&Adjacency::new(draw.vertices.len(), edges), entry);
    let mut new = vec![None; draw.vertices.len()];
    for (k, &v) in order.iter().enumerate() {
        new[v] = Some(VertexId::new(k));
    }
    let mut old: Vec<Option<Vertex>> = draw.vertices.into_iter().map(Some).collect();
    let mut vertices: Vec<Vertex> = order.iter().filter_map(|&v| old[v].take()).collect();
    number(&mut vertices, ids);
    let mut edges: Vec<Edge> = draw
        .edges
        .into_iter()
        .filter_map(|e| {
            Some(Edge {
                from: new[e.from.index()]?,
                to: new[e.to.index()]?,
                ..e
            })
        })
        .collect();
    edges.sort_by_key(|e| e.from);
    built::graph(vertices, edges)
}
