import Basics
import Measurement

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
    for group in LiveGroup.groups(of: result) { lines += self.lines(of: group, in: result) }
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

  private func lines(of group: LiveGroup, in result: LiveResult) -> [String] {
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
    let count = result.blocks.count == 1 ? "1 block" : "\(result.blocks.count) blocks"
    return result.slicing == .coarse ? "\(count), coarse" : count
  }

  private func missing(_ label: String, _ ids: [String]) -> [String] {
    ids.isEmpty
      ? [] : TerminalText.labelled(TerminalText.plain(label), ids, separator: "; ", to: width)
  }

  // MARK: Closing

  private func closing(of result: LiveResult) -> [String] {
    let isGood = result.exitStatus() == 0
    let spent = LiveWords.duration(result.seconds)
    let budget = LiveWords.duration(result.budget)
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
      switch policy.multipleTesting {
      case .holm:
        "any false alarm among \(result.cases.count) cases: at most "
          + LiveWords.level(policy.suiteLevel)
      case .falseDiscovery(let rate): "false alarms among alarms: at most \(LiveWords.level(rate))"
      }
    return "Wall clock, head over base; changes under \(floor) fail nothing; \(rate); unchanged "
      + "means by less than \(margin), wrong in at most "
      + "\(LiveWords.level(policy.equivalenceLevel)) of such cases. Intervals: 95 %."
  }

  /// What the order of things did, which favours neither side.
  private func effects(of result: LiveResult) -> [String] {
    guard let inPairs = Summary(of: result.cases.compactMap(\.orderEffect))?.p50 else { return [] }
    let text =
      "A slice took \(LiveWords.change(inPairs)) after one of the other side, which both have alike."
    return wrapped(text, ink: .faint)
  }

  private func coarse(_ result: LiveResult) -> [String] {
    guard result.cases.contains(where: { $0.slicing == .coarse && !$0.hasFailed }) else {
      return []
    }
    let text =
      "coarse: the work cannot be cut into slices, so that all noise of the machine is in its times"
    return wrapped(text, ink: .faint)
  }

  private func wrapped(_ text: String, ink: Ink) -> [String] {
    palette.wrapped(text, to: width, ink: ink)
  }

  private func indented(_ text: String, ink: Ink) -> [String] {
    palette.wrapped(text, to: width, indent: 4, ink: ink)
  }
}
