import Basics
import Reporting
import Runner

/// What every page shows of where and how it was measured.
enum PageFacts {
  static func day(of environment: Environment) -> String {
    String(environment.startedAt.prefix { $0 != "T" })
  }

  static func footer(made source: String) -> Inline {
    Inline(
      "One file that makes no network requests. Made by StoreBench from \(source): the same input "
        + "gives the same bytes. StoreBench measures the storage work, not Apple's own code."
    )
  }

  static func facts(
    of environment: Environment,
    pragmas: [String: String] = [:]
  ) -> [ReportPage.Fact] {
    let settings = [
      pragmas["journal_mode"]?.uppercased(),
      pragmas["page_size"].flatMap { Double($0) }.map {
        "pages of \(ChartAxis.Quantity.binaryBytes.text($0))"
      },
    ].compactMap { $0 }
    let build = [environment.build, String(environment.commit.prefix(8))].filter { !$0.isEmpty }
    return [
      .init(
        "Machine",
        Inline(
          "\(environment.machine), \(Figures.counted(environment.cores, "core")), "
            + Figures.bytes(environment.memoryBytes)
        )
      ),
      .init("System", Inline("\(environment.operatingSystem), \(environment.fileSystem)")),
      .init("SQLite", Inline(([environment.sqliteVersion] + settings).joined(separator: ", "))),
      .init("Build", Inline(build.joined(separator: ", "))),
    ]
  }
}

/// Identifiers for sections, made of their names.
struct SectionNames {
  private var taken: Set<String> = ["findings"]

  /// Letters, digits and hyphens that no other section of the page has.
  mutating func unique(_ name: String) -> String {
    let letters = name.lowercased().map { character in
      character.isASCII && (character.isLetter || character.isNumber) ? character : "-"
    }
    let words = String(letters).split(separator: "-").joined(separator: "-")
    let start = words.isEmpty ? "section" : String(words.prefix(60))
    var id = start
    var number = 2
    while !taken.insert(id).inserted {
      id = "\(start)-\(number)"
      number += 1
    }
    return id
  }
}

/// The head of a text.
enum Headline {
  /// `2026-04-01T09:12:44Z` as `2026-04-01 09:12:44 UTC`; other texts as they are.
  static func time(_ text: String) -> String {
    guard text.count == 20, text.hasSuffix("Z"), text.contains("T") else { return text }
    return text.dropLast().map { $0 == "T" ? " " : String($0) }.joined() + " UTC"
  }

  /// When, which build and on what, with facts of the report's own, for one that compares.
  static func brief(_ environment: Environment, and others: [String], width: Int) -> [String] {
    let facts = [
      time(environment.startedAt), "\(environment.build) build", environment.machine,
      "\(environment.cores) cores", "SQLite \(environment.sqliteVersion)",
    ]
    return TerminalText.lines(of: facts + others, separator: " · ", to: width)
  }

  /// A warning where the times are of a debug build.
  static func caution(_ environment: Environment, width: Int, palette: Palette) -> [String] {
    guard environment.build == "debug" else { return [] }
    let text = "debug build: its times are not representative of a release build"
    return palette.wrapped(text, to: width, ink: .red)
  }
}
