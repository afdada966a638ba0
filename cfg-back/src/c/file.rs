//! The file: what it includes, its tape, its globals, its functions; called ones come first.

use super::{
    Failed,
    globals::{self, Globals},
    names::{Names, comment},
    operators::Pieces,
    routine, runtime,
};
use cfg_core::{
    entity::{RoutineId, VarId},
    ir::{Control, Expr, Program, Routine, StmtKind, VertexKind},
    memory::{callgraph::CallGraph, effects::Effects},
    recover::{self, Checked},
    structure::Structure,
    validate::ValidProgram,
};
use std::{borrow::Cow, cell::RefCell, collections::BTreeMap};

/// The properties of a function that its callers need to know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Made {
    /// The name.
    pub(super) name: String,
    /// It returns a status; the result of a function goes through a pointer.
    pub(super) can_fail: bool,
    /// It has a parameter more: a tape with memory for work arrays.
    pub(super) needs_memory: bool,
}

/// The state of a file that is written.
pub(super) struct File<'a> {
    pub(super) program: &'a Program,
    pub(super) globals: Globals,
    /// Names of functions, and what they refer to.
    pub(super) names: Names,
    /// True if a section may have gaps that is passed to a routine whose parameters may overlap.
    gaps: bool,
    /// The functions, by routine and whether parameters have strides, as far as they are known.
    functions: RefCell<BTreeMap<(RoutineId, bool), Made>>,
    function_names: Vec<FunctionNames>,
    /// The numbers of local tapes, by routine and variable.
    tapes: BTreeMap<(RoutineId, VarId), usize>,
    /// True if functions are to be seen by other files.
    pub(super) public: bool,
}

/// A graph in the form in which it is written.
pub(super) struct Written<'a> {
    pub(super) routine: Cow<'a, Routine>,
    /// The nesting; none of a graph of jumps.
    pub(super) structure: Option<Cow<'a, Structure>>,
}

impl<'a> File<'a> {
    pub(super) fn new(
        program: &'a ValidProgram,
        names: Names,
        function_names: Vec<FunctionNames>,
        own_tape: Option<(RoutineId, VarId)>,
        globals: &globals::Variables,
    ) -> Self {
        let mut tapes = BTreeMap::new();
        for (r, routine) in (0..).map(RoutineId::new).zip(&program.routines) {
            for (v, variable) in (0..).map(VarId::new).zip(&routine.variables) {
                if variable.ty.is_tape() && variable.intent().is_none() && own_tape != Some((r, v))
                {
                    let number = tapes.len() + 1;
                    tapes.insert((r, v), number);
                }
            }
        }
        Self {
            globals: Globals::of(program, globals),
            functions: RefCell::default(),
            gaps: has_gaps(program),
            program,
            names,
            function_names,
            tapes,
            public: false,
        }
    }

    /// The function that a routine is; with `strided`, the one whose array parameters may have gaps.
    pub(super) fn made(&self, r: RoutineId, strided: bool) -> Option<Made> {
        self.functions.borrow().get(&(r, strided)).cloned()
    }

    /// The number of a local tape among those of the file; 0 is the memory's own.
    pub(super) fn tape_number(&self, r: RoutineId, v: VarId) -> usize {
        self.tapes.get(&(r, v)).copied().unwrap_or(0)
    }

    /// The functions of all routines that `wanted` reach, called ones first. Pieces and headers that they need are added.
    ///
    /// # Errors
    /// What has no C.
    pub(super) fn functions(
        &self,
        program: &ValidProgram,
        wanted: &[RoutineId],
        pieces: &mut Pieces,
    ) -> Result<String, Vec<Failed>> {
        let effects = Effects::of(program);
        let graph = CallGraph::of(program);
        let mut needed = vec![false; program.routines.len()];
        let mut open: Vec<RoutineId> = wanted.to_vec();
        while let Some(r) = open.pop() {
            if !std::mem::replace(&mut needed[r.index()], true) {
                open.extend(graph.callees(r));
            }
        }
        let mut text = String::new();
        let mut problems = Vec::new();
        for component in graph.components() {
            let members: Vec<RoutineId> = component
                .iter()
                .copied()
                .filter(|r| needed[r.index()])
                .collect();
            let recursive =
                members.len() > 1 || members.iter().any(|r| graph.callees(*r).contains(r));
            let variants: Vec<(RoutineId, bool)> = members
                .iter()
                .flat_map(|&r| [(r, false), (r, true)])
                .filter(|&(r, strided)| !strided || (self.gaps && program.routine(r).aliased))
                .collect();
            if recursive {
                // What is not known yet may be anything.
                for &(r, strided) in &variants {
                    self.set(r, strided, true, true);
                    text.push_str(&routine::prototype(self, r, strided));
                    text.push_str(";\n");
                }
                text.push('\n');
            }
            for (r, strided) in variants {
                let written = written(program, &effects, r);
                match routine::function(self, r, &written, (recursive, strided), pieces) {
                    Ok((made, function)) => {
                        self.set(r, strided, made.can_fail, made.needs_memory);
                        text.push_str(&function);
                        text.push('\n');
                    }
                    Err(problem) => {
                        self.set(r, strided, true, true);
                        problems.push(problem);
                    }
                }
            }
        }
        if problems.is_empty() {
            Ok(text)
        } else {
            Err(problems)
        }
    }

    /// The name of the function that a routine is. Where other files may call it, one that needs memory for work arrays
    /// has another name, and a function of its own around it.
    pub(super) fn function_name(&self, r: RoutineId, needs_memory: bool, strided: bool) -> String {
        let names = &self.function_names[r.index()];
        match (strided, needs_memory) {
            (true, _) => &names.strided,
            (false, true) => &names.inner,
            (false, false) => &names.plain,
        }
        .clone()
    }

    fn set(&self, r: RoutineId, strided: bool, can_fail: bool, needs_memory: bool) {
        let name = self.function_name(r, needs_memory, strided);
        let made = Made {
            name,
            can_fail,
            needs_memory,
        };
        self.functions.borrow_mut().insert((r, strided), made);
    }
}

/// True if a routine whose parameters may overlap is passed a section.
fn has_gaps(program: &Program) -> bool {
    let section = |e: &Option<Expr>| matches!(e, Some(Expr::Place(p)) if !p.subscripts.is_empty() && !p.is_element());
    let statements = program.routines.iter().flat_map(Routine::statements);
    let mut calls = statements.filter_map(|s| match &s.kind {
        StmtKind::Call {
            callee, arguments, ..
        } => Some((callee, arguments)),
        StmtKind::Assign { .. }
        | StmtKind::Push { .. }
        | StmtKind::Pop { .. }
        | StmtKind::Opaque { .. } => None,
    });
    calls.any(|(callee, arguments)| {
        program.routine(*callee).aliased && arguments.iter().any(section)
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

/// The routine as it is written: loops and branches of a general graph are recovered; where that leaves jumps, it is
/// blocks and jumps.
fn written<'a>(program: &'a ValidProgram, effects: &Effects, r: RoutineId) -> Written<'a> {
    /// The greatest number of loops and branches around one another: C99 asks compilers for 127 nested blocks, and array
    /// statements have some of their own.
    const DEEPEST: usize = 100;
    let routine = program.routine(r);
    if let Some(structure) = program.structure(r)
        && depth(routine, structure) <= DEEPEST
    {
        return Written {
            routine: Cow::Borrowed(routine),
            structure: Some(Cow::Borrowed(structure)),
        };
    }
    if routine.body.is_none() {
        return Written {
            routine: Cow::Borrowed(routine),
            structure: None,
        };
    }
    let recovered = recover::recover(program, effects, routine);
    if recovered.control == Control::Structured
        && let Some(Ok(structure)) = recovered.body.as_ref().map(Structure::of)
        && depth(&recovered, &structure) <= DEEPEST
    {
        return Written {
            routine: Cow::Owned(recovered),
            structure: Some(Cow::Owned(structure)),
        };
    }
    Written {
        routine: Cow::Owned(recover::flatten_as(program, effects, routine, Checked::Yes)),
        structure: None,
    }
}

/// The greatest number of loops and branches around a vertex.
fn depth(routine: &Routine, structure: &Structure) -> usize {
    let Some(cfg) = &routine.body else {
        return 0;
    };
    let (mut open, mut deepest) = (0_usize, 0);
    for &v in &structure.order {
        match cfg.vertex(v).kind {
            VertexKind::Loop { .. } | VertexKind::Branch(_) => open += 1,
            VertexKind::EndLoop | VertexKind::EndBranch => open = open.saturating_sub(1),
            VertexKind::Entry | VertexKind::Exit | VertexKind::Block(_) => {}
        }
        deepest = deepest.max(open);
    }
    deepest
}

/// The head of a file: what it is, and what it includes.
pub(super) fn head(title: &str, pieces: &Pieces) -> String {
    let mut text = format!("/* {} */\n\n", comment(title));
    let mut headers = pieces.headers();
    headers.extend(["math.h", "stdbool.h", "stddef.h", "stdint.h", "stdlib.h"]);
    for header in headers {
        text.push_str(&format!("#include <{header}>\n"));
    }
    text.push('\n');
    text.push_str(&runtime::text());
    text.push('\n');
    // Not every function that was asked for is called in the end.
    text.push_str(&pieces.text().replace("static inline ", "CFGREV_INLINE "));
    text.push('\n');
    text
}
