import DataModel

/// Where the rows and columns of a migrated table come from.
struct TableMapping {
  let destination: EntityTable
  /// `nil` for a new table.
  let source: EntityTable?
  /// The former numbers of the entities whose rows move into the table.
  let numbers: [Int]
  /// Whether every row of the source moves here.
  let takesAllRows: Bool
  /// The new Z_ENT.
  let entityNumber: RowValue
  /// One for each column of the destination, in its order.
  let columns: [(column: Column, value: RowValue)]

  /// The statement that fills the table from its source under another name.
  func copy(from name: String) -> String {
    let names = columns.map { ", \($0.column.name)" }.joined()
    let values = columns.map { ", \($0.value.sql)" }.joined()
    let condition =
      takesAllRows
      ? "" : " WHERE Z_ENT IN (\(numbers.map(String.init).joined(separator: ", ")))"
    return "INSERT INTO \(destination.name) (Z_PK, Z_ENT, Z_OPT\(names))"
      + " SELECT Z_PK, \(entityNumber.sql), Z_OPT\(values) FROM \(name)\(condition)"
  }

  /// Whether adding and renaming columns is enough: none goes, and no name is needed twice.
  var canBeAltered: Bool {
    guard let source, takesAllRows else { return false }
    let former = source.columns.map(\.name)
    let carriers = columns.compactMap(\.value.carrier)
    guard Set(carriers).count == carriers.count, Set(carriers) == Set(former) else { return false }
    return columns.allSatisfy { column, value in
      value.carrier == column.name || !former.contains(column.name)
    }
  }

  /// The statements that bring the source, already under its new name, into the new shape.
  var alterations: [String] {
    let name = destination.name
    let added = columns.filter { $0.value.carrier == nil }.map {
      "ALTER TABLE \(name) ADD COLUMN \($0.column.name) \($0.column.type.rawValue)"
    }
    var sets = columns.filter { !$0.value.isPlain && $0.value.sql != "NULL" }.map {
      "\($0.value.carrier ?? $0.column.name) = \($0.value.sql)"
    }
    if !entityNumber.isPlain { sets.insert("Z_ENT = \(entityNumber.sql)", at: 0) }
    let update = sets.isEmpty ? [] : ["UPDATE \(name) SET \(sets.joined(separator: ", "))"]
    let renamed = columns.compactMap { column, value in
      value.carrier.flatMap {
        $0 == column.name ? nil : "ALTER TABLE \(name) RENAME COLUMN \($0) TO \(column.name)"
      }
    }
    return added + update + renamed
  }
}
