import Basics
import DataModel

/// A draft of a migration map from one model to another, guessed from names, types and
/// relationships, with a reason for every guess.
package struct MapDraft: Sendable {
  struct Rule: Sendable {
    let source: String
    let destination: String
    let reason: String
    var attributes: [(name: String, value: ValueExpression, reason: String)] = []
    var relationships: [(name: String, value: RelationshipExpression, reason: String)] = []
    /// The properties with the same name in both entities, which need no line in the map.
    var same: [String] = []
    /// The properties without a counterpart in the other model, as sentences.
    var open: [String] = []
  }

  private(set) var rules: [Rule] = []
  /// The entities of the old model without a similar entity in the new model.
  private(set) var unmatched: [String] = []
  private let old: Model
  private let new: Model

  package init(from old: Model, to new: Model) {
    self.old = old
    self.new = new
    let matches = EntityMatches(old: old, new: new)
    rules = matches.all.map { properties(of: $0, among: matches) }
    let taken = Set(rules.map(\.source))
    unmatched = old.entities.filter { !$0.isAbstract && !taken.contains($0.name) }.map(\.name)
  }

  private func properties(of match: EntityMatches.Match, among matches: EntityMatches) -> Rule {
    var rule = Rule(source: match.source, destination: match.destination, reason: match.reason)
    guard let former = old.entity(named: match.source),
      let entity = new.entity(named: match.destination)
    else { return rule }
    var attributes = AttributeMatches(
      of: old.attributes(of: former),
      in: NameWords(entity: former.name, prefix: matches.prefixes.old),
      to: new.attributes(of: entity),
      in: NameWords(entity: entity.name, prefix: matches.prefixes.new)
    )
    attributes.matchLeftOver { $0 != .boolean }
    for attribute in new.attributes(of: entity) where !attribute.isTransient {
      add(attribute, attributes.found[attribute.name], former, to: &rule)
    }
    let used = Set(attributes.found.values.map(\.attribute.name))
    rule.open += old.attributes(of: former).filter { !$0.isTransient && !used.contains($0.name) }
      .map { "not copied: \($0.name), \($0.type.name)" }
    for relationship in new.relationships(of: entity) where !relationship.isTransient {
      add(relationship, of: entity, former, among: matches, to: &rule)
    }
    return rule
  }

  private func add(
    _ attribute: Attribute,
    _ found: AttributeMatches.Found?,
    _ former: Entity,
    to rule: inout Rule
  ) {
    guard let found else {
      let isThere = old.attributes(of: former).contains { $0.name == attribute.name }
      guard let value = Self.filling(attribute) else {
        if isThere {
          rule.attributes.append(
            (attribute.name, .constant(.null), "its values cannot be converted")
          )
        } else if attribute.derivation == nil {
          let state = attribute.defaultValue == .null ? "missing" : "at its default"
          rule.open.append("\(attribute.name): no similar attribute; it stays \(state)")
        }
        return
      }
      rule.attributes.append(
        (
          attribute.name, value,
          "required, but no similar attribute: choose a value"
        )
      )
      return
    }
    if found.attribute.name == attribute.name {
      let isSame = found.attribute.type == attribute.type
      rule.same.append(attribute.name + (isSame ? "" : " (\(found.types))"))
    } else {
      let value = ValueExpression.source([found.attribute.name])
      rule.attributes.append((attribute.name, value, found.reason))
    }
  }

  /// Returns a neutral value for a required attribute without a source; `nil` if the attribute
  /// needs no value or its type has no neutral value.
  private static func filling(_ attribute: Attribute) -> ValueExpression? {
    guard !attribute.isOptional, !attribute.hasDefault, attribute.derivation == nil else {
      return nil
    }
    return switch attribute.type {
    case .uuid: .identifier
    case .date: .now
    case .string, .uri: .constant(.text(""))
    case .integer16, .integer32, .integer64, .boolean, .decimal: .constant(.integer(0))
    case .double, .float: .constant(.real(0))
    case .undefined, .binary, .transformable, .objectID, .composite: nil
    }
  }

  private func add(
    _ relationship: Relationship,
    of entity: Entity,
    _ former: Entity,
    among matches: EntityMatches,
    to rule: inout Rule
  ) {
    let name = relationship.name
    if let other = matches.splits[rule.source]?.first(where: { split in
      split != entity.name && isGoal(split, of: relationship)
    }) {
      let same = RelationshipExpression.sameSource(by: "\(rule.source)To\(other)")
      rule.relationships.append((name, same, "both are made from the same \(rule.source)"))
      return
    }
    let fitting = old.relationships(of: former).filter { candidate in
      !candidate.isTransient && (relationship.isToMany || !candidate.isToMany)
        && matches.goals(of: candidate.destination).contains { isGoal($0, of: relationship) }
    }
    let (place, formerPlace) = (NameWords(entity: entity.name), NameWords(entity: former.name))
    let words = NameWords(property: name, of: place)
    let ranked = fitting.map { candidate in
      (candidate, NameWords(property: candidate.name, of: formerPlace).likeness(to: words))
    }
    let best = ranked.max { $0.1 < $1.1 }
    if let exact = fitting.first(where: { $0.name == name }) {
      rule.same.append(exact.name)
    } else if let best, best.1 > 0.5 || fitting.count == 1 {
      let reason =
        best.1 > 0.5
        ? "similar name, and its target becomes \(relationship.destination)"
        : "the only relationship whose target becomes \(relationship.destination)"
      rule.relationships.append((name, .source(best.0.name), reason))
    } else if let only = Self.only(fitting, isToMany: relationship.isToMany) {
      let kind = relationship.isToMany ? "to-many" : "to-one"
      let reason = "the only \(kind) relationship whose target becomes \(relationship.destination)"
      rule.relationships.append((name, .source(only.name), reason))
    } else if old.relationships(of: former).contains(where: { $0.name == name }) {
      rule.relationships.append((name, .none, "\(name) of \(former.name) has a different target"))
    } else {
      rule.open.append("\(name): no similar relationship; it stays empty")
    }
  }

  /// Returns the only to-one or the only to-many relationship; `nil` unless there is exactly one.
  private static func only(_ relationships: [Relationship], isToMany: Bool) -> Relationship? {
    let found = relationships.filter { $0.isToMany == isToMany }
    return found.count == 1 ? found[0] : nil
  }

  private func isGoal(_ entity: String, of relationship: Relationship) -> Bool {
    new.entity(named: entity).map(new.lineage)?.contains { $0.name == relationship.destination }
      ?? false
  }
}

struct AttributeMatches {
  struct Found {
    let attribute: Attribute
    let reason: String
    /// The types of the two matched attributes in words if they differ, otherwise an empty string.
    let types: String
    let score: Double
  }

  private(set) var found: [String: Found] = [:]
  private let olds: [Attribute]
  private let news: [Attribute]

  init(
    of olds: [Attribute],
    in former: NameWords,
    to news: [Attribute],
    in entity: NameWords
  ) {
    self.olds = olds.filter { !$0.isTransient }
    self.news = news.filter { !$0.isTransient && $0.derivation == nil }
    let before = self.olds.map { ($0, NameWords(property: $0.name, of: former)) }
    let after = self.news.map { ($0, NameWords(property: $0.name, of: entity)) }
    var pairs: [(new: Attribute, found: Found)] = []
    for new in after {
      for old in before {
        if let found = Self.found(old, new) { pairs.append((new.0, found)) }
      }
    }
    var taken: Set<String> = []
    for (new, match) in pairs.sorted(by: { $0.found.score > $1.found.score })
    where found[new.name] == nil && taken.insert(match.attribute.name).inserted {
      found[new.name] = match
    }
    matchLeftOver { $0 == .uuid }
  }

  /// Matches two attributes if each is the only unmatched attribute of its type in its entity.
  mutating func matchLeftOver(_ isMatched: (AttributeType) -> Bool) {
    let taken = Set(found.values.map(\.attribute.name))
    let types = Dictionary(grouping: news.filter { found[$0.name] == nil }, by: \.type)
    for (type, others) in types where others.count == 1 && isMatched(type) {
      let left = olds.filter { $0.type == type && !taken.contains($0.name) }
      guard left.count == 1 else { continue }
      found[others[0].name] = Found(
        attribute: left[0],
        reason: "the only remaining \(type.name) attribute in both",
        types: "",
        score: 0.5
      )
    }
  }

  private static func found(
    _ former: (attribute: Attribute, words: NameWords),
    _ present: (attribute: Attribute, words: NameWords)
  ) -> Found? {
    let (old, new) = (former.attribute, present.attribute)
    let isSameName = old.name == new.name || new.renamingIdentifier == old.name
    let likeness = isSameName ? 1.2 : former.words.likeness(to: present.words)
    let type =
      old.type == new.type
      ? 1
      : old.type.keepsValues(as: new.type)
        ? 0.9 : ValueConversion(from: old.type, to: new.type) == nil ? 0 : 0.5
    guard likeness >= 0.5, type > 0 else { return nil }
    let types =
      old.type == new.type
      ? "both \(new.type.name)"
      : old.type.keepsValues(as: new.type)
        ? "\(old.type.name) fits \(new.type.name)"
        : "\(old.type.name) is converted to \(new.type.name)"
          + (new.type == .string && old.type != .uuid && old.type != .date
            ? "; { from: \(old.name), values: { 0: word } } gives words" : "")
    let names = likeness >= 1 ? "the same words" : "names alike"
    return Found(
      attribute: old,
      reason: "\(names), \(types)",
      types: types,
      score: 0.65 * likeness + 0.35 * type
    )
  }
}
