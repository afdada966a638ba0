//! The ranges of the reverse loops: a count of passes, or the values of an index backwards.

use cfg_core::{
    entity::{VarId, VertexId},
    flat::{Constant, FlatExpr},
    ir::{Expr, LoopTest, NameRole, Op, Place, Role, Stmt, TapeClass},
};

use crate::{
    plan::{counters::runs_backwards, steps::increment::of_word},
    sweeps::reverse::Reverse,
};

impl<'p> Reverse<'_, '_, 'p> {
    pub(super) fn bound(&mut self, header: VertexId) -> VarId {
        self.declare_local(header, "rBound", NameRole::TripCount, |l| &mut l.counter)
    }

    /// True if a value behind a loop is computed from the number of its passes.
    pub(super) fn counts_behind(&self, header: VertexId) -> bool {
        let mut computed = self.sweeps.provisions.computed_behind(header).iter();
        computed.any(|value| value.per_pass.is_some())
    }

    /// Computes the values that variables have behind a loop and that the reverse sweep steps back in it.
    pub(super) fn values_behind(&mut self, header: VertexId) -> Vec<Stmt> {
        let mut out = Vec::new();
        for computed in self.sweeps.provisions.computed_behind(header) {
            let value = match &computed.per_pass {
                None => computed.value.clone(),
                Some(per_pass) => {
                    let passes = Expr::var(self.bound(header));
                    let all = match *per_pass == Expr::Int(1) {
                        true => passes,
                        false => Expr::op(Op::WrapMul, [passes, per_pass.clone()]),
                    };
                    let value = match computed.value == Expr::Int(0) {
                        true => all,
                        false => Expr::op(Op::WrapAdd, [computed.value.clone(), all]),
                    };
                    of_word(self.sweeps.original().variable(computed.variable).ty, value)
                }
            };
            out.push(Stmt::assign(Place::whole(computed.variable), value));
        }
        out
    }

    /// Restores the bounds that were recorded.
    pub(super) fn pop_bounds(&mut self, header: VertexId) -> Vec<Stmt> {
        let plan = self.sweeps.plan(header);
        let mut bounds = Vec::new();
        if plan.step {
            bounds.push(self.declare_local(header, "step", NameRole::LoopBound, |l| &mut l.step));
        }
        if plan.first {
            bounds.push(self.declare_local(header, "first", NameRole::LoopBound, |l| &mut l.first));
        }
        let pop = |v| self.sweeps.pop(TapeClass::Integer, Place::whole(v));
        bounds.into_iter().map(pop).collect()
    }

    /// First, last and step of a counted loop whose FORLOOP counts its passes although the index is read, since its
    /// values backwards may not fit, or since the index is a global that the reverse sweep restores in the body: see
    /// [`Reverse::index_in_body`]. `complete`: the loop is left at its header only.
    pub(super) fn stepped(&self, header: VertexId, complete: bool) -> Option<[&'p Expr; 3]> {
        if !self.sweeps.plan(header).index {
            return None;
        }
        match self.sweeps.test(header)? {
            LoopTest::Counted {
                index,
                first,
                last,
                step,
            } => {
                let restored = match self.sweeps.original().variable(*index).role {
                    Role::Global(g) => self.sweeps.context.summary.is_restored(g),
                    Role::Parameter { .. } | Role::Local => false,
                };
                let counts = restored || !runs_backwards(first, last, step, complete);
                counts.then_some([first, last, step])
            }
            LoopTest::Pre(_) | LoopTest::Post(_) => None,
        }
    }

    /// `rBound := trips(first, last, step)`.
    pub(super) fn count_trips(&mut self, header: VertexId) -> Option<Stmt> {
        let bound = Place::whole(self.bound(header));
        match self.sweeps.test(header)? {
            LoopTest::Counted {
                first, last, step, ..
            } => {
                let trips = Expr::op(Op::Trips, [first.clone(), last.clone(), step.clone()]);
                Some(Stmt::assign(bound, trips))
            }
            LoopTest::Pre(_) | LoopTest::Post(_) => None,
        }
    }

    /// First and step of a counted loop, or the variables that they were popped to.
    fn first_and_step(&mut self, header: VertexId, first: &Expr, step: &Expr) -> [Expr; 2] {
        let plan = self.sweeps.plan(header);
        let first = match plan.first {
            true => Expr::var(
                self.declare_local(header, "first", NameRole::LoopBound, |l| &mut l.first),
            ),
            false => first.clone(),
        };
        let step = match plan.step {
            true => {
                Expr::var(self.declare_local(header, "step", NameRole::LoopBound, |l| &mut l.step))
            }
            false => step.clone(),
        };
        [first, step]
    }

    /// Sets the index at the start of the body of a FORLOOP that counts passes: `first + (rBound - rCtr)*step`. A
    /// large multiple of the step is added in halves: then every product, and every sum, fits 64 bits if the index
    /// does.
    pub(super) fn index_in_body(&mut self, header: VertexId, complete: bool) -> Vec<Stmt> {
        let index = self.sweeps.draft.cfg.vertex(header).kind.index();
        let (Some(index), Some([first, _, step])) = (index, self.stepped(header, complete)) else {
            return Vec::new();
        };
        let [first, step] = self.first_and_step(header, first, step);
        let counter = self.declare_local(header, "rCtr", NameRole::LoopCounter, |l| &mut l.index);
        let (bound, counter) = (Expr::var(self.bound(header)), Expr::var(counter));
        let passes = Expr::op(Op::Sub, [bound, counter]);
        let times = |n: Expr| Expr::op(Op::Mul, [n, step.clone()]);
        let value = match FlatExpr::view(&step) {
            FlatExpr::Constant(Constant::Int(1)) => Expr::op(Op::Add, [first, passes]),
            FlatExpr::Constant(Constant::Int(-1)) => Expr::op(Op::Sub, [first, passes]),
            FlatExpr::Constant(Constant::Int(-1024..=1024)) => {
                Expr::op(Op::Add, [first, times(passes)])
            }
            FlatExpr::Constant(_) | FlatExpr::Place(_) | FlatExpr::Op(..) => {
                let half = times(Expr::op(Op::Div, [passes.clone(), Expr::Int(2)]));
                let odd = times(Expr::op(Op::Mod, [passes, Expr::Int(2)]));
                Expr::op(Op::Add, [first, half.clone(), half, odd])
            }
        };
        vec![Stmt::assign(Place::whole(index), value)]
    }

    /// The FORLOOP that runs the adjoint body: over rCtr = from..rBound, or, for a counted loop, over its
    /// own index from the last value it had in the body back to the first. `bound`: the number of passes
    /// is a variable. `complete`: the loop is left at its header only.
    pub(super) fn for_loop(
        &mut self,
        header: VertexId,
        bound: bool,
        complete: bool,
        from: i64,
    ) -> LoopTest {
        let plan = self.sweeps.plan(header);
        let counts = !plan.index || self.stepped(header, complete).is_some();
        let Some(LoopTest::Counted {
            index,
            first,
            last,
            step,
        }) = self.sweeps.test(header).filter(|_| !counts)
        else {
            let index = self.declare_local(header, "rCtr", NameRole::LoopCounter, |l| &mut l.index);
            let last = match self.stepped(header, complete) {
                Some([first, last, step]) if !bound => {
                    Expr::op(Op::Trips, [first, last, step].map(Expr::clone))
                }
                _ => Expr::var(self.bound(header)),
            };
            return LoopTest::Counted {
                index,
                first: Expr::Int(from),
                last,
                step: Expr::Int(1),
            };
        };
        let [first, step] = self.first_and_step(header, first, step);
        let start = if !bound && matches!(step, Expr::Int(1 | -1)) {
            // With a step of 1 or -1 the index takes every value up to the bound, so its last value is the bound.
            last.clone()
        } else {
            let n = if bound {
                Expr::var(self.bound(header))
            } else {
                Expr::op(Op::Trips, [first.clone(), last.clone(), step.clone()])
            };
            let back = Expr::op(
                Op::Mul,
                [Expr::op(Op::Sub, [n, Expr::Int(1)]), step.clone()],
            );
            Expr::op(Op::Add, [first.clone(), back])
        };
        let backwards = match FlatExpr::view(&step) {
            FlatExpr::Constant(Constant::Int(k)) if k != i64::MIN => Expr::Int(-k),
            FlatExpr::Constant(_) | FlatExpr::Place(_) | FlatExpr::Op(..) => {
                Expr::op(Op::Neg, [step])
            }
        };
        LoopTest::Counted {
            index: *index,
            first: start,
            last: first,
            step: backwards,
        }
    }
}
