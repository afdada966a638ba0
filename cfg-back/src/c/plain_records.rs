//! Functions of a program itself with records as structures, around those of the file that have a parameter for each field.

use super::{
    Emitted, codes,
    file::File,
    handing::{Handing, Taker},
    interface::Public,
    lines::Lines,
    parameters::{Interface, Passed},
    returned,
    structs::Home,
};
use cfg_core::{
    diagnostic::Diagnostic,
    entity::RoutineId,
    ir::{Dim, Extent, Intent, ParameterRole},
};
use cfg_transform::lower::is_passed_by_value;

/// The function of this name. One that cannot fail returns its value, also if that is a record; another one returns a status, and a
/// last pointer takes the value.
///
/// # Errors
/// Records that callers cannot pass.
pub(super) fn function(file: &File<'_>, r: RoutineId, name: &str) -> Emitted<Public> {
    let (routine, outside) = (file.program.routine(r), file.outside().routine(r));
    let Some(made) = file.made(r, false) else {
        let message = format!("there is no function for `{}`", routine.name);
        return Err(malformed(message));
    };
    if returned::array(routine).is_some() {
        let message = format!("`{}` takes records and returns an array", routine.name);
        let code = &codes::RECORDS;
        return Err(Box::new(Diagnostic::error(code, message, code.explanation)));
    }
    let mut interface = Interface::plain(file, r);
    let [own, used, status, mark] =
        ["memory", "used", "status", "mark"].map(|n| interface.names.fresh(n, Some(&file.names)));
    let value = interface.names.fresh("value", Some(&file.names));
    let result = outside.result.map(|v| outside.variable(v).ty);
    let mut handing = Handing::new(&used, &status);
    let mut texts = Vec::new();
    let mut tape = None;
    // A record that is returned is a variable of the function.
    let returned_item = outside.result.and_then(|v| {
        let item = *interface.of_role.get(&ParameterRole::Primal(v))?;
        Some((item, interface.items[item].name.clone()))
    });
    for p in routine.parameter_ids() {
        let variable = routine.variable(p);
        let home = file.structs.as_ref().and_then(|s| s.home(r, p));
        let Some(Home { variable: v, leaf }) = home else {
            return Err(malformed(format!("`{}` is no parameter", variable.name)));
        };
        let deferred = |dim: &Dim| dim.extent == Extent::Deferred;
        if variable.shape.iter().any(deferred) {
            texts.extend(interface.extents_of(v));
        }
        let Some(&item) = interface.of_role.get(&ParameterRole::Primal(v)) else {
            return Err(malformed(format!("`{}` is no parameter", variable.name)));
        };
        let by_value = is_passed_by_value(routine, p);
        let Some(leaf) = leaf else {
            let given = &mut interface.items[item];
            given.used = true;
            if variable.ty.is_tape() {
                tape.get_or_insert_with(|| given.name.clone());
            }
            texts.push(match (given.passed, by_value) {
                (Passed::Value, false) => format!("&{}", given.name),
                (Passed::Value, true) | (Passed::Constant | Passed::Pointer, false) => {
                    given.name.clone()
                }
                (Passed::Constant | Passed::Pointer, true) => format!("*{}", given.name),
            });
            continue;
        };
        let taker = Taker {
            by_value,
            writes: variable.intent().is_some_and(Intent::writes),
        };
        texts.push(handing.record(file, &mut interface, (r, v, item), false, leaf, &taker)?);
    }
    handing.apart(file, &mut interface, r)?;
    let can_fail = made.can_fail || handing.may_fail;
    let needs_memory = made.needs_memory || handing.may_fail;
    let scalar = returned::scalar(routine);
    let record = result.filter(|ty| ty.record().is_some());
    let (mut lines, mut parameters) = (Lines::new(1), Vec::new());
    let is_returned = |k: usize, item: &Option<(usize, String)>| {
        item.as_ref().is_some_and(|(item, _)| *item == k)
    };
    if let (true, Some(ty), Some((_, name))) = (!can_fail, record, &returned_item) {
        // The caller gets a copy.
        lines.line(format_args!("{} {value} = {{0}};", file.type_of(ty)));
        lines.line(format_args!(
            "{} *const {name} = &{value};",
            file.type_of(ty)
        ));
    }
    if needs_memory && tape.is_none() {
        lines.line(format_args!("struct cfgrev_tape {own} = {{0}};"));
    }
    if needs_memory {
        let memory = tape.clone().unwrap_or_else(|| format!("&{own}"));
        lines.line(format_args!("struct cfgrev_tape *const {used} = {memory};"));
        if tape.is_some() {
            lines.line(format_args!(
                "const struct cfgrev_mark {mark} = cfgrev_mark_of(&{used}->work);"
            ));
        }
    }
    if can_fail {
        lines.line(format_args!("int {status} = 0;"));
    }
    handing.before.iter().for_each(|line| lines.line(line));
    for (k, item) in interface.items.iter().enumerate() {
        if !item.used && !is_returned(k, &returned_item) {
            lines.line(format_args!("(void){};", item.name));
        }
    }
    if let (true, Some(_), Some((_, name))) = (made.can_fail, scalar, &returned_item) {
        texts.push(name.clone());
    }
    if made.needs_memory {
        texts.push(used.clone());
    }
    let call = format!("{}({})", made.name, texts.join(", "));
    let guard = if handing.may_fail {
        format!("if (!{status}) ")
    } else {
        String::new()
    };
    let plain_value = scalar.filter(|_| !made.can_fail);
    match (made.can_fail, plain_value, &returned_item) {
        (true, ..) => lines.line(format_args!("{guard}{status} = {call};")),
        (false, Some(_), Some((_, name))) if can_fail => {
            lines.line(format_args!("{guard}*{name} = {call};"));
        }
        (false, Some(ty), _) => {
            lines.line(format_args!("const {} {value} = {call};", file.type_of(ty)));
        }
        (false, None, _) => lines.line(format_args!("{guard}{call};")),
    }
    handing.after.iter().for_each(|line| lines.line(line));
    if needs_memory {
        match &tape {
            Some(_) => lines.line(format_args!("cfgrev_release(&{used}->work, {mark});")),
            None => lines.line(format_args!("cfgrev_tape_free(&{own});")),
        }
    }
    let returns = match (can_fail, result) {
        (true, _) => {
            lines.line(format_args!("return {status};"));
            "int".to_owned()
        }
        (false, Some(ty)) => {
            lines.line(format_args!("return {value};"));
            file.type_of(ty)
        }
        (false, None) => "void".to_owned(),
    };
    // A value that is returned is no parameter.
    for (k, item) in interface.items.into_iter().enumerate() {
        if can_fail || !is_returned(k, &returned_item) {
            parameters.push(item.declaration);
        }
    }
    if parameters.is_empty() {
        parameters.push("void".to_owned());
    }
    let head = format!("{returns} {name}({})", parameters.join(", "));
    let text = format!("{head}\n{{\n{}}}\n", lines.into_text());
    Ok(Public { head, text })
}

fn malformed(message: String) -> super::Failed {
    let help = "report it with the program";
    Box::new(Diagnostic::error(&codes::MALFORMED, message, help))
}
