//! Diagnostics of options of languages.

cfg_core::diagnostic_codes! {
    /// Every code of options.
    pub CODES of pub(crate) codes;
    PREPROCESS "P410" "preprocessor"
        "The command of --preprocess writes the preprocessed file to its standard output, and ends with 0; the compile database of -p has an entry for FILE."
        "The command is called with -I, -D, -U, -include and FILE behind its own words, which blanks separate, without a shell. Of what it writes, line markers (# 12 \"f.c\") say where the text comes from.";
}
