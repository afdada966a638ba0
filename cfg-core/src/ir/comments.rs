//! Comments of the sources that a program was made from, which are annotations of the program, under `comments`.
//!
//! Front ends note the comments that stand beside code: behind it in the same line, or in the lines above it. Back ends
//! write them where they write the code that comes from there, which they find by its span.

use super::{Annotations, Span};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The member of annotations.
const COMMENTS: &str = "comments";

/// A comment of one of the program's sources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceComment {
    /// The position of the source in [`super::Program::sources`], from 0.
    pub source: u32,
    /// The first and the last line, from 1.
    pub lines: [u32; 2],
    /// True if code stands before it in its first line.
    pub is_behind: bool,
    /// The text without the signs that begin and end it; lines end with line feeds.
    pub text: String,
}

/// The comments of a program, by the lines of the code that they are about.
///
/// ```
/// use cfg_core::ir::{Program, SourceComment, SourceComments, Span};
///
/// let mut program = Program::default();
/// let above = SourceComment { source: 0, lines: [3, 3], is_behind: false, text: "fluxes".to_owned() };
/// SourceComment::note_all(&[above], &mut program.annotations);
/// let comments = SourceComments::from_annotations(&program.annotations).unwrap();
/// let span = Span::new(0, [4, 5, 4, 9]).unwrap();
/// assert_eq!(comments.beside(&span, 4), [(0, "fluxes")]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct SourceComments {
    all: Vec<SourceComment>,
    /// Comments that stand alone, by source and last line.
    above: BTreeMap<(u32, u32), usize>,
    /// Comments behind code, by source and first line; of several in a line the first one.
    behind: BTreeMap<(u32, u32), usize>,
}

impl SourceComment {
    /// Notes comments, if there are any, among the annotations of the program.
    pub fn note_all(all: &[Self], annotations: &mut Annotations) {
        if all.is_empty() {
            return;
        }
        let value = |c: &Self| json!([c.source, c.lines[0], c.lines[1], c.is_behind, c.text]);
        let noted: Vec<Value> = all.iter().map(value).collect();
        let annotations = annotations.get_or_insert_with(Box::default);
        annotations.insert(COMMENTS.to_owned(), noted.into());
    }

    fn read(value: &Value) -> Option<Self> {
        let number = |k: usize| value.get(k)?.as_u64()?.try_into().ok();
        Some(Self {
            source: number(0)?,
            lines: [number(1)?, number(2)?],
            is_behind: value.get(3)?.as_bool()?,
            text: value.get(4)?.as_str()?.to_owned(),
        })
    }
}

impl SourceComments {
    /// The comments that the annotations of a program have; `None` if there are none. Annotations of another form have
    /// none.
    pub fn from_annotations(annotations: &Annotations) -> Option<Self> {
        let noted = annotations.as_ref()?.get(COMMENTS)?.as_array()?;
        let mut made = Self::default();
        for comment in noted.iter().filter_map(SourceComment::read) {
            let k = made.all.len();
            let (by_line, line) = match comment.is_behind {
                true => (&mut made.behind, comment.lines[0]),
                false => (&mut made.above, comment.lines[1]),
            };
            by_line.entry((comment.source, line)).or_insert(k);
            made.all.push(comment);
        }
        (!made.all.is_empty()).then_some(made)
    }

    /// The comments beside the code of a span: those in the lines directly above it, and those behind code in its lines
    /// up to `last`. Each has its number among all.
    pub fn beside(&self, span: &Span, last: u32) -> Vec<(usize, &str)> {
        let first = span.line.get();
        let mut found = Vec::new();
        let mut line = first.checked_sub(1);
        while let Some(&k) = line.and_then(|line| self.above.get(&(span.source, line))) {
            found.push(k);
            line = self.all[k].lines[0].checked_sub(1);
        }
        found.reverse();
        let behind = self
            .behind
            .range((span.source, first)..=(span.source, last.max(first)));
        found.extend(behind.map(|(_, &k)| k));
        found.into_iter().map(|k| (k, &*self.all[k].text)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn comment(lines: [u32; 2], is_behind: bool, text: &str) -> SourceComment {
        let (source, text) = (1, text.to_owned());
        SourceComment {
            source,
            lines,
            is_behind,
            text,
        }
    }

    #[test]
    fn comments_stand_above_code_or_behind_it() {
        let all = [
            comment([1, 1], false, "licence"),
            comment([3, 4], false, "one"),
            comment([5, 5], false, "two"),
            comment([6, 6], true, "three"),
            comment([8, 8], true, "four"),
        ];
        let mut annotations = None;
        SourceComment::note_all(&all, &mut annotations);
        let comments = SourceComments::from_annotations(&annotations).unwrap_or_default();
        let of = |source: u32, line: u32, last: u32| {
            let span = Span::new(source, [line, 1, last, 9]);
            let span = span.unwrap_or_else(|| unreachable!("lines count from 1"));
            let found = comments.beside(&span, last);
            found
                .iter()
                .map(|(_, text)| *text)
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert_eq!(of(1, 6, 6), "one two three");
        assert_eq!(of(1, 6, 8), "one two three four");
        assert_eq!(of(1, 7, 8), "four");
        assert_eq!(of(1, 9, 9), "");
        assert_eq!(of(0, 6, 8), "");
        let other = Some(Box::new(serde_json::Map::from_iter([(
            COMMENTS.to_owned(),
            json!([[1, -1, 2, true, "x"], "y", 7]),
        )])));
        assert!(SourceComments::from_annotations(&other).is_none());
    }
}
