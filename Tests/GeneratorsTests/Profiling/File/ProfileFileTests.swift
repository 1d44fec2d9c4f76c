import DataModel
import TestSupport
import Testing

@testable import Generators

struct ProfileFileTests {
  private func read(_ text: String) -> (profile: StoreProfile?, problems: [String]) {
    let diagnostics = Diagnostics(file: "p.yaml")
    let profile = YAMLDocument.parse(text, into: diagnostics).flatMap(ProfileFile.profile)
    return (profile, diagnostics.all.map(\.description))
  }

  /// A profile and its text, made once for all tests.
  private static let sample: Result<(profile: StoreProfile, text: String), any Error> = Result {
    let store = try ProfiledStore(keepsHistory: true)
    try store.insert(
      (0..<400).map { index in
        ProfiledStore.Note(
          text: String(repeating: "b", count: index % 60),
          date: Double(index) * 1_000_003.5,
          number: Int64(index) * 1_001 - 70_000,
          blobSize: index * index,
          price: Double(index) * 0.013,
          isDone: index % 3 == 0,
          tag: index % 4 == 0 ? nil : Int64(1 + index % 30)
        )
      },
      tags: (0..<30).map { "tag \($0)" }
    )
    var profile = try store.profile()
    profile.pageUse = PageUse(free: 0.125, fill: ["ZNOTE": 71, "a b": 60])
    return (profile, ProfileWriter(profile).text)
  }

  @Test func `a profile written and read again is the same`() throws {
    let (profile, text) = try Self.sample.get()
    let (read, problems) = read(text)
    #expect(problems == [])
    #expect(read == profile)
    #expect(try ProfileWriter(#require(read)).text == text)
  }

  @Test(arguments: [
    ("k: 20", "k: 0", "p.yaml:4:4: error: 'k' must be from 1 to 1000000000, not 0"),
    ("profile: 1", "profile: 9", "p.yaml:3:1: error: 'profile' is 9, but this version reads 1"),
    ("objects: 400", "objects: 401", "add up to 400, and the entity has 401 objects"),
    ("objects: 400", "objects: many", "'objects' must be a whole number, not text 'many'"),
    ("isDone: { numbers", "isDone: { dates", "unknown key 'dates' in 'isDone'"),
    ("[0, 266]", "[0, 6]", "must be from 20 to 1000000000, not 6"),
    ("[0, 266]", "[0, 1, 2, 266]", "must be [from, to, objects] or [number, objects]"),
    ("[0, 266]", "[9, 1, 266]", "must begin below its end"),
    ("free: 0.125", "free: 1", "'free' must be a share from 0 to 0.99, not 1"),
    ("ZNOTE: 71", "ZNOTE: 0", "'ZNOTE' must be from 1 to 100, not 0"),
    ("  Note:", "  Nota:", "unknown key 'Nota' in 'entities'; did you mean 'Note'?"),
  ])
  func `says what is wrong and where`(_ old: String, _ new: String, _ message: String) throws {
    let text = try Self.sample.get().text
    #expect(text.contains(old))
    let (profile, problems) = read(text.replacing(old, with: new, maxReplacements: 1))
    #expect(profile == nil)
    #expect(problems.contains { $0.contains(message) }, "\(problems)")
  }
}
