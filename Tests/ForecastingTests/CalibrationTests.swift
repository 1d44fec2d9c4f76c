import Foundation
import TestSupport
import Testing

@testable import Forecasting

struct CalibrationTests {
  @Test func `the printed source is the one that measures, and says how to use it`() throws {
    let file = Repository.path("Sources/Features/Forecasting/Ladder/StoreCalibration.swift")
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
    let compiler = try #require(OutsideProgram("swiftc"))
    let compiled = try compiler.run([
      "-O", folder.file("StoreCalibration.swift"), folder.file("main.swift"),
      "-I", Repository.path("Sources/Core/CSQLite"), "-lsqlite3", "-o", folder.file("calibrate"),
    ])
    #expect(compiled.status == 0, "\(compiled.errors)")
    let measured = try #require(try OutsideProgram(folder.file("calibrate"))?.run([]))
    let profile = try MachineProfile(json: Data(measured.bytes), path: "profile")
    #expect(profile.machine == "test")
    #expect(profile.costs.row > 0 && profile.costs.pageWrite > 0)
    #expect(profile.costs.scatter != nil)
    #expect(try !folder.names().contains { $0.hasPrefix("calibration-") })
  }

  @Test(arguments: [(0.02, "scatter by 2.0 %"), (0.4, "40 %: the machine is busy, calibrate when")])
  func `a calibration says how far it can be trusted`(scatter: Double, message: String) {
    let costs = StoreCalibration.Costs(
      row: 3e-6,
      pageRead: 4e-6,
      pageWrite: 5e-5,
      sync: 0.002,
      scatter: scatter
    )
    let summary = costs.summary
    #expect(summary.hasPrefix("a row 3.00 µs, a page read 4.00 µs, a page written 50.0 µs, a sync"))
    #expect(summary.contains(message))
  }
}
