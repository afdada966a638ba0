//! Functions of a vector, with short loops.

use super::{Kernel, Point, integer_value, kernel, real_value, real_values, wave};
use cfg_core::builder::{RoutineBuilder, expr::*};
use cfg_core::ir::{
    AnyInt, Conversion, Expr, IntType, Op,
    ScalarType::{Integer, Real, Sized},
};

pub(super) fn kernels() -> Vec<Kernel> {
    vec![
        speelpenning(),
        newton(),
        log_sum_exp(),
        rosenbrock(),
        helmholtz(),
        fixed_point(),
        option_price(),
        monte_carlo(),
    ]
}

fn speelpenning() -> Kernel {
    fn point(n: usize) -> Point {
        // A product that neither overflows nor underflows for large n.
        let spread = (n / 4).max(4) as f64;
        let x = real_values(&[n], |k| 1.0 + wave(k, 0.7) / spread);
        vec![("n", integer_value(n)), ("x", x)]
    }
    let about = "Speelpenning's product x(1)*x(2)*...*x(n): one variable overwritten by a product with itself.";
    kernel("speelpenning", about, (6, Some(200_000)), point, |_| {
        let mut f = RoutineBuilder::new("speelpenning");
        let n = f.input("n", Integer);
        let x = f.input("x", Real.array([n]));
        let y = f.result("y", Real);
        let i = f.local("i", Integer);
        f.assign(y, 1.0);
        f.for_loop(i, 1, n, |f| f.assign(y, y * x.at(i)));
        f
    })
}

fn newton() -> Kernel {
    fn point(n: usize) -> Point {
        let a = real_values(&[n], |k| 1.5 + wave(k, 1.3));
        vec![("n", integer_value(n)), ("a", a), ("b", real_value(2.5))]
    }
    let about = "Sum of the real roots of x**3 + a(i)*x = b by Newton's method; the number of iterations \
                 depends on the data.";
    kernel("newton", about, (4, Some(20_000)), point, |_| {
        let mut f = RoutineBuilder::new("newton");
        let n = f.input("n", Integer);
        let a = f.input("a", Real.array([n]));
        let b = f.input("b", Real);
        let total = f.result("total", Real);
        let i = f.local("i", Integer);
        let x = f.local("x", Real);
        let rest = f.local("rest", Real);
        let cubic = || pow(x, 3) + a.at(i) * x - b;
        f.assign(total, 0.0);
        f.for_loop(i, 1, n, |f| {
            f.assign(x, b / (a.at(i) + 1.0));
            f.assign(rest, cubic());
            f.while_loop(gt(abs(rest), 1e-12), |f| {
                f.assign(x, x - rest / (3.0 * x * x + a.at(i)));
                f.assign(rest, cubic());
            });
            f.assign(total, total + x);
        });
        f
    })
}

fn log_sum_exp() -> Kernel {
    fn point(n: usize) -> Point {
        let x = real_values(&[n], |k| 3.0 * wave(k, 2.1));
        vec![("n", integer_value(n)), ("x", x)]
    }
    let about =
        "log(sum(exp(x))) shifted by the largest element, which a loop with a branch finds.";
    kernel("log_sum_exp", about, (7, Some(100_000)), point, |_| {
        let mut f = RoutineBuilder::new("log_sum_exp");
        let n = f.input("n", Integer);
        let x = f.input("x", Real.array([n]));
        let y = f.result("y", Real);
        let i = f.local("i", Integer);
        let m = f.local("m", Real);
        f.assign(m, x.at(1));
        f.for_loop(i, 2, n, |f| {
            f.if_then(gt(x.at(i), m), |f| f.assign(m, x.at(i)));
        });
        f.assign(y, 0.0);
        f.for_loop(i, 1, n, |f| f.assign(y, y + exp(x.at(i) - m)));
        f.assign(y, m + log(y));
        f
    })
}

fn rosenbrock() -> Kernel {
    fn point(n: usize) -> Point {
        let x = real_values(&[n], |k| 1.0 + wave(k, 0.9) / 2.0);
        vec![("n", integer_value(n)), ("x", x)]
    }
    let about = "Rosenbrock's function of n variables.";
    kernel("rosenbrock", about, (6, Some(200_000)), point, |_| {
        let mut f = RoutineBuilder::new("rosenbrock");
        let n = f.input("n", Integer);
        let x = f.input("x", Real.array([n]));
        let y = f.result("y", Real);
        let i = f.local("i", Integer);
        let valley = f.local("valley", Real);
        f.assign(y, 0.0);
        f.for_loop(i, 1, n - 1, |f| {
            f.assign(valley, x.at(i + 1) - pow(x.at(i), 2));
            f.assign(y, y + 100.0 * pow(valley, 2) + pow(1.0 - x.at(i), 2));
        });
        f
    })
}

fn helmholtz() -> Kernel {
    fn point(n: usize) -> Point {
        let x = real_values(&[n], |k| (1.0 + wave(k, 0.8).abs()) / (4.0 * n as f64));
        let b = real_values(&[n], |k| 0.5 + wave(k, 1.7) / 4.0);
        let a = real_values(&[n, n], |k| {
            let (i, j) = (k / n, k % n);
            1.0 + wave(i * j + i + j, 0.6) / 4.0
        });
        vec![
            ("n", integer_value(n)),
            ("x", x),
            ("b", b),
            ("a", a),
            ("rt", real_value(2.25)),
        ]
    }
    let about = "Helmholtz energy of a mixed fluid in a unit volume (the example of A. Griewank's book), \
                 differentiated with respect to the amounts x.";
    kernel("helmholtz", about, (5, Some(300)), point, |_| {
        let mut f = RoutineBuilder::new("helmholtz");
        let n = f.input("n", Integer);
        let x = f.input("x", Real.array([n]));
        let b = f.input("b", Real.array([n]));
        let a = f.input("a", Real.array([n, n]));
        let rt = f.input("rt", Real);
        let energy = f.result("energy", Real);
        f.independents([x]);
        let i = f.local("i", Integer);
        let j = f.local("j", Integer);
        let bx = f.local("bx", Real);
        let xax = f.local("xax", Real);
        let ideal = f.local("ideal", Real);
        f.assign(bx, 0.0);
        f.for_loop(i, 1, n, |f| f.assign(bx, bx + b.at(i) * x.at(i)));
        f.assign(ideal, 0.0);
        f.for_loop(i, 1, n, |f| {
            f.assign(ideal, ideal + x.at(i) * log(x.at(i) / (1.0 - bx)));
        });
        f.assign(xax, 0.0);
        f.for_loop(i, 1, n, |f| {
            f.for_loop(j, 1, n, |f| {
                f.assign(xax, xax + x.at(i) * a.at((i, j)) * x.at(j));
            });
        });
        let root = 2f64.sqrt();
        let ratio = (1.0 + (1.0 + root) * bx) / (1.0 + (1.0 - root) * bx);
        let attraction = xax / (8f64.sqrt() * bx) * log(ratio);
        f.assign(energy, rt * ideal - attraction);
        f
    })
}

fn fixed_point() -> Kernel {
    fn point(n: usize) -> Point {
        vec![
            ("n", integer_value(n)),
            ("a", real_values(&[n], |k| 0.75 + wave(k, 1.1) / 8.0)),
        ]
    }
    let about =
        "Sum of the solutions of x = cos(a(i)*x) by fixed-point iteration in a post-test loop.";
    kernel("fixed_point", about, (3, Some(5_000)), point, |_| {
        let mut f = RoutineBuilder::new("fixed_point");
        let n = f.input("n", Integer);
        let a = f.input("a", Real.array([n]));
        let total = f.result("total", Real);
        let i = f.local("i", Integer);
        let x = f.local("x", Real);
        let old = f.local("old", Real);
        f.assign(total, 0.0);
        f.for_loop(i, 1, n, |f| {
            f.assign(x, 0.5);
            f.repeat_while(gt(abs(x - old), 1e-13), |f| {
                f.assign(old, x);
                f.assign(x, cos(a.at(i) * x));
            });
            f.assign(total, total + x);
        });
        f
    })
}

fn option_price() -> Kernel {
    fn point(n: usize) -> Point {
        let strike = real_values(&[n], |k| 100.0 + 20.0 * wave(k, 0.9));
        vec![
            ("n", integer_value(n)),
            ("spot", real_value(104.0)),
            ("strike", strike),
            ("rate", real_value(0.03125)),
            ("volatility", real_value(0.25)),
            ("maturity", real_value(1.5)),
        ]
    }
    let about = "Value of a portfolio of European options (Black and Scholes); a call where the strike is \
                 above the spot, else a put.";
    kernel("option_price", about, (5, Some(20_000)), point, |_| {
        let mut f = RoutineBuilder::new("option_price");
        let n = f.input("n", Integer);
        let spot = f.input("spot", Real);
        let strike = f.input("strike", Real.array([n]));
        let rate = f.input("rate", Real);
        let volatility = f.input("volatility", Real);
        let maturity = f.input("maturity", Real);
        let value = f.result("value", Real);
        let i = f.local("i", Integer);
        let d1 = f.local("d1", Real);
        let d2 = f.local("d2", Real);
        let spread = f.local("spread", Real);
        let paid = f.local("paid", Real);
        let call = f.local("call", Real);
        let normal = |d: cfg_core::entity::VarId| 0.5 * erfc(-d / std::f64::consts::SQRT_2);
        f.assign(value, 0.0);
        f.assign(spread, volatility * sqrt(maturity));
        f.for_loop(i, 1, n, |f| {
            f.assign(
                d1,
                (log(spot / strike.at(i)) + rate * maturity) / spread + 0.5 * spread,
            );
            f.assign(d2, d1 - spread);
            f.assign(paid, strike.at(i) * exp(-(rate * maturity)));
            f.assign(call, spot * normal(d1) - paid * normal(d2));
            f.if_else(
                gt(strike.at(i), spot),
                |f| f.assign(value, value + call),
                |f| f.assign(value, value + (call - spot + paid)),
            );
        });
        f
    })
}

fn monte_carlo() -> Kernel {
    fn point(n: usize) -> Point {
        vec![
            ("n", integer_value(n)),
            ("drift", real_value(0.0625)),
            ("volatility", real_value(0.75)),
        ]
    }
    /// A constant; the types have these.
    fn number(ty: IntType, value: i128) -> Expr {
        Expr::sized(ty, value).unwrap_or(Expr::Int(0))
    }
    let about = "Mean over random draws of Marsaglia's xorshift generator (32 bits); an FNV-1a hash (64 bits) of the draws \
                 chooses what is summed.";
    kernel("monte_carlo", about, (7, None), point, |_| {
        let (word, long) = (IntType::Uint32, IntType::Uint64);
        let mut f = RoutineBuilder::new("monte_carlo");
        let n = f.input("n", Integer);
        let drift = f.input("drift", Real);
        let volatility = f.input("volatility", Real);
        let mean = f.result("mean", Real);
        let i = f.local("i", Integer);
        let s = f.local("s", Sized(word));
        let h = f.local("h", Sized(long));
        let path = f.local("path", Real);
        f.assign(mean, 0.0);
        f.assign(path, 1.0);
        f.assign(s, number(word, 2_463_534_242));
        f.assign(h, number(long, 14_695_981_039_346_656_037));
        f.for_loop(i, 1, n, |f| {
            for (shift, places) in [(Op::WrapShl, 13), (Op::LogicalShr, 17), (Op::WrapShl, 5)] {
                let moved = Expr::op(shift, [s.into(), number(word, places)]);
                f.assign(s, Expr::op(Op::BitXor, [s.into(), moved]));
            }
            let byte = Expr::op(Op::BitAnd, [s.into(), number(word, 255)]);
            let mixed = Expr::op(
                Op::BitXor,
                [
                    h.into(),
                    Expr::op(Op::Convert(Conversion::To, AnyInt::Sized(long)), [byte]),
                ],
            );
            f.assign(
                h,
                Expr::op(Op::WrapMul, [mixed, number(long, 1_099_511_628_211)]),
            );
            let uniform = Expr::op(Op::ToReal, [s.into()]) / 4_294_967_296.0;
            f.assign(path, path * exp(drift + volatility * (uniform - 0.5)));
            // A number without sign is compared.
            let upper = Expr::op(Op::Ge, [h.into(), number(long, 1 << 63)]);
            f.if_else(
                upper,
                |f| f.assign(mean, mean + path * path),
                |f| f.assign(mean, mean + sin(path)),
            );
        });
        f.assign(mean, mean / n);
        f
    })
}
