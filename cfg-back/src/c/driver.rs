//! A program around functions: it reads arguments from standard input, calls, and writes what the function leaves.
//!
//! All numbers are in the machine's own form. A request is the number of the function, its arguments, and the cells of
//! all globals that own storage, in order. An argument is 17 integers, whether it is given, the number of its cells, and
//! up to 15 deferred extents, and then its cells. The answer is the status, the result of a function, the cells of all
//! arguments that are given and not only read, and the cells of the globals.

use super::{file::File, variable::c_type, writer::is_by_value};
use cfg_core::{
    entity::{GlobalId, RoutineId},
    ir::{Extent, Intent, Role},
};
use std::fmt::Write as _;

/// What all driver functions use.
pub(super) fn head() -> &'static str {
    include_str!("driver.c")
}

/// The function of this name, which serves one request for a routine.
pub(super) fn function(file: &File<'_>, r: RoutineId, name: &str) -> Option<String> {
    let made = file.made(r, false)?;
    let routine = file.program.routine(r);
    let mut text = format!("static int {name}(void)\n{{\n");
    let count = routine.parameter_ids().len().max(1);
    let _ = write!(
        text,
        "    struct cfgrev_argument a[{count}];\n    struct cfgrev_tape tape = {{0}};\n    int64_t status = 0;\n"
    );
    let result = routine.result.map(|r| c_type(routine.variable(r).ty));
    if let Some(ty) = result {
        let _ = writeln!(text, "    {ty} value;");
    }
    text.push_str("    memset(a, 0, sizeof a);\n");
    if let Some(ty) = result {
        let _ = writeln!(text, "    memset(&value, 0, sizeof(({ty}){{0}}));");
    }
    for (k, p) in routine.parameter_ids().enumerate() {
        let variable = routine.variable(p);
        if !variable.ty.is_tape() {
            let ty = c_type(variable.ty);
            let _ = writeln!(
                text,
                "    if (cfgrev_read_argument(&a[{k}], sizeof({ty})))\n        return 1;"
            );
        }
    }
    let owners: Vec<String> = (0..file.program.globals.len())
        .map(GlobalId::new)
        .filter(|g| file.program.global(*g).overlay.is_none())
        .filter_map(|g| file.globals.owner(g))
        .collect();
    for owner in &owners {
        let _ = writeln!(
            text,
            "    if (cfgrev_read(&{owner}, sizeof {owner}))\n        return 1;"
        );
    }
    let mut arguments = Vec::new();
    for (k, p) in routine.parameter_ids().enumerate() {
        let variable = routine.variable(p);
        if variable.ty.is_tape() {
            arguments.push("&tape".to_owned());
            continue;
        }
        for (d, dim) in variable.shape.iter().enumerate() {
            if dim.extent == Extent::Deferred {
                arguments.push(format!("a[{k}].extents[{d}]"));
            }
        }
        if file.checks && variable.rank() > 0 {
            arguments.push(format!("a[{k}].given ? a[{k}].count : -1"));
        }
        let ty = c_type(variable.ty);
        arguments.push(if is_by_value(routine, p) {
            format!("*({ty} *)a[{k}].cells")
        } else {
            format!("({ty} *)a[{k}].cells")
        });
    }
    let call = |last: &[&str]| {
        let all = arguments
            .iter()
            .map(String::as_str)
            .chain(last.iter().copied());
        format!("{}({})", made.name, all.collect::<Vec<_>>().join(", "))
    };
    let memory: &[&str] = if made.needs_memory { &["&tape"] } else { &[] };
    let line = match (made.can_fail, result) {
        (true, Some(_)) => format!("status = {};", call(&[&["&value"], memory].concat())),
        (true, None) => format!("status = {};", call(memory)),
        (false, Some(_)) => format!("value = {};", call(memory)),
        (false, None) => format!("{};", call(memory)),
    };
    let _ = writeln!(
        text,
        "    {line}\n    cfgrev_write(&status, sizeof status);"
    );
    if file.checks {
        text.push_str("    {\n        const char *const message = status ? cfgrev_tape_message(&tape) : \"\";\n        const int64_t length = (int64_t)strlen(message);\n        cfgrev_write(&length, sizeof length);\n        cfgrev_write(message, (size_t)length);\n    }\n");
    }
    if result.is_some() {
        text.push_str("    cfgrev_write(&value, sizeof value);\n");
    }
    for (k, p) in routine.parameter_ids().enumerate() {
        let variable = routine.variable(p);
        let writes =
            matches!(variable.role, Role::Parameter { intent, .. } if intent != Intent::In);
        if variable.ty.is_tape() {
            continue;
        }
        if writes {
            let ty = c_type(variable.ty);
            let _ = writeln!(
                text,
                "    if (a[{k}].given)\n        cfgrev_write(a[{k}].cells, (size_t)a[{k}].count * sizeof({ty}));"
            );
        }
        let _ = writeln!(text, "    free(a[{k}].cells);");
    }
    for owner in &owners {
        let _ = writeln!(text, "    cfgrev_write(&{owner}, sizeof {owner});");
    }
    text.push_str("    cfgrev_tape_free(&tape);\n    return 0;\n}\n\n");
    if file.checks {
        text = super::faults::logicals(&text);
    }
    Some(text)
}

/// The function `main`, which serves requests until there are no more.
pub(super) fn main(functions: &[String]) -> String {
    let mut text = "int main(void)\n{\n    int64_t request;\n    while (!cfgrev_read(&request, sizeof request)) {\n        int failed = 1;\n        switch (request) {\n".to_owned();
    for (k, name) in functions.iter().enumerate() {
        let _ = writeln!(
            text,
            "        case {k}:\n            failed = {name}();\n            break;"
        );
    }
    text.push_str("        default:\n            break;\n        }\n        if (failed || fflush(stdout))\n            return 2;\n    }\n    return 0;\n}\n");
    text
}
