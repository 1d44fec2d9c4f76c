import Basics

@testable import Runner

/// Workloads with seeded trials; each test sets the medians of the times.
struct FindingFixture {
  private var random: SplitMix64
  private(set) var cases: [CaseResult] = []
  /// The standard deviation of the logarithms of the trials' times.
  let noise: Double

  init(seed: UInt64 = 1, noise: Double = 0.02) {
    random = SplitMix64(state: seed)
    self.noise = noise
  }

  /// Adds a case whose trials scatter around the given medians.
  mutating func add(
    _ parameters: [String: String],
    seconds: Double,
    screen: Double? = nil,
    memory: Double? = nil,
    phases: [String: Double] = [:],
    trials: Int = 5,
    job: String = "job",
    method: String? = nil,
    behaviours: [Behaviour] = []
  ) {
    var samples = [sample(.wallClock, seconds, trials)]
    if let screen { samples.append(sample(.firstScreen, screen, trials)) }
    if let memory { samples.append(sample(.peakMemory, memory, trials, noise: 0.003)) }
    for (name, share) in phases.sorted(by: { $0.key < $1.key }) {
      let times = samples[0].trials.map { $0.map { $0 * share } }
      samples.append(Sample(metric: .phase(name), trials: times))
    }
    let text = parameters.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    cases.append(
      CaseResult(
        id: "w/" + text.joined(separator: ","),
        parameters: parameters,
        outcome: .passed,
        samples: samples,
        behaviours: behaviours,
        job: job,
        method: method
      )
    )
  }

  private mutating func sample(
    _ metric: Metric,
    _ median: Double,
    _ trials: Int,
    noise: Double? = nil
  ) -> Sample {
    Sample(
      metric: metric,
      trials: (0..<trials).map { _ in [median * exp((noise ?? self.noise) * gaussian())] }
    )
  }

  private mutating func gaussian() -> Double {
    let first = (Double(random.next() >> 11) + 0.5) * 0x1p-53
    let second = Double(random.next() >> 11) * 0x1p-53
    return (-2 * log(first)).squareRoot() * cos(2 * .pi * second)
  }

  func analysis(_ inquiry: Inquiry = FindingFixture.inquiry) -> FindingAnalysis {
    var workload = Fixture.workload("w")
    workload.cases = cases
    return FindingAnalysis(workload, inquiry)
  }

  func findings(_ inquiry: Inquiry = FindingFixture.inquiry) -> [Finding] {
    analysis(inquiry).findings
  }

  static let inquiry = Inquiry(
    parameters: ["engine", "strategy", "operation", "size", "batchSize"],
    byteParameters: ["size"]
  )
}

extension Finding {
  /// The claim and the detail, as reports print them.
  var text: String { "\(claim). \(detail)." }
}
