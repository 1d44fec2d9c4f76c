import Basics
import Testing

@Suite struct TerminalTextTests {
  @Test(
    arguments: [
      ("", 0), ("abc", 3), ("µs", 2), ("é", 1), ("e\u{301}", 1), ("漢字", 4), ("かな", 4),
      ("한국어", 6), ("😀", 2), ("…–✓", 3), ("Ω≈ж", 3),
    ])
  func `counts the columns of a terminal`(text: String, width: Int) {
    #expect(TerminalText.width(text) == width)
  }

  @Test(
    arguments: [
      ("a\u{1B}[31mb", "a\u{FFFD}[31mb"), ("a\nb\tc", "a b c"), ("\u{202E}abc", "\u{FFFD}abc"),
      ("a\u{0}\u{7F}\u{9B}", "a\u{FFFD}\u{FFFD}\u{FFFD}"), ("a\r\nb", "a  b"), ("ünï", "ünï"),
    ])
  func `lets nothing move the cursor`(text: String, plain: String) {
    #expect(TerminalText.plain(text) == plain)
  }

  @Test func `wraps between words, and long IDs after a comma`() {
    #expect(TerminalText.wrapped("one two  three", to: 7) == ["one two", "three"])
    #expect(TerminalText.wrapped("a=1,b=2,c=3", to: 9) == ["a=1,b=2,", "c=3"])
    #expect(TerminalText.wrapped("abcdefgh", to: 3) == ["abc", "def", "gh"])
    #expect(TerminalText.wrapped("漢字", to: 1) == ["漢", "字"])
    #expect(TerminalText.wrapped("", to: 10).isEmpty)
  }

  @Test func `ends a line that goes on with the comma of its separator`() {
    let parts = ["aaa", "bbb", "ccc"]
    #expect(TerminalText.lines(of: parts, separator: ", ", to: 9) == ["aaa, bbb,", "ccc"])
    #expect(TerminalText.lines(of: parts, separator: " · ", to: 9) == ["aaa · bbb", "ccc"])
  }
}
