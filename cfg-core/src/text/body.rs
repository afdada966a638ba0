//! Bodies of structured routines as statements, with marks where the parser would choose other numbers.

use super::{
    Printer,
    graph::{Cases, EdgeIds, write_decision, write_origin},
};
use crate::{
    entity::{EdgeId, VertexId},
    ir::{Arm, Cfg, LoopForm, LoopTest, Selector, VertexKind},
    structure::Structure,
};
use std::{
    collections::HashMap,
    fmt::{self, Write},
};

/// Deepest indentation, so that deep nests take space in proportion to their statements.
const DEEPEST: usize = 20;

/// A construct that is being written.
struct Open {
    header: VertexId,
    end: VertexId,
    /// Edges to the arms that are still to be written, the next one last.
    arms: Vec<EdgeId>,
    /// The places of the labels of a multi-way branch.
    places: Places,
}

/// The place of each label among the arms of a multi-way branch.
type Places = HashMap<i64, usize>;

fn places(arms: &[Arm]) -> Places {
    let labels = arms.iter().enumerate().rev();
    labels.map(|(k, arm)| (arm.label, k)).collect()
}

/// True if the edges of a structured graph have only the labels that the statement form gives them.
pub(super) fn is_plain(cfg: &Cfg, structure: &Structure) -> bool {
    cfg.vertices().all(|(v, vertex)| {
        let mut edges = cfg.out_edges(v).iter().map(|&e| (e, cfg.edge(e).label));
        match &vertex.kind {
            VertexKind::Loop { .. } => {
                edges.all(|(e, label)| label == structure.kind(e).loop_body.then_some(1))
            }
            VertexKind::Branch(selector) => match &**selector {
                Selector::Condition(_) => edges.all(|(_, label)| matches!(label, Some(0 | 1))),
                Selector::Cases { arms, .. } => {
                    let places = places(arms);
                    edges.all(|(_, label)| label.is_some_and(|l| places.contains_key(&l)))
                }
            },
            VertexKind::Entry
            | VertexKind::Exit
            | VertexKind::Block(_)
            | VertexKind::EndLoop
            | VertexKind::EndBranch => edges.all(|(_, label)| label.is_none()),
        }
    })
}

/// Writes the statements from ENTRY to EXIT.
pub(super) fn write(
    out: &mut impl Write,
    p: &Printer<'_>,
    cfg: &Cfg,
    structure: &Structure,
) -> fmt::Result {
    let mut writer = Writer {
        p,
        cfg,
        ids: EdgeIds::find(cfg),
        next: 1,
        after_block: false,
        open: Vec::new(),
    };
    let Some(mut at) = cfg.entry() else {
        return Ok(());
    };
    loop {
        let mut follow = cfg.out_edges(at).first().copied();
        if let Some(end) = writer.open.pop_if(|open| open.end == at) {
            follow = writer.write_end(out, structure, end)?;
        } else {
            match &cfg.vertex(at).kind {
                VertexKind::Loop { .. } | VertexKind::Branch(_) => {
                    let Some(end) = structure.partner(at) else {
                        return Ok(());
                    };
                    follow = writer.write_begin(out, structure, at, end)?;
                }
                VertexKind::Entry => {
                    if writer.needs_mark(at) || writer.is_described(at) {
                        writer.write_line(out, at, "entry")?;
                    }
                    writer.count(at);
                }
                VertexKind::Exit => {
                    if writer.needs_mark(at) || writer.is_described(at) {
                        writer.write_line(out, at, "exit")?;
                    }
                    return Ok(());
                }
                VertexKind::Block(statements) => writer.write_block(out, at, statements)?,
                VertexKind::EndLoop | VertexKind::EndBranch => {}
            }
        }
        let Some(e) = follow else { return Ok(()) };
        at = cfg.edge(e).to;
    }
}

struct Writer<'p, 'c> {
    p: &'p Printer<'p>,
    cfg: &'c Cfg,
    ids: EdgeIds,
    /// The id that a vertex without a mark has.
    next: i64,
    /// True if statements would be added to the block before.
    after_block: bool,
    open: Vec<Open>,
}

impl Writer<'_, '_> {
    fn write_indent(&self, out: &mut impl Write) -> fmt::Result {
        for _ in 0..=self.open.len().min(DEEPEST) {
            out.write_str("  ")?;
        }
        Ok(())
    }

    fn needs_mark(&self, v: VertexId) -> bool {
        let mut edges = self.cfg.out_edges(v).iter();
        self.cfg.vertex(v).id != self.next || edges.any(|&e| self.ids.id(self.cfg, e).is_some())
    }

    /// True if the vertex has text beyond its kind and its ids.
    fn is_described(&self, v: VertexId) -> bool {
        let vertex = self.cfg.vertex(v);
        vertex.checkpoint.is_some() || vertex.origin.is_some() || vertex.at.is_some()
    }

    fn count(&mut self, v: VertexId) {
        self.next = self.cfg.vertex(v).id.saturating_add(1);
        self.after_block = false;
    }

    /// Writes the mark, if the parser would give the vertex another id.
    fn write_mark(&self, out: &mut impl Write, v: VertexId, edges: &[EdgeId]) -> fmt::Result {
        if self.needs_mark(v) {
            self.any_mark(out, v, edges)?;
            out.write_char(' ')?;
        }
        Ok(())
    }

    fn any_mark(&self, out: &mut impl Write, v: VertexId, edges: &[EdgeId]) -> fmt::Result {
        write!(out, "@{}", self.cfg.vertex(v).id)?;
        let ids = edges.iter().filter_map(|&e| self.ids.id(self.cfg, e));
        for id in ids {
            write!(out, " #{id}")?;
        }
        Ok(())
    }

    fn write_origin(&self, out: &mut impl Write, v: VertexId) -> fmt::Result {
        write_origin(out, self.cfg.vertex(v))
    }

    fn write_line(&mut self, out: &mut impl Write, v: VertexId, word: &str) -> fmt::Result {
        self.write_indent(out)?;
        self.write_mark(out, v, self.cfg.out_edges(v))?;
        out.write_str(word)?;
        self.write_origin(out, v)
    }

    fn write_block(
        &mut self,
        out: &mut impl Write,
        v: VertexId,
        statements: &[crate::ir::Stmt],
    ) -> fmt::Result {
        let alone = self.is_described(v) || statements.is_empty() || self.after_block;
        if alone || self.needs_mark(v) {
            self.write_indent(out)?;
            self.any_mark(out, v, self.cfg.out_edges(v))?;
            self.write_origin(out, v)?;
        }
        for statement in statements {
            self.write_indent(out)?;
            writeln!(out, "{}", self.p.display_stmt(statement))?;
        }
        self.count(v);
        self.after_block = true;
        Ok(())
    }

    /// The first line of a construct; returns the edge into its body or first arm.
    fn write_begin(
        &mut self,
        out: &mut impl Write,
        structure: &Structure,
        v: VertexId,
        end: VertexId,
    ) -> Result<Option<EdgeId>, fmt::Error> {
        let p = self.p;
        self.write_indent(out)?;
        let mut arms: Vec<EdgeId> = self.cfg.out_edges(v).to_vec();
        let mut case = None;
        let mut places = Places::new();
        match &self.cfg.vertex(v).kind {
            VertexKind::Loop { form, test } => {
                arms.sort_by_key(|&e| !structure.kind(e).loop_body);
                self.write_mark(out, v, &arms)?;
                match (&**test, form) {
                    (LoopTest::Pre(condition), _) => {
                        write!(out, "while {}", p.display_expr(condition))?;
                    }
                    (LoopTest::Post(_), _) => out.write_str("do")?,
                    (LoopTest::Counted { .. }, form) => {
                        out.write_str(match form {
                            LoopForm::Loop => "for ",
                            LoopForm::ForLoop => "forloop ",
                        })?;
                        write_decision(out, p, self.cfg.vertex(v))?;
                    }
                }
                arms.truncate(1);
            }
            VertexKind::Branch(selector) => match &**selector {
                Selector::Condition(condition) => {
                    arms.sort_by_key(|&e| self.cfg.edge(e).label != Some(1));
                    self.write_mark(out, v, &arms)?;
                    write!(out, "if {}", p.display_expr(condition))?;
                }
                Selector::Cases { value, arms: cases } => {
                    places = self::places(cases);
                    arms.sort_by_key(|&e| self.cfg.edge(e).label.and_then(|l| places.get(&l)));
                    self.write_mark(out, v, &arms)?;
                    write!(out, "select {}", p.display_expr(value))?;
                    case = arms.first().copied();
                }
            },
            VertexKind::Entry
            | VertexKind::Exit
            | VertexKind::Block(_)
            | VertexKind::EndLoop
            | VertexKind::EndBranch => {}
        }
        self.write_origin(out, v)?;
        self.count(v);
        arms.reverse();
        let first = arms.pop();
        if let Some(e) = case {
            self.write_case(out, v, e, &places)?;
        }
        self.open.push(Open {
            header: v,
            end,
            arms,
            places,
        });
        Ok(first)
    }

    /// The line that begins an arm of a multi-way branch.
    fn write_case(
        &mut self,
        out: &mut impl Write,
        header: VertexId,
        e: EdgeId,
        places: &Places,
    ) -> fmt::Result {
        let VertexKind::Branch(selector) = &self.cfg.vertex(header).kind else {
            return Ok(());
        };
        let Selector::Cases { arms, .. } = &**selector else {
            return Ok(());
        };
        let Some(&k) = self.cfg.edge(e).label.and_then(|l| places.get(&l)) else {
            return Ok(());
        };
        let arm = &arms[k];
        self.write_indent(out)?;
        out.write_str("case")?;
        if arm.default || !arm.cases.is_empty() {
            write!(out, " {}", Cases(arm))?;
        }
        if arm.label != k as i64 + 1 {
            write!(out, " label {}", arm.label)?;
        }
        out.write_char('\n')
    }

    /// Ends a body or arm: writes the next arm, or the end of the construct. Returns the edge to follow.
    fn write_end(
        &mut self,
        out: &mut impl Write,
        structure: &Structure,
        mut open: Open,
    ) -> Result<Option<EdgeId>, fmt::Error> {
        let cfg = self.cfg;
        self.after_block = false;
        if let Some(e) = open.arms.pop() {
            let VertexKind::Branch(selector) = &cfg.vertex(open.header).kind else {
                return Ok(None);
            };
            match &**selector {
                Selector::Condition(_) => {
                    // An empty last arm needs no `else`.
                    if cfg.edge(e).to != open.end {
                        self.write_indent(out)?;
                        out.write_str("else\n")?;
                    }
                }
                Selector::Cases { .. } => self.write_case(out, open.header, e, &open.places)?,
            }
            self.open.push(open);
            return Ok(Some(e));
        }
        let mut follow = cfg.out_edges(open.end).first().copied();
        self.write_indent(out)?;
        self.write_mark(out, open.end, cfg.out_edges(open.end))?;
        out.write_str("end")?;
        if let VertexKind::Loop { test, .. } = &cfg.vertex(open.header).kind {
            if let LoopTest::Post(condition) = &**test {
                write!(out, " while {}", self.p.display_expr(condition))?;
            }
            let mut exits = cfg.out_edges(open.header).iter().copied();
            follow = exits.find(|&e| structure.kind(e).loop_exit);
        }
        self.write_origin(out, open.end)?;
        self.count(open.end);
        Ok(follow)
    }
}
