//! Pictures: control-flow graphs in the DOT language of Graphviz.
//!
//! Types of vertices are told apart by shape and colour, blocks show their statements, edges their
//! out-labels, and the blocks that a transformation inserted are dashed. Vertices of a forward sweep say what
//! is recorded for them: which predecessor, in how many bits, or a trip count. The text is built from
//! graphviz-rust's structures and printed by its printer, one element at a time, so a graph of a million
//! vertices takes the memory of one.
//!
//! Names of nodes are generated from the vertex ids (`v5`, `m5` for −5), names of clusters from those of
//! their loops. Everything that a user can choose goes through one function that quotes it (`quote.rs`).
//!
//! ```
//! use cfg_core::dot::{DotOptions, write_cfg};
//! use cfg_core::entity::{RoutineId, VertexId};
//! use cfg_core::ir::{Cfg, Edge, Program, Routine, Vertex, VertexKind};
//!
//! let vertices = vec![Vertex::new(1, VertexKind::Entry), Vertex::new(2, VertexKind::Exit)];
//! let edges = vec![Edge::new(VertexId::new(0), VertexId::new(1), None)];
//! let routine = Routine { body: Cfg::new(vertices, edges), ..Routine::default() };
//! let program = Program { routines: vec![routine], ..Program::default() };
//!
//! let mut text = String::new();
//! write_cfg(&mut text, &program, RoutineId::new(0), &DotOptions::default())?;
//! assert!(text.contains("v1 -> v2"));
//! # Ok::<(), std::fmt::Error>(())
//! ```

mod cluster;
mod labelled;
mod quote;
mod recorded;
mod style;

use crate::{
    entity::{RoutineId, VertexId},
    ir::{Cfg, Edge, Program, Selector, Vertex, VertexKind, VertexType},
    loops::LoopForest,
    structure::Structure,
    text::Printer,
};
use cluster::{Clusters, Step};
use graphviz_rust::{
    dot_structures as dot,
    printer::{DotPrinter, PrinterContext},
};
use quote::{attribute, plain, quoted};
use recorded::Recorded;
use std::fmt::{self, Write};

pub use labelled::{LabelledEdge, Line, Place, write_labelled};

/// Loops nested more deeply than this are not drawn as clusters: Graphviz's layout of nested clusters
/// takes too long, and indentation would make the output quadratic.
pub const MAX_CLUSTER_DEPTH: u32 = 30;

/// How a graph is drawn.
#[derive(Clone, Copy, Debug)]
pub struct DotOptions<'a> {
    /// The nesting of the graph, to draw loops as clusters; loops deeper than [`MAX_CLUSTER_DEPTH`] are
    /// marked by colour and a depth label instead. `None`: no clusters.
    pub clusters: Option<&'a Structure>,
    /// The loops of a graph that does not nest, to draw them as clusters, irreducible ones marked as such;
    /// used where there is no nesting.
    pub loops: Option<&'a LoopForest>,
    /// Writes `T` and `F` instead of 1 and 0 at two-way branches and loops.
    pub true_false: bool,
    /// Longest line of a label, in characters; what is cut is in the tooltip.
    pub max_label: usize,
    /// Most lines of a label; what is cut is in the tooltip.
    pub max_lines: usize,
}

impl Default for DotOptions<'_> {
    fn default() -> Self {
        Self {
            clusters: None,
            loops: None,
            true_false: false,
            max_label: 60,
            max_lines: 16,
        }
    }
}

/// Writes the graph of a routine; an empty graph for an external routine or one that does not exist.
/// The program need not be valid. Time and output are linear in its size.
///
/// # Errors
/// Those of `out`.
pub fn write_cfg(
    out: &mut impl Write,
    program: &Program,
    routine: RoutineId,
    options: &DotOptions<'_>,
) -> fmt::Result {
    let nothing = Cfg::default();
    let routine = program.routines.get(routine.index());
    let cfg = routine.and_then(|r| r.body.as_ref()).unwrap_or(&nothing);
    let mut pen = Pen::start(out)?;
    for statement in style::defaults(routine.map_or("", |r| &r.name)) {
        pen.write(statement)?;
    }
    if let Some(routine) = routine {
        write_vertices(&mut pen, cfg, &Printer::new(program, routine), options)?;
    }
    for (_, edge) in cfg.edges() {
        pen.write(dot::Stmt::Edge(edge_statement(cfg, edge, options)))?;
    }
    pen.end()
}

fn write_vertices<W: Write>(
    pen: &mut Pen<'_, W>,
    cfg: &Cfg,
    printer: &Printer<'_>,
    options: &DotOptions<'_>,
) -> fmt::Result {
    let n = cfg.vertex_count();
    let recorded = Recorded::of(cfg);
    let structure = options.clusters.filter(|s| s.parent.len() == n);
    let loops = options.loops.filter(|f| f.vertex_count() == n);
    let clusters = match (structure, loops) {
        (Some(structure), _) => Clusters::new(cfg, structure),
        (None, Some(forest)) => Clusters::of_loops(cfg, forest),
        (None, None) => {
            for (_, vertex) in cfg.vertices() {
                pen.write(node(vertex, 0, &recorded, printer, options))?;
            }
            return Ok(());
        }
    };
    for step in clusters.walk() {
        match step {
            Step::Open(v) => {
                let id = cfg.vertex(v).id;
                let name = plain(format!("cluster_{}", node_name(id)));
                pen.open(dot::Subgraph {
                    id: name,
                    stmts: vec![],
                })?;
                let headed = loops.and_then(|f| Some((f, f.headed_by(v.index())?)));
                let reducible = headed.is_none_or(|(f, l)| f.get(l).is_reducible());
                for statement in style::cluster(id, structure.is_some() || reducible) {
                    pen.write(statement)?;
                }
            }
            Step::Close => pen.close()?,
            Step::Vertex(v) => {
                let vertex = cfg.vertex(v);
                let depth = match (structure, loops) {
                    (Some(structure), _) => {
                        let opens =
                            matches!(vertex.kind, VertexKind::Loop { .. } | VertexKind::EndLoop);
                        structure.loop_depth[v.index()].saturating_add(u32::from(opens))
                    }
                    (None, Some(forest)) => forest.depth(v.index()),
                    (None, None) => 0,
                };
                pen.write(node(vertex, depth, &recorded, printer, options))?;
            }
        }
    }
    Ok(())
}

/// Writes element by element through graphviz-rust's printer.
struct Pen<'o, W: Write> {
    out: &'o mut W,
    /// One context per level of indentation.
    contexts: Vec<PrinterContext>,
    level: usize,
}

impl<'o, W: Write> Pen<'o, W> {
    /// Writes the head of the graph.
    fn start(out: &'o mut W) -> Result<Self, fmt::Error> {
        let mut context = PrinterContext::default();
        out.write_str(&head(empty_graph().print(&mut context)))?;
        Ok(Self {
            out,
            contexts: vec![context],
            level: 0,
        })
    }

    fn write(&mut self, statement: dot::Stmt) -> fmt::Result {
        self.out
            .write_str(&statement.print(&mut self.contexts[self.level]))?;
        self.out.write_char('\n')
    }

    /// Writes the head of a subgraph; what follows is inside it.
    fn open(&mut self, subgraph: dot::Subgraph) -> fmt::Result {
        let statement = dot::Stmt::Subgraph(subgraph);
        let text = statement.print(&mut self.contexts[self.level]);
        self.out.write_str(&head(text))?;
        self.level += 1;
        if self.contexts.len() <= self.level {
            // Only printing a graph makes a context directed, and it leaves it one level deeper.
            let mut context = PrinterContext::default();
            for _ in 0..=self.level {
                empty_graph().print(&mut context);
            }
            self.contexts.push(context);
        }
        Ok(())
    }

    fn close(&mut self) -> fmt::Result {
        writeln!(self.out, "{:1$}}}", "", 2 * self.level)?;
        self.level -= 1;
        Ok(())
    }

    fn end(self) -> fmt::Result {
        self.out.write_str("}\n")
    }
}

fn empty_graph() -> dot::Graph {
    dot::Graph::DiGraph {
        id: plain("cfg"),
        strict: false,
        stmts: vec![],
    }
}

/// What is printed of an empty graph or subgraph before its contents.
fn head(printed: String) -> String {
    let brace = printed.find('{').map_or(printed.len(), |at| at + 1);
    format!("{}\n", &printed[..brace])
}

/// `v5`, and `m5` for −5.
fn node_name(id: i64) -> String {
    format!("{}{}", if id < 0 { 'm' } else { 'v' }, id.unsigned_abs())
}

fn node_id(cfg: &Cfg, v: VertexId) -> dot::NodeId {
    dot::NodeId(plain(node_name(cfg.vertex(v).id)), None)
}

fn node(
    vertex: &Vertex,
    loop_depth: u32,
    recorded: &Recorded,
    printer: &Printer<'_>,
    options: &DotOptions<'_>,
) -> dot::Stmt {
    let ty = vertex.vertex_type();
    let heading = match ty {
        VertexType::Entry | VertexType::Exit => format!("{} {}", vertex.id, ty.name()),
        VertexType::Loop | VertexType::ForLoop | VertexType::Branch => {
            format!("{}: {}", vertex.id, printer.decision(vertex))
        }
        VertexType::BasicBlock | VertexType::EndLoop | VertexType::EndBranch => {
            vertex.id.to_string()
        }
    };
    let mut label = quote::Label::new(options.max_label, options.max_lines);
    label.centred(&heading);
    let deep = loop_depth > MAX_CLUSTER_DEPTH;
    if deep && matches!(ty, VertexType::Loop | VertexType::ForLoop) {
        label.centred(&format!("depth {loop_depth}"));
    }
    let records = recorded.lines(vertex);
    for line in &records {
        label.centred(line);
    }
    match vertex.statements() {
        [only] => label.centred(&printer.stmt(only).to_string()),
        several => {
            for statement in several {
                label.left(&printer.stmt(statement).to_string());
            }
        }
    }
    let mut tooltip = format!("{} {}", ty.name(), vertex.id);
    if let Some(origin) = vertex.origin {
        tooltip.push_str(&format!(", {} of {}", origin.role.name(), origin.vertex));
    }
    let (label, cut) = label.finish();
    if let Some(whole) = cut {
        tooltip.push('\n');
        tooltip.push_str(&whole);
    }
    let mut attributes = vec![
        attribute("label", label),
        attribute("tooltip", quoted(&tooltip)),
    ];
    let bare = records.is_empty() && vertex.statements().is_empty();
    attributes.extend(style::of(vertex, bare, deep.then_some(loop_depth)));
    dot::Stmt::Node(dot::Node {
        id: dot::NodeId(plain(node_name(vertex.id)), None),
        attributes,
    })
}

fn edge_statement(cfg: &Cfg, edge: &Edge, options: &DotOptions<'_>) -> dot::Edge {
    let source = cfg.vertex(edge.from);
    let mut attributes = Vec::new();
    if let Some(label) = edge.label {
        let two_way = match &source.kind {
            VertexKind::Branch(selector) => matches!(**selector, Selector::Condition(_)),
            VertexKind::Loop { .. } => true,
            VertexKind::Entry
            | VertexKind::Exit
            | VertexKind::Block(_)
            | VertexKind::EndLoop
            | VertexKind::EndBranch => false,
        };
        let text = match label {
            0 if two_way && options.true_false => "F".to_owned(),
            1 if two_way && options.true_false => "T".to_owned(),
            other => other.to_string(),
        };
        attributes.push(attribute("label", quoted(&text)));
    }
    if matches!(source.kind, VertexKind::EndLoop) {
        attributes.extend(style::back_edge());
    }
    if let Some(id) = edge.id {
        attributes.push(attribute("tooltip", quoted(&format!("edge {id}"))));
    }
    dot::Edge {
        ty: dot::EdgeTy::Pair(
            dot::Vertex::N(node_id(cfg, edge.from)),
            dot::Vertex::N(node_id(cfg, edge.to)),
        ),
        attributes,
    }
}

#[cfg(test)]
mod tests;
