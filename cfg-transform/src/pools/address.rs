//! The address of a place in a pool.
//!
//! The index is the cell itself, checked by a conditional expression: where the cell lies outside of the object, or the
//! object has ended, an entry is read that the table of first cells does not have, which is a run-time error
//! ([`cfg_core::ir::Astray`]).

use super::{
    arithmetic::{add, all, either, eq, le, mul, or, sub},
    cells,
    plan::{CELL, Fitting, OBJECT},
    writer::{Mode, Refused, Writer, field, internal_error},
};
use cfg_core::{
    elemental::integer,
    entity::VarId,
    ir::{Astray, Expr, Op, Order, Part, Place, Range, ScalarType, Subscript},
};

/// A place in a pool.
#[derive(Clone)]
pub(super) struct Address {
    pub(super) pool: usize,
    pub(super) object: Expr,
    /// The first cell.
    pub(super) cell: Expr,
    /// Conditions under which subscripts lie in their dimensions.
    pub(super) inside: Vec<Expr>,
    /// The condition under which a cell of the object is the beginning of cells of the pointer's type.
    pub(super) fits: Option<Expr>,
    /// The type of the place, or of its elements.
    pub(super) ty: ScalarType,
    /// The dimensions that no index has fixed.
    pub(super) open: Vec<Open>,
    /// True if the elements of these dimensions lie without gaps, in storage order.
    pub(super) dense: bool,
}

/// A dimension that no index has fixed.
#[derive(Clone)]
pub(super) struct Open {
    pub(super) count: Expr,
    /// The cells from one element to the next.
    pub(super) step: Expr,
}

/// A place after the lowering.
pub(super) enum Located {
    /// Part of a variable.
    Plain(Place),
    /// Cells of a pool.
    Pooled(Address),
}

/// Dimensions to which subscripts are applied.
struct Dims {
    /// Lower bound and extent of each; the target of a pointer has no extent.
    list: Vec<(Expr, Option<Expr>)>,
    order: Order,
    /// True if the bounds of the object make other checks superfluous.
    is_object: bool,
}

impl Writer<'_, '_> {
    /// Finds the address of a place.
    pub(super) fn locate_place(&mut self, place: &Place, mode: Mode) -> Result<Located, Refused> {
        let variable = self.routine.variable(place.var);
        let mut ty = variable.ty;
        let mut class = self
            .plan
            .classes
            .find(self.plan.classes.variable(self.id, place.var));
        let moved = self.plan.is_moved(self.id, place.var);
        let mut at = match (moved, self.plan.pool(class)) {
            (true, Some(pool)) => {
                let (object, cell) = self.home_of(place.var);
                Located::Pooled(Address {
                    pool,
                    object,
                    cell,
                    inside: Vec::new(),
                    fits: None,
                    ty,
                    open: Vec::new(),
                    dense: true,
                })
            }
            _ => Located::Plain(Place::whole(place.var)),
        };
        for level in place.levels() {
            let dims = match level.part {
                Part::Variable => self.dims_of_variable(place.var),
                Part::Field(name) => {
                    let record = ty
                        .record()
                        .ok_or_else(|| internal_error("a field of no record"))?;
                    let program = self.plan.program;
                    let (offset, found) = cells::field(program, record, name)
                        .ok_or_else(|| internal_error("a field that is not there"))?;
                    ty = found.ty;
                    at = match at {
                        Located::Plain(place) => Located::Plain(field(&place, name)),
                        Located::Pooled(mut address) => {
                            if !address.open.is_empty() {
                                // A field of several records has gaps between its cells.
                                address.dense = false;
                            }
                            address.cell = add(address.cell, Expr::Int(offset));
                            address.ty = ty;
                            Located::Pooled(address)
                        }
                    };
                    let list = found.shape.iter().map(|dim| {
                        let extent = dim.constant_extent().and_then(|n| i64::try_from(n).ok());
                        (dim.lower.clone(), extent.map(Expr::Int))
                    });
                    Dims {
                        list: list.collect(),
                        order: Order::Row,
                        is_object: false,
                    }
                }
                Part::Deref => {
                    let pointer = ty
                        .pointer()
                        .ok_or_else(|| internal_error("a step through no pointer"))?;
                    let (object, cell) = match at {
                        Located::Plain(place) => (field(&place, OBJECT), field(&place, CELL)),
                        Located::Pooled(address) => {
                            let place = self.place_of_cells(address, mode)?;
                            (field(&place, OBJECT), field(&place, CELL))
                        }
                    };
                    let (node, pool) = (self.plan.pointee(class, pointer))
                        .ok_or_else(|| internal_error("a pointer without a pool"))?;
                    class = node;
                    ty = pointer.pointee();
                    at = Located::Pooled(Address {
                        pool,
                        object: object.into(),
                        cell: cell.into(),
                        inside: Vec::new(),
                        fits: None,
                        ty,
                        open: Vec::new(),
                        dense: true,
                    });
                    Dims {
                        list: level
                            .subscripts
                            .iter()
                            .map(|_| (Expr::Int(0), None))
                            .collect(),
                        order: Order::Row,
                        is_object: true,
                    }
                }
            };
            at = match at {
                Located::Plain(place) => {
                    let mut subscripts = place.subscripts.to_vec();
                    for s in level.subscripts {
                        subscripts.push(self.lower_subscript(s, mode)?);
                    }
                    Located::Plain(Place {
                        var: place.var,
                        subscripts: subscripts.into(),
                    })
                }
                Located::Pooled(address) => {
                    let mut address =
                        self.lower_subscripts(address, &dims, level.subscripts, mode)?;
                    if matches!(level.part, Part::Deref) {
                        self.fit_address(&mut address, mode)?;
                    }
                    Located::Pooled(address)
                }
            };
        }
        Ok(at)
    }

    /// Finds the condition under which the cells at an address have its type.
    fn fit_address(&mut self, address: &mut Address, mode: Mode) -> Result<(), Refused> {
        let pool = &self.plan.pools[address.pool];
        let Some(fitting) = pool.fits.get(&address.ty) else {
            return Ok(());
        };
        address.object = self.hoist(address.object.clone(), "object", mode);
        address.cell = self.hoist(address.cell.clone(), "cell", mode);
        let first = self.table_entry(pool.first, address.object.clone());
        let ahead = sub(address.cell.clone(), first.into());
        let behind = |size: Expr| Expr::op(Op::Modulo, [ahead, size]);
        address.fits = Some(match fitting {
            Fitting::At { size, ranges } => {
                let at = self.hoist(behind(Expr::Int(*size)), "behind", mode);
                let ranges = ranges.iter().map(|&(low, high)| match (low, high) {
                    (low, high) if low == high => eq(at.clone(), Expr::Int(low)),
                    (0, high) => le(at.clone(), Expr::Int(high)),
                    (low, high) if high == size - 1 => le(Expr::Int(low), at.clone()),
                    (low, high) => all(vec![
                        le(Expr::Int(low), at.clone()),
                        le(at.clone(), Expr::Int(high)),
                    ]),
                });
                let mut ranges: Vec<Expr> = ranges.collect();
                match ranges.len() {
                    0 => Expr::Logical(false),
                    1 => ranges.remove(0),
                    _ => Expr::op(Op::Or, ranges),
                }
            }
            Fitting::Each { size, table } => {
                let at = behind(Expr::Int(*size));
                self.table_entry(*table, at).into()
            }
            Fitting::EachOfAll(table) => {
                let layouts = pool.layouts.as_ref();
                let layouts = layouts.ok_or_else(|| internal_error("a pool without layouts"))?;
                let layout = self.table_entry(layouts.of, address.object.clone());
                let layout = self.hoist(layout.into(), "layout", mode);
                let size = self.table_entry(layouts.sizes, layout.clone());
                let at = add(layout, behind(size.into()));
                self.table_entry(*table, at).into()
            }
        });
        Ok(())
    }

    fn dims_of_variable(&self, v: VarId) -> Dims {
        let shape = self.shapes.get(&v).cloned().unwrap_or_default();
        let is_parameter = self.routine.variable(v).intent().is_some();
        Dims {
            is_object: shape.len() == 1 && !is_parameter,
            list: shape
                .into_iter()
                .map(|(lower, n)| (lower, Some(n)))
                .collect(),
            order: self.routine.variable(v).order,
        }
    }

    fn lower_subscript(&mut self, s: &Subscript, mode: Mode) -> Result<Subscript, Refused> {
        Ok(match s {
            Subscript::Index(e) => Subscript::Index(self.lower_expr(e, mode)?),
            Subscript::Range(range) => {
                let mut bound =
                    |e: &Option<Expr>| e.as_ref().map(|e| self.lower_expr(e, mode)).transpose();
                Subscript::Range(Box::new(Range {
                    lower: bound(&range.lower)?,
                    upper: bound(&range.upper)?,
                    stride: bound(&range.stride)?,
                }))
            }
            Subscript::Field(_) | Subscript::Deref => s.clone(),
        })
    }

    /// The part of an address that subscripts pick.
    fn lower_subscripts(
        &mut self,
        mut address: Address,
        dims: &Dims,
        subscripts: &[Subscript],
        mode: Mode,
    ) -> Result<Address, Refused> {
        if dims.list.is_empty() {
            return Ok(address);
        }
        let size = Expr::Int(cells::cell_count(self.plan.program, address.ty));
        let steps = steps(dims, size);
        if subscripts.is_empty() {
            let counts = dims.list.iter().map(|(_, extent)| extent.clone());
            for (count, step) in counts.zip(steps) {
                let count = count.ok_or_else(|| internal_error("a whole object"))?;
                address.open.push(Open { count, step });
            }
            return Ok(address);
        }
        address.dense &= is_dense(subscripts, dims.order);
        for ((s, (lower, extent)), step) in subscripts.iter().zip(&dims.list).zip(steps) {
            match self.lower_subscript(s, mode)? {
                Subscript::Index(k) => {
                    let k = self.hoist(k, "subscript", mode);
                    if let Some(extent) = extent.as_ref().filter(|_| !dims.is_object) {
                        let last = add(lower.clone(), sub(extent.clone(), Expr::Int(1)));
                        address.inside.push(le(lower.clone(), k.clone()));
                        address.inside.push(le(k.clone(), last));
                    }
                    let offset = mul(sub(k, lower.clone()), step);
                    address.cell = add(address.cell, offset);
                }
                Subscript::Range(range) => {
                    self.lower_range(&mut address, *range, (lower, extent.as_ref()), step, mode)?;
                }
                Subscript::Field(_) | Subscript::Deref => {
                    return Err(internal_error("a step among subscripts"));
                }
            }
        }
        address.inside.retain(|e| !matches!(e, Expr::Logical(true)));
        Ok(address)
    }

    fn lower_range(
        &mut self,
        address: &mut Address,
        range: Range,
        (lower, extent): (&Expr, Option<&Expr>),
        step: Expr,
        mode: Mode,
    ) -> Result<(), Refused> {
        let end = extent.map(|n| add(lower.clone(), sub(n.clone(), Expr::Int(1))));
        let first = range.lower.unwrap_or_else(|| lower.clone());
        let upper = range.upper.or_else(|| end.clone()).ok_or_else(|| {
            Refused::new(
                "a section through a pointer has no upper bound",
                "write the last element: a pointer does not tell how long the array is",
            )
        })?;
        let stride = range.stride.unwrap_or(Expr::Int(1));
        let [first, upper, stride] =
            [first, upper, stride].map(|e| e.constant().map_or(e, Expr::Int));
        let first = self.hoist(first, "first", mode);
        let stride = self.hoist(stride, "stride", mode);
        let known = match [&first, &upper, &stride].map(Expr::constant) {
            [Some(first), Some(upper), Some(stride)] => integer::trips(first, upper, stride).ok(),
            _ => None,
        };
        let count = match known {
            Some(count) => Expr::Int(count),
            None => Expr::op(Op::Trips, [first.clone(), upper, stride.clone()]),
        };
        let count = self.hoist(count, "count", mode);
        if let Some(end) = end {
            let last = mul(sub(count.clone(), Expr::Int(1)), stride.clone());
            let last = add(first.clone(), last);
            let inside = vec![
                le(lower.clone(), first.clone()),
                le(first.clone(), end.clone()),
                le(lower.clone(), last.clone()),
                le(last, end),
            ];
            // An empty range may have any bounds.
            let empty = eq(count.clone(), Expr::Int(0));
            address.inside.push(match (empty, all(inside)) {
                (Expr::Logical(true), _) | (_, Expr::Logical(true)) => Expr::Logical(true),
                (Expr::Logical(false), inside) => inside,
                (empty, inside) => Expr::op(Op::Or, [empty, inside]),
            });
        }
        address.cell = add(
            address.cell.clone(),
            mul(sub(first, lower.clone()), step.clone()),
        );
        let step = self.hoist(mul(stride, step), "step", mode);
        address.open.push(Open { count, step });
        Ok(())
    }

    /// The place of the cells of an address: an element of the pool's array, or a section.
    pub(super) fn place_of_cells(
        &mut self,
        address: Address,
        mode: Mode,
    ) -> Result<Place, Refused> {
        let array = self.array_of_cells(address.pool, address.ty)?;
        match &*address.open {
            [] => {
                let index = self.checked_index(&address, 1, mode);
                Ok(Place::element(array, [index]))
            }
            [open] => {
                let open = open.clone();
                let (lower, upper) = self.section_bounds(&address, &open, mode);
                let stride = Some(open.step).filter(|step| *step != Expr::Int(1));
                let range = Range {
                    lower: Some(lower),
                    upper: Some(upper),
                    stride,
                };
                Ok(Place {
                    var: array,
                    subscripts: [Subscript::Range(Box::new(range))].into(),
                })
            }
            _ => Err(Refused::new(
                "an array of more than one dimension to which pointers lead is used as a whole",
                "use its elements in loops, or one row at a time",
            )),
        }
    }

    /// The first of `count` cells at an address, which all exist, or else a run-time error.
    pub(super) fn checked_index(&mut self, address: &Address, count: i64, mode: Mode) -> Expr {
        let object = self.hoist(address.object.clone(), "object", mode);
        let cell = self.hoist(address.cell.clone(), "cell", mode);
        let last = add(cell.clone(), Expr::Int(count - 1));
        let valid = self.validity_condition(address, &object, cell.clone(), last);
        let index = self.checked_cell(address, (object, cell), valid, &Expr::Logical(false));
        self.hoist(index, "index", mode)
    }

    /// The cell of an object if it is valid and the cells there have the type of the address, or if no cell is used;
    /// otherwise a run-time error.
    fn checked_cell(
        &mut self,
        address: &Address,
        (object, cell): (Expr, Expr),
        valid: Expr,
        unused: &Expr,
    ) -> Expr {
        let first = self.plan.pools[address.pool].first;
        let entries = self.plan.size.saturating_add(1);
        let mut fault = |of_other| {
            let entry = Astray::entry(object.clone(), of_other, entries);
            self.table_entry(first, entry).into()
        };
        let cell = match &address.fits {
            None => cell,
            Some(fits) => either(or(unused.clone(), fits.clone()), cell, fault(true)),
        };
        either(or(unused.clone(), valid), cell, fault(false))
    }

    /// The condition under which the cells from `low` to `high` belong to the object, and the subscripts to their
    /// dimensions.
    fn validity_condition(
        &mut self,
        address: &Address,
        object: &Expr,
        low: Expr,
        high: Expr,
    ) -> Expr {
        let plan = self.plan;
        let pool = &plan.pools[address.pool];
        let first = self.table_entry(pool.first, object.clone());
        let last = self.table_entry(pool.last, object.clone());
        let mut conditions = address.inside.clone();
        conditions.push(le(first.into(), low));
        conditions.push(le(high, last.into()));
        all(conditions)
    }

    /// The first and the last index of a section.
    fn section_bounds(&mut self, address: &Address, open: &Open, mode: Mode) -> (Expr, Expr) {
        let object = self.hoist(address.object.clone(), "object", mode);
        let cell = self.hoist(address.cell.clone(), "cell", mode);
        let count = self.hoist(open.count.clone(), "count", mode);
        let step = open.step.clone();
        let reach = mul(sub(count.clone(), Expr::Int(1)), step.clone());
        let end = self.hoist(add(cell.clone(), reach), "end", mode);
        let valid = match step.constant() {
            Some(step) if step > 0 => {
                self.validity_condition(address, &object, cell.clone(), end.clone())
            }
            Some(_) => self.validity_condition(address, &object, end.clone(), cell.clone()),
            None => {
                let order = |op| Expr::op(op, [cell.clone(), end.clone()]);
                let (low, high) = (order(Op::Min), order(Op::Max));
                self.validity_condition(address, &object, low, high)
            }
        };
        // An empty section may have any bounds.
        let empty = eq(count, Expr::Int(0));
        let lower = self.checked_cell(address, (object, cell), valid, &empty);
        let lower = self.hoist(lower, "index", mode);
        (lower, end)
    }
}

/// True for contiguous elements: those of whole rows, or of a part of one row.
fn is_dense(subscripts: &[Subscript], order: Order) -> bool {
    let range = |s: &Subscript| match s {
        Subscript::Range(range) => Some((**range).clone()),
        Subscript::Index(_) | Subscript::Field(_) | Subscript::Deref => None,
    };
    let is_all = |range: &Range| *range == Range::default();
    let mut ranges = subscripts.iter().map(range).skip_while(Option::is_none);
    match ranges.next().flatten() {
        None => true,
        Some(first) => {
            let has_steps = first
                .stride
                .is_some_and(|stride| stride.constant() != Some(1));
            order == Order::Row
                && !has_steps
                && ranges.all(|range| range.as_ref().is_some_and(is_all))
        }
    }
}

/// The cells from one element to the next along each dimension.
fn steps(dims: &Dims, size: Expr) -> Vec<Expr> {
    let rank = dims.list.len();
    let mut steps = vec![Expr::Int(0); rank];
    let mut step = size;
    for k in 0..rank {
        let dim = match dims.order {
            Order::Row => rank - 1 - k,
            Order::Column => k,
        };
        steps[dim] = step.clone();
        if let Some(extent) = &dims.list[dim].1 {
            step = mul(step, extent.clone());
        }
    }
    steps
}
