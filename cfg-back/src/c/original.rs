//! The function that was differentiated, with the head that its source in C gives it.

use super::{
    Emitted, Failed, GlobalNames,
    adapter::{Public, Taken, list},
    codes,
    file::File,
    names::silence,
    parameters::{Interface, Passed, is_optional},
};
use cfg_core::{
    diagnostic::Diagnostic,
    entity::{RoutineId, VarId},
    ir::{
        CHead, Dim, Extent, ParameterRole, Place, Routine, ScalarType, Variable,
        visit::{PlaceRole, Visit, walk_place},
    },
};
use std::collections::{HashMap, HashSet};

/// The function of this name around one of the file, which has the program's types. Where that fails, or cells are what
/// the file tells apart, it ends the process: nobody asks for a status.
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
    let mut interface = Interface::plain(file, r);
    let routine = interface.routine;
    if let Some(why) = &head.unshared {
        let mut refused = refused(routine, why);
        refused.help = "declare it without `static`, so that both files share it, or emit the file without --replace".to_owned();
        return Err(refused);
    }
    let by_name: HashMap<&str, VarId> = (routine.parameter_ids())
        .map(|v| (&*routine.variable(v).name, v))
        .collect();
    let mut sized = Sized(HashSet::new());
    sized.visit_routine(routine);
    let (mut body, mut parameters, mut names) = (String::new(), Vec::new(), Vec::new());
    let mut arguments: HashMap<VarId, String> = HashMap::new();
    for parameter in &head.parameters {
        let refused = |why: &str| refused_parameter(routine, &parameter.name, why);
        let text = parameter.declared.as_deref().map_err(|why| refused(why))?;
        let Some(variable) = &parameter.variable else {
            let name = interface.fresh(&parameter.name);
            parameters.push(text.replace('@', &name));
            names.push(name);
            continue;
        };
        let v = by_name.get(&**variable).copied();
        let item = v.and_then(|v| interface.item(ParameterRole::Primal(v)));
        let (Some(v), Some(item)) = (v, item) else {
            return Err(refused("it is passed in another way"));
        };
        let taken = Taken::from_parameter(routine, v);
        // Where parameters may overlap, the function of the file takes addresses.
        let shared = routine.aliased && !file.has_records(r);
        let by_value = item.passed == Passed::Value && !shared;
        let (name, of) = (item.name.clone(), taken.variable);
        if taken.extents() > 0 && (file.checks || sized.0.contains(&v)) {
            return Err(without_extent(routine, &name));
        }
        let extents = inner_extents(&mut interface, text, of)
            .ok_or_else(|| refused("its extents are computed"))?;
        let ty = file.type_of(of.ty);
        let declared = text.replace('$', &ty).replace('#', &extents);
        parameters.push(declared.replace('@', &name));
        names.push(name.clone());
        let pointer = text.contains('*');
        let plain = [ScalarType::Real, ScalarType::Real32, ScalarType::Integer];
        if pointer && file.checks && !plain.contains(&of.ty) {
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
                let here = interface.fresh(&format!("{name}_here"));
                body += &format!("const {ty} {here} = {name};\n");
                format!("&{here}")
            }
        };
        arguments.insert(v, argument);
    }
    for (v, met) in interface.met_globals(globals) {
        let taken = Taken::from_parameter(routine, v);
        if taken.extents() > 0 {
            return Err(without_extent(routine, &taken.variable.name));
        }
        body += &format!("if ({met})\n    abort();\n");
    }
    let mut texts = Vec::new();
    for v in routine.parameter_ids() {
        // Elements are found without the extents of such.
        let taken = Taken::from_parameter(routine, v);
        texts.extend(vec!["0".to_owned(); taken.extents()]);
        let Some(argument) = arguments.remove(&v) else {
            let why = format!("`{}` is no parameter of the function", taken.variable.name);
            return Err(refused(routine, &why));
        };
        texts.push(argument);
    }
    // A function that needs memory has one around it, which takes all.
    if let Some(made) = file
        .made_function(r, false)
        .filter(|made| made.name == plain)
    {
        texts = made.used_arguments(texts);
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
    let value = interface.fresh("value");
    let ty = result.map_or_else(String::new, |v| file.type_of(v.ty));
    let returned = match (result, memory) {
        (Some(_), true) => format!("return (void *){value};\n"),
        (Some(_), false) => format!("return {value};\n"),
        (None, _) => String::new(),
    };
    if let (Some(of), true) = (result, memory) {
        let count = match &*of.shape {
            [
                Dim {
                    extent: Extent::Fixed(e),
                    ..
                },
            ] if !file.checks => interface.integer(e),
            _ => None,
        };
        let count = count
            .ok_or_else(|| refused(routine, "the extent of its result is computed, or checked"))?;
        body += &format!(
            "{ty} *{value} = calloc({count} > 0 ? (size_t)({count}) : 1, sizeof *{value});\n\
             if (!{value})\n    abort();\n"
        );
        texts.push(value);
    } else if result.is_some() && returns_status {
        body += &format!("{ty} {value} = {{0}};\n");
        texts.push(format!("&{value}"));
    }
    if returns_status && file.checks {
        texts.push("NULL".to_owned());
    }
    let call = format!("{plain}({})", texts.join(", "));
    body += &match (returns_status, result) {
        (true, _) => format!("if ({call})\n    abort();\n{returned}"),
        (false, Some(_)) if !memory => format!("return {call};\n"),
        (false, _) => format!("{call};\n{returned}"),
    };
    let unused = silence(&body, names.iter().map(String::as_str));
    body.insert_str(0, &unused);
    let named = format!("{name}({})", list(parameters));
    let head = text.replace('$', &ty).replace('@', &named);
    Ok(Public::new(head, &body))
}

/// The variables that a routine names otherwise than by elements, so that it may need their extents.
struct Sized(HashSet<VarId>);

impl<'ir> Visit<'ir> for Sized {
    fn visit_place(&mut self, place: &'ir Place, role: PlaceRole) {
        walk_place(self, place);
        let bound = matches!(role, PlaceRole::Bind { .. });
        if bound || !place.is_element() || place.subscripts.len() > 1 {
            self.0.insert(place.var);
        }
    }
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
fn inner_extents(interface: &mut Interface<'_>, text: &str, variable: &Variable) -> Option<String> {
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
            None => interface.integer(e)?,
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
