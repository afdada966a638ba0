//! Progress of loops with checkpoints: told to the host, and kept in files, so that a run that was killed goes on.
//!
//! A program that was reversed for it calls routines that hand progress over (`cfg_reverse::Options::restarts`). The
//! loop's own tape and its journal, which then has all else that the sweep needs, are written into a file. A run that
//! begins again computes the same up to the loop, and gets both tapes back there.

use std::{
    fmt,
    fs::{self, File},
    io::{self, BufReader, BufWriter, ErrorKind, Read, Write},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};

use cfg_core::{ir::NameRole, random::mix};

use crate::{
    fault::Fault,
    tape::{Meter, Tape, TapeError},
};

/// The files that keep the progress of loops with checkpoints: `FILE.CALL.LOOP`, with the numbers of the run that has
/// such loops and of the loop, from 1. Clones count the same runs. Programs that were not reversed for it keep none.
#[derive(Clone, Debug)]
pub struct Restart {
    /// The beginning of the names.
    pub file: PathBuf,
    /// The seconds between two copies of the progress; 0: a copy after each step.
    pub seconds: u64,
    calls: Arc<AtomicU32>,
}

impl Restart {
    /// Files with this beginning of their names, and the seconds between two copies.
    pub fn new(file: PathBuf, seconds: u64) -> Self {
        Self {
            file,
            seconds,
            calls: Arc::default(),
        }
    }
}

/// The progress of the outermost loop with a checkpoint that runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The number of steps that have run.
    pub run: i64,
    /// The number of steps that are reversed.
    pub reversed: i64,
    /// The number of all steps; 0 while it is not known.
    pub steps: i64,
}

/// A function of the host that is told the progress of loops with checkpoints after each step.
#[derive(Clone)]
pub struct Report(Arc<dyn Fn(Progress) + Send + Sync>);

impl Report {
    /// A report by this function.
    pub fn new(tell: impl Fn(Progress) + Send + Sync + 'static) -> Self {
        Self(Arc::new(tell))
    }

    /// Tells the progress.
    pub fn tell(&self, progress: Progress) {
        (self.0)(progress);
    }
}

impl fmt::Debug for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Report")
    }
}

/// The events at which a loop hands its progress over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HandOver {
    Begin,
    Load,
    Due,
    End,
    Save,
}

impl HandOver {
    /// The event that a routine of this role stands for.
    pub(crate) fn by_role(role: &NameRole) -> Option<Self> {
        let events = [
            (NameRole::RestartBegin, Self::Begin),
            (NameRole::RestartLoad, Self::Load),
            (NameRole::RestartDue, Self::Due),
            (NameRole::RestartEnd, Self::End),
            (NameRole::RestartSave, Self::Save),
        ];
        let found = events.into_iter().find(|(other, _)| other == role);
        found.map(|(_, event)| event)
    }
}

/// The loops of a run, and where their progress is kept.
#[derive(Debug, Default)]
pub(crate) struct Keeper {
    pub(crate) restart: Option<Restart>,
    pub(crate) report: Option<Report>,
    /// The number of the run; 0 before its first loop.
    call: u32,
    loops: u32,
    /// The number of loops that run, one in the other.
    depth: u32,
    /// A sum of the program and of the values with which the loop began.
    key: u64,
    /// The time of the last copy.
    last: Option<Instant>,
}

/// "cfgrev01".
const MAGIC: u64 = 0x3130_7665_7267_6663;

/// Words on their way from or to a file, and their sum.
struct Words<T> {
    file: T,
    sum: u64,
}

impl<T> Words<T> {
    fn add(&mut self, word: u64) {
        self.sum = mix(self.sum ^ word);
    }
}

impl<T: Write> Words<T> {
    fn put(&mut self, word: u64) -> io::Result<()> {
        self.add(word);
        self.file.write_all(&word.to_le_bytes())
    }
}

impl<T: Read> Words<T> {
    fn get(&mut self) -> io::Result<u64> {
        let mut bytes = [0; 8];
        self.file.read_exact(&mut bytes)?;
        let word = u64::from_le_bytes(bytes);
        self.add(word);
        Ok(word)
    }
}

/// The reason why progress is not taken from a file.
enum Refused {
    Other,
    Damaged,
    Unusable(io::Error),
    NoRoom(TapeError),
    Fault(Fault),
}

impl From<Fault> for Refused {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl From<TapeError> for Refused {
    fn from(error: TapeError) -> Self {
        Self::NoRoom(error)
    }
}

impl From<io::Error> for Refused {
    fn from(error: io::Error) -> Self {
        match error.kind() == ErrorKind::UnexpectedEof {
            true => Self::Damaged,
            false => Self::Unusable(error),
        }
    }
}

impl Refused {
    /// The reason for a file of this name that cannot be `done`, that is written or read.
    fn of_file(self, name: &Path, done: &str) -> NotTaken {
        NotTaken::Fault(match self {
            Self::Other => fault(name, "is the progress of another run"),
            Self::Damaged => fault(name, "is damaged"),
            Self::Unusable(error) => fault(name, &format!("cannot be {done}: {error}")),
            Self::NoRoom(error) => return NotTaken::NoRoom(error),
            Self::Fault(fault) => fault,
        })
    }
}

/// The reason why progress is neither kept nor taken.
#[derive(Debug)]
pub(crate) enum NotTaken {
    Fault(Fault),
    NoRoom(TapeError),
}

impl From<Fault> for NotTaken {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl Keeper {
    /// Makes ready for a run.
    pub(crate) fn start(&mut self, restart: Option<&Restart>, report: Option<&Report>) {
        *self = Self {
            restart: restart.cloned(),
            report: report.cloned(),
            ..Self::default()
        };
    }

    /// The file of a loop's progress, if any is kept.
    fn name(&self, number: u32, end: &str) -> Option<PathBuf> {
        let restart = self.restart.as_ref()?;
        let mut name = restart.file.clone().into_os_string();
        name.push(format!(".{}.{number}{end}", self.call));
        Some(name.into())
    }

    /// Removes the files of all loops, after a run that has ended well.
    pub(crate) fn forget(&self) -> Result<(), Fault> {
        for name in (1..=self.loops).filter_map(|number| self.name(number, "")) {
            match fs::remove_file(&name) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    return Err(fault(&name, &format!("cannot be removed: {error}")));
                }
                _ => {}
            }
        }
        Ok(())
    }

    pub(crate) fn begin(&mut self) -> bool {
        self.depth += 1;
        let keeps = self.depth == 1
            && match &self.restart {
                Some(restart) => {
                    if self.call == 0 {
                        self.call = restart.calls.fetch_add(1, Ordering::Relaxed) + 1;
                    }
                    true
                }
                None => false,
            };
        self.loops += u32::from(keeps);
        keeps
    }

    pub(crate) fn is_due(&self, progress: Progress) -> bool {
        if self.depth != 1 {
            return false;
        }
        if let Some(report) = &self.report {
            report.tell(progress);
        }
        let waited = |restart: &Restart| {
            let wait = Duration::from_secs(restart.seconds);
            self.last.is_none_or(|last| last.elapsed() >= wait)
        };
        self.restart.as_ref().is_some_and(waited)
    }

    pub(crate) fn end(&mut self) -> bool {
        self.depth = self.depth.saturating_sub(1);
        self.depth == 0 && self.restart.is_some()
    }

    /// Writes both tapes, and then lets the file have its name.
    pub(crate) fn save(&mut self, tapes: [&mut Tape; 2]) -> Result<(), NotTaken> {
        self.last = Some(Instant::now());
        let names = self.name(self.loops, "").zip(self.name(self.loops, ".new"));
        let Some((name, written)) = names else {
            return Ok(());
        };
        let write = || {
            let file = BufWriter::new(File::create(&written)?);
            let mut words = Words { file, sum: 0 };
            for word in [MAGIC, self.key, u64::from(self.loops)] {
                words.put(word)?;
            }
            for tape in tapes {
                tape.each_word(|word| words.put(word).map_err(Refused::from))?;
            }
            words.put(words.sum)?;
            let file = words.file.into_inner();
            let file = file.map_err(io::IntoInnerError::into_error)?;
            file.sync_all()?;
            Ok(fs::rename(&written, &name)?)
        };
        write().map_err(|refused: Refused| {
            let mut reason = refused.of_file(&name, "written");
            if let Err(error) = fs::remove_file(&written)
                && error.kind() != ErrorKind::NotFound
                && let NotTaken::Fault(Fault::Restart(message)) = &mut reason
            {
                *message += &format!("; {} stays: {error}", written.display());
            }
            reason
        })
    }

    /// The tapes of a former run that began the loop as this one did, where these tapes have the values with which it
    /// begins. `None` if there is no such file.
    pub(crate) fn load(
        &mut self,
        program: u64,
        given: [&mut Tape; 2],
        (meter, folder): (&Meter, Option<&Path>),
    ) -> Result<Option<[Tape; 2]>, NotTaken> {
        let mut words = Words {
            file: (),
            sum: program,
        };
        let mut tapes = [(); 2].map(|()| given[0].another());
        for tape in given {
            tape.each_word(|word| {
                words.add(word);
                Ok::<(), Fault>(())
            })?;
        }
        self.key = words.sum;
        self.last = Some(Instant::now());
        let Some(name) = self.name(self.loops, "") else {
            return Ok(None);
        };
        let file = match File::open(&name) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Refused::Unusable(error).of_file(&name, "read")),
        };
        let read = || {
            let most = file.metadata()?.len() / 8;
            let file = BufReader::new(file);
            let mut words = Words { file, sum: 0 };
            let head = [MAGIC, self.key, u64::from(self.loops)];
            for word in head {
                if words.get()? != word {
                    return Err(Refused::Other);
                }
            }
            for tape in &mut tapes {
                let word = || words.get().map_err(Refused::from);
                tape.fill_with_words(most, (meter, folder), word)?;
            }
            let sum = words.sum;
            let is_whole = words.get()? == sum && words.file.read(&mut [0])? == 0;
            match is_whole {
                true => Ok(tapes),
                false => Err(Refused::Damaged),
            }
        };
        let read = read().map(Some);
        read.map_err(|refused: Refused| refused.of_file(&name, "read"))
    }
}

fn fault(name: &Path, message: &str) -> Fault {
    Fault::Restart(format!("{} {message}", name.display()))
}
