import Basics
import DataModel
import PersistentStore
import Runner
import SQLite

/// The end of a message about an unknown name: a similar name, or a list of the existing names.
func nameHint(_ name: String, among candidates: [String]) -> String {
  let guess = didYouMean(name, among: candidates)
  guard guess.isEmpty else { return guess }
  let listed = candidates.prefix(12).map { "'\($0)'" }.joined(separator: ", ")
  return candidates.isEmpty ? "" : ": it has \(listed)\(candidates.count > 12 ? ", …" : "")"
}

let onlyAbstractEntities = "the store's model has only abstract entities"

extension Refusal {
  /// The error for an entity that the model does not have, with a hint.
  static func unknownEntity(_ name: String, in model: Model) -> Refusal {
    let known = model.entities.map(\.name)
    return Refusal(.badInput, "the store has no entity '\(name)'" + nameHint(name, among: known))
  }
}

extension Connection {
  /// Checks the database's integrity.
  ///
  /// - Throws: ``VerificationFailure`` if SQLite finds damage.
  func checkIntegrity() throws {
    if let damage = try damage() { throw VerificationFailure(["the store is damaged: \(damage)"]) }
  }
}

extension Trial {
  /// Opens the given store or, by default, the trial's store.
  func open(_ file: StoreFile? = nil, mode: Connection.Mode = .readWrite) throws -> PersistentStore
  {
    let options = PersistentStore.Options(settings: settings, seed: seed)
    return try PersistentStore.open(file ?? store, mode: mode, options: options)
  }
}

extension StoreFile {
  /// A read-only connection.
  ///
  /// It writes no files next to a store that no process has open.
  ///
  /// - Throws: ``PersistentStoreError/missing(path:)``, ``SQLiteError``
  func plainConnection() throws -> Connection {
    guard exists else { throw PersistentStoreError.missing(path: path) }
    let isAtRest = walBytes == 0 && StoreFile.bytes(at: journal) == 0
    return try Connection(path: path, mode: isAtRest ? .immutable : .readOnly, settings: nil)
  }

  /// The model that the store contains.
  ///
  /// - Throws: ``PersistentStoreError`` if the file is not a store or contains no model.
  func ownModel() throws -> Model {
    try ModelCache.read(from: plainConnection(), path: path)
  }
}
