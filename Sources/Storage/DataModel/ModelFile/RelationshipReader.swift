/// Reads a relationship of a model file.
enum RelationshipReader {
  static func relationship(_ entry: YAMLMapping.Entry) -> Relationship? {
    let keys = [
      "to", "inverse", "many", "ordered", "optional", "transient", "minimum", "maximum", "delete",
      "spotlight", "renamed", "hashModifier", "userInfo",
    ]
    guard let mapping = entry.value.mapping(knowing: keys),
      let destination = mapping.required("to")?.string()
    else { return nil }
    let rules = DeleteRule.allCases.map { ($0.name, $0) }
    return Relationship(
      name: entry.key,
      destination: destination,
      inverse: mapping["inverse"]?.string(),
      isToMany: mapping["many"]?.boolean() ?? false,
      isOrdered: mapping["ordered"]?.boolean() ?? false,
      isOptional: mapping["optional"]?.boolean() ?? true,
      isTransient: mapping["transient"]?.boolean() ?? false,
      minimumCount: mapping["minimum"]?.integer(in: 0...Int(Int32.max)) ?? 0,
      maximumCount: mapping["maximum"]?.integer(in: 0...Int(Int32.max)),
      deleteRule: mapping["delete"]?.choice(of: rules) ?? .nullify,
      isIndexedBySpotlight: mapping["spotlight"]?.boolean() ?? false,
      renamingIdentifier: mapping["renamed"]?.string(),
      versionHashModifier: mapping["hashModifier"]?.string(),
      userInfo: userInfo(mapping["userInfo"])
    )
  }
}
