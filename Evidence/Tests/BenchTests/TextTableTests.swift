import Basics
import Testing

@testable import bench

@Suite struct TextTableTests {
  @Test func `aligns cells and cuts those that are too wide`() {
    let table = TextTable([.left("name", 6), .right("size", 5), .left("unit", 4)], margin: 2)
    #expect(table.header == "  name    size unit")
    #expect(table.line(["漢字", "12", "kB"]) == "  漢字      12 kB")
    #expect(table.line(["abcdefgh", "1", ""], mark: "✓ ") == "✓ abc…gh     1")
    #expect(table.width == 19)
  }

  @Test func `makes room for wide cells where none may be cut`() {
    let table = TextTable([.left("", 4), .right("", 3)], gap: 2, overflow: .widen)
    #expect(table.line(["abcdef", "1"]) == "abcdef    1")
    #expect(table.line(["a", "12345"]) == "a     12345")
  }

  @Test(
    arguments: [
      ("abcdef", 6, "abcdef"), ("abcdefg", 6, "abc…fg"), ("abcdefg", 1, "…"), ("abc", 0, ""),
      ("漢字漢字", 5, "漢…字"),
    ])
  func `cuts the middle out`(text: String, limit: Int, cut: String) {
    #expect(TerminalText.shortened(text, to: limit) == cut)
    #expect(TerminalText.width(TerminalText.shortened(text, to: limit)) <= limit)
  }
}
