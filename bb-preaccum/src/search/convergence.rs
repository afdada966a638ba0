//! How long chains go on: as long as they do not agree.
//!
//! Chains know nothing of each other. Where all of them end with one cost, that cost is hardly ever to be improved, and to go on
//! costs time for nothing; where they differ, slower cooling gains. So they run in phases, each of which is longer than the one
//! before.

/// Steps of a chain in each phase, in quarters of the budget. In the first, four chains take together what one takes with the whole
/// budget.
const PHASES: [u64; 4] = [1, 2, 4, 16];

/// Phases of graphs with fewer intermediates than [`LARGE`]. The moves of one intermediate to the place of another are as many as
/// there are pairs, so that steps which are few for a large graph are many for a small one.
const PHASES_OF_SMALL: usize = 2;

/// Intermediates of graphs that may need all phases.
const LARGE: usize = 64;

/// Steps of each chain in a phase, counted from 0, on a graph with so many intermediates; `None` if there are no more phases.
pub(super) fn steps(budget: u64, intermediates: usize, phase: usize) -> Option<u64> {
    let phases = match intermediates {
        LARGE.. => PHASES.len(),
        _ => PHASES_OF_SMALL,
    };
    let quarters = PHASES[..phases].get(phase)?;
    Some((budget / 4).saturating_mul(*quarters))
}

/// True if there is no need to go on after a phase: all chains have the same cost, or the best of the chains has not improved
/// on what was known before in a phase that was not the first, and more than half of the chains have it.
pub(super) fn is_reached(phase: usize, before: u64, costs: &[u64]) -> bool {
    let Some(&least) = costs.iter().min() else {
        return true;
    };
    let agreeing = costs.iter().filter(|&&cost| cost == least).count();
    agreeing == costs.len() || (phase > 0 && least >= before && 2 * agreeing > costs.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_get_longer() {
        let phases =
            |intermediates| (0..6).map_while(move |phase| steps(1000, intermediates, phase));
        assert!(phases(63).eq([250, 500]));
        assert!(phases(64).eq([250, 500, 1000, 4000]));
        assert_eq!(steps(u64::MAX, 100, 3), Some(u64::MAX));
    }

    #[test]
    fn chains_that_agree_are_done() {
        assert!(is_reached(0, 300, &[279, 279, 279]));
        assert!(is_reached(0, 300, &[279]));
        assert!(is_reached(2, 279, &[279, 279, 279]));
        // In the first phase all have to agree.
        assert!(!is_reached(0, 300, &[279, 279, 280]));
        assert!(!is_reached(0, 279, &[279, 279, 280]));
        // After it more than half will do if they find nothing better.
        assert!(is_reached(1, 279, &[279, 279, 279, 281]));
        assert!(!is_reached(1, 279, &[280, 279, 279, 280]));
        assert!(!is_reached(1, 280, &[279, 279, 279, 281]));
    }
}
