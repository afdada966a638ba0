//! Splitting records: each scalar and each array of scalars in a record becomes a variable of its own.
//!
//! The variable of the field `x` of `p` is called `p.x`. An array of records becomes one array for each field, with
//! the extents of a field that is an array behind those of the array around it, so that `a[i].v[j]` is `a.v[i, j]`. An
//! assignment of a record becomes one for each field; subscripts are evaluated before if an assignment could change
//! the variables that they read. Records are passed field by field, and a function that returns a record gets an `out`
//! parameter for each field.
//!
//! No cell gets a second name by the split, and fields that do not overlap become variables that do not: analyses see
//! each field by itself.
//!
//! ```
//! use cfg_core::{text, validate::validate};
//!
//! let parsed = cfg_format::text::parse("
//! record Point
//!   real x
//!   real v[2]
//! end
//!
//! subroutine f(in record Point a[3], in integer i, inout record Point p)
//!   p := a[i]
//!   p.x := p.x*a[1].v[2]
//! end
//! ");
//! let program = validate(parsed.program.ok_or(parsed.problems)?)?;
//! let split = cfg_transform::records::split(&program)?;
//! let mut out = String::new();
//! text::routine(&mut out, &split, &split.routines[0]).expect("strings take everything");
//! assert_eq!(out, r#"subroutine f(in real "a.x"[3], in real "a.v"[3, 2], in integer i, inout real "p.x", inout real "p.v"[2])
//!   "p.x" := "a.x"[i]
//!   "p.v" := "a.v"[i, :]
//!   "p.x" := "p.x"*"a.v"[1, 2]
//! end
//! "#);
//! # Ok::<(), cfg_core::diagnostic::Diagnostics>(())
//! ```

use super::layout::Layouts;
use crate::names::fresh_name;
use cfg_core::{
    diagnostic::Diagnostics,
    entity::{GlobalId, VarId},
    flat::{Parts, RecordParts, RoutineParts, refuse_pointers},
    ir::{
        Cfg, Dim, Expr, Extent, Global, Intent, LoopTest, NameRole, Op, Order, Overlay, Place,
        Program, Role, Routine, ScalarType, StatementOrigin, Stmt, StmtKind, Subscript, Variable,
        VertexKind,
    },
    typing::{place_type_in, type_in},
    validate::{ValidProgram, validate},
};
use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
};

/// The program, with its records split if it has some.
///
/// # Errors
/// The errors are those of [`split`].
pub fn without_records(program: &ValidProgram) -> Result<Cow<'_, ValidProgram>, Diagnostics> {
    if program.has_record_variables() {
        return split(program).map(Cow::Owned);
    }
    Ok(Cow::Borrowed(program))
}

/// The program with a variable for each scalar and each array of scalars in its records. Routines and vertices keep
/// their numbers, and the origins of statements name those that they were made from. The record types stay declared.
///
/// # Errors
/// V163: the program has pointers. Errors of validation: the result breaks a rule, because an expression is too deep
/// with all subscripts, or the program has too many variables.
pub fn split(program: &ValidProgram) -> Result<ValidProgram, Diagnostics> {
    split_with_parts(program).map(|(split, _)| split)
}

/// The program without its records, and the variables that they became, which [`regroup`](super::regroup) takes.
///
/// # Errors
/// The errors are those of [`split`].
pub fn split_with_parts(program: &ValidProgram) -> Result<(ValidProgram, Parts), Diagnostics> {
    refuse_pointers(program)?;
    let globals = Globals::split(program);
    let results = results_by_name(program);
    let mut parts = Vec::with_capacity(program.routines.len());
    let mut routines = Vec::with_capacity(program.routines.len());
    for routine in &program.routines {
        let (routine, own) = SplitRoutine::new(program, &globals, &results, routine).finish();
        routines.push(routine);
        parts.push(own);
    }
    originals(program, &mut routines, &parts);
    let mut split = Program {
        routines,
        globals: globals.split,
        records: program.records.clone(),
        main: program.main,
        sources: program.sources.clone(),
        annotations: program.annotations.clone(),
    };
    crate::aliased::mark_crowded(&mut split);
    let parts = Parts {
        globals: globals.parts,
        routines: parts,
    };
    Ok((validate(split)?, parts))
}

/// Renumbers origins in derived routines: a statement made from one of the original comes from the first of the
/// statements that this one became.
fn originals(program: &Program, routines: &mut [Routine], parts: &[RoutineParts]) {
    let named = program.routines.iter().zip(parts);
    let by_name: HashMap<&str, &RoutineParts> = named.map(|(r, p)| (&*r.name, p)).collect();
    let mut firsts: HashMap<&str, Vec<usize>> = HashMap::new();
    for (routine, before) in routines.iter_mut().zip(&program.routines) {
        let Some(of) = before.origin.as_deref().map(|o| &*o.of) else {
            continue;
        };
        let firsts = firsts.entry(of).or_insert_with(|| {
            let mut firsts = Vec::new();
            let there = by_name.get(of).map_or(&[][..], |p| &p.statements);
            for (k, number) in there.iter().enumerate() {
                if number.number() == Some(firsts.len()) {
                    firsts.push(k);
                }
            }
            firsts
        });
        for statement in routine
            .body
            .iter_mut()
            .flat_map(Cfg::vertices_mut)
            .filter_map(|vertex| vertex.kind.statements_mut())
            .flatten()
        {
            let first = statement.origin.number().and_then(|n| firsts.get(n));
            statement.origin = first.map_or(StatementOrigin::default(), |&n| {
                StatementOrigin::from_number(n)
            });
        }
    }
}

/// The name of the record that each function returns, by the name of the function.
fn results_by_name(program: &Program) -> HashMap<&str, &str> {
    let functions = program.routines.iter();
    let results = functions.filter_map(|r| {
        let result = r.variable(r.result?);
        Some((&*r.name, &*result.name)).filter(|_| result.ty.record().is_some())
    });
    results.collect()
}

/// The variables that a variable becomes: one for each leaf of its type, in order.
fn leaves(program: &Program, variable: &Variable, shape: &[Dim]) -> Vec<Variable> {
    let leaves = program.leaves(variable.ty).into_iter();
    let parts = leaves.map(|leaf| {
        let mut part = variable.clone();
        for field in &leaf.path {
            part.name.push('.');
            part.name.push_str(field);
        }
        part.ty = leaf.ty;
        part.shape = shape.to_vec();
        part.shape.extend(leaf.shape.iter().map(|&dim| dim.clone()));
        if !leaf.shape.is_empty() {
            part.order = Order::Row;
        }
        part
    });
    parts.collect()
}

/// The initial values of each of `leaves` leaves; an empty list if there are none.
fn initial_by_leaf(program: &Program, global: &Global, leaves: usize) -> Vec<Vec<Expr>> {
    let Some(values) = &global.initial else {
        return Vec::new();
    };
    if global.variable.ty.record().is_none() {
        return vec![values.to_vec()];
    }
    let of = program.initial_leaves(&global.variable, values.len());
    let mut lists = vec![Vec::new(); leaves];
    for (k, value) in of.into_iter().flatten().zip(values) {
        lists[k].push(value.clone());
    }
    lists
}

struct Globals {
    /// The globals that each global becomes.
    parts: Vec<Vec<GlobalId>>,
    split: Vec<Global>,
}

impl Globals {
    fn split(program: &Program) -> Self {
        let (mut parts, mut split) = (Vec::new(), Vec::new());
        for global in &program.globals {
            let mut own = Vec::new();
            let variables = leaves(program, &global.variable, &global.variable.shape);
            let mut initial = initial_by_leaf(program, global, variables.len());
            for (k, mut variable) in variables.into_iter().enumerate() {
                let id = GlobalId::new(split.len());
                variable.role = Role::Global(id);
                own.push(id);
                split.push(Global {
                    variable,
                    initial: initial.get_mut(k).map(|list| std::mem::take(list).into()),
                    overlay: global.overlay,
                });
            }
            parts.push(own);
        }
        let all = program.globals.iter().zip(&parts);
        let by_name: HashMap<&str, &Vec<GlobalId>> =
            all.clone().map(|(g, p)| (&*g.variable.name, p)).collect();
        for (global, own) in all {
            let of = (global.variable.origin.as_deref()).and_then(|o| by_name.get(&*o.of));
            let Some(of) = of.filter(|_| global.variable.ty.record().is_some()) else {
                continue;
            };
            for (part, of) in own.iter().zip(*of) {
                let name = split[of.index()].variable.name.clone();
                if let Some(origin) = &mut split[part.index()].variable.origin {
                    origin.of = name;
                }
            }
        }
        for global in &mut split {
            if let Some(Overlay { base, .. }) = &mut global.overlay
                && let Some(&[only]) = parts.get(base.index()).map(Vec::as_slice)
            {
                *base = only;
            }
        }
        Self { parts, split }
    }
}

/// A routine whose records are being split.
struct SplitRoutine<'p> {
    program: &'p Program,
    routine: &'p Routine,
    out: Routine,
    /// The variables that each variable becomes.
    parts: Vec<Vec<VarId>>,
    names: HashSet<String>,
    layouts: Layouts<'p>,
    /// The records of the routine, and new ones for results.
    records: Vec<RecordParts>,
    /// The origin of each statement that is written.
    statements: Vec<StatementOrigin>,
    /// Statements of the block that is being written.
    block: Vec<Stmt>,
}

impl<'p> SplitRoutine<'p> {
    fn new(
        program: &'p Program,
        globals: &Globals,
        results: &HashMap<&str, &str>,
        routine: &'p Routine,
    ) -> Self {
        let mut split = Self {
            program,
            routine,
            out: Routine {
                variables: Vec::new(),
                parameters: Vec::new(),
                result: None,
                independents: Vec::new(),
                dependents: Vec::new(),
                external: None,
                body: None,
                ..routine.clone()
            },
            parts: Vec::new(),
            names: routine.variables.iter().map(|v| v.name.clone()).collect(),
            layouts: Layouts::of_program(program),
            records: Vec::new(),
            statements: Vec::new(),
            block: Vec::new(),
        };
        // A routine that was made from a function has the function's result as a parameter.
        let original = routine.origin.as_deref();
        let result_there = original.and_then(|o| results.get(&*o.of).copied());
        for (v, variable) in routine.variables.iter().enumerate() {
            let result = routine.result == Some(VarId::new(v)) && variable.ty.record().is_some();
            let parameter = matches!(variable.role, Role::Parameter { .. });
            let returned = result || parameter && result_there == Some(&*variable.name);
            let mut own = Vec::new();
            // Shapes may name later variables, so they are filled in when all variables are known.
            for (k, mut part) in leaves(program, variable, &variable.shape)
                .into_iter()
                .enumerate()
            {
                if let Role::Global(g) = variable.role {
                    part.role = Role::Global(globals.parts[g.index()][k]);
                } else if result {
                    part.role = Role::Parameter {
                        intent: Intent::Out,
                        optional: false,
                    };
                }
                if part.name != variable.name {
                    // A result is called `return` where it is shown.
                    if returned && !split.names.contains("return") {
                        part.name.replace_range(..variable.name.len(), "return");
                    }
                    part.name = fresh_name(part.name, &mut split.names);
                }
                own.push(VarId::new(split.out.variables.len()));
                split.out.variables.push(part);
            }
            if variable.ty.record().is_some() && !matches!(variable.role, Role::Global(_)) {
                split.records.push(RecordParts {
                    variable: variable.clone(),
                    parts: own.clone(),
                });
            }
            split.parts.push(own);
        }
        split.split_origins();
        split.split_declarations();
        split
    }

    /// Sets the origins of parts: parts of a record's derivative are derivatives of the record's parts.
    fn split_origins(&mut self) {
        let routine = self.routine;
        let named = routine.variables.iter().zip(&self.parts);
        let by_name: HashMap<&str, &Vec<VarId>> = named.map(|(v, p)| (&*v.name, p)).collect();
        for (variable, own) in routine.variables.iter().zip(&self.parts) {
            let of = variable
                .origin
                .as_deref()
                .filter(|o| is_derivative(&o.role));
            let of = of.and_then(|o| by_name.get(&*o.of));
            let Some(of) = of.filter(|of| of.len() == own.len() && variable.ty.record().is_some())
            else {
                continue;
            };
            for (part, of) in own.iter().zip(*of) {
                let name = self.out.variables[of.index()].name.clone();
                if let Some(origin) = &mut self.out.variables[part.index()].origin {
                    origin.of = name;
                }
            }
        }
    }

    fn split_declarations(&mut self) {
        let routine = self.routine;
        for i in 0..self.out.variables.len() {
            let mut shape = std::mem::take(&mut self.out.variables[i].shape);
            for dim in &mut shape {
                dim.lower = self.split_expr(&dim.lower);
                if let Extent::Fixed(extent) = &mut dim.extent {
                    *extent = self.split_expr(extent);
                }
            }
            self.out.variables[i].shape = shape;
        }
        let all = |list: &[VarId]| -> Vec<VarId> {
            let parts = list.iter().flat_map(|v| &self.parts[v.index()]);
            parts.copied().collect()
        };
        let reals = |list: &[VarId]| -> Vec<VarId> {
            let real = |v: &VarId| self.out.variables[v.index()].ty.is_real();
            all(list).into_iter().filter(real).collect()
        };
        self.out.parameters = all(&routine.parameters);
        self.out.independents = reals(&routine.independents);
        self.out.dependents = reals(&routine.dependents);
        if let Some(result) = routine.result {
            let parts = &self.parts[result.index()];
            if routine.variable(result).ty.record().is_some() {
                self.out.parameters.extend(parts);
            } else {
                self.out.result = parts.first().copied();
            }
        }
        if let Some(external) = &routine.external {
            let mut external = external.clone();
            external.value = external.value.as_ref().map(|e| self.split_expr(e));
            for partial in external.partials.iter_mut().flatten() {
                partial.parameter = self.only_part(partial.parameter);
                partial.value = self.split_expr(&partial.value);
            }
            self.out.external = Some(external);
        }
    }

    fn finish(mut self) -> (Routine, RoutineParts) {
        self.out.body = self.split_body();
        self.parts.truncate(self.routine.variables.len());
        let parts = RoutineParts {
            variables: self.parts,
            records: self.records,
            statements: self.statements,
        };
        (self.out, parts)
    }

    fn split_body(&mut self) -> Option<Cfg> {
        let mut cfg = self.routine.body.clone()?;
        let mut number = 0;
        for vertex in cfg.vertices_mut() {
            for e in vertex.kind.exprs_mut() {
                *e = self.split_expr(e);
            }
            if let VertexKind::Loop { test, .. } = &mut vertex.kind
                && let LoopTest::Counted { index, .. } = &mut **test
            {
                *index = self.only_part(*index);
            }
            let Some(statements) = vertex.kind.statements_mut() else {
                continue;
            };
            for statement in &*statements {
                let origin = StatementOrigin::from_number(number);
                number += 1;
                let before = self.block.len();
                self.split_statement(&statement.kind);
                for made in &mut self.block[before..] {
                    made.at = statement.at.clone();
                    made.annotations = statement.annotations.clone();
                    // Statements that were made from another routine keep their origin.
                    made.origin = match self.routine.origin {
                        Some(_) => statement.origin,
                        None => origin,
                    };
                    self.statements.push(origin);
                }
            }
            *statements = std::mem::take(&mut self.block);
        }
        Some(cfg)
    }

    fn split_statement(&mut self, kind: &StmtKind) {
        match kind {
            StmtKind::Assign { target, value } => self.split_assignment(target, value),
            StmtKind::Call {
                callee,
                arguments,
                result,
            } => {
                let mut passed = Vec::with_capacity(arguments.len());
                let callee_routine = self.program.routine(*callee);
                for (argument, p) in arguments.iter().zip(callee_routine.parameter_ids()) {
                    let record = callee_routine.variable(p).ty.record();
                    let count = record.map_or(1, |r| self.layouts.layout(r).leaves.len());
                    match argument {
                        None => passed.extend(std::iter::repeat_n(None, count)),
                        Some(Expr::Place(place)) => {
                            passed.extend(
                                self.leaf_places(place).into_iter().map(|p| Some(p.into())),
                            );
                        }
                        Some(e) => passed.push(Some(self.split_expr(e))),
                    }
                }
                let returned = callee_routine.result.map(|v| callee_routine.variable(v));
                if let Some(record) = returned.filter(|v| v.ty.record().is_some()) {
                    return self.call_of_record(kind, record, passed, result.as_ref());
                }
                let result = result.as_ref().map(|place| self.split_place(place));
                self.push(StmtKind::Call {
                    callee: *callee,
                    arguments: passed.into(),
                    result,
                });
            }
            StmtKind::Push { tape, class, value } => {
                let (tape, value) = (self.only_part(*tape), self.split_expr(value));
                let class = *class;
                self.push(StmtKind::Push { tape, class, value });
            }
            StmtKind::Pop {
                tape,
                class,
                target,
            } => {
                let (tape, target) = (self.only_part(*tape), self.split_place(target));
                let class = *class;
                self.push(StmtKind::Pop {
                    tape,
                    class,
                    target,
                });
            }
            StmtKind::Opaque {
                text,
                reads,
                writes,
            } => {
                let all = |list: &[VarId]| {
                    let parts = list.iter().flat_map(|v| &self.parts[v.index()]);
                    parts.copied().collect()
                };
                let (reads, writes) = (all(reads), all(writes));
                let text = text.clone();
                self.push(StmtKind::Opaque {
                    text,
                    reads,
                    writes,
                });
            }
            StmtKind::Stop { text } => self.push(StmtKind::Stop { text: text.clone() }),
            // Programs with pointers have been refused.
            StmtKind::Allocate { .. } | StmtKind::Free { .. } | StmtKind::Resize { .. } => {}
        }
    }

    fn push(&mut self, kind: StmtKind) {
        self.block.push(Stmt::new(kind));
    }

    /// An assignment; of a record, one for each of its leaves.
    fn split_assignment(&mut self, target: &Place, value: &Expr) {
        let source = match value {
            Expr::Place(source) if self.is_record(target) => source,
            Expr::Place(_)
            | Expr::Int(_)
            | Expr::Real(_)
            | Expr::Real32(_)
            | Expr::Logical(_)
            | Expr::Op(..)
            | Expr::Null(_)
            | Expr::Addr(_) => {
                let (value, target) = (self.split_expr(value), self.split_place(target));
                return self.push(StmtKind::Assign { target, value });
            }
        };
        // Subscripts may read a leaf that an earlier assignment changes.
        let mut reads_target = self.routine.aliased;
        for e in target.subscript_exprs().chain(source.subscript_exprs()) {
            e.walk_places(&mut |place| reads_target |= place.var == target.var);
        }
        let (target, source) = match reads_target {
            true => {
                let source = self.hoist_subscripts(source);
                (self.hoist_subscripts(target), source)
            }
            false => (target.clone(), source.clone()),
        };
        let (targets, sources) = (self.leaf_places(&target), self.leaf_places(&source));
        for (target, source) in targets.into_iter().zip(sources) {
            let value = source.into();
            self.push(StmtKind::Assign { target, value });
        }
    }

    /// A call of a function that returns a record: the fields go into new variables, then to their place, whose
    /// subscripts have their values from before the call.
    fn call_of_record(
        &mut self,
        call: &StmtKind,
        record: &Variable,
        mut arguments: Vec<Option<Expr>>,
        result: Option<&Place>,
    ) {
        let Some(callee) = call.callee() else { return };
        let result = result.map(|place| self.hoist_subscripts(place));
        let mut sources = Vec::new();
        for mut part in leaves(self.program, record, &[]) {
            part.role = Role::Local;
            part.at = None;
            part.annotations = None;
            part.name = fresh_name(part.name, &mut self.names);
            let v = self.out.add_variable(part);
            sources.push(v);
            arguments.push(Some(Expr::var(v)));
        }
        // The caller may have a variable of the name, such as its own result.
        let name = fresh_name(record.name.clone(), &mut self.names);
        let mut variable = Variable::new(name, record.ty, Vec::new(), Role::Local);
        variable.order = record.order;
        self.records.push(RecordParts {
            variable,
            parts: sources.clone(),
        });
        self.push(StmtKind::Call {
            callee,
            arguments: arguments.into(),
            result: None,
        });
        let targets = result.map_or(Vec::new(), |place| self.leaf_places(&place));
        for (target, v) in targets.into_iter().zip(sources) {
            let value = Expr::var(v);
            self.push(StmtKind::Assign { target, value });
        }
    }

    /// The place with its subscripts evaluated now: each is a constant, or a new variable of the split routine.
    fn hoist_subscripts(&mut self, place: &Place) -> Place {
        let mut made = Vec::new();
        let hoisted = place.map_subscripts(&mut |e| match e {
            Expr::Int(_) => e.clone(),
            Expr::Real(_)
            | Expr::Real32(_)
            | Expr::Logical(_)
            | Expr::Place(_)
            | Expr::Op(..)
            | Expr::Null(_)
            | Expr::Addr(_) => {
                let name = fresh_name("subscript".to_owned(), &mut self.names);
                let variables = &self.routine.variables;
                let ty = type_in(&self.program.records, variables, e);
                let ty = ty.map_or(ScalarType::Integer, |ty| ty.ty);
                let variable = Variable::new(name, ty, Vec::new(), Role::Local);
                let v = self.out.add_variable(variable);
                // New variables get numbers behind those of the old routine.
                self.parts.push(vec![v]);
                made.push((v, e.clone()));
                Expr::var(VarId::new(self.parts.len() - 1))
            }
        });
        for (v, e) in made {
            let (target, value) = (Place::whole(v), self.split_expr(&e));
            self.push(StmtKind::Assign { target, value });
        }
        hoisted
    }

    /// The variable that a variable other than a record becomes.
    fn only_part(&self, v: VarId) -> VarId {
        self.parts[v.index()][0]
    }

    fn is_record(&self, place: &Place) -> bool {
        let mut ty = self.routine.variable(place.var).ty;
        for field in place.subscripts.iter().filter_map(Subscript::field) {
            let record = ty.record().map(|r| self.program.record(r));
            if let Some(found) = record.and_then(|r| r.field(field)) {
                ty = found.ty;
            }
        }
        ty.record().is_some()
    }

    /// The places that a place becomes: one for each leaf of its type.
    fn leaf_places(&self, place: &Place) -> Vec<Place> {
        let parts = &self.parts[place.var.index()];
        let variable = self.routine.variables.get(place.var.index());
        let record = variable.and_then(|v| Some((v, v.ty.record()?)));
        let Some((variable, record)) = record else {
            return vec![Place {
                var: parts[0],
                ..self.map_subscripts(place)
            }];
        };
        let place = self.map_subscripts(place);
        let layout = self.layouts.layout(record);
        let mut below = 0..layout.leaves.len();
        let mut outer = Some(record);
        for name in place.subscripts.iter().filter_map(Subscript::field) {
            let Some(r) = outer else { break };
            let inner = self.layouts.layout(r);
            let part = inner.fields.get(name).cloned().unwrap_or(0..0);
            below = below.start + part.start..below.start + part.end;
            outer = self
                .program
                .record(r)
                .field(name)
                .and_then(|f| f.ty.record());
        }
        let whole = place.subscripts.iter().all(|s| s.field().is_some());
        let mut written = Vec::new();
        if !whole {
            self.fill_in(variable, &place, &mut written);
        }
        let made = below.map(|k| {
            let mut subscripts = written.clone();
            if !whole {
                let rank = variable.rank() + layout.leaves[k].shape.len();
                subscripts.resize_with(rank, full);
            }
            Place {
                var: parts[k],
                subscripts: subscripts.into(),
            }
        });
        made.collect()
    }

    /// Adds the subscripts of all names in a place, with full ranges where none are written.
    fn fill_in(&self, variable: &Variable, place: &Place, subscripts: &mut Vec<Subscript>) {
        let (mut ty, mut rank) = (variable.ty, variable.rank());
        for level in place.levels() {
            let record = ty.record().map(|r| self.program.record(r));
            if let Some(found) = record
                .zip(level.part.field())
                .and_then(|(r, name)| r.field(name))
            {
                (ty, rank) = (found.ty, found.shape.len());
            }
            if level.subscripts.is_empty() {
                subscripts.extend(std::iter::repeat_with(full).take(rank));
            } else {
                subscripts.extend_from_slice(level.subscripts);
            }
        }
    }

    /// The place with its subscripts in terms of the new variables.
    fn map_subscripts(&self, place: &Place) -> Place {
        place.map_subscripts(&mut |e| self.split_expr(e))
    }

    /// The place that a place becomes; for a record, its first leaf.
    fn split_place(&self, place: &Place) -> Place {
        let mut places = self.leaf_places(place);
        places.truncate(1);
        places.pop().unwrap_or_else(|| place.clone())
    }

    /// Recursion is bounded: the expressions of a valid program have at most [`Expr::MAX_DEPTH`] levels.
    fn split_expr(&self, e: &Expr) -> Expr {
        match e {
            Expr::Int(_)
            | Expr::Real(_)
            | Expr::Real32(_)
            | Expr::Logical(_)
            | Expr::Null(_)
            | Expr::Addr(_) => e.clone(),
            Expr::Place(place) => self.split_place(place).into(),
            Expr::Op(op, operands) => {
                if let (Op::Size, [Expr::Place(place)]) = (op, &**operands)
                    && self.is_record(place)
                {
                    return self.element_count(place);
                }
                Expr::op(*op, operands.iter().map(|e| self.split_expr(e)))
            }
        }
    }

    /// The number of elements of an array of records: the extents of a leaf, without those of its own fields.
    fn element_count(&self, place: &Place) -> Expr {
        let variables = &self.routine.variables;
        let ty = place_type_in(&self.program.records, variables, place);
        let rank = ty.map_or(1, |ty| ty.rank);
        let leaf = self.split_place(place);
        let extent = |k: usize| {
            let dimension = i64::try_from(k).unwrap_or(i64::MAX);
            Expr::op(Op::Size, [leaf.clone().into(), Expr::Int(dimension)])
        };
        match rank {
            1 => extent(1),
            _ => Expr::op(Op::Mul, (1..=rank).map(extent)),
        }
    }
}

/// True for the roles of derivatives.
pub(super) fn is_derivative(role: &NameRole) -> bool {
    matches!(role, NameRole::Adjoint | NameRole::Tangent)
}

/// The full range of a dimension.
fn full() -> Subscript {
    Subscript::Range(Box::default())
}
