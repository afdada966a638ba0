//! Statements of basic blocks.

use super::build::{Builder, Use};
use cfg_core::ir::{Expr, Op, ScalarType, Stmt, StmtKind};

impl Builder<'_> {
    /// Up to `n` statements.
    pub(super) fn statements(&mut self, n: usize) -> Vec<Stmt> {
        let mut statements = Vec::new();
        for _ in 0..n {
            if !self.affordable(1) {
                break;
            }
            if let Some(statement) = self.statement() {
                self.spend(1);
                statements.push(statement);
            }
        }
        statements
    }

    fn statement(&mut self) -> Option<Stmt> {
        let arrays = if self.options.whole_arrays { 7 } else { 0 };
        let calls = if self.scattered { 30 } else { 10 };
        let copies = if self.record.is_some() { 10 } else { 0 };
        match self
            .rng
            .weighted(&[34, 28, 12, 4, 5, 4, arrays, calls, copies])
        {
            0 => self.scalar_statement(ScalarType::Real),
            1 => self.element_statement(ScalarType::Real),
            2 => self.scalar_statement(ScalarType::Integer),
            3 => self.element_statement(ScalarType::Integer),
            4 => self.scalar_statement(ScalarType::Logical),
            5 if self.options.operators && self.rng.percent(50) => self.sized_statement(),
            5 => match self.rng.below(3) {
                0 => self.element_statement(ScalarType::Real32),
                1 => self.scalar_statement(ScalarType::Real32),
                _ => Some(self.remark()),
            },
            6 => self.array_statement(),
            7 => self.call_statement(),
            _ => self.record_statement(),
        }
    }

    /// A right side for one cell of a variable.
    fn value_for(&mut self, v: usize, old: Expr) -> Expr {
        let (low, high) = self.vars[v].range;
        match self.vars[v].ty {
            // v := phi(v, w) is where the order of the adjoint statements matters most.
            ScalarType::Real if self.state.init[v] && self.rng.percent(35) => {
                let w = self.real(2);
                let op = *self
                    .rng
                    .pick(&[Op::Add, Op::Sub, Op::Mul])
                    .unwrap_or(&Op::Add);
                if !self.exact() && self.rng.percent(40) {
                    Expr::op(Op::Sin, [Expr::op(op, [old, w])])
                } else {
                    Expr::op(op, [old, w])
                }
            }
            ScalarType::Real => self.real(3),
            ScalarType::Real32 => self.narrow(2),
            ScalarType::Integer => self.integer_in(low, high, 2),
            ScalarType::Sized(ty) => self.sized(ty, 3),
            ScalarType::Logical if self.state.init[v] && self.rng.percent(30) => {
                Expr::op(Op::Not, [old])
            }
            ScalarType::Logical => self.condition(1),
            ScalarType::Tape | ScalarType::Record(_) | ScalarType::Pointer(_) => old,
        }
    }

    /// An assignment to an integer of another type than `integer`.
    fn sized_statement(&mut self) -> Option<Stmt> {
        let sized =
            (0..self.vars.len()).filter(|&v| matches!(self.vars[v].ty, ScalarType::Sized(_)));
        let sized: Vec<usize> = sized.collect();
        let v = *self.rng.pick(&sized)?;
        let (ty, is_scalar) = (self.vars[v].ty, self.vars[v].is_scalar());
        if is_scalar {
            self.scalar_statement(ty)
        } else {
            self.element_statement(ty)
        }
    }

    fn scalar_statement(&mut self, ty: ScalarType) -> Option<Stmt> {
        let candidates = self.writable(ty, false);
        let v = *self.rng.pick(&candidates)?;
        let target = self.vars[v].whole();
        let value = self.value_for(v, Expr::Place(target.clone()));
        self.note_write(v);
        self.state.init[v] = true;
        Some(Stmt::assign(target, value))
    }

    fn element_statement(&mut self, ty: ScalarType) -> Option<Stmt> {
        let candidates: Vec<usize> = self.writable(ty, true);
        let v = *self.rng.pick(&candidates)?;
        if !self.state.init[v] {
            return None;
        }
        let target = self.element(v);
        let value = self.value_for(v, Expr::Place(target.clone()));
        self.note_write(v);
        Some(Stmt::assign(target, value))
    }

    /// A copy of a record, or of four.
    fn record_statement(&mut self) -> Option<Stmt> {
        let record = self.record?;
        let four = self.rng.percent(30);
        let one = |b: &mut Self, from: [Vec<usize>; 2]| {
            let all = from.concat();
            let v = *b.rng.pick(&all)?;
            match (b.vars[v].is_scalar(), four) {
                (true, true) => None,
                (true, false) => Some((v, b.vars[v].whole())),
                (false, true) => Some((v, b.four(v, false)?)),
                (false, false) => Some((v, b.element(v))),
            }
        };
        let targets = [false, true].map(|arrays| self.writable(record, arrays));
        let (v, target) = one(self, targets)?;
        let sources = [false, true].map(|arrays| self.readable(record, arrays));
        let (w, source) = one(self, sources)?;
        self.note_read(w);
        self.note_write(v);
        // An optional record that is not there is neither.
        self.state.init[v].then(|| Stmt::assign(target, Expr::Place(source)))
    }

    /// Statements over whole arrays and sections.
    fn array_statement(&mut self) -> Option<Stmt> {
        let candidates = self.writable(ScalarType::Real, true);
        let v = *self.rng.pick(&candidates)?;
        let whole = self.vars[v].whole();
        if self.rng.percent(20) {
            if self.is_allocatable(v) && !self.state.init[v] {
                return None;
            }
            let value = self.real(2);
            self.note_write(v);
            self.state.init[v] = true;
            return Some(Stmt::assign(whole, value));
        }
        if !self.state.init[v] {
            return None;
        }
        let square = matches!(self.vars[v].dims[..], [(_, 4), (_, 4)]);
        if square && self.rng.percent(50) {
            self.note_write(v);
            let transposed = Expr::op(Op::Transpose, [whole.clone().into()]);
            let factor = self.real(1);
            let value = Expr::op(Op::Add, [transposed, factor]);
            return Some(Stmt::assign(whole, value));
        }
        let value = self.array_expression()?;
        let target = self.four(v, false)?;
        self.note_write(v);
        Some(Stmt::assign(target, value))
    }

    /// An expression over four elements.
    fn array_expression(&mut self) -> Option<Expr> {
        if self.options.operators
            && self.rng.percent(25)
            && let Some(rare) = self.rare_array()
        {
            return Some(rare);
        }
        let a = Expr::Place(self.four_of(ScalarType::Real)?);
        let operand = match self.rng.below(3) {
            0 => self.real(1),
            _ => Expr::Place(self.four_of(ScalarType::Real)?),
        };
        let op = *self
            .rng
            .pick(&[Op::Add, Op::Sub, Op::Mul])
            .unwrap_or(&Op::Add);
        let value = Expr::op(op, [a, operand]);
        Some(match self.rng.below(6) {
            0 => {
                let scale = self.reduction(value);
                let b = Expr::Place(self.four_of(ScalarType::Real)?);
                Expr::op(Op::Mul, [scale, b])
            }
            1 if !self.exact() => Expr::op(Op::Sin, [value]),
            2 => Expr::op(Op::Neg, [value]),
            _ => value,
        })
    }

    /// A statement that computes nothing.
    fn remark(&mut self) -> Stmt {
        let mut reads = self.readable(ScalarType::Real, false);
        reads.retain(|&v| self.vars[v].usage == Use::Free && self.vars[v].is_plain());
        reads.truncate(1);
        for &v in &reads {
            self.note_read(v);
        }
        Stmt::new(StmtKind::Opaque {
            text: "print".into(),
            reads: reads.into_iter().map(|v| self.vars[v].id).collect(),
            writes: Box::default(),
        })
    }
}
