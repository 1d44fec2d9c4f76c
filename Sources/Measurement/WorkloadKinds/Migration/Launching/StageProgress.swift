import DataModel
import PersistentStore
import SQLite

/// How far a custom stage has come, in the store's own metadata, to which an app may add
/// (`NSPersistentStoreCoordinator.setMetadata(_:for:)`), and saved with each batch.
///
/// Without it nobody can tell after a kill which values are transformed: the store has the new
/// model from the first moment of didMigrate on, or the old one to the last of willMigrate.
enum StageProgress: Hashable {
  /// Every object up to this key is transformed.
  case through(Int64)
  case complete

  private static let name = "storebenchStage"

  /// As the store has it; `nil` where no stage is under way.
  init?(_ store: PersistentStore) throws {
    let metadata = try StoreMetadata(from: store.connection, path: store.file.path)
    guard let key = metadata.others[Self.name]?.integer else { return nil }
    self = key == .max ? .complete : .through(key)
  }

  /// The entry of the metadata that says so.
  var entry: [String: PropertyList?] {
    switch self {
    case .through(let key): [Self.name: .integer(key)]
    case .complete: [Self.name: .integer(.max)]
    }
  }

  /// The entry that says that no stage is under way.
  static var noEntry: [String: PropertyList?] { [name: PropertyList?.none] }

  /// The last key that is transformed; below every key where none is.
  var key: Int64 {
    switch self {
    case .through(let key): key
    case .complete: .max
    }
  }
}
