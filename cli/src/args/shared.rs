//! Options that several commands have.

use super::languages::{LanguageOptions, front_ends};
use cfg_exec::RunOptions;
use cfg_languages::FrontEnd;
use clap::{Args, ValueEnum};
use std::{path::PathBuf, time::Duration};

/// The program.
#[derive(Clone, Debug, Args)]
pub(crate) struct Source {
    /// The program; `-` is standard input. Several files in C are one program.
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<String>,
    /// Language of FILE, if its extension does not say.
    #[arg(long, value_name = "LANG", value_parser = front_ends())]
    pub(crate) lang: Option<&'static dyn FrontEnd>,
    #[command(flatten)]
    pub(crate) options: LanguageOptions,
}

impl Source {
    /// The FILE that is standard input, if one is.
    pub(crate) fn standard_input(&self) -> Option<&str> {
        let mut files = self.files.iter().map(String::as_str);
        files.find(|file| *file == "-")
    }
}

/// Which routine, and what to differentiate.
#[derive(Clone, Debug, Args)]
pub(crate) struct Select {
    /// The routine; default is the only one, or the one that the file marks as main.
    #[arg(long, value_name = "NAME")]
    pub(crate) routine: Option<String>,
}

/// What to differentiate.
#[derive(Clone, Debug, Args)]
pub(crate) struct Variables {
    /// Variables to differentiate with respect to; default is what the file declares.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) independent: Option<Vec<String>>,
    /// Variables to differentiate; default is what the file declares.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) dependent: Option<Vec<String>>,
}

/// A function to differentiate: a routine of a program, its independents and its dependents.
#[derive(Clone, Debug, Args)]
pub(crate) struct Function {
    #[command(flatten)]
    pub(crate) source: Source,
    #[command(flatten)]
    pub(crate) select: Select,
    #[command(flatten)]
    pub(crate) variables: Variables,
    #[command(flatten)]
    pub(crate) heap: Heap,
}

/// The memory that pointers lead to.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Heap {
    /// Cells, and objects, of each pool in which a program with pointers keeps what they lead to.
    #[arg(long, value_name = "CELLS", default_value_t = cfg_transform::pools::CELLS as u64,
          value_parser = clap::value_parser!(u64).range(1..=1 << 40))]
    heap: u64,
}

impl Heap {
    /// The number of cells; more than fit are as many as fit.
    pub(crate) fn cells(self) -> usize {
        usize::try_from(self.heap).unwrap_or(usize::MAX)
    }
}

/// How the reversal is done.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Reversal options")]
pub(crate) struct Reversal {
    /// Count the iterations of loops whose range the reverse sweep could recompute, too.
    #[arg(long, value_enum, default_value_t, value_name = "WHEN")]
    pub(crate) counters: Counters,
    /// Record a marker at the end of each arm of branches whose selector the reverse sweep could evaluate again, too.
    #[arg(long, value_enum, default_value_t, value_name = "WHEN")]
    pub(crate) markers: Counters,
    /// Record integers, too, that the reverse sweep could step back (`at := at + 1`) or compute.
    #[arg(long, value_enum, default_value_t, value_name = "WHEN")]
    pub(crate) indices: Counters,
    /// Record all values that are overwritten, those that no adjoint reads, too.
    #[arg(long, value_enum, default_value_t, value_name = "WHEN")]
    pub(crate) values: Counters,
    /// The order in which NAME_grad reverses the iterations of a loop that share nothing but sums.
    #[arg(long, value_enum, default_value_t, value_name = "ORDER")]
    pub(crate) order: Order,
    /// The goal where less tape takes more time.
    #[arg(long, value_enum, default_value_t, value_name = "WHAT")]
    pub(crate) prefer: Prefer,
    /// Memory in bytes for the states of loops of time steps, which share it; in a program with checkpoints, of loops with
    /// `{checkpoint}` (in C, #pragma cfgrev checkpoint without a number); K, M, G and T are accepted [default: no limit].
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    pub(crate) tape_memory: Option<u64>,
    /// Loops with checkpoints keep their progress in a file, from which a run that was killed goes on: emitted C does if
    /// its tape names one.
    #[arg(long)]
    pub(crate) restarts: bool,
    /// How general control flow (jumps) is reversed; `trace` is for all, for comparison.
    #[arg(long, value_enum, default_value_t, value_name = "HOW")]
    pub(crate) unstructured: Unstructured,
    /// Merge inserted blocks into neighbouring blocks.
    #[arg(long)]
    pub(crate) merge: bool,
    /// How the adjoint of a basic block is built.
    #[arg(long, value_enum, default_value_t, value_name = "HOW")]
    pub(crate) blocks: Blocks,
    /// Which products of an adjoint and a partial are strong (`strong*`): 0 if the adjoint is, whatever the partial is.
    #[arg(long, value_enum, default_value_t, value_name = "WHEN")]
    pub(crate) strong: Strong,
    #[command(flatten)]
    pub(crate) overlapping: Overlapping,
}

/// The choice where less tape costs time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Prefer {
    /// Values of functions are recorded rather than evaluated again.
    #[default]
    Time,
    /// No run records more for that, integers are computed again, and more loops run a second time.
    Memory,
}

/// The order of iterations that share nothing but sums.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Order {
    /// Each iteration is reversed before the next one begins: nothing of it stays on the tape.
    #[default]
    Program,
    /// From the last iteration to the first, as in NAME_rev.
    Reverse,
}

/// The values that a gradient leaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Results {
    /// The results of the routine: what the reverse sweep changes is kept aside and restored.
    #[default]
    Keep,
    /// Whatever is left there, for callers that want derivatives alone.
    Drop,
}

impl Results {
    /// The option of the library.
    pub(crate) fn option(self) -> cfg_reverse::Results {
        match self {
            Self::Keep => cfg_reverse::Results::Keep,
            Self::Drop => cfg_reverse::Results::Drop,
        }
    }
}

/// Parameters of the routine that may overlap.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Overlapping {
    /// Treatment of parameters that may overlap (of one type, one of them written).
    #[arg(long, value_enum, default_value_t, value_name = "HOW")]
    pub(crate) overlap: Overlap,
}

/// The treatment of parameters that may overlap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Overlap {
    /// Overlap where POINT says so (`same_as`). C that is written tests it at the entry of each function; all other
    /// forms have the version that is right under overlap.
    #[default]
    Test,
    /// Parameters may overlap: derivatives are right in either case.
    Assume,
    /// Callers promise that no parameter overlaps with another one or with a variable of the program, and no
    /// derivative with another one.
    None,
}

impl Overlap {
    /// The option of the library for derivatives at a POINT, whose parameters are cells of their own.
    pub(crate) fn at_point(self) -> cfg_reverse::Overlap {
        match self {
            Self::Test | Self::None => cfg_reverse::Overlap::None,
            Self::Assume => cfg_reverse::Overlap::Assume,
        }
    }

    /// The option of the library for callers that are not known.
    pub(crate) fn of_program(self) -> cfg_reverse::Overlap {
        match self {
            Self::Test | Self::Assume => cfg_reverse::Overlap::Assume,
            Self::None => cfg_reverse::Overlap::None,
        }
    }
}

/// The products that are strong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Strong {
    /// With partials that can be infinite or NaN although the operands are finite: a zero derivative stays zero as long
    /// as all values are finite.
    #[default]
    Needed,
    /// With all partials that are not constant: a zero derivative stays zero whatever the values are.
    Always,
}

impl From<Strong> for cfg_reverse::Strong {
    fn from(strong: Strong) -> Self {
        match strong {
            Strong::Needed => Self::Needed,
            Strong::Always => Self::Always,
        }
    }
}

/// How the adjoint of a basic block is built.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Blocks {
    /// Statement by statement, from recorded values, beside loops and branches with few active values in and out, which
    /// carry their Jacobian where that costs less.
    #[default]
    Carry,
    /// Statement by statement, from recorded values.
    Statement,
    /// From its Jacobian, which the forward sweep accumulates and records.
    Preaccumulate,
    /// Whichever is estimated to cost less, for each stretch of statements; never more tape than `statement`.
    Auto,
}

/// How general control flow is reversed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Unstructured {
    /// By its loops and merges: trip counts, and at each merge which edge was taken.
    #[default]
    Structure,
    /// By the number of each block that is executed.
    Trace,
}

/// When iterations are counted, and markers recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Counters {
    /// Where the reverse sweep cannot find out otherwise.
    #[default]
    Auto,
    /// In every loop, of every branch, before every step.
    Always,
}

/// How programs are run.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Run options")]
pub(crate) struct Limits {
    /// Most steps that a run may take.
    #[arg(long, value_name = "STEPS", default_value_t = RunOptions::default().fuel, allow_negative_numbers = true)]
    pub(crate) fuel: u64,
    /// Most memory for the tape in bytes; K, M, G and T are accepted [default: a quarter of the machine's].
    #[arg(long, value_name = "BYTES", value_parser = bytes, allow_negative_numbers = true)]
    pub(crate) max_tape: Option<u64>,
    /// Most memory in bytes for all values together: those that are read, variables, tape, results; K, M, G and T
    /// are accepted [default: half of the machine's].
    #[arg(long, value_name = "BYTES", value_parser = bytes, allow_negative_numbers = true)]
    pub(crate) max_memory: Option<u64>,
    /// Deepest nesting of calls.
    #[arg(long, value_name = "CALLS", default_value_t = RunOptions::default().max_depth, allow_negative_numbers = true)]
    pub(crate) max_depth: usize,
    /// The folder for states that loops keep on disk [default: the system's for temporary files].
    #[arg(long, value_name = "FOLDER")]
    pub(crate) disk: Option<PathBuf>,
    /// Where elementary functions come from: the platform, or a library that gives identical bits
    /// everywhere.
    #[arg(long, value_enum, default_value_t, value_name = "WHERE")]
    pub(crate) math: Math,
    /// Tell which statements came across a kink or a singular point.
    #[arg(long)]
    pub(crate) report_kinks: bool,
}

/// Where elementary functions come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Math {
    /// The platform's library.
    #[default]
    Native,
    /// A library of our own choice.
    Portable,
}

/// The point to evaluate at.
#[derive(Clone, Debug, Args)]
pub(crate) struct At {
    /// Values of the parameters: a JSON file, `-` for standard input, JSON text that begins with {, or
    /// NAME=VALUE,NAME=VALUE, as in n=2,a=[2,9] (a file of that name comes first). `gradient` and `run` take many
    /// points: a JSON array of such objects, or NAME=@FILE.npy, an array whose first dimension counts points; then a
    /// line is printed for each.
    #[allow(
        rustdoc::broken_intra_doc_links,
        reason = "the comment is shown by --help"
    )]
    #[arg(long = "at", value_name = "POINT")]
    pub(crate) point: String,
}

/// How many points are worked on.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Run options")]
pub(crate) struct Many {
    /// Most threads for many points; the defaults of --max-tape and --max-memory are shared by them [default: all
    /// processors; 1 with --engine cc].
    #[arg(long, value_name = "THREADS", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// Of many points, go on after one that fails: `null` is printed for it, and the exit code is 1.
    #[arg(long)]
    pub(crate) keep_going: bool,
}

/// The engine that runs programs, with its options.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Engine options")]
pub(crate) struct Engine {
    /// The engine that runs programs. All but `cc` find the same values, errors and counts. `cc` compiles programs
    /// with the system's C compiler (environment variable CC, or cc): run-time errors are not looked for, of the limits
    /// only --cc-time holds, and there are no tape counts.
    #[arg(long, value_enum, default_value_t, value_name = "ENGINE")]
    pub(crate) engine: EngineName,
    /// Keep the progress of loops with checkpoints in files FILE.1.1, FILE.1.2, ... while they run: the same command
    /// goes on from there after it was killed. The files are removed at success. See --fuel, and --cc-time.
    #[arg(long, value_name = "FILE")]
    pub(crate) restart: Option<std::path::PathBuf>,
    /// Seconds between two copies of the progress; 0: a copy after each step.
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = 600,
        requires = "restart"
    )]
    pub(crate) restart_seconds: u64,
    #[command(flatten)]
    pub(crate) compiling: Compiling,
}

/// The engine that runs programs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum EngineName {
    /// The executor, and machine code for what takes longer than its compilation.
    #[default]
    Auto,
    /// The executor without machine code.
    Executor,
    /// The executor, with machine code from the first call of each routine on.
    #[cfg(feature = "jit")]
    Jit,
    /// Compiled C, as a process.
    Cc,
}

/// How programs are compiled.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Engine options")]
pub(crate) struct Compiling {
    /// Flags for the C compiler behind -std=c99, separated by blanks [default: with --engine cc -O1 -fno-builtin
    /// -ffp-contract=off, which give the executor's bits; in bench -O2]. CFLAGS is not looked at.
    #[arg(long, value_name = "FLAGS", allow_hyphen_values = true)]
    pub(crate) cc_flags: Option<String>,
    /// Most seconds that a call of compiled code may take; then its process is ended.
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    pub(crate) cc_time: Duration,
    /// Compile anew: neither look for what was compiled before, in cfgrev/cc of the cache folder (XDG_CACHE_HOME or
    /// ~/.cache), nor keep it there.
    #[arg(long)]
    pub(crate) cc_no_cache: bool,
}

/// A time that is longer than none.
fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: Option<f64> = text.parse().ok();
    let time = seconds.and_then(|s| Duration::try_from_secs_f64(s).ok());
    let time = time.filter(|time| !time.is_zero());
    time.ok_or_else(|| "expected a number of seconds above 0".to_owned())
}

/// What every command that evaluates derivatives at a point needs.
#[derive(Clone, Debug, Args)]
pub(crate) struct Derivative {
    #[command(flatten)]
    pub(crate) function: Function,
    #[command(flatten)]
    pub(crate) at: At,
    #[command(flatten)]
    pub(crate) reversal: Reversal,
    #[command(flatten)]
    pub(crate) limits: Limits,
    #[command(flatten)]
    pub(crate) engine: Engine,
}

/// How pictures are drawn.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Picture {
    /// Draw loops as boxes around their bodies.
    #[arg(long)]
    pub(crate) clusters: bool,
    /// Say beside the picture what its shapes, colours and lines mean.
    #[arg(long)]
    pub(crate) legend: bool,
    /// Label the edges of two-way branches and loops with T and F.
    #[arg(long)]
    pub(crate) true_false: bool,
    /// Longest line of a label in pictures, 60 by default; what is cut is in the tooltip.
    #[arg(long, value_name = "CHARS")]
    pub(crate) max_label: Option<usize>,
    /// Most lines of a label in pictures, 16 by default; what is cut is in the tooltip.
    #[arg(long, value_name = "LINES")]
    pub(crate) max_lines: Option<usize>,
}

impl Picture {
    /// The options of the library.
    pub(crate) fn options(self) -> cfg_back::dot::DotOptions {
        let default = cfg_back::dot::DotOptions::default();
        cfg_back::dot::DotOptions {
            clusters: self.clusters,
            legend: self.legend,
            true_false: self.true_false,
            max_label: self.max_label.unwrap_or(default.max_label),
            max_lines: self.max_lines.unwrap_or(default.max_lines),
            ..default
        }
    }

    /// True if one of the options was given.
    pub(crate) fn is_given(self) -> bool {
        self.clusters
            || self.legend
            || self.true_false
            || self.max_label.is_some()
            || self.max_lines.is_some()
    }
}

/// A number of bytes: `65536`, `64K`, `1.5` is refused.
fn bytes(text: &str) -> Result<u64, String> {
    let (digits, shift) = match text.char_indices().last() {
        Some((at, 'k' | 'K')) => (&text[..at], 10),
        Some((at, 'm' | 'M')) => (&text[..at], 20),
        Some((at, 'g' | 'G')) => (&text[..at], 30),
        Some((at, 't' | 'T')) => (&text[..at], 40),
        _ => (text, 0),
    };
    let value: u64 = digits
        .parse()
        .map_err(|_| "expected a whole number, optionally followed by K, M, G or T".to_owned())?;
    value
        .checked_mul(1 << shift)
        .ok_or_else(|| "more than 2^64 bytes".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
        for wrong in ["0", "-1", "NaN", "inf", "1e300", "1e-20", "x"] {
            assert!(seconds(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn sizes() {
        assert_eq!(bytes("65536"), Ok(65536));
        assert_eq!(bytes("64K"), Ok(65536));
        assert_eq!(bytes("2g"), Ok(2 << 30));
        assert_eq!(bytes("18446744073709551615"), Ok(u64::MAX));
        assert_eq!(bytes("16777215T"), Ok(16_777_215 << 40));
        for wrong in [
            "",
            "K",
            "-1",
            "1.5G",
            "é",
            "18446744073709551616",
            "16777216T",
        ] {
            assert!(bytes(wrong).is_err(), "{wrong}");
        }
    }
}
