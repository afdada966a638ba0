//! realloc of a local array: the array gets another size, and keeps its elements.

use super::{
    Lowered,
    routine::Body,
    slot::{Elem, Pointer, Walker},
};
use crate::{
    ast::{DeclId, ExprId, ExprKind},
    codes,
    points::{self, Root},
};
use cfg_core::ir::{Dim, Expr, Extent, Op, Place, Range, Role, Subscript, Variable};
use std::{collections::HashSet, rc::Rc};

impl Body<'_, '_> {
    /// True of an allocation whose memory is resized later, or is null at first.
    pub(super) fn is_resized(&mut self, call: ExprId) -> bool {
        let unit = self.l.unit;
        let part = unit.functions[self.function].part.clone();
        let all = self.resized.get_or_insert_with(|| {
            let mut all = HashSet::new();
            for e in part.map(ExprId) {
                if let ExprKind::Call(_, arguments) = &unit.expr(e).kind
                    && points::reallocates(unit, e)
                    && let Some(old) = arguments.first()
                {
                    all.insert(e);
                    let targets = points::targets(unit, *old);
                    all.extend(targets.shapes.iter().filter_map(|s| match s.root {
                        Root::Heap(call) => Some(call),
                        Root::Variable(_) => None,
                    }));
                }
            }
            all
        });
        all.contains(&call)
    }

    /// Resizes memory, and lets a pointer point there.
    pub(super) fn lower_resize(
        &mut self,
        call: ExprId,
        d: DeclId,
        walker: &Rc<Walker>,
    ) -> Lowered<()> {
        let unit = self.l.unit;
        let at = unit.expr(call).at;
        let ExprKind::Call(_, arguments) = &unit.expr(call).kind else {
            return Err(super::Failed);
        };
        let &[old, _] = &arguments[..] else {
            let message = "realloc takes two arguments";
            return self.error(&codes::OPERAND, at, message, "give two");
        };
        self.refuse_unordered(arguments, None)?;
        let old = points::strip_conversions(unit, old);
        if points::is_null(unit, old) {
            let new = self.allocate(call, d)?;
            return self.store_walker(d, walker, (new, Expr::Logical(true)), at);
        }
        let there = self.not_null(old)?;
        let pointer = self.lower_pointer(old)?;
        if there == Expr::Logical(true) {
            let new = self.resized_memory(call, d, pointer)?;
            return self.store_walker(d, walker, (new, Expr::Logical(true)), at);
        }
        self.set_span();
        self.f.begin_if(there);
        let kept = self.resized_memory(call, d, pointer);
        let kept =
            kept.and_then(|new| self.store_walker(d, walker, (new, Expr::Logical(true)), at));
        self.f.begin_else();
        let made = self.allocate(call, d);
        let made =
            made.and_then(|new| self.store_walker(d, walker, (new, Expr::Logical(true)), at));
        self.f.end_if();
        kept.and(made)
    }

    /// Resizes the array of a pointer, and copies as many of the old elements as fit.
    fn resized_memory(&mut self, call: ExprId, d: DeclId, pointer: Pointer) -> Lowered<Pointer> {
        let unit = self.l.unit;
        let at = unit.expr(call).at;
        let deferred = self
            .heap
            .values()
            .any(|(v, fixed)| *v == pointer.var && !fixed);
        let Elem::Arith(ty) = pointer.elem else {
            let message = "memory for structures is given another size";
            let help = "allocate the size that is needed";
            return self.error(&codes::LIBRARY, at, message, help);
        };
        if !deferred || !pointer.prefix.is_empty() || pointer.inner > 0 {
            let message =
                "what is given another size is no memory that this function has allocated";
            let help = "use realloc for what malloc, calloc or realloc returned, and for numbers";
            return self.error(&codes::LIBRARY, at, message, help);
        }
        let Some(of) = unit.decl(d).ty.target().cloned() else {
            return Err(super::Failed);
        };
        let count = self.counted_in(call, &of)?;
        let count = self.number_of(&count, false)?;
        let count = self.in_variable(count);
        let dim = Dim {
            lower: Expr::Int(1),
            extent: Extent::Deferred,
        };
        let name = self.free_name("kept");
        let ty = ty.scalar_type();
        let kept = self
            .f
            .variable(Variable::new(name, ty, vec![dim], Role::Local));
        self.assign(kept, Expr::var(pointer.var));
        // Elements that are new have no value.
        let unset = self.f.temporary(ty);
        self.set_span();
        self.f.opaque("realloc", [], [unset]);
        let fill = Expr::op(Op::Fill, [Expr::var(unset), count.clone()]);
        self.assign(pointer.var, fill);
        let size = Expr::op(Op::Size, [Expr::var(kept)]);
        let common = self.in_variable(Expr::op(Op::Min, [size, count]));
        let elements = |var| Place {
            var,
            subscripts: Box::new([Subscript::Range(Box::new(Range {
                lower: Some(Expr::Int(1)),
                upper: Some(common.clone()),
                stride: None,
            }))]),
        };
        self.assign(elements(pointer.var), Expr::Place(elements(kept)));
        Ok(Pointer {
            offset: Some(Expr::Int(pointer.lower)),
            ..pointer
        })
    }
}
