//! Code that people read: integers in C's own arithmetic, and the comments of sources.

use crate::{
    families,
    random::seeds,
    support::{Job, flags, flat, jobs},
};
use cfg_back::c;
use cfg_cc::{Compiler, Executable};
use cfg_core::{
    entity::RoutineId,
    flat::Flat,
    ir::{Program, SourceComment, Span},
    validate::validate,
};
use cfg_format::text;
use cfg_testkit::{needs, rng::Rng};
use std::sync::Arc;

fn parsed(text: &str) -> Program {
    let parsed = text::parse(text);
    let problems = parsed.problems;
    parsed
        .program
        .unwrap_or_else(|| panic!("{problems:?}\n{text}"))
}

/// The body of the function f.
fn body(program: Program) -> String {
    let made = c::program(&flat(&validate(program).unwrap())).unwrap();
    let start = made.find(" f(").unwrap();
    let (_, body) = made[start..].split_once("{\n").unwrap();
    body.split("\n}\n").next().unwrap().to_owned()
}

/// Front ends for C write indices of `int` as 64-bit counters that are converted at each use.
#[test]
fn integers_of_c() {
    let made = body(parsed(
        "main subroutine f(in int32 n, in int32 k, inout real u[int(n) from 0], inout int32 p)
  local integer i
  local int32 l
  for i = 0, int(n) - 1
    l := if(int32(i) == int32(0), n - int32(1), int32(i) - int32(1))
    u[i] := u[int(l)] + u[int(if(int32(i) == int32(0), n - int32(1), int32(i) - int32(1)))]
    u[int(k + int32(1))] := real(i*int(k))
    if int32(i) < k*int32(2)
      p := mod(p, int32(2)) + k
    end
  end
end
",
    ));
    let expected = "    int32_t p_here = *p;
    for (int64_t i = 0; i < n; ++i) {
        int32_t l = i == 0 ? n - 1 : (int32_t)i - 1;
        u[i] = u[l] + u[i == 0 ? n - 1 : i - 1];
        u[k + 1] = (double)(i * k);
        if (i < k * 2)
            p_here = p_here % 2 + k;
    }
    *p = p_here;";
    assert_eq!(made.trim_end(), expected, "{made}");
}

/// Constants of 32 bits without sign have that type, also between two of which one is chosen.
#[test]
fn constants_without_sign() {
    let made = body(parsed(
        "main subroutine f(in uint32 w, in int32 c, inout uint32 y)
  y := w *% uint32(4294967292)
  y := if(c > int32(0), uint32(5), uint32(7)) -% uint32(8)
end
",
    ));
    for expected in [
        "*y = w * 4294967292u;",
        "*y = (c > 0 ? (uint32_t)5 : 7) - 8;",
    ] {
        assert!(made.contains(expected), "{made}");
    }
}

/// Comments stand above code or behind it, and move in front of the code of their statement.
#[test]
fn comments_of_sources() {
    let mut program = parsed(
        "source \"f.src\"
main subroutine f(in integer n, inout real x)
  local integer i
  for i = 1, n @[0:4:1-7:4]
    x := x*x @[0:5:3-5:9]
    x := sin(x) @[0:6:3-6:12]
  end @[0:4:1-7:4]
end
",
    );
    let comment = |line: u32, is_behind: bool, text: &str| SourceComment {
        source: 0,
        lines: [line, line],
        is_behind,
        text: text.to_owned(),
    };
    let comments = [
        comment(1, false, "not beside code"),
        comment(3, false, "each\n * cell"),
        comment(5, true, "squared */ ??/"),
        comment(7, true, "behind the loop"),
    ];
    SourceComment::note_all(&comments, &mut program.annotations);
    let made = body(program);
    let expected = "    /* each
       cell */
    for (int64_t i = 1; i <= n; ++i) {
        /* squared *  ? / */
        x_here = x_here * x_here;
        x_here = sin(x_here);
    }
    *x = x_here;";
    let (_, made) = made.split_once('\n').unwrap();
    assert_eq!(made.trim_end(), expected, "{made}");
}

/// Comments of any text change no result.
#[test]
fn random_comments() {
    const TEXTS: [&str; 6] = ["a", "*/ x = 1; /*", "//", "??/\n\\", "é\u{1}7\nb\n", "{"];
    let mut all: Vec<Job> = Vec::new();
    for (name, case) in families::ALL {
        for seed in seeds().step_by(12) {
            let mut case = case(seed);
            let rng = &mut Rng::new(seed);
            case.program
                .sources
                .resize(1.max(case.program.sources.len()), "f".to_owned());
            let graphs = case.program.routines.iter_mut();
            for vertex in graphs
                .filter_map(|r| r.body.as_mut())
                .flat_map(cfg_core::ir::Cfg::vertices_mut)
            {
                let mut at = || {
                    let line = rng.between(2, 9) as u32;
                    Span::new(0, [line, 1, line, 2]).map(Arc::new)
                };
                vertex.at = at();
                for statement in vertex.kind.statements_mut().into_iter().flatten() {
                    statement.at = at();
                }
            }
            let comments = (1..9).map(|line| SourceComment {
                source: 0,
                lines: [line, line],
                is_behind: rng.percent(50),
                text: TEXTS[rng.between(0, 5) as usize].to_owned(),
            });
            let comments: Vec<SourceComment> = comments.collect();
            SourceComment::note_all(&comments, &mut case.program.annotations);
            let title = format!("{name} {seed} with comments");
            all.extend(jobs(&title, &case, &families::options(seed), seed));
        }
    }
    assert!(all.len() > 20);
    for (some, (compiler, checks)) in all
        .chunks(all.len().div_ceil(2))
        .zip([("cc", false), ("clang", true)])
    {
        let Some(command) = needs::tool(compiler) else {
            continue;
        };
        let programs: Vec<(&Flat, RoutineId)> =
            some.iter().map(|job| (&job.program, job.routine)).collect();
        let options = c::Options {
            checks,
            ..c::Options::default()
        };
        let compiler = Compiler {
            command,
            flags: flags(false),
            ..Compiler::default()
        };
        let text = c::server(&programs, options, false).unwrap();
        assert!(text.contains("/* / x = 1; /"), "no comment is written");
        let mut built =
            Executable::build_with(&programs, &compiler, options).unwrap_or_else(|e| panic!("{e}"));
        for (k, job) in some.iter().enumerate() {
            let answer = built.run(k, &job.arguments, &job.globals).unwrap();
            assert_eq!(job.judge(&answer), None);
        }
    }
}
