//! A program around functions: it reads arguments from standard input, calls, and writes what the function leaves.
//!
//! All numbers are in the machine's own form. A request is the number of the function, how many calls are to be timed,
//! its arguments, and the cells of all globals that own storage, in order. An argument is whether it is given, the
//! number of its cells, for each dimension an integer, which is the extent if that is deferred and 0 if it is not, and
//! then its cells.
//!
//! The answer to a request for 0 calls, which makes one, is the status, the bytes that are left on the tape, the counts
//! of `struct cfgrev_use`, which are 0 if nothing is counted, the result of a function, of an array behind its extents,
//! the cells of all arguments that are given and not only read, and the cells of the globals. The answer to a request
//! for more is the status and the seconds that the calls took together, as a real: each begins with the values of the
//! request, and one before the first is not counted.

use super::{
    adapter::{Taken, call},
    file::File,
    returned::{self, Returned},
};
use cfg_core::{
    entity::{GlobalId, RoutineId},
    ir::{Extent, Routine},
};
use std::fmt::Write as _;

/// Functions in place of those of the tape, those of files among them if there are any, which count in `cfgrev_use` and
/// go behind [`head`].
pub(super) fn counting(on_disk: bool) -> String {
    let mut values = String::new();
    for (name, ty, bits) in [
        ("real", "double", 64),
        ("real32", "float", 32),
        ("integer", "int64_t", 64),
    ] {
        let made = COUNTED.replace("@NAME@", name).replace("@TYPE@", ty);
        values.push_str(&made.replace("@BITS@", &bits.to_string()));
    }
    let disk = if on_disk {
        include_str!("counting_disk.c")
    } else {
        ""
    };
    include_str!("counting.c").replace("@VALUES@", &values) + disk
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

/// The code that all driver functions use.
pub(super) fn head() -> &'static str {
    include_str!("driver.c")
}

/// The lines before all headers, so that there is a clock for [`head`].
pub(super) fn first() -> &'static str {
    "#ifndef _POSIX_C_SOURCE\n#define _POSIX_C_SOURCE 199309L\n#endif\n"
}

/// The parts of the function that have to do with the result of a routine.
#[derive(Default)]
struct ResultText {
    declared: String,
    /// The lines before arguments are read, behind them, and last.
    cleared: String,
    allocated: String,
    freed: &'static str,
    /// The lines around calls that are timed.
    around: [&'static str; 2],
    /// The arguments of the call.
    arguments: &'static [&'static str],
    written: String,
}

impl ResultText {
    fn from_result(file: &File<'_>, routine: &Routine, can_fail: bool) -> Self {
        let mut made = Self::default();
        let Some(result) = routine.result.map(|r| routine.variable(r)) else {
            return made;
        };
        let (ty, rank) = (file.c_type(result.ty), result.rank());
        let (extents, size) = match Returned::classify(routine) {
            None => {
                made.declared = format!("    {ty} value;\n");
                made.cleared = format!("    memset(&value, 0, sizeof(({ty}){{0}}));\n");
                made.arguments = if can_fail { &["&value"] } else { &[] };
                "        cfgrev_write(&value, sizeof value);\n".clone_into(&mut made.written);
                return made;
            }
            Some(Returned::Given(n)) => {
                made.allocated = format!(
                    "    value = calloc({}, sizeof *value);\n    if (!value)\n        return 1;\n",
                    n.max(1)
                );
                made.freed = "    free(value);\n";
                made.arguments = &["value"];
                let extents = returned::constants(result).unwrap_or_default();
                let extents: Vec<String> = extents.iter().map(i64::to_string).collect();
                (extents.join(", "), n.to_string())
            }
            Some(Returned::Made) => {
                // Memory that the function takes is given back.
                made.around = [
                    "            const struct cfgrev_mark mark = cfgrev_mark_of(&tape.work);\n",
                    "            cfgrev_release(&tape.work, mark);\n",
                ];
                made.arguments = &["&value", "extents"];
                // Of a call that fails there is nothing.
                "        if (status)\n            memset(extents, 0, sizeof extents);\n"
                    .clone_into(&mut made.written);
                let extents: Vec<String> = (0..rank).map(|k| format!("extents[{k}]")).collect();
                ("0".to_owned(), extents.join("*"))
            }
        };
        made.declared =
            format!("    {ty} *value = NULL;\n    int64_t extents[{rank}] = {{{extents}}};\n");
        made.written += &format!(
            "        cfgrev_write(extents, sizeof extents);\n        \
                     cfgrev_write(value, (size_t)({size}) * sizeof *value);\n"
        );
        made
    }
}

/// The function of this name, which serves one request for a routine.
pub(super) fn function(file: &File<'_>, r: RoutineId, name: &str) -> Option<String> {
    let made = file.made_function(r, false)?;
    let routine = file.program.routine(r);
    let count = routine.parameter_ids().len().max(1);
    let owners: Vec<String> = (0..file.program.globals.len())
        .map(GlobalId::new)
        .filter(|g| file.program.global(*g).overlay.is_none())
        .filter_map(|g| file.globals.owner(g))
        .collect();
    let room = count + owners.len();
    let (mut arguments, mut most) = (Vec::new(), None);
    // The lines that read, keep, write and free arguments and globals.
    let [mut read, mut keep, mut write, mut free] = [const { String::new() }; 4];
    for (k, p) in routine.parameter_ids().enumerate() {
        let Taken {
            variable,
            by_value,
            writes,
        } = Taken::from_parameter(routine, p);
        if variable.ty.is_tape() {
            arguments.push("&tape".to_owned());
            continue;
        }
        let (ty, rank) = (file.c_type(variable.ty), variable.rank());
        most = most.max(Some(rank.max(1)));
        for (d, dim) in variable.shape.iter().enumerate() {
            if dim.extent == Extent::Deferred {
                arguments.push(format!("sizes[{k}][{d}]"));
            }
        }
        if file.checks && rank > 0 {
            arguments.push(format!("a[{k}].given ? a[{k}].count : -1"));
        }
        let sign = if by_value { "*" } else { "" };
        arguments.push(format!("{sign}({ty} *)a[{k}].cells"));
        read += &format!(
            "    if (cfgrev_read_argument(&a[{k}], sizeof({ty}), sizes[{k}], {rank}))\n        return 1;\n"
        );
        if writes {
            keep += &format!(
                "        if (a[{k}].given && cfgrev_keep(&kept[k++], a[{k}].cells, (size_t)a[{k}].count * sizeof({ty})))\n            \
                             return 1;\n"
            );
            write += &format!(
                "        if (a[{k}].given)\n            cfgrev_write(a[{k}].cells, (size_t)a[{k}].count * sizeof({ty}));\n"
            );
        }
        free += &format!("    free(a[{k}].cells);\n");
    }
    for owner in &owners {
        read += &format!("    if (cfgrev_read(&{owner}, sizeof {owner}))\n        return 1;\n");
        keep += &format!(
            "        if (cfgrev_keep(&kept[k++], &{owner}, sizeof {owner}))\n            return 1;\n"
        );
        write += &format!("        cfgrev_write(&{owner}, sizeof {owner});\n");
    }
    let ResultText {
        declared,
        cleared,
        allocated,
        freed,
        around: [mark, release],
        arguments: last,
        written,
    } = ResultText::from_result(file, routine, made.can_fail);
    arguments.extend(last.iter().map(|&argument| argument.to_owned()));
    let call = call(&made, &arguments, "&tape");
    let line = match (made.can_fail, returned::scalar_result(routine)) {
        (true, _) => format!("status = {call};"),
        (false, Some(_)) => format!("value = {call};"),
        (false, None) => format!("{call};"),
    };
    let sizes = most.map(|most| format!("    int64_t sizes[{count}][{most}];\n"));
    let sizes = sizes.unwrap_or_default();
    let text = format!(
        "static int {name}(int64_t calls)
{{
{sizes}    struct cfgrev_argument a[{count}];
    struct cfgrev_kept kept[{room}];
    struct cfgrev_tape tape = {{0}};
    int64_t status = 0;
    int k = 0;
{declared}    memset(a, 0, sizeof a);
    memset(kept, 0, sizeof kept);
    memset(&cfgrev_use, 0, sizeof cfgrev_use);
{cleared}{read}{allocated}    if (calls > 0) {{
        double seconds = 0.0;
        int64_t done;
{keep}        for (done = 0; done <= calls && !status; ++done) {{
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
    if (!calls) {{
        const char *const seconds = getenv(\"CFGREV_RESTART_SECONDS\");
        tape.restart.file = getenv(\"CFGREV_RESTART\");
        tape.restart.seconds = seconds ? atof(seconds) : 0.0;
        tape.restart.calls = ++cfgrev_calls;
        if (getenv(\"CFGREV_PROGRESS\"))
            tape.restart.report = cfgrev_report;
        {line}
        if (!status && tape.restart.forget)
            tape.restart.forget(&tape.restart);
        int64_t left = (int64_t)cfgrev_tape_bytes(&tape);
        cfgrev_write(&status, sizeof status);
        {{
            const char *const message = status ? cfgrev_tape_message(&tape) : \"\";
            const int64_t length = (int64_t)strlen(message);
            cfgrev_write(&length, sizeof length);
            cfgrev_write(message, (size_t)length);
        }}
        cfgrev_write(&left, sizeof left);
        cfgrev_write(&cfgrev_use, sizeof cfgrev_use);
{written}{write}    }}
{free}{freed}    while (k > 0)
        free(kept[--k].before);
    cfgrev_tape_free(&tape);
    return 0;
}}

"
    );
    Some(match file.checks {
        true => super::faults::logicals(&text),
        false => text,
    })
}

/// The function `main`, which serves requests until there are no more.
pub(super) fn main(functions: &[String]) -> String {
    let mut text = "int main(void)\n{\n    int64_t request[2];\n#ifdef SIGXFSZ\n    /* A file that is too long is an error of the write. */\n    signal(SIGXFSZ, SIG_IGN);\n#endif\n    while (!cfgrev_read(request, sizeof request)) {\n        int failed = 1;\n        switch (request[0]) {\n".to_owned();
    for (k, name) in functions.iter().enumerate() {
        let _ = writeln!(
            text,
            "        case {k}:\n            failed = {name}(request[1]);\n            break;"
        );
    }
    text.push_str("        default:\n            break;\n        }\n        if (failed || fflush(stdout))\n            return 2;\n    }\n    return 0;\n}\n");
    text
}
