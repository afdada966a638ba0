//! Operators that few programs use, so that every one is drawn.

use super::build::Builder;
use super::integer::Ranged;
use cfg_core::elemental::{Math, platform_dependent, unary};
use cfg_core::ir::{Domain, Expr, Op, Operands, ScalarType};

fn one(op: Op, a: Expr) -> Expr {
    Expr::op(op, [a])
}

fn two(op: Op, a: Expr, b: Expr) -> Expr {
    Expr::op(op, [a, b])
}

/// The functions of one real that no other expression draws.
fn rare_functions() -> Vec<Op> {
    const DRAWN: [Op; 7] = [
        Op::Exp,
        Op::Log,
        Op::Sin,
        Op::Cos,
        Op::Tanh,
        Op::Atan,
        Op::Erf,
    ];
    let function = |op: &Op| {
        let one_real = op.info().operands == Operands::Real && op.arity() == (1, 1);
        one_real && platform_dependent(*op) && !DRAWN.contains(op)
    };
    Op::ALL.iter().copied().filter(function).collect()
}

/// A function of one real whose operand is kept where it is smooth and of moderate size.
fn smooth(op: Op, a: Expr) -> Expr {
    let sine = |a| one(Op::Sin, a);
    let beyond = |c: f64, a| two(Op::Add, Expr::Real(c), a);
    let square = |a: Expr| two(Op::Mul, a.clone(), a);
    let grows = unary(op, Math::Portable).is_some_and(|f| f(100.0) > 1000.0);
    let operand = match op.info().domain {
        Domain::From(least) if least < 0.0 => square(a),
        Domain::From(_) | Domain::Except(_) => beyond(1.5, square(a)),
        Domain::Within(_) | Domain::Finite => two(Op::Mul, Expr::Real(0.5), sine(a)),
        Domain::Poles => beyond(2.25, sine(a)),
        Domain::All if grows => sine(a),
        Domain::All => a,
    };
    one(op, operand)
}

impl Builder<'_> {
    /// A real expression over whole numbers.
    pub(super) fn rare_exact(&mut self, depth: usize) -> Expr {
        let a = self.real(depth.saturating_sub(1));
        let c = Expr::Real(*self.rng.pick(&[-3.0, -2.0, 2.0, 3.0, 5.0]).unwrap_or(&2.0));
        match self.rng.below(17) {
            14 => two(Op::Min, a, Expr::Real(f64::INFINITY)),
            15 => two(Op::Max, Expr::Real(f64::NEG_INFINITY), a),
            16 => {
                let never = two(Op::Lt, Expr::Int(2), Expr::Int(1));
                Expr::op(Op::If, [never, Expr::Real(f64::NAN), a])
            }
            0 => one(*self.rng.pick(&[Op::Min, Op::Max]).unwrap_or(&Op::Min), a),
            1 => {
                let (b, d) = (self.real_leaf(), self.real_leaf());
                let op = *self.rng.pick(&[Op::Min, Op::Max]).unwrap_or(&Op::Min);
                Expr::op(op, [a, b, d])
            }
            // The operand is kept away from 0, where the sign jumps.
            2 => {
                let shifted = two(Op::Add, self.real_leaf(), Expr::Real(0.5));
                two(Op::Sign, a, shifted)
            }
            3 => two(Op::Mod, a, c),
            4 => two(Op::Modulo, a, c),
            5 => {
                let b = self.real_leaf();
                two(Op::PosDiff, a, b)
            }
            6 => {
                let ops = [Op::Floor, Op::Ceil, Op::Round, Op::Trunc];
                let half = two(Op::Mul, Expr::Real(0.5), a);
                one(*self.rng.pick(&ops).unwrap_or(&Op::Floor), half)
            }
            7 => {
                let b = self.real_leaf();
                two(Op::StrongMul, a, b)
            }
            8 => {
                let conditions = self.condition(0);
                let b = one(Op::ToReal, conditions);
                two(Op::Mul, a, b)
            }
            9 => two(Op::Pow, a, Expr::Int(self.rng.between(0, 1))),
            10 if self.options.whole_arrays => match self.matrix() {
                Some(matrix) => one(Op::Sum, one(Op::Transpose, matrix)),
                None => a,
            },
            11 if self.options.whole_arrays => match self.four_of(ScalarType::Real) {
                Some(place) => {
                    let ops = [Op::ProductPartial, Op::MaxValPartial, Op::MinValPartial];
                    let op = *self.rng.pick(&ops).unwrap_or(&Op::ProductPartial);
                    let weights = one(op, Expr::Place(place));
                    one(Op::Sum, two(Op::Mul, a, weights))
                }
                None => a,
            },
            12 => Expr::op(Op::Div, [a, Expr::Real(-1.0)]),
            _ => one(Op::Abs, a),
        }
    }

    /// A real expression with a function whose operand is kept where it is smooth.
    pub(super) fn rare_smooth(&mut self, depth: usize) -> Expr {
        let a = self.real(depth.saturating_sub(1));
        let b = self.real_leaf();
        let sine = |a| one(Op::Sin, a);
        let add = |c: f64, a| two(Op::Add, Expr::Real(c), a);
        let square = |a: Expr| two(Op::Mul, a.clone(), a);
        let functions = rare_functions();
        // The numbers of the arms below that are no function of one real.
        let others = [13, 14].into_iter().chain(19..28);
        match self.rng.below(functions.len() + others.clone().count()) {
            13 => two(Op::Atan2, a, add(1.5, square(b))),
            14 => two(Op::Hypot, a, add(1.25, square(b))),
            19 => {
                let n = Expr::Int(self.rng.between(0, 3));
                two(Op::Polygamma, n, add(2.75, sine(a)))
            }
            20 => Expr::op(Op::Fma, [sine(a), one(Op::Cos, b), Expr::Real(0.375)]),
            21 => two(Op::StrongMul, sine(a), one(Op::Cos, b)),
            22 => {
                // The base is an integer.
                let k = self.integer_in(1, 3, 1);
                two(Op::Pow, k, sine(a))
            }
            23 => {
                let n = self.integer_in(-2, 3, 1);
                two(Op::Pow, add(1.5, square(a)), n)
            }
            24 => two(Op::Div, a, self.integer_in(2, 5, 1)),
            25 => two(Op::Mul, one(Op::ToReal, self.condition(0)), a),
            26 if self.options.whole_arrays => match self.matrix() {
                Some(matrix) => one(Op::Sum, one(Op::Sin, one(Op::Transpose, matrix))),
                None => a,
            },
            26 | 27 => one(Op::Neg, one(Op::Tanh, a)),
            arm => {
                let before = others.filter(|&other| other < arm).count();
                smooth(functions[arm - before], a)
            }
        }
    }

    /// A whole matrix.
    fn matrix(&mut self) -> Option<Expr> {
        let mut arrays = self.readable(ScalarType::Real, true);
        arrays.retain(|&v| self.vars[v].dims.len() == 2);
        let v = *self.rng.pick(&arrays)?;
        self.note_read(v);
        Some(self.vars[v].value())
    }

    /// An integer expression.
    pub(super) fn rare_integer(&mut self) -> Option<Ranged> {
        let small = |b: &mut Self| b.integer_in(-4, 4, 1);
        let ranged = |e, low, high| Some(Ranged { e, low, high });
        match self.rng.below(13) {
            9..=12 => self.words(),
            0 => {
                let operands = [small(self), small(self), Expr::Int(self.rng.between(1, 3))];
                ranged(Expr::op(Op::Trips, operands), 0, 9)
            }
            1 => {
                let operands = [
                    small(self),
                    small(self),
                    Expr::Int(self.rng.between(-3, -1)),
                ];
                ranged(Expr::op(Op::Trips, operands), 0, 9)
            }
            2 => {
                let arrays = self.readable(ScalarType::Real, true);
                let v = *self.rng.pick(&arrays)?;
                let n = self.vars[v].len();
                self.note_read(v);
                ranged(one(Op::Size, self.vars[v].value()), n, n)
            }
            3 => {
                let arrays = self.readable(ScalarType::Integer, true);
                let v = *self.rng.pick(&arrays)?;
                self.note_read(v);
                let whole = self.vars[v].value();
                match self.rng.below(4) {
                    0 => ranged(one(Op::Sum, whole), 4, 16),
                    1 => ranged(one(Op::Product, whole), 1, 256),
                    2 => ranged(one(Op::MaxVal, whole), 1, 4),
                    _ => ranged(one(Op::MinVal, whole), 1, 4),
                }
            }
            4 => {
                let (a, b) = (small(self), small(self));
                let op = *self.rng.pick(&[Op::Sign, Op::PosDiff]).unwrap_or(&Op::Sign);
                ranged(two(op, a, b), -8, 8)
            }
            5 => {
                let a = small(self);
                ranged(two(Op::Pow, a, Expr::Int(self.rng.between(0, 3))), -64, 64)
            }
            6 => {
                let c = self.condition(0);
                ranged(one(Op::TO_INT, c), 0, 1)
            }
            7 => {
                let (a, b, c) = (small(self), small(self), small(self));
                let op = *self.rng.pick(&[Op::Min, Op::Max]).unwrap_or(&Op::Min);
                ranged(Expr::op(op, [a, b, c]), -4, 4)
            }
            _ => {
                let a = small(self);
                ranged(two(Op::Mod, a, Expr::Int(*self.rng.pick(&[-3, 3])?)), -2, 2)
            }
        }
    }

    /// An integer made by arithmetic modulo 2^64, operations on bits and shifts, also beyond the width.
    fn words(&mut self) -> Option<Ranged> {
        let ranged = |e, low, high| Some(Ranged { e, low, high });
        let a = self.integer_in(-4, 4, 1);
        let b = self.integer_in(-4, 4, 1);
        let count = *self.rng.pick(&[0, 1, 2, 5, 31, 63, 64, 70, -1, i64::MIN])?;
        let odd = *self
            .rng
            .pick(&[6_364_136_223_846_793_005, -7_046_029_254_386_353_131])?;
        match self.rng.below(10) {
            0 => {
                // A step of a congruential generator, its highest bits.
                let product = two(Op::WrapMul, two(Op::WrapAdd, a, b), Expr::Int(odd));
                ranged(two(Op::LogicalShr, product, Expr::Int(61)), 0, 7)
            }
            1 => {
                // Steps of xorshift, the lowest bits.
                let x = Expr::op(Op::WrapMul, [a, b, Expr::Int(odd)]);
                let left = two(Op::WrapShl, x.clone(), Expr::Int(13));
                let right = two(Op::LogicalShr, x.clone(), Expr::Int(count));
                let mixed = Expr::op(Op::BitXor, [x, left, right]);
                ranged(two(Op::BitAnd, mixed, Expr::Int(7)), 0, 7)
            }
            2 => ranged(two(Op::Shr, a, Expr::Int(count)), -4, 4),
            3 => {
                let n = self.rng.between(0, 3);
                ranged(two(Op::Shl, a, Expr::Int(n)), -32, 32)
            }
            4 => ranged(one(Op::BitNot, a), -5, 3),
            5 => {
                let op = *self.rng.pick(&[Op::BitAnd, Op::BitOr, Op::BitXor])?;
                ranged(two(op, a, b), -8, 7)
            }
            6 => ranged(two(Op::WrapSub, a, b), -8, 8),
            7 => ranged(one(Op::WrapNeg, a), -4, 4),
            8 => {
                // A count that is computed.
                let shifted = two(Op::WrapShl, Expr::Int(odd), a);
                ranged(
                    two(Op::Modulo, two(Op::WrapAdd, shifted, b), Expr::Int(5)),
                    0,
                    4,
                )
            }
            _ => {
                let op = *self.rng.pick(&[Op::Shr, Op::LogicalShr])?;
                let far = two(op, two(Op::WrapMul, a, Expr::Int(odd)), b);
                ranged(two(Op::BitAnd, far, Expr::Int(3)), 0, 3)
            }
        }
    }

    /// A condition.
    pub(super) fn rare_condition(&mut self) -> Option<Expr> {
        match self.rng.below(6) {
            0 => {
                let place = Expr::Place(self.four_of(ScalarType::Real)?);
                let op = *self.rng.pick(&[Op::Any, Op::All])?;
                let bound = Expr::Real(self.rng.between(-2, 2) as f64 + 1.0 / 8192.0);
                Some(one(op, two(Op::Gt, place, bound)))
            }
            1 => {
                let k = self.integer(0);
                Some(one(Op::ToLogical, k.e))
            }
            2 => {
                let op = *self.rng.pick(&[Op::And, Op::Or])?;
                let parts = [self.condition(0), self.condition(0), self.condition(0)];
                Some(Expr::op(op, parts))
            }
            3 => {
                let op = *self.rng.pick(&[Op::Eq, Op::Ne])?;
                Some(two(op, self.condition(0), self.condition(0)))
            }
            4 => {
                let mut own: Vec<usize> = (0..self.formals.len()).collect();
                own.retain(|&v| self.formals[v].optional);
                let v = *self.rng.pick(&own)?;
                Some(one(Op::Present, self.vars[v].value()))
            }
            _ => {
                let mut arrays = self.readable(ScalarType::Logical, true);
                arrays.retain(|&v| self.vars[v].dims.len() == 1);
                let v = *self.rng.pick(&arrays)?;
                self.note_read(v);
                let op = *self.rng.pick(&[Op::Any, Op::All])?;
                Some(one(op, self.vars[v].value()))
            }
        }
    }

    /// An array expression of four elements with a kink or a choice, or none.
    pub(super) fn rare_array(&mut self) -> Option<Expr> {
        let a = Expr::Place(self.four_of(ScalarType::Real)?);
        let b = match self.rng.percent(50) {
            true => self.real_leaf(),
            false => Expr::Place(self.four_of(ScalarType::Real)?),
        };
        if !self.options.kinks {
            return Some(Expr::op(
                Op::If,
                [self.condition(1), a, two(Op::Mul, b, Expr::Real(0.5))],
            ))
            .filter(|_| self.rng.percent(40));
        }
        match self.rng.below(6) {
            0 => Some(two(Op::Min, a, b)),
            1 => Some(two(Op::Max, a, b)),
            2 => Some(one(Op::Abs, a)),
            3 => Some(Expr::op(Op::If, [self.condition(1), a, b])),
            4 => {
                let mut whole = self.readable(ScalarType::Real, true);
                whole.retain(|&v| matches!(self.vars[v].dims[..], [(_, 4)]));
                let [x, y] = [0, 1].map(|_| self.rng.pick(&whole).copied());
                let [x, y] = [self.vars[x?].value(), self.vars[y?].value()];
                let mask = two(Op::Gt, x.clone(), Expr::Real(0.5));
                Some(Expr::op(Op::If, [mask, x, y]))
            }
            _ => {
                let shifted = two(Op::Add, b, Expr::Real(0.5));
                Some(two(Op::Sign, a, shifted))
            }
        }
    }
}
