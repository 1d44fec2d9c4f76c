import Basics
import Compare
import Runner

/// What a new baseline changes of an old one, as a person reads it in a terminal.
package struct BaselineChanges: Sendable {
  /// Lines of each kind that are listed; review shows the rest.
  private static let mostListed = 100

  private let difference: BaselineDifference
  private let width: Int

  package init(_ difference: BaselineDifference, width: Int = 80) {
    self.difference = difference
    self.width = max(width, 60)
  }

  /// The lists of facts and costs that changed, of cases that are new and gone, and a summary.
  package var text: String {
    let lines =
      facts + changes + parts("new", difference.new) + parts("gone", difference.gone)
      + TerminalText.wrapped(summary, to: width)
    return lines.map { $0 + "\n" }.joined()
  }

  private var facts: [String] {
    difference.facts.prefix(Self.mostListed).flatMap {
      TerminalText.wrapped($0.change, to: width)
    } + rest(of: difference.facts.count)
  }

  private var changes: [String] {
    var lines: [String] = []
    var shown = ""
    for change in difference.changes.prefix(Self.mostListed) {
      if change.caseID != shown { lines += TerminalText.wrapped(change.caseID, to: width) }
      shown = change.caseID
      lines.append(line(of: change))
    }
    return lines + rest(of: difference.changes.count)
  }

  private func line(of change: BaselineDifference.Change) -> String {
    let values = "\(Figures.grouped(change.old)) → \(Figures.grouped(change.new))"
    let text = values + (change.share.map { "  (\($0))" } ?? "")
    let room = max(width - 4 - TerminalText.width(text), 8)
    let name = TerminalText.shortened(TerminalText.plain(change.metric.name), to: room)
    return "  " + name.padded(to: min(28, room)) + "  " + text
  }

  private func parts(_ label: String, _ parts: [BaselineDifference.Part]) -> [String] {
    parts.prefix(Self.mostListed).flatMap { part in
      let costs = Figures.counted(part.metrics.count, "cost")
      let what = part.isWholeCase ? costs : part.metrics.joined(separator: ", ")
      return TerminalText.wrapped("\(label): \(part.caseID) · \(what)", to: width)
    } + rest(of: parts.count)
  }

  private func rest(of count: Int) -> [String] {
    count > Self.mostListed ? ["… and \(count - Self.mostListed) more"] : []
  }

  private var summary: String {
    guard !difference.isEmpty else { return "nothing changed: \(difference.count) costs" }
    let higher = difference.changes.filter { $0.new > $0.old }.count
    let new = difference.new.reduce(0) { $0 + $1.metrics.count }
    let gone = difference.gone.reduce(0) { $0 + $1.metrics.count }
    return "\(difference.count) costs: \(higher) higher, \(difference.changes.count - higher)"
      + " lower, \(new) new; \(gone) gone"
  }
}

extension BaselineDifference.Change {
  /// `+3.30 %`; `nil` where nothing became something.
  fileprivate var share: String? {
    guard old > 0 else { return nil }
    return (new > old ? "+" : "−") + Figures.percent(abs(new - old) / old, decimals: 2)
  }
}
