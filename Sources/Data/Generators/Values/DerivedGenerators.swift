/// The number of objects that a to-many of the row leads to.
struct CountGenerator: CellGenerator {
  let relationship: RelationshipSource
  /// The place of the entity's first row in its table.
  let offset: Int

  func fill(_ cell: inout Cell, row: Int, draws: inout Draws) {
    cell.set(Int64(relationship.count(of: offset + row)))
  }
}

/// The text of another attribute in lower case and without accents.
struct CanonicalTextGenerator: CellGenerator {
  let base: AttributeSource

  func fill(_ cell: inout Cell, row: Int, draws: inout Draws) {
    base.fill(&cell, row: row)
    guard cell.kind == .text else { return cell.setNull() }
    let text = String(decoding: cell.bytes, as: UTF8.self)
    let bare = String(String.UnicodeScalarView(Accents.without(Array(text.unicodeScalars))))
    cell.setText { $0.append(contentsOf: bare.lowercased().utf8) }
  }
}
