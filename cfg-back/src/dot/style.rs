//! Shapes and colours. Fills are pale tints of the Okabe–Ito palette, which colour-blind readers can
//! tell apart, and every type has a shape of its own, so a picture survives black-and-white printing.

use super::quote::{attribute, plain, quoted};
use cfg_core::ir::VertexType;
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
        let mut label = super::quote::Label::new(60, 1);
        label.centred(name);
        graph.push(attribute("label", label.finish().0));
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

/// The attributes that set a vertex apart. `inserted` says that a transformation inserted it, `bare` that its label is
/// no more than a number, `deep` is the loop depth of vertices below the deepest clusters.
pub(super) fn of(ty: VertexType, inserted: bool, bare: bool, deep: Option<u32>) -> Vec<Attribute> {
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
    if inserted {
        attributes.push(attribute("style", quoted("filled,dashed")));
        attributes.push(attribute("color", quoted("#d55e00")));
        attributes.push(attribute("fillcolor", quoted("#fdebdd")));
    } else if let Some(fill) = fill {
        attributes.push(attribute("fillcolor", quoted(fill)));
    }
    if let Some(depth) = deep {
        // Neighbouring depths differ; the depth label of the loop says which it is.
        const DEPTHS: [&str; 4] = ["#cc79a7", "#0072b2", "#009e73", "#d55e00"];
        let colour = DEPTHS[depth as usize % DEPTHS.len()];
        attributes.retain(|a| a.0 != plain("color"));
        attributes.push(attribute("color", quoted(colour)));
        attributes.push(attribute("penwidth", plain("1.6")));
    }
    attributes
}

/// A back edge. Not a constraint of the ranking: otherwise Graphviz breaks the cycle where it likes, and with
/// clusters that turns loops upside down.
pub(super) fn back_edge() -> [Attribute; 3] {
    [
        attribute("constraint", plain("false")),
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

/// An edge that leaves a loop. What it leads to stands below the loop by an edge of its own.
pub(super) fn exit_edge() -> Attribute {
    attribute("constraint", plain("false"))
}

/// The colour of the label of an arm or body that an edge ends.
pub(super) fn in_label() -> Attribute {
    attribute("fontcolor", quoted("#777777"))
}

/// The box around a graph or a legend.
pub(super) fn frame(title: &str) -> [Stmt; 5] {
    let mut label = super::quote::Label::new(60, 1);
    label.centred(title);
    [
        attribute("label", label.finish().0),
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
