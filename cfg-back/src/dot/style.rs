//! Shapes and colours. Fills are pale tints of the Okabe–Ito palette, which colour-blind readers can
//! tell apart, and every type has a shape of its own, so a picture survives black-and-white printing.

use super::frame::{Line, Mark, Place};
use super::quote::{attribute, plain, quoted, title};
use cfg_core::ir::{StmtKind, Vertex, VertexType};
use graphviz_rust::dot_structures::{Attribute, GraphAttributes, Stmt};

/// Attributes of the graph and defaults of its elements.
pub(super) fn defaults(name: &str) -> [Stmt; 3] {
    let mut graph = vec![
        attribute("fontname", quoted("Helvetica")),
        attribute("fontsize", plain("12")),
        attribute("nodesep", plain("0.35")),
        attribute("ranksep", plain("0.3")),
    ];
    if !name.is_empty() {
        graph.push(attribute("label", title(name)));
        graph.push(attribute("labelloc", plain("t")));
    }
    let node = vec![
        attribute("fontname", quoted("Helvetica")),
        attribute("fontsize", plain("10")),
        attribute("shape", plain("box")),
        attribute("style", plain("filled")),
        attribute("color", quoted("#333333")),
        attribute("fillcolor", quoted("#ffffff")),
        attribute("penwidth", plain("0.8")),
        attribute("margin", quoted("0.1,0.05")),
        attribute("height", plain("0.3")),
    ];
    let edge = vec![
        attribute("fontname", quoted("Helvetica")),
        attribute("fontsize", plain("9")),
        attribute("color", quoted("#333333")),
        attribute("arrowsize", plain("0.6")),
        attribute("penwidth", plain("0.8")),
    ];
    [
        Stmt::GAttribute(GraphAttributes::Graph(graph)),
        Stmt::GAttribute(GraphAttributes::Node(node)),
        Stmt::GAttribute(GraphAttributes::Edge(edge)),
    ]
}

/// Shape and fill of a type; `None` is the default.
fn shape(ty: VertexType) -> (Option<&'static str>, Option<&'static str>) {
    match ty {
        VertexType::Entry => (Some("oval"), Some("#d3ede5")),
        VertexType::Exit => (Some("oval"), Some("#e9e9e9")),
        VertexType::BasicBlock => (None, None),
        VertexType::Loop => (Some("hexagon"), Some("#d0e5f3")),
        VertexType::ForLoop => (Some("octagon"), Some("#d0e5f3")),
        VertexType::EndLoop => (Some("invtrapezium"), Some("#e4f1fa")),
        VertexType::Branch => (Some("diamond"), Some("#fbf3c4")),
        VertexType::EndBranch => (Some("circle"), Some("#fdf9e3")),
    }
}

/// The part that a vertex has in a reversal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Part {
    /// A transformation inserted it.
    pub(super) inserted: bool,
    /// The vertex pushes values.
    pub(super) pushes: bool,
    /// The vertex pops values.
    pub(super) pops: bool,
    /// The vertex of the original whose tint it has.
    pub(super) pair: Option<i64>,
}

impl Part {
    /// The part of a vertex; with its pair if those are drawn.
    pub(super) fn classify(vertex: &Vertex, pairs: bool) -> Self {
        let has =
            |wanted: fn(&StmtKind) -> bool| vertex.statements().iter().any(|s| wanted(&s.kind));
        let inserted = vertex.origin.is_some_and(|o| !o.role.is_image());
        Self {
            inserted,
            pushes: has(|s| matches!(s, StmtKind::Push { .. })),
            pops: has(|s| matches!(s, StmtKind::Pop { .. })),
            pair: (pairs && !inserted).then(|| vertex.origin.map_or(vertex.id, |o| o.vertex)),
        }
    }

    /// The fill, if it is not that of the vertex's type.
    fn fill(self) -> Option<String> {
        let fill = match (self.pushes, self.pops) {
            _ if self.pair.is_some() => return self.pair.map(tint),
            (true, true) => "#f5dfeb:#cfe8c6",
            (true, false) => "#f5dfeb",
            (false, true) => "#cfe8c6",
            (false, false) if self.inserted => "#fdebdd",
            (false, false) => return None,
        };
        Some(fill.to_owned())
    }

    /// The outline, if it is not that of all.
    fn outline(self) -> Option<&'static str> {
        match (self.pushes, self.pops) {
            (true, _) => Some("#b0578d"),
            (false, true) => Some("#3f7d2c"),
            (false, false) => self.inserted.then_some("#d55e00"),
        }
    }
}

/// A tint for a number, far from those of its neighbours: hues a golden section apart.
pub(super) fn tint(number: i64) -> String {
    const SECTION: f64 = 0.618_033_988_749_895;
    // Numbers of vertices have up to 53 bits.
    let hue = (number.unsigned_abs() as f64 * SECTION).fract();
    format!("{hue:.3} 0.220 1.000")
}

/// The attributes that set a vertex apart. `bare` says that its label is no more than a number, `deep` is the loop
/// depth of vertices below the deepest clusters.
pub(super) fn vertex_attributes(
    ty: VertexType,
    part: Part,
    bare: bool,
    deep: Option<u32>,
) -> Vec<Attribute> {
    let (mut shape, fill) = shape(ty);
    if !bare && ty == VertexType::EndBranch {
        // Around text a circle is as high as the text is wide.
        shape = Some("oval");
    }
    let mut attributes = Vec::new();
    if let Some(shape) = shape {
        attributes.push(attribute("shape", plain(shape)));
    }
    if matches!(ty, VertexType::Exit) {
        attributes.push(attribute("peripheries", plain("2")));
    }
    if matches!(ty, VertexType::Loop | VertexType::ForLoop) {
        attributes.push(attribute("margin", quoted("0,0")));
    }
    if matches!(ty, VertexType::Branch) {
        attributes.push(attribute("margin", quoted("0.02,0.03")));
    }
    if matches!(ty, VertexType::EndLoop | VertexType::EndBranch) {
        attributes.push(attribute("margin", quoted("0.02,0.02")));
        attributes.push(attribute("width", plain("0.3")));
    }
    if part.inserted {
        attributes.push(attribute("style", quoted("filled,dashed")));
    }
    if let Some(depth) = deep {
        // Neighbouring depths differ; the depth label of the loop says which it is.
        const DEPTHS: [&str; 4] = ["#cc79a7", "#0072b2", "#009e73", "#d55e00"];
        let colour = DEPTHS[depth as usize % DEPTHS.len()];
        attributes.push(attribute("color", quoted(colour)));
        attributes.push(attribute("penwidth", plain("1.6")));
    } else if let Some(outline) = part.outline() {
        attributes.push(attribute("color", quoted(outline)));
    }
    if let Some(fill) = part.fill().or(fill.map(str::to_owned)) {
        attributes.push(attribute("fillcolor", quoted(&fill)));
    }
    attributes
}

/// A back edge. It is written from the header to the end of the loop: otherwise Graphviz breaks the cycle where it
/// likes, and with clusters that turns loops upside down.
pub(super) fn back_edge() -> [Attribute; 4] {
    [
        attribute("dir", plain("back")),
        attribute("weight", plain("0")),
        attribute("style", plain("dashed")),
        attribute("color", quoted("#0072b2")),
    ]
}

/// An invisible edge that draws its target below its source, straight if it can be.
pub(super) fn below() -> [Attribute; 2] {
    [
        attribute("style", plain("invis")),
        attribute("weight", plain("4")),
    ]
}

/// An edge that starts the body of a loop.
pub(super) fn straight() -> Attribute {
    attribute("weight", plain("4"))
}

/// An edge that leaves a loop. Its target stands below the loop by an edge of its own.
pub(super) fn exit_edge() -> Attribute {
    attribute("weight", plain("0"))
}

/// The label of an arm as a vertex, through which the arm's edge goes.
pub(super) fn arm() -> [Attribute; 6] {
    [
        attribute("shape", plain("plaintext")),
        attribute("style", quoted("")),
        attribute("fontsize", plain("9")),
        attribute("margin", plain("0")),
        attribute("width", plain("0.1")),
        attribute("height", plain("0.1")),
    ]
}

/// An edge that ends in the label of its arm.
pub(super) fn to_arm() -> [Attribute; 2] {
    [
        attribute("dir", plain("none")),
        attribute("weight", plain("2")),
    ]
}

/// An edge that starts in the label of its arm.
pub(super) fn from_arm() -> Attribute {
    attribute("weight", plain("2"))
}

/// A subgraph whose vertices stand beside one another.
pub(super) fn row() -> Attribute {
    attribute("rank", plain("same"))
}

/// An invisible edge between neighbours in a row.
pub(super) fn beside() -> Attribute {
    attribute("style", plain("invis"))
}

/// The colour of the label of an arm or body that an edge ends.
pub(super) fn in_label() -> Attribute {
    attribute("fontcolor", quoted("#777777"))
}

/// The box around a graph or a legend.
pub(super) fn frame(text: &str) -> [Stmt; 5] {
    [
        attribute("label", title(text)),
        attribute("labelloc", plain("t")),
        attribute("fontsize", plain("12")),
        attribute("style", plain("rounded")),
        attribute("color", quoted("#bbbbbb")),
    ]
    .map(Stmt::Attribute)
}

/// The box around a loop. The fill is translucent, so that nesting shows as shading.
pub(super) fn cluster(id: i64, reducible: bool) -> [Stmt; 6] {
    let kind = if reducible {
        "loop"
    } else {
        "irreducible loop"
    };
    [
        attribute("label", quoted(&format!("{kind} {id}"))),
        attribute("labeljust", plain("l")),
        attribute("fontsize", plain("9")),
        attribute("style", quoted("rounded,filled")),
        attribute("color", quoted("#9db9cc")),
        attribute("fillcolor", quoted("#56b4e90f")),
    ]
    .map(Stmt::Attribute)
}

/// The shape and fill of a vertex by its place in the graph.
pub(super) fn place_attributes(place: Place) -> [Attribute; 2] {
    let (shape, fill) = match place {
        Place::Source => ("box", "#d3ede5"),
        Place::Inner => ("oval", "#ffffff"),
        Place::Sink => ("box", "#fbf3c4"),
    };
    [
        attribute("shape", plain(shape)),
        attribute("fillcolor", quoted(fill)),
    ]
}

/// The line of an edge.
pub(super) fn line(line: Line) -> Vec<Attribute> {
    match line {
        Line::Solid => vec![],
        Line::Dashed => vec![attribute("style", plain("dashed"))],
        Line::Dotted => vec![attribute("style", plain("dotted"))],
    }
}

fn mark_colour(mark: Mark) -> &'static str {
    match mark {
        Mark::New => "#0072b2",
        Mark::Changed => "#009e73",
        Mark::Next => "#d55e00",
    }
}

/// The colour and width of a vertex or an edge that a step changed, or is going to remove.
pub(super) fn mark(mark: Mark) -> [Attribute; 2] {
    [
        attribute("color", quoted(mark_colour(mark))),
        attribute("penwidth", plain("1.8")),
    ]
}

/// The label of an edge to which a step did something.
pub(super) fn mark_label(mark: Mark) -> Attribute {
    attribute("fontcolor", quoted(mark_colour(mark)))
}
