import PersistentStore
import SQLite
import Testing

@testable import Runner
@testable import WorkloadKinds

@Suite struct `A step that sorts` {
  private let steps = """
    - { update: Artist, objects: 3, set: [name] }
    - save
    - { fetch: Song, sort: [-artist.name, name localizedStandard], limit: 7, as: list }
    """

  @Test(arguments: [ChangeEngine.objectGraph, .bareSQL])
  func `orders by a related object and as people read`(_ engine: ChangeEngine) throws {
    let bench = try makeSongs()
    let opened = try bench.open(songValues(steps, engine))
    var statements: [String] = []
    opened.session.store.connection.onPrepare = { statements.append($0) }
    _ = try opened.finish()
    #expect(opened.session.seen.first?.first?.log.keys.count == 7)
    let order = try #require(statements.first { $0.contains(" LEFT OUTER JOIN ZARTIST ") })
    #expect(order.contains("ZNAME DESC, "))
    #expect(order.contains("ZNAME COLLATE NSCollateFinderlike LIMIT 7"))
  }

  @Test func `says what is assumed of it`() throws {
    let workload = try makeSongs().workload(songValues(steps))
    let assumed = workload.traits.behaviours.filter { $0.evidence == .assumed }.map(\.name)
    #expect(assumed.contains("sortFunction") && assumed.contains("sortJoin"))
  }

  @Test(arguments: [
    ("{ fetch: Song, sort: [artist] }", ChangeEngine.objectGraph, "'artist' is a relationship"),
    ("{ fetch: Song, sort: [tags.name] }", .objectGraph, "which is a to-many"),
    ("{ fetch: Song, sort: [name localized] }", .grdb, "lacks the frameworks' collations"),
  ])
  func `is refused where it cannot`(
    _ step: String,
    _ engine: ChangeEngine,
    _ reason: String
  ) throws {
    let misfits = try makeSongs().misfits("[\(step)]", engine)
    #expect(misfits.contains { $0.contains(reason) }, "\(misfits)")
  }
}
