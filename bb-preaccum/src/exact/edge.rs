//! Optimal edge elimination on small graphs: best-first search over the remaining graphs, guided by their
//! disjoint-path bound.

use super::astar::{self, Full, Limit, Space};
use crate::bits::board::{Board, Token};
use crate::bits::{BitGraph, Row, has, items, set};
use crate::cost::CostModel;

pub(crate) type Outcome = astar::Outcome<Token>;

struct Edges<const W: usize> {
    here: Board<W>,
    next: Board<W>,
}

impl<const W: usize> Space for Edges<W> {
    type Step = Token;

    fn load(&mut self, state: &[u64]) {
        self.here.load(state);
    }

    fn steps(&mut self) -> Vec<Token> {
        moves(&self.here)
    }

    fn apply(&mut self, token: Token, state: &mut Vec<u64>) -> Result<Option<u32>, Full> {
        self.next.copy(&self.here);
        let price = self.next.apply(token);
        self.next.write(state);
        Ok(price.map(|price| price.counted))
    }

    fn bound(&mut self) -> u32 {
        self.next.bound()
    }
}

/// Finds the optimum if it is below `below`; gives up past `limit`, or when `stop` returns true.
pub(crate) fn solve<const W: usize>(
    graph: &BitGraph<W>,
    below: u64,
    limit: Limit,
    stop: &mut dyn FnMut() -> bool,
) -> Outcome {
    let start = Board::new(graph);
    let mut state = Vec::new();
    start.write(&mut state);
    let first = start.bound();
    let mut space = Edges {
        here: start.clone(),
        next: start,
    };
    astar::solve(&mut space, &state, first, below, limit, stop)
}

fn moves<const W: usize>(board: &Board<W>) -> Vec<Token> {
    let mut list = Vec::new();
    for j in board.open() {
        if !has(&board.stays(), j) {
            list.extend(items(&board.pred.all[j]).map(|i| Token::Front(i as u16, j as u16)));
        }
        list.extend(items(&board.succ.all[j]).map(|k| Token::Back(j as u16, k as u16)));
    }
    list
}

impl<const W: usize> Board<W> {
    /// Appends the graph as a key.
    fn write(&self, words: &mut Vec<u64>) {
        let mut add = |rows: &[Row<W>]| words.extend(rows.iter().flatten());
        add(&self.succ.all);
        if self.model() != CostModel::Plain {
            add(&self.succ.strong);
        }
        if self.model() == CostModel::ConstantAware {
            add(&self.succ.variable);
        }
    }

    /// The inverse of `write`.
    fn load(&mut self, state: &[u64]) {
        let mut rows = state.chunks_exact(W);
        let mut fill = |side: &mut Vec<Row<W>>, other: &mut Vec<Row<W>>| {
            other.fill([0; W]);
            for (i, slot) in side.iter_mut().enumerate() {
                if let Some(row) = rows.next().and_then(|row| Row::<W>::try_from(row).ok()) {
                    *slot = row;
                    for k in items(&row) {
                        set(&mut other[k], i);
                    }
                }
            }
        };
        fill(&mut self.succ.all, &mut self.pred.all);
        if self.model() != CostModel::Plain {
            fill(&mut self.succ.strong, &mut self.pred.strong);
        }
        if self.model() == CostModel::ConstantAware {
            fill(&mut self.succ.variable, &mut self.pred.variable);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eliminate::Primal;
    use crate::lcg::{Kind, Lcg, NewEdge};

    /// Every earlier vertex is read by every later one: the first graph alone has many moves.
    #[test]
    fn edge_search_stops_within_the_moves_of_one_graph() {
        let edges = (1..6).flat_map(|k| (0..k).map(move |i| NewEdge::new(i, k, Kind::Variable)));
        let lcg = Lcg::new("dense", &[0], &[5], edges).expect("a graph");
        let graph = BitGraph::<1>::new(&Primal::new(&lcg), CostModel::Plain).expect("small");
        let mut asked = 0;
        let limit = Limit {
            graphs: usize::MAX,
            bytes: usize::MAX,
        };
        let found = solve(&graph, u64::MAX, limit, &mut || {
            asked += 1;
            asked == 10
        });
        assert!(matches!(found, Outcome::Unfinished(_)), "{found:?}");
        assert_eq!(asked, 10);
    }

    /// The bound of a chain is its cost, so only the graphs of one sequence are tried, with an edge on each side of
    /// each vertex.
    #[test]
    fn a_bound_that_is_met_leads_straight_to_the_end() {
        let n = 5;
        let edges = (0..=n).map(|v| NewEdge::new(v, v + 1, Kind::Variable));
        let lcg = Lcg::new("chain", &[0], &[n + 1], edges).expect("a graph");
        for model in CostModel::ALL {
            let graph = BitGraph::<1>::new(&Primal::new(&lcg), model).expect("small");
            let mut asked = 0;
            let limit = Limit {
                graphs: usize::MAX,
                bytes: usize::MAX,
            };
            let found = solve(&graph, u64::MAX, limit, &mut || {
                asked += 1;
                false
            });
            let Outcome::Optimal(cost, steps) = found else {
                panic!("{found:?}");
            };
            assert_eq!((cost, steps.len()), (5, 5), "{model:?}");
            assert_eq!(asked, 2 * (5 + 4 + 3 + 2 + 1), "{model:?}");
        }
    }
}
