import DataModel
import Foundation
import PersistentStore
import SQLite
import TestSupport
import Testing

@testable import Generators

/// Tests stores of the project's own recipes by plain SQL, against rules that hold for any such
/// app.
struct RealismTests {
  private static let recipes = Set(RealismRule.all.flatMap(\.recipes)).sorted()

  /// The numbers of objects that replace a recipe's own; in `make fuzz`, only for feeds.
  private static func objects(of name: String) -> [String: Int] {
    // With all posts, a feed's photos take gigabytes.
    if name.hasPrefix("feed") { return ["Post": 40] }
    if FuzzSeeds.isThorough { return [:] }
    if name.hasPrefix("tasks") || name.hasPrefix("tiers") { return ["Task": 2_500] }
    return ["contacts-duplicates": ["Contact": 2_000], "catalog": ["Product": 4_000]][name] ?? [:]
  }

  private func store(_ name: String, in folder: TemporaryFolder) throws -> StoreFile {
    let options = RecipeFile.Options(objects: Self.objects(of: name))
    let recipe = try Recipes.named(name, options: options)
    return try StoreGenerator(recipe).generate(at: folder.file("store.sqlite")).file
  }

  /// The keys of the objects that a dirty store's answer key lists.
  private func known(_ store: StoreFile) -> Set<Int64> {
    let text = try? String(contentsOfFile: AnswerKeyFile.dirty.path(of: store), encoding: .utf8)
    let lines = (text ?? "").components(separatedBy: "\r\n").dropFirst()
    return Set(
      lines.compactMap { $0.components(separatedBy: ",").dropFirst().first.flatMap(Int64.init) }
    )
  }

  @Test(arguments: recipes)
  func `fuzz: no object breaks what any reader expects`(name: String) throws {
    let folder = try TemporaryFolder()
    let store = try store(name, in: folder)
    let (plain, known) = (try PlainStore(store.path), known(store))
    for rule in RealismRule.all where rule.recipes.contains(name) {
      let broken = try plain.rows(rule.broken).compactMap { row -> Int64? in
        if case .integer(let key)? = row.first, !known.contains(key) { key } else { nil }
      }
      #expect(broken.isEmpty, "\(rule.name): \(broken.prefix(5)) of \(broken.count)")
    }
  }

  @Test func `copies are what a sync that was sent again leaves, as the answer key says`() throws {
    let folder = try TemporaryFolder()
    let recipe = try Recipes.named("tasks")
    let result = try StoreGenerator(recipe).generate(at: folder.file("tasks.sqlite"))
    let text = try String(contentsOfFile: #require(result.answerKeys.first), encoding: .utf8)
    let lines = text.components(separatedBy: "\r\n").dropFirst().dropLast().map {
      $0.components(separatedBy: ",")
    }
    let plain = try PlainStore(result.file.path)
    let columns = try plain.rows("SELECT name FROM pragma_table_info('ZTASK')").compactMap { row in
      if case .text(let name)? = row.first { name } else { nil as String? }
    }
    let compared = columns.filter { !["Z_PK", "Z_OPT", "ZSORTORDER"].contains($0) }
    var (copies, equal, original) = (0, 0, "")
    for line in lines {
      guard line[4] == "copy" else {
        original = line[3]
        continue
      }
      copies += 1
      let different = try plain.rows(
        "SELECT \(compared.map { "a.\($0) IS b.\($0)" }.joined(separator: " AND ")) "
          + "FROM ZTASK a, ZTASK b WHERE a.Z_PK = \(original) AND b.Z_PK = \(line[3])"
      )
      let isEqual = different.first?.first == .integer(1)
      if isEqual { equal += 1 }
      if line[6] == "syncRetry" { #expect(isEqual) }
    }
    #expect(copies == 300)
    #expect(equal > 200)
  }
}

extension Model {
  fileprivate static func make(_ text: String) throws -> Model {
    let folder = try TemporaryFolder()
    let path = try folder.write("entities:\n" + text, to: "model.yaml")
    return try ModelFile.read(path: path).model
  }
}

/// Tests that relations between columns and tables of a store also hold in a store made like it.
struct LikeRealismTests {
  private static let model = """
      Item:
        attributes:
          title: string
          status: string
          isFolder: { type: boolean, optional: false }
          link: string
          mail: string
          phone: string
          day: string
          settings: string
          token: string
          archive: binary
        relationships:
          parent: { to: Item, inverse: children }
          children: { to: Item, many: true, inverse: parent }
    """

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A store of 400 items in folders four levels deep, with texts of many forms.
  private func original() throws -> StoreContent {
    let path = folder.file("original.sqlite")
    let store = try PersistentStore.create(at: path, model: Model.make(Self.model))
    let context = try ObjectContext(store: store)
    var folders: [ManagedObject] = []
    for number in 0..<400 {
      let isFolder = number < 40
      let item = try context.insert("Item")
      try item.setValue(.text("Title \(number)"), of: "title")
      try item.setValue(.text(["open", "waiting", "done"][number % 3]), of: "status")
      try item.setValue(.integer(isFolder ? 1 : 0), of: "isFolder")
      try item.setValue(.text("https://site\(number).com/page/\(number)"), of: "link")
      try item.setValue(.text("person\(number)@mail.com"), of: "mail")
      try item.setValue(.text("+44 7700 9\(10_000 + number)"), of: "phone")
      try item.setValue(.text("2024-03-\(10 + number % 18)T10:00:00Z"), of: "day")
      try item.setValue(
        .text("{\"kind\":\"list\",\"size\":\(number),\"owner\":\"name \(number)\",\"on\":true}"),
        of: "settings"
      )
      try item.setValue(
        .text(UUIDText.text(of: (0..<16).map { UInt8($0 + number % 200) })),
        of: "token"
      )
      try item.setValue(
        .blob(PropertyList.dictionary(["n": .integer(Int64(number))]).binary()),
        of: "archive"
      )
      // Ten items are at the top, with three levels of folders below them.
      if number >= 10 {
        let above = isFolder ? folders[number / 10 * 10 - 10 + number % 10] : folders[number % 40]
        try item.setTarget(above, of: "parent")
      }
      if isFolder { folders.append(item) }
    }
    try context.save()
    try store.connection.checkpoint()
    return try .reading(StoreFile(path: path))
  }

  private func made(_ content: StoreContent, times: Double, texts: TextChoice = TextChoice()) throws
    -> PlainStore
  {
    let profile = try StoreProfiler(content, k: 1, texts: texts).profile()
    let recipe = LikeRecipe(profile, size: .scale(times)).recipe(name: "like", seed: 7)
    let path = folder.file("like-\(times)-\(texts.keepsWords).sqlite")
    try StoreGenerator(recipe).generate(at: path)
    return try PlainStore(path)
  }

  private func count(_ store: PlainStore, _ sql: String) throws -> Int64? {
    if case .integer(let count)? = try store.rows(sql).first?.first { count } else { nil }
  }

  @Test(arguments: [0.5, 1, 5])
  func `parents are folders, and no folder is within itself`(times: Double) throws {
    let store = try made(original(), times: times)
    let parents = "FROM ZITEM c JOIN ZITEM p ON p.Z_PK = c.ZPARENT"
    #expect(try count(store, "SELECT count(*) \(parents) WHERE p.ZISFOLDER = 0") == 0)
    #expect(try count(store, "SELECT count(*) \(parents)") ?? 0 > 150)
    let depths = try store.rows(
      """
      WITH RECURSIVE t(pk, depth) AS (SELECT Z_PK, 0 FROM ZITEM WHERE ZPARENT IS NULL UNION ALL
      SELECT c.Z_PK, depth + 1 FROM ZITEM c JOIN t ON c.ZPARENT = t.pk WHERE depth < 100)
      SELECT max(depth), count(*) = (SELECT count(*) FROM ZITEM) FROM t
      """
    )
    #expect(depths == [[.integer(4), .integer(1)]])
  }

  @Test func `words of enumerations are kept, and only these`() throws {
    let content = try original()
    let store = try made(content, times: 2)
    let words = try store.rows("SELECT DISTINCT ZSTATUS FROM ZITEM ORDER BY 1")
    #expect(words == [[.text("done")], [.text("open")], [.text("waiting")]])
    let titles = "SELECT count(DISTINCT ZTITLE) FROM ZITEM WHERE ZTITLE LIKE 'Title %'"
    #expect(try count(store, titles) == 0)
    let none = try made(content, times: 2, texts: TextChoice(keepsWords: false))
    let lost = "SELECT count(*) FROM ZITEM WHERE ZSTATUS IN ('open', 'waiting', 'done')"
    #expect(try count(none, lost) == 0)
    let all = try made(content, times: 1, texts: TextChoice(kept: ["Item.title"]))
    #expect(try count(all, titles) == 400)
  }

  @Test func `texts and blobs keep the form that an app reads`() throws {
    let store = try made(original(), times: 1)
    func texts(_ column: String) throws -> [String] {
      try store.rows("SELECT \(column) FROM ZITEM").compactMap { row in
        if case .text(let text)? = row.first { text } else { nil as String? }
      }
    }
    let links = try texts("ZLINK")
    #expect(links.count == 400)
    #expect(links.allSatisfy { TextForm.scheme($0) == "https" && URL(string: $0)?.host != nil })
    #expect(try texts("ZMAIL").allSatisfy(TextForm.isEmail))
    #expect(try texts("ZPHONE").allSatisfy { TextForm.shape($0) == "+99 9999 999999" })
    #expect(try texts("ZDAY").allSatisfy { ReferenceDate.seconds(iso8601: $0) != nil })
    #expect(try texts("ZTOKEN").allSatisfy { UUID(uuidString: $0) != nil })
    struct Settings: Decodable {
      let kind: String
      let size: Int
      let owner: String
      let on: Bool
    }
    for text in try texts("ZSETTINGS") {
      let settings = try JSONDecoder().decode(Settings.self, from: Data(text.utf8))
      #expect(settings.kind == "list" && settings.on && !settings.owner.hasPrefix("name "))
    }
    for row in try store.rows("SELECT ZARCHIVE FROM ZITEM") {
      guard case .blob(let bytes)? = row.first else { continue }
      #expect((try? PropertyList(binary: bytes))?.dictionary != nil)
    }
  }

  @Test func `a profile file has all of it, and gives the same store`() throws {
    let profile = try StoreProfiler(original(), k: 1).profile()
    let text = ProfileWriter(profile).text
    let diagnostics = Diagnostics(file: "profile.yaml")
    let value = try #require(YAMLDocument.parse(text, into: diagnostics))
    var read = try #require(ProfileFile.profile(value))
    read.remarks = profile.remarks
    #expect(read == profile)
    #expect(text.contains("waiting"))
    #expect(!text.contains("Title 1"))
    #expect(!text.contains("person1"))
  }
}
