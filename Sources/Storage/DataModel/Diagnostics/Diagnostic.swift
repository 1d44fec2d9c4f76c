/// One problem of an input file, at its place.
package struct Diagnostic: Hashable, Sendable {
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

  package init(
    severity: Severity = .error,
    file: String,
    place: Place? = nil,
    message: String
  ) {
    self.severity = severity
    self.file = file
    self.place = place
    self.message = message
  }
}

/// A line and a column of a text file, both from 1; columns count Unicode scalars.
package struct Place: Hashable, Comparable, Sendable {
  package var line: Int
  package var column: Int

  package init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  package static func < (first: Place, second: Place) -> Bool {
    (first.line, first.column) < (second.line, second.column)
  }
}

extension Diagnostic: CustomStringConvertible {
  package var description: String {
    let position = place.map { ":\($0.line):\($0.column)" } ?? ""
    return "\(file)\(position): \(severity): \(message)"
  }
}
