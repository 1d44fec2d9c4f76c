import Basics
import Foundation

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// Reads XML of untrusted files into elements, bounded in size, depth and number.
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

  /// The top element of a file, or `nil` after reporting why there is none.
  ///
  /// Throws a ``DataModelError`` where the file cannot be read at all.
  static func read(path: String, into diagnostics: Diagnostics) throws -> Element? {
    parse(try InputFile.bytes(path: path, limit: largestFile), into: diagnostics)
  }

  static func parse(_ bytes: [UInt8], into diagnostics: Diagnostics) -> Element? {
    if let fault = fault(of: bytes) {
      diagnostics.report(fault)
      return nil
    }
    let reader = MarkupReader(diagnostics: diagnostics)
    let parser = XMLParser(data: Data(bytes))
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

  /// Why the parser should not even see a file, or `nil`.
  private static func fault(of bytes: [UInt8]) -> String? {
    // FoundationXML ends the process on names that are not UTF-8, or that libxml2 would convert.
    guard let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
      return "the file is not UTF-8 text"
    }
    let declaration = text.prefix(200).prefix { $0 != ">" }
    if let encoding = declaration.firstMatch(of: /encoding\s*=\s*["']([^"']*)/)?.1,
      !["utf-8", "utf8", "us-ascii"].contains(encoding.lowercased())
    {
      return "the file is in the encoding '\(encoding)', not UTF-8"
    }
    // No model declares entities; a file that does means to unfold them without end.
    return text.contains("<!ENTITY") ? "the file declares entities, which no model does" : nil
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
    open.append(
      Element(name: elementName, attributes: attributeDict, place: place(of: parser))
    )
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
  /// An element of an XML file with its place.
  struct Element {
    let name: String
    let attributes: [String: String]
    let place: Place
    var children: [Element] = []
    var text = ""

    /// The children of that name.
    func children(named name: String) -> [Element] {
      children.filter { $0.name == name }
    }
  }
}
