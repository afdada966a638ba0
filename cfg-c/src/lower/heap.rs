//! Memory from malloc and calloc as local arrays.

use super::{
    Lowered, extent,
    facts::is_fixed,
    routine::Body,
    slot::{Elem, Pointer},
    value::{Value, literal},
};
use crate::{
    ast::{Binary, DeclId, DeclKind, ExprId, ExprKind, Init, Unary, Unit},
    codes, constant,
    points::{self, Root},
    source::Pos,
    types::{Arith, Int, Qualified, Type},
};
use cfg_core::{
    entity::VarId,
    ir::{Dim, Expr, Extent, Op, ScalarType},
};

/// A number of elements: a sum of products, divided by a number if they are bytes.
pub(super) struct Count {
    pub(super) terms: Vec<Term>,
    divisor: i64,
}

/// A product of a number and expressions.
type Term = (i64, Vec<ExprId>);

impl Count {
    pub(super) fn of_elements(terms: Vec<Term>) -> Self {
        Self { terms, divisor: 1 }
    }

    /// The number of elements `times` as large, if it is certainly whole.
    pub(super) fn divided(mut self, times: i64) -> Option<Self> {
        for (number, _) in &mut self.terms {
            if *number % times != 0 {
                return None;
            }
            *number /= times;
        }
        Some(self)
    }

    /// The expressions in the count.
    pub(super) fn factors(&self) -> impl Iterator<Item = &ExprId> + Clone {
        self.terms.iter().flat_map(|(_, factors)| factors)
    }
}

/// Most parts of a number of elements.
const MAX_PARTS: usize = 1000;

/// Most levels of sums and products in a number of elements.
pub(super) const MAX_DEPTH: usize = 100;

impl Body<'_, '_> {
    /// The number of elements of a type in a number of bytes; `None` if it is not certainly whole.
    pub(super) fn count_elements(&self, bytes: ExprId, of: &Qualified) -> Option<Count> {
        let terms = self.sum_of_terms(bytes, of, MAX_DEPTH, &mut MAX_PARTS.clone())?;
        Some(Count::of_elements(terms))
    }

    fn sum_of_terms(
        &self,
        bytes: ExprId,
        of: &Qualified,
        depth: usize,
        parts: &mut usize,
    ) -> Option<Vec<Term>> {
        let unit = self.l.unit;
        let depth = depth.checked_sub(1)?;
        let size = constant::size(unit, of, MAX_DEPTH);
        if let (Some((value, _)), Some(size)) = (constant::integer(unit, bytes), size) {
            // The size of a structure may be 0.
            let exact = value.checked_rem(size) == Some(0);
            let count = value.checked_div(size).filter(|_| exact)?;
            return Some(vec![(i64::try_from(count).ok()?, vec![])]);
        }
        if let ExprKind::Binary(Binary::Add, a, b) = unit.expr(bytes).kind {
            let mut sum = self.sum_of_terms(a, of, depth, parts)?;
            sum.extend(self.sum_of_terms(b, of, depth, parts)?);
            return Some(sum);
        }
        if let Some(value) = self.kept_value(bytes) {
            return self.sum_of_terms(value, of, depth, parts);
        }
        let product = self.product_of_factors(&[bytes], of, parts)?;
        Some(vec![product])
    }

    /// The initial value of a local integer variable that keeps it, if that consists of constants, parameters, and
    /// variables of the same kind.
    fn kept_value(&self, e: ExprId) -> Option<ExprId> {
        let unit = self.l.unit;
        let ExprKind::Name(d) = unit.expr(e).kind else {
            return None;
        };
        let decl = unit.decl(d);
        let (DeclKind::Local, Some(Init::Expr(value)), Some(Arith::Int(ty))) =
            (decl.kind, &decl.init, decl.ty.arith())
        else {
            return None;
        };
        let mut is_kept = ty.bits() >= 32 && is_fixed(unit, d) && !unit.expr(*value).effects;
        unit.walk(*value, &mut |e| {
            is_kept &= match unit.expr(e).kind {
                ExprKind::Name(d) => is_fixed(unit, d),
                ExprKind::Unary(Unary::Deref, _) | ExprKind::Index(..) | ExprKind::Member(..) => {
                    false
                }
                _ => true,
            };
        });
        is_kept.then_some(*value)
    }

    /// The number of elements in a product of factors, one of which has the size of an element.
    fn product_of_factors(
        &self,
        factors: &[ExprId],
        of: &Qualified,
        parts: &mut usize,
    ) -> Option<Term> {
        let unit = self.l.unit;
        let (mut number, mut whole, mut rest) = (1i128, false, Vec::new());
        let mut open: Vec<ExprId> = factors.iter().rev().copied().collect();
        while let Some(e) = open.pop() {
            *parts = parts.checked_sub(1)?;
            if let Some((value, _)) = constant::integer(unit, e) {
                number = number.checked_mul(value)?;
                continue;
            }
            if let Some(value) = self.kept_value(e) {
                open.push(value);
                continue;
            }
            let measured = match &unit.expr(e).kind {
                ExprKind::Binary(Binary::Mul, a, b) => {
                    open.extend([*b, *a]);
                    continue;
                }
                // A conversion to `size_t` keeps a number of elements.
                ExprKind::Cast(ty, a)
                    if matches!(ty.arith(), Some(Arith::Int(to)) if to.bits() == 64)
                        && matches!(unit.expr(*a).ty.as_ref()?.arith()?, Arith::Int(_)) =>
                {
                    open.push(*a);
                    continue;
                }
                ExprKind::SizeofType(ty) => Some(&**ty),
                ExprKind::SizeofExpr(a) => unit.expr(*a).ty.as_ref(),
                _ => None,
            };
            let Some(mut ty) = measured else {
                rest.push(e);
                continue;
            };
            // The size of an array is its extent times the size of an element.
            while let Type::Array(inner, Some(extent)) = &ty.ty
                && !alike(unit, ty, of)
            {
                open.push(*extent);
                ty = inner;
            }
            if !alike(unit, ty, of) || whole {
                return None;
            }
            whole = true;
        }
        if !whole {
            let size = constant::size(unit, of, MAX_DEPTH).filter(|size| *size > 0)?;
            if number % size != 0 {
                return None;
            }
            number /= size;
        }
        Some((i64::try_from(number).ok()?, rest))
    }

    /// The size of an array of variable length whose extents are known where the function begins.
    pub(super) fn size_of_array(&mut self, e: ExprId) -> Lowered<Value> {
        let unit = self.l.unit;
        let of = match &unit.expr(e).kind {
            ExprKind::SizeofType(ty) => Some(&**ty),
            ExprKind::SizeofExpr(a) => unit.expr(*a).ty.as_ref(),
            _ => None,
        };
        let mut extents = Vec::new();
        let mut inner = of;
        while let Some(ty) = inner
            && let Type::Array(below, Some(extent)) = &ty.ty
        {
            extents.push(*extent);
            inner = Some(below);
        }
        let size = inner.and_then(|ty| constant::size(unit, ty, MAX_DEPTH));
        let size = size.and_then(|size| i64::try_from(size).ok());
        let (Some(size), true) = (size, extents.iter().all(|e| self.is_extent(*e))) else {
            let at = unit.expr(e).at;
            let message = "this size is not known here";
            let help = "use sizeof of an arithmetic type, or of an array whose extents are known where the function begins";
            return self.error(&codes::TYPE, at, message, help);
        };
        let product = Count::of_elements(vec![(size, extents)]);
        let product = self.number_of(&product, true)?;
        let depth = product.depth();
        let long = Value::new(product, Arith::Int(Int::Long), depth);
        Ok(long.convert(Arith::Int(Int::ULong)))
    }

    pub(super) fn counted_in(&mut self, call: ExprId, of: &Qualified) -> Lowered<Count> {
        let unit = self.l.unit;
        let ExprKind::Call(_, arguments) = &unit.expr(call).kind else {
            return Err(super::Failed);
        };
        let count = match &arguments[..] {
            [_, bytes] if points::reallocates(unit, call) => self.count_elements(*bytes, of),
            [bytes] => self.count_elements(*bytes, of),
            [n, size] => {
                let product = self.product_of_factors(&[*n, *size], of, &mut MAX_PARTS.clone());
                product.map(|product| Count::of_elements(vec![product]))
            }
            _ => None,
        };
        // malloc and realloc take bytes, calloc a product.
        let bytes = match &arguments[..] {
            [_, bytes] if points::reallocates(unit, call) => vec![*bytes],
            all => all.to_vec(),
        };
        let size = constant::size(unit, of, MAX_DEPTH).and_then(|n| i64::try_from(n).ok());
        let count = count.or_else(|| {
            size.filter(|size| *size > 0).map(|divisor| Count {
                terms: vec![(1, bytes)],
                divisor,
            })
        });
        match count {
            Some(count) => Ok(count),
            None => {
                let at = unit.expr(call).at;
                let message = format!(
                    "the memory is not measured in elements of what is pointed to, {}",
                    of.name()
                );
                let help = "write n * sizeof(type), with the type that the pointer points to";
                self.error(&codes::LIBRARY, at, message, help)
            }
        }
    }

    /// Translates a number of elements; `at_entry`: over values at the beginning of the function.
    pub(super) fn number_of(&mut self, count: &Count, at_entry: bool) -> Lowered<Expr> {
        let mut sum: Option<Expr> = None;
        for (number, factors) in &count.terms {
            let mut product = (*number != 1 || factors.is_empty()).then_some(Expr::Int(*number));
            for e in factors {
                let factor = if at_entry {
                    self.lower_extent(*e)?
                } else {
                    self.lower_index(*e)?
                };
                product = Some(match product {
                    Some(product) => Expr::op(Op::Mul, [product, factor]),
                    None => factor,
                });
            }
            let product = product.unwrap_or(Expr::Int(1));
            sum = Some(match sum {
                Some(sum) => Expr::op(Op::Add, [sum, product]),
                None => product,
            });
        }
        let mut number = sum.unwrap_or(Expr::Int(0));
        if count.divisor != 1 {
            number = Expr::op(Op::Div, [number, Expr::Int(count.divisor)]);
        }
        match count.factors().next() {
            Some(first) if at_entry && number.depth() > extent::MAX_DEPTH => {
                self.long_extent(*first)
            }
            _ => Ok(number),
        }
    }

    /// The local array that stands for what a call allocates for a pointer.
    pub(super) fn declare_memory(&mut self, call: ExprId, pointer: DeclId) -> Lowered<VarId> {
        if let Some((v, _)) = self.heap.get(&call) {
            return Ok(*v);
        }
        let unit = self.l.unit;
        let at = unit.expr(call).at;
        let decl = unit.decl(pointer);
        let Some(of) = decl.ty.target().cloned() else {
            return Err(super::Failed);
        };
        let (elem, inner, _) = self.pointed_elements(pointer)?;
        self.refuse_repeated_allocation(call)?;
        let count = self.counted_in(call, &of)?;
        let mut rows = Vec::new();
        let mut below = &of;
        while let Type::Array(of, extent) = &below.ty {
            rows.extend(*extent);
            below = of;
        }
        if rows.len() != inner {
            let message = "an extent of what is pointed to is left out";
            return self.error(&codes::EXTENT, at, message, "write all extents");
        }
        let factors = count.factors().chain(&rows);
        let fixed = factors.clone().all(|e| self.is_extent(*e)) && !self.is_resized(call);
        if !fixed && matches!(elem, Elem::Struct(_)) {
            let message = "memory for structures whose number is not known where the function begins, or changes";
            let help = "make the number of constants and of parameters that are never assigned";
            return self.error(&codes::LIBRARY, at, message, help);
        }
        let mut extents = Vec::new();
        if fixed {
            extents.push(Extent::Fixed(self.number_of(&count, true)?));
            for e in &rows {
                extents.push(Extent::Fixed(self.lower_extent(*e)?));
            }
        } else {
            extents.resize(1 + inner, Extent::Deferred);
        }
        let shape = extents.into_iter().map(|extent| Dim {
            lower: Expr::Int(i64::from(!fixed)),
            extent,
        });
        let ty = self.l.scalar_type(elem, at)?.array(shape);
        let v = if self.returned == Some(call) {
            self.result_memory(call, (elem, fixed))?;
            let name = self.free_name("result");
            let v = self.f.result(name, ty);
            self.result = Some((v, elem));
            v
        } else {
            let name = self.free_name(&format!("{}_memory", decl.name));
            self.f.local(name, ty)
        };
        if let Some(span) = at.span_to(at) {
            self.f.variable_span(v, span);
        }
        self.heap.insert(call, (v, fixed));
        Ok(v)
    }

    /// Refuses an allocation in a loop if several of its results could be in use at a time: one local array stands
    /// for all of them.
    fn refuse_repeated_allocation(&mut self, call: ExprId) -> Lowered<()> {
        let unit = self.l.unit;
        let own = &unit.functions[self.function];
        let inside = |e: ExprId| own.loops.iter().position(|l| l.contains(&e.0));
        let repeated = inside(call);
        if repeated.is_none() {
            return Ok(());
        }
        // The argument of realloc holds the memory that is replaced, not one more.
        let empty = match &unit.expr(call).kind {
            ExprKind::Call(_, arguments) if points::reallocates(unit, call) => {
                let old = arguments
                    .first()
                    .map(|e| points::strip_conversions(unit, *e));
                old.and_then(|e| match unit.expr(e).kind {
                    ExprKind::Name(d) => Some(d),
                    _ => None,
                })
            }
            _ => None,
        };
        let around = || own.loops.iter().filter(|l| l.contains(&call.0));
        let mut holders = 0;
        // A variable that is declared in the loop loses its value between passes.
        let mut outside = false;
        for d in own.locals.iter().chain(&own.parameters) {
            let decl = unit.decl(*d);
            if !matches!(decl.ty.ty, Type::Pointer(_)) || Some(*d) == empty {
                continue;
            }
            let targets = self.l.targets(*d);
            if !targets.shapes.iter().any(|s| s.root == Root::Heap(call)) {
                continue;
            }
            outside |= around().any(|l| decl.place <= l.start || decl.place >= l.end);
            // A pointer that is initialised from the memory, later in the same pass, is set anew with it.
            let follows = match &decl.init {
                Some(Init::Expr(e)) => {
                    own.labels.is_empty()
                        && decl.assigned.is_empty()
                        && e.0 > call.0
                        && inside(*e) == repeated
                }
                _ => false,
            };
            holders += usize::from(!follows || holds(unit, *d, call));
        }
        // One holder is safe: its old memory is out of use after the call. For realloc none is, since each may hold
        // an earlier result.
        if holders <= usize::from(empty.is_none()) || !outside {
            return Ok(());
        }
        let message = "memory that is allocated in a loop is held by several pointers";
        let help = "allocate it before the loop";
        self.error(&codes::LIBRARY, unit.expr(call).at, message, help)
    }

    /// Translates an allocation; returns the pointer to the memory.
    pub(super) fn allocate(&mut self, call: ExprId, pointer: DeclId) -> Lowered<Pointer> {
        let unit = self.l.unit;
        let v = self.declare_memory(call, pointer)?;
        let fixed = self.heap.get(&call).is_none_or(|(_, fixed)| *fixed);
        let zeroed = points::library_call(unit, call) == Some("calloc");
        let (elem, inner, constant) = self.pointed_elements(pointer)?;
        let lower = i64::from(!fixed);
        let first = Pointer {
            var: v,
            elem,
            inner,
            prefix: Vec::new(),
            offset: Some(Expr::Int(lower)),
            lower,
            constant,
            flat: None,
        };
        if fixed {
            if zeroed || self.checkpoints > 0 && matches!(elem, Elem::Arith(_)) {
                let dims = self.f.get(v).map_or(0, |v| v.rank());
                self.zero_path(super::slot::Path {
                    dims,
                    ..super::structure::whole_variable(v, elem)
                })?;
            }
            return Ok(first);
        }
        let Elem::Arith(ty) = elem else {
            return Err(super::Failed);
        };
        let Some(of) = unit.decl(pointer).ty.target().cloned() else {
            return Err(super::Failed);
        };
        let count = self.counted_in(call, &of)?;
        let extents = vec![self.number_of(&count, false)?];
        self.allocate_array(v, ty, extents, &of, zeroed)?;
        Ok(first)
    }

    /// Gives an array its shape (the first extents, then those of the type), and the values 0 or no values.
    fn allocate_array(
        &mut self,
        v: VarId,
        ty: Arith,
        extents: Vec<Expr>,
        of: &Qualified,
        zeroed: bool,
    ) -> Lowered<()> {
        let mut operands = vec![literal(0, ty)];
        operands.extend(extents);
        let mut below = of;
        while let Type::Array(of, extent) = &below.ty {
            match extent {
                Some(e) => operands.push(self.lower_index(*e)?),
                None => return Err(super::Failed),
            }
            below = of;
        }
        if !zeroed && self.checkpoints == 0 {
            // Memory from malloc has no value: it is filled from a variable without one.
            let unset = self.f.temporary(ty.scalar_type());
            self.set_span();
            self.f.opaque("malloc", [], [unset]);
            operands[0] = Expr::var(unset);
        }
        self.assign(v, Expr::op(Op::Fill, operands));
        Ok(())
    }

    /// Gives a local array of variable length its shape where it is declared.
    pub(super) fn shape_late(&mut self, v: VarId, ty: Arith, of: &Qualified) -> Lowered<()> {
        self.allocate_array(v, ty, Vec::new(), of, false)
    }

    /// Translates `free`, which does nothing: the local array lives as long as the function.
    pub(super) fn lower_free(&mut self, arguments: &[ExprId], at: Pos) -> Lowered<()> {
        let [e] = arguments else {
            return self.error(&codes::OPERAND, at, "free takes one argument", "give one");
        };
        if self.holds_value(*e) {
            return self.free_value(*e);
        }
        let targets = points::targets(self.l.unit, *e);
        let heap = |s: &points::Shape| matches!(s.root, Root::Heap(_));
        if targets.unknown.is_some() || targets.many.is_some() || !targets.shapes.iter().all(heap) {
            let message = "memory is freed that this function has not allocated";
            let help = "free memory in the function that allocates it";
            return self.error(&codes::LIBRARY, at, message, help);
        }
        if self.l.unit.expr(*e).effects {
            self.lower_pointer(*e)?;
        }
        Ok(())
    }

    pub(super) fn in_variable(&mut self, e: Expr) -> Expr {
        if matches!(e, Expr::Int(_)) {
            return e;
        }
        let t = self.f.temporary(ScalarType::Integer);
        self.assign(t, e);
        Expr::var(t)
    }
}

/// True if the result of a call is assigned to the variable directly.
fn holds(unit: &crate::ast::Unit, d: DeclId, call: ExprId) -> bool {
    let sources = points::assigned_values(unit, d);
    sources
        .into_iter()
        .any(|e| points::strip_conversions(unit, e) == call)
}

/// True of equal types; extents of arrays are equal if they are the same numbers or variables.
pub(super) fn alike(unit: &Unit, a: &Qualified, b: &Qualified) -> bool {
    let (mut a, mut b) = (a, b);
    while let (Type::Array(x, Some(i)), Type::Array(y, Some(j))) = (&a.ty, &b.ty) {
        if !same_extent(unit, *i, *j) {
            return false;
        }
        (a, b) = (x, y);
    }
    a.ty == b.ty
}

/// True of rows whose extents consist of numbers and of variables that keep their values.
pub(super) fn is_steady(unit: &Unit, mut ty: &Qualified) -> bool {
    while let Type::Array(of, extent) = &ty.ty {
        let mut open: Vec<ExprId> = extent.iter().copied().collect();
        while let Some(e) = open.pop() {
            if matches!(&unit.expr(e).kind, ExprKind::Name(d) if !is_fixed(unit, *d)) {
                return false;
            }
            open.extend(unit.operands(e));
        }
        ty = of;
    }
    true
}

/// True of extents that are the same number or variable, or the same operator of such.
fn same_extent(unit: &Unit, i: ExprId, j: ExprId) -> bool {
    let mut open = vec![(i, j)];
    while let Some((i, j)) = open.pop() {
        let number = |e: ExprId| constant::integer(unit, e).map(|(value, _)| value);
        if i == j || number(i).is_some() && number(i) == number(j) {
            continue;
        }
        match (&unit.expr(i).kind, &unit.expr(j).kind) {
            (ExprKind::Name(i), ExprKind::Name(j)) if i == j => {}
            (ExprKind::Binary(op, a, b), ExprKind::Binary(other, c, d)) if op == other => {
                open.extend([(*a, *c), (*b, *d)]);
            }
            (ExprKind::Cast(ty, a), ExprKind::Cast(other, b)) if ty.ty == other.ty => {
                open.push((*a, *b));
            }
            _ => return false,
        }
    }
    true
}
