//! Reads the objects of pointers from a point or a seed.

use super::{Leaf, Levels, Part, Sizes, dims, first_leaf};
use crate::codes;
use crate::json;
use cfg_core::{diagnostic::Diagnostics, elemental::Scalar, ir::ScalarType};
use cfg_exec::Lease;
use cfg_format::json::values::ValueTree;
use std::collections::{BTreeMap, HashMap};

/// The elements of a variable.
#[derive(Default)]
pub(super) struct Column {
    pub(super) elements: Vec<Option<Scalar>>,
    /// True if the text names the variable.
    pub(super) named: bool,
}

/// The source of a value.
#[derive(Clone, Copy)]
pub(super) enum Given<'t> {
    Tree(&'t ValueTree),
    /// Zeros in the shape that the point has.
    Zero,
    /// No value; pointers are null.
    Nothing,
}

/// Words that an element takes while it is read, in a list that grows by doubling.
const ELEMENT: u64 = 2 * size_of::<Option<Scalar>>().div_ceil(8) as u64;

pub(super) struct Reader<'a, 'p> {
    pub(super) all: &'a Levels<'p>,
    /// For a seed: for each leaf that is a pointer, the sizes of its objects in the point.
    pub(super) sizes: Option<BTreeMap<usize, Vec<usize>>>,
    pub(super) point: Option<&'a Sizes>,
    pub(super) columns: BTreeMap<usize, Column>,
    /// The number of elements of each level so far.
    pub(super) counts: BTreeMap<usize, usize>,
    pub(super) room: &'a dyn Fn(u64) -> Result<Lease, Diagnostics>,
    /// The leases for elements that the text does not write out.
    pub(super) held: Vec<Lease>,
    /// Numbers of elements, their levels, and their places.
    pub(super) linked: Vec<(i64, usize, String)>,
    /// For levels with all records of a kind, the leaf at which these stand, and the number of its element.
    pub(super) standing: BTreeMap<usize, (usize, usize)>,
}

impl<'a, 'p> Reader<'a, 'p> {
    /// The number of elements of a level so far.
    pub(super) fn count(&self, level: usize) -> usize {
        self.counts.get(&level).copied().unwrap_or(0)
    }

    pub(super) fn items(
        &mut self,
        level: usize,
        items: &[ValueTree],
        place: &str,
    ) -> Result<(), Diagnostics> {
        for (k, item) in items.iter().enumerate() {
            self.element(level, Given::Tree(item), &format!("{place}/{k}"))?;
        }
        Ok(())
    }

    pub(super) fn element(
        &mut self,
        level: usize,
        given: Given<'_>,
        place: &str,
    ) -> Result<(), Diagnostics> {
        let all = self.all;
        *self.counts.entry(level).or_default() += 1;
        self.part(&all.levels[level].fields, 0, given, place)
    }

    /// A part of an element, with this many of its subscripts fixed.
    fn part(
        &mut self,
        part: &'a Part<'p>,
        fixed: usize,
        given: Given<'_>,
        place: &str,
    ) -> Result<(), Diagnostics> {
        if let Some(leaf) = part.leaf {
            return self.leaf(leaf, fixed, given, place);
        }
        match given {
            Given::Zero | Given::Nothing => {
                // Each level gets all elements of an object at once, so the order of levels does not matter.
                for (_, below) in &part.below {
                    self.part(below, fixed, given, place)?;
                }
                Ok(())
            }
            Given::Tree(ValueTree::Object(members)) => {
                let mut by_name: HashMap<&str, &ValueTree> =
                    members.iter().map(|(n, tree)| (&**n, tree)).collect();
                for (name, below) in &part.below {
                    let place = format!("{place}/{name}");
                    let given = match by_name.remove(name) {
                        Some(tree) => Given::Tree(tree),
                        None if self.sizes.is_some() => Given::Zero,
                        None => {
                            return Err(codes::no_field(name, place));
                        }
                    };
                    self.part(below, fixed, given, &place)?;
                }
                // Unknown members are reported in the order of the text.
                let unknown = members
                    .iter()
                    .find(|(name, _)| by_name.contains_key(&**name));
                match unknown {
                    None => Ok(()),
                    Some((name, _)) => {
                        let known = part.below.iter().map(|(name, _)| *name);
                        let known: Vec<&str> = known.take(20).collect();
                        Err(codes::problem(
                            &codes::UNKNOWN,
                            format!("a record has no field {name}"),
                            format!("known are {}", known.join(", ")),
                            format!("{place}{}", json::pointer(name)),
                        ))
                    }
                }
            }
            Given::Tree(ValueTree::Array(items)) => {
                let leaf = first_leaf(part);
                let extent = leaf.and_then(|k| dims(self.all.leaves[k].variable).nth(fixed));
                is_as_long(items.len(), extent, place)?;
                for (k, item) in items.iter().enumerate() {
                    let place = format!("{place}/{k}");
                    self.part(part, fixed + 1, Given::Tree(item), &place)?;
                }
                Ok(())
            }
            Given::Tree(_) => Err(codes::no_record(place)),
        }
    }

    /// A scalar, or the part of an array with this many of its subscripts fixed.
    fn leaf(
        &mut self,
        leaf: usize,
        fixed: usize,
        given: Given<'_>,
        place: &str,
    ) -> Result<(), Diagnostics> {
        let Leaf { variable, to, link } = &self.all.leaves[leaf];
        let extent = dims(variable).nth(fixed);
        match (given, extent) {
            (Given::Tree(ValueTree::Array(items)), Some(_)) => {
                is_as_long(items.len(), extent, place)?;
                for (k, item) in items.iter().enumerate() {
                    let place = format!("{place}/{k}");
                    self.leaf(leaf, fixed + 1, Given::Tree(item), &place)?;
                }
                return Ok(());
            }
            (Given::Tree(tree), Some(extent)) => {
                let message = format!(
                    "an array of {extent} elements is expected here, and there is {}",
                    json::describe(tree)
                );
                let help = "nest one array per dimension, the first subscript outermost";
                return Err(codes::problem(&codes::SHAPE, message, help, place));
            }
            (Given::Zero | Given::Nothing, Some(extent)) => {
                for _ in 0..extent {
                    self.leaf(leaf, fixed + 1, given, place)?;
                }
                return Ok(());
            }
            (Given::Tree(_) | Given::Zero | Given::Nothing, None) => {}
        }
        if let Some(level) = *link {
            return self.link(leaf, level, given, place);
        }
        if let Some(level) = *to {
            return self.pointer(leaf, level, given, place);
        }
        let element = match given {
            Given::Nothing => None,
            Given::Zero => zero(variable.ty),
            Given::Tree(tree) => {
                let element = json::element(variable.ty, tree);
                let wrong =
                    || json::wrong_type(&self.all.shown(&variable.name), variable.ty, tree, place);
                Some(element.ok_or_else(wrong)?)
            }
        };
        let column = self.columns.entry(leaf).or_default();
        column.named |= matches!(given, Given::Tree(_) | Given::Nothing);
        column.elements.push(element);
        Ok(())
    }

    /// A pointer into a level with all records of a kind: the number of an element, or all records themselves, the
    /// first of which the pointer leads to.
    fn link(
        &mut self,
        leaf: usize,
        level: usize,
        given: Given<'_>,
        place: &str,
    ) -> Result<(), Diagnostics> {
        let column = self.columns.entry(leaf).or_default();
        column.named |= self.sizes.is_none();
        let number = column.elements.len();
        column.elements.push(None);
        let all_stand_here = match (self.point, given) {
            (Some(sizes), _) => self.all.stands_at(level, (leaf, number), sizes),
            (
                None,
                Given::Tree(ValueTree::Array(_) | ValueTree::Object(_) | ValueTree::Size(_)),
            ) => {
                let known = self.standing.insert(level, (leaf, number));
                if known.is_some() || self.count(level) > 0 {
                    return Err(codes::problem(
                        &codes::SHAPE,
                        "records that lead to their like stand in one array, and there is another one here",
                        "put all into that array, and write the number of a record here, from 1",
                        place,
                    ));
                }
                true
            }
            (None, Given::Tree(_) | Given::Zero | Given::Nothing) => false,
        };
        let value = if all_stand_here {
            let expected = self
                .point
                .and_then(|sizes| self.all.elements_of(level, sizes));
            self.object(level, given, expected, place)?;
            i64::from(self.count(level) > 0)
        } else {
            match given {
                Given::Tree(ValueTree::Null) | Given::Zero | Given::Nothing => 0,
                Given::Tree(ValueTree::Int(0)) => 0,
                Given::Tree(ValueTree::Int(number)) => {
                    self.linked.push((*number, level, place.to_owned()));
                    *number
                }
                Given::Tree(tree) => {
                    return Err(codes::problem(
                        &codes::TYPE,
                        format!(
                            "the number of a record is expected here, and there is {}",
                            json::describe(tree)
                        ),
                        "count records from 1 in the array that has all of them, at one of the pointers that lead there; write null for none",
                        place,
                    ));
                }
            }
        };
        let column = self.columns.entry(leaf).or_default();
        column.elements[number] = Some(Scalar::Integer(value));
        Ok(())
    }

    /// Refuses element numbers without an element.
    pub(super) fn links_lead_somewhere(&self) -> Result<(), Diagnostics> {
        for (number, level, place) in &self.linked {
            let count = self.count(*level);
            if usize::try_from(*number).is_ok_and(|n| (1..=count).contains(&n)) {
                continue;
            }
            let there = match count {
                1 => "there is 1".to_owned(),
                count => format!("there are {count}"),
            };
            return Err(codes::problem(
                &codes::SHAPE,
                format!("this pointer leads to record {number}, and {there}"),
                "count records from 1 in the array that has all of them, at one of the pointers that lead there; write null for none",
                place,
            ));
        }
        Ok(())
    }

    /// A pointer in an element, and its object.
    fn pointer(
        &mut self,
        leaf: usize,
        level: usize,
        given: Given<'_>,
        place: &str,
    ) -> Result<(), Diagnostics> {
        let column = self.columns.entry(leaf).or_default();
        let number = column.elements.len();
        let expected = self.sizes.as_ref();
        let expected = expected.map(|sizes| {
            let own = sizes.get(&leaf).and_then(|sizes| sizes.get(number));
            own.copied().unwrap_or(0)
        });
        // The pointer takes its place in the column before its object is read, which may contain pointers of the same
        // column.
        column.elements.push(None);
        let before = self.count(level);
        self.object(level, given, expected, place)?;
        let count = i64::try_from(self.count(level) - before).unwrap_or(i64::MAX);
        let named = self.sizes.is_none();
        let column = self.columns.entry(leaf).or_default();
        column.named |= named;
        column.elements[number] = Some(Scalar::Integer(count));
        Ok(())
    }

    /// Reads the object of a pointer.
    pub(super) fn object(
        &mut self,
        level: usize,
        given: Given<'_>,
        expected: Option<usize>,
        place: &str,
    ) -> Result<(), Diagnostics> {
        let is_record = self.all.levels[level].fields.leaf.is_none();
        let found = match given {
            Given::Tree(ValueTree::Array(items)) => items.len(),
            Given::Tree(ValueTree::Object(_)) if is_record => 1,
            Given::Tree(ValueTree::Size(extents)) if self.sizes.is_none() => {
                let &[size] = &extents[..] else {
                    let message = "what a pointer leads to has one dimension";
                    let help = "write {\"size\": 5}";
                    return Err(codes::problem(&codes::SHAPE, message, help, place));
                };
                return self.nothing(level, size, place);
            }
            Given::Tree(ValueTree::Null) | Given::Zero => {
                for _ in 0..expected.unwrap_or(0) {
                    self.element(level, Given::Zero, place)?;
                }
                return Ok(());
            }
            Given::Nothing => return Ok(()),
            Given::Tree(ValueTree::SameAs(..)) => {
                return Err(codes::problem(
                    &codes::SAME_AS,
                    "only a parameter that is a pointer can be given by `same_as`",
                    "give what this pointer leads to",
                    place,
                ));
            }
            Given::Tree(
                tree @ (ValueTree::Int(_)
                | ValueTree::Wide(_)
                | ValueTree::Real(_)
                | ValueTree::Logical(_)
                | ValueTree::Size(_)
                | ValueTree::Object(_)),
            ) => {
                return Err(codes::problem(
                    &codes::TYPE,
                    format!(
                        "a pointer is expected here, and there is {}",
                        json::describe(tree)
                    ),
                    "write an array of what it leads to, or null",
                    place,
                ));
            }
        };
        if let Some(expected) = expected.filter(|&n| n != found) {
            return Err(codes::problem(
                &codes::SHAPE,
                format!("a pointer leads to {expected} elements in POINT, and to {found} here"),
                "give as many elements as POINT, or leave it out",
                place,
            ));
        }
        match given {
            Given::Tree(ValueTree::Array(items)) => self.items(level, items, place),
            Given::Tree(_) | Given::Zero | Given::Nothing => self.element(level, given, place),
        }
    }

    /// Adds `size` elements without values.
    fn nothing(&mut self, level: usize, size: usize, place: &str) -> Result<(), Diagnostics> {
        let words = self.all.words(&self.all.levels[level].fields);
        let words = words.saturating_mul(ELEMENT).saturating_mul(size as u64);
        self.held.push((self.room)(words)?);
        for _ in 0..size {
            self.element(level, Given::Nothing, place)?;
        }
        Ok(())
    }
}

fn is_as_long(found: usize, extent: Option<usize>, place: &str) -> Result<(), Diagnostics> {
    let message = match extent {
        Some(extent) if extent == found => return Ok(()),
        Some(extent) => format!("an array of {extent} elements has {found} here"),
        None => "a record is expected here, and there is an array".to_owned(),
    };
    let help = "give as many elements as the field has";
    Err(codes::problem(&codes::SHAPE, message, help, place))
}

fn zero(ty: ScalarType) -> Option<Scalar> {
    match ty {
        ScalarType::Real => Some(Scalar::Real(0.0)),
        ScalarType::Real32 => Some(Scalar::Real32(0.0)),
        ScalarType::Integer => Some(Scalar::Integer(0)),
        ScalarType::Sized(ty) => Some(Scalar::Sized(ty, 0)),
        ScalarType::Logical => Some(Scalar::Logical(false)),
        ScalarType::Tape | ScalarType::Record(_) | ScalarType::Pointer(_) => None,
    }
}
