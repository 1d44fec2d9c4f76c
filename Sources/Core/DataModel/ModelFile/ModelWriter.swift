/// Writes a model as the text of a model file; reading the text gives an equal model.
///
/// Properties with default values are omitted. A model with errors may not survive the round trip.
package enum ModelWriter {
  package static func text(of model: Model) -> String {
    var lines: [String] = []
    if model.versionIdentifiers != [""] {
      let identifiers = model.versionIdentifiers.map(YAMLText.quoted)
      let only = identifiers.count == 1 ? identifiers[0] : YAMLText.list(identifiers)
      lines.append("identifier: \(only)")
    }
    if !model.configurations.isEmpty {
      lines.append("configurations:")
      for (name, members) in model.configurations.sorted(by: { $0.key < $1.key }) {
        lines.append("  \(YAMLText.word(name)): \(YAMLText.list(members.map(YAMLText.word)))")
      }
    }
    lines += section(
      "fetchRequests",
      model.fetchRequests.map { fetchRequestLine($0.name, $0, [:]) }
    )
    lines.append(model.entities.isEmpty ? "entities: {}" : "entities:")
    for entity in model.entities { lines += entityLines(entity) }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func entityLines(_ entity: Entity) -> [String] {
    var body: [String] = []
    let facts = [
      entity.className == entity.name ? nil : "class: \(YAMLText.word(entity.className))",
      entity.isAbstract ? "abstract: true" : nil,
      entity.superentity.map { "parent: \(YAMLText.word($0))" },
      entity.renamingIdentifier.map { "renamed: \(YAMLText.word($0))" },
      entity.versionHashModifier.map { "hashModifier: \(YAMLText.word($0))" },
      entity.userInfo.isEmpty ? nil : "userInfo: \(YAMLText.pairs(entity.userInfo))",
    ]
    body += facts.compactMap(\.self)
    body += section("attributes", entity.attributes.map(attributeLine))
    body += section("relationships", entity.relationships.map(relationshipLine))
    body += section(
      "fetched",
      entity.fetchedProperties.map { fetchRequestLine($0.name, $0.request, $0.userInfo) }
    )
    if !entity.uniquenessConstraints.isEmpty {
      let lists = entity.uniquenessConstraints.map { YAMLText.list($0.map(YAMLText.word)) }
      body.append("unique: \(YAMLText.list(lists))")
    }
    body += section("indexes", entity.fetchIndexes.map(indexLine))
    let name = YAMLText.word(entity.name)
    return body.isEmpty ? ["  \(name): {}"] : ["  \(name):"] + body.map { "    " + $0 }
  }

  private static func section(_ title: String, _ lines: [String]) -> [String] {
    lines.isEmpty ? [] : ["\(title):"] + lines.map { "  " + $0 }
  }

  private static func line(_ name: String, _ keys: [(String, String?)]) -> String {
    let pairs = keys.compactMap { key, text in text.map { (key: key, value: $0) } }
    return "\(YAMLText.word(name)): \(YAMLText.mapping(pairs))"
  }

  private static func attributeLine(_ attribute: Attribute) -> String {
    let elements = attribute.elements.map(attributeLine).joined(separator: ", ")
    let keys: [(String, String?)] = [
      ("type", attribute.type.name),
      ("optional", attribute.isOptional ? nil : "false"),
      ("transient", attribute.isTransient ? "true" : nil),
      ("default", YAMLText.value(attribute.defaultValue, type: attribute.type)),
      ("computedDefault", attribute.computedDefault.map(YAMLText.quoted)),
      ("minimum", YAMLText.value(attribute.minimum, type: attribute.type)),
      ("maximum", YAMLText.value(attribute.maximum, type: attribute.type)),
      ("pattern", attribute.pattern.map(YAMLText.quoted)),
      ("renamed", attribute.renamingIdentifier.map(YAMLText.word)),
      ("external", attribute.allowsExternalStorage ? "true" : nil),
      ("preserveOnDeletion", attribute.preservesValueOnDeletion ? "true" : nil),
      ("derivation", attribute.derivation.map(YAMLText.quoted)),
      ("transformer", attribute.transformerName.map(YAMLText.word)),
      ("class", attribute.valueClassName.map(YAMLText.word)),
      ("spotlight", attribute.isIndexedBySpotlight ? "true" : nil),
      ("elements", elements.isEmpty ? nil : "{ \(elements) }"),
      ("hashModifier", attribute.versionHashModifier.map(YAMLText.word)),
      ("userInfo", attribute.userInfo.isEmpty ? nil : YAMLText.pairs(attribute.userInfo)),
    ]
    // The short form contains only the type.
    return keys.dropFirst().allSatisfy { $0.1 == nil }
      ? "\(YAMLText.word(attribute.name)): \(attribute.type.name)" : line(attribute.name, keys)
  }

  private static func relationshipLine(_ relationship: Relationship) -> String {
    let maximum = relationship.maximumCount
    let keys: [(String, String?)] = [
      ("to", YAMLText.word(relationship.destination)),
      ("inverse", relationship.inverse.map(YAMLText.word)),
      ("many", relationship.isToMany ? "true" : nil),
      ("ordered", relationship.isOrdered ? "true" : nil),
      ("optional", relationship.isOptional ? nil : "false"),
      ("transient", relationship.isTransient ? "true" : nil),
      ("minimum", relationship.minimumCount == 0 ? nil : "\(relationship.minimumCount)"),
      ("maximum", maximum == (relationship.isToMany ? 0 : 1) ? nil : "\(maximum)"),
      ("delete", relationship.deleteRule == .nullify ? nil : relationship.deleteRule.name),
      ("spotlight", relationship.isIndexedBySpotlight ? "true" : nil),
      ("renamed", relationship.renamingIdentifier.map(YAMLText.word)),
      ("hashModifier", relationship.versionHashModifier.map(YAMLText.word)),
      ("userInfo", relationship.userInfo.isEmpty ? nil : YAMLText.pairs(relationship.userInfo)),
    ]
    return line(relationship.name, keys)
  }

  private static func fetchRequestLine(
    _ name: String,
    _ request: FetchRequestTemplate,
    _ userInfo: [String: String]
  ) -> String {
    let keys: [(String, String?)] = [
      ("entity", request.entity.map(YAMLText.word)),
      ("where", request.predicate.map(YAMLText.quoted)),
      ("settings", request.settings.isEmpty ? nil : YAMLText.pairs(request.settings)),
      ("userInfo", userInfo.isEmpty ? nil : YAMLText.pairs(userInfo)),
    ]
    return line(name, keys)
  }

  private static func indexLine(_ index: FetchIndex) -> String {
    let properties = YAMLText.list(
      index.elements.map { element in
        let word = YAMLText.word(element.property)
        if element.isAscending { return word }
        return word == element.property ? "-" + word : YAMLText.quoted("-" + element.property)
      }
    )
    let isRTree = index.elements.contains { $0.kind == .rTree }
    guard isRTree || index.partialPredicate != nil else {
      return "\(YAMLText.word(index.name)): \(properties)"
    }
    let keys: [(String, String?)] = [
      ("on", properties), ("kind", isRTree ? "rTree" : nil),
      ("where", index.partialPredicate.map(YAMLText.quoted)),
    ]
    return line(index.name, keys)
  }
}
