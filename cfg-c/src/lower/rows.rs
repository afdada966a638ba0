//! Pointers to rows, `double **a`, as arrays of two dimensions.

use super::{
    Lowered,
    routine::Body,
    slot::{Elem, Pointer, Slot},
};
use crate::{
    ast::{DeclId, DeclKind, ExprId, ExprKind, Unary},
    codes, points,
    types::Type,
};
use cfg_core::ir::{Dim, Expr, Extent, Role, Variable};

impl Body<'_, '_> {
    /// True of a parameter or local that points to pointers to numbers or structures, if each of these keeps its row.
    pub(super) fn is_rows(&self, d: DeclId) -> bool {
        let decl = self.l.unit.decl(d);
        let row = decl
            .ty
            .target()
            .filter(|_| matches!(decl.ty.ty, Type::Pointer(_)));
        let elem = row
            .filter(|row| matches!(row.ty, Type::Pointer(_)))
            .and_then(|row| row.target());
        let local = decl.kind == DeclKind::Local;
        let parameter = decl.kind == DeclKind::Parameter && decl.assigned.is_empty();
        !self.l.values
            && elem.is_some_and(|elem| Elem::from_type(elem).is_some())
            && (local || parameter)
            && !decl.address
            && !self.l.facts.is_exchanged(d)
    }

    /// The array that stands for a local pointer to rows: one call allocates the pointers, another one each row.
    pub(super) fn declare_rows(&mut self, d: DeclId) -> Lowered<Slot> {
        let unit = self.l.unit;
        let decl = unit.decl(d);
        let own = &unit.functions[self.function];
        let mut calls: Vec<ExprId> = Vec::new();
        for k in own.part.clone() {
            let ExprKind::Assign(None, target, value) = unit.exprs[k as usize].kind else {
                continue;
            };
            let row = match unit.expr(target).kind {
                ExprKind::Index(a, _) | ExprKind::Unary(Unary::Deref, a) => a,
                _ => continue,
            };
            if unit.is_pointer(target) && matches!(unit.expr(row).kind, ExprKind::Name(n) if n == d)
            {
                calls.push(points::strip_conversions(unit, value));
            }
        }
        let sources: Vec<ExprId> = points::assigned_values(unit, d)
            .into_iter()
            .map(|e| points::strip_conversions(unit, e))
            .collect();
        let (&[outer], &[inner], Some(row)) = (&sources[..], &calls[..], decl.ty.target()) else {
            return self.odd_rows(d);
        };
        let Some((elem, of)) = row.target().and_then(|of| Some((Elem::from_type(of)?, of))) else {
            return self.odd_rows(d);
        };
        if !points::allocates(unit, outer) || !points::allocates(unit, inner) {
            return self.odd_rows(d);
        }
        // Another pointer to a row would still lead to the old memory if the row were allocated again.
        let around: Vec<_> = own.loops.iter().filter(|l| l.contains(&inner.0)).collect();
        let end = around.first().map_or(inner.0, |l| l.end);
        let mut early = !own.labels.is_empty() || around.len() > 1;
        for other in own.locals.iter().chain(&own.parameters) {
            let held = *other != d
                && matches!(unit.decl(*other).ty.ty, Type::Pointer(_))
                && (self.l.targets(*other).shapes.iter())
                    .any(|s| s.root == points::Root::Heap(outer));
            early |= held
                && points::assigned_values(unit, *other)
                    .iter()
                    .any(|e| e.0 < end);
        }
        if early {
            return self.odd_rows(d);
        }
        let (count, length) = (self.counted_in(outer, row)?, self.counted_in(inner, of)?);
        let all = count.factors().chain(length.factors());
        if !all.clone().all(|e| self.is_extent(*e)) {
            let at = unit.expr(outer).at;
            let message = "rows whose number or length is not known where the function begins";
            let help = "make them of constants and of parameters that are never assigned";
            return self.error(&codes::LIBRARY, at, message, help);
        }
        let extents = [
            self.number_of(&count, true)?,
            self.number_of(&length, true)?,
        ];
        let shape = extents.into_iter().map(|extent| Dim {
            lower: Expr::Int(0),
            extent: Extent::Fixed(extent),
        });
        let name = self.own_name(d);
        let ty = self.l.scalar_type(elem, decl.at)?;
        let var = self
            .f
            .variable(Variable::new(name, ty, shape.collect(), Role::Local));
        if let Some(span) = decl.at.span_to(decl.at) {
            self.f.variable_span(var, span);
        }
        self.heap.insert(outer, (var, true));
        Ok(Slot::Array {
            var,
            elem,
            rank: 2,
            lower: 0,
            constant: of.constant,
        })
    }

    fn odd_rows<T>(&mut self, d: DeclId) -> Lowered<T> {
        let decl = self.l.unit.decl(d);
        let message = format!(
            "{} points to pointers that are not rows of one length",
            decl.name
        );
        let help = "allocate the pointers by one call and the rows by one in a loop, or use an array of two dimensions";
        self.error(&codes::POINTER, decl.at, message, help)
    }

    /// Translates `a = malloc(...)` and `a[i] = malloc(...)`. Only calloc gives values.
    pub(super) fn allocate_row(&mut self, target: ExprId, value: ExprId) -> Lowered<Pointer> {
        let unit = self.l.unit;
        let call = points::strip_conversions(unit, value);
        if let Some(d) = unit.root_variable(target)
            && unit.decl(d).kind != DeclKind::Local
        {
            return self.odd_rows(d);
        }
        let pointer = self.lower_pointer(target)?;
        if points::library_call(unit, call) == Some("calloc")
            && !matches!(unit.expr(target).kind, ExprKind::Name(_))
        {
            let place = pointer.clone().section();
            let path = super::slot::Path {
                subscripts: place.subscripts.into_vec(),
                dims: 1,
                ..super::structure::whole_variable(place.var, pointer.elem)
            };
            self.zero_path(path)?;
        }
        Ok(pointer)
    }
}
