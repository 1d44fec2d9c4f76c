import DataModel

extension ModelComparison {
  /// A removed element with a similar new element, which is probably the same under a new name.
  package struct SuspectedRename: Hashable, Encodable, Sendable {
    /// The entity of a renamed property; `nil` for a renamed entity.
    package let entity: String?
    package let former: String
    package let name: String
    /// The evidence, such as "6 of 8 properties have the same name".
    package let likeness: String
    /// The renaming identifier of the old element, if the new element was probably meant to keep
    /// it.
    package var identifier: String?

    /// The observation and the recommended solution in one sentence.
    package var sentence: String {
      let place = entity.map { "\($0): '" } ?? "'"
      if let identifier {
        return
          "\(place)\(former)' is removed and '\(name)' is new, \(likeness); a renaming identifier "
          + "is the name in the first version: give '\(name)' the identifier '\(identifier)'"
      }
      let advice =
        entity == nil
        ? "in a Core Data model, set the entity's renaming identifier to its former name, or add "
          + "the entity to the map; SwiftData has an originalName for attributes and relationships "
          + "only"
        : "set its renaming identifier (originalName) to its former name"
      return
        "\(place)\(former)' is removed and '\(name)' is new, \(likeness); if it is the same, "
        + "\(advice)"
    }

    static func all(in mapping: MappingModel) -> [SuspectedRename] {
      let broken = RenamingChain(mapping: mapping).broken
      let known = Set(broken.map { "\($0.entity ?? "").\($0.former)" })
      return broken
        + (entities(in: mapping) + properties(in: mapping)).filter {
          !known.contains("\($0.entity ?? "").\($0.former)")
        }
    }

    /// Returns the removed and new entities that a draft map matches with each other.
    private static func entities(in mapping: MappingModel) -> [SuspectedRename] {
      let added = mapping.entities.filter { $0.source == nil }.map(\.destination)
      guard !added.isEmpty, !mapping.removedEntities.isEmpty else { return [] }
      let matches = EntityMatches(old: mapping.source, new: mapping.destination).all
      return mapping.removedEntities.compactMap { former in
        guard let match = matches.first(where: { $0.source == former }),
          added.contains(match.destination)
        else { return nil }
        return SuspectedRename(
          entity: nil,
          former: match.source,
          name: match.destination,
          likeness: match.reason
        )
      }
    }

    /// Returns the removed and new attributes of the same type whose names share a word.
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

    private static func words(of name: String) -> Set<String> {
      let common = ["is", "has", "id", "at", "date"]
      return Set(NameWords.split(name).filter { $0.count > 1 && !common.contains($0) })
    }
  }
}

/// Finds renaming identifiers that do not continue those of the previous version.
///
/// A renaming identifier is a canonical name: it keeps the first name through all versions (Apple,
/// "Migrating your data model automatically"). If it names the previous version instead or was
/// removed, a migration treats the element as two unrelated elements.
struct RenamingChain {
  let mapping: MappingModel

  /// The elements that a migration treats as removed and added because their renaming identifiers
  /// do not continue those of the previous version.
  var broken: [ModelComparison.SuspectedRename] {
    let entities = pairs(
      mapping.source.entities.map { Item($0.name, $0.renamingIdentifier) },
      mapping.destination.entities.map { Item($0.name, $0.renamingIdentifier) },
      in: nil
    )
    return entities
      + mapping.entities.flatMap { carried -> [ModelComparison.SuspectedRename] in
        guard let former = carried.source.flatMap(mapping.source.entity(named:)),
          let entity = mapping.destination.entity(named: carried.destination)
        else { return [] }
        return pairs(items(former), items(entity), in: entity.name)
      }
  }

  private struct Item {
    let name: String
    let identifier: String

    init(_ name: String, _ identifier: String?) {
      (self.name, self.identifier) = (name, identifier ?? name)
    }
  }

  private func items(_ entity: Entity) -> [Item] {
    entity.attributes.map { Item($0.name, $0.renamingIdentifier) }
      + entity.relationships.map { Item($0.name, $0.renamingIdentifier) }
  }

  private func pairs(
    _ old: [Item],
    _ new: [Item],
    in entity: String?
  ) -> [ModelComparison.SuspectedRename] {
    let (before, after) = (Set(old.map(\.identifier)), Set(new.map(\.identifier)))
    return old.filter { !after.contains($0.identifier) }.compactMap { former in
      let heir = new.first {
        !before.contains($0.identifier)
          && ($0.identifier == former.name || $0.name == former.name)
      }
      return heir.map { heir in
        ModelComparison.SuspectedRename(
          entity: entity,
          former: former.name,
          name: heir.name,
          likeness:
            "because the old property has the identifier '\(former.identifier)' and the new "
            + "property '\(heir.identifier)'",
          identifier: former.identifier
        )
      }
    }
  }
}

/// The words of a name in camel case, normalized so that names can be compared.
struct NameWords: Hashable {
  let words: Set<String>

  private static let affixes: Set<String> = [
    "cd", "mo", "db", "sd", "managed", "entity", "object", "model", "record", "core", "data", "ns",
  ]
  private static let kinds: Set<String> = [
    "is", "has", "date", "at", "on", "time", "timestamp", "hex",
  ]
  private static let canonical: [String: String] = [
    "identifier": "id", "uuid": "id", "guid": "id", "creation": "created", "updated": "modified",
    "changed": "modified", "edited": "modified", "completed": "done", "finished": "done",
    "mail": "email", "colour": "color", "telephone": "phone", "mobile": "phone",
    "picture": "image", "photo": "image", "link": "url", "label": "name", "title": "name",
    "note": "detail", "description": "detail", "summary": "detail", "sequence": "order",
    "index": "order", "position": "order", "rank": "order", "sort": "order",
    "status": "state",
  ]

  /// Splits an entity's name into words and omits framework words and the app's prefix.
  init(entity name: String, prefix: String = "") {
    let all = Self.split(name).filter { $0 != prefix }
    let kept = all.filter { !Self.affixes.contains($0) }
    words = Set((kept.isEmpty ? all : kept).map(Self.singular))
  }

  /// Splits a property's name into words and omits the words of its entity's name.
  init(property name: String, of entity: NameWords) {
    let all = Self.split(name).map(Self.singular)
    let own = all.filter { !entity.words.contains($0) }
    let kept = (own.isEmpty ? all : own).map { Self.canonical[$0] ?? $0 }
    let bare = kept.filter { !Self.kinds.contains($0) }
    words = Set(bare.isEmpty ? kept : bare)
  }

  /// Returns the similarity from 0 (nothing in common) to 1 (the same words).
  func likeness(to other: NameWords) -> Double {
    let (left, right) = (words, other.words)
    guard !left.isEmpty, !right.isEmpty else { return 0 }
    if left == right { return 1 }
    let common = Double(left.intersection(right).count)
    if common == 0 { return 0 }
    // Give names a higher score if one name contains all words of the other.
    return left.isSubset(of: right) || right.isSubset(of: left)
      ? 0.75 : 0.6 * common / Double(left.union(right).count)
  }

  /// Returns the prefix of most names, such as an app's two letters; empty if there is none.
  ///
  /// Longer words are not prefixes, because they describe the contents, such as `cart` in the
  /// entities of a cart.
  static func prefix(of names: [String]) -> String {
    let firsts = names.compactMap { split($0).first }
    let counts = Dictionary(firsts.map { ($0, 1) }, uniquingKeysWith: +)
    guard let most = counts.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }),
      names.count > 1, most.value * 5 >= names.count * 3, most.key.count <= 3
    else { return "" }
    return most.key
  }

  /// Splits a name in camel case into lowercase words: `CDTaskItem` is `cd`, `task`, `item`.
  static func split(_ name: String) -> [String] {
    let characters = Array(name)
    var words: [String] = [""]
    for (index, character) in characters.enumerated() {
      let isAfterLower = index > 0 && characters[index - 1].isLowercase
      let isBeforeLower = index + 1 < characters.count && characters[index + 1].isLowercase
      if character == "_" || character.isUppercase && (isAfterLower || isBeforeLower) {
        words.append("")
      }
      if character != "_" { words[words.count - 1] += character.lowercased() }
    }
    return words.filter { !$0.isEmpty }
  }

  private static func singular(_ word: String) -> String {
    if word.count > 4, word.hasSuffix("ies") { return word.dropLast(3) + "y" }
    guard word.count > 3, word.hasSuffix("s"), !word.hasSuffix("ss"), !word.hasSuffix("us") else {
      return word
    }
    return String(word.dropLast())
  }
}
