//! In the naive interpreter `out` parameters lose their values at entry.

use cfg_core::validate::validate;
use cfg_format::text::parse;
use cfg_testkit::interpret::{Argument, FaultKind, Limits, Value, interpret};
use std::collections::BTreeMap;

/// An `out` parameter has no value at entry, whether it is optional or an array; an `inout` one keeps its value.
#[test]
fn what_is_out_has_no_value_at_entry() {
    for (declaration, part, n, expected) in [
        ("out real b", "b", 9, Ok(())),
        ("out real b", "b", 3, Err(FaultKind::Undefined)),
        ("optional out real b", "b", 9, Ok(())),
        ("optional out real b", "b", 3, Err(FaultKind::Undefined)),
        ("inout real b", "b", 3, Ok(())),
        ("out real b[2]", "b[2]", 9, Ok(())),
        ("out real b[2]", "b[2]", 3, Err(FaultKind::Undefined)),
        ("out real b[:]", "b[2]", 3, Err(FaultKind::Undefined)),
        (
            "optional out real b[:]",
            "b[2]",
            3,
            Err(FaultKind::Undefined),
        ),
        ("inout real b[2]", "b[2]", 3, Ok(())),
    ] {
        let shape = if part == "b" { "" } else { "[2]" };
        let text = format!(
            "subroutine g(in integer n, {declaration}, inout real y)
  if n > 5
    b := 1.0
  end
  if {part} > 0.0
    y := 1.0
  end
end
main subroutine f(in integer n, inout real y)
  local real b{shape}
  b := 3.0
  call g(n, b, y)
end
"
        );
        let parsed = parse(&text);
        assert!(parsed.problems.is_empty(), "{}", parsed.problems);
        let program = validate(parsed.program.unwrap()).unwrap_or_else(|d| panic!("{d}{text}"));
        let argument = |value| {
            Some(Argument {
                extents: Vec::new(),
                elements: vec![value],
            })
        };
        let found = interpret::<()>(
            &program,
            program.main.unwrap(),
            &[argument(Value::Integer(n)), argument(Value::Real(0.0, ()))],
            &BTreeMap::new(),
            Limits::default(),
        );
        let found = found.map(|_| ()).map_err(|fault| fault.kind);
        assert_eq!(found, expected, "{declaration}, {n}");
    }
}
