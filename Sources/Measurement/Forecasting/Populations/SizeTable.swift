/// Comma-separated rows under a line of column names, as analytics export them.
struct SizeTable {
  /// One row with its line in the file, counted from 1.
  struct Row {
    let line: Int
    let fields: [String]
  }

  /// What tables are separated by that are not separated by commas.
  private static let otherSeparators: [Character] = [";", "\t"]

  /// The most bytes of a file.
  private static let mostBytes = 64 << 20

  let path: String
  /// In lower case.
  let columns: [String]
  let rows: [Row]

  /// Takes a text apart.
  ///
  /// - Throws: ``ForecastingError`` for what is no table.
  init(_ text: String, path: String) throws {
    guard text.utf8.count <= Self.mostBytes else {
      throw ForecastingError.tooLarge(path: path, limit: "64 MB")
    }
    self.path = path
    var lines: [(number: Int, text: Substring)] = []
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .enumerated()
    where !line.allSatisfy(\.isWhitespace) && line.first != "#" {
      lines.append((index + 1, line))
    }
    guard let first = lines.first, lines.count > 1 else { throw ForecastingError.empty(path: path) }
    columns = Self.fields(of: first.text).map { $0.lowercased() }
    if columns.count == 1, let separator = Self.otherSeparators.first(where: first.text.contains) {
      throw ForecastingError.notSeparatedByCommas(
        path: path,
        separator: separator == "\t" ? "tabs" : "'\(separator)'"
      )
    }
    rows = lines.dropFirst().map { Row(line: $0.number, fields: Self.fields(of: $0.text)) }
    for row in rows where row.fields.count != columns.count {
      throw ForecastingError.wrongFieldCount(
        path: path,
        line: row.line,
        found: row.fields.count,
        expected: columns.count
      )
    }
  }

  /// The fields of a line; a comma between quotes separates nothing (RFC 4180).
  private static func fields(of line: Substring) -> [String] {
    var fields = [""]
    var isQuoted = false
    for character in line where character != "\u{FEFF}" {
      switch character {
      case "\"": isQuoted.toggle()
      case "," where !isQuoted: fields.append("")
      default: fields[fields.count - 1].append(character)
      }
    }
    return fields.map { field in
      let start = field.drop { $0 == " " || $0 == "\t" }
      return String(start.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }
  }

  /// The place of the first column that has one of the names.
  func column(_ names: String...) -> Int? {
    columns.firstIndex { names.contains($0) }
  }

  /// A row's number in a column, from 0 to a limit.
  ///
  /// - Throws: ``ForecastingError/badNumber(path:line:column:text:expected:)``
  func number(_ row: Row, _ column: Int, upTo limit: Double, _ expected: String) throws -> Double {
    let text = row.fields[column]
    guard let value = Double(text), value.isFinite, value >= 0, value <= limit else {
      throw ForecastingError.badNumber(
        path: path,
        line: row.line,
        column: columns[column],
        text: text,
        expected: expected
      )
    }
    return value
  }
}
