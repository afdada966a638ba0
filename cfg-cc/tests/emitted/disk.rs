//! Gradients in C that keep states in files: what is left in the folder, and what is found to be wrong.

use crate::interface::{adjoint_file, compile, files};
use cfg_back::c;
use cfg_reverse::Options;
use cfg_testkit::needs;
use std::{fs, path::Path, process::Command};

/// A state has more cells than the window of a file.
const PROGRAM: &str = "\
main subroutine f(in integer n, in real p, inout real x[9000], out real y)
  independent p
  dependent y
  local integer i, j
  for i = 1, n {checkpoint 2 disk 5}
    for j = 1, 9000
      x[j] := x[j] + 0.01*sin(x[j]*p)
    end
  end
  y := sum(x)
end
";

const MAIN: &str = r#"
#define _XOPEN_SOURCE 700
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include ADJOINT

int main(int count, char **words)
{
    static double x[9000], x_b[9000];
    struct cfgrev_tape tape = {0};
    double y, y_b = 1.0, p_b = 0.0, p = 0.7;
    const char *const what = words[1];
    int status, k;
    for (k = 0; k < 9000; ++k)
        x[k] = 0.001 * k;
    tape.folder = count > 2 ? words[2] : NULL;
    if (!strcmp(what, "full")) {
        struct rlimit most = {100000, 100000};
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &most);
    }
    status = f_fwd(40, p, x, &y, &tape);
    if (!strcmp(what, "kill"))
        raise(SIGKILL);
    if (!status && strcmp(what, "full"))
        printf("%d ", cfgrev_tape_disk_bytes(&tape) > 0);
    if (!strcmp(what, "wrong")) {
        FILE *const file = tape.disk->file;
        int byte;
        fseek(file, 5000, SEEK_SET);
        byte = fgetc(file);
        fseek(file, 5000, SEEK_SET);
        fputc(byte ^ 1, file);
    }
    if (!status)
        status = f_rev(40, p, &p_b, x, x_b, &y, &y_b, &tape);
    printf("%d %s %.17g %d", status, cfgrev_tape_message(&tape), p_b, cfgrev_tape_disk_bytes(&tape) > 0);
    fflush(stdout);
    cfgrev_tape_free(&tape);
    return 0;
}
"#;

fn run(folder: &Path, program: &str, words: &[&str]) -> String {
    let ran = Command::new(folder.join(program)).args(words).output();
    String::from_utf8(ran.unwrap().stdout).unwrap()
}

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).unwrap().next().is_none()
}

#[test]
fn files_are_left_nowhere_and_failures_are_told() {
    let Some(cc) = needs::tool("cc") else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let write = |name: &str, text: &str| fs::write(path.join(name), text).unwrap();
    let [on_disk, _] = files(PROGRAM);
    let [recorded, _] = files(&PROGRAM.replace(" {checkpoint 2 disk 5}", ""));
    assert!(!recorded.contains("cfgrev_disk_push") && !recorded.contains("fopen"));
    write("on_disk.c", &on_disk);
    write("recorded.c", &recorded);
    write("main.c", MAIN);
    for name in ["on_disk", "recorded"] {
        let adjoint = format!("-DADJOINT=\"{name}.c\"");
        let given = [
            "-O1",
            "-ffp-contract=off",
            &adjoint,
            "-o",
            name,
            "main.c",
            "-lm",
        ];
        compile(path, &cc, &given);
    }
    let states = path.join("states");
    fs::create_dir(&states).unwrap();
    let into = states.to_str().unwrap();
    let expected = run(path, "recorded", &["run"]);
    let expected = expected.strip_prefix("0 ").unwrap();
    assert_eq!(
        run(path, "on_disk", &["run", into]),
        format!("1 {expected}")
    );
    assert!(is_empty(&states));
    // Without a folder it is that of the system.
    assert_eq!(run(path, "on_disk", &["run"]), format!("1 {expected}"));
    for (what, told) in [
        ("wrong", "1 4 what lies in a file is not what was pushed "),
        (
            "full",
            "1 a file cannot be written: the disk may be full 0 0",
        ),
        ("kill", ""),
    ] {
        let said = run(path, "on_disk", &[what, into]);
        assert!(
            said.starts_with(told) && said.is_empty() == told.is_empty(),
            "{what}: {said}"
        );
        assert!(is_empty(&states), "{what}");
    }
    if let Some(mut full) = needs::small_disk(&states) {
        full.arg(path.join("on_disk")).args(["run", into]);
        let ran = full.output().unwrap();
        let said = String::from_utf8(ran.stdout).unwrap();
        assert_eq!(said, "1 a file cannot be written: the disk may be full 0 0");
        assert!(is_empty(&states));
    }
    let missing = states.join("missing");
    let said = run(path, "on_disk", &["run", missing.to_str().unwrap()]);
    assert_eq!(said, "1 no file can be made in the folder for tapes 0 0");
}

/// Each state has 8 KB, the tape 160.
const LONG: &str = "\
main subroutine f(in integer n, in real p, inout real x[1000], out real y)
  independent p
  dependent y
  local integer i, j
  for i = 1, n {checkpoint 20}
    for j = 1, 1000
      x[j] := x[j] + 0.01*sin(x[j]*p)
    end
  end
  y := sum(x)
end
";

/// Progress is kept after each step in files with the name of the second argument, if there is one.
const LONG_MAIN: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include "long.c"

int main(int count, char **words)
{
    static double x[1000], x_b[1000];
    struct cfgrev_tape tape = {0};
    double y = 0.0, y_b = 1.0, p_b = 0.0;
    int status, k;
    for (k = 0; k < 1000; ++k)
        x[k] = 0.001 * k;
    if (count > 2) {
        tape.restart.file = words[2];
        tape.restart.seconds = -1.0;
    }
    status = f_grad(50, atof(words[1]), &p_b, x, x_b, &y, &y_b, &tape);
    printf("%d %s %.17g\n", status, cfgrev_tape_message(&tape), p_b);
    cfgrev_tape_free(&tape);
    return 0;
}
"#;

/// Progress that finds no room is an error, and what was written before is used when there is room again.
#[test]
fn progress_outlives_a_full_disk() {
    let Some(cc) = needs::tool("cc") else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let disk = path.join("disk");
    fs::create_dir(&disk).unwrap();
    let Some(mut small) = needs::small_disk(&disk) else {
        return;
    };
    let options = Options {
        restarts: true,
        ..Options::default()
    };
    let adjoint = adjoint_file(LONG, &options, c::Options::default());
    fs::write(path.join("long.c"), adjoint).unwrap();
    fs::write(path.join("main.c"), LONG_MAIN).unwrap();
    compile(path, &cc, &["-O1", "-o", "long", "main.c", "-lm"]);
    let expected = run(path, "long", &["0.7"]);
    assert!(expected.starts_with("0  "), "{expected}");
    // No room for the next state; another point, of which the file is not; and more room.
    const SCRIPT: &str = "\
        \"$0\" 0.7 progress; ls; \"$0\" 0.8 progress; ls; \
        mount -o remount,size=8m . && \"$0\" 0.7 progress; ls";
    let ran = small
        .args(["sh", "-c", &format!("cd disk && {SCRIPT}")])
        .arg(path.join("long"))
        .current_dir(path)
        .output()
        .unwrap();
    let said = String::from_utf8(ran.stdout).unwrap();
    let full = "5 the progress of a loop cannot be written 0\nprogress.1.1\n";
    let other = "5 the file of a loop's progress is that of another run 0\nprogress.1.1\n";
    assert_eq!(said, format!("{full}{other}{expected}"));
}
