//! The function that was differentiated, with the head that its source in C gives it.

use super::{
    Emitted, Failed, GlobalNames, apart, codes, file::File, interface::Public, lines::Lines,
    parameters::Interface,
};
use cfg_core::{
    diagnostic::Diagnostic,
    entity::{RoutineId, VarId},
    ir::{
        CHead, Dim, Extent, ParameterRole, Place, Role, Routine, ScalarType, Variable,
        visit::{PlaceRole, Visit, walk_place},
    },
};
use cfg_transform::lower;
use std::collections::{HashMap, HashSet};

/// The function of this name around one of the file, which has the program's types. Where that fails, or cells are what the file tells
/// apart, it ends the process: nobody asks for a status.
///
/// # Errors
/// A head that cannot be kept.
pub(super) fn function(
    file: &File<'_>,
    globals: &GlobalNames,
    r: RoutineId,
    (head, name): (&CHead, &str),
    (plain, returns_status): (&str, bool),
) -> Emitted<Public> {
    let routine = file.outside().routine(r);
    if let Some(why) = &head.unshared {
        let mut refused = refused(routine, why);
        refused.help = "declare it without `static`, so that both files share it, or emit the file without --replace".to_owned();
        return Err(refused);
    }
    let mut interface = Interface::plain(file, r);
    let by_name: HashMap<&str, VarId> = (routine.parameter_ids())
        .map(|v| (&*routine.variable(v).name, v))
        .collect();
    let mut sized = Sized(HashSet::new());
    sized.routine(routine);
    let (mut lines, mut parameters) = (Lines::new(1), Vec::new());
    let mut arguments: HashMap<VarId, String> = HashMap::new();
    for parameter in &head.parameters {
        let refused = |why: &str| refused_parameter(routine, &parameter.name, why);
        let text = parameter.declared.as_deref().map_err(|why| refused(why))?;
        let Some(variable) = &parameter.variable else {
            let name = interface.names.fresh(&parameter.name, Some(&file.names));
            parameters.push(text.replace('@', &name));
            lines.line(format_args!("(void){name};"));
            continue;
        };
        let v = by_name.get(&**variable).copied();
        let item = v.and_then(|v| interface.of_role.get(&ParameterRole::Primal(v)));
        let (Some(v), Some(&item)) = (v, item) else {
            return Err(refused("it is passed in another way"));
        };
        let name = interface.items[item].name.clone();
        let of = routine.variable(v);
        if of.shape.iter().any(is_deferred) && (file.checks || sized.0.contains(&v)) {
            return Err(without_extent(routine, &name));
        }
        let extents = inner_extents(&mut interface, file, (r, text), of)
            .ok_or_else(|| refused("its extents are computed"))?;
        let ty = file.type_of(of.ty);
        let declared = text.replace('$', &ty).replace('#', &extents);
        parameters.push(declared.replace('@', &name));
        let by_value = is_passed_by_value(file, (r, routine), v);
        let pointer = text.contains('*');
        if pointer
            && file.checks
            && !matches!(
                of.ty,
                ScalarType::Real | ScalarType::Real32 | ScalarType::Integer
            )
        {
            return Err(refused("with checks its elements have another type"));
        }
        if pointer == (of.rank() == 0 && !is_optional(of)) {
            return Err(refused("it is passed in another way"));
        }
        let argument = match (pointer, by_value) {
            (true, _) if is_same(text, of.ty) => name,
            (true, _) => format!("({ty} *){name}"),
            (false, true) => name,
            (false, false) => {
                let here = interface
                    .names
                    .fresh(&format!("{name}_here"), Some(&file.names));
                lines.line(format_args!("const {ty} {here} = {name};"));
                format!("&{here}")
            }
        };
        arguments.insert(v, argument);
    }
    for (v, met) in apart::met_globals(file, globals, &mut interface, r) {
        let of = routine.variable(v);
        if of.shape.iter().any(is_deferred) {
            return Err(without_extent(routine, &of.name));
        }
        lines.line(format_args!("if ({met})"));
        lines.line("    abort();");
    }
    let mut texts = Vec::new();
    for v in routine.parameter_ids() {
        // Elements are found without the extents of such.
        let deferred = routine
            .variable(v)
            .shape
            .iter()
            .filter(|dim| is_deferred(dim));
        texts.extend(deferred.map(|_| "0".to_owned()));
        let argument = arguments.remove(&v);
        texts.push(argument.ok_or_else(|| {
            let variable = &routine.variable(v).name;
            refused(
                routine,
                &format!("`{variable}` is no parameter of the function"),
            )
        })?);
    }
    let result = routine.result.map(|v| routine.variable(v));
    let text = head
        .result
        .as_deref()
        .map_err(|why| refused(routine, &format!("its result: {why}")))?;
    let memory = result.is_some_and(|v| v.rank() > 0);
    if result.is_some() == text.starts_with("void ") || memory != text.contains('*') {
        return Err(refused(routine, "its result is passed in another way"));
    }
    let value = interface.names.fresh("value", Some(&file.names));
    let ty = result.map(|v| file.type_of(v.ty));
    if let (Some(of), Some(ty), true) = (result, &ty, memory) {
        let count = match &*of.shape {
            [
                Dim {
                    extent: Extent::Fixed(e),
                    ..
                },
            ] if !file.checks => interface.integer(file, r, e),
            _ => None,
        };
        let count = count
            .ok_or_else(|| refused(routine, "the extent of its result is computed, or checked"))?;
        lines.line(format_args!(
            "{ty} *{value} = calloc({count} > 0 ? (size_t)({count}) : 1, sizeof *{value});"
        ));
        lines.line(format_args!("if (!{value})"));
        lines.line("    abort();");
        texts.push(value.clone());
    } else if let (Some(ty), true) = (&ty, returns_status) {
        lines.line(format_args!("{ty} {value} = {{0}};"));
        texts.push(format!("&{value}"));
    }
    if returns_status {
        texts.extend(file.checks.then(|| "NULL".to_owned()));
    }
    let call = format!("{plain}({})", texts.join(", "));
    match (returns_status, &ty) {
        (true, _) => {
            lines.line(format_args!("if ({call})"));
            lines.line("    abort();");
            if memory {
                lines.line(format_args!("return (void *){value};"));
            } else if ty.is_some() {
                lines.line(format_args!("return {value};"));
            }
        }
        (false, Some(_)) if memory => {
            lines.line(format_args!("{call};"));
            lines.line(format_args!("return (void *){value};"));
        }
        (false, Some(_)) => lines.line(format_args!("return {call};")),
        (false, None) => lines.line(format_args!("{call};")),
    }
    if parameters.is_empty() {
        parameters.push("void".to_owned());
    }
    let ty = ty.unwrap_or_default();
    let named = format!("{name}({})", parameters.join(", "));
    let head = text.replace('$', &ty).replace('@', &named);
    let text = format!("{head};\n\n{head}\n{{\n{}}}\n", lines.into_text());
    Ok(Public { head, text })
}

fn is_deferred(dim: &Dim) -> bool {
    dim.extent == Extent::Deferred
}

/// The variables that a routine names otherwise than by elements, so that it may need their extents.
struct Sized(HashSet<VarId>);

impl<'ir> Visit<'ir> for Sized {
    fn place(&mut self, place: &'ir Place, role: PlaceRole) {
        walk_place(self, place);
        let bound = matches!(role, PlaceRole::Bind { .. });
        if bound || !place.is_element() || place.subscripts.len() > 1 {
            self.0.insert(place.var);
        }
    }
}

/// True if the function of the file takes a value.
fn is_passed_by_value(file: &File<'_>, (r, routine): (RoutineId, &Routine), v: VarId) -> bool {
    let variable = routine.variable(v);
    match file.has_records(r) {
        true => variable.ty.record().is_none() && variable.rank() == 0 && !is_optional(variable),
        false => lower::is_passed_by_value(routine, v),
    }
}

fn is_optional(variable: &Variable) -> bool {
    matches!(variable.role, Role::Parameter { optional: true, .. })
}

/// True of a pointer to the type that the file has for a type.
fn is_same(text: &str, ty: ScalarType) -> bool {
    let base = text.trim_start_matches("const ");
    match ty {
        ScalarType::Real => base.starts_with("double *"),
        ScalarType::Real32 => base.starts_with("float *"),
        ScalarType::Record(_) => base.starts_with("$ *"),
        ScalarType::Integer
        | ScalarType::Sized(_)
        | ScalarType::Logical
        | ScalarType::Tape
        | ScalarType::Pointer(_) => false,
    }
}

/// The extents behind the first one of an array.
fn inner_extents(
    interface: &mut Interface,
    file: &File<'_>,
    (r, text): (RoutineId, &str),
    variable: &Variable,
) -> Option<String> {
    if !text.contains('#') {
        return (variable.rank() <= 1).then(String::new);
    }
    let mut extents = String::new();
    for dim in variable.shape.get(1..)? {
        let Extent::Fixed(e) = &dim.extent else {
            return None;
        };
        let extent = match e.constant() {
            Some(n) => n.to_string(),
            None => interface.integer(file, r, e)?,
        };
        extents.push_str(&format!("[{extent}]"));
    }
    Some(extents)
}

fn without_extent(routine: &Routine, name: &str) -> Failed {
    let why = format!("its callers do not pass its extent; say --size {name}=EXPRESSION");
    refused_parameter(routine, name, &why)
}

fn refused_parameter(routine: &Routine, name: &str, why: &str) -> Failed {
    refused(routine, &format!("its parameter `{name}`: {why}"))
}

fn refused(routine: &Routine, why: &str) -> Failed {
    let message = format!("`{}` cannot be replaced: {why}", routine.name);
    let code = &codes::REPLACE;
    Box::new(Diagnostic::error(code, message, code.explanation))
}
