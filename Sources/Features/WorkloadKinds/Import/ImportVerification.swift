import DataModel
import PersistentStore
import Runner
import SQLite

extension ImportWorkload {
  func outcome(
    of session: ImportSession,
    _ expected: ExpectedStore,
    _ content: ImportContent
  ) throws -> Outcome {
    let feed = Feed(content)
    let names = try EntityNames(content.entity, in: expected.layout)
    func payload(_ record: Int) -> [PropertyValue] {
      zip(content.payload, feed.values(of: record)).map { ($0.name, $1) }
    }
    func link(_ record: Int) -> [PropertyValue] {
      feed.link(of: record).map { [(ImportContent.link, .integer($0))] } ?? []
    }
    let favorite: [PropertyValue] = [(content.favorite, .integer(0))]
    let present = (0..<saved).filter(parameters.isPresent)
    for (index, record) in present.enumerated() where !parameters.doublesPresent {
      let key = Int64(index) + 1
      if parameters.updatesPresent {
        let overwritten = parameters.columns == .everything ? favorite : []
        let linked = parameters.isBatch ? [] : link(record)
        try expected.set(payload(record) + overwritten + linked, of: key, in: names)
      }
      // A batch import sets the links in a second pass, which increments the versions of changed
      // objects again.
      if parameters.isBatch { try expected.set(link(record), of: key, in: names) }
    }
    let found = try newKeys(feed, names, content, in: expected.trial)
    // If a record has no object, expect one with an unused key, so that the comparison reports it
    // as missing.
    var spare = (found.values.max() ?? 0) + Int64(parameters.records) + 1
    for record in 0..<saved where parameters.doublesPresent || !parameters.isPresent(record) {
      let identifier = (content.identifier, Value.text(feed.identifier(of: record)))
      try expected.insert(
        found[record] ?? spare,
        payload(record) + [identifier] + favorite + link(record),
        version: parameters.isBatch && parameters.links > 0 ? 2 : 1,
        in: names
      )
      if found[record] == nil { spare += 1 }
    }
    // Ignore keys, because each strategy gives the same objects different keys.
    return Outcome(digestOptions: DigestOptions.content, losses: losses(feed))
  }

  /// The harm that the import has done, such as older values or duplicates, with the number of
  /// objects or records affected.
  private func losses(_ feed: Feed) -> [String] {
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

  /// The number of records, in the order of the feed, that were saved before a save failed as
  /// expected.
  private var saved: Int {
    guard parameters.mustFail,
      let first = (0..<parameters.records).first(where: parameters.isPresent)
    else { return parameters.records }
    return first / parameters.chunk * parameters.chunk
  }

  private func newKeys(
    _ feed: Feed,
    _ names: EntityNames,
    _ content: ImportContent,
    in trial: Trial
  ) throws -> [Int: Int64] {
    var keys: [Int: Int64] = [:]
    let row = try trial.store.plainConnection().prepare(
      "SELECT \(names.column(content.identifier)), Z_PK FROM \(names.table) WHERE Z_PK > ?1"
    )
    row.bind(Int64(parameters.presentCount), at: 1)
    while try row.step() {
      guard let record = feed.record(of: row.text(at: 0)), keys[record] == nil else { continue }
      keys[record] = row.integer(at: 1)
    }
    return keys
  }
}
