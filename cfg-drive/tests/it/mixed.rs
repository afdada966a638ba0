//! Integers mixed with reals: every operator, the integer first and second, a variable and a constant.

use super::*;
use crate::flat;

/// All operators that take two numbers, and those that take three.
#[test]
fn integers_among_the_operands() {
    let mut compared = 0;
    for single in [false, true] {
        let ty = if single { Real32 } else { Real };
        let mut f = RoutineBuilder::new("f");
        let x = f.input("x", ty);
        let k = f.input("k", Integer);
        let mut outputs = Vec::new();
        for op in Op::ALL.iter().copied() {
            let binary = op.class() == cfg_core::ir::OpClass::Elemental
                && op.arity().0 <= 2
                && op.arity().1 >= 2
                && !op.is_of_integers()
                && !matches!(op, Op::And | Op::Or | Op::Polygamma);
            if !binary || matches!(op, Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge) {
                continue;
            }
            let x = || Expr::var(x);
            for integer in [Expr::var(k), Expr::Int(3)] {
                outputs.push(Expr::op(op, [integer.clone(), x()]));
                outputs.push(Expr::op(op, [x(), integer]));
            }
        }
        let fma = |a, b, c| Expr::op(Op::Fma, [a, b, c]);
        outputs.push(fma(Expr::var(k), Expr::var(x), Expr::Int(2)));
        outputs.push(fma(Expr::var(x), Expr::Int(2), Expr::var(k)));
        for op in [Op::Add, Op::Mul, Op::Min, Op::Max] {
            let three = [Expr::Int(2), Expr::var(x), Expr::var(k)];
            outputs.push(Expr::op(op, three));
        }
        let larger = |bound| Expr::op(Op::Gt, [Expr::var(x), Expr::Int(bound)]);
        outputs.push(Expr::op(Op::If, [larger(2), Expr::var(k), x * x]));
        outputs.push(Expr::op(Op::If, [larger(2), x * x, Expr::Int(5)]));
        let y = f.output("y", ty.array([outputs.len() as i64]));
        f.independents([x]).dependents([y]);
        for (i, value) in (1..).zip(outputs) {
            f.assign(y.at([Expr::Int(i)]), value);
        }
        let (program, f) = finish(f);
        for point in [r#"{"x": 1.75, "k": 3}"#, r#"{"x": 2.25, "k": 2}"#] {
            for blocks in [
                cfg_reverse::Blocks::Statement,
                cfg_reverse::Blocks::Preaccumulate,
            ] {
                let mut options = Options::default();
                options.reversal.blocks = blocks;
                let tolerances = Tolerances::default();
                let found = check(
                    &flat(&program),
                    f,
                    &options,
                    |t| t.read_point(point.as_bytes()),
                    tolerances,
                );
                let found = found.expect("it runs");
                assert_eq!(found.agrees(), Some(true), "{found:?}");
                compared += found.differences.compared;
            }
        }
    }
    assert!(compared > 0);
}
