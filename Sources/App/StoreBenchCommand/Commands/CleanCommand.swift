import ArgumentParser
import Basics
import Foundation

struct CleanCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "clean",
    abstract: "List or remove generated stores, work trees and forecasts in the work folder.",
    discussion: """
      Without options, lists what is there and how large it is. Commands remove by themselves what \
      was not used for longest if the folder holds more than 10 GB, but never the measurements of \
      forecasts, and never while another command works there.

      EXAMPLE: storebench clean
      EXAMPLE: storebench clean --remove
      EXAMPLE: storebench clean --remove --keep 2GB
      """
  )

  @Flag(help: "Remove what is listed.")
  var remove = false

  @Option(
    help: ArgumentHelp(
      "With '--remove': keep forecasts, and so much of what was used last.",
      valueName: "size"
    )
  )
  var keep: String?

  @OptionGroup var folder: WorkFolderOption

  func validate() throws {
    if let keep {
      guard remove else { throw ValidationError("'--keep' is for '--remove'") }
      guard kept != nil else {
        throw ValidationError("'--keep \(keep)' must be a size such as 2GB")
      }
    }
  }

  private var kept: Int? { keep.flatMap { Quantity.bytes($0, in: 0...Int.max) } }

  func run(on console: Console) throws -> CommandStatus {
    let contents = WorkFolderContents(of: folder.workFolder)
    guard !contents.items.isEmpty else {
      console.print("'\(folder.workFolder)' holds nothing that is kept from run to run")
      return .done
    }
    guard remove else {
      for item in contents.items {
        let size = Figures.bytes(item.bytes, .rough)
        console.print(
          "\(size)  \(item.kind.name)  \(item.path)  \(item.lastUse.formatted(.iso8601))"
        )
      }
      let sum = Figures.bytes(contents.items.reduce(0) { $0 + $1.bytes }, .rough)
      console.print(
        "\(sum) in \(Figures.counted(contents.items.count, "item")); '--remove' removes them"
      )
      return .done
    }
    guard !contents.isInUse else {
      throw Refusal.badInput(
        "another command works in '\(folder.workFolder)': wait until it is done"
      )
    }
    let removed = kept.map { contents.excess(over: Int64($0)) } ?? contents.items
    if removed.isEmpty { console.note("nothing to remove") }
    try WorkFolderContents.remove(removed, on: console)
    return .done
  }
}
