//! Pointers that a POINT declares to lead where other pointers do (`same_as`).

use crate::codes;
use crate::json::pointer;
use crate::options::Options;
use crate::point::words_of_tree;
use crate::slot::nearest;
use cfg_core::{
    diagnostic::{Diagnostics, similar::Similarity},
    entity::{RoutineId, VarId},
    ir::{Expr, Extent, Intent, Role, Routine},
    validate::ValidProgram,
};
use cfg_format::json::values::{self, NamedValues, ValueTree};
use cfg_transform::pools::SameAs;

/// The parameters of a routine that a POINT gives by `same_as`.
#[derive(Debug, Default)]
pub(crate) struct Joined {
    /// An option of [`cfg_transform::flatten`].
    pub(crate) pointers: Vec<SameAs>,
    /// The names of the parameters, for [`Options::same_as`].
    pub(crate) names: Vec<String>,
}

/// The parameters of a routine that a POINT gives by `same_as`; none in most points.
///
/// # Errors
/// All problems found, with pointers into `text`.
pub(crate) fn same_as(
    program: &ValidProgram,
    routine: RoutineId,
    text: &[u8],
    options: &Options,
) -> Result<Joined, Diagnostics> {
    // A quick test: without the word in the text there is no such member (unless it is written with escapes).
    if !text.windows(NAME.len()).any(|part| part == NAME) {
        return Ok(Joined::default());
    }
    let declared = program.routine(routine);
    let _tree = options.lease(words_of_tree(text), declared)?;
    let members = values::read(text)?;
    let mut problems = Diagnostics::default();
    let mut found = Joined::default();
    for (name, tree) in &members {
        let ValueTree::SameAs(of, offset) = tree else {
            continue;
        };
        found.names.push(name.clone());
        match joined(declared, &members, name, of, *offset) {
            Ok(same) => found.pointers.push(same),
            Err(problem) => problems.0.extend(problem.0),
        }
    }
    match problems.is_empty() {
        true => Ok(found),
        false => Err(problems),
    }
}

const NAME: &[u8] = b"same_as";

/// A parameter that leads where another one does; reports a parameter that cannot.
fn joined(
    routine: &Routine,
    members: &NamedValues,
    name: &str,
    of: &str,
    offset: i64,
) -> Result<SameAs, Diagnostics> {
    let at = pointer(name);
    let named = format!("{at}/same_as");
    let first = parameter(routine, name, &at)?;
    let second = parameter(routine, of, &named)?;
    let wrong = |message: String, help: &str, place: &str| {
        Err(codes::problem(&codes::SAME_AS, message, help, place))
    };
    if is_in_extents(routine, first) {
        let message = format!("extents are made from {name}");
        return wrong(message, "give it an array", &at);
    }
    let types = [first, second].map(|v| (routine.variable(v).ty, routine.variable(v).rank()));
    if types[0] != types[1] {
        let message = format!("{name} and {of} are pointers of different types");
        return wrong(message, "name a pointer of the same type", &named);
    }
    let given = members.iter().find(|(member, _)| member == of);
    let elements = match given.map(|(_, tree)| tree) {
        Some(ValueTree::Array(items)) => items.len(),
        Some(ValueTree::Size(extents)) => extents.iter().product(),
        Some(ValueTree::Object(_)) => 1,
        Some(ValueTree::SameAs(..)) => {
            let message = format!("{of} is given by `same_as` itself");
            let help = "name a pointer that is given by an array";
            return wrong(message, help, &named);
        }
        Some(
            ValueTree::Int(_)
            | ValueTree::Wide(_)
            | ValueTree::Real(_)
            | ValueTree::Logical(_)
            | ValueTree::Null,
        )
        | None => {
            let message = format!("{of} is given no array, so {name} leads nowhere");
            return wrong(message, "name a pointer that is given by an array", &named);
        }
    };
    if !usize::try_from(offset).is_ok_and(|k| k <= elements) {
        let message = format!("{of} leads to {elements} elements, and {offset} lies outside");
        let help = "count from 0, up to the number of elements, which is their end";
        return wrong(message, help, &format!("{at}/offset"));
    }
    Ok(SameAs {
        pointer: first,
        of: second,
        offset,
    })
}

/// The parameter of a name: a pointer, or an array of scalars with an open extent, which front ends make from
/// pointers.
fn parameter(routine: &Routine, name: &str, place: &str) -> Result<VarId, Diagnostics> {
    let pointers = routine.parameter_ids().filter(|&v| {
        let variable = routine.variable(v);
        let Role::Parameter {
            intent,
            optional: false,
        } = variable.role
        else {
            return false;
        };
        match &variable.shape[..] {
            [] => intent == Intent::In && variable.ty.pointer().is_some(),
            [dim] => {
                let is_scalar = variable.ty.pointer().is_none() && variable.ty.record().is_none();
                is_scalar && dim.extent == Extent::Deferred && intent != Intent::Out
            }
            [_, _, ..] => false,
        }
    });
    let pointers: Vec<VarId> = pointers.collect();
    let is_named = |v: &&VarId| routine.variable(**v).name == name;
    if let Some(&v) = pointers.iter().find(is_named) {
        return Ok(v);
    }
    let is_parameter = routine
        .find_variable(name)
        .is_some_and(|v| matches!(routine.variable(v).role, Role::Parameter { .. }));
    let (message, help) = match is_parameter {
        true => (
            format!("{name} is no pointer, nor an array that may be part of another"),
            "give its value; only pointers that are in, and arrays of scalars in one dimension with an open extent that are not out, lead where others do, and none that may be left out".to_owned(),
        ),
        false => {
            let known = pointers.iter().map(|v| &*routine.variable(*v).name);
            (
                format!("routine {} has no parameter {name}", routine.name),
                nearest(&mut Similarity::default(), name, known),
            )
        }
    };
    Err(codes::problem(&codes::SAME_AS, message, help, place))
}

/// True if a lower bound or an extent of the routine's variables is made from a variable, so that shapes may change
/// with its value.
pub fn is_in_extents(routine: &Routine, v: VarId) -> bool {
    let mut found = false;
    for dim in routine.variables.iter().flat_map(|v| &v.shape) {
        let mut look = |e: &Expr| e.walk_places(&mut |place| found |= place.var == v);
        look(&dim.lower);
        if let Extent::Fixed(extent) = &dim.extent {
            look(extent);
        }
    }
    found
}
