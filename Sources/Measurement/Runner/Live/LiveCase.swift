import SQLite

/// The program that runs one side's slices.
package struct LiveWorker: Hashable, Sendable {
  /// The side as messages name it.
  package var name: String
  package var executable: String
  /// What makes the program a worker in lock-step; the version of the protocol follows.
  package var arguments: [String]
  /// Variables of its environment, such as the loader's library path.
  package var variables: [String: String]
  /// The SQLite sources that it must run with; `nil` where any will do.
  package var sqliteSourceID: String?

  package init(
    name: String,
    executable: String,
    arguments: [String] = ["worker", "--lockstep"],
    variables: [String: String] = [:],
    sqliteSourceID: String? = nil
  ) {
    self.name = name
    self.executable = executable
    self.arguments = arguments
    self.variables = variables
    self.sqliteSourceID = sqliteSourceID
  }
}

/// What one side of a case does.
package struct LiveArm: Sendable {
  package var file: WorkloadFile
  package var planned: Case
  package var worker: LiveWorker
  /// The share by which its slices are made longer: a planted regression.
  package var slowdown: Double
  /// Whether the worker counts what SQLite asks of files, as trials do: to see what that costs.
  package var isCounting: Bool

  package init(
    file: WorkloadFile,
    planned: Case,
    worker: LiveWorker,
    slowdown: Double = 0,
    isCounting: Bool = false
  ) {
    self.file = file
    self.planned = planned
    self.worker = worker
    self.slowdown = slowdown
    self.isCounting = isCounting
  }
}

/// Two arms that are held against each other.
package struct LiveCase: Sendable {
  /// The head's ID; it also names the case's coins.
  package var id: String
  package var base: LiveArm
  package var head: LiveArm

  package init(id: String, base: LiveArm, head: LiveArm) {
    self.id = id
    self.base = base
    self.head = head
  }
}

extension LiveCase {
  /// Where both sides of a block run, unless what they do is to have several processors.
  var sharedProcessor: SharedProcessor? {
    [base, head].contains(where: \.planned.traits.isConcurrent) ? nil : .current
  }
}
