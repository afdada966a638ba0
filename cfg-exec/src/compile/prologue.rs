//! The code of a routine before its first vertex and after its last: shapes, tapes, parameters that are worked on in
//! registers.

use cfg_core::{
    entity::VarId,
    ir::{Dim, Expr, Extent, Intent, Role, ScalarType},
};

use super::{
    Compiling,
    emit::{Emitter, Home, Operand, Value},
};
use crate::code::{Ext, Instr, ParameterHome, Reg};

/// The longest chain of parameters, the shape of each asking about the next one. Longer chains do not occur in real
/// programs, and are refused.
const LONGEST: usize = 64;

impl Emitter<'_> {
    /// Evaluates lower bounds (default 1) and extents (default 0) into consecutive registers.
    pub(super) fn bounds<'e>(
        &mut self,
        all: impl ExactSizeIterator<Item = (Option<&'e Expr>, Option<&'e Expr>)>,
    ) -> Compiling<Reg> {
        let dims = self.temporaries_in_row(2 * all.len())?;
        for (at, (lower, extent)) in (dims..).step_by(2).zip(all) {
            let mark = self.mark();
            for (d, e, otherwise) in [(at, lower, 1), (at + 1, extent, 0)] {
                match e {
                    Some(e) => self.expr_into(e, d, ScalarType::Integer)?,
                    None => self.set_constant(d, otherwise),
                }
            }
            self.release(mark);
        }
        Ok(dims)
    }

    /// The declared lower bounds and extents of a variable.
    fn declared(&mut self, v: VarId) -> Compiling<Reg> {
        let shape = self.routine.variable(v).shape.iter();
        self.bounds(shape.map(|dim| match &dim.extent {
            Extent::Fixed(e) => (Some(&dim.lower), Some(e)),
            Extent::Deferred => (Some(&dim.lower), None),
        }))
    }

    fn is_deferred(&self, v: VarId) -> bool {
        let shape = &self.routine.variable(v).shape;
        shape.iter().any(|d| matches!(d.extent, Extent::Deferred))
    }

    /// True if the shape of a variable asks about an array parameter of explicit shape, which must be
    /// bound first.
    fn asks_about(&self, v: VarId, unbound: &[bool]) -> bool {
        let mut asks = false;
        for e in self.extents(v) {
            e.walk_places(&mut |place| {
                asks |= place.var != v && unbound.get(place.var.index()) == Some(&true);
            });
        }
        asks
    }

    pub(super) fn prologue(&mut self) -> Compiling<()> {
        self.at(None, None);
        let routine = self.routine;
        for (v, at, r) in self.copied() {
            self.begin_statement();
            if self.intent(v).map(|i| i.0) == Some(Intent::Out) {
                let poison = Operand::poison(routine.variable(v).ty).value;
                self.move_to(r, poison);
            } else {
                let p = self.temporary()?;
                self.emit(Instr::LoadFrame { d: p, at });
                self.emit(Instr::LoadAt { d: r, p });
            }
        }
        for v in routine.parameter_ids() {
            if let Some((Intent::Out, optional)) = self.intent(v)
                && matches!(self.home(v), Home::Address(_) | Home::AddressFrame(_))
            {
                self.begin_statement();
                let absent = self.new_label();
                if optional {
                    let given = self.present(v, None)?;
                    let a = self.register_of(given.value)?;
                    self.emit(Instr::JumpFalse { a, t: absent });
                }
                self.forget(v)?;
                self.bind(absent);
            }
        }
        for (k, variable) in routine.variables.iter().enumerate() {
            if let (Role::Global(g), Home::Array(_)) = (variable.role, self.homes[k]) {
                self.emit_ext(Ext::BindGlobal {
                    to: self.whole_array(VarId::new(k))?,
                    global: self.globals.descriptor_at[g.index()],
                });
            }
        }
        self.bind_parameters()?;
        if !routine.aliased && self.code.explicit.iter().any(Option::is_some) {
            self.emit_ext(Ext::CheckOverlaps);
        }
        for (k, variable) in routine.variables.iter().enumerate() {
            if variable.role != Role::Local {
                continue;
            }
            self.begin_statement();
            let v = VarId::new(k);
            if let Home::Array(_) = self.homes[k] {
                let to = self.whole_array(v)?;
                if self.is_deferred(v) {
                    let usual = |d: &Dim| d.lower.constant() == Some(1);
                    let dims = match variable.shape.iter().all(usual) {
                        true => None,
                        false => Some(self.declared(v)?),
                    };
                    self.emit_ext(Ext::Unallocated { to, dims });
                } else {
                    let dims = self.declared(v)?;
                    self.emit_ext(Ext::AllocLocal { to, dims });
                }
            } else if variable.ty == ScalarType::Tape {
                let d = self.register_for(v)?;
                self.emit_ext(Ext::NewTape { d });
                self.store_scalar(v, Value::Register(d))?;
            }
        }
        Ok(())
    }

    /// Binds array parameters: first those that take the shape of the argument, then those of explicit
    /// shape, in an order in which each finds the arrays that its shape asks about.
    fn bind_parameters(&mut self) -> Compiling<()> {
        let routine = self.routine;
        let mut unbound = vec![false; routine.variables.len()];
        let mut later = Vec::new();
        self.code.explicit = vec![None; routine.parameters.len()];
        for (k, v) in routine.parameter_ids().enumerate() {
            if let ParameterHome::Staged(staged) = self.code.homes[k] {
                if self.is_deferred(v) {
                    self.bind_parameter(v, staged)?;
                } else {
                    unbound[v.index()] = true;
                    self.code.explicit[k] = Some(self.whole_array(v)?);
                    later.push((v, staged));
                }
            }
        }
        for round in 0..=LONGEST {
            if later.is_empty() {
                break;
            }
            let before = later.len();
            let mut still = Vec::new();
            for (v, staged) in later {
                if self.asks_about(v, &unbound) {
                    still.push((v, staged));
                } else {
                    self.bind_parameter(v, staged)?;
                    unbound[v.index()] = false;
                }
            }
            if still.len() == before {
                return Err(self.too_large("the shapes of parameters depend on each other"));
            }
            if round == LONGEST {
                return Err(self.too_large(&format!(
                    "the shapes of parameters ask about each other in a chain of more than {LONGEST}"
                )));
            }
            later = still;
        }
        Ok(())
    }

    fn bind_parameter(&mut self, v: VarId, staged: u16) -> Compiling<()> {
        self.begin_statement();
        let (variable, to) = (self.routine.variable(v), self.whole_array(v)?);
        let (intent, optional) = self.intent(v).unwrap_or((Intent::InOut, false));
        let bound = self.new_label();
        if optional {
            self.emit_ext(Ext::BindOptional {
                arr: to.arr,
                staged,
                t: bound,
            });
        }
        let dims = self.declared(v)?;
        if self.is_deferred(v) {
            let fixed = variable
                .shape
                .iter()
                .map(|d| matches!(d.extent, Extent::Fixed(_)))
                .collect();
            self.emit_ext(Ext::BindAssumed {
                to,
                staged,
                dims,
                fixed,
            });
        } else {
            self.emit_ext(Ext::BindExplicit {
                to,
                staged,
                dims,
                written: (!self.routine.aliased).then_some(intent.writes()),
            });
        }
        if intent == Intent::Out {
            self.emit_ext(Ext::Forget { of: to });
        }
        self.bind(bound);
        Ok(())
    }

    /// Stores the parameters that the routine worked on as copies.
    pub(super) fn store_copied(&mut self) -> Compiling<()> {
        for (v, at, s) in self.copied() {
            if self.intent(v).is_some_and(|i| i.0.writes()) {
                let mark = self.mark();
                let p = self.temporary()?;
                self.emit(Instr::LoadFrame { d: p, at });
                self.emit(Instr::StoreAt { p, s });
                self.release(mark);
            }
        }
        Ok(())
    }

    pub(super) fn epilogue(&mut self) -> Compiling<()> {
        self.begin_statement();
        self.store_copied()?;
        if let Some(v) = self.routine.result {
            if let Home::Array(_) = self.home(v) {
                let of = self.whole_array(v)?;
                self.emit_ext(Ext::ReturnArray { of });
            } else {
                let x = self.load_scalar(v, None)?;
                self.code.result = Some(self.register_of(x.value)?);
            }
        }
        self.emit(Instr::Return);
        Ok(())
    }
}
