import Basics
import Foundation
import Runner

/// The tables about equal sides and about additional work.
struct EvidenceReport {
  let lines: [String]

  /// The levels of wealth in the tables; at most the share 1 / level of equal comparisons may reach
  /// a level.
  private static let levels = [20.0, 100, 400, 4000]

  init(_ ledgers: TruthLedgers) throws {
    let product = try ledgers.product.records()
    let nulls = try ledgers.nulls.records()
    let power = try ledgers.power.records()
    let revisions = Set(
      product.map(\.circumstances.revision) + nulls.map(\.circumstances.revision)
        + power.map(\.circumstances.revision)
    )
    guard !revisions.isEmpty else {
      lines = [
        "Equal builds and changed builds: not measured ('make -C Evidence truth')."
      ]
      return
    }
    lines =
      ["Revisions of the measured builds: " + revisions.sorted().joined(separator: ", ")]
      + Self.suites(product) + [""] + Self.nulls(nulls) + [""] + Self.power(power) + [""]
  }

  // MARK: Suites

  /// Returns the table of the product's false alarms, with a line per cell under any load and one
  /// for all cells.
  ///
  /// A suite is whole if each of its cases had enough blocks for an alarm. Alarms in all suites are
  /// divided by the number of whole ones, which can only raise the rate.
  static func suites(_ records: [ProductRecord]) -> [String] {
    let table = TruthReport.table(first: 20, 8, 8, 9, 15, 11)
    func line(_ name: String, _ records: [ProductRecord]) -> String {
      let whole = records.count { $0.couldAlarm >= $0.cases }
      let alarms = records.count { $0.changed > 0 }
      let most = Binomial.quantile95(of: whole, rate: 0.005)
      return table.line([
        "  " + name, "\(records.count)", "\(whole)", "\(alarms)",
        RateInterval(hits: min(alarms, whole), of: whole).shares,
        (alarms > most ? "! " : "") + "\(most)",
      ])
    }
    let cells = TruthCell.allCases.map { cell in
      (cell.rawValue, records.filter { $0.circumstances.cell == cell })
    }
    return [
      "(a) 'compare-live' on suites compared with themselves. Specified: an alarm in at most",
      "0.5 % of all suites. 'whole': each case could alarm; bounds and the count that is allowed",
      "(its 95 % quantile; '!' where more alarmed) are of whole suites, alarms of all.",
      table.line(["", "suites", "whole", "alarmed", "95 % bounds", "allowed"]),
    ] + (cells.filter { !$0.1.isEmpty } + [("all", records)]).map(line)
  }

  // MARK: Nulls

  static func nulls(_ records: [NullRecord]) -> [String] {
    let table = TruthReport.table(first: 20, 7, 13, 13, 13, 13)
    let long = records.filter { $0.blocks >= LongNulls.blocks }
    func line(_ name: String, _ records: [NullRecord]) -> String {
      table.line(
        ["  " + name, "\(records.count)"]
          + levels.map { level in
            let hits = records.count { $0.logWealth >= log(level) }
            let most = Binomial.quantile95(of: records.count, rate: 1 / level)
            let upper = RateInterval(hits: hits, of: records.count).upper
            let mark = hits > most ? " !" : ""
            return records.isEmpty
              ? "-" : "\(hits) ≤ \(Figures.percent(upper, decimals: 1))\(mark)"
          }
      )
    }
    let fine = long.filter { !$0.standsApart }
    let limits = table.line(
      ["  level", ""] + levels.map { Figures.percent(1 / $0, decimals: $0 > 200 ? 3 : 0) }
    )
    var lines = [
      "(b) Equal sides over \(LongNulls.blocks) blocks: how often the evidence ever reached a "
        + "level, with the",
      "upper 95 % bound of this share; '!' if it exceeds the level's 95 % quantile.",
      table.line(["", "nulls"] + levels.map { Figures.plain($0, decimals: 0) }), limits,
    ]
    lines += Self.cells(
      TruthCell.allCases.filter { $0 != .coarse },
      fine,
      \.circumstances,
      line
    )
    if !fine.isEmpty { lines.append(line("all of these", fine)) }
    lines += Self.loads(long.filter(\.standsApart), \.circumstances) { line("coarse, \($0)", $1) }
    if long.count < records.count {
      lines.append("  \(records.count - long.count) shorter, left out")
    }
    return lines
  }

  // MARK: Power

  static func power(_ records: [PowerRecord]) -> [String] {
    let table = TruthReport.table(first: 20, 6, 6, 6, 15, 7, 7, 8, 8)
    let shares = PowerAttempts.shares
    return [
      "Power: one case does more work, one minute per attempt, at the level of a suite of twenty.",
      "Targets: find 5 % in 95 % of attempts, 2 % in 80 %. 'met' and 'missed': by both bounds;",
      "'open': the target lies between them. 'minutes': to a verdict, where fewer were found.",
      "'same': the verdict was 'unchanged'; 'median': of the changes of time.",
      table.line(["", "tries", "found", "same", "95 % bounds", "target", "", "median", "minutes"]),
    ]
      + shares.flatMap { share -> [String] in
        let target = share >= 0.05 ? 0.95 : 0.8
        let own = records.filter { $0.planted == share }
        return Self.cells(TruthCell.planted, own, \.circumstances) { name, records in
          let found = records.count(where: \.isFound)
          let bounds = RateInterval(hits: found, of: records.count)
          let judged = bounds.lower >= target ? "met" : bounds.upper < target ? "missed" : "open"
          let isReached = Double(found) >= target * Double(records.count)
          let minutes = Self.minutes(of: records, toFind: target)
          return table.line([
            "  \(Figures.percent(share, decimals: 0)) \(name)", "\(records.count)", "\(found)",
            "\(records.count { $0.verdict == .unchanged })",
            bounds.shares, Figures.percent(target, decimals: 0), judged,
            Figures.percent(records.map(\.median).median, decimals: 2),
            isReached ? "-" : minutes.isFinite ? Figures.plain(minutes, decimals: 1) : "none",
          ])
        }
      }
  }

  /// Returns the minutes in which the given share of attempts would have detected the change.
  ///
  /// The result is infinite if too many attempts ended with another verdict or without an estimate.
  private static func minutes(of records: [PowerRecord], toFind share: Double) -> Double {
    let needed = records.map { record in
      let isReachable = record.isFound || (record.verdict == .cannotTell && record.missing > 0)
      return isReachable ? (record.seconds + record.missing) / 60 : .infinity
    }.sorted()
    let place = Int((share * Double(needed.count)).rounded(.up)) - 1
    return needed.indices.contains(place) ? needed[place] : .infinity
  }

  // MARK: Cells

  private static func cells<Record>(
    _ cells: [TruthCell],
    _ records: [Record],
    _ path: KeyPath<Record, Circumstances>,
    _ line: (String, [Record]) -> String
  ) -> [String] {
    cells.flatMap { cell in
      loads(records.filter { $0[keyPath: path].cell == cell }, path) {
        line("\(cell.rawValue), \($0)", $1)
      }
    }
  }

  private static func loads<Record>(
    _ records: [Record],
    _ path: KeyPath<Record, Circumstances>,
    _ line: (String, [Record]) -> String
  ) -> [String] {
    TruthLoad.allCases.compactMap { load in
      let own = records.filter { $0[keyPath: path].load == load }
      return own.isEmpty ? nil : line(load.rawValue, own)
    }
  }
}

enum Binomial {
  /// Returns the smallest count that is exceeded with a probability of at most 5 %.
  static func quantile95(of count: Int, rate: Double) -> Int {
    guard count > 0, rate > 0, rate < 1 else { return 0 }
    var logTerm = Double(count) * log1p(-rate)
    var sum = exp(logTerm)
    var hits = 0
    while sum < 0.95, hits < count {
      logTerm += log(Double(count - hits) / Double(hits + 1)) + log(rate) - log1p(-rate)
      sum += exp(logTerm)
      hits += 1
    }
    return hits
  }
}

extension RateInterval {
  /// The bounds of the interval in percent; a dash if there were no tries.
  var shares: String {
    guard lower != 0 || upper != 1 else { return "-" }
    return Figures.plain(lower * 100, decimals: 2) + "-" + Figures.percent(upper, decimals: 2)
  }
}
