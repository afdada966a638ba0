//! Optimal edge elimination on small graphs: best-first search over the graphs left, each visited once
//! with its least cost, guided by the disjoint-path bound of what is left (A*).

use std::collections::{BTreeMap, HashMap};

use crate::search::bits::{BitGraph, Row, has, items};
use crate::search::board::{Board, Token};

/// What the search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The optimum, and a sequence that reaches it.
    Optimal(u64, Vec<Token>),
    /// Nothing costs less than what was known before.
    NothingBelow,
    /// The budget was spent; nothing costs less than this.
    Unfinished(u64),
}

/// A graph left, as its rows.
type State = Box<[u64]>;

struct Node {
    cost: u32,
    from: u32,
    by: Token,
    closed: bool,
}

/// Finds the optimum if it is below `below`; gives up when more than `limit` graphs are known or when `stop` says so.
pub(crate) fn solve<const W: usize>(
    graph: &BitGraph<W>,
    below: u64,
    limit: usize,
    stop: &mut dyn FnMut() -> bool,
) -> Outcome {
    let below = u32::try_from(below).unwrap_or(u32::MAX);
    let start = Board::new(graph);
    let mut nodes = vec![Node {
        cost: 0,
        from: 0,
        by: Token::Vertex(0),
        closed: false,
    }];
    let mut states: Vec<State> = vec![start.state()];
    let mut index: HashMap<State, u32> = HashMap::from([(start.state(), 0)]);
    // Open nodes by bound, then by cost (deeper first among equals), then in order of discovery.
    let mut open: BTreeMap<(u32, u32), Vec<u32>> = BTreeMap::new();
    let mut board = start.clone();
    let mut scratch = start.clone();
    let first = board.bound();
    if first >= below {
        return Outcome::NothingBelow;
    }
    open.insert((first, u32::MAX), vec![0]);
    while let Some(mut entry) = open.first_entry() {
        let (bound, _) = *entry.key();
        let Some(at) = entry.get_mut().pop() else {
            entry.remove();
            continue;
        };
        let Node { cost, closed, .. } = nodes[at as usize];
        if closed {
            continue;
        }
        nodes[at as usize].closed = true;
        board.load(&states[at as usize]);
        if board.open().next().is_none() {
            return Outcome::Optimal(cost.into(), path(&nodes, at));
        }
        if nodes.len() > limit {
            return Outcome::Unfinished(bound.into());
        }
        for token in moves(&board) {
            // The bound takes longer than a look at the clock, and a dense graph has hundreds of moves.
            if stop() {
                return Outcome::Unfinished(bound.into());
            }
            scratch.copy(&board);
            let Some(price) = scratch.apply(token) else {
                continue;
            };
            let total = cost + price.counted;
            let state = scratch.state();
            let next = match index.get(&state) {
                Some(&next) if nodes[next as usize].cost <= total => continue,
                Some(&next) => {
                    // Cheaper than before. The bound is not consistent in all models: open it again.
                    let node = &mut nodes[next as usize];
                    *node = Node {
                        cost: total,
                        from: at,
                        by: token,
                        closed: false,
                    };
                    next
                }
                None => {
                    let next = nodes.len() as u32;
                    nodes.push(Node {
                        cost: total,
                        from: at,
                        by: token,
                        closed: false,
                    });
                    states.push(state.clone());
                    index.insert(state, next);
                    next
                }
            };
            let bound = (total + scratch.bound()).max(bound);
            if bound < below {
                open.entry((bound, u32::MAX - total))
                    .or_default()
                    .push(next);
            }
        }
    }
    Outcome::NothingBelow
}

fn path(nodes: &[Node], last: u32) -> Vec<Token> {
    let mut list = Vec::new();
    let mut at = last;
    while at != 0 {
        list.push(nodes[at as usize].by);
        at = nodes[at as usize].from;
    }
    list.reverse();
    list
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
    /// The graph as a key.
    fn state(&self) -> State {
        let mut words = Vec::new();
        let mut add = |rows: &[Row<W>]| words.extend(rows.iter().flatten());
        add(&self.succ.all);
        if self.model() != crate::cost::CostModel::Plain {
            add(&self.succ.strong);
        }
        if self.model() == crate::cost::CostModel::ConstantAware {
            add(&self.succ.variable);
        }
        words.into()
    }

    /// The inverse of `state`.
    fn load(&mut self, state: &State) {
        let mut rows = state.chunks_exact(W);
        let mut fill = |side: &mut Vec<Row<W>>, other: &mut Vec<Row<W>>| {
            other.fill([0; W]);
            for (i, slot) in side.iter_mut().enumerate() {
                if let Some(row) = rows.next().and_then(|row| Row::<W>::try_from(row).ok()) {
                    *slot = row;
                    for k in items(&row) {
                        crate::search::bits::set(&mut other[k], i);
                    }
                }
            }
        };
        fill(&mut self.succ.all, &mut self.pred.all);
        if self.model() != crate::cost::CostModel::Plain {
            fill(&mut self.succ.strong, &mut self.pred.strong);
        }
        if self.model() == crate::cost::CostModel::ConstantAware {
            fill(&mut self.succ.variable, &mut self.pred.variable);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::CostModel;
    use crate::eliminate::Primal;
    use crate::lcg::{Kind, Lcg, NewEdge};

    /// Every earlier vertex is read by every later one: the first graph alone has many moves.
    #[test]
    fn edge_search_stops_within_the_moves_of_one_graph() {
        let edges = (1..6).flat_map(|k| (0..k).map(move |i| NewEdge::new(i, k, Kind::Variable)));
        let lcg = Lcg::new("dense", &[0], &[5], edges).expect("a graph");
        let graph = BitGraph::<1>::new(&Primal::new(&lcg), CostModel::Plain).expect("small");
        let mut asked = 0;
        let found = solve(&graph, u64::MAX, usize::MAX, &mut || {
            asked += 1;
            asked == 10
        });
        assert!(matches!(found, Outcome::Unfinished(_)), "{found:?}");
        assert_eq!(asked, 10);
    }
}
