import Basics
import SQLite
import Testing

@testable import Compare
@testable import Runner

/// Tests parsing the argument of `--against`.
struct SideTextTests {
  @Test(arguments: [
    ("Workloads/fetch", SideText.workloads(path: "Workloads/fetch")),
    ("./odd:name.yaml", .workloads(path: "./odd:name.yaml")),
    ("git:main", .revision("main")),
    ("binary:/usr/bin/storebench", .binary(path: "/usr/bin/storebench")),
    ("sqlite:/a/libsqlite3.so", .sqlite(path: "/a/libsqlite3.so")),
    ("model:models/v1.yaml", .model(path: "models/v1.yaml")),
    ("set:prefetch=[a, b]", .parameter(.init(name: "prefetch", yaml: "[a, b]"))),
    (
      "pragma:cache_size=500,synchronous=full",
      .pragmas([.init(name: "cache_size", value: "500"), .init(name: "synchronous", value: "full")])
    ),
  ])
  func `tells the kinds of sides`(text: String, side: SideText) throws {
    #expect(try SideText(text) == side)
  }

  @Test(arguments: [
    (
      "pragmas:cache_size=1",
      "'--against pragmas:cache_size=1' is not something to compare with: use 'binary:', 'git:', "
        + "'model:', 'pragma:', 'set:', 'sqlite:', or a path; did you mean 'pragma'?"
    ),
    ("git:", "'--against git:' has no value after 'git:'"),
    ("pragma:cache_size", "'--against pragma:cache_size' needs name=value, not 'cache_size'"),
  ])
  func `says what is wrong with others`(text: String, message: String) throws {
    let error = #expect(throws: Refusal.self) { try SideText(text) }
    #expect(error?.description == message)
  }

  @Test func `sets what pragmas set`() {
    var settings = ConnectionSettings()
    for (name, value) in [
      ("cache_size", "500"), ("journal_mode", "delete"), ("synchronous", "FULL"),
      ("wal_autocheckpoint", "0"), ("busy_timeout", "5"), ("foreign_keys", "on"),
    ] {
      #expect(settings.set(SideText.Pragma(name: name, value: value)) == nil)
    }
    #expect(
      settings
        == ConnectionSettings(
          journalMode: .delete,
          synchronous: .full,
          cachePages: 500,
          walAutocheckpoint: 0,
          usesForeignKeys: true,
          busyTimeout: 5
        )
    )
  }

  @Test(arguments: [
    ("cache_size", "-2000"), ("cache_size", "many"), ("page_size", "1024"), ("mmap_size", "0"),
    ("synchronous", "sometimes"), ("journal_mode", ""), ("foreign_keys", "2"),
  ])
  func `refuses pragmas that cannot be compared`(name: String, value: String) {
    var settings = ConnectionSettings()
    #expect(settings.set(SideText.Pragma(name: name, value: value)) != nil)
    #expect(settings == ConnectionSettings())
  }

  @Test(arguments: [
    ("/src/own/.build/release/own", "/src/own", ""),
    ("/src/own/tools/.build/x86_64-unknown-linux-gnu/release/own", "/src/own", "/tools"),
    ("/usr/local/bin/storebench", "/src/own", ""),
    ("/elsewhere/.build/release/own", "/src/own", ""),
    ("/src/owner/.build/release/own", "/src/own", ""),
  ])
  func `a revision is built in the folder of the program's package`(
    executable: String,
    root: String,
    folder: String
  ) {
    #expect(SideBuilder.RevisionCheckout.package(of: executable, in: root) == folder)
  }
}
