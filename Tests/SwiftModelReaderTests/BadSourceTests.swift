#if SwiftSource
  import Basics
  import DataModel
  import Foundation
  import SwiftModels
  import TestSupport
  import Testing

  @testable import SwiftModelReader

  @Suite struct BadSourceTests {
    @Test func `sources that do not parse are one warning, and what can be read is read`() {
      let family = SwiftModelFamily.read("@Model class A { var a: Int }\nclass { } ) ) func (")
      #expect(family.entityNames == ["A"])
      #expect(family.notes.count == 1)
    }

    @Test(arguments: ["(", "[", "{", "<"])
    func `100,000 nested brackets are one warning`(_ bracket: String) {
      let nested = String(repeating: bracket, count: 100_000)
      let family = SwiftModelFamily.read("@Model class A { var a: Int }\nlet x = \(nested)")
      #expect(family.entityNames == ["A"])
      #expect(family.notes.count == 1)
    }

    @Test(arguments: ["[", "Optional<", "A.", "("])
    func `a type of 100,000 parts ends the reading of nothing`(_ part: String) {
      let type = String(repeating: part, count: 100_000) + "B"
      let family = SwiftModelFamily.read("@Model class A { var a: Int; var b: \(type) }")
      #expect(family.entityNames == ["A"])
      #expect(family.attribute("A.a") != nil)
    }

    /// The expression has ten thousand parts, and a hundred thousand in `make fuzz`.
    @Test(arguments: ["-", "!", "try ", "a.", "a ? b : ", "X."])
    func `fuzz: very many parts of an expression end the reading of nothing`(_ part: String) {
      let chain = String(repeating: part, count: FuzzSeeds.isThorough ? 100_000 : 10_000)
      let family = SwiftModelFamily.read("@Model class A { var a: Int; var b = \(chain)c }")
      #expect(family.entityNames == ["A"])
    }

    @Test func `what follows a chain of more names than any code has is left out`() {
      for (count, names) in [(1_000, ["A", "B"]), (3_000, ["A"])] {
        let chain = String(repeating: "a.", count: count)
        let family = SwiftModelFamily.read(
          "@Model class A { var a: Int; var b = \(chain)c }\n@Model class B { var a: Int }"
        )
        #expect(family.entityNames == names)
      }
    }

    @Test func `a file beyond the limit is one warning`() throws {
      let folder = try TemporaryFolder()
      try Data("@Model class A { var a: Int }".utf8).write(
        to: URL(fileURLWithPath: folder.path + "/A.swift")
      )
      let large = Data(repeating: 32, count: 9 << 20)
      try large.write(to: URL(fileURLWithPath: folder.path + "/B.swift"))
      let family = try SwiftSource.read(path: folder.path)
      #expect(family.entityNames == ["A"])
      #expect(family.notes.map { $0.place?.file } == ["B.swift"])
    }

    @Test func `a folder of more entries than are looked at is one warning`() throws {
      let folder = try TemporaryFolder()
      for number in 0..<60 { try folder.write("", to: "part\(number % 3)/f\(number).txt") }
      #expect(try SourceFolder(path: folder.path, mostEntries: 50).notes.count == 1)
      #expect(try SourceFolder(path: folder.path, mostEntries: 100).notes.isEmpty)
    }

    @Test func `more classes than any app has are one warning`() {
      let classes = (0..<5_010).map { "@Model class C\($0) {}" }.joined(separator: "\n")
      let family = SwiftModelFamily.read(classes)
      #expect(family.entityNames.count == 5_000)
      #expect(family.notes.map { $0.place?.line } == [5_002])
    }

    @Test func `classes beyond the limit are not parsed`() {
      let text = Array("@Model @ModelActor // @Model\n@Model".utf8)
      #expect(text.end(before: "@Model", most: 3) == (text.count, 3))
      #expect(text.end(before: "@Model", most: 2) == (text.count - 6, 2))
      #expect(text.end(before: "@Model", most: 0) == (0, 0))
    }

    @Test func `more properties than a table has columns are one warning`() {
      let properties = (0..<2_010).map { "var p\($0): Int" }.joined(separator: "\n")
      let family = SwiftModelFamily.body(properties)
      #expect(family.current.model.entities[0].attributes.count == 2_000)
      #expect(family.notes.count == 1)
    }

    @Test func `of very many notes the first are kept`() {
      let branches = (0..<1_100).map { "#if FLAG\($0)\nvar p\($0): Int\n#endif" }
      let family = SwiftModelFamily.body(branches.joined(separator: "\n"))
      #expect(family.notes.count == 1_001)
    }

    @Test func `bytes that are no text are no reason to stop`() throws {
      let folder = try TemporaryFolder()
      try folder.write([0, 255, 254, 10], to: "A.swift")
      try folder.write("@Model class B { var a: Int }\n", to: "B.swift")
      #expect(try SwiftSource.read(path: folder.path).entityNames == ["B"])
      try folder.write(Array("@Model class C { var a: Int }\n".utf8) + [0, 255, 0], to: "C.swift")
      #expect(try SwiftSource.read(path: folder.path).entityNames == ["B", "C"])
    }

    @Test func `links out of the folder, products and packages are not followed`() throws {
      let (folder, other) = (try TemporaryFolder(), try TemporaryFolder())
      for (path, name) in [
        (folder.path + "/App", "A"), (other.path, "B"), (folder.path + "/Pods", "C"),
        (folder.path + "/.build", "D"),
      ] {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try Data("@Model class \(name) {}".utf8)
          .write(to: URL(fileURLWithPath: "\(path)/\(name).swift"))
      }
      try FileManager.default.createSymbolicLink(
        atPath: folder.path + "/Link",
        withDestinationPath: other.path
      )
      #expect(try SwiftSource.read(path: folder.path).entityNames == ["A"])
    }

    @Test func `models of tests are left out beside those of an app`() {
      let family = SwiftSource.read(texts: [
        "App/A.swift": "@Model class A {}", "AppTests/B.swift": "@Model class B {}",
      ])
      #expect(family.entityNames == ["A"])
    }

    @Test func `a folder without Swift is refused`() throws {
      let folder = try TemporaryFolder()
      #expect(throws: Refusal.self) { try SwiftSource.read(path: folder.path) }
    }
  }
#endif
