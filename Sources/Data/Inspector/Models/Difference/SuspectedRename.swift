import DataModel

/// Something that goes where something like it comes, most likely under a new name.
package struct SuspectedRename: Hashable, Encodable, Sendable {
  /// The entity of the property; `nil` where an entity itself is meant.
  package let entity: String?
  package let former: String
  package let name: String
  /// What makes them alike, such as "6 of 8 properties have the same name".
  package let likeness: String

  /// One sentence: what is seen and what to do.
  package var sentence: String {
    let place = entity.map { "\($0): '" } ?? "'"
    return "\(place)\(former)' goes and '\(name)' comes, \(likeness); if it is the same, give it "
      + "the former name as renaming identifier (originalName)"
  }

  static func all(in mapping: MappingModel) -> [SuspectedRename] {
    entities(in: mapping) + properties(in: mapping)
  }

  private static func entities(in mapping: MappingModel) -> [SuspectedRename] {
    let added = mapping.entities.filter { $0.source == nil }.map(\.destination)
    return mapping.removedEntities.compactMap { former in
      let before = names(of: former, in: mapping.source)
      let ranked = added.map { name in
        (name, before.intersection(names(of: name, in: mapping.destination)).count)
      }
      guard let best = ranked.max(by: { $0.1 < $1.1 }), best.1 > 0, best.1 * 2 >= before.count
      else {
        return nil
      }
      return SuspectedRename(
        entity: nil,
        former: former,
        name: best.0,
        likeness: "\(best.1) of \(before.count) properties have the same name"
      )
    }
  }

  private static func names(of entity: String, in model: Model) -> Set<String> {
    guard let entity = model.entity(named: entity) else { return [] }
    return Set(
      model.attributes(of: entity).map(\.name) + model.relationships(of: entity).map(\.name)
    )
  }

  /// An attribute is alike where it is of the same type and its name has a word in common.
  private static func properties(in mapping: MappingModel) -> [SuspectedRename] {
    mapping.entities.flatMap { entity -> [SuspectedRename] in
      guard let source = entity.source.flatMap(mapping.source.entity(named:)) else { return [] }
      let kept = Set(entity.attributes.compactMap { $0.source?.name })
      let gone = source.attributes.filter { !kept.contains($0.name) && !$0.isTransient }
      let come = entity.attributes.filter { $0.source == nil && !$0.destination.isTransient }
        .map(\.destination)
      return gone.compactMap { former in
        let alike = come.filter {
          $0.type == former.type && !words(of: $0.name).isDisjoint(with: words(of: former.name))
        }
        guard alike.count == 1 else { return nil }
        return SuspectedRename(
          entity: entity.destination,
          former: former.name,
          name: alike[0].name,
          likeness: "both \(former.type.name)"
        )
      }
    }
  }

  /// The words of a name in camel case, without those that many names have.
  private static func words(of name: String) -> Set<String> {
    var words: [String] = [""]
    for character in name {
      if character.isUppercase || character == "_" { words.append("") }
      words[words.count - 1] += character.lowercased()
    }
    return Set(words.filter { $0.count > 1 && !["is", "has", "id", "at", "date"].contains($0) })
  }
}
