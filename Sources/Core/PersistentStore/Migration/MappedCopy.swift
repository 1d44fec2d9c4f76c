import DataModel
import Foundation
import SQLite

/// Copies the objects of a store into a new store of another model according to a migration map,
/// with set-based SQL.
///
/// Objects are copied first, with new keys, then relationships, each as pairs of keys.
package struct MappedCopy {
  private let source: StoreLayout
  private let destination: StoreLayout
  private let schema: String
  private let values: MappedValues
  private let rules: [(number: Int, mapping: EntityMapping)]
  private let links: [MappedLink]
  private let corrections: [String]

  /// Creates a copy; `now` is the current time for the map's expressions, in seconds since 2001.
  package init(
    _ mapping: MappingModel,
    from source: StoreLayout,
    to destination: StoreLayout,
    now: Double,
    schema: String = "original"
  ) {
    self.source = source
    self.destination = destination
    self.schema = schema
    values = MappedValues(source: source, schema: schema, now: now)
    rules = mapping.entities.filter { $0.source != nil }.enumerated().map { ($0, $1) }
    corrections = OneToOneRepair(mapping: mapping, destination: destination).statements
    links = MappedLink.all(rules, from: source, to: destination, schema: schema)
  }

  /// Copies all objects and relationships in one transaction, and then the external files to which
  /// the new store refers.
  ///
  /// - Throws: ``SQLite/SQLiteError``, such as a constraint error, and errors of copying files.
  package func run(from old: StoreFile, to new: StoreFile, on connection: Connection) throws {
    let attach = try connection.prepare("ATTACH DATABASE ? AS original")
    attach.bind(old.path, at: 1)
    try attach.run()
    try MappedValues.register(on: connection, externalFiles: old.externalDataFolder)
    try connection.transaction("BEGIN EXCLUSIVE") {
      try connection.executeScript(objectStatements + relationshipStatements + corrections + maxima)
    }
    try connection.execute("DROP TABLE temp.mapped")
    try connection.execute("DETACH DATABASE original")
    try copyFiles(from: old, to: new, connection)
  }

  private var objectStatements: [String] {
    let table =
      "CREATE TEMP TABLE mapped (rule INTEGER, former INTEGER, key INTEGER, entity INTEGER, "
      + "PRIMARY KEY (rule, former)) WITHOUT ROWID"
    return [table] + destination.tables.flatMap { keys(of: $0) } + rows.map(insertion)
  }

  /// Returns the queries for the objects of a new table, in the order of their new keys.
  ///
  /// The columns are `former` (the old key), `rule` (the number of the entity mapping) and `entity`
  /// (the new entity's number). Objects are sorted by their old table and key, as if a copy read
  /// the old store sequentially.
  private func objects(of table: EntityTable) -> [String] {
    let incoming = rules.filter { table.entities.contains($0.mapping.destination) }
    return source.tables.compactMap { former in
      let selects = incoming.compactMap { number, mapping -> String? in
        guard mapping.source.flatMap(source.table(of:))?.name == former.name else { return nil }
        let entity = destination.numbers[mapping.destination] ?? 0
        return "SELECT t.Z_PK AS former, \(number) AS rule, \(entity) AS entity FROM "
          + "\(schema).\(former.name.quotedName) AS t WHERE \(values.condition(of: mapping))"
      }
      guard !selects.isEmpty else { return nil }
      return selects.joined(separator: " UNION ALL ") + " ORDER BY former, rule"
    }
  }

  private func keys(of table: EntityTable) -> [String] {
    let incoming = rules.filter { table.entities.contains($0.mapping.destination) }
    let numbers = incoming.map { String($0.number) }.joined(separator: ", ")
    return objects(of: table).map { objects in
      "INSERT INTO temp.mapped SELECT rule, former, (SELECT coalesce(max(key), 0) FROM "
        + "temp.mapped WHERE rule IN (\(numbers))) + row_number() OVER (ORDER BY former, rule), "
        + "entity FROM (\(objects))"
    }
  }

  private struct RowSet {
    let rule: Int
    let table: String
    let columns: [String]
    let values: [String]
    let former: String
    let condition: String
  }

  private var rows: [RowSet] {
    rules.compactMap { number, mapping in
      guard let table = destination.table(of: mapping.destination),
        let former = mapping.source.flatMap(source.table(of:))?.name
      else { return nil }
      let lineage = Set(
        destination.model.entity(named: mapping.destination)
          .map(destination.model.lineage)?.map(\.name) ?? []
      )
      let columns = table.columns.filter { lineage.contains($0.entity) }
        .compactMap { column in values.sql(of: column, in: mapping).map { (column.name, $0) } }
      return RowSet(
        rule: number,
        table: table.name,
        columns: columns.map(\.0),
        values: columns.map(\.1),
        former: "\(schema).\(former.quotedName)",
        condition: values.condition(of: mapping)
      )
    }
  }

  private func insertion(_ rows: RowSet) -> String {
    let names = ["Z_PK", "Z_ENT", "Z_OPT"] + rows.columns.map(\.quotedName)
    let made = ["m.key", "m.entity", "1"] + rows.values
    return "INSERT INTO \(rows.table.quotedName) (\(names.joined(separator: ", "))) SELECT "
      + "\(made.joined(separator: ", ")) FROM \(rows.former) AS t JOIN temp.mapped "
      + "AS m ON m.rule = \(rows.rule) AND m.former = t.Z_PK ORDER BY m.key"
  }

  /// Returns the number of objects of each new entity that the copy creates.
  package func counts(on connection: Connection) throws -> [String: Int64] {
    var counts: [String: Int64] = [:]
    for rows in rows {
      let count = try connection.integer(
        "SELECT count(*) FROM \(rows.former) AS t WHERE \(rows.condition)"
      )
      counts[rules[rows.rule].mapping.destination, default: 0] += count ?? 0
    }
    return counts
  }

  private var maxima: [String] {
    destination.tables.compactMap { table in
      destination.numbers[table.root].map { number in
        "UPDATE Z_PRIMARYKEY SET Z_MAX = (SELECT coalesce(max(Z_PK), 0) FROM "
          + "\(table.name.quotedName)) WHERE Z_ENT = \(number)"
      }
    }
  }

  private var relationshipStatements: [String] {
    links.flatMap { link in link.writes.map { statement(for: $0, of: link) } }
  }

  private func statement(for write: MappedLink.Write, of link: MappedLink) -> String {
    let pairs = newPairs(of: link)
    let columns = write.fields.map(\.column.quotedName)
    let values = write.fields.map { Self.sql(of: $0.value) }
    guard let row = write.row else {
      return "INSERT OR IGNORE INTO \(write.table.quotedName) (\(columns.joined(separator: ", "))) "
        + "SELECT \(values.joined(separator: ", ")) FROM (\(pairs)) AS p"
    }
    let sets = columns.enumerated().map { "\($1) = n.v\($0)" }
    let made = values.enumerated().map { "\($1) AS v\($0)" }
    return "UPDATE \(write.table.quotedName) SET \(sets.joined(separator: ", ")) FROM (SELECT "
      + "p.\(row.rawValue) AS id, \(made.joined(separator: ", ")) FROM (\(pairs)) AS p) AS n "
      + "WHERE \(write.table.quotedName).Z_PK = n.id"
  }

  private static func sql(of value: MappedLink.Value) -> String {
    switch value {
    case .own: "p.own"
    case .target: "p.target"
    case .targetEntity: "p.entity"
    case .number(let number): String(number)
    case .placeAmongTargets: position(in: "own", by: "place", then: "target")
    case .placeAmongOwners: position(in: "target", by: "inversePlace", then: "own")
    }
  }

  private static func position(in list: String, by place: String, then key: String) -> String {
    "\(MappedLink.positionStep) + \(MappedLink.positionStep) * row_number() "
      + "OVER (PARTITION BY p.\(list) ORDER BY p.\(place), p.\(key))"
  }

  private func newPairs(of link: MappedLink) -> String {
    let targets = link.targets.map(String.init).joined(separator: ", ")
    // References to an object copied by several mappings become references to its first copy, in
    // the map's order.
    return "SELECT o.key AS own, g.key AS target, g.entity AS entity, f.place AS place, "
      + "f.inversePlace AS inversePlace FROM (\(link.pairs)) AS f JOIN temp.mapped AS o "
      + "ON o.rule = \(link.rule) AND o.former = f.own JOIN (SELECT former, key, entity, min(rule) "
      + "FROM temp.mapped WHERE rule IN (\(targets)) GROUP BY former) AS g "
      + "ON g.former = f.target"
  }

  typealias Function = (
    name: String, body: @Sendable ([Connection.FunctionValue]) -> Connection.FunctionValue
  )

  private func copyFiles(from old: StoreFile, to new: StoreFile, _ connection: Connection) throws {
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
    // Skip an external file that is missing in the old store, or that the new store already has.
    guard files.fileExists(atPath: from), !files.fileExists(atPath: to) else { return }
    try files.createDirectory(atPath: new.externalDataFolder, withIntermediateDirectories: true)
    try StoreFile.copy(from, to: to)
  }
}
