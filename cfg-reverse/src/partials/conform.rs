//! Shapes of array expressions: their numbers of elements, and conditional expressions with an array in one arm and a
//! scalar in the other.
//!
//! An adjoint or a tangent that is the same for all elements is held as a scalar; a sum over the elements multiplies
//! it by their number. A conditional expression with a scalar condition has no shape of its own while its scalar arm
//! is chosen: then its shape is that of the other operands or, if none of them is an array, one element (`sum(if(c,
//! x, a))` is `x` or `sum(a)`). Such arms are written as arrays (`fill`) before they are differentiated, so that
//! every part of an expression tells its shape.

use cfg_core::{
    flat::{Constant, FlatClass, FlatExpr},
    ir::{Expr, Op, OpClass, Place, Variable},
};
use std::borrow::Cow;

use crate::{code::typing, partials::Unsupported};

/// Most conditional expressions with such arms that take their shapes from one another: each may double the code.
const MOST: usize = 6;

fn rank(variables: &[Variable], e: &Expr) -> usize {
    typing::expr_type(variables, e).rank
}

/// The operands of a conditional expression whose condition is a scalar.
fn scalar_choice<'e>(variables: &[Variable], e: &'e Expr) -> Option<&'e [Expr; 3]> {
    match FlatExpr::view(e) {
        FlatExpr::Op(Op::If, operands) => {
            let operands: &[Expr; 3] = operands.try_into().ok()?;
            (rank(variables, &operands[0]) == 0).then_some(operands)
        }
        FlatExpr::Constant(_) | FlatExpr::Place(_) | FlatExpr::Op(..) => None,
    }
}

/// Number of conditional expressions with one scalar arm.
fn mixed(variables: &[Variable], e: &Expr) -> usize {
    let mut count = 0;
    e.walk(&mut |e| {
        if let Some([_, yes, no]) = scalar_choice(variables, e) {
            count += usize::from((rank(variables, yes) == 0) != (rank(variables, no) == 0));
        }
    });
    count
}

/// The expression with all such arms as arrays. Parts without any shape take that of `like`; without `like`, each
/// extent is 1.
pub(crate) fn conform<'e>(
    variables: &[Variable],
    e: &'e Expr,
    like: Option<&Place>,
) -> Result<Cow<'e, Expr>, Unsupported> {
    if mixed(variables, e) == 0 {
        return Ok(Cow::Borrowed(e));
    }
    let otherwise = match like {
        Some(place) => extents(variables, &Expr::Place(place.clone()), &[]),
        None => ones(rank(variables, e)),
    };
    Ok(Cow::Owned(shaped(variables, e, &otherwise)?))
}

/// The expression as [`conform`] makes it, for a target that takes its shape from the expression: a conditional
/// expression may be a scalar there, as long as no other part of the expression takes its shape from it.
pub(crate) fn conform_arms(variables: &[Variable], e: &Expr) -> Result<Expr, Unsupported> {
    let n = rank(variables, e);
    if n == 0 || has_shape(variables, e) {
        return shaped(variables, e, &ones(n));
    }
    if let Some([condition, yes, no]) = scalar_choice(variables, e) {
        let condition = shaped(variables, condition, &[])?;
        let arms = [conform_arms(variables, yes)?, conform_arms(variables, no)?];
        return Ok(Expr::op(Op::If, std::iter::once(condition).chain(arms)));
    }
    // The operator moves into the arms: it is applied to the one, or to the other.
    if let Expr::Op(op, operands) = e
        && op.class() == OpClass::Elemental
        && mixed(variables, e) <= MOST
        && let Some(k) = operands.iter().position(|e| rank(variables, e) > 0)
    {
        let inner = conform_arms(variables, &operands[k])?;
        if let Some([condition, yes, no]) = scalar_choice(variables, &inner) {
            let arm = |arm: &Expr| {
                let mut operands = operands.clone();
                operands[k] = arm.clone();
                conform_arms(variables, &Expr::Op(*op, operands))
            };
            return Ok(Expr::op(Op::If, [condition.clone(), arm(yes)?, arm(no)?]));
        }
    }
    Err(Unsupported(
        "an array takes its shape from a conditional expression of an array and a scalar, to which more \
         is done than can be differentiated: assign it to a variable, or use a branch"
            .into(),
    ))
}

/// The expression as [`conform`] makes it, in the shape of another one; a scalar stays a scalar.
pub(crate) fn conform_to(
    variables: &[Variable],
    e: Expr,
    like: &Expr,
) -> Result<Expr, Unsupported> {
    let n = rank(variables, &e);
    if n == 0 || mixed(variables, &e) == 0 {
        return Ok(e);
    }
    shaped(variables, &e, &extents(variables, like, &ones(n)))
}

/// The expression as an array of the shape of `like`, if `like` has one.
pub(crate) fn broadcast(variables: &[Variable], e: Expr, like: &Expr) -> Result<Expr, Unsupported> {
    if !has_shape(variables, like) {
        return Ok(e);
    }
    if rank(variables, &e) > 0 {
        return conform_to(variables, e, like);
    }
    let extents = extents(variables, like, &[]);
    Ok(Expr::op(Op::Fill, std::iter::once(e).chain(extents)))
}

/// An expression as an array of these extents, where it has no shape of its own.
pub(crate) fn in_shape(
    variables: &[Variable],
    e: &Expr,
    extents: &[Expr],
) -> Result<Expr, Unsupported> {
    if rank(variables, e) == 0 {
        let value = std::iter::once(e.clone());
        return Ok(Expr::op(Op::Fill, value.chain(extents.iter().cloned())));
    }
    match has_shape(variables, e) {
        true => Ok(e.clone()),
        false => shaped(variables, e, extents),
    }
}

/// Extents of 1.
pub(crate) fn ones(rank: usize) -> Vec<Expr> {
    vec![Expr::Int(1); rank]
}

/// Writes scalar arms as arrays; `otherwise` are the extents of parts without a shape of their own.
fn shaped(variables: &[Variable], e: &Expr, otherwise: &[Expr]) -> Result<Expr, Unsupported> {
    let Expr::Op(op, operands) = e else {
        return Ok(e.clone());
    };
    let each = |otherwise: &[Expr]| {
        let operands = operands.iter().map(|e| shaped(variables, e, otherwise));
        Ok(Expr::Op(*op, operands.collect::<Result<_, _>>()?))
    };
    match FlatClass::view(*op) {
        FlatClass::Inquiry => return Ok(e.clone()),
        FlatClass::Reduction => return each(&ones(rank(variables, &operands[0]))),
        FlatClass::Transformational if *op == Op::Transpose => {
            return each(&otherwise.iter().rev().cloned().collect::<Vec<_>>());
        }
        FlatClass::Elemental if rank(variables, e) > 0 => {}
        FlatClass::Transformational | FlatClass::Elemental => return each(otherwise),
    }
    if let Some([condition, yes, no]) = scalar_choice(variables, e) {
        let arm = |arm: &Expr| {
            let value = shaped(variables, arm, otherwise)?;
            Ok(match rank(variables, arm) {
                0 => Expr::op(Op::Fill, std::iter::once(value).chain(otherwise.to_vec())),
                _ => value,
            })
        };
        let condition = shaped(variables, condition, otherwise)?;
        return Ok(Expr::op(Op::If, [condition, arm(yes)?, arm(no)?]));
    }
    if let Some(known) = operands.iter().find(|e| has_shape(variables, e)) {
        return each(&extents(variables, known, otherwise));
    }
    if mixed(variables, e) > MOST {
        return Err(Unsupported(format!(
            "more than {MOST} conditional expressions with an array and a scalar to choose from decide \
             together which shape the operands of `{}` have: use branches",
            op.name()
        )));
    }
    // Operands of an elemental operator have one shape: an operand without one takes it from the others.
    let others = |k: usize| {
        let rest = operands.iter().enumerate().rev().filter(|&(j, _)| j != k);
        rest.fold(otherwise.to_vec(), |other, (_, e)| {
            extents(variables, e, &other)
        })
    };
    let operands = operands.iter().enumerate();
    let operands = operands.map(|(k, e)| shaped(variables, e, &others(k)));
    Ok(Expr::Op(*op, operands.collect::<Result<_, _>>()?))
}

/// True of an array expression that has a shape whatever its conditions are.
pub(crate) fn has_shape(variables: &[Variable], e: &Expr) -> bool {
    if rank(variables, e) == 0 {
        return false;
    }
    match FlatExpr::view(e) {
        FlatExpr::Op(Op::Fill, _) => true,
        FlatExpr::Op(_, operands) => match scalar_choice(variables, e) {
            Some([_, yes, no]) => has_shape(variables, yes) && has_shape(variables, no),
            None => operands.iter().any(|e| has_shape(variables, e)),
        },
        FlatExpr::Constant(_) | FlatExpr::Place(_) => true,
    }
}

/// The extents of an expression, or `otherwise` where it has no shape.
pub(crate) fn extents(variables: &[Variable], e: &Expr, otherwise: &[Expr]) -> Vec<Expr> {
    let n = rank(variables, e);
    if n == 0 {
        return otherwise.to_vec();
    }
    match FlatExpr::view(e) {
        FlatExpr::Place(place) => {
            let size = |k: usize| {
                let all = Expr::Place(place.clone());
                Expr::op(Op::Size, [all, Expr::Int(k as i64 + 1)])
            };
            (0..n).map(size).collect()
        }
        FlatExpr::Op(Op::Fill, operands) => operands[1..].to_vec(),
        FlatExpr::Op(Op::Transpose, operands) => {
            let turned: Vec<Expr> = otherwise.iter().rev().cloned().collect();
            let mut inner = extents(variables, &operands[0], &turned);
            inner.reverse();
            inner
        }
        FlatExpr::Op(_, operands) => {
            if let Some([condition, yes, no]) = scalar_choice(variables, e) {
                let yes = extents(variables, yes, otherwise);
                let no = extents(variables, no, otherwise);
                return choose(condition, yes, no);
            }
            match operands.iter().find(|e| has_shape(variables, e)) {
                Some(known) => extents(variables, known, otherwise),
                None => {
                    let operands = operands.iter().rev();
                    operands.fold(otherwise.to_vec(), |other, e| extents(variables, e, &other))
                }
            }
        }
        FlatExpr::Constant(_) => otherwise.to_vec(),
    }
}

fn choose(condition: &Expr, yes: Vec<Expr>, no: Vec<Expr>) -> Vec<Expr> {
    let pairs = yes.into_iter().zip(no);
    let choice = |(yes, no)| match yes == no {
        true => yes,
        false => Expr::op(Op::If, [condition.clone(), yes, no]),
    };
    pairs.map(choice).collect()
}

/// A derivative that is the same for all elements of an array expression, summed over them.
pub(crate) fn times_size(variables: &[Variable], d: Expr, e: &Expr) -> Expr {
    let size = size(variables, e);
    if size.is_empty() {
        return d;
    }
    Expr::op(Op::Mul, std::iter::once(d).chain(size))
}

/// Factors of the number of elements. Assumes that [`conform`] has given every part a shape.
fn size(variables: &[Variable], e: &Expr) -> Vec<Expr> {
    match FlatExpr::view(e) {
        FlatExpr::Op(Op::Fill, operands) => {
            let extents = operands[1..].iter().map(|n| match FlatExpr::view(n) {
                FlatExpr::Constant(Constant::Int(n)) => Expr::Int(n.max(0)),
                // Extents are never negative, so no `max` is needed.
                FlatExpr::Op(Op::Size, _) => n.clone(),
                FlatExpr::Constant(
                    Constant::Real(_) | Constant::Real32(_) | Constant::Logical(_),
                )
                | FlatExpr::Place(_)
                | FlatExpr::Op(..) => Expr::op(Op::Max, [n.clone(), Expr::Int(0)]),
            });
            extents.collect()
        }
        FlatExpr::Op(_, operands) => {
            if let Some([condition, yes, no]) = scalar_choice(variables, e) {
                let whole = |e| {
                    let mut factors = size(variables, e);
                    match factors.len() {
                        1 => factors.remove(0),
                        _ => Expr::op(Op::Mul, factors),
                    }
                };
                return choose(condition, vec![whole(yes)], vec![whole(no)]);
            }
            let known = operands.iter().find(|e| rank(variables, e) > 0);
            known.map_or_else(Vec::new, |e| size(variables, e))
        }
        FlatExpr::Place(_) => vec![Expr::op(Op::Size, [e.clone()])],
        FlatExpr::Constant(_) => Vec::new(),
    }
}
