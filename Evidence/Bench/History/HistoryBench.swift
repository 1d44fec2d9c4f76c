import ArgumentParser
import Basics
import Compare
import Foundation
import Runner

struct HistoryBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history",
    abstract: "Measure how often changes are found in histories with and without a change.",
    discussion: """
      Each history has 20 series and 200 commits, and is judged after every commit; an alarm \
      counts even if it is later withdrawn. The rule of Perfherder judges the same histories. With \
      '--otava' (needs python3 with apache-otava) Otava does too, but only after every fortieth \
      commit, which can only lower its number of alarms.

      EXAMPLE: bench history --histories 100 --otava --output Evidence/Results/changes
      """
  )

  static let commits = 200
  static let change = 100
  static let seriesPerHistory = 20

  @Option(help: "Number of histories without a change, for each kind of noise.")
  var histories = 100

  @Option(
    help: """
      Random seed of the series. The rule was tuned with other seeds than the published figures.
      """
  )
  var seed: UInt64 = 2

  @Option(help: "Number of series with a change, for each kind of noise and size of change.")
  var stepped = 400

  @Flag(help: "Also run Otava itself.")
  var otava = false

  @Option(
    help: ArgumentHelp(
      """
      Folder for detectors.csv. Without it, the table is only printed.
      """,
      valueName: "folder"
    )
  )
  var output: String?

  static let steps = [0.0, 0.02, 0.05, 0.1]

  func run() throws {
    var rows = [DetectorRow.columns]
    print(DetectorRow.columns)
    for kind in NullSeries.Kind.allCases {
      var answers: [[(detector: String, answers: [Answer])]] = []
      for step in Self.steps {
        let count = step == 0 ? histories * Self.seriesPerHistory : stepped
        let series = (0..<count).map { number in
          NullSeries(kind, seed: seed &* 1_000_003 &+ UInt64(number))
            .values(Self.commits, step: step, at: Self.change)
        }
        answers.append(try self.answers(to: series, named: "\(kind) \(step)", isNull: step == 0))
      }
      for (index, detector) in answers[0].map(\.detector).enumerated() {
        let row = DetectorRow(
          series: kind,
          detector: detector,
          null: answers[0][index].answers,
          stepped: answers.dropFirst().map { $0[index].answers }
        )
        print(row.text)
        rows.append(row.text)
      }
    }
    guard let output else { return }
    try AtomicFile.write(rows.joined(separator: "\n") + "\n", to: output + "/detectors.csv")
  }

  private func answers(
    to series: [[Double]],
    named name: String,
    isNull: Bool
  ) throws -> [(detector: String, answers: [Answer])] {
    var answers = [
      ("StoreBench", series.enumerated().map { Self.own($1, named: "\(name) \($0)") }),
      ("Perfherder", series.map(Self.perfherder)),
    ]
    if otava {
      answers.append(("Otava", try Self.otava(Array(series.prefix(isNull ? 600 : 50)))))
    }
    return answers
  }

  /// The commits at which a detector reports a change in a series.
  struct Answer {
    var places: [Int] = []
    var isUndecided = false
  }

  private static func own(_ values: [Double], named name: String) -> Answer {
    switch ChangePointTest(series: seriesPerHistory).verdict(of: values, named: name) {
    case .noChange: Answer()
    case .change(let place, _, _): Answer(places: [place])
    case .autocorrelated, .tooFew, .suspected: Answer(isUndecided: true)
    }
  }

  /// Applies the rule of Treeherder's perfalert: a t above 7 that is the largest among neighboring
  /// commits.
  ///
  /// It compares weighted means of the 12 values before and after the commit.
  static func perfherder(_ values: [Double]) -> Answer {
    let window = 12
    var scores = [Double](repeating: 0, count: values.count)
    var places: [Int] = []
    for place in window..<max(values.count - window + 1, window) {
      let before = Array(values[(place - window)..<place].reversed())
      scores[place] = weightedT(before, Array(values[place..<(place + window)]))
    }
    for place in scores.indices where scores[place] > 7 {
      let near = scores[max(0, place - window)..<min(scores.count, place + window + 1)]
      if near.allSatisfy({ $0 <= scores[place] }) { places.append(place) }
    }
    return Answer(places: places)
  }

  /// Returns t; the weights fall linearly with the distance from the change.
  private static func weightedT(_ first: [Double], _ second: [Double]) -> Double {
    func facts(_ values: [Double]) -> (mean: Double, variance: Double) {
      let weights = values.indices.map { 1 - Double($0) / Double(values.count) }
      let sum = weights.reduce(0, +)
      let mean = zip(values, weights).reduce(0) { $0 + $1.0 * $1.1 } / sum
      let squares = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
      return (mean, squares / Double(values.count - 1))
    }
    let (a, b) = (facts(first), facts(second))
    let pooled = (a.variance + b.variance) / Double(first.count)
    return pooled > 0 ? abs(a.mean - b.mean) / pooled.squareRoot() : (a.mean == b.mean ? 0 : 1e9)
  }

  /// Returns the changes that Otava finds; `options` are the interval of its checks and the first
  /// checked commit.
  static func otava(_ series: [[Double]], _ options: [String] = []) throws -> [Answer] {
    let folder = try BenchFolder()
    let path = try folder.file("series.json")
    try AtomicFile.write(String(decoding: JSONEncoder().encode(series), as: UTF8.self), to: path)
    let script = "Evidence/scripts/otava-alarms"
    guard let answer = Tool(name: "python3").run([script, path] + options), answer.status == 0
    else {
      throw ValidationError(
        "'python3 Evidence/scripts/otava-alarms' failed: install Otava with 'pip install apache-otava'"
      )
    }
    let places = try JSONDecoder().decode([[Int]].self, from: Data(answer.output.utf8))
    return places.map { Answer(places: $0) }
  }
}

struct DetectorRow {
  static let columns: String = {
    let shares = HistoryBench.steps.dropFirst().map { step in
      let percent = Int((step * 100).rounded())
      return ",found\(percent),undecided\(percent)"
    }
    return "name,series,detector,count,alarms,undecided,histories,withAlarm,upper"
      + shares.joined() + ",stepped"
  }()

  let series: NullSeries.Kind
  let detector: String
  let null: [HistoryBench.Answer]
  /// The answers to series with a step, as one list for each step size.
  let stepped: [[HistoryBench.Answer]]

  var text: String {
    let size = HistoryBench.seriesPerHistory
    let histories = null.count / size
    let with = (0..<histories).count { history in
      null[(history * size)..<((history + 1) * size)].contains { !$0.places.isEmpty }
    }
    let shares = stepped.flatMap { answers -> [String] in
      let found = answers.count { answer in
        answer.places.contains { abs($0 - HistoryBench.change) <= 10 }
      }
      return [Self.share(found, of: answers), Self.undecided(answers)]
    }
    let fields: [String] =
      [
        "\(series.title) · \(detector)", series.rawValue, detector, "\(null.count)",
        "\(null.count { !$0.places.isEmpty })", Self.undecided(null), "\(histories)", "\(with)",
        RateInterval(hits: with, of: histories).upper.shortest,
      ] + shares + ["\(stepped.first?.count ?? 0)"]
    return fields.joined(separator: ",")
  }

  private static func undecided(_ answers: [HistoryBench.Answer]) -> String {
    share(answers.count { $0.places.isEmpty && $0.isUndecided }, of: answers)
  }

  private static func share(_ hits: Int, of answers: [HistoryBench.Answer]) -> String {
    (Double(hits) / Double(max(answers.count, 1))).shortest
  }
}

/// Random times of successive commits, with mean 1 and a standard deviation of 3 % unless set
/// otherwise.
struct NullSeries {
  enum Kind: String, CaseIterable {
    case independent
    /// One value in twenty is an outlier of up to several standard deviations.
    case spiky
    /// All values are multiples of 2 %.
    case quantized
    /// Each value keeps 30 % of its predecessor's deviation; with `autocorrelated`, 70 %.
    case weaklyAutocorrelated
    case autocorrelated

    var title: String {
      switch self {
      case .independent, .spiky, .quantized: rawValue
      case .weaklyAutocorrelated: "autocorrelated 0.3"
      case .autocorrelated: "autocorrelated 0.7"
      }
    }
  }

  private let kind: Kind
  private let seed: UInt64
  private let spread: Double

  init(_ kind: Kind, seed: UInt64, spread: Double = 0.03) {
    (self.kind, self.seed, self.spread) = (kind, seed, spread)
  }

  func values(_ count: Int, step: Double, at place: Int) -> [Double] {
    var random = SplitMix64(state: SplitMix64.hash("\(kind) \(step)") &+ seed &* 0x9E37_79B9)
    let memory = kind == .autocorrelated ? 0.7 : kind == .weaklyAutocorrelated ? 0.3 : 0
    var level = Self.normal(&random)
    return (0..<count).map { index in
      level = memory * level + (1 - memory * memory).squareRoot() * Self.normal(&random)
      var value = 1 + spread * level
      if kind == .spiky, Double.random(in: 0..<1, using: &random) < 0.05 {
        value += -10 * spread * log(1 - Double.random(in: 0..<1, using: &random))
      }
      if index >= place { value *= 1 + step }
      return kind == .quantized ? (value * 50).rounded() / 50 : value
    }
  }

  private static func normal(_ random: inout SplitMix64) -> Double {
    let radius = (-2 * log(1 - Double.random(in: 0..<1, using: &random))).squareRoot()
    return radius * cos(2 * .pi * Double.random(in: 0..<1, using: &random))
  }
}
