import Basics
import Foundation
import Runner

/// A query of a data file in `Evidence/Results`, in the syntax of a page's markers.
///
///     truth/suites.csv[load=quiet & blocks>=168]: count
///     forecast/verdicts.csv[kind=random keys]: median(abs.timeError) as 0.1 %
///
/// A condition compares a column with a value (`=`, `!=`, `>`, `>=`, `<`, `<=`), or a number with
/// another column, given by name. Notation does not matter: 1 equals 1.0. A query has one of these
/// answers:
///
/// - `count` and `count(CONDITION)`.
/// - `sum`, `median`, `min`, `max` and `value` (of the only row) of a column, or of its absolute
///   values as `abs.column`.
/// - `lower(CONDITION)` and `upper(CONDITION)`: the 95 % bounds of the share of rows that meet a
///   condition (Clopper and Pearson).
///
/// `as` sets the last digit shown, and a unit; `%` and `ms` also multiply.
struct FigureQuery {
  let file: String
  let conditions: [Condition]
  let answer: String
  let format: String

  init(_ text: String) throws {
    guard let colon = text.range(of: ": ", options: .backwards) else {
      throw FigureError.unreadable(text)
    }
    (file, conditions) = try Self.source(String(text[..<colon.lowerBound]))
    let parts = text[colon.upperBound...].components(separatedBy: " as ")
    answer = parts[0].trimmingCharacters(in: .whitespaces)
    format = parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : "1"
  }

  static func source(_ text: String) throws -> (file: String, conditions: [Condition]) {
    guard let bracket = text.firstIndex(of: "[") else { return (text, []) }
    guard text.hasSuffix("]") else { throw FigureError.unreadable(text) }
    let list = text[text.index(after: bracket)...].dropLast()
    return (
      String(text[..<bracket]),
      try list.components(separatedBy: " & ").map(Condition.init)
    )
  }

  func text(in folder: String) throws -> String {
    let rows = try CSVRows.read(folder + "/" + file).meeting(conditions)
    return try Self.text(of: answer, as: format, rows: rows) + rows.mark
  }

  static func text(of answer: String, as format: String, rows: CSVRows) throws -> String {
    if answer.hasPrefix("text(") { return try rows.only(String(answer.dropFirst(5).dropLast())) }
    return try FigureFormat(format).text(of: number(of: answer, rows))
  }

  private static func number(of answer: String, _ rows: CSVRows) throws -> Double {
    if answer == "count" { return Double(rows.rows.count) }
    guard let open = answer.firstIndex(of: "("), answer.hasSuffix(")") else {
      throw FigureError.unreadable(answer)
    }
    let name = answer[..<open]
    let subject = String(answer[answer.index(after: open)...].dropLast())
    if ["count", "lower", "upper", "share"].contains(name) {
      let hits = try rows.meeting([Condition(subject)]).rows.count
      if name == "count" { return Double(hits) }
      if name == "share" { return Double(hits) / Double(max(1, rows.rows.count)) }
      let interval = RateInterval(hits: hits, of: rows.rows.count)
      return name == "lower" ? interval.lower : interval.upper
    }
    // Absolute values are `abs.column`, not `|column|`: a bar would end the cell of a Markdown
    // table.
    let isAbsolute = subject.hasPrefix("abs.")
    let column = isAbsolute ? String(subject.dropFirst(4)) : subject
    let values = try rows.numbers(column).map { isAbsolute ? abs($0) : $0 }
    if name == "value", values.isEmpty, rows.rows.count == 1 { return .nan }
    guard let first = values.first else { throw FigureError.noRows(answer) }
    switch name {
    case "sum": return values.reduce(0, +)
    case "min": return values.reduce(first, min)
    case "max": return values.reduce(first, max)
    case "median": return values.trueMedian
    case "value" where values.count == 1: return first
    default: throw FigureError.unreadable(answer)
    }
  }

  struct Condition {
    private let column: String
    private let comparison: String
    private let value: String

    init(_ text: String) throws {
      for comparison in ["!=", ">=", "<=", "=", ">", "<"] {
        guard let range = text.range(of: comparison) else { continue }
        column = text[..<range.lowerBound].trimmingCharacters(in: .whitespaces)
        self.comparison = comparison
        value = text[range.upperBound...].trimmingCharacters(in: .whitespaces)
        return
      }
      throw FigureError.unreadable(text)
    }

    func isMet(by row: [String], of rows: CSVRows) throws -> Bool {
      let field = row[try rows.position(of: column)]
      let isColumn = Double(field) != nil && rows.columns.contains(value)
      let value = isColumn ? row[try rows.position(of: value)] : value
      let numbers = Double(field).flatMap { left in Double(value).map { (left, $0) } }
      switch comparison {
      case "=": return numbers.map { $0.0 == $0.1 } ?? (field == value)
      case "!=": return numbers.map { $0.0 != $0.1 } ?? (field != value)
      default:
        guard let (left, right) = numbers else { return false }
        return switch comparison {
        case ">=": left >= right
        case "<=": left <= right
        case ">": left > right
        default: left < right
        }
      }
    }
  }
}

struct FigureFormat {
  private let decimals: Int
  private let unit: String

  init(_ text: String) throws {
    let parts = text.split(separator: " ", maxSplits: 1).map(String.init)
    guard let digits = parts.first, Double(digits) != nil else {
      throw FigureError.unreadable(text)
    }
    decimals = digits.split(separator: ".").dropFirst().first?.count ?? 0
    unit = parts.count > 1 ? parts[1] : ""
  }

  /// The formatted value; a dash if the value was not measured (NaN).
  func text(of value: Double) -> String {
    guard !value.isNaN else { return "–" }
    let scaled = value * (unit == "%" ? 100 : unit == "ms" ? 1000 : 1)
    let digits =
      decimals == 0 && abs(scaled) < 9e15
      ? Int(scaled.rounded()).grouped : Figures.plain(scaled, decimals: decimals)
    return unit.isEmpty ? digits : digits + " " + unit
  }
}

struct CSVRows {
  let columns: [String]
  var rows: [[String]]

  /// The dagger for numbers that were typed in from a command's output; no bench can recompute
  /// them.
  ///
  /// Files with such numbers have a column `command`.
  var mark: String { columns.contains("command") ? "†" : "" }

  static func read(_ path: String) throws -> CSVRows {
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
      throw FigureError.noFile(path)
    }
    var lines = text.split(whereSeparator: \.isNewline).map(fields)
    guard let columns = lines.first else { throw FigureError.noRows(path) }
    lines.removeFirst()
    guard lines.allSatisfy({ $0.count == columns.count }) else {
      throw FigureError.unreadable(path)
    }
    return CSVRows(columns: columns, rows: lines)
  }

  static func fields(of line: some StringProtocol) -> [String] {
    var (fields, isQuoted) = ([""], false)
    for character in line {
      switch character {
      case "\"": isQuoted.toggle()
      case "," where !isQuoted: fields.append("")
      default: fields[fields.count - 1].append(character)
      }
    }
    return fields
  }

  func position(of column: String) throws -> Int {
    guard let position = columns.firstIndex(of: column) else { throw FigureError.noColumn(column) }
    return position
  }

  func meeting(_ conditions: [FigureQuery.Condition]) throws -> CSVRows {
    var result = self
    result.rows = try rows.filter { row in
      try conditions.allSatisfy { try $0.isMet(by: row, of: self) }
    }
    return result
  }

  func numbers(_ column: String) throws -> [Double] {
    let position = try position(of: column)
    return try rows.compactMap { row in
      guard !row[position].isEmpty else { return nil }
      guard let number = Double(row[position]) else { throw FigureError.unreadable(row[position]) }
      return number
    }
  }

  func only(_ column: String) throws -> String {
    let position = try position(of: column)
    guard rows.count == 1 else { throw FigureError.noRows(column) }
    return rows[0][position]
  }

  func values(of column: String) throws -> [String] {
    let position = try position(of: column)
    var seen: Set<String> = []
    return rows.map { $0[position] }.filter { seen.insert($0).inserted }
  }
}

extension [Double] {
  /// The median; for an even number of values, the mean of the two central values.
  var trueMedian: Double {
    guard !isEmpty else { return .nan }
    let sorted = sorted()
    return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2
  }
}

enum FigureError: Error, Equatable, CustomStringConvertible {
  case unreadable(String)
  case noFile(String)
  case noColumn(String)
  case noRows(String)

  var description: String {
    switch self {
    case .unreadable(let text): "'\(text)' cannot be read as a query"
    case .noFile(let path): "there is no data file '\(path)'"
    case .noColumn(let name): "the data file has no column '\(name)'"
    case .noRows(let text): "'\(text)' must match exactly one row"
    }
  }
}
