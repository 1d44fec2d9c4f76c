/// The tables of the fixture, read by eye when they were recorded.
enum TableSnapshot {
  /// A whole comparison: the verdict, the cause, the workloads, the largest rise and the rest.
  static let comparison = """
    9 costs compared: 1 regressed, 1 improved, 6 unchanged, 1 cannot tell; 1 of 9
    cases cannot be compared; 2 of 9 cases failed
    build changed: StoreBench a1b2c3d → d4e5f6a
    fetch/paging, 2 of 4 cases: SQLite steps +0.000806 %, SQLite steps −0.847 %

                                        baseline        result    ratio
        sqlite.vmSteps                   124,000       124,001    1.000  REGRESSED
        fetch/paging/accessPattern=firstScreen,batchSize=20,engine=objectGraph,
        strategy=batched

      fetch/paging/accessPattern=firstScreen,engine=objectGraph,strategy=eager
        firstScreen                       790 ms        790 ms    1.000  shown only
        peakMemory                        312 MB        312 MB    1.000  shown only
        sqlite.vmSteps                 8,120,000             1    0.000  cannot tell
        wallClock                         812 ms        812 ms    1.000  shown only
        1 exact counter unchanged
      fetch/paging/accessPattern=firstScreen,engine=objectGraph,
      strategy=faultsOneByOne
        FAILED: verification failed: 10,000 tasks expected, 9,999 read; the digest
        of 'Task' is 2c26b46b instead of fcde2b2e
      only in the baseline: fetch/paging/accessPattern=firstScreen,batchSize=500,
                            engine=objectGraph,strategy=batched
      cascadeDelete/fanOut/depth=1,fanOut=10,strategy=objectByObject
        FAILED: an orphan of 'Subtask' was left

    All cases and metrics: --all

    baseline: 2026-04-01 09:12:44 UTC · a1b2c3d · AMD EPYC 7B13 · SQLite 3.40.1
    result: 2026-04-01 09:12:44 UTC · d4e5f6a · AMD EPYC 7B13 · SQLite 3.40.1
    These times are not comparable: kernel is 'Linux 6.1.0-18-amd64' in the baseline
    and 'Linux 6.6' in the result.
    Times and memory are medians and not judged: between two runs they vary more
    than by most changes. Cannot tell: the values vary between trials of one result,
    or one result lacks them.

    """
}
