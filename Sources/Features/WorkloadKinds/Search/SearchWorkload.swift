import DataModel
import Dispatch
import PersistentStore
import Runner
import SQLite

/// What a search in texts costs, and what it costs to keep texts searchable.
package struct SearchWorkload: WorkloadKind {
  package static let description = KindDescription(
    name: "search",
    summary: "searches in texts: CONTAINS, a normalized copy, words, FTS5, in memory",
    question: "How should texts be searched?",
    metrics: Metric.search.all,
    example: "strategy: words, objects: 60, words: 5, searches: 12",
    fit: fit
  )

  package let parameters: SearchParameters

  package init(parameters: SearchParameters) {
    self.parameters = parameters
  }

  package var traits: CaseTraits {
    var traits = CaseTraits(endState: endState, onlyReads: onlyReads, startingStore: startingStore)
    traits.behaviours = behaviours
    traits.notes = notes
    traits.diskFactor = 0
    traits.diskBytes = diskBytes
    return traits
  }

  var onlyReads: Bool { parameters.operation == .search }

  var endState: String {
    let texts =
      "\(parameters.objects) texts of \(parameters.words) \(parameters.script.rawValue) words, "
      + "'\(parameters.entity)'"
    guard onlyReads else {
      return "\(parameters.saves) saves of \(parameters.objectsPerSave), \(texts)"
    }
    let ignored =
      parameters.effective.ignoresMarks
      ? "case and diacritics" : parameters.effective.ignoresCase ? "case" : "nothing"
    return "\(parameters.searches) searches for \(parameters.match.rawValue), \(ignored) ignored, "
      + texts
  }

  var behaviours: [Behaviour] {
    var behaviours = [Behaviour.layout]
    if parameters.usesFunction {
      let isLogged = parameters.strategy == .scan && parameters.effective == .localized
      behaviours.add("searchFlags", "of NSString.CompareOptions", isLogged ? .log : .assumed)
      behaviours.add(
        "\(parameters.$searchFunction)",
        parameters.searchFunction.rawValue,
        .assumed
      )
    }
    if parameters.strategy == .ftsInside {
      behaviours.add("ftsInStore", "unsupported by Apple", .documented)
    }
    return behaviours
  }

  var notes: [String] {
    switch parameters.strategy {
    case .ftsInside:
      ["altered store: it has a virtual table of the app, which Apple does not support"]
    case .ftsBeside: ["the index is in a separate file, updated from the history"]
    default: []
    }
  }

  var startingStore: String? {
    "search: \(parameters.strategy.rawValue), \(parameters.objects) texts of \(parameters.words) "
      + "\(parameters.script.rawValue) words, '\(parameters.entity)'"
  }

  var diskBytes: Int64 {
    let texts = parameters.objects + parameters.saves * parameters.objectsPerSave
    return PlainEntity.diskBytes(of: texts, each: 3 * (1_000 + 300 * parameters.words))
  }

  package func makeStartingStore(_ trial: Trial) throws {
    let model = try SearchModel(trial.original.ownModel(), parameters)
    let store = try trial.emptyStore(of: model.model, keepsHistory: parameters.keepsHistory)
    let texts = SearchTexts(parameters, seed: trial.seed)
    let index: WordIndex? =
      switch parameters.strategy {
      case .ftsInside: WordIndex(inside: store.connection)
      case .ftsBeside:
        try WordIndex(beside: trial.store, mode: .create, settings: trial.settings)
      default: nil
      }
    try index?.make()
    let engine = try SearchEngine(store, model, parameters, texts, index: index)
    let rows = SeededRow(seed: trial.seed, attributes: model.attributes, counter: model.counter)
    for start in stride(from: 1, through: parameters.objects, by: 500) {
      let keys = (start...min(start + 499, parameters.objects)).map { Int64($0) }
      for key in keys {
        let object = try engine.context.insert(model.entity)
        for attribute in model.attributes {
          try object.setValue(rows.value(of: attribute, key: key), of: attribute.name)
        }
        try engine.set(texts.words(of: key, version: 0), of: object)
      }
      try engine.context.save()
      engine.context.reset()
      try engine.keepUp(keys, version: 0)
    }
    try index?.connection.checkpoint()
  }

  package func prepare(_ trial: Trial) throws -> SearchSession {
    let model = try SearchModel(trial.original.ownModel(), parameters)
    let mode: Connection.Mode = onlyReads ? .readOnly : .readWrite
    let store = try PersistentStore.open(
      trial.store,
      mode: mode,
      options: PersistentStore.Options(settings: trial.settings, seed: trial.seed)
    )
    let index: WordIndex? =
      switch parameters.strategy {
      case .ftsInside: WordIndex(inside: store.connection)
      // A connection that only reads would leave the WAL's index beside the file.
      case .ftsBeside:
        try WordIndex(
          beside: trial.store,
          mode: onlyReads ? .immutable : mode,
          settings: trial.settings
        )
      default: nil
      }
    return SearchSession(
      engine: try SearchEngine(
        store,
        model,
        parameters,
        SearchTexts(parameters, seed: trial.seed),
        index: index
      )
    )
  }

  package func run(_ session: SearchSession, _ recorder: Recorder) throws {
    let engine = session.engine
    recorder.observe(engine.store.connection)
    if parameters.strategy == .ftsBeside, let index = engine.index {
      recorder.observe(index.connection)
    }
    let earlier = engine.host.reading
    if onlyReads {
      try search(session, recorder)
    } else {
      try save(engine, recorder)
      recorder.count(engine.context)
    }
    engine.host.report(since: earlier, as: .search.hostTime, .search.hostCalls, to: recorder)
  }

  private func search(_ session: SearchSession, _ recorder: Recorder) throws {
    var found: [[Int64]] = []
    for stem in SearchTexts(parameters, seed: 0).searched(parameters.searches) {
      found.append(try session.engine.keys(stem))
    }
    session.found.append(found)
    recorder.count(.search.found, found.reduce(0) { $0 + $1.count })
  }

  private func save(_ engine: SearchEngine, _ recorder: Recorder) throws {
    var longest: UInt64 = 0
    for save in 0..<parameters.saves {
      let keys = changedKeys(save)
      try recorder.phase(.phases.save) { try engine.save(keys, version: version(save)) }
      guard engine.index != nil else { continue }
      let start = DispatchTime.now().uptimeNanoseconds
      try recorder.phase(.search.upkeep) { try engine.keepUp(keys, version: version(save)) }
      longest = max(longest, DispatchTime.now().uptimeNanoseconds - start)
    }
    if engine.index != nil { recorder.record(.search.lag, Double(longest) / 1e9) }
  }

  /// The keys whose texts a save changes.
  func changedKeys(_ save: Int) -> [Int64] {
    (0..<parameters.objectsPerSave).map {
      Int64((save * parameters.objectsPerSave + $0) % parameters.objects) + 1
    }
  }

  func version(_ save: Int) -> Int { 1 + save % 63 }
}

/// An open store with its index, and what was found.
package final class SearchSession {
  let engine: SearchEngine
  /// The keys by iteration and search.
  var found: [[[Int64]]] = []

  init(engine: SearchEngine) {
    self.engine = engine
  }
}

extension SearchWorkload {
  static func fit(_ fit: inout CaseFit, to store: StoreOffer) {
    let parameters = SearchParameters(fit.values)
    fit.choosePlainEntity(parameters.$entity, parameters.entity, in: store)
  }

  struct Metrics: MetricFamily {
    let hostTime = Metric.time(
      "search.hostTime",
      column: "function",
      "time inside the function that compares texts; it is not Apple's, so its time is assumed"
    )
    let hostCalls = Metric.counter(
      "search.hostCalls",
      "number of calls of the function that "
        + "compares texts"
    )
    let found = Metric.tally("search.found", "number of objects found by all searches together")
    let upkeep = Metric.phase("upkeep", "updating an index after a save")
    let lag = Metric.time("search.lag", "longest time from a save until its texts are found")
  }
}

extension Metric {
  static let search = SearchWorkload.Metrics()
}
