//! Constraints of C on the operands of expressions (C11 6.5). An expression that every compiler refuses is refused
//! where it is written, even if it is never evaluated. Conversions that compilers only warn of are accepted, such as
//! those between pointers to different types, or to constants.

mod declarations;

use super::{
    Parser,
    linkage::{Compatible, are_compatible},
};
use crate::{
    ast::{Binary, DeclId, DeclKind, ExprId, ExprKind, StructId, Unary, Unit},
    codes, complex,
    source::Pos,
    types::{Qualified, Type},
};
use std::collections::HashSet;

/// The kinds of types that constraints tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sort {
    Nothing,
    Integer,
    Real,
    Complex,
    Pointer,
    Structure(StructId),
}

impl Sort {
    /// The kind of values of a type; arrays and functions count as pointers. `None` for unsupported types.
    fn from_type(ty: &Qualified) -> Option<Self> {
        Some(match &ty.ty {
            Type::Void => Self::Nothing,
            Type::Arith(ty) if ty.is_real() => Self::Real,
            Type::Arith(_) => Self::Integer,
            Type::Pointer(_) | Type::Array(..) | Type::Function(_) => Self::Pointer,
            ty if complex::part_type(ty).is_some() => Self::Complex,
            Type::Struct(s) => Self::Structure(*s),
            Type::Refused(_) => return None,
        })
    }

    fn is_arithmetic(self) -> bool {
        matches!(self, Self::Integer | Self::Real | Self::Complex)
    }

    fn is_scalar(self) -> bool {
        self.is_arithmetic() || self == Self::Pointer
    }

    /// True if a value is converted to another sort when it is assigned, passed or returned.
    fn converts(self, to: Self) -> bool {
        match (self, to) {
            (Self::Structure(a), Self::Structure(b)) => a == b,
            (Self::Real | Self::Complex, Self::Pointer) => false,
            (Self::Pointer, Self::Real | Self::Complex) => false,
            (from, to) => from.is_scalar() && to.is_scalar(),
        }
    }
}

/// A violated constraint.
struct Breach {
    at: Pos,
    message: String,
    help: &'static str,
}

type Kept = Result<(), Breach>;

impl Parser<'_> {
    /// Makes an expression as it is written; reports it if C forbids it.
    pub(super) fn add_operation(&mut self, kind: ExprKind, at: Pos, from: Pos) -> ExprId {
        let kept = self.expression_is_allowed(&kind, at);
        self.tell_breach(kept);
        self.add_expr(kind, at, from)
    }

    /// Reports a call that C forbids.
    pub(super) fn check_call(&mut self, f: ExprId, arguments: &[ExprId], at: Pos) {
        let kept = self.call_is_allowed(f, arguments, at);
        self.tell_breach(kept);
    }

    /// Reports a value that cannot be assigned to the type.
    pub(super) fn check_given(&mut self, to: &Qualified, e: ExprId) {
        let kept = self.unit.is_convertible(to, e);
        self.tell_breach(kept);
    }

    /// Reports a returned value that does not become one of the result's type. A value returned from a function
    /// without a result is accepted: compilers only warn.
    pub(super) fn check_returned(&mut self, e: ExprId) {
        let function = self.function.map(|d| self.unit.decl(d).ty.ty.clone());
        if let Some(Type::Function(signature)) = function
            && signature.result.ty != Type::Void
        {
            self.check_given(&signature.result, e);
        }
    }

    /// Reports a condition that is neither a number nor a pointer.
    pub(super) fn check_condition(&mut self, e: ExprId) {
        let kept = self.unit.is_scalar(e);
        self.tell_breach(kept);
    }

    /// Reports a value that is no integer.
    pub(super) fn check_integer(&mut self, e: ExprId, what: &str, help: &'static str) {
        let kept = self.unit.requires(e, |s| s == Sort::Integer, what, help);
        self.tell_breach(kept);
    }

    fn tell_breach(&mut self, kept: Kept) {
        if let Err(Breach { at, message, help }) = kept {
            self.sink.error(&codes::OPERAND, at, message, help);
        }
    }

    fn expression_is_allowed(&self, kind: &ExprKind, at: Pos) -> Kept {
        let unit = &self.unit;
        match kind {
            ExprKind::Unary(op, a) => self.unary_is_allowed(*op, *a, at),
            ExprKind::Binary(op, a, b) => self.binary_is_allowed(*op, *a, *b, at),
            ExprKind::Step { of, .. } => {
                self.is_modifiable(*of)?;
                let help = "step numbers and pointers";
                unit.requires(*of, Sort::is_scalar, "a structure is no number", help)?;
                self.is_measured(*of)
            }
            ExprKind::Assign(op, target, value) => {
                self.is_modifiable(*target)?;
                match (op, &unit.expr(*target).ty) {
                    (Some(op), _) => self.binary_is_allowed(*op, *target, *value, at),
                    (None, Some(ty)) => unit.is_convertible(ty, *value),
                    (None, None) => Ok(()),
                }
            }
            ExprKind::Conditional(condition, a, b) => {
                unit.is_scalar(*condition)?;
                let (Some(x), Some(y)) = (unit.sort(*a), unit.sort(*b)) else {
                    return Ok(());
                };
                match x == Sort::Nothing || y == Sort::Nothing || x.converts(y) {
                    true => Ok(()),
                    false => {
                        let help = "choose between values of one type";
                        unit.mismatch(*a, *b, at, help)
                    }
                }
            }
            ExprKind::Index(a, b) => {
                let pointer = match unit.sort(*b) {
                    Some(Sort::Pointer) if unit.sort(*a) == Some(Sort::Integer) => *b,
                    _ => *a,
                };
                let index = if pointer == *a { *b } else { *a };
                let what = "this is no pointer";
                let help = "subscript arrays and pointers";
                unit.requires(pointer, |s| s == Sort::Pointer, what, help)?;
                let help = "convert it with (int)";
                unit.requires(
                    index,
                    |s| s == Sort::Integer,
                    "a subscript is no integer",
                    help,
                )?;
                let is_function = unit
                    .pointee(pointer)
                    .is_none_or(|to| matches!(to.ty, Type::Function(_)));
                match is_function && unit.sort(pointer).is_some() {
                    true => breach(at, "a function has no elements", help),
                    false => self.is_measured(pointer),
                }
            }
            ExprKind::Cast(ty, a) => unit.cast_is_allowed(ty, *a, at),
            ExprKind::SizeofType(ty) => self.has_size(ty, at),
            ExprKind::SizeofExpr(e) => match &unit.expr(*e).ty {
                Some(ty) if ty.width.is_some() => {
                    breach(at, "a bit-field has no size", "ask for that of its type")
                }
                Some(ty) => self.has_size(ty, at),
                None => Ok(()),
            },
            ExprKind::Int(..)
            | ExprKind::Real(_)
            | ExprKind::Float(_)
            | ExprKind::Str(_)
            | ExprKind::Name(_)
            | ExprKind::Call(..)
            | ExprKind::Member(..)
            | ExprKind::Literal(_)
            | ExprKind::Inlined(_)
            | ExprKind::Bad => Ok(()),
        }
    }

    fn unary_is_allowed(&self, op: Unary, a: ExprId, at: Pos) -> Kept {
        let unit = &self.unit;
        match op {
            Unary::Plus | Unary::Minus => unit.requires(
                a,
                Sort::is_arithmetic,
                "a sign stands before what is no number",
                "write it before a number",
            ),
            Unary::BitNot => unit.requires(
                a,
                |s| matches!(s, Sort::Integer | Sort::Complex),
                "~ takes integers",
                "convert the operand",
            ),
            Unary::Not => unit.is_scalar(a),
            Unary::Deref => {
                let help = "write * before pointers and arrays";
                unit.requires(a, |s| s == Sort::Pointer, "* takes pointers", help)
            }
            Unary::Address => {
                let node = unit.expr(a);
                let function = node
                    .ty
                    .as_ref()
                    .is_some_and(|ty| matches!(ty.ty, Type::Function(_)));
                if !function && !self.is_place(a) {
                    return breach(
                        at,
                        "this has no address",
                        "take that of a variable or an element",
                    );
                }
                match unit.variable_of(a) {
                    Some(d) if unit.decl(d).register => {
                        let message = format!(
                            "{} is declared register, and has no address",
                            unit.decl(d).name
                        );
                        breach(at, message, "leave out register")
                    }
                    _ => Ok(()),
                }
            }
        }
    }

    fn binary_is_allowed(&self, op: Binary, a: ExprId, b: ExprId, at: Pos) -> Kept {
        use Sort::{Complex, Integer, Nothing, Pointer};
        let unit = &self.unit;
        let (Some(x), Some(y)) = (unit.sort(a), unit.sort(b)) else {
            return Ok(());
        };
        if op != Binary::Comma {
            for e in [a, b] {
                unit.requires(e, |s| s != Nothing, "", "")?;
            }
        }
        let arithmetic = x.is_arithmetic() && y.is_arithmetic();
        let takes_pointers = matches!((x, y), (Pointer | Integer, Pointer | Integer));
        let (fits, help) = match op {
            Binary::Comma => (true, ""),
            Binary::And | Binary::Or => {
                let help = "compare members of structures";
                (x.is_scalar() && y.is_scalar(), help)
            }
            Binary::Rem
            | Binary::Shl
            | Binary::Shr
            | Binary::BitAnd
            | Binary::BitXor
            | Binary::BitOr => (
                (x, y) == (Integer, Integer),
                "the operator takes integers: convert the operands",
            ),
            Binary::Mul | Binary::Div => (arithmetic, "the operator takes numbers"),
            Binary::Lt | Binary::Gt | Binary::Le | Binary::Ge if [x, y].contains(&Complex) => {
                (false, "complex numbers have no order")
            }
            Binary::Lt | Binary::Gt | Binary::Le | Binary::Ge | Binary::Eq | Binary::Ne => (
                arithmetic || takes_pointers,
                "compare numbers with numbers, and pointers with pointers",
            ),
            Binary::Add => (
                arithmetic || takes_pointers && (x, y) != (Pointer, Pointer),
                "add numbers, or an integer to a pointer",
            ),
            Binary::Sub => {
                let alike = match (unit.pointee(a), unit.pointee(b)) {
                    (Some(a), Some(b)) => are_compatible(unit, a, b, Compatible::InProgram),
                    _ => true,
                };
                let fits = takes_pointers && x == Pointer && (y == Integer || alike);
                let help = "subtract numbers, an integer from a pointer, or pointers to one type";
                (arithmetic || fits, help)
            }
        };
        if !fits {
            return unit.mismatch(a, b, at, help);
        }
        if matches!(op, Binary::Add | Binary::Sub) && !arithmetic {
            self.is_measured(if x == Pointer { a } else { b })?;
        }
        Ok(())
    }

    fn call_is_allowed(&self, f: ExprId, arguments: &[ExprId], at: Pos) -> Kept {
        let unit = &self.unit;
        let Some(ty) = &unit.expr(f).ty else {
            return Ok(());
        };
        let function = unit.pointee(f).unwrap_or(ty);
        let signature = match &function.ty {
            Type::Function(signature) => signature,
            Type::Refused(_) => return Ok(()),
            _ => {
                return breach(
                    at,
                    "what is called is no function",
                    "name a function, or a pointer to one",
                );
            }
        };
        self.has_size(&signature.result, at)?;
        let wanted = signature.parameters.len();
        let fits = match signature.variadic {
            true => arguments.len() >= wanted,
            false => arguments.len() == wanted,
        };
        if !fits && !signature.open {
            let name = match unit.expr(f).kind {
                ExprKind::Name(d) => unit.decl(d).name.to_string(),
                _ => "the function".to_owned(),
            };
            let message = format!(
                "{name} has {wanted} parameters, but {} arguments are given",
                arguments.len()
            );
            return breach(unit.expr(f).at, message, "give one for each parameter");
        }
        for (k, a) in arguments.iter().enumerate() {
            let declared = signature.parameters.get(k).filter(|_| !signature.open);
            match declared {
                // A union may take any of its members.
                Some(p) if !unit.is_union(&p.ty) => unit.is_convertible(&p.ty, *a)?,
                _ => unit.requires(*a, |s| s != Sort::Nothing, "", "")?,
            }
        }
        Ok(())
    }

    /// Checks that an expression is a place that may be assigned.
    fn is_modifiable(&self, e: ExprId) -> Kept {
        let unit = &self.unit;
        if self.bits.contains_key(&e) {
            return Ok(());
        }
        let e = self.viewed_names.get(&e).copied().unwrap_or(e);
        let node = unit.expr(e);
        let help = "assign to a variable or an element";
        if !self.is_place(e) {
            return breach(node.at, "this is no place that can be assigned", help);
        }
        let Some(ty) = &node.ty else { return Ok(()) };
        if ty.constant {
            let message = match node.kind {
                ExprKind::Name(d) => format!("{} is a constant", unit.decl(d).name),
                _ => "a constant is assigned".to_owned(),
            };
            return breach(node.at, message, "remove the const");
        }
        match &ty.ty {
            Type::Array(..) => breach(node.at, "an array is assigned", "assign its elements"),
            Type::Function(_) | Type::Void => {
                breach(node.at, "this is no place that can be assigned", help)
            }
            Type::Struct(s) if unit.has_constant(*s) => breach(
                node.at,
                "a structure with a member that is constant is assigned",
                "remove the const of the member",
            ),
            Type::Struct(_) | Type::Arith(_) | Type::Pointer(_) | Type::Refused(_) => Ok(()),
        }
    }

    /// True of an expression that designates an object (an lvalue, C11 6.3.2.1).
    fn is_place(&self, mut e: ExprId) -> bool {
        if self.bits.contains_key(&e) || self.viewed_names.contains_key(&e) {
            return true;
        }
        loop {
            match &self.unit.expr(e).kind {
                ExprKind::Name(d) => {
                    return !matches!(
                        self.unit.decl(*d).kind,
                        DeclKind::Function | DeclKind::Constant(_)
                    );
                }
                ExprKind::Member(of, _, false) => e = *of,
                ExprKind::Member(..)
                | ExprKind::Index(..)
                | ExprKind::Unary(Unary::Deref, _)
                | ExprKind::Literal(_)
                | ExprKind::Str(_)
                | ExprKind::Bad => return true,
                ExprKind::Int(..)
                | ExprKind::Real(_)
                | ExprKind::Float(_)
                | ExprKind::Unary(..)
                | ExprKind::Step { .. }
                | ExprKind::Binary(..)
                | ExprKind::Assign(..)
                | ExprKind::Conditional(..)
                | ExprKind::Call(..)
                | ExprKind::Cast(..)
                | ExprKind::SizeofExpr(_)
                | ExprKind::SizeofType(_)
                | ExprKind::Inlined(_) => return false,
            }
        }
    }

    /// Checks that a pointer leads to a type with a size, so that it can be moved.
    fn is_measured(&self, pointer: ExprId) -> Kept {
        match self.unit.pointee(pointer) {
            Some(to) => self.has_size(to, self.unit.expr(pointer).at),
            None => Ok(()),
        }
    }

    fn has_size(&self, ty: &Qualified, at: Pos) -> Kept {
        match self.is_incomplete(ty) {
            true => breach(
                at,
                format!("the size of this {} is not known here", ty.name()),
                "declare it with its members, or its extent",
            ),
            false => Ok(()),
        }
    }

    /// True of a type without a known size, unless a missing file may complete it.
    pub(super) fn is_incomplete(&self, ty: &Qualified) -> bool {
        match &ty.ty {
            Type::Struct(s) => !self.unit.structure(*s).complete && self.missing.is_empty(),
            Type::Array(_, extent) => extent.is_none(),
            Type::Void
            | Type::Arith(_)
            | Type::Pointer(_)
            | Type::Function(_)
            | Type::Refused(_) => false,
        }
    }
}

fn breach(at: Pos, message: impl Into<String>, help: &'static str) -> Kept {
    let message = message.into();
    Err(Breach { at, message, help })
}

impl Unit {
    fn sort(&self, e: ExprId) -> Option<Sort> {
        self.expr(e).ty.as_ref().and_then(Sort::from_type)
    }

    /// The type that an expression points to.
    fn pointee(&self, e: ExprId) -> Option<&Qualified> {
        self.expr(e).ty.as_ref()?.target()
    }

    fn is_union(&self, ty: &Qualified) -> bool {
        matches!(ty.ty, Type::Struct(s) if self.structure(s).union)
    }

    fn type_name(&self, e: ExprId) -> String {
        let ty = self.expr(e).ty.as_ref();
        ty.map_or_else(|| "unknown".to_owned(), |ty| self.name_of(ty))
    }

    /// A type in words, a structure by its name.
    fn name_of(&self, ty: &Qualified) -> String {
        match ty.ty {
            Type::Struct(s) => self
                .structure(s)
                .name
                .as_deref()
                .unwrap_or("a structure")
                .to_owned(),
            _ => ty.name(),
        }
    }

    /// The variable of a name, or of the object that a member or an element lies in.
    fn variable_of(&self, mut e: ExprId) -> Option<DeclId> {
        loop {
            match self.expr(e).kind {
                ExprKind::Name(d) => return Some(d),
                ExprKind::Member(of, _, false) => e = of,
                ExprKind::Index(of, _) if self.is_array(of) => e = of,
                _ => return None,
            }
        }
    }

    /// True of structures with a constant member, directly or in inner structures. Each structure is visited once.
    fn has_constant(&self, s: StructId) -> bool {
        let mut seen = HashSet::from([s]);
        let mut open = vec![s];
        while let Some(s) = open.pop() {
            for member in &self.structure(s).members {
                let ty = member.ty.element();
                if ty.constant {
                    return true;
                }
                match ty.ty {
                    Type::Struct(inner) if seen.insert(inner) => open.push(inner),
                    _ => {}
                }
            }
        }
        false
    }

    /// Checks that an operand is of a sort; one without a value is reported as such.
    fn requires(
        &self,
        e: ExprId,
        is: impl Fn(Sort) -> bool,
        message: &str,
        help: &'static str,
    ) -> Kept {
        let at = self.expr(e).at;
        match self.sort(e) {
            Some(sort) if is(sort) => Ok(()),
            Some(Sort::Nothing) => breach(
                at,
                "this has no value",
                "use what has one: call a function that returns it",
            ),
            Some(_) => breach(at, message, help),
            None => Ok(()),
        }
    }

    fn is_scalar(&self, e: ExprId) -> Kept {
        let message = "a structure is asked whether it is 0";
        self.requires(e, Sort::is_scalar, message, "name one of its members")
    }

    /// Checks that a value can be assigned to a type.
    fn is_convertible(&self, to: &Qualified, e: ExprId) -> Kept {
        let Some(sort) = Sort::from_type(to) else {
            return Ok(());
        };
        let message = format!("{} is given to {}", self.type_name(e), self.name_of(to));
        let help = "give a value of the type, such as an element, a member or an address";
        self.requires(e, |from| from.converts(sort), &message, help)
    }

    fn cast_is_allowed(&self, ty: &Qualified, a: ExprId, at: Pos) -> Kept {
        let Some(to) = Sort::from_type(ty) else {
            return Ok(());
        };
        if matches!(ty.ty, Type::Array(..) | Type::Function(_)) {
            return breach(
                at,
                format!("nothing is converted to {}", ty.name()),
                "convert to a pointer",
            );
        }
        if to == Sort::Nothing || self.is_union(ty) {
            return Ok(());
        }
        self.is_convertible(ty, a)
    }

    fn mismatch(&self, a: ExprId, b: ExprId, at: Pos, help: &'static str) -> Kept {
        let (a, b) = (self.type_name(a), self.type_name(b));
        breach(at, format!("the operands are {a} and {b}"), help)
    }
}
