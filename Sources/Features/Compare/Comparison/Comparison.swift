import Basics
import Runner

/// A comparison of a result with a stored baseline, case by case.
///
/// Counters are compared exactly; times are judged by the variation of earlier runs, or only shown.
package struct Comparison: Hashable, Sendable {
  /// The cases of one workload file.
  package struct Workload: Hashable, Sendable {
    package var workload: String
    /// The cases of both sides, in the baseline's order and under the result's names, followed by
    /// failed cases that only the result has.
    package var cases: [CaseComparison]
    /// The IDs of cases that only one side has, in that side's order; failed cases of the result
    /// are in ``cases``.
    package var onlyInBaseline: [String]
    package var onlyInCandidate: [String]
  }

  package var baseline: Environment
  package var candidate: Environment
  /// Differences that affect times but not counters, such as another machine or kernel.
  package var cautions: [Mismatch]
  /// The baseline's workloads in their order, followed by workloads that only the result has.
  package var workloads: [Workload]
  /// The cases that a side's run did not reach; `nil` if nothing could be compared with a baseline.
  package var missingInBaseline: MissingCases?
  package var missingInResult: MissingCases
  /// The causes of the differences, as far as both sides record them.
  package var causes: [Cause]
  /// The runs by which times were judged, if any were given.
  package var earlier: EarlierResults?
  /// The reason why nothing could be compared: the result has no baseline, or the baseline measured
  /// different work.
  package var obstacle: String?
  /// Whether nothing could be compared because there is no baseline for the result yet.
  package private(set) var lacksBaseline = false
  /// The command that makes the result the baseline.
  package var updateCommand: String?

  /// Compares two results.
  ///
  /// Differences that a changed model, recipe, parameter or setting explains are causes, not
  /// errors.
  ///
  /// - Throws: ``Refusal`` with all unexplained differences that prevent a comparison, including
  ///   digests if `showsDigests` is set.
  package init(
    of candidate: ResultDocument,
    against stored: ResultDocument,
    earlier: EarlierResults? = nil,
    showsDigests: Bool = false
  ) throws(Refusal) {
    let aligned = Alignment(of: stored, to: candidate)
    let baseline = aligned.baseline
    let (ours, theirs) = (candidate.workloadsByName, baseline.workloadsByName)
    let changes = theirs.compactMapValues { old in
      ours[old.workload].map { ContentChange($0, against: old, parameters: aligned.parameters) }
    }
    let mismatches = Self.unexplained(candidate, against: baseline, changes)
    guard mismatches.isEmpty else {
      throw .incomparable(mismatches, showsDigests: showsDigests)
    }
    self.baseline = baseline.environment
    self.candidate = candidate.environment
    self.earlier = earlier
    missingInBaseline = MissingCases(of: stored)
    missingInResult = MissingCases(of: candidate)
    cautions = Mismatch.cautioning(candidate, against: baseline)
    causes = Cause.all(of: candidate, against: aligned)
    let glob = candidate.filter.map(Glob.init)
    workloads =
      baseline.workloads.compactMap { old -> Workload? in
        let change = changes[old.workload]
        var workload = Workload(ours[old.workload], against: old, change, earlier: earlier)
        // Cases that the filter excludes are not missing.
        workload.onlyInBaseline.removeAll { glob?.matches($0) == false }
        let isLeftOut = ours[old.workload] == nil && workload.onlyInBaseline.isEmpty
        return isLeftOut && !old.cases.isEmpty ? nil : workload
      }
      + candidate.workloads.filter { theirs[$0.workload] == nil }.map { Workload(new: $0) }
    guard baseline.workloads.contains(where: { $0.sharesCase(with: ours[$0.workload]) })
    else {
      throw Refusal.badInput(
        "the results cannot be compared: they have no case in common; run the same workload files"
      )
    }
  }

  /// Compares a result with the exact costs of a baseline; throws the same errors as a comparison
  /// of two results.
  package init(
    of candidate: ResultDocument,
    against baseline: Baseline,
    showsDigests: Bool = false
  ) throws(Refusal) {
    var costs = candidate
    for index in costs.workloads.indices {
      costs.workloads[index].cases = candidate.workloads[index].cases.map(\.withExactCostsOnly)
    }
    try self.init(of: costs, against: baseline.document, showsDigests: showsDigests)
    cautions = []
  }

  /// Creates a comparison for a result that cannot be compared with a baseline, for the given
  /// reason.
  ///
  /// The comparison shows only the failed cases and the changes since the refused baseline, if any.
  package init(
    of candidate: ResultDocument,
    lackingBaseline obstacle: String,
    refused baseline: ResultDocument? = nil
  ) {
    self.baseline = candidate.environment
    self.candidate = candidate.environment
    missingInResult = MissingCases(of: candidate)
    cautions = []
    causes =
      baseline.map { Cause.all(of: candidate, against: Alignment(of: $0, to: candidate)) } ?? []
    workloads = candidate.workloads.map { Workload(new: $0) }
    self.obstacle = obstacle
    lacksBaseline = baseline == nil
  }
}

extension Comparison {
  /// Whether the baseline is a file of costs, which has no start time, rather than a result.
  var hasBaselineFile: Bool { obstacle == nil && baseline.startedAt.isEmpty }

  /// Whether the baseline is a file with cases that the result lacks, or with other content than
  /// the result's.
  package var hasOutdatedBaseline: Bool {
    hasBaselineFile
      && (!gone.isEmpty || workloads.flatMap(\.cases).contains(where: \.hasUnjudgedCosts))
  }

  /// The IDs of cases that only the baseline has, although the result's run was not cut off before
  /// them.
  var gone: [String] {
    let unreached = Set(missingInResult.ids)
    return workloads.flatMap(\.onlyInBaseline).filter { !unreached.contains($0) }
  }
}

extension Comparison {
  private static func unexplained(
    _ candidate: ResultDocument,
    against baseline: ResultDocument,
    _ changes: [String: ContentChange]
  ) -> [Mismatch] {
    let ours = candidate.workloadsByName
    var mismatches = Mismatch.forbidding(candidate.environment, against: baseline.environment)
    if candidate.version != baseline.version {
      mismatches.append(
        Mismatch(
          "document version",
          baseline: "\(baseline.version)",
          candidate: "\(candidate.version)"
        )
      )
    }
    for old in baseline.workloads {
      guard let own = ours[old.workload], let change = changes[old.workload] else { continue }
      mismatches += Mismatch.facts(own, against: old).filter { !change.explains($0) }
      let cases = own.casesByID
      for result in old.cases {
        guard let new = cases[result.id] else { continue }
        mismatches += Mismatch.forbidding(new, against: result).filter {
          !change.explains($0, of: result.id)
        }
      }
    }
    return mismatches
  }
}

extension Comparison.Workload {
  fileprivate init(
    _ candidate: WorkloadResult?,
    against baseline: WorkloadResult,
    _ change: ContentChange?,
    earlier: EarlierResults?
  ) {
    let ours = candidate?.casesByID ?? [:]
    let theirs = baseline.casesByID
    let new = (candidate?.cases ?? []).filter { theirs[$0.id] == nil }
    let level = earlier?.level ?? 0
    let shared = baseline.cases.compactMap { result in
      ours[result.id].map {
        CaseComparison($0, against: result, change) { metric in
          (
            candidate?.budget[metric.name],
            earlier?.usual(metric.name, in: result.id, level: level)
          )
        }
      }
    }
    workload = baseline.workload
    cases = shared + new.compactMap(CaseComparison.init(failedIn:))
    onlyInBaseline = baseline.cases.map(\.id).filter { ours[$0] == nil }
    onlyInCandidate = new.filter { CaseComparison(failedIn: $0) == nil }.map(\.id)
  }

  fileprivate init(new candidate: WorkloadResult) {
    workload = candidate.workload
    cases = candidate.cases.compactMap(CaseComparison.init(failedIn:))
    onlyInBaseline = []
    onlyInCandidate = candidate.cases.filter { CaseComparison(failedIn: $0) == nil }.map(\.id)
  }
}

extension WorkloadResult {
  fileprivate func sharesCase(with other: WorkloadResult?) -> Bool {
    let theirs = other?.casesByID ?? [:]
    return cases.contains { theirs[$0.id] != nil }
  }
}

extension Comparison {
  /// The numbers of costs and of cases with each outcome.
  package struct Tally: Hashable, Sendable {
    package var regressed = 0
    package var improved = 0
    package var withinBudget = 0
    package var unchanged = 0
    /// The number of costs whose values vary between trials, or that one side lacks.
    package var undecided = 0
    package var failedCases = 0
    /// The number of cases that one side lacks, or that ended differently on the two sides.
    package var undecidedCases = 0
    package var cases = 0
    /// The number of cases whose content changed, and whose costs without a budget are therefore
    /// not judged.
    package var changedCases = 0

    /// The number of costs, including undecided ones.
    package var costs: Int { regressed + improved + withinBudget + unchanged + undecided }
    /// Whether any cost or case could not be compared.
    package var isUndecided: Bool { undecided + undecidedCases > 0 }
  }

  /// The outcomes of all workloads.
  package var tally: Tally {
    var tally = Tally()
    for workload in workloads {
      let missing = workload.onlyInBaseline.count + workload.onlyInCandidate.count
      tally.cases += workload.cases.count + missing
      tally.undecidedCases += missing
      for result in workload.cases { tally.add(result) }
    }
    return tally
  }

  /// The exit status: 1 if a case failed, 2 if a cost rose, 3 if a required verdict is missing,
  /// otherwise 0.
  package func exitStatus(requiresVerdict: Bool = false) -> Int32 {
    let tally = tally
    if tally.failedCases > 0 { return 1 }
    if tally.regressed > 0 { return 2 }
    return requiresVerdict && tally.isUndecided ? 3 : 0
  }
}

extension Comparison.Tally {
  fileprivate mutating func add(_ result: CaseComparison) {
    switch result.finding {
    case .failed: failedCases += 1
    case .notCompared: undecidedCases += 1
    case .compared(let metrics):
      if result.hasOtherContent { changedCases += 1 }
      undecided += result.uncomparedCosts.count
      for case let verdict? in metrics.map(\.verdict) {
        switch verdict {
        case .regressed: regressed += 1
        case .improved: improved += 1
        case .withinBudget: withinBudget += 1
        case .unchanged: unchanged += 1
        case .cannotTell: undecided += 1
        }
      }
    }
  }
}

extension Refusal {
  private static let shownMismatches = 8

  static func incomparable(_ mismatches: [Mismatch], showsDigests: Bool = false) -> Refusal {
    let shown = mismatches.prefix(shownMismatches).map { mismatch in
      mismatch.isOfDigests && !showsDigests
        ? "\(mismatch.subject) is another one, and nothing that is recorded explains it"
        : mismatch.description
    }.joined(separator: "; ")
    let rest = mismatches.count - shownMismatches
    return Refusal.badInput(
      "the results cannot be compared: \(shown)" + (rest > 0 ? "; and \(rest) more" : "")
    )
  }
}
