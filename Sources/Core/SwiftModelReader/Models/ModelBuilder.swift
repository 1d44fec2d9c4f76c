#if SwiftSource
  import DataModel
  import SwiftModels

  /// Builds a model from the listed classes and all classes that their relationships reach.
  struct ModelBuilder {
    let resolver: TypeResolver
    private var read: [String: ReadEntity] = [:]
    private(set) var notes = SourceNotes()

    init(resolver: TypeResolver) { self.resolver = resolver }

    /// Builds a version from classes; `owner` returns the version in which a type is declared.
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
      var used: [String: Declaration] = [:]
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
        if let twin = used[type.name] {
          add(
            "two classes are called \(type.name), also at \(twin.place); the first is used",
            at: type.place
          )
          continue
        }
        used[type.name] = type
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
      for (property, cases) in read.enumCases {
        version.enumCases["\(name).\(property)"] = cases
      }
      for type in read.unknown { version.assumed[type] = "it is not in the sources" }
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

    private mutating func reached(
      from listed: [Declaration]
    ) -> [(type: Declaration, property: String?)] {
      var result: [(type: Declaration, property: String?)] = []
      var seen: Set<String> = []
      var open: [(type: Declaration, property: String?)] = listed.map { ($0, nil) }
      var next = 0
      while next < open.count {
        let (type, property) = open[next]
        next += 1
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
      notes.add(SourceNote(message, at: place))
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
#endif
