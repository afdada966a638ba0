//! Text of nested lines.

use std::fmt::{Display, Write as _};

/// Deepest indentation, so that nests of any depth take space in proportion to their statements.
const DEEPEST: usize = 20;

/// Lines of C, indented by the blocks around them.
#[derive(Debug, Default)]
pub(super) struct Lines {
    text: String,
    depth: usize,
}

impl Lines {
    /// No lines yet, inside of this many blocks.
    pub(super) fn new(depth: usize) -> Self {
        Self {
            text: String::new(),
            depth,
        }
    }

    /// Adds a line.
    pub(super) fn line(&mut self, line: impl Display) {
        for _ in 0..self.depth.min(DEEPEST) {
            self.text.push_str("    ");
        }
        // Strings take everything.
        let _ = writeln!(self.text, "{line}");
    }

    /// Adds a line that begins a block.
    pub(super) fn open(&mut self, line: impl Display) {
        self.line(format_args!("{line} {{"));
        self.depth += 1;
    }

    /// Adds a line that begins a block of its own.
    pub(super) fn open_block(&mut self) {
        self.line("{");
        self.depth += 1;
    }

    /// Adds a line that ends a block.
    pub(super) fn close(&mut self) {
        self.close_with("}");
    }

    /// Adds a line that ends a block and says more.
    pub(super) fn close_with(&mut self, line: impl Display) {
        self.depth = self.depth.saturating_sub(1);
        self.line(line);
    }

    /// Adds a line that ends a block and begins the next.
    pub(super) fn reopen(&mut self, line: impl Display) {
        self.close_with(line);
        self.depth += 1;
    }

    /// Adds a line at the left margin of a function's body: a label.
    pub(super) fn label(&mut self, name: &str) {
        let _ = writeln!(self.text, "{name}:;");
    }

    /// Marks that what follows has this origin; 0 is none.
    pub(super) fn mark(&mut self, number: usize) {
        let _ = writeln!(self.text, "{}{number}", super::origins::MARK);
    }

    /// The place behind what is written, for [`Self::since`] and [`Self::insert`].
    pub(super) fn here(&self) -> usize {
        self.text.len()
    }

    /// The text that was written since.
    pub(super) fn since(&self, place: usize) -> &str {
        &self.text[place..]
    }

    /// Takes away what was written since.
    pub(super) fn cut(&mut self, place: usize) {
        self.text.truncate(place);
    }

    /// Adds a line at a place, at which the blocks around are those of now.
    pub(super) fn insert(&mut self, place: usize, line: &str) {
        let indent = "    ".repeat(self.depth.min(DEEPEST));
        self.text.insert_str(place, &format!("{indent}{line}\n"));
    }

    /// Makes a block of the lines that were written since.
    pub(super) fn wrap(&mut self, place: usize) {
        let lines = self.text.split_off(place);
        self.open_block();
        for line in lines.lines() {
            let deeper = if self.depth <= DEEPEST { "    " } else { "" };
            let _ = writeln!(self.text, "{deeper}{line}");
        }
        self.close();
    }

    /// The text.
    pub(super) fn into_text(self) -> String {
        self.text
    }
}

/// The identifiers in a text but for those of members, which are names of their own.
pub(super) fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut before = "";
    text.split_inclusive(move |c| !word(c))
        .filter_map(move |part| {
            let name = part.trim_end_matches(|c| !word(c));
            let is_member = before.ends_with('.') || before.ends_with("->");
            // Two splits of `->` stand before the name.
            before = if part == ">" && before.ends_with('-') {
                "->"
            } else {
                part
            };
            (!is_member && name.starts_with(|c: char| c.is_ascii_alphabetic())).then_some(name)
        })
}

/// The part of a line that reads variables: of an assignment all but the variable that it is to.
pub(super) fn behind_target(line: &str) -> &str {
    let line = line.trim_start();
    let end = line.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let rest = line.get(end.unwrap_or(0)..).unwrap_or_default();
    let mut behind = rest;
    if rest.starts_with('[') {
        let mut depth = 0_i32;
        let closes = rest.find(|c| {
            depth += i32::from(c == '[') - i32::from(c == ']');
            depth == 0
        });
        behind = closes.and_then(|at| rest.get(at + 1..)).unwrap_or_default();
    }
    let assigns = [" = ", " += ", " -= ", " *= "]
        .iter()
        .any(|sign| behind.starts_with(sign));
    if assigns { rest } else { line }
}

#[cfg(test)]
mod tests {
    use super::{Lines, identifiers};

    /// Lines are indented by up to 20 levels, also those that are put in and those that come into a block.
    #[test]
    fn lines_are_indented_up_to_a_depth() {
        for (depth, levels, wrapped) in [(19, 19, 20), (20, 20, 20), (21, 20, 20)] {
            let mut lines = Lines::new(depth);
            lines.line("b;");
            lines.insert(0, "a;");
            let indent = "    ".repeat(levels);
            assert_eq!(lines.since(0), format!("{indent}a;\n{indent}b;\n"));
            lines.cut(0);
            lines.line("c;");
            lines.wrap(0);
            let inside = "    ".repeat(wrapped);
            let whole = format!("{indent}{{\n{inside}c;\n{indent}}}\n");
            assert_eq!(lines.into_text(), whole, "{depth}");
        }
    }

    #[test]
    fn members_are_names_of_their_own() {
        let text = "u->v[data.w + x] = y->z.t - (a > b) - -c>d;";
        let found: Vec<&str> = identifiers(text).collect();
        assert_eq!(found, ["u", "data", "x", "y", "a", "b", "c", "d"]);
    }
}
