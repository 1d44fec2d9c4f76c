import Basics

/// Derives the findings of a workload from its samples.
package struct FindingAnalysis {
  /// The findings, at most ``Finding/most``, the strongest first.
  package private(set) var findings: [Finding] = []
  package private(set) var leads: [LeadMap] = []

  /// Analyzes the cases of a workload that passed and have at least two trials.
  ///
  /// Results of earlier builds give no findings, because they do not record jobs (which cases are
  /// alternatives).
  package init(_ workload: WorkloadResult, _ inquiry: Inquiry) {
    let worlds = AssumedWorlds(workload.cases.filter { $0.isComparable })
    guard !worlds.base.isEmpty else { return }
    let own = Self.analyze(worlds.base, workload, inquiry)
    let others = worlds.others.map { world in
      (world.assumption, Self.analyze(world.cases, workload, inquiry).findings)
    }
    leads = own.leads
    findings = own.findings.prefix(Finding.most).map { $0.judged(with: others) }.enumerated()
      .sorted { ($0.element.topic.rank, $0.offset) < ($1.element.topic.rank, $1.offset) }
      .map(\.element)
  }

  private static func analyze(
    _ cases: [CaseResult],
    _ workload: WorkloadResult,
    _ inquiry: Inquiry
  ) -> (findings: [Finding], leads: [LeadMap]) {
    let trials = MeasuredContests(cases, inquiry, looks: workload.looks)
    var rules = FindingRules(
      workload: workload.workload,
      trials: trials,
      parameters: inquiry.parameters
    )
    var leads: [LeadMap] = []
    if let main = trials.plan.alternatives.first {
      leads = LeadAnalysis(trials: trials).maps(of: main)
      for map in leads { rules.addChanges(of: map, mix: inquiry.mix) }
      if leads.isEmpty { rules.addFastest(of: main) }
      for parameter in trials.plan.alternatives { rules.addFirstScreen(of: parameter) }
      rules.addUndecided(of: main)
      rules.addMemory(of: main)
    }
    rules.addPhases()
    for parameter in trials.plan.alternatives.dropFirst() { rules.addFastest(of: parameter) }
    return (rules.findings, leads)
  }
}

extension CaseResult {
  /// Whether findings may use the case: it passed, has at least two trials, and ran with a cold
  /// page cache if the workload requires that.
  var isComparable: Bool {
    outcome == .passed && job != nil && !isNotCold && trialValues(of: .wallClock).count > 1
  }

  /// The median of the iterations of each trial; empty if the metric was not measured.
  func trialValues(of metric: Metric) -> [Double] {
    (sample(of: metric.name)?.trials ?? []).filter { !$0.isEmpty }.map(TrialIntervals.median)
  }
}

/// The contests (comparisons of alternatives) of a workload, with their trials and with
/// simultaneous confidence intervals.
struct MeasuredContests {
  /// The compared metrics, in the order of their families of intervals.
  static let metrics: [Metric] = [.wallClock, .firstScreen, .peakMemory]

  let plan: ContestPlan
  let inquiry: Inquiry
  /// The contests that compare mixes of operations (weighted sums of their times).
  private(set) var mixed: [MixedContest] = []
  private let intervals: TrialIntervals
  /// The index of a case in a family of intervals, by metric and then by the case's index in the
  /// workload.
  private var places: [[Int: Int]]
  /// The medians of the cases, by metric and then by index in the metric's family.
  private var medians: [[Double]]

  /// The half-widths of the intervals at each look (interim evaluation), in units of a pair's
  /// standard deviation; extra trials do not change them.
  var factors: [Double] { intervals.factors }

  /// A contest whose contenders each combine the cases of several operations.
  struct MixedContest {
    let contest: Contest
    /// The indexes of the cases that each contender combines, by the contender's index.
    let parts: [Int: [Int]]
  }

  init(
    _ cases: [CaseResult],
    _ inquiry: Inquiry,
    looks: [Int],
    factors: [Double]? = nil
  ) {
    let plan = ContestPlan(cases, parameters: inquiry.parameters)
    self.plan = plan
    self.inquiry = inquiry
    var families: [TrialIntervals.Family] = []
    places = []
    medians = []
    let fewest = max(2, looks.first ?? 0)
    for metric in Self.metrics {
      var (family, place, middle) = (TrialIntervals.Family(), [Int: Int](), [Double]())
      for (index, result) in cases.enumerated() {
        let values = result.trialValues(of: metric)
        guard values.count >= fewest, values.allSatisfy({ $0 > 0 }) else { continue }
        place[index] = family.cases.count
        family.cases.append(values.map { log($0) })
        middle.append(result.sample(of: metric.name)?.median ?? .nan)
      }
      for contest in plan.contests { family.addPairs(of: contest, at: place) }
      families.append(family)
      places.append(place)
      medians.append(middle)
    }
    if let mix = inquiry.mix, let main = plan.alternatives.first {
      mixed = Self.mixed(plan, mix, main: main)
      for mixed in mixed {
        // Sort, because the simulation's random draws depend on the order of the cases.
        for (index, parts) in mixed.parts.sorted(by: { $0.key < $1.key }) {
          let values = Self.sum(of: parts, cases, mix)
          guard values.count >= fewest else { continue }
          places[0][index] = families[0].cases.count
          families[0].cases.append(values.map { log($0) })
          medians[0].append(Summary(of: values)?.p50 ?? .nan)
        }
        families[0].addPairs(of: mixed.contest, at: places[0])
      }
    }
    for pair in Self.growthPairs(plan, inquiry) {
      guard let first = places[2][pair.first], let second = places[2][pair.second] else { continue }
      families[2].pairs.append(TrialIntervals.Pair(first, second))
    }
    intervals = TrialIntervals(families, looks: looks, factors: factors)
  }

  /// Pairs the cases of the largest and the smallest size of each alternative, to measure how its
  /// memory grows.
  private static func growthPairs(_ plan: ContestPlan, _ inquiry: Inquiry) -> [TrialIntervals.Pair]
  {
    Sweep.all(of: plan, inquiry).flatMap(\.rows).flatMap { row -> [TrialIntervals.Pair] in
      guard let first = row.contests.first, let last = row.contests.last else { return [] }
      return first.contenders.compactMap { contender in
        last.contenders.first { $0.label == contender.label }.map {
          TrialIntervals.Pair($0.index, contender.index)
        }
      }
    }
  }

  // MARK: Comparisons

  private func family(of metric: Metric) -> Int {
    Self.metrics.firstIndex { $0 == metric } ?? 0
  }

  func median(of index: Int, _ metric: Metric = .wallClock) -> Double? {
    let family = family(of: metric)
    return places[family][index].map { medians[family][$0] }
  }

  /// The log ratio of two cases; `nil` if a case lacks the metric.
  ///
  /// The estimate is the ratio of the two medians, so that readers can compute it from tables and
  /// charts. The interval decides comparisons; it is extended to contain the estimate if necessary.
  func difference(
    _ first: Int,
    _ second: Int,
    _ metric: Metric = .wallClock
  ) -> TrialIntervals.Difference? {
    let family = family(of: metric)
    guard let first = places[family][first], let second = places[family][second] else { return nil }
    var difference = intervals.difference(TrialIntervals.Pair(first, second), in: family)
    difference.estimate = log(medians[family][first] / medians[family][second])
    difference.lower = min(difference.lower, difference.estimate)
    difference.upper = max(difference.upper, difference.estimate)
    return difference
  }

  /// Returns the contenders for which the metric was measured, in ascending order of their medians.
  func ascending(
    _ contenders: [Contest.Contender],
    by metric: Metric = .wallClock
  ) -> [Contest.Contender] {
    contenders.filter { median(of: $0.index, metric) != nil }.sorted {
      (median(of: $0.index, metric) ?? 0, $0.index) < (median(of: $1.index, metric) ?? 0, $1.index)
    }
  }

  /// Returns the contenders that are not clearly slower than the fastest, the fastest first.
  func leaders(of contest: Contest, _ metric: Metric = .wallClock) -> [Contest.Contender] {
    let measured = ascending(contest.contenders, by: metric)
    guard let best = measured.first else { return [] }
    return measured.filter { contender in
      contender == best || difference(contender.index, best.index, metric)?.isAbove != true
    }
  }

  /// Whether a contest has a single fastest alternative, or all its leaders (alternatives that may
  /// be the fastest) take the same time within the margin.
  func isDecided(_ contest: Contest) -> Bool {
    let leaders = leaders(of: contest)
    return leaders.enumerated().allSatisfy { place, first in
      leaders[(place + 1)...].allSatisfy {
        difference($0.index, first.index)?.isWithinMargin == true
      }
    }
  }

  /// The indexes of the cases that may be the fastest in an undecided contest.
  var undecided: Set<Int> {
    let open = plan.contests.filter { !isDecided($0) }.flatMap { leaders(of: $0).map(\.index) }
    let sums = mixed.filter { !isDecided($0.contest) }.flatMap { mixed in
      leaders(of: mixed.contest).flatMap { mixed.parts[$0.index] ?? [] }
    }
    return Set(open + sums)
  }

  // MARK: Mixes of operations

  static func mixed(
    _ plan: ContestPlan,
    _ mix: OperationMix,
    main: String
  ) -> [MixedContest] {
    let contests = plan.contests.filter { $0.parameter == main && mix.weight(of: $0) != nil }
    let known = Set(contests.compactMap { $0.conditions[OperationMix.parameter] })
    guard known.count > 1 else { return [] }
    // Some conditions, such as durability, exist only for operations that write, so group by the
    // conditions that all operations share.
    let shared = contests.map { Set($0.conditions.keys) }.reduce(nil) { (all: Set<String>?, keys) in
      all?.intersection(keys) ?? keys
    }
    let groups = Dictionary(grouping: contests) { contest in
      contest.conditions.filter {
        $0.key != OperationMix.parameter && shared?.contains($0.key) == true
      }
    }
    var next = plan.cases.count
    return groups.sorted { ($0.value.first?.first ?? 0) < ($1.value.first?.first ?? 0) }.compactMap
    {
      conditions,
      members in
      let operations = Set(members.compactMap { $0.conditions[OperationMix.parameter] })
      guard members.count == known.count, operations == known else { return nil }
      var (contenders, parts): ([Contest.Contender], [Int: [Int]]) = ([], [:])
      for label in members[0].contenders.map(\.label) {
        let cases = members.compactMap { contest in
          contest.contenders.first { $0.label == label }?.index
        }
        guard cases.count == members.count else { continue }
        contenders.append(Contest.Contender(label: label, index: next))
        parts[next] = cases
        next += 1
      }
      guard contenders.count > 1 else { return nil }
      return MixedContest(
        contest: Contest(
          parameter: main,
          conditions: conditions,
          contenders: contenders,
          sameWork: members[0].sameWork
        ),
        parts: parts
      )
    }
  }

  /// Returns the weighted total time of the operations in each trial.
  static func sum(
    of parts: [Int],
    _ cases: [CaseResult],
    _ mix: OperationMix
  ) -> [Double] {
    let weighted = parts.map { index in
      cases[index].trialValues(of: .wallClock).map { $0 * mix.weight(of: cases[index]) }
    }
    let count = weighted.map(\.count).min() ?? 0
    return (0..<count).map { trial in weighted.reduce(0) { $0 + $1[trial] } }
  }
}

extension OperationMix {
  /// The weight of the case's operation; 0 if the mix does not contain it.
  func weight(of result: CaseResult) -> Double {
    result.parameters[Self.parameter].flatMap { weights[$0] } ?? 0
  }

  fileprivate func weight(of contest: Contest) -> Double? {
    contest.conditions[Self.parameter].flatMap { weights[$0] }.flatMap { $0 > 0 ? $0 : nil }
  }
}

extension Contest {
  fileprivate var first: Int { contenders.first?.index ?? 0 }
}

extension TrialIntervals.Family {
  fileprivate mutating func addPairs(of contest: Contest, at places: [Int: Int]) {
    let own = contest.contenders.compactMap { places[$0.index] }
    for (offset, first) in own.enumerated() {
      for second in own[(offset + 1)...] { pairs.append(TrialIntervals.Pair(first, second)) }
    }
  }
}

/// A comparison of alternative cases, which do the same job and differ in one parameter.
struct Contest: Hashable {
  struct Contender: Hashable {
    /// The value of the compared parameter.
    let label: String
    /// The index of the case in the analysis; the sums of several operations have the indexes after
    /// the last case.
    let index: Int
  }

  /// The name of the compared parameter.
  let parameter: String
  /// The other parameters, with the values that the cases share.
  let conditions: [String: String]
  /// The alternatives: at least two, with different work.
  let contenders: [Contender]
  /// The alternatives that are left out because they do the same work as a contender.
  let sameWork: [String]
}

/// All contests among the cases of a workload.
struct ContestPlan {
  let cases: [CaseResult]
  /// The parameters whose values are compared, the most important first.
  let alternatives: [String]
  let contests: [Contest]

  /// Groups cases into contests; each case must have at least two trials.
  init(_ cases: [CaseResult], parameters: [String]) {
    self.cases = cases
    let jobs = Dictionary(grouping: cases.indices) { cases[$0].job ?? "" }
    let assumed = Set(
      cases.flatMap { result in result.behaviours.filter { $0.evidence == .assumed }.map(\.name) }
    )
    let names = Set(jobs.values.flatMap { Self.varying($0.map { cases[$0].parameters }) })
    let order = parameters + names.subtracting(parameters).sorted()
    // Put `strategy` first, because developers choose it first.
    alternatives = order.filter { names.contains($0) && !assumed.contains($0) }
      .enumerated().sorted {
        ($0.element == "strategy" ? 0 : 1, $0.offset) < (
          $1.element == "strategy" ? 0 : 1, $1.offset
        )
      }.map(\.element)
    let ordered = jobs.values.map { $0.sorted() }.sorted { $0[0] < $1[0] }
    contests = alternatives.flatMap { parameter in
      ordered.flatMap { Self.contests(of: parameter, among: $0, cases) }
    }
  }

  private static func varying(_ values: [[String: String]]) -> Set<String> {
    Set(values.flatMap(\.keys)).filter { name in Set(values.map { $0[name] }).count > 1 }
  }

  /// Returns the contests of one job, in which the values of the given parameter are the
  /// contenders.
  ///
  /// There is one contest per combination of the other parameters.
  ///
  /// A case that lacks an irrelevant parameter takes part in the contests for every value of the
  /// irrelevant parameter.
  private static func contests(
    of parameter: String,
    among indices: [Int],
    _ cases: [CaseResult]
  ) -> [Contest] {
    let holders = indices.filter { cases[$0].parameters[parameter] != nil }
    let settings = holders.map { index in
      cases[index].parameters.filter { $0.key != parameter }
    }
    var maximal: [[String: String]] = []
    for setting in settings where !maximal.contains(setting) {
      let isPart = settings.contains { $0.count > setting.count && setting.isPart(of: $0) }
      if !isPart { maximal.append(setting) }
    }
    return maximal.compactMap { setting in
      var contenders: [Contest.Contender] = []
      var (sameWork, methods): ([String], Set<String>) = ([], [])
      for (index, own) in zip(holders, settings) where own.isPart(of: setting) {
        guard let label = cases[index].parameters[parameter],
          !contenders.contains(where: { $0.label == label })
        else { continue }
        if let method = cases[index].method, !methods.insert(method).inserted {
          sameWork.append(label)
        } else {
          contenders.append(Contest.Contender(label: label, index: index))
        }
      }
      guard contenders.count > 1 else { return nil }
      return Contest(
        parameter: parameter,
        conditions: setting,
        contenders: contenders,
        sameWork: sameWork
      )
    }
  }
}

extension [String: String] {
  /// Whether the other dictionary contains all pairs of this dictionary.
  fileprivate func isPart(of other: [String: String]) -> Bool {
    allSatisfy { other[$0.key] == $0.value }
  }
}
