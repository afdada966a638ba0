//! The table of the parameters of a function that other files call: those of the original in their order, each that
//! holds floating point followed by its derivative. Of a derivative of a derivative the original's are those of the
//! first.

pub(super) use super::passed::{Passed, is_optional};
use super::{
    file::File,
    names::{Names, identifiers},
    operators::literal_integer,
    sweep::{Sweep, ancestors},
};
use cfg_core::{
    entity::{RoutineId, VarId},
    ir::{
        AnyInt, Dim, Expr, Extent, Intent, Op, ParameterRole, Program, Routine, ScalarType,
        Signature, Variable,
    },
};
use std::collections::{BTreeSet, HashMap, HashSet};

/// The use that is made of what callers give as a derivative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Given {
    /// The function reads it, and they get back what becomes of it.
    Always,
    /// The same. If it is null, it is 0, and what becomes of it is dropped: it belongs to what is neither independent
    /// nor dependent.
    OrNull,
    /// None: it belongs to a value that is not independent, which shares no cells.
    Never,
}

/// The meaning of a parameter in C to the routine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Holds {
    /// A parameter, the result, or a derivative of one.
    Role(ParameterRole),
    /// An extent that the parameter takes from its argument.
    Extent(VarId),
    /// Nothing: the derivative of what is not active.
    Nothing,
}

/// A parameter in C.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub(super) name: String,
    pub(super) ty: ScalarType,
    pub(super) passed: Passed,
    holds: Holds,
    /// True of the result of a function, a scalar or an array.
    is_result: bool,
    /// True of the value of a function, which callers may not want, in its derivatives' derivatives, too.
    pub(super) may_be_null: bool,
    pub(super) given: Given,
    pub(super) is_derivative: bool,
    /// The way in which the parameter is passed whose adjoint it is, or a tangent of its adjoint, if that is only read:
    /// the function does nothing with it but add to it.
    pub(super) sum: Option<Passed>,
}

impl Item {
    fn new(name: String, ty: ScalarType, passed: Passed, holds: Holds) -> Self {
        Self {
            name,
            ty,
            passed,
            holds,
            is_result: false,
            may_be_null: false,
            given: Given::Always,
            is_derivative: false,
            sum: None,
        }
    }

    /// The role of what it is to the routine.
    pub(super) fn role(&self) -> Option<ParameterRole> {
        match self.holds {
            Holds::Role(role) => Some(role),
            Holds::Extent(_) | Holds::Nothing => None,
        }
    }

    /// The parameter of which it is an extent.
    fn extent(&self) -> Option<VarId> {
        match self.holds {
            Holds::Extent(v) => Some(v),
            Holds::Role(_) | Holds::Nothing => None,
        }
    }

    /// True if callers give cells that the function may change.
    pub(super) fn is_updated(&self) -> bool {
        self.passed == Passed::Pointer && self.given != Given::Never
    }

    /// The variable of the routine that it is.
    fn variable(&self) -> Option<VarId> {
        match self.holds {
            Holds::Role(ParameterRole::Primal(v)) => Some(v),
            Holds::Role(_) | Holds::Extent(_) | Holds::Nothing => None,
        }
    }
}

/// The parameters of the function that a routine is, as its callers in C see them, and of which parameter a derivative
/// has its extents.
fn parameters(program: &Program, routine: RoutineId) -> (Vec<Item>, HashMap<VarId, VarId>) {
    let chain = ancestors(program, routine);
    let mut roots: HashMap<VarId, VarId> = HashMap::new();
    let mut items = own(program, chain.last().map_or(routine, |(first, _)| *first));
    for (k, &(of, sweep)) in chain.iter().enumerate().rev() {
        let r = k.checked_sub(1).map_or(routine, |k| chain[k].0);
        let roles = Signature::from_origins(program, r).parameters.into_iter();
        let roles: Vec<_> = roles.zip(program.routine(r).parameter_ids()).collect();
        let by_role: HashMap<ParameterRole, VarId> = roles.iter().copied().collect();
        let copy = |v: VarId| by_role.get(&ParameterRole::Primal(v)).copied();
        let root = |&(role, v): &(ParameterRole, VarId)| {
            let (ParameterRole::Primal(u) | ParameterRole::Adjoint(u) | ParameterRole::Tangent(u)) =
                role
            else {
                return None;
            };
            Some((v, copy(roots.get(&u).copied().unwrap_or(u))?))
        };
        let next = roles.iter().filter_map(root).collect();
        items = with_derivatives(items, program, of, sweep, false);
        for item in &mut items {
            let held = match item.holds {
                // Extents are those of the routine's own copy of the parameter.
                Holds::Extent(v) => copy(v).map(Holds::Extent),
                Holds::Role(role) => {
                    (by_role.get(&role)).map(|&v| Holds::Role(ParameterRole::Primal(v)))
                }
                Holds::Nothing => None,
            };
            item.holds = held.unwrap_or(Holds::Nothing);
            // The derivative returns a status.
            item.is_result = false;
        }
        roots = next;
    }
    (items, roots)
}

/// The parameters of a routine that no other one was made from, and its result.
fn own(program: &Program, r: RoutineId) -> Vec<Item> {
    let routine = program.routine(r);
    let mut made = Vec::new();
    let is_scalar = |variable: &Variable| variable.rank() == 0 && variable.ty.record().is_none();
    for p in routine.parameter_ids() {
        let variable = routine.variable(p);
        for (k, dim) in variable.shape.iter().enumerate() {
            if dim.extent == Extent::Deferred {
                let name = format!("{}_extent{}", variable.name, k + 1);
                let (ty, holds) = (ScalarType::Integer, Holds::Extent(p));
                made.push(Item::new(name, ty, Passed::Value, holds));
            }
        }
        let input = variable.intent() == Some(Intent::In) && !variable.ty.is_tape();
        let passed = match (input, is_scalar(variable) && !is_optional(variable)) {
            (true, true) => Passed::Value,
            (true, false) => Passed::Constant,
            (false, _) => Passed::Pointer,
        };
        let holds = Holds::Role(ParameterRole::Primal(p));
        made.push(Item::new(variable.name.clone(), variable.ty, passed, holds));
    }
    if let Some(result) = routine.result {
        let variable = routine.variable(result);
        let name = format!("{}_value", routine.name);
        let holds = Holds::Role(ParameterRole::Primal(result));
        made.push(Item {
            is_result: true,
            may_be_null: is_scalar(variable),
            ..Item::new(name, variable.ty, Passed::Pointer, holds)
        });
    }
    made
}

/// The parameters of a derivative of a function with these; in several directions a derivative is never a value.
fn with_derivatives(
    items: Vec<Item>,
    program: &Program,
    r: RoutineId,
    sweep: Sweep,
    several: bool,
) -> Vec<Item> {
    let routine = program.routine(r);
    let declared = routine.independents.iter().chain(&routine.dependents);
    let declared: HashSet<VarId> = declared.copied().collect();
    let adjoint = matches!(sweep, Sweep::Gradient | Sweep::Reverse);
    let mut made = Vec::with_capacity(2 * items.len());
    for mut item in items {
        let of = item.variable();
        // The value of a function, the adjoint of which is a value.
        let is_value = item.is_result && item.may_be_null;
        let (name, passed) = match (adjoint, item.is_result) {
            (true, true) => (format!("{}_b", routine.name), Passed::Pointer),
            (true, false) => (format!("{}_b", item.name), Passed::Pointer),
            (false, _) => (format!("{}_t", item.name), item.passed),
        };
        let by_value = passed == Passed::Value || adjoint && is_value;
        let passed = match by_value {
            true if several => Passed::Constant,
            true => Passed::Value,
            false => passed,
        };
        let holds = of.map_or(Holds::Nothing, |v| {
            Holds::Role(match adjoint {
                true => ParameterRole::Adjoint(v),
                false => ParameterRole::Tangent(v),
            })
        });
        let derivative = Item {
            given: match (of.is_none_or(|v| declared.contains(&v)), item.passed) {
                (true, _) => item.given,
                (false, Passed::Value) => Given::Never,
                (false, _) if by_value => Given::Always,
                (false, _) => Given::OrNull,
            },
            is_derivative: true,
            sum: match (adjoint, item.passed) {
                (true, Passed::Value | Passed::Constant) => Some(item.passed),
                (true, Passed::Pointer) => None,
                (false, _) => item.sum,
            },
            ..Item::new(name, item.ty, passed, holds)
        };
        let has_derivative = program.has_reals(item.ty) && sweep != Sweep::Forward;
        if !(is_value && sweep == Sweep::Reverse) {
            item.may_be_null &= sweep != Sweep::Reverse;
            made.push(item);
        }
        made.extend(has_derivative.then_some(derivative));
    }
    made
}

/// The parameters of a function for others.
pub(super) struct Interface<'a> {
    pub(super) file: &'a File<'a>,
    /// The routine as callers see it: with its records.
    pub(super) routine: &'a Routine,
    pub(super) id: RoutineId,
    names: Names,
    pub(super) items: Vec<Item>,
    /// The parameters that hold something.
    places: HashMap<Holds, Vec<usize>>,
    /// The variables that have the extents of derivatives.
    roots: HashMap<VarId, VarId>,
}

impl<'a> Interface<'a> {
    /// The parameters of a sweep of the original, in one direction or in several.
    pub(super) fn for_sweep(
        file: &'a File<'a>,
        original: RoutineId,
        sweep: Sweep,
        several: bool,
    ) -> Self {
        let program = file.program_for_callers();
        let (items, roots) = parameters(program, original);
        let items = with_derivatives(items, program, original, sweep, several);
        Self::with(file, original, items, roots)
    }

    /// The parameters of a routine itself, the pointer to its result last.
    pub(super) fn plain(file: &'a File<'a>, r: RoutineId) -> Self {
        Self::with(file, r, own(file.program_for_callers(), r), HashMap::new())
    }

    fn with(
        file: &'a File<'a>,
        r: RoutineId,
        mut items: Vec<Item>,
        roots: HashMap<VarId, VarId>,
    ) -> Self {
        let (mut names, mut places) = (Names::of_function(), HashMap::<_, Vec<usize>>::new());
        let left_out = file.left_out.borrow();
        let is_there = |item: &Item| item.extent().is_none_or(|v| !left_out.contains(&(r, v)));
        items.retain(is_there);
        for (k, item) in items.iter_mut().enumerate() {
            item.name = names.fresh(&item.name, Some(&file.names));
            places.entry(item.holds).or_default().push(k);
        }
        let routine = file.program_for_callers().routine(r);
        Self {
            file,
            routine,
            id: r,
            names,
            items,
            places,
            roots,
        }
    }

    /// A name that nothing else in the function has.
    pub(super) fn fresh(&mut self, name: &str) -> String {
        self.names.fresh(name, Some(&self.file.names))
    }

    /// The position of the parameter that has a role.
    pub(super) fn position(&self, role: ParameterRole) -> Option<usize> {
        self.places.get(&Holds::Role(role))?.first().copied()
    }

    /// The parameter that has a role.
    pub(super) fn item(&self, role: ParameterRole) -> Option<&Item> {
        self.items.get(self.position(role)?)
    }

    /// True of a parameter of the routine that callers may leave out.
    pub(super) fn is_optional(&self, item: &Item) -> bool {
        let variable = item.variable().map(|v| self.routine.variable(v));
        variable.is_some_and(is_optional)
    }

    /// The declarations of the parameters.
    pub(super) fn declarations(&self) -> impl Iterator<Item = String> {
        self.items.iter().map(|item| {
            let (ty, name) = (self.file.type_of(item.ty), &item.name);
            match item.passed {
                Passed::Value => format!("{ty} {name}"),
                Passed::Constant => format!("const {ty} *{name}"),
                Passed::Pointer => format!("{ty} *{name}"),
            }
        })
    }

    /// The parameters of which callers give an extent that a body does not name, and those of which it names one.
    pub(super) fn extents_in(&self, body: &str) -> [BTreeSet<VarId>; 2] {
        let named = identifiers(body);
        let of = |is_named: bool| {
            let items = self.items.iter();
            let items = items.filter(|item| named.contains(&*item.name) == is_named);
            items.filter_map(Item::extent).collect()
        };
        [of(false), of(true)]
    }

    /// The names of the parameters.
    pub(super) fn parameter_names(&self) -> impl Iterator<Item = &str> {
        self.items.iter().map(|item| &*item.name)
    }

    /// The number of elements of a parameter; `None` if its extents are made of more than constants, scalar parameters
    /// and their fields, and arithmetic.
    pub(super) fn elements(&self, v: VarId) -> Option<String> {
        let variable = self.routine.variable(v);
        let mut open = self
            .open_extents(v)
            .iter()
            .map(|&k| self.items[k].name.clone());
        let mut factors = Vec::with_capacity(variable.rank());
        for dim in &variable.shape {
            let text = match &dim.extent {
                Extent::Deferred => open.next()?,
                Extent::Fixed(e) => match e.constant() {
                    Some(n) => {
                        factors.push(n.max(0).to_string());
                        continue;
                    }
                    None => self.integer(e)?,
                },
            };
            factors.push(format!("({text} > 0 ? {text} : 0)"));
        }
        Some(match factors.is_empty() {
            true => "1".to_owned(),
            false => factors.join(" * "),
        })
    }

    /// An integer over the parameters, with brackets around it.
    pub(super) fn integer(&self, e: &Expr) -> Option<String> {
        match e {
            Expr::Int(n) => Some(format!("({})", literal_integer(*n))),
            Expr::Place(place) => {
                let variable = self.routine.variable(place.var);
                if is_optional(variable) {
                    return None;
                }
                let item = self.item(ParameterRole::Primal(place.var))?;
                let name = &item.name;
                let (mut text, mut ty) = (String::new(), variable.ty);
                for subscript in &place.subscripts {
                    let record = ty.record()?;
                    let structs = self.file.structs.as_ref()?;
                    let field = subscript.field()?;
                    ty = structs.program.record(record).field(field)?.ty;
                    let arrow = if text.is_empty() { "->" } else { "." };
                    text.push_str(arrow);
                    text.push_str(structs.member(record, field)?);
                }
                let value = match (text.is_empty(), item.passed) {
                    (false, _) => format!("{name}{text}"),
                    (true, Passed::Value) => name.clone(),
                    (true, Passed::Constant | Passed::Pointer) => format!("*{name}"),
                };
                Some(format!("(int64_t)({value})"))
            }
            Expr::Op(op, operands) => {
                let mut texts = Vec::with_capacity(operands.len());
                for e in operands {
                    texts.push(self.integer(e)?);
                }
                Some(match (op, &*texts) {
                    (Op::Add, _) => format!("({})", texts.join(" + ")),
                    (Op::Sub, [a, b]) => format!("({a} - {b})"),
                    (Op::Mul, _) => format!("({})", texts.join(" * ")),
                    (Op::Neg, [a]) => format!("(-{a})"),
                    (Op::Div, [a, b]) => format!("({b} ? {a} / {b} : 0)"),
                    (Op::Mod, [a, b]) => format!("({b} ? {a} % {b} : 0)"),
                    (Op::Min | Op::Max, [first, others @ ..]) => {
                        let sign = if *op == Op::Min { "<" } else { ">" };
                        let fold = |a: String, b: &String| format!("({a} {sign} {b} ? {a} : {b})");
                        others.iter().fold(first.clone(), fold)
                    }
                    (Op::Convert(_, AnyInt::Integer), [a]) => a.clone(),
                    _ => return None,
                })
            }
            Expr::Real(_) | Expr::Real32(_) | Expr::Logical(_) | Expr::Null(_) | Expr::Addr(_) => {
                None
            }
        }
    }

    /// True of a variable whose extents callers do not give, since no function uses them.
    pub(super) fn is_left_out(&self, v: VarId) -> bool {
        let root = self.roots.get(&v).copied().unwrap_or(v);
        self.file.left_out.borrow().contains(&(self.id, root))
    }

    /// The names of the extents that a variable of the original takes from its argument. Those that no function uses
    /// are
    /// 0.
    pub(super) fn extents_of(&self, v: VarId) -> Vec<String> {
        if self.is_left_out(v) {
            let root = self.roots.get(&v).copied().unwrap_or(v);
            let deferred = |dim: &&Dim| dim.extent == Extent::Deferred;
            let shape = self.routine.variable(root).shape.iter();
            return vec!["0".to_owned(); shape.filter(deferred).count()];
        }
        let extents = self.open_extents(v);
        let names = extents.iter().map(|&k| self.items[k].name.clone());
        names.collect()
    }

    /// The positions of the extents that a variable of the original takes from its argument.
    fn open_extents(&self, v: VarId) -> &[usize] {
        let root = self.roots.get(&v).copied().unwrap_or(v);
        let places = self.places.get(&Holds::Extent(root));
        places.map_or(&[], Vec::as_slice)
    }
}
