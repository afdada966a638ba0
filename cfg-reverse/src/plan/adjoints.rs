//! The adjoint of each statement and the locations that it reads, kept until the sweeps are written.

use cfg_core::{
    dataflow::Position,
    ir::{Expr, Place, Stmt, StmtKind},
    memory::locations::Locations,
};

use crate::code::expressions::as_place;

/// The statements and values of the forward sweep that the adjoint of one statement needs.
#[derive(Clone, Debug, Default)]
pub(crate) struct StatementCode {
    /// Statements of the forward sweep that take the statement's place; `None`: the statement itself.
    pub(crate) forward: Option<Box<[Stmt]>>,
    /// Locations whose values before the statement the adjoint reads.
    pub(crate) reads_before: Reads,
    /// Locations whose values after the statement the adjoint reads.
    pub(crate) reads_after: Reads,
    /// Bits of recorded functions that take less time than what they spare.
    pub(crate) paid: u64,
}

/// The statements of the reverse sweep that stand for one statement.
#[derive(Clone, Debug, Default)]
pub(crate) struct StatementAdjoint {
    /// The statements that come first, before the pops: shapes that the pops need.
    pub(crate) before_pops: Vec<Stmt>,
    /// The code of the adjoint.
    pub(crate) code: Vec<Stmt>,
    /// True if the adjoint stands after the pops, and reads the values before the statement; false if it stands
    /// before the pops, and reads the values after the statement.
    pub(crate) after_pops: bool,
}

/// The parts of one statement's adjoint: what the forward sweep must do for it, and its code in the reverse sweep.
pub(crate) type Written = (StatementCode, StatementAdjoint);

/// An assignment whose adjoint can be written in several ways.
#[derive(Clone, Debug)]
pub(crate) struct Alternatives {
    pub(crate) at: Position,
    /// The ways, each preferred to those before: from operands; from the result, from recorded functions; empty where
    /// it is in use.
    pub(crate) ways: Vec<Written>,
    /// The way in use.
    pub(crate) way: usize,
}

/// Most locations that a list holds in place.
const FEW: usize = 5;

/// Locations in ascending order, each once. Every analysis reads these lists, and most have few locations: short ones
/// are stored in place, without an allocation.
#[derive(Clone, Debug)]
pub(crate) enum Reads {
    Few(u8, [u32; FEW]),
    Many(Box<[u32]>),
}

impl Default for Reads {
    fn default() -> Self {
        Self::Few(0, [0; FEW])
    }
}

impl Reads {
    pub(crate) fn as_slice(&self) -> &[u32] {
        match self {
            Self::Few(len, locations) => &locations[..usize::from(*len)],
            Self::Many(locations) => locations,
        }
    }

    /// The list, extended by the locations that `each` reports.
    #[must_use]
    pub(crate) fn with(&self, each: impl FnOnce(&mut dyn FnMut(u32))) -> Self {
        let (mut few, mut len) = match self {
            Self::Few(len, locations) => (*locations, usize::from(*len)),
            Self::Many(_) => ([0; FEW], 0),
        };
        // Once the locations exceed the inline list, all of them move to the heap.
        let mut many = match self {
            Self::Few(..) => Vec::new(),
            Self::Many(locations) => locations.to_vec(),
        };
        each(&mut |location| {
            if many.is_empty() {
                let at = few[..len].partition_point(|&a| a < location);
                if few[..len].get(at) == Some(&location) {
                    return;
                }
                if len < FEW {
                    few.copy_within(at..len, at + 1);
                    few[at] = location;
                    len += 1;
                    return;
                }
                many.extend_from_slice(&few);
            }
            many.push(location);
        });
        if many.is_empty() {
            return Self::Few(len as u8, few);
        }
        many.sort_unstable();
        many.dedup();
        Self::Many(many.into())
    }

    /// The list where a scalar with this location is assigned `value` first.
    #[must_use]
    pub(crate) fn behind(&self, scalar: u32, value: &Expr, locations: &Locations) -> Self {
        self.without(scalar).with(|add| {
            value.walk_places(&mut |place| {
                locations.each_location(place, &mut |l| add(l.index() as u32));
            });
        })
    }

    /// The list without a location.
    #[must_use]
    pub(crate) fn without(&self, location: u32) -> Self {
        let others = self.as_slice().iter().filter(|&&l| l != location);
        Self::default().with(|add| others.for_each(|&l| add(l)))
    }
}

/// The locations of the original (variables below `originals`) that some statements read.
pub(crate) fn primal_reads(statements: &[Stmt], originals: usize, locations: &Locations) -> Reads {
    Reads::default().with(|add| {
        let mut place = |place: &Place| {
            if place.var.index() < originals {
                locations.each_location(place, &mut |l| add(l.index() as u32));
            }
        };
        for statement in statements {
            if let StmtKind::Assign { target, value } = &statement.kind {
                value.walk_places(&mut place);
                for e in target.subscript_exprs() {
                    e.walk_places(&mut place);
                }
            }
        }
    })
}

/// The locations that the subscripts of actual arguments read.
pub(crate) fn read_by_subscripts(locations: &Locations, arguments: &[Option<Expr>]) -> Reads {
    Reads::default().with(|add| {
        for place in arguments.iter().flatten().filter_map(as_place) {
            for e in place.subscript_exprs() {
                e.walk_places(&mut |p| {
                    locations.each_location(p, &mut |l| add(l.index() as u32));
                });
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_and_many_are_sets() {
        let list =
            |locations: &[u32]| Reads::default().with(|add| locations.iter().for_each(|&a| add(a)));
        assert!(list(&[]).as_slice().is_empty());
        assert_eq!(list(&[3, 1, 3, 2, 1]).as_slice(), [1, 2, 3]);
        assert_eq!(list(&[5, 4, 3, 2, 1]).as_slice(), [1, 2, 3, 4, 5]);
        assert_eq!(list(&[5, 4, 3, 2, 1, 3]).as_slice(), [1, 2, 3, 4, 5]);
        let six = list(&[9, 4, 3, 2, 1, 5, 9]);
        assert_eq!(six.as_slice(), [1, 2, 3, 4, 5, 9]);
        let more = six.with(|add| [7, 2].into_iter().for_each(add));
        assert_eq!(more.as_slice(), [1, 2, 3, 4, 5, 7, 9]);
        let more = list(&[2, 8]).with(|add| [7, 2].into_iter().for_each(add));
        assert_eq!(more.as_slice(), [2, 7, 8]);
    }
}
