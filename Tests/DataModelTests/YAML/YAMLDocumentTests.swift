import Testing

@testable import DataModel

@Suite struct YAMLDocumentTests {
  private func problems(of text: String, read: (YAMLValue) -> Void = { _ in }) -> [String] {
    let diagnostics = Diagnostics(file: "f.yaml")
    if let value = YAMLDocument.parse(text, into: diagnostics) { read(value) }
    return diagnostics.all.map(\.description)
  }

  @Test func `gives each problem its line and column`() {
    let found = problems(of: "batchSize: many\nlimit: [1]\nofset: 3\ncold: yes\nsize: 900") {
      let mapping = $0.mapping(knowing: ["batchSize", "limit", "offset", "cold", "size"])
      #expect(mapping?["batchSize"]?.integer() == nil)
      #expect(mapping?["limit"]?.integer() == nil)
      #expect(mapping?["cold"]?.boolean() == nil)
      #expect(mapping?["size"]?.integer(in: 1...100) == nil)
    }
    #expect(
      found == [
        "f.yaml:1:12: error: 'batchSize' must be a whole number, not text 'many'",
        "f.yaml:2:8: error: 'limit' must be a whole number, not a list",
        "f.yaml:3:1: error: unknown key 'ofset' in the file; did you mean 'offset'?",
        "f.yaml:4:7: error: 'cold' must be true or false, not text 'yes'",
        "f.yaml:5:7: error: 'size' must be from 1 to 100, not 900",
      ]
    )
  }

  @Test(arguments: [
    ("5", YAMLScalar.integer(5)), ("100_000", .integer(100_000)), ("-7", .integer(-7)),
    ("1.5", .real(1.5)), ("1e3", .real(1000)), ("'5'", .text("5")), ("true", .boolean(true)),
    ("yes", .text("yes")), ("~", .null), ("''", .text("")), ("1.2.3", .text("1.2.3")),
    ("_1", .text("_1")), ("2026-04-01", .text("2026-04-01")), ("0x10", .text("0x10")),
    ("9999999999999999999", .real(1e19)),
  ])
  func `knows what an unquoted scalar stands for`(text: String, expected: YAMLScalar) {
    _ = problems(of: text) { #expect($0.scalar == expected) }
  }

  @Test func `says where the text is not YAML`() {
    #expect(problems(of: "a: [1, 2\nb: 3")[0].hasPrefix("f.yaml:2:2: error: not YAML: "))
    #expect(problems(of: "") == ["f.yaml: error: the file is empty"])
    let twice = problems(of: "a: 1\nb: 2\na: 3")
    #expect(twice == ["f.yaml:1:1: error: the same key twice: 'a'"])
    #expect(problems(of: "a: \u{1}")[0].contains("not YAML"))
  }

  @Test func `reads past a byte order mark`() {
    let found = problems(of: "\u{feff}a: 1") { #expect($0.mapping()?["a"]?.integer() == 1) }
    #expect(found == [])
  }

  @Test func `merges mappings, whose own keys go before`() {
    let text = """
      base: &base { a: 1, b: 2 }
      own: { <<: *base, b: 3 }
      two: { <<: [*base, { a: 5, c: 6 }] }
      """
    let found = problems(of: text) { file in
      let top = file.mapping()
      let (own, two) = (top?["own"]?.mapping(), top?["two"]?.mapping())
      #expect(own?.entries.map(\.key) == ["b", "a"] && own?["b"]?.integer() == 3)
      #expect(two?.entries.map(\.key) == ["a", "b", "c"] && two?["a"]?.integer() == 1)
    }
    #expect(found == [])
    let other = problems(of: "a: { <<: 5 }") { _ = $0.mapping()?["a"]?.mapping(knowing: ["b"]) }
    #expect(other == ["f.yaml:1:6: error: unknown key '<<' in 'a' (known: b)"])
  }

  @Test func `expands few aliases and refuses many`() {
    #expect(problems(of: "a: &x [1, 2]\nb: *x").isEmpty)
    let bomb = (1...9).map { level in
      let items = Array(repeating: "*a\(level - 1)", count: 9).joined(separator: ", ")
      return "a\(level): &a\(level) [\(items)]"
    }
    let text = "a0: &a0 [1]\n" + bomb.joined(separator: "\n")
    #expect(
      problems(of: text) == [
        "f.yaml: error: the file has more than 16 aliases; write the values out"
      ]
    )
    let doubling = (1...8).map { "a\($0): &a\($0) [*a\($0 - 1), *a\($0 - 1)]" }
    #expect(problems(of: "a0: &a0 [1]\n" + doubling.joined(separator: "\n")).isEmpty)
  }

  @Test func `names each key that a mapping has twice, the innermost first`() {
    #expect(
      problems(of: "b: 1\na: { z: 1, 'z': 2, y: 3, y: 4 }\nb: 2")
        == ["f.yaml:2:20: error: the same key twice: 'y', 'z'"]
    )
    #expect(
      problems(of: "- { [1, 2]: a, [1, 2]: b }").map { $0.prefix(34) }
        == ["f.yaml:1:5: error: the same key tw"]
    )
    #expect(problems(of: "a: &x { k: 1 }\nb: *x\nc: { k: 1 }").isEmpty)
  }

  /// The start and end of a nesting level; some starts have a quoted or commented bracket.
  static let levels = [
    ("[", "]"), ("{ a: ", "}"), ("- ", ""), ("? ", ""), (": ", ""), ("- ? : ", ""),
    (#"["]", "#, "]"), ("['}',", "]"), ("[ # ]\n", "]"), ("{ \"a\\\"}\": ", "}"),
  ]

  @Test(arguments: levels, [65, 480, 5000])
  func `refuses deep nesting`(level: (begin: String, end: String), depth: Int) {
    let text =
      String(repeating: level.begin, count: depth) + String(repeating: level.end, count: depth)
    #expect(problems(of: text).count == 1)
  }

  @Test func `refuses deep indentation`() {
    let lines = (0..<1400).map { String(repeating: " ", count: $0) }
    #expect(problems(of: lines.map { $0 + "a:" }.joined(separator: "\n")).count == 1)
    #expect(problems(of: lines.map { $0 + "a:\n" + $0 + "-" }.joined(separator: "\n")).count == 1)
    #expect(problems(of: lines.map { $0 + "a:" }.joined(separator: "\u{2028}")).count == 1)
  }

  @Test func `takes many lists and mappings beside each other`() {
    let line = "- { a: [1, { b: c }], 'd': \"e\" }  # { \"f\": [ - ? :\n"
    #expect(problems(of: String(repeating: line, count: 200)).isEmpty)
    #expect(problems(of: String(repeating: "- { a: [b, {c: [d]}] }\n", count: 5000)).isEmpty)
  }

  @Test func `refuses a large text`() {
    let text = "a: " + String(repeating: "x", count: 1 << 20)
    #expect(
      problems(of: text) == [
        "f.yaml: error: the file is larger than 1048576 bytes, the most allowed"
      ]
    )
  }

  @Test(arguments: [
    ("titel", "title"), ("tilte", "title"), ("Priority", "priority"), ("typ", "type"),
    ("optionl", "optional"),
  ])
  func `suggests the word that was meant`(typed: String, meant: String) {
    let candidates = ["title", "priority", "type", "optional"]
    #expect(suggestion(for: typed, among: candidates) == meant)
  }

  @Test func `suggests nothing for a word like no other`() {
    #expect(suggestion(for: "zebra", among: ["title", "type"]) == nil)
    #expect(suggestion(for: "", among: ["title"]) == nil)
  }
}
