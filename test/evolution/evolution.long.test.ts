import { evolvesOver } from './shelf.js';

// As many rows as make a backfill of a hundred batches.
evolvesOver(100_000, 900_000);
