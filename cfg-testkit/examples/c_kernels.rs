//! Compiles the kernels in `fixtures/c` with the C compiler (`CC`, default `cc`, with -O2), compares their
//! values with the expected ones and measures them at the size of the benchmarks:
//! `cargo run --release -p cfg-testkit --example c_kernels`.
#![allow(clippy::print_stdout, reason = "an example that prints")]

use cfg_testkit::{fixtures, kernels};
use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Stdio};

/// Seconds of a run and the values that came out.
fn run(program: &Path, repetitions: u32, input: &str) -> io::Result<Vec<f64>> {
    let mut child = Command::new(program)
        .arg(repetitions.to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    if let Some(stdin) = &mut child.stdin {
        stdin.write_all(input.as_bytes())?;
    }
    let output = child.wait_with_output()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(text.lines().filter_map(|l| l.parse().ok()).collect())
}

fn main() -> io::Result<()> {
    let source = fixtures::folder().join("c");
    let build = std::env::temp_dir().join(format!("cfgrev-c-kernels-{}", std::process::id()));
    std::fs::create_dir_all(&build)?;
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    let mut wrong = 0;
    for kernel in kernels::all() {
        let file = source.join(format!("{}.c", kernel.name));
        if !file.exists() {
            continue;
        }
        let program = build.join(kernel.name);
        let status = Command::new(&compiler)
            .args(["-O2", "-o"])
            .arg(&program)
            .args([source.join("driver.c"), file])
            .arg("-lm")
            .status()?;
        if !status.success() {
            println!("{:16} does not compile", kernel.name);
            wrong += 1;
            continue;
        }
        let found = run(&program, 1, &kernel.case(kernel.size).driver_text())?;
        let expected = fixtures::expected(kernel.name);
        let values: Vec<f64> = expected
            .value
            .values()
            .flat_map(fixtures::numbers)
            .collect();
        let error = fixtures::largest_error(&values, found.get(1..).unwrap_or(&[]));
        if error > 1e-12 {
            println!(
                "{:16} differs by {error:e}: {found:?} and {values:?}",
                kernel.name
            );
            wrong += 1;
        }
        if let Some(size) = kernel.bench {
            let found = run(&program, 5, &kernel.case(size).driver_text())?;
            let seconds = found.first().copied().unwrap_or(f64::NAN);
            println!("{:16} size {size:7}: {:9.3} ms", kernel.name, 1e3 * seconds);
        }
    }
    std::fs::remove_dir_all(&build)?;
    println!("{wrong} wrong");
    Ok(())
}
