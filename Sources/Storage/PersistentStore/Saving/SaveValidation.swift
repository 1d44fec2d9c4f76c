import DataModel

/// Checks what a save is about to write, before anything is written.
struct SaveValidation {
  let context: ObjectContext

  /// - Throws: the first ``ObjectContextError`` in the order of writing.
  func check(_ changes: SaveChanges) throws {
    for object in changes.inserted + changes.updated { try checkValues(of: object) }
    for object in changes.deleted { try checkDenials(of: object) }
  }

  private func checkValues(of object: ManagedObject) throws {
    for (slot, column) in object.description.columns.enumerated() {
      let isOptional: Bool
      switch column.content {
      case .attribute(let attribute):
        isOptional = attribute.isOptional || attribute.derivation != nil
      case .foreignKey(let relationship): isOptional = relationship.isOptional
      default: continue
      }
      if !isOptional, object.values[slot] == .null {
        throw ObjectContextError.missingValue(
          entity: object.description.name,
          key: object.key,
          attribute: column.property
        )
      }
    }
  }

  /// A relationship that denies must lead only to objects that are deleted as well.
  private func checkDenials(of object: ManagedObject) throws {
    for toOne in object.description.toOnes where toOne.relationship.deleteRule == .deny {
      if let target = try object.target(of: toOne), !target.isDeleted {
        throw denial(of: object, toOne.name)
      }
    }
    for toMany in object.description.toManys where toMany.relationship.deleteRule == .deny {
      if try context.targets(of: toMany, from: object).contains(where: { !$0.isDeleted }) {
        throw denial(of: object, toMany.name)
      }
    }
  }

  private func denial(of object: ManagedObject, _ relationship: String) -> ObjectContextError {
    .deletionDenied(
      entity: object.description.name,
      key: object.key,
      relationship: relationship
    )
  }
}
