//! The legend: the meaning of shapes, colours and lines, for those that a picture has.

use super::{
    Pen,
    quote::{attribute, plain, quoted},
    style::{self, Part},
};
use cfg_core::ir::{Cfg, VertexType};
use graphviz_rust::dot_structures as dot;
use std::{
    collections::BTreeSet,
    fmt::{self, Write},
};

/// The kinds of vertices that were drawn.
#[derive(Default)]
pub(super) struct Legend {
    types: BTreeSet<VertexType>,
    inserted: bool,
    pushes: bool,
    pops: bool,
    back: bool,
    pairs: bool,
}

impl Legend {
    /// Adds what a graph has; linear in it.
    pub(super) fn add(&mut self, cfg: &Cfg, has_back_edges: bool, pairs: bool) {
        for (_, vertex) in cfg.vertices() {
            let part = Part::classify(vertex, false);
            if !part.inserted {
                self.types.insert(vertex.vertex_type());
            }
            self.inserted |= part.inserted;
            self.pushes |= part.pushes;
            self.pops |= part.pops;
        }
        self.back |= has_back_edges;
        self.pairs |= pairs;
    }

    /// Writes a box with one sample of each, below one another.
    pub(super) fn write<W: Write>(&self, pen: &mut Pen<'_, W>) -> fmt::Result {
        pen.open(dot::Subgraph {
            id: plain("cluster_legend"),
            stmts: vec![],
        })?;
        for statement in style::frame("legend") {
            pen.write(statement)?;
        }
        let mut samples = Vec::new();
        for &ty in &self.types {
            let mut style = style::vertex_attributes(ty, Part::default(), true, None);
            if self.pairs {
                // Tints say which vertex it is.
                style.retain(|a| a.0 != plain("fillcolor"));
            }
            samples.push((ty.name().to_ascii_lowercase(), meaning(ty), style));
        }
        let none = Part::default();
        let parts = [
            (
                self.pushes,
                "pushes",
                "pushes values",
                Part {
                    pushes: true,
                    ..none
                },
            ),
            (
                self.pops,
                "pops",
                "pops values",
                Part { pops: true, ..none },
            ),
            (
                self.inserted,
                "inserted",
                "inserted by the reversal",
                Part {
                    inserted: true,
                    ..none
                },
            ),
            (
                self.pairs,
                "pair",
                "a vertex, its copy and its adjoint\nhave one tint",
                Part {
                    pair: Some(1),
                    ..none
                },
            ),
        ];
        for (_, name, text, part) in parts.into_iter().filter(|part| part.0) {
            let style = style::vertex_attributes(VertexType::BasicBlock, part, true, None);
            samples.push((name.to_owned(), text, style));
        }
        for (name, text, style) in &samples {
            let mut attributes = vec![attribute("label", quoted(text))];
            attributes.extend(style.iter().cloned());
            // A circle around this text would be as high as the text is wide.
            attributes.retain(|a| *a != attribute("shape", plain("circle")));
            if name == "endbranch" {
                attributes.push(attribute("shape", plain("oval")));
            }
            pen.write(dot::Stmt::Node(dot::Node {
                id: node(name),
                attributes,
            }))?;
        }
        for pair in samples.windows(2) {
            pen.write(edge(&pair[0].0, &pair[1].0, style::below().to_vec()))?;
        }
        if self.back {
            for (name, text) in [("to", "next iteration"), ("from", "of a loop")] {
                let attributes = vec![
                    attribute("label", quoted(text)),
                    attribute("shape", plain("plaintext")),
                    attribute("fillcolor", quoted("#ffffff00")),
                ];
                let id = node(name);
                pen.write(dot::Stmt::Node(dot::Node { id, attributes }))?;
            }
            pen.write(edge("to", "from", style::back_edge().to_vec()))?;
        }
        pen.close()
    }
}

fn node(name: &str) -> dot::NodeId {
    dot::NodeId(plain(format!("legend_{name}")), None)
}

fn edge(from: &str, to: &str, attributes: Vec<dot::Attribute>) -> dot::Stmt {
    dot::Stmt::Edge(dot::Edge {
        ty: dot::EdgeTy::Pair(dot::Vertex::N(node(from)), dot::Vertex::N(node(to))),
        attributes,
    })
}

fn meaning(ty: VertexType) -> &'static str {
    match ty {
        VertexType::Entry => "entry",
        VertexType::Exit => "exit",
        VertexType::BasicBlock => "basic block",
        VertexType::Loop => "loop",
        VertexType::ForLoop => "loop of the reverse sweep,\nas often as recorded",
        VertexType::EndLoop => "end of a loop's body",
        VertexType::Branch => "branch",
        VertexType::EndBranch => "end of a branch",
    }
}
