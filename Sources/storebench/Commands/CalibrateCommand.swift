import ArgumentParser
import Calibration
import Foundation
import Runner

/// Measures what the elementary work of a store costs on this machine.
struct CalibrateCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "calibrate",
    abstract: "Measure this machine's unit costs into a profile.",
    discussion: """
      Prints a profile that 'forecast --on' predicts for. With '--print-source' it prints one \
      Swift file that measures the same on a device: paste it into an app's test target.

      EXAMPLE: storebench calibrate --name "build server" --output server.json
      EXAMPLE: storebench calibrate --print-source > StoreCalibration.swift
      """
  )

  @Option(help: ArgumentHelp("The machine's name in the profile.", valueName: "name"))
  var name: String?

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The profile's file; standard output otherwise.", valueName: "file")
  )
  var output: String?

  @Flag(help: "Print the source that measures, and measure nothing.")
  var printSource = false

  @Flag(help: "Measure although this is a debug build.")
  var allowDebug = false

  @OptionGroup var folder: WorkFolderOption

  func validate() throws {
    if let name, name.isEmpty || name.count > 100 {
      throw ValidationError("'--name' must have from 1 to 100 characters")
    }
  }

  func run(on console: Console) throws -> CommandStatus {
    if printSource {
      console.print(StoreCalibration.source)
      return .done
    }
    if EnvironmentProbe.isDebug, !allowDebug { throw StorebenchError.debugBuild }
    let scratch = try ScratchFolder(in: folder.scratchFolder)
    defer { scratch.remove() }
    let machine = name ?? ProcessInfo.processInfo.hostName
    let profile: String
    do {
      profile = try StoreCalibration.profile(in: scratch.path, machine: machine)
    } catch let failure as StoreCalibration.Failure {
      throw RunnerError.cannotWrite(path: scratch.path, reason: failure.description)
    }
    guard let output else {
      console.print(profile)
      return .done
    }
    do {
      try Data((profile + "\n").utf8).write(to: URL(fileURLWithPath: output), options: .atomic)
    } catch {
      throw RunnerError.cannotWrite(path: output, reason: String(cString: strerror(errno)))
    }
    console.complain("wrote \(output)")
    return .done
  }
}
