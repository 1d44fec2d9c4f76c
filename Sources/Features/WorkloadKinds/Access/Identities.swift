import DataModel
import PersistentStore

// Finds existing objects by an identifying attribute, as an import of records does.
extension ObjectContext {
  /// Fetches the objects that have one of the given values with one request, and returns them keyed
  /// by value.
  func objects(
    of entity: String,
    by attribute: String,
    among values: [Value]
  ) throws -> [Value: ManagedObject] {
    var objects: [Value: ManagedObject] = [:]
    try fetch(FetchRequest(entity, predicate: .isIn(attribute, values))).each { object in
      objects[try object.value(of: attribute)] = object
    }
    return objects
  }
}

extension RowWriting {
  func keys(in table: String, by column: String, among values: [Value]) throws -> [Value: Int64] {
    let marks = values.map { _ in "?" }.joined(separator: ", ")
    var keys: [Value: Int64] = [:]
    for row in try rows(
      "SELECT \(column), Z_PK FROM \(table) WHERE \(column) IN (\(marks))",
      values
    ) {
      keys[row[0]] = row[1].integer
    }
    return keys
  }
}
