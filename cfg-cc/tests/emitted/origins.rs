//! Comments and `#line`: what emitted code comes from.

use crate::support::flat;
use crate::{
    families,
    interface::{compile, files_with},
    random::seeds,
    support::{Job, flags, jobs},
};
use cfg_back::c;
use cfg_cc::{Compiler, Executable};
use cfg_core::flat::Flat;
use cfg_core::{
    entity::RoutineId,
    ir::{Program, Span},
};
use cfg_testkit::{golden::golden, needs, rng::Rng};
use std::{fs, process::Command, sync::Arc};

const BOTH: c::Options = c::Options {
    checks: false,
    header: false,
    extern_globals: false,
    replace: false,
    origins: true,
    lines: true,
    apart: false,
    included: false,
    functions: c::Functions::All,
    prefix: false,
};

/// Heron's rule with places in a source, whose name tries to leave the literal.
const HERON: &str = r#"
source "src/he\"ron\\??/.f90"
subroutine heron(in integer n, in real a[n], out real s)
  local integer i
  local real x
  local real w[n]
  independent a
  dependent s
  s := 0.0 @[0:5:3-5:10]
  w := 2.0*a @[0:6:3-6:10]
  for i = 1, n @[0:7:3-7:15]
    if a[i] > 0.0
      x := a[i] @[0:9:3-9:10]
      while abs(x*x - a[i]) > 1e-12 @[0:10:3-10:10]
        x := (x + a[i]/x)/2.0 @[0:11:3-11:10]
      end
      s := s + x*w[i] @[0:13:3-13:10]
    end
  end @[0:15:3-15:6]
end
"#;

/// The file and the line that a compiler takes each line for that is neither a directive nor a comment of an origin.
fn presumed(text: &str, file: &str) -> Vec<(String, usize, String)> {
    let mut at = (file.to_owned(), 1);
    let mut found = Vec::new();
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("#line ") {
            let (number, name) = rest.split_once(' ').unwrap();
            let name = name.strip_prefix('"').and_then(|n| n.strip_suffix('"'));
            at = (name.unwrap().to_owned(), number.parse().unwrap());
            continue;
        }
        found.push((at.0.clone(), at.1, line.to_owned()));
        at.1 += 1;
    }
    found
}

/// Directives lead back to the line of the file itself, and without them and the comments the text is the plain one.
fn check_text(text: &str, plain: &str, file: &str) {
    let lines: Vec<&str> = text.lines().collect();
    let mut of_file = 0;
    let mut k = 0;
    for (name, number, line) in presumed(text, file) {
        while lines[k].starts_with("#line ") {
            k += 1;
        }
        if name == file {
            of_file += 1;
            assert_eq!(number, k + 1, "{line}");
        }
        k += 1;
    }
    assert!(of_file > 100);
    let known: std::collections::HashSet<&str> = plain.lines().collect();
    let added = |line: &&str| {
        let code = line.trim_start();
        line.starts_with("#line ") || code.starts_with("/* ") && !known.contains(line)
    };
    let rest: Vec<&str> = lines.into_iter().filter(|line| !added(line)).collect();
    assert_eq!(rest, plain.lines().collect::<Vec<_>>());
}

#[test]
fn what_people_read() {
    let [adjoint, tangent] = files_with(HERON, BOTH);
    let plain = files_with(HERON, c::Options::default());
    check_text(&adjoint, &plain[0], "heron.adjoint.c");
    check_text(&tangent, &plain[1], "heron.tangent.c");
    assert_eq!(files_with(HERON, BOTH), [adjoint.clone(), tangent]);
    let functions = adjoint.split_once("/* reverse of heron */").unwrap().1;
    golden("tests/golden/heron.origins.c", functions);
    // Each statement of the original is the origin of something in both sweeps.
    let (reverse, forward) = functions.split_once("/* forward of heron */").unwrap();
    for (line, statement) in [
        (9, "vertex 5, statement 1: x := a[i]"),
        (11, "vertex 7, statement 1: x := (x + a[i]/x)/2.0"),
        (13, "vertex 9, statement 1: s := s + x*w[i]"),
    ] {
        for sweep in [forward, reverse] {
            assert!(
                sweep.contains(&format!("/* heron, {statement} (")),
                "{statement}"
            );
            assert!(sweep.contains(&format!("#line {line} \"src/he\\\"ron\\\\\\?\\?/.f90\"")));
        }
    }
    let comments = c::Options {
        lines: false,
        ..BOTH
    };
    let [adjoint, _] = files_with(crate::interface::HERON, comments);
    check_text(
        &adjoint,
        &files_with(crate::interface::HERON, c::Options::default())[0],
        "",
    );
    assert!(
        adjoint.contains("        /* heron, vertex 4: a[i] > 0.0 */\n"),
        "{adjoint}"
    );
}

/// A program without places in sources has no lines that could be named.
#[test]
fn no_sources_no_lines() {
    let program = crate::interface::parse(crate::interface::HERON);
    let problems = c::program_with(&flat(&program), BOTH).unwrap_err();
    assert_eq!(
        problems.iter().map(|p| p.code).collect::<Vec<_>>(),
        ["B807"]
    );
}

/// A division by zero and an overflow that are found in compiled code are told with the line of the source.
#[test]
fn compilers_name_the_source() {
    let Some(cc) = needs::tool("cc") else { return };
    let folder = tempfile::tempdir().unwrap();
    let source = "
source \"power.f90\"
subroutine power(in integer n, in real x, out real y)
  local integer i
  local integer k
  independent x
  dependent y
  k := 3 @[0:40:3-40:9]
  y := x @[0:41:3-41:9]
  for i = 1, n @[0:42:3-42:9]
    k := k*k @[0:43:3-43:9]
    y := y*real(k) @[0:44:3-44:9]
  end
end
";
    let [adjoint, _] = files_with(source, BOTH);
    fs::write(folder.path().join("power.c"), adjoint).unwrap();
    let main = "int main(void)\n{\n    double x_b = 0, y, y_b = 1;\n    return power_grad(9, 2, &x_b, &y, &y_b, NULL);\n}\n";
    let main = format!("#include \"power.c\"\n{main}");
    fs::write(folder.path().join("main.c"), main).unwrap();
    let sanitizer = "-fsanitize=undefined";
    compile(
        folder.path(),
        &cc,
        &[sanitizer, "-o", "main", "main.c", "-lm"],
    );
    let ran = Command::new(folder.path().join("main")).output().unwrap();
    let said = String::from_utf8_lossy(&ran.stderr);
    let found = said.contains("power.f90:43:") && said.contains("signed integer overflow");
    assert!(found, "{said}");
    // Lines that do not come from the source are those of the file itself, as a misspelt function shows.
    let broken = fs::read_to_string(folder.path().join("power.c")).unwrap();
    let broken = broken.replace(
        "return cfgrev_end(tape, &state, status);",
        "return nothing;",
    );
    let line = 1 + broken
        .lines()
        .position(|l| l.contains("return nothing;"))
        .unwrap();
    fs::write(folder.path().join("power.adjoint.c"), broken).unwrap();
    let ran = Command::new(&cc)
        .current_dir(folder.path())
        .args(["-std=c99", "-c", "power.adjoint.c"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(said.contains(&format!("power.adjoint.c:{line}:")), "{said}");
}

/// Gives most statements of a program a place in one of two sources.
fn assign_places(program: &mut Program, rng: &mut Rng) {
    // Variables of some have places already.
    let names = ["a.f90", "*/ \"??/\\\u{e9}.c"];
    let sources = program.sources.iter().map(String::as_str);
    program.sources = names
        .into_iter()
        .chain(sources.skip(2))
        .map(str::to_owned)
        .collect();
    let graphs = program.routines.iter_mut().filter_map(|r| r.body.as_mut());
    for vertex in graphs.flat_map(cfg_core::ir::Cfg::vertices_mut) {
        let mut at = || {
            let line = rng.between(1, 99) as u32;
            let span = Span::new(rng.between(0, 1) as u32, [line, 1, line, 2]);
            span.filter(|_| rng.percent(80)).map(Arc::new)
        };
        vertex.at = at();
        for statement in vertex.kind.statements_mut().into_iter().flatten() {
            statement.at = at();
        }
    }
}

/// Random programs of every family compile with both options without a warning and have the same results.
#[test]
fn random_programs() {
    let mut all: Vec<Job> = Vec::new();
    for (name, case) in families::ALL {
        for seed in seeds().step_by(6) {
            let mut case = case(seed);
            assign_places(&mut case.program, &mut Rng::new(seed));
            let title = format!("{name} {seed} with origins");
            all.extend(jobs(&title, &case, &families::options(seed), seed));
        }
    }
    assert!(all.len() > 50);
    for (some, (compiler, checks)) in
        all.chunks(all.len().div_ceil(3))
            .zip([("cc", false), ("clang", false), ("cc", true)])
    {
        let Some(command) = needs::tool(compiler) else {
            continue;
        };
        let programs: Vec<(&Flat, RoutineId)> =
            some.iter().map(|job| (&job.program, job.routine)).collect();
        let options = c::Options { checks, ..BOTH };
        let text = c::server(&programs, options, false).unwrap();
        let plain = c::Options {
            checks,
            ..c::Options::default()
        };
        check_text(
            &text,
            &c::server(&programs, plain, false).unwrap(),
            "server.c",
        );
        let compiler = Compiler {
            command,
            flags: flags(false),
            ..Compiler::default()
        };
        let mut built =
            Executable::build_with(&programs, &compiler, options).unwrap_or_else(|e| panic!("{e}"));
        for (k, job) in some.iter().enumerate() {
            let answer = built.run(k, &job.arguments, &job.globals).unwrap();
            assert_eq!(job.judge(&answer), None);
        }
    }
}
