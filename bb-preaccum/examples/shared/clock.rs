//! Processor time.

use std::time::SystemTime;

/// Milliseconds of this thread, or of the day where the system does not say.
pub(crate) fn milliseconds() -> f64 {
    let used = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanos = used.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    let now = || SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
    nanos.map_or_else(|| now().as_secs_f64() * 1e3, |nanos| nanos / 1e6)
}
