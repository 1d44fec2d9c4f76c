import DataModel
import Foundation
import PersistentStore
import TestSupport
import Testing

@testable import Generators

struct DirtyStoreTests {
  private static let model = """
    Thing:
      attributes:
        name: { type: string, optional: false, default: "" }
        kind: { type: string, optional: false, default: a }
        level: { type: integer16, optional: false, default: 0 }
        size: { type: integer16, optional: false, default: 0 }
        flag: { type: boolean, optional: false, default: false }
        price: { type: decimal, optional: false, default: 0, maximum: 100 }
        madeAt: { type: date, optional: false }
        homepage: { type: uri }
        data: { type: binary, external: true }
        photo: string
      relationships:
        box: { to: Box, inverse: things, optional: false }
        shelf: { to: Box }
        tags: { to: Tag, many: true, inverse: things }
    Box:
      attributes: { name: string }
      relationships: { things: { to: Thing, many: true, inverse: box } }
    Tag:
      relationships: { things: { to: Thing, many: true, inverse: tags } }
    """

  private static let attributes = """
    name: { code: { prefix: Thing, digits: 6 } }
    kind: { weighted: { a: 2, b: 1 } }
    level: { weighted: { 1: 1, 2: 1, 5: 1 } }
    price: { uniform: [1, 99] }
    homepage: url
    data: { blob: { size: { uniform: [90_000, 120_000] } } }
    photo: { file: { size: 400, signature: jpeg } }
    """

  private let folder = try? TemporaryFolder()

  private func recipe(_ dirty: String, count: Int = 200) throws -> Recipe {
    try Recipes.make(
      model: Self.model,
      """
      entities:
        Box: { count: 20 }
        Tag: { count: 9 }
        Thing:
          count: \(count)
          attributes:
            \(Self.attributes.split(separator: "\n").joined(separator: "\n      "))
          relationships: { shelf: { null: 0.3 }, tags: { count: { poisson: 2 } } }
          dirty:
            \(dirty.split(separator: "\n").joined(separator: "\n      "))
      """
    )
  }

  private func generate(_ recipe: Recipe) throws -> StoreFile {
    try StoreGenerator(recipe).generate(at: try #require(folder).file("store.sqlite")).file
  }

  private func findings(_ store: StoreFile, _ recipe: Recipe) throws -> [AuditFinding] {
    var audit = StoreAudit(store: store, layout: Dataset(recipe).layout)
    audit.pathAttributes = [PathAttribute(entity: "Thing", attribute: "photo")]
    return try audit.findings()
  }

  /// The lines of the answer key, split into fields; no field contains a comma.
  private func answers(_ store: StoreFile) throws -> [[String]] {
    let text = try String(contentsOfFile: AnswerKeyFile.dirty.path(of: store), encoding: .utf8)
    let lines = text.components(separatedBy: "\r\n")
    #expect(lines.first == "entity,primaryKey,property,defect,value,rule")
    #expect(lines.last == "")
    return lines.dropFirst().dropLast().map { $0.components(separatedBy: ",") }
  }

  @Test(arguments: [
    ("name: { null: 0.04 }", AuditRule.missingValue, "ZTHING.ZNAME", 8),
    ("flag: { null: 0.01 }", .missingValue, "ZTHING.ZFLAG", 2),
    ("madeAt: { null: 1 }", .missingValue, "ZTHING.ZMADEAT", 200),
    ("box: { null: 0.02 }", .missingReference, "ZTHING.ZBOX", 4),
    ("size: { outOfRange: 0.05 }", .valueOutOfRange, "ZTHING.ZSIZE", 10),
    ("flag: { outOfRange: 0.0001 }", .valueOutOfRange, "ZTHING.ZFLAG", 1),
    ("box: { dangling: 0.03 }", .danglingReference, "ZTHING.ZBOX", 6),
    ("shelf: { dangling: 0.1 }", .danglingReference, "ZTHING.ZSHELF", 20),
    ("tags: { orphaned: 0.02 }", .danglingPair, "Z_2THINGS.Z_2THINGS", 4),
    ("Z_MAX: { tooLow: 0.25 }", .keyAboveMaximum, "ZTHING", 1),
    ("data: { orphanedFile: 0.0001 }", .orphanedExternalFile, "_EXTERNAL_DATA", 1),
    ("photo: { missingFile: 0.1 }", .missingExternalFile, "ZTHING.ZPHOTO", 20),
    ("photo: { orphanedFile: 0.1 }", .orphanedExternalFile, "store_FILES", 20),
  ])
  func `an audit finds each defect, as often as the answer key lists it`(
    dirty: String,
    rule: AuditRule,
    place: String,
    count: Int
  ) throws {
    let recipe = try recipe(dirty)
    let store = try generate(recipe)
    let findings = try findings(store, recipe)
    #expect(findings.map(\.rule) == [rule])
    if rule != .danglingPair { #expect(findings.map(\.place) == [place]) }
    #expect(findings.map(\.count) == [Int64(count)])
    let answers = try answers(store)
    #expect(answers.count == count)
    #expect(answers.allSatisfy { $0[0] == "Thing" && $0[5] == rule.rawValue })
    #expect(try #require(folder).names().allSatisfy { !$0.contains("store.sqlite-") })
    let property = try #require(dirty.split(separator: ":").first)
    #expect(answers.allSatisfy { $0[2] == property })
  }

  @Test func `missing files of external storage are those of rows that have one`() throws {
    let recipe = try recipe("data: { missingFile: 0.1 }")
    let store = try generate(recipe)
    let total = try PlainStore(store.path).rows(
      "SELECT count(*) FROM ZTHING WHERE substr(ZDATA, 1, 1) = x'02'"
    )
    let answers = try answers(store)
    let findings = try findings(store, recipe)
    #expect(findings.map(\.rule) == [.missingExternalFile])
    #expect(findings.map(\.count) == [Int64(answers.count)])
    guard case .integer(let files) = total[0][0] else { return }
    #expect(answers.count == Int((0.1 * Double(files)).rounded()))
    for answer in answers {
      #expect(!FileManager.default.fileExists(atPath: store.externalDataFolder + "/" + answer[4]))
    }
  }

  @Test(arguments: [
    ("kind: { unknownCase: 0.03 }", "ZKIND NOT IN ('a', 'b')"),
    ("level: { unknownCase: 0.03 }", "ZLEVEL NOT IN (1, 2, 5)"),
    ("price: { outOfRange: 0.03 }", "ZPRICE > 100"),
    ("name: { empty: 0.03 }", "ZNAME = ''"),
    ("homepage: { empty: 0.03 }", "ZHOMEPAGE = ''"),
    ("name: { long: 0.03 }", "length(CAST(ZNAME AS BLOB)) >= 1048576"),
    ("madeAt: { year1970: 0.03 }", "ZMADEAT BETWEEN -978307200 AND -978307200 + 86399"),
    ("madeAt: { year2100: 0.03 }", "ZMADEAT BETWEEN 3124137600 AND 3124137600 + 31535999"),
    ("name: { combining: 0.03 }", "ZNAME GLOB '*[̀-ͯ]*'"),
    ("name: { rightToLeft: 0.03 }", "ZNAME GLOB '*[א-ۿ‎-‮⁦-⁩]*'"),
    ("name: { emoji: 0.03 }", "ZNAME GLOB '*[☀-⛿❤️🀀-🫿🇦-🇿️⃣]*'"),
  ])
  func `plain SQL counts what no rule forbids`(dirty: String, condition: String) throws {
    let recipe = try recipe(dirty)
    let store = try generate(recipe)
    #expect(try findings(store, recipe) == [])
    let keys = try PlainStore(store.path).rows(
      "SELECT Z_PK FROM ZTHING WHERE \(condition) ORDER BY Z_PK"
    )
    #expect(keys.count == 6)
    let listed = try answers(store)
    #expect(listed.map { $0[1] } == keys.map { $0[0].answerText })
    #expect(listed.allSatisfy { $0[5] == "" })
  }

  @Test func `defects of one property fall on different rows, and all else stays as it was`() throws
  {
    let dirty = try recipe("name: { null: 0.3, empty: 0.3, long: 0.001, emoji: 0.3 }")
    let clean = try recipe("size: { outOfRange: 0.001 }")
    let (made, before) = (Dataset(dirty), Dataset(clean))
    var found: [Int: Int] = [:]
    for row in 0..<200 {
      let name = try made.value(entity: "Thing", row: row, attribute: "name")
      if name == (try before.value(entity: "Thing", row: row, attribute: "name")) {
        found[0, default: 0] += 1
      }
      for attribute in ["kind", "madeAt", "homepage"] {
        #expect(
          try made.value(entity: "Thing", row: row, attribute: attribute)
            == before.value(entity: "Thing", row: row, attribute: attribute)
        )
      }
    }
    let entries = try DefectList(made, and: []).entries
    #expect(Set(entries.map(\.primaryKey)).count == entries.count)
    #expect(entries.count == 60 + 60 + 1 + 60)
    #expect(found == [0: 200 - entries.count])
  }

  @Test func `keys of targets that do not exist are never handed out again`() throws {
    let recipe = try recipe("box: { dangling: 0.1 }\ntags: { orphaned: 0.05 }")
    let store = try PlainStore(generate(recipe).path)
    #expect(
      try store.rows("SELECT Z_NAME, Z_MAX FROM Z_PRIMARYKEY ORDER BY 1") == [
        [.text("Box"), .integer(20 + 20)], [.text("Tag"), .integer(9 + 10)],
        [.text("Thing"), .integer(200)],
      ]
    )
    #expect(
      try store.rows("SELECT min(ZBOX), max(ZBOX) FROM ZTHING WHERE ZBOX > 20")
        == [[.integer(21), .integer(40)]]
    )
  }

  @Test func `a list that another store left goes with it`() throws {
    let recipe = try recipe("name: { empty: 0.1 }")
    let path = try #require(folder).file("store.sqlite")
    try StoreGenerator(recipe).generate(at: path)
    var clean = recipe
    clean.entities[2].defects = []
    clean.entities[0].defects = []
    clean.entities[1].defects = []
    let result = try StoreGenerator(clean).generate(at: path, replacing: true)
    #expect(result.answerKeys == [])
    #expect(!FileManager.default.fileExists(atPath: AnswerKeyFile.dirty.path(of: result.file)))
  }

  @Test func `the cache tells a dirty recipe from a clean one`() throws {
    let cache = StoreCache(folder: try #require(folder).path)
    let keys = try ["name: { empty: 0.1 }", "name: { empty: 0.2 }", "name: { null: 0.1 }"].map {
      cache.key(of: try recipe($0))
    }
    #expect(Set(keys).count == 3)
    #expect(keys[0] == cache.key(of: try recipe("name: { empty: 0.1 }")))
  }
}
