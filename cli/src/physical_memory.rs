//! The memory of the machine.

/// Half of the machine's memory in bytes (of the control group's, if that allows less).
pub(crate) fn half_of_memory() -> u64 {
    /// The memory that is assumed where the system does not tell.
    const ASSUMED: u64 = 8 << 30;
    let mut system = sysinfo::System::new();
    system.refresh_memory_specifics(sysinfo::MemoryRefreshKind::nothing().with_ram());
    let group = system.cgroup_limits().map_or(u64::MAX, |c| c.total_memory);
    match system.total_memory().min(group) {
        0 => ASSUMED / 2,
        total => total / 2,
    }
}

/// The bytes of memory that reading a program may take: [`half_of_memory`], or all that can be addressed.
pub(crate) fn memory_for_reading() -> usize {
    usize::try_from(half_of_memory()).unwrap_or(usize::MAX)
}
