import Measurement

extension Environment {
  static let example = Environment(
    machine: "Example CPU",
    architecture: "x86_64",
    cores: 2,
    memoryBytes: 8 << 30,
    operatingSystem: "Linux",
    kernel: "k",
    fileSystem: "ext4",
    sqliteSourceID: "s",
    sqliteVersion: "3.40.1",
    sqliteCompileOptions: [],
    swiftVersion: "6.3",
    build: "release",
    commit: "",
    startedAt: "2026-01-01T00:00:00Z"
  )
}
