import DataModel
import Foundation
import PersistentStore
import Runner
import SQLite
import Testing

@testable import WorkloadKinds

@Suite struct `A migration of a Transformable to JSON` {
  private static let folder = URL(fileURLWithPath: MigrationFixture.models)
    .deletingLastPathComponent().path

  private static let values: [String: ParameterValue] = [
    "strategy": .text("customStage"), "entity": .text("Document"), "attribute": .text("settings"),
    "transformation": .text("codableJSON"), "batchSize": .integer(16),
    "to": .text(MigrationFixture.models + "/documents/v2.yaml"),
  ]

  private func bench() throws -> KindBench<MigrationWorkload> {
    try KindBench(
      recipe: RecipeReference(
        path: Self.folder + "/recipes/documents.yaml",
        objects: ["Document": 60]
      )
    )
  }

  @Test(arguments: ["didMigrate", "willMigrate"])
  func `says the same as each archive`(hook: String) throws {
    let bench = try bench()
    let opened = try bench.open(Self.values.merging(["hook": .text(hook)]) { $1 })
    _ = try opened.finish()
    let connection = try Connection(path: opened.trial.store.path)
    let key = try #require(
      try connection.integer("SELECT min(Z_PK) FROM ZDOCUMENT WHERE ZSETTINGS IS NOT NULL")
    )
    let json = try connection.text(
      "SELECT CAST(ZSETTINGS AS TEXT) FROM ZDOCUMENT WHERE Z_PK = \(key)"
    )
    #expect(
      json
        == #"{"author":null,"columns":["title","date","\#(key % 7)"],"count":\#(key),"#
        + #""isPinned":\#(key % 2 == 0),"opened":700000000,"#
        + #""zoom":\#(Double(key % 40) / 4 + 0.125)}"#
    )
    for sql in [
      "UPDATE ZDOCUMENT SET ZSETTINGS = CAST('{}' AS BLOB) WHERE Z_PK = \(key)",
      "UPDATE ZDOCUMENT SET ZSETTINGS = NULL WHERE Z_PK = \(key)",
    ] {
      try connection.execute(sql)
      #expect(throws: VerificationFailure.self) {
        try opened.workload.verify(opened.session, opened.trial)
      }
    }
  }

  private static var objects: [(object: Any, json: String)] {
    [
      ([1, 2, "a"] as NSArray, #"[1,2,"a"]"#),
      (["k": ["n": NSNull()] as NSDictionary] as NSDictionary, #"{"k":{"n":null}}"#),
      ("text" as NSString, #""text""#),
      (NSData(data: Data([0, 255])), #""AP8=""#),
      (["d": NSDate(timeIntervalSinceReferenceDate: 0.5)] as NSDictionary, #"{"d":0.5}"#),
    ]
  }

  @Test(arguments: 0..<5)
  func `reads what Foundation archives`(index: Int) throws {
    let (object, json) = Self.objects[index]
    let archive = try NSKeyedArchiver.archivedData(
      withRootObject: object,
      requiringSecureCoding: false
    )
    let value = try #require(ArchivedValue(archive: [UInt8](archive)))
    #expect(String(decoding: try value.json(), as: UTF8.self) == json)
  }

  @Test func `leaves alone what is no archive`() throws {
    #expect(ArchivedValue(archive: []) == nil)
    #expect(ArchivedValue(archive: Array(repeating: 7, count: 200)) == nil)
    // The root is an array that contains itself.
    let loop = PropertyList.dictionary([
      "$archiver": .string("NSKeyedArchiver"), "$top": .dictionary(["root": .uid(1)]),
      "$objects": .array([
        .string("$null"),
        .dictionary(["$class": .uid(2), "NS.objects": .array([.uid(1), .uid(1)])]),
        .dictionary(["$classname": .string("NSArray")]),
      ]),
    ])
    #expect(ArchivedValue(archive: loop.binary()) == nil)
    let bytes = Value.blob([1, 2, 3])
    #expect(ValueTransformation.codableJSON(bytes, of: .transformable) == bytes)
  }
}
