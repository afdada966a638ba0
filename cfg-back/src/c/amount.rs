//! Offsets, strides and extents: sums of an integer expression and a constant, folded where they are constant.

use super::operators::{Code, Infix, literal_integer, precedence::SUM};

/// An integer: an expression, or none, plus a constant.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Amount {
    code: Option<Code>,
    constant: i64,
}

impl From<i64> for Amount {
    fn from(constant: i64) -> Self {
        Self {
            code: None,
            constant,
        }
    }
}

impl From<Code> for Amount {
    fn from(code: Code) -> Self {
        match code.whole() {
            Some(constant) if constant != i64::MIN => constant.into(),
            _ => Self {
                code: Some(code),
                constant: 0,
            },
        }
    }
}

fn sum(a: Code, b: Code) -> Code {
    match b.without_sign() {
        Some(positive) if b.precedence() > SUM => a.with(Infix::Sub, positive),
        _ => a.with(Infix::Plus, b),
    }
}

impl Amount {
    /// The amount of an integer expression, with the constant that is added last kept apart.
    pub(super) fn split(code: Code) -> Self {
        let (code, constant) = code.without_constant();
        Self::from(code).plus(&constant.into())
    }

    /// The constant that it is.
    pub(super) fn constant(&self) -> Option<i64> {
        self.code.is_none().then_some(self.constant)
    }

    /// The expression.
    pub(super) fn to_code(&self) -> Code {
        match &self.code {
            None => literal_integer(self.constant),
            Some(code) if self.constant == 0 => code.clone(),
            Some(code) => sum(code.clone(), literal_integer(self.constant)),
        }
    }

    /// The sum; one that does not fit is left to be computed, but of two constants it is that modulo 2^64: compilers
    /// warn of sums of constants that do not fit, and no element is there.
    pub(super) fn plus(&self, other: &Self) -> Self {
        if let (Some(a), Some(b)) = (self.constant(), other.constant()) {
            return a.wrapping_add(b).into();
        }
        let code = match (&self.code, &other.code) {
            (Some(a), Some(b)) => Some(sum(a.clone(), b.clone())),
            (a, b) => a.as_ref().or(b.as_ref()).cloned(),
        };
        match self.constant.checked_add(other.constant) {
            Some(constant) => Self { code, constant },
            None => Self {
                code: Some(sum(self.to_code(), other.to_code())),
                constant: 0,
            },
        }
    }

    /// The difference to a constant; one that does not fit is left to be computed.
    pub(super) fn minus(&self, constant: i64) -> Self {
        match constant.checked_neg() {
            Some(n) => self.plus(&n.into()),
            None => self.to_code().with(Infix::Sub, constant).into(),
        }
    }

    /// The difference.
    pub(super) fn minus_code(&self, other: &Self) -> Self {
        match other.constant() {
            Some(constant) => self.minus(constant),
            None => self.to_code().with(Infix::Sub, other.to_code()).into(),
        }
    }

    /// The product; one that does not fit is left to be computed.
    pub(super) fn times(&self, other: &Self) -> Self {
        let (a, b) = match (self.constant(), other.constant()) {
            (Some(a), Some(b)) => {
                if let Some(n) = a.checked_mul(b) {
                    return n.into();
                }
                (self, other)
            }
            (Some(_), None) => (other, self),
            _ => (self, other),
        };
        match b.constant() {
            Some(0) => return 0.into(),
            Some(1) => return a.clone(),
            Some(factor) => {
                if let (Some(code), Some(constant)) = (&a.code, a.constant.checked_mul(factor)) {
                    let code = Some(code.clone().with(Infix::Times, factor));
                    return Self { code, constant };
                }
            }
            None => {}
        }
        a.to_code().with(Infix::Times, b.to_code()).into()
    }
}

#[cfg(test)]
mod tests {
    use super::super::operators::Name;
    use super::*;

    fn name(text: &str) -> Amount {
        Code::from(Name::from(text)).into()
    }

    #[test]
    fn constants_are_folded_and_parentheses_are_few() {
        let (i, j, n) = (name("i"), name("j"), name("n"));
        let at = i.minus(1).times(&n).plus(&j.minus(1));
        assert_eq!(at.to_code().to_string(), "(i - 1)*n + j - 1");
        let at = i.minus(1).times(&4.into()).plus(&j.minus(1));
        assert_eq!(at.to_code().to_string(), "i*4 + j - 5");
        assert_eq!(i.minus(1).plus(&1.into()).to_code().to_string(), "i");
        assert_eq!(Amount::from(3).times(&4.into()).constant(), Some(12));
        assert_eq!(n.times(&0.into()).constant(), Some(0));
        assert_eq!(
            i.minus_code(&j.minus(2)).to_code().to_string(),
            "i - (j - 2)"
        );
        let far = Amount::from(i64::MAX).plus(&1.into());
        assert_eq!(far.constant(), Some(i64::MIN));
    }
}
