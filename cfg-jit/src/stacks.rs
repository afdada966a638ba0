//! The stacks of tapes that a routine uses.

use cfg_exec::native::{Code, Instr, Reg};

use crate::{
    operands::written,
    places::{Loc, MOST_STACKS, top},
};

/// The kind of a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    Real,
    Integer,
    Bits,
}

/// A stack of the tape whose handle a register holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stack {
    pub(crate) handle: Reg,
    pub(crate) class: Class,
    pub(crate) is_pushed: bool,
    pub(crate) is_popped: bool,
}

/// The stacks of a routine, by number.
#[derive(Debug, Default)]
pub(crate) struct Stacks(pub(crate) Vec<Stack>);

/// The handle, the class and the direction (true: a push) of an instruction of a tape that machine code does.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "all other instructions use no tape, or are the executor's"
)]
fn access(instr: Instr) -> Option<(Reg, Class, bool)> {
    Some(match instr {
        Instr::PushReal { h, .. } => (h, Class::Real, true),
        Instr::PopReal { h, .. } => (h, Class::Real, false),
        Instr::PushInt { h, .. } => (h, Class::Integer, true),
        Instr::PopInt { h, .. } => (h, Class::Integer, false),
        Instr::PushBits { h, .. } | Instr::PushLogical { h, .. } | Instr::PushCount { h, .. } => {
            (h, Class::Bits, true)
        }
        Instr::PopBits { h, .. } | Instr::PopLogical { h, .. } | Instr::PopCount { h, .. } => {
            (h, Class::Bits, false)
        }
        _ => return None,
    })
}

impl Stacks {
    /// The stacks of a routine. A handle that an instruction writes is not known when the code is entered: the
    /// executor uses its stacks.
    pub(crate) fn of(code: &Code) -> Self {
        let mut changes = [false; 256];
        for &instr in code.instrs() {
            written(instr, |r, _| changes[usize::from(r)] = true);
        }
        let mut found: Vec<Stack> = Vec::new();
        for (handle, class, pushes) in code.instrs().iter().filter_map(|&instr| access(instr)) {
            let known = found
                .iter()
                .position(|s| (s.handle, s.class) == (handle, class));
            match known {
                Some(k) => {
                    found[k].is_pushed |= pushes;
                    found[k].is_popped |= !pushes;
                }
                None if found.len() < MOST_STACKS && !changes[usize::from(handle)] => {
                    found.push(Stack {
                        handle,
                        class,
                        is_pushed: pushes,
                        is_popped: !pushes,
                    });
                }
                None => {}
            }
        }
        Self(found)
    }

    /// The number of the stack that an instruction uses.
    pub(crate) fn used(&self, instr: Instr) -> Option<usize> {
        let (handle, class, _) = access(instr)?;
        self.0
            .iter()
            .position(|s| (s.handle, s.class) == (handle, class))
    }

    /// The place of the top of the stack that an instruction uses.
    pub(crate) fn top(&self, instr: Instr) -> Option<Loc> {
        self.used(instr).map(top)
    }
}
