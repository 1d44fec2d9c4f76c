import DataModel

/// Reads how a store ages after it was made.
struct AgeReader {
  let model: Model

  func age(_ value: YAMLValue?) -> AgeRecipe? {
    let keys = ["edits", "deletes", "entities", "objectsPerSave", "days", "vacuum", "wal"]
    guard let mapping = value?.mapping(knowing: keys) else { return nil }
    let vacuums = AgeRecipe.Vacuum.allCases.map { (word: $0.rawValue, value: $0) }
    let age = AgeRecipe(
      edits: mapping["edits"].flatMap { $0.share() } ?? 0,
      deletes: mapping["deletes"].flatMap { $0.share() } ?? 0,
      entities: mapping["entities"].map { $0.itemsOrSelf().compactMap(entity) } ?? [],
      objectsPerSave: mapping["objectsPerSave"]?.integer(in: 1...Self.mostObjectsPerSave) ?? 20,
      days: mapping["days"].flatMap(days) ?? 365,
      vacuum: mapping["vacuum"].flatMap { $0.choice(of: vacuums) } ?? .never,
      walBytes: mapping["wal"]?.integer(in: 0...Self.mostBytes) ?? 0
    )
    if age.edits + age.deletes > 1 {
      mapping.report("the shares of edits and deletes add up to more than 1")
    }
    if age.walBytes > 0, age.edits == 0 {
      mapping.report("a -wal is filled by edits: give 'edits' a share above 0")
    }
    return age
  }

  /// So many objects of a save are in memory at once.
  private static let mostObjectsPerSave = 10_000
  private static let mostBytes = 10_000_000_000

  private func days(_ value: YAMLValue) -> Double? {
    guard let days = value.number() else { return nil }
    guard (0...36_525).contains(days) else {
      value.report("\(value.name) must be from 0 to 36525, not \(days)")
      return nil
    }
    return days
  }

  private func entity(_ value: YAMLValue) -> String? {
    guard let name = value.string() else { return nil }
    let names = model.entities.filter { !$0.isAbstract }.map(\.name)
    guard names.contains(name) else {
      value.report("the model has no entity '\(name)'\(didYouMean(name, among: names))")
      return nil
    }
    return name
  }
}
