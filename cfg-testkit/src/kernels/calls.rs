//! Routines that call each other: arguments, functions, recursion, globals, external functions.

use super::{Kernel, Point, integer_value, kernel, real_value, real_values, wave};
use cfg_core::builder::{RoutineBuilder, expr::*};
use cfg_core::ir::ScalarType::{Integer, Real};
use cfg_core::ir::{Dim, External, Partial};

pub(super) fn kernels() -> Vec<Kernel> {
    vec![
        neural_net(),
        quadrature(),
        power_series(),
        projectile(),
        given_partials(),
        views(),
    ]
}

fn neural_net() -> Kernel {
    fn point(n: usize) -> Point {
        let (inside, samples) = (n + 1, n);
        let matrix = |rows: usize, columns: usize, frequency: f64| {
            real_values(&[rows, columns], move |k| wave(k, frequency) / 2.0)
        };
        vec![
            ("n", integer_value(n)),
            ("hidden", integer_value(inside)),
            ("samples", integer_value(samples)),
            ("w1", matrix(inside, n, 0.9)),
            ("b1", real_values(&[inside], |k| wave(k, 2.9) / 4.0)),
            ("w2", matrix(2, inside, 1.1)),
            ("b2", real_values(&[2], |k| wave(k, 3.7) / 4.0)),
            ("x", real_values(&[samples, n], |k| wave(k, 1.7))),
            ("target", real_values(&[samples, 2], |k| wave(k, 0.4))),
        ]
    }
    let about = "Squared error of a network with one hidden layer over some samples; rows of matrices are \
                 passed as sections to formals of assumed shape.";
    kernel("neural_net", about, (3, Some(40)), point, |program| {
        let mut g = RoutineBuilder::new("layer");
        let w = g.input("w", Real.array([Dim::deferred(), Dim::deferred()]));
        let b = g.input("b", Real.array([Dim::deferred()]));
        let x = g.input("x", Real.array([Dim::deferred()]));
        let y = g.output("y", Real.array([Dim::deferred()]));
        let [i, j] = ["i", "j"].map(|name| g.local(name, Integer));
        let s = g.local("s", Real);
        g.for_loop(i, 1, size(y, 1), |g| {
            g.assign(s, b.at(i));
            g.for_loop(j, 1, size(x, 1), |g| {
                g.assign(s, s + w.at((i, j)) * x.at(j));
            });
            g.assign(y.at(i), tanh(s));
        });
        let layer = program.add(g);

        let mut f = RoutineBuilder::new("neural_net");
        let n = f.input("n", Integer);
        let hidden = f.input("hidden", Integer);
        let samples = f.input("samples", Integer);
        let w1 = f.input("w1", Real.array([hidden, n]));
        let b1 = f.input("b1", Real.array([hidden]));
        let w2 = f.input("w2", Real.array([Dim::from(2), Dim::from(hidden)]));
        let b2 = f.input("b2", Real.array([2]));
        let x = f.input("x", Real.array([samples, n]));
        let target = f.input("target", Real.array([Dim::from(samples), Dim::from(2)]));
        let loss = f.output("loss", Real);
        f.independents([w1, b1, w2, b2]);
        let h = f.local("h", Real.array([hidden]));
        let z = f.local("z", Real.array([2]));
        let [s, k] = ["s", "k"].map(|name| f.local(name, Integer));
        f.assign(loss, 0.0);
        f.for_loop(s, 1, samples, |f| {
            f.call(layer, exprs![w1, b1, x.at((s, full())), h]);
            f.call(layer, exprs![w2, b2, h, z]);
            f.for_loop(k, 1, 2, |f| {
                f.assign(loss, loss + 0.5 * pow(z.at(k) - target.at((s, k)), 2));
            });
        });
        f
    })
}

fn quadrature() -> Kernel {
    fn point(n: usize) -> Point {
        let p = real_values(&[2], |k| [0.75, 2.5][k]);
        vec![
            ("n", integer_value(n)),
            ("a", real_value(0.25)),
            ("b", real_value(2.0)),
            ("p", p),
        ]
    }
    let about =
        "Simpson's rule for exp(-p(1)*x)*cos(p(2)*x) on [a, b]: a function called in a loop.";
    kernel("quadrature", about, (5, Some(50_000)), point, |program| {
        let mut g = RoutineBuilder::new("integrand");
        let x = g.input("x", Real);
        let p = g.input("p", Real.array([2]));
        let y = g.result("y", Real);
        g.assign(y, exp(-(p.at(1) * x)) * cos(p.at(2) * x));
        let integrand = program.add(g);

        let mut f = RoutineBuilder::new("quadrature");
        let n = f.input("n", Integer);
        let a = f.input("a", Real);
        let b = f.input("b", Real);
        let p = f.input("p", Real.array([2]));
        let total = f.result("total", Real);
        let i = f.local("i", Integer);
        let [h, x, left, middle, right] =
            ["h", "x", "left", "middle", "right"].map(|name| f.local(name, Real));
        f.assign(h, (b - a) / n);
        f.assign(total, 0.0);
        f.call_function(right, integrand, exprs![a, p]);
        f.for_loop(i, 1, n, |f| {
            f.assign(left, right);
            f.assign(x, a + i * h);
            f.call_function(middle, integrand, exprs![x - 0.5 * h, p]);
            f.call_function(right, integrand, exprs![x, p]);
            f.assign(total, total + h / 6.0 * (left + 4.0 * middle + right));
        });
        f
    })
}

fn power_series() -> Kernel {
    fn point(n: usize) -> Point {
        let c = real_values(&[n], |k| wave(k, 0.9));
        vec![
            ("n", integer_value(n)),
            ("x", real_value(1.0 - 1.0 / (n + 1) as f64)),
            ("c", c),
        ]
    }
    let about =
        "Sum of c(k)*x**k with powers by repeated squaring in a function that calls itself.";
    kernel("power_series", about, (7, Some(10_000)), point, |program| {
        let power = program.declare("power");
        let mut g = RoutineBuilder::new("power");
        let x = g.input("x", Real);
        let k = g.input("k", Integer);
        let y = g.result("y", Real);
        let half = g.local("half", Real);
        g.if_else(
            eq(k, 0),
            |g| g.assign(y, 1.0),
            |g| {
                g.if_else(
                    eq(modulo(k, 2), 0),
                    |g| {
                        g.call_function(half, power, exprs![x, k / 2]);
                        g.assign(y, half * half);
                    },
                    |g| {
                        g.call_function(half, power, exprs![x, k - 1]);
                        g.assign(y, x * half);
                    },
                );
            },
        );
        program.define(power, g);

        let mut f = RoutineBuilder::new("power_series");
        let n = f.input("n", Integer);
        let x = f.input("x", Real);
        let c = f.input("c", Real.array([n]));
        let y = f.output("y", Real);
        let k = f.local("k", Integer);
        let xk = f.local("xk", Real);
        f.assign(y, 0.0);
        f.for_loop(k, 1, n, |f| {
            f.call_function(xk, power, [x, k]);
            f.assign(y, y + c.at(k) * xk);
        });
        f
    })
}

fn projectile() -> Kernel {
    fn point(n: usize) -> Point {
        vec![
            ("speed", real_value(12.0)),
            ("angle", real_value(0.875)),
            ("drag", real_value(0.0625)),
            ("steps_per_second", integer_value(8 * n)),
        ]
    }
    let about = "Range of a projectile with air drag. The state and the drag are global variables (a COMMON \
                 block, a module) that the main routine sets and another one advances; the number of steps \
                 depends on the flight.";
    kernel("projectile", about, (4, Some(20_000)), point, |program| {
        let state = program.global("state", Real.array([4]));
        let coefficient = program.global("coefficient", Real);
        let gravity = program.global("gravity", Real);
        program.initialize(gravity, [9.8125]);
        let calls = program.global("calls", Integer);
        program.initialize(calls, [0]);

        let mut g = RoutineBuilder::new("advance");
        let h = g.input("h", Real);
        let s = g.global(program.program(), state);
        let c = g.global(program.program(), coefficient);
        let weight = g.global(program.program(), gravity);
        let count = g.global(program.program(), calls);
        let v = g.local("v", Real);
        g.assign(count, count + 1);
        g.assign(v, sqrt(pow(s.at(3), 2) + pow(s.at(4), 2)));
        g.assign(s.at(3), s.at(3) - h * c * v * s.at(3));
        g.assign(s.at(4), s.at(4) - h * (weight + c * v * s.at(4)));
        g.assign(s.at(1), s.at(1) + h * s.at(3));
        g.assign(s.at(2), s.at(2) + h * s.at(4));
        let advance = program.add(g);

        let mut f = RoutineBuilder::new("projectile");
        let speed = f.input("speed", Real);
        let angle = f.input("angle", Real);
        let drag = f.input("drag", Real);
        let n = f.input("steps_per_second", Integer);
        let distance = f.output("distance", Real);
        let s = f.global(program.program(), state);
        let c = f.global(program.program(), coefficient);
        f.assign(c, drag);
        f.assign(s.at(1), 0.0);
        f.assign(s.at(2), 0.0);
        f.assign(s.at(3), speed * cos(angle));
        f.assign(s.at(4), speed * sin(angle));
        f.repeat_while(gt(s.at(2), 0.0), |f| {
            f.call(advance, [1.0 / real(n)]);
        });
        // Back along the last step to the ground.
        f.assign(distance, s.at(1) - s.at(2) * s.at(3) / s.at(4));
        f
    })
}

fn given_partials() -> Kernel {
    fn point(n: usize) -> Point {
        let x = real_values(&[n], |k| 1.0 + wave(k, 1.1) / 2.0);
        vec![
            ("n", integer_value(n)),
            ("x", x),
            ("depth", real_value(1.5)),
        ]
    }
    let about = "Sum of Morse potentials, an external function that is known by its value and its partial \
                 derivatives only.";
    kernel(
        "given_partials",
        about,
        (4, Some(50_000)),
        point,
        |program| {
            let mut g = RoutineBuilder::new("morse");
            let r = g.input("r", Real);
            let depth = g.input("depth", Real);
            g.result("energy", Real);
            let decay = || exp(1.0 - r);
            g.external(External {
                value: Some(depth * pow(1.0 - decay(), 2)),
                partials: Some(vec![
                    Partial {
                        parameter: r,
                        value: 2.0 * depth * (1.0 - decay()) * decay(),
                    },
                    Partial {
                        parameter: depth,
                        value: pow(1.0 - decay(), 2),
                    },
                ]),
            });
            let morse = program.add(g);

            let mut f = RoutineBuilder::new("given_partials");
            let n = f.input("n", Integer);
            let x = f.input("x", Real.array([n]));
            let depth = f.input("depth", Real);
            let y = f.output("y", Real);
            let i = f.local("i", Integer);
            let e = f.local("e", Real);
            f.assign(y, 0.0);
            f.for_loop(i, 1, n, |f| {
                f.call_function(e, morse, exprs![x.at(i), depth]);
                f.assign(y, y + e / i);
            });
            f
        },
    )
}

fn views() -> Kernel {
    fn point(n: usize) -> Point {
        vec![
            ("n", integer_value(n)),
            ("a", real_values(&[n, n], |k| 1.0 + wave(k, 0.7) / 2.0)),
        ]
    }
    let about = "Views of storage: a matrix passed to a vector, an element passed to an array (sequence \
                 association), a strided column passed to assumed shape, an element passed to a scalar.";
    kernel("views", about, (4, None), point, |program| {
        // Scales m consecutive cells and adds up their squares.
        let mut g = RoutineBuilder::new("cells");
        let m = g.input("m", Integer);
        let v = g.inout("v", Real.array([m]));
        let s = g.inout("s", Real);
        let i = g.local("i", Integer);
        g.for_loop(i, 1, m, |g| {
            g.assign(v.at(i), v.at(i) * (1.0 + 0.125 * i));
            g.assign(s, s + pow(v.at(i), 2));
        });
        let cells = program.add(g);

        // Running sums along a view of any stride.
        let mut g = RoutineBuilder::new("running");
        let v = g.inout("v", Real.array([Dim::deferred()]));
        let i = g.local("i", Integer);
        g.for_loop(i, 2, size(v, 1), |g| {
            g.assign(v.at(i), v.at(i) + v.at(i - 1) * v.at(i));
        });
        let running = program.add(g);

        let mut g = RoutineBuilder::new("twice");
        let v = g.inout("v", Real);
        g.assign(v, 2.0 * v);
        let twice = program.add(g);

        let mut f = RoutineBuilder::new("views");
        let n = f.input("n", Integer);
        let a = f.inout("a", Real.array([n, n]));
        let y = f.output("y", Real);
        let k = f.local("k", Integer);
        f.assign(y, 0.0);
        f.call(cells, exprs![n * n, a, y]);
        f.call(cells, exprs![n + 1, a.at((2, 2)), y]);
        f.for_loop(k, 1, n, |f| f.call(running, exprs![a.at((full(), k))]));
        f.call(running, exprs![a.at((2, strided(n, 1, -2)))]);
        f.assign(k, 3);
        f.call(twice, exprs![a.at((k, k - 1))]);
        f.assign(k, 1);
        f.call(cells, exprs![n, a.at((k, k + 2)), y]);
        f.assign(y, y + sum(a));
        f
    })
}
