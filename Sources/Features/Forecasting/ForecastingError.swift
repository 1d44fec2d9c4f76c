/// Why an input of a forecast cannot be used.
package enum ForecastingError: Error, Equatable, CustomStringConvertible {
  case empty(path: String)
  /// The first line names no column that is known.
  case unknownColumns(path: String, found: [String], expected: String)
  case badNumber(path: String, line: Int, column: String, text: String, expected: String)
  case wrongFieldCount(path: String, line: Int, found: Int, expected: Int)
  case quantilesNotRising(path: String, line: Int)
  case emptyRange(path: String, line: Int)
  case nobody(path: String)
  case tooLarge(path: String, limit: String)
  case unknownEntities(path: String, found: [String], known: [String])
  case notAProfile(path: String)
  case unusableProfile(path: String)
  case notReadable(path: String)
  case notAFile(path: String)
  /// Fields that a character other than a comma separates.
  case notSeparatedByCommas(path: String, separator: String)
  case overlappingRanges(path: String, line: Int, from: String, last: String)
  /// An entity that a size was asked by.
  case unknownEntity(name: String, known: [String])

  package var description: String {
    switch self {
    case .empty(let path):
      "'\(path)' has no rows: it needs a first line with column names, then "
        + "one line per row"
    case .unknownColumns(let path, let found, let expected):
      "'\(path)' has the columns \(Self.quoted(found)); it needs \(expected)"
    case .badNumber(let path, let line, let column, let text, let expected):
      "'\(path)', line \(line): '\(column)' must be \(expected), not '\(text.prefix(40))'"
    case .wrongFieldCount(let path, let line, let found, let expected):
      "'\(path)', line \(line): \(found) fields, but the first line names \(expected)"
    case .quantilesNotRising(let path, let line):
      "'\(path)', line \(line): quantiles and sizes must increase from line to line"
    case .emptyRange(let path, let line):
      "'\(path)', line \(line): 'to' must be above 'from'"
    case .nobody(let path): "'\(path)' counts no users: at least one number must be above 0"
    case .tooLarge(let path, let limit): "'\(path)' is larger than \(limit)"
    case .unknownEntities(let path, let found, let known):
      "'\(path)' counts \(Self.quoted(found)), but the store's entities are \(Self.quoted(known))"
    case .notAProfile(let path):
      "'\(path)' is not a machine profile: 'storebench calibrate' writes one"
    case .unusableProfile(let path):
      "'\(path)' has a different format, or its costs are not times: write it again with "
        + "'storebench calibrate'"
    case .notReadable(let path): "'\(path)' cannot be read as text in UTF-8"
    case .notAFile(let path): "'\(path)' is not a regular file: save its contents to a file first"
    case .notSeparatedByCommas(let path, let separator):
      "'\(path)' separates its fields by \(separator): export it with commas"
    case .overlappingRanges(let path, let line, let from, let last):
      "'\(path)', line \(line): 'from' is \(from), but an earlier range ends at \(last), so users "
        + "would count twice"
    case .unknownEntity(let name, let known):
      "'--to \(name)': unknown entity; available: \(Self.quoted(known))"
    }
  }

  private static func quoted(_ names: [String]) -> String {
    names.isEmpty ? "none" : names.prefix(12).map { "'\($0.prefix(40))'" }.joined(separator: ", ")
  }
}
