//! Every operator at nasty and at random values, as variables and as constants.

use crate::c::operators::{
    Code, Malformed, Pieces, apply, literal_integer, literal_logical, literal_real, literal_real32,
    literal_sized,
};
use crate::compiled::{Function, NAMES, check};
use crate::values::{Typed, all, meaning, nasty, random, worst};
use cfg_core::elemental::Scalar;
use cfg_core::ir::{Op, ScalarType};
use cfg_testkit::rng::Rng;

/// Random rows of each combination of types.
const RANDOM: usize = 150;

/// The most rows of nasty values; of more, some are taken.
const MOST: usize = 2500;

/// A variable in C.
pub(crate) fn variable(k: usize, ty: ScalarType) -> Code {
    Code::name(NAMES[k], ty)
}

/// A constant in C.
pub(crate) fn constant(x: Scalar) -> Code {
    match x {
        Scalar::Real(x) => literal_real(x),
        Scalar::Real32(x) => literal_real32(x),
        Scalar::Integer(n) => literal_integer(n),
        Scalar::Sized(ty, n) => literal_sized(ty, n),
        Scalar::Logical(b) => literal_logical(b),
    }
}

/// All combinations of these values, or some of them if there are too many.
fn combinations(rng: &mut Rng, values: &[Vec<Scalar>]) -> Vec<Vec<Scalar>> {
    let count: usize = values.iter().map(Vec::len).product();
    let row = |mut code: usize| {
        let mut row = Vec::new();
        for list in values {
            row.push(list[code % list.len()]);
            code /= list.len();
        }
        row
    };
    if count <= MOST {
        (0..count).map(row).collect()
    } else {
        (0..MOST).map(|_| row(rng.below(count))).collect()
    }
}

/// The operator in C, its operands variables but for those that are given; rows are the values of all operands.
fn function(
    case: &Typed,
    given: &[Option<Scalar>],
    rows: Vec<Vec<Scalar>>,
    pieces: &mut Pieces,
) -> Function {
    let mut parameters = Vec::new();
    let mut operands = Vec::new();
    for (&ty, x) in case.operands.iter().zip(given) {
        operands.push(match x {
            Some(x) => constant(*x),
            None => {
                parameters.push(ty);
                variable(parameters.len() - 1, ty)
            }
        });
    }
    let code = apply(case.op, operands, pieces).expect("well typed");
    assert_eq!(code.ty, case.result, "{case:?}");
    let rows = rows
        .into_iter()
        .filter_map(|row| {
            let expected = meaning(case.op, &row).ok()?;
            let open = row.iter().zip(given).filter(|(_, x)| x.is_none());
            Some((open.map(|(x, _)| *x).collect(), expected))
        })
        .collect();
    Function {
        label: format!("{} {:?}", case.op.name(), case.operands),
        parameters,
        result: case.result,
        text: code.to_string(),
        rows,
    }
}

#[test]
fn variables_have_the_executors_bits() {
    let mut pieces = Pieces::default();
    let mut rng = Rng::new(1);
    let mut functions = Vec::new();
    for case in all() {
        let values: Vec<_> = case.operands.iter().map(|&ty| nasty(ty)).collect();
        let mut rows = combinations(&mut rng, &values);
        for _ in 0..RANDOM {
            rows.push(
                case.operands
                    .iter()
                    .map(|&ty| random(&mut rng, ty))
                    .collect(),
            );
        }
        let given = vec![None; case.operands.len()];
        functions.push(function(&case, &given, rows, &mut pieces));
    }
    assert!(functions.iter().all(|f| !f.rows.is_empty()));
    check(&functions, &pieces, true);
}

#[test]
fn constants_have_the_executors_bits() {
    let mut pieces = Pieces::default();
    let mut rng = Rng::new(2);
    let mut functions = Vec::new();
    for case in all() {
        let n = case.operands.len();
        if n == 3 && case.op != Op::If {
            continue;
        }
        // One operand a constant, the others variables.
        for at in 0..n {
            for x in worst(case.operands[at]) {
                let values: Vec<_> = (0..n)
                    .map(|k| {
                        if k == at {
                            vec![x]
                        } else {
                            worst(case.operands[k])
                        }
                    })
                    .collect();
                let mut given = vec![None; n];
                given[at] = Some(x);
                let rows = combinations(&mut rng, &values);
                functions.push(function(&case, &given, rows, &mut pieces));
            }
        }
        // All constants; also those that have no value must compile.
        let values: Vec<_> = case.operands.iter().map(|&ty| worst(ty)).collect();
        let mut rows = combinations(&mut rng, &values);
        rng.shuffle(&mut rows);
        rows.truncate(8);
        for row in rows {
            let given: Vec<_> = row.iter().copied().map(Some).collect();
            functions.push(function(&case, &given, vec![row], &mut pieces));
        }
    }
    check(&functions, &pieces, false);
}

#[test]
fn powers_have_the_executors_bits() {
    let mut pieces = Pieces::default();
    let mut functions = Vec::new();
    for case in all().iter().filter(|c| c.op == Op::Pow) {
        if case.operands[1] != ScalarType::Integer {
            continue;
        }
        for n in (-70..=70).chain([1000, -1001, i64::MAX, i64::MIN]) {
            let n = Scalar::Integer(n);
            let rows = nasty(case.operands[0]).into_iter().map(|x| vec![x, n]);
            let given = [None, Some(n)];
            functions.push(function(case, &given, rows.collect(), &mut pieces));
        }
    }
    check(&functions, &pieces, true);
}

#[test]
fn what_is_malformed_is_refused() {
    let mut pieces = Pieces::default();
    for &op in Op::ALL {
        let logicals = vec![variable(0, ScalarType::Logical); 2];
        let result = apply(op, logicals, &mut pieces);
        let takes = matches!(op, Op::Eq | Op::Ne | Op::And | Op::Or);
        assert_eq!(result.is_ok(), takes, "{op:?}");
        assert_eq!(apply(op, Vec::new(), &mut pieces), Err(Malformed(op)));
    }
}
