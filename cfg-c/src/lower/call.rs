//! Calls of functions of the file and of the library.

use super::{
    Lowered,
    routine::Body,
    slot::{Elem, Pointer},
    value::Value,
};
use crate::{
    ast::{DeclId, ExprId, ExprKind, Unary},
    codes, constant,
    math::{self, How},
    points,
    source::Pos,
    types::{Arith, Int, Parameter, Qualified, Type},
};
use cfg_core::{
    entity::{RoutineId, VarId},
    ir::{Expr, Op},
};
use std::rc::Rc;

/// Most pointers that may be null in one call: each doubles the number of times that the call is written.
const MAX_LEFT_OUT: usize = 3;

/// An argument that is left out where a pointer is null.
struct LeftOut {
    argument: usize,
    /// The position of the argument that has its number of elements, for a matrix passed as one sequence.
    size: Option<usize>,
    /// The condition that the pointer is not null.
    there: Expr,
}

impl Body<'_, '_> {
    /// Translates a call; returns its value, if it has one.
    pub(super) fn lower_call(
        &mut self,
        e: ExprId,
        f: ExprId,
        arguments: &[ExprId],
    ) -> Lowered<Option<Value>> {
        let unit = self.l.unit;
        let at = unit.expr(f).at;
        let ExprKind::Name(d) = unit.expr(f).kind else {
            if matches!(unit.expr(f).kind, ExprKind::Bad) {
                return Err(super::Failed);
            }
            return self.error(
                &codes::FUNCTION,
                at,
                "calls through pointers are not supported",
                "call functions by their names",
            );
        };
        let decl = unit.decl(d);
        let Type::Function(signature) = &decl.ty.ty else {
            let message = format!("{} is no function that can be called here", decl.name);
            return self.error(
                &codes::FUNCTION,
                at,
                message,
                "call functions by their names; function parameters are not supported",
            );
        };
        let signature = Rc::clone(signature);
        if decl.library.is_some() && signature.open {
            self.refuse_conversions(&decl.name, &signature.parameters, arguments)?;
        }
        if decl.library == Some(How::System) {
            let message = format!("{} gives 0: it is no input of the program", decl.name);
            let help = "ask in the caller, and pass what matters as a parameter";
            self.l.sink.warning(&codes::SYSTEM, at, message, help);
        }
        if decl.definition.is_some() {
            let result = self.own_call(e, d, &signature, arguments)?;
            return match result {
                Some((v, Elem::Arith(ty))) => Ok(Some(Value::new(Expr::var(v), ty, 1))),
                Some((_, Elem::Struct(_) | Elem::Pointer(..))) | None => Ok(None),
            };
        }
        let name = decl.name.strip_prefix("__cfgrev_").unwrap_or(&decl.name);
        match decl.how() {
            Some(How::Refused(help)) => {
                let message = format!("{name} is not supported");
                self.error(&codes::LIBRARY, at, message, help)
            }
            Some(How::Silent) => Ok(None),
            Some(How::Text) => {
                let message = format!("{name} is not supported where its text is not printed");
                self.error(&codes::LIBRARY, at, message, math::KEPT)
            }
            Some(how @ (How::Passive | How::Telling | How::Unseen)) => {
                self.left_out(how, name, arguments, at).map(|()| None)
            }
            Some(How::Assert) => self.lower_assertion(arguments, at).map(|()| None),
            Some(How::AssertionFailed) => {
                self.assertion_failed(arguments, at);
                Ok(None)
            }
            Some(How::Stop) => self.lower_stop(name, arguments).map(|()| None),
            Some(How::Release) => self.lower_free(arguments, at).map(|()| None),
            Some(How::Copy) => {
                let may_overlap = name == "memmove";
                self.copy_memory(arguments, may_overlap, at).map(|()| None)
            }
            Some(How::Clear) => self.clear_memory(arguments, at).map(|()| None),
            Some(How::Sort) => {
                let message =
                    format!("{name} is given elements of a type or a size that is not known here");
                let help =
                    "call it by its name with a pointer to the elements, and sizeof one of them";
                self.error(&codes::LIBRARY, at, message, help)
            }
            Some(How::Allocate) if self.l.values => self.lower_pointer(e).map(|_| None),
            Some(How::Allocate) => {
                let message = "memory is allocated where no pointer is assigned";
                self.error(&codes::LIBRARY, at, message, "assign it to a pointer")
            }
            Some(how) => self
                .lower_library_call(how, &signature.parameters, &signature.result, arguments, at)
                .map(Some),
            None => {
                let message = match math::how(name) {
                    Some(_) => format!(
                        "{name} is declared otherwise than the library has it, and has no body here"
                    ),
                    None => format!("{name} is declared, but has no body here"),
                };
                let how = crate::declared::how_to_declare(name, &decl.ty);
                let help = format!("read the file that defines it, too, or {how}");
                let refused = self.error(&codes::FUNCTION, at, message, help);
                self.l.sink.lacks(name);
                refused
            }
        }
    }

    /// Refuses arguments of other types than a function of the library has, if it is declared without parameters: C
    /// would not convert them.
    fn refuse_conversions(
        &mut self,
        name: &str,
        parameters: &[Parameter],
        arguments: &[ExprId],
    ) -> Lowered<()> {
        for (p, a) in parameters.iter().zip(arguments) {
            let node = self.l.unit.expr(*a);
            let given = node.ty.as_ref().and_then(Qualified::arith);
            let passed = given.map(|ty| match ty {
                Arith::Float => Arith::Double,
                Arith::Int(ty) => Arith::Int(ty.promote()),
                Arith::Double => Arith::Double,
            });
            if let (Some(given), Some(passed), Some(wanted)) = (given, passed, p.ty.arith())
                && passed.scalar_type() != wanted.scalar_type()
            {
                let message = format!(
                    "{name} is declared without its parameters and given {}, not {}",
                    given.name(),
                    wanted.name()
                );
                let help = "declare it with its parameters, or include its header";
                return self.error(&codes::OPERAND, node.at, message, help);
            }
        }
        Ok(())
    }

    /// Translates a call of a function of the file; returns the variable that has the result.
    pub(super) fn call_result(
        &mut self,
        e: ExprId,
        f: ExprId,
        arguments: &[ExprId],
    ) -> Lowered<Option<(VarId, Elem)>> {
        let unit = self.l.unit;
        if let ExprKind::Name(d) = unit.expr(f).kind
            && unit.decl(d).definition.is_some()
            && let Type::Function(signature) = &unit.decl(d).ty.ty
        {
            return self.own_call(e, d, &Rc::clone(signature), arguments);
        }
        // Not a function of the file: `call` refuses it.
        self.lower_call(e, f, arguments).map(|_| None)
    }

    /// Leaves out a call that computes nothing. The effects of its arguments stay.
    fn left_out(&mut self, how: How, name: &str, arguments: &[ExprId], at: Pos) -> Lowered<()> {
        self.refuse_unordered(arguments, None)?;
        for a in arguments {
            if self.l.unit.expr(*a).effects {
                self.lower_for_effects(*a)?;
            }
        }
        let (message, help) = match how {
            How::Unseen => (
                format!(
                    "{name} has no body here and is left out: it returns nothing, and what it is given lets it write nothing"
                ),
                format!(
                    "if it matters, read the file that defines it, too; --no-diff {name} has emitted C call it"
                ),
            ),
            How::Telling => (
                format!(
                    "{name} is left out: it changes only variables of its own, and nothing uses its value"
                ),
                "nothing is to be done".to_owned(),
            ),
            _ => (
                format!("{name} is left out: it computes nothing that the program uses"),
                "print results in the caller; nothing is to be done otherwise".to_owned(),
            ),
        };
        self.l.sink.warning(&codes::IGNORED, at, message, help);
        if how == How::Unseen {
            self.l.sink.lacks(name);
        }
        Ok(())
    }

    /// An assertion: its condition, and its text.
    fn lower_assertion(&mut self, arguments: &[ExprId], at: Pos) -> Lowered<()> {
        let [condition, text @ ..] = arguments else {
            return Err(super::Failed);
        };
        let holds = match self.lower_condition(*condition)? {
            Expr::Logical(true) => return Ok(()),
            holds => holds,
        };
        self.set_span();
        self.f.begin_if(Expr::op(Op::Not, [holds]));
        self.assertion_failed(text, at);
        self.f.end_if();
        Ok(())
    }

    /// Stops the program, as C does if an assertion with this text fails.
    fn assertion_failed(&mut self, arguments: &[ExprId], at: Pos) {
        let unit = self.l.unit;
        let text = match arguments.first().map(|text| &unit.expr(*text).kind) {
            Some(ExprKind::Str(Some(text))) => String::from_utf8_lossy(text),
            _ => "".into(),
        };
        let file = self.l.sink.files.get(at.file as usize);
        let file = file.map_or("", String::as_str);
        let function = &unit.decl(unit.functions[self.function].decl).name;
        let text = format!("{file}:{}: {function}: Assertion `{text}' failed.", at.line);
        self.set_span();
        self.f.stop(text);
    }

    /// A call that ends the program.
    fn lower_stop(&mut self, name: &str, arguments: &[ExprId]) -> Lowered<()> {
        let text = match arguments {
            [status] => match constant::integer(self.l.unit, *status) {
                Some((value, _)) => format!("{name}({value})"),
                None => {
                    // The status is evaluated for its effects and its errors.
                    let ty = self.l.unit.expr(*status).ty.as_ref();
                    if ty.is_some_and(|ty| ty.arith().is_some()) {
                        self.lower_expr(*status)?;
                    }
                    name.to_owned()
                }
            },
            _ => format!("{name}()"),
        };
        self.set_span();
        self.f.stop(text);
        Ok(())
    }

    /// The value of one argument.
    fn by_value(&mut self, a: ExprId, ty: &Qualified) -> Lowered<Value> {
        let at = self.l.unit.expr(a).at;
        let message = "a pointer is passed where a number is expected";
        let value = self.lower_number(
            (a, ty.arith()),
            (&codes::OPERAND, at),
            message,
            "pass a number",
        )?;
        match ty.arith() {
            Some(ty) => Ok(value.convert(ty)),
            None => self.error(
                &codes::OPERAND,
                at,
                "a number is passed where something else is expected",
                "pass what the parameter is",
            ),
        }
    }

    /// The values of all arguments, from left to right.
    fn lower_arguments(
        &mut self,
        parameters: &[Parameter],
        arguments: &[ExprId],
        at: Pos,
    ) -> Lowered<Vec<Value>> {
        let unit = self.l.unit;
        if parameters.len() != arguments.len() {
            let message = format!(
                "{} arguments are given, {} are expected",
                arguments.len(),
                parameters.len()
            );
            return self.error(&codes::OPERAND, at, message, "give one for each parameter");
        }
        self.refuse_unordered(arguments, None)?;
        let mut values: Vec<Value> = Vec::new();
        for (p, a) in parameters.iter().zip(arguments) {
            if unit.expr(*a).effects {
                values = values.into_iter().map(|v| self.settle_value(v)).collect();
            }
            values.push(self.by_value(*a, &p.ty)?);
        }
        Ok(values)
    }

    fn lower_library_call(
        &mut self,
        how: How,
        parameters: &[Parameter],
        result: &Qualified,
        arguments: &[ExprId],
        at: Pos,
    ) -> Lowered<Value> {
        let ty = result.arith().unwrap_or(Arith::Double);
        // Macros for reals of both precisions have that of their argument.
        let generic = matches!(
            how,
            How::IsNan | How::IsInfinite | How::IsFinite | How::SignBit
        );
        let constant = matches!(how, How::Infinity | How::NotANumber);
        let values = if constant {
            Vec::new()
        } else if generic && let [a] = arguments {
            let value = self.lower_expr(*a)?;
            vec![if value.ty.is_real() {
                value
            } else {
                value.convert(Arith::Double)
            }]
        } else {
            self.lower_arguments(parameters, arguments, at)?
        };
        let depth = values.iter().map(|v| v.depth).max().unwrap_or(0) + 1;
        let value_type = values.first().map_or(Arith::Double, |v| v.ty);
        let mut exprs: Vec<Expr> = values.iter().map(|v| v.e.clone()).collect();
        let first = exprs.first().cloned().unwrap_or(Expr::Real(0.0));
        Ok(match how {
            How::Op(op) => Value::new(Expr::op(op, exprs), ty, depth),
            How::IntegerAbs => Value::new(Expr::op(Op::Abs, exprs), ty, depth),
            How::PowerOf(base) => {
                Value::new(Expr::op(Op::Pow, [constant_of(ty, base), first]), ty, depth)
            }
            How::PositiveDifference => {
                let simple = self.simple_values(values);
                let [a, b] = &simple[..] else {
                    return Err(super::Failed);
                };
                let test = Expr::op(Op::Le, [a.e.clone(), b.e.clone()]);
                let difference = Expr::op(Op::Sub, [a.e.clone(), b.e.clone()]);
                Value::new(
                    Expr::op(Op::If, [test, constant_of(ty, 0.0), difference]),
                    ty,
                    3,
                )
            }
            How::Least(op) => {
                let simple = self.simple_values(values);
                let [a, b] = &simple[..] else {
                    return Err(super::Failed);
                };
                let nan = |v: &Value| Expr::op(Op::Ne, [v.e.clone(), v.e.clone()]);
                let both = Expr::op(op, [a.e.clone(), b.e.clone()]);
                let inner = Expr::op(Op::If, [nan(b), a.e.clone(), both]);
                Value::new(Expr::op(Op::If, [nan(a), b.e.clone(), inner]), ty, 4)
            }
            How::RoundToInteger => {
                let rounded = Value::new(Expr::op(Op::Round, exprs), value_type, depth);
                rounded.convert(Arith::Int(Int::Long))
            }
            How::IsNan
            | How::IsInfinite
            | How::IsFinite
            | How::SignBit
            | How::Unordered
            | How::LessOrGreater => return classified(how, &exprs, value_type, depth),
            How::Infinity => Value::new(constant_of(ty, f64::INFINITY), ty, 1),
            How::NotANumber => Value::new(constant_of(ty, f64::NAN), ty, 1),
            How::Written
            | How::Characters
            | How::Passive
            | How::Telling
            | How::Unseen
            | How::System
            | How::Text
            | How::Silent
            | How::Assert
            | How::AssertionFailed
            | How::Stop
            | How::Allocate
            | How::Sort
            | How::Release
            | How::Copy
            | How::Clear
            | How::Refused(_) => {
                exprs.clear();
                return Err(super::Failed);
            }
        })
    }

    /// Values that may stand several times: constants and variables.
    fn simple_values(&mut self, values: Vec<Value>) -> Vec<Value> {
        let mut simple = Vec::new();
        for value in values {
            let plain = matches!(value.e, Expr::Real(_) | Expr::Real32(_));
            simple.push(if plain {
                value
            } else {
                self.store_temporary(value)
            });
        }
        simple
    }

    fn own_call(
        &mut self,
        e: ExprId,
        d: DeclId,
        signature: &crate::types::Signature,
        arguments: &[ExprId],
    ) -> Lowered<Option<(VarId, Elem)>> {
        let unit = self.l.unit;
        let at = unit.expr(e).at;
        let decl = unit.decl(d);
        if signature.parameters.len() != arguments.len() {
            let message = format!(
                "{} has {} parameters, but {} arguments are given",
                decl.name,
                signature.parameters.len(),
                arguments.len()
            );
            return self.error(&codes::OPERAND, at, message, "give one for each parameter");
        }
        self.refuse_unordered(arguments, None)?;
        let mut bound = Vec::new();
        // The positions of matrices that are passed as one sequence, and their numbers of elements.
        let (mut flat, mut sizes) = (Vec::new(), Vec::new());
        // The arguments that must be left out if a pointer is null.
        let mut left_out = Vec::new();
        for (k, (p, a)) in signature.parameters.iter().zip(arguments).enumerate() {
            let later = arguments[k + 1..].iter().any(|a| unit.expr(*a).effects);
            let optional = p.decl.is_some_and(|d| self.is_optional(d));
            bound.push(if optional && points::is_null(unit, *a) {
                None
            } else {
                Some(self.lower_argument(p, *a, later)?)
            });
            if let Some(there) = self.may_be_left_out(p, *a, bound[k].as_ref())? {
                let size = self
                    .passed_size
                    .as_ref()
                    .map(|_| arguments.len() + flat.len());
                left_out.push(LeftOut {
                    argument: k,
                    size,
                    there,
                });
            }
            if let Some(size) = self.passed_size.take() {
                flat.push(k);
                sizes.push(Some(size));
            }
        }
        let Some(routine) = decl
            .definition
            .and_then(|g| self.l.routines.get(&g))
            .copied()
        else {
            return Err(super::Failed);
        };
        let routine = match flat.is_empty() {
            true => routine,
            false => self.adapter_routine(routine, flat),
        };
        bound.extend(sizes);
        let result = match self.l.elem(&signature.result) {
            Some(elem) => {
                let ty = self.l.scalar_type(elem, at)?;
                Some((self.f.temporary(ty), elem))
            }
            None => None,
        };
        if left_out.len() > MAX_LEFT_OUT {
            let message = format!("more than {MAX_LEFT_OUT} pointers that may be null are passed");
            let help = "test them, and call the function with those that are not null";
            return self.error(&codes::POINTER, at, message, help);
        }
        self.call_without_null(routine, &bound, result.map(|(v, _)| v), &left_out);
        if let Some((v, Elem::Arith(_))) = result {
            self.frozen.insert(v);
        }
        Ok(result)
    }

    /// The condition that an argument is not null, if the call has to leave out a null argument. An array that may be
    /// absent needs no condition: it is handed on as it is.
    fn may_be_left_out(
        &mut self,
        p: &Parameter,
        a: ExprId,
        argument: Option<&Expr>,
    ) -> Lowered<Option<Expr>> {
        let (Some(Expr::Place(place)), Type::Pointer(_)) = (argument, &p.ty.ty) else {
            return Ok(None);
        };
        if self.is_value(&p.ty) {
            return Ok(None);
        }
        let there = self.leads_somewhere(a)?;
        if there == Expr::Logical(true)
            || place.subscripts.is_empty() && there == self.presence_condition(place.var)
        {
            return Ok(None);
        }
        if !p.decl.is_some_and(|d| self.is_optional(d)) {
            let at = self.l.unit.expr(a).at;
            let message = "a pointer that may be null is passed to a function that is given something else for its derivatives or its value";
            return self.error(&codes::POINTER, at, message, "pass an array");
        }
        Ok(Some(there))
    }

    /// Calls a routine without the arguments that are null, by a branch for each argument that may be. Recursion is
    /// as deep as there are such arguments.
    fn call_without_null(
        &mut self,
        routine: RoutineId,
        arguments: &[Option<Expr>],
        result: Option<VarId>,
        left_out: &[LeftOut],
    ) {
        let Some((first, rest)) = left_out.split_first() else {
            self.set_span();
            let result = result.map(Into::into);
            self.f.call_with(routine, arguments.to_vec(), result);
            return;
        };
        self.set_span();
        self.f.begin_if(first.there.clone());
        self.call_without_null(routine, arguments, result, rest);
        self.f.begin_else();
        let mut fewer = arguments.to_vec();
        fewer[first.argument] = None;
        if let Some(size) = first.size {
            fewer[size] = Some(Expr::Int(0));
        }
        self.call_without_null(routine, &fewer, result, rest);
        self.f.end_if();
    }

    /// Translates an argument of a call. `later`: an argument that is evaluated after it may change something.
    fn lower_argument(&mut self, p: &Parameter, a: ExprId, later: bool) -> Lowered<Expr> {
        match &p.ty.ty {
            Type::Pointer(_) if self.is_value(&p.ty) => self.pointer_argument(p, a, later),
            Type::Pointer(_) => {
                if points::is_null(self.l.unit, a) {
                    let at = self.l.unit.expr(a).at;
                    let message =
                        "a null pointer is passed to a function that does not test for it";
                    return self.error(&codes::POINTER, at, message, "pass an array");
                }
                let mut pointer = self.lower_pointer(a)?;
                if later {
                    self.settle_pointer(&mut pointer);
                }
                self.pass_pointer(p, pointer, a)
            }
            Type::Struct(s) => {
                let path = self.lower_path(a)?;
                if path.elem != Elem::Struct(*s) || path.dims > 0 {
                    let at = self.l.unit.expr(a).at;
                    let message = "a structure of another type is expected";
                    return self.error(&codes::OPERAND, at, message, "pass what the parameter is");
                }
                let value = Expr::Place(path.into_place());
                if !later && self.is_stable(&value) {
                    return Ok(value);
                }
                // The parameter is bound by reference, but C passes a copy: the argument goes to a variable of its
                // own.
                let ty = self
                    .l
                    .scalar_type(Elem::Struct(*s), self.l.unit.expr(a).at)?;
                let t = self.f.temporary(ty);
                self.assign(t, value);
                Ok(Expr::var(t))
            }
            _ => {
                let value = self.by_value(a, &p.ty)?;
                let place = matches!(value.e, Expr::Place(_));
                Ok(if place || later {
                    self.settle_value(value).e
                } else {
                    value.e
                })
            }
        }
    }

    /// True if the pointer is the address of a member with members of its type beside it, such as those of a vector
    /// x, y, z. A resolved pointer stays in its member; a pointer that is a value goes on to the next one.
    fn has_neighbour(&self, pointer: ExprId) -> bool {
        let unit = self.l.unit;
        let ExprKind::Unary(Unary::Address, place) =
            &unit.expr(points::strip_conversions(unit, pointer)).kind
        else {
            return true;
        };
        let Some((s, name)) = unit.member_of(*place) else {
            return true;
        };
        let members = &unit.structure(s).members;
        let Some(at) = members.iter().position(|member| member.name == *name) else {
            return true;
        };
        let scalar = |ty: &Qualified| ty.element().arith();
        let own = scalar(&members[at].ty);
        let beside = members[at + 1..]
            .first()
            .into_iter()
            .chain(members[..at].last());
        // Structures begin and end with members of any type.
        let is_alike = |other: Option<Arith>| other.is_none_or(|other| own == Some(other));
        own.is_some()
            && beside
                .into_iter()
                .any(|member| is_alike(scalar(&member.ty)))
    }

    /// A pointer as the argument for a parameter.
    fn pass_pointer(&mut self, p: &Parameter, pointer: Pointer, a: ExprId) -> Lowered<Expr> {
        let at = self.l.unit.expr(a).at;
        let mut ty = &p.ty;
        let mut levels = 0;
        while let Some(of) = ty.target() {
            levels += 1;
            ty = of;
        }
        // Rows behind pointers do not lie in memory like an array of arrays.
        let given = self.l.unit.expr(a).ty.as_ref().and_then(Qualified::target);
        let behind =
            |ty: Option<&Qualified>| ty.is_some_and(|ty| matches!(ty.ty, Type::Pointer(_)));
        let alike = behind(given) == behind(p.ty.target());
        if self.l.elem(ty) != Some(pointer.elem) || levels != pointer.inner + 1 || !alike {
            let message = format!(
                "the argument points to {} in {} dimensions, the parameter is a {}",
                pointer.elem.name(),
                pointer.inner + 1,
                p.ty.name()
            );
            return self.error(
                &codes::POINTER,
                at,
                message,
                "pass an array of the rank and the type of the parameter",
            );
        }
        if pointer.constant && !ty.constant && p.decl.is_some_and(|d| self.l.facts.is_written(d)) {
            return self.error(
                &codes::OPERAND,
                at,
                "a constant is passed where it may be written",
                "declare the parameter const",
            );
        }
        // A function that uses a single element needs no number of elements.
        if !p.decl.is_some_and(|d| self.l.facts.is_single(d)) {
            if pointer.offset.is_none() && self.has_neighbour(a) {
                let message = "the pointer to a member that is no array is passed to a function that may go on to the next member";
                let help = "make the members one array, or let the function use one number";
                return self.error(&codes::POINTER, at, message, help);
            }
            self.passed_size = self.remaining_elements(&pointer);
        }
        Ok(Expr::Place(pointer.section()))
    }
}

/// A real constant of a type.
fn constant_of(ty: Arith, value: f64) -> Expr {
    match ty {
        Arith::Float => Expr::Real32(value as f32),
        _ => Expr::Real(value),
    }
}

/// The macros that classify reals of this type.
fn classified(how: How, exprs: &[Expr], ty: Arith, depth: usize) -> Lowered<Value> {
    let Some(first) = exprs.first().cloned() else {
        return Err(super::Failed);
    };
    let size = || Expr::op(Op::Abs, [first.clone()]);
    let infinite = || constant_of(ty, f64::INFINITY);
    let is_nan = |e: &Expr| Expr::op(Op::Ne, [e.clone(), e.clone()]);
    let e = match (how, exprs) {
        (How::IsNan, _) => return Ok(Value::truth(is_nan(&first), depth)),
        (How::IsInfinite, _) => Expr::op(Op::Eq, [size(), infinite()]),
        (How::IsFinite, _) => Expr::op(Op::Lt, [size(), infinite()]),
        (How::SignBit, _) => {
            let sign = Expr::op(Op::Sign, [constant_of(ty, 1.0), first]);
            Expr::op(Op::Lt, [sign, constant_of(ty, 0.0)])
        }
        (How::Unordered, [x, y]) => Expr::op(Op::Or, [is_nan(x), is_nan(y)]),
        (How::LessOrGreater, [x, y]) => {
            let both = [Op::Lt, Op::Gt].map(|op| Expr::op(op, [x.clone(), y.clone()]));
            Expr::op(Op::Or, both)
        }
        _ => return Err(super::Failed),
    };
    Ok(Value::truth(e, depth + 1))
}
