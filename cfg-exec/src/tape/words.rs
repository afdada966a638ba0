//! The values of a tape as words, for files.

use std::{io, path::Path};

use super::{Meter, Tape, TapeError};
use crate::{
    disk::{self, Disk},
    fault::Fault,
    memory::{Full, Lease},
};

impl Tape {
    /// An empty tape that the same account pays for.
    pub(crate) fn another(&self) -> Self {
        Self::paid_by(self.held.memory())
    }

    /// Takes the values of another tape in the place of its own.
    pub(crate) fn replace(&mut self, other: Self, meter: &mut Meter) -> Result<(), TapeError> {
        meter.now_bits -= self.bits_used().min(meter.now_bits);
        meter.disk_now -= self.disk_bytes().min(meter.disk_now);
        *self = other;
        meter.now_bits += self.bits_used();
        meter.on_disk(self.disk_bytes());
        meter.check()
    }

    /// Hands on the values of all stacks, the numbers of those in memory first.
    pub(crate) fn each_word<E: From<Fault>>(
        &mut self,
        mut put: impl FnMut(u64) -> Result<(), E>,
    ) -> Result<(), E> {
        let bits = &self.bits;
        put(bits.len)?;
        let lengths = [
            bits.poison.len(),
            self.integers.len(),
            self.reals.len(),
            self.reals32.len(),
        ];
        lengths.into_iter().try_for_each(|n| put(n as u64))?;
        let control = bits.words.iter().chain(&bits.poison).copied();
        let integers = self.integers.iter().map(|&n| n as u64);
        let reals = self.reals.iter().copied();
        let reals32 = self.reals32.iter().map(|&x| u64::from(x));
        let mut all = control.chain(integers).chain(reals).chain(reals32);
        all.try_for_each(&mut put)?;
        let cells = self.disk_bytes() / 8;
        put(cells)?;
        match &mut self.disk {
            Some(disk) if cells > 0 => disk.each_cell(&mut put),
            // Nothing was pushed, or all was popped.
            Some(_) | None => Ok(()),
        }
    }

    /// Fills an empty tape with the words that [`Self::each_word`] has handed on, where `most` are left, and keeps in a
    /// file in a folder what lay in one.
    pub(crate) fn fill_with_words<E: From<io::Error> + From<TapeError> + From<Fault>>(
        &mut self,
        most: u64,
        (meter, folder): (&Meter, Option<&Path>),
        mut get: impl FnMut() -> Result<u64, E>,
    ) -> Result<(), E> {
        let mut length = |most: u64| -> Result<u64, E> {
            match get()? {
                n if n <= most => Ok(n),
                _ => Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()),
            }
        };
        self.bits.len = length(most.saturating_mul(64))?;
        let [poison, integers] = [length(most)?, length(most)?];
        let [reals, reals32] = [length(most)?, length(most)?];
        let (bits, held, limit) = (&mut self.bits, &mut self.held, meter.limit);
        let words = bits.len.div_ceil(64);
        fill(&mut bits.words, words, (held, limit), &mut get)?;
        fill(&mut bits.poison, poison, (held, limit), &mut get)?;
        let integer = || get().map(|word| word as i64);
        fill(&mut self.integers, integers, (held, limit), integer)?;
        fill(&mut self.reals, reals, (held, limit), &mut get)?;
        let real32 = || get().map(|word| word as u32);
        fill(&mut self.reals32, reals32, (held, limit), real32)?;
        match get()? {
            0 => Ok(()),
            cells => {
                let paid = held.more(disk::BUFFERS, limit);
                paid.map_err(|full| E::from(TapeError::from(full)))?;
                let disk = self.disk.insert(Box::new(Disk::new(folder)));
                disk.fill(cells, &mut get)
            }
        }
    }
}

/// Fills a stack with `n` values, for which a lease pays within a limit.
fn fill<T, E: From<TapeError>>(
    stack: &mut Vec<T>,
    n: u64,
    (held, limit): (&mut Lease, u64),
    mut get: impl FnMut() -> Result<T, E>,
) -> Result<(), E> {
    let room = usize::try_from(n).map_err(|_| Full);
    let room = room.and_then(|n| held.make_room(stack, n, limit));
    room.map_err(|full| E::from(full.into()))?;
    for _ in 0..n {
        stack.push(get()?);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use cfg_core::ir::ScalarType;

    use super::*;
    use crate::{cell, memory::Memory};

    /// Every stack comes back, uninitialised values among them; a part that is missing is an error.
    #[test]
    fn tapes_come_back() {
        let mut meter = Meter::new(1 << 20, &Memory::default(), u64::MAX);
        let mut tape = Tape::default();
        for k in 0..50 {
            tape.push_real(k, &mut meter).unwrap();
            tape.push_real32(f64::to_bits(0.5), &mut meter).unwrap();
            tape.push_integer(k << 60, &mut meter).unwrap();
            tape.push_bits(k % 8, 3, ScalarType::Integer, &mut meter)
                .unwrap();
            let unknown = cell::poison(ScalarType::Logical);
            tape.push_bits(unknown, 1, ScalarType::Logical, &mut meter)
                .unwrap();
            let block = (ScalarType::Real, k % 3);
            let cells = |put: &mut dyn FnMut(u64) -> Result<(), Fault>| {
                (0..k % 3).try_for_each(|cell| put(cell + k))
            };
            tape.push_disk(block, None, &mut meter, cells).unwrap();
            let mut words = Vec::new();
            let put = |word| {
                words.push(word);
                Ok::<(), Fault>(())
            };
            tape.each_word(put).unwrap();
            let filled = |words: &[u64]| {
                let mut left = words.iter().copied();
                let most = words.len() as u64;
                let mut other = Tape::default();
                let end = || Failed::End;
                let found =
                    other.fill_with_words(most, (&meter, None), || left.next().ok_or_else(end));
                found.map(|()| other)
            };
            assert_eq!(filled(&words).map_err(|_| ()), Ok(tape.clone()));
            for short in 0..words.len() {
                assert!(filled(&words[..short]).is_err(), "{short}");
            }
            // A stack that was emptied has no words behind its length.
            let pop = |get: &mut dyn FnMut() -> Result<u64, Fault>| {
                (0..k % 3).try_for_each(|_| get().map(|_| ()))
            };
            if k == 0 {
                tape.pop_disk(block, &mut meter, pop).unwrap();
                let mut last = Vec::new();
                let put = |word| {
                    last.push(word);
                    Ok::<(), Fault>(())
                };
                tape.each_word(put).unwrap();
                assert_eq!(last.last(), Some(&0));
                assert_eq!(last.len() + 3 - 1, words.len());
                tape.push_disk(block, None, &mut meter, cells).unwrap();
            }
        }
    }

    enum Failed {
        End,
    }
    impl From<io::Error> for Failed {
        fn from(_: io::Error) -> Self {
            Self::End
        }
    }
    impl From<TapeError> for Failed {
        fn from(_: TapeError) -> Self {
            Self::End
        }
    }
    impl From<Fault> for Failed {
        fn from(_: Fault) -> Self {
            Self::End
        }
    }
}
