//! Functions of a program itself for callers in other files, where what the file has inside takes more than they give.

use super::{
    Emitted, faults,
    file::{File, Made},
    interface::{Public, count},
    lines::Lines,
    names::Names,
    plain_records,
    returned::{self, Returned},
    routine::PlainHead,
};
use cfg_core::{
    entity::RoutineId,
    ir::{Extent, Intent, ScalarType},
};
use cfg_transform::lower::is_passed_by_value;

/// The function with checks that other files call. Its last parameter is a tape for the message; null is allowed.
fn with_checks(file: &File<'_>, r: RoutineId, function: &Made, name: &str) -> Public {
    let routine = file.program.routine(r);
    let mut names = Names::of_function();
    let plain = super::routine::plain_head(file, r, name, &mut names);
    let made = MadeResult::of(file, r, &plain, &mut names);
    let (head, arguments) = (plain.head, plain.arguments);
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
        let logical = variable.ty == ScalarType::Logical && !is_passed_by_value(routine, p);
        texts.push(match logical {
            true if variable.intent() == Some(Intent::In) => {
                format!("(const cfgrev_logical *){name}")
            }
            true => format!("(cfgrev_logical *){name}"),
            false => name,
        });
    }
    let result = routine.result.map(|r| routine.variable(r).ty);
    let cast = |value: String| match result {
        Some(ScalarType::Logical) => format!("(cfgrev_logical *){value}"),
        _ => value,
    };
    texts.extend(arguments.map(cast));
    texts.extend(made.iter().flat_map(MadeResult::arguments));
    texts.extend(function.last_arguments(&used));
    let mut lines = Lines::new(1);
    lines.line(format_args!("struct cfgrev_tape {own} = {{0}};"));
    lines.line(format_args!(
        "struct cfgrev_tape *const {used} = {tape} ? {tape} : &{own};"
    ));
    lines.line(format_args!(
        "const struct cfgrev_state {state} = cfgrev_begin({used});"
    ));
    let call = format!("{}({})", function.name, texts.join(", "));
    made.iter().for_each(|made| made.declare(&mut lines));
    if let Some(begin) = file.globals.begin() {
        lines.line(format_args!("int {status};"));
        lines.line(format_args!("{begin}();"));
        lines.line(format_args!("{status} = {call};"));
    } else {
        lines.line(format_args!("int {status} = {call};"));
    }
    if let Some(made) = &made {
        made.hand_over(&status, Some(&used), &mut lines);
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

/// The array that a function of the file makes for its result, and where a caller wants it.
struct MadeResult {
    /// The type of its elements inside of the file.
    ty: &'static str,
    /// The names of the array, its extents and a counter, and of the caller's array.
    cells: String,
    extents: String,
    counter: String,
    value: String,
    rank: usize,
    /// The dimensions of which the caller says the extents, and their names.
    deferred: Vec<(usize, String)>,
    routine: String,
}

impl MadeResult {
    fn of(file: &File<'_>, r: RoutineId, head: &PlainHead, names: &mut Names) -> Option<Self> {
        let routine = file.program.routine(r);
        let result = returned::array(routine)?;
        if Returned::of(routine) != Some(Returned::Made) {
            return None;
        }
        let [cells, extents, counter] =
            ["cells", "extents", "k"].map(|n| names.fresh(n, Some(&file.names)));
        Some(Self {
            ty: match result.ty == ScalarType::Logical && file.checks {
                true => "cfgrev_logical",
                false => file.c_type(result.ty),
            },
            cells,
            extents,
            counter,
            value: head.value.clone(),
            rank: result.rank(),
            deferred: (returned::deferred(routine).into_iter())
                .zip(head.extents.iter().cloned())
                .collect(),
            routine: routine.name.clone(),
        })
    }

    fn arguments(&self) -> [String; 2] {
        [format!("&{}", self.cells), self.extents.clone()]
    }

    fn declare(&self, lines: &mut Lines) {
        let (ty, cells, extents, rank) = (self.ty, &self.cells, &self.extents, self.rank);
        lines.line(format_args!("{ty} *{cells} = NULL;"));
        lines.line(format_args!("int64_t {extents}[{rank}] = {{0}};"));
    }

    /// The caller gets its array, if it has said the right extents.
    fn hand_over(&self, status: &str, tape: Option<&str>, lines: &mut Lines) {
        let (value, extents, k) = (&self.value, &self.extents, &self.counter);
        let differs = |(d, name): &(usize, String)| format!("{extents}[{d}] != {name}");
        let differ: Vec<String> = self.deferred.iter().map(differs).collect();
        if !differ.is_empty() {
            lines.open(format_args!("if (!{status} && ({}))", differ.join(" || ")));
            lines.line(format_args!("{status} = 4;"));
            if let Some(tape) = tape {
                let message = faults::other_shape(&self.routine);
                lines.line(format_args!("{tape}->message = {message};"));
            }
            lines.close();
        }
        let size: Vec<String> = (0..self.rank).map(|d| format!("{extents}[{d}]")).collect();
        let size = size.join("*");
        lines.line(format_args!(
            "for (int64_t {k} = 0; !{status} && {k} < {size}; ++{k})"
        ));
        let to = match self.ty {
            "cfgrev_logical" => format!("((cfgrev_logical *){value})"),
            _ => value.clone(),
        };
        lines.line(format_args!("    {to}[{k}] = {}[{k}];", self.cells));
    }
}

/// A function that calls one which needs memory for work arrays.
fn with_memory(file: &File<'_>, r: RoutineId, name: &str) -> Option<Public> {
    let made = file.made(r, false)?;
    if file.checks {
        return Some(with_checks(file, r, &made, name));
    }
    let routine = file.program.routine(r);
    let mut names = Names::of_function();
    let plain = super::routine::plain_head(file, r, name, &mut names);
    let result = MadeResult::of(file, r, &plain, &mut names);
    let (head, mut arguments) = (plain.head, plain.arguments);
    let mut lines = Lines::new(1);
    let tape = routine
        .parameter_ids()
        .find(|p| routine.variable(*p).ty.is_tape());
    let [memory, status, mark] =
        ["memory", "status", "mark"].map(|n| names.fresh(n, Some(&file.names)));
    match tape.and_then(|p| arguments.get(super::routine::position(routine, p)).cloned()) {
        Some(tape) if result.is_none() => {
            arguments.push(tape);
            lines.line(format_args!(
                "return {}({});",
                made.name,
                arguments.join(", ")
            ));
        }
        tape => {
            let work = match &tape {
                Some(tape) => tape.clone(),
                None => format!("&{memory}"),
            };
            if tape.is_none() {
                lines.line(format_args!("struct cfgrev_tape {memory} = {{0}};"));
            }
            arguments.extend(result.iter().flat_map(MadeResult::arguments));
            arguments.extend(made.last_arguments(&work));
            let call = format!("{}({})", made.name, arguments.join(", "));
            if let Some(result) = &result {
                result.declare(&mut lines);
                if let Some(tape) = &tape {
                    lines.line(format_args!(
                        "const struct cfgrev_mark {mark} = cfgrev_mark_of(&{tape}->work);"
                    ));
                }
                lines.line(format_args!("int {status} = {call};"));
                result.hand_over(&status, None, &mut lines);
                match &tape {
                    Some(tape) => {
                        lines.line(format_args!("cfgrev_release(&{tape}->work, {mark});"));
                    }
                    None => lines.line(format_args!("cfgrev_tape_free(&{memory});")),
                }
                lines.line(format_args!("return {status};"));
            } else if made.can_fail {
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
///
/// # Errors
/// Records that callers cannot pass.
pub(super) fn public(
    file: &File<'_>,
    r: RoutineId,
    name: &str,
    functions: &mut String,
) -> Emitted<String> {
    if file.has_records(r) {
        let made = plain_records::function(file, r, name)?;
        functions.push_str(&made.text);
        functions.push('\n');
        return Ok(made.head);
    }
    if file.made(r, false).is_some_and(|made| made.needs_memory)
        && let Some(made) = with_memory(file, r, name)
    {
        functions.push_str(&made.text);
        functions.push('\n');
        return Ok(made.head);
    }
    Ok(super::routine::prototype(file, r, false))
}
