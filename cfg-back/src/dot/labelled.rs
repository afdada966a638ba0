//! Pictures of small directed graphs with labelled edges, such as linearized computational graphs.

use super::{Pen, node_name, quote, style};
use graphviz_rust::dot_structures as dot;
use quote::{attribute, plain, quoted};
use std::fmt::{self, Write};

/// The place of a vertex in the graph as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A vertex where paths start.
    Source,
    /// A vertex on the way.
    Inner,
    /// A vertex where paths end.
    Sink,
}

/// The line by which an edge is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    /// A plain line.
    Solid,
    /// A dashed line.
    Dashed,
    /// A dotted line.
    Dotted,
}

/// An edge from one id to another.
#[derive(Clone, Debug)]
pub struct LabelledEdge {
    /// Id of the source.
    pub source: i64,
    /// Id of the target.
    pub target: i64,
    /// Text beside the edge.
    pub label: String,
    /// The line by which the edge is drawn.
    pub line: Line,
}

/// A vertex with its text.
#[derive(Clone, Debug)]
pub struct LabelledVertex {
    /// The id of the vertex.
    pub id: i64,
    /// Text in the vertex.
    pub label: String,
    /// The vertex's place in the graph as a whole.
    pub place: Place,
}

/// Writes a graph: vertices and edges with their labels.
///
/// # Errors
/// The errors are those of `out`.
pub fn write_labelled(
    out: &mut impl Write,
    title: &str,
    vertices: impl IntoIterator<Item = LabelledVertex>,
    edges: impl IntoIterator<Item = LabelledEdge>,
) -> fmt::Result {
    let mut pen = Pen::start(out)?;
    for statement in style::defaults(title) {
        pen.write(statement)?;
    }
    for vertex in vertices {
        let (shape, fill) = match vertex.place {
            Place::Source => ("box", "#d3ede5"),
            Place::Inner => ("oval", "#ffffff"),
            Place::Sink => ("box", "#fbf3c4"),
        };
        pen.write(dot::Stmt::Node(dot::Node {
            id: node(vertex.id),
            attributes: vec![
                attribute("label", quoted(&vertex.label)),
                attribute("shape", plain(shape)),
                attribute("fillcolor", quoted(fill)),
            ],
        }))?;
    }
    for edge in edges {
        let mut attributes = Vec::new();
        if !edge.label.is_empty() {
            attributes.push(attribute("label", quoted(&edge.label)));
        }
        match edge.line {
            Line::Solid => {}
            Line::Dashed => attributes.push(attribute("style", plain("dashed"))),
            Line::Dotted => attributes.push(attribute("style", plain("dotted"))),
        }
        pen.write(dot::Stmt::Edge(dot::Edge {
            ty: dot::EdgeTy::Pair(
                dot::Vertex::N(node(edge.source)),
                dot::Vertex::N(node(edge.target)),
            ),
            attributes,
        }))?;
    }
    pen.end()
}

fn node(id: i64) -> dot::NodeId {
    dot::NodeId(plain(node_name(id)), None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_picture_is_read_by_a_parser() {
        let edges = [
            (-1, 5, "c(5,-1)", Line::Dashed),
            (5, 6, "a \"b\\", Line::Dotted),
            (5, 6, "J1", Line::Solid),
        ]
        .map(|(source, target, label, line)| LabelledEdge {
            source,
            target,
            label: label.to_owned(),
            line,
        });
        let vertices = [
            (-1, "x[\"1\"]", Place::Source),
            (5, "5", Place::Inner),
            (i64::MAX, "y", Place::Sink),
        ]
        .map(|(id, label, place)| LabelledVertex {
            id,
            label: label.to_owned(),
            place,
        });
        let mut text = String::new();
        write_labelled(&mut text, "after (5)", vertices, edges).expect("strings take everything");
        assert!(graphviz_rust::parse(&text).is_ok(), "{text}");
        for part in [
            "m1 -> v5 [label=\"c(5,-1)\" style=dashed]",
            "a \\\"b\\\\",
            "x[\\\"1\\\"]",
            "after (5)",
            "v9223372036854775807",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
}
