//! The cells of types: an object is a sequence of cells, one for each scalar and each pointer in it, in the order of
//! the layout.

use cfg_core::{
    entity::RecordId,
    ir::{Dim, Field, Program, ScalarType},
};
use std::collections::BTreeSet;

/// Number of cells of a value of the type; `i64::MAX` for a value larger than any pool.
pub(super) fn cell_count(program: &Program, ty: ScalarType) -> i64 {
    let mut sum = 0i64;
    for leaf in program.leaves(ty) {
        let shape = leaf.shape.iter().copied();
        sum = sum.saturating_add(elements(shape));
    }
    sum
}

/// Number of elements of constant dimensions.
pub(super) fn elements<'d>(shape: impl Iterator<Item = &'d Dim>) -> i64 {
    let mut count = 1i64;
    for dim in shape {
        let extent = dim.constant_extent();
        let extent = extent.and_then(|n| i64::try_from(n).ok());
        count = count.saturating_mul(extent.unwrap_or(i64::MAX));
    }
    count
}

/// The field of a name, and the number of cells before it.
pub(super) fn field<'p>(
    program: &'p Program,
    record: RecordId,
    name: &str,
) -> Option<(i64, &'p Field)> {
    let mut before = 0i64;
    for field in &program.record(record).fields {
        if field.name == name {
            return Some((before, field));
        }
        let size = cell_count(program, field.ty).saturating_mul(elements(field.shape.iter()));
        before = before.saturating_add(size);
    }
    None
}

/// The types of the cells of a value of the type.
pub(super) fn cell_types(program: &Program, ty: ScalarType) -> BTreeSet<ScalarType> {
    program.leaves(ty).iter().map(|leaf| leaf.ty).collect()
}

/// A field with its elements: those of its own dimensions, and of the arrays around it.
pub(super) struct Elements<'p> {
    /// The number of the first element's cell, from 0.
    pub(super) number: i64,
    pub(super) ty: ScalarType,
    /// The fields on the way, each with its rank.
    pub(super) path: Vec<(&'p str, usize)>,
    /// The dimensions of the fields on the way.
    pub(super) dims: Vec<Steps>,
}

/// A dimension of constant extent.
#[derive(Clone)]
pub(super) struct Steps {
    pub(super) lower: i64,
    pub(super) extent: i64,
    /// The number of cells from one element to the next.
    pub(super) stride: i64,
}

/// The fields of a value of the type that are no records, in the order of the layout. A type that is no record has
/// one, without a name.
pub(super) fn fields(program: &Program, ty: ScalarType) -> Vec<Elements<'_>> {
    let mut found = Vec::new();
    let mut open = vec![Elements {
        number: 0,
        ty,
        path: Vec::new(),
        dims: Vec::new(),
    }];
    while let Some(whole) = open.pop() {
        let Some(record) = whole.ty.record() else {
            found.push(whole);
            continue;
        };
        let mut number = whole.number;
        let mut below = Vec::new();
        for field in &program.record(record).fields {
            let mut path = whole.path.clone();
            path.push((&*field.name, field.shape.len()));
            let mut stride = cell_count(program, field.ty);
            let steps = field.shape.iter().rev().map(|dim| {
                let extent = elements([dim].into_iter());
                let step = Steps {
                    lower: dim.lower.constant().unwrap_or(1),
                    extent,
                    stride,
                };
                stride = stride.saturating_mul(extent);
                step
            });
            let steps: Vec<Steps> = steps.collect();
            let dims = whole.dims.iter().cloned().chain(steps.into_iter().rev());
            below.push(Elements {
                number,
                ty: field.ty,
                path,
                dims: dims.collect(),
            });
            number = number.saturating_add(stride);
        }
        open.extend(below.into_iter().rev());
    }
    found
}

/// A cell of a record: its number from 0, its type, and the way to it.
pub(super) struct Cell<'p> {
    pub(super) number: i64,
    pub(super) ty: ScalarType,
    /// The fields on the way, each with its subscripts.
    pub(super) path: Vec<(&'p str, Vec<i64>)>,
}

/// All cells of a value of the type in the order of the layout; `None` if there are more than `most`.
pub(super) fn each_cell(program: &Program, ty: ScalarType, most: usize) -> Option<Vec<Cell<'_>>> {
    let mut found = Vec::new();
    let mut open = vec![(ty, Vec::new())];
    while let Some((ty, path)) = open.pop() {
        let Some(record) = ty.record() else {
            if found.len() >= most {
                return None;
            }
            found.push(Cell {
                number: found.len() as i64,
                ty,
                path,
            });
            continue;
        };
        let mut below = Vec::new();
        for field in &program.record(record).fields {
            for subscripts in subscripts(&field.shape, most)? {
                let mut path = path.clone();
                path.push((&*field.name, subscripts));
                below.push((field.ty, path));
            }
            if below.len() + found.len() + open.len() > 2 * most {
                return None;
            }
        }
        open.extend(below.into_iter().rev());
    }
    Some(found)
}

/// The subscripts of all elements of constant dimensions, the last one fastest; `None` if there are more than `most`.
fn subscripts(shape: &[Dim], most: usize) -> Option<Vec<Vec<i64>>> {
    let mut all = vec![Vec::new()];
    for dim in shape {
        let (lower, extent) = (dim.lower.constant()?, dim.constant_extent()?);
        if extent.checked_mul(all.len())? > most {
            return None;
        }
        let next = all.iter().flat_map(|before| {
            (0..extent as i64).map(move |k| {
                let mut subscripts: Vec<i64> = before.clone();
                subscripts.push(lower + k);
                subscripts
            })
        });
        all = next.collect();
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfg_format::text;

    /// The elements of all fields are all cells.
    #[test]
    fn elements_of_fields_are_cells() {
        let parsed = text::parse(
            "record Part\n  real a[2, 3 from 0]\n  integer n\nend\nrecord Whole\n  integer m\n  record Part parts[3 from -1]\n  real b[2]\nend\nmain subroutine f(in record Whole w, out real y)\n  y := w.b[1]\nend\n",
        );
        let problems = parsed.problems.to_string();
        let program = parsed.program.unwrap_or_else(|| panic!("{problems}"));
        let w = program.routines[0]
            .find_variable("w")
            .expect("it is declared");
        let ty = program.routines[0].variable(w).ty;
        let mut found = Vec::new();
        for field in fields(&program, ty) {
            let mut elements = vec![(field.number, Vec::new())];
            for dim in &field.dims {
                let next = elements.iter().flat_map(|(number, before)| {
                    (0..dim.extent).map(move |k| {
                        let at = [&before[..], &[dim.lower + k]].concat();
                        (number + k * dim.stride, at)
                    })
                });
                elements = next.collect();
            }
            let names: Vec<&str> = field.path.iter().map(|(name, _)| *name).collect();
            let all = elements.into_iter();
            found.extend(all.map(|(number, at)| (number, field.ty, names.clone(), at)));
        }
        found.sort_by_key(|(number, ..)| *number);
        let cells = each_cell(&program, ty, 100).expect("there are few");
        let listed = cells.into_iter().map(|cell| {
            let names = cell.path.iter().map(|(name, _)| *name).collect();
            let at: Vec<i64> = cell.path.into_iter().flat_map(|(_, at)| at).collect();
            (cell.number, cell.ty, names, at)
        });
        assert_eq!(
            found,
            listed.collect::<Vec<(i64, ScalarType, Vec<&str>, Vec<i64>)>>()
        );
    }

    /// Cells are listed up to a number, those of records in records and of arrays among them.
    #[test]
    fn cells_are_listed_up_to_a_number() {
        let parsed = text::parse(
            "record Part\n  real a[2]\n  integer n\nend\nrecord Whole\n  record Part parts[2]\n  real b\nend\nmain subroutine f(in record Whole w, out real y)\n  y := w.b\nend\n",
        );
        let problems = parsed.problems.to_string();
        let program = parsed.program.unwrap_or_else(|| panic!("{problems}"));
        let routine = &program.routines[0];
        let w = routine.find_variable("w").expect("it is declared");
        let listed = |most| each_cell(&program, routine.variable(w).ty, most).map(|all| all.len());
        assert_eq!([8, 7, 6].map(listed), [Some(7), Some(7), None]);
    }
}
