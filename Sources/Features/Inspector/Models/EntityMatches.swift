import Basics
import DataModel

/// Matches the entities of an old model with the most likely entities of a new model.
struct EntityMatches {
  struct Match: Hashable {
    let source: String
    let destination: String
    let reason: String
  }

  let old: Model
  let new: Model
  /// For each model, the name prefix that most of its entities share.
  let prefixes: (old: String, new: String)
  private var matches: [Match] = []
  /// For each old entity, the new entities into which its objects are split.
  private(set) var splits: [String: [String]] = [:]

  var all: [Match] {
    new.entities.flatMap { entity in matches.filter { $0.destination == entity.name } }
  }

  init(old: Model, new: Model) {
    self.old = old
    self.new = new
    prefixes = (
      NameWords.prefix(of: old.entities.map(\.name)), NameWords.prefix(of: new.entities.map(\.name))
    )
    matchByName()
    matchByLikeness()
    matchByRelationships()
    matchByShape()
    findSplits()
    findMerges()
    matchLeftOver()
  }

  /// Returns the new entities to which the objects of an old entity and its sub-entities belong.
  func goals(of entity: String) -> [String] {
    let family = old.entity(named: entity).map(old.family)?.map(\.name) ?? []
    return matches.filter { family.contains($0.source) }.map(\.destination)
  }

  private var olds: [Entity] {
    old.entities.filter { entity in
      !entity.isAbstract && !matches.contains { $0.source == entity.name }
    }
  }

  private var news: [Entity] {
    new.entities.filter { entity in
      !entity.isAbstract && !matches.contains { $0.destination == entity.name }
    }
  }

  private mutating func add(_ source: Entity, _ destination: Entity, _ reason: String) {
    matches.append(Match(source: source.name, destination: destination.name, reason: reason))
  }

  private mutating func matchByName() {
    for entity in news {
      guard let former = olds.first(where: { $0.name == entity.identifier }) else { continue }
      let isSame = former.name == entity.name
      add(former, entity, isSame ? "the same name" : "its former name in the new model")
    }
    for entity in news {
      let words = NameWords(entity: entity.name, prefix: prefixes.new)
      let alike = olds.filter { NameWords(entity: $0.name, prefix: prefixes.old) == words }
      guard alike.count == 1 else { continue }
      let isCase = alike[0].name.lowercased() == entity.name.lowercased()
      let reason = "the same name except for \(isCase ? "case" : "prefixes")"
      add(alike[0], entity, "\(reason); \(shared(alike[0], entity).words)")
    }
  }

  private mutating func matchByLikeness() {
    var pairs: [(old: Entity, new: Entity, score: Double, reason: String)] = []
    for entity in news {
      for former in olds {
        let name = NameWords(entity: former.name, prefix: prefixes.old)
          .likeness(to: NameWords(entity: entity.name, prefix: prefixes.new))
        let shared = shared(former, entity)
        let (most, least) = (max(shared.old, shared.new), min(shared.old, shared.new))
        let properties = most == 0 ? 0 : Double(shared.common) / Double(most)
        // If the names are not similar, require more shared attributes than otherwise, because
        // small entities resemble many others.
        let isContained = shared.common >= 2 && shared.common == least
        guard name > 0 ? properties >= 0.25 : isContained || shared.common >= 3 && properties >= 0.5
        else { continue }
        let reason = (name > 0 ? "names alike; " : "") + shared.words
        pairs.append((former, entity, 0.6 * name + 0.4 * properties, reason))
      }
    }
    for pair in pairs.sorted(by: { $0.score > $1.score })
    where !matches.contains(where: { $0.source == pair.old.name || $0.destination == pair.new.name }
    ) {
      add(pair.old, pair.new, pair.reason)
    }
  }

  /// Matches the destinations of matched entities' relationships.
  ///
  /// Each of the two entities must have only one to-one relationship, or only one to-many
  /// relationship, whose destination is unmatched.
  private mutating func matchByRelationships() {
    for match in matches {
      guard let former = old.entity(named: match.source),
        let entity = new.entity(named: match.destination)
      else { continue }
      for isToMany in [false, true] {
        let before = old.relationships(of: former).filter { $0.isToMany == isToMany }
          .compactMap { relationship in olds.first { $0.name == relationship.destination } }
        let after = new.relationships(of: entity).filter { $0.isToMany == isToMany }
          .compactMap { relationship in news.first { $0.name == relationship.destination } }
        guard before.count == 1, after.count == 1 else { continue }
        let kind = isToMany ? "to-many" : "to-one"
        add(before[0], after[0], "the only \(kind) of \(former.name) that is not matched yet")
      }
    }
  }

  private mutating func matchByShape() {
    for entity in news {
      let shape = shape(of: entity, in: new)
      let before = olds.filter { self.shape(of: $0, in: old) == shape }
      let after = news.filter { self.shape(of: $0, in: new) == shape }
      guard shape.count >= 3, before.count == 1, after.count == 1 else { continue }
      add(
        before[0],
        entity,
        "no other entity has as many attributes and relationships of each kind"
      )
    }
  }

  /// Matches the remaining entities if each model has exactly one unmatched entity and the two
  /// share at least two properties.
  private mutating func matchLeftOver() {
    guard olds.count == 1, news.count == 1, let former = olds.first, let entity = news.first
    else { return }
    let shared = shared(former, entity)
    guard shared.common >= 2 else { return }
    add(former, entity, "the only remaining entity in both models; \(shared.words)")
  }

  /// Returns the types of an entity's properties; a relationship's type is whether it is to-many
  /// and whether its destination is the entity itself.
  private func shape(of entity: Entity, in model: Model) -> [String] {
    let types = model.attributes(of: entity).filter { !$0.isTransient }.map(\.type.name)
    let kinds = model.relationships(of: entity).filter { !$0.isTransient }.map { relationship in
      "\(relationship.isToMany) \(relationship.destination == entity.name)"
    }
    return types.sorted() + kinds.sorted()
  }

  /// Finds new entities whose attributes come from an old entity that matches another new entity.
  private mutating func findSplits() {
    for entity in news {
      let related = matches.filter { match in
        new.entity(named: match.destination).map(new.relationships)?
          .contains { !$0.isToMany && $0.destination == entity.name } ?? false
          || new.relationships(of: entity).contains {
            !$0.isToMany && $0.destination == match.destination
          }
      }
      for match in related {
        guard let former = old.entity(named: match.source),
          let other = new.entity(named: match.destination)
        else { continue }
        let used = Set(attributes(former, other).found.values.map(\.attribute.name))
        let found = attributes(former, entity).found.values
          .filter { !used.contains($0.attribute.name) && $0.score >= 0.8 }
        let stored = new.attributes(of: entity).filter { !$0.isTransient && $0.type != .uuid }.count
        guard !found.isEmpty, found.count * 2 >= stored else { continue }
        let names = found.map(\.attribute.name).sorted().joined(separator: ", ")
        add(
          former,
          entity,
          "it gets \(names) of \(former.name), and \(other.name) gets the rest: objects are split"
        )
        splits[former.name, default: [other.name]].append(entity.name)
        break
      }
    }
  }

  /// Finds old entities whose attributes are in a new entity that is already matched.
  private mutating func findMerges() {
    for former in olds {
      let stored = old.attributes(of: former).filter { !$0.isTransient }.count
      let ranked = Set(matches.map(\.destination)).sorted().compactMap(new.entity(named:))
        .map { entity in
          (entity, attributes(former, entity).found.values.filter { $0.score >= 0.8 }.count)
        }
      guard let best = ranked.max(by: { $0.1 < $1.1 }), best.1 >= 2, best.1 * 3 >= stored * 2 else {
        continue
      }
      let share = "\(best.1) of its \(stored) attributes are in \(best.0.name)"
      add(
        former,
        best.0,
        "\(share): two entities become one; check that their objects are of the same kind"
      )
    }
  }

  private func attributes(_ former: Entity, _ entity: Entity) -> AttributeMatches {
    AttributeMatches(
      of: old.attributes(of: former),
      in: NameWords(entity: former.name, prefix: prefixes.old),
      to: new.attributes(of: entity),
      in: NameWords(entity: entity.name, prefix: prefixes.new)
    )
  }

  /// Compares the attributes of two entities, except those of a common super-entity, which are no
  /// evidence of a match.
  private func shared(_ former: Entity, _ entity: Entity) -> SharedProperties {
    let common = Set(new.lineage(of: entity).dropLast().map(\.identifier))
      .intersection(old.lineage(of: former).dropLast().map(\.identifier))
    func own(_ model: Model, _ entity: Entity) -> [Attribute] {
      model.lineage(of: entity).filter { !common.contains($0.identifier) }
        .flatMap(\.attributes).filter { !$0.isTransient }
    }
    let (before, after) = (own(old, former), own(new, entity))
    let matches = AttributeMatches(
      of: before,
      in: NameWords(entity: former.name, prefix: prefixes.old),
      to: after,
      in: NameWords(entity: entity.name, prefix: prefixes.new)
    )
    return SharedProperties(common: matches.found.count, old: before.count, new: after.count)
  }

  private struct SharedProperties {
    let common: Int
    let old: Int
    let new: Int

    var words: String { "\(common) of \(new) attributes alike" }
  }
}
