/// Reads an attribute of a model file, in its short form or its long one.
enum AttributeReader {
  static let keys = [
    "type", "optional", "default", "transient", "renamed", "external", "preserveOnDeletion",
    "derivation", "transformer", "class", "spotlight", "elements", "minimum", "maximum", "pattern",
    "hashModifier",
    "userInfo",
  ]

  static func attribute(_ entry: YAMLMapping.Entry) -> Attribute? {
    guard entry.value.isMapping else {
      return type(entry.value).map { Attribute(name: entry.key, type: $0) }
    }
    guard let mapping = entry.value.mapping(knowing: keys),
      let type = mapping.required("type").flatMap(type)
    else { return nil }
    // The limits of a text are limits of its length.
    let boundType = type == .string ? AttributeType.integer32 : type
    return Attribute(
      name: entry.key,
      type: type,
      isOptional: mapping["optional"]?.boolean() ?? true,
      isTransient: mapping["transient"]?.boolean() ?? false,
      defaultValue: mapping["default"].flatMap { ValueReader.value($0, type: type) } ?? .null,
      renamingIdentifier: mapping["renamed"]?.string(),
      allowsExternalStorage: mapping["external"]?.boolean() ?? false,
      preservesValueOnDeletion: mapping["preserveOnDeletion"]?.boolean() ?? false,
      derivation: mapping["derivation"]?.string(),
      transformerName: mapping["transformer"]?.string(),
      valueClassName: mapping["class"]?.string(),
      isIndexedBySpotlight: mapping["spotlight"]?.boolean() ?? false,
      elements: (mapping["elements"]?.mapping()?.entries ?? []).compactMap(attribute),
      minimum: mapping["minimum"].flatMap { ValueReader.value($0, type: boundType) } ?? .null,
      maximum: mapping["maximum"].flatMap { ValueReader.value($0, type: boundType) } ?? .null,
      pattern: mapping["pattern"]?.string(),
      versionHashModifier: mapping["hashModifier"]?.string(),
      userInfo: userInfo(mapping["userInfo"])
    )
  }

  private static func type(_ value: YAMLValue) -> AttributeType? {
    value.choice(of: AttributeType.allCases.map { ($0.name, $0) })
  }
}
