/// What an object context refuses to do.
package enum ObjectContextError: Error, Equatable, CustomStringConvertible {
  case unknownEntity(String)
  case unknownProperty(entity: String, property: String)
  /// The row of an object that was to be loaded is gone.
  case missingObject(entity: String, key: Int64)
  /// What led to the object names another entity than its row does.
  case otherEntity(entity: String, key: Int64, row: String)
  /// The row was changed or deleted since it was read (optimistic locking by Z_OPT).
  case conflict(entity: String, key: Int64)
  /// A delete rule forbids the deletion while the relationship leads somewhere.
  case deletionDenied(entity: String, key: Int64, relationship: String)
  case missingValue(entity: String, key: Int64, attribute: String)
  case uniqueConstraint(String)
  case abstractEntity(String)
  case unreadableExternalData(path: String)
  case keyReservation(entity: String)

  package var description: String {
    switch self {
    case .unknownEntity(let name): "the model has no entity '\(name)'"
    case .unknownProperty(let entity, let property):
      "entity '\(entity)' has no property '\(property)'"
    case .missingObject(let entity, let key): "\(entity) \(key) is no longer in the store"
    case .otherEntity(let entity, let key, let row):
      "\(entity) \(key) is of the entity '\(row)' in its row, but not in what led to it; "
        + "the store is damaged: look at it with 'storebench inspect'"
    case .conflict(let entity, let key):
      "\(entity) \(key) was changed or deleted since it was read; read it again and repeat"
    case .deletionDenied(let entity, let key, let relationship):
      "\(entity) \(key) cannot be deleted: the delete rule of '\(relationship)' is deny"
    case .missingValue(let entity, let key, let attribute):
      "\(entity) \(key) cannot be saved: '\(attribute)' is required and has no value"
    case .uniqueConstraint(let message): "unique constraint violated: \(message)"
    case .abstractEntity(let name): "entity '\(name)' is abstract and has no objects of its own"
    case .unreadableExternalData(let path): "external data file '\(path)' cannot be read"
    case .keyReservation(let entity):
      "primary keys of '\(entity)' were reserved by another connection meanwhile; save again"
    }
  }
}
