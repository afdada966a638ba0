//! Languages and their options on the command line, as the registry of front ends has them.

use cfg_languages::{
    BackEnd, FRONT_ENDS, FrontEnd, OptionSpec, OptionValues, Subjects, Value, by_name, forms,
};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches, value_parser};
use std::ffi::OsString;
use std::path::PathBuf;

/// The values of `--lang`.
pub(super) fn front_ends() -> impl TypedValueParser<Value = &'static dyn FrontEnd> {
    let values = FRONT_ENDS
        .iter()
        .map(|front_end| PossibleValue::new(front_end.name()).help(front_end.about()));
    let unknown = "no such language";
    PossibleValuesParser::new(values).try_map(move |name| by_name(&name).ok_or(unknown))
}

/// The forms that a command writes.
pub(super) fn back_ends(of: Subjects) -> impl TypedValueParser<Value = &'static dyn BackEnd> {
    let all = forms(of);
    let listed = all.iter();
    let values = listed.map(|(form, about)| PossibleValue::new(form.name()).help(*about));
    let values = PossibleValuesParser::new(values.collect::<Vec<_>>());
    values.try_map(move |name| {
        let found = all.iter().find(|(form, _)| form.name() == name);
        found.map(|(form, _)| *form).ok_or("no such form")
    })
}

/// The options of all languages.
#[derive(Clone, Debug, Default)]
pub(crate) struct LanguageOptions(pub(crate) OptionValues);

fn options() -> impl Iterator<Item = &'static OptionSpec> {
    let all = FRONT_ENDS.iter();
    all.flat_map(|front_end| front_end.options())
}

fn arg(option: &OptionSpec) -> Arg {
    let arg = Arg::new(option.id).help(option.help);
    let arg = match option.value {
        Value::Flag => arg.action(ArgAction::SetTrue),
        Value::One(name) => arg.value_name(name),
        Value::Path(name) => arg.value_name(name).value_parser(value_parser!(PathBuf)),
        Value::Many(name) => arg.value_name(name).action(ArgAction::Append),
        Value::List(name) => {
            let arg = arg.value_name(name).action(ArgAction::Append);
            arg.value_delimiter(',')
        }
    };
    let arg = match option.short {
        Some(short) => arg.short(short),
        None => arg,
    };
    match option.long {
        Some(long) => arg.long(long),
        None => arg,
    }
}

impl Args for LanguageOptions {
    fn augment_args(command: Command) -> Command {
        command.args(options().map(arg))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for LanguageOptions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let mut values = OptionValues::default();
        for option in options() {
            let given: Vec<OsString> = match option.value {
                Value::Flag if matches.get_flag(option.id) => Vec::new(),
                Value::Flag => continue,
                Value::Path(_) => match matches.get_one::<PathBuf>(option.id) {
                    Some(path) => vec![path.clone().into()],
                    None => continue,
                },
                Value::One(_) | Value::Many(_) | Value::List(_) => {
                    match matches.get_many::<String>(option.id) {
                        Some(texts) => texts.map(OsString::from).collect(),
                        None => continue,
                    }
                }
            };
            values.give(option, given);
        }
        Ok(Self(values))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
