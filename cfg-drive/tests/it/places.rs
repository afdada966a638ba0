//! Problems of a run name the place in the program that they come from, also where generated code meets them.

use super::*;
use crate::flat;
use cfg_core::diagnostic::site::{Element, Site};
use cfg_core::entity::VertexId;
use cfg_format::text;

/// A subscript that leaves its array in the second pass of a loop of a routine that is called.
#[test]
fn problems_of_derivatives_are_placed_in_the_original() {
    let source = "
main subroutine f(in real x[4], in integer k, out real y)
  independent x
  dependent y
  y := 0.0
  call g(x, k, y)
end
subroutine g(in real x[4], in integer k, inout real y)
  local integer i
  for i = 1, 3
    y := y*1.0
    y := y + x[i]*x[i + k] @[0:7:5-7:20]
    y := y + 0.0
  end
end
source \"g.c\"
";
    let parsed = text::parse(source);
    let problems = parsed.problems;
    let program = parsed.program.unwrap_or_else(|| panic!("{problems}"));
    let program = validate(program).expect("a valid program");
    let main = program.main.expect("one is marked");
    let g = RoutineId::new(1);
    let point = br#"{"x": [1, 2, 3, 4], "k": 3}"#;
    let options = Options::default();
    // ENTRY, LOOP, BASICBLOCK: its second statement.
    let place = Site::whole(g, Element::Statement(VertexId::new(2), 1));
    let check = |problems: cfg_core::diagnostic::Diagnostics, generated: Option<&str>| {
        let at = &problems.0[0].at;
        assert_eq!(at.site.as_deref(), Some(&place), "{problems}");
        assert_eq!(parsed.places.of_site(&place), Some((12, 5)));
        let source = at.source.as_ref().map(ToString::to_string);
        assert_eq!(source.as_deref(), Some("g.c:7:5"), "{problems}");
        let element = at.element.as_deref().expect("it is named");
        assert!(
            element.starts_with("routine g, vertex 3, statement 2"),
            "{element}"
        );
        assert_eq!(
            element.contains("(in routine"),
            generated.is_some(),
            "{element}"
        );
        assert!(
            generated.is_none_or(|name| element.contains(name)),
            "{element}"
        );
    };
    let mut primal = Primal::new(&flat(&program), main, &options).expect("it runs");
    let at = primal.read_point(point).expect("a point");
    check(primal.run(&at).expect_err("a subscript is wrong"), None);
    let mut adjoint = Adjoint::new(&flat(&program), main, &options).expect("an adjoint");
    let at = adjoint.read_point(point).expect("a point");
    let seed = adjoint.default_seed(&at).expect("a seed");
    let found = adjoint
        .gradient(&at, &seed)
        .expect_err("a subscript is wrong");
    check(found, Some("g_fwd"));
    let mut tangent = Tangent::new(&flat(&program), main, &options).expect("a tangent");
    let at = tangent.read_point(point).expect("a point");
    let direction = [cfg_exec::Value::from_reals(&[1.0; 4])];
    let found = tangent
        .tangent(&at, &direction)
        .expect_err("a subscript is wrong");
    check(found, Some("g_t"));
}
