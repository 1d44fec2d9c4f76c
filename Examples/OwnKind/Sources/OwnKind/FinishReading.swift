import StoreBench

/// Marks the oldest unread articles of a reader app as read.
struct FinishReading: WorkloadKind {
  struct Parameters: ParameterSet {
    @Parameter(1...100_000, "articles that are marked") var articles = 200
    @Parameter("whether all are marked in one transaction, or each in its own") var atOnce = true
    @Parameter(0...10, "articles forgotten: a wrong outcome, to see it found") var forgets = 0
  }

  static let marked = Metric.tally("articles", "articles that were marked")
  static let description = KindDescription(
    name: "finishReading",
    summary: "Mark the oldest unread articles as read",
    metrics: [marked]
  )
  let parameters: Parameters
  var traits: CaseTraits { CaseTraits(endState: "\(parameters.articles) articles read") }

  func prepare(_ trial: Trial) throws -> Database { try Database(path: trial.store.path) }

  func run(_ database: Database, _ recorder: Recorder) throws {
    recorder.observe(database)
    let keys = try database.rows(
      "SELECT Z_PK FROM ZARTICLE WHERE ZISREAD = 0 ORDER BY ZPUBLISHEDAT, Z_PK LIMIT ?1",
      parameters.articles - parameters.forgets
    )
    func mark() throws {
      for key in keys {
        let update = "UPDATE ZARTICLE SET ZISREAD = 1, Z_OPT = Z_OPT + 1 WHERE Z_PK = ?1"
        try database.execute(update, key[0])
        recorder.count(Self.marked)
      }
    }
    if parameters.atOnce { try database.transaction(mark) } else { try mark() }
  }

  func verify(_ database: Database, _ trial: Trial) throws -> Verification {
    let expected = try ExpectedStore(trial)
    try expected.change(
      """
      UPDATE ZARTICLE SET ZISREAD = 1, Z_OPT = Z_OPT + 1
      WHERE Z_PK IN (SELECT Z_PK FROM ZARTICLE WHERE ZISREAD = 0
        ORDER BY ZPUBLISHEDAT, Z_PK LIMIT \(parameters.articles))
      """
    )
    return try expected.verification()
  }
}
