//! Tapes: a stack of control bits, one of integers, one of reals, one of 32-bit reals; and counts of their use.

mod words;

use std::path::Path;

use cfg_core::ir::ScalarType;

use crate::{
    cell,
    disk::{self, Disk},
    fault::Fault,
    memory::{Full, Lease, Memory},
};

/// A stack of bits. Uninitialised logicals and markers are kept on a side stack of positions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Bits {
    words: Vec<u64>,
    len: u64,
    poison: Vec<u64>,
}

impl Bits {
    /// Pushes the low `n` bits of `value`, 1 <= n <= 64; the rest of `value` must be 0.
    #[inline]
    fn push(&mut self, value: u64, n: u32) {
        let used = (self.len % 64) as u32;
        if used == 0 {
            self.words.push(value);
        } else {
            if let Some(last) = self.words.last_mut() {
                *last |= value << used;
            }
            if used + n > 64 {
                self.words.push(value >> (64 - used));
            }
        }
        self.len += u64::from(n);
    }

    /// Pops the last `n` bits.
    #[inline]
    fn pop(&mut self, n: u32) -> Option<u64> {
        self.len = self.len.checked_sub(u64::from(n))?;
        let at = (self.len % 64) as u32;
        let word = (self.len / 64) as usize;
        let mut value = *self.words.get(word)? >> at;
        if at + n > 64 {
            value |= *self.words.get(word + 1)? << (64 - at);
        }
        // Later pushes OR bits into the last word, so its upper part must be 0.
        self.words.truncate(word + 1);
        if at == 0 {
            self.words.pop();
        } else if let Some(last) = self.words.last_mut() {
            *last &= (1 << at) - 1;
        }
        // The bits above those that were pushed last are 0.
        Some(value)
    }
}

/// A tape: four stacks in memory, and one in a file.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Tape {
    bits: Bits,
    integers: Vec<i64>,
    reals: Vec<u64>,
    reals32: Vec<u32>,
    /// The stack in a file, if a value was pushed there.
    disk: Option<Box<Disk>>,
    /// The lease that pays for the buffers.
    held: Lease,
}

/// The stacks of a tape that lie in memory, for machine code. They may hold more values up to their capacity, which is
/// paid for.
#[derive(Debug)]
pub struct Stacks<'t> {
    /// Cells of reals.
    pub reals: &'t mut Vec<u64>,
    /// Cells of integers.
    pub integers: &'t mut Vec<i64>,
    /// Words of control bits, the lowest first; bits beyond [`Self::bits`] are 0.
    pub words: &'t mut Vec<u64>,
    /// Number of control bits; there are just enough words for them.
    pub bits: &'t mut u64,
    /// The position behind the last control value that is uninitialised; 0 if there is none.
    pub uninitialised: u64,
}

/// The amount of values that a tape holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TapeSize {
    /// Bits of the control stack.
    pub control_bits: u64,
    /// The number of integers.
    pub integers: u64,
    /// The number of 64-bit reals.
    pub reals: u64,
    /// The number of 32-bit reals.
    pub reals32: u64,
    /// The number of values in a file.
    pub disk: u64,
}

impl TapeSize {
    /// True if all stacks are empty.
    pub fn is_empty(self) -> bool {
        self == Self::default()
    }
}

/// Counts of what the tapes of a run were used for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TapeCounts {
    /// Values pushed, of all classes.
    pub pushes: u64,
    /// The number of values popped.
    pub pops: u64,
    /// Control bits, as written.
    pub control_bits: u64,
    /// The number of integers pushed.
    pub integers: u64,
    /// 64-bit reals pushed.
    pub reals: u64,
    /// 32-bit reals pushed.
    pub reals32: u64,
    /// Values pushed into files, those that lie there again without being written not counted.
    pub disk: u64,
    /// Bytes of values that are pushed into files, with their checksums.
    pub disk_written: u64,
    /// Bytes of values that are popped from files, with their checksums.
    pub disk_read: u64,
    /// Largest size of all stacks in files at one time, in bytes.
    pub disk_peak: u64,
    /// Bytes of integers and reals pushed, in total.
    pub value_bytes: u64,
    /// Largest size of all stacks in memory of all tapes at one time, in bytes (control bits rounded up to a byte).
    pub peak_bytes: u64,
    /// Runs of parts with checkpoints that were not recorded.
    pub steps_again: u64,
    /// Most states of loops with checkpoints, in memory and in files, at one time.
    pub snapshots: u64,
    /// The values that each tape held when it died, or at the end of the run: in the order of death.
    pub leftovers: Vec<TapeSize>,
}

/// Counts while running: bits in use now and at most.
#[derive(Clone, Debug, Default)]
pub(crate) struct Meter {
    pub(crate) counts: TapeCounts,
    pub(crate) now_bits: u64,
    pub(crate) peak_bits: u64,
    disk_now: u64,
    snapshots_now: u64,
    pub(crate) max_bits: u64,
    /// Most bytes of memory.
    limit: u64,
    /// The lease that pays for the counts of tapes that have died.
    held: Lease,
}

/// The reason for which a push or pop failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TapeError {
    Full,
    Memory,
    Empty(&'static str),
}

impl From<Full> for TapeError {
    fn from(_: Full) -> Self {
        Self::Memory
    }
}

const POISON_REAL32: u32 = 0x7FC0_756E;
const NAN32: u32 = 0x7FC0_0000;

impl Meter {
    /// A meter for tapes of at most `max_bytes`, in an account of at most `limit` bytes.
    pub(crate) fn new(max_bytes: u64, memory: &Memory, limit: u64) -> Self {
        Self {
            counts: TapeCounts::default(),
            now_bits: 0,
            peak_bits: 0,
            disk_now: 0,
            snapshots_now: 0,
            max_bits: max_bytes.saturating_mul(8),
            limit,
            held: memory.empty(),
        }
    }

    /// Adds a tape of the host, which may hold values, to the run.
    pub(crate) fn adopt(&mut self, tape: &mut Tape) -> Result<(), Full> {
        let memory = self.held.memory();
        if !tape.held.is_of(memory) {
            tape.held = memory.take(tape.capacity(), self.limit)?;
        }
        self.now_bits += tape.bits_used();
        self.disk_now += tape.disk_bytes();
        self.peak_bits = self.peak_bits.max(self.now_bits);
        Ok(())
    }

    #[inline]
    fn pushed(&mut self, bits: u64) -> Result<(), TapeError> {
        self.counts.pushes += 1;
        self.now_bits += bits;
        self.check()
    }

    /// Notes the bits in use.
    #[inline]
    fn check(&mut self) -> Result<(), TapeError> {
        if self.now_bits > self.peak_bits {
            self.peak_bits = self.now_bits;
            if self.now_bits > self.max_bits {
                return Err(TapeError::Full);
            }
        }
        Ok(())
    }

    #[inline]
    fn popped(&mut self, bits: u64) {
        self.counts.pops += 1;
        self.now_bits -= bits.min(self.now_bits);
    }

    /// Notes the end of a tape, with the values left on it.
    pub(crate) fn bury(&mut self, tape: &Tape) -> Result<(), Full> {
        let leftovers = &mut self.counts.leftovers;
        let next = leftovers.len() + 1;
        self.held.make_room(leftovers, next, self.limit)?;
        leftovers.push(tape.size());
        self.now_bits -= tape.bits_used().min(self.now_bits);
        self.disk_now -= tape.disk_bytes().min(self.disk_now);
        Ok(())
    }

    /// Counts a state of a loop that is kept, or one less.
    pub(crate) fn count_snapshot(&mut self, is_kept: bool) {
        self.snapshots_now = match is_kept {
            true => self.snapshots_now + 1,
            // A tape of the host may hold states of an earlier run.
            false => self.snapshots_now.saturating_sub(1),
        };
        self.counts.snapshots = self.counts.snapshots.max(self.snapshots_now);
    }

    /// Counts a block that comes onto a stack in a file.
    fn on_disk(&mut self, bytes: u64) {
        self.disk_now += bytes;
        self.counts.disk_peak = self.counts.disk_peak.max(self.disk_now);
    }

    /// The counts at the end.
    pub(crate) fn finish(&mut self) -> TapeCounts {
        let mut counts = std::mem::take(&mut self.counts);
        counts.value_bytes = 8 * (counts.integers + counts.reals) + 4 * counts.reals32;
        counts.peak_bytes = self.peak_bits.div_ceil(8);
        counts
    }
}

/// Bits of a count: twice the length of n+1, less one.
fn count_bits(n: u64) -> u32 {
    2 * (n + 1).ilog2() + 1
}

/// A copy holds the same values; the host pays for it.
impl Clone for Tape {
    fn clone(&self) -> Self {
        Self {
            bits: self.bits.clone(),
            integers: self.integers.clone(),
            reals: self.reals.clone(),
            reals32: self.reals32.clone(),
            disk: self.disk.clone(),
            held: Lease::default(),
        }
    }
}

impl Tape {
    /// An empty tape that an account pays for.
    pub(crate) fn paid_by(memory: &Memory) -> Self {
        Self {
            held: memory.empty(),
            ..Self::default()
        }
    }

    /// The stacks in memory.
    pub(crate) fn stacks(&mut self) -> Stacks<'_> {
        let Bits { words, len, poison } = &mut self.bits;
        Stacks {
            reals: &mut self.reals,
            integers: &mut self.integers,
            words,
            uninitialised: poison.last().map_or(0, |at| at + 1),
            bits: len,
        }
    }

    /// The bytes of the stack's buffers.
    fn capacity(&self) -> u64 {
        let words = [
            self.bits.words.capacity(),
            self.bits.poison.capacity(),
            self.integers.capacity(),
            self.reals.capacity(),
        ];
        let disk = self.disk.as_ref().map_or(0, |_| disk::BUFFERS);
        8 * words.iter().sum::<usize>() as u64 + 4 * self.reals32.capacity() as u64 + disk
    }

    /// Makes room for the words of one control value.
    #[inline]
    fn room_for_bits(&mut self, meter: &Meter) -> Result<(), Full> {
        let words = &mut self.bits.words;
        if words.capacity() - words.len() < 2 {
            let wanted = words.len() + 2;
            self.held.make_room(words, wanted, meter.limit)?;
        }
        Ok(())
    }

    /// The numbers of values that the tape holds.
    pub fn size(&self) -> TapeSize {
        TapeSize {
            control_bits: self.bits.len,
            integers: self.integers.len() as u64,
            reals: self.reals.len() as u64,
            reals32: self.reals32.len() as u64,
            disk: self.disk.as_ref().map_or(0, |disk| disk.len()),
        }
    }

    fn bits_used(&self) -> u64 {
        let size = self.size();
        size.control_bits + 64 * (size.integers + size.reals) + 32 * size.reals32
    }

    fn disk_bytes(&self) -> u64 {
        self.disk.as_ref().map_or(0, |disk| disk.bytes())
    }

    /// Pushes cells, which `visit` hands on one by one, into a file in a folder.
    pub(crate) fn push_disk(
        &mut self,
        (ty, cells): (ScalarType, u64),
        folder: Option<&Path>,
        meter: &mut Meter,
        visit: impl FnOnce(&mut dyn FnMut(u64) -> Result<(), Fault>) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let disk = match &mut self.disk {
            Some(disk) => disk,
            none => {
                let limit = meter.limit;
                let paid = self.held.more(disk::BUFFERS, limit);
                paid.map_err(|Full| Fault::Memory { limit })?;
                none.insert(Box::new(Disk::new(folder)))
            }
        };
        disk.push(ty, cells, visit)?;
        let bytes = disk::block_bytes(cells);
        meter.counts.pushes += cells;
        meter.counts.disk += cells;
        meter.counts.disk_written += bytes;
        meter.on_disk(bytes);
        Ok(())
    }

    /// Pops cells, for which `visit` asks one by one, from a file.
    pub(crate) fn pop_disk(
        &mut self,
        (ty, cells): (ScalarType, u64),
        meter: &mut Meter,
        visit: impl FnOnce(&mut dyn FnMut() -> Result<u64, Fault>) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let disk = self.disk.as_mut().ok_or(Fault::Empty("disk"))?;
        disk.pop(ty, cells, visit)?;
        let bytes = disk::block_bytes(cells);
        meter.counts.pops += cells;
        meter.counts.disk_read += bytes;
        meter.disk_now -= bytes.min(meter.disk_now);
        Ok(())
    }

    /// Pushes cells that were popped last, and still lie in the file.
    pub(crate) fn keep_on_disk(&mut self, cells: u64, meter: &mut Meter) {
        if let Some(disk) = &mut self.disk {
            disk.keep(cells);
            meter.counts.pushes += cells;
            meter.on_disk(disk::block_bytes(cells));
        }
    }

    /// Removes all values, and keeps the memory.
    pub fn clear(&mut self) {
        self.bits.words.clear();
        self.bits.poison.clear();
        self.bits.len = 0;
        self.integers.clear();
        self.reals.clear();
        self.reals32.clear();
        if self.disk.take().is_some() {
            self.held.less(disk::BUFFERS);
        }
    }

    #[inline]
    pub(crate) fn push_real(&mut self, cell: u64, meter: &mut Meter) -> Result<(), TapeError> {
        if self.reals.len() == self.reals.capacity() {
            let wanted = self.reals.len() + 1;
            self.held.make_room(&mut self.reals, wanted, meter.limit)?;
        }
        self.reals.push(cell);
        meter.counts.reals += 1;
        meter.pushed(64)
    }

    #[inline]
    pub(crate) fn pop_real(&mut self, meter: &mut Meter) -> Result<u64, TapeError> {
        let cell = self.reals.pop().ok_or(TapeError::Empty("real"))?;
        meter.popped(64);
        Ok(cell)
    }

    /// Pushes reals that follow each other in memory.
    pub(crate) fn push_reals(&mut self, cells: &[u64], meter: &mut Meter) -> Result<(), TapeError> {
        let n = cells.len() as u64;
        let wanted = self.reals.len() + cells.len();
        self.held.make_room(&mut self.reals, wanted, meter.limit)?;
        self.reals.extend_from_slice(cells);
        meter.counts.reals += n;
        // The caller counts the last value as a push of its own.
        meter.counts.pushes += n.saturating_sub(1);
        if n == 0 { Ok(()) } else { meter.pushed(64 * n) }
    }

    /// Pops as many reals as fit, in the order in which they were pushed.
    pub(crate) fn pop_reals(&mut self, to: &mut [u64], meter: &mut Meter) -> Result<(), TapeError> {
        let rest = self.reals.len().checked_sub(to.len());
        let rest = rest.ok_or(TapeError::Empty("real"))?;
        to.copy_from_slice(&self.reals[rest..]);
        self.reals.truncate(rest);
        let n = to.len() as u64;
        if n > 0 {
            meter.counts.pops += n - 1;
            meter.popped(64 * n);
        }
        Ok(())
    }

    pub(crate) fn push_real32(&mut self, cell: u64, meter: &mut Meter) -> Result<(), TapeError> {
        let x = f64::from_bits(cell);
        let wanted = self.reals32.len() + 1;
        self.held
            .make_room(&mut self.reals32, wanted, meter.limit)?;
        self.reals32.push(if cell == cell::POISON_REAL {
            POISON_REAL32
        } else if x.is_nan() {
            NAN32
        } else {
            (x as f32).to_bits()
        });
        meter.counts.reals32 += 1;
        meter.pushed(32)
    }

    pub(crate) fn pop_real32(&mut self, meter: &mut Meter) -> Result<u64, TapeError> {
        let bits = self.reals32.pop().ok_or(TapeError::Empty("real32"))?;
        meter.popped(32);
        Ok(match bits {
            POISON_REAL32 => cell::POISON_REAL,
            bits => cell::real(f64::from(f32::from_bits(bits))),
        })
    }

    #[inline]
    pub(crate) fn push_integer(&mut self, cell: u64, meter: &mut Meter) -> Result<(), TapeError> {
        if self.integers.len() == self.integers.capacity() {
            let wanted = self.integers.len() + 1;
            self.held
                .make_room(&mut self.integers, wanted, meter.limit)?;
        }
        self.integers.push(cell as i64);
        meter.counts.integers += 1;
        meter.pushed(64)
    }

    #[inline]
    pub(crate) fn pop_integer(&mut self, meter: &mut Meter) -> Result<u64, TapeError> {
        let n = self.integers.pop().ok_or(TapeError::Empty("integer"))?;
        meter.popped(64);
        Ok(n as u64)
    }

    /// Pushes a control value of fixed width; uninitialised values (by the type's pattern) stay so.
    #[inline]
    pub(crate) fn push_bits(
        &mut self,
        cell: u64,
        bits: u32,
        ty: ScalarType,
        meter: &mut Meter,
    ) -> Result<(), TapeError> {
        self.room_for_bits(meter)?;
        if cell::is_poison(ty, cell) {
            let wanted = self.bits.poison.len() + 1;
            self.held
                .make_room(&mut self.bits.poison, wanted, meter.limit)?;
            self.bits.poison.push(self.bits.len);
            self.bits.push(0, bits);
        } else {
            self.bits.push(cell, bits);
        }
        meter.counts.control_bits += u64::from(bits);
        meter.pushed(u64::from(bits))
    }

    /// Pops a value that was pushed with the same width and type.
    #[inline]
    pub(crate) fn pop_bits(
        &mut self,
        bits: u32,
        ty: ScalarType,
        meter: &mut Meter,
    ) -> Result<u64, TapeError> {
        let value = self.bits.pop(bits).ok_or(TapeError::Empty("control"))?;
        meter.popped(u64::from(bits));
        if let Some(&at) = self.bits.poison.last()
            && at >= self.bits.len
        {
            self.bits.poison.pop();
            if at == self.bits.len {
                return Ok(cell::poison(ty));
            }
        }
        Ok(value)
    }

    /// Pushes a count: the binary digits of n+1 from the lowest to the highest, then as many zeros less one, so
    /// that a reader from the end sees how many digits follow.
    #[inline]
    pub(crate) fn push_count(&mut self, n: u64, meter: &mut Meter) -> Result<(), TapeError> {
        let digits = (n + 1).ilog2() + 1;
        self.room_for_bits(meter)?;
        self.bits.push(n + 1, digits);
        if digits > 1 {
            self.bits.push(0, digits - 1);
        }
        let bits = u64::from(count_bits(n));
        meter.counts.control_bits += bits;
        meter.pushed(bits)
    }

    /// Pops a count.
    #[inline]
    pub(crate) fn pop_count(&mut self, meter: &mut Meter) -> Result<u64, TapeError> {
        const EMPTY: TapeError = TapeError::Empty("control");
        let mut zeros = 0;
        let mut m = 1u64;
        while self.bits.pop(1).ok_or(EMPTY)? == 0 {
            zeros += 1;
            if zeros > 63 {
                return Err(EMPTY);
            }
        }
        if zeros > 0 {
            let rest = self.bits.pop(zeros).ok_or(EMPTY)?;
            m = (1 << zeros) | rest;
        }
        meter.popped(u64::from(2 * zeros + 1));
        Ok(m - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_of_all_widths_come_back_in_reverse() {
        let mut bits = Bits::default();
        let mut pushed = Vec::new();
        let mut x = 0x1234_5678_9ABC_DEF1u64;
        for i in 0..1000u32 {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let n = 1 + (x >> 33) as u32 % 63;
            let v = (x >> 1) & ((1 << n) - 1);
            bits.push(v, n);
            pushed.push((v, n));
            if i % 3 == 0 {
                let (v, n) = pushed.pop().unwrap();
                assert_eq!(bits.pop(n), Some(v));
            }
        }
        while let Some((v, n)) = pushed.pop() {
            assert_eq!(bits.pop(n), Some(v));
        }
        assert_eq!(bits.len, 0);
        assert_eq!(bits.pop(1), None);
    }

    #[test]
    fn counts_come_back_and_take_the_bits_that_the_format_says() {
        let mut tape = Tape::default();
        let mut meter = Meter::new(1 << 20, &Memory::default(), u64::MAX);
        let counts = [0u64, 1, 2, 3, 6, 7, 8, 1000, (1 << 62) - 1, (1 << 63) - 1];
        let mut expected = 0;
        for &n in &counts {
            tape.push_count(n, &mut meter).unwrap();
            expected += 2 * u64::from((n + 1).ilog2()) + 1;
        }
        assert_eq!(tape.size().control_bits, expected);
        for &n in counts.iter().rev() {
            assert_eq!(tape.pop_count(&mut meter), Ok(n));
        }
        assert!(tape.size().is_empty());
        assert_eq!(tape.pop_count(&mut meter), Err(TapeError::Empty("control")));
    }

    #[test]
    fn what_is_popped_makes_room() {
        let mut tape = Tape::default();
        // A count of 9 takes 7 bits.
        let mut meter = Meter::new(1, &Memory::default(), u64::MAX);
        for _ in 0..100 {
            tape.push_count(9, &mut meter).unwrap();
            assert_eq!(tape.pop_count(&mut meter), Ok(9));
        }
        assert_eq!(meter.peak_bits, 7);
        assert!(Meter::new(1, &Memory::default(), 0).bury(&tape).is_err());
    }

    /// Pushes and pops leave an empty tape, in every way of pushing, and are counted value by value.
    #[test]
    fn every_stack_is_metered_alike() {
        type Way = fn(&mut Tape, &mut Meter);
        let ways: [(Way, Way, u64, u64); 7] = [
            (
                |t, m| t.push_real(7, m).unwrap(),
                |t, m| assert_eq!(t.pop_real(m), Ok(7)),
                1,
                64,
            ),
            (
                |t, m| t.push_reals(&[1, 2, 3], m).unwrap(),
                |t, m| {
                    let mut to = [0; 3];
                    t.pop_reals(&mut to, m).unwrap();
                    assert_eq!(to, [1, 2, 3]);
                },
                3,
                192,
            ),
            (
                |t, m| t.push_reals(&[], m).unwrap(),
                |t, m| t.pop_reals(&mut [], m).unwrap(),
                0,
                0,
            ),
            (
                |t, m| t.push_real32(0.5f64.to_bits(), m).unwrap(),
                |t, m| assert_eq!(t.pop_real32(m), Ok(0.5f64.to_bits())),
                1,
                32,
            ),
            (
                |t, m| t.push_integer(5, m).unwrap(),
                |t, m| assert_eq!(t.pop_integer(m), Ok(5)),
                1,
                64,
            ),
            (
                |t, m| t.push_bits(2, 3, ScalarType::Integer, m).unwrap(),
                |t, m| assert_eq!(t.pop_bits(3, ScalarType::Integer, m), Ok(2)),
                1,
                3,
            ),
            (
                |t, m| t.push_count(9, m).unwrap(),
                |t, m| assert_eq!(t.pop_count(m), Ok(9)),
                1,
                7,
            ),
        ];
        for (push, pop, values, bits) in ways {
            let memory = Memory::default();
            let mut meter = Meter::new(1 << 20, &memory, u64::MAX);
            let mut tape = Tape::paid_by(&memory);
            for _ in 0..5 {
                push(&mut tape, &mut meter);
                push(&mut tape, &mut meter);
                assert_eq!((meter.now_bits, tape.bits_used()), (2 * bits, 2 * bits));
                let copy = tape.clone();
                assert_eq!((copy == tape, copy.size()), (true, tape.size()));
                assert_eq!(copy.size().is_empty(), values == 0);
                pop(&mut tape, &mut meter);
                assert_eq!((meter.now_bits, tape.bits_used()), (bits, bits));
                pop(&mut tape, &mut meter);
                assert_eq!((meter.now_bits, tape.bits_used()), (0, 0));
            }
            let counts = meter.finish();
            assert_eq!((counts.pushes, counts.pops), (10 * values, 10 * values));
            assert_eq!(counts.peak_bytes, (2 * bits).div_ceil(8));
        }
    }

    #[test]
    fn uninitialised_values_keep_their_state_on_every_stack() {
        let mut tape = Tape::default();
        let mut meter = Meter::new(1 << 20, &Memory::default(), u64::MAX);
        for ty in [ScalarType::Logical, ScalarType::Integer] {
            tape.push_bits(1, 3, ty, &mut meter).unwrap();
            tape.push_bits(cell::poison(ty), 1, ty, &mut meter).unwrap();
            tape.push_bits(0, 1, ty, &mut meter).unwrap();
            assert_eq!(tape.pop_bits(1, ty, &mut meter), Ok(0));
            assert_eq!(tape.pop_bits(1, ty, &mut meter), Ok(cell::poison(ty)));
            assert_eq!(tape.pop_bits(3, ty, &mut meter), Ok(1));
        }
        tape.push_real32(cell::POISON_REAL, &mut meter).unwrap();
        tape.push_real32(0.5f64.to_bits(), &mut meter).unwrap();
        assert_eq!(tape.pop_real32(&mut meter), Ok(0.5f64.to_bits()));
        assert_eq!(tape.pop_real32(&mut meter), Ok(cell::POISON_REAL));
        let counts = meter.finish();
        assert_eq!((counts.pushes, counts.pops), (8, 8));
        assert_eq!(counts.control_bits, 10);
        assert_eq!(counts.value_bytes, 8);
        assert_eq!(counts.peak_bytes, 8);
    }

    /// Pushes until a limit is reached; the bytes of the buffers then.
    fn filled(limit: u64, push: impl Fn(&mut Tape, &mut Meter) -> Result<(), TapeError>) -> u64 {
        let memory = Memory::default();
        let mut meter = Meter::new(u64::MAX, &memory, limit);
        let mut tape = Tape::paid_by(&memory);
        let error = loop {
            if let Err(error) = push(&mut tape, &mut meter) {
                break error;
            }
        };
        assert_eq!(error, TapeError::Memory);
        assert!(memory.used() <= limit);
        assert_eq!(memory.used(), tape.capacity());
        tape.capacity()
    }

    #[test]
    fn every_stack_grows_to_the_limit_of_memory_and_no_further() {
        const LOGICAL: ScalarType = ScalarType::Logical;
        for limit in [64, 640, 4096] {
            assert_eq!(filled(limit, |t, m| t.push_real(1, m)), limit);
            assert_eq!(filled(limit, |t, m| t.push_integer(1, m)), limit);
            assert_eq!(filled(limit, |t, m| t.push_real32(0, m)), limit);
            assert_eq!(filled(limit, |t, m| t.push_reals(&[0; 4], m)), limit);
            assert!(filled(limit, |t, m| t.push_bits(1, 1, LOGICAL, m)) > limit - 16);
            assert!(filled(limit, |t, m| t.push_count(1 << 40, m)) > limit - 16);
            let poison = cell::poison(LOGICAL);
            assert!(filled(limit, |t, m| t.push_bits(poison, 1, LOGICAL, m)) > limit - 16);
        }
    }

    /// A count of 0 that ends a word of bits has no zeros behind it, and takes nothing of the next word.
    #[test]
    fn counts_of_nothing_fill_words() {
        let mut tape = Tape::default();
        let mut meter = Meter::new(1 << 20, &Memory::default(), u64::MAX);
        for before in 62..66 {
            for _ in 0..before {
                tape.push_count(0, &mut meter).unwrap();
            }
            tape.push_count(9, &mut meter).unwrap();
            assert_eq!(tape.size().control_bits, before + 7);
            assert_eq!(tape.pop_count(&mut meter), Ok(9));
            for _ in 0..before {
                assert_eq!(tape.pop_count(&mut meter), Ok(0));
            }
            assert!(tape.size().is_empty());
        }
    }

    /// The run that gets a tape of the host pays for its values, once, and within its limit.
    #[test]
    fn tapes_of_the_host_are_paid_for() {
        let mut tape = Tape::default();
        let mut before = Meter::new(1 << 20, &Memory::default(), u64::MAX);
        tape.push_reals(&[1; 100], &mut before).unwrap();
        let bytes = tape.capacity();
        assert!(bytes >= 800);
        let memory = Memory::default();
        let refused = Meter::new(1 << 20, &memory, bytes - 1).adopt(&mut tape);
        assert_eq!((refused, memory.used()), (Err(Full), 0));
        for _ in 0..2 {
            let mut meter = Meter::new(1 << 20, &memory, bytes);
            assert_eq!(meter.adopt(&mut tape), Ok(()));
            assert_eq!((memory.used(), meter.now_bits), (bytes, 6400));
            assert_eq!(meter.finish().peak_bytes, 800);
        }
        drop(tape);
        assert_eq!(memory.used(), 0);
    }

    /// A tape that holds more than a run may put on tapes is as full again after a pop and a push, and no fuller.
    #[test]
    fn a_tape_of_the_host_may_be_as_full_as_it_was() {
        let mut tape = Tape::default();
        let mut before = Meter::new(1 << 20, &Memory::default(), u64::MAX);
        tape.push_reals(&[1; 3], &mut before).unwrap();
        let mut meter = Meter::new(16, &Memory::default(), u64::MAX);
        meter.adopt(&mut tape).unwrap();
        assert_eq!(tape.pop_real(&mut meter), Ok(1));
        assert_eq!(tape.push_real(2, &mut meter), Ok(()));
        assert_eq!(tape.push_real(3, &mut meter), Err(TapeError::Full));
    }

    /// The account of a run pays for the list of tapes that have died.
    #[test]
    fn tapes_that_have_died_are_paid_for() {
        let memory = Memory::default();
        let mut meter = Meter::new(1 << 20, &memory, u64::MAX);
        let tape = Tape::paid_by(&memory);
        for _ in 0..1000 {
            meter.bury(&tape).unwrap();
        }
        assert!(memory.used() >= 1000 * size_of::<TapeSize>() as u64);
        assert_eq!(meter.finish().leftovers.len(), 1000);
    }

    #[test]
    fn the_limit_counts_every_stack() {
        let mut tape = Tape::default();
        let mut meter = Meter::new(16, &Memory::default(), u64::MAX);
        tape.push_real(0, &mut meter).unwrap();
        tape.push_integer(0, &mut meter).unwrap();
        let full = tape.push_bits(0, 1, ScalarType::Logical, &mut meter);
        assert_eq!(full, Err(TapeError::Full));
    }
}
