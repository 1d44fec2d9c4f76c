import Foundation
import Testing

@testable import Runner

struct SharedProcessorTests {
  #if os(Linux)
    @Test func `keeps a process on the processor that this thread runs on`() throws {
      let processor = try #require(SharedProcessor.current)
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/bin/sleep")
      process.arguments = ["60"]
      try process.run()
      defer { process.terminate() }

      processor.keep(process.processIdentifier)

      let path = "/proc/\(process.processIdentifier)/status"
      let status = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
      let line = try #require(status.first { $0.hasPrefix("Cpus_allowed_list:") })
      let list = try #require(line.split(whereSeparator: \.isWhitespace).last)
      #expect(list == "\(processor.number)")
    }
  #endif
}
