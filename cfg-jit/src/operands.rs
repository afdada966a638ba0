//! The registers that instructions read and write, and in which bank of the processor their values are wanted.

use cfg_exec::native::{Instr, Reg};

/// The bank of the processor's registers in which an instruction has a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bank {
    Real,
    Word,
    /// The instruction moves the value only.
    Any,
}

/// Whether an instruction reads or writes a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
}

/// Calls `f` for each register that an instruction other than [`Instr::Ext`] reads, then for each that it writes.
pub(crate) fn for_each(instr: Instr, f: &mut dyn FnMut(Access, Reg, Bank)) {
    use Access::{Read, Write};
    use Bank::{Any, Real, Word};
    macro_rules! operands {
        ($($access:ident $bank:ident $reg:expr),*) => {{ $(f($access, $reg, $bank);)* }};
    }
    match instr {
        Instr::Mov { d, a } => operands!(Read Any a, Write Any d),
        Instr::Const { d, .. } => operands!(Write Any d),
        Instr::AddF { d, a, b }
        | Instr::SubF { d, a, b }
        | Instr::MulF { d, a, b }
        | Instr::DivF { d, a, b }
        | Instr::StrongMul { d, a, b }
        | Instr::Real2 { d, a, b, .. } => operands!(Read Real a, Read Real b, Write Real d),
        Instr::NegF { d, a } | Instr::Real1 { d, a, .. } => operands!(Read Real a, Write Real d),
        Instr::MulAdd { d, a, b, c }
        | Instr::MulSub { d, a, b, c }
        | Instr::SubMul { d, a, b, c }
        | Instr::StrongMulAdd { d, a, b, c }
        | Instr::Fma { d, a, b, c }
        | Instr::Fma32 { d, a, b, c } => {
            operands!(Read Real a, Read Real b, Read Real c, Write Real d);
        }
        Instr::Round32 { d } => operands!(Read Real d, Write Real d),
        Instr::PowI { d, a, b } => operands!(Read Real a, Read Word b, Write Real d),
        Instr::Polygamma { d, a, b } => operands!(Read Word a, Read Real b, Write Real d),
        Instr::AddI { d, a, b }
        | Instr::SubI { d, a, b }
        | Instr::MulI { d, a, b }
        | Instr::Int2 { d, a, b, .. }
        | Instr::Sized2 { d, a, b, .. }
        | Instr::CmpI { d, a, b, .. }
        | Instr::CmpU { d, a, b, .. }
        | Instr::CmpL { d, a, b, .. } => operands!(Read Word a, Read Word b, Write Word d),
        Instr::AddConst { d, a, .. }
        | Instr::Int1 { d, a, .. }
        | Instr::Sized1 { d, a, .. }
        | Instr::IntToInt { d, a, .. }
        | Instr::IntToLogical { d, a }
        | Instr::LogicalToInt { d, a }
        | Instr::Not { d, a } => operands!(Read Word a, Write Word d),
        Instr::Trips { d, a, b, c } => {
            operands!(Read Word a, Read Word b, Read Word c, Write Word d);
        }
        Instr::Fit { d, .. } => operands!(Read Word d, Write Word d),
        Instr::RealToAnyInt { d, a, .. }
        | Instr::RealToInt { d, a }
        | Instr::RealToLogical { d, a } => operands!(Read Real a, Write Word d),
        Instr::UintToReal { d, a }
        | Instr::UintToReal32 { d, a }
        | Instr::IntToReal { d, a }
        | Instr::IntToReal32 { d, a }
        | Instr::LogicalToReal { d, a } => operands!(Read Word a, Write Real d),
        Instr::CmpF { d, a, b, .. } => operands!(Read Real a, Read Real b, Write Word d),
        Instr::Jump { .. } | Instr::Visit { .. } | Instr::Ext { .. } | Instr::Return => {}
        Instr::JumpTrue { a, .. }
        | Instr::JumpFalse { a, .. }
        | Instr::JumpIfNot { a, .. }
        | Instr::Switch { a, .. } => operands!(Read Word a),
        Instr::JumpLtF { a, b, .. }
        | Instr::JumpLeF { a, b, .. }
        | Instr::JumpEqF { a, b, .. }
        | Instr::JumpNotLtF { a, b, .. }
        | Instr::JumpNotLeF { a, b, .. }
        | Instr::JumpNeF { a, b, .. } => operands!(Read Real a, Read Real b),
        Instr::JumpLtI { a, b, .. }
        | Instr::JumpLeI { a, b, .. }
        | Instr::JumpEqI { a, b, .. }
        | Instr::JumpNeI { a, b, .. } => operands!(Read Word a, Read Word b),
        Instr::LoadFrame { d, .. } | Instr::LoadGlobal { d, .. } => operands!(Write Any d),
        Instr::StoreFrame { s, .. } | Instr::StoreGlobal { s, .. } => operands!(Read Any s),
        Instr::LoadAt { d, p } => operands!(Read Word p, Write Any d),
        Instr::StoreAt { p, s } => operands!(Read Word p, Read Any s),
        Instr::Load1 { d, i, .. } => operands!(Read Word i, Write Any d),
        Instr::Store1 { s, i, .. } => operands!(Read Word i, Read Any s),
        Instr::Load2 { d, i, j, .. } => operands!(Read Word i, Read Word j, Write Any d),
        Instr::Store2 { s, i, j, .. } => operands!(Read Word i, Read Word j, Read Any s),
        Instr::Addr1 { d, i, .. } => operands!(Read Word i, Write Word d),
        Instr::Addr2 { d, i, j, .. } => operands!(Read Word i, Read Word j, Write Word d),
        Instr::Base { d, .. } | Instr::FrameAddr { d, .. } | Instr::Extent { d, .. } => {
            operands!(Write Word d);
        }
        Instr::AddrAxis { d, i, .. } => operands!(Read Word i, Read Word d, Write Word d),
        Instr::Inc1 { s, i, .. } => operands!(Read Word i, Read Real s),
        Instr::Inc2 { s, i, j, .. } => operands!(Read Word i, Read Word j, Read Real s),
        Instr::IncStrong1 { a, b, i, .. } => operands!(Read Real a, Read Real b, Read Word i),
        Instr::IncStrong2 { a, b, i, j, .. } => {
            operands!(Read Real a, Read Real b, Read Word i, Read Word j);
        }
        Instr::IncAt { p, s } => operands!(Read Word p, Read Real s),
        Instr::Advance { p, .. } | Instr::Rewind { p, .. } => operands!(Read Word p, Write Word p),
        Instr::LoadNext { d, p, .. } => operands!(Read Word p, Write Word p, Write Any d),
        Instr::StoreNext { p, s, .. } => operands!(Read Word p, Read Any s, Write Word p),
        Instr::IncNext { p, s, .. } => operands!(Read Word p, Read Real s, Write Word p),
        Instr::LoopInit {
            q, index, first, ..
        } => {
            let step = q.wrapping_add(1);
            operands!(Read Word first, Read Word q, Read Word step, Write Word q, Write Word index);
        }
        Instr::LoopInit1 {
            q, index, first, ..
        } => {
            operands!(Read Word first, Read Word q, Write Word q, Write Word index);
        }
        Instr::LoopNext { q, index, .. } => {
            let step = q.wrapping_add(1);
            operands!(Read Word index, Read Word q, Read Word step, Write Word q, Write Word index);
        }
        Instr::LoopNext1 { q, index, .. } => {
            operands!(Read Word index, Read Word q, Write Word q, Write Word index);
        }
        Instr::CountDown { c, .. } => operands!(Read Word c, Write Word c),
        Instr::PushReal { h, s } | Instr::PushReal32 { h, s } => {
            operands!(Read Word h, Read Any s);
        }
        Instr::PushInt { h, s }
        | Instr::PushBits { h, s, .. }
        | Instr::PushLogical { h, s }
        | Instr::PushCount { h, s } => operands!(Read Word h, Read Word s),
        Instr::PopReal { h, d } => operands!(Read Word h, Write Any d),
        Instr::PopReal32 { h, d } => operands!(Read Word h, Write Real d),
        Instr::PopInt { h, d }
        | Instr::PopBits { h, d, .. }
        | Instr::PopLogical { h, d }
        | Instr::PopCount { h, d } => operands!(Read Word h, Write Word d),
    }
}

/// The registers that an instruction writes.
pub(crate) fn written(instr: Instr, mut f: impl FnMut(Reg, Bank)) {
    for_each(instr, &mut |access, r, bank| {
        if access == Access::Write {
            f(r, bank);
        }
    });
}

/// The kind of a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    Real,
    Integer,
    Bits,
}

/// The handle, the class and the direction (true: a push) of an instruction of a tape that machine code does.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "all other instructions use no tape, or are the executor's"
)]
pub(crate) fn access(instr: Instr) -> Option<(Reg, Class, bool)> {
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
