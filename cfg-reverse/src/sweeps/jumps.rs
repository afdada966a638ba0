//! The statements in the two graphs of a general routine.

use cfg_core::{
    entity::{EdgeId, VertexId},
    ir::{ControlWidth, Expr, LoopTest, NameRole, Op, Place, Stmt, TapeClass, VertexKind},
};

use crate::{
    control::{
        general::{AdjointCode, ForwardCode},
        structured,
        trace::TraceCode,
    },
    plan::provisions::bits,
    sweeps::{forward::Forward, reverse::Reverse},
};

/// Bits that tell so many ways apart.
fn width(ways: usize) -> TapeClass {
    TapeClass::Control(bits(ways))
}

const COUNT: TapeClass = TapeClass::Control(ControlWidth::Count);

impl ForwardCode for Forward<'_, '_, '_> {
    fn copy(&mut self, v: VertexId) -> VertexKind {
        structured::ForwardCode::copy(self, v)
    }

    fn leave(&mut self, header: VertexId, record: bool) -> Vec<Stmt> {
        let mut out = self.push_bounds(header);
        if record {
            let counter = self.counter(header);
            out.push(self.sweeps.push(COUNT, Expr::var(counter)));
        }
        out
    }

    fn save_index(&mut self, header: VertexId, e: EdgeId) -> Vec<Stmt> {
        let s = self.sweeps;
        let index = s.index_saved_on(header, e).into_iter();
        index
            .map(|index| s.push(s.tape_class(index), Expr::var(index)))
            .collect()
    }

    fn loop_entry(&mut self, header: VertexId, counts: bool) -> Vec<Stmt> {
        let mut out = self.note_bounds(header);
        if counts {
            let counter = self.counter(header);
            out.push(Stmt::assign(Place::whole(counter), Expr::Int(0)));
        }
        out
    }

    fn loop_back(&mut self, header: VertexId) -> Vec<Stmt> {
        let counter = self.counter(header);
        let value = Expr::op(Op::Add, [Expr::var(counter), Expr::Int(1)]);
        vec![Stmt::assign(Place::whole(counter), value)]
    }

    fn marker(&mut self, ordinal: usize, ways: usize) -> Vec<Stmt> {
        vec![self.sweeps.push(width(ways), Expr::Int(ordinal as i64))]
    }

    fn set_way(&mut self, number: i64) -> Vec<Stmt> {
        let way = self.way_out();
        vec![Stmt::assign(Place::whole(way), Expr::Int(number))]
    }

    fn way(&mut self) -> Expr {
        Expr::var(self.way_out())
    }

    fn routine_exit(&mut self) -> Vec<Stmt> {
        structured::ForwardCode::routine_exit(self)
    }
}

impl AdjointCode for Reverse<'_, '_, '_> {
    fn block(&mut self, v: VertexId) -> Vec<Stmt> {
        let adjoints = self.adjoints.row_mut(v);
        self.sweeps.adjoint_block(v, adjoints, self.globals)
    }

    fn for_loop(&mut self, header: VertexId, bound: bool, from: i64) -> LoopTest {
        Reverse::for_loop(self, header, bound, !bound, from)
    }

    fn loop_body(&mut self, header: VertexId, bound: bool) -> Vec<Stmt> {
        self.index_in_body(header, !bound)
    }

    fn leave(&mut self, header: VertexId, bound: bool, record: bool, more: bool) -> Vec<Stmt> {
        let s = self.sweeps;
        let mut out = Vec::new();
        if bound {
            let n = Place::whole(self.bound(header));
            if record {
                out.push(s.pop(COUNT, n.clone()));
                if more {
                    out.extend(self.add_pass(header));
                }
            } else {
                out.extend(self.count_trips(header));
            }
        } else if self.stepped(header, true).is_some() {
            out.extend(self.count_trips(header));
        }
        out.extend(self.pop_bounds(header));
        out
    }

    fn add_pass(&mut self, header: VertexId) -> Vec<Stmt> {
        let n = Place::whole(self.bound(header));
        let value = Expr::op(Op::Add, [Expr::Place(n.clone()), Expr::Int(1)]);
        vec![Stmt::assign(n, value)]
    }

    fn set_point(&mut self, header: VertexId, point: i64) -> Vec<Stmt> {
        let v = self.declare_local(header, "exit", NameRole::PointOfExit, |l| &mut l.point);
        vec![Stmt::assign(Place::whole(v), Expr::Int(point))]
    }

    fn point(&mut self, header: VertexId) -> Expr {
        Expr::var(self.declare_local(header, "exit", NameRole::PointOfExit, |l| &mut l.point))
    }

    fn save_index(&mut self, header: VertexId, e: EdgeId) -> Vec<Stmt> {
        let s = self.sweeps;
        let index = s.index_saved_on(header, e).into_iter();
        index
            .map(|index| s.pop(s.tape_class(index), Place::whole(index)))
            .collect()
    }

    fn pop_marker(&mut self, ways: usize) -> Vec<Stmt> {
        let id = self.branch_id.into_iter();
        id.map(|id| self.sweeps.pop(width(ways), Place::whole(id)))
            .collect()
    }

    fn marker(&mut self) -> Expr {
        self.branch_id.map_or(Expr::Int(0), Expr::var)
    }

    fn state(&mut self, region: VertexId) -> Expr {
        Expr::var(self.declare_local(region, "state", NameRole::Dispatch, |l| &mut l.state))
    }

    fn set_state(&mut self, region: VertexId, state: i64) -> Vec<Stmt> {
        let v = self.declare_local(region, "state", NameRole::Dispatch, |l| &mut l.state);
        vec![Stmt::assign(Place::whole(v), Expr::Int(state))]
    }

    fn routine_exit(&mut self) -> Vec<Stmt> {
        structured::AdjointCode::routine_exit(self)
    }
}

impl TraceCode for Forward<'_, '_, '_> {
    fn image(&mut self, v: VertexId) -> VertexKind {
        ForwardCode::copy(self, v)
    }

    fn routine_exit(&mut self) -> Vec<Stmt> {
        ForwardCode::routine_exit(self)
    }

    fn record(&mut self, number: usize, of: usize) -> Vec<Stmt> {
        // One way more than there are blocks: the width with which the paper compares.
        ForwardCode::marker(self, number, of + 1)
    }

    fn number(&mut self) -> Expr {
        Expr::Int(0)
    }
}

impl TraceCode for Reverse<'_, '_, '_> {
    fn image(&mut self, v: VertexId) -> VertexKind {
        match &self.sweeps.draft.cfg.vertex(v).kind {
            VertexKind::Entry => VertexKind::Exit,
            VertexKind::Exit => VertexKind::Entry,
            VertexKind::Branch(_) => VertexKind::EndBranch,
            VertexKind::Block(_) => VertexKind::Block(self.block(v)),
            VertexKind::Loop { .. } | VertexKind::EndLoop | VertexKind::EndBranch => {
                VertexKind::Block(Vec::new())
            }
        }
    }

    fn routine_exit(&mut self) -> Vec<Stmt> {
        AdjointCode::routine_exit(self)
    }

    fn record(&mut self, _: usize, of: usize) -> Vec<Stmt> {
        self.pop_marker(of + 1)
    }

    fn number(&mut self) -> Expr {
        self.marker()
    }
}
