//! The values that a forward sweep records at each vertex, and the purposes of the branches of a reverse sweep: read
//! off the blocks that a transformation inserted.

use cfg_core::ir::{Cfg, ControlWidth, OriginRole, StmtKind, TapeClass, Vertex, VertexKind};
use std::collections::{BTreeMap, BTreeSet};

/// The values that are recorded for one vertex of the original.
#[derive(Default)]
struct At {
    /// Widths of markers among its in-edges: of the entries into a loop and of the ways back.
    predecessor: BTreeSet<u8>,
    trip_count: bool,
    /// Width of the number of its block.
    number: Option<u8>,
}

/// The recorded values of a graph, by vertex of the original.
pub(super) struct Recorded(BTreeMap<i64, At>);

impl Recorded {
    /// Linear in the graph.
    pub(super) fn collect(cfg: &Cfg) -> Self {
        let mut found: BTreeMap<i64, At> = BTreeMap::new();
        for (_, vertex) in cfg.vertices() {
            let Some(origin) = vertex.origin else {
                continue;
            };
            for statement in vertex.statements() {
                let StmtKind::Push {
                    class: TapeClass::Control(width),
                    ..
                } = &statement.kind
                else {
                    continue;
                };
                let wanted = matches!(
                    (origin.role, width),
                    (
                        OriginRole::MarkerPush | OriginRole::TracePush,
                        ControlWidth::Bits(_)
                    ) | (OriginRole::CounterPush, ControlWidth::Count)
                );
                if !wanted {
                    continue;
                }
                let at = found.entry(origin.vertex).or_default();
                match width {
                    ControlWidth::Count => at.trip_count = true,
                    ControlWidth::Bits(bits) if origin.role == OriginRole::TracePush => {
                        at.number = Some(*bits);
                    }
                    ControlWidth::Bits(bits) => {
                        at.predecessor.insert(*bits);
                    }
                }
            }
        }
        Self(found)
    }

    /// Lines for the label of a vertex.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "a role without words of its own is named as in files"
    )]
    pub(super) fn lines(&self, vertex: &Vertex) -> Vec<String> {
        let mut lines = Vec::new();
        let Some(origin) = vertex.origin else {
            return lines;
        };
        if origin.role == OriginRole::Copy
            && let Some(at) = self.0.get(&origin.vertex)
        {
            let several: Vec<String> = at.predecessor.iter().map(u8::to_string).collect();
            match several[..] {
                [] => {}
                [ref one] if one == "1" => lines.push("records predecessor: 1 bit".to_owned()),
                _ => lines.push(format!(
                    "records predecessor: {} bits",
                    several.join(" or ")
                )),
            }
            if at.trip_count {
                lines.push("trip count recorded at exits".to_owned());
            }
            if let Some(bits) = at.number {
                lines.push(format!("records number of block: {bits} bits"));
            }
        }
        if !origin.role.is_image() && matches!(vertex.kind, VertexKind::Branch(_)) {
            lines.push(match origin.role {
                OriginRole::MarkerBranch => format!("predecessor of {}", origin.vertex),
                OriginRole::ExitBranch => format!("where loop {} was left", origin.vertex),
                role => format!("{} of {}", role.name(), origin.vertex),
            });
        }
        lines
    }
}
