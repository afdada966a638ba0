//! Files with errors; the messages for each are in a golden file beside it.

use cfg_c::{NoFiles, Options, SourceFile, read_c};
use cfg_testkit::golden::golden;
use std::{fmt::Write as _, path::Path};

#[test]
fn errors_are_told_as_expected() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wrong");
    let entries = std::fs::read_dir(&folder).expect("the folder is there");
    let mut names: Vec<_> = entries
        .map(|e| e.expect("it can be read").file_name())
        .filter(|name| name.to_string_lossy().ends_with(".c"))
        .collect();
    names.sort();
    assert!(names.len() >= 60, "{} files", names.len());
    let mut told = String::new();
    for name in names {
        let bytes = std::fs::read(folder.join(&name)).expect("it can be read");
        let name = name.to_string_lossy();
        let options = Options {
            routine: Some("f".to_owned()).filter(|_| name != "only_main.c"),
            ..Options::default()
        };
        let read = read_c(&[SourceFile::new(&name, &bytes)], &options, &mut NoFiles);
        assert!(read.program.is_none(), "{name} is read");
        for problem in read.problems.iter() {
            let (line, column) = (problem.at.line.unwrap_or(0), problem.at.column.unwrap_or(0));
            writeln!(
                told,
                "{name}:{line}:{column} {} {}",
                problem.code, problem.message
            )
            .expect("a string");
            writeln!(told, "  {}", problem.help).expect("a string");
        }
        told.push('\n');
    }
    golden(folder.join("told.txt"), &told);
}
