/// How the values of a column are stored.
@usableFromInline
enum StorageRule: UInt8 {
  case blob
  case text
  case numeric
  case integer
  case real
  /// An INTEGER PRIMARY KEY: NULL in the record, its value being the rowid.
  case rowid
  /// One value more than the table has columns.
  case excess

  init(_ affinity: Affinity) {
    switch affinity {
    case .blob: self = .blob
    case .text: self = .text
    case .numeric: self = .numeric
    case .integer: self = .integer
    case .real: self = .real
    }
  }
}
