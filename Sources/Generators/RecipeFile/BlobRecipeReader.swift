import DataModel

/// Reads how blobs are made.
struct BlobRecipeReader {
  func blob(_ value: YAMLValue) -> BlobRecipe? {
    guard value.scalar != .null else { return DefaultGenerators.blob }
    guard let mapping = value.mapping(knowing: ["size", "compressibility", "signature"]) else {
      return nil
    }
    let formats = BlobFormat.allCases.map { (word: $0.rawValue, value: $0) }
    let size = mapping.required("size").flatMap {
      DistributionReader(isWhole: true).distribution($0)
    }
    let format = mapping["signature"].map { $0.choice(of: formats) } ?? BlobFormat.none
    let compressibility = mapping["compressibility"].map(share) ?? 0
    guard let size, let format, let compressibility else { return nil }
    return BlobRecipe(size: size, compressibility: compressibility, format: format)
  }

  private func share(_ value: YAMLValue) -> Double? {
    guard let share = value.number() else { return nil }
    guard (0...1).contains(share) else {
      value.report(
        "\(value.name) must be from 0 (not at all) to 1 (to almost nothing), not \(share)"
      )
      return nil
    }
    return share
  }
}
