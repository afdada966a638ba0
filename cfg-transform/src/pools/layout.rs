//! The places of an object at which a pointer leads to cells of its own type.
//!
//! An object is a sequence of elements of one type, its *layout*. If T is the only layout that contains a T, a pointer
//! to a T moves by whole elements and always leads to cells of T's types. Only if a T is a part of another layout,
//! such as a field, can the pointer be moved to cells that are no T. Then the distance in cells from the beginning of
//! an element decides whether the type *fits*.

use cfg_core::{
    entity::RecordId,
    ir::{Program, ScalarType},
};
use std::collections::{BTreeMap, BTreeSet};

/// Limits on the work of the analysis.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Most runs of cells of one type in a layout that is analysed.
    runs: usize,
    /// Most ranges in which a type fits that are compared one by one; more are looked up in a table.
    compared: usize,
    /// Most cells of the layouts of a pool in a table.
    table: i64,
    /// Most layouts, parts, compared runs and cells of tables in a program, taken together.
    parts: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            runs: 1_000,
            compared: 4,
            table: 10_000,
            parts: 1_000_000,
        }
    }
}

/// Cells of one type, one behind the other: the type and their number.
type Run = (ScalarType, i64);

/// The cells at which a type fits in the layouts of its pool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fit {
    /// One layout, of `size` cells, has the type, which fits in these ranges of cells, both ends inclusive.
    At { size: i64, ranges: Vec<(i64, i64)> },
    /// One layout has the type: true for each of its cells at which the type fits.
    Each(Vec<bool>),
    /// True for each cell at which the type fits, over all layouts of the pool, one behind the other.
    EachOfAll(Vec<bool>),
}

/// The layouts of a pool, one behind the other.
#[derive(Clone, Debug, Default)]
pub(super) struct Layouts {
    /// The number of cells before each layout; layouts that are too large are left out.
    pub(super) starts: BTreeMap<ScalarType, i64>,
    /// Number of cells of all layouts together.
    pub(super) total: i64,
}

/// The analysis of the layouts of all types.
pub(super) struct Fits<'p> {
    program: &'p Program,
    /// The cells of records; `None` for records beyond the limits.
    runs: BTreeMap<RecordId, Option<Vec<Run>>>,
    limits: Limits,
    /// Number of parts that may still be analysed.
    left: usize,
}

impl<'p> Fits<'p> {
    pub(super) fn new(program: &'p Program, limits: Limits) -> Self {
        Self {
            program,
            runs: BTreeMap::new(),
            limits,
            left: limits.parts,
        }
    }

    /// The cells at which types fit that are parts of other layouts of a pool. Types that fit wherever pointers to
    /// them can lead are left out, and so are types of layouts beyond the limits.
    pub(super) fn of_pool(
        &mut self,
        layouts: &BTreeSet<ScalarType>,
        pointees: &BTreeSet<ScalarType>,
    ) -> (BTreeMap<ScalarType, Fit>, Layouts) {
        let mut with: BTreeMap<ScalarType, Vec<ScalarType>> = BTreeMap::new();
        for &layout in layouts {
            let Some(parts) = self.parts(layout) else {
                // If a layout is beyond the limits, no type of the pool is checked.
                return Default::default();
            };
            if self.runs(layout).is_some_and(|runs| runs.is_empty()) {
                continue;
            }
            for part in parts {
                if pointees.contains(&part) {
                    with.entry(part).or_default().push(layout);
                }
            }
        }
        with.retain(|ty, with| with[..] != [*ty]);
        let asked = with.values().filter(|with| with.len() > 1).flatten();
        let mut all = Layouts::default();
        for &layout in asked.collect::<BTreeSet<_>>() {
            let size = self.runs(layout).map(|runs| length(&runs));
            if let Some(size) = size.filter(|size| *size <= self.limits.table - all.total) {
                all.starts.insert(layout, all.total);
                all.total += size;
            }
        }
        let mut fits = BTreeMap::new();
        for (&ty, with) in &with {
            if let Some(fit) = self.fit(ty, with, &all) {
                fits.insert(ty, fit);
            }
        }
        (fits, all)
    }

    fn fit(&mut self, ty: ScalarType, with: &[ScalarType], all: &Layouts) -> Option<Fit> {
        let own = self.runs(ty)?;
        if own.is_empty() {
            return None;
        }
        if let [layout] = with {
            let runs = self.runs(*layout)?;
            let size = length(&runs);
            let ranges = self.ranges(&runs, &own)?;
            if ranges.len() <= self.limits.compared {
                // A type that fits at all cells needs no check.
                let everywhere = ranges[..] == [(0, size - 1)];
                return (!everywhere).then_some(Fit::At { size, ranges });
            }
            let size = usize::try_from(size)
                .ok()
                .filter(|_| size <= self.limits.table)?;
            self.left = self.left.checked_sub(size)?;
            let mut each = vec![false; size];
            mark(&mut each, 0, &ranges);
            return Some(Fit::Each(each));
        }
        // One more cell, behind all layouts, stands for objects that are not checked.
        let total = all.total as usize + 1;
        self.left = self.left.checked_sub(total)?;
        let mut each = vec![false; total];
        let mut everywhere = true;
        for layout in with {
            let start = *all.starts.get(layout)?;
            let runs = self.runs(*layout)?;
            let ranges = self.ranges(&runs, &own)?;
            everywhere &= ranges[..] == [(0, length(&runs) - 1)];
            mark(&mut each, start, &ranges);
        }
        (!everywhere).then_some(Fit::EachOfAll(each))
    }

    /// The ranges in which a part fits in a layout; `None` beyond the limits.
    fn ranges(&mut self, layout: &[Run], part: &[Run]) -> Option<Vec<(i64, i64)>> {
        self.left = self.left.checked_sub(layout.len() * part.len())?;
        Some(ranges(layout, part))
    }

    /// A type and the types of its parts; `None` beyond the limits.
    fn parts(&mut self, ty: ScalarType) -> Option<BTreeSet<ScalarType>> {
        let mut parts = BTreeSet::new();
        let mut open = vec![ty];
        while let Some(ty) = open.pop() {
            self.left = self.left.checked_sub(1)?;
            if parts.insert(ty)
                && let Some(record) = ty.record()
            {
                let fields = &self.program.record(record).fields;
                open.extend(fields.iter().map(|field| field.ty));
            }
        }
        Some(parts)
    }

    /// The cells of a type.
    fn runs(&mut self, ty: ScalarType) -> Option<Vec<Run>> {
        let Some(record) = ty.record() else {
            return Some(vec![(ty, 1)]);
        };
        // Records in records come first.
        let mut open = vec![record];
        while let Some(&record) = open.last() {
            if self.runs.contains_key(&record) {
                open.pop();
                continue;
            }
            let fields = &self.program.record(record).fields;
            let inner = fields.iter().filter_map(|field| field.ty.record());
            let missing: BTreeSet<RecordId> =
                inner.filter(|r| !self.runs.contains_key(r)).collect();
            if missing.is_empty() {
                let runs = self.of_fields(record);
                self.runs.insert(record, runs);
                open.pop();
            }
            open.extend(missing);
        }
        self.runs.get(&record)?.clone()
    }

    fn of_fields(&self, record: RecordId) -> Option<Vec<Run>> {
        let mut all = Vec::new();
        for field in &self.program.record(record).fields {
            let scalar = [(field.ty, 1)];
            let part = match field.ty.record() {
                Some(record) => self.runs.get(&record)?.as_deref()?,
                None => &scalar,
            };
            let count = super::cells::elements(field.shape.iter());
            match part {
                [] => {}
                [(ty, n)] => push(&mut all, (*ty, n.checked_mul(count)?)),
                _ => {
                    for _ in 0..count {
                        for &run in part {
                            push(&mut all, run);
                        }
                        if all.len() > self.limits.runs {
                            return None;
                        }
                    }
                }
            }
        }
        length_of(&all)?;
        (all.len() <= self.limits.runs).then_some(all)
    }
}

/// Marks the cells of ranges that begin at `start`.
fn mark(each: &mut [bool], start: i64, ranges: &[(i64, i64)]) {
    for (first, last) in ranges {
        each[(start + first) as usize..=(start + last) as usize].fill(true);
    }
}

/// Adds cells behind others.
fn push(all: &mut Vec<Run>, (ty, n): Run) {
    match all.last_mut() {
        _ if n == 0 => {}
        Some((last, many)) if *last == ty => *many = many.saturating_add(n),
        _ => all.push((ty, n)),
    }
}

fn length_of(runs: &[Run]) -> Option<i64> {
    runs.iter()
        .try_fold(0i64, |sum, (_, n)| sum.checked_add(*n))
        .filter(|sum| *sum < i64::MAX / 4)
}

fn length(runs: &[Run]) -> i64 {
    runs.iter().map(|(_, n)| n).sum()
}

/// The cells of a layout at which the cells of a part begin; the part may reach into the next element.
fn ranges(layout: &[Run], part: &[Run]) -> Vec<(i64, i64)> {
    let size = length(layout);
    let mut twice: Vec<Run> = Vec::with_capacity(2 * layout.len());
    for &run in layout.iter().chain(layout) {
        push(&mut twice, run);
    }
    let mut found: Vec<(i64, i64)> = Vec::new();
    let [(ty, n), behind @ ..] = part else {
        return found;
    };
    let mut start = 0;
    for (k, (own, many)) in twice.iter().enumerate() {
        let end = start + many;
        let last = end - n;
        let first = if behind.is_empty() { start } else { last };
        let (first, last) = (first.max(start), last.min(size - 1));
        if own == ty && first <= last && follows(&twice[k + 1..], behind) {
            match found.last_mut() {
                Some((_, before)) if *before + 1 == first => *before = last,
                _ => found.push((first, last)),
            }
        }
        start = end;
    }
    found
}

/// True if `cells` begins with `others`, whose last run may be shorter.
fn follows(cells: &[Run], others: &[Run]) -> bool {
    let pairs = cells.iter().zip(others);
    let end = others.len().wrapping_sub(1);
    cells.len() >= others.len()
        && pairs.enumerate().all(|(k, (own, other))| {
            own.0 == other.0 && (own.1 == other.1 || k == end && own.1 > other.1)
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfg_core::random::mix;

    const TYPES: [ScalarType; 3] = [ScalarType::Real, ScalarType::Integer, ScalarType::Logical];

    fn runs(cells: &[ScalarType]) -> Vec<Run> {
        let mut all = Vec::new();
        for &ty in cells {
            push(&mut all, (ty, 1));
        }
        all
    }

    #[test]
    fn parts_fit_where_cell_by_cell_they_do() {
        let mut random = 1u64;
        let mut below = |n: usize| {
            random = mix(random);
            (random >> 16) as usize % n
        };
        let (mut fitted, mut not) = (0, 0);
        for _ in 0..20_000 {
            let kinds = 1 + below(3);
            let layout: Vec<ScalarType> = (0..1 + below(7)).map(|_| TYPES[below(kinds)]).collect();
            let size = layout.len();
            // A random stretch of the elements.
            let (from, n) = (below(size), 1 + below(size));
            let part: Vec<ScalarType> = (from..from + n).map(|k| layout[k % size]).collect();
            let mut fits = vec![false; size];
            mark(&mut fits, 0, &ranges(&runs(&layout), &runs(&part)));
            for (at, fits) in fits.into_iter().enumerate() {
                let same = (0..n).all(|k| layout[(at + k) % size] == part[k]);
                assert_eq!(fits, same, "{part:?} at {at} of {layout:?}");
                *(if same { &mut fitted } else { &mut not }) += 1;
            }
        }
        assert!(fitted > 1_000 && not > 1_000, "{fitted}, {not}");
    }

    #[test]
    fn ranges_are_as_few_as_can_be() {
        let cells = [
            ScalarType::Real,
            ScalarType::Real,
            ScalarType::Integer,
            ScalarType::Real,
        ];
        let real = [(ScalarType::Real, 1)];
        assert_eq!(ranges(&runs(&cells), &real), [(0, 1), (3, 3)]);
        assert_eq!(ranges(&runs(&cells[..2]), &real), [(0, 1)]);
        // The part begins at the end of an element and reaches into the next.
        assert_eq!(ranges(&runs(&cells), &[(ScalarType::Real, 3)]), [(3, 3)]);
        assert_eq!(ranges(&runs(&cells), &[(ScalarType::Real, 4)]), []);
        assert_eq!(ranges(&runs(&cells), &[]), []);
    }

    /// Where a real, an integer and a P fit in a pool of objects with layouts P and Q, and in one of P alone.
    fn fits(limits: Limits) -> [Option<Fit>; 4] {
        let field = |name: &str, ty| cfg_core::ir::Field {
            name: name.to_owned(),
            ty,
            shape: Vec::new(),
        };
        let (real, integer) = (ScalarType::Real, ScalarType::Integer);
        let record = |name: &str, fields: &[ScalarType]| cfg_core::ir::Record {
            name: name.to_owned(),
            fields: (fields.iter().zip('a'..))
                .map(|(&ty, name)| field(&name.to_string(), ty))
                .collect(),
        };
        let p = ScalarType::Record(RecordId::new(0));
        let q = ScalarType::Record(RecordId::new(1));
        let program = Program {
            records: vec![
                record("P", &[real, integer, real]),
                record("Q", &[integer, p, real, integer, integer, real]),
            ],
            ..Program::default()
        };
        let mut fits = Fits::new(&program, limits);
        let pointees = BTreeSet::from([real, integer, p]);
        let mut both = fits.of_pool(&BTreeSet::from([p, q]), &pointees).0;
        let mut alone = fits.of_pool(&BTreeSet::from([q]), &pointees).0;
        assert!(
            fits.of_pool(&BTreeSet::from([p]), &BTreeSet::from([p]))
                .0
                .is_empty()
        );
        [
            both.remove(&p),
            both.remove(&real),
            alone.remove(&p),
            alone.remove(&real),
        ]
    }

    /// A layout is looked at whose cells can be counted four times over.
    #[test]
    fn lengths_on_both_sides_of_the_limit() {
        let most = i64::MAX / 4 - 1;
        let [real, integer, _] = TYPES;
        for (cells, is_known) in [(most - 7, true), (most - 6, false), (i64::MAX - 6, false)] {
            let found = length_of(&[(real, 7), (integer, cells)]);
            assert_eq!(found, is_known.then_some(most), "{cells}");
        }
    }

    #[test]
    fn what_is_asked_is_limited() {
        let limits = Limits::default();
        // P: real, integer, real. Q: integer, real, integer, real, real, integer, integer, real.
        let of = |cells: &str| cells.chars().map(|c| c == 'x').collect::<Vec<bool>>();
        let both = [of("x---x-----x-"), of("x-x-x-xx--x-")].map(Fit::EachOfAll);
        let at = |ranges: &[(i64, i64)]| Fit::At {
            size: 8,
            ranges: ranges.to_vec(),
        };
        let all = |both: Option<[Fit; 2]>, alone: Option<[Fit; 2]>| {
            let [a, b] = both.map_or([None, None], |both| both.map(Some));
            let [c, d] = alone.map_or([None, None], |alone| alone.map(Some));
            [a, b, c, d]
        };
        let alone = [at(&[(1, 1), (7, 7)]), at(&[(1, 1), (3, 4), (7, 7)])];
        let everything = all(Some(both.clone()), Some(alone.clone()));
        assert_eq!(fits(limits), everything);
        // Q has six stretches.
        let runs = |runs| fits(Limits { runs, ..limits });
        assert_eq!(runs(6), everything);
        assert_eq!(runs(5), all(None, None));
        // The layouts have eleven cells together.
        let table = |table| fits(Limits { table, ..limits });
        assert_eq!(table(11), everything);
        assert_eq!(table(10), all(None, Some(alone.clone())));
        // Ranges beyond the limit of comparisons are looked up.
        let compared = |compared, table| {
            fits(Limits {
                compared,
                table,
                ..limits
            })
        };
        let [p, real] = alone.clone();
        let looked_up = Fit::Each(of("-x-xx--x"));
        assert_eq!(compared(3, 11), everything);
        assert_eq!(
            compared(2, 11),
            all(Some(both.clone()), Some([p, looked_up]))
        );
        assert_eq!(compared(2, 8)[3], Some(Fit::Each(of("-x-xx--x"))));
        assert_eq!(compared(2, 7)[3], None);
        assert_eq!(compared(3, 7)[3], Some(real));
        // Whatever the limits, the findings are right.
        let mut enough = 200;
        for parts in 0..200 {
            let found = fits(Limits { parts, ..limits });
            for (found, right) in found.iter().zip(&everything) {
                assert!(found.is_none() || found == right, "{parts}: {found:?}");
            }
            enough = enough.min(if found == everything { parts } else { 200 });
        }
        assert!((50..150).contains(&enough), "{enough}");
    }
}
