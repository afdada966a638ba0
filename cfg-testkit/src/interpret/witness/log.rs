//! The log of a run, and the cells at its end, which go back in time as the log is undone.

use super::super::{value::Value, view::View};
use cfg_core::entity::{RoutineId, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// An event of a run. Activations are those of forward sweeps, numbered from 1.
#[derive(Clone, Debug)]
pub(super) enum Event<D> {
    /// An activation begins.
    Enter(usize),
    /// An activation of this routine ends, with its variables.
    Leave(usize, RoutineId, Vec<View>),
    /// An activation visits the copy of this vertex of the original; 0: a vertex that the original does not have.
    Visit(usize, i64),
    /// An activation executes a statement, by its number in the original.
    Statement(usize, Option<usize>),
    /// The statement reads a cell.
    Read(usize, Read, Value<D>),
    /// A cell is overwritten, which had this value.
    Write(usize, Value<D>),
    /// Cells are made, from this one on.
    Allocation(usize),
    /// The last cells are released, which had these values.
    Release(Vec<Value<D>>),
    /// A variable of an activation gets other cells than these.
    View(usize, VarId, View),
}

/// A cell, and the element of a variable that it is, if it was found by a name.
#[derive(Clone, Debug)]
pub(super) struct Read {
    pub(super) name: Option<(VarId, Vec<i64>)>,
    pub(super) cell: usize,
}

/// The values that a statement read, by element of a variable and by cell.
#[derive(Debug)]
pub(super) struct Operands<D> {
    by_name: BTreeMap<(VarId, Vec<i64>), Vec<Value<D>>>,
    by_cell: BTreeMap<usize, Vec<Value<D>>>,
}

impl<D> Operands<D> {
    /// The values read of an element that is this cell now; an array may have had other cells.
    pub(super) fn get(
        &self,
        v: VarId,
        element: Option<&[i64]>,
        cell: Option<usize>,
    ) -> Option<&Vec<Value<D>>> {
        let named = element.and_then(|e| self.by_name.get(&(v, e.to_vec())));
        named.or_else(|| self.by_cell.get(&cell?))
    }
}

/// The events so far, and the cells at the end of the log once it is undone.
#[derive(Debug)]
pub(super) struct Log<D> {
    events: Vec<Event<D>>,
    cells: Vec<Value<D>>,
}

impl<D> Default for Log<D> {
    fn default() -> Self {
        Self {
            events: Vec::new(),
            cells: Vec::new(),
        }
    }
}

impl<D: Clone> Log<D> {
    pub(super) fn push(&mut self, event: Event<D>) {
        self.events.push(event);
    }

    pub(super) fn len(&self) -> usize {
        self.events.len()
    }

    /// Takes over the cells as they are at the end of the log.
    pub(super) fn start_undoing(&mut self, cells: &[Value<D>]) {
        self.cells = cells.to_vec();
    }

    /// The value of a cell at the end of the log.
    pub(super) fn cell(&self, cell: usize) -> Option<&Value<D>> {
        self.cells.get(cell)
    }

    /// Undoes the last event.
    pub(super) fn pop(&mut self) -> Option<Event<D>> {
        let event = self.events.pop()?;
        match &event {
            Event::Write(cell, old) => {
                if let Some(slot) = self.cells.get_mut(*cell) {
                    slot.clone_from(old);
                }
            }
            Event::Allocation(base) => self.cells.truncate(*base),
            Event::Release(values) => self.cells.extend_from_slice(values),
            Event::Enter(_)
            | Event::Leave(..)
            | Event::Visit(..)
            | Event::Statement(..)
            | Event::Read(..)
            | Event::View(..) => {}
        }
        Some(event)
    }

    fn backwards(&self) -> impl Iterator<Item = (usize, &Event<D>)> {
        self.events.iter().enumerate().rev()
    }

    /// The end of the last activation of a forward sweep, behind an event.
    pub(super) fn last_left(&self, forward: RoutineId, behind: Option<usize>) -> Option<usize> {
        let behind = behind.unwrap_or(0);
        let mut events = self.backwards().take_while(|(at, _)| *at >= behind);
        let found = events.find(|(_, e)| matches!(e, Event::Leave(_, r, _) if *r == forward));
        found.map(|(at, _)| at)
    }

    /// The begin of an activation.
    pub(super) fn entry(&self, activation: usize) -> Option<usize> {
        let mut events = self.backwards();
        let found = events.find(|(_, e)| matches!(e, Event::Enter(a) if *a == activation));
        found.map(|(at, _)| at)
    }

    /// The last visit of a vertex in an activation, and the end of this visit, where the next one begins.
    pub(super) fn last_visit(&self, activation: usize, vertex: i64) -> Option<(usize, usize)> {
        let mut end = self.events.len();
        for (at, event) in self.backwards() {
            match event {
                Event::Visit(a, of) if *a == activation => {
                    if *of == vertex {
                        return Some((at, end));
                    }
                    end = at;
                }
                Event::Enter(a) if *a == activation => return None,
                Event::Enter(_)
                | Event::Leave(..)
                | Event::Visit(..)
                | Event::Statement(..)
                | Event::Read(..)
                | Event::Write(..)
                | Event::Allocation(_)
                | Event::Release(_)
                | Event::View(..) => {}
            }
        }
        None
    }

    /// True if the activation visits one of these vertices in the log from an event on.
    pub(super) fn visits_between(
        &self,
        activation: usize,
        from: usize,
        vertices: &BTreeSet<i64>,
    ) -> bool {
        let mut events = self.events[from..].iter();
        events
            .any(|e| matches!(e, Event::Visit(a, of) if *a == activation && vertices.contains(of)))
    }

    /// The begin of the first execution, in the visit at an event, of a statement that follows another one.
    pub(super) fn first_behind(
        &self,
        activation: usize,
        visit: usize,
        number: usize,
    ) -> Option<usize> {
        let mut events = self.events.iter().enumerate().skip(visit + 1);
        let is_behind = |event: &Event<D>| match event {
            Event::Statement(a, Some(n)) => *a == activation && *n > number,
            _ => false,
        };
        events.find(|(_, event)| is_behind(event)).map(|(at, _)| at)
    }

    /// The last execution of a statement in the visit at an event: its end, and the values that it read. A statement
    /// that was split into several in a row is one.
    pub(super) fn last_statement(
        &self,
        activation: usize,
        visit: usize,
        number: usize,
    ) -> Option<(usize, Operands<D>)> {
        let mut end = self.events.len();
        let mut start = None;
        for (at, event) in self.events.iter().enumerate().skip(visit + 1).rev() {
            if let Event::Statement(a, n) = event
                && *a == activation
            {
                match (*n == Some(number), start) {
                    (true, _) => start = Some(at),
                    (false, Some(_)) => break,
                    (false, None) => end = at,
                }
            }
        }
        let start = start?;
        let mut operands = Operands {
            by_name: BTreeMap::new(),
            by_cell: BTreeMap::new(),
        };
        for event in &self.events[start..end] {
            if let Event::Read(a, Read { name, cell }, value) = event
                && *a == activation
            {
                let values = operands.by_cell.entry(*cell).or_default();
                values.push(value.clone());
                if let Some(name) = name {
                    let values = operands.by_name.entry(name.clone()).or_default();
                    values.push(value.clone());
                }
            }
        }
        Some((end, operands))
    }
}
