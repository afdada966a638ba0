//! Temporary variables, reused from statement to statement.

use cfg_core::{
    entity::VarId,
    ir::{Dim, Expr, Extent, NameOrigin, NameRole, Order, Role, Routine, Variable},
};

use crate::code::{names::Namer, typing::ExprType};

/// Variables that hold intermediate values, handed out again for every statement.
#[derive(Clone, Debug, Default)]
pub(crate) struct Temporaries {
    pools: Vec<Pool>,
}

/// The temporaries of one kind: base of their names, type, storage order, the variables, and how many are in use.
type Pool = (&'static str, ExprType, Order, Vec<VarId>, usize);

impl Temporaries {
    /// Gives back all temporaries.
    pub(crate) fn reset(&mut self) {
        for pool in &mut self.pools {
            pool.4 = 0;
        }
    }

    /// Every temporary, in use or not, with the base of its name and its type.
    pub(crate) fn all(&self) -> impl Iterator<Item = (VarId, &'static str, ExprType)> {
        (self.pools.iter())
            .flat_map(|(base, ty, _, variables, _)| variables.iter().map(|&v| (v, *base, *ty)))
    }

    /// Gives back a temporary, if it is the one of its kind that was taken last; otherwise returns false.
    pub(crate) fn give_back(&mut self, base: &'static str, ty: ExprType, t: VarId) -> bool {
        for (b, of, _, variables, used) in &mut self.pools {
            if *b == base && *of == ty && *used > 0 && variables[*used - 1] == t {
                *used -= 1;
                return true;
            }
        }
        false
    }

    /// A temporary of this type. Arrays take the shape of what is assigned to them.
    pub(crate) fn take(
        &mut self,
        routine: &mut Routine,
        namer: &mut Namer,
        base: &'static str,
        ty: ExprType,
    ) -> VarId {
        self.take_in_order(routine, namer, base, ty, Order::Row)
    }

    /// A temporary of this type and storage order.
    pub(crate) fn take_in_order(
        &mut self,
        routine: &mut Routine,
        namer: &mut Namer,
        base: &'static str,
        ty: ExprType,
        order: Order,
    ) -> VarId {
        let found = self
            .pools
            .iter()
            .position(|(b, t, o, ..)| *b == base && *t == ty && *o == order);
        let pool = match found {
            Some(i) => &mut self.pools[i],
            None => {
                self.pools.push((base, ty, order, Vec::new(), 0));
                let last = self.pools.len() - 1;
                &mut self.pools[last]
            }
        };
        if pool.4 == pool.3.len() {
            let shape = (0..ty.rank)
                .map(|_| Dim {
                    lower: Expr::Int(1),
                    extent: Extent::Deferred,
                })
                .collect();
            let mut variable = Variable::new(namer.numbered(base), ty.ty, shape, Role::Local);
            variable.origin = Some(Box::new(NameOrigin::new(NameRole::Temporary, "")));
            variable.order = order;
            pool.3.push(routine.add_variable(variable));
        }
        pool.4 += 1;
        pool.3[pool.4 - 1]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfg_core::ir::ScalarType::{Integer, Real};

    /// A kind is a name, a type with its rank, and an order. The variable that was handed out last is given back
    /// first.
    #[test]
    fn each_kind_has_variables_of_its_own() {
        let (mut routine, mut namer) = (Routine::default(), Namer::new([]));
        let mut all = Temporaries::default();
        let real = |rank| ExprType { ty: Real, rank };
        let integer = ExprType {
            ty: Integer,
            rank: 0,
        };
        let mut take = |all: &mut Temporaries, base, ty, order| {
            all.take_in_order(&mut routine, &mut namer, base, ty, order)
        };
        let kinds = [
            ("t", real(0), Order::Row),
            ("t", real(1), Order::Row),
            ("t", real(2), Order::Row),
            ("t", real(2), Order::Column),
            ("b", real(0), Order::Row),
            ("t", integer, Order::Row),
        ];
        let first = kinds.map(|(base, ty, order)| take(&mut all, base, ty, order));
        assert_eq!(first, [0, 1, 2, 3, 4, 5].map(VarId::new));
        let second = take(&mut all, "t", real(0), Order::Row);
        assert_eq!(second, VarId::new(6));
        // The last one of its kind can be given back.
        assert!(!all.give_back("t", real(0), first[0]));
        assert!(!all.give_back("b", real(0), second));
        assert!(!all.give_back("t", real(1), second));
        assert!(all.give_back("t", real(0), second));
        assert!(!all.give_back("t", real(0), second));
        assert_eq!(take(&mut all, "t", real(0), Order::Row), second);
        assert!(all.give_back("t", real(0), second));
        assert!(all.give_back("t", real(0), first[0]));
        assert!(!all.give_back("t", real(0), first[0]));
        assert_eq!(take(&mut all, "t", real(0), Order::Row), first[0]);
        all.reset();
        let again = kinds.map(|(base, ty, order)| take(&mut all, base, ty, order));
        assert_eq!(again, first);
        let listed: Vec<_> = all.all().collect();
        assert_eq!(listed.len(), 7);
        assert_eq!(listed[1], (second, "t", real(0)));
        for (k, (_, ty, order)) in kinds.into_iter().enumerate() {
            let made = routine.variable(first[k]);
            assert_eq!((made.ty, made.rank(), made.order), (ty.ty, ty.rank, order));
        }
    }
}
