import PersistentStore
import SQLite

/// What a merge must bring about, found by plain SQL in the two replicas as they were.
struct MergedReplicas {
  /// By the key here, the key of the later object there.
  private var later: [Int64: Int64] = [:]
  private let shape: ReplicaShape
  private let other: StoreContent
  /// Objects whose change here is lost to a later one there.
  private(set) var conflicts = 0

  var taken: Int { later.count }

  init(shape: ReplicaShape, before: StoreContent, other: StoreContent) throws {
    self.shape = shape
    self.other = other
    let known = Dictionary(
      try before.identities(shape).map { ($0.identity, (key: $0.key, date: $0.date)) },
      uniquingKeysWith: { first, _ in first }
    )
    let start = Double(ReplicaEdits.start)
    for object in try other.identities(shape) {
      guard let own = known[object.identity], object.date > own.date else { continue }
      if own.date >= start { conflicts += 1 }
      later[own.key] = object.key
    }
  }

  /// Expects the attributes of later objects, and everything else as it was.
  func apply(to expected: inout ExpectedContent) throws {
    try expected.change(shape.entity) { object in
      guard let key = later[object.key],
        let taken = try other.object(key: key, in: shape.table)
      else { return }
      for property in taken.shape.properties where property.isAttribute {
        if let value = taken[property.name] { try object.set(property.name, value) }
      }
    }
  }
}

extension StoreContent {
  /// Every object's key, identity and date, in key order.
  fileprivate func identities(
    _ shape: ReplicaShape
  ) throws -> [(key: Int64, identity: [UInt8], date: Double)] {
    let rows = try connection.prepare(
      "SELECT Z_PK, CAST(\(shape.identity) AS BLOB), coalesce(\(shape.date), -9e999) "
        + "FROM \(shape.table.name) WHERE \(shape.identity) IS NOT NULL ORDER BY Z_PK"
    )
    var result: [(key: Int64, identity: [UInt8], date: Double)] = []
    while try rows.step() {
      result.append((rows.integer(at: 0), rows.blob(at: 1), rows.real(at: 2)))
    }
    return result
  }
}
