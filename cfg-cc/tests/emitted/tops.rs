//! Where the stacks of a tape end: a copy in functions that push in loops, the tape itself where calls need it.

use crate::interface::files_with;
use cfg_back::c;

/// The forward sweep of a routine with these lines.
fn forward(lines: &str) -> String {
    let program = format!(
        "main subroutine f(in integer n, in real x[n], inout real y, inout real w[n])
  local integer i
  local integer j
  independent x, y, w
  dependent y, w
{lines}
end

subroutine g(in integer n, in real x, inout real y)
  local integer j
  for j = 1, n
    if y > x
      y := y*y*x
    end
  end
end
"
    );
    let [made, _] = files_with(&program, c::Options::default());
    let forward = made.split("/* forward of f */").nth(1).unwrap();
    forward.split("\n}\n").next().unwrap().to_owned()
}

#[test]
fn calls_take_tapes_that_are_not_copied() {
    for (lines, is_copied) in [
        ("for i = 1, n\n y := y*y*x[i]\n end", true),
        ("y := y*y\n y := sin(y)*y", false),
        ("w := w*w*y", true),
        ("for i = 1, n\n y := y*y\n call g(n, x[i], y)\n end", false),
        (
            "for i = 1, n\n y := y*y\n for j = 1, n\n call g(n, x[i], y)\n end\n end",
            false,
        ),
        (
            "for i = 1, n\n call g(n, x[i], y)\n for j = 1, n\n y := y*y*x[j]\n end\n end",
            true,
        ),
        ("for i = 1, n\n w := w*w*y\n call g(n, x[i], y)\n end", true),
    ] {
        let text = forward(lines);
        assert!(text.contains("cfgrev_push_real"), "{text}");
        let copies = text.matches("struct cfgrev_top top = tape->top;").count();
        assert_eq!(copies, usize::from(is_copied), "{lines}\n{text}");
        // A call gets the copy, and leaves another one.
        let handed = text.matches("tape->top = top;").count();
        let returned = text.matches("    top = tape->top;").count();
        assert_eq!(handed, copies + returned, "{text}");
        assert_eq!(returned > 0, is_copied && lines.contains("call"), "{text}");
    }
}
