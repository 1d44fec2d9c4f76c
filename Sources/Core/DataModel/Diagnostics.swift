import Basics
import Foundation

/// The problems of one input file, gathered by everything that reads a part of it.
package final class Diagnostics {
  package let file: String
  private var found: [Diagnostic] = []
  private var known: Set<Diagnostic> = []

  package init(file: String) {
    self.file = file
  }

  /// Every problem so far, in the order of the file; those without a place come first.
  package var all: [Diagnostic] {
    // A stable order: problems of one place stay in the order they were found.
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

/// One problem of an input file, at its place.
package struct Diagnostic: Hashable, Sendable, CustomStringConvertible {
  package enum Severity: String, Hashable, Sendable {
    /// The file cannot be used.
    case error
    /// The file can be used but probably does not do what was meant.
    case warning
  }

  package var severity: Severity
  package var file: String
  package var place: Place?
  /// What is wrong and what to do, in lower case and without a full stop.
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

/// What a reader of a model did not understand or could not use: each with its place and the action
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

  /// A sentence for each, such as `line 5: A.x: the type 'Money' is unknown; left out (3 times)`.
  var sentences: [String] {
    found.map { note in
      let place = note.place.flatMap { $0.line > 0 ? "line \($0.line): " : nil } ?? ""
      let times = note.count > 1 ? " (\(note.count) times)" : ""
      return "\(place)\(note.note); \(note.action)\(times)"
    }
  }
}

/// A line and a column of a text file, both from 1; columns count Unicode scalars.
package struct Place: Hashable, Comparable, Sendable {
  package var line: Int
  package var column: Int

  package static func < (first: Place, second: Place) -> Bool {
    (first.line, first.column) < (second.line, second.column)
  }
}

/// The candidate that a misspelt word most likely means, or `nil` where none is close.
///
/// Close is up to one edit (insertion, deletion, replacement, swap of neighbours) for each three
/// letters, and at least one; a word of one letter is close to none.
package func suggestion(for word: String, among candidates: [String]) -> String? {
  let typed = Array(word.lowercased())
  let allowed = min(max(1, typed.count / 3), typed.count - 1)
  let ranked = candidates.map { (edits(from: typed, to: Array($0.lowercased())), $0) }
  return ranked.filter { $0.0 <= allowed }.min { $0 < $1 }?.1
}

/// A question such as `; did you mean 'title'?`, or an empty text where no candidate is close.
package func didYouMean(_ word: String, among candidates: [String]) -> String {
  suggestion(for: word, among: candidates).map { "; did you mean '\($0)'?" } ?? ""
}

/// The question for a path where there is nothing: the nearest name in its folder, or the part of
/// the path that is missing; an empty text where nothing helps.
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
  // Absurdly long words are not misspellings of anything.
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

/// Problems of input files, at least one of them an error.
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

  /// A keyed archive that holds no model, or one that contradicts itself.
  static func damagedArchive(reason: String) -> Refusal {
    Refusal.badInput("the archived model is damaged: \(reason)")
  }
}
extension InputFile.Failure {
  /// The refusal of a file that cannot be read.
  package func refusal(_ path: String) -> Refusal {
    switch self {
    case .missing: .noSuchFile(path: path)
    case .tooLarge(let limit): .tooLarge(path: path, limit: limit)
    default: .cannotRead(path, reason: reason)
    }
  }
}

extension InputFile {
  /// The file's bytes; throws a ``Refusal``.
  package static func bytes(path: String, limit: Int) throws(Refusal) -> [UInt8] {
    do { return try bytes(of: path, limit: limit) } catch {
      throw error.refusal(path)
    }
  }

  /// The file's text; throws a ``Refusal``.
  package static func text(path: String, limit: Int) throws(Refusal) -> String {
    do { return try text(of: path, limit: limit) } catch { throw error.refusal(path) }
  }
}
