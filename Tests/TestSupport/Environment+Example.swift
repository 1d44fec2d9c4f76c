import Runner

extension Environment {
  package static let example = Environment(
    machine: "AMD EPYC 7B13",
    architecture: "x86_64",
    cores: 2,
    memoryBytes: 8_320_000_000,
    operatingSystem: "Debian GNU/Linux 12",
    kernel: "Linux 6.1.0-18-amd64",
    fileSystem: "ext4",
    sqliteSourceID:
      "2022-12-28 14:03:47 df5c253c0b3dd24916e4ec7cf77d3db5294cc9fd45ae7b9c5e82ad8197f3",
    sqliteVersion: "3.40.1",
    sqliteCompileOptions: ["ENABLE_FTS5", "THREADSAFE=1"],
    swiftVersion: "6.3.1",
    build: "release",
    commit: "a1b2c3d",
    startedAt: "2026-04-01T09:12:44Z"
  )
}
