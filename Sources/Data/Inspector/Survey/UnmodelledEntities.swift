import PersistentStore
import SQLite

/// The entities of a store without a readable model: what Z_PRIMARYKEY names, and their objects.
struct UnmodelledEntities {
  /// The first number of the entities that history is kept by.
  private static let firstOfHistory = 16_000
  private static let most = 2000

  let reader: StoreReader

  var all: [EntitySurvey] {
    get throws {
      let row = try reader.connection.prepare(
        "SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY WHERE Z_ENT < \(Self.firstOfHistory) "
          + "ORDER BY Z_ENT LIMIT \(Self.most)"
      )
      var rows: [(number: Int, name: String, above: Int)] = []
      while try row.step() {
        rows.append(
          (
            Int(truncatingIfNeeded: row.integer(at: 0)), row.text(at: 1),
            Int(truncatingIfNeeded: row.integer(at: 2))
          )
        )
      }
      return try rows.map { entity in
        let table = "Z" + root(of: entity.number, in: rows).uppercased()
        let count =
          reader.schema.has("Z_ENT", in: table)
          ? try reader.connection.integer(
            "SELECT count(*) FROM \(table.quotedName) WHERE Z_ENT = \(entity.number)"
          ) ?? 0 : 0
        return EntitySurvey(
          name: entity.name,
          number: entity.number,
          table: table,
          superentity: rows.first { $0.number == entity.above }?.name,
          isAbstract: false,
          count: count,
          countWithSubentities: count
        )
      }
    }
  }

  private func root(of number: Int, in rows: [(number: Int, name: String, above: Int)]) -> String {
    var number = number
    var name = ""
    // No deeper than there are entities, or the chain closes on itself.
    for _ in rows.indices {
      guard let entity = rows.first(where: { $0.number == number }) else { break }
      name = entity.name
      number = entity.above
    }
    return name
  }
}
