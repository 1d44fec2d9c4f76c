@testable import Generators

extension Dataset {
  /// An object, identified by its concrete entity and its row in that entity.
  struct ObjectRow: Hashable {
    let entity: String
    let row: Int

    init?(_ tableRow: Int, of relationship: RelationshipSource) {
      guard let member = relationship.member(of: tableRow) else { return nil }
      (entity, row) = (member.entity, tableRow - member.span.offset)
    }
  }

  /// The target of a to-one; `nil` if it is not set or does not exist.
  func target(entity: String, row: Int, relationship: String) throws -> ObjectRow? {
    let source = try self.entity(entity)
    guard let relation = source.relationships[relationship],
      source.changes[relationship]?.contains(row) != true
    else { return nil }
    return relation.target(of: source.span.offset + row).flatMap { ObjectRow($0, of: relation) }
  }

  /// The targets of a to-many relationship, in its own order if it has one, otherwise in a fixed
  /// order.
  func targets(entity: String, row: Int, relationship: String) throws -> [ObjectRow] {
    let source = try self.entity(entity)
    guard let relation = source.relationships[relationship] else { return [] }
    return relation.targets(of: source.span.offset + row).compactMap { ObjectRow($0, of: relation) }
  }
}
