import SQLite

/// The digest of a store's content whose objects are told apart by their keys.
struct KeyedDigest {
  private let content: StoreContent
  private let options: DigestOptions
  private var parts: [String: ListDigest] = [:]

  init(content: StoreContent, options: DigestOptions) {
    self.content = content
    self.options = options
  }

  consuming func digest() throws -> ContentDigest {
    for table in content.layout.tables {
      try addObjects(of: table)
      if options.order == .positions { try addPositions(of: table) }
    }
    for table in content.layout.joinTables { try addPairs(of: table) }
    return ContentDigest(parts: parts)
  }

  private mutating func addObjects(of table: EntityTable) throws {
    let cursor = try content.objects(in: table)
    let leavesOrderOut = options.order == .positions
    let countsVersions = options.countsVersions
    let shapes = cursor.shapes.map { $0.digestShape(withoutOrder: leavesOrderOut) }
    var lists = [ListDigest](repeating: ListDigest(), count: shapes.count)
    while try cursor.withNext({ place, reader, row in
      var digest = ObjectDigest(shapes[place], key: row.integer(at: 0))
      reader.add(row, to: &digest) { leavesOrderOut && $0.isOrderKey }
      if countsVersions { digest.add(RowReader.plain(row, at: 2)) }
      lists[place].add(digest.value)
    }) {}
    for (shape, list) in zip(shapes, lists) { parts[shape.entity] = list }
  }

  private mutating func addPositions(of table: EntityTable) throws {
    for order in OrderedToOne.all(in: table) {
      let shape = ObjectDigest.Shape(entity: order.name, properties: [])
      var list = ListDigest()
      try order.forEachPosition(content.connection) { row in
        var digest = ObjectDigest(shape, key: row.integer(at: 0))
        digest.add(row.integer(at: 1))
        list.add(digest.value)
      }
      parts[order.name] = list
    }
  }

  private mutating func addPairs(of table: JoinTable) throws {
    let side = table.firstSide
    let shape = ObjectDigest.Shape(entity: side.name, properties: [])
    var list = ListDigest()
    try PositionedPairs(table: table, first: side, order: options.order)
      .forEach(content.connection) { row in
        var digest = ObjectDigest(shape, key: row.integer(at: 0))
        digest.add(row.integer(at: 1))
        for column in 2...3 where !row.isNull(at: column) {
          digest.add(row.integer(at: column))
        }
        list.add(digest.value)
      }
    parts[side.name] = list
  }
}

extension ContentShape {
  /// The shape under which an object's values are digested.
  func digestShape(withoutOrder: Bool) -> ObjectDigest.Shape {
    ObjectDigest.Shape(
      entity: entity,
      properties: properties.filter { !(withoutOrder && $0.isOrderKey) }.map(\.name)
    )
  }
}
