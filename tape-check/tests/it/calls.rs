//! Branches that decide once more and calls: those that are right pass, and each change has its problem.

use crate::rules::{Found, assert_found, report};

fn pair(forward: &str, reverse: &str) -> String {
    let parameters =
        "in integer n, in integer m, in real a[n], inout real x, inout tape t, inout tape u";
    format!(
        "subroutine f_fwd({parameters}) {{forward of f}}\n{forward}\nend
         subroutine f_rev({parameters}) {{reverse of f}}\n{reverse}\nend
         subroutine g_fwd(in integer k, in real z, optional in real o, inout real x, inout tape s) {{forward of g}}
           push[real] x
           x := x*z
         end
         subroutine g_rev(in integer k, in real z, optional in real o, inout real x, inout tape s) {{reverse of g}}
           x := pop[real]
         end
         subroutine h_fwd(in integer k, in real z, optional in real o, inout real x, inout tape s) {{forward of h}}
           push[real] x
           x := x*z
         end
         subroutine h_rev(in integer k, in real z, optional in real o, inout real x, inout tape s) {{reverse of h}}
           x := pop[real]
         end
         aliased subroutine two_fwd(inout tape s, inout tape v) {{forward of two}}
           push[real] 1.0 on s
         end
         aliased subroutine two_rev(inout tape s, inout tape v) {{reverse of two}}
           local real y
           y := pop[real] from s
         end
         subroutine alone(in real y)
           local tape s
           local real z
           z := y
           push[real] z
           z := pop[real]
         end"
    )
}

#[test]
fn calls_mirror_each_other() {
    let arguments = |name| Some(("T710", name));
    for (forward, reverse, found) in [
        (
            "call g_fwd(n, a[1], absent, x, t)",
            "call g_rev(n, a[1], absent, x, t)",
            None,
        ),
        (
            "call g_fwd(n, a[1], a[2], x, u)",
            "call g_rev(n, a[1], a[2], x, u)",
            None,
        ),
        (
            "call g_fwd(n, a[1], absent, x, t)",
            "call g_rev(m, a[1], absent, x, t)",
            arguments("the argument `k` is not that of the mirrored call"),
        ),
        (
            "call g_fwd(n, a[1], absent, x, t)",
            "call g_rev(n, a[2], absent, x, t)",
            arguments("the argument `z` is not that of the mirrored call"),
        ),
        (
            "call g_fwd(n, a[1], absent, x, t)",
            "call g_rev(n, a[1], a[1], x, t)",
            arguments("the argument `o` is not that of the mirrored call"),
        ),
        (
            "call g_fwd(n, a[1], a[1], x, t)",
            "call g_rev(n, a[1], absent, x, t)",
            arguments("the argument `o` is not that of the mirrored call"),
        ),
        (
            "call g_fwd(n, a[1], a[1], x, t)",
            "local real w\nw := 1.0\ncall g_rev(n, a[1], a[1], w, t)",
            arguments("the argument `x` is not that of the mirrored call"),
        ),
        (
            "call g_fwd(n, a[1], absent, x, t)",
            "call h_rev(n, a[1], absent, x, t)",
            arguments("the mirrored call is routine f_fwd, vertex 2, statement 1 `call g_fwd"),
        ),
        (
            "call g_fwd(n, a[1], absent, x, t)",
            "x := pop[real] from t",
            Some(("T703", "which this does not mirror")),
        ),
        (
            "push[real] x on t",
            "call g_rev(n, a[1], absent, x, t)",
            Some(("T703", "")),
        ),
        (
            "call g_fwd(n, a[1], absent, x, t)",
            "",
            Some((
                "T706",
                "the mirrored part of the reverse sweep does not pop this",
            )),
        ),
        (
            "",
            "call g_rev(n, a[1], absent, x, t)",
            Some(("T707", "has nothing on the stack here")),
        ),
        ("call two_fwd(t, u)", "call two_rev(t, u)", None),
        (
            "call two_fwd(t, u)",
            "call two_rev(u, t)",
            arguments("other tapes than in the mirrored call"),
        ),
        (
            "call two_fwd(t, t)",
            "call two_rev(t, t)",
            arguments("`two_fwd` gets the same tape twice"),
        ),
        ("call alone(a[1])", "", None),
    ] {
        assert_found(&pair(forward, reverse), found);
    }
}

#[test]
fn places_are_told() {
    let text = pair("push[real] x on t", "local real w\nw := pop[real] from t");
    let problems = report(&text).problems.to_string();
    for words in [
        "(routine f_fwd, vertex 2, statement 1 `push[real] x on t`)",
        "at: routine f_rev, vertex 2, statement 1 `w := pop[real] from t`",
    ] {
        assert!(problems.contains(words), "{problems}");
    }
    let text = pair(
        "if n > 0\npush[real] x on t\nend",
        "if n > 1\nx := pop[real] from t\nend",
    );
    let problems = report(&text).problems.to_string();
    for words in [
        "at: routine f_rev, BRANCH 2",
        "this mirrors routine f_fwd, BRANCH 2",
    ] {
        assert!(problems.contains(words), "{problems}");
    }
}

#[test]
fn branches_decide_once_more_on_what_no_arm_changes() {
    let again = "does not decide on a value popped right before it, and ";
    let other: Found = Some(("T709", "not by the same selector either"));
    let may = Some(("T709", "an arm may change"));
    let arm = "push[real] x on t\nx := x*x";
    let back = "x := pop[real] from t";
    for (before, head, inside, reverse, found) in [
        ("", "if n > 0", arm, "if n > 0", None),
        ("", "if a[1] > 0.0", arm, "if a[1] > 0.0", None),
        (
            "",
            "select n\ncase 1, 3..5",
            arm,
            "select n\ncase 1, 3..5",
            None,
        ),
        ("", "if n > 0", arm, "if n > 1", other),
        ("", "if n > 0", arm, "if m > 0", other),
        ("", "if n > 0", arm, "if n >= 0", other),
        (
            "",
            "select n\ncase 1, 3..5",
            arm,
            "select m\ncase 1, 3..5",
            other,
        ),
        (
            "",
            "select n\ncase 1, 3..5",
            arm,
            "select n\ncase 1, 3..6",
            other,
        ),
        (
            "",
            "select n\ncase 1, 3..5",
            arm,
            "select n\ncase 2, 3..5",
            other,
        ),
        ("local integer q\nq := n", "if q > 0", arm, "if q > 0", None),
        (
            "local integer q\nq := n",
            "if q > 0",
            "push[real] x on t\nq := 1\nx := x*x",
            "if q > 0",
            may,
        ),
        ("", "if x > 0.0", arm, "if x > 0.0", may),
        // Written before and after, not inside.
        (
            "local integer q\nq := 1\nq := n",
            "if q > 0",
            arm,
            "if q > 0",
            None,
        ),
    ] {
        let locals = match before.is_empty() {
            true => "",
            false => "local integer q\nq := n\n",
        };
        let otherwise = match head.starts_with("select") {
            true => "case default\nx := x + 1.0\n",
            false => "",
        };
        let text = pair(
            &format!("{before}\n{head}\n{inside}\n{otherwise}end\nx := x + 2.0"),
            &format!("{locals}{reverse}\n{back}\n{otherwise}end"),
        );
        assert_found(&text, found);
        if let Some(("T709", _)) = found {
            let problems = report(&text).problems.to_string();
            assert!(problems.contains(again), "{problems}");
        }
    }
}
