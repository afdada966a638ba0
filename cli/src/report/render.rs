//! Diagnostics for people: a title, the lines of the source with the place underlined, the rule, and help.

use super::excerpt::Excerpts;
use annotate_snippets::{AnnotationKind, Element, Group, Level, Origin, Renderer, Snippet};
use cfg_core::diagnostic::{Diagnostic, Location, Severity, SourcePlace};
use cfg_core::text::Visible;

/// A problem and the notes at other places that belong to it, with styles.
pub(super) fn rendered(problem: &[Diagnostic], excerpts: &Excerpts<'_>) -> String {
    let Some((problem, notes)) = problem.split_first() else {
        return String::new();
    };
    let level = match problem.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let title = level.clone().primary_title(visible(&problem.message));
    let mut report = Report {
        level,
        groups: vec![Group::with_title(title.id(problem.code))],
    };
    report.add_place(&problem.at, None, excerpts);
    for note in notes {
        report.add_place(&note.at, Some(&note.message), excerpts);
    }
    for (level, word, text) in [
        (Level::NOTE, "rule", &problem.rule),
        (Level::HELP, "help", &problem.help),
    ] {
        if !text.is_empty() {
            report.message(level.with_name(word), text);
        }
    }
    Renderer::styled().render(&report.groups)
}

/// Groups of elements, of which the last one grows.
struct Report<'a> {
    level: Level<'a>,
    groups: Vec<Group<'a>>,
}

impl<'a> Report<'a> {
    fn element(&mut self, element: impl Into<Element<'a>>) {
        let group = self.groups.pop();
        let group = group.unwrap_or_else(|| Group::with_level(self.level.clone()));
        self.groups.push(group.element(element));
    }

    fn message(&mut self, level: Level<'a>, text: &str) {
        self.element(level.message(visible(text)));
    }

    /// Adds a place: the name of the file, the line with the place underlined if its text is known, and the place in
    /// words of the program. Only the place of the problem itself has no label.
    fn add_place(&mut self, place: &Location, label: Option<&str>, excerpts: &Excerpts<'_>) {
        let excerpt = excerpts.at(place);
        if let (Some(label), None) = (label, &excerpt) {
            self.message(Level::NOTE, label);
        }
        if let Some(file) = &place.file {
            let file = visible(file);
            if excerpt.as_ref().is_none_or(|excerpt| !excerpt.has_column) {
                let mut origin = Origin::path(file.clone());
                if let Some(line) = place.line {
                    origin = origin.line(line);
                }
                if let Some(column) = place.column {
                    origin = origin.char_column(column);
                }
                self.element(origin);
            }
            if let (Some(excerpt), Some(line)) = (excerpt, place.line) {
                let mut snippet = Snippet::source(excerpt.text).line_start(line);
                if excerpt.has_column {
                    snippet = snippet.path(file);
                } else {
                    // The renderer would count characters of the excerpt: the snippet of another group has no path.
                    self.groups.push(Group::with_level(self.level.clone()));
                }
                let kind = match label {
                    None => AnnotationKind::Primary,
                    Some(_) => AnnotationKind::Context,
                };
                let annotation = kind.span(excerpt.span).label(label.map(visible));
                self.element(snippet.annotation(annotation));
            }
        }
        for (word, text) in facts(place) {
            self.message(Level::NOTE.with_name(word), &text);
        }
    }
}

/// The place in words of the program, and in the source that the program was made from where the file is another.
fn facts(place: &Location) -> impl Iterator<Item = (&'static str, String)> {
    // The empty pointer is the whole document.
    let pointer = place.pointer.as_ref().filter(|p| !p.is_empty());
    let element = match (&place.element, pointer) {
        (Some(element), Some(pointer)) => Some(format!("{element} ({pointer})")),
        (Some(place), None) | (None, Some(place)) => Some(place.clone()),
        (None, None) => None,
    };
    let is_told = |source: &SourcePlace| {
        place.file.as_ref() == Some(&source.name)
            && place.line == Some(source.span.line.get() as usize)
    };
    let source = place.source.as_deref().filter(|source| !is_told(source));
    let element = element.map(|element| ("at", element));
    let source = source.map(|source| ("source", source.to_string()));
    element.into_iter().chain(source)
}

/// The text with all invisible characters escaped.
fn visible(text: &str) -> String {
    Visible(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{codes, report::Text};
    use std::{cell::OnceCell, rc::Rc};

    /// What is printed of a problem in this text, without styles.
    fn printed(text: &str, problem: &[Diagnostic]) -> String {
        let text = Rc::new(Text {
            name: "f.c".into(),
            bytes: text.into(),
            language: cfg_languages::JSON,
            places: OnceCell::new(),
        });
        let excerpts = Excerpts::new(std::slice::from_ref(&text), problem);
        anstream::adapter::strip_str(&rendered(problem, &excerpts)).to_string()
    }

    fn problem(line: usize, column: usize) -> Diagnostic {
        let mut problem =
            Diagnostic::error(&codes::MORE, "wrong \u{202e}", "mend it").at_line(line, column);
        problem.rule = "a rule".into();
        problem.at.file = Some("f.c".into());
        problem
    }

    #[test]
    fn places_are_underlined_and_notes_are_labels() {
        let text = "double *p = q;\n\tfree(p);\n*p = 1.0;\n";
        let mut first = problem(3, 1);
        first.at.end = Some((3, 9));
        let mut note = first.note("freed here\u{7}").at_line(2, 2);
        note.at.file = Some("f.c".into());
        note.at.element = Some("routine f".into());
        assert_eq!(
            printed(text, &[first.clone(), note.clone()]),
            r"error[P404]: wrong \u{202e}
 --> f.c:3:1
  |
3 | *p = 1.0;
  | ^^^^^^^^
  |
 ::: f.c:2:2
  |
2 |     free(p);
  |     ---- freed here\u{7}
  |
  = at: routine f
  = rule: a rule
  = help: mend it"
        );
        // A note in a text that is not known.
        note.at.file = Some("g.c".into());
        let told = printed(text, &[first, note]);
        assert!(
            told.contains("= note: freed here\\u{7}\n") && told.contains("::: g.c:2:2\n"),
            "{told}"
        );
    }

    /// Lines of any length are cut before they are rendered, and columns count from the beginning of the line.
    #[test]
    fn long_lines_keep_their_column() {
        let text = format!("{}zz{}\n", " ".repeat(500_000), "+1".repeat(500_000));
        let told = printed(&text, &[problem(1, 500_001)]);
        assert!(told.contains(" --> f.c:1:500001\n"), "{told}");
        assert!(
            told.contains("  zz+1+1") && told.contains(" ^^\n"),
            "{told}"
        );
        assert!(
            told.lines().all(|line| line.chars().count() < 150),
            "{told}"
        );
        // Columns are bytes, as in the JSON form.
        for (text, column) in [("é€ + zz", 9), ("zz", 9)] {
            let told = printed(text, &[problem(1, column)]);
            let place = format!(" --> f.c:1:{column}\n");
            assert!(told.contains(&place), "{told}");
        }
        let wide = format!("{}zz", " ".repeat(2000));
        let told = printed(&wide, &[problem(1, 2001)]);
        assert!(
            told.contains(" --> f.c:1:2001\n") && told.contains(" ^^\n"),
            "{told}"
        );
        assert!(
            told.lines().all(|line| line.chars().count() < 150),
            "{told}"
        );
    }
}
