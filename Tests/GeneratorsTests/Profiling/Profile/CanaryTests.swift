import Generators
import TestSupport
import Testing

struct CanaryTests {
  private static let count = 1_000

  /// A number that cannot be a bin's edge: edges from 3,003 on are multiples of 100.
  private static func number(_ index: Int) -> Int { 3_003 + 10 * index }

  private static func notes(_ count: Int = Self.count) -> [ProfiledStore.Note] {
    (0..<count).map { index in
      let word = "canary\(index)x"
      let rest = String(repeating: "y", count: number(index) - word.utf8.count)
      return ProfiledStore.Note(
        text: word + rest,
        date: 700_000_003 + 86_417 * Double(index),
        number: Int64(number(index)) * 100_000 + 7,
        blobSize: number(index) + 1,
        price: Double(number(index)) + 0.37
      )
    }
  }

  /// All numbers and words in a text.
  private static func words(of text: String) -> Set<Substring> {
    Set(text.split { !($0.isLetter || $0.isNumber || $0 == ".") })
  }

  @Test func `no planted value can be found in the profile`() throws {
    let store = try ProfiledStore()
    let notes = Self.notes()
    try store.insert(notes)
    let profile = try store.profile()
    let columns = try #require(profile.entity(named: "Note")).columns
    #expect(columns.filter { $0.bins.count > 5 }.count == 5)

    let text = ProfileWriter(profile).text
    let words = Self.words(of: text)
    #expect(!text.contains("canary"))
    #expect(words.contains("1000"), "the objects are counted, so numbers are found")
    for note in notes {
      let date = Int(try #require(note.date))
      let planted = try [
        "\(#require(note.text).utf8.count)", "\(date)", "\(date).0",
        "\(#require(note.number))", "\(#require(note.blobSize))", "\(#require(note.price))",
      ]
      for value in planted where words.contains(Substring(value)) {
        Issue.record("the profile has '\(value)'")
      }
    }
  }

  @Test func `a single value far from all others moves no edge`() throws {
    let (store, other) = (try ProfiledStore(), try ProfiledStore())
    var notes = Self.notes(300)
    try other.insert(notes)
    notes[150].text = String(repeating: "z", count: 777_777)
    notes[150].date = -3_000_000_000
    notes[150].number = 987_654_321_012
    notes[150].blobSize = 5_555_555
    notes[150].price = -4e9
    try store.insert(notes)
    let edges = try [store, other].map { store in
      try #require(store.profile().entity(named: "Note")).columns.map { column in
        [column.bins.map(\.from).min(), column.bins.map(\.to).max()]
      }
    }
    for (with, without) in zip(edges[0], edges[1]) {
      guard let low = without[0], let high = without[1], high > low else { continue }
      #expect(try #require(with[0]) >= low - (high - low))
      #expect(try #require(with[1]) <= high + (high - low))
    }
  }

  @Test func `the smallest and the largest number are no edges`() throws {
    let store = try ProfiledStore()
    let numbers = (0..<200).map { Int64(5_003 + 13 * $0) }
    try store.insert(numbers.map { ProfiledStore.Note(number: $0) })
    let columns = try #require(store.profile().entity(named: "Note")).columns
    let column = try #require(columns.first { $0.name == "number" })
    let edges = Set(column.bins.flatMap { [$0.from, $0.to] })
    #expect(!edges.contains(Double(numbers[0])))
    #expect(!edges.contains(Double(numbers[199])))
    #expect(!edges.contains(Double(numbers[199] + 1)))
  }
}
