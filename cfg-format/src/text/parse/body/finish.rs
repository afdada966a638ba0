//! The graph of a body that has been read: EXIT, ids, and removal of unreachable vertices.

use super::{Body, Draft, DraftEdge};
use crate::text::parse::{Parser, RoutinePlaces, codes};
use cfg_core::{
    diagnostic::similar::did_you_mean,
    entity::VertexId,
    graph::reachable,
    ir::{Cfg, Control, Edge, Routine, Vertex, VertexKind, complete_edge_ids},
    structure::Structure,
};
use std::collections::{HashMap, HashSet};

impl Parser<'_> {
    /// Adds EXIT, drops unreachable vertices, and gives ids to vertices that have none.
    pub(super) fn finish(
        &mut self,
        mut body: Body,
        routine: &mut Routine,
        places: &mut RoutinePlaces,
    ) -> Control {
        let returns = std::mem::take(&mut body.returns);
        body.pending.extend(returns);
        let mut mark = body.exit.take().unwrap_or_default();
        if mark.id.is_none() {
            mark.start = body.ended.unwrap_or(places.head);
        }
        body.add(VertexKind::Exit, mark);
        for (name, label) in &body.labels {
            if label.block.is_none() {
                let message = format!("there is no label `{name}`");
                let known = body.labels.iter().filter(|(_, l)| l.block.is_some());
                let help = did_you_mean(name, known.map(|(name, _)| name.as_str()))
                    .unwrap_or_else(|| format!("write `label {name}` where the jump goes on"));
                self.report(label.start, &codes::JUMP, message, help);
            }
        }
        self.warn_into_loops(&body);
        let kept = kept(&body);
        self.warn_left_out(&body, &kept);
        let mut place = vec![0; body.vertices.len()];
        let mut vertices: Vec<Vertex> = Vec::new();
        let mut edge_ids: Vec<Vec<i64>> = Vec::new();
        let mut next = 1;
        let mut seen: HashSet<i64> = HashSet::new();
        for (v, draft) in body.vertices.into_iter().enumerate() {
            if !kept[v] {
                continue;
            }
            place[v] = vertices.len();
            let id = draft.id.unwrap_or(next);
            next = id.saturating_add(1);
            if !seen.insert(id) {
                let message = format!("vertex {id} is given twice");
                let help = "give one of the two another mark: `@NUMBER`";
                self.report(draft.start, &codes::IDENTITY, message, help);
            }
            vertices.push(Vertex {
                checkpoint: draft.checkpoint,
                origin: draft.origin,
                at: draft.at,
                ..Vertex::new(id, draft.kind)
            });
            edge_ids.push(draft.edge_ids);
            places.vertices.push(draft.start);
            places.statements.push(draft.statements);
        }
        let mut edges: Vec<DraftEdge> = body.edges;
        edges.retain(|e| kept[e.from]);
        // Edges follow their sources; those of one vertex stand in the order in which they were made, which is
        // that of the arms, and body before exit.
        edges.sort_by_key(|e| place[e.from]);
        let mut count: HashMap<usize, usize> = HashMap::new();
        let mut edges: Vec<Edge> = edges
            .into_iter()
            .map(|e| {
                let from = place[e.from];
                let k = count.entry(from).or_default();
                let id = edge_ids[from].get(*k).copied();
                *k += 1;
                places.edges.push(from);
                Edge {
                    id,
                    ..Edge::new(VertexId::new(from), VertexId::new(place[e.to]), e.label)
                }
            })
            .collect();
        complete_edge_ids(&mut edges);
        for (from, ids) in edge_ids.iter().enumerate() {
            if ids.len() > count.get(&from).copied().unwrap_or(0) {
                let at = places.vertices.get(from).copied().unwrap_or(places.head);
                let message = "more ids than edges leave this vertex";
                self.report(
                    at,
                    &codes::SYNTAX,
                    message,
                    "remove those at the end of the mark",
                );
            }
        }
        routine.body = Cfg::new(vertices, edges);
        let structured = match &routine.body {
            Some(cfg) if body.jumps => Structure::compute(cfg).is_ok(),
            _ => true,
        };
        if structured {
            Control::Structured
        } else {
            Control::General
        }
    }
}

impl Parser<'_> {
    /// Warns of jumps into counted loops.
    fn warn_into_loops(&mut self, body: &Body) {
        for (name, at) in &body.gotos {
            let counted = body.labels.get(name).and_then(|label| label.counted);
            let Some([begin, end]) = counted.and_then(|header| body.counted.get(&header)) else {
                continue;
            };
            if !(*begin..*end).contains(at) {
                self.warn(
                    *at,
                    &codes::INTO_LOOP,
                    "this jumps into a counted loop",
                    "put the label before the loop, or write the loop with `while`",
                );
            }
        }
    }

    /// Warns of statements behind labels to which nothing jumps: only now is it clear that they are left out.
    fn warn_left_out(&mut self, body: &Body, kept: &[bool]) {
        let left_out = |v: &Draft| !matches!(&v.kind, VertexKind::Block(s) if s.is_empty());
        let mut told = body.told_at.iter().copied().peekable();
        let mut since = 0;
        for (v, draft) in body.vertices.iter().enumerate() {
            if kept[v] {
                since = draft.start;
                continue;
            }
            if v > 0 && !kept[v - 1] || !left_out(draft) {
                continue;
            }
            let at = draft.statements.first().copied().unwrap_or(draft.start);
            while told.next_if(|&t| t < since).is_some() {}
            if told.peek().is_none_or(|&t| t > at) {
                self.warn(
                    at,
                    &codes::UNREACHABLE,
                    "this is never executed and left out",
                    "remove it, or let a `goto` lead to the label before it",
                );
            }
        }
    }
}

/// The vertices that a path from ENTRY reaches, and EXIT: validation reports an unreachable EXIT.
fn kept(body: &Body) -> Vec<bool> {
    if !body.jumps {
        return vec![true; body.vertices.len()];
    }
    let vertices = body
        .vertices
        .iter()
        .map(|_| Vertex::new(0, VertexKind::EndLoop));
    let edges = body.edges.iter();
    let edges = edges.map(|e| Edge::new(VertexId::new(e.from), VertexId::new(e.to), None));
    let Some(cfg) = Cfg::new(vertices.collect(), edges.collect()) else {
        return vec![true; body.vertices.len()];
    };
    let reached = reachable(&cfg, 0);
    let last = body.vertices.len() - 1;
    (0..body.vertices.len())
        .map(|v| v == last || reached.contains(v))
        .collect()
}
