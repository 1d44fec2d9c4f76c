import Basics
import Foundation

/// How much memory this process may take: the machine's, or less where a control group or a limit of
/// the shell says so.
package struct MemoryLimit: Hashable, Sendable {
  /// What sets the limit, in words: `this machine has`, `the control group allows`.
  package let owner: String
  package let bytes: UInt64

  package init(owner: String, bytes: UInt64) { (self.owner, self.bytes) = (owner, bytes) }

  /// The least of the limits of this process.
  package static var current: MemoryLimit {
    let machine = MemoryLimit(
      owner: "this machine has",
      bytes: ProcessInfo.processInfo.physicalMemory
    )
    let groups = (try? String(contentsOfFile: "/proc/self/cgroup", encoding: .utf8)) ?? ""
    let all = [machine, ofGroup(groups), ofShell].compactMap(\.self)
    return all.min { $0.bytes < $1.bytes } ?? machine
  }

  /// The least limit of a process's control groups, of version 1 or 2, and of the groups above them;
  /// `nil` where none is set.
  ///
  /// `groups` is the text of `/proc/PID/cgroup`. In a container the path there may be the host's, which
  /// is not below `root`: then the groups above it are asked, which are.
  static func ofGroup(_ groups: String, root: String = "/sys/fs/cgroup") -> MemoryLimit? {
    let files = groups.split(separator: "\n").flatMap { line -> [String] in
      // '0::/user.slice' of version 2, '4:memory:/docker/1a2b' of version 1.
      let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3 else { return [] }
      let folder: String
      let name: String
      if parts[0] == "0", parts[1].isEmpty {
        (folder, name) = (root, "memory.max")
      } else if parts[1].split(separator: ",").contains("memory") {
        (folder, name) = (root + "/memory", "memory.limit_in_bytes")
      } else {
        return []
      }
      let names = parts[2].split(separator: "/").map(String.init).filter { $0 != ".." }
      return (0...names.count).map { count in
        (names.prefix(count).reduce(folder) { $0 + "/" + $1 }) + "/" + name
      }
    }
    let limits = files.compactMap { file -> UInt64? in
      let text = try? String(contentsOfFile: file, encoding: .utf8)
      // 'max' is no number, and no limit.
      return text.flatMap { UInt64($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
    }
    return limits.min().map { MemoryLimit(owner: "the control group allows", bytes: $0) }
  }

  /// `ulimit -v`, where it is set.
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
