//! The graph of a routine: its vertices and edges, and the conditions and bounds they carry.

use crate::xaif::{
    codes,
    graph::{Draft, DraftEdge, Graph, Places, sides},
    lower::{Lower, loops, unstructured},
    notation::annotations::xaif_annotations,
    read::{
        model::{id_attribute, int_attribute, unexpected_element},
        xml::{At, El, NodeId},
    },
};
use cfg_core::{
    diagnostic::{Diagnostic, Diagnostics, site::Element},
    ir::{Arm, CaseRange, FreshIds, LoopTest, ScalarType, Selector, Stmt, VertexKind},
    validate::structure,
};
use serde_json::json;
use std::collections::HashMap;

/// Statements that a vertex needs before it: on the edges that enter it from outside, and before its
/// ENDLOOP.
struct Before {
    vertex: usize,
    entry: Vec<(NodeId, Stmt)>,
    back: Vec<(NodeId, Stmt)>,
}

/// Lowers the graph of a routine into [`Lower::ir`].
pub(crate) fn build(lower: &mut Lower<'_, '_>) -> Places {
    let Some(mut graph) = draft(lower) else {
        return Places::default();
    };
    let structured = lower.model.routines[lower.r].structured;
    if structured {
        if !complete(lower, &graph) {
            return Places::default();
        }
    } else {
        lower.ir.control = unstructured::structure(lower, &mut graph);
    }
    loops::assigned_indices(lower, &mut graph);
    let (cfg, places) = graph.finish();
    lower.ir.body = cfg;
    places
}

/// Reads and lowers all vertices and edges; `None` if the graph cannot be made sense of.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "other elements of XAIF are treated alike"
)]
fn draft(lower: &mut Lower<'_, '_>) -> Option<Graph> {
    let doc = lower.doc;
    let node = lower.model.routines[lower.r].node;
    let mut drafts: Vec<Draft> = Vec::new();
    let mut edge_nodes = Vec::new();
    let mut index: HashMap<i64, usize> = HashMap::new();
    let mut fine = true;
    for n in doc.children(node) {
        let kind = match doc.name(n) {
            El::Entry => VertexKind::Entry,
            El::Exit => VertexKind::Exit,
            El::BasicBlock | El::ForLoop | El::PreLoop | El::PostLoop | El::Branch => {
                VertexKind::Block(Vec::new())
            }
            El::EndLoop => VertexKind::EndLoop,
            El::EndBranch => VertexKind::EndBranch,
            El::ControlFlowEdge => {
                edge_nodes.push(n);
                continue;
            }
            El::ArgumentList | El::ModLocal | El::Mod | El::ReadLocal | El::Read | El::OnEntry => {
                continue;
            }
            _ => {
                let problem = unexpected_element(doc, n);
                lower.sink.push(problem);
                fine = false;
                continue;
            }
        };
        let Some(number) = id_attribute(doc, n, At::VertexId, lower.sink) else {
            fine = false;
            continue;
        };
        if number < 1 {
            lower.report(
                n,
                &codes::ATTRIBUTE,
                format!("vertex_id=\"{number}\" is not allowed"),
                "number vertices from 1 up to 2^52, or give them names",
            );
            fine = false;
        }
        let name = doc.attr(n, At::VertexId).unwrap_or_default();
        if index.insert(number, drafts.len()).is_some() {
            lower.report(
                n,
                &codes::DUPLICATE,
                format!("two vertices have id {name}"),
                "number the second one differently",
            );
            fine = false;
        }
        let mut entries = Vec::new();
        if let Some(name) = doc.id_name(n, At::VertexId) {
            entries.push(("vertex", json!(name)));
        }
        if let Some(line) = lower.source_line(n) {
            entries.push(("line", line));
        }
        if let Some(reversal) = doc.attr(n, At::Reversal) {
            entries.push(("reversal", json!(reversal)));
        }
        drafts.push(Draft {
            id: number,
            node: n,
            kind,
            nodes: Vec::new(),
            annotations: xaif_annotations(entries),
        });
    }
    for (what, name) in [(El::Entry, "Entry"), (El::Exit, "Exit")] {
        let count = drafts.iter().filter(|d| doc.name(d.node) == what).count();
        if count != 1 {
            lower.report(
                node,
                &codes::GRAPH,
                format!("the graph has {count} {name} vertices"),
                format!("a graph has exactly one {name}"),
            );
            fine = false;
        }
    }
    let edges = edges(lower, &edge_nodes, &index, &drafts)?;
    if !fine {
        return None;
    }
    let mut graph = Graph::new(drafts, edges);
    let before = contents(lower, &mut graph)?;
    place_before(&mut graph, before);
    Some(graph)
}

fn edges(
    lower: &mut Lower<'_, '_>,
    nodes: &[NodeId],
    index: &HashMap<i64, usize>,
    drafts: &[Draft],
) -> Option<Vec<DraftEdge>> {
    let doc = lower.doc;
    let mut edges = Vec::with_capacity(nodes.len());
    let mut ids = std::collections::HashSet::new();
    let mut fine = true;
    for &n in nodes {
        let own = match doc.attr(n, At::EdgeId) {
            Some(_) => id_attribute(doc, n, At::EdgeId, lower.sink),
            // An edge needs no id: no element refers to one.
            None => Some(0),
        };
        let source = id_attribute(doc, n, At::Source, lower.sink);
        let target = id_attribute(doc, n, At::Target, lower.sink);
        let (Some(own), Some(source), Some(target)) = (own, source, target) else {
            fine = false;
            continue;
        };
        if own < 0 || !ids.insert(own) && own > 0 {
            lower.report(
                n,
                &codes::DUPLICATE,
                format!("edge_id=\"{own}\" is used twice or negative"),
                "number the edges of a graph differently",
            );
            fine = false;
        }
        let mut label = None;
        let flag = doc.attr(n, At::HasConditionValue);
        if flag.as_deref().is_none_or(|f| f == "true" || f == "1")
            && doc.attr(n, At::ConditionValue).is_some()
        {
            label = int_attribute(doc, n, At::ConditionValue, lower.sink);
            fine &= label.is_some();
        }
        let (Some(&from), Some(&to)) = (index.get(&source), index.get(&target)) else {
            let text = |at| doc.attr(n, at).unwrap_or_default();
            let missing = if index.contains_key(&source) {
                At::Target
            } else {
                At::Source
            };
            let (source, target, missing) = (text(At::Source), text(At::Target), text(missing));
            lower.report(
                n,
                &codes::EDGE,
                format!(
                    "the edge {source} -> {target} names vertex {missing}, which does not exist"
                ),
                "add the vertex, or lead the edge to another one",
            );
            fine = false;
            continue;
        };
        let decides = matches!(
            doc.name(drafts[from].node),
            El::Branch | El::ForLoop | El::PreLoop | El::PostLoop
        );
        if label.is_some() && !decides {
            lower.report(
                n,
                &codes::EDGE,
                "a condition_value on an edge from a vertex that decides nothing",
                "remove has_condition_value and condition_value",
            );
            fine = false;
        }
        edges.push(DraftEdge {
            id: own,
            from,
            to,
            label,
            node: n,
        });
    }
    // Edges without an id have the next numbers.
    let mut ids = FreshIds::beside(edges.iter().map(|e| e.id));
    for edge in edges.iter_mut().filter(|e| e.id == 0) {
        edge.id = ids.next_id();
    }
    fine.then_some(edges)
}

/// Lowers blocks, conditions and bounds.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "other elements of XAIF are treated alike"
)]
fn contents(lower: &mut Lower<'_, '_>, graph: &mut Graph) -> Option<Vec<Before>> {
    let mut before = Vec::new();
    let mut fine = true;
    let out = graph.out_edges();
    for (v, out) in out.iter().enumerate() {
        let n = graph.vertices[v].node;
        match lower.doc.name(n) {
            El::BasicBlock => {
                let (nodes, statements) = lower.lower_block(n).into_iter().unzip();
                graph.vertices[v].nodes = nodes;
                graph.vertices[v].kind = VertexKind::Block(statements);
            }
            El::Branch => {
                let condition = lower.lower_condition(n);
                let statements = std::mem::take(&mut lower.prelude);
                let Some(condition) = condition else {
                    fine = false;
                    continue;
                };
                before.push(Before {
                    vertex: v,
                    entry: statements,
                    back: Vec::new(),
                });
                let selector = match condition.ty {
                    ScalarType::Logical => two_way(lower, graph, v, out, condition.expr),
                    ScalarType::Integer => multi_way(lower, graph, v, out, condition.expr),
                    ScalarType::Real
                    | ScalarType::Real32
                    | ScalarType::Sized(_)
                    | ScalarType::Tape
                    | ScalarType::Record(_)
                    | ScalarType::Pointer(_) => {
                        lower.report(
                            n,
                            &codes::TYPE,
                            format!("a condition of type {}", condition.ty.name()),
                            "a condition is logical, or an integer that selects a case",
                        );
                        None
                    }
                };
                match selector {
                    Some(selector) => {
                        graph.vertices[v].kind = VertexKind::Branch(Box::new(selector));
                    }
                    None => fine = false,
                }
            }
            kind @ (El::PreLoop | El::PostLoop) => {
                fine &= loop_labels(lower, graph, v, out);
                let condition = lower.lower_condition(n);
                let statements = std::mem::take(&mut lower.prelude);
                let Some(condition) = condition else {
                    fine = false;
                    continue;
                };
                if condition.ty != ScalarType::Logical {
                    lower.report(
                        n,
                        &codes::TYPE,
                        format!("a loop condition of type {}", condition.ty.name()),
                        "a loop condition is logical",
                    );
                    fine = false;
                    continue;
                }
                let pre = kind == El::PreLoop;
                before.push(Before {
                    vertex: v,
                    entry: if pre { statements.clone() } else { Vec::new() },
                    back: statements,
                });
                graph.vertices[v].kind = VertexKind::loop_on(if pre {
                    LoopTest::Pre(condition.expr)
                } else {
                    LoopTest::Post(condition.expr)
                });
            }
            El::ForLoop => {
                fine &= loop_labels(lower, graph, v, out);
                let Some(lowered) = loops::for_loop(lower, n) else {
                    lower.prelude.clear();
                    fine = false;
                    continue;
                };
                graph.vertices[v].kind = VertexKind::loop_on(lowered.test);
                before.push(Before {
                    vertex: v,
                    entry: [lowered.entry, lowered.every.clone()].concat(),
                    back: [lowered.back, lowered.every].concat(),
                });
            }
            _ => {}
        }
    }
    fine.then_some(before)
}

/// The body edge of a loop gets label 1, the exit edge none.
fn loop_labels(lower: &mut Lower<'_, '_>, graph: &mut Graph, v: usize, out: &[usize]) -> bool {
    let mut bodies = 0;
    for &e in out {
        let edge = &mut graph.edges[e];
        edge.label = edge.label.filter(|&l| l != 0).map(|_| 1);
        bodies += usize::from(edge.label.is_some());
    }
    if bodies == 1 && out.len() == 2 {
        return true;
    }
    lower.report(
        graph.vertices[v].node,
        &codes::EDGE,
        format!(
            "the loop has {} out-edges, {bodies} of them with a condition_value",
            out.len()
        ),
        "a loop has two: that into its body with condition_value=\"1\", and its exit edge without",
    );
    false
}

fn two_way(
    lower: &mut Lower<'_, '_>,
    graph: &mut Graph,
    v: usize,
    out: &[usize],
    condition: cfg_core::ir::Expr,
) -> Option<Selector> {
    let truth = |e: usize| graph.edges[e].label.is_some_and(|l| l != 0);
    let yes = out.iter().filter(|&&e| truth(e)).count();
    if out.len() != 2 || yes != 1 {
        lower.report(
            graph.vertices[v].node,
            &codes::EDGE,
            format!(
                "the two-way branch has {} out-edges, {yes} of them for a true condition",
                out.len()
            ),
            "it has two: one with condition_value=\"1\", one without",
        );
        return None;
    }
    for &e in out {
        let label = i64::from(graph.edges[e].label.is_some_and(|l| l != 0));
        graph.edges[e].label = Some(label);
    }
    Some(Selector::Condition(condition))
}

/// A multi-way branch: the values of an edge are its `condition_value`, the edge without is the default.
/// Several edges to one vertex are one arm.
fn multi_way(
    lower: &mut Lower<'_, '_>,
    graph: &mut Graph,
    v: usize,
    out: &[usize],
    value: cfg_core::ir::Expr,
) -> Option<Selector> {
    let mut by_target: Vec<(usize, Vec<usize>)> = Vec::new();
    let mut position: HashMap<usize, usize> = HashMap::new();
    let mut used = std::collections::HashSet::new();
    let mut defaults = 0;
    for &e in out {
        let edge = &graph.edges[e];
        let fresh = match edge.label {
            Some(label) => used.insert(label),
            None => {
                defaults += 1;
                defaults == 1
            }
        };
        if !fresh {
            let node = edge.node;
            lower.report(
                node,
                &codes::EDGE,
                "two edges of a branch for one value of the condition",
                "give each edge a condition_value of its own; one edge, the default, has none",
            );
            return None;
        }
        let slot = *position.entry(edge.to).or_insert(by_target.len());
        if slot == by_target.len() {
            by_target.push((edge.to, Vec::new()));
        }
        by_target[slot].1.push(e);
    }
    if by_target.len() < 2 {
        lower.report(
            graph.vertices[v].node,
            &codes::EDGE,
            "all edges of the branch lead to one vertex",
            "a branch has two or more targets",
        );
        return None;
    }
    let mut arms = Vec::with_capacity(by_target.len());
    let mut gone = Vec::new();
    for (_, edges) in by_target {
        let mut cases = Vec::new();
        let mut default = false;
        for &e in &edges {
            match graph.edges[e].label {
                Some(label) => cases.push(CaseRange {
                    lower: Some(label),
                    upper: Some(label),
                }),
                None => default = true,
            }
        }
        let label = match cases.first().and_then(|c| c.lower) {
            Some(label) => label,
            // The default's label is any number that no case has.
            None => (0..).find(|l| !used.contains(l)).unwrap_or(0),
        };
        graph.edges[edges[0]].label = Some(label);
        gone.extend(edges[1..].iter().copied());
        arms.push(Arm {
            label,
            cases: cases.into(),
            default,
        });
    }
    for e in gone {
        // Edges that another one of the same arm stands for: dropped when the graph is finished.
        graph.edges[e].from = usize::MAX;
    }
    Some(Selector::Cases {
        value,
        arms: arms.into(),
    })
}

/// Puts the statements that compute parts of conditions and bounds where they run once per evaluation of these.
fn place_before(graph: &mut Graph, before: Vec<Before>) {
    graph.edges.retain(|e| e.from != usize::MAX);
    // Each edge leads to one vertex, so no insertion touches the edges of another.
    let in_edges = graph.in_edges();
    for b in before {
        let (back, entry) = sides(graph, &in_edges, b.vertex);
        graph.insert(&entry, b.entry);
        for e in back {
            let end = graph.edges[e].from;
            graph.insert(&in_edges[end], b.back.clone());
        }
    }
}

/// Checks a graph that promises structure.
fn complete(lower: &mut Lower<'_, '_>, graph: &Graph) -> bool {
    let Some(cfg) = graph.now() else {
        return false;
    };
    match structure(&cfg) {
        Ok(_) => true,
        Err(problems) => {
            report(lower, graph, &problems);
            false
        }
    }
}

/// Problems of the structure, at the elements of the document.
fn report(lower: &mut Lower<'_, '_>, graph: &Graph, problems: &Diagnostics) {
    let decl = lower.model.routines[lower.r].node;
    for problem in problems.iter() {
        let node = find_vertex(graph, problem).unwrap_or(decl);
        lower.report(
            node,
            &codes::GRAPH,
            problem.message.clone(),
            format!(
                "{} (a graph with jumps says structured=\"0\")",
                problem.help
            ),
        );
    }
}

fn find_vertex(graph: &Graph, problem: &Diagnostic) -> Option<NodeId> {
    match problem.at.site.as_deref()?.element {
        Element::Vertex(v) => graph.vertices.get(v.index()).map(|v| v.node),
        Element::Edge(e) => graph.edges.get(e.index()).map(|e| e.node),
        Element::Program
        | Element::Global(_)
        | Element::Record(..)
        | Element::Routine
        | Element::Variable(_)
        | Element::Statement(..) => None,
    }
}
