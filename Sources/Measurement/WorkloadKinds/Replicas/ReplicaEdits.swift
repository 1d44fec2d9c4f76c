import PersistentStore
import SQLite

/// What was done to the replicas since they were one: texts edited, the date of the change set.
///
/// Which object is changed where is decided by its key and the seed; of two changes of one object
/// either may be the later one, and never are both of one time.
struct ReplicaEdits {
  /// 2026-04-01 09:00 UTC.
  static let start: Int64 = 796_726_800
  private static let purpose: UInt64 = 0x7265_706c

  enum Replica: Int64 {
    case here = 0
    case there = 1
  }

  let shape: ReplicaShape
  let parameters: ReplicasParameters
  let seed: UInt64

  /// Edits a replica's objects.
  func apply(_ replica: Replica, to connection: Connection) throws {
    let update = try connection.prepare(
      "UPDATE \(shape.table.name) SET \(shape.text) = ?, \(shape.date) = ?, Z_OPT = Z_OPT + 1 "
        + "WHERE Z_PK = ?"
    )
    try connection.transaction {
      for key in try keys(connection) {
        let bits = SeededBits.word(seed, Self.purpose, UInt64(bitPattern: key))
        guard isChanged(bits, replica) else { continue }
        // Different seconds here and there, in an order that the bits decide.
        let side = (bits >> 3) & 1 == 0 ? replica.rawValue : 1 - replica.rawValue
        let second = Self.start + Int64(bits % 1_000_000) * 2 + side
        update.bind("\(replica) \(key)", at: 1)
        update.bind(second, at: 2)
        update.bind(key, at: 3)
        try update.run()
      }
    }
  }

  private func isChanged(_ bits: UInt64, _ replica: Replica) -> Bool {
    let place = Double(bits >> 11) / Double(UInt64(1) << 53)
    if place < parameters.conflicts { return true }
    let first = parameters.conflicts + parameters.changed
    return replica == .here ? place < first : place >= first && place < first + parameters.changed
  }

  private func keys(_ connection: Connection) throws -> [Int64] {
    let statement = try connection.prepare(
      "SELECT Z_PK FROM \(shape.table.name) WHERE \(shape.identity) IS NOT NULL ORDER BY Z_PK"
    )
    var keys: [Int64] = []
    while try statement.step() { keys.append(statement.integer(at: 0)) }
    return keys
  }
}
