import Synchronization

/// Values that all tests of a process share, each made when it is first needed.
package final class Memo<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private let known = Mutex<[Key: Value]>([:])

  package init() {}

  /// Returns the value of a key; concurrent first calls may each make it.
  package func value(of key: Key, made make: () throws -> Value) rethrows -> Value {
    if let value = known.withLock({ $0[key] }) { return value }
    let value = try make()
    known.withLock { $0[key] = value }
    return value
  }
}
