import ArgumentParser
import Basics
import Forecasting
import Runner

/// Writes a result in another form.
struct ReportCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Print a stored result in another format.",
    discussion: """
      Also summarizes a CSV measured on a device by the Swift file of 'observe --print-source'.

      EXAMPLE: storebench report Results/runs/20260401T093000Z-main --format csv
      EXAMPLE: storebench report iphone.csv
      """
  )

  @Argument(help: ArgumentHelp("A result file, or the folder of a run.", valueName: "result"))
  var result: String

  @Option(help: ArgumentHelp("One of \(Self.formats).", valueName: "name"))
  var format = ResultFormat.table.rawValue

  private static var formats: String {
    ResultFormat.allCases.map(\.rawValue).joined(separator: ", ")
  }

  func validate() throws {
    guard ResultFormat(rawValue: format) != nil else {
      throw ValidationError("'--format' must be one of \(Self.formats), not '\(format)'")
    }
  }

  func run(on console: Console) throws -> CommandStatus {
    if let observed = try ObservedRun.readIfTable(path: result) {
      guard format == ResultFormat.table.rawValue else {
        throw Refusal.notAResult(
          result,
          "measurements of 'observe' can only be printed as a table"
        )
      }
      console.show(ObservedRun.report(of: observed))
      return .done
    }
    let document = try ResultDocument(readingFrom: result)
    guard let form = ResultFormat(rawValue: format), form != .table else {
      console.show(document.report)
      return .done
    }
    try document.write(as: form) { console.write($0) }
    return .done
  }
}
