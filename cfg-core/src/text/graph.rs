//! Bodies as graphs, a line for each vertex; and the parts that both spellings of a body share.

use super::{Printer, expr};
use crate::{
    entity::EdgeId,
    ir::{Arm, At, CaseRange, Cfg, Expr, LoopTest, Selector, Vertex, VertexKind},
};
use std::fmt::{self, Write};

/// True if edges are written with their ids. An edge without one has the id of its position, which reading may
/// change: if one edge has an id, all are written with theirs.
#[derive(Clone, Copy)]
pub(super) struct EdgeIds(bool);

impl EdgeIds {
    pub(super) fn find(cfg: &Cfg) -> Self {
        Self(cfg.edges().any(|(_, edge)| edge.id.is_some()))
    }

    pub(super) fn id(self, cfg: &Cfg, e: EdgeId) -> Option<i64> {
        self.0.then(|| cfg.edge(e).id.unwrap_or(e.index() as i64))
    }
}

pub(super) fn write(out: &mut impl Write, p: &Printer<'_>, cfg: &Cfg) -> fmt::Result {
    let ids = EdgeIds::find(cfg);
    for (v, vertex) in cfg.vertices() {
        write!(out, "{:>5} {}", vertex.id, vertex.vertex_type().name())?;
        if matches!(vertex.kind, VertexKind::Loop { .. } | VertexKind::Branch(_)) {
            write!(out, " {}", p.display_decision(vertex))?;
        }
        for (i, &e) in cfg.out_edges(v).iter().enumerate() {
            let edge = cfg.edge(e);
            out.write_str(if i == 0 { " -> " } else { ", " })?;
            write!(out, "{}", cfg.vertex(edge.to).id)?;
            if let Some(label) = edge.label {
                write!(out, " [{label}]")?;
            }
            if let Some(id) = ids.id(cfg, e) {
                write!(out, " #{id}")?;
            }
        }
        write_origin(out, vertex)?;
        for s in vertex.statements() {
            writeln!(out, "          {}", p.display_stmt(s))?;
        }
    }
    Ok(())
}

/// Writes the mark and the origin of a vertex, its span, and the end of the line.
pub(super) fn write_origin(out: &mut impl Write, vertex: &Vertex) -> fmt::Result {
    if let Some(checkpoint) = vertex.checkpoint {
        write!(out, " {{{checkpoint}}}")?;
    }
    if let Some(origin) = vertex.origin {
        write!(out, " {{{} of {}}}", origin.role.name(), origin.vertex)?;
    }
    write_span(out, &vertex.at)?;
    out.write_char('\n')
}

/// ` @[source:line:column-line:column]`, if there is a span.
pub(super) fn write_span(out: &mut impl Write, at: &At) -> fmt::Result {
    let Some(span) = at else { return Ok(()) };
    let [source, line, column, end_line, end_column] = span.numbers();
    write!(out, " @[{source}:{line}:{column}-{end_line}:{end_column}]")
}

pub(super) fn write_decision(
    out: &mut impl Write,
    p: &Printer<'_>,
    vertex: &Vertex,
) -> fmt::Result {
    match &vertex.kind {
        VertexKind::Loop { test, .. } => match &**test {
            LoopTest::Pre(condition) => write!(out, "while {}", p.display_expr(condition)),
            LoopTest::Post(condition) => write!(out, "again while {}", p.display_expr(condition)),
            LoopTest::Counted {
                index,
                first,
                last,
                step,
            } => {
                expr::write_variable(out, p, *index)?;
                write!(
                    out,
                    " = {}, {}",
                    p.display_expr(first),
                    p.display_expr(last)
                )?;
                if *step != Expr::Int(1) {
                    write!(out, ", {}", p.display_expr(step))?;
                }
                Ok(())
            }
        },
        VertexKind::Branch(selector) => match &**selector {
            Selector::Condition(condition) => write!(out, "{}", p.display_expr(condition)),
            Selector::Cases { value, arms } => {
                write!(out, "select {}:", p.display_expr(value))?;
                for (i, arm) in arms.iter().enumerate() {
                    write!(out, "{} [{}]", if i == 0 { "" } else { ";" }, arm.label)?;
                    if arm.default || !arm.cases.is_empty() {
                        write!(out, " {}", Cases(arm))?;
                    }
                }
                Ok(())
            }
        },
        VertexKind::Entry
        | VertexKind::Exit
        | VertexKind::Block(_)
        | VertexKind::EndLoop
        | VertexKind::EndBranch => Ok(()),
    }
}

/// The cases that lead to an arm of a multi-way branch: values, ranges, `default`.
pub struct Cases<'a>(pub &'a Arm);

impl fmt::Display for Cases<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (k, case) in self.0.cases.iter().enumerate() {
            if k > 0 {
                f.write_str(", ")?;
            }
            write_case(f, case)?;
        }
        match (self.0.default, self.0.cases.is_empty()) {
            (true, true) => f.write_str("default"),
            (true, false) => f.write_str(", default"),
            (false, _) => Ok(()),
        }
    }
}

fn write_case(out: &mut impl Write, case: &CaseRange) -> fmt::Result {
    match (case.lower, case.upper) {
        (Some(a), Some(b)) if a == b => write!(out, "{a}"),
        (Some(a), Some(b)) => write!(out, "{a}..{b}"),
        (Some(a), None) => write!(out, "{a}.."),
        (None, Some(b)) => write!(out, "..{b}"),
        (None, None) => out.write_str(".."),
    }
}
