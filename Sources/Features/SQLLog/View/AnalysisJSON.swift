import Basics
import SwiftModels

extension AnalysisView: Encodable {
  /// Encodes the analysis with all times in microseconds; times that the log does not show are
  /// omitted.
  package func encode(to encoder: any Encoder) throws {
    let (digest, words) = (analysis.digest, analysis.vocabulary)
    let object: JSONObject = [
      "kind": "storebench-analysis", "version": 1,
      "calls": digest.calls, "untimed": digest.untimed, "microseconds": digest.time,
      "findings": analysis.findings.map(\.json), "fixes": analysis.fixes.map(\.json),
      "statements": analysis.rankedStatements.map { entry -> JSONObject in
        let table = analysis.statements[entry].shape.table
        let names: JSONObject = [
          "entity": table.isEmpty ? nil : words.entity(of: table),
          "operation": analysis.operation(entry),
          "fingerprint": analysis.statements[entry].fingerprint,
        ]
        return digest.statements[entry].json(total: digest.time).merging(names)
      },
      "entities": analysis.rankedTables.map { table, figures in
        figures.json(total: digest.time).merging(["entity": words.entity(of: table)])
      },
      "saveCount": digest.saves, "upkeepTransactions": digest.upkeep,
      "rollbacks": digest.rollbacks, "otherSaves": digest.otherSaves,
      "saveGroups": analysis.rankedSaves.map { group -> JSONObject in
        [
          "description": words.save(of: group.writes), "count": group.count,
          "firstLine": group.firstLine, "microseconds": group.elapsed.json,
        ]
      },
      "saves": digest.firstSaves.map { save -> JSONObject in
        [
          "description": words.save(of: save.writes), "line": save.line, "endLine": save.endLine,
          "isComplete": save.isComplete, "microseconds": save.elapsed < 0 ? nil : save.elapsed,
          "writes": save.writes.map { write -> JSONObject in
            [
              "change": write.change.rawValue, "entity": words.entity(of: write.table),
              "count": write.count,
            ]
          },
        ]
      },
      "input": analysis.report.json, "replay": replay, "indexProposals": indexes,
      "actions": actions?.outcomes.map(\.json),
    ]
    try object.encode(to: encoder)
  }
}

extension Fix {
  fileprivate var json: JSONObject {
    [
      "title": title, "findings": group.findings.map(\.summary), "microseconds": group.time,
      "coreData": coreData, "swiftData": swiftData,
      "sqlite": sqlite.isEmpty ? nil : sqlite, "notes": notes,
    ]
  }
}

extension Finding {
  fileprivate var json: JSONObject {
    [
      "rule": rule.rawValue, "summary": summary, "confidence": confidence.rawValue,
      "doubt": doubt.isEmpty ? nil : doubt, "isQuestion": isQuestion, "calls": calls,
      "microseconds": time,
      "lines": lines,
      "coreData": rule.remedy.coreData, "swiftData": rule.remedy.swiftData,
      "sqlite": rule.remedy.sqlite.isEmpty ? nil : rule.remedy.sqlite,
      "falsePositiveIf": rule.remedy.unless, "index": wantedIndex?.json,
    ]
  }
}

extension CallFigures {
  fileprivate func json(total: Int) -> JSONObject {
    [
      "calls": calls, "insideSave": insideSave, "untimed": untimed, "firstLine": firstLine,
      "microseconds": times.json, "rows": rows.json,
      "share": total > 0 && times.count > 0 ? Double(time) / Double(total) : nil,
      "longestValue": longestValue > 0 ? longestValue : nil,
    ]
  }
}

extension Histogram {
  fileprivate var json: JSONObject? {
    guard count > 0 else { return nil }
    return [
      "count": count, "sum": sum, "p50": percentile(0.5), "p90": percentile(0.9),
      "p99": percentile(0.99), "largest": largest,
    ]
  }
}

extension ParsingReport {
  fileprivate var json: JSONObject {
    [
      "level": level, "lines": lines, "bytes": bytes, "duplicates": duplicates,
      "foreign": foreign, "hidden": hidden, "cut": cut, "orphans": orphans,
      "unfinished": unfinished,
      "cutOff": cutOff, "isTruncated": isTruncated, "hasMixedLevels": isMixed, "errors": errors,
      "heads": Dictionary(uniqueKeysWithValues: forms.map { ($0.rawValue, $1) }),
      "notUnderstood": unknown.sorted { $0.key < $1.key }.map { words, found -> JSONObject in
        ["words": words, "count": found.count, "line": found.line]
      },
    ]
  }
}
