//! The command line: types only, documentation comments are the help texts.

mod bench;
mod emitted;
mod languages;
mod search;
mod shared;

use cfg_languages::{BackEnd, Subjects};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

pub(crate) use bench::Bench;
pub(crate) use emitted::{Emitted, EmittedDerivative, Runtime, SweepName, functions};
pub(crate) use search::{Elimination, Model, Search, SearchTime};
pub(crate) use shared::{
    At, Blocks, Compiling, Counters, Derivative, Engine, EngineName, Function, Heap, Limits, Many,
    Math, Order, Overlap, Overlapping, Picture, Prefer, Results, Reversal, Select, Source, Strong,
    Unstructured, Variables,
};

/// Reverses control-flow graphs: adjoint programs, gradients and pictures.
#[derive(Debug, Parser)]
#[command(
    name = "cfgrev",
    version = concat!(env!("CARGO_PKG_VERSION"), " (program format cfgrev/1)"),
    propagate_version = true,
    max_term_width = 100,
    after_help = "\
Examples:
  cfgrev reverse f.json -o out --emit json,dot
  cfgrev gradient f.json --at 'x=[1,2]'

FILE is a program: C (.c), text (.cfgrev), JSON or XAIF; `-` is standard input. Results go to standard output, everything else to \
standard error. Exit codes: 0 done, 1 the input is wrong or a check failed, 2 the command line is wrong, 3 a \
check found nothing to compare."
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Report every problem of a program
    ///
    /// The problems are the result, on standard output. Each FILE is a program, but for files in C, which are one together.
    #[command(
        after_help = "Examples:\n  cfgrev validate f.json --diagnostics json\n  cfgrev validate *.json --quiet"
    )]
    Validate(Validate),
    /// Write the augmented forward and the adjoint program
    ///
    /// Without -o, prints one program with the routines NAME, NAME_fwd, NAME_rev and NAME_grad, as JSON or in
    /// the form that --emit names; dot prints the pictures of the original, the forward and the adjoint graph. With
    /// -o DIR, writes DIR/NAME.original.EXT, DIR/NAME.forward.EXT and DIR/NAME.adjoint.EXT.
    #[command(after_help = "\
Examples:
  cfgrev reverse f.json -o out --emit json,dot,text
  cfgrev reverse f.json --emit text")]
    Reverse(Reverse),
    /// Print the tangent program, or a tangent at a point
    #[command(after_help = "\
Examples:
  cfgrev tangent f.json > f_t.json
  cfgrev tangent f.json --at '{\"x\": [1, 2]}' --direction '{\"x\": [1, 0]}'")]
    Tangent(Tangent),
    /// Run the program itself
    #[command(after_help = "\
Examples:
  cfgrev run f.json --at 'n=2,x=[1,2]'
  cfgrev run f.json --at '{\"n\": 2, \"x\": [1, 2]}'
  cfgrev run f.json --at 'n=2,x=@points.npy' > values.jsonl")]
    Run(Run),
    /// Compute a gradient by the forward and the reverse sweep
    #[command(after_help = "\
Examples:
  cfgrev gradient f.json --at point.json
  cfgrev gradient f.json --at points.json --threads 4 > gradients.jsonl
  cfgrev gradient f.json --at '{\"x\": [1, 2]}' --seed '{\"y\": [0, 0, 1]}'")]
    Gradient(Gradient),
    /// Test adjoint against tangent, and tangent against divided differences
    ///
    /// A file in C is compiled, too, and what the function leaves is compared with what was read of it, bit for bit.
    /// Ends with 1 if anything disagrees, and with 3 if no divided difference could be compared, or the function is not
    /// differentiable at the point: then `agrees` is null.
    #[command(after_help = "Example:\n  cfgrev check f.json --at '{\"x\": [1, 2]}'")]
    Check(Check),
    /// Time a program and its gradient, by the executor and as compiled C
    ///
    /// Primal and gradient are run in turn, sample by sample, in one process per engine; a time is that of one call, without
    /// starting processes and without bringing arguments in. The gradient is of the sum of all dependents. Without a C
    /// compiler (environment variable CC, or cc), the executor alone is timed.
    #[command(after_help = "\
Examples:
  cfgrev bench f.json --at 'x=[1,2]'
  cfgrev bench f.json --at point.json --cc-flags '-O3 -march=native' --format json")]
    Bench(Bench),
    /// Find a cheap elimination sequence for local Jacobians
    ///
    /// FILE is a bare linearized computational graph in JSON. Prints the cost of every heuristic, the best
    /// sequence found, a proven lower bound, and the code that accumulates the Jacobian. Ctrl-C ends the
    /// search; the best sequence so far is printed.
    #[command(after_help = "\
Examples:
  cfgrev preaccumulate graph.json
  cfgrev preaccumulate graph.json --time 1000 --model unit-free --format json
  cfgrev preaccumulate graph.json --exact --emit dot,json -o out
  cfgrev preaccumulate graph.json --emit dot --panels --legend | dot -Tsvg > steps.svg

A graph is {\"name\": \"g\", \"inputs\": [1, 2], \"outputs\": [4], \"edges\": [[1, 3, \"variable\"], \
[2, 3, \"unit\", -1], [3, 4, \"constant\"]]}: an edge is [source, target, kind], a unit edge may say its sign.")]
    Preaccumulate(Preaccumulate),
    /// Print the full Jacobian, dependents by independents
    #[command(after_help = "\
Examples:
  cfgrev jacobian f.json --at '{\"x\": [1, 2]}' --mode tangent
  cfgrev jacobian f.json --at point.json --compress")]
    Jacobian(Jacobian),
    /// Run every program of a folder against reference Jacobians
    ///
    /// The folder has programs (.xaif, .json) and expected.jsonl; without that, adjoint and tangent are
    /// compared with each other. The point is x(i) = i/2, y = 0.
    #[command(after_help = "Example:\n  cfgrev corpus programs/ --format json")]
    Corpus(Corpus),
    /// Translate a program
    #[command(
        after_help = "Examples:\n  cfgrev convert f.json --to text\n  cfgrev convert f.json --to dot | dot -Tsvg > f.svg"
    )]
    Convert(Convert),
    /// Draw a control-flow graph in the DOT language
    #[command(after_help = "Example:\n  cfgrev dot f.json --clusters | dot -Tsvg > f.svg")]
    Dot(Dot),
    /// Show which steps of a loop with a checkpoint run again
    ///
    /// A line for each step, the last one first: `*` a state that is there, `o` one that is kept, `-` steps that run
    /// without being recorded, `R` the step that is recorded and reversed.
    #[command(after_help = "\
Examples:
  cfgrev schedule 10 3
  cfgrev schedule 10 3 --emit dot | dot -Tsvg > schedule.svg")]
    Schedule {
        /// The number of steps, up to 1000.
        #[arg(value_parser = clap::value_parser!(u64).range(0..=1000))]
        steps: u64,
        /// The number of states that are kept at once, that in front of the first step included.
        states: std::num::NonZeroU32,
        /// The form of the picture.
        #[arg(long, value_enum, default_value_t, value_name = "FORM")]
        emit: Drawn,
    },
    /// Print the JSON Schema of the program format, or of what a command prints
    #[command(after_help = "\
Examples:
  cfgrev schema > cfgrev-1.schema.json
  cfgrev schema --of gradient")]
    Schema {
        /// What the schema is of.
        #[arg(long, value_enum, default_value_t, value_name = "WHAT")]
        of: Documents,
    },
    /// Explain a diagnostic, or a part of the program format
    ///
    /// The pages are operators, statements, vertices, points, format (all of it), elementals (domains, kinks and
    /// partials of the operators), xaif and limits.
    #[command(after_help = "Examples:\n  cfgrev explain P405\n  cfgrev explain operators")]
    Explain {
        /// The code in brackets after `error` or `warning`, or the name of a page; without it, all are listed.
        code: Option<String>,
    },
    /// Print shell completions
    #[command(
        after_help = "Example:\n  cfgrev completions bash > ~/.local/share/bash-completion/completions/cfgrev"
    )]
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Print manual pages
    ///
    /// Without -o, prints the main page; with -o DIR, writes one page per command.
    #[command(after_help = "Example:\n  cfgrev man | man -l -")]
    Man {
        /// Folder for the pages; created if it does not exist.
        #[arg(short = 'o', long = "output", value_name = "DIR")]
        output: Option<PathBuf>,
        /// Replace existing files.
        #[arg(long)]
        force: bool,
    },
}

/// What has a schema.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Documents {
    /// Programs.
    #[default]
    Program,
    /// What `run` prints.
    Run,
    /// What `gradient` prints.
    Gradient,
    /// What `tangent --at` prints.
    Tangent,
    /// What `jacobian` prints.
    Jacobian,
    /// What `bench --format json` prints.
    Bench,
    /// What `check` prints.
    Check,
    /// A line of `corpus --format json`.
    Corpus,
    /// A line of `--diagnostics json`.
    Diagnostics,
}

/// Options of all commands.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Output options")]
pub(crate) struct Common {
    /// Form of diagnostics.
    #[arg(long, global = true, value_enum, default_value_t, value_name = "FORM")]
    pub(crate) diagnostics: DiagnosticsForm,
    /// Only results and errors: no progress, no warnings, no remarks.
    #[arg(long, global = true)]
    pub(crate) quiet: bool,
    /// Print all problems, not only the first 100.
    #[arg(long, global = true)]
    pub(crate) all: bool,
    /// Colours in messages; `auto` obeys NO_COLOR and looks for a terminal.
    #[arg(
        long,
        global = true,
        value_enum,
        default_value = "auto",
        value_name = "WHEN"
    )]
    pub(crate) color: clap::ColorChoice,
}

/// Form of diagnostics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum DiagnosticsForm {
    /// For people.
    #[default]
    Text,
    /// One JSON object per line.
    Json,
}

/// `cfgrev validate`.
#[derive(Debug, Args)]
pub(crate) struct Validate {
    #[command(flatten)]
    pub(crate) source: Source,
}

/// `cfgrev reverse`.
#[derive(Debug, Args)]
pub(crate) struct Reverse {
    #[command(flatten)]
    pub(crate) what: Function,
    #[command(flatten)]
    pub(crate) reversal: Reversal,
    #[command(flatten)]
    pub(crate) search: Search,
    /// Reverse the control flow alone, without independents and dependents: the adjoint graph has counters, markers, and
    /// empty blocks for adjoint statements of your own.
    #[arg(long, conflicts_with_all = ["independent", "dependent", "blocks", "strong", "explain"])]
    pub(crate) control_only: bool,
    /// Values that the gradient leaves in parameters and globals of the routine.
    #[arg(long, value_enum, default_value_t, value_name = "WHICH")]
    pub(crate) results: Results,
    /// Folder for the graphs; created if it does not exist.
    #[arg(short = 'o', long = "output", value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// What to write; several forms need -o.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "json",
        value_name = "FORMS",
        value_parser = languages::back_ends(Subjects::Reversals)
    )]
    pub(crate) emit: Vec<&'static dyn BackEnd>,
    #[command(flatten)]
    pub(crate) picture: Picture,
    /// Draw the original, the forward and the adjoint graph in one picture.
    #[arg(long)]
    pub(crate) panels: bool,
    /// In pictures, give a vertex of the original, its copy in the forward and its adjoint the same tint.
    #[arg(long)]
    pub(crate) pairs: bool,
    /// Print, in place of the program, how the reverse sweep gets every value, loop and branch, and who reads it.
    #[arg(long, conflicts_with_all = ["output", "emit", "panels", "pairs"])]
    pub(crate) explain: bool,
    #[command(flatten)]
    pub(crate) c: EmittedDerivative,
    /// Write only these functions in C: grad, or fwd and rev; those in several directions go with them.
    #[arg(
        long,
        value_enum,
        value_name = "NAMES",
        value_delimiter = ',',
        help_heading = "Options of C"
    )]
    pub(crate) functions: Vec<SweepName>,
    /// Replace existing files.
    #[arg(long)]
    pub(crate) force: bool,
}

/// `cfgrev tangent`.
#[derive(Debug, Args)]
pub(crate) struct Tangent {
    #[command(flatten)]
    pub(crate) what: Function,
    /// Evaluate at this point: a JSON file, `-`, JSON text, or NAME=VALUE,NAME=VALUE.
    #[arg(long, value_name = "POINT", requires = "direction")]
    pub(crate) at: Option<String>,
    /// Direction: values of independents, zero where missing; written like POINT.
    #[arg(long, value_name = "JSON", requires = "at")]
    pub(crate) direction: Option<String>,
    /// The form in which the tangent program is printed.
    #[arg(
        long,
        default_value = "json",
        value_name = "FORM",
        conflicts_with = "at",
        value_parser = languages::back_ends(Subjects::Tangents)
    )]
    pub(crate) emit: &'static dyn BackEnd,
    /// Products of tangents and partials that are strong (`strong*`): 0 if the tangent is, whatever the partial is.
    #[arg(long, value_enum, default_value_t, value_name = "WHEN")]
    pub(crate) strong: Strong,
    #[command(flatten)]
    pub(crate) overlapping: Overlapping,
    #[command(flatten)]
    pub(crate) c: EmittedDerivative,
    /// Write NAME.tangent.EXT in this folder instead of printing.
    #[arg(
        short = 'o',
        long = "output",
        value_name = "DIR",
        conflicts_with = "at"
    )]
    pub(crate) output: Option<PathBuf>,
    /// Replace existing files.
    #[arg(long, requires = "output")]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) limits: Limits,
}

/// `cfgrev run`.
#[derive(Debug, Args)]
pub(crate) struct Run {
    #[command(flatten)]
    pub(crate) source: Source,
    #[command(flatten)]
    pub(crate) select: Select,
    #[command(flatten)]
    pub(crate) heap: Heap,
    #[command(flatten)]
    pub(crate) at: At,
    #[command(flatten)]
    pub(crate) many: Many,
    /// Add the sequence of vertices visited.
    #[arg(long)]
    pub(crate) trace: bool,
    #[command(flatten)]
    pub(crate) limits: Limits,
    #[command(flatten)]
    pub(crate) engine: Engine,
}

/// `cfgrev gradient`.
#[derive(Debug, Args)]
pub(crate) struct Gradient {
    #[command(flatten)]
    pub(crate) what: Derivative,
    /// Adjoints of the dependents, written like POINT; an array of objects gives an array of
    /// gradients [default: 1 for a single dependent of one element].
    #[arg(long, value_name = "SEED")]
    pub(crate) seed: Option<String>,
    #[command(flatten)]
    pub(crate) many: Many,
    /// Add the sequences of vertices visited, as ids of the original.
    #[arg(long)]
    pub(crate) trace: bool,
}

/// `cfgrev check`.
#[derive(Debug, Args)]
pub(crate) struct Check {
    #[command(flatten)]
    pub(crate) what: Derivative,
    /// Largest relative gap between adjoint and tangent.
    #[arg(long, value_name = "GAP", default_value_t = 1e-10, value_parser = tolerance)]
    pub(crate) tolerance: f64,
    /// Largest relative gap between tangent and differences.
    #[arg(long, value_name = "GAP", default_value_t = 1e-5, value_parser = tolerance)]
    pub(crate) fd_tolerance: f64,
    /// Compare the values of the program with those of the C file as it is compiled, bit for bit [default: cc, where FILE is
    /// C and there is a compiler].
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(crate) against: Option<Against>,
}

/// What the program is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Against {
    /// The C file as the system's C compiler makes it (environment variable CC, or cc).
    Cc,
    /// Nothing.
    None,
}

/// `cfgrev jacobian`.
#[derive(Debug, Args)]
pub(crate) struct Jacobian {
    #[command(flatten)]
    pub(crate) what: Derivative,
    /// Rows by adjoint or columns by tangent [default: whichever are fewer].
    #[arg(long, value_enum, value_name = "MODE")]
    pub(crate) mode: Option<Mode>,
    /// Find the sparsity pattern first; rows or columns that do not meet share a sweep.
    #[arg(long)]
    pub(crate) compress: bool,
}

/// How a Jacobian is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Mode {
    /// One reverse sweep per row.
    Adjoint,
    /// One tangent run per column.
    Tangent,
}

/// `cfgrev preaccumulate`.
#[derive(Debug, Args)]
pub(crate) struct Preaccumulate {
    #[command(flatten)]
    pub(crate) what: Function,
    /// Of a program, only the basic block with this id.
    #[arg(long, value_name = "ID", allow_negative_numbers = true)]
    pub(crate) vertex: Option<i64>,
    /// A table for people, or one JSON object.
    #[arg(long, value_enum, default_value_t, value_name = "FORM")]
    pub(crate) format: Form,
    #[command(flatten)]
    pub(crate) search: Search,
    #[command(flatten)]
    pub(crate) clock: SearchTime,
    /// Instead of --format: the sequence with its code (json), each elimination beside its code and what it
    /// records (steps), a picture of the graph, of the graph after each step, and of the bipartite end (dot), or
    /// pictures of the accumulation graphs, of each step and of all together (jaes). Several forms need -o.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "FORMS")]
    pub(crate) emit: Vec<EmitGraph>,
    /// With --emit dot, draw the graph and the graph after each step beside one another in one picture.
    #[arg(long)]
    pub(crate) panels: bool,
    /// With --emit dot, say beside the picture what its colours and lines mean.
    #[arg(long)]
    pub(crate) legend: bool,
    /// Folder for --emit; created if it does not exist.
    #[arg(short = 'o', long = "output", value_name = "DIR", requires = "emit")]
    pub(crate) output: Option<PathBuf>,
    /// Replace existing files.
    #[arg(long)]
    pub(crate) force: bool,
}

/// A form of output of an elimination.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum EmitGraph {
    /// The sequence and the code.
    Json,
    /// Each elimination beside its code.
    Steps,
    /// Pictures for Graphviz.
    Dot,
    /// Pictures of the accumulation graphs.
    Jaes,
}

/// `cfgrev corpus`.
#[derive(Debug, Args)]
pub(crate) struct Corpus {
    /// The folder.
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// A table, or one JSON object per program.
    #[arg(long, value_enum, default_value_t, value_name = "FORM")]
    pub(crate) format: Form,
    #[command(flatten)]
    pub(crate) limits: Limits,
}

/// Form of results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Form {
    /// For people.
    #[default]
    Text,
    /// JSON.
    Json,
}

/// `cfgrev convert`.
#[derive(Debug, Args)]
pub(crate) struct Convert {
    #[command(flatten)]
    pub(crate) source: Source,
    /// What to write.
    #[arg(long, value_name = "FORM", value_parser = languages::back_ends(Subjects::Programs))]
    pub(crate) to: &'static dyn BackEnd,
    #[command(flatten)]
    pub(crate) select: Select,
    /// Write control flow as jumps, or find loops and branches in jumps.
    #[arg(long, value_enum, value_name = "HOW")]
    pub(crate) jumps: Option<Jumps>,
    /// Write each scalar and each array in a record as a variable of its own.
    #[arg(long, value_enum, value_name = "HOW")]
    pub(crate) records: Option<Records>,
    /// Write what pointers lead to as cells of global arrays.
    #[arg(long, value_enum, value_name = "HOW")]
    pub(crate) pointers: Option<Pointers>,
    #[command(flatten)]
    pub(crate) heap: Heap,
    #[command(flatten)]
    pub(crate) c: Emitted,
    #[command(flatten)]
    pub(crate) picture: Picture,
}

/// What `convert` does with control flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Jumps {
    /// Every loop and branch as blocks and jumps, one block per vertex.
    Flat,
    /// Blocks and jumps, without blocks that hold no statement.
    Dense,
    /// Loops and branches where the jumps of general control flow nest.
    Recover,
}

/// What `convert` does with records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Records {
    /// The field `x` of `p` is the variable `p.x`.
    Split,
}

/// What `convert` does with pointers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Pointers {
    /// A pointer is the number of an object and a cell of its pool, global arrays.
    Lower,
}

/// `cfgrev dot`.
#[derive(Debug, Args)]
pub(crate) struct Dot {
    #[command(flatten)]
    pub(crate) source: Source,
    #[command(flatten)]
    pub(crate) select: Select,
    #[command(flatten)]
    pub(crate) picture: Picture,
}

/// A tolerance: not negative, not NaN.
fn tolerance(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value >= 0.0 => Ok(value),
        _ => Err("expected a number that is not negative".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    /// Numbers on the command line are from the least to the greatest that there may be.
    #[test]
    fn numbers_are_in_a_range() {
        let bench: &[&str] = &["cfgrev", "bench", "f.json", "--at", "x=1"];
        let graph: &[&str] = &["cfgrev", "preaccumulate", "f.json"];
        for (args, option, least, most) in [
            (bench, "--samples", 1_u64, 100_000),
            (bench, "--sample-time", 1, 60_000),
            (bench, "--heap", 1, 1 << 40),
            (graph, "--chains", 1, 64),
        ] {
            let is_taken = |n: u64| {
                let number = n.to_string();
                let all = [args, &[option, number.as_str()]].concat();
                Cli::try_parse_from(all).is_ok()
            };
            let taken = [least - 1, least, most, most + 1].map(is_taken);
            assert_eq!(taken, [false, true, true, false], "{option}");
        }
    }

    #[test]
    fn every_command_has_an_example() {
        for command in Cli::command().get_subcommands() {
            let help = command.get_after_help().map(ToString::to_string);
            let name = command.get_name();
            assert!(
                help.is_some_and(|h| h.contains(&format!("cfgrev {name}"))),
                "{name}"
            );
        }
    }
}

/// The form of a schedule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Drawn {
    /// Lines of text.
    #[default]
    Text,
    /// The DOT language of Graphviz.
    Dot,
}
