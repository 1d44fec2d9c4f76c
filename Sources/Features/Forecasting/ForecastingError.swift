import Basics

/// Why an input of a forecast cannot be used.
extension Refusal {
  static func empty(path: String) -> Refusal {
    Refusal.badInput(
      "'\(path)' has no rows: it needs a first line with column names, then one "
        + "line per row"
    )
  }

  /// The first line names no column that is known.
  static func unknownColumns(path: String, found: [String], expected: String) -> Refusal {
    Refusal.badInput("'\(path)' has the columns \(Self.quoted(found)); it needs \(expected)")
  }

  static func badNumber(path: String, line: Int, column: String, text: String, expected: String)
    -> Refusal
  {
    Refusal.badInput(
      "'\(path)', line \(line): '\(column)' must be \(expected), not "
        + "'\(text.prefix(40))'"
    )
  }

  package static func tooLarge(path: String, limit: String) -> Refusal {
    Refusal.badInput("'\(path)' is larger than \(limit)")
  }

  static func unknownEntities(path: String, found: [String], known: [String]) -> Refusal {
    Refusal.badInput(
      "'\(path)' counts \(Self.quoted(found)), but the store's entities are "
        + "\(Self.quoted(known))"
    )
  }

  /// An entity that a size was asked by.
  package static func unknownEntity(name: String, known: [String]) -> Refusal {
    Refusal.badInput("'--to \(name)': unknown entity; available: \(Self.quoted(known))")
  }

  private static func quoted(_ names: [String]) -> String {
    names.isEmpty ? "none" : names.prefix(12).map { "'\($0.prefix(40))'" }.joined(separator: ", ")
  }
}
