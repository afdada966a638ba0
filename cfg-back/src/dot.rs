//! Pictures: control-flow graphs in the DOT language of Graphviz.
//!
//! Types of vertices are told apart by shape and colour, blocks show their statements, edges their out-labels, or in
//! grey the label of the arm that they end, and the blocks that a transformation inserted are dashed. What pushes and
//! what pops have colours of their own. Vertices of a forward sweep say what is recorded for them: which predecessor,
//! in how many bits, or a trip count. Graphs are drawn from top to bottom: arms in the order of their labels, what
//! follows a loop below it, back edges and exits beside it (`layout.rs`). The text is built from graphviz-rust's
//! structures and printed by its printer, one element at a time.
//!
//! Names of nodes are generated from the vertex ids (`v5`, `m5` for −5; `p1_v5` in the second of several panels), names
//! of clusters from those of their loops. Where loops are clusters, the labels of arms are nodes, too (`e7` on the edge
//! of that index), through which the edges go. Everything that a user can choose goes through one function that quotes
//! it (`quote.rs`).
//!
//! ```
//! use cfg_back::dot::{DotOptions, write_cfg};
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
mod frame;
mod labelled;
mod layout;
mod legend;
mod places;
mod quote;
mod recorded;
mod style;

use cfg_core::{
    entity::{EdgeId, RoutineId, VertexId},
    graph::loops::LoopForest,
    ir::{Arm, Cfg, Control, Expr, Program, Routine, Selector, Vertex, VertexKind, VertexType},
    structure::Structure,
    text::{Cases, Printer},
};
use cluster::{Clusters, Step};
use graphviz_rust::{
    dot_structures::{self as dot, Attribute, Id},
    printer::{DotPrinter, PrinterContext},
};
use layout::{Course, Layout};
use legend::Legend;
use quote::{attribute, plain, quoted};
use recorded::Recorded;
use std::{
    collections::BTreeMap,
    fmt::{self, Write},
};
use style::Part;

pub use frame::{Frame, LabelledEdge, LabelledVertex, Line, Mark, Place};
pub use labelled::{States, write_labelled};

/// Loops nested more deeply than this are not drawn as clusters: Graphviz's layout of nested clusters
/// takes too long, and indentation would make the output quadratic.
pub const MAX_CLUSTER_DEPTH: u32 = 30;

/// The options of a drawing.
#[derive(Clone, Copy, Debug)]
pub struct DotOptions {
    /// Draws loops as clusters, irreducible ones marked as such; loops deeper than [`MAX_CLUSTER_DEPTH`] are
    /// marked by colour and a depth label instead.
    pub clusters: bool,
    /// Adds a box that says what the shapes, colours and lines of the picture mean.
    pub legend: bool,
    /// Gives a vertex of an original, its copy in a forward sweep and its adjoint the same tint.
    pub pairs: bool,
    /// Writes `T` and `F` instead of 1 and 0 at two-way branches and loops.
    pub true_false: bool,
    /// Longest line of a label, in characters; what is cut is in the tooltip.
    pub max_label: usize,
    /// Most lines of a label; what is cut is in the tooltip.
    pub max_lines: usize,
}

impl Default for DotOptions {
    fn default() -> Self {
        Self {
            clusters: false,
            legend: false,
            pairs: false,
            true_false: false,
            max_label: 60,
            max_lines: 16,
        }
    }
}

/// Writes the graph of a routine; an empty graph for an external routine or one that does not exist.
/// The program need not be valid. Output is linear in its size, time nearly so.
///
/// # Errors
/// The errors are those of `out`.
pub fn write_cfg(
    out: &mut impl Write,
    program: &Program,
    routine: RoutineId,
    options: &DotOptions,
) -> fmt::Result {
    let mut pen = Pen::start(out)?;
    let name = program
        .routines
        .get(routine.index())
        .map_or("", |r| &r.name);
    for statement in style::defaults(name) {
        pen.write(statement)?;
    }
    let mut legend = Legend::default();
    if let Some(drawing) = Drawing::prepare(program, routine, String::new(), options) {
        drawing.write(&mut pen, &mut legend)?;
    }
    finish(pen, &legend, options)
}

/// A graph of a picture that has several.
#[derive(Clone, Copy, Debug)]
pub struct Panel<'a> {
    /// The title above the graph.
    pub title: &'a str,
    /// The program that has the routine.
    pub program: &'a Program,
    /// The routine whose graph is drawn.
    pub routine: RoutineId,
}

/// Writes the graphs of several routines beside one another, such as those of an original, its forward sweep
/// and its reverse sweep. Nodes of the n-th panel, from 0, are named `pn_…`.
///
/// # Errors
/// The errors are those of `out`.
pub fn write_panels(
    out: &mut impl Write,
    panels: &[Panel<'_>],
    options: &DotOptions,
) -> fmt::Result {
    let mut pen = Pen::start(out)?;
    for statement in style::defaults("") {
        pen.write(statement)?;
    }
    let mut legend = Legend::default();
    for (number, panel) in panels.iter().enumerate() {
        let prefix = format!("p{number}_");
        pen.open(dot::Subgraph {
            id: plain(format!("cluster_p{number}")),
            stmts: vec![],
        })?;
        for statement in style::frame(panel.title) {
            pen.write(statement)?;
        }
        if let Some(drawing) = Drawing::prepare(panel.program, panel.routine, prefix, options) {
            drawing.write(&mut pen, &mut legend)?;
        }
        pen.close()?;
    }
    finish(pen, &legend, options)
}

fn finish<W: Write>(mut pen: Pen<'_, W>, legend: &Legend, options: &DotOptions) -> fmt::Result {
    if options.legend {
        legend.write(&mut pen)?;
    }
    pen.end()
}

/// One graph that is drawn, and what is known of it.
struct Drawing<'a> {
    program: &'a Program,
    routine: &'a Routine,
    cfg: &'a Cfg,
    /// The forest of loops; none of a graph without an entry.
    forest: Option<LoopForest>,
    /// The structure; none of a graph that does not nest, which has no labels of ends.
    structure: Option<Structure>,
    /// The arms of multi-way branches, by branch and label.
    arms: BTreeMap<(VertexId, i64), &'a Arm>,
    /// The prefix of the names of its nodes.
    prefix: String,
    options: &'a DotOptions,
}

impl<'a> Drawing<'a> {
    /// The drawing of a routine; none if it does not exist or has no graph.
    fn prepare(
        program: &'a Program,
        routine: RoutineId,
        prefix: String,
        options: &'a DotOptions,
    ) -> Option<Self> {
        let routine = program.routines.get(routine.index())?;
        let cfg = routine.body.as_ref()?;
        let structure = match routine.control {
            // A graph that ought to nest and does not is drawn all the same: the picture helps to see why.
            Control::Structured => Structure::compute(cfg).ok(),
            Control::General => None,
        };
        let mut arms = BTreeMap::new();
        for (v, vertex) in cfg.vertices() {
            if let VertexKind::Branch(selector) = &vertex.kind
                && let Selector::Cases { arms: list, .. } = &**selector
            {
                arms.extend(list.iter().map(|arm| ((v, arm.label), arm)));
            }
        }
        Some(Self {
            program,
            routine,
            cfg,
            forest: cfg.entry().map(|v| LoopForest::new(cfg, v.index())),
            structure,
            arms,
            prefix,
            options,
        })
    }

    fn write<W: Write>(&self, pen: &mut Pen<'_, W>, legend: &mut Legend) -> fmt::Result {
        let layout = Layout::arrange(self.cfg, self.forest.as_ref());
        self.write_vertices(pen, &layout)?;
        for &(e, course) in &layout.edges {
            self.write_edge(pen, e, course)?;
        }
        for &(upper, lower) in &layout.below {
            let [upper, lower] = [upper, lower].map(|v| self.node_id(self.cfg.vertex(v).id));
            pen.write(line(upper, lower, style::below().to_vec()))?;
        }
        let has_loops = self.forest.as_ref().is_some_and(|f| !f.is_empty());
        legend.add(self.cfg, has_loops, self.options.pairs);
        Ok(())
    }

    /// The forest whose loops are drawn as clusters, if they are.
    fn clusters(&self) -> Option<&LoopForest> {
        self.forest.as_ref().filter(|_| self.options.clusters)
    }

    fn write_vertices<W: Write>(&self, pen: &mut Pen<'_, W>, layout: &Layout) -> fmt::Result {
        let recorded = Recorded::collect(self.cfg);
        let printer = Printer::new(self.program, self.routine);
        let Some(forest) = self.clusters() else {
            for &v in &layout.vertices {
                pen.write(self.node(self.cfg.vertex(v), 0, &recorded, &printer))?;
            }
            return Ok(());
        };
        for step in Clusters::new(&layout.vertices, forest).walk() {
            match step {
                Step::Open(v) => {
                    let id = self.cfg.vertex(v).id;
                    pen.open(dot::Subgraph {
                        id: plain(format!("cluster_{}{}", self.prefix, node_name(id))),
                        stmts: vec![],
                    })?;
                    let headed = forest.headed_by(v.index());
                    let reducible = headed.is_none_or(|l| forest.get(l).is_reducible());
                    for statement in style::cluster(id, reducible) {
                        pen.write(statement)?;
                    }
                }
                Step::Close => pen.close()?,
                Step::Vertex(v) => {
                    let depth = forest.depth(v.index());
                    let vertex = self.cfg.vertex(v);
                    pen.write(self.node(vertex, depth, &recorded, &printer))?;
                    self.write_arms(pen, v, layout)?;
                }
            }
        }
        Ok(())
    }

    /// Writes the labels of a branch's arms as vertices in a row. Inside of clusters, and of edges that lead into
    /// clusters, Graphviz keeps the order of nothing else.
    fn write_arms<W: Write>(
        &self,
        pen: &mut Pen<'_, W>,
        v: VertexId,
        layout: &Layout,
    ) -> fmt::Result {
        let branch = self.cfg.vertex(v);
        if branch.vertex_type() != VertexType::Branch {
            return Ok(());
        }
        let arms: Vec<EdgeId> = layout.downwards(self.cfg, v).collect();
        for &e in &arms {
            let mut attributes = Vec::new();
            if let Some(label) = self.cfg.edge(e).label {
                attributes.push(attribute("label", self.out_label(v, label)));
            }
            attributes.extend(style::arm());
            pen.write(dot::Stmt::Node(dot::Node {
                id: self.arm_id(e),
                attributes,
            }))?;
        }
        if arms.len() > 1 {
            pen.open(dot::Subgraph {
                id: plain(format!("arms_{}{}", self.prefix, node_name(branch.id))),
                stmts: vec![],
            })?;
            pen.write(dot::Stmt::Attribute(style::row()))?;
            for pair in arms.windows(2) {
                let [left, right] = [pair[0], pair[1]].map(|e| self.arm_id(e));
                pen.write(line(left, right, vec![style::beside()]))?;
            }
            pen.close()?;
        }
        Ok(())
    }

    /// The node that is the label of an arm.
    fn arm_id(&self, e: EdgeId) -> dot::NodeId {
        dot::NodeId(plain(format!("{}e{}", self.prefix, e.index())), None)
    }

    fn node_id(&self, id: i64) -> dot::NodeId {
        dot::NodeId(plain(format!("{}{}", self.prefix, node_name(id))), None)
    }

    fn node(
        &self,
        vertex: &Vertex,
        loop_depth: u32,
        recorded: &Recorded,
        printer: &Printer<'_>,
    ) -> dot::Stmt {
        let ty = vertex.vertex_type();
        let heading = match ty {
            VertexType::Entry | VertexType::Exit => format!("{} {}", vertex.id, ty.name()),
            VertexType::Loop | VertexType::ForLoop => {
                format!("{}: {}", vertex.id, printer.display_decision(vertex))
            }
            VertexType::Branch => match selected(vertex) {
                // The cases stand at the edges.
                Some(value) => format!("{}: select {}", vertex.id, printer.display_expr(value)),
                None => format!("{}: {}", vertex.id, printer.display_decision(vertex)),
            },
            VertexType::BasicBlock | VertexType::EndLoop | VertexType::EndBranch => {
                vertex.id.to_string()
            }
        };
        let mut label = quote::Label::new(self.options.max_label, self.options.max_lines);
        label.centred(&heading);
        let deep = loop_depth > MAX_CLUSTER_DEPTH;
        if deep && matches!(ty, VertexType::Loop | VertexType::ForLoop) {
            label.centred(&format!("depth {loop_depth}"));
        }
        if let Some(checkpoint) = vertex.checkpoint {
            label.centred(&checkpoint.to_string());
        }
        let records = recorded.lines(vertex);
        for line in &records {
            label.centred(line);
        }
        match vertex.statements() {
            [only] => label.centred(&printer.display_stmt(only).to_string()),
            several => {
                for statement in several {
                    label.left(&printer.display_stmt(statement).to_string());
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
        if ty == VertexType::Branch {
            attributes.push(attribute("ordering", plain("out")));
        }
        let bare = records.is_empty() && vertex.statements().is_empty();
        let part = Part::classify(vertex, self.options.pairs);
        attributes.extend(style::vertex_attributes(
            ty,
            part,
            bare,
            deep.then_some(loop_depth),
        ));
        dot::Stmt::Node(dot::Node {
            id: self.node_id(vertex.id),
            attributes,
        })
    }

    fn write_edge<W: Write>(&self, pen: &mut Pen<'_, W>, e: EdgeId, course: Course) -> fmt::Result {
        let edge = self.cfg.edge(e);
        let source = self.cfg.vertex(edge.from);
        let [from, to] = [edge.from, edge.to].map(|v| self.node_id(self.cfg.vertex(v).id));
        let tooltip = edge
            .id
            .map(|id| attribute("tooltip", quoted(&format!("edge {id}"))));
        if self.clusters().is_some()
            && course != Course::Back
            && source.vertex_type() == VertexType::Branch
        {
            let mut attributes = style::to_arm().to_vec();
            attributes.extend(tooltip.clone());
            pen.write(line(from, self.arm_id(e), attributes))?;
            let mut attributes = vec![style::from_arm()];
            attributes.extend(tooltip);
            return pen.write(line(self.arm_id(e), to, attributes));
        }
        let mut attributes = Vec::new();
        if let Some(label) = edge.label {
            attributes.push(attribute("label", self.out_label(edge.from, label)));
        } else if let Some(arm) = self.ended_arm(e) {
            attributes.extend([attribute("label", quoted(&arm)), style::in_label()]);
        }
        match course {
            Course::Back => attributes.extend(style::back_edge()),
            Course::Exit => attributes.push(style::exit_edge()),
            Course::Ahead if matches!(source.kind, VertexKind::Loop { .. }) => {
                attributes.push(style::straight());
            }
            Course::Ahead => {}
        }
        attributes.extend(tooltip);
        pen.write(match course {
            Course::Back => line(to, from, attributes),
            Course::Ahead | Course::Exit => line(from, to, attributes),
        })
    }

    /// The label of the arm that an edge into the end of a branch ends.
    fn ended_arm(&self, e: EdgeId) -> Option<String> {
        let structure = self.structure.as_ref()?;
        let end = self.cfg.edge(e).to;
        if self.cfg.vertex(end).vertex_type() != VertexType::EndBranch {
            return None;
        }
        let label = structure.in_label(e)?;
        let branch = self.cfg.vertex(structure.partner(end)?);
        Some(self.two_way(branch, label))
    }

    /// The text of an out-label; at a multi-way branch with the cases that lead there.
    fn out_label(&self, source: VertexId, label: i64) -> Id {
        let text = match self.arms.get(&(source, label)) {
            Some(arm) => format!("{label}: {}", Cases(arm)),
            None => self.two_way(self.cfg.vertex(source), label),
        };
        let mut label = quote::Label::new(self.options.max_label, 1);
        label.centred(&text);
        label.finish().0
    }

    /// The label of an arm of a branch, or of a loop's body.
    fn two_way(&self, source: &Vertex, label: i64) -> String {
        let two_way = source.kind.test().is_some()
            || matches!(source.kind.selector(), Some(Selector::Condition(_)));
        match label {
            0 if two_way && self.options.true_false => "F".to_owned(),
            1 if two_way && self.options.true_false => "T".to_owned(),
            other => other.to_string(),
        }
    }
}

fn line(from: dot::NodeId, to: dot::NodeId, attributes: Vec<Attribute>) -> dot::Stmt {
    dot::Stmt::Edge(dot::Edge {
        ty: dot::EdgeTy::Pair(dot::Vertex::N(from), dot::Vertex::N(to)),
        attributes,
    })
}

/// The integer by which a multi-way branch selects.
fn selected(vertex: &Vertex) -> Option<&Expr> {
    let VertexKind::Branch(selector) = &vertex.kind else {
        return None;
    };
    match &**selector {
        Selector::Cases { value, .. } => Some(value),
        Selector::Condition(_) => None,
    }
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

/// The part of a printed empty graph or subgraph that comes before its contents.
fn head(printed: String) -> String {
    let brace = printed.find('{').map_or(printed.len(), |at| at + 1);
    format!("{}\n", &printed[..brace])
}

/// `v5`, and `m5` for −5.
fn node_name(id: i64) -> String {
    format!("{}{}", if id < 0 { 'm' } else { 'v' }, id.unsigned_abs())
}

#[cfg(test)]
mod tests;
