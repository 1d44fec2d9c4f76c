/// A location in a Swift source file.
package struct SourcePlace: Hashable, Sendable, Codable, Comparable, CustomStringConvertible {
  /// The file's path, as given by the user or relative to the given folder.
  package var file: String
  /// The line number, starting at 1.
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

/// A warning about a part of the source that is unknown or left out, with the action taken.
package struct SourceNote: Hashable, Sendable, CustomStringConvertible {
  /// The location of the part; `nil` if the note concerns the sources as a whole.
  package var place: SourcePlace?
  package var message: String

  package init(_ message: String, at place: SourcePlace? = nil) {
    self.message = message
    self.place = place
  }

  package var description: String { place.map { "\($0): \(message)" } ?? message }
}
