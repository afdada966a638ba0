//! The pairs of routines that are the two sweeps of one original.

use cfg_core::{
    entity::RoutineId,
    ir::{NameRole, Program, Routine},
};
use std::collections::HashMap;

/// A forward sweep, and the reverse sweep that pops its pushes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The routine that pushes.
    pub forward: RoutineId,
    /// The routine that pops.
    pub reverse: RoutineId,
    /// The original of both, if it is known.
    pub original: Option<RoutineId>,
    /// True if the reverse sweep runs the original again from states that the forward sweep has kept. The states come
    /// and go by a schedule, so that no proof looks into these two: calls of them are taken to fit.
    pub runs_again: bool,
}

/// Finds the pairs of a program by the origin of its routines: `forward` and `reverse` of the same
/// original, in the order of the program, and the tangents of the two routines of a pair.
///
/// ```
/// use cfg_core::ir::{NameOrigin, NameRole, Program, Routine};
///
/// let routine = |name: &str, what: NameRole| Routine {
///     name: name.into(),
///     origin: Some(Box::new(NameOrigin::new(what, "f"))),
///     ..Routine::default()
/// };
/// let program = Program {
///     routines: vec![routine("f_fwd", NameRole::Forward), routine("f_rev", NameRole::Reverse)],
///     ..Program::default()
/// };
/// let pairs = tape_check::pairs(&program);
/// assert_eq!(pairs.len(), 1);
/// assert_eq!(program.routine(pairs[0].reverse).name, "f_rev");
/// ```
pub fn pairs(program: &Program) -> Vec<Pair> {
    let mut made: HashMap<(&str, &str), Vec<RoutineId>> = HashMap::new();
    let mut by_name: HashMap<&str, RoutineId> = HashMap::new();
    for (r, routine) in program.routines.iter().enumerate() {
        let id = RoutineId::new(r);
        by_name.entry(&routine.name).or_insert(id);
        if let Some(origin) = &routine.origin {
            made.entry((origin.role.name(), &origin.of))
                .or_default()
                .push(id);
        }
    }
    let mut found = Vec::new();
    let mut seen: HashMap<(&str, bool), ()> = HashMap::new();
    for routine in &program.routines {
        let Some(origin) = &routine.origin else {
            continue;
        };
        let (of, runs_again) = (&origin.of, origin.role == NameRole::KeptForward);
        let is_forward = origin.role == NameRole::Forward || runs_again;
        if is_forward && seen.insert((of, runs_again), ()).is_none() {
            let [forward, reverse] = match runs_again {
                true => [NameRole::KeptForward, NameRole::KeptReverse],
                false => [NameRole::Forward, NameRole::Reverse],
            };
            for (forward, reverse) in both(&made, (forward.name(), of), (reverse.name(), of)) {
                found.push(Pair {
                    forward,
                    reverse,
                    original: by_name.get(of.as_str()).copied(),
                    runs_again,
                });
            }
        }
    }
    // Tangents of pairs are pairs, and so are their tangents. Chains of origins grow longer in each step, but if two
    // routines have one name, a chain might be circular: each routine is used once.
    let mut used = vec![false; program.routines.len()];
    for pair in &found {
        used[pair.forward.index()] = true;
        used[pair.reverse.index()] = true;
    }
    let mut next = 0;
    while let Some(pair) = found.get(next).copied() {
        next += 1;
        let name = |r: RoutineId| program.routine(r).name.as_str();
        let tangents = both(
            &made,
            ("tangent", name(pair.forward)),
            ("tangent", name(pair.reverse)),
        );
        for (forward, reverse) in tangents {
            if forward != reverse && !used[forward.index()] && !used[reverse.index()] {
                used[forward.index()] = true;
                used[reverse.index()] = true;
                found.push(Pair {
                    forward,
                    reverse,
                    original: Some(pair.forward),
                    runs_again: pair.runs_again,
                });
            }
        }
    }
    found
}

/// The routines made in two ways, in the order of the program.
fn both<'m, 'p>(
    made: &'m HashMap<(&'p str, &'p str), Vec<RoutineId>>,
    from: (&'p str, &'p str),
    to: (&'p str, &'p str),
) -> impl Iterator<Item = (RoutineId, RoutineId)> + use<'m, 'p> {
    let list = |key| -> &'m [RoutineId] { made.get(&key).map_or(&[], Vec::as_slice) };
    list(from).iter().copied().zip(list(to).iter().copied())
}

/// The pair of each routine, and whether it is the forward sweep there.
pub(crate) struct Roles {
    of: Vec<Option<(usize, bool)>>,
    pairs: Vec<Pair>,
}

impl Roles {
    /// The roles, and the routines that pairs name twice.
    pub(crate) fn new(program: &Program, pairs: &[Pair]) -> (Self, Vec<RoutineId>) {
        let mut roles = vec![None; program.routines.len()];
        let mut twice = Vec::new();
        for (p, pair) in pairs.iter().enumerate() {
            for (r, forward) in [(pair.forward, true), (pair.reverse, false)] {
                match roles.get_mut(r.index()) {
                    Some(slot @ None) => *slot = Some((p, forward)),
                    Some(Some(_)) => twice.push(r),
                    None => {}
                }
            }
        }
        let pairs = pairs.to_vec();
        (Self { of: roles, pairs }, twice)
    }

    pub(crate) fn role(&self, r: RoutineId) -> Option<(usize, bool)> {
        self.of.get(r.index()).copied().flatten()
    }

    /// The forward and the reverse sweep of a pair.
    pub(crate) fn pair(&self, pair: usize) -> Option<(RoutineId, RoutineId)> {
        self.pairs.get(pair).map(|p| (p.forward, p.reverse))
    }
}

/// True if the routine has a variable of type tape.
pub(crate) fn uses_tape(routine: &Routine) -> bool {
    routine
        .variables
        .iter()
        .any(|v| v.ty == cfg_core::ir::ScalarType::Tape)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfg_core::ir::NameOrigin;

    /// The pairs, by positions, of routines given by name, role and original.
    fn found(routines: &[(&str, NameRole, &str)]) -> Vec<(usize, usize)> {
        let routines = routines.iter().map(|(name, what, of)| Routine {
            name: (*name).into(),
            origin: Some(Box::new(NameOrigin::new(what.clone(), *of))),
            ..Routine::default()
        });
        let program = Program {
            routines: routines.collect(),
            ..Program::default()
        };
        let pairs = pairs(&program);
        pairs
            .iter()
            .map(|p| (p.forward.index(), p.reverse.index()))
            .collect()
    }

    /// Tangents of tangents of sweeps are pairs. If names occur twice, each routine is in one pair, on one side.
    #[test]
    fn each_routine_is_in_one_pair() {
        use NameRole::{Forward, Reverse, Tangent};
        let sweeps = [("a", Forward, "f"), ("b", Reverse, "f")];
        let with =
            |more: &[(&'static str, NameRole, &'static str)]| found(&[&sweeps, more].concat());
        assert_eq!(with(&[]), [(0, 1)]);
        let chain = [
            ("c", Tangent, "a"),
            ("d", Tangent, "b"),
            ("e", Tangent, "d"),
            ("g", Tangent, "c"),
        ];
        assert_eq!(with(&chain), [(0, 1), (2, 3), (5, 4)]);
        let circle = [("a", Tangent, "a"), ("b", Tangent, "b")];
        assert_eq!(with(&circle), [(0, 1), (2, 3)]);
        let alike = [
            ("a", Forward, "g"),
            ("b", Reverse, "g"),
            ("c", Tangent, "a"),
            ("d", Tangent, "b"),
        ];
        assert_eq!(with(&alike), [(0, 1), (2, 3), (4, 5)]);
        let one = [
            ("a", Forward, "f"),
            ("a", Reverse, "f"),
            ("c", Tangent, "a"),
        ];
        assert_eq!(found(&one), [(0, 1)]);
        let crossed = [
            ("a", Forward, "f"),
            ("a", Reverse, "f"),
            ("c", Tangent, "a"),
            ("d", Tangent, "a"),
        ];
        assert_eq!(found(&crossed), [(0, 1)]);
    }

    /// The original of a pair is the routine that its sweeps name, if it exists; that of tangents is the forward
    /// sweep.
    #[test]
    fn pairs_have_originals() {
        use NameRole::{Forward, Reverse, Tangent};
        let routine = |name: &str, origin: Option<(NameRole, &str)>| Routine {
            name: name.into(),
            origin: origin.map(|(what, of)| Box::new(NameOrigin::new(what, of))),
            ..Routine::default()
        };
        let routines = [
            ("h_f", Some((Forward, "h"))),
            ("h_r", Some((Reverse, "h"))),
            ("f_f", Some((Forward, "f"))),
            ("f_t", Some((Tangent, "f_f"))),
            ("f", None),
            ("f_r", Some((Reverse, "f"))),
            ("f_b", Some((Tangent, "f_r"))),
        ];
        let program = Program {
            routines: routines.map(|(name, origin)| routine(name, origin)).into(),
            ..Program::default()
        };
        let found = pairs(&program);
        let found: Vec<_> = (found.iter())
            .map(|p| {
                [Some(p.forward), Some(p.reverse), p.original].map(|r| r.map(RoutineId::index))
            })
            .collect();
        let expected = [
            [Some(0), Some(1), None],
            [Some(2), Some(5), Some(4)],
            [Some(3), Some(6), Some(2)],
        ];
        assert_eq!(found, expected);
    }

    /// A routine has its role in the first pair that names it; further pairs are reported.
    #[test]
    fn roles_are_those_of_the_first_pair() {
        let program = Program {
            routines: vec![Routine::default(); 4],
            ..Program::default()
        };
        let pair = |forward, reverse| Pair {
            forward: RoutineId::new(forward),
            reverse: RoutineId::new(reverse),
            original: None,
            runs_again: false,
        };
        let pairs = [pair(3, 1), pair(1, 2), pair(9, 2)];
        let (roles, twice) = Roles::new(&program, &pairs);
        let of = [0, 1, 2, 3, 9].map(|r| roles.role(RoutineId::new(r)));
        assert_eq!(
            of,
            [
                None,
                Some((0, false)),
                Some((1, false)),
                Some((0, true)),
                None
            ]
        );
        assert_eq!(twice, [RoutineId::new(1), RoutineId::new(2)]);
        let named = [0, 1, 2, 3].map(|p| roles.pair(p));
        let ids = |p: &Pair| Some((p.forward, p.reverse));
        assert_eq!(named[..3], pairs.each_ref().map(ids));
        assert_eq!(named[3], None);
    }
}
