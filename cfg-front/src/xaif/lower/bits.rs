//! Operations on the bits of integers.

use crate::xaif::{
    lower::{
        Lower,
        intrinsics::Failure,
        transformational::{Outcome, unsupported_failure},
        typed::Typed,
    },
    read::xml::NodeId,
};
use cfg_core::{
    builder::{RoutineBuilder, expr::*},
    ir::{Expr, Op, ScalarType},
};

impl Lower<'_, '_> {
    /// Operations on the bits of integers, in two's complement.
    pub(crate) fn lower_bits(
        &mut self,
        v: NodeId,
        stem: &str,
        operands: Vec<Typed>,
    ) -> Outcome<Option<Typed>> {
        let mut given = Vec::new();
        for operand in operands {
            if operand.rank > 0 {
                return Err(unsupported_failure("bits of arrays"));
            }
            given.push(self.convert_to_integer(operand)?);
        }
        let int = ScalarType::Integer;
        // Operands occur several times below, so they are evaluated into temporaries first.
        let mut leaves = Vec::new();
        for operand in given {
            let Some(operand) = (if operand.depth > 1 {
                self.spill_value(v, operand)
            } else {
                Some(operand)
            }) else {
                return Ok(None);
            };
            leaves.push(operand.expr);
        }
        let flat = |expr: Expr, ty| {
            Ok(Some(Typed {
                depth: 8,
                ..Typed::leaf(expr, ty)
            }))
        };
        let power = |k: Expr| Expr::op(Op::Pow, [Expr::Int(2), k]);
        match (stem, leaves.as_slice()) {
            ("not" | "bnot" | "inot", [a]) => flat(Expr::Int(-1) - a.clone(), int),
            (
                "iand" | "band" | "and" | "ior" | "bior" | "or" | "ieor" | "ixor" | "bxor" | "xor",
                [_, _],
            ) => {
                let op = match stem {
                    "iand" | "band" | "and" => "iand",
                    "ior" | "bior" | "or" => "ior",
                    _ => "ieor",
                };
                let callee = self.helpers.get(&format!("oad_{op}"), |b| bitwise(b, op));
                let target = self.declare_temporary(int, 0);
                leaves.push(Expr::var(target));
                let Some(callee) = callee else {
                    return Ok(None);
                };
                self.call_helper(v, callee, leaves);
                Ok(Some(Typed::leaf(Expr::var(target), int)))
            }
            ("btest" | "ibset" | "ibclr", [i, k]) => {
                let next = power(k.clone() + 1);
                let test = ge(Expr::op(Op::Modulo, [i.clone(), next]), power(k.clone()));
                match stem {
                    "btest" => flat(test, ScalarType::Logical),
                    "ibset" => flat(
                        Expr::op(Op::If, [test, i.clone(), i.clone() + power(k.clone())]),
                        int,
                    ),
                    _ => flat(
                        Expr::op(Op::If, [test, i.clone() - power(k.clone()), i.clone()]),
                        int,
                    ),
                }
            }
            ("shl" | "lshift" | "shiftl", [i, k]) => flat(shifted(i, k.clone()), int),
            ("shr" | "rshift" | "shiftr" | "lshr" | "ashr", [i, k]) => {
                flat(shifted(i, Expr::op(Op::Neg, [k.clone()])), int)
            }
            ("ishft", [i, k]) => flat(shifted(i, k.clone()), int),
            (_, list) => Err(Failure::Count(format!("it has {} operands", list.len()))),
        }
    }
}

/// A shift to the left by k, to the right if k is negative. The document does not say how wide the
/// integer is, so where that matters (bits that leave 32, zeros that enter a negative number) it is an error
/// when the program runs: a division by zero.
fn shifted(i: &Expr, k: Expr) -> Expr {
    let power = |k: Expr| Expr::op(Op::Pow, [Expr::Int(2), k]);
    let wrong = Expr::op(Op::Div, [Expr::Int(1), k.clone() - k.clone()]);
    let left = i.clone() * power(k.clone());
    let fits = lt(abs(left.clone()), Expr::Int(1 << 31));
    let right = i.clone() / power(Expr::op(Op::Neg, [k.clone()]));
    let choose = |c: Expr, a: Expr, b: Expr| Expr::op(Op::If, [c, a, b]);
    let left = choose(fits, left, wrong.clone());
    let right = choose(ge(i.clone(), 0), right, wrong);
    choose(ge(k, 0), left, right)
}

/// Bit by bit: 63 bits, then the sign.
fn bitwise(b: &mut RoutineBuilder, op: &str) {
    let int = ScalarType::Integer;
    let a = b.input("a", int);
    let c = b.input("b", int);
    let r = b.inout("r", int);
    let (x, y, p, q) = (
        b.local("x", int),
        b.local("y", int),
        b.local("p", int),
        b.local("q", int),
    );
    let k = b.local("k", int);
    let combined = |p: Expr, q: Expr| match op {
        "iand" => p * q,
        "ior" => p.clone() + q.clone() - p * q,
        _ => p.clone() + q.clone() - Expr::Int(2) * (p * q),
    };
    b.assign(x, a);
    b.assign(y, c);
    b.assign(r, 0);
    b.begin_for(k, 0, 62, 1);
    for (rest, bit) in [(x, p), (y, q)] {
        b.assign(bit, Expr::op(Op::Modulo, [Expr::var(rest), Expr::Int(2)]));
        b.assign(rest, (rest - bit) / 2);
    }
    let weight = Expr::op(Op::Pow, [Expr::Int(2), Expr::var(k)]);
    b.assign(r, r + combined(Expr::var(p), Expr::var(q)) * weight);
    b.end_loop();
    // After 63 divisions by 2 only the sign is left, as 0 or -1.
    let sign = combined(-x, -y);
    b.if_then(eq(sign, 1), |b| {
        b.assign(r, r - Expr::Int(1 << 62) - Expr::Int(1 << 62));
    });
}
