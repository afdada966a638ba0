//! The variables that depend on the direction: those reachable from the given derivatives, in one graph over the
//! variables of all routines.
//!
//! A routine may be called with derivatives in one place and for its values alone in another. Therefore each call has
//! a node: it returns values that depend on the direction only if an argument does, or if it reaches a derivative in
//! a global. The graph is walked once.

use cfg_core::{
    entity::{GlobalId, RoutineId, VarId},
    flat::{FlatExpr, FlatStmt},
    ir::{Expr, Intent, OpClass, Place, Program, Role, ScalarType},
    memory::{effects::Effects, global_set::GlobalSet},
};
use fixedbitset::FixedBitSet;

use crate::code::{
    expressions::as_place,
    routines::{is_real_class, is_real_push},
};

/// Calls `found` with the variables whose values an expression reads, but for those in subscripts.
pub(super) fn each_read(e: &Expr, found: &mut impl FnMut(VarId)) {
    match FlatExpr::view(e) {
        FlatExpr::Constant(_) => {}
        FlatExpr::Place(place) => found(place.var),
        FlatExpr::Op(op, operands) => {
            let asks = usize::from(op.class() == OpClass::Inquiry);
            operands.iter().skip(asks).for_each(|e| each_read(e, found));
        }
    }
}

/// A call, as far as it hands on values that depend on the direction.
struct Call {
    callee: RoutineId,
    /// By formal, the node of the variable that gets the formal's value after the call.
    back: Vec<Option<usize>>,
    result: Option<usize>,
}

/// The variables that depend on the direction, and the calls that are given such values.
pub(super) struct Spread {
    /// By routine, the number of its first variable.
    first: Vec<usize>,
    found: FixedBitSet,
    /// The derivatives in globals that a routine or a callee names, in order.
    globals: Vec<Vec<GlobalId>>,
}

/// The graph while it is built and walked.
struct Graph<'p> {
    program: &'p Program,
    first: Vec<usize>,
    edges: Vec<Vec<usize>>,
    calls: Vec<Call>,
    /// By routine, its calls.
    of_callee: Vec<Vec<usize>>,
    /// Nodes from here on are calls.
    variables: usize,
}

impl Spread {
    /// The variables that depend on the direction if the given variables and globals do.
    pub(super) fn propagate(
        program: &Program,
        effects: &Effects,
        reachable: &[RoutineId],
        seeds: &[(RoutineId, VarId)],
        derivatives: &GlobalSet,
    ) -> Self {
        let count = program.routines.len();
        let mut globals = vec![Vec::new(); count];
        for &r in reachable {
            effects
                .named(r)
                .each_common(derivatives, |g| globals[r.index()].push(g));
            globals[r.index()].sort_unstable();
            globals[r.index()].dedup();
        }
        let mut first = Vec::with_capacity(count);
        let mut variables = 0;
        for routine in &program.routines {
            first.push(variables);
            variables += routine.variables.len();
        }
        let mut graph = Graph {
            program,
            first,
            edges: vec![Vec::new(); variables],
            calls: Vec::new(),
            of_callee: vec![Vec::new(); count],
            variables,
        };
        for &r in reachable {
            graph.add(r);
        }
        let mut open: Vec<usize> = seeds.iter().map(|&(r, v)| graph.node(r, v)).collect();
        for &r in reachable {
            for (v, variable) in (0..).map(VarId::new).zip(&program.routine(r).variables) {
                if matches!(variable.role, Role::Global(g) if derivatives.contains(g)) {
                    open.push(graph.node(r, v));
                }
            }
        }
        for (c, call) in graph.calls.iter().enumerate() {
            if !globals[call.callee.index()].is_empty() {
                open.push(variables + c);
            }
        }
        let found = graph.walk(open);
        Self {
            first: graph.first,
            found,
            globals,
        }
    }

    /// True if the value of a variable depends on the direction; of a tape, if such a value is pushed to it.
    pub(super) fn has(&self, r: RoutineId, v: VarId) -> bool {
        self.found.contains(self.first[r.index()] + v.index())
    }

    /// The derivatives in globals that a routine or a callee names, in order.
    pub(super) fn globals(&self, r: RoutineId) -> &[GlobalId] {
        &self.globals[r.index()]
    }
}

impl Graph<'_> {
    fn node(&self, r: RoutineId, v: VarId) -> usize {
        self.first[r.index()] + v.index()
    }

    fn add(&mut self, r: RoutineId) {
        let program = self.program;
        let routine = program.routine(r);
        for statement in routine.statements() {
            match FlatStmt::view(&statement.kind) {
                FlatStmt::Assign { target, value } => {
                    let to = self.node(r, target.var);
                    self.read(r, value, to);
                }
                FlatStmt::Push { tape, class, value } if is_real_push(routine, class, value) => {
                    let tape = self.node(r, tape);
                    self.read(r, value, tape);
                    // A pop takes as many cells as any other: if one value on the tape depends on the direction, this
                    // variable is widened, too.
                    if let Expr::Place(place) = value {
                        let from = self.node(r, place.var);
                        self.edges[tape].push(from);
                    }
                }
                FlatStmt::Pop {
                    tape,
                    class,
                    target,
                } if is_real_class(class, routine.variable(target.var).ty) => {
                    let (tape, to) = (self.node(r, tape), self.node(r, target.var));
                    self.edges[tape].push(to);
                }
                FlatStmt::Push { .. }
                | FlatStmt::Pop { .. }
                | FlatStmt::Opaque { .. }
                | FlatStmt::Stop { .. } => {}
                FlatStmt::Call {
                    callee,
                    arguments,
                    result,
                } => self.call(r, callee, arguments, result.map(|p| p.var)),
            }
        }
    }

    /// An edge from each variable that an expression reads.
    fn read(&mut self, r: RoutineId, e: &Expr, to: usize) {
        each_read(e, &mut |v| {
            let from = self.node(r, v);
            self.edges[from].push(to);
        });
    }

    fn call(
        &mut self,
        r: RoutineId,
        callee: RoutineId,
        arguments: &[Option<Expr>],
        result: Option<VarId>,
    ) {
        let theirs = self.program.routine(callee);
        let call = self.variables + self.calls.len();
        let result = result.map(|v| self.node(r, v));
        let mut back = Vec::with_capacity(arguments.len());
        for (p, argument) in theirs.parameter_ids().zip(arguments) {
            let formal = theirs.variable(p);
            let Some(argument) = argument else {
                back.push(None);
                continue;
            };
            let to = self.node(callee, p);
            self.read(r, argument, to);
            self.read(r, argument, call);
            if theirs.body.is_none()
                && let Some(result) = result
            {
                self.read(r, argument, result);
            }
            let comes = |place: &&Place| {
                let ours = self.program.routine(r).variable(place.var);
                // An argument that may be absent cannot be copied.
                formal.intent().is_some_and(Intent::writes)
                    || formal.ty == ScalarType::Tape
                    || matches!(ours.role, Role::Parameter { optional: true, .. })
            };
            let place = as_place(argument).filter(comes);
            back.push(place.map(|place| self.node(r, place.var)));
        }
        self.of_callee[callee.index()].push(self.calls.len());
        self.calls.push(Call {
            callee,
            back,
            result,
        });
    }

    /// The nodes that are reached from the given ones.
    fn walk(&self, mut open: Vec<usize>) -> FixedBitSet {
        let mut found = FixedBitSet::with_capacity(self.variables + self.calls.len());
        // The formal, or the result, that a node is.
        let mut place: Vec<Option<(RoutineId, Option<usize>)>> = vec![None; self.variables];
        for (r, routine) in (0..).map(RoutineId::new).zip(&self.program.routines) {
            for (k, p) in routine.parameter_ids().enumerate() {
                place[self.node(r, p)] = Some((r, Some(k)));
            }
            if let Some(v) = routine.result {
                place[self.node(r, v)] = Some((r, None));
            }
        }
        while let Some(node) = open.pop() {
            if found.put(node) {
                continue;
            }
            if let Some(c) = node.checked_sub(self.variables) {
                let call = &self.calls[c];
                let theirs = self.program.routine(call.callee);
                for (p, back) in theirs.parameter_ids().zip(&call.back) {
                    if found.contains(self.node(call.callee, p)) {
                        open.extend(back);
                    }
                }
                if let (Some(v), Some(result)) = (theirs.result, call.result)
                    && found.contains(self.node(call.callee, v))
                {
                    open.push(result);
                }
                continue;
            }
            open.extend(&self.edges[node]);
            let Some((r, formal)) = place[node] else {
                continue;
            };
            for &c in &self.of_callee[r.index()] {
                if found.contains(self.variables + c) {
                    let call = &self.calls[c];
                    open.extend(match formal {
                        Some(k) => call.back.get(k).copied().flatten(),
                        None => call.result,
                    });
                }
            }
        }
        found
    }
}
