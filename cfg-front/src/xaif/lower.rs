//! The lowering of one routine: its variables, its statements.

mod bind;
mod bits;
mod control;
pub(crate) mod effects;
pub(crate) mod expression;
pub(crate) mod globals;
pub(crate) mod helpers;
pub(crate) mod intrinsics;
mod loops;
mod packing;
pub(crate) mod shapes;
mod shifting;
mod strings;
mod transformational;
mod typed;
mod unstructured;

use crate::xaif::{
    codes,
    graph::Places,
    notation::{
        annotations::xaif_annotations,
        names::{fresh_name, short_name},
    },
    read::{
        model::{Model, Sink, SymbolId, SymbolType, unexpected_element},
        scan::{Home, Scan, hidden::Writes, storage::Storage},
        xml::{At, Document, El, NodeId},
    },
};
use cfg_core::{
    diagnostic::CodeInfo,
    entity::{RoutineId, VarId},
    ir::{
        Annotations, Control, Dim, Expr, Extent, Intent, Order, Role, Routine, ScalarType, Stmt,
        StmtKind, Variable,
    },
};
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashMap, HashSet};
use typed::Typed;

/// Tables that the lowering of all routines shares.
pub(crate) struct Shared<'a, 't> {
    pub(crate) doc: &'a Document<'t>,
    pub(crate) model: &'a Model,
    pub(crate) scan: &'a Scan,
    pub(crate) storage: &'a Storage,
    pub(crate) hidden: &'a Writes,
    /// The global variable of each leading symbol.
    pub(crate) globals: &'a HashMap<SymbolId, Variable>,
    /// Names of the formals (and then of host variables) of each routine.
    pub(crate) parameters: &'a [Vec<String>],
    /// Routines that are called as functions.
    pub(crate) functions: &'a BTreeSet<usize>,
}

/// The lowering of one routine.
pub(crate) struct Lower<'a, 't> {
    pub(crate) doc: &'a Document<'t>,
    pub(crate) model: &'a Model,
    pub(crate) scan: &'a Scan,
    pub(crate) sink: &'a mut Sink,
    pub(crate) shared: &'a Shared<'a, 't>,
    pub(crate) helpers: &'a mut helpers::Helpers,
    /// Position in [`Model::routines`].
    pub(crate) r: usize,
    pub(crate) ir: Routine,
    vars: HashMap<SymbolId, VarId>,
    /// Statements that come before the one that is being lowered, and where each comes from.
    pub(crate) prelude: Vec<(NodeId, Stmt)>,
    pub(crate) nesting: usize,
    taken: HashSet<String>,
}

impl<'a, 't> Lower<'a, 't> {
    /// Lowers one routine; `None` if something is wrong with its declarations.
    pub(crate) fn lower_routine(
        shared: &'a Shared<'a, 't>,
        helpers: &'a mut helpers::Helpers,
        sink: &'a mut Sink,
        r: usize,
        name: String,
    ) -> (Routine, Places) {
        let decl = &shared.model.routines[r];
        let ir = Routine {
            name,
            control: Control::Structured,
            annotations: xaif_annotations(vec![("symbol", json!(decl.symbol))]),
            ..Routine::default()
        };
        let mut lower = Lower {
            doc: shared.doc,
            model: shared.model,
            scan: shared.scan,
            sink,
            shared,
            helpers,
            r,
            ir,
            vars: HashMap::new(),
            prelude: Vec::new(),
            nesting: 0,
            taken: HashSet::new(),
        };
        lower.declare_variables();
        shapes::infer(&mut lower);
        let places = control::build(&mut lower);
        (lower.ir, places)
    }

    pub(crate) fn report(
        &mut self,
        n: NodeId,
        info: &CodeInfo,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        let diagnostic = self.doc.error(n, info, message, help);
        self.sink.push(diagnostic);
    }

    fn symbol_annotations(&self, symbol: SymbolId) -> Annotations {
        let s = &self.model.symbols[symbol];
        let mut entries = vec![("symbol", json!(s.id))];
        // A formal `a(2, *)` has no extents in the program, as the last one comes with the actual: the bounds are
        // noted here.
        if s.rank > 1 && s.bounds.iter().any(|b| b.1.is_none()) {
            let extent = |&(lower, upper): &(i64, Option<i64>)| {
                upper.map(|u| u.saturating_sub(lower).saturating_add(1).max(0))
            };
            let extents: Vec<Option<i64>> = s.bounds.iter().map(extent).collect();
            entries.push(("extents", json!(extents)));
        }
        xaif_annotations(entries)
    }

    /// Declares parameters, then the other variables in order of first use.
    fn declare_variables(&mut self) {
        let shared = self.shared;
        let routine = &self.scan.routines[self.r];
        let decl = &self.model.routines[self.r];
        let formals = decl.formals.iter().map(|f| f.0);
        let parameters: Vec<SymbolId> = formals.chain(routine.host.iter().copied()).collect();
        for (i, &symbol) in parameters.iter().enumerate() {
            let name = shared.parameters[self.r][i].clone();
            self.taken.insert(name.clone());
            let written = match self.scan.writes_formal[self.r].get(i) {
                Some(&written) => written,
                None => self.scan.writes_outside[self.r].contains(&symbol),
            };
            let role = Role::Parameter {
                intent: if written { Intent::InOut } else { Intent::In },
                optional: routine.optional.contains(&symbol),
            };
            self.declare_symbol(symbol, name, role);
        }
        // Globals keep their names in every routine; locals make way.
        let mut globals: Vec<&str> = Vec::new();
        for &symbol in &routine.used {
            if Scan::home(self.model, self.r, symbol) == Home::Global {
                let leader = shared.storage.leader(symbol);
                if let Some(global) = shared.globals.get(&leader) {
                    globals.push(&global.name);
                }
            }
        }
        self.taken.extend(globals.into_iter().map(str::to_owned));
        // Short names that several locals would have go to none of them.
        let mut wishes: HashMap<String, usize> = HashMap::new();
        for &symbol in &routine.used {
            if Scan::home(self.model, self.r, symbol) == Home::Own {
                *wishes
                    .entry(short_name(&self.model.symbols[symbol].id))
                    .or_default() += 1;
            }
        }
        for &symbol in &routine.used {
            let leader = shared.storage.leader(symbol);
            if let Some(&var) = self.vars.get(&leader) {
                self.vars.insert(symbol, var);
                continue;
            }
            match Scan::home(self.model, self.r, symbol) {
                Home::Host => {}
                Home::Global => {
                    if let Some(global) = shared.globals.get(&leader) {
                        let var = self.ir.add_variable(global.clone());
                        self.vars.insert(leader, var);
                        self.vars.insert(symbol, var);
                    }
                }
                Home::Own => {
                    let id = self.model.symbols[leader].id.clone();
                    let short = short_name(&id);
                    let wish = if wishes.get(&short) == Some(&1) {
                        &short
                    } else {
                        &id
                    };
                    let name = fresh_name(&mut self.taken, wish, &id);
                    self.declare_symbol(leader, name, Role::Local);
                    if let Some(&var) = self.vars.get(&leader) {
                        self.vars.insert(symbol, var);
                    }
                }
            }
        }
        if shared.functions.contains(&self.r) {
            self.ir.result = self
                .function_symbol(self.r)
                .and_then(|s| self.vars.get(&s).copied());
        }
    }

    /// Adds the variable of a symbol. Symbols of types that are not computed with get no variable; a
    /// reference to one is an error of its own.
    fn declare_symbol(&mut self, symbol: SymbolId, name: String, role: Role) {
        let s = &self.model.symbols[symbol];
        let ty = match &s.ty {
            SymbolType::Scalar(ty) => *ty,
            SymbolType::Unsupported(_) => return,
        };
        let shape = shapes::declared(self.doc, self.model, symbol, role, self.sink);
        let mut variable = Variable::new(name, ty, shape, role);
        variable.order = Order::Column;
        variable.annotations = self.symbol_annotations(symbol);
        let var = self.ir.add_variable(variable);
        self.vars.insert(symbol, var);
    }

    /// The variable of a symbol.
    pub(crate) fn variable_of_symbol(&mut self, symbol: SymbolId, at: NodeId) -> Option<VarId> {
        if let Some(&var) = self.vars.get(&symbol) {
            return Some(var);
        }
        let s = &self.model.symbols[symbol];
        let ty = match &s.ty {
            _ if !s.variable => "of a routine".to_owned(),
            SymbolType::Unsupported(ty) => ty.clone(),
            SymbolType::Scalar(ty) => ty.name().to_owned(),
        };
        self.report(
            at,
            &codes::TYPE,
            format!("{} is used here, and its type is {ty}", s.id),
            "real, integer and logical variables can be computed with; write the program without it",
        );
        None
    }

    /// The variable of a symbol, if it has one.
    pub(crate) fn known_variable(&self, symbol: SymbolId) -> Option<VarId> {
        self.vars.get(&symbol).copied()
    }

    /// A new local.
    pub(crate) fn declare_temporary(&mut self, ty: ScalarType, rank: usize) -> VarId {
        let deferred = Dim {
            lower: Expr::Int(1),
            extent: Extent::Deferred,
        };
        self.temporary_of(ty, vec![deferred; rank])
    }

    /// A new local with this shape.
    pub(crate) fn temporary_of(&mut self, ty: ScalarType, shape: Vec<Dim>) -> VarId {
        let mut number = self.ir.variables.len();
        let name = loop {
            let name = format!("oad_tmp{number}");
            if self.taken.insert(name.clone()) {
                break name;
            }
            number += 1;
        };
        let mut variable = Variable::new(name, ty, shape, Role::Local);
        variable.order = Order::Column;
        self.ir.add_variable(variable)
    }

    /// The result symbol of a routine that is called as a function: the variable of its scope with its
    /// name.
    fn function_symbol(&self, r: usize) -> Option<SymbolId> {
        let decl = &self.model.routines[r];
        let name = short_name(&decl.symbol);
        self.scan.routines[r].used.iter().copied().find(|&s| {
            self.model.symbols[s].scope == decl.scope
                && short_name(&self.model.symbols[s].id) == name
        })
    }

    /// Result symbol, type and rank of a function.
    pub(crate) fn function_result(&self, r: usize) -> Option<(SymbolId, ScalarType, usize)> {
        let symbol = self.function_symbol(r)?;
        match &self.model.symbols[symbol].ty {
            SymbolType::Scalar(ty) => Some((symbol, *ty, self.model.symbols[symbol].rank)),
            SymbolType::Unsupported(_) => None,
        }
    }

    /// Annotations of a statement: its number and its line in the source program.
    fn statement_annotations(&self, n: NodeId) -> Annotations {
        let mut entries = Vec::new();
        if let Some(id) = self.doc.attr(n, At::StatementId) {
            entries.push(("statement", json!(id)));
        }
        if let Some(line) = self.source_line(n) {
            entries.push(("line", line));
        }
        xaif_annotations(entries)
    }

    /// The line of the source program.
    pub(crate) fn source_line(&self, n: NodeId) -> Option<Value> {
        let line = self.doc.attr(n, At::LineNumber)?;
        Some(
            line.parse::<i64>()
                .map_or_else(|_| json!(line), |i| json!(i)),
        )
    }

    /// The statements of a basic block, each with the element it comes from.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "other elements of XAIF are treated alike"
    )]
    pub(crate) fn lower_block(&mut self, block: NodeId) -> Vec<(NodeId, Stmt)> {
        let mut out = Vec::new();
        for n in self.doc.children(block) {
            match self.doc.name(n) {
                El::Assignment => {
                    let statement = self.without_effect(n).or_else(|| self.lower_assignment(n));
                    out.append(&mut self.prelude);
                    if let Some(mut statement) = statement {
                        statement.annotations = self.statement_annotations(n);
                        out.push((n, statement));
                    }
                }
                El::SubroutineCall => {
                    if let Some(callee) = self.scan.callee.get(&n).copied() {
                        let start = self.prelude.len();
                        self.lower_call(n, callee, None);
                        let annotations = self.statement_annotations(n);
                        let call = self.prelude[start..]
                            .iter_mut()
                            .find(|(at, s)| *at == n && matches!(s.kind, StmtKind::Call { .. }));
                        if let Some((_, call)) = call {
                            call.annotations = annotations;
                        }
                    }
                    out.append(&mut self.prelude);
                }
                El::Marker => {
                    let statement = self.lower_marker(n);
                    out.push((n, statement));
                }
                _ => {
                    let problem = unexpected_element(self.doc, n);
                    self.sink.push(problem);
                }
            }
        }
        out
    }

    fn lower_marker(&self, n: NodeId) -> Stmt {
        let text = self.doc.attr(n, At::Annotation).unwrap_or_default();
        let writes: BTreeSet<VarId> = self
            .shared
            .hidden
            .get(&n)
            .into_iter()
            .flatten()
            .filter_map(|&s| self.known_variable(s))
            .collect();
        let mut statement = Stmt::new(StmtKind::Opaque {
            text: text.as_ref().into(),
            reads: Box::default(),
            writes: writes.into_iter().collect(),
        });
        statement.annotations = self.statement_annotations(n);
        statement
    }

    /// `target = value`, for `Assignment`, `Initialization` and `Update`.
    pub(crate) fn lower_assignment(&mut self, n: NodeId) -> Option<Stmt> {
        let (left, right) = self.lower_sides(n)?;
        let value = self.lower_expression(right);
        let target = self.lower_place(left);
        let (value, target) = (value?, target?);
        if value.rank > 0 && value.rank != target.rank {
            self.report(
                n,
                &codes::SHAPE,
                format!(
                    "an array of {} dimensions is assigned to a place of {}",
                    value.rank, target.rank
                ),
                "give both sides one shape",
            );
            return None;
        }
        let value = self.convert_value(n, value, target.ty)?;
        let target = match target.section() {
            Ok(target) => target,
            Err((section, ty)) => return self.scatter_section(n, section, ty, value),
        };
        let place = shapes::allocated(self, target.place);
        Some(Stmt::assign(place, value.expr))
    }

    /// The two sides of an assignment.
    pub(crate) fn lower_sides(&mut self, n: NodeId) -> Option<(NodeId, NodeId)> {
        let left = self.doc.child(n, El::AssignmentLHS);
        let right = self.doc.child(n, El::AssignmentRHS);
        if let (Some(left), Some(right)) = (left, right) {
            return Some((left, right));
        }
        self.report(
            n,
            &codes::ELEMENT,
            "an assignment without AssignmentLHS or AssignmentRHS",
            "give it both sides",
        );
        None
    }

    /// The value, converted to the type of the target of its assignment.
    pub(crate) fn convert_value(
        &mut self,
        n: NodeId,
        value: Typed,
        ty: ScalarType,
    ) -> Option<Typed> {
        match value.convert_to(ty) {
            Ok(value) => Some(value),
            Err(message) => {
                self.report(
                    n,
                    &codes::TYPE,
                    message,
                    "convert the value, or change the variable's type",
                );
                None
            }
        }
    }

    /// Lowers a condition, which is a logical scalar.
    pub(crate) fn lower_condition(&mut self, n: NodeId) -> Option<Typed> {
        let Some(condition) = self.doc.child(n, El::Condition) else {
            self.report(
                n,
                &codes::ELEMENT,
                format!("a {} without Condition", self.doc.name(n).text()),
                "add its Condition",
            );
            return None;
        };
        let value = self.lower_expression(condition)?;
        if value.rank > 0 {
            self.report(
                condition,
                &codes::SHAPE,
                "the condition is an array",
                "reduce it with any or all",
            );
            return None;
        }
        Some(value)
    }

    /// The id of a routine in the program.
    pub(crate) fn routine_id(&self, r: usize) -> RoutineId {
        RoutineId::new(r)
    }

    /// True if the routine's control is structured.
    fn is_structured(&self) -> bool {
        self.ir.control == Control::Structured
    }
}
