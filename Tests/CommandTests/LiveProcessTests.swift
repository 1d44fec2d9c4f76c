import Foundation
import TestSupport
import Testing

struct LiveProcessTests {
  private let program: StorebenchProcess
  private let run = ["compare-live", "Workloads/small.yaml", "--allow-debug", "--output", "out"]

  init() throws {
    program = try StorebenchProcess()
    for (name, size) in [("small", 5), ("large", 100)] {
      try program.writeFetch("strategy: batched, batchSize: \(size)", to: name)
    }
  }

  /// Options with an error rate at which a large difference needs only a few blocks.
  private let quickly = ["--budget", "60s", "--error-rate", "10%"]

  private func document() throws -> [String: Any] {
    let packed = program.folder.path + "/out/live.json.gz"
    let text = try #require(try OutsideProgram("gzip")?.run(["-dc", packed]).output)
    return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
  }

  private func firstCase() throws -> [String: Any] {
    try #require((try document()["cases"] as? [[String: Any]])?.first)
  }

  @Test func `batches of five instead of a hundred are found to be slower`() throws {
    let ending = try program.run(run + ["--against", "Workloads/large.yaml"] + quickly)
    #expect(ending.status == 2, "\(ending.errors)\(ending.output)")
    #expect(ending.output.contains("Workloads/small.yaml against Workloads/large.yaml"))
    #expect(ending.output.hasPrefix("1 of 1 case got slower\n"), "\(ending.output)")
    let found = try firstCase()
    #expect(found["verdict"] as? String == "changed")
    #expect(try #require(found["change"] as? Double) > 0.5)
    #expect(found["baseID"] as? String == "large/batchSize=100,strategy=batched")
    // The comparison must remove all its copies.
    #expect(program.files(below: ".storebench/work") == [])
  }

  @Test func `with the sides exchanged they are faster, and nothing fails`() throws {
    let ending = try program.run(
      ["compare-live", "Workloads/large.yaml", "--against", "Workloads/small.yaml"]
        + ["--allow-debug", "--output", "out"] + quickly
    )
    #expect(ending.status == 0, "\(ending.errors)")
    #expect(ending.output.contains("1 case: 1 faster."), "\(ending.output)")
    #expect(try #require(firstCase()["change"] as? Double) < -0.3)
  }

  @Test func `a budget of a second cannot tell, which fails where it must`() throws {
    // No machine is stable enough to show equality within 0.1 % in one second.
    let ending = try program.run(
      run + ["--against", "pragma:synchronous=full", "--budget", "1s", "--margin", "0.1%"]
        + ["--require-verdict"]
    )
    #expect(ending.status == 3)
    #expect(ending.output.contains("cannot tell"))
    #expect(try firstCase()["verdict"] as? String == "cannotTell")
  }

  @Test func `work that changes the store is cut by time`() throws {
    try program.folder.write(
      """
      kind: blobStorage
      store: { recipe: recipes/tasks.yaml }
      parameters: { strategy: inline, operation: insert, size: 64 KB, objects: 20 }
      """,
      to: "Workloads/blobs.yaml"
    )
    let ending = try program.run([
      "compare-live", "Workloads/blobs.yaml", "--against", "Workloads/blobs.yaml", "--allow-debug",
      "--output", "out", "--budget", "1s",
    ])
    #expect(ending.status == 0, "\(ending.errors)\(ending.output)")
    #expect(try firstCase()["slicing"] as? String != "iterations")
    #expect(try #require((try firstCase()["blocks"] as? [Any])?.count) > 0)
  }

  @Test func `a revision is compared with its own files`() throws {
    let git = { (arguments: [String]) in
      try OutsideProgram("git")?.run(["-C", program.folder.path] + arguments).status
    }
    let identity = ["-c", "user.name=Tester", "-c", "user.email=tester@example.org"]
    try #require(try git(["init", "-q"]) == 0)
    try program.folder.write(".storebench\n.said\n", to: ".gitignore")
    try #require(try git(["add", "."]) == 0)
    try #require(try git(identity + ["commit", "-qm", "one"]) == 0)
    let before = ["compare-live", "Workloads/large.yaml", "--allow-debug", "--output", "out"]
    try program.writeFetch("strategy: batched, batchSize: 5", to: "large")
    let ending = try program.run(before + ["--against", "git:HEAD"] + quickly)
    #expect(ending.status == 2, "\(ending.errors)\(ending.output)")
    #expect(try firstCase()["baseID"] as? String == "large/batchSize=100,strategy=batched")
    let unknown = try program.run(run + ["--force", "--against", "git:no-such-branch"])
    #expect(unknown.status == 65)
    #expect(unknown.errors.contains("is not a revision of"))
    let missing = try program.run(
      run + ["--force", "--against", "git:HEAD", "--set", "limit=soon"]
    )
    #expect(missing.status == 65)
  }

  @Test func `a SQLite library is loaded by its side alone, and checked`() throws {
    // Files in /proc report a size of 0, so use a handle to read to the end.
    let handle = try #require(FileHandle(forReadingAtPath: "/proc/self/maps"))
    let maps = String(decoding: handle.readDataToEndOfFile(), as: UTF8.self)
    let library = try #require(
      maps.split(whereSeparator: \.isWhitespace).first { $0.contains("/libsqlite3.so") }
    )
    let ending = try program.run(run + ["--against", "sqlite:\(library)", "--budget", "1s"])
    #expect(ending.status == 0, "\(ending.errors)")
  }

  @Test(arguments: [
    (["--against", "git:main"], 65, "is not in a Git repository"),
    (["--against", "binary:nowhere"], 66, "no such file or folder: 'nowhere'"),
    (["--against", "binary:/bin/true"], 65, "does not support version"),
    (["--against", "sqlite:/bin/true"], 65, "'/bin/true' is no"),
    (["--against", "pragma:page_size=512"], 65, "is stored in the file"),
    (["--against", "fetch", "--budget", "soon"], 64, "'--budget' must be a time"),
    (["--against", "fetch", "--margin", "60%"], 64, "'--margin' must be from 0.1% to 50%"),
    (["--against", "fetch", "--keep"], 64, "Unknown option '--keep'"),
    (["--margin", "3%"], 64, "Missing expected argument '--against <side>'"),
  ])
  func `says what is wrong with a side`(
    arguments: [String],
    status: Int32,
    message: String
  ) throws {
    let ending = try program.run(run + arguments)
    #expect(ending.status == status)
    #expect(ending.errors.contains(message), "\(ending.errors)")
  }
}
