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
