import Basics
import Foundation
import Runner

/// The times of real trials in the order in which they ran, grouped by work.
struct FindingTraces: Equatable {
  struct Trace: Equatable {
    /// The name of the case without its amount of work, such as `insert inline`.
    let work: String
    /// The amount of work: the number of saves.
    let load: Int
    /// The time of each trial, in seconds.
    let seconds: [Double]
  }

  let traces: [Trace]

  init(_ cases: [CaseResult], objects: Int) {
    traces = cases.compactMap { result in
      guard let each = result.parameters["objectsPerSave"].flatMap({ Int($0) }), each > 0,
        let sample = result.sample(of: Metric.wallClock.name)
      else { return nil }
      let names = ["operation", "strategy"].compactMap { result.parameters[$0] }
      return Trace(work: names.joined(separator: " "), load: objects / each, seconds: sample.values)
    }
  }

  init(_ traces: [Trace]) {
    self.traces = traces
  }

  // MARK: The file

  private static let title = "work,load,seconds"

  /// The traces as CSV, one line per case: its work, its load and its times in nanoseconds.
  var csv: String {
    let lines = traces.map { trace in
      let times = trace.seconds.map { String(Int64(($0 * 1e9).rounded())) }
      return "\(trace.work),\(trace.load),\(times.joined(separator: " "))"
    }
    return ([Self.title] + lines).joined(separator: "\n") + "\n"
  }

  init?(csv: String) {
    let lines = csv.split(separator: "\n")
    guard lines.first == Self.title[...] else { return nil }
    traces = lines.dropFirst().compactMap { line in
      let cells = line.split(separator: ",")
      guard cells.count == 3, let load = Int(cells[1]) else { return nil }
      let times = cells[2].split(separator: " ").compactMap { Double($0) }
      return Trace(work: String(cells[0]), load: load, seconds: times.map { $0 / 1e9 })
    }
  }

  func write(to path: String) throws {
    let bytes = try Gzip.compress(Array(csv.utf8))
    try Data(bytes).write(to: URL(fileURLWithPath: path))
  }

  init(readingFrom path: String) throws {
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    let bytes = try Gzip.decompress(Array(data), limit: 64 << 20)
    guard let traces = FindingTraces(csv: String(decoding: bytes, as: UTF8.self)) else {
      throw CocoaError(.fileReadCorruptFile)
    }
    self = traces
  }
}

/// Judges findings about workloads that are composed of real trials, so that the truth is known.
struct FindingVerdicts {
  struct Row: Equatable {
    let name: String
    /// The number of judged workloads; `right` and `wrong` count those with a right or wrong
    /// winner.
    var workloads = 0
    var right = 0
    var wrong = 0
  }

  let traces: FindingTraces

  /// The shapes of the workloads: trials per case, and jobs (groups of two alternatives).
  private static let shapes = [(trials: 3, jobs: 1), (trials: 5, jobs: 1), (trials: 3, jobs: 4)]

  /// Judges equal alternatives: trials of one case, assigned alternately to two labels.
  func nulls() -> [Row] {
    Self.shapes.map { shape in
      let jobs = traces.traces.flatMap { trace in
        Self.windows(trace.seconds, of: 2 * shape.trials).map { Self.turns($0) }
      }
      return judge("equal, \(Self.text(shape))", Self.grouped(jobs, by: shape.jobs))
    }
  }

  /// Judges alternatives with different amounts of work: trials of the same case with two loads.
  func injected() -> [Row] {
    Self.shapes.map { shape in
      let jobs = pairs.flatMap { light, heavy in
        zip(
          Self.windows(light.seconds, of: shape.trials),
          Self.windows(heavy.seconds, of: shape.trials)
        ).map { (first: $0, second: $1) }
      }
      return judge("more work, \(Self.text(shape))", Self.grouped(jobs, by: shape.jobs))
    }
  }

  func scaled(by factor: Double) -> Row {
    let shape = Self.shapes[1]
    let jobs = traces.traces.flatMap { trace in
      Self.windows(trace.seconds, of: 2 * shape.trials).map { window in
        let (first, second) = Self.turns(window)
        return (first: first, second: second.map { $0 * factor })
      }
    }
    return judge("times \(factor.shortest), \(Self.text(shape))", jobs.map { [$0] })
  }

  private typealias Pair = (first: [Double], second: [Double])

  private var pairs: [(FindingTraces.Trace, FindingTraces.Trace)] {
    Dictionary(grouping: traces.traces, by: \.work).sorted { $0.key < $1.key }.compactMap {
      let sorted = $0.value.sorted { $0.load < $1.load }
      guard let light = sorted.first, let heavy = sorted.last, light.load < heavy.load else {
        return nil
      }
      return (light, heavy)
    }
  }

  private static func text(_ shape: (trials: Int, jobs: Int)) -> String {
    "\(shape.trials) trials, \(Figures.counted(shape.jobs, "job"))"
  }

  private static func windows(_ values: [Double], of count: Int) -> [[Double]] {
    stride(from: 0, through: values.count - count, by: count).map { Array(values[$0..<$0 + count]) }
  }

  /// Assigns the values to two alternatives in the order a b, b a, a b.
  private static func turns(_ window: [Double]) -> Pair {
    var job: Pair = ([], [])
    for (index, value) in window.enumerated() {
      let isFirst = [0, 3].contains(index % 4)
      if isFirst { job.first.append(value) } else { job.second.append(value) }
    }
    return job
  }

  private static func grouped(_ jobs: [Pair], by count: Int) -> [[Pair]] {
    // Combine jobs that are far apart in the list, so that they belong to different cases.
    let groups = jobs.count / count
    return (0..<groups).map { group in (0..<count).map { jobs[group + $0 * groups] } }
  }

  private func judge(_ name: String, _ workloads: [[Pair]]) -> Row {
    var row = Row(name: name)
    for jobs in workloads {
      row.workloads += 1
      switch Self.winner(of: jobs.map { [("first", $0.first), ("second", $0.second)] }) {
      case "first": row.right += 1
      case .some: row.wrong += 1
      case nil: break
      }
    }
    return row
  }

  typealias Job = [(label: String, seconds: [Double])]

  static let inquiry = Inquiry(parameters: ["strategy", "operation"])

  /// Returns the alternative that the findings name as the fastest; `both` if it depends on the
  /// job, `nil` if the findings name none.
  static func winner(of jobs: [Job], looks: [Int] = []) -> String? {
    let findings = FindingAnalysis(workload(jobs, looks: looks), inquiry).findings
    guard let claim = findings.first(where: { $0.topic == .fastest })?.claim else { return nil }
    let sides = jobs.first?.map(\.label) ?? []
    return sides.first { claim.hasPrefix("\($0) is the fastest") } ?? "both"
  }

  /// Returns a workload of the given jobs, with case IDs of the job's number and the case's label,
  /// such as `0/first`.
  static func workload(_ jobs: [Job], looks: [Int] = []) -> WorkloadResult {
    let cases = jobs.enumerated().flatMap { index, job in
      job.map { label, seconds in
        CaseResult(
          id: "\(index)/\(label)",
          parameters: ["operation": "work\(index)", "strategy": label],
          outcome: .passed,
          samples: [Sample(metric: .wallClock, trials: seconds.map { [$0] })],
          job: "\(index)"
        )
      }
    }
    return WorkloadResult(
      workload: "findings",
      kind: "findings",
      store: StoreDescription(source: "", seed: nil, objects: [:], bytes: 0, digest: ""),
      pragmas: [:],
      cache: "",
      trialCount: looks.first ?? jobs.first?.first?.seconds.count ?? 0,
      iterationCount: 1,
      looks: looks,
      cases: cases
    )
  }
}
