//! Portable values, bit by bit: every elemental operator over reals, at the same points on every platform.

use super::*;
use cfg_core::elemental::{fma32, value_real32};
use cfg_testkit::golden::golden;
use std::fmt::Write as _;

/// Points of each operator.
const POINTS: usize = 256;

/// All NaN are the same.
fn bits(x: f64) -> u64 {
    if x.is_nan() {
        f64::NAN.to_bits()
    } else {
        x.to_bits()
    }
}

/// FNV-1a (Fowler, Noll, Vo), 64 bits.
fn hash(sum: u64, value: u64) -> u64 {
    let bytes = value.to_le_bytes();
    bytes.iter().fold(sum, |sum, &b| {
        (sum ^ u64::from(b)).wrapping_mul(0x100_0000_01b3)
    })
}

const START: u64 = 0xcbf2_9ce4_8422_2325;

/// For each operator the first points with their values, and hashes over all points: of the values, of the
/// partials, and of the values in single precision.
fn table() -> String {
    let mut text = String::new();
    let mut rng = Rng(11);
    for (op, n) in real_ops() {
        let [mut values, mut partials, mut narrow] = [START; 3];
        let mut shown = String::new();
        for point in 0..POINTS {
            let scale = [1.0, 3.0, 30.0, 600.0][point % 4];
            let args: Vec<f64> = (0..n).map(|_| scale * rng.unit()).collect();
            let scalars = typed(op, &args);
            let value = apply(op, &scalars, Math::Portable).expect("value").to_f64();
            values = hash(values, bits(value));
            if point < 2 {
                let args: Vec<String> = args.iter().map(|x| format!("{:016x}", bits(*x))).collect();
                write!(shown, " {} -> {:016x}", args.join(","), bits(value)).expect("a string");
            }
            for (k, x) in scalars.iter().enumerate() {
                if x.ty().is_real() {
                    let p = partial_value(op, &scalars, k, Math::Portable);
                    partials = hash(partials, bits(p));
                }
            }
            let single: Vec<f32> = args.iter().map(|x| *x as f32).collect();
            if let Some(value) = value_real32(op, &single, Math::Portable) {
                narrow = hash(narrow, bits(f64::from(value)));
            }
        }
        writeln!(
            text,
            "{} {n}:{shown}; {values:016x} {partials:016x} {narrow:016x}",
            op.name()
        )
        .expect("a string");
    }
    // Powers with integer exponents and the fused product have functions of their own.
    let [mut power, mut fused] = [START; 2];
    for n in -80..=80 {
        let x = 3.0 * rng.unit();
        let args = [Scalar::Real(x), Scalar::Integer(n)];
        let value = apply(Op::Pow, &args, Math::Portable)
            .expect("value")
            .to_f64();
        power = hash(power, bits(value));
        let [x, y, z] = [0; 3].map(|_| rng.unit() as f32);
        fused = hash(fused, bits(f64::from(fma32(Math::Portable)(x, y, z))));
    }
    writeln!(text, "powi: {power:016x}\nfma32: {fused:016x}").expect("a string");
    text
}

#[test]
fn portable_values_have_known_bits() {
    let table = table();
    for &op in Op::ALL {
        let real = real_ops().iter().any(|&(other, _)| other == op);
        let row = format!("\n{} ", op.name());
        assert_eq!(real, format!("\n{table}").contains(&row), "{op:?}");
        // The table marks every function that depends on the platform.
        assert!(
            real || !cfg_core::elemental::platform_dependent(op),
            "{op:?}"
        );
    }
    golden(
        concat!(env!("CARGO_MANIFEST_DIR"), "/tests/elemental/portable.txt"),
        &table,
    );
}
