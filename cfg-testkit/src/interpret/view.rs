//! Descriptors: a variable is a base and, per dimension, a lower bound, an extent and a stride in cells.

use cfg_core::entity::RecordId;
use cfg_core::ir::ScalarType;
use std::rc::Rc;

/// The cells of a variable or a section.
#[derive(Clone, Debug, Default)]
pub(super) struct View {
    /// Position of the first element: a cell, or a place in `list`.
    pub(super) base: usize,
    /// The cells of an argument that have gaps between them, for the parameter bound to it.
    pub(super) list: Option<Rc<[usize]>>,
    pub(super) dims: Vec<Span>,
    /// The first subscript varies fastest in storage.
    pub(super) column: bool,
    /// False of an allocatable array that has no storage yet.
    pub(super) allocated: bool,
    /// The record that the elements are. Its cells are a last dimension, field after field.
    pub(super) record: Option<RecordId>,
}

/// One dimension of a [`View`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    pub(super) lower: i64,
    pub(super) extent: i64,
    pub(super) stride: i64,
}

impl View {
    /// A dense array from `base`.
    pub(super) fn dense(base: usize, bounds: &[(i64, i64)], column: bool) -> Self {
        let mut dims: Vec<Span> = bounds
            .iter()
            .map(|&(lower, extent)| Span {
                lower,
                extent: extent.max(0),
                stride: 1,
            })
            .collect();
        let mut stride = 1;
        let n = dims.len();
        for k in 0..n {
            let d = if column { k } else { n - 1 - k };
            dims[d].stride = stride;
            stride *= dims[d].extent;
        }
        Self {
            base,
            list: None,
            dims,
            column,
            allocated: true,
            record: None,
        }
    }

    /// The view with the record that a type is, whose cells are its last dimension.
    pub(super) fn with_type(self, ty: ScalarType) -> Self {
        Self {
            record: ty.record(),
            ..self
        }
    }

    /// The cell at a position.
    fn cell(&self, position: usize) -> usize {
        match &self.list {
            Some(list) => list[position],
            None => position,
        }
    }

    /// The distance of an element from the first one along each dimension.
    pub(super) fn element(&self, cell: usize) -> Option<Vec<i64>> {
        let position = match &self.list {
            Some(list) => list.iter().position(|&c| c == cell)?,
            None => cell,
        };
        let mut rest = i64::try_from(position).ok()? - i64::try_from(self.base).ok()?;
        // Along dimensions with negative strides, from the other end.
        let mut order: Vec<usize> = (0..self.dims.len()).collect();
        for d in self.dims.iter().filter(|d| d.stride < 0) {
            rest -= (d.extent - 1) * d.stride;
        }
        order.sort_by_key(|&k| std::cmp::Reverse(self.dims[k].stride.abs()));
        let mut element = vec![0; self.dims.len()];
        for k in order {
            let d = &self.dims[k];
            let steps = match d.stride {
                0 => 0,
                stride => rest / stride.abs(),
            };
            rest -= steps * d.stride.abs();
            if !(0..d.extent).contains(&steps) {
                return None;
            }
            element[k] = match d.stride < 0 {
                true => d.extent - 1 - steps,
                false => steps,
            };
        }
        (rest == 0).then_some(element)
    }

    /// The cell of an element, by its distances from the first one.
    pub(super) fn at(&self, element: &[i64]) -> Option<usize> {
        let within = |(d, k): (&Span, &i64)| (0..d.extent).contains(k);
        if !self.allocated
            || element.len() != self.dims.len()
            || !self.dims.iter().zip(element).all(within)
        {
            return None;
        }
        let steps = self.dims.iter().zip(element).map(|(d, k)| d.stride * k);
        let position = usize::try_from(self.base as i64 + steps.sum::<i64>()).ok()?;
        match &self.list {
            Some(list) => list.get(position).copied(),
            None => Some(position),
        }
    }

    /// Cell of the first element.
    pub(super) fn first(&self) -> usize {
        self.cell(self.base)
    }

    /// Number of elements.
    pub(super) fn len(&self) -> usize {
        self.dims.iter().map(|d| d.extent as usize).product()
    }

    pub(super) fn extents(&self) -> Vec<usize> {
        self.dims.iter().map(|d| d.extent as usize).collect()
    }

    /// The cells, the last subscript varying fastest.
    pub(super) fn cells(&self) -> Vec<usize> {
        let mut cells = vec![self.base as i64];
        for d in &self.dims {
            cells = cells
                .iter()
                .flat_map(|&c| (0..d.extent).map(move |k| c + k * d.stride))
                .collect();
        }
        cells.into_iter().map(|c| self.cell(c as usize)).collect()
    }

    /// The cells in storage order.
    pub(super) fn storage_cells(&self) -> Vec<usize> {
        let cells = self.cells();
        if self.column && self.dims.len() > 1 {
            super::value::storage_positions(&self.extents())
                .map(|i| cells[i])
                .collect()
        } else {
            cells
        }
    }
}
