//! The forward and the reverse sweep of one routine.

mod general;
mod loops;

use cfg_core::{
    diagnostic::Diagnostics,
    entity::{EdgeId, VarId, VertexId},
    ir::{
        Arm, CaseRange, Cfg, Control, ControlWidth, Expr, Intent, LoopForm, LoopTest, Op, Place,
        Role, Routine, ScalarType, Selector, Stmt, StmtKind, TapeClass, VertexKind,
    },
};

use std::collections::HashMap;

use crate::{
    control::{self, AdjointCode, ForwardCode},
    control_general,
    draft::{self, Context, Draft, Shape, class_of, routine_shell},
    linearize::zero,
    loop_plan::LoopPlan,
    names::Namer,
    normalize::add_local,
    plan::{Tbr, dying},
    rename::Rename,
    rows::Rows,
    statement::StatementAdjoint,
    trace,
};

/// What both sweeps of a routine share.
pub(crate) struct Sweeps<'a, 'p> {
    pub(crate) context: &'p Context,
    pub(crate) draft: &'a Draft<'p>,
    pub(crate) tbr: &'a Tbr<'a>,
}

/// Variables of one loop in one sweep.
#[derive(Clone, Copy, Default)]
struct LoopVariables {
    counter: Option<VarId>,
    index: Option<VarId>,
    first: Option<VarId>,
    step: Option<VarId>,
    point: Option<VarId>,
    state: Option<VarId>,
}

impl<'p> Sweeps<'_, 'p> {
    fn original(&self) -> &'p Routine {
        self.context.program.routine(self.draft.id)
    }

    /// A push of the forward sweep.
    fn push(&self, class: TapeClass, value: Expr) -> Stmt {
        let mut push = Stmt::new(StmtKind::Push {
            tape: self.draft.tape,
            class,
            value,
        });
        self.draft.forward_numbers.stmt(&mut push);
        push
    }

    /// A pop of the reverse sweep.
    fn pop(&self, class: TapeClass, target: Place) -> Stmt {
        let mut pop = Stmt::new(StmtKind::Pop {
            tape: self.draft.tape,
            class,
            target,
        });
        self.draft.reverse_numbers.stmt(&mut pop);
        pop
    }

    /// An assignment of the reverse sweep.
    fn assign(&self, target: Place, value: Expr) -> Stmt {
        let mut assign = Stmt::assign(target, value);
        self.draft.reverse_numbers.stmt(&mut assign);
        assign
    }

    fn class(&self, v: VarId) -> TapeClass {
        class_of(self.original().variable(v).ty)
    }

    /// Of the k-th global that only callees name and that is pushed.
    fn class_of_global(&self, k: usize) -> TapeClass {
        let g = self.tbr.callee_globals.saved[k];
        class_of(self.context.program.global(g).variable.ty)
    }

    fn plan(&self, header: VertexId) -> LoopPlan {
        self.draft.loops[header.index()].unwrap_or(LoopPlan::CONDITION)
    }

    fn test(&self, header: VertexId) -> Option<&'p LoopTest> {
        match &self.draft.cfg.vertex(header).kind {
            VertexKind::Loop { test, .. } => Some(test),
            VertexKind::Entry
            | VertexKind::Exit
            | VertexKind::Block(_)
            | VertexKind::EndLoop
            | VertexKind::Branch(_)
            | VertexKind::EndBranch => None,
        }
    }

    /// The index of a counted loop, if its value is to be saved on this edge into the loop.
    fn index_saved_on(&self, header: VertexId, entry: EdgeId) -> Option<VarId> {
        if !self.tbr.is_index_needed(entry) {
            return None;
        }
        match self.test(header)? {
            LoopTest::Counted { index, .. } => Some(*index),
            LoopTest::Pre(_) | LoopTest::Post(_) => None,
        }
    }

    /// Control bits that tell the arms of a branch apart.
    fn marker_class(&self, branch: VertexId) -> TapeClass {
        let arms = self.draft.cfg.out_edges(branch).len().max(2);
        let bits = usize::BITS - (arms - 1).leading_zeros();
        TapeClass::Control(ControlWidth::Bits(bits as u8))
    }

    fn selector(&self, branch: VertexId) -> Option<&'p Selector> {
        match &self.draft.cfg.vertex(branch).kind {
            VertexKind::Branch(selector) => Some(selector),
            VertexKind::Entry
            | VertexKind::Exit
            | VertexKind::Block(_)
            | VertexKind::Loop { .. }
            | VertexKind::EndLoop
            | VertexKind::EndBranch => None,
        }
    }

    /// The adjoint of a block, from those of its statements, which are taken.
    fn adjoint_block(
        &self,
        v: VertexId,
        adjoints: &mut [StatementAdjoint],
        globals: usize,
    ) -> Vec<Stmt> {
        let statements = self.draft.cfg.vertex(v).statements();
        let of_callees = self.tbr.callee_globals.saves(v);
        if let ([statement], [adjoint]) = (statements, &mut *adjoints)
            && adjoint.after_pops
            && adjoint.before_pops.is_empty()
            && self.tbr.save_count(v) <= 1
            && of_callees.is_empty()
        {
            // Its code is the block.
            let mut out = std::mem::take(&mut adjoint.code);
            out.reserve_exact(self.tbr.save_count(v));
            self.tbr.each_save(v, |_, place| {
                out.insert(0, self.pop(self.class(place.var), place.clone()));
            });
            if let Some(first) = out.first_mut() {
                first.annotations.clone_from(&statement.annotations);
            }
            return out;
        }
        let mut pops: Vec<(usize, Stmt)> = Vec::with_capacity(self.tbr.save_count(v));
        self.tbr.each_save(v, |i, place| {
            pops.push((i, self.pop(self.class(place.var), place.clone())));
        });
        for &(i, k) in of_callees {
            let target = Place::whole(VarId::new(globals + k));
            pops.push((i, self.pop(self.class_of_global(k), target)));
        }
        // Each statement's own variables first.
        pops.sort_by_key(|pop| pop.0);
        let size = adjoints.iter().map(|a| a.before_pops.len() + a.code.len());
        let mut out = Vec::with_capacity(size.sum::<usize>() + pops.len());
        for (i, (statement, adjoint)) in statements.iter().zip(adjoints).enumerate().rev() {
            let at = out.len();
            out.append(&mut adjoint.before_pops);
            let code = std::mem::take(&mut adjoint.code);
            let (before, after) = match adjoint.after_pops {
                true => (Vec::new(), code),
                false => (code, Vec::new()),
            };
            out.extend(before);
            while let Some((_, pop)) = pops.pop_if(|p| p.0 == i) {
                out.push(pop);
            }
            out.extend(after);
            if let Some(first) = out.get_mut(at) {
                first.annotations.clone_from(&statement.annotations);
            }
        }
        out
    }

    /// The forward sweep: parameters, result, tape.
    pub(crate) fn forward(&self, name: String) -> Result<Routine, Diagnostics> {
        let original = self.original();
        let mut routine = routine_shell(original);
        routine
            .variables
            .clone_from(&self.draft.forward.routine.variables);
        if let Some(result) = original.result {
            routine.variables[result.index()].role = out_parameter();
        }
        let mut code = Forward {
            globals: self.tbr.callee_globals.declare(self.context, &mut routine),
            sweeps: self,
            ordinals: HashMap::new(),
            pushes: Vec::new(),
            namer: self.draft.namer.clone(),
            loops: HashMap::new(),
            way: None,
            routine,
        };
        let cfg = match self.draft.shape {
            Shape::Structured(s) => (control::forward_graph(self.draft.cfg, s, &mut code)?, true),
            Shape::General(g) if self.context.trace => {
                (trace::forward_graph(self.draft.cfg, g, &mut code)?, false)
            }
            Shape::General(g) => control_general::forward_graph(self.draft.cfg, g, &mut code)?,
        };
        let numbers = &self.draft.forward_numbers;
        let routine = finish(code.routine, cfg, name, numbers, original, "forward");
        Ok(routine)
    }

    /// The reverse sweep: parameters, result, adjoints, tape.
    pub(crate) fn reverse(
        &self,
        name: String,
        statements: Rows<StatementAdjoint>,
    ) -> Result<Routine, Diagnostics> {
        let original = self.original();
        let mut routine = self.draft.scope.routine.clone();
        let primal: Vec<VarId> = original.parameter_ids().chain(original.result).collect();
        let adjoints = (primal.iter()).filter_map(|v| self.draft.scope.derivative[v.index()]);
        for &v in &primal {
            if let Role::Parameter { intent, optional } = routine.variables[v.index()].role {
                let intent = if intent.writes() {
                    Intent::InOut
                } else {
                    intent
                };
                routine.variables[v.index()].role = Role::Parameter { intent, optional };
            }
        }
        for b in adjoints.chain(original.result) {
            let optional = matches!(
                routine.variables[b.index()].role,
                Role::Parameter { optional: true, .. }
            );
            routine.variables[b.index()].role = Role::Parameter {
                intent: Intent::InOut,
                optional,
            };
        }
        let branch_id = match self.draft.shape {
            Shape::Structured(_) => (self.draft.cfg.vertices())
                .any(|(_, vertex)| matches!(vertex.kind, VertexKind::EndBranch)),
            Shape::General(_) if self.context.trace => true,
            Shape::General(g) => (self.draft.cfg.vertices()).any(|(v, _)| {
                g.groups(self.draft.cfg, v)
                    .iter()
                    .any(|ways| ways.len() > 1)
            }),
        };
        let mut namer = self.draft.scope.namer.clone();
        let branch_id = branch_id.then(|| {
            let name = namer.suffixed("branchId".to_owned());
            add_local(&mut routine, name, ScalarType::Integer, "marker")
        });
        let mut code = Reverse {
            globals: self.tbr.callee_globals.declare(self.context, &mut routine),
            sweeps: self,
            adjoints: statements,
            namer,
            loops: HashMap::new(),
            routine,
            branch_id,
        };
        let cfg = match self.draft.shape {
            Shape::Structured(s) => (control::adjoint_graph(self.draft.cfg, s, &mut code)?, true),
            Shape::General(g) if self.context.trace => {
                (trace::adjoint_graph(self.draft.cfg, g, &mut code)?, false)
            }
            Shape::General(g) => control_general::adjoint_graph(self.draft.cfg, g, &mut code)?,
        };
        let numbers = &self.draft.reverse_numbers;
        let routine = finish(code.routine, cfg, name, numbers, original, "reverse");
        Ok(routine)
    }
}

/// A local for a loop, made on first use and named after the loop's vertex.
fn loop_local(
    slot: &mut Option<VarId>,
    id: i64,
    base: &str,
    origin: &'static str,
    namer: &mut Namer,
    routine: &mut Routine,
) -> VarId {
    *slot.get_or_insert_with(|| {
        let name = namer.suffixed(format!("{base}_{}", id.unsigned_abs()));
        add_local(routine, name, ScalarType::Integer, origin)
    })
}

fn out_parameter() -> Role {
    Role::Parameter {
        intent: Intent::Out,
        optional: false,
    }
}

struct Forward<'a, 'b, 'p> {
    sweeps: &'a Sweeps<'b, 'p>,
    /// The first of the globals that only callees name and that are pushed.
    globals: usize,
    /// The ordinals of the labels of multi-way branches, once one was asked for.
    ordinals: HashMap<(VertexId, i64), i64>,
    /// Of the block that is written: before which statement.
    pushes: Vec<(usize, Stmt)>,
    namer: Namer,
    /// By header: those that have some.
    loops: HashMap<VertexId, LoopVariables>,
    /// Which edge leaves several loops, if they share the ways out.
    way: Option<VarId>,
    routine: Routine,
}

impl<'p> Forward<'_, '_, 'p> {
    fn way_out(&mut self) -> VarId {
        *self.way.get_or_insert_with(|| {
            let name = self.namer.suffixed("way".to_owned());
            add_local(&mut self.routine, name, ScalarType::Integer, "way out")
        })
    }

    fn local(
        &mut self,
        header: VertexId,
        base: &str,
        origin: &'static str,
        slot: impl Fn(&mut LoopVariables) -> &mut Option<VarId>,
    ) -> VarId {
        let id = self.sweeps.draft.cfg.vertex(header).id;
        let slot = slot(self.loops.entry(header).or_default());
        loop_local(slot, id, base, origin, &mut self.namer, &mut self.routine)
    }

    fn counter(&mut self, header: VertexId) -> VarId {
        self.local(header, "ctr", "counter", |l| &mut l.counter)
    }

    /// The variables in which first and step of a counted loop are kept, and these.
    fn bounds(&mut self, header: VertexId) -> Vec<(VarId, &'p Expr)> {
        let plan = self.sweeps.plan(header);
        let mut out = Vec::new();
        if !plan.first && !plan.step {
            return out;
        }
        if let Some(LoopTest::Counted { first, step, .. }) = self.sweeps.test(header) {
            if plan.first {
                let v = self.local(header, "first", "loop bound", |l| &mut l.first);
                out.push((v, first));
            }
            if plan.step {
                let v = self.local(header, "step", "loop bound", |l| &mut l.step);
                out.push((v, step));
            }
        }
        out
    }

    /// Keeps the bounds that are to be recorded; before the loop.
    fn note_bounds(&mut self, header: VertexId) -> Vec<Stmt> {
        let bounds = self.bounds(header).into_iter();
        bounds
            .map(|(v, e)| {
                let mut note = Stmt::assign(Place::whole(v), e.clone());
                self.sweeps.draft.forward_numbers.stmt(&mut note);
                note
            })
            .collect()
    }

    /// Records them; after the loop.
    fn push_bounds(&mut self, header: VertexId) -> Vec<Stmt> {
        let bounds = self.bounds(header).into_iter();
        bounds
            .map(|(v, _)| self.sweeps.push(TapeClass::Integer, Expr::var(v)))
            .collect()
    }

    /// What is recorded of the arm with this label: the label of a two-way branch, else the ordinal.
    fn marker(&mut self, branch: VertexId, label: i64) -> i64 {
        let Some(Selector::Cases { arms, .. }) = self.sweeps.selector(branch) else {
            return label;
        };
        if !self.ordinals.contains_key(&(branch, label)) {
            let arms = arms.iter().enumerate();
            self.ordinals
                .extend(arms.map(|(k, arm)| ((branch, arm.label), k as i64)));
        }
        self.ordinals.get(&(branch, label)).copied().unwrap_or(0)
    }
}

impl ForwardCode for Forward<'_, '_, '_> {
    fn copy(&mut self, v: VertexId) -> VertexKind {
        let s = self.sweeps;
        let vertex = s.draft.cfg.vertex(v);
        let numbers = &s.draft.forward_numbers;
        let VertexKind::Block(statements) = &vertex.kind else {
            let mut kind = vertex.kind.clone();
            numbers.vertex(&mut kind);
            return kind;
        };
        s.tbr.each_save(v, |i, place| {
            let push = s.push(s.class(place.var), Expr::Place(place.clone()));
            self.pushes.push((i, push));
        });
        for &(i, k) in s.tbr.callee_globals.saves(v) {
            let value = Expr::var(VarId::new(self.globals + k));
            self.pushes.push((i, s.push(s.class_of_global(k), value)));
        }
        // Each statement's own variables first.
        self.pushes.sort_by_key(|push| push.0);
        let mut out = Vec::with_capacity(statements.len() + self.pushes.len());
        let mut pushes = self.pushes.drain(..).peekable();
        for (i, statement) in statements.iter().enumerate() {
            while let Some((_, push)) = pushes.next_if(|p| p.0 == i) {
                out.push(push);
            }
            let first = out.len();
            match &s.draft.code.of(v)[i].forward {
                Some(forward) => {
                    for (k, f) in forward.iter().enumerate() {
                        out.push(Stmt {
                            kind: f.kind.clone(),
                            annotations: if k == 0 {
                                statement.annotations.clone()
                            } else {
                                None
                            },
                        });
                    }
                }
                None => out.push(statement.clone()),
            }
            out[first..].iter_mut().for_each(|s| numbers.stmt(s));
        }
        VertexKind::Block(out)
    }

    fn loop_exit(&mut self, header: VertexId) -> Vec<Stmt> {
        let plan = self.sweeps.plan(header);
        let mut out = self.push_bounds(header);
        if plan.counter {
            let counter = self.counter(header);
            out.push(
                self.sweeps
                    .push(TapeClass::Control(ControlWidth::Count), Expr::var(counter)),
            );
        }
        out
    }

    fn loop_entry(&mut self, header: VertexId, entry: EdgeId) -> Vec<Stmt> {
        let plan = self.sweeps.plan(header);
        let mut out = Vec::new();
        if let Some(index) = self.sweeps.index_saved_on(header, entry) {
            out.push(self.sweeps.push(self.sweeps.class(index), Expr::var(index)));
        }
        out.extend(self.note_bounds(header));
        if plan.counter {
            let counter = self.counter(header);
            out.push(Stmt::assign(Place::whole(counter), Expr::Int(0)));
        }
        out
    }

    fn loop_end(&mut self, header: VertexId) -> Vec<Stmt> {
        if !self.sweeps.plan(header).counter {
            return Vec::new();
        }
        let counter = self.counter(header);
        let value = Expr::op(Op::Add, [Expr::var(counter), Expr::Int(1)]);
        vec![Stmt::assign(Place::whole(counter), value)]
    }

    fn arm_end(&mut self, branch: VertexId, label: i64) -> Vec<Stmt> {
        let s = self.sweeps;
        let marker = self.marker(branch, label);
        vec![s.push(s.marker_class(branch), Expr::Int(marker))]
    }

    fn routine_exit(&mut self) -> Vec<Stmt> {
        let s = self.sweeps;
        let mut out = Vec::new();
        for (v, places, extents) in dying(s.context, s.draft, s.tbr) {
            for place in places {
                out.push(s.push(s.class(v), Expr::Place(place)));
            }
            for k in 0..extents {
                out.push(s.push(TapeClass::Integer, draft::size(v, k)));
            }
        }
        out
    }
}

struct Reverse<'a, 'b, 'p> {
    sweeps: &'a Sweeps<'b, 'p>,
    /// The first of the globals that only callees name and that are popped.
    globals: usize,
    /// Of every statement, until its block is written.
    adjoints: Rows<StatementAdjoint>,
    namer: Namer,
    /// By header: those that have some.
    loops: HashMap<VertexId, LoopVariables>,
    routine: Routine,
    branch_id: Option<VarId>,
}

impl Reverse<'_, '_, '_> {
    fn local(
        &mut self,
        header: VertexId,
        base: &str,
        origin: &'static str,
        slot: impl Fn(&mut LoopVariables) -> &mut Option<VarId>,
    ) -> VarId {
        let id = self.sweeps.draft.cfg.vertex(header).id;
        let slot = slot(self.loops.entry(header).or_default());
        loop_local(slot, id, base, origin, &mut self.namer, &mut self.routine)
    }
}

impl AdjointCode for Reverse<'_, '_, '_> {
    fn adjoint(&mut self, v: VertexId) -> VertexKind {
        let s = self.sweeps;
        match &s.draft.cfg.vertex(v).kind {
            VertexKind::Entry => VertexKind::Exit,
            VertexKind::Exit => VertexKind::Entry,
            VertexKind::Loop { .. } => VertexKind::EndLoop,
            VertexKind::Branch(_) => VertexKind::EndBranch,
            VertexKind::EndLoop => {
                let header = s.draft.shape.partner(v);
                VertexKind::Loop {
                    form: LoopForm::ForLoop,
                    test: Box::new(self.for_loop(header, s.plan(header).counter, true, 1)),
                }
            }
            VertexKind::EndBranch => {
                let branch = s.draft.shape.partner(v);
                let id = self.branch_id.map_or(Expr::Int(0), Expr::var);
                VertexKind::Branch(Box::new(match s.selector(branch) {
                    Some(Selector::Cases { arms, .. }) => Selector::Cases {
                        value: id,
                        arms: arms
                            .iter()
                            .enumerate()
                            .map(|(ordinal, arm)| Arm {
                                label: arm.label,
                                cases: Box::new([CaseRange {
                                    lower: Some(ordinal as i64),
                                    upper: Some(ordinal as i64),
                                }]),
                                default: false,
                            })
                            .collect(),
                    },
                    Some(Selector::Condition(_)) | None => {
                        Selector::Condition(Expr::op(Op::Eq, [id, Expr::Int(1)]))
                    }
                }))
            }
            VertexKind::Block(_) => {
                let adjoints = self.adjoints.of_mut(v);
                VertexKind::Block(s.adjoint_block(v, adjoints, self.globals))
            }
        }
    }

    fn loop_exit(&mut self, header: VertexId) -> Vec<Stmt> {
        let plan = self.sweeps.plan(header);
        let mut out = Vec::new();
        if plan.counter {
            let bound = self.bound(header);
            out.push(
                self.sweeps
                    .pop(TapeClass::Control(ControlWidth::Count), Place::whole(bound)),
            );
        } else if self.stepped(header, true).is_some() {
            out.extend(self.count_trips(header));
        }
        out.extend(self.pop_bounds(header));
        out
    }

    fn loop_body(&mut self, header: VertexId) -> Vec<Stmt> {
        self.index_in_body(header, true)
    }

    fn loop_entry(&mut self, header: VertexId, entry: EdgeId) -> Vec<Stmt> {
        let s = self.sweeps;
        s.index_saved_on(header, entry)
            .map(|index| s.pop(s.class(index), Place::whole(index)))
            .into_iter()
            .collect()
    }

    fn marker(&mut self, end_branch: VertexId) -> Vec<Stmt> {
        let s = self.sweeps;
        let branch = s.draft.shape.partner(end_branch);
        self.branch_id
            .map(|id| s.pop(s.marker_class(branch), Place::whole(id)))
            .into_iter()
            .collect()
    }

    fn routine_exit(&mut self) -> Vec<Stmt> {
        let s = self.sweeps;
        let original = s.original();
        let mut out: Vec<Stmt> = Vec::new();
        let mut extents: Vec<VarId> = Vec::new();
        for (v, places, rank) in dying(s.context, s.draft, s.tbr).into_iter().rev() {
            while extents.len() < rank {
                let name = self.namer.numbered("extent");
                let n = add_local(&mut self.routine, name, ScalarType::Integer, "extent");
                extents.push(n);
            }
            for &n in extents[..rank].iter().rev() {
                out.push(s.pop(TapeClass::Integer, Place::whole(n)));
            }
            if rank > 0 {
                let shape = extents[..rank].iter().map(|&n| Expr::var(n));
                let blank = draft::fill(original.variable(v).ty, shape);
                out.push(s.assign(Place::whole(v), blank));
            }
            for place in places.into_iter().rev() {
                out.push(s.pop(s.class(v), place));
            }
        }
        for (v, b) in s.draft.scope.derivative.iter().enumerate() {
            let variable = &original.variables[v];
            if let (Some(b), Role::Local) = (b, variable.role)
                && original.result != Some(VarId::new(v))
            {
                let v = VarId::new(v);
                let start = if draft::is_deferred(variable) {
                    let extents = (0..variable.rank()).map(|k| draft::size(v, k));
                    draft::fill(variable.ty, extents)
                } else {
                    zero(variable.ty)
                };
                out.push(s.assign(Place::whole(*b), start));
            }
        }
        out
    }
}

/// Puts the parameters first, as it has been done in the graph, and attaches that; `structured`: it nests.
fn finish(
    mut routine: Routine,
    (cfg, structured): (Cfg, bool),
    name: String,
    numbers: &Rename,
    original: &Routine,
    what: &str,
) -> Routine {
    routine.origin = Some(Box::new((original.name.clone(), what.to_owned())));
    routine.name = name;
    routine.body = Some(cfg);
    routine.control = match structured {
        true => Control::Structured,
        false => Control::General,
    };
    routine.result = None;
    numbers.declarations(&mut routine);
    routine
}
