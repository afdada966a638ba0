//! The command that compares programs.

use cfg_format::json;
use cfg_testkit::{general, kernels};
use std::path::Path;
use std::process::Command;

fn run(a: &Path, b: &Path) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_same"));
    let output = command.args([a, b]).output().expect("it starts");
    let text = [output.stdout, output.stderr].concat();
    (
        output.status.code(),
        String::from_utf8_lossy(&text).into_owned(),
    )
}

#[test]
fn files_and_folders_are_compared() {
    let folder = tempfile::tempdir().expect("there is a temporary folder");
    let [one, two] = ["one", "two"].map(|name| folder.path().join(name));
    for folder in [&one, &two] {
        std::fs::create_dir(folder).expect("there is space");
        for kernel in kernels::all() {
            let program = kernel.case(kernel.size).program;
            let to = std::fs::File::create(folder.join(format!("{}.json", kernel.name)));
            json::write(&program, to.expect("there is space")).expect("there is space");
        }
    }
    let (code, text) = run(&one, &two);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.ends_with(" programs, 0 differ\n"), "{text}");
    let name = format!("{}.json", kernels::all()[0].name);
    let other = std::fs::File::create(two.join(&name)).expect("there is space");
    json::write(&general::generate(1).program, other).expect("there is space");
    let (code, text) = run(&one, &two);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains(&name) && text.contains(" against "), "{text}");
    assert_eq!(run(&one.join(&name), &two.join(&name)).0, Some(1));
    std::fs::write(two.join(&name), "[").expect("there is space");
    assert_eq!(run(&one, &two).0, Some(2));
    std::fs::remove_file(two.join(&name)).expect("it is there");
    let (code, text) = run(&one, &two);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("in one folder only"), "{text}");
}
