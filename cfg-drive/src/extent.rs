//! Evaluates the extents of parameters from the values in a POINT.

use crate::value::{Array, Data};
use cfg_core::{
    elemental::{Math, Scalar, apply},
    entity::VarId,
    ir::{Expr, Op, Subscript},
};

/// The value of an extent: an integer scalar expression over the variables that `value` knows.
/// `lower` gives the lower bound of a dimension (from 0).
pub(crate) fn evaluate(
    e: &Expr,
    value: &dyn Fn(VarId) -> Option<Array>,
    lower: &dyn Fn(VarId, usize) -> Option<Expr>,
    name: &dyn Fn(VarId) -> String,
) -> Result<i64, String> {
    let environment = Environment { value, lower, name };
    match environment.scalar(e)? {
        Scalar::Integer(i) => Ok(i),
        other => Err(format!("it is {}, not an integer", other.ty().name())),
    }
}

struct Environment<'a> {
    value: &'a dyn Fn(VarId) -> Option<Array>,
    lower: &'a dyn Fn(VarId, usize) -> Option<Expr>,
    name: &'a dyn Fn(VarId) -> String,
}

impl Environment<'_> {
    fn array(&self, v: VarId) -> Result<Array, String> {
        (self.value)(v).ok_or_else(|| format!("{} has no value", (self.name)(v)))
    }

    fn integer(&self, e: &Expr) -> Result<i64, String> {
        match self.scalar(e)? {
            Scalar::Integer(i) => Ok(i),
            other => Err(format!("a subscript is {}", other.ty().name())),
        }
    }

    fn lower_bound(&self, v: VarId, k: usize) -> Result<i64, String> {
        (self.lower)(v, k).map_or(Ok(1), |e| self.integer(&e))
    }

    fn logical(&self, e: &Expr) -> Result<bool, String> {
        match self.scalar(e)? {
            Scalar::Logical(b) => Ok(b),
            other => Err(format!("a condition is {}", other.ty().name())),
        }
    }

    fn scalar(&self, e: &Expr) -> Result<Scalar, String> {
        match e {
            Expr::Int(i) => Ok(Scalar::Integer(*i)),
            Expr::Real(x) => Ok(Scalar::Real(*x)),
            Expr::Real32(x) => Ok(Scalar::Real32(*x)),
            Expr::Logical(b) => Ok(Scalar::Logical(*b)),
            Expr::Place(place) => {
                let array = self.array(place.var)?;
                let strides = crate::value::strides(&array.shape, array.order);
                if place.subscripts.len() != array.shape.len() {
                    return Err(format!("{} is an array", (self.name)(place.var)));
                }
                let mut offset = 0usize;
                for (k, subscript) in place.subscripts.iter().enumerate() {
                    let Subscript::Index(e) = subscript else {
                        return Err("sections are not scalars".into());
                    };
                    let index = self.integer(e)?;
                    let from_zero = self
                        .lower_bound(place.var, k)
                        .ok()
                        .and_then(|lower| usize::try_from(index.checked_sub(lower)?).ok())
                        .filter(|&i| i < array.shape[k])
                        .ok_or_else(|| {
                            format!(
                                "subscript {index} of {} is out of bounds",
                                (self.name)(place.var)
                            )
                        })?;
                    offset += from_zero * strides[k];
                }
                Ok(match &array.data {
                    Data::Real(v) => Scalar::Real(v[offset]),
                    Data::Real32(v) => Scalar::Real32(v[offset]),
                    Data::Integer(v) => Scalar::Integer(v[offset]),
                    Data::Logical(v) => Scalar::Logical(v[offset]),
                })
            }
            Expr::Op(op, operands) => self.operator(*op, operands),
        }
    }

    fn operator(&self, op: Op, operands: &[Expr]) -> Result<Scalar, String> {
        match (op, operands) {
            // Only what is needed is evaluated.
            (Op::If, [condition, yes, no]) => {
                self.scalar(if self.logical(condition)? { yes } else { no })
            }
            (Op::And | Op::Or, _) => {
                for e in operands {
                    if self.logical(e)? == (op == Op::Or) {
                        return Ok(Scalar::Logical(op == Op::Or));
                    }
                }
                Ok(Scalar::Logical(op == Op::And))
            }
            (Op::Size | Op::LBound | Op::UBound, [Expr::Place(place), rest @ ..]) => {
                let array = self.array(place.var)?;
                if !place.subscripts.is_empty() {
                    return Err(format!("{} of a section", op.name()));
                }
                let Some(k) = rest.first() else {
                    return count(array.data.len());
                };
                let k = self.integer(k)?;
                let k = usize::try_from(k)
                    .ok()
                    .and_then(|k| k.checked_sub(1))
                    .filter(|&k| k < array.shape.len())
                    .ok_or_else(|| format!("{} has no dimension {k}", (self.name)(place.var)))?;
                let extent = array.shape[k];
                if op == Op::Size {
                    return count(extent);
                }
                let lower = self.lower_bound(place.var, k)?;
                if op == Op::LBound {
                    return Ok(Scalar::Integer(lower));
                }
                i64::try_from(extent)
                    .ok()
                    .and_then(|extent| lower.checked_add(extent)?.checked_sub(1))
                    .map(Scalar::Integer)
                    .ok_or_else(|| "integer overflow".into())
            }
            (Op::Present, [Expr::Place(place)]) => {
                Ok(Scalar::Logical((self.value)(place.var).is_some()))
            }
            _ => {
                let mut values = Vec::with_capacity(operands.len());
                for e in operands {
                    values.push(self.scalar(e)?);
                }
                apply(op, &values, Math::Portable).map_err(|e| e.to_string())
            }
        }
    }
}

fn count(n: usize) -> Result<Scalar, String> {
    i64::try_from(n)
        .map(Scalar::Integer)
        .map_err(|_| "integer overflow".into())
}
