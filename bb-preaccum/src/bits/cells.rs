//! The effect of an elimination on the rows of single vertices.

use super::board::{Price, Token};
use super::{BitGraph, Row, has, join, meet, set, size, unset};
use crate::cost::CostModel;

/// Neighbours on one side. What the model does not look at is empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layers<const W: usize> {
    pub(crate) all: Row<W>,
    /// Neighbours over an edge that is no unit.
    strong: Row<W>,
    /// Neighbours over a variable edge.
    variable: Row<W>,
}

impl<const W: usize> Layers<W> {
    const NONE: Self = Self {
        all: [0; W],
        strong: [0; W],
        variable: [0; W],
    };

    /// Takes over the neighbours of `via`.
    fn extend(&mut self, via: usize, far: &Self, model: CostModel) {
        if model != CostModel::Plain {
            let twice = meet(&self.all, &far.all);
            let strong = if has(&self.strong, via) {
                &far.all
            } else {
                &far.strong
            };
            join(&mut self.strong, &twice);
            join(&mut self.strong, strong);
        }
        if model == CostModel::ConstantAware {
            let variable = if has(&self.variable, via) {
                &far.all
            } else {
                &far.variable
            };
            join(&mut self.variable, variable);
        }
        join(&mut self.all, &far.all);
    }

    /// Takes over one neighbour.
    fn add(&mut self, bit: usize, strong: bool, variable: bool, model: CostModel) {
        if model != CostModel::Plain && (strong || has(&self.all, bit)) {
            set(&mut self.strong, bit);
        }
        if model == CostModel::ConstantAware && variable {
            set(&mut self.variable, bit);
        }
        set(&mut self.all, bit);
    }

    fn drop(&mut self, bit: usize) {
        unset(&mut self.all, bit);
        unset(&mut self.strong, bit);
        unset(&mut self.variable, bit);
    }

    fn is_empty(&self) -> bool {
        self.all == [0; W]
    }
}

/// The neighbours of one vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cell<const W: usize> {
    pub(crate) pred: Layers<W>,
    pub(crate) succ: Layers<W>,
}

impl<const W: usize> Cell<W> {
    /// The side that an eliminated edge is on, and the other one: a front elimination takes an edge from a
    /// predecessor, a back elimination one to a successor.
    fn sides(&self, front: bool) -> (&Layers<W>, &Layers<W>) {
        if front {
            (&self.pred, &self.succ)
        } else {
            (&self.succ, &self.pred)
        }
    }

    fn sides_mut(&mut self, front: bool) -> (&mut Layers<W>, &mut Layers<W>) {
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
    /// `None` for a vertex.
    fn of(token: Token) -> Option<Self> {
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

/// All cells of a graph.
pub(crate) fn cells<const W: usize>(graph: &BitGraph<W>) -> Vec<Cell<W>> {
    let layers = |side: &super::Side<W>, v: usize| Layers {
        all: side.all[v],
        strong: match graph.model {
            CostModel::Plain => [0; W],
            CostModel::UnitFree | CostModel::ConstantAware => side.strong[v],
        },
        variable: match graph.model {
            CostModel::Plain | CostModel::UnitFree => [0; W],
            CostModel::ConstantAware => side.variable[v],
        },
    };
    (0..graph.vertices.len())
        .map(|v| Cell {
            pred: layers(&graph.pred, v),
            succ: layers(&graph.succ, v),
        })
        .collect()
}

/// The vertex whose cell says everything about an elimination.
pub(crate) fn middle(token: Token) -> usize {
    let (Token::Vertex(j) | Token::Front(_, j) | Token::Back(j, _)) = token;
    usize::from(j)
}

/// The cost of a token, by the cell of its middle; `None` if there is nothing to do.
pub(crate) fn price<const W: usize>(
    graph: &BitGraph<W>,
    token: Token,
    cell: &Cell<W>,
) -> Option<Price> {
    let (pred, succ) = (&cell.pred, &cell.succ);
    if pred.is_empty() || succ.is_empty() {
        return None;
    }
    let half = |near: &Layers<W>, bit: usize, far: &Layers<W>| match graph.model {
        CostModel::Plain => size(&far.all),
        CostModel::UnitFree | CostModel::ConstantAware => {
            if !has(&near.strong, bit) {
                0
            } else if graph.model == CostModel::UnitFree || has(&near.variable, bit) {
                size(&far.strong)
            } else {
                size(&far.variable)
            }
        }
    };
    let Some(edge) = EdgeToken::of(token) else {
        let all = size(&pred.all) * size(&succ.all);
        let counted = match graph.model {
            CostModel::Plain => all,
            CostModel::UnitFree => size(&pred.strong) * size(&succ.strong),
            CostModel::ConstantAware => {
                let (first, second) = (size(&pred.strong), size(&succ.strong));
                first * second - (first - size(&pred.variable)) * (second - size(&succ.variable))
            }
        };
        return Some(Price { counted, all });
    };
    let (near, far) = cell.sides(edge.front);
    let fits = has(&near.all, edge.end)
        && has(&graph.eliminable, edge.middle)
        // Edges into dependents that stay are not front-eliminated.
        && !(edge.front && has(&graph.stays, edge.middle));
    fits.then(|| Price {
        counted: half(near, edge.end, far),
        all: size(&far.all),
    })
}

/// The vertices whose cells a token may change, itself included.
pub(crate) fn touched<const W: usize>(token: Token, cell: &Cell<W>) -> Row<W> {
    let mut row = match EdgeToken::of(token) {
        None => {
            let mut row = cell.pred.all;
            join(&mut row, &cell.succ.all);
            row
        }
        Some(edge) => {
            let mut row = cell.sides(edge.front).1.all;
            set(&mut row, edge.end);
            row
        }
    };
    set(&mut row, middle(token));
    row
}

/// Changes the cell of `x` as a token with this middle cell does.
pub(crate) fn act<const W: usize>(
    graph: &BitGraph<W>,
    token: Token,
    cell: &Cell<W>,
    x: usize,
    other: &mut Cell<W>,
) {
    let model = graph.model;
    let j = middle(token);
    let stays = has(&graph.stays, j);
    if let Some(edge) = EdgeToken::of(token) {
        return act_edge(model, edge, stays, cell, x, other);
    }
    let (pred, succ) = (&cell.pred, &cell.succ);
    if x == j {
        other.succ = Layers::NONE;
        if !stays {
            other.pred = Layers::NONE;
        }
    } else if has(&pred.all, x) {
        other.succ.extend(j, succ, model);
        if !stays {
            other.succ.drop(j);
        }
    } else {
        other.pred.extend(j, pred, model);
        other.pred.drop(j);
    }
}

/// Changes the cell of `x` as the elimination of an edge does.
fn act_edge<const W: usize>(
    model: CostModel,
    EdgeToken { end, middle, front }: EdgeToken,
    stays: bool,
    cell: &Cell<W>,
    x: usize,
    other: &mut Cell<W>,
) {
    let (near, far) = cell.sides(front);
    let (other_near, other_far) = other.sides_mut(front);
    let mut rest = near.all;
    unset(&mut rest, end);
    let dies = rest == [0; W] && !stays;
    if x == middle {
        other_near.drop(end);
        if dies {
            *other_far = Layers::NONE;
        }
    } else if x == end {
        other_far.extend(middle, far, model);
        other_far.drop(middle);
    } else {
        let strong = has(&near.strong, end) || has(&far.strong, x);
        let variable = has(&near.variable, end) || has(&far.variable, x);
        other_near.add(end, strong, variable, model);
        if dies {
            other_near.drop(middle);
        }
    }
}
