import Basics
import DataModel
import Generators

/// A page of the reference, generated from declarations in code, for the terminal and as Markdown.
package struct ReferencePage: Sendable {
  package struct Section: Sendable {
    package var title: String
    package var text: String
    /// The described items, each with its name, its possible values and its meaning.
    package var entries: [Entry]
  }

  package struct Entry: Sendable {
    package var name: String
    package var values: String
    package var summary: String
  }

  /// The name of the page's file without its extension.
  package var name: String
  package var title: String
  package var introduction: String
  package var sections: [Section]

  /// The page as Markdown, with a table per section.
  package var markdown: String {
    var lines = ["# \(title)", "", "<!-- Made by `storebench reference --output docs`. -->", ""]
    if !introduction.isEmpty { lines += [introduction, ""] }
    for section in sections {
      lines += ["## \(section.title)", ""]
      if !section.text.isEmpty { lines += [section.text, ""] }
      guard !section.entries.isEmpty else { continue }
      lines += ["| Name | Values | Meaning |", "|---|---|---|"]
      for entry in section.entries {
        let cells = ["`\(entry.name)`", entry.values, entry.summary]
        lines.append("| " + cells.map(Self.cell).joined(separator: " | ") + " |")
      }
      lines.append("")
    }
    return lines.joined(separator: "\n")
  }

  /// Returns the page of the commands in the format of `man`.
  package func manual(version: String) -> String {
    let plain = { (text: String) in
      text.replacing("\\", with: "\\e").split(separator: "\n", omittingEmptySubsequences: false)
        .map { $0.hasPrefix(".") || $0.hasPrefix("'") ? "\\&" + $0 : String($0) }
        .joined(separator: "\n")
    }
    let parts = sections.map { section in
      let help = section.text.replacing("```\n", with: "").replacing("\n```", with: "")
      return ".SH \(section.title.uppercased())\n.nf\n\(plain(help))\n.fi"
    }
    return """
      .TH STOREBENCH 1 "" "\(version)"
      .SH NAME
      storebench \\- benchmark Core Data and SwiftData stores
      .SH DESCRIPTION
      \(plain(introduction))
      \(parts.joined(separator: "\n"))
      """
  }

  private static func cell(_ text: String) -> String {
    text.replacing("|", with: "\\|").replacing("\n", with: " ")
  }

  /// Returns the page as text for a terminal with the given number of columns.
  package func text(width: Int) -> String {
    var lines: [String] = []
    for section in sections {
      if !lines.isEmpty { lines.append("") }
      lines.append(section.title)
      lines += TerminalText.wrapped(section.text, to: width - 2).map { "  " + $0 }
      for entry in section.entries {
        lines.append("  " + entry.name + (entry.values.isEmpty ? "" : ": " + entry.values))
        lines += TerminalText.wrapped(entry.summary, to: width - 6).map { "      " + $0 }
      }
    }
    return lines.joined(separator: "\n")
  }
}

// MARK: The pages

extension ReferencePage {
  /// Returns the reference page for the given workload kinds, with their parameters and metrics.
  package static func kinds(_ kinds: [any WorkloadKind.Type]) -> ReferencePage {
    ReferencePage(
      name: "kinds",
      title: "Workload kinds",
      introduction: """
        A workload file names one `kind` and gives its `parameters`. A list of values is an axis.
        """,
      sections: kinds.map { kind in
        Section(
          title: kind.name,
          text: kind.description.summary,
          entries: kind.axes.map { axis in
            Entry(name: axis.name, values: axis.valuesAndDefault, summary: axis.summary)
          }
            + kind.metrics.map {
              Entry(name: $0.name, values: $0.kindOfValue, summary: $0.description)
            }
        )
      }
    )
  }

  /// Returns the reference page for the given metrics, grouped by family.
  package static func metrics(_ metrics: [Metric]) -> ReferencePage {
    let families = metrics.reduce(into: [String]()) { names, metric in
      if !names.contains(metric.family) { names.append(metric.family) }
    }
    return ReferencePage(
      name: "metrics",
      title: "Metrics",
      introduction: """
        *Exact* metrics are the same in every run of one SQLite build with the same settings, so \
        `compare` judges them to the last digit. `compare-live` judges times.
        """,
      sections: families.map { family in
        Section(
          title: family,
          text: "",
          entries: metrics.filter { $0.family == family }.map {
            Entry(name: $0.name, values: $0.kindOfValue, summary: $0.description)
          }
        )
      }
    )
  }

  /// Returns the reference page for the given value generators of recipes.
  package static func generators(_ generators: [ValueGenerator]) -> ReferencePage {
    ReferencePage(
      name: "generators",
      title: "Value generators",
      introduction: """
        A recipe names a generator for an attribute: `title: title`, or with parameters \
        `dueDate: { date: { after: createdAt }, null: 0.4 }`.
        """,
      sections: generators.map { generator in
        Section(
          title: generator.name,
          text: generator.summary + ", for " + generator.types.map(\.name).joined(separator: ", "),
          entries: generator.keys.map { Entry(name: $0.name, values: $0.values, summary: "") }
            + generator.examples.map { Entry(name: $0.rule, values: "", summary: "Example.") }
        )
      }
    )
  }

  /// Returns the reference page for the given commands, with their help texts.
  package static func commands(
    introduction: String,
    _ helps: [(name: String, help: String)]
  ) -> ReferencePage {
    ReferencePage(
      name: "commands",
      title: "Commands",
      introduction: introduction,
      sections: helps.map {
        Section(title: $0.name, text: "```\n\($0.help)\n```", entries: [])
      }
    )
  }

  /// Returns the reference page for the keys of a kind of file.
  package static func file(_ name: String, title: String, _ form: FileForm) -> ReferencePage {
    var page = ReferencePage(
      name: name,
      title: title,
      introduction: "`schema/\(name).schema.json` is the JSON Schema for editors.",
      sections: []
    )
    page.add(form, under: title)
    return page
  }

  private mutating func add(_ form: FileForm, under title: String) {
    guard let keys = form.keys else { return }
    // List a form (the structure of a value in a file) only once, even if it contains itself or if
    // several keys share it.
    guard !sections.contains(where: { $0.title == title }) else { return }
    sections.append(
      Section(
        title: title,
        text: "",
        entries: keys.map { key in
          let words = [key.form.words, key.isRequired ? "required" : ""].filter { !$0.isEmpty }
          let values = words.joined(separator: "; ")
          return Entry(name: key.name, values: values, summary: key.summary)
        }
      )
    )
    for key in keys { add(key.form, under: key.name) }
  }
}

extension Metric {
  fileprivate var family: String {
    name.lastIndex(of: ".").map { String(name[..<$0]) } ?? "general"
  }

  fileprivate var kindOfValue: String {
    let unit =
      switch unit {
      case .seconds: "seconds"
      case .bytes: "bytes"
      case .count: "a count"
      case .ratio: "a share"
      }
    return unit + (isExact ? ", exact" : "") + (direction == .cost ? "" : ", not a cost")
  }
}

extension FileForm {
  fileprivate var keys: [FileKey]? {
    switch self {
    case .mapping(let keys): keys
    case .named(_, let form), .list(let form): form.keys
    case .either(let forms): forms.lazy.compactMap(\.keys).first
    default: nil
    }
  }

  fileprivate var words: String {
    switch self {
    case .text: "text"
    case .written(let words): words
    case .boolean: "true, false"
    case .number: "number"
    case .integer(let range) where range.lowerBound == range.upperBound: "\(range.lowerBound)"
    case .integer(let range):
      range.upperBound == .max
        ? "at least \(range.lowerBound.grouped)"
        : "\(range.lowerBound.grouped) to \(range.upperBound.grouped)"
    case .share: "0 to 1"
    case .choice(let words): words.joined(separator: ", ")
    case .mapping: "mapping"
    case .named(let name, let form):
      "mapping of \(name)" + (form.words.isEmpty ? "" : " to \(form.words)")
    case .list(let form): "list of \(form.words)"
    case .either(let forms): forms.map(\.words).joined(separator: "; or ")
    case .any: ""
    }
  }
}
