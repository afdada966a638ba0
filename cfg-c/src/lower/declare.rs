//! The variables of a routine.

use super::{
    Lowered,
    routine::Body,
    slot::{Elem, Slot},
    structure::way_out,
};
use crate::{
    ast::{DeclId, DeclKind, ExprId, ExprKind, Init},
    codes,
    source::Pos,
    types::{Arith, Int, Qualified, Type},
};
use cfg_core::{
    entity::VarId,
    ir::{Dim, Expr, Extent, Intent, Role, ScalarType, Variable},
};

impl Body<'_, '_> {
    /// The type of elements and the extents of inner dimensions; refuses types without either.
    fn shape_of(
        &mut self,
        ty: &Qualified,
        name: &str,
        at: Pos,
    ) -> Lowered<(Elem, Vec<Option<ExprId>>, bool)> {
        let mut extents = Vec::new();
        let mut inner = ty;
        loop {
            match &inner.ty {
                Type::Array(of, extent) => {
                    extents.push(*extent);
                    inner = of;
                }
                Type::Pointer(of)
                    if extents.is_empty() && std::ptr::eq(inner, ty) && !self.is_value(ty) =>
                {
                    extents.push(None);
                    inner = of;
                }
                _ => break,
            }
        }
        let what = match (&inner.ty, self.l.elem(inner)) {
            (_, Some(elem)) => return Ok((elem, extents, inner.constant)),
            (Type::Refused(what), _) => what.to_string(),
            (Type::Void, _) => "void".to_owned(),
            (Type::Function(_), _) => "a function".to_owned(),
            _ => "a pointer".to_owned(),
        };
        if matches!(&inner.ty, Type::Pointer(to) if Elem::from_type(to).is_some())
            && extents.len() == 1
        {
            let message =
                format!("{name} leads to pointers that are exchanged, or assigned one by one");
            let help = "write a[i] = block + i * m for all rows and leave them there, or use an array of two dimensions";
            return self.error(&codes::TYPE, at, message, help);
        }
        let message = format!("{name} is {what}, or leads to it, which is not supported");
        let help = way_out(
            &message,
            "pass members as parameters of their own, and matrices as arrays of two dimensions",
        );
        self.error(&codes::TYPE, at, message, help)
    }

    /// Declares the parameters, in order, so that the k-th variable is the k-th parameter; then copies of those
    /// that are assigned.
    pub(super) fn declare_parameters(&mut self) {
        let unit = self.l.unit;
        let parameters = &unit.functions[self.function].parameters;
        let signature = match &unit.decl(unit.functions[self.function].decl).ty.ty {
            Type::Function(signature) => std::rc::Rc::clone(signature),
            _ => return,
        };
        if signature.parameters.len() != parameters.len() {
            let at = unit.functions[self.function].from;
            self.l.sink.error(
                &codes::SYNTAX,
                at,
                "a parameter has no name",
                "name all parameters",
            );
            return;
        }
        for (k, d) in parameters.iter().enumerate() {
            let at = unit.decl(*d).at;
            // A problem has been reported; the body is translated all the same, to find others.
            let done = self.declare_parameter(*d);
            self.report_untold(&done, at);
            if done.is_err() {
                self.failed.insert(*d);
                let name = self.own_name(*d);
                self.f.input(name, ScalarType::Real);
            }
            if let Some(span) = at.span_to(at) {
                self.f.variable_span(VarId::new(k), span);
            }
        }
        let written = parameters.iter().filter(|d| self.l.facts.is_written(**d));
        let written: Vec<DeclId> = written.copied().collect();
        let shared = self.l.facts.is_shared(self.function);
        let free = |d: &DeclId| {
            let ty = &unit.decl(*d).ty;
            matches!(ty.ty, Type::Pointer(_)) && (!ty.restrict || shared)
        };
        // Numbers and structures are compared by the type at the bottom: a number may be a member of a structure.
        let kind = |d: &DeclId| Elem::from_type(unit.decl(*d).ty.bottom());
        let overlap = |a: &DeclId, b: &DeclId| {
            let structure = [a, b]
                .iter()
                .any(|d| matches!(kind(d), Some(Elem::Struct(_))));
            a != b && free(a) && free(b) && (structure || kind(a) == kind(b))
        };
        if written
            .iter()
            .any(|a| parameters.iter().any(|b| overlap(a, b)))
        {
            self.f.aliased();
        }
        self.copy_parameters();
        self.walking_parameters();
    }

    fn declare_parameter(&mut self, d: DeclId) -> Lowered<()> {
        let unit = self.l.unit;
        let decl = unit.decl(d);
        let rows = self.is_rows(d);
        let (elem, extents, constant) = match decl.ty.target() {
            Some(row) if rows => {
                let (elem, mut extents, constant) = self.shape_of(row, &decl.name, decl.at)?;
                extents.push(None);
                (elem, extents, constant)
            }
            _ => self.shape_of(&decl.ty.clone(), &decl.name, decl.at)?,
        };
        let name = self.own_name(d);
        if extents.is_empty() {
            let ty = self.l.scalar_type(elem, decl.at)?;
            let v = self.f.input(name, ty);
            if matches!(elem, Elem::Arith(_) | Elem::Pointer(..)) {
                self.frozen.insert(v);
            }
            self.slots.insert(d, Slot::Scalar(v, elem));
            return Ok(());
        }
        let mut shape = Vec::new();
        for (k, extent) in extents.iter().enumerate() {
            let extent = match (k, extent, decl.extent) {
                (0, _, Some(e)) => Extent::Fixed(self.lower_extent(e)?),
                (0, _, None) if !rows && self.l.facts.is_single(d) => Extent::Fixed(Expr::Int(1)),
                (0, _, None) => Extent::Deferred,
                (1, None, _) if rows => Extent::Deferred,
                (_, Some(e), _) => Extent::Fixed(self.lower_extent(*e)?),
                (_, None, _) => {
                    let message = format!("an inner extent of {} is left out", decl.name);
                    return self.error(
                        &codes::EXTENT,
                        decl.at,
                        message,
                        "write all extents but the first",
                    );
                }
            };
            shape.push(Dim {
                lower: Expr::Int(0),
                extent,
            });
        }
        let written = self.l.facts.is_written(d);
        let intent = if written { Intent::InOut } else { Intent::In };
        let role = Role::Parameter {
            intent,
            optional: self.is_optional(d),
        };
        let rank = shape.len();
        let ty = self.l.scalar_type(elem, decl.at)?;
        let var = self.f.variable(Variable::new(name, ty, shape, role));
        self.slots.insert(
            d,
            Slot::Array {
                var,
                elem,
                rank,
                lower: 0,
                constant,
            },
        );
        Ok(())
    }

    /// Copies parameters that are assigned or whose addresses are taken: parameters of a routine are bound by
    /// reference.
    fn copy_parameters(&mut self) {
        let unit = self.l.unit;
        for d in &unit.functions[self.function].parameters {
            let decl = unit.decl(*d);
            let written = self.l.facts.is_written(*d) || self.l.facts.is_exchanged(*d);
            let member = matches!(decl.ty.ty, Type::Struct(_)) && written;
            if decl.assigned.is_empty() && !decl.address && !member && !decl.passive {
                continue;
            }
            let Some(Slot::Scalar(v, ty)) = self.slots.get(d).cloned() else {
                continue;
            };
            let Ok(scalar) = self.l.scalar_type(ty, decl.at) else {
                continue;
            };
            let name = self.free_name(&format!("{}_local", decl.name));
            self.span = decl.at.span_to(decl.at);
            if decl.address {
                let copy = self.f.variable(cell(name, scalar));
                self.assign(copy.at(0), Expr::var(v));
                self.slots.insert(*d, Slot::Cell(copy, ty));
            } else {
                let copy = self.f.local(name, scalar);
                if decl.passive {
                    self.passive.insert(copy);
                }
                self.assign(copy, Expr::var(v));
                self.slots.insert(*d, Slot::Scalar(copy, ty));
            }
        }
    }

    /// Gives tables of structures, which are locals here, their values.
    pub(super) fn initialise_tables(&mut self) {
        let unit = self.l.unit;
        let mut named = std::collections::BTreeSet::new();
        for k in unit.functions[self.function].part.clone() {
            if let ExprKind::Name(d) = unit.exprs[k as usize].kind
                && self.l.is_table(d)
            {
                named.insert(d);
            }
        }
        for d in named {
            self.span = unit.decl(d).at.span_to(unit.decl(d).at);
            // A problem has been reported; other tables are checked all the same.
            let _ = self.initialise_variable(d).is_ok();
        }
    }

    /// The slot of a variable. A local is declared at its first occurrence.
    pub(super) fn slot_of(&mut self, d: DeclId, at: Pos) -> Lowered<Slot> {
        if let Some(slot) = self.slots.get(&d) {
            return Ok(slot.clone());
        }
        if !self.failed.insert(d) {
            return Err(super::Failed);
        }
        let slot = self.new_slot(d, at)?;
        self.failed.remove(&d);
        self.slots.insert(d, slot.clone());
        Ok(slot)
    }

    /// Reports the problem of a variable's initial value, if there is one.
    pub(super) fn well_initialised(&mut self, d: DeclId) -> Lowered<()> {
        match &self.l.unit.decl(d).init {
            Some(Init::Wrong(problem)) => {
                self.l.sink.tell(problem);
                Err(super::Failed)
            }
            Some(Init::Expr(_) | Init::Parts(_)) | None => Ok(()),
        }
    }

    fn new_slot(&mut self, d: DeclId, at: Pos) -> Lowered<Slot> {
        self.well_initialised(d)?;
        let decl = self.l.unit.decl(d);
        Ok(match decl.kind {
            DeclKind::Global | DeclKind::Static if self.l.is_table(d) => self.declare_local(d)?,
            DeclKind::Global | DeclKind::Static => self.global_slot(d, at)?,
            DeclKind::Local => self.declare_local(d)?,
            DeclKind::Parameter => return Err(super::Failed),
            DeclKind::Function | DeclKind::Constant(_) => {
                let message = format!("{} is no variable", decl.name);
                return self.error(
                    &codes::TYPE,
                    at,
                    message,
                    "call it, or assign it to a pointer to a function",
                );
            }
        })
    }

    fn global_slot(&mut self, d: DeclId, at: Pos) -> Lowered<Slot> {
        let decl = self.l.unit.decl(d);
        let Some(Some(id)) = self.l.globals.get(&d).copied() else {
            // Problems outside of headers have been reported at the declaration.
            if self.l.sink.is_header(decl.at) {
                let message = format!("{} is not supported", decl.name);
                return self.error(&codes::LIBRARY, at, message, "leave it out");
            }
            return Err(super::Failed);
        };
        let (elem, extents, _) = self.shape_of(&decl.ty.clone(), &decl.name, decl.at)?;
        let var = self.f.global(self.l.program.program(), id);
        if decl.passive {
            self.passive.insert(var);
        }
        let constant = decl.ty.constant;
        Ok(match extents.len() {
            0 if decl.address => Slot::Cell(var, elem),
            0 => Slot::Scalar(var, elem),
            rank => Slot::Array {
                var,
                elem,
                rank,
                lower: 0,
                constant,
            },
        })
    }

    fn declare_local(&mut self, d: DeclId) -> Lowered<Slot> {
        let decl = self.l.unit.decl(d);
        if let Type::Pointer(_) = decl.ty.ty
            && !self.is_value(&decl.ty)
        {
            if self.is_rows(d) {
                return self.declare_rows(d);
            }
            return self.walker_slot(d);
        }
        let (elem, extents, constant) = self.shape_of(&decl.ty.clone(), &decl.name, decl.at)?;
        let name = self.own_name(d);
        let ty = self.l.scalar_type(elem, decl.at)?;
        let slot = match extents.len() {
            0 if decl.address => Slot::Cell(self.f.variable(cell(name, ty)), elem),
            0 => {
                let v = self.f.local(name, ty);
                if decl.passive {
                    self.passive.insert(v);
                }
                Slot::Scalar(v, elem)
            }
            rank => {
                let mut shape = Vec::new();
                let late = matches!(elem, Elem::Arith(_)) && self.is_late(d);
                let lower = i64::from(late);
                for extent in &extents {
                    let Some(extent) = extent else {
                        let message = format!("an extent of {} is left out", decl.name);
                        return self.error(&codes::EXTENT, decl.at, message, "write all extents");
                    };
                    let extent = match late {
                        true => Extent::Deferred,
                        false => Extent::Fixed(self.lower_extent(*extent)?),
                    };
                    shape.push(Dim {
                        lower: Expr::Int(lower),
                        extent,
                    });
                }
                let var = self.f.variable(Variable::new(name, ty, shape, Role::Local));
                Slot::Array {
                    var,
                    elem,
                    rank,
                    lower,
                    constant,
                }
            }
        };
        let v = match &slot {
            Slot::Scalar(v, _) | Slot::Cell(v, _) | Slot::Array { var: v, .. } => *v,
            Slot::Alias(p) => p.var,
            Slot::Walker(w) => w.offset,
        };
        if let Some(span) = decl.at.span_to(decl.at) {
            self.f.variable_span(v, span);
        }
        Ok(slot)
    }

    /// True of a local array with an extent that is not known where the function begins. The array gets its shape at
    /// its declaration.
    pub(super) fn is_late(&self, d: DeclId) -> bool {
        let mut ty = &self.l.unit.decl(d).ty;
        let mut late = false;
        while let Type::Array(of, extent) = &ty.ty {
            late |= extent.is_some_and(|e| !self.is_extent(e));
            ty = of;
        }
        late
    }

    /// The index that stands for a variable in counted loops.
    pub(super) fn index_of(&mut self, d: DeclId, inside: bool) -> VarId {
        if let Some(v) = self.indices.get(&d) {
            return *v;
        }
        let name = match inside {
            true => self.own_name(d),
            false => self.free_name(&format!("{}_index", self.l.unit.decl(d).name)),
        };
        let v = self.f.local(name, ScalarType::Integer);
        self.indices.insert(d, v);
        self.index_variables.insert(v);
        v
    }
}

/// A local of one element.
fn cell(name: String, ty: ScalarType) -> Variable {
    let dim = Dim {
        lower: Expr::Int(0),
        extent: Extent::Fixed(Expr::Int(1)),
    };
    Variable::new(name, ty, vec![dim], Role::Local)
}

/// The integer type of a variable that can be the index of a counted loop.
pub(super) fn index_type(ty: &Qualified) -> Option<Int> {
    // A bit-field wraps around.
    match ty.arith().filter(|_| ty.width.is_none())? {
        Arith::Int(
            ty @ (Int::Int | Int::Long | Int::LLong | Int::UInt | Int::ULong | Int::ULLong),
        ) => Some(ty),
        _ => None,
    }
}
