//! Functions of a program itself for callers in other files, where what the file has inside takes more than they give,
//! or has a parameter for each field of a record.

use super::{
    Emitted, Failed,
    adapter::{Adapter, Public, Session, Taken, call, list},
    codes, faults,
    file::{File, Made},
    names::{Names, silence},
    parameters::{Interface, Passed},
    returned::{self, Returned},
    routine::{PlainHead, plain_head, prototype},
};
use cfg_core::{
    diagnostic::Diagnostic,
    entity::RoutineId,
    ir::{ParameterRole, Routine, ScalarType, Variable},
};

/// The arguments of a function of the file that are the parameters of one with this head, and the first tape of them.
fn arguments(
    file: &File<'_>,
    routine: &Routine,
    head: &PlainHead,
    made: Option<&MadeResult<'_>>,
) -> (Vec<String>, Option<String>) {
    let (mut texts, mut tape) = (Vec::new(), None);
    let mut names = head.arguments.iter();
    for p in routine.parameter_ids() {
        let taken = Taken::from_parameter(routine, p);
        texts.extend(names.by_ref().take(taken.extents()).cloned());
        let passed = match taken.by_value {
            true => Passed::Value,
            false => Passed::Pointer,
        };
        if let Some(name) = names.next() {
            texts.extend(taken.arguments(file, name, passed));
            if taken.variable.ty.is_tape() {
                tape.get_or_insert_with(|| name.clone());
            }
        }
    }
    let result = routine.result.map(|r| routine.variable(r).ty);
    let cast = match result {
        Some(ScalarType::Logical) if file.checks => "(cfgrev_logical *)",
        _ => "",
    };
    texts.extend(names.map(|value| format!("{cast}{value}")));
    texts.extend(made.into_iter().flat_map(MadeResult::arguments));
    (texts, tape)
}

/// The lines that declare memory of a function's own for work arrays, note the end of that of a caller's tape, and free
/// it.
fn memory(from_caller: bool, own: &str, used: &str, mark: &str) -> [String; 3] {
    match from_caller {
        true => [
            String::new(),
            format!("const struct cfgrev_mark {mark} = cfgrev_mark_of(&{used}->work);\n"),
            format!("cfgrev_release(&{used}->work, {mark});\n"),
        ],
        false => [
            format!("struct cfgrev_tape {own} = {{0}};\n"),
            String::new(),
            format!("cfgrev_tape_free(&{own});\n"),
        ],
    }
}

/// The array that a function of the file makes for its result.
struct MadeResult<'a> {
    routine: &'a Routine,
    result: &'a Variable,
    /// The type of its elements inside of the file.
    ty: &'static str,
    /// The names of the array, its extents and a counter.
    names: [String; 3],
}

impl<'a> MadeResult<'a> {
    fn find(file: &File<'_>, routine: &'a Routine, names: &mut Names) -> Option<Self> {
        let result = returned::array_result(routine)?;
        (Returned::classify(routine) == Some(Returned::Made)).then(|| Self {
            routine,
            result,
            ty: match result.ty == ScalarType::Logical && file.checks {
                true => "cfgrev_logical",
                false => file.c_type(result.ty),
            },
            names: ["cells", "extents", "k"].map(|n| names.fresh(n, Some(&file.names))),
        })
    }

    fn arguments(&self) -> [String; 2] {
        let [cells, extents, _] = &self.names;
        [format!("&{cells}"), extents.clone()]
    }

    fn declarations(&self) -> String {
        let (ty, [cells, extents, _], rank) = (self.ty, &self.names, self.result.rank());
        format!("{ty} *{cells} = NULL;\nint64_t {extents}[{rank}] = {{0}};\n")
    }

    /// The caller gets its array, if it has said the right extents.
    fn hand_over(&self, head: &PlainHead, status: &str, tape: Option<&str>) -> String {
        let (value, [cells, extents, k]) = (&head.value, &self.names);
        let deferred = returned::deferred(self.routine);
        let differs = |(d, name): (&usize, &String)| format!("{extents}[{d}] != {name}");
        let differ: Vec<String> = deferred.iter().zip(&head.extents).map(differs).collect();
        let mut text = String::new();
        if !differ.is_empty() {
            let message = faults::other_shape(&self.routine.name);
            let said = tape.map(|tape| format!("    {tape}->message = {message};\n"));
            text = format!(
                "if (!{status} && ({})) {{\n    {status} = 4;\n{}}}\n",
                differ.join(" || "),
                said.unwrap_or_default()
            );
        }
        let size = (0..self.result.rank()).map(|d| format!("{extents}[{d}]"));
        let size = size.collect::<Vec<_>>().join("*");
        let to = match self.ty {
            "cfgrev_logical" => format!("((cfgrev_logical *){value})"),
            _ => value.clone(),
        };
        text + &format!(
            "for (int64_t {k} = 0; !{status} && {k} < {size}; ++{k})\n    {to}[{k}] = {cells}[{k}];\n"
        )
    }
}

/// A function that calls one which needs memory for work arrays. With checks its last parameter is a tape for the
/// message; null is allowed.
fn with_memory(file: &File<'_>, r: RoutineId, made: &Made, name: &str) -> Public {
    let routine = file.program.routine(r);
    let mut names = Names::of_function();
    let plain = plain_head(file, r, name, &mut names);
    let result = MadeResult::find(file, routine, &mut names);
    let (texts, tape) = arguments(file, routine, &plain, result.as_ref());
    let declarations = result.as_ref().map(MadeResult::declarations);
    let declarations = declarations.unwrap_or_default();
    let mut fresh = |name| names.fresh(name, Some(&file.names));
    if file.checks {
        let session = Session::new(true, true, fresh);
        let (used, status) = (&session.used, &session.status);
        let call = call(made, &texts, used);
        let call = match file.globals.begin() {
            Some(begin) => format!("int {status};\n{begin}();\n{status} = {call};\n"),
            None => format!("int {status} = {call};\n"),
        };
        let handed = result.map(|result| result.hand_over(&plain, status, Some(used)));
        let parts = [session.begin(), declarations, call];
        let body: String = parts.into_iter().chain(handed).collect();
        let body = silence(&body, plain.arguments.iter().map(String::as_str)) + &body;
        let parameters = plain.head.strip_suffix(')').unwrap_or(&plain.head);
        let parameters = match parameters.strip_suffix("(void") {
            Some(name) => format!("{name}("),
            None => format!("{parameters}, "),
        };
        let head = format!("{parameters}struct cfgrev_tape *{})", session.tape);
        return Public::new(head, &(body + &session.end()));
    }
    let [own, status, mark] = ["memory", "status", "mark"].map(&mut fresh);
    let work = tape.clone().unwrap_or_else(|| format!("&{own}"));
    let call = call(made, &texts, &work);
    let [begin, noted, end] = memory(tape.is_some(), &own, &work, &mark);
    let body = match (result, tape) {
        (None, Some(_)) => format!("return {call};\n"),
        (None, None) if !made.can_fail => format!("{begin}{call};\n{end}"),
        (None, None) => format!("{begin}const int {status} = {call};\n{end}return {status};\n"),
        (Some(result), _) => {
            let handed = result.hand_over(&plain, &status, None);
            format!(
                "{begin}{declarations}{noted}int {status} = {call};\n{handed}{end}return {status};\n"
            )
        }
    };
    let unused = silence(&body, plain.arguments.iter().map(String::as_str));
    Public::new(plain.head, &(unused + &body))
}

/// A function with records as structures. One that cannot fail returns its value, also if that is a record; another one
/// returns a status, and a last pointer takes the value.
///
/// # Errors
/// Records that callers cannot pass.
fn with_records(file: &File<'_>, r: RoutineId, name: &str) -> Emitted<Public> {
    let routine = file.program.routine(r);
    let Some(made) = file.made_function(r, false) else {
        let name = &routine.name;
        return Err(malformed(format!("there is no function for `{name}`")));
    };
    if returned::array_result(routine).is_some() {
        let message = format!("`{}` takes records and returns an array", routine.name);
        let code = &codes::RECORDS;
        return Err(Box::new(Diagnostic::error(code, message, code.explanation)));
    }
    let mut interface = Interface::plain(file, r);
    let [own, used, status, mark, value] =
        ["memory", "used", "status", "mark", "value"].map(|n| interface.fresh(n));
    let outside = interface.routine;
    let result = outside.result.map(|v| outside.variable(v).ty);
    let mut a = Adapter::new(interface, &used, &status);
    let mut tape = None;
    for p in routine.parameter_ids() {
        let taken = Taken::from_parameter(routine, p);
        if let Some((_, leaf)) = file.records.home(r, p) {
            if leaf == 0 {
                a.hand_structure(&taken, ParameterRole::Primal, p)?;
            }
            continue;
        }
        let Some(v) = a.hand(&taken, ParameterRole::Primal, p)? else {
            continue;
        };
        let Some(item) = a.interface.position(ParameterRole::Primal(v)) else {
            let name = &taken.variable.name;
            return Err(malformed(format!("`{name}` is no parameter")));
        };
        let item = &a.interface.items[item];
        if taken.variable.ty.is_tape() {
            tape.get_or_insert_with(|| item.name.clone());
        }
        a.texts
            .extend(taken.arguments(file, &item.name, item.passed));
    }
    a.keep_apart()?;
    let can_fail = made.can_fail || a.may_fail;
    // The pointer to the result comes last; a value that is returned is no parameter.
    let mut pointer = String::new();
    if let (Some(_), Some(item)) = (result, a.interface.items.last()) {
        pointer.clone_from(&item.name);
    }
    let mut body = String::new();
    let ty = result.map_or_else(|| "void".to_owned(), |ty| file.type_of(ty));
    if !can_fail && result.is_some_and(|ty| ty.record().is_some()) {
        // The caller gets a copy.
        body = format!("{ty} {value} = {{0}};\n{ty} *const {pointer} = &{value};\n");
    }
    let mut freed = String::new();
    if made.needs_memory || a.may_fail {
        let [begin, noted, end] = memory(tape.is_some(), &own, &used, &mark);
        let from = tape.unwrap_or_else(|| format!("&{own}"));
        body += &format!("{begin}struct cfgrev_tape *const {used} = {from};\n{noted}");
        freed = end;
    }
    if can_fail {
        body += &format!("int {status} = 0;\n");
    }
    body += &a.copies;
    let first = body.len();
    let scalar = returned::scalar_result(routine).is_some();
    if made.can_fail && scalar {
        a.texts.push(pointer.clone());
    }
    let call = a.call(&made, &used);
    let guard = match a.may_fail {
        true => format!("if (!{status}) "),
        false => String::new(),
    };
    let to = match (made.can_fail, scalar) {
        (true, _) => format!("{guard}{status} = "),
        (false, true) if can_fail => format!("{guard}*{pointer} = "),
        (false, true) => format!("const {ty} {value} = "),
        (false, false) => guard,
    };
    body += &format!("{to}{call};\n{}{freed}", a.after);
    let returns = if can_fail { "int" } else { &ty };
    if can_fail {
        body += &format!("return {status};\n");
    } else if result.is_some() {
        body += &format!("return {value};\n");
        a.interface.items.pop();
    }
    let unused = silence(&body, a.interface.parameter_names());
    body.insert_str(first, &unused);
    let parameters = list(a.interface.declarations().collect());
    let head = format!("{returns} {name}({parameters})");
    Ok(Public::new(head, &body))
}

fn malformed(message: String) -> Failed {
    let help = "report it with the program";
    Box::new(Diagnostic::error(&codes::MALFORMED, message, help))
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
    let made = match file.made_function(r, false) {
        _ if file.has_records(r) => with_records(file, r, name)?,
        Some(made) if made.needs_memory => with_memory(file, r, &made, name),
        Some(_) | None => return Ok(prototype(file, r, false)),
    };
    functions.push_str(&made.text);
    functions.push('\n');
    Ok(made.head)
}
