import DataModel
import PersistentStore
import SQLite

/// Counts the references of a store's relationships; each relationship takes one pass over its keys
/// in order.
struct RelationshipScan {
  let reader: StoreReader
  let layout: StoreLayout

  /// Returns the survey of a relationship; `count` is the number of objects that have the
  /// relationship.
  func survey(_ relationship: Relationship, of entity: Entity, count: Int64)
    -> EntitySurvey.Relationship
  {
    var survey = EntitySurvey.Relationship(
      name: relationship.name,
      destination: relationship.destination,
      inverse: relationship.inverse,
      isToMany: relationship.isToMany,
      isOrdered: relationship.isOrdered,
      isOptional: relationship.isOptional,
      deleteRule: "\(relationship.deleteRule)"
    )
    survey.count = count
    switch layout.storage(of: relationship.name, in: entity.name) {
    case .foreignKey(let column, _, _):
      guard let table = layout.table(of: entity.name)?.name else { break }
      survey.column = "\(table).\(column)"
      countToOne(column, in: table, of: entity, &survey)
    case .inverseForeignKey(let table, let column, _):
      countGroups(column, in: table, &survey)
    case .join(let table, let side):
      countGroups(side.ownColumn, in: table, &survey)
    case nil: break
    }
    return survey
  }

  private func countToOne(
    _ column: String,
    in table: String,
    of entity: Entity,
    _ survey: inout EntitySurvey.Relationship
  ) {
    guard reader.schema.has(column, in: table) else { return }
    let name = "t.\(column.quotedName)"
    let family = numbers(of: entity.name)
    let isWhole = layout.table(of: entity.name)?.root == entity.name
    // If all objects of the table have the relationship, the count needs only the key column's
    // index.
    let condition = isWhole ? "" : " AND t.Z_ENT IN (\(family))"
    let references = integer(
      "SELECT count(*) FROM \(table.quotedName) AS t WHERE \(name) IS NOT NULL\(condition)"
    )
    survey.references = references
    survey.empty = max(0, survey.count - references)
  }

  private func countGroups(
    _ column: String,
    in table: String,
    _ survey: inout EntitySurvey.Relationship
  ) {
    guard reader.schema.has(column, in: table) else { return }
    let name = "t.\(column.quotedName)"
    var sketch = QuantileSketch()
    do {
      let row = try reader.connection.prepare(
        "SELECT count(*) FROM \(table.quotedName) AS t WHERE \(name) IS NOT NULL GROUP BY \(name)"
      )
      while try row.step() {
        sketch.add(Double(row.integer(at: 0)))
        survey.references &+= row.integer(at: 0)
      }
    } catch {
      return
    }
    survey.fanOut = DistributionSurvey(sketch)
    survey.empty = max(0, survey.count - Int64(sketch.count))
  }

  private func numbers(of entity: String) -> String {
    let family = layout.model.entity(named: entity).map { layout.model.family(of: $0) } ?? []
    return family.compactMap { layout.numbers[$0.name] }.map(String.init).joined(separator: ", ")
  }

  private func integer(_ sql: String) -> Int64 {
    (try? reader.connection.integer(sql)) ?? 0
  }
}

/// Counts values that several objects share, by their 64-bit hashes.
///
/// Two different values have the same hash with a probability of about 2^-64. If there are more
/// values than the capacity, nothing is counted.
struct KeyCounter {
  /// The maximum number of values in all keys of a table; their hashes take 128 MB.
  static let limit = 16_000_000

  let properties: [String]
  let isConstraint: Bool
  /// The index of each property's value in a result row.
  var positions: [Int] = []
  private let capacity: Int
  private var hashes: [UInt64] = []
  private var isOverflown = false

  init(_ properties: [String], isConstraint: Bool, capacity: Int) {
    self.properties = properties
    self.isConstraint = isConstraint
    self.capacity = capacity
  }

  /// Adds the values of the current row; a key that contains NULL cannot be a duplicate.
  mutating func add(_ row: Statement) {
    guard !isOverflown else { return }
    var hash: UInt64 = 0
    for position in positions {
      let part: UInt64
      switch row.storageClass(at: position) {
      case .null: return
      case .integer: part = UInt64(bitPattern: row.integer(at: position))
      case .real: part = row.real(at: position).bitPattern ^ 0x5555_5555_5555_5555
      case .text: part = row.withBytes(at: position) { ByteDigest.of($0) } ^ 1
      case .blob: part = row.withBytes(at: position) { ByteDigest.of($0) }
      }
      hash = Mixing.spread(hash ^ part)
    }
    hashes.append(hash)
    if hashes.count > capacity {
      isOverflown = true
      hashes = []
    }
  }

  /// Returns the survey of the key; `nil` if there were more values than the capacity.
  mutating func survey() -> EntitySurvey.Key? {
    guard !isOverflown else { return nil }
    var survey = EntitySurvey.Key(properties: properties, isConstraint: isConstraint)
    survey.count = Int64(hashes.count)
    hashes.sort()
    var start = 0
    while start < hashes.count {
      var end = start + 1
      while end < hashes.count, hashes[end] == hashes[start] { end += 1 }
      let size = Int64(end - start)
      if size > 1 {
        survey.duplicatedValues += 1
        survey.surplus += size - 1
      }
      survey.largestGroup = max(survey.largestGroup, size)
      start = end
    }
    hashes = []
    return survey
  }
}
