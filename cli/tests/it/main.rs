//! The command line from outside: exit codes, what goes where, files.

mod against;
mod bad_input;
mod c_files;
mod c_options;
mod callers;
mod disk;
mod documents;
mod emitted;
mod engine;
mod externals;
mod help;
mod many;
mod numbers;
mod overlap;
mod preaccumulate;
mod programs;
mod records;
mod reverse;
mod run_tool;
mod schemas;
mod shared_adjoints;
mod stops;
mod streams;
mod validate;
