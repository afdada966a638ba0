//! Sums of integers modulo 2^64, and what a loop adds to a variable in all of its passes.
//!
//! A loop that adds the same amount c in each of its n passes adds n*c. A counted loop inside another has a number of
//! passes that may depend on the outer index i. If this is g(i) = a ± i where positive and 0 elsewhere, the positive
//! values are those of a range of i, and their sum is the number of these times half of the first and the last.

use cfg_core::{
    entity::VarId,
    flat::{Constant, FlatExpr},
    ir::{AnyInt, Conversion, Expr, Op, ScalarType, Variable},
};

use crate::plan::steps::increment::{of_word, reads, word};

/// Most terms of a sum.
const MOST_TERMS: usize = 4;

/// Most levels of a term.
const MOST_LEVELS: usize = 16;

/// A constant and some terms with factors, modulo 2^64.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Sum {
    constant: i64,
    terms: Vec<(i64, Expr)>,
}

/// The range of an index: first, last and step of its loop.
pub(crate) struct Passes {
    pub(crate) index: VarId,
    pub(crate) bounds: [Expr; 3],
}

impl Passes {
    /// The number of passes.
    fn count(&self) -> Expr {
        if let [
            Expr::Int(first),
            Expr::Int(last),
            Expr::Int(step @ (1 | -1)),
        ] = self.bounds
        {
            let passes = (i128::from(last) - i128::from(first)) * i128::from(step) + 1;
            if let Ok(passes) = i64::try_from(passes.max(0)) {
                return Expr::Int(passes);
            }
        }
        Expr::op(Op::Trips, self.bounds.clone())
    }
}

impl Sum {
    /// The sum that is one integer expression.
    pub(crate) fn of(variables: &[Variable], e: Expr) -> Self {
        let mut sum = Self::default();
        let e = word(variables, e);
        if let Expr::Int(k) = e {
            sum.constant = k;
        } else {
            sum.terms.push((1, e));
        }
        sum
    }

    fn constant(constant: i64) -> Self {
        Self {
            constant,
            terms: Vec::new(),
        }
    }

    /// The factor of a variable, and the sum without it; none if other terms read the variable.
    fn split(mut self, v: VarId) -> Option<(i64, Self)> {
        let index = Expr::var(v);
        let at = self.terms.iter().position(|(_, term)| *term == index)?;
        let (factor, _) = self.terms.remove(at);
        (!self.reads(v)).then_some((factor, self))
    }

    /// The larger of the sum and a constant, where the sum does not overflow.
    fn at_least(self, least: i64) -> Self {
        if self.terms.is_empty() {
            return Self::constant(self.constant.max(least));
        }
        let operands = [self.expr(ScalarType::Integer), Expr::Int(least)];
        Self {
            constant: 0,
            terms: vec![(1, Expr::op(Op::Max, operands))],
        }
    }

    /// True if a term reads the variable.
    pub(crate) fn reads(&self, v: VarId) -> bool {
        self.terms.iter().any(|(_, term)| reads(term, v))
    }

    /// Adds a multiple of another sum; none if there are too many terms.
    pub(crate) fn plus(mut self, factor: i64, other: &Self) -> Option<Self> {
        self.constant = self
            .constant
            .wrapping_add(factor.wrapping_mul(other.constant));
        for (k, term) in &other.terms {
            let k = factor.wrapping_mul(*k);
            match self.terms.iter_mut().find(|(_, own)| own == term) {
                Some((own, _)) => *own = own.wrapping_add(k),
                None => self.terms.push((k, term.clone())),
            }
        }
        self.terms.retain(|(k, _)| *k != 0);
        (self.terms.len() <= MOST_TERMS).then_some(self)
    }

    /// The sum, so many times; none if terms become too large.
    fn times(&self, n: &Expr) -> Option<Self> {
        if let Expr::Int(n) = n {
            return Self::default().plus(*n, self);
        }
        let mut product = Self::default();
        if self.constant != 0 {
            product.terms.push((self.constant, n.clone()));
        }
        for (k, term) in &self.terms {
            let term = Expr::op(Op::WrapMul, [n.clone(), unfailing(term)?]);
            if term.depth() > MOST_LEVELS {
                return None;
            }
            product.terms.push((*k, term));
        }
        Some(product)
    }

    /// The sum, in a form that is no error where the forward sweep has not evaluated it.
    pub(crate) fn unfailing(&self) -> Option<Self> {
        let terms = self
            .terms
            .iter()
            .map(|(k, term)| Some((*k, unfailing(term)?)));
        Some(Self {
            constant: self.constant,
            terms: terms.collect::<Option<_>>()?,
        })
    }

    /// The amount that a counted loop adds if it adds this sum, which may depend on the index, in each pass.
    /// `is_narrow`: the values of an expression are those of 32 bits, or sums of few such.
    pub(crate) fn over_range(
        &self,
        passes: &Passes,
        is_narrow: &impl Fn(&Expr) -> bool,
    ) -> Option<Self> {
        let (varying, same): (Vec<_>, Vec<_>) =
            (self.terms.iter().cloned()).partition(|(_, term)| reads(term, passes.index));
        let same = Self {
            constant: self.constant,
            terms: same,
        };
        let mut sum = same.times(&passes.count())?;
        for (k, term) in varying {
            let total = Self {
                constant: 0,
                terms: vec![(1, total_of_passes(&term, passes, is_narrow)?)],
            };
            sum = sum.plus(k, &total)?;
        }
        Some(sum)
    }

    /// The expression, as a value of an integer type.
    pub(crate) fn expr(&self, ty: ScalarType) -> Expr {
        let mut value = Some(Expr::Int(self.constant)).filter(|_| self.constant != 0);
        for (k, term) in &self.terms {
            let product = match k.unsigned_abs() {
                1 => term.clone(),
                _ => Expr::op(Op::WrapMul, [Expr::Int(k.wrapping_abs()), term.clone()]),
            };
            value = Some(match (value, *k < 0) {
                (None, false) => product,
                (None, true) => Expr::op(Op::WrapNeg, [product]),
                (Some(value), false) => Expr::op(Op::WrapAdd, [value, product]),
                (Some(value), true) => Expr::op(Op::WrapSub, [value, product]),
            });
        }
        of_word(ty, value.unwrap_or(Expr::Int(0)))
    }
}

/// An expression that has the value of another one where that is no error, and some value where it is: in a loop that
/// does not make any pass, the forward sweep evaluates no amount. None if there may be no such expression.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "operators that are not listed may fail"
)]
fn unfailing(e: &Expr) -> Option<Expr> {
    let mut fails = false;
    let made = e.map(&mut |node| {
        let Expr::Op(op, operands) = node else {
            fails |= match FlatExpr::view(&node) {
                FlatExpr::Place(place) => !place.subscripts.is_empty(),
                FlatExpr::Constant(_) | FlatExpr::Op(..) => false,
            };
            return node;
        };
        let op = match op {
            Op::Add | Op::WrapAdd => Op::WrapAdd,
            Op::Sub | Op::WrapSub => Op::WrapSub,
            Op::Neg | Op::WrapNeg => Op::WrapNeg,
            Op::Mul | Op::WrapMul => Op::WrapMul,
            Op::Convert(Conversion::To | Conversion::Wrap, to) => Op::Convert(Conversion::Wrap, to),
            Op::Max | Op::Min => op,
            Op::Trips | Op::Div => {
                fails |= !matches!(operands.last(), Some(Expr::Int(k)) if !matches!(k, 0 | -1));
                op
            }
            _ => {
                fails = true;
                op
            }
        };
        Expr::Op(op, operands)
    });
    (!fails).then_some(made)
}

/// The number of passes of an inner loop in all passes of the loop around it, if the former is `a + i` or `a - i`
/// where positive and all values are narrow, so that no difference overflows.
fn total_of_passes(
    term: &Expr,
    passes: &Passes,
    is_narrow: &impl Fn(&Expr) -> bool,
) -> Option<Expr> {
    let FlatExpr::Op(Op::Trips, [first, last, step]) = FlatExpr::view(term) else {
        return None;
    };
    let [low, high] = match &passes.bounds {
        [first, last, Expr::Int(1)] => [first, last],
        [first, last, Expr::Int(-1)] => [last, first],
        _ => return None,
    };
    if ![first, last, low, high].into_iter().all(is_narrow) {
        return None;
    }
    let (first, last) = match step.constant()? {
        1 => (first, last),
        -1 => (last, first),
        _ => return None,
    };
    let one = Sum::constant(1);
    // g(i), the number of passes where it is positive.
    let difference = linear(last)?.plus(-1, &linear(first)?)?;
    let (slope, rest) = difference.plus(1, &one)?.split(passes.index)?;
    let [low, high] = [linear(low)?, linear(high)?];
    let [at_low, at_high] = [&low, &high].map(|i| rest.clone().plus(slope, i));
    let (at_low, at_high) = (at_low?, at_high?);
    let missing = |g: &Sum| Some(one.clone().plus(-1, g)?.at_least(0));
    let (range, ends) = match slope {
        1 => (
            [low.plus(1, &missing(&at_low)?)?, high],
            [at_low.at_least(1), at_high],
        ),
        -1 => (
            [low, high.plus(-1, &missing(&at_high)?)?],
            [at_low, at_high.at_least(1)],
        ),
        _ => return None,
    };
    let [from, to] = range.map(|sum| sum.expr(ScalarType::Integer));
    let [a, b] = ends;
    let count = Expr::op(Op::Trips, [from, to, Expr::Int(1)]);
    let twice = Expr::op(Op::Mul, [count, a.plus(1, &b)?.expr(ScalarType::Integer)]);
    let total = Expr::op(Op::Div, [twice, Expr::Int(2)]);
    (total.depth() <= MOST_LEVELS).then_some(total)
}

/// A narrow expression as a sum of places and other operands with factors.
fn linear(e: &Expr) -> Option<Sum> {
    match FlatExpr::view(e) {
        FlatExpr::Constant(Constant::Int(k)) => Some(Sum::constant(k)),
        FlatExpr::Op(Op::Add, operands) => {
            let mut sum = Sum::default();
            for e in operands {
                sum = sum.plus(1, &linear(e)?)?;
            }
            Some(sum)
        }
        FlatExpr::Op(Op::Sub, [a, b]) => linear(a)?.plus(-1, &linear(b)?),
        FlatExpr::Op(..) | FlatExpr::Place(_) | FlatExpr::Constant(_) => Some(Sum {
            constant: 0,
            terms: vec![(1, e.clone())],
        }),
    }
}

/// True of constants and variables of at most 32 bits, and sums and differences of few. `is_index`: an index of a loop
/// with such bounds.
pub(crate) fn is_narrow(
    variables: &[Variable],
    e: &Expr,
    is_index: &impl Fn(VarId) -> bool,
) -> bool {
    let mut open = vec![e];
    let mut nodes = 0;
    while let Some(e) = open.pop() {
        nodes += 1;
        let is_allowed = match FlatExpr::view(e) {
            FlatExpr::Constant(Constant::Int(k)) => i32::try_from(k).is_ok(),
            FlatExpr::Constant(_) => false,
            FlatExpr::Place(place) => {
                let ty = variables[place.var.index()].ty;
                let is_short = matches!(ty, ScalarType::Sized(ty) if ty.bits() <= 32);
                place.subscripts.is_empty() && (is_short || is_index(place.var))
            }
            FlatExpr::Op(
                Op::Add | Op::Sub | Op::Convert(Conversion::To, AnyInt::Integer),
                operands,
            ) => {
                open.extend(operands);
                true
            }
            FlatExpr::Op(..) => false,
        };
        if !is_allowed || nodes > 2 * MOST_LEVELS {
            return false;
        }
    }
    true
}
