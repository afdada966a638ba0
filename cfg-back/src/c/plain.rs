//! Functions of a program itself for callers in other files, where what the file has inside takes more than they give.

use super::{
    file::{File, Made},
    interface::{Public, count},
    lines::Lines,
    names::Names,
    writer::is_by_value,
};
use cfg_core::{
    entity::RoutineId,
    ir::{Extent, Intent, ScalarType},
};

/// The function with checks that other files call. Its last parameter is a tape for the message; null is allowed.
fn with_checks(file: &File<'_>, r: RoutineId, made: &Made, name: &str) -> Public {
    let routine = file.program.routine(r);
    let mut names = Names::of_function();
    let (head, arguments) = super::routine::plain_head(file, r, name, &mut names);
    let [tape, own, used, state, status] =
        ["tape", "own", "used", "state", "status"].map(|n| names.fresh(n, Some(&file.names)));
    let mut texts = Vec::with_capacity(arguments.len());
    let mut arguments = arguments.into_iter();
    for p in routine.parameter_ids() {
        let variable = routine.variable(p);
        let deferred = |dim: &&cfg_core::ir::Dim| dim.extent == Extent::Deferred;
        for _ in variable.shape.iter().filter(deferred) {
            texts.extend(arguments.next());
        }
        let Some(name) = arguments.next() else {
            continue;
        };
        if variable.rank() > 0 {
            texts.push(count(&name, variable.role));
        }
        let logical = variable.ty == ScalarType::Logical && !is_by_value(routine, p);
        texts.push(match logical {
            true if variable.intent() == Some(Intent::In) => {
                format!("(const cfgrev_logical *){name}")
            }
            true => format!("(cfgrev_logical *){name}"),
            false => name,
        });
    }
    let result = routine.result.map(|r| routine.variable(r).ty);
    texts.extend(arguments.map(|value| match result {
        Some(ScalarType::Logical) => format!("(cfgrev_logical *){value}"),
        _ => value,
    }));
    texts.push(used.clone());
    let mut lines = Lines::new(1);
    lines.line(format_args!("struct cfgrev_tape {own} = {{0}};"));
    lines.line(format_args!(
        "struct cfgrev_tape *const {used} = {tape} ? {tape} : &{own};"
    ));
    lines.line(format_args!(
        "const struct cfgrev_state {state} = cfgrev_begin({used});"
    ));
    let call = format!("{}({})", made.name, texts.join(", "));
    if let Some(begin) = file.globals.begin() {
        lines.line(format_args!("int {status};"));
        lines.line(format_args!("{begin}();"));
        lines.line(format_args!("{status} = {call};"));
    } else {
        lines.line(format_args!("int {status} = {call};"));
    }
    lines.line(format_args!(
        "{status} = cfgrev_end_checked({used}, &{state}, {status});"
    ));
    lines.line(format_args!("cfgrev_tape_free(&{own});"));
    lines.line(format_args!("return {status};"));
    let parameters = head.strip_suffix(')').unwrap_or(&head);
    let parameters = match parameters.strip_suffix("(void") {
        Some(name) => format!("{name}("),
        None => format!("{parameters}, "),
    };
    let head = format!("{parameters}struct cfgrev_tape *{tape})");
    let text = format!("{head};\n\n{head}\n{{\n{}}}\n", lines.into_text());
    Public { head, text }
}

/// A function that calls one which needs memory for work arrays.
fn with_memory(file: &File<'_>, r: RoutineId, name: &str) -> Option<Public> {
    let made = file.made(r, false)?;
    if file.checks {
        return Some(with_checks(file, r, &made, name));
    }
    let routine = file.program.routine(r);
    let mut names = Names::of_function();
    let (head, arguments) = super::routine::plain_head(file, r, name, &mut names);
    let mut lines = Lines::new(1);
    let mut arguments: Vec<String> = arguments;
    let tape = routine
        .parameter_ids()
        .find(|p| routine.variable(*p).ty.is_tape());
    let [memory, status] = ["memory", "status"].map(|n| names.fresh(n, Some(&file.names)));
    match tape.and_then(|p| arguments.get(super::routine::position(routine, p)).cloned()) {
        Some(tape) => {
            arguments.push(tape);
            lines.line(format_args!(
                "return {}({});",
                made.name,
                arguments.join(", ")
            ));
        }
        None => {
            lines.line(format_args!("struct cfgrev_tape {memory} = {{0}};"));
            arguments.push(format!("&{memory}"));
            let call = format!("{}({})", made.name, arguments.join(", "));
            if made.can_fail {
                lines.line(format_args!("const int {status} = {call};"));
                lines.line(format_args!("cfgrev_tape_free(&{memory});"));
                lines.line(format_args!("return {status};"));
            } else {
                lines.line(format_args!("{call};"));
                lines.line(format_args!("cfgrev_tape_free(&{memory});"));
            }
        }
    }
    let text = format!("{head}\n{{\n{}}}\n", lines.into_text());
    Some(Public { head, text })
}

/// The declaration of a routine's function for callers in other files, by this name. One that needs memory has another
/// function around it, which is added to the text.
pub(super) fn public(file: &File<'_>, r: RoutineId, name: &str, functions: &mut String) -> String {
    if file.made(r, false).is_some_and(|made| made.needs_memory)
        && let Some(made) = with_memory(file, r, name)
    {
        functions.push_str(&made.text);
        functions.push('\n');
        return made.head;
    }
    super::routine::prototype(file, r, false)
}
