import Basics
import Synchronization

@testable import Runner

/// An executor that replaces the times of trials with scripted times.
final class ScriptedTimes: TrialExecutor, Sendable {
  private struct State {
    var random = SplitMix64(state: 5)
    var now = 0.0
    var trials: [String] = []
  }

  private let inner = InProcessExecutor(
    kinds: [TallyWorkload.self],
    probes: ManualClock().probes
  )
  /// For each strategy, the median of its times and the standard deviation of their logarithms.
  private let script: [String: (seconds: Double, noise: Double)]
  private let state = Mutex(State())

  init(_ script: [String: (seconds: Double, noise: Double)]) {
    self.script = script
  }

  /// The scripted clock's time, in seconds; each trial takes 1 s.
  func now() -> Double { state.withLock(\.now) }

  /// The strategies of the executed trials, in order.
  var trials: [String] { state.withLock(\.trials) }

  func execute(_ request: TrialRequest, within limits: TrialLimits) throws -> TrialResponse {
    var response = try inner.execute(request, within: limits)
    let strategy = request.parameters.text("strategy")
    let (seconds, noise) = script[strategy] ?? (1, 0)
    let scatter = state.withLock { state in
      state.now += 1
      state.trials.append(strategy)
      // The sum of twelve uniform random numbers has a variance of 1 and is nearly normal.
      let sum = (0..<12).reduce(0.0) { sum, _ in
        sum + Double(state.random.next() >> 11) * 0x1p-53 - 0.5
      }
      return exp(noise * sum)
    }
    response.iterations = response.iterations.map { iteration in
      iteration.map { measurement in
        var taken = measurement
        if taken.name == Metric.wallClock.name { taken.value = seconds * scatter }
        return taken
      }
    }
    return response
  }
}
