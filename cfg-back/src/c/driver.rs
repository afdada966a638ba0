//! A program around functions: it reads arguments from standard input, calls, and writes what the function leaves.
//!
//! All numbers are in the machine's own form. A request is the number of the function, how many calls are to be timed, its
//! arguments, and the cells of all globals that own storage, in order. An argument is whether it is given,
//! the number of its cells, for each dimension an integer, which is the extent if that is deferred and 0 if it is not, and
//! then its cells.
//!
//! The answer to a request for 0 calls, which makes one, is the status, the bytes that are left on the tape, the counts of
//! `struct cfgrev_use`, which are 0 if nothing is counted, the result of a function, of an array behind its extents, the cells of
//! all arguments that are given and not only read, and the cells of the globals. The answer to a
//! request for more is the status and the seconds that the calls took together, as a real: each begins with the values of
//! the request, and one before the first is not counted.

use super::{
    file::{File, Made},
    returned::{self, Returned},
};
use cfg_core::{
    entity::{GlobalId, RoutineId},
    ir::{Extent, Intent, Role, Routine, Variable},
};
use cfg_transform::lower::is_passed_by_value;
use std::fmt::Write as _;

/// Functions in place of those of the tape, which count in `cfgrev_use` and go behind [`head`].
pub(super) fn counting() -> String {
    let mut values = String::new();
    for (name, ty, bits) in [
        ("real", "double", 64),
        ("real32", "float", 32),
        ("integer", "int64_t", 64),
    ] {
        let made = COUNTED.replace("@NAME@", name).replace("@TYPE@", ty);
        values.push_str(&made.replace("@BITS@", &bits.to_string()));
    }
    include_str!("counting.c").replace("@VALUES@", &values)
}

/// Push and pop of a type that are counted.
const COUNTED: &str = "\
CFGREV_INLINE void cfgrev_counted_push_@NAME@(struct cfgrev_top *top, @TYPE@ value)
{
    cfgrev_push_@NAME@(top, value);
    ++cfgrev_use.pushes;
    ++cfgrev_use.@NAME@;
    cfgrev_hold(@BITS@);
}

CFGREV_INLINE @TYPE@ cfgrev_counted_pop_@NAME@(struct cfgrev_top *top)
{
    ++cfgrev_use.pops;
    cfgrev_hold(-@BITS@);
    return cfgrev_pop_@NAME@(top);
}

#define cfgrev_push_@NAME@ cfgrev_counted_push_@NAME@
#define cfgrev_pop_@NAME@ cfgrev_counted_pop_@NAME@

";

/// The names of what functions of the driver declare: a routine of such a name could not be called there.
pub(super) const LOCALS: [&str; 16] = [
    "a", "begin", "calls", "done", "extents", "k", "kept", "left", "length", "mark", "message",
    "seconds", "sizes", "status", "tape", "value",
];

/// What all driver functions use.
pub(super) fn head() -> &'static str {
    include_str!("driver.c")
}

/// What comes before all headers, so that there is a clock for [`head`].
pub(super) fn first() -> &'static str {
    "#ifndef _POSIX_C_SOURCE\n#define _POSIX_C_SOURCE 199309L\n#endif\n"
}

/// The function of this name, which serves one request for a routine.
pub(super) fn function(file: &File<'_>, r: RoutineId, name: &str) -> Option<String> {
    let made = file.made(r, false)?;
    let routine = file.program.routine(r);
    let mut text = format!("static int {name}(int64_t calls)\n{{\n");
    let count = routine.parameter_ids().len().max(1);
    let owners: Vec<String> = (0..file.program.globals.len())
        .map(GlobalId::new)
        .filter(|g| file.program.global(*g).overlay.is_none())
        .filter_map(|g| file.globals.owner(g))
        .collect();
    let room = count + owners.len();
    let ranks = routine.parameter_ids().map(|p| routine.variable(p));
    let most = ranks.filter(|v| !v.ty.is_tape()).map(Variable::rank).max();
    if let Some(most) = most {
        let _ = writeln!(text, "    int64_t sizes[{count}][{}];", most.max(1));
    }
    let _ = write!(
        text,
        "    struct cfgrev_argument a[{count}];\n    struct cfgrev_kept kept[{room}];\n    struct cfgrev_tape tape = {{0}};\n    \
         int64_t status = 0;\n    int k = 0;\n"
    );
    let result = returned::scalar(routine).map(|ty| file.c_type(ty));
    if let Some(ty) = result {
        let _ = writeln!(text, "    {ty} value;");
    }
    text.push_str(&declared_array(file, routine));
    text.push_str("    memset(a, 0, sizeof a);\n    memset(kept, 0, sizeof kept);\n    memset(&cfgrev_use, 0, sizeof cfgrev_use);\n");
    if let Some(ty) = result {
        let _ = writeln!(text, "    memset(&value, 0, sizeof(({ty}){{0}}));");
    }
    for (k, p) in routine.parameter_ids().enumerate() {
        let variable = routine.variable(p);
        if !variable.ty.is_tape() {
            let ty = file.c_type(variable.ty);
            let _ = writeln!(
                text,
                "    if (cfgrev_read_argument(&a[{k}], sizeof({ty}), sizes[{k}], {}))\n        return 1;",
                variable.rank()
            );
        }
    }
    for owner in &owners {
        let _ = writeln!(
            text,
            "    if (cfgrev_read(&{owner}, sizeof {owner}))\n        return 1;"
        );
    }
    if let Some(Returned::Given(n)) = Returned::of(routine) {
        let _ = writeln!(
            text,
            "    value = calloc({}, sizeof *value);\n    if (!value)\n        return 1;",
            n.max(1)
        );
    }
    let line = call(file, r, &made);
    text.push_str(&timed(file, routine, &owners, &line));
    let _ = writeln!(text, "    if (!calls) {{\n        {line}");
    text.push_str(&answer(file, routine, &owners));
    text.push_str("    }\n");
    for (k, p) in routine.parameter_ids().enumerate() {
        if !routine.variable(p).ty.is_tape() {
            let _ = writeln!(text, "    free(a[{k}].cells);");
        }
    }
    if let Some(Returned::Given(_)) = Returned::of(routine) {
        text.push_str("    free(value);\n");
    }
    text.push_str("    while (k > 0)\n        free(kept[--k].before);\n    cfgrev_tape_free(&tape);\n    return 0;\n}\n\n");
    if file.checks {
        text = super::faults::logicals(&text);
    }
    Some(text)
}

/// The declarations of an array that is the result.
fn declared_array(file: &File<'_>, routine: &Routine) -> String {
    let (Some(how), Some(result)) = (Returned::of(routine), returned::array(routine)) else {
        return String::new();
    };
    let (ty, rank) = (file.c_type(result.ty), result.rank());
    let extents: Vec<String> = match how {
        Returned::Given(_) => {
            let all = returned::constants(result).unwrap_or_default();
            all.iter().map(i64::to_string).collect()
        }
        Returned::Made => vec!["0".to_owned()],
    };
    let extents = extents.join(", ");
    format!("    {ty} *value = NULL;\n    int64_t extents[{rank}] = {{{extents}}};\n")
}

/// True for a parameter whose cells are part of the answer.
fn is_written(variable: &Variable) -> bool {
    !variable.ty.is_tape()
        && matches!(variable.role, Role::Parameter { intent, .. } if intent != Intent::In)
}

/// The statement that calls the function of a routine with the arguments that were read.
fn call(file: &File<'_>, r: RoutineId, made: &Made) -> String {
    let routine = file.program.routine(r);
    let mut arguments = Vec::new();
    for (k, p) in routine.parameter_ids().enumerate() {
        let variable = routine.variable(p);
        if variable.ty.is_tape() {
            arguments.push("&tape".to_owned());
            continue;
        }
        for (d, dim) in variable.shape.iter().enumerate() {
            if dim.extent == Extent::Deferred {
                arguments.push(format!("sizes[{k}][{d}]"));
            }
        }
        if file.checks && variable.rank() > 0 {
            arguments.push(format!("a[{k}].given ? a[{k}].count : -1"));
        }
        let ty = file.c_type(variable.ty);
        arguments.push(if is_passed_by_value(routine, p) {
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
    let memory = made.last_arguments("&tape");
    let memory: &[&str] = &memory.iter().map(String::as_str).collect::<Vec<_>>();
    let call = |last: &[&str]| match Returned::of(routine) {
        None => call(last),
        Some(Returned::Given(_)) => call(&[&["value"], last].concat()),
        Some(Returned::Made) => call(&[&["&value", "extents"], last].concat()),
    };
    match (made.can_fail, returned::scalar(routine).is_some()) {
        (true, true) => format!("status = {};", call(&[&["&value"], memory].concat())),
        (true, false) => format!("status = {};", call(memory)),
        (false, true) => format!("value = {};", call(memory)),
        (false, false) => format!("{};", call(memory)),
    }
}

/// Calls that are timed.
fn timed(file: &File<'_>, routine: &Routine, owners: &[String], line: &str) -> String {
    let mut text =
        "    if (calls > 0) {\n        double seconds = 0.0;\n        int64_t done;\n".to_owned();
    let made = Returned::of(routine) == Some(Returned::Made);
    let [mark, release] = match made {
        // What the function makes is given back.
        true => [
            "            const struct cfgrev_mark mark = cfgrev_mark_of(&tape.work);\n",
            "            cfgrev_release(&tape.work, mark);\n",
        ],
        false => ["", ""],
    };
    for (k, p) in routine.parameter_ids().enumerate() {
        let variable = routine.variable(p);
        if is_written(variable) {
            let ty = file.c_type(variable.ty);
            let _ = writeln!(
                text,
                "        if (a[{k}].given && cfgrev_keep(&kept[k++], a[{k}].cells, (size_t)a[{k}].count * sizeof({ty})))\n            \
                 return 1;"
            );
        }
    }
    for owner in owners {
        let _ = writeln!(
            text,
            "        if (cfgrev_keep(&kept[k++], &{owner}, sizeof {owner}))\n            return 1;"
        );
    }
    let _ = write!(
        text,
        "        for (done = 0; done <= calls && !status; ++done) {{
            double begin;
{mark}            cfgrev_restore(kept, k);
            begin = cfgrev_now();
            {line}
            if (done)
                seconds += cfgrev_now() - begin;
{release}        }}
        cfgrev_write(&status, sizeof status);
        cfgrev_write(&seconds, sizeof seconds);
    }}
"
    );
    text
}

/// The answer after a call.
fn answer(file: &File<'_>, routine: &Routine, owners: &[String]) -> String {
    let mut text = "        int64_t left = (int64_t)cfgrev_tape_bytes(&tape);
        cfgrev_write(&status, sizeof status);
"
    .to_owned();
    text.push_str(
        "        {
            const char *const message = status ? cfgrev_tape_message(&tape) : \"\";
            const int64_t length = (int64_t)strlen(message);
            cfgrev_write(&length, sizeof length);
            cfgrev_write(message, (size_t)length);
        }
        cfgrev_write(&left, sizeof left);
        cfgrev_write(&cfgrev_use, sizeof cfgrev_use);
",
    );
    match Returned::of(routine) {
        None if routine.result.is_some() => {
            text.push_str("        cfgrev_write(&value, sizeof value);\n");
        }
        None => {}
        // Of a call that fails there is nothing.
        Some(how) => {
            if how == Returned::Made {
                text.push_str(
                    "        if (status)\n            memset(extents, 0, sizeof extents);\n",
                );
            }
            let size = match (how, returned::array(routine)) {
                (Returned::Given(n), _) => n.to_string(),
                (Returned::Made, result) => {
                    let rank = result.map_or(0, Variable::rank);
                    let extents: Vec<String> = (0..rank).map(|k| format!("extents[{k}]")).collect();
                    extents.join("*")
                }
            };
            let _ = writeln!(
                text,
                "        cfgrev_write(extents, sizeof extents);\n        cfgrev_write(value, (size_t)({size}) * sizeof *value);"
            );
        }
    }
    for (k, p) in routine.parameter_ids().enumerate() {
        let variable = routine.variable(p);
        if is_written(variable) {
            let ty = file.c_type(variable.ty);
            let _ = writeln!(
                text,
                "        if (a[{k}].given)\n            cfgrev_write(a[{k}].cells, (size_t)a[{k}].count * sizeof({ty}));"
            );
        }
    }
    for owner in owners {
        let _ = writeln!(text, "        cfgrev_write(&{owner}, sizeof {owner});");
    }
    text
}

/// The function `main`, which serves requests until there are no more.
pub(super) fn main(functions: &[String]) -> String {
    let mut text = "int main(void)\n{\n    int64_t request[2];\n    while (!cfgrev_read(request, sizeof request)) {\n        int failed = 1;\n        switch (request[0]) {\n".to_owned();
    for (k, name) in functions.iter().enumerate() {
        let _ = writeln!(
            text,
            "        case {k}:\n            failed = {name}(request[1]);\n            break;"
        );
    }
    text.push_str("        default:\n            break;\n        }\n        if (failed || fflush(stdout))\n            return 2;\n    }\n    return 0;\n}\n");
    text
}
