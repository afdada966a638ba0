//! Cells of arrays that loops overwrite: elements, rows, and all that a loop has reached so far.
//!
//! A set of cells has for each dimension a constant, the index of a loop around, or the range of a loop. Behind the
//! loop over j from a to b, what its body overwrites at j on each way through is overwritten at a ... b. Inside, an
//! element whose subscript runs from a to j - 1 has been overwritten by earlier iterations. Indices are known by their
//! loops: variables that statements write, too, are none. Bounds are compared as texts of constants and of variables
//! that nothing writes.

use cfg_core::{
    entity::{VarId, VertexId},
    flat::{Constant, FlatExpr},
    ir::{
        Cfg, Expr, Extent, LoopTest, Op, Place, Program, Role, Routine, VertexKind,
        visit::each_written,
    },
    memory::locations::Locations,
    structure::Structure,
};
use fixedbitset::FixedBitSet;
use std::collections::HashMap;

use crate::code::expressions::as_place;

/// Most loops around a place that are looked at.
const MOST_AROUND: usize = 8;

/// Most elements of a variable that are followed in a loop.
const MOST_ASSIGNED: usize = 8;

/// Subscripts in one dimension.
#[derive(Clone, Debug, PartialEq)]
enum Dimension {
    At(VarId),
    Is(i64),
    Range(Expr, Expr),
}

/// Cells of a variable.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cells {
    pub(super) variable: VarId,
    dimensions: Vec<Dimension>,
}

/// The loops of one graph, and the variables by who writes them in either graph of the gradient.
pub(super) struct Ranges<'g> {
    cfg: &'g Cfg,
    structure: &'g Structure,
    /// Variables that nothing writes.
    steady: FixedBitSet,
    /// Variables that only counted loops write, as their indices.
    indices: FixedBitSet,
    /// The positions of the loops with an index.
    loops: HashMap<VarId, Vec<u32>>,
    /// The elements that each iteration of a counted loop assigns, outside of inner loops and branches.
    assigned: HashMap<(VertexId, VarId), Vec<&'g Place>>,
}

impl<'g> Ranges<'g> {
    /// The ranges of a graph with this structure, which is one of `graphs`.
    pub(super) fn find(
        program: &Program,
        routine: &Routine,
        locations: &Locations,
        graphs: [&'g Cfg; 2],
        (cfg, structure): (&'g Cfg, &'g Structure),
    ) -> Self {
        let n = routine.variables.len();
        let mut by_statements = FixedBitSet::with_capacity(n);
        let mut by_loops = FixedBitSet::with_capacity(n);
        for (_, vertex) in graphs.into_iter().flat_map(Cfg::vertices) {
            for statement in vertex.statements() {
                each_written(program, statement, &mut |v| by_statements.insert(v.index()));
            }
            by_loops.extend(vertex.kind.index().map(VarId::index));
        }
        for (v, variable) in routine.variables.iter().enumerate() {
            if matches!(variable.role, Role::Global(_)) || locations.is_shared(VarId::new(v)) {
                by_statements.insert(v);
            }
        }
        let mut loops: HashMap<VarId, Vec<u32>> = HashMap::new();
        let mut assigned: HashMap<(VertexId, VarId), Vec<&'g Place>> = HashMap::new();
        for (at, &v) in structure.order.iter().enumerate() {
            let vertex = cfg.vertex(v);
            if let (VertexKind::Loop { .. }, Some(index)) = (&vertex.kind, vertex.kind.index()) {
                loops.entry(index).or_default().push(at as u32);
            }
            if let Some(header) = structure.parent[v.index()] {
                let targets = vertex
                    .statements()
                    .iter()
                    .filter_map(|s| s.kind.assignment());
                for (target, _) in targets.filter(|(target, _)| !target.subscripts.is_empty()) {
                    let known = assigned.entry((header, target.var)).or_default();
                    if known.len() < MOST_ASSIGNED {
                        known.push(target);
                    }
                }
            }
        }
        let mut steady = by_statements.clone();
        steady.union_with(&by_loops);
        steady.toggle_range(..);
        by_loops.difference_with(&by_statements);
        Self {
            cfg,
            structure,
            steady,
            indices: by_loops,
            loops,
            assigned,
        }
    }

    fn index(&self, e: &Expr) -> Option<VarId> {
        let place = as_place(e).filter(|place| place.subscripts.is_empty())?;
        self.indices
            .contains(place.var.index())
            .then_some(place.var)
    }

    fn is_steady(&self, e: &Expr) -> bool {
        let mut steady = true;
        e.walk_places(&mut |p| {
            steady = steady && p.subscripts.is_empty() && self.steady.contains(p.var.index());
        });
        steady
    }

    /// The index of a counted loop in steps of 1 or -1, the smaller and the larger bound, and whether it runs upwards.
    fn range(&self, header: VertexId) -> Option<(VarId, &'g Expr, &'g Expr, bool)> {
        let Some(LoopTest::Counted {
            index,
            first,
            last,
            step,
        }) = self.cfg.vertex(header).kind.test()
        else {
            return None;
        };
        let is_index = self.indices.contains(index.index());
        let upwards = *step == Expr::Int(1);
        if !is_index || !upwards && *step != Expr::Int(-1) {
            return None;
        }
        let [low, high] = if upwards {
            [first, last]
        } else {
            [last, first]
        };
        Some((*index, low, high, upwards))
    }

    /// The loops around a vertex, from the innermost.
    fn around(&self, v: VertexId) -> impl Iterator<Item = VertexId> {
        let outward = |v: &VertexId| self.structure.parent[v.index()];
        std::iter::successors(outward(&v), outward)
            .filter(|&v| matches!(self.cfg.vertex(v).kind, VertexKind::Loop { .. }))
            .take(MOST_AROUND)
    }

    /// The cells of an element whose subscripts are constants and indices.
    pub(super) fn cells(&self, place: &Place) -> Option<Cells> {
        let dimension = |e: &Expr| match (e, self.index(e)) {
            (Expr::Int(k), _) => Some(Dimension::Is(*k)),
            (_, index) => index.map(Dimension::At),
        };
        let subscripts = place
            .subscripts
            .iter()
            .map(|s| s.index().and_then(dimension));
        Some(Cells {
            variable: place.var,
            dimensions: subscripts.collect::<Option<_>>()?,
        })
    }

    /// The cells behind a loop that each iteration overwrites in part.
    pub(super) fn behind_loop(&self, header: VertexId, cells: &Cells) -> Option<Cells> {
        let (index, low, high, _) = self.range(header)?;
        let at = Dimension::At(index);
        let mut with_index = cells.dimensions.iter().filter(|d| **d == at);
        let is_row = with_index.next().is_some() && with_index.next().is_none();
        if !is_row || !self.is_steady(low) || !self.is_steady(high) {
            return None;
        }
        let mut behind = cells.clone();
        for dimension in behind.dimensions.iter_mut().filter(|d| **d == at) {
            *dimension = Dimension::Range(low.clone(), high.clone());
        }
        Some(behind)
    }

    /// True if subscripts of some cells have other values in the body of a loop.
    pub(super) fn depends_on(&self, cells: &Cells, header: VertexId) -> bool {
        let position = |v: VertexId| self.structure.position[v.index()];
        let end = self.structure.partner(header).map_or(u32::MAX, position);
        cells.dimensions.iter().any(|dimension| match dimension {
            Dimension::At(index) => self.loops.get(index).is_some_and(|loops| {
                let first = loops.partition_point(|&at| at < position(header));
                loops.get(first).is_some_and(|&at| at < end)
            }),
            Dimension::Is(_) | Dimension::Range(..) => false,
        })
    }

    /// True if the cells are all cells of their variable.
    pub(super) fn are_all(&self, routine: &Routine, cells: &Cells) -> bool {
        let shape = &routine.variable(cells.variable).shape;
        let mut dimensions = cells.dimensions.iter().zip(shape);
        cells.dimensions.len() == shape.len()
            && dimensions.all(|(dimension, declared)| {
                let (Dimension::Range(low, high), Extent::Fixed(extent)) =
                    (dimension, &declared.extent)
                else {
                    return false;
                };
                match (&declared.lower, extent, high) {
                    (Expr::Int(lower), Expr::Int(extent), Expr::Int(high)) => {
                        let end = lower.checked_add(*extent);
                        low == &declared.lower && end.is_some() && end == high.checked_add(1)
                    }
                    (Expr::Int(1), ..) => low == &declared.lower && extent == high,
                    (Expr::Int(0), ..) => {
                        low == &declared.lower && is_neighbour(high, extent, Op::Sub)
                    }
                    _ => false,
                }
            })
    }

    /// True if a place that is named in a vertex lies in the cells.
    pub(super) fn contain(&self, v: VertexId, cells: &Cells, place: &Place) -> bool {
        let subscripts = place.subscripts.iter().map(|s| s.index());
        cells.variable == place.var
            && cells.dimensions.len() == place.subscripts.len()
            && cells
                .dimensions
                .iter()
                .zip(subscripts)
                .all(|(dimension, e)| match (dimension, e) {
                    (Dimension::At(index), Some(e)) => self.index(e) == Some(*index),
                    (Dimension::Is(k), Some(e)) => *e == Expr::Int(*k),
                    (Dimension::Range(low, high), Some(e)) => self.runs_within(v, e, low, high),
                    (_, None) => false,
                })
    }

    /// True if a subscript in a vertex stays between two bounds.
    fn runs_within(&self, v: VertexId, e: &Expr, low: &Expr, high: &Expr) -> bool {
        let at_least =
            |a: &Expr, b: &Expr| a == b || matches!((a, b), (Expr::Int(a), Expr::Int(b)) if a >= b);
        if let Expr::Int(_) = e {
            let is_constant = matches!((low, high), (Expr::Int(_), Expr::Int(_)));
            return is_constant && at_least(e, low) && at_least(high, e);
        }
        let Some(index) = self.index(e) else {
            return false;
        };
        let ranges = self.around(v).filter_map(|header| self.range(header));
        let mut own = ranges.filter(|range| range.0 == index);
        own.next()
            .is_some_and(|(_, first, last, _)| at_least(first, low) && at_least(high, last))
    }

    /// True if earlier iterations of a loop around a vertex, which lies behind a position, have overwritten a place
    /// that is named there: `c(r)` with r from 1 to j - 1, where the body of the loop over j from 1 on assigns `c(j)`.
    pub(super) fn is_written_earlier(&self, behind: usize, v: VertexId, place: &Place) -> bool {
        let mut loops = self.around(v);
        loops.any(|header| {
            let is_inside = self.structure.position[header.index()] as usize > behind;
            let range = self.range(header).filter(|_| is_inside);
            let targets = self.assigned.get(&(header, place.var));
            range
                .zip(targets)
                .is_some_and(|((index, low, high, upwards), targets)| {
                    let from = if upwards { low } else { high };
                    let rank = place.subscripts.len();
                    let mut targets = targets
                        .iter()
                        .filter(|target| target.subscripts.len() == rank);
                    self.is_steady(from)
                        && targets.any(|target| {
                            let pairs = target.subscripts.iter().zip(&*place.subscripts);
                            let mut found = 0;
                            let mut all = pairs.map(|(t, p)| match (t.index(), p.index()) {
                                (Some(t), Some(p)) if self.index(t) == Some(index) => {
                                    found += 1;
                                    self.runs_before(v, p, (index, low, high, upwards))
                                }
                                (Some(t), Some(p)) => {
                                    t == p
                                        && (matches!(t, Expr::Int(_))
                                            || self
                                                .index(t)
                                                .is_some_and(|i| self.is_around(header, i)))
                                }
                                _ => false,
                            });
                            all.all(|is_it| is_it) && found == 1
                        })
                })
        })
    }

    /// True if a variable is the index of a loop around a vertex.
    fn is_around(&self, v: VertexId, index: VarId) -> bool {
        self.around(v)
            .filter_map(|header| self.range(header))
            .any(|range| range.0 == index)
    }

    /// True if a subscript in a vertex only has values that the index of a loop had in earlier iterations.
    fn runs_before(
        &self,
        v: VertexId,
        e: &Expr,
        (index, low, high, upwards): (VarId, &Expr, &Expr, bool),
    ) -> bool {
        let Some(own) = self.index(e).filter(|&own| own != index) else {
            return false;
        };
        let ranges = self.around(v).filter_map(|header| self.range(header));
        let mut own = ranges.filter(|range| range.0 == own);
        let current = Expr::var(index);
        own.next().is_some_and(|(_, first, last, _)| match upwards {
            true => first == low && is_neighbour(last, &current, Op::Sub),
            false => last == high && is_neighbour(first, &current, Op::Add),
        })
    }
}

/// True if an expression is another one plus or minus 1.
fn is_neighbour(e: &Expr, of: &Expr, op: Op) -> bool {
    match FlatExpr::view(e) {
        FlatExpr::Op(own, [left, Expr::Int(1)]) => own == op && left == of,
        FlatExpr::Op(..) | FlatExpr::Place(_) => false,
        FlatExpr::Constant(Constant::Int(k)) => match (of, op) {
            (Expr::Int(of), Op::Sub) => of.checked_sub(1) == Some(k),
            (Expr::Int(of), _) => of.checked_add(1) == Some(k),
            _ => false,
        },
        FlatExpr::Constant(_) => false,
    }
}
