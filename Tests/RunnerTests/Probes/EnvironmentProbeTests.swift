import SQLite
import TestSupport
import Testing

@testable import Runner

struct EnvironmentProbeTests {
  @Test func `knows the machine it runs on`() throws {
    let folder = try TemporaryFolder()
    let environment = EnvironmentProbe.read(
      workFolder: folder.path,
      codeFolder: folder.path,
      startedAt: "2026-01-01T00:00:00Z"
    )
    #expect(environment.cores > 0)
    #expect(environment.memoryBytes > 1 << 20)
    for text in [
      environment.machine, environment.architecture, environment.operatingSystem,
      environment.kernel,
      environment.fileSystem,
    ] { #expect(!text.isEmpty && text != "unknown") }
    #expect(environment.sqliteSourceID == Library.sourceID)
    #expect(["debug", "release"].contains(environment.build))
    // A folder outside a Git work tree has no commit.
    #expect(environment.commit.isEmpty)
  }

  @Test(arguments: [
    ("/", "ext4"), ("/home/a/b", "ext4"), ("/tmp", "tmpfs"), ("/tmpfiles", "ext4"),
    ("/my data/x", "xfs"), ("/tmp/deep/er", "btrfs"),
  ])
  func `finds the file system of a folder`(path: String, type: String) {
    let table = EnvironmentProbe.MountTable(
      """
      rootfs / rootfs rw 0 0
      /dev/vda / ext4 rw,relatime 0 0
      tmpfs /tmp tmpfs rw 0 0
      /dev/vdb /my\\040data xfs rw 0 0
      /dev/vdc /tmp/deep btrfs rw 0 0
      """
    )
    #expect(table.fileSystem(of: path) == type)
  }
}
