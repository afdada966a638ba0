//! Effects that go from the called to their callers, in small programs.

use cfg_core::{
    entity::{GlobalId, RoutineId, VarId},
    ir::{Expr, LoopTest, Place, Program, ScalarType, Stmt, VertexKind},
    memory::{effects::Effects, global_set::GlobalSet},
};

fn set(globals: &[GlobalId]) -> GlobalSet {
    globals.iter().copied().collect()
}

/// The program of a text, which need not be valid.
fn read(text: &str) -> Program {
    let parsed = cfg_format::text::parse(text);
    parsed
        .program
        .unwrap_or_else(|| panic!("{}", parsed.problems))
}

/// Types are told apart, but for records and pointers, and come from all that is called.
#[test]
fn types_of_globals() {
    const TYPES: [&str; 14] = [
        "real",
        "real32",
        "integer",
        "logical",
        "int8",
        "int16",
        "int32",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
        "record R",
        "^real",
        "^record R",
    ];
    let mut text = String::from("record R\n  real a\nend\n");
    for (k, ty) in TYPES.iter().enumerate() {
        text += &format!(
            "global {ty} g{k}\nglobal {ty} h{k}\nsubroutine f{k}()\n  uses g{k}, h{k}\n  g{k} := h{k}\nend\n"
        );
    }
    // A routine that calls all others, and a routine that names the globals of its callee.
    let calls: String = (0..TYPES.len())
        .map(|k| format!("  call f{k}()\n"))
        .collect();
    text += &format!("subroutine all()\n{calls}end\n");
    text += "subroutine again()\n  uses g0\n  g0 := 1.0\n  call f0()\n  call f0()\nend\nsubroutine none()\nend\n";
    let program = read(&text);
    let effects = Effects::summarise(&program);
    let types: Vec<ScalarType> = (0..TYPES.len())
        .map(|k| program.globals[2 * k].variable.ty)
        .collect();
    let routine = |name: &str| program.find_routine(name).expect("it is there");
    let is_pointer = |k: usize| TYPES[k].starts_with('^');
    for (k, own) in types.iter().enumerate() {
        let f = routine(&format!("f{k}"));
        for (other, ty) in types.iter().enumerate() {
            let expected = other == k || is_pointer(other) && is_pointer(k);
            let named = effects.types_named(f).contains(*ty);
            let written = effects.types_written(f).contains(*ty);
            assert_eq!([named, written], [expected; 2], "{k} {other}");
        }
        assert!(!effects.types_named(f).contains(ScalarType::Tape));
        assert!(effects.types_named(routine("all")).contains(*own));
        assert!(!effects.types_named(routine("none")).contains(*own));
        let again = effects.types_written(routine("again"));
        assert_eq!(again.contains(*own), k == 0, "{k}");
    }
}

/// Callers have the names, reads and writes of their callees, also if each routine names a global of its own.
#[test]
fn effects_of_routines_that_all_have_some() {
    let program = read(
        "global real a
global real b
subroutine g()
  uses b
  b := b + 1.0
end
subroutine f()
  uses a
  a := a + 1.0
  call g()
end
",
    );
    let [a, b] = [0, 1].map(GlobalId::new);
    let [g, f] = [0, 1].map(RoutineId::new);
    let effects = Effects::summarise(&program);
    for sets in [
        [effects.named(g), effects.named(f)],
        [effects.read(g), effects.read(f)],
        [effects.written(g), effects.written(f)],
    ] {
        assert_eq!(sets, [&set(&[b]), &set(&[a, b])]);
    }
    assert!(effects.has(f) && !effects.has(RoutineId::new(2)));
}

/// If a callee asks for the shape of a global, the global is not read; a parameter is only asked for its shape.
#[test]
fn shapes_that_are_asked_for_through_calls() {
    let program = read(
        "global real w[3]
subroutine asks(in real v[:], out integer n)
  n := size(v, 1)
end
subroutine hands(in real v[:], out integer n)
  uses w
  call asks(v, n)
  call asks(w, n)
end
",
    );
    let effects = Effects::summarise(&program);
    for r in [0, 1].map(RoutineId::new) {
        let formals = effects.formals(r);
        assert!(formals.asked.ones().eq([0]) && formals.read.is_clear());
        assert!(effects.read(r).is_empty() && effects.written(r).is_empty());
    }
}

/// A program need not be valid: in a called routine, statements and loops that write variables behind the last one
/// write nothing.
#[test]
fn what_is_not_there_is_not_surely_written() {
    for beyond in 0..3 {
        let mut program = read(
            "subroutine f(out real x, out real y)
  local integer i
  local real t
  x := 1.0
  t := 2.0
  for i = 1, 3
    y := x
  end
end
main subroutine main(out real x, out real y)
  call f(x, y)
end
",
        );
        let missing = VarId::new(program.routines[0].variables.len() + beyond);
        let cfg = program.routines[0].body.as_mut().expect("it has a body");
        for vertex in cfg.vertices_mut() {
            match &mut vertex.kind {
                VertexKind::Loop { test, .. } => {
                    if let LoopTest::Counted { index, .. } = &mut **test {
                        *index = missing;
                    }
                }
                VertexKind::Block(statements) => {
                    if let Some(second) = statements.get_mut(1) {
                        *second = Stmt::assign(Place::whole(missing), Expr::Real(2.0));
                    }
                }
                VertexKind::Entry
                | VertexKind::Exit
                | VertexKind::EndLoop
                | VertexKind::Branch(_)
                | VertexKind::EndBranch => {}
            }
        }
        let effects = Effects::summarise(&program);
        let formals = effects.formals(RoutineId::new(0));
        assert!(formals.surely_written.ones().eq([0]), "{beyond}");
    }
}
