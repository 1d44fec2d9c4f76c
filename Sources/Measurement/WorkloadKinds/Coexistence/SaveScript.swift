import DataModel
import PersistentStore
import SQLite

/// What the writer does, save by save: decided by numbers alone, so that it can be told afterwards.
struct SaveScript {
  /// 2026-04-01 09:00 UTC.
  static let start: Int64 = 796_726_800

  let shape: ReplicaShape
  let parameters: CoexistenceParameters
  /// The keys of the objects that are there, ascending.
  let keys: [Int64]

  init(shape: ReplicaShape, parameters: CoexistenceParameters, connection: Connection) throws {
    self.shape = shape
    self.parameters = parameters
    let rows = try connection.prepare("SELECT Z_PK FROM \(shape.table.name) ORDER BY Z_PK")
    var keys: [Int64] = []
    while try rows.step() { keys.append(rows.integer(at: 0)) }
    guard !keys.isEmpty else { throw CoexistenceError.nothingToChange(entity: shape.entity) }
    self.keys = keys
  }

  /// The keys that a save updates, in the order of the updates.
  func updates(of save: Int) -> [Int64] {
    (0..<parameters.objects).map { keys[(save * parameters.objects + $0) * 7919 % keys.count] }
  }

  func inserts(_ save: Int) -> Bool { save % CoexistenceParameters.savesPerRound == 3 }
  func deletes(_ save: Int) -> Bool { save % CoexistenceParameters.savesPerRound == 4 }

  func text(of save: Int) -> Value { .text("save \(save)") }
  func date(of save: Int) -> Value { .integer(Self.start + Int64(save)) }
}

/// Why a case of two processes cannot be run.
enum CoexistenceError: Error, Equatable, CustomStringConvertible {
  case nothingToChange(entity: String)
  case noHistory(path: String)
  case readerNotReady
  case readerFailed(String)

  var description: String {
    switch self {
    case .nothingToChange(let entity): "'\(entity)' has no objects to change; name another entity"
    case .noHistory(let path):
      "'\(path)' keeps no history to find changes by; use a store of the flavour swiftData, or "
        + "another 'detection'"
    case .readerNotReady: "the other process did not begin to read within 20 seconds"
    case .readerFailed(let reason): "the other process failed: \(reason)"
    }
  }
}
