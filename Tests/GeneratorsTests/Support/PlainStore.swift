import DataModel
import Foundation
import SQLite

@testable import Generators

/// A finished store, read by plain SQL and independently of the code that wrote it.
struct PlainStore {
  let connection: Connection

  init(_ path: String) throws {
    connection = try Connection(path: path, mode: .immutable, settings: nil)
  }

  /// The values of a query's rows.
  func rows(_ sql: String) throws -> [[Value]] {
    let statement = try connection.prepare(sql)
    var rows: [[Value]] = []
    while try statement.step() {
      rows.append((0..<statement.columnCount).map { value(statement, $0) })
    }
    return rows
  }

  private func value(_ statement: Statement, _ column: Int) -> Value {
    switch statement.storageClass(at: column) {
    case .null: .null
    case .integer: .integer(statement.integer(at: column))
    case .real: .real(statement.real(at: column))
    case .text: .text(statement.text(at: column))
    case .blob: .blob(statement.blob(at: column))
    }
  }
}
