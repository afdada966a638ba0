//! Differential equations.

use super::{Kernel, Point, integer_value, kernel, real_value, real_values, wave};
use crate::case::{Datum, Elements};
use cfg_core::builder::{RoutineBuilder, expr::*};
use cfg_core::entity::VarId;
use cfg_core::ir::ScalarType::{Integer, Real};
use cfg_core::ir::{Dim, Expr, Extent};

pub(super) fn kernels() -> Vec<Kernel> {
    vec![lorenz(), burgers(), heat(), laplace(), lennard_jones()]
}

fn lorenz() -> Kernel {
    fn point(n: usize) -> Point {
        let values = |v: [f64; 3]| Datum {
            extents: vec![3],
            elements: Elements::Real(v.to_vec()),
        };
        vec![
            ("steps", integer_value(n)),
            ("u", values([1.0, 2.0, 20.0])),
            ("p", values([10.0, 28.0, 2.625])),
        ]
    }
    let about = "The Lorenz equations by the classical Runge-Kutta method: calls with arrays inside a loop, \
                 statements over whole arrays.";
    kernel("lorenz", about, (10, Some(2_000)), point, |program| {
        let mut g = RoutineBuilder::new("slope");
        let u = g.input("u", Real.array([3]));
        let p = g.input("p", Real.array([3]));
        let du = g.output("du", Real.array([3]));
        g.assign(du.at(1), p.at(1) * (u.at(2) - u.at(1)));
        g.assign(du.at(2), u.at(1) * (p.at(2) - u.at(3)) - u.at(2));
        g.assign(du.at(3), u.at(1) * u.at(2) - p.at(3) * u.at(3));
        let slope = program.add(g);

        let mut f = RoutineBuilder::new("lorenz");
        let steps = f.input("steps", Integer);
        let u = f.inout("u", Real.array([3]));
        let p = f.input("p", Real.array([3]));
        let y = f.output("y", Real);
        let i = f.local("i", Integer);
        let [k1, k2, k3, k4, v] =
            ["k1", "k2", "k3", "k4", "v"].map(|name| f.local(name, Real.array([3])));
        let h = 0.0078125;
        f.for_loop(i, 1, steps, |f| {
            f.call(slope, [u, p, k1]);
            f.assign(v, u + 0.5 * h * k1);
            f.call(slope, [v, p, k2]);
            f.assign(v, u + 0.5 * h * k2);
            f.call(slope, [v, p, k3]);
            f.assign(v, u + h * k3);
            f.call(slope, [v, p, k4]);
            f.assign(u, u + (h / 6.0) * (k1 + 2.0 * k2 + 2.0 * k3 + k4));
        });
        f.assign(y, u.at(1) + 0.5 * u.at(2) + 0.25 * u.at(3));
        f
    })
}

fn burgers() -> Kernel {
    fn point(n: usize) -> Point {
        let u = real_values(&[n], |k| wave(k, 6.0 / n as f64));
        vec![
            ("n", integer_value(n)),
            ("steps", integer_value(n / 2)),
            ("u", u),
            ("c", real_value(0.25)),
        ]
    }
    let about =
        "Burgers' equation by upwind differences: the branch follows the sign of the velocity.";
    kernel("burgers", about, (8, Some(400)), point, |_| {
        let mut f = RoutineBuilder::new("burgers");
        let n = f.input("n", Integer);
        let steps = f.input("steps", Integer);
        let u = f.inout("u", Real.array([n]));
        let c = f.input("c", Real);
        let energy = f.output("energy", Real);
        let v = f.local("v", Real.array([n]));
        let [t, i] = ["t", "i"].map(|name| f.local(name, Integer));
        f.for_loop(t, 1, steps, |f| {
            f.for_loop(i, 2, n - 1, |f| {
                f.if_else(
                    gt(u.at(i), 0.0),
                    |f| f.assign(v.at(i), u.at(i) - c * u.at(i) * (u.at(i) - u.at(i - 1))),
                    |f| f.assign(v.at(i), u.at(i) - c * u.at(i) * (u.at(i + 1) - u.at(i))),
                );
            });
            f.for_loop(i, 2, n - 1, |f| f.assign(u.at(i), v.at(i)));
        });
        f.assign(energy, 0.0);
        f.for_loop(i, 1, n, |f| {
            f.assign(energy, energy + 0.5 * pow(u.at(i), 2));
        });
        f
    })
}

/// `0 .. n + 1` as a dimension.
fn with_boundary(n: VarId) -> Dim {
    Dim {
        lower: Expr::Int(0),
        extent: Extent::Fixed(n + 2),
    }
}

fn heat() -> Kernel {
    fn point(n: usize) -> Point {
        let u = real_values(&[n + 2], |k| wave(k, 4.0 / n as f64));
        vec![
            ("n", integer_value(n)),
            ("steps", integer_value(n)),
            ("u", u),
            ("r", real_value(0.3125)),
        ]
    }
    let about = "The heat equation by explicit Euler steps over sections of an array that starts at 0; the \
                 right side is complete before the left is written.";
    kernel("heat", about, (6, Some(400)), point, |_| {
        let mut f = RoutineBuilder::new("heat");
        let n = f.input("n", Integer);
        let steps = f.input("steps", Integer);
        let u = f.inout("u", Real.array([with_boundary(n)]));
        let r = f.input("r", Real);
        let total = f.output("total", Real);
        let t = f.local("t", Integer);
        let inner = || u.at(range(1, n));
        f.for_loop(t, 1, steps, |f| {
            let left = u.at(range(0, n - 1));
            let right = u.at(range(2, n + 1));
            f.assign(inner(), inner() + r * (left - 2.0 * inner() + right));
            f.assign(u.at(n + 1), u.at(n));
        });
        f.assign(total, sum(inner() * inner()));
        f
    })
}

fn laplace() -> Kernel {
    fn point(n: usize) -> Point {
        let u = real_values(&[n + 2, n + 2], |k| wave(k, 0.37));
        vec![
            ("n", integer_value(n)),
            ("sweeps", integer_value(4)),
            ("u", u),
            ("omega", real_value(1.25)),
        ]
    }
    let about = "Successive overrelaxation for Laplace's equation in place, in a matrix in column order with \
                 lower bounds 0; red and black points by loops with step 2.";
    kernel("laplace", about, (4, Some(200)), point, |_| {
        let mut f = RoutineBuilder::new("laplace");
        let n = f.input("n", Integer);
        let sweeps = f.input("sweeps", Integer);
        let grid = Real.array([with_boundary(n), with_boundary(n)]).column();
        let u = f.inout("u", grid);
        let omega = f.input("omega", Real);
        let y = f.output("y", Real);
        let [s, colour, i, j] = ["s", "colour", "i", "j"].map(|name| f.local(name, Integer));
        let mean = f.local("mean", Real);
        f.for_loop(s, 1, sweeps, |f| {
            f.for_loop(colour, 0, 1, |f| {
                f.for_loop(j, 1, n, |f| {
                    f.for_step(i, 1 + modulo(j + colour, 2), n, 2, |f| {
                        let across = u.at((i - 1, j)) + u.at((i + 1, j));
                        let along = u.at((i, j - 1)) + u.at((i, j + 1));
                        f.assign(mean, 0.25 * (across + along));
                        f.assign(u.at((i, j)), u.at((i, j)) + omega * (mean - u.at((i, j))));
                    });
                });
            });
        });
        f.assign(y, 0.0);
        f.for_loop(j, 0, n + 1, |f| {
            f.for_loop(i, 0, n + 1, |f| {
                f.assign(y, y + u.at((i, j)) * (1.0 + 0.5 * i));
            });
        });
        f
    })
}

fn lennard_jones() -> Kernel {
    fn point(n: usize) -> Point {
        // A cubic lattice, perturbed.
        let side = (1..).find(|s| s * s * s >= n).unwrap_or(1);
        let x = real_values(&[n, 3], |k| {
            let (i, d) = (k / 3, k % 3);
            let cell = i / side.pow(d as u32) % side;
            1.125 * cell as f64 + wave(k, 1.3) / 16.0
        });
        vec![("n", integer_value(n)), ("x", x)]
    }
    let about = "Energy of n particles with Lennard-Jones potentials cut off at a distance; the inner loop \
                 starts behind the outer index and is empty for the last particle.";
    kernel("lennard_jones", about, (5, Some(300)), point, |_| {
        let mut f = RoutineBuilder::new("lennard_jones");
        let n = f.input("n", Integer);
        let x = f.input("x", Real.array([Dim::from(n), Dim::from(3)]));
        let energy = f.result("energy", Real);
        let [i, j, d] = ["i", "j", "d"].map(|name| f.local(name, Integer));
        let r2 = f.local("r2", Real);
        let s = f.local("s", Real);
        f.assign(energy, 0.0);
        f.for_loop(i, 1, n, |f| {
            f.for_loop(j, i + 1, n, |f| {
                f.assign(r2, 0.0);
                f.for_loop(d, 1, 3, |f| {
                    f.assign(r2, r2 + pow(x.at((i, d)) - x.at((j, d)), 2));
                });
                f.if_then(lt(r2, 6.25), |f| {
                    f.assign(s, pow(r2, -3));
                    f.assign(energy, energy + 4.0 * (s * s - s));
                });
            });
        });
        f
    })
}
