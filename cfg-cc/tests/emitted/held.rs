//! Elements of the caller's arrays that local variables hold.

use crate::support::flat;
use cfg_back::c;
use cfg_core::validate::validate;
use cfg_format::text;

/// The program `held`, which `by_hand` compares with the executor: its main routine as C.
fn main_routine(options: c::Options) -> String {
    let parsed = text::parse(include_str!("programs/held.cfgrev"));
    let program = parsed
        .program
        .unwrap_or_else(|| panic!("{:?}", parsed.problems));
    let made = c::program_with(&flat(&validate(program).unwrap()), options).unwrap();
    let start = made.find("f_body(").or(made.find("void f(")).unwrap();
    made[start..].to_owned()
}

#[test]
fn elements_at_constant_places_that_a_loop_assigns() {
    let text = main_routine(c::Options::default());
    let held = [
        "double p_1 = p[0];",
        "double p_2 = p[1];",
        "double p_3 = p[2];",
        "double q_m1_2 = q[2];",
        "double q_0_1 = q[1];",
    ];
    for line in held {
        assert!(text.contains(line), "{line}\n{text}");
    }
    for line in ["p[0] = p_1;", "p[1] = p_2;", "q[1] = q_0_1;"] {
        assert_eq!(text.matches(line).count(), 1, "{line}\n{text}");
    }
    // An element that is only read is not stored.
    assert!(!text.contains("q[2] = "), "{text}");
    // Found by an index, handed on, not there, without a value on entry, of an extent that is not constant.
    for name in ["r_", "s_", "o_", "t_", "w_"] {
        assert!(!text.contains(&format!("double {name}")), "{name}\n{text}");
    }
}

/// With checks each assignment is seen under whatever name.
#[test]
fn nothing_is_held_with_checks() {
    let text = main_routine(c::Options {
        checks: true,
        ..c::Options::default()
    });
    assert!(!text.contains("p_1 = "), "{text}");
}
