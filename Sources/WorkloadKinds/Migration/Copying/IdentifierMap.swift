import DataModel
import PersistentStore

/// The new identity of every copied object, by its table and key in the source.
struct IdentifierMap<Identity> {
  private var tables: [String: [Int64: Identity]] = [:]

  subscript(table: String, key: Int64) -> Identity? {
    get { tables[table]?[key] }
    set { tables[table, default: [:]][key] = newValue }
  }
}
