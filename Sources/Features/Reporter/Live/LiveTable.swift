import Basics
import Compare
import Reporting
import Runner

/// A live comparison as a person reads it: a verdict a case, what they rest on beneath.
package struct LiveTable: Sendable {
  /// Whether escape sequences may colour the text.
  package var isColoured: Bool
  /// Columns of the terminal, at least 60.
  package var width: Int

  package init(isColoured: Bool = false, width: Int = 80) {
    self.isColoured = isColoured
    self.width = max(width, 60)
  }

  /// The whole table.
  package func text(of result: LiveResult) -> String {
    var lines: [String] = headline(of: result) + [""]
    for group in Group.groups(of: result) { lines += self.lines(of: group, in: result) }
    let missing =
      self.missing("only in \(result.base)", result.onlyInBase)
      + self.missing("only in \(result.head)", result.onlyInHead)
    lines += missing.isEmpty ? [] : missing + [""]
    lines += closing(of: result)
    return lines.map { $0 + "\n" }.joined()
  }

  private var palette: Palette { Palette(isColoured: isColoured) }

  private func headline(of result: LiveResult) -> [String] {
    let title = wrapped("\(result.head) against \(result.base)", ink: .bold)
    guard let environment = result.environment else { return title }
    let others = ["stores on \(environment.fileSystem)", "seed \(result.seed)"]
    return title + Headline.brief(environment, and: others, width: width)
      + Headline.caution(environment, width: width, palette: palette)
  }

  // MARK: Cases

  private func lines(of group: Group, in result: LiveResult) -> [String] {
    let common =
      group.common.isEmpty
      ? [] : TerminalText.labelled("every case", group.common, separator: ", ", to: width)
    return wrapped(group.workload, ink: .bold) + common.map { palette.paint($0, .faint) }
      + group.cases.flatMap { lines(of: $0, named: group.name(of: $0), in: result) } + [""]
  }

  private func lines(
    of found: LiveCaseResult,
    named name: String,
    in result: LiveResult
  ) -> [String] {
    let title = palette.wrapped(name, to: width, indent: 2)
    switch found.finding {
    case .failed(let cause):
      return title + indented("FAILED: \(cause)", ink: .red)
    case .verdict(let verdict):
      let (text, ink) = LiveWords.verdict(verdict, of: result)
      return title + indented("\(text) · \(basis(of: found))", ink: ink)
    }
  }

  private func basis(of result: LiveCaseResult) -> String {
    let count = Figures.counted(result.blocks.count, "block")
    var facts = [count]
    if result.slicing == .coarse { facts.append("coarse") }
    if result.notColdBlocks > 0 { facts.append("NOT COLD in \(result.notColdBlocks)") }
    return facts.joined(separator: ", ")
  }

  private func missing(_ label: String, _ ids: [String]) -> [String] {
    ids.isEmpty
      ? [] : TerminalText.labelled(TerminalText.plain(label), ids, separator: "; ", to: width)
  }

  // MARK: Closing

  private func closing(of result: LiveResult) -> [String] {
    let isGood = result.exitStatus() == 0
    let spent = Figures.minutes(result.seconds)
    let budget = Figures.minutes(result.budget)
    let ended = result.isInterrupted ? "; interrupted" : ""
    return wrapped(LiveWords.summary(of: result), ink: isGood ? .green : .red)
      + wrapped("Blocks took \(spent) of a budget of \(budget)\(ended).", ink: .faint)
      + wrapped(promise(of: result), ink: .faint) + effects(of: result) + coarse(result)
  }

  private func promise(of result: LiveResult) -> String {
    let policy = result.policy
    let floor = LiveWords.level(policy.floor)
    let margin = LiveWords.level(policy.margin)
    let rate =
      "probability of any false alarm among \(result.cases.count) cases: at most "
      + LiveWords.level(policy.suiteLevel)
    return "Wall time, head relative to base; changes below \(floor) do not fail the comparison; "
      + "\(rate); 'unchanged' means a change of less than \(margin), and is wrong for at most "
      + "\(LiveWords.level(policy.equivalenceLevel)) of larger changes. Intervals: 95 %."
  }

  /// What the order of things did, which favours neither side.
  private func effects(of result: LiveResult) -> [String] {
    guard let inPairs = Summary(of: result.cases.compactMap(\.orderEffect))?.p50 else { return [] }
    let text =
      "Time slices took \(LiveWords.change(inPairs)) after a slice of the other side; this affects "
      + "both sides equally."
    return wrapped(text, ink: .faint)
  }

  private func coarse(_ result: LiveResult) -> [String] {
    guard result.cases.contains(where: { $0.slicing == .coarse && !$0.hasFailed }) else {
      return []
    }
    let text =
      "coarse: the work cannot be cut into time slices, so its times contain all noise of the "
      + "machine"
    return wrapped(text, ink: .faint)
  }

  private func wrapped(_ text: String, ink: Ink) -> [String] {
    palette.wrapped(text, to: width, ink: ink)
  }

  private func indented(_ text: String, ink: Ink) -> [String] {
    palette.wrapped(text, to: width, indent: 4, ink: ink)
  }
}

/// Verdicts, changes and times in words.
enum LiveWords {
  static func verdict(_ verdict: LiveVerdict, of result: LiveResult) -> (String, Ink) {
    switch verdict {
    case .changed(let estimate, let interval, let isBelowFloor):
      let text = "changed by \(change(estimate)) \(range(interval))"
      if isBelowFloor { return ("\(text), below the floor", .plain) }
      return estimate > 0 ? ("\(text): SLOWER", .red) : ("\(text): faster", .green)
    case .unchanged(let wouldHaveSeen, let interval):
      return (
        "unchanged, would have found \(Figures.percent(wouldHaveSeen)) \(range(interval))", .plain
      )
    case .cannotTell(let shortfall):
      return (cannotTell(shortfall, of: result), .yellow)
    }
  }

  private static func cannotTell(_ shortfall: Shortfall, of result: LiveResult) -> String {
    guard let seconds = shortfall.seconds else { return "cannot tell: too few blocks" }
    let scatter = shortfall.scale.map { ": blocks vary by \(Figures.percent($0))" } ?? ""
    if shortfall.isOutOfReach(budget: result.budget, policy: result.policy) {
      return "cannot tell, not on this machine\(scatter)"
    }
    let time = Figures.upward(seconds, ["more seconds", "more minutes", "more hours"])
    return "cannot tell, needs about \(time)\(scatter)"
  }

  static func summary(of result: LiveResult) -> String {
    let verdicts = result.cases.compactMap(\.verdict)
    let count = { (isCounted: (LiveVerdict) -> Bool) in verdicts.filter(isCounted).count }
    let parts = [
      (count(\.isRegression), "slower"), (count(\.isImprovement), "faster"),
      (count(\.isBelowFloor), "changed below the floor"),
      (count { if case .unchanged = $0 { true } else { false } }, "unchanged"),
      (count { !$0.isDecided }, "cannot tell"),
      (result.cases.filter(\.hasFailed).count, "failed"),
    ]
    return Figures.counted(result.cases.count, "case") + ": "
      + parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
  }

  /// A change with its sign: `+5.1 %`.
  static func change(_ share: Double) -> String {
    guard share.isFinite else { return share < 0 ? "-∞" : "+∞" }
    return (share < 0 ? "-" : "+") + Figures.percent(abs(share))
  }

  /// A share that somebody chose, without zeros behind the point: `2 %`.
  static func level(_ share: Double) -> String {
    var text = Figures.fixed(share * 100, decimals: 2)[...]
    while text.hasSuffix("0") { text = text.dropLast() }
    return "\(text.hasSuffix(".") ? text.dropLast() : text) %"
  }

  private static func range(_ interval: ChangeInterval) -> String {
    "[\(change(interval.lower)), \(change(interval.upper))]"
  }
}

extension LiveVerdict {
  fileprivate var isBelowFloor: Bool {
    if case .changed(_, _, true) = self { true } else { false }
  }

  fileprivate var isImprovement: Bool {
    if case .changed(let estimate, _, false) = self { estimate < 0 } else { false }
  }
}

extension LiveTable {
  /// The cases of one workload file, with what their IDs have in common said once.
  struct Group {
    let workload: String
    let cases: [LiveCaseResult]
    /// Parameters that every case has with the same value, in the order of the IDs.
    let common: [String]

    private init(workload: String, cases: [LiveCaseResult]) {
      self.workload = workload
      self.cases = cases
      let lists = cases.map { Self.parameters(of: $0) }
      let first = cases.count > 1 ? lists.first ?? [] : []
      common = first.filter { parameter in lists.allSatisfy { $0.contains(parameter) } }
    }

    /// Groups of neighbours, in the order of the result.
    static func groups(of result: LiveResult) -> [Group] {
      var lists: [[LiveCaseResult]] = []
      for found in result.cases {
        if lists.last?.first?.workload == found.workload {
          lists[lists.count - 1].append(found)
        } else {
          lists.append([found])
        }
      }
      return lists.map { Group(workload: $0.first?.workload ?? "", cases: $0) }
    }

    /// The parameters in which the case differs from the others of its file.
    func name(of found: LiveCaseResult) -> String {
      let own = Self.parameters(of: found).filter { !common.contains($0) }
      return own.isEmpty ? found.id : own.joined(separator: ",")
    }

    private static func parameters(of found: LiveCaseResult) -> [String] {
      let prefix = found.workload + "/"
      guard found.id.hasPrefix(prefix) else { return [] }
      return found.id.dropFirst(prefix.count).split(separator: ",").map(String.init)
    }
  }
}
