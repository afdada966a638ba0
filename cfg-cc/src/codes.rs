//! The codes of failures to compile and to run a program.

cfg_core::diagnostic_codes! {
    /// Every code of this crate, in order.
    pub CODES of pub codes;
    COMPILER "B901" "no C compiler"
        "Compiled code needs a C compiler on the machine."
        "Install gcc or clang, or name the command of another compiler in the environment variable CC.";
    REFUSED "B902" "the C compiler complains"
        "What is written as C is compiled without errors and without warnings."
        "The message has what the compiler said. If no flag of your own is the reason, this is a defect of cfgrev: please \
         report it with the program.";
    PROCESS "B903" "the compiled program ends"
        "What was compiled runs as a process until it has answered."
        "Run-time errors are not looked for in compiled code: a subscript outside of an array may end the process. Run the \
         program with the executor, which names the place.";
    ARGUMENT "B904" "an argument does not fit"
        "Arguments have the types and ranks of the parameters."
        "Give one value per parameter and global, of the declared type and rank.";
    TIME "B905" "the compiled program takes too long"
        "A call of compiled code ends within the time limit."
        "The process has been ended. A loop may have no end, or the program may need more time: compiled code counts no steps, \
         so the clock is all there is. The executor says where a program is when its steps run out.";
    STOPPED "B906" "stopped by a signal"
        "A signal ends compiler and compiled program."
        "Both have been ended, and their folder has been removed.";
    STATUS "B907" "the compiled program reports a failure"
        "Compiled code returns 0, or says that there was no memory or that a check has failed."
        "After a failure there are no results. Run the program with the executor, which names the place.";
    UNFIT "B908" "the original is not compared"
        "A function of C is compared with what was read of it where it can be compiled and called: all functions that it calls are in \
         the file or in the C library, POINT has a value for each parameter in the form of its type, and it returns."
        "The message says what stands in the way. Derivatives are those of what was read, whatever the original does.";
}
