//! Linear algebra.

use super::{Kernel, Point, integer_value, kernel, real_values, wave};
use cfg_core::builder::{RoutineBuilder, expr::*};
use cfg_core::ir::ScalarType::{Integer, Real};

pub(super) fn kernels() -> Vec<Kernel> {
    vec![matrix_product(), cholesky(), lu_solve(), thomas()]
}

fn matrix_product() -> Kernel {
    fn point(n: usize) -> Point {
        let a = real_values(&[n, n], |k| wave(k, 0.7));
        let b = real_values(&[n, n], |k| wave(k, 1.9));
        vec![("n", integer_value(n)), ("a", a), ("b", b)]
    }
    let about =
        "Sum of the squares of the elements of a matrix product: three loops inside each other.";
    kernel("matrix_product", about, (4, Some(100)), point, |_| {
        let mut f = RoutineBuilder::new("matrix_product");
        let n = f.input("n", Integer);
        let a = f.input("a", Real.array([n, n]));
        let b = f.input("b", Real.array([n, n]));
        let y = f.output("y", Real);
        let c = f.local("c", Real.array([n, n]));
        let [i, j, k] = ["i", "j", "k"].map(|name| f.local(name, Integer));
        f.assign(c, 0.0);
        f.for_loop(i, 1, n, |f| {
            f.for_loop(j, 1, n, |f| {
                f.for_loop(k, 1, n, |f| {
                    f.assign(c.at((i, j)), c.at((i, j)) + a.at((i, k)) * b.at((k, j)));
                });
            });
        });
        f.assign(y, 0.0);
        f.for_loop(i, 1, n, |f| {
            f.for_loop(j, 1, n, |f| f.assign(y, y + pow(c.at((i, j)), 2)));
        });
        f
    })
}

fn cholesky() -> Kernel {
    fn point(n: usize) -> Point {
        let a = real_values(&[n, n], |k| {
            let (i, j) = (k / n, k % n);
            let (low, high) = (i.min(j), i.max(j));
            let diagonal = if i == j { n as f64 } else { 0.0 };
            diagonal + wave(low * n + high, 0.8) / 2.0
        });
        vec![("n", integer_value(n)), ("a", a)]
    }
    let about = "Logarithm of the determinant of a symmetric positive definite matrix by Cholesky's \
                 factorization in place; only the lower triangle is read.";
    kernel("cholesky", about, (4, Some(100)), point, |_| {
        let mut f = RoutineBuilder::new("cholesky");
        let n = f.input("n", Integer);
        let a = f.inout("a", Real.array([n, n]));
        let y = f.output("y", Real);
        let [i, j, k] = ["i", "j", "k"].map(|name| f.local(name, Integer));
        let s = f.local("s", Real);
        f.assign(y, 0.0);
        f.for_loop(j, 1, n, |f| {
            f.assign(s, a.at((j, j)));
            f.for_loop(k, 1, j - 1, |f| f.assign(s, s - pow(a.at((j, k)), 2)));
            f.assign(a.at((j, j)), sqrt(s));
            f.assign(y, y + 2.0 * log(a.at((j, j))));
            f.for_loop(i, j + 1, n, |f| {
                f.assign(s, a.at((i, j)));
                f.for_loop(k, 1, j - 1, |f| {
                    f.assign(s, s - a.at((i, k)) * a.at((j, k)));
                });
                f.assign(a.at((i, j)), s / a.at((j, j)));
            });
        });
        f
    })
}

fn lu_solve() -> Kernel {
    fn point(n: usize) -> Point {
        let a = real_values(&[n, n], |k| {
            // Large elements off the diagonal, so that rows are exchanged.
            let (i, j) = (k / n, k % n);
            let large = if (i + 1) % n == j { 3.0 } else { 0.0 };
            large + wave(k, 1.7)
        });
        let b = real_values(&[n], |k| wave(k, 0.5));
        vec![("n", integer_value(n)), ("a", a), ("b", b)]
    }
    let about = "Weighted sum of squares of the solution of a linear system by LU factorization with partial \
                 pivoting; rows are exchanged in an integer array that is used as a subscript.";
    kernel("lu_solve", about, (4, Some(90)), point, |_| {
        let mut f = RoutineBuilder::new("lu_solve");
        let n = f.input("n", Integer);
        let a = f.inout("a", Real.array([n, n]));
        let b = f.inout("b", Real.array([n]));
        let y = f.output("y", Real);
        let p = f.local("p", Integer.array([n]));
        let x = f.local("x", Real.array([n]));
        let [i, j, k, m, t] = ["i", "j", "k", "m", "t"].map(|name| f.local(name, Integer));
        let q = f.local("q", Real);
        f.for_loop(i, 1, n, |f| f.assign(p.at(i), i));
        f.for_loop(k, 1, n - 1, |f| {
            f.assign(m, k);
            f.for_loop(i, k + 1, n, |f| {
                let larger = gt(abs(a.at((p.at(i), k))), abs(a.at((p.at(m), k))));
                f.if_then(larger, |f| f.assign(m, i));
            });
            f.assign(t, p.at(k));
            f.assign(p.at(k), p.at(m));
            f.assign(p.at(m), t);
            f.for_loop(i, k + 1, n, |f| {
                f.assign(q, a.at((p.at(i), k)) / a.at((p.at(k), k)));
                f.for_loop(j, k + 1, n, |f| {
                    let target = a.at((p.at(i), j));
                    f.assign(target.clone(), target - q * a.at((p.at(k), j)));
                });
                f.assign(b.at(p.at(i)), b.at(p.at(i)) - q * b.at(p.at(k)));
            });
        });
        f.assign(y, 0.0);
        f.for_step(i, n, 1, -1, |f| {
            f.assign(q, b.at(p.at(i)));
            f.for_loop(j, i + 1, n, |f| {
                f.assign(q, q - a.at((p.at(i), j)) * x.at(j));
            });
            f.assign(x.at(i), q / a.at((p.at(i), i)));
            f.assign(y, y + i * pow(x.at(i), 2));
        });
        f
    })
}

fn thomas() -> Kernel {
    fn point(n: usize) -> Point {
        let side = |frequency: f64| real_values(&[n], move |k| wave(k, frequency));
        let b = real_values(&[n], |k| 3.0 + wave(k, 0.9));
        vec![
            ("n", integer_value(n)),
            ("a", side(0.7)),
            ("b", b),
            ("c", side(1.3)),
            ("d", side(2.3)),
        ]
    }
    let about = "Tridiagonal system solved in place by the Thomas algorithm; the second sweep runs backwards.";
    kernel("thomas", about, (5, Some(50_000)), point, |_| {
        let mut f = RoutineBuilder::new("thomas");
        let n = f.input("n", Integer);
        let a = f.input("a", Real.array([n]));
        let b = f.inout("b", Real.array([n]));
        let c = f.input("c", Real.array([n]));
        let d = f.inout("d", Real.array([n]));
        let y = f.output("y", Real);
        let i = f.local("i", Integer);
        let w = f.local("w", Real);
        f.for_loop(i, 2, n, |f| {
            f.assign(w, a.at(i) / b.at(i - 1));
            f.assign(b.at(i), b.at(i) - w * c.at(i - 1));
            f.assign(d.at(i), d.at(i) - w * d.at(i - 1));
        });
        f.assign(d.at(n), d.at(n) / b.at(n));
        f.for_step(i, n - 1, 1, -1, |f| {
            f.assign(d.at(i), (d.at(i) - c.at(i) * d.at(i + 1)) / b.at(i));
        });
        f.assign(y, 0.0);
        f.for_loop(i, 1, n, |f| f.assign(y, y + d.at(i) * d.at(i)));
        f
    })
}
