import { evolvesOver } from './shelf.js';

// As many rows as make a backfill of a hundred batches; runs are killed while they apply, fill,
// index and compute.
evolvesOver(100_000, 3_000_000, { moments: 10, isKilled: true });
