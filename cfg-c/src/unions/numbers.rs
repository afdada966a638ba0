//! The numbers that a type consists of, in the order of memory: types are compared by them.

use crate::{
    ast::{Member, StructId, Unit},
    constant,
    types::{Arith, Qualified, Type},
};
use cfg_core::ir::Record;

/// Most levels of nested types.
pub(super) const MAX_DEPTH: usize = 2 * Record::MAX_DEPTH;

/// Most runs of a type that is compared.
const MAX_RUNS: usize = 1000;

/// A run of adjacent numbers of one type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    ty: Arith,
    /// The number of bytes before the run.
    begin: i128,
    pub(super) count: i64,
}

/// The number of numbers in a type; `None` if there is anything else in it.
pub(super) fn counted(unit: &Unit, ty: &Qualified, depth: usize) -> Option<i64> {
    let depth = depth.checked_sub(1)?;
    match &ty.ty {
        Type::Arith(_) => Some(1).filter(|_| ty.width.is_none()),
        Type::Array(of, extent) => {
            let (n, _) = constant::integer(unit, (*extent)?)?;
            let count = counted(unit, of, depth)?;
            count.checked_mul(i64::try_from(n).ok()?)
        }
        Type::Struct(s) => {
            let structure = unit.structure(*s);
            let mut all = 0i64;
            for member in structure.declared_members() {
                let count = counted(unit, &member.ty, depth)?;
                all = match structure.union {
                    true => all.max(count),
                    false => all.checked_add(count)?,
                };
            }
            Some(all)
        }
        Type::Void | Type::Pointer(_) | Type::Function(_) | Type::Refused(_) => None,
    }
}

/// The members of a structure, each with the number of numbers before it; `None` if anything else comes before.
pub(super) fn begins(unit: &Unit, s: StructId) -> impl Iterator<Item = Option<(i64, &Member)>> {
    let structure = unit.structure(s);
    let mut behind = Some(0i64);
    structure.declared_members().iter().map(move |member| {
        let begin = behind?;
        if !structure.union {
            let count = counted(unit, &member.ty, MAX_DEPTH);
            behind = count.and_then(|count| begin.checked_add(count));
        }
        Some((begin, member))
    })
}

/// The number of numbers before a member of a structure.
pub(super) fn before(unit: &Unit, s: StructId, name: &str) -> Option<i64> {
    let mut members = begins(unit, s).map_while(|member| member);
    members.find_map(|(begin, member)| (*member.name == *name).then_some(begin))
}

/// The runs of numbers that a type consists of; `None` if there is anything else in it, or too many runs.
pub(super) fn runs(unit: &Unit, ty: &Qualified) -> Option<Vec<Run>> {
    runs_within(unit, ty, MAX_DEPTH)
}

fn runs_within(unit: &Unit, ty: &Qualified, depth: usize) -> Option<Vec<Run>> {
    let depth = depth.checked_sub(1)?;
    let mut found = Vec::new();
    match &ty.ty {
        Type::Arith(_) if ty.width.is_some() || ty.long_double => return None,
        Type::Arith(number) => found.push(Run {
            ty: *number,
            begin: 0,
            count: 1,
        }),
        Type::Array(of, extent) => {
            let (n, _) = constant::integer(unit, (*extent)?)?;
            let (inner, size) = (runs_within(unit, of, depth)?, size(unit, of)?);
            match inner[..] {
                // Elements that are one run join to a single run, however many there are.
                [run] if size == run.end()? => {
                    let count = run.count.checked_mul(i64::try_from(n).ok()?)?;
                    found.push(Run { count, ..run });
                }
                [] => {}
                _ => {
                    for k in 0..n {
                        add(&mut found, &inner, size.checked_mul(k)?)?;
                    }
                }
            }
        }
        Type::Struct(s) if unit.structure(*s).union => {
            for member in unit.structure(*s).declared_members() {
                let own = runs_within(unit, &member.ty, depth)?;
                if !begin_alike(&own, &found) {
                    return None;
                }
                if count_numbers(&own)? > count_numbers(&found)? {
                    found = own;
                }
            }
        }
        Type::Struct(s) if unit.structure(*s).packed => return None,
        Type::Struct(s) => {
            let mut end = 0i128;
            for member in unit.structure(*s).declared_members() {
                let align = constant::alignment_of(unit, &member.ty)?;
                let gap = end.checked_neg()?.checked_rem_euclid(align)?;
                let begin = end.checked_add(gap)?;
                add(&mut found, &runs_within(unit, &member.ty, depth)?, begin)?;
                end = begin.checked_add(size(unit, &member.ty)?)?;
            }
        }
        Type::Void | Type::Pointer(_) | Type::Function(_) | Type::Refused(_) => return None,
    }
    Some(found)
}

/// The size of a type in bytes.
pub(super) fn size(unit: &Unit, ty: &Qualified) -> Option<i128> {
    constant::size(unit, ty, MAX_DEPTH)
}

impl Run {
    fn end(self) -> Option<i128> {
        let size = self.ty.size().checked_mul(self.count.into())?;
        self.begin.checked_add(size)
    }
}

/// Adds runs, moved by `behind` bytes.
fn add(found: &mut Vec<Run>, more: &[Run], behind: i128) -> Option<()> {
    for run in more {
        let begin = run.begin.checked_add(behind)?;
        if let Some(last) = found.last_mut()
            && last.ty == run.ty
            && last.end()? == begin
        {
            last.count = last.count.checked_add(run.count)?;
        } else if found.len() < MAX_RUNS {
            found.push(Run { begin, ..*run });
        } else {
            return None;
        }
    }
    Some(())
}

/// The number of numbers in the runs.
pub(super) fn count_numbers(runs: &[Run]) -> Option<i64> {
    runs.iter()
        .try_fold(0i64, |sum, run| sum.checked_add(run.count))
}

/// True if one list of numbers is the beginning of the other.
pub(super) fn begin_alike(a: &[Run], b: &[Run]) -> bool {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let Some((last, rest)) = short.split_last() else {
        return true;
    };
    let Some(other) = long.get(rest.len()) else {
        return false;
    };
    // Only the last run of the shorter one may end before the other does.
    let ends = short.len() == long.len() || last.count <= other.count;
    let places = |run: &Run| (run.ty, run.begin);
    rest == &long[..rest.len()] && places(last) == places(other) && ends
}

/// The bytes before a number, and its type.
pub(super) fn place_of(runs: &[Run], number: i64) -> Option<(i128, Arith)> {
    let mut left = number;
    for run in runs {
        if (0..run.count).contains(&left) {
            let behind = run.ty.size().checked_mul(left.into())?;
            return Some((run.begin.checked_add(behind)?, run.ty));
        }
        left = left.checked_sub(run.count)?;
    }
    None
}

/// The number of this type at a distance of `place` bytes.
pub(super) fn number_at(runs: &[Run], place: i128, ty: Arith) -> Option<i64> {
    let mut before = 0i64;
    for run in runs {
        let behind = place.checked_sub(run.begin)?;
        let k = behind.checked_div_euclid(run.ty.size())?;
        if (0..i128::from(run.count)).contains(&k) {
            let is_one = run.ty == ty && behind.checked_rem_euclid(run.ty.size())? == 0;
            return before
                .checked_add(i64::try_from(k).ok()?)
                .filter(|_| is_one);
        }
        before = before.checked_add(run.count)?;
    }
    None
}
