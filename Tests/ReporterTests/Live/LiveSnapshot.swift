extension TableSnapshot {
  static let live = """
    these files against pragma:cache_size=500
    2026-04-01 09:12:44 UTC · release build · AMD EPYC 7B13 · 2 cores
    SQLite 3.40.1 · stores on ext4 · seed 7

    fetch/scrolling
    every case: entity=Task
      strategy=eager
        changed by +5.1 % [+4.6 %, +5.6 %]: SLOWER · 18 blocks
      batchSize=20,strategy=batched
        changed by +0.40 % [+0.10 %, +0.71 %], below the floor · 30 blocks
      strategy=faults
        unchanged, would have found 1.4 % [-1.2 %, +∞] · 9 blocks
      batchSize=1,strategy=batched
        cannot tell, needs about 2 more minutes: blocks vary by 3.1 % · 40 blocks,
        coarse
      strategy=count
        cannot tell, not on this machine: blocks vary by 3.1 % · 1 block

    fetch/paging
      fetch/paging
        FAILED: head: verification failed: 3 objects were found, but 4 exist

    only in these files: fetch/scrolling/new

    6 cases: 1 slower, 1 changed below the floor, 1 unchanged, 2 cannot tell, 1
    failed
    Blocks took 4 min 12 s of a budget of 10 min.
    Wall time, head relative to base; changes below 1 % do not fail the comparison;
    probability of any false alarm among 6 cases: at most 0.5 %; 'unchanged' means a
    change of less than 2 %, and is wrong for at most 5 % of larger changes.
    Intervals: 95 %.
    Time slices took +0.10 % after a slice of the other side; this affects both
    sides equally.
    coarse: the work cannot be cut into time slices, so its times contain all noise
    of the machine

    """

  static let selftest = """
    Self-test of live comparisons
    2026-04-01 09:12:44 UTC · release build · AMD EPYC 7B13 · 2 cores
    SQLite 3.40.1 · 3 min 10 s

      the time of a case                    changed    of  rate, 95 % bounds    each
      equal on both sides, suites of 20           0     4        0.0 to 60 %  24.0 s
      equal on both sides, cases                  0    80       0.0 to 4.5 %   1.2 s
      10 % more time on one side                  6     6        54 to 100 %   1.6 s
      1 % more time on one side                   0     0                  –       –

      injected in the work, found by counters: 1 of 2 found
      A batch size of 1
        found: sqlite.statementsRun 11 → 1,001
      Nothing
        NOT FOUND: no exact cost rose

    An injected change of counters was not found, or counters did not repeat.
    Blocks of 85 ms vary by 0.80 %; with this variation, four of five changes would
    be found: 5 % in 1 s, 2 % in 2 s, 1 % in 3 s. If nothing changed, a suite of 20
    cases raises an alarm with a probability of at most 0.5 %, whatever the noise.
    So few suites can confirm this only within the bounds above: a longer run
    (--hours) narrows them.

    """
}
