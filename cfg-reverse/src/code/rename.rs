//! Renumbers the variables of a routine.

use cfg_core::{
    entity::VarId,
    ir::{
        Cfg, Expr, Extent, LoopTest, Place, Range, Routine, Selector, Stmt, StmtKind, Subscript,
        VertexKind,
    },
};

/// New numbers of variables: the parameters first, then the others as they were.
pub(crate) struct Rename {
    parameters: usize,
    map: Vec<VarId>,
}

impl Rename {
    /// For a routine that has so many variables by now; those that it gets later keep their numbers.
    pub(crate) fn parameters_first(variables: usize, parameters: &[VarId]) -> Self {
        let mut new = vec![None; variables];
        for (k, &v) in parameters.iter().enumerate() {
            new[v.index()] = Some(VarId::new(k));
        }
        let mut next = parameters.len();
        let number = |slot: Option<VarId>| {
            slot.unwrap_or_else(|| {
                next += 1;
                VarId::new(next - 1)
            })
        };
        Self {
            parameters: parameters.len(),
            map: new.into_iter().map(number).collect(),
        }
    }

    /// Everything but the graph. The roles of the parameters are set already.
    pub(crate) fn declarations(&self, routine: &mut Routine) {
        routine.parameters = self.parameters;
        let old = std::mem::take(&mut routine.variables);
        let mut variables: Vec<_> = (old.into_iter().enumerate())
            .map(|(v, variable)| (self.of(VarId::new(v)), variable))
            .collect();
        variables.sort_by_key(|(v, _)| *v);
        let variables = variables.into_iter().map(|(_, variable)| variable);
        routine.variables = variables.collect();
        for variable in &mut routine.variables {
            for dim in &mut variable.shape {
                self.expr(&mut dim.lower);
                if let Extent::Fixed(e) = &mut dim.extent {
                    self.expr(e);
                }
            }
        }
        let lists = routine.independents.iter_mut();
        let lists = lists.chain(&mut routine.dependents);
        for v in lists.chain(&mut routine.result) {
            self.var(v);
        }
    }

    pub(crate) fn graph(&self, cfg: &mut Cfg) {
        for vertex in cfg.vertices_mut() {
            self.vertex(&mut vertex.kind);
        }
    }

    fn of(&self, v: VarId) -> VarId {
        self.map.get(v.index()).copied().unwrap_or(v)
    }

    fn var(&self, v: &mut VarId) {
        *v = self.of(*v);
    }

    pub(crate) fn vertex(&self, kind: &mut VertexKind) {
        match kind {
            VertexKind::Entry | VertexKind::Exit | VertexKind::EndLoop | VertexKind::EndBranch => {}
            VertexKind::Block(statements) => {
                for s in statements {
                    self.stmt(s);
                }
            }
            VertexKind::Loop { test, .. } => self.test(test),
            VertexKind::Branch(selector) => match selector.as_mut() {
                Selector::Condition(e) | Selector::Cases { value: e, .. } => self.expr(e),
            },
        }
    }

    pub(crate) fn test(&self, test: &mut LoopTest) {
        match test {
            LoopTest::Pre(e) | LoopTest::Post(e) => self.expr(e),
            LoopTest::Counted {
                index,
                first,
                last,
                step,
            } => {
                self.var(index);
                self.expr(first);
                self.expr(last);
                self.expr(step);
            }
        }
    }

    pub(crate) fn stmt(&self, statement: &mut Stmt) {
        match &mut statement.kind {
            StmtKind::Assign { target, value } => {
                self.place(target);
                self.expr(value);
            }
            StmtKind::Call {
                callee: _,
                arguments,
                result,
            } => {
                for e in arguments.iter_mut().flatten() {
                    self.expr(e);
                }
                if let Some(place) = result {
                    self.place(place);
                }
            }
            StmtKind::Push {
                tape,
                class: _,
                value,
            } => {
                self.var(tape);
                self.expr(value);
            }
            StmtKind::Pop {
                tape,
                class: _,
                target,
            } => {
                self.var(tape);
                self.place(target);
            }
            StmtKind::Opaque {
                text: _,
                reads,
                writes,
            } => {
                for v in reads.iter_mut().chain(writes.iter_mut()) {
                    self.var(v);
                }
            }
        }
    }

    fn place(&self, place: &mut Place) {
        self.var(&mut place.var);
        for s in &mut place.subscripts {
            match s {
                Subscript::Index(e) => self.expr(e),
                Subscript::Range(range) => {
                    let Range {
                        lower,
                        upper,
                        stride,
                    } = range.as_mut();
                    for e in [lower, upper, stride].into_iter().flatten() {
                        self.expr(e);
                    }
                }
            }
        }
    }

    fn expr(&self, e: &mut Expr) {
        match e {
            Expr::Int(_) | Expr::Real(_) | Expr::Real32(_) | Expr::Logical(_) => {}
            Expr::Place(place) => self.place(place),
            Expr::Op(_, operands) => {
                for e in operands.iter_mut() {
                    self.expr(e);
                }
            }
        }
    }
}
