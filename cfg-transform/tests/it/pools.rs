//! Lowered pointers on both sides of the limits.

use crate::group::read;
use cfg_core::{
    codes::POINTERS,
    diagnostic::{
        Diagnostic,
        site::{Element, Site},
    },
    entity::RoutineId,
};
use cfg_transform::{flat, flatten, pools};
use std::{collections::HashSet, fmt::Write as _};

/// The text of a program without its pointers, or the problems because of which they stay.
fn lowered(source: &str) -> Result<String, String> {
    let program = read(source);
    let main = program.main.expect("it is marked");
    let lowered = pools::lower(&program, &[main], 20_000).map_err(|d| d.to_string())?;
    Ok(lowered.to_string())
}

/// Records are copied to targets of pointers up to a number of cells, and with pointers in them whatever their size.
#[test]
fn records_that_are_copied_cell_by_cell() {
    for (cells, is_refused) in [(10_000, false), (10_001, true)] {
        let copied = format!(
            "record R
  real a[{cells}]
end
main subroutine f(in real x, out real y)
  local ^record R p
  local record R r
  allocate p, 1
  r.a := x
  p^ := r
  y := p^.a[1]
end
"
        );
        let entered = format!(
            "record R
  real a[{}]
  ^real q
end
main subroutine f(in record R r, out real y)
  y := r.a[1] + r.q^
end
",
            cells - 1
        );
        let problem = lowered(&copied).err();
        let message = "a record of more than 10000 cells is copied";
        let is_told = problem.as_ref().map(|problem| problem.contains(message));
        assert_eq!(is_told, is_refused.then_some(true), "{cells}: {problem:?}");
        let shown = lowered(&entered).unwrap_or_else(|problems| panic!("{problems}"));
        assert!(shown.lines().count() < 200, "{shown}");
    }
}

/// The index of a place that a statement names again is computed once, unless there are many others between.
#[test]
fn places_whose_indices_are_kept() {
    for (places, computed) in [(7, 7), (8, 8), (9, 10)] {
        let mut source =
            format!("main subroutine f(in real x, out real y)\n  local ^real q[{places}]\n");
        for k in 1..=places {
            let _ = writeln!(source, "  allocate q[{k}], 1\n  q[{k}]^ := x");
        }
        let all: Vec<String> = (1..=places).map(|k| format!("q[{k}]^")).collect();
        let _ = writeln!(source, "  y := {} + q[1]^\nend", all.join(" + "));
        let shown = lowered(&source).unwrap_or_else(|problems| panic!("{problems}"));
        // Each assignment before computes one.
        let found = shown.matches(" := if(\"pool1.first\"[").count();
        assert_eq!(found, places + computed, "{places}\n{shown}");
    }
}

/// All elements of an array with gaps get a scalar row by row, up to a number of rows; rows lie along the longest
/// dimension.
#[test]
fn rows_that_get_a_value() {
    for (records, numbers, is_refused) in [
        ("1001", "2", false),
        ("2", "1001", false),
        ("1000", "1001", false),
        ("1001", "1000", false),
        ("1001", "1001", true),
        ("10", "101, 100", false),
        ("11", "101, 100", true),
        ("1001", "1001, 0", false),
    ] {
        let found = lowered(&format!(
            "record C
  real v[{numbers}]
  integer m
end
record G
  record C c[{records}]
  ^real p
end
main subroutine f(in real x, out real y)
  local ^record G g
  allocate g, 1 zeroed
  g^.c.v := x
  y := x
end
"
        ));
        let problem = found.err();
        let is_told = problem.as_ref().map(|p| p.contains("one row at a time"));
        assert_eq!(
            is_told,
            is_refused.then_some(true),
            "{records} of {numbers}: {problem:?}"
        );
    }
}

/// The number of elements of a section with constant bounds and stride is known when the program is lowered.
#[test]
fn sections_of_constants() {
    for (section, count) in [
        ("1:9", Some(9)),
        ("1:9:3", Some(3)),
        ("2:9:3", Some(3)),
        ("9:1:-3", Some(3)),
        ("9:9:-3", Some(1)),
        ("9:1:3", Some(0)),
        ("1:9:-1", Some(0)),
        ("1:n:3", None),
        ("1:9:n", None),
    ] {
        let shown = lowered(&format!(
            "record C
  real v
  integer m
end
main subroutine f(in integer n, in real x, out real y)
  local ^record C p
  local record C a[9]
  a.v := x
  p := addr(a[1])
  y := p^.v + real(size(a[{section}].v))
end
"
        ));
        let shown = shown.unwrap_or_else(|problems| panic!("{problems}"));
        assert_eq!(
            shown.contains("trips("),
            count.is_none(),
            "{section}\n{shown}"
        );
        if let Some(count) = count {
            let known = format!(" + real({count})");
            assert!(shown.contains(&known), "{section}\n{shown}");
        }
    }
}

/// Each global to which pointers lead has its cells at the beginning of a pool, which has to be large enough.
#[test]
fn globals_fill_their_pool() {
    for (elements, is_refused) in [(999, false), (1001, true)] {
        let source = format!(
            "global real G[{elements}]
main subroutine f(in real x, out real y)
  uses G
  local ^real p
  G := x
  p := addr(G[{elements}])
  y := p^
end
"
        );
        let program = read(&source);
        let main = program.main.expect("it is marked");
        let problem = pools::lower(&program, &[main], 1000).err();
        let told = problem.map(|problem| problem.to_string());
        let is_told = told
            .as_ref()
            .map(|p| p.contains("`G` has no room in its pool"));
        assert_eq!(is_told, is_refused.then_some(true), "{elements}: {told:?}");
    }
}

/// A place of a lowered program leads to the statement that it was made from, to the vertex if there is no statement,
/// and to the routine for added parts.
#[test]
fn places_lead_back_to_the_original() {
    let source = "subroutine g(in ^real p, out real y)
  y := p^
end
main subroutine f(in integer n, in real x[n], out real y)
  local ^real p
  local real w
  p := addr(x[1])
  call g(p, w)
  if n > 1
    p := shift(p, 1)
  end
  y := p^ + w
end
";
    let program = read(source);
    let main = program.main.expect("it is marked");
    let options = flat::Options {
        cells: 1000,
        ..flat::Options::default()
    };
    let flat = flatten(program.clone(), &[main], &options).expect("it is lowered");
    let flat = flat.program;
    let lowered = flat.grouped();
    let mut seen = HashSet::new();
    for (r, routine) in lowered.routines.iter().enumerate() {
        let r = RoutineId::new(r);
        let original = program.routines.get(r.index());
        let theirs = original.and_then(|routine| routine.body.as_ref());
        let of = |element| {
            let problem =
                Diagnostic::error(&POINTERS, "there", "mend it").at_site(Site::whole(r, element));
            let placed = flat.place_in_original(problem.into());
            placed.0[0].at.site.as_deref().cloned()
        };
        let body = routine.body.as_ref().expect("it has one");
        for (v, vertex) in body.vertices() {
            for (s, statement) in vertex.statements().iter().enumerate() {
                let found = of(Element::Statement(v, s));
                let number = statement.origin.number();
                match (theirs, number.and_then(|n| theirs?.numbered_statement(n))) {
                    (Some(_), Some((v, s))) => {
                        seen.insert((r, v, s));
                        assert_eq!(found, Some(Site::whole(r, Element::Statement(v, s))));
                    }
                    (Some(_), None) => assert_eq!(found, Some(Site::whole(r, Element::Routine))),
                    (None, _) => {
                        let main = program.find_routine(&routine.name);
                        assert_eq!(found, main.map(|r| Site::whole(r, Element::Routine)));
                    }
                }
            }
            let found = of(Element::Vertex(v));
            if let Some(theirs) = theirs {
                let element = match v.index() < theirs.vertex_count() {
                    true => Element::Vertex(v),
                    false => Element::Routine,
                };
                assert_eq!(found, Some(Site::whole(r, element)), "{} {v}", routine.name);
            }
        }
    }
    let all: usize = program
        .routines
        .iter()
        .map(|r| r.statements().count())
        .sum();
    assert_eq!(seen.len(), all, "{seen:?}\n{}", **lowered);
}
