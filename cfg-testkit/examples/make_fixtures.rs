//! Writes the folder `fixtures`: `cargo run -p cfg-testkit --example make_fixtures`.
//!
//! Programs and points; expected values come from `fixtures/expected.py`.

use cfg_testkit::kernels;
use std::path::Path;
use std::{fs, io};

fn main() -> io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures");
    fs::create_dir_all(&folder)?;
    for kernel in kernels::all() {
        let file = fs::File::create(folder.join(format!("{}.json", kernel.name)))?;
        cfg_format::json::write(&kernel.program, io::BufWriter::new(file))?;
        let case = kernel.case(kernel.size);
        fs::write(
            folder.join(format!("{}.point.json", kernel.name)),
            case.point_text(),
        )?;
    }
    Ok(())
}
