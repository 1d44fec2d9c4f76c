import Basics
import Runner

/// The medians of earlier runs in the same environment, which show the variation between runs of
/// the same work.
package struct EarlierResults: Hashable, Sendable {
  /// The metrics that are judged against earlier runs: the metrics that users look at first.
  package static let judged: [Metric] = [.wallClock, .firstScreen, .peakMemory]
  /// The maximum probability that a comparison of unchanged code reports an increase in any metric
  /// of any case.
  package static let falseAlarms = 0.005

  /// The number of earlier results that are used.
  package private(set) var count = 0
  /// For each excluded result, the first property in which it differs from the judged result.
  package private(set) var leftOut: [String] = []
  private let result: ResultDocument
  private var medians: [[String]: [Double]] = [:]
  private var known: Set<[String]>

  /// The properties that identify a run; two runs cannot start on one machine at the same time.
  private static func key(of document: ResultDocument) -> [String] {
    [document.environment.machine, document.environment.startedAt]
      + document.workloads.map(\.workload)
  }

  /// Creates an empty collection of earlier results for judging the given result.
  package init(than result: ResultDocument) {
    self.result = result
    known = [Self.key(of: result)]
  }

  /// Adds the medians of another result; the judged result, and results that were added before, are
  /// ignored.
  package mutating func add(_ earlier: ResultDocument) {
    guard known.insert(Self.key(of: earlier)).inserted else { return }
    // If cases ran on several machines, environments are compared case by case.
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

  /// Adds the medians of a workload; if a document is given, only of cases that ran in equal
  /// environments.
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

  func usual(_ metric: String, in caseID: String, level: Double) -> UsualRange? {
    medians[[caseID, metric]].flatMap { UsualRange(medians: $0, level: level) }
  }

  /// The error probability per comparison, chosen so that the probability of any false alarm stays
  /// within ``falseAlarms`` even if comparisons depend on each other (Bonferroni).
  var level: Double {
    let judged = medians.values.filter { $0.count >= UsualRange.fewestRuns }.count
    // All planned cases count, including those that ran on other machines or are missing.
    let planned = (result.plan?.cases.count ?? 0) * Self.judged.count
    return Self.falseAlarms / Double(max(judged, planned, 1))
  }
}

/// The range in which the median of another run of unchanged code is expected, given the medians of
/// earlier runs.
///
/// It is the prediction interval of the logarithms: mean ± t · s · √(1 + 1/k), where t has k − 1
/// degrees of freedom. Single measurements are not used, because measurements within a run vary
/// less than the medians of different runs.
package struct UsualRange: Hashable, Sendable {
  /// The minimum number of earlier runs that determine a usual range.
  package static let fewestRuns = 5
  /// The minimum change that counts, even if the runs hardly vary.
  package static let smallestChange = 0.01

  package let runs: Int
  package let lower: Double
  package let upper: Double

  /// Computes the range that another median exceeds with a probability of `level`, and falls below
  /// with the same probability.
  ///
  /// Returns `nil` if there are fewer than five medians or a median is not positive.
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
