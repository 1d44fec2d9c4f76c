import Basics
import DataModel
import Foundation
import Runner

/// The argument of `compare-live --against`: the side with which the workload files are compared.
package enum SideText: Hashable, Sendable {
  /// Another workload file, or a folder of workload files.
  case workloads(path: String)
  /// The same workload files with other connection settings.
  case pragmas([Pragma])
  /// The same workload files with a store of another model version.
  case model(path: String)
  /// The same workload files with a different value for a parameter.
  case parameter(Overrides.Parameter)
  /// Another build of this program.
  case binary(path: String)
  /// A revision of the repository that contains the workload files; both the files and the program
  /// are taken from it.
  case revision(String)
  /// The same workload files and program with another SQLite library.
  case sqlite(path: String)

  package struct Pragma: Hashable, Sendable {
    package var name: String
    package var value: String
  }

  private static let kinds = ["binary", "git", "model", "pragma", "set", "sqlite"]

  /// Parses a side in its command-line form.
  ///
  /// - Throws: ``Refusal`` if the string is not a valid side.
  package init(_ text: String) throws {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      .map(String.init)
    guard parts.count == 2, !parts[0].contains("/"), !parts[0].contains(".") else {
      self = .workloads(path: text)
      return
    }
    let rest = parts[1]
    guard !rest.isEmpty else {
      throw Refusal.invalidSide(text, problem: "has no value after '\(parts[0]):'")
    }
    switch parts[0] {
    case "binary": self = .binary(path: rest)
    case "git": self = .revision(rest)
    case "model": self = .model(path: rest)
    case "pragma":
      self = .pragmas(try rest.split(separator: ",").map { try Pragma(String($0), of: text) })
    case "set":
      let pair = try Pragma(rest, of: text)
      self = .parameter(Overrides.Parameter(name: pair.name, yaml: pair.value))
    case "sqlite": self = .sqlite(path: rest)
    default:
      throw Refusal.invalidSide(
        text,
        problem: "is not something to compare with: use "
          + "'\(Self.kinds.joined(separator: ":', '")):', or a path"
          + didYouMean(parts[0], among: Self.kinds)
      )
    }
  }
}

extension SideText {
  var name: String {
    switch self {
    case .workloads(let path): path
    case .pragmas(let pragmas): pragmas.map { "\($0.name)=\($0.value)" }.joined(separator: ", ")
    case .model(let path): "model \(path)"
    case .parameter(let parameter): "\(parameter.name)=\(parameter.yaml)"
    case .binary(let path): "program \(path)"
    case .revision(let revision): "git \(revision)"
    case .sqlite(let path): "SQLite \(path)"
    }
  }
}

extension SideText.Pragma {
  fileprivate init(_ item: String, of side: String) throws(Refusal) {
    let parts = item.split(separator: "=", maxSplits: 1).map(String.init)
    guard parts.count == 2 else {
      throw .invalidSide(side, problem: "needs name=value, not '\(item)'")
    }
    (name, value) = (parts[0], parts[1])
  }
}

/// One side of a live comparison: its cases, and the program that runs them.
package struct LiveSide: Sendable {
  package var plan: Plan
  package var worker: LiveWorker
  /// The parameters whose values intentionally differ from the other side's.
  package var ownParameters: Set<String> = []

  package init(plan: Plan, worker: LiveWorker, ownParameters: Set<String> = []) {
    self.plan = plan
    self.worker = worker
    self.ownParameters = ownParameters
  }
}

/// The cases that two sides share.
package struct LiveMatching: Sendable {
  package private(set) var cases: [LiveCase] = []
  /// The IDs of cases that only one side has, in the order of its plan.
  package private(set) var onlyInBase: [String] = []
  package private(set) var onlyInHead: [String] = []

  /// Matches the cases of both sides by ID.
  ///
  /// If each side is a single file, file names are ignored. If the base (the reference side) then
  /// has a single case, it matches every case of the head (the side under test).
  ///
  /// Cases of the base that the filter excludes are not listed as missing.
  ///
  /// - Throws: ``Refusal`` if no case matches.
  package init(base: LiveSide, head: LiveSide, filter: String? = nil) throws {
    let ignored = base.ownParameters
    let isOneFile = base.plan.workloads.count == 1 && head.plan.workloads.count == 1
    let key = { (file: WorkloadFile, planned: Case) in
      (isOneFile ? "" : file.name + "/") + planned.shownParameters.without(ignored).canonical
    }
    let arms = Self.arms(of: base)
    var byKey: [String: LiveArm] = [:]
    for arm in arms { byKey[key(arm.file, arm.planned)] = arm }
    let only = isOneFile && arms.count == 1 ? arms.first : nil
    var used: Set<String> = []
    for arm in Self.arms(of: head) {
      guard let other = byKey[key(arm.file, arm.planned)] ?? only else {
        onlyInHead.append(arm.planned.id)
        continue
      }
      used.insert(other.planned.id)
      cases.append(LiveCase(id: arm.planned.id, base: other, head: arm))
    }
    let asked = filter.map(Glob.init)
    onlyInBase = arms.map(\.planned.id).filter { !used.contains($0) && asked?.matches($0) ?? true }
    guard !cases.isEmpty else {
      throw Refusal.badInput(
        "'\(base.worker.name)' has none of the case IDs of this workload, such as "
          + "'\(onlyInHead.first ?? "")'"
      )
    }
  }

  private static func arms(of side: LiveSide) -> [LiveArm] {
    side.plan.workloads.flatMap { workload in
      workload.cases.map { LiveArm(file: workload.file, planned: $0, worker: side.worker) }
    }
  }
}

/// Makes both sides of a comparison from command-line arguments.
package struct SideBuilder {
  package let paths: [String]
  package let kinds: [any WorkloadKind.Type]
  package let overrides: Overrides
  package let filter: String?
  /// The path of this program.
  package let executable: String
  /// The folder in which revisions are checked out and built, and in which libraries are linked
  /// under the name that the loader looks for.
  package let cacheFolder: String
  /// Receives a short description of each long-running step.
  package let progress: (String) -> Void
  /// Whether to build a revision's own program; otherwise this program runs the revision's workload
  /// files.
  package var buildsRevisions = true
  /// Receives a notice of each step that takes minutes, even if progress is not shown.
  package var announce: (String) -> Void = { _ in }

  package init(
    paths: [String],
    kinds: [any WorkloadKind.Type],
    overrides: Overrides,
    filter: String?,
    executable: String,
    cacheFolder: String,
    progress: @escaping (String) -> Void = { _ in }
  ) {
    self.paths = paths
    self.kinds = kinds
    self.overrides = overrides
    self.filter = filter
    self.executable = executable
    self.cacheFolder = cacheFolder
    self.progress = progress
  }

  /// Makes the head, the side under test: the unchanged workload files, run by this program.
  ///
  /// The head's name is the files' paths if the base has other workload files, otherwise `files`.
  ///
  /// - Throws: ``Refusal`` if the files cannot be planned.
  package func head(beside side: SideText) throws -> LiveSide {
    let isOtherFiles = if case .workloads = side { true } else { false }
    return LiveSide(
      plan: try plan(paths, filter: filter),
      worker: LiveWorker(
        name: isOtherFiles ? paths.joined(separator: ", ") : "files",
        executable: executable
      )
    )
  }

  /// Makes the base, the side with which the head is compared.
  ///
  /// - Throws: ``Refusal`` if the side is invalid or cannot be planned.
  package func base(_ side: SideText, named text: String) throws -> LiveSide {
    var worker = LiveWorker(name: side.name, executable: executable)
    switch side {
    case .workloads(let path):
      return LiveSide(plan: try plan([path]), worker: worker)
    case .pragmas(let pragmas):
      return LiveSide(plan: try plan(paths).with(pragmas, side: text), worker: worker)
    case .model(let path):
      return LiveSide(plan: try plan(paths).with(model: path, side: text), worker: worker)
    case .parameter(let parameter):
      return LiveSide(
        plan: try plan(paths, setting: parameter),
        worker: worker,
        ownParameters: [parameter.name]
      )
    case .binary(let path):
      worker.executable = try Self.program(at: path)
      return LiveSide(plan: try plan(paths), worker: worker)
    case .revision(let revision):
      let checkout = try RevisionCheckout(
        of: revision,
        holding: paths,
        cacheFolder: cacheFolder,
        progress: progress
      )
      // The work folder stays locked until the files are read.
      defer { withExtendedLifetime(checkout) {} }
      if buildsRevisions {
        worker.executable = try checkout.program(like: executable, announce) ?? executable
      }
      return LiveSide(plan: try plan(checkout.paths), worker: worker)
    case .sqlite(let path):
      let library = try SQLiteLibraryFile(path: path)
      worker.variables = try library.loaderVariables(in: cacheFolder)
      worker.sqliteSourceID = library.sourceID
      return LiveSide(plan: try plan(paths), worker: worker)
    }
  }

  private func plan(
    _ paths: [String],
    setting parameter: Overrides.Parameter? = nil,
    filter: String? = nil
  ) throws -> Plan {
    var overrides = overrides
    if let parameter { overrides.parameters.append(parameter) }
    return try Plan(paths: paths, kinds: kinds, overrides: overrides, filter: filter)
  }

  private static func program(at path: String) throws -> String {
    let full = URL(fileURLWithPath: path).standardizedFileURL.path
    guard FileManager.default.fileExists(atPath: full) else {
      throw Refusal.noSuchInput(path: path)
    }
    guard FileManager.default.isExecutableFile(atPath: full) else {
      throw Refusal.unusable(path, problem: "is not an executable program")
    }
    return full
  }
}

extension Plan {
  fileprivate func with(_ pragmas: [SideText.Pragma], side: String) throws -> Plan {
    try changing { file in
      for pragma in pragmas {
        guard let problem = file.settings.set(pragma) else { continue }
        throw Refusal.invalidSide(side, problem: "cannot be: '\(pragma.name)' \(problem)")
      }
    }
  }

  fileprivate func with(model path: String, side: String) throws -> Plan {
    try changing { file in
      guard case .recipe(let name, var reference) = file.store else {
        throw Refusal.invalidSide(
          side,
          problem: "needs a store from a recipe, but '\(file.path)' names an existing store"
        )
      }
      reference.model =
        FileManager.default.fileExists(atPath: path) ? path : file.folder + "/" + path
      file.recipe = try reference.read()
      file.store = .recipe(name: name, reference)
    }
  }

  private func changing(_ change: (inout WorkloadFile) throws -> Void) throws -> Plan {
    Plan(
      workloads: try workloads.map { workload in
        var file = workload.file
        try change(&file)
        return workload.with(file)
      },
      warnings: warnings
    )
  }
}
