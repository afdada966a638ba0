//! The border between user text and DOT: everything that is quoted is quoted here, once.
//!
//! graphviz-rust prints ids verbatim. Inside double quotes DOT gives meaning to `"` and, in labels and
//! tooltips (its "escString"), to `\` and to HTML entities (`&amp;`), also where no HTML label is used.

use cfg_core::text::is_invisible;
use graphviz_rust::dot_structures::{Attribute, Id};

/// An id or value of our own making that needs no quotes.
pub(super) fn plain(text: impl Into<String>) -> Id {
    Id::Plain(text.into())
}

/// A quoted text; lines are centred.
pub(super) fn quoted(text: &str) -> Id {
    let mut out = String::with_capacity(text.len() + 8);
    out.push('"');
    for (i, line) in text.split('\n').enumerate() {
        if i > 0 {
            out.push_str("\\n");
        }
        escape(&mut out, line);
    }
    out.push('"');
    Id::Escaped(out)
}

pub(super) fn attribute(name: &str, value: Id) -> Attribute {
    Attribute(plain(name), value)
}

/// A label of several lines, cut to a width and a height.
pub(super) struct Label {
    width: usize,
    height: usize,
    /// Lines so far, cut ones included.
    lines: usize,
    shown: String,
    /// All lines, uncut.
    whole: String,
    cut: bool,
}

/// A title in one line, centred.
pub(super) fn title(text: &str) -> Id {
    let mut label = Label::new(60, 1);
    label.centred(text);
    label.finish().0
}

impl Label {
    pub(super) fn new(width: usize, height: usize) -> Self {
        Self {
            width: width.max(1),
            height: height.max(1),
            lines: 0,
            shown: "\"".into(),
            whole: String::new(),
            cut: false,
        }
    }

    /// Adds a centred line.
    pub(super) fn centred(&mut self, line: &str) {
        self.add(line, "\\n");
    }

    /// Adds a line that starts at the left.
    pub(super) fn left(&mut self, line: &str) {
        self.add(line, "\\l");
    }

    fn add(&mut self, line: &str, end: &str) {
        if self.lines > 0 {
            self.whole.push('\n');
        }
        self.whole.push_str(line);
        self.lines += 1;
        if self.lines > self.height {
            self.cut = true;
            return;
        }
        match line.char_indices().nth(self.width) {
            Some((at, _)) => {
                self.cut = true;
                escape(&mut self.shown, &line[..at]);
                self.shown.push('…');
            }
            None => escape(&mut self.shown, line),
        }
        self.shown.push_str(end);
    }

    /// The quoted label, and the whole text if anything was cut.
    pub(super) fn finish(mut self) -> (Id, Option<String>) {
        if self.lines > self.height {
            let rest = self.lines - self.height;
            self.shown.push_str(&format!("… {rest} more\\l"));
        }
        if self.lines == 1 {
            // A line end after the only line would be an empty second one.
            self.shown.truncate(self.shown.len() - "\\n".len());
        }
        self.shown.push('"');
        (Id::Escaped(self.shown), self.cut.then_some(self.whole))
    }
}

fn escape(out: &mut String, line: &str) {
    for c in line.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '&' => out.push_str("&amp;"),
            '\t' => out.push(' '),
            c if is_invisible(c) => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
}
