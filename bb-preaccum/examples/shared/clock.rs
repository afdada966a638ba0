//! Processor time.

/// Milliseconds of all threads of this process.
#[cfg(unix)]
pub(crate) fn milliseconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 * 1e3 + time.tv_nsec as f64 / 1e6
}

/// Milliseconds of the day, where processor time is not known.
#[cfg(not(unix))]
pub(crate) fn milliseconds() -> f64 {
    let now = std::time::SystemTime::UNIX_EPOCH.elapsed();
    now.unwrap_or_default().as_secs_f64() * 1e3
}
