use super::*;
use crate::entity::{GlobalId, RoutineId, VarId, VertexId};
use crate::ir::{
    Arm, CaseRange, Cfg, ControlWidth, Dim, Edge, Extent, Global, Intent, LoopForm, LoopTest, Op,
    Order, Origin, OriginRole, Range, Role, ScalarType, Selector, StmtKind, Subscript, TapeClass,
    Variable, VertexKind,
};

/// Scalars a, b, c (0, 1, 2), an array y of rank 2 (3), an odd name (4), a tape (5).
fn sample() -> (Program, Routine) {
    let mut r = Routine {
        name: "f".into(),
        ..Routine::default()
    };
    for name in ["a", "b", "c"] {
        r.add_variable(Variable::new(name, ScalarType::Real, vec![], Role::Local));
    }
    let dims = vec![
        Dim::with_extent(Expr::Int(3)),
        Dim::with_extent(Expr::Int(4)),
    ];
    r.add_variable(Variable::new("y", ScalarType::Real, dims, Role::Local));
    let odd = "a \"b\"\n\u{202e}";
    r.add_variable(Variable::new(odd, ScalarType::Integer, vec![], Role::Local));
    r.add_variable(Variable::new("tape", ScalarType::Tape, vec![], Role::Local));
    (Program::default(), r)
}

fn v(i: usize) -> Expr {
    Expr::var(VarId::new(i))
}

fn op(op: Op, operands: impl IntoIterator<Item = Expr>) -> Expr {
    Expr::op(op, operands)
}

#[test]
fn parentheses_only_where_precedence_asks() {
    let (_, r) = sample();
    let [a, b, c] = [v(0), v(1), v(2)];
    let two = |o, x: &Expr, y: &Expr| op(o, [x.clone(), y.clone()]);
    let neg = |x: &Expr| op(Op::Neg, [x.clone()]);
    let cases = [
        (two(Op::Add, &two(Op::Mul, &a, &b), &c), "a*b + c"),
        (two(Op::Mul, &two(Op::Add, &a, &b), &c), "(a + b)*c"),
        (two(Op::Sub, &two(Op::Sub, &a, &b), &c), "a - b - c"),
        (two(Op::Sub, &a, &two(Op::Sub, &b, &c)), "a - (b - c)"),
        (two(Op::Add, &a, &two(Op::Add, &b, &c)), "a + (b + c)"),
        (two(Op::Div, &a, &two(Op::Mul, &b, &c)), "a/(b*c)"),
        (two(Op::Div, &two(Op::Div, &a, &b), &c), "a/b/c"),
        (op(Op::Add, [a.clone(), b.clone(), c.clone()]), "a + b + c"),
        (two(Op::Pow, &two(Op::Pow, &a, &b), &c), "(a**b)**c"),
        (two(Op::Pow, &a, &two(Op::Pow, &b, &c)), "a**b**c"),
        (two(Op::Pow, &neg(&a), &b), "(-a)**b"),
        (neg(&two(Op::Pow, &a, &b)), "-a**b"),
        (two(Op::Pow, &a, &neg(&b)), "a**(-b)"),
        (two(Op::Pow, &Expr::Int(-2), &b), "(-2)**b"),
        (two(Op::Mul, &neg(&a), &b), "-a*b"),
        (neg(&two(Op::Mul, &a, &b)), "-(a*b)"),
        (neg(&neg(&a)), "-(-a)"),
        (neg(&Expr::Real(-1.0)), "-(-1.0)"),
        (two(Op::Sub, &a, &Expr::Int(-1)), "a - (-1)"),
        (two(Op::StrongMul, &a, &two(Op::Add, &b, &c)), "a*!(b + c)"),
        (
            two(Op::And, &two(Op::Lt, &a, &b), &two(Op::Or, &b, &c)),
            "a < b and (b or c)",
        ),
        (two(Op::Eq, &two(Op::Lt, &a, &b), &c), "(a < b) == c"),
        (
            two(
                Op::WrapAdd,
                &two(Op::Add, &a, &b),
                &two(Op::WrapMul, &b, &c),
            ),
            "a + b +% b *% c",
        ),
        (
            two(Op::WrapSub, &a, &two(Op::WrapSub, &b, &c)),
            "a -% (b -% c)",
        ),
        (
            two(Op::Shl, &two(Op::Add, &a, &b), &two(Op::Shr, &b, &c)),
            "a + b << (b >> c)",
        ),
        (two(Op::Add, &two(Op::WrapShl, &a, &b), &c), "(a <<% b) + c"),
        (two(Op::Lt, &two(Op::LogicalShr, &a, &b), &c), "a >>> b < c"),
        (op(Op::WrapNeg, [two(Op::Mul, &a, &b)]), "-%(a*b)"),
        (op(Op::WrapNeg, [Expr::Int(5)]), "-%(5)"),
        (neg(&op(Op::WrapNeg, [a.clone()])), "-(-%a)"),
        (
            op(Op::BitXor, [a.clone(), op(Op::BitNot, [b.clone()])]),
            "bitxor(a, bitnot(b))",
        ),
        (op(Op::Not, [two(Op::And, &a, &b)]), "not (a and b)"),
        (op(Op::Not, [two(Op::Lt, &a, &b)]), "not a < b"),
        (two(Op::Lt, &op(Op::Not, [a.clone()]), &b), "(not a) < b"),
        (op(Op::If, [a.clone(), b.clone(), c.clone()]), "if(a, b, c)"),
        (two(Op::Atan2, &a, &two(Op::Add, &b, &c)), "atan2(a, b + c)"),
        (op(Op::Add, [a.clone()]), "+(a)"),
        (op(Op::Neg, [a, b]), "-(a, b)"),
    ];
    for (e, text) in cases {
        assert_eq!(expr(&r, &e), text);
    }
}

#[test]
fn constants_keep_their_type() {
    let (_, r) = sample();
    let cases = [
        (Expr::Int(i64::MIN), "-9223372036854775808"),
        (Expr::Real(1.0), "1.0"),
        (Expr::Real(-0.0), "-0.0"),
        (Expr::Real(1e300), "1e300"),
        (Expr::Real(0.1), "0.1"),
        (Expr::Real(f64::INFINITY), "inf"),
        (Expr::Real(f64::NEG_INFINITY), "-inf"),
        (Expr::Real(-f64::NAN), "nan"),
        (Expr::Real32(0.1), "0.1f"),
        (Expr::Real32(f32::NAN), "nanf"),
        (Expr::Real32(f32::NEG_INFINITY), "-inff"),
        (op(Op::Neg, [Expr::Int(5)]), "-(5)"),
        (Expr::Logical(true), "true"),
    ];
    for (e, text) in cases {
        assert_eq!(expr(&r, &e), text);
    }
}

#[test]
fn places_and_names() {
    let (_, r) = sample();
    let y = VarId::new(3);
    assert_eq!(
        place_text(&r, &Place::element(y, [Expr::Int(1), v(0)])),
        "y[1, a]"
    );
    let section = Place {
        var: y,
        subscripts: [
            Subscript::Range(Box::default()),
            Subscript::Range(Box::new(Range {
                lower: Some(Expr::Int(4)),
                upper: None,
                stride: Some(Expr::Int(-1)),
            })),
        ]
        .into(),
    };
    assert_eq!(place_text(&r, &section), "y[:, 4::-1]");
    assert_eq!(expr(&r, &v(4)), r#""a \"b\"\n\u{202e}""#);
    assert_eq!(expr(&r, &v(99)), "x99?");
    for word in ["", "1x", "a b", "not", "inf", "nanf", "select"] {
        assert!(Name(word).to_string().starts_with('"'), "{word}");
    }
    for word in ["x", "_1", "größe", "x_b", "notable"] {
        assert_eq!(Name(word).to_string(), word);
    }
}

#[test]
fn statements() {
    let (mut p, mut r) = sample();
    p.routines.push(Routine {
        name: "g h".into(),
        ..Routine::default()
    });
    let tape = VarId::new(5);
    let call = |result| StmtKind::Call {
        callee: RoutineId::new(0),
        arguments: [Some(v(0)), None].into(),
        result,
    };
    let push = |class| StmtKind::Push {
        tape,
        class,
        value: Expr::Int(1),
    };
    let opaque = StmtKind::Opaque {
        text: "print *, a\n".into(),
        reads: [VarId::new(0)].into(),
        writes: [VarId::new(1), VarId::new(2)].into(),
    };
    let pop = StmtKind::Pop {
        tape,
        class: TapeClass::Real,
        target: Place::whole(VarId::new(0)),
    };
    let bits = TapeClass::Control(ControlWidth::Bits(1));
    let cases = [
        (call(None), r#"call "g h"(a, absent)"#),
        (
            call(Some(Place::whole(VarId::new(2)))),
            r#"c := call "g h"(a, absent)"#,
        ),
        (push(bits), "push[control 1] 1"),
        (
            push(TapeClass::Control(ControlWidth::Count)),
            "push[control count] 1",
        ),
        (pop.clone(), "a := pop[real]"),
        (opaque, r#"opaque "print *, a\n" reads a writes b, c"#),
        (
            StmtKind::Stop {
                text: "a \"b\"\n".into(),
            },
            r#"stop "a \"b\"\n""#,
        ),
    ];
    for (kind, text) in cases {
        assert_eq!(stmt_text(&r, &p, &Stmt::new(kind)), text);
    }
    r.add_variable(Variable::new("t2", ScalarType::Tape, vec![], Role::Local));
    assert_eq!(
        stmt_text(&r, &p, &Stmt::new(push(bits))),
        "push[control 1] 1 on tape"
    );
    assert_eq!(
        stmt_text(&r, &p, &Stmt::new(pop)),
        "a := pop[real] from tape"
    );
}

#[test]
fn a_whole_program() {
    let mut r = Routine {
        name: "f".into(),
        ..Routine::default()
    };
    let parameter = |intent| Role::Parameter {
        intent,
        optional: false,
    };
    let n = VarId::new(0);
    r.add_variable(Variable::new(
        "n",
        ScalarType::Integer,
        vec![],
        parameter(Intent::In),
    ));
    let dims = vec![
        Dim {
            lower: Expr::Int(0),
            extent: Extent::Fixed(Expr::var(n)),
        },
        Dim {
            lower: Expr::Int(1),
            extent: Extent::Deferred,
        },
    ];
    let mut y = Variable::new("y", ScalarType::Real, dims, parameter(Intent::InOut));
    y.order = Order::Column;
    let y = r.add_variable(y);
    let i = r.add_variable(Variable::new("i", ScalarType::Integer, vec![], Role::Local));
    let g = r.add_variable(Variable::new(
        "g",
        ScalarType::Real,
        vec![],
        Role::Global(GlobalId::new(0)),
    ));
    r.independents = vec![y, g];
    r.dependents = vec![y];
    let counted = LoopTest::Counted {
        index: i,
        first: Expr::Int(1),
        last: Expr::var(n),
        step: Expr::Int(2),
    };
    let cases = Selector::Cases {
        value: Expr::var(n),
        arms: [
            Arm {
                label: 1,
                cases: [
                    CaseRange {
                        lower: Some(3),
                        upper: Some(3),
                    },
                    CaseRange {
                        lower: None,
                        upper: Some(0),
                    },
                ]
                .into(),
                default: false,
            },
            Arm {
                label: 2,
                cases: [].into(),
                default: true,
            },
        ]
        .into(),
    };
    let kinds = [
        VertexKind::Entry,
        VertexKind::Loop {
            form: LoopForm::Loop,
            test: Box::new(counted),
        },
        VertexKind::Block(vec![Stmt::assign(Place::whole(g), Expr::var(i))]),
        VertexKind::EndLoop,
        VertexKind::Branch(Box::new(cases)),
        VertexKind::EndBranch,
        VertexKind::Exit,
    ];
    let mut vertices: Vec<_> = (1..)
        .zip(kinds)
        .map(|(id, kind)| Vertex::new(id, kind))
        .collect();
    vertices[2].origin = Some(Origin {
        role: OriginRole::MarkerPush,
        vertex: -7,
    });
    let edge = |from, to, label| Edge::new(VertexId::new(from), VertexId::new(to), label);
    let mut edges = vec![
        edge(0, 1, None),
        edge(1, 2, Some(1)),
        edge(1, 4, None),
        edge(2, 3, None),
        edge(3, 1, None),
        edge(4, 5, Some(1)),
        edge(4, 5, Some(2)),
        edge(5, 6, None),
    ];
    edges[7].id = Some(40);
    r.body = Cfg::new(vertices, edges);
    let program = Program {
        routines: vec![r],
        records: Vec::new(),
        globals: vec![Global {
            variable: Variable::new(
                "g",
                ScalarType::Real,
                vec![],
                Role::Global(GlobalId::new(0)),
            ),
            initial: Some([Expr::Real(0.5)].into()),
            overlay: None,
        }],
        sources: Vec::new(),
        main: Some(RoutineId::new(0)),
        annotations: None,
    };
    let expected = "\
global real g = 0.5

main subroutine f(in integer n, inout real y[n from 0, :] column)
  local integer i
  uses g
  independent y, g
  dependent y
  @1 #0 entry
  @2 #1 #2 for i = 1, n, 2
    @3 #3 {marker-push of -7}
    g := i
  @4 #4 end
  @5 #5 #6 select n
  case 3, ..0
  case default
  @6 #40 end
end
";
    assert_eq!(program.to_string(), expected);
}

#[test]
fn an_expression_too_deep_to_be_valid_is_cut() {
    let (_, r) = sample();
    let mut e = v(0);
    for _ in 0..5000 {
        e = op(Op::Sin, [e]);
    }
    let text = expr(&r, &e);
    assert!(text.contains("..."), "{text}");
}

/// Expressions are written in full up to four times the levels of valid ones.
#[test]
fn expressions_are_cut_beyond_the_limit_only() {
    let (_, r) = sample();
    let most = 4 * Expr::MAX_DEPTH;
    for (levels, is_cut) in [(most, false), (most + 1, true)] {
        let e = (0..levels).fold(v(0), |e, _| op(Op::Sin, [e]));
        assert_eq!(expr(&r, &e).contains("..."), is_cut, "{levels}");
    }
}
