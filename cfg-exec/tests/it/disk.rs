//! The stack of tapes in files: what comes back, what is found to be wrong, and what is left in the folder.

use cfg_core::{
    elemental::Scalar,
    entity::RoutineId,
    ir::{IntType, Order, ScalarType},
};
use cfg_exec::{Argument, CompileOptions, Compiled, RunOptions, RunReport, Session, Tape, Value};
use cfg_testkit::flat;
use std::{fs, path::PathBuf};

use crate::common::{parsed, real, reals, run, run_with};

/// A folder of this test alone, which is removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("cfgrev-test-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).expect("a folder can be made");
        Self(path)
    }

    fn options(&self) -> RunOptions {
        RunOptions {
            disk: Some(self.0.clone()),
            ..RunOptions::default()
        }
    }

    fn is_empty(&self) -> bool {
        fs::read_dir(&self.0).expect("it is there").next().is_none()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).expect("it can be removed");
    }
}

fn sized(ty: IntType, n: i64) -> Argument {
    let mut value = Value::uninitialised(ScalarType::Sized(ty), &[], Order::Row).expect("a scalar");
    assert!(value.set(0, Scalar::Sized(ty, n)));
    value.into()
}

#[test]
fn values_of_all_types_come_back() {
    let program = parsed(
        "main subroutine f(inout real x, inout real32 s, inout integer n, inout int8 k, inout uint64 u, inout logical l,
                           inout real a[2, 3])
           local tape t
           local real w, b[3]
           push[disk] 2.0*x
           push[disk] s
           push[disk] n
           push[disk] k
           push[disk] u
           push[disk] l
           push[disk] a[:, 2:3]
           push[disk] a[1, :]*2.0
           push[disk] w
           x := 0.0
           s := 0.0f
           n := 0
           k := int8(0)
           u := uint64(0)
           l := not l
           a := 0.0
           w := pop[disk]
           b := pop[disk]
           a[:, 2:3] := pop[disk]
           l := pop[disk]
           u := pop[disk]
           k := pop[disk]
           n := pop[disk]
           s := pop[disk]
           x := pop[disk]
           x := x + sum(b)
         end",
    );
    let mut arguments: [Argument; 7] = [
        1.5.into(),
        Value::real32(0.1).into(),
        (-7).into(),
        sized(IntType::Int8, -128),
        sized(IntType::Uint64, -1),
        true.into(),
        Value::real_array(&[2, 3], Order::Row, &[1., 2., 3., 4., 5., 6.])
            .unwrap()
            .into(),
    ];
    let before = arguments.clone();
    let tape = run(&program, &mut arguments)
        .unwrap_or_else(|e| panic!("{e}"))
        .tape;
    assert_eq!(real(&arguments[0]), 3.0 + 12.0);
    assert_eq!(arguments[1..6], before[1..6]);
    assert_eq!(reals(&arguments[6]), [0., 2., 3., 0., 5., 6.]);
    assert_eq!((tape.disk, tape.pushes, tape.pops), (14, 14, 14));
    let bytes = 8 * (14 + 9);
    assert_eq!(
        [tape.disk_written, tape.disk_read, tape.disk_peak],
        [bytes; 3]
    );
    assert_eq!(tape.peak_bytes, 0);
    assert!(tape.leftovers.iter().all(|left| left.is_empty()));
}

#[test]
fn pops_take_what_one_push_has_left() {
    for (push, pop, code) in [
        ("push[disk] a", "x := pop[disk]", "X227"),
        ("push[disk] a", "a[1:2] := pop[disk]", "X227"),
        ("push[disk] x", "a := pop[disk]", "X216"),
        (
            "push[disk] x\n push[disk] x\n push[disk] x\n push[disk] x",
            "a := pop[disk]",
            "X227",
        ),
        ("push[disk] x", "n := pop[disk]", "X227"),
        ("push[disk] n", "x := pop[disk]", "X227"),
        ("push[disk] l", "n := pop[disk]", "X227"),
        ("push[real] x", "x := pop[disk]", "X216"),
        ("push[disk] x", "x := pop[real]", "X216"),
    ] {
        let source = format!(
            "main subroutine f(inout real x, inout real a[3], inout integer n, inout logical l)
               local tape t
               {push}
               {pop}
             end"
        );
        let a = Value::from_reals(&[1., 2., 3.]);
        let mut arguments = [1.5.into(), a.into(), 1.into(), true.into()];
        let problem = run(&parsed(&source), &mut arguments).expect_err("a fault");
        assert_eq!(problem.code, code, "{problem}{source}");
    }
}

/// Pushes n elements of an array, and pops them again: first the pushes, then the pops.
fn sweeps() -> (Compiled, [RoutineId; 2]) {
    let program = parsed(
        "subroutine fwd(in integer n, inout real a[n], inout tape t)
           push[disk] a
           push[disk] 2.0*a
           a := 0.0
         end
         subroutine rev(in integer n, inout real a[n], inout tape t)
           a := pop[disk]
           a := pop[disk]
           push[disk] a
           a := 0.0
           a := pop[disk]
         end",
    );
    let find = |name| program.find_routine(name).expect("it is there");
    let routines = ["fwd", "rev"].map(find);
    let compiled = Compiled::new(&flat(&program), &CompileOptions::default());
    (compiled.unwrap_or_else(|e| panic!("{e}")), routines)
}

fn arguments(n: usize) -> Vec<Argument> {
    let values: Vec<f64> = (0..n).map(|k| k as f64 + 0.5).collect();
    vec![
        (n as i64).into(),
        Value::from_reals(&values).into(),
        Argument::Tape(Tape::default()),
    ]
}

#[test]
fn nothing_is_left_and_copies_are_their_own() {
    let folder = Folder::new("left");
    let (compiled, [fwd, rev]) = sweeps();
    let mut session = Session::new(&compiled);
    let options = folder.options();
    for n in [0, 1, 1000, 30_000] {
        let mut given = arguments(n);
        let before = reals(&given[1]);
        session
            .run(fwd, &mut given, &options)
            .unwrap_or_else(|e| panic!("{e}"));
        assert!(folder.is_empty(), "{n}");
        let mut copy = given.clone();
        assert_eq!(copy, given);
        for given in [&mut given, &mut copy] {
            let report = session.run(rev, given, &options);
            let RunReport { tape, .. } = report.unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(reals(&given[1]), before, "{n}");
            // The push takes back what was popped.
            assert_eq!((tape.pushes, tape.pops), (n as u64, 3 * n as u64));
            assert_eq!(
                (tape.disk_written, tape.disk_read),
                (0, 24 * (n as u64 + 1))
            );
            assert!(given[2].tape().is_some_and(|tape| tape.size().is_empty()));
        }
        assert!(folder.is_empty(), "{n}");
    }
}

/// A folder that does not exist, as one on a disk that is full, is found when the first window is written.
#[test]
fn a_folder_that_cannot_be_used_is_an_error() {
    let folder = Folder::new("missing");
    let (compiled, [fwd, _]) = sweeps();
    let options = RunOptions {
        disk: Some(folder.0.join("not there")),
        ..RunOptions::default()
    };
    let mut session = Session::new(&compiled);
    let problem = session
        .run(fwd, &mut arguments(30_000), &options)
        .expect_err("no folder");
    assert_eq!(problem.code, "X226");
    assert!(problem.message.contains("not there"), "{problem}");
    assert!(problem.at.element.is_some(), "{problem}");
}

/// One byte of the file changes between the sweeps.
#[cfg(target_os = "linux")]
#[test]
fn changed_bytes_are_found() {
    use std::os::unix::fs::FileExt;
    let folder = Folder::new("changed");
    let (compiled, [fwd, rev]) = sweeps();
    let mut session = Session::new(&compiled);
    let options = folder.options();
    let n = 30_000;
    for at in [
        0,
        100,
        8 * n as u64 - 1,
        8 * n as u64 + 3,
        8 * n as u64 + 8,
        300_000,
    ] {
        let mut given = arguments(n);
        session
            .run(fwd, &mut given, &options)
            .unwrap_or_else(|e| panic!("{e}"));
        let files = fs::read_dir("/proc/self/fd").expect("Linux has it");
        let mut changed = 0;
        for file in files {
            let path = file.expect("it can be read").path();
            if fs::read_link(&path).is_ok_and(|to| to.starts_with(&folder.0)) {
                let file = fs::OpenOptions::new().read(true).write(true).open(&path);
                let file = file.expect("it can be opened");
                let mut byte = [0];
                file.read_exact_at(&mut byte, at).expect("it can be read");
                file.write_all_at(&[byte[0] ^ 4], at)
                    .expect("it can be written");
                changed += 1;
            }
        }
        assert_eq!(changed, 1);
        let problem = session
            .run(rev, &mut given, &options)
            .expect_err("it is found");
        assert_eq!(problem.code, "X227", "{problem}");
    }
}

/// The buffers of a stack in a file are paid for.
#[test]
fn buffers_count_as_memory() {
    let program = parsed(
        "main subroutine f(inout real x)
           local tape t
           push[disk] x
           x := pop[disk]
         end",
    );
    let compile = CompileOptions::default();
    let most = |max_memory| RunOptions {
        max_memory,
        ..RunOptions::default()
    };
    let found = |max_memory| run_with(&program, &mut [1.5.into()], &compile, &most(max_memory));
    assert_eq!(found(100_000).expect_err("it is too much").code, "X210");
    found(200_000).unwrap_or_else(|e| panic!("{e}"));
}
