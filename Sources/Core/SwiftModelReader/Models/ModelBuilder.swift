#if SwiftSource
  import DataModel
  import SwiftModels

  /// Makes a model of classes: those of a list, and those that their relationships reach.
  struct ModelBuilder {
    let resolver: TypeResolver
    private var read: [String: ReadEntity] = [:]
    /// What all models leave open, each once.
    private(set) var notes: [SourceNote] = []

    init(resolver: TypeResolver) { self.resolver = resolver }

    /// A version of the classes; `owners` finds the version that a type is declared in.
    mutating func version(
      named name: String,
      identifier: String?,
      place: SourcePlace?,
      listed: [Declaration],
      owner: (Declaration) -> String?
    ) -> SwiftVersion {
      let members = reached(from: listed)
      var version = SwiftVersion(
        name: name,
        identifier: identifier,
        place: place,
        model: Model(entities: []),
        uses: []
      )
      var entities: [ReadEntity] = []
      for (type, property) in members {
        version.uses.append(
          SwiftTypeUse(
            kind: .model,
            type: type.path.joined(separator: "."),
            owner: owner(type),
            property: property,
            place: type.place
          )
        )
        if let twin = entities.first(where: { $0.entity.name == type.name }) {
          add(
            "two classes are called \(type.name), also at \(twin.declaration.place); the first is used",
            at: type.place
          )
          continue
        }
        entities.append(entity(of: type))
      }
      for entity in entities { take(entity, into: &version, owner: owner) }
      setModel(of: &version, entities.map(\.entity))
      return version
    }

    private mutating func take(
      _ read: ReadEntity,
      into version: inout SwiftVersion,
      owner: (Declaration) -> String?
    ) {
      let name = read.entity.name
      for (property, place) in read.places {
        version.places[property.isEmpty ? name : "\(name).\(property)"] = place
      }
      for (property, assumption) in read.assumed {
        version.assumed["\(name).\(property)"] = assumption
      }
      var known: Set<[String]> = []
      for (property, value) in read.values where known.insert([property] + value.path).inserted {
        version.uses.append(
          SwiftTypeUse(
            kind: value.kind == .enumType ? .enumeration : .value,
            type: value.path.joined(separator: "."),
            owner: owner(value),
            property: "\(name).\(property)",
            place: value.place
          )
        )
      }
    }

    /// The classes in the order of discovery, each with the property that leads to it.
    private mutating func reached(
      from listed: [Declaration]
    ) -> [(type: Declaration, property: String?)] {
      var result: [(type: Declaration, property: String?)] = []
      var seen: Set<String> = []
      var open: [(type: Declaration, property: String?)] = listed.map { ($0, nil) }
      while !open.isEmpty {
        let (type, property) = open.removeFirst()
        guard seen.insert(Self.key(of: type)).inserted else { continue }
        result.append((type, property))
        for (name, target) in entity(of: type).destinations {
          open.append((target, name.isEmpty ? type.name : "\(type.name).\(name)"))
        }
      }
      return result
    }

    private static func key(of type: Declaration) -> String {
      "\(type.place) \(type.path.joined(separator: "."))"
    }

    private mutating func entity(of type: Declaration) -> ReadEntity {
      let key = Self.key(of: type)
      if let known = read[key] { return known }
      let entity = EntityReader.read(type, with: resolver)
      read[key] = entity
      for note in entity.notes { add(note.message, at: note.place) }
      return entity
    }

    private mutating func add(_ message: String, at place: SourcePlace?) {
      let note = SourceNote(message, at: place)
      if !notes.contains(note) { notes.append(note) }
    }

    private mutating func setModel(of version: inout SwiftVersion, _ entities: [Entity]) {
      var inverses = InverseInference(entities: entities)
      inverses.run()
      for (message, entity, property) in inverses.faults {
        add(message, at: version.place(of: entity, property))
      }
      for property in inverses.ambiguous {
        version.assumed[property] = "no inverse is named, and several or none fit; read without one"
      }
      let read = Model(
        entities: inverses.entities,
        versionIdentifiers: [version.identifier ?? "1.0.0"],
        configurations: entities.isEmpty ? [:] : ["default": entities.map(\.name)]
      )
      let (model, problems) = read.workable()
      version.model = model
      for problem in problems where problem.severity == .error {
        let action = problem.remedy.map { "; \($0.action)" } ?? ""
        add("\(problem)\(action)", at: version.place(of: problem.entity ?? "", problem.part))
      }
    }
  }

  /// Pairs relationships: as the source names them, and where it names none, as SwiftData is seen and
  /// reported to infer them.
  ///
  /// Inferred are pairs of an array and an optional to-one, and of two optional to-ones, if exactly
  /// one fits. Many-to-many pairs and relations of a class to itself are assumed to have none.
  struct InverseInference {
    private(set) var entities: [Entity]
    private(set) var faults: [(message: String, entity: String, property: String)] = []

    init(entities: [Entity]) { self.entities = entities }

    mutating func run() {
      setNamed()
      infer()
    }

    private func index(of name: String) -> Int? { entities.firstIndex { $0.name == name } }

    /// The entity and those above it.
    private func lineage(_ index: Int) -> [Int] {
      var result = [index]
      while let above = entities[result[result.count - 1]].superentity.flatMap(index(of:)),
        !result.contains(above)
      {
        result.append(above)
      }
      return result
    }

    /// An inverse that one side names is that of the other side too.
    private mutating func setNamed() {
      for entity in entities.indices {
        for place in entities[entity].relationships.indices {
          let relationship = entities[entity].relationships[place]
          guard let inverse = relationship.inverse else { continue }
          let name = entities[entity].name
          let target = index(of: relationship.destination).map(lineage) ?? []
          guard let (other, otherPlace) = find(inverse, in: target) else {
            entities[entity].relationships[place].inverse = nil
            faults.append(
              (
                "\(name).\(relationship.name): \(relationship.destination) has no relationship "
                  + "'\(inverse)'; read without an inverse", name, relationship.name
              )
            )
            continue
          }
          let named = entities[other].relationships[otherPlace].inverse
          if named == nil {
            entities[other].relationships[otherPlace].inverse = relationship.name
          } else if named != relationship.name {
            entities[entity].relationships[place].inverse = nil
            faults.append(
              (
                "\(name).\(relationship.name): its inverse '\(inverse)' has another one, "
                  + "'\(named ?? "")'; read without an inverse", name, relationship.name
              )
            )
          }
        }
      }
    }

    /// The first of the entities that has a relationship, and the relationship's index.
    private func find(_ name: String, in targets: [Int]) -> (entity: Int, place: Int)? {
      for target in targets {
        if let place = entities[target].relationships.firstIndex(where: { $0.name == name }) {
          return (target, place)
        }
      }
      return nil
    }

    /// The relationships without inverse, such as `Trip.stops`, whose destination has one back.
    var ambiguous: [String] {
      entities.indices.flatMap { first in
        entities.indices.flatMap { second -> [String] in
          let (left, right) = (open(from: first, to: second), open(from: second, to: first))
          guard !left.isEmpty, !right.isEmpty, first != second || left.count > 1 else { return [] }
          return left.map { "\(entities[first].name).\(entities[first].relationships[$0].name)" }
        }
      }
    }

    private mutating func infer() {
      for first in entities.indices {
        for second in entities.indices where second > first {
          let (left, right) = (open(from: first, to: second), open(from: second, to: first))
          guard left.count == 1, right.count == 1 else { continue }
          let one = entities[first].relationships[left[0]]
          let other = entities[second].relationships[right[0]]
          guard Self.fits(one, other) || Self.fits(other, one) else { continue }
          entities[first].relationships[left[0]].inverse = other.name
          entities[second].relationships[right[0]].inverse = one.name
        }
      }
    }

    /// The relationships between two entities that have no inverse yet.
    private func open(from entity: Int, to destination: Int) -> [Int] {
      entities[entity].relationships.indices.filter {
        let relationship = entities[entity].relationships[$0]
        return relationship.destination == entities[destination].name && relationship.inverse == nil
      }
    }

    private static func fits(_ one: Relationship, _ other: Relationship) -> Bool {
      !other.isToMany && other.isOptional && (one.isToMany || one.isOptional)
    }
  }
#endif
