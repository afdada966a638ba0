//! Diagnostics of the command line itself.

cfg_core::diagnostic_codes! {
    /// Every code of the command line.
    pub(crate) CODES of pub(crate) codes;
    POINTS "P397" "many points"
        "Many points are a JSON array of at least one POINT. The program is made for the first one: all give the same pointers by `same_as`."
        "`gradient` and `run` work on all of them, and print a line of JSON for each, in order; other commands take one point.";
    NPY "P398" "array file that is not read"
        "NAME=@FILE.npy names a file in NumPy's format .npy with an array of numbers; the first dimension counts points."
        "Elements are float64, float32, int64 or int32, little-endian ('<f8', '<f4', '<i8', '<i4'), in C or Fortran order; versions \
         1 to 3 of the format are read. Other arrays are converted in Python: np.save(\"x.npy\", np.asarray(x, dtype=\"<f8\")). \
         An array of shape (1000, 3) has 1000 points of a parameter with 3 elements; (1000,) those of a scalar. All arrays of a \
         command have the same number of points, at least one.";
    NO_PROGRAM "P399" "not a program"
        "FILE is a program; only `preaccumulate` takes bare graphs, too."
        "A JSON text with `inputs`, `outputs` and `edges` at the top is a linearized computational graph: `cfgrev preaccumulate FILE` finds its elimination, and with --emit dot draws it. A program has `format` or `routines` there.";
    READ_OTHERWISE "P400" "the file as compiled computes something else"
        "What a C file computes as it was read is what it computes as it is compiled, bit for bit."
        "Derivatives are right for the program as it was read, which is another one. This is a defect of cfgrev, please report it with \
         the file, unless C leaves the value open: what was never assigned is used, an integer overflows, an array is left. \
         `--against none` leaves the comparison away.";
    UNREADABLE "P401" "input cannot be read"
        "FILE, POINT and SEED name files that can be read."
        "The operating system's message says why. POINT and SEED may also be the JSON text itself, if it begins with {, or its short form n=2,a=[2,9].";
    EXISTS "P402" "output file exists"
        "Existing files are replaced only with --force."
        "Output goes to a temporary file that is renamed when it is complete, so a failed run never leaves half a file. Choose another folder, or allow the replacement with --force.";
    UNWRITABLE "P403" "output cannot be written"
        "The output folder can be created and written to, and the disk has room."
        "The operating system's message says why. No incomplete file has been left behind.";
    MORE "P404" "problems are not shown"
        "At most 100 problems are printed, unless --all is given."
        "Many problems usually have one cause; mending the first often removes the others. All are printed with --all.";
    ROUTINE "P405" "which routine?"
        "A command works on one routine: the one that --routine names, the one that the file marks as main, or the only one."
        "If a file has several routines, mark one (\"main\": \"NAME\" at the top of the program, in the text form `main` before it) or choose one with --routine NAME.";
    TOO_MANY_PICTURES "P406" "too many pictures"
        "The pictures of an elimination have at most 20 million edges together, those in one picture 200 000."
        "A picture is drawn after every step, so their total size grows with the square of the graph. For a large graph, only the graph and the end of the elimination are drawn.";
    NO_BLOCK "P407" "no block to preaccumulate"
        "A basic block has a local Jacobian if it assigns active scalars or array elements that are read later."
        "Choose another vertex with --vertex, or look at what is active: the routine's independents and dependents decide. Assignments of whole arrays and calls are not linearized.";
    SHORT "P408" "values in short form"
        "In short form values are written NAME=VALUE,NAME=VALUE."
        "n=2,a=[2,9] stands for {\"n\": 2, \"a\": [2, 9]}. A value is a number, true, false, NaN, inf or -inf, or an array of these in brackets, nested for several dimensions. Numbers may be .5 and 5., also in JSON text on the command line. A file of that name is read instead if there is one. In a shell, quote what has brackets or blanks.";
    NO_THREAD "P409" "no thread"
        "The system gives a thread with a stack of 16 MiB."
        "Commands do their work on a thread with a stack of its own, so that the limit on the stack of the main thread (`ulimit -s`) does not matter. Allow more memory or more threads.";
    INTERNAL "P499" "defect in cfgrev"
        "No input makes cfgrev fail in a way that it does not explain."
        "This is a defect of cfgrev, not of your program. Please report it together with the input.";
}
