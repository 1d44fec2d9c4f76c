import ArgumentParser
import Foundation
import TestSupport
import Testing

@testable import StoreBenchCommand

/// Tests that the parser accepts every command that pages and help texts print.
struct DocumentedCommandsTests {
  /// A command and the page or help text that prints it.
  struct Printed: CustomTestStringConvertible {
    let command: String
    let place: String

    var testDescription: String { "\(place): \(command)" }
  }

  static let printed: [Printed] = pages + examples(of: Storebench.self)

  /// The commands in README and docs: lines that begin with the program's name.
  private static var pages: [Printed] {
    let docs = Repository.path("docs")
    let names = (try? FileManager.default.subpathsOfDirectory(atPath: docs)) ?? []
    let paths =
      ["README.md"] + names.filter { $0.hasSuffix(".md") }.sorted().map { "docs/\($0)" }
    return paths.flatMap { path in
      let text = (try? String(contentsOfFile: Repository.path(path), encoding: .utf8)) ?? ""
      return commands(in: text).map { Printed(command: $0, place: path) }
    }
  }

  /// Returns the examples in the help texts of a command and its subcommands.
  private static func examples(of command: any ParsableCommand.Type) -> [Printed] {
    let text = command.configuration.discussion.replacing("EXAMPLE: ", with: "")
    let own = commands(in: text).map {
      Printed(command: $0, place: "help of \(command.configuration.commandName ?? "storebench")")
    }
    return own + command.configuration.subcommands.flatMap { examples(of: $0) }
  }

  /// Returns lines that begin with the program's name, joined with lines continued by a backslash.
  private static func commands(in text: String) -> [String] {
    text.replacing(/\\\n */, with: "").split(separator: "\n")
      .map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { $0.hasPrefix("storebench ") && !$0.contains(" | ") && !$0.contains("<") }
  }

  /// Returns the words that a shell passes to a command, without comment, redirection and quotes.
  private static func words(of command: String) -> [String] {
    // Replace a shell variable by its default.
    let code = command.replacing(#/\s+[#].*$/#, with: "").replacing(#/\s>.*$/#, with: "")
      .replacing(/\$\{\w+:-(\w+)\}/) { String($0.output.1) }
    return code.matches(of: /(?:"[^"]*"|'[^']*'|[^ "'])+/).dropFirst().map {
      String($0.output).replacing(/"([^"]*)"|'([^']*)'/) {
        String($0.output.1 ?? $0.output.2 ?? "")
      }
    }
  }

  @Test(arguments: printed)
  func `every printed command is understood`(_ printed: Printed) throws {
    #expect(throws: Never.self) { try Storebench.parseAsRoot(Self.words(of: printed.command)) }
  }

  @Test func `pages and help texts print commands`() {
    #expect(Self.printed.count > 60)
  }
}
