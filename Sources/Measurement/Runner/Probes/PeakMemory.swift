import Foundation

/// The largest resident set of this process, as Linux keeps it.
///
/// `ru_maxrss` would not do: a process inherits it from the one that started it (sqlite.md,
/// section 3).
enum PeakMemory {
  /// Lets the peak count from now on; false where the system does not allow it.
  @Sendable static func reset() -> Bool {
    // See proc_pid_clear_refs(5): 5 resets the peak to the present size.
    guard let file = FileHandle(forWritingAtPath: "/proc/self/clear_refs") else { return false }
    defer { try? file.close() }
    return (try? file.write(contentsOf: Data("5".utf8))) != nil
  }

  /// Bytes, or `nil` where there is no such file.
  @Sendable static func read() -> Int64? {
    guard let file = FileHandle(forReadingAtPath: "/proc/self/status"),
      let data = try? file.readToEnd()
    else { return nil }
    try? file.close()
    return value(of: "VmHWM", in: String(decoding: data, as: UTF8.self))
  }

  /// The bytes of one line of `status`: `VmHWM:     1234 kB`.
  static func value(of name: String, in status: String) -> Int64? {
    let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") }
    let words = line?.split(whereSeparator: { $0 == " " || $0 == "\t" }) ?? []
    guard words.count == 3, words[2] == "kB" else { return nil }
    return Int64(words[1]).map { $0 * 1024 }
  }
}
