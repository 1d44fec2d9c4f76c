import SQLite

@testable import Generators

/// A value of a test's row, before a column's affinity converts it.
enum TestValue: Hashable {
  case null
  case integer(Int64)
  case real(Double)
  case text([UInt8])
  case blob([UInt8])

  static func text(_ text: String) -> TestValue { .text(Array(text.utf8)) }

  func append(to rows: inout RowEncoder) {
    switch self {
    case .null: rows.appendNull()
    case .integer(let value): rows.append(value)
    case .real(let value): rows.append(value)
    case .text(let bytes): bytes.withUnsafeBytes { rows.appendText($0) }
    case .blob(let bytes): bytes.withUnsafeBytes { rows.appendBlob($0) }
    }
  }

  func bind(to statement: Statement, at index: Int) {
    switch self {
    case .null: statement.bindNull(at: index)
    case .integer(let value): statement.bind(value, at: index)
    case .real(let value): statement.bind(value, at: index)
    case .text(let bytes): bytes.withUnsafeBytes { statement.bindText($0, at: index) }
    case .blob(let bytes): statement.bind(bytes, at: index)
    }
  }
}
