import Synchronization

/// Values that all tests of a process share; each is made when first needed.
package final class Memo<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private let known = Mutex<[Key: Value]>([:])

  package init() {}

  /// The value of a key; concurrent first calls may each make the value.
  package func value(of key: Key, made make: () throws -> Value) rethrows -> Value {
    if let value = known.withLock({ $0[key] }) { return value }
    let value = try make()
    known.withLock { $0[key] = value }
    return value
  }
}
