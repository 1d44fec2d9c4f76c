import Basics
import Compare

/// A suite of cases that the product compared with themselves.
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
  /// The number of cases with enough blocks to reach the significance level of the suite.
  var couldAlarm = 0
  /// The number of 'changed' verdicts of any size; all are false alarms.
  var changed = 0
  var undecided = 0
  var coarse = 0
  var notCold = 0
  var blocks = 0
  var seconds = 0.0
  /// The IDs of the changed cases, separated by spaces.
  var alarms = ""
}

/// A comparison of equal sides that ran to a fixed number of blocks.
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
  /// Whether the case was not divided into slices; such rows are counted separately.
  var standsApart: Bool { isCoarse || circumstances.cell == .coarse }
  var notCold = 0
  var blocks = 0
  var logWealth = 0.0
  var seconds = 0.0
  var logRatios: [Double] = []
}

struct PowerRecord: LedgerRecord {
  enum Verdict: String, LosslessStringConvertible {
    case slower
    /// The change was detected, but is smaller than the floor for a regression.
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
  var planted = 0.0
  var id = ""
  var isCoarse = false
  var verdict = Verdict.cannotTell
  /// The median of the blocks' log ratios, as a relative change.
  var median = 0.0
  var blocks = 0
  var seconds = 0.0
  /// The estimated further seconds until a verdict; 0 if a verdict was reached.
  var missing = 0.0

  var isFound: Bool { verdict == .slower }
}
