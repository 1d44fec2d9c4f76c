import Basics
import DataModel
import Foundation
import PersistentStore
import Runner
import SQLite

/// The share extension's process: it adds objects while the app saves, and changes some of the
/// app's objects.
struct CoexistenceExtension {
  let session: CoexistenceSession
  let recorder: Recorder

  func run() throws {
    let parameters = session.parameters
    recorder.observe(session.store.connection)
    let context = try session.context()
    let log = SaveLog(folder: session.folder, of: .shareExtension)
    let editor = try CoexistenceEditor(session: session, context: context)
    try Data().write(to: URL(fileURLWithPath: session.ready(.shareExtension)))
    // Wait for the app's first save, because the user shares while the app is in use.
    let app = SaveLog(folder: session.folder, of: .writer)
    guard try OtherProcess.wait(seconds: 20, until: { try !app.times().isEmpty }) else {
      throw OtherProcess.notReady
    }
    for save in 0..<parameters.added {
      let own = SaveScript.Save.shareExtension(save)
      let keys = session.script.sharedKeys(of: save)
      try editor.save(own, keys, recorder) {
        _ = try editor.insert(own)
        return {}
      }
      try log.append(save)
      usleep(UInt32(parameters.interval) * 1_000)
    }
    recorder.record(.coexistence.extensionWaits, Double(session.waits))
    recorder.record(.coexistence.extensionConflicts, Double(editor.conflicts))
  }
}

/// Edits and saves objects that another process may edit at the same time.
final class CoexistenceEditor {
  private let session: CoexistenceSession
  private let context: ObjectContext
  let description: EntityDescription
  /// The number of saves that conflicted with another process's change and were repeated.
  private(set) var conflicts = 0

  private static let mostAttempts = 100

  init(session: CoexistenceSession, context: ObjectContext) throws {
    self.session = session
    self.context = context
    description = try context.description(of: session.script.shape.entity)
  }

  /// Changes the objects with the given keys for a save, runs `body`, and saves.
  ///
  /// If another process has changed one of the objects since it was read, the save starts over. The
  /// closure that `body` returns runs after the save succeeds.
  ///
  /// - Throws: ``Refusal`` after 100 conflicts, and any error of a save other than a conflict.
  func save(
    _ save: SaveScript.Save,
    _ keys: [Int64],
    _ recorder: Recorder,
    also body: () throws -> (() -> Void)
  ) throws {
    for attempt in 0..<Self.mostAttempts {
      let objects = try objects(keys)
      // Pause before the first attempt, because a user reads the objects before changing them; an
      // app repeats a failed save at once.
      if session.parameters.added > 0, attempt == 0 { usleep(1_000) }
      try set(save, objects)
      let didSave = try body()
      do {
        try recorder.phase(.phases.save) { try context.save() }
        return didSave()
      } catch ObjectContextError.conflict {
        conflicts += 1
        context.reset()
      }
    }
    throw Refusal(
      .caseFailed,
      "the save '\(save)' met another process's changes again and again: change fewer 'shared' objects"
    )
  }

  private func objects(_ keys: [Int64]) throws -> [ManagedObject] {
    let unique = Set(keys).sorted()
    return unique.isEmpty ? [] : try context.load(session.script.shape.entity, unique)
  }

  private func set(_ save: SaveScript.Save, _ objects: [ManagedObject]) throws {
    let shape = session.script.shape
    for object in objects {
      try object.setValue(session.script.text(of: save), of: shape.textAttribute)
      try object.setValue(session.script.date(of: save), of: shape.dateAttribute)
    }
  }

  func insert(_ save: SaveScript.Save) throws -> ManagedObject {
    let object = try context.insert(session.script.shape.entity)
    for (name, value) in session.script.values(of: save, in: context.layout.model) {
      try object.setValue(value, of: name)
    }
    return object
  }
}

/// The extension's changes to a store.
///
/// They are read with plain SQL, because the order of the processes' saves is not known in advance.
struct SharedObjects {
  /// The extension's last save that changed each of the app's objects, by the object's key.
  private(set) var last: [Int64: SaveScript.Save] = [:]
  /// The keys of the objects that the extension added, by save number.
  private(set) var added: [Int: Int64] = [:]

  init(_ session: CoexistenceSession, store: StoreFile) throws {
    let (script, parameters) = (session.script, session.parameters)
    guard parameters.added > 0 else { return }
    var possible: [Int64: Set<Int>] = [:]
    for save in 0..<parameters.added {
      for key in script.sharedKeys(of: save) { possible[key, default: []].insert(save) }
    }
    let known = Set(script.keys)
    let rows = try store.plainConnection().prepare(
      "SELECT Z_PK, \(script.shape.text) FROM \(script.shape.table.name)"
    )
    var doubled = 0
    while try rows.step() {
      let key = rows.integer(at: 0)
      guard let number = Int(rows.text(at: 1).drop { $0 != " " }.dropFirst()),
        script.text(of: .shareExtension(number)) == .text(rows.text(at: 1))
      else { continue }
      if known.contains(key) {
        // If the extension saved an object several times, only the values of its last save can
        // remain in the store.
        if possible[key]?.max() == number { last[key] = .shareExtension(number) }
      } else if added.updateValue(key, forKey: number) != nil {
        doubled += 1
      }
    }
    let missing = (0..<parameters.added).count { added[$0] == nil }
    guard missing == 0, doubled == 0 else {
      throw VerificationFailure([
        "of \(parameters.added) objects that the extension added \(missing) are missing and "
          + "\(doubled) are there twice"
      ])
    }
  }
}
