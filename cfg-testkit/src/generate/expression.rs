//! Real expressions.

use super::build::Builder;
use cfg_core::ir::{Expr, Intent, Op, ScalarType};

impl Builder<'_> {
    /// A real expression.
    pub(super) fn real(&mut self, depth: usize) -> Expr {
        if depth == 0 || self.rng.percent(15) {
            return self.real_leaf();
        }
        if self.options.kinks && self.rng.percent(6) {
            return self.kink(depth);
        }
        if self.options.operators && self.rng.percent(12) {
            return match self.exact() {
                true if self.options.kinks => self.rare_exact(depth),
                true => self.exact_operation(depth),
                false => self.rare_smooth(depth),
            };
        }
        if self.exact() {
            self.exact_operation(depth)
        } else {
            self.smooth_operation(depth)
        }
    }

    pub(super) fn real_leaf(&mut self) -> Expr {
        let scalars = self.readable(ScalarType::Real, false);
        let arrays = self.readable(ScalarType::Real, true);
        match self.rng.weighted(&[45, 40, 7, 4, 2, 2]) {
            0 if !scalars.is_empty() => {
                let v = scalars[self.rng.below(scalars.len())];
                self.note_read(v);
                self.vars[v].value()
            }
            0 | 1 if !arrays.is_empty() => {
                let v = arrays[self.rng.below(arrays.len())];
                Expr::Place(self.element(v))
            }
            3 => {
                let k = self.integer(1);
                if k.low < -50 || k.high > 50 {
                    return self.constant();
                }
                Expr::op(Op::ToReal, [k.e])
            }
            4 => {
                let narrow = self.readable(ScalarType::Real32, false);
                match narrow.get(self.rng.below(narrow.len())) {
                    Some(&v) => Expr::op(Op::ToReal, [self.vars[v].value()]),
                    None => self.constant(),
                }
            }
            5 if self.options.whole_arrays => match self.four_of(ScalarType::Real) {
                Some(place) => self.reduction(Expr::Place(place)),
                None => self.constant(),
            },
            _ => self.constant(),
        }
    }

    fn constant(&mut self) -> Expr {
        Expr::Real(if self.exact() {
            *self
                .rng
                .pick(&[-3.0, -2.0, -1.0, 1.0, 2.0, 3.0])
                .unwrap_or(&1.0)
        } else {
            (self.rng.real(-2.0, 2.0) * 1000.0).round() / 1000.0 + 1.0 / 4096.0
        })
    }

    /// A reduction of an array expression.
    pub(super) fn reduction(&mut self, array: Expr) -> Expr {
        let op = match self.rng.below(8) {
            0..5 => Op::Sum,
            5 => Op::Product,
            _ if !self.options.kinks => Op::Sum,
            6 => Op::MaxVal,
            _ => Op::MinVal,
        };
        Expr::op(op, [array])
    }

    fn exact_operation(&mut self, depth: usize) -> Expr {
        let a = self.real(depth - 1);
        match self.rng.weighted(&[8, 6, 9, 2, 2, 1, 2, 1, 3]) {
            0 => self.with(Op::Add, a, depth),
            1 => self.with(Op::Sub, a, depth),
            2 => self.with(Op::Mul, a, depth),
            3 => Expr::op(Op::Neg, [a]),
            4 => {
                let op = if self.rng.percent(70) {
                    Op::Add
                } else {
                    Op::Mul
                };
                let b = self.real(depth - 1);
                let c = self.real_leaf();
                Expr::op(op, [a, b, c])
            }
            5 => {
                let b = self.real(depth - 1);
                let c = self.real_leaf();
                Expr::op(Op::Fma, [a, b, c])
            }
            6 => {
                let n = self.rng.between(2, 3);
                Expr::op(Op::Pow, [a, Expr::Int(n)])
            }
            7 => {
                let k = self.integer(1);
                if k.low < -20 || k.high > 20 {
                    return a;
                }
                Expr::op(Op::Mul, [k.e, a])
            }
            _ => {
                let c = self.constant();
                Expr::op(Op::Mul, [c, a])
            }
        }
    }

    /// Operations whose results and partials stay of moderate size when the operands do.
    fn smooth_operation(&mut self, depth: usize) -> Expr {
        let a = self.real(depth - 1);
        let one = |op, a| Expr::op(op, [a]);
        let two = |op, a, b| Expr::op(op, [a, b]);
        let square = |a: Expr| two(Op::Mul, a.clone(), a);
        match self
            .rng
            .weighted(&[9, 7, 9, 2, 6, 5, 3, 3, 3, 3, 3, 2, 2, 2, 2, 2, 1])
        {
            0 => self.with(Op::Add, a, depth),
            1 => self.with(Op::Sub, a, depth),
            2 => self.with(Op::Mul, a, depth),
            3 => one(Op::Neg, a),
            4 => one(Op::Sin, a),
            5 => one(Op::Cos, a),
            6 => one(Op::Tanh, a),
            7 => one(Op::Exp, one(Op::Sin, a)),
            8 => one(Op::Sqrt, two(Op::Add, Expr::Real(1.25), square(a))),
            9 => one(Op::Log, two(Op::Add, Expr::Real(1.5), square(a))),
            10 => {
                let b = self.real_leaf();
                two(Op::Div, a, two(Op::Add, Expr::Real(1.5), square(b)))
            }
            11 => {
                let b = self.real_leaf();
                two(Op::Div, a, two(Op::Add, Expr::Real(2.25), one(Op::Cos, b)))
            }
            12 => one(Op::Atan, a),
            13 => {
                let n = self.rng.between(2, 3);
                two(Op::Pow, a, Expr::Int(n))
            }
            14 => {
                let b = self.real_leaf();
                let base = two(Op::Add, Expr::Real(2.0), one(Op::Sin, a));
                two(Op::Pow, base, one(Op::Cos, b))
            }
            15 => {
                let k = self.integer(1);
                let wave = one(Op::Sin, two(Op::Add, a, k.e));
                let c = self.constant();
                two(Op::Mul, c, wave)
            }
            _ => one(Op::Erf, a),
        }
    }

    fn with(&mut self, op: Op, a: Expr, depth: usize) -> Expr {
        let b = self.real(depth - 1);
        if self.rng.percent(50) {
            Expr::op(op, [a, b])
        } else {
            Expr::op(op, [b, a])
        }
    }

    fn kink(&mut self, depth: usize) -> Expr {
        let mut own: Vec<usize> = (0..self.formals.len()).collect();
        own.retain(|&v| {
            let formal = &self.formals[v];
            formal.optional
                && formal.intent != Intent::Out
                && formal.ty == ScalarType::Real
                && self.vars[v].is_scalar()
        });
        if self.options.operators
            && self.rng.percent(30)
            && let Some(&u) = self.rng.pick(&own)
        {
            let id = self.vars[u].id;
            let other = self.real(depth - 1);
            let given = Expr::op(Op::Mul, [Expr::Real(2.0), id.into()]);
            return Expr::op(Op::If, [Expr::op(Op::Present, [id.into()]), given, other]);
        }
        if self.rng.percent(30) {
            // Optional parameters are read in branches, not in conditional expressions.
            let before = self.state.init.clone();
            for (init, formal) in self.state.init.iter_mut().zip(&self.formals) {
                *init &= !formal.optional;
            }
            let c = self.condition(1);
            let a = self.real(depth - 1);
            let b = self.real(depth - 1);
            self.state.init = before;
            return Expr::op(Op::If, [c, a, b]);
        }
        let a = self.real(depth - 1);
        let b = self.real(depth - 1);
        match self.rng.below(3) {
            0 => Expr::op(Op::Min, [a, b]),
            1 => Expr::op(Op::Max, [a, b]),
            _ => Expr::op(Op::Abs, [a]),
        }
    }

    /// A 32-bit expression.
    pub(super) fn narrow(&mut self, depth: usize) -> Expr {
        if depth > 0 && self.rng.percent(70) {
            let a = self.narrow(depth - 1);
            let b = self.narrow(depth - 1);
            let op = *self
                .rng
                .pick(&[Op::Add, Op::Sub, Op::Mul])
                .unwrap_or(&Op::Add);
            return Expr::op(op, [a, b]);
        }
        let scalars = self.readable(ScalarType::Real32, false);
        let arrays = self.readable(ScalarType::Real32, true);
        match self.rng.below(4) {
            0 if !scalars.is_empty() => {
                let v = scalars[self.rng.below(scalars.len())];
                self.vars[v].value()
            }
            1 if !arrays.is_empty() => {
                let v = arrays[self.rng.below(arrays.len())];
                Expr::Place(self.element(v))
            }
            2 => Expr::Real32(self.rng.between(-2, 3) as f32),
            _ => match self.real_leaf() {
                // In files the conversion of a constant is a 32-bit constant.
                Expr::Real(x) if !self.options.operators => Expr::Real32(x as f32),
                wide => Expr::op(Op::ToReal32, [wide]),
            },
        }
    }
}
