import Basics
import Reporting

extension Readiness {
  /// The maximum number of lines of a verdict; ``width`` is the maximum number of columns.
  private static let mostLines = 15
  private static let width = 80

  /// The verdict in at most 15 lines of 80 columns.
  package var text: String {
    let head = Self.lines("\(headline).", hanging: 0, most: 2)
    let tail =
      Self.lines("Way: \(wayWords), since \(reason).", hanging: 5, most: 2)
      + Self.lines(
        "Checked: \(checked.joined(separator: ", ")). Not checked: "
          + "\(unchecked.joined(separator: ", ")).",
        hanging: 9,
        most: 3
      ) + Self.command(next)
    let room = Self.mostLines - head.count - tail.count
    // Show items in full, starting with the first item, while there is room.
    var items = shortItems
    for (index, whole) in wholeItems.enumerated()
    where items.joined().count - items[index].count + whole.count <= room {
      items[index] = whole
    }
    var body: [String] = []
    var left = items
    while let item = left.first {
      // Reserve one line for the number of items that do not fit.
      let reserve = left.count > 1 ? 1 : 0
      guard body.count + item.count + reserve <= room else { break }
      body += item
      left.removeFirst()
    }
    if !left.isEmpty {
      body.append("  and \(left.count) more: --format json has them all")
    }
    return (head + body + tail).prefix(Self.mostLines).joined(separator: "\n") + "\n"
  }

  private var signedItems: [(String, Item)] {
    blockers.map { ("✗", $0) } + decisions.map { ("?", $0) }
  }

  private var wholeItems: [[String]] {
    signedItems.map { sign, item in
      Self.lines("\(sign) \(Self.text(item))", hanging: 2, most: 4)
    }
  }

  /// The items in one line each, without advice that would be cut off.
  private var shortItems: [[String]] {
    signedItems.map { sign, item in
      let count = item.places.count
      let places = count == 0 ? "" : count == 1 ? ": \(item.places[0])" : " (\(count) places)"
      let text = "\(sign) \(item.text)\(places)"
      let whole = text + Self.advice(item)
      let fits = TerminalText.width(whole) <= Self.width - 2
      return Self.lines(fits ? whole : text, hanging: 2, most: 1)
    }
  }

  /// Wraps text to a maximum number of lines, indenting all but the first; longer text ends with an
  /// ellipsis.
  private static func lines(_ text: String, hanging: Int, most: Int) -> [String] {
    let blanks = String.blanks(hanging)
    let wrapped = TerminalText.wrapped(text, to: width - hanging)
    var shown = Array(wrapped.prefix(most))
    if wrapped.count > most, let last = shown.last {
      shown[shown.count - 1] = TerminalText.prefix(of: last, width: width - hanging - 1) + "…"
    }
    return shown.enumerated().map { $0.offset == 0 ? $0.element : blanks + $0.element }
  }

  private static func command(_ text: String) -> [String] {
    var lines: [String] = []
    var line = "Next:"
    for word in words(of: TerminalText.plain(text)) {
      if TerminalText.width(line) + 1 + TerminalText.width(word) > width - 2 {
        lines.append(line + " \\")
        line = "     "
      }
      line += " \(word)"
    }
    return lines + [line]
  }

  /// Splits a command at spaces that are not quoted.
  private static func parts(of command: String) -> [String] {
    var (parts, isQuoted): ([String], Bool) = ([""], false)
    for character in command {
      if character == "'" { isQuoted.toggle() }
      if character == " ", !isQuoted {
        parts.append("")
      } else {
        parts[parts.count - 1].append(character)
      }
    }
    return parts.filter { !$0.isEmpty }
  }

  private static func words(of command: String) -> [String] {
    var words: [String] = []
    for word in parts(of: command) {
      if let last = words.last, last.hasPrefix("-"), !last.contains(" "), !word.hasPrefix("-") {
        words[words.count - 1] += " " + word
      } else {
        words.append(word)
      }
    }
    return words
  }

  var section: Report.Section {
    let items: [Report.List.Item] =
      blockers.map { .init(.bad, "\(Self.text($0))") }
      + decisions.filter { $0 != swapped }.map { .init(.unknown, "\(Self.text($0))") }
    let warning: [Report.Block] =
      swapped.map { [.warning("\(Self.text($0).capitalizedFirst)")] } ?? []
    let list: [Report.Block] = items.isEmpty ? [] : [.list(Report.List(items, most: 8))]
    return .init(
      "Verdict",
      warning + list + [
        .facts([
          .init("Way", "\(wayWords), since \(reason)"),
          .init("Checked", "\(checked.joined(separator: ", "))"),
          .init("Not checked", "\(unchecked.joined(separator: ", "))"),
        ])
      ]
    )
  }

  private static func text(_ item: Item) -> String {
    item.text + (item.places.isEmpty ? "" : ": \(Figures.few(item.places))") + advice(item)
  }

  private static func advice(_ item: Item) -> String {
    item.advice.isEmpty ? "" : " → \(item.advice)"
  }
}
