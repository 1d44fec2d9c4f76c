import DataModel
import PersistentStore

/// Reads whether and how the creation of the objects is kept as persistent history.
struct HistoryReader {
  let flavour: Flavour
  let period: ClosedRange<Double>

  func history(_ value: YAMLValue?) -> HistoryRecipe? {
    guard let value else { return flavour == .swiftData ? usual : nil }
    guard value.isMapping else {
      guard let isKept = value.boolean() else { return nil }
      if !isKept, flavour == .swiftData {
        value.report("SwiftData always keeps history; use 'flavour: coreData' for a store without")
      }
      return isKept ? usual : nil
    }
    let keys = ["objectsPerSave", "author", "bundle", "process"]
    guard let mapping = value.mapping(knowing: keys) else { return nil }
    var history = usual
    if let count = mapping["objectsPerSave"]?.integer(in: 1...Limits.mostObjects) {
      history.objectsPerSave = count
    }
    history.author = mapping["author"]?.string()
    if let bundle = mapping["bundle"]?.string() { history.bundleIdentifier = bundle }
    if let process = mapping["process"]?.string() { history.processName = process }
    return history
  }

  private var usual: HistoryRecipe {
    HistoryRecipe(
      objectsPerSave: 50,
      author: nil,
      bundleIdentifier: "org.storebench.app",
      processName: "storebench",
      from: period.lowerBound,
      to: period.upperBound
    )
  }
}
