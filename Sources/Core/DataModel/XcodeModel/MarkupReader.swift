import Basics
import Foundation

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// Reads XML from untrusted files, with limits on file size, nesting depth and number of elements.
final class MarkupReader: NSObject, XMLParserDelegate {
  private static let largestFile = 16 << 20
  private static let deepest = 64
  private static let mostElements = 200_000

  private let diagnostics: Diagnostics
  private var open: [Element] = []
  private var root: Element?
  private var count = 0

  private init(diagnostics: Diagnostics) {
    self.diagnostics = diagnostics
  }

  static func read(path: String, into diagnostics: Diagnostics) throws -> Element? {
    parse(try InputFile.bytes(path: path, limit: largestFile), into: diagnostics)
  }

  static func parse(_ bytes: [UInt8], into diagnostics: Diagnostics) -> Element? {
    let text: String
    switch decoded(bytes) {
    case .success(let decoded): text = decoded
    case .failure(let fault):
      diagnostics.report(fault.message, at: fault.place)
      return nil
    }
    let reader = MarkupReader(diagnostics: diagnostics)
    let parser = XMLParser(data: Data(text.utf8))
    parser.shouldResolveExternalEntities = false
    parser.delegate = reader
    let isWhole = parser.parse()
    guard isWhole, !diagnostics.hasErrors, let root = reader.root else {
      if !diagnostics.hasErrors {
        diagnostics.report("the file is not XML", at: reader.place(of: parser))
      }
      return nil
    }
    return root
  }

  private struct Fault: Error {
    let message: String
    var place: Place?
  }

  /// Returns the file's text, with UTF-8 as its declared encoding, or the reason not to parse it.
  private static func decoded(_ bytes: [UInt8]) -> Result<String, Fault> {
    // Decode the file first: FoundationXML crashes on element and attribute names that are not
    // valid UTF-8, or that libxml2 would transcode.
    guard var text = unicode(bytes) else {
      return .failure(Fault(message: "the file is not text in UTF-8 or UTF-16"))
    }
    if text.utf8.contains(0) { return .failure(Fault(message: "the file is not text")) }
    if text.unicodeScalars.first == "\u{feff}" { text.unicodeScalars.removeFirst() }
    let declaration = text.prefix(200).prefix { $0 != ">" }
    if let found = declaration.firstMatch(of: /encoding\s*=\s*["']([^"']*)["']/) {
      let encoding = found.1.lowercased()
      guard knownEncodings.contains(encoding) else {
        let message = "the file is in the encoding '\(found.1)'; save it as UTF-8"
        return .failure(Fault(message: message))
      }
      text.replaceSubrange(found.range, with: "encoding=\"UTF-8\"")
    }
    // Models do not declare XML entities, and expanding XML entities could exhaust memory.
    if text.contains("<!ENTITY") {
      return .failure(Fault(message: "the file declares XML entities, which models do not contain"))
    }
    return conflict(in: text).map { .failure($0) } ?? .success(text)
  }

  private static let knownEncodings: Set<String> = [
    "utf-8", "utf8", "us-ascii", "ascii", "utf-16", "utf16", "utf-16le", "utf-16be", "iso-8859-1",
  ]

  private static func unicode(_ bytes: [UInt8]) -> String? {
    let isBig = bytes.starts(with: [0xfe, 0xff]) || bytes.starts(with: [0, 0x3c])
    let isLittle = bytes.starts(with: [0xff, 0xfe]) || bytes.starts(with: [0x3c, 0])
    guard isBig || isLittle else {
      if let text = String(validating: bytes, as: UTF8.self) { return text }
      let start = String(decoding: bytes.prefix(200), as: UTF8.self).lowercased()
      return start.contains("iso-8859-1") ? String(bytes: bytes, encoding: .isoLatin1) : nil
    }
    guard bytes.count.isMultiple(of: 2) else { return nil }
    let units = stride(from: 0, to: bytes.count, by: 2).map { index in
      let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
      return isBig ? first << 8 | second : second << 8 | first
    }
    return String(validating: units, as: UTF16.self)
  }

  private static func conflict(in text: String) -> Fault? {
    guard text.contains("<<<<<<< "), text.contains(">>>>>>> ") else { return nil }
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    return lines.firstIndex { $0.hasPrefix("<<<<<<< ") }.map { line in
      Fault(
        message: "the file holds the markers of a merge conflict; resolve it in Git first",
        place: Place(line: line + 1, column: 1)
      )
    }
  }

  private func place(of parser: XMLParser) -> Place {
    Place(line: max(1, parser.lineNumber), column: max(1, parser.columnNumber))
  }

  func parser(
    _ parser: XMLParser,
    didStartElement elementName: String,
    namespaceURI: String?,
    qualifiedName qName: String?,
    attributes attributeDict: [String: String]
  ) {
    count += 1
    guard count <= MarkupReader.mostElements, open.count < MarkupReader.deepest else {
      let (most, deepest) = (MarkupReader.mostElements, MarkupReader.deepest)
      diagnostics.report("the file has more than \(most) elements or \(deepest) levels")
      parser.abortParsing()
      return
    }
    open.append(Element(name: elementName, attributes: attributeDict, place: place(of: parser)))
  }

  func parser(_ parser: XMLParser, foundCharacters string: String) {
    guard !open.isEmpty else { return }
    open[open.count - 1].text += string
  }

  func parser(
    _ parser: XMLParser,
    didEndElement elementName: String,
    namespaceURI: String?,
    qualifiedName qName: String?
  ) {
    guard let element = open.popLast() else { return }
    if open.isEmpty { root = element } else { open[open.count - 1].children.append(element) }
  }

  func parser(_ parser: XMLParser, parseErrorOccurred parseError: any Error) {
    guard !diagnostics.hasErrors else { return }
    diagnostics.report("the file is not well-formed XML", at: place(of: parser))
  }
}

extension MarkupReader {
  struct Element {
    let name: String
    let attributes: [String: String]
    let place: Place
    var children: [Element] = []
    var text = ""

    func children(named name: String) -> [Element] {
      children.filter { $0.name == name }
    }
  }
}
