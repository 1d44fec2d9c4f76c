import DataModel
import PersistentStore
import SQLite

/// Counts where the relationships of a store lead, each by one pass over its keys in their order.
struct RelationshipScan {
  let reader: StoreReader
  let layout: StoreLayout

  /// The references of a relationship; the objects that have it are counted already.
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
    // The index of the key alone answers where every object of the table has the relationship.
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

/// Counts the values that several objects share, by their 64-bit hashes.
///
/// A hash is eight bytes an object; two differing values collide by accident once in about 2^64
/// pairs. Beyond the limit nothing is counted.
struct KeyCounter {
  /// The most objects of a table, all its keys together: 128 MB of hashes.
  static let limit = 16_000_000

  let properties: [String]
  let isConstraint: Bool
  /// The position of each property's value in a row; of a blob, that of a small one.
  var positions: [Int] = []
  private let capacity: Int
  private var hashes: [UInt64] = []
  private var isOverflown = false

  init(_ properties: [String], isConstraint: Bool, capacity: Int) {
    self.properties = properties
    self.isConstraint = isConstraint
    self.capacity = capacity
  }

  /// Takes the value of the current row; one with a NULL is no duplicate of any other.
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

  /// `nil` if there were more values than could be kept.
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
