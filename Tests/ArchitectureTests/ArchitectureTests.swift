import Foundation
import TestSupport
import Testing

/// Tests that ARCHITECTURE.md matches the sources.
struct ArchitectureTests {
  private struct Target {
    let name: String
    let layer: String
    let files: [String: String]
    /// The words of each line that has the word `import`, by file.
    let importing: [String: [[Substring]]]
    let imports: Set<String>

    init(name: String, layer: String, files: [String: String]) {
      (self.name, self.layer, self.files) = (name, layer, files)
      importing = files.mapValues { text in
        text.utf8.split(separator: UInt8(ascii: "\n")).compactMap { line -> [Substring]? in
          let words = line.split(separator: UInt8(ascii: " ")).map { Substring($0) }
          return words.contains("import") ? words : nil
        }
      }
      imports = Set(
        importing.values.joined().compactMap { words -> String? in
          guard let place = words.firstIndex(of: "import"), place <= 1, place + 1 < words.count,
            !words[0].hasPrefix("//")
          else { return nil }
          return String(words[place + 1])
        }
      )
    }
  }

  /// The layers from bottom to top; the diagram has them in reverse order.
  private static let layers = ["Core", "Features", "App"]

  private let page: [String]
  private let targets: [Target]

  init() throws {
    page = try String(contentsOfFile: Repository.path("ARCHITECTURE.md"), encoding: .utf8)
      .components(separatedBy: "\n")
    targets = try Self.read.get()
  }

  private static let read: Result<[Target], any Error> = Result {
    let files = FileManager.default
    return try layers.flatMap { layer in
      let folder = Repository.path("Sources/\(layer)")
      return try files.contentsOfDirectory(atPath: folder).sorted().map { name in
        let below = try files.subpathsOfDirectory(atPath: "\(folder)/\(name)")
        let texts = try below.filter { $0.hasSuffix(".swift") }.map { path in
          (path, try String(contentsOfFile: "\(folder)/\(name)/\(path)", encoding: .utf8))
        }
        return Target(name: name, layer: layer, files: Dictionary(uniqueKeysWithValues: texts))
      }
    }
  }

  @Test func `every folder of Sources is a layer of the diagram`() throws {
    let folders = try FileManager.default.contentsOfDirectory(atPath: Repository.path("Sources"))
    #expect(folders.sorted() == Self.layers.sorted())
  }

  @Test func `the diagram shows each layer with its targets`() throws {
    for layer in Self.layers {
      let line = try #require(page.first { $0.hasPrefix("    \(layer) ") })
      let shown = line.dropFirst(4 + layer.count).split(separator: "·").map {
        $0.trimmingCharacters(in: .whitespaces)
      }
      #expect(shown.sorted() == targets.filter { $0.layer == layer }.map(\.name).sorted())
    }
  }

  @Test func `the table lists what each target imports, and nothing else`() throws {
    let names = Set(targets.map(\.name))
    let packages: Set<String> = ["ArgumentParser", "GRDB", "Mustache", "Yams"]
    for target in targets where !target.files.isEmpty {
      let row = try #require(page.first { $0.hasPrefix("| `\(target.name)` |") })
      let cells = row.split(separator: "|")
      let listed = Set(
        (cells.last ?? "").split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
          .filter { !$0.isEmpty && $0 != "–" }
      )
      let used = target.imports.intersection(names.union(packages)).subtracting([target.name])
      #expect(listed == used, "\(target.name)")
    }
  }

  @Test func `features use no other feature, but for what the page names`() throws {
    let features = Set(targets.filter { $0.layer == "Features" }.map(\.name))
    let shared: Set = ["Generators", "Runner"]
    // The `replay` workload kind reads SQL logs.
    let exceptions = ["WorkloadKinds": Set(["SQLLog"])]
    for target in targets where target.layer == "Features" {
      let others = target.imports.intersection(features).subtracting(shared)
        .subtracting([target.name]).subtracting(exceptions[target.name] ?? [])
      #expect(others == [], "\(target.name)")
    }
    for name in shared {
      let target = try #require(targets.first { $0.name == name })
      #expect(target.imports.isDisjoint(with: features.subtracting(shared)), "\(name)")
    }
  }

  @Test func `the page has at most 100 lines`() {
    #expect(page.count <= 101)
  }

  @Test func `no target imports one of a layer above it`() throws {
    let heights = Dictionary(
      uniqueKeysWithValues: targets.map { ($0.name, Self.layers.firstIndex(of: $0.layer) ?? 0) }
    )
    for target in targets {
      let height = try #require(heights[target.name])
      for name in target.imports {
        #expect(heights[name] ?? 0 <= height, "\(target.name) imports \(name)")
      }
    }
  }

  @Test
  func `targets differ by more than case, and libraries have neither GRDB nor built-in kinds`()
    throws
  {
    struct Manifest: Decodable {
      struct Product: Decodable {
        var name: String
        var targets: [String]
      }
      struct Target: Decodable {
        var name: String
      }
      var products: [Product]
      var targets: [Target]
    }
    let swift = try #require(OutsideProgram("swift"))
    // Use a separate folder, because SwiftPM locks the package's own while the tests run.
    let scratch = try TemporaryFolder()
    let dump = try swift.run([
      "package", "dump-package", "--package-path", Repository.path(""), "--scratch-path",
      scratch.path,
    ])
    let manifest = try JSONDecoder().decode(Manifest.self, from: Data(dump.bytes))
    // If a file system ignores case, modules whose names differ only in case share a folder.
    let names = manifest.targets.map { $0.name.lowercased() }
    #expect(Set(names).count == names.count)
    let imports = Dictionary(uniqueKeysWithValues: targets.map { ($0.name, $0.imports) })
    for name in ["StoreBench", "StoreBenchCommand"] {
      let product = try #require(manifest.products.first { $0.name == name })
      var (found, open) = (Set<String>(), product.targets)
      while let target = open.popLast() {
        guard found.insert(target).inserted else { continue }
        open += (imports[target] ?? []).sorted()
      }
      #expect(found.contains("Runner"))
      #expect(found.isDisjoint(with: ["GRDB", "WorkloadKinds"]), "\(name)")
    }
  }

  @Test func `the C library is imported in one file`() {
    let system: Set<String> = ["Glibc", "Musl", "Darwin"]
    let found = targets.flatMap { target in
      target.importing.filter { _, lines in
        lines.contains { !system.isDisjoint(with: $0.map(String.init)) }
      }.keys
    }
    #expect(found == ["Platform.swift"])
  }

  @Test func `tests that 'make fuzz' runs in full have names that it selects`() throws {
    let (use, name) = (Data("FuzzSeeds.".utf8), Data("func `fuzz: ".utf8))
    for folder in ["Tests", "Evidence/Tests"] {
      let root = Repository.path(folder)
      for path in try FileManager.default.subpathsOfDirectory(atPath: root)
      where path.hasSuffix("Tests.swift") {
        let text = try Data(contentsOf: URL(fileURLWithPath: "\(root)/\(path)"))
        #expect(text.range(of: use) == nil || text.range(of: name) != nil, "\(path)")
      }
    }
  }

  @Test func `no source file has more than 500 lines`() {
    for target in targets {
      for (path, text) in target.files {
        #expect(
          text.split(separator: "\n", omittingEmptySubsequences: false).count <= 501,
          "\(path)"
        )
      }
    }
  }

  @Test func `verification names no code that writes what it verifies`() {
    let writers: Set<String> = [
      "Backfill", "BulkWriter", "ColumnValues", "ContextSink", "ContextSource", "CopyPlan",
      "CopyRun", "CustomStage", "EntityDescription", "EntityRows", "HeavyweightMigration",
      "JoinTableMapping", "LightweightMigration", "LinkRows", "ManagedObject", "MappedCopy",
      "MappedValues", "MigrationRun", "ObjectContext", "RowCopy", "SaveWriter", "SchemaSteps",
      "SetBasedCopy", "SingleSaveSink", "StoreWriter", "TableMappings", "ValueTransformation",
    ]
    // `MappedReference.swift` makes a store by SQL alone, to verify a copy made through a context.
    let exceptions: Set<String> = ["MappedReference.swift"]
    var count = 0
    for target in targets {
      for (path, text) in target.files {
        let folders = path.split(separator: "/").map(String.init)
        guard let name = folders.last, !exceptions.contains(name),
          folders.contains("PlainLayout") || folders.contains("Inspection")
            || folders.contains("Verification") || name.hasSuffix("Verification.swift")
        else { continue }
        count += 1
        for line in text.split(separator: "\n") {
          let code = line.trimmingCharacters(in: .whitespaces)
          guard !code.hasPrefix("//") else { continue }
          let words = Set(
            code.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init)
          )
          #expect(writers.isDisjoint(with: words), "\(path): \(code)")
        }
      }
    }
    #expect(count > 30)
  }

  @Test func `every file that the page names exists`() throws {
    let all = Set(
      targets.flatMap { $0.files.keys.map { String($0.split(separator: "/").last ?? "") } }
    )
    let words = page.flatMap { $0.split { !($0.isLetter || $0.isNumber || "+.".contains($0)) } }
    let named = Set(words.map(String.init).filter { $0.hasSuffix(".swift") })
    #expect(!named.isEmpty)
    #expect(named.subtracting(all).subtracting(["Package.swift"]) == [])
  }
}
