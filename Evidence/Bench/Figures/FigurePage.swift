import Basics
import Foundation

/// A page of documentation with figures between markers.
///
///     <!-- figure QUERY -->7.6 %<!-- /figure -->
///     <!-- figures FILE[CONDITIONS] by COLUMN: ANSWER as FORMAT; … -->   rows of a table
///     <!-- output FILE -->   a block of code with the file's text
///
/// Any other number with a unit is an error unless it is a setting: a number that was chosen, not
/// measured. Typed figures have a dagger, and a line that begins with a dagger explains them.
struct FigurePage {
  struct Fault: Hashable, CustomStringConvertible {
    let page: String
    let line: Int
    let message: String

    var description: String { "\(page):\(line): \(message)" }
  }

  let name: String
  let text: String

  private static let pattern =
    #"<!-- (figure|figures|output) ((?:(?!-->).)+?) -->(.*?)<!-- /\1 -->"#

  func recomputed(from folder: String) throws -> (text: String, faults: [Fault]) {
    let expression = try NSRegularExpression(
      pattern: Self.pattern,
      options: [.dotMatchesLineSeparators]
    )
    var (result, faults, position) = ("", [Fault](), text.startIndex)
    for match in expression.matches(in: text, range: NSRange(text.startIndex..., in: text)) {
      guard let whole = Range(match.range, in: text),
        let kind = Range(match.range(at: 1), in: text),
        let query = Range(match.range(at: 2), in: text),
        let body = Range(match.range(at: 3), in: text)
      else { continue }
      result += text[position..<body.lowerBound]
      do {
        result += try Self.body(of: String(text[kind]), String(text[query]), in: folder)
      } catch let error as FigureError {
        result += text[body]
        faults.append(fault(at: whole.lowerBound, "\(error)"))
      }
      result += text[body.upperBound..<whole.upperBound]
      position = whole.upperBound
    }
    return (result + text[position...], faults)
  }

  private static func body(of kind: String, _ query: String, in folder: String) throws -> String {
    switch kind {
    case "figure": return try FigureQuery(query).text(in: folder)
    case "figures": return try "\n" + table(query, in: folder)
    default:
      guard let text = try? String(contentsOfFile: folder + "/" + query, encoding: .utf8) else {
        throw FigureError.noFile(query)
      }
      return "\n```\n" + text + "```\n"
    }
  }

  private static func table(_ query: String, in folder: String) throws -> String {
    guard let colon = query.range(of: ": "), let by = query.range(of: " by ") else {
      throw FigureError.unreadable(query)
    }
    let (file, conditions) = try FigureQuery.source(String(query[..<by.lowerBound]))
    let column = String(query[by.upperBound..<colon.lowerBound])
    let rows = try CSVRows.read(folder + "/" + file).meeting(conditions)
    return try rows.values(of: column).map { value in
      var own = rows
      let position = try rows.position(of: column)
      own.rows = rows.rows.filter { $0[position] == value }
      let cells = try query[colon.upperBound...].components(separatedBy: "; ").map { cell in
        let parts = cell.components(separatedBy: " as ")
        return try FigureQuery.text(
          of: parts[0],
          as: parts.count > 1 ? parts[1] : "1",
          rows: own
        )
      }
      return "| " + ([value + own.mark] + cells).joined(separator: " | ") + " |\n"
    }.joined()
  }

  /// Reports figures that differ from the data, and unexplained numbers with a unit.
  func faults(folder: String, settings: Set<String>) throws -> [Fault] {
    let (computed, broken) = try recomputed(from: folder)
    var faults = broken
    let (own, wanted) = (text.components(separatedBy: "\n"), computed.components(separatedBy: "\n"))
    for (index, line) in own.enumerated() where index >= wanted.count || line != wanted[index] {
      let should = index < wanted.count ? wanted[index] : ""
      faults.append(
        Fault(page: name, line: index + 1, message: "differs from the data: they give \(should)")
      )
      // If a table has too many or too few rows, all following lines differ, too.
      if own.count != wanted.count { break }
    }
    if computed.contains("†"), !own.contains(where: { $0.hasPrefix("† ") }) {
      faults.append(Fault(page: name, line: 1, message: "no line explains its typed figures (†)"))
    }
    return faults
      + (try looseNumbers()).filter { !settings.contains("\(name): \($0.text)") }.map {
        Fault(
          page: name,
          line: $0.line,
          message:
            "'\($0.text)' does not come from a data file: put it between markers or, if it was chosen "
            + "and not measured, add '\(name): \($0.text)' to Evidence/docs/settings.txt"
        )
      }
  }

  private static let measured =
    #"(?<![\w.,])\d[\d,.]*(?: (?:to|and|or|in) \d[\d,.]*)? ?(?:%|µs|ms|s|min|minutes|seconds|hours|KB|MB|GB|TB|KiB|MiB|GiB|times|rows a second|objects a second)(?![\w%])"#

  /// Numbers with a unit outside markers and code, with their line numbers.
  func looseNumbers() throws -> [(line: Int, text: String)] {
    let hidden = try NSRegularExpression(
      pattern: Self.pattern + #"|```.*?```|`[^`\n]*`|<!--.*?-->|^    .*?$"#,
      options: [.dotMatchesLineSeparators, .anchorsMatchLines]
    )
    let blank = NSMutableString(string: text)
    for match in hidden.matches(in: text, range: NSRange(text.startIndex..., in: text)).reversed() {
      let lines = (text as NSString).substring(with: match.range).count { $0 == "\n" }
      // Keep the newlines, so that the line numbers stay correct.
      let padding = String(repeating: "\n", count: lines)
      blank.replaceCharacters(in: match.range, with: lines == 0 ? "·" : padding)
    }
    let expression = try NSRegularExpression(pattern: Self.measured)
    return (blank as String).components(separatedBy: "\n").enumerated().flatMap { index, line in
      expression.matches(in: line, range: NSRange(line.startIndex..., in: line)).compactMap {
        Range($0.range, in: line).map { (index + 1, String(line[$0])) }
      }
    }
  }

  private func fault(at index: String.Index, _ message: String) -> Fault {
    Fault(page: name, line: text[..<index].count { $0 == "\n" } + 1, message: message)
  }
}
