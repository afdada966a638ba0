//! Problems of texts, with their places and help.

use super::*;

/// A text, and the line, the code and a part of the help of each of its problems.
type Case = (String, Vec<(usize, &'static str, &'static str)>);

/// Checks the problems of texts.
fn told(cases: Vec<Case>) {
    for (text, expected) in cases {
        let parsed = parse(&text);
        let found: Vec<(usize, &str, &str)> = (parsed.problems.iter())
            .map(|d| (d.at.line.unwrap_or(0), d.code, d.help.as_str()))
            .collect();
        assert_eq!(found.len(), expected.len(), "{text}{}", parsed.problems);
        for (found, expected) in found.iter().zip(&expected) {
            assert_eq!(
                (found.0, found.1),
                (expected.0, expected.1),
                "{text}{}",
                parsed.problems
            );
            assert!(found.2.contains(expected.2), "{text}{}", parsed.problems);
        }
        assert!(parsed.program.is_none(), "{text}");
    }
}

#[test]
fn problems_are_all_told_where_they_are() {
    told(vec![
        (
            routine("  y = 1.0\n"),
            vec![(3, "S001", "written with `:=`")],
        ),
        (
            routine("  y := z + 1.0\n  x[i] := z\n"),
            vec![(3, "S002", "declare it")],
        ),
        (routine("  y := x(i)\n"), vec![(3, "S002", "in brackets")]),
        (routine("  y := sine(x[1])\n"), vec![(3, "S002", "`sin`")]),
        (
            routine("  y := sin(x[1]\n  y := )\n"),
            vec![(3, "S001", "parenthesis"), (4, "S001", "a number")],
        ),
        (
            routine("  y := 1.0 2.0\n"),
            vec![(3, "S001", "one statement")],
        ),
        (
            routine("  y := 1 < 2 < 3\n"),
            vec![(3, "S001", "two values")],
        ),
        (
            routine("  y := 99999999999999999999\n"),
            vec![(3, "S004", "smaller")],
        ),
        (routine("  y := 1e999\n"), vec![(3, "S004", "binary64")]),
        (routine("  y := 2x\n"), vec![(3, "S001", "2*x")]),
        (
            routine("  y := \"a\n"),
            vec![(3, "S001", "close the quote")],
        ),
        // The loop is opened all the same.
        (
            routine("  while y < 1.0 {checkpoint 0}\n  end\n"),
            vec![(3, "S004", "from 1 to")],
        ),
        (
            routine("  while y < 1.0 {checkpoint x}\n  end\n"),
            vec![(3, "S001", "")],
        ),
        (routine("  break\n"), vec![(3, "S006", "loop")]),
        (routine("  goto out\n"), vec![(3, "S006", "label out")]),
        (routine("  while y < 1.0\n"), vec![(5, "S007", "`end`")]),
        (
            "subroutine f(out real y)\n  while y < 1.0\n    y := 2.0\n".to_owned(),
            vec![(2, "S007", "`end`")],
        ),
        // Text behind the end of a routine, and an `end` that names another routine.
        (
            format!("{}  y := 2.0\nend\n", routine("  y := 1.0\nend\n")),
            vec![(5, "S007", "`end` too many")],
        ),
        (
            "garbage\nsubroutine f(out real y)\n  y := 1.0\nend function f\n".to_owned(),
            vec![
                (1, "S001", "routines and globals"),
                (4, "S001", "`end subroutine`"),
            ],
        ),
        (
            "subroutine f(out real y)\n  y := 1.0\nend subroutine g\n".to_owned(),
            vec![(3, "S007", "is `f`")],
        ),
        (
            "main subroutine f()\nend\nmain subroutine g()\nend\n".to_owned(),
            vec![(3, "S003", "leave out one")],
        ),
        (
            routine("  exit\n  y := 1.0\n"),
            vec![(4, "S001", "`break`")],
        ),
        (
            routine("  while y < 1.0\n    exit\n  end\n"),
            vec![(4, "S001", "`break`")],
        ),
        (
            routine("  for k = 1, 3\n  end\n"),
            vec![(3, "S002", "`local integer k`")],
        ),
        (
            routine("  select q\n  case 1\n    y := 1.0\n  end\n"),
            vec![(3, "S002", "declare it")],
        ),
        (routine("  # a comment\n"), vec![(3, "S001", "`//`")]),
        (
            routine("  if y < 1.0 & y > 0.0\n  end\n"),
            vec![(3, "S001", "`and`")],
        ),
        (
            routine("  y := \"a b\"\n"),
            vec![(3, "S002", "`local real \"a b\"`")],
        ),
        (routine("  else\n"), vec![(3, "S007", "`if`")]),
        (routine("  case 1\n"), vec![(3, "S007", "`select`")]),
        (routine("  elseif y < 1.0\n"), vec![(3, "S001", "else if")]),
        (routine("  y\n"), vec![(3, "S001", "y := ...")]),
        (
            routine("  local real z\n  y := z\n  local real w\n"),
            vec![(5, "S001", "before the first statement")],
        ),
        (
            routine("  @3 y := 1.0\n  @3 while y < 1.0\n  end\n"),
            vec![(4, "S008", "mark")],
        ),
        (routine("  local real n\n"), vec![(3, "S003", "rename")]),
        (routine("  local float z\n"), vec![(3, "S001", "`real32`")]),
        (
            routine("  uses q\n"),
            vec![(3, "S002", "outside of routines")],
        ),
        (
            routine("  call g(x)\n"),
            vec![(3, "S002", "add the routine")],
        ),
        (
            routine("  for i = 1 n\n  end\n"),
            vec![(3, "S001", "i = 1, n")],
        ),
        (
            "x := 1\n".to_owned(),
            vec![(1, "S001", "routines and globals")],
        ),
        (
            "function f(in real x)\nend\n".to_owned(),
            vec![(1, "S001", "names its result")],
        ),
        (
            "subroutine f(real x)\nend\n".to_owned(),
            vec![(1, "S001", "in real x")],
        ),
        (
            "subroutine f()\nend\nsubroutine f()\nend\n".to_owned(),
            vec![(3, "S003", "rename")],
        ),
    ]);
}

#[test]
fn habits_from_other_languages_are_told_how_it_is_written_here() {
    let head = |head: &str| format!("{head}\n  independent x\n  y := x\nend\n");
    told(vec![
        // Names of a head that could not be read are not told to be unknown.
        (
            head("subroutine f(real x, out real y)"),
            vec![(1, "S001", "`in real x`")],
        ),
        (
            routine("  real z\n  z := 1.0\n  y := z\n"),
            vec![(3, "S001", "with `local`")],
        ),
        (
            routine("  var z: real\n  y := z\n"),
            vec![(3, "S001", "with `local`")],
        ),
        (
            routine("  y := 1.0\n  int k\n"),
            vec![(4, "S001", "before the first statement")],
        ),
        (
            routine("  do i = 1, n\n    y := 1.0\n  end do\n"),
            vec![(3, "S001", "`for i = 1, n`")],
        ),
        (
            routine("  do while y < 1.0\n    y := 1.0\n  end do\n"),
            vec![(3, "S001", "`while more`")],
        ),
        (
            routine("  for (i = 1; i < n; i++)\n    y := 1.0\n  end\n"),
            vec![(3, "S001", "without parentheses")],
        ),
        (routine("  y += 1.0\n"), vec![(3, "S001", "y := ...")]),
        // A name at the beginning of a line goes on with the line before only if that is open.
        (routine("  z := 1.0\n"), vec![(3, "S002", "declare it")]),
        (
            routine("  y := 1.0 +\n  z\n"),
            vec![(4, "S002", "the line before it")],
        ),
    ]);
}
