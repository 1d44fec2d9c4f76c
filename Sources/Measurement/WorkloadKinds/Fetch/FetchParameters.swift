import PersistentStore
import Runner

/// One case of a fetch, as its parameters say it.
struct FetchParameters: Sendable {
  /// What reads the store.
  enum Engine: String, CaseIterable {
    /// An object context.
    case objectGraph
    /// Plain statements that select what is read and nothing else.
    case bareSQL
    /// GRDB's records.
    case grdb
  }

  /// How the objects are reached.
  enum Strategy: String, CaseIterable {
    /// All rows with the fetch.
    case eager
    /// The keys with the fetch, the rows batch by batch.
    case batched
    /// The keys with the fetch, the rows one by one.
    case faults
    /// The number alone.
    case count
  }

  /// Which of the fetched objects are read, and in which order.
  enum AccessPattern: String, CaseIterable {
    case none
    /// The objects that fit a screen.
    case firstScreen
    /// Every object, from the first to the last.
    case scrollAll
    /// The first screen, then screens at places all over the list.
    case randomJump
  }

  /// When a file of external storage is read, where a case says so.
  enum ExternalDataLoad: String, CaseIterable {
    /// On access, and no choice to speak of where nothing is kept externally.
    case unspecified
    case onAccess
    case onFetch
  }

  let engine: Engine
  let strategy: Strategy
  let accessPattern: AccessPattern
  let entity: String
  let batchSize: Int
  let prefetch: [String]
  let predicate: String
  let sort: [String]
  let limit: Int
  let offset: Int
  let attributes: [String]
  let readsBlobs: Bool
  let touchedShare: Double
  let relationship: String
  let behaviours: StoreBehaviours
  let externalDataLoad: ExternalDataLoad

  init(_ values: ParameterValues) {
    engine = values.choice("engine") ?? .objectGraph
    strategy = values.choice("strategy") ?? .eager
    accessPattern = values.choice("accessPattern") ?? .scrollAll
    entity = values.text("entity")
    batchSize = max(1, values.integer("batchSize"))
    prefetch = values.list("prefetch")
    predicate = values.text("predicate")
    sort = values.list("sort")
    limit = values.integer("limit")
    offset = values.integer("offset")
    attributes = values.list("attributes")
    readsBlobs = values.boolean("readsBlobs")
    touchedShare = values.real("touchedShare")
    relationship = values.text("relationship")
    externalDataLoad = values.choice("externalDataLoad") ?? .unspecified
    behaviours = StoreBehaviours(
      externalDataLoad: externalDataLoad == .onFetch ? .onFetch : .onAccess,
      toManyFault: values.choice("toManyFault") ?? .keys,
      batchRetention: values.choice("batchRetention") ?? .current
    )
  }
}

extension FetchParameters {
  static let axes: [Axis] = [
    .choice("engine", Engine.self, "what reads the store"),
    .choice("strategy", Strategy.self, "how the objects are reached"),
    Axis("batchSize", .integer(1...100_000), default: .integer(20), "objects a batch"),
    Axis("prefetch", .names, default: .list([]), "relationships loaded with the objects"),
    Axis("entity", .name, default: .text(""), "the entity; the one with most objects by default"),
    Axis("predicate", .name, default: .text(""), "a condition, such as isCompleted == 0"),
    Axis("sort", .names, default: .list([]), "attributes to sort by; -NAME for descending"),
    Axis("limit", .integer(0...1_000_000_000), default: .integer(0), "the most objects; 0 for all"),
    Axis("offset", .integer(0...1_000_000_000), default: .integer(0), "objects passed over"),
    Axis(
      "accessPattern",
      .choice(AccessPattern.allCases.map(\.rawValue)),
      default: .text(AccessPattern.scrollAll.rawValue),
      "which objects are read"
    ),
    Axis("attributes", .names, default: .list([]), "what is read of each object; all by default"),
    Axis(
      "readsBlobs",
      .boolean,
      default: .boolean(true),
      "whether binary data is read, where 'attributes' names none"
    ),
    Axis(
      "touchedShare",
      .real(0...1),
      default: .real(0),
      "the share of the objects read whose relationship is followed"
    ),
    Axis(
      "relationship",
      .name,
      default: .text(""),
      "the relationship followed; by default the first prefetched one, or the first to-one"
    ),
    .choice(
      "externalDataLoad",
      ExternalDataLoad.self,
      "when a file of external storage is read"
    ),
    .choice(
      "toManyFault",
      StoreBehaviours.ToManyFault.self,
      "what firing a to-many fault reads"
    ),
    .choice(
      "batchRetention",
      StoreBehaviours.BatchRetention.self,
      "which batches stay in memory"
    ),
  ]

  /// The parameters that change nothing in a case.
  var irrelevant: Set<String> {
    var names: Set<String> = []
    if strategy != .batched { names.formUnion(["batchSize", "batchRetention"]) }
    if engine != .objectGraph {
      names.formUnion(["batchRetention", "externalDataLoad", "toManyFault"])
    }
    if !attributes.isEmpty { names.insert("readsBlobs") }
    if touchedShare == 0 || accessPattern == .none {
      names.formUnion(["touchedShare", "relationship", "toManyFault"])
    }
    if strategy == .count {
      names.formUnion([
        "prefetch", "sort", "limit", "offset", "accessPattern", "attributes", "readsBlobs",
        "touchedShare", "relationship", "externalDataLoad", "toManyFault",
      ])
    }
    return names
  }

  /// Why the case cannot be run; `nil` for a possible one.
  var impossibility: String? {
    do {
      _ = try Condition(predicate)
    } catch {
      return "\(error)"
    }
    if strategy == .faults, !prefetch.isEmpty {
      return "faults that are fired one by one are not prefetched for: use 'eager' or 'batched'"
    }
    if engine != .objectGraph, strategy != .count, !prefetch.isEmpty || touchedShare > 0 {
      return "the engine '\(engine.rawValue)' follows no relationships: leave 'prefetch' empty and "
        + "'touchedShare' 0, or use 'objectGraph'"
    }
    guard engine == .grdb else { return nil }
    if strategy == .faults { return "a record of GRDB's is no fault: use 'eager' or 'batched'" }
    if strategy != .count, !attributes.isEmpty || !readsBlobs {
      return "a record of GRDB's is read whole: leave 'attributes' empty and 'readsBlobs' true"
    }
    return nil
  }

  /// The request for a context.
  func request(for entity: String, predicate: Predicate?) -> FetchRequest {
    FetchRequest(
      entity,
      predicate: predicate,
      sortDescriptors: sortKeys.map {
        FetchRequest.SortDescriptor($0.property, ascending: !$0.isDescending)
      },
      fetchLimit: limit,
      fetchOffset: offset,
      fetchBatchSize: strategy == .batched ? batchSize : 0,
      relationshipsForPrefetching: prefetch,
      includesPropertyValues: strategy != .faults
    )
  }

  /// The attributes to sort by.
  var sortKeys: [(property: String, isDescending: Bool)] {
    sort.map { key in
      key.hasPrefix("-") ? (String(key.dropFirst()), true) : (key, false)
    }
  }
}
