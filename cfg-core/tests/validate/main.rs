//! One program per rule, each with the diagnostic that it gets (`golden.txt` beside this file; run with
//! `BLESS=1` to write it anew), and the properties of validation as a whole.

mod cases;
mod mutations;
#[expect(dead_code, reason = "unit tests use the rest")]
#[path = "../../src/testing.rs"]
mod testing;

// `testing` is a module of the crate, too, and uses these names from there.
use cfg_core::{builder, entity, ir};

use cases::cases;
use cfg_core::{
    builder::{ProgramBuilder, RoutineBuilder},
    codes,
    diagnostic::{MAX_PROBLEMS, Severity},
    entity::{RoutineId, VarId},
    ir::{
        Cfg, Control, Derivatives, Expr, External, Op, Program,
        ScalarType::{Integer, Real},
        Variable, VertexKind,
    },
    memory::effects::Effects,
    structure::{Structure, check_in_labels},
    validate::{find_problems, validate},
};
use std::{collections::BTreeSet, fmt::Write as _};

#[test]
fn every_rule_has_a_program_that_breaks_it() {
    let mut golden = String::new();
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    // These codes are reported elsewhere: by the builder, for in-labels that a file has, and by code that takes no
    // records or pointers; V199 has a test of its own.
    for other in ["V116", "V117", "V161", "V164", "V199"] {
        seen.insert(other);
    }
    for (code, what, program) in cases() {
        let (_, mut found) = find_problems(&program);
        cfg_format::json::add_pointers(&program, &mut found);
        assert!(
            found.iter().any(|p| p.code == code),
            "{code} {what}: not found\n{found}"
        );
        seen.insert(code);
        let _ = writeln!(golden, "## {code} {what}\n\n{found}\n");
    }
    let listed: BTreeSet<&str> = codes::CODES.iter().map(|c| c.code).collect();
    assert_eq!(seen, listed);
    assert_eq!(listed.len(), codes::CODES.len());
    check_golden(&golden);
}

fn check_golden(text: &str) {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/validate/golden.txt");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(path, text).unwrap();
    }
    let expected = std::fs::read_to_string(path).unwrap_or_default();
    for (i, (line, wanted)) in text.lines().zip(expected.lines()).enumerate() {
        assert_eq!(line, wanted, "line {} of {path}", i + 1);
    }
    assert_eq!(text.lines().count(), expected.lines().count(), "{path}");
}

#[test]
fn a_deep_extent_of_a_called_routine_is_not_walked() {
    let mut deep = Expr::Int(1);
    for _ in 0..10_000 {
        deep = Expr::op(Op::Neg, [deep]);
    }
    let mut callee = RoutineBuilder::new("g");
    callee.input("a", Real.array([deep]));
    let mut caller = RoutineBuilder::new("f");
    let a = caller.input("a", Real.array([3]));
    caller.call(RoutineId::new(1), [a]);
    let mut p = ProgramBuilder::new();
    p.add(caller);
    p.add(callee);
    let (_, found) = find_problems(&p.into_program().unwrap());
    let codes: Vec<&str> = found.iter().map(|p| p.code).collect();
    assert_eq!(codes, ["V132"]);
}

#[test]
fn problems_beyond_the_limit_are_not_kept() {
    let mut f = RoutineBuilder::new("f");
    let x = f.local("x", Real);
    for _ in 0..MAX_PROBLEMS + 50 {
        f.assign(x, true);
    }
    let mut p = ProgramBuilder::new();
    p.add(f);
    let mut program = p.into_program().unwrap();
    let (_, found) = find_problems(&program);
    assert_eq!(found.0.len(), MAX_PROBLEMS + 1);
    let last = found.0.last().unwrap();
    assert_eq!(last.code, "V199");
    assert!(last.to_string().contains("10000"), "{last}");
    // One less than the limit is all that there is.
    let (mut vertices, edges) = program.routines[0].body.take().unwrap().into_parts();
    for vertex in &mut vertices {
        if let VertexKind::Block(statements) = &mut vertex.kind {
            statements.truncate(MAX_PROBLEMS - 1);
        }
    }
    program.routines[0].body = Cfg::new(vertices, edges);
    let (_, found) = find_problems(&program);
    assert_eq!(found.0.len(), MAX_PROBLEMS - 1);
}

/// Names are valid up to a length, and not longer ones.
#[test]
fn names_on_both_sides_of_the_limit() {
    for (length, count) in [(Variable::MAX_NAME, 0), (Variable::MAX_NAME + 1, 1)] {
        let mut f = RoutineBuilder::new("f");
        f.local("a".repeat(length), Real);
        let mut p = ProgramBuilder::new();
        p.add(f);
        let (_, found) = find_problems(&p.into_program().unwrap());
        assert_eq!(found.0.len(), count, "{found}");
    }
}

#[test]
fn derivative_routines_with_the_right_parameters_are_accepted() {
    let mut p = ProgramBuilder::new();
    let mut b = RoutineBuilder::new("f_b");
    for (name, real) in [("x", true), ("n", false), ("y", true), ("x_b", true)] {
        let ty = if real { Real } else { Integer };
        b.inout(name, ty);
    }
    b.inout("y_b", Real);
    let b = p.add(b);
    let mut f = RoutineBuilder::new("f");
    f.input("x", Real);
    f.input("n", Integer);
    f.result("y", Real);
    f.derivatives(Derivatives {
        tangent: None,
        adjoint: Some(b),
    });
    f.external(External::default());
    p.add(f);
    p.finish().unwrap();
}

#[test]
fn in_labels_that_are_written_are_checked() {
    let cfg = testing::nested("[b|]");
    let structure = Structure::compute(&cfg).unwrap();
    let computed = |want: Option<i64>| {
        let mut edges = cfg.edges().map(|(e, _)| e);
        edges.find(|&e| structure.in_label(e) == want).unwrap()
    };
    let (ends, other) = (computed(Some(0)), computed(None));
    let right = check_in_labels(&cfg, &structure, [(ends, 0)]);
    assert!(right.is_empty());
    let wrong = check_in_labels(&cfg, &structure, [(ends, 1), (other, 1)]);
    let messages: Vec<&str> = wrong.iter().map(|p| p.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "the edge ends arm or body 0, its in_label is 1",
            "the edge ends no arm and no body, its in_label is 1"
        ]
    );
    assert!(wrong.iter().all(|p| p.code == "V117"));
}

#[test]
fn use_before_definition_is_the_same_with_and_without_structure() {
    let mut rng = testing::Rng::new(40);
    let (mut clean, mut refused, mut later) = (0, 0, 0);
    for _ in 0..400 {
        let size = 3 + rng.below(30);
        let routine = testing::random_routine(&mut rng, size, false);
        let program = |control| Program {
            routines: vec![cfg_core::ir::Routine {
                control,
                ..routine.clone()
            }],
            ..Program::default()
        };
        let found = |program: Program| {
            let (_, problems) = find_problems(&program);
            let names = |least: Severity| {
                let undefined = problems.iter().filter(|p| p.code == "V152");
                undefined
                    .filter(|p| least == Severity::Warning || p.severity == least)
                    .map(|p| p.message.split(' ').next().unwrap_or_default().to_owned())
                    .collect::<BTreeSet<String>>()
            };
            (names(Severity::Error), names(Severity::Warning))
        };
        let structured = found(program(Control::Structured));
        assert_eq!(structured, found(program(Control::General)));
        // With jumps for loops.
        let mut jumps = program(Control::Structured);
        jumps.routines[0] =
            cfg_core::recover::flatten(&jumps, &Effects::summarise(&jumps), &routine);
        let (errors, all) = found(jumps);
        assert_eq!(structured.1, all);
        // A routine that is valid with jumps is valid as loops. The converse holds nearly always: the number of passes
        // may be computed from a first value that the loop copies.
        assert!(structured.0.is_subset(&errors), "{structured:?} {errors:?}");
        let (errors, all) = structured;
        clean += usize::from(all.is_empty());
        refused += usize::from(!errors.is_empty());
        later += usize::from(errors != all);
    }
    assert!(
        clean > 10 && refused > 100 && later > 10,
        "{clean} {refused} {later}"
    );
}

#[test]
fn overlays_fit_into_the_global_that_owns_the_storage() {
    use cfg_core::ir::Overlay;
    const SIZES: [i64; 6] = [0, 1, 5, 1 << 31, i64::MAX - 1, i64::MAX];
    const OFFSETS: [i64; 11] = [
        i64::MIN,
        -1,
        0,
        1,
        4,
        5,
        6,
        1 << 31,
        i64::MAX - 5,
        i64::MAX - 4,
        i64::MAX,
    ];
    for (room, wanted) in SIZES
        .iter()
        .flat_map(|r| SIZES.iter().map(move |w| (*r, *w)))
    {
        for offset in OFFSETS {
            let mut p = ProgramBuilder::new();
            let base = p.global("base", Real.array([room]));
            let part = p.global("part", Real.array([wanted]));
            p.overlay(part, Overlay { base, offset });
            p.add(RoutineBuilder::new("f"));
            let program = p.into_program().expect("the builder is used right");
            let (_, found) = find_problems(&program);
            let refused = found.iter().any(|d| d.code == codes::OVERLAY.code);
            let end = i128::from(offset) + i128::from(wanted);
            let fits = offset >= 0 && end <= i128::from(room);
            assert_eq!(
                refused, !fits,
                "{wanted} from {offset} on in {room}: {found}"
            );
        }
    }
}

/// A front end notes places in its own text as annotations; a problem has the nearest annotation.
#[test]
fn problems_carry_the_nearest_annotations() {
    let note = |line: i64| -> cfg_core::ir::Annotations {
        let mut map = serde_json::Map::new();
        map.insert("line".to_owned(), line.into());
        Some(Box::new(map))
    };
    let program = |noted: [bool; 3]| {
        let mut f = RoutineBuilder::new("f");
        let x = f.local("x", Real);
        f.assign(x, true);
        let mut p = ProgramBuilder::new();
        p.add(f);
        let mut program = p.into_program().expect("the builder is used right");
        let routine = &mut program.routines[0];
        let cfg = routine.body.as_mut().expect("it has a body");
        let block = cfg.vertices_mut().nth(1).expect("a block");
        if noted[0] {
            block.kind.statements_mut().expect("a block")[0].annotations = note(3);
        }
        if noted[1] {
            block.annotations = note(2);
        }
        if noted[2] {
            routine.annotations = note(1);
        }
        program
    };
    for (noted, line) in [
        ([true, true, true], Some(3)),
        ([false, true, true], Some(2)),
        ([false, false, true], Some(1)),
        ([false, false, false], None),
    ] {
        let (_, found) = find_problems(&program(noted));
        let problem = found.iter().next().expect("a mismatch");
        let annotations = problem.at.annotations.as_ref();
        let said = annotations.and_then(|a| a.get("line")?.as_i64());
        assert_eq!(said, line);
        assert_eq!(format!("{found:?}"), found.to_string());
    }
}

/// If a global is the index of a loop, validation asks for the writes of calls, also in programs that are wrong
/// otherwise.
#[test]
fn loops_over_globals_in_broken_programs() {
    let program = || {
        let mut p = ProgramBuilder::new();
        let k = p.global("k", Integer);
        let mut g = RoutineBuilder::new("g");
        let x = g.inout("x", Real);
        g.assign(x, 1.0);
        let g = p.add(g);
        let mut f = RoutineBuilder::new("f");
        let y = f.inout("y", Real);
        let k = f.global(p.program(), k);
        f.for_loop(k, 1, 3, |f| f.call(g, [y]));
        p.add(f);
        p.into_program().expect("the builder is used right")
    };
    assert!(!find_problems(&program()).1.has_errors());
    type Damage = fn(&mut Program);
    let damages: [Damage; 6] = [
        |p| p.routines[0].parameters.clear(),
        |p| p.routines[0].parameters = vec![VarId::new(0); 3],
        |p| p.routines[1].parameters.push(VarId::new(7)),
        |p| p.globals.clear(),
        |p| p.routines.truncate(1),
        |p| drop(p.routines.remove(0)),
    ];
    for (k, damage) in damages.into_iter().enumerate() {
        let mut broken = program();
        damage(&mut broken);
        let wrong = find_problems(&broken).1.has_errors();
        // A routine that nothing calls is no error.
        assert_eq!(wrong, k != 4, "{k}");
    }
}

/// Subscripts, bounds of sections, extents and selectors of any integer type get the conversion that they stand for.
#[test]
fn integers_of_other_types_are_converted_where_one_is_wanted() {
    let text = "main subroutine f(in uint16 n, in int8 k, in uint64 m, inout real x[n])
  local integer i[3]
  i[uint8(2)] := 1
  x[k] := x[i[m]]
  x[k:m:uint8(1)] := 2.0
  select k
  case 1
    x[1] := 3.0
  case default
  end
end
";
    let read = cfg_format::text::parse(text);
    let program = read.program.unwrap_or_else(|| panic!("{}", read.problems));
    let program = validate(program).unwrap_or_else(|p| panic!("{p}"));
    let mut printed = String::new();
    cfg_core::text::program(&mut printed, &program).unwrap();
    for line in [
        "x[int(n)]",
        "i[int(uint8(2))] := 1",
        "x[int(k)] := x[i[int(m)]]",
        "x[int(k):int(m):int(uint8(1))] := 2.0",
        "select int(k)",
    ] {
        assert!(printed.contains(line), "{line} in {printed}");
    }
    // The program with the conversions is valid and does not change.
    let again = validate(program.program().clone()).unwrap();
    assert_eq!(again.program(), program.program());
    for wrong in ["x[k + 1]", "x[real(k)]"] {
        let text = text.replace("x[k] :=", &format!("{wrong} :="));
        let program = cfg_format::text::parse(&text).program.unwrap();
        assert!(validate(program).is_err(), "{wrong}");
    }
}

/// The uses without a value (V152) in the body of a routine, the same of it as it is and as any graph.
fn codes_of(body: &str) -> Vec<&'static str> {
    let text = format!(
        "subroutine f(in integer n, in real x, out real y)\n  local real a, b\n  local integer k\n{body}end\n"
    );
    let parsed = cfg_format::text::parse(&text);
    let program = parsed
        .program
        .unwrap_or_else(|| panic!("{}", parsed.problems));
    let codes = |program: &Program| {
        let (_, found) = find_problems(program);
        let codes = found.iter().map(|p| p.code);
        codes.filter(|code| *code == "V152").collect::<Vec<_>>()
    };
    let structured = codes(&program);
    let mut general = program;
    general.routines[0].control = Control::General;
    assert_eq!(codes(&general), structured, "{body}");
    structured
}

#[test]
fn what_comes_behind_a_stop_uses_nothing() {
    for body in [
        // Behind it in the block.
        "y := x\nstop \"no\"\ny := a + 1.0\n",
        // In vertices that nothing else leads to, a loop that tests after its body among them.
        "y := x\nstop \"no\"\nif a > b\ny := a + 1.0\nend\n",
        "stop \"no\"\ndo\nk := k + 1\nend while b > 1.0\n",
        "stop \"no\"\nwhile a > 1.0\ny := b + 1.0\nend\n",
        "stop \"no\"\nfor k = int(a), int(b)\ny := b + 1.0\nend\n",
        // Behind arms that all stop.
        "if n > 1\nstop \"a\"\nelse\nstop \"b\"\nend\ny := a + 1.0\n",
        // In the arm.
        "y := x\nif n > 1\nstop \"a\"\ny := a*2.0\nend\n",
        // An assignment only in the arm from which the program goes on.
        "if n > 1\nstop \"a\"\nelse\na := x\nend\ny := a + 1.0\n",
    ] {
        assert_eq!(codes_of(body), Vec::<&str>::new(), "{body}");
    }
}

#[test]
fn what_comes_before_a_stop_and_beside_it_uses_values() {
    for body in [
        "y := a + 1.0\nstop \"no\"\n",
        "if n > 1\ny := a + 1.0\nstop \"no\"\nend\n",
        "if n > 1\nstop \"no\"\nend\ny := a + 1.0\n",
        "y := x\nwhile a > 1.0\nstop \"no\"\nend\n",
    ] {
        assert!(codes_of(body).contains(&"V152"), "{body}");
    }
}
