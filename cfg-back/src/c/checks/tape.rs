//! Pushes and pops with checks: a bit tells whether a control value was ever set, and nothing is popped from an empty stack.

use crate::c::faults::{ABSENT, CONTROL, EMPTY, UNSET};
use crate::c::{
    Emitted,
    operators::{
        Code, Infix, Prefix,
        checked::{sized::fit, type_suffix, unset_value},
    },
    variable::{Kind, null},
    writer::Writer,
};
use cfg_core::{
    entity::VarId,
    flat::FlatType,
    ir::{ControlWidth, Place, ScalarType, TapeClass},
};

impl Writer<'_> {
    /// Notes if an array is an argument that is not given. One without a shape has no elements.
    pub(in crate::c) fn must_be_given(&mut self, v: VarId) {
        if self.missing_code(v) == Some(ABSENT) {
            self.must_exist(v);
        }
    }

    /// The statement that pushes a control value.
    pub(in crate::c) fn checked_push(
        &mut self,
        top: Code,
        width: ControlWidth,
        code: Code,
    ) -> Code {
        let top = top.prefix(Prefix::Address);
        let ty = ScalarType::Tape;
        match width {
            ControlWidth::Count => {
                let name = "cfgrev_push_set_count";
                self.pieces.define(name, || COUNT.to_owned());
                self.noting_call(name, &[UNSET, CONTROL], [top, code], ty)
            }
            ControlWidth::Bits(bits) => {
                let name = format!("cfgrev_push_{}_bits", type_suffix(code.ty));
                if code.ty == ScalarType::Logical {
                    self.pieces.define(&name, || LOGICAL.to_owned());
                    return Code::call(&name, [top, code], ty);
                }
                self.pieces.define(&name, || INTEGER.to_owned());
                self.noting_call(&name, &[CONTROL], [top, code, i64::from(bits).into()], ty)
            }
        }
    }

    /// The value that is popped.
    pub(in crate::c) fn checked_pop(
        &mut self,
        tape: Code,
        top: Code,
        class: TapeClass,
        ty: ScalarType,
    ) -> Code {
        let (name, last) = match class {
            TapeClass::Control(ControlWidth::Count) => ("cfgrev_pop_some_count".to_owned(), None),
            TapeClass::Control(ControlWidth::Bits(bits)) => {
                let bits = if ty == ScalarType::Logical { 1 } else { bits };
                (format!("cfgrev_pop_{}_bits", type_suffix(ty)), Some(bits))
            }
            TapeClass::Integer => ("cfgrev_pop_some_integer".to_owned(), None),
            TapeClass::Real => ("cfgrev_pop_some_real".to_owned(), None),
            TapeClass::Real32 => ("cfgrev_pop_some_real32".to_owned(), None),
            // `crate::c::disk` has pops of its own.
            TapeClass::Disk => ("cfgrev_pop_disk".to_owned(), None),
        };
        let is_control = matches!(class, TapeClass::Control(_));
        if is_control {
            self.pieces
                .define("cfgrev_has_bits", || HAS_BITS.to_owned());
        }
        self.pieces.define(&name, || match class {
            TapeClass::Control(ControlWidth::Count) => POP_COUNT.to_owned(),
            TapeClass::Control(ControlWidth::Bits(_)) => pop_bits(&name, ty),
            TapeClass::Integer => pop(&name, "integer", "int64_t", "CFGREV_UNSET_INTEGER"),
            TapeClass::Real => pop(&name, "real", "double", "cfgrev_unset_real()"),
            TapeClass::Real32 => pop(&name, "real32", "float", "cfgrev_unset_real32()"),
            TapeClass::Disk => String::new(),
        });
        let arguments = [top.prefix(Prefix::Address), tape].into_iter();
        let arguments = arguments.chain(last.map(|bits| i64::from(bits).into()));
        let code = self.noting_call(&name, &[EMPTY], arguments, ty);
        match (class, ty) {
            (TapeClass::Integer, ScalarType::Sized(ty)) => fit(ty, code, self.pieces),
            (
                TapeClass::Control(_)
                | TapeClass::Integer
                | TapeClass::Real
                | TapeClass::Real32
                | TapeClass::Disk,
                _,
            ) => code,
        }
    }

    /// Makes a variable such that was never set.
    pub(in crate::c) fn forget_variable(&mut self, v: VarId) -> Emitted<()> {
        let variable = &self.variables.all[v.index()];
        let ty = variable.ty;
        let forget = match variable.kind.clone() {
            Kind::Tape(_) => return Ok(()),
            Kind::Value(name) => Code::name(name, ty).set(unset_value(ty)),
            Kind::Pointer(name) => {
                let pointer = Code::name(name, ty);
                if self.missing_code(v).is_some() {
                    self.check_condition(pointer.clone().is(Infix::Ne, null()), ABSENT);
                    self.stop_on_fault();
                }
                pointer.prefix(Prefix::Dereference).set(unset_value(ty))
            }
            Kind::Array(array) => {
                self.must_exist(v);
                self.stop_on_fault();
                if array.is_strided() {
                    return self.forget_elements(v);
                }
                let extents = self.variables.extents(&array.axes);
                let size = self.count_of(&extents).to_code();
                let mut first = Code::name(array.pointer, ty);
                if array.offset != 0 {
                    first = first.with(Infix::Add, array.offset);
                }
                self.cells_forgotten(first, size)
            }
        };
        self.note_read(v);
        self.add(forget);
        Ok(())
    }

    /// Makes the elements of an array such that were never set, not what is in the gaps between them.
    pub(in crate::c) fn forget_elements(&mut self, v: VarId) -> Emitted<()> {
        let view = self.emit_view(&Place::whole(v))?;
        self.emit_fill(&view, unset_value(view.ty))
    }
}

const LOGICAL: &str = "\
static inline void cfgrev_push_logical_bits(struct cfgrev_top *top, cfgrev_logical b) {
    cfgrev_push_bits(top, b == 1, 1);
    cfgrev_push_bits(top, b == CFGREV_UNSET_LOGICAL, 1);
}
";

const INTEGER: &str = "\
static inline void cfgrev_push_integer_bits(struct cfgrev_check *check, int at, struct cfgrev_top *top, int64_t n,
                                            unsigned bits) {
    const bool unset = n == CFGREV_UNSET_INTEGER;
    if (!unset && (uint64_t)n >> (bits < 63 ? bits : 63)) {
        cfgrev_found(check, at, 217);
    } else {
        cfgrev_push_bits(top, unset ? 0 : (uint64_t)n, bits);
        cfgrev_push_bits(top, unset, 1);
    }
}
";

const COUNT: &str = "\
static inline void cfgrev_push_set_count(struct cfgrev_check *check, int at, struct cfgrev_top *top, int64_t n) {
    if (n < 0) {
        cfgrev_found(check, at, n == CFGREV_UNSET_INTEGER ? 202 : 217);
    } else {
        cfgrev_push_count(top, n);
    }
}
";

const HAS_BITS: &str = "\
static inline bool cfgrev_has_bits(const struct cfgrev_top *top, const struct cfgrev_tape *tape, unsigned bits) {
    return top->filled >= bits || (top->control && top->control > tape->control_begin);
}
";

const POP_COUNT: &str = "\
static inline int64_t cfgrev_pop_some_count(struct cfgrev_check *check, int at, struct cfgrev_top *top,
                                            const struct cfgrev_tape *tape) {
    unsigned width;
    if (!cfgrev_has_bits(top, tape, 6u)) {
        return cfgrev_found(check, at, 216);
    }
    width = (unsigned)cfgrev_pop_bits(top, 6u);
    return cfgrev_has_bits(top, tape, width) ? (int64_t)cfgrev_pop_bits(top, width) : cfgrev_found(check, at, 216);
}
";

fn pop_bits(name: &str, ty: ScalarType) -> String {
    let (c, unset, value) = match FlatType::view(ty) {
        FlatType::Logical => ("cfgrev_logical", "CFGREV_UNSET_LOGICAL", "value != 0"),
        FlatType::Integer
        | FlatType::Sized(_)
        | FlatType::Real
        | FlatType::Real32
        | FlatType::Tape => ("int64_t", "CFGREV_UNSET_INTEGER", "(int64_t)value"),
    };
    format!(
        "static inline {c} {name}(struct cfgrev_check *check, int at, struct cfgrev_top *top, const struct cfgrev_tape *tape,\n                     unsigned bits) {{\n    uint64_t unset, value;\n    if (!cfgrev_has_bits(top, tape, 1)) {{\n        cfgrev_found(check, at, 216);\n        return {unset};\n    }}\n    unset = cfgrev_pop_bits(top, 1);\n    if (!cfgrev_has_bits(top, tape, bits)) {{\n        cfgrev_found(check, at, 216);\n        return {unset};\n    }}\n    value = cfgrev_pop_bits(top, bits);\n    return unset ? {unset} : {value};\n}}\n"
    )
}

fn pop(name: &str, stack: &str, c: &str, unset: &str) -> String {
    format!(
        "static inline {c} {name}(struct cfgrev_check *check, int at, struct cfgrev_top *top, const struct cfgrev_tape *tape) {{\n    if (!top->{stack} || top->{stack} == tape->{stack}_begin) {{\n        cfgrev_found(check, at, 216);\n        return {unset};\n    }}\n    return cfgrev_pop_{stack}(top);\n}}\n"
    )
}
