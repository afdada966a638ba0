//! Brings a program into the form that the transformations read: subscripts of what is assigned do not
//! depend on it, actual arguments with derivatives are
//! places whose subscripts the call cannot change, function results go to a variable of their own, and
//! every routine names all globals that the routines it calls can touch.
//!
//! Vertices and edges stay as they are; only statements are added.

use cfg_core::{
    diagnostic::Diagnostics,
    entity::{GlobalId, RoutineId, VarId, VertexId},
    ir::{
        Expr, Intent, Op, Place, Program, Range, Role, Routine, ScalarType, Stmt, StmtKind,
        Subscript, Variable, VertexKind,
    },
};
use fixedbitset::FixedBitSet;
use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use crate::{
    branches, linearize::Temporaries, names::Namer, optional, products, results, shallow, typing,
};

/// Which globals a routine and everything it calls may read or write. Where a given adjoint takes a
/// routine's place in the reverse sweep, what that reads counts too.
#[derive(Clone, Debug)]
pub(crate) struct Effects {
    pub(crate) touched: Vec<FixedBitSet>,
    pub(crate) written: Vec<FixedBitSet>,
    /// Callees of each routine, each once, in order of first call.
    pub(crate) callees: Vec<Vec<RoutineId>>,
    /// Names of globals.
    pub(crate) names: Arc<HashSet<String>>,
    /// Variables that the statements of each routine write themselves.
    pub(crate) assigned: Vec<FixedBitSet>,
    /// What the statements of each routine contain.
    contains: Vec<Contains>,
}

/// What may have to be rewritten in the statements of a routine, so that what has none of it is not
/// searched again.
#[derive(Clone, Copy, Debug, Default)]
struct Contains {
    /// Statements that need hoisting.
    hoisted: bool,
    /// Conditional expressions.
    conditionals: bool,
    /// Partials of the reduction `product`.
    partials: bool,
    /// Optional arguments that may be absent where they are handed on.
    optional: bool,
}

impl Contains {
    fn add(&mut self, program: &Program, routine: &Routine, kind: &StmtKind) {
        self.hoisted |= needs_hoisting(routine, kind);
        optional::each_handed_on(program, routine, kind, |_| self.optional = true);
        let mut expr = |e: &Expr| {
            e.walk(&mut |e| match e {
                Expr::Op(Op::If, _) => self.conditionals = true,
                Expr::Op(Op::ProductPartial, _) => self.partials = true,
                _ => {}
            });
        };
        match kind {
            StmtKind::Assign { target, value } => {
                target.subscript_exprs().for_each(&mut expr);
                expr(value);
            }
            StmtKind::Call {
                arguments, result, ..
            } => {
                arguments.iter().flatten().for_each(&mut expr);
                let subscripts = result.iter().flat_map(Place::subscript_exprs);
                subscripts.for_each(expr);
            }
            StmtKind::Push { .. } | StmtKind::Pop { .. } | StmtKind::Opaque { .. } => {}
        }
    }
}

impl Effects {
    /// Propagates over the call graph until nothing grows; recursion included.
    pub(crate) fn of(program: &Program) -> Self {
        let globals = program.globals.len();
        let n = program.routines.len();
        let mut touched = vec![FixedBitSet::with_capacity(globals); n];
        let mut written = touched.clone();
        let mut callees = vec![Vec::new(); n];
        let mut callers = vec![Vec::new(); n];
        let mut given_for = vec![Vec::new(); n];
        let mut assigned = Vec::with_capacity(n);
        let mut contains = vec![Contains::default(); n];
        for (r, routine) in program.routines.iter().enumerate() {
            for variable in &routine.variables {
                if let Role::Global(g) = variable.role {
                    touched[r].insert(g.index());
                }
            }
            let mut called = FixedBitSet::with_capacity(n);
            let mut own = FixedBitSet::with_capacity(routine.variables.len());
            each_statement(routine, |statement| {
                contains[r].add(program, routine, &statement.kind);
                each_written(program, statement, &mut |v| own.insert(v.index()));
                if let StmtKind::Call { callee, .. } = &statement.kind
                    && !called.put(callee.index())
                {
                    callees[r].push(*callee);
                    callers[callee.index()].push(r);
                }
            });
            for v in own.ones() {
                if let Role::Global(g) = routine.variables[v].role {
                    written[r].insert(g.index());
                }
            }
            assigned.push(own);
            if let Some(adjoint) = routine.derivatives.as_ref().and_then(|d| d.adjoint) {
                given_for[adjoint.index()].push(r);
            }
        }
        let mut work: Vec<usize> = (0..n).collect();
        while let Some(r) = work.pop() {
            for &original in &given_for[r] {
                let before = touched[original].count_ones(..);
                let t = touched[r].clone();
                touched[original].union_with(&t);
                if touched[original].count_ones(..) != before {
                    work.push(original);
                }
            }
            for &caller in &callers[r] {
                let before = touched[caller].count_ones(..) + written[caller].count_ones(..);
                let (t, w) = (touched[r].clone(), written[r].clone());
                touched[caller].union_with(&t);
                written[caller].union_with(&w);
                if touched[caller].count_ones(..) + written[caller].count_ones(..) != before {
                    work.push(caller);
                }
            }
        }
        let names = program.globals.iter().map(|g| g.variable.name.clone());
        Self {
            touched,
            written,
            callees,
            names: Arc::new(names.collect()),
            assigned,
            contains,
        }
    }

    /// Calls `visit` for every call statement of a routine.
    pub(crate) fn each_call<'r>(
        &self,
        id: RoutineId,
        routine: &'r Routine,
        mut visit: impl FnMut(&'r Stmt),
    ) {
        if !self.callees[id.index()].is_empty() {
            each_statement(routine, |statement| {
                if matches!(statement.kind, StmtKind::Call { .. }) {
                    visit(statement);
                }
            });
        }
    }

    /// The routine and everything it calls, callees before callers where there is no recursion.
    pub(crate) fn reachable(&self, main: RoutineId) -> Vec<RoutineId> {
        let mut seen = FixedBitSet::with_capacity(self.callees.len());
        seen.insert(main.index());
        let mut order = Vec::new();
        let mut stack = vec![(main, 0)];
        while let Some((r, next)) = stack.last_mut() {
            match self.callees[r.index()].get(*next) {
                Some(&callee) => {
                    *next += 1;
                    if !seen.put(callee.index()) {
                        stack.push((callee, 0));
                    }
                }
                None => {
                    order.push(*r);
                    stack.pop();
                }
            }
        }
        order
    }
}

/// The routine's variables that are globals.
pub(crate) fn global_variables(routine: &Routine) -> Vec<(VarId, GlobalId)> {
    let globals = routine.variables.iter().enumerate();
    globals
        .filter_map(|(v, variable)| match variable.role {
            Role::Global(g) => Some((VarId::new(v), g)),
            Role::Parameter { .. } | Role::Local => None,
        })
        .collect()
}

/// Calls `visit` for every statement of a routine.
pub(crate) fn each_statement<'r>(routine: &'r Routine, mut visit: impl FnMut(&'r Stmt)) {
    if let Some(cfg) = &routine.body {
        for (_, vertex) in cfg.vertices() {
            for statement in vertex.statements() {
                visit(statement);
            }
        }
    }
}

/// Calls `visit` for every variable of the routine that the statement itself may write (a callee's
/// globals are not among them).
pub(crate) fn each_written(program: &Program, statement: &Stmt, visit: &mut impl FnMut(VarId)) {
    match &statement.kind {
        StmtKind::Assign { target, .. } | StmtKind::Pop { target, .. } => visit(target.var),
        StmtKind::Call {
            callee,
            arguments,
            result,
        } => {
            let called = program.routine(*callee);
            for (p, argument) in called.parameter_ids().zip(arguments.iter()) {
                if let Some(Expr::Place(place)) = argument
                    && called.variable(p).intent().is_some_and(Intent::writes)
                {
                    visit(place.var);
                }
            }
            if let Some(place) = result {
                visit(place.var);
            }
        }
        StmtKind::Push { .. } => {}
        StmtKind::Opaque { writes, .. } => writes.iter().copied().for_each(visit),
    }
}

/// True for calls, and for assignments such as `k(k(1)) = 2`, after which the same subscripts may name
/// another element: the pop would restore the wrong one. What the subscripts read may have another name. For
/// deep assignments too.
fn needs_hoisting(routine: &Routine, kind: &StmtKind) -> bool {
    match kind {
        StmtKind::Call { .. } => true,
        StmtKind::Assign { target, .. } => {
            let variable = routine.variable(target.var);
            let visible = |u: &Variable| !matches!(u.role, Role::Local);
            let mut found = false;
            for e in target.subscript_exprs() {
                e.walk_places(&mut |p| {
                    let u = routine.variable(p.var);
                    found |= p.var == target.var
                        || (u.ty == variable.ty && visible(u) && visible(variable));
                });
            }
            found || shallow::is_deep(kind)
        }
        StmtKind::Push { .. } | StmtKind::Pop { .. } | StmtKind::Opaque { .. } => false,
    }
}

/// A routine in normal form, with the name table for what is added later.
pub(crate) struct Normal {
    pub(crate) routine: Routine,
    pub(crate) namer: Namer,
    /// The graph is another one than the original's.
    pub(crate) changed: bool,
    /// What the statements contained before.
    contains: Contains,
}

impl Normal {
    /// Writes as loops what has no derivative as an expression; true if there is something.
    pub(crate) fn expand(&mut self) -> Result<bool, Diagnostics> {
        let loops = self.contains.partials && products::expand(&mut self.routine, &mut self.namer)?;
        self.changed |= loops;
        Ok(loops)
    }

    /// The same, and branches where an adjoint needs them. `program`: the one that was normalized.
    pub(crate) fn split(&mut self, program: &Program) -> Result<bool, Diagnostics> {
        let branches =
            self.contains.conditionals && branches::split(&mut self.routine, &mut self.namer)?;
        let guarded = self.contains.optional && optional::guard(program, &mut self.routine)?;
        self.changed |= branches | guarded;
        Ok(self.expand()? | branches | guarded)
    }
}

/// Everything but the graph.
pub(crate) fn without_body(routine: &Routine) -> Routine {
    Routine {
        name: routine.name.clone(),
        variables: routine.variables.clone(),
        parameters: routine.parameters,
        result: routine.result,
        independents: routine.independents.clone(),
        dependents: routine.dependents.clone(),
        control: routine.control,
        body: None,
        external: routine.external.clone(),
        derivatives: routine.derivatives.clone(),
        aliased: routine.aliased,
        origin: routine.origin.clone(),
        annotations: routine.annotations.clone(),
    }
}

/// Normalizes one routine.
pub(crate) fn normalize(program: &Program, effects: &Effects, id: RoutineId) -> Normal {
    let mut routine = program.routine(id).clone();
    let mut namer = Namer::with_shared(
        Arc::clone(&effects.names),
        routine.variables.iter().map(|v| v.name.as_str()),
    );
    import_globals(program, effects, id, &mut routine, &mut namer);
    let mut changed = false;
    let contains = effects.contains[id.index()];
    if contains.hoisted
        && let Some(mut cfg) = routine.body.take()
    {
        let mut temporaries = Temporaries::default();
        let mut results = results::Variables::default();
        let globals = global_variables(&routine);
        let class = storage_classes(program, &routine);
        for v in (0..cfg.vertex_count()).map(VertexId::new) {
            let statements = cfg.vertex(v).statements();
            if !statements.iter().any(|s| needs_hoisting(&routine, &s.kind)) {
                continue;
            }
            if let VertexKind::Block(statements) = &mut cfg.vertex_mut(v).kind {
                let mut normal = Vec::with_capacity(statements.len());
                for statement in std::mem::take(statements) {
                    temporaries.reset();
                    let mut hoist = Hoist {
                        program,
                        effects,
                        globals: &globals,
                        class: &class,
                        routine: &mut routine,
                        namer: &mut namer,
                        temporaries: &mut temporaries,
                        results: &mut results,
                        out: &mut normal,
                    };
                    hoist.statement(statement);
                }
                *statements = normal;
                changed = true;
            }
        }
        routine.body = Some(cfg);
    }
    Normal {
        routine,
        namer,
        changed,
        contains,
    }
}

/// A variable of the routine's own that has the name of a global of a callee gets another name.
fn import_globals(
    program: &Program,
    effects: &Effects,
    id: RoutineId,
    routine: &mut Routine,
    namer: &mut Namer,
) {
    let mut present = FixedBitSet::with_capacity(program.globals.len());
    for variable in &routine.variables {
        if let Role::Global(g) = variable.role {
            present.insert(g.index());
        }
    }
    let imported: Vec<usize> = effects.touched[id.index()].difference(&present).collect();
    let names = imported
        .iter()
        .map(|&g| program.globals[g].variable.name.as_str());
    let names: HashSet<&str> = names.collect();
    for variable in &mut routine.variables {
        if names.contains(variable.name.as_str()) {
            variable.name = namer.suffixed(std::mem::take(&mut variable.name));
        }
    }
    for g in imported {
        let mut variable = program.global(GlobalId::new(g)).variable.clone();
        variable.role = Role::Global(GlobalId::new(g));
        routine.add_variable(variable);
    }
}

struct Hoist<'a> {
    program: &'a Program,
    effects: &'a Effects,
    globals: &'a [(VarId, GlobalId)],
    /// Storage classes of the variables that are not temporaries.
    class: &'a [u32],
    routine: &'a mut Routine,
    namer: &'a mut Namer,
    temporaries: &'a mut Temporaries,
    results: &'a mut results::Variables,
    out: &'a mut Vec<Stmt>,
}

impl Hoist<'_> {
    fn statement(&mut self, statement: Stmt) {
        let Stmt {
            mut kind,
            annotations,
        } = statement;
        if shallow::is_deep(&kind) {
            let variables = self.routine.variables.clone();
            shallow::hoist(&variables, &mut kind, &mut |e| self.temporary(e));
        }
        if let StmtKind::Assign { target, .. } = &mut kind {
            let written = HashSet::from([self.class_of(target.var)]);
            self.fix_subscripts(target, &written);
        }
        let StmtKind::Call {
            callee,
            mut arguments,
            result,
        } = kind
        else {
            self.out.push(Stmt { kind, annotations });
            return;
        };
        let mut written = HashSet::new();
        let call = Stmt::new(StmtKind::Call {
            callee,
            arguments: arguments.clone(),
            result: result.clone(),
        });
        each_written(self.program, &call, &mut |v| {
            written.insert(self.class_of(v));
        });
        for &(v, g) in self.globals {
            if self.effects.written[callee.index()].contains(g.index()) {
                written.insert(self.class_of(v));
            }
        }
        let called = self.program.routine(callee);
        for (p, argument) in called.parameter_ids().zip(arguments.iter_mut()) {
            match argument {
                Some(Expr::Place(place)) => self.fix_subscripts(place, &written),
                Some(e) => {
                    let real = called.variable(p).ty.is_real();
                    if real || reads_anything(e) {
                        let t = self.temporary(e.clone());
                        *argument = Some(Expr::var(t));
                    }
                }
                None => {}
            }
        }
        let after = result.map(|mut target| {
            self.fix_subscripts(&mut target, &written);
            let ty = typing::of_place(&self.routine.variables, &target);
            if ty.rank > 0 && called.body.is_some() {
                let (globals, routine, namer) =
                    (self.globals, &mut *self.routine, &mut *self.namer);
                let found = (self.results).take(called, &arguments, globals, routine, namer);
                if let Some((t, shape)) = found {
                    self.out.extend(shape);
                    return (target, t);
                }
            }
            let t = self.temporaries.take(self.routine, self.namer, "r", ty);
            (target, t)
        });
        self.out.push(Stmt {
            kind: StmtKind::Call {
                callee,
                arguments,
                result: after.as_ref().map(|&(_, t)| Place::whole(t)),
            },
            annotations,
        });
        if let Some((target, t)) = after {
            self.out.push(Stmt::assign(target, Expr::var(t)));
        }
    }

    fn class_of(&self, v: VarId) -> u32 {
        class_of(self.class, v)
    }

    /// Evaluates `e` before the call.
    fn temporary(&mut self, e: Expr) -> VarId {
        let ty = typing::of(&self.routine.variables, &e);
        let t = self.temporaries.take(self.routine, self.namer, "a", ty);
        self.out.push(Stmt::assign(Place::whole(t), e));
        t
    }

    /// Subscripts that the call may change are evaluated before it.
    fn fix_subscripts(&mut self, place: &mut Place, written: &HashSet<u32>) {
        let class = self.class;
        let changes = |e: &Expr| {
            let mut found = false;
            e.walk_places(&mut |p| found |= written.contains(&class_of(class, p.var)));
            found
        };
        for s in &mut place.subscripts {
            match s {
                Subscript::Index(e) => {
                    if changes(e) {
                        *e = Expr::var(self.temporary(e.clone()));
                    }
                }
                Subscript::Range(range) => {
                    let Range {
                        lower,
                        upper,
                        stride,
                    } = range.as_mut();
                    for bound in [lower, upper, stride] {
                        if let Some(e) = bound
                            && changes(e)
                        {
                            *bound = Some(Expr::var(self.temporary(e.clone())));
                        }
                    }
                }
            }
        }
    }
}

/// The storage class of a variable; a temporary, which has no entry, is one of its own.
fn class_of(class: &[u32], v: VarId) -> u32 {
    class.get(v.index()).copied().unwrap_or(v.index() as u32)
}

fn reads_anything(e: &Expr) -> bool {
    let mut found = false;
    e.walk_places(&mut |_| found = true);
    found
}

/// A class per variable such that two variables of one routine that may share storage have the same
/// class: globals that overlay each other; parameters of a routine whose parameters may overlap, and
/// globals of their type, which they may overlap as well.
pub(crate) fn storage_classes(program: &Program, routine: &Routine) -> Vec<u32> {
    let n = routine.variables.len();
    let mut class: Vec<u32> = (0..n as u32).collect();
    let mut of_global = HashMap::new();
    let mut of_parameters: [Option<u32>; 5] = [None; 5];
    if routine.aliased {
        for p in routine.parameter_ids() {
            let ty = routine.variable(p).ty;
            if ty != ScalarType::Tape {
                let first = of_parameters[ty as usize].get_or_insert(p.index() as u32);
                class[p.index()] = *first;
            }
        }
    }
    for (v, variable) in routine.variables.iter().enumerate() {
        if let Role::Global(g) = variable.role {
            let base = program.global(g).overlay.map_or(g, |o| o.base);
            let own = of_parameters[variable.ty as usize].unwrap_or(v as u32);
            class[v] = *of_global.entry(base).or_insert(own);
        }
    }
    class
}

/// Classes of more than one variable.
pub(crate) fn shared_classes(class: &[u32]) -> FixedBitSet {
    let mut seen = FixedBitSet::with_capacity(class.len());
    let mut shared = FixedBitSet::with_capacity(class.len());
    for &c in class {
        if seen.put(c as usize) {
            shared.insert(c as usize);
        }
    }
    shared
}

/// A local of this type with a new name.
pub(crate) fn add_local(
    routine: &mut Routine,
    name: String,
    ty: ScalarType,
    origin: &'static str,
) -> VarId {
    let mut variable = Variable::new(name, ty, Vec::new(), Role::Local);
    variable.origin = Some(Box::new((String::new(), origin.to_owned())));
    routine.add_variable(variable)
}
