/// Where the rows of a table go: the columns of a row one after the other, then its end.
protocol RowSink {
  /// Takes the value of the next column.
  mutating func append(_ cell: borrowing Cell) throws
  mutating func endRow() throws
  /// Takes a file that a row refers to.
  mutating func write(file name: String, kind: FileKind, contents: borrowing Cell) throws
}

/// Which of a store's folders a file belongs to.
enum FileKind: Hashable, Sendable {
  /// External storage's own, `.NAME_SUPPORT/_EXTERNAL_DATA`.
  case externalData
  /// The app's, `NAME_FILES`.
  case app
}
