import Basics
import DataModel

/// A bitmap of the properties that an update changed, in the format of ZCOLUMNS
/// (coredata-format.md, section 11).
///
/// The first property is the highest bit of the first byte. To-one relationships come first, then
/// attributes, then to-many relationships, each sorted by the bytes of their names.
package struct ChangeBitmap {
  private let count: Int
  private var positions: [Int: Int] = [:]
  private var toManyPositions: [String: Int] = [:]

  /// Creates a bitmap for the columns of an entity and its super-entities, in the table's order.
  package init(columns: [Column], toManys: [String]) {
    func places(_ isWanted: (Column.Content) -> Bool) -> [Int] {
      columns.indices.filter { isWanted(columns[$0].content) }
        .sorted { columns[$0].property.utf8.lexicographicallyPrecedes(columns[$1].property.utf8) }
    }
    var position = 0
    for place in places({ if case .foreignKey = $0 { true } else { false } }) {
      positions[place] = position
      position += 1
      // A to-one relationship whose destination has sub-entities takes two positions.
      let other = columns.firstIndex {
        guard case .foreignEntity = $0.content else { return false }
        return $0.property == columns[place].property && $0.entity == columns[place].entity
      }
      guard let other else { continue }
      positions[other] = position
      position += 1
    }
    for place in places({ if case .attribute = $0 { true } else { false } }) {
      positions[place] = position
      position += 1
    }
    for name in toManys.sorted(byBytesOf: \.self) {
      toManyPositions[name] = position
      position += 1
    }
    count = position
  }

  /// Returns the bitmap for an update of columns (by index) and to-many relationships (by name).
  package func bytes(_ changed: [Int], toManys: [String] = []) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: (count + 7) / 8)
    let found = changed.compactMap { positions[$0] } + toManys.compactMap { toManyPositions[$0] }
    for position in found { bytes[position / 8] |= 0x80 >> UInt8(position % 8) }
    return bytes
  }
}
