//! Translation of JSON pointers to lines and columns, and of offsets to pointers: by scanning the text again,
//! only when there is something to report.

use super::scan::{after_number, after_string};
use std::collections::BTreeMap;

/// The place of the value that a JSON pointer (RFC 6901) names, as line and column from 1 (columns count bytes). A
/// pointer to a value that does not exist gives the deepest element on the way that does.
///
/// The function needs only the bytes, goes through them once and never recurses.
///
/// ```
/// let text = b"{\"a\":\n  [1, {\"b\": 2}]}";
/// assert_eq!(cfg_format::json::locate(text, "/a/1/b"), (2, 13));
/// ```
pub fn locate(text: &[u8], pointer: &str) -> (usize, usize) {
    locate_all(text, &[pointer])[0]
}

/// [`locate`] for many pointers, in one pass.
pub fn locate_all(text: &[u8], pointers: &[&str]) -> Vec<(usize, usize)> {
    lines(text, &offsets_of(text, pointers))
}

/// The offsets of the values that [`locate_all`] finds.
pub(super) fn offsets_of(text: &[u8], pointers: &[&str]) -> Vec<usize> {
    let mut trie = vec![Node::default()];
    let mut paths: Vec<Vec<usize>> = Vec::with_capacity(pointers.len());
    for pointer in pointers {
        let mut path = vec![0];
        let mut at = 0;
        for segment in pointer.split('/').skip(1) {
            let name = segment.replace("~1", "/").replace("~0", "~");
            at = match trie[at].children.get(name.as_str()) {
                Some(&child) => child,
                None => {
                    let child = trie.len();
                    trie.push(Node::default());
                    trie[at].children.insert(name, child);
                    child
                }
            };
            path.push(at);
        }
        paths.push(path);
    }
    walk(text, &mut Finder { trie: &mut trie });
    paths
        .iter()
        .map(|path| path.iter().rev().find_map(|&n| trie[n].offset).unwrap_or(0))
        .collect()
}

/// The JSON pointers of the values that start at these offsets, which ascend.
pub(super) fn pointers_at(text: &[u8], offsets: &[usize]) -> Vec<Option<String>> {
    let mut searcher = Searcher {
        offsets,
        path: Vec::new(),
        found: Vec::new(),
    };
    walk(text, &mut searcher);
    let mut found = searcher.found;
    found.resize(offsets.len(), None);
    found
}

/// Escapes a member name for use in a pointer.
pub(super) fn escape(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

#[derive(Default)]
struct Node {
    children: BTreeMap<String, usize>,
    offset: Option<usize>,
}

/// One step from a value to a value inside it.
enum Step<'t> {
    Index(usize),
    /// The raw text between the quotes.
    Member(&'t [u8]),
}

impl Step<'_> {
    fn name(&self) -> String {
        match self {
            Self::Index(i) => i.to_string(),
            Self::Member(raw) => unescape(raw),
        }
    }
}

/// A member name from its raw text.
fn unescape(raw: &[u8]) -> String {
    let text = String::from_utf8_lossy(raw);
    if raw.contains(&b'\\') {
        serde_json::from_str(&format!("\"{text}\"")).unwrap_or_else(|_| text.into_owned())
    } else {
        text.into_owned()
    }
}

/// A receiver of the values of a text.
trait Walker {
    /// The state that the walker keeps per open value.
    type State: Copy;
    /// The whole document starts.
    fn root(&mut self, offset: usize) -> Option<Self::State>;
    /// A value starts; `None` skips its contents.
    fn enter(&mut self, parent: Self::State, step: &Step<'_>, offset: usize)
    -> Option<Self::State>;
    /// A value that was entered and is an array or object ends.
    fn leave(&mut self);
    /// True if the walk may end.
    fn done(&self) -> bool {
        false
    }
}

struct Finder<'t> {
    trie: &'t mut Vec<Node>,
}

impl Walker for Finder<'_> {
    type State = usize;

    fn root(&mut self, offset: usize) -> Option<usize> {
        self.trie[0].offset = Some(offset);
        Some(0)
    }

    fn enter(&mut self, parent: usize, step: &Step<'_>, offset: usize) -> Option<usize> {
        if self.trie[parent].children.is_empty() {
            return None;
        }
        let child = match step {
            // The statement of an annotated statement has the annotated one's pointer.
            Step::Member(b"statement") if !self.trie[parent].children.contains_key("statement") => {
                parent
            }
            step @ (Step::Index(_) | Step::Member(_)) => {
                *self.trie[parent].children.get(step.name().as_str())?
            }
        };
        // If a member is given twice, the last one counts.
        self.trie[child].offset = Some(offset);
        Some(child)
    }

    fn leave(&mut self) {}
}

struct Searcher<'o> {
    offsets: &'o [usize],
    path: Vec<String>,
    /// Pointers to the first of the offsets; `None` where no value starts.
    found: Vec<Option<String>>,
}

impl Searcher<'_> {
    /// Notes the pointer if a wanted value starts here.
    fn at(&mut self, offset: usize, last: Option<&Step<'_>>) {
        while let Some(&wanted) = self.offsets.get(self.found.len()) {
            if wanted > offset {
                return;
            }
            let pointer = (wanted == offset).then(|| {
                let last = last.map(Step::name);
                let names = self.path.iter().chain(&last);
                names.fold(String::new(), |pointer, name| pointer + "/" + &escape(name))
            });
            self.found.push(pointer);
        }
    }
}

impl Walker for Searcher<'_> {
    type State = ();

    fn root(&mut self, offset: usize) -> Option<()> {
        self.at(offset, None);
        Some(())
    }

    fn enter(&mut self, (): (), step: &Step<'_>, offset: usize) -> Option<()> {
        self.at(offset, Some(step));
        self.path.push(step.name());
        Some(())
    }

    fn leave(&mut self) {
        self.path.pop();
    }

    fn done(&self) -> bool {
        self.found.len() == self.offsets.len()
    }
}

/// An open array or object.
struct Open<'t, S> {
    state: S,
    /// Index of the next element; `None` in an object.
    index: Option<usize>,
    key: &'t [u8],
}

/// Goes through a text that is more or less JSON.
fn walk<'t, W: Walker>(text: &'t [u8], walker: &mut W) {
    let mut stack: Vec<Open<'t, W::State>> = Vec::new();
    let mut i = 0;
    while i < text.len() && !walker.done() {
        let byte = text[i];
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' | b':' => i += 1,
            b',' => {
                if let Some(Open { index: Some(k), .. }) = stack.last_mut() {
                    *k += 1;
                }
                i += 1;
            }
            b']' | b'}' => {
                if stack.pop().is_some() && !stack.is_empty() {
                    walker.leave();
                }
                i += 1;
            }
            _ => {
                let end = match byte {
                    b'"' => after_string(text, i),
                    b'[' | b'{' => i + 1,
                    _ => after_number(text, i),
                };
                if let Some(open) = stack.last_mut()
                    && open.index.is_none()
                    && byte == b'"'
                    && next_is_colon(text, end)
                {
                    open.key = &text[(i + 1).min(text.len())..(end - 1).max(i + 1).min(text.len())];
                    i = end;
                    continue;
                }
                let state = match stack.last() {
                    None => walker.root(i),
                    Some(open) => {
                        let step = match open.index {
                            Some(k) => Step::Index(k),
                            None => Step::Member(open.key),
                        };
                        walker.enter(open.state, &step, i)
                    }
                };
                let nested = matches!(byte, b'[' | b'{');
                i = end;
                match state {
                    Some(state) if nested => stack.push(Open {
                        state,
                        index: (byte == b'[').then_some(0),
                        key: b"",
                    }),
                    Some(_) if !stack.is_empty() => walker.leave(),
                    Some(_) => {}
                    None if nested => i = after_nested(text, end),
                    None => {}
                }
            }
        }
    }
}

fn next_is_colon(text: &[u8], from: usize) -> bool {
    text[from.min(text.len())..]
        .iter()
        .find(|b| !b.is_ascii_whitespace())
        == Some(&b':')
}

/// The offset after the end of the array or object whose inside starts here.
fn after_nested(text: &[u8], start: usize) -> usize {
    let mut depth = 1usize;
    let mut i = start;
    while i < text.len() {
        match text[i] {
            b'"' => {
                i = after_string(text, i);
                continue;
            }
            b'[' | b'{' => depth += 1,
            b']' | b'}' => {
                depth -= 1;
                if depth == 0 {
                    return i + 1;
                }
            }
            _ => {}
        }
        i += 1;
    }
    i
}

/// Lines and columns of many offsets in one pass.
pub(super) fn lines(text: &[u8], offsets: &[usize]) -> Vec<(usize, usize)> {
    let mut order: Vec<usize> = (0..offsets.len()).collect();
    order.sort_by_key(|&k| offsets[k]);
    let mut result = vec![(1, 1); offsets.len()];
    let (mut line, mut start, mut at) = (1, 0, 0);
    for k in order {
        let offset = offsets[k].min(text.len());
        for newline in memchr::memchr_iter(b'\n', &text[at..offset]) {
            line += 1;
            start = at + newline + 1;
        }
        at = offset;
        result[k] = (line, offset - start + 1);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_values_in_nested_documents() {
        let text = b"{\n \"a\": [10, {\"b~/c\": [true]}],\n \"d\\n\": \"x\"\n}";
        assert_eq!(locate(text, ""), (1, 1));
        assert_eq!(locate(text, "/a"), (2, 7));
        assert_eq!(locate(text, "/a/0"), (2, 8));
        assert_eq!(locate(text, "/a/1/b~0~1c/0"), (2, 22));
        assert_eq!(locate(text, "/d\n"), (3, 9));
        assert_eq!(locate(text, "/a/1/nothing/7"), (2, 12));
        let pointers = pointers_at(text, &[0, 8, 9, 23, 1000]);
        let pointers: Vec<_> = pointers.iter().map(Option::as_deref).collect();
        let deep = Some("/a/1/b~0~1c/0");
        assert_eq!(pointers, [Some(""), Some("/a"), Some("/a/0"), deep, None]);
    }

    #[test]
    fn an_annotated_statement_is_looked_into() {
        let text = b"[{\"annotations\": {}, \"statement\": [\"=\", 5]}]";
        assert_eq!(locate(text, "/0/1"), (1, 41));
        assert_eq!(locate(text, "/0/statement/1"), (1, 41));
    }

    #[test]
    fn a_million_brackets_need_no_stack() {
        let text = vec![b'['; 1_000_000];
        assert_eq!(locate(&text, "/0/0/0"), (1, 4));
        assert_eq!(locate(b"\"abc", "/0"), (1, 1));
        assert_eq!(locate(b"", "/0"), (1, 1));
    }
}
