import Basics
import Foundation

/// A planned run as a value: what every machine that runs a part of it must agree on.
///
/// It carries the command that planned it, so that a machine plans again and compares the hash. A
/// result holds the whole document: merging needs nothing else.
package struct PlanDocument: Codable, Hashable, Sendable {
  /// The version of the document that this code writes and reads.
  package static let currentVersion = 1

  package var version = Self.currentVersion
  /// SHA-256 of everything else in the document.
  package private(set) var hash = ""
  package var command: Command
  package var machine: Requirement
  /// In the order of the plan.
  package var workloads: [Workload]
  /// What one machine runs at a time, numbered from 1 in the order of the plan.
  package var tasks: [Task]

  /// A document with its hash.
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

  /// The hash of the document as it is, whatever hash it names.
  package var contentHash: String {
    get throws {
      var document = self
      document.hash = ""
      return try document.canonicalDigest
    }
  }

  /// The IDs of all cases, in the order of the plan.
  package var caseIDs: [String] { tasks.flatMap(\.cases).map(\.id) }

  /// The task of a case, by the case's ID or the task's number.
  package func task(_ name: String) -> Task? {
    tasks.first { $0.cases.contains { $0.id == name } }
      ?? Int(name).flatMap { number in tasks.first { $0.number == number } }
  }
}

extension PlanDocument {
  /// How the plan was asked for.
  package struct Command: Codable, Hashable, Sendable {
    /// Workload files and folders, as typed.
    package var files: [String]
    package var store: String?
    package var model: String?
    package var trials: Int?
    package var filter: String?
    /// `name=value`.
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

    /// Plans of earlier versions may have one.
    private var fleet: RemovedFleet?
  }

  /// What a machine must have: exact counters repeat for one build of SQLite only.
  package struct Requirement: Codable, Hashable, Sendable {
    package var sqliteSourceID: String
    package var sqliteVersion: String
    /// `release` or `debug`, of StoreBench.
    package var build: String
    /// Free bytes for stores and copies, where one machine runs everything.
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

    /// The first fact in which a machine is another one; `nil` where it has what is required.
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

  /// A workload file with everything that decides its counters.
  package struct Workload: Codable, Hashable, Sendable {
    package var workload: String
    package var kind: String
    package var store: Store
    package var settings: [String: String]
    package var cache: String
    package var trials: Int
    package var iterations: Int
    package var warmUps: Int
    /// Seconds after which a trial has failed.
    package var timeLimit: Double
    package var seed: UInt64
    /// Parameters that the file leaves to their defaults.
    package var defaults: [String: String]
    /// Recipes and models with their digests.
    package var inputs: [InputFact]
    package var inquiry: Inquiry
  }

  /// A store: a machine makes it from the recipe, or must have the file.
  package struct Store: Codable, Hashable, Sendable {
    /// The recipe or file, as the workload file names it.
    package var source: String
    package var seed: UInt64?
    /// SHA-256 of all that shapes the bytes of a recipe's store, or of the files of a given one.
    package var digest: String
    /// As predicted from the recipe, or of the file.
    package var bytes: Int64
    /// Predicted seconds to make or copy it.
    package var seconds: Double
  }

  /// Cases that are compared with each other, and so run on one machine by turns.
  package struct Task: Codable, Hashable, Sendable {
    package var number: Int
    package var workload: String
    /// As predicted from the sizes of the stores.
    package var seconds: Double
    package var cases: [Case]
  }

  /// One case of a task.
  package struct Case: Codable, Hashable, Sendable {
    package var id: String
    /// Cases of one workload and end state leave the same content.
    package var endState: String
  }
}

extension PlanDocument {
  /// Throws ``Refusal`` for the first thing that no planning can have written.
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
  /// SHA-256 of the value as JSON with sorted keys.
  var canonicalDigest: String {
    get throws {
      SHA256.hash(data: try JSONEncoder.document(isPretty: false).encode(self)).hexadecimal
    }
  }
}

/// A plan as a file: JSON with sorted keys, the same bytes for the same plan.
///
/// `Results/schema/plan-v1.schema.json` is its JSON Schema.
package enum PlanFile {
  /// Writes a plan, atomically.
  package static func write(_ plan: PlanDocument, to path: String) throws {
    try AtomicFile.write(plan.jsonText(), to: path)
  }

  /// Reads a plan of untrusted origin and checks it; throws `Refusal`.
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

/// A part of a plan: the third of sixteen.
package struct Shard: Hashable, Sendable, CustomStringConvertible {
  package static let most = 10_000

  /// From 1.
  package let index: Int
  package let count: Int

  /// A shard; `nil` where there is no such part.
  package init?(_ index: Int, of count: Int) {
    guard (1...Self.most).contains(count), (1...count).contains(index) else { return nil }
    (self.index, self.count) = (index, count)
  }

  /// A shard from `3/16`.
  package init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
    guard parts.count == 2, let index = parts[0], let count = parts[1] else { return nil }
    self.init(index, of: count)
  }

  package var description: String { "\(index)/\(count)" }
}

extension PlanDocument {
  /// The tasks of each of some parts, in the order of the plan.
  ///
  /// By predicted cost, the largest first, each to the part that is done soonest with it; a part
  /// makes each of its stores once. In whole milliseconds: the same split on every machine.
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
