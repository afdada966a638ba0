//! The stack of a tape that lies in a file.
//!
//! A push of a scalar or an array leaves a block: its cells, and behind them a checksum of these, their type,
//! their number and their position. A pop takes a block whose checksum it finds. The file has a name no longer than it
//! takes to open it; the system removes it with the process, however that ends.
//!
//! A window of the file is in memory. A block above the end of the stack stays in the file, or in the window, until
//! another one is pushed there: [`Disk::keep`] takes it back.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, ErrorKind, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

use cfg_core::{flat::FlatType, ir::ScalarType, random::mix};

use crate::fault::Fault;

/// The cells of the window.
const WINDOW: usize = 1 << 13;
/// The bytes of the buffers of a stack: those of the window, and as many again on their way.
pub(crate) const BUFFERS: u64 = 16 * WINDOW as u64;

/// The bytes of a block of so many cells, with its checksum.
pub(crate) fn block_bytes(cells: u64) -> u64 {
    8 * (cells + 1)
}

/// A stack in a file.
#[derive(Debug)]
pub(crate) struct Disk {
    /// Opened when the window is full.
    file: Option<File>,
    folder: PathBuf,
    /// Cells on the stack, those of checksums included.
    used: u64,
    /// Blocks on the stack.
    blocks: u64,
    /// The cells of the file from `start` on. They differ from those in the file if the window is `changed`.
    window: Vec<u64>,
    start: u64,
    changed: bool,
    bytes: Vec<u8>,
}

/// The part of a cell in the checksum of its block. Every change of one cell changes it.
fn part(at: u64, cell: u64) -> u64 {
    mix(cell ^ at.wrapping_mul(0x9E37_79B9_7F4A_7C15))
}

/// The checksum of the beginning of a block.
fn seed(ty: ScalarType, cells: u64, position: u64) -> u64 {
    let ty = match FlatType::view(ty) {
        FlatType::Real | FlatType::Tape => 1,
        FlatType::Real32 => 2,
        FlatType::Integer => 3,
        FlatType::Logical => 4,
        FlatType::Sized(ty) => 5 + ty as u64,
    };
    mix(mix(mix(ty) ^ cells) ^ position)
}

/// A new file in the folder, whose name is removed.
fn create(folder: &Path) -> io::Result<File> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    loop {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = folder.join(format!("cfgrev-{}-{number}", std::process::id()));
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        match options.open(&path) {
            Ok(file) => return fs::remove_file(&path).map(|()| file),
            // Another process had this number, on this machine or on one that shares the folder.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

fn fault(folder: &Path, error: &io::Error) -> Fault {
    Fault::Disk {
        folder: folder.display().to_string(),
        error: error.to_string(),
    }
}

impl Disk {
    /// An empty stack in a folder, by default that of the system for temporary files.
    pub(crate) fn new(folder: Option<&Path>) -> Self {
        Self {
            file: None,
            folder: folder.map_or_else(std::env::temp_dir, Path::to_path_buf),
            used: 0,
            blocks: 0,
            window: Vec::with_capacity(WINDOW),
            start: 0,
            changed: false,
            bytes: Vec::with_capacity(8 * WINDOW),
        }
    }

    /// The number of values on the stack.
    pub(crate) fn len(&self) -> u64 {
        self.used - self.blocks
    }

    /// The bytes of the stack.
    pub(crate) fn bytes(&self) -> u64 {
        8 * self.used
    }

    /// Pushes cells, which `visit` hands on one by one.
    pub(crate) fn push(
        &mut self,
        ty: ScalarType,
        cells: u64,
        visit: impl FnOnce(&mut dyn FnMut(u64) -> Result<(), Fault>) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let mut sum = seed(ty, cells, self.used);
        let mut at = self.used;
        visit(&mut |cell| {
            sum = sum.wrapping_add(part(at, cell));
            self.put(at, cell)?;
            at += 1;
            Ok(())
        })?;
        self.put(at, sum)?;
        self.used = at + 1;
        self.blocks += 1;
        Ok(())
    }

    /// Pops cells, for which `visit` asks one by one.
    pub(crate) fn pop(
        &mut self,
        ty: ScalarType,
        cells: u64,
        visit: impl FnOnce(&mut dyn FnMut() -> Result<u64, Fault>) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let from = cells
            .checked_add(1)
            .and_then(|block| self.used.checked_sub(block));
        let from = from.ok_or(Fault::Empty("disk"))?;
        let mut sum = seed(ty, cells, from);
        let mut at = from;
        visit(&mut || {
            let cell = self.get(at)?;
            sum = sum.wrapping_add(part(at, cell));
            at += 1;
            Ok(cell)
        })?;
        if self.get(at)? != sum {
            return Err(Fault::Checksum);
        }
        self.used = from;
        self.blocks -= 1;
        Ok(())
    }

    /// Pushes cells that were popped last, and have not changed since.
    pub(crate) fn keep(&mut self, cells: u64) {
        self.used += cells + 1;
        self.blocks += 1;
    }

    /// Hands on the number of blocks, and all cells.
    pub(crate) fn each_cell<E: From<Fault>>(
        &mut self,
        put: &mut dyn FnMut(u64) -> Result<(), E>,
    ) -> Result<(), E> {
        put(self.blocks)?;
        (0..self.used).try_for_each(|at| put(self.get(at)?))
    }

    /// Fills an empty stack with as many cells as [`Self::each_cell`] has handed on, their number in front.
    pub(crate) fn fill<E: From<Fault>>(
        &mut self,
        cells: u64,
        get: &mut dyn FnMut() -> Result<u64, E>,
    ) -> Result<(), E> {
        self.blocks = get()?;
        (0..cells).try_for_each(|at| {
            let cell = get()?;
            Ok::<(), E>(self.put(at, cell)?)
        })?;
        self.used = cells;
        Ok(())
    }

    /// Sets a cell of the file, at the end of the stack or behind.
    fn put(&mut self, at: u64, cell: u64) -> Result<(), Fault> {
        let k = at.wrapping_sub(self.start);
        if k > self.window.len() as u64 || k >= WINDOW as u64 {
            self.write()?;
            self.window.clear();
            self.start = at;
        }
        let k = (at - self.start) as usize;
        match self.window.get_mut(k) {
            Some(old) => *old = cell,
            None => self.window.push(cell),
        }
        self.changed = true;
        Ok(())
    }

    /// The cell of the file.
    fn get(&mut self, at: u64) -> Result<u64, Fault> {
        let k = at.wrapping_sub(self.start);
        if let Some(&cell) = usize::try_from(k).ok().and_then(|k| self.window.get(k)) {
            return Ok(cell);
        }
        self.write()?;
        // Blocks below are popped next, if the rest of this one leaves room for them.
        let most = WINDOW as u64;
        let start = at.min(self.used.saturating_sub(most));
        let cells = (self.used - start).min(most);
        self.read(start, cells)
            .map_err(|error| fault(&self.folder, &error))?;
        let k = (at - start) as usize;
        self.window.get(k).copied().ok_or(Fault::Checksum)
    }

    /// Makes these cells of the file the window, as far as the file has them.
    fn read(&mut self, start: u64, cells: u64) -> io::Result<()> {
        self.window.clear();
        self.start = start;
        self.bytes.clear();
        if let Some(file) = &mut self.file {
            file.seek(SeekFrom::Start(8 * start))?;
            file.take(8 * cells).read_to_end(&mut self.bytes)?;
        }
        self.window.extend(cells_of(&self.bytes));
        Ok(())
    }

    /// Writes the window into the file, if it has changed.
    fn write(&mut self) -> Result<(), Fault> {
        if !self.changed {
            return Ok(());
        }
        self.bytes.clear();
        let bytes = self.window.iter().flat_map(|cell| cell.to_le_bytes());
        self.bytes.extend(bytes);
        let start = SeekFrom::Start(8 * self.start);
        let written = match &mut self.file {
            Some(file) => Ok(file),
            none => create(&self.folder).map(|file| none.insert(file)),
        };
        written
            .and_then(|file| file.seek(start).and_then(|_| file.write_all(&self.bytes)))
            .map_err(|error| fault(&self.folder, &error))?;
        self.changed = false;
        Ok(())
    }

    /// All cells of the stack. Those that cannot be read are 0, which no checksum fits.
    fn cells(&self) -> Vec<u64> {
        let mut bytes = Vec::new();
        if let Some(mut file) = self.file.as_ref()
            && file.seek(SeekFrom::Start(0)).is_ok()
            && let Err(error) = file.take(8 * self.used).read_to_end(&mut bytes)
        {
            debug_assert!(error.kind() != ErrorKind::UnexpectedEof, "{error}");
        }
        let mut cells: Vec<u64> = cells_of(&bytes).collect();
        cells.resize(self.used as usize, 0);
        let behind = cells.iter_mut().skip(self.start as usize);
        for (cell, &in_window) in behind.zip(&self.window) {
            *cell = in_window;
        }
        cells
    }
}

/// The cells that these bytes are.
fn cells_of(bytes: &[u8]) -> impl Iterator<Item = u64> {
    let cell = |word: &[u8]| word.iter().rev().fold(0, |n, &b| n << 8 | u64::from(b));
    bytes.chunks_exact(8).map(cell)
}

/// A copy has its cells in memory until they are written into a file of its own.
impl Clone for Disk {
    fn clone(&self) -> Self {
        Self {
            file: None,
            folder: self.folder.clone(),
            used: self.used,
            blocks: self.blocks,
            window: self.cells(),
            start: 0,
            changed: true,
            bytes: Vec::new(),
        }
    }
}

impl PartialEq for Disk {
    fn eq(&self, other: &Self) -> bool {
        (self.used, self.blocks) == (other.used, other.blocks) && self.cells() == other.cells()
    }
}
impl Eq for Disk {}

#[cfg(test)]
mod tests {
    use super::*;
    use cfg_core::random::SplitMix64;

    fn push(disk: &mut Disk, block: &[u64]) -> Result<(), Fault> {
        disk.push(ScalarType::Real, block.len() as u64, |put| {
            block.iter().try_for_each(|&cell| put(cell))
        })
    }

    fn pop(disk: &mut Disk, cells: usize) -> Result<Vec<u64>, Fault> {
        let mut block = Vec::new();
        disk.pop(ScalarType::Real, cells as u64, |get| {
            for _ in 0..cells {
                block.push(get()?);
            }
            Ok(())
        })?;
        Ok(block)
    }

    /// Blocks shorter and longer than the window, pushed, popped, and taken back, are those of a stack in memory.
    #[test]
    fn blocks_come_back() {
        for seed in 0..40 {
            let mut rng = SplitMix64::new(seed);
            let mut below = |n: usize| (rng.bits() % n as u64) as usize;
            let mut disk = Disk::new(None);
            let mut model: Vec<Vec<u64>> = Vec::new();
            let mut peak = 0;
            for _ in 0..120 {
                match below(5) {
                    0 | 1 => {
                        let most = [3, 500, 20_000][below(3)];
                        let block: Vec<u64> =
                            (0..below(most)).map(|_| below(1 << 40) as u64).collect();
                        push(&mut disk, &block).unwrap();
                        model.push(block);
                    }
                    // Some blocks are popped, and all or some of them are taken back.
                    2 => {
                        let count = below(4).min(model.len());
                        let popped = model.split_off(model.len() - count);
                        for block in popped.iter().rev() {
                            assert_eq!(pop(&mut disk, block.len()).unwrap(), *block);
                        }
                        let back = below(count + 1);
                        for block in popped.into_iter().take(back) {
                            disk.keep(block.len() as u64);
                            model.push(block);
                        }
                    }
                    3 => disk = disk.clone(),
                    _ => {
                        if let Some(block) = model.pop() {
                            assert_eq!(pop(&mut disk, block.len()).unwrap(), block);
                        }
                    }
                }
                peak = peak.max(disk.used);
                let values: usize = model.iter().map(Vec::len).sum();
                assert_eq!(disk.len(), values as u64);
            }
            assert!(disk == disk.clone());
            for block in model.iter().rev() {
                assert_eq!(pop(&mut disk, block.len()).unwrap(), *block);
            }
            assert_eq!(pop(&mut disk, 0), Err(Fault::Empty("disk")));
            assert!(peak > 2 * WINDOW as u64, "seed {seed}: {peak}");
        }
    }

    /// A pop that differs from the push in type, number or bits is found.
    #[test]
    fn other_blocks_are_refused() {
        let mut disk = Disk::new(None);
        push(&mut disk, &[7]).unwrap();
        push(&mut disk, &[1, 2, 3]).unwrap();
        for cells in [0, 1, 2, 4] {
            assert_eq!(pop(&mut disk, cells), Err(Fault::Checksum), "{cells}");
        }
        let other = disk.pop(ScalarType::Integer, 3, |get| {
            (0..3).try_for_each(|_| get().map(|_| ()))
        });
        assert_eq!(other, Err(Fault::Checksum));
        assert_eq!(pop(&mut disk, 6), Err(Fault::Empty("disk")));
        for k in 0..disk.window.len() {
            for bit in [0, 31, 63] {
                let mut wrong = disk.clone();
                wrong.window[k] ^= 1 << bit;
                let found = pop(&mut wrong, 3).and_then(|_| pop(&mut wrong, 1));
                assert_eq!(found, Err(Fault::Checksum), "bit {bit} of cell {k}");
                assert!(wrong != disk);
            }
        }
        assert_eq!(pop(&mut disk, 3), Ok(vec![1, 2, 3]));
    }
}
