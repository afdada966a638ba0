//! The local rules of Definition 1 (Naumann et al. 2004): entry and exit, numbers of edges, labels,
//! reachability. All problems are collected; nesting is checked only if there are none.

use crate::{
    codes,
    diagnostic::{
        CodeInfo, Diagnostic, Diagnostics, MAX_PROBLEMS,
        site::{Element, Part, Site},
    },
    entity::{EdgeId, VertexId},
    graph::{self, Reversed, dominance::Dominators},
    ir::{Cfg, Control, FreshIds, MAX_ID, Selector, VertexKind, VertexType},
};
use std::fmt::Write as _;

/// A rule that a graph breaks. The help of a problem with a cure is empty until [`super::cure`] writes it.
pub(crate) struct Violation {
    pub(super) problem: Diagnostic,
    pub(super) cure: Option<Cure>,
}

/// The cure, where it depends on more than the vertex.
pub(super) enum Cure {
    TooManyPredecessors(VertexId),
    TooFewPredecessors(VertexId),
    TooManySuccessors(VertexId),
    TooFewSuccessors(VertexId),
    /// Vertices that ENTRY does not reach.
    Unreachable(Vec<usize>),
    /// An ENDLOOP leads elsewhere than to a LOOP.
    EndLeadsElsewhere,
    /// No predecessor of a LOOP is an ENDLOOP.
    NoEndOfBody(VertexId),
    /// No out-edge of a LOOP has label 1.
    NoBody(VertexId),
}

impl Violation {
    /// True if several ways meet at a vertex that may have only one.
    pub(crate) fn is_merge(&self) -> bool {
        matches!(self.cure, Some(Cure::TooManyPredecessors(_)))
    }
}

/// The first [`MAX_PROBLEMS`] violations.
#[derive(Default)]
struct Violations(Vec<Violation>);

impl Violations {
    fn push(&mut self, problem: Diagnostic) {
        self.add(problem, None);
    }

    /// A problem whose help is empty.
    fn push_with(&mut self, problem: Diagnostic, cure: Cure) {
        self.add(problem, Some(cure));
    }

    fn add(&mut self, problem: Diagnostic, cure: Option<Cure>) {
        if self.0.len() < MAX_PROBLEMS {
            self.0.push(Violation { problem, cure });
        }
    }
}

/// A problem of a vertex, with its place inside the routine.
pub(super) fn at_vertex(
    cfg: &Cfg,
    v: VertexId,
    info: &CodeInfo,
    message: impl Into<String>,
    help: impl Into<String>,
) -> Diagnostic {
    Diagnostic::error(info, message, help)
        .at_site(Site::local(Element::Vertex(v)))
        .at_element(format!("vertex {}", cfg.vertex(v).id))
}

/// A problem of an edge, with its place inside the routine.
pub(super) fn at_edge(
    cfg: &Cfg,
    e: EdgeId,
    info: &CodeInfo,
    message: impl Into<String>,
    help: impl Into<String>,
) -> Diagnostic {
    let edge = cfg.edge(e);
    Diagnostic::error(info, message, help)
        .at_site(Site::local(Element::Edge(e)))
        .at_element(format!(
            "edge {} -> {}",
            cfg.vertex(edge.from).id,
            cfg.vertex(edge.to).id
        ))
}

/// The name of a vertex in messages, such as "LOOP 4".
pub(crate) fn name(cfg: &Cfg, v: VertexId) -> String {
    let vertex = cfg.vertex(v);
    format!("{} {}", vertex.vertex_type().name(), vertex.id)
}

/// Most edges that a message names; it gives the number of the others.
const MOST_NAMED: usize = 9;

/// Edges in messages, such as "3 -> 5, 4 -> 5 and 6 -> 5".
pub(super) fn edge_names(cfg: &Cfg, edges: &[EdgeId]) -> String {
    let id = |v| cfg.vertex(v).id;
    let of = |&e: &EdgeId| format!("{} -> {}", id(cfg.edge(e).from), id(cfg.edge(e).to));
    let mut named: Vec<String> = edges.iter().take(MOST_NAMED).map(of).collect();
    if edges.len() > MOST_NAMED {
        named.push(format!("{} more", edges.len() - MOST_NAMED));
    }
    match named.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => String::new(),
    }
}

/// The violations of the rules that do not need the nesting.
pub(crate) fn violations(cfg: &Cfg, control: Control) -> Vec<Violation> {
    let out = &mut Violations::default();
    let entry = only(cfg, VertexType::Entry, &codes::ENTRY_COUNT, out);
    let exit = only(cfg, VertexType::Exit, &codes::EXIT_COUNT, out);
    ids(cfg, out);
    for (v, _) in cfg.vertices() {
        degree(cfg, control, v, out);
        labels(cfg, v, out);
        back_edges(cfg, control, v, out);
    }
    if let Some(entry) = entry {
        let reached = graph::reachable(cfg, entry.index());
        let missed = (0..cfg.vertex_count()).filter(|&v| !reached.contains(v));
        let missed: Vec<usize> = missed.collect();
        if let Some(problem) = listed(
            cfg,
            missed.iter().copied(),
            &codes::UNREACHABLE,
            "cannot be reached from ENTRY",
            "",
        ) {
            out.push_with(problem, Cure::Unreachable(missed));
        }
    }
    if let (Some(exit), Control::Structured) = (exit, control) {
        let reached = graph::reachable(&Reversed(cfg), exit.index());
        let missed = (0..cfg.vertex_count())
            .filter(|&v| !reached.contains(v) && !is_isolated(cfg, VertexId::new(v)));
        if let Some(problem) = listed(
            cfg,
            missed,
            &codes::NO_WAY_OUT,
            "cannot reach EXIT",
            "add the edge that leads on to EXIT",
        ) {
            out.push(problem);
        }
    }
    std::mem::take(&mut out.0)
}

/// The only vertex of this type; a problem if there is none or there are several.
fn only(
    cfg: &Cfg,
    vertex_type: VertexType,
    info: &CodeInfo,
    out: &mut Violations,
) -> Option<VertexId> {
    let mut found = cfg
        .vertices()
        .filter(|(_, v)| v.vertex_type() == vertex_type)
        .map(|(v, _)| v);
    let name = vertex_type.name();
    let Some(first) = found.next() else {
        out.push(
            Diagnostic::error(
                info,
                format!("the graph has no {name} vertex"),
                format!("add a vertex of type {name}"),
            )
            .at_site(Site::local(Element::Routine).part(Part::Vertices)),
        );
        return None;
    };
    let mut several = false;
    for other in found {
        several = true;
        out.push(at_vertex(
            cfg,
            other,
            info,
            format!(
                "vertex {} is another {name}; the first is vertex {}",
                cfg.vertex(other).id,
                cfg.vertex(first).id
            ),
            format!("keep one {name} and lead the edges of the others to it"),
        ));
    }
    (!several).then_some(first)
}

/// Reports one problem for a set of vertices: the first is the place, the message names up to ten.
fn listed(
    cfg: &Cfg,
    mut vertices: impl Iterator<Item = usize>,
    info: &CodeInfo,
    what: &str,
    help: &str,
) -> Option<Diagnostic> {
    let first = VertexId::new(vertices.next()?);
    let mut names = name(cfg, first);
    let mut more = 0usize;
    for (i, v) in vertices.enumerate() {
        if i < 9 {
            let _ = write!(names, ", {}", name(cfg, VertexId::new(v)));
        } else {
            more += 1;
        }
    }
    if more > 0 {
        let _ = write!(names, " and {more} more");
    }
    Some(at_vertex(cfg, first, info, format!("{names} {what}"), help))
}

/// Checks that ids are unique and within the range that every JSON reader reads exactly.
fn ids(cfg: &Cfg, out: &mut Violations) {
    let mut by_id: Vec<(i64, VertexId)> = cfg.vertices().map(|(v, x)| (x.id, v)).collect();
    by_id.sort_unstable();
    let free = FreshIds::of_vertices(cfg).next_id();
    let mut problems = Vec::new();
    for (i, &(id, v)) in by_id.iter().enumerate() {
        if id == 0 || id.unsigned_abs() > MAX_ID.unsigned_abs() {
            problems.push((
                v,
                format!("vertex id {id} is not allowed"),
                "use another number within +-2^53, not 0".to_owned(),
            ));
        } else if i > 0 && by_id[i - 1].0 == id {
            problems.push((
                v,
                format!("vertex id {id} is used twice"),
                format!("number the second one differently; {free} is free"),
            ));
        }
    }
    problems.sort_by_key(|p| p.0);
    for (v, message, help) in problems {
        out.push(at_vertex(cfg, v, &codes::IDS, message, help));
    }
    let mut by_id: Vec<(i64, EdgeId)> = cfg
        .edges()
        .map(|(e, x)| (x.id.unwrap_or(e.index() as i64), e))
        .collect();
    by_id.sort_unstable();
    let mut problems = Vec::new();
    for (i, &(id, e)) in by_id.iter().enumerate() {
        if id.unsigned_abs() > MAX_ID.unsigned_abs() {
            problems.push((e, format!("edge id {id} is not allowed")));
        } else if i > 0 && by_id[i - 1].0 == id {
            problems.push((e, format!("edge id {id} is used twice")));
        }
    }
    problems.sort_by_key(|p| p.0);
    for (e, message) in problems {
        out.push(at_edge(
            cfg,
            e,
            &codes::IDS,
            message,
            "use another number within +-2^53; an edge without an id has the id of its position",
        ));
    }
}

/// Numbers of predecessors and successors that a vertex type may have; `None` is "or more".
fn allowed(vertex_type: VertexType, control: Control) -> [(usize, Option<usize>); 2] {
    use VertexType as T;
    let one = (1, Some(1));
    let (preds, succs) = match vertex_type {
        T::Entry => ((0, Some(0)), one),
        T::Exit => (one, (0, Some(0))),
        T::BasicBlock | T::EndLoop => (one, one),
        T::Loop | T::ForLoop => ((2, Some(2)), (2, Some(2))),
        T::Branch => (one, (2, None)),
        T::EndBranch => ((2, None), one),
    };
    match control {
        Control::Structured => [preds, succs],
        Control::General if vertex_type == T::Entry => [preds, succs],
        Control::General => [(1, None), succs],
    }
}

fn degree(cfg: &Cfg, control: Control, v: VertexId, out: &mut Violations) {
    let vertex_type = cfg.vertex(v).vertex_type();
    if is_isolated(cfg, v) {
        return;
    }
    let [preds, succs] = allowed(vertex_type, control);
    let sides = [
        (preds, cfg.in_edges(v).len(), "predecessor"),
        (succs, cfg.out_edges(v).len(), "successor"),
    ];
    for ((least, most), have, side) in sides {
        if have >= least && most.is_none_or(|most| have <= most) {
            continue;
        }
        let (number, plural) = match most {
            Some(0) => ("no".to_owned(), "s"),
            Some(most) => (most.to_string(), if most == 1 { "" } else { "s" }),
            None => (format!("{least} or more"), "s"),
        };
        let cure = match (side, have < least) {
            ("predecessor", false) => Cure::TooManyPredecessors(v),
            ("predecessor", true) => Cure::TooFewPredecessors(v),
            (_, false) => Cure::TooManySuccessors(v),
            (_, true) => Cure::TooFewSuccessors(v),
        };
        let message = format!(
            "{} has {have} {side}{}, it must have {number} {side}{plural}",
            name(cfg, v),
            if have == 1 { "" } else { "s" },
        );
        out.push_with(at_vertex(cfg, v, &codes::DEGREE, message, ""), cure);
    }
}

/// True for a vertex without edges: only that it is unreachable is reported.
fn is_isolated(cfg: &Cfg, v: VertexId) -> bool {
    let vertex_type = cfg.vertex(v).vertex_type();
    cfg.in_edges(v).is_empty()
        && cfg.out_edges(v).is_empty()
        && !matches!(vertex_type, VertexType::Entry | VertexType::Exit)
}

/// The out-labels of one vertex.
fn labels(cfg: &Cfg, v: VertexId, out: &mut Violations) {
    let edges = cfg.out_edges(v);
    match &cfg.vertex(v).kind {
        VertexKind::Loop { .. } => {
            let body = edges.iter().filter(|&&e| cfg.edge(e).label == Some(1));
            let bodies = body.count();
            if bodies == 0 && !edges.is_empty() {
                let message = format!("no out-edge of {} has label 1", name(cfg, v));
                let problem = at_vertex(cfg, v, &codes::LABEL_MISSING, message, "");
                out.push_with(problem, Cure::NoBody(v));
            }
            if bodies > 1 {
                duplicate(cfg, v, 1, out);
            }
            for &e in edges {
                let label = cfg.edge(e).label;
                if let Some(label) = label.filter(|&l| l != 1) {
                    out.push(at_edge(
                        cfg,
                        e,
                        &codes::LABEL_WRONG,
                        format!("an out-edge of {} has label {label}", name(cfg, v)),
                        "the edge into the body has label 1, the exit edge has none: remove this label",
                    ));
                }
            }
        }
        VertexKind::Branch(selector) => branch_labels(cfg, v, selector, out),
        VertexKind::Entry
        | VertexKind::Exit
        | VertexKind::Block(_)
        | VertexKind::EndLoop
        | VertexKind::EndBranch => {
            // Several out-edges are a problem of their own: the vertex should be a branch.
            for &e in edges.iter().filter(|_| edges.len() == 1) {
                if let Some(label) = cfg.edge(e).label {
                    out.push(at_edge(
                        cfg,
                        e,
                        &codes::LABEL_WRONG,
                        format!("the out-edge of {} has label {label}", name(cfg, v)),
                        "remove the label: nothing is decided there",
                    ));
                }
            }
        }
    }
}

fn duplicate(cfg: &Cfg, v: VertexId, label: i64, out: &mut Violations) {
    out.push(at_vertex(
        cfg,
        v,
        &codes::LABEL_DUPLICATE,
        format!("several out-edges of {} have label {label}", name(cfg, v)),
        "give each out-edge a label of its own",
    ));
}

fn branch_labels(cfg: &Cfg, v: VertexId, selector: &Selector, out: &mut Violations) {
    let edges = cfg.out_edges(v);
    let mut labels = Vec::with_capacity(edges.len());
    for &e in edges {
        match cfg.edge(e).label {
            Some(label) => labels.push(label),
            None => out.push(at_edge(
                cfg,
                e,
                &codes::LABEL_MISSING,
                format!("an out-edge of {} has no label", name(cfg, v)),
                "write its label: 1 (true) or 0 (false) of a two-way branch, that of the arm otherwise",
            )),
        }
    }
    // A missing label may be any of those that no edge has, so no label is reported as absent then.
    let complete = labels.len() == edges.len();
    labels.sort_unstable();
    let mut previous = None;
    for &label in &labels {
        if previous.replace(label) == Some(label) {
            duplicate(cfg, v, label, out);
        }
    }
    labels.dedup();
    match selector {
        Selector::Condition(_) => {
            for &e in edges {
                if let Some(label) = cfg.edge(e).label.filter(|l| !matches!(l, 0 | 1)) {
                    out.push(at_edge(
                        cfg,
                        e,
                        &codes::LABEL_WRONG,
                        format!("an out-edge of the two-way {} has label {label}", name(cfg, v)),
                        "label the edge taken if the condition is true 1, the other 0; a branch with more edges has a selector",
                    ));
                }
            }
            for label in [0, 1] {
                if complete && !labels.contains(&label) && edges.len() >= 2 {
                    out.push(at_vertex(
                        cfg,
                        v,
                        &codes::LABEL_MISSING,
                        format!(
                            "no out-edge of the two-way {} has label {label}",
                            name(cfg, v)
                        ),
                        "label the edge taken if the condition is true 1, the other 0",
                    ));
                }
            }
        }
        Selector::Cases { value: _, arms } => {
            let mut named: Vec<i64> = arms.iter().map(|a| a.label).collect();
            named.sort_unstable();
            for pair in named.windows(2) {
                if pair[0] == pair[1] {
                    out.push(at_vertex(
                        cfg,
                        v,
                        &codes::ARMS,
                        format!("{} has two arms with label {}", name(cfg, v), pair[0]),
                        "merge the two arms into one with the cases of both",
                    ));
                }
            }
            named.dedup();
            for &label in named.iter().filter(|l| labels.binary_search(l).is_err()) {
                if complete {
                    out.push(at_vertex(
                        cfg,
                        v,
                        &codes::ARMS,
                        format!(
                            "{} has an arm {label} but no out-edge with that label",
                            name(cfg, v)
                        ),
                        "add the edge, or remove the arm",
                    ));
                }
            }
            for &label in labels.iter().filter(|l| named.binary_search(l).is_err()) {
                out.push(at_vertex(
                    cfg,
                    v,
                    &codes::ARMS,
                    format!(
                        "{} has an out-edge with label {label} but no such arm",
                        name(cfg, v)
                    ),
                    "add an arm with the cases that take this edge",
                ));
            }
        }
    }
}

/// Checks that each ENDLOOP leads to a LOOP, and that back edges of a structured graph come from ENDLOOP only.
fn back_edges(cfg: &Cfg, control: Control, v: VertexId, out: &mut Violations) {
    let is_loop = |v| matches!(cfg.vertex(v).kind, VertexKind::Loop { .. });
    let is_end = |v| matches!(cfg.vertex(v).kind, VertexKind::EndLoop);
    if is_end(v) {
        for next in cfg.successors(v).filter(|&s| !is_loop(s)) {
            let message = format!("{} leads to {}", name(cfg, v), name(cfg, next));
            let problem = at_vertex(cfg, v, &codes::BACK_EDGE, message, "");
            out.push_with(problem, Cure::EndLeadsElsewhere);
        }
    }
    if control == Control::Structured && is_loop(v) && cfg.in_edges(v).len() == 2 {
        let ends = cfg.predecessors(v).filter(|&p| is_end(p)).count();
        if ends != 1 {
            let message = format!(
                "{ends} of the 2 predecessors of {} are ENDLOOP, it must be 1",
                name(cfg, v)
            );
            let problem = at_vertex(cfg, v, &codes::BACK_EDGE, message, "");
            out.push_with(problem, Cure::NoEndOfBody(v));
        }
    }
}

/// Cycles that can be entered at several vertices: one problem for each vertex that such a cycle
/// returns to.
pub(super) fn irreducible(cfg: &Cfg) -> Diagnostics {
    let mut out = Diagnostics::default();
    let Some(entry) = cfg.entry() else { return out };
    let dominators = Dominators::new(cfg, entry.index());
    let mut targets: Vec<(usize, usize)> = dominators
        .irreducible_edges(cfg)
        .into_iter()
        .map(|(from, to)| (to, from))
        .collect();
    targets.sort_unstable();
    targets.dedup_by_key(|t| t.0);
    for (to, from) in targets {
        let (to, from) = (VertexId::new(to), VertexId::new(from));
        out.push(at_vertex(
            cfg,
            to,
            &codes::IRREDUCIBLE,
            format!(
                "the cycle from {} to {} and back can also be entered elsewhere",
                name(cfg, to),
                name(cfg, from)
            ),
            "let one LOOP be the only entry of the cycle, by splitting vertices, or declare \"control\": \"general\", in text `general subroutine`",
        ));
    }
    out
}
