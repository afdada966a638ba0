//! Two routines, side by side: parameters by position, variables of the user by name, graphs from ENTRY on.

use super::{Comparison, Difference, Pairs, Variables, differ, equal, header, role};
use cfg_core::entity::{EdgeId, RoutineId, VarId, VertexId};
use cfg_core::ir::{
    Cfg, Expr, External, Intent, LoopTest, Origin, Place, Role, Routine, Selector, Stmt, StmtKind,
    Variable, VertexKind,
};
use cfg_core::text::{self, Printer};

/// Compares two routines that are a pair.
pub(super) fn compare(
    program: &mut Comparison<'_>,
    r: RoutineId,
    s: RoutineId,
) -> Result<(), Difference> {
    let (a, b) = (program.a.routine(r), program.b.routine(s));
    let mut bodies = Bodies {
        a,
        b,
        program,
        variables: Variables::default(),
    };
    bodies.run()
}

struct Bodies<'c, 'p> {
    a: &'p Routine,
    b: &'p Routine,
    program: &'c mut Comparison<'p>,
    variables: Variables,
}

impl<'p> Bodies<'_, 'p> {
    fn run(&mut self) -> Result<(), Difference> {
        let (a, b) = (self.a, self.b);
        let at = || format!("routine {}", a.name);
        equal(at, &role(&a.origin), &role(&b.origin))?;
        if a.origin.is_none() {
            equal(at, &a.name, &b.name)?;
        }
        equal(|| format!("{}, control", at()), &a.control, &b.control)?;
        equal(|| format!("{}, aliased", at()), &a.aliased, &b.aliased)?;
        equal(
            || format!("{}, annotations", at()),
            &a.annotations,
            &b.annotations,
        )?;
        equal(
            || format!("{}, variables", at()),
            &a.variables.len(),
            &b.variables.len(),
        )?;
        self.list("parameters", &a.parameters, &b.parameters)?;
        let list = |v: &Option<VarId>| v.iter().copied().collect::<Vec<_>>();
        self.list("result", &list(&a.result), &list(&b.result))?;
        for k in a.non_parameter_ids() {
            let v = a.variable(k);
            if v.origin.is_some() {
                continue;
            }
            match b.find_variable(&v.name) {
                Some(w) => self.pair(k, w)?,
                None => return differ(format!("{}, variables", at()), &v.name, "no such variable"),
            }
        }
        self.list("independents", &a.independents, &b.independents)?;
        self.list("dependents", &a.dependents, &b.dependents)?;
        self.derivatives()?;
        self.external()?;
        match (&a.body, &b.body) {
            (Some(f), Some(g)) => self.graphs(f, g)?,
            (f, g) => equal(|| format!("{}, body", at()), &f.is_some(), &g.is_some())?,
        }
        self.declarations()?;
        // Generated variables without a use: those of one kind are interchangeable.
        let kind = |v: &Variable| {
            let words = v.origin.as_ref().map(|o| o.role.clone());
            let role = std::mem::discriminant(&v.role);
            (
                words,
                v.ty.name(),
                v.rank(),
                role,
                v.intent().map(Intent::name),
            )
        };
        for (k, v) in a.variables.iter().enumerate() {
            if self.variables.pairs.there.contains_key(&k) {
                continue;
            }
            let left = b.variables.iter().enumerate().filter(|(w, other)| {
                !self.variables.pairs.back.contains_key(w) && kind(other) == kind(v)
            });
            let closest = left.min_by_key(|(_, w)| {
                let differs = (w.annotations != v.annotations, w.shape != v.shape);
                (differs, w.name != v.name)
            });
            match closest {
                Some((w, _)) => self.pair(VarId::new(k), VarId::new(w))?,
                None => return differ(format!("{}, variables", at()), &v.name, "no such variable"),
            }
        }
        self.declarations()
    }

    fn pair(&mut self, v: VarId, w: VarId) -> Result<(), Difference> {
        match self.variables.bind(v, w) {
            true => Ok(()),
            false => {
                let at = format!("routine {}, variables", self.a.name);
                differ(at, &self.a.variable(v).name, &self.b.variable(w).name)
            }
        }
    }

    fn list(&mut self, what: &str, a: &[VarId], b: &[VarId]) -> Result<(), Difference> {
        equal(
            || format!("routine {}, {what}", self.a.name),
            &a.len(),
            &b.len(),
        )?;
        a.iter().zip(b).try_for_each(|(&v, &w)| self.pair(v, w))
    }

    /// Declarations of variables that have become pairs.
    fn declarations(&mut self) -> Result<(), Difference> {
        while let Some((v, w)) = self.variables.todo.pop() {
            let (x, y) = (self.a.variable(v), self.b.variable(w));
            let at = || format!("routine {}, variable {}", self.a.name, x.name);
            header(at, x, y)?;
            let at = at();
            if !self.variables.shapes(&x.shape, &y.shape) {
                return differ(at, &x.shape, &y.shape);
            }
            if let (Role::Global(g), Role::Global(h)) = (x.role, y.role) {
                self.program.global(g, h)?;
            }
        }
        Ok(())
    }

    fn derivatives(&mut self) -> Result<(), Difference> {
        let given = |r: &Routine| {
            let d = r.derivatives.as_ref();
            [d.and_then(|d| d.tangent), d.and_then(|d| d.adjoint)]
        };
        for (r, s) in given(self.a).into_iter().zip(given(self.b)) {
            match (r, s) {
                (Some(r), Some(s)) => self.program.routine(r, s)?,
                (r, s) => {
                    let at = || format!("routine {}, derivatives", self.a.name);
                    equal(at, &r.is_some(), &s.is_some())?;
                }
            }
        }
        Ok(())
    }

    fn external(&mut self) -> Result<(), Difference> {
        let at = format!("routine {}, external", self.a.name);
        let (x, y) = match (&self.a.external, &self.b.external) {
            (Some(x), Some(y)) => (x, y),
            (None, None) => return Ok(()),
            (x, y) => return differ(at, x.is_some(), y.is_some()),
        };
        // A list of pairs without an order.
        let by_parameter = |external: &External| {
            let mut partials = external.partials.clone();
            if let Some(list) = &mut partials {
                list.sort_by_key(|p| p.parameter);
            }
            partials
        };
        let partials = match (by_parameter(x), by_parameter(y)) {
            (Some(p), Some(q)) => {
                p.len() == q.len()
                    && (p.iter().zip(&q)).all(|(p, q)| {
                        self.variables.bind(p.parameter, q.parameter)
                            && self.variables.exprs(&p.value, &q.value)
                    })
            }
            (p, q) => p.is_none() && q.is_none(),
        };
        match partials && self.variables.options(x.value.as_ref(), y.value.as_ref()) {
            true => Ok(()),
            false => differ(at, x, y),
        }
    }

    /// Both graphs from ENTRY, along edges of the same label; what cannot be reached, by id.
    fn graphs(&mut self, f: &Cfg, g: &Cfg) -> Result<(), Difference> {
        let at = || format!("routine {}, graph", self.a.name);
        equal(
            || format!("{}, vertices", at()),
            &f.vertex_count(),
            &g.vertex_count(),
        )?;
        equal(
            || format!("{}, edges", at()),
            &f.edge_count(),
            &g.edge_count(),
        )?;
        let mut met = Pairs::default();
        let mut todo: Vec<(VertexId, VertexId)> = f.entry().zip(g.entry()).into_iter().collect();
        let mut others = f.vertices();
        loop {
            let Some((v, w)) = todo.pop() else {
                let left = others.find(|(v, _)| !met.there.contains_key(&v.index()));
                let Some((v, vertex)) = left else {
                    return Ok(());
                };
                let there = g.vertices().find(|(_, other)| other.id == vertex.id);
                let Some((w, _)) = there else {
                    return differ(at(), vertex.id, "no such vertex");
                };
                todo.push((v, w));
                continue;
            };
            let (pair, new) = met.bind(v.index(), w.index());
            if !pair {
                let at = format!(
                    "routine {}, edges into vertex {}",
                    self.a.name,
                    f.vertex(v).id
                );
                return differ(at, f.vertex(v).id, g.vertex(w).id);
            }
            if !new {
                continue;
            }
            self.vertex(f, g, v, w)?;
            let ordered = |cfg: &Cfg, v: VertexId| {
                let mut edges = cfg.out_edges(v).to_vec();
                edges.sort_by_key(|&e| cfg.edge(e).label);
                edges
            };
            let (mut out, to) = (ordered(f, v), ordered(g, w));
            let at = || {
                format!(
                    "routine {}, edges out of vertex {}",
                    self.a.name,
                    f.vertex(v).id
                )
            };
            equal(at, &out.len(), &to.len())?;
            out.reverse();
            for (&e, &h) in out.iter().zip(to.iter().rev()) {
                self.edge(f, g, e, h)?;
                todo.push((f.edge(e).to, g.edge(h).to));
            }
        }
    }

    fn edge(&self, f: &Cfg, g: &Cfg, e: EdgeId, h: EdgeId) -> Result<(), Difference> {
        let (x, y) = (f.edge(e), g.edge(h));
        let from = f.vertex(x.from);
        let at = || format!("routine {}, an edge out of vertex {}", self.a.name, from.id);
        equal(at, &x.label, &y.label)?;
        equal(at, &x.annotations, &y.annotations)?;
        // Ids of edges of generated routines were generated with them.
        match self.a.origin {
            None => equal(at, &x.id, &y.id),
            Some(_) => Ok(()),
        }
    }

    fn vertex(&mut self, f: &Cfg, g: &Cfg, v: VertexId, w: VertexId) -> Result<(), Difference> {
        let (x, y) = (f.vertex(v), g.vertex(w));
        let at = || format!("routine {}, vertex {}", self.a.name, x.id);
        let place = |o: &Option<Origin>| o.map(|o| (o.role, o.vertex));
        equal(at, &x.vertex_type(), &y.vertex_type())?;
        equal(at, &x.checkpoint, &y.checkpoint)?;
        equal(at, &place(&x.origin), &place(&y.origin))?;
        equal(at, &x.annotations, &y.annotations)?;
        if x.origin.is_none() && self.a.origin.is_none() {
            equal(at, &x.id, &y.id)?;
        }
        let at = at();
        match (&x.kind, &y.kind) {
            (VertexKind::Block(a), VertexKind::Block(b)) => {
                for (k, (s, t)) in a.iter().zip(b).enumerate() {
                    self.statement(&format!("{at}, statement {}", k + 1), s, t)?;
                }
                equal(|| format!("{at}, statements"), &a.len(), &b.len())
            }
            (VertexKind::Loop { test: a, .. }, VertexKind::Loop { test: b, .. }) => {
                match self.tests(a, b) {
                    true => Ok(()),
                    false => self.decisions(at, x, y),
                }
            }
            (VertexKind::Branch(a), VertexKind::Branch(b)) => {
                let same = match (&**a, &**b) {
                    (Selector::Condition(a), Selector::Condition(b)) => self.variables.exprs(a, b),
                    (
                        Selector::Cases { value: a, arms: s },
                        Selector::Cases { value: b, arms: t },
                    ) => {
                        let by_label = |arms: &[cfg_core::ir::Arm]| {
                            let mut arms = arms.to_vec();
                            arms.sort_by_key(|arm| arm.label);
                            arms
                        };
                        by_label(s) == by_label(t) && self.variables.exprs(a, b)
                    }
                    (Selector::Condition(_) | Selector::Cases { .. }, _) => false,
                };
                match same {
                    true => Ok(()),
                    false => self.decisions(at, x, y),
                }
            }
            // The vertices have one type, as was checked above, and no contents.
            _ => Ok(()),
        }
    }

    fn tests(&mut self, a: &LoopTest, b: &LoopTest) -> bool {
        match (a, b) {
            (LoopTest::Pre(a), LoopTest::Pre(b)) | (LoopTest::Post(a), LoopTest::Post(b)) => {
                self.variables.exprs(a, b)
            }
            (
                LoopTest::Counted {
                    index,
                    first,
                    last,
                    step,
                },
                LoopTest::Counted {
                    index: j,
                    first: from,
                    last: to,
                    step: by,
                },
            ) => {
                let own = &mut self.variables;
                own.bind(*index, *j)
                    && own.exprs(first, from)
                    && own.exprs(last, to)
                    && own.exprs(step, by)
            }
            (LoopTest::Pre(_) | LoopTest::Post(_) | LoopTest::Counted { .. }, _) => false,
        }
    }

    /// The message for two vertices that decide otherwise.
    fn decisions(
        &self,
        at: String,
        x: &cfg_core::ir::Vertex,
        y: &cfg_core::ir::Vertex,
    ) -> Result<(), Difference> {
        Err(Difference {
            at,
            a: format!(
                "`{}`",
                Printer::new(self.program.a, self.a).display_decision(x)
            ),
            b: format!(
                "`{}`",
                Printer::new(self.program.b, self.b).display_decision(y)
            ),
        })
    }

    fn statement(&mut self, at: &str, s: &Stmt, t: &Stmt) -> Result<(), Difference> {
        if self.statements(s, t)? && s.annotations == t.annotations {
            return Ok(());
        }
        Err(Difference {
            at: at.to_owned(),
            a: format!("`{}`", text::stmt_text(self.a, self.program.a, s)),
            b: format!("`{}`", text::stmt_text(self.b, self.program.b, t)),
        })
    }

    fn statements(&mut self, s: &Stmt, t: &Stmt) -> Result<bool, Difference> {
        let own = &mut self.variables;
        let whole = |v: &VarId| Place::whole(*v);
        Ok(match (&s.kind, &t.kind) {
            (
                StmtKind::Assign { target, value },
                StmtKind::Assign {
                    target: to,
                    value: of,
                },
            ) => own.places(target, to) && own.exprs(value, of),
            (
                StmtKind::Call {
                    callee,
                    arguments,
                    result,
                },
                StmtKind::Call {
                    callee: called,
                    arguments: given,
                    result: to,
                },
            ) => {
                let pair =
                    |(a, b): (&Option<Expr>, &Option<Expr>)| own.options(a.as_ref(), b.as_ref());
                let same = arguments.len() == given.len() && arguments.iter().zip(given).all(pair);
                let same = same
                    && match (result, to) {
                        (Some(a), Some(b)) => self.variables.places(a, b),
                        (a, b) => a.is_none() && b.is_none(),
                    };
                if same {
                    self.program.routine(*callee, *called)?;
                }
                same
            }
            (
                StmtKind::Push { tape, class, value },
                StmtKind::Push {
                    tape: on,
                    class: other,
                    value: of,
                },
            ) => own.bind(*tape, *on) && class == other && own.exprs(value, of),
            (
                StmtKind::Pop {
                    tape,
                    class,
                    target,
                },
                StmtKind::Pop {
                    tape: from,
                    class: other,
                    target: to,
                },
            ) => own.bind(*tape, *from) && class == other && own.places(target, to),
            (
                StmtKind::Opaque {
                    text,
                    reads,
                    writes,
                },
                StmtKind::Opaque {
                    text: other,
                    reads: r,
                    writes: w,
                },
            ) => {
                let mut all = |a: &[VarId], b: &[VarId]| {
                    a.len() == b.len()
                        && a.iter()
                            .zip(b)
                            .all(|(v, u)| own.places(&whole(v), &whole(u)))
                };
                text == other && all(reads, r) && all(writes, w)
            }
            (StmtKind::Stop { text }, StmtKind::Stop { text: other }) => text == other,
            (
                StmtKind::Allocate {
                    pointer,
                    count,
                    zeroed,
                },
                StmtKind::Allocate {
                    pointer: to,
                    count: of,
                    zeroed: other,
                },
            ) => own.places(pointer, to) && own.exprs(count, of) && zeroed == other,
            (StmtKind::Free { pointer }, StmtKind::Free { pointer: to }) => own.places(pointer, to),
            (
                StmtKind::Resize { pointer, count },
                StmtKind::Resize {
                    pointer: to,
                    count: of,
                },
            ) => own.places(pointer, to) && own.exprs(count, of),
            (
                StmtKind::Assign { .. }
                | StmtKind::Call { .. }
                | StmtKind::Push { .. }
                | StmtKind::Pop { .. }
                | StmtKind::Opaque { .. }
                | StmtKind::Stop { .. }
                | StmtKind::Allocate { .. }
                | StmtKind::Free { .. }
                | StmtKind::Resize { .. },
                _,
            ) => false,
        })
    }
}
