import Basics

// Rules for findings about memory use and about the phases of the work.
extension FindingRules {
  /// The smallest memory ratio worth reporting.
  private static let leastFactor = 1.2

  /// Adds a finding on the alternative that needs the most memory, and on how its memory grows with
  /// the size that varies among the cases.
  mutating func addMemory(of parameter: String) {
    let contests = contests(of: parameter)
    let found = contests.compactMap { contest in
      extreme(in: contest, .peakMemory).map { (contest: contest, pair: $0) }
    }
    guard let most = found.max(by: { $0.pair.difference.lower < $1.pair.difference.lower }),
      exp(most.pair.difference.lower) >= Self.leastFactor
    else { return }
    let (low, high) = (most.pair.low, most.pair.high)
    let ratio = Finding.Figure.ratio(
      "memory of \(high.label) / memory of \(low.label)",
      .peakMemory,
      most.pair.difference
    )
    let (scope, others) = scope(of: most.contest, among: contests, found: found.count)
    let growth = growth(of: high.label, in: contests, with: most.contest)
    add(
      .memory,
      "\(scope)\(FindingText.value(high.label, of: parameter)) needs "
        + "\(FindingText.digits(ratio.value, 2)) times as much memory as "
        + FindingText.value(low.label, of: parameter),
      values(high, low, .peakMemory, ratio) + others + (growth.map { "; \($0.text)" } ?? ""),
      figures: [ratio] + (growth.map { [$0.figure] } ?? []),
      of: [low.index, high.index] + (growth?.cases ?? [])
    )
  }

  /// Returns how much more memory an alternative needs at the largest size than at the smallest;
  /// `nil` if the growth is small or unclear.
  ///
  /// The other parameters are those of `contest`.
  private func growth(
    of label: String,
    in contests: [Contest],
    with contest: Contest
  ) -> (text: String, figure: Finding.Figure, cases: [Int])? {
    guard let sweep = Sweep(contests, trials.inquiry) else { return nil }
    for row in sweep.rows where row.contests.contains(contest) {
      guard let small = row.contests.first?.contenders.first(where: { $0.label == label }),
        let large = row.contests.last?.contenders.first(where: { $0.label == label }),
        let difference = trials.difference(large.index, small.index, .peakMemory),
        exp(difference.lower) >= Self.leastFactor, let first = row.sizes.first,
        let last = row.sizes.last
      else { continue }
      let figure = Finding.Figure.ratio(
        "memory at \(sweep.parameter) \(last.shortest) / at \(first.shortest)",
        .peakMemory,
        difference
      )
      let factor = FindingText.factor(figure)
      return (
        "its memory grows \(factor) times while \(sweep.parameter) grows "
          + (first > 0
            ? "\(FindingText.digits(last / first, 2)) times" : "from 0 to \(last.shortest)"),
        figure, [small.index, large.index]
      )
    }
    return nil
  }

  /// Adds a finding on the phase that takes most of the time, if it is the same phase in most
  /// cases.
  mutating func addPhases() {
    var shares: [String: [(index: Int, range: ClosedRange<Double>)]] = [:]
    var count = 0
    for (index, result) in trials.plan.cases.enumerated() {
      let whole = result.trialValues(of: .wallClock)
      let phases = result.samples.filter { $0.metric.name.hasPrefix("phase.") }
      guard phases.count > 1 else { continue }
      count += 1
      for sample in phases {
        let parts = zip(result.trialValues(of: sample.metric), whole).map { $0 / max($1, 1e-12) }
        guard let least = parts.min(), let most = parts.max(), least > 0.5 else { continue }
        let name = String(sample.metric.name.dropFirst("phase.".count))
        shares[name, default: []].append((index, least...min(most, 1)))
      }
    }
    let leading = shares.max { ($0.value.count, $1.key) < ($1.value.count, $0.key) }
    guard let (name, cases) = leading, 2 * cases.count > count else { return }
    let least = cases.map(\.range.lowerBound).min() ?? 0
    let most = cases.map(\.range.upperBound).max() ?? 0
    let all = trials.plan.cases
    let only = cases.count == 1 && all.count > 1 ? all[cases[0].index] : nil
    let subject = trials.plan.alternatives.first.flatMap { main in
      only?.parameters[main].map { FindingText.value($0, of: main) }
    }
    let scope =
      cases.count == all.count
      ? (count == 1 ? "" : " in every case") : " in \(cases.count) of \(all.count) cases"
    add(
      .phase,
      subject.map { "\($0): the phase '\(name)' takes most of the time" }
        ?? "The phase '\(name)' takes most of the time\(scope)",
      "\([least, most].map(\.percent).unique.joined(separator: " to ")) of the time of each trial",
      figures: [
        Finding.Figure(
          "share of \(name), least and most of all trials",
          metric: "phase." + name,
          unit: .ratio,
          value: TrialIntervals.median(
            cases.map { ($0.range.lowerBound + $0.range.upperBound) / 2 }
          ),
          lower: least,
          upper: most
        )
      ],
      of: cases.map(\.index),
      comparing: false
    )
  }
}
