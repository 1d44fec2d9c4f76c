/// A place in a Swift source file.
package struct SourcePlace: Hashable, Sendable, Codable, Comparable, CustomStringConvertible {
  /// The file's path: as it was given, or below the folder that was given.
  package var file: String
  /// Counted from 1.
  package var line: Int

  package init(file: String, line: Int) {
    self.file = file
    self.line = line
  }

  package var description: String { "\(file):\(line)" }

  package static func < (first: SourcePlace, second: SourcePlace) -> Bool {
    (first.file, first.line) < (second.file, second.line)
  }
}

/// What cannot be known from the source, or is left out: a warning with the action taken.
package struct SourceNote: Hashable, Sendable, CustomStringConvertible {
  /// `nil` for what concerns the sources as a whole.
  package var place: SourcePlace?
  package var message: String

  package init(_ message: String, at place: SourcePlace? = nil) {
    self.message = message
    self.place = place
  }

  package var description: String { place.map { "\($0): \(message)" } ?? message }
}
