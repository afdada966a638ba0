//! The length of chains of annealing: they go on until they agree.
//!
//! If all independent chains end with one cost, going on hardly ever improves it; if they differ, slower cooling does.
//! So chains run in phases, each longer than the one before.

/// Steps of a chain in each phase, in quarters of the budget. In the first phase, four chains together spend the
/// budget of one.
const PHASES: [u64; 4] = [1, 2, 4, 16];

/// Phases of graphs with fewer intermediates than [`LARGE`]. Moves number as many as pairs of intermediates, so that
/// few steps for a large graph are many for a small one.
const PHASES_OF_SMALL: usize = 2;

/// Intermediates of graphs that may need all phases.
const LARGE: usize = 64;

/// Steps of each chain in a phase, counted from 0; `None` behind the last phase of graphs with this number of
/// intermediates.
pub(super) fn steps(budget: u64, intermediates: usize, phase: usize) -> Option<u64> {
    let phases = match intermediates {
        LARGE.. => PHASES.len(),
        _ => PHASES_OF_SMALL,
    };
    let quarters = PHASES[..phases].get(phase)?;
    Some((budget / 4).saturating_mul(*quarters))
}

/// True if there is no need to go on after a phase: all chains have the same cost, or (from the second phase on) the
/// best cost has not improved on `before` and more than half of the chains have it.
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
