import TestSupport
import Testing

@testable import Runner

/// Tests memory limits read from files in the format of Linux control groups.
struct MemoryLimitTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func bytes(_ groups: String) -> UInt64? {
    MemoryLimit.groups(groups, root: folder.path + "/cgroup").map(\.limit).min()
  }

  @Test func `reads the least limit of a group of version 2 and of those above it`() throws {
    try folder.write("max\n", to: "cgroup/memory.max")
    try folder.write("536870912\n", to: "cgroup/user.slice/memory.max")
    try folder.write("1073741824\n", to: "cgroup/user.slice/job/memory.max")
    #expect(bytes("0::/user.slice/job\n") == 536_870_912)
    #expect(bytes("0::/user.slice\n") == 536_870_912)
    #expect(bytes("0::/\n") == nil)
  }

  @Test func `reads the limit of a group of version 1, in a container from the top`() throws {
    let groups = "5:cpu,cpuacct:/docker/1a\n4:memory:/docker/1a\n0::/\n"
    #expect(bytes(groups) == nil)
    try folder.write("268435456\n", to: "cgroup/memory/memory.limit_in_bytes")
    #expect(bytes(groups) == 268_435_456)
    try folder.write("134217728\n", to: "cgroup/memory/docker/1a/memory.limit_in_bytes")
    #expect(bytes(groups) == 134_217_728)
  }

  @Test(arguments: ["", "0", "0:::", "::", "4:memory", "0::/../../etc\n", "x:memory:\u{0}:/a"])
  func `a text that is none has no limit`(groups: String) {
    #expect(bytes(groups) == nil)
  }
}
