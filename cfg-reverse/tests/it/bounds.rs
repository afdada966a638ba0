//! What is limited, on both sides of its bound (docs/limits.md).

use cfg_core::{entity::RoutineId, text, validate::validate};
use cfg_reverse::{Options, reverse};

/// The code of the problem for which a program has no adjoint, if it has none.
fn refusal(source: &str) -> Option<&'static str> {
    let parsed = text::parse(source);
    let problems = parsed.problems;
    let program = parsed
        .program
        .unwrap_or_else(|| panic!("{problems}{source}"));
    let program = validate(program).unwrap_or_else(|d| panic!("{d}{source}"));
    let main = program.main.unwrap_or(RoutineId::new(0));
    let problems = reverse(&program, main, &Options::default()).err()?;
    problems.iter().next().map(|d| d.code)
}

/// Conditional expressions of an array and a scalar that decide together which shape an expression has.
#[test]
fn choices_between_arrays_and_scalars() {
    for count in 1..9 {
        let choices = vec!["if(l, v, 2.0)"; count].join("*");
        for statement in [
            format!("y := sum({choices})"),
            format!("w := {choices}\n  y := sum(w)"),
        ] {
            let source = format!(
                "main subroutine f(in logical l, in real v[3], out real y)
  independent v
  dependent y
  local real w[3]
  w := 0.0
  {statement}
end
"
            );
            let expected = (count > 6).then_some("R301");
            assert_eq!(refusal(&source), expected, "{count}: {statement}");
        }
    }
}
