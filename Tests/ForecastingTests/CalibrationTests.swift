import Calibration
import Forecasting
import Foundation
import TestSupport
import Testing

struct CalibrationTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().path

  @Test func `the printed source is the one that measures, and says how to use it`() throws {
    let file = Self.root + "/Sources/Calibration/StoreCalibration.swift"
    #expect(StoreCalibration.source == (try String(contentsOfFile: file, encoding: .utf8)))
    let imports = StoreCalibration.source.split(separator: "\n").filter {
      $0.contains("import ") && !$0.contains("///")
    }
    #expect(imports.count == 3)
  }

  @Test func `the printed source compiles alone and measures a sound profile`() throws {
    let folder = try TemporaryFolder()
    try folder.write(StoreCalibration.source, to: "StoreCalibration.swift")
    try folder.write(
      "print(try StoreCalibration.profile(in: \"\(folder.path)\", machine: \"test\"))\n",
      to: "main.swift"
    )
    let compiled = try run([
      "swiftc", "-O", folder.file("StoreCalibration.swift"), folder.file("main.swift"),
      "-I", Self.root + "/Sources/CSQLite", "-lsqlite3", "-o", folder.file("calibrate"),
    ])
    #expect(compiled.status == 0, "\(compiled.output)")
    let measured = try run([folder.file("calibrate")])
    let profile = try MachineProfile(json: Data(measured.output.utf8), path: "profile")
    #expect(profile.machine == "test")
    #expect(profile.costs.row > 0 && profile.costs.pageWrite > 0)
    #expect(try !folder.names().contains { $0.hasPrefix("calibration-") })
  }

  private func run(_ arguments: [String]) throws -> (status: Int32, output: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: data, as: UTF8.self))
  }
}
