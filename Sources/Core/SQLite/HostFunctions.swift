import Basics
import CSQLite

// Collations, authorization of statements, and waiting for locks.

extension Connection {
  private final class Collation {
    let order: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Int
    init(_ order: @escaping (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Int) {
      self.order = order
    }
  }

  /// Registers a collation for UTF-8 text; `order` is negative if the first string sorts first.
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

  /// An action of a statement, as SQLite reports it while it prepares the statement
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
    /// Any other action, such as schema changes, attached files or recursion.
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

extension Connection {
  /// The delays before each retry of SQLite's own busy handler, in milliseconds.
  fileprivate static let delays = [1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50, 100]

  /// Waits for other connections' locks, like `busy_timeout`, and calls `onWait` once per lock.
  package func waitForLocks(milliseconds limit: Int, _ onWait: @escaping () -> Void) {
    handle.lockWaiting = LockWaiting(limit: limit, onWait: onWait)
    let box = handle.lockWaiting.map { Unmanaged.passUnretained($0).toOpaque() }
    sqlite3_busy_handler(
      handle.pointer,
      { box, attempts in
        guard let box else { return 0 }
        let waiting = Unmanaged<LockWaiting>.fromOpaque(box).takeUnretainedValue()
        let attempt = Int(attempts)
        if attempt == 0 { waiting.onWait() }
        let delay = Connection.delays[min(attempt, Connection.delays.count - 1)]
        waiting.waited = attempt == 0 ? delay : waiting.waited + delay
        guard waiting.waited <= waiting.limit else { return 0 }
        usleep(UInt32(delay) * 1_000)
        return 1
      },
      box
    )
  }

  final class LockWaiting {
    let limit: Int
    let onWait: () -> Void
    var waited = 0

    init(limit: Int, onWait: @escaping () -> Void) {
      self.limit = limit
      self.onWait = onWait
    }
  }
}
