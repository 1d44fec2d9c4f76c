import DataModel

/// Makes both sides of new one-to-one relationships agree after a copy has inserted all rows.
///
/// If several objects share a target, the last one keeps it, as if an object context had set the
/// relationships one by one.
struct OneToOneRepair {
  let mapping: MappingModel
  let destination: StoreLayout

  var statements: [String] { mapping.newOneToOnes.flatMap(statements) }

  private func statements(for new: MappingModel.NewOneToOne) -> [String] {
    let target = new.relationship.destination
    guard let own = destination.table(of: new.entity)?.name.quotedName,
      let other = destination.table(of: target)?.name.quotedName,
      case .foreignKey(let key, let number, _)? =
        destination.storage(of: new.relationship.name, in: new.entity),
      case .foreignKey(let back, let backNumber, _)? =
        destination.storage(of: new.inverse.name, in: target)
    else { return [] }
    let column = key.quotedName
    let empty = ([key] + [number].compactMap(\.self)).map { "\($0.quotedName) = NULL" }
    let owner = "FROM \(own) AS o WHERE o.\(column) = \(other).Z_PK"
    let sets =
      ["\(back.quotedName) = (SELECT o.Z_PK \(owner))"]
      + [backNumber].compactMap(\.self).map { "\($0.quotedName) = (SELECT o.Z_ENT \(owner))" }
    return [
      "UPDATE \(own) SET \(empty.joined(separator: ", ")) WHERE \(column) IS NOT NULL AND EXISTS "
        + "(SELECT 1 FROM \(own) AS o WHERE o.\(column) = \(own).\(column) "
        + "AND o.Z_PK > \(own).Z_PK)",
      "UPDATE \(other) SET \(sets.joined(separator: ", ")) WHERE Z_PK IN "
        + "(SELECT \(column) FROM \(own) WHERE \(column) IS NOT NULL)",
    ]
  }
}
