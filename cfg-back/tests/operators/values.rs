//! Values at which operators go wrong, and what operators mean there.

use cfg_core::elemental::{ArithmeticError, Math, Scalar, apply};
use cfg_core::ir::{IntType, Op, OpClass, ScalarType};
use cfg_core::typing::{self, Type};
use cfg_testkit::rng::Rng;

/// The types of scalars.
pub(crate) const TYPES: [ScalarType; 11] = [
    ScalarType::Real,
    ScalarType::Real32,
    ScalarType::Integer,
    ScalarType::Logical,
    ScalarType::Sized(IntType::Int8),
    ScalarType::Sized(IntType::Int16),
    ScalarType::Sized(IntType::Int32),
    ScalarType::Sized(IntType::Uint8),
    ScalarType::Sized(IntType::Uint16),
    ScalarType::Sized(IntType::Uint32),
    ScalarType::Sized(IntType::Uint64),
];

/// An operator over operands of these types.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Typed {
    pub(crate) op: Op,
    pub(crate) operands: Vec<ScalarType>,
    pub(crate) result: ScalarType,
}

/// Every elemental operator with every combination of types that it takes; those of any number with up to three.
pub(crate) fn all() -> Vec<Typed> {
    let mut found = Vec::new();
    for &op in Op::ALL {
        if op.class() != OpClass::Elemental {
            continue;
        }
        let (least, most) = op.arity();
        for n in least..=most.min(3) {
            for code in 0..TYPES.len().pow(n as u32) {
                let digit = |k: usize| TYPES[code / TYPES.len().pow(k as u32) % TYPES.len()];
                let operands: Vec<ScalarType> = (0..n).map(digit).collect();
                let types: Vec<Type> = operands.iter().map(|&ty| Type::scalar(ty)).collect();
                if let Ok(result) = typing::apply(op, &types) {
                    let result = result.ty;
                    found.push(Typed {
                        op,
                        operands,
                        result,
                    });
                }
            }
        }
    }
    found
}

/// The meaning of an operator. A NaN has no sign for the executor, so `sign(x, NaN)` must not see one.
pub(crate) fn meaning(op: Op, operands: &[Scalar]) -> Result<Scalar, ArithmeticError> {
    let operands: Vec<Scalar> = operands.iter().map(|&x| plain(x)).collect();
    apply(op, &operands, Math::Native).map(plain)
}

/// The value with the only NaN that the executor has.
pub(crate) fn plain(x: Scalar) -> Scalar {
    match x {
        Scalar::Real(x) if x.is_nan() => Scalar::Real(f64::NAN),
        Scalar::Real32(x) if x.is_nan() => Scalar::Real32(f32::NAN),
        Scalar::Real(_)
        | Scalar::Real32(_)
        | Scalar::Integer(_)
        | Scalar::Sized(..)
        | Scalar::Logical(_) => x,
    }
}

/// The word that stands for a value in the files of the compiled program.
pub(crate) fn word(x: Scalar) -> u64 {
    match x {
        Scalar::Real(x) => x.to_bits(),
        Scalar::Real32(x) => x.to_bits().into(),
        Scalar::Integer(n) | Scalar::Sized(_, n) => n as u64,
        Scalar::Logical(b) => b.into(),
    }
}

/// The value of a type that a word stands for; `None` if there is none.
pub(crate) fn of_word(ty: ScalarType, word: u64) -> Option<Scalar> {
    match ty {
        ScalarType::Real => Some(Scalar::Real(f64::from_bits(word))),
        ScalarType::Real32 => Some(Scalar::Real32(f32::from_bits(u32::try_from(word).ok()?))),
        ScalarType::Integer => Some(Scalar::Integer(word as i64)),
        ScalarType::Logical => (word < 2).then_some(Scalar::Logical(word == 1)),
        ScalarType::Sized(ty) => {
            let cell = word as i64;
            (ty.wrap(cell.into()) == cell).then_some(Scalar::Sized(ty, cell))
        }
        ScalarType::Tape | ScalarType::Record(_) | ScalarType::Pointer(_) => None,
    }
}

/// Nasty values of a type.
pub(crate) fn nasty(ty: ScalarType) -> Vec<Scalar> {
    match ty {
        ScalarType::Real => REALS.iter().map(|&x| Scalar::Real(x)).collect(),
        ScalarType::Real32 => SINGLES.iter().map(|&x| Scalar::Real32(x)).collect(),
        ScalarType::Integer => INTEGERS.iter().map(|&n| Scalar::Integer(n)).collect(),
        ScalarType::Logical => vec![Scalar::Logical(false), Scalar::Logical(true)],
        ScalarType::Sized(ty) => {
            let ends = [
                ty.min(),
                ty.min() + 1,
                ty.max(),
                ty.max() - 1,
                ty.max() / 2 + 1,
            ];
            let small = [
                0,
                1,
                2,
                7,
                i128::from(ty.bits()),
                i128::from(ty.bits()) - 1,
                -1,
                -2,
            ];
            let all = ends.into_iter().chain(small);
            all.filter_map(|n| Some(Scalar::Sized(ty, ty.cell(n)?)))
                .collect()
        }
        ScalarType::Tape | ScalarType::Record(_) | ScalarType::Pointer(_) => Vec::new(),
    }
}

/// The worst of them, for constants in the text.
pub(crate) fn worst(ty: ScalarType) -> Vec<Scalar> {
    let few: &[usize] = match ty {
        ScalarType::Real | ScalarType::Real32 => &[0, 1, 3, 6, 7, 8, 12, 13, 14],
        ScalarType::Integer => &[0, 1, 2, 3, 8, 10, 11],
        ScalarType::Sized(_) => &[0, 2, 3, 5, 6, 7],
        ScalarType::Logical | ScalarType::Tape | ScalarType::Record(_) | ScalarType::Pointer(_) => {
            &[0, 1]
        }
    };
    let all = nasty(ty);
    few.iter().filter_map(|&k| all.get(k).copied()).collect()
}

const REALS: &[f64] = &[
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -2.5,
    0.1,
    2.0,
    5e-324,
    -5e-324,
    1e-310,
    f64::MIN_POSITIVE,
    f64::MAX,
    f64::INFINITY,
    f64::NAN,
    f64::NEG_INFINITY,
    -f64::NAN,
    -f64::MAX,
    -2.0,
    3.0,
    -3.0,
    1.5,
    -7.0,
    10.0,
    -64.0,
    0.999_999_999_999_999_9,
    1.000_000_000_000_000_2,
    std::f64::consts::PI,
    1.461_632_144_968_362_2,
    20.25,
    171.7,
    -170.5,
    710.0,
    -745.2,
    1e16,
    4_503_599_627_370_497.5,
    9_007_199_254_740_993.0,
    9_223_372_036_854_775_808.0,
    -9_223_372_036_854_775_808.0,
    9_223_372_036_854_774_784.0,
    1e300,
    -1e300,
    1e22,
    -1e-8,
    1e-17,
];

const SINGLES: &[f32] = &[
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -2.5,
    0.1,
    2.0,
    1e-45,
    -1e-45,
    1e-40,
    f32::MIN_POSITIVE,
    f32::MAX,
    f32::INFINITY,
    f32::NAN,
    f32::NEG_INFINITY,
    -f32::NAN,
    -f32::MAX,
    -2.0,
    3.0,
    1.5,
    -7.0,
    10.0,
    0.999_999_94,
    1.000_000_1,
    std::f32::consts::PI,
    20.25,
    88.8,
    -103.5,
    16_777_217.0,
    8_388_609.5,
    9_223_372_036_854_775_808.0,
    -9_223_372_036_854_775_808.0,
    1e30,
    -1e-8,
];

const INTEGERS: &[i64] = &[
    0,
    1,
    -1,
    2,
    -2,
    3,
    -3,
    7,
    i64::MIN,
    i64::MIN + 1,
    i64::MAX,
    2_147_483_647,
    i64::MAX - 1,
    -7,
    10,
    62,
    63,
    64,
    65,
    -64,
    -65,
    2_147_483_648,
    -2_147_483_648,
    -2_147_483_649,
    3_037_000_500,
    16_777_217,
    9_007_199_254_740_993,
    -9_007_199_254_740_993,
    4_294_967_296,
    1_000_000,
    10_001,
];

/// A random value of a type: of any magnitude, or small.
pub(crate) fn random(rng: &mut Rng, ty: ScalarType) -> Scalar {
    let any = rng.percent(30);
    let small = rng.between(-4000, 4000) as f64 / 256.0;
    match ty {
        ScalarType::Real if any => Scalar::Real(f64::from_bits(rng.bits())),
        ScalarType::Real => Scalar::Real(small + rng.between(0, 1 << 30) as f64 * 1e-13),
        ScalarType::Real32 if any => Scalar::Real32(f32::from_bits(rng.bits() as u32)),
        ScalarType::Real32 => Scalar::Real32(small as f32),
        ScalarType::Integer if any => Scalar::Integer(rng.bits() as i64),
        ScalarType::Sized(ty) if any => Scalar::Sized(ty, ty.wrap(rng.bits().into())),
        ScalarType::Sized(ty) => Scalar::Sized(ty, ty.wrap(rng.between(-40, 40).into())),
        ScalarType::Integer | ScalarType::Tape | ScalarType::Record(_) | ScalarType::Pointer(_) => {
            Scalar::Integer(rng.between(-40, 40))
        }
        ScalarType::Logical => Scalar::Logical(rng.percent(50)),
    }
}
