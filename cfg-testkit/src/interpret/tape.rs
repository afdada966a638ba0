//! Tapes with a stack per class; a pop is checked to ask for the kind of value that was pushed.

use super::{Derivative, FaultKind, Value};
use cfg_core::ir::{ControlWidth, TapeClass};

/// One tape: a stack per kind of value. Control values keep the width they were pushed with.
#[derive(Debug)]
pub(super) struct Tape<D> {
    control: Vec<(ControlWidth, Value<D>)>,
    integers: Vec<Value<D>>,
    reals: Vec<Value<D>>,
    narrow: Vec<Value<D>>,
    disk: Vec<Value<D>>,
}

impl<D: Derivative> Tape<D> {
    pub(super) fn new() -> Self {
        Self {
            control: Vec::new(),
            integers: Vec::new(),
            reals: Vec::new(),
            narrow: Vec::new(),
            disk: Vec::new(),
        }
    }

    pub(super) fn len(&self) -> usize {
        let values = [&self.integers, &self.reals, &self.narrow, &self.disk];
        self.control.len() + values.map(Vec::len).iter().sum::<usize>()
    }

    pub(super) fn push(&mut self, class: TapeClass, value: Value<D>) -> Result<(), FaultKind> {
        match (class, &value) {
            (TapeClass::Control(width), _) => {
                let fits = match (width, &value) {
                    (ControlWidth::Bits(b), Value::Integer(i)) => {
                        u64::try_from(*i).is_ok_and(|i| i < 1 << b)
                    }
                    (ControlWidth::Bits(_), Value::Logical(_) | Value::Undefined) => true,
                    (ControlWidth::Count, Value::Integer(i)) => *i >= 0,
                    _ => false,
                };
                if !fits {
                    return Err(FaultKind::Tape);
                }
                self.control.push((width, value));
            }
            (TapeClass::Integer, Value::Integer(_) | Value::Sized(..) | Value::Undefined) => {
                self.integers.push(value);
            }
            (TapeClass::Real, Value::Real(..) | Value::Undefined) => self.reals.push(value),
            (TapeClass::Real32, Value::Real32(..) | Value::Undefined) => self.narrow.push(value),
            (TapeClass::Disk, _) => self.disk.push(value),
            _ => return Err(FaultKind::Tape),
        }
        Ok(())
    }

    pub(super) fn pop(&mut self, class: TapeClass) -> Result<Value<D>, FaultKind> {
        let value = match class {
            TapeClass::Control(width) => match self.control.pop() {
                Some((w, value)) if w == width => Some(value),
                _ => None,
            },
            TapeClass::Integer => self.integers.pop(),
            TapeClass::Real => self.reals.pop(),
            TapeClass::Real32 => self.narrow.pop(),
            TapeClass::Disk => self.disk.pop(),
        };
        value.ok_or(FaultKind::Tape)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pop_must_match() {
        let mut tape: Tape<()> = Tape::new();
        let bits = |b| TapeClass::Control(ControlWidth::Bits(b));
        assert_eq!(tape.push(bits(1), Value::Integer(2)), Err(FaultKind::Tape));
        assert_eq!(
            tape.push(TapeClass::Real, Value::Integer(2)),
            Err(FaultKind::Tape)
        );
        assert_eq!(tape.push(bits(2), Value::Integer(2)), Ok(()));
        assert_eq!(tape.push(TapeClass::Real, Value::Real(0.5, ())), Ok(()));
        assert_eq!(tape.len(), 2);
        assert_eq!(tape.pop(TapeClass::Real), Ok(Value::Real(0.5, ())));
        assert_eq!(tape.pop(TapeClass::Real), Err(FaultKind::Tape));
        assert_eq!(tape.pop(bits(1)), Err(FaultKind::Tape));
    }
}
