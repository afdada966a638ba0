//! The codes of what cannot be written as C.

cfg_core::diagnostic_codes! {
    /// Every code of this module, in order.
    pub CODES of pub codes;
    MALFORMED "B801" "not part of a valid program"
        "What is emitted is a valid program."
        "The back end met something that validation refuses. This is a defect of cfgrev: please report it with the \
         program.";
    CALLBACK "B803" "an external routine that cannot be called"
        "An external routine without a value is a function of another file, called by its name."
        "The name is an identifier of C that the file has for nothing else. Such a routine cannot be run here, where that other \
         file is not there: give `external.value`, or a routine with a body, or compile the emitted C with that file.";
    EXTERN "B806" "a global that another file cannot define"
        "Globals of C that are not static, and with --extern-globals all, are variables of other files with their own names and types."
        "Declare it static, or const with its values: then the file has its own. It has a name that is an identifier of C, that the file has for nothing \
         else and that no header of C has, and is a number, a structure of numbers, or an array of numbers; long double is none. With checks \
         integers of other types than `integer`, and logicals, have a type of their own: leave --checks or --extern-globals out.";
    SOURCES "B807" "lines of sources of a program that has none"
        "With --line statements have places in sources: `at`, and `sources` names these."
        "Leave --line out, or take --origins, which names vertices and statements. A front end gives statements their places; in \
         the text form `source` and `@` do.";
    PAIRS "B810" "too many parts of one array in a call"
        "With --checks a call passes at most 10 000 pairs of arguments that may overlap, of which one is written."
        "Pass the array as a whole, or leave --checks out.";
    REPLACE "B808" "a replacement that callers would not know"
        "With --replace the file of derivatives has the routine that was differentiated under its own name; in C with its own parameters and result."
        "A gradient or a tangent that is differentiated again has its function for callers in the file of the first derivatives: \
         emit that file, too, and leave --replace out here. A function of C is replaced if its parameters are numbers, structures of numbers, \
         arrays of these whose extents it knows (`--size x=n`), and pointers that it does not use.";
    RECORDS "B809" "records that functions for callers do not take"
        "Records are structures in C, in files without checks."
        "Leave --checks out, or split the records first: `cfgrev convert --records split`. An array of records is copied field by field; therefore its extents are made of \
         constants, scalar parameters, + - and *, and so are those of other arrays that may overlap with it. With \
         `cfgrev convert --records split` there is a program with a parameter for each field, which has everything.";
}
