import Basics
import DataModel
import SQLite
import TestSupport
import Testing

@testable import Runner
@testable import WorkloadKinds

/// Tests steps with conditions, on twelve songs whose `plays` are 0, 1, 2 or 32767.
@Suite struct `A step by a condition` {
  private func misfits(_ steps: String, operations: Int? = nil) throws -> [String] {
    var values = try songValues(steps)
    values["operations"] = operations.map(ParameterValue.integer)
    return try makeSongs().fit(values).misfits.map(\.reason)
  }

  @Test(
    arguments: [
      "[{ fetch: Song, where: 'plays == 77' }]", "[{ count: Song, where: 'plays == 77' }]",
      "[{ delete: Song, where: 'plays == 77', chunk: 5 }]",
      "[{ update: Song, where: 'plays == 77', set: [name] }, save]",
      "[{ background: [{ delete: Tag }, save], beside: { fetch: Song, where: 'plays == 77' }, as: a }]",
    ]
  )
  func `is not measured if it matches nothing, unless that is meant`(steps: String) throws {
    let error = #expect(throws: Refusal.self) { try songs(after: steps) }
    let reason = "\(error as Any)"
    #expect(reason.contains("line 1, '"))
    #expect(reason.contains("not measured: the condition matches none of 12 objects of 'Song'"))
    #expect(reason.contains("(nearest: 2, 1, 0)"), "\(reason)")
    let meant = steps.replacing("77'", with: "77', matches: 0")
    #expect(throws: Never.self) { try songs(after: meant) }
  }

  @Test func `is a search as well`() throws {
    let error = #expect(throws: Refusal.self) {
      try songs(after: "[{ search: Song, in: name, for: hymn }]")
    }
    #expect("\(error as Any)".contains("'name CONTAINS[cd] 'hymn'' matches none"))
  }

  @Test func `may match nothing in some of its turns`() throws {
    let store = try songs(after: "[{ delete: Song, where: 'plays == 1', chunk: 5, times: 2 }]")
    #expect(try store.integer("SELECT count(*) FROM ZSONG") == 9)
  }

  @Test(arguments: [
    "{ count: Song }", "{ fetch: Song, sort: [name] }",
    "{ fetch: Song, where: 'plays == 1', matches: 0 }",
  ])
  func `leaves an empty list to a step that needs no object`(_ step: String) throws {
    for all in ["where: 'plays >= 0'", "objects: all", "objects: 12"] {
      let steps = "[{ delete: Song, \(all) }, save, \(step)]"
      #expect(try misfits(steps) == [])
      #expect(try songs(after: steps).integer("SELECT count(*) FROM ZSONG") == 0)
    }
  }

  @Test func `is refused if it deletes all that a later step or turn needs`() throws {
    let all = "{ delete: Song, where: 'plays >= 0' }"
    let reason = "'plays >= 0' matches all of 12 objects of 'Song', which leaves nothing to work on"
    let later = try misfits("[\(all), save, { update: Song, set: [name] }, save]")
    #expect(later.contains { $0.contains(reason) }, "\(later)")
    let taken = "it takes all of 12 objects of 'Song', which leaves nothing to work on"
    let update = "{ update: Song, set: [name] }"
    let found = try misfits("[{ delete: Song, objects: all }, save, \(update), save]")
    #expect(found.contains { $0.contains(taken) }, "\(found)")
    let mix = "[{ fetch: Tag, weight: 3 }, { delete: Song, where: 'plays >= 0', weight: 1 }]"
    #expect(try misfits(mix, operations: 200).contains { $0.contains(reason) })
    #expect(try misfits(mix.replacing(">= 0", with: "== 1"), operations: 200) == [])
    #expect(try misfits("[{ count: Song }, \(all), save]") == [])
    #expect(
      try misfits("[{ background: [\(all), save], beside: { fetch: Song }, as: a }]") == []
    )
  }
}
