//! Functions for callers in other files around functions of the file: how each parameter of the one is handed to the
//! other.

use super::{
    Failed,
    file::{File, Made},
    parameters::{Interface, Passed, is_optional},
    structs::Leaf,
};
use cfg_core::{
    entity::{RecordId, RoutineId, VarId},
    ir::{Dim, Extent, Intent, ParameterRole, Routine, ScalarType, Variable},
};
use cfg_transform::lower::is_passed_by_value;
use std::{collections::HashMap, rc::Rc};

/// A function for callers in other files.
pub(super) struct Public {
    /// The declaration, but for the semicolon, behind a comment for callers.
    pub(super) head: String,
    /// The whole of it.
    pub(super) text: String,
}

impl Public {
    /// The function with these lines for a body.
    pub(super) fn new(head: String, body: &str) -> Self {
        let lines: String = body.lines().map(|line| format!("    {line}\n")).collect();
        let text = format!("{head}\n{{\n{lines}}}\n");
        Self { head, text }
    }

    /// The function with this comment for callers.
    pub(super) fn described(self, about: &str) -> Self {
        let head = format!("{about}{}", self.head);
        Self { head, ..self }
    }
}

/// A call that hands the tape of a caller on, or one of its own.
pub(super) struct Session {
    /// The tape of the caller, and the one that is used.
    pub(super) tape: String,
    pub(super) used: String,
    pub(super) state: String,
    pub(super) status: String,
    /// The tape in place of one that is null, where that is allowed.
    own: Option<String>,
    /// False if nothing that the function does needs a tape or can fail later on: its own tape and its state go.
    pub(super) begins: bool,
    /// The function that ends it.
    pub(super) end: &'static str,
}

impl Session {
    pub(super) fn new(
        checks: bool,
        may_be_null: bool,
        fresh: impl FnMut(&'static str) -> String,
    ) -> Self {
        let [tape, own, used, state, status] =
            ["tape", "own", "used", "state", "status"].map(fresh);
        Self {
            used: if may_be_null { used } else { tape.clone() },
            tape,
            state,
            status,
            own: may_be_null.then_some(own),
            begins: true,
            end: match checks {
                true => "cfgrev_end_checked",
                false => "cfgrev_end",
            },
        }
    }

    /// The lines that stand first in the function.
    pub(super) fn begin(&self) -> String {
        if !self.begins {
            return String::new();
        }
        let (tape, used, state) = (&self.tape, &self.used, &self.state);
        let own = self.own.iter().map(|own| {
            format!(
                "struct cfgrev_tape {own};\n\
                 if (!{tape})\n    \
                     {own} = (struct cfgrev_tape){{0}};\n\
                 struct cfgrev_tape *const {used} = {tape} ? {tape} : &{own};\n"
            )
        });
        let begin = format!("const struct cfgrev_state {state} = cfgrev_begin({used});\n");
        own.chain([begin]).collect()
    }

    /// The lines that end the function with status 4 and a message, which is a literal.
    pub(super) fn fail(&self, message: &str) -> String {
        if !self.begins {
            return format!("{}return 4;\n", self.leave(message));
        }
        let (end, used, state, free) = (self.end, &self.used, &self.state, self.free());
        format!("{end}({used}, &{state}, 4);\n{used}->message = {message};\n{free}return 4;\n")
    }

    /// The lines that free the tape of this call alone.
    fn free(&self) -> String {
        let tape = &self.tape;
        let own = self.own.iter();
        own.map(|own| format!("if (!{tape})\n    cfgrev_tape_free(&{own});\n"))
            .collect()
    }

    /// The lines that leave a message, which is a literal, on the tape of the caller.
    pub(super) fn leave(&self, message: &str) -> String {
        let tape = &self.tape;
        match &self.own {
            Some(_) => format!("if ({tape})\n    {tape}->message = {message};\n"),
            None => format!("{tape}->message = {message};\n"),
        }
    }

    /// The lines that stand last in the function.
    pub(super) fn end(&self) -> String {
        if !self.begins {
            return format!("{}return 0;\n", self.leave("\"\""));
        }
        let (end, used, state, status) = (self.end, &self.used, &self.state, &self.status);
        let ended = format!("{end}({used}, &{state}, {status})");
        match self.own {
            Some(_) => format!("{status} = {ended};\n{}return {status};\n", self.free()),
            None => format!("return {ended};\n"),
        }
    }
}

/// A parameter of a function of the file, as that takes it.
pub(super) struct Taken<'r> {
    pub(super) variable: &'r Variable,
    pub(super) by_value: bool,
    /// The routine writes it.
    pub(super) writes: bool,
}

impl<'r> Taken<'r> {
    pub(super) fn from_parameter(routine: &'r Routine, p: VarId) -> Self {
        let variable = routine.variable(p);
        Self {
            variable,
            by_value: is_passed_by_value(routine, p),
            writes: variable.intent().is_some_and(Intent::writes),
        }
    }

    /// The number of extents that come before it.
    pub(super) fn extents(&self) -> usize {
        let deferred = |dim: &&Dim| dim.extent == Extent::Deferred;
        self.variable.shape.iter().filter(deferred).count()
    }

    /// The number of parameters of the function that it is.
    pub(super) fn count(&self, file: &File<'_>) -> usize {
        let has_count = file.checks && self.variable.rank() > 0;
        self.extents() + usize::from(has_count) + 1
    }

    /// The arguments for what a caller passes in this way: with checks the number of its elements, and its cells.
    pub(super) fn arguments(&self, file: &File<'_>, name: &str, passed: Passed) -> Vec<String> {
        let mut texts = Vec::new();
        if file.checks && self.variable.rank() > 0 {
            let none = if is_optional(self.variable) { -1 } else { 0 };
            texts.push(count(name, none));
        }
        let sign = match (passed, self.by_value) {
            (Passed::Value, true) | (Passed::Constant | Passed::Pointer, false) => "",
            (Passed::Value, false) => "&",
            (Passed::Constant | Passed::Pointer, true) => "*",
        };
        let logical = file.checks && self.variable.ty == ScalarType::Logical;
        let cast = match (logical && !self.by_value, self.writes) {
            (true, true) => "(cfgrev_logical *)".to_owned(),
            (true, false) => "(const cfgrev_logical *)".to_owned(),
            (false, true) if passed == Passed::Constant && !self.by_value => {
                format!("({} *)", file.c_type(self.variable.ty))
            }
            (false, _) => String::new(),
        };
        texts.push(format!("{cast}{sign}{name}"));
        texts
    }
}

impl File<'_> {
    /// The number of parameters of the function of a routine that one of the routine's is: a record that is a structure
    /// is one with its first leaf, as far as the function has those that it uses alone.
    pub(super) fn parameters_of(&self, r: RoutineId, p: VarId) -> usize {
        let taken = Taken::from_parameter(self.program.routine(r), p);
        match self.records.home(r, p) {
            Some((_, 0)) => 1 + taken.extents().min(1),
            Some(_) => 0,
            None => taken.count(self),
        }
    }
}

/// The number of elements that an argument from outside is taken to have, and of one that is null.
fn count(pointer: &str, none: i64) -> String {
    format!("{pointer} ? INT64_MAX : {none}")
}

/// A function for callers while it is written.
pub(super) struct Adapter<'a> {
    pub(super) interface: Interface<'a>,
    /// The tape that has the memory for copies, and the variable for the status.
    pub(super) work: String,
    pub(super) status: String,
    /// The arguments of the call.
    pub(super) texts: Vec<String>,
    /// The lines before the call, the copies of fields first, and behind it.
    pub(super) copies: String,
    pub(super) before: String,
    pub(super) after: String,
    /// True if something before the call may fail.
    pub(super) may_fail: bool,
    pub(super) leaves: HashMap<RecordId, Rc<[Leaf]>>,
    /// The variables that have the numbers of elements of arrays of records.
    pub(super) sizes: HashMap<VarId, String>,
    /// Pointers to records that are 0 where what is given is null, by the names of what is given.
    pub(super) zeros: HashMap<String, String>,
    /// The name of the variable that counts elements of records.
    pub(super) counter: Option<String>,
    /// The number of directions, of a function in several.
    pub(super) directions: Option<String>,
}

impl<'a> Adapter<'a> {
    pub(super) fn new(interface: Interface<'a>, work: &str, status: &str) -> Self {
        Self {
            interface,
            work: work.to_owned(),
            status: status.to_owned(),
            texts: Vec::new(),
            copies: String::new(),
            before: String::new(),
            after: String::new(),
            may_fail: false,
            leaves: HashMap::new(),
            sizes: HashMap::new(),
            zeros: HashMap::new(),
            counter: None,
            directions: None,
        }
    }

    /// Adds the arguments for the extents of what has a role to the routine and, of a field of a record, for its cells.
    /// Else the variable that callers pass for these is returned.
    pub(super) fn hand(
        &mut self,
        taken: &Taken<'_>,
        role: fn(VarId) -> ParameterRole,
        v: VarId,
    ) -> Result<Option<VarId>, Failed> {
        let structs = self.interface.file.structs.as_ref();
        let home = structs.and_then(|s| s.home(self.interface.id, v));
        let (of, leaf) = home.unwrap_or((v, None));
        if taken.extents() > 0 {
            self.texts.extend(self.interface.extents_of(of));
        }
        let Some(leaf) = leaf else {
            return Ok(Some(of));
        };
        let text = self.record(role, of, leaf, taken)?;
        self.texts.push(text);
        Ok(None)
    }

    /// Adds the argument for a structure, of which what has a role to the routine is a leaf, and the number of
    /// structures.
    pub(super) fn hand_structure(
        &mut self,
        taken: &Taken<'_>,
        role: fn(VarId) -> ParameterRole,
        v: VarId,
    ) -> Result<(), Failed> {
        let structs = self.interface.file.structs.as_ref();
        let home = structs.and_then(|s| s.home(self.interface.id, v));
        let of = home.map_or(v, |(of, _)| of);
        if taken.extents() > 0 {
            self.texts.extend(self.interface.extents_of(of));
        }
        let text = self.structure(role, of, taken)?;
        self.texts.push(text);
        Ok(())
    }

    /// The call of the function of the file with these arguments.
    pub(super) fn call(&self, made: &Made, memory: &str) -> String {
        call(made, &self.texts, memory)
    }

    /// The call of another version of the function, which takes some arguments by value in place of their addresses.
    pub(super) fn call_apart(&self, made: &Made, by_value: &[usize], memory: &str) -> String {
        let mut texts = self.texts.clone();
        for &k in by_value {
            let text = &mut texts[k];
            // A value that may be absent is 0 then.
            let optional = text.strip_suffix(" : NULL");
            *text = match (
                text.strip_prefix('&'),
                optional.and_then(|t| t.split_once(" ? &")),
            ) {
                (Some(place), _) => place.to_owned(),
                (None, Some((given, place))) => format!("{given} ? {place} : 0"),
                (None, None) => format!("*{text}"),
            };
        }
        call(made, &texts, memory)
    }
}

/// The parameters of a declaration.
pub(super) fn list(parameters: Vec<String>) -> String {
    match parameters.is_empty() {
        true => "void".to_owned(),
        false => parameters.join(", "),
    }
}

/// The call of a function of the file, with this tape for what needs memory.
pub(super) fn call(made: &Made, arguments: &[String], memory: &str) -> String {
    let mut arguments = made.used_arguments(arguments.to_vec());
    arguments.extend(made.last_arguments(memory));
    format!("{}({})", made.name, arguments.join(", "))
}
