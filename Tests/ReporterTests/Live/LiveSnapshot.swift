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
}
