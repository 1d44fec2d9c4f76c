import DataModel
import Testing

/// Tests archives that Apple's frameworks and compilers wrote; skipped if there are none.
@Suite(.enabled(if: RealModels.isAvailable, "STOREBENCH_REAL_STORES is not set"))
struct RealModelArchiveTests {
  static let paths = RealModels.paths(endingWith: ".sqlite", ".storedata", ".mom")

  // Without archives, the tests with an archive as the argument would not run and would pass.
  @Test func `the folder has archives to read`() {
    #expect(!Self.paths.isEmpty)
  }

  @Test(arguments: paths)
  func `understands all of a real archive`(path: String) throws {
    guard let bytes = try RealModels.archive(at: path) else { return }
    let content = try ModelArchive.read(bytes)
    let model = content.model
    #expect(content.unknown == [])
    #expect(model.problems().filter { $0.severity == .error } == [])
    #expect(try ModelArchive.read(ModelArchive.write(model)).model == model)
    #expect(try ModelFile.parse(ModelWriter.text(of: model), file: "m.yaml").model == model)
  }

  @Test(arguments: paths)
  func `writes the entities and properties as the original has them`(path: String) throws {
    guard let bytes = try RealModels.archive(at: path) else { return }
    let original = try ArchiveFacts(bytes)
    let ours = try ArchiveFacts(ModelArchive.write(try ModelArchive.read(bytes).model))
    #expect(ours.lines.subtracting(original.lines) == [])
    #expect(original.lines.subtracting(ours.lines) == [])
    #expect(!original.lines.isEmpty)
  }
}

/// The fields of every entity, property and index of an archive, each as one string.
private struct ArchiveFacts {
  private(set) var lines: Set<String> = []
  private let objects: [PropertyList]

  init(_ bytes: [UInt8]) throws {
    objects = try PropertyList(binary: bytes).dictionary?["$objects"]?.array ?? []
    for object in objects {
      guard let fields = object.dictionary, fields["$class"] != nil else { continue }
      let owner = fields["NSEntity"].map { describe($0) } ?? ""
      for title in ["NSEntityName", "NSPropertyName", "NSIndexName"] {
        guard let name = fields[title], fields["NSAscending"] == nil else { continue }
        for (key, value) in fields {
          lines.insert("\(owner) \(describe(name)) \(key) = \(describe(value))")
        }
      }
    }
  }

  private func describe(_ value: PropertyList) -> String {
    guard case .uid(let uid) = value else { return "\(value)" }
    guard let fields = objects[uid].dictionary else { return "\(objects[uid])" }
    if let name = fields["$classname"] { return "\(name)" }
    // Leave out the digits: one decimal number can be represented in several ways.
    if fields["NS.mantissa"] != nil { return "decimal" }
    if fields["NSEntities"] != nil { return "the model" }
    for title in ["NSEntityName", "NSPropertyName", "NSIndexName"] {
      guard let name = fields[title] else { continue }
      let order = fields["NSAscending"].map { "\($0)" } ?? ""
      return "<\(title) \(describe(name))\(order)>"
    }
    let keys = fields["NS.keys"]?.array
    if let keys, let values = fields["NS.objects"]?.array {
      return "\(zip(keys, values).map { "\(describe($0)): \(describe($1))" }.sorted())"
    }
    let parts = fields.sorted { $0.key < $1.key }.map { key, value in
      "\(key): \((value.array ?? [value]).map { describe($0) })"
    }
    return parts.joined(separator: ", ")
  }
}
