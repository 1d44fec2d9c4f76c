import ArgumentParser
import Basics
import Foundation

struct FiguresBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "figures",
    abstract: "Compare the figures in README.md and docs with their data files.",
    discussion: """
      Prints nothing if every figure between markers equals the value of its data file, every \
      table below Evidence/Results that the documentation shows follows from its data, no other number \
      has a unit of measurement, and each sentence and block of README.md is in \
      Evidence/docs/sentences.md. Otherwise prints each fault with its line, and ends with status \
      1. Numbers that were chosen and not measured are listed in Evidence/docs/settings.txt.

      EXAMPLE: bench figures
      EXAMPLE: bench figures --write
      """
  )

  @Flag(help: "Write the tables, and the figures of the data files into the pages.")
  var write = false

  @Option(help: ArgumentHelp("The project's folder.", valueName: "folder"))
  var project = "."

  func run() throws {
    let data = project + "/Evidence/Results"
    let settings = try Self.settings(of: project)
    var unused = settings
    var faults: [FigurePage.Fault] = []
    for table in DerivedText.all {
      let text = try table.text(from: data)
      if write { try AtomicFile.write(text, to: "\(data)/\(table.path)") }
      if let fault = try table.fault(than: text, in: data) { faults.append(fault) }
    }
    for name in try Self.pages(of: project) {
      let path = project + "/" + name
      var page = FigurePage(name: name, text: try String(contentsOfFile: path, encoding: .utf8))
      if write {
        let computed = try page.recomputed(from: data).text
        if computed != page.text { try AtomicFile.write(computed, to: path) }
        page = FigurePage(name: name, text: computed)
      }
      faults += try page.faults(folder: data, settings: settings)
      for number in try page.looseNumbers() { unused.remove("\(name): \(number.text)") }
    }
    faults += try Self.frontPage(of: project, write: write)
    // An unused setting is an error: it would let a measured number with the same value pass.
    for setting in unused.sorted() {
      print("Evidence/docs/settings.txt: '\(setting)' is on no page")
    }
    for fault in faults { print(fault) }
    if !faults.isEmpty || !unused.isEmpty { throw ExitCode(1) }
  }

  static func pages(of project: String) throws -> [String] {
    try ["docs", "Evidence/docs"].flatMap { folder in
      try FileManager.default.contentsOfDirectory(atPath: "\(project)/\(folder)").sorted()
        .filter { $0.hasSuffix(".md") }.map { "\(folder)/\($0)" }
    }
  }

  static func frontPage(of project: String, write: Bool = false) throws -> [FigurePage.Fault] {
    func text(_ name: String) throws -> String {
      try String(contentsOfFile: "\(project)/\(name)", encoding: .utf8)
    }
    let listName = "Evidence/docs/sentences.md"
    let list = FigurePage(name: listName, text: try text(listName))
    var page = PlainPage(name: "README.md", text: try text("README.md"))
    if write, let updated = try page.updated(from: list), updated != page.text {
      try AtomicFile.write(updated, to: project + "/README.md")
      page = PlainPage(name: page.name, text: updated)
    }
    return try page.faults(list: list)
  }

  /// The settings (numbers chosen, not measured), as lines `PAGE: NUMBER UNIT`.
  static func settings(of project: String) throws -> Set<String> {
    let text = try String(contentsOfFile: project + "/Evidence/docs/settings.txt", encoding: .utf8)
    return Set(text.split(separator: "\n").map(String.init).filter { !$0.hasPrefix("#") })
  }
}
