//! Renumbers the variables of a routine.

use cfg_core::{
    entity::VarId,
    ir::{
        Expr, Extent, LoopTest, Place, Range, Routine, Selector, Stmt, StmtKind, Subscript,
        VertexKind,
    },
};

/// The same routine with these variables as its parameters, in this order. Their roles are set already.
pub(crate) fn parameters_first(mut routine: Routine, parameters: &[VarId]) -> Routine {
    let n = routine.variables.len();
    let mut new = vec![None; n];
    for (k, &v) in parameters.iter().enumerate() {
        new[v.index()] = Some(VarId::new(k));
    }
    let mut next = parameters.len();
    let mut map = Vec::with_capacity(n);
    for slot in new {
        map.push(slot.unwrap_or_else(|| {
            next += 1;
            VarId::new(next - 1)
        }));
    }
    routine.parameters = parameters.len();
    let mut variables: Vec<_> = std::mem::take(&mut routine.variables)
        .into_iter()
        .enumerate()
        .map(|(v, variable)| (map[v], variable))
        .collect();
    variables.sort_by_key(|(v, _)| *v);
    routine.variables = variables
        .into_iter()
        .map(|(_, variable)| variable)
        .collect();
    let rename = Rename { map: &map };
    for variable in &mut routine.variables {
        for dim in &mut variable.shape {
            rename.expr(&mut dim.lower);
            if let Extent::Fixed(e) = &mut dim.extent {
                rename.expr(e);
            }
        }
    }
    for v in routine
        .independents
        .iter_mut()
        .chain(&mut routine.dependents)
        .chain(&mut routine.result)
    {
        *v = map[v.index()];
    }
    if let Some(cfg) = &mut routine.body {
        for vertex in cfg.vertices_mut() {
            rename.vertex(&mut vertex.kind);
        }
    }
    routine
}

struct Rename<'m> {
    map: &'m [VarId],
}

impl Rename<'_> {
    fn var(&self, v: &mut VarId) {
        *v = self.map[v.index()];
    }

    fn vertex(&self, kind: &mut VertexKind) {
        match kind {
            VertexKind::Entry | VertexKind::Exit | VertexKind::EndLoop | VertexKind::EndBranch => {}
            VertexKind::Block(statements) => {
                for s in statements {
                    self.stmt(s);
                }
            }
            VertexKind::Loop { test, .. } => match test.as_mut() {
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
            },
            VertexKind::Branch(selector) => match selector.as_mut() {
                Selector::Condition(e) | Selector::Cases { value: e, .. } => self.expr(e),
            },
        }
    }

    fn stmt(&self, statement: &mut Stmt) {
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
