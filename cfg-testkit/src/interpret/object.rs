//! Objects and pointers: every use of a pointer looks up its object in tables and checks it.
//!
//! An object is the storage of a variable or of an argument, or what an `allocate` made: a sequence of cells. A pointer is
//! an object and a cell of it, which need not exist until the pointer is used.

use super::pointer::{Object, Pointer, PointerFault};
use super::storage::{Cells, View, cells_of};
use super::{Derivative, FaultKind, Value};
use cfg_core::ir::{PointerType, Program, ScalarType};

type Result<T> = std::result::Result<T, FaultKind>;

/// The types of the cells of a value of a type.
fn layout(program: &Program, ty: ScalarType, found: &mut Vec<ScalarType>) -> Result<()> {
    let Some(r) = ty.record() else {
        found.push(ty);
        return Ok(());
    };
    for field in &program.record(r).fields {
        let bounds = field.shape.iter().map(super::storage::field_bounds);
        let count = bounds.map(|b| Some(b?.1)).product::<Option<i64>>();
        for _ in 0..count.ok_or(FaultKind::Type)? {
            layout(program, field.ty, found)?;
        }
    }
    Ok(())
}

fn fault<T>(fault: PointerFault) -> Result<T> {
    Err(FaultKind::Pointer(fault))
}

impl<D: Derivative> Cells<D> {
    fn object(&self, id: usize) -> Result<&Object> {
        for list in [&self.stack, &self.heap] {
            if let Ok(k) = list.binary_search_by_key(&id, |o| o.id) {
                let object = &list[k];
                return match object.freed {
                    Some(freed) => fault(PointerFault::Freed(object.made, freed)),
                    None => Ok(object),
                };
            }
        }
        fault(PointerFault::Left)
    }

    /// The pointer to the first cell of a view.
    pub(super) fn address(&self, program: &Program, view: &View) -> Result<Value<D>> {
        if view.dims.iter().any(|span| span.extent == 0) {
            return Err(FaultKind::Bounds);
        }
        let cell = view.first();
        let list = match super::storage::is_on_heap(cell) {
            true => &self.heap,
            false => &self.stack,
        };
        let behind = list.partition_point(|o| o.base <= cell);
        let object = list[..behind].iter().rev().find(|o| o.cells > 0);
        let object = object.ok_or(FaultKind::Type)?;
        let cell = cell - object.base;
        let ty = match view.record {
            Some(r) => ScalarType::Record(r),
            None => {
                let mut types = Vec::new();
                layout(program, object.ty, &mut types)?;
                types[cell % types.len()]
            }
        };
        let pointer = Pointer {
            object: object.id,
            cell: cell as i64,
        };
        Ok(Value::Pointer(to(ty)?, Some(pointer)))
    }

    /// The cells of the element so many elements behind a pointer.
    pub(super) fn target(
        &self,
        program: &Program,
        pointer: &Value<D>,
        offset: i64,
    ) -> Result<View> {
        let Value::Pointer(ty, pointer) = moved(program, pointer, offset)? else {
            return Err(FaultKind::Type);
        };
        let Some(pointer) = pointer else {
            return fault(PointerFault::Null);
        };
        let pointee = ty.pointee();
        let size = cells_of(program, pointee).ok_or(FaultKind::Type)?;
        let object = self.object(pointer.object)?;
        let fits = |first: usize| {
            first
                .checked_add(size as usize)
                .is_some_and(|e| e <= object.cells)
        };
        let Some(first) = usize::try_from(pointer.cell).ok().filter(|&c| fits(c)) else {
            return fault(PointerFault::Outside(object.made));
        };
        let (mut has, mut wants) = (Vec::new(), Vec::new());
        layout(program, object.ty, &mut has)?;
        layout(program, pointee, &mut wants)?;
        let same = (wants.iter().enumerate()).all(|(k, ty)| has[(first + k) % has.len()] == *ty);
        if !same {
            return fault(PointerFault::Layout(object.made));
        }
        let bounds: &[(i64, i64)] = match pointee.record() {
            Some(_) => &[(1, size)],
            None => &[],
        };
        Ok(View::dense(object.base + first, bounds, false).with_type(pointee))
    }

    /// An object on the heap.
    pub(super) fn make(
        &mut self,
        program: &Program,
        ty: ScalarType,
        count: i64,
        zeroed: bool,
        limit: usize,
    ) -> Result<Value<D>> {
        let size = cells_of(program, ty).ok_or(FaultKind::Type)?;
        if count < 0 {
            return fault(PointerFault::Count);
        }
        let cells = count.checked_mul(size).ok_or(FaultKind::Memory)?;
        let cells = usize::try_from(cells).map_err(|_| FaultKind::Memory)?;
        let object = self.allocate_on_heap(cells, limit, ty)?;
        if zeroed {
            let mut types = Vec::new();
            layout(program, ty, &mut types)?;
            for k in 0..cells {
                *self.raw(self.heap[object].base + k) = zero(types[k % types.len()]);
            }
        }
        let object = self.heap[object].id;
        Ok(Value::Pointer(to(ty)?, Some(Pointer { object, cell: 0 })))
    }

    /// Ends the object on the heap to whose first cell a pointer points.
    pub(super) fn end(&mut self, pointer: &Value<D>) -> Result<()> {
        let k = match pointer {
            Value::Pointer(_, None) => return Ok(()),
            Value::Pointer(_, Some(pointer)) => self.on_heap(*pointer)?,
            Value::Undefined => return Err(FaultKind::Undefined),
            _ => return Err(FaultKind::Type),
        };
        self.heap[k].freed = Some(self.now);
        Ok(())
    }

    /// The position of the object on the heap to whose first cell a pointer points.
    fn on_heap(&self, pointer: Pointer) -> Result<usize> {
        let made = self.object(pointer.object)?.made;
        match self.heap.binary_search_by_key(&pointer.object, |o| o.id) {
            Ok(k) if pointer.cell == 0 => Ok(k),
            _ => fault(PointerFault::NoObject(made)),
        }
    }

    /// A new object with the contents of another one, which ends.
    pub(super) fn renew(
        &mut self,
        program: &Program,
        pointer: &Value<D>,
        ty: ScalarType,
        count: i64,
        limit: usize,
    ) -> Result<Value<D>> {
        let old = match pointer {
            Value::Pointer(_, None) => None,
            Value::Pointer(_, Some(pointer)) => Some(self.on_heap(*pointer)?),
            Value::Undefined => return Err(FaultKind::Undefined),
            _ => return Err(FaultKind::Type),
        };
        if let Some(old) = old
            && self.heap[old].ty != ty
        {
            return fault(PointerFault::Layout(self.heap[old].made));
        }
        let made = self.make(program, ty, count, false, limit)?;
        if let Some(old) = old {
            let new = self.heap.len() - 1;
            let (from, to) = (self.heap[old], self.heap[new]);
            for k in 0..from.cells.min(to.cells) {
                let value = self.raw(from.base + k).clone();
                *self.raw(to.base + k) = value;
            }
            self.heap[old].freed = Some(self.now);
        }
        Ok(made)
    }

    /// The number of elements that one pointer is behind another.
    pub(super) fn distance(
        &self,
        program: &Program,
        first: &Value<D>,
        second: &Value<D>,
    ) -> Result<i64> {
        let cells = self.difference(first, second)?;
        let Value::Pointer(ty, Some(pointer)) = first else {
            return Ok(0);
        };
        let size = cells_of(program, ty.pointee()).ok_or(FaultKind::Type)?;
        match cells.checked_rem(size) {
            Some(0) => Ok(cells / size),
            _ => fault(PointerFault::Layout(self.object(pointer.object)?.made)),
        }
    }

    /// The number of cells that one pointer is behind another into the same object; of null and null 0.
    pub(super) fn difference(&self, first: &Value<D>, second: &Value<D>) -> Result<i64> {
        match (first, second) {
            (Value::Undefined, _) | (_, Value::Undefined) => Err(FaultKind::Undefined),
            (Value::Pointer(_, None), Value::Pointer(_, None)) => Ok(0),
            (Value::Pointer(_, Some(a)), Value::Pointer(_, Some(b))) if a.object == b.object => {
                a.cell.checked_sub(b.cell).ok_or(FaultKind::Overflow)
            }
            (Value::Pointer(_, Some(a)), Value::Pointer(_, Some(b))) => {
                let (a, b) = (self.object(a.object)?, self.object(b.object)?);
                fault(PointerFault::Apart(a.made, b.made))
            }
            (Value::Pointer(..), Value::Pointer(..)) => fault(PointerFault::Null),
            _ => Err(FaultKind::Type),
        }
    }
}

/// The pointer to a type.
fn to(ty: ScalarType) -> Result<PointerType> {
    PointerType::to(ty).ok_or(FaultKind::Type)
}

/// A pointer moved by so many elements.
pub(super) fn moved<D>(program: &Program, pointer: &Value<D>, by: i64) -> Result<Value<D>> {
    match pointer {
        Value::Undefined => Err(FaultKind::Undefined),
        Value::Pointer(ty, None) if by == 0 => Ok(Value::Pointer(*ty, None)),
        Value::Pointer(_, None) => fault(PointerFault::Null),
        Value::Pointer(ty, Some(pointer)) => {
            let size = cells_of(program, ty.pointee()).ok_or(FaultKind::Type)?;
            let cells = by.checked_mul(size).ok_or(FaultKind::Overflow)?;
            let cell = pointer.cell.checked_add(cells);
            let moved = Pointer {
                cell: cell.ok_or(FaultKind::Overflow)?,
                ..*pointer
            };
            Ok(Value::Pointer(*ty, Some(moved)))
        }
        _ => Err(FaultKind::Type),
    }
}

/// The value of a cell in an object that is zero at first.
fn zero<D: Derivative>(ty: ScalarType) -> Value<D> {
    match ty {
        ScalarType::Real => Value::Real(0.0, D::constant()),
        ScalarType::Real32 => Value::Real32(0.0, D::constant()),
        ScalarType::Integer => Value::Integer(0),
        ScalarType::Sized(ty) => Value::Sized(ty, 0),
        ScalarType::Logical => Value::Logical(false),
        ScalarType::Pointer(ty) => Value::Pointer(ty, None),
        ScalarType::Tape | ScalarType::Record(_) => Value::Undefined,
    }
}
