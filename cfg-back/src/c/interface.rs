//! The sweeps that other files call: what stands around the call of a generated routine.

use super::{
    Count, Failed, GlobalNames,
    about::about,
    adapter::{Adapter, Public, Session, Taken, list},
    choice::Choice,
    codes, faults,
    file::{File, Made},
    global_classes::Class,
    names::silence,
    operators::{Piece, Pieces},
    parameters::{Given, Interface, Passed},
    sweep::{Called, Sweep},
    variable::zero,
};
use cfg_core::{
    diagnostic::Diagnostic,
    entity::{GlobalId, RoutineId, VarId},
    flat::FlatType,
    ir::{Intent, ParameterRole, ScalarType, Signature},
};
use std::collections::BTreeSet;

/// Derivatives of globals that come in a structure of the caller's.
struct Structure<'a> {
    class: usize,
    of: &'a Class,
    /// The parameter, and the tag of its structure.
    name: String,
    tag: &'a str,
    /// True of what callers give: all but the derivatives of cells that nobody can use after the program has ended.
    is_parameter: bool,
    /// True if its members are pointers to values in several directions.
    several: bool,
}

/// A function while it is written.
struct Wrapper<'a> {
    file: &'a File<'a>,
    globals: &'a GlobalNames,
    called: Called<'a>,
    session: Session,
    /// The number of directions.
    count: String,
    /// The structures of derivatives of globals that the function takes, and their parameters.
    structures: Vec<Structure<'a>>,
    adapter: Adapter<'a>,
    /// Names of the value of a function: one that is not wanted or was kept, where it goes, and a counter.
    kept: String,
    value_at: String,
    counter: String,
    /// The globals whose derivatives in several directions have a pointer.
    bases: Vec<GlobalId>,
    /// The arguments of the version for arguments that are apart that are values there.
    by_value: Vec<usize>,
}

/// The function of this name that calls a generated routine; and the parameters of which it takes an extent that it
/// does not use, and those of which it uses one.
///
/// # Errors
/// A generated routine without the origins that say what its parameters are.
pub(super) fn wrapper<'a>(
    file: &'a File<'a>,
    globals: &'a GlobalNames,
    original: RoutineId,
    called: Called<'a>,
    name: &str,
    (keeps_result, pieces): (bool, &mut Pieces),
) -> Result<(Public, [BTreeSet<VarId>; 2]), Failed> {
    let (sweep, several) = (called.sweep, called.several);
    let mut interface = Interface::for_sweep(file, original, sweep, several.is_some());
    let Some(made) = file.made_function(called.routine, false) else {
        return Err(unknown(&file.program.routine(called.routine).name));
    };
    let may_be_null = matches!(sweep, Sweep::Gradient | Sweep::Tangent);
    let session = Session::new(file.checks, may_be_null, |n| interface.fresh(n));
    let count = match several.map(|of| of.count) {
        Some(Count::Fixed(n)) => n.to_string(),
        Some(Count::Parameter(_)) | None => interface.fresh("nd"),
    };
    let structures = structures(globals, (sweep, several.is_some()), &mut interface);
    let choice = Choice::new(&mut interface, original, called, &count, globals);
    let value = match sweep {
        Sweep::Reverse => "value",
        Sweep::Gradient | Sweep::Forward | Sweep::Tangent => "value_kept",
    };
    let [kept, value_at, counter] = [value, "value_at", "k"].map(|n| interface.fresh(n));
    let mut w = Wrapper {
        file,
        globals,
        called,
        count,
        structures,
        adapter: Adapter::new(interface, &session.used, &session.status),
        session,
        kept,
        value_at,
        counter,
        bases: Vec::new(),
        by_value: Vec::new(),
    };
    w.adapter.directions = several.map(|_| w.count.clone());
    w.arguments()?;
    let shared = w.shared_adjoints(name);
    if !shared.is_empty() {
        pieces.require(Piece::Shared);
    }
    let a = &mut w.adapter;
    a.keep_apart()?;
    if sweep != Sweep::Reverse {
        for (_, met) in a.interface.met_globals(globals) {
            a.may_fail = true;
            a.before += &format!("if ({met})\n    {} = 4;\n", a.status);
        }
    }
    let of = file.program.routine(original);
    let swept = globals.variables.swept.as_ref();
    let kept = of.result.filter(|_| keeps_result);
    let stack = kept.map(|r| stack(of.variable(r).ty));
    let needs_memory = |made: &Made| made.needs_memory || made.can_fail;
    // A forward sweep leaves its choice and the value of the function, a reverse sweep takes the choice.
    let keeps = match sweep {
        Sweep::Forward => stack.is_some() || choice.is_some(),
        Sweep::Reverse => choice.is_some(),
        Sweep::Gradient | Sweep::Tangent => false,
    };
    w.session.begins = needs_memory(&made)
        || choice
            .as_ref()
            .is_some_and(|choice| needs_memory(&choice.made))
        || a.may_fail
        || swept.is_some()
        || keeps;
    let Session {
        tape,
        used,
        state,
        status,
        end,
        ..
    } = &w.session;
    let mut body = shared + &w.session.begin();
    if w.session.begins {
        body += &format!("int {status} = 0;\n");
    }
    if let Some(begin) = file.globals.begin() {
        body += &format!("{begin}();\n");
    }
    if let Some(choice) = &choice {
        body += &choice.at_entry(file, &w.session, &file.program.routine(original).name);
    }
    body.extend([&*a.copies, &*a.before]);
    let first = body.len();
    let given = || w.structures.iter().filter(|s| s.is_parameter);
    if let Some(swept) = swept {
        if sweep == Sweep::Reverse {
            // Another call has written the pools since.
            let message = faults::other_pools(&of.name);
            body += &format!(
                "if ({swept} != {tape}) {{\n    \
                     {end}({tape}, &{state}, 4);\n    \
                     {tape}->message = {message};\n    \
                     return 4;\n\
                 }}\n"
            );
        }
        body += &format!("{swept} = NULL;\n");
    }
    if let (Sweep::Reverse, Some(stack)) = (sweep, stack) {
        // The forward sweep has left the value of the function.
        if file.checks {
            let message = faults::empty_tape(&of.name);
            body += &format!(
                "if (!{tape}->top.{stack} || {tape}->top.{stack} == {tape}->{stack}_begin) {{\n    \
                     {tape}->message = {message};\n    \
                     return {end}({tape}, &{state}, 4);\n\
                 }}\n"
            );
        }
        body += &format!("{} = cfgrev_pop_{stack}(&{tape}->top);\n", w.kept);
    }
    let (mut leave, mut before, mut behind) = (String::new(), String::new(), String::new());
    for structure in w.structures.iter().filter(|s| !s.several) {
        let Structure { of, name, tag, .. } = structure;
        let variable = &of.variable;
        let writes = |g| {
            let versions = [Some(called.routine), called.apart];
            let mut versions = versions.into_iter().flatten();
            versions.any(|r| file.effects.may_write(r, g))
        };
        let clear = || file.globals.used.clear(structure.class, writes);
        match (structure.is_parameter, sweep) {
            (true, _) => {
                // Nobody has to give the derivatives of globals that are not active.
                body += &format!("{variable} = {name} ? *{name} : (struct {tag}){{0}};\n");
                leave += &format!("if ({name})\n    *{name} = {variable};\n");
            }
            // Its reverse sweep reads what it leaves, so an earlier one that no reverse sweep followed may have left
            // something.
            (false, Sweep::Forward) => before += &clear(),
            // Cells that the program reads and never set have derivatives left.
            (false, Sweep::Gradient | Sweep::Reverse | Sweep::Tangent) if !of.is_unset => {
                behind += &clear();
            }
            (false, Sweep::Gradient | Sweep::Reverse | Sweep::Tangent) => {}
        }
    }
    for (clear, to) in [(before, &mut body), (behind, &mut leave)] {
        if !clear.is_empty() {
            *to += &(clear + &file.globals.used.reset());
        }
    }
    let mut indent = "";
    if a.may_fail {
        body += &format!(
            "if (!{status}){}",
            if choice.is_some() { " " } else { "\n" }
        );
        indent = "    ";
    }
    let call = made.assigned(status, &a.call(&made, used));
    match &choice {
        None => body += &format!("{indent}{call}\n"),
        Some(choice) => {
            let first = a.call_apart(&choice.made, &w.by_value, used);
            let first = choice.made.assigned(status, &first);
            body += &choice.call([&first, &call], indent);
        }
    }
    body += &format!("{leave}{}", a.after);
    if sweep == Sweep::Forward {
        if let Some(stack) = stack {
            body += &format!(
                "if (!{status} && cfgrev_room_{stack}(&{tape}->top, {tape}, 1))\n    \
                     {status} = 1;\n\
                 if (!{status})\n    \
                     cfgrev_push_{stack}(&{tape}->top, *{});\n",
                w.value_at
            );
        }
        if let Some(choice) = &choice {
            body += &choice.record(tape, status);
        }
        if let Some(swept) = swept {
            body += &format!("if (!{status})\n    {swept} = {tape};\n");
        }
    }
    body += &w.session.end();
    let extents = a.interface.extents_in(&body);
    let names = a.interface.parameter_names();
    let unused = silence(&body, names.chain(given().map(|s| &*s.name)));
    body.insert_str(first, &unused);
    let several = several.filter(|of| matches!(of.count, Count::Parameter(_)));
    let count = several.map(|_| format!("int {}", w.count));
    let given = given();
    let parameters = count.into_iter().chain(a.interface.declarations());
    let parameters = parameters.chain(
        given
            .clone()
            .map(|s| format!("struct {} *{}", s.tag, s.name)),
    );
    let parameters = list(
        parameters
            .chain([format!("struct cfgrev_tape *{tape}")])
            .collect(),
    );
    let head = format!("int {name}({parameters})");
    let mut null: Vec<&str> = given.map(|s| &*s.name).collect();
    null.extend(may_be_null.then_some(&**tape));
    let about = about(&a.interface, sweep, w.called.several.is_some(), &null);
    Ok((Public::new(head, &body).described(&about), extents))
}

/// The structures of derivatives of globals that a sweep takes. A forward sweep has none of those that its reverse
/// sweep computes, and in several directions those of a first derivative stay in one.
fn structures<'a>(
    globals: &'a GlobalNames,
    (sweep, several): (Sweep, bool),
    interface: &mut Interface<'_>,
) -> Vec<Structure<'a>> {
    let mut made = Vec::new();
    for (class, of) in globals.variables.derivatives.all.iter().enumerate() {
        let exists = interface.file.globals.has_derivatives(class);
        if !exists || of.is_last && sweep == Sweep::Forward {
            continue;
        }
        let several = several && of.is_last;
        let tag = if several { &of.several_tag } else { &of.tag };
        made.push(Structure {
            class,
            of,
            name: interface.fresh(tag),
            tag,
            is_parameter: !of.is_scratch,
            several,
        });
    }
    made
}

fn stack(ty: ScalarType) -> &'static str {
    match FlatType::view(ty) {
        FlatType::Real | FlatType::Tape => "real",
        FlatType::Real32 => "real32",
        FlatType::Integer | FlatType::Sized(_) | FlatType::Logical => "integer",
    }
}

fn unknown(name: &str) -> Failed {
    let message = format!("the origins of `{name}` do not say what its parameters are");
    let help = "give a program as `reverse` and `tangent` write it";
    Box::new(Diagnostic::error(&codes::MALFORMED, message, help))
}

impl Wrapper<'_> {
    /// Adds the arguments of the call, and what stands before it.
    fn arguments(&mut self) -> Result<(), Failed> {
        let (program, r) = (self.file.program, self.called.routine);
        let inner = program.routine(r);
        let apart = self.called.apart.map(|r| program.routine(r));
        let own_tape = matches!(self.called.sweep, Sweep::Gradient | Sweep::Tangent);
        let roles = Signature::from_origins(program, r).parameters;
        let versions = [Some(r), self.called.apart].into_iter().flatten();
        let versions: Vec<Made> = versions
            .filter_map(|r| self.file.made_function(r, false))
            .collect();
        for (k, (p, role)) in inner.parameter_ids().zip(roles).enumerate() {
            let taken = Taken::from_parameter(inner, p);
            let structure = self.file.records.home(self.called.routine, p);
            let from = self.adapter.texts.len();
            let count = self.file.parameters_of(r, p);
            let is_unused = |k| versions.iter().all(|made| made.unused.contains(&k));
            if (from..from + count).all(is_unused) {
                self.adapter.texts.extend(vec![String::new(); count]);
                continue;
            }
            let in_apart = apart.and_then(|of| Some((of, *of.parameters.get(k)?)));
            let is_value = in_apart.is_some_and(|(of, p)| Taken::from_parameter(of, p).by_value);
            let (role, v): (fn(VarId) -> ParameterRole, _) = match role {
                ParameterRole::Primal(v) => (ParameterRole::Primal, v),
                ParameterRole::Adjoint(v) => (ParameterRole::Adjoint, v),
                ParameterRole::Tangent(v) => (ParameterRole::Tangent, v),
                ParameterRole::Tape if !own_tape => {
                    self.adapter.texts.push(self.session.tape.clone());
                    continue;
                }
                ParameterRole::Tape | ParameterRole::Own(_) => {
                    let texts = self.of_several(p, &taken);
                    let texts = texts.ok_or_else(|| unknown(&inner.name))?;
                    self.adapter.texts.extend(texts);
                    if is_value && !taken.by_value {
                        self.by_value.push(self.adapter.texts.len() - 1);
                    }
                    continue;
                }
            };
            if let Some((_, leaf)) = structure {
                if leaf == 0 {
                    self.adapter.hand_structure(&taken, role, v)?;
                }
                continue;
            }
            if let Some(v) = self.adapter.hand(&taken, role, v)? {
                let texts = self.argument(&taken, role(v), v);
                self.adapter.texts.extend(texts);
            }
            if is_value && !taken.by_value {
                self.by_value.push(self.adapter.texts.len() - 1);
            }
        }
        Ok(())
    }

    /// The lines for adjoints that share cells; the function with this name calls itself there.
    fn shared_adjoints(&mut self, name: &str) -> String {
        let several = self.called.several;
        if self.file.apart {
            return String::new();
        }
        let given = self.structures.iter().filter(|s| s.is_parameter);
        let last = given.map(|s| &*s.name).chain([&*self.session.tape]);
        let last: Vec<&str> = last.collect();
        let nd = several.filter(|of| matches!(of.count, Count::Parameter(_)));
        let nd = nd.map(|_| &*self.count);
        let again = |items: &[String]| {
            let items = items.iter().map(String::as_str);
            let all: Vec<&str> = nd.into_iter().chain(items).chain(last.clone()).collect();
            format!("{name}({})", all.join(", "))
        };
        let count = several.map(|_| &*self.count);
        let interface = &mut self.adapter.interface;
        let lines = interface.shared_adjoints(&self.session, count, again);
        lines.unwrap_or_default()
    }

    /// The arguments for what has this role.
    fn argument(&mut self, taken: &Taken<'_>, role: ParameterRole, v: VarId) -> Vec<String> {
        let ty = self.file.c_type(taken.variable.ty);
        let zero = zero(taken.variable.ty).to_string();
        let (kept, value_at) = (&self.kept, &self.value_at);
        let Adapter {
            interface, before, ..
        } = &mut self.adapter;
        let Some(k) = interface.position(role) else {
            // The value of a function in its reverse sweep: the forward sweep kept it.
            *before += &format!("{ty} {kept} = {zero};\n");
            let address = if taken.by_value { "" } else { "&" };
            return vec![format!("{address}{kept}")];
        };
        let item = &interface.items[k];
        if (item.passed, item.given) == (Passed::Value, Given::Never) {
            return vec![match taken.by_value {
                true => zero,
                false => format!("&({ty}){{{zero}}}"),
            }];
        }
        let (mut name, mut passed, given) = (item.name.clone(), item.passed, item.given);
        if item.may_be_null {
            // Callers may not want the value.
            *before += &format!(
                "{ty} {kept} = {zero};\n\
                 {ty} *const {value_at} = {name} ? {name} : &{kept};\n"
            );
            return vec![value_at.clone()];
        }
        if given != Given::Always
            && let Some(here) = self.or_zeros((role, v), (&name, given), (ty, &zero))
        {
            name = here;
        }
        if self.called.several.is_some() && taken.writes && passed == Passed::Constant {
            (name, passed) = (self.copied(&name, ty), Passed::Pointer);
        }
        taken.arguments(self.file, &name, passed)
    }

    /// A pointer to a derivative in place of one that may be null; `None` if its extents are computed.
    fn or_zeros(
        &mut self,
        (role, v): (ParameterRole, VarId),
        (name, given): (&str, Given),
        (ty, zero): (&str, &str),
    ) -> Option<String> {
        let interface = &mut self.adapter.interface;
        let mut count = interface.elements(v)?;
        if self.called.several.is_some() && !matches!(role, ParameterRole::Primal(_)) {
            count = format!("{count} * (int64_t){}", self.count);
        }
        let mut pointer = match given {
            Given::Never => "NULL".to_owned(),
            Given::Always | Given::OrNull => format!("({ty} *){name}"),
        };
        let intent = interface.routine.variable(v).intent();
        let tangent = matches!(role, ParameterRole::Tangent(_)) && given != Given::Never;
        let met = match tangent && interface.routine.aliased {
            true => interface.met(v),
            false => None,
        };
        match (&*count, given, &met) {
            ("1", Given::Never, _) => return Some(format!("(&({ty}){{{zero}}})")),
            ("1", _, None) => return Some(format!("({name} ? {pointer} : &({ty}){{{zero}}})")),
            _ => {}
        }
        let here = interface.fresh(&format!("{name}_here"));
        if let (Some(met), Some(Intent::In)) = (&met, intent) {
            pointer = format!("{met} ? {pointer} : NULL");
        }
        self.zeros_unless(&here, (ty, zero), &pointer, &count);
        if let (Some(met), Some(Intent::Out | Intent::InOut)) = (met, intent) {
            let k = &self.counter;
            self.adapter.before += &format!(
                "for (int64_t {k} = 0; {here} && !({met}) && {k} < {count}; ++{k})\n    \
                     {here}[{k}] = {zero};\n"
            );
        }
        Some(here)
    }

    /// Declares a pointer to so many cells without values.
    fn memory(&mut self, here: &str, ty: &str, count: &str) {
        let (used, status) = (&self.session.used, &self.session.status);
        self.adapter.may_fail = true;
        self.adapter.before += &format!(
            "{ty} *const {here} = cfgrev_allocate(&{used}->work, {count}, sizeof *{here});\n\
             if (!{here})\n    \
                 {status} = 1;\n"
        );
    }

    /// Declares a pointer to what is given, and to so many zeros where that is null.
    fn zeros_unless(&mut self, here: &str, (ty, zero): (&str, &str), given: &str, count: &str) {
        let (used, status, k) = (&self.session.used, &self.session.status, &self.counter);
        self.adapter.may_fail = true;
        self.adapter.before += &format!(
            "{ty} *{here} = {given};\n\
             if (!{here}) {{\n    \
                 {here} = cfgrev_allocate(&{used}->work, {count}, sizeof *{here});\n    \
                 if (!{here})\n        \
                     {status} = 1;\n    \
                 for (int64_t {k} = 0; {here} && {k} < {count}; ++{k})\n        \
                     {here}[{k}] = {zero};\n\
             }}\n"
        );
    }

    /// A copy of the values of a derivative, which the routine changes and the caller does not see.
    fn copied(&mut self, name: &str, ty: &str) -> String {
        let here = self.adapter.interface.fresh(&format!("{name}_here"));
        self.memory(&here, ty, &self.count.clone());
        let (nd, k) = (&self.count, &self.counter);
        self.adapter.before += &format!(
            "for (int {k} = 0; {here} && {k} < {nd}; ++{k})\n    \
                 {here}[{k}] = {name}[{k}];\n"
        );
        here
    }

    /// The arguments for what only a routine in several directions has: the number of directions, or derivatives of a
    /// global.
    fn of_several(&mut self, p: VarId, taken: &Taken<'_>) -> Option<Vec<String>> {
        let (file, several, nd) = (self.file, self.called.several?, self.count.clone());
        if several.count == Count::Parameter(p) {
            return Some(vec![match taken.by_value {
                true => nd,
                false => format!("&(int64_t){{{nd}}}"),
            }]);
        }
        let (_, g) = several.globals.iter().find(|(v, _)| *v == p)?;
        let (base, offset) = file.program.storage(*g);
        let member = file.globals.member(base)?;
        let owner = &file.program.global(base).variable;
        let class = self.globals.variables.derivatives.class(base);
        let mut structures = self.structures.iter();
        let structure = structures.find(|s| Some(s.class) == class)?;
        let mut here = format!("{}_{member}", structure.of.tag);
        if !self.bases.contains(&base) {
            self.bases.push(base);
            let given = match structure.is_parameter {
                true => format!("{0} ? {0}->{member} : NULL", structure.name),
                false => "NULL".to_owned(),
            };
            let is_unset = structure.of.is_unset;
            // Nobody has to give the derivatives of globals that are not active.
            let count = match owner.constant_size().unwrap_or(1).max(1) {
                1 => nd.clone(),
                size => format!("{size} * (int64_t){nd}"),
            };
            let ty = file.c_type(owner.ty);
            if is_unset {
                self.memory(&here, ty, &count);
            } else {
                let zero = zero(owner.ty).to_string();
                self.zeros_unless(&here, (ty, &zero), &given, &count);
            }
        }
        if offset != 0 {
            here = format!("{here} + {offset} * (int64_t){nd}");
        }
        let count = file.checks.then(|| "INT64_MAX".to_owned());
        Some(count.into_iter().chain([here]).collect())
    }
}
