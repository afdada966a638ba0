//! The effect of an elimination on the rows of single vertices, for a search that asks for few of them.

use super::board::{Price, Token};
use super::{BitGraph, Row, has, join, meet, set, size, unset};

/// Neighbours on one side, in layers: all neighbours, the neighbours over an edge that is no unit (from two layers on,
/// unit-free), the neighbours over a variable edge (three layers, constant-aware).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layers<const W: usize, const L: usize> {
    rows: [Row<W>; L],
}

/// The number of layers that a model looks at.
pub(crate) const PLAIN: usize = 1;
pub(crate) const UNIT_FREE: usize = 2;
pub(crate) const CONSTANT_AWARE: usize = 3;

const STRONG: usize = 1;
const VARIABLE: usize = 2;

impl<const W: usize, const L: usize> Layers<W, L> {
    const NONE: Self = Self { rows: [[0; W]; L] };

    /// All neighbours.
    pub(crate) fn all(&self) -> &Row<W> {
        &self.rows[0]
    }

    /// Takes over the neighbours of `via`.
    fn extend(&mut self, via: usize, far: &Self) {
        if L > STRONG {
            let twice = meet(self.all(), far.all());
            join(&mut self.rows[STRONG], &twice);
        }
        for layer in 1..L {
            let more = if has(&self.rows[layer], via) {
                far.all()
            } else {
                &far.rows[layer]
            };
            join(&mut self.rows[layer], more);
        }
        join(&mut self.rows[0], far.all());
    }

    /// Takes over one neighbour.
    fn add(&mut self, bit: usize, kind: [bool; L]) {
        let sum = L > STRONG && has(self.all(), bit);
        for (layer, row) in self.rows.iter_mut().enumerate() {
            if layer == 0 || kind[layer] || layer == STRONG && sum {
                set(row, bit);
            }
        }
    }

    fn drop(&mut self, bit: usize) {
        for row in &mut self.rows {
            unset(row, bit);
        }
    }

    fn is_empty(&self) -> bool {
        *self.all() == [0; W]
    }

    fn count(&self, layer: usize) -> u32 {
        size(&self.rows[layer])
    }
}

/// The neighbours of one vertex.
#[derive(Clone, Copy, Debug, Eq)]
pub(crate) struct Cell<const W: usize, const L: usize> {
    pub(crate) pred: Layers<W, L>,
    pub(crate) succ: Layers<W, L>,
}

/// Written out: a derived comparison would call a function that compares memory, which is slower for rows of a few
/// words.
impl<const W: usize, const L: usize> PartialEq for Cell<W, L> {
    fn eq(&self, other: &Self) -> bool {
        let mut differ = 0;
        for layer in 0..L {
            for at in 0..W {
                differ |= self.pred.rows[layer][at] ^ other.pred.rows[layer][at];
                differ |= self.succ.rows[layer][at] ^ other.succ.rows[layer][at];
            }
        }
        differ == 0
    }
}

impl<const W: usize, const L: usize> Cell<W, L> {
    /// The side of an eliminated edge, and the other side: a front elimination takes an edge from a predecessor, a
    /// back elimination an edge to a successor.
    fn sides(&self, front: bool) -> (&Layers<W, L>, &Layers<W, L>) {
        if front {
            (&self.pred, &self.succ)
        } else {
            (&self.succ, &self.pred)
        }
    }

    fn sides_mut(&mut self, front: bool) -> (&mut Layers<W, L>, &mut Layers<W, L>) {
        if front {
            (&mut self.pred, &mut self.succ)
        } else {
            (&mut self.succ, &mut self.pred)
        }
    }
}

/// The elimination of an edge, seen from the vertex in the middle of its products.
#[derive(Clone, Copy)]
struct EdgeToken {
    middle: usize,
    /// The other end of the edge.
    end: usize,
    front: bool,
}

impl EdgeToken {
    /// `None` for a vertex elimination.
    fn from_token(token: Token) -> Option<Self> {
        let (middle, end, front) = match token {
            Token::Vertex(_) => return None,
            Token::Front(i, j) => (j, i, true),
            Token::Back(j, k) => (j, k, false),
        };
        Some(Self {
            middle: middle.into(),
            end: end.into(),
            front,
        })
    }
}

/// All cells of a graph, in `L` layers.
pub(crate) fn cells<const W: usize, const L: usize>(graph: &BitGraph<W>) -> Vec<Cell<W, L>> {
    let layers = |side: &super::Side<W>, v: usize| {
        let kinds = [&side.all, &side.strong, &side.variable];
        Layers {
            rows: std::array::from_fn(|layer| kinds[layer][v]),
        }
    };
    (0..graph.vertices.len())
        .map(|v| Cell {
            pred: layers(&graph.pred, v),
            succ: layers(&graph.succ, v),
        })
        .collect()
}

/// The vertex whose cell determines the cost and the effect of an elimination.
pub(crate) fn middle_vertex(token: Token) -> usize {
    let (Token::Vertex(j) | Token::Front(_, j) | Token::Back(j, _)) = token;
    usize::from(j)
}

/// The cost of a token, by the cell of its middle; `None` if there is nothing to do.
pub(crate) fn token_cost<const W: usize, const L: usize>(
    graph: &BitGraph<W>,
    token: Token,
    cell: &Cell<W, L>,
) -> Option<Price> {
    let (pred, succ) = (&cell.pred, &cell.succ);
    if pred.is_empty() || succ.is_empty() {
        return None;
    }
    let Some(edge) = EdgeToken::from_token(token) else {
        let all = pred.count(0) * succ.count(0);
        let counted = match L {
            PLAIN => all,
            UNIT_FREE => pred.count(STRONG) * succ.count(STRONG),
            _ => {
                let (first, second) = (pred.count(STRONG), succ.count(STRONG));
                first * second - (first - pred.count(VARIABLE)) * (second - succ.count(VARIABLE))
            }
        };
        return Some(Price { counted, all });
    };
    let (near, far) = cell.sides(edge.front);
    let fits = has(near.all(), edge.end)
        && has(&graph.eliminable, edge.middle)
        // Edges into dependents that stay are not front-eliminated.
        && !(edge.front && has(&graph.stays, edge.middle));
    fits.then(|| {
        let all = far.count(0);
        let counted = match L {
            PLAIN => all,
            _ if !has(&near.rows[STRONG], edge.end) => 0,
            CONSTANT_AWARE if !has(&near.rows[VARIABLE], edge.end) => far.count(VARIABLE),
            _ => far.count(STRONG),
        };
        Price { counted, all }
    })
}

/// The vertices whose cells a token may change, the middle included. Vertices that are never eliminated are left out,
/// since their cells are not needed.
pub(crate) fn touched<const W: usize, const L: usize>(
    graph: &BitGraph<W>,
    token: Token,
    cell: &Cell<W, L>,
) -> Row<W> {
    let mut row = match EdgeToken::from_token(token) {
        None => {
            let mut row = *cell.pred.all();
            join(&mut row, cell.succ.all());
            row
        }
        Some(edge) => {
            let mut row = *cell.sides(edge.front).1.all();
            set(&mut row, edge.end);
            row
        }
    };
    set(&mut row, middle_vertex(token));
    meet(&row, &graph.eliminable)
}

/// Given two cells of a vertex, the common neighbours whose own cells the elimination changes in the same way for
/// both.
pub(crate) fn unchanged<const W: usize, const L: usize>(
    cell: &Cell<W, L>,
    other: &Cell<W, L>,
) -> Row<W> {
    let mut row = [0; W];
    if cell.succ == other.succ {
        join(&mut row, &meet(cell.pred.all(), other.pred.all()));
    }
    if cell.pred == other.pred {
        join(&mut row, &meet(cell.succ.all(), other.succ.all()));
    }
    row
}

/// Changes the cell of `x` as a token with this middle cell does.
pub(crate) fn apply_token<const W: usize, const L: usize>(
    graph: &BitGraph<W>,
    token: Token,
    cell: &Cell<W, L>,
    x: usize,
    other: &mut Cell<W, L>,
) {
    let j = middle_vertex(token);
    let stays = has(&graph.stays, j);
    if let Some(edge) = EdgeToken::from_token(token) {
        return act_edge(edge, stays, cell, x, other);
    }
    let (pred, succ) = (&cell.pred, &cell.succ);
    if x == j {
        other.succ = Layers::NONE;
        if !stays {
            other.pred = Layers::NONE;
        }
    } else if has(pred.all(), x) {
        other.succ.extend(j, succ);
        if !stays {
            other.succ.drop(j);
        }
    } else {
        other.pred.extend(j, pred);
        other.pred.drop(j);
    }
}

/// Changes the cell of `x` as the elimination of an edge does.
fn act_edge<const W: usize, const L: usize>(
    EdgeToken { end, middle, front }: EdgeToken,
    stays: bool,
    cell: &Cell<W, L>,
    x: usize,
    other: &mut Cell<W, L>,
) {
    let (near, far) = cell.sides(front);
    let (other_near, other_far) = other.sides_mut(front);
    let mut rest = *near.all();
    unset(&mut rest, end);
    let dies = rest == [0; W] && !stays;
    if x == middle {
        other_near.drop(end);
        if dies {
            *other_far = Layers::NONE;
        }
    } else if x == end {
        other_far.extend(middle, far);
        other_far.drop(middle);
    } else {
        // A product is a unit if both factors are, and variable if one of them is.
        let kind =
            std::array::from_fn(|layer| has(&near.rows[layer], end) || has(&far.rows[layer], x));
        other_near.add(end, kind);
        if dies {
            other_near.drop(middle);
        }
    }
}
