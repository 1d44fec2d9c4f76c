import DataModel

/// Reads which objects of an entity repeat the key of others.
struct DuplicatesReader {
  let entity: String
  let attributes: [Attribute]

  func duplicates(_ value: YAMLValue?) -> DuplicatesRecipe? {
    guard let mapping = value?.mapping(knowing: ["key", "rate", "copies"]) else { return nil }
    let key = mapping.required("key").map { $0.itemsOrSelf().compactMap(attribute) }
    let rate = mapping.required("rate").flatMap(rate)
    let copies =
      mapping["copies"].map { DistributionReader(isWhole: true).distribution($0) }
      ?? DistributionRecipe(.constant(1))
    guard let key, !key.isEmpty, let rate, let copies else { return nil }
    return DuplicatesRecipe(key: key, rate: rate, copies: copies)
  }

  private func attribute(_ value: YAMLValue) -> String? {
    guard let name = value.string() else { return nil }
    let names = attributes.filter { !$0.isTransient }.map(\.name)
    guard names.contains(name) else {
      value.report("\(entity) has no attribute '\(name)'\(didYouMean(name, among: names))")
      return nil
    }
    return name
  }

  private func rate(_ value: YAMLValue) -> Double? {
    guard let rate = value.number() else { return nil }
    guard rate >= 0, rate < 1 else {
      value.report(
        "'rate' must be at least 0 and below 1, not \(rate): the originals are no copies"
      )
      return nil
    }
    return rate
  }
}
