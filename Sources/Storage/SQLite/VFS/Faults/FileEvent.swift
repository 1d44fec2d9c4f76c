/// Something that is about to happen to a file, or that the process says it has done.
package struct FileEvent: Hashable, Sendable {
  /// What happens.
  package enum Kind: String, CaseIterable, Codable, Hashable, Sendable {
    case open
    case write
    case sync
    case truncate
    case delete
    /// By the process itself; SQLite renames nothing.
    case rename
    /// Of the names in a folder, by the process itself.
    case folderSync
    /// The process says that a transaction was committed.
    case commit
    /// The process says that it has noted how far it is.
    case marker
  }

  /// One event of a run: `write:17` is its 17th write.
  package struct Place: Codable, CustomStringConvertible, Hashable, Sendable {
    package let kind: Kind
    /// Which of its kind it is, counted from 1.
    package let number: Int

    package init(_ kind: Kind, number: Int) {
      self.kind = kind
      self.number = number
    }

    package var description: String { "\(kind.rawValue):\(number)" }
  }

  package let place: Place
  /// `nil` for a file of the process's own.
  package let fileClass: FileClass?
  /// `nil` for a temporary file, which has no name.
  package let path: String?
}
