extension BehaviourProbe {
  /// An XCTest file with a test for each behavior that a log can show.
  package static var source: String {
    head + all.compactMap(\.test).joined(separator: "\n") + "}\n\n" + kit
  }

  /// The source of the test; `nil` if no log can show the behavior.
  private var test: String? {
    if case .nothing = sign { return nil }
    let work = [
      preparation, "kit.begin(\"\(name)\")", steps, "kit.end()",
    ].filter { !$0.isEmpty }.joined(separator: "\n")
    return """
        /// Determines whether the value is \(values.joined(separator: " or ")).
        func test\(name.prefix(1).uppercased() + name.dropFirst())() throws {
          let kit = try Kit()
          try kit.open(Kit.model())
          try kit.fill(100)
      \(work.split(separator: "\n").map { "    " + $0 }.joined(separator: "\n"))
        }

      """
  }

  private static let head = """
    import CoreData
    import Foundation
    import XCTest

    /// Triggers the behaviors of Core Data that StoreBench assumes, so that a log shows them.
    ///
    /// This file has not been run yet. StoreBench is built and tested on Linux, which has no Core
    /// Data. Its tests check the types of this file against declarations of Core Data's API.
    ///
    /// To observe the behaviors:
    /// 1. Add this file to a test target for a Mac or an iPhone. It creates its own model and
    ///    stores.
    /// 2. Run the tests sequentially, with the arguments `-com.apple.CoreData.SQLDebug 3` and
    ///    `-com.apple.CoreData.Logging.stderr 1`, and save the standard error as behaviors.log.
    /// 3. `storebench analyze --behaviors behaviors.log` prints each value that the log shows.
    final class StoreBenchBehaviors: XCTestCase {

    """

  private static let kit = #"""
    /// A new store of folders and notes for each test.
    private final class Kit {
      static let photoBytes = 2_000_000
      private let place = FileManager.default.temporaryDirectory
        .appendingPathComponent("behaviors-\(UUID().uuidString)")
      private var container: NSPersistentContainer?
      private var name = ""

      init() throws {
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        mark("system \(ProcessInfo.processInfo.operatingSystemVersionString)")
      }

      deinit { try? FileManager.default.removeItem(at: place) }

      var context: NSManagedObjectContext { container!.viewContext }

      // MARK: Messages

      /// Writes to standard error, as Core Data does, so that the log keeps the order of all lines.
      private func mark(_ text: String) {
        FileHandle.standardError.write(Data("storebench behavior: \(text)\n".utf8))
      }
      func begin(_ name: String) {
        self.name = name
        mark("\(name) begins")
      }
      func print(_ value: String) { mark("\(name) is \(value)") }
      func end() { mark("\(name) ends") }

      // MARK: The store

      static func model(
        addsAttribute: Bool = false,
        countsNotes: Bool = false,
        isMandatory: Bool = false
      ) -> NSManagedObjectModel {
        func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
          let attribute = NSAttributeDescription()
          attribute.name = name
          attribute.attributeType = type
          attribute.isOptional = true
          return attribute
        }
        let (folder, note) = (NSEntityDescription(), NSEntityDescription())
        (folder.name, note.name) = ("Folder", "Note")
        let (notes, owner) = (NSRelationshipDescription(), NSRelationshipDescription())
        (notes.name, owner.name) = ("notes", "folder")
        (notes.destinationEntity, owner.destinationEntity) = (note, folder)
        (notes.inverseRelationship, owner.inverseRelationship) = (owner, notes)
        (notes.minCount, notes.maxCount) = (0, 0)
        (owner.minCount, owner.maxCount) = (isMandatory ? 1 : 0, 1)
        (notes.isOptional, owner.isOptional) = (true, !isMandatory)
        notes.deleteRule = isMandatory ? .nullifyDeleteRule : .cascadeDeleteRule
        owner.deleteRule = .nullifyDeleteRule
        let photo = attribute("photo", .binaryDataAttributeType)
        photo.allowsExternalBinaryDataStorage = true
        var ofNotes: [NSPropertyDescription] = [
          attribute("title", .stringAttributeType), attribute("number", .integer64AttributeType),
          photo, owner,
        ]
        if addsAttribute { ofNotes.append(attribute("color", .stringAttributeType)) }
        var ofFolders: [NSPropertyDescription] = [attribute("name", .stringAttributeType), notes]
        if countsNotes {
          let count = NSDerivedAttributeDescription()
          count.name = "count"
          count.attributeType = .integer64AttributeType
          count.derivationExpression = NSExpression(format: "notes.@count")
          ofFolders.append(count)
        }
        (folder.properties, note.properties) = (ofFolders, ofNotes)
        let model = NSManagedObjectModel()
        model.entities = [folder, note]
        return model
      }

      /// Opens the store, and migrates it to the model.
      func open(_ model: NSManagedObjectModel) throws {
        let opened = NSPersistentContainer(name: "Behaviors", managedObjectModel: model)
        let description = NSPersistentStoreDescription(
          url: place.appendingPathComponent("store.sqlite")
        )
        description.shouldAddStoreAsynchronously = false
        description.shouldMigrateStoreAutomatically = true
        description.shouldInferMappingModelAutomatically = true
        description.setOption(NSNumber(value: true), forKey: NSPersistentHistoryTrackingKey)
        opened.persistentStoreDescriptions = [description]
        var failure: (any Error)?
        opened.loadPersistentStores { _, error in failure = error }
        if let failure { throw failure }
        container = opened
      }

      func close(deletes: Bool = false) throws {
        if let coordinator = container?.persistentStoreCoordinator {
          for store in coordinator.persistentStores { try coordinator.remove(store) }
        }
        container = nil
        guard deletes else { return }
        try FileManager.default.removeItem(at: place)
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
      }

      /// Adds notes to one folder, in one save.
      func fill(_ count: Int) throws {
        let folder =
          try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Folder")).first
          ?? NSEntityDescription.insertNewObject(forEntityName: "Folder", into: context)
        for number in 0..<count {
          let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
          note.setValue("note \(number)", forKey: "title")
          note.setValue(number, forKey: "number")
          note.setValue(folder, forKey: "folder")
        }
        try context.save()
        context.reset()
      }

      func folder() throws -> NSManagedObject {
        try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Folder"))[0]
      }

      func count(_ entity: String) throws -> Int {
        context.reset()
        return try context.count(for: NSFetchRequest<NSManagedObject>(entityName: entity))
      }

      func addPhoto() throws {
        let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
        note.setValue(Data(repeating: 7, count: Self.photoBytes), forKey: "photo")
        try context.save()
        context.reset()
      }

      /// The files of external storage.
      var externalFiles: [URL] {
        let folder = place.appendingPathComponent(".store_SUPPORT/_EXTERNAL_DATA")
        let files = try? FileManager.default.contentsOfDirectory(
          at: folder,
          includingPropertiesForKeys: nil
        )
        return files ?? []
      }
    }
    """#
}
