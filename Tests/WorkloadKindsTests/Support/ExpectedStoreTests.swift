import DataModel
import PersistentStore
import Testing

@testable import Runner
@testable import WorkloadKinds

@Suite struct `The store that a case must reach` {
  private static func opened() throws -> (KindBench<BulkWorkload>, KindBench<BulkWorkload>.Opened) {
    let bench = try KindBench<BulkWorkload>(
      model: Model(entities: [
        Entity(name: "Task", attributes: [Attribute(name: "place", type: .integer32)])
      ])
    )
    return (bench, try bench.open(["stored": .integer(10)]))
  }

  @Test func `is the starting store until statements change it`() throws {
    let (bench, opened) = try Self.opened()
    let expected = ExpectedStore(opened.trial, opened.session.store.layout)
    #expect(try expected.problems() == [])
    try expected.change("UPDATE ZTASK SET Z_OPT = 7 WHERE Z_PK = 3")
    #expect(try expected.problems().count == 1)
    try expected.change("DELETE FROM ZTASK WHERE Z_PK > 8")
    #expect(try expected.problems().count == 2)
    withExtendedLifetime(bench) {}
  }

  @Test func `raises a version only if a value changes`() throws {
    let (bench, opened) = try Self.opened()
    let expected = ExpectedStore(opened.trial, opened.session.store.layout)
    let names = try EntityNames("Task", in: expected.layout)
    let place = try expected.read("SELECT ZPLACE FROM ZTASK WHERE Z_PK = 3")[0][0]
    try expected.set([("place", place)], of: 3, in: names)
    #expect(try expected.problems() == [])
    try expected.set([("place", .integer(-1))], of: 3, in: names)
    #expect(
      try expected.read("SELECT ZPLACE, Z_OPT FROM ZTASK WHERE Z_PK = 3")[0] == [
        .integer(-1), .integer(2),
      ]
    )
    #expect(try expected.problems().count > 0)
    #expect(throws: ObjectContextError.unknownProperty(entity: "Task", property: "missing")) {
      try expected.set([("missing", .null)], of: 3, in: names)
    }
    withExtendedLifetime(bench) {}
  }
}
