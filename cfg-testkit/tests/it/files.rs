//! The files in `fixtures` are those that the kernels generate, and valid.

use cfg_core::validate;
use cfg_format::json;
use cfg_testkit::fixtures::folder;
use cfg_testkit::golden::golden;
use cfg_testkit::kernels;

#[test]
fn programs_are_what_the_kernels_say() {
    for kernel in kernels::all() {
        let mut text = Vec::new();
        json::write(&kernel.program, &mut text).unwrap();
        let path = folder().join(format!("{}.json", kernel.name));
        golden(path, &String::from_utf8(text).unwrap());
    }
}

#[test]
fn programs_in_the_folder_are_valid_and_read_as_they_were_built() {
    for kernel in kernels::all() {
        let bytes = std::fs::read(folder().join(format!("{}.json", kernel.name))).unwrap();
        let program = json::read(&bytes).unwrap_or_else(|e| panic!("{}: {e}", kernel.name));
        assert_eq!(program, kernel.program, "{}", kernel.name);
        let problems = validate::find_problems(&program).1;
        assert!(problems.is_empty(), "{}: {problems}", kernel.name);
    }
}
