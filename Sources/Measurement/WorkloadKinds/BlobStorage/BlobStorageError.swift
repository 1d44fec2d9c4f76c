/// Why a case of blob storage cannot be made or carried out.
enum BlobStorageError: Error, Equatable, CustomStringConvertible {
  case unknownEntity(String, known: [String])
  case noEntity
  case notBinary(String, entity: String, known: [String])
  /// The row of an object that must be there is not.
  case missingObject(entity: String, key: Int64)
  /// A row leads to no file where it must.
  case noFile(entity: String, key: Int64)

  var description: String {
    switch self {
    case .unknownEntity(let name, let known):
      "the store has no entity '\(name)'" + nameHint(name, among: known)
    case .noEntity: "the store's model has no entity with objects of its own"
    case .notBinary(let name, let entity, let known):
      "entity '\(entity)' has no binary attribute '\(name)'"
        + (known.isEmpty ? ": leave it out to add one" : nameHint(name, among: known))
    case .missingObject(let entity, let key): "\(entity) \(key) is not in the store"
    case .noFile(let entity, let key): "\(entity) \(key) names no file of its blob"
    }
  }
}
