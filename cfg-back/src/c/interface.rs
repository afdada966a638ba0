//! The functions that other files call: parameters of the original in their order, each that holds floating point
//! followed by its derivative, whether it is active or not.

use super::{
    Failed, GlobalNames, codes,
    file::{File, Made},
    lines::Lines,
    names::Names,
    variable::c_type,
    writer::is_by_value,
};
use cfg_core::{
    diagnostic::Diagnostic,
    entity::{RoutineId, VarId},
    ir::{Extent, Intent, ParameterRole, Role, Routine, ScalarType, Signature},
};
use std::collections::HashMap;

/// The way in which something is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Passed {
    Value,
    Constant,
    Pointer,
}

/// The kind of function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sweep {
    /// The forward sweep and the reverse sweep, one after the other.
    Gradient,
    /// What records.
    Forward,
    /// What computes adjoints.
    Reverse,
    /// Tangents.
    Tangent,
}

/// A parameter of the interface.
struct Item {
    declaration: String,
    name: String,
    passed: Passed,
    /// True if something of it is used.
    used: bool,
}

/// The parameters of a function for others, as they are collected.
struct Interface<'p> {
    names: Names,
    file: &'p File<'p>,
    original: &'p Routine,
    items: Vec<Item>,
    /// The parameter of each role, and the names of its extents.
    of_role: HashMap<ParameterRole, usize>,
    extents: HashMap<VarId, Vec<String>>,
}

impl<'p> Interface<'p> {
    fn add(
        &mut self,
        role: Option<ParameterRole>,
        ty: ScalarType,
        name: &str,
        passed: Passed,
    ) -> String {
        let name = self.names.fresh(name, Some(&self.file.names));
        let ty = c_type(ty);
        let declaration = match passed {
            Passed::Value => format!("{ty} {name}"),
            Passed::Constant => format!("const {ty} *{name}"),
            Passed::Pointer => format!("{ty} *{name}"),
        };
        if let Some(role) = role {
            self.of_role.insert(role, self.items.len());
        }
        self.items.push(Item {
            declaration,
            name: name.clone(),
            passed,
            used: false,
        });
        name
    }

    /// The parameters of a sweep of the original.
    fn of(file: &'p File<'p>, original: RoutineId, sweep: Sweep) -> Self {
        let routine = file.program.routine(original);
        let mut made = Self {
            names: Names::of_function(),
            file,
            original: routine,
            items: Vec::new(),
            of_role: HashMap::new(),
            extents: HashMap::new(),
        };
        for p in routine.parameter_ids() {
            let variable = routine.variable(p);
            let mut extents = Vec::new();
            for (k, dim) in variable.shape.iter().enumerate() {
                if dim.extent == Extent::Deferred {
                    let name = format!("{}_extent{}", variable.name, k + 1);
                    extents.push(made.add(None, ScalarType::Integer, &name, Passed::Value));
                }
            }
            made.extents.insert(p, extents);
            let optional = matches!(
                variable.role,
                cfg_core::ir::Role::Parameter { optional: true, .. }
            );
            let input = variable.intent() == Some(Intent::In);
            let value = input && variable.rank() == 0 && !optional && !variable.ty.is_tape();
            let passed = match (value, input) {
                (true, _) => Passed::Value,
                (false, true) if !variable.ty.is_tape() => Passed::Constant,
                (false, _) => Passed::Pointer,
            };
            made.add(
                Some(ParameterRole::Primal(p)),
                variable.ty,
                &variable.name,
                passed,
            );
            if !variable.ty.is_real() {
                continue;
            }
            let name = &variable.name;
            match sweep {
                Sweep::Gradient | Sweep::Reverse => {
                    let role = Some(ParameterRole::Adjoint(p));
                    made.add(role, variable.ty, &format!("{name}_b"), Passed::Pointer);
                }
                Sweep::Tangent => {
                    let role = Some(ParameterRole::Tangent(p));
                    made.add(role, variable.ty, &format!("{name}_t"), passed);
                }
                Sweep::Forward => {}
            }
        }
        if let Some(result) = routine.result {
            let ty = routine.variable(result).ty;
            let (name, primal) = (&routine.name, Some(ParameterRole::Primal(result)));
            if sweep != Sweep::Reverse {
                made.add(primal, ty, &format!("{name}_value"), Passed::Pointer);
            }
            match sweep {
                _ if !ty.is_real() => {}
                Sweep::Gradient | Sweep::Reverse => {
                    let role = Some(ParameterRole::Adjoint(result));
                    made.add(role, ty, &format!("{name}_b"), Passed::Value);
                }
                Sweep::Tangent => {
                    let role = Some(ParameterRole::Tangent(result));
                    made.add(role, ty, &format!("{name}_value_t"), Passed::Pointer);
                }
                Sweep::Forward => {}
            }
        }
        made
    }
}

/// A function for callers in other files.
pub(super) struct Public {
    /// What declares it, but for the semicolon.
    pub(super) head: String,
    /// The whole of it.
    pub(super) text: String,
}

/// The function of this name that calls a generated routine.
///
/// # Errors
/// A generated routine without the origins that say what its parameters are.
pub(super) fn wrapper(
    file: &File<'_>,
    globals: &GlobalNames,
    original: RoutineId,
    (routine, sweep): (RoutineId, Sweep),
    name: &str,
    keeps_result: bool,
) -> Result<Public, Failed> {
    let mut interface = Interface::of(file, original, sweep);
    let tape = interface.names.fresh("tape", Some(&file.names));
    let signature = Signature::of(file.program, routine);
    let Some(made) = file.made(routine, false) else {
        return Err(unknown(&file.program.routine(routine).name));
    };
    let (before, arguments, restore) =
        arguments(&mut interface, routine, &signature, &tape, sweep)?;
    let mut lines = Lines::new(1);
    let may_be_null = matches!(sweep, Sweep::Gradient | Sweep::Tangent);
    let [own, used, state, status] =
        ["own", "used", "state", "status"].map(|n| interface.names.fresh(n, Some(&file.names)));
    let used = if may_be_null { used } else { tape.clone() };
    if may_be_null {
        lines.line(format_args!("struct cfgrev_tape {own} = {{0}};"));
        lines.line(format_args!(
            "struct cfgrev_tape *const {used} = {tape} ? {tape} : &{own};"
        ));
    }
    lines.line(format_args!(
        "const struct cfgrev_state {state} = cfgrev_begin({used});"
    ));
    lines.line(format_args!("int {status} = 0;"));
    for line in before {
        lines.line(line);
    }
    for item in &interface.items {
        if !item.used {
            lines.line(format_args!("(void){};", item.name));
        }
    }
    let result = interface
        .original
        .result
        .map(|r| interface.original.variable(r).ty);
    if let (Sweep::Reverse, true, Some(ty)) = (sweep, keeps_result, result) {
        if file.checks {
            let stack = stack(ty);
            lines.open(format_args!(
                "if (!{tape}->top.{stack} || {tape}->top.{stack} == {tape}->{stack}_begin)"
            ));
            let message = super::faults::empty_tape(&interface.original.name);
            lines.line(format_args!("{tape}->message = {message};"));
            lines.line(format_args!(
                "return cfgrev_end_checked({tape}, &{state}, 4);"
            ));
            lines.close();
        }
        lines.line(format_args!(
            "value = cfgrev_pop_{}(&{tape}->top);",
            stack(ty)
        ));
    }
    // Derivatives of globals come in a structure of the caller's, which a forward sweep does not have.
    let derivatives = globals.variables.derivatives.as_ref();
    let shadow = derivatives.filter(|_| file.globals.has_derivatives() && sweep != Sweep::Forward);
    let shadow = shadow.map(|variable| {
        let name = interface
            .names
            .fresh(&globals.derivative_tag, Some(&file.names));
        (variable, name)
    });
    if let Some((variable, name)) = &shadow {
        let tag = &globals.derivative_tag;
        // Nobody has to give the derivatives of globals that are not active.
        lines.line(format_args!(
            "{variable} = {name} ? *{name} : (struct {tag}){{0}};"
        ));
    }
    let text = call_text(&made, &arguments, &used);
    if made.can_fail {
        lines.line(format_args!("{status} = {text};"));
    } else {
        lines.line(format_args!("{text};"));
    }
    if let Some((variable, name)) = &shadow {
        lines.line(format_args!("if ({name})"));
        lines.line(format_args!("    *{name} = {variable};"));
    }
    if let (Sweep::Forward, true, Some(ty)) = (sweep, keeps_result, result) {
        lines.line(format_args!(
            "if (!{status} && cfgrev_room_{}(&{tape}->top, {tape}, 1))",
            stack(ty)
        ));
        lines.line(format_args!("    {status} = 1;"));
        lines.line(format_args!("if (!{status})"));
        lines.line(format_args!(
            "    cfgrev_push_{}(&{tape}->top, *{});",
            stack(ty),
            restore
        ));
    }
    let end = if file.checks {
        "cfgrev_end_checked"
    } else {
        "cfgrev_end"
    };
    if may_be_null {
        lines.line(format_args!(
            "{status} = {end}({used}, &{state}, {status});"
        ));
        lines.line(format_args!("cfgrev_tape_free(&{own});"));
        lines.line(format_args!("return {status};"));
    } else {
        lines.line(format_args!("return {end}({used}, &{state}, {status});"));
    }
    let mut parameters: Vec<String> = interface.items.into_iter().map(|i| i.declaration).collect();
    parameters.extend(shadow.map(|(_, name)| format!("struct {} *{name}", globals.derivative_tag)));
    parameters.push(format!("struct cfgrev_tape *{tape}"));
    let head = format!("int {name}({})", parameters.join(", "));
    let text = format!("{head};\n\n{head}\n{{\n{}}}\n", lines.into_text());
    Ok(Public { head, text })
}

fn stack(ty: ScalarType) -> &'static str {
    match ty {
        ScalarType::Real | ScalarType::Tape => "real",
        ScalarType::Real32 => "real32",
        ScalarType::Integer | ScalarType::Logical => "integer",
    }
}

fn call_text(made: &Made, arguments: &[String], memory: &str) -> String {
    let mut arguments = arguments.to_vec();
    if made.needs_memory {
        arguments.push(memory.to_owned());
    }
    format!("{}({})", made.name, arguments.join(", "))
}

fn unknown(name: &str) -> Failed {
    let message = format!("the origins of `{name}` do not say what its parameters are");
    let help = "give a program as `reverse` and `tangent` write it";
    Box::new(Diagnostic::error(&codes::MALFORMED, message, help))
}

/// What stands before the call, the arguments, and the pointer to the value of a function.
type Call = (Vec<String>, Vec<String>, String);

fn arguments(
    interface: &mut Interface<'_>,
    routine: RoutineId,
    signature: &Signature,
    tape: &str,
    sweep: Sweep,
) -> Result<Call, Failed> {
    let inner = interface.file.program.routine(routine);
    let result = interface.original.result;
    let (mut before, mut texts, mut value_pointer) = (Vec::new(), Vec::new(), String::new());
    let own_tape = matches!(sweep, Sweep::Gradient | Sweep::Tangent);
    for (p, role) in inner.parameter_ids().zip(&signature.parameters) {
        let variable = inner.variable(p);
        let of = match role {
            ParameterRole::Primal(v) | ParameterRole::Adjoint(v) | ParameterRole::Tangent(v) => {
                Some(*v)
            }
            ParameterRole::Tape | ParameterRole::Own(_) => None,
        };
        if *role == ParameterRole::Tape && !own_tape {
            texts.push(tape.to_owned());
            continue;
        }
        let Some(of) = of else {
            return Err(unknown(&inner.name));
        };
        let extents = interface.extents.get(&of).cloned().unwrap_or_default();
        if variable
            .shape
            .iter()
            .any(|dim| dim.extent == Extent::Deferred)
        {
            for name in &extents {
                if let Some(item) = interface.items.iter_mut().find(|i| i.name == *name) {
                    item.used = true;
                }
            }
            texts.extend(extents);
        }
        let checks = interface.file.checks;
        let by_value = is_by_value(inner, p);
        let Some(&k) = interface.of_role.get(role) else {
            // The value of a function in its reverse sweep: the forward sweep kept it.
            before.push(format!(
                "{} value = {};",
                c_type(variable.ty),
                super::variable::zero(variable.ty)
            ));
            texts.push(if by_value {
                "value".to_owned()
            } else {
                "&value".to_owned()
            });
            continue;
        };
        let item = &mut interface.items[k];
        item.used = true;
        let name = item.name.clone();
        if Some(of) == result && *role == ParameterRole::Primal(of) {
            // Callers may not want the value.
            let kept = "value_kept";
            before.push(format!(
                "{} {kept} = {};",
                c_type(variable.ty),
                super::variable::zero(variable.ty)
            ));
            before.push(format!(
                "{} *const value_at = {name} ? {name} : &{kept};",
                c_type(variable.ty)
            ));
            texts.push("value_at".to_owned());
            value_pointer = "value_at".to_owned();
            continue;
        }
        if checks && variable.rank() > 0 {
            texts.push(count(&name, variable.role));
        }
        let writes = variable.intent().is_some_and(Intent::writes);
        if checks && variable.ty == ScalarType::Logical && !by_value {
            let constant = if writes { "" } else { "const " };
            let address = if item.passed == Passed::Value {
                "&"
            } else {
                ""
            };
            texts.push(format!("({constant}cfgrev_logical *){address}{name}"));
            continue;
        }
        texts.push(match (item.passed, by_value) {
            (Passed::Value, true) | (Passed::Constant | Passed::Pointer, false) => {
                if item.passed == Passed::Constant && writes {
                    format!("({} *){name}", c_type(variable.ty))
                } else {
                    name
                }
            }
            (Passed::Value, false) => format!("&{name}"),
            (Passed::Constant | Passed::Pointer, true) => format!("*{name}"),
        });
    }
    Ok((before, texts, value_pointer))
}

/// The number of elements that an argument from outside is taken to have.
fn count(pointer: &str, role: Role) -> String {
    let none = match role {
        Role::Parameter { optional: true, .. } => -1,
        Role::Parameter { .. } | Role::Local | Role::Global(_) => 0,
    };
    format!("{pointer} ? INT64_MAX : {none}")
}

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
    lines.line(format_args!("int {status} = {call};"));
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
pub(super) fn with_memory(file: &File<'_>, r: RoutineId, name: &str) -> Option<Public> {
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
