//! Writes the fixtures that are benchmarks, with points of the sizes for these:
//! `cargo run -p cfg-testkit --example bench_fixtures -- FOLDER`, which `bench/fixtures/run` calls.
#![allow(clippy::print_stdout, reason = "an example that prints")]

use cfg_testkit::kernels;
use std::path::PathBuf;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let Some(folder) = env::args_os().nth(1).map(PathBuf::from) else {
        return Err(io::Error::other("usage: bench_fixtures FOLDER"));
    };
    fs::create_dir_all(&folder)?;
    for kernel in kernels::all() {
        let Some(size) = kernel.bench else { continue };
        let file = fs::File::create(folder.join(format!("{}.json", kernel.name)))?;
        cfg_format::json::write(&kernel.program, io::BufWriter::new(file))?;
        let point = folder.join(format!("{}.point.json", kernel.name));
        fs::write(point, kernel.case(size).point_text())?;
        println!("{}", kernel.name);
    }
    Ok(())
}
