import Basics
import Runner

/// What the users of a fleet found: one case, counted over their stores.
package struct FleetCount: Hashable, Sendable {
  /// One user with what the case took; `nil` where it failed.
  package struct Member: Hashable, Sendable {
    package let user: FleetUser
    package let storeBytes: Int64
    package let taken: [Resource: Double]?
    /// Why it failed.
    package let failure: String?
  }

  /// The ID of the case in the workload that the fleet is of.
  package let caseID: String
  /// By number.
  package let members: [Member]

  package init(caseID: String, members: [Member]) {
    self.caseID = caseID
    self.members = members.sorted { $0.user.number < $1.user.number }
  }

  /// The counts of a result, one for each case; empty where it is not of a fleet.
  package static func all(of document: ResultDocument) -> [FleetCount] {
    var order: [String] = []
    var members: [String: [Member]] = [:]
    for workload in document.workloads {
      guard let user = workload.user else { continue }
      let place = "/user-\(user.number)"
      for result in workload.cases where workload.workload.hasSuffix(place) {
        let id =
          workload.workload.dropLast(place.count) + result.id.dropFirst(workload.workload.count)
        if members[String(id)] == nil { order.append(String(id)) }
        members[String(id), default: []].append(Member(user, workload.store.bytes, result))
      }
    }
    return order.map { FleetCount(caseID: $0, members: members[$0] ?? []) }
  }

  /// The users whose case passed.
  package var passed: [Member] { members.filter { $0.taken != nil } }

  /// Users over a budget, with the binomial interval of their share (95 %, Clopper and Pearson).
  package struct Share: Hashable, Sendable {
    package let over: Int
    package let users: Int
    package let interval: RateInterval

    /// Whether a predicted range has a share in common with the interval.
    package func agrees(with range: ClosedRange<Double>) -> Bool {
      range.lowerBound <= interval.upper && interval.lower <= range.upperBound
    }
  }

  /// The share of the users whose case passed that exceed a budget; `nil` where none passed.
  package func share(over budget: ResourceBudget) -> Share? {
    let values = passed.compactMap { $0.taken?[budget.resource] }
    guard !values.isEmpty else { return nil }
    let over = values.count { $0 > budget.limit }
    return Share(
      over: over,
      users: values.count,
      interval: RateInterval(hits: over, of: values.count)
    )
  }
}

extension FleetCount.Member {
  init(_ user: FleetUser, _ storeBytes: Int64, _ result: CaseResult) {
    func value(_ metric: Metric) -> Double? {
      result.sample(of: metric.name)?.trials.first?.first
    }
    let found: [Resource: Double?] = [
      .time: value(.wallClock), .memory: value(.peakMemory), .disk: value(.peakDisk),
    ]
    var failure: String?
    if case .failed(let cause) = result.outcome { failure = cause }
    self.init(
      user: user,
      storeBytes: storeBytes,
      taken: result.outcome == .passed ? found.compactMapValues { $0 } : nil,
      failure: failure
    )
  }
}
