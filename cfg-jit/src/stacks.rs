//! The stacks of tapes that a routine uses.

use cfg_exec::native::{Instr, Operation, Reg};

use crate::{
    operands::{Class, access, written},
    places::{Loc, MOST_STACKS, top},
    unit::Unit,
};

/// A stack of the tape whose handle a register of the routine itself holds.
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

/// The use of a stack by the instruction at a position, with the register of the routine itself for the handle.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "all other instructions are looked up as those of single values"
)]
fn use_of(unit: &Unit<'_>, position: usize) -> Option<(Reg, Class, bool)> {
    let instance = unit.instance_at(position);
    let instr = unit.instrs[position];
    let (h, class, pushes) = match instr {
        Instr::Ext { k } => match unit.instances[instance].code.operation(k) {
            Operation::Reals { h, is_push, .. } => (h, Class::Real, is_push),
            Operation::Call(_)
            | Operation::BindExplicit { .. }
            | Operation::BindGlobal { .. }
            | Operation::CheckOverlaps
            | Operation::AllocLocal { .. }
            | Operation::Fill { .. }
            | Operation::CellsFrom { .. }
            | Operation::Other => return None,
        },
        instr => access(instr)?,
    };
    Some((unit.handle(instance, h)?, class, pushes))
}

impl Stacks {
    /// The stacks of a routine. A handle that an instruction writes is not known when the code is entered: the
    /// executor uses its stacks.
    pub(crate) fn of(unit: &Unit<'_>) -> Self {
        let mut changes = [false; 256];
        for &instr in unit.instances[0].code.instrs() {
            written(instr, |r, _| changes[usize::from(r)] = true);
        }
        let mut found: Vec<Stack> = Vec::new();
        for (handle, class, pushes) in (0..unit.instrs.len()).filter_map(|at| use_of(unit, at)) {
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

    /// The number of the stack that the instruction at a position uses.
    pub(crate) fn used(&self, unit: &Unit<'_>, position: usize) -> Option<usize> {
        let (handle, class, _) = use_of(unit, position)?;
        self.0
            .iter()
            .position(|s| (s.handle, s.class) == (handle, class))
    }

    /// The place of the top of the stack that the instruction at a position uses.
    pub(crate) fn top(&self, unit: &Unit<'_>, position: usize) -> Option<Loc> {
        self.used(unit, position).map(top)
    }

    /// True if the executor runs the instruction at a position.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "machine code does all other instructions"
    )]
    pub(crate) fn leaves(&self, unit: &Unit<'_>, position: usize) -> bool {
        let instance = unit.instance_at(position);
        match unit.instrs[position] {
            Instr::Return => instance == 0,
            Instr::Visit { .. } | Instr::PushReal32 { .. } | Instr::PopReal32 { .. } => true,
            Instr::Ext { k } => match unit.instances[instance].code.operation(k) {
                Operation::Call(_) => unit.callee(position).is_none(),
                Operation::BindExplicit { .. }
                | Operation::BindGlobal { .. }
                | Operation::AllocLocal { .. }
                | Operation::CheckOverlaps => instance == 0,
                Operation::Fill { to: of, .. } | Operation::CellsFrom { of, .. } => of.rank > 2,
                Operation::Reals { of, .. } => of.rank > 2 || self.used(unit, position).is_none(),
                Operation::Other => true,
            },
            instr => access(instr).is_some() && self.used(unit, position).is_none(),
        }
    }
}
