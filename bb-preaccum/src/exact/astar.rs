//! Best-first search (A*, Hart, Nilsson & Raphael 1968) over the graphs left, each remembered once with
//! its least cost.

use std::collections::{BTreeMap, HashMap};

use cfg_core::random::mix;

/// A space of remaining graphs, and the steps between them.
pub(crate) trait Space {
    /// A step from one graph left to another.
    type Step: Copy;

    /// Loads a remaining graph, on which steps are tried.
    fn load(&mut self, state: &[u64]);

    /// Steps from the loaded graph, an optimal one among them; none if the elimination is complete.
    fn steps(&mut self) -> Vec<Self::Step>;

    /// Does a step on a copy of the loaded graph, and appends the remaining graph to `state`. Returns the cost; `None`
    /// if the step changes nothing.
    ///
    /// # Errors
    /// There is no room for the remaining graph.
    fn apply(&mut self, step: Self::Step, state: &mut Vec<u64>) -> Result<Option<u32>, Full>;

    /// A lower bound on the cost of the graph that the last step left.
    fn bound(&mut self) -> u32;
}

/// The error that there is no room for a state.
pub(crate) struct Full;

/// The result of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome<Step> {
    /// The optimum, and a sequence that reaches it.
    Optimal(u64, Vec<Step>),
    /// No sequence costs less than the best known one.
    NothingBelow,
    /// The budget was spent; no sequence costs less than this.
    Unfinished(u64),
}

/// The limits of the search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limit {
    /// The most remaining graphs that are stored.
    pub(crate) graphs: usize,
    /// The most bytes that stored graphs take, about.
    pub(crate) bytes: usize,
}

struct Node<Step> {
    cost: u32,
    from: u32,
    /// The step from the predecessor; `None` at the start.
    by: Option<Step>,
    closed: bool,
    /// The beginning of the graph in the store.
    at: usize,
    /// The next graph of the same hash.
    next: u32,
}

const NONE: u32 = u32::MAX;

struct Known<Step> {
    nodes: Vec<Node<Step>>,
    store: Vec<u64>,
    /// The first graph of each hash.
    index: HashMap<u64, u32>,
}

impl<Step: Copy> Known<Step> {
    fn state(&self, at: u32) -> &[u64] {
        let end = self.nodes.get(at as usize + 1).map(|node| node.at);
        &self.store[self.nodes[at as usize].at..end.unwrap_or(self.store.len())]
    }

    fn find(&self, hash: u64, state: &[u64]) -> Option<u32> {
        let mut at = *self.index.get(&hash)?;
        while at != NONE {
            if self.state(at) == state {
                return Some(at);
            }
            at = self.nodes[at as usize].next;
        }
        None
    }

    fn add(&mut self, hash: u64, state: &[u64], (cost, from, by): (u32, u32, Option<Step>)) -> u32 {
        let new = self.nodes.len() as u32;
        let next = self.index.insert(hash, new).unwrap_or(NONE);
        self.nodes.push(Node {
            cost,
            from,
            by,
            closed: false,
            at: self.store.len(),
            next,
        });
        self.store.extend_from_slice(state);
        new
    }

    fn path(&self, last: u32) -> Vec<Step> {
        let mut list = Vec::new();
        let mut at = last as usize;
        while let Some(by) = self.nodes[at].by {
            list.push(by);
            at = self.nodes[at].from as usize;
        }
        list.reverse();
        list
    }

    /// The bytes that the graphs take, about.
    fn bytes(&self) -> usize {
        let nodes = self.nodes.capacity() * size_of::<Node<Step>>();
        // An entry of the queue, and of the index, a byte longer.
        let others = self.nodes.len() * 8 + self.index.capacity() * 17;
        nodes + others + self.store.capacity() * size_of::<u64>()
    }

    fn is_within(&self, limit: Limit) -> bool {
        self.nodes.len() <= limit.graphs && self.bytes() <= limit.bytes
    }
}

fn hash(state: &[u64]) -> u64 {
    state.iter().fold(0, |hash, &word| mix(hash ^ word))
}

/// Finds the optimum from a graph with a lower bound, if it is below `below`; gives up past `limit`, or when `stop`
/// returns true.
pub(crate) fn solve<S: Space>(
    space: &mut S,
    start: &[u64],
    first: u32,
    below: u64,
    limit: Limit,
    stop: &mut dyn FnMut() -> bool,
) -> Outcome<S::Step> {
    let below = u32::try_from(below).unwrap_or(u32::MAX);
    if first >= below {
        return Outcome::NothingBelow;
    }
    let mut known = Known {
        nodes: Vec::new(),
        store: Vec::new(),
        index: HashMap::new(),
    };
    known.add(hash(start), start, (0, 0, None));
    // Open nodes by bound, then by cost (deeper first among equals), then in order of discovery.
    let mut open: BTreeMap<(u32, u32), Vec<u32>> = BTreeMap::new();
    open.insert((first, u32::MAX), vec![0]);
    let mut state = Vec::new();
    while let Some(mut entry) = open.first_entry() {
        let (bound, _) = *entry.key();
        let Some(at) = entry.get_mut().pop() else {
            entry.remove();
            continue;
        };
        let Node { cost, closed, .. } = known.nodes[at as usize];
        if closed {
            continue;
        }
        known.nodes[at as usize].closed = true;
        space.load(known.state(at));
        let steps = space.steps();
        if steps.is_empty() {
            return Outcome::Optimal(cost.into(), known.path(at));
        }
        if !known.is_within(limit) {
            return Outcome::Unfinished(bound.into());
        }
        for step in steps {
            // The bound takes longer than a look at the clock, and a dense graph has hundreds of steps.
            if stop() {
                return Outcome::Unfinished(bound.into());
            }
            state.clear();
            let price = match space.apply(step, &mut state) {
                Ok(Some(price)) => price,
                Ok(None) => continue,
                Err(Full) => return Outcome::Unfinished(bound.into()),
            };
            let total = cost + price;
            let hash = hash(&state);
            let next = match known.find(hash, &state) {
                Some(next) if known.nodes[next as usize].cost <= total => continue,
                Some(next) => {
                    // A cheaper way to a known graph. The bound is not consistent in all models, so the graph is
                    // opened again.
                    let node = &mut known.nodes[next as usize];
                    (node.cost, node.from, node.by, node.closed) = (total, at, Some(step), false);
                    next
                }
                None => known.add(hash, &state, (total, at, Some(step))),
            };
            let bound = (total + space.bound()).max(bound);
            if bound < below {
                open.entry((bound, u32::MAX - total))
                    .or_default()
                    .push(next);
            }
        }
    }
    Outcome::NothingBelow
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A store without graphs.
    fn none() -> Known<usize> {
        Known {
            nodes: Vec::new(),
            store: Vec::new(),
            index: HashMap::new(),
        }
    }

    #[test]
    fn graphs_and_bytes_on_both_sides_of_their_limits() {
        let mut known = none();
        for state in [[1], [2], [3]] {
            known.add(hash(&state), &state, (0, 0, None));
        }
        let all = known.bytes();
        assert!(all > 3 * size_of::<u64>());
        for (graphs, bytes, is_within) in [(3, all, true), (2, all, false), (3, all - 1, false)] {
            let limit = Limit { graphs, bytes };
            assert_eq!(known.is_within(limit), is_within, "{limit:?}");
        }
    }

    const UNLIMITED: Limit = Limit {
        graphs: usize::MAX,
        bytes: usize::MAX,
    };

    /// A step of a graph.
    #[derive(Clone, Copy, Debug)]
    enum Move {
        /// To another graph, for a price.
        To(u64, u32),
        Nothing,
        NoRoom,
    }

    use Move::{NoRoom, Nothing, To};

    /// Graphs left by number: the lower bound and the steps of each.
    struct Toy<'a> {
        graphs: &'a [(u32, &'a [Move])],
        here: u64,
        next: u64,
        loaded: Vec<u64>,
    }

    impl Space for Toy<'_> {
        type Step = usize;

        fn load(&mut self, state: &[u64]) {
            self.here = state[0];
            self.loaded.push(self.here);
        }

        fn steps(&mut self) -> Vec<usize> {
            (0..self.graphs[self.here as usize].1.len()).collect()
        }

        fn apply(&mut self, step: usize, state: &mut Vec<u64>) -> Result<Option<u32>, Full> {
            match self.graphs[self.here as usize].1[step] {
                To(next, price) => {
                    self.next = next;
                    state.push(next);
                    Ok(Some(price))
                }
                Nothing => Ok(None),
                NoRoom => Err(Full),
            }
        }

        fn bound(&mut self) -> u32 {
            self.graphs[self.next as usize].0
        }
    }

    /// The outcome of a search from graph 0, and the graphs that it loaded.
    fn run(graphs: &[(u32, &[Move])], below: u64) -> (Outcome<usize>, Vec<u64>) {
        let mut space = Toy {
            graphs,
            here: 0,
            next: 0,
            loaded: Vec::new(),
        };
        let first = graphs[0].0;
        let found = solve(&mut space, &[0], first, below, UNLIMITED, &mut || false);
        (found, space.loaded)
    }

    /// Each graph is loaded once, the cheapest first, among equals the one nearest to the end; a graph is loaded again
    /// only if it was loaded too early.
    #[test]
    fn graphs_are_loaded_in_the_order_of_their_bounds() {
        let optimal = |cost, steps: &[usize]| Outcome::Optimal(cost, steps.to_vec());
        // Two ways that cost the same: the last one found goes on.
        let diamond: &[(u32, &[Move])] = &[
            (2, &[To(1, 1), To(2, 1)]),
            (1, &[To(3, 1)]),
            (1, &[To(3, 1)]),
            (0, &[]),
        ];
        let expected = (optimal(2, &[1, 0]), vec![0, 2, 3]);
        assert_eq!(run(diamond, u64::MAX), expected);
        // Two ways meet: the second one is no cheaper.
        let meeting: &[(u32, &[Move])] = &[
            (1, &[To(1, 1), To(2, 1)]),
            (1, &[To(3, 1)]),
            (1, &[To(3, 1)]),
            (3, &[To(4, 3)]),
            (0, &[]),
        ];
        let expected = (optimal(5, &[1, 0, 0]), vec![0, 2, 1, 3, 4]);
        assert_eq!(run(meeting, u64::MAX), expected);
        // A cheaper way is found to a graph that is not loaded yet. Its old entry in the queue is passed over at 4.
        let detour: &[(u32, &[Move])] = &[
            (3, &[To(1, 3), To(2, 1)]),
            (1, &[To(3, 1)]),
            (2, &[To(1, 1)]),
            (5, &[To(4, 5)]),
            (0, &[]),
        ];
        let expected = (optimal(8, &[1, 0, 0, 0]), vec![0, 2, 1, 3, 4]);
        assert_eq!(run(detour, u64::MAX), expected);
        // Bounds that differ by more than the step between: graph 1 was loaded before.
        let again: &[(u32, &[Move])] = &[
            (1, &[To(1, 2), To(2, 1)]),
            (1, &[To(3, 3)]),
            (3, &[To(1, 0)]),
            (0, &[]),
        ];
        let expected = (optimal(4, &[1, 0, 0]), vec![0, 1, 2, 1, 3]);
        assert_eq!(run(again, u64::MAX), expected);
    }

    /// Graphs at or above the best known cost are not loaded. An unfinished search reports the bound of an open graph,
    /// which never falls.
    #[test]
    fn searches_end_below_and_where_there_is_no_room() {
        let found = |cost, steps: &[usize]| Outcome::Optimal(cost, steps.to_vec());
        let known: &[(u32, &[Move])] = &[(2, &[To(1, 2)]), (0, &[])];
        let unknown: &[(u32, &[Move])] = &[(0, &[To(1, 2)]), (0, &[])];
        let idle: &[(u32, &[Move])] = &[(2, &[Nothing, To(1, 2), Nothing]), (0, &[])];
        let full: &[(u32, &[Move])] = &[(2, &[To(1, 2), NoRoom]), (0, &[])];
        let later: &[(u32, &[Move])] = &[(2, &[To(1, 1)]), (0, &[NoRoom])];
        for (graphs, below, expected, loaded) in [
            (known, 1, Outcome::NothingBelow, Vec::new()),
            (known, 2, Outcome::NothingBelow, Vec::new()),
            (known, 3, found(2, &[0]), vec![0, 1]),
            (unknown, 1, Outcome::NothingBelow, vec![0]),
            (unknown, 2, Outcome::NothingBelow, vec![0]),
            (unknown, 3, found(2, &[0]), vec![0, 1]),
            (idle, 3, found(2, &[1]), vec![0, 1]),
            (full, 9, Outcome::Unfinished(2), vec![0]),
            (later, 9, Outcome::Unfinished(2), vec![0, 1]),
        ] {
            let expected = (expected, loaded);
            assert_eq!(run(graphs, below), expected, "{graphs:?} {below}");
        }
    }

    #[test]
    fn graphs_of_one_hash_are_told_apart() {
        let mut known = none();
        let states: [(u64, &[u64]); 5] = [
            (7, &[1, 2]),
            (7, &[1, 3]),
            (7, &[]),
            (8, &[1, 2]),
            (7, &[1]),
        ];
        for (at, (hash, state)) in (0..).zip(states) {
            assert_eq!(known.find(hash, state), None);
            assert_eq!(known.add(hash, state, (0, 0, None)), at);
            for (earlier, (hash, state)) in (0..=at).zip(states) {
                assert_eq!(known.find(hash, state), Some(earlier));
                assert_eq!(known.state(earlier), state);
            }
        }
        assert_eq!(known.find(9, &[1, 2]), None);
    }
}
