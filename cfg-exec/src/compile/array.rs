//! Array-valued expressions and assignments. An elementwise operation becomes a loop of scalar code over
//! cursors, one per array operand; scalar operands are computed before it.

use cfg_core::{
    entity::VarId,
    ir::{Expr, Extent, Op, OpClass, Order, Place, Role, ScalarType, Subscript},
};

use super::{
    Compiling,
    emit::{Emitter, Lane, Operand},
};
use crate::{
    cell,
    code::{Arr, Ext, Instr, Reg, SubReg},
};

/// An array as an operand.
#[derive(Clone, Copy, Debug)]
pub(super) struct View {
    pub(super) arr: Arr,
    pub(super) rank: u8,
    pub(super) order: Order,
    pub(super) ty: ScalarType,
}

pub(super) fn address(e: &Expr) -> usize {
    std::ptr::from_ref(e) as usize
}

impl Emitter<'_> {
    /// The lane that stands for an expression in the body of an elementwise loop.
    pub(super) fn lane(&self, e: &Expr) -> Option<Lane> {
        if self.lanes.is_empty() {
            return None;
        }
        self.lanes.get(&address(e)).copied()
    }

    /// The descriptor of a whole array or a section.
    pub(super) fn view(&mut self, place: &Place) -> Compiling<View> {
        let variable = self.variable(place.var);
        let arr = self.array_of(place.var)?;
        let (order, ty) = (variable.order, variable.ty);
        if place.subscripts.is_empty() {
            let rank = variable.rank() as u8;
            return Ok(View {
                arr,
                rank,
                order,
                ty,
            });
        }
        let mut subscripts = Vec::with_capacity(place.subscripts.len());
        let mut rank = 0;
        for subscript in &place.subscripts {
            subscripts.push(match subscript {
                Subscript::Index(e) => SubReg::Index(self.expr_register(e)?.0),
                Subscript::Range(range) => {
                    rank += 1;
                    let mut bound = |e: &Option<Expr>| -> Compiling<Option<Reg>> {
                        match e {
                            Some(e) => Ok(Some(self.expr_register(e)?.0)),
                            None => Ok(None),
                        }
                    };
                    SubReg::Range {
                        lower: bound(&range.lower)?,
                        upper: bound(&range.upper)?,
                        stride: bound(&range.stride)?,
                    }
                }
            });
        }
        let d = self.temporary_array(rank.into())?;
        self.ext(Ext::Section {
            d,
            arr,
            subscripts: subscripts.into(),
        });
        Ok(View {
            arr: d,
            rank,
            order,
            ty,
        })
    }

    /// A descriptor of the value of an array expression; anything but a place is computed into a
    /// temporary array.
    pub(super) fn array(&mut self, e: &Expr) -> Compiling<View> {
        self.array_or(e, None)
    }

    /// A descriptor of the value of an array expression. Where only scalars turn out to be chosen in conditional
    /// expressions, the value has the shape of the array `otherwise` (or extents of 1).
    fn array_or(&mut self, e: &Expr, otherwise: Option<Arr>) -> Compiling<View> {
        match e {
            Expr::Place(place) => self.view(place),
            Expr::Op(Op::Transpose, operands) => {
                let [e] = &**operands else {
                    return Err(self.too_large("an operator has the wrong number of operands"));
                };
                let of = self.array(e)?;
                let d = self.temporary_array(2)?;
                self.ext(Ext::Transpose { d, arr: of.arr });
                let order = match of.order {
                    Order::Row => Order::Column,
                    Order::Column => Order::Row,
                };
                Ok(View {
                    arr: d,
                    order,
                    ..of
                })
            }
            Expr::Op(Op::Fill, operands) => {
                let [value, extents @ ..] = &**operands else {
                    return Err(self.too_large("an operator has the wrong number of operands"));
                };
                let ty = self.type_of(value)?.ty;
                self.will_release();
                let rank = extents.len() as u8;
                let d = self.temporary_array(rank.into())?;
                let mark = self.mark();
                let dims = self.temporaries_in_row(2 * extents.len())?;
                for (k, extent) in extents.iter().enumerate() {
                    let at = dims + 2 * k as Reg;
                    self.set_constant(at, 1);
                    self.expr_into(extent, at + 1, ScalarType::Integer)?;
                }
                let order = Order::Row;
                self.ext(Ext::TemporaryOf {
                    d,
                    rank,
                    order,
                    dims,
                });
                let (s, _) = self.expr_register(value)?;
                self.ext(Ext::Fill { arr: d, rank, s });
                self.release(mark);
                Ok(View {
                    arr: d,
                    rank,
                    order,
                    ty,
                })
            }
            Expr::Op(
                op @ (Op::ProductPartial | Op::MaxValPartial | Op::MinValPartial),
                operands,
            ) => {
                let [e] = &**operands else {
                    return Err(self.too_large("an operator has the wrong number of operands"));
                };
                let of = self.array(e)?;
                let to = self.temporary_like(of)?;
                self.ext(Ext::Partials {
                    op: *op,
                    ty: of.ty,
                    d: to.arr,
                    arr: of.arr,
                    rank: of.rank,
                    order: of.order,
                });
                Ok(to)
            }
            Expr::Int(_) | Expr::Real(_) | Expr::Real32(_) | Expr::Logical(_) | Expr::Op(..) => {
                let outer = std::mem::take(&mut self.lanes);
                let leaves = self.prepare(e)?;
                let ty = self.type_of(e)?.ty;
                let like = self.common_shape(&leaves, otherwise)?;
                let to = self.temporary_like(View { ty, ..like })?;
                self.elementwise(to, e, &leaves)?;
                self.lanes = outer;
                Ok(to)
            }
        }
    }

    fn temporary_like(&mut self, like: View) -> Compiling<View> {
        self.will_release();
        let d = self.temporary_array(like.rank.into())?;
        self.ext(Ext::Temporary {
            d,
            like: like.arr,
            rank: like.rank,
            order: like.order,
        });
        Ok(View { arr: d, ..like })
    }

    /// A reduction to a scalar.
    pub(super) fn reduction(
        &mut self,
        op: Op,
        operands: &[Expr],
        dest: Option<Reg>,
    ) -> Compiling<Operand> {
        let [e] = operands else {
            return Err(self.too_large("an operator has the wrong number of operands"));
        };
        let mark = self.mark();
        let computed = matches!(e, Expr::Op(op, _) if op.class() == OpClass::Elemental);
        if op == Op::Sum && computed && self.type_of(e)?.ty == ScalarType::Real {
            return self.sum(e);
        }
        let of = self.array(e)?;
        self.release(mark);
        let d = self.dest(dest)?;
        self.ext(Ext::Reduce {
            op,
            ty: of.ty,
            d,
            arr: of.arr,
            rank: of.rank,
            order: of.order,
        });
        Ok(Operand::register(d, of.ty))
    }

    /// The sum of an elementwise expression, without an array for its elements.
    fn sum(&mut self, e: &Expr) -> Compiling<Operand> {
        // Not the destination of the statement: the expression may read it.
        let d = self.temporary()?;
        let mark = self.mark();
        let outer = std::mem::take(&mut self.lanes);
        let leaves = self.prepare(e)?;
        let like = self.common_shape(&leaves, None)?;
        self.set_constant(d, 0);
        self.over_elements(like, e, &leaves, Goal::Sum(d))?;
        self.lanes = outer;
        self.release(mark);
        Ok(Operand::register(d, ScalarType::Real))
    }

    /// An assignment to an array.
    pub(super) fn assign_array(&mut self, target: &Place, value: &Expr) -> Compiling<()> {
        let ty = self.variable(target.var).ty;
        if self.type_of(value)?.rank == 0 {
            let x = self.expr(value, None)?;
            let x = self.convert(x, ty, None)?;
            let s = self.register_of(x.value)?;
            let to = self.view(target)?;
            self.ext(Ext::Fill {
                arr: to.arr,
                rank: to.rank,
                s,
            });
            return Ok(());
        }
        let allocatable = self.is_allocatable(target);
        let conflict = self.conflicts(target, value, allocatable);
        // An array that needs no computing is copied.
        let plain = matches!(value, Expr::Place(_))
            || matches!(value, Expr::Op(op, _) if op.class() == OpClass::Transformational);
        if conflict || plain {
            let to = self.view(target)?;
            let mut from = self.array_or(value, Some(to.arr))?;
            if plain && conflict {
                let copy = self.temporary_like(from)?;
                self.ext(Ext::Copy {
                    d: copy.arr,
                    s: from.arr,
                    rank: from.rank,
                });
                from = copy;
            }
            if allocatable {
                self.reallocate(to, from);
            }
            self.ext(Ext::Copy {
                d: to.arr,
                s: from.arr,
                rank: to.rank,
            });
            return Ok(());
        }
        let to = self.view(target)?;
        if !allocatable && let Some((rest, negative)) = self.increment_of(target, value)? {
            let leaves = self.prepare(rest)?;
            let goal = Goal::Increment { negative };
            self.over_elements(to, rest, &leaves, goal)?;
            self.lanes.clear();
            return Ok(());
        }
        let leaves = self.prepare(value)?;
        if allocatable {
            let like = self.common_shape(&leaves, Some(to.arr))?;
            self.reallocate(to, like);
        }
        self.elementwise(to, value, &leaves)?;
        self.lanes.clear();
        Ok(())
    }

    /// Gives an array of deferred extents the shape of another one.
    fn reallocate(&mut self, to: View, like: View) {
        self.ext(Ext::Reallocate {
            d: to.arr,
            like: like.arr,
            rank: to.rank,
            order: to.order,
            ty: to.ty,
        });
    }

    /// True of a whole local array of deferred extents: assignment gives it a shape.
    pub(super) fn is_allocatable(&self, place: &Place) -> bool {
        let variable = self.variable(place.var);
        place.subscripts.is_empty()
            && variable.role == Role::Local
            && variable
                .shape
                .iter()
                .any(|d| matches!(d.extent, Extent::Deferred))
    }

    /// True of an array that has been given and has a shape.
    pub(super) fn is_always_there(&self, place: &Place) -> bool {
        let optional = self.intent(place.var).is_some_and(|i| i.1);
        !optional && !self.is_allocatable(&Place::whole(place.var))
    }

    /// True if storing an element of the target could change what is still to be read. An operand that
    /// is the target itself is read just before the element is written, unless it is turned round.
    fn conflicts(&self, target: &Place, value: &Expr, turned: bool) -> bool {
        let shares = |place: &Place| {
            (turned || place != target) && self.locations.may_share(place.var, target.var)
        };
        match value {
            Expr::Int(_) | Expr::Real(_) | Expr::Real32(_) | Expr::Logical(_) => false,
            Expr::Place(place) => {
                shares(place)
                    || place
                        .subscript_exprs()
                        .any(|e| self.conflicts(target, e, turned))
            }
            Expr::Op(op, operands) => {
                let turned = turned || *op == Op::Transpose;
                operands.iter().any(|e| self.conflicts(target, e, turned))
            }
        }
    }

    /// Makes the cursors of an array expression and computes its scalar parts.
    fn prepare(&mut self, e: &Expr) -> Compiling<Vec<Leaf>> {
        let mut leaves = Vec::new();
        self.prepare_into(e, When::default(), &mut leaves)?;
        Ok(leaves)
    }

    pub(super) fn prepare_into(
        &mut self,
        e: &Expr,
        when: When,
        leaves: &mut Vec<Leaf>,
    ) -> Compiling<()> {
        let ty = self.type_of(e)?;
        if ty.rank == 0 {
            if self.shapes_only {
                return Ok(());
            }
            let in_register = matches!(e, Expr::Place(p) if self.is_register(p.var));
            let untimely = when.for_some && !self.hoistable(e);
            if is_constant(e) || in_register || untimely {
                return Ok(());
            }
            let (r, ty) = self.expr_register(e)?;
            self.lanes
                .insert(address(e), Lane::Scalar(Operand::register(r, ty)));
            return Ok(());
        }
        match e {
            Expr::Op(op @ (Op::If | Op::And | Op::Or), operands) => {
                self.prepare_lazy(*op, operands, when, leaves)?;
            }
            Expr::Op(op, operands) if op.class() == OpClass::Elemental => {
                for operand in operands {
                    self.prepare_into(operand, when, leaves)?;
                }
            }
            Expr::Int(_)
            | Expr::Real(_)
            | Expr::Real32(_)
            | Expr::Logical(_)
            | Expr::Place(_)
            | Expr::Op(..) => {
                let outer = std::mem::take(&mut self.lanes);
                let mut view = self.array(e)?;
                self.lanes = outer;
                if when.chosen && matches!(e, Expr::Place(_)) {
                    // A descriptor that can say that the arm is not taken.
                    let d = self.temporary_array(view.rank.into())?;
                    let (arr, rank) = (view.arr, view.rank);
                    self.ext(Ext::Alias { d, arr, rank });
                    view.arr = d;
                }
                let cursor = self.temporary()?;
                self.emit(Instr::Base {
                    d: cursor,
                    arr: view.arr,
                });
                self.lanes.insert(address(e), Lane::Cursor(cursor, view.ty));
                leaves.push(Leaf {
                    view,
                    cursor,
                    once: (!when.for_some).then(|| address(e)),
                    always: !when.chosen,
                });
            }
        }
        Ok(())
    }

    /// The array whose shape an expression has: of those that are taken at run time.
    fn common_shape(&mut self, leaves: &[Leaf], otherwise: Option<Arr>) -> Compiling<View> {
        let Some(first) = leaves.first() else {
            return Err(self.too_large("an array expression without arrays"));
        };
        if let Some(leaf) = leaves.iter().find(|leaf| leaf.always) {
            return Ok(leaf.view);
        }
        let rank = first.view.rank;
        let d = self.temporary_array(rank.into())?;
        self.ext(Ext::ShapeOf {
            d,
            rank,
            candidates: leaves.iter().map(|leaf| leaf.view.arr).collect(),
            otherwise,
        });
        Ok(View {
            arr: d,
            ..first.view
        })
    }

    fn is_register(&self, v: VarId) -> bool {
        matches!(self.home(v), super::emit::Home::Register(_))
    }

    /// True if a scalar may be computed although its value may not be needed: it cannot fail, or it
    /// works on arrays (which is not done inside a loop).
    pub(super) fn hoistable(&self, e: &Expr) -> bool {
        let mut fails = false;
        let mut arrays = false;
        e.walk(&mut |e| match e {
            Expr::Place(place) => fails |= !place.subscripts.is_empty(),
            Expr::Op(op, _) => match op.class() {
                OpClass::Elemental => {
                    fails |= matches!(op, Op::ToInt | Op::Trips | Op::If)
                        || self.type_of(e).is_ok_and(|t| t.ty == ScalarType::Integer);
                }
                OpClass::Reduction | OpClass::Transformational | OpClass::Inquiry => arrays = true,
            },
            Expr::Int(_) | Expr::Real(_) | Expr::Real32(_) | Expr::Logical(_) => {}
        });
        arrays || !fails
    }

    /// The loop over all elements of `to`, storing into it.
    fn elementwise(&mut self, to: View, value: &Expr, leaves: &[Leaf]) -> Compiling<()> {
        self.over_elements(to, value, leaves, Goal::Store)
    }

    /// The loop over all elements of an array of the shape of `to`.
    fn over_elements(
        &mut self,
        to: View,
        value: &Expr,
        leaves: &[Leaf],
        goal: Goal,
    ) -> Compiling<()> {
        let writes = !matches!(goal, Goal::Sum(_));
        for leaf in leaves.iter().filter(|leaf| leaf.view.arr != to.arr) {
            self.ext(Ext::Conform {
                a: to.arr,
                b: leaf.view.arr,
                rank: to.rank,
            });
        }
        let end = self.label();
        let target = self.temporary()?;
        if writes {
            self.emit(Instr::Base {
                d: target,
                arr: to.arr,
            });
        }
        // From the slowest dimension of the target to the fastest.
        let mut axes: Vec<u8> = (0..to.rank).collect();
        if to.order == Order::Column {
            axes.reverse();
        }
        let Some(&fastest) = axes.last() else {
            return Err(self.too_large("a scalar is used as an array"));
        };
        // Cursors, and whether they move on by themselves along the fastest dimension.
        let mut cursors: Vec<(Reg, Arr, bool)> = Vec::new();
        if writes {
            cursors.push((target, to.arr, true));
        }
        for leaf in leaves {
            let (p, arr) = (leaf.cursor, leaf.view.arr);
            if let Some(key) = leaf.once {
                let lane = Lane::Moving(p, leaf.view.ty, fastest, arr);
                self.lanes.insert(key, lane);
            }
            cursors.push((p, arr, leaf.once.is_some()));
        }
        let zero = self.constant(0)?;
        let mut counters = Vec::new();
        for &axis in &axes {
            let d = self.temporary()?;
            self.emit(Instr::Extent {
                d,
                axis,
                arr: to.arr,
            });
            self.emit(Instr::JumpEqI {
                a: d,
                b: zero,
                t: end,
            });
            counters.push(d);
        }
        let mut starts = Vec::new();
        for (k, &axis) in axes.iter().enumerate() {
            if k > 0 {
                // Inner loops start again on every pass.
                self.emit(Instr::Extent {
                    d: counters[k],
                    axis,
                    arr: to.arr,
                });
            }
            let start = self.label();
            self.bind(start);
            starts.push(start);
        }
        let mark = self.mark();
        let x = self.expr(value, None)?;
        let x = self.convert(x, to.ty, None)?;
        let s = self.register_of(x.value)?;
        self.each_element(goal, s, (target, fastest, to.arr))?;
        self.release(mark);
        for (k, &axis) in axes.iter().enumerate().rev() {
            for &(p, arr, moves) in &cursors {
                if !(moves && axis == fastest) {
                    self.emit(Instr::Advance { p, axis, arr });
                }
            }
            self.emit(Instr::CountDown {
                c: counters[k],
                t: starts[k],
            });
            if k > 0 {
                for &(p, arr, _) in &cursors {
                    self.emit(Instr::Rewind { p, axis, arr });
                }
            }
        }
        self.bind(end);
        Ok(())
    }

    /// Emits what is done with the element `s`; the target's cursor moves along a dimension of an array.
    fn each_element(
        &mut self,
        goal: Goal,
        s: Reg,
        (p, axis, arr): (Reg, u8, Arr),
    ) -> Compiling<()> {
        match goal {
            Goal::Store => self.emit(Instr::StoreNext { p, s, axis, arr }),
            Goal::Sum(d) => self.emit(Instr::AddF { d, a: d, b: s }),
            Goal::Increment { negative: false } => self.emit(Instr::IncNext { p, s, axis, arr }),
            Goal::Increment { negative: true } => {
                let d = self.temporary()?;
                self.emit(Instr::NegF { d, a: s });
                self.emit(Instr::IncNext { p, s: d, axis, arr });
            }
        }
        Ok(())
    }

    /// Makes a variable uninitialised.
    pub(super) fn forget(&mut self, v: VarId) -> Compiling<()> {
        let variable = self.variable(v);
        if variable.ty == ScalarType::Tape {
            return Ok(());
        }
        if variable.rank() == 0 {
            return self.store_scalar(v, Operand::poison(variable.ty).value);
        }
        let arr = self.array_of(v)?;
        self.ext(Ext::FillConst {
            arr,
            rank: variable.rank() as u8,
            cell: cell::poison(variable.ty),
        });
        Ok(())
    }
}

/// The action on each element of an expression.
#[derive(Clone, Copy)]
enum Goal {
    /// Stored into the target.
    Store,
    /// Added to the element of the target, or subtracted.
    Increment { negative: bool },
    /// Added to a register.
    Sum(Reg),
}

/// An array operand and the register that runs over its cells.
pub(super) struct Leaf {
    pub(super) view: View,
    cursor: Reg,
    /// The expression's address, if it is evaluated exactly once in each pass.
    once: Option<usize>,
    /// True if the operand is there whatever conditional expressions choose.
    always: bool,
}

/// The circumstances in which a part of an array expression is evaluated.
#[derive(Clone, Copy, Default)]
pub(super) struct When {
    /// True if it is evaluated only if a scalar decides so; the code that prepares it runs only then.
    pub(super) chosen: bool,
    /// True if it is evaluated for some elements, as another operand decides.
    pub(super) for_some: bool,
}

fn is_constant(e: &Expr) -> bool {
    matches!(
        e,
        Expr::Int(_) | Expr::Real(_) | Expr::Real32(_) | Expr::Logical(_)
    )
}
