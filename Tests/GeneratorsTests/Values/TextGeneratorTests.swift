import DataModel
import Testing

@testable import Generators

struct TextGeneratorTests {
  // If a text changes, every generated store changes.
  @Test(arguments: [
    ("title", "File the résumé"),
    ("label", "Household Reminders"),
    ("name", "Jana Nováková"),
    ("product", "Classic mirror, 30 cm"),
    ("filename", "IMG_7866.JPG"),
    ("city", "서울"),
    ("place", "Hotel Victoria"),
    ("address", "종로 118, 04211 서울"),
    ("email", "lukas.roberts44@mail.example.com"),
    ("url", "https://example.com/tasks/library/docs/6916FDF0"),
    ("colour", "#5DC0EA"),
    ("step", "Send the papers"),
    ("biography", "Student. I like football. Opinions are my own"),
    ("uuid", "30F0349A-0B45-4015-8964-BB88495DC0EA"),
    ("{ label: { topic: people } }", "Theatre Group"),
    ("{ label: { topic: writing } }", "Notes on the lake"),
    ("phone", "+82 10-4762-1148"),
    ("{ code: { prefix: X-, digits: 5 } }", "X-74296"),
    ("{ notes: { words: 9 } }", "Łukasz knows more.\nTalk to Emma. Zoë can help."),
  ])
  func `the first text never changes`(rule: String, text: String) throws {
    let first = try Dataset.ofThing("string", rule, count: 3).texts()[0]
    #expect(first == text)
  }

  @Test(arguments: [
    "label", "email", "uuid", "{ code: { prefix: X, digits: 2 } }", "{ title: , distinct: true }",
    "{ city: , distinct: true }",
  ])
  func `distinct texts never repeat`(rule: String) throws {
    let texts = try Dataset.ofThing("string", rule, count: 4_000).texts()
    #expect(Set(texts).count == 4_000)
  }

  @Test(arguments: [
    ("latin", 0x41...0x24F), ("cyrillic", 0x400...0x4FF), ("greek", 0x370...0x3FF),
    ("arabic", 0x600...0x6FF), ("hebrew", 0x590...0x5FF), ("chinese", 0x4E00...0x9FFF),
    ("japanese", 0x3000...0x9FFF), ("korean", 0xAC00...0xD7A3), ("hindi", 0x900...0x97F),
  ])
  func `names are written in their script`(script: String, range: ClosedRange<Int>) throws {
    let names = try Dataset.ofThing("string", "{ name: { scripts: { \(script): 1 } } }", count: 200)
      .texts()
    #expect(Set(names).count > 50)
    // Names also have spaces, apostrophes, small ke, and Vietnamese letters with two marks.
    let others: Set<Int> = [0x20, 0x2019, 0x30F6]
    for name in names {
      for scalar in name.unicodeScalars where !others.contains(Int(scalar.value)) {
        let isLatinExtension = script == "latin" && (0x1E00...0x1EFF).contains(scalar.value)
        #expect(range.contains(Int(scalar.value)) || isLatinExtension, "\(name)")
      }
    }
  }

  @Test func `names come in all scripts where none is chosen`() throws {
    let names = try Dataset.ofThing("string", "name", count: 2_000).texts()
    for range in [0x400...0x4FF, 0x600...0x6FF, 0x900...0x97F, 0xAC00...0xD7A3] {
      #expect(names.contains { $0.unicodeScalars.contains { range.contains(Int($0.value)) } })
    }
  }

  @Test func `notes have the number of words asked for`() throws {
    let rule = "{ notes: { words: { uniform: [1, 40] } } }"
    let counts = try Dataset.ofThing("string", rule, count: 500).texts().map { text in
      text.split { $0 == " " || $0 == "\n" }.count
    }
    #expect(counts.min() == 1)
    #expect(counts.max() == 40)
    let expected = [Double](repeating: 12.5, count: 40)
    let observed = (1...40).map { words in counts.count { $0 == words } }
    #expect(chiSquare(observed, expected: expected) < limit(freedom: 39))
  }

  @Test(arguments: NotesTopic.allCases)
  func `texts of every length are whole sentences`(topic: NotesTopic) throws {
    for words in 1...(2 * topic.phrases.longest) {
      let rule = "{ notes: { words: \(words), topic: \(topic.rawValue) } }"
      for text in try Dataset.ofThing("string", rule, count: 20).texts() {
        #expect(text.split { $0 == " " || $0 == "\n" }.count == words, "\(text)")
        for sentence in sentences(of: text) {
          let first = try #require(sentence.first)
          #expect(first.uppercased() == String(first), "\(text)")
        }
        #expect(".!?".contains(text.last ?? " ") && !text.contains("  "))
        #expect(!text.contains { "{|}".contains($0) })
      }
    }
  }

  @Test(arguments: NotesTopic.allCases)
  func `hardly a short text says a thing twice`(topic: NotesTopic) throws {
    let rule = "{ notes: { words: 25, topic: \(topic.rawValue) } }"
    let texts = try Dataset.ofThing("string", rule, count: 500).texts()
    let repeating = texts.count { text in
      let sentences = sentences(of: text)
      return Set(sentences).count < sentences.count
    }
    #expect(repeating <= 10, "\(repeating) of 500")
  }

  private func sentences(of text: String) -> [Substring] {
    text.split { ".!?".contains($0) }.map { $0.drop { $0 == " " || $0 == "\n" } }
  }

  @Test func `every generated text is valid UTF-8`() throws {
    var cell = Cell()
    for rule in ["title", "name", "{ notes: { words: 60 } }", "address", "label"] {
      let dataset = try Dataset.ofThing("string", rule, count: 300)
      for row in 0..<300 {
        try dataset.fill(&cell, entity: "Thing", row: row, attribute: "value")
        #expect(String(validating: cell.bytes, as: UTF8.self) != nil)
      }
    }
  }

  @Test func `UUIDs are of version 4 and variant 1`() throws {
    for value in try Dataset.ofThing("uuid", "uuid", count: 200).things() {
      guard case .blob(let bytes) = value else {
        Issue.record("no blob")
        continue
      }
      #expect(bytes.count == 16)
      #expect(bytes[6] >> 4 == 4)
      #expect(bytes[8] >> 6 == 2)
    }
  }
}
