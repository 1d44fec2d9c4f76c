import ArgumentParser
import Basics
import Compare
import Foundation
import Runner
import WorkloadKinds

/// Measures how much blocks (alternating slices of two equal sides) scatter, by processor placement
/// and by the statistic that reduces a block to one number.
///
/// The design of the live comparison is based on the results.
struct ScatterBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scatter",
    abstract: "Measure how far blocks of equal sides scatter, by placement and block statistic.",
    discussion: """
      A case is compared with itself, block after block. Each line of the table is a way to place \
      the two processes. The cells are the robust and the plain standard deviation of the blocks' \
      log ratios, for three statistics of the same time slices. Placements take turns, with and \
      without background load.

      EXAMPLE: bench scatter --blocks 100
      """
  )

  @Option(help: "Number of blocks for each case and placement.")
  var blocks = 60

  @Option(help: "Workload files that only read, or folders of them.")
  var workloads = TruthSetting.rows

  @Option(help: "The release build of storebench that runs the trials.")
  var storebench = ".build/release/storebench"

  @Option(help: "Folder for stores and copies.")
  var work = ".storebench"

  private static let statistics: [(name: String, statistic: @Sendable ([SlicePair]) -> Double)] = [
    ("lower fifths", { BlockStatistic.lowerFifths.logRatio(of: $0) ?? 0 }),
    ("pairs' median", { pairs in pairs.map { log($0.head / $0.base) }.median }),
    ("sums", { BlockStatistic.ratioOfSums.logRatio(of: $0) ?? 0 }),
  ]

  func validate() throws {
    guard (2...100_000).contains(blocks) else {
      throw ValidationError("'\(blocks)' must be a number of blocks, 2 or more")
    }
  }

  func run() throws {
    let setting = try TruthSetting(
      ledgers: TruthLedgers(folder: work),
      program: storebench,
      workFolder: work
    )
    let cases = try setting.equalCases(workloads)
    let table = TruthReport.table(first: 24, 18, 18, 18)
    print("Robust and plain standard deviation of a block, median of \(cases.count) cases")
    print("of \(blocks) blocks.")
    print(table.line([""] + Self.statistics.map(\.name)))
    for hasOtherLoad in [false, true] {
      for placement in TraceRunner.Placement.allCases {
        let scatter = try setting.perform(withOtherLoad: hasOtherLoad) {
          try cases.map { try scatters(of: $0, placement, setting) }
        }
        let cells = Self.statistics.indices.map { index in
          let (robust, plain) = (scatter.map(\.[index].robust), scatter.map(\.[index].plain))
          return
            "\(Figures.percent(robust.median, decimals: 1)) \(Figures.percent(plain.median, decimals: 1))"
        }
        print(table.line([placement.title + (hasOtherLoad ? ", other load" : "")] + cells))
        fflush(nil)
      }
    }
  }

  private func scatters(
    of pair: LiveCase,
    _ placement: TraceRunner.Placement,
    _ setting: TruthSetting
  ) throws -> [(robust: Double, plain: Double)] {
    let runner = TraceRunner(provider: setting.provider, scratch: try setting.scratch())
    let blocks = try runner.blocks(
      blocks,
      of: pair,
      layout: .lockstep,
      placement: placement,
      slicing: Slicing(),
      seed: 1
    )
    return Self.statistics.map { statistic in
      let values = blocks.map { statistic.statistic($0.pairs) }
      let squares = values.reduce(0) { $0 + $1 * $1 } / Double(values.count)
      return (RobustScale.scale(of: values), squares.squareRoot())
    }
  }
}

extension TraceRunner.Placement {
  fileprivate var title: String {
    switch self {
    case .oneProcessor: "one processor"
    case .anywhere: "anywhere"
    }
  }
}
