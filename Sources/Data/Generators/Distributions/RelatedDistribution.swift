/// Another distribution, with more for each object that a to-many of the row's object leads to.
struct RelatedDistribution: Distribution {
  /// A to-many and how much each of its objects adds.
  struct Addend: Sendable {
    let relationship: RelationshipSource
    let each: Double
  }

  let base: any Distribution
  let addends: [Addend]
  /// The place of the entity's first row in its table.
  let offset: Int

  func value(row: Int, draws: inout Draws) -> Double {
    addends.reduce(base.value(row: row, draws: &draws)) { sum, addend in
      sum + addend.each * Double(addend.relationship.count(of: offset + row))
    }
  }
}
