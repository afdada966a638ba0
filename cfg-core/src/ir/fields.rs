//! Fields in places, and the fields of records in a program.

use super::{Dim, Place, Program, Record, ScalarType, Subscript, Variable};
use crate::entity::RecordId;

/// A part of a place: what one name has, the variable's or a field's, and the subscripts behind it.
#[derive(Clone, Copy, Debug)]
pub struct Level<'p> {
    /// The field; `None` for the variable itself.
    pub field: Option<&'p str>,
    /// The subscripts behind the name.
    pub subscripts: &'p [Subscript],
}

impl Place {
    /// The levels of the place, that of the variable first.
    pub fn levels(&self) -> impl Iterator<Item = Level<'_>> {
        let mut rest = Some((None, &*self.subscripts));
        std::iter::from_fn(move || {
            let (field, list) = rest?;
            let end = list.iter().position(|s| s.field().is_some());
            let (subscripts, behind) = list.split_at(end.unwrap_or(list.len()));
            rest = behind
                .split_first()
                .map(|(name, list)| (name.field(), list));
            Some(Level { field, subscripts })
        })
    }

    /// For each projection the number of projections around it where places are nested as in files, `["[]", [".", a, "v"], j]`,
    /// and its position in its list of subscripts.
    pub fn nesting(&self) -> Vec<(usize, usize)> {
        let mut nesting = vec![(0, 0); self.subscripts.len()];
        let (mut around, mut end) = (0, self.subscripts.len());
        for (k, projection) in self.subscripts.iter().enumerate().rev() {
            if projection.field().is_some() {
                // The subscripts behind the field are around it.
                around += usize::from(end > k + 1);
                nesting[k] = (around, 0);
                around += 1;
                end = k;
            } else {
                let first = (self.subscripts[..k].iter())
                    .rposition(|s| s.field().is_some())
                    .map_or(0, |field| field + 1);
                nesting[k] = (around, k - first);
            }
        }
        nesting
    }

    /// True if the place names a field.
    pub fn has_field(&self) -> bool {
        self.subscripts.iter().any(|s| s.field().is_some())
    }
}

/// A scalar or an array of scalars inside a record, at any depth.
#[derive(Clone, Debug, PartialEq)]
pub struct Leaf<'p> {
    /// The names of the fields that lead to it; empty if the type is no record.
    pub path: Vec<&'p str>,
    /// The type of the scalar or of the elements.
    pub ty: ScalarType,
    /// The dimensions of all fields on the way, outer ones first.
    pub shape: Vec<&'p Dim>,
}

impl Program {
    /// The record of a given id.
    pub fn record(&self, r: RecordId) -> &Record {
        &self.records[r.index()]
    }

    /// The record with this name.
    pub fn find_record(&self, name: &str) -> Option<RecordId> {
        let found = self.records.iter().position(|r| r.name == name);
        found.map(RecordId::new)
    }

    /// The name of a type for people: that of a record is its own.
    pub fn type_name(&self, ty: ScalarType) -> &str {
        let record = ty.record().and_then(|r| self.records.get(r.index()));
        record.map_or(ty.name(), |r| &r.name)
    }

    /// The scalars and arrays of scalars that a value of a type consists of, in the order of the layout: of a type that is
    /// no record one, itself. Of records that validation refuses, not more than [`Record::MAX_LEAVES`] and not below
    /// [`Record::MAX_DEPTH`].
    pub fn leaves(&self, ty: ScalarType) -> Vec<Leaf<'_>> {
        let mut leaves = Vec::new();
        let mut open = vec![Leaf {
            path: Vec::new(),
            ty,
            shape: Vec::new(),
        }];
        // Records that validation refuses may have no leaves.
        let mut budget = Record::MAX_LEAVES * Record::MAX_DEPTH;
        while let Some(part) = open.pop() {
            budget -= 1;
            if budget == 0 {
                break;
            }
            let Some(r) = part.ty.record() else {
                leaves.push(part);
                continue;
            };
            if part.path.len() >= Record::MAX_DEPTH || leaves.len() >= Record::MAX_LEAVES {
                continue;
            }
            let fields = self.records.get(r.index()).map_or(&[][..], |r| &r.fields);
            for field in fields.iter().rev() {
                let mut below = part.clone();
                below.path.push(&field.name);
                below.ty = field.ty;
                below.shape.extend(&field.shape);
                open.push(below);
            }
        }
        leaves
    }

    /// The leaf of its type that each of so many initial values of a global is for: one value for each leaf, all elements of
    /// which have it, or one for each cell in the order of the layout. `None` if the number is another one.
    pub fn initial_leaves(&self, global: &Variable, count: usize) -> Option<Vec<usize>> {
        let leaves = self.leaves(global.ty);
        if count == leaves.len() {
            return Some((0..count).collect());
        }
        let mut of_element = Vec::new();
        for (k, leaf) in leaves.iter().enumerate() {
            let mut size = 1usize;
            for dim in &leaf.shape {
                size = size.checked_mul(dim.constant_extent()?)?;
            }
            // No more than there are values.
            if of_element.len().checked_add(size)? > count {
                return None;
            }
            of_element.resize(of_element.len() + size, k);
        }
        let elements = usize::try_from(global.constant_size()?).ok()?;
        let wanted = elements.checked_mul(of_element.len())?;
        (wanted == count).then(|| of_element.into_iter().cycle().take(count).collect())
    }

    /// True if a global or a variable of a routine is a record.
    pub fn has_record_variables(&self) -> bool {
        let globals = self.globals.iter().map(|g| &g.variable);
        let own = self.routines.iter().flat_map(|r| &r.variables);
        !self.records.is_empty() && globals.chain(own).any(|v| v.ty.record().is_some())
    }

    /// True if a type is real, or a record with a real in it, at any depth.
    pub fn has_reals(&self, ty: ScalarType) -> bool {
        ty.is_real() || self.leaves(ty).iter().any(|leaf| leaf.ty.is_real())
    }
}
