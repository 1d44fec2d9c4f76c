import Basics
import DataModel

/// What a column of a migrated row holds, in terms of the row's former columns.
struct RowValue: Hashable {
  /// The former column that the new one takes over, under whatever name.
  var carrier: String?
  /// An SQL expression on the former row.
  var sql: String

  /// A former column as it is.
  static func column(_ name: String) -> RowValue { RowValue(carrier: name, sql: name) }

  static func constant(_ value: Value) -> RowValue {
    RowValue(carrier: nil, sql: value.literal)
  }

  static let null = RowValue(carrier: nil, sql: "NULL")

  var isPlain: Bool { sql == carrier }
}

extension Value {
  /// The value as an SQL literal.
  var literal: String {
    switch self {
    case .null: "NULL"
    case .integer(let value): String(value)
    case .real(let value): value.isInfinite ? (value < 0 ? "-9e999" : "9e999") : "\(value)"
    case .text(let value):
      "'"
        + value.split(separator: "'", omittingEmptySubsequences: false)
        .joined(separator: "''") + "'"
    case .blob(let bytes):
      "X'" + bytes.hexadecimal + "'"
    }
  }
}

/// The new numbers of the entities that a migration keeps.
struct Renumbering {
  /// By the old number, ascending.
  let pairs: [(old: Int, new: Int)]

  /// The new number in place of the old one that a column or an expression gives.
  func sql(_ column: String, of numbers: [Int]) -> String {
    let pairs = pairs.filter { numbers.contains($0.old) }
    if pairs.allSatisfy({ $0.old == $0.new }) { return column }
    let cases = pairs.map { "WHEN \($0.old) THEN \($0.new)" }.joined(separator: " ")
    return "CASE \(column) \(cases) END"
  }
}
