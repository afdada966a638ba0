//! Partials against divided differences at random points.

use super::*;
use cfg_core::ir::Domain;

/// A random point inside the domain, away from most corners.
pub(crate) fn inside(op: Op, n: usize, rng: &mut Rng) -> Vec<f64> {
    let mut args: Vec<f64> = (0..n).map(|_| 3.0 * rng.unit()).collect();
    match op.info().domain {
        Domain::From(least) => args[0] = args[0].abs() + least + 0.3,
        Domain::Within(most) => args[0] *= most / 4.0,
        Domain::All | Domain::Finite | Domain::Except(_) | Domain::Poles => {}
    }
    match op {
        Op::Pow => args[0] = args[0].abs() + 0.2,
        Op::Polygamma => args[0] = (args[0].abs() * 2.0).floor(),
        _ => {}
    }
    args
}

/// The derivative of `e` by variable `v` as a sixth-order divided difference, and the largest magnitude of the values
/// it is made of; `None` at a point too close to a corner or a pole, told by differences of two step
/// sizes that do not agree.
pub(crate) fn slope(e: &Expr, args: &[Scalar], v: usize) -> Option<(f64, f64)> {
    let Scalar::Real(x) = args[v] else {
        return None;
    };
    let mut size: f64 = 0.0;
    let mut value = |x: f64| {
        let mut args = args.to_vec();
        args[v] = Scalar::Real(x);
        let value = eval(e, &args, Math::Native).expect("value").to_f64();
        size = size.max(value.abs());
        value
    };
    let mut central = |h: f64| {
        let d = |k: f64, value: &mut dyn FnMut(f64) -> f64| value(x + k * h) - value(x - k * h);
        (45.0 * d(1.0, &mut value) - 9.0 * d(2.0, &mut value) + d(3.0, &mut value)) / (60.0 * h)
    };
    let (coarse, fine) = (central(1.6e-3), central(8e-4));
    let scale = size.max(fine.abs()).max(1.0);
    ((coarse - fine).abs() <= 2e-9 * scale).then_some((fine, scale))
}

#[test]
fn random_points() {
    let mut rng = Rng(3);
    // Rounding to 32 bits is a staircase to differences.
    for (op, n) in real_ops().into_iter().filter(|x| x.0 != Op::ToReal32) {
        let operands = variables(n);
        let expr = Expr::op(op, operands);
        let (mut agreed, mut skipped) = (0, 0);
        for _ in 0..300 {
            let args = typed(op, &inside(op, n, &mut rng));
            for k in 0..n {
                if args[k].ty() != ScalarType::Real {
                    continue;
                }
                if let Some((slope, scale)) = slope(&expr, &args, k) {
                    let p = partial_value(op, &args, k, Math::Native);
                    assert!(
                        (slope - p).abs() < 1e-8 * scale,
                        "{op:?} {args:?} by {k}: {p} not {slope}"
                    );
                    agreed += 1;
                } else {
                    skipped += 1;
                }
            }
        }
        let most = match op {
            Op::Mod | Op::Modulo => agreed / 10,
            _ if op.info().domain == Domain::Poles => agreed / 4,
            _ => agreed / 25,
        };
        assert!(
            skipped <= most,
            "{op:?}: {agreed} agreed, {skipped} skipped"
        );
    }
}
