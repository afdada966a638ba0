//! What an elimination does to the rows of single vertices.

use super::bits::{BitGraph, Row, has, join, meet, set, size, unset};
use super::board::{Price, Token};
use crate::cost::CostModel;

/// Neighbours on one side. What the model does not look at is empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layers<const W: usize> {
    pub(crate) all: Row<W>,
    /// Over an edge that is no unit.
    strong: Row<W>,
    /// Over a variable edge.
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

/// All cells of a graph.
pub(crate) fn cells<const W: usize>(graph: &BitGraph<W>) -> Vec<Cell<W>> {
    let layers = |side: &super::bits::Side<W>, v: usize| Layers {
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

/// What a token costs, by the cell of its middle; `None` if there is nothing to do.
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
    match token {
        Token::Vertex(_) => {
            let all = size(&pred.all) * size(&succ.all);
            let counted = match graph.model {
                CostModel::Plain => all,
                CostModel::UnitFree => size(&pred.strong) * size(&succ.strong),
                CostModel::ConstantAware => {
                    let (first, second) = (size(&pred.strong), size(&succ.strong));
                    first * second
                        - (first - size(&pred.variable)) * (second - size(&succ.variable))
                }
            };
            Some(Price { counted, all })
        }
        Token::Front(i, j) => {
            let (i, j) = (usize::from(i), usize::from(j));
            let fits = has(&pred.all, i) && !has(&graph.stays, j) && has(&graph.eliminable, j);
            fits.then(|| Price {
                counted: half(pred, i, succ),
                all: size(&succ.all),
            })
        }
        Token::Back(j, k) => {
            let fits = has(&succ.all, k.into()) && has(&graph.eliminable, j.into());
            fits.then(|| Price {
                counted: half(succ, k.into(), pred),
                all: size(&pred.all),
            })
        }
    }
}

/// The vertices whose cells a token may change, itself included.
pub(crate) fn touched<const W: usize>(token: Token, cell: &Cell<W>) -> Row<W> {
    let mut row = match token {
        Token::Vertex(_) => {
            let mut row = cell.pred.all;
            join(&mut row, &cell.succ.all);
            row
        }
        Token::Front(i, _) => {
            let mut row = cell.succ.all;
            set(&mut row, i.into());
            row
        }
        Token::Back(_, k) => {
            let mut row = cell.pred.all;
            set(&mut row, k.into());
            row
        }
    };
    set(&mut row, middle(token));
    row
}

/// What a token with this middle cell makes of the cell of `x`.
pub(crate) fn act<const W: usize>(
    graph: &BitGraph<W>,
    token: Token,
    cell: &Cell<W>,
    x: usize,
    other: &mut Cell<W>,
) {
    let model = graph.model;
    let (pred, succ) = (&cell.pred, &cell.succ);
    match token {
        Token::Vertex(j) => {
            let j = usize::from(j);
            let stays = has(&graph.stays, j);
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
        Token::Front(i, j) => {
            let (i, j) = (usize::from(i), usize::from(j));
            let mut rest = pred.all;
            unset(&mut rest, i);
            let dies = rest == [0; W];
            if x == j {
                other.pred.drop(i);
                if dies {
                    other.succ = Layers::NONE;
                }
            } else if x == i {
                other.succ.extend(j, succ, model);
                other.succ.drop(j);
            } else {
                let strong = has(&pred.strong, i) || has(&succ.strong, x);
                let variable = has(&pred.variable, i) || has(&succ.variable, x);
                other.pred.add(i, strong, variable, model);
                if dies {
                    other.pred.drop(j);
                }
            }
        }
        Token::Back(j, k) => {
            let (j, k) = (usize::from(j), usize::from(k));
            let mut rest = succ.all;
            unset(&mut rest, k);
            let dies = rest == [0; W] && !has(&graph.stays, j);
            if x == j {
                other.succ.drop(k);
                if dies {
                    other.pred = Layers::NONE;
                }
            } else if x == k {
                other.pred.extend(j, pred, model);
                other.pred.drop(j);
            } else {
                let strong = has(&succ.strong, k) || has(&pred.strong, x);
                let variable = has(&succ.variable, k) || has(&pred.variable, x);
                other.succ.add(k, strong, variable, model);
                if dies {
                    other.succ.drop(j);
                }
            }
        }
    }
}
