import CSQLite

// Orders of text that a program adds to SQL, and what its statements may do.

extension Connection {
  private final class Collation {
    let order: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Int
    init(_ order: @escaping (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Int) {
      self.order = order
    }
  }

  /// Registers an order of texts, which come as bytes of UTF-8; a result below 0 puts the first one
  /// first.
  package func registerCollation(
    _ name: String,
    _ order: @escaping (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Int
  ) throws {
    let code = sqlite3_create_collation_v2(
      handle.pointer,
      name,
      SQLITE_UTF8,
      Unmanaged.passRetained(Collation(order)).toOpaque(),
      { box, firstCount, first, secondCount, second in
        guard let box else { return 0 }
        let collation = Unmanaged<Collation>.fromOpaque(box).takeUnretainedValue()
        let result = collation.order(
          UnsafeRawBufferPointer(start: first, count: Int(firstCount)),
          UnsafeRawBufferPointer(start: second, count: Int(secondCount))
        )
        return Int32(result.signum())
      },
      { box in box.map { Unmanaged<Collation>.fromOpaque($0).release() } }
    )
    guard code == SQLITE_OK else { throw handle.error(code, while: "register collation \(name)") }
  }

  /// Something that a statement does, as SQLite finds out while it prepares the statement
  /// (https://www.sqlite.org/c3ref/set_authorizer.html).
  package enum Access: Hashable, Sendable {
    case select
    case read(table: String)
    case insert(table: String)
    case update(table: String)
    case delete(table: String)
    case transaction
    case function(String)
    case pragma(name: String, hasValue: Bool)
    /// Anything else: the schema, attached files, recursion.
    case other
  }
}

extension Connection.Access {
  init(_ code: Int32, _ first: UnsafePointer<CChar>?, _ second: UnsafePointer<CChar>?) {
    func text(_ pointer: UnsafePointer<CChar>?) -> String {
      pointer.map { String(cString: $0) } ?? ""
    }
    self =
      switch code {
      case SQLITE_SELECT: .select
      case SQLITE_READ: .read(table: text(first))
      case SQLITE_INSERT: .insert(table: text(first))
      case SQLITE_UPDATE: .update(table: text(first))
      case SQLITE_DELETE: .delete(table: text(first))
      case SQLITE_TRANSACTION, SQLITE_SAVEPOINT: .transaction
      case SQLITE_FUNCTION: .function(text(second))
      case SQLITE_PRAGMA: .pragma(name: text(first), hasValue: second != nil)
      default: .other
      }
  }
}
