import DataModel
import SQLite

/// Reads the values of one entity's objects out of the rows of a statement.
struct RowReader {
  /// The columns that every row starts with: Z_PK, Z_ENT, Z_OPT.
  static let systemColumns = 3

  private struct Slot {
    let property: ContentProperty
    let column: Int
    /// The column with the number of a to-one's target entity.
    let entityColumn: Int?
  }

  let shape: ContentShape
  private let slots: [Slot]
  private let blobs: BlobContent
  private let filesFolder: String
  private let numbers: EntityNumbers

  /// Takes the place of each of the table's columns in the statement.
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
  }

  func object(_ row: Statement) -> ContentObject {
    ContentObject(
      shape: shape,
      key: row.integer(at: 0),
      version: Self.plain(row, at: 2),
      values: slots.map { value(of: $0, row) }
    )
  }

  /// Adds the values in name order, those of one kind left out.
  func add(
    _ row: Statement,
    to digest: inout ObjectDigest,
    except isExcluded: (ContentProperty) -> Bool
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
    default: return Self.plain(row, at: slot.column)
    }
  }

  private func entity(_ row: Statement, at column: Int) -> String {
    guard row.storageClass(at: column) == .integer else { return "entity NULL" }
    let number = row.integer(at: column)
    return Int(exactly: number).flatMap { numbers.entity($0)?.name } ?? "entity \(number)"
  }

  /// A column's value as it lies there.
  static func plain(_ row: Statement, at column: Int) -> ContentValue {
    switch row.storageClass(at: column) {
    case .null: .null
    case .integer: .integer(row.integer(at: column))
    case .real: .real(row.real(at: column))
    case .text:
      row.withBytes(at: column) { bytes in
        String(validating: bytes, as: UTF8.self).map { .text($0) }
          ?? .invalidText(BlobFingerprint(of: bytes))
      }
    case .blob: row.withBytes(at: column) { .blob(BlobFingerprint(of: $0)) }
    }
  }
}
