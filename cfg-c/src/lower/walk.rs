//! Walkers: pointers that are assigned or move, as integer variables that say into which array they point, and where.

use super::{
    Lowered, flat,
    routine::Body,
    slot::{Elem, Path, Pointer, Slot, Walker},
    structure::{LEADS_TO_ONE, whole_variable},
};
use crate::{
    ast::{Binary, DeclId, DeclKind, ExprId, ExprKind, Init},
    codes, constant,
    points::{self, Root, Shape, Targets},
    source::Pos,
    types::{Arith, Type},
};
use cfg_core::{
    entity::VarId,
    ir::{Dim, Expr, Extent, Op, Role, ScalarType, Subscript, Variable},
};
use std::{collections::BTreeSet, rc::Rc};

/// The position of a null pointer, which is in no array. Emitted C computes addresses modulo 2^64 from it, and must
/// not meet the array: the distance is at least 2^44 bytes for elements, or rows, of up to 2^19 bytes, and 2^61 / s
/// bytes for larger ones of s, up to 2^38. A power of two alone would not do: -2^45 times 2^19 is 0.
pub(super) const NULL: i64 = -(1 << 45) + 41_475_559;

impl Body<'_, '_> {
    /// True of a local pointer that is more than another name for one place.
    pub(super) fn is_walker(&mut self, d: DeclId) -> bool {
        let unit = self.l.unit;
        let decl = unit.decl(d);
        let Some(Init::Expr(e)) = &decl.init else {
            return true;
        };
        if !decl.assigned.is_empty() || decl.address {
            return true;
        }
        let e = points::strip_conversions(unit, *e);
        if points::allocates(unit, e) {
            return false;
        }
        if points::reallocates(unit, e) {
            return true;
        }
        // A choice between two places needs a walker, even in one array.
        if matches!(unit.expr(e).kind, ExprKind::Conditional(..)) {
            return true;
        }
        let targets = self.l.targets(d);
        // Whether a parameter that moves is null is known only where it is assigned.
        let moves = |d: &DeclId| !unit.decl(*d).assigned.is_empty();
        targets.null
            || targets.shapes.len() > 1
            || targets.many.is_some()
            || self.may_be_absent(&targets).any(|d| moves(&d))
    }

    /// The parameters that a pointer may point into and that may be null.
    fn may_be_absent(&self, targets: &Targets) -> impl Iterator<Item = DeclId> {
        let whole = targets.shapes.iter().filter(|s| s.steps.is_empty());
        whole.filter_map(|s| match s.root {
            Root::Variable(d) if self.is_optional(d) => Some(d),
            Root::Variable(_) | Root::Heap(_) => None,
        })
    }

    /// The slot of a pointer that is assigned or moves.
    pub(super) fn walker_slot(&mut self, d: DeclId) -> Lowered<Slot> {
        let unit = self.l.unit;
        let decl = unit.decl(d);
        let name = &decl.name;
        if decl.address {
            let message = format!("the address of the pointer {name} is taken");
            let help = "pass the pointer itself, and return a number of elements to move by";
            return self.error(&codes::POINTER, decl.at, message, help);
        }
        let targets = self.l.targets(d);
        if targets.many.is_some() {
            let most = points::MAX_SHAPES;
            let message = format!("{name} may point into more than {most} arrays");
            let help = "use an index into one array instead";
            return self.error(&codes::POINTER, decl.at, message, help);
        }
        if let Some(e) = targets.unknown {
            let at = unit.expr(e).at;
            let what = match unit.expr(e).kind {
                ExprKind::Call(..) => "a pointer comes from a call",
                ExprKind::Str(_) => "a string is used as a value",
                _ => "what this pointer points to is not known",
            };
            let message = format!("{what}, and is assigned to {name}");
            let help = "assign pointers into arrays that are declared here, parameters, or memory from malloc";
            return self.error(&codes::POINTER, at, message, help);
        }
        if targets.shapes.is_empty() && !targets.null {
            let message = format!("the pointer {name} is never given a place");
            let help = "assign it the address of an element";
            return self.error(&codes::POINTER, decl.at, message, help);
        }
        let (elem, inner, constant) = self.pointed_elements(d)?;
        let indices = |s: &Shape| s.steps.iter().filter(|s| s.is_none()).count();
        let most = targets.shapes.iter().map(indices).max().unwrap_or(0);
        let integer = |b: &mut Self, what: &str| {
            let name = b.free_name(&format!("{name}_{what}"));
            b.f.local(name, ScalarType::Integer)
        };
        let offset = integer(self, "offset");
        let mut own = Vec::new();
        for k in 0..most {
            own.push(integer(self, &format!("index{}", k + 1)));
        }
        let selector = (targets.shapes.len() > 1).then(|| integer(self, "selector"));
        let mut found = Vec::new();
        for shape in &targets.shapes {
            let var = self.root_variable(shape.root, d)?;
            let mut next = own.iter();
            let mut prefix = Vec::new();
            for step in &shape.steps {
                prefix.push(match (step, next.as_slice().first()) {
                    (Some(name), _) => Subscript::Field(name.as_ref().into()),
                    (None, Some(v)) => {
                        next.next();
                        Subscript::Index(Expr::var(*v))
                    }
                    (None, None) => return Err(super::Failed),
                });
            }
            let flat = match (shape.moves, inner) {
                (true, 0) => self.extents_of_walker(d, var, &prefix),
                _ => None,
            };
            found.push(Pointer {
                var,
                elem,
                inner,
                prefix,
                flat,
                offset: shape.moves.then(|| Expr::var(offset)),
                lower: self.lower_of(shape.root),
                constant,
            });
        }
        if found.is_empty() {
            found.push(self.null_place(d, offset)?);
        }
        self.several |= selector.is_some();
        let null = targets.null || self.may_be_absent(&targets).next().is_some();
        Ok(Slot::Walker(Rc::new(Walker {
            targets: found,
            selector,
            indices: own,
            offset,
            null,
        })))
    }

    /// Gives values to the stand-in arrays of pointers that are always null. Statements behind a test for null read
    /// these arrays, but are never executed; all other statements find no element there.
    pub(super) fn fill_nowhere(&mut self) {
        let unit = self.l.unit;
        let mut named = BTreeSet::new();
        for k in unit.functions[self.function].part.clone() {
            if let ExprKind::Name(d) = unit.exprs[k as usize].kind
                && let decl = unit.decl(d)
                && decl.kind == DeclKind::Local
                && !decl.address
                && matches!(decl.ty.ty, Type::Pointer(_))
            {
                named.insert(d);
            }
        }
        for d in named {
            let decl = unit.decl(d);
            if self.is_value(&decl.ty) || self.is_rows(d) || !leads_nowhere(&self.l.targets(d)) {
                continue;
            }
            self.span = decl.at.span_to(decl.at);
            let done = self.fill_behind(d);
            self.report_untold(&done, decl.at);
        }
        self.span = None;
    }

    fn fill_behind(&mut self, d: DeclId) -> Lowered<()> {
        let Slot::Walker(walker) = self.slot_of(d, self.l.unit.decl(d).at)? else {
            return Ok(());
        };
        let at = self.l.unit.decl(d).at;
        for nowhere in &walker.targets {
            let all = Path {
                dims: 1 + nowhere.inner,
                ..whole_variable(nowhere.var, nowhere.elem)
            };
            // Compilers of emitted C may take any element for the only one. A real number there is NaN, so that a
            // result computed from it is not mistaken for a number. Integers have no such value: emitted C may go on
            // with 0.
            self.set_all(all, &mut |b, elem, _| match elem {
                Elem::Arith(Arith::Double) => Ok(Expr::Real(f64::NAN)),
                Elem::Arith(Arith::Float) => Ok(Expr::Real32(f32::NAN)),
                Elem::Arith(Arith::Int(_)) | Elem::Pointer(..) | Elem::Struct(_) => {
                    b.null_pointer(elem, at)
                }
            })?;
        }
        Ok(())
    }

    /// The place of a pointer that is always null: outside of a stand-in array.
    fn null_place(&mut self, d: DeclId, offset: VarId) -> Lowered<Pointer> {
        let unit = self.l.unit;
        let decl = unit.decl(d);
        let (elem, inner, constant) = self.pointed_elements(d)?;
        let name = self.free_name(&format!("{}_nowhere", decl.name));
        let ty = self.l.scalar_type(elem, decl.at)?;
        let dim = |extent: i64| Dim {
            lower: Expr::Int(0),
            extent: Extent::Fixed(Expr::Int(extent)),
        };
        let mut shape = vec![dim(1)];
        let mut row = decl.ty.target();
        while let Some(Type::Array(of, extent)) = row.map(|row| &row.ty) {
            let extent = extent.and_then(|e| constant::integer(unit, e));
            let extent = extent.and_then(|(n, _)| i64::try_from(n).ok());
            // An extent that is no constant may not be known where the function begins.
            shape.push(dim(extent.unwrap_or(1)));
            row = Some(of);
        }
        let var = Variable::new(name, ty, shape, Role::Local);
        Ok(Pointer {
            var: self.f.variable(var),
            elem,
            inner,
            prefix: Vec::new(),
            offset: Some(Expr::var(offset)),
            lower: 0,
            constant,
            flat: None,
        })
    }

    /// True of a pointer that is always null.
    fn is_never(&self, e: ExprId) -> bool {
        leads_nowhere(&points::targets(self.l.unit, e))
    }

    /// The contents of the place that a pointer points to, its number of dimensions, and whether it is `const`.
    pub(super) fn pointed_elements(&mut self, d: DeclId) -> Lowered<(Elem, usize, bool)> {
        let decl = self.l.unit.decl(d);
        let mut ty = decl.ty.target();
        let mut inner = 0;
        while let Some(of) = ty
            && let Type::Array(below, _) = &of.ty
        {
            inner += 1;
            ty = Some(below);
        }
        match ty.map(|ty| (Elem::from_type(ty), ty.constant)) {
            Some((Some(elem), constant)) => Ok((elem, inner, constant)),
            _ => {
                let message = format!("{} is a {}", decl.name, decl.ty.name());
                let help = match decl.ty.target() {
                    Some(to) if to.ty == Type::Void => LEADS_TO_ONE,
                    _ => "use pointers to numbers, structures and rows of arrays",
                };
                self.error(&codes::TYPE, decl.at, message, help)
            }
        }
    }

    /// The variable of the array in which a pointer moves.
    fn root_variable(&mut self, root: Root, pointer: DeclId) -> Lowered<VarId> {
        let unit = self.l.unit;
        let d = match root {
            Root::Heap(e) => return self.declare_memory(e, pointer),
            Root::Variable(d) => d,
        };
        if let Some(v) = self.own.get(&d) {
            return Ok(*v);
        }
        match self.slot_of(d, unit.decl(d).at)? {
            Slot::Scalar(v, _) | Slot::Cell(v, _) | Slot::Array { var: v, .. } => Ok(v),
            Slot::Alias(_) | Slot::Walker(_) => Err(super::Failed),
        }
    }

    /// The first subscript of an array: 1 if the array gets its shape at run time.
    fn lower_of(&self, root: Root) -> i64 {
        match root {
            Root::Heap(e) => i64::from(self.heap.get(&e).is_some_and(|(_, fixed)| !fixed)),
            Root::Variable(d) => match self.slots.get(&d) {
                Some(Slot::Array { lower, .. }) => *lower,
                Some(Slot::Scalar(..) | Slot::Cell(..) | Slot::Alias(_) | Slot::Walker(_))
                | None => 0,
            },
        }
    }

    /// Initialises the walkers of parameters that are assigned.
    pub(super) fn walking_parameters(&mut self) {
        let unit = self.l.unit;
        for d in &unit.functions[self.function].parameters {
            let decl = unit.decl(*d);
            let walks = !decl.assigned.is_empty() || decl.address;
            let Some(Slot::Array { var, .. }) = self.slots.get(d).cloned() else {
                continue;
            };
            if walks && matches!(decl.ty.ty, Type::Pointer(_)) {
                self.own.insert(*d, var);
            }
        }
        let own: Vec<(DeclId, VarId)> = self.own.iter().map(|(d, v)| (*d, *v)).collect();
        let mut own = own;
        own.sort_unstable();
        for (d, var) in own {
            self.span = unit.decl(d).at.span_to(unit.decl(d).at);
            let Ok(Slot::Walker(walker)) = self.walker_slot(d) else {
                self.slots.remove(&d);
                self.failed.insert(d);
                continue;
            };
            let first = walker.targets.iter().position(|t| t.var == var);
            self.slots.insert(d, Slot::Walker(Rc::clone(&walker)));
            if let Some(selector) = walker.selector {
                self.assign(selector, Expr::Int(first.unwrap_or(0) as i64));
            }
            let first = or_null(Expr::Int(0), self.presence_condition(var));
            self.assign(walker.offset, first);
        }
    }

    /// The pointer of a walker that points into one array, or whose array has been decided on.
    pub(super) fn walker_pointer(
        &mut self,
        d: DeclId,
        walker: &Walker,
        at: Pos,
    ) -> Lowered<Pointer> {
        let k = match (&walker.targets[..], self.bound.get(&d)) {
            ([_], _) => 0,
            (_, Some(k)) => *k,
            _ => {
                let name = &self.l.unit.decl(d).name;
                let message =
                    format!("{name} points into several arrays, which is not supported here");
                let help = "use it in a statement of its own";
                return self.error(&codes::POINTER, at, message, help);
            }
        };
        walker.targets.get(k).cloned().ok_or(super::Failed)
    }

    fn walker_of(&mut self, e: ExprId) -> Lowered<(DeclId, Rc<Walker>)> {
        let unit = self.l.unit;
        if let ExprKind::Name(d) = unit.expr(e).kind
            && let Slot::Walker(walker) = self.slot_of(d, unit.expr(e).at)?
        {
            return Ok((d, walker));
        }
        if unit
            .root_variable(e)
            .is_some_and(|d| self.failed.contains(&d))
        {
            // The array of the pointer has been refused.
            return Err(super::Failed);
        }
        let at = unit.expr(e).at;
        let help = "assign pointers that are variables of their own";
        self.error(&codes::POINTER, at, "a pointer or array is assigned", help)
    }

    /// Assigns a pointer; returns the pointer after it.
    pub(super) fn assign_pointer(&mut self, target: ExprId, value: ExprId) -> Lowered<Pointer> {
        if self.holds_value(target) {
            return self.assign_value(target, value);
        }
        if self
            .l
            .unit
            .root_variable(target)
            .is_some_and(|d| self.is_rows(d))
        {
            return self.allocate_row(target, value);
        }
        let (d, walker) = self.walker_of(target)?;
        self.assign_walker(d, &walker, value)?;
        self.walker_pointer(d, &walker, self.l.unit.expr(target).at)
    }

    /// Assigns a pointer, without asking into which of several arrays it then points.
    pub(super) fn set_pointer(&mut self, target: ExprId, value: ExprId) -> Lowered<()> {
        let is_rows = self
            .l
            .unit
            .root_variable(target)
            .is_some_and(|d| self.is_rows(d));
        if self.holds_value(target) || is_rows {
            return self.assign_pointer(target, value).map(|_| ());
        }
        let (d, walker) = self.walker_of(target)?;
        self.assign_walker(d, &walker, value)
    }

    /// Sets the walker of a pointer to a value.
    pub(super) fn assign_walker(
        &mut self,
        d: DeclId,
        walker: &Rc<Walker>,
        value: ExprId,
    ) -> Lowered<()> {
        self.enter_level(value, |b| b.point_part(d, walker, value))
    }

    fn point_part(&mut self, d: DeclId, walker: &Rc<Walker>, value: ExprId) -> Lowered<()> {
        let unit = self.l.unit;
        let value = points::strip_conversions(unit, value);
        let at = unit.expr(value).at;
        let name = matches!(unit.expr(value).kind, ExprKind::Name(_));
        if points::is_null(unit, value) || name && self.is_never(value) {
            if let Some(selector) = walker.selector {
                self.assign(selector, Expr::Int(0));
            }
            for v in &walker.indices {
                self.assign(*v, Expr::Int(0));
            }
            self.assign(walker.offset, Expr::Int(NULL));
            return Ok(());
        }
        let pointer = match &unit.expr(value).kind {
            ExprKind::Conditional(c, a, b) => {
                let condition = self.lower_condition(*c)?;
                self.set_span();
                self.f.begin_if(condition);
                let yes = self.assign_walker(d, walker, *a);
                self.f.begin_else();
                let no = self.assign_walker(d, walker, *b);
                self.f.end_if();
                return yes.and(no);
            }
            // The inner assignment comes first: only behind it is it known into which array the other pointer points.
            &ExprKind::Assign(None, target, of) if !self.holds_value(target) => {
                self.set_pointer(target, of)?;
                return self.decide_pointers(target, &mut |b| b.assign_walker(d, walker, target));
            }
            ExprKind::Call(..) if points::allocates(unit, value) => self.allocate(value, d)?,
            ExprKind::Call(..) if points::reallocates(unit, value) => {
                return self.lower_resize(value, d, walker);
            }
            ExprKind::Inlined(inlined) if inlined.value.is_some() => {
                self.lower_inlined(inlined);
                return match inlined.value {
                    Some(value) => self.assign_walker(d, walker, value),
                    None => Err(super::Failed),
                };
            }
            _ => self.lower_pointer(value)?,
        };
        let there = match walker.null {
            true => self.leads_somewhere(value)?,
            false => Expr::Logical(true),
        };
        self.store_walker(d, walker, (pointer, there), at)
    }

    /// Sets a walker to the place of another pointer; `there` is the condition that the latter is not null.
    pub(super) fn store_walker(
        &mut self,
        d: DeclId,
        walker: &Rc<Walker>,
        (pointer, there): (Pointer, Expr),
        at: Pos,
    ) -> Lowered<()> {
        let alike = |a: &Subscript, b: &Subscript| match (a.field(), b.field()) {
            (Some(a), Some(b)) => a == b,
            (None, None) => true,
            _ => false,
        };
        let k = walker.targets.iter().position(|t| {
            t.var == pointer.var
                && t.elem == pointer.elem
                && t.inner == pointer.inner
                && t.offset.is_some() == pointer.offset.is_some()
                && t.prefix.len() == pointer.prefix.len()
                && t.prefix
                    .iter()
                    .zip(&pointer.prefix)
                    .all(|(a, b)| alike(a, b))
        });
        let Some(k) = k else {
            let name = &self.l.unit.decl(d).name;
            let message = format!("the pointer {name} has another type than what it points to");
            let help = "use a pointer of the element type";
            return self.error(&codes::POINTER, at, message, help);
        };
        let target = walker.targets[k].clone();
        let pointer = match (&target.flat, &pointer.flat) {
            (Some(extents), None) => Pointer {
                offset: flat::number(&pointer, extents),
                prefix: vec![Subscript::Index(Expr::Int(0)); pointer.prefix.len()],
                ..pointer
            },
            (None, Some(_)) => {
                let mut prefix = pointer.clone().target().subscripts;
                let offset = prefix.pop().and_then(|s| s.index().cloned());
                Pointer {
                    prefix,
                    offset,
                    flat: None,
                    ..pointer
                }
            }
            (Some(_), Some(_)) | (None, None) => pointer,
        };
        if pointer.constant && !target.constant && self.l.facts.is_written(d) {
            return self.error(
                &codes::OPERAND,
                at,
                "a constant is pointed to where it may be written",
                "declare the pointer const",
            );
        }
        let indices = pointer.prefix.iter().filter_map(Subscript::index).cloned();
        // Other arrays of the walker may have more subscripts: the rest is 0.
        let indices = indices.chain(std::iter::repeat(Expr::Int(0)));
        let mut values: Vec<(VarId, Expr)> = walker.indices.iter().copied().zip(indices).collect();
        let offset = pointer.offset.unwrap_or(Expr::Int(0));
        let offset = match &there {
            // The condition only asks whether the offset is that of null: the offset itself has the right value in
            // both cases.
            Expr::Op(Op::Ne, operands) if operands.first() == Some(&offset) => offset,
            _ => or_null(offset, there),
        };
        values.push((walker.offset, offset));
        if values.len() > 1 {
            // A value may read another variable of the walker: all values are settled before the first is assigned.
            for (_, e) in &mut values {
                if !matches!(e, Expr::Int(_)) {
                    let t = self.f.temporary(ScalarType::Integer);
                    self.assign(t, std::mem::replace(e, Expr::var(t)));
                }
            }
        }
        if let Some(selector) = walker.selector {
            self.assign(selector, Expr::Int(k as i64));
        }
        for (v, e) in values {
            self.assign(v, e);
        }
        Ok(())
    }

    /// Translates `p += k`, `p++` and their like; returns the pointer after the step, or before it if `before`.
    pub(super) fn move_pointer(
        &mut self,
        target: ExprId,
        by: Option<ExprId>,
        op: Binary,
        before: bool,
    ) -> Lowered<Pointer> {
        if self.holds_value(target) {
            return self.move_value(target, by, op, before);
        }
        let (d, walker) = self.walker_of(target)?;
        let at = self.l.unit.expr(target).at;
        let pointer = self.walker_pointer(d, &walker, at)?;
        if pointer.offset.is_none() {
            let message = "the pointer to a member that is no array is moved";
            return self.error(&codes::POINTER, at, message, "use an array");
        }
        let op = match op {
            Binary::Add => Op::Add,
            Binary::Sub => Op::Sub,
            _ => {
                let message = "a pointer is computed with";
                return self.error(&codes::POINTER, at, message, "add or subtract a number");
            }
        };
        let by = match by {
            Some(e) => self.lower_index(e)?,
            None => Expr::Int(1),
        };
        let mut old = pointer.clone();
        if before {
            old.offset = old.offset.map(|e| self.settled_pointer(e));
        }
        self.assign(walker.offset, Expr::op(op, [Expr::var(walker.offset), by]));
        Ok(if before { old } else { pointer })
    }

    /// The present value of a subscript, moved to a variable if it may change.
    fn settled_pointer(&mut self, e: Expr) -> Expr {
        let t = self.f.temporary(ScalarType::Integer);
        self.assign(t, e);
        self.frozen.insert(t);
        Expr::var(t)
    }
}

/// True of a pointer that can only be null.
fn leads_nowhere(targets: &Targets) -> bool {
    targets.null && targets.shapes.is_empty() && targets.unknown.is_none() && targets.many.is_none()
}

/// The place where the condition holds, and the position of null elsewhere.
fn or_null(place: Expr, there: Expr) -> Expr {
    match there {
        Expr::Logical(true) => place,
        there => Expr::op(Op::If, [there, place, Expr::Int(NULL)]),
    }
}
