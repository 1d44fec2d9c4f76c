/// Machine, software and settings of a run: what decides whether two results may be compared.
package struct Environment: Codable, Hashable, Sendable {
  package var machine: String
  package var architecture: String
  package var cores: Int
  package var memoryBytes: Int64
  package var operatingSystem: String
  package var kernel: String
  /// The file system of the folder the stores were worked on in.
  package var fileSystem: String
  /// `sqlite3_sourceid()`.
  package var sqliteSourceID: String
  package var sqliteVersion: String
  package var sqliteCompileOptions: [String]
  package var swiftVersion: String
  /// `release` or `debug`.
  package var build: String
  /// The commit of the code, with `+changes` where the work tree had any; empty when unknown.
  package var commit: String
  /// A digest of the size and modification time of the program's file, which tells two builds of
  /// one commit apart; `nil` if unknown.
  package var program: String?
  /// When the run started, as ISO 8601 in UTC.
  package var startedAt: String

  /// Exact costs depend on SQLite and the build only, so a baseline has the default of all others.
  package init(
    machine: String = "",
    architecture: String = "",
    cores: Int = 0,
    memoryBytes: Int64 = 0,
    operatingSystem: String = "",
    kernel: String = "",
    fileSystem: String = "",
    sqliteSourceID: String,
    sqliteVersion: String,
    sqliteCompileOptions: [String],
    swiftVersion: String = "",
    build: String,
    commit: String = "",
    program: String? = nil,
    startedAt: String = ""
  ) {
    self.machine = machine
    self.architecture = architecture
    self.cores = cores
    self.memoryBytes = memoryBytes
    self.operatingSystem = operatingSystem
    self.kernel = kernel
    self.fileSystem = fileSystem
    self.sqliteSourceID = sqliteSourceID
    self.sqliteVersion = sqliteVersion
    self.sqliteCompileOptions = sqliteCompileOptions
    self.swiftVersion = swiftVersion
    self.build = build
    self.commit = commit
    self.program = program
    self.startedAt = startedAt
  }
}
