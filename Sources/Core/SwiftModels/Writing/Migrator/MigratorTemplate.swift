/// The parts of the generated migrator that do not depend on the migration map.
enum MigratorTemplate {
  /// The first part of the generated class `StoreMigrator`.
  ///
  /// ``MigratorWriter`` replaces `@MEMBERS@` and `@STEPS@` with code for the map, `@SCHEMA@` with
  /// the list of classes, and `@SCHEMATYPE@` with the type's name.
  static let migrator = #"""
    import CoreData
    import Foundation
    import SwiftData

    /// Copies the objects of a Core Data store into a new SwiftData store.
    ///
    /// The first pass creates the new objects in batches; the second pass sets their relationships.
    /// A journal next to the new store records each saved object, so an interrupted copy resumes
    /// where it stopped. The migrator backs up the old store first and never writes to it. It puts
    /// the new store in place only after checking the number of objects of each class.
    ///
    /// Call ``run()`` at each launch, off the main actor, before the app opens its store. Once the
    /// copy is complete, ``run()`` does nothing. If ``run()`` throws, the old store is unchanged:
    /// open it with the old code, show the error, and try again at the next launch.
    final class StoreMigrator {
      /// The reason why the store was not copied; the old store is unchanged.
      enum Failure: Error {
        /// The copy needs this many free bytes on the disk; the next launch tries again.
        case diskFull(bytes: Int64)
        /// An object has no target for a required relationship, such as `Task.owner`.
        case missing(String)
        /// The number of objects of an entity or class is wrong.
        case count(String, expected: Int, found: Int)
      }

      /// The result of a copy.
      struct Report {
        /// The number of objects in the old store.
        var oldObjects = 0
        /// The number of objects in the new store, by class.
        var newObjects: [String: Int] = [:]
        /// The number of objects whose missing value was replaced by a default, by property.
        var filled: [String: Int] = [:]
      }

      /// The number of objects per save.
      var batchSize = 500
      /// A closure called after each saved batch with the number of objects copied so far.
      ///
      /// Use it to show progress, or to interrupt the copy in tests.
      var afterBatch: (Int) throws -> Void = { _ in }

      private let oldStore: URL
      private let newStore: URL
      private let model: NSManagedObjectModel
      private let schema: @SCHEMATYPE@
      private let started = Date()
      private var report = Report()
      private var journal: Journal
      private var old: NSManagedObjectContext
      private var new: ModelContext

      /// Creates a migrator for an old store and its model; put the new store in another folder.
      init(
        oldStore: URL,
        model: NSManagedObjectModel,
        newStore: URL,
        schema: @SCHEMATYPE@ = @SCHEMA@
      ) throws {
        (self.oldStore, self.newStore, self.model, self.schema) = (oldStore, newStore, model, schema)
        journal = try Journal(url: newStore.appendingPathExtension("journal"))
        old = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        // Do not open a complete copy: the app may have a newer schema by then.
        let configuration =
          journal.isComplete
          ? ModelConfiguration(schema: schema, isStoredInMemoryOnly: true)
          : ModelConfiguration(
            schema: schema,
            url: newStore.appendingPathExtension("partial"),
            cloudKitDatabase: .none
          )
        new = ModelContext(try ModelContainer(for: schema, configurations: [configuration]))
        new.autosaveEnabled = false
      }

      /// Copies all objects that have not been copied yet.
      func run() throws -> Report {
        if journal.isComplete {
          try removePartial()
          return report
        }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        if !journal.hasBackup {
          try checkSpace()
          // This also copies the -wal file and the files of external storage.
          try coordinator.replacePersistentStore(
            at: newStore.appendingPathExtension("backup"),
            destinationOptions: nil,
            withPersistentStoreFrom: oldStore,
            sourceOptions: nil,
            type: .sqlite
          )
          try journal.note("backup")
        }
        _ = try coordinator.addPersistentStore(
          type: .sqlite,
          configuration: nil,
          at: oldStore,
          options: [
            NSReadOnlyPersistentStoreOption: true, NSPersistentHistoryTrackingKey: true,
            NSMigratePersistentStoresAutomaticallyOption: false,
          ]
        )
        old.persistentStoreCoordinator = coordinator
        do {
          try old.performAndWait {
    @STEPS@
            try check()
          }
        } catch {
          // If the disk is full, delete the incomplete copy and start again at the next launch.
          let code = (error as NSError).code
          guard [CocoaError.Code.fileWriteOutOfSpace.rawValue, Self.sqliteFull].contains(code) else {
            throw error
          }
          try discard()
          throw Failure.diskFull(bytes: neededBytes)
        }
        try coordinator.replacePersistentStore(
          at: newStore,
          destinationOptions: nil,
          withPersistentStoreFrom: newStore.appendingPathExtension("partial"),
          sourceOptions: nil,
          type: .sqlite
        )
        try journal.note("complete")
        return report
      }

      // MARK: Migration map

    @MEMBERS@

      // MARK: Passes

      /// Runs the first pass over an entity: creates and saves a new object for each old object.
      ///
      /// If `make` returns `nil`, the old object is skipped.
      private func copy<Object: PersistentModel>(
        _ entity: String,
        by mapping: String,
        _ make: (NSManagedObject) throws -> Object?
      ) throws {
        try removeUnknown(Object.self, of: mapping)
        let identifiers = try objects(of: entity)
        for batch in stride(from: 0, to: identifiers.count, by: batchSize) {
          try autoreleased {
            var made: [(old: String, new: Object)] = []
            for identifier in identifiers[batch..<min(batch + batchSize, identifiers.count)] {
              let object = try old.existingObject(with: identifier)
              guard journal.identifier(of: name(of: object), by: mapping) == nil,
                let copied = try make(object)
              else { continue }
              new.insert(copied)
              made.append((name(of: object), copied))
            }
            try new.save()
            try journal.add(made.map { ($0.old, $0.new.persistentModelID) }, by: mapping)
            old.reset()
            try afterBatch(journal.count)
          }
        }
      }

      /// Runs the second pass over an entity: sets the relationships of each new object.
      ///
      /// Repeating the pass has no further effect.
      private func link<Object: PersistentModel>(
        _ entity: String,
        by mapping: String,
        _ type: Object.Type,
        _ set: (NSManagedObject, Object) throws -> Void
      ) throws {
        guard !journal.isLinked(mapping) else { return }
        let identifiers = try objects(of: entity)
        for batch in stride(from: 0, to: identifiers.count, by: batchSize) {
          try autoreleased {
            for identifier in identifiers[batch..<min(batch + batchSize, identifiers.count)] {
              let object = try old.existingObject(with: identifier)
              guard let found = journal.identifier(of: name(of: object), by: mapping),
                let copied = new.model(for: found) as? Object
              else { continue }
              try set(object, copied)
            }
            try new.save()
            old.reset()
          }
        }
        try journal.note("linked \(mapping)")
      }

      /// Returns the IDs of an entity's objects, without those of its subentities.
      private func objects(of entity: String) throws -> [NSManagedObjectID] {
        let request = NSFetchRequest<NSManagedObjectID>(entityName: entity)
        request.resultType = .managedObjectIDResultType
        request.includesSubentities = false
        return try old.fetch(request)
      }

      /// Deletes new objects that were saved but not yet recorded in the journal when the app was
      /// killed.
      private func removeUnknown<Object: PersistentModel>(
        _ type: Object.Type,
        of mapping: String
      ) throws {
        guard journal.isInterrupted(mapping) else { return }
        for identifier in try new.fetchIdentifiers(FetchDescriptor<Object>())
        where !journal.knows(identifier) {
          new.delete(new.model(for: identifier))
        }
        try new.save()
      }

      private func compare<Object: PersistentModel>(
        _ type: Object.Type,
        _ name: String,
        with mappings: [String]
      ) throws {
        let expected = mappings.reduce(0) { $0 + journal.count(of: $1) }
        let found = try new.fetchCount(FetchDescriptor<Object>())
        report.newObjects[name] = found
        guard found == expected else {
          throw Failure.count(name, expected: expected, found: found)
        }
      }

      /// Checks that a mapping copied all objects of an entity.
      private func compare(_ entity: String, with mapping: String) throws {
        let expected = try objects(of: entity).count
        let found = journal.count(of: mapping)
        guard found == expected else {
          throw Failure.count(entity, expected: expected, found: found)
        }
      }

    """#

  static let reading = #"""
      // MARK: Values

      /// Returns an old object's name, such as `Task/p12`, which is the same in every run.
      private func name(of object: NSManagedObject) -> String {
        object.objectID.uriRepresentation().pathComponents.suffix(2).joined(separator: "/")
      }

      private func value<Value>(of object: NSManagedObject, _ path: String, as type: Value.Type)
        -> Value?
      {
        object.value(forKeyPath: path) as? Value
      }

      private func target<Object: PersistentModel>(
        of object: NSManagedObject,
        _ name: String,
        by mappings: [String],
        as type: Object.Type
      ) -> Object? {
        (object.value(forKey: name) as? NSManagedObject)
          .flatMap { copied(self.name(of: $0), by: mappings) }
      }

      private func targets<Object: PersistentModel>(
        of object: NSManagedObject,
        _ name: String,
        by mappings: [String],
        as type: Object.Type
      ) -> [Object] {
        let value = object.value(forKey: name)
        let objects = (value as? NSOrderedSet)?.array ?? (value as? NSSet)?.allObjects ?? []
        return objects.compactMap { object in
          (object as? NSManagedObject).flatMap { copied(self.name(of: $0), by: mappings) }
        }
      }

      /// Returns the new object that the first matching mapping created from an old object.
      private func copied<Object: PersistentModel>(_ name: String, by mappings: [String]) -> Object? {
        for mapping in mappings {
          if let found = journal.identifier(of: name, by: mapping),
            let object = new.model(for: found) as? Object
          {
            return object
          }
        }
        return nil
      }

      private func required<Value>(_ value: Value?, _ place: String) throws -> Value {
        guard let value else { throw Failure.missing(place) }
        return value
      }

      /// Returns a value or, if it is `nil`, the default; the report counts the defaults.
      private func filled<Value>(_ value: Value?, _ place: String, with empty: Value) -> Value {
        if let value { return value }
        report.filled[place, default: 0] += 1
        return empty
      }

      private func joined(_ texts: [String?], with separator: String) -> String? {
        let texts = texts.compactMap { $0 }
        return texts.isEmpty ? nil : texts.joined(separator: separator)
      }

      private func first<Value>(_ values: [Value?]) -> Value? {
        values.lazy.compactMap { $0 }.first
      }

      private func replaced<Value: Equatable, Other>(
        _ value: Value?,
        _ pairs: [(Value?, Other?)],
        otherwise: @autoclosure () -> Other?
      ) -> Other? {
        pairs.first { $0.0 == value }.map { $0.1 } ?? otherwise()
      }

      /// Whether an optional value is in a list of optional values.
      private func holds<Value: Equatable>(_ value: Value?, _ values: [Value?]) -> Bool {
        values.contains { $0 == value }
      }

      /// Returns a UUID computed from an object's name, so every run gives an object the same UUID.
      private func identifier(of object: NSManagedObject) -> UUID? {
        var state: (UInt64, UInt64) = (0xcbf2_9ce4_8422_2325, 0x9e37_79b9_7f4a_7c15)
        for byte in name(of: object).utf8 {
          state.0 = (state.0 ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
          state.1 = (state.1 &+ UInt64(byte)) &* 0xbf58_476d_1ce4_e5b9
          state.1 ^= state.1 >> 29
        }
        var bytes = [UInt8](repeating: 0, count: 16)
        for place in 0..<8 {
          bytes[place] = UInt8(truncatingIfNeeded: state.0 >> (8 * UInt64(place)))
          bytes[place + 8] = UInt8(truncatingIfNeeded: state.1 >> (8 * UInt64(place)))
        }
        // Mark the UUID as version 8 of RFC 9562, which leaves its contents to the application.
        bytes[6] = bytes[6] & 0x0f | 0x80
        bytes[8] = bytes[8] & 0x3f | 0x80
        return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
      }

      // MARK: Files

      /// SQLite's error code for a full disk, `SQLITE_FULL`.
      private static let sqliteFull = 13

      /// The space that the backup, the copy and its journal need, in bytes (an estimate).
      private var neededBytes: Int64 {
        let files = [oldStore.path, oldStore.path + "-wal"]
        let bytes = files.reduce(Int64(0)) { sum, path in
          let attributes = try? FileManager.default.attributesOfItem(atPath: path)
          return sum + ((attributes?[.size] as? NSNumber)?.int64Value ?? 0)
        }
        return bytes * 3
      }

      private func checkSpace() throws {
        let folder = newStore.deletingLastPathComponent().path
        let attributes = try FileManager.default.attributesOfFileSystem(forPath: folder)
        let free = (attributes[.systemFreeSize] as? NSNumber)?.int64Value ?? .max
        guard free >= neededBytes else { throw Failure.diskFull(bytes: neededBytes) }
      }

      /// Deletes the incomplete copy, but keeps the backup.
      private func discard() throws {
        try removePartial()
        try journal.forgetCopies()
      }

      private func removePartial() throws {
        let partial = newStore.appendingPathExtension("partial")
        guard FileManager.default.fileExists(atPath: partial.path) else { return }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.destroyPersistentStore(at: partial, type: .sqlite, options: nil)
        for suffix in ["", "-wal", "-shm"] {
          try? FileManager.default.removeItem(atPath: partial.path + suffix)
        }
      }

      private func autoreleased(_ body: () throws -> Void) rethrows {
        #if canImport(ObjectiveC)
          try autoreleasepool { try body() }
        #else
          try body()
        #endif
      }
    }

    """#

  static let journal = #"""
    import Foundation
    import SwiftData

    /// A file that records the progress of a copy, with one line per new object.
    ///
    /// The lines are written and synced after their objects have been saved.
    struct Journal {
      private struct Key: Hashable {
        let object: String
        let mapping: String
      }

      private let url: URL
      private var copies: [Key: PersistentIdentifier] = [:]
      private var known: Set<PersistentIdentifier> = []
      private var counts: [String: Int] = [:]
      private var notes: Set<String> = []
      /// Whether an earlier launch began the journal.
      private let isResumed: Bool

      /// Reads an existing journal, and drops an incomplete last line.
      init(url: URL) throws {
        self.url = url
        guard let data = try? Data(contentsOf: url) else {
          isResumed = false
          return
        }
        isResumed = true
        let text = String(decoding: data, as: UTF8.self)
        let whole = text.lastIndex(of: "\n").map { text[...$0] } ?? ""
        for line in whole.split(separator: "\n") { read(String(line)) }
        try Data(whole.utf8).write(to: url, options: .atomic)
      }

      private mutating func read(_ line: String) {
        let parts = line.split(separator: "\t").map(String.init)
        guard parts.count == 3 else {
          notes.insert(line)
          return
        }
        guard let data = Data(base64Encoded: parts[2]),
          let identifier = try? JSONDecoder().decode(PersistentIdentifier.self, from: data)
        else { return }
        take(parts[1], identifier, by: parts[0])
      }

      private mutating func take(_ object: String, _ copy: PersistentIdentifier, by mapping: String) {
        copies[Key(object: object, mapping: mapping)] = copy
        known.insert(copy)
        counts[mapping, default: 0] += 1
      }

      var count: Int { copies.count }
      var hasBackup: Bool { notes.contains("backup") }
      var isComplete: Bool { notes.contains("complete") }
      func isLinked(_ mapping: String) -> Bool { notes.contains("linked \(mapping)") }
      func isInterrupted(_ mapping: String) -> Bool { isResumed && !isLinked(mapping) }
      func knows(_ copy: PersistentIdentifier) -> Bool { known.contains(copy) }
      func count(of mapping: String) -> Int { counts[mapping] ?? 0 }

      /// Returns the ID of the new object that a mapping created from an old object.
      func identifier(of object: String, by mapping: String) -> PersistentIdentifier? {
        copies[Key(object: object, mapping: mapping)]
      }

      mutating func add(_ made: [(String, PersistentIdentifier)], by mapping: String) throws {
        var lines = ""
        for (object, copy) in made {
          let data = try JSONEncoder().encode(copy).base64EncodedString()
          lines += "\(mapping)\t\(object)\t\(data)\n"
          take(object, copy, by: mapping)
        }
        try write(lines)
      }

      mutating func note(_ text: String) throws {
        notes.insert(text)
        try write(text + "\n")
      }

      /// Removes all entries from the journal, except the note that a backup exists.
      mutating func forgetCopies() throws {
        (copies, known, counts) = ([:], [], [:])
        notes.formIntersection(["backup"])
        try Data(notes.map { $0 + "\n" }.joined().utf8).write(to: url, options: .atomic)
      }

      private func write(_ text: String) throws {
        if !FileManager.default.fileExists(atPath: url.path) { try Data().write(to: url) }
        let file = try FileHandle(forWritingTo: url)
        try file.seekToEnd()
        try file.write(contentsOf: Data(text.utf8))
        try file.synchronize()
        try file.close()
      }
    }

    """#
}
