//! Any bytes: the reader of the text form answers with a program or with problems, and what it reads is printed and read
//! back equal.

use cfg_format::text;
use cfg_testkit::plain::plain;

/// One input.
pub(crate) fn run(data: &[u8]) {
    let read = text::read(data);
    let Some(program) = read.program else {
        assert!(read.problems.has_errors(), "no program, and no problem");
        return;
    };
    let printed = program.to_string();
    let again = text::parse(&printed);
    let problems = again.problems;
    let back = again
        .program
        .unwrap_or_else(|| panic!("{problems}\n{printed}"));
    assert!(
        plain(&back) == plain(&program),
        "{printed}\ncomes back as\n{back}"
    );
}
