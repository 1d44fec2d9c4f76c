import DataModel
import PersistentStore
import SQLite
import TestSupport
import Testing

@testable import Generators

struct ProfileCountTests {
  private func column(_ name: String, _ store: ProfiledStore, k: Int = 20) throws -> ColumnProfile {
    let entity = try #require(store.profile(k: k).entity(named: "Note"))
    return try #require(entity.columns.first { $0.name == name })
  }

  @Test(arguments: [20, 25, 100]) func `no number rests on fewer than k objects`(k: Int) throws {
    let store = try ProfiledStore()
    let notes = (0..<900).map { index in
      ProfiledStore.Note(
        text: index % 7 == 0 ? nil : String(repeating: "a", count: 1 + index * index % 97),
        date: index % 50 == 0 ? nil : Double(index * index % 9_973) * 100_000,
        number: index % 3 == 0 ? Int64(index % 40) : Int64(index * index * index),
        blobSize: index * 37 % 1_001,
        price: index % 2 == 0 ? 0 : Double(index) / 7,
        isDone: index % 45 == 0,
        tag: index % 80 == 0 ? nil : Int64(1 + index % 30)
      )
    }
    try store.insert(notes, tags: (0..<30).map { "tag \($0)" })
    for entity in try store.profile(k: k).entities {
      guard let objects = entity.objects else { continue }
      var counts = [objects]
      for column in entity.columns {
        counts += [column.nulls] + column.bins.map(\.count)
        counts += column.sharing.map { $0.ranks + $0.clusters.map(\.count) } ?? []
        if !column.bins.isEmpty {
          #expect(column.bins.reduce(column.nulls) { $0 + $1.count } == objects)
        }
      }
      for relationship in entity.relationships {
        counts += [relationship.nulls] + relationship.fanOut.map(\.count)
      }
      #expect(counts.allSatisfy { $0 == 0 || $0 >= k })
      // The number of non-NULL values must not reveal fewer than k objects either.
      for column in entity.columns {
        #expect(column.nulls == 0 || objects - column.nulls >= k || column.nulls == objects)
      }
    }
  }

  @Test func `an entity of fewer than k objects has no number at all`() throws {
    let store = try ProfiledStore()
    try store.insert((0..<19).map { ProfiledStore.Note(number: $0) }, tags: ["one"])
    let profile = try store.profile()
    #expect(profile.entities.allSatisfy { $0.objects == nil && $0.columns.isEmpty })
    #expect(ProfileWriter(profile).text.contains("Note: { objects: \"< 20\" }"))
  }

  @Test func `fewer than k nulls, or fewer than k values, show as none`() throws {
    let store = try ProfiledStore()
    try store.insert(
      (0..<100).map { ProfiledStore.Note(date: $0 < 19 ? 5 : nil, number: $0 < 19 ? nil : 7) }
    )
    #expect(try column("number", store).nulls == 0)
    #expect(try column("number", store).bins == [Bin(at: 7, count: 100)])
    #expect(try column("date", store).nulls == 100)
    #expect(try column("date", store).bins.isEmpty)
  }

  @Test func `Booleans and small whole numbers are counted one by one, rare ones with others`()
    throws
  {
    let store = try ProfiledStore()
    try store.insert(
      (0..<200).map { ProfiledStore.Note(number: $0 < 5 ? 3 : $0 % 2, isDone: $0 < 60) }
    )
    #expect(try column("isDone", store).bins == [Bin(at: 0, count: 140), Bin(at: 1, count: 60)])
    let numbers = try column("number", store).bins
    #expect(numbers.map(\.from) == [0, 1])
    #expect(numbers.reduce(0) { $0 + $1.count } == 200)
  }

  @Test func `the commonest texts are ranked, and named only where they are an enumeration's`()
    throws
  {
    let store = try ProfiledStore()
    let words = (0..<300).map { $0 < 150 ? "openly" : $0 < 250 ? "closed" : "word \($0 / 2)" }
    try store.insert(words.map { ProfiledStore.Note(text: $0) })
    let sharing = try #require(try column("text", store).sharing)
    #expect(sharing.ranks == [150, 100])
    #expect(sharing.clusters == [Bin(from: 2, to: 3, count: 50)])
    // A word of fewer than k objects is not named; without `keepsWords`, no word is.
    let named = [KeptText(text: "openly", count: 150), KeptText(text: "closed", count: 100)]
    #expect(try column("text", store).texts == named)
    #expect(!ProfileWriter(try store.profile()).text.contains("word 1"))
    let wordless = try StoreProfiler(store.content(), texts: TextChoice(keepsWords: false))
      .profile()
    #expect(wordless.k == 20)
    let columns = try #require(wordless.entity(named: "Note")).columns
    #expect(columns.first { $0.name == "text" }?.sharing == sharing)
    expectNoWords(of: wordless)
  }

  @Test func `the commonest of free texts are ranked and not named`() throws {
    let store = try ProfiledStore()
    let texts = (0..<400).map { $0 < 150 ? "openly" : $0 < 250 ? "closed" : "word \($0)" }
    try store.insert(texts.map { ProfiledStore.Note(text: $0) })
    #expect(try column("text", store).sharing?.ranks == [150, 100])
    try expectNoWords(of: store.profile())
  }

  private func expectNoWords(of profile: StoreProfile) {
    let text = ProfileWriter(profile).text
    #expect(profile.entities.allSatisfy { $0.columns.allSatisfy(\.texts.isEmpty) })
    for word in ["openly", "closed", "word 1", "word 2", "word 3"] {
      #expect(!text.contains(word), "\(word)")
    }
  }

  @Test func `says how many objects each leads to`() throws {
    let store = try ProfiledStore()
    let notes = (0..<120).map { ProfiledStore.Note(tag: Int64($0 / 3 + 1)) }
    try store.insert(notes, tags: (0..<80).map { "tag \($0)" })
    let tag = try #require(store.profile().entity(named: "Tag"))
    #expect(
      tag.relationships == [
        RelationshipProfile(name: "notes", fanOut: [Bin(at: 0, count: 40), Bin(at: 3, count: 40)])
      ]
    )
  }

  @Test(arguments: [true, false])
  func `says which objects are led to, whether or not an index finds them`(isIndexed: Bool) throws {
    let store = try ProfiledStore()
    // Notes refer to the open tags 1 to 40 or to tag 999, which does not exist.
    let notes = (0..<150).map { ProfiledStore.Note(tag: $0 < 120 ? Int64($0 / 3 + 1) : 999) }
    try store.insert(notes, tags: (0..<80).map { $0 < 40 ? "open" : "closed" })
    if !isIndexed {
      let connection = try Connection(path: store.file.path, mode: .readWrite)
      try connection.execute("DROP INDEX ZNOTE_ZTAG_INDEX")
    }
    let note = try #require(store.profile().entity(named: "Note"))
    #expect(
      note.relationships == [
        RelationshipProfile(
          name: "tag",
          nulls: 30,
          targets: [TargetCondition(attribute: "name", values: [.text("open")])]
        )
      ]
    )
  }
}
