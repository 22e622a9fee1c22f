import { evolvesOver } from './shelf.js';

// As many rows as make a backfill of a hundred batches; runs are killed while they apply, fill and compute.
evolvesOver(100_000, 900_000, [300, 700, 1500, 2500]);
