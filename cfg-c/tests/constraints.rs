//! Constraints of C: each line of `constraints.txt` is a file, after `-` one that compilers refuse, after `+` one
//! that they accept. The reader must decide like the compiler, also if the function's body stands in an arm that is
//! never entered. Lines after `^` are not tried in such an arm: compilers refuse them for a declaration in the
//! outermost block.

use cfg_c::{NoFiles, Options, SourceFile, read_c};
use cfg_testkit::needs;
use std::{
    io::Write as _,
    path::Path,
    process::{Command, Stdio},
};

/// The function that is read.
const NAME: &str = " f(";

/// The reason why a file is not read; `None` if it is.
fn refused(text: &str) -> Option<String> {
    let options = Options {
        routine: Some("f".to_owned()),
        ..Options::default()
    };
    let read = read_c(
        &[SourceFile::new("t.c", text.as_bytes())],
        &options,
        &mut NoFiles,
    );
    read.program.is_none().then(|| read.problems.to_string())
}

fn is_compiled(cc: &Path, text: &str) -> bool {
    let mut run = Command::new(cc);
    run.args(["-std=gnu11", "-fsyntax-only", "-w", "-x", "c", "-"]);
    run.stdin(Stdio::piped()).stderr(Stdio::null());
    let mut run = run.spawn().expect("the compiler runs");
    let mut stdin = run.stdin.take().expect("it has one");
    stdin.write_all(text.as_bytes()).expect("it is read");
    drop(stdin);
    run.wait().expect("it ends").success()
}

/// The file with the statements of the function in an arm that is never entered.
fn never_entered(text: &str) -> Option<String> {
    let head = text.rfind(NAME)?;
    let open = head + text[head..].find(") {")? + 3;
    let close = text.rfind('}').filter(|close| *close > open)?;
    let (before, body, behind) = (&text[..open], &text[open..close], &text[close..]);
    let result = match text[..head].ends_with("void") {
        true => "",
        false => "return 0; ",
    };
    Some(format!("{before} if (0) {{{body}}} {result}{behind}"))
}

#[test]
fn what_the_compiler_refuses_is_refused() {
    let lines = include_str!("constraints.txt").lines();
    let cc = needs::tool("cc");
    let (mut accepted, mut wrong) = ([0, 0], Vec::new());
    for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (sign, text) = line.split_at(2);
        let is_allowed = sign == "+ ";
        accepted[usize::from(is_allowed)] += 1;
        let other = never_entered(text).filter(|_| sign != "^ ");
        for text in [Some(text.to_owned()), other].into_iter().flatten() {
            let why = refused(&text);
            if why.is_none() != is_allowed {
                wrong.push(format!("{line}\n  {text}\n  read: {why:?}"));
            }
            if cc
                .as_ref()
                .is_some_and(|cc| is_compiled(cc, &text) != is_allowed)
            {
                wrong.push(format!(
                    "{line}\n  {text}\n  the compiler decides otherwise"
                ));
            }
        }
    }
    assert!(accepted.iter().all(|n| *n >= 100), "{accepted:?}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
