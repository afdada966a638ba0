//! The parameters of the functions that other files call: those of the original in their order, each that holds floating
//! point followed by its derivative. Of a derivative of a derivative the original's are those of the first.

use super::{
    file::File,
    names::Names,
    operators::literal_integer,
    sweep::{Sweep, made_from},
};
use cfg_core::{
    entity::{RoutineId, VarId},
    ir::{
        AnyInt, Expr, Extent, Intent, Op, ParameterRole, Program, Role, Routine, ScalarType,
        Signature,
    },
};
use std::collections::{HashMap, HashSet};

/// The way in which something is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Passed {
    Value,
    Constant,
    Pointer,
}

/// The use that is made of what callers give as a derivative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Given {
    /// It is read, and they get back what becomes of it.
    Always,
    /// The same. If it is null, it is 0, and what becomes of it is dropped: it belongs to what is neither independent nor dependent.
    OrNull,
    /// None: it belongs to a value that is not independent, which shares no cells.
    Never,
}

/// What a parameter in C is to the routine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holds {
    /// A parameter or the result.
    Variable(VarId),
    /// An extent that the parameter takes from its argument.
    Extent(VarId),
    /// Nothing: the derivative of what is not active.
    Nothing,
}

/// A parameter in C, before it has a name of its own.
#[derive(Clone, Debug)]
struct Parameter {
    name: String,
    ty: ScalarType,
    passed: Passed,
    holds: Holds,
    /// True of the result of a function, a scalar or an array.
    is_result: bool,
    is_array: bool,
    /// True of the value of a function, which callers may not want, in its derivatives' derivatives, too.
    may_be_null: bool,
    given: Given,
}

/// The parameters of the function that a routine is, as its callers in C see them, and of which parameter a derivative has
/// its extents.
fn parameters(program: &Program, routine: RoutineId) -> (Vec<Parameter>, HashMap<VarId, VarId>) {
    // Derivatives first, down to what is none.
    let mut chain = vec![routine];
    let mut sweeps = Vec::new();
    while let Some(&r) = chain.last()
        && let Some((original, sweep)) = made_from(program, r)
        && !chain.contains(&original)
    {
        chain.push(original);
        sweeps.push(sweep);
    }
    let mut roots: HashMap<VarId, VarId> = HashMap::new();
    let Some(first) = chain.pop() else {
        return (Vec::new(), roots);
    };
    let mut parameters = own(program, first);
    let mut of = first;
    while let (Some(r), Some(sweep)) = (chain.pop(), sweeps.pop()) {
        let signature = Signature::of(program, r);
        let theirs = program.routine(r);
        let roles: Vec<(ParameterRole, VarId)> =
            (signature.parameters.into_iter().zip(theirs.parameter_ids())).collect();
        let by_role: HashMap<ParameterRole, VarId> = roles.iter().copied().collect();
        let mut next = HashMap::new();
        for &(role, v) in &roles {
            let (ParameterRole::Primal(u) | ParameterRole::Adjoint(u) | ParameterRole::Tangent(u)) =
                role
            else {
                continue;
            };
            let root = roots.get(&u).copied().unwrap_or(u);
            if let Some(&root) = by_role.get(&ParameterRole::Primal(root)) {
                next.insert(v, root);
            }
        }
        roots = next;
        let has_reals = |ty| program.has_reals(ty);
        let derived = with_derivatives(parameters, sweep, program.routine(of), false, &has_reals);
        parameters = derived
            .into_iter()
            .map(|(parameter, role)| Parameter {
                holds: match (parameter.holds, role) {
                    // Extents are those of the routine's own copy of the parameter.
                    (Holds::Extent(v), _) => by_role
                        .get(&ParameterRole::Primal(v))
                        .map_or(Holds::Nothing, |&v| Holds::Extent(v)),
                    (_, Some(role)) => by_role
                        .get(&role)
                        .map_or(Holds::Nothing, |&v| Holds::Variable(v)),
                    (_, None) => Holds::Nothing,
                },
                // The derivative returns a status.
                is_result: false,
                ..parameter
            })
            .collect();
        of = r;
    }
    (parameters, roots)
}

/// The parameters of a routine that no other one was made from, and its result.
fn own(program: &Program, r: RoutineId) -> Vec<Parameter> {
    let routine = program.routine(r);
    let mut made = Vec::new();
    for p in routine.parameter_ids() {
        let variable = routine.variable(p);
        for (k, dim) in variable.shape.iter().enumerate() {
            if dim.extent == Extent::Deferred {
                made.push(Parameter {
                    name: format!("{}_extent{}", variable.name, k + 1),
                    ty: ScalarType::Integer,
                    passed: Passed::Value,
                    holds: Holds::Extent(p),
                    is_result: false,
                    is_array: false,
                    may_be_null: false,
                    given: Given::Always,
                });
            }
        }
        let optional = matches!(variable.role, Role::Parameter { optional: true, .. });
        let input = variable.intent() == Some(Intent::In);
        let record = variable.ty.record().is_some();
        let value = input && variable.rank() == 0 && !optional && !record && !variable.ty.is_tape();
        made.push(Parameter {
            name: variable.name.clone(),
            ty: variable.ty,
            passed: match (value, input) {
                (true, _) => Passed::Value,
                (false, true) if !variable.ty.is_tape() => Passed::Constant,
                (false, _) => Passed::Pointer,
            },
            holds: Holds::Variable(p),
            is_result: false,
            is_array: variable.rank() > 0,
            may_be_null: false,
            given: Given::Always,
        });
    }
    if let Some(result) = routine.result {
        let variable = routine.variable(result);
        made.push(Parameter {
            name: format!("{}_value", routine.name),
            ty: variable.ty,
            passed: Passed::Pointer,
            holds: Holds::Variable(result),
            is_result: true,
            is_array: variable.rank() > 0 || variable.ty.record().is_some(),
            may_be_null: variable.rank() == 0 && variable.ty.record().is_none(),
            given: Given::Always,
        });
    }
    made
}

/// The parameters of a derivative of a function with these, and what each is to it; in several directions a derivative is
/// never a value.
fn with_derivatives(
    parameters: Vec<Parameter>,
    sweep: Sweep,
    routine: &Routine,
    several: bool,
    has_reals: &impl Fn(ScalarType) -> bool,
) -> Vec<(Parameter, Option<ParameterRole>)> {
    let declared: HashSet<VarId> = (routine.independents.iter())
        .chain(&routine.dependents)
        .copied()
        .collect();
    let mut made = Vec::with_capacity(2 * parameters.len());
    for parameter in parameters {
        let of = match parameter.holds {
            Holds::Variable(v) => Some(v),
            Holds::Extent(_) | Holds::Nothing => None,
        };
        let (name, passed) = match sweep {
            Sweep::Gradient | Sweep::Reverse if parameter.is_result => {
                let passed = match parameter.is_array {
                    true => Passed::Pointer,
                    false => Passed::Value,
                };
                (format!("{}_b", routine.name), passed)
            }
            Sweep::Gradient | Sweep::Reverse => (format!("{}_b", parameter.name), Passed::Pointer),
            Sweep::Tangent | Sweep::Forward => (format!("{}_t", parameter.name), parameter.passed),
        };
        let given = match (of.is_none_or(|v| declared.contains(&v)), parameter.passed) {
            (true, _) => parameter.given,
            (false, Passed::Value) => Given::Never,
            (false, Passed::Constant | Passed::Pointer) if passed != Passed::Value => Given::OrNull,
            (false, _) => Given::Always,
        };
        let derivative =
            (has_reals(parameter.ty) && sweep != Sweep::Forward).then_some(Parameter {
                name,
                ty: parameter.ty,
                passed: match passed {
                    Passed::Value if several => Passed::Constant,
                    Passed::Value | Passed::Constant | Passed::Pointer => passed,
                },
                holds: parameter.holds,
                is_result: false,
                is_array: parameter.is_array,
                may_be_null: false,
                given,
            });
        if !(parameter.is_result && !parameter.is_array && sweep == Sweep::Reverse) {
            made.push((parameter, of.map(ParameterRole::Primal)));
        }
        let role = of.map(|v| match sweep {
            Sweep::Gradient | Sweep::Reverse => ParameterRole::Adjoint(v),
            Sweep::Tangent | Sweep::Forward => ParameterRole::Tangent(v),
        });
        made.extend(derivative.map(|derivative| (derivative, role)));
    }
    made
}

/// A parameter of the interface.
pub(super) struct Item {
    pub(super) declaration: String,
    pub(super) name: String,
    pub(super) passed: Passed,
    /// True if callers may not want it.
    pub(super) may_be_null: bool,
    pub(super) given: Given,
    /// True if something of it is used.
    pub(super) used: bool,
}

/// The parameters of a function for others.
pub(super) struct Interface {
    pub(super) names: Names,
    pub(super) items: Vec<Item>,
    /// The parameter of each role.
    pub(super) of_role: HashMap<ParameterRole, usize>,
    /// The extents of variables of the original, and which other one's a derivative has.
    extents: HashMap<VarId, Vec<usize>>,
    roots: HashMap<VarId, VarId>,
}

impl Interface {
    /// The parameters of a sweep of the original, in one direction or in several.
    pub(super) fn of(file: &File<'_>, original: RoutineId, sweep: Sweep, several: bool) -> Self {
        let program = file.outside();
        let routine = program.routine(original);
        let (all, roots) = parameters(program, original);
        let has_reals = |ty| program.has_reals(ty);
        let all = with_derivatives(all, sweep, routine, several, &has_reals);
        Self::with(file, all, roots, sweep)
    }

    /// The parameters of a routine itself, the pointer to its result last.
    pub(super) fn plain(file: &File<'_>, routine: RoutineId) -> Self {
        let all = own(file.outside(), routine).into_iter().map(|parameter| {
            let role = match parameter.holds {
                Holds::Variable(v) => Some(ParameterRole::Primal(v)),
                Holds::Extent(_) | Holds::Nothing => None,
            };
            (parameter, role)
        });
        Self::with(file, all.collect(), HashMap::new(), Sweep::Forward)
    }

    fn with(
        file: &File<'_>,
        all: Vec<(Parameter, Option<ParameterRole>)>,
        roots: HashMap<VarId, VarId>,
        sweep: Sweep,
    ) -> Self {
        let mut made = Self {
            names: Names::of_function(),
            items: Vec::new(),
            of_role: HashMap::new(),
            extents: HashMap::new(),
            roots,
        };
        for (parameter, role) in all {
            let name = made.names.fresh(&parameter.name, Some(&file.names));
            let ty = file.type_of(parameter.ty);
            let declaration = match parameter.passed {
                Passed::Value => format!("{ty} {name}"),
                Passed::Constant => format!("const {ty} *{name}"),
                Passed::Pointer => format!("{ty} *{name}"),
            };
            if let Some(role) = role {
                made.of_role.insert(role, made.items.len());
            }
            if let Holds::Extent(v) = parameter.holds {
                made.extents.entry(v).or_default().push(made.items.len());
            }
            made.items.push(Item {
                declaration,
                name,
                passed: parameter.passed,
                may_be_null: parameter.may_be_null && sweep != Sweep::Reverse,
                given: parameter.given,
                used: false,
            });
        }
        made
    }

    /// The number of elements of a parameter of a routine; `None` if its extents are made of more than constants, scalar
    /// parameters and their fields, and arithmetic.
    pub(super) fn elements(
        &mut self,
        file: &File<'_>,
        routine: RoutineId,
        v: VarId,
    ) -> Option<String> {
        let variable = file.outside().routine(routine).variable(v);
        let mut open = self.extents_of(v).into_iter();
        let mut factors = Vec::with_capacity(variable.rank());
        for dim in &variable.shape {
            factors.push(match &dim.extent {
                Extent::Deferred => {
                    let name = open.next()?;
                    format!("({name} > 0 ? {name} : 0)")
                }
                Extent::Fixed(e) => match e.constant() {
                    Some(n) => n.max(0).to_string(),
                    None => {
                        let text = self.integer(file, routine, e)?;
                        format!("({text} > 0 ? {text} : 0)")
                    }
                },
            });
        }
        Some(match factors.is_empty() {
            true => "1".to_owned(),
            false => factors.join(" * "),
        })
    }

    /// An integer over the parameters, with brackets around it.
    pub(super) fn integer(
        &mut self,
        file: &File<'_>,
        routine: RoutineId,
        e: &Expr,
    ) -> Option<String> {
        match e {
            Expr::Int(n) => Some(format!("({})", literal_integer(*n))),
            Expr::Place(place) => {
                let variable = file.outside().routine(routine).variable(place.var);
                if matches!(variable.role, Role::Parameter { optional: true, .. }) {
                    return None;
                }
                let role = ParameterRole::Primal(place.var);
                let item = self.items.get_mut(*self.of_role.get(&role)?)?;
                item.used = true;
                let name = &item.name;
                let (mut text, mut ty) = (String::new(), variable.ty);
                for subscript in &place.subscripts {
                    let record = ty.record()?;
                    let structs = file.structs.as_ref()?;
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
                    texts.push(self.integer(file, routine, e)?);
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

    /// The names of the extents that a variable of the original takes from its argument; they count as used.
    pub(super) fn extents_of(&mut self, v: VarId) -> Vec<String> {
        let root = self.roots.get(&v).copied().unwrap_or(v);
        let places = self.extents.get(&root).cloned().unwrap_or_default();
        let names = places.into_iter().map(|k| {
            self.items[k].used = true;
            self.items[k].name.clone()
        });
        names.collect()
    }
}
