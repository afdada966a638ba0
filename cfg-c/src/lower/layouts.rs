//! Copies of memory between different types of one layout: a structure of numbers and an array of such numbers, or
//! two structures.

use super::{
    Failed, Lowered,
    heap::MAX_DEPTH,
    routine::Body,
    slot::{Elem, Path, Pointer},
};
use crate::{
    ast::{ExprId, Unit},
    constant,
    types::{Arith, Qualified, Type},
};
use cfg_core::ir::{Expr, Op, Subscript};

/// Most numbers in a type that is copied number by number.
const MAX_NUMBERS: usize = 1000;

/// A number in a type: the steps that lead to it, and its own type.
type Leaf = (Vec<Subscript>, Arith);

/// One side of a copy.
struct Side {
    /// A pointer to an element, not to a row.
    pointer: Pointer,
    ty: Qualified,
    leaves: Vec<Leaf>,
}

impl Side {
    /// The place of the `k`-th number behind the beginning of an element; it may lie in a later element.
    fn number(&self, element: Expr, k: usize) -> Option<Path> {
        let more = (k / self.leaves.len()) as i64;
        let element = match (element, more) {
            (element, 0) => element,
            (Expr::Int(n), more) => Expr::Int(n.checked_add(more)?),
            (element, more) => Expr::op(Op::Add, [element, Expr::Int(more)]),
        };
        let mut pointer = self.pointer.clone();
        pointer.offset = match (pointer.offset, element) {
            (offset, Expr::Int(0)) => offset,
            (None, _) => return None,
            (Some(Expr::Int(a)), Expr::Int(b)) => Some(Expr::Int(a.checked_add(b)?)),
            (Some(offset), element) => Some(Expr::op(Op::Add, [offset, element])),
        };
        let mut path = pointer.target();
        let (steps, ty) = &self.leaves[k % self.leaves.len()];
        path.subscripts.extend(steps.iter().cloned());
        path.elem = Elem::Arith(*ty);
        Some(path)
    }
}

impl Body<'_, '_> {
    /// Copies a number of bytes between elements of different types that consist of the same numbers in the same
    /// order. False if they do not, or if there are too many numbers to compare.
    pub(super) fn copy_numbers(
        &mut self,
        (target, source): (&Pointer, &Pointer),
        bytes: ExprId,
        may_overlap: bool,
    ) -> Lowered<bool> {
        let (Some(to), Some(from)) = (self.side(target), self.side(source)) else {
            return Ok(false);
        };
        let period = to.leaves.len().max(from.leaves.len());
        let alike = |count: usize| {
            (0..count)
                .all(|k| to.leaves[k % to.leaves.len()].1 == from.leaves[k % from.leaves.len()].1)
        };
        let size = constant::integer(self.l.unit, bytes).map(|(size, _)| size);
        if let Some(count) = size.and_then(|size| numbers_in(&to.leaves, size)) {
            if !alike(count) {
                return Ok(false);
            }
            let pairs = (0..count).map(|k| {
                let element = Expr::Int(0);
                to.number(element.clone(), k).zip(from.number(element, k))
            });
            let Some(pairs) = pairs.collect::<Option<Vec<_>>>() else {
                return Ok(false);
            };
            return self.copy_pairs(pairs, target.var == source.var || self.l.values);
        }
        // Whole elements of the longer type, in a loop.
        let (long, short) = match to.leaves.len() >= from.leaves.len() {
            true => (&to, &from),
            false => (&from, &to),
        };
        let times = long.leaves.len() / short.leaves.len();
        let whole = long.leaves.len() % short.leaves.len() == 0 && alike(period);
        let apart = target.var != source.var || self.l.values && !may_overlap;
        let Some(count) = self.count_elements(bytes, &long.ty).or_else(|| {
            let count = self.count_elements(bytes, &short.ty)?;
            count.divided(times as i64)
        }) else {
            return Ok(false);
        };
        if !whole || !apart {
            return Ok(false);
        }
        let count = self.number_of(&count, false)?;
        let count = self.in_variable(count);
        let factor = |side: &Side| (period / side.leaves.len()) as i64;
        let factors = [&to, &from].map(factor);
        self.each_element(count, |b, k| {
            let first = |factor: i64| match factor {
                1 => Expr::var(k),
                factor => Expr::op(Op::Mul, [Expr::var(k), Expr::Int(factor)]),
            };
            let pairs = (0..period).map(|n| {
                let (to, from) = (
                    to.number(first(factors[0]), n),
                    from.number(first(factors[1]), n),
                );
                to.zip(from)
            });
            let pairs = pairs.collect::<Option<Vec<_>>>().ok_or(Failed)?;
            b.copy_pairs(pairs, false).map(|_| ())
        })?;
        Ok(true)
    }

    /// Assigns one number after the other. If the memory may overlap, all numbers are read before the first is
    /// written.
    fn copy_pairs(&mut self, pairs: Vec<(Path, Path)>, may_overlap: bool) -> Lowered<bool> {
        let mut kept = Vec::with_capacity(pairs.len());
        for (to, from) in pairs {
            let Elem::Arith(ty) = from.elem else {
                return Err(Failed);
            };
            let value = Expr::Place(from.into_place());
            match may_overlap {
                true => {
                    let t = self.f.temporary(ty.scalar_type());
                    self.assign(t, value);
                    kept.push((to, Expr::var(t)));
                }
                false => self.assign(to.into_place(), value),
            }
        }
        for (to, value) in kept {
            self.assign(to.into_place(), value);
        }
        Ok(true)
    }

    fn side(&self, pointer: &Pointer) -> Option<Side> {
        let ty = match pointer.elem {
            Elem::Arith(ty) => Type::Arith(ty),
            Elem::Struct(s) => Type::Struct(s),
            Elem::Pointer(..) => return None,
        };
        let ty = Qualified::unqualified(ty);
        let leaves = leaves(self.l.unit, &ty)?;
        (pointer.inner == 0 && pointer.flat.is_none()).then(|| Side {
            pointer: pointer.clone(),
            ty,
            leaves,
        })
    }
}

/// The number of numbers in `size` bytes, if it is whole and at most [`MAX_NUMBERS`].
fn numbers_in(leaves: &[Leaf], size: i128) -> Option<usize> {
    let (mut left, mut count) = (size, 0);
    for (_, ty) in leaves.iter().cycle() {
        if left <= 0 || count > MAX_NUMBERS {
            break;
        }
        left -= ty.size();
        count += 1;
    }
    (left == 0).then_some(count)
}

/// The numbers in a type in order; `None` if there are gaps between them, or more than [`MAX_NUMBERS`].
fn leaves(unit: &Unit, ty: &Qualified) -> Option<Vec<Leaf>> {
    let mut found: Vec<Leaf> = Vec::new();
    let mut open = vec![(Vec::new(), ty)];
    while let Some((steps, ty)) = open.pop() {
        let mut below = Vec::new();
        match &ty.ty {
            Type::Arith(_) if ty.width.is_some() => return None,
            Type::Arith(ty) => found.push((steps, *ty)),
            Type::Struct(s) => below.extend(unit.structure(*s).members.iter().map(|member| {
                let field = Subscript::Field(member.name.as_ref().into());
                ([&steps[..], &[field]].concat(), &member.ty)
            })),
            Type::Array(of, extent) => {
                let (n, _) = constant::integer(unit, (*extent)?)?;
                let n = usize::try_from(n).ok().filter(|n| *n <= MAX_NUMBERS)?;
                below.extend((0..n).map(|k| {
                    let index = Subscript::Index(Expr::Int(k as i64));
                    ([&steps[..], &[index]].concat(), &**of)
                }));
            }
            Type::Void | Type::Pointer(_) | Type::Function(_) | Type::Refused(_) => return None,
        }
        open.extend(below.into_iter().rev());
        if found.len() + open.len() > MAX_NUMBERS {
            return None;
        }
    }
    let sizes: i128 = found.iter().map(|(_, ty)| ty.size()).sum();
    let is_dense = constant::size(unit, ty, MAX_DEPTH) == Some(sizes);
    (is_dense && !found.is_empty()).then_some(found)
}
