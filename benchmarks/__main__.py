"""`python -m benchmarks`: what `make bench` runs."""

from benchmarks.throughput import main

raise SystemExit(main())
