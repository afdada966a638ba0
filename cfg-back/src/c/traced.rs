//! The statements of the original that a function's code comes from.

use super::{faults::original, names::escape_comment, origins::Origin};
use cfg_core::{
    diagnostic::site::{Element, Site},
    entity::{RoutineId, VertexId},
    ir::{Cfg, Program, Routine, SourceComments},
    text::{self, Printer},
};
use std::{collections::HashMap, fmt::Write as _, rc::Rc};

/// The most characters of a statement in a comment.
const LONGEST: usize = 72;

/// As much of a statement as a comment has.
fn shortened(what: &str) -> String {
    let mut made: String = what.chars().take(LONGEST).collect();
    if what.chars().nth(LONGEST).is_some() {
        made.push_str("...");
    }
    made
}

/// The greatest line number that C has.
const LAST_LINE: u32 = 2_147_483_647;

/// The routine whose statements a function's code comes from.
pub(super) struct Traced<'a> {
    id: RoutineId,
    routine: &'a Routine,
    printer: Printer<'a>,
    /// The function is one that was generated from that routine.
    generated: bool,
    /// The vertices by their numbers, and the statements in order.
    vertices: HashMap<i64, VertexId>,
    statements: Vec<(VertexId, usize)>,
    comments: Option<Rc<SourceComments>>,
}

/// A comment of a source as lines of C.
fn comment_lines(text: &str) -> Vec<String> {
    let bare = |line: &str| escape_comment(line.trim().trim_start_matches('*').trim_start());
    let mut lines: Vec<String> = text.lines().map(bare).collect();
    for (k, line) in lines.iter_mut().enumerate() {
        *line = format!("{}{line}", if k == 0 { "/* " } else { "   " });
    }
    if let Some(last) = lines.last_mut() {
        last.push_str(" */");
    }
    lines
}

impl<'a> Traced<'a> {
    /// What is known of a routine of the program.
    pub(super) fn trace_back(
        program: &'a Program,
        r: RoutineId,
        comments: Option<Rc<SourceComments>>,
    ) -> Self {
        let from = original(program, r);
        let id = from.unwrap_or(r);
        let routine = program.routine(id);
        let all = || routine.body.iter().flat_map(Cfg::vertices);
        let statements =
            all().flat_map(|(v, vertex)| (0..vertex.statements().len()).map(move |s| (v, s)));
        Self {
            id,
            routine,
            printer: Printer::new(program, routine),
            generated: from.is_some(),
            vertices: all().map(|(v, vertex)| (vertex.id, v)).collect(),
            statements: statements.collect(),
            comments,
        }
    }

    /// The source's comments above a routine that is written as it is, as lines of C.
    pub(super) fn comments_above(&self) -> Vec<String> {
        let span = self.routine.at.as_deref().filter(|_| !self.generated);
        let Some((span, comments)) = span.zip(self.comments.as_ref()) else {
            return Vec::new();
        };
        let found = comments.beside(span, 0).into_iter();
        found.flat_map(|(_, text)| comment_lines(text)).collect()
    }

    /// The element that a vertex or statement of a written routine comes from.
    fn element(&self, written: &Cfg, v: VertexId, statement: Option<usize>) -> Element {
        let vertex = written.vertex(v);
        let stmt = statement.and_then(|k| vertex.statements().get(k));
        let Some(cfg) = &self.routine.body else {
            return Element::Routine;
        };
        if self.generated {
            let known = |n: usize| self.statements.get(n);
            if let Some(&(v, s)) = stmt.and_then(|s| s.origin.number()).and_then(known) {
                return Element::Statement(v, s);
            }
            let Some(&v) = (vertex.origin.as_ref()).and_then(|o| self.vertices.get(&o.vertex))
            else {
                return Element::Routine;
            };
            return match cfg.vertex(v).statements() {
                [_] => Element::Statement(v, 0),
                // Nothing says which of several statements it is.
                _ => Element::Vertex(v),
            };
        }
        // The routine may be written in another form, in which blocks are joined.
        let Some(&v) = self.vertices.get(&vertex.id) else {
            return Element::Routine;
        };
        match statement {
            Some(k) if cfg.vertex(v).statements().get(k) == stmt => Element::Statement(v, k),
            Some(_) | None => Element::Vertex(v),
        }
    }

    /// What the code of a vertex or statement of a written routine comes from.
    pub(super) fn origin(
        &self,
        program: &Program,
        written: &Cfg,
        (v, statement): (VertexId, Option<usize>),
    ) -> Origin {
        let element = self.element(written, v, statement);
        let site = Site::whole(self.id, element);
        let words = text::site_text(program, &site);
        let mut words = words.trim_start_matches("routine ").to_owned();
        let cfg = self.routine.body.as_ref();
        let what = match (element, cfg) {
            (Element::Vertex(v), Some(cfg)) => {
                match self.printer.display_decision(cfg.vertex(v)).to_string() {
                    none if none.is_empty() => cfg.vertex(v).vertex_type().name().to_owned(),
                    some => some,
                }
            }
            (Element::Statement(v, k), Some(cfg)) => match cfg.vertex(v).statements().get(k) {
                Some(stmt) => self.printer.display_stmt(stmt).to_string(),
                None => String::new(),
            },
            _ => String::new(),
        };
        if !what.is_empty() {
            words.push_str(": ");
            words.push_str(&shortened(&what));
        }
        // Statements keep their spans through all transformations, which may be more than one.
        let vertex = written.vertex(v);
        let stmt = statement.and_then(|k| vertex.statements().get(k));
        let own = stmt.and_then(|s| s.at.as_deref()).or(vertex.at.as_deref());
        let span = match own {
            Some(span) => Some(*span),
            None => site.source(program).map(|place| place.span),
        };
        let comments = own.zip(self.comments.as_ref()).map(|(span, comments)| {
            // The lines of a loop or a branch are those of its body, too.
            let last = if stmt.is_some() {
                span.end_line
            } else {
                span.line
            };
            let found = comments.beside(span, last.get());
            let lines = |(k, text): (usize, &str)| (k, comment_lines(text));
            found.into_iter().map(lines).collect()
        });
        let name = span.and_then(|span| program.sources.get(span.source as usize));
        let source = name.zip(span).map(|(name, span)| (name.to_string(), span));
        if let Some((name, span)) = &source {
            let _ = write!(words, " ({name}:{})", span.line);
        }
        let line = |(name, span): (String, cfg_core::ir::Span)| {
            let line = span.line.get();
            (line <= LAST_LINE).then_some((name, line))
        };
        Origin {
            words: escape_comment(&words),
            source: source.and_then(line),
            comments: comments.unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::shortened;

    /// Comments have up to 72 characters of a statement.
    #[test]
    fn statements_are_cut() {
        assert_eq!(shortened(&"é".repeat(72)), "é".repeat(72));
        let cut = format!("{}...", "é".repeat(72));
        assert_eq!(shortened(&"é".repeat(73)), cut);
    }
}
