import { evolvesOver } from './shelf.js';

// As many rows as make a backfill of a hundred batches; runs are killed while they apply, fill, index and compute.
evolvesOver(100_000, 900_000, true);
