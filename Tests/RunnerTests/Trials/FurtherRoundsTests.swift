import Basics
import TestSupport
import Testing

@testable import Runner

/// Tests, with scripted times, which cases get further rounds, their order, and when they end.
struct FurtherRoundsTests {
  private let bench: Bench

  init() throws {
    bench = try Bench()
  }

  private func run(
    _ text: String,
    _ executor: ScriptedTimes,
    seconds: Double,
    isStopped: @escaping @Sendable () -> Bool = { false },
    save: @escaping (ResultDocument) -> Void = { _ in }
  ) throws -> WorkloadResult {
    let scratch = try ScratchFolder(in: bench.folder.path + "/scratch")
    defer { scratch.remove() }
    let document = try Run(
      plan: try bench.plan(text),
      environment: .example,
      stores: GivenStore(store: bench.store),
      executor: executor,
      scratch: scratch,
      isProfiled: false,
      rounds: FurtherRounds(seconds: seconds, now: executor.now),
      isStopped: isStopped,
      save: save
    ).perform()
    return try #require(document.workloads.first)
  }

  private func trials(_ workload: WorkloadResult) -> [String: Int] {
    Dictionary(
      workload.cases.map {
        ($0.parameters["strategy"] ?? "", $0.sample(of: "wallClock")?.trials.count ?? 0)
      }
    ) { $1 }
  }

  private static let equal = "parameters: { strategy: [scan, probe] }\ntrials: { trials: 3 }"

  /// Times of two equal cases that scatter widely, and of two cases with a clear winner.
  private var mixed: ScriptedTimes {
    ScriptedTimes([
      "scan": (1, 0.3), "probe": (1, 0.3), "raise": (1, 0.01), "raiseInBatches": (1000, 0.01),
    ])
  }

  @Test func `gives further rounds to what is not decided, and to nothing else`() throws {
    let text =
      "parameters: { strategy: [scan, probe, raise, raiseInBatches] }\ntrials: { trials: 3 }"
    let workload = try run(text, mixed, seconds: 1e6)
    #expect(workload.looks == [3, 5, 8, 12, 20])
    #expect(trials(workload) == ["scan": 20, "probe": 20, "raise": 3, "raiseInBatches": 3])
    #expect(workload.cases.allSatisfy { $0.outcome == .passed })
    // An exact metric must have the same value in all trials, including further rounds.
    #expect(!workload.cases.flatMap(\.notes).contains { $0.hasPrefix("not the same") })
    let open = try #require(workload.findings.first { $0.topic == .cannotTell })
    #expect(open.detail.hasPrefix("Not decided after 20 rounds"), "\(open.detail)")
  }

  @Test func `has findings that follow from the samples it keeps`() throws {
    let text =
      "parameters: { strategy: [scan, probe, raise, raiseInBatches] }\ntrials: { trials: 3 }"
    var document = ResultDocument(environment: .example)
    document.workloads = [try run(text, mixed, seconds: 1e6)]
    let kept = try ResultDocument(json: Array(document.text(as: .json).utf8)).workloads[0]
    #expect(kept.looks == document.workloads[0].looks)
    #expect(!kept.findings.isEmpty)
    let inquiry = Inquiry(of: TallyWorkload.self, mix: nil)
    #expect(FindingAnalysis(kept, inquiry).findings == document.workloads[0].findings)
  }

  @Test func `ends at once when all is decided`() throws {
    let times = ScriptedTimes(["scan": (1, 0.01), "probe": (1000, 0.01)])
    let workload = try run(Self.equal, times, seconds: 1e6)
    #expect(trials(workload) == ["scan": 3, "probe": 3])
    #expect(workload.findings.first?.topic == .fastest)
    #expect(times.trials.count == 6)
  }

  @Test func `runs each case once a round, in an order that the seed decides`() throws {
    func order(seed: Int) throws -> [String] {
      let times = ScriptedTimes(["scan": (1, 0.3), "probe": (1, 0.3)])
      let text = Self.equal.replacing("trials: 3", with: "trials: 3, seed: \(seed)")
      #expect(trials(try run(text, times, seconds: 1e6)) == ["scan": 20, "probe": 20])
      return times.trials
    }
    let first = try order(seed: 1)
    for round in 0..<20 { #expect(Set(first[2 * round..<2 * round + 2]).count == 2) }
    #expect(try order(seed: 1) == first)
    #expect(try order(seed: 2) != first)
  }

  @Test(arguments: [(3.5, 3), (4.5, 5), (9.5, 5), (10.5, 8), (18.5, 12), (34.5, 20)])
  func `runs only rounds for which the time suffices`(seconds: Double, rounds: Int) throws {
    // The rounds between the interim looks consist of 4, 6, 8 and 16 trials of 1 s each.
    let times = ScriptedTimes(["scan": (1, 0.3), "probe": (1, 0.3)])
    let workload = try run(Self.equal, times, seconds: seconds)
    #expect(trials(workload) == ["scan": rounds, "probe": rounds])
    #expect(times.trials.count == 2 * rounds)
  }

  @Test func `looks once where not even two cases' rounds fit the time, with narrower intervals`()
    throws
  {
    let scattered = { ScriptedTimes(["scan": (1, 0.3), "probe": (1, 0.3)]) }
    var once = try run(Self.equal, scattered(), seconds: 3.5)
    #expect(once.looks == [])
    #expect(try run(Self.equal, scattered(), seconds: 4.5).looks == [3, 5, 8, 12, 20])
    let inquiry = Inquiry(of: TallyWorkload.self, mix: nil)
    func widths(_ workload: WorkloadResult) -> [Double] {
      FindingAnalysis(workload, inquiry).findings.flatMap(\.figures).compactMap { figure in
        figure.upper.flatMap { upper in figure.lower.map { upper - $0 } }
      }
    }
    let narrow = widths(once)
    once.looks = FurtherRounds.looks(after: 3)
    #expect(!narrow.isEmpty && zip(narrow, widths(once)).allSatisfy(<))
  }

  @Test func `keeps the looks that were reached where it is interrupted`() throws {
    let times = ScriptedTimes(["scan": (1, 0.3), "probe": (1, 0.3)])
    var saved: ResultDocument?
    #expect(throws: Refusal.interrupted) {
      _ = try run(
        Self.equal,
        times,
        seconds: 1e6,
        isStopped: { times.trials.count > 12 },
        save: { saved = $0 }
      )
    }
    let kept = try #require(saved?.workloads.first)
    #expect(trials(kept) == ["scan": 5, "probe": 5])
    #expect(kept.findings.contains { $0.detail.hasPrefix("Not decided after 5 rounds") })
  }

  @Test func `gives a file with one trial no rounds`() throws {
    let times = ScriptedTimes(["scan": (1, 0.3), "probe": (1, 0.3)])
    let text = Self.equal.replacing("trials: 3", with: "trials: 1")
    let workload = try run(text, times, seconds: 1e6)
    #expect(workload.looks == [])
    #expect(trials(workload) == ["scan": 1, "probe": 1])
    #expect(FurtherRounds.looks(after: 20) == [])
    #expect(FurtherRounds.looks(after: 6) == [6, 8, 12, 20])
  }

  @Test func `shares the time among the workloads, and passes on what is left`() {
    let rounds = FurtherRounds(seconds: 12, now: { 0 })
    let (one, three) = (TrialPolicy(trials: 1), TrialPolicy(trials: 3))
    rounds.share(among: [three, one, three, three])
    #expect(rounds.share == 4)
    rounds.spend(1)
    rounds.share(among: [one, three, three])
    #expect(rounds.share == 5.5)
    rounds.spend(20)
    #expect(rounds.looks(after: 3) == FurtherRounds.looks(after: 3))
    rounds.share(among: [three])
    #expect(rounds.share == 0)
    #expect(rounds.looks(after: 3) == [])
  }
}
