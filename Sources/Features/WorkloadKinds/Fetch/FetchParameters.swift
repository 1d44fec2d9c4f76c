import PersistentStore
import Runner

/// The parameters of one fetch case.
package struct FetchParameters: ParameterSet {
  /// How the objects are loaded.
  enum Strategy: String, CaseIterable, Sendable {
    /// Loads all rows with the fetch.
    case eager
    /// Loads the keys with the fetch and the rows in batches.
    case batched
    /// Loads the keys with the fetch and the rows one by one.
    case faults
    /// Counts the objects without loading them.
    case count
  }

  /// Where a condition on the objects is checked.
  enum Filter: String, CaseIterable, Sendable {
    /// SQLite checks the condition in the statement of the fetch.
    case store
    /// The condition is checked in memory after all objects have been fetched.
    case memory
  }

  /// The fetched objects that are read, and their order.
  enum AccessPattern: String, CaseIterable, Sendable {
    case none
    /// The objects that fit on a screen.
    case firstScreen
    /// Every object, from the first to the last.
    case scrollAll
    /// The first screen, then screens at random positions in the list.
    case randomJump
  }

  /// When a file of external storage is read.
  enum ExternalDataLoad: String, CaseIterable, Sendable {
    /// Files are read on access. This default is not listed as an assumption, because it has no
    /// effect on stores without external storage.
    case unspecified
    case onAccess
    case onFetch
  }

  @Parameter("the engine that reads the store") var engine = ChangeEngine.objectGraph
  @Parameter("how the objects are loaded") var strategy = Strategy.eager
  @Parameter(1...100_000, "objects in a batch") var batchSize = 20
  @Parameter(.names, "relationships or paths loaded with the objects")
  var prefetch: [String] = []
  @Parameter(.name, "the entity; default: the entity with most objects") var entity = ""
  @Parameter(.name, "a condition, such as isCompleted == 0") var predicate = ""
  @Parameter("where the condition is checked") var filter = Filter.store
  @Parameter(0...1_000_000_000, "fewest objects that the condition must match") var matches = 1
  @Parameter(named: "indexes", "whether the entity's fetch indexes exist")
  var hasIndexes = true
  @Parameter(
    .names,
    "attributes or paths to sort by; -NAME for descending, 'NAME localized' for a collation"
  )
  var sort: [String] = []
  @Parameter("how texts are compared for the order")
  var collation = FrameworkFunctions.Collation.binary
  @Parameter(0...1_000_000_000, "largest number of objects; 0 for all") var limit = 0
  @Parameter(0...1_000_000_000, "objects skipped") var offset = 0
  @Parameter("which objects are read") var accessPattern = AccessPattern.scrollAll
  @Parameter(.names, "attributes that are read of each object; default: all") var attributes:
    [String] = []
  @Parameter("whether binary attributes are read, if 'attributes' is empty") var readsBlobs = true
  @Parameter(0...1, "share of the read objects whose relationship is followed")
  var touchedShare = 0.0
  @Parameter(
    .name,
    "the relationship or path that is followed; default: the first prefetched one, or the first "
      + "to-one relationship"
  )
  var relationship = ""
  @Parameter("when a file of external storage is read")
  var externalDataLoad = ExternalDataLoad.unspecified
  @Parameter("what firing a to-many fault reads") var toManyFault = StoreBehaviours.ToManyFault.keys
  @Parameter("which batches stay in memory")
  var batchRetention = StoreBehaviours.BatchRetention.current

  package init() {}

  package var irrelevant: Set<ParameterName> {
    var names: Set<ParameterName> = []
    if strategy != .batched { names.formUnion([$batchSize, $batchRetention]) }
    if engine != .objectGraph {
      names.formUnion([$batchRetention, $externalDataLoad, $toManyFault])
    }
    if !attributes.isEmpty { names.insert($readsBlobs) }
    if touchedShare == 0 || accessPattern == .none {
      names.formUnion([$touchedShare, $relationship, $toManyFault])
    }
    if predicate.isEmpty { names.formUnion([$filter, $matches]) }
    if sort.isEmpty { names.insert($collation) }
    if strategy == .count {
      names.formUnion([
        $prefetch, $sort, $collation, $limit, $offset, $accessPattern, $attributes, $readsBlobs,
        $touchedShare, $relationship, $externalDataLoad, $toManyFault,
      ])
    }
    return names
  }

  package var impossibility: String? {
    do {
      _ = try Condition(predicate)
    } catch {
      return "\(error)"
    }
    if !predicate.isEmpty, filter == .memory {
      if engine != .objectGraph || strategy == .count {
        return "a filter in memory reads the objects of a context: use 'engine: objectGraph' and "
          + "another strategy than 'count'"
      }
      if limit > 0 || offset > 0 {
        return "a filter in memory would run after 'limit' and 'offset': leave both at 0"
      }
    }
    if engine == .grdb, usesCollation {
      return "GRDB's connection lacks the frameworks' collations: use a different engine"
    }
    if engine == .grdb, usesFrameworkSearch {
      return "GRDB's connection lacks the frameworks' text search: use a different engine"
    }
    if strategy == .faults, !prefetch.isEmpty {
      return "prefetching has no effect when faults are fired one by one: use 'eager' or 'batched'"
    }
    if engine != .objectGraph, strategy != .count, !prefetch.isEmpty || touchedShare > 0 {
      return "the engine '\(engine.rawValue)' follows no relationships: leave 'prefetch' empty and "
        + "'touchedShare' 0, or use 'objectGraph'"
    }
    return nil
  }
}

extension FetchParameters {
  var behaviours: StoreBehaviours {
    StoreBehaviours(
      externalDataLoad: externalDataLoad == .onFetch ? .onFetch : .onAccess,
      toManyFault: toManyFault,
      batchRetention: batchRetention
    )
  }

  /// Whether the sort order needs a collation that must first be registered with SQLite.
  var usesCollation: Bool {
    strategy != .count && sortKeys.contains { $0.collation != .binary }
  }

  /// Whether the condition compares strings with a function that GRDB's connection lacks.
  var usesFrameworkSearch: Bool { Condition.searchesText(predicate) }

  /// The fetch request for a context.
  func request(for entity: String, predicate: Predicate?) -> FetchRequest {
    FetchRequest(
      entity,
      predicate: filter == .memory ? nil : predicate,
      sortDescriptors: sortKeys.map {
        FetchRequest.SortDescriptor(
          $0.property,
          ascending: !$0.isDescending,
          collation: $0.collation
        )
      },
      fetchLimit: limit,
      fetchOffset: offset,
      fetchBatchSize: strategy == .batched ? batchSize : 0,
      relationshipsForPrefetching: prefetch,
      includesPropertyValues: strategy != .faults
    )
  }

  var sortKeys: [SortKey] { sort.map { SortKey($0, collation: collation) } }

  /// A description of the objects that must be read.
  ///
  /// Cases with the same description must read the same objects. If the sort order is ambiguous,
  /// engines may return different parts of a limited result, so only complete results are compared
  /// across engines.
  var endState: String {
    if strategy == .count { return "counted " + kept([$entity, $predicate]) }
    if accessPattern == .none {
      return "found " + kept([$entity, $predicate, $limit, $offset])
    }
    guard accessPattern == .scrollAll, limit == 0, offset == 0 else {
      return "read " + values.without(irrelevant.union([$matches])).canonical
    }
    return "read all " + kept([$entity, $predicate, $attributes, $readsBlobs])
  }

  /// The name of the work.
  ///
  /// Cases with the same name are compared, so it omits parameters such as the engine and the batch
  /// size.
  var job: String {
    "read "
      + kept([
        $entity, $predicate, $sort, $collation, $limit, $offset, $accessPattern, $attributes,
        $readsBlobs,
        $touchedShare, $relationship,
      ]) + (strategy == .count ? ", counted" : "")
  }

  private func kept(_ names: Set<ParameterName>) -> String {
    values.keeping(names.subtracting(irrelevant)).canonical
  }

  /// The behaviors of Core Data that the case imitates.
  var assumptions: [Behaviour] {
    var result: [Behaviour] = []
    if usesFrameworkSearch {
      result.append(.searchFunction)
    }
    if usesCollation {
      let names = Set(sortKeys.compactMap { $0.collation.name }).sorted()
      result.add("sortStatement", "COLLATE \(names.joined(separator: ", "))", .log)
      result.append(.sortFunction)
    }
    guard engine == .objectGraph else { return result }
    if strategy != .count, sortKeys.contains(where: \.isPath) {
      result.append(.sortJoin)
    }
    if strategy != .count, prefetch.contains(where: { $0.contains(".") }) {
      result.append(.prefetchPath)
    }
    if Condition.usesAny(predicate), filter == .store {
      result.add("anyStatement", "count of a subquery", .assumed)
    }
    if !irrelevant.contains($batchRetention) { result.assume($batchRetention, batchRetention) }
    if externalDataLoad != .unspecified, !irrelevant.contains($externalDataLoad) {
      result.assume($externalDataLoad, externalDataLoad)
    }
    if !irrelevant.contains($toManyFault) { result.add($toManyFault, toManyFault) }
    return result
  }
}
