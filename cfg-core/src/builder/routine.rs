//! One routine, written from top to bottom.

use super::{VarType, jumps::Jumps};
use crate::{
    codes,
    diagnostic::{Diagnostic, Diagnostics},
    entity::{GlobalId, RoutineId, VarId, VertexId},
    ir::{
        Annotations, Arm, CaseRange, Cfg, Control, Derivatives, Edge, Expr, External, Intent,
        LoopForm, LoopTest, Place, Program, Role, Routine, ScalarType, Selector, Stmt, StmtKind,
        TapeClass, Variable, Vertex, VertexKind,
    },
};
use std::collections::HashSet;

/// Writes one routine. See [the module page](super).
#[derive(Debug)]
pub struct RoutineBuilder {
    pub(super) routine: Routine,
    names: HashSet<String>,
    pub(super) vertices: Vec<Vertex>,
    pub(super) edges: Vec<Edge>,
    /// Edges that lead to the next vertex; none after a jump.
    pub(super) pending: Vec<usize>,
    /// The basic block that the next statement joins.
    pub(super) current: Option<usize>,
    open: Vec<Open>,
    pub(super) jumps: Jumps,
    /// For the next vertex or statement.
    note: Annotations,
    temporaries: usize,
    problems: Diagnostics,
    own_body: Option<(Cfg, Control)>,
}

/// A loop or branch that has not ended.
#[derive(Debug)]
enum Open {
    Loop {
        header: usize,
        /// A condition too deep for the vertex: assigned to this variable before each test.
        again: Option<(VarId, Expr)>,
        /// Its condition comes with the end.
        repeat: bool,
    },
    If {
        header: usize,
        has_else: bool,
        ends: Vec<usize>,
    },
    Cases {
        header: usize,
        value: Expr,
        arms: Vec<Arm>,
        ends: Vec<usize>,
    },
}

impl Open {
    fn header(&self) -> usize {
        match *self {
            Self::Loop { header, .. } | Self::If { header, .. } | Self::Cases { header, .. } => {
                header
            }
        }
    }
}

impl RoutineBuilder {
    /// A routine without parameters and statements.
    pub fn new(name: impl Into<String>) -> Self {
        let mut builder = Self {
            routine: Routine {
                name: name.into(),
                ..Routine::default()
            },
            names: HashSet::new(),
            vertices: Vec::new(),
            edges: Vec::new(),
            pending: Vec::new(),
            current: None,
            open: Vec::new(),
            jumps: Jumps::default(),
            note: None,
            temporaries: 0,
            problems: Diagnostics::default(),
            own_body: None,
        };
        let entry = builder.vertex(VertexKind::Entry);
        builder.leave(entry, None);
        builder
    }

    // --- variables ---------------------------------------------------------------------------

    /// Declares a variable of any role. Parameters come before everything else.
    pub fn variable(&mut self, variable: Variable) -> VarId {
        if matches!(variable.role, Role::Parameter { .. }) {
            if self.routine.parameters < self.routine.variables.len() {
                self.misuse(
                    format!(
                        "parameter {} is declared after other variables",
                        variable.name
                    ),
                    "declare all parameters first",
                );
            }
            self.routine.parameters += 1;
        }
        self.names.insert(variable.name.clone());
        self.routine.add_variable(variable)
    }

    /// Declares a parameter.
    pub fn parameter(
        &mut self,
        name: impl Into<String>,
        ty: impl Into<VarType>,
        intent: Intent,
    ) -> VarId {
        let role = Role::Parameter {
            intent,
            optional: false,
        };
        self.variable(ty.into().variable(name, role))
    }

    /// Declares an `in` parameter.
    pub fn input(&mut self, name: impl Into<String>, ty: impl Into<VarType>) -> VarId {
        self.parameter(name, ty, Intent::In)
    }

    /// Declares an `out` parameter.
    pub fn output(&mut self, name: impl Into<String>, ty: impl Into<VarType>) -> VarId {
        self.parameter(name, ty, Intent::Out)
    }

    /// Declares an `inout` parameter.
    pub fn inout(&mut self, name: impl Into<String>, ty: impl Into<VarType>) -> VarId {
        self.parameter(name, ty, Intent::InOut)
    }

    /// Declares an optional parameter.
    pub fn optional(
        &mut self,
        name: impl Into<String>,
        ty: impl Into<VarType>,
        intent: Intent,
    ) -> VarId {
        let role = Role::Parameter {
            intent,
            optional: true,
        };
        self.variable(ty.into().variable(name, role))
    }

    /// Declares a local variable.
    pub fn local(&mut self, name: impl Into<String>, ty: impl Into<VarType>) -> VarId {
        self.variable(ty.into().variable(name, Role::Local))
    }

    /// Declares the result variable of a function.
    pub fn result(&mut self, name: impl Into<String>, ty: impl Into<VarType>) -> VarId {
        let v = self.local(name, ty);
        self.routine.result = Some(v);
        v
    }

    /// Makes a global variable of the program visible under its name.
    pub fn global(&mut self, program: &Program, global: GlobalId) -> VarId {
        if let Some(known) = self
            .routine
            .variables
            .iter()
            .position(|v| v.role == Role::Global(global))
        {
            return VarId::new(known);
        }
        match program.globals.get(global.index()) {
            Some(g) => self.variable(Variable {
                role: Role::Global(global),
                ..g.variable.clone()
            }),
            None => {
                self.misuse(
                    format!("there is no global {global}"),
                    "declare it in the program first",
                );
                self.temporary(ScalarType::Real)
            }
        }
    }

    /// Declares a local variable with a new name.
    pub fn temporary(&mut self, ty: impl Into<VarType>) -> VarId {
        loop {
            self.temporaries += 1;
            let name = format!("t{}", self.temporaries);
            if !self.names.contains(&name) {
                return self.local(name, ty);
            }
        }
    }

    /// A variable that was declared.
    pub fn get(&self, v: VarId) -> Option<&Variable> {
        self.routine.variables.get(v.index())
    }

    /// Variables to differentiate with respect to.
    pub fn independents(&mut self, vars: impl IntoIterator<Item = VarId>) -> &mut Self {
        self.routine.independents.extend(vars);
        self
    }

    /// Variables to differentiate.
    pub fn dependents(&mut self, vars: impl IntoIterator<Item = VarId>) -> &mut Self {
        self.routine.dependents.extend(vars);
        self
    }

    /// Parameters may overlap although one of them is written.
    pub fn aliased(&mut self) {
        self.routine.aliased = true;
    }

    /// Derivative routines that the user gives.
    pub fn derivatives(&mut self, derivatives: Derivatives) {
        self.routine.derivatives = Some(Box::new(derivatives));
    }

    /// Free-form data of the front end for the routine itself.
    pub fn annotate(&mut self, annotations: Annotations) {
        self.routine.annotations = annotations;
    }

    /// Free-form data of the front end for the next vertex or statement (a source position, say).
    pub fn note(&mut self, annotations: Annotations) {
        self.note = annotations;
    }

    // --- statements --------------------------------------------------------------------------

    /// The next statement starts a new basic block.
    pub fn block(&mut self) {
        self.current = None;
    }

    /// Appends any statement. Its expressions are taken as they are.
    pub fn statement(&mut self, mut statement: Stmt) {
        let block = match self.current {
            Some(block) => block,
            None => {
                let block = self.enter(VertexKind::Block(Vec::new()));
                self.leave(block, None);
                self.current = Some(block);
                block
            }
        };
        if statement.annotations.is_none() {
            statement.annotations = self.note.take();
        }
        if let VertexKind::Block(statements) = &mut self.vertices[block].kind {
            statements.push(statement);
        }
    }

    /// `target = value`.
    pub fn assign(&mut self, target: impl Into<Place>, value: impl Into<Expr>) {
        let note = self.note.take();
        let value = self.split(value.into());
        let target = self.split_place(target.into());
        self.note = note;
        self.statement(Stmt::assign(target, value));
    }

    /// Calls a routine. Expressions that are not places go to `in` parameters only.
    pub fn call<E: Into<Expr>>(
        &mut self,
        callee: RoutineId,
        arguments: impl IntoIterator<Item = E>,
    ) {
        let arguments = arguments.into_iter().map(|e| Some(e.into())).collect();
        self.call_with(callee, arguments, None);
    }

    /// Calls a function and assigns its result.
    pub fn call_function<E: Into<Expr>>(
        &mut self,
        result: impl Into<Place>,
        callee: RoutineId,
        arguments: impl IntoIterator<Item = E>,
    ) {
        let arguments = arguments.into_iter().map(|e| Some(e.into())).collect();
        self.call_with(callee, arguments, Some(result.into()));
    }

    /// Calls a routine; `None` stands for an optional argument that is not given.
    pub fn call_with(
        &mut self,
        callee: RoutineId,
        arguments: Vec<Option<Expr>>,
        result: Option<Place>,
    ) {
        let note = self.note.take();
        let arguments = arguments
            .into_iter()
            .map(|e| e.map(|e| self.split(e)))
            .collect();
        let result = result.map(|place| self.split_place(place));
        self.note = note;
        self.statement(Stmt::new(StmtKind::Call {
            callee,
            arguments,
            result,
        }));
    }

    /// Pushes a value on a tape.
    pub fn push(&mut self, tape: VarId, class: TapeClass, value: impl Into<Expr>) {
        let value = self.split(value.into());
        self.statement(Stmt::new(StmtKind::Push { tape, class, value }));
    }

    /// Pops a value from a tape.
    pub fn pop(&mut self, tape: VarId, class: TapeClass, target: impl Into<Place>) {
        let target = self.split_place(target.into());
        self.statement(Stmt::new(StmtKind::Pop {
            tape,
            class,
            target,
        }));
    }

    /// A statement that is kept at its place and computes nothing.
    pub fn opaque(
        &mut self,
        text: impl Into<Box<str>>,
        reads: impl IntoIterator<Item = VarId>,
        writes: impl IntoIterator<Item = VarId>,
    ) {
        self.statement(Stmt::new(StmtKind::Opaque {
            text: text.into(),
            reads: reads.into_iter().collect(),
            writes: writes.into_iter().collect(),
        }));
    }

    // --- loops -------------------------------------------------------------------------------

    /// Begins a loop that runs while the condition is true, tested before each pass.
    pub fn begin_while(&mut self, condition: impl Into<Expr>) {
        let condition = condition.into();
        let (condition, again) = if super::split::fits(&condition) {
            (condition, None)
        } else {
            let test = self.temporary(ScalarType::Logical);
            self.assign(test, condition.clone());
            (Expr::var(test), Some((test, condition)))
        };
        self.begin_loop(LoopTest::Pre(condition), again, false);
    }

    /// Begins a loop whose first pass is unconditional; its end has the condition to go on.
    pub fn begin_repeat(&mut self) {
        self.begin_loop(LoopTest::Post(Expr::Logical(true)), None, true);
    }

    /// Begins a counted loop: `first`, `first + step`, ... up to `last`.
    pub fn begin_for(
        &mut self,
        index: VarId,
        first: impl Into<Expr>,
        last: impl Into<Expr>,
        step: impl Into<Expr>,
    ) {
        let test = LoopTest::Counted {
            index,
            first: self.split(first.into()),
            last: self.split(last.into()),
            step: self.split(step.into()),
        };
        self.begin_loop(test, None, false);
    }

    fn begin_loop(&mut self, test: LoopTest, again: Option<(VarId, Expr)>, repeat: bool) {
        let header = self.enter(VertexKind::Loop {
            form: LoopForm::Loop,
            test: Box::new(test),
        });
        self.leave(header, Some(1));
        self.jumps.begin_loop();
        self.open.push(Open::Loop {
            header,
            again,
            repeat,
        });
    }

    /// Ends a `while` or counted loop.
    pub fn end_loop(&mut self) {
        match self.open.pop() {
            Some(Open::Loop {
                header,
                again,
                repeat: false,
            }) => {
                let after = self.end_body();
                if let Some((test, condition)) = again {
                    self.assign(test, condition);
                }
                self.close_loop(header, after);
            }
            other => self.wrong_end("end_loop", other),
        }
    }

    /// Ends a loop begun by [`Self::begin_repeat`]: it goes on while the condition is true.
    pub fn end_repeat(&mut self, condition: impl Into<Expr>) {
        match self.open.pop() {
            Some(Open::Loop {
                header,
                again: _,
                repeat: true,
            }) => {
                let after = self.end_body();
                let mut condition = condition.into();
                if !super::split::fits(&condition) {
                    let test = self.temporary(ScalarType::Logical);
                    self.assign(test, condition);
                    condition = Expr::var(test);
                }
                if let VertexKind::Loop { test, .. } = &mut self.vertices[header].kind {
                    **test = LoopTest::Post(condition);
                }
                self.close_loop(header, after);
            }
            other => self.wrong_end("end_repeat", other),
        }
    }

    fn close_loop(&mut self, header: usize, after: Vec<usize>) {
        let end = self.enter(VertexKind::EndLoop);
        self.edges
            .push(Edge::new(VertexId::new(end), VertexId::new(header), None));
        self.leave(header, None);
        self.pending.extend(after);
    }

    /// Runs the body while the condition is true.
    pub fn while_loop(&mut self, condition: impl Into<Expr>, body: impl FnOnce(&mut Self)) {
        self.begin_while(condition);
        self.inside(body);
        self.end_loop();
    }

    /// Runs the body, and again while the condition is true.
    pub fn repeat_while(&mut self, condition: impl Into<Expr>, body: impl FnOnce(&mut Self)) {
        self.begin_repeat();
        self.inside(body);
        self.end_repeat(condition);
    }

    /// Runs the body with the index at `first`, `first + 1`, ..., `last`.
    pub fn for_loop(
        &mut self,
        index: VarId,
        first: impl Into<Expr>,
        last: impl Into<Expr>,
        body: impl FnOnce(&mut Self),
    ) {
        self.for_step(index, first, last, 1, body);
    }

    /// As [`Self::for_loop`] with a step, which may be negative.
    pub fn for_step(
        &mut self,
        index: VarId,
        first: impl Into<Expr>,
        last: impl Into<Expr>,
        step: impl Into<Expr>,
        body: impl FnOnce(&mut Self),
    ) {
        self.begin_for(index, first, last, step);
        self.inside(body);
        self.end_loop();
    }

    // --- branches ----------------------------------------------------------------------------

    /// Begins a two-way branch with what is done if the condition is true.
    pub fn begin_if(&mut self, condition: impl Into<Expr>) {
        let condition = self.split(condition.into());
        let header = self.enter(VertexKind::Branch(Box::new(Selector::Condition(condition))));
        self.leave(header, Some(1));
        self.open.push(Open::If {
            header,
            has_else: false,
            ends: Vec::new(),
        });
    }

    /// What is done if the condition of the innermost open branch is false.
    pub fn begin_else(&mut self) {
        match self.open.pop() {
            Some(Open::If {
                header,
                has_else: false,
                mut ends,
            }) => {
                ends.append(&mut self.pending);
                self.leave(header, Some(0));
                self.open.push(Open::If {
                    header,
                    has_else: true,
                    ends,
                });
            }
            other => self.wrong_end("begin_else", other),
        }
    }

    /// Ends a two-way branch; without [`Self::begin_else`] nothing is done if the condition is false.
    pub fn end_if(&mut self) {
        match self.open.pop() {
            Some(Open::If {
                header,
                has_else,
                mut ends,
            }) => {
                ends.append(&mut self.pending);
                if !has_else {
                    self.leave(header, Some(0));
                    ends.append(&mut self.pending);
                }
                self.join(ends);
            }
            other => self.wrong_end("end_if", other),
        }
    }

    /// Begins a multi-way branch on an integer; [`Self::begin_arm`] begins each of its arms.
    pub fn begin_cases(&mut self, value: impl Into<Expr>) {
        let value = self.split(value.into());
        let header = self.enter(VertexKind::Branch(Box::new(Selector::Condition(
            Expr::Logical(true),
        ))));
        self.open.push(Open::Cases {
            header,
            value,
            arms: Vec::new(),
            ends: Vec::new(),
        });
    }

    /// Begins an arm of a multi-way branch, and ends the one before.
    pub fn begin_arm(
        &mut self,
        label: i64,
        cases: impl IntoIterator<Item = CaseRange>,
        default: bool,
    ) {
        match self.open.pop() {
            Some(Open::Cases {
                header,
                value,
                mut arms,
                mut ends,
            }) => {
                if arms.is_empty() && self.vertices.len() > header + 1 {
                    self.misuse(
                        format!(
                            "there are statements before the first arm of vertex {}",
                            header + 1
                        ),
                        "call begin_arm before what the arm does",
                    );
                }
                ends.append(&mut self.pending);
                self.leave(header, Some(label));
                arms.push(Arm {
                    label,
                    cases: cases.into_iter().collect(),
                    default,
                });
                self.open.push(Open::Cases {
                    header,
                    value,
                    arms,
                    ends,
                });
            }
            other => self.wrong_end("begin_arm", other),
        }
    }

    /// Ends a multi-way branch.
    pub fn end_cases(&mut self) {
        match self.open.pop() {
            Some(Open::Cases {
                header,
                value,
                arms,
                mut ends,
            }) => {
                if arms.len() < 2 {
                    self.misuse(
                        format!(
                            "the branch at vertex {} has {} arms",
                            header + 1,
                            arms.len()
                        ),
                        "a branch has two arms or more; an arm may be empty",
                    );
                }
                let mut labels: Vec<i64> = arms.iter().map(|a| a.label).collect();
                labels.sort_unstable();
                if let Some(twice) = labels.windows(2).find(|w| w[0] == w[1]) {
                    self.misuse(
                        format!(
                            "two arms of the branch at vertex {} have label {}",
                            header + 1,
                            twice[0]
                        ),
                        "give each arm a label of its own, and all its cases at once",
                    );
                }
                self.vertices[header].kind = VertexKind::Branch(Box::new(Selector::Cases {
                    value,
                    arms: arms.into_boxed_slice(),
                }));
                ends.append(&mut self.pending);
                self.join(ends);
            }
            other => self.wrong_end("end_cases", other),
        }
    }

    fn join(&mut self, ends: Vec<usize>) {
        self.pending = ends;
        if self.pending.len() < 2 {
            // All arms but one, or all, end with jumps.
            self.current = None;
            return;
        }
        let end = self.enter(VertexKind::EndBranch);
        self.leave(end, None);
    }

    /// Does `yes` if the condition is true.
    pub fn if_then(&mut self, condition: impl Into<Expr>, yes: impl FnOnce(&mut Self)) {
        self.begin_if(condition);
        self.inside(yes);
        self.end_if();
    }

    /// Does `yes` if the condition is true, otherwise `no`.
    pub fn if_else(
        &mut self,
        condition: impl Into<Expr>,
        yes: impl FnOnce(&mut Self),
        no: impl FnOnce(&mut Self),
    ) {
        self.begin_if(condition);
        self.inside(yes);
        self.begin_else();
        self.inside(no);
        self.end_if();
    }

    /// Chooses an arm by an integer.
    pub fn cases(&mut self, value: impl Into<Expr>, arms: impl FnOnce(&mut ArmBuilder<'_>)) {
        self.begin_cases(value);
        self.inside(|f| {
            arms(&mut ArmBuilder {
                builder: f,
                next: 1,
            });
        });
        self.end_cases();
    }

    // --- bodies that are not built -------------------------------------------------------------

    /// Gives the routine a graph that was made elsewhere, in place of what is built here.
    pub fn body(&mut self, cfg: Cfg, control: Control) {
        self.own_body = Some((cfg, control));
    }

    /// Makes the routine external: no body, known by expressions over its parameters.
    pub fn external(&mut self, external: External) {
        self.routine.external = Some(Box::new(external));
    }

    /// The routine, not validated ([`super::ProgramBuilder::finish`] validates).
    ///
    /// # Errors
    /// What was left open or used wrongly.
    pub fn finish(mut self) -> Result<Routine, Diagnostics> {
        if let Some(open) = self.open.last() {
            let header = open.header();
            let (what, end) = match open {
                Open::Loop { repeat: true, .. } => ("loop", "end_repeat"),
                Open::Loop { .. } => ("loop", "end_loop"),
                Open::If { .. } => ("branch", "end_if"),
                Open::Cases { .. } => ("branch", "end_cases"),
            };
            self.misuse(
                format!("the {what} at vertex {} has no end", header + 1),
                format!("call {end}"),
            );
        }
        self.end_jumps();
        let exit = self.vertices.len() + 1;
        if self.routine.external.is_none() && self.own_body.is_none() {
            self.enter(VertexKind::Exit);
            match Cfg::new(self.vertices, self.edges) {
                Some(cfg) => {
                    let (cfg, control) = self.jumps.finish(cfg);
                    self.routine.body = Some(cfg);
                    self.routine.control = control;
                }
                None => self.problems.push(Diagnostic::error(
                    &codes::BUILDER,
                    format!("an edge before vertex {exit} leads nowhere"),
                    "end every loop and branch",
                )),
            }
        }
        if let Some((cfg, control)) = self.own_body {
            self.routine.body = Some(cfg);
            self.routine.control = control;
        }
        if self.problems.is_empty() {
            Ok(self.routine)
        } else {
            Err(self.problems)
        }
    }

    // --- plumbing ------------------------------------------------------------------------------

    fn vertex(&mut self, kind: VertexKind) -> usize {
        let index = self.vertices.len();
        let mut vertex = Vertex::new(index as i64 + 1, kind);
        if !matches!(vertex.kind, VertexKind::Block(_)) {
            vertex.annotations = self.note.take();
        }
        self.vertices.push(vertex);
        self.current = None;
        index
    }

    /// A new vertex at the end of the pending edges.
    pub(super) fn enter(&mut self, kind: VertexKind) -> usize {
        let index = self.vertex(kind);
        for e in self.pending.drain(..) {
            self.edges[e].to = VertexId::new(index);
        }
        index
    }

    /// Adds a pending edge from a vertex. Its place among the edges is fixed now, so that arms stand
    /// in the order in which they are written.
    pub(super) fn leave(&mut self, from: usize, label: Option<i64>) {
        let from = VertexId::new(from);
        self.pending.push(self.edges.len());
        self.edges.push(Edge::new(from, from, label));
        self.current = None;
    }

    /// Runs a closure and checks that it ends what it begins.
    fn inside(&mut self, body: impl FnOnce(&mut Self)) {
        let (depth, header) = (self.open.len(), self.open.last().map(Open::header));
        body(self);
        let same = self.open.get(depth.wrapping_sub(1)).map(Open::header) == header;
        if self.open.len() != depth || !same {
            self.misuse(
                "a closure ends with other loops and branches open than at its start".to_owned(),
                "end in the closure what it begins, and nothing else",
            );
        }
    }

    fn wrong_end(&mut self, call: &str, open: Option<Open>) {
        let there = match &open {
            None => "nothing is open".to_owned(),
            Some(Open::Loop { header, .. }) => format!("the loop at vertex {} is open", header + 1),
            Some(Open::If {
                header, has_else, ..
            }) => format!(
                "the two-way branch at vertex {} is open{}",
                header + 1,
                if *has_else { " in its else" } else { "" }
            ),
            Some(Open::Cases { header, .. }) => {
                format!("the multi-way branch at vertex {} is open", header + 1)
            }
        };
        self.open.extend(open);
        self.misuse(
            format!("{call} is called where {there}"),
            "end each loop and branch with its own call, innermost first",
        );
    }

    pub(super) fn misuse(&mut self, message: String, help: impl Into<String>) {
        let at = format!("routine {}", self.routine.name);
        self.problems
            .push(Diagnostic::error(&codes::BUILDER, message, help).at_element(at));
    }
}

/// The arms of a multi-way branch; labels are 1, 2, ... in order.
#[derive(Debug)]
pub struct ArmBuilder<'b> {
    builder: &'b mut RoutineBuilder,
    next: i64,
}

impl ArmBuilder<'_> {
    /// An arm chosen by these values or ranges.
    pub fn arm<C: Into<CaseRange>>(
        &mut self,
        cases: impl IntoIterator<Item = C>,
        body: impl FnOnce(&mut RoutineBuilder),
    ) {
        self.add(cases.into_iter().map(Into::into).collect(), false, body);
    }

    /// The arm taken if no other matches.
    pub fn default(&mut self, body: impl FnOnce(&mut RoutineBuilder)) {
        self.add(Vec::new(), true, body);
    }

    fn add(
        &mut self,
        cases: Vec<CaseRange>,
        default: bool,
        body: impl FnOnce(&mut RoutineBuilder),
    ) {
        self.builder.begin_arm(self.next, cases, default);
        self.next += 1;
        self.builder.inside(body);
    }
}

impl From<i64> for CaseRange {
    fn from(value: i64) -> Self {
        Self {
            lower: Some(value),
            upper: Some(value),
        }
    }
}

impl From<std::ops::RangeInclusive<i64>> for CaseRange {
    fn from(range: std::ops::RangeInclusive<i64>) -> Self {
        Self {
            lower: Some(*range.start()),
            upper: Some(*range.end()),
        }
    }
}
