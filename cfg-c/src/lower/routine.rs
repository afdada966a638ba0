//! The state of the translation of one function to a routine.

use super::{
    Failed, Lower, Lowered,
    region::{Region, Target},
    slot::{Elem, Slot},
    value::Value,
};
use crate::{
    ast::{DeclId, ExprId, StmtId},
    codes,
    interface::Given,
    preprocess::{Choice, Role},
    source::Pos,
    types::{Arith, Int, Type},
};
use cfg_core::{
    builder::{Label, RoutineBuilder},
    diagnostic::CodeInfo,
    entity::VarId,
    ir::{CHead, CParameter, Expr, Place, ScalarType, Span},
};
use std::{
    collections::{HashMap, HashSet},
    rc::Rc,
};

/// A counted loop that is being translated: the variable, the index that stands for it, and whether the variable is
/// needed after the loop.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counting {
    pub(super) decl: DeclId,
    pub(super) index: VarId,
    pub(super) kept: bool,
}

/// A function that is being translated.
pub(super) struct Body<'l, 'u> {
    pub(super) l: &'l mut Lower<'u>,
    pub(super) f: RoutineBuilder,
    pub(super) function: usize,
    pub(super) slots: HashMap<DeclId, Slot>,
    /// The arrays of parameters that are assigned or moved.
    pub(super) own: HashMap<DeclId, VarId>,
    /// The arrays that calls allocate, and whether their extents are known where the function begins.
    pub(super) heap: HashMap<ExprId, (VarId, bool)>,
    /// The allocations that other calls resize.
    pub(super) resized: Option<HashSet<ExprId>>,
    /// By pointer, which of several arrays it points into, in the arm of a branch on that.
    pub(super) bound: HashMap<DeclId, usize>,
    /// True if some pointer may point into several arrays.
    pub(super) several: bool,
    /// Variables that have been refused.
    pub(super) failed: HashSet<DeclId>,
    /// The names of globals, and of the variables that have been declared.
    pub(super) names: HashSet<String>,
    /// For each name, the number in the last name made from it.
    pub(super) last_numbers: HashMap<String, usize>,
    /// The names of the function's variables that have not been declared yet: no temporary may take them.
    pub(super) later: HashSet<Rc<str>>,
    pub(super) result: Option<(VarId, Elem)>,
    /// The allocation whose memory is the result.
    pub(super) returned: Option<ExprId>,
    /// True if some return returns null instead.
    pub(super) returns_null: bool,
    pub(super) labels: HashMap<Rc<str>, Label>,
    pub(super) breaks: Vec<Target>,
    pub(super) continues: Vec<Target>,
    pub(super) cases: HashMap<StmtId, Label>,
    pub(super) counting: Vec<Counting>,
    /// The indices of counted loops.
    pub(super) indices: HashMap<DeclId, VarId>,
    pub(super) index_variables: HashSet<VarId>,
    /// Variables that are assigned once, before all statements that read them.
    pub(super) frozen: HashSet<VarId>,
    /// Variables whose derivatives are taken to be 0.
    pub(super) passive: HashSet<VarId>,
    /// The span of the present statement.
    pub(super) span: Option<Span>,
    /// The depth of recursion on the way to the present operand.
    pub(super) depth: usize,
    /// The depth at which the function in place of a call began.
    pub(super) base: usize,
    /// The number of elements of the present argument, if that is a matrix passed as one sequence.
    pub(super) passed_size: Option<Expr>,
    /// The number of statements with checkpoints around the present one. The values of their variables before and
    /// after do not count: arrays begin with zeros, so that no state has what is left in them.
    pub(super) checkpoints: usize,
    /// The parts with checkpoints around the present statement that jumps leave, innermost last.
    pub(super) regions: Vec<Region>,
    /// The labels behind functions that stand in place of calls, innermost last: returns jump there.
    pub(super) leaves: Vec<Target>,
}

pub(super) fn routine(l: &mut Lower<'_>, function: usize) {
    let unit = l.unit;
    let of = &unit.functions[function];
    let decl = unit.decl(of.decl);
    let mut body = Body {
        f: RoutineBuilder::new(decl.name.to_string()),
        function,
        slots: HashMap::new(),
        own: HashMap::new(),
        heap: HashMap::new(),
        resized: None,
        bound: HashMap::new(),
        several: false,
        failed: HashSet::new(),
        names: l.global_names.clone(),
        last_numbers: HashMap::new(),
        later: (of.locals.iter().chain(&of.parameters))
            .map(|d| Rc::clone(&unit.decl(*d).name))
            .collect(),
        l,
        result: None,
        returned: None,
        returns_null: false,
        labels: HashMap::new(),
        breaks: Vec::new(),
        continues: Vec::new(),
        cases: HashMap::new(),
        counting: Vec::new(),
        indices: HashMap::new(),
        index_variables: HashSet::new(),
        frozen: HashSet::new(),
        passive: HashSet::new(),
        span: None,
        depth: 0,
        base: 0,
        checkpoints: 0,
        regions: Vec::new(),
        leaves: Vec::new(),
        passed_size: None,
    };
    if let Some(span) = of.from.span_to(of.to) {
        body.f.routine_span(span);
    }
    body.reserve_names();
    body.declare_parameters();
    body.declare_result();
    body.initialise_variables();
    body.initialise_tables();
    for (name, _) in &of.labels {
        let label = body.f.label();
        body.labels.insert(Rc::clone(name), label);
    }
    if of.given.as_ref().is_some_and(|given| given.elsewhere) {
        body.declare_external();
    } else {
        body.fill_nowhere();
        body.lower_statement(of.body, true);
        body.declare_active();
    }
    body.note_interface();
    if let Some(given) = body.l.derivatives.get(&function) {
        body.f.derivatives(*given);
    }
    let id = body.l.routines[&function];
    let f = body.f;
    l.program.define(id, f);
}

impl Body<'_, '_> {
    /// The value of an expression that is converted to a type. A pointer can only become a truth value: otherwise it
    /// is refused with the given code, position, message and help.
    pub(super) fn lower_number(
        &mut self,
        (e, to): (ExprId, Option<Arith>),
        (info, at): (&CodeInfo, Pos),
        message: &str,
        help: &str,
    ) -> Lowered<Value> {
        if !self.l.unit.is_pointer(e) {
            return self.lower_expr(e);
        }
        if to != Some(Arith::Int(Int::Bool)) {
            return self.error(info, at, message, help);
        }
        let there = self.lower_condition(e)?;
        let depth = there.depth();
        Ok(Value::truth(there, depth))
    }

    /// The constant as an `integer` of the representation; refuses one that does not fit.
    pub(super) fn within_integer(&mut self, value: i128, e: ExprId) -> Lowered<i64> {
        match i64::try_from(value) {
            Ok(n) => Ok(n),
            Err(_) => {
                let at = self.l.unit.expr(e).at;
                let message = format!("{value} is too large here");
                self.error(&codes::VALUE, at, message, "use a number of 63 bits")
            }
        }
    }

    pub(super) fn error<T>(
        &mut self,
        info: &CodeInfo,
        at: Pos,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Lowered<T> {
        self.l.sink.error(info, at, message, help);
        Err(Failed)
    }

    /// Reports a failure unless some problem has been reported for it: nothing is left out in silence.
    pub(super) fn report_untold<T>(&mut self, done: &Lowered<T>, at: Pos) {
        if done.is_err() && !self.l.sink.found.has_errors() {
            let message = "a pointer is used here in a way that is not supported";
            let help = "use pointers to numbers and structures";
            self.l.sink.error(&codes::POINTER, at, message, help);
        }
    }

    fn declare_result(&mut self) {
        let unit = self.l.unit;
        let decl = unit.decl(unit.functions[self.function].decl);
        let Type::Function(signature) = &decl.ty.ty else {
            return;
        };
        if signature.variadic {
            let help = "give it a fixed number of parameters; arguments that are only printed, and change nothing, may be any number";
            let message = "functions with a variable number of arguments are not supported";
            self.l.sink.error(&codes::TYPE, decl.at, message, help);
        }
        match (&signature.result.ty, self.l.elem(&signature.result)) {
            (Type::Void, _) => {}
            (_, Some(elem)) => {
                // A structure that is refused has been reported.
                if let Ok(ty) = self.l.scalar_type(elem, decl.at) {
                    let name = self.free_name("result");
                    let v = self.f.result(name, ty);
                    self.result = Some((v, elem));
                }
            }
            _ if self.returns_memory() => {}
            _ => {
                let message = format!("{} returns {}", decl.name, signature.result.name());
                let help = "return a number, or write results through parameters";
                self.l.sink.error(&codes::TYPE, decl.at, message, help);
            }
        }
    }

    /// The name for a variable of the function: its own, unless another variable has it.
    pub(super) fn own_name(&mut self, d: DeclId) -> String {
        let name = Rc::clone(&self.l.unit.decl(d).name);
        self.later.remove(&name);
        self.free_name(&name)
    }

    /// Attaches the head of the function as it stands in the file.
    fn note_interface(&mut self) {
        let unit = self.l.unit;
        let Some(head) = self.l.interface.head(self.function) else {
            return;
        };
        let own = &unit.functions[self.function].parameters;
        // Parameters of a copy have the names of the original.
        let name = |d: &DeclId| &*unit.decl(*d).name;
        let places: HashMap<&str, usize> = own.iter().map(name).zip(0..).collect();
        let parameter = |given: &Given| {
            let variable = places.get(name(&given.decl));
            let variable = variable.and_then(|&k| self.f.get(VarId::new(k)));
            CParameter {
                name: unit.decl(given.decl).name.to_string(),
                variable: variable.map(|v| v.name.clone()),
                declared: given.declared(variable.is_none()),
            }
        };
        // A caller may keep and free a returned array, so it must be new in every case: null must not be returned
        // instead.
        let is_new = self.returned.is_some() && !self.returns_null;
        let result = match &head.result {
            Ok(text) if text.contains('*') && !is_new => {
                Err("it is a pointer that is not always to the beginning of new memory".to_owned())
            }
            declared => declared.clone(),
        };
        let head = CHead {
            result,
            parameters: head.parameters.iter().map(parameter).collect(),
            unshared: self.l.interface.unshared.clone(),
        };
        let mut annotations = None;
        head.note(&mut annotations);
        self.f.annotate(annotations);
    }

    /// A name that is free in the routine, and not that of a variable declared later.
    pub(super) fn free_name(&mut self, stem: &str) -> String {
        let mut name = stem.to_owned();
        // Smaller numbers are known to be taken, so the search starts behind the last one.
        let last = self.last_numbers.get(stem).copied();
        let mut k = last.unwrap_or(1);
        if last.is_some() {
            name = format!("{stem}_{k}");
        }
        while self.later.contains(&*name) || !self.names.insert(name.clone()) {
            k += 1;
            name = format!("{stem}_{k}");
        }
        if k > 1 {
            self.last_numbers.insert(stem.to_owned(), k);
        }
        name
    }

    /// Reserves the names of the function's variables.
    fn reserve_names(&mut self) {
        let own = self.later.iter().map(|name| &**name);
        for name in own.chain(self.l.global_names.iter().map(|name| &**name)) {
            if name.starts_with('t') {
                self.f.reserve(name);
            }
        }
    }

    /// Sets the span of the next vertex or statement.
    pub(super) fn set_span(&mut self) {
        if let Some(span) = self.span {
            self.f.span(span);
        }
    }

    pub(super) fn assign(&mut self, target: impl Into<Place>, value: impl Into<Expr>) {
        let (target, value) = (target.into(), value.into());
        self.set_span();
        if !self.passive.contains(&target.var) {
            self.f.assign(target, value);
            return;
        }
        let Some(ty) = self.f.get(target.var).map(|v| v.ty) else {
            return;
        };
        let passive = self.l.passive_routine(ty);
        self.f.call_function(target, passive, [value]);
    }

    /// Moves the value to a new variable.
    pub(super) fn store_temporary(&mut self, value: Value) -> Value {
        let t = self.f.temporary(value.scalar());
        let Value { e, ty, logical, .. } = value;
        self.assign(t, e);
        self.frozen.insert(t);
        Value {
            logical,
            ..Value::new(Expr::var(t), ty, 1)
        }
    }

    /// The value, moved to a variable if it is deep.
    pub(super) fn limit_depth(&mut self, value: Value) -> Value {
        if value.depth > 60 {
            self.store_temporary(value)
        } else {
            value
        }
    }

    /// The value, moved to a variable if a later evaluation may change it.
    pub(super) fn settle_value(&mut self, value: Value) -> Value {
        if value.constant.is_some() || self.is_stable(&value.e) {
            return value;
        }
        self.store_temporary(value)
    }

    pub(super) fn settled_index(&mut self, e: Expr) -> Expr {
        if self.is_stable(&e) {
            return e;
        }
        let t = self.f.temporary(ScalarType::Integer);
        self.assign(t, e);
        self.frozen.insert(t);
        Expr::var(t)
    }

    /// True if no call, no store through a pointer, and no other part of the same C expression can change the value.
    pub(super) fn is_stable(&self, e: &Expr) -> bool {
        let mut stable = true;
        e.walk_places(&mut |place| {
            stable &= place.subscripts.iter().all(|s| s.field().is_some());
            let local = self
                .f
                .get(place.var)
                .is_some_and(|v| v.rank() == 0 && !matches!(v.role, cfg_core::ir::Role::Global(_)));
            stable &= local;
        });
        stable
    }

    /// True if the value does not change as long as the variables are in scope.
    pub(super) fn is_frozen(&self, e: &Expr) -> bool {
        let mut frozen = true;
        e.walk_places(&mut |place| {
            frozen &= place.subscripts.is_empty() && self.frozen.contains(&place.var);
        });
        frozen
    }

    /// Declares independents and dependents: by default, all floating-point parameters, and the result or the
    /// parameters that are written.
    fn declare_active(&mut self) {
        let unit = self.l.unit;
        let of = &unit.functions[self.function];
        let mut independents = Vec::new();
        let mut written = Vec::new();
        for (k, d) in of.parameters.iter().enumerate() {
            let v = VarId::new(k);
            let Some(variable) = self.f.get(v) else {
                continue;
            };
            let program = self.l.program.program();
            let behind = program.leads_to_reals(variable.ty);
            if !behind && !program.has_reals(variable.ty) {
                continue;
            }
            let behind = behind || variable.rank() > 0;
            if !unit.decl(*d).passive {
                independents.push(v);
            } else if behind && self.l.facts.is_written(*d) {
                let name = &unit.decl(*d).name;
                let message = format!("{name} is written, and its derivative is taken to be 0");
                let help =
                    "take that of what is assigned to it to be 0, in a variable that is no array";
                let at = unit.decl(*d).at;
                self.l.sink.error(&codes::OPERAND, at, message, help);
            }
            if behind && self.l.facts.is_written(*d) {
                written.push(v);
            }
        }
        let dependents = match self.result {
            Some((v, _))
                if self.f.get(v).is_some_and(|r| {
                    let program = self.l.program.program();
                    program.has_reals(r.ty) || program.leads_to_reals(r.ty)
                }) =>
            {
                vec![v]
            }
            _ => written,
        };
        let (mut chosen, mut wanted) = (Vec::new(), Vec::new());
        for choice in self
            .l
            .choices
            .get(&self.function)
            .cloned()
            .unwrap_or_default()
        {
            if choice.role == Role::Passive {
                continue;
            }
            // Failures have been reported: the problems of all choices are.
            if let Ok(v) = self.resolve_choice(choice) {
                match choice.role {
                    Role::Dependent => wanted.push(v),
                    Role::Independent | Role::Passive => chosen.push(v),
                }
            }
        }
        let independents = if chosen.is_empty() {
            independents
        } else {
            chosen
        };
        let dependents = if wanted.is_empty() {
            dependents
        } else {
            wanted
        };
        self.f.independents(independents);
        self.f.dependents(dependents);
    }

    /// The variable that a pragma names.
    fn resolve_choice(&mut self, choice: &Choice) -> Lowered<VarId> {
        let unit = self.l.unit;
        let parameters = &unit.functions[self.function].parameters;
        let parameter = parameters
            .iter()
            .position(|d| unit.decl(*d).name == choice.name);
        let global = || {
            let mut all = self.l.globals.iter();
            let named = all.find(|(d, _)| {
                let decl = unit.decl(**d);
                decl.kind == crate::ast::DeclKind::Global && decl.name == choice.name
            });
            named.and_then(|(_, id)| *id)
        };
        let v = match (parameter, self.result) {
            (Some(k), _) => Some(VarId::new(k)),
            (None, Some((v, _))) if &*choice.name == "return" => Some(v),
            _ => match global() {
                Some(id) => {
                    let program = self.l.program.program();
                    let (base, _) = program.storage(id);
                    Some(self.f.global(program, base))
                }
                None => None,
            },
        };
        let Some(v) = v else {
            let message = format!("{} is no parameter of the function", choice.name);
            let help = "name parameters, globals that the function uses, or return";
            return self.error(&codes::UNKNOWN, choice.at, message, help);
        };
        let program = self.l.program.program();
        let real = (self.f.get(v)).is_some_and(|variable| {
            program.has_reals(variable.ty) || program.leads_to_reals(variable.ty)
        });
        if !real {
            let message = format!("{} is not of floating point", choice.name);
            return self.error(&codes::OPERAND, choice.at, message, "name real numbers");
        }
        Ok(v)
    }

    /// Runs `f` one level of recursion deeper; refuses expressions beyond the limit.
    pub(super) fn enter_level<T>(
        &mut self,
        e: ExprId,
        inner: impl FnOnce(&mut Self) -> Lowered<T>,
    ) -> Lowered<T> {
        if self.base + self.depth > 400 {
            let at = self.l.unit.expr(e).at;
            return self.error(&codes::LIMIT, at, "the expression is too deep", "split it");
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }
}
