import Basics
import Runner

/// Simulates workloads with random times, whose rounds are scheduled by the product's own rule.
///
/// The rule consists of the looks, the choice of cases for further rounds, and a time limit that
/// can end the rounds of any job (a group of alternative cases).
struct RoundSimulation {
  struct Shape {
    let name: String
    let jobs: Int
    /// The work of each alternative, as a multiple of the first alternative's work.
    let work: [Double]

    static let all = [
      Shape(name: "equal, 1 job of 2", jobs: 1, work: [1, 1]),
      Shape(name: "equal, 1 job of 4", jobs: 1, work: [1, 1, 1, 1]),
      Shape(name: "equal, 4 jobs of 2", jobs: 4, work: [1, 1]),
      Shape(name: "3 equal, 1 twice as much", jobs: 1, work: [1, 1, 1, 2]),
      Shape(name: "10 % more work", jobs: 1, work: [1, 1.1]),
      Shape(name: "25 % more work", jobs: 1, work: [1, 1.25]),
      Shape(name: "twice the work", jobs: 1, work: [1, 2]),
    ]
  }

  struct Row {
    let shape: Shape
    var workloads = 0
    var right = 0
    var wrong = 0
    var trials = 0
  }

  private static let labels = ["first", "second", "third", "fourth"]
  private static let looks = FurtherRounds.looks(after: FurtherRounds.looks[0])

  private let tails: TrialSimulation.Tails
  private var random: SplitMix64

  init(_ tails: TrialSimulation.Tails, seed: UInt64) {
    self.tails = tails
    random = SplitMix64(state: seed)
  }

  mutating func row(of shape: Shape, workloads: Int) -> Row {
    var row = Row(shape: shape)
    for _ in 0..<workloads { add(workload(shape), to: &row) }
    return row
  }

  private func add(_ jobs: [FindingVerdicts.Job], to row: inout Row) {
    row.workloads += 1
    row.trials += jobs.joined().reduce(0) { $0 + $1.seconds.count }
    guard let winner = FindingVerdicts.winner(of: jobs, looks: Self.looks) else { return }
    // A named winner is right only if it does less work than every other alternative.
    let isRight = winner == "first" && row.shape.work.dropFirst().allSatisfy { $0 > 1 }
    if isRight { row.right += 1 } else { row.wrong += 1 }
  }

  private mutating func workload(_ shape: Shape) -> [FindingVerdicts.Job] {
    // The standard deviation of log times is 0.025 to 0.1, depending on the case.
    var scales: [[Double]] = []
    var jobs: [FindingVerdicts.Job] = (0..<shape.jobs).map { _ in
      scales.append(shape.work.map { _ in 0.05 * exp(0.7 * (2 * share() - 1)) })
      return zip(Self.labels, shape.work).map { label, _ in (label, [Double]()) }
    }
    let inquiry = FindingVerdicts.inquiry
    var open = OpenComparisons(inquiry)
    var chosen = Set(jobs.indices.flatMap { job in shape.work.indices.map { [job, $0] } })
    var last = 0
    for look in Self.looks {
      for job in jobs.indices {
        for place in jobs[job].indices where chosen.contains([job, place]) {
          jobs[job][place].seconds += (last..<look).map { _ in
            shape.work[place] * exp(scales[job][place] * tails.draw(&random))
          }
        }
      }
      last = look
      let ids = open.cases(of: FindingVerdicts.workload(jobs, looks: Self.looks), after: look)
      // After each look, every job reaches the time limit with a probability of 10 %.
      let isOver = jobs.map { _ in share() < 0.1 }
      chosen = chosen.filter { place in
        !isOver[place[0]] && ids.contains("\(place[0])/\(Self.labels[place[1]])")
      }
    }
    return jobs
  }

  private mutating func share() -> Double { Double(random.next() >> 11) * 0x1p-53 }
}
