import DataModel
import Foundation
import SQLite

/// Copies the objects of a store into a new store of another model as a map says, set by set in
/// SQL: objects first, under keys of their own, then relationships pair by pair.
///
/// Every relationship is read as pairs of keys, whichever way the old store keeps it, and written
/// the way the new store keeps it.
package struct MappedCopy {
  private let mapping: MappingModel
  private let source: StoreLayout
  private let destination: StoreLayout
  private let values: MappedValues
  /// Those that objects go by, with their numbers.
  private let rules: [(number: Int, mapping: EntityMapping)]

  /// `now` is what the map's `now` stands for, in seconds since 2001.
  package init(
    _ mapping: MappingModel,
    from source: StoreLayout,
    to destination: StoreLayout,
    now: Double
  ) {
    self.mapping = mapping
    self.source = source
    self.destination = destination
    values = MappedValues(source: source, schema: "original", now: now)
    rules = mapping.entities.filter { $0.source != nil }.enumerated().map { ($0, $1) }
  }

  /// Copies everything in one transaction, and the external files that the new store refers to.
  ///
  /// - Throws: ``SQLite/SQLiteError``, a constraint among others; what copying files throws.
  package func run(from old: StoreFile, to new: StoreFile, on connection: Connection) throws {
    let attach = try connection.prepare("ATTACH DATABASE ? AS original")
    attach.bind(old.path, at: 1)
    try attach.run()
    try MappedValues.register(on: connection, externalFiles: old.externalDataFolder)
    try connection.transaction("BEGIN EXCLUSIVE") {
      try connection.executeScript(objectStatements + relationshipStatements + maxima)
    }
    try connection.execute("DROP TABLE temp.mapped")
    try connection.execute("DETACH DATABASE original")
    try copyFiles(from: old, to: new, connection)
  }

  // MARK: Objects

  private var objectStatements: [String] {
    let table =
      "CREATE TEMP TABLE mapped (rule INTEGER, former INTEGER, key INTEGER, entity INTEGER, "
      + "PRIMARY KEY (rule, former)) WITHOUT ROWID"
    return [table] + destination.tables.flatMap { keys(of: $0) } + rules.compactMap(insertion)
  }

  /// Gives the objects that come into a table their keys: by the tables that they come from, then
  /// by their former keys, as a copy that goes through the old store meets them.
  private func keys(of table: EntityTable) -> [String] {
    let incoming = rules.filter { table.entities.contains($0.mapping.destination) }
    return source.tables.compactMap { former in
      let selects = incoming.compactMap { number, mapping -> String? in
        guard source.table(of: mapping.source ?? "")?.name == former.name else { return nil }
        let entity = destination.numbers[mapping.destination] ?? 0
        return "SELECT \(number) AS rule, t.Z_PK AS former, \(entity) AS entity FROM "
          + "original.\(former.name.quotedName) AS t WHERE \(values.condition(of: mapping))"
      }
      guard !selects.isEmpty else { return nil }
      let numbers = incoming.map { String($0.number) }.joined(separator: ", ")
      return "INSERT INTO temp.mapped SELECT rule, former, (SELECT coalesce(max(key), 0) FROM "
        + "temp.mapped WHERE rule IN (\(numbers))) + row_number() OVER (ORDER BY former, rule), "
        + "entity FROM (\(selects.joined(separator: " UNION ALL ")))"
    }
  }

  private func insertion(_ number: Int, _ mapping: EntityMapping) -> String? {
    guard let table = destination.table(of: mapping.destination),
      let former = source.table(of: mapping.source ?? "")?.name
    else { return nil }
    let lineage = Set(
      destination.model.entity(named: mapping.destination)
        .map(destination.model.lineage)?.map(\.name) ?? []
    )
    let columns = table.columns.filter { lineage.contains($0.entity) }
      .compactMap { column in values.sql(of: column, in: mapping).map { (column.name, $0) } }
    let names = ["Z_PK", "Z_ENT", "Z_OPT"] + columns.map(\.0.quotedName)
    let made = ["m.key", "m.entity", "1"] + columns.map(\.1)
    return "INSERT INTO \(table.name.quotedName) (\(names.joined(separator: ", "))) SELECT "
      + "\(made.joined(separator: ", ")) FROM original.\(former.quotedName) AS t JOIN temp.mapped "
      + "AS m ON m.rule = \(number) AND m.former = t.Z_PK ORDER BY m.key"
  }

  private var maxima: [String] {
    destination.tables.compactMap { table in
      destination.numbers[table.root].map { number in
        "UPDATE Z_PRIMARYKEY SET Z_MAX = (SELECT coalesce(max(Z_PK), 0) FROM "
          + "\(table.name.quotedName)) WHERE Z_ENT = \(number)"
      }
    }
  }

  // MARK: Relationships

  private var relationshipStatements: [String] {
    rules.flatMap { number, mapping in
      mapping.relationships.flatMap { statements(for: $0, of: mapping, number) }
    }
  }

  private func statements(
    for relationship: RelationshipMapping,
    of mapping: EntityMapping,
    _ number: Int
  ) -> [String] {
    guard !relationship.destination.isTransient,
      let pairs = newPairs(relationship, of: mapping, number),
      let storage = destination.storage(
        of: relationship.destination.name,
        in: mapping.destination
      )
    else { return [] }
    guard !isWrittenByInverse(relationship.destination) else { return [] }
    switch storage {
    case .foreignKey(let key, let entity, let order):
      guard let table = destination.table(of: mapping.destination)?.name else { return [] }
      return [
        update(
          table,
          [
            (key, "p.target"), (entity, "p.entity"),
            (order, Self.position(in: "target", by: "inversePlace", then: "own")),
          ],
          from: pairs,
          where: "own"
        )
      ] + otherSide(of: relationship.destination, mapping, pairs)
    case .inverseForeignKey(let table, let key, let order):
      let inverse = destination.model.inverse(of: relationship.destination)
      let kept = inverse.flatMap {
        destination.storage(of: $0.name, in: relationship.destination.destination)
      }
      var entityColumn: String?
      if case .foreignKey(_, let column, _)? = kept { entityColumn = column }
      let own = String(destination.numbers[mapping.destination] ?? 0)
      return [
        update(
          table,
          [
            (key, "p.own"), (entityColumn, own),
            (order, Self.position(in: "own", by: "place", then: "target")),
          ],
          from: pairs,
          where: "target"
        )
      ]
    case .join(let name, let side): return [insertion(name, side, pairs)]
    }
  }

  /// Whether the other side is mapped as well and decides: the one with the order, which places the
  /// objects of all mappings, else the one with the key.
  private func isWrittenByInverse(_ relationship: Relationship) -> Bool {
    guard let inverse = destination.model.inverse(of: relationship),
      rules.contains(where: { _, other in
        other.relationships.contains { $0.destination == inverse && $0.source != nil }
      })
    else { return false }
    if relationship.isOrdered != inverse.isOrdered { return inverse.isOrdered }
    return relationship.isToMany && !inverse.isToMany
  }

  /// The key that the inverse of a one-to-one keeps in the target's row.
  private func otherSide(
    of relationship: Relationship,
    _ mapping: EntityMapping,
    _ pairs: String
  ) -> [String] {
    guard let inverse = destination.model.inverse(of: relationship), !inverse.isToMany,
      let table = destination.table(of: relationship.destination)?.name,
      case .foreignKey(let key, let entity, nil)? =
        destination.storage(of: inverse.name, in: relationship.destination)
    else { return [] }
    let number = String(destination.numbers[mapping.destination] ?? 0)
    return [update(table, [(key, "p.own"), (entity, number)], from: pairs, where: "target")]
  }

  private func update(
    _ table: String,
    _ columns: [(name: String?, value: String)],
    from pairs: String,
    where key: String
  ) -> String {
    let set = columns.compactMap { column in column.name.map { ($0, column.value) } }
    let sets = set.enumerated().map { "\($1.0.quotedName) = n.v\($0)" }
    let made = set.enumerated().map { "\($1.1) AS v\($0)" }
    return
      "UPDATE \(table.quotedName) SET \(sets.joined(separator: ", ")) FROM (SELECT p.\(key) AS "
      + "id, \(made.joined(separator: ", ")) FROM (\(pairs)) AS p) AS n "
      + "WHERE \(table.quotedName).Z_PK = n.id"
  }

  private func insertion(_ name: String, _ side: JoinTable.Side, _ pairs: String) -> String {
    let table = destination.joinTables.first { $0.name == name }
    let other = table.flatMap { $0.master == side ? $0.slave : $0.master }
    let isReflexive = other == side
    let columns: [(String?, String)] = [
      (side.ownColumn, "p.own"), (side.otherColumn, "p.target"),
      (side.orderColumn, Self.position(in: "own", by: "place", then: "target")),
      (
        isReflexive ? nil : other?.orderColumn,
        Self.position(in: "target", by: "inversePlace", then: "own")
      ),
    ]
    let set = columns.compactMap { column in column.0.map { ($0, column.1) } }
    return "INSERT OR IGNORE INTO \(name.quotedName) "
      + "(\(set.map(\.0.quotedName).joined(separator: ", "))) SELECT "
      + "\(set.map(\.1).joined(separator: ", ")) FROM (\(pairs)) AS p"
  }

  /// The order key of an object among those of one list, in the former order.
  private static func position(in list: String, by place: String, then key: String) -> String {
    "1024 + 1024 * row_number() OVER (PARTITION BY p.\(list) ORDER BY p.\(place), p.\(key))"
  }

  /// The pairs under the new keys: `own`, `target`, the target's number and the former positions.
  private func newPairs(
    _ relationship: RelationshipMapping,
    of mapping: EntityMapping,
    _ number: Int
  ) -> String? {
    let targets = targets(of: relationship, from: mapping).map(String.init)
    guard !targets.isEmpty, let pairs = formerPairs(relationship, of: mapping) else { return nil }
    // Of an object that became several, the first one in the map's order is led to.
    return "SELECT o.key AS own, g.key AS target, g.entity AS entity, f.place AS place, "
      + "f.inversePlace AS inversePlace FROM (\(pairs)) AS f JOIN temp.mapped AS o "
      + "ON o.rule = \(number) AND o.former = f.own JOIN (SELECT former, key, entity, min(rule) "
      + "FROM temp.mapped WHERE rule IN (\(targets.joined(separator: ", "))) GROUP BY former) AS g "
      + "ON g.former = f.target"
  }

  /// The rules that made the objects that a relationship may lead to.
  private func targets(
    of relationship: RelationshipMapping,
    from mapping: EntityMapping
  ) -> [Int] {
    let goals = Set(
      destination.model.entity(named: relationship.destination.destination)
        .map(destination.model.family)?.map(\.name) ?? []
    )
    let table = relationship.source.flatMap { source.table(of: $0.destination)?.name }
    return rules.filter { _, other in
      guard goals.contains(other.destination) else { return false }
      switch relationship.expression {
      case .none?, .function: return false
      case .sameSource(let name):
        return other.source == mapping.source && other.name != mapping.name
          && (name == nil || other.name == name)
      case .mapped(_, let name) where other.name != name: return false
      case nil, .source, .mapped: return source.table(of: other.source ?? "")?.name == table
      }
    }.map(\.number)
  }

  private func formerPairs(
    _ relationship: RelationshipMapping,
    of mapping: EntityMapping
  ) -> String? {
    guard let entity = mapping.source, let own = source.table(of: entity)?.name else { return nil }
    if case .sameSource? = relationship.expression {
      return "SELECT Z_PK AS own, Z_PK AS target, NULL AS place, NULL AS inversePlace FROM "
        + "original.\(own.quotedName)"
    }
    guard let former = relationship.source, !former.isTransient,
      let storage = source.storage(of: former.name, in: entity)
    else { return nil }
    switch storage {
    case .foreignKey(let key, _, let order):
      return "SELECT Z_PK AS own, \(key.quotedName) AS target, NULL AS place, "
        + "\(order?.quotedName ?? "NULL") AS inversePlace FROM original.\(own.quotedName) "
        + "WHERE \(key.quotedName) IS NOT NULL"
    case .inverseForeignKey(let table, let key, let order):
      return "SELECT \(key.quotedName) AS own, Z_PK AS target, \(order?.quotedName ?? "NULL") AS "
        + "place, NULL AS inversePlace FROM original.\(table.quotedName) "
        + "WHERE \(key.quotedName) IS NOT NULL"
    case .join(let name, let side):
      let table = source.joinTables.first { $0.name == name }
      let other = table.flatMap { $0.master == side ? $0.slave : $0.master }
      let inverse = other == side ? nil : other?.orderColumn
      return
        "SELECT \(side.ownColumn.quotedName) AS own, \(side.otherColumn.quotedName) AS target, "
        + "\(side.orderColumn?.quotedName ?? "NULL") AS place, \(inverse?.quotedName ?? "NULL") AS "
        + "inversePlace FROM original.\(name.quotedName)"
    }
  }

  // MARK: External files

  private func copyFiles(
    from old: StoreFile,
    to new: StoreFile,
    _ connection: Connection
  ) throws {
    for table in destination.tables {
      for column in table.columns {
        guard case .attribute(let attribute) = column.content, attribute.allowsExternalStorage
        else { continue }
        let name = column.name.quotedName
        let rows = try connection.prepare(
          "SELECT \(name) FROM \(table.name.quotedName) WHERE substr(\(name), 1, 1) = X'02'"
        )
        while try rows.step() {
          guard let file = ExternalStorage.fileName(in: rows.blob(at: 0)) else { continue }
          try copy(file, from: old, to: new)
        }
      }
    }
  }

  private func copy(_ file: String, from old: StoreFile, to new: StoreFile) throws {
    let files = FileManager.default
    let (from, to) = (old.externalDataFolder + "/" + file, new.externalDataFolder + "/" + file)
    // What came without its folder is led to in vain before and after.
    guard files.fileExists(atPath: from), !files.fileExists(atPath: to) else { return }
    try files.createDirectory(atPath: new.externalDataFolder, withIntermediateDirectories: true)
    try StoreFile.copy(from, to: to)
  }
}
