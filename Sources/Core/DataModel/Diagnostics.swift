import Basics
import Foundation

/// The problems of one input file, collected from all readers of its parts.
package final class Diagnostics {
  package let file: String
  private var found: [Diagnostic] = []
  private var known: Set<Diagnostic> = []

  package init(file: String) {
    self.file = file
  }

  /// Every problem found, in file order; problems without a location come first.
  package var all: [Diagnostic] {
    // The sort is stable: problems at the same location stay in the order in which they were found.
    found.enumerated().sorted {
      ($0.element.place ?? .start, $0.offset) < ($1.element.place ?? .start, $1.offset)
    }.map(\.element)
  }

  package var hasErrors: Bool {
    found.contains { $0.severity == .error }
  }

  package func report(
    _ message: String,
    at place: Place? = nil,
    severity: Diagnostic.Severity = .error
  ) {
    let diagnostic = Diagnostic(severity: severity, file: file, place: place, message: message)
    if known.insert(diagnostic).inserted { found.append(diagnostic) }
  }
}

extension Place {
  fileprivate static let start = Place(line: 0, column: 0)
}

/// A problem in an input file, with its location.
package struct Diagnostic: Hashable, Sendable, CustomStringConvertible {
  package enum Severity: String, Hashable, Sendable {
    /// The file cannot be used.
    case error
    /// The file can be used but probably does not do what its author meant.
    case warning
  }

  package var severity: Severity
  package var file: String
  package var place: Place?
  /// The problem and its fix, in lowercase and without a final period.
  package var message: String

  package init(severity: Severity = .error, file: String, place: Place? = nil, message: String) {
    self.severity = severity
    self.file = file
    self.place = place
    self.message = message
  }

  package var description: String {
    let position = place.map { ":\($0.line):\($0.column)" } ?? ""
    return "\(file)\(position): \(severity): \(message)"
  }
}

/// Notes about the parts of a model that could not be read, each with its location and the action
/// taken.
struct ModelNotes {
  private var found: [(note: String, place: Place?, action: String, count: Int)] = []
  private var known: [String: Int] = [:]

  mutating func add(_ note: String, at place: Place?, action: String, kind: String? = nil) {
    let key = kind ?? note
    if let index = known[key] {
      found[index].count += 1
    } else {
      known[key] = found.count
      found.append((note, place, action, 1))
    }
  }

  /// One sentence per note, such as `line 5: A.x: the type 'Money' is unknown; left out (3 times)`.
  var sentences: [String] {
    found.map { note in
      let place = note.place.flatMap { $0.line > 0 ? "line \($0.line): " : nil } ?? ""
      let times = note.count > 1 ? " (\(note.count) times)" : ""
      return "\(place)\(note.note); \(note.action)\(times)"
    }
  }
}

/// A line and a column of a text file, both starting at 1; columns count Unicode scalars.
package struct Place: Hashable, Comparable, Sendable {
  package var line: Int
  package var column: Int

  package static func < (first: Place, second: Place) -> Bool {
    (first.line, first.column) < (second.line, second.column)
  }
}

/// The candidate that a misspelled word most likely means, or `nil` if none is close.
///
/// A candidate is close if its edit distance (insertions, deletions, replacements, swaps of
/// neighbors) is at most a third of the word's length. A distance of 1 is always allowed, except
/// for one-letter words.
package func suggestion(for word: String, among candidates: [String]) -> String? {
  let typed = Array(word.lowercased())
  let allowed = min(max(1, typed.count / 3), typed.count - 1)
  let ranked = candidates.map { (edits(from: typed, to: Array($0.lowercased())), $0) }
  return ranked.filter { $0.0 <= allowed }.min { $0 < $1 }?.1
}

/// A question such as `; did you mean 'title'?`, or an empty string if no candidate is close.
package func didYouMean(_ word: String, among candidates: [String]) -> String {
  suggestion(for: word, among: candidates).map { "; did you mean '\($0)'?" } ?? ""
}

/// A suggestion for a path that does not exist: the nearest name in its folder, or the missing
/// folder; otherwise empty.
package func didYouMean(fileAt path: String) -> String {
  let url = URL(fileURLWithPath: path)
  let folder = url.deletingLastPathComponent().path
  guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
    return parts.isEmpty ? "" : "; there is no folder '\(parts.joined(separator: "/"))'"
  }
  guard let name = suggestion(for: url.lastPathComponent, among: names.sorted()) else { return "" }
  let parent = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
  let found = (parent + [Substring(name)]).joined(separator: "/")
  return "; did you mean '\(found)'?"
}

private func edits(from source: [Character], to target: [Character]) -> Int {
  // Skip words of more than 64 characters, which are not misspelled names.
  guard source.count <= 64, target.count <= 64 else { return Int.max }
  var before: [Int] = []
  var previous = Array(0...target.count)
  for row in source.indices {
    var current = [row + 1]
    for column in target.indices {
      let replaced = previous[column] + (source[row] == target[column] ? 0 : 1)
      var best = min(replaced, previous[column + 1] + 1, current[column] + 1)
      if row > 0, column > 0, source[row] == target[column - 1], source[row - 1] == target[column] {
        best = min(best, before[column - 1] + 1)
      }
      current.append(best)
    }
    (before, previous) = (previous, current)
  }
  return previous[target.count]
}

/// The problems of input files, including at least one error.
package struct InvalidInput: ErrorWithStatus, Equatable, CustomStringConvertible {
  package let problems: [Diagnostic]

  package init(_ problems: [Diagnostic]) { self.problems = problems }

  package var status: CommandStatus { .badInput }
  package var description: String { problems.map(\.description).joined(separator: "\n") }
}

extension Refusal {
  package static func noSuchFile(path: String) -> Refusal {
    Refusal.noInput("no such file: '\(path)'\(didYouMean(fileAt: path))")
  }

  static func wrongContent(path: String, reason: String) -> Refusal {
    Refusal.badInput("cannot read '\(path)': \(reason)")
  }

  static func tooLarge(path: String, limit: Int) -> Refusal {
    Refusal.badInput(
      "cannot read '\(path)': it is larger than \(limit) bytes, the most allowed "
        + "for such a file"
    )
  }

  static func damagedPropertyList(_ fault: PropertyList.Fault) -> Refusal {
    Refusal.badInput("the binary property list is damaged: \(fault)")
  }

  static func damagedArchive(reason: String) -> Refusal {
    Refusal.badInput("the archived model is damaged: \(reason)")
  }
}
extension InputFile.Failure {
  /// The refusal for a file that cannot be read.
  package func refusal(_ path: String) -> Refusal {
    switch self {
    case .missing: .noSuchFile(path: path)
    case .tooLarge(let limit): .tooLarge(path: path, limit: limit)
    default: .cannotRead(path, reason: reason)
    }
  }
}

extension InputFile {
  /// The file's bytes.
  ///
  /// - Throws: ``Refusal`` if the file cannot be read or exceeds the limit.
  package static func bytes(path: String, limit: Int) throws(Refusal) -> [UInt8] {
    do { return try bytes(of: path, limit: limit) } catch {
      throw error.refusal(path)
    }
  }

  /// The file's text.
  ///
  /// - Throws: ``Refusal`` if the file cannot be read or exceeds the limit.
  package static func text(path: String, limit: Int) throws(Refusal) -> String {
    do { return try text(of: path, limit: limit) } catch { throw error.refusal(path) }
  }
}
