//! The general method of the paper for graphs without structure (section 4.1): the forward sweep records
//! the number of each block that it executes, and the reverse sweep executes the adjoints of the blocks
//! whose numbers it takes from the tape.
//!
//! A block is here what the compiler literature calls a basic block: vertices in a row of which only the first can be
//! jumped to and only the last can jump. Its number is pushed at its end, above the values that the block itself
//! pushes. The block that ends at EXIT needs no number: the reverse sweep begins there.

use cfg_core::{
    entity::VertexId,
    ir::{Cfg, Expr, FreshIds, OriginRole, Stmt, VertexKind},
};

use crate::{
    control::draw::{Draw, End, arrange, cases},
    plan::regions::Regions,
};

/// The statements in the forward and the adjoint graph, by vertex and by number of a block.
pub(crate) trait TraceCode {
    /// The forward or adjoint image of a vertex.
    fn image(&mut self, v: VertexId) -> VertexKind;
    /// The statements that save values before EXIT, or restore them after ENTRY.
    fn routine_exit(&mut self) -> Vec<Stmt>;
    /// Pushes, or pops, one of `of` numbers.
    fn record(&mut self, number: usize, of: usize) -> Vec<Stmt>;
    /// The number that was popped last.
    fn number(&mut self) -> Expr;
}

/// The basic blocks of live vertices, in topological order up to back edges.
struct BasicBlocks {
    rows: Vec<Vec<VertexId>>,
    /// The row of each vertex.
    of: Vec<Option<usize>>,
}

impl BasicBlocks {
    fn partition(cfg: &Cfg, general: &Regions) -> Self {
        let mut blocks = Self {
            rows: Vec::new(),
            of: vec![None; cfg.vertex_count()],
        };
        for &v in &general.order {
            if !general.live.contains(v.index()) {
                continue;
            }
            let mut into = general.live_in(cfg, v);
            let before = match (into.next(), into.next()) {
                // All edges out of the predecessor count, dead ones as well: an arm from which EXIT cannot be reached
                // is a jump, too.
                (Some(e), None) => Some(cfg.edge(e).from).filter(|&u| cfg.out_edges(u).len() == 1),
                _ => None,
            };
            let row = before
                .and_then(|u| blocks.of[u.index()])
                .unwrap_or_else(|| {
                    blocks.rows.push(Vec::new());
                    blocks.rows.len() - 1
                });
            blocks.rows[row].push(v);
            blocks.of[v.index()] = Some(row);
        }
        blocks
    }

    /// The row that ends at EXIT.
    fn last(&self, cfg: &Cfg) -> Option<usize> {
        self.of[cfg.exit()?.index()]
    }
}

/// The forward graph.
pub(crate) fn forward_graph(cfg: &Cfg, general: &Regions, code: &mut impl TraceCode) -> Cfg {
    let blocks = BasicBlocks::partition(cfg, general);
    let last = blocks.last(cfg);
    let mut draw = Draw::default();
    for (v, vertex) in cfg.vertices() {
        let image = draw.vertex(vertex.id, code.image(v), OriginRole::Copy, vertex.id);
        draw.annotate(image, vertex);
    }
    // The first and the last vertex of each vertex's image: edges lead to the first and start at the last.
    let mut first: Vec<usize> = (0..cfg.vertex_count()).collect();
    let mut end: Vec<usize> = first.clone();
    for (row, vertices) in blocks.rows.iter().enumerate() {
        let Some(&v) = vertices.last() else { continue };
        let id = cfg.vertex(v).id;
        let (role, block) = if Some(row) == last {
            (OriginRole::ReturnSave, code.routine_exit())
        } else {
            (OriginRole::TracePush, code.record(row, blocks.rows.len()))
        };
        if block.is_empty() {
            continue;
        }
        let new = draw.vertex(0, VertexKind::Block(block), role, id);
        if cfg.out_edges(v).len() == 1 {
            draw.graph.add_edge(v.index(), new, None);
            end[v.index()] = new;
        } else {
            draw.graph.add_edge(new, v.index(), None);
            first[v.index()] = new;
        }
    }
    for &i in &general.order {
        for &e in cfg.out_edges(i) {
            let edge = cfg.edge(e);
            let mut end = End::at_source(end[i.index()], edge);
            end.draw_edge(&mut draw, first[edge.to.index()]);
        }
    }
    draw.finish(FreshIds::of_vertices(cfg))
}

/// The adjoint graph.
pub(crate) fn adjoint_graph(cfg: &Cfg, general: &Regions, code: &mut impl TraceCode) -> Cfg {
    let blocks = BasicBlocks::partition(cfg, general);
    let mut draw = Draw::default();
    let mut image = vec![0; cfg.vertex_count()];
    for &v in general.order.iter().rev() {
        if general.live.contains(v.index()) {
            let vertex = cfg.vertex(v);
            image[v.index()] =
                draw.vertex(-vertex.id, code.image(v), OriginRole::Adjoint, vertex.id);
            draw.annotate(image[v.index()], vertex);
        }
    }
    let Some(last) = blocks.last(cfg) else {
        return arrange(draw, FreshIds::of_vertices(cfg));
    };
    let others: Vec<usize> = (0..blocks.rows.len()).filter(|&r| r != last).collect();
    let id = cfg.exit().map_or(1, |v| cfg.vertex(v).id);
    // pop(number), then the block with this number.
    let pop = VertexKind::Block(code.record(0, blocks.rows.len()));
    let pop = draw.vertex(0, pop, OriginRole::TracePop, id);
    let dispatch = match others[..] {
        [] | [_] => pop,
        _ => {
            let numbers = others.iter().map(|&row| row as i64);
            let kind = cases(code.number(), numbers);
            let dispatch = draw.vertex(0, kind, OriginRole::Dispatch, id);
            draw.graph.add_edge(pop, dispatch, None);
            dispatch
        }
    };
    for (row, vertices) in blocks.rows.iter().enumerate() {
        let mut at: Option<End> = (row != last && others.len() > 1)
            .then(|| End::new(dispatch, Some(row as i64)))
            .or((row != last).then(|| End::new(dispatch, None)));
        for &v in vertices.iter().rev() {
            if let Some(mut end) = at {
                end.draw_edge(&mut draw, image[v.index()]);
            }
            let mut end = End::new(image[v.index()], None);
            if matches!(cfg.vertex(v).kind, VertexKind::Exit) {
                let id = cfg.vertex(v).id;
                end.insert(&mut draw, OriginRole::ReturnSave, id, code.routine_exit());
            }
            at = Some(end);
        }
        let entry = vertices.first().map(|&v| &cfg.vertex(v).kind);
        if let (Some(mut end), false) = (at, matches!(entry, Some(VertexKind::Entry))) {
            end.draw_edge(&mut draw, pop);
        }
    }
    arrange(draw, FreshIds::of_vertices(cfg))
}
