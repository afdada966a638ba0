//! Validation of expressions: operands, types and ranks; shapes and subscripts as far as these are constant.

use super::checker::{At, Checker};
use crate::diagnostic::site::Step;
use crate::{
    codes,
    diagnostic::CodeInfo,
    ir::{Dim, Expr, Extent, Op, OpClass, Part, Place, Range, ScalarType, Subscript},
    text::Name,
    typing::{self, Mismatch, Rule, Type},
};

/// Type of an expression and, as far as constant, its extents.
pub(super) struct Shaped {
    pub(super) ty: Type,
    pub(super) dims: Vec<Option<i64>>,
}

impl Shaped {
    fn scalar(ty: ScalarType) -> Self {
        Self {
            ty: Type::scalar(ty),
            dims: Vec::new(),
        }
    }

    /// Two extents that surely differ.
    pub(super) fn differs(&self, other: &Self) -> Option<(i64, i64)> {
        let pairs = self.dims.iter().zip(&other.dims);
        pairs
            .filter_map(|(a, b)| Some(((*a)?, (*b)?)))
            .find(|(a, b)| a != b)
    }
}

fn code(rule: Rule) -> &'static CodeInfo {
    match rule {
        Rule::Count => &codes::OPERANDS,
        Rule::Operands => &codes::TYPE,
        Rule::Conform => &codes::SHAPE,
        Rule::Subscripts => &codes::SUBSCRIPT,
        Rule::Inquiry => &codes::INQUIRY,
        Rule::Variable => &codes::DANGLING,
        Rule::Field => &codes::FIELD,
        Rule::Pointer => &codes::POINTER,
    }
}

fn fixed(dim: &Dim) -> Option<i64> {
    match &dim.extent {
        Extent::Fixed(e) => e.constant().map(|n| n.max(0)),
        Extent::Deferred => None,
    }
}

impl Checker<'_> {
    /// Checks an expression and all of its parts; `None` if it has no type, which is reported. Recursion is bounded:
    /// depths have been checked.
    pub(super) fn check_expr(&mut self, site: At, e: &Expr) -> Option<Shaped> {
        match e {
            Expr::Int(_) => Some(Shaped::scalar(ScalarType::Integer)),
            Expr::Real(_) => Some(Shaped::scalar(ScalarType::Real)),
            Expr::Real32(_) => Some(Shaped::scalar(ScalarType::Real32)),
            Expr::Logical(_) => Some(Shaped::scalar(ScalarType::Logical)),
            Expr::Place(place) => {
                let found = self.check_place(site, place)?;
                if found.ty.ty == ScalarType::Tape {
                    let name = self.name(place.var);
                    self.error(
                        site,
                        &codes::TAPE_VARIABLE,
                        format!("the tape {name} stands where a value is wanted"),
                        "pop a value from the tape into a variable",
                    );
                    return None;
                }
                Some(found)
            }
            Expr::Null(pointer) => {
                self.pointers = true;
                Some(Shaped::scalar(ScalarType::Pointer(*pointer)))
            }
            Expr::Addr(place) => self.check_address(site, place),
            Expr::Op(op, operands) => self.check_operator(site, *op, operands),
        }
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "operators without a rule of their own here are treated alike"
    )]
    fn check_operator(&mut self, site: At, op: Op, operands: &[Expr]) -> Option<Shaped> {
        let mut types = Vec::with_capacity(operands.len());
        let mut dims: Vec<Option<i64>> = Vec::new();
        let mut complete = true;
        let mut clash = None;
        for (i, operand) in operands.iter().enumerate() {
            self.path.push(Step::Operand(i));
            let found = match op {
                Op::Fill | Op::Shift if i > 0 => self.check_index(site, operand),
                _ => self.check_expr(site, operand),
            };
            self.path.pop();
            let Some(found) = found else {
                complete = false;
                continue;
            };
            types.push(found.ty);
            if op.class() == OpClass::Elemental && found.ty.rank > 0 {
                if dims.is_empty() {
                    dims = found.dims;
                } else if dims.len() == found.dims.len() {
                    let before = Shaped {
                        ty: found.ty,
                        dims: std::mem::take(&mut dims),
                    };
                    // A scalar condition chooses one arm as a whole, so the shapes of the arms may differ.
                    let one_of = op == Op::If && types[0].rank == 0;
                    if !one_of {
                        clash = clash.or(before.differs(&found));
                    }
                    let pairs = before.dims.into_iter().zip(found.dims);
                    let dim = |(a, b): (Option<i64>, Option<i64>)| match one_of {
                        true => a.filter(|_| a == b),
                        false => a.or(b),
                    };
                    dims = pairs.map(dim).collect();
                }
            } else if op.class() == OpClass::Transformational {
                dims = found.dims;
            }
        }
        if !complete {
            return None;
        }
        let checked = typing::apply(op, &types).and_then(|ty| {
            if op.class() == OpClass::Inquiry {
                typing::inquiry(&self.program.records, &self.routine.variables, op, operands)?;
            }
            Ok(ty)
        });
        let ty = self.accept(site, checked)?;
        if ty.ty.is_real() || types.iter().any(|t| t.ty.is_real()) {
            for (i, (operand, found)) in operands.iter().zip(&types).enumerate() {
                if found.ty == ScalarType::Integer && op.class() == OpClass::Elemental {
                    self.path.push(Step::Operand(i));
                    self.whole_quotients(site, operand);
                    self.path.pop();
                }
            }
        }
        if let Some((a, b)) = clash {
            self.error(
                site,
                &codes::SHAPE,
                format!("operands of `{}` have extents {a} and {b}", op.name()),
                "use sections of the same shape",
            );
        }
        match op {
            Op::Transpose => dims.reverse(),
            Op::Fill => {
                let extents = operands.iter().skip(1);
                dims = extents.map(|e| e.constant().map(|n| n.max(0))).collect();
            }
            _ => {}
        }
        dims.truncate(ty.rank);
        Some(Shaped { ty, dims })
    }

    /// Warns of quotients of constants that are not whole, in an integer operand of a real operation.
    fn whole_quotients(&mut self, site: At, e: &Expr) {
        let Expr::Op(op, operands) = e else { return };
        match (op, &operands[..]) {
            (Op::Div, [Expr::Int(a), Expr::Int(b)]) => {
                if let (Some(0), _) | (_, None) = (a.checked_rem(*b), a.checked_div(*b)) {
                    return;
                }
                let value = a.wrapping_div(*b);
                self.warning(
                    site,
                    &codes::INTEGER_DIVISION,
                    format!("{a}/{b} is the integer {value}, and part of a real expression"),
                    format!("write {a}.0 for {a}"),
                );
            }
            (Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Neg | Op::Min | Op::Max | Op::Abs, _) => {
                for (i, operand) in operands.iter().enumerate() {
                    self.path.push(Step::Operand(i));
                    self.whole_quotients(site, operand);
                    self.path.pop();
                }
            }
            _ => {}
        }
    }

    /// Checks an expression that is a subscript, a bound of a section, an extent or a selector. The conversion of
    /// another integer type to `integer` adds a level.
    pub(super) fn check_index(&mut self, site: At, e: &Expr) -> Option<Shaped> {
        let found = self.check_expr(site, e)?;
        if matches!(found.ty.ty, ScalarType::Sized(_)) {
            self.narrow = true;
            let in_subscripts = self.path.iter().filter(|s| matches!(s, Step::Subscript(_)));
            if self.path.len() + in_subscripts.count() + e.depth() >= Expr::MAX_DEPTH {
                self.error(
                    site,
                    &codes::DEPTH,
                    format!("with its conversion the {} is too deep", found.ty.ty.name()),
                    "assign it to an integer, and use that",
                );
                return None;
            }
        }
        Some(found)
    }

    /// Checks a place whose address is taken.
    fn check_address(&mut self, site: At, place: &Place) -> Option<Shaped> {
        self.pointers = true;
        self.path.push(Step::Operand(0));
        let found = self.check_place(site, place);
        self.path.pop();
        let found = found?;
        if !self.check_addressable(site, place, found.ty.rank) {
            return None;
        }
        let ty = self.accept(site, typing::address(found.ty))?;
        Some(Shaped::scalar(ty.ty))
    }

    /// Checks a place and its subscripts.
    pub(super) fn check_place(&mut self, site: At, place: &Place) -> Option<Shaped> {
        let mut complete = true;
        let nesting = (!place.is_plain()).then(|| place.nesting());
        for (i, subscript) in place.subscripts.iter().enumerate() {
            // ["[]", "a", subscript...], and a range is [":", lower, upper, stride].
            let length = self.path.len();
            self.step_to(nesting.as_deref(), i);
            match subscript {
                Subscript::Index(e) => complete &= self.check_index(site, e).is_some(),
                Subscript::Range(range) => {
                    let parts = [&range.lower, &range.upper, &range.stride];
                    for (k, e) in parts.into_iter().enumerate() {
                        if let Some(e) = e {
                            self.path.push(Step::Bound(k));
                            complete &= self.check_index(site, e).is_some();
                            self.path.pop();
                        }
                    }
                    if range.stride.as_ref().and_then(Expr::constant) == Some(0) {
                        self.error(
                            site,
                            &codes::LOOP_STEP,
                            "the stride of a section is 0",
                            "use a positive or negative stride",
                        );
                    }
                }
                Subscript::Field(_) | Subscript::Deref => {}
            }
            self.path.truncate(length);
        }
        if !complete {
            return None;
        }
        let records = &self.program.records;
        let checked = typing::place_type_in(records, &self.routine.variables, place);
        let ty = self.accept(site, checked)?;
        let dims = self.check_extents(site, place, nesting.as_deref());
        Some(Shaped { ty, dims })
    }

    /// Goes down to a projection of a place. `nesting` is [`Place::nesting`] for a place with fields.
    fn step_to(&mut self, nesting: Option<&[(usize, usize)]>, i: usize) {
        let (around, k) = nesting.and_then(|n| n.get(i)).copied().unwrap_or((0, i));
        self.path.extend(std::iter::repeat_n(Step::Base, around));
        self.path.push(Step::Subscript(k));
    }

    /// The extents of a place whose type has been checked, as far as they are constant; warns of constant subscripts
    /// out of bounds.
    fn check_extents(
        &mut self,
        site: At,
        place: &Place,
        nesting: Option<&[(usize, usize)]>,
    ) -> Vec<Option<i64>> {
        let variable = self.variable(place.var);
        let mut dims = Vec::new();
        let no_shape = Vec::new();
        let (mut ty, mut shape) = (variable.ty, &variable.shape);
        let mut k = 0;
        for level in place.levels() {
            match level.part {
                Part::Variable => {}
                Part::Field(field) => {
                    let record = ty
                        .record()
                        .and_then(|r| self.program.records.get(r.index()));
                    let Some(found) = record.and_then(|r| r.field(field)) else {
                        return dims; // reported
                    };
                    (ty, shape) = (found.ty, &found.shape);
                    k += 1;
                }
                Part::Deref => {
                    let Some(pointer) = ty.pointer() else {
                        return dims; // reported
                    };
                    // The number of elements behind a pointer is not known.
                    (ty, shape) = (pointer.pointee(), &no_shape);
                    k += 1 + level.subscripts.len();
                }
            }
            if level.subscripts.is_empty() {
                dims.extend(shape.iter().map(fixed));
            }
            for (subscript, dim) in level.subscripts.iter().zip(shape) {
                let lower = dim.lower.constant();
                let upper = fixed(dim)
                    .zip(lower)
                    .and_then(|(n, lower)| lower.checked_add(n)?.checked_sub(1));
                match subscript {
                    Subscript::Index(e) => {
                        let length = self.path.len();
                        self.step_to(nesting, k);
                        let name = level.part.field().map_or(self.name(place.var), Name);
                        self.check_bounds(site, name, e.constant(), lower, upper);
                        self.path.truncate(length);
                    }
                    Subscript::Range(range) => dims.push(section(range, lower, upper)),
                    Subscript::Field(_) | Subscript::Deref => {}
                }
                k += 1;
            }
        }
        dims
    }

    fn check_bounds(
        &mut self,
        site: At,
        name: Name<'_>,
        index: Option<i64>,
        lower: Option<i64>,
        upper: Option<i64>,
    ) {
        let Some(index) = index else { return };
        let below = lower.is_some_and(|lower| index < lower);
        let above = upper.is_some_and(|upper| index > upper);
        if below || above {
            let bound = |b: Option<i64>| b.map_or("?".to_owned(), |b| b.to_string());
            self.warning(
                site,
                &codes::BOUNDS,
                format!(
                    "subscript {index} of {name} is outside {}..{}",
                    bound(lower),
                    bound(upper)
                ),
                "correct the subscript or the extent",
            );
        }
    }

    fn accept(&mut self, site: At, checked: Result<Type, Mismatch>) -> Option<Type> {
        match checked {
            Ok(ty) => Some(ty),
            Err(mismatch) => {
                self.error(site, code(mismatch.rule), mismatch.message, mismatch.help);
                None
            }
        }
    }
}

/// Number of elements of a section along one dimension, if it is constant.
fn section(range: &Range, lower: Option<i64>, upper: Option<i64>) -> Option<i64> {
    let stride = match &range.stride {
        None => 1,
        Some(e) => e.constant()?,
    };
    let part = |e: &Option<Expr>, own| match e {
        Some(e) => e.constant(),
        None => own,
    };
    // A missing bound depends on the direction of the section, so backward sections are left to the run.
    if stride <= 0 && (range.lower.is_none() || range.upper.is_none()) {
        return None;
    }
    let first = part(&range.lower, lower)?;
    let last = part(&range.upper, upper)?;
    let span = last.checked_sub(first)?.checked_add(stride)?;
    Some(span.checked_div(stride)?.max(0))
}
