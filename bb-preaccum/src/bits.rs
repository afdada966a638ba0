//! The graph as bit rows, for search: the cost of a vertex elimination as a function of the *set* of vertices
//! eliminated before.
//!
//! After a set S is eliminated, edge (p, q) exists iff there is a path from p to q with all inner vertices in S. The
//! edge is a unit iff that path is the only one and all of its edges are units, and variable iff some such path has a
//! variable edge. All three depend on S only, not on the order.

pub(crate) mod board;
pub(crate) mod cells;
pub(crate) mod flow;

use crate::cost::CostModel;
use crate::eliminate::Primal;
use crate::lcg::{Kind, Role};

/// A set of vertices.
pub(crate) type Row<const W: usize> = [u64; W];

pub(crate) fn has<const W: usize>(row: &Row<W>, at: usize) -> bool {
    row[at / 64] >> (at % 64) & 1 == 1
}

pub(crate) fn set<const W: usize>(row: &mut Row<W>, at: usize) {
    row[at / 64] |= 1 << (at % 64);
}

pub(crate) fn unset<const W: usize>(row: &mut Row<W>, at: usize) {
    row[at / 64] &= !(1 << (at % 64));
}

pub(crate) fn size<const W: usize>(row: &Row<W>) -> u32 {
    row.iter().map(|word| word.count_ones()).sum()
}

pub(crate) fn join<const W: usize>(row: &mut Row<W>, other: &Row<W>) {
    for (word, more) in row.iter_mut().zip(other) {
        *word |= more;
    }
}

pub(crate) fn meet<const W: usize>(a: &Row<W>, b: &Row<W>) -> Row<W> {
    std::array::from_fn(|at| a[at] & b[at])
}

pub(crate) fn minus<const W: usize>(a: &Row<W>, b: &Row<W>) -> Row<W> {
    std::array::from_fn(|at| a[at] & !b[at])
}

/// The bits that are set in one word, in order.
pub(crate) fn ones(word: impl Into<u64>) -> impl Iterator<Item = usize> {
    let mut rest = word.into();
    std::iter::from_fn(move || {
        (rest != 0).then(|| {
            let bit = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            bit
        })
    })
}

/// The members, in ascending order.
pub(crate) fn items<const W: usize>(row: &Row<W>) -> impl Iterator<Item = usize> + use<W> {
    let row = *row;
    let words = row.into_iter().enumerate();
    words.flat_map(|(at, word)| ones(word).map(move |bit| at * 64 + bit))
}

/// Adjacency in one direction.
#[derive(Clone, Debug)]
pub(crate) struct Side<const W: usize> {
    /// All neighbours of each vertex.
    pub(crate) all: Vec<Row<W>>,
    /// Neighbours over an edge that is no unit.
    pub(crate) strong: Vec<Row<W>>,
    /// Neighbours over a variable edge.
    pub(crate) variable: Vec<Row<W>>,
}

/// Neighbours of one vertex after a set is eliminated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Near<const W: usize> {
    pub(crate) all: Row<W>,
    pub(crate) strong: Row<W>,
    pub(crate) variable: Row<W>,
    /// The eliminated vertices in between.
    pub(crate) through: Row<W>,
}

/// A graph of at most `64 * W` vertices.
#[derive(Clone, Debug)]
pub(crate) struct BitGraph<const W: usize> {
    /// Vertex of the LCG by position here; positions are topological.
    pub(crate) vertices: Vec<u32>,
    pub(crate) pred: Side<W>,
    pub(crate) succ: Side<W>,
    /// Vertices that are to be eliminated: intermediates, and dependents with out-edges.
    pub(crate) eliminable: Row<W>,
    /// Vertices among them that stay as dependents.
    pub(crate) stays: Row<W>,
    pub(crate) model: CostModel,
}

impl<const W: usize> BitGraph<W> {
    /// The graph left in an elimination, if it is small enough.
    pub(crate) fn new(graph: &Primal<'_>, model: CostModel) -> Option<Self> {
        let lcg = graph.lcg();
        let alive = |v: &u32| graph.in_degree(*v) + graph.out_degree(*v) > 0;
        let vertices: Vec<u32> = (0..lcg.vertex_count() as u32).filter(alive).collect();
        let n = vertices.len();
        if n > 64 * W {
            return None;
        }
        let side = || Side {
            all: vec![[0; W]; n],
            strong: vec![[0; W]; n],
            variable: vec![[0; W]; n],
        };
        let (mut pred, mut succ) = (side(), side());
        let (mut eliminable, mut stays) = ([0; W], [0; W]);
        for (at, &v) in vertices.iter().enumerate() {
            if graph.is_eliminable(v) {
                set(&mut eliminable, at);
                if lcg.role(v) == Role::Dependent {
                    set(&mut stays, at);
                }
            }
        }
        for entry in graph.entries() {
            let (Ok(i), Ok(k)) = (
                vertices.binary_search(&entry.source),
                vertices.binary_search(&entry.target),
            ) else {
                continue;
            };
            set(&mut succ.all[i], k);
            set(&mut pred.all[k], i);
            if entry.kind != Kind::Unit {
                set(&mut succ.strong[i], k);
                set(&mut pred.strong[k], i);
            }
            if entry.kind == Kind::Variable {
                set(&mut succ.variable[i], k);
                set(&mut pred.variable[k], i);
            }
        }
        Some(Self {
            vertices,
            pred,
            succ,
            eliminable,
            stays,
            model,
        })
    }

    /// Predecessors of `v` after `gone` is eliminated.
    pub(crate) fn before(&self, v: usize, gone: &Row<W>) -> Near<W> {
        let side = &self.pred;
        let mut near = Near {
            all: side.all[v],
            strong: side.strong[v],
            variable: side.variable[v],
            through: [0; W],
        };
        if self.model == CostModel::Plain {
            walk_plain(&side.all, gone, &mut near);
        } else {
            // Positions are topological: from the highest down, all paths to a vertex are known before
            // it is left.
            for at in (0..W).rev() {
                let mut below = u64::MAX;
                loop {
                    let open = near.all[at] & gone[at] & below;
                    if open == 0 {
                        break;
                    }
                    let bit = 63 - open.leading_zeros() as usize;
                    below = (1u64 << bit) - 1;
                    step(side, at * 64 + bit, &mut near);
                }
            }
        }
        near.all = minus(&near.all, gone);
        near
    }

    /// Successors of `v` after `gone` is eliminated.
    pub(crate) fn behind(&self, v: usize, gone: &Row<W>) -> Near<W> {
        let side = &self.succ;
        let mut near = Near {
            all: side.all[v],
            strong: side.strong[v],
            variable: side.variable[v],
            through: [0; W],
        };
        if self.model == CostModel::Plain {
            walk_plain(&side.all, gone, &mut near);
        } else {
            for (at, word) in gone.iter().enumerate() {
                let mut above = u64::MAX;
                loop {
                    let open = near.all[at] & word & above;
                    if open == 0 {
                        break;
                    }
                    let bit = open.trailing_zeros() as usize;
                    above = (u64::MAX << bit) << 1;
                    step(side, at * 64 + bit, &mut near);
                }
            }
        }
        let hidden = minus(gone, &self.stays);
        near.all = minus(&near.all, &hidden);
        near
    }

    /// The predecessors `near`, continued after further vertices are eliminated. Right in the plain model only: edges
    /// that become sums in the process are not recognised.
    pub(crate) fn more_before(&self, near: &Near<W>, gone: &Row<W>) -> Near<W> {
        let mut near = *near;
        walk_plain(&self.pred.all, gone, &mut near);
        near.all = minus(&near.all, gone);
        near
    }

    /// The successors `near`, continued after further vertices are eliminated (in the plain model, as
    /// [`Self::more_before`]).
    pub(crate) fn more_behind(&self, near: &Near<W>, gone: &Row<W>) -> Near<W> {
        let mut near = *near;
        walk_plain(&self.succ.all, gone, &mut near);
        near.all = minus(&near.all, &minus(gone, &self.stays));
        near
    }

    /// The cost of eliminating a vertex with these neighbours.
    pub(crate) fn products(&self, before: &Near<W>, behind: &Near<W>) -> u32 {
        if self.model == CostModel::Plain {
            return size(&before.all) * size(&behind.all);
        }
        let strong_in = size(&meet(&before.all, &before.strong));
        let strong_out = size(&meet(&behind.all, &behind.strong));
        let products = strong_in * strong_out;
        if self.model == CostModel::UnitFree {
            return products;
        }
        let constant_in = strong_in - size(&meet(&before.all, &before.variable));
        let constant_out = strong_out - size(&meet(&behind.all, &behind.variable));
        products - constant_in * constant_out
    }

    /// The cost of `v` after `gone`, and its neighbours.
    pub(crate) fn cost(&self, v: usize, gone: &Row<W>) -> (u32, Near<W>, Near<W>) {
        let (before, behind) = (self.before(v, gone), self.behind(v, gone));
        (self.products(&before, &behind), before, behind)
    }

    /// The total cost of an order.
    pub(crate) fn total(&self, order: &[usize]) -> u64 {
        let mut gone = [0; W];
        let mut total = 0;
        for &v in order {
            total += u64::from(self.cost(v, &gone).0);
            set(&mut gone, v);
        }
        total
    }
}

fn walk_plain<const W: usize>(rows: &[Row<W>], gone: &Row<W>, near: &mut Near<W>) {
    loop {
        let mut moved = false;
        for at in 0..W {
            loop {
                let open = near.all[at] & gone[at] & !near.through[at];
                if open == 0 {
                    break;
                }
                let bit = open.trailing_zeros() as usize;
                near.through[at] |= 1 << bit;
                join(&mut near.all, &rows[at * 64 + bit]);
                moved = true;
            }
        }
        if !moved || W == 1 {
            return;
        }
    }
}

/// Continues all paths that come to `x`.
pub(crate) fn step<const W: usize>(side: &Side<W>, x: usize, near: &mut Near<W>) {
    set(&mut near.through, x);
    let row = &side.all[x];
    // A second path to the same vertex: the edge is a sum.
    let twice = meet(&near.all, row);
    join(&mut near.strong, &twice);
    let strong = if has(&near.strong, x) {
        row
    } else {
        &side.strong[x]
    };
    join(&mut near.strong, strong);
    let variable = if has(&near.variable, x) {
        row
    } else {
        &side.variable[x]
    };
    join(&mut near.variable, variable);
    join(&mut near.all, row);
}
