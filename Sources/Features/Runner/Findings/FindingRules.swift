import Basics

/// Turns the results of contests (comparisons of cases that differ in one parameter) into findings
/// and their wording, with one function per topic.
struct FindingRules {
  let workload: String
  let trials: MeasuredContests
  /// The kind's parameters in the order of their declaration.
  let parameters: [String]
  private(set) var findings: [Finding] = []

  func contests(of parameter: String) -> [Contest] {
    trials.plan.contests.filter { $0.parameter == parameter }
  }

  mutating func add(
    _ topic: Finding.Topic,
    _ claim: String,
    _ detail: String,
    figures: [Finding.Figure],
    of indices: [Int],
    comparing: Bool = true
  ) {
    let cases = Set(indices).sorted().map { trials.plan.cases[$0] }
    let counts = cases.map { $0.trialValues(of: .wallClock).count }
    let (fewest, most) = (counts.min() ?? 0, counts.max() ?? 0)
    var assumed: [Behaviour] = []
    for behaviour in cases.flatMap(\.behaviours)
    where behaviour.evidence == .assumed && !assumed.contains(behaviour) {
      assumed.append(behaviour)
    }
    let finding = Finding(
      topic: topic,
      workload: workload,
      claim: claim,
      detail: detail,
      figures: figures,
      evidence: Finding.Evidence(
        cases: cases.map(\.id),
        trials: fewest,
        mostTrials: most > fewest ? most : nil,
        confidence: comparing ? TrialIntervals.confidence : nil,
        assumed: assumed
      )
    )
    findings.append(finding)
  }

  // MARK: The fastest alternative

  /// Adds a finding that names the fastest value of a parameter, if the samples are conclusive.
  mutating func addFastest(of parameter: String) {
    let contests = contests(of: parameter)
    let wins = contests.compactMap { Win($0, trials) }
    guard let first = wins.first else { return }
    let varying = Contest.varying(contests)
    let order = parameters
    let name = { (contest: Contest) in contest.name(by: varying, order) }
    let labels = wins.map(\.winner.label).unique
    let noun = FindingText.noun(parameter, labels[0])
    let winner = FindingText.value(labels[0], of: parameter)
    let used = contests.flatMap { $0.contenders.map(\.index) }
    var figures = wins.map(\.lead)
    guard contests.count > 1 else {
      let (others, all) = slower(than: [first.winner], in: first.contest)
      let time = trials.median(of: first.winner.index).map {
        Metric.Unit.seconds.text($0, .significant)
      }
      let detail = "\(time ?? ""); \(others)"
      return add(.fastest, "\(winner) is the fastest \(noun)", detail, figures: all, of: used)
    }
    let undecided = contests.filter { contest in !wins.contains { $0.contest == contest } }
    let rest = undecided.isEmpty ? "" : "; no clear winner for \(Figures.few(undecided.map(name)))"
    guard labels.count == 1 else {
      let groups = labels.map { label in
        let names = wins.filter { $0.winner.label == label }.map { name($0.contest) }
        return "\(FindingText.value(label, of: parameter)) for \(Figures.few(names))"
      }
      let conditions =
        parameters.filter(varying.contains) + varying.subtracting(parameters).sorted()
      let deciding = conditions.filter { decides($0, among: wins) }
      let detail = groups.joined(separator: "; ") + rest
      return add(
        .fastest,
        "The fastest \(noun) depends on "
          + FindingText.list(deciding.isEmpty ? conditions : deciding),
        detail,
        figures: figures,
        of: used
      )
    }
    let sorted = wins.sorted { $0.lead.value < $1.lead.value }
    let ends = [sorted[0], sorted[sorted.count - 1]].map { win in
      "\(FindingText.times(win.lead)) for \(name(win.contest))"
    }
    figures = [sorted[0].lead, sorted[sorted.count - 1].lead]
    let span = wins.count == 1 ? ends[0] : "from \(ends[0]) to \(ends[1])"
    let scope =
      undecided.isEmpty
      ? "in all \(contests.count) comparisons"
      : "for \(Figures.few(wins.map { name($0.contest) }))"
    add(
      .fastest,
      "\(winner) is the fastest \(noun) \(scope)\(rest)",
      "The second-fastest takes \(span)",
      figures: figures,
      of: used
    )
  }

  /// Whether two contests that differ only in a condition have different winners.
  private func decides(_ condition: String, among wins: [Win]) -> Bool {
    func others(_ win: Win) -> [String: String] {
      win.contest.conditions.filter { $0.key != condition }
    }
    return wins.contains { first in
      wins.contains { first.winner.label != $0.winner.label && others(first) == others($0) }
    }
  }

  /// A contest with exactly one leader (alternative that may be the fastest).
  private struct Win {
    let contest: Contest
    let winner: Contest.Contender
    /// The time of the second-fastest alternative divided by the winner's time.
    let lead: Finding.Figure

    init?(_ contest: Contest, _ trials: MeasuredContests) {
      let leaders = trials.leaders(of: contest)
      guard leaders.count == 1, let winner = leaders.first,
        let next = trials.ascending(contest.contenders).first(where: { $0 != winner }),
        let difference = trials.difference(next.index, winner.index)
      else { return nil }
      self.contest = contest
      self.winner = winner
      lead = .ratio("time of \(next.label) / time of \(winner.label)", .wallClock, difference)
    }
  }

  /// How much longer each alternative takes than the fastest alternative, in ascending order.
  ///
  /// The leaders (alternatives that may be the fastest) are left out.
  private func slower(
    than leaders: [Contest.Contender],
    in contest: Contest
  ) -> (text: String, figures: [Finding.Figure]) {
    guard let best = leaders.first else { return ("", []) }
    let found = trials.ascending(contest.contenders).filter { !leaders.contains($0) }.compactMap {
      other -> (String, Finding.Figure)? in
      guard let difference = trials.difference(other.index, best.index) else { return nil }
      let name = "time of \(other.label) / time of \(best.label)"
      let figure = Finding.Figure.ratio(name, .wallClock, difference)
      let label = FindingText.value(other.label, of: contest.parameter)
      return ("\(label) takes \(FindingText.times(figure))", figure)
    }
    return (found.map(\.0).joined(separator: ", "), found.map(\.1))
  }

  // MARK: Sweeps over sizes

  /// Adds a finding on the sizes at which the fastest alternative changes, and a recommendation for
  /// the given mix of operations.
  mutating func addChanges(of map: LeadMap, mix: OperationMix?) {
    let used = contests(of: map.alternatives).flatMap { $0.contenders.map(\.index) }
    let rows = map.rows.filter { !$0.isMix }
    let noun = FindingText.noun(map.alternatives, rows.first?.cells.first?.leaders.first ?? "")
    let text = rows.map { row in
      let words = map.words(for: row)
      return row.name.isEmpty ? words : "\(row.name): \(words)"
    }
    let names = rows.filter { !$0.changes.isEmpty }.map(\.name)
    let changing = names.count
    let scope =
      rows.count == 1
      ? "" : " for \(changing) of \(rows.count) \(map.rowNoun)s: \(Figures.few(names))"
    let claim =
      switch (changing, rows.allSatisfy(\.isClear)) {
      case (0, true):
        "The fastest \(noun) does not change with \(map.parameter) in the measured range"
      case (0, false):
        "The samples do not show that the fastest \(noun) changes with \(map.parameter)"
      default: "The fastest \(noun) changes with \(map.parameter)\(scope)"
      }
    add(
      rows.contains(where: \.isClear) ? .crossover : .cannotTell,
      claim,
      text.joined(separator: "; "),
      figures: figures(of: rows, map),
      of: used
    )
    guard let mix else { return }
    let done = Set(
      contests(of: map.alternatives).compactMap { $0.conditions[OperationMix.parameter] }
    )
    let counted = OperationMix(
      weights: mix.weights.filter { done.contains($0.key) && $0.value > 0 }
    )
    for row in map.rows where row.isMix {
      let (take, open) = map.advice(for: row)
      let claim =
        take.isEmpty
        ? "The samples do not show which \(noun) to use for the \(row.name): \(open)"
        : "For the \(row.name), use \(take)" + (open.isEmpty ? "" : "; not decided: \(open)")
      let detail = [
        "The mix is \(counted.text); times are added up in these proportions",
        row.changes.isEmpty ? nil : "the fastest \(noun) is \(map.words(for: row))",
        trials.inquiry.guide.flatMap { map.comparison(of: row, with: $0) },
      ]
      add(
        take.isEmpty ? .cannotTell : .recommendation,
        claim,
        detail.compactMap(\.self).joined(separator: "; "),
        figures: figures(of: [row], map),
        of: used
      )
    }
  }

  private func figures(of rows: [LeadMap.Row], _ map: LeadMap) -> [Finding.Figure] {
    rows.flatMap { row in
      row.changes.map { change in
        Finding.Figure(
          "\(row.name): \(map.parameter) from which \(change.to) is faster than \(change.from)",
          metric: row.metric,
          unit: map.unit,
          value: change.size,
          lower: change.lower,
          upper: change.upper
        )
      }
    }
  }

  // MARK: The first screen

  /// Adds a finding on how much earlier an alternative shows the first screen, and on its overall
  /// cost.
  mutating func addFirstScreen(of parameter: String) {
    guard !findings.contains(where: { $0.topic == .firstScreen }) else { return }
    let contests = contests(of: parameter)
    let found = contests.compactMap { contest in
      extreme(in: contest, .firstScreen).map { (contest: contest, pair: $0) }
    }
    guard let best = found.max(by: { $0.pair.difference.lower < $1.pair.difference.lower }),
      let overall = trials.difference(best.pair.low.index, best.pair.high.index)
    else { return }
    let (low, high) = (best.pair.low, best.pair.high)
    let (fast, slow) = (
      FindingText.value(low.label, of: parameter), FindingText.value(high.label, of: parameter)
    )
    let ratio = Finding.Figure.ratio(
      "first screen of \(high.label) / first screen of \(low.label)",
      .firstScreen,
      best.pair.difference
    )
    let whole = Finding.Figure.ratio(
      "time of \(low.label) / time of \(high.label)",
      .wallClock,
      overall
    )
    let (scope, others) = scope(of: best.contest, among: contests, found: found.count)
    add(
      .firstScreen,
      "\(scope)\(fast) shows the first screen \(FindingText.number(ratio)) times sooner than "
        + slow,
      "\(values(low, high, .firstScreen, ratio)); \(FindingText.wholeWork(whole, overall))"
        + others,
      figures: [ratio, whole],
      of: [low.index, high.index]
    )
  }

  typealias Extreme = (
    low: Contest.Contender, high: Contest.Contender, difference: TrialIntervals.Difference
  )

  /// Returns the contenders with the lowest and the highest median of a metric; `nil` if the
  /// samples cannot separate them.
  func extreme(in contest: Contest, _ metric: Metric) -> Extreme? {
    let sorted = trials.ascending(contest.contenders, by: metric)
    guard let low = sorted.first, let high = sorted.last, low != high,
      let difference = trials.difference(high.index, low.index, metric), difference.isAbove
    else { return nil }
    return (low, high, difference)
  }

  /// Returns two phrases: the contest's conditions, with which a claim starts, and the number of
  /// contests in which a difference was found, for the detail.
  ///
  /// The phrases resemble `for list, `; both are empty if there is only one contest.
  func scope(
    of contest: Contest,
    among all: [Contest],
    found: Int
  ) -> (claim: String, detail: String) {
    guard all.count > 1 else { return ("", "") }
    let name = contest.name(by: Contest.varying(all), parameters)
    return (
      name.isEmpty ? "" : "for \(name), ",
      found > 1 ? "; the clearest of \(found) differences" : ""
    )
  }

  /// Formats two medians and the interval of their ratio: `1.4 ms instead of 19 ms (11 to 14
  /// times)`.
  func values(
    _ low: Contest.Contender,
    _ high: Contest.Contender,
    _ metric: Metric,
    _ ratio: Finding.Figure
  ) -> String {
    let text = { (index: Int) in
      self.trials.median(of: index, metric).map { metric.unit.text($0, .significant) } ?? ""
    }
    return "\(text(low.index)) instead of \(text(high.index)) (\(FindingText.range(ratio)) times)"
  }

  // MARK: Ties and undecided contests

  /// Adds a finding on the alternatives that take the same time, and a finding on the alternatives
  /// that the samples cannot separate.
  mutating func addUndecided(of parameter: String) {
    let contests = contests(of: parameter)
    let varying = Contest.varying(contests)
    var (same, open): ([Tie], [Tie]) = ([], [])
    for contest in contests {
      let leaders = trials.leaders(of: contest)
      guard leaders.count > 1, let best = leaders.first else { continue }
      let differences = leaders.dropFirst().compactMap {
        trials.difference($0.index, best.index)
      }
      let name = contest.name(by: varying, parameters)
      let slower: (text: String, figures: [Finding.Figure]) =
        contests.count == 1 ? self.slower(than: leaders, in: contest) : ("", [])
      let tie = Tie(
        name: name,
        leaders: leaders,
        differences: differences,
        largest: largestRatio(among: leaders),
        rounds: leaders.map { rounds(of: $0) }.min() ?? 0,
        slower: slower,
        cases: (slower.figures.isEmpty ? leaders : contest.contenders).map(\.index)
      )
      if trials.isDecided(contest) { same.append(tie) } else { open.append(tie) }
    }
    add(same, of: contests.count, parameter, .noDifference)
    add(open, of: contests.count, parameter, .cannotTell)
  }

  /// A contest with several leaders (alternatives that may be the fastest).
  private struct Tie {
    let name: String
    let leaders: [Contest.Contender]
    /// The differences between the first leader and each other leader.
    let differences: [TrialIntervals.Difference]
    /// The upper bound of the ratio between the times of any two leaders.
    let largest: Double
    let rounds: Int
    /// How much longer the alternatives that are not leaders take than the first leader.
    let slower: (text: String, figures: [Finding.Figure])
    /// The indices of the cases that the finding is about.
    let cases: [Int]
  }

  private func largestRatio(among leaders: [Contest.Contender]) -> Double {
    let ratios = leaders.enumerated().flatMap { place, first in
      leaders[(place + 1)...].compactMap { second in
        trials.difference(first.index, second.index).map { exp(max($0.upper, -$0.lower)) }
      }
    }
    return ratios.max() ?? 1
  }

  private func rounds(of contender: Contest.Contender) -> Int {
    trials.plan.cases[contender.index].trialValues(of: .wallClock).count
  }

  private mutating func add(
    _ ties: [Tie],
    of count: Int,
    _ parameter: String,
    _ topic: Finding.Topic
  ) {
    guard let first = ties.first else { return }
    let labels = first.leaders.map { FindingText.value($0.label, of: parameter) }
    let isOne = ties.allSatisfy { Set($0.leaders.map(\.label)) == Set(first.leaders.map(\.label)) }
    let who = FindingText.list(labels)
    let largest = ties.map(\.largest).max() ?? 1
    let scope = count == 1 ? "" : " in \(ties.count) of \(count) comparisons"
    let names = ties.map(\.name).filter { !$0.isEmpty }
    let listed = names.isEmpty ? "" : ": \(Figures.few(names))"
    let claim =
      switch (topic, isOne) {
      case (.noDifference, true): "\(who) take the same time\(scope)"
      case (.noDifference, false): "The fastest alternatives take the same time\(scope)"
      case (_, true): "The samples do not show which is the fastest of \(who)\(scope)"
      case (_, false): "The samples do not show which alternative is the fastest\(scope)"
      }
    let limit = "\((TrialIntervals.margin * 100).rounded().shortest) %"
    let rounds = Set(ties.map(\.rounds)).sorted()
    let counts = rounds.count > 1 ? "\(rounds[0]) to \(rounds[rounds.count - 1])" : "\(rounds[0])"
    // Do not print a bound above 2, because it reflects only the dispersion of the trials. Round
    // smaller bounds up.
    let bound = FindingText.digits((largest * 10).rounded(.up) / 10, 2)
    let open =
      "Not decided after \(counts) rounds"
      + (largest <= 2
        ? "; none of those that may be the fastest takes more than \(bound) times as long as another"
        : "")
    let slower = first.slower.text.isEmpty ? "" : "; \(first.slower.text) as \(labels[0])"
    let detail =
      (topic == .noDifference ? "No difference above \(limit) would have been missed" : open)
      + listed + slower
    let figures = ties.flatMap { tie in
      tie.slower.figures
        + zip(tie.leaders.dropFirst(), tie.differences).map { other, difference in
          Finding.Figure.ratio(
            "time of \(other.label) / time of \(tie.leaders[0].label)",
            .wallClock,
            difference
          )
        }
    }
    add(topic, claim, detail, figures: figures, of: ties.flatMap(\.cases))
  }
}

extension [String] {
  /// The elements without duplicates, in the order of their first occurrence.
  package var unique: [String] {
    var seen: Set<String> = []
    return filter { seen.insert($0).inserted }
  }
}
