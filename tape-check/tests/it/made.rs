//! Sweeps that the reversal makes are proven, whether variables share cells or not.

use cfg_core::validate::validate;
use cfg_reverse::{Options, reverse};
use cfg_testkit::flat;
use tape_check::check_program;

use crate::rules::valid;

#[test]
fn what_shares_no_cells_is_evaluated_again() {
    for (what, source) in [
        (
            "globals side by side in one storage",
            "global integer s[6]
             global integer low[3] overlays s at 0
             global integer high[3] overlays s at 3
             main subroutine f(inout real x)
               independent x
               dependent x
               uses low
               uses high
               local integer i
               for i = 1, low[1]
                 x := x*x
                 high[1] := high[1] - 1
               end
             end",
        ),
        (
            "globals in one storage",
            "global integer s[6]
             global integer low[3] overlays s at 0
             global integer high[3] overlays s at 2
             main subroutine f(inout real x)
               independent x
               dependent x
               uses low
               uses high
               local integer i
               for i = 1, low[1]
                 x := x*x
                 high[1] := high[1] - 1
               end
             end",
        ),
        (
            "the result of a function whose arguments may overlap",
            "aliased main function p(in real a) result real r
               independent a
               dependent r
               r := 1.0
               if a > 0.0
                 r := a*r
               end
             end",
        ),
        (
            "a result that counts",
            "aliased function count(in integer n, inout real x) result integer k
               local integer i
               k := 0
               for i = 1, n
                 x := x*x
                 k := k + 1
               end
             end
             main subroutine f(in integer n, inout real x)
               independent x
               dependent x
               local integer m
               m := call count(n, x)
               m := call count(m, x)
             end",
        ),
        (
            "globals that are no arguments of a routine whose arguments may overlap",
            "global integer n
             global integer m
             aliased main subroutine f(inout real x)
               independent x
               dependent x
               uses n
               uses m
               local integer i
               for i = 1, n
                 x := x*x
                 m := m + 1
               end
             end",
        ),
        (
            "a global that a call writes, beside another one in its storage",
            "global real a[2] = 0.5, 2.0
             global real c[1] overlays a at 1
             global real e overlays a at 0
             main subroutine f(in real x, out real y)
               independent x, c
               dependent y
               uses c
               y := sin(c[1])*x
               if c[1] > 1.0
                 call h(y)
               end
             end
             subroutine h(inout real y)
               uses e
               e := 0.5
               y := y*2.0
             end",
        ),
        (
            "parameters and globals that may overlap",
            "global integer n
             aliased main subroutine f(inout integer m, inout real x, inout real y)
               independent x
               dependent y
               uses n
               local integer i
               for i = 1, n
                 x := x*y
                 if x > y
                   y := y*x
                 end
                 m := m + 1
               end
             end",
        ),
    ] {
        let program = valid(source);
        let main = program.main.expect("there is one");
        for (merge, markers) in [(false, false), (true, false), (false, true)] {
            let options = Options {
                merge,
                markers,
                ..Options::default()
            };
            let made =
                reverse(&flat(&program), main, &options).unwrap_or_else(|d| panic!("{what}: {d}"));
            let made = validate(made.program).unwrap_or_else(|d| panic!("{what}: {d}"));
            let report = check_program(&flat(&made));
            assert!(
                report.problems.is_empty(),
                "{what}: {}\n{}",
                report.problems,
                made.program()
            );
        }
    }
}
