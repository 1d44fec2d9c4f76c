/// A place in a Swift source file.
public struct SourcePlace: Hashable, Sendable, Codable {
  /// The file's path below the folder that was given.
  public var file: String
  /// Counted from 1.
  public var line: Int
  public init(file: String, line: Int) {
    self.file = file
    self.line = line
  }
}
