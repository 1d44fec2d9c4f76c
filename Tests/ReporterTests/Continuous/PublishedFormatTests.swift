import Compare
import Foundation
import Runner
import TestSupport
import Testing

@testable import Reporter

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// What is written for CI servers, held against the schemas that they publish.
struct PublishedFormatTests {
  @Test(
    .enabled(if: SchemaValidator.isInstalled, "python3 has no package jsonschema on this machine"),
    arguments: [("", true), ("\"value\"", false)]
  )
  func `Bencher's schema takes what is written for it`(change: String, isValid: Bool) throws {
    // https://bencher.dev/bmf.json
    let script = """
      import json, sys
      from jsonschema import Draft7Validator as Validator
      number = {"type": "number"}
      value = {"type": "object", "required": ["value"], "properties":
        {"value": number, "lower_value": number, "upper_value": number}}
      schema = {"type": "object", "patternProperties": {".+":
        {"type": "object", "patternProperties": {".+": value}}}}
      print(len(list(Validator(schema).iter_errors(json.load(sys.stdin)))))
      """
    for document in [Fixture.small, Fixture.document, Readers.hostile] {
      var text = try BencherMetrics().text(of: document)
      if !change.isEmpty { text = text.replacing(change, with: "\"other\"") }
      #expect(try (Python.run(script, input: text.utf8).output == "0\n") == isValid)
      let object = try JSONSerialization.jsonObject(with: Data(text.utf8))
      let cases = try #require(object as? [String: [String: Any]])
      #expect(cases.keys.allSatisfy { $0.count <= 1024 })
      #expect(cases.values.flatMap(\.keys).allSatisfy { $0.count <= 64 })
    }
  }

  @Test func `JUnit XML has the elements and attributes of junit-10.xsd, the required ones all`()
    throws
  {
    var changed = Fixture.small
    changed.workloads[0].cases[0].samples[0].trials = [[2_000_000], [2_000_000]]
    let comparison = try Comparison(of: changed, against: Fixture.small)
    let texts = [
      try JUnitReport().text(of: Fixture.document), try JUnitReport().text(of: Readers.hostile),
      JUnitComparison().text(of: comparison),
      JUnitComparison().text(of: Comparison(of: changed, lackingBaseline: "none <of> it")),
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

/// Holds elements against the schema that Jenkins publishes with its xUnit plug-in.
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
