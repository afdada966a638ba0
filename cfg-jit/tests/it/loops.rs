//! Loops whose subscripts are tested in front of them.

use cfg_exec::{Argument, RunOptions};
use cfg_jit::Jit;

use crate::calls::Sessions;

const SHIFTED: &str = "
main subroutine f(in integer first, in integer last, in integer row, in integer shift, in real a[6, 8], inout real x[8], out real s)
  local integer k
  local integer m
  s := 0.0
  m := 1
  for k = first, last
    s := s + a[row, k]*x[k + 1]
  end
  for k = first, last
    x[k] := x[k] + a[row + 1, k]*s
  end
  for k = first, last
    m := k + shift
    x[m] := x[m]*0.5 + a[row, m]
    s := s - x[k]
  end
end
";

/// The executor's results and errors for loops that begin or end outside of arrays, or have no pass; with limits of
/// steps that stop them on the way.
#[test]
fn subscripts_beyond_the_array_are_found_in_their_pass() {
    let mut sessions = Sessions::of(
        SHIFTED,
        &[Jit::everywhere_after(0), Jit::everywhere_after(40)],
    );
    let a: Vec<f64> = (0..48).map(|k| f64::from(k % 7) / 4.0).collect();
    let mut faults = [0; 2];
    for first in -1..4 {
        for last in [-3, 0, 1, 6, 7, 8, 9] {
            for row in [0, 1, 5, 6] {
                for shift in [-1, 0, 1] {
                    let arguments = [
                        Argument::from(first),
                        Argument::from(last),
                        Argument::from(row),
                        Argument::from(shift),
                        crate::calls::matrix(&a, 8),
                        Argument::from([1.0, 2.0, 0.5, 0.25, 1.5, 3.0, 1.0, 0.75].as_slice()),
                        Argument::from(0.0),
                    ];
                    let found = sessions.run(&arguments, &RunOptions::default());
                    faults[usize::from(found.starts_with("error"))] += 1;
                    let stopped = RunOptions {
                        fuel: (10 + 7 * first + 13 * last + row + 50) as u64 % 90,
                        ..RunOptions::default()
                    };
                    sessions.run(&arguments, &stopped);
                }
            }
        }
    }
    assert!(faults[0] > 20 && faults[1] > 20, "{faults:?}");
}
