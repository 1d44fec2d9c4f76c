/// A defect that a recipe puts into a share of an entity's objects.
package struct DefectRecipe: Hashable, Sendable {
  package var defect: Defect
  /// The attribute or relationship, or `Z_MAX` for the record of the entity's highest key.
  package var property: String
  /// The share of the objects, files or keys, above 0 and at most 1.
  package var share: Double

  /// The number of defects among so many objects: the share, but at least one where there is any.
  package func count(among objects: Int) -> Int {
    min(max(Int((share * Double(objects)).rounded()), 1), objects)
  }
}

extension EntityRecipe {
  /// What defects of the record of an entity's highest key are listed under.
  static let highestKey = "Z_MAX"

  /// The defects of one property.
  func defects(of property: String) -> [DefectRecipe] {
    defects.filter { $0.property == property }
  }
}
