import Foundation
import Runner
import TestSupport
import Testing

@testable import Compare

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// Checks output for CI servers against the schemas that their vendors publish.
struct PublishedFormatTests {
  @Test func `JUnit XML has the elements and attributes of junit-10.xsd, the required ones all`()
    throws
  {
    var changed = Fixture.small
    changed.workloads[0].cases[0].samples[0].trials = [[2_000_000], [2_000_000]]
    let comparison = try Comparison(of: changed, against: Fixture.small)
    let texts = [
      try Fixture.document.text(as: .junit), try Fixture.hostile.text(as: .junit),
      comparison.text(as: .junit),
      Comparison(of: changed, lackingBaseline: "none <of> it").text(as: .junit),
      try Self.live.text(as: .junit),
    ]
    for text in texts {
      let reader = JUnitReader()
      let parser = XMLParser(data: Data(text.utf8))
      parser.delegate = reader
      #expect(parser.parse())
      #expect(reader.problems == [])
      #expect(reader.count > 2)
    }
  }
}

extension PublishedFormatTests {
  /// A live comparison whose names try to break out of the output formats.
  private static let live: LiveResult = {
    var result = LiveResult(
      base: "<&\"'>",
      head: "files]]>",
      seed: 1,
      budget: 1,
      seconds: 1,
      policy: LivePolicy(),
      isInterrupted: false,
      cases: [
        LiveCaseResult(
          workload: "a\"<b",
          id: "a\"<b/&=\u{1}",
          baseID: "b",
          finding: .failed("head: ]]><failure/>"),
          slicing: .coarse,
          blocks: []
        )
      ]
    )
    result.onlyInBase = ["<x>"]
    return result
  }()
}

/// Checks elements against the schema that Jenkins publishes with its xUnit plug-in.
private final class JUnitReader: NSObject, XMLParserDelegate {
  private struct Element {
    var parent: String
    var required: Set<String>
    var optional: Set<String> = []
  }

  private static let elements = [
    "testsuites": Element(
      parent: "",
      required: [],
      optional: ["name", "time", "tests", "failures", "errors"]
    ),
    "testsuite": Element(
      parent: "testsuites",
      required: ["name", "tests", "failures", "errors"],
      optional: ["time", "skipped", "timestamp", "hostname", "id", "package"]
    ),
    "testcase": Element(
      parent: "testsuite",
      required: ["name"],
      optional: ["time", "classname", "group"]
    ),
    "failure": Element(parent: "testcase", required: [], optional: ["type", "message"]),
    "skipped": Element(parent: "testcase", required: [], optional: ["type", "message"]),
  ]

  private(set) var problems: [String] = []
  private(set) var count = 0
  private var open: [String] = [""]

  func parser(
    _ parser: XMLParser,
    didStartElement name: String,
    namespaceURI: String?,
    qualifiedName: String?,
    attributes: [String: String] = [:]
  ) {
    count += 1
    let found = Set(attributes.keys)
    if let element = Self.elements[name] {
      if element.parent != open.last { problems.append("\(name) in \(open.last ?? "")") }
      problems += element.required.subtracting(found).sorted().map { "\(name) lacks \($0)" }
      let known = element.required.union(element.optional)
      problems += found.subtracting(known).sorted().map { "\(name) has \($0)" }
    } else {
      problems.append("unknown \(name)")
    }
    open.append(name)
  }

  func parser(
    _ parser: XMLParser,
    didEndElement name: String,
    namespaceURI: String?,
    qualifiedName: String?
  ) {
    open.removeLast()
  }
}
