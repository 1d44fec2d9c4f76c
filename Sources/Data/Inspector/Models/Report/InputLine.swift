import DataModel
import PersistentStore

/// One line on a source: what it is, of which framework, with which version.
enum InputLine {
  static func text(_ input: ModelInput) -> String {
    let model = input.version.model
    let count = model.entities.count
    let entities = count == 1 ? "1 entity" : "\(count) entities"
    let version = model.versionIdentifiers.filter { !$0.isEmpty }.joined(separator: ", ")
    var facts = [entities, version.isEmpty ? "no version identifier" : "version \(version)"]
    if let store = input.store {
      facts.insert(
        "\(store.isSwiftData ? "SwiftData" : "Core Data") store of framework "
          + "\(store.metadata.frameworkVersion)",
        at: 0
      )
    }
    return "\(input.title): \(facts.joined(separator: ", "))"
  }
}
