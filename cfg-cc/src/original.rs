//! A function of C as its file has it: compiled, called at a point in a process of its own, and its results compared
//! with those of the program that the front end has read.
//!
//! Files are compiled without optimisation and without what compilers know of the library's functions, so that values are those
//! of the executor, bit for bit.

mod driver;

use crate::{
    Compiler, codes,
    compile::Call,
    no_folder, problem,
    process::{Ended, finish, watching},
};
use cfg_c::{CGlobal, CType, Signature};
use cfg_core::{diagnostic::Diagnostics, ir::ScalarType};
use cfg_format::json::values::{NamedValues, ValueTree};
use driver::{Driver, Values, driver};
use std::{
    fmt, fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// The name by which `main` of a file can be called.
const MAIN: &str = "cfgrev_main";

/// Flags under which values are those of the executor. Functions that are not called may refer to undefined ones.
const FLAGS: [&str; 12] = [
    // The macros that the reader predefines: it has no vectors and no 128-bit integers.
    "-std=gnu17",
    "-trigraphs",
    "-U__SSE__",
    "-U__SSE2__",
    "-U__SIZEOF_INT128__",
    "-O0",
    "-fno-builtin",
    "-ffp-contract=off",
    "-fgnu89-inline",
    // Old programs define a variable without an initial value in several files.
    "-fcommon",
    "-ffunction-sections",
    "-w",
];

/// Flags for linkers that can leave out what nothing calls.
const LINK: &[&str] = match cfg!(target_os = "linux") {
    true => &["-fdata-sections", "-Wl,--gc-sections"],
    false => &[],
};

/// The program that calls the driver.
const SUPPORT: &str = include_str!("original/support.c");

/// The last cell of the output, by which a call that has ended is known from a process that has died.
const END: u64 = 0x0063_6667_7265_7621;

/// A function in its file.
#[derive(Clone, Copy, Debug)]
pub struct Original<'a> {
    /// The names and the texts of the files, that of the function first.
    pub files: &'a [(String, Vec<u8>)],
    /// The function.
    pub signature: &'a Signature,
    /// Flags that the files need, such as `-I` and `-D`.
    pub flags: &'a [String],
    /// The values with which the function is called.
    pub point: &'a NamedValues,
    /// The values after the run of the program that was read: parameters, globals, and the result as `return`.
    pub read: &'a NamedValues,
    /// An empty list in the point is a null pointer.
    pub empty_is_null: bool,
    /// The executor has computed `read`. It evaluates functions of 32-bit reals in 64 bits and rounds the result; the
    /// driver then defines `sinf` and its like in this way.
    pub by_executor: bool,
    /// Most bytes of memory that the process may take.
    pub max_memory: u64,
}

/// The result of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The numbers that were compared.
    pub compared: usize,
    /// The first one that differs.
    pub difference: Option<Difference>,
}

/// A number that differs.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The place, as `x[2]`.
    pub place: String,
    /// The value by the program that was read.
    pub read: Number,
    /// The value by the file as compiled.
    pub compiled: Number,
}

/// A number of either kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// A real.
    Real(f64),
    /// An integer or a logical.
    Integer(i64),
    /// An integer without sign.
    Unsigned(u64),
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Real(x) => write!(f, "{x:?}"),
            Self::Integer(i) => i.fmt(f),
            Self::Unsigned(u) => u.fmt(f),
        }
    }
}

/// A run of numbers in the driver's output: those of one variable or member.
#[derive(Debug)]
struct Leaves {
    /// The place of the first one, without subscripts.
    name: String,
    /// The extents of the array that they are; none of a scalar.
    extents: Vec<usize>,
    ty: ScalarType,
    /// The expected cells; `None` for a value that is not set, which is not compared.
    cells: Vec<Option<u64>>,
}

/// Numbers as cells of eight bytes.
mod cells {
    use super::{ScalarType, ValueTree};

    pub(super) fn is_real(ty: ScalarType) -> bool {
        matches!(ty, ScalarType::Real | ScalarType::Real32)
    }

    /// The cell of a number of a type; `None` if it is none.
    pub(super) fn cell(ty: ScalarType, tree: &ValueTree) -> Option<u64> {
        let real = |x: f64| match ty {
            ScalarType::Real32 => f64::from(x as f32).to_bits(),
            _ => x.to_bits(),
        };
        Some(match (tree, is_real(ty)) {
            (ValueTree::Real(x), true) => real(*x),
            // Rounded once: the way through 64 bits would round twice.
            (ValueTree::Int(i), true) if ty == ScalarType::Real32 => f64::from(*i as f32).to_bits(),
            (ValueTree::Int(i), true) => real(*i as f64),
            (ValueTree::Wide(u), true) if ty == ScalarType::Real32 => {
                f64::from(*u as f32).to_bits()
            }
            (ValueTree::Wide(u), true) => real(*u as f64),
            (ValueTree::Int(i), false) => i.cast_unsigned(),
            (ValueTree::Wide(u), false) => *u,
            (ValueTree::Logical(b), false) => u64::from(*b),
            _ => return None,
        })
    }
}

impl Original<'_> {
    /// Compiles the files, calls the function, and compares its results with `read`, cell by cell.
    ///
    /// # Errors
    /// A signal (B906). All other errors say why there is no comparison: no compiler, a file that it refuses, a
    /// parameter that cannot be given a value, a process that ends before the function returns.
    pub fn compare(&self, compiler: &Compiler) -> Result<Comparison, Diagnostics> {
        let values = Values {
            point: self.point,
            read: self.read,
            empty_is_null: self.empty_is_null,
        };
        let files: Vec<&str> = self.files.iter().map(|(name, _)| &**name).collect();
        let driver = driver(self.signature, &files, values).map_err(unfit)?;
        let folder = tempfile::Builder::new()
            .prefix("cfgrev-original-")
            .tempdir();
        let folder = folder.map_err(|e| no_folder(&e))?;
        let watching = watching(compiler)?;
        let program = folder.path().join("original");
        let call = Call {
            compiler,
            watching: &*watching,
            folder: folder.path(),
        };
        let sources = self
            .sources(&driver, folder.path())
            .map_err(|e| no_folder(&e))?;
        let mut arguments: Vec<&Path> = FLAGS.iter().chain(LINK).map(Path::new).collect();
        arguments.extend(self.flags.iter().map(Path::new));
        arguments.extend(sources.iter().map(PathBuf::as_path));
        arguments.extend([Path::new("-o"), &program, Path::new("-lm")]);
        let (status, said) = call.make(&arguments)?;
        if !status.success() {
            let said = String::from_utf8_lossy(&said);
            let command = compiler.command.display();
            return Err(unfit(format!(
                "`{command}` does not take the file: {}",
                complaint(&said)
            )));
        }
        let [input, output] = ["input", "output"].map(|name| folder.path().join(name));
        let cells = driver.input.iter().flat_map(|cell| cell.to_ne_bytes());
        fs::write(&input, cells.collect::<Vec<u8>>()).map_err(|e| no_folder(&e))?;
        let mut command = Command::new(&program);
        command
            .args([&input, &output])
            .arg(self.max_memory.to_string())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let ended = finish(&mut command, &*watching, compiler.limit);
        let ended = ended.map_err(|e| unfit(format!("it cannot be started: {e}")))??;
        let found = fs::read(&output).unwrap_or_default();
        let found: Vec<u64> = found
            .chunks_exact(8)
            .map(|cell| u64::from_ne_bytes(cell.try_into().unwrap_or_default()))
            .collect();
        let [digits, found @ .., END] = &found[..] else {
            return Err(unfit(match ended {
                Ended::Late => {
                    let limit = compiler.limit.unwrap_or_default().as_secs_f64();
                    format!("it has not ended after {limit} seconds")
                }
                Ended::With(status) => format!("it ends before the function returns: {status}"),
            }));
        };
        if *digits != 0 {
            return Err(unfit(format!(
                "the compiler computes in other precisions than those of the types (FLT_EVAL_METHOD {})",
                digits.cast_signed()
            )));
        }
        compare(&driver.leaves, found)
    }

    /// Writes the files, the driver behind that of the function, and the program that calls it.
    fn sources(&self, driver: &Driver, folder: &Path) -> std::io::Result<Vec<PathBuf>> {
        let mut written = Vec::new();
        for (k, (name, bytes)) in self.files.iter().enumerate() {
            let main = match k {
                0 => MAIN.to_owned(),
                k => format!("{MAIN}_{k}"),
            };
            let shown = name.replace('\\', "\\\\").replace('"', "\\\"");
            let head = format!("#define main {main}\n#line 1 \"{shown}\"\n");
            let mut text = head.into_bytes();
            text.extend_from_slice(bytes);
            let parts = driver.elsewhere.iter().filter(|(file, _)| file == name);
            let own = (k == 0).then_some(&driver.code).into_iter();
            for code in own.chain(parts.map(|(_, code)| code)) {
                // A macro of the file may have the name of a keyword or type that the driver uses.
                let rest = format!("\n#undef main\n#line 1 \"driver of cfgrev\"\n{code}");
                text.extend_from_slice(rest.as_bytes());
            }
            let path = folder.join(format!("cfgrev_{k}.c"));
            fs::write(&path, text)?;
            written.push(path);
        }
        let path = folder.join("cfgrev_support.c");
        let executor = match self.by_executor {
            true => "#define CFGREV_EXECUTOR\n",
            false => "",
        };
        fs::write(
            &path,
            format!("#define CFGREV_END {END}\n{executor}{SUPPORT}"),
        )?;
        written.push(path);
        Ok(written)
    }
}

/// The error for a comparison that cannot be made.
fn unfit(why: String) -> Diagnostics {
    let help = "call the function with values that can be given, from a file that compiles by itself; --against none leaves the comparison away";
    problem(&codes::UNFIT, why, help)
}

/// The line of a compiler's messages that gives the reason.
fn complaint(said: &str) -> &str {
    let tells = |line: &&str| line.contains("error:") || line.contains("undefined reference");
    let line = said.lines().find(tells).or_else(|| said.lines().next());
    line.unwrap_or("it says nothing").trim()
}

fn compare(leaves: &[Leaves], found: &[u64]) -> Result<Comparison, Diagnostics> {
    let mut found = found.iter().copied();
    let mut comparison = Comparison {
        compared: 0,
        difference: None,
    };
    for leaf in leaves {
        for (k, read) in leaf.cells.iter().enumerate() {
            let Some(compiled) = found.next() else {
                return Err(unfit("its results are not complete".to_owned()));
            };
            let Some(read) = *read else { continue };
            comparison.compared += 1;
            if !is_same(leaf.ty, read, compiled) && comparison.difference.is_none() {
                comparison.difference = Some(Difference {
                    place: leaf.element_name(k),
                    read: number(leaf.ty, read),
                    compiled: number(leaf.ty, compiled),
                });
            }
        }
    }
    if comparison.compared == 0 {
        return Err(unfit("it leaves no number".to_owned()));
    }
    Ok(comparison)
}

/// True for the same number, or for two NaNs: the bits of a NaN depend on the order of operands, which compilers
/// choose.
fn is_same(ty: ScalarType, a: u64, b: u64) -> bool {
    let is_nan = |cell| f64::from_bits(cell).is_nan();
    a == b || cells::is_real(ty) && is_nan(a) && is_nan(b)
}

fn number(ty: ScalarType, cell: u64) -> Number {
    match ty {
        _ if cells::is_real(ty) => Number::Real(f64::from_bits(cell)),
        ScalarType::Sized(cfg_core::ir::IntType::Uint64) => Number::Unsigned(cell),
        _ => Number::Integer(cell.cast_signed()),
    }
}

impl Leaves {
    /// The place of the k-th number.
    fn element_name(&self, k: usize) -> String {
        let mut left = k;
        let mut subscripts = Vec::new();
        for extent in self.extents.iter().rev() {
            let extent = (*extent).max(1);
            subscripts.push(format!("[{}]", left % extent));
            left /= extent;
        }
        subscripts.reverse();
        format!("{}{}", self.name, subscripts.concat())
    }
}
