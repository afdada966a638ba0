//! Flat programs: refusals, and views of statements, expressions and types.

use cfg_core::{
    diagnostic::Diagnostics,
    flat::{Constant, Flat, FlatClass, FlatExpr, FlatStmt, FlatSubscript, FlatType},
    ir::{AnyInt, Op, ScalarType},
    validate::{ValidProgram, validate},
};
use cfg_format::text;

fn read(source: &str) -> ValidProgram {
    let parsed = text::parse(source);
    let program = parsed
        .program
        .unwrap_or_else(|| panic!("{}\n{source}", parsed.problems));
    validate(program).unwrap_or_else(|problems| panic!("{problems}\n{source}"))
}

/// The only problem for which a program is not flat.
fn refused(source: &str) -> Option<String> {
    let problems: Diagnostics = Flat::check(read(source)).err()?;
    assert_eq!(problems.0.len(), 1, "{problems}");
    let problem = &problems.0[0];
    let element = problem.at.element.as_deref().unwrap_or_default();
    Some(format!("{} {element}", problem.code))
}

const NODE: &str = "record Node\n  real v\n  ^record Node next\nend\n";

#[test]
fn pointers_are_refused_where_they_are() {
    let unused = format!("{NODE}subroutine f(in real x, out real y)\n  y := x\nend\n");
    assert_eq!(refused(&unused), None);
    for (source, expected) in [
        (
            "subroutine f(in ^real p)\nend\n".to_owned(),
            "V164 routine f, parameter p",
        ),
        (
            format!("{NODE}subroutine f(in record Node n)\nend\n"),
            "V164 routine f, parameter n",
        ),
        (
            "global ^real g\nsubroutine f()\nend\n".to_owned(),
            "V164 global g",
        ),
        (
            "subroutine f(in real x, out real y)\n  y := if(addr(x) == null(real), 1.0, x)\nend\n"
                .to_owned(),
            "V164 ",
        ),
    ] {
        assert_eq!(refused(&source).as_deref(), Some(expected), "{source}");
    }
}

/// The first variable that is a record is named, a global before those of routines.
#[test]
fn records_are_refused_where_variables_are() {
    let record = "record R\n  real a\nend\n";
    let plain = "subroutine f(in real x, out real y)\n  y := x\nend\n";
    let uses = "subroutine g(in real x, in record R r)\nend\n";
    let global = "global record R w\n";
    for (source, expected) in [
        (plain.to_owned(), None),
        (format!("{record}{plain}"), None),
        (
            format!("{record}{plain}{uses}"),
            Some("V161 routine g, parameter r"),
        ),
        (
            format!("{record}{global}{plain}{uses}"),
            Some("V161 global w"),
        ),
    ] {
        assert_eq!(refused(&source).as_deref(), expected, "{source}");
    }
}

/// A view has the operands of its original.
#[test]
fn views_show_all_that_flat_programs_have() {
    let program = Flat::check(read(
        "
main subroutine f(in real x[4], in integer n, in logical l, in real32 s, inout tape t, out real y[2])
  local real a
  push[real] x[n]
  a := pop[real]
  y[1:2] := sum(x) + 2.0*a
  call g(a, size(x))
  opaque \"print\" reads a writes y
  stop \"end\"
end
subroutine g(in real a, in integer n)
end
",
    ));
    let program = program.unwrap_or_else(|problems| panic!("{problems}"));
    let routine = &program.routines[0];
    let name = |v| routine.variable(v).name.as_str();
    let shown = |statement: FlatStmt<'_>| match statement {
        FlatStmt::Assign { target, value } => {
            let subscripts = target.subscripts.iter().map(FlatSubscript::view);
            let ranges = subscripts.filter(|s| matches!(s, FlatSubscript::Range(_)));
            let FlatExpr::Op(op, operands) = FlatExpr::view(value) else {
                panic!("{value:?} is a sum");
            };
            let classes = operands.iter().map(|e| match FlatExpr::view(e) {
                FlatExpr::Op(op, _) => Some(FlatClass::view(op)),
                FlatExpr::Constant(_) | FlatExpr::Place(_) => None,
            });
            let classes: Vec<_> = classes.collect();
            format!("{} {} {op:?} {classes:?}", name(target.var), ranges.count())
        }
        FlatStmt::Call {
            callee,
            arguments,
            result,
        } => format!(
            "{} {} {}",
            program.routine(callee).name,
            arguments.len(),
            result.is_some()
        ),
        FlatStmt::Push { tape, class, value } => {
            let FlatExpr::Place(place) = FlatExpr::view(value) else {
                panic!("{value:?} is a place");
            };
            format!("push {} {class:?} {}", name(tape), name(place.var))
        }
        FlatStmt::Pop {
            tape,
            class,
            target,
        } => format!("pop {} {class:?} {}", name(tape), name(target.var)),
        FlatStmt::Opaque {
            text,
            reads,
            writes,
        } => format!("{text} {} {}", name(reads[0]), name(writes[0])),
        FlatStmt::Stop { text } => text.to_owned(),
    };
    let all: Vec<String> = (routine.statements().map(|s| shown(FlatStmt::view(&s.kind)))).collect();
    assert_eq!(
        all,
        [
            "push t Real x",
            "pop t Real a",
            "y 1 Add [Some(Reduction), Some(Elemental)]",
            "g 2 false",
            "print a y",
            "end",
        ]
    );
    let types: Vec<FlatType> = (routine.variables.iter().map(|v| FlatType::view(v.ty))).collect();
    let expected = [
        FlatType::Real,
        FlatType::Integer,
        FlatType::Logical,
        FlatType::Real32,
        FlatType::Tape,
        FlatType::Real,
        FlatType::Real,
    ];
    assert_eq!(types, expected);
    assert_eq!(
        FlatType::view(ScalarType::Sized(cfg_core::ir::IntType::Int8)),
        FlatType::Sized(cfg_core::ir::IntType::Int8)
    );
    assert_eq!(FlatClass::view(Op::Size), FlatClass::Inquiry);
    assert_eq!(FlatClass::view(Op::Transpose), FlatClass::Transformational);
    assert_eq!(
        FlatClass::view(Op::Convert(cfg_core::ir::Conversion::Wrap, AnyInt::Integer)),
        FlatClass::Elemental
    );
    use cfg_core::ir::Expr;
    for (e, constant) in [
        (Expr::Int(3), Constant::Int(3)),
        (Expr::Real(0.5), Constant::Real(0.5)),
        (Expr::Real32(0.5), Constant::Real32(0.5)),
        (Expr::Logical(true), Constant::Logical(true)),
    ] {
        assert_eq!(FlatExpr::view(&e), FlatExpr::Constant(constant));
    }
}
