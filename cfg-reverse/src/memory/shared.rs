//! Independents and dependents that share cells: globals that lie over each other.
//!
//! The derivative with respect to a cell that two independents name is not two derivatives, so such
//! independents are refused. Dependents may share cells: the seeds of a shared cell add up.

use cfg_core::{
    diagnostic::{Diagnostic, Diagnostics},
    entity::{GlobalId, RoutineId, VarId},
    ir::{Program, Role},
};
use std::ops::Range;

use crate::codes;

/// A global among others: the owner of its storage, and its cells there.
type Cells = (GlobalId, Range<i64>);

fn cells_of(program: &Program, g: GlobalId) -> Option<Cells> {
    program.cells(g).filter(|(_, range)| !range.is_empty())
}

/// Independents that share cells with others.
///
/// # Errors
/// R311, one problem for each independent that begins in cells of another.
pub(crate) fn check_independents(program: &Program, main: RoutineId) -> Result<(), Diagnostics> {
    let routine = program.routine(main);
    let mut found: Vec<(Cells, VarId)> = Vec::new();
    for &v in &routine.independents {
        if let Role::Global(g) = routine.variable(v).role
            && let Some(cells) = cells_of(program, g)
        {
            found.push((cells, v));
        }
    }
    found.sort_by_key(|((base, range), v)| (*base, range.start, *v));
    let mut problems = Diagnostics::default();
    // In ascending order of first cells, the independent that reaches farthest so far overlaps the next one if any
    // does.
    let mut last: Option<&(Cells, VarId)> = None;
    for next in &found {
        let ((base, range), v) = next;
        if let Some(((before, reach), other)) = last
            && before == base
        {
            if range.start < reach.end {
                let message = format!(
                    "the independents `{}` and `{}` share cells",
                    routine.variable(*other).name,
                    routine.variable(*v).name
                );
                let problem = Diagnostic::error(&codes::SHARED, message, codes::SHARED.explanation);
                problems.push(problem.at_element(format!("routine {}", routine.name)));
            }
            if range.end <= reach.end {
                continue;
            }
        }
        last = Some(next);
    }
    if problems.is_empty() {
        Ok(())
    } else {
        Err(problems)
    }
}

/// Globals of which no two share cells, and which cover the given ones: of globals that share some, the one that covers
/// them all, if need be the owner of the storage. In order of ids.
pub(crate) fn without_sharing(program: &Program, globals: &[GlobalId]) -> Vec<GlobalId> {
    let mut list: Vec<(Cells, GlobalId)> = globals
        .iter()
        .filter_map(|&g| Some((cells_of(program, g)?, g)))
        .collect();
    // Of globals that begin at one cell the longer comes first.
    list.sort_by_key(|((base, range), g)| (*base, range.start, -range.end, *g));
    let mut kept: Vec<GlobalId> = Vec::new();
    for of_one in list.chunk_by(|a, b| a.0.0 == b.0.0) {
        let from = kept.len();
        let mut reach = i64::MIN;
        let mut crossed = false;
        for ((_, range), g) in of_one {
            if range.end <= reach {
                continue;
            }
            crossed |= range.start < reach;
            reach = range.end;
            kept.push(*g);
        }
        if crossed {
            kept.truncate(from);
            kept.extend(of_one.first().map(|((base, _), _)| *base));
        }
    }
    kept.sort_unstable();
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfg_core::builder::{ProgramBuilder, RoutineBuilder};
    use cfg_core::ir::{Overlay, ScalarType::Real};

    /// Checks all sets of overlays of one storage of six cells against cells counted one by one.
    #[test]
    fn sharing_is_that_of_cells() {
        let ranges: Vec<Range<i64>> = (0..6)
            .flat_map(|a| (a..=6).map(move |b| a..b))
            .filter(|r| r.end - r.start != 4)
            .collect();
        for (i, a) in ranges.iter().enumerate() {
            for (j, b) in ranges.iter().enumerate() {
                for c in [
                    &ranges[(i * 7 + j) % ranges.len()],
                    &ranges[(i + j * 5) % ranges.len()],
                ] {
                    compare(&[a.clone(), b.clone(), c.clone()]);
                }
            }
        }
    }

    fn compare(ranges: &[Range<i64>]) {
        let mut builder = ProgramBuilder::new();
        let base = builder.global("g", Real.array([6]));
        let other = builder.global("other", Real.array([2]));
        let mut all = vec![other];
        for (k, r) in ranges.iter().enumerate() {
            let h = builder.global(format!("h{k}"), Real.array([r.end - r.start]));
            let offset = r.start;
            builder.overlay(h, Overlay { base, offset });
            all.push(h);
        }
        let mut f = RoutineBuilder::new("f");
        let variables: Vec<VarId> = all
            .iter()
            .map(|&g| f.global(builder.program(), g))
            .collect();
        f.independents(variables).dependents([]);
        let f = builder.add(f);
        let program = builder.finish().expect("the builder is used right");
        let mut count = [0; 6];
        for r in ranges {
            r.clone().for_each(|k| count[k as usize] += 1);
        }
        let shared = count.iter().any(|&n| n > 1);
        let found = check_independents(&program, f);
        assert_eq!(found.is_err(), shared, "{ranges:?}");
        let kept = without_sharing(&program, &all);
        let mut covered = [0; 6];
        for &g in kept.iter().filter(|&&g| g != other) {
            let (of, range) = program.cells(g).expect("its shape is constant");
            assert_eq!(of, base);
            range.for_each(|k| covered[k as usize] += 1);
        }
        assert!(covered.iter().all(|&n| n <= 1), "{ranges:?}: {kept:?}");
        assert!(count.iter().zip(covered).all(|(&n, c)| n == 0 || c == 1));
        assert!(kept.contains(&other));
        if !shared {
            let own: Vec<GlobalId> = all
                .iter()
                .copied()
                .filter(|&g| cells_of(&program, g).is_some())
                .collect();
            assert_eq!(kept, own);
        }
    }
}
