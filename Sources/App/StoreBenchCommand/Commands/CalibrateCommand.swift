import ArgumentParser
import Basics
import Forecasting
import Foundation
import Runner

/// Measures what the elementary work of a store costs on this machine.
struct CalibrateCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "calibrate",
    abstract: "Measure what basic operations cost on this machine, and write a machine profile.",
    discussion: """
      Prints a machine profile for 'forecast --on'; this takes about 5 s. With '--print-source' it \
      prints one Swift file that makes the same measurements on a device: paste it into an app's \
      test target, run the test named in the file's comment on the device, and save the printed \
      text.

      EXAMPLE: storebench calibrate --name "build server" > server.json
      EXAMPLE: storebench calibrate --print-source > StoreCalibration.swift
      """
  )

  @Option(help: ArgumentHelp("Name of the machine in the machine profile.", valueName: "name"))
  var name: String?

  @Flag(help: "Print the measuring Swift file, and measure nothing.")
  var printSource = false

  @OptionGroup var debug: DebugOption
  @OptionGroup var folder: WorkFolderOption

  func validate() throws {
    if let name, name.isEmpty || name.count > 100 {
      throw ValidationError("'--name' must have from 1 to 100 characters")
    }
    if printSource, name != nil {
      throw ValidationError("'--print-source' measures nothing: leave out '--name'")
    }
  }

  func run(on console: Console) throws -> CommandStatus {
    if printSource {
      console.print(StoreCalibration.source)
      return .done
    }
    try debug.check()
    let costs = try measure()
    console.note(costs.summary)
    console.print(
      try StoreCalibration.profile(of: costs, machine: name ?? ProcessInfo.processInfo.hostName)
    )
    return .done
  }

  private func measure() throws -> StoreCalibration.Costs {
    let scratch = try ScratchFolder(in: folder.scratchFolder)
    defer { scratch.remove() }
    do {
      return try StoreCalibration.measure(in: scratch.path)
    } catch let failure as StoreCalibration.Failure {
      throw Refusal.cannotWrite(scratch.path, reason: failure.description)
    }
  }
}
