//! Many points: a line for each, which is what a command of its own prints.

use crate::run_tool::{Ran, cfgrev, cfgrev_in, command};
use cfg_testkit::needs;
use std::path::Path;
use tempfile::TempDir;

/// The output of a command for one point, as the line of many points.
fn line(ran: &Ran) -> String {
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{}", ran.out);
    ran.out.replace("\n ", "")
}

fn good(ran: Ran) -> String {
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{}", ran.out);
    ran.out
}

/// A matrix by columns, an integer that decides, an output whose extent is given, and values that are recorded.
const PROGRAM: &str = "
subroutine f(in integer n, in real a[2,3] column, in real32 s, inout real y[n])
  independent a, s, y
  dependent y
  local integer i, j
  for i = 1, n
    for j = 1, 3
      if a[1, j] > 0.0
        y[i] := sin(y[i]*a[1, j]) + a[2, j]*real(s)
      else
        y[i] := y[i]*y[i] + a[2, j]*i
      end
    end
  end
end
";

/// A file of NumPy's format, with elements of eight bytes.
fn npy(folder: &Path, name: &str, (ty, fortran, shape): (&str, bool, &str), elements: &[[u8; 8]]) {
    let fortran = if fortran { "True" } else { "False" };
    let header = format!("{{'descr': '{ty}', 'fortran_order': {fortran}, 'shape': {shape}, }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.bytes());
    bytes.extend(elements.iter().flatten());
    std::fs::write(folder.join(name), bytes).expect("it can be written");
}

fn program() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("f.cfgrev"), PROGRAM).expect("it can be written");
    folder
}

const COUNT: usize = 40;

/// Element (i, j) of a at a point, from 0.
fn a(k: usize, i: usize, j: usize) -> f64 {
    ((k * 5 + i * 3 + j * 7) % 13) as f64 / 7.0 - 0.6
}

fn y(k: usize, i: usize) -> f64 {
    1.0 / (k + i + 1) as f64
}

fn point(k: usize) -> String {
    let row = |i| format!("[{:?},{:?},{:?}]", a(k, i, 0), a(k, i, 1), a(k, i, 2));
    let ys = format!("[{:?},{:?}]", y(k, 0), y(k, 1));
    format!(
        "{{\"n\": 2, \"a\": [{},{}],\n \"s\": 0.5, \"y\": {ys}}}",
        row(0),
        row(1)
    )
}

/// With a list, and with arrays in either order, each line has the bits of a command of its own, by any number of
/// threads and by either engine.
#[test]
fn lines_are_those_of_single_commands() {
    let folder = program();
    let (folder, texts) = (folder.path(), (0..COUNT).map(point));
    let texts: Vec<String> = texts.collect();
    std::fs::write(
        folder.join("points.json"),
        format!("[{}]", texts.join(",\n")),
    )
    .expect("a file");
    let elements = |count: usize, f: &dyn Fn(usize) -> f64| {
        let all = (0..count).map(|at| f(at).to_le_bytes());
        all.collect::<Vec<_>>()
    };
    let by_rows = elements(COUNT * 6, &|at| a(at / 6, at / 3 % 2, at % 3));
    npy(folder, "rows.npy", ("<f8", false, "(40, 2, 3)"), &by_rows);
    let by_columns = elements(COUNT * 6, &|at| {
        a(at % COUNT, at / COUNT % 2, at / (2 * COUNT))
    });
    npy(
        folder,
        "columns.npy",
        ("<f8", true, "(40, 2, 3)"),
        &by_columns,
    );
    let ys = elements(COUNT * 2, &|at| y(at / 2, at % 2));
    npy(folder, "y.npy", ("<f8", false, "(40, 2)"), &ys);
    npy(
        folder,
        "n.npy",
        ("<i8", false, "(40,)"),
        &[2i64.to_le_bytes(); COUNT],
    );
    for (name, seed) in [("gradient", true), ("run", false)] {
        let base: &[&str] = match seed {
            true => &[
                name,
                "f.cfgrev",
                "--seed",
                r#"[{"y": [1, 0]}, {"y": [0.5, 2]}]"#,
            ],
            false => &[name, "f.cfgrev"],
        };
        let at = |point: &str, more: &[&str]| {
            cfgrev_in(folder, &[base, &["--at", point], more].concat(), b"")
        };
        let single = texts
            .iter()
            .map(|text| line(&at(text, &[])).replace(",\n{", ",{"));
        let single: String = single.collect();
        for point in [
            "points.json",
            "n=2,a=@rows.npy,s=.5,y=@y.npy",
            "s=.5,n=@n.npy,y=@y.npy,a=@columns.npy",
        ] {
            for more in [
                &["--threads", "1"][..],
                &["--threads", "3"],
                &["--engine", "jit"],
                &["--engine", "executor"],
            ] {
                assert_eq!(good(at(point, more)), single, "{name} {point} {more:?}");
            }
        }
        let list = format!("[{}]", texts.join(","));
        assert_eq!(good(at(&list, &[])), single);
        let listed = cfgrev_in(folder, &[base, &["--at", "-"]].concat(), list.as_bytes());
        assert_eq!(good(listed), single);
    }
}

/// Compiled C takes many points, too.
#[test]
fn compiled_programs_take_many_points() {
    if needs::tool("cc").is_none() {
        return;
    }
    let folder = program();
    let list = format!("[{},{}]", point(0), point(1));
    let at = |engine: &str, more: &[&str]| {
        let base = ["run", "f.cfgrev", "--at", &list, "--engine", engine];
        good(cfgrev_in(folder.path(), &[&base, more].concat(), b""))
    };
    let expected = at("executor", &[]);
    assert_eq!(at("cc", &["--cc-no-cache"]), expected);
    assert_eq!(at("cc", &["--cc-no-cache", "--threads", "2"]), expected);
}

/// A point may change extents, in a list and in arrays.
#[test]
fn points_have_extents_of_their_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "
subroutine f(in integer n, in real x, out real y[n])
  local integer i
  for i = 1, n
    y[i] := x*i
  end
end
";
    std::fs::write(folder.path().join("f.cfgrev"), text).expect("it can be written");
    npy(
        folder.path(),
        "n.npy",
        ("<i8", false, "(3,)"),
        &[1i64, 0, 3].map(i64::to_le_bytes),
    );
    npy(
        folder.path(),
        "x.npy",
        ("<f8", false, "(3,)"),
        &[2.0f64, 3.0, 4.0].map(f64::to_le_bytes),
    );
    let run = |point| {
        good(cfgrev_in(
            folder.path(),
            &["run", "f.cfgrev", "--at", point],
            b"",
        ))
    };
    let expected = [r#"[2.0]"#, "[]", "[4.0,8.0,12.0]"];
    let expected = expected.map(|y| format!("{{\"routine\":\"f\",\"value\":{{\"y\":{y}}}}}\n"));
    assert_eq!(run("n=@n.npy,x=@x.npy"), expected.concat());
    assert_eq!(
        run(r#"[{"n":1,"x":2},{"n":0,"x":3},{"n":3,"x":4}]"#),
        expected.concat()
    );
}

/// The first problem is that of the first point that has one, with its place; lines before it are printed.
#[test]
fn the_first_error_names_its_point() {
    let list = "[{\"n\": 2, \"x\": [1, 2]},\n {\"n\": 2, \"x\": [1, true]},\n {\"n\": 1}]";
    let base = ["gradient", "first/rosenbrock.c", "--at", list];
    for threads in ["1", "2"] {
        let ran = cfgrev(&[&base[..], &["--threads", threads, "--diagnostics", "json"]].concat());
        assert_eq!(
            (ran.code, ran.out.lines().count()),
            (Some(1), 1),
            "{}",
            ran.err
        );
        let found: serde_json::Value = serde_json::from_str(&ran.err).expect("one problem");
        let message = found["message"].as_str().expect("a text");
        assert!(
            message.starts_with("point 1, counted from 0: x is real"),
            "{message}"
        );
        assert_eq!(found["at"]["pointer"], "/1/x/1");
        assert_eq!(
            (found["at"]["line"].as_u64(), found["code"].as_str()),
            (Some(2), Some("P415"))
        );
    }
    let ran = cfgrev(&[&base[..], &["--keep-going"]].concat());
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!((ran.code, lines.len()), (Some(1), 3));
    assert_eq!(lines[1..], ["null", "null"]);
    assert!(
        ran.err.contains("point 2, counted from 0") && ran.err.contains("2 of 3 points failed")
    );
    // A problem of the run.
    let text = "subroutine f(in integer n, out real y)\n  y := 1.0*(7/n)\nend\n";
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("f.cfgrev"), text).expect("it can be written");
    npy(
        folder.path(),
        "n.npy",
        ("<i8", false, "(4,)"),
        &[1i64, 2, 0, 0].map(i64::to_le_bytes),
    );
    let ran = cfgrev_in(folder.path(), &["run", "f.cfgrev", "--at", "n=@n.npy"], b"");
    assert_eq!((ran.code, ran.out.lines().count()), (Some(1), 2));
    assert!(
        ran.err.contains("point 2, counted from 0") && ran.err.contains("f.cfgrev:2"),
        "{}",
        ran.err
    );
}

/// Limits hold for the run at each point.
#[test]
fn limits_hold_at_each_point() {
    let list = r#"[{"n": 2, "x": [1, 2]}, {"n": 200, "x": {"size": 200}}, {"n": 2, "x": [1, 2]}]"#;
    let long = format!("[{}]", vec!["1"; 200].join(","));
    let list = list.replace(r#"{"size": 200}"#, &long);
    let base = [
        "gradient",
        "first/rosenbrock.c",
        "--at",
        &list,
        "--fuel",
        "1500",
    ];
    let ran = cfgrev(&[&base[..], &["--keep-going", "--threads", "1"]].concat());
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!(
        (lines.len(), lines[0] == lines[2], lines[1]),
        (3, true, "null"),
        "{}",
        ran.err
    );
    assert!(ran.err.contains("X208"), "{}", ran.err);
}

/// Where the value is finite and the derivative is not, one warning names the first point.
#[test]
fn derivatives_that_are_not_finite_are_told_once() {
    let text = "subroutine f(in real x, out real y)\n  independent x\n  dependent y\n  y := sqrt(x)\nend\n";
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("f.cfgrev"), text).expect("it can be written");
    let list = r#"[{"x": 1}, {"x": 0}, {"x": 0}]"#;
    let ran = cfgrev_in(folder.path(), &["gradient", "f.cfgrev", "--at", list], b"");
    assert_eq!((ran.code, ran.out.lines().count()), (Some(0), 3));
    assert_eq!(ran.err.matches("P436").count(), 1, "{}", ran.err);
    assert!(ran.err.contains("point 1, counted from 0"), "{}", ran.err);
}

/// Texts that are no list of points are refused, with a code and a remedy.
#[test]
fn wrong_points() {
    let folder = tempfile::tempdir().expect("a folder");
    npy(
        folder.path(),
        "two.npy",
        ("<f8", false, "(2,)"),
        &[1.0f64.to_le_bytes(); 2],
    );
    npy(
        folder.path(),
        "three.npy",
        ("<f8", false, "(3,)"),
        &[1.0f64.to_le_bytes(); 3],
    );
    npy(
        folder.path(),
        "big.npy",
        (">f8", false, "(2,)"),
        &[1.0f64.to_le_bytes(); 2],
    );
    npy(
        folder.path(),
        "short.npy",
        ("<f8", false, "(3,)"),
        &[1.0f64.to_le_bytes(); 2],
    );
    std::fs::write(
        folder.path().join("f.cfgrev"),
        "subroutine f(in real x, in real z, out real y)\n  independent x\n  dependent y\n  y := x*z\nend\n",
    )
    .expect("it can be written");
    for (command, point, code, words) in [
        ("gradient", "[]", "P397", "the list of points is empty"),
        ("gradient", "[{\"x\": 1, \"z\": 1},", "J001", "POINT"),
        ("gradient", "[{\"x\": 1, \"z\": 1}, 7]", "J0", "point 1"),
        (
            "run",
            "x=@two.npy,z=@three.npy",
            "P398",
            "x has 2 points, and z has 3",
        ),
        ("run", "x=@two.npy", "P414", "no value for z"),
        ("run", "x=@two.npy,z=@absent.npy", "P401", "absent.npy"),
        ("run", "x=@two.npy,z=@big.npy", "P398", "'>f8'"),
        ("run", "x=@two.npy,z=@short.npy", "P398", "takes 24 bytes"),
        ("run", "x=@two.npy,z=@f.cfgrev", "P398", "f.cfgrev"),
        ("run", "x=@.,z=1", "P401", "folder"),
        ("run", "x=@two.npy,q=@two.npy,z=1", "P412", "no parameter q"),
        ("jacobian", "x=@two.npy,z=1", "P408", "`gradient` and `run`"),
        ("check", "[{\"x\": 1, \"z\": 1}]", "P397", "takes one point"),
        ("jacobian", "[{\"x\": 1}]", "P397", "POINT is a list"),
    ] {
        let ran = cfgrev_in(folder.path(), &[command, "f.cfgrev", "--at", point], b"");
        assert_eq!(ran.code, Some(1), "{point} {}", ran.err);
        assert!(
            ran.err.contains(code) && ran.err.contains(words),
            "{point} {}",
            ran.err
        );
    }
    let arguments = ["run", "f.cfgrev", "--at", "x=@two.npy,z=1", "--max-memory"];
    let at = |limit| cfgrev_in(folder.path(), &[&arguments[..], &[limit]].concat(), b"");
    let ran = at("23");
    let words = "takes 24 bytes of memory, and 23 are left";
    assert!(
        ran.err.contains("P398") && ran.err.contains(words),
        "{}",
        ran.err
    );
    assert_eq!(good(at("10K")).lines().count(), 2);
    for more in [&["--threads", "0"][..], &["--restart", "r"]] {
        let base = ["gradient", "f.cfgrev", "--at", r#"[{"x": 1, "z": 1}]"#];
        let ran = cfgrev_in(folder.path(), &[&base[..], more].concat(), b"");
        assert_eq!(ran.code, Some(2), "{}", ran.err);
    }
}

/// All points give the pointers that the first gives by `same_as`.
#[test]
fn pointers_lead_where_the_first_point_says() {
    let text = "double f(int n, const double *p, const double *q)
{ double s = 0.0; for (int i = 0; i < n; i++) s += p[i] * q[i]; return s; }\n";
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("f.c"), text).expect("it can be written");
    let point = |offset| {
        format!(r#"{{"n": 2, "p": [1, 2, 3], "q": {{"same_as": "p", "offset": {offset}}}}}"#)
    };
    let at = |list: &str| cfgrev_in(folder.path(), &["gradient", "f.c", "--at", list], b"");
    let found = good(at(&format!("[{},{}]", point(1), point(1))));
    assert_eq!(found.lines().count(), 2);
    assert_eq!(found.lines().next(), Some(line(&at(&point(1))).trim_end()));
    // Another offset, none in its place, one that only a later point gives, and a name that is no parameter.
    let plain = r#"{"n": 2, "p": [1, 2], "q": [3, 4]}"#;
    let other = point(1).replace("\"q\"", "\"r\"");
    for (first, second) in [
        (point(1), point(0)),
        (point(1), plain.to_owned()),
        (plain.to_owned(), point(1)),
        (point(1), other),
    ] {
        let ran = at(&format!("[{first},{second}]"));
        assert_eq!((ran.code, ran.out.lines().count()), (Some(1), 1));
        let words =
            "P397]: point 1, counted from 0: all points give the same pointers by `same_as`";
        assert!(ran.err.contains(words), "{}", ran.err);
    }
}

/// Commands for the points 0 to 2 alone, and one for all, by threads: lines and errors are the same.
fn each_is_alone(folder: &Path, at: &[&str], all: &[&str], base: &[&str]) {
    let run = |point: &str, more: &[&str]| {
        cfgrev_in(folder, &[base, &["--at", point], more].concat(), b"")
    };
    let (mut lines, mut errors) = (String::new(), Vec::new());
    for (k, point) in at.iter().enumerate() {
        let ran = run(point, &[]);
        if ran.code == Some(0) {
            lines += &line(&ran);
        } else {
            let first = ran.err.lines().next().expect("there is a message");
            lines += "null\n";
            errors.push(first.replacen("]: ", &format!("]: point {k}, counted from 0: "), 1));
        }
    }
    assert!(
        lines.contains("{\"routine\"") && !errors.is_empty(),
        "{lines}"
    );
    for point in all {
        for threads in ["1", "3"] {
            let ran = run(point, &["--keep-going", "--threads", threads]);
            assert_eq!((ran.code, &ran.out), (Some(1), &lines), "{}", ran.err);
            for error in &errors {
                assert!(ran.err.contains(error), "{error}\n{}", ran.err);
            }
        }
    }
}

/// The result of a function has the extents of each point, wherever these come from, and a first point that fails is
/// like any other.
#[test]
fn results_have_extents_of_their_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    for (name, extent) in [("a", "n"), ("b", "n*2-1")] {
        let text = format!(
            "function f(in integer n, in real x[3]) result r
  local real r[{extent}]
  independent x
  dependent r
  r := x[2]
  r[1] := x[1]*x[1] + n*x[3]
end
"
        );
        std::fs::write(folder.join(format!("{name}.cfgrev")), text).expect("it can be written");
    }
    let xs: Vec<[u8; 8]> = (1..=9).map(|k| f64::from(k).to_le_bytes()).collect();
    npy(folder, "x.npy", ("<f8", false, "(3, 3)"), &xs);
    for sizes in [[1, 3, 1], [3, 1, 1], [2, 2, 3], [0, 3, 2]] {
        npy(
            folder,
            "n.npy",
            ("<i8", false, "(3,)"),
            &sizes.map(i64::to_le_bytes),
        );
        let at = |k: usize| {
            let x = [3 * k + 1, 3 * k + 2, 3 * k + 3].map(|x| format!("{x}.0"));
            format!(r#"{{"n":{},"x":[{}]}}"#, sizes[k], x.join(","))
        };
        let at = [at(0), at(1), at(2)];
        let list = format!("[{}]", at.join(","));
        let at = [&*at[0], &at[1], &at[2]];
        for (file, seed) in [
            ("a.cfgrev", "return=[0.5]"),
            ("a.cfgrev", "return=[0.5,2]"),
            ("b.cfgrev", "return=[0.5]"),
            ("b.cfgrev", "return=[1,2,3]"),
        ] {
            let fits = match (file, seed.matches(',').count()) {
                ("a.cfgrev", commas) => commas as i64 + 1,
                (_, 0) => 1,
                _ => 2,
            };
            // A list without errors or without lines says nothing.
            if sizes.contains(&fits) && sizes.iter().any(|n| *n != fits) {
                let all = [&*list, "n=@n.npy,x=@x.npy"];
                each_is_alone(folder, &at, &all, &["gradient", file, "--seed", seed]);
            }
        }
    }
    // The first point cannot be read.
    let at = [
        r#"{"n":1,"x":[1,2,true]}"#,
        r#"{"n":1,"x":[1,2,3]}"#,
        r#"{"n":1,"x":[4,5,6]}"#,
    ];
    let list = format!("[{}]", at.join(","));
    each_is_alone(folder, &at, &[&list], &["gradient", "a.cfgrev"]);
}

/// Where a derivative of a function with an array result is not finite, its point is named.
#[test]
fn results_of_other_extents_are_looked_through() {
    let text = "function f(in integer n, in real x) result r
  local real r[n]
  independent x
  dependent r
  r := sqrt(x)
end
";
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("f.cfgrev"), text).expect("it can be written");
    let list = r#"[{"n": 1, "x": 1}, {"n": 1, "x": 0}]"#;
    let ran = cfgrev_in(folder.path(), &["gradient", "f.cfgrev", "--at", list], b"");
    assert_eq!(
        (ran.code, ran.out.lines().count()),
        (Some(0), 2),
        "{}",
        ran.err
    );
    let words =
        "point 1, counted from 0: the derivative is infinite or NaN, and the value is not: sqrt";
    assert!(ran.err.contains(words), "{}", ran.err);
}

/// Every warning of a point names it.
#[test]
fn warnings_name_their_points() {
    let text = "subroutine f(in real x, out real y)\n  y := abs(x) + sqrt(abs(x))\nend\n";
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("f.cfgrev"), text).expect("it can be written");
    let list = r#"[{"x": 0}, {"x": 1}, {"x": 0}]"#;
    for command in [
        &["run"][..],
        &["gradient", "--independent", "x", "--dependent", "y"],
    ] {
        let more = ["f.cfgrev", "--report-kinks", "--at", list];
        let ran = cfgrev_in(folder.path(), &[command, &more].concat(), b"");
        assert_eq!(
            (ran.code, ran.out.lines().count()),
            (Some(0), 3),
            "{}",
            ran.err
        );
        let warnings = ran.err.matches("warning[P431]").count();
        assert!(warnings >= 4, "{}", ran.err);
        for k in [0, 2] {
            let name = format!("[P431]: point {k}, counted from 0: ");
            assert_eq!(2 * ran.err.matches(&name).count(), warnings, "{}", ran.err);
        }
    }
}

/// Files are read no further than is needed to refuse them.
#[cfg(unix)]
#[test]
fn endless_files_are_refused() {
    use std::io::Write as _;
    let folder = program();
    let at = ["run", "f.cfgrev", "--at", "n=2,a=@/dev/zero,s=1,y=[1,2]"];
    let ran = cfgrev_in(folder.path(), &at, b"");
    assert!(
        ran.err.contains("P398") && ran.err.contains("not in NumPy's format"),
        "{}",
        ran.err
    );
    // Elements without an end behind a header.
    npy(folder.path(), "head.npy", ("<f8", false, "(1, 2)"), &[]);
    let head = std::fs::read(folder.path().join("head.npy")).expect("it is there");
    let at = [
        "run",
        "f.cfgrev",
        "--at",
        "n=2,a=[[1,1,1],[1,1,1]],s=1,y=@/dev/stdin",
    ];
    let mut child = command(&at)
        .current_dir(folder.path())
        .stdin(std::process::Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut input = child.stdin.take().expect("it is piped");
    let endless = [&head[..], &[0; 100_000]].concat();
    // The end of the command closes the pipe.
    while input.write_all(&endless).is_ok() {}
    let ran = child.wait_with_output().expect("it ends");
    let err = String::from_utf8_lossy(&ran.stderr);
    assert!(
        err.contains("takes 16 bytes, and behind the header are more"),
        "{err}"
    );
}

/// Blanks stand around the marks of the short form, also in front of a file.
#[test]
fn blanks_in_front_of_a_file() {
    let folder = program();
    let ys = [1.0, 2.0, 3.0, 4.0].map(f64::to_le_bytes);
    npy(folder.path(), "y.npy", ("<f8", false, "(2, 2)"), &ys);
    let run = |y: &str| {
        let point = format!("n=2,a=[[1,1,1],[1,1,1]],s=1,{y}");
        good(cfgrev_in(
            folder.path(),
            &["run", "f.cfgrev", "--at", &point],
            b"",
        ))
    };
    let expected = run("y=@y.npy");
    assert_eq!(expected.lines().count(), 2);
    for y in ["y= @y.npy", " y =\t@y.npy ", "y= @\"y.npy\""] {
        assert_eq!(run(y), expected, "{y}");
    }
}

/// Who reads the first lines only ends the command quietly.
#[cfg(unix)]
#[test]
fn a_closed_pipe_ends_the_command() {
    use std::io::{BufRead as _, BufReader};
    let list = vec![r#"{"n": 2, "x": [1, 2]}"#; 20_000].join(",");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("points.json");
    std::fs::write(&file, format!("[{list}]")).expect("it can be written");
    let file = file.to_str().expect("a plain name");
    let mut child = command(&["gradient", "first/rosenbrock.c", "--at", file])
        .spawn()
        .expect("the binary starts");
    let mut line = String::new();
    let out = child.stdout.take().expect("it is piped");
    BufReader::new(out)
        .read_line(&mut line)
        .expect("there is a line");
    assert!(line.starts_with("{\"routine\""), "{line}");
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
}
