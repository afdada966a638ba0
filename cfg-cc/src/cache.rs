//! A cache of executables, on disk.
//!
//! An entry is two files named after a hash of all that an executable depends on: the executable, and a key with all that in
//! full and with a hash of the executable. An entry counts only if both files belong to the user and nobody else may
//! write them, the key is the same to the last byte, and the executable has the hash in the key. Files are written to
//! a temporary and renamed, the executable first. A reader that finds half of an entry, or halves of two writers,
//! sees a wrong hash and compiles anew. Halves that stay incomplete for a while are removed.

use crate::Compiler;
use std::{
    fs::{self, File, Metadata},
    io::{self, Write as _},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

/// The most bytes of all entries together; beyond, the least recently used are removed.
const MOST: u64 = 256 << 20;

/// The age from which the writer of half an entry is taken to have died.
const ABANDONED: Duration = Duration::from_secs(60);

/// The version of the entries' form: to be changed with the form, so that older entries are not found.
const VERSION: &str = "cfgrev-cc 1";

/// The environment variables by which compilers find files.
const ENVIRONMENT: [&str; 6] = [
    "CPATH",
    "C_INCLUDE_PATH",
    "LIBRARY_PATH",
    "COMPILER_PATH",
    "GCC_EXEC_PREFIX",
    "CCC_OVERRIDE_OPTIONS",
];

/// The key: all that an executable depends on (compiler, flags, environment, source).
pub(crate) fn identity(compiler: &Compiler, version: &[u8], text: &str) -> Vec<u8> {
    let mut key = Vec::new();
    let mut part = |bytes: &[u8]| {
        key.extend_from_slice(format!("{}\n", bytes.len()).as_bytes());
        key.extend_from_slice(bytes);
        key.push(b'\n');
    };
    let path = located(&compiler.command);
    part(path.to_string_lossy().as_bytes());
    let about = fs::metadata(&path).map(|data| (data.len(), data.modified().ok()));
    part(format!("{about:?}").as_bytes());
    part(version);
    for flag in &compiler.flags {
        part(flag.as_bytes());
    }
    part(b"");
    for name in ENVIRONMENT {
        part(format!("{:?}", std::env::var_os(name)).as_bytes());
    }
    part(text.as_bytes());
    key
}

/// The file that a command runs, found by PATH as the system does.
fn located(command: &Path) -> PathBuf {
    let found = match command.components().count() {
        1 => {
            let path = std::env::var_os("PATH").unwrap_or_default();
            let mut all = std::env::split_paths(&path).map(|folder| folder.join(command));
            all.find(|file| file.is_file())
        }
        _ => None,
    };
    let found = found.unwrap_or_else(|| command.to_path_buf());
    fs::canonicalize(&found).unwrap_or(found)
}

/// The hash FNV-1a of 128 bits. It need not withstand an attack: keys are compared in full.
fn hash(bytes: &[u8]) -> u128 {
    let start = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    let step = |h: u128, b: &u8| {
        (h ^ u128::from(*b)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b)
    };
    bytes.iter().fold(start, step)
}

/// True if only this user may have written it.
fn is_ours(data: &Metadata) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        data.uid() == rustix::process::geteuid().as_raw() && data.mode() & 0o022 == 0
    }
    #[cfg(not(unix))]
    {
        let _ = data;
        true
    }
}

/// A folder of executables.
pub(crate) struct Cache {
    folder: PathBuf,
}

impl Cache {
    /// The cache in this folder, which is created if need be; `None` if the folder is not the user's own.
    pub(crate) fn open(folder: &Path) -> Option<Self> {
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::DirBuilderExt as _;
            builder.mode(0o700);
        }
        builder.create(folder).ok()?;
        let data = fs::symlink_metadata(folder).ok()?;
        (data.is_dir() && is_ours(&data)).then(|| Self {
            folder: folder.to_path_buf(),
        })
    }

    fn paths(&self, key: &[u8]) -> (PathBuf, PathBuf) {
        let name = format!("{:032x}", hash(key));
        (
            self.folder.join(format!("{name}.exe")),
            self.folder.join(format!("{name}.key")),
        )
    }

    /// The executable that was kept under a key.
    pub(crate) fn find(&self, key: &[u8]) -> Option<PathBuf> {
        let (executable, about) = self.paths(key);
        for path in [&executable, &about] {
            let data = fs::symlink_metadata(path).ok()?;
            if !data.is_file() || !is_ours(&data) {
                return None;
            }
        }
        let bytes = fs::read(&executable).ok()?;
        if fs::read(&about).ok()? != self::about(key, &bytes) {
            return None;
        }
        // The time of use decides which entries are removed first. If it cannot be set, this entry goes earlier: no
        // harm.
        if let Ok(file) = File::options().append(true).open(&about) {
            let _ = file.set_modified(SystemTime::now());
        }
        Some(executable)
    }

    /// Keeps an executable; returns its path in the cache.
    pub(crate) fn keep(&self, key: &[u8], executable: &Path) -> io::Result<PathBuf> {
        let bytes = fs::read(executable)?;
        let (target, about) = self.paths(key);
        self.write(&target, &bytes, 0o700)?;
        self.write(&about, &self::about(key, &bytes), 0o600)?;
        self.shrink(&about, MOST)?;
        Ok(target)
    }

    fn write(&self, path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(".cfgrev-").suffix(".tmp");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            builder.permissions(fs::Permissions::from_mode(mode));
        }
        #[cfg(not(unix))]
        let _ = mode;
        let mut file = builder.tempfile_in(&self.folder)?;
        file.write_all(bytes)?;
        if fs::symlink_metadata(path).is_ok_and(|data| data.is_dir()) {
            fs::remove_dir_all(path)?;
        }
        file.persist(path).map_err(|e| e.error)?;
        Ok(())
    }

    /// Removes halves that were abandoned and, while the entries take more than `most` bytes, the oldest entry, but
    /// never `newest`.
    fn shrink(&self, newest: &Path, most: u64) -> io::Result<()> {
        let mut entries = Vec::new();
        let mut total = 0;
        let size = |path: &Path| fs::symlink_metadata(path).map_or(0, |data| data.len());
        for entry in fs::read_dir(&self.folder)? {
            let path = entry?.path();
            let used = fs::symlink_metadata(&path).and_then(|data| data.modified());
            let used = used.unwrap_or(SystemTime::UNIX_EPOCH);
            let other = match path.extension().and_then(|e| e.to_str()) {
                Some("key") => Some("exe"),
                Some("exe") => Some("key"),
                Some("tmp") => None,
                Some(_) | None => continue,
            };
            let is_whole =
                other.is_some_and(|e| fs::symlink_metadata(path.with_extension(e)).is_ok());
            if !is_whole && used.elapsed().is_ok_and(|age| age > ABANDONED) {
                // Another process may have removed it.
                let _ = fs::remove_file(&path);
                continue;
            }
            total += size(&path);
            if other == Some("exe") {
                entries.push((used, size(&path) + size(&path.with_extension("exe")), path));
            }
        }
        entries.sort();
        for (_, size, about) in entries {
            if total <= most {
                break;
            }
            if about != newest {
                // Another process may have removed it.
                let _ = fs::remove_file(about.with_extension("exe"));
                let _ = fs::remove_file(&about);
                total -= size;
            }
        }
        Ok(())
    }
}

/// The text of the key file beside an executable: the key and the hash of the executable.
fn about(key: &[u8], executable: &[u8]) -> Vec<u8> {
    let head = format!(
        "{VERSION}\n{} {:032x}\n",
        executable.len(),
        hash(executable)
    );
    [head.as_bytes(), key].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_found_until_it_changes() {
        let folder = tempfile::tempdir().expect("a folder");
        let cache = Cache::open(&folder.path().join("a/b")).expect("a new folder is ours");
        let made = folder.path().join("program");
        fs::write(&made, b"code").expect("it can be written");
        assert_eq!(cache.find(b"key"), None);
        let kept = cache.keep(b"key", &made).expect("it can be kept");
        assert_eq!(cache.find(b"key"), Some(kept.clone()));
        assert_eq!(cache.find(b"other"), None);
        let (_, about) = cache.paths(b"key");
        for (path, text) in [(&kept, &b"evil"[..]), (&about, b"")] {
            fs::write(path, text).expect("it can be written");
            assert_eq!(cache.find(b"key"), None, "{}", path.display());
            cache.keep(b"key", &made).expect("it can be kept again");
            assert_eq!(cache.find(b"key"), Some(kept.clone()));
        }
    }

    /// Entries stay while they take no more bytes than allowed; beyond, the oldest goes, but never the newest.
    #[test]
    fn the_oldest_goes_where_there_are_too_many() {
        let folder = tempfile::tempdir().expect("a folder");
        let cache = Cache::open(&folder.path().join("kept")).expect("a new folder is ours");
        let made = folder.path().join("program");
        let mut all = 0;
        for (k, key) in [&b"a"[..], b"b", b"c"].into_iter().enumerate() {
            fs::write(&made, b"code").expect("it can be written");
            cache.keep(key, &made).expect("it can be kept");
            let (executable, about) = cache.paths(key);
            for path in [&executable, &about] {
                all += fs::metadata(path).expect("it is there").len();
            }
            let used = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1 + k as u64);
            let file = File::options().append(true).open(&about);
            let file = file.expect("it is ours");
            file.set_modified(used).expect("it is ours");
        }
        let there = || [&b"a"[..], b"b", b"c"].map(|key| cache.paths(key).1.exists());
        let newest = cache.paths(b"c").1;
        cache.shrink(&newest, all).expect("it can be read");
        assert_eq!(there(), [true; 3]);
        cache.shrink(&newest, all - 1).expect("it can be read");
        assert_eq!(there(), [false, true, true]);
        cache.shrink(&newest, 0).expect("it can be read");
        assert_eq!(there(), [false, false, true]);
    }

    /// Half of an entry counts as in use until its writer must have ended; then it is removed.
    #[test]
    fn abandoned_halves_go() {
        let folder = tempfile::tempdir().expect("a folder");
        let cache = Cache::open(&folder.path().join("kept")).expect("a new folder is ours");
        let made = folder.path().join("program");
        fs::write(&made, b"code").expect("it can be written");
        cache.keep(b"a", &made).expect("it can be kept");
        let whole = cache.paths(b"a").1;
        let halves = ["b.exe", "c.key", ".cfgrev-d.tmp"].map(|name| cache.folder.join(name));
        let old = SystemTime::now() - 2 * ABANDONED;
        for (k, half) in halves.iter().enumerate() {
            fs::write(half, vec![0; 100]).expect("it can be written");
            cache.shrink(&whole, MOST).expect("it can be read");
            assert!(half.exists(), "{}", half.display());
            // The half and the whole entry exceed the limit together; the whole one is older and goes.
            cache.shrink(Path::new(""), 100).expect("it can be read");
            assert!(!whole.exists(), "{}", half.display());
            cache.keep(b"a", &made).expect("it can be kept");
            let file = File::options().append(true).open(half).expect("it is ours");
            file.set_modified(old).expect("it is ours");
            cache.shrink(&whole, MOST).expect("it can be read");
            assert!(!half.exists() && whole.exists(), "{k}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn what_others_may_write_does_not_count() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().expect("a folder");
        let made = folder.path().join("program");
        fs::write(&made, b"code").expect("it can be written");
        let cache = Cache::open(folder.path()).expect("it is ours");
        let kept = cache.keep(b"key", &made).expect("it can be kept");
        fs::set_permissions(&kept, fs::Permissions::from_mode(0o777)).expect("it is ours");
        assert_eq!(cache.find(b"key"), None);
        fs::remove_file(&kept).expect("it is ours");
        std::os::unix::fs::symlink(&made, &kept).expect("a link");
        assert_eq!(cache.find(b"key"), None);
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).expect("it is ours");
        assert!(Cache::open(folder.path()).is_none());
    }
}
