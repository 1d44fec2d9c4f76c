extension TableSnapshot {
  static let live = """
    these files against pragma:cache_size=500
    2026-04-01 09:12:44 UTC · release build · AMD EPYC 7B13 · 2 cores
    SQLite 3.40.1 · stores on ext4 · seed 7

      fetch/scrolling/strategy=eager
        changed by +5.1 % [+4.6 %, +5.6 %]: SLOWER · 18 blocks
      fetch/scrolling/batchSize=20,strategy=batched
        changed by +0.40 % [+4.6 %, +5.6 %], below the floor · 30 blocks
      fetch/scrolling/b
        unchanged, would have seen 1.4 % [-1.2 %, +∞] · 9 blocks
      fetch/scrolling/c
        cannot tell, needs about 2 more minutes: blocks scatter by 3.1 % · 40
        blocks, coarse
      fetch/scrolling/d
        cannot tell, not on this machine: blocks scatter by 3.1 % · 1 block
      fetch/scrolling/e
        FAILED: head: verification failed: 3 objects were found, and 4 are there
      only in these files: fetch/scrolling/new

    6 cases: 1 slower, 1 changed below the floor, 1 unchanged, 2 cannot tell, 1
    failed
    Blocks took 4 min 12 s of a budget of 10 min.
    Wall clock, head over base; changes under 1 % fail nothing; any false alarm
    among 6 cases: at most 0.5 %; unchanged means by less than 2 %, wrong in at most
    5 % of such cases. Intervals: 95 %.
    The second of two slices took +0.10 % against the first; a coin chose it.
    coarse: the work cannot be cut into slices, so that all noise of the machine is
    in its times

    """
}
