import Basics
import Runner

/// The medians of earlier runs in one environment: how much runs of one thing scatter.
package struct EarlierResults: Hashable, Sendable {
  /// What is judged by earlier runs: the figures that a reader looks at first.
  package static let judged: [Metric] = [.wallClock, .firstScreen, .peakMemory]
  /// In how many of all comparisons of unchanged code a rise may be found all the same, over all
  /// cases and metrics together.
  package static let falseAlarms = 0.005

  /// How many results count.
  package private(set) var count = 0
  /// The first fact by which each of the others differs from the result that is judged.
  package private(set) var leftOut: [String] = []
  private let result: ResultDocument
  /// By case and metric.
  private var medians: [[String]: [Double]] = [:]
  private var known: Set<[String]>

  /// What tells one run from another, since no two of one machine begin at one time.
  private static func key(of document: ResultDocument) -> [String] {
    [document.environment.machine, document.environment.startedAt]
      + document.workloads.map(\.workload)
  }

  /// Nothing earlier than a result that is to be judged.
  package init(than result: ResultDocument) {
    self.result = result
    known = [Self.key(of: result)]
  }

  /// Takes the medians of one more result; the same one a second time, and the one that is judged,
  /// count for nothing.
  package mutating func add(_ earlier: ResultDocument) {
    guard known.insert(Self.key(of: earlier)).inserted else { return }
    // Where cases ran on several machines, each is compared with those of its own below.
    let isMixed = result.hasSeveralEnvironments || earlier.hasSeveralEnvironments
    if let mismatch = Mismatch.unequal(result.environment, beside: earlier.environment).first,
      !isMixed
    {
      leftOut.append(mismatch.fact)
      return
    }
    let theirs = earlier.workloadsByName
    let pairs = result.workloads.compactMap { ours in
      theirs[ours.workload].map { (ours: ours, theirs: $0) }
    }
    let alike = pairs.filter { Mismatch.unequal($0.ours, beside: $0.theirs).isEmpty }
    for (ours, theirs) in alike { add(theirs, of: ours, in: isMixed ? earlier : nil) }
    if alike.isEmpty {
      let mismatch = pairs.lazy.flatMap { Mismatch.unequal($0.ours, beside: $0.theirs) }.first
      leftOut.append(mismatch?.fact ?? "workloads")
    } else {
      count += 1
    }
  }

  /// Takes the medians of a workload; of a document, those of cases in equal environments.
  private mutating func add(
    _ earlier: WorkloadResult,
    of ours: WorkloadResult,
    in document: ResultDocument?
  ) {
    let cases = ours.casesByID
    for result in earlier.cases where result.outcome == .passed {
      guard let own = cases[result.id], Mismatch.forbidding(own, against: result).isEmpty else {
        continue
      }
      if let theirs = document?.environment(of: result.id),
        !Mismatch.unequal(self.result.environment(of: result.id), beside: theirs).isEmpty
      {
        continue
      }
      for metric in Self.judged {
        guard let median = result.sample(of: metric.name)?.median else { continue }
        medians[[result.id, metric.name], default: []].append(median)
      }
    }
  }

  /// What is usual for a metric of a case, where enough runs tell.
  func usual(_ metric: String, in caseID: String, level: Double) -> UsualRange? {
    medians[[caseID, metric]].flatMap { UsualRange(medians: $0, level: level) }
  }

  /// The probability with which one comparison may be wrong, so that all of them together keep
  /// their promise, however they depend on each other (Bonferroni).
  var level: Double {
    let judged = medians.values.filter { $0.count >= UsualRange.fewestRuns }.count
    // All planned cases count, on whichever machine they ran, whatever is missing so far.
    let planned = (result.plan?.cases.count ?? 0) * Self.judged.count
    return Self.falseAlarms / Double(max(judged, planned, 1))
  }
}

/// What the median of one more run of unchanged code is, from the medians of earlier runs.
///
/// The prediction interval of the logarithms: mean ± t · s · √(1 + 1/k), t with k − 1 degrees of
/// freedom. Single measurements do not come in: within one run they scatter less than runs do.
package struct UsualRange: Hashable, Sendable {
  /// Fewer runs say too little of how runs scatter.
  package static let fewestRuns = 5
  /// A change that is smaller is none, however alike the runs were.
  package static let smallestChange = 0.01

  package let runs: Int
  package let lower: Double
  package let upper: Double

  /// The range that one more median leaves, above or below each, with a probability of `level`;
  /// `nil` for fewer than five medians and where one of them is not positive.
  package init?(medians: [Double], level: Double) {
    guard medians.count >= Self.fewestRuns, medians.allSatisfy({ $0 > 0 && $0.isFinite }),
      let spread = Summary(of: medians.map { log($0) }), let deviation = spread.standardDeviation
    else { return nil }
    runs = medians.count
    let t = StudentT(degrees: Double(runs - 1)).upperQuantile(level)
    let distance = max(
      t * deviation * (1 + 1 / Double(runs)).squareRoot(),
      log1p(Self.smallestChange)
    )
    lower = exp(spread.mean - distance)
    upper = exp(spread.mean + distance)
  }

  func verdict(of value: Double) -> Verdict {
    if value > upper { return .regressed }
    return value < lower ? .improved : .unchanged
  }
}
