import Basics
import Foundation

/// The memory that this process may use: the machine's memory, or less if a control group or a
/// shell limit restricts it.
package struct MemoryLimit: Hashable, Sendable {
  /// The source of the limit in words: `this machine has`, `the control group allows`.
  package let owner: String
  package let bytes: UInt64

  package init(owner: String, bytes: UInt64) { (self.owner, self.bytes) = (owner, bytes) }

  /// The lowest limit of this process.
  package static var current: MemoryLimit {
    let machine = MemoryLimit(
      owner: "this machine has",
      bytes: ProcessInfo.processInfo.physicalMemory
    )
    let group = groups.map(\.limit).min().map {
      MemoryLimit(owner: "the control group allows", bytes: $0)
    }
    let all = [machine, group, ofShell].compactMap(\.self)
    return all.min { $0.bytes < $1.bytes } ?? machine
  }

  /// A control group's memory limit and current usage, in bytes.
  package struct Group: Sendable {
    package let limit: UInt64
    package let used: UInt64
  }

  /// The limits of this process's control groups.
  package static var groups: [Group] {
    groups((try? String(contentsOfFile: "/proc/self/cgroup", encoding: .utf8)) ?? "")
  }

  /// Returns the limits of a process's control groups (version 1 or 2) and of their parents; empty
  /// if no limit is set.
  ///
  /// `text` is the content of `/proc/PID/cgroup`. In a container, its path may be the host's, which
  /// does not exist below `root`; in that case, only the existing parents are read.
  static func groups(_ text: String, root: String = "/sys/fs/cgroup") -> [Group] {
    text.split(separator: "\n").flatMap { line -> [Group] in
      // Lines look like '0::/user.slice' in version 2, and '4:memory:/docker/1a2b' in version 1.
      let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3 else { return [] }
      let (folder, limit, usage): (String, String, String)
      if parts[0] == "0", parts[1].isEmpty {
        (folder, limit, usage) = (root, "memory.max", "memory.current")
      } else if parts[1].split(separator: ",").contains("memory") {
        (folder, limit, usage) = (
          root + "/memory", "memory.limit_in_bytes", "memory.usage_in_bytes"
        )
      } else {
        return []
      }
      let names = parts[2].split(separator: "/").map(String.init).filter { $0 != ".." }
      return (0...names.count).compactMap { count in
        let group = names.prefix(count).reduce(folder) { $0 + "/" + $1 }
        return number(in: group + "/" + limit).map {
          Group(limit: $0, used: number(in: group + "/" + usage) ?? 0)
        }
      }
    }
  }

  private static func number(in file: String) -> UInt64? {
    (try? String(contentsOfFile: file, encoding: .utf8)).flatMap {
      UInt64($0.trimmingCharacters(in: .whitespacesAndNewlines))
    }
  }

  private static var ofShell: MemoryLimit? {
    var limit = rlimit()
    #if os(Linux)
      let kind = __rlimit_resource_t(RLIMIT_AS.rawValue)
    #else
      let kind = RLIMIT_AS
    #endif
    guard getrlimit(kind, &limit) == 0, limit.rlim_cur < UInt64(Int64.max) else { return nil }
    return MemoryLimit(owner: "'ulimit -v' allows", bytes: UInt64(limit.rlim_cur))
  }
}
