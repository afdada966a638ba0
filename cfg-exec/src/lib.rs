//! Embedded executor for cfgrev programs: register code, typed tapes, limits.
