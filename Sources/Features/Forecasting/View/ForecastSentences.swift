import Basics
import Foundation

/// The sentences at the top of the report, which answer the questions for one machine.
extension MachineView {
  /// The maximum number of strategies whose times are stated if no strategy is recommended; the
  /// table lists all strategies.
  private static let mostTimes = 4

  /// The strategies that the sentences describe: the recommended strategy or, if no strategy is
  /// recommended, the first strategies.
  var stated: [Choice] {
    section.best.isEmpty ? Array(choices.prefix(Self.mostTimes)) : [Choice(section.best)]
  }

  /// The largest store's time, the users who wait too long, and the recommended strategy, as text.
  var sentences: [String] {
    let place = section.basis.isEmpty ? "" : "On \(section.machine): "
    let last = [notCompared, report.failed, section.leftOut]
    var first = stated.flatMap { times(of: $0) }
    if let recommended = section.recommendation, recommended.isEnough {
      first.insert(recommended.reason + ".", at: 0)
    }
    let waiting =
      section.best.isEmpty ? nil : report.population.flatMap { users(of: $0, stated[0]) }
    return first.map { place + $0 } + ([waiting, recommendation] + last).compactMap(\.self)
  }

  private func times(of choice: Choice) -> [String] {
    report.largestSizes(of: choice.forecasts[choice.forecasts.count - 1]).map {
      sentence(of: choice, at: $0)
    }
  }

  private func sentence(of choice: Choice, at size: StoreSize) -> String {
    let answers = choice.forecasts.compactMap { $0.answer(to: size) }
    guard let found = answers.first else { return "No store has a known size." }
    let objects = "\(size.words(objects: found.objects)) objects"
    let way = choice.opening(isOnly: choices.count < 2)
    if let unknown = answers.compactMap(\.time.failure).first {
      let reason = unknown.words(for: found.objects, like: report.like)
      return "\(way)the time of a store of \(objects) is not known: \(reason).".capitalizedFirst
    }
    guard let time = choice.bounds(size, \.time) else { return "No store has a known size." }
    let hasWays = choice.forecasts.count > 1
    let space = space(of: choice, at: size)
    let opening = "\(way)\(subject(found.objects, objects)) takes ".capitalizedFirst
    return opening + text(time.values) { Figures.seconds($0) }
      + " (90 % interval: \(Figures.seconds(time.low)) to \(Figures.seconds(time.high)))"
      + (space.isEmpty ? "" : (hasWays ? ", at most " : ", ") + space) + "."
      + (hasWays ? ways(of: choice, time.values) : "")
  }

  /// A sentence about the different ways in which Core Data may carry out a strategy.
  private func ways(of choice: Choice, _ times: ClosedRange<Double>) -> String {
    let isScaledByWay = Set(choice.forecasts.map(\.machine)).count > 1
    let ends = [times.lowerBound, times.upperBound].map { Figures.seconds($0) }
    return " The framework's own migration may work in \(choice.forecasts.count) ways; "
      + (isScaledByWay ? "each is scaled to the observed migrations by itself, and " : "")
      + "the \(ends[0] == ends[1] ? "interval" : "range") covers all of them, because it is not "
      + "known which way is used."
  }

  private func space(of choice: Choice, at size: StoreSize) -> String {
    let isScaled = choice.forecasts.contains { $0.machine != nil }
    let memory = isScaled ? "memory on \(ForecastMachine.here)" : "memory"
    return [(memory, choice.bounds(size, \.memory)), ("disk", choice.bounds(size, \.disk))]
      .compactMap { name, found in
        found.map { "\(Figures.bytes($0.values.upperBound)) of \(name)" }
      }.joined(separator: " and ")
  }

  /// A store as the subject of a sentence, with the users whose stores it represents.
  private func subject(_ size: Double, _ objects: String) -> String {
    guard let population = report.population, population.largest == size else {
      return "a store of \(objects)"
    }
    guard population.beyond > 0 else { return "your largest store, \(objects)," }
    let share = Figures.part(1 - population.beyond)
    return "a store of \(objects), the largest of \(share) of your users,"
  }

  /// The users who exceed each budget, and the budgets that no user exceeds, as a sentence; `nil`
  /// if everything is unknown.
  private func users(of population: Population, _ choice: Choice) -> String? {
    var (parts, kept): ([String], [String]) = ([], [])
    for budget in report.budgets {
      guard let found = choice.users(of: population, over: budget),
        found.contains(where: { $0.unknown < 1 })
      else { continue }
      if found.contains(where: { $0.high > 0 }) {
        parts.append(clause(of: found, over: budget))
      } else {
        kept.append(budget.title)
      }
    }
    if !kept.isEmpty {
      let subject = parts.isEmpty ? "none of your users exceed " : "none exceed "
      parts.append(subject + kept.joined(separator: " or "))
    }
    return parts.isEmpty ? nil : parts.joined(separator: "; ").capitalizedFirst + "."
  }

  /// The users who exceed a budget, as a clause with the range of their share.
  private func clause(of found: [Population.Exceeding], over budget: ResourceBudget) -> String {
    let (low, high) = (found.map(\.low).min() ?? 0, found.map(\.high).max() ?? 0)
    let unknown = found.map(\.unknown).max() ?? 0
    let isNoneExpected = found.allSatisfy { $0.share == 0 }
    let resource = budget.resource.rawValue
    let (share, range) = (shares(found), text(low...high, Figures.part))
    // State only the upper bound if no user is expected to exceed the budget, or if the expected
    // shares already span the whole interval.
    let isBound = isNoneExpected ? unknown == 0 || unknown == high : unknown == 0 && share == range
    if isBound, low == 0, high < 0.995 {
      let whose = unknown > 0 ? ", whose \(resource) is not known," : ""
      return "\(Population.atMost(high, Figures.part)) of your users\(whose) exceed \(budget.title)"
    }
    let details: [String] =
      (share == range ? [] : [range])
      + (unknown > 0 ? ["the \(resource) of \(Figures.part(unknown)) is not known"] : [])
    let rest = details.isEmpty ? "" : " (\(details.joined(separator: "; ")))"
    return "\(share) of your users\(rest) exceed \(budget.title)"
  }

  private var recommendation: String? {
    if let recommended = section.recommendation {
      // If Core Data's own migration suffices, the first sentence already recommends it.
      guard !recommended.isEnough else { return nil }
      let title = choices.first { $0.name == recommended.name }?.title
      return "Recommended: \(title ?? written(recommended.name)). \(recommended.reason)."
        + (memory(of: recommended.name).map { " \($0)" } ?? "")
    }
    guard choices.count < 2 else { return "No recommendation: \(obstacle)." }
    // If other strategies failed, another sentence lists the failures.
    return report.failures.isEmpty
      ? "Only one strategy was predicted. To compare several, name more files or set an axis, such "
        + "as --set 'batchSize=[100, 1000]'." : nil
  }

  /// The growth of the recommended strategy's memory, as sentences; `nil` if a budget limits the
  /// memory, if the memory does not at least double, or if it is less than twice that of each
  /// compared strategy.
  private func memory(of name: String) -> String? {
    let others = comparedNames.subtracting([name])
    guard let own = choices.first(where: { $0.name == name }), let forecast = own.forecasts.last,
      !report.budgets.contains(where: { $0.resource == .memory }),
      let smallest = forecast.data.rungs.first, let first = smallest.peakMemory,
      let size = report.largestSizes(of: forecast).first,
      let objects = forecast.objects(of: size),
      let last = own.bounds(size, \.memory)?.values.upperBound
    else { return nil }
    let rivals = choices.filter { others.contains($0.name) }.compactMap { rival in
      rival.bounds(size, \.memory).map { (title: rival.title, bytes: $0.values.upperBound) }
    }
    guard let least = rivals.min(by: { $0.bytes < $1.bytes }), last >= 2 * max(first, least.bytes)
    else { return nil }
    let memory = [first, last, least.bytes].map { Figures.bytes($0) }
    return "Its memory grows with the store, from \(memory[0]) at \(smallest.size.whole) objects "
      + "to \(memory[1]) at \(size.words(objects: objects)), where \(least.title) takes "
      + "\(memory[2]). "
      + "iOS terminates an app at its memory limit: '--within memory=200MB' adds such a budget."
  }

  /// The names of the strategies that the recommendation compares.
  private var comparedNames: Set<String> {
    let goal = ForecastReport.goal(of: section.answers)
    return Set(section.answers.filter { !$0.isLowerBound && $0.goal == goal }.map(\.choice))
  }

  private var obstacle: String {
    let all = goals
    guard all.count > 1, comparedNames.count < 2 else {
      return "the time is known for fewer than two strategies that can be compared"
    }
    let parts = all.map { $0.components(separatedBy: ", ") }
    let shared = parts.reduce(Set(parts[0])) { $0.intersection($1) }
    let own = parts.map { part in
      "'" + part.filter { !shared.contains($0) }.joined(separator: ", ") + "'"
    }.filter { $0 != "''" }
    return "the strategies end in other data, or have other safeguards"
      + (own.isEmpty ? "" : " (\(Figures.few(own)))")
      + (own.contains { $0.contains("backup") } ? "; '--set backup=copy' gives each a backup" : "")
  }

  /// The goals of the strategies that an app can ship, beginning with the goal of the compared
  /// strategies.
  private var goals: [String] {
    var goals = [ForecastReport.goal(of: section.answers)].compactMap(\.self)
    for answer in section.answers where !answer.isLowerBound && !goals.contains(answer.goal) {
      goals.append(answer.goal)
    }
    return goals
  }

  /// A sentence that names the excluded strategies, with the reasons; `nil` if no strategy is
  /// excluded.
  private var notCompared: String? {
    let goal = ForecastReport.goal(of: section.answers)
    func names(_ isMeant: (ForecastReport.Answer) -> Bool) -> String? {
      var names: [String] = []
      for answer in section.answers where isMeant(answer) && !names.contains(answer.title) {
        names.append(answer.title)
      }
      return names.isEmpty ? nil : Figures.few(names)
    }
    let others = section.recommendation == nil ? nil : names { !$0.isLowerBound && $0.goal != goal }
    let parts = [
      names(\.isLowerBound).map { "\($0) (which no app can ship)" },
      others.map { "\($0) (other final data, or other safeguards)" },
    ].compactMap(\.self)
    return parts.isEmpty ? nil : "Not compared: \(parts.joined(separator: "; "))."
  }

  /// The largest stores that fit the budgets, in every way in which Core Data may work, as a
  /// sentence; `nil` if no such store is known.
  func fits(_ choice: Choice) -> String? {
    let parts = report.budgets.compactMap { budget in
      choice.largestStore(within: budget).map { fit($0, budget.title) }
    }
    guard !parts.isEmpty else { return nil }
    return (choice.opening(isOnly: choices.count < 2) + parts.joined(separator: "; "))
      .capitalizedFirst + "."
  }

  private func fit(_ found: Forecast.LargestStore, _ budget: String) -> String {
    func number(_ size: Double) -> String {
      size >= found.known ? "\(found.known.threeDigits.grouped) or more" : size.threeDigits.grouped
    }
    if found.probably >= found.known {
      let known = "all known sizes, to \(found.known.threeDigits.grouped) objects,"
      guard found.atLeast < found.known else { return "\(known) fit \(budget)" }
      let least =
        found.atLeast > 0 ? "stores up to \(number(found.atLeast)) objects do" : "none does"
      return "\(known) are expected to fit \(budget) (by the upper end of the interval, \(least))"
    }
    if found.probably <= 0 {
      return found.atMost > 0
        ? "no store is expected to fit \(budget) (by the lower end of the interval, stores up to "
          + "\(number(found.atMost)) objects may)" : "no store fits \(budget)"
    }
    return "stores up to \(number(found.probably)) objects (\(number(found.atLeast)) to "
      + "\(number(found.atMost))) fit \(budget)"
  }
}

extension ForecastReport {
  /// The strategies whose runs failed, with the causes, as sentences; `nil` if no run failed.
  var failed: String? {
    let sentences = failures.map { failure -> String in
      let words = failure.name.isEmpty ? "this migration" : written(failure.name)
      let end = failure.reason.hasSuffix(".") ? "" : "."
      return "\(words) failed \(failure.reason)\(end)".capitalizedFirst
    }
    return sentences.isEmpty ? nil : sentences.joined(separator: " ")
  }
}
