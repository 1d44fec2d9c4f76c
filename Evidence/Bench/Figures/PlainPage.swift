import Foundation

/// A documentation page without markers for figures, so that its source is easy to read.
///
/// A second page, the list, has markers and takes its numbers from the data. It must repeat every
/// sentence of this page, and its outputs must equal this page's code blocks, in the same order. So
/// this page's numbers come from the data too.
struct PlainPage {
  let name: String
  let text: String

  private static let output = #"<!-- output ((?:(?!-->).)+?) -->\n```\n(.*?)```\n<!-- /output -->"#
  private static let block = #"^```\n(.*?)^```$"#

  func faults(list: FigurePage) throws -> [FigurePage.Fault] {
    let listed = Self.words(of: list.text.replacing(/<!--(?:(?!-->)[\s\S])*-->/, with: ""))
    let missing = try sentences().filter { !listed.contains($0.text) }.map {
      FigurePage.Fault(
        page: name,
        line: $0.line,
        message: "not in \(list.name), where its data belong: \($0.text)"
      )
    }
    guard try updated(from: list) != text else { return missing }
    let message = "its blocks are not the outputs of \(list.name), in their order"
    return missing + [FigurePage.Fault(page: name, line: 1, message: message)]
  }

  /// Returns the page with each code block replaced by the output at the same position in the list;
  /// `nil` if the numbers of outputs and blocks differ.
  func updated(from list: FigurePage) throws -> String? {
    let outputs = try Self.matches(of: Self.output, in: list.text, group: 2).map(\.text)
    let blocks = try Self.matches(of: Self.block, in: text, group: 1)
    guard outputs.count == blocks.count else { return nil }
    return zip(blocks, outputs).reversed().reduce(into: text) { page, pair in
      page.replaceSubrange(pair.0.range, with: pair.1)
    }
  }

  private func sentences() throws -> [(line: Int, text: String)] {
    var prose = text
    for block in try Self.matches(of: Self.block, in: text, group: 0).reversed() {
      let lines = block.text.count { $0 == "\n" }
      prose.replaceSubrange(block.range, with: String(repeating: "\n", count: lines))
    }
    var (paragraphs, isInside) = ([(line: Int, text: String)](), false)
    for (index, line) in prose.components(separatedBy: "\n").enumerated() {
      let isProse =
        !line.isEmpty && !line.hasPrefix("#") && !line.hasPrefix("    ") && !line.hasPrefix("![")
      if isProse, isInside { paragraphs[paragraphs.count - 1].text += " " + line }
      if isProse, !isInside { paragraphs.append((index + 1, line)) }
      isInside = isProse
    }
    return paragraphs.flatMap { paragraph in
      Self.words(of: paragraph.text).replacing(/([.:]) (?=[A-Z`*\[])/) { "\($0.output.1)\n" }
        .components(separatedBy: "\n").map { (paragraph.line, $0) }
    }
  }

  /// Returns the text with one space between words and without link targets, which differ between
  /// pages.
  private static func words(of text: String) -> String {
    text.replacing(/\]\([^)]*\)/, with: "]").split(whereSeparator: \.isWhitespace)
      .joined(separator: " ")
  }

  private static func matches(
    of pattern: String,
    in text: String,
    group: Int
  ) throws -> [(range: Range<String.Index>, text: String)] {
    let expression = try NSRegularExpression(
      pattern: pattern,
      options: [.dotMatchesLineSeparators, .anchorsMatchLines]
    )
    return expression.matches(in: text, range: NSRange(text.startIndex..., in: text)).compactMap {
      Range($0.range(at: group), in: text).map { ($0, String(text[$0])) }
    }
  }
}
