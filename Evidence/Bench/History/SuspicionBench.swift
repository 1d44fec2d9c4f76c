import ArgumentParser
import Basics
import Compare
import Foundation
import Runner

struct SuspicionBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "suspicions",
    abstract: "Measure how often short histories without a change, and with one, are suspected.",
    discussion: """
      Each history without a change has 20 series and 15 commits, and is looked at after each \
      commit from the tenth on; a suspicion counts even if it is later withdrawn. Each series with \
      a change has a step of 50 % with five to ten commits before it and at least five after it; it \
      is found if it is ascribed to that commit or a neighbor. With '--otava' (needs python3 with \
      apache-otava) Otava judges the first 400 and 102 of these series after the same commits.

      EXAMPLE: bench suspicions --otava --output Evidence/Results/changes
      """
  )

  static let commits = 15
  static let step = 0.5

  @Option(help: "Number of histories without a change, for each kind of noise.")
  var histories = 100

  @Option(help: "Number of series with a change, for each kind of noise.")
  var stepped = 1_000

  @Option(help: "Random seed of the series. The rule was tuned with seed 1 of another program.")
  var seed: UInt64 = 41

  @Flag(help: "Also run Otava itself.")
  var otava = false

  @Option(
    help: ArgumentHelp(
      "Folder for suspicions.csv. Without it, the table is only printed.",
      valueName: "folder"
    )
  )
  var output: String?

  private static let noises: [(kind: NullSeries.Kind, spread: Double)] =
    NullSeries.Kind.allCases.map { ($0, 0.03) } + [(.independent, 0.1), (.autocorrelated, 0.1)]

  func run() throws {
    let columns =
      "name,series,spread,detector,histories,withSuspicion,upper,count,suspicions,stepped,found,lower"
    var rows = [columns]
    print(columns)
    for (kind, spread) in Self.noises {
      let null = (0..<(histories * HistoryBench.seriesPerHistory)).map {
        series(kind, spread, $0, step: 0, at: 0)
      }
      let places = (0..<stepped).map { 5 + $0 % 6 }
      let changed = places.enumerated().map {
        series(kind, spread, 1_000_000 + $0, step: Self.step, at: $1)
      }
      var detectors = [("StoreBench", null.map(Self.own), changed.map(Self.own))]
      if otava {
        let options = ["1", "10"]
        detectors.append(
          (
            "Otava", try HistoryBench.otava(Array(null.prefix(400)), options).map(\.places),
            try HistoryBench.otava(Array(changed.prefix(102)), options).map(\.places)
          )
        )
      }
      for (name, suspected, found) in detectors {
        let size = HistoryBench.seriesPerHistory
        let histories = suspected.count / size
        let with = (0..<histories).count { history in
          suspected[(history * size)..<((history + 1) * size)].contains { !$0.isEmpty }
        }
        let hits = zip(places, found).count { place, found in
          found.contains { abs($0 - place) <= 1 }
        }
        let title = "\(kind.title) \((spread * 100).shortest) % · \(name)"
        let fields = [
          title, kind.rawValue, spread.shortest, name, "\(histories)", "\(with)",
          RateInterval(hits: with, of: histories).upper.shortest, "\(suspected.count)",
          "\(suspected.count { !$0.isEmpty })", "\(found.count)",
          (Double(hits) / Double(found.count)).shortest,
          RateInterval(hits: hits, of: found.count).lower.shortest,
        ]
        rows.append(fields.joined(separator: ","))
        print(rows[rows.count - 1])
      }
    }
    guard let output else { return }
    try AtomicFile.write(rows.joined(separator: "\n") + "\n", to: output + "/suspicions.csv")
  }

  private func series(
    _ kind: NullSeries.Kind,
    _ spread: Double,
    _ number: Int,
    step: Double,
    at place: Int
  ) -> [Double] {
    NullSeries(kind, seed: seed &* 1_000_003 &+ UInt64(number), spread: spread)
      .values(Self.commits, step: step, at: place)
  }

  /// Returns the commits that StoreBench suspects at any length of the growing series.
  private static func own(_ values: [Double]) -> [Int] {
    let places = (2 * SuspectedStep.lasting...values.count).compactMap {
      SuspectedStep(in: Array(values[..<$0]))?.place
    }
    return Set(places).sorted()
  }
}
