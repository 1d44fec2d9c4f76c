import DataModel
import Measurement
import PersistentStore
import Runner
import SQLite

/// Brings the later changes of one replica into another: the last writer wins, object by object.
struct ReplicaMerge {
  let shape: ReplicaShape
  let batchSize: Int

  /// Compares every object that the other replica has changed since both were one with its
  /// counterpart, batch by batch; the keys of the changes are in memory.
  func mergeObjects(
    of other: ObjectContext,
    into context: ObjectContext,
    _ recorder: Recorder
  ) throws {
    let changes = try other.fetch(
      FetchRequest(
        shape.entity,
        predicate: .comparison(
          shape.dateAttribute,
          .greaterOrEqual,
          .integer(ReplicaEdits.start)
        ),
        includesPropertyValues: false
      )
    )
    let keys = try (0..<changes.count).map { try changes.object(at: $0).key }.sorted()
    other.reset()
    var taken = 0
    for start in stride(from: 0, to: keys.count, by: batchSize) {
      let batch = Array(keys[start..<min(start + batchSize, keys.count)])
      let theirs = try other.objects(shape.entity, keys: batch, fetchBatchSize: batch.count)
      for index in batch.indices {
        let object = try theirs.object(at: index)
        let identity = try object.value(of: shape.identityAttribute)
        guard identity != .null, let own = try counterpart(of: identity, in: context),
          try date(of: object) > date(of: own)
        else { continue }
        taken += 1
        for attribute in context.layout.model.attributes(of: object.description.entity)
        where !attribute.isTransient {
          try own.setValue(object.value(of: attribute.name), of: attribute.name)
        }
      }
      try context.save()
      context.reset()
      other.reset()
    }
    recorder.count(.replicas.taken, taken)
  }

  private func counterpart(of identity: Value, in context: ObjectContext) throws -> ManagedObject? {
    let found = try context.fetch(
      FetchRequest(
        shape.entity,
        predicate: .comparison(shape.identityAttribute, .equal, identity),
        fetchLimit: 1
      )
    )
    return try found.count > 0 ? found.object(at: 0) : nil
  }

  private func date(of object: ManagedObject) throws -> Double {
    switch try object.value(of: shape.dateAttribute) {
    case .integer(let seconds): Double(seconds)
    case .real(let seconds): seconds
    default: -.infinity
    }
  }

  /// The same in one statement.
  func mergeSets(
    of other: StoreFile,
    into store: PersistentStore,
    _ recorder: Recorder
  ) throws {
    let connection = store.connection
    let attach = try connection.prepare("ATTACH DATABASE ? AS replica")
    attach.bind(other.path, at: 1)
    try attach.run()
    let columns = shape.table.columns.filter { column in
      if case .attribute = column.content { return true }
      return false
    }.map(\.name)
    let sets = columns.map { "\($0) = r.\($0)" }.joined(separator: ", ")
    let table = shape.table.name
    try connection.transaction {
      // Without an index on the identity the statement would read the replica for every object.
      try connection.execute(
        "CREATE TEMP TABLE later AS SELECT a.Z_PK AS own, r.Z_PK AS other FROM \(table) AS a "
          + "JOIN replica.\(table) AS r ON r.\(shape.identity) = a.\(shape.identity) "
          + "WHERE coalesce(r.\(shape.date), -9e999) > coalesce(a.\(shape.date), -9e999)"
      )
      try connection.execute(
        "UPDATE \(table) SET \(sets), Z_OPT = \(table).Z_OPT + 1 FROM temp.later AS l "
          + "JOIN replica.\(table) AS r ON r.Z_PK = l.other WHERE \(table).Z_PK = l.own"
      )
      recorder.count(.replicas.taken, connection.changes)
      try connection.execute("DROP TABLE temp.later")
    }
    try connection.execute("DETACH DATABASE replica")
  }
}

extension ReplicasWorkload {
  package static var metrics: [Metric] { Metric.replicas.all }
}

struct ReplicasMetrics: MetricFamily {
  let taken = Metric.counter("objects.taken", "objects taken over from the other replica")
}

extension Metric {
  static let replicas = ReplicasMetrics()
}
