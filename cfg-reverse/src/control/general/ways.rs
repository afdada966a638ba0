//! The ways out of loops that many edges leave together, and the ways back in.

use cfg_core::{
    entity::{EdgeId, VertexId},
    graph::loops::LoopId,
    ir::{Arm, CaseRange, Cfg, Expr, OriginRole, Selector, VertexKind},
};

use crate::{
    control::{
        draw::{Draw, End, branch_on_integer},
        general::{AdjointCode, ForwardCode},
    },
    plan::regions::{Counted, Point, Regions, leaving::Leaving},
};

/// Draws the ways out. Returns, by loop, the vertex at which edges enter its way out, and, by edge, the end from
/// which the edge continues to its target.
pub(crate) fn ways_out(
    cfg: &Cfg,
    general: &Regions,
    leaving: &Leaving,
    draw: &mut Draw,
    code: &mut impl ForwardCode,
) -> (Vec<Option<usize>>, Vec<Option<End>>) {
    let id = |this: &Counted| cfg.vertex(this.header).id;
    let mut out = vec![None; leaving.ways.len()];
    for (l, _) in leaving.each() {
        if let Some(this) = &general.loops[l] {
            let block = VertexKind::Block(code.leave(this.header, true));
            out[l] = Some(draw.vertex(0, block, OriginRole::CounterPush, id(this)));
        }
    }
    let mut from: Vec<Option<End>> = Vec::new();
    from.resize_with(cfg.edge_count(), || None);
    for (l, way) in leaving.each() {
        let (Some(this), Some(block)) = (&general.loops[l], out[l]) else {
            continue;
        };
        let ways = way.ends.len() + usize::from(way.on.is_some());
        let mut at = block;
        if ways > 1 {
            let numbers = way.ends.iter().filter_map(|&e| leaving.shared[e.index()]);
            let on = way.on.map(|_| leaving.count);
            let kind = by_number(code.way(), numbers.map(|s| s.number), on);
            at = draw.vertex(0, kind, OriginRole::Dispatch, id(this));
            draw.graph.add_edge(block, at, None);
        }
        for &e in &way.ends {
            let number = leaving.shared[e.index()].map(|s| s.number);
            from[e.index()] = Some(End::new(at, number.filter(|_| ways > 1)));
        }
        if let Some((on, place)) = way.on
            && let (Some(next), Some(next_way)) = (out[on.index()], &leaving.ways[on.index()])
        {
            let mut end = End::new(at, Some(leaving.count).filter(|_| ways > 1));
            let ordinal = next_way.edges.len() + place;
            mark(draw, code, &mut end, ordinal, next_way.markers(), id(this));
            end.draw_edge(draw, next);
        }
    }
    (out, from)
}

/// Leads from the source of an edge to the way out that it takes.
pub(crate) fn to_way_out(
    general: &Regions,
    leaving: &Leaving,
    draw: &mut Draw,
    code: &mut impl ForwardCode,
    mut end: End,
    (e, from): (EdgeId, VertexId),
    (out, id): (&[Option<usize>], i64),
) {
    let (Some(inner), Some(shared)) = (general.innermost(from), leaving.shared[e.index()]) else {
        return;
    };
    let (Some(way), Some(to)) = (&leaving.ways[inner.index()], out[inner.index()]) else {
        return;
    };
    let set = code.set_way(shared.number);
    end.insert(draw, OriginRole::ExitSet, id, set);
    mark(draw, code, &mut end, shared.place, way.markers(), id);
    end.draw_edge(draw, to);
}

fn mark(
    draw: &mut Draw,
    code: &mut impl ForwardCode,
    end: &mut End,
    ordinal: usize,
    ways: usize,
    id: i64,
) {
    if ways > 1 {
        let marker = code.marker(ordinal, ways);
        end.insert(draw, OriginRole::MarkerPush, id, marker);
    }
}

/// A BRANCH on numbers, which are its labels; `others` is the label that all other numbers take.
fn by_number(value: Expr, numbers: impl Iterator<Item = i64>, others: Option<i64>) -> VertexKind {
    let arm = |k: i64| Arm {
        label: k,
        cases: Box::new([CaseRange {
            lower: Some(k),
            upper: Some(k),
        }]),
        default: false,
    };
    let others = others.map(|label| Arm {
        label,
        cases: Box::new([]),
        default: true,
    });
    VertexKind::Branch(Box::new(Selector::Cases {
        value,
        arms: numbers.map(arm).chain(others).collect(),
    }))
}

/// Draws the ways in, up to the FORLOOPs; `arrive` takes the ends that lead to these. Returns the first vertex of
/// each way.
pub(crate) fn ways_in(
    cfg: &Cfg,
    general: &Regions,
    leaving: &Leaving,
    draw: &mut Draw,
    code: &mut impl AdjointCode,
    arrive: &mut impl FnMut(End, LoopId),
) -> Vec<Option<usize>> {
    let mut begin = vec![None; leaving.ways.len()];
    for l in general.forest.loops() {
        let (Some(this), Some(way)) = (general.counted(l), &leaving.ways[l.index()]) else {
            continue;
        };
        let header = this.header;
        let id = cfg.vertex(header).id;
        let pop = VertexKind::Block(code.leave(header, true, true, false));
        let pop = draw.vertex(0, pop, OriginRole::BoundPop, id);
        begin[l.index()] = Some(pop);
        let edges = way
            .edges
            .iter()
            .map(|&e| match this.normal_exit == Some(e) {
                true => None,
                false => Some(Point::Vertex(cfg.edge(e).from)),
            });
        let inside = way.inside.iter().map(|&c| Some(Point::Loop(c)));
        let mut at = End::new(pop, None);
        let ways = way.markers();
        let mut branch = None;
        if ways > 1 {
            let marker = code.pop_marker(ways);
            at.insert(draw, OriginRole::MarkerPop, id, marker);
            let kind = branch_on_integer(code.marker(), ways);
            let vertex = draw.vertex(0, kind, OriginRole::MarkerBranch, id);
            at.draw_edge(draw, vertex);
            branch = Some(vertex);
        }
        for (k, point) in edges.chain(inside).enumerate() {
            let mut end = match branch {
                Some(branch) => End::new(branch, Some(k as i64)),
                None => End::new(pop, None),
            };
            let mut set = match point {
                Some(_) if this.is_loop => code.add_pass(header),
                _ => Vec::new(),
            };
            if !this.points.is_empty() {
                set.extend(code.set_point(header, point.map_or(0, |p| this.number(p))));
            }
            end.insert(draw, OriginRole::BoundPop, id, set);
            arrive(end, l);
        }
    }
    begin
}
