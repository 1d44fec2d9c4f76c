import Foundation

/// Type-checks generated SwiftData code against `Tests/Frameworks` where SwiftData is missing.
///
/// SwiftData's macros are rewritten line by line: `@Model` as a conformance; `@Attribute(…)` and
/// `@Relationship(…)` as calls of initializers with the same parameters; `#Unique` and `#Index` as
/// calls of functions. `#Predicate` is Foundation's own.
package struct WrittenSwift {
  package let compiler: OutsideProgram
  private let modules: TemporaryFolder
  /// The path of the folder with the compiled modules.
  package var path: String { modules.path }

  /// Compiles the declarations; `nil` if there is no Swift compiler.
  package init?() throws {
    guard let compiler = OutsideProgram("swiftc") else { return nil }
    self.compiler = compiler
    modules = try TemporaryFolder()
    for module in ["CoreData", "SwiftData"] {
      let path = Repository.path("Tests/Frameworks/\(module).txt")
      try modules.write(try String(contentsOfFile: path, encoding: .utf8), to: "\(module).swift")
      let made = try compiler.run([
        "-emit-module", "-parse-as-library", "-module-name", module,
        modules.file("\(module).swift"), "-emit-module-path",
        modules.file("\(module).swiftmodule"),
      ])
      if made.status != 0 { throw Failure(errors: made.errors) }
    }
  }

  private struct Failure: Error { let errors: String }

  /// The errors and warnings in the files of a module; empty if there are none.
  package func problems(of files: [(path: String, text: String)]) throws -> [String] {
    let folder = try TemporaryFolder()
    var paths: [String] = []
    for (place, file) in files.enumerated() {
      let name = file.path.split(separator: "/").last.map(String.init) ?? file.path
      try folder.write(Self.rewritten(file.text), to: "\(place)-\(name)")
      paths.append(folder.file("\(place)-\(name)"))
    }
    let checked = try compiler.run(
      ["-typecheck", "-parse-as-library", "-swift-version", "6", "-I", modules.path] + paths
    )
    let lines = checked.errors.split(separator: "\n").map(String.init)
      .filter { $0.contains("error:") || $0.contains("warning:") }
      .filter { !$0.hasPrefix(" ") }
    return checked.status != 0 && lines.isEmpty ? [checked.errors] : lines
  }

  /// The code without SwiftData's macros.
  package static func rewritten(_ text: String) -> String {
    var rewriting = Rewriting(lines: text.split(separator: "\n", omittingEmptySubsequences: false))
    return rewriting.text()
  }
}

private struct Rewriting {
  let lines: [Substring]
  private var next = 0
  private var count = 0
  private var isModel = false
  private var output: [String] = []

  init(lines: [Substring]) { self.lines = lines }

  mutating func text() -> String {
    while next < lines.count { step() }
    return output.joined(separator: "\n")
  }

  private mutating func step() {
    let line = lines[next].trimmingCharacters(in: .whitespaces)
    let macro = line.replacing("@SwiftData.", with: "@", maxReplacements: 1)
    next += 1
    if macro == "@Model" {
      isModel = true
    } else if isModel, line.hasSuffix("{"), line.contains("class ") {
      isModel = false
      output.append(
        line.contains(":") ? line : line.dropLast(2) + ": SwiftData.PersistentModel {"
      )
    } else if macro.hasPrefix("@Transient ") {
      output.append(String(macro.dropFirst("@Transient ".count)))
    } else if macro.hasPrefix("@Attribute(") || macro.hasPrefix("@Relationship(") {
      let (call, rest) = call(macro)
      count += 1
      let type = "SwiftData.Schema.\(call.name.dropFirst())"
      output.append("static var check\(count): \(type) { \(type)(\(call.arguments)) }")
      output.append(rest)
    } else if line.hasPrefix("#Unique<") || line.hasPrefix("#Index<") {
      let (call, rest) = call(line)
      count += 1
      let parts = call.name.dropFirst().split(separator: "<")
      let function = parts[0] == "Unique" ? "uniqueMacro" : "indexMacro"
      let type = parts[1].dropLast()
      output.append(
        "static func check\(count)() { SwiftData.\(function)(\(type).self, \(call.arguments)) }"
      )
      output.append(rest)
    } else if macro.hasPrefix("@NSManaged ") {
      output.append(macro.dropFirst("@NSManaged ".count) + " { get { fatalError() } set {} }")
    } else if !macro.hasPrefix("@objc(") {
      output.append(String(lines[next - 1]))
    }
  }

  /// Reads a macro's arguments up to the closing bracket; also returns the rest of that line.
  private mutating func call(_ first: String) -> (call: (name: String, arguments: String), String) {
    var text = first
    while true {
      if let end = Self.end(of: text) {
        let start = text.firstIndex(of: "(") ?? end
        let arguments = text[text.index(after: start)..<end]
        let rest = text[text.index(after: end)...].trimmingCharacters(in: .whitespaces)
        return ((String(text[..<start]), String(arguments)), rest)
      }
      guard next < lines.count else { return ((text, ""), "") }
      text += " " + lines[next].trimmingCharacters(in: .whitespaces)
      next += 1
    }
  }

  private static func end(of text: String) -> String.Index? {
    var (depth, isText, isEscaped) = (0, false, false)
    for index in text.indices {
      let character = text[index]
      if isText {
        if isEscaped {
          isEscaped = false
        } else if character == "\\" {
          isEscaped = true
        } else if character == "\"" {
          isText = false
        }
        continue
      }
      switch character {
      case "\"": isText = true
      case "(": depth += 1
      case ")":
        depth -= 1
        if depth == 0 { return index }
      default: break
      }
    }
    return nil
  }
}
