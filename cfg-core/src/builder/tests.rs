use super::{expr::*, *};
use crate::{
    ir::{
        Cfg, Control, Intent,
        ScalarType::{Integer, Logical, Real},
        StmtKind, VertexType,
    },
    structure::Structure,
    testing::{Rng, nested, random_nesting},
};

fn types(cfg: &Cfg) -> Vec<VertexType> {
    cfg.vertices().map(|(_, v)| v.vertex_type()).collect()
}

fn edges(cfg: &Cfg) -> Vec<(i64, i64, Option<i64>)> {
    cfg.edges()
        .map(|(_, e)| (cfg.vertex(e.from).id, cfg.vertex(e.to).id, e.label))
        .collect()
}

fn paper() -> RoutineBuilder {
    let mut f = RoutineBuilder::new("f");
    let x = f.input("x", Real.array([2]));
    let y = f.output("y", Real.array([3]));
    let i = f.local("i", Integer);
    let more = f.local("more", Logical);
    f.independents([x]).dependents([y]);
    f.assign(i, 1);
    f.block();
    f.assign(more, lt(i, 3));
    f.while_loop(more, |f| {
        f.if_else(
            lt(i, 2),
            |f| f.assign(y.at(2), sin(x.at(1))),
            |f| f.assign(y.at(1), cos(x.at(2))),
        );
        f.assign(i, i + 1);
        f.assign(more, lt(i, 3));
    });
    f.assign(y.at(3), y.at(1) * y.at(2));
    f
}

#[test]
fn the_papers_example_has_the_papers_numbers() {
    let routine = paper().finish().unwrap();
    let cfg = routine.body.unwrap();
    assert_eq!(
        edges(&cfg),
        [
            (1, 2, None),
            (2, 3, None),
            (3, 4, None),
            (4, 5, Some(1)),
            (5, 6, Some(1)),
            (6, 8, None),
            (5, 7, Some(0)),
            (7, 8, None),
            (8, 9, None),
            (9, 10, None),
            (10, 4, None),
            (4, 11, None),
            (11, 12, None),
        ]
    );
    assert_eq!(
        types(&cfg).iter().map(|t| t.name()).collect::<Vec<_>>(),
        [
            "ENTRY",
            "BASICBLOCK",
            "BASICBLOCK",
            "LOOP",
            "BRANCH",
            "BASICBLOCK",
            "BASICBLOCK",
            "ENDBRANCH",
            "BASICBLOCK",
            "ENDLOOP",
            "BASICBLOCK",
            "EXIT"
        ]
    );
    assert_eq!(
        cfg.vertex(crate::entity::VertexId::new(8))
            .statements()
            .len(),
        2
    );
}

/// Writes the program of a shorthand with begin and end calls.
fn write(f: &mut RoutineBuilder, text: &str, v: VarIdAlias) {
    let mut kinds = Vec::new();
    let mut arm = Vec::new();
    for c in text.chars() {
        match c {
            'b' => {
                f.block();
                f.assign(v, v + 1.0);
            }
            'l' => f.begin_while(lt(v, 10.0)),
            '[' => {
                f.begin_cases(1);
                f.begin_arm(1, [1.into()], false);
                kinds.push(c);
                arm.push(1);
            }
            '|' => {
                let arm = arm.last_mut().unwrap();
                *arm += 1;
                f.begin_arm(*arm, [(*arm).into()], false);
            }
            ']' => f.end_cases(),
            ')' => f.end_loop(),
            _ => {}
        }
        if c == ']' {
            arm.pop();
        }
    }
}
use crate::entity::VarId as VarIdAlias;

#[test]
fn any_nesting_comes_out_as_it_is_written() {
    let mut rng = Rng::new(3);
    for _ in 0..200 {
        let size = 1 + rng.below(40);
        let text = random_nesting(&mut rng, size);
        let mut f = RoutineBuilder::new("f");
        let v = f.local("v", Real);
        write(&mut f, &text, v);
        let cfg = f.finish().unwrap().body.unwrap();
        let expected = nested(&text);
        assert_eq!(types(&cfg), types(&expected), "{text}");
        let unlabelled = |cfg: &Cfg| {
            let mut list: Vec<_> = edges(cfg).iter().map(|e| (e.0, e.1)).collect();
            list.sort_unstable();
            list
        };
        assert_eq!(unlabelled(&cfg), unlabelled(&expected), "{text}");
        Structure::compute(&cfg).unwrap();
    }
}

#[test]
fn a_hundred_thousand_open_loops() {
    let mut f = RoutineBuilder::new("f");
    let n = f.input("n", Integer);
    for _ in 0..100_000 {
        f.begin_while(lt(n, 0));
    }
    for _ in 0..100_000 {
        f.end_loop();
    }
    let cfg = f.finish().unwrap().body.unwrap();
    assert_eq!(cfg.vertex_count(), 200_002);
    Structure::compute(&cfg).unwrap();
}

#[test]
fn parameters_are_listed_in_the_order_of_their_declarations() {
    let mut f = RoutineBuilder::new("f");
    let a = f.local("a", Real);
    let y = f.output("y", Real);
    let x = f.optional("x", Real, Intent::In);
    f.assign(a, 1.0);
    f.assign(y, a);
    let routine = f.finish().unwrap();
    assert_eq!(routine.parameters, [y, x]);
    assert_eq!(routine.parameter(1).map(|v| &*v.name), Some("x"));
    assert_eq!(routine.parameter(2), None);
    assert_eq!(routine.parameter_positions(), [None, Some(0), Some(1)]);
    assert_eq!(routine.parameter_position(a), None);
    assert_eq!(routine.non_parameter_ids(), [a]);
    assert!(routine.declaration_order().eq([y, x, a]));
}

#[test]
fn wrong_calls_are_reported_with_what_is_open() {
    type Wrong = fn(&mut RoutineBuilder);
    let cases: [(Wrong, &str); 10] = [
        (
            |f| {
                f.begin_cases(1);
                f.begin_arm(4, [1.into()], false);
                f.begin_arm(4, [2.into()], false);
                f.end_cases();
            },
            "two arms of the branch at vertex 2 have label 4",
        ),
        (
            |f| {
                f.begin_cases(1);
                f.block();
                f.begin_while(true);
                f.end_loop();
                f.begin_arm(4, [1.into()], false);
                f.begin_arm(5, [2.into()], true);
                f.end_cases();
            },
            "there are statements before the first arm of vertex 2",
        ),
        (|f| f.end_loop(), "end_loop is called where nothing is open"),
        (|f| f.begin_while(true), "the loop at vertex 2 has no end"),
        (
            |f| {
                f.begin_if(true);
                f.end_loop();
                f.end_if();
            },
            "end_loop is called where the two-way branch at vertex 2 is open",
        ),
        (
            |f| {
                f.begin_if(true);
                f.begin_else();
                f.begin_else();
                f.end_if();
            },
            "begin_else is called where the two-way branch at vertex 2 is open in its else",
        ),
        (
            |f| {
                f.begin_repeat();
                f.end_loop();
                f.end_repeat(false);
            },
            "end_loop is called where the loop at vertex 2 is open",
        ),
        (
            |f| f.cases(1, |c| c.default(|_| {})),
            "the branch at vertex 2 has 1 arms",
        ),
        (
            |f| f.while_loop(false, |f| f.end_loop()),
            "a closure ends with other loops and branches open than at its start",
        ),
        (
            |f| f.if_then(false, |f| f.begin_repeat()),
            "a closure ends with other loops and branches open than at its start",
        ),
    ];
    for (wrong, message) in cases {
        let mut f = RoutineBuilder::new("f");
        wrong(&mut f);
        let problems = f.finish().unwrap_err();
        assert_eq!(problems.0[0].message, message);
        assert_eq!(problems.0[0].code, "V116");
    }
    let mut p = ProgramBuilder::new();
    p.declare("g");
    let problems = p.into_program().unwrap_err();
    assert_eq!(
        problems.0[0].message,
        "routine g is declared but not defined"
    );
}

/// One of the builder's calls, by number.
fn call(f: &mut RoutineBuilder, number: usize, v: VarIdAlias, label: i64) {
    match number {
        0 => f.begin_while(lt(v, 1)),
        1 => f.begin_for(v, 1, 2, 1),
        2 => f.begin_repeat(),
        3 => f.begin_if(lt(v, 1)),
        4 => f.begin_cases(v),
        5 => f.begin_else(),
        6 => f.begin_arm(label, [], label == 9),
        7 => f.end_loop(),
        8 => f.end_repeat(lt(v, 1)),
        9 => f.end_if(),
        10 => f.end_cases(),
        11 => f.block(),
        12 => f.while_loop(lt(v, 1), |f| f.assign(v, 2)),
        _ => f.assign(v, 1),
    }
}

/// The number of the call that ends the construct of call `opened`, or begins its next arm.
fn ending(opened: usize, parts: &mut i64) -> usize {
    match opened {
        0 | 1 => 7,
        2 => 8,
        3 => 9,
        _ if *parts < 2 => {
            *parts += 1;
            6
        }
        _ => 10,
    }
}

#[test]
fn random_calls_make_a_structured_graph_or_a_report() {
    let mut rng = Rng::new(11);
    let (mut made, mut nested, mut refused) = (0, 0, 0);
    for round in 0..4000 {
        let mut f = RoutineBuilder::new("f");
        let v = f.inout("v", Integer);
        if round % 2 == 0 {
            // Calls in no order.
            for _ in 0..rng.below(9) {
                call(&mut f, rng.below(14), v, rng.below(10) as i64);
            }
        } else {
            // Calls of which most end the constructs that are open.
            let mut open: Vec<(usize, i64)> = Vec::new();
            let mut left = rng.below(40);
            while left > 0 || !open.is_empty() {
                let slip = rng.below(60) == 0;
                let next = match open.last_mut() {
                    _ if slip => rng.below(14),
                    Some((4, parts)) if *parts == 0 => ending(4, parts),
                    Some((3, parts)) if *parts == 0 && rng.below(5) == 0 => {
                        *parts = 1;
                        5
                    }
                    Some((opened, parts)) if left == 0 || rng.below(4) == 0 => {
                        ending(*opened, parts)
                    }
                    _ => [0, 1, 2, 3, 4, 11, 12, 13][rng.below(8)],
                };
                let label = open.last().map_or(0, |o| o.1);
                match next {
                    _ if slip => {}
                    0..=4 => open.push((next, 0)),
                    7..=10 => drop(open.pop()),
                    _ => {}
                }
                call(&mut f, next, v, label);
                left = left.saturating_sub(1);
            }
        }
        let mut program = ProgramBuilder::new();
        let id = program.add(f);
        let program = match program.into_program() {
            Ok(program) => program,
            Err(problems) => {
                let misuse = |d: &Diagnostic| d.code == codes::BUILDER.code;
                assert!(problems.iter().all(misuse), "{problems}");
                refused += 1;
                continue;
            }
        };
        let body = program.routine(id).body.as_ref().unwrap();
        Structure::compute(body).unwrap();
        let openers = types(body).into_iter();
        let openers = openers.filter(|t| matches!(t, VertexType::Loop | VertexType::Branch));
        nested += usize::from(openers.count() > 2);
        made += 1;
        // All other problems are none of the graph: a range or a default twice, an index that is assigned, a use
        // before a definition.
        if let Err(problems) = validate::validate(program) {
            for d in problems.iter() {
                let about_cases = ["V110", "V111"].contains(&d.code);
                let about_graphs = ("V101"..="V117").contains(&d.code) && !about_cases;
                assert!(!about_graphs, "{d}");
            }
        }
    }
    assert!(
        made > 1000 && nested > 200 && refused > 500,
        "{made} {nested} {refused}"
    );
}

/// The deepest expression of a routine.
fn deepest(cfg: &Cfg) -> usize {
    let mut deepest = 0;
    for (_, v) in cfg.vertices() {
        for s in v.statements() {
            if let StmtKind::Assign { target, value } = &s.kind {
                deepest = deepest.max(value.depth());
                deepest = deepest.max(Expr::Place(target.clone()).depth());
            }
        }
        match &v.kind {
            crate::ir::VertexKind::Loop { test, .. } => {
                if let crate::ir::LoopTest::Pre(e) | crate::ir::LoopTest::Post(e) = &**test {
                    deepest = deepest.max(e.depth());
                }
            }
            crate::ir::VertexKind::Branch(s) => {
                if let crate::ir::Selector::Condition(e) = &**s {
                    deepest = deepest.max(e.depth());
                }
            }
            _ => {}
        }
    }
    deepest
}

#[test]
fn an_expression_of_a_million_levels_is_split() {
    let mut f = RoutineBuilder::new("f");
    let x = f.input("x", Real);
    let y = f.output("y", Real);
    let mut e = Expr::var(x);
    for _ in 0..1_000_000 {
        e = sin(e) + 1.0;
    }
    f.assign(y, e);
    let routine = f.finish().unwrap();
    let cfg = routine.body.unwrap();
    assert_eq!(deepest(&cfg), Expr::MAX_DEPTH);
    // One temporary per 99 levels: the operand at the limit becomes a leaf.
    let statements = cfg
        .vertex(crate::entity::VertexId::new(1))
        .statements()
        .len();
    assert_eq!(statements, (2_000_001usize - 100).div_ceil(99) + 1);
    assert!(
        routine.variables[2..]
            .iter()
            .all(|v| v.ty == Real && v.rank() == 0)
    );
}

#[test]
fn conditions_array_operands_and_subscripts_are_split_too() {
    let mut f = RoutineBuilder::new("f");
    let n = f.input("n", Integer);
    let a = f.inout("a", Real.array([n]));
    let mut deep = Expr::var(n);
    let mut array = Expr::var(a);
    for _ in 0..250 {
        deep = deep + 1;
        array = -array;
    }
    f.assign(a, array);
    f.assign(a.at(deep.clone()), 1.0);
    f.while_loop(lt(deep.clone(), 3), |f| f.assign(a.at(1), 2.0));
    f.repeat_while(lt(deep.clone(), 3), |_| {});
    f.for_loop(n, 1, 2, |_| {});
    f.if_then(lt(deep, 3), |_| {});
    let routine = f.finish().unwrap();
    let cfg = routine.body.as_ref().unwrap();
    assert_eq!(deepest(cfg), Expr::MAX_DEPTH);
    Structure::compute(cfg).unwrap();
    let arrays = routine.variables[2..].iter().filter(|v| v.rank() == 1);
    assert_eq!(arrays.count(), 2);
    // The condition of the while loop is evaluated before the loop and before its ENDLOOP.
    let tests = routine.variables.iter().filter(|v| v.ty == Logical);
    assert_eq!(tests.count(), 2);
}

#[test]
fn operands_on_demand_become_branches() {
    let mut f = RoutineBuilder::new("f");
    let x = f.input("x", Real);
    let k = f.input("k", Integer);
    let y = f.output("y", Real);
    let b = f.local("b", Logical);
    let mut deep = Expr::var(k);
    for _ in 0..150 {
        deep = 100 / deep;
    }
    f.assign(y, cond(gt(k, 0), deep.clone(), x));
    f.assign(b, and(gt(k, 0), or(lt(k, 9), gt(deep, 0))));
    let routine = f.finish().unwrap();
    let cfg = routine.body.unwrap();
    Structure::compute(&cfg).unwrap();
    let branches = types(&cfg)
        .iter()
        .filter(|t| **t == VertexType::Branch)
        .count();
    assert_eq!(branches, 3);
    // The division is in the arms only: nothing but x and constants in the first block.
    let entry = cfg.entry().unwrap();
    let first = cfg.successors(entry).next().unwrap();
    assert_eq!(cfg.vertex(first).vertex_type(), VertexType::Branch);
}

#[test]
fn a_graph_made_elsewhere() {
    let mut f = RoutineBuilder::new("f");
    f.body(nested("b"), Control::Structured);
    let routine = f.finish().unwrap();
    assert_eq!(routine.body.unwrap().vertex_count(), 3);
}
