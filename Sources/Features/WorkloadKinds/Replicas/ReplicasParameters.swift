import Basics
import DataModel
import PersistentStore
import Runner
import SQLite

struct ReplicasParameters: ParameterSet {
  @Parameter("the engine that compares and writes the objects") var engine = PlainEngine.objectGraph
  @Parameter(.name, "entity whose objects were changed") var entity = ""
  @Parameter(.name, "attribute that identifies an object") var identity = ""
  @Parameter(.name, "attribute with the date of an object's last change") var date = ""
  @Parameter(0...0.5, "share of the objects that each replica changed") var changed = 0.1
  @Parameter(0...1, "share of the objects that both replicas changed") var conflicts = 0.05
  @Parameter(1...1_000_000, "number of objects in a save") var batchSize = 500

  var irrelevant: Set<ParameterName> { engine == .bareSQL ? [$batchSize] : [] }

  var impossibility: String? {
    conflicts + 2 * changed > 1
      ? "'conflicts' plus twice 'changed' is more than all objects: make one of them smaller" : nil
  }
}

struct ReplicaShape {
  let entity: String
  let table: EntityTable
  /// The names of three columns: the identity, the date of the last change, and the edited string.
  let identity: String
  let date: String
  let text: String
  let textAttribute: String
  let dateAttribute: String
  let identityAttribute: String

  /// Finds the entity and attributes that the parameters name, or chooses them.
  ///
  /// - Throws: ``Refusal`` if no entity has all of these attributes.
  init(entity name: String, identity named: String, date dated: String, layout: StoreLayout) throws
  {
    for entity in layout.model.entities where !entity.isAbstract {
      guard name.isEmpty || entity.name == name,
        let table = layout.table(of: entity.name)
      else { continue }
      let attributes = layout.model.attributes(of: entity).filter { !$0.isTransient }
      let dates = attributes.filter { $0.type == .date }.map(\.name)
      let date =
        dated.isEmpty
        ? ["modif", "updat", "chang"].lazy.compactMap { word in
          dates.first { $0.lowercased().contains(word) }
        }.first : dates.first { $0 == dated }
      let identity = attributes.first {
        named.isEmpty ? $0.type == .uuid : $0.name == named
      }?.name
      let text = attributes.first { $0.type == .string && $0.name != identity }?.name
      guard let date, let identity, let text,
        let dateColumn = layout.column(of: date, in: entity.name)?.name,
        let identityColumn = layout.column(of: identity, in: entity.name)?.name,
        let textColumn = layout.column(of: text, in: entity.name)?.name
      else { continue }
      self.entity = entity.name
      self.table = table
      (dateAttribute, identityAttribute, textAttribute) = (date, identity, text)
      (self.date, self.identity, self.text) = (dateColumn, identityColumn, textColumn)
      return
    }
    throw Refusal(
      .badInput,
      name.isEmpty
        ? "no entity has a UUID, a date of its last change and a text; name one in 'entity', "
          + "'identity' and 'date'"
        : "'\(name)' has no UUID, no date of its last change or no text; name them in 'identity' and "
          + "'date'"
    )
  }
}

extension ReplicaShape {
  /// Checks the names in a workload kind's parameters against a store, or chooses names from the
  /// store's model.
  static func fit(
    _ fit: inout CaseFit,
    to store: StoreOffer,
    entity: (parameter: ParameterName, name: String),
    identity: (parameter: ParameterName, name: String),
    date: (parameter: ParameterName, name: String)
  ) {
    guard entity.name.isEmpty || store.model.entity(named: entity.name) != nil else {
      fit.look(entity.parameter) { _ = try store.model.knownEntity(entity.name) }
      for other in [identity, date] where !other.name.isEmpty {
        fit.reject(other.parameter, "it is an attribute of '\(entity.name)'")
      }
      return
    }
    fit.require {
      _ = try ReplicaShape(
        entity: entity.name,
        identity: identity.name,
        date: date.name,
        layout: store.layout
      )
    }
  }

  /// Checks that a merge is possible.
  ///
  /// - Throws: ``Refusal`` if several objects share an identity, or if the engine does not copy
  ///   external files.
  func check(_ connection: Connection, _ parameters: ReplicasParameters) throws {
    let doubled = try connection.integer(
      "SELECT 1 FROM \(table.name) WHERE \(identity) IS NOT NULL GROUP BY \(identity) "
        + "HAVING count(*) > 1 LIMIT 1"
    )
    if doubled != nil {
      throw Refusal(
        .badInput,
        "several objects of '\(entity)' have the same '\(identityAttribute)', so it does not identify "
          + "them in both replicas; merge the duplicates first"
      )
    }
    guard parameters.engine == .bareSQL else { return }
    for column in table.columns {
      if case .attribute(let attribute) = column.content, attribute.allowsExternalStorage {
        throw Refusal(
          .badInput,
          "'\(attribute.name)' of '\(entity)' is kept in files, which SQL does not copy: use the "
            + "engine 'objectGraph'"
        )
      }
    }
  }
}
