//! Pragmas and directives in front of statements that run again in the reverse sweep: where the program has the
//! checkpoints, and where jumps out of them lead.

use cfg_c::{NoFiles, Options, Read, SourceFile, read_c};
use cfg_core::ir::{Cfg, INDEPENDENT};

fn read(text: &str) -> Read {
    read_c(
        &[SourceFile::new("t.c", text.as_bytes())],
        &Options::default(),
        &mut NoFiles,
    )
}

/// The program in the text form, validated, without spans.
fn program(text: &str) -> String {
    let read = read(text);
    assert!(read.problems.is_empty(), "{text}: {}", read.problems);
    let program = read.program.expect("there is a program");
    let shown = cfg_core::validate::validate(program).expect("it keeps the rules");
    let shown = shown.to_string();
    let lines = shown.lines().map(|l| l.split(" @[").next().unwrap_or(l));
    lines.collect::<Vec<_>>().join("\n")
}

/// A function with these statements.
fn around(statements: &str) -> String {
    format!(
        "#define N 3\n#define KEEP(n) _Pragma(\"cfgrev checkpoint(N)\")\ndouble g(double);\n\
         double f(int n, double *u, double x)\n{{\n    double s = x;\n    int k = 0;\n{statements}\n    return s;\n}}\n"
    )
}

/// Statements, and lines of the program that they become, in order.
const PLACED: &[(&str, &[&str])] = &[
    (
        "#pragma cfgrev checkpoint(snapshots = 50)\nfor (int i = 0; i < n; i++) s *= x;",
        &["for i = 0, int(n) - 1 {checkpoint 50}"],
    ),
    (
        "#pragma cfgrev checkpoint(50)\nwhile (s < 9) s *= x;",
        &["while s < 9.0 {checkpoint 50}"],
    ),
    (
        "#pragma cfgrev checkpoint(disk = N, snapshots = 50)\nwhile (s < 9) s *= x;",
        &["while s < 9.0 {checkpoint 50 disk 3}"],
    ),
    (
        "#pragma cfgrev checkpoint\ndo s *= x; while (s < 9);",
        &["do {checkpoint}", "end while s < 9.0"],
    ),
    // Numbers of C: octal, hexadecimal.
    (
        "#pragma cfgrev checkpoint(010, disk = 0x10u)\nwhile (s < 9) s *= x;",
        &["while s < 9.0 {checkpoint 8 disk 16}"],
    ),
    // The number may be a macro, and the pragma in one.
    (
        "#pragma cfgrev checkpoint(N)\nfor (;s < 9;) s *= x;",
        &["while s < 9.0 {checkpoint 3}"],
    ),
    (
        "KEEP() while (s < 9) s *= x;",
        &["while s < 9.0 {checkpoint 3}"],
    ),
    // The statement may be part of another one, and behind a label.
    (
        "if (n > 1)\n#pragma cfgrev checkpoint(2)\nwhile (s < 9) s *= x;",
        &["if n > int32(1)", "while s < 9.0 {checkpoint 2}"],
    ),
    (
        "again:\n#pragma cfgrev checkpoint\ns *= x; if (s < 9) goto again;",
        &["BASICBLOCK -> 5 {checkpoint}", "s := s*x"],
    ),
    // The head of the loop belongs to its surroundings.
    (
        "#pragma cfgrev checkpoint(7)\nfor (k = n ? 1 : 2; s * k < 9; s *= x) u[0] += s;",
        &["while s*real(k) < 9.0 {checkpoint 7}"],
    ),
    // One block has the checkpoint itself; several are a loop of one pass.
    (
        "s += x;\n#pragma cfgrev checkpoint\n{ s *= x; s += u[0]; }\ns -= x;",
        &[
            "s := s + x",
            "{checkpoint}",
            "s := s*x",
            "s := s + u[0]",
            "@4",
            "s := s - x",
        ],
    ),
    (
        "#pragma cfgrev checkpoint\nif (s < 9) s *= x;",
        &[
            "for t1 = 1, 1 {checkpoint}",
            "if s < 9.0",
            "s := s*x",
            "end",
            "end",
        ],
    ),
    // Directives of Tapenade.
    (
        "/* $AD BINOMIAL-CKP n 20 1 */\nwhile (s < 9) s *= x;",
        &["while s < 9.0 {checkpoint 20}"],
    ),
    (
        "s += x;\n// $AD CHECKPOINT-START\ns *= x;\ndouble y = s * s;\n// $AD CHECKPOINT-END\ns -= y;",
        &[
            "s := s + x",
            "{checkpoint}",
            "s := s*x",
            "y := s*s",
            "@4",
            "s := s - y",
        ],
    ),
    (
        "/*$AD CHECKPOINT-START*/ s *= x; /*$AD CHECKPOINT-START*/ while (s < 9) s *= x; /*$AD CHECKPOINT-END*/ s -= x; /*$AD CHECKPOINT-END*/",
        &[
            "for t2 = 1, 1 {checkpoint}",
            "s := s*x",
            "for t1 = 1, 1 {checkpoint}",
            "while s < 9.0",
            "s := s - x",
        ],
    ),
    (
        "#define M(x) x // $AD CHECKPOINT-START\nM(s) *= x; /* $AD II-LOOP */ for (int i = 0; i < n; i++) s *= x; // $AD NOCHECKPOINT\ns = s;",
        &["s := s*x", "for i = 0, int(n) - 1"],
    ),
    // Jumps out of a loop set its condition, and go on behind it.
    (
        "#pragma cfgrev checkpoint(5)\nfor (int i = 0; i < n; i++) { s *= x; if (s > 9) break; }",
        &[
            "LOOP while t1 -> 4 [1], 10 {checkpoint 5}",
            "t1 := false",
            "t1 := i < n",
        ],
    ),
    (
        "#pragma cfgrev checkpoint(5)\nfor (;;) { s *= x; if (s > 9) return u[0]; if (s < u[1]) goto end; }\ns = 1; end:",
        &[
            "t1 := true",
            "t2 := 0",
            "LOOP while t1",
            "t1 := false",
            "t2 := 1",
            "t2 := 2",
            "BRANCH t2 == 1",
            "BRANCH t2 == 2",
        ],
    ),
    // A jump to the next pass leaves nothing.
    (
        "#pragma cfgrev checkpoint(5)\nfor (int i = 0; i < n; i++) { if (s > 9) continue; s *= x; }",
        &["LOOP i = 0, int(n) - 1 -> 4 [1], 8 {checkpoint 5}"],
    ),
    (
        "while (s < 9) {\n#pragma cfgrev checkpoint\n{ s *= x; if (s < 7) continue; if (s > 8) break; s += x; }\ns += 1; }",
        &[
            "t1 := 0",
            "LOOP t2 = 1, 1",
            "t1 := 1",
            "t1 := 2",
            "BRANCH t1 == 2 -> 19",
            "BRANCH t1 == 1 -> 17",
        ],
    ),
    // The values of arrays that a part declares do not come from outside.
    (
        "#pragma cfgrev checkpoint(5)\nfor (int i = 0; i < n; i++) { double w[3]; w[0] = s; w[1] = x; s = w[0] * w[1]; }",
        &[
            "for i = 0, int(n) - 1 {checkpoint 5}",
            "w := 0.0",
            "w[0] := s",
        ],
    ),
];

#[test]
fn checkpoints_are_where_pragmas_and_directives_stand() {
    let mut wrong = String::new();
    for (statements, expected) in PLACED {
        let text = around(statements);
        let shown = program(&text);
        let mut lines = shown.lines().map(str::trim);
        let is_line = |l: &str, line: &str| l == line || l.contains(&format!(" {line}"));
        if !(expected.iter()).all(|line| lines.by_ref().any(|l| is_line(l, line))) {
            wrong += &format!("{statements}\n{expected:?}\n{shown}\n\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn without_a_checkpoint_nothing_changes() {
    let plain = around(
        "for (int i = 0; i < n; i++) { double w[3]; w[0] = s; s *= x * w[0]; if (s > 9) break; }",
    );
    let commented = plain.replace("for", "/* $AD II-LOOP */ for");
    assert!(!program(&plain).contains("checkpoint"));
    assert!(!program(&plain).contains("w := 0.0"));
    assert_eq!(program(&plain), program(&commented));
}

/// A promise of independent iterations is an annotation of a loop that counts, whatever other marks stand there.
#[test]
fn promises_are_annotations_of_counted_loops() {
    let promised = |statements: &str| {
        let read = read(&around(statements));
        let program = read.program.expect("it is read");
        let vertices =
            (program.routines.iter()).flat_map(|r| r.body.iter().flat_map(Cfg::vertices));
        let promised = vertices.filter(|(_, v)| match &v.annotations {
            Some(all) => all.get(INDEPENDENT) == Some(&true.into()),
            None => false,
        });
        let marked = promised.map(|(_, v)| (v.kind.test().is_some(), v.checkpoint.is_some()));
        let told = read.problems.iter().map(|p| p.message.to_string());
        (marked.collect::<Vec<_>>(), told.collect::<Vec<_>>())
    };
    let inner = "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) s += u[0];";
    for (marks, is_kept) in [
        ("// $AD II-LOOP\n", false),
        ("/* $ad ii-loop */", false),
        ("// $AD II-LOOP\n#pragma cfgrev checkpoint(2)\n", true),
        ("#pragma cfgrev checkpoint(2)\n// $AD II-LOOP\n", true),
        ("// $AD II-LOOP\n// $AD BINOMIAL-CKP n 2 1\n", true),
        ("if (s > 1) /* $AD II-LOOP */", false),
    ] {
        let found = promised(&format!("{marks}{inner}"));
        assert_eq!(found, (vec![(true, is_kept)], vec![]), "{marks}");
    }
    for (statements, told) in [
        (
            "/* $AD II-LOOP */ while (s < 9) s *= x;",
            "no for loop follows",
        ),
        (
            "/* $AD II-LOOP */ s *= x; for (int i = 0; i < n; i++) s += x;",
            "no for loop follows",
        ),
        (
            "/* $AD II-LOOP */ double y = x; s *= y;",
            "no for loop follows",
        ),
        (
            "if (s > 1) s *= x; /* $AD II-LOOP */ else s = x;",
            "no for loop follows",
        ),
        (
            "do s *= x; /* $AD II-LOOP */ while (s < 9);",
            "no for loop follows",
        ),
        (
            "if (x > 1) goto l; s = x; /* $AD II-LOOP */ l: s *= x;",
            "no for loop follows",
        ),
        ("s = x + /* $AD II-LOOP */ s;", "no for loop follows"),
        ("{ s = x; /* $AD II-LOOP */ }", "no for loop follows"),
        (
            "for (/* $AD II-LOOP */ int i = 0; i < n; i++) s += x;",
            "no for loop follows",
        ),
        (
            "/* $AD II-LOOP */ for (int i = 0; s < 9; i++) { s *= x; for (int j = 0; j < n; j++) s += x; }",
            "surely counts",
        ),
    ] {
        let found = promised(statements);
        assert!(
            found.0.is_empty() && found.1.len() == 1,
            "{statements}: {found:?}"
        );
        assert!(found.1[0].contains(told), "{found:?}");
    }
}

#[test]
fn other_directives_are_warned_of() {
    let read = read(&around(
        "// $AD DO-NOT-DIFF\ns *= x; // $ADVICE: none\n/* costs $AD */",
    ));
    assert!(read.program.is_some());
    let told: Vec<_> = (read.problems.iter())
        .map(|p| (p.code, p.at.line, p.at.column, p.message.to_string()))
        .collect();
    let message = "$AD DO-NOT-DIFF is passed over".to_owned();
    assert_eq!(told, [("C019", Some(8), Some(1), message)]);
}
