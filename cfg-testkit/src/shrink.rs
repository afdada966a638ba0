//! Makes a failing case smaller: deletes statements, replaces loops and branches by their contents.

use crate::case::Case;
use crate::generate::Generated;
use crate::interpret::Limits;
use crate::tree::{Node, Region};
use cfg_core::entity::RoutineId;
use cfg_core::ir::{Routine, Stmt};
use cfg_core::validate;

/// Greedily applies deletions as long as the case is still valid, runs, and `fails`; at most `tries` times.
pub fn shrink(start: &Generated, tries: usize, fails: impl Fn(&Case) -> bool) -> Generated {
    let valid = |case: &Case| validate::find_problems(&case.program).1.is_empty();
    let was_valid = valid(&start.case);
    // Deleting a statement may make a loop endless, so the limits are low.
    let few = Limits {
        fuel: 200_000,
        ..Limits::default()
    };
    let limits = match start.case.run(few) {
        Ok(_) => few,
        Err(_) => Limits::default(),
    };
    let mut best = start.clone();
    let mut left = tries;
    loop {
        let mut changed = false;
        for routine in (0..best.trees.len()).rev() {
            // Derivatives that are given belong to the routine as it is.
            let given = |r: &Routine| {
                let d = r.derivatives.as_deref().copied().unwrap_or_default();
                [d.adjoint, d.tangent].contains(&Some(RoutineId::new(routine)))
            };
            let routines = &best.case.program.routines;
            if routines[routine].derivatives.is_some() || routines.iter().any(given) {
                continue;
            }
            let mut edit = 0;
            while left > 0 {
                let mut candidate = best.clone();
                let Some(tree) = &mut candidate.trees[routine] else {
                    break;
                };
                let mut at = edit;
                if !edit_region(tree, &mut at) {
                    break;
                }
                left -= 1;
                candidate.rebuild();
                let case = &candidate.case;
                let good = !was_valid || valid(case);
                if good && case.run(limits).is_ok() && fails(case) {
                    best = candidate;
                    changed = true;
                } else {
                    edit += 1;
                }
            }
        }
        if !changed || left == 0 {
            return best;
        }
    }
}

/// Applies the edit with number `at`, counted down on the way; false if there is no such edit.
fn edit_region(region: &mut Region, at: &mut usize) -> bool {
    let here = |at: &mut usize| {
        if *at == 0 {
            return true;
        }
        *at -= 1;
        false
    };
    for k in 0..region.len() {
        // The whole node goes; then, from the outside in, smaller things.
        if here(at) {
            region.remove(k);
            return true;
        }
        match &mut region[k] {
            Node::Block(statements) => {
                if edit_block(statements, at) {
                    return true;
                }
            }
            Node::Jump { .. } => {}
            Node::Loop { body, .. } | Node::Again { body, .. } => {
                if here(at) {
                    let body = std::mem::take(body);
                    region.splice(k..=k, body);
                    return true;
                }
                if edit_region(body, at) {
                    return true;
                }
            }
            Node::Branch { arms, .. } => {
                if *at < arms.len() {
                    let arm = std::mem::take(&mut arms[*at].1);
                    region.splice(k..=k, arm);
                    return true;
                }
                *at -= arms.len();
                for (_, arm) in arms {
                    if edit_region(arm, at) {
                        return true;
                    }
                }
            }
        }
    }
    false
}

fn edit_block(statements: &mut Vec<Stmt>, at: &mut usize) -> bool {
    // A block of one statement goes as a whole.
    if statements.len() < 2 {
        return false;
    }
    if *at < statements.len() {
        statements.remove(*at);
        return true;
    }
    *at -= statements.len();
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::census::Census;
    use crate::generate::{Options, generate_with_trees};

    #[test]
    fn a_post_test_loop_alone_is_left() {
        let has = |case: &Case| Census::of_program(&case.program).loops[1] > 0;
        let start = (0..100)
            .filter_map(|seed| generate_with_trees(&Options::EXACT, seed).ok())
            .find(|g| has(&g.case) && Census::of_program(&g.case.program).statements > 60)
            .unwrap_or_else(|| panic!("such a program is made soon"));
        let small = shrink(&start, 5000, has);
        let census = Census::of_program(&small.case.program);
        assert!(has(&small.case));
        assert!(census.statements < 25, "{census:?}");
        assert!(small.case.run(Limits::default()).is_ok());
    }
}
