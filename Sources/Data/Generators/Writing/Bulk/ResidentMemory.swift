import Foundation

/// The memory that this process occupies now.
enum ResidentMemory {
  /// Bytes; 0 where the system has no `/proc`.
  static var bytes: Int {
    // See proc_pid_statm(5): the second number is the resident pages.
    let numbers = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    let pages = numbers.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
  }
}
