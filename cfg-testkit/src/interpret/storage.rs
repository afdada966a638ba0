//! Cells.

use super::pointer::{Moment, Object};
use super::value::Alive;
pub(super) use super::view::{Span, View};
use super::witness::Witness;
use super::{Derivative, FaultKind, Value};
use cfg_core::entity::{RoutineId, VarId};
use cfg_core::ir::{Dim, Extent, Program, ScalarType};

/// Lower bound and extent of a dimension of a field.
pub(super) fn field_bounds(dim: &Dim) -> Option<(i64, i64)> {
    let extent = match &dim.extent {
        Extent::Fixed(e) => e.constant()?,
        Extent::Deferred => return None,
    };
    Some((dim.lower.constant()?, extent.max(0)))
}

/// Number of cells of a value of a type.
pub(super) fn cells_of(program: &Program, ty: ScalarType) -> Option<i64> {
    let Some(r) = ty.record() else {
        return Some(1);
    };
    let mut cells = 0;
    for field in &program.record(r).fields {
        let bounds = field.shape.iter().map(field_bounds);
        let count = bounds.map(|b| Some(b?.1)).product::<Option<i64>>()?;
        cells += count * cells_of(program, field.ty)?;
    }
    Some(cells)
}

/// The number of the first cell on the heap.
const HEAP: usize = 1 << 60;

/// True of cells on the heap.
pub(super) fn is_on_heap(cell: usize) -> bool {
    cell >= HEAP
}

/// All cells. Globals and the storage of each active call form a stack; cells of the heap are never used again.
#[derive(Debug)]
pub(super) struct Cells<D> {
    values: Vec<Value<D>>,
    flags: Vec<u8>,
    heap_values: Vec<Value<D>>,
    /// The objects on the stack, and those that were made on the heap; by number, which is by their cells, too.
    pub(super) stack: Vec<Object>,
    pub(super) heap: Vec<Object>,
    /// The number of the next object.
    next: usize,
    /// The statement that is being executed.
    pub(super) now: Moment,
    /// An element was overwritten and its new value used.
    pub(super) overwritten_element_used: bool,
    pub(super) overwritten_index: bool,
    /// The comparison of reverse sweeps with forward sweeps, if it is asked for.
    pub(super) witness: Option<Box<Witness<D>>>,
}

/// The cell's value was stored over another one through a subscript.
const OVERWRITTEN: u8 = 1;
/// The cell's value was used in a subscript.
const SUBSCRIPT: u8 = 2;

impl<D: Derivative> Cells<D> {
    pub(super) fn new(now: Moment) -> Self {
        Self {
            values: Vec::new(),
            flags: Vec::new(),
            heap_values: Vec::new(),
            stack: Vec::new(),
            heap: Vec::new(),
            next: 0,
            now,
            overwritten_element_used: false,
            overwritten_index: false,
            witness: None,
        }
    }

    pub(super) fn mark(&self) -> usize {
        self.values.len()
    }

    pub(super) fn release(&mut self, mark: usize) {
        if let Some(witness) = &mut self.witness {
            witness.note_release(self.values.get(mark..).unwrap_or(&[]));
        }
        self.values.truncate(mark);
        self.flags.truncate(mark);
        let kept = self.stack.partition_point(|o| o.base < mark);
        self.stack.truncate(kept);
    }

    /// Storage for a variable or an argument, with elements of this type.
    pub(super) fn allocate(
        &mut self,
        n: usize,
        limit: usize,
        ty: ScalarType,
    ) -> Result<usize, FaultKind> {
        let base = self.values.len();
        if n > limit.saturating_sub(base + self.heap_values.len()) {
            return Err(FaultKind::Memory);
        }
        if let Some(witness) = &mut self.witness {
            witness.note_allocation(base);
        }
        let object = Object::new(self.next, base, n, ty, self.now);
        self.next += 1;
        self.stack.push(object);
        self.values.resize(base + n, Value::Undefined);
        self.flags.resize(base + n, 0);
        Ok(base)
    }

    /// The position of a new object on the heap.
    pub(super) fn allocate_on_heap(
        &mut self,
        n: usize,
        limit: usize,
        ty: ScalarType,
    ) -> Result<usize, FaultKind> {
        let base = self.heap_values.len();
        if n > limit.saturating_sub(base + self.values.len()) {
            return Err(FaultKind::Memory);
        }
        self.heap_values.resize(base + n, Value::Undefined);
        let object = Object::new(self.next, HEAP + base, n, ty, self.now);
        self.next += 1;
        self.heap.push(object);
        Ok(self.heap.len() - 1)
    }

    /// The objects on the heap that are alive, with their cells, and the number of all that were made.
    pub(super) fn on_heap_at_end(&mut self) -> (Alive<D>, usize) {
        let objects: Vec<_> = self.heap.iter().filter(|o| o.is_alive()).collect();
        let alive = objects.into_iter().map(|object| {
            let (id, cells) = object.extent();
            let cells = cells.start - HEAP..cells.end - HEAP;
            (id, self.heap_values[cells].to_vec())
        });
        (alive.collect(), self.heap.len())
    }

    /// Reads a cell; `subscript` if the value decides an address.
    pub(super) fn read(&mut self, cell: usize, subscript: bool) -> Value<D> {
        if is_on_heap(cell) {
            return self.heap_values[cell - HEAP].clone();
        }
        if self.flags[cell] & OVERWRITTEN != 0 {
            self.overwritten_element_used = true;
        }
        if subscript {
            self.flags[cell] |= SUBSCRIPT;
        }
        self.values[cell].clone()
    }

    /// Stores a value; `element` if through a subscript.
    pub(super) fn write(&mut self, cell: usize, value: Value<D>, element: bool) {
        if is_on_heap(cell) {
            self.heap_values[cell - HEAP] = value;
            return;
        }
        if let Some(witness) = &mut self.witness {
            witness.note_write(cell, &self.values[cell]);
        }
        if self.flags[cell] & SUBSCRIPT != 0 {
            self.overwritten_index = true;
        }
        let over = element && !matches!(self.values[cell], Value::Undefined);
        self.flags[cell] = if over { OVERWRITTEN } else { 0 };
        self.values[cell] = value;
    }

    /// Access to a cell that does not count as a use.
    pub(super) fn raw(&mut self, cell: usize) -> &mut Value<D> {
        match is_on_heap(cell) {
            true => &mut self.heap_values[cell - HEAP],
            false => {
                if let Some(witness) = &mut self.witness {
                    witness.note_write(cell, &self.values[cell]);
                }
                &mut self.values[cell]
            }
        }
    }

    /// Tells the witness of a call, which may number it.
    pub(super) fn begin_call(&mut self, routine: RoutineId) -> usize {
        let witness = self.witness.as_mut();
        witness.map_or(0, |witness| witness.enter(routine, &self.values))
    }

    /// Tells the witness of a read.
    pub(super) fn observe(&mut self, v: VarId, whole: &View, cell: usize, value: &Value<D>) {
        if let Some(witness) = &mut self.witness {
            witness.observe(v, whole, cell, value);
        }
    }
}
