//! Rules of graphs and expressions on both sides of their bounds.

use cfg_core::{
    diagnostic::{Diagnostics, Severity},
    entity::{GlobalId, RecordId, VarId},
    graph::{Adjacency, DiGraph as _},
    ir::{
        Cfg, Control, Edge, Expr, Field, MAX_ID, Op, Place, Program, Record, Routine, ScalarType,
        Stmt, StmtKind, Vertex, VertexKind,
    },
    memory::{
        access::{Access, Accesses, decision_accesses},
        effects::Effects,
        global_set::GlobalSet,
        locations::Locations,
        storage::Storage,
    },
    structure::Structure,
    validate::{find_problems, validate},
};
use cfg_format::text;
use cfg_testkit::golden::golden;

/// The program of a text.
pub(crate) fn read(source: &str) -> Program {
    let parsed = text::parse(source);
    parsed
        .program
        .unwrap_or_else(|| panic!("{}\n{source}", parsed.problems))
}

/// The problems of a program.
pub(crate) fn found(program: &Program) -> Diagnostics {
    find_problems(program).1
}

/// The reads and writes of the statements of a routine, in words.
fn accesses_of(program: &Program, routine: &Routine) -> Vec<String> {
    let effects = Effects::summarise(program);
    let all = Accesses::resolve(program, &effects, routine);
    let mut found = Vec::new();
    for statement in routine.statements() {
        all.each_access(statement, &mut |access| {
            let name = &routine.variable(access.variable()).name;
            found.push(match access {
                Access::Read(_) => format!("read {name}"),
                Access::Write(_) => format!("write {name}"),
                Access::MayWrite(_) => format!("may write {name}"),
            });
        });
    }
    found
}

const PLAIN: &str = "main subroutine f(in real x, out real y)\n  y := x\nend\n";

/// Checks which of the ids at the bounds a graph may have, where they are put into its vertices and edges.
fn ids_have_a_bound(may_be_0: bool, put: fn(&mut [Vertex], &mut [Edge], i64)) {
    for (id, is_allowed) in [
        (MAX_ID, true),
        (-MAX_ID, true),
        (0, may_be_0),
        (MAX_ID + 1, false),
        (-MAX_ID - 1, false),
    ] {
        let mut program = read(PLAIN);
        let cfg = program.routines[0].body.take().expect("it has one");
        let (mut vertices, mut edges) = cfg.into_parts();
        put(&mut vertices, &mut edges, id);
        program.routines[0].body = Cfg::new(vertices, edges);
        let found = found(&program);
        assert_eq!(found.is_empty(), is_allowed, "{id}: {found}");
    }
}

#[test]
fn ids_of_edges_have_a_bound() {
    ids_have_a_bound(true, |_, edges, id| edges[0].id = Some(id));
}

#[test]
fn ids_of_vertices_have_a_bound() {
    ids_have_a_bound(false, |vertices, _, id| vertices[0].id = id);
}

/// Records have so many leaves at most. The leaves of an invalid record are listed up to the same number.
#[test]
fn leaves_of_records_have_a_bound() {
    let fields = |ty: &str, name: &str, count: usize| -> String {
        (0..count).map(|k| format!("  {ty} {name}{k}\n")).collect()
    };
    let records = |last: &str| {
        let [reals, less] = [100, 99].map(|count| fields("real", "x", count));
        format!(
            "record P\n{reals}end\nrecord O\n{less}end\nrecord B\n  real x\nend\nrecord Q\n{last}end\n{PLAIN}"
        )
    };
    let most = Record::MAX_LEAVES;
    let some = |count: usize| fields("record P", "p", count);
    for (last, count, listed) in [
        (some(100), most, most),
        (some(99) + "  record O o\n  record B b\n", most, most),
        (some(100) + "  record B b\n", most + 1, most),
    ] {
        let program = read(&records(&last));
        let id = program.find_record("Q").expect("it is declared");
        let is_refused = found(&program).iter().any(|d| d.code == "V158");
        assert_eq!(is_refused, count > most, "{count}");
        assert_eq!(program.leaves(ScalarType::Record(id)).len(), listed);
    }
}

/// Records without leaves, which are not valid, are looked through up to a number of parts.
#[test]
fn parts_of_records_have_a_bound() {
    let record = |r: usize| Field {
        ty: ScalarType::Record(RecordId::new(r)),
        ..Field::default()
    };
    let most = Record::MAX_LEAVES * Record::MAX_DEPTH + 1;
    for (parts, leaves) in [(most, 1), (most + 1, 0)] {
        // The first part is the record, and the last one a real. Record 1 has 1001 parts, and record 0 has one.
        let between = parts - 2;
        let mut fields = vec![record(1); between / 1001];
        fields.extend(vec![record(0); between % 1001]);
        fields.push(Field::default());
        let records = [Vec::new(), vec![record(0); 1000], fields];
        let program = Program {
            records: records
                .map(|fields| Record {
                    fields,
                    ..Record::default()
                })
                .into(),
            ..Program::default()
        };
        let found = program.leaves(record(2).ty);
        assert_eq!(found.len(), leaves, "{parts}");
    }
}

/// Records nest so many levels deep at most, and no leaves are listed below.
#[test]
fn levels_of_records_have_a_bound() {
    let most = Record::MAX_DEPTH;
    for (levels, leaves) in [(most, 1), (most + 1, 0)] {
        let mut text = "record P1\n  real x\nend\n".to_owned();
        for k in 2..=levels {
            text += &format!("record P{k}\n  record P{} p\nend\n", k - 1);
        }
        let program = read(&(text + PLAIN));
        let id = program.find_record(&format!("P{levels}"));
        let id = id.expect("it is declared");
        let is_refused = found(&program).iter().any(|d| d.code == "V158");
        assert_eq!(is_refused, levels > most, "{levels}");
        assert_eq!(program.leaves(ScalarType::Record(id)).len(), leaves);
    }
}

#[test]
fn each_branch_has_an_end_of_its_own() {
    let mut program = read(
        "general subroutine f(in real x, out real y)
    1 ENTRY -> 2
    2 BRANCH x < 1.0 -> 3 [1], 4 [0]
    3 BRANCH x < 0.0 -> 5 [1], 6 [0]
    4 BASICBLOCK -> 7
          y := x
    5 BASICBLOCK -> 7
          y := x
    6 BASICBLOCK -> 7
          y := x
    7 BASICBLOCK -> 8
          y := y + x
    8 EXIT
end
",
    );
    assert!(found(&program).is_empty());
    program.routines[0].control = Control::Structured;
    let found = found(&program);
    let help = "let the arms of each BRANCH meet at an ENDBRANCH of its own";
    assert!(found.iter().any(|d| d.help.starts_with(help)), "{found}");
}

/// Advice names edges up to a number.
#[test]
fn edges_that_advice_names_have_a_bound() {
    for (count, named) in [(8, 8), (9, 9), (10, 9)] {
        let several_out = format!(
            "subroutine f(in real x, out real y)
    1 ENTRY -> 2
    2 BASICBLOCK -> {}
          y := x
    3 EXIT
end
",
            vec!["3"; count].join(", ")
        );
        // The arms of the inner branch end where those of the outer one do.
        let cases: String = (1..count).map(|k| format!("[{k}] {k}; ")).collect();
        let arms: Vec<String> = (1..=count).map(|k| format!("{} [{k}]", k + 3)).collect();
        let (other, end, exit) = (count + 4, count + 5, count + 6);
        let blocks: String = (4..=other)
            .map(|v| format!("    {v} BASICBLOCK -> {end}\n          y := x\n"))
            .collect();
        let common_end = format!(
            "subroutine f(in integer n, in real x, out real y)
    1 ENTRY -> 2
    2 BRANCH x < 1.0 -> 3 [1], {other} [0]
    3 BRANCH select n: {cases}[{count}] default -> {}
{blocks}    {end} ENDBRANCH -> {exit}
    {exit} EXIT
end
",
            arms.join(", ")
        );
        for source in [several_out, common_end] {
            let problems = found(&read(&source));
            let arrows = problems.iter().map(|d| d.help.matches(" -> ").count());
            assert_eq!(arrows.sum::<usize>(), named, "{count}\n{problems}");
            let are_more = problems.iter().any(|d| d.help.contains(" and 1 more"));
            assert_eq!(are_more, count > named, "{count}\n{problems}");
        }
    }
}

/// The end of a body is led back to the LOOP that has no way back, if there is one such LOOP.
#[test]
fn ends_of_bodies_are_led_back_to_the_loop_that_lacks_one() {
    let body = |first: i64, end: i64, next: i64| {
        format!(
            "    {first} LOOP i = 1, n -> {} [1], {next}
    {} BASICBLOCK -> {}
          y := y*x
    {} ENDLOOP -> {end}
",
            first + 1,
            first + 1,
            first + 2,
            first + 2
        )
    };
    for (loops, help) in [
        (body(3, 6, 6) + "    6 EXIT\n", "\"to\": 3"),
        (body(3, 3, 6) + &body(6, 9, 9) + "    9 EXIT\n", "\"to\": 6"),
        (
            body(3, 9, 6) + &body(6, 9, 9) + "    9 EXIT\n",
            "to the LOOP whose body it ends",
        ),
    ] {
        let program = read(&format!(
            "general subroutine f(in integer n, in real x, out real y)
  local integer i
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          y := x
{loops}end
"
        ));
        let found = found(&program);
        let mut helps = found.iter().map(|d| &d.help);
        assert!(
            helps.any(|h| h.starts_with("lead its edge back") && h.contains(help)),
            "{loops}{found}"
        );
    }
}

/// A subscript that is wrong leaves the type of its place unknown: errors that follow from it are not reported.
#[test]
fn what_is_wrong_in_a_subscript_is_told_once() {
    for place in [
        "v[x]",
        "v[x:2]",
        "v[1:x]",
        "v[1:2:x]",
        "v[y + 1.0:]",
        "v[:l]",
    ] {
        for statement in [format!("l := {place}"), format!("{place} := l")] {
            let source = format!(
                "main subroutine f(in real x, inout logical l, inout real v[3], out real y)\n  y := x\n  {statement}\nend\n"
            );
            let found = found(&read(&source));
            assert_eq!(found.iter().count(), 1, "{statement}: {found}");
        }
    }
}

/// An address has a level, as an operation does.
#[test]
fn addresses_in_subscripts_of_addresses_have_a_depth() {
    let source = "main subroutine f(in real x[3], out real y)\n  local integer i\n  i := 1\n  y := x[i]\nend\n";
    let program = |times: usize| {
        let mut program = read(source);
        let [x, i] = [0, 2].map(VarId::new);
        let mut index = Expr::Int(1);
        for _ in 0..times {
            let [there, here] = [index, Expr::Int(1)].map(|e| Expr::Addr(Place::element(x, [e])));
            index = Expr::op(Op::Distance, [there, here]);
        }
        let cfg = program.routines[0].body.as_mut().expect("it has one");
        let block = cfg.vertices_mut().find(|v| !v.statements().is_empty());
        if let Some(cfg_core::ir::VertexKind::Block(statements)) = block.map(|v| &mut v.kind) {
            statements[0] = Stmt::assign(Place::whole(i), index);
        }
        program
    };
    let too_deep = |times: usize| {
        found(&program(times))
            .iter()
            .any(|d| d.message.contains("levels"))
    };
    let fits = Expr::MAX_DEPTH / 3 - 1;
    assert!(!too_deep(fits), "{}", found(&program(fits)));
    assert!(too_deep(Expr::MAX_DEPTH / 2 + 1));
}

/// Integers of another width are converted where an integer is wanted: as numbers of elements, too.
#[test]
fn pointers_are_shifted_by_integers_of_any_width() {
    let source = |by: &str| {
        format!(
            "main subroutine f(in real x[3], in int32 k, out real y)
  local ^real p
  p := addr(x)
  p := shift(p, {by})
  y := p^
end
"
        )
    };
    let printed = |by: &str| {
        let valid = validate(read(&source(by)));
        valid.unwrap_or_else(|d| panic!("{d}")).to_string()
    };
    assert_eq!(printed("k"), printed("int(k)"));
}

/// Fields and elements of one record overlap where all subscripts that both have may be equal for certain.
#[test]
fn fields_that_overlap_for_certain() {
    let source = |a: &str, b: &str| {
        format!(
            "record R
  real v[3]
  real w
end
subroutine g(in real a, inout real b)
  b := b*a
end
subroutine h(in real a[3], inout real b)
  b := b*a[1]
end
main subroutine f(inout record R r[2], in integer i)
  call {a}, {b})
end
"
        )
    };
    for (a, b, overlap) in [
        ("g(r[1].v[2]", "r[1].v[2]", true),
        ("g(r[1].v[2]", "r[1].v[3]", false),
        ("g(r[1].v[2]", "r[2].v[2]", false),
        ("g(r[1].w", "r[1].v[2]", false),
        ("g(r[1].w", "r[i].w", false),
        ("h(r[1].v", "r[1].v[2]", true),
        ("h(r[1].v", "r[2].v[2]", false),
    ] {
        let found = found(&read(&source(a, b)));
        let is_told = found
            .iter()
            .any(|d| d.code == "V147" || d.message.contains("overlap"));
        assert_eq!(is_told, overlap, "{a} {b}: {found}");
    }
}

/// A variable that was added later has a location of its own.
#[test]
fn variables_that_are_added_have_locations_behind_the_others() {
    let program = read(
        "main subroutine f(in real x[3], out real y)\n  local real t\n  t := x[1]\n  y := t*x[2]\nend\n",
    );
    let routine = &program.routines[0];
    let cfg = routine.body.as_ref().expect("it has one");
    for locations in [
        Locations::divide(&program, routine),
        Locations::divide(&program, routine).with_elements(&program, routine, cfg),
    ] {
        let known = routine.variables.len();
        let all: Vec<usize> = (0..known + 3)
            .map(|v| locations.of_variable(VarId::new(v)).index())
            .collect();
        let new: Vec<usize> = (0..3).map(|k| locations.len() + k).collect();
        assert_eq!(all[known..], new);
        assert!(all[..known].iter().all(|l| *l < locations.len()));
    }
}

#[test]
fn what_is_valid_is_the_program() {
    let program = read(PLAIN);
    let valid = validate(program.clone()).unwrap_or_else(|d| panic!("{d}"));
    assert_eq!(*valid.program(), program);
    assert_eq!(valid.into_program(), program);
}

/// An array inside of a pointer's object has an address, as a whole; its type is checked.
#[test]
fn addresses_of_arrays_behind_pointers() {
    let codes = |line: &str| {
        let program = read(&format!(
            "record R
  real v[3]
  integer k
end
main subroutine f(in ^record R p, out real y)
  local ^real q
  local ^integer n
  {line}
  y := 1.0
end
"
        ));
        let found = found(&program);
        found.iter().map(|d| d.code).collect::<Vec<_>>()
    };
    for (line, expected) in [
        ("q := addr(p^.v)", &[][..]),
        ("q := addr(p^.v[2])", &[]),
        ("n := addr(p^.k)", &[]),
        ("n := addr(p^.v)", &["V139"]),
        ("n := addr(p^.v[2])", &["V139"]),
        ("q := addr(p^.v[1:2])", &["V163"]),
    ] {
        assert_eq!(codes(line), expected, "{line}");
    }
}

/// The operands allowed at each place: of each type, a scalar and an array.
#[test]
fn places_take_the_types_that_they_are_for() {
    const OPERANDS: [(&str, &str); 7] = [
        ("r", "real"),
        ("f", "real32"),
        ("i", "integer"),
        ("s", "int8"),
        ("u", "uint64"),
        ("l", "logical"),
        ("is", "array"),
    ];
    for (place, allowed) in [
        ("if {}\n y := r\n end", "logical"),
        ("while {}\n y := r\n end", "logical"),
        ("do\n y := r\n end while {}", "logical"),
        (
            "select {}\n case 1\n y := r\n case default\n y := r\n end",
            "integer int8 uint64",
        ),
        ("for k = {}, 3\n y := r\n end", "integer"),
        ("for k = 1, {}\n y := r\n end", "integer"),
        ("for k = 1, 3, {}\n y := r\n end", "integer"),
        ("y := rs[{}]", "integer int8 uint64"),
        ("y := sum(rs[{}:3])", "integer int8 uint64"),
        ("y := sum(rs[1:{}])", "integer int8 uint64"),
        ("y := sum(rs[1:3:{}])", "integer int8 uint64"),
        ("p := shift(p, {})", "integer int8 uint64"),
        ("y := p^[{}]", "integer int8 uint64"),
        ("allocate p, {}", "integer int8 uint64"),
        ("y := if({}, r, r)", "logical"),
        ("l := not {}", "logical"),
        ("l := l and {}", "logical"),
        ("y := r*{}", "real integer"),
        ("i := bitand(i, {})", "integer"),
        ("declare local real z[{}]", "integer int8 uint64"),
        ("declare local real z[3 from {}]", "integer int8 uint64"),
    ] {
        let mut taken = Vec::new();
        for (operand, ty) in OPERANDS {
            let line = place.replace("{}", operand);
            let (declared, line) = match line.strip_prefix("declare ") {
                Some(declared) => (declared, "y := r"),
                None => ("", &*line),
            };
            let source = format!(
                "main subroutine f(in real r, in real32 f, in integer i, in int8 s, in uint64 u, in logical l, in integer is[2], in real rs[9], in ^real p, out real y)
  {declared}
  local integer k
  {line}
end
"
            );
            let source = source
                .replace("in integer i,", "inout integer i,")
                .replace("in logical l,", "inout logical l,")
                .replace("in ^real p,", "inout ^real p,");
            if !found(&read(&source)).has_errors() {
                taken.push(ty);
            }
        }
        assert_eq!(taken.join(" "), allowed, "{place}");
    }
}

/// Arguments overlap where their subscripts have a number in common whatever the values are.
#[test]
fn arguments_that_overlap_for_certain() {
    for (a, b, overlap) in [
        ("a", "a", true),
        ("a", "a[2:3]", true),
        ("a[1:2]", "a[2:3]", true),
        ("a[2:3]", "a[1:2]", true),
        ("a[1:2]", "a[3:4]", false),
        ("a[3:4]", "a[1:2]", false),
        ("a[2:2]", "a[1:3]", true),
        ("a[1:3]", "a[3:3]", true),
        ("a[4:4]", "a[1:3]", false),
        ("a[1:4]", "a[2:3]", true),
        ("a[1:3:2]", "a[2:2]", false),
        ("a[1:3:2]", "a[1:3:2]", true),
        ("a[3:1]", "a[1:3]", false),
        ("a[i:i]", "a[i:i]", true),
        ("a[i:i]", "a[k:k]", false),
        ("a[i:i]", "a[1:4]", false),
        ("a[:]", "a[i:k]", true),
        ("m[1:2, 1]", "m[2:3, 1]", true),
        ("m[1:2, 1]", "m[2:3, 2]", false),
        ("m[1:2, 1]", "m[3:3, 1]", false),
        // Globals that share storage, as wholes.
        ("G", "H", true),
        ("H", "G", true),
        ("H", "K", false),
        ("K", "H", false),
        ("G", "K", true),
        ("J", "H", true),
        ("J", "K", true),
        ("G", "L", false),
    ] {
        let source = format!(
            "global real G[4]
global real H[2] overlays G at 0
global real K[2] overlays G at 2
global real J[2] overlays G at 1
global real L[4]
subroutine g(in real a[1], inout real b[1])
  b[1] := b[1]*a[1]
end
main subroutine f(inout real a[4], inout real m[3, 3], in integer i, in integer k)
  uses G, H, K, J, L
  call g({a}, {b})
end
"
        );
        let found = found(&read(&source));
        let is_told = found.iter().any(|d| d.code == "V150");
        let others = found.iter().any(|d| d.code != "V150");
        assert_eq!((is_told, others), (overlap, false), "{a} {b}: {found}");
    }
}

/// Extents that are known are compared wherever two shapes meet.
#[test]
fn extents_that_differ_for_certain() {
    for (target, value, is_allowed) in [
        ("a", "a + b", true),
        ("a", "a + c", false),
        ("a", "c", false),
        ("a[1:2]", "b[2:3]", true),
        ("a[1:2]", "b[1:3]", false),
        ("a[1:3:2]", "b[1:2]", true),
        ("a[3:1:-1]", "b", true),
        ("a[3:1:-2]", "b", false),
        ("a[2:1]", "b[3:2]", true),
        ("a[2:1]", "b[3:3]", false),
        ("a", "m[1, 1:3]", true),
        ("a", "m[1, :]", true),
        ("a", "m[:, 1]", false),
        ("k", "transpose(m)", true),
        ("m", "transpose(m)", false),
        ("m", "transpose(k)", true),
        ("k", "transpose(m) + transpose(m)", true),
        ("k", "transpose(m) + m", false),
        ("a", "fill(1.0, 3)", true),
        ("a", "fill(1.0, 4)", false),
        ("a", "fill(1.0, n)", true),
        ("a", "fill(1.0, n) + c", false),
        ("a", "fill(1.0, 2) + a[1:2]", false),
        ("a", "b + fill(1.0, 2)", false),
        ("a", "if(a > 0.0, b, c)", false),
        ("a", "if(a > 0.0, b, 1.0)", true),
        // A scalar condition chooses one of the two.
        ("a", "if(n > 0, b, c)", true),
        ("a", "if(n > 0, c, c)", false),
        ("a", "if(n > 0, c, c) + b", false),
        ("a", "if(n > 0, b, c) + b", true),
        ("a", "product_partial(b)", true),
        ("a", "product_partial(c)", false),
        ("a", "maxval_partial(c) + b", false),
        ("a", "sum(c)*b", true),
        ("a", "d", true),
        ("a", "d + b", true),
        ("a", "(d + c)*d", false),
        ("a", "1.0", true),
        ("s", "sum(c)", true),
        ("s", "c", false),
        ("s", "real(size(c))", true),
    ] {
        let source = format!(
            "main subroutine f(in integer n, inout real a[3], in real b[3], in real c[4], in real d[n], inout real m[2, 3], inout real k[3, 2], out real s)
  {target} := {value}
end
"
        );
        let program = text::parse(&source).program;
        let taken = program.is_some_and(|program| !found(&program).has_errors());
        assert_eq!(taken, is_allowed, "{target} := {value}");
    }
}

/// Operands of all types, by name.
const OPERANDS: [(&str, &str); 12] = [
    ("real", "r"),
    ("real32", "f"),
    ("integer", "i"),
    ("int8", "s"),
    ("uint64", "u"),
    ("logical", "l"),
    ("array", "v"),
    ("literal", "2"),
    ("record", "q"),
    ("other record", "z"),
    ("pointer", "p"),
    ("other pointer", "o"),
];

/// A routine with variables of all types and a line.
fn with_operands(line: &str) -> Program {
    read(&format!(
        "record Q
  real a
end
record Z
  integer a
end
main subroutine f(inout real r, inout real32 f, inout integer i, inout int8 s, inout uint64 u, inout logical l, inout real v[3], inout record Q q, inout record Z z, inout ^real p, inout ^integer o)
  {line}
end
"
    ))
}

/// The messages about each pair of types in an assignment or a comparison: the file has a line for each.
#[test]
fn messages_of_pairs_of_types() {
    let mut lines = String::new();
    for (form, what) in [
        ("{a} := {b}", "assigned"),
        ("l := {a} == {b}", "compared"),
        ("l := {a} < {b}", "ordered"),
        ("i := {a} + {b}", "added"),
    ] {
        for (left, a) in OPERANDS {
            if form.starts_with("{a}") && left == "literal" {
                continue;
            }
            for (right, b) in OPERANDS {
                let line = form.replace("{a}", a).replace("{b}", b);
                let found = found(&with_operands(&line));
                let first = found.iter().next().map(|d| {
                    let help = &d.help;
                    format!("{} {}; {help}", d.code, d.message)
                });
                let said = first.unwrap_or_else(|| "right".to_owned());
                lines += &format!("{left} and {right} {what}: {said}\n");
            }
        }
    }
    golden(
        concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/golden/pairs_of_types.txt"
        ),
        &lines,
    );
}

/// An address takes a level beside that of its place, wherever it stands.
#[test]
fn addresses_count_as_levels() {
    for place in ["r", "v[i]", "v[i + 1]"] {
        for levels in Expr::MAX_DEPTH - 8..Expr::MAX_DEPTH + 3 {
            let mut program = with_operands(&format!("l := addr({place}) == p"));
            let cfg = program.routines[0].body.as_mut().expect("it has one");
            let statements = cfg.vertices_mut().filter_map(|v| match &mut v.kind {
                VertexKind::Block(statements) => statements.first_mut(),
                _ => None,
            });
            let StmtKind::Assign { value, .. } = &mut statements.last().expect("it is there").kind
            else {
                panic!("{place}")
            };
            for _ in 0..levels {
                *value = Expr::op(Op::Not, [value.clone()]);
            }
            let depth = value.depth();
            let is_too_deep = found(&program).iter().any(|d| d.code == "V132");
            assert_eq!(is_too_deep, depth > Expr::MAX_DEPTH, "{place}, {depth}");
        }
    }
}

/// Arrays whose elements are named are split, and nothing else is.
#[test]
fn elements_are_locations_of_arrays_that_are_named_by_elements() {
    let locations = |declared: &str, line: &str| {
        let program = read(&format!(
            "global real g[3]
main subroutine f(in real x, out real y)
  {declared}
  uses g
  y := x
  {line}
end
"
        ));
        let routine = &program.routines[0];
        let cfg = routine.body.as_ref().expect("it has one");
        let plain = Locations::divide(&program, routine).len();
        let split = Locations::divide(&program, routine).with_elements(&program, routine, cfg);
        split.len() - plain
    };
    for (declared, line, elements) in [
        ("", "y := 2.0*y", 0),
        ("local real a", "a := x\n y := a", 0),
        ("local real a[3]", "a[1] := x\n y := a[1]", 1),
        ("local real a[3]", "a[1] := x\n a[2] := x\n y := a[1]", 2),
        ("local real a[3]", "a := x\n y := a[1]", 0),
        ("local real a[3]", "a[1] := x\n y := sum(a)", 0),
        ("", "g[1] := x\n y := g[1]", 0),
    ] {
        assert_eq!(locations(declared, line), elements, "{declared} {line}");
    }
}

/// The structure is that of structured routines with a body.
#[test]
fn structures_are_of_structured_routines() {
    let program = read(
        "main subroutine f(in real x, out real y)
  if x > 0.0
    y := x
  else
    y := 2.0
  end
end
general subroutine h(in real x, out real y)
  y := x
  label again
  y := y*x
  if y < 3.0
    goto again
  end
end
",
    );
    let valid = validate(program).unwrap_or_else(|d| panic!("{d}"));
    let structure = |name: &str| valid.structure(valid.find_routine(name).expect("it is there"));
    assert!(structure("h").is_none());
    let found = structure("f").expect("it has one");
    let cfg = valid
        .routine(valid.find_routine("f").expect("it is there"))
        .body
        .as_ref();
    let expected = Structure::compute(cfg.expect("it has one")).expect("it nests");
    assert_eq!(format!("{found:?}"), format!("{expected:?}"));
}

/// Globals are overlaid where another one lies in their storage.
#[test]
fn globals_in_one_storage() {
    let program = read(
        "global real a[4]
global real b overlays a at 1
global real c
global integer n
global real d[2]
global real e overlays d at 0
subroutine f()
end
",
    );
    let storage = Storage::group(&program);
    let names = |set: &GlobalSet| {
        let all = (0..program.globals.len()).map(GlobalId::new);
        let members = all.filter(|&g| set.contains(g));
        let names = members.map(|g| program.globals[g.index()].variable.name.clone());
        names.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(names(storage.overlaid()), "a b d e");
    assert_eq!(names(&storage.real()), "a b c d e");
    let around = |k: usize| storage.overlaid_with(GlobalId::new(k)).map(&names);
    assert_eq!(around(1).as_deref(), Some("a b"));
    assert_eq!(around(2), None);
}

/// A call reads arguments that come in, and surely overwrites variables that are passed as a whole and go out.
#[test]
fn accesses_of_arguments() {
    let accesses = |formal: &str, argument: &str| {
        let program = read(&format!(
            "subroutine g({formal})
  a := 1.0
end
main subroutine f(inout real x, inout real v[3])
  call g({argument})
end
"
        ));
        let effects = Effects::summarise(&program);
        let f = program.find_routine("f").expect("it is there");
        let routine = program.routine(f);
        let all = Accesses::resolve(&program, &effects, routine);
        let mut found = Vec::new();
        let cfg = routine.body.as_ref().expect("it has one");
        for statement in cfg.vertices().flat_map(|(_, v)| v.statements()) {
            all.each_access(statement, &mut |access| {
                let name = &routine.variable(access.variable()).name;
                found.push(match access {
                    Access::Read(_) => format!("read {name}"),
                    Access::Write(_) => format!("write {name}"),
                    Access::MayWrite(_) => format!("may write {name}"),
                });
            });
        }
        found.join(", ")
    };
    for (formal, argument, expected) in [
        ("out real a", "x", "write x"),
        ("inout real a", "x", "read x, may write x"),
        ("out real a", "v[2]", "may write v"),
        ("inout real a", "v[2]", "read v, may write v"),
        ("out real a[:]", "v", "may write v"),
        ("out real a[2]", "v", "may write v"),
        ("inout real a[:]", "v", "read v, may write v"),
    ] {
        assert_eq!(accesses(formal, argument), expected, "{formal}, {argument}");
    }
}

/// Statements read the variables that they evaluate; cells behind a pointer belong to no variable.
#[test]
fn accesses_of_statements() {
    for (line, expected) in [
        ("x := y", "read y, write x"),
        ("v[n] := y", "read y, read n, may write v"),
        ("x := v[n + 1]", "read v, read n, write x"),
        ("x := p^", "read p, write x"),
        ("p^[n] := y", "read y, read p, read n"),
        ("p := addr(v[n])", "read n, write p"),
        ("p := addr(q^[n])", "read q, read n, write p"),
        ("n := size(v, 1)", "write n"),
        (
            "push[real] v[n] on t",
            "read v, read n, read t, may write t",
        ),
        ("x := pop[real] from t", "read t, may write t, write x"),
        (
            "v[n] := pop[real] from t",
            "read t, may write t, read n, may write v",
        ),
        (
            "opaque \"z\" reads y, v writes x",
            "read y, read v, may write x",
        ),
        ("allocate p, n", "read n, write p"),
        ("resize p, n", "read n, read p, write p"),
        ("free p", "read p"),
        ("stop \"no\"", ""),
    ] {
        let program = read(&format!(
            "main subroutine f(inout real x, in real y, inout real v[3], inout integer n, inout ^real p, in ^real q, inout tape t)
  {line}
end
"
        ));
        let mut found = accesses_of(&program, &program.routines[0]);
        // A place and its subscripts are met in any order.
        let mut words: Vec<&str> = expected.split(", ").filter(|w| !w.is_empty()).collect();
        words.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, words, "{line}");
    }
}

/// A decision reads the variables of its condition; a counted loop writes its index.
#[test]
fn accesses_of_decisions() {
    for (lines, expected) in [
        (
            "for i = n, m, k\n x := 1.0\n end",
            "read n, read m, read k, write i",
        ),
        ("while n > v[m]\n x := 1.0\n end", "read n, read v, read m"),
        ("if x > 0.0\n x := 1.0\n end", "read x"),
        (
            "select k\n case 1\n x := 1.0\n case default\n x := 2.0\n end",
            "read k",
        ),
    ] {
        let program = read(&format!(
            "main subroutine f(in integer n, in integer m, in integer k, in integer v[3], inout real x)
  local integer i
  {lines}
end
"
        ));
        let routine = &program.routines[0];
        let mut found: Vec<String> = Vec::new();
        for (_, vertex) in routine.body.as_ref().expect("it has one").vertices() {
            decision_accesses(vertex, &mut |access| {
                let name = &routine.variable(access.variable()).name;
                let access = match access {
                    Access::Read(_) => format!("read {name}"),
                    Access::Write(_) => format!("write {name}"),
                    Access::MayWrite(_) => format!("may write {name}"),
                };
                // Equal ones are one: a place and its subscripts may be met in any order.
                if !found.contains(&access) {
                    found.push(access);
                }
            });
        }
        let mut words: Vec<&str> = expected.split(", ").collect();
        words.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, words, "{lines}");
    }
    let empty = Adjacency::new(0, std::iter::empty());
    assert!(empty.is_empty() && !Adjacency::new(1, std::iter::empty()).is_empty());
}

/// A call reads and writes the globals of the called routine, under all their names, before its result is written.
#[test]
fn accesses_of_called_routines() {
    for (head, call, expected) in [
        ("", "call reads()", "read w"),
        ("", "call writes()", "write w"),
        ("", "call may(k)", "read k, may write w"),
        ("", "call part()", "may write b, may write b"),
        ("", "call tail()", "may write b"),
        ("", "call asks()", "read b"),
        ("", "call all()", "write b"),
        ("", "x := call plain()", "write x"),
        ("", "b[k] := call plain()", "read k, may write b"),
        ("", "x := call counts()", "read w, write w, write x"),
        ("aliased ", "call reads()", "read x, read w"),
        ("aliased ", "call writes()", "read x, write w, may write x"),
        ("aliased ", "x := call plain()", "write x"),
    ] {
        let program = read(&format!(
            "global real w
global real b[4]
global real t[2] overlays b at 2
subroutine reads()
  uses w
  local real s
  s := w
end
subroutine writes()
  uses w
  w := 1.0
end
subroutine may(in integer n)
  uses w
  if n > 0
    w := 1.0
  end
end
subroutine part()
  uses b
  b[1] := 1.0
end
subroutine tail()
  uses t
  t := 1.0
end
subroutine all()
  uses b
  b := 1.0
end
subroutine asks()
  uses t
  local real s
  s := t[1]
end
function plain() result real r
  r := 1.0
end
function counts() result real r
  uses w
  w := w + 1.0
  r := w
end
{head}subroutine f(inout real x, inout integer k)
  uses w
  uses b
  {call}
end
"
        ));
        let f = program.find_routine("f").expect("it is there");
        let found = accesses_of(&program, program.routine(f));
        assert_eq!(found.join(", "), expected, "{head}{call}");
    }
}

/// The text of an external routine has a value only if the routine has one.
#[test]
fn external_routines_without_a_value() {
    for value in ["", "  value a - b\n"] {
        let source = format!(
            "main subroutine f(in real x, out real y)
  y := call h(x, 2.0)
end

external function h(in real a, in real b) result real r
{value}end
"
        );
        let program = read(&source);
        assert!(program.routines[1].external.is_some(), "{source}");
        assert!(found(&program).is_empty(), "{source}");
        assert_eq!(program.to_string(), source);
    }
}

/// Arguments are of the parameter's type and rank, places where they are written, and large enough.
#[test]
fn arguments_that_parameters_take() {
    for (formal, argument, expected) in [
        ("in real a", "x", &[][..]),
        ("in real a", "2.0*x", &[]),
        ("in real a", "r", &[]),
        ("in real a", "n", &["V146"]),
        ("in real a", "1", &["V146"]),
        ("in real a", "v", &["V147"]),
        ("in real a", "v[1]", &[]),
        ("in real a", "absent", &["V145"]),
        ("optional in real a", "absent", &[]),
        ("optional in real a", "x", &[]),
        ("inout real a", "x", &[]),
        ("inout real a", "2.0*x", &["V148"]),
        ("out real a", "2.0*x", &["V148"]),
        ("inout real a", "r", &["V140"]),
        ("out real a", "r", &["V140"]),
        ("in real a[:]", "v", &[]),
        ("in real a[:]", "v[1:2]", &[]),
        ("in real a[:]", "m[1, :]", &[]),
        ("in real a[:]", "m", &["V147"]),
        ("in real a[:]", "v[1]", &["V147"]),
        ("in real a[:, 3]", "m", &[]),
        ("in real a[:, 3]", "v", &["V147"]),
        ("in real a[3]", "v", &[]),
        ("in real a[2]", "v", &[]),
        ("in real a[4]", "v", &["V147"]),
        ("in real a[6]", "m", &[]),
        ("in real a[7]", "m", &["V147"]),
        ("in real a[2, 2]", "v[1]", &[]),
        ("in real a[3]", "v[2]", &[]),
        ("in real a[3]", "v[1:2]", &[]),
        ("in real a[3]", "2.0*v", &[]),
        ("in real a[3]", "x", &["V147"]),
        ("in real a[3]", "2.0*x", &["V147"]),
        ("inout tape a", "t", &[]),
        ("inout tape a", "x", &["V146"]),
    ] {
        let program = read(&format!(
            "subroutine g({formal})
end
main subroutine f(in real r, in integer n, inout real x, inout real v[3], inout real m[2, 3], inout tape t)
  call g({argument})
end
"
        ));
        let found = found(&program);
        let errors = found
            .iter()
            .filter(|d| d.severity == Severity::Error)
            .map(|d| d.code);
        let errors: Vec<&str> = errors.collect();
        assert_eq!(errors, expected, "{formal}, {argument}: {found}");
    }
}

/// Only the loop itself writes the index of a counted loop: the body does not, also under another name or in a call.
#[test]
fn indices_are_written_by_their_loops() {
    for (lines, written) in [
        ("for i = 1, n\n i := 2\n end", "i"),
        ("for i = 1, n\n j := i\n end\n i := 2", ""),
        ("i := 2\n for i = 1, n\n x := real(i)\n end", ""),
        ("for i = 1, n\n for j = 1, i\n i := j\n end\n end", "i"),
        (
            "for i = 1, n\n for i = 1, 2\n x := real(i)\n end\n end",
            "i",
        ),
        (
            "for i = 1, n\n for j = 1, 2\n x := real(j)\n end\n j := 3\n end",
            "",
        ),
        (
            "for i = 1, n\n x := real(i)\n end\n for i = 1, n\n x := real(i)\n end",
            "",
        ),
        ("for i = 1, n\n call reads(i)\n end", ""),
        ("for i = 1, n\n call writes(i)\n end", "i"),
        ("for i = 1, n\n call writes(j)\n end", ""),
        ("for i = 1, n\n if x > 1.0\n i := 3\n end\n end", "i"),
        ("for i = 1, n\n i := pop[integer] from t\n end", "i"),
        ("for k = 1, n\n k := 2\n end", "k"),
        ("for k = 1, n\n j := 2\n end", ""),
        ("for g = 1, n\n g := 2\n end", "g"),
        ("for g = 1, n\n call sets()\n end", "g"),
        ("for g = 1, n\n call calls()\n end", "g"),
        ("for g = 1, n\n call part()\n end", ""),
        (
            "call sets()\n for g = 1, n\n x := real(g)\n end\n call sets()",
            "",
        ),
        ("for s = 1, n\n call part()\n end", "s"),
        ("for s = 1, n\n call sets()\n end", ""),
        ("for s = 1, n\n u := 2\n end", "u"),
        (
            "for s = 1, n\n for u = 1, 2\n x := real(u)\n end\n end",
            "u",
        ),
        (
            "for g = 1, n\n for s = 1, n\n call sets()\n end\n call part()\n end",
            "g",
        ),
        ("for g = 1, n\n for s = 1, n\n call part()\n end\n end", "s"),
        (
            "for g = 1, n\n for s = 1, n\n x := real(s)\n end\n s := 2\n end",
            "",
        ),
        (
            "for g = 1, n\n for i = 1, n\n x := real(i)\n end\n call sets()\n end",
            "g",
        ),
    ] {
        let program = read(&format!(
            "global integer g
global integer b[4]
global integer s overlays b at 1
global integer u overlays b at 1
subroutine sets()
  uses g
  g := 1
end
subroutine part()
  uses b
  b[2] := 1
end
subroutine reads(in integer a)
end
subroutine writes(inout integer a)
  a := a + 1
end
subroutine calls()
  call sets()
end
main subroutine f(in integer n, inout integer k, inout real x, inout tape t)
  uses g, s, u
  local integer i, j
  {lines}
end
"
        ));
        let found = found(&program);
        let told = found.iter().filter(|d| d.code == "V142");
        let told: Vec<&str> = told.filter_map(|d| d.message.split(' ').next()).collect();
        assert_eq!(told.join(" "), written, "{lines}");
        let errors = found.iter().filter(|d| d.severity == Severity::Error);
        assert_eq!(errors.count(), told.len(), "{lines}: {found}");
    }
}
