// The one place that names the system's C library; whoever needs it imports `Basics`.
#if canImport(Glibc)
  @_exported import Glibc
#elseif canImport(Musl)
  @_exported import Musl
#elseif canImport(Darwin)
  @_exported import Darwin
#endif

/// System calls under names that methods of the same name do not hide.
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

  /// Writes all bytes, in as many calls as it takes; `false` if one fails, with `errno` set.
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

  /// Makes the names in a folder durable; `false` if that fails, with `errno` set.
  package static func syncFolder(_ path: String) -> Bool {
    let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { return false }
    defer { close(folder) }
    return fsync(folder) == 0
  }

  /// Whether a system error means that the disk or a quota is full.
  package static func isFullDisk(_ code: Int32) -> Bool { code == ENOSPC || code == EDQUOT }

  /// The text of a system error in lower case, as messages quote it.
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
  /// Nanoseconds.
  @Sendable package static func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
  }

  /// The same in seconds, for deadlines and long work.
  package static func seconds() -> Double { Double(now()) / 1e9 }

  /// The smallest difference in seconds between two readings, or what the system states if more.
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
