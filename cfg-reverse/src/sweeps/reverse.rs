//! The reverse sweep of one routine.

use cfg_core::{
    diagnostic::Diagnostics,
    entity::{EdgeId, VarId, VertexId},
    ir::{
        Arm, CaseRange, ControlWidth, Expr, Intent, LoopForm, NameRole, Op, Place, Role, Routine,
        ScalarType, Selector, Stmt, TapeClass, VertexKind,
    },
};
use std::collections::HashMap;

use crate::{
    code::{
        expressions::{array_of_zeros, extent_of, zero},
        names::Namer,
        routines::{add_local, is_deferred},
        rows::Rows,
    },
    control::{
        general,
        structured::{self, AdjointCode},
        trace,
    },
    plan::{adjoints::StatementAdjoint, shape::Shape},
    sweeps::{
        LoopVariables, Sweeps, finish, loop_local, unused::without_unused,
        zeros::without_known_zeros,
    },
};

pub(crate) struct Reverse<'a, 'b, 'p> {
    pub(super) sweeps: &'a Sweeps<'b, 'p>,
    /// The first of the globals that only callees name and that are popped.
    pub(super) globals: usize,
    /// Adjoint of every statement, until its block is written.
    pub(super) adjoints: Rows<StatementAdjoint>,
    namer: Namer,
    /// The variables of loops that have some, by header.
    loops: HashMap<VertexId, LoopVariables>,
    routine: Routine,
    pub(super) branch_id: Option<VarId>,
}

/// A routine with a reverse sweep, without known zeros, and without temporaries that nothing names. `originals`: the
/// number of variables of the original.
pub(crate) fn simplified(routine: Routine, originals: usize) -> Routine {
    without_unused(without_known_zeros(routine), originals)
}

impl<'p> Sweeps<'_, 'p> {
    /// The reverse sweep: parameters, result, adjoints, tape.
    pub(crate) fn reverse(
        &self,
        name: String,
        statements: Rows<StatementAdjoint>,
    ) -> Result<Routine, Diagnostics> {
        let routine = self.reverse_with_zeros(name, statements)?;
        Ok(simplified(routine, self.draft.originals))
    }

    /// The reverse sweep in which every adjoint is incremented, and set to 0 where its variable is overwritten.
    pub(crate) fn reverse_with_zeros(
        &self,
        name: String,
        statements: Rows<StatementAdjoint>,
    ) -> Result<Routine, Diagnostics> {
        let original = self.original();
        let mut routine = self.reverse_declarations();
        let branch_id = match self.draft.shape {
            Shape::Structured(_) => (self.draft.cfg.vertices()).any(|(v, vertex)| {
                matches!(vertex.kind, VertexKind::Branch(_))
                    && self.provisions.is_live(v)
                    && !self.draft.carried.has(v)
                    && self.provisions.evaluated_again(v).is_none()
            }),
            Shape::General(_) if self.context.trace => true,
            Shape::General(g) => (self.draft.cfg.vertices()).any(|(v, _)| {
                g.groups(self.draft.cfg, v)
                    .iter()
                    .any(|ways| ways.len() > 1)
            }),
        };
        let mut namer = self.draft.scope.namer.clone();
        let branch_id = branch_id.then(|| {
            let name = namer.fresh_name("branchId".to_owned());
            add_local(&mut routine, name, ScalarType::Integer, NameRole::Marker)
        });
        let mut code = Reverse {
            globals: self
                .provisions
                .callee_globals
                .declare(self.context, &mut routine),
            sweeps: self,
            adjoints: statements,
            namer,
            loops: HashMap::new(),
            routine,
            branch_id,
        };
        let cfg = match self.draft.shape {
            Shape::Structured(s) => (
                structured::adjoint_graph(self.draft.cfg, s, &mut code)?,
                true,
            ),
            Shape::General(g) if self.context.trace => {
                (trace::adjoint_graph(self.draft.cfg, g, &mut code), false)
            }
            Shape::General(g) => general::adjoint_graph(self.draft.cfg, g, &mut code)?,
        };
        Ok(finish(
            code.routine,
            cfg,
            name,
            &self.draft.reverse_parameters,
            original,
            NameRole::Reverse,
        ))
    }

    /// The reverse sweep without name and graph.
    pub(crate) fn reverse_declarations(&self) -> Routine {
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
        routine
    }

    /// The adjoint of a block. Moves the adjoints of the statements out of `adjoints`.
    pub(super) fn adjoint_block(
        &self,
        v: VertexId,
        adjoints: &mut [StatementAdjoint],
        globals: usize,
    ) -> Vec<Stmt> {
        let statements = self.draft.cfg.vertex(v).statements();
        let of_callees = self.provisions.callee_globals.saves(v);
        if let ([statement], [adjoint]) = (statements, &mut *adjoints)
            && adjoint.after_pops
            && adjoint.before_pops.is_empty()
            && self.provisions.save_count(v) <= 1
            && self.provisions.undone(v).next().is_none()
            && of_callees.is_empty()
        {
            // A block of one statement takes over the code of its adjoint, with at most one pop in front.
            let mut out = std::mem::take(&mut adjoint.code);
            out.reserve_exact(self.provisions.save_count(v));
            self.provisions.each_save(v, |_, place| {
                out.insert(0, self.pop(self.tape_class(place.var), place.clone()));
            });
            if let Some(first) = out.first_mut() {
                first.annotations.clone_from(&statement.annotations);
            }
            let mark = self.draft.mark(v, 0);
            out.iter_mut().for_each(|s| mark.put(s));
            return out;
        }
        let mut pops: Vec<(usize, Stmt)> = Vec::with_capacity(self.provisions.save_count(v));
        self.provisions.each_save(v, |i, place| {
            pops.push((i, self.pop(self.tape_class(place.var), place.clone())));
        });
        for (i, target, inverse) in self.provisions.undone(v) {
            pops.push((i, Stmt::assign(target.clone(), inverse.clone())));
        }
        for &(i, k) in of_callees {
            let target = Place::whole(VarId::new(globals + k));
            pops.push((i, self.pop(self.class_of_global(k), target)));
        }
        // The sort is stable: of one statement, its own variables come first.
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
            let mark = self.draft.mark(v, i);
            out[at..].iter_mut().for_each(|s| mark.put(s));
        }
        out
    }
}

impl Reverse<'_, '_, '_> {
    pub(super) fn declare_local(
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
}

impl AdjointCode for Reverse<'_, '_, '_> {
    fn is_left_out(&self, header: VertexId) -> bool {
        !self.sweeps.provisions.is_live(header)
    }

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
                if let Some(selector) = s.provisions.evaluated_again(branch) {
                    return VertexKind::Branch(Box::new(selector.clone()));
                }
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
                let adjoints = self.adjoints.row_mut(v);
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
        } else if self.stepped(header, true).is_some() || self.counts_behind(header) {
            out.extend(self.count_trips(header));
        }
        out.extend(self.pop_bounds(header));
        out.extend(self.values_behind(header));
        out
    }

    fn loop_body(&mut self, header: VertexId) -> Vec<Stmt> {
        self.index_in_body(header, true)
    }

    fn loop_entry(&mut self, header: VertexId, entry: EdgeId) -> Vec<Stmt> {
        let s = self.sweeps;
        s.index_saved_on(header, entry)
            .map(|index| s.pop(s.tape_class(index), Place::whole(index)))
            .into_iter()
            .collect()
    }

    fn marker(&mut self, end_branch: VertexId) -> Vec<Stmt> {
        let s = self.sweeps;
        let branch = s.draft.shape.partner(end_branch);
        if s.provisions.evaluated_again(branch).is_some() {
            return Vec::new();
        }
        self.branch_id
            .map(|id| s.pop(s.marker_class(branch), Place::whole(id)))
            .into_iter()
            .collect()
    }

    fn is_passed_over(&self, v: VertexId) -> bool {
        self.sweeps.draft.carried.has(v)
    }

    fn region(&mut self, exit: EdgeId) -> Option<(EdgeId, Vec<Stmt>)> {
        let s = self.sweeps;
        let number = s.draft.carried.left_by(exit)?;
        let region = &s.draft.carried.regions[number];
        let saved = s.provisions.before_region(number).iter().rev();
        let pops = saved.map(|place| s.pop(s.tape_class(place.var), place.clone()));
        let adjoint = region.adjoint.iter().cloned().chain(pops).collect();
        Some((region.entry, adjoint))
    }

    fn routine_exit(&mut self) -> Vec<Stmt> {
        let s = self.sweeps;
        let original = s.original();
        let mut out: Vec<Stmt> = Vec::new();
        let mut extents: Vec<VarId> = Vec::new();
        for (v, places, rank) in s.dying().into_iter().rev() {
            while extents.len() < rank {
                let name = self.namer.numbered("extent");
                let n = add_local(
                    &mut self.routine,
                    name,
                    ScalarType::Integer,
                    NameRole::Extent,
                );
                extents.push(n);
            }
            for &n in extents[..rank].iter().rev() {
                out.push(s.pop(TapeClass::Integer, Place::whole(n)));
            }
            if rank > 0 {
                let shape = extents[..rank].iter().map(|&n| Expr::var(n));
                let blank = array_of_zeros(original.variable(v).ty, shape);
                out.push(Stmt::assign(Place::whole(v), blank));
            }
            for place in places.into_iter().rev() {
                out.push(s.pop(s.tape_class(v), place));
            }
        }
        for (v, b) in s.draft.scope.derivative.iter().enumerate() {
            let variable = &original.variables[v];
            if let (Some(b), Role::Local) = (b, variable.role)
                && original.result != Some(VarId::new(v))
            {
                let v = VarId::new(v);
                let start = if is_deferred(variable) {
                    let extents = (0..variable.rank()).map(|k| extent_of(v, k));
                    array_of_zeros(variable.ty, extents)
                } else {
                    zero(variable.ty)
                };
                out.push(Stmt::assign(Place::whole(*b), start));
            }
        }
        out
    }
}
