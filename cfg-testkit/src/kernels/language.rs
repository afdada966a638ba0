//! Arrays as a whole, types, conditional expressions, multi-way branches, integer data.

use super::{Kernel, Point, integer_value, kernel, real_value, real_values, wave};
use crate::case::{Datum, Elements};
use cfg_core::builder::{RoutineBuilder, expr::*};
use cfg_core::entity::VarId;
use cfg_core::ir::ScalarType::{Integer, Logical, Real, Real32};
use cfg_core::ir::{Dim, Expr};

pub(super) fn kernels() -> Vec<Kernel> {
    vec![
        whole_arrays(),
        single_precision(),
        bubble_sort(),
        linked_list(),
        state_machine(),
        elementals(),
        pieces(),
    ]
}

fn whole_arrays() -> Kernel {
    fn point(n: usize) -> Point {
        let x = real_values(&[n], |k| 1.0 + wave(k, 1.2) / 2.0);
        let a = real_values(&[n, n], |k| wave(k, 0.8));
        vec![("n", integer_value(n)), ("x", x), ("a", a)]
    }
    let about = "Elementwise statements over arrays and sections (reversed, strided, overlapping), \
                 reductions, a transposed matrix, an allocatable array.";
    kernel("whole_arrays", about, (6, Some(300)), point, |_| {
        let mut f = RoutineBuilder::new("whole_arrays");
        let n = f.input("n", Integer);
        let x = f.input("x", Real.array([n]));
        let a = f.inout("a", Real.array([n, n]));
        let y = f.output("y", Real);
        let w = f.local("w", Real.array([n]));
        let ends = f.local("ends", Real.array([Dim::deferred()]));
        let scale = f.local("scale", Real);
        f.assign(w, 2.0 * x - 1.0);
        // An array reversed onto itself, then a shifted copy: the right side is evaluated completely first.
        f.assign(w, w * w.at(strided(n, 1, -1)));
        f.assign(
            w.at(range(2, n)),
            w.at(range(1, n - 1)) + 0.5 * x.at(range(2, n)),
        );
        f.assign(w.at(strided(1, n, 2)), sin(w.at(strided(1, n, 2))));
        f.assign(a, a + transpose(a));
        f.assign(a.at((2, full())), a.at((full(), 1)) * x);
        f.assign(scale, maxval(a) - minval(w));
        f.assign(ends, w.at(strided(1, n, n - 1)) / scale);
        f.assign(
            y,
            sum(a * a) / scale + product(x.at(range(2, 4))) + sum(ends),
        );
        f.if_then(any(gt(w, 1.0)), |f| f.assign(y, y + w.at(n)));
        f.if_then(all(gt(x, 0.0)), |f| f.assign(y, y * scale));
        f
    })
}

fn single_precision() -> Kernel {
    fn point(n: usize) -> Point {
        let eighths = |k: usize, frequency: f64| (wave(k, frequency) * 16.0).round() / 8.0;
        let x = Datum {
            extents: vec![n],
            elements: Elements::Real32((0..n).map(|k| eighths(k, 0.9) as f32).collect()),
        };
        vec![("n", integer_value(n)), ("x", x), ("c", real_value(1.5))]
    }
    let about = "A polynomial with 32-bit coefficients by Horner's rule in 32 and in 64 bits; the point is \
                 chosen so that nothing is rounded.";
    kernel("single_precision", about, (5, None), point, |_| {
        let mut f = RoutineBuilder::new("single_precision");
        let n = f.input("n", Integer);
        let x = f.input("x", Real32.array([n]));
        let c = f.input("c", Real);
        let y = f.output("y", Real);
        let i = f.local("i", Integer);
        let narrow = f.local("narrow", Real32);
        let point = f.local("point", Real32);
        f.assign(narrow, 0f32);
        f.assign(point, real32(c));
        f.assign(y, 0.0);
        f.for_step(i, n, 1, -1, |f| {
            f.assign(narrow, narrow * point + x.at(i));
            f.assign(y, y * c + real(x.at(i)));
        });
        f.assign(y, y + 2.0 * real(narrow));
        f
    })
}

fn bubble_sort() -> Kernel {
    fn point(n: usize) -> Point {
        vec![
            ("n", integer_value(n)),
            ("x", real_values(&[n], |k| wave(k, 2.3))),
        ]
    }
    let about = "Weighted sum of the sorted elements: bubble sort in place with a logical variable that ends \
                 a post-test loop.";
    kernel("bubble_sort", about, (6, Some(400)), point, |_| {
        let mut f = RoutineBuilder::new("bubble_sort");
        let n = f.input("n", Integer);
        let x = f.inout("x", Real.array([n]));
        let y = f.output("y", Real);
        let [i, last] = ["i", "last"].map(|name| f.local(name, Integer));
        let swapped = f.local("swapped", Logical);
        let t = f.local("t", Real);
        f.assign(last, n);
        f.repeat_while(swapped, |f| {
            f.assign(swapped, false);
            f.assign(last, last - 1);
            f.for_loop(i, 1, last, |f| {
                f.if_then(gt(x.at(i), x.at(i + 1)), |f| {
                    f.assign(t, x.at(i));
                    f.assign(x.at(i), x.at(i + 1));
                    f.assign(x.at(i + 1), t);
                    f.assign(swapped, true);
                });
            });
        });
        f.assign(y, 0.0);
        f.for_loop(i, 1, n, |f| f.assign(y, y + i * pow(x.at(i), 2)));
        f
    })
}

fn linked_list() -> Kernel {
    fn point(n: usize) -> Point {
        // One cycle through all elements.
        let step = (2..n).find(|s| {
            (1..=*s)
                .filter(|d| s % d == 0 && n.is_multiple_of(*d))
                .count()
                == 1
        });
        let step = step.unwrap_or(1);
        let next = Datum {
            extents: vec![n],
            elements: Elements::Integer((0..n).map(|k| ((k + step) % n + 1) as i64).collect()),
        };
        let a = real_values(&[n], |k| 1.0 + wave(k, 0.6) / 4.0);
        vec![("n", integer_value(n)), ("next", next), ("a", a)]
    }
    let about = "Follows a list through an array of integers that is rewritten on the way: overwritten \
                 elements at overwritten indices.";
    kernel("linked_list", about, (7, Some(100_000)), point, |_| {
        let mut f = RoutineBuilder::new("linked_list");
        let n = f.input("n", Integer);
        let next = f.inout("next", Integer.array([n]));
        let a = f.inout("a", Real.array([n]));
        let y = f.output("y", Real);
        let [i, j, hops] = ["i", "j", "hops"].map(|name| f.local(name, Integer));
        f.assign(y, 0.0);
        f.assign(i, 1);
        f.assign(hops, 0);
        f.while_loop(lt(hops, 2 * n), |f| {
            f.assign(j, i);
            f.assign(i, next.at(i));
            // i = j is possible after the list has been changed.
            f.assign(a.at(i), 0.5 * a.at(j) * a.at(i) + 0.25);
            f.if_then(eq(modulo(hops, 3), 2), |f| f.assign(next.at(j), next.at(i)));
            f.assign(y, y + a.at(i) * a.at(j));
            f.assign(hops, hops + 1);
        });
        f
    })
}

fn state_machine() -> Kernel {
    fn point(n: usize) -> Point {
        let codes = (0..n)
            .map(|k| [3, -7, 12, 0, 5, 41, 8, 3, -1, 12, 6][k % 11])
            .collect();
        let code = Datum {
            extents: vec![n],
            elements: Elements::Integer(codes),
        };
        vec![
            ("n", integer_value(n)),
            ("code", code),
            ("x", real_value(0.75)),
            ("w", real_value(1.25)),
        ]
    }
    let about = "A branch with many arms inside a loop: single values, ranges, a range without end, an empty \
                 arm and a default that is not the last.";
    kernel("state_machine", about, (11, Some(100_000)), point, |_| {
        let mut f = RoutineBuilder::new("state_machine");
        let n = f.input("n", Integer);
        let code = f.input("code", Integer.array([n]));
        let x = f.input("x", Real);
        let w = f.input("w", Real);
        let y = f.output("y", Real);
        let i = f.local("i", Integer);
        let v = f.local("v", Real);
        f.assign(v, x);
        f.assign(y, 0.0);
        f.for_loop(i, 1, n, |f| {
            f.cases(code.at(i), |arms| {
                arms.arm([3, 8], |f| f.assign(v, sin(v * w)));
                arms.arm([0], |_| {});
                arms.default(|f| f.assign(v, v + 0.125));
                arms.arm([5..=6], |f| {
                    f.assign(v, v * v - w);
                    f.assign(y, y + v);
                });
                arms.arm(
                    [cfg_core::ir::CaseRange {
                        lower: None,
                        upper: Some(-1),
                    }],
                    |f| {
                        f.if_else(gt(v, 0.5), |f| f.assign(v, v / w), |f| f.assign(v, v * w));
                    },
                );
                arms.arm([40..=44, 50..=54], |f| f.assign(v, exp(-v)));
            });
            f.assign(y, y + v / i);
        });
        f
    })
}

fn elementals() -> Kernel {
    fn point(_: usize) -> Point {
        vec![("x", real_value(0.625)), ("z", real_value(1.75))]
    }
    let about = "Elementary functions, each on its own.";
    kernel("elementals", about, (2, None), point, |_| {
        let mut f = RoutineBuilder::new("elementals");
        let x = f.input("x", Real);
        let z = f.input("z", Real);
        let y = f.output("y", Real);
        f.assign(y, 0.0);
        let unary: [fn(VarId) -> Expr; 21] = [
            sqrt, cbrt, exp, expm1, log, log1p, log2, log10, sin, cos, tan, asin, acos, atan, sinh,
            cosh, tanh, asinh, atanh, erf, erfc,
        ];
        for (k, function) in unary.into_iter().enumerate() {
            let factor = 1.0 + k as f64 / 8.0;
            f.assign(y, y + factor * function(x));
        }
        f.assign(y, y + acosh(z) * atan2(x, z));
        f.assign(y, y + hypot(x, z) / pow(z, x));
        f.assign(y, y + pow(x, -3) * fma(x, z, y));
        f
    })
}

fn pieces() -> Kernel {
    fn point(n: usize) -> Point {
        vec![
            ("n", integer_value(n)),
            ("x", real_values(&[n], |k| 2.0 * wave(k, 1.4))),
            ("c", real_value(0.75)),
        ]
    }
    let about = "Piecewise functions away from their kinks: abs, min, max, sign, dim, mod, rounding, \
                 conditional expressions, operators that do not evaluate what they do not need.";
    kernel("pieces", about, (6, Some(100_000)), point, |_| {
        let mut f = RoutineBuilder::new("pieces");
        let n = f.input("n", Integer);
        let x = f.input("x", Real.array([n]));
        let c = f.input("c", Real);
        let y = f.output("y", Real);
        let i = f.local("i", Integer);
        let v = f.local("v", Real);
        f.assign(y, 0.0);
        f.assign(v, 0.0);
        f.for_loop(i, 1, n, |f| {
            f.assign(
                v,
                abs(x.at(i)) * c + max(x.at(i), 0.25 * c) - min(v, x.at(i) * x.at(i)),
            );
            f.assign(
                v,
                v + sign(c, x.at(i)) + dim(x.at(i), c) + modulus(5.0 * x.at(i), c),
            );
            f.assign(
                y,
                y + cond(gt(v, 1.0), v * v, c * v) * (1.0 + floor(x.at(i))),
            );
            // x(i + 1) is read only if there is one.
            f.if_then(and(lt(i, n), gt(x.at(i + 1), x.at(i))), |f| {
                f.assign(y, y + c * v);
            });
        });
        f
    })
}
