/// The type that a column prefers, by which SQLite decides how a value is stored.
package enum Affinity: UInt8, Hashable, Sendable {
  case blob
  case text
  case numeric
  case integer
  case real

  /// The affinity of a declared type (https://www.sqlite.org/datatype3.html, section 3.1).
  package init(declaredType: String) {
    let type = declaredType.uppercased()
    if type.contains("INT") {
      self = .integer
    } else if ["CHAR", "CLOB", "TEXT"].contains(where: type.contains) {
      self = .text
    } else if type.isEmpty || type.contains("BLOB") {
      self = .blob
    } else if ["REAL", "FLOA", "DOUB"].contains(where: type.contains) {
      self = .real
    } else {
      self = .numeric
    }
  }
}
