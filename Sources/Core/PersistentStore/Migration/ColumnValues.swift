import DataModel

extension TableMappings {
  /// The SQL expression for a new column's value in the rows of a source entity, or `nil` if the
  /// entity has no matching property.
  func value(of column: Column, in member: Member) -> TableMapping.Value? {
    if case .inverselessKey(let relationship, let declaring) = column.content {
      return inverseKey(relationship, declaredBy: declaring, in: member).map { .column($0.name) }
        ?? .null
    }
    let lineage = destination.model.lineage(of: member.entity)
    guard lineage.contains(where: { $0.name == column.entity }) else { return nil }
    return switch column.content {
    case .attribute(let attribute): self.attribute(attribute, in: member)
    case .foreignKey(let relationship):
      key(of: relationship, in: member).map { .column($0.name) } ?? .null
    case .foreignEntity(let relationship): foreignEntity(relationship, in: member)
    case .orderKey(let relationship):
      key(of: relationship, in: member)?.order.map { .column($0) } ?? .null
    case .inverselessKey: nil
    }
  }

  private func attribute(_ attribute: Attribute, in member: Member) -> TableMapping.Value {
    let mapping = member.mapping.attributes.first { $0.destination.name == attribute.name }
    guard let former = mapping?.source, !former.isTransient,
      let name = source.column(of: former.name, in: member.former.name)?.name
    else { return .constant(attribute.defaultValue) }
    var value = TableMapping.Value.column(name)
    if attribute.allowsExternalStorage, !former.allowsExternalStorage {
      // If an attribute gains external storage, every value gets the prefix of inline data; no
      // value is assumed to move into a file.
      value.sql = "CAST(X'01' || \(name) AS BLOB)"
    }
    if mapping?.isMadeRequired == true {
      value.sql = "coalesce(\(value.sql), \(attribute.defaultValue.literal))"
    }
    return value
  }

  private func formerStorage(
    of relationship: Relationship,
    in member: Member
  ) -> RelationshipStorage? {
    member.mapping.relationships.first { $0.destination.name == relationship.name }?.source
      .flatMap { source.storage(of: $0.name, in: member.former.name) }
  }

  private typealias Key = (name: String, order: String?)

  /// The source columns of a to-one relationship.
  ///
  /// A relationship without columns in the old model gets those of its inverse, so that related
  /// objects and their order are kept.
  private func key(of relationship: Relationship, in member: Member) -> Key? {
    if case .foreignKey(let name, _, let order) = formerStorage(of: relationship, in: member) {
      return (name, order)
    }
    guard let inverse = destination.model.inverse(of: relationship) else { return nil }
    return inverseKey(inverse, declaredBy: relationship.destination, in: member)
  }

  private func inverseKey(
    _ relationship: Relationship,
    declaredBy entity: String,
    in member: Member
  ) -> Key? {
    guard let mapping = mapping.mapping(to: entity), let formerEntity = mapping.source,
      let former = mapping.relationships.first(where: {
        $0.destination.name == relationship.name
      })?.source,
      case .inverseForeignKey(let table, let name, let order) = source.storage(
        of: former.name,
        in: formerEntity
      ),
      table == source.table(of: member.former.name)?.name
    else { return nil }
    return (name, order)
  }

  private func foreignEntity(
    _ relationship: Relationship,
    in member: Member
  ) -> TableMapping.Value {
    guard
      case .foreignKey(let key, let entityColumn, _) = formerStorage(of: relationship, in: member)
    else { return .null }
    if let entityColumn {
      let sql = renumbered(entityColumn, of: renumberedPairs.map(\.old))
      return TableMapping.Value(carrier: entityColumn, sql: sql)
    }
    // If the old destination had no sub-entities, its entity number is not stored: all targets have
    // it.
    let former = member.mapping.relationships.first { $0.destination.name == relationship.name }?
      .source?.destination
    guard
      let number = former.flatMap(mapping.mapping(from:))
        .flatMap({ destination.numbers[$0.destination] })
    else { return .null }
    return TableMapping.Value(carrier: nil, sql: "CASE WHEN \(key) IS NOT NULL THEN \(number) END")
  }
}
