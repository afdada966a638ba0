//! Compilers that contract products and sums: values change in their last digits, but the reverse sweep still follows
//! the path that the forward sweep took.

use crate::interface::files_with;
use cfg_back::c;
use cfg_testkit::needs;
use std::{fs, process::Command};

/// The condition is decided by the rounding of a product, which a compiler may leave out in one of two functions.
const PROGRAM: &str = "
subroutine f(in real x, out real y, out real z)
  independent x
  dependent y, z
  y := x*x
  if x*x - y > 0.0
    z := sin(x)*y
  else
    z := y*y
    z := z*z*x
    z := z*z
  end
  z := z*y*x
end
";

/// Prints the values and the gradients at some points.
const CALLER: &str = r#"
#include <stdio.h>
#include "adjoint.c"
int main(void)
{
    for (int k = 0; k < 8; ++k) {
        double x_b = 0.0, y, y_b = 0.0, z, z_b = 1.0;
        if (f_grad(1.0 + (k + 1)/100.0, &x_b, &y, &y_b, &z, &z_b, NULL))
            return 1;
        printf("%.17g %.17g\n", z, x_b);
    }
    return 0;
}
"#;

#[test]
fn the_reverse_sweep_takes_the_way_of_the_forward_sweep() {
    let Some(cc) = needs::tool("cc") else { return };
    let folder = tempfile::tempdir().unwrap();
    let [adjoint, _] = files_with(PROGRAM, c::Options::default());
    fs::write(folder.path().join("adjoint.c"), adjoint).unwrap();
    fs::write(folder.path().join("main.c"), CALLER).unwrap();
    let numbers = |flags: &[&str]| -> Vec<f64> {
        let mut compile = Command::new(&cc);
        compile.current_dir(folder.path()).args(flags);
        let compiled = compile.args(["main.c", "-o", "main", "-lm"]).status();
        assert!(compiled.unwrap().success(), "{flags:?}");
        let run = Command::new(folder.path().join("main")).output().unwrap();
        assert!(run.status.success(), "{flags:?}");
        let text = String::from_utf8(run.stdout).unwrap();
        text.split_whitespace()
            .map(|n| n.parse().unwrap())
            .collect()
    };
    let plain = numbers(&["-O0", "-ffp-contract=off"]);
    assert_eq!(plain.len(), 16);
    // On a processor without fused multiply-add the two are the same.
    let contracted = numbers(&["-O2", "-march=native", "-ffp-contract=fast"]);
    for (k, (a, b)) in plain.chunks(2).zip(contracted.chunks(2)).enumerate() {
        // Where the forward sweep takes the other arm, the gradient is that of the other arm.
        let same_way = (a[0] - b[0]).abs() < 1e-9;
        assert!(
            !same_way || (a[1] - b[1]).abs() < 1e-9 * a[1].abs(),
            "{k}: {a:?} {b:?}"
        );
    }
    let same = plain.chunks(2).zip(contracted.chunks(2));
    assert!(same.filter(|(a, b)| (a[0] - b[0]).abs() < 1e-9).count() >= 1);
}
