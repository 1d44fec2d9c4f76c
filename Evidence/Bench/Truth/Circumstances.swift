import Basics
import Foundation
import Runner

/// Under which circumstances a row was taken: the columns that the ledgers of the comparison begin
/// with.
struct Circumstances: Equatable {
  /// The Git revision of the measured build, with `+changes` if the working tree had any.
  ///
  /// All rows of a ledger are pooled: if what is measured changes, start a new ledger in another
  /// folder.
  var revision = ""
  var cell = TruthCell.warm
  /// Whether the bench kept the machine busy besides.
  var isPlannedLoad = false
  /// Processors that other processes, and the host, kept from this one and its workers on average.
  var others = 0.0
  /// The seed of the random side assignment, drawn from the system.
  var seed: UInt64 = 0

  /// From this share of a processor on a row is one under load, whatever was planned.
  static let mostOthers = 0.2
  /// Of two processors: if others take more, they leave less than one to the comparison.
  static let mostLoaded = 1.1

  /// Whether others took more than that.
  var isBusyBeside: Bool { others > Self.mostOthers }
  var load: TruthLoad {
    others > Self.mostLoaded ? .crowded : isPlannedLoad || isBusyBeside ? .loaded : .quiet
  }

  /// For a line of progress, behind what was done.
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
        // Follows from the two columns before it.
        field == record[keyPath: path].load.rawValue
      },
      .value("seed", path.appending(path: \.seed)),
    ]
  }
}

/// How busy the machine was with other work.
enum TruthLoad: String, CaseIterable {
  case quiet
  /// A processor was left to the comparison.
  case loaded
  /// None was left.
  case crowded
}

/// What the compared cases do.
enum TruthCell: String, CaseIterable, LosslessStringConvertible {
  case warm
  case cold
  case writing
  /// Cases that cannot be cut into slices; their rows are in tables of their own.
  case coarse

  init?(_ description: String) { self.init(rawValue: description) }
  var description: String { rawValue }

  /// The workload file with its cases.
  var workload: String { "Evidence/Workloads/truth/\(rawValue).yaml" }
  /// The parameter that says how much work a case is.
  var work: String { self == .writing ? "objects" : "limit" }
  /// The cells in which power is measured: more work must be as much more time.
  static let planted: [TruthCell] = [.warm, .cold, .writing]
}

/// The processor time that other processes take while something is measured.
struct OtherWork {
  private let started = MonotonicClock.seconds()
  private let busy = OtherWork.busySeconds()
  private let own = OtherWork.ownSeconds()

  /// Processors kept busy by others, or taken by the host, on average since the start; 0 where the
  /// system does not show it.
  var processors: Double {
    let elapsed = MonotonicClock.seconds() - started
    guard elapsed > 0, let busy, let now = Self.busySeconds() else { return 0 }
    return max(0, now - busy - (Self.ownSeconds() - own)) / elapsed
  }

  /// Seconds of all processors that were not idle and waited for no disk.
  private static func busySeconds() -> Double? {
    guard let text = try? String(contentsOfFile: "/proc/stat", encoding: .utf8),
      let line = text.split(separator: "\n").first
    else { return nil }
    let numbers = line.split(separator: " ").dropFirst().prefix(8).compactMap { Double($0) }
    // user, nice, system, idle, iowait, irq, softirq, steal
    guard numbers.count == 8 else { return nil }
    let ticks = numbers.enumerated().filter { ![3, 4].contains($0.offset) }.map(\.element)
    return ticks.reduce(0, +) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  /// Seconds of this process and of its workers that have ended.
  private static func ownSeconds() -> Double {
    // Linux's C library declares an enumeration of them that its own function does not take.
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
