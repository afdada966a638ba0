//! Branches whose selectors are evaluated again, and those that need a marker.

use cfg_core::{ir::ControlWidth, validate::validate};
use cfg_format::text;
use cfg_reverse::{
    Blocks, Options,
    explain::{Reader, explain},
};
use cfg_testkit::flat;

/// The bits that are recorded at each merge of a routine with these lines, and whether some value is read by a selector.
fn merges(lines: &str, options: &Options) -> (Vec<Option<ControlWidth>>, bool) {
    let text = format!(
        "subroutine f(in integer n, inout real x[n], inout real y, in integer k)
           local integer i
           local real a
           local logical b
           independent x
           dependent y
           {lines}
         end"
    );
    let parsed = text::parse(&text);
    let program = parsed
        .program
        .unwrap_or_else(|| panic!("{:?}", parsed.problems));
    let valid = validate(program).unwrap();
    let main = valid
        .program()
        .main
        .unwrap_or(cfg_core::entity::RoutineId::new(0));
    let made = explain(&flat(&valid), main, options).unwrap();
    let plan = &made.routines[0];
    let readers = plan.values.iter().flat_map(|value| &value.readers);
    let reads = readers.copied().any(|r| matches!(r, Reader::Selector(_)));
    (plan.merges.iter().map(|merge| merge.bits).collect(), reads)
}

const BIT: Option<ControlWidth> = Some(ControlWidth::Bits(1));

#[test]
fn what_adjoints_need_and_no_arm_changes_is_evaluated_again() {
    let default = Options::default();
    // The adjoint of the product reads the element and the index.
    let lines = "for i = 1, n\n if x[i] > 0.0\n y := y*x[i]\n end\n end";
    assert_eq!(merges(lines, &default), (vec![None], true));
    // Overwritten behind the branch: recorded there for the adjoint, and popped before the selector is evaluated.
    let lines = "for i = 1, n\n if x[i] > 0.0\n y := y*x[i]\n end\n x[i] := 2.0*y\n end";
    assert_eq!(merges(lines, &default), (vec![None], true));
    // A selector with several cases that is the index of a loop around.
    let lines = "for i = 1, n\n select i\n case 1\n y := y*x[i]\n case 2..4\n y := y - x[i]\n case default\n y := y + x[i]*y\n end\n end";
    assert_eq!(merges(lines, &default), (vec![None], true));
    // Markers are recorded if asked for.
    let always = Options {
        markers: true,
        ..default
    };
    let lines = "for i = 1, n\n if x[i] > 0.0\n y := y*x[i]\n end\n end";
    assert_eq!(merges(lines, &always), (vec![BIT], false));
}

#[test]
fn markers_are_recorded_elsewhere() {
    let default = Options::default();
    for lines in [
        // An arm changes what the condition reads.
        "for i = 1, n\n if x[i] > 0.0\n y := y*x[i]\n x[i] := 2.0*y\n end\n end",
        // Another element may be the same.
        "for i = 1, n\n if x[i] > 0.0\n y := y*x[i]\n x[k] := 2.0*y\n end\n end",
        // No adjoint reads the element: it would have to be recorded for the condition alone.
        "for i = 1, n\n if x[i] > 0.0\n y := 2.0*y + x[k]\n end\n x[i] := y\n end",
        // A sine costs more than a marker.
        "for i = 1, n\n if sin(x[i]) > 0.0\n y := y*x[i]\n end\n end",
        // Computed with reals: compilers may do that in the reverse sweep otherwise than in the forward sweep.
        "for i = 1, n\n if x[i]*x[i] > 2.0\n y := y*x[i]\n end\n end",
        "for i = 1, n\n if x[i] + x[k] > 2.0\n y := y*x[i]\n end\n end",
        // A real scalar qualifies only if it is an `in` parameter: compilers may keep others in registers of higher
        // precision.
        "for i = 1, n\n if x[i] > y\n y := y*x[i]\n end\n end",
        "for i = 1, n\n a := x[i]*x[i]\n if a > x[i]\n y := y*a*x[i]\n end\n end",
        // A scalar that is popped and decides alone would pass for the marker.
        "a := x[1]\n for i = 1, n\n if a > 0.0\n y := y*a\n end\n a := 2.0*a*a\n end",
    ] {
        assert_eq!(merges(lines, &default), (vec![BIT], false), "{lines}");
    }
    // The Jacobian is recorded in place of the values from which it is computed. The sum keeps the branch from being
    // carried as a whole.
    let blocks = Options {
        blocks: Blocks::Preaccumulate,
        ..default
    };
    let lines = "for i = 1, n\n if x[i] > 0.0\n y := y*sin(x[i])*cos(x[i])\n y := y + sum(x)\n end\n x[i] := y\n end";
    assert_eq!(merges(lines, &default), (vec![None], true));
    assert_eq!(merges(lines, &blocks).0, [BIT]);
}
