//! Guards: the conditions under which the nodes of an expression are evaluated. A node inside arms of conditional
//! expressions has the conditions of these arms.

use cfg_core::{
    flat::FlatSubscript,
    ir::{Dim, Expr, Op, Place, Range, Role, Subscript, Variable},
};
use std::borrow::Cow;

use crate::{
    code::expressions::zero,
    partials::{Unsupported, linearize::Nodes},
};

/// Most guards that are nested conditional expressions; more of them become one conjunction.
const MOST_NESTED: usize = 8;

/// The condition under which an arm of a conditional expression is evaluated.
pub(crate) struct Guard {
    pub(super) condition: Expr,
    pub(super) scalar: bool,
    pub(super) outer: Option<usize>,
}

/// The innermost condition where the conditions around it hold, and false elsewhere. `around` is from the inside out.
fn conjoined<'g>(innermost: Expr, around: impl Iterator<Item = &'g Guard>) -> Expr {
    around.fold(innermost, |all, guard| {
        let operands = [guard.condition.clone(), all, Expr::Logical(false)];
        Expr::op(Op::If, operands)
    })
}

/// True of a constant subscript that is safe wherever the lower bound is: it is the lower bound, or within constant
/// extents. `None` stands for a dimension of a member, which has constant bounds.
fn is_within(dim: Option<&Dim>, k: i64) -> bool {
    let Some(dim) = dim else { return true };
    let distance = dim.lower.constant().and_then(|lower| k.checked_sub(lower));
    let distance = distance.and_then(|distance| usize::try_from(distance).ok());
    distance.is_some_and(|d| d == 0 || dim.constant_extent().is_some_and(|n| d < n))
}

impl<'e> Nodes<'e> {
    /// The guard of an operation inside an arm that is not elementwise. An array condition becomes one that asks
    /// whether it holds for some element.
    pub(super) fn guard_for_all(&mut self, guard: Option<usize>) -> Option<usize> {
        let all = std::iter::successors(guard, |&g| self.guards[g].outer);
        let mut all = all.map(|g| &self.guards[g]);
        if all.clone().all(|guard| guard.scalar) {
            return guard;
        }
        let innermost = all.next()?.condition.clone();
        let condition = Expr::op(Op::Any, [conjoined(innermost, all)]);
        self.guards.push(Guard {
            condition,
            scalar: true,
            outer: None,
        });
        Some(self.guards.len() - 1)
    }

    /// `value` where the arms around the node are evaluated, 0 elsewhere. A scalar stays a scalar: it is evaluated if
    /// all conditions hold for some element.
    pub(crate) fn guarded(&self, n: usize, value: Expr, rank: usize) -> Expr {
        let zero = zero(self.nodes[n].ty.ty);
        let guards = self.guards_of(n);
        let choose = |condition: &Expr, e: Expr, otherwise: Expr| {
            Expr::op(Op::If, [condition.clone(), e, otherwise])
        };
        if let Some(all) = self.conjunction(n) {
            return choose(&all, value, zero);
        }
        if rank > 0 || guards.clone().all(|g| self.guards[g].scalar) {
            return guards.fold(value, |value, g| {
                choose(&self.guards[g].condition, value, zero.clone())
            });
        }
        match self.somewhere(n) {
            Some(all) => choose(&all, value, zero),
            None => value,
        }
    }

    /// A node's adjoint where the arms around the node are evaluated, 0 elsewhere. The arms of scalar conditions take
    /// adjoints unguarded, see [`Nodes::has_scalar_guard`].
    pub(crate) fn guarded_adjoint(&self, n: usize, d: Expr, rank: usize) -> Expr {
        let (scalars, arrays): (Vec<usize>, Vec<usize>) =
            (self.guards_of(n)).partition(|&g| self.guards[g].scalar);
        if scalars.is_empty() {
            return d;
        }
        if rank == 0 || arrays.is_empty() {
            return self.guarded(n, d, rank);
        }
        // Scalar conditions are applied last, outside of array conditions: where one is false, the place may have no
        // elements to ask about.
        arrays.into_iter().chain(scalars).fold(d, |d, g| {
            let condition = self.guards[g].condition.clone();
            Expr::op(Op::If, [condition, d, zero(self.nodes[n].ty.ty)])
        })
    }

    /// The conditions under which a node is evaluated, innermost first.
    pub(super) fn guards_of(&self, n: usize) -> impl Iterator<Item = usize> + Clone {
        std::iter::successors(self.nodes[n].guard, |&g| self.guards[g].outer)
    }

    /// The conjunction of many scalar conditions: unlike nested conditional expressions it does not grow deep. `and`
    /// is lazy, too.
    fn conjunction(&self, n: usize) -> Option<Expr> {
        let guards = self.guards_of(n);
        if guards.clone().count() <= MOST_NESTED || guards.clone().any(|g| !self.guards[g].scalar) {
            return None;
        }
        let mut conditions: Vec<Expr> = guards.map(|g| self.guards[g].condition.clone()).collect();
        conditions.reverse();
        Some(Expr::op(Op::And, conditions))
    }

    /// The condition that all conditions under which a node is evaluated hold for some element.
    fn somewhere(&self, n: usize) -> Option<Expr> {
        let mut guards = self.guards_of(n).map(|g| &self.guards[g]);
        let innermost = guards.next()?.condition.clone();
        Some(Expr::op(Op::Any, [conjoined(innermost, guards)]))
    }

    /// True if the node is an arm of a conditional expression with a scalar condition. The code for such a node is
    /// guarded, so its derivative need not be.
    pub(crate) fn has_scalar_guard(&self, n: usize) -> bool {
        self.nodes[n].guard.is_some_and(|g| self.guards[g].scalar)
    }

    /// The condition that an array condition holds for some element: the guard of an `operand` inside the arm, if the
    /// `node` is not elementwise.
    pub(crate) fn guard_of_all(&self, node: usize, operand: usize) -> Option<Expr> {
        let (outer, own) = (self.nodes[node].guard, self.nodes[operand].guard);
        let guard = &self.guards[own.filter(|_| own != outer)?];
        guard.scalar.then(|| guard.condition.clone())
    }

    /// True if the node is evaluated only under some condition.
    pub(crate) fn is_guarded(&self, n: usize) -> bool {
        self.nodes[n].guard.is_some()
    }

    /// The place of a leaf such that its subscripts may be evaluated although the arm that it stands in
    /// is not taken: indices fall back to the lower bound, sections are empty.
    pub(crate) fn safe_place(
        &self,
        n: usize,
        place: &'e Place,
        variables: &[Variable],
    ) -> Result<Cow<'e, Place>, Unsupported> {
        if !self.is_guarded(n) {
            return Ok(Cow::Borrowed(place));
        }
        let variable = &variables[place.var.index()];
        if matches!(variable.role, Role::Parameter { optional: true, .. }) {
            return Err(Unsupported(format!(
                "`{}` may be absent and is read inside a conditional expression with arrays: use a branch",
                variable.name
            )));
        }
        let guards = self.guards_of(n).map(|g| &self.guards[g]);
        let scalars = guards.clone().filter(|g| g.scalar);
        let mut sections: Vec<Expr> = scalars.map(|g| g.condition.clone()).collect();
        if let Some(all) = self.conjunction(n) {
            sections = vec![all];
        }
        // Under an array condition a section is evaluated for all elements, an element if the conditions hold for
        // some element.
        let elements = match guards.clone().all(|g| g.scalar) {
            true => sections.clone(),
            false => self.somewhere(n).into_iter().collect(),
        };
        let choose = |condition: &Expr, e: Expr, otherwise: Expr| {
            Expr::op(Op::If, [condition.clone(), e, otherwise])
        };
        let guarded = |(dimension, s): (usize, &Subscript)| {
            let bound = |op| Expr::op(op, [Expr::var(place.var), Expr::Int(dimension as i64 + 1)]);
            match FlatSubscript::view(s) {
                FlatSubscript::Index(Expr::Int(k))
                    if is_within(variable.shape.get(dimension), *k) =>
                {
                    s.clone()
                }
                FlatSubscript::Index(e) => {
                    let all = elements.iter();
                    Subscript::Index(all.fold(e.clone(), |e, condition| {
                        choose(condition, e, bound(Op::LBound))
                    }))
                }
                FlatSubscript::Range(range) if *range == Range::default() => s.clone(),
                FlatSubscript::Range(range) => {
                    let mut range = range.clone();
                    for condition in &sections {
                        let below = Expr::op(Op::Sub, [bound(Op::LBound), Expr::Int(1)]);
                        let l = range.lower.take().unwrap_or_else(|| bound(Op::LBound));
                        let u = range.upper.take().unwrap_or_else(|| bound(Op::UBound));
                        range.lower = Some(choose(condition, l, bound(Op::LBound)));
                        range.upper = Some(choose(condition, u, below));
                        let stride = range.stride.take();
                        range.stride = stride.map(|e| choose(condition, e, Expr::Int(1)));
                    }
                    Subscript::Range(Box::new(range))
                }
            }
        };
        let subscripts = place.subscripts.iter().enumerate().map(guarded);
        Ok(Cow::Owned(Place {
            var: place.var,
            subscripts: subscripts.collect(),
        }))
    }
}
