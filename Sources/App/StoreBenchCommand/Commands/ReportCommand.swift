import ArgumentParser
import Basics
import Forecasting
import Foundation
import Reporting
import Runner

struct ReportCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Print a stored result in another format.",
    discussion: """
      Also summarizes a CSV measured on a device by the Swift file of 'observe --print-source'.

      EXAMPLE: storebench report Results/runs/20260401T093000Z-main --format csv
      EXAMPLE: storebench report Results/runs/20260401T093000Z-sweep --mix 'list=30, insert=1'
      EXAMPLE: storebench report iphone.csv
      EXAMPLE: storebench report result.json.gz --format svg --figure total-time
      """
  )

  @Argument(help: ArgumentHelp("A result file, or the folder of a run.", valueName: "result"))
  var result: String

  @Option(help: ArgumentHelp("One of \(Self.formats).", valueName: "name"))
  var format = ResultFormat.table.rawValue

  @Option(help: ArgumentHelp("With --format svg: the name of the chart.", valueName: "name"))
  var figure: String?

  @Flag(help: "Print all columns, assumptions and notes in the table.")
  var verbose = false

  @Option(
    help: ArgumentHelp(
      "How often an app does each operation: judges the measured times again, in these proportions.",
      valueName: "operations"
    )
  )
  var mix: String?

  private static let svg = "svg"

  private static var formats: String {
    (ResultFormat.allCases.map(\.rawValue) + [svg]).joined(separator: ", ")
  }

  func validate() throws {
    guard (format == Self.svg) == (figure != nil) else {
      throw ValidationError("'--format svg' and '--figure NAME' need each other")
    }
    guard format == Self.svg || ResultFormat(rawValue: format) != nil else {
      throw ValidationError("'--format' must be one of \(Self.formats), not '\(format)'")
    }
  }

  /// The formats that can show findings based on a mix (how often an app performs each operation).
  private static let judged: [ResultFormat] = [.table, .markdown, .json, .html]

  func run(on console: Console) throws -> CommandStatus {
    if mix != nil, let form = ResultFormat(rawValue: format), !Self.judged.contains(form) {
      throw Refusal.misuse(
        "'--format \(format)' has only what was measured, which no mix changes: leave out '--mix', "
          + "or choose \(Self.judged.map(\.rawValue).joined(separator: ", "))"
      )
    }
    if let observed = try ObservedRun.readIfTable(path: result) {
      guard format == ResultFormat.table.rawValue else {
        throw Refusal.notAResult(result, "measurements of 'observe' can only be printed as a table")
      }
      guard mix == nil else {
        throw Refusal.notAResult(result, "measurements of 'observe' have no operations to mix")
      }
      console.show(ObservedRun.report(of: observed))
      return .done
    }
    let weights = try mix.map { try OperationMix.weights(in: $0) }
    let document = try ResultDocument(readingFrom: result)
      .judged(by: weights, kinds: console.program.kinds)
    if weights != nil {
      for reason in document.missingMixTables { console.note(reason) }
    }
    if let figure {
      let figures = document.report.figures
      guard let found = figures.first(where: { $0.name == figure }) else {
        let names = figures.map { "'\($0.name)'" }.joined(separator: ", ")
        throw Refusal.badInput(
          "the report of '\(result)' has no chart '\(figure)'"
            + (names.isEmpty ? " and no other" : "; it has \(names)")
        )
      }
      console.write(found.figure.svg)
      return .done
    }
    guard let form = ResultFormat(rawValue: format), form != .table else {
      console.show(verbose ? document.report : document.brief)
      return .done
    }
    try document.write(as: form) { console.write($0) }
    return .done
  }
}

struct MergeCommand: ConsoleCommand {
  static let missingName = "missing.txt"
  static let arrayName = "missing.array"

  static let configuration = CommandConfiguration(
    commandName: "merge",
    abstract: "Merge the results of the parts of a plan.",
    discussion: """
      The merged result is byte-identical whatever the order or grouping of the inputs, even if an \
      input is given twice. If a case was attempted several times, the last finished attempt \
      counts; the other attempts are kept and listed. A merged result can be merged again.

      A merge is refused with status 65 for one of these reasons: mixed-plans, no-plan, \
      same-attempt (two finished attempts have the same number but different results), \
      other-counters (exact counters differ), other-content (verified contents differ), other-work (a \
      different store or setting), other-machine, lost-result (an input names a result that is \
      missing), damaged.

      If cases are missing, the status is 75 (partial). missing.txt then lists one case of each \
      missing task (a group of cases that run together), for 'run --case'; missing.array lists the \
      task numbers, for a Slurm array.

      EXAMPLE: storebench merge runs/* --output merged
      """
  )

  @Argument(help: "Result files, or folders of runs.")
  var results: [String]

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The folder of the merged result.", valueName: "folder")
  )
  var output: String

  @Flag(help: "Replace a result in the output folder.")
  var force = false

  func run(on console: Console) throws -> CommandStatus {
    let parts: [ResultMerge.Part] = try results.map {
      (name: $0, document: try ResultDocument(readingFrom: $0))
    }
    var merged = try ResultMerge.merge(parts)
    // List missing cases only in the merged result, because a part of a plan leaves the other cases
    // to other machines.
    merged.missing = merged.plan?.missing.map(\.id) ?? []
    let target = try OutputFolder(chosen: output, name: "", isReplacing: force).make(at: .now)
    let folder = RunFolder(path: target)
    guard let plan = merged.plan else { return .bug }
    // Remove outdated lists of missing parts that an earlier merge wrote.
    for (name, text) in [
      (Self.missingName, plan.missingList), (Self.arrayName, plan.missingArray + "\n"),
    ] {
      let path = "\(target)/\(name)"
      if plan.missing.isEmpty { unlink(path) } else { try AtomicFile.write(text, to: path) }
    }
    try folder.write(merged)
    let report = merged.mergeReport
    try folder.writeReport(report.html)
    console.show(report)
    console.note("wrote \(target)/\(RunFolder.resultName)")
    console.note("wrote \(target)/\(RunFolder.reportName)")
    let status = CommandStatus(merged: merged)
    if status == .partial {
      console.note("wrote \(target)/\(Self.missingName), to run again with a higher --attempt")
    }
    return status
  }
}
