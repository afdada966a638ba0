//! Vertex-disjoint paths on bit rows, for bounds inside exact search.

use super::{Row, items, size};

const NONE: u16 = u16::MAX;
const END: u16 = u16::MAX - 1;

/// Room for the search of augmenting paths; see [`crate::bound`] for the method.
pub(crate) struct BitFlow {
    toward: Vec<u16>,
    away: Vec<u16>,
    parent: Vec<u16>,
    seen: Vec<bool>,
    queue: Vec<u16>,
}

impl BitFlow {
    pub(crate) fn new(n: usize) -> Self {
        Self {
            toward: vec![NONE; n],
            away: vec![NONE; n],
            parent: vec![NONE; 2 * n],
            seen: vec![false; 2 * n],
            queue: Vec::new(),
        }
    }

    /// The largest number of paths from `v` to ends that share no vertex but `v`, their first edge going
    /// to a vertex in `first`.
    pub(crate) fn count<const W: usize>(
        &mut self,
        v: usize,
        first: &Row<W>,
        out: &[Row<W>],
        is_end: impl Fn(usize) -> bool,
    ) -> u32 {
        self.toward.fill(NONE);
        self.away.fill(NONE);
        let mut paths = 0;
        // Neighbours that are ends are paths already: augmentation may start from any family of disjoint paths.
        for w in items(first) {
            if is_end(w) {
                self.toward[w] = v as u16;
                self.away[w] = END;
                paths += 1;
            }
        }
        let most = size(first);
        while paths < most && self.augment(v, first, out, &is_end) {
            paths += 1;
        }
        paths
    }

    /// The paths of the last count, without `v`.
    pub(crate) fn paths<const W: usize>(&self, v: usize, first: &Row<W>) -> Vec<Vec<usize>> {
        let begin = items(first).filter(|&w| self.toward[w] == v as u16);
        let path = |w: usize| {
            let after =
                |&w: &usize| Some(usize::from(self.away[w])).filter(|&x| x < usize::from(END));
            std::iter::successors(Some(w), after).collect()
        };
        begin.map(path).collect()
    }

    fn see(&mut self, state: usize, from: u16) {
        if !self.seen[state] {
            self.seen[state] = true;
            self.parent[state] = from;
            self.queue.push(state as u16);
        }
    }

    fn augment<const W: usize>(
        &mut self,
        v: usize,
        first: &Row<W>,
        out: &[Row<W>],
        is_end: &impl Fn(usize) -> bool,
    ) -> bool {
        self.seen.fill(false);
        self.queue.clear();
        for w in items(first) {
            if self.toward[w] != v as u16 {
                self.see(2 * w, NONE);
            }
        }
        let mut next = 0;
        while next < self.queue.len() {
            let state = self.queue[next];
            next += 1;
            let w = state as usize / 2;
            let toward = self.toward[w];
            if state.is_multiple_of(2) {
                if toward == NONE {
                    self.see(state as usize + 1, state);
                } else if toward != v as u16 {
                    self.see(2 * toward as usize + 1, state);
                }
                continue;
            }
            if is_end(w) && self.away[w] != END {
                self.link(state, v);
                return true;
            }
            for x in items(&out[w]) {
                if self.away[w] != x as u16 {
                    self.see(2 * x, state);
                }
            }
            if toward != NONE {
                self.see(state as usize - 1, state);
            }
        }
        false
    }

    fn link(&mut self, last: u16, v: usize) {
        let mut states = vec![last];
        let mut at = last;
        while self.parent[at as usize] != NONE {
            at = self.parent[at as usize];
            states.push(at);
        }
        states.reverse();
        for pair in states.windows(2) {
            let (a, b) = (pair[0] / 2, pair[1] / 2);
            if a != b && pair[0].is_multiple_of(2) {
                self.away[b as usize] = NONE;
                self.toward[a as usize] = NONE;
            }
        }
        self.toward[states[0] as usize / 2] = v as u16;
        for pair in states.windows(2) {
            let (a, b) = (pair[0] / 2, pair[1] / 2);
            if a != b && pair[1].is_multiple_of(2) {
                self.away[a as usize] = b;
                self.toward[b as usize] = a;
            }
        }
        self.away[last as usize / 2] = END;
    }
}
