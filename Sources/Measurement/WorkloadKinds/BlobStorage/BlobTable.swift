import DataModel
import PersistentStore

/// Where a layout keeps the objects and the blobs of a case.
struct BlobTable: Sendable {
  let name: String
  let entityNumber: Int64
  /// The columns of the plain attributes, in the attributes' order.
  let columns: [String]
  let counter: String
  /// The column of the blob, its path, or the key of its row.
  let blob: String
  /// The blobs' own table; `nil` but for a separate entity.
  let separate: Separate?

  struct Separate: Sendable {
    let name: String
    let entityNumber: Int64
    let data: String
    let owner: String
  }

  init(_ model: BlobModel, layout: StoreLayout) throws {
    func column(_ attribute: String, _ entity: String) throws -> String {
      guard let column = layout.column(of: attribute, in: entity) else {
        throw ObjectContextError.unknownProperty(entity: entity, property: attribute)
      }
      return column.name
    }
    func key(_ relationship: String, _ entity: String) throws -> String {
      guard case .foreignKey(let column, _, _) = layout.storage(of: relationship, in: entity) else {
        throw ObjectContextError.unknownProperty(entity: entity, property: relationship)
      }
      return column
    }
    func table(_ entity: String) throws -> (String, Int64) {
      guard let table = layout.table(of: entity), let number = layout.numbers[entity] else {
        throw ObjectContextError.unknownEntity(entity)
      }
      return (table.name, Int64(number))
    }
    (name, entityNumber) = try table(model.entity)
    columns = try model.attributes.map { try column($0.name, model.entity) }
    counter = try column(model.counter, model.entity)
    guard model.strategy == .separateEntity else {
      blob = try column(model.blob, model.entity)
      separate = nil
      return
    }
    blob = try key(model.blob, model.entity)
    let (holder, number) = try table(model.blobEntity)
    separate = Separate(
      name: holder,
      entityNumber: number,
      data: try column(BlobModel.data, model.blobEntity),
      owner: try key(BlobModel.owner, model.blobEntity)
    )
  }
}
