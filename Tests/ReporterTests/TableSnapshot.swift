/// The tables of the fixture, read by eye when they were recorded.
enum TableSnapshot {
  static let result = """
    StoreBench · 2026-04-01 09:12:44 UTC · commit a1b2c3d · release build
    AMD EPYC 7B13 · 2 cores (x86_64) · 7.75 GB memory · Debian GNU/Linux 12
    Linux 6.1.0-18-amd64
    SQLite 3.40.1 · Swift 6.3.1 · stores on ext4
    journal_mode wal · synchronous 1 · cache_size 2000

    fetch/paging · fetch · cold · 5 trials
    store: recipes/tasks.yaml, seed 20260401, 28.9 MB, 24,981 Subtask, 10,000 Task,
           2,500 Attachment, 400 Project, 2 more entities
    pragmas: page_size=4096
    every case: accessPattern=firstScreen, engine=objectGraph
    ────────────────────────────────────────────────────────────────────────────────
                                  time  ±  screen  memory  outside  note
      batchSize  strategy           ms  %      ms      MB        %
    ────────────────────────────────────────────────────────────────────────────────
             20  batched          12.4  2     3.1    41.2       38
            100  batched          11.8  2     4.2    42.0       38
            500  batched          13.1  2     9.4    47.5       38
                 eager           812.0  2   790.1   312.0       38     1
    ✗            faultsOneByOne  FAILED: verification failed: 10,000 tasks expected,
                                 9,999 read; the digest of 'Task' is 2c26b46b
                                 instead of fcde2b2e
      • batchStatement=primaryKeysIn (seen in a log of Apple's)
      • externalDataLoad=onFetch (assumed behavior: not used as evidence)
      1 cold, residency unverified: 7 % stayed in memory

    claims/10k-30s · migration · warm · 5 trials
    store: as above
    pragmas: page_size=4096
    ────────────────────────────────────────────────────────────────────────────────
                             time  ±  backup  migrate  memory  outside  disk
      strategy                 ms  %      ms       ms      MB        %    MB
    ────────────────────────────────────────────────────────────────────────────────
      lightweight             184  2    21.0      163    38.0       20  33.4
      sideBySide            1,840  2    22.0    1,818    38.0       20  64.6
      deduplicated            410  2    21.0      389    38.0       20  33.1
    ✓ uniqueOverDuplicates  failed as expected: UNIQUE constraint failed:
                            ZTASK.ZIDENTIFIER

    blobStorage/sizes · blobStorage · warm · 5 trials of 3 iterations
    store: as above
    pragmas: page_size=8192
    every case: durability=commit, size=102400
    ────────────────────────────────────────────────────────────────────────────────
                                     time  ±  memory  outside   disk  note
      operation  strategy                  %      MB        %     MB
    ────────────────────────────────────────────────────────────────────────────────
      insert     inline            310 ms  2    31.0       10  128.9
      insert     separateEntity    155 ms  2    32.0       55   78.9
      insert     externalStorage   103 ms  2    33.0       70   62.2     1
      insert     file             77.5 ms  2    34.0       78   53.9
      readOne    inline                 –  –    31.0        –   28.9
      readOne    separateEntity   84.0 µs  2    32.0       55   28.9
      readOne    externalStorage   126 µs  2    33.0       70   28.9     1
      readOne    file              168 µs  2    34.0       78   28.9
      1 externalThreshold=100 KB (seen in files of Apple's)

    cascadeDelete/fanOut · cascadeDelete · warm · 1 trial
    store: as above
    pragmas: page_size=4096
    ────────────────────────────────────────────────────────────────────────────────
                                        time  memory  note
      depth  fanOut  strategy                     MB
    ────────────────────────────────────────────────────────────────────────────────
          1      10  objectByObject  52.0 ms    36.0
          3    1000  objectByObject   5.91 s    36.0
          1      10  batchDelete     2.10 ms    36.0
          3    1000  foreignKey       224 ms    36.0     1
      1 altered store, not Core Data's layout: FOREIGN KEY clauses added

    21 cases: 19 passed, 1 failed as expected, 1 FAILED
    time: median wall time; ±: standard deviation of the time, in % of its mean;
    screen: median time to the first screen; memory: median peak memory of the
    process; outside: share of the time spent outside SQLite's calls; disk: store,
    WAL and external files afterwards; –: not measured or below the clock's
    resolution
    This measures the storage work under Core Data and SwiftData, not Apple's own
    code. Only the time inside SQLite and in files carries over to an app.

    """

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
