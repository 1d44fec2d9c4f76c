import Basics
import DataModel
import PersistentStore

/// The bitmaps by which history says that one to-one of an object has changed: the first property
/// is the highest bit; to-ones, attributes, to-manys, each by name (coredata-format.md, 11).
struct ChangedColumns {
  private let layout: StoreLayout

  init(_ layout: StoreLayout) {
    self.layout = layout
  }

  /// The bitmap for a change of a to-one's column, by the row's entity, as SQL.
  func expression(of column: String, in table: String) -> String {
    let entities = layout.tables.first { $0.name == table }?.entities ?? []
    let cases = entities.compactMap { name -> String? in
      guard let number = layout.numbers[name], let bitmap = bitmap(of: column, in: name) else {
        return nil
      }
      let digits = bitmap.hexadecimal
      return " WHEN \(number) THEN x'\(digits)'"
    }
    return cases.isEmpty ? "NULL" : "CASE Z_ENT\(cases.joined()) END"
  }

  private func bitmap(of column: String, in name: String) -> [UInt8]? {
    guard let entity = layout.model.entity(named: name) else { return nil }
    let lineage = layout.model.lineage(of: entity)
    let relationships = lineage.flatMap { declaring in
      declaring.relationships.filter { !$0.isTransient }.map { (declaring.name, $0) }
    }.sorted { $0.1.name.utf8.lexicographicallyPrecedes($1.1.name.utf8) }
    var changed: [Int] = []
    var count = 0
    for (declaring, relationship) in relationships where !relationship.isToMany {
      guard
        case .foreignKey(let key, let entityColumn, _)? =
          layout.storage(of: relationship.name, in: declaring)
      else { continue }
      // A to-one whose target's entity has sub-entities takes two positions.
      let width = entityColumn == nil ? 1 : 2
      if key == column { changed += (count..<count + width) }
      count += width
    }
    guard !changed.isEmpty else { return nil }
    let attributes = lineage.flatMap(\.attributes).filter { !$0.isTransient }
    count += attributes.count + relationships.filter { $0.1.isToMany }.count
    var bytes = [UInt8](repeating: 0, count: (count + 7) / 8)
    for position in changed { bytes[position / 8] |= 0x80 >> UInt8(position % 8) }
    return bytes
  }
}
