/// The parts of the generated migrator that do not depend on the migration map.
enum MigratorTemplate {
  /// The migrator's code.
  ///
  /// The map's code replaces `@MEMBERS@` and `@STEPS@`, and the classes replace `@SCHEMA@`.
  static let migrator = #"""
    import CoreData
    import Foundation
    import SwiftData

    /// Copies the objects of a Core Data store into a new SwiftData store.
    ///
    /// The first pass makes the objects in batches, the second sets their relationships. A journal next to
    /// the new store has each saved object, so that a copy that was killed goes on where it was. The old
    /// store is only read; a backup of it is made first. The new store takes its place after all counts
    /// are right.
    ///
    /// Call ``run()`` at each launch, off the main actor, before the app opens its store: it does nothing
    /// once the copy is complete. If it throws, the old store is as it was: open it with the old code, show
    /// the reason, and copy at the next launch.
    final class StoreMigrator {
      /// Why the store was not copied. The old store is as it was.
      enum Failure: Error {
        /// Free this many bytes: the next launch copies again.
        case diskFull(bytes: Int64)
        /// An object has nothing where the new model needs something.
        case missing(String)
        /// As many objects are there as should be, or not.
        case count(String, expected: Int, found: Int)
      }

      /// What a copy did.
      struct Report {
        /// Objects of the old store.
        var oldObjects = 0
        /// By class, objects of the new store.
        var newObjects: [String: Int] = [:]
        /// By property, the objects that got an empty value since they had none.
        var filled: [String: Int] = [:]
      }

      /// Objects that are saved together.
      var batchSize = 500
      /// Runs after each saved batch, with the number of objects so far; for progress and tests.
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

      /// The old store with its model, and the place of the new store, in another folder.
      init(
        oldStore: URL,
        model: NSManagedObjectModel,
        newStore: URL,
        schema: @SCHEMATYPE@ = @SCHEMA@
      ) throws {
        (self.oldStore, self.newStore, self.model, self.schema) = (oldStore, newStore, model, schema)
        journal = try Journal(url: newStore.appendingPathExtension("journal"))
        old = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        // A complete copy is left alone: by then the app may have a newer schema.
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

      /// Copies what is not copied yet.
      func run() throws -> Report {
        if journal.isComplete {
          try removePartial()
          return report
        }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        if !journal.hasBackup {
          try checkSpace()
          // Takes the -wal and the files of external storage along.
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
          // A full disk: give the space back, and begin again at the next launch.
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

      // MARK: The map

    @MEMBERS@

      // MARK: Passes

      /// The first pass over an entity: makes a new object of each old one that `make` returns one for.
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

      /// The second pass: sets the relationships of each new object. It may be done twice.
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

      /// The keys of all objects of an entity itself, not of its sub-entities.
      private func objects(of entity: String) throws -> [NSManagedObjectID] {
        let request = NSFetchRequest<NSManagedObjectID>(entityName: entity)
        request.resultType = .managedObjectIDResultType
        request.includesSubentities = false
        return try old.fetch(request)
      }

      /// Removes the objects of a batch that was saved and not journaled before the app was killed.
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

      /// Each old object has its copy.
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

      /// The name of an old object in every run: `Task/p12`.
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

      /// The new object that one of some mappings made of an old object.
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

      /// A value, or an empty one, which is counted in the report.
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

      /// Whether a value is one of some; no value is `nil`.
      private func holds<Value: Equatable>(_ value: Value?, _ values: [Value?]) -> Bool {
        values.contains { $0 == value }
      }

      /// A UUID that the object decides: another one for each object, the same one in every run.
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
        // Version 8 of RFC 9562: bits of the maker's choice.
        bytes[6] = bytes[6] & 0x0f | 0x80
        bytes[8] = bytes[8] & 0x3f | 0x80
        return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
      }

      // MARK: Files

      /// SQLite's number of a full disk.
      private static let sqliteFull = 13

      /// The backup, the copy and its journal.
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

      /// Removes the copy so far, which can be made again; the backup stays.
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

    /// What a copy has done so far: a line for each new object, written and synced after its save.
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
      /// Mappings whose copies an earlier launch began.
      private let isResumed: Bool

      /// Reads what is there; a last line that was cut off is left out.
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

      /// The new object that a mapping made of an old one.
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

      /// Keeps only that there is a backup.
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
