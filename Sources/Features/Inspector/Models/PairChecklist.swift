import Basics
import DataModel
import Foundation
import PersistentStore

/// The items that only a real store beside the app that replaces it can answer.
extension MigrationChecklist {
  var pairItems: [ChecklistItem] {
    guard comparison.isTowardsSwiftData, let store = comparison.old.store else { return [] }
    return renaming + history(store) + mirroring(store) + files(store) + transformables
  }

  private var renaming: [ChecklistItem] {
    guard let first = comparison.renameFirst, !comparison.isSameVersion else { return [] }
    return [
      ChecklistItem(
        section: "SwiftData",
        text: "a last Core Data release can give the entities their new names, by renaming "
          + "identifiers",
        state: first.isPossible ? .checked : .failed,
        evidence: first.blockers.first
          ?? ("a lightweight migration renames them; it is assumed that SwiftData then opens the "
            + "store"),
        source: .renaming
      ),
      ChecklistItem(
        section: "SwiftData",
        text: "no SwiftData class relies on an originalName: it is documented only for attributes "
          + "and relationships",
        state: .yours,
        evidence: "look for @Model(originalName:) in the code; the macro takes no parameter",
        source: .originalName
      ),
    ]
  }

  private func history(_ store: StoreFacts) -> [ChecklistItem] {
    guard store.keepsHistory else { return [] }
    return [
      ChecklistItem(
        section: "SwiftData",
        text:
          "all code that opens the old store sets NSPersistentHistoryTrackingKey: without this "
          + "option, a store with history becomes read-only",
        state: .yours,
        evidence:
          "\(store.store.name) keeps history (ATRANSACTION): the app, its extensions and the "
          + "code of the copy",
        source: .historyReadOnly
      )
    ]
  }

  private func mirroring(_ store: StoreFacts) -> [ChecklistItem] {
    guard store.isMirrored else { return [] }
    return [
      ChecklistItem(
        section: "SwiftData",
        text:
          "a new store has no sync metadata: every object is uploaded again and appears twice on "
          + "other devices until the duplicates are merged",
        state: .failed,
        evidence: "\(store.store.name) is mirrored to CloudKit (ANSCK… tables): a 'rename "
          + "first' migration keeps these tables; after a copy, merge duplicates by your identifier",
        source: .movedMirroring
      )
    ]
  }

  private func files(_ store: StoreFacts) -> [ChecklistItem] {
    let section = "The store's files"
    let manager = FileManager.default
    let others = [
      store.store.wal, store.store.supportFolder,
    ].filter(manager.fileExists).map { ($0 as NSString).lastPathComponent }
    let name = store.store.name
    let all = ([name] + others).joined(separator: ", ")
    return [
      ChecklistItem(
        section: section,
        text:
          "the store, its -wal and its _SUPPORT folder move together, by replacePersistentStore "
          + "and not as files",
        state: .yours,
        evidence: others.isEmpty ? "only \(name) was given, without the other files" : all,
        source: .movedFiles
      ),
      ChecklistItem(
        section: section,
        text:
          "the ModelConfiguration gives the store's location: default.store, a different name, or "
          + "the App Group",
        state: .yours,
        evidence: comparison.new.store.map { "the new store is \($0.store.name)" }
          ?? "give the new app's store as NEW",
        source: .groupContainer
      ),
      ChecklistItem(
        section: section,
        text:
          "widgets and other extensions of the old version run until the update is complete: at "
          + "the former path they find no store or an old store",
        state: .yours,
        evidence: "no file shows which other processes open \(name)",
        source: .nothingFound
      ),
    ]
  }

  private var transformables: [ChecklistItem] {
    let model = comparison.old.version.model
    let places = ModelPlaces(model: model).attributes { $0.type == .transformable }
    guard !places.isEmpty else { return [] }
    return [
      ChecklistItem(
        section: "SwiftData",
        text: "transformable values are read by their old class once and written as Codable",
        state: .yours,
        evidence: "\(Figures.few(places)); 'storebench run Workloads/migration/transformable.yaml' "
          + "shows what it costs",
        source: .options
      )
    ]
  }
}
