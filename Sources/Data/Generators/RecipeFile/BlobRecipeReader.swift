import DataModel

/// Reads how blobs are made.
struct BlobRecipeReader {
  /// Finds the attribute that says the format; `nil` where none can.
  let reader: AttributeRecipeReader?

  func blob(_ value: YAMLValue) -> BlobRecipe? {
    guard value.scalar != .null else { return DefaultGenerators.blob }
    guard let mapping = value.mapping(knowing: ["size", "compressibility", "signature"]) else {
      return nil
    }
    let size = mapping.required("size").flatMap {
      DistributionReader(isWhole: true).distribution($0)
    }
    let followed = mapping["signature"].flatMap { $0.isMapping ? $0 : nil }
    let format = followed != nil ? BlobFormat.none : format(mapping["signature"])
    let attribute = followed.flatMap(formatAttribute)
    let compressibility = mapping["compressibility"].map(share) ?? 0
    guard let size, let format, let compressibility else { return nil }
    return BlobRecipe(
      size: size,
      compressibility: compressibility,
      format: format,
      formatAttribute: attribute
    )
  }

  private func format(_ value: YAMLValue?) -> BlobFormat? {
    guard let value else { return BlobFormat.none }
    return value.choice(of: BlobFormat.allCases.map { (word: $0.rawValue, value: $0) })
  }

  /// The attribute of `signature: { of: mediaType }`.
  private func formatAttribute(_ value: YAMLValue) -> String? {
    guard let reader else {
      value.report("the files of an app have one signature: write its name")
      return nil
    }
    return value.mapping(knowing: ["of"])?.required("of").flatMap {
      reader.sibling($0, of: [.string])
    }
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
