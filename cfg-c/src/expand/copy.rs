//! The copy of one function: its expressions in their order, then its statements.

use super::{
    Bindings, Bound, Expand, callee, frame::Frame, is_function, is_function_pointer, is_zero,
    result_of, untyped::Untyped,
};
use crate::{
    ast::initial_exprs,
    ast::{
        Binary, DeclId, DeclKind, ExprId, ExprKind, Function, Init, Part, StmtId, StmtNode, Unary,
        Unit,
    },
    codes, constant,
    points::{is_null, strip_conversions},
    types::{Arith, Parameter, Qualified, Signature, Type},
};
use std::{collections::HashMap, rc::Rc};

impl Expand<'_> {
    /// Makes a copy of a function, which becomes function number `target`.
    pub(super) fn copy(&mut self, f: usize, bindings: &Bindings, target: usize) {
        let source = self.read[f].clone();
        let mut frame = Frame {
            first: source.part.start,
            target,
            loops: source.loops.clone(),
            ..Frame::default()
        };
        self.stack = vec![f];
        for (k, bound) in bindings {
            if let Some(d) = source.parameters.get(*k) {
                frame.bound.insert(*d, bound.clone());
            }
        }
        let mut parameters = Vec::new();
        for d in &source.parameters {
            if !matches!(frame.bound.get(d), Some(Bound::Function(_) | Bound::Null)) {
                parameters.push(self.variable(*d, &mut frame));
            }
        }
        let result = result_of(bindings);
        frame.untyped = Untyped::infer(
            (self.unit, &self.read, &self.taken_for),
            &source,
            &frame.bound,
            result,
        );
        let mut locals = self.copy_locals(&source, &mut frame);
        self.copy_types(&source, &mut frame);
        let start = self.unit.exprs.len() as u32;
        self.copy_part(&source, &mut frame);
        let end = self.unit.exprs.len() as u32;
        self.copy_inits(&source, &mut frame);
        let body = self.copy_statement(source.body, &mut frame, end);
        let end = self.unit.exprs.len() as u32;
        self.verify(body, start, end);
        let mut loops: Vec<Part> = source.loops.iter().map(|l| frame.part(l, end)).collect();
        loops.append(&mut frame.inner_loops);
        // Inner loops come first: they end before outer ones, and begin behind them.
        loops.sort_by_key(|l| (l.end, std::cmp::Reverse(l.start)));
        let mut labels = source.labels.clone();
        labels.append(&mut frame.inner_labels);
        locals.append(&mut frame.added);
        let decl = self.unit.functions[target].decl;
        let signature = match &self.unit.decl(source.decl).ty.ty {
            Type::Function(signature) => Rc::clone(signature),
            _ => return,
        };
        let mut ty = self.copied_signature(&signature, &source, &parameters, &mut frame);
        if let Some(to) = result {
            ty.result.ty = Type::Pointer(Rc::new(to.clone()));
        }
        let head = &mut self.unit.decls[decl.index()];
        head.ty.ty = Type::Function(Rc::new(ty));
        head.definition = Some(target);
        self.unit.functions[target] = Function {
            decl,
            parameters,
            body,
            part: start..end,
            loops,
            locals,
            labels,
            from: source.from,
            to: source.to,
            given: source.given.clone(),
        };
        // Functions given as derivatives of the function are needed with it.
        for d in source.given.iter().flat_map(|given| given.named()) {
            if let Some(g) = self.unit.decl(d).definition {
                self.instance(g, Vec::new(), source.from);
            }
        }
    }

    /// Declares the local variables of a copy.
    pub(super) fn copy_locals(&mut self, source: &Function, frame: &mut Frame) -> Vec<DeclId> {
        let mut locals = Vec::new();
        for k in source.part.clone() {
            if let ExprKind::Literal(d) = self.unit.exprs[k as usize].kind {
                frame.literals.insert(d);
            }
        }
        for d in &source.locals {
            let decl = self.unit.decl(*d);
            if decl.kind != DeclKind::Local {
                locals.push(*d);
            } else if let Some(s) = self.split_type(&decl.ty) {
                let (name, at) = (Rc::clone(&decl.name), decl.at);
                let root = self.split(s, &name, at, frame);
                self.objects.insert(root, *d);
                frame.decls.insert(*d, root);
            } else {
                locals.push(self.variable(*d, frame));
            }
        }
        locals
    }

    /// Gives the variables of a copy their types.
    pub(super) fn copy_types(&mut self, source: &Function, frame: &mut Frame) {
        for d in source.parameters.iter().chain(&source.locals) {
            let Some(&new) = frame.decls.get(d) else {
                continue;
            };
            if self.parts.contains_key(&new) || frame.passed.contains(d) {
                continue;
            }
            let old = self.unit.decl(*d).clone();
            let mut ty = self.copied_type(&old.ty, frame);
            let bound = match frame.bound.get(d) {
                Some(Bound::Points(to)) => Some(to),
                Some(_) => None,
                None => frame.untyped.variable(*d),
            };
            if let Some(to) = bound.filter(|_| old.kind != DeclKind::Static) {
                ty.ty = Type::Pointer(Rc::new(to.clone()));
            }
            let extent = old.extent.map(|e| self.tree(e, frame));
            let decl = &mut self.unit.decls[new.index()];
            decl.ty = ty;
            decl.extent = extent;
        }
    }

    /// Gives the variables of a copy their positions and initial values.
    pub(super) fn copy_inits(&mut self, source: &Function, frame: &mut Frame) {
        for d in &source.locals {
            let Some(&new) = frame.decls.get(d) else {
                continue;
            };
            let place = self.unit.decl(*d).place;
            let place = frame
                .part(&(place..place), self.unit.exprs.len() as u32)
                .start;
            self.unit.decls[new.index()].place = place;
            for (_, part) in self.parts.get(&new).into_iter().flatten() {
                self.unit.decls[part.index()].place = place;
            }
            if self.parts.contains_key(&new) || self.split_target(&self.unit.decl(*d).ty).is_some()
            {
                continue;
            }
            if let Some(init) = self.unit.decl(*d).init.clone() {
                let function = is_function_pointer(&self.unit.decl(*d).ty);
                let init = init.map(|e| match function {
                    true => self.value(e, frame),
                    // A null pointer may be one to a function, and so a number.
                    false if strip_conversions(self.unit, e) != e && is_null(self.unit, e) => {
                        let node = self.unit.expr(e);
                        let (at, from) = (node.at, node.from);
                        self.constant(0, at, from)
                    }
                    false => frame.copy_of(e),
                });
                self.unit.decls[new.index()].init = Some(init);
            }
        }
    }

    /// Copies the expressions of a function in their order.
    pub(super) fn copy_part(&mut self, source: &Function, frame: &mut Frame) {
        let starts = source.locals.iter().filter_map(|d| {
            let decl = self.unit.decl(*d);
            let s = self.split_target(&decl.ty)?;
            match decl.init {
                Some(Init::Expr(e)) => Some((e, (*d, s))),
                _ => None,
            }
        });
        let starts: HashMap<ExprId, (DeclId, crate::ast::StructId)> = starts.collect();
        // A structure is initialised behind the last expression of its initial value.
        let mut ends: HashMap<ExprId, Vec<(DeclId, DeclId)>> = HashMap::new();
        for d in &source.locals {
            let last = initial_exprs(self.unit.decl(*d).init.as_ref())
                .into_iter()
                .max();
            if let (Some(last), Some(&new)) = (last, frame.decls.get(d))
                && self.parts.contains_key(&new)
                && !frame.literals.contains(d)
            {
                ends.entry(last).or_default().push((*d, new));
            }
        }
        for k in source.part.clone() {
            frame.starts.push(self.unit.exprs.len() as u32);
            let e = ExprId(k);
            // Expressions that replace members of unions stand behind those of all functions: their operands are
            // copied first.
            for a in self.unit.operands(e) {
                if a > e {
                    self.tree(a, frame);
                }
            }
            self.copy_expr(e, frame);
            for &(d, new) in ends.get(&e).into_iter().flatten() {
                let at = self.unit.decl(d).at;
                let here = self.constant(0, at, at);
                let declared = self.initialised(d, new, here, frame);
                frame.declared.insert(d, declared);
            }
            // The structure that a pointer is initialised with must be known before the pointer is used.
            if let Some((d, s)) = starts.get(&e)
                && let Some(&new) = frame.decls.get(d)
            {
                let name = self.unit.decl(*d).name.to_string();
                let known = self.allocated(e, *s, &name, frame);
                if known.is_none() {
                    self.refused.insert(new);
                }
                match known {
                    Some(value) => {
                        self.bind(new, value.loc, false, e);
                    }
                    None if is_zero(self.unit, e) => {
                        let what = format!(
                            "{name}, which points to a structure that has pointers, may be null"
                        );
                        self.refuse(e, &what);
                    }
                    None => {
                        self.refuse(e, "the structure that is pointed to is not known");
                    }
                }
            }
        }
    }

    /// The signature of a copy. For a function known by its definition, the definition that was read.
    fn copied_signature(
        &mut self,
        signature: &Signature,
        source: &Function,
        parameters: &[DeclId],
        frame: &mut Frame,
    ) -> Signature {
        let mut kept = Vec::new();
        let mut new = parameters.iter();
        for (k, p) in signature.parameters.iter().enumerate() {
            let own = source.parameters.get(k).copied();
            if own.is_some_and(|d| !frame.decls.contains_key(&d)) {
                continue;
            }
            let decl = own.and_then(|_| new.next().copied());
            let (ty, extent) = match decl {
                Some(d) => (self.unit.decl(d).ty.clone(), self.unit.decl(d).extent),
                None => (self.copied_type(&p.ty, frame), p.extent),
            };
            kept.push(Parameter {
                name: p.name.clone(),
                ty,
                extent,
                decl,
            });
        }
        Signature {
            result: self.copied_type(&signature.result, frame),
            parameters: kept,
            variadic: signature.variadic,
            open: signature.open,
        }
    }

    /// A variable of the copy.
    pub(super) fn variable(&mut self, d: DeclId, frame: &mut Frame) -> DeclId {
        let mut decl = self.unit.decl(d).clone();
        decl.init = None;
        decl.assigned.clear();
        decl.address = false;
        decl.function = Some(frame.target);
        decl.place = self.unit.exprs.len() as u32;
        let new = DeclId(self.unit.decls.len() as u32);
        self.unit.decls.push(decl);
        frame.decls.insert(d, new);
        new
    }

    /// A type with numbers of functions, and with the extents of the copy.
    fn copied_type(&mut self, ty: &Qualified, frame: &mut Frame) -> Qualified {
        let mut ty = super::numbered(ty);
        // Declarators nest at most as deep as the parser lets them.
        ty.ty = match &ty.ty {
            Type::Array(of, extent) => {
                let of = self.copied_type(of, frame);
                let extent = extent.map(|e| self.tree(e, frame));
                Type::Array(Rc::new(of), extent)
            }
            Type::Pointer(to) => Type::Pointer(Rc::new(self.copied_type(to, frame))),
            other => other.clone(),
        };
        ty
    }

    /// The copy of an expression outside of the body, or of one that has not been copied yet.
    fn tree(&mut self, e: ExprId, frame: &mut Frame) -> ExprId {
        if let Some(new) = frame.exprs.get(&e) {
            return *new;
        }
        let (mut all, mut open) = (Vec::new(), vec![e]);
        while let Some(e) = open.pop() {
            if !frame.exprs.contains_key(&e) && !frame.values.contains_key(&e) {
                all.push(e);
                open.extend(self.unit.operands(e));
            }
        }
        // Operands have smaller numbers than the expressions made of them.
        all.sort_unstable();
        all.dedup();
        for e in all {
            self.copy_expr(e, frame);
        }
        frame.copy_of(e)
    }

    pub(super) fn add_expr(&mut self, kind: ExprKind, like: ExprId) -> ExprId {
        let node = self.unit.expr(like);
        let (at, from) = (node.at, node.from);
        self.unit.push(kind, at, from)
    }

    /// The number of a function, or the value of an expression that holds such a number.
    pub(super) fn value(&mut self, e: ExprId, frame: &Frame) -> ExprId {
        if is_zero(self.unit, e) {
            return self.add_expr(ExprKind::Int(0, Arith::ADDRESS), e);
        }
        frame.copy_of(e)
    }

    /// Copies an expression whose operands have been copied.
    fn copy_expr(&mut self, e: ExprId, frame: &mut Frame) {
        if let Some(done) = self.copy_split(e, frame) {
            if let Some(new) = done {
                frame.exprs.insert(e, new);
            }
            return;
        }
        let node = self.unit.expr(e);
        let enclosed = node.enclosed;
        let is = |e: ExprId| self.unit.expr(e).ty.as_ref().is_some_and(is_function);
        let kind = match node.kind.clone() {
            // The parameter itself has no copy: only the variable that it points to has one.
            ExprKind::Name(d) if matches!(frame.bound.get(&d), Some(Bound::Place(_))) => return,
            ExprKind::Name(d) => match self.copied_name(d, e, frame) {
                Some(kind) => kind,
                None => return,
            },
            ExprKind::Call(f, arguments) => {
                if let Some(new) = self.copy_call(e, f, &arguments, frame) {
                    self.unit.exprs[new.index()].enclosed |= enclosed;
                    frame.exprs.insert(e, new);
                }
                return;
            }
            ExprKind::Unary(Unary::Deref, a) if self.place_of(a, frame).is_some() => {
                match self.place_of(a, frame) {
                    Some(d) => ExprKind::Name(d),
                    None => return,
                }
            }
            ExprKind::Index(a, i)
                if self.place_of(a, frame).is_some()
                    && constant::integer(self.unit, i).is_some_and(|(k, _)| k == 0) =>
            {
                match self.place_of(a, frame) {
                    Some(d) => ExprKind::Name(d),
                    None => return,
                }
            }
            // `*f` is the function itself.
            ExprKind::Unary(Unary::Deref, a) if is(a) => {
                frame.exprs.insert(e, frame.copy_of(a));
                return;
            }
            ExprKind::Unary(Unary::Address, a)
                if matches!(
                    self.unit.expr(a).ty.as_ref().map(|ty| &ty.ty),
                    Some(Type::Function(_))
                ) =>
            {
                frame.exprs.insert(e, frame.copy_of(a));
                return;
            }
            ExprKind::Cast(ty, a) if is_function_pointer(&ty) => {
                let value = self.value(a, frame);
                frame.exprs.insert(e, value);
                return;
            }
            ExprKind::Cast(ty, a) if is(a) && ty.ty != Type::Void => {
                let at = node.at;
                let message = "a function is converted to something else";
                let help = "use a variable that is a pointer to a function";
                self.sink.error(&codes::TYPE, at, message, help);
                ExprKind::Bad
            }
            ExprKind::Assign(op, target, value) if is(target) => {
                ExprKind::Assign(op, frame.copy_of(target), self.value(value, frame))
            }
            ExprKind::Conditional(c, a, b) if is(a) || is(b) => {
                ExprKind::Conditional(frame.copy_of(c), self.value(a, frame), self.value(b, frame))
            }
            ExprKind::Binary(op @ (Binary::Eq | Binary::Ne), a, b) if is(a) || is(b) => {
                ExprKind::Binary(op, self.value(a, frame), self.value(b, frame))
            }
            ExprKind::Conditional(c, a, b) => {
                let c = self.truth(c, frame);
                ExprKind::Conditional(c, frame.copy_of(a), frame.copy_of(b))
            }
            other => {
                let given = self.unit.operands(e).into_iter();
                let mut given = given.filter(|a| frame.values.contains_key(a));
                match given.next() {
                    Some(a) if !matches!(other, ExprKind::Binary(Binary::Comma, ..)) => {
                        let what = "a structure that has pointers, or a pointer to one, is used in a way that is not supported";
                        let bad = self.refuse(a, what);
                        frame.exprs.insert(e, bad);
                        return;
                    }
                    _ => self.copied_kind(other, frame),
                }
            }
        };
        let new = self.add_expr(kind, e);
        self.unit.exprs[new.index()].enclosed = enclosed;
        frame.exprs.insert(e, new);
    }

    /// The variable that a parameter always points to, if it is read there in its own type.
    pub(super) fn place_of(&self, e: ExprId, frame: &Frame) -> Option<DeclId> {
        let ExprKind::Name(p) = self.unit.expr(strip_conversions(self.unit, e)).kind else {
            return None;
        };
        match frame.bound.get(&p) {
            Some(Bound::Place(d)) => {
                let ty = self.unit.expr(e).ty.as_ref()?.target()?;
                is_read_as(self.unit, &self.unit.decl(*d).ty, ty).then_some(*d)
            }
            _ => None,
        }
    }

    /// The copy of a name; `None` for the name of a called function, which the call itself has.
    fn copied_name(&mut self, d: DeclId, e: ExprId, frame: &Frame) -> Option<ExprKind> {
        if matches!(self.unit.decl(d).ty.ty, Type::Function(_)) {
            if self.callees.contains(&e) {
                return None;
            }
            return Some(ExprKind::Int(self.number(d), Arith::ADDRESS));
        }
        Some(match frame.bound.get(&d) {
            Some(Bound::Function(f)) => ExprKind::Int(self.number(*f), Arith::ADDRESS),
            Some(Bound::Null) => {
                let zero = self.add_expr(ExprKind::Int(0, Arith::ADDRESS), e);
                let ty = super::numbered(&self.unit.decl(d).ty);
                ExprKind::Cast(Rc::new(ty), zero)
            }
            Some(Bound::Among(_) | Bound::Points(_) | Bound::Place(_)) | None => {
                ExprKind::Name(frame.decls.get(&d).copied().unwrap_or(d))
            }
        })
    }

    /// The kind of an expression, over the copies of its operands.
    fn copied_kind(&mut self, kind: ExprKind, frame: &mut Frame) -> ExprKind {
        match kind {
            ExprKind::Unary(op, a) => ExprKind::Unary(op, frame.copy_of(a)),
            ExprKind::Step { of, up, post } => ExprKind::Step {
                of: frame.copy_of(of),
                up,
                post,
            },
            ExprKind::Binary(op, a, b) => ExprKind::Binary(op, frame.copy_of(a), frame.copy_of(b)),
            ExprKind::Assign(op, a, b) => ExprKind::Assign(op, frame.copy_of(a), frame.copy_of(b)),
            ExprKind::Conditional(c, a, b) => {
                ExprKind::Conditional(frame.copy_of(c), frame.copy_of(a), frame.copy_of(b))
            }
            ExprKind::Index(a, b) => ExprKind::Index(frame.copy_of(a), frame.copy_of(b)),
            ExprKind::Member(a, name, arrow) => ExprKind::Member(frame.copy_of(a), name, arrow),
            ExprKind::Cast(ty, a) => {
                let ty = self.copied_type(&ty, frame);
                ExprKind::Cast(Rc::new(ty), frame.copy_of(a))
            }
            ExprKind::SizeofExpr(a) => ExprKind::SizeofExpr(self.tree(a, frame)),
            ExprKind::SizeofType(ty) => {
                let ty = self.copied_type(&ty, frame);
                ExprKind::SizeofType(Rc::new(ty))
            }
            ExprKind::Literal(d) => ExprKind::Literal(frame.decls.get(&d).copied().unwrap_or(d)),
            ExprKind::Call(..)
            | ExprKind::Name(_)
            | ExprKind::Int(..)
            | ExprKind::Real(_)
            | ExprKind::Float(_)
            | ExprKind::Str(_)
            | ExprKind::Inlined(_)
            | ExprKind::Bad => kind,
        }
    }

    pub(super) fn push_stmt(&mut self, node: StmtNode) -> StmtId {
        self.unit.stmts.push(node);
        StmtId(self.unit.stmts.len() as u32 - 1)
    }

    /// The function that an expression names where it is called.
    pub(super) fn called(&self, f: ExprId, frame: &Frame) -> Option<DeclId> {
        let ExprKind::Name(d) = self.unit.expr(callee(self.unit, f)).kind else {
            return None;
        };
        match frame.bound.get(&d) {
            Some(Bound::Function(f)) => Some(*f),
            _ if matches!(self.unit.decl(d).ty.ty, Type::Function(_)) => Some(d),
            _ => None,
        }
    }
}

/// True of types that are the same up to qualifiers; void matches any type.
pub(super) fn is_read_as(unit: &Unit, a: &Qualified, b: &Qualified) -> bool {
    let (mut a, mut b) = (a, b);
    loop {
        (a, b) = match (&a.ty, &b.ty) {
            (Type::Pointer(a), Type::Pointer(b)) => (a, b),
            (Type::Array(a, n), Type::Array(b, m)) => {
                let extent = |e: &Option<ExprId>| constant::integer(unit, (*e)?).map(|(n, _)| n);
                // Only constant extents are compared: in C, variable extents that differ here are undefined.
                if let (Some(n), Some(m)) = (extent(n), extent(m))
                    && n != m
                {
                    return false;
                }
                (a, b)
            }
            (Type::Void, _) | (_, Type::Void) => return true,
            (Type::Arith(a), Type::Arith(b)) => return a.scalar_type() == b.scalar_type(),
            (a, b) => return a == b,
        }
    }
}
