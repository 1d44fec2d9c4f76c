import Basics
import DataModel
import SQLite

/// Iterates over the objects of a table in key order.
package final class ContentCursor {
  let shapes: [ContentShape]
  private let row: Statement
  private let readers: [RowReader]
  private let places: [Int64: Int]

  init(
    _ content: StoreContent,
    table: EntityTable,
    properties: Set<String>? = nil,
    condition: String? = nil
  ) throws {
    let entities = try table.entities.map { try content.shape(of: $0) }
    let shapes = (entities + [ContentShape(strayRowsOf: table)]).map { shape in
      properties.map { shape.filtered(to: $0) } ?? shape
    }
    let used = Set(shapes.flatMap(\.columns))
    let columns = table.columns.map(\.name).filter(used.contains)
    let list = (["Z_PK", "Z_ENT", "Z_OPT"] + columns).map(\.quotedColumn).joined(separator: ", ")
    // Read without indexes, because an index may disagree with its table.
    row = try content.connection.prepare(
      "SELECT \(list) FROM \(table.name.quotedName) AS t NOT INDEXED"
        + (condition.map { " WHERE \($0)" } ?? "") + " ORDER BY t.Z_PK"
    )
    var positions = Dictionary(
      keepingFirst: columns.enumerated().map { ($1, $0 + RowReader.systemColumns) }
    )
    positions["Z_ENT"] = 1
    self.shapes = shapes
    readers = shapes.map { RowReader(shape: $0, columns: positions, content: content) }
    places = Dictionary(
      keepingFirst: table.entities.enumerated().map { (Int64(content.layout.numbers[$1] ?? 0), $0) }
    )
  }

  /// Returns the next object, or `nil` after the last.
  package func next() throws -> ContentObject? {
    try row.step() ? readers[place].object(row) : nil
  }

  /// Restarts a cursor whose condition is `t.Z_PK = ?1` at another key.
  func start(at key: Int64) {
    row.reset()
    row.bind(key, at: 1)
  }

  /// Whether two cursors at their start have the same rows, none of which refers to a file.
  ///
  /// Such rows are equal objects, which need not be read. Otherwise the cursors must not be used
  /// any more.
  func hasSameRows(as other: ContentCursor) throws -> Bool {
    while try row.step() {
      guard try other.row.step(), row.hasSameRow(as: other.row), !readers[place].readsFile(row)
      else { return false }
    }
    return try !other.row.step()
  }

  func withNext(_ body: (Int, RowReader, Statement) -> Void) throws -> Bool {
    guard try row.step() else { return false }
    let place = place
    body(place, readers[place], row)
    return true
  }

  func nextDigest(_ shape: ObjectDigest.Shape) throws -> UInt64? {
    guard try row.step() else { return nil }
    var digest = ObjectDigest(shape, key: row.integer(at: 0))
    readers[place].add(row, to: &digest) { _ in false }
    return digest.value
  }

  private var place: Int {
    let stray = shapes.count - 1
    guard row.storageClass(at: 1) == .integer else { return stray }
    return places[row.integer(at: 1)] ?? stray
  }
}

/// An object as it is stored.
package struct ContentObject: Sendable {
  package internal(set) var shape: ContentShape
  /// The primary key, Z_PK.
  package var key: Int64
  /// The optimistic-lock counter, Z_OPT.
  package var version: ContentValue
  /// The values, in the order of ``ContentShape/properties``.
  package internal(set) var values: [ContentValue]

  static func precedes(_ one: ContentObject, _ other: ContentObject) -> Bool {
    one.key < other.key
  }

  package var entity: String { shape.entity }
  package var reference: ContentReference { ContentReference(entity: shape.entity, key: key) }

  /// The value of a property, if the entity has it.
  package subscript(property: String) -> ContentValue? {
    shape.index(of: property).map { values[$0] }
  }

  /// Sets a property's value.
  package mutating func set(_ property: String, _ value: ContentValue) throws {
    guard let index = shape.index(of: property) else {
      throw Refusal.unknownProperty(property, entity: entity)
    }
    values[index] = value
  }
}

extension ContentCursor {
  struct RowReader {
    /// The number of columns that every row starts with: Z_PK, Z_ENT, Z_OPT.
    static let systemColumns = 3

    private struct Slot {
      let property: ContentShape.Property
      let column: Int
      let entityColumn: Int?
    }

    let shape: ContentShape
    private let slots: [Slot]
    /// The slots whose values may be in files.
    private let fileSlots: [Slot]
    private let blobs: BlobContent
    private let filesFolder: String
    private let numbers: EntityNumbers

    init(shape: ContentShape, columns: [String: Int], content: StoreContent) {
      self.shape = shape
      blobs = content.blobs
      filesFolder = content.store.filesFolder
      numbers = content.layout.numbers
      slots = shape.properties.compactMap { property in
        guard let column = columns[property.column] else { return nil }
        var entityColumn: Int?
        if case .toOne(_, let name?) = property.kind { entityColumn = columns[name] }
        return Slot(property: property, column: column, entityColumn: entityColumn)
      }
      fileSlots = slots.filter {
        $0.property.kind == .externalAttribute || $0.property.kind == .pathAttribute
      }
    }

    func object(_ row: Statement) -> ContentObject {
      ContentObject(
        shape: shape,
        key: row.integer(at: 0),
        version: ContentValue(row, at: 2),
        values: slots.map { value(of: $0, row) }
      )
    }

    func readsFile(_ row: Statement) -> Bool {
      fileSlots.contains { slot in
        row.withBytes(at: slot.column) { bytes in
          !bytes.isEmpty
            && (slot.property.kind == .pathAttribute || BlobContent.reference(bytes) != .inline)
        }
      }
    }

    func add(
      _ row: Statement,
      to digest: inout ObjectDigest,
      except isExcluded: (ContentShape.Property) -> Bool
    ) {
      for slot in slots where !isExcluded(slot.property) {
        guard slot.property.kind == .attribute else {
          digest.add(value(of: slot, row))
          continue
        }
        switch row.storageClass(at: slot.column) {
        case .null: digest.addNull()
        case .integer: digest.add(row.integer(at: slot.column))
        case .real: digest.add(row.real(at: slot.column))
        case .text: row.withBytes(at: slot.column) { digest.add(text: $0) }
        case .blob: row.withBytes(at: slot.column) { digest.add(blob: $0) }
        }
      }
    }

    private func value(of slot: Slot, _ row: Statement) -> ContentValue {
      let storage = row.storageClass(at: slot.column)
      switch slot.property.kind {
      case .externalAttribute where storage == .blob:
        return row.withBytes(at: slot.column) { blobs.value($0) }
      case .pathAttribute where storage == .text:
        return BlobContent.value(ofFile: row.text(at: slot.column), in: filesFolder)
      case .toOne(let destination, _) where storage == .integer:
        return .object(
          ContentReference(
            entity: slot.entityColumn.map { entity(row, at: $0) } ?? destination,
            key: row.integer(at: slot.column)
          )
        )
      case .inverselessSource(let source) where storage == .integer:
        return .object(ContentReference(entity: source, key: row.integer(at: slot.column)))
      default: return ContentValue(row, at: slot.column)
      }
    }

    private func entity(_ row: Statement, at column: Int) -> String {
      guard row.storageClass(at: column) == .integer else { return "entity NULL" }
      let number = row.integer(at: column)
      return Int(exactly: number).flatMap { numbers.entity($0)?.name } ?? "entity \(number)"
    }
  }
}
