import Basics
import Foundation

/// A plan that several machines share, each running a part of it.
///
/// It contains the command that created it, so that each machine can plan again and compare the
/// hash. Each result contains the whole document, so that results can be merged without other
/// files.
package struct PlanDocument: Codable, Hashable, Sendable {
  /// The version of the document that this build writes and reads.
  package static let currentVersion = 1

  package var version = Self.currentVersion
  /// The SHA-256 hash of everything else in the document.
  package private(set) var hash = ""
  package var command: Command
  package var machine: Requirement
  /// The workloads in the order of the plan.
  package var workloads: [Workload]
  /// The units of work, each of which runs on one machine; numbered from 1 in the order of the
  /// plan.
  package var tasks: [Task]

  /// Creates a document and computes its hash.
  ///
  /// - Throws: an error if the document cannot be encoded.
  package init(
    command: Command,
    machine: Requirement,
    workloads: [Workload],
    tasks: [Task]
  ) throws {
    self.command = command
    self.machine = machine
    self.workloads = workloads
    self.tasks = tasks
    hash = try contentHash
  }

  /// The actual hash of the document's content, which differs from ``hash`` if the document was
  /// changed.
  package var contentHash: String {
    get throws {
      var document = self
      document.hash = ""
      return try document.canonicalDigest
    }
  }

  /// The IDs of all cases, in the order of the plan.
  package var caseIDs: [String] { tasks.flatMap(\.cases).map(\.id) }

  /// Returns the task that contains the case with this ID, or the task with this number.
  package func task(_ name: String) -> Task? {
    tasks.first { $0.cases.contains { $0.id == name } }
      ?? Int(name).flatMap { number in tasks.first { $0.number == number } }
  }
}

extension PlanDocument {
  /// The command that created the plan.
  package struct Command: Codable, Hashable, Sendable {
    /// The workload files and folders, as typed.
    package var files: [String]
    package var store: String?
    package var model: String?
    package var trials: Int?
    package var filter: String?
    /// The parameters set on the command line, as `name=value`.
    package var set: [String]

    package init(
      files: [String],
      store: String? = nil,
      model: String? = nil,
      trials: Int? = nil,
      filter: String? = nil,
      set: [String] = []
    ) {
      self.files = files
      self.store = store
      self.model = model
      self.trials = trials
      self.filter = filter
      self.set = set
    }

    /// The field of a removed feature, which plans of earlier versions may contain.
    private var fleet: RemovedFleet?
  }

  /// The requirements for a machine: exact counters are equal only with the same build of SQLite.
  package struct Requirement: Codable, Hashable, Sendable {
    package var sqliteSourceID: String
    package var sqliteVersion: String
    /// StoreBench's build configuration, `release` or `debug`.
    package var build: String
    /// The free bytes needed for stores and copies if one machine runs the whole plan.
    package var diskBytes: Int64

    package init(
      sqliteSourceID: String,
      sqliteVersion: String,
      build: String,
      diskBytes: Int64
    ) {
      self.sqliteSourceID = sqliteSourceID
      self.sqliteVersion = sqliteVersion
      self.build = build
      self.diskBytes = diskBytes
    }

    /// Returns the first requirement that the machine does not meet, or `nil` if it meets all of
    /// them.
    package func obstacle(
      on environment: Environment
    ) -> (fact: String, required: String, found: String)? {
      if environment.sqliteSourceID != sqliteSourceID {
        return (
          "SQLite", "\(sqliteVersion) of \(sqliteSourceID.prefix(19))",
          "\(environment.sqliteVersion) of \(environment.sqliteSourceID.prefix(19))"
        )
      }
      return environment.build == build ? nil : ("StoreBench", build, environment.build)
    }
  }

  /// A workload with everything that determines its counters.
  package struct Workload: Codable, Hashable, Sendable {
    package var workload: String
    package var kind: String
    package var store: Store
    package var settings: [String: String]
    package var cache: String
    package var trials: Int
    package var iterations: Int
    package var warmUps: Int
    /// The time limit of a trial in seconds; a trial that exceeds it fails.
    package var timeLimit: Double
    package var seed: UInt64
    /// The default values of the parameters that the file does not set.
    package var defaults: [String: String]
    /// The recipes and models, with their digests.
    package var inputs: [InputFact]
    package var inquiry: Inquiry
  }

  /// A store, which a machine makes from the recipe or must have as a file.
  package struct Store: Codable, Hashable, Sendable {
    /// The recipe or store file, as written in the workload file.
    package var source: String
    package var seed: UInt64?
    /// The SHA-256 hash of everything that determines the bytes of a recipe's store, or of a given
    /// store's files.
    package var digest: String
    /// The size of the store in bytes: estimated for a recipe, exact for a file.
    package var bytes: Int64
    /// The estimated time to make or copy the store, in seconds.
    package var seconds: Double
  }

  /// Cases that are compared with each other, so that their trials alternate on one machine.
  package struct Task: Codable, Hashable, Sendable {
    package var number: Int
    package var workload: String
    /// The estimated time in seconds, based on the size of the store.
    package var seconds: Double
    package var cases: [Case]
  }

  /// One case of a task.
  package struct Case: Codable, Hashable, Sendable {
    package var id: String
    /// The name of the state that the case reaches; the cases of a workload with the same end state
    /// must leave the same content.
    package var endState: String
  }
}

extension PlanDocument {
  /// Throws a ``Refusal`` if the document is inconsistent, so that planning cannot have written it.
  package func check() throws {
    guard version == Self.currentVersion else {
      throw Refusal.badInput(
        "the plan has version \(version), but this build reads version "
          + "\(PlanDocument.currentVersion): plan again with this build"
      )
    }
    guard try contentHash == hash else { throw Refusal.changedPlan }
    let names = workloads.map(\.workload)
    guard Set(names).count == names.count, Set(tasks.map(\.workload)).isSubset(of: names),
      tasks.map(\.number) == Array(1..<(tasks.count + 1)),
      !tasks.contains(where: { $0.cases.isEmpty || !($0.seconds >= 0 && $0.seconds < 1e9) }),
      !workloads.contains(where: { !($0.store.seconds >= 0 && $0.store.seconds < 1e9) }),
      Set(caseIDs).count == caseIDs.count, caseIDs.count <= ResultLimits.cases
    else { throw Refusal.changedPlan }
  }
}

extension Encodable {
  /// The SHA-256 hash of the value as JSON with sorted keys.
  var canonicalDigest: String {
    get throws {
      SHA256.hash(data: try JSONEncoder.document(isPretty: false).encode(self)).hexadecimal
    }
  }
}

/// Reads and writes plan files: JSON with sorted keys, so that equal plans have equal bytes.
///
/// `Results/schema/plan-v1.schema.json` is the JSON Schema.
package enum PlanFile {
  /// Writes a plan atomically.
  ///
  /// - Throws: an error if the plan cannot be encoded or written.
  package static func write(_ plan: PlanDocument, to path: String) throws {
    try AtomicFile.write(plan.jsonText(), to: path)
  }

  /// Reads and checks a plan from an untrusted source.
  ///
  /// - Throws: `Refusal` if the file cannot be read or is not a plan.
  package static func read(_ path: String) throws -> PlanDocument {
    do {
      return try PlanDocument(json: InputFile.bytes(of: path, limit: 64 << 20))
    } catch InputFile.Failure.missing {
      throw Refusal.noSuchInput(path: path)
    } catch InputFile.Failure.unreadable(let reason) {
      throw Refusal.cannotRead(path, reason: reason)
    } catch {
      let reason = (error as? InputFile.Failure)?.reason ?? "\(error)"
      throw Refusal.badInput("'\(path)' is not a plan: \(reason)")
    }
  }
}

/// A part of a plan, such as the third of sixteen.
package struct Shard: Hashable, Sendable, CustomStringConvertible {
  package static let most = 10_000

  /// The number of the part, counted from 1.
  package let index: Int
  package let count: Int

  /// Creates a shard, or returns `nil` if the numbers are out of range.
  package init?(_ index: Int, of count: Int) {
    guard (1...Self.most).contains(count), (1...count).contains(index) else { return nil }
    (self.index, self.count) = (index, count)
  }

  /// Parses a shard such as `3/16`.
  package init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
    guard parts.count == 2, let index = parts[0], let count = parts[1] else { return nil }
    self.init(index, of: count)
  }

  package var description: String { "\(index)/\(count)" }
}

extension PlanDocument {
  /// Splits the tasks into parts, each in the order of the plan.
  ///
  /// Tasks are assigned in descending order of estimated cost. Each task goes to the part that
  /// would then finish first, and a part makes each of its stores only once. Costs are rounded to
  /// milliseconds, so that the split is the same on every machine.
  package func split(into count: Int) -> [[Task]] {
    let stores = Dictionary(
      keepingFirst: workloads.map {
        ($0.workload, (digest: $0.store.digest, cost: $0.store.milliseconds))
      }
    )
    var loads = [Int](repeating: 0, count: count)
    var made = [Set<String>](repeating: [], count: count)
    var parts = [[Task]](repeating: [], count: count)
    let largestFirst = tasks.sorted { ($1.milliseconds, $0.number) < ($0.milliseconds, $1.number) }
    for task in largestFirst {
      let store = stores[task.workload]
      func load(with task: Task, of part: Int) -> Int {
        let isMade = store.map { made[part].contains($0.digest) } ?? true
        return loads[part] + task.milliseconds + (isMade ? 0 : store?.cost ?? 0)
      }
      let part = loads.indices.min { load(with: task, of: $0) < load(with: task, of: $1) } ?? 0
      loads[part] = load(with: task, of: part)
      if let store { made[part].insert(store.digest) }
      parts[part].append(task)
    }
    return parts.map { $0.sorted { $0.number < $1.number } }
  }
}

extension PlanDocument.Task {
  fileprivate var milliseconds: Int { Int((seconds * 1000).rounded()) }
}

extension PlanDocument.Store {
  fileprivate var milliseconds: Int { Int((seconds * 1000).rounded()) }
}
