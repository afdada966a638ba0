//! The state of a file that is written: its globals, the names and properties of its functions; and its head.

use super::{
    fold::{fold_and_mark, fold_code, fold_comment},
    globals::{self, Globals},
    names::{Names, escape_comment},
    operators::Pieces,
    origins::Origins,
    pooled::Pooled,
    records::Records,
    runtime::{TAPE, TAPE_HEADER},
    structs::Structs,
    variable::{cell_type, given_shape},
};
use cfg_core::{
    entity::{RoutineId, VarId},
    flat::FlatStmt,
    ir::{
        Expr, Program, Routine, ScalarType, SourceComments, StmtKind, Variable, visit::each_name,
    },
    memory::{
        effects::Effects,
        locations::Locations,
        overlaps::{self, Pair},
    },
    structure::Structure,
    validate::ValidProgram,
};
use std::{
    borrow::Cow,
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    rc::Rc,
};

/// The properties of a function that its callers need to know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Made {
    /// The name.
    pub(super) name: String,
    /// It returns a status; the result of a function goes through a pointer.
    pub(super) can_fail: bool,
    /// It has a parameter more: a tape with memory for work arrays.
    pub(super) needs_memory: bool,
    /// It has a parameter more: pairs of arguments whose cells it compares, in a file with checks.
    pub(super) compared: bool,
    /// The parameters, by position, that it does not have because nothing in it uses them.
    pub(super) unused: BTreeSet<usize>,
}

impl Made {
    /// The arguments of the parameters that the function has, of those of all.
    pub(super) fn used_arguments<T>(&self, all: Vec<T>) -> Vec<T> {
        let all = all.into_iter().enumerate();
        let used = all.filter(|(k, _)| !self.unused.contains(k));
        used.map(|(_, argument)| argument).collect()
    }

    /// The statement that makes a call; its status goes to a variable.
    pub(super) fn assigned(&self, status: &str, call: &str) -> String {
        match self.can_fail {
            true => format!("{status} = {call};"),
            false => format!("{call};"),
        }
    }

    /// The arguments that stand last in a call from outside, with this tape for what needs memory.
    pub(super) fn last_arguments(&self, memory: &str) -> Vec<String> {
        // Nobody outside has pairs of arguments to compare.
        let pairs = self.compared.then(|| "NULL".to_owned());
        let memory = self.needs_memory.then(|| memory.to_owned());
        pairs.into_iter().chain(memory).collect()
    }
}

/// What a function says, beside its status, of a statement that stops the program. With checks it is code, place and
/// text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Stops {
    /// Nothing: nobody outside has a tape.
    #[default]
    Status,
    /// The text.
    Message,
    /// The numbers of routine, vertex and statement, for who has the program.
    Place,
}

/// The state of a file that is written.
pub(super) struct File<'a> {
    pub(super) program: &'a Program,
    pub(super) globals: Globals,
    /// Names of functions, and what they refer to.
    pub(super) names: Names,
    /// True if a section may have gaps that is passed to a routine whose parameters may overlap.
    pub(super) gaps: bool,
    /// The functions, by routine and whether parameters have strides, as far as they are known.
    functions: RefCell<BTreeMap<(RoutineId, bool), Made>>,
    /// The functions that the one that is being written calls.
    calls: RefCell<BTreeSet<(RoutineId, bool)>>,
    function_names: Vec<FunctionNames>,
    /// The numbers of local tapes, by routine and variable.
    tapes: BTreeMap<(RoutineId, VarId), usize>,
    /// The tapes that a routine pushes to, pops from, or passes on, by routine and variable.
    used_tapes: BTreeSet<(RoutineId, VarId)>,
    /// The structures of a program that has been written with records.
    pub(super) structs: Option<Structs<'a>>,
    /// The records that are structures inside of the file.
    pub(super) records: Records,
    /// True if functions are to be seen by other files.
    pub(super) public: bool,
    /// A routine whose function is to be seen by other files even so.
    pub(super) replaced: Option<RoutineId>,
    /// What each global is to pointers.
    pub(super) pooled: Vec<Option<Pooled>>,
    /// True if everything is checked.
    pub(super) checks: bool,
    /// True if callers promise that nothing which they give shares cells.
    pub(super) apart: bool,
    /// What functions say where the program stops.
    pub(super) stops: Stops,
    pub(super) effects: Effects,
    /// With checks, the routines that compare cells of arguments when they are entered.
    compared: BTreeSet<RoutineId>,
    /// What the code comes from.
    pub(super) origins: RefCell<Origins>,
    /// The parameters, by routine, of which callers do not give the extents because no function uses them.
    pub(super) left_out: RefCell<BTreeSet<(RoutineId, VarId)>>,
    /// The comments of the sources, if there are any.
    pub(super) comments: Option<Rc<SourceComments>>,
}

impl File<'_> {
    /// The C type of a scalar.
    pub(super) fn c_type(&self, ty: ScalarType) -> &'static str {
        cell_type(ty, self.checks)
    }

    /// The C type of a scalar or a record.
    pub(super) fn type_of(&self, ty: ScalarType) -> String {
        match (ty.record(), &self.structs) {
            (Some(r), Some(structs)) => structs.type_of(r),
            (Some(_) | None, _) => self.c_type(ty).to_owned(),
        }
    }

    /// The program as callers in other files see it: with its records.
    pub(super) fn program_for_callers(&self) -> &Program {
        self.structs.as_ref().map_or(self.program, |s| s.program)
    }

    /// True if callers see other parameters or another result than the function of the file has. Routines that the
    /// program with records lacks have no callers outside.
    pub(super) fn has_records(&self, r: RoutineId) -> bool {
        let Some(routine) = self.program_for_callers().routines.get(r.index()) else {
            return false;
        };
        let mut interface = routine.parameter_ids().chain(routine.result);
        interface.any(|v| routine.variable(v).ty.record().is_some())
    }
}

/// A graph in the form in which it is written.
pub(super) struct Written<'a> {
    pub(super) routine: Cow<'a, Routine>,
    /// The nesting; none of a graph of jumps.
    pub(super) structure: Option<Cow<'a, Structure>>,
}

/// The tapes that a routine pushes to, pops from, or passes on, by routine and variable.
fn used_tapes(program: &Program) -> BTreeSet<(RoutineId, VarId)> {
    let mut used = BTreeSet::new();
    for (r, routine) in (0..).map(RoutineId::new).zip(&program.routines) {
        let mut use_of = |v: VarId| {
            if routine.variable(v).ty.is_tape() {
                used.insert((r, v));
            }
        };
        for statement in routine.statements() {
            each_name(statement, &mut |v, _| use_of(v));
        }
        if routine.restart_role().is_some() {
            routine.parameter_ids().for_each(use_of);
        }
    }
    used
}

impl<'a> File<'a> {
    /// True of a parameter that the routine pushes to, pops from, or passes on.
    pub(super) fn uses_tape(&self, r: RoutineId, v: VarId) -> bool {
        self.used_tapes.contains(&(r, v))
    }

    pub(super) fn new(
        program: &'a ValidProgram,
        names: Names,
        function_names: Vec<FunctionNames>,
        own_tapes: &[(RoutineId, VarId)],
        globals: &globals::Variables,
        checks: bool,
    ) -> Self {
        let effects = Effects::summarise(program);
        let compared = if checks {
            compared(program, &effects)
        } else {
            BTreeSet::new()
        };
        let mut tapes = BTreeMap::new();
        for (r, routine) in (0..).map(RoutineId::new).zip(&program.routines) {
            for (v, variable) in (0..).map(VarId::new).zip(&routine.variables) {
                if variable.ty.is_tape()
                    && variable.intent().is_none()
                    && !own_tapes.contains(&(r, v))
                {
                    let number = tapes.len() + 1;
                    tapes.insert((r, v), number);
                }
            }
        }
        Self {
            globals: Globals::declare(program, globals),
            functions: RefCell::default(),
            calls: RefCell::default(),
            gaps: has_gaps(program),
            program,
            names,
            function_names,
            tapes,
            used_tapes: used_tapes(program),
            structs: None,
            records: Records::default(),
            public: false,
            replaced: None,
            pooled: Pooled::globals(program),
            checks,
            apart: false,
            stops: Stops::default(),
            effects,
            compared,
            origins: RefCell::default(),
            left_out: RefCell::default(),
            comments: SourceComments::from_annotations(&program.annotations).map(Rc::new),
        }
    }

    /// The function that a routine is; with `strided`, the one whose array parameters may have gaps.
    pub(super) fn made_function(&self, r: RoutineId, strided: bool) -> Option<Made> {
        self.functions.borrow().get(&(r, strided)).cloned()
    }

    /// The function that a routine is, for a call in the function that is being written.
    pub(super) fn called(&self, r: RoutineId, strided: bool) -> Option<Made> {
        self.calls.borrow_mut().insert((r, strided));
        self.made_function(r, strided)
    }

    /// The functions that were called since this was last asked.
    pub(super) fn take_calls(&self) -> BTreeSet<(RoutineId, bool)> {
        self.calls.take()
    }

    /// The number of a local tape among those of the file; 0 is the memory's own.
    pub(super) fn tape_number(&self, r: RoutineId, v: VarId) -> usize {
        self.tapes.get(&(r, v)).copied().unwrap_or(0)
    }

    /// The name of the function that a routine is. Where other files may call it, one that needs memory for work arrays
    /// has another name, and a function of its own around it.
    pub(super) fn function_name(&self, r: RoutineId, needs_memory: bool, strided: bool) -> String {
        let names = &self.function_names[r.index()];
        match (strided, needs_memory || self.has_records(r)) {
            (true, _) => &names.strided,
            (false, true) => &names.inner,
            (false, false) => &names.plain,
        }
        .clone()
    }

    /// The name of the function of a routine for callers in other files.
    pub(super) fn plain_name(&self, r: RoutineId) -> &str {
        &self.function_names[r.index()].plain
    }

    /// True if the function that a routine is is to be seen by other files.
    pub(super) fn is_public(&self, r: RoutineId) -> bool {
        (self.public || self.replaced == Some(r)) && !self.has_records(r)
    }

    /// True if the function that a routine is compares cells of its arguments when it is entered.
    pub(super) fn is_compared(&self, r: RoutineId, strided: bool) -> bool {
        !strided && self.compared.contains(&r)
    }

    /// What is known of a function from now on.
    pub(super) fn set(&self, r: RoutineId, strided: bool, made: Made) {
        self.functions.borrow_mut().insert((r, strided), made);
    }

    /// The function of which nothing is known yet: it may do anything.
    pub(super) fn set_unknown(&self, r: RoutineId, strided: bool) {
        let made = Made {
            name: self.function_name(r, true, strided),
            can_fail: true,
            needs_memory: true,
            compared: self.is_compared(r, strided),
            unused: BTreeSet::new(),
        };
        self.set(r, strided, made);
    }
}

/// The routines that are passed arguments which may share cells, of which one is a parameter of explicit shape.
fn compared(program: &Program, effects: &Effects) -> BTreeSet<RoutineId> {
    let mut compared = BTreeSet::new();
    for routine in &program.routines {
        let locations = Locations::divide(program, routine);
        for statement in routine.statements() {
            let StmtKind::Call {
                callee, arguments, ..
            } = &statement.kind
            else {
                continue;
            };
            // A call with too many pairs is refused where it is written.
            let pairs =
                overlaps::of_call(program, effects, (routine, &locations), *callee, arguments);
            let called = program.routine(*callee);
            let on_entry =
                |pairs: Vec<Pair>| pairs.iter().any(|pair| pair.is_found_on_entry(called));
            if pairs.is_ok_and(on_entry) {
                compared.insert(*callee);
            }
        }
    }
    compared
}

/// True if a parameter takes its extents from an argument that may lie in another storage order.
pub(super) fn takes_order(formal: &Variable, actual: &Variable) -> bool {
    formal.rank() > 1 && !given_shape(formal) && formal.order != actual.order
}

/// True if a routine whose parameters may overlap is passed a section, or an array in another storage order than its
/// own.
fn has_gaps(program: &Program) -> bool {
    let passed = |caller: &Routine, called: &Routine, arguments: &[Option<Expr>]| {
        called.parameter_ids().zip(arguments).any(|(p, e)| match e {
            Some(Expr::Place(place)) if place.subscripts.is_empty() => {
                takes_order(called.variable(p), caller.variable(place.var))
            }
            Some(Expr::Place(place)) => !place.is_element(),
            Some(_) | None => false,
        })
    };
    program.routines.iter().any(|caller| {
        caller.statements().any(|s| match FlatStmt::view(&s.kind) {
            FlatStmt::Call {
                callee, arguments, ..
            } => {
                let called = program.routine(callee);
                called.aliased && passed(caller, called, arguments)
            }
            FlatStmt::Assign { .. }
            | FlatStmt::Push { .. }
            | FlatStmt::Pop { .. }
            | FlatStmt::Opaque { .. }
            | FlatStmt::Stop { .. } => false,
        })
    })
}

/// The names that the functions of a routine may have.
#[derive(Clone, Debug, Default)]
pub(super) struct FunctionNames {
    /// The name.
    pub(super) plain: String,
    /// The name if it needs memory for work arrays, in a file whose functions others call.
    pub(super) inner: String,
    /// The name of the function whose array parameters may have gaps.
    pub(super) strided: String,
}

/// A header: what it is, what it includes, and declarations: types and globals, functions.
pub(super) fn header(title: &str, included: bool, types: &str, functions: &[String]) -> String {
    let mut text = head(title);
    match included {
        true => text += &include_tape(&Pieces::default()),
        false => {
            text += &include_system(["stdbool.h", "stddef.h", "stdint.h", "stdlib.h"]);
            text += &format!("\n{TAPE}");
        }
    }
    text += "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";
    text += &fold_code(types);
    text += &declarations(functions);
    text + "\n#ifdef __cplusplus\n}\n#endif\n"
}

/// The declarations of functions for callers in other files: a comment, if there is one, and the head.
pub(super) fn declarations(functions: &[String]) -> String {
    functions.iter().fold(String::new(), |text, function| {
        text + &fold_code(function) + ";\n"
    })
}

/// A file with these functions, behind all that they need.
pub(super) fn whole(
    title: &str,
    included: bool,
    pieces: &Pieces,
    origins: &Origins,
    functions: &str,
) -> String {
    let mut text = head(title);
    let mut headers = pieces.headers();
    match included {
        true => {
            // The header of the tape has these.
            for name in ["stdbool.h", "stddef.h", "stdint.h", "stdlib.h"] {
                headers.remove(name);
            }
            text += &include_system(headers);
            text += &include_tape(pieces);
        }
        false => {
            headers.extend(["stdbool.h", "stddef.h", "stdint.h", "stdlib.h"]);
            text += &include_system(headers);
            text += &format!("\n{TAPE}");
        }
    }
    let helpers = pieces.text(functions, included);
    if !helpers.is_empty() {
        text += &format!("\n{helpers}");
    }
    let [before, behind] = pieces.pragmas();
    let functions = match origins.is_marked() {
        true => fold_and_mark(functions),
        false => fold_code(functions),
    };
    text += &format!("\n{before}{functions}{behind}");
    match origins.is_marked() {
        true => origins.resolved(&text),
        false => text,
    }
}

/// The comment that says what a file is.
fn head(title: &str) -> String {
    let lines: Vec<String> = title.lines().map(escape_comment).collect();
    fold_comment(&format!("/* {} */\n\n", lines.join("\n   ")))
}

fn include_system(headers: impl IntoIterator<Item = &'static str>) -> String {
    let headers = headers.into_iter();
    headers.map(|name| format!("#include <{name}>\n")).collect()
}

/// The lines that include the header of the tape, with what the pieces need of it.
fn include_tape(pieces: &Pieces) -> String {
    let switches = pieces.switches();
    let mut text: String = switches.map(|name| format!("#define {name}\n")).collect();
    text += &format!("#include \"{TAPE_HEADER}\"\n");
    text
}
