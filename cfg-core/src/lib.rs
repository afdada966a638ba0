//! The program representation of cfgrev: structured control-flow graphs, their JSON, validation, analyses and pictures.
