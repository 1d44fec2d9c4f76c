import Basics
import Forecasting
import Runner

/// A forecast as a person reads it, in 80 columns: the answer, a table, and what they rest on.
package struct ForecastText {
  private let report: ForecastReport
  private let width: Int
  /// Whether every strategy's sizes, budgets and grounds follow the table.
  private let explains: Bool

  package init(report: ForecastReport, width: Int, explains: Bool = false) {
    self.report = report
    self.width = width
    self.explains = explains
  }

  package var text: String {
    let parameters = report.common + (report.sections.first?.answers ?? []).flatMap(\.parameters)
    let targets = Set(parameters.filter { $0.hasPrefix("to=") })
    let target = targets.count == 1 ? targets.first.map { " to \($0.dropFirst(3))" } : nil
    var lines = TerminalText.hanging(
      "Forecast of \(report.workload)\(target ?? "")",
      to: width
    )
    lines += report.sections.flatMap(answer)
    lines += report.notes.flatMap { TerminalText.hanging("· " + $0, to: width) }
    lines += report.sections.flatMap(table)
    if explains {
      lines += [""] + grounds + report.sections.flatMap(details)
    } else {
      lines += ["", "For every size and budget, and how this was predicted, add --explain"]
    }
    return lines.joined(separator: "\n")
  }

  // MARK: The answer

  private func answer(of section: ForecastReport.Section) -> [String] {
    sentences(of: section).flatMap { TerminalText.hanging($0, to: width) }
  }

  /// What the largest store takes, who waits too long, and what to do about it.
  func sentences(of section: ForecastReport.Section) -> [String] {
    let shapes = section.best
    guard let best = shapes.last else { return [recommendation(of: section)] }
    let place = section.basis.isEmpty ? "" : "On \(section.machine): "
    var sentences: [String] = []
    for size in report.largestSizes(of: best.forecast) {
      let range = shapes.count > 1 ? sentence(of: shapes, at: size) : nil
      sentences += range.map { [place + $0] } ?? shapes.map { place + sentence(of: $0, at: size) }
    }
    if let population = report.population, let users = users(of: population, shapes) {
      sentences.append(users)
    }
    return sentences + [recommendation(of: section)]
  }

  /// The users who exceed each budget, and the budgets that none exceeds; `nil` where nothing is known.
  private func users(of population: Population, _ shapes: [ForecastReport.Answer]) -> String? {
    let range = ForecastRange(forecasts: shapes.map(\.forecast))
    var parts: [String] = []
    var kept: [String] = []
    for budget in report.budgets {
      if shapes.count > 1 {
        guard let users = range.users(of: population, over: budget) else { continue }
        parts.append("\(users) of your users exceed \(budget.title)")
      } else if let found = try? population.exceeding(budget, of: shapes[0].forecast).get() {
        guard found.high > 0 else {
          kept.append(budget.title)
          continue
        }
        parts.append(
          "\(found.share.percent) of your users exceed \(budget.title) "
            + "(\(found.low.percent) to \(found.high.percent))"
        )
      }
    }
    if !kept.isEmpty {
      let subject = parts.isEmpty ? "None of your users exceed " : "none exceed "
      parts.append(subject + kept.joined(separator: " or "))
    }
    return parts.isEmpty ? nil : parts.joined(separator: "; ") + "."
  }

  /// The range over the shapes that the framework's own migration may have; `nil` where the time of
  /// one is unknown.
  private func sentence(
    of shapes: [ForecastReport.Answer],
    at size: StoreSize
  ) -> String? {
    let range = ForecastRange(forecasts: shapes.map(\.forecast))
    guard let (time, interval) = range.time(size), let found = shapes[0].forecast.answer(to: size)
    else { return nil }
    let most = [
      range.memory(size).map { "\($0) of memory" }, range.disk(size).map { "\($0) of disk" },
    ]
    .compactMap { $0 }.joined(separator: " and ")
    return subject(found.objects) + "\(time) (90 % interval: \(interval))"
      + (most.isEmpty ? "" : ", at most \(most)")
      + ". The framework's own migration may work in \(shapes.count) ways; the range covers all of "
      + "them, because it is not known which way is used."
  }

  private func subject(_ found: Double) -> String {
    let objects = "\(found.threeDigits.grouped) objects"
    let isLargest = report.population.map { $0.largest == found } ?? false
    return isLargest ? "Your largest store, \(objects), takes " : "A store of \(objects) takes "
  }

  private func sentence(of answer: ForecastReport.Answer, at size: StoreSize) -> String {
    guard let found = answer.forecast.answer(to: size) else { return "No store has a known size." }
    let objects = "\(found.objects.threeDigits.grouped) objects"
    switch found.time {
    case .success(let time):
      let memory = (try? found.memory.get()).map { ", \(Figures.bytes($0.value)) of memory" } ?? ""
      let disk = (try? found.disk.get()).map { " and \(Figures.bytes($0.value)) of disk" } ?? ""
      return subject(found.objects)
        + "\(Figures.seconds(time.value)) (90 % interval: \(Figures.seconds(time.low)) to "
        + "\(Figures.seconds(time.high)))\(memory)\(disk)."
    case .failure(let refusal):
      return "The time of a store of \(objects) is unknown: \(refusal)."
    }
  }

  /// One table: of several strategies side by side, of one by size and budget.
  private func table(of section: ForecastReport.Section) -> [String] {
    let heading = section.basis.isEmpty ? [] : ["", "Predicted for \(section.machine)"]
    let comparison = ForecastComparison(section: section, report: report, width: width).lines
    guard comparison.isEmpty else { return heading + comparison }
    guard !explains, let answer = section.answers.first else { return [] }
    return heading + [""] + ForecastCaseText(answer: answer, report: report, width: width).table
  }

  // MARK: What it rests on

  private var grounds: [String] {
    let environment = report.environment
    let facts = [
      environment.machine, "\(environment.cores) cores", "SQLite \(environment.sqliteVersion)",
      environment.fileSystem, "\(environment.build) build",
    ]
    return [TerminalText.prefix(of: facts.joined(separator: " · "), width: width)]
      + [strategies, objects, users].compactMap { $0 }.flatMap {
        TerminalText.hanging($0, to: width)
      }
  }

  private var strategies: String? {
    guard !report.common.isEmpty else { return nil }
    return "Every strategy: " + report.common.joined(separator: ", ")
  }

  /// What an object is, since a user of an app counts one kind of them.
  private var objects: String? {
    let total = report.counts.values.reduce(0, +)
    guard report.counts.count > 1, total > 0 else { return nil }
    let kinds = report.counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    let shares = kinds.prefix(6).map { entity, count in
      "\((Double(count) / Double(total)).percent) \(entity)"
    }
    let asked =
      kinds.first.map { "; '--to \($0.key)=40000' gives the size as objects of one entity" } ?? ""
    return "Objects are counted over all entities: \(shares.joined(separator: ", "))"
      + (kinds.count > 6 ? ", and \(kinds.count - 6) more" : "") + asked + "."
  }

  private var users: String? {
    guard let population = report.population else { return nil }
    let sizes = [population.quantile(0.5), population.quantile(0.99), population.largest].map {
      $0.threeDigits.grouped
    }
    let unread =
      population.unread.isEmpty
      ? ""
      : "; ignored columns, because no entity has the name: "
        + population.unread.map { "'\($0)'" }.joined(separator: ", ")
    return "Users of '\(report.populationPath)': half have up to \(sizes[0]) objects, 99 in 100 "
      + "up to \(sizes[1]), all up to \(sizes[2])\(unread)."
  }

  private func details(of section: ForecastReport.Section) -> [String] {
    let basis = section.basis.isEmpty ? "" : ", \(section.basis)"
    let heading =
      "Predicted for \(section.machine)\(basis), with 90 % intervals. "
      + section.note
    var lines = [""]
    lines += TerminalText.hanging(heading, to: width)
    for answer in section.answers {
      lines += ForecastCaseText(answer: answer, report: report, width: width).lines
    }
    return lines
  }

  private func recommendation(of section: ForecastReport.Section) -> String {
    if let recommended = section.recommendation {
      return "Recommended: \(recommended.name). \(recommended.reason)."
    }
    return Set(section.answers.map(\.choice)).count > 1
      ? "No recommendation: the time is known for fewer than two strategies."
      : "Only one strategy was predicted. To compare several, name more files or set an axis, such "
        + "as --set 'batchSize=[100, 1000]'."
  }
}

/// What one case's forecast says: sizes, budgets, users, and what it rests on.
struct ForecastCaseText {
  let answer: ForecastReport.Answer
  let report: ForecastReport
  let width: Int

  private var forecast: Forecast { answer.forecast }

  var lines: [String] {
    let name = TerminalText.wrapped(answer.name, to: width)
    return [""] + name + [""] + table + [""] + refusals + grounds
  }

  /// Sizes, budgets and users.
  var table: [String] { sizes + [""] + budgets + users }

  // MARK: Sizes

  private var sizes: [String] {
    let header = row("objects", "store", "time", "90 % interval", "memory", "disk")
    return [header] + report.sizes.map(line)
  }

  private func line(of size: StoreSize) -> String {
    guard let found = forecast.answer(to: size) else { return "  no store has a known size" }
    let (time, range) = Self.text(found.time)
    return row(
      Int(found.objects.rounded()).grouped,
      found.storeBytes.map { Figures.bytes($0) } ?? "–",
      time,
      range,
      Self.text(found.memory),
      Self.text(found.disk)
    )
  }

  static func text(_ time: Result<Interval, NoForecast>) -> (value: String, range: String) {
    guard case .success(let time) = time else { return ("unknown", "–") }
    return (
      Figures.seconds(time.value),
      "\(Figures.seconds(time.low)) to \(Figures.seconds(time.high))"
    )
  }

  private static func text(_ found: Result<Interval, NoForecast>) -> String {
    guard case .success(let interval) = found else { return "unknown" }
    return "\(Figures.bytes(interval.value)) ±\(interval.halfWidth.percent)"
  }

  private func row(_ cells: String...) -> String {
    // A number too long for its column is one of which little is known.
    let excess = max(0, (cells.first?.count ?? 0) - 11)
    return zip(cells, [11, 9, 9, 19 - excess, 16, 16]).map { $0.padded(to: $1, .right) }.joined()
  }

  // MARK: Budgets

  private var budgets: [String] {
    func row(_ title: String, _ cells: [String]) -> String {
      ("  " + title).padded(to: 27) + cells.map { $0.padded(to: 17, .right) }.joined()
    }
    return [row("objects that fit in", ["conservative", "expected", "optimistic"])]
      + report.budgets.map { budget in
        guard case .success(let largest) = forecast.largestStore(within: budget) else {
          return row(budget.title, ["unknown"])
        }
        let sizes = [largest.surely, largest.probably, largest.atMost]
        return row(budget.title, sizes.map { Self.text($0, known: largest.known) })
      }
  }

  static func text(_ size: Double, known: Double) -> String {
    guard size > 0 else { return "none" }
    let number = size.threeDigits.grouped
    return size >= known ? "over \(number)" : number
  }

  private var users: [String] {
    guard let population = report.population else { return [] }
    return ["", "  users over a budget"]
      + report.budgets.map { budget in
        let title = ("  " + budget.title).padded(to: 32)
        guard case .success(let found) = population.exceeding(budget, of: forecast) else {
          return title + "unknown".padded(to: 14, .right)
        }
        let unknown = found.unknown > 0 ? ", \(found.unknown.percent) unknown" : ""
        return title + found.share.percent.padded(to: 14, .right)
          + "  (\(found.low.percent) to \(found.high.percent)\(unknown))"
      }
  }

  // MARK: Reasons

  /// Why something above is unknown, each reason once.
  private var refusals: [String] {
    let found =
      report.sizes.compactMap { forecast.answer(to: $0) }.flatMap(\.refusals)
      + report.budgets.compactMap { budget -> NoForecast? in
        guard case .failure(let refusal) = forecast.largestStore(within: budget) else { return nil }
        return refusal
      }
    var told: [NoForecast] = []
    for refusal in found where !told.contains(refusal) { told.append(refusal) }
    return told.flatMap { refusal in
      let advice =
        switch refusal {
        case .drifted, .poorFit: "; the measurements are kept, and '--again' repeats them"
        default: ""
        }
      return TerminalText.hanging("unknown: \(refusal)\(advice)", to: width, indent: 2)
    }
  }

  private var grounds: [String] {
    ForecastGrounds(forecast: forecast).sentences.flatMap {
      TerminalText.hanging($0, to: width, indent: 2)
    }
  }
}

extension TerminalText {
  /// A text on lines of a width: the first with so many blanks before it, those that go on with two
  /// more.
  ///
  /// A number and its percent sign stay together.
  static func hanging(_ text: String, to width: Int, indent: Int = 0) -> [String] {
    let joined = text.replacing(" %", with: "\u{A0}%")
    return wrapped(joined, to: width - indent - 2).enumerated().map { index, line in
      .blanks(index == 0 ? indent : indent + 2) + line.replacing("\u{A0}%", with: " %")
    }
  }
}

extension LadderProgress {
  /// How far a ladder is, the estimate first: a terminal cuts long names off.
  package func text(after elapsed: Double) -> String {
    let left = remaining(after: elapsed).map { " about \(Figures.seconds($0, .rough)) left," } ?? ""
    return "[\(done + 1)/\(total)]\(left) \(current)"
  }
}
