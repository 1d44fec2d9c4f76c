/// The length of a variable in a worker's environment, 0 to 4,095 bytes, drawn for each trial.
///
/// Where the stack begins depends on it, and so do times; one layout for all trials would pass for
/// a property of the case (statistics.md, section 2). The workload's seed decides it.
enum EnvironmentPadding {
  static func length(seed: UInt64, case id: String, trial: Int) -> Int {
    // FNV-1a, then the finaliser of SplitMix64.
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in id.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    var z = hash ^ (seed &+ UInt64(trial) &* 0x9e37_79b9_7f4a_7c15)
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return Int((z ^ (z >> 31)) % 4096)
  }
}
