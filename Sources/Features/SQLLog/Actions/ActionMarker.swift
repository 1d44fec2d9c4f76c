import Basics

/// A pattern for the lines that an app prints when an action starts or ends.
///
/// The action's name is the group `name`, or else the first group, or else the whole match. A match
/// with the group `end` ends the action; if the pattern has no such group, an action ends when the
/// next one starts.
package struct ActionMarker: Equatable, @unchecked Sendable {
  package let pattern: String
  private let regex: Regex<AnyRegexOutput>
  let hasEnd: Bool

  /// A match in a line that starts or ends an action.
  struct Hit: Equatable {
    var name: String
    var isEnd: Bool
  }

  /// The maximum number of bytes of a line that are searched.
  private static let longest = 2_000

  /// Compiles the pattern.
  ///
  /// - Throws: a ``Refusal`` if the pattern is not a valid regular expression.
  package init(_ pattern: String) throws {
    do { regex = try Regex(pattern) } catch {
      throw Refusal.badInput(
        "'\(pattern)' is not a regular expression: write one such as "
          + #"'screen: (?<name>.+)' or 'SCOPE_(BEGIN|(?<end>END)) (?<name>\w+)'"#
      )
    }
    self.pattern = pattern
    hasEnd = pattern.contains("(?<end>")
  }

  package static func == (first: ActionMarker, second: ActionMarker) -> Bool {
    first.pattern == second.pattern
  }

  func hit(_ line: UnsafeRawBufferPointer) -> Hit? {
    let text = line.part(0..<min(line.count, Self.longest)).text
    guard let match = text.firstMatch(of: regex) else { return nil }
    let output = match.output
    let groups = (0..<output.count).map { output[$0] }
    func named(_ name: String) -> Substring? { groups.first { $0.name == name }?.substring }
    let others = groups.dropFirst().filter { $0.name != "end" }
    let found =
      named("name") ?? others.first { $0.substring != nil }?.substring ?? groups[0].substring
    let name = String(found ?? "").filter { !$0.isNewline }
    return Hit(
      name: String(name.drop { $0 == " " }.prefix(100)),
      isEnd: named("end") != nil
    )
  }
}

struct MarkerFinder {
  /// The names of the actions, in the order of their first lines; ``sections`` contains the lines
  /// of each action.
  private(set) var names: [String] = []
  private(set) var sections: [[ClosedRange<Int>]] = []
  private(set) var notes: [String] = []

  private let marker: ActionMarker
  private var places: [String: Int] = [:]
  private var open: [(place: Int, line: Int)] = []
  private var line = 0
  private var ownLines = 0
  private var matches = 0
  /// The number of the first Core Data line that matches; 0 if no line matches.
  private var logged = 0
  private var nested = 0
  private var unopened = 0
  /// The first lines that the app printed, for the error message if no line matches.
  private var samples: [String] = []

  static let mostNames = 500

  init(_ marker: ActionMarker) { self.marker = marker }

  mutating func read(_ logs: [String]) throws {
    for path in logs {
      var form = try LogForm(of: path)
      try LineReader(path: path).forEachLine { line, _ in try read(line, of: &form) }
    }
    try finish()
  }

  private mutating func read(_ bytes: UnsafeRawBufferPointer, of form: inout LogForm) throws {
    line += 1
    // Skip lines with Core Data's prefix, which are never markers; most lines have this prefix.
    if bytes.has("CoreData: ") || bytes.isEmpty { return }
    if form.isLogged(bytes) {
      // Matches in Core Data's lines matter only for the error message if no other line matches.
      if matches == 0, logged == 0, marker.hit(bytes) != nil { logged = line }
      return
    }
    ownLines += 1
    guard let hit = marker.hit(bytes) else {
      let text = bytes.part(0..<min(bytes.count, 60)).text
      if samples.count < 3, !samples.contains(text) { samples.append(text) }
      return
    }
    matches += 1
    try take(hit)
  }

  private mutating func take(_ hit: ActionMarker.Hit) throws {
    guard !hit.name.isEmpty else { return }
    if hit.isEnd {
      guard let index = open.lastIndex(where: { names[$0.place] == hit.name }) else {
        unopened += 1
        return
      }
      close(open.remove(at: index), at: line)
      return
    }
    let place = places[hit.name] ?? names.count
    if place == names.count {
      guard names.count < Self.mostNames else {
        throw Refusal.badInput(
          "the marker finds more than \(Self.mostNames) different names, such as "
            + "'\(hit.name)': leave numbers and identifiers out of the group 'name'"
        )
      }
      places[hit.name] = place
      names.append(hit.name)
      sections.append([])
    }
    if !marker.hasEnd {
      while let last = open.popLast() { close(last, at: line - 1) }
    } else if !open.isEmpty {
      nested += 1
      // If an action starts again while it is open, end its earlier section before this line.
      if let index = open.firstIndex(where: { $0.place == place }) {
        close(open.remove(at: index), at: line - 1)
      }
    }
    open.append((place, line))
  }

  private mutating func close(_ action: (place: Int, line: Int), at last: Int) {
    sections[action.place].append(action.line...max(last, action.line))
  }

  private mutating func finish() throws {
    guard matches > 0 else {
      let lines = samples.map { "'\($0)'" }.joined(separator: ", ")
      let rest =
        logged > 0
        ? "only lines of the log's statements match, the first in line \(logged)"
        : samples.isEmpty
          ? "the log has no line that the app printed itself"
          : "the app's own lines start with \(lines)"
      throw Refusal.badInput("no line matches the marker '\(marker.pattern)': \(rest)")
    }
    if matches == ownLines, matches > 1, names.count == matches {
      notes.append("Every line of the app matches the marker: each is taken for an action.")
    }
    if nested > 0 {
      notes.append(
        "\(Figures.counted(nested, "action")) started within another one: the outer one counts what "
          + "runs in the inner one, too."
      )
    }
    if unopened > 0 {
      notes.append("\(Figures.counted(unopened, "end")) of an action that had not started.")
    }
    if marker.hasEnd, !open.isEmpty {
      let open = open.map { "'\(names[$0.place])'" }.joined(separator: ", ")
      notes.append("No end in the log: \(open).")
    }
    while let last = open.popLast() { close(last, at: max(line, 1)) }
  }
}
