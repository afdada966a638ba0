//! The functions that other files call: what stands around the call of a generated routine.

use super::{
    Failed, GlobalNames, Several, apart, codes, faults,
    file::{File, Made},
    global_classes::Class,
    handing::{Handing, Taker},
    lines::Lines,
    parameters::{Given, Interface, Passed},
    structs::Home,
    sweep::Sweep,
    variable::zero,
};
use cfg_core::{
    diagnostic::Diagnostic,
    entity::{GlobalId, RoutineId, VarId},
    flat::FlatType,
    ir::{Dim, Extent, Intent, ParameterRole, Role, ScalarType, Signature, Variable},
};
use cfg_transform::lower::is_passed_by_value;

/// A function for callers in other files.
pub(super) struct Public {
    /// What declares it, but for the semicolon.
    pub(super) head: String,
    /// The whole of it.
    pub(super) text: String,
}

/// A generated routine that a function for others calls.
#[derive(Clone, Copy)]
pub(super) struct Called<'a> {
    pub(super) routine: RoutineId,
    pub(super) sweep: Sweep,
    /// What is known of one in several directions.
    pub(super) several: Option<&'a Several>,
}

/// Derivatives of globals that come in a structure of the caller's.
struct Structure<'a> {
    class: usize,
    of: &'a Class,
    /// The parameter, and the tag of its structure.
    name: String,
    tag: &'a str,
    /// True if its members are pointers to values in several directions.
    several: bool,
    /// True if the call names it.
    used: bool,
}

impl Structure<'_> {
    /// True of what callers give: all but the derivatives of cells that nobody can use after the program has ended.
    fn is_parameter(&self) -> bool {
        !self.of.is_scratch
    }
}

/// A function while it is written.
struct Wrapper<'a> {
    file: &'a File<'a>,
    globals: &'a GlobalNames,
    called: Called<'a>,
    original: RoutineId,
    interface: Interface,
    /// The tape of the caller, and the one that is used.
    tape: String,
    used: String,
    status: String,
    /// The number of directions.
    count: String,
    /// The structures of derivatives of globals that the function takes, and their parameters.
    structures: Vec<Structure<'a>>,
    /// What stands before the call.
    before: Vec<String>,
    /// The arguments of the call.
    texts: Vec<String>,
    /// The pointer to the value of a function.
    value: String,
    /// What hands the fields of records on.
    handing: Handing,
    /// True if something before the call may fail.
    may_fail: bool,
    /// Names of the value of a function: one that is not wanted or was kept, where it goes, and a counter.
    kept: String,
    value_at: String,
    counter: String,
    /// The globals whose derivatives in several directions have a pointer.
    bases: Vec<GlobalId>,
}

/// The function of this name that calls a generated routine.
///
/// # Errors
/// A generated routine without the origins that say what its parameters are.
pub(super) fn wrapper<'a>(
    file: &'a File<'a>,
    globals: &'a GlobalNames,
    original: RoutineId,
    called: Called<'a>,
    name: &str,
    keeps_result: bool,
) -> Result<Public, Failed> {
    let Called {
        routine,
        sweep,
        several,
    } = called;
    let mut interface = Interface::of(file, original, sweep, several.is_some());
    let tape = interface.names.fresh("tape", Some(&file.names));
    let Some(made) = file.made(routine, false) else {
        return Err(unknown(&file.program.routine(routine).name));
    };
    let may_be_null = matches!(sweep, Sweep::Gradient | Sweep::Tangent);
    let [own, used, state, status] =
        ["own", "used", "state", "status"].map(|n| interface.names.fresh(n, Some(&file.names)));
    let count = interface.names.fresh("nd", Some(&file.names));
    let structures = structures(file, globals, (sweep, several.is_some()), &mut interface);
    let [kept, value_at, counter] = [
        if sweep == Sweep::Reverse {
            "value"
        } else {
            "value_kept"
        },
        "value_at",
        "k",
    ]
    .map(|n| interface.names.fresh(n, Some(&file.names)));
    let used = if may_be_null { used } else { tape.clone() };
    let handing = Handing::new(&used, &status);
    let mut w = Wrapper {
        file,
        globals,
        called,
        original,
        interface,
        used,
        tape,
        status,
        count,
        structures,
        before: Vec::new(),
        texts: Vec::new(),
        value: String::new(),
        handing,
        may_fail: false,
        kept,
        value_at,
        counter,
        bases: Vec::new(),
    };
    w.arguments()?;
    w.handing.apart(file, &mut w.interface, original)?;
    if sweep != Sweep::Reverse {
        for (_, met) in apart::met_globals(file, globals, &mut w.interface, original) {
            w.may_fail = true;
            let line = format!("    {} = 4;", w.status);
            w.before.extend([format!("if ({met})"), line]);
        }
    }
    let mut lines = Lines::new(1);
    let (tape, used, status) = (&w.tape, &w.used, &w.status);
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
    if let Some(begin) = file.globals.begin() {
        lines.line(format_args!("{begin}();"));
    }
    w.may_fail |= w.handing.may_fail;
    let before = w.handing.before.iter().chain(&w.before);
    before.for_each(|line| lines.line(line));
    for item in w.interface.items.iter().filter(|item| !item.used) {
        lines.line(format_args!("(void){};", item.name));
    }
    for structure in (w.structures.iter()).filter(|s| !s.used && s.is_parameter()) {
        lines.line(format_args!("(void){};", structure.name));
    }
    let end = if file.checks {
        "cfgrev_end_checked"
    } else {
        "cfgrev_end"
    };
    let swept = globals.variables.swept.as_ref();
    if let Some(swept) = swept {
        if sweep == Sweep::Reverse {
            // Another call has written the pools since.
            let message = faults::other_pools(&file.program.routine(original).name);
            lines.open(format_args!("if ({swept} != {tape})"));
            lines.line(format_args!("{end}({tape}, &{state}, 4);"));
            lines.line(format_args!("{tape}->message = {message};"));
            lines.line(format_args!("return 4;"));
            lines.close();
        }
        lines.line(format_args!("{swept} = NULL;"));
    }
    let of = file.program.routine(original);
    let kept = of
        .result
        .map(|r| of.variable(r).ty)
        .filter(|_| keeps_result);
    if let (Sweep::Reverse, Some(ty)) = (sweep, kept) {
        w.pop_result(&mut lines, ty, &state);
    }
    let in_one = || w.structures.iter().filter(|s| !s.several);
    for structure in in_one() {
        let Structure { of, name, tag, .. } = structure;
        let variable = &of.variable;
        if structure.is_parameter() {
            // Nobody has to give the derivatives of globals that are not active.
            lines.line(format_args!(
                "{variable} = {name} ? *{name} : (struct {tag}){{0}};"
            ));
        } else if sweep == Sweep::Forward {
            // Its reverse sweep reads what it leaves, so an earlier one that no reverse sweep followed may have left something.
            lines.line(format_args!("memset(&{variable}, 0, sizeof {variable});"));
        }
    }
    let text = call_text(&made, &w.texts, used);
    let guard = if w.may_fail {
        format!("if (!{status})")
    } else {
        String::new()
    };
    if w.may_fail {
        lines.line(&guard);
    }
    let indent = if w.may_fail { "    " } else { "" };
    if made.can_fail {
        lines.line(format_args!("{indent}{status} = {text};"));
    } else {
        lines.line(format_args!("{indent}{text};"));
    }
    for structure in in_one() {
        let (variable, name) = (&structure.of.variable, &structure.name);
        if structure.is_parameter() {
            lines.line(format_args!("if ({name})"));
            lines.line(format_args!("    *{name} = {variable};"));
        } else if sweep != Sweep::Forward {
            // What the program reads of cells that it never set leaves derivatives there.
            lines.line(format_args!("memset(&{variable}, 0, sizeof {variable});"));
        }
    }
    w.handing.after.iter().for_each(|line| lines.line(line));
    if let (Sweep::Forward, Some(ty)) = (sweep, kept) {
        let (stack, value) = (stack(ty), &w.value);
        lines.line(format_args!(
            "if (!{status} && cfgrev_room_{stack}(&{tape}->top, {tape}, 1))"
        ));
        lines.line(format_args!("    {status} = 1;"));
        lines.line(format_args!("if (!{status})"));
        lines.line(format_args!(
            "    cfgrev_push_{stack}(&{tape}->top, *{value});"
        ));
    }
    if let (Some(swept), Sweep::Forward) = (swept, sweep) {
        lines.line(format_args!("if (!{status})"));
        lines.line(format_args!("    {swept} = {tape};"));
    }
    if may_be_null {
        lines.line(format_args!(
            "{status} = {end}({used}, &{state}, {status});"
        ));
        lines.line(format_args!("cfgrev_tape_free(&{own});"));
        lines.line(format_args!("return {status};"));
    } else {
        lines.line(format_args!("return {end}({used}, &{state}, {status});"));
    }
    let mut parameters: Vec<String> = Vec::new();
    parameters.extend(several.map(|_| format!("int {}", w.count)));
    parameters.extend(w.interface.items.into_iter().map(|i| i.declaration));
    for Structure { name, tag, .. } in w.structures.iter().filter(|s| s.is_parameter()) {
        parameters.push(format!("struct {tag} *{name}"));
    }
    parameters.push(format!("struct cfgrev_tape *{}", w.tape));
    let head = format!("int {name}({})", parameters.join(", "));
    let text = format!("{head};\n\n{head}\n{{\n{}}}\n", lines.into_text());
    Ok(Public { head, text })
}

/// The structures of derivatives of globals that a sweep takes. A forward sweep has none of those that its reverse sweep
/// computes, and in several directions those of a first derivative stay in one.
fn structures<'a>(
    file: &File<'_>,
    globals: &'a GlobalNames,
    (sweep, several): (Sweep, bool),
    interface: &mut Interface,
) -> Vec<Structure<'a>> {
    let mut made = Vec::new();
    for (class, of) in globals.variables.derivatives.all.iter().enumerate() {
        if !file.globals.has_derivatives(class) || of.is_last && sweep == Sweep::Forward {
            continue;
        }
        let several = several && of.is_last;
        let tag = if several { &of.several_tag } else { &of.tag };
        made.push(Structure {
            class,
            of,
            name: interface.names.fresh(tag, Some(&file.names)),
            tag,
            several,
            used: !several,
        });
    }
    made
}

fn stack(ty: ScalarType) -> &'static str {
    match FlatType::of(ty) {
        FlatType::Real | FlatType::Tape => "real",
        FlatType::Real32 => "real32",
        FlatType::Integer | FlatType::Sized(_) | FlatType::Logical => "integer",
    }
}

fn call_text(made: &Made, arguments: &[String], memory: &str) -> String {
    let mut arguments = arguments.to_vec();
    arguments.extend(made.last_arguments(memory));
    format!("{}({})", made.name, arguments.join(", "))
}

/// The role with this variable in place of its own.
fn with_variable(role: ParameterRole, v: VarId) -> ParameterRole {
    match role {
        ParameterRole::Primal(_) => ParameterRole::Primal(v),
        ParameterRole::Adjoint(_) => ParameterRole::Adjoint(v),
        ParameterRole::Tangent(_) => ParameterRole::Tangent(v),
        ParameterRole::Tape | ParameterRole::Own(_) => role,
    }
}

fn unknown(name: &str) -> Failed {
    let message = format!("the origins of `{name}` do not say what its parameters are");
    let help = "give a program as `reverse` and `tangent` write it";
    Box::new(Diagnostic::error(&codes::MALFORMED, message, help))
}

impl Wrapper<'_> {
    /// Takes the value of a function from the tape, where the forward sweep left it.
    fn pop_result(&self, lines: &mut Lines, ty: ScalarType, state: &str) {
        let (tape, stack) = (&self.tape, stack(ty));
        if self.file.checks {
            lines.open(format_args!(
                "if (!{tape}->top.{stack} || {tape}->top.{stack} == {tape}->{stack}_begin)"
            ));
            let message = faults::empty_tape(&self.file.program.routine(self.original).name);
            lines.line(format_args!("{tape}->message = {message};"));
            lines.line(format_args!(
                "return cfgrev_end_checked({tape}, &{state}, 4);"
            ));
            lines.close();
        }
        let value = &self.kept;
        lines.line(format_args!("{value} = cfgrev_pop_{stack}(&{tape}->top);"));
    }

    /// The arguments of the call, and what stands before it.
    fn arguments(&mut self) -> Result<(), Failed> {
        let program = self.file.program;
        let inner = program.routine(self.called.routine);
        let signature = Signature::of(program, self.called.routine);
        let own_tape = matches!(self.called.sweep, Sweep::Gradient | Sweep::Tangent);
        for (p, role) in inner.parameter_ids().zip(&signature.parameters) {
            let variable = inner.variable(p);
            let of = match role {
                ParameterRole::Primal(v)
                | ParameterRole::Adjoint(v)
                | ParameterRole::Tangent(v) => *v,
                ParameterRole::Tape if !own_tape => {
                    self.texts.push(self.tape.clone());
                    continue;
                }
                ParameterRole::Tape | ParameterRole::Own(_) => {
                    self.of_several(p)?;
                    continue;
                }
            };
            let (of, role, leaf) = match self.home(of) {
                Some(home) => (
                    home.variable,
                    with_variable(*role, home.variable),
                    home.leaf,
                ),
                None => (of, *role, None),
            };
            let deferred = |dim: &Dim| dim.extent == Extent::Deferred;
            if variable.shape.iter().any(deferred) {
                let extents = self.interface.extents_of(of);
                self.texts.extend(extents);
            }
            let ty = self.file.c_type(variable.ty);
            let by_value = is_passed_by_value(inner, p);
            if let Some(leaf) = leaf {
                self.leaf((of, role, leaf), variable, by_value)?;
                continue;
            }
            let Some(&k) = self.interface.of_role.get(&role) else {
                // The value of a function in its reverse sweep: the forward sweep kept it.
                let value = &self.kept;
                self.before
                    .push(format!("{ty} {value} = {};", zero(variable.ty)));
                let address = if by_value { "" } else { "&" };
                self.texts.push(format!("{address}{value}"));
                continue;
            };
            let item = &mut self.interface.items[k];
            if (item.passed, item.given) == (Passed::Value, Given::Never) {
                let zero = zero(variable.ty);
                self.texts.push(match by_value {
                    true => zero.to_string(),
                    false => format!("&({ty}){{{zero}}}"),
                });
                continue;
            }
            item.used = item.used || item.given != Given::Never;
            let (mut name, passed, given) = (item.name.clone(), item.passed, item.given);
            if item.may_be_null {
                // Callers may not want the value.
                let (kept, value_at) = (&self.kept, &self.value_at);
                self.before
                    .push(format!("{ty} {kept} = {};", zero(variable.ty)));
                self.before.push(format!(
                    "{ty} *const {value_at} = {name} ? {name} : &{kept};"
                ));
                self.texts.push(value_at.clone());
                self.value.clone_from(value_at);
                continue;
            }
            let writes = variable.intent().is_some_and(Intent::writes);
            let several = self.called.several.is_some();
            if given != Given::Always
                && let Some(here) = self.or_zeros((of, role), (&name, given), variable)
            {
                name = here;
            }
            let (name, passed) = match several && writes && passed == Passed::Constant {
                true => (self.copied(&name, ty), Passed::Pointer),
                false => (name, passed),
            };
            self.argument((&name, passed), variable, (by_value, writes));
        }
        Ok(())
    }

    /// Where a variable of the original is with records.
    fn home(&self, v: VarId) -> Option<Home> {
        self.file.structs.as_ref()?.home(self.original, v)
    }

    /// Adds an argument for a leaf of a record.
    fn leaf(
        &mut self,
        (of, role, leaf): (VarId, ParameterRole, usize),
        variable: &Variable,
        by_value: bool,
    ) -> Result<(), Failed> {
        let routine = self.file.program.routine(self.original);
        let Some(&k) = self.interface.of_role.get(&role) else {
            return Err(unknown(&routine.name));
        };
        let is_derivative = !matches!(role, ParameterRole::Primal(_));
        let taker = Taker {
            by_value,
            writes: variable.intent().is_some_and(Intent::writes),
        };
        let place = (self.original, of, k);
        let text = self.handing.record(
            self.file,
            &mut self.interface,
            place,
            is_derivative,
            leaf,
            &taker,
        )?;
        self.texts.push(text);
        Ok(())
    }

    /// Adds an argument.
    fn argument(
        &mut self,
        (name, passed): (&str, Passed),
        variable: &Variable,
        (by_value, writes): (bool, bool),
    ) {
        let checks = self.file.checks;
        if checks && variable.rank() > 0 {
            self.texts.push(count(name, variable.role));
        }
        if checks && variable.ty == ScalarType::Logical && !by_value {
            let constant = if writes { "" } else { "const " };
            let address = if passed == Passed::Value { "&" } else { "" };
            self.texts
                .push(format!("({constant}cfgrev_logical *){address}{name}"));
            return;
        }
        self.texts.push(match (passed, by_value) {
            (Passed::Value, true) | (Passed::Pointer, false) => name.to_owned(),
            (Passed::Constant, false) if writes => {
                format!("({} *){name}", self.file.c_type(variable.ty))
            }
            (Passed::Constant, false) => name.to_owned(),
            (Passed::Value, false) => format!("&{name}"),
            (Passed::Constant | Passed::Pointer, true) => format!("*{name}"),
        });
    }

    /// A pointer to a derivative in place of one that may be null; `None` if its extents are computed.
    fn or_zeros(
        &mut self,
        (of, role): (VarId, ParameterRole),
        (name, given): (&str, Given),
        variable: &Variable,
    ) -> Option<String> {
        let mut count = self.interface.elements(self.file, self.original, of)?;
        if self.called.several.is_some() && !matches!(role, ParameterRole::Primal(_)) {
            count = format!("{count} * (int64_t){}", self.count);
        }
        let (ty, zero) = (self.file.c_type(variable.ty), zero(variable.ty));
        let mut given = match given {
            Given::Never => "NULL".to_owned(),
            Given::Always | Given::OrNull => format!("({ty} *){name}"),
        };
        let routine = self.file.outside().routine(self.original);
        let (aliased, intent) = (routine.aliased, routine.variable(of).intent());
        let tangent = matches!(role, ParameterRole::Tangent(_));
        let met = match tangent && aliased && given != "NULL" {
            true => self.met(of),
            false => None,
        };
        match (&*count, &*given, &met) {
            ("1", "NULL", _) => return Some(format!("(&({ty}){{{zero}}})")),
            ("1", _, None) => return Some(format!("({name} ? {given} : &({ty}){{{zero}}})")),
            _ => {}
        }
        let here = (self.interface.names).fresh(&format!("{name}_here"), Some(&self.file.names));
        if let (Some(met), Some(Intent::In)) = (&met, intent) {
            given = format!("{met} ? {given} : NULL");
        }
        self.zeros_unless(&here, (ty, &zero.to_string()), &given, &count);
        if let (Some(met), Some(Intent::Out | Intent::InOut)) = (met, intent) {
            let k = &self.counter;
            self.before.extend([
                format!("for (int64_t {k} = 0; {here} && !({met}) && {k} < {count}; ++{k})"),
                format!("    {here}[{k}] = {zero};"),
            ]);
        }
        Some(here)
    }

    /// Whether a parameter that is not independent overlaps, where parameters may, with one whose tangent it can have: of one that is only read
    /// those that are written, of others the independents. `None` if extents are computed.
    fn met(&mut self, v: VarId) -> Option<String> {
        let routine = self.file.outside().routine(self.original);
        let reads = routine.variable(v).intent() == Some(Intent::In);
        let mut bytes = |v: VarId| {
            let count = self.interface.elements(self.file, self.original, v)?;
            let item = self.interface.of_role.get(&ParameterRole::Primal(v))?;
            let item = &self.interface.items[*item];
            let from = format!("(uintptr_t){}", item.name);
            let to = format!("{from} + {count} * sizeof *{}", item.name);
            (item.passed != Passed::Value).then_some((from, to))
        };
        let others = routine.parameter_ids().filter(|&q| {
            let variable = routine.variable(q);
            let wanted = match reads {
                true => variable.intent().is_some_and(Intent::writes),
                false => routine.independents.contains(&q),
            };
            let pointer = variable.rank() > 0 || variable.intent() != Some(Intent::In);
            q != v && wanted && pointer && !variable.ty.is_tape()
        });
        let (from, to) = bytes(v)?;
        let mut met = Vec::new();
        for other in others {
            let (other_from, other_to) = bytes(other)?;
            met.push(format!("({from} < {other_to} && {other_from} < {to})"));
        }
        Some(match met.is_empty() {
            true => "0".to_owned(),
            false => met.join(" || "),
        })
    }

    /// Declares a pointer to what is given, and to so many zeros where that is null.
    fn zeros_unless(&mut self, here: &str, (ty, zero): (&str, &str), given: &str, count: &str) {
        let (used, status, k) = (&self.used, &self.status, &self.counter);
        self.may_fail = true;
        self.before.extend([
            format!("{ty} *{here} = {given};"),
            format!("if (!{here}) {{"),
            format!("    {here} = cfgrev_allocate(&{used}->work, {count}, sizeof *{here});"),
            format!("    if (!{here})"),
            format!("        {status} = 1;"),
            format!("    for (int64_t {k} = 0; {here} && {k} < {count}; ++{k})"),
            format!("        {here}[{k}] = {zero};"),
            "}".to_owned(),
        ]);
    }

    /// A copy of the values of a derivative, which the routine changes and the caller does not see.
    fn copied(&mut self, name: &str, ty: &str) -> String {
        let here = (self.interface.names).fresh(&format!("{name}_here"), Some(&self.file.names));
        let (used, status, nd, k) = (&self.used, &self.status, &self.count, &self.counter);
        self.may_fail = true;
        self.before.extend([
            format!("{ty} *const {here} = cfgrev_allocate(&{used}->work, {nd}, sizeof *{here});"),
            format!("if (!{here})"),
            format!("    {status} = 1;"),
            format!("for (int {k} = 0; {here} && {k} < {nd}; ++{k})"),
            format!("    {here}[{k}] = {name}[{k}];"),
        ]);
        here
    }

    /// An argument that only a routine in several directions has.
    fn of_several(&mut self, p: VarId) -> Result<(), Failed> {
        let inner = self.file.program.routine(self.called.routine);
        let Some(several) = self.called.several else {
            return Err(unknown(&inner.name));
        };
        if several.count == p {
            if is_passed_by_value(inner, p) {
                self.texts.push(self.count.clone());
            } else {
                self.texts.push(format!("&(int64_t){{{}}}", self.count));
            }
            return Ok(());
        }
        let Some((_, g)) = several.globals.iter().find(|(v, _)| *v == p) else {
            return Err(unknown(&inner.name));
        };
        let (base, offset) = self.file.program.storage(*g);
        let Some(member) = self.file.globals.member(base) else {
            return Err(unknown(&inner.name));
        };
        let owner = &self.file.program.global(base).variable;
        let (ty, size) = (
            self.file.c_type(owner.ty),
            owner.constant_size().unwrap_or(1).max(1),
        );
        let member = member.to_owned();
        let class = self.globals.variables.derivatives.class(base);
        let mut structures = self.structures.iter_mut();
        let Some(structure) = structures.find(|s| Some(s.class) == class) else {
            return Err(unknown(&inner.name));
        };
        structure.used = true;
        let here = format!("{}_{member}", structure.of.tag);
        let given = match structure.is_parameter() {
            true => format!("{0} ? {0}->{member} : NULL", structure.name),
            false => "NULL".to_owned(),
        };
        if !self.bases.contains(&base) {
            self.bases.push(base);
            // Nobody has to give the derivatives of globals that are not active.
            let count = match size {
                1 => self.count.clone(),
                _ => format!("{size} * (int64_t){}", self.count),
            };
            self.zeros_unless(&here, (ty, &zero(owner.ty).to_string()), &given, &count);
        }
        let nd = &self.count;
        let text = match offset {
            0 => here,
            _ => format!("{here} + {offset} * (int64_t){nd}"),
        };
        if self.file.checks {
            self.texts.push("INT64_MAX".to_owned());
        }
        self.texts.push(text);
        Ok(())
    }
}

/// The number of elements that an argument from outside is taken to have.
pub(super) fn count(pointer: &str, role: Role) -> String {
    let none = match role {
        Role::Parameter { optional: true, .. } => -1,
        Role::Parameter { .. } | Role::Local | Role::Global(_) => 0,
    };
    format!("{pointer} ? INT64_MAX : {none}")
}
