//! Any bytes: the reader of C answers with a program or with problems; what it reads is printed and read back equal, is valid or
//! refused, and if it is valid it is reversed or refused.

use cfg_core::flat::Flat;
use cfg_core::validate::validate;
use cfg_format::text;
use cfg_testkit::plain::plain;

/// One input.
pub(crate) fn run(data: &[u8]) {
    let options = cfg_c::Options::default();
    let read = cfg_c::read_c(
        &[cfg_c::SourceFile::new("input.c", data)],
        &options,
        &mut cfg_c::NoFiles,
    );
    let Some(program) = read.program else {
        assert!(read.problems.has_errors(), "no program, and no problem");
        return;
    };
    assert!(!read.problems.has_errors(), "a program, and errors");
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
    let Some(main) = program.main else {
        return;
    };
    let Ok(flat) = validate(program).and_then(Flat::check) else {
        return;
    };
    let options = cfg_reverse::Options {
        work: 1000,
        ..cfg_reverse::Options::default()
    };
    if let Ok(made) = cfg_reverse::reverse(&flat, main, &options) {
        let problems = validate(made.program).err();
        assert!(problems.is_none(), "{}", problems.unwrap_or_default());
    }
}
