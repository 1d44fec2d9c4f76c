import DataModel
import Foundation
import Testing

@testable import Generators

struct LikenessTests {
  private static let model = """
    Contact:
      attributes: { id: uuid, name: { type: string, optional: false }, email: { type: string, optional: false }, city: string, madeAt: date, seenAt: date, age: integer32 }
      relationships: { calls: { to: Call, many: true, inverse: contact } }
    Call:
      relationships: { contact: { to: Contact, inverse: calls } }
    """

  private func dataset(_ duplicates: String, count: Int = 2_000) throws -> Dataset {
    try Dataset(
      Recipes.make(
        model: Self.model,
        """
        entities:
          Contact:
            count: \(count)
            attributes:
              id: uuid
              name: name
              email: email
              city: { city: , null: 0.2 }
              madeAt: { date: { ordered: true } }
              seenAt: { date: { after: madeAt } }
              age: { uniform: [18, 99] }
            duplicates: { key: email, rate: 0.2, \(duplicates) }
          Call: { count: 9_000, relationships: { contact: { zipfian: 0.8 } } }
        """
      )
    )
  }

  private func row(_ row: Int, of dataset: Dataset) throws -> [String: Value] {
    try ["id", "name", "email", "city", "madeAt", "seenAt", "age"].reduce(into: [:]) {
      $0[$1] = try dataset.value(entity: "Contact", row: row, attribute: $1)
    }
  }

  /// The pairs of an original and a copy, with the copy's likeness.
  private func copies(
    _ dataset: Dataset
  ) throws -> [(original: Int, copy: Int, likeness: Likeness)] {
    let clusters = try #require(try dataset.entity("Contact").duplicates)
    return clusters.clusters.flatMap { cluster in
      cluster.dropFirst().compactMap { copy in
        clusters.likeness(of: copy).map { (cluster[0], copy, $0) }
      }
    }
  }

  @Test func `exact copies differ in what is their own, and in what follows it`() throws {
    let dataset = try dataset("likeness: { exact: 1 }, own: [id, madeAt]")
    for (original, copy, likeness) in try copies(dataset) {
      #expect(likeness == .exact)
      let (one, two) = (try row(original, of: dataset), try row(copy, of: dataset))
      for attribute in ["name", "email", "city", "age"] {
        #expect(one[attribute] == two[attribute])
      }
      for attribute in ["id", "madeAt", "seenAt"] { #expect(one[attribute] != two[attribute]) }
    }
    #expect(try copies(dataset).count == 400)
  }

  @Test func `near copies differ in the texts that the answer key says`() throws {
    let dataset = try dataset(
      "likeness: { near: 1 }, own: [id, madeAt], edits: { in: [name, email, city], count: { poisson: 1 } }"
    )
    let lines = try AnswerKey(dataset).csv().components(separatedBy: "\r\n")
    let header = lines[0].components(separatedBy: ",")
    let edits = try #require(header.firstIndex(of: "edits"))
    var answers: [Int: String] = [:]
    for line in lines.dropFirst().dropLast() {
      let fields = line.components(separatedBy: ",")
      answers[(Int(fields[3]) ?? 0) - 1] = fields[edits]
    }
    for (original, copy, _) in try copies(dataset) {
      let (one, two) = (try row(original, of: dataset), try row(copy, of: dataset))
      let said = (answers[copy] ?? "").split(separator: "|").compactMap {
        $0.split(separator: " ").first.map(String.init)
      }
      let different = ["name", "email", "city"].filter { one[$0] != two[$0] }
      #expect(different == said)
      #expect(!different.isEmpty)
      #expect(answers[original] == "")
      #expect(one["age"] == two["age"])
    }
  }

  @Test func `likenesses are as frequent as their weights`() throws {
    let dataset = try dataset(
      "likeness: { exact: 2, near: 3, sameKey: 5 }, edits: { in: name }",
      count: 50_000
    )
    let found = try copies(dataset).map(\.likeness)
    let counts = [Likeness.exact, .near, .sameKey].map { likeness in
      found.count { $0 == likeness }
    }
    let expected = [0.2, 0.3, 0.5].map { $0 * 10_000 }
    #expect(counts.reduce(0, +) == 10_000)
    #expect(chiSquare(counts, expected: expected) < limit(freedom: 2))
  }

  @Test(arguments: [
    (TextEdit.typo, ["Café Luna": 3]), (.keyboard, ["Café Luna": 1]), (.case, ["Café Luna": 9]),
    (.accents, ["Café Luna": 1]), (.swappedWords, ["Café Luna": 9]),
  ])
  func `an edit changes a text a little`(edit: TextEdit, texts: [String: Int]) {
    for (text, most) in texts {
      for row in 0..<50 {
        var draws = StreamKey(seed: 4).draws(row: row)
        var scalars = Array(text.unicodeScalars)
        edit.apply(to: &scalars, &draws)
        let edited = TextEdit.string(of: scalars)
        let same = zip(text.unicodeScalars, scalars).count { $0 == $1 }
        if edit != .typo, edit != .case { #expect(edited != text) }
        #expect(abs(scalars.count - text.unicodeScalars.count) <= 1)
        if edit == .keyboard || edit == .accents {
          #expect(text.unicodeScalars.count - same <= most)
        }
      }
    }
  }

  @Test func `keyboard neighbours are neighbours, accents are left out and words swapped`() {
    func edited(_ text: String, _ edit: TextEdit, row: Int = 0) -> String {
      var draws = StreamKey(seed: 4).draws(row: row)
      var scalars = Array(text.unicodeScalars)
      edit.apply(to: &scalars, &draws)
      return TextEdit.string(of: scalars)
    }
    #expect(Set((0..<40).map { edited("AgB", .keyboard, row: $0) }) == ["AfB", "AhB"])
    #expect(Set((0..<40).map { edited("qÖ", .keyboard, row: $0) }) == ["wÖ"])
    #expect(edited("Søren Ñandú", .accents) == "Soren Nandu")
    #expect(edited("Ana Silva", .swappedWords) == "Silva Ana")
    #expect(
      Set((0..<40).map { edited("ana SILVA", .case, row: $0) })
        == ["ANA SILVA", "ana silva", "Ana Silva"]
    )
    #expect(edited("東京", .keyboard) == "東京")
  }

  @Test(arguments: ["own", "spread", "original"])
  func `children go to copies as the recipe says`(children: String) throws {
    let dataset = try dataset("copies: 3, children: \(children)")
    let own = try self.dataset("copies: 3, children: own")
    let clusters = try #require(try dataset.entity("Contact").duplicates)
    func count(_ dataset: Dataset, _ row: Int) throws -> Int {
      try dataset.targets(entity: "Contact", row: row, relationship: "calls").count
    }
    for cluster in clusters.clusters {
      let counts = try cluster.map { try count(dataset, $0) }
      let before = try cluster.map { try count(own, $0) }
      let total = before.reduce(0, +)
      #expect(counts.reduce(0, +) == total)
      switch children {
      case "own": #expect(counts == before)
      case "spread": #expect((counts.max() ?? 0) - (counts.min() ?? 0) <= 1)
      default: #expect(counts[0] == total)
      }
    }
    var parents: [Int: Int] = [:]
    for row in 0..<9_000 {
      let parent = try dataset.target(entity: "Call", row: row, relationship: "contact")
      parents[try #require(parent).row, default: 0] += 1
    }
    for row in 0..<2_000 { #expect(try parents[row, default: 0] == count(dataset, row)) }
  }

  @Test(arguments: [
    ("likeness: { near: 1 }", "5:17 near copies need 'edits: { in: [ATTRIBUTE, …] }'"),
    ("edits: { in: name }", "5:66 only near copies have edits: add 'near' under 'likeness'"),
    ("likeness: { exakt: 1 }", "5:58 unknown key 'exakt' in 'likeness'; did you mean 'exact'?"),
    (
      "own: email",
      "5:51 'email' is the key by which duplicates are recognized, so it cannot also be an attribute in which copies differ"
    ),
    ("likeness: { near: 1 }, edits: { in: age }", "Contact has no string attribute 'age'"),
    (
      "likeness: { near: 1 }, edits: { in: city }",
      "at least one of 'city' must never be null, so that every near copy has a value to edit"
    ),
    ("children: spred", "'children' cannot be 'spred'; did you mean 'spread'?"),
  ])
  func `says what is wrong with copies`(duplicates: String, problem: String) throws {
    let problems = try Recipes.problems(
      model: Self.model,
      """
      entities:
        Contact:
          count: 100
          attributes: { email: email }
          duplicates: { key: email, rate: 0.2, \(duplicates) }
      """
    )
    #expect(problems.contains { $0.hasSuffix(problem.drop { "0123456789: ".contains($0) }) })
  }
}
