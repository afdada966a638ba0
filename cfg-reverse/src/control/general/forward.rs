//! The augmented forward graph of a general graph.

use cfg_core::{
    diagnostic::Diagnostics,
    entity::{EdgeId, VertexId},
    ir::{Cfg, FreshIds, OriginRole, Stmt, VertexKind},
};

use crate::{
    control::{
        draw::{Draw, End},
        general::{
            ForwardCode,
            nest::with_ends,
            ways::{to_way_out, ways_out},
        },
    },
    plan::regions::Regions,
};

/// The augmented forward graph; true if it nests.
pub(crate) fn forward_graph(
    cfg: &Cfg,
    general: &Regions,
    code: &mut impl ForwardCode,
) -> Result<(Cfg, bool), Diagnostics> {
    let mut draw = Draw::default();
    for (v, vertex) in cfg.vertices() {
        let image = draw.vertex(vertex.id, code.copy(v), OriginRole::Copy, vertex.id);
        draw.annotate(image, vertex);
    }
    let markers = markers(cfg, general);
    let id = |v: VertexId| cfg.vertex(v).id;
    // The first vertex of each vertex's image, to which edges lead. Two kinds of vertices have blocks in front of
    // them that serve all their in-edges: EXIT, before which values are saved, and ENDLOOP: only it leads back to a
    // LOOP, so the blocks of that edge may stand before it.
    let mut first: Vec<usize> = (0..cfg.vertex_count()).collect();
    for (v, vertex) in cfg.vertices() {
        let mut end = End::new(usize::MAX, None);
        let mut blocks: Vec<(OriginRole, VertexId, Vec<Stmt>)> = Vec::new();
        if matches!(vertex.kind, VertexKind::Exit) {
            blocks.push((OriginRole::ReturnSave, v, code.routine_exit()));
        }
        if matches!(vertex.kind, VertexKind::EndLoop) {
            for &e in cfg.out_edges(v) {
                enter(cfg, general, &markers, code, e, &mut blocks);
            }
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
            end.draw_edge(&mut draw, v.index());
        }
    }
    let (out, mut on) = match &general.leaving {
        Some(leaving) => ways_out(cfg, general, leaving, &mut draw, code),
        None => Default::default(),
    };
    for &i in &general.order {
        for &e in cfg.out_edges(i) {
            let edge = cfg.edge(e);
            let j = edge.to;
            let mut end = End::at_source(i.index(), edge);
            if general.is_live(cfg, e) {
                if let Some(leaving) = general.leaving.as_ref().filter(|l| l.is_shared(e))
                    && let Some(after) = on.get_mut(e.index()).and_then(Option::take)
                {
                    let before = std::mem::replace(&mut end, after);
                    let of = (e, i);
                    let ways = (&out[..], id(i));
                    to_way_out(general, leaving, &mut draw, code, before, of, ways);
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
            end.draw_edge(&mut draw, first[j.index()]);
        }
    }
    let graph = draw.finish(FreshIds::of_vertices(cfg));
    Ok(match with_ends(&graph)? {
        Some(nested) => (nested, true),
        None => (graph, false),
    })
}

/// Adds the blocks that record the arrival by a live edge.
fn enter(
    cfg: &Cfg,
    general: &Regions,
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

/// For each edge that needs a marker, its ordinal in its group of in-edges and the size of the group.
fn markers(cfg: &Cfg, general: &Regions) -> Vec<Option<(u32, u32)>> {
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
