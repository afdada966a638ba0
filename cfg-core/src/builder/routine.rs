//! A routine that is being written: its variables, its vertices and edges so far, and the constructs that are open.

use super::VarType;
use crate::{
    codes,
    diagnostic::{Diagnostic, Diagnostics},
    entity::{GlobalId, VarId, VertexId},
    ir::{
        Annotations, Arm, At, Cfg, Checkpoint, Control, Derivatives, Edge, Expr, Intent, Program,
        Role, Routine, ScalarType, Span, Stmt, Variable, Vertex, VertexKind,
    },
};
use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

/// Writes one routine. See [the module page](super).
#[derive(Debug)]
pub struct RoutineBuilder {
    pub(super) routine: Routine,
    /// Names that are taken or reserved: temporaries get others.
    names: HashSet<String>,
    /// The first variable that names each global.
    globals: HashMap<GlobalId, VarId>,
    pub(super) vertices: Vec<Vertex>,
    pub(super) edges: Vec<Edge>,
    /// Edges that lead to the next vertex; none after a jump.
    pub(super) pending: Vec<usize>,
    /// The basic block that the next statement joins.
    pub(super) current: Option<usize>,
    pub(super) open: Vec<Open>,
    pub(super) jumps: Jumps,
    /// The checkpoint of the next loop.
    pub(super) checkpoint: Option<Checkpoint>,
    /// Annotations for the next vertex or statement.
    pub(super) note: Annotations,
    /// The span of the next vertex or statement.
    pub(super) at: At,
    temporaries: usize,
    pub(super) problems: Diagnostics,
    pub(super) own_body: Option<(Cfg, Control)>,
}

/// A loop or branch that has not ended.
#[derive(Debug)]
pub(super) enum Open {
    Loop {
        header: usize,
        /// A condition that is too deep for the vertex, and the variable to which it is assigned before each test.
        again: Option<(VarId, Expr)>,
        /// True if the loop is tested after each pass; [`RoutineBuilder::end_repeat`] then gives the condition.
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

/// A place in one routine that [`RoutineBuilder::goto`] jumps to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Label(pub(super) usize);

/// The edges of jumps whose targets are not built yet.
#[derive(Debug, Default)]
pub(super) struct Jumps {
    /// Of each open loop the jumps that leave it, and the jumps to its next pass.
    pub(super) loops: Vec<[Vec<usize>; 2]>,
    pub(super) labels: Vec<Target>,
    /// The last vertex that is the place of a label; 0 if there is none.
    pub(super) last_label: usize,
    pub(super) returns: Vec<usize>,
    pub(super) made: bool,
}

#[derive(Debug)]
pub(super) enum Target {
    /// Jumps to a label that has no place yet.
    Wanted(Vec<usize>),
    Vertex(usize),
}

impl Open {
    pub(super) fn header(&self) -> usize {
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
            globals: HashMap::new(),
            vertices: Vec::new(),
            edges: Vec::new(),
            pending: Vec::new(),
            current: None,
            open: Vec::new(),
            jumps: Jumps::default(),
            checkpoint: None,
            note: None,
            at: None,
            temporaries: 0,
            problems: Diagnostics::default(),
            own_body: None,
        };
        let entry = builder.vertex(VertexKind::Entry);
        builder.leave(entry, None);
        builder
    }

    // --- variables ---------------------------------------------------------------------------

    /// Declares a variable of any role. The signature has the parameters in the order of their declarations, whatever
    /// is declared between them.
    pub fn variable(&mut self, variable: Variable) -> VarId {
        self.names.insert(variable.name.clone());
        let role = variable.role;
        let v = self.routine.add_variable(variable);
        if let Role::Global(g) = role {
            self.globals.entry(g).or_insert(v);
        }
        v
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
        if let Some(&known) = self.globals.get(&global) {
            return known;
        }
        match program.globals.get(global.index()) {
            Some(g) => self.variable(Variable {
                role: Role::Global(global),
                ..g.variable.clone()
            }),
            None => {
                self.report_misuse(
                    format!("there is no global {global}"),
                    "declare it in the program first",
                );
                self.temporary(ScalarType::Real)
            }
        }
    }

    /// Reserves a name for a variable that is declared later, so that no temporary takes it.
    pub fn reserve(&mut self, name: impl Into<String>) {
        self.names.insert(name.into());
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

    /// Free-form data of the front end for the next vertex or statement.
    pub fn note(&mut self, annotations: Annotations) {
        self.note = annotations;
    }

    /// The piece of a source that the routine itself stands for.
    pub fn routine_span(&mut self, span: Span) {
        self.routine.at = Some(Arc::new(span));
    }

    /// The piece of a source that a variable's declaration stands for.
    pub fn variable_span(&mut self, v: VarId, span: Span) {
        if let Some(variable) = self.routine.variables.get_mut(v.index()) {
            variable.at = Some(Arc::new(span));
        }
    }

    /// The piece of a source that the next vertex or statement stands for.
    pub fn span(&mut self, span: Span) {
        self.at = Some(Arc::new(span));
    }

    // --- statements --------------------------------------------------------------------------

    /// The next statement starts a new basic block.
    pub fn block(&mut self) {
        self.current = None;
    }

    /// Appends any statement. Its expressions are taken as they are, not split: deep ones fail validation.
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
        if statement.at.is_none() {
            statement.at = self.at.take();
        }
        if let VertexKind::Block(statements) = &mut self.vertices[block].kind {
            statements.push(statement);
        }
    }

    // --- two-way branches ----------------------------------------------------------------------

    /// Begins a two-way branch on a condition within the limit of depth.
    pub(super) fn open_branch(&mut self, condition: Expr) {
        let header = self.enter(VertexKind::branch_on(condition));
        self.leave(header, Some(1));
        self.open.push(Open::If {
            header,
            has_else: false,
            ends: Vec::new(),
        });
    }

    /// Starts the part of the innermost open branch that runs if its condition is false.
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

    /// Makes the ENDBRANCH where arms meet, if two or more do.
    pub(super) fn join(&mut self, ends: Vec<usize>) {
        self.pending = ends;
        if self.pending.len() < 2 {
            // All arms but one, or all, end with jumps.
            self.current = None;
            return;
        }
        let end = self.enter(VertexKind::EndBranch);
        self.leave(end, None);
    }

    // --- plumbing ------------------------------------------------------------------------------

    fn vertex(&mut self, kind: VertexKind) -> usize {
        let index = self.vertices.len();
        let mut vertex = Vertex::new(index as i64 + 1, kind);
        if !matches!(vertex.kind, VertexKind::Block(_)) {
            vertex.annotations = self.note.take();
            vertex.at = self.at.take();
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

    /// Runs a closure and checks that it ends every construct that it begins.
    pub(super) fn build_inside(&mut self, body: impl FnOnce(&mut Self)) {
        let (depth, header) = (self.open.len(), self.open.last().map(Open::header));
        body(self);
        let same = self.open.get(depth.wrapping_sub(1)).map(Open::header) == header;
        if self.open.len() != depth || !same {
            self.report_misuse(
                "a closure ends with other loops and branches open than at its start".to_owned(),
                "end in the closure what it begins, and nothing else",
            );
        }
    }

    pub(super) fn wrong_end(&mut self, call: &str, open: Option<Open>) {
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
        self.report_misuse(
            format!("{call} is called where {there}"),
            "end each loop and branch with its own call, innermost first",
        );
    }

    pub(super) fn report_misuse(&mut self, message: String, help: impl Into<String>) {
        let at = format!("routine {}", self.routine.name);
        self.problems
            .push(Diagnostic::error(&codes::BUILDER, message, help).at_element(at));
    }
}
