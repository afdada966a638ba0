//! Matrices that are accessed as one sequence of elements, by `&a[0][k]`, `a[0]`, `*a` or `(double *)a`. The
//! subscript of such a pointer counts the elements of the whole matrix; row and column follow by division.

use super::{Lower, routine::Body, slot::Pointer};
use crate::{
    ast::{Binary, DeclId, ExprId, ExprKind, Unary, Unit},
    constant, points,
    types::{Qualified, Type},
};
use cfg_core::{
    builder::RoutineBuilder,
    entity::{RoutineId, VarId},
    ir::{Dim, Expr, Extent, Op, Order, ScalarType, Subscript, Variable},
};
use std::{collections::HashSet, rc::Rc};

impl Body<'_, '_> {
    /// The extents of all dimensions but the first, if a variable is a matrix whose elements lie in the order of C.
    fn inner_extents(&self, var: VarId) -> Option<Rc<[Expr]>> {
        let variable = self.f.get(var)?;
        let plain = |dim: &Dim| dim.lower == Expr::Int(0);
        if variable.rank() < 2 || variable.order != Order::Row || !variable.shape.iter().all(plain)
        {
            return None;
        }
        let extents = variable.shape.iter().enumerate().skip(1);
        let extents = extents.map(|(k, dim)| match &dim.extent {
            Extent::Fixed(Expr::Int(n)) => Expr::Int(*n),
            Extent::Fixed(_) | Extent::Deferred => {
                Expr::op(Op::Size, [Expr::var(var), Expr::Int(k as i64 + 1)])
            }
        });
        Some(extents.collect())
    }

    /// The extents of the rows that a pointer points to.
    pub(super) fn row_extents(&self, pointer: &Pointer) -> Option<Vec<Expr>> {
        let all = self.inner_extents(pointer.var)?;
        let rows = all.len().checked_sub(pointer.inner)?;
        (rows == pointer.prefix.len()).then(|| all[rows..].to_vec())
    }

    /// A pointer into the first row of a matrix, as one that goes through all elements.
    pub(super) fn flatten_rows(&self, pointer: Pointer) -> Pointer {
        let zero = |s: &Subscript| s.index() == Some(&Expr::Int(0));
        let is_first = !self.l.values
            && pointer.inner == 0
            && pointer.lower == 0
            && pointer.offset.is_some()
            && !pointer.prefix.is_empty()
            && pointer.prefix.iter().all(zero);
        if !is_first
            || self.f.get(pointer.var).map(Variable::rank) != Some(pointer.prefix.len() + 1)
        {
            return pointer;
        }
        let flat = self.inner_extents(pointer.var);
        Pointer { flat, ..pointer }
    }

    /// A pointer to rows, as a pointer to the first element; `None` if that would not reach all elements behind it.
    pub(super) fn to_elements(&self, pointer: &Pointer) -> Option<Pointer> {
        let mut elements = pointer.clone();
        for _ in 0..pointer.inner {
            let offset = elements.offset.replace(Expr::Int(0))?;
            elements.prefix.push(Subscript::Index(offset));
        }
        elements.inner = 0;
        if self.l.values {
            // A pointer that is a value goes through the whole object.
            return Some(elements);
        }
        let elements = self.flatten_rows(elements);
        elements.flat.is_some().then_some(elements)
    }

    /// The number of elements from the one pointed to up to the end of the matrix.
    pub(super) fn remaining_elements(&self, pointer: &Pointer) -> Option<Expr> {
        let (Some(_), Some(offset)) = (&pointer.flat, &pointer.offset) else {
            return None;
        };
        let shape = &self.f.get(pointer.var)?.shape;
        let total = shape.iter().try_fold(1i64, |n, dim| match dim.extent {
            Extent::Fixed(Expr::Int(m)) => n.checked_mul(m),
            Extent::Fixed(_) | Extent::Deferred => None,
        });
        Some(match (total, offset) {
            (Some(n), Expr::Int(k)) => Expr::Int(n.saturating_sub(*k)),
            (Some(n), _) => Expr::op(Op::Sub, [Expr::Int(n), offset.clone()]),
            (None, Expr::Int(0)) => Expr::op(Op::Size, [Expr::var(pointer.var)]),
            (None, _) => {
                let size = Expr::op(Op::Size, [Expr::var(pointer.var)]);
                Expr::op(Op::Sub, [size, offset.clone()])
            }
        })
    }

    /// The extents by which a walker goes through a matrix as a whole, if all values assigned to it point into the
    /// first row.
    pub(super) fn extents_of_walker(
        &self,
        d: DeclId,
        var: VarId,
        subscripts: &[Subscript],
    ) -> Option<Rc<[Expr]>> {
        let rank = self.f.get(var).map(Variable::rank)?;
        let plain = subscripts.iter().all(|s| s.index().is_some());
        if self.l.values
            || rank < 2
            || rank != subscripts.len() + 1
            || !plain
            || !begins(self.l.unit, d)
        {
            return None;
        }
        self.inner_extents(var)
    }

    /// The adapter of a callee for matrices passed as one sequence: it has the callee's parameters, followed by the
    /// numbers of elements of the arrays at `positions`.
    pub(super) fn adapter_routine(
        &mut self,
        callee: RoutineId,
        positions: Vec<usize>,
    ) -> RoutineId {
        if let Some((known, _)) = self.l.adapters.get(&(callee, positions.clone())) {
            return *known;
        }
        let own =
            |l: &Lower<'_>, name: &str| l.program.program().routines.iter().any(|r| r.name == name);
        let stem = format!("{}_flat", self.l.program.program().routine(callee).name);
        let (mut name, mut k) = (stem.clone(), 1);
        while own(self.l, &name) || self.l.global_names.contains(&name) {
            k += 1;
            name = format!("{stem}{k}");
        }
        let id = self.l.program.declare(name.clone());
        self.l.adapters.insert((callee, positions), (id, name));
        id
    }
}

/// Defines the adapters. Assumes that the parameters of a routine are its first variables, in order.
pub(super) fn define_adapters(l: &mut Lower<'_>) {
    for ((callee, positions), (id, name)) in std::mem::take(&mut l.adapters) {
        let routine = l.program.program().routine(callee);
        let count = routine.parameters.len();
        let mut f = RoutineBuilder::new(name);
        let mut taken: HashSet<String> = HashSet::new();
        let mut arguments = Vec::with_capacity(count);
        for (k, v) in routine.parameters.iter().enumerate() {
            let mut variable = routine.variable(*v).clone();
            taken.insert(variable.name.clone());
            for dim in &mut variable.shape {
                dim.extent = match (&dim.extent, positions.iter().position(|p| *p == k)) {
                    (_, Some(size)) => Extent::Fixed(Expr::var(VarId::new(count + size))),
                    (Extent::Fixed(e), None) if !names_others(e, count) => Extent::Fixed(e.clone()),
                    (Extent::Fixed(_) | Extent::Deferred, None) => Extent::Deferred,
                };
            }
            arguments.push(Some(Expr::var(f.variable(variable))));
        }
        let mut free = |stem: &str| {
            let (mut name, mut k) = (stem.to_owned(), 1);
            while !taken.insert(name.clone()) {
                k += 1;
                name = format!("{stem}{k}");
            }
            name
        };
        for _ in &positions {
            f.input(free("size"), ScalarType::Integer);
        }
        let result = routine.result.map(|r| routine.variable(r).ty);
        let result = result.map(|ty| f.result(free("result"), ty));
        if routine.aliased {
            f.aliased();
        }
        f.call_with(callee, arguments, result.map(Into::into));
        l.program.define(id, f);
    }
}

/// True if an expression names a variable beyond the first `count`.
fn names_others(e: &Expr, count: usize) -> bool {
    let mut others = false;
    e.walk(&mut |e| {
        if let Expr::Place(place) = e {
            others |= place.var.index() >= count;
        }
    });
    others
}

/// The number of the element of a matrix that a pointer points to; `None` if it points to a row.
pub(super) fn number(pointer: &Pointer, extents: &[Expr]) -> Option<Expr> {
    let offset = pointer.offset.clone()?;
    if pointer.flat.is_some() {
        return Some(offset);
    }
    if pointer.inner > 0 || pointer.prefix.len() != extents.len() {
        return None;
    }
    let mut number = Expr::Int(0);
    let indices = pointer.prefix.iter().map(|s| s.index().cloned());
    for (index, extent) in indices
        .chain([Some(offset)])
        .zip(std::iter::once(None).chain(extents.iter().map(Some)))
    {
        let before = match (number, extent) {
            (Expr::Int(0), _) | (_, None) => Expr::Int(0),
            (Expr::Int(a), Some(Expr::Int(b))) if a.checked_mul(*b).is_some() => Expr::Int(a * b),
            (number, Some(extent)) => Expr::op(Op::Mul, [number, extent.clone()]),
        };
        number = match (before, index?) {
            (Expr::Int(0), index) => index,
            (before, Expr::Int(0)) => before,
            (Expr::Int(a), Expr::Int(b)) if a.checked_add(b).is_some() => Expr::Int(a + b),
            (before, index) => Expr::op(Op::Add, [before, index]),
        };
    }
    Some(number)
}

/// True if all values assigned to a pointer point into the first row of a matrix, or are, moved or not, pointers for
/// which this holds.
fn begins(unit: &Unit, d: DeclId) -> bool {
    let (mut open, mut visited) = (points::assigned_values(unit, d), HashSet::from([d]));
    let mut found = false;
    while let Some(e) = open.pop() {
        match &unit.expr(e).kind {
            _ if points::is_null(unit, e) => {}
            ExprKind::Cast(_, a) => match unit.expr(*a).ty.as_ref().and_then(Qualified::target) {
                // A row stands for its first element.
                Some(of) if matches!(of.ty, Type::Array(..)) => {
                    if !is_first_row(unit, *a) {
                        return false;
                    }
                    found = true;
                }
                _ => open.push(*a),
            },
            _ if is_first_row(unit, e) => found = true,
            ExprKind::Unary(Unary::Address, a) => match unit.expr(*a).kind {
                ExprKind::Index(row, _) if is_first_row(unit, row) => found = true,
                _ => return false,
            },
            ExprKind::Name(q) => {
                if visited.insert(*q) {
                    let sources = points::assigned_values(unit, *q);
                    if sources.is_empty() {
                        return false;
                    }
                    open.extend(sources);
                }
            }
            ExprKind::Binary(Binary::Add | Binary::Sub, a, b) => {
                open.push(if unit.is_pointer(*a) { *a } else { *b });
            }
            ExprKind::Binary(Binary::Comma, _, b) => open.push(*b),
            ExprKind::Assign(_, a, _) | ExprKind::Step { of: a, .. } => open.push(*a),
            ExprKind::Conditional(_, a, b) => open.extend([*a, *b]),
            ExprKind::Inlined(inlined) if inlined.value.is_some() => open.extend(inlined.value),
            _ => return false,
        }
    }
    found
}

fn is_zero(unit: &Unit, e: ExprId) -> bool {
    constant::integer(unit, e).is_some_and(|(k, _)| k == 0)
}

/// True of a matrix, and of its first row.
fn is_first_row(unit: &Unit, mut e: ExprId) -> bool {
    loop {
        e = match unit.expr(e).kind {
            ExprKind::Index(a, k) if unit.is_pointer(a) && is_zero(unit, k) => a,
            ExprKind::Unary(Unary::Deref, a) => a,
            ExprKind::Name(d) => {
                return matches!(
                    unit.decl(d).ty.target().map(|of| &of.ty),
                    Some(Type::Array(..))
                );
            }
            _ => return false,
        };
    }
}
