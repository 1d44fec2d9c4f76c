import Basics
import DataModel
import SQLite

extension ContentDigest {
  /// Computes the digest of a store's content, identifying objects by content instead of keys.
  ///
  /// The digest of an object starts with its entity and attributes. Each round mixes in the digests
  /// of the objects that it refers to and of the objects that refer to it. After a few rounds,
  /// objects with equal digests also have equal surroundings (color refinement of a graph).
  /// Differences farther away are not detected.
  struct Keyless {
    private struct Objects {
      var keys: [Int64] = []
      var digests: [UInt64] = []
      var sums: [UInt64] = []
      var shapes: [UInt16] = []

      func index(of key: Int64) -> Int? {
        guard let first = keys.first, key >= first else { return nil }
        // Most keys are consecutive, so the index is usually the distance from the first key.
        let (guess, overflow) = key.subtractingReportingOverflow(first)
        if !overflow, guess < keys.count, keys[Int(guess)] == key { return Int(guess) }
        var (low, high) = (0, keys.count)
        while low < high {
          let middle = low + (high - low) / 2
          if keys[middle] < key { low = middle + 1 } else { high = middle }
        }
        return low < keys.count && keys[low] == key ? low : nil
      }
    }

    private static let rounds = 4

    private let content: StoreContent
    private let edges: [KeylessEdges]
    private var objects: [Objects] = []
    private var names: [[String]] = []

    init(content: StoreContent) {
      self.content = content
      edges = KeylessEdges.all(in: content.layout)
    }

    consuming func digest() throws -> ContentDigest {
      for table in content.layout.tables { try read(table) }
      for _ in 0..<Self.rounds { try refine() }
      var parts: [String: ListDigest] = [:]
      for (table, objects) in objects.enumerated() {
        for (digest, shape) in zip(objects.digests, objects.shapes) {
          parts[names[table][Int(shape)], default: ListDigest()].add(digest)
        }
      }
      return ContentDigest(parts: parts)
    }

    private mutating func read(_ table: EntityTable) throws {
      let cursor = try content.objects(in: table)
      let shapes = cursor.shapes.map { shape in
        ObjectDigest.Shape(
          entity: shape.entity,
          properties: shape.properties.filter(\.isAttribute).map(\.name)
        )
      }
      var objects = Objects()
      while try cursor.withNext({ place, reader, row in
        var digest = ObjectDigest(shapes[place])
        reader.add(row, to: &digest) { !$0.isAttribute }
        objects.keys.append(row.integer(at: 0))
        objects.digests.append(digest.value)
        objects.shapes.append(UInt16(truncatingIfNeeded: place))
      }) {}
      objects.sums = [UInt64](repeating: 0, count: objects.keys.count)
      self.objects.append(objects)
      names.append(shapes.map(\.entity))
    }

    private mutating func refine() throws {
      for edges in edges {
        let row = try content.connection.prepare(edges.sql)
        while try row.step() { add(row, edges) }
      }
      for table in objects.indices {
        for index in objects[table].digests.indices {
          objects[table].digests[index] = Mixing.spread(
            objects[table].digests[index] &+ Mixing.spread(objects[table].sums[index])
          )
          objects[table].sums[index] = 0
        }
      }
    }

    private mutating func add(_ row: Statement, _ edges: KeylessEdges) {
      let source = objects[edges.source].index(of: row.integer(at: 0))
      let target = objects[edges.target].index(of: row.integer(at: 1))
      var label = ObjectDigest(edges.shape)
      for column in 2...3 { label.add(ContentValue(row, at: column)) }
      // A reference to or from a missing object contributes only its label: its name and positions.
      if let source {
        let digest = target.map { objects[edges.target].digests[$0] } ?? 0
        objects[edges.source].sums[source] &+= Mixing.fold(label.value ^ digest, Mixing.first)
      }
      if let target {
        let digest = source.map { objects[edges.source].digests[$0] } ?? 0
        objects[edges.target].sums[target] &+= Mixing.fold(label.value ^ digest, Mixing.second)
      }
    }
  }

  struct KeylessEdges {
    let source: Int
    let target: Int
    let shape: ObjectDigest.Shape
    /// The query for both keys and the position on each side.
    ///
    /// It omits the target's entity, because the target's digest includes it.
    let sql: String

    static func all(in layout: StoreLayout) -> [KeylessEdges] {
      let places = Dictionary(keepingFirst: layout.tables.enumerated().map { ($1.name, $0) })
      func place(of entity: String) -> Int? { layout.table(of: entity).flatMap { places[$0.name] } }
      let keys = layout.tables.enumerated().flatMap { source, table in
        table.columns.compactMap { edges(from: source, table, along: $0, place: place) }
      }
      return keys + layout.joinTables.compactMap { edges(in: $0, place: place) }
    }

    private static func edges(
      from source: Int,
      _ table: EntityTable,
      along column: Column,
      place: (String) -> Int?
    ) -> KeylessEdges? {
      let destination: String
      var position = "NULL"
      switch column.content {
      case .foreignKey(let relationship):
        destination = relationship.destination
        let order = table.column(of: column.entity) { $0 == .orderKey(relationship) }
        if let order {
          position =
            "row_number() OVER (PARTITION BY \(column.name.quotedColumn) "
            + "ORDER BY \(order.name.quotedColumn), t.Z_PK)"
        }
      case .inverselessKey(_, let declaring): destination = declaring
      default: return nil
      }
      return place(destination).map { target in
        KeylessEdges(
          source: source,
          target: target,
          shape: ObjectDigest.Shape(
            entity: "\(column.entity).\(destination).\(column.property)",
            properties: []
          ),
          sql: "SELECT t.Z_PK, \(column.name.quotedColumn), \(position), NULL "
            + "FROM \(table.name.quotedName) AS t NOT INDEXED "
            + "WHERE \(column.name.quotedColumn) IS NOT NULL"
        )
      }
    }

    private static func edges(in table: JoinTable, place: (String) -> Int?) -> KeylessEdges? {
      let first = table.firstSide
      let second = first == table.master ? table.slave : table.master
      guard let source = place(first.entity), let target = place(second.entity) else { return nil }
      return KeylessEdges(
        source: source,
        target: target,
        shape: ObjectDigest.Shape(entity: first.name, properties: []),
        sql: PositionedPairs(table: table, first: first).sql
      )
    }
  }
}
