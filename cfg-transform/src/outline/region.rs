//! Regions: parts of a graph with one way in and one way out.

use cfg_core::{
    diagnostic::{
        Diagnostic, Diagnostics,
        site::{Element, Site},
    },
    entity::{EdgeId, RoutineId, VertexId},
    ir::{Cfg, Program, VertexKind},
    text,
};
use fixedbitset::FixedBitSet;

use crate::codes::NOT_A_REGION;

/// A set of vertices of one graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Region {
    vertices: Vec<VertexId>,
}

/// The edges by which a region is entered and left.
pub(super) struct Cut {
    /// The vertices of the region.
    pub(super) inside: FixedBitSet,
    pub(super) entry: EdgeId,
    pub(super) exit: EdgeId,
}

impl Region {
    /// The region of these vertices, in any order.
    pub fn new(vertices: impl IntoIterator<Item = VertexId>) -> Self {
        let mut vertices: Vec<VertexId> = vertices.into_iter().collect();
        vertices.sort_unstable();
        vertices.dedup();
        Self { vertices }
    }

    /// The vertices reached over the edge `entry` without going over the edge `exit`; none if there is no such edge.
    pub fn between(cfg: &Cfg, entry: EdgeId, exit: EdgeId) -> Self {
        if entry.index() >= cfg.edge_count() {
            return Self::default();
        }
        let first = cfg.edge(entry).to;
        let mut seen = FixedBitSet::with_capacity(cfg.vertex_count());
        seen.insert(first.index());
        let mut work = vec![first];
        while let Some(v) = work.pop() {
            for &e in cfg.out_edges(v).iter().filter(|&&e| e != exit) {
                let to = cfg.edge(e).to;
                if !seen.put(to.index()) {
                    work.push(to);
                }
            }
        }
        Self {
            vertices: seen.ones().map(VertexId::new).collect(),
        }
    }

    /// The loop with this header: from LOOP to its ENDLOOP. `None` if the vertex is no LOOP that is entered over one
    /// edge and has one edge without label behind it.
    pub fn of_loop(cfg: &Cfg, header: VertexId) -> Option<Self> {
        let known = header.index() < cfg.vertex_count();
        if !known || !matches!(cfg.vertex(header).kind, VertexKind::Loop { .. }) {
            return None;
        }
        let back = |e: &EdgeId| matches!(cfg.vertex(cfg.edge(*e).from).kind, VertexKind::EndLoop);
        let into: Vec<EdgeId> = cfg.in_edges(header).to_vec();
        let [entry] = into.into_iter().filter(|e| !back(e)).collect::<Vec<_>>()[..] else {
            return None;
        };
        let behind = |e: &&EdgeId| cfg.edge(**e).label.is_none();
        let exit = cfg.out_edges(header).iter().find(behind)?;
        Some(Self::between(cfg, entry, *exit))
    }

    /// The vertices, in the order of the graph.
    pub fn vertices(&self) -> &[VertexId] {
        &self.vertices
    }

    /// The edges by which the region is entered and left.
    pub(super) fn cut(
        &self,
        program: &Program,
        id: RoutineId,
        cfg: &Cfg,
    ) -> Result<Cut, Diagnostics> {
        let refused = |element: Element, message: String| {
            let site = Site::whole(id, element);
            let help = "take a loop, a branch with its end, or some of these and blocks in a row";
            Diagnostics::from(
                Diagnostic::error(&NOT_A_REGION, message, help)
                    .at_element(text::site_text(program, &site))
                    .at_site_in(program, site),
            )
        };
        let n = cfg.vertex_count();
        let mut inside = FixedBitSet::with_capacity(n);
        for v in &self.vertices {
            if v.index() >= n {
                let message = format!("the region has a vertex {v}, the graph has {n} vertices");
                return Err(refused(Element::Routine, message));
            }
            inside.insert(v.index());
        }
        for &v in &self.vertices {
            let vertex = cfg.vertex(v);
            if matches!(vertex.kind, VertexKind::Entry | VertexKind::Exit) {
                let message = format!("vertex {} belongs to the routine itself", vertex.id);
                return Err(refused(Element::Vertex(v), message));
            }
        }
        let (mut entries, mut exits) = (Vec::new(), Vec::new());
        for &v in &self.vertices {
            let from_outside = |e: &&EdgeId| !inside.contains(cfg.edge(**e).from.index());
            let to_outside = |e: &&EdgeId| !inside.contains(cfg.edge(**e).to.index());
            entries.extend(cfg.in_edges(v).iter().filter(from_outside));
            exits.extend(cfg.out_edges(v).iter().filter(to_outside));
        }
        let (&[entry], &[exit]) = (&entries[..], &exits[..]) else {
            let (into, out) = (entries.len(), exits.len());
            let message = format!("{into} edges enter the region and {out} leave it");
            let element = match (entries.get(1), exits.get(1)) {
                (Some(e), _) | (None, Some(e)) => Element::Edge(*e),
                (None, None) => Element::Routine,
            };
            return Err(refused(element, message));
        };
        // If a back edge crosses the border, the LOOP and its ENDLOOP are on different sides.
        for e in [entry, exit] {
            let edge = cfg.edge(e);
            if matches!(cfg.vertex(edge.from).kind, VertexKind::EndLoop) {
                let message = "the region has a LOOP without its ENDLOOP, or one of them alone";
                return Err(refused(Element::Edge(e), message.to_owned()));
            }
        }
        Ok(Cut {
            inside,
            entry,
            exit,
        })
    }
}
