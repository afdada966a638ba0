//! The lowering: expressions become scalar bodies over named elements, array operands become steps.

use cfg_core::{
    entity::VarId,
    flat::{FlatClass, FlatExpr},
    ir::{Expr, Extent, Op, OpClass, Order, Place, Role, Routine, ScalarType, Variable},
    memory::locations::Locations,
    typing::{self, Mismatch, Type},
};
use std::collections::BTreeMap;

use super::form::{Action, Array, ArrayId, Element, Form, Loop, Step};

/// The reason why a statement has no form: it is not part of a valid program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// The problem, as a sentence.
    pub message: String,
}

impl Malformed {
    pub(super) fn new(message: &str) -> Self {
        Self {
            message: message.to_owned(),
        }
    }
}

impl std::fmt::Display for Malformed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Malformed {}

impl From<Mismatch> for Malformed {
    fn from(mismatch: Mismatch) -> Self {
        Self {
            message: mismatch.message,
        }
    }
}

pub(super) type Lowering<T> = Result<T, Malformed>;

/// The lowering of the statements of one routine of a [`Flat`](cfg_core::flat::Flat) program; for other programs it
/// may panic.
#[derive(Clone, Copy, Debug)]
pub struct Scalarizer<'p> {
    routine: &'p Routine,
    locations: &'p Locations,
}

/// An array operand of an elementwise expression.
pub(super) struct Leaf {
    pub(super) array: ArrayId,
    name: VarId,
    once: bool,
    /// True if the operand is taken whatever conditional expressions choose.
    always: bool,
}

/// The circumstances in which a part of an array expression is evaluated.
#[derive(Clone, Copy, Default)]
pub(super) struct When {
    /// True if a scalar decides whether it is evaluated; the steps that prepare it depend on the same scalar.
    pub(super) chosen: bool,
    /// True if another operand decides for each element whether it is evaluated.
    pub(super) for_some: bool,
}

/// A form under construction.
pub(super) struct Builder<'p> {
    routine: &'p Routine,
    form: Form,
    /// The arrays that are whole variables.
    whole: BTreeMap<VarId, ArrayId>,
    /// The target of the statement, which is found once.
    target: Option<(&'p Place, ArrayId)>,
    /// True if only the shapes of arrays are wanted, not values.
    pub(super) shapes_only: bool,
}

impl<'p> Scalarizer<'p> {
    /// The lowering of the statements of a routine with these locations.
    pub fn new(routine: &'p Routine, locations: &'p Locations) -> Self {
        Self { routine, locations }
    }

    /// The form of an assignment to an array. The value goes through a temporary array only if the target may share
    /// cells with operands that are still to be read when its elements are written.
    ///
    /// # Errors
    /// The statement or expression is not part of a valid routine.
    pub fn assignment(&self, target: &'p Place, value: &Expr) -> Result<Form, Malformed> {
        let mut form = Builder::new(self.routine);
        let ty = form.type_of(value)?;
        if ty.rank == 0 {
            let name = form.evaluated(value, ty.ty);
            let array = form.view(target)?;
            let value = Expr::var(name);
            form.step(Step::Fill { array, value });
            return Ok(form.finish());
        }
        let to = form.view(target)?;
        form.target = Some((target, to));
        let resized = is_allocatable(self.routine, target);
        let conflict = self.conflicts(&form, target, value, When::default(), resized)?;
        // An array that needs no computing is copied.
        let plain = match FlatExpr::view(value) {
            FlatExpr::Op(op, _) => op.class() == OpClass::Transformational,
            FlatExpr::Place(_) => true,
            FlatExpr::Constant(_) => false,
        };
        if conflict || plain {
            let mut from = form.array_or(value, Some(to))?;
            if plain && conflict {
                let copy = form.temporary_like(from);
                form.step(Step::Copy { to: copy, from });
                from = copy;
            }
            if resized {
                form.step(Step::Reallocate {
                    array: to,
                    like: from,
                });
            }
            form.step(Step::Copy { to, from });
            return Ok(form.finish());
        }
        let mut leaves = Vec::new();
        let value = form.prepare(value, When::default(), &mut leaves)?;
        if resized {
            let like = form.common_shape(&leaves, Some(to))?;
            form.step(Step::Reallocate { array: to, like });
        }
        form.over_elements(to, &leaves, Action::Store(value));
        Ok(form.finish())
    }

    /// The form of an array expression, and the array that has its value.
    ///
    /// # Errors
    /// The statement or expression is not part of a valid routine.
    pub fn array(&self, e: &Expr) -> Result<(Form, ArrayId), Malformed> {
        let mut form = Builder::new(self.routine);
        let array = form.array_or(e, None)?;
        Ok((form.finish(), array))
    }

    /// The form of a reduction to a scalar, and the name that has its value. An elementwise expression is reduced
    /// without an array for its elements.
    ///
    /// # Errors
    /// The statement or expression is not part of a valid routine.
    pub fn reduction(&self, op: Op, operands: &[Expr]) -> Result<(Form, VarId), Malformed> {
        let e = only(operands)?;
        let mut form = Builder::new(self.routine);
        if !matches!(e, Expr::Op(op, _) if op.class() == OpClass::Elemental) {
            let of = form.array_or(e, None)?;
            let name = form.name("r", form.array(of).ty);
            form.step(Step::Reduce { op, name, of });
            return Ok((form.finish(), name));
        }
        let ty = form.type_of(e)?.ty;
        let mut leaves = Vec::new();
        let value = form.prepare(e, When::default(), &mut leaves)?;
        let over = form.common_shape(&leaves, None)?;
        let name = form.name("r", ty);
        form.over_elements(over, &leaves, Action::Fold { op, name, value });
        Ok((form.finish(), name))
    }

    /// True if storing an element of the target could change operands that are still to be read. An operand that is
    /// the target itself is read just before the element is written, unless it is transposed.
    fn conflicts(
        &self,
        form: &Builder<'_>,
        target: &Place,
        e: &Expr,
        when: When,
        turned: bool,
    ) -> Lowering<bool> {
        if form.type_of(e)?.rank == 0 {
            // All other operands are evaluated before the first element is written.
            let late = when.for_some && !form.may_be_early(e);
            let mut met = false;
            e.walk_places(&mut |p| met |= late && self.locations.may_overlap(p, target));
            return Ok(met);
        }
        match FlatExpr::view(e) {
            FlatExpr::Constant(_) => Ok(false),
            FlatExpr::Place(place) => {
                Ok((turned || place != target) && self.locations.may_overlap(place, target))
            }
            FlatExpr::Op(op, operands) => {
                let turned = turned || op == Op::Transpose;
                if op.class() == OpClass::Transformational && op != Op::Transpose {
                    // Computed before the first element is written.
                    return Ok(false);
                }
                let lazy = matches!(op, Op::If | Op::And | Op::Or);
                for (k, e) in operands.iter().enumerate() {
                    let for_some = when.for_some || lazy && k > 0;
                    let when = When { for_some, ..when };
                    if self.conflicts(form, target, e, when, turned)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
        }
    }
}

/// True for a whole local array of deferred extents, to which assignment gives a shape.
pub fn is_allocatable(routine: &Routine, place: &Place) -> bool {
    let variable = routine.variable(place.var);
    place.subscripts.is_empty()
        && variable.role == Role::Local
        && variable
            .shape
            .iter()
            .any(|d| matches!(d.extent, Extent::Deferred))
}

fn only(operands: &[Expr]) -> Lowering<&Expr> {
    match operands {
        [e] => Ok(e),
        _ => Err(Malformed::new(
            "an operator has the wrong number of operands",
        )),
    }
}

fn is_constant(e: &Expr) -> bool {
    matches!(FlatExpr::view(e), FlatExpr::Constant(_))
}

impl<'p> Builder<'p> {
    fn new(routine: &'p Routine) -> Self {
        Self {
            routine,
            form: Form {
                first: routine.variables.len(),
                names: Vec::new(),
                arrays: Vec::new(),
                steps: Vec::new(),
            },
            whole: BTreeMap::new(),
            target: None,
            shapes_only: false,
        }
    }

    fn finish(self) -> Form {
        self.form
    }

    pub(super) fn type_of(&self, e: &Expr) -> Lowering<Type> {
        Ok(typing::type_of(&self.routine.variables, e)?)
    }

    // --- steps, names, arrays ----------------------------------------------------------------

    pub(super) fn step(&mut self, step: Step) {
        self.form.steps.push(step);
    }

    /// The steps that `write` writes, apart from those before.
    pub(super) fn block<T>(&mut self, write: impl FnOnce(&mut Self) -> T) -> (Vec<Step>, T) {
        let before = std::mem::take(&mut self.form.steps);
        let made = write(self);
        (std::mem::replace(&mut self.form.steps, before), made)
    }

    fn name(&mut self, kind: &str, ty: ScalarType) -> VarId {
        let k = self.form.names.len();
        let name = format!("{kind}{}", k + 1);
        let variable = Variable::new(name, ty, Vec::new(), Role::Local);
        self.form.names.push(variable);
        VarId::new(self.form.first + k)
    }

    /// A name for the value of a scalar that is evaluated here.
    fn evaluated(&mut self, e: &Expr, ty: ScalarType) -> VarId {
        let name = self.name("s", ty);
        let value = e.clone();
        self.step(Step::Let { name, value });
        name
    }

    fn array(&self, array: ArrayId) -> Array {
        self.form.arrays[array.index()]
    }

    fn new_array(&mut self, array: Array) -> ArrayId {
        self.form.arrays.push(array);
        ArrayId::new(self.form.arrays.len() - 1)
    }

    /// An array that a step makes.
    fn made(&mut self, rank: usize, order: Order, ty: ScalarType) -> ArrayId {
        let variable = None;
        self.new_array(Array {
            variable,
            rank,
            order,
            ty,
        })
    }

    fn made_like(&mut self, like: ArrayId) -> ArrayId {
        let Array {
            rank, order, ty, ..
        } = self.array(like);
        self.made(rank, order, ty)
    }

    fn temporary_like(&mut self, like: ArrayId) -> ArrayId {
        let array = self.made_like(like);
        self.step(Step::Temporary { array, like });
        array
    }

    /// A whole array or a section.
    fn view(&mut self, place: &Place) -> Lowering<ArrayId> {
        if let Some((target, array)) = self.target
            && target == place
        {
            return Ok(array);
        }
        let rank = typing::place_type(&self.routine.variables, place)?.rank;
        let variable = self.routine.variable(place.var);
        if rank == 0 {
            return Err(Malformed::new("a scalar is used as an array"));
        }
        if !place.subscripts.is_empty() {
            let array = self.made(rank, variable.order, variable.ty);
            let place = place.clone();
            self.step(Step::Section { array, place });
            return Ok(array);
        }
        if let Some(&array) = self.whole.get(&place.var) {
            return Ok(array);
        }
        let array = self.new_array(Array {
            variable: Some(place.var),
            rank,
            order: variable.order,
            ty: variable.ty,
        });
        self.whole.insert(place.var, array);
        Ok(array)
    }

    // --- array expressions -------------------------------------------------------------------

    /// The array with the value of an expression; all but views are computed into temporary arrays. If conditional
    /// expressions choose only scalars, the value has the shape of the array `otherwise`.
    fn array_or(&mut self, e: &Expr, otherwise: Option<ArrayId>) -> Lowering<ArrayId> {
        match FlatExpr::view(e) {
            FlatExpr::Place(place) => self.view(place),
            FlatExpr::Op(Op::Transpose, operands) => {
                let of = self.array_or(only(operands)?, None)?;
                let Array {
                    rank, order, ty, ..
                } = self.array(of);
                let order = match order {
                    Order::Row => Order::Column,
                    Order::Column => Order::Row,
                };
                let array = self.made(rank, order, ty);
                self.step(Step::Transpose { array, of });
                Ok(array)
            }
            FlatExpr::Op(Op::Fill, operands) => {
                let [value, extents @ ..] = operands else {
                    return Err(Malformed::new(
                        "an operator has the wrong number of operands",
                    ));
                };
                let ty = self.type_of(value)?.ty;
                let array = self.made(extents.len(), Order::Row, ty);
                let (extents, value) = (extents.into(), value.clone());
                self.step(Step::Shaped { array, extents });
                self.step(Step::Fill { array, value });
                Ok(array)
            }
            FlatExpr::Op(
                op @ (Op::ProductPartial | Op::MaxValPartial | Op::MinValPartial),
                operands,
            ) => {
                let of = self.array_or(only(operands)?, None)?;
                let array = self.temporary_like(of);
                self.step(Step::Partials { op, array, of });
                Ok(array)
            }
            FlatExpr::Constant(_) | FlatExpr::Op(..) => {
                let mut leaves = Vec::new();
                let value = self.prepare(e, When::default(), &mut leaves)?;
                let ty = self.type_of(e)?.ty;
                let like = self.common_shape(&leaves, otherwise)?;
                let Array { rank, order, .. } = self.array(like);
                let array = self.made(rank, order, ty);
                self.step(Step::Temporary { array, like });
                self.over_elements(array, &leaves, Action::Store(value));
                Ok(array)
            }
        }
    }

    /// The scalar body of an array expression. Scalar operands become names that are evaluated before the loops, arrays
    /// become elements, which are added to the leaves.
    pub(super) fn prepare(
        &mut self,
        e: &Expr,
        when: When,
        leaves: &mut Vec<Leaf>,
    ) -> Lowering<Expr> {
        let ty = self.type_of(e)?;
        if ty.rank == 0 {
            let late = when.for_some && !self.may_be_early(e);
            return Ok(if is_constant(e) || self.shapes_only || late {
                e.clone()
            } else {
                Expr::var(self.evaluated(e, ty.ty))
            });
        }
        match FlatExpr::view(e) {
            FlatExpr::Op(op @ (Op::If | Op::And | Op::Or), operands) => {
                self.prepare_lazy(op, operands, when, leaves)
            }
            FlatExpr::Op(op, operands) if op.class() == OpClass::Elemental => {
                let mut prepared = Vec::with_capacity(operands.len());
                for operand in operands {
                    prepared.push(self.prepare(operand, when, leaves)?);
                }
                Ok(Expr::op(op, prepared))
            }
            FlatExpr::Constant(_) | FlatExpr::Place(_) | FlatExpr::Op(..) => {
                let mut array = self.array_or(e, None)?;
                if when.chosen && matches!(e, Expr::Place(_)) {
                    // An array that can be marked as not taken.
                    let of = array;
                    array = self.made_like(of);
                    self.step(Step::Alias { array, of });
                }
                let name = self.name("e", ty.ty);
                leaves.push(Leaf {
                    array,
                    name,
                    once: !when.for_some,
                    always: !when.chosen,
                });
                Ok(Expr::var(name))
            }
        }
    }

    /// The array that gives an expression its shape: one of the arrays that are taken at run time.
    fn common_shape(&mut self, leaves: &[Leaf], otherwise: Option<ArrayId>) -> Lowering<ArrayId> {
        let Some(first) = leaves.first() else {
            return Err(Malformed::new("an array expression without arrays"));
        };
        if let Some(leaf) = leaves.iter().find(|leaf| leaf.always) {
            return Ok(leaf.array);
        }
        let array = self.made_like(first.array);
        self.step(Step::ShapeOf {
            array,
            candidates: leaves.iter().map(|leaf| leaf.array).collect(),
            otherwise,
        });
        Ok(array)
    }

    /// The checks and the loops over all elements of an array.
    fn over_elements(&mut self, over: ArrayId, leaves: &[Leaf], action: Action) {
        for leaf in leaves.iter().filter(|leaf| leaf.array != over) {
            let (a, b) = (over, leaf.array);
            self.step(Step::Conform { a, b });
        }
        let element = |leaf: &Leaf| Element {
            name: leaf.name,
            array: leaf.array,
            once: leaf.once,
        };
        let elements = leaves.iter().map(element).collect();
        self.step(Step::Loop(Loop {
            over,
            elements,
            action,
        }));
    }

    /// True if a scalar may be computed although its value may not be needed: it cannot fail, or it works on arrays,
    /// which loops over elements cannot do.
    pub(super) fn may_be_early(&self, e: &Expr) -> bool {
        let mut fails = false;
        let mut arrays = false;
        e.walk(&mut |e| match FlatExpr::view(e) {
            FlatExpr::Place(place) => fails |= !place.subscripts.is_empty(),
            FlatExpr::Op(op, _) => match FlatClass::view(op) {
                FlatClass::Elemental => {
                    fails |= matches!(op, Op::Trips | Op::If)
                        || self.type_of(e).is_ok_and(|t| t.ty.is_integer());
                }
                FlatClass::Reduction | FlatClass::Transformational | FlatClass::Inquiry => {
                    arrays = true;
                }
            },
            FlatExpr::Constant(_) => {}
        });
        arrays || !fails
    }
}
