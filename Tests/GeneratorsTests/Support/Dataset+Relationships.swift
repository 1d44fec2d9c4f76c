@testable import Generators

extension Dataset {
  /// One object, by its concrete entity and its row there.
  struct ObjectRow: Hashable {
    let entity: String
    let row: Int

    init?(_ tableRow: Int, of relationship: RelationshipSource) {
      guard let member = relationship.member(of: tableRow) else { return nil }
      (entity, row) = (member.entity, tableRow - member.span.offset)
    }
  }

  /// The object that a to-one leads to; `nil` also where it leads to one that does not exist.
  func target(entity: String, row: Int, relationship: String) throws -> ObjectRow? {
    let source = try self.entity(entity)
    guard let relation = source.relationships[relationship],
      source.changes[relationship]?.contains(row) != true
    else { return nil }
    return relation.target(of: source.span.offset + row).flatMap { ObjectRow($0, of: relation) }
  }

  /// The objects that a to-many leads to: ordered ones in their order, others in a fixed one.
  func targets(entity: String, row: Int, relationship: String) throws -> [ObjectRow] {
    let source = try self.entity(entity)
    guard let relation = source.relationships[relationship] else { return [] }
    return relation.targets(of: source.span.offset + row).compactMap { ObjectRow($0, of: relation) }
  }
}
