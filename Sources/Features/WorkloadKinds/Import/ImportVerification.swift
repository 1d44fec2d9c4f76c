import DataModel
import PersistentStore
import Runner
import SQLite

extension ImportWorkload {
  package func verify(_ session: ImportSession, _ trial: Trial) throws -> Verification {
    let outcome = try ImportOutcome(parameters, trial)
    let problems = try outcome.problems()
    guard problems.isEmpty else { throw VerificationFailure(problems) }
    // Ways that end with the same objects give them other keys.
    return Verification(
      digest: try outcome.inspection.digest(DigestOptions(identity: .content)),
      notes: ["objects shaped as '\(parameters.entity)'"],
      losses: outcome.losses
    )
  }
}

/// Compares a store with what an import had to make of it, by plain SQL.
private struct ImportOutcome {
  let inspection: StoreInspection
  private let parameters: ImportParameters
  private let trial: Trial
  private let model: ImportModel
  private let feed: Feed
  private let layout: StoreLayout

  init(_ parameters: ImportParameters, _ trial: Trial) throws {
    self.parameters = parameters
    self.trial = trial
    model = try ImportModel(trial.original.ownModel(), parameters)
    feed = Feed(parameters, model, seed: trial.seed)
    layout = StoreLayout(model: model.model, keepsHistory: false)
    var inspection = StoreInspection(store: trial.store, layout: layout)
    inspection.toleratesOldFaults = false
    self.inspection = inspection
  }

  /// What became of objects that were there, counted.
  var losses: [String] {
    let present = (0..<parameters.records).filter(parameters.isPresent)
    guard !present.isEmpty else { return [] }
    if parameters.mustFail { return ["\(parameters.records - saved) records not imported"] }
    if parameters.doublesPresent { return ["\(present.count) records have two objects"] }
    if !parameters.updatesPresent {
      return ["\(present.count) objects have older values than the feed"]
    }
    let marked = present.filter(feed.isFavorite).count
    guard parameters.columns == .everything, marked > 0 else { return [] }
    return ["\(marked) favorites of the user overwritten"]
  }

  /// How many records, in the order of the feed, the saves took before one had to fail.
  private var saved: Int {
    guard parameters.mustFail,
      let first = (0..<parameters.records).first(where: parameters.isPresent)
    else { return parameters.records }
    return first / parameters.chunk * parameters.chunk
  }

  /// One sentence for each thing that is not as the import had to leave it.
  func problems() throws -> [String] {
    var expected = ExpectedContent(from: try StoreContent(store: trial.start, layout: layout))
    let present = (0..<saved).filter(parameters.isPresent)
    let presentKeys = Dictionary(
      present.enumerated().map { (Int64($0.offset) + 1, $0.element) },
      uniquingKeysWith: { first, _ in first }
    )
    if !parameters.doublesPresent {
      try expected.change(model.entity) { object in
        if let record = presentKeys[object.key] { try update(&object, record) }
      }
    }
    let found = try newKeys(after: Int64(parameters.presentCount))
    // A record without an object is expected where no object is.
    var spare = (found.max() ?? 0) + Int64(parameters.records) + 1
    var records: [Int64: Int] = [:]
    for record in 0..<saved where parameters.doublesPresent || !parameters.isPresent(record) {
      let key = found[record] > 0 ? found[record] : spare
      if key == spare { spare += 1 }
      records[key] = record
    }
    let original = expected
    expected.add(model.entity, keys: Array(records.keys)) { key in
      try object(of: records[key] ?? 0, key: key, in: original)
    }
    return try inspection.problems(expecting: expected) { $0.comparesVersions = true }
  }

  /// The keys of the objects that the import made, by their records; 0 where there is none.
  private func newKeys(after last: Int64) throws -> [Int64] {
    var keys = [Int64](repeating: 0, count: parameters.records)
    guard let table = layout.table(of: model.entity)?.name,
      let column = layout.column(of: model.identifier, in: model.entity)?.name
    else { return keys }
    let row = try trial.store.plainConnection().prepare(
      "SELECT \(column), Z_PK FROM \(table) WHERE Z_PK > ?1"
    )
    row.bind(last, at: 1)
    while try row.step() {
      guard let record = feed.record(of: row.text(at: 0)), keys[record] == 0 else { continue }
      keys[record] = row.integer(at: 1)
    }
    return keys
  }

  private func object(
    of record: Int,
    key: Int64,
    in content: ExpectedContent
  ) throws -> ContentObject {
    var object = try content.makeObject(model.entity, key: key)
    try setPayload(&object, record)
    try object.set(model.identifier, .text(feed.identifier(of: record)))
    try object.set(model.favorite, .integer(0))
    try setLink(&object, record)
    // A second pass saves each object once more.
    if parameters.isBatch, parameters.links > 0 { object.version = .integer(2) }
    return object
  }

  private func update(_ object: inout ContentObject, _ record: Int) throws {
    var saves = 0
    if parameters.updatesPresent {
      try setPayload(&object, record)
      if parameters.columns == .everything { try object.set(model.favorite, .integer(0)) }
      if !parameters.isBatch { try setLink(&object, record) }
      saves += 1
    }
    if parameters.isBatch, parameters.links > 0 {
      try setLink(&object, record)
      if feed.link(of: record) != feed.link(of: record, isOld: true) { saves += 1 }
    }
    object.version = .integer(1 + Int64(saves))
  }

  private func setPayload(_ object: inout ContentObject, _ record: Int) throws {
    for (attribute, value) in zip(model.payload, feed.values(of: record)) {
      try object.set(attribute.name, ContentValue(value))
    }
  }

  private func setLink(_ object: inout ContentObject, _ record: Int) throws {
    guard let key = feed.link(of: record) else { return }
    let group = ContentReference(entity: model.groupEntity, key: key)
    try object.set(ImportModel.link, .object(group))
  }
}
