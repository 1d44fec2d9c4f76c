import DataModel
import Foundation
import PersistentStore
import SQLite

/// Reads the columns of one entity and caches their counts.
final class EntityColumns {
  let content: StoreContent
  let entity: Entity
  private let table: EntityTable
  private let number: Int
  private let last = ColumnGroups.Last()
  /// The cached numbers of rows, by attribute or by query.
  private var counts: [String: Int] = [:]
  private var numbers: [String: ValueCounts] = [:]

  init?(_ name: String, in content: StoreContent) {
    guard let entity = content.layout.model.entity(named: name),
      let table = content.layout.table(of: name), let number = content.layout.numbers[name]
    else { return nil }
    self.content = content
    self.entity = entity
    self.table = table
    self.number = number
  }

  var connection: Connection { content.connection }

  var rows: String {
    "FROM \(table.name.quotedName) AS t NOT INDEXED WHERE t.Z_ENT = \(number)"
  }

  func objectCount() throws -> Int { try count("SELECT count(*) \(rows)") }

  private func count(_ sql: String) throws -> Int {
    try counted(sql) { Int(try connection.integer(sql) ?? 0) }
  }

  private func counted(_ key: String, _ make: () throws -> Int) rethrows -> Int {
    if let known = counts[key] { return known }
    let count = try make()
    counts[key] = count
    return count
  }

  private func kept(_ property: String, _ make: () throws -> ValueCounts?) throws -> ValueCounts? {
    if let known = numbers[property] { return known }
    let made = try make()
    if made?.isLarge == false { numbers[property] = made }
    return made
  }

  /// The stored attributes, including inherited attributes, sorted by name.
  var attributes: [Attribute] {
    content.layout.model.attributes(of: entity).filter { !$0.isTransient }
      .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }

  var relationships: [Relationship] {
    content.layout.model.relationships(of: entity).filter { !$0.isTransient }
      .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }

  func column(_ attribute: Attribute) -> String? {
    content.layout.column(of: attribute.name, in: entity.name)?.name.quotedColumn
  }

  // MARK: Attributes

  func groups(_ attribute: Attribute) throws -> ColumnGroups? {
    let measure = attribute.type.measure
    guard measure != .none, measure != .sizes, let column = column(attribute) else { return nil }
    return try last.groups(attribute.name) {
      let isText = measure == .lengths
      guard try !isText || comparesBytes() else { return nil }
      let values = try connection.prepare("SELECT \(column) \(rows) AND \(column) NOT NULL")
      return try ColumnGroups(values, isText: isText)
    }
  }

  /// Whether the table's strings are compared by their UTF-8 bytes.
  private func comparesBytes() throws -> Bool {
    let schema = try connection.prepare(
      "SELECT 1 FROM sqlite_schema WHERE name = ?1 AND sql LIKE '%collate%'"
    )
    schema.bind(table.name, at: 1)
    return try connection.text("PRAGMA encoding") == "UTF-8" && !schema.step()
  }

  func valueCount(_ attribute: Attribute) throws -> Int {
    guard let column = column(attribute) else { return 0 }
    return try counted(attribute.name) {
      try groups(attribute)?.objects ?? count("SELECT count(*) \(rows) AND \(column) NOT NULL")
    }
  }

  /// Counts an attribute's distinct numbers or sizes; returns `nil` if its values have neither.
  func numbers(_ attribute: Attribute) throws -> ValueCounts? {
    let measure = attribute.type.measure
    guard measure != .none, let column = column(attribute) else { return nil }
    return try kept(attribute.name) { try numbers(attribute, in: column, measure) }
  }

  private func numbers(
    _ attribute: Attribute,
    in column: String,
    _ measure: ColumnProfile.Measure
  ) throws -> ValueCounts? {
    if let groups = try groups(attribute) { return ValueCounts(groups.ofNumbers) }
    if measure == .sizes, attribute.allowsExternalStorage {
      let values = try connection.prepare("SELECT \(column) \(rows) AND \(column) NOT NULL")
      return try externalSizes(values)
    }
    let (number, condition) = measured(column, measure)
    return ValueCounts(
      try connection.prepare(
        "SELECT \(number), count(*) \(rows) AND \(condition) GROUP BY 1 ORDER BY 1"
      )
    )
  }

  /// Counts the numbers of a query with one column.
  func numbers(ofRows sql: String) throws -> ValueCounts {
    if let groups = try ColumnGroups(connection.prepare(sql), isText: false) {
      return ValueCounts(groups.ofNumbers)
    }
    return ValueCounts(
      try connection.prepare("SELECT *, count(*) FROM (\(sql)) GROUP BY 1 ORDER BY 1")
    )
  }

  private func measured(
    _ column: String,
    _ measure: ColumnProfile.Measure
  ) -> (number: String, condition: String) {
    switch measure {
    case .none: ("NULL", "\(column) NOT NULL")
    // SQLite determines the length of a column without reading its content, but measures it in
    // bytes only for blobs.
    case .sizes, .lengths:
      (
        "CASE typeof(\(column)) WHEN 'blob' THEN length(\(column)) "
          + "ELSE length(CAST(\(column) AS BLOB)) END",
        "\(column) NOT NULL"
      )
    // Exclude text, because a column can contain text even if the model declares a number.
    case .numbers, .dates:
      (column, "typeof(\(column)) IN ('integer', 'real') AND \(column) BETWEEN -1e300 AND 1e300")
    }
  }

  private func externalSizes(_ values: Statement) throws -> ValueCounts {
    var counts: [Double: Int] = [:]
    while try values.step() {
      guard values.storageClass(at: 0) == .blob,
        let size = values.withBytes(at: 0, { size(of: $0) })
      else { continue }
      counts[Double(size), default: 0] += 1
    }
    return ValueCounts(counts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
  }

  private func size(of bytes: UnsafeRawBufferPointer) -> Int? {
    switch BlobContent.reference(bytes) {
    case .inline: return bytes.count - 1
    case .malformed: return nil
    case .file(let name):
      let path = content.store.externalDataFolder + "/" + name
      return StoreFile.size(of: path).map { Int($0) }
    }
  }

  func forEachValue(_ attribute: Attribute, _ body: (Int, Double) -> Void) throws {
    guard let column = column(attribute) else { return }
    if let groups = try groups(attribute) { return groups.visit(body) }
    let (value, condition) = measured(column, attribute.type.measure)
    let groups = try connection.prepare(
      "SELECT count(*), \(value) \(rows) AND \(condition) GROUP BY \(column)"
    )
    while try groups.step() { body(Int(groups.integer(at: 0)), groups.real(at: 1)) }
  }

  // MARK: Relationships

  func targetCount(_ relationship: Relationship) throws -> Int? {
    guard
      case .foreignKey(let column, _, _) =
        content.layout.storage(of: relationship.name, in: entity.name)
    else { return nil }
    let led = try count("SELECT count(*) \(rows) AND \(column.quotedColumn) NOT NULL")
    guard let target = content.layout.table(of: relationship.destination) else { return led }
    // Look up each distinct key only once, in the order of the relationship's index, and count only
    // the objects whose key has no target, of which there are few.
    let key = column.quotedName
    return try led
      - count(
        "SELECT count(*) FROM \(table.name.quotedName) WHERE Z_ENT = \(number) AND \(key) IN "
          + "(SELECT k FROM (SELECT DISTINCT \(key) AS k FROM \(table.name.quotedName) "
          + "WHERE \(key) NOT NULL) WHERE k NOT IN (SELECT Z_PK FROM \(target.name.quotedName)))"
      )
  }

  /// Whether an index finds rows of the entity's table by a column.
  func hasIndex(_ column: String) throws -> Bool {
    let found = try connection.prepare(
      "SELECT 1 FROM pragma_index_list(?1) AS l JOIN pragma_index_info(l.name) AS i "
        + "WHERE i.seqno = 0 AND i.name = ?2 AND l.partial = 0"
    )
    found.bind(table.name, at: 1)
    found.bind(column, at: 2)
    return try found.step()
  }

  func fanOut(_ relationship: Relationship) throws -> ValueCounts? {
    let (other, key): (String, String)
    switch content.layout.storage(of: relationship.name, in: entity.name) {
    case .inverseForeignKey(let table, let column, _): (other, key) = (table, column)
    case .join(let table, let side): (other, key) = (table, side.ownColumn)
    case .foreignKey, nil: return nil
    }
    let counts =
      "SELECT o.\(key.quotedName) AS k, count(*) AS n FROM \(other.quotedName) AS o "
      + "WHERE o.\(key.quotedName) NOT NULL GROUP BY 1"
    return try kept(relationship.name) {
      try ValueCounts(
        connection.prepare(
          "SELECT coalesce(c.n, 0), count(*) FROM \(table.name.quotedName) AS t NOT INDEXED "
            + "LEFT JOIN (\(counts)) AS c ON c.k = t.Z_PK WHERE t.Z_ENT = \(number) "
            + "GROUP BY 1 ORDER BY 1"
        )
      )
    }
  }
}
