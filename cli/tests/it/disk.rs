//! States on disk: folders that cannot be used, a full disk, and what is left by a process that is killed.
#![cfg(unix)]

use crate::run_tool::command;
use cfg_testkit::needs;
use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
    time::Duration,
};

/// A state has 48 KB.
const PROGRAM: &str = "\
main subroutine f(in integer n, in real p, inout real x[6000], out real y)
  independent p
  dependent y
  local integer i, j
  for i = 1, n {checkpoint 1 disk 9}
    for j = 1, 6000
      x[j] := x[j] + 0.01*sin(x[j]*p)
    end
  end
  y := sum(x)
end
";

struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir(folder.path().join("states")).expect("it can be made");
        let plain = PROGRAM.replace(" {checkpoint 1 disk 9}", "");
        for (name, text) in [("on_disk", PROGRAM), ("plain", &plain)] {
            fs::write(folder.path().join(format!("{name}.cfgrev")), text).expect("it is written");
        }
        let x: Vec<String> = (0..6000)
            .map(|k| format!("{}", f64::from(k) * 1e-3))
            .collect();
        let point = format!("{{\"n\": 60, \"p\": 0.7, \"x\": [{}]}}", x.join(","));
        fs::write(folder.path().join("point.json"), point).expect("it is written");
        Self(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The arguments of a gradient.
    fn arguments(&self, name: &str, more: &[&str]) -> Vec<String> {
        let point = self.path("point.json");
        let source = self.path(&format!("{name}.cfgrev"));
        let given = ["gradient", text(&source), "--at", text(&point)];
        given
            .iter()
            .chain(more)
            .map(|&word| word.to_owned())
            .collect()
    }

    fn gradient(&self, name: &str, more: &[&str]) -> Output {
        let made = command(&[]).args(self.arguments(name, more)).output();
        made.expect("the binary starts")
    }

    fn is_clean(&self) -> bool {
        fs::read_dir(self.path("states"))
            .expect("it is there")
            .next()
            .is_none()
    }
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a path is text")
}

fn json(output: &Output) -> Value {
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    serde_json::from_slice(&output.stdout).expect("it is JSON")
}

fn engines() -> Vec<&'static [&'static str]> {
    let with = needs::tool("cc").is_some();
    let engines: [&[&str]; 2] = [&[], &["--engine", "cc", "--cc-no-cache"]];
    engines[..1 + usize::from(with)].to_vec()
}

#[test]
fn gradients_are_those_of_the_record() {
    let place = Place::new();
    let states = place.path("states");
    let expected = json(&place.gradient("plain", &[]));
    for engine in engines() {
        let more = [engine, &["--disk", text(&states)]].concat();
        let found = json(&place.gradient("on_disk", &more));
        for part in ["value", "gradient"] {
            assert_eq!(found[part], expected[part]);
        }
        if engine.is_empty() {
            let block = 8 * 6001;
            assert_eq!(found["tape"]["disk_bytes"], 9 * block);
            let written = found["tape"]["disk_written"].as_u64().expect("a number");
            let read = found["tape"]["disk_read"].as_u64().expect("a number");
            assert!(written.is_multiple_of(block) && read.is_multiple_of(block) && written < read);
        }
        assert!(place.is_clean());
    }
    assert!(expected["tape"].get("disk_bytes").is_none());
}

#[test]
fn folders_and_disks_that_take_nothing_are_errors() {
    let place = Place::new();
    let (states, missing) = (place.path("states"), place.path("missing"));
    for engine in engines() {
        let more = [engine, &["--disk", text(&missing)]].concat();
        let found = place.gradient("on_disk", &more);
        let said = String::from_utf8_lossy(&found.stderr).into_owned();
        assert!(!found.status.success());
        let code = if engine.is_empty() { "X226" } else { "B907" };
        assert!(said.contains(code) && said.contains("--disk"), "{said}");
        // Files may not become larger than 200 blocks of 512 bytes.
        let words = place.arguments("on_disk", &[engine, &["--disk", text(&states)]].concat());
        let binary = command(&[]);
        let found = Command::new("sh")
            .args(["-c", "trap '' XFSZ; ulimit -f 200; exec \"$@\"", "sh"])
            .arg(binary.get_program())
            .args(words)
            .output()
            .expect("sh starts");
        let said = String::from_utf8_lossy(&found.stderr).into_owned();
        assert!(!found.status.success());
        // The compiler cannot write its files either.
        if engine.is_empty() {
            assert!(
                said.contains("X226") && said.contains(text(&states)),
                "{said}"
            );
        }
        assert!(place.is_clean());
    }
}

/// Nine states have 432 KB.
#[test]
fn a_full_disk_is_an_error() {
    let place = Place::new();
    let states = place.path("states");
    for (engine, code) in engines().into_iter().zip(["X226", "B907"]) {
        let Some(mut full) = needs::small_disk(&states) else {
            return;
        };
        let words = place.arguments("on_disk", &[engine, &["--disk", text(&states)]].concat());
        let found = full
            .args(["sh", "-c", "\"$@\"; code=$?; ls -A \"$0\"; exit $code"])
            .arg(&states)
            .arg(command(&[]).get_program())
            .args(words)
            .output()
            .expect("sh starts");
        let said = String::from_utf8_lossy(&found.stderr).into_owned();
        assert_eq!(found.status.code(), Some(1), "{said}");
        assert!(said.contains(code) && said.contains("--disk"), "{said}");
        // No result, and no file.
        assert_eq!(String::from_utf8_lossy(&found.stdout), "");
    }
}

/// Killed at any moment, a run leaves no file.
#[test]
fn nothing_is_left_by_a_process_that_is_killed() {
    let place = Place::new();
    let states = place.path("states");
    for k in 0..20 {
        let words = place.arguments("on_disk", &["--disk", text(&states)]);
        let mut child = command(&[]).args(words).spawn().expect("the binary starts");
        std::thread::sleep(Duration::from_millis(40 * k));
        child.kill().expect("it can be killed");
        child.wait().expect("it ends");
        assert!(place.is_clean(), "after {} milliseconds", 40 * k);
    }
}
