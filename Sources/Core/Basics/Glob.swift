/// A pattern in which `*` stands for any string and `?` for one character.
package struct Glob: Hashable, Sendable {
  package let pattern: String

  package init(_ pattern: String) {
    self.pattern = pattern
  }

  /// Whether the whole string matches the pattern.
  package func matches(_ text: String) -> Bool {
    let (pattern, text) = (Array(pattern), Array(text))
    var (p, t) = (0, 0)
    // For matching without recursion: the position of the last asterisk in the pattern, and the
    // position in the text at which to resume matching after it.
    var (star, mark): (Int?, Int) = (nil, 0)
    while t < text.count {
      if p < pattern.count, pattern[p] == "*" {
        (star, mark) = (p, t)
        p += 1
      } else if p < pattern.count, pattern[p] == "?" || pattern[p] == text[t] {
        p += 1
        t += 1
      } else if let last = star {
        p = last + 1
        mark += 1
        t = mark
      } else {
        return false
      }
    }
    return pattern[p...].allSatisfy { $0 == "*" }
  }
}
