//! Many points: a JSON array of POINTs, or arrays in files whose first dimension counts points.
//!
//! Each point has a text of its own, which the readers of a single POINT read. Where only elements of arrays differ
//! from point to point, a point that was read is changed in place.

use crate::codes;
use crate::npy::Array;
use crate::report::Text;
use cfg_core::diagnostic::{Diagnostic, Diagnostics, Severity};
use cfg_core::entity::VarId;
use cfg_core::ir::{Order, Role, Routine};
use cfg_drive::{Point, element, in_text, is_in_extents};
use cfg_format::json::values::{self, ValueTree};
use cfg_languages::JSON;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Range;
use std::rc::Rc;

/// Many points, at least one.
#[derive(Debug)]
pub(crate) struct Points {
    source: Source,
    count: usize,
}

#[derive(Debug)]
enum Source {
    /// The elements of a JSON array.
    List {
        name: String,
        bytes: Vec<u8>,
        elements: Vec<Range<usize>>,
        /// The pointers that the first point gives by `same_as`: the program is made for them.
        same_as: Vec<(String, ValueTree)>,
    },
    Arrays {
        /// The JSON object of all other values, without the bracket at its end.
        members: String,
        arrays: Vec<(String, Array)>,
    },
}

/// The parameters that are set from arrays.
#[derive(Debug)]
pub(crate) struct Targets(Vec<VarId>);

impl Points {
    /// The points of a text that is a JSON array; `None` if it is anything else.
    pub(crate) fn in_list(text: &Text) -> Result<Option<Self>, Diagnostics> {
        let bytes = text
            .bytes
            .strip_prefix(b"\xef\xbb\xbf")
            .unwrap_or(&text.bytes);
        if !bytes.trim_ascii_start().starts_with(b"[") {
            return Ok(None);
        }
        let start = text.bytes.len() - bytes.len();
        let elements: Vec<&RawValue> = match serde_json::from_slice(bytes) {
            Ok(elements) => elements,
            Err(error) => {
                // The reader of values knows the place, the rule and the remedy.
                let problems = values::read_list(&text.bytes).err();
                let problems = problems.unwrap_or_else(|| no_point(error.to_string()));
                return Err(in_text(&text.name, problems));
            }
        };
        let ranges = elements.iter().map(|element| {
            let element = element.get();
            // The elements are parts of the text.
            let from = element.as_ptr().addr() - bytes.as_ptr().addr() + start;
            from..from + element.len()
        });
        let elements: Vec<Range<usize>> = ranges.collect();
        let Some(first) = elements.first() else {
            return Err(in_text(
                &text.name,
                no_point("the list of points is empty".to_owned()),
            ));
        };
        // A point that cannot be read is refused by its reader.
        let same_as = same_as(&text.bytes[first.clone()]).unwrap_or_default();
        Ok(Some(Self {
            count: elements.len(),
            source: Source::List {
                name: text.name.clone(),
                bytes: text.bytes.clone(),
                elements,
                same_as,
            },
        }))
    }

    /// The points of arrays, which have the same number of points. `members` is a JSON object of all other values,
    /// without the bracket at its end.
    pub(crate) fn in_arrays(
        members: String,
        arrays: Vec<(String, Array)>,
    ) -> Result<Self, Diagnostics> {
        let count = arrays.first().map_or(0, |(_, array)| array.points());
        if let Some((name, array)) = arrays.iter().find(|(_, array)| array.points() != count) {
            let message = format!(
                "{} has {count} points, and {name} has {}",
                arrays[0].0,
                array.points()
            );
            let help = "give arrays with the same first extent; what is the same at all points is written NAME=VALUE";
            return Err(Diagnostic::error(&codes::NPY, message, help).into());
        }
        Ok(Self {
            source: Source::Arrays { members, arrays },
            count,
        })
    }

    /// The number of points.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// The text of a point, a JSON object.
    pub(crate) fn text(&self, k: usize) -> Cow<'_, [u8]> {
        match &self.source {
            Source::List {
                bytes, elements, ..
            } => Cow::Borrowed(&bytes[elements[k].clone()]),
            Source::Arrays { members, arrays } => {
                let mut text = members.clone();
                for (name, array) in arrays {
                    if text.len() > 1 {
                        text.push_str(", ");
                    }
                    let name = serde_json::Value::from(&**name);
                    let value = values::to_text(&array.tree(k));
                    text.push_str(&format!("{name}: {value}"));
                }
                text.push('}');
                Cow::Owned(text.into_bytes())
            }
        }
    }

    /// The text of the first point.
    pub(crate) fn first(&self) -> Rc<Text> {
        let name = match &self.source {
            Source::List { name, .. } => name,
            Source::Arrays { .. } => "POINT",
        };
        Rc::new(Text {
            name: name.to_owned(),
            bytes: self.text(0).into_owned(),
            language: JSON,
            places: OnceCell::new(),
        })
    }

    /// Names the point in problems that were found at it; places in its text become places in that of all.
    pub(crate) fn name(&self, k: usize, mut problems: Diagnostics) -> Diagnostics {
        for d in &mut problems.0 {
            if d.severity != Severity::Note {
                d.message = format!("point {k}, counted from 0: {}", d.message);
            }
            let is_in_text = |name: &str| d.at.file.as_deref() == Some(name);
            match &self.source {
                Source::List {
                    name,
                    bytes,
                    elements,
                    ..
                } if is_in_text(name) => {
                    if let Some(pointer) = &mut d.at.pointer {
                        pointer.insert_str(0, &format!("/{k}"));
                    }
                    if let Some(line) = &mut d.at.line {
                        let before = &bytes[..elements[k].start];
                        let last = before.iter().rposition(|b| *b == b'\n');
                        if let (1, Some(column)) = (*line, &mut d.at.column) {
                            *column += before.len() - last.map_or(0, |at| at + 1);
                        }
                        *line += before.iter().filter(|b| **b == b'\n').count();
                    }
                }
                Source::List { .. } => {}
                // Nobody has seen the text that was made from arrays.
                Source::Arrays { .. } if is_in_text("POINT") => {
                    (d.at.file, d.at.line, d.at.column) = (None, None, None);
                }
                Source::Arrays { .. } => {}
            }
        }
        problems
    }

    /// The parameters that are set from arrays, if setting their elements is all that makes a point of another.
    pub(crate) fn targets(&self, routine: &Routine) -> Option<Targets> {
        let Source::Arrays { arrays, .. } = &self.source else {
            return None;
        };
        let target = |(name, _): &(String, Array)| {
            let v = routine.find_variable(name)?;
            let is_parameter = matches!(routine.variable(v).role, Role::Parameter { .. });
            (is_parameter && !is_in_extents(routine, v)).then_some(v)
        };
        arrays
            .iter()
            .map(target)
            .collect::<Option<_>>()
            .map(Targets)
    }

    /// Makes `kept` the point of this number by changing it in place; false if that cannot be done.
    pub(crate) fn change(
        &self,
        kept: &mut Option<Point>,
        targets: Option<&Targets>,
        k: usize,
    ) -> bool {
        match (kept, targets, &self.source) {
            (Some(point), Some(targets), Source::Arrays { arrays, .. }) => {
                let mut all = arrays.iter().zip(&targets.0);
                all.all(|((_, array), v)| set(point, *v, array, k).is_some())
            }
            _ => false,
        }
    }

    /// Reads the point of this number.
    pub(crate) fn read(
        &self,
        k: usize,
        read: impl FnOnce(&[u8]) -> Result<Point, Diagnostics>,
    ) -> Result<Point, Diagnostics> {
        let text = self.text(k);
        match &self.source {
            Source::List {
                name,
                same_as: first,
                ..
            } => {
                // The program that reads the point is that of the first one.
                let read = match same_as(&text) {
                    Ok(pointers) if pointers != *first => return Err(other_pointers()),
                    Ok(_) => read(&text),
                    Err(problems) => Err(problems),
                };
                read.map_err(|problems| in_text(name, problems))
            }
            Source::Arrays { .. } => read(&text).map_err(|problems| in_text("POINT", problems)),
        }
    }
}

/// Sets the elements of a parameter to those of a point of an array; `None` if they do not fit.
fn set(point: &mut Point, parameter: VarId, array: &Array, k: usize) -> Option<()> {
    let value = point.value_mut(parameter)?;
    if value.shape() != array.shape() {
        return None;
    }
    let (ty, by_columns) = (value.ty(), value.order() == Order::Column);
    for (at, (tree, column)) in array.elements(k).zip(array.columns()).enumerate() {
        let to = if by_columns { *column } else { at };
        value.set(to, element(ty, &tree)?);
    }
    Some(())
}

/// The members of a point that are given by `same_as`.
fn same_as(text: &[u8]) -> Result<Vec<(String, ValueTree)>, Diagnostics> {
    const NAME: &[u8] = b"same_as";
    // The test is quick, as is that of `cfg_drive::prepare`: the name is not written with escapes.
    if !text.windows(NAME.len()).any(|part| part == NAME) {
        return Ok(Vec::new());
    }
    let mut members = values::read(text)?;
    members.retain(|(_, tree)| matches!(tree, ValueTree::SameAs(..)));
    members.sort_by(|(a, _), (b, _)| a.cmp(b));
    Ok(members)
}

fn other_pointers() -> Diagnostics {
    let message =
        "all points give the same pointers by `same_as`, and this one gives others than the first";
    let help = "the program is made for those of the first; points with others take a command of their own";
    Diagnostic::error(&codes::POINTS, message, help).into()
}

fn no_point(message: String) -> Diagnostics {
    Diagnostic::error(&codes::POINTS, message, "give at least one point").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(text: &str) -> Points {
        let text = Text {
            name: "points.json".to_owned(),
            bytes: text.as_bytes().to_vec(),
            language: JSON,
            places: OnceCell::new(),
        };
        Points::in_list(&text)
            .expect("it is JSON")
            .expect("it is a list")
    }

    #[test]
    fn elements_of_a_list() {
        let points = list(" [ {\"x\": 1},\n{\"x\": [2, {}]} , 3]");
        assert_eq!(points.count(), 3);
        let texts: Vec<_> = (0..3).map(|k| points.text(k).into_owned()).collect();
        assert_eq!(texts, [&b"{\"x\": 1}"[..], b"{\"x\": [2, {}]}", b"3"]);
    }

    /// Places in the text of a point become places in that of all points.
    #[test]
    fn places_in_a_list() {
        let points = list("[{\"x\": 1},\n  {\"y\":\n 2}]");
        let at = |line, column| {
            let mut problem = Diagnostic::error(&codes::POINTS, "wrong", "");
            problem.at.file = Some("points.json".to_owned());
            problem.at.pointer = Some("/y".to_owned());
            (problem.at.line, problem.at.column) = (Some(line), Some(column));
            let found = points.name(1, problem.into()).0.remove(0);
            assert_eq!(found.message, "point 1, counted from 0: wrong");
            assert_eq!(found.at.pointer.as_deref(), Some("/1/y"));
            (found.at.line, found.at.column)
        };
        assert_eq!(at(1, 2), (Some(2), Some(4)));
        assert_eq!(at(2, 2), (Some(3), Some(2)));
    }
}
