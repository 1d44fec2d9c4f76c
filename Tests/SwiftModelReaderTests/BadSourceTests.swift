#if SwiftSource
  import Basics
  import Foundation
  import SwiftModelReader
  import SwiftModels
  import TestSupport
  import Testing

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

    @Test(arguments: ["-", "!", "try ", "a.", "a ? b : ", "X."])
    func `100,000 parts of an expression end the reading of nothing`(_ part: String) {
      let chain = String(repeating: part, count: 100_000)
      let family = SwiftModelFamily.read("@Model class A { var a: Int; var b = \(chain)c }")
      #expect(family.entityNames == ["A"])
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
