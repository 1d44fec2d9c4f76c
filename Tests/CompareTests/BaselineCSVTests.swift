import Basics
import Foundation
import Runner
import TestSupport
import Testing

@testable import Compare

@Suite struct BaselineCSVTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  /// Returns a result of two cases that are not in alphabetical order.
  private static func result(_ steps: Double = 124_000) -> ResultDocument {
    var document = Fixture.small
    let first = document.workloads[0].cases[0]
    var last = first
    last.id = "fetch/paging/batchSize=9"
    last.outcome = .failedAsExpected("UNIQUE")
    last.digest = nil
    last.behaviours = []
    last.samples = [Sample(metric: .storeBytes, trials: [[40_960], [40_960]])]
    var changed = first
    changed.samples = [
      Sample(metric: .counter("vfs.syncs"), trials: [[2], [2]]),
      Sample(metric: .counter("sqlite.vmSteps"), trials: [[steps, 1], [steps, 1]]),
      Sample(metric: .counter("sqlite.sorts"), trials: [[1], [2]]),
      Sample(metric: .wallClock, trials: [[0.1], [0.2]]),
    ]
    document.workloads[0].cases = [last, changed]
    return document
  }

  private static let text = """
    # StoreBench baseline 1
    ## Exact costs, one per line. To change it: storebench baseline update RESULT
    # sqlite,3.40.1,\(Environment.example.sqliteSourceID)
    # options,ENABLE_FTS5,THREADSAFE=1
    # build,release
    # workload,fetch/paging,fetch
    # store,recipes/tasks.yaml,\(Fixture.tasks.digest)
    # settings,cache=warm,iterations=1,seed=18446744073709551615
    # pragmas,journal_mode=wal,page_size=4096
    # defaults,limit=0
    # case,"fetch/paging/batchSize=20,order=""title""\",passed,c0ffee,load=onFetch
    # case,fetch/paging/batchSize=9,failedAsExpected,
    case,metric,unit,value
    "fetch/paging/batchSize=20,order=""title""\",sqlite.vmSteps,count,124001
    "fetch/paging/batchSize=20,order=""title""\",vfs.syncs,count,2
    fetch/paging/batchSize=9,storeBytes,B,40960

    """

  @Test func `writes the costs that repeat, one a line, sorted, and the facts they hold for`()
    throws
  {
    #expect(try BaselineCSV.text(of: Baseline(of: Self.result())) == Self.text)
  }

  @Test(arguments: ["\n", "\r\n"])
  func `reads what it writes, whatever ends its lines`(ending: String) throws {
    let path = try folder.write(Self.text.replacing("\n", with: ending), to: "a.csv")
    #expect(try BaselineCSV.read(path: path) == Baseline(of: Self.result()))
  }

  @Test func `reads a file that begins with a byte order mark`() throws {
    let path = try folder.write("\u{FEFF}" + Self.text, to: "a.csv")
    #expect(BaselineCSV.isBaseline(at: path))
    #expect(try BaselineCSV.read(path: path) == Baseline(of: Self.result()))
  }

  @Test func `names the file after workloads, version and build`() throws {
    var document = Self.result()
    let name = BaselineFile.name(of: try Baseline(of: document))
    #expect(name.wholeMatch(of: /fetch-sqlite-3\.40\.1-[0-9a-f]{8}\.csv/) != nil, "\(name)")
    document.environment.sqliteCompileOptions.append("SECURE_DELETE")
    #expect(BaselineFile.name(of: try Baseline(of: document)) != name)
    document.workloads[0].workload = "../ évil"
    let plain = BaselineFile.name(of: try Baseline(of: document))
    #expect(plain.hasPrefix("-.-sqlite-"), "\(plain)")
  }

  @Test func `is made of no result with a failed case, and of none without an exact cost`() {
    #expect(
      throws: Refusal.badInput("the result cannot become a baseline: one of its cases failed")
    ) { try Baseline(of: Fixture.small) }
    var document = Self.result()
    document.workloads[0].cases = []
    #expect(
      throws: Refusal.badInput(
        "the result cannot become a baseline: no case has an exact cost that repeats"
      )
    ) { try Baseline(of: document) }
  }

  @Test func `writes no name that would break its lines`() throws {
    var document = Self.result()
    document.workloads[0].cases[0].id = "a\nb"
    let baseline = try Baseline(of: document)
    #expect(throws: Refusal.self) { try BaselineCSV.text(of: baseline) }
  }

  @Test(
    arguments: [
      ("baseline 1", "baseline 2", 1, "it has version '2', but this build reads version 1"),
      ("# StoreBench", "# Other", 1, "it does not begin with '# StoreBench baseline 1'"),
      (",124001", ",NaN", 14, "'NaN' is not the value of a cost"),
      (",124001", ",inf", 14, "'inf' is not the value of a cost"),
      (",124001", ",-1", 14, "'-1' is not the value of a cost"),
      (",124001", ",0x1p3", 14, "'0x1p3' is not the value of a cost"),
      (",124001", ",1e300", 17, "'1e+300' is not a measurement of 'sqlite.vmSteps'"),
      (",124001", "", 14, "it does not consist of case, metric, unit and value"),
      (",count,2", ",hours,2", 15, "it does not consist of case, metric, unit and value"),
      ("vfs.syncs", "sqlite.vmSteps", 15, "duplicate metric 'sqlite.vmSteps'"),
      ("# build", "<<<<<<< HEAD\n# build", 5, "it is a mark of a merge conflict"),
      ("# build,release", "# sqlite,1,2", 5, "duplicate fact 'sqlite'"),
      ("# defaults,limit=0", "# pragmas,a=b", 10, "duplicate fact 'pragmas'"),
      ("limit=0", "limit=0,limit=1", 10, "duplicate 'limit'"),
      ("limit=0", "=0", 10, "'=0' is not NAME=VALUE"),
      ("iterations=1", "iterations=x", 8, "the settings are 'cache', 'iterations' and 'seed'"),
      ("seed=18446744073709551615", "seed=-1", 8, "the settings are"),
      ("# case,fetch/paging/batchSize=9", "# case,x", 16, "the case 'fetch/paging/batchSize=9'"),
      ("9,failedAsExpected", "9,odd", 12, "a case belongs to a workload and has an ID"),
      ("# build", "# speed", 5, "there is no fact 'speed'"),
      ("# build,release\n", "", 16, "it ends without the facts"),
      (
        "case,metric,unit,value", "case,metric", 13,
        "it is neither a fact nor the header of the table"
      ),
      ("\"\"title\"\"\",passed", "title,passed", 11, "a quoted field has no end"),
    ])
  func `refuses what was changed by hand, by line and reason`(
    text: String,
    replacement: String,
    line: Int,
    reason: String
  ) throws {
    let changed = Self.text.replacing(text, with: replacement, maxReplacements: 1)
    try #require(changed != Self.text)
    let path = try folder.write(changed, to: "a.csv")
    let error = try #require(throws: Refusal.self) { try BaselineCSV.read(path: path) }
    #expect(error.message.hasPrefix("'\(path)' is not a baseline: line \(line): "), "\(error)")
    #expect(error.message.contains(reason), "\(error)")
  }

  @Test func `refuses a million cases and a million workloads`() throws {
    let end = try #require(Self.text.range(of: "# case"))
    let start = String(Self.text[..<end.lowerBound])
    let cases = (0...ResultLimits.cases).map { "# case,\($0),passed,\n" }.joined()
    let workloads = (0...ResultLimits.workloads).map { "# workload,\($0),k\n" }.joined()
    for (text, limit) in [(cases, "100000 cases"), (workloads, "10000 workloads")] {
      let path = try folder.write(start + text, to: "many.csv")
      let error = try #require(throws: Refusal.self) { try BaselineCSV.read(path: path) }
      #expect("\(error)".contains("more than \(limit)"), "\(error)")
    }
  }

  @Test func `survives any byte changed, as a baseline or as an error`() throws {
    let whole = Array(Self.text.utf8)
    var state: UInt64 = 5
    func next(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    var readable = 0
    for _ in 0..<2000 {
      var bytes = whole
      for _ in 0...next(3) { bytes[next(bytes.count)] = UInt8(next(256)) }
      if next(4) == 0 { bytes.removeLast(next(bytes.count)) }
      let text = String(decoding: bytes, as: UTF8.self)
      do {
        let baseline = try BaselineCSV.baseline(in: text, path: "a")
        readable += 1
        #expect(baseline.count > 0)
      } catch {
        #expect(error.status == .badInput, "\(error)")
      }
    }
    #expect(readable > 100)
  }
}
