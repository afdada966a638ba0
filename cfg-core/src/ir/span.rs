//! Pieces of the sources that a program was made from.

use std::{num::NonZeroU32, sync::Arc};

/// A piece of the text of one of a program's sources. Lines and columns count from 1, columns in bytes; the end is the
/// first column that does not belong to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The position of the source in [`super::Program::sources`], from 0.
    pub source: u32,
    /// The first line.
    pub line: NonZeroU32,
    /// The column in the first line at which the piece begins.
    pub column: NonZeroU32,
    /// The last line.
    pub end_line: NonZeroU32,
    /// The column in the last line before which the piece ends.
    pub end_column: NonZeroU32,
}

/// The span of an element, if it is known. All elements that transformations make from an element share its span.
pub type At = Option<Arc<Span>>;

impl Span {
    /// A span from source, first line, first column, last line and the column behind the end; `None` if a line or
    /// column is 0.
    pub fn new(source: u32, [line, column, end_line, end_column]: [u32; 4]) -> Option<Self> {
        Some(Self {
            source,
            line: NonZeroU32::new(line)?,
            column: NonZeroU32::new(column)?,
            end_line: NonZeroU32::new(end_line)?,
            end_column: NonZeroU32::new(end_column)?,
        })
    }

    /// The five numbers that files have: source, first line, first column, last line, the column behind the end.
    pub fn numbers(&self) -> [u32; 5] {
        let [a, b, c, d] = [self.line, self.column, self.end_line, self.end_column];
        [self.source, a.get(), b.get(), c.get(), d.get()]
    }

    /// True if the end does not come before the start.
    pub fn is_ordered(&self) -> bool {
        (self.line, self.column) <= (self.end_line, self.end_column)
    }
}
