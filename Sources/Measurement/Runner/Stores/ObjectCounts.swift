import SQLite

/// Counts the objects of a store, whatever its tables are.
enum ObjectCounts {
  /// Objects by entity name, sub-entities' not counted with their super-entity's; entities without
  /// any are left out.
  static func read(_ connection: Connection) throws -> [String: Int] {
    let entities = try connection.prepare("SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY")
    var rows: [Int64: (name: String, parent: Int64)] = [:]
    while try entities.step() {
      rows[entities.integer(at: 0)] = (entities.text(at: 1), entities.integer(at: 2))
    }
    var counts: [String: Int] = [:]
    for (_, row) in rows.sorted(by: { $0.key < $1.key }) where row.parent == 0 {
      // The table is the root's; names come from the file, so the quotes are doubled.
      let table = "Z" + row.name.uppercased().split(separator: "\"").joined(separator: "\"\"")
      guard
        let groups = try? connection.prepare("SELECT Z_ENT, count(*) FROM \"\(table)\" GROUP BY 1")
      else { continue }
      while try groups.step() {
        let name = rows[groups.integer(at: 0)]?.name ?? row.name
        counts[name, default: 0] += Int(groups.integer(at: 1))
      }
    }
    return counts
  }
}
