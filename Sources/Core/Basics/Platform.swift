// Only this file imports the system's C library; files that need it import `Basics`.
#if canImport(Glibc)
  @_exported import Glibc
#elseif canImport(Musl)
  @_exported import Musl
#elseif canImport(Darwin)
  @_exported import Darwin
#endif

/// System calls under qualified names, for types whose own methods have the same names.
package enum System {
  package static func open(_ path: String, _ flags: Int32, _ mode: mode_t = 0o644) -> Int32 {
    systemOpen(path, flags, mode)
  }

  package static func read(_ file: Int32, _ buffer: UnsafeMutableRawPointer?, _ size: Int) -> Int {
    guard let buffer else { return 0 }
    return systemRead(file, buffer, size)
  }

  package static func write(_ file: Int32, _ buffer: UnsafeRawPointer?, _ size: Int) -> Int {
    guard let buffer else { return 0 }
    return systemWrite(file, buffer, size)
  }

  package static func rename(_ path: String, _ target: String) -> Int32 {
    systemRename(path, target)
  }

  package static func link(_ path: String, _ target: String) -> Int32 { systemLink(path, target) }

  /// Writes all bytes, in as many calls as necessary.
  ///
  /// Returns `false`, with `errno` set, if a call fails.
  package static func writeAll(_ file: Int32, _ bytes: UnsafeRawBufferPointer) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = write(file, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// Syncs a folder, so that its file names survive a power loss.
  ///
  /// Returns `false`, with `errno` set, if that fails.
  package static func syncFolder(_ path: String) -> Bool {
    let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { return false }
    defer { close(folder) }
    return fsync(folder) == 0
  }

  /// Whether a system error means that the disk or a quota is full.
  package static func isFullDisk(_ code: Int32) -> Bool { code == ENOSPC || code == EDQUOT }

  /// The lowercase text of a system error, for messages.
  package static func errorText(_ code: Int32 = errno) -> String {
    String(cString: strerror(code)).lowercased()
  }
}

private func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 {
  open(path, flags, mode)
}
private func systemRead(_ file: Int32, _ buffer: UnsafeMutableRawPointer, _ size: Int) -> Int {
  read(file, buffer, size)
}
private func systemWrite(_ file: Int32, _ buffer: UnsafeRawPointer, _ size: Int) -> Int {
  write(file, buffer, size)
}
private func systemRename(_ path: String, _ target: String) -> Int32 { rename(path, target) }
private func systemLink(_ path: String, _ target: String) -> Int32 { link(path, target) }

/// The system's monotonic clock.
package enum MonotonicClock {
  /// The current reading, in nanoseconds.
  @Sendable package static func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
  }

  /// The current reading in seconds, for deadlines and long operations.
  package static func seconds() -> Double { Double(now()) / 1e9 }

  /// The clock's resolution in seconds: the smallest observed difference between two readings, or
  /// the resolution that the system states if it is larger.
  ///
  /// Systems state 1 ns, but a reading takes longer.
  @Sendable package static func resolution() -> Double {
    var stated = timespec()
    clock_getres(CLOCK_MONOTONIC, &stated)
    var smallest = UInt64.max
    for _ in 0..<100 {
      let first = now()
      var second = now()
      while second == first { second = now() }
      smallest = min(smallest, second - first)
    }
    return max(Double(stated.tv_nsec), Double(smallest)) / 1e9
  }
}
