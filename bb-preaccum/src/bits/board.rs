//! A graph in bit rows that vertex and edge eliminations change in place.

use super::flow::BitFlow;
use super::{BitGraph, Row, Side, has, items, join, meet, set, size, unset};
use crate::cost::CostModel;

/// One entry of a sequence under search, in positions of the [`BitGraph`]. An edge that does not exist at its turn is
/// passed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Token {
    Vertex(u16),
    Front(u16, u16),
    Back(u16, u16),
}

/// The cost of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Price {
    /// Products that count in the model.
    pub(crate) counted: u32,
    /// All products. Where many sequences cost the same, those with fewer free products leave more room
    /// for improvement, so the search prefers them a little.
    pub(crate) all: u32,
}

#[derive(Clone, Debug)]
pub(crate) struct Board<const W: usize> {
    pub(crate) pred: Side<W>,
    pub(crate) succ: Side<W>,
    stays: Row<W>,
    eliminable: Row<W>,
    model: CostModel,
}

impl<const W: usize> Board<W> {
    pub(crate) fn new(graph: &BitGraph<W>) -> Self {
        Self {
            pred: graph.pred.clone(),
            succ: graph.succ.clone(),
            stays: graph.stays,
            eliminable: graph.eliminable,
            model: graph.model,
        }
    }

    /// Takes over another board without new memory.
    pub(crate) fn copy(&mut self, other: &Self) {
        self.pred.all.copy_from_slice(&other.pred.all);
        self.succ.all.copy_from_slice(&other.succ.all);
        if self.model != CostModel::Plain {
            self.pred.strong.copy_from_slice(&other.pred.strong);
            self.succ.strong.copy_from_slice(&other.succ.strong);
        }
        if self.model == CostModel::ConstantAware {
            self.pred.variable.copy_from_slice(&other.pred.variable);
            self.succ.variable.copy_from_slice(&other.succ.variable);
        }
    }

    /// Dependents that other vertices read.
    pub(crate) fn stays(&self) -> Row<W> {
        self.stays
    }

    /// Applies a token and returns its price; `None` if there is nothing to do.
    pub(crate) fn apply(&mut self, token: Token) -> Option<Price> {
        match token {
            Token::Vertex(j) => self.vertex(j.into()),
            Token::Front(i, j) => self.edge(i.into(), j.into(), true),
            Token::Back(j, k) => self.edge(k.into(), j.into(), false),
        }
    }

    fn vertex(&mut self, j: usize) -> Option<Price> {
        let (preds, succs) = (self.pred.all[j], self.succ.all[j]);
        if preds == [0; W] || succs == [0; W] {
            return None;
        }
        let stays = has(&self.stays, j);
        let all = size(&preds) * size(&succs);
        let cost = if self.model == CostModel::Plain {
            all
        } else {
            let (strong_in, strong_out) = (size(&self.pred.strong[j]), size(&self.succ.strong[j]));
            let mut cost = strong_in * strong_out;
            if self.model == CostModel::ConstantAware {
                cost -= (strong_in - size(&self.pred.variable[j]))
                    * (strong_out - size(&self.succ.variable[j]));
            }
            cost
        };
        for i in items(&preds) {
            extend(&mut self.succ, i, j, &succs, self.model);
            if !stays {
                drop_bit(&mut self.succ, i, j, self.model);
            }
        }
        for k in items(&succs) {
            extend(&mut self.pred, k, j, &preds, self.model);
            drop_bit(&mut self.pred, k, j, self.model);
        }
        clear(&mut self.succ, j);
        if !stays {
            clear(&mut self.pred, j);
        }
        Some(Price { counted: cost, all })
    }

    /// Eliminates the edge between `end` and `j`: a front elimination if `end` is a predecessor of `j`, else a back
    /// one.
    fn edge(&mut self, end: usize, j: usize, front: bool) -> Option<Price> {
        // `away` leads from `end` over `j` to the vertices behind `j`, `back` the other way.
        let (away, back) = if front {
            (&mut self.succ, &mut self.pred)
        } else {
            (&mut self.pred, &mut self.succ)
        };
        let stays = has(&self.stays, j);
        if !has(&away.all[end], j)
            || front && stays
            || !has(&self.eliminable, j)
            || away.all[j] == [0; W]
        {
            return None;
        }
        let far = away.all[j];
        let cost = half_cost(away, end, j, self.model);
        let all = size(&far);
        for k in items(&far) {
            add_edge(back, (k, end), away, (end, j, k), self.model);
        }
        extend(away, end, j, &far, self.model);
        drop_bit(away, end, j, self.model);
        drop_bit(back, j, end, self.model);
        if back.all[j] == [0; W] && !stays {
            for k in items(&far) {
                drop_bit(back, k, j, self.model);
            }
            clear(away, j);
        }
        Some(Price { counted: cost, all })
    }

    /// Vertices that are still to be eliminated.
    pub(crate) fn open(&self) -> impl Iterator<Item = usize> + '_ {
        items(&self.eliminable)
            .filter(|&v| self.pred.all[v] != [0; W] && self.succ.all[v] != [0; W])
    }

    pub(crate) fn model(&self) -> CostModel {
        self.model
    }

    /// The disjoint-path bound of the remaining graph.
    pub(crate) fn bound(&self) -> u32 {
        let mut flow = BitFlow::new(self.pred.all.len());
        let ends = |v: usize, side: &Side<W>| side.all[v] == [0; W];
        let mut bound = 0;
        for v in self.open() {
            let mut count = |forward: bool, first: &Row<W>| {
                let side = if forward { &self.succ } else { &self.pred };
                let is_end = |w: usize| {
                    ends(w, side) || (forward && (has(&self.stays, w) || !has(&self.eliminable, w)))
                };
                flow.count(v, first, &side.all, is_end)
            };
            bound += match self.model {
                CostModel::Plain => {
                    count(false, &self.pred.all[v]) * count(true, &self.succ.all[v])
                }
                CostModel::UnitFree => {
                    count(false, &self.pred.strong[v]) * count(true, &self.succ.strong[v])
                }
                CostModel::ConstantAware => {
                    let all_in = count(false, &self.pred.strong[v]);
                    let all_out = count(true, &self.succ.strong[v]);
                    let var_in = count(false, &self.pred.variable[v]);
                    let var_out = count(true, &self.succ.variable[v]);
                    all_in * all_out - (all_in - var_in) * (all_out - var_out)
                }
            };
        }
        bound
    }
}

/// The cost of joining the edge `near`-`j` to all edges of `j` on the side away from it. `side` is the
/// successor side for a front elimination (near = source), the predecessor side for a back one.
fn half_cost<const W: usize>(side: &Side<W>, near: usize, j: usize, model: CostModel) -> u32 {
    match model {
        CostModel::Plain => size(&side.all[j]),
        CostModel::UnitFree | CostModel::ConstantAware => {
            if !has(&side.strong[near], j) {
                0
            } else if model == CostModel::UnitFree || has(&side.variable[near], j) {
                size(&side.strong[j])
            } else {
                size(&side.variable[j])
            }
        }
    }
}

/// Row `i` of a side takes over the neighbours `far` of `j`.
fn extend<const W: usize>(side: &mut Side<W>, i: usize, j: usize, far: &Row<W>, model: CostModel) {
    if model != CostModel::Plain {
        let twice = meet(&side.all[i], far);
        join(&mut side.strong[i], &twice);
        let strong = if has(&side.strong[i], j) {
            *far
        } else {
            meet(far, &side.strong[j])
        };
        join(&mut side.strong[i], &strong);
    }
    if model == CostModel::ConstantAware {
        let variable = if has(&side.variable[i], j) {
            *far
        } else {
            meet(far, &side.variable[j])
        };
        join(&mut side.variable[i], &variable);
    }
    join(&mut side.all[i], far);
}

/// A row takes over one neighbour, seen from the other side: it gets the bit. The kinds are read from
/// `other`: the new edge is the product of a-j and j-b.
fn add_edge<const W: usize>(
    side: &mut Side<W>,
    (row, bit): (usize, usize),
    other: &Side<W>,
    (a, j, b): (usize, usize, usize),
    model: CostModel,
) {
    let known = has(&side.all[row], bit);
    set(&mut side.all[row], bit);
    if model != CostModel::Plain {
        if known || has(&other.strong[a], j) || has(&other.strong[j], b) {
            set(&mut side.strong[row], bit);
        }
        if model == CostModel::ConstantAware
            && (has(&other.variable[a], j) || has(&other.variable[j], b))
        {
            set(&mut side.variable[row], bit);
        }
    }
}

fn drop_bit<const W: usize>(side: &mut Side<W>, row: usize, bit: usize, model: CostModel) {
    unset(&mut side.all[row], bit);
    if model != CostModel::Plain {
        unset(&mut side.strong[row], bit);
    }
    if model == CostModel::ConstantAware {
        unset(&mut side.variable[row], bit);
    }
}

fn clear<const W: usize>(side: &mut Side<W>, row: usize) {
    side.all[row] = [0; W];
    side.strong[row] = [0; W];
    side.variable[row] = [0; W];
}
