import Basics
import Compare
import Runner

/// The conditions of a measurement: the first columns of the ledgers of counters and of traces.
struct Conditions: Equatable {
  /// The commit of the measured build, with `+changes` if its sources were modified.
  var commit = ""
  /// Whether the bench itself put load on the machine.
  var hasOtherLoad = false
  /// The system's load average over the preceding minute, which includes all other processes.
  var loadAverage = 0.0
  var seed: UInt64 = 0

  var note: String { hasOtherLoad ? ", other load" : "" }

  static func columns<Record: LedgerRecord>(
    of path: WritableKeyPath<Record, Conditions>
  ) -> [LedgerColumn<Record>] {
    [
      .value("commit", path.appending(path: \.commit)),
      .flag("load", path.appending(path: \.hasOtherLoad), yes: "other", no: "quiet"),
      .number("loadAverage", path.appending(path: \.loadAverage), decimals: 2),
      .value("seed", path.appending(path: \.seed)),
    ]
  }
}

struct CounterRecord: LedgerRecord {
  static var columns: [LedgerColumn<Self>] {
    Conditions.columns(of: \.conditions) + [
      .value("planted", \.planted), .flag("found", \.isFound), .flag("repeats", \.repeats),
      .value("metric", \.metric), .number("base", \.base, decimals: 0),
      .number("head", \.head, decimals: 0), .number("seconds", \.seconds, decimals: 2),
    ]
  }

  var conditions = Conditions()
  var planted = ""
  var isFound = false
  var repeats = false
  var metric = ""
  var base = 0.0
  var head = 0.0
  var seconds = 0.0
}

/// The times of a case compared with itself, block by block.
///
/// Other decision rules are applied to samples of these times.
struct TraceRecord: LedgerRecord {
  static var columns: [LedgerColumn<Self>] {
    Conditions.columns(of: \.conditions) + [
      .value("case", \.id),
      LedgerColumn(name: "layout", field: \.layout.rawValue) { record, field in
        guard let layout = TraceRunner.Layout(rawValue: field) else { return false }
        record.layout = layout
        return true
      },
      .number("seconds", \.seconds, decimals: 2),
      LedgerColumn(name: "headFirst") {
        $0.isHeadFirst.map { $0 ? "1" : "0" }.joined()
      } read: { record, field in
        record.isHeadFirst = field.map { $0 == "1" }
        return true
      }, times("base", \.base), times("head", \.head),
    ]
  }

  var conditions = Conditions()
  var id = ""
  var layout = TraceRunner.Layout.lockstep
  var seconds = 0.0
  var isHeadFirst: [Bool] = []
  /// The base's time in each block, in nanoseconds; `head` has the times of the head.
  var base: [Double] = []
  var head: [Double] = []

  private static func times(
    _ name: String,
    _ path: WritableKeyPath<Self, [Double]>
  ) -> LedgerColumn<Self> {
    LedgerColumn(name: name) {
      $0[keyPath: path].map { Figures.plain($0, decimals: 0) }.joined(separator: " ")
    } read: { record, field in
      let times = field.split(separator: " ").compactMap { Double($0) }
      record[keyPath: path] = times
      return times.count == record.isHeadFirst.count && times.allSatisfy { $0 > 0 }
    }
  }

  /// The times of both sides in the order of measurement, for contiguous blocks.
  var inTime: [Double] {
    zip(isHeadFirst, zip(base, head)).flatMap { $0 ? [$1.1, $1.0] : [$1.0, $1.1] }
  }
}
