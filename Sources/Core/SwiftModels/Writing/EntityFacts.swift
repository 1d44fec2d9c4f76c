import Basics
import DataModel

/// The parts of an entity that a model class can have, and notes about the parts that it cannot
/// have.
struct EntityFacts {
  let model: Model
  let entity: Entity

  private var stored: Set<String> {
    Set(
      model.attributes(of: entity).filter { !$0.isTransient }.map(\.name)
        + model.relationships(of: entity).filter { !$0.isTransient }.map(\.name)
    )
  }

  private var toManys: Set<String> {
    Set(model.relationships(of: entity).filter(\.isToMany).map(\.name))
  }

  /// The unique constraints whose properties are all stored; duplicates are removed.
  var constraints: [[String]] {
    let stored = stored
    var seen: Set<Set<String>> = []
    return entity.uniquenessConstraints.filter { constraint in
      !constraint.isEmpty && constraint.allSatisfy(stored.contains)
        && seen.insert(Set(constraint)).inserted
    }
  }

  /// The indexes that a store has and `#Index` can declare: over stored properties, without
  /// predicates.
  var indexes: [FetchIndex] {
    let stored = stored
    var seen: Set<[String]> = []
    return entity.fetchIndexes.compactMap { index in
      let elements = index.elements.filter { stored.contains($0.property) }
      guard elements.count == index.elements.count, !isEmptyInStores(index),
        seen.insert(elements.map(\.property)).inserted
      else { return nil }
      return FetchIndex(name: index.name, elements: elements)
    }
  }

  /// Whether Core Data creates no such index in stores, because the index contains a to-many
  /// relationship or nothing but a relationship (coredata-format.md, sections 6 and 16).
  private func isEmptyInStores(_ index: FetchIndex) -> Bool {
    let names = index.elements.map(\.property)
    return names.contains(where: toManys.contains)
      || names.count == 1 && model.relationships(of: entity).contains { $0.name == names[0] }
  }

  private func pair(of relationship: Relationship) -> Relationship? {
    model.inverse(of: relationship).flatMap { inverse in
      inverse.inverse == relationship.name && !inverse.isTransient && !relationship.isTransient
        ? inverse : nil
    }
  }

  /// The inverse that this side's macro names, if any.
  ///
  /// Only the to-many side, or else the first side by name, may name the inverse: otherwise, the
  /// macros would refer to each other in a cycle.
  func writtenInverse(of relationship: Relationship) -> Relationship? {
    guard let inverse = pair(of: relationship) else { return nil }
    if relationship.isToMany != inverse.isToMany { return relationship.isToMany ? inverse : nil }
    let declarer = model.entity(named: relationship.destination)
      .flatMap { model.declarer(of: inverse.name, in: $0)?.name }
    let (own, other) = ((entity.name, relationship.name), (declarer ?? "", inverse.name))
    return own <= other ? inverse : nil
  }

  private func inferable(for relationship: Relationship) -> [String] {
    guard pair(of: relationship) == nil,
      let destination = model.entity(named: relationship.destination),
      destination.name != entity.name
    else { return [] }
    let others = EntityFacts(model: model, entity: destination)
    return destination.relationships.filter { other in
      other.destination == entity.name && !other.isTransient && others.pair(of: other) == nil
        && relationship.canBeInferredInverse(of: other)
    }.map(\.name)
  }

  var notes: [WritingNote] {
    own + entity.attributes.flatMap(notes) + entity.relationships.flatMap(notes)
  }

  private func note(_ subject: WritingNote.Subject, _ text: String, of property: String? = nil)
    -> WritingNote
  {
    WritingNote(subject, property.map { "\(entity.name).\($0)" } ?? entity.name, text)
  }

  private var own: [WritingNote] {
    var notes: [WritingNote] = []
    let name = SwiftNames.identifier(entity.name)
    if name != entity.name {
      notes.append(
        note(
          .name,
          "Swift has no name '\(entity.name)', so the class, and its entity, is '\(name)'"
        )
      )
    }
    if entity.isAbstract {
      notes.append(
        note(.abstract, "the entity is abstract, and a class can have objects: insert none of it")
      )
    }
    if entity.superentity != nil {
      notes.append(note(.inheritance, "subclasses of models need iOS 26"))
    }
    if let former = entity.renamingIdentifier {
      notes.append(
        note(
          .entityRename,
          "it was called '\(former)', and a class has no former name: rename the entity by a last "
            + "Core Data release, or copy its objects"
        )
      )
    }
    if entity.versionHashModifier != nil {
      notes.append(
        note(
          .entityHash,
          "the entity has a hash modifier, and a class has none: Core Data and SwiftData take the "
            + "versions for different ones"
        )
      )
    }
    for property in entity.fetchedProperties {
      notes.append(
        note(
          .fetched,
          "the fetched property '\(property.name)' is left out: fetch "
            + "\(property.request.entity ?? "its objects") by a FetchDescriptor"
        )
      )
    }
    return notes + constraintNotes + indexNotes
  }

  private var constraintNotes: [WritingNote] {
    let stored = stored
    return entity.uniquenessConstraints.filter { !$0.allSatisfy(stored.contains) }.map {
      note(
        .unique,
        "the unique constraint on \($0.joined(separator: " + ")) is left out: a property of it is "
          + "not stored"
      )
    }
  }

  private var indexNotes: [WritingNote] {
    let stored = stored
    return entity.fetchIndexes.flatMap { index -> [WritingNote] in
      let others = index.elements.map(\.property).filter { !stored.contains($0) }
      if let other = others.first {
        return [
          note(
            .index,
            "the index '\(index.name)' is left out: '\(other)' is "
              + (["entity", "self"].contains(other) ? "an expression" : "not stored")
          )
        ]
      }
      if isEmptyInStores(index) {
        return [
          note(
            .index,
            "the index '\(index.name)' is left out: of a relationship alone, no store gets it"
          )
        ]
      }
      var notes: [WritingNote] = []
      if index.elements.contains(where: { !$0.isAscending }) {
        notes.append(
          note(.indexOrder, "the index '\(index.name)' is descending, and #Index is ascending")
        )
      }
      if let predicate = index.partialPredicate {
        notes.append(
          note(
            .partialIndex,
            "the index '\(index.name)' has the predicate '\(predicate)', and #Index holds all objects"
          )
        )
      }
      return notes
    }
  }

  private func notes(_ attribute: Attribute) -> [WritingNote] {
    let name = attribute.name
    var notes = nameNotes(name)
    func add(_ subject: WritingNote.Subject, _ text: String) {
      notes.append(note(subject, text, of: name))
    }
    if attribute.isTransient {
      add(.transient, "a transient property is no part of a SwiftData model")
      if attribute.type == .undefined { add(.undefined, "the model gives no type") }
      if attribute.type == .objectID { add(.objectID, "SwiftData has no attributes of object IDs") }
    }
    if let derivation = attribute.derivation {
      add(.derived, "Core Data derives it by \(derivation); SwiftData does not: set it in code")
    }
    if attribute.type == .transformable, !attribute.isTransient {
      let className = attribute.valueClassName
      if SwiftNames.transformable(attribute) == nil {
        add(
          .transformable,
          "the values are of \(className.map { "the class \($0)" } ?? "a class that the model does not name"):"
            + " name it here, or read the values once and store a Codable type"
        )
      }
      if attribute.transformerName == nil {
        add(.transformable, "the model names no transformer; Core Data's own one is named here")
      }
    }
    if attribute.type != .transformable, attribute.transformerName != nil {
      add(.transformable, "the transformer is left out: the type is no transformable one")
    }
    if attribute.type == .composite {
      add(
        .composite,
        "a composite attribute becomes a Codable struct, with one column for each element"
      )
    }
    let bounds = bounds(of: attribute)
    if !bounds.isEmpty { add(.validation, "SwiftData does not check \(bounds): check it in code") }
    let literals = SwiftLiteral(names: SwiftNames(types: []))
    if attribute.defaultValue != .null,
      literals.text(attribute.defaultValue, type: attribute.type) == nil
    {
      add(.defaultValue, "the model's default cannot be written in code: set it in the initializer")
    }
    return notes
  }

  private func bounds(of attribute: Attribute) -> String {
    func text(_ value: Value) -> String {
      switch value {
      case .null: ""
      case .integer(let number): "\(number)"
      case .real(let number): "\(number)"
      case .text(let text): text
      case .blob: "bytes"
      }
    }
    return [
      attribute.minimum == .null ? nil : "the minimum \(text(attribute.minimum))",
      attribute.maximum == .null ? nil : "the maximum \(text(attribute.maximum))",
      attribute.pattern.map { "the pattern \($0)" },
    ].compactMap(\.self).joined(separator: ", ")
  }

  private func nameNotes(_ name: String) -> [WritingNote] {
    let written = SwiftNames.property(name)
    guard written != name else { return [] }
    let reason =
      SwiftNames.identifier(name) == name
      ? "every model class has a member '\(name)'" : "Swift has no name '\(name)'"
    return [
      note(
        .name,
        "\(reason), so it is called '\(written)' and has its name as original name",
        of: name
      )
    ]
  }

  private func notes(_ relationship: Relationship) -> [WritingNote] {
    let name = relationship.name
    var notes = nameNotes(name)
    func add(_ subject: WritingNote.Subject, _ text: String) {
      notes.append(note(subject, text, of: name))
    }
    if relationship.isTransient {
      add(.transient, "a transient property is no part of a SwiftData model")
    }
    if relationship.isOrdered, relationship.isToMany {
      add(.order, "the relationship is ordered, and an array of SwiftData is not: add a position")
    }
    if let inverse = model.inverse(of: relationship), pair(of: relationship) == nil {
      add(
        .inverse,
        "its inverse '\(inverse.name)' names another inverse, so none is written"
      )
    }
    let inferable = inferable(for: relationship)
    if !inferable.isEmpty {
      add(
        .inferredInverse,
        "it has no inverse in the model; SwiftData may take \(inferable.joined(separator: " or ")) "
          + "for it"
      )
    }
    if !relationship.isToMany, relationship.minimumCount > 0 || relationship.maximumCount > 1 {
      add(.counts, "a to-one has no counts in SwiftData: they are left out")
    }
    return notes
  }
}

extension Relationship {
  /// Whether SwiftData can infer that two relationships are inverses of each other: an array and an
  /// optional to-one relationship, or two optional to-one relationships.
  package func canBeInferredInverse(of other: Relationship) -> Bool {
    !(isToMany && other.isToMany) && (isToMany || isOptional)
      && (other.isToMany || other.isOptional)
  }
}
