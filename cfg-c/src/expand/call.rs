//! Calls: of copies of functions, and through pointers.

use super::{
    Bindings, Bound, Expand,
    back::{goes_back, is_table},
    callee,
    frame::Frame,
    is_function_pointer, is_zero,
    set::Set,
    untyped::Untyped,
};
use crate::{
    ast::{Binary, DeclId, DeclKind, ExprId, ExprKind, Inlined, StmtKind, StmtNode},
    codes,
    points::{library_call, strip_conversions},
    types::{Arith, Int, Qualified, Type},
};
use std::rc::Rc;

/// Most functions for which a call through a pointer is written.
const MAX_FUNCTIONS: usize = 64;

impl Expand<'_> {
    /// Copies a call whose operands have been copied.
    pub(super) fn copy_call(
        &mut self,
        e: ExprId,
        f: ExprId,
        arguments: &[ExprId],
        frame: &mut Frame,
    ) -> Option<ExprId> {
        if let Some(d) = self.called(f, frame) {
            return self.direct(e, d, arguments, frame);
        }
        Some(self.indirect(e, f, arguments, frame))
    }

    /// A call through a pointer: a choice among the functions that it may be.
    fn indirect(
        &mut self,
        e: ExprId,
        f: ExprId,
        arguments: &[ExprId],
        frame: &mut Frame,
    ) -> ExprId {
        if !self
            .unit
            .expr(f)
            .ty
            .as_ref()
            .is_some_and(super::is_function)
            && !is_zero(self.unit, f)
        {
            // The call stays, and is refused when it is lowered.
            let arguments = arguments.iter().map(|a| frame.copy_of(*a)).collect();
            return self.add_expr(ExprKind::Call(frame.copy_of(f), arguments), e);
        }
        let nothing = self.nothing(e);
        let Some(set) = self.callable(f, nothing.is_some(), frame) else {
            return self.add_expr(ExprKind::Bad, e);
        };
        let given = callee(self.unit, f);
        let all: Vec<DeclId> = set.functions.iter().copied().collect();
        let number = frame.copy_of(given);
        if all.len() == 1 && !set.null && !self.unit.expr(number).effects {
            return self.one(e, all[0], arguments, frame);
        }
        let first = self.unit.exprs.len() as u32;
        let mut statements = Vec::new();
        // The number of the function is evaluated once.
        let chosen = match self.unit.expr(number).kind {
            ExprKind::Name(d) if self.unit.decl(d).kind == DeclKind::Local => d,
            _ => self.kept(number, e, frame, &mut statements),
        };
        let mut made: Option<ExprId> = None;
        for d in all.into_iter().rev() {
            let call = self.one(e, d, arguments, frame);
            made = Some(match made {
                None => call,
                Some(other) => {
                    let name = self.add_expr(ExprKind::Name(chosen), f);
                    let own = self.number(d);
                    let own = self.add_expr(ExprKind::Int(own, Arith::ADDRESS), f);
                    let test = self.add_expr(ExprKind::Binary(Binary::Eq, name, own), f);
                    self.add_expr(ExprKind::Conditional(test, call, other), e)
                }
            });
        }
        if set.null {
            // Calling a null pointer is a run-time error, written as a division by 0.
            let name = self.add_expr(ExprKind::Name(chosen), f);
            let zero = self.add_expr(ExprKind::Int(0, Arith::ADDRESS), f);
            let one = self.add_expr(ExprKind::Int(1, Arith::ADDRESS), f);
            let test = self.add_expr(ExprKind::Binary(Binary::Ne, name, zero), f);
            let quotient = self.add_expr(ExprKind::Binary(Binary::Div, one, test), f);
            self.kept(quotient, e, frame, &mut statements);
        }
        // If no function may be called, the call has no value.
        let Some(made) = made.or(nothing).filter(|_| !statements.is_empty()) else {
            return made.unwrap_or(e);
        };
        let node = |kind| StmtNode {
            kind,
            from: self.unit.expr(e).from,
            to: self.unit.expr(e).at,
        };
        let nodes = statements
            .iter()
            .map(|assign| node(StmtKind::Expr(*assign)));
        let nodes: Vec<StmtNode> = nodes.collect();
        let around = node(StmtKind::Empty);
        let list = nodes.into_iter().map(|n| self.push_stmt(n)).collect();
        let body = self.push_stmt(StmtNode {
            kind: StmtKind::Block(list),
            ..around
        });
        let inlined = Inlined {
            body,
            value: Some(made),
            part: first..self.unit.exprs.len() as u32,
            arguments: Vec::new(),
            labels: Vec::new(),
        };
        self.add_expr(ExprKind::Inlined(Rc::new(inlined)), e)
    }

    /// The functions that may be called through a pointer. Refuses a pointer of which they are not known and, unless
    /// `empty`, one that may be none.
    fn callable(&mut self, f: ExprId, empty: bool, frame: &Frame) -> Option<Set> {
        let at = self.unit.expr(f).at;
        let set = match self.functions_of(f, frame) {
            Ok(set) => set,
            Err(unknown) => {
                // An unknown parameter has been refused already.
                if !matches!(self.unit.expr(unknown).kind, ExprKind::Name(_)) {
                    let message = "the function that is called is not known here";
                    let help = "call it through a variable or parameter that is given functions of the file";
                    self.sink.error(&codes::FUNCTION, at, message, help);
                }
                return None;
            }
        };
        let message = match set.functions.len() {
            0 if !(set.null && empty) => {
                "no function is called here: the pointer is given none".to_owned()
            }
            n if n > MAX_FUNCTIONS => {
                format!("more than {MAX_FUNCTIONS} functions may be called here")
            }
            _ => return Some(set),
        };
        let help = "assign it functions of the file";
        self.sink.error(&codes::FUNCTION, at, message, help);
        None
    }

    /// A stand-in for the value of a call that is never executed; `None` for pointers and structures.
    fn nothing(&mut self, e: ExprId) -> Option<ExprId> {
        let ty = self.unit.expr(e).ty.clone()?;
        let zero = ExprKind::Int(0, Arith::INT);
        match ty.ty {
            Type::Arith(_) | Type::Void => {
                let zero = self.add_expr(zero, e);
                Some(self.add_expr(
                    ExprKind::Cast(Rc::new(Qualified::unqualified(ty.ty)), zero),
                    e,
                ))
            }
            Type::Pointer(_)
            | Type::Array(..)
            | Type::Struct(_)
            | Type::Function(_)
            | Type::Refused(_) => None,
        }
    }

    /// A new variable for a value; its assignment is added to the statements.
    fn kept(
        &mut self,
        value: ExprId,
        e: ExprId,
        frame: &mut Frame,
        statements: &mut Vec<ExprId>,
    ) -> DeclId {
        let at = self.unit.expr(e).at;
        let d = self.local(
            "callee",
            Qualified::unqualified(Type::Arith(Arith::ADDRESS)),
            at,
            frame,
        );
        let name = self.add_expr(ExprKind::Name(d), e);
        statements.push(self.add_expr(ExprKind::Assign(None, name, value), e));
        d
    }

    /// A call of one of several functions. Assumes that the result is no structure with pointers.
    fn one(&mut self, e: ExprId, d: DeclId, arguments: &[ExprId], frame: &mut Frame) -> ExprId {
        match self.direct(e, d, arguments, frame) {
            Some(call) => call,
            None => {
                frame.values.remove(&e);
                self.refuse(
                    e,
                    "a structure that has pointers comes from a call through a pointer",
                )
            }
        }
    }

    /// A call of a function by its name. `None` if the result is a structure with pointers, or a pointer to one: it
    /// is noted in the frame.
    fn direct(
        &mut self,
        e: ExprId,
        d: DeclId,
        arguments: &[ExprId],
        frame: &mut Frame,
    ) -> Option<ExprId> {
        let Some(g) = self.unit.decl(d).definition else {
            // Freeing the memory of a structure frees that of its members.
            if let [a] = arguments
                && self.split_of(strip_conversions(self.unit, *a)).is_some()
                && library_call(self.unit, e) == Some("free")
            {
                let before = self.resolve_structure(*a, frame).map(|value| value.before);
                let zero = self.add_expr(ExprKind::Int(0, Arith::ADDRESS), e);
                return Some(self.add_sequence(&before.unwrap_or_default(), Some(zero), e));
            }
            if let Some(a) = arguments.iter().find(|a| self.split_of(**a).is_some()) {
                let what = "a structure that has pointers is passed to a function of the library";
                return Some(self.refuse(*a, what));
            }
            let arguments = arguments.iter().map(|a| frame.copy_of(*a)).collect();
            let name = self.add_expr(ExprKind::Name(d), e);
            return Some(self.add_expr(ExprKind::Call(name, arguments), e));
        };
        let parameters = self.read[g].parameters.clone();
        let void = |b: &Self, p: &DeclId, a: ExprId| {
            b.unit.decl(*p).ty.is_void_pointer() && b.resolve_structure(a, frame).is_some()
        };
        let mut given = parameters.iter().zip(arguments);
        let back = |b: &Self, a: ExprId| {
            let passed =
                matches!(b.unit.expr(a).kind, ExprKind::Name(d) if frame.passed.contains(&d));
            let moved = || goes_back(b.unit, a, &frame.back) || is_table(b.unit, a);
            !b.values && b.unit.is_pointer(a) && (passed || moved())
        };
        let before = |b: &Self| {
            let mut arguments = arguments.iter().enumerate();
            arguments.any(|(k, a)| b.is_before((g, k), *a))
        };
        let elsewhere = |b: &Self| arguments.iter().any(|a| back(b, *a)) || !b.values && before(b);
        if self.is_inlined(g)
            || given.any(|(p, a)| void(self, p, *a))
            || elsewhere(self) && self.may_inline(g)
        {
            return self.inline(e, g, arguments, frame);
        }
        let mut bindings = Vec::new();
        let mut given = Vec::new();
        for (k, &a) in arguments.iter().enumerate() {
            let Some(&p) = parameters.get(k) else {
                given.push(frame.copy_of(a));
                continue;
            };
            match self.bound(p, a, frame) {
                Err(bad) => return Some(bad),
                Ok((bound, value)) => {
                    bindings.extend(bound.map(|bound| (k, bound)));
                    given.extend(value);
                }
            }
        }
        let wanted = frame.untyped.call(e).cloned();
        if let Some(to) = wanted.or_else(|| self.unwanted_result(g, &bindings)) {
            bindings.push((super::RESULT, Bound::Points(to)));
        }
        let at = self.unit.expr(e).at;
        let Some(target) = self.instance(g, bindings, at) else {
            return Some(self.add_expr(ExprKind::Bad, e));
        };
        let decl = self.unit.functions[target].decl;
        let name = self.add_expr(ExprKind::Name(decl), e);
        Some(self.add_expr(ExprKind::Call(name, given.into()), e))
    }

    /// The type behind a result `void *` if the call does not decide it: the type of the pointers that the function
    /// returns, or bytes.
    fn unwanted_result(&mut self, g: usize, bindings: &Bindings) -> Option<Qualified> {
        let known = self.unwanted.get(&g).into_iter().flatten();
        if let Some((_, to)) = known.into_iter().find(|(known, _)| known == bindings) {
            return Some(to.clone());
        }
        let function = &self.read[g];
        let is_void = match &self.unit.decl(function.decl).ty.ty {
            Type::Function(signature) => signature.result.is_void_pointer(),
            _ => false,
        };
        if !is_void || function.given.is_some() {
            return None;
        }
        let parameter = |(k, bound): &(usize, Bound)| {
            let d = function.parameters.get(*k)?;
            Some((*d, bound.clone()))
        };
        let bound = bindings.iter().filter_map(parameter).collect();
        let types = (&*self.unit, &self.read[..], &self.taken_for);
        let found = Untyped::infer(types, function, &bound, None);
        let bytes = || Qualified::unqualified(Type::Arith(Arith::Int(Int::Char)));
        let to = found.result().cloned().unwrap_or_else(bytes);
        let known = self.unwanted.entry(g).or_default();
        known.push((bindings.clone(), to.clone()));
        Some(to)
    }

    /// The binding of a parameter in a call, and the argument for it, unless the parameter is left out. The error is
    /// an expression to put in place of the call.
    pub(super) fn bound(
        &mut self,
        p: DeclId,
        a: ExprId,
        frame: &Frame,
    ) -> Result<(Option<Bound>, Option<ExprId>), ExprId> {
        let ty = self.unit.decl(p).ty.clone();
        if is_function_pointer(&ty) {
            let set = match self.functions_of(a, frame) {
                Ok(set) => set,
                Err(unknown) => {
                    if !matches!(self.unit.expr(unknown).kind, ExprKind::Name(_)) {
                        let at = self.unit.expr(a).at;
                        let message = "a function is passed that is not known here";
                        let help = "pass functions of the file";
                        self.sink.error(&codes::FUNCTION, at, message, help);
                    }
                    return Err(self.add_expr(ExprKind::Bad, a));
                }
            };
            let decl = self.unit.decl(p);
            let kept = decl.assigned.is_empty() && !decl.address && !self.unit.expr(a).effects;
            let only = set.functions.iter().next().copied();
            return Ok(match only {
                Some(f) if kept && !set.null && set.functions.len() == 1 => {
                    (Some(Bound::Function(f)), None)
                }
                _ => (Some(Bound::Among(set)), Some(self.value(a, frame))),
            });
        }
        if ty.is_void_pointer() {
            if is_zero(self.unit, frame.copy_of(a)) {
                return Ok((Some(Bound::Null), None));
            }
            let a = strip_conversions(self.unit, frame.copy_of(a));
            let to = self.unit.expr(a).ty.as_ref().and_then(Qualified::target);
            let to = to.filter(|to| to.ty != Type::Void).map(|to| {
                let mut to = to.clone();
                to.constant |= matches!(&ty.ty, Type::Pointer(of) if of.constant);
                Bound::Points(to)
            });
            return Ok((to, Some(a)));
        }
        Ok((None, Some(frame.copy_of(a))))
    }
}
