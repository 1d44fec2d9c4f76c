import Foundation

/// What the control group of this process says of memory (Linux, cgroup v2).
enum MemoryControl {
  /// How many processes of the group the system has ended for want of memory; 0 where unknown.
  static var killCount: Int {
    guard let groups = try? String(contentsOfFile: "/proc/self/cgroup", encoding: .utf8),
      let own = groups.split(separator: "\n").first(where: { $0.hasPrefix("0::") }),
      let events = try? String(
        contentsOfFile: "/sys/fs/cgroup\(own.dropFirst(3))/memory.events",
        encoding: .utf8
      )
    else { return 0 }
    return count(in: events)
  }

  static func count(in events: String) -> Int {
    let line = events.split(separator: "\n").first { $0.hasPrefix("oom_kill ") }
    return line.flatMap { Int($0.dropFirst("oom_kill ".count)) } ?? 0
  }
}
