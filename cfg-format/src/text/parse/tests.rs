mod problems;

use super::*;
use cfg_core::{
    diagnostic::Severity,
    ir::{Checkpoint, Control, VertexType},
};

fn routine(body: &str) -> String {
    format!(
        "subroutine f(in integer n, inout real x[n], out real y)\n  local integer i\n{body}end\n"
    )
}

fn read(text: &str) -> Program {
    let parsed = parse(text);
    assert!(parsed.problems.is_empty(), "{}\n{text}", parsed.problems);
    parsed.program.expect("there are no problems")
}

/// Types of the vertices of the only routine, by their first letters, and its control.
fn shape(text: &str) -> (String, Control) {
    let program = read(text);
    let routine = &program.routines[0];
    let cfg = routine.body.as_ref().expect("it has a body");
    let letters = cfg.vertices().map(|(_, v)| match v.vertex_type() {
        VertexType::Entry => '<',
        VertexType::Exit => '>',
        VertexType::BasicBlock => 'b',
        VertexType::Loop => 'L',
        VertexType::ForLoop => 'F',
        VertexType::EndLoop => 'l',
        VertexType::Branch => 'B',
        VertexType::EndBranch => 'e',
    });
    (letters.collect(), routine.control)
}

#[test]
fn statements_become_vertices() {
    for (body, letters, control) in [
        ("", "<>", Control::Structured),
        ("  y := 1.0\n  y := 2.0\n", "<b>", Control::Structured),
        (
            "  y := 1.0\n  @9\n  y := 2.0\n",
            "<bb>",
            Control::Structured,
        ),
        ("  for i = 1, n\n  end for\n", "<Ll>", Control::Structured),
        (
            "  forloop i = n, 1, -1\n  y := 0.0\n  end\n",
            "<Fbl>",
            Control::Structured,
        ),
        (
            "  do\n    y := 2.0*y\n  end while y < 9.0\n",
            "<Lbl>",
            Control::Structured,
        ),
        (
            "  if n > 1\n  y := 1.0\n  end if\n",
            "<Bbe>",
            Control::Structured,
        ),
        (
            "  if n > 1 then\n  y := 1.0\n  else if n > 0\n  y := 2.0\n  else\n  y := 3.0\n  end\n  y := 4.0\n",
            "<BbBbbeeb>",
            Control::Structured,
        ),
        (
            "  select n\n  case 1, 3..5\n  y := 1.0\n  case 7..\n  case default\n  end select\n",
            "<Bbe>",
            Control::Structured,
        ),
        ("  return\n", "<>", Control::Structured),
        // The exit of a loop in its middle is no structured control flow.
        (
            "  while n > 1\n    if y > 1.0\n      break\n    end\n    y := 2.0*y\n  end\n",
            "<LBebl>",
            Control::General,
        ),
        (
            "  for i = 1, n\n    if y > 1.0\n      continue\n    end\n    y := 2.0*y\n  end\n",
            "<LBebl>",
            Control::General,
        ),
        (
            "  label again\n  y := 2.0*y\n  if y < 9.0\n    goto again\n  end\n",
            "<bBe>",
            Control::General,
        ),
    ] {
        assert_eq!(
            shape(&routine(body)),
            (letters.to_owned(), control),
            "{body}"
        );
    }
}

#[test]
fn marks_give_ids_and_numbers_go_on_from_there() {
    let program = read(&routine(
        "  @5 entry\n  y := 1.0\n  @10 #3 #4 while y < 2.0\n    @-2 y := 2.0*y\n  @30 end\n  @12 exit {copy of 3}\n",
    ));
    let cfg = program.routines[0].body.as_ref().expect("it has a body");
    let ids: Vec<i64> = cfg.vertices().map(|(_, v)| v.id).collect();
    assert_eq!(ids, [5, 6, 10, -2, 30, 12]);
    let edges: Vec<Option<i64>> = cfg.edges().map(|(_, e)| e.id).collect();
    assert_eq!(edges.len(), 6);
    assert!(edges.contains(&Some(3)) && edges.contains(&Some(4)) && !edges.contains(&None));
    assert!(
        cfg.vertices()
            .any(|(_, v)| v.origin.is_some_and(|o| o.vertex == 3))
    );
}

/// Checkpoints come back in both spellings of a body, with origins, ids and spans.
#[test]
fn checkpoints_come_back_and_are_checked() {
    let text = "\
source \"f.c\"

subroutine f(inout real y)
  local integer i
  @2 {checkpoint}
  call f(y)
  @3
  y := 2.0*y
  @9 for i = 1, 3 {checkpoint 50} {copy of 4} @[0:4:1-6:4]
    y := y*y
  end
end
";
    let program = read(text);
    let printed = program.to_string();
    assert_eq!(read(&printed), program, "{printed}");
    assert!(
        printed.contains("@9 for i = 1, 3 {checkpoint 50} {copy of 4} @[0:4:1-6:4]"),
        "{printed}"
    );
    let found = |program: &Program| {
        let cfg = program.routines[0].body.as_ref().expect("it has a body");
        let found: Vec<_> = cfg.vertices().map(|(_, v)| v.checkpoint).collect();
        found.into_iter().flatten().collect::<Vec<_>>()
    };
    let snapshots = |n, disk| Checkpoint::Snapshots {
        memory: std::num::NonZeroU32::new(n).expect("it is not 0"),
        disk,
    };
    assert_eq!(found(&program), [Checkpoint::Each, snapshots(50, 0)]);
    let mut general = program.clone();
    general.routines[0].control = Control::General;
    let printed = general.to_string();
    assert!(printed.contains("LOOP i = 1, 3 -> "), "{printed}");
    assert_eq!(found(&read(&printed)), found(&program), "{printed}");
    let on_disk = read(&printed.replace("{checkpoint 50}", "{checkpoint 50 disk 200}"));
    assert_eq!(found(&on_disk), [Checkpoint::Each, snapshots(50, 200)]);
    assert_eq!(read(&on_disk.to_string()), on_disk);
    // A line of braces alone begins a block.
    let alone = read(&routine("  y := x\n  {checkpoint}\n  y := y*y\n"));
    assert_eq!(found(&alone), [Checkpoint::Each]);
    for (wrong, code) in [
        ("{checkpoint 0}", "S004"),
        ("{checkpoint -1}", "S004"),
        ("{checkpoint 4294967296}", "S004"),
        ("{checkpoint many}", "S001"),
        ("{checkpoint 5", "S001"),
        ("{checkpoint disk 5}", "S001"),
        ("{checkpoint 5 disk}", "S001"),
        ("{checkpoint 5 disk -1}", "S004"),
        ("{checkpoint 5 disk 4294967296}", "S004"),
    ] {
        let parsed = parse(&routine(&format!("  while x > 1.0 {wrong}\n  end\n")));
        let codes: Vec<_> = parsed.problems.iter().map(|p| p.code).collect();
        assert!(codes.contains(&code), "{wrong}: {}", parsed.problems);
    }
}

#[test]
fn spans_come_back_and_are_checked() {
    let text = "\
source \"f.c\"
source \"a \\\"b\\\"\"
global real g @[1:1:1-1:9]

subroutine f(in real x @[0:1:12-1:18], inout real y {adjoint of x}) @[0:1:1-9:4]
  local integer i @[0:2:3-2:8]
  uses g
  entry @[0:1:1-1:2]
  y := x @[0:3:3-3:9]
  for i = 1, 3 @[1:4:1-6:4]
    @4 @[0:5:1-5:2]
    y := y*x
    y := 2.0*y @[0:4294967295:1-4294967295:1]
  end @[0:6:1-6:4]
  if y > 1.0 {copy of 7} @[0:7:3-8:6]
    call f(x, y) @[1:7:5-7:9]
  end
  exit @[0:9:1-9:4]
end
";
    let program = read(text);
    assert_eq!(program.to_string(), text);
    let made = &program.routines[0];
    let numbers = |at: &cfg_core::ir::At| at.as_ref().map(|span| span.numbers());
    assert_eq!(numbers(&made.at), Some([0, 1, 1, 9, 4]));
    assert_eq!(numbers(&made.variables[3].at), Some([1, 1, 1, 1, 9]));
    let spans: Vec<_> = made.statements().map(|s| numbers(&s.at)).collect();
    let last = [0, u32::MAX, 1, u32::MAX, 1];
    let expected = [
        Some([0, 3, 3, 3, 9]),
        None,
        Some(last),
        Some([1, 7, 5, 7, 9]),
    ];
    assert_eq!(spans, expected);
    for (wrong, message) in [
        ("@[0:3:3-3]", "S001"),
        ("@[0:3:3:3-9]", "S001"),
        ("@[0:0:3-3:9]", "S004"),
        ("@[0:3:3-3:4294967296]", "S004"),
        ("@[-1:3:3-3:9]", "S004"),
    ] {
        let parsed = parse(&routine(&format!("  y := x {wrong}\n")));
        assert!(parsed.program.is_none(), "{wrong}");
        assert_eq!(parsed.problems.0.len(), 1, "{wrong}: {}", parsed.problems);
        assert_eq!(parsed.problems.0[0].code, message, "{wrong}");
    }
}

/// The first problem of a text: its code, line, column, and help.
fn first(text: &str) -> (&'static str, [usize; 2], String, usize) {
    let found = parse(text).problems;
    let problem = &found.0[0];
    let place = [problem.at.line, problem.at.column].map(|n| n.expect("it has a place"));
    (problem.code, place, problem.help.clone(), found.0.len())
}

#[test]
fn numbers_that_would_become_zero_are_told() {
    for (number, good) in [
        ("1e-400", false),
        ("-0.001e-322", false),
        ("1e-50f", false),
        ("4.9e-324", true),
        ("0.0e-400", true),
        ("0e5f", true),
        ("1e-45f", true),
    ] {
        let parsed = parse(&routine(&format!("  y := {number}\n")));
        assert_eq!(parsed.program.is_some(), good, "{number}");
        if !good {
            assert_eq!(parsed.problems.0[0].code, codes::NUMBER.code, "{number}");
        }
    }
}

#[test]
fn lines_that_end_in_carriage_returns_alone_are_told() {
    let text = "subroutine f(out real y) // a\r  y := 1.0\rend\r";
    let (code, place, help, count) = first(text);
    assert_eq!((code, place, count), (codes::SYNTAX.code, [1, 30], 1));
    assert!(help.contains("LF"), "{help}");
    assert!(parse(&text.replace('\r', "\r\n")).program.is_some());
}

#[test]
fn escapes_are_hexadecimal_digits() {
    let named = |escape: &str| format!("subroutine f(out real \"a{escape}\")\nend\n");
    assert!(parse(&named("\\u{61}")).program.is_some());
    for escape in ["\\u{+61}", "\\u{-61}", "\\u{}", "\\u{ 61}", "\\u{110000}"] {
        assert_eq!(first(&named(escape)).0, codes::SYNTAX.code, "{escape}");
    }
}

#[test]
fn jumps_into_counted_loops_are_warned_of() {
    for (body, warned) in [
        (
            "  goto a\n  for i = 1, 3\n    label a\n    y := 2.0*y\n  end\n",
            true,
        ),
        (
            "  for i = 1, 3\n    y := 2.0*y\n    label a\n  end\n  if y < 9.0\n    goto a\n  end\n",
            true,
        ),
        (
            "  for i = 1, 3\n    if y < 9.0\n      goto a\n    end\n    y := 2.0*y\n    label a\n  end\n",
            false,
        ),
        (
            "  if y < 9.0\n    goto a\n  end\n  while y < 9.0\n    label a\n    y := 2.0*y\n  end\n",
            false,
        ),
    ] {
        let parsed = parse(&routine(body));
        assert!(parsed.program.is_some(), "{}", parsed.problems);
        let codes: Vec<&str> = parsed.problems.iter().map(|d| d.code).collect();
        let found = codes.contains(&codes::INTO_LOOP.code);
        assert_eq!(found, warned, "{body}");
    }
}

#[test]
fn an_end_that_is_missing_inside_is_found_by_indentation() {
    let text = routine("  for i = 1, 3\n    if y > 1.0\n      y := 2.0*y\n  end\n  y := 1.0\n");
    let (code, _, help, count) = first(&text);
    assert_eq!((code, count), (codes::OPEN.code, 1));
    let line = |of: &str| {
        1 + text
            .lines()
            .position(|l| l.trim() == of)
            .expect("it is there")
    };
    let (begun, end) = (line("if y > 1.0"), line("end"));
    assert!(help.contains(&format!("line {end} ")), "{help}");
    assert!(help.contains(&format!("line {begun},")), "{help}");
    // Without a hint where the indentation gives none.
    let flat = "subroutine f(out real y)\nif y > 1.0\nwhile y > 2.0\nend\nend\n";
    assert!(first(flat).2.contains("has one of its own"));
}

#[test]
fn a_mistake_in_a_head_is_told_once() {
    for text in [
        "subroutine f(in real x, out reel y, in real z)\n  y := x*z\n  y := y + w\nend\n",
        "subroutine f(in real x, out real y\n  y := x\nend\n",
        "subroutine f(in real x, out real y)\n  local real a b\n  b := x\n  y := b\nend\n",
    ] {
        let found = parse(text).problems;
        assert_eq!(found.0.len(), 1, "{text}\n{found}");
    }
}

#[test]
fn what_other_languages_write_is_told_how_to_write() {
    for (line, hint) in [
        ("y := y**-y", "x**(-y)"),
        ("return y", "assign what a function returns"),
        ("if (y > 1.0) y := 2.0", "on lines of their own"),
        ("if (y > 1.0) return", "on lines of their own"),
        ("i := if((1 < 2) == not true, 1, 2)", "(not x)"),
    ] {
        let (_, _, help, count) = first(&routine(&format!("  {line}\n")));
        assert!(help.contains(hint), "{line}: {help}");
        assert_eq!(count, 1, "{line}");
    }
}

#[test]
fn the_order_of_a_scalar_comes_back() {
    let text = "\
global real g column

subroutine f(in real x column {adjoint of y}, out real y)
  local real a[2] column
  y := x
end
";
    assert_eq!(read(text).to_string(), text);
}

#[test]
fn problems_of_declarations_are_at_their_lines() {
    let text = "\
subroutine f(in real x, out real y)
  independent x, y
  dependent y
  adjoint g
  y := x
end

subroutine g(in real x)
end
";
    let parsed = parse(text);
    let program = parsed.program.expect("it can be read");
    let found = cfg_core::validate::find_problems(&program).1;
    let place = |code: &str| {
        let problem = found.iter().find(|d| d.code == code);
        let site = problem.and_then(|d| d.at.site.as_deref());
        parsed
            .places
            .of_site(site.unwrap_or_else(|| panic!("{code}: {found}")))
    };
    assert_eq!(place("V128"), Some((2, 18)));
    assert_eq!(place("V153"), Some((4, 11)));
}

#[test]
fn a_function_with_an_origin_and_a_result_comes_back() {
    let text = "function f(in real x) result r {tangent of g} @[0:1:1-2:1]\n  local real r\n  r := x\nend\n";
    assert_eq!(read(text).to_string(), text);
    assert!(read(text).routines[0].origin.is_some());
}

#[test]
fn unreachable_statements_are_left_out_with_a_warning() {
    let text = routine("  return\n  y := 1.0\n  y := 2.0\n");
    let parsed = parse(&text);
    assert_eq!(parsed.problems.0.len(), 1, "{}", parsed.problems);
    assert_eq!(parsed.problems.0[0].code, codes::UNREACHABLE.code);
    let cfg = parsed.program.expect("a warning is no error").routines[0]
        .body
        .clone();
    assert_eq!(cfg.expect("it has a body").vertex_count(), 2);
}

#[test]
fn sums_are_flat_and_the_rest_is_left_associative() {
    for (text, shown) in [
        ("1 + 2 + 3", "+(1, 2, 3)"),
        ("(1 + 2) + 3", "+(+(1, 2), 3)"),
        ("1 + (2 + 3)", "+(1, +(2, 3))"),
        ("1 - 2 + 3 + 4", "+(-(1, 2), 3, 4)"),
        ("1 - 2 - 3", "-(-(1, 2), 3)"),
        ("2*3*4/5*6", "*(/(*(2, 3, 4), 5), 6)"),
        ("2**3**4", "**(2, **(3, 4))"),
        ("-2**2", "neg(**(2, 2))"),
        ("-2*3", "*(-2, 3)"),
        ("-n*3", "*(neg(n), 3)"),
        ("2**-1", "**(2, -1)"),
        ("-(5)", "neg(5)"),
        (
            "1 + 2*3 == 7 and not 1 < 2 or true",
            "or(and(==(+(1, *(2, 3)), 7), not(<(1, 2))), true)",
        ),
    ] {
        let program = read(&routine(&format!("  i := {text}\n")));
        let cfg = program.routines[0].body.as_ref().expect("it has a body");
        let value = cfg.vertices().find_map(|(_, v)| match v.statements() {
            [
                cfg_core::ir::Stmt {
                    kind: cfg_core::ir::StmtKind::Assign { value, .. },
                    ..
                },
            ] => Some(value.clone()),
            _ => None,
        });
        assert_eq!(prefix(&value.expect("it is assigned")), shown, "{text}");
    }
}

/// Every operator as a function.
fn prefix(e: &Expr) -> String {
    match e {
        Expr::Int(v) => v.to_string(),
        Expr::Logical(v) => v.to_string(),
        Expr::Op(op, operands) => {
            let operands: Vec<String> = operands.iter().map(prefix).collect();
            format!("{}({})", op.name(), operands.join(", "))
        }
        Expr::Real(_) | Expr::Real32(_) | Expr::Null(_) | Expr::Addr(_) | Expr::Place(_) => {
            "n".to_owned()
        }
    }
}

#[test]
fn deep_texts_end_with_an_error() {
    for (open, close) in [
        ("(", ")"),
        ("sin(", ")"),
        ("-", ""),
        ("not ", ""),
        ("x[", "]"),
    ] {
        let text = format!("{}1{}", open.repeat(100_000), close.repeat(100_000));
        let parsed = parse(&routine(&format!("  y := {text}\n")));
        let codes: Vec<&str> = parsed.problems.iter().map(|d| d.code).collect();
        assert_eq!(codes, ["S005"], "{open}");
    }
    // Constructs nest as deep as memory allows, and a sum of many terms is one level.
    let deep = format!(
        "{}{}",
        "  if n > 1\n".repeat(100_000),
        "  end\n".repeat(100_000)
    );
    assert_eq!(shape(&routine(&deep)).0.len(), 200_002);
    let sum = vec!["1.0"; 100_000].join(" + ");
    read(&routine(&format!("  y := {sum}\n")));
}

/// An expression is read with constructs around it up to a limit, and not beyond.
#[test]
fn limits_on_both_sides() {
    let levels = Expr::MAX_DEPTH - 1;
    for (open, close, most) in [
        ("(", ")", 256),
        ("sin(", ")", levels),
        ("-", "", levels),
        ("1.0 - (", ")", levels),
        ("n**", "", levels),
    ] {
        for n in [most - 1, most, most + 1] {
            // A minus in front of a number is part of it.
            let text = format!("{}y{}", open.repeat(n), close.repeat(n));
            let parsed = parse(&routine(&format!("  y := {text}\n")));
            let codes: Vec<&str> = parsed.problems.iter().map(|d| d.code).collect();
            let expected: &[&str] = if n > most { &["S005"] } else { &[] };
            assert_eq!(codes, expected, "{n} times {open}");
        }
    }
}

/// Statements are indented up to a depth, and not further below it.
#[test]
fn indentation_on_both_sides_of_its_limit() {
    let (open, close) = ("  if n > 1\n".repeat(23), "  end\n".repeat(23));
    let written = read(&routine(&format!("{open}  y := 1.0\n{close}"))).to_string();
    let blanks = |line: &str| line.len() - line.trim_start().len();
    let heads = (written.lines()).filter(|line| line.trim_start().starts_with("if"));
    let expected: Vec<usize> = (0..23).map(|depth: usize| 2 + 2 * depth.min(20)).collect();
    assert_eq!(heads.map(blanks).collect::<Vec<_>>(), expected);
}

/// A token is shown in full up to a length, and cut beyond it.
#[test]
fn tokens_on_both_sides_of_the_longest() {
    for (length, end) in [(40, "`"), (41, "...`")] {
        let text = routine(&format!("  y := 1.0 {}\n", "é".repeat(length)));
        let problems = parse(&text).problems.to_string();
        let expected = format!("`{}{end} where", "é".repeat(40));
        assert!(problems.contains(&expected), "{problems}");
    }
}

/// Errors are reported up to a limit, at which reading ends; unreachable statements behind it have no warnings.
#[test]
fn errors_on_both_sides_of_their_limit() {
    for wrong in [MAX_PROBLEMS - 1, MAX_PROBLEMS, MAX_PROBLEMS + 1] {
        let lines = "  y = 2.0\n".repeat(wrong);
        let parsed = parse(&routine(&format!("{lines}  return\n  y := 1.0\n")));
        assert_eq!(parsed.problems.0.len(), MAX_PROBLEMS, "{wrong}");
        let warnings = (parsed.problems.iter()).filter(|d| d.severity == Severity::Warning);
        assert_eq!(
            warnings.count(),
            usize::from(wrong < MAX_PROBLEMS),
            "{wrong}"
        );
    }
}

/// Reading ends without a panic for any text.
#[test]
fn any_text() {
    let pieces = [
        "subroutine",
        "function",
        "f",
        "(",
        ")",
        "in",
        "real",
        "x",
        "[",
        "]",
        "\n",
        ":=",
        "1",
        ".",
        "if",
        "else",
        "end",
        "while",
        "do",
        "for",
        "=",
        ",",
        "select",
        "case",
        "..",
        "@",
        "#",
        "{",
        "}",
        "of",
        "copy",
        "label",
        "goto",
        "break",
        "ENTRY",
        "->",
        "LOOP",
        "BASICBLOCK",
        "EXIT",
        "\"",
        "é",
        "-",
        "local",
        "uses",
        "global",
        "result",
        "push",
        "pop",
        "call",
        "main",
        "external",
        "2",
        "//",
        "return",
        "general",
    ];
    let mut state: u64 = 1;
    for _ in 0..30_000 {
        let mut text = String::new();
        for _ in 0..24 {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            text += pieces[(state % pieces.len() as u64) as usize];
            if state >> 60 != 0 {
                text.push(' ');
            }
        }
        let parsed = parse(&text);
        assert!(
            parsed.program.is_some() != parsed.problems.has_errors(),
            "{text}"
        );
    }
}

/// Warnings never displace an error, and a dropped warning lets no wrong program through.
#[test]
fn warnings_leave_room_for_errors() {
    let lines = "  goto out\n  y := 1.0\n".repeat(12_000);
    let text = routine(&format!("{lines}  label out\n  y = 2.0\n"));
    let parsed = parse(&text);
    assert!(parsed.program.is_none());
    assert!(parsed.problems.has_errors());
    let valid = parse(&text.replace("y = 2.0", "y := 2.0"));
    assert!(valid.program.is_some(), "{}", valid.problems);
    assert_eq!(valid.problems.0.len(), MAX_PROBLEMS / 10);
}

/// Statements behind a label that nothing jumps to are reported, too, and only once.
#[test]
fn labels_without_jumps_do_not_hide_what_is_left_out() {
    for (body, count) in [
        ("  y := 1.0\n  return\n  label a\n  y := 2.0\n", 1),
        (
            "  y := 1.0\n  return\n  y := 3.0\n  label a\n  y := 2.0\n",
            1,
        ),
        ("  y := 1.0\n  goto a\n  label a\n  y := 2.0\n", 0),
        ("  y := 1.0\n  return\n  label a\n", 0),
    ] {
        let parsed = parse(&routine(body));
        assert!(parsed.program.is_some());
        assert_eq!(parsed.problems.0.len(), count, "{body}{}", parsed.problems);
    }
}

#[test]
fn lines_end_in_words_that_are_operators_and_files_begin_with_marks() {
    let text = routine("  if y < 1.0 and\n    y > 0.0\n    y := 1.0\n  end\n");
    for text in [text.clone(), format!("\u{feff}{text}")] {
        let parsed = parse(&text);
        assert!(parsed.program.is_some(), "{}", parsed.problems);
    }
}

/// Names that are not known take as much time each, however many there are.
#[test]
fn many_unknown_names_are_told_in_little_time() {
    use std::fmt::Write as _;
    let mut text = String::from("subroutine f(out real y)\n");
    for k in 0..4_000 {
        writeln!(text, "  local real var{k}").expect("strings take everything");
    }
    for k in 0..4_000 {
        writeln!(text, "  y := ver{k}z").expect("strings take everything");
    }
    text.push_str("end\n");
    let parsed = parse(&text);
    assert_eq!(parsed.problems.0.len(), 4_000);
    let suggested = parsed.problems.0.iter();
    let suggested = suggested.filter(|d| d.help.contains("did you mean"));
    assert!((50..=100).contains(&suggested.count()));
}
