import Basics
import Compare

/// One suite of cases compared with themselves by the product as it is.
struct ProductRecord: LedgerRecord {
  static var columns: [LedgerColumn<Self>] {
    Circumstances.columns(of: \.circumstances) + [
      .value("cases", \.cases), .value("failed", \.failed), .value("couldAlarm", \.couldAlarm),
      .value("changed", \.changed), .value("undecided", \.undecided), .value("coarse", \.coarse),
      .value("notCold", \.notCold), .value("blocks", \.blocks),
      .number("seconds", \.seconds, decimals: 2), .value("alarms", \.alarms),
    ]
  }

  var circumstances = Circumstances()
  var cases = 0
  var failed = 0
  /// Cases with blocks enough that the level of the suite could have been reached.
  var couldAlarm = 0
  /// Cases said to have changed, at whatever size: false alarms.
  var changed = 0
  var undecided = 0
  var coarse = 0
  /// Blocks of cold cases that were not cold.
  var notCold = 0
  var blocks = 0
  var seconds = 0.0
  /// IDs of the cases that changed, between spaces.
  var alarms = ""
}

/// One comparison of equal sides that went on to a fixed number of blocks.
struct NullRecord: LedgerRecord {
  static var columns: [LedgerColumn<Self>] {
    Circumstances.columns(of: \.circumstances) + [
      .value("case", \.id), .flag("coarse", \.isCoarse), .value("notCold", \.notCold),
      .value("blocks", \.blocks), .number("logWealth", \.logWealth, decimals: 5),
      .number("seconds", \.seconds, decimals: 2),
      LedgerColumn(name: "logRatios") {
        $0.logRatios.map { Figures.plain($0, decimals: 6) }.joined(separator: " ")
      } read: { record, field in
        record.logRatios = field.split(separator: " ").compactMap { Double($0) }
        return record.logRatios.count == record.blocks
      },
    ]
  }

  var circumstances = Circumstances()
  var id = ""
  var isCoarse = false
  /// Whether it is of a case that cannot be cut into slices, or was not: its rows are counted apart.
  var standsApart: Bool { isCoarse || circumstances.cell == .coarse }
  var notCold = 0
  var blocks = 0
  /// The logarithm of the most wealth that the test of equality had after any block.
  var logWealth = 0.0
  var seconds = 0.0
  var logRatios: [Double] = []
}

/// One attempt to find more work.
struct PowerRecord: LedgerRecord {
  enum Verdict: String, LosslessStringConvertible {
    case slower
    /// Found, but called smaller than the floor.
    case belowFloor
    case faster
    case unchanged
    case cannotTell

    init?(_ description: String) { self.init(rawValue: description) }
    var description: String { rawValue }
  }

  static var columns: [LedgerColumn<Self>] {
    Circumstances.columns(of: \.circumstances) + [
      .number("planted", \.planted, decimals: 3), .value("case", \.id),
      .flag("coarse", \.isCoarse), .value("verdict", \.verdict),
      .number("median", \.median, decimals: 5), .value("blocks", \.blocks),
      .number("seconds", \.seconds, decimals: 2), .number("missing", \.missing, decimals: 1),
    ]
  }

  var circumstances = Circumstances()
  /// The share of work that the head does more.
  var planted = 0.0
  var id = ""
  var isCoarse = false
  var verdict = Verdict.cannotTell
  /// The median of the blocks, as a change.
  var median = 0.0
  var blocks = 0
  var seconds = 0.0
  /// Seconds that a verdict would still have needed; 0 for one that was reached.
  var missing = 0.0

  var isFound: Bool { verdict == .slower }
}
