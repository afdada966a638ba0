//! Every statement that is generated from a statement has its span and its origin; these change nothing else.

use cfg_core::{
    entity::RoutineId,
    ir::{Cfg, Program, Routine, Span, StmtKind, TapeClass, VertexKind},
    validate,
};
use cfg_reverse::{Blocks, Options, Unstructured, reverse, tangent};
use cfg_testkit::flat;
use cfg_testkit::{general, generate, generate::Options as Generate};
use std::sync::Arc;

/// Lines from here on are those of vertices.
const VERTICES: u32 = 1_000_000;

fn span(source: usize, line: usize) -> Option<Arc<Span>> {
    Span::new(source as u32, [line as u32, 1, line as u32, 2]).map(Arc::new)
}

/// Gives spans to a program: each routine is a source, and the line of a statement is its number, from 1.
fn mark(program: &mut Program) {
    program.sources = program.routines.iter().map(|r| r.name.clone()).collect();
    for global in &mut program.globals {
        global.variable.at = span(0, 7);
    }
    for (r, routine) in program.routines.iter_mut().enumerate() {
        routine.at = span(r, 1);
        for (v, variable) in routine.variables.iter_mut().enumerate() {
            variable.at = span(r, v + 1);
        }
        let mut number = 0;
        for (v, vertex) in routine
            .body
            .iter_mut()
            .flat_map(Cfg::vertices_mut)
            .enumerate()
        {
            vertex.at = span(r, VERTICES as usize + v);
            for statement in vertex.kind.statements_mut().into_iter().flatten() {
                number += 1;
                statement.at = span(r, number);
            }
        }
    }
}

fn strip(program: &mut Program) {
    program.sources.clear();
    for global in &mut program.globals {
        global.variable.at = None;
    }
    for routine in &mut program.routines {
        routine.at = None;
        routine.variables.iter_mut().for_each(|v| v.at = None);
        for vertex in routine.body.iter_mut().flat_map(Cfg::vertices_mut) {
            vertex.at = None;
            let statements = vertex.kind.statements_mut();
            statements.into_iter().flatten().for_each(|s| s.at = None);
        }
    }
}

/// Checks a generated routine; the number of statements with a span of a statement.
fn check(program: &Program, original: usize, made: &Routine, what: &str) -> usize {
    let numbers = program.routines[original].statements().count();
    let mut found = 0;
    for (_, vertex) in made.body.iter().flat_map(Cfg::vertices) {
        if let (VertexKind::Block(_), Some(origin)) = (&vertex.kind, vertex.origin) {
            let image = origin.role.is_image();
            // A vertex that recovery has added has no original.
            let theirs = program.routines[original].body.as_ref();
            let known = theirs.and_then(|cfg| cfg.with_id(origin.vertex)).is_some();
            for statement in vertex.statements() {
                let at = statement.at.as_deref().or(vertex.at.as_deref());
                let Some(at) = at else {
                    let name = &made.name;
                    assert!(!known, "{what}: {name}, vertex {} has no span", vertex.id);
                    continue;
                };
                assert_eq!(at.source as usize, original, "{what}: {}", made.name);
                // A marker is recorded for the vertex, which may have been made of a statement.
                let marker = matches!(
                    statement.kind,
                    StmtKind::Push {
                        class: TapeClass::Control(_),
                        ..
                    } | StmtKind::Pop {
                        class: TapeClass::Control(_),
                        ..
                    }
                );
                let of_vertex = marker && statement.origin.number().is_none();
                if at.line.get() < VERTICES && image && !of_vertex {
                    let number = statement.origin.number();
                    assert_eq!(
                        number,
                        Some(at.line.get() as usize - 1),
                        "{what}: {}, vertex {}: {:?}",
                        made.name,
                        vertex.id,
                        statement.kind
                    );
                    assert!(number < Some(numbers), "{what}: {}", made.name);
                    found += 1;
                }
            }
        }
    }
    found
}

fn one(name: &str, program: &Program, main: RoutineId) -> usize {
    let mut bare = program.clone();
    strip(&mut bare);
    let mut marked = bare.clone();
    mark(&mut marked);
    let bare = validate::validate(bare).expect("it is valid");
    let marked = validate::validate(marked).expect("it is valid with spans");
    let mut found = 0;
    for (k, options) in [
        Options::default(),
        Options {
            merge: true,
            ..Options::default()
        },
        Options {
            blocks: Blocks::Preaccumulate,
            work: 500,
            ..Options::default()
        },
        Options {
            unstructured: Unstructured::Trace,
            ..Options::default()
        },
    ]
    .iter()
    .enumerate()
    {
        let what = format!("{name}, options {k}");
        let (made, without) = match [&marked, &bare].map(|p| reverse(&flat(p), main, options)) {
            [Ok(made), Ok(without)] => (made, without),
            // Programs with tapes of their own have no adjoint.
            [Err(_), Err(_)] => continue,
            [made, _] => panic!("{what}: with spans {}", made.is_ok()),
        };
        for &(original, forward, reverse) in &made.sweeps {
            for r in [forward, reverse] {
                let routine = made.program.routine(r);
                assert!(routine.at.is_some(), "{what}");
                found += check(&marked, original.index(), routine, &what);
            }
        }
        let mut stripped = made.program;
        assert_eq!(stripped.sources, marked.sources, "{what}");
        strip(&mut stripped);
        assert!(
            stripped == without.program,
            "{what}: spans change something"
        );
    }
    let made = tangent(&flat(&marked), main).expect("it has a tangent");
    for &(original, t) in &made.pairs {
        let routine = made.program.routine(t);
        found += check(
            &marked,
            original.index(),
            routine,
            &format!("{name}, tangent"),
        );
    }
    let mut stripped = made.program;
    strip(&mut stripped);
    let without = tangent(&flat(&bare), main).expect("it has a tangent");
    assert!(
        stripped == without.program,
        "{name}: spans change the tangent"
    );
    found
}

#[test]
fn all_that_is_made_of_a_statement_has_its_span_and_its_number() {
    let mut found = 0;
    for seed in 0..25 {
        let case = generate::generate(&Generate::WIDE_SMOOTH, seed).expect("a program");
        found += one(&format!("seed {seed}"), &case.program, case.main);
        let case = general::generate(seed);
        found += one(&format!("general seed {seed}"), &case.program, case.main);
    }
    assert!(found > 10_000, "{found}");
}

#[test]
fn problems_name_the_statement_and_its_place_in_the_source() {
    let text = r#"
source "f.c"
subroutine f(in real x, out real y, inout tape t)
  independent x
  dependent y
  y := x
  push[real] x @[0:7:3-7:9]
  call g(y) @[0:8:1-8:2]
end
subroutine g(inout real y)
  y := 2.0*y
end
"#;
    let parsed = cfg_format::text::parse(text);
    let problems = parsed.problems;
    let program = parsed.program.unwrap_or_else(|| panic!("{problems}"));
    let valid = validate::validate(program).expect("it is valid");
    let found = reverse(&flat(&valid), RoutineId::new(0), &Options::default());
    let found = found.expect_err("a routine with a tape has no adjoint");
    let at = &found.0[0].at;
    let source = at.source.as_ref().map(ToString::to_string);
    assert_eq!(source.as_deref(), Some("f.c:7:3"), "{found}");
    let site = at.site.as_deref().expect("it has a place");
    assert_eq!(parsed.places.of_site(site), Some((7, 3)), "{found}");
}
