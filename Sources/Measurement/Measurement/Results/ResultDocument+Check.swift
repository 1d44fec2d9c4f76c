extension ResultDocument {
  /// Throws a `MeasurementError` that names the first thing no run can have written.
  ///
  /// Called before a document is written and after one is read: values that pass can be added
  /// up, and names that pass can be looked up.
  package func check() throws(MeasurementError) {
    guard version == ResultDocument.currentVersion else {
      throw .unsupportedVersion(version)
    }
    var names: Set<String> = []
    var caseIDs: Set<String> = []
    for (index, workload) in workloads.enumerated() {
      let place = "workloads[\(index)]"
      guard names.insert(workload.workload).inserted else {
        throw .repeated("workload", name: workload.workload, place: place)
      }
      try workload.check(place: place)
      for (index, result) in workload.cases.enumerated() {
        let place = "\(place).cases[\(index)]"
        guard caseIDs.count < ResultLimits.cases else {
          throw .tooMany("cases", limit: ResultLimits.cases, place: place)
        }
        guard caseIDs.insert(result.id).inserted else {
          throw .repeated("case", name: result.id, place: place)
        }
        try result.check(place: place)
      }
    }
  }
}

extension WorkloadResult {
  fileprivate func check(place: String) throws(MeasurementError) {
    try checkText(workload, named: "workload", place: place)
    try checkText(kind, named: "kind", place: place)
    guard trialCount >= 0, iterationCount >= 0 else {
      throw .unusableField("trialCount or iterationCount", problem: "is negative", place: place)
    }
    guard store.bytes >= 0, store.objects.values.allSatisfy({ $0 >= 0 }) else {
      throw .unusableField("store", problem: "has a negative size", place: place)
    }
    guard budget.values.allSatisfy(\.isUsable) else {
      throw .unusableField("budget", problem: "is no share and no growth", place: place)
    }
  }
}

extension CaseResult {
  fileprivate func check(place: String) throws(MeasurementError) {
    try checkText(id, named: "id", place: place)
    var names: Set<String> = []
    for (index, sample) in samples.enumerated() {
      let place = "\(place).samples[\(index)]"
      guard names.insert(sample.metric.name).inserted else {
        throw .repeated("metric", name: sample.metric.name, place: place)
      }
      try sample.check(place: place)
    }
  }
}

extension Sample {
  fileprivate func check(place: String) throws(MeasurementError) {
    try checkText(metric.name, named: "metric", place: place)
    var count = 0
    for (trial, values) in trials.enumerated() {
      count += values.count
      guard count <= ResultLimits.valuesPerSample else {
        throw .tooMany("values", limit: ResultLimits.valuesPerSample, place: place)
      }
      for (iteration, value) in values.enumerated() {
        guard value.isFinite, value >= 0, value <= ResultLimits.value else {
          throw .unusableValue(
            "\(value)",
            metric: metric.name,
            place: "\(place).trials[\(trial)][\(iteration)]"
          )
        }
      }
    }
  }
}

private func checkText(_ text: String, named field: String, place: String) throws(MeasurementError)
{
  guard !text.isEmpty else {
    throw .unusableField(field, problem: "is empty", place: place)
  }
  guard text.utf8.count <= ResultLimits.textLength else {
    throw .unusableField(field, problem: "is too long", place: place)
  }
}
