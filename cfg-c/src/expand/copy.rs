//! The copy of one function: its expressions in their order, then its statements.

use super::{Bindings, Bound, Expand, NUMBER, callee, is_function, is_function_pointer, is_zero};
use crate::{
    ast::{
        Binary, DeclId, DeclKind, Designator, ExprId, ExprKind, For, Function, Init, Part, StmtId,
        StmtKind, StmtNode, Unary,
    },
    codes,
    types::{Parameter, Qualified, Signature, Type},
};
use std::{collections::HashMap, rc::Rc};

/// A function that is being copied.
#[derive(Default)]
pub(super) struct Frame {
    /// The variables of the copy.
    pub(super) decls: HashMap<DeclId, DeclId>,
    /// The parameters that differ.
    pub(super) bound: HashMap<DeclId, Bound>,
    /// The expressions of the copy.
    exprs: HashMap<ExprId, ExprId>,
    /// The first expression of the function, and for each of its expressions where its copy begins.
    first: u32,
    starts: Vec<u32>,
    /// Variables that the copy has besides.
    pub(super) added: Vec<DeclId>,
    /// The number of the copy.
    pub(super) target: usize,
}

impl Frame {
    /// The copy of an expression that has been copied.
    pub(super) fn get(&self, e: ExprId) -> ExprId {
        self.exprs.get(&e).copied().unwrap_or(e)
    }

    fn part(&self, part: &Part, end: u32) -> Part {
        let place = |k: u32| {
            let k = k.checked_sub(self.first).map(|k| k as usize);
            k.and_then(|k| self.starts.get(k)).copied().unwrap_or(end)
        };
        place(part.start)..place(part.end)
    }
}

impl Expand<'_> {
    /// Makes a copy of a function, which takes the place with this number.
    pub(super) fn copy(&mut self, f: usize, bindings: &Bindings, target: usize) {
        let source = self.read[f].clone();
        let mut frame = Frame {
            first: source.part.start,
            target,
            ..Frame::default()
        };
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
        let mut locals = Vec::new();
        for d in &source.locals {
            if self.unit.decl(*d).kind == DeclKind::Local {
                locals.push(self.variable(*d, &mut frame));
            } else {
                locals.push(*d);
            }
        }
        for d in source.parameters.iter().chain(&source.locals) {
            let Some(&new) = frame.decls.get(d) else {
                continue;
            };
            let old = self.unit.decl(*d).clone();
            let mut ty = self.copied_type(&old.ty, &mut frame);
            if let Some(Bound::Points(to)) = frame.bound.get(d) {
                ty.ty = Type::Pointer(Rc::new(to.clone()));
            }
            let extent = old.extent.map(|e| self.tree(e, &mut frame));
            let decl = &mut self.unit.decls[new.index()];
            decl.ty = ty;
            decl.extent = extent;
        }
        let start = self.unit.exprs.len() as u32;
        for k in source.part.clone() {
            frame.starts.push(self.unit.exprs.len() as u32);
            self.copy_expr(ExprId(k), &mut frame);
        }
        let end = self.unit.exprs.len() as u32;
        for d in &source.locals {
            if let Some(&new) = frame.decls.get(d)
                && let Some(init) = self.unit.decl(*d).init.clone()
            {
                let function = is_function_pointer(&self.unit.decl(*d).ty);
                let init = self.copied_init(&init, function, &frame);
                self.unit.decls[new.index()].init = Some(init);
            }
        }
        let body = self.copy_statement(source.body, &frame, end);
        let loops = source.loops.iter().map(|l| frame.part(l, end)).collect();
        locals.append(&mut frame.added);
        let decl = self.unit.functions[target].decl;
        let signature = match &self.unit.decl(source.decl).ty.ty {
            Type::Function(signature) => Rc::clone(signature),
            _ => return,
        };
        let ty = self.copied_signature(&signature, &source, &parameters, &mut frame);
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
            labels: source.labels,
            from: source.from,
            to: source.to,
        };
    }

    /// The signature of a copy; that of the function as it was read, where it is known by its definition.
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
    fn variable(&mut self, d: DeclId, frame: &mut Frame) -> DeclId {
        let mut decl = self.unit.decl(d).clone();
        decl.init = None;
        decl.assigned.clear();
        decl.address = false;
        decl.function = Some(frame.target);
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

    /// The copy of an expression that stands outside of the body, or before it has been come to.
    fn tree(&mut self, e: ExprId, frame: &mut Frame) -> ExprId {
        if let Some(new) = frame.exprs.get(&e) {
            return *new;
        }
        let mut all = Vec::new();
        self.unit.walk(e, &mut |e| all.push(e));
        // Operands stand before what is made of them.
        all.sort_unstable();
        all.dedup();
        for e in all {
            self.copy_expr(e, frame);
        }
        frame.get(e)
    }

    pub(super) fn add(&mut self, kind: ExprKind, like: ExprId) -> ExprId {
        let node = self.unit.expr(like);
        let (at, from) = (node.at, node.from);
        let pure = match &kind {
            ExprKind::Call(f, _) => match self.unit.expr(*f).kind {
                ExprKind::Name(d) => self.is_pure(d),
                _ => false,
            },
            _ => false,
        };
        self.unit.push(kind, at, from, pure)
    }

    /// The number of a function, or of what holds one.
    pub(super) fn value(&mut self, e: ExprId, frame: &Frame) -> ExprId {
        if is_zero(self.unit, e) {
            return self.add(ExprKind::Int(0, NUMBER), e);
        }
        frame.get(e)
    }

    /// Copies an expression whose operands have been copied.
    fn copy_expr(&mut self, e: ExprId, frame: &mut Frame) {
        let node = self.unit.expr(e);
        let enclosed = node.enclosed;
        let is = |e: ExprId| self.unit.expr(e).ty.as_ref().is_some_and(is_function);
        let kind = match node.kind.clone() {
            ExprKind::Name(d) => match self.copied_name(d, e, frame) {
                Some(kind) => kind,
                None => return,
            },
            ExprKind::Call(f, arguments) => {
                let new = self.copy_call(e, f, &arguments, frame);
                self.unit.exprs[new.index()].enclosed |= enclosed;
                frame.exprs.insert(e, new);
                return;
            }
            // The function itself.
            ExprKind::Unary(Unary::Deref, a) if is(a) => {
                frame.exprs.insert(e, frame.get(a));
                return;
            }
            ExprKind::Unary(Unary::Address, a)
                if matches!(
                    self.unit.expr(a).ty.as_ref().map(|ty| &ty.ty),
                    Some(Type::Function(_))
                ) =>
            {
                frame.exprs.insert(e, frame.get(a));
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
                ExprKind::Assign(op, frame.get(target), self.value(value, frame))
            }
            ExprKind::Conditional(c, a, b) if is(a) || is(b) => {
                ExprKind::Conditional(frame.get(c), self.value(a, frame), self.value(b, frame))
            }
            ExprKind::Binary(op @ (Binary::Eq | Binary::Ne), a, b) if is(a) || is(b) => {
                ExprKind::Binary(op, self.value(a, frame), self.value(b, frame))
            }
            other => self.copied_kind(other, frame),
        };
        let new = self.add(kind, e);
        self.unit.exprs[new.index()].enclosed = enclosed;
        frame.exprs.insert(e, new);
    }

    /// A name; none of one that is called, which the call has.
    fn copied_name(&mut self, d: DeclId, e: ExprId, frame: &Frame) -> Option<ExprKind> {
        if matches!(self.unit.decl(d).ty.ty, Type::Function(_)) {
            if self.callees.contains(&e) {
                return None;
            }
            return Some(ExprKind::Int(self.number(d), NUMBER));
        }
        Some(match frame.bound.get(&d) {
            Some(Bound::Function(f)) => ExprKind::Int(self.number(*f), NUMBER),
            Some(Bound::Null) => {
                let zero = self.add(ExprKind::Int(0, NUMBER), e);
                let void = Qualified::plain(Type::Pointer(Rc::new(Qualified::plain(Type::Void))));
                ExprKind::Cast(Rc::new(void), zero)
            }
            Some(Bound::Among(_) | Bound::Points(_)) | None => {
                ExprKind::Name(frame.decls.get(&d).copied().unwrap_or(d))
            }
        })
    }

    /// An expression that means the same of the copies of its operands.
    fn copied_kind(&mut self, kind: ExprKind, frame: &mut Frame) -> ExprKind {
        match kind {
            ExprKind::Unary(op, a) => ExprKind::Unary(op, frame.get(a)),
            ExprKind::Step { of, up, post } => ExprKind::Step {
                of: frame.get(of),
                up,
                post,
            },
            ExprKind::Binary(op, a, b) => ExprKind::Binary(op, frame.get(a), frame.get(b)),
            ExprKind::Assign(op, a, b) => ExprKind::Assign(op, frame.get(a), frame.get(b)),
            ExprKind::Conditional(c, a, b) => {
                ExprKind::Conditional(frame.get(c), frame.get(a), frame.get(b))
            }
            ExprKind::Index(a, b) => ExprKind::Index(frame.get(a), frame.get(b)),
            ExprKind::Member(a, name, arrow) => ExprKind::Member(frame.get(a), name, arrow),
            ExprKind::Cast(ty, a) => {
                let ty = self.copied_type(&ty, frame);
                ExprKind::Cast(Rc::new(ty), frame.get(a))
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
            | ExprKind::Str
            | ExprKind::Inlined(_)
            | ExprKind::Bad => kind,
        }
    }

    /// Recursion is as deep as braces nest.
    fn copied_init(&mut self, init: &Init, function: bool, frame: &Frame) -> Init {
        match init {
            Init::Expr(e) if function => Init::Expr(self.value(*e, frame)),
            Init::Expr(e) => Init::Expr(frame.get(*e)),
            Init::List(list, at) => {
                let mut copied = Vec::new();
                for (designators, init) in list {
                    let designators = designators.iter().map(|d| match d {
                        Designator::Index(e) => Designator::Index(frame.get(*e)),
                        Designator::Field(name, at) => Designator::Field(Rc::clone(name), *at),
                    });
                    let designators = designators.collect();
                    copied.push((designators, self.copied_init(init, function, frame)));
                }
                Init::List(copied, *at)
            }
        }
    }

    /// Recursion is as deep as statements nest, which the parser limits.
    fn copy_statement(&mut self, s: StmtId, frame: &Frame, end: u32) -> StmtId {
        let node = self.unit.stmt(s).clone();
        let get = |e: ExprId| frame.get(e);
        let kind = match node.kind {
            StmtKind::Expr(e) => StmtKind::Expr(get(e)),
            StmtKind::Decl(decls) => {
                let decls = decls.iter();
                StmtKind::Decl(
                    decls
                        .map(|d| frame.decls.get(d).copied().unwrap_or(*d))
                        .collect(),
                )
            }
            StmtKind::Block(list) => {
                let mut copied = Vec::new();
                for s in list {
                    copied.push(self.copy_statement(s, frame, end));
                }
                StmtKind::Block(copied)
            }
            StmtKind::If(arms, other) => {
                let mut copied = Vec::new();
                for (c, s) in arms {
                    copied.push((get(c), self.copy_statement(s, frame, end)));
                }
                let other = other.map(|s| self.copy_statement(s, frame, end));
                StmtKind::If(copied, other)
            }
            StmtKind::While(c, s) => StmtKind::While(get(c), self.copy_statement(s, frame, end)),
            StmtKind::Do(s, c) => StmtKind::Do(self.copy_statement(s, frame, end), get(c)),
            StmtKind::For(of) => StmtKind::For(Box::new(For {
                init: of.init.map(|s| self.copy_statement(s, frame, end)),
                condition: of.condition.map(get),
                step: of.step.map(get),
                body: self.copy_statement(of.body, frame, end),
                part: frame.part(&of.part, end),
                entered: of.entered,
            })),
            StmtKind::Switch(e, s) => StmtKind::Switch(get(e), self.copy_statement(s, frame, end)),
            StmtKind::Case(a, b) => StmtKind::Case(get(a), b.map(get)),
            StmtKind::Return(value) => StmtKind::Return(value.map(get)),
            same @ (StmtKind::Empty
            | StmtKind::Default
            | StmtKind::Label(_)
            | StmtKind::Goto(_)
            | StmtKind::Break
            | StmtKind::Continue) => same,
        };
        self.statement(StmtNode { kind, ..node })
    }

    pub(super) fn statement(&mut self, node: StmtNode) -> StmtId {
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
