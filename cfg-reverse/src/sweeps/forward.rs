//! The forward sweep of one routine.

use cfg_core::{
    dataflow::Position,
    diagnostic::Diagnostics,
    entity::{EdgeId, VarId, VertexId},
    ir::{
        ControlWidth, Expr, Intent, LoopTest, NameRole, Op, Place, Role, Routine, ScalarType,
        Selector, Stmt, TapeClass, VertexKind,
    },
};
use std::collections::HashMap;

use crate::{
    code::{
        expressions::extent_of,
        names::Namer,
        routines::{add_local, routine_shell},
    },
    control::{
        general,
        structured::{self, ForwardCode},
        trace,
    },
    plan::shape::Shape,
    sweeps::{LoopVariables, Sweeps, finish, loop_local, unused::without_unused},
};

pub(crate) struct Forward<'a, 'b, 'p> {
    pub(super) sweeps: &'a Sweeps<'b, 'p>,
    /// The first of the globals that only callees name and that are pushed.
    globals: usize,
    /// The ordinals of the labels of multi-way branches, filled for a branch at the first request.
    ordinals: HashMap<(VertexId, i64), i64>,
    /// Pushes in the block that is written, with the statement that each stands before.
    pushes: Vec<(usize, Stmt)>,
    namer: Namer,
    /// The variables of loops that have some, by header.
    loops: HashMap<VertexId, LoopVariables>,
    /// The variable that says which edge out of several loops is taken, if edges share the ways out.
    way: Option<VarId>,
    routine: Routine,
}

impl<'p> Sweeps<'_, 'p> {
    /// The forward sweep: parameters, result, tape.
    pub(crate) fn forward(&self, name: String) -> Result<Routine, Diagnostics> {
        let original = self.original();
        let mut routine = self.forward_declarations();
        let mut code = Forward {
            globals: self
                .provisions
                .callee_globals
                .declare(self.context, &mut routine),
            sweeps: self,
            ordinals: HashMap::new(),
            pushes: Vec::new(),
            namer: self.draft.namer.clone(),
            loops: HashMap::new(),
            way: None,
            routine,
        };
        let cfg = match self.draft.shape {
            Shape::Structured(s) => (
                structured::forward_graph(self.draft.cfg, s, &mut code)?,
                true,
            ),
            Shape::General(g) if self.context.trace => {
                (trace::forward_graph(self.draft.cfg, g, &mut code), false)
            }
            Shape::General(g) => general::forward_graph(self.draft.cfg, g, &mut code)?,
        };
        let routine = finish(
            code.routine,
            cfg,
            name,
            &self.draft.forward_parameters,
            original,
            NameRole::Forward,
        );
        Ok(without_unused(routine, self.draft.originals))
    }
}

impl Sweeps<'_, '_> {
    /// The forward sweep without name and graph.
    pub(crate) fn forward_declarations(&self) -> Routine {
        let original = self.original();
        let mut routine = routine_shell(original);
        routine
            .variables
            .clone_from(&self.draft.forward.routine.variables);
        if let Some(result) = original.result {
            routine.variables[result.index()].role = out_parameter();
        }
        routine
    }
}

fn out_parameter() -> Role {
    Role::Parameter {
        intent: Intent::Out,
        optional: false,
    }
}

impl<'p> Forward<'_, '_, 'p> {
    pub(super) fn way_out(&mut self) -> VarId {
        *self.way.get_or_insert_with(|| {
            let name = self.namer.fresh_name("way".to_owned());
            add_local(
                &mut self.routine,
                name,
                ScalarType::Integer,
                NameRole::WayOut,
            )
        })
    }

    fn local(
        &mut self,
        header: VertexId,
        base: &str,
        origin: NameRole,
        slot: impl Fn(&mut LoopVariables) -> &mut Option<VarId>,
    ) -> VarId {
        let id = self.sweeps.draft.cfg.vertex(header).id;
        let slot = slot(self.loops.entry(header).or_default());
        loop_local(slot, id, base, origin, &mut self.namer, &mut self.routine)
    }

    pub(super) fn counter(&mut self, header: VertexId) -> VarId {
        self.local(header, "ctr", NameRole::Counter, |l| &mut l.counter)
    }

    /// The variables that keep first and step of a counted loop, each with its expression.
    fn bounds(&mut self, header: VertexId) -> Vec<(VarId, &'p Expr)> {
        let plan = self.sweeps.plan(header);
        let mut out = Vec::new();
        if !plan.first && !plan.step {
            return out;
        }
        if let Some(LoopTest::Counted { first, step, .. }) = self.sweeps.test(header) {
            if plan.first {
                let v = self.local(header, "first", NameRole::LoopBound, |l| &mut l.first);
                out.push((v, first));
            }
            if plan.step {
                let v = self.local(header, "step", NameRole::LoopBound, |l| &mut l.step);
                out.push((v, step));
            }
        }
        out
    }

    /// Keeps the bounds that are to be recorded in variables, before the loop.
    pub(super) fn note_bounds(&mut self, header: VertexId) -> Vec<Stmt> {
        let bounds = self.bounds(header).into_iter();
        bounds
            .map(|(v, e)| Stmt::assign(Place::whole(v), e.clone()))
            .collect()
    }

    /// Records the bounds of a counted loop, behind the loop.
    pub(super) fn push_bounds(&mut self, header: VertexId) -> Vec<Stmt> {
        let bounds = self.bounds(header).into_iter();
        bounds
            .map(|(v, _)| self.sweeps.push(TapeClass::Integer, Expr::var(v)))
            .collect()
    }

    /// The marker that is recorded of the arm with this label: the label of a two-way branch, else the ordinal.
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
        let VertexKind::Block(statements) = &vertex.kind else {
            return vertex.kind.clone();
        };
        s.provisions.each_save(v, |i, place| {
            let push = s.push(s.tape_class(place.var), Expr::Place(place.clone()));
            self.pushes.push((i, push));
        });
        for &(i, k) in s.provisions.callee_globals.saves(v) {
            let value = Expr::var(VarId::new(self.globals + k));
            self.pushes.push((i, s.push(s.class_of_global(k), value)));
        }
        // The sort is stable: of one statement, its own variables come first.
        self.pushes.sort_by_key(|push| push.0);
        let mut out = Vec::with_capacity(statements.len() + self.pushes.len());
        let mut pushes = self.pushes.drain(..).peekable();
        for (i, statement) in statements.iter().enumerate() {
            let start = out.len();
            while let Some((_, push)) = pushes.next_if(|p| p.0 == i) {
                out.push(push);
            }
            let at = Position {
                vertex: v,
                statement: i,
            };
            match &s.draft.code.row(v)[i].forward {
                None if s.draft.left_out.contains(&at) => {}
                Some(forward) => {
                    for (k, f) in forward.iter().enumerate() {
                        out.push(Stmt {
                            annotations: if k == 0 {
                                statement.annotations.clone()
                            } else {
                                None
                            },
                            at: f.at.clone(),
                            ..Stmt::new(f.kind.clone())
                        });
                    }
                }
                None => out.push(statement.clone()),
            }
            let mark = s.draft.mark(v, i);
            out[start..].iter_mut().for_each(|s| mark.put(s));
        }
        VertexKind::Block(out)
    }

    fn loop_exit(&mut self, header: VertexId) -> Vec<Stmt> {
        if !self.sweeps.provisions.is_live(header) {
            return Vec::new();
        }
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
            out.push(
                self.sweeps
                    .push(self.sweeps.tape_class(index), Expr::var(index)),
            );
        }
        if !self.sweeps.provisions.is_live(header) {
            return out;
        }
        out.extend(self.note_bounds(header));
        if plan.counter {
            let counter = self.counter(header);
            out.push(Stmt::assign(Place::whole(counter), Expr::Int(0)));
        }
        out
    }

    fn loop_end(&mut self, header: VertexId) -> Vec<Stmt> {
        if !self.sweeps.plan(header).counter || !self.sweeps.provisions.is_live(header) {
            return Vec::new();
        }
        let counter = self.counter(header);
        let value = Expr::op(Op::Add, [Expr::var(counter), Expr::Int(1)]);
        vec![Stmt::assign(Place::whole(counter), value)]
    }

    fn arm_end(&mut self, branch: VertexId, label: i64) -> Vec<Stmt> {
        let s = self.sweeps;
        if !s.provisions.is_live(branch) || s.provisions.evaluated_again(branch).is_some() {
            return Vec::new();
        }
        let marker = self.marker(branch, label);
        vec![s.push(s.marker_class(branch), Expr::Int(marker))]
    }

    fn is_passed_over(&self, v: VertexId) -> bool {
        self.sweeps.draft.carried.has(v)
    }

    fn region_entry(&mut self, e: EdgeId) -> Vec<Stmt> {
        let s = self.sweeps;
        let Some(region) = s.draft.carried.entered_by(e) else {
            return Vec::new();
        };
        let saved = s.provisions.before_region(region).iter();
        let pushes = saved.map(|p| s.push(s.tape_class(p.var), Expr::Place(p.clone())));
        let start = s.draft.carried.regions[region].start.iter().cloned();
        pushes.chain(start).collect()
    }

    fn region_exit(&mut self, e: EdgeId) -> Vec<Stmt> {
        let carried = &self.sweeps.draft.carried;
        let region = carried.left_by(e).map(|k| &carried.regions[k]);
        region.map_or(Vec::new(), |region| region.pushes.clone())
    }

    fn routine_exit(&mut self) -> Vec<Stmt> {
        let s = self.sweeps;
        let mut out = Vec::new();
        for (v, places, extents) in s.dying() {
            for place in places {
                out.push(s.push(s.tape_class(v), Expr::Place(place)));
            }
            for k in 0..extents {
                out.push(s.push(TapeClass::Integer, extent_of(v, k)));
            }
        }
        out
    }
}
