//! The codes of the reader of the text form.

cfg_core::diagnostic_codes! {
    /// Every code of this area, in order.
    pub CODES of pub(super) codes;
    SYNTAX "S001" "not the text form"
        "A line is a declaration, a statement, or a vertex with what follows it."
        "The text cannot be understood at this place. What is meant by a line ends with it, unless it ends in an \
         operator, a comma or an opening bracket; reading goes on with the next line. `cfgrev explain text` \
         describes the form.";
    UNKNOWN "S002" "unknown name"
        "A variable, routine or global that is named is declared."
        "Variables are declared in the routine, as parameters, with `local`, or with `uses` for globals; routines \
         and globals anywhere in the program.";
    TWICE "S003" "declared twice"
        "Names of routines, of globals, of the variables of a routine and of its labels are different."
        "Rename one of the two.";
    NUMBER "S004" "number out of range"
        "Integers are 64-bit, reals are IEEE binary64 or, with `f` at the end, binary32."
        "An integer must lie in -9223372036854775808 ..= 9223372036854775807; a real must not overflow. Infinity is \
         written `inf`.";
    DEPTH "S005" "expression too deep"
        "Expressions nest at most 100 deep."
        "Assign a part of it to a variable. Sums and products of any number of terms are one level.";
    JUMP "S006" "jump to nowhere"
        "`break` and `continue` stand in a loop, and `goto` names a label of the routine."
        "Put the statement into a loop, or declare the label with `label NAME` where the jump goes on.";
    OPEN "S007" "not closed, or closed twice"
        "What begins with `if`, `select`, `while`, `for`, `do` or a routine's head ends with `end`."
        "Every construct has its own `end`; `end if`, `end for` and so on say which, and are checked.";
    IDENTITY "S008" "identity given twice"
        "Vertices of a routine have different ids, and so have edges."
        "Vertices without a mark are numbered one after the other, each with the id after that of the vertex before \
         it. Where a mark has a number that comes again, give another one.";
    UTF8 "S009" "not UTF-8"
        "A program file is encoded in UTF-8."
        "The file has bytes that are not UTF-8 text, at the place given. Convert the file (`iconv -t UTF-8`), or \
         check that it is a program at all and not a binary file.";
    UNREACHABLE "S010" "never executed"
        "Statements after a jump are executed only if a label stands before them."
        "What follows `break`, `continue`, `return` or `goto` and has no label is left out.";
    INTO_LOOP "S011" "jump into a counted loop"
        "A counted loop is entered at its `for`."
        "The `for` sets the index and the number of passes. Where the body is entered elsewhere these are what the last \
         `for` left, and if there was none the run ends with an error. Write the loop with `while`, or put the label \
         before it.";
}
