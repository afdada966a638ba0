//! Values and partials against mpmath (`reference.tsv`, written by `reference.py`).

use super::*;

/// Largest relative error of a value in units of 2^-53: 2 ulp are 4 of them.
fn tolerance(op: Op, args: &[f64]) -> f64 {
    match op {
        // |n| - 1 rounded multiplications; pow is accurate beyond.
        Op::Pow if args[1].fract() == 0.0 => 4.0 + args[1].abs().min(64.0),
        Op::Gamma | Op::Lgamma => 16.0,
        // Close to a zero lgamma and digamma are accurate in the absolute sense.
        // The terms are greater than the sum.
        Op::Digamma if (1.0..2.0).contains(&args[0]) => 100.0,
        Op::Digamma => 12.0,
        // By logarithms of about 2e5.
        Op::Polygamma if args[0] > 10_000.0 => 1e6,
        Op::Polygamma => 32.0 + 4.0 * args[0],
        // a quotient of rounded operands, the remainder itself is exact
        Op::Modulo => 2.0,
        _ => 3.0,
    }
}

fn rows() -> impl Iterator<Item = (Op, Vec<Scalar>, Vec<f64>, f64, Vec<Option<f64>>)> {
    include_str!("reference.tsv").lines().map(|line| {
        let fields: Vec<&str> = line.split('\t').collect();
        let numbers =
            |s: &str| -> Vec<Option<f64>> { s.split(',').map(|x| x.parse().ok()).collect() };
        let powi = fields[0] == "powi";
        let op = if powi {
            Op::Pow
        } else {
            Op::from_name(fields[0]).expect("operator")
        };
        let args: Vec<f64> = numbers(fields[1]).into_iter().flatten().collect();
        let mut scalars = typed(op, &args);
        if powi {
            scalars[1] = Scalar::Integer(args[1] as i64);
        }
        let value = fields[2].parse().expect("value");
        (op, scalars, args, value, numbers(fields[3]))
    })
}

#[test]
fn values_and_partials() {
    let mut seen = std::collections::BTreeSet::new();
    let mut failures = Vec::new();
    for math in [Math::Native, Math::Portable] {
        for (op, scalars, args, value, partials) in rows() {
            seen.insert(op);
            let unit = f64::EPSILON / 2.0;
            let got = apply(op, &scalars, math).expect("value").to_f64();
            let off = error(got, value) / unit;
            if off > tolerance(op, &args) {
                failures.push(format!(
                    "{op:?}{args:?} {math:?}: {got:e} not {value:e}, {off} units"
                ));
            }
            for (k, want) in partials.into_iter().enumerate() {
                let Some(want) = want else { continue };
                let got = partial_value(op, &scalars, k, math);
                // exp(-x*x) amplifies the rounding of x*x; partials are a few operations long.
                let amplified = match op {
                    Op::Erf | Op::Erfc => args[0] * args[0],
                    Op::Gamma | Op::Pow => 10.0 + args.get(1).map_or(0.0, |n| n.abs().min(64.0)),
                    _ => 0.0,
                };
                let limit = 8.0 + 2.0 * tolerance(op, &args) + 2.0 * amplified;
                let off = error(got, want) / unit;
                if off > limit {
                    failures.push(format!(
                        "{op:?}{args:?} {math:?} partial {k}: {got:e} not {want:e}, {off} units"
                    ));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    let missing: Vec<_> = real_ops()
        .into_iter()
        .map(|(op, _)| op)
        .filter(|op| !seen.contains(op) && !matches!(op, Op::If | Op::ToReal | Op::ToReal32))
        .collect();
    assert!(missing.is_empty(), "no reference for {missing:?}");
}

/// The partial of `tanh` by its result is accurate to a few units in the last place of 1.
#[test]
fn tanh_by_its_result() {
    let operand = [Expr::var(VarId::new(0))];
    let result = Expr::var(VarId::new(1));
    for (op, scalars, args, _, partials) in rows().filter(|row| row.0 == Op::Tanh) {
        let p = partial(op, &operand, &[ScalarType::Real], 0, Some(&result)).expect("partial");
        for math in [Math::Native, Math::Portable] {
            let env = [scalars[0], apply(op, &scalars, math).expect("value")];
            let got = eval(&p.to_expr(ScalarType::Real), &env, math).expect("value");
            let want = partials[0].expect("a partial");
            let off = (got.to_f64() - want).abs();
            assert!(off <= 2.0 * f64::EPSILON, "{args:?}: {got:?} {want:e}");
        }
    }
}

/// Over 32-bit operands: partials have 32-bit type (asserted by `partial_value`) and 32-bit accuracy.
#[test]
fn real32() {
    for (op, scalars, args, _, partials) in rows() {
        let narrow: Vec<Scalar> = scalars
            .iter()
            .map(|x| match *x {
                Scalar::Real(x) => Scalar::Real32(x as f32),
                other => other,
            })
            .collect();
        let widened: Vec<Scalar> = narrow
            .iter()
            .map(|x| match *x {
                Scalar::Real32(x) => Scalar::Real(f64::from(x)),
                other => other,
            })
            .collect();
        let value = apply(op, &narrow, Math::Portable).expect("value");
        let wide = apply(op, &widened, Math::Portable).expect("value").to_f64();
        let rounded = Scalar::Real32(wide as f32).to_f64();
        // Functions of 32-bit reals are not the others, rounded.
        let limit = f64::from(f32::EPSILON) * 2.0 * wide.abs();
        let near =
            cfg_core::elemental::platform_dependent(op) && (value.to_f64() - wide).abs() <= limit;
        assert!(
            near || same(value.to_f64(), rounded),
            "{op:?} {args:?}: {value:?} {wide}"
        );
        for k in (0..partials.len()).filter(|&k| partials[k].is_some()) {
            let wide = partial_value(op, &widened, k, Math::Portable);
            let got = partial_value(op, &narrow, k, Math::Portable);
            let small = wide.abs() < 1e-30 || wide.abs() > 1e30 || !wide.is_finite();
            // Formulas with an intermediate result near 1, or large exponents, lose some 32-bit digits.
            let amplified = 4.0 + args.iter().fold(0.0, |a: f64, x| a.max(x.abs())).min(1e3);
            assert!(
                small || error(got, wide) < amplified * f64::from(f32::EPSILON),
                "{op:?} {args:?} partial {k}: {got:e} {wide:e}"
            );
        }
    }
}

/// Zeros of digamma and lgamma at negative arguments: accurate in the absolute sense.
#[test]
fn near_negative_zeros() {
    // mpmath: digamma(-0.504083008264455409) = 0, lgamma(-2.457024738220800622) = 0
    for math in [Math::Native, Math::Portable] {
        let value = |op, x| apply(op, &[Scalar::Real(x)], math).map(Scalar::to_f64);
        let digamma = |x| value(Op::Digamma, x).expect("value");
        assert!(digamma(-0.504_083_008_264_455_4).abs() < 2e-15);
        let lgamma = value(Op::Lgamma, -2.457_024_738_220_800_6).expect("value");
        assert!(lgamma.abs() < 4e-15, "{lgamma:e}");
        // digamma next to its positive zero 1.461632144968362341263: relative accuracy (mpmath).
        let near = digamma(1.461_632_144_968_362_2);
        assert!(error(near, -9.241_265_521_729_427e-17) < 1e-14, "{near:e}");
    }
}

#[test]
fn portable_math_is_close_to_native() {
    let mut rng = Rng(7);
    let mut failures = Vec::new();
    for (op, n) in real_ops() {
        for _ in 0..200 {
            let args: Vec<f64> = (0..n).map(|_| 3.0 * rng.unit()).collect();
            let args = typed(op, &args);
            let values = [Math::Native, Math::Portable]
                .map(|m| apply(op, &args, m).expect("value").to_f64());
            // Near zeros these are accurate in the absolute sense.
            let (limit, least) = match op {
                Op::Lgamma | Op::Digamma => (3e-15, 1.0),
                Op::Polygamma => (1e-13, 1.0),
                _ => (1e-15, 0.0),
            };
            let [native, portable] = values;
            let close =
                error(native, portable) < limit || (native - portable).abs() < limit * least;
            let wanted = cfg_core::elemental::platform_dependent(op);
            if !(if wanted {
                close
            } else {
                same(native, portable)
            }) {
                failures.push(format!("{op:?} {args:?} {values:?}"));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Orders far beyond any use still end, with the right limit.
#[test]
fn huge_orders() {
    for math in [Math::Native, Math::Portable] {
        let polygamma = cfg_core::elemental::polygamma(math);
        assert_eq!(polygamma(i64::MAX, 1e300), 0.0);
        assert_eq!(polygamma(i64::MAX, 1.0), f64::INFINITY);
        assert!(!polygamma(i64::MAX, 5e17).is_nan());
        assert_eq!(polygamma(i64::MAX - 1, 0.25), f64::NEG_INFINITY);
        assert_eq!(polygamma(300, -0.25), f64::INFINITY);
        assert_eq!(polygamma(300, -0.75), f64::NEG_INFINITY);
        assert_eq!(polygamma(301, -0.5), f64::INFINITY);
    }
}
