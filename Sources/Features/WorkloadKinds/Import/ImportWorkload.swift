import DataModel
import PersistentStore
import Runner
import SQLite

/// Measures the cost of importing a feed's records into a store, and reports the effect on values
/// that the user has set.
struct ImportWorkload: ScenarioKind {
  static let description = KindDescription(
    name: "import",
    summary: "imports of a feed: find or create, upsert, batch insert",
    question: "How should the records of a feed be imported?",
    metrics: Metric.importing.all,
    example: "strategy: fetchChunk, records: 60, present: 0.5, chunk: 20, links: 3",
    fit: PlainEntity.fit
  )

  let parameters: ImportParameters
  var durability: CommitDurability? { parameters.durability }

  var traits: CaseTraits {
    let present = parameters.presentCount
    let links = parameters.links > 0 ? ", \(parameters.links)" : ""
    var traits = CaseTraits(
      endState:
        "\(parameters.records) records of '\(parameters.entity)', \(present) of them present"
        + (links.isEmpty ? "" : links + " linked to") + treatment,
      ownStore: "import: '\(parameters.entity)', \(present) of \(parameters.records) records, "
        + "index \(parameters.index.rawValue)" + (links.isEmpty ? "" : links + " to link to"),
      bytes: PlainEntity.diskBytes(of: parameters.records * 4 + parameters.links, each: 1_000)
    )
    traits.job += ", durability \(parameters.durability.rawValue)"
    traits.expectedFailure = parameters.mustFail ? "UNIQUE constraint failed" : nil
    traits.batchSize = parameters.chunk
    traits.notes = parameters.engine.notes
    guard parameters.engine == .objectGraph else { return traits }
    traits.behaviours = [.layout]
    if parameters.isBatch {
      traits.behaviours.add("batchInsertStatement", "one a row", .log)
      traits.behaviours.assume(parameters.$batchKeys, parameters.batchKeys)
    }
    if parameters.strategy == .fetchChunk || parameters.isBatch && parameters.links > 0 {
      traits.behaviours.add("valueList", "IN with parameters", .assumed)
    }
    return traits
  }

  private var treatment: String {
    guard parameters.presentCount > 0 else { return "" }
    if parameters.mustFail { return ", chunks of \(parameters.chunk) up to the first present one" }
    if parameters.doublesPresent { return ", doubled" }
    if !parameters.updatesPresent { return parameters.links > 0 ? ", only linked" : ", kept" }
    return parameters.columns == .everything ? ", overwritten" : ", updated"
  }

  // MARK: Making the store

  func fill(_ stage: Stage<ImportContent>) throws {
    let content = stage.content
    let feed = Feed(content)
    let context = try ObjectContext(store: stage.store)
    for key in 1...Int64(max(1, parameters.links)) where parameters.links > 0 {
      try context.insert(content.groupEntity)
        .setValue(.text("group \(key)"), of: ImportContent.name)
    }
    try context.save()
    context.reset()
    for (index, record) in (0..<parameters.records).filter(parameters.isPresent).enumerated() {
      let object = try context.insert(content.entity)
      for (attribute, value) in zip(content.payload, feed.values(of: record, isOld: true)) {
        try object.setValue(value, of: attribute.name)
      }
      try object.setValue(.text(feed.identifier(of: record)), of: content.identifier)
      try object.setValue(.integer(feed.isFavorite(record) ? 1 : 0), of: content.favorite)
      if let key = feed.link(of: record, isOld: true) {
        let group = context.object(try context.description(of: content.groupEntity), key: key)
        try object.setTarget(group, of: ImportContent.link)
      }
      guard index % 1_000 == 999 else { continue }
      try context.save()
      context.reset()
    }
    try context.save()
  }

  func run(_ session: ImportSession, _ recorder: Recorder) throws {
    parameters.engine.observe(session.store, by: recorder)
    try recorder.phase(.importing.records) {
      for chunk in parameters.chunks { try session.engine.load(chunk) }
    }
    if parameters.isBatch, parameters.links > 0 {
      try recorder.phase(.importing.links) {
        for chunk in parameters.chunks { try session.engine.link(chunk) }
      }
    }
    if let context = session.context { recorder.count(context) }
  }

  struct Metrics: MetricFamily {
    let records = Metric.phase("records", "making objects from the records of a feed")
    let links = Metric.phase("links", "linking the objects of a feed in a second pass")
  }
}

extension Metric {
  static let importing = ImportWorkload.Metrics()
}

final class ImportSession: StageSession {
  let store: PersistentStore
  let engine: any ImportEngine
  let context: ObjectContext?

  init(_ stage: Stage<ImportContent>) throws {
    store = stage.store
    let engine = stage.content.parameters.engine
    if let writer = try engine.writer(on: store, stage.settings) {
      self.engine = try StatementImport(writer, store.layout, stage.content)
      context = nil
    } else {
      let loading = try ContextImport(store, stage.content)
      self.engine = loading
      context = loading.context
    }
  }
}
