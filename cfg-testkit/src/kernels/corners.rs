//! Shapes of graphs and loops that are rare in practice and easy to get wrong.

use super::{Kernel, Point, integer_value, kernel, real_value, real_values, wave};
use cfg_core::builder::{RoutineBuilder, expr::*};
use cfg_core::ir::ScalarType::{Integer, Real};

pub(super) fn kernels() -> Vec<Kernel> {
    vec![loop_kinds(), every_pair(), changed_bounds(), same_element()]
}

fn loop_kinds() -> Kernel {
    fn point(n: usize) -> Point {
        vec![
            ("n", integer_value(n)),
            ("x", real_value(0.875)),
            ("a", real_values(&[n], |k| 1.0 + wave(k, 1.0) / 8.0)),
        ]
    }
    let about = "Pre-test, post-test and counted loops; steps of 1, 2, -1 and -3 that hit the bound or do \
                 not; loops without a pass, empty bodies, the index after the loop.";
    kernel("loop_kinds", about, (7, None), point, |_| {
        let mut f = RoutineBuilder::new("loop_kinds");
        let n = f.input("n", Integer);
        let x = f.input("x", Real);
        let a = f.inout("a", Real.array([n]));
        let y = f.output("y", Real);
        let [i, k] = ["i", "k"].map(|name| f.local(name, Integer));
        f.assign(y, x);
        f.for_step(i, 1, n, 2, |f| f.assign(y, y * a.at(i)));
        f.for_step(i, n, 1, -3, |f| f.assign(y, sin(y) + a.at(i)));
        f.for_step(i, 2, n, 4, |f| f.assign(a.at(i), a.at(i) * y));
        // No pass: the bound is behind the first value, or the step goes away from it.
        f.for_loop(i, n, 1, |f| f.assign(y, y / 0.0));
        f.for_step(i, 1, n, -1, |f| f.assign(y, y / 0.0));
        f.assign(y, y + i * x);
        f.assign(k, n);
        f.while_loop(lt(k, n), |f| f.assign(y, 0.0));
        f.repeat_while(gt(k, n), |f| f.assign(y, y * x));
        f.repeat_while(gt(k, 2), |f| {
            f.assign(y, y + a.at(k));
            f.assign(k, k - 2);
        });
        f.for_loop(i, 1, 3, |_| {});
        f.while_loop(gt(k, n), |_| {});
        f.assign(y, y * (i + k));
        f.while_loop(lt(y, 60.0), |f| f.assign(y, 1.5 * y + a.at(2)));
        f
    })
}

fn every_pair() -> Kernel {
    fn point(n: usize) -> Point {
        vec![
            ("n", integer_value(n)),
            ("x", real_values(&[n], |k| 1.0 + wave(k, 1.6) / 2.0)),
        ]
    }
    let about = "Together its routines have every legal pair of adjacent vertex types.";
    kernel("every_pair", about, (5, None), point, |program| {
        let nothing = program.add(RoutineBuilder::new("nothing"));

        let mut g = RoutineBuilder::new("loops");
        let n = g.input("n", Integer);
        let x = g.inout("x", Real.array([n]));
        let [i, j] = ["i", "j"].map(|name| g.local(name, Integer));
        // ENTRY -> LOOP; a body that is a loop; an inner exit edge that runs into the outer ENDLOOP.
        g.for_loop(i, 1, 2, |g| {
            g.for_loop(j, i, n, |g| g.assign(x.at(j), x.at(j) * x.at(i)));
        });
        // LOOP -> LOOP; a body that is a branch and ends with one; LOOP -> BRANCH.
        g.for_loop(i, 1, n, |g| {
            g.if_then(gt(x.at(i), 1.0), |g| {
                g.assign(x.at(i), sqrt(x.at(i)));
                g.block();
                g.assign(x.at(i), x.at(i) + 0.25);
            });
        });
        g.if_else(
            gt(x.at(1), x.at(2)),
            // BRANCH -> LOOP; LOOP -> ENDBRANCH.
            |g| g.for_loop(i, 2, n, |g| g.assign(x.at(i), x.at(i) * x.at(i - 1))),
            |g| g.assign(x.at(1), x.at(1) * x.at(2)),
        );
        // ENDBRANCH -> LOOP; LOOP -> EXIT; an empty body.
        g.for_loop(i, 1, n, |_| {});
        let loops = program.add(g);

        let mut g = RoutineBuilder::new("branches");
        let n = g.input("n", Integer);
        let x = g.inout("x", Real.array([n]));
        let i = g.local("i", Integer);
        // ENTRY -> BRANCH -> BRANCH; ENDBRANCH -> ENDBRANCH.
        g.if_then(gt(x.at(1), 0.5), |g| {
            g.if_then(gt(x.at(2), 0.5), |g| g.assign(x.at(1), x.at(1) * x.at(2)));
        });
        // ENDBRANCH -> BRANCH with empty arms between the same two vertices.
        g.if_then(gt(x.at(1), 2.0), |_| {});
        g.for_loop(i, 1, n, |g| {
            g.assign(x.at(i), x.at(i) + 0.5);
            // BLOCK -> LOOP; BLOCK -> ENDLOOP; ENDBRANCH -> BLOCK.
            g.while_loop(gt(x.at(i), 1.0), |g| {
                g.if_else(
                    gt(x.at(i), 1.5),
                    |g| g.assign(x.at(i), x.at(i) / 1.5),
                    |g| g.assign(x.at(i), pow(x.at(i), 2) - 1.0),
                );
                g.assign(x.at(i), 0.75 * x.at(i));
            });
        });
        // LOOP -> BLOCK -> BRANCH; ENDBRANCH -> EXIT.
        g.assign(x.at(2), x.at(2) * x.at(1));
        g.if_then(lt(x.at(2), 0.0), |g| g.assign(x.at(2), -x.at(2)));
        let branches = program.add(g);

        let mut f = RoutineBuilder::new("every_pair");
        let n = f.input("n", Integer);
        let x = f.inout("x", Real.array([n]));
        let y = f.output("y", Real);
        f.call_with(nothing, vec![], None);
        f.call(loops, [n, x]);
        f.call(branches, [n, x]);
        f.assign(y, sum(x * x));
        f
    })
}

fn changed_bounds() -> Kernel {
    fn point(n: usize) -> Point {
        vec![
            ("n", integer_value(n)),
            ("x", real_values(&[n], |k| 1.0 + wave(k, 0.9) / 4.0)),
        ]
    }
    let about = "Counted loops whose first, last and step are variables that the body overwrites: they were \
                 evaluated on entry, and the reverse sweep must know with which values.";
    kernel("changed_bounds", about, (8, None), point, |_| {
        let mut f = RoutineBuilder::new("changed_bounds");
        let n = f.input("n", Integer);
        let x = f.inout("x", Real.array([n]));
        let y = f.output("y", Real);
        let [i, j, first, last, step] =
            ["i", "j", "first", "last", "step"].map(|name| f.local(name, Integer));
        f.assign(y, 1.0);
        f.assign(first, 2);
        f.assign(last, n);
        f.assign(step, 3);
        f.for_step(i, first, last, step, |f| {
            f.assign(y, y * x.at(i));
            f.assign(last, last - 1);
            f.assign(step, step - 1);
            f.assign(first, i);
            f.for_step(j, last, first, -1, |f| f.assign(x.at(j), x.at(j) * y));
        });
        // The index in its own bounds: its old value counts.
        f.for_loop(i, i - 4, i - 2, |f| f.assign(y, y + x.at(modulo(i, n) + 1)));
        f
    })
}

fn same_element() -> Kernel {
    fn point(n: usize) -> Point {
        vec![
            ("n", integer_value(n)),
            ("a", real_values(&[n], |k| 1.0 + wave(k, 0.8) / 2.0)),
            ("w", real_value(0.625)),
        ]
    }
    let about = "Statements that read what they overwrite: v := phi(v, w), and a(i) := phi(a(j), a(i)) in \
                 which i and j are sometimes equal.";
    kernel("same_element", about, (6, None), point, |_| {
        let mut f = RoutineBuilder::new("same_element");
        let n = f.input("n", Integer);
        let a = f.inout("a", Real.array([n]));
        let w = f.input("w", Real);
        let y = f.output("y", Real);
        let [i, j] = ["i", "j"].map(|name| f.local(name, Integer));
        let v = f.local("v", Real);
        f.assign(v, w);
        f.for_loop(i, 1, n, |f| {
            f.for_step(j, n, 1, -2, |f| {
                f.assign(a.at(i), 0.5 * a.at(j) * a.at(i));
                f.assign(v, v * w + a.at(i));
                f.assign(a.at(j), a.at(j) + sin(v));
            });
        });
        f.assign(y, v * sum(a));
        f.assign(y, y * y);
        f
    })
}
