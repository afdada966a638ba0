//! Puts functions in place of their calls, if their arguments or results are pointers that a call cannot pass.

use super::{
    Bound, Expand,
    back::goes_back,
    copy::is_read_as,
    frame::{Frame, Returns, Value},
    is_zero,
    untyped::Untyped,
};
use crate::{
    ast::{
        Binary, Decl, DeclId, DeclKind, ExprId, ExprKind, Init, Inlined, StmtId, StmtKind,
        StmtNode, Unary,
    },
    codes,
    points::{library_call, strip_conversions},
    types::{Arith, Qualified, Type},
};
use std::rc::Rc;

/// Most functions that stand in one another.
const MAX_DEPTH: usize = 12;

/// Most levels of nested statements, those of functions in place of calls included.
const MAX_NESTING: usize = 400;

/// Most times that a function stands in itself. A function with function parameters may be called by one of its
/// arguments, as in an integral of an integral.
const MAX_AGAIN: usize = 3;

/// Most calls that are replaced.
const MAX_CALLS: usize = 5_000;

/// True if the numbers of replaced calls and of expressions are below their limits.
fn has_room(calls: usize, expressions: usize) -> bool {
    calls <= MAX_CALLS && expressions <= super::MAX_EXPRESSIONS
}

impl Expand<'_> {
    /// True if a function stands in place of its calls.
    pub(super) fn is_inlined(&mut self, g: usize) -> bool {
        if self.values {
            return false;
        }
        if let Some(known) = self.inlined.get(&g) {
            return *known;
        }
        let found = self.must_inline(g);
        self.inlined.insert(g, found);
        found
    }

    fn must_inline(&self, g: usize) -> bool {
        let unit = &*self.unit;
        let function = &self.read[g];
        if function.given.as_ref().is_some_and(|given| given.elsewhere) {
            return false;
        }
        let result = match &unit.decl(function.decl).ty.ty {
            Type::Function(signature) => &signature.result,
            _ => return false,
        };
        if matches!(result.ty, Type::Pointer(_)) && !super::is_function_pointer(result)
            || self.split_type(result).is_some()
        {
            return true;
        }
        let mut pointers = Vec::new();
        for d in &function.parameters {
            let ty = &unit.decl(*d).ty;
            if self.split_type(ty).is_some() || self.split_target(ty).is_some() {
                return true;
            }
            if matches!(ty.ty, Type::Pointer(_)) {
                pointers.push(*d);
            }
        }
        // The function frees memory of its caller, or assigns a pointer of its caller.
        function.part.clone().map(ExprId).any(|e| {
            let changed = match &unit.expr(e).kind {
                ExprKind::Call(_, arguments) => match library_call(unit, e) {
                    Some("free" | "realloc" | "reallocarray") => arguments.first().copied(),
                    _ => None,
                },
                ExprKind::Assign(_, target, _) | ExprKind::Step { of: target, .. }
                    if unit.is_pointer(*target)
                        && !matches!(unit.expr(*target).kind, ExprKind::Name(_)) =>
                {
                    Some(*target)
                }
                _ => None,
            };
            changed.is_some_and(|e| unit.root_variables(e).iter().any(|d| pointers.contains(d)))
        })
    }

    /// True if a function has structures with pointers, or calls a function that stands in place of its calls.
    pub(super) fn has_parts(&mut self, f: usize) -> bool {
        let function = self.read[f].clone();
        let own = function.parameters.iter().chain(&function.locals);
        let mut own = own.map(|d| &self.unit.decl(*d).ty);
        let split = own.any(|ty| self.split_type(ty).is_some() || self.split_target(ty).is_some());
        split
            || crate::calls::named(self.unit, f)
                .into_iter()
                .any(|g| self.is_inlined(g))
    }

    /// The levels of nested statements in a statement. Recursion is bounded by the parser's limit on nesting.
    fn nesting(&self, s: StmtId) -> usize {
        let inside = self.unit.statements_inside(s);
        let inner = inside.into_iter().map(|s| self.nesting(s)).max();
        1 + inner.unwrap_or(0)
    }

    /// True if putting a function in place of a call stays within all limits.
    pub(super) fn fits(&self, g: usize) -> bool {
        let around = self.stack.iter().chain([&g]);
        let levels: usize = around.map(|f| self.nesting(self.read[*f].body)).sum();
        self.stack.len() < MAX_DEPTH
            && levels <= MAX_NESTING
            && has_room(self.calls, self.unit.exprs.len())
    }

    /// Puts a function in place of a call. `None` if the value is a structure with pointers, or a pointer to one: it
    /// is noted in the frame.
    pub(super) fn inline(
        &mut self,
        e: ExprId,
        g: usize,
        arguments: &[ExprId],
        outer: &mut Frame,
    ) -> Option<ExprId> {
        let source = self.read[g].clone();
        let decl = self.unit.decl(source.decl).clone();
        let name = Rc::clone(&decl.name);
        let at = self.unit.expr(e).at;
        self.calls += 1;
        let problem = if source
            .given
            .as_ref()
            .is_some_and(|given| given.has_derivatives())
        {
            Some((
                &codes::POINTER,
                format!(
                    "{name}, whose derivative is given, takes or returns pointers that a call cannot have"
                ),
                "give derivatives of functions of arrays and numbers",
            ))
        } else if self.stack.iter().filter(|f| **f == g).count() >= MAX_AGAIN {
            Some((
                &codes::POINTER,
                format!(
                    "{name}, which takes or returns pointers that a call cannot have, calls itself"
                ),
                "pass arrays and numbers to functions that call themselves",
            ))
        } else if !self.fits(g) {
            Some((
                &codes::LIMIT,
                format!("{name} would stand in place of too many calls, or too deep in others"),
                "pass arrays and numbers, and return numbers",
            ))
        } else if arguments.len() != source.parameters.len() {
            Some((
                &codes::OPERAND,
                format!(
                    "{name} has {} parameters, but {} arguments are given",
                    source.parameters.len(),
                    arguments.len()
                ),
                "give one for each parameter",
            ))
        } else {
            None
        };
        if let Some((code, message, help)) = problem {
            self.sink.error(code, at, message, help);
            return Some(self.add_expr(ExprKind::Bad, e));
        }
        let first = self.unit.exprs.len() as u32;
        let mut frame = Frame::inside(outer, &source, e);
        let mut before = Vec::new();
        for (p, a) in source.parameters.iter().zip(arguments) {
            if !self.pass(*p, *a, &mut before, &mut frame, outer) {
                return Some(self.add_expr(ExprKind::Bad, e));
            }
            if self.unit.is_pointer(*a) && goes_back(self.unit, *a, &outer.back) {
                frame.back.insert(*p);
            }
        }
        let result = outer.untyped.call(e).cloned();
        frame.untyped = Untyped::infer(
            (self.unit, &self.read, &self.taken_for),
            &source,
            &frame.bound,
            result.as_ref(),
        );
        self.stack.push(g);
        let locals = self.copy_locals(&source, &mut frame);
        self.copy_types(&source, &mut frame);
        for (label, at) in &source.labels {
            let own: Rc<str> = Rc::from(format!("{label}@{}", self.calls));
            frame.labels.insert(Rc::clone(label), Rc::clone(&own));
            outer.inner_labels.push((own, *at));
        }
        self.copy_part(&source, &mut frame);
        self.copy_inits(&source, &mut frame);
        let result = match (&decl.ty.ty, result) {
            (Type::Function(_), Some(to)) => Qualified::unqualified(Type::Pointer(Rc::new(to))),
            (Type::Function(signature), None) => signature.result.clone(),
            _ => Qualified::unqualified(Type::Void),
        };
        frame.returns = self.returned(&result, source.body, &name, e, &mut frame);
        let end = self.unit.exprs.len() as u32;
        let body = self.copy_statement(source.body, &mut frame, end);
        before.push(body);
        let end = self.unit.exprs.len() as u32;
        frame.finish(outer, &source, end);
        outer.added.extend(
            locals
                .into_iter()
                .filter(|d| self.unit.decl(*d).kind == DeclKind::Local),
        );
        self.stack.pop();
        let from = self.unit.expr(e).from;
        let node = |kind| StmtNode { kind, from, to: at };
        let body = self.push_stmt(node(StmtKind::Block(before)));
        let labels = frame.labels.values().map(Rc::clone);
        let mut labels: Vec<Rc<str>> = labels.collect();
        labels.sort();
        let (value, loc) = match &frame.returns {
            Returns::Nothing => (None, None),
            Returns::Number(d) => (Some(self.add_expr(ExprKind::Name(*d), e)), None),
            Returns::Structure(loc) => (None, Some(loc.clone())),
            Returns::Pointer(d) => (None, self.pointers.get(d).cloned()),
            Returns::Last => match frame.last.clone() {
                Some(Ok(value)) => (Some(value), None),
                Some(Err(loc)) => (None, Some(loc)),
                None => (None, None),
            },
        };
        let structure = matches!(frame.returns, Returns::Structure(_) | Returns::Pointer(_))
            || self.split_type(&result).is_some()
            || self.split_target(&result).is_some();
        let inlined = Inlined {
            body,
            value,
            part: first..self.unit.exprs.len() as u32,
            arguments: arguments.iter().map(|a| outer.copy_of(*a)).collect(),
            labels,
        };
        let new = self.add_expr(ExprKind::Inlined(Rc::new(inlined)), e);
        if !structure {
            return Some(new);
        }
        let Some(loc) = loc else {
            return Some(self.refuse(e, "the structure that is returned is not known"));
        };
        let before = vec![self.add_stmt(StmtKind::Expr(new), e)];
        outer.values.insert(e, Value { before, loc });
        None
    }

    /// Gives a parameter of a function that stands in place of a call its value.
    fn pass(
        &mut self,
        p: DeclId,
        a: ExprId,
        before: &mut Vec<StmtId>,
        frame: &mut Frame,
        outer: &mut Frame,
    ) -> bool {
        let decl = self.unit.decl(p).clone();
        if let Some(s) = self.split_type(&decl.ty) {
            let Some(value) = self.resolve_structure(a, outer) else {
                self.refuse(
                    a,
                    "the structure that is passed, which has pointers, is not known",
                );
                return false;
            };
            let root = self.split(s, &decl.name, decl.at, outer);
            frame.decls.insert(p, root);
            let loc = self.whole_structure(root, s);
            // A copy that is never changed holds the same functions as the structure that is passed.
            let member = self.fields.is_assigned_in(p);
            if let Some(d) = self.objects.get(&value.loc.root).copied()
                && value.loc.path.is_empty()
                && decl.assigned.is_empty()
                && !member
            {
                self.objects.insert(root, d);
            }
            before.extend(value.before);
            before.extend(self.declared_copies(&loc, &value.loc, a));
            return true;
        }
        if let Some(s) = self.split_target(&decl.ty) {
            let d = self.local(&decl.name, decl.ty.clone(), decl.at, outer);
            outer.added.pop();
            frame.decls.insert(p, d);
            if is_zero(self.unit, strip_conversions(self.unit, a)) {
                // Null has no structure behind it: any use of the parameter is refused.
                return true;
            }
            let Some(value) = self.allocated(a, s, &decl.name, outer) else {
                self.refuse(
                    a,
                    "the structure that is passed, which has pointers, is not known",
                );
                return false;
            };
            before.extend(value.before);
            return self.bind(d, value.loc, false, a);
        }
        if decl.ty.is_void_pointer()
            && let Some(value) = self.resolve_structure(a, outer)
        {
            let d = self.local(&decl.name, decl.ty.clone(), decl.at, outer);
            outer.added.pop();
            frame.decls.insert(p, d);
            before.extend(value.before);
            return self.bind(d, value.loc, false, a);
        }
        let kept = decl.assigned.is_empty() && !decl.address;
        if matches!(decl.ty.ty, Type::Pointer(_))
            && !super::is_function_pointer(&decl.ty)
            && kept
            && is_zero(self.unit, outer.copy_of(a))
        {
            frame.bound.insert(p, Bound::Null);
            return true;
        }
        let leads = |ty: &Qualified| matches!(&ty.ty, Type::Pointer(to) if matches!(&to.ty, Type::Pointer(of) if !matches!(of.ty, Type::Function(_))));
        let leads_alike = |passed: &Decl| match (passed.ty.target(), decl.ty.target()) {
            (Some(a), Some(b)) => is_read_as(self.unit, a, b),
            _ => false,
        };
        if leads(&decl.ty) && kept {
            let new = outer.copy_of(strip_conversions(self.unit, a));
            match self.unit.expr(new).kind {
                // `*&p` is the pointer itself.
                ExprKind::Unary(Unary::Address, of)
                    if matches!(self.unit.expr(of).kind, ExprKind::Name(_)) =>
                {
                    let ExprKind::Name(d) = self.unit.expr(of).kind else {
                        return false;
                    };
                    self.unit.decls[d.index()].address = false;
                    frame.bound.insert(p, Bound::Place(d));
                    return true;
                }
                // A variable with rows, or a parameter that has been passed like this.
                ExprKind::Name(d) if leads_alike(self.unit.decl(d)) => {
                    frame.decls.insert(p, d);
                    frame.passed.insert(p);
                    return true;
                }
                _ => {}
            }
            if let ExprKind::Name(d) = self.unit.expr(strip_conversions(self.unit, a)).kind
                && let Some(Bound::Place(d)) = outer.bound.get(&d)
            {
                frame.bound.insert(p, Bound::Place(*d));
                return true;
            }
        }
        let (bound, value) = match self.bound(p, a, outer) {
            Ok(found) => found,
            Err(_) => return false,
        };
        if let Some(bound) = bound {
            frame.bound.insert(p, bound);
        }
        let Some(value) = value else { return true };
        let new = self.variable(p, frame);
        outer.added.push(new);
        let copied = &mut self.unit.decls[new.index()];
        copied.kind = DeclKind::Local;
        copied.init = Some(Init::Expr(value));
        if let Some((first, value)) = self.apart(value) {
            before.push(first);
            self.unit.decls[new.index()].init = Some(Init::Expr(value));
        }
        let declared = self.add_stmt(StmtKind::Decl(vec![new]), a);
        before.push(declared);
        true
    }

    /// How a function that stands in place of a call returns its value.
    fn returned(
        &mut self,
        result: &Qualified,
        body: StmtId,
        name: &str,
        e: ExprId,
        frame: &mut Frame,
    ) -> Returns {
        if result.ty == Type::Void {
            return Returns::Nothing;
        }
        let mut returns = Vec::new();
        let mut open = vec![body];
        while let Some(s) = open.pop() {
            match &self.unit.stmt(s).kind {
                StmtKind::Return(Some(_)) => returns.push(s),
                _ => open.extend(self.unit.statements_inside(s)),
            }
        }
        let last = match &self.unit.stmt(body).kind {
            StmtKind::Block(list) => list.last().copied(),
            _ => None,
        };
        let pointer = matches!(result.ty, Type::Pointer(_)) || self.split_type(result).is_some();
        if let ([only], Some(last)) = (&returns[..], last)
            && *only == last
            && pointer
        {
            return Returns::Last;
        }
        let at = self.unit.expr(e).at;
        let name = format!("{name}_result");
        if let Some(s) = self.split_type(result) {
            let root = self.split(s, &name, at, frame);
            return Returns::Structure(self.whole_structure(root, s));
        }
        let ty = super::numbered(result);
        let pointer = self.split_target(result).is_some();
        let d = self.local(
            &name,
            Qualified {
                constant: false,
                ..ty
            },
            at,
            frame,
        );
        if pointer {
            frame.added.pop();
            return Returns::Pointer(d);
        }
        Returns::Number(d)
    }

    /// A return of a function that stands in place of a call.
    pub(super) fn copied_return(
        &mut self,
        s: StmtId,
        value: Option<ExprId>,
        frame: &mut Frame,
    ) -> StmtKind {
        let returns = frame.returns.clone();
        let Some(value) = value else {
            return StmtKind::Leave;
        };
        let known = self.resolve_structure(value, frame);
        let mut list = Vec::new();
        match returns {
            Returns::Last => {
                if self.split_of(value).is_some() {
                    let known = match self.unit.expr(value).ty.clone() {
                        Some(ty) => match self.split_target(&ty) {
                            Some(s) => self.allocated(value, s, "structure", frame),
                            None => known,
                        },
                        None => known,
                    };
                    if let Some(known) = known {
                        list.extend(known.before);
                        frame.last = Some(Err(known.loc));
                    }
                } else {
                    frame.last = Some(Ok(frame.copy_of(value)));
                }
                return StmtKind::Block(list);
            }
            Returns::Structure(loc) => match known {
                Some(known) => {
                    list.extend(known.before);
                    list.extend(self.copies(&loc, &known.loc, value));
                }
                None => {
                    self.refuse(value, "the structure that is returned is not known");
                }
            },
            Returns::Pointer(d) => match known {
                Some(known) => {
                    list.extend(known.before);
                    self.bind(d, known.loc, true, value);
                }
                None if is_zero(self.unit, strip_conversions(self.unit, value)) => {
                    // Returning null is a run-time error, written as a division by 0.
                    let one = self.add_expr(ExprKind::Int(1, Arith::ADDRESS), value);
                    let zero = self.add_expr(ExprKind::Int(0, Arith::ADDRESS), value);
                    let quotient = self.add_expr(ExprKind::Binary(Binary::Div, one, zero), value);
                    let nothing = self.add_expr(ExprKind::Int(0, Arith::ADDRESS), value);
                    let test =
                        self.add_expr(ExprKind::Binary(Binary::Ne, quotient, nothing), value);
                    let empty = self.add_stmt(StmtKind::Empty, value);
                    list.push(self.add_stmt(StmtKind::If(vec![(test, empty)], None), value));
                }
                None => {
                    self.refuse(value, "the structure that is returned is not known");
                }
            },
            Returns::Number(d) => {
                let ty = self.unit.decl(d).ty.clone();
                let mut new = self.value_of(value, &ty, frame);
                if let Some((first, value)) = self.apart(new) {
                    list.push(first);
                    new = value;
                }
                let name = self.add_expr(ExprKind::Name(d), value);
                let assign = self.add_expr(ExprKind::Assign(None, name, new), value);
                list.push(self.add_stmt(StmtKind::Expr(assign), value));
            }
            Returns::Nothing => {
                let e = frame.copy_of(value);
                list.push(self.add_stmt(StmtKind::Expr(e), value));
            }
        }
        let node = self.unit.stmt(s).clone();
        list.push(self.push_stmt(StmtNode {
            kind: StmtKind::Leave,
            ..node
        }));
        StmtKind::Block(list)
    }

    /// A returned value as a result of a type: null is the number of no function.
    pub(super) fn value_of(&mut self, value: ExprId, result: &Qualified, frame: &Frame) -> ExprId {
        match result.ty {
            Type::Arith(_) if self.unit.is_pointer(value) => self.value(value, frame),
            _ => frame.copy_of(value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Calls are replaced up to [`MAX_CALLS`], and up to the limit of expressions.
    #[test]
    fn calls_are_replaced_up_to_a_number() {
        assert!(has_room(5_000, 1 << 22));
        assert!(!has_room(5_001, 0));
        assert!(!has_room(0, (1 << 22) + 1));
    }
}
