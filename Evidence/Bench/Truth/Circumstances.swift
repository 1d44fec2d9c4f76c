import Basics
import Foundation
import Runner

/// The circumstances of a measurement: the first columns of the ledgers of live comparisons.
struct Circumstances: Equatable {
  /// The Git revision of the measured build, with `+changes` if the working tree was modified.
  ///
  /// All rows of a ledger are pooled: if the measured code changes, start a new ledger in another
  /// folder.
  var revision = ""
  var cell = TruthCell.warm
  /// Whether the bench itself put load on the machine.
  var isPlannedLoad = false
  /// The average number of processors that other processes and the host used.
  var others = 0.0
  /// The seed of the random side assignment, drawn from the system.
  var seed: UInt64 = 0

  /// The value of `others` above which a measurement counts as made under load.
  static let mostOthers = 0.2
  /// The value of `others` above which, of two processors, less than one remains for the
  /// comparison.
  static let mostLoaded = 1.1

  var isBusyBeside: Bool { others > Self.mostOthers }
  var load: TruthLoad {
    others > Self.mostLoaded ? .crowded : isPlannedLoad || isBusyBeside ? .loaded : .quiet
  }

  var note: String { "\(cell.rawValue), \(load.rawValue)" }

  static func columns<Record: LedgerRecord>(
    of path: WritableKeyPath<Record, Circumstances>
  ) -> [LedgerColumn<Record>] {
    [
      .value("revision", path.appending(path: \.revision)),
      .value("cell", path.appending(path: \.cell)),
      .flag("planned", path.appending(path: \.isPlannedLoad), yes: "loaded", no: "quiet"),
      .number("others", path.appending(path: \.others), decimals: 3),
      LedgerColumn(name: "load") {
        $0[keyPath: path].load.rawValue
      } read: { record, field in
        // The load must agree with the two preceding columns, from which it is derived.
        field == record[keyPath: path].load.rawValue
      },
      .value("seed", path.appending(path: \.seed)),
    ]
  }
}

enum TruthLoad: String, CaseIterable {
  case quiet
  /// At least one processor remained for the comparison.
  case loaded
  /// Less than one processor remained for the comparison.
  case crowded
}

enum TruthCell: String, CaseIterable, LosslessStringConvertible {
  case warm
  case cold
  case writing
  /// Cases that cannot be divided into slices; their rows are shown in separate tables.
  case coarse

  init?(_ description: String) { self.init(rawValue: description) }
  var description: String { rawValue }

  var workload: String { "Evidence/Workloads/truth/\(rawValue).yaml" }
  var work: String { self == .writing ? "objects" : "limit" }
  /// The cells (groups of cases) for measuring power; their time is proportional to work.
  static let planted: [TruthCell] = [.warm, .cold, .writing]
}

struct OtherWork {
  private let started = MonotonicClock.seconds()
  private let busy = OtherWork.busySeconds()
  private let own = OtherWork.ownSeconds()

  /// The average number of processors used by other processes and the host since the start; 0 if
  /// unknown.
  var processors: Double {
    let elapsed = MonotonicClock.seconds() - started
    guard elapsed > 0, let busy, let now = Self.busySeconds() else { return 0 }
    return max(0, now - busy - (Self.ownSeconds() - own)) / elapsed
  }

  /// The time of all processors in seconds, except idle time and waiting for the disk.
  private static func busySeconds() -> Double? {
    guard let text = try? String(contentsOfFile: "/proc/stat", encoding: .utf8),
      let line = text.split(separator: "\n").first
    else { return nil }
    let numbers = line.split(separator: " ").dropFirst().prefix(8).compactMap { Double($0) }
    // The fields of /proc/stat are user, nice, system, idle, iowait, irq, softirq and steal.
    guard numbers.count == 8 else { return nil }
    let ticks = numbers.enumerated().filter { ![3, 4].contains($0.offset) }.map(\.element)
    return ticks.reduce(0, +) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  /// The processor time of this process and of its exited child processes, in seconds.
  private static func ownSeconds() -> Double {
    // Glibc declares the RUSAGE constants as an enumeration, but its `getrusage` takes integers.
    #if canImport(Glibc)
      let parts = [RUSAGE_SELF, RUSAGE_CHILDREN].map(\.rawValue)
    #else
      let parts = [RUSAGE_SELF, RUSAGE_CHILDREN]
    #endif
    return parts.reduce(0) { sum, who in
      var usage = rusage()
      getrusage(who, &usage)
      let times = [usage.ru_utime, usage.ru_stime]
      return sum + times.reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
    }
  }
}
