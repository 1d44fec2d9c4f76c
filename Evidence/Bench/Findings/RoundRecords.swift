import Basics
import Foundation
import Runner

/// All times of one workload of ``PlantedWork`` that was run with further rounds.
///
/// The product's own rule can derive the finding from the stored times again.
struct RoundRecord: Equatable {
  /// Workloads whose second alternative has the same share of extra work, and the limit on the
  /// number of their winners.
  struct Group: Equatable {
    /// The extra work in percent.
    let extra: Int
    let workloads: Int
    /// The minimum number of correct winners; without extra work, the maximum number of winners.
    let limit: Int?

    static let all = [
      Group(extra: 0, workloads: 400, limit: 11),
      Group(extra: 25, workloads: 144, limit: 130),
      Group(extra: 10, workloads: 144, limit: nil),
    ]

    var name: String { extra == 0 ? "equal" : "\(extra) % more work" }
  }

  let extra: Int
  let work: String
  let seed: Int
  /// The times of the trials under the first and the second name, in seconds.
  let first: [Double]
  let second: [Double]

  /// The alternative that the findings name as the fastest; `nil` if they name none.
  var winner: String? {
    FindingVerdicts.winner(
      of: [[("first", first), ("second", second)]],
      looks: FurtherRounds.looks(after: FurtherRounds.looks[0])
    )
  }

  // MARK: The file

  static let title = "extra,work,seed,first,second"

  var line: String {
    let times = [first, second].map { values in
      values.map { String(Int64(($0 * 1e9).rounded())) }.joined(separator: " ")
    }
    return "\(extra),\(work),\(seed),\(times[0]),\(times[1])"
  }

  init(extra: Int, work: String, seed: Int, first: [Double], second: [Double]) {
    (self.extra, self.work, self.seed, self.first, self.second) = (extra, work, seed, first, second)
  }

  init?(line: Substring) {
    let cells = line.split(separator: ",", omittingEmptySubsequences: false)
    guard cells.count == 5, let extra = Int(cells[0]), let seed = Int(cells[2]) else { return nil }
    let times = cells[3...].map { cell in
      cell.split(separator: " ").compactMap { Double($0) }.map { $0 / 1e9 }
    }
    self.init(extra: extra, work: String(cells[1]), seed: seed, first: times[0], second: times[1])
  }

  /// The records of a file; empty if the file does not exist yet.
  static func read(_ path: String) throws -> [RoundRecord] {
    guard FileManager.default.fileExists(atPath: path) else { return [] }
    let text = try String(contentsOfFile: path, encoding: .utf8)
    var lines = text.split(separator: "\n")
    guard lines.first == title[...] else { throw CocoaError(.fileReadCorruptFile) }
    // A killed bench can leave an incomplete last line, so drop a line without its newline.
    if !text.hasSuffix("\n") { lines.removeLast() }
    return lines.dropFirst().compactMap { RoundRecord(line: $0) }
  }

  // MARK: The verdict

  static func report(_ records: [RoundRecord]) -> (lines: [String], isMet: Bool) {
    let table = TextTable(
      [
        .left("", 20), .right("", 9), .right("", 6), .right("", 6), .right("", 14), .right("", 13),
      ],
      gap: 2
    )
    var lines = [
      table.line(["planted work", "workloads", "right", "wrong", "95 % bounds", "rounds, mean"])
    ]
    var isMet = true
    for group in Group.all {
      let own = records.filter { $0.extra == group.extra }
      let judged = own.map { (record: $0, winner: $0.winner) }
      let winners = judged.compactMap(\.winner)
      // If the alternatives are equal, any named winner is a false alarm.
      let right = group.extra == 0 ? 0 : winners.count { $0 == "first" }
      let wrong = winners.count - right
      let rounds = own.map { Double($0.first.count) }.reduce(0, +) / Double(max(1, own.count))
      let named = group.extra == 0 ? wrong : right
      lines.append(
        table.line([
          group.name, "\(own.count)", "\(right)", "\(wrong)",
          own.isEmpty ? "" : RateInterval(hits: named, of: own.count).shares,
          Figures.plain(rounds, decimals: 1),
        ])
      )
      if group.extra > 0 { lines += byDeviation(judged, in: table) }
      guard let limit = group.limit, own.count >= group.workloads else { continue }
      if group.extra == 0 ? wrong > limit : right < limit { isMet = false }
    }
    lines.append("at most 11 winners in 400 equal workloads; at least 130 of 144 right at 25 %")
    return (lines, isMet)
  }

  /// The standard deviation of the logarithms of the times, for the alternative with the larger
  /// one.
  private var deviation: Double {
    [first, second].compactMap { times in
      Summary(of: times.map { log($0) })?.standardDeviation
    }.max() ?? 0
  }

  /// Returns rows for the workloads with small and with large standard deviations.
  ///
  /// The rows show how much of the missing power is due to the machine's noise.
  private static func byDeviation(
    _ judged: [(record: RoundRecord, winner: String?)],
    in table: TextTable
  ) -> [String] {
    let limit = 0.15
    return [true, false].compactMap { isCalm in
      let own = judged.filter { ($0.record.deviation <= limit) == isCalm }
      guard !own.isEmpty else { return nil }
      let winners = own.compactMap(\.winner)
      let right = winners.count { $0 == "first" }
      return table.line([
        "  times \(isCalm ? "up to" : "above") ±15 %", "\(own.count)", "\(right)",
        "\(winners.count - right)", RateInterval(hits: right, of: own.count).shares, "",
      ])
    }
  }
}
