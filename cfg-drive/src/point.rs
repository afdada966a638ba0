//! POINT, SEED and directions: JSON objects bound to the variables of a routine.

use crate::codes;
use crate::extent;
use crate::value::{Array, Data, from_json};
use cfg_core::diagnostic::Diagnostics;
use cfg_core::entity::{GlobalId, RoutineId, VarId};
use cfg_core::ir::{Expr, Extent, Intent, Program, Role, Routine, ScalarType, Variable};
use cfg_core::json::values::{self, ValueTree};

/// Values at entry of a routine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Point {
    /// One per parameter.
    pub parameters: Vec<Given>,
    /// Globals that were given; the others start with the program's own values.
    pub globals: Vec<(GlobalId, Array)>,
}

/// What a parameter is bound to.
#[derive(Clone, Debug, PartialEq)]
pub enum Given {
    /// A value.
    Value(Array),
    /// An `out` parameter that was not given: storage of this shape without values.
    Uninitialised(Vec<usize>),
    /// An optional parameter that was not given.
    Absent,
    /// A tape, which starts empty.
    Tape,
}

impl Given {
    /// The shape; `None` for what has none.
    pub fn shape(&self) -> Option<&[usize]> {
        match self {
            Self::Value(array) => Some(&array.shape),
            Self::Uninitialised(shape) => Some(shape),
            Self::Absent | Self::Tape => None,
        }
    }
}

/// A variable that can be given or differentiated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Slot {
    /// A parameter.
    Parameter(VarId),
    /// A global variable.
    Global(GlobalId),
    /// The function's result.
    Result(VarId),
}

/// The key of a function's result in results and seeds: `return`, or the variable's own name if another
/// variable is called so.
pub fn result_key(routine: &Routine) -> Option<&str> {
    let result = routine.result?;
    let taken = routine.find_variable("return").is_some_and(|v| v != result);
    Some(if taken {
        &routine.variables.get(result.index())?.name
    } else {
        "return"
    })
}

/// The variable that a name means.
pub(crate) fn find(program: &Program, routine: &Routine, name: &str) -> Option<Slot> {
    if result_key(routine) == Some(name) {
        return routine.result.map(Slot::Result);
    }
    if let Some(v) = routine.find_variable(name) {
        if Some(v) == routine.result {
            return Some(Slot::Result(v));
        }
        match routine.variable(v).role {
            Role::Parameter { .. } => return Some(Slot::Parameter(v)),
            Role::Global(g) => return Some(Slot::Global(g)),
            Role::Local => {}
        }
    }
    let position = program
        .globals
        .iter()
        .position(|g| g.variable.name == name)?;
    Some(Slot::Global(GlobalId::new(position)))
}

/// The declaration of a slot.
pub(crate) fn variable<'p>(
    program: &'p Program,
    routine: &'p Routine,
    slot: Slot,
) -> Option<&'p Variable> {
    match slot {
        Slot::Parameter(v) | Slot::Result(v) => routine.variables.get(v.index()),
        Slot::Global(g) => program.globals.get(g.index()).map(|g| &g.variable),
    }
}

/// The name of a slot in POINT, SEED and results.
pub fn key<'p>(program: &'p Program, routine: &'p Routine, slot: Slot) -> &'p str {
    match slot {
        Slot::Result(_) => result_key(routine).unwrap_or("return"),
        _ => variable(program, routine, slot).map_or("", |v| &v.name),
    }
}

impl Point {
    /// Reads a POINT for a routine.
    ///
    /// # Errors
    /// All problems found, with pointers into `text`.
    pub fn parse(text: &[u8], program: &Program, routine: RoutineId) -> Result<Self, Diagnostics> {
        let routine = program.routine(routine);
        let members = values::read(text)?;
        let mut problems = Diagnostics::default();
        let mut given: Vec<Option<Array>> = vec![None; routine.parameters];
        let mut globals = Vec::new();
        for (name, json) in &members {
            let pointer = format!("/{}", escape(name));
            let slot = find(program, routine, name).filter(|s| !matches!(s, Slot::Result(_)));
            let Some((slot, v)) = slot.and_then(|s| Some((s, variable(program, routine, s)?)))
            else {
                problems
                    .0
                    .extend(unknown(program, routine, name, &pointer).0);
                continue;
            };
            match from_json(json, v.ty, v.rank(), v.order, name, &pointer) {
                Err(found) => problems.0.extend(found.0),
                Ok(array) => match slot {
                    Slot::Parameter(v) => given[v.index()] = Some(array),
                    Slot::Global(g) => globals.push((g, array)),
                    Slot::Result(_) => {}
                },
            }
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        let shapes = Shapes {
            program,
            routine,
            given: &given,
            globals: &globals,
        };
        let mut bound = Vec::with_capacity(routine.parameters);
        for v in routine.parameter_ids() {
            match shapes.bind(v) {
                Ok(value) => bound.push(value),
                Err(found) => problems.0.extend(found.0),
            }
        }
        let mut fitted = Vec::with_capacity(globals.len());
        for (g, array) in &globals {
            match shapes.fit(&program.global(*g).variable, array) {
                Ok(array) => fitted.push((*g, array)),
                Err(found) => problems.0.extend(found.0),
            }
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        Ok(Self {
            parameters: bound,
            globals: fitted,
        })
    }
}

fn unknown(program: &Program, routine: &Routine, name: &str, pointer: &str) -> Diagnostics {
    let local = routine
        .find_variable(name)
        .is_some_and(|v| routine.variable(v).role == Role::Local);
    let (message, help) = if local {
        (
            format!("{name} is a local variable of routine {}", routine.name),
            "locals have no value at entry: leave it out".to_owned(),
        )
    } else {
        let known: Vec<&str> = routine
            .variables
            .iter()
            .filter(|v| v.role != Role::Local && v.ty != ScalarType::Tape)
            .chain(program.globals.iter().map(|g| &g.variable))
            .map(|v| &*v.name)
            .collect();
        (
            format!("routine {} has no parameter {name}", routine.name),
            nearest(name, &known),
        )
    };
    codes::problem(&codes::UNKNOWN, message, help, pointer)
}

/// `did you mean x?`, or a list of what is known.
pub(crate) fn nearest(name: &str, known: &[&str]) -> String {
    let close = known
        .iter()
        // The distance is quadratic in the lengths.
        .filter(|k| k.len() <= 200 && name.len() <= 200)
        .map(|k| (strsim::damerau_levenshtein(k, name), *k))
        .filter(|(distance, k)| *distance <= 1 + k.chars().count() / 3)
        .min();
    if let Some((_, k)) = close {
        return format!("did you mean {k}?");
    }
    let mut list: Vec<&str> = known.iter().copied().take(20).collect();
    if known.len() > list.len() {
        list.push("...");
    }
    if list.is_empty() {
        "there are none".to_owned()
    } else {
        format!("known are {}", list.join(", "))
    }
}

/// Compares what was given with what is declared.
struct Shapes<'a> {
    program: &'a Program,
    routine: &'a Routine,
    given: &'a [Option<Array>],
    globals: &'a [(GlobalId, Array)],
}

impl Shapes<'_> {
    fn bind(&self, v: VarId) -> Result<Given, Diagnostics> {
        let variable = self.routine.variable(v);
        if variable.ty == ScalarType::Tape {
            return Ok(Given::Tape);
        }
        let (intent, optional) = match variable.role {
            Role::Parameter { intent, optional } => (intent, optional),
            Role::Local | Role::Global(_) => (Intent::In, false),
        };
        let name = &variable.name;
        if let Some(array) = self.given.get(v.index()).and_then(Option::as_ref) {
            return Ok(Given::Value(self.fit(variable, array)?));
        }
        if optional {
            return Ok(Given::Absent);
        }
        let missing = |help: String| {
            codes::problem(
                &codes::MISSING,
                format!("POINT gives no value for {name}"),
                help,
                "",
            )
        };
        if intent != Intent::Out {
            return Err(missing(format!(
                "add \"{name}\", which is {}{} with intent {}",
                variable.ty.name(),
                match variable.rank() {
                    0 => String::new(),
                    n => format!(" of rank {n}"),
                },
                intent.name()
            )));
        }
        let declared = self.declared(variable)?;
        let shape: Option<Vec<usize>> = declared.into_iter().collect();
        shape.map(Given::Uninitialised).ok_or_else(|| {
            missing(format!(
                "{name} has assumed shape: give it a value of the shape that is wanted"
            ))
        })
    }

    /// The value with the shape that is declared, if it fits.
    fn fit(&self, variable: &Variable, array: &Array) -> Result<Array, Diagnostics> {
        let declared = self.declared(variable)?;
        let pointer = format!("/{}", escape(&variable.name));
        conform(&variable.name, &declared, &array.shape, &pointer)?;
        // An empty dimension hides those below it.
        let extents = declared.iter().zip(&array.shape);
        Ok(Array {
            shape: extents.map(|(d, g)| d.unwrap_or(*g)).collect(),
            order: array.order,
            data: array.data.clone(),
        })
    }

    /// The extents that the declaration gives; `None` where it leaves them open.
    fn declared(&self, variable: &Variable) -> Result<Vec<Option<usize>>, Diagnostics> {
        let value = |v: VarId| self.value(v);
        let lower = |v: VarId, k: usize| -> Option<Expr> {
            let dim = self.routine.variables.get(v.index())?.shape.get(k)?;
            Some(dim.lower.clone())
        };
        let name = |v: VarId| {
            let variable = self.routine.variables.get(v.index());
            variable.map_or(String::new(), |v| v.name.clone())
        };
        let mut shape = Vec::with_capacity(variable.rank());
        for (k, dim) in variable.shape.iter().enumerate() {
            shape.push(match &dim.extent {
                Extent::Deferred => None,
                Extent::Fixed(e) => {
                    let extent = extent::evaluate(e, &value, &lower, &name).map_err(|why| {
                        codes::problem(
                            &codes::EXTENT,
                            format!(
                                "extent {} of {} cannot be computed: {why}",
                                k + 1,
                                variable.name
                            ),
                            "check the values that the extent depends on",
                            "",
                        )
                    })?;
                    // A negative extent counts as 0.
                    Some(usize::try_from(extent).unwrap_or(0))
                }
            });
        }
        let cells = shape
            .iter()
            .flatten()
            .try_fold(8usize, |n, &extent| n.checked_mul(extent.max(1)));
        if cells.is_none() {
            return Err(codes::problem(
                &codes::EXTENT,
                format!(
                    "{} would have more elements than memory can hold",
                    variable.name
                ),
                "check the values that the extents depend on",
                "",
            ));
        }
        Ok(shape)
    }

    /// The value of a variable at entry, if it has one.
    fn value(&self, v: VarId) -> Option<Array> {
        let variable = self.routine.variables.get(v.index())?;
        match variable.role {
            Role::Parameter { .. } => self.given.get(v.index())?.clone(),
            Role::Local => None,
            Role::Global(g) => {
                let given = self.globals.iter().find(|(other, _)| *other == g);
                if let Some((_, array)) = given {
                    return Some(array.clone());
                }
                match self.program.globals.get(g.index())?.initial.as_deref()? {
                    [only] if variable.shape.is_empty() => constant(only),
                    _ => None,
                }
            }
        }
    }
}

fn constant(e: &Expr) -> Option<Array> {
    let data = match e {
        Expr::Int(i) => Data::Integer(vec![*i]),
        Expr::Real(x) => Data::Real(vec![*x]),
        Expr::Real32(x) => Data::Real32(vec![*x]),
        Expr::Logical(b) => Data::Logical(vec![*b]),
        Expr::Place(_) | Expr::Op(..) => return None,
    };
    Some(Array {
        shape: Vec::new(),
        order: cfg_core::ir::Order::Row,
        data,
    })
}

fn conform(
    name: &str,
    declared: &[Option<usize>],
    given: &[usize],
    pointer: &str,
) -> Result<(), Diagnostics> {
    // Nested arrays say nothing about what is below an empty dimension.
    let empty = given
        .iter()
        .position(|&n| n == 0)
        .map_or(given.len(), |k| k + 1);
    let fits = declared.len() == given.len()
        && declared
            .iter()
            .zip(given)
            .take(empty)
            .all(|(d, g)| d.is_none_or(|d| d == *g));
    if fits {
        return Ok(());
    }
    let declared: Vec<String> = declared
        .iter()
        .map(|d| d.map_or("any".to_owned(), |d| d.to_string()))
        .collect();
    let given: Vec<String> = given.iter().map(ToString::to_string).collect();
    Err(codes::problem(
        &codes::SHAPE,
        format!(
            "{name} has shape ({}), but its value has shape ({})",
            declared.join(", "),
            given.join(", ")
        ),
        "give as many elements as the routine declares",
        pointer,
    ))
}

/// Reads one or several SEEDs or directions: values of some of the `slots`, whose shapes are known; the
/// others are zero. True if it was an array of objects.
pub fn parse_seeds(
    text: &[u8],
    what: &str,
    program: &Program,
    routine: &Routine,
    slots: &[(Slot, Vec<usize>)],
) -> Result<(Vec<Vec<Array>>, bool), Diagnostics> {
    let (objects, list) = values::read_list(text)?;
    let mut problems = Diagnostics::default();
    let mut seeds = Vec::with_capacity(objects.len());
    for (i, members) in objects.iter().enumerate() {
        let base = if list { format!("/{i}") } else { String::new() };
        let mut seed: Vec<Array> = slots
            .iter()
            .filter_map(|(slot, shape)| {
                let v = variable(program, routine, *slot)?;
                Array::zeros(v.ty, shape.clone(), v.order)
            })
            .collect();
        for (name, json) in members {
            let pointer = format!("{base}/{}", escape(name));
            match seed_value(what, program, routine, slots, name, json, &pointer) {
                Ok((position, array)) => seed[position] = array,
                Err(found) => problems.0.extend(found.0),
            }
        }
        seeds.push(seed);
    }
    if problems.is_empty() {
        Ok((seeds, list))
    } else {
        Err(problems)
    }
}

fn seed_value(
    what: &str,
    program: &Program,
    routine: &Routine,
    slots: &[(Slot, Vec<usize>)],
    name: &str,
    json: &ValueTree,
    pointer: &str,
) -> Result<(usize, Array), Diagnostics> {
    let slot = find(program, routine, name);
    let position = slots.iter().position(|(s, _)| Some(*s) == slot);
    let found = position.and_then(|p| Some((p, variable(program, routine, slots[p].0)?)));
    let Some((position, v)) = found else {
        let known: Vec<&str> = slots
            .iter()
            .map(|(s, _)| key(program, routine, *s))
            .collect();
        let kind = if what == "SEED" {
            "a dependent"
        } else {
            "an independent"
        };
        return Err(codes::problem(
            &codes::UNKNOWN,
            format!("{name} is not {kind} of routine {}", routine.name),
            nearest(name, &known),
            pointer,
        ));
    };
    let shape = &slots[position].1;
    let array = from_json(json, v.ty, shape.len(), v.order, name, pointer)?;
    let declared: Vec<Option<usize>> = shape.iter().copied().map(Some).collect();
    conform(name, &declared, &array.shape, pointer)?;
    // An empty dimension hides those below it.
    let array = Array {
        shape: shape.clone(),
        ..array
    };
    Ok((position, array))
}

/// A name as a part of a JSON pointer (RFC 6901).
fn escape(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests;
