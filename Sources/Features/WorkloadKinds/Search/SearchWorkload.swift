import Basics
import DataModel
import Dispatch
import PersistentStore
import Runner
import SQLite

/// Measures the cost of searching strings and of keeping them searchable.
struct SearchWorkload: ScenarioKind {
  static let description = KindDescription(
    name: "search",
    summary: "searches in texts: CONTAINS, a normalized copy, words, FTS5, in memory",
    question: "How should texts be searched?",
    metrics: Metric.search.all,
    example: "strategy: words, objects: 60, words: 5, searches: 12",
    fit: PlainEntity.fit
  )

  let parameters: SearchParameters
  var onlyReads: Bool { parameters.operation == .search }

  var traits: CaseTraits {
    let texts =
      "\(parameters.objects) texts of \(parameters.words) \(parameters.script.rawValue) words, "
      + "'\(parameters.entity)'"
    let changed = parameters.saves * parameters.objectsPerSave
    var traits = CaseTraits(
      endState: "\(work), \(texts)",
      onlyReads: onlyReads,
      ownStore: "search: \(parameters.strategy.rawValue), \(texts)",
      bytes: PlainEntity.diskBytes(
        of: parameters.objects + changed,
        each: 3 * (1_000 + 300 * parameters.words)
      )
    )
    traits.behaviours = [.layout]
    if parameters.usesFunction {
      let isLogged = parameters.strategy == .scan && parameters.effective == .localized
      traits.behaviours.add(
        "searchFlags",
        "of NSString.CompareOptions",
        isLogged ? .log : .assumed
      )
      traits.behaviours.assume(parameters.$searchFunction, parameters.searchFunction)
    }
    switch parameters.strategy {
    case .ftsInside:
      traits.behaviours.add("ftsInStore", "unsupported by Apple", .documented)
      traits.notes = [
        "altered store: it has a virtual table of the app, which Apple does not support"
      ]
    case .ftsBeside: traits.notes = ["the index is in a separate file, updated from the history"]
    case .scan, .normalized, .words, .inMemory: break
    }
    return traits
  }

  private var work: String {
    guard onlyReads else { return "\(parameters.saves) saves of \(parameters.objectsPerSave)" }
    let effective = parameters.effective
    let ignored =
      effective.ignoresMarks ? "case and diacritics" : effective.ignoresCase ? "case" : "nothing"
    return "\(parameters.searches) searches for \(parameters.match.rawValue), \(ignored) ignored"
  }

  func fill(_ stage: Stage<SearchContent>) throws {
    let content = stage.content
    let index = try index(of: stage, mode: .create)
    try index?.make()
    let engine = try SearchEngine(stage.store, content, index: index)
    for keys in (1..<parameters.objects + 1).chunks(of: 500) {
      try engine.context.fill(content.entity, content.rows, keys: ClosedRange(keys)) {
        try engine.set(content.texts.words(of: $1, version: 0), of: $0)
      }
      try engine.keepUp(keys.map { Int64($0) }, version: 0)
    }
    try index?.connection.checkpoint()
  }

  func session(_ stage: Stage<SearchContent>) throws -> SearchEngine {
    // Open the file of the index as immutable, because a read-only connection would leave a `-shm`
    // file next to it.
    let index = try index(of: stage, mode: onlyReads ? .immutable : .readWrite)
    return try SearchEngine(stage.store, stage.content, index: index)
  }

  private func index(of stage: Stage<SearchContent>, mode: Connection.Mode) throws -> WordIndex? {
    switch parameters.strategy {
    case .ftsInside: WordIndex(inside: stage.store.connection)
    case .ftsBeside:
      try WordIndex(beside: stage.store.file, mode: mode, settings: stage.settings)
    case .scan, .normalized, .words, .inMemory: nil
    }
  }

  func run(_ engine: SearchEngine, _ recorder: Recorder) throws {
    recorder.observe(engine.store.connection)
    if parameters.strategy == .ftsBeside, let index = engine.index {
      recorder.observe(index.connection)
    }
    let earlier = engine.host.reading
    if onlyReads {
      let found = try engine.searched.map { try engine.keys($0) }
      engine.found.append(found)
      recorder.count(.search.found, found.reduce(0) { $0 + $1.count })
    } else {
      try save(engine, recorder)
      recorder.count(engine.context)
    }
    engine.host.report(since: earlier, as: .search.hostTime, .search.hostCalls, to: recorder)
  }

  private func save(_ engine: SearchEngine, _ recorder: Recorder) throws {
    var longest: UInt64 = 0
    for save in 0..<parameters.saves {
      let keys = changedKeys(save)
      try recorder.phase(.phases.save) { try engine.save(keys, version: version(save)) }
      guard engine.index != nil else { continue }
      let start = MonotonicClock.now()
      try recorder.phase(.search.upkeep) { try engine.keepUp(keys, version: version(save)) }
      longest = max(longest, MonotonicClock.now() - start)
    }
    if engine.index != nil { recorder.record(.search.lag, Double(longest) / 1e9) }
  }

  func changedKeys(_ save: Int) -> [Int64] {
    turns(save, parameters.objectsPerSave, of: parameters.objects)
  }

  func version(_ save: Int) -> Int { 1 + save % 63 }

  struct Metrics: MetricFamily {
    let hostTime = Metric.time(
      "search.hostTime",
      "time inside the function that compares texts; it is not Apple's, so its time is assumed"
    )
    let hostCalls = Metric.counter(
      "search.hostCalls",
      "number of calls of the function that compares texts"
    )
    let found = Metric.tally("search.found", "number of objects found by all searches together")
    let upkeep = Metric.phase("upkeep", "updating an index after a save")
    let lag = Metric.time("search.lag", "longest time from a save until its texts are found")
  }
}

extension Metric {
  static let search = SearchWorkload.Metrics()
}
