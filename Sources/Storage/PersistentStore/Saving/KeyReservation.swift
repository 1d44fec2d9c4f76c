import SQLite

/// Hands out primary keys from Z_PRIMARYKEY, with the statements of public logs
/// (coredata-format.md, section 13).
enum KeyReservation {
  /// Reserves some keys of an entity number and returns the first of them.
  ///
  /// - Throws: ``ObjectContextError/keyReservation(entity:)`` where another connection was faster.
  static func reserve(
    _ count: Int,
    of number: Int,
    name: String,
    on connection: Connection
  ) throws -> Int64 {
    let select = try connection.cached("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?")
    select.bind(Int64(number), at: 1)
    guard try select.step() else { throw ObjectContextError.unknownEntity(name) }
    let last = select.integer(at: 0)
    select.reset()
    guard count > 0 else { return last + 1 }
    let update = try connection.cached(
      "UPDATE OR FAIL Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ? AND Z_MAX = ?"
    )
    update.bind(last + Int64(count), at: 1)
    update.bind(Int64(number), at: 2)
    update.bind(last, at: 3)
    try update.run()
    guard connection.changes == 1 else { throw ObjectContextError.keyReservation(entity: name) }
    return last + 1
  }
}
