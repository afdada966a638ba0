//! Brings a program into the form that the transformations read: subscripts of what is assigned do not
//! depend on it, actual arguments with derivatives are
//! places whose subscripts the call cannot change, function results go to a variable of their own, and
//! routines name what they must of the globals that the routines they call can touch ([`crate::globals`]).
//!
//! Vertices and edges stay as they are; only statements are added.

use cfg_core::{
    diagnostic::Diagnostics,
    entity::{GlobalId, RoutineId, VarId, VertexId},
    ir::{
        Expr, Intent, Op, Place, Program, Range, Role, Routine, ScalarType, Stmt, StmtKind,
        Subscript, Variable, VertexKind,
    },
    memory::global_set::{self, GlobalSet},
};
use fixedbitset::FixedBitSet;
use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use crate::{
    branches,
    globals::{self, Named, Storage},
    linearize::Temporaries,
    names::Namer,
    optional, products, results, shallow, typing,
};

/// Which globals a routine and everything it calls may read or write. Where a given adjoint takes a
/// routine's place in the reverse sweep, what that reads counts too.
#[derive(Clone, Debug)]
pub(crate) struct Effects {
    pub(crate) touched: Vec<GlobalSet>,
    pub(crate) written: Vec<GlobalSet>,
    pub(crate) storage: Storage,
    /// Callees of each routine, each once, in order of first call.
    pub(crate) callees: Vec<Vec<RoutineId>>,
    /// Names of globals.
    pub(crate) names: Arc<HashSet<String>>,
    by_name: HashMap<String, GlobalId>,
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
    /// Propagates over the call graph, recursion included.
    pub(crate) fn of(program: &Program) -> Self {
        let n = program.routines.len();
        let mut touched = vec![GlobalSet::default(); n];
        let mut written = touched.clone();
        let mut callees = vec![Vec::new(); n];
        let mut assigned = Vec::with_capacity(n);
        let mut contains = vec![Contains::default(); n];
        let mut called_by = vec![usize::MAX; n];
        for (r, routine) in program.routines.iter().enumerate() {
            globals::variables(routine).for_each(|(_, g)| touched[r].insert(g));
            let mut own = FixedBitSet::with_capacity(routine.variables.len());
            each_statement(routine, |statement| {
                contains[r].add(program, routine, &statement.kind);
                each_written(program, statement, &mut |v| own.insert(v.index()));
                if let StmtKind::Call { callee, .. } = &statement.kind
                    && std::mem::replace(&mut called_by[callee.index()], r) != r
                {
                    callees[r].push(*callee);
                }
            });
            for v in own.ones() {
                if let Role::Global(g) = routine.variables[v].role {
                    written[r].insert(g);
                }
            }
            assigned.push(own);
        }
        let calls: Vec<Vec<usize>> = (callees.iter())
            .map(|list| list.iter().map(|c| c.index()).collect())
            .collect();
        let mut uses = calls.clone();
        for (r, routine) in program.routines.iter().enumerate() {
            uses[r].extend(given_adjoint(routine).map(RoutineId::index));
        }
        global_set::propagate(&uses, &mut touched);
        global_set::propagate(&calls, &mut written);
        let names = program.globals.iter().map(|g| g.variable.name.clone());
        let by_name = names.clone().zip((0..).map(GlobalId::new)).collect();
        Self {
            touched,
            written,
            storage: Storage::of(program),
            callees,
            names: Arc::new(names.collect()),
            by_name,
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

/// The adjoint that the user gives for a routine.
fn given_adjoint(routine: &Routine) -> Option<RoutineId> {
    routine.derivatives.as_ref().and_then(|d| d.adjoint)
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
        let globals = Named::of(&routine);
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

/// A variable of the routine's own that has the name of a global of a callee gets another name, since the
/// sweeps may have to name that global.
fn import_globals(
    program: &Program,
    effects: &Effects,
    id: RoutineId,
    routine: &mut Routine,
    namer: &mut Namer,
) {
    let touched = &effects.touched[id.index()];
    if effects.callees[id.index()].is_empty() || touched.is_empty() {
        return;
    }
    for variable in &mut routine.variables {
        if let Some(&g) = effects.by_name.get(&variable.name)
            && variable.role != Role::Global(g)
            && touched.contains(g)
        {
            variable.name = namer.suffixed(std::mem::take(&mut variable.name));
        }
    }
    for g in globals::to_import(program, effects, id) {
        let mut variable = program.global(g).variable.clone();
        variable.role = Role::Global(g);
        routine.add_variable(variable);
    }
}

struct Hoist<'a> {
    program: &'a Program,
    effects: &'a Effects,
    globals: &'a Named,
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
        for v in self.globals.among(&self.effects.written[callee.index()]) {
            written.insert(self.class_of(v));
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
