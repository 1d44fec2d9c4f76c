import Measurement

/// What the runs of one case say, in two halves that worked in different folders.
struct CounterLine {
  let first: CaseResult
  let second: CaseResult
  let runs: Int

  var isEqual: Bool { problem == nil }

  /// `20 of 20 equal · 53 counters · ci/fetch/...`, or what is wrong.
  var text: String {
    let name = "\(first.exactSamples.count) counters · \(first.id)"
    guard let problem else { return "\(runs) of \(runs) equal · \(name)" }
    return "NOT EQUAL · \(name): \(problem)"
  }

  private var problem: String? {
    for case .failed(let cause) in [first.outcome, second.outcome] { return cause }
    let unequal = [first, second].flatMap { $0.unequalCounters(trials: runs / 2) }
    let between = first.exactSamples.filter { sample in
      second.sample(of: sample.metric.name)?.trials.first != sample.trials.first
    }.map(\.metric.name)
    let names = Set(unequal + between).sorted()
    guard names.isEmpty else { return names.joined(separator: ", ") }
    return first.exactSamples.isEmpty ? "there is no counter" : nil
  }
}
