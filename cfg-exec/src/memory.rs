//! The account of memory that runs take; sessions may share it.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use cfg_core::diagnostic::Diagnostic;

use crate::fault::Fault;

/// An account of memory. A run asks here before it takes memory for globals, arguments, variables, call frames, tapes
/// and traces. Clones are the same account, so sessions that share one share its limit.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    used: Arc<AtomicU64>,
}

/// Bytes taken from a [`Memory`], given back on drop. A clone takes as many again, regardless of the limit, since
/// cloning cannot fail: the next request is refused instead.
#[derive(Debug, Default)]
pub struct Lease {
    memory: Memory,
    bytes: u64,
}

/// The refusal of a request beyond the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Full;

impl Memory {
    /// Bytes that are taken now.
    pub fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    /// Takes bytes, if not more than `limit` are taken then.
    ///
    /// # Errors
    /// X210.
    pub fn lease(&self, bytes: u64, limit: u64) -> Result<Lease, Box<Diagnostic>> {
        self.take(bytes, limit)
            .map_err(|Full| Box::new(Fault::Memory { limit }.diagnostic(&|_| None)))
    }

    /// Takes bytes inside of a run, which makes its own message of a refusal.
    pub(crate) fn take(&self, bytes: u64, limit: u64) -> Result<Lease, Full> {
        let mut lease = self.empty();
        lease.more(bytes, limit)?;
        Ok(lease)
    }

    /// A lease of no bytes yet.
    pub(crate) fn empty(&self) -> Lease {
        Lease {
            memory: self.clone(),
            bytes: 0,
        }
    }
}

impl Lease {
    /// The account of memory that pays.
    pub(crate) fn memory(&self) -> &Memory {
        &self.memory
    }

    /// True if it is of this account.
    pub(crate) fn is_of(&self, memory: &Memory) -> bool {
        Arc::ptr_eq(&self.memory.used, &memory.used)
    }

    /// The bytes that the lease holds.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Takes over the bytes of another lease of the same account.
    pub fn join(&mut self, mut other: Self) {
        if self.bytes == 0 {
            *self = other;
        } else if self.is_of(&other.memory) {
            self.bytes += std::mem::take(&mut other.bytes);
        }
    }

    /// Takes more bytes, unless the account would then exceed `limit`.
    pub(crate) fn more(&mut self, bytes: u64, limit: u64) -> Result<(), Full> {
        let add = |used: u64| used.checked_add(bytes).filter(|&sum| sum <= limit);
        let (set, get) = (Ordering::Relaxed, Ordering::Relaxed);
        match self.memory.used.fetch_update(set, get, add) {
            Ok(_) => {
                self.bytes += bytes;
                Ok(())
            }
            Err(_) => Err(Full),
        }
    }

    /// Gives bytes back.
    pub(crate) fn less(&mut self, bytes: u64) {
        let bytes = bytes.min(self.bytes);
        self.bytes -= bytes;
        self.memory.used.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Makes room for `len` elements in a buffer, which this lease pays for.
    pub(crate) fn make_room<T>(
        &mut self,
        buffer: &mut Vec<T>,
        len: usize,
        limit: u64,
    ) -> Result<(), Full> {
        let have = buffer.capacity();
        if len <= have {
            return Ok(());
        }
        let cost = |capacity: usize| {
            let more = (capacity - have) as u64;
            more.checked_mul(size_of::<T>() as u64).ok_or(Full)
        };
        // The buffer doubles while memory is plenty, and grows little beyond the need close to the limit.
        let double = len.max(have.saturating_mul(2)).max(64);
        let sixteenth = len.max(have.saturating_add(have / 16));
        let plenty = [(double, limit / 2), (sixteenth, limit), (len, limit)];
        let mut wanted = Err(Full);
        for (capacity, limit) in plenty {
            wanted = cost(capacity)
                .and_then(|bytes| self.more(bytes, limit))
                .map(|()| capacity);
            if wanted.is_ok() {
                break;
            }
        }
        let capacity = wanted?;
        if buffer.try_reserve_exact(capacity - buffer.len()).is_err() {
            self.less(cost(capacity)?);
            return Err(Full);
        }
        Ok(())
    }
}

impl Clone for Lease {
    fn clone(&self) -> Self {
        self.memory.used.fetch_add(self.bytes, Ordering::Relaxed);
        Self {
            memory: self.memory.clone(),
            bytes: self.bytes,
        }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.memory.used.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// All leases are equal: the bytes paid for are no part of a value that contains a lease.
impl PartialEq for Lease {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}
impl Eq for Lease {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leases_count_until_they_are_dropped() {
        let memory = Memory::default();
        let first = memory.lease(60, 100).expect("there is room");
        assert_eq!(memory.used(), 60);
        assert_eq!(memory.clone().lease(41, 100).unwrap_err().code, "X210");
        let second = memory.lease(40, 100).expect("exactly");
        assert!(memory.lease(1, 100).is_err() && memory.lease(0, 100).is_ok());
        let third = second.clone();
        assert_eq!(memory.used(), 140);
        drop((first, second, third));
        assert_eq!(memory.used(), 0);
        assert!(memory.lease(u64::MAX, u64::MAX).is_ok());
    }

    #[test]
    fn buffers_grow_to_the_limit_and_no_further() {
        for limit in [0u64, 8, 800, 1000, 4096, 100_000] {
            let mut lease = Memory::default().empty();
            let mut buffer: Vec<u64> = Vec::new();
            loop {
                let wanted = buffer.len() + 1;
                if lease.make_room(&mut buffer, wanted, limit).is_err() {
                    break;
                }
                buffer.push(0);
                assert!(buffer.capacity() as u64 * 8 <= limit);
                assert_eq!(lease.bytes(), buffer.capacity() as u64 * 8);
            }
            assert_eq!(buffer.len() as u64, limit / 8);
            let many = usize::MAX / 16;
            assert_eq!(lease.make_room(&mut buffer, many, limit), Err(Full));
            // More bytes than any machine has are refused.
            assert_eq!(lease.make_room(&mut buffer, many, u64::MAX), Err(Full));
            assert_eq!(lease.bytes(), buffer.capacity() as u64 * 8);
        }
    }
}
