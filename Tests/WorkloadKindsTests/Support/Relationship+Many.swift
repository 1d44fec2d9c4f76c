import DataModel

extension Relationship {
  static func many(
    _ name: String,
    _ destination: String,
    _ inverse: String,
    _ rule: DeleteRule,
    isOrdered: Bool = false
  ) -> Relationship {
    Relationship(
      name: name,
      destination: destination,
      inverse: inverse,
      isToMany: true,
      isOrdered: isOrdered,
      deleteRule: rule
    )
  }
}
