//! Random functions of C, compared with themselves as they are compiled. `CFGREV_ORIGINALS=3000` compares so many; each takes a call
//! of the compiler.

use crate::support::flat;
use cfg_cc::{Comparison, Compiler, Original};
use cfg_core::validate::validate;
use cfg_format::json::values;
use cfg_testkit::{
    c_functions::{Function, function},
    needs,
};
use std::{borrow::Cow, time::Duration};

/// The function as it is read and compiled, with a point: one that is given functions is called by another.
fn text(f: &Function) -> (String, Cow<'_, str>) {
    if !f.callback {
        return (f.text.clone(), Cow::Borrowed(&f.name));
    }
    let name = &f.name;
    let caller = format!(
        "double {name}_call(int n, double *x, const double *y, double a, unsigned h, const int *k)\n{{\n    \
         return {name}(n, x, y, a, h, k, {name}_cb, NULL);\n}}\n"
    );
    let text = format!("{}{}{caller}", f.text, f.elsewhere);
    (text, Cow::Owned(format!("{name}_call")))
}

/// Compares the function of a seed; `None` if it is not read.
fn compared(seed: u64, compiler: &Compiler) -> Option<Comparison> {
    let f = function(seed);
    let (text, name) = text(&f);
    let options = cfg_c::Options {
        routine: Some(name.to_string()),
        ..cfg_c::Options::default()
    };
    let source = cfg_c::SourceFile::new("f.c", text.as_bytes());
    let read = cfg_c::read_c(&[source], &options, &mut cfg_c::NoFiles);
    let program = validate(read.program?).expect("what is read is valid");
    let main = program.main.expect("the function");
    let has_pointers = program.has_pointers();
    let program = match has_pointers {
        true => cfg_transform::pools::lower(&program, &[main], 3000).expect("it is lowered"),
        false => program,
    };
    let main = program.find_routine(&name).expect("the function");
    let point = f.point();
    let options = cfg_drive::Options::default();
    let left = cfg_drive::left((&flat(&program), main), !has_pointers, &options, |primal| {
        primal.read_point(point.as_bytes())
    });
    let left = left.unwrap_or_else(|e| panic!("{seed}: {e}\n{text}"));
    let elsewhere = match f.callback {
        true => "",
        false => &*f.elsewhere,
    };
    let original = Original {
        files: &[("f.c".to_owned(), format!("{text}{elsewhere}").into_bytes())],
        signature: &read.signature.expect("one function was asked for"),
        flags: &[],
        point: &values::read(point.as_bytes()).expect("a point"),
        read: &left,
        empty_is_null: has_pointers,
        by_executor: true,
        max_memory: 1 << 30,
    };
    let found = original.compare(compiler);
    Some(found.unwrap_or_else(|e| panic!("{seed}: {e}\n{text}")))
}

#[test]
fn random_functions_are_what_is_compiled() {
    let Some(command) = needs::tool("cc") else {
        return;
    };
    let compiler = Compiler {
        command,
        flags: Vec::new(),
        limit: Some(Duration::from_secs(60)),
        ..Compiler::default()
    };
    let count = std::env::var("CFGREV_ORIGINALS").map_or(25, |n| n.parse().expect("a number"));
    let (mut done, mut numbers) = (0, 0);
    for seed in 0..count {
        let Some(found) = compared(seed, &compiler) else {
            continue;
        };
        assert_eq!(found.difference, None, "{seed}");
        numbers += found.compared as u64;
        done += 1;
    }
    assert!(done * 10 >= count * 9, "{done} of {count} are read");
    // Arrays and globals are compared as well as results.
    assert!(numbers > 2 * done, "{numbers} numbers of {done}");
}
